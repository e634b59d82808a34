struct s { int x; };
struct s { int y; };
kernel void k(void) {}
// expect: 2:8: error: redefinition of 's'
// expect: 1:8: note: previous definition is here
