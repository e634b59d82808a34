// get_fence and to_private of a pointer that leads to global, local or private memory, by data: the variable is private
// wherever a compiler puts it.
// run: -g 4 -l 4 -p 1:i32 --options -cl-std=CL2.0 list:i32:-1,-2,3,4 zero:i32:8
// skip: opencl PoCL 3.1 has no generic address space
// skip: text OpenCL C 1.2 has no generic address space
// expect: 1: 197 0 94 0 209 9 112 0
kernel void k(global int *in, global int *out) {
  local int l[16];
  int i = get_global_id(0), x = in[i], v;
  v = x * 3;
  int *gp = in + i, *gv = &v, *gl = l;
  int *b = x < 0 ? gp : gv;
  int *c = (x & 1) ? b : gl;
  private int *p = to_private(c);
  out[2 * i] = get_fence(c) * 100 + *gv;
  out[2 * i + 1] = p ? *p : 0;
}
