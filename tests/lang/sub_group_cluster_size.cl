// options: std=300
kernel void k(global int *o) {
  o[0] = sub_group_clustered_reduce_add(o[1], 3);
  o[1] = sub_group_clustered_reduce_add(o[1], o[2]);
  o[2] = sub_group_clustered_reduce_add(o[1], 128);
}
// expect: 3:47: error: the size of a cluster must be a constant power of two
// expect: 4:47: error: the size of a cluster must be a constant power of two
