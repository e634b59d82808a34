kernel void k(global uint32_t *p, global float *q) {
  int64_t x = 1;
  q[0] = (uint8_t)q[1];
}
// expect: 1:22: error: unknown type name 'uint32_t'; did you mean 'uint'?
// expect: 2:3: error: unknown type name 'int64_t'; did you mean 'long'?
// expect: 3:11: error: use of undeclared identifier 'uint8_t'; did you mean 'uchar'?
