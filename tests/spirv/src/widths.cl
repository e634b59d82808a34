// run: -g 6 -k widths -p 3:i64 -p 2:u8 list:i32:5,0,-77,123456789,-2147483648,9 list:i32:3,1000,-1,7,2047,-4096 iota:u8:18 zero:i64:24
// Integers of odd widths: sums that clang -O2 computes with 33 bits, records of three bytes that it copies as 24 bits,
// and _BitInt of clang beside shifts.
#if defined(__clang__) && __clang_major__ < 22 // whose own writer of SPIR-V does not cut them
#define SIGNED(bits, v) ((long)(_BitInt(bits))(v))
#define UNSIGNED(bits, v) ((ulong)(unsigned _BitInt(bits))(v))
#else
#define SIGNED(bits, v) ((long)((ulong)(v) << (64 - (bits))) >> (64 - (bits)))
#define UNSIGNED(bits, v) ((ulong)(v) << (64 - (bits)) >> (64 - (bits)))
#endif

typedef struct {
  uchar r, g, b;
} rgb;

static void swap_pixels(global rgb *p, global rgb *q) {
  rgb last = *q;
  *q = *p;
  *p = last;
}

static long mixed(int x, int y) {
  long v = SIGNED(24, x), w = UNSIGNED(11, y);
  long product = SIGNED(47, v * w);
  if (SIGNED(5, x) < SIGNED(5, y))
    product = SIGNED(47, product - SIGNED(24, v >> 3));
  switch (UNSIGNED(3, y)) {
  case 1:
    return product / (long)(w | 1);
  case 3:
    return SIGNED(9, product);
  case 7:
    return SIGNED(47, product * product);
  default:
    return SIGNED(33, -product);
  }
}

kernel void widths(global const int *x, global const int *y, global rgb *pixels, global long *out) {
  int i = get_global_id(0), n = x[i] & 1023, sum = 0, squares = 0;
  for (int k = 0; k < n; k++)
    sum += k;
  for (int k = 0; k < n; k++)
    squares += k * k;
  out[4 * i] = sum;
  out[4 * i + 1] = squares;
  out[4 * i + 2] = mixed(x[i], y[i]);
  out[4 * i + 3] = (long)UNSIGNED(17, x[i] * 3) ^ SIGNED(41, (long)y[i] << 30);
  if (i < 3)
    swap_pixels(&pixels[i], &pixels[5 - i]);
}
