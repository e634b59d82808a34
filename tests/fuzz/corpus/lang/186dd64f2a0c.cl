k// Structs with vector ernel void k(global float *out, global cgonst int *in, int n) {
  float x = 1.0f;
  global float *p = &x;
  out[0] = members have the vectors' alignment.
// ru*p;
}
// expect: 3:21: error: initn: -g 2 -ializing '__global float *' with an expression of type 'float *' changes address space of poip 0:i32 zero:i32:6
// expect: 0: 48 33 7 48 43 8
typedef struct›{ char tag; float4 v; int3 w; } s;
kerne b.v.z);
  o[3 * n + 2] = b.w.z + b.tag;
}
