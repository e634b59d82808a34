kernel void nbody(uint n, float eps2, global const float4 *restrict body, global float4 *restrict acceleration) {
  size_t i = get_global_id(0);
  float4 me = body[i];
  float3 sum = 0;
  for (uint j = 0; j < n; j++) {
    float4 other = body[j];
    float3 d = other.xyz - me.xyz;
    float r = rsqrt(dot(d, d) + eps2);
    sum += d * (other.w * r * r * r);
  }
  acceleration[i] = (float4)(sum, 0);
}
