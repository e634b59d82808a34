float helper(float x);
kernel void k(global float *a) {
  a[0] = helper(a[1]);
}
// expect: 3:10: error: undefined function 'helper' is called
// expect: 1:7: note: 'helper' declared here
