// Attention with an online softmax, a sub-group per query; the keys lie in its lanes.
// run: -g 128 -l 64 -p 3:f32:16 rand:f32:1024:1:-1:1 rand:f32:656:2:-1:1 rand:f32:656:3:-1:1 zero:f32:1024 i32=41 i32=16
// stats: cpu:x86-64-v3 lanes 8, gathered 9, array 19, remainder-loop 1
// tolerance: 0.0001
// skip: opencl sub-groups of one work-item
// expect: 3: 0.090072766 -0.034188624 0.21580794 0.06829663 -0.18665792 -0.09943829 -0.0864331 0.05492265 -0.08322727 0.107861884 -0.048235882 -0.08363182 0.02284944 -0.10039612 -0.035417177 0.06676517
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void attend(global const float *q, global const float *k, global const float *v, global float *o, int n, int d) {
  uint sg = get_global_id(0) / get_sub_group_size(), lane = get_sub_group_local_id(), size = get_sub_group_size();
  if (sg * d >= 1024 / 1)
    return;
  float acc[16] = {0}, m = -INFINITY, l = 0;
  for (int j0 = 0; j0 < n; j0 += size) {
    int j = j0 + lane;
    float s = -INFINITY;
    if (j < n) {
      s = 0;
      for (int i = 0; i < d; i++)
        s += q[sg * d + i] * k[j * d + i];
      s *= rsqrt((float)d);
    }
    float mn = fmax(m, sub_group_reduce_max(s));
    float p = exp(s - mn), scale = exp(m - mn);
    l = l * scale + sub_group_reduce_add(p);
    for (int i = 0; i < d; i++) {
      float x = j < n ? p * v[j * d + i] : 0;
      acc[i] = acc[i] * scale + sub_group_reduce_add(x);
    }
    m = mn;
  }
  for (int i = lane; i < d; i += size)
    o[sg * d + i] = acc[i] / l;
}
