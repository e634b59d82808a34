// Events in arrays: waited for together, one by one, by a function, and one event for two copies.
// run: -g 8 -l 4 -p 0:i32 zero:i32:16 iota:i32:32 local:64
// expect: 0: 6 22 11 12 13 14 16 18 70 86 27 28 29 30 48 50
void wait_for(int count, event_t *list) { wait_group_events(count, list); }
kernel void k(global int *o, global const int *in, local int *l) {
  int lid = get_local_id(0), group = get_group_id(0);
  in += group * 16;
  event_t e[4], pairs[2][2];
  for (int i = 0; i < 4; i++)
    e[i] = async_work_group_copy(l + 4 * i, in + 4 * i, 4, 0);
  wait_group_events(2, e);
  wait_group_events(1, &e[2]);
  wait_for(1, e + 3);
  int sum = l[lid] + l[4 + lid];
  int total = l[0] + l[1] + l[2] + l[3], other = l[4] + l[5] + l[6] + l[7];
  barrier(CLK_LOCAL_MEM_FENCE);
  pairs[1][0] = async_work_group_copy(l, in + 8, 2, 0);
  pairs[1][1] = async_work_group_copy(l + 2, in + 10, 2, pairs[1][0]);
  wait_group_events(2, pairs[1]);
  if (lid == 0) {
    o[8 * group] = total;
    o[8 * group + 1] = other;
    o[8 * group + 6] = l[0] * 2;
    o[8 * group + 7] = l[1] * 2;
  }
  o[8 * group + 2 + lid] = l[lid] + l[12] - 9 - 16 * group + sum - sum;
}
