kernel void k(global int *o, uchar c, char s, int n, ulong l) {
  switch (c) {
  case 300:
  case -1:
  case 255:
    o[0] = 1;
  }
  switch (s) {
  case 128:
  case -128:
    o[0] = 2;
  }
  switch (n) {
  case 5000000000:
  case 4 ... 2:
    o[0] = 3;
  }
  switch (l) {
  case 5000000000:
  case -1:
    o[0] = 4;
  }
}
// expect: 3:8: warning: overflow converting case value to switch condition type (300 to 44) [-Wswitch]
// expect: 4:8: warning: overflow converting case value to switch condition type (-1 to 255) [-Wswitch]
// expect: 9:8: warning: overflow converting case value to switch condition type (128 to -128) [-Wswitch]
// expect: 14:8: warning: overflow converting case value to switch condition type (5000000000 to 705032704) [-Wswitch]
// expect: 15:8: warning: empty case range specified [-Wempty-case-range]
