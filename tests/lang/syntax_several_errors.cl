kernel void k(global int *a) {
  a[0] = ;
  int x = y;
  a[1] = x +* ;
  foo(;
  a[2] = 1
}
// expect: 2:10: error: expected expression
// expect: 3:11: error: use of undeclared identifier 'y'
// expect: 4:15: error: expected expression
// expect: 5:3: error: implicit declaration of function 'foo' is invalid in OpenCL
// expect: 5:7: error: expected expression
// expect: 6:11: error: expected ';' after expression
