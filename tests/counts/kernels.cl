// Kernels for costs that no other kernel of sources.def turns on.
// A loop that is one chain of operations, which all lanes run.
kernel void chain(global float *x, int n) {
  float v = x[get_global_id(0)];
  for (int i = 0; i < n; i++) {
    v = v * 1.5f + 0.25f;
    v = v * v;
    v = v * 0.5f - 1;
    v = v * v;
    v = v + 3;
    v = v * 0.125f;
    v = v - 7;
    v = v * v;
  }
  x[get_global_id(0)] = v;
}
// Elements of records in local memory, under a mask.
kernel void pairs(global float *o, global const float *a, local float *t) {
  size_t l = get_local_id(0), g = get_global_id(0);
  t[2 * l] = a[2 * g];
  t[2 * l + 1] = a[2 * g + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  if (a[g] > 0)
    sum = t[2 * l] - t[2 * l + 1];
  o[g] = sum;
}
// Records whose elements are all read.
kernel void records(global float *o, global const float *a) {
  size_t g = get_global_id(0);
  o[g] = a[6 * g] * a[6 * g + 1] + a[6 * g + 2] * a[6 * g + 3] + a[6 * g + 4] * a[6 * g + 5];
}
