// Sparse matrix times vector, one row per work-item.
// run: -g 4 -p 4:f32 list:i32:0,2,3,6,7 list:i32:0,2,1,0,2,3,3 list:f32:1,2,3,4,5,6,7 list:f32:1,2,3,4 zero:f32:4
// expect: 4: 7 6 43 28
kernel void spmv(global const int *row, global const int *col, global const float *val, global const float *x, global float *y) {
  int r = get_global_id(0);
  float sum = 0;
  for (int j = row[r]; j < row[r + 1]; j++)
    sum += val[j] * x[col[j]];
  y[r] = sum;
}
