// exp and exp2 with relaxed accuracy: 3 + 2|x| ulp up to the ends of what a float can be. Beyond, too small is 0.
// run: -g 12 -p 1:i32 --options -cl-fast-relaxed-math list:f32:-131072,-150,-127,-126,-125.7,-87.5,-87.33,-0.01,0.3,88.7,127.4,127.99 zero:i32:24
// expect: 1: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
int near(double right, float r, float x) {
  if (right > FLT_MAX || (right < FLT_MIN && r == 0))
    return 1;
  double ulp = ldexp(1.0, max(ilogb(right), -126) - 23);
  return fabs(r - right) <= (3 + floor(2 * fabs(x))) * ulp;
}
kernel void k(global const float *a, global int *o) {
  int i = get_global_id(0);
  float x = a[i];
  o[2 * i] = near(exp((double)x), exp(x), x);
  o[2 * i + 1] = near(exp2((double)x), exp2(x), x);
}
