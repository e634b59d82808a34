// Indices of several terms with a factor, of which one differs between the lanes. Some lanes are off.
// run: -g 20 -p 0:i32 zero:i32:64 iota:i32:80 i32=5 i32=30
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 63 0 61 0 0 0 57 0 55 0 0 0 51 0 49 0 0 0 45 0 43 0 0 0 39 0 37 0 0 0 33 0 31 0 0 0 27 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// run: -g 26 -p 0:i32 zero:i32:64 iota:i32:80 i32=0 i32=25
// expect: 0: 0 0 0 48 0 46 0 0 0 42 0 40 0 0 0 36 0 34 0 0 0 30 0 28 0 0 0 24 0 22 0 0 0 18 0 16 0 0 0 12 0 10 0 0 0 6 0 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
kernel void factors(global int *o, global const int *a, int n, int w) {
  int x = get_global_id(0);
  if (x % 3)
    o[(x + n) * 2 + 1] = a[(w - x) * 2 + n];
}
