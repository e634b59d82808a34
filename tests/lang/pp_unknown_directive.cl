#inclde <a.h>
kernel void k(void) {}
// expect: 1:2: error: invalid preprocessing directive, did you mean '#include'?
