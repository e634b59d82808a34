kernel void k(void) {
  printf("hello\n);
}
// expect: 2:10: error: missing terminating '"' character
// expect: 2:20: error: expected ')'
// expect: 2:9: note: to match this '('
