// Lanes that add to one element by compare-and-exchange try it in turn: one work-item at a time.
// run: -g 40 -p 1:f32 list:u32:0,0,0,0,1,1,1,1,1,2,2,2,2,2,2,3,3,3,3,0,0,0,0,1,1,1,1,1,2,2,2,2,2,2,3,3,3,3,4,5 zero:f32:6 iota:f32:40
// stats: cpu:x86-64-v3 lanes 1
// expect: 1: 88 155 252 208 38 39
kernel void histogram(global const uint *bins, volatile global float *sums, global const float *weights) {
  int i = get_global_id(0);
  volatile global float *sum = &sums[bins[i]];
  union {
    uint u;
    float f;
  } old, now, new;
  now.f = *sum;
  do {
    old = now;
    new.f = old.f + weights[i];
    now.u = atomic_cmpxchg((volatile global uint *)sum, old.u, new.u);
  } while (now.u != old.u);
}
