// Typedefs of arrays, pointers and structs; several declarators in one declaration.
// run: -g 2 -p 0:i32 zero:i32:2
// expect: 0: 446 446
typedef int row[3];
typedef global int *gptr;
typedef struct node { int v; } node_t, *node_p;
kernel void k(gptr o) {
  row r = {1, 2, 3}, *pr = &r;
  node_t n = {4};
  node_p p = &n;
  int a = 1, *b = &a, c[2] = {5, 6};
  *b += (*pr)[2];
  o[get_global_id(0)] = a * 100 + p->v * 10 + c[1];
}
