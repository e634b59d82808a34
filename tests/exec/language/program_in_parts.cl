// Large enough to be compiled in several parts: kernels that share constants, a table of their addresses, a variable that
// is written, and functions that stay functions.
// run: -k all -g 4 --options -cl-std=CL2.0 -p 0:i32 -p 1:f32 zero:i32:16 zero:f32:8
// skip: opencl PoCL 3.1 has no program-scope variables
// skip: text OpenCL C 1.2 has no program-scope variables
// tolerance: 1e-6
// expect: 0: 30 51 74 119 3 2 2 2 0 0 0 0 1 1 1 1
// expect: 1: 1.1931472 1.1931472 1.1931472 1.1931472 0 0 0.6931472 1.7917595
// run: -k counts -g 4 --options -cl-std=CL2.0 -p 0:i32 zero:i32:4
// skip: opencl PoCL 3.1 has no program-scope variables
// skip: text OpenCL C 1.2 has no program-scope variables
// expect: 0: 2 3 5 7
// run: -k mixes -g 4 --options -cl-std=CL2.0 -p 0:u32 zero:u32:4
// skip: opencl PoCL 3.1 has no program-scope variables
// skip: text OpenCL C 1.2 has no program-scope variables
// expect: 0: 2317307973 733878449 4236954738 3933592610
// run: -k sums -g 4 -l 4 --options -cl-std=CL2.0 -p 0:i32 zero:i32:4
// skip: opencl PoCL 3.1 has no program-scope variables
// skip: text OpenCL C 1.2 has no program-scope variables
// expect: 0: 114 114 114 114
constant int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
constant int squares[4] = {0, 1, 4, 9};
constant int *constant tables[2] = {primes + 1, squares};
int counter = 100;
#define REPEAT_4(m) m m m m
#define REPEAT_40(m) REPEAT_4(m m m m m m m m m m)
#define MIX x = (x ^ (x << 3)) * 5 + (x >> 7) + y; y = y * 3 + 1;

__attribute__((noinline)) uint mix(uint x, uint y) {
  REPEAT_40(MIX)
  return x;
}
__attribute__((noinline)) uint mix_other(uint x, uint y) {
  REPEAT_40(MIX)
  return x ^ mix(y, x);
}
__attribute__((noinline)) int from_table(int which, int i) { return tables[which][i]; }
__attribute__((noinline)) bool is_first(constant int *p) { return p == primes; }
__attribute__((noinline)) int count(int by) { return atomic_fetch_add((volatile global atomic_int *)&counter, by); }

kernel void all(global int *o, global float *f) {
  int i = get_global_id(0);
  o[i] = from_table(0, i) * 10 + from_table(1, i);
  o[4 + i] = is_first(primes) * 2 + is_first(primes + i);
  o[8 + i] = mix(i, 7) == mix_other(i, 7);
  uint x = i, y = 7;
  REPEAT_40(MIX)
  o[12 + i] = x == mix(i, 7);
  f[i] = fmod(i + 0.5f, 1.0f) + lgamma(3.0f);
  f[4 + i] = lgamma((float)i + 1);
}
kernel void counts(global int *o) { o[get_global_id(0)] = count(1) >= 100 ? primes[get_global_id(0)] : 0; }
kernel void mixes(global uint *o) {
  uint x = get_global_id(0), y = 3;
  REPEAT_40(MIX)
  o[get_global_id(0)] = mix_other(x, y) + mix(y, x);
}
kernel void sums(global int *o) {
  local int part[4];
  int i = get_local_id(0);
  part[i] = squares[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  o[get_global_id(0)] = part[0] + part[1] + part[2] + part[3] + counter;
}
