// String literals as constant data.
// run: -g 3 -p 0:i32 zero:i32:3
// expect: 0: 98112 9110 99113
constant char name[] = "kiln";
kernel void k(global int *o) {
  constant char *s = "ab\tc" "d";
  int i = get_global_id(0);
  o[i] = s[i + 1] * 1000 + name[i] + (int)sizeof name;
}
