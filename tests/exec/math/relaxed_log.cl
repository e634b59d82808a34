// Logarithms with relaxed accuracy: 3 ulp beyond 0.5 to 2, of subnormal numbers, too.
// run: -g 8 -p 1:i32 --options -cl-fast-relaxed-math list:f32:0x1.2f58p+1,0x1.34cep+1,0x1p-141,0x1.8p-127,0x1p-126,3,1000,1e30 zero:i32:16
// expect: 1: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
int near(double right, float r) { return fabs(r - right) <= 3 * ldexp(1.0, ilogb(right) - 23); }
kernel void k(global const float *a, global int *o) {
  int i = get_global_id(0);
  o[2 * i] = near(log((double)a[i]), log(a[i]));
  o[2 * i + 1] = near(log2((double)a[i]), log2(a[i]));
}
