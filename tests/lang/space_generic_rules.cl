// options: std=200 generic-space
constant int table[2] = {1, 2};
int read(int *p) { return *p; }
kernel void k(global int *g, local int *l, constant int *c, generic int *bad) {
  int x = 1;
  int *p = g;
  p = l;
  p = &x;
  p = c;
  p = (int *)c;
  global int *back = p;
  back = (global int *)p;
  constant int *cp = (constant int *)p;
  g[0] = read(table) + read(g) + read(&x);
  global int **gg = (global int **)0;
  int **pp = gg;
  if (p == g || p == l || c == g)
    g[1] = back - g;
}
// expect: 4:74: error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
// expect: 9:7: error: assigning to '__generic int *' from type '__constant int *' changes address space of pointer
// expect: 10:7: error: casting '__constant int *' to type '__generic int *' changes address space of pointer
// expect: 11:22: error: initializing '__global int *' with an expression of type '__generic int *' changes address space of pointer
// expect: 13:22: error: casting '__generic int *' to type '__constant int *' changes address space of pointer
// expect: 14:15: error: passing '__constant int *' to parameter of type '__generic int *' changes address space of pointer
// expect: 3:15: note: passing argument to parameter 'p' here
// expect: 16:14: error: initializing '__generic int **' with an expression of type '__global int **' changes address space of pointer
// expect: 17:29: error: comparison between ('__constant int *' and '__global int *') which are pointers to non-overlapping address spaces
