// Partial groups in two dimensions, with a barrier.
// run: -g 5,3 -l 4,2 -p 0:i32 zero:i32:15
// skip: opencl PoCL has no partial groups
// expect: 0: 8 8 8 8 2 8 8 8 8 2 4 4 4 4 1
kernel void k(global int *o) {
  local int sum;
  if (get_local_id(0) == 0 && get_local_id(1) == 0)
    sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&sum, 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  o[get_global_id(1) * 5 + get_global_id(0)] = sum;
}
