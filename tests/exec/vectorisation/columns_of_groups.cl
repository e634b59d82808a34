// Groups whose columns are contiguous in memory, and whose rows are not: launches of 4,096 work-items and more get lanes
// along dimension 1. Groups at both edges are partial.
// run: -g 60,70 -l 8,16 -p 0:i32 zero:i32:4200
// stats: cpu:x86-64-v3 lanes 8, strided 1
// formula: -k columns_formula -D FORMULA
kernel void columns(global int *out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[x * 70 + y] = x * 1000 + y * 10 + get_local_id(1) % 4;
}

#ifdef FORMULA // The first work-item fills one column after another.
kernel void columns_formula(global int *out) {
  if (get_global_id(0) || get_global_id(1))
    return;
  for (int at = 0; at < 60 * 70; at++)
    out[at] = at / 70 * 1000 + at % 70 * 10 + at % 70 % 16 % 4;
}
#endif
