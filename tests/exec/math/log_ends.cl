// Logarithms where they are not finite, and around: zeros, below, infinity, NaN, subnormals.
// run: -g 8 -p 1:u32:32 list:u32:0,2147483648,2139095040,4286578688,2143289344,1,3212836864,3221225472 zero:u32:32
// expect: 1: 4286578688 4286578688 4286578688 0 4286578688 4286578688 4286578688 2147483648 2139095040 2139095040 2139095040 2139095040 1 1 1 1 1 1 1 1 3301867520 3306487808 3291709440 0 1 1 1 4286578688 1 1 1 1
kernel void k(global const uint *bits, global uint *o) {
  int i = get_global_id(0);
  float x = as_float(bits[i]), r[4] = {log(x), log2(x), log10(x), log1p(x)};
  for (int k = 0; k < 4; k++) // NaN: 1; infinities and zeros: their bits; else rounded to sixteenths
    o[4 * i + k] = isnan(r[k]) ? 1 : isinf(r[k]) || r[k] == 0 ? as_uint(r[k]) : as_uint(rint(r[k] * 16));
}
