#line 100 "generated.cl"
kernel void k(global int *a) {
  a[0] = b;
}
// expect: generated.cl:101:10: error: use of undeclared identifier 'b'
