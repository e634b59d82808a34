// Softmax and layer norm of rows, a group per row.
// run: -k softmax -g 64 -l 32 -p 1:f32:20 rand:f32:246:1:-4:4 zero:f32:246 i32=123
// stats: cpu:x86-64-v3 lanes 16, contiguous 14, uniform 2, uniform-loop 4
// tolerance: 1e-05
// expect: 1: 0.0018076345 0.00758202 0.04594978 0.0006800413 0.00067952723 0.008694435 0.021721745 0.001276426 0.00019082455 0.011150654 0.00049295486 0.0024667217 0.00074010144 0.0013500698 0.0006358774 7.3963005e-05 0.0033946678 0.013227978 0.0045411 0.022968493
// run: -k layernorm -g 64 -l 32 -p 1:f32:20 rand:f32:246:1:-4:4 zero:f32:246 i32=123 f32=1e-5
// stats: cpu:x86-64-v3 lanes 16, contiguous 11, non-temporal 1, uniform 2, uniform-loop 3
// tolerance: 0.0001
// expect: 1: 0.11241415 0.7343597 1.5159411 -0.31166312 -0.3119911 0.7937454 1.1909347 -0.038523875 -0.8629201 0.901679 -0.4512278 0.24726532 -0.27495202 -0.014190856 -0.34079206 -1.2740579 0.38577932 0.97578347 0.5119948 1.215143
float reduce(float v, local float *tmp, bool is_max) {
  uint l = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  tmp[l] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = get_local_size(0) >> 1; s > 0; s >>= 1) {
    if (l < s)
      tmp[l] = is_max ? fmax(tmp[l], tmp[l + s]) : tmp[l] + tmp[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return tmp[0];
}
kernel void softmax(global const float *x, global float *y, int n) {
  local float tmp[128];
  global const float *row = x + get_group_id(0) * n;
  global float *o = y + get_group_id(0) * n;
  float m = -INFINITY;
  for (int i = get_local_id(0); i < n / 4; i += get_local_size(0)) {
    float4 v = vload4(i, row);
    m = fmax(m, fmax(fmax(v.x, v.y), fmax(v.z, v.w)));
  }
  for (int i = n / 4 * 4 + get_local_id(0); i < n; i += get_local_size(0))
    m = fmax(m, row[i]);
  m = reduce(m, tmp, true);
  float s = 0;
  for (int i = get_local_id(0); i < n; i += get_local_size(0)) {
    float e = native_exp(row[i] - m);
    o[i] = e;
    s += e;
  }
  s = reduce(s, tmp, false);
  for (int i = get_local_id(0); i < n; i += get_local_size(0))
    o[i] /= s;
}
kernel void layernorm(global const float *x, global float *y, int n, float eps) {
  local float tmp[128];
  size_t at = get_group_id(0) * n;
  float s = 0, q = 0;
  for (int i = get_local_id(0); i < n; i += get_local_size(0))
    s += x[at + i];
  float mean = reduce(s, tmp, false) / n;
  for (int i = get_local_id(0); i < n; i += get_local_size(0)) {
    float d = x[at + i] - mean;
    q = fma(d, d, q);
  }
  float inv = rsqrt(reduce(q, tmp, false) / n + eps);
  for (int i = get_local_id(0); i < n; i += get_local_size(0))
    y[at + i] = (x[at + i] - mean) * inv;
}
