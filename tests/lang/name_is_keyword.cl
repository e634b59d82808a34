kernel void k(global int *p) {
  int local = 1, x = 2;
  p[0] = 1;
  for (int global = 0; p[0];)
    ;
}
// expect: 2:7: error: invalid name: 'local' is a keyword
// expect: 4:12: error: invalid name: 'global' is a keyword
