kernel void mandelbrot(global int *out, int width, int height, int limit) {
  int px = get_global_id(0), py = get_global_id(1), n = 0;
  float cx = px * 3.0f / width - 2.0f, cy = py * 2.0f / height - 1.0f, x = 0, y = 0;
  while (n < limit && x * x + y * y <= 4.0f) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    n++;
  }
  out[py * width + px] = n;
}
