// Inner declarations hide outer ones; loop variables end with their loop.
// run: -g 3 -p 0:i32 zero:i32:3
// expect: 0: 1210 1211 1212
kernel void k(global int *o) {
  int i = get_global_id(0), x = 1;
  {
    int x = 5;
    x += i;
    { float x = 2.5f; o[i] = (int)(x * 2); }
    o[i] += x;
  }
  for (int x = 0; x < 2; x++) o[i] += 100;
  o[i] += 1000 * x;
}
