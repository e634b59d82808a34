// goto out of nested loops.
// run: -g 4 -p 0:i32 zero:i32:4
// expect: 0: 7 8 9 10
kernel void k(global int *o) {
  int n = get_global_id(0), r = 0;
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++) {
      r++;
      if (i * j == n + 1)
        goto done;
    }
  r = -1;
done:
  o[n] = r;
}
