// Gathers and scatters by unsigned words of 2^31 and more, from a place as far below.
// run: -g 19 -p 1:i32 -p 2:i32 list:u32:7,3,18,0,12,5,1,16,9,2,14,11,4,17,8,6,15,10,13 zero:i32:19 zero:i32:19 iota:i32:19
// stats: cpu:x86-64-v3 lanes 8, gathered 2, contiguous 2
// expect: 1: 7 3 18 0 12 5 1 16 9 2 14 11 4 17 8 6 15 10 13
// expect: 2: 3 6 9 1 12 5 15 0 14 8 17 11 4 18 10 16 7 13 2
kernel void k(global const uint *index, global int *o, global int *s, global const int *p) {
  int i = get_global_id(0);
  global const int *far = p - 0x80000000l;
  global int *to = s - 0x80000000l;
  uint at = index[i] + 0x80000000u;
  o[i] = far[at];
  to[at] = i;
}
