// What a group of a switch leaves for the next one, whichever is entered: several values, loops and jumps inside,
// labels that share a group, a default in the middle, groups that only choose a value.
// run: -g 12 -p 1:i32 -p 2:i32 -p 3:i32 iota:i32:12 zero:i32:12 zero:i32:12 zero:i32:12
// expect: 1: 53010 55014 40003 23013 25994 52970 54991 40003 23008 26027 53010 55015
// expect: 2: 1 3 2 1 1 7 1 1 1 1 1 1
// expect: 3: 20 6 6 26 5 8 8 5 5 5 5 5
kernel void k(global const int *a, global int *x, global int *y, global int *z) {
  int i = get_global_id(0), n = a[i];
  int v = n, w = 1, u = 5;
  switch (n) {
  case 0:
  case 3:
    v += 10;
    u = v * 2;
    break;
  case 1:
    for (int j = 0; j < 4; j++) {
      if (j == 2)
        continue;
      w += j * 3;
    }
  case 2:
    v += w;
  case 8:
    if (n == 8)
      break;
    w ^= v;
    u = 6;
    break;
  case 5:
    w = 7;
  case 6:
    u = 8;
  default:
    v -= w + u;
  case 9:
    v *= 3;
  case 10:;
  }
  x[i] = v;
  y[i] = w;
  z[i] = u;
  // Inside a loop, with the values of the iteration before.
  int s = 0;
  for (int r = 0; r < 6; r++) {
    switch ((n + r) % 5) {
    case 0: s += 1;
    case 1: s *= 2; if (s > 40) break;
    case 2: s += 3; if (s & 1) continue;
    case 3: s -= 1; break;
    case 4: if (s > 100) return;
    }
    s += r;
  }
  x[i] += 1000 * s;
}
