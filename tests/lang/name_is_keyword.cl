kernel void k(global int *p) {
  int local = 1, x = 2;
  p[0] = 1;
  for (int global = 0; p[0];)
    ;
}
// expect: 2:13: error: expected identifier or '('
// expect: 4:19: error: expected identifier or '('
