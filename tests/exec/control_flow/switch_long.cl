// switch over 64-bit and unsigned values, and over char.
// run: -g 4 -p 1:i32 list:u64:1,4294967297,18446744073709551615,5 zero:i32:4
// expect: 1: 1 2 13 20
kernel void k(global const ulong *a, global int *o) {
  size_t i = get_global_id(0);
  int r = 0;
  switch (a[i]) {
  case 1: r = 1; break;
  case 4294967297ul: r = 2; break;
  case (ulong)-1: r = 3; break;
  }
  switch ((char)a[i]) {
  case -1: r += 10; break;
  case 5: r += 20; break;
  }
  o[i] = r;
}
