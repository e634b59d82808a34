int get_enqueued_local_size(int x) { return x; }
kernel void k(global int *o) {
  *o = get_enqueued_local_size(3) + get_max_sub_group_size() + get_enqueued_num_sub_groups();
}
// expect: none
