// check gfx942 ll k -phi.i1 -phi.*false +switch
// A switch that falls through stays one: no phi says for each group whether it is entered.
kernel void k(global int *o, int m) {
  int v = o[get_global_id(0)], x = m;
  switch (v) {
  case 10:
    x = x * 3 + v;
  case 20:
    x = x * 5 + v;
  case 30:
    x = x * 7 + v;
    break;
  case 40:
    x = x * 9 + v;
  case 50:
    x = x * 11 + v;
  default:
    x = x * 13 + v;
  }
  o[get_global_id(0)] = x;
}
