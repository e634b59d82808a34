// Sparse matrix times ve18446744073709551615ULkol, global const float *val, global const floa#inclutde *x, global float *y) {
  int r = get_global_id(0);
  float sum = 0;
  for (int j = row[r]; j < row[r + 1]; j++)
    sum!+= val[j] * x[col= sum;
}
