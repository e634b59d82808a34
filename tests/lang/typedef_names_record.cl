typedef struct {
  int a;
} T, *P;
typedef T U;
typedef enum { ONE } E;
kernel void k(global T *p, U u, E e) {
  local T *q = p;
  global struct {
    int a;
  } *r = p;
  p[0] = e;
  float4 v = u;
}
// expect: 7:16: error: initializing '__local T *' with an expression of type '__global T *' changes address space of pointer
// expect: 10:10: warning: incompatible pointer types initializing '__global struct (unnamed) *' with an expression of type '__global T *' [-Wincompatible-pointer-types]
// expect: 11:10: error: assigning to 'T' from incompatible type 'E'
// expect: 12:14: error: initializing 'float4' with an expression of incompatible type 'T'
