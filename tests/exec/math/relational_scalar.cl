// Relational functions on scalars give 0 or 1.
// run: -g 4 -p 2:i32 list:f32:1,2,nan,inf list:f32:2,2,1,-inf zero:i32:4
// expect: 2: 1266 1193 514 2382
kernel void k(global const float *a, global const float *b, global int *o) {
  size_t i = get_global_id(0);
  float x = a[i], y = b[i];
  o[i] = isequal(x, y) | isnotequal(x, y) << 1 | isgreater(x, y) << 2 | isgreaterequal(x, y) << 3 | isless(x, y) << 4 | islessequal(x, y) << 5 |
         islessgreater(x, y) << 6 | isfinite(x) << 7 | isinf(x) << 8 | isnan(x) << 9 | isnormal(x) << 10 | signbit(y) << 11;
}
