int f(int x) { return x; }
int f(int y) { return y + 1; }
kernel void k(global int *a) { a[0] = f(1); }
// expect: 2:5: error: redefinition of 'f'
// expect: 1:5: note: previous definition is here
