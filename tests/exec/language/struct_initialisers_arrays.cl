// Initialisers of arrays of structs, with vectors, nested designators and ones that repeat; in constant memory too.
// run: -g 1 -p 0:i32 zero:i32:20
// expect: 0: 1 2 0 7 8 9 0 5 6 4 12 0 30 40 3 9 0 2 77 6
typedef struct { int2 v; struct { int a[2]; char c; } in; } item;
constant item table[3] = {[1] = {.in = {.a = {[1] = 12}}}, {{30, 40}, {{1, 2}, 3}}};
constant int counts[] = {[3] = 9, [1] = 2};
enum { FIRST, SECOND, COUNT };
kernel void k(global int *o) {
  item a[COUNT + 1] = {{{1, 2}}, {.in.a = {7, 8}, .in.c = 9}, [SECOND].v = (int2)(0, 5), [COUNT] = {.v = {6, 4}}};
  o[0] = a[0].v.x, o[1] = a[0].v.y, o[2] = a[0].in.c;
  o[3] = a[1].in.a[0], o[4] = a[1].in.a[1], o[5] = a[1].in.c, o[6] = a[1].v.x, o[7] = a[1].v.y;
  o[8] = a[2].v.x, o[9] = a[2].v.y;
  o[10] = table[1].in.a[1], o[11] = table[0].v.x, o[12] = table[2].v.x, o[13] = table[2].v.y, o[14] = table[2].in.c;
  o[15] = counts[3], o[16] = counts[0], o[17] = counts[1];
  int twice[2] = {[0] = 5, [0] = 77};
  o[18] = twice[0];
  item copies[2] = {a[2], a[2]};
  o[19] = copies[1].v.x;
}
