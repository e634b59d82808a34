// Loops of gotos in each other and crossing, entered in the middle, left over two levels.
// run: -g 12 -p 0:i32 -p 1:i32 zero:i32:12 zero:i32:12
// expect: 0: 597 551 1773 9 1112 688 3741 2721 37 128 4058 513
// expect: 1: 67 125 131 197 315 261 379 317 323 381 387 453
int nested(int x) {
  int n = 0, r = 0;
  if (x % 3 == 1)
    goto middle;
outer:
  r = r * 3 + 1;
inner:
  r += x;
middle:
  if (++n % 4 && n < 30)
    goto inner;
  r ^= n;
  if (r % 7 == 2)
    goto out;
  if (n < 20)
    goto outer;
out:
  return r;
}
int crossing(int x) {
  int n = 0, r = 0;
a:
  r += 1;
b:
  r = r * 2 + x;
  if (++n < 3)
    goto a;
  r ^= 5;
  if (++n < 9)
    goto b;
again:
  r -= x;
  if (r > 100 && n++ < 40)
    goto again;
  return r;
}
kernel void k(global int *o, global int *p) {
  o[get_global_id(0)] = nested(get_global_id(0));
  p[get_global_id(0)] = crossing(get_global_id(0));
}
