// Asynchronous copies between global and local memory.
// run: -g 8 -l 4 -p 1:f32 iota:f32:8 zero:f32:8
// expect: 1: 0 2 4 6 8 10 12 14
kernel void k(global const float *a, global float *o)), t, 4, 0);
  wait_group_events(1, &e);
}
