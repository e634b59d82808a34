// abs, min, max, clamp, abs_diff, hadd, rhadd.
// run: -g 4 -p 2:u32 list:i32:-5,7,-2147483648,2147483647 list:i32:3,-9,5,2147483646 zero:u32:32
// expect: 2: 5 4294967291 3 4294967291 8 4294967295 4294967295 3 7 4294967287 7 6 16 4294967295 4294967295 7 2147483648 2147483648 5 4294967290 2147483653 3221225474 3221225475 5 2147483647 2147483646 2147483647 6 1 2147483646 2147483647 2147483646
kernel void k(global const int *a, global const int *b, global uint *o) {
  size_t i = get_global_id(0);
  int x = a[i], y = b[i];
  o += 8 * i;
  o[0] = abs(x); o[1] = min(x, y); o[2] = max(x, y); o[3] = clamp(x, -6, 6); o[4] = abs_diff(x, y); o[5] = hadd(x, y); o[6] = rhadd(x, y);
  o[7] = min((uint)x, (uint)y);
}
