// The sum of n numbers, in steps (docs/tuning.md):
//   kiln run sum.cl -k parts -g 4096 --time --repeat 11 --options -cl-std=CL2.0 fill:f32:4194304:1 zero:f32:1 i32=4194304
#define ADD(value) atomic_fetch_add_explicit((global atomic_float *)sum, value, memory_order_relaxed)

// An atomic operation for each number.
kernel void each(global const float *x, global float *sum, int n) {
  int i = get_global_id(0);
  if (i < n)
    ADD(x[i]);
}

// Few work-items, which read in turn; each group adds up before it touches the sum.
kernel void turns(global const float *x, global float *sum, int n) {
  float s = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    s += x[i];
  s = work_group_reduce_add(s);
  if (get_local_id(0) == 0)
    ADD(s);
}

// Each work-item reads a part of its own, from beginning to end.
kernel void parts(global const float *x, global float *sum, int n) {
  int size = n / get_global_size(0), first = get_global_id(0) * size;
  float s = 0;
  for (int k = 0; k < size; k++)
    s += x[first + k];
  ADD(s);
}
