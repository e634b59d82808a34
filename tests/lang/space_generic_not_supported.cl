// options: std=300
int read(int *p) { return *p; }
kernel void k(global int *g) {
  int x = 1;
  g[0] = read(g) + read(&x);
}
// expect: 5:15: error: passing '__global int *' to parameter of type 'int *' changes address space of pointer
// expect: 5:15: note: the target has no generic address space: a pointer without address space is one to private memory
// expect: 2:15: note: passing argument to parameter 'p' here
