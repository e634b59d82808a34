#warning this kernel is slow
kernel void k(void) {}
// expect: 1:2: warning: this kernel is slow [-W#warnings]
