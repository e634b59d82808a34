// A loop that gathers a little, and whose lanes run different numbers of iterations, has two registers per value.
// run: -g 37 -k product -p 4:f32 iota:f32:148 list:u32:2,4,5,3,3,2,3,6,4,0,5,6,2,2,4,1,5,4,0,5,1,4,5,4,7,5,2,7,7,2,0,4,0,5,6,0,6,5,6,0,7,0,2,3,1,3,7,5,5,4,7,1,5,4,0,6,1,3,5,5,2,5,4,1,4,5,4,2,1,2,4,7,2,0,1,6,0,3,5,4,7,6,2,0,0,7,5,3,2,2,6,1,2,6,5,2,0,6,4,2,7,2,7,7,5,7,4,4,7,6,2,1,6,2,7,5,2,1,7,4,5,1,5,0,4,5,4,7,4,4,5,2,0,7,4,5,4,7,4,5,5,4,5,6,5,2,7,5 list:u32:4,2,2,4,0,3,1,0,1,0,2,3,1,3,4,0,4,1,0,1,3,2,1,3,1,0,1,4,4,3,1,1,0,0,1,1,1 list:f32:1,2,4,8,16,32,64,128 zero:f32:37 i32=37
// stats: cpu:x86-64-v3 lanes 16, gathered 1, contiguous 4
// expect: 4: 1554 2448 103 20352 0 1452 48 0 128 0 1824 13120 48 7148 4678 0 23376 272 0 608 3504 2192 704 6816 3072 0 104 7092 23168 14356 30 496 0 0 2176 35 2304
kernel void product(global const float *values, global const int *columns, global const int *lengths,
                    global const float *x, global float *y, int n) {
  int row = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < lengths[row]; k++)
    sum += values[k * n + row] * x[columns[k * n + row]];
  y[row] = sum;
}
