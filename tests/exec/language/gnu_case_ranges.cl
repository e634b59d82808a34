// case a ... b of GNU C: single values and ranges, signed, unsigned and 64-bit selectors, ranges of more values than
// could be listed, fallthrough into and out of ranges, an empty range that matches nothing, a case inside a loop.
// run: -g 12 -p 0:i32 -p 1:i32 -p 2:i32 zero:i32:12 zero:i32:12 zero:i32:12 list:i32:-2147483648,-7,-1,0,1,5,6,97,122,1000,70000,2147483647 list:i64:-9223372036854775808,-4294967296,-1,0,9,10,4294967295,4294967296,8589934592,8589934593,9223372036854775806,9223372036854775807
// expect: 0: -1 1 1 12 10 10 -1 103 103 100 100 -1
// expect: 1: 1 4 4 2 2 2 2 3 3 3 3 3
// expect: 2: 1 1 13 13 13 5 5 3 3 5 5 4
kernel void k(global int *o, global int *u, global int *l, global const int *values, global const long *wide) {
  int i = get_global_id(0), v = values[i], r = 0;
  switch (v) {
  case -10 ... -1:
    r = 1;
    break;
  case 0:
    r = 2; // falls through
  case 1 ... 5:
    r += 10;
    break;
  case 9 ... 7: // empty
    r = 1000;
    break;
  case 'a' ... 'z':
    r = 3; // falls through
  case 1000 ... 70000:
    r += 100;
    break;
  default:
    r = -1;
  }
  o[i] = r;
  switch ((uint)v) {
  case 0x80000000u ... 0xfffffff0u:
    u[i] = 1;
    break;
  case 0 ... 96:
    u[i] = 2;
    break;
  case 97 ... 0x7fffffff:
    u[i] = 3;
    break;
  case 0xfffffff1u ... 0xffffffffu:
    u[i] = 4;
  }
  switch (wide[i]) {
  case (-0x7fffffffffffffffL - 1) ... -4294967296L:
    l[i] = 1;
    break;
  case -1 ... 9:
    for (int j = 0; j < 3; j++)
      switch (j) {
        if (j) {
        case 1 ... 2:
          l[i] += j;
          break;
        }
      case 0:
        l[i] += 10;
      }
    break;
  case 4294967296L ... 8589934592L:
    l[i] = 3;
    break;
  case 0x7fffffffffffffffL ... 0x7fffffffffffffffL:
    l[i] = 4;
    break;
  default:
    l[i] = 5;
  }
}
