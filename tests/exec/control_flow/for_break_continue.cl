// break and continue in a for loop; continue reaches the step.
// run: -g 6 -p 0:i32 zero:i32:6
// expect: 0: 1207 1608 3010 4813 5614 8016
kernel void k(global int *o) {
  int n = get_global_id(0), sum = 0, steps = 0;
  for (int i = 0; i < 20; i++, steps++) {
    if (i % 3 == n % 3)
      continue;
    if (i > 5 + 2 * n)
      break;
    sum += i;
  }
  o[n] = sum * 100 + steps;
}
