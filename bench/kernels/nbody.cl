// All pairs: position and mass in, acceleration out.
kernel void nbody(global const float4 *body, global float4 *acceleration, int n) {
  int i = get_global_id(0);
  float3 p = body[i].xyz, sum = (float3)(0);
  for (int j = 0; j < n; j++) {
    float4 other = body[j];
    float3 d = other.xyz - p;
    float r2 = dot(d, d) + 0.01f;
    float r = native_rsqrt(r2);
    sum += d * (other.w * r * r * r);
  }
  acceleration[i] = (float4)(sum, 0);
}
