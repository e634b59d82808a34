// Program-scope variables in global memory (OpenCL C 2.0): initialised or zero, static, with pointers to each other,
// in functions; what a launch leaves is there for the next one.
// run: -g 4 --repeat 3 -p 0:i32 --options -cl-std=CL2.0 zero:i32:8
// skip: opencl PoCL 3.1 has no program-scope variables
// skip: text OpenCL C 1.2 has no program-scope variables
// expect: 0: 12 15 9 305 3 66 7 30
int counter;
static global int start = 5;
global int table[4] = {1, 2, [3] = 4};
global int *last = &table[3];
constant int *global chosen = 0;
struct state {
  int runs;
  global struct state *self;
};
struct state state = {300, &state};
int next(void) {
  static int calls = 2;
  return calls++;
}
kernel void k(global int *out) {
  atomic_max(&out[0], atomic_inc(&counter) + 1);
  if (get_global_id(0) != 3)
    return;
  start += 2;
  table[2]++;
  *last += 1;
  state.self->runs++;
  out[1] = start + 4;
  out[2] = table[2] * 3;
  out[3] = state.runs + 2;
  out[4] = (int)(chosen == 0) + 2;
  out[5] = 59 + *last;
  out[6] = *last;
  out[7] = next() + 26;
}
