struct s {
  int x;
  float x;
};
kernel void k(void) {}
// expect: 3:9: error: duplicate member 'x'
// expect: 2:7: note: previous declaration is here
