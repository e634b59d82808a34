// Places at known distances from lane to lane, after a long chain of sums with what is uniform. Expectations by the same
// formula in Python.
// run: -g 32 -l 32 -p 1:f32 list:f32:0,37,74,10,47,84,20,57,94,30,67,3,40,77,13,50,87,23,60,97,33,70,6,43,80,16,53,90,26,63,100,36,73,9,46,83,19,56,93,29,66,2,39,76,12,49,86,22,59,96,32,69,5,42,79,15,52,89,25,62,99,35,72,8,45,82,18,55,92,28,65,1,38,75,11,48,85,21,58,95,31,68,4 zero:f32:32 list:i64:-1,1,3,0,2,-1,1,3,0,2,-1,1,3,0,2,-1,1,3,0,2
// stats: cpu:x86-64-v4 lanes 16, strided 1, contiguous 1, uniform 20
// expect: 1: 33 70 6 43 26 63 100 36 19 56 93 29 12 49 86 22 5 42 79 15 99 35 72 8 92 28 65 1 85 21 58 95
kernel void places(global const float *x, global float *y, constant long *p) {
  long i = get_local_id(0), at = 2 * i - (i & 3);
  for (int k = 0; k < 20; k++)
    at += p[k];
  y[get_global_id(0)] = x[at];
}
