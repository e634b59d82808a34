// A compare-and-exchange loop adds floats.
// run: -g 16 -p 0:f32 list:f32:0.5
// expect: 0: 120.5
kernel void k(volatile global float *sum) {
  union { uint u; float f; } old, new;
  do {
    old.f = *sum;
    new.f = old.f + (float)get_global_id(0);
  } while (atomic_cmpxchg((volatile global uint *)sum, old.u, new.u) != old.u);
}
