// The nearest of some centres for each point of eight dimensions, which lie one dimension after the other.
kernel void kmeans(global const float *point, global const float *centre, global int *label, int n, int count) {
  int i = get_global_id(0), best = 0;
  float least = 1e30f;
  for (int c = 0; c < count; c++) {
    float sum = 0;
    for (int k = 0; k < 8; k++) {
      float d = point[k * n + i] - centre[c * 8 + k];
      sum += d * d;
    }
    if (sum < least) {
      least = sum;
      best = c;
    }
  }
  label[i] = best;
}
