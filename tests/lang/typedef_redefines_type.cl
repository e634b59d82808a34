typedef unsigned long ulong;
typedef uint cl_mem_fence_flags;
typedef int ulong;
typedef float float4;
typedef struct { float x, y; } float2;
typedef long size_t;
int uint(int a) { return a; }
void f(int float8) {
  typedef short int2;
  int2 short4 = 4;
}
kernel void k(global int *o) {
  o[0] = sizeof(ulong);
}
// expect: 3:13: error: typedef redefinition with different types ('int' vs 'ulong')
// expect: 1:23: note: previous definition is here
// expect: 4:15: error: typedef redefinition with different types ('float' vs 'float4')
// expect: 5:32: error: typedef redefinition with different types ('struct (unnamed)' vs 'float2')
// expect: 6:14: error: typedef redefinition with different types ('long' vs 'ulong')
// expect: 7:5: error: redefinition of 'uint' as different kind of symbol
