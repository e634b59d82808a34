struct s {
  int x;
}
kernel void k(void) {}
// expect: 3:2: error: expected ';' after struct
