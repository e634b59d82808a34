kernel void k(global int *a) {
  a[0] = 1;
}
}
// expect: 4:1: error: extraneous closing brace ('}')
