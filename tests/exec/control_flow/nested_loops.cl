// break leaves only the inner loop.
// run: -g 4 -p 0:i32 zero:i32:4
// expect: 0: 174 114 160 186
kernel void k(global int *o) {
  int n = get_global_id(0), r = 0;
  for (int i = 0; i < 5; i++) {
    for (int j = 0;; j++) {
      if (j == i + n)
        break;
      if (j & 1)
        continue;
      r += 10 * i + j;
    }
    if (r > 100)
      break;
  }
  o[n] = r;
}
