// Unions of structs, arrays and vectors, inside structs, in arrays, anonymous; initialised, passed and returned by
// value.
// run: -g 2 -p 0:u32 zero:u32:20
// expect: 0: 16 24 67305985 1541 3 11 4 42 1077936128 1027 16 24 134678021 2569 7 11 4 42 1077936128 2055
typedef struct { uchar r, g, b, a; } rgba;
typedef union { uint all; rgba part; uchar byte[4]; uchar4 v; } pixel;
typedef union { int i[4]; float4 v; struct { short lo, hi; } s; } wide;
typedef struct { int kind; union { int i; float f; }; union { uint u; rgba c; } named; wide *next; } node;
pixel make(uchar first) { pixel p = {.part = {first, first + 1, first + 2, first + 3}}; return p; }
uint high(pixel p) { p.all >>= 16; return p.byte[0] + 256 * p.v.y; }
kernel void k(global uint *o) {
  uchar base = 1 + 4 * get_global_id(0);
  o += 10 * get_global_id(0);
  o[0] = sizeof(wide), o[1] = sizeof(node);
  pixel p = make(base);
  o[2] = p.all;
  pixel pair[2] = {{0xffffffff}, {.byte = {base + 4, base + 5}}};
  pair[0].v.xy = pair[1].v.xy;
  o[3] = pair[0].all & 0xffff;
  o[4] = p.part.b;
  node n = {.kind = 1, .i = 11};
  o[5] = n.i;
  wide w = {{1, 2, 3, 4}};
  n.next = &w;
  o[6] = n.next->i[3];
  w.s.lo = 42;
  o[7] = w.i[0];
  n.f = 3.0f;
  o[8] = n.i;
  o[9] = high(p);
}
