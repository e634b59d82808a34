kernel void k(global int *a) {
  a[0] = 10xyz;
}
// expect: 2:12: error: invalid suffix 'xyz' on integer constant
