int f(int x);
float f(int x) { return x; }
kernel void k(global int *a) { a[0] = f(1); }
// expect: 2:7: error: conflicting types for 'f'
// expect: 1:5: note: previous declaration is here
// expect: 3:39: error: undefined function 'f' is called
// expect: 1:5: note: 'f' declared here
