// What is the same in all lanes is so after a shuffle by an index that varies: a branch on it is no divergent one.
// run: -g 20 -p 0:u32 fill:u32:20:7 u32=8
// skip: opencl PoCL has no partial groups
// expect: 0: 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5
// run: -g 20 -p 0:u32 fill:u32:20:7 u32=1
// skip: opencl PoCL has no partial groups
// expect: 0: 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7
kernel void shuffle_of_uniform(global uint *out, uint n) {
  uint i = get_global_id(0), v = sub_group_shuffle(n, get_sub_group_local_id() ^ (out[i] - 7)), r = 4;
  if (v & 8)
    r = v >> 3;
  switch (r % 4) {
  default:
    out[i] = 5;
  case 0:;
  }
}
