// 3-component vectors take the place and alignment of four in structs and arrays: sizes, offsets, elements in memory.
// run: -g 2 -l 2 -p 0:i32 -p 1:i32 zero:i32:17 list:i32:1,2,3,99,4,5,6,99,7,8,9,99,10,11,12,99 list:u8:1,2,3,99,4,5,6,99,7,0,0,0,8,9,10,99,11,12,13,99,14,0,0,0
// expect: 0: 4 8 16 32 32 4 8 16 32 4 8 16 16 32 48 96 16
// expect: 1: 5 7 9 4 17 19 21 10 6 5 7 1 13 12 14 8
kernel void k(global int *o, global int *t, global uchar *u) {
  typedef struct { char a; char3 b; short3 c; } small;
  typedef struct { char tag; float3 v; int last; } mixed;
  typedef struct { int3 pair[2]; } two;
  typedef struct { uchar3 a, b; uchar tag; } bytes;
  size_t i = get_global_id(0);
  if (i == 0) {
    small s;
    mixed m;
    double3 d[3];
    struct { char c; char3 v; } c1;
    struct { char c; ushort3 v; } c2;
    struct { char c; uint3 v; } c4;
    struct { char c; ulong3 v; } c8;
    o[0] = sizeof(char3), o[1] = sizeof(short3), o[2] = sizeof(int3), o[3] = sizeof(long3), o[4] = sizeof(double3);
#define AT(base, member) (int)((char *)&base.member - (char *)&base)
    o[5] = AT(c1, v), o[6] = AT(c2, v), o[7] = AT(c4, v), o[8] = AT(c8, v);
    o[9] = AT(s, b), o[10] = AT(s, c), o[11] = sizeof(small);
    o[12] = AT(m, v), o[13] = AT(m, last), o[14] = sizeof(mixed);
    o[15] = sizeof d, o[16] = (int)((char *)&((two *)&d)->pair[1] - (char *)d);
  }
  two w = ((global two *)t)[i];
  bytes b = ((global bytes *)u)[i];
  int3 sum = w.pair[0] + w.pair[1];
  uchar3 mixed_up = b.b.zxy;
  barrier(CLK_GLOBAL_MEM_FENCE);
  t += 4 * i;
  t[0] = sum.x, t[1] = sum.y, t[2] = sum.z, t[3] = w.pair[1].x;
  t += 8;
  t[0] = mixed_up.x, t[1] = mixed_up.z, t[2] = b.tag, t[3] = b.a.x;
}
