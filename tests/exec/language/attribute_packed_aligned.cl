// packed and aligned on structs, members, typedefs and variables: sizes, offsets, and unaligned members read and
// written.
// run: -g 2 -p 0:i32 -p 1:u8 zero:i32:20 list:u8:1,2,0,0,0,3,0,0,0,0,0,0,0,4,0,5,6,0,0,0,7,0,0,0,0,0,0,0,8,0
// expect: 0: 15 1 5 13 32 16 8 4 64 64 6 1 0 0 0 0 10 26 0 0
// expect: 1: 1 3 0 0 0 6 0 0 0 0 0 0 0 8 0 5 11 0 0 0 14 0 0 0 0 0 0 0 16 0
typedef struct __attribute__((packed)) { uchar a; uint b; ulong c; ushort d; } tight;
typedef struct { char a; int b; } __attribute__((aligned(32))) apart;
typedef struct { char a; int b __attribute__((aligned(16))); } member;
typedef struct { char a; int b __attribute__((packed)); char c; } __attribute__((packed)) one;
typedef int aligned_int __attribute__((aligned(8)));
typedef struct { char a; aligned_int b; } with_typedef;
struct after { char a; short b; } __attribute__((packed));
kernel void k(global int *o, global tight *t) {
  size_t i = get_global_id(0);
  if (i == 0) {
    tight x;
    member m;
    with_typedef w;
    apart array[2];
    char before = 1;
    int big __attribute__((aligned(64))) = 2;
    int *volatile p = &big;
    o[0] = sizeof(tight);
#define AT(base, field) (int)((char *)&base.field - (char *)&base)
    o[1] = AT(x, b), o[2] = AT(x, c), o[3] = AT(x, d);
    o[4] = sizeof(apart), o[5] = AT(m, b), o[6] = AT(w, b), o[7] = sizeof(aligned_int);
    o[8] = sizeof array, o[9] = 64 + (int)((size_t)p & 63), o[10] = sizeof(one), o[11] = before;
    o[12] = (int)((size_t)array & 31);
  }
  o[16 + i] = t[i].a + t[i].b + (int)t[i].c + t[i].d;
  t[i].b += t[i].a, t[i].c *= 2, t[i].d += t[i].d;
}
