// dot, cross, length, distance, normalize and their fast forms.
// run: -g 1 -p 0:f32 zero:f32:20
// tolerance: 1e-5
// expect: 0: 15 -1 6 6.5 -10 4.5 5.477226 3.5 3 0.18257418 0.36514837 0.5477226 0.73029673 6.5 -10 4.5 0 4.609772 4.609772 0.8017837
kernel void k(global float *o) {
  float4 a = (float4)(1, 2, 3, 4), b = (float4)(-2, 0.5f, 4, 1);
  float3 c = cross(a.xyz, b.xyz);
  o[0] = dot(a, b); o[1] = dot(a.xy, b.xy); o[2] = dot(2.0f, 3.0f);
  vstore3(c, 1, o);
  o[6] = length(a); o[7] = distance(a.xyz, b.xyz); o[8] = length(-3.0f);
  vstore4(normalize(a), 0, o + 9);
  vstore4(cross(a, b), 0, o + 13);
  o[17] = fast_length(b); o[18] = fast_distance(a, b); o[19] = fast_normalize(a.xyz).z;
}
