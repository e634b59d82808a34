kernel void k(global int *a) {
  a[0] = ctz(a[1]);
  atomic_fetch_add(a, 1);
  work_group_barrier(1u);
  atomic_int x;
  a[2] = memory_order_relaxed;
}
// expect: 2:10: error: function 'ctz' is of OpenCL C 2.0 and later: -cl-std=CL2.0
// expect: 3:3: error: function 'atomic_fetch_add' is of OpenCL C 2.0 and later: -cl-std=CL2.0
// expect: 4:3: error: function 'work_group_barrier' is of OpenCL C 2.0 and later: -cl-std=CL2.0
// expect: 5:3: error: unknown type name 'atomic_int'
// expect: 6:10: error: use of undeclared identifier 'memory_order_relaxed'
