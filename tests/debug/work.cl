kernel void work(global float *x, int n) {
  size_t i = get_global_id(0);
  float s = 0;
  for (int k = 0; k < n; k++)
    s += x[i] * k;
  x[i] = s;
}
