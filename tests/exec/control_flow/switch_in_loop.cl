// break in a switch stays in the loop; a nested loop's break stays in the switch.
// run: -g 5 -p 0:i32 zero:i32:5
// expect: 0: 1001 1011 21 1031 41
kernel void k(global int *o) {
  int n = get_global_id(0), r = 0;
  for (int i = 0; i < 4; i++) {
    switch (i) {
    case 0: r += 1; break;
    case 1:
      for (int j = 0; j < 10; j++)
        if (j == n) break;
        else r += 10;
      break;
    case 2: if (n == 2) break; r += 1000; break;
    }
    if (n == 4 && i == 1) break;
  }
  o[n] = r;
}
