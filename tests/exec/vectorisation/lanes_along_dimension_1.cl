// Neighbours in dimension 1 are neighbours in memory: lanes lie along that dimension, but sizes, ids and offsets stay
// those of the launch, and each work-item runs once. Launches with few work-items there run along dimension 0.
// run: -g 40,33 -p 2:u32 iota:u32:1400 zero:u32:1400 list:u32:0,0,0,0,4294967295,0,0
// stats: cpu:x86-64-v3 32 lanes along dimension 1
// stats: cpu:x86-64-v3 lanes 32, contiguous 4
// expect: 2: 1320 870540 2612940 39032 0 40033 2
// run: -g 40,33 -l 8,1 -p 2:u32 iota:u32:1400 zero:u32:1400 list:u32:0,0,0,0,4294967295,0,0
// expect: 2: 1320 870540 2612940 39032 0 40033 2
// run: -g 17,70 --offset 7,5 -p 2:u32 iota:u32:1400 zero:u32:1400 list:u32:0,0,0,0,4294967295,0,0
// expect: 2: 1190 707455 2123555 23074 7005 17070 7007
// run: -g 300,3 -p 2:u32 iota:u32:1400 zero:u32:1400 list:u32:0,0,0,0,4294967295,0,0
// expect: 2: 900 404550 1214550 299002 0 300003 2
// run: -g 300 --offset 4 -p 2:u32 iota:u32:1400 zero:u32:1400 list:u32:0,0,0,0,4294967295,0,0
// expect: 2: 300 44850 134850 303000 4000 300001 4001
// run: -g 5,40,3 -p 2:u32 iota:u32:1400 zero:u32:1400 list:u32:0,0,0,0,4294967295,0,0
// expect: 2: 600 179700 539700 4039 0 5040 3
// run: -g 1,64 -p 2:u32 iota:u32:1400 zero:u32:1400 list:u32:0,0,0,0,4294967295,0,0
// expect: 2: 64 2016 6112 63 0 1064 2
kernel void k(global const uint *in, global uint *out, global uint *sums) {
  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1), z = get_global_id(2);
  size_t i = (z * get_global_size(0) + x) * get_global_size(1) + y;
  out[i] += in[i] * 3 + 1;
  atomic_add(&sums[0], 1u);
  atomic_add(&sums[1], (uint)i);
  atomic_add(&sums[2], out[i]);
  atomic_max(&sums[3], (uint)(get_global_id(0) * 1000 + get_global_id(1)));
  atomic_min(&sums[4], (uint)(get_global_id(0) * 1000 + get_global_id(1)));
  atomic_max(&sums[5], (uint)(get_global_size(0) * 1000 + get_global_size(1)));
  atomic_max(&sums[6], (uint)(get_global_offset(0) * 1000 + get_global_offset(1)) + get_work_dim());
}
