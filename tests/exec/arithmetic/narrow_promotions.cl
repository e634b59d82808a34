// char and short are promoted to int; stores truncate.
// run: -g 4 -p 1:i8 -p 2:i32 -p 3:u16 list:i8:100,-128,127,-1 zero:i8:4 zero:i32:4 zero:u16:4
// expect: 1: -56 0 -2 -2
// expect: 2: 200 -256 254 -2
// expect: 3: 30000 27136 38100 65236
kernel void k(global const char *a, global char *c, global int *w, global ushort *s) {
  size_t i = get_global_id(0);
  char x = a[i];
  c[i] = x + x;
  w[i] = x + x;
  s[i] = (ushort)(x * 300);
}
