// Tiles by asynchronous copies into two buffers in turn, with an array of events; then strided copies both ways.
// run: -g 10 -l 5 -p 1:i32 iota:i32:60 zero:i32:60
// expect: 1: 1 0 0 1 11 10 6 7 21 20 12 13 4 3 18 19 14 13 24 25 24 23 0 0 13 12 23 22 33 32 31 30 2 3 41 40 8 9 51 50 14 15 34 33 20 21 44 43 26 27 54 53 0 0 43 42 53 52 63 62
kernel void tiles(global const int2 *in, global int2 *out) {
  local int2 tile[2][5], turned[15];
  size_t first = get_group_id(0) * 15, l = get_local_id(0);
  event_t done[2];
  done[0] = async_work_group_copy(tile[0], in + first, 5, 0);
  for (int t = 0; t < 3; t++) {
    if (t < 2)
      done[(t + 1) & 1] = async_work_group_copy(tile[(t + 1) & 1], in + first + (t + 1) * 5, 5, 0);
    wait_group_events(1, &done[t & 1]);
    turned[l * 3 + t] = tile[t & 1][l].yx + (int)l;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  done[0] = async_work_group_copy(out + first + 12, turned + 12, 3, 0);
  done[1] = async_work_group_strided_copy(out + first, turned, 6, 2, 0);
  wait_group_events(2, done);
  done[0] = done[1] = async_work_group_strided_copy(turned, in + get_group_id(0), 5, 3, 0);
  wait_group_events(1, done);
  out[first + 1 + l * 2] = turned[l];
}
