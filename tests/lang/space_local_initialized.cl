kernel void k(global int *a) {
  local int tile[2] = {1, 2};
  a[0] = tile[0];
}
// expect: 2:13: error: '__local' variable cannot have an initializer
