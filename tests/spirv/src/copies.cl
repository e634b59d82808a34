// run: -k copies -g 16 -l 8 -p 1:i32 iota:i32:64 zero:i32:64
// Copies by a work-group, whose events are null at first. Both generators lose constant offsets in local memory.
kernel void copies(global const int *in, global int *out) {
  local int tile[32];
  int group = get_group_id(0), lane = get_local_id(0), half_of = 2 * get_local_size(0);
  event_t done = async_work_group_copy(tile, in + 32 * group, 16, 0);
  done = async_work_group_strided_copy(tile + half_of, in + 32 * (1 - group), 16, 2, done);
  wait_group_events(1, &done);
  for (int i = lane; i < 32; i += 8)
    tile[i] += i * 100;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t back[2];
  back[0] = async_work_group_copy(out + 32 * group, (local const int *)tile, 16, 0);
  back[1] = async_work_group_copy(out + 32 * group + 16, (local const int *)tile + half_of, 16, 0);
  wait_group_events(2, back);
}
