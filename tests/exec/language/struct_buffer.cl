// Buffers of structs with padding.
// run: -g 3 -p 0:i32 list:i32:1,10,100,2,20,200,3,30,300 list:i32:1,10,100,2,20,200,3,30,300
// expect: 0: 13 10 30 14 20 50 15 30 40
typedef struct { int id; short a; char b; int c; } item;
typedef struct { int a, b, c; } plain;
kernel void k(global plain *p, global const plain *q) {
  size_t i = get_global_id(0);
  plain t = p[i];
  t.a += (int)sizeof(item);
  p[i] = t;
  p[i].c = q[(i + 1) % 3].b + t.b;
}
