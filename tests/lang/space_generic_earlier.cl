// options: std=120 generic-space
int read(int *p) { return *p; }
kernel void k(global int *g, local int *l) {
  generic int *p = g;
  g[0] = read(g);
}
// expect: 4:3: error: OpenCL C version 1.2 does not support the 'generic' type qualifier
// expect: 5:15: error: passing '__global int *' to parameter of type 'int *' changes address space of pointer
// expect: 2:15: note: passing argument to parameter 'p' here
