// __builtin_trap() makes the launch fail, with the line. Not reached it does nothing.
// run: -g 256 -l 64 zero:i32:256 i32=200
// fails: fails_trap.cl:9:5:
// run: -g 256 -l 64 -p 0:i32:6 zero:i32:256 i32=999
// expect: 0: 1 2 3 4 5 6
kernel void k(global int *o, int n) {
  int i = get_global_id(0);
  if (i == n)
    __builtin_trap();
  o[i] = i + 1;
}
