// while and do loops with divergent trip counts.
// run: -g 6 -p 0:i32 -p 1:i32 zero:i32:6 zero:i32:6
// expect: 0: 0 3 17 15 18 21
// expect: 1: 10 12 12 10 12 13
kernel void k(global int *o, global int *p) {
  int n = get_global_id(0), c = 0, x = n * 7 + 1;
  while (x != 1) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    c++;
  }
  o[n] = c;
  int d = 0;
  do {
    d += n + 1;
    if (d == 6)
      continue;
    d++;
  } while (d < 10);
  p[n] = d;
}
