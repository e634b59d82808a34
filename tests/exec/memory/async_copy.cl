// Asynchronous copies between global and local memory.
// run: -g 8 -l 4 -p 1:f32 iota:f32:8 zero:f32:8
// expect: 1: 0 2 4 6 8 10 12 14
kernel void k(global const float *a, global float *o) {
  local float t[4];
  event_t e = async_work_group_copy(t, a + 4 * get_group_id(0), 4, 0);
  wait_group_events(1, &e);
  t[get_local_id(0)] *= 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_copy(o + 4 * get_group_id(0), t, 4, 0);
  wait_group_events(1, &e);
}
