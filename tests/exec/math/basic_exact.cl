// Functions with exact results.
// run: -g 8 -p 1:f32 -p 2:f32 -p 3:f32 -p 4:f32 -p 5:f32 -p 6:f32 list:f32:2.5,-2.5,3.5,-0.4,0.5,1e10,-7.75,9 zero:f32:8 zero:f32:8 zero:f32:8 zero:f32:8 zero:f32:8 zero:f32:8
// expect: 1: 2 -3 3 -1 0 1e+10 -8 9
// expect: 2: 3 -2 4 -0 1 1e+10 -7 9
// expect: 3: 2 -2 3 -0 0 1e+10 -7 9
// expect: 4: 2 -2 4 -0 0 1e+10 -8 9
// expect: 5: 3 -3 4 -0 1 1e+10 -8 9
// expect: 6: 8.5 2.5 11.5 0.39999998 3 3e+10 7.75 28
kernel void k(global const float *a, global float *fl, global float *ce, global float *tr, global float *ri, global float *ro, global float *ab) {
  size_t i = get_global_id(0);
  float x = a[i];
  fl[i] = floor(x);
  ce[i] = ceil(x);
  tr[i] = trunc(x);
  ri[i] = rint(x);
  ro[i] = round(x);
  ab[i] = fabs(x) + sqrt(x * x) + copysign(1.0f, x) + fmin(x, 0.0f) + fmax(x, 1.0f);
}
