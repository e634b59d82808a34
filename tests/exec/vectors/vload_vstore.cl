// Vector loads and stores at element granularity.
// run: -g 3 -p 1:i16 iota:i16:16 zero:i16:16
// expect: 1: 0 0 0 3 4 7 8 11 12 3 4 5 -1 0 0 0
kernel void k(global const short *a, global short *o) {
  size_t i = get_global_id(0);
  vstore2(vload4(i, a + 1).hi, i, o + 3);
  if (i == 0)
    vstore4((short4)(vload3(1, a), -1), 2, o + 1);
}
