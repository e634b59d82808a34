// Cases that fall through into the next, with returns and continue inside.
// run: -g 8 -p 0:i32 zero:i32:8
// expect: 0: 11113 223 212 11102 11001 21002 21002 22002
kernel void k(global int *o) {
  int n = get_global_id(0), r = 0;
  for (int i = 0; i < 2; i++) {
    switch (n + i) {
    case 1: r += 1;
    case 2: r += 10;
    case 3: r += 100; break;
    case 5: if (i) continue;
    default: r += 1000;
    case 6: r += 10000;
    }
    r++;
  }
  o[n] = r;
}
