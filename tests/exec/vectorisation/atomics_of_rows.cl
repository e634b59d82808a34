// Each work-item adds to the neighbours in a row of its own: a load and an atomic operation that go lane by lane, in a
// divergent loop. One work-item at a time is faster.
// run: -g 8 -p 0:i32 zero:i32:8 list:i32:0,1,3,6,6,7,10,12,14 list:i32:1,0,2,3,4,5,6,7,0,2,4,6,1,3
// stats: cpu:x86-64-v4 lanes 1
// stats: cpu:x86-64-v3 lanes 1
// expect: 0: 8 9 8 11 10 3 12 6
kernel void spread(global int *o, global const int *start, global const int *to) {
  int i = get_global_id(0);
  for (int k = start[i]; k < start[i + 1]; k++)
    atomic_add(&o[to[k]], i + 1);
}
