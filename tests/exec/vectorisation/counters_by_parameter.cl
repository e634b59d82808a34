// Counters that begin at ids times a parameter, and go on by a multiple of it, leave a loop almost together: lanes. Not
// where they go on by a constant, through elements of the work-item's own.
// run: -g 64 -l 32 -k sums -p 2:i32 iota:i32:200 fill:i32:200:7 zero:i32:2 i64=0 i64=1 i64=150 u32=4
// stats: cpu:x86-64-v3 lanes 8, gathered 2, contiguous 4, uniform 2
// expect: 2: 8128 3059
// run: -g 64 -l 32 -k sums -p 2:i32 iota:i32:200 fill:i32:200:7 zero:i32:2 i64=3 i64=2 i64=190 u32=4
// expect: 2: 8930 0
// run: -g 64 -l 32 -k slices -p 1:i32 iota:i32:200 zero:i32:64 iota:i32:200 i64=3 i64=150
// stats: cpu:x86-64-v3 lanes 1
// expect: 1: 11100 11248 11088 11218 11040 11152 10956 11050 10836 10912 10680 10738 10488 10528 10260 10282 9996 10000 9696 9682 9360 9328 8988 8938 8580 8512 8136 8050 7656 7552 7140 7018 6588 6448 6000 5842 5376 5200 4716 4522 4020 3808 3288 3058 2520 2272 1716 1450 876 592 0 0 0 0 0 0 0 0 0 0 0 0 0 0
kernel void sums(global const int *x, global const int *y, global int *z, long start, long step, long stop,
                 uint rounds) {
  local int part[32];
  uint l = get_local_id(0);
  long i = start + (get_group_id(0) * 32 * rounds + l) * step;
  int sum = 0;
  for (uint round = 0; round < rounds; round++, i += 32 * step) {
    if (i >= stop)
      break;
    sum += x[i] ^ y[i];
  }
  part[l] = sum;
  for (uint d = 16; d; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d)
      part[l] += part[l + d];
  }
  if (l == 0)
    z[get_group_id(0)] = part[0];
}
kernel void slices(global const int *x, global int *y, global const int *z, long step, long stop) {
  long i = get_global_id(0) * step;
  int sum = 0;
  for (; i < stop; i += 2)
    sum += x[i] + z[x[i]];
  y[get_global_id(0)] = sum;
}
