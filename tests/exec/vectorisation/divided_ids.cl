// Quotients and remainders of ids by a value that all work-items share. Between multiples of the divisor the quotient is
// the same in all lanes, and the remainder is linear: such warps access memory contiguously.
// run: -k divided -g 203 -p 0:u32 zero:u32:203 iota:u32:640 u32=1 i32=5
// stats: cpu:x86-64-v3 plan: lanes 32, contiguous 3
// formula: -k divided_formula -D FORMULA
// run: -k divided -g 203 -p 0:u32 zero:u32:203 iota:u32:640 u32=7 i32=-5
// formula: -k divided_formula -D FORMULA
// run: -k divided -g 203 -l 29 -p 0:u32 zero:u32:203 iota:u32:640 u32=16 i32=60
// formula: -k divided_formula -D FORMULA
// run: -k divided -g 203 -p 0:u32 zero:u32:203 iota:u32:640 u32=50 i32=-60
// formula: -k divided_formula -D FORMULA
// run: -k divided -g 203 -l 29 -p 0:u32 zero:u32:203 iota:u32:640 u32=64 i32=1073741824
// formula: -k divided_formula -D FORMULA
// run: -k divided -g 203 -p 0:u32 zero:u32:203 iota:u32:640 u32=100 i32=1
// formula: -k divided_formula -D FORMULA
// run: -k divided -g 203 -p 0:u32 zero:u32:203 iota:u32:640 u32=4000000000 i32=-1
// formula: -k divided_formula -D FORMULA
kernel void divided(global uint *out, global const uint *in, uint d, int s) {
  uint i = get_global_id(0), q = i / d, r = i % d;
  int k = (int)i - 3, b = k / s, c = k % s;
  bool last = r == d - 1;
  out[i] = in[r + q * 2] * 31 + in[300 + b + c] * 7 + (last ? 1000003 : r < 5 ? 77 : 0) + q * 3 + c;
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
kernel void divided_formula(global uint *out, global const uint *in, uint d, int s) {
  ALONE
  for (uint i = FIRST, q = 0, r = 0; i < END; i++, r++) {
    if (r == d) {
      q++;
      r = 0;
    }
    long k = (long)i - 3, b = 0, c = k;
    for (; abs(c) >= abs(s); c -= (c < 0) == (s < 0) ? s : -(long)s)
      b += (c < 0) == (s < 0) ? 1 : -1;
    uint extra = r + 1 == d ? 1000003 : r < 5 ? 77 : 0;
    out[i] = in[r + 2 * q] * 31 + in[300 + b + c] * 7 + extra + q * 3 + (uint)c;
  }
}
#endif
