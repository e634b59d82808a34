int f(int x) {
  local int tile[16];
  tile[0] = x;
  return tile[0];
}
kernel void k(global int *a) {
  a[0] = f(1);
}
// expect: 2:13: error: non-kernel function variable cannot be declared in local address space
