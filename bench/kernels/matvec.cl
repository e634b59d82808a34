// A matrix times a vector, a row per work-item: neighbours read far apart.
kernel void matvec(global const float *a, global const float *x, global float *y, int n) {
  int row = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[row * n + k] * x[k];
  y[row] = sum;
}
