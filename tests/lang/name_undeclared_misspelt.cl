kernel void k(global float *out, global const int *in, int n) {
  float scale = 2.0f;
  out[0] = scael;
}
// expect: 3:12: error: use of undeclared identifier 'scael'; did you mean 'scale'?
//   |   out[0] = scael;
//   |            ^~~~~
// expect: 2:9: note: 'scale' declared here
//   |   float scale = 2.0f;
//   |         ^
