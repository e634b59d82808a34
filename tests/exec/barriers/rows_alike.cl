// A group of several rows, and a kernel with a barrier that has nothing to tell them apart by.
// run: -g 6,4 -l 3,2 -p 0:u32 -p 1:u32 zero:u32:6 zero:u32:6
// expect: 0: 4 4 4 4 4 4
// expect: 1: 12 12 12 12 12 12
kernel void rows_alike(global uint *before, global uint *behind) {
  local uint met;
  uint i = get_global_id(0);
  if (get_local_id(0) == 0)
    atomic_xchg(&met, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&before[i]);
  atomic_inc(&met);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&behind[i], met / (uint)get_local_size(1));
}
