// sizeof of types and expressions; vec_step.
// run: -g 1 -p 0:i32 zero:i32:16
// expect: 0: 1 8 16 24 28 8 16 8 4 4 4 8 4 2 1 24
typedef struct { char a; int b; char c; double d; } s;
kernel void k(global int *o) {
  o[0] = sizeof(char); o[1] = sizeof(long); o[2] = sizeof(float3); o[3] = sizeof(s);
  int a[7];
  o[4] = sizeof a; o[5] = sizeof(a[0] + 1l); o[6] = sizeof(uchar16); o[7] = sizeof(void *);
  o[8] = vec_step(float4); o[9] = vec_step(int3); o[10] = sizeof "abc"; o[11] = sizeof(size_t);
  o[12] = sizeof((char)1 + (char)1); o[13] = sizeof(half); o[14] = sizeof(bool); o[15] = sizeof(int[3][2]);
}
