// Half precision storage without half arithmetic.
// run: -g 6 -p 1:f32 -p 2:u16 list:f16:1,-2.5,0.333,65504,6e-8,inf zero:f32:6 zero:u16:6
// expect: 1: 1 -2.5 0.3330078 65504 5.9604645e-08 inf
// expect: 2: 14336 48384 12628 30719 0 31744
kernel void k(global const half *a, global float *f, global half *h) {
  size_t i = get_global_id(0);
  f[i] = vload_half(i, a);
  vstore_half(f[i] * 0.5f, i, h);
}
