// Shift counts are taken modulo the width of the left operand.
// run: -g 6 -p 1:u32 -p 2:i32 -p 3:u64 list:i32:0,1,31,32,33,63 zero:u32:6 zero:i32:6 zero:u64:6
// expect: 1: 2147483649 1073741824 1 2147483649 1073741824 1
// expect: 2: -2147483647 -1073741824 -1 -2147483647 -1073741824 -1
// expect: 3: 3 6 6442450944 12884901888 25769803776 9223372036854775808
kernel void k(global const int *n, global uint *u, global int *s, global ulong *l) {
  size_t i = get_global_id(0);
  u[i] = 0x80000001u >> n[i];
  s[i] = (int)0x80000001 >> n[i];
  l[i] = 3ul << n[i];
}
