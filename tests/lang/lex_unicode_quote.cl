kernel void k(global int *a) {
  a[0] = “1”;
}
// expect: 2:10: error: unexpected character <U+201C>
//   |   a[0] = “1”;
//   |          ^
// expect: 2:14: error: unexpected character <U+201D>
//   |   a[0] = “1”;
//   |            ^
