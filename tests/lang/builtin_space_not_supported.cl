// options: std=300
kernel void k(global int *a) {
  to_global(a);
  get_fence(a);
}
// expect: 3:3: error: 'to_global' needs the generic address space, which the target has not
// expect: 4:3: error: 'get_fence' needs the generic address space, which the target has not
