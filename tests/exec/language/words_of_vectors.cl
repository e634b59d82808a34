// Vectors whose components are put together from those of vectors of shorter words, in functions that are called.
// run: -k words -g 2 -p 1:u32 list:u32:1,2,3,4,5,6,7,8,0xfffffff1,0xfffffff2,0xfffffff3,0xfffffff4,9,10,11,12 zero:u32:16
// expect: 1: 5 1 6 2 7 3 8 4 9 4294967281 10 4294967282 11 4294967283 12 4294967284
// run: -k some -g 1 -p 1:u32 list:u32:1,2,3,4,5,6,7,8 zero:u32:8
// expect: 1: 5 1 6 2 7 4 8 3
// run: -k bytes -g 1 -p 1:u32 list:u32:0x04030201,0x0c0b0a09 zero:u32:4
// expect: 1: 151587073 168430082 185273091 202116108
typedef union {
  ulong all;
  struct {
    uint low, high;
  } half2;
} word;

ulong join(uint low, uint high) {
  word w;
  w.half2.low = low;
  w.half2.high = high;
  return w.all;
}

__attribute__((noinline)) ulong4 join4(const uint4 *low, const uint4 *high) {
  ulong4 r;
  r.s0 = join(low->s0, high->s0);
  r.s1 = join(low->s1, high->s1);
  r.s2 = join(low->s2, high->s2);
  r.s3 = join(low->s3, high->s3);
  return r;
}

// The last two exchanged, and one that is no word of two halves.
__attribute__((noinline)) ulong4 some4(const uint4 *low, const uint4 *high) {
  ulong4 r;
  r.s0 = join(low->s0, high->s0);
  r.s1 = join(low->s1, high->s1);
  r.s2 = (ulong)high->s3 << 32 | low->s2;
  r.s3 = join(low->s3, high->s2);
  return r;
}

__attribute__((noinline)) uint4 bytes4(const uchar4 *a, const uchar4 *b) {
  uint4 r;
  r.x = as_uint((uchar4)(a->x, b->x, a->s0 + 8, 9));
  r.y = as_uint((uchar4)(a->y, b->y, a->s1 + 8, 10));
  r.z = as_uint((uchar4)(a->z, b->z, a->s2 + 8, 11));
  r.w = as_uint((uchar4)(b->w, b->w, a->s3 + 8, 12));
  return r;
}

kernel void words(global const uint4 *in, global ulong4 *out) {
  size_t i = get_global_id(0);
  uint4 high = in[2 * i], low = in[2 * i + 1];
  out[i] = join4(&low, &high);
}

kernel void some(global const uint4 *in, global ulong4 *out) {
  uint4 high = in[0], low = in[1];
  out[0] = some4(&low, &high);
}

kernel void bytes(global const uchar4 *in, global uint4 *out) {
  uchar4 a = in[0], b = in[1];
  out[0] = bytes4(&a, &b);
}
