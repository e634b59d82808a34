// Four consecutive elements of places that differ between work-items are loaded as one vector. Expectations by the same
// formulas in Python.
// run: -g 10 list:i32:0,37,10,47,20,57,30,3,40,13,50,23,60,33,6,43,16,53,26,63,36,9,46,19,56,29,2,39,12,49,22,59 list:i32:0,3,9,1,16,5,2,11,20,7 zero:i32:20 -p 2:i32
// stats: cpu:x86-64-v3 lanes 8, gathered 3, strided 2, contiguous 1
// expect: 2: 292 318 378 340 422 320 278 304 452 350 286 504 392 290 266 228 268 294 322 348
kernel void unrolled(global const int *x, global const int *index, global int *out) {
  int i = get_global_id(0), at = index[i], sum = 0;
  global const int *p = x + at;
  out[2 * i] = p[0] + p[1] * 2 + p[2] * 3 + p[3] * 4;
  for (int j = 0; j < 8; j += 4)
    sum += x[at + j] + 2 * x[at + j + 1] - x[at + j + 2] + 3 * x[at + j + 3];
  out[2 * i + 1] = sum;
}
