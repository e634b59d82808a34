kernel void k(global int *a) {
  if (a[0])
    int x = 1;
}
// expect: 3:5: error: expected expression
