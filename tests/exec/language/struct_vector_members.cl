// Structs with vector members have the vectors' alignment.
// run: -g 2 -p 0:i32 zero:i32:6
// expect: 0: 48 33 7 48 43 8
typedef struct { char tag; float4 v; int3 w; } s;
kernel void k(global int *o) {
  int n = get_global_id(0);
  s a;
  a.v = (float4)(1, 2, 3, 4);
  a.w = (int3)(5, 6, 7);
  a.tag = n;
  a.v.yz += (float2)(n, 10);
  s b = a;
  o[3 * n] = sizeof(s);
  o[3 * n + 1] = (int)(b.v.y * 10 + b.v.z);
  o[3 * n + 2] = b.w.z + b.tag;
}
