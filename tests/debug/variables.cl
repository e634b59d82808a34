// The kernels of variables.sh, which names lines of this file.
typedef struct {
  float4 at;
  int tags[3];
  uchar kind;
} body;

int helper(int n) { return n * 2; }

kernel void variables(global float *x, int scale, body given, global uint *out) {
  size_t i = get_global_id(0);
  body mine = given;
  float3 v = (float3)(i, 2, 3);
  int total = 0;
  mine.at.y = x[i];
  mine.tags[2] = (int)i * scale;
  for (int k = 0; k < 3; k++) {
    long total = k + 100;
    out[i] += (uint)total;
  }
  for (uint k = 7; k < 8; k++)
    total += helper((int)k) + mine.tags[2];
  out[i] = (uint)total + (uint)v.y;
}

kernel void barriers(global int *x, local int *shared) {
  int l = get_local_id(0), before = x[get_global_id(0)] + 1;
  shared[l] = before;
  barrier(CLK_LOCAL_MEM_FENCE);
  int after = shared[3 - l];
  x[get_global_id(0)] = after + before;
}

kernel void stored(global float *x) {
  struct {
    __bf16 low;
  } kept = {x[0]};
  x[0] = kept.low;
}
