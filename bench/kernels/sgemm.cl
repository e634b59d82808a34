// One element of the product per work-item, straight from memory.
kernel void sgemm(global const float *a, global const float *b, global float *c, int n) {
  int col = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
