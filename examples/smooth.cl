// The kernel of opencl_host.c and hip_host.c.
kernel void smooth(global const float *x, global float *y, int n) {
  int i = get_global_id(0);
  float left = x[max(i - 1, 0)], right = x[min(i + 1, n - 1)];
  y[i] = 0.25f * left + 0.5f * x[i] + 0.25f * right;
}
