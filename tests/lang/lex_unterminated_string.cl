kernel void k(global int *p) {
  printf("hello\n);
  p[0] = 'a;
  printf("%d\n", p[0]
  p[1] = 'b
}
// expect: 2:10: error: missing terminating '"' character
// expect: 3:10: error: missing terminating ''' character
// expect: 4:22: error: expected ')'
// expect: 4:9: note: to match this '('
// expect: 5:10: error: missing terminating ''' character
