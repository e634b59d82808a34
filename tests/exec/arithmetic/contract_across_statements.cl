// What is rounded in a variable may be fused with the sum in another statement, or with what a function returned, where
// a build option permits it; not where FP_CONTRACT is OFF.
// run: -g 1 -k k -p 1:u32 -D FREE=1 --options -cl-mad-enable list:f32:1.000244140625,1.000244140625,-1.00048828125 zero:u32:6
// expect: 1: 1 1 1 1 1 1
// run: -g 1 -k k -p 1:u32 -D FREE=1 --options -cl-unsafe-math-optimizations list:f32:1.000244140625,1.000244140625,-1.00048828125 zero:u32:6
// expect: 1: 1 1 1 1 1 1
// run: -g 1 -k k -p 1:u32 -D FREE=1 --options -cl-fast-relaxed-math list:f32:1.000244140625,1.000244140625,-1.00048828125 zero:u32:6
// expect: 1: 1 1 1 1 1 1
// run: -g 1 -k k -p 1:u32 -D FREE=0 --options -cl-no-signed-zeros list:f32:1.000244140625,1.000244140625,-1.00048828125 zero:u32:6
// expect: 1: 1 1 1 1 1 1
#ifdef FP_FAST_FMAF
#define FAST 1
#else
#define FAST 0
#endif

#define ACROSS(k, v) o[k] = ((v) != 0) == (FAST && FREE)

float product(float x, float y) { return x * y; }

kernel void k(global const float *p, global uint *o) {
  float a = p[0], b = p[1], c = p[2], t = a * b;
  ACROSS(0, t + c);
  ACROSS(1, c + product(a, b));
  float4 v = (float4)(a, b, c, a), w = v * v;
  w += c;
  ACROSS(2, w.y);
  o[3] = (a * b + c != 0) == FAST;
#pragma OPENCL FP_CONTRACT OFF
  float u = a * b;
  o[4] = u + c == 0;
  o[5] = a * b + c == 0;
}
