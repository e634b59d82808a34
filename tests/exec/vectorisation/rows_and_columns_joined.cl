// Rows and columns that are made of an id, and make up an address: (id / 28 + u) * 28 + id % 28 + v is u * 28 + v + id,
// and neighbours are side by side wherever a row ends. An id divided by a multiple of the lanes is the same in all of
// them.
// run: -k smooth -g 336 -p 0:i32 zero:i32:336 iota:i32:336 iota:i32:27
// stats: cpu:x86-64-v3 plan: lanes 16, contiguous 10, uniform 9
// stats: cpu:x86-64-v4 plan: lanes 16, contiguous 10, uniform 9
// formula: -k smooth_formula -D FORMULA
// run: -k smooth -g 330 -l 66 -p 0:i32 zero:i32:330 iota:i32:336 iota:i32:27
// formula: -k smooth_formula -D FORMULA
// run: -k cancelled -g 203 -p 0:i32 zero:i32:203 iota:i32:300
// stats: cpu:x86-64-v3 plan: lanes 8, contiguous 2
// formula: -k cancelled_formula -D FORMULA
// run: -k below -g 203 -p 0:i32 zero:i32:203 iota:i32:300
// formula: -k below_formula -D FORMULA
// run: -k apart -g 200 -p 0:i32 zero:i32:200
// formula: -k apart_formula -D FORMULA
kernel void smooth(global int *o, global const int *x, global const int *weights) {
  int id = get_global_id(0), plane = id / 112, row = id % 112 / 28, column = id % 112 % 28, sum = 0;
  for (int u = -1; u <= 1; u++)
    for (int v = -1; v <= 1; v++)
      if (row + u >= 0 && row + u < 4 && column + v >= 0 && column + v < 28)
        sum += x[plane * 112 + (row + u) * 28 + column + v] * weights[plane * 9 + (u + 1) * 3 + v + 1];
  o[id] = sum;
}

// The remainder by a subtraction.
kernel void cancelled(global int *o, global const int *x) {
  int id = get_global_id(0), row = id / 12, column = id - row * 12;
  o[id] = x[(row + 2) * 12 + column - 5] + row;
}

// Negative values, rounded to zero and down.
kernel void below(global int *o, global const int *x) {
  int id = get_global_id(0), k = id - 20;
  o[id] = x[k / 12 * 12 + k % 12 + 20] + x[(k >> 2) * 4 + (k & 3) + 20] + (k % 12 + 11) * 1000;
}

// 48 is no multiple of the distance between lanes.
kernel void apart(global int *o) {
  int id = get_global_id(0);
  o[id] = id * 32 % 48 * 100 + id * 32 / 48;
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
kernel void smooth_formula(global int *o, global const int *x, global const int *weights) {
  ALONE
  for (int plane = 0; plane < 3; plane++)
    for (int row = 0; row < 4; row++)
      for (int column = 0; column < 28; column++) {
        int id = (plane * 4 + row) * 28 + column, sum = 0;
        for (int v = max(row - 1, 0); v < min(row + 2, 4); v++)
          for (int h = max(column - 1, 0); h < min(column + 2, 28); h++)
            sum += x[(plane * 4 + v) * 28 + h] * weights[plane * 9 + (v - row + 1) * 3 + h - column + 1];
        if (id < END)
          o[id] = sum;
      }
}
kernel void cancelled_formula(global int *o, global const int *x) {
  ALONE
  for (int id = FIRST; id < END; id++)
    o[id] = x[id + 19] + id / 12;
}
kernel void below_formula(global int *o, global const int *x) {
  ALONE
  for (int id = FIRST; id < END; id++) {
    int rest = id < 20 ? -((20 - id) % 12) : (id - 20) % 12;
    o[id] = 2 * x[id] + (rest + 11) * 1000;
  }
}
kernel void apart_formula(global int *o) {
  ALONE
  for (int id = FIRST; id < END; id++)
    o[id] = id % 3 * 32 % 48 * 100 + id * 2 / 3;
}
#endif
