// Switches that fall through: the default inside of a run, several labels of a group, selectors of other widths, one
// inside of another.
// run: -g 12 -p 1:u32 list:i32:1,4,9,-2,30,8,255,0,2,3,77,-1 zero:u32:12
// expect: 1: 6964658 154774 77382 2208 5230 15474 232184 77384 278552 30964 23220 232234
kernel void k(global const int *in, global uint *o) {
  int g = get_global_id(0), v = in[g];
  uint x = 100;
  switch (v) {
  case 1:
    x = x * 3 + 1;
  case 4:
  case 9:
    x = x * 5 + 2;
  default:
    x = x * 7 + 3;
  case -2:
    x = x * 11 + 4;
    break;
  case 30:
    x = x * 13 + 5;
  }
  switch ((uchar)v) {
  case 255:
    x = x * 3 + g;
  case 0:
  case 1:
    x = x * 5 + 7;
    break;
  case 2:
    x = x * 9 + 1;
  case 3:
    x = x * 2 + 8;
  }
  switch (v == 1 ? (long)v << 40 : v) {
  case 1l << 40:
    x = x * 3 + 1;
  case 30:
  case 4:
    switch (g) {
    case 3:
      x = x * 3 + 2;
    case 5:
      x = x * 7 + 1;
    default:
      x = x * 2 + 5;
    }
  default:
    x = x * 2;
    break;
  case 77:
    x = x * 3 + 9;
  }
  o[g] = x;
}
