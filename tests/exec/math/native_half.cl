// native_ and half_ forms are near the exact results.
// run: -g 3 -p 1:f32 list:f32:0.5,2,10 zero:f32:36
// tolerance: 2e-3
// expect: 1: 0.47942555 0.8775826 1.6487212 0.4054651 0.70710677 1.4142135 2 0.16666667 0.4061262 1.6487212 0.70710677 2 0.9092974 -0.4161468 7.389056 1.0986123 1.4142135 0.70710677 0.5 0.6666667 2.4622889 7.389056 1.4142135 0.5 -0.54402107 -0.8390715 22026.465 2.3978953 3.1622777 0.31622776 0.1 3.3333333 19.952621 22026.465 3.1622777 0.1
kernel void k(global const float *a, global float *o) {
  size_t i = get_global_id(0);
  float x = a[i];
  o += 12 * i;
  o[0] = native_sin(x); o[1] = native_cos(x); o[2] = native_exp(x); o[3] = native_log(x + 1); o[4] = native_sqrt(x); o[5] = native_rsqrt(x);
  o[6] = native_recip(x); o[7] = native_divide(x, 3.0f); o[8] = native_powr(x, 1.3f); o[9] = half_exp(x); o[10] = half_sqrt(x); o[11] = half_recip(x);
}
