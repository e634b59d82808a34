// A group of several planes, and a kernel with a barrier that has nothing to tell them apart by.
// run: -g 8,3,4 -l 4,3,2 -p 0:u32 -p 1:u32 zero:u32:24 zero:u32:24
// expect: 0: 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4
// expect: 1: 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12
kernel void planes_alike(global uint *before, global uint *behind) {
  uint i = get_global_id(0) + 8 * get_global_id(1);
  atomic_inc(&before[i]);
  barrier(CLK_GLOBAL_MEM_FENCE);
  atomic_add(&behind[i], 1 + (uint)get_local_size(2));
}
