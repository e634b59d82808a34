kernel void k(global float *a) {
  a[0] = 1e50f;
}
// expect: 2:10: warning: magnitude of floating-point constant too large for type 'float'; maximum is 3.40282347E+38 [-Wliteral-range]
