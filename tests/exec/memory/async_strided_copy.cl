// Strided asynchronous copies, of vectors.
// run: -g 4 -l 4 -p 1:i32 iota:i32:16 zero:i32:8
// expect: 1: 13 14 9 10 5 6 1 2
kernel void k(global const int2 *a, global int2 *o) {
  local int2 t[4];
  event_t e = async_work_group_strided_copy(t, a, 4, 2, 0);
  wait_group_events(1, &e);
  prefetch(a, 4);
  o[get_local_id(0)] = t[3 - get_local_id(0)] + 1;
}
