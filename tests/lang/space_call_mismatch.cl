float f(local float *p) { return *p; }
kernel void k(global float *a) {
  a[0] = f(a);
}
// expect: 3:12: error: passing '__global float *' to parameter of type '__local float *' changes address space of pointer
// expect: 1:22: note: passing argument to parameter 'p' here
