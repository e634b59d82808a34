// options: std=200 generic-space
kernel void k(global int *a, constant int *c, int n) {
  to_global(c);
  to_local(n);
  get_fence();
  global float *f = to_global(a);
  local int *l = to_global(a);
  global int *g = to_global(a);
  uint u = get_fence(a);
}
// expect: 3:3: error: 'to_global' needs a pointer that is, or becomes, generic: '__constant int *' does not
// expect: 4:3: error: 'to_local' needs a pointer that is, or becomes, generic: 'int' does not
// expect: 5:3: error: too few arguments to function call, expected 1, have 0
// expect: 6:21: warning: incompatible pointer types initializing '__global float *' with an expression of type '__global int *' [-Wincompatible-pointer-types]
// expect: 7:18: error: initializing '__local int *' with an expression of type '__global int *' changes address space of pointer
