kernel void k(void) {}
/* the rest is missing
// expect: 2:1: error: unterminated /* comment
