// Compressed rows, one per work-item.
kernel void spmv(global const int *row, global const int *col, global const float *val, global const float *x,
                 global float *y) {
  int r = get_global_id(0);
  float sum = 0;
  for (int j = row[r]; j < row[r + 1]; j++)
    sum += val[j] * x[col[j]];
  y[r] = sum;
}
