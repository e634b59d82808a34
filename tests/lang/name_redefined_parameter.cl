kernel void k(global int *a, int a) {}
// expect: 1:34: error: redefinition of parameter 'a'
// expect: 1:27: note: previous declaration is here
