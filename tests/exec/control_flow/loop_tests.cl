// Loops with a test before them and the same one at their end, as optimisers make them. Expected: computed in Python.
// run: -g 8 -p 0:i32 zero:i32:40 i32=5
// expect: 0: 18 12 18 9 12 0 0 0 6 5 6 5 6 5 6 7 4 3 4 3 4 -1 -1 -1 7 7 21 190 5135 415953 101076637 670424520 3 5 2 3 4 100 100 100
kernel void k(global int *out, int n) {
  int g = get_global_id(0), i = g, sum = 0, last = -1;
  if (i < n)
    do {
      sum += i * 3;
      last = i;
      i += 2;
    } while (i < n);
  out[g] = sum;
  out[8 + g] = i;
  out[16 + g] = last;
  int j = 0, t = 7;
  if (j < g)
    do {
      int k = 0;
      if (k < j)
        do {
          t = t * 3 + k;
          k++;
        } while (k < j);
      j++;
    } while (j < g);
  out[24 + g] = t;
  int q = 100;
  if (g < n) {
    q = 0;
    i = g;
    do {
      q += i;
      i += 3;
    } while (i < n);
  }
  out[32 + g] = q;
}
