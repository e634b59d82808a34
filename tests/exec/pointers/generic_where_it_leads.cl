// to_global, to_local, to_private and get_fence of generic pointers, known when compiled and not before it runs, also
// after a barrier, in functions, of memory whose address escapes, null.
// run: -g 64 -l 16 -p 1:i32 --options -cl-std=CL2.0 iota:i32:64 zero:i32:192 local:64
// skip: opencl PoCL 3.1 has no generic address space
// skip: text OpenCL C 1.2 has no generic address space
// expect: 1: 1 22 111 2 41 111 4 22 111 2 41 111 4 11 111 1 11 111 1 22 111 2 41 111 4 22 111 2 41 111 4 11 111 1 11 111 1 22 111 2 41 111 4 22 111 2 41 111 4 11 111 1 11 111 1 22 111 2 41 111 4 22 111 2 41 111 4 11 111 1 11 111 1 22 111 2 41 111 4 22 111 2 41 111 4 11 111 1 11 111 1 22 111 2 41 111 4 22 111 2 41 111 4 11 111 1 11 111 1 22 111 2 41 111 4 22 111 2 41 111 4 11 111 1 11 111 1 22 111 2 41 111 4 22 111 2 41 111 4 11 111 1 11 111 1 22 111 2 41 111 4 22 111 2 41 111 4 11 111 1 11 111 1 22 111 2 41 111 4 22 111 2 41 111 4 11 111 1 11 111 1 22 111 2 41 111 4 22 111 2 41 111
// run: -g 40 -l 8 -p 1:i32:24 --options -cl-std=CL2.0 iota:i32:40 zero:i32:192 local:32
// skip: opencl PoCL 3.1 has no generic address space
// skip: text OpenCL C 1.2 has no generic address space
// expect: 1: 1 22 111 2 41 111 4 22 111 2 41 111 4 11 111 1 11 111 1 22 111 2 41 111
// run: -g 1 -l 1 -p 1:i32:3 --options "-cl-std=CL2.0 -cl-opt-disable" iota:i32:64 zero:i32:192 local:64
// skip: opencl PoCL 3.1 has no generic address space
// skip: text OpenCL C 1.2 has no generic address space
// expect: 1: 1 22 111
constant int lists[1] = {0};
global int counter = 3;
int where(int *p) { return (to_global(p) ? 1 : 0) + (to_local(p) ? 2 : 0) + (to_private(p) ? 4 : 0); }
__attribute__((noinline)) int where_too(const int *p) {
  return where((int *)p) * 10 + (get_fence(p) == CLK_LOCAL_MEM_FENCE ? 2 : get_fence(p) == CLK_GLOBAL_MEM_FENCE ? 1 : 0);
}
kernel void k(global int *in, global int *out, local int *argument) {
  local int shared[16];
  int i = get_global_id(0), l = get_local_id(0);
  int mine[3] = {i, i + 1, i + 2}, other = 5;
  int *choices[6] = {&in[i], &shared[l], &mine[i % 3], &argument[l], &other, &counter};
  int *p = choices[i % 6];
  shared[l] = argument[l] = l;
  out[3 * i] = where(p);
  barrier(CLK_LOCAL_MEM_FENCE);
  int *q = choices[(i + 1) % 6];
  out[3 * i + 1] = where_too(q);
  global int *g = to_global(q);
  local int *s = to_local(q);
  private int *v = to_private(q);
  int value = g ? *g : s ? *s : *v, none = where(0);
  out[3 * i + 2] = (value == *q) * 100 + (where(&mine[1]) == 4) * 10 + (where(in) == 1) + none;
}
