// A large function that several kernels call once each is part of each, so their lanes run it together.
// run: -k first -g 5 -l 5 zero:u32:5 -p 0:u32
// stats: cpu:x86-64-v3 lanes 32, contiguous 1
// expect: 0: 2997752472 1721872954 2454905013 4218146584 3832136774
// run: -k second -g 5 -l 5 zero:u32:5 -p 0:u32
// stats: cpu:x86-64-v3 lanes 32, contiguous 2
// expect: 0: 638065203 1382458494 2691365335 1502494701 3195715546
#define FOUR(x) x x x x
#define STEP h = h * 31 + ((h >> 7) ^ m); m += h << 3;
uint digest(uint h, uint m) {
  FOUR(FOUR(FOUR(STEP STEP)))
  return h;
}
kernel void first(global uint *o) {
  o[get_global_id(0)] = digest(get_global_id(0), 1);
}
kernel void second(global uint *o) {
  o[get_global_id(0)] += digest(get_global_id(0), 2);
}
