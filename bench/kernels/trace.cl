// Rays through pixels; the number of the nearest of some spheres (centre and radius), shaded by distance.
kernel void trace(global const float4 *sphere, int count, global float *out, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1), hit = -1;
  float3 d = normalize((float3)((x + 0.5f - width * 0.5f) / height, (y + 0.5f - height * 0.5f) / height, 1.0f));
  float nearest = 1e30f;
  for (int i = 0; i < count; i++) {
    float4 s = sphere[i];
    float b = dot(s.xyz, d), c = dot(s.xyz, s.xyz) - s.w * s.w, q = b * b - c;
    if (q < 0)
      continue;
    float t = b - sqrt(q);
    if (t > 0 && t < nearest) {
      nearest = t;
      hit = i;
    }
  }
  out[y * width + x] = hit < 0 ? 0 : hit + 1 / (1 + nearest);
}
