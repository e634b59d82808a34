typedef float real;
kernel void k(global float *a) {
  a[0] = real;
}
// expect: 3:10: error: unexpected type name 'real': expected expression
