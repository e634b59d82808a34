// Parameters are copies, arrays are passed as pointers.
// run: -g 2 -p 0:i32 zero:i32:2
// expect: 0: 10110 11121
int change(int x, int a[3]) { x += 10; a[0] += x; return x; }
kernel void k(global int *o) {
  int i = get_global_id(0), a[3] = {1, 2, 3}, x = i;
  int r = change(x, a);
  o[i] = r * 1000 + a[0] * 10 + x;
}
