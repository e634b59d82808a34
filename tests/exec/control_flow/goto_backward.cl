// goto backwards makes a loop.
// run: -g 4 -p 0:i32 zero:i32:4
// expect: 0: 3 12 21 30
kernel void k(global int *o) {
  int n = get_global_id(0), r = 0;
again:
  r += 3;
  if (r < 10 * n)
    goto again;
  o[n] = r;
}
