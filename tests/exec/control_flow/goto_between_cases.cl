// A switch whose cases are left by goto for one another's middle, on values that differ between work-items: alone, and
// with operations of sub-groups in and after the cases.
// run: -g 12 -l 12 -k k -p 1:u32 list:i32:1,4,9,-2,30,8,255,0,2,3,77,-1 zero:u32:12
// expect: 1: 691 18007 3079 7 5 129 5 3 18007 11 5 7
// run: -g 12 -l 12 -k votes -p 1:u32 list:i32:1,4,9,-2,30,8,255,0,2,3,77,-1 zero:u32:12
// expect: 1: 10301 10210 10200 11000 11000 11000 11000 11000 11000 11000 11000 11000
uint step(int v, uint x) {
  switch (v) {
  case 1:
    x = x * 3 + 1;
    goto inner;
  case 4:
  case 2:
    x = x * 5 + 2;
  again:
    x = x * 7 + 3;
    if (x < 3000)
      goto again;
    break;
  case -2:
  case -1:
    x += 6;
    break;
  case 9:
    x += 4;
    if (v & 1) {
      x *= 3;
    inner:
      x = x * 77;
    }
    x += 384;
    goto last;
  case 3:
    x += 10;
    break;
  case 8:
    x = 130;
    goto last;
  default:
    x = x * 3 + 2;
    if (v)
      break;
    return 3;
  last:
    if (x & 1)
      x = x * 2 + 1;
    else
      x -= 1;
  }
  return x;
}
kernel void k(global const int *in, global uint *o) {
  int g = get_global_id(0);
  o[g] = step(in[g], 1);
}
kernel void votes(global const int *in, global uint *o) {
  int g = get_global_id(0), v = in[g], n = 0;
  uint x = 0;
again:
  switch (v) {
  case 1:
    x += sub_group_any(v == 1);
    goto middle;
  case 4:
    x += 10 * !sub_group_any(v != 4);
    v = 9;
    goto again;
  case 9:
    if (n++ < 2) {
    middle:
      x += 100 * sub_group_all(v == 1 || v == 9);
      v = 9;
      goto again;
    }
    break;
  default:
    x += 1000 * sub_group_all(v != 1 && v != 4 && v != 9);
  }
  o[g] = x + 10000 * sub_group_all(x > 0);
}
