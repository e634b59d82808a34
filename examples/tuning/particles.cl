// The potential of n bodies (docs/tuning.md).
struct body {
  float x, y, z, mass;
  int kind;
};

kernel void records(global const struct body *b, global float *out, int n) {
  int i = get_global_id(0);
  float p = 0;
  for (int j = 0; j < n; j++) {
    float dx = b[j].x - b[i].x, dy = b[j].y - b[i].y, dz = b[j].z - b[i].z;
    if (b[j].kind && j != i)
      p += b[j].mass / sqrt(dx * dx + dy * dy + dz * dz);
  }
  out[i] = p;
}
