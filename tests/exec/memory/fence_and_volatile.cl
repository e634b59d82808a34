// Fences, volatile accesses.
// run: -g 4 -l 4 -p 0:i32 iota:i32:4
// expect: 0: 4 3 2 1
kernel void k(volatile global int *a) {
  int i = get_global_id(0);
  a[i] += 1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  read_mem_fence(CLK_LOCAL_MEM_FENCE);
  write_mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  barrier(CLK_GLOBAL_MEM_FENCE);
  int x = a[3 - i];
  barrier(CLK_GLOBAL_MEM_FENCE);
  a[i] = x;
}
