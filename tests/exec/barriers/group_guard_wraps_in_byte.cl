// A condition on a sum of 8 bits, which wraps inside of a group, does not hold at its corners alone.
// run: -g 64 -l 16 -p 0:u32 zero:u32:64
// expect: 0: 1000 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 1000 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
kernel void k(global uint *o) {
  uint at = get_global_id(0), value = 1000;
  if (1 < (uchar)(8 * (uchar)at))
    value = o[at] + at;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[at] = value;
}
