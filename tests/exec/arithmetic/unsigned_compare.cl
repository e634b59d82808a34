// Comparisons between signed and unsigned operands convert to unsigned.
// run: -g 4 -p 1:i32 list:i32:-1,0,1,2147483647 zero:i32:4
// expect: 1: 6 15 8 8
kernel void k(global const int *a, global int *o) {
  size_t i = get_global_id(0);
  o[i] = (a[i] < 1u) + 2 * (a[i] < 1) + 4 * ((long)a[i] < 1u) + 8 * (a[i] > -1);
}
