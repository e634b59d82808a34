// Searches whose work-items load their key in each iteration, and leave one by one. Where a loop has no iteration, the
// address of the key is far outside of any buffer. Expectations by the same formulas in Python.
// run: -g 19 list:i32:3,1,4,1,5,9,2,6 list:i32:9,1,7,2,3,6,4,5 list:i32:8,8,8,0,1,0,5,3,8,7,2,0,4,8,8,8,6,8,0 list:i32:0,5,2,1000000003,4,1000000005,6,3,0,5,2,1000000011,4,1,6,3,0,5,1000000018 zero:i32:38 -p 4:i32
// expect: 4: 5 45 5 66 5 42 -1 0 0 0 -1 0 2 44 0 10 5 45 5 66 -1 7 -1 0 0 18 0 28 2 44 0 44 5 45 5 66 -1 0
kernel void keys(global const int *x, global const int *key, global const int *count, global const int *place,
                 global int *out) {
  int i = get_global_id(0), n = count[i], found = -1, sum = 0;
  long p = place[i];
  for (int j = 0; j < n; j++)
    if (x[j] >= key[p]) {
      found = j;
      break;
    }
  for (int j = 1; n > j; j++) {
    sum += x[j] * key[p];
    if (sum > 40)
      break;
  }
  out[2 * i] = found;
  out[2 * i + 1] = sum;
}
