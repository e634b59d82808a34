// run: -k paths -g 64 -p 1:i32 iota:i32:64 zero:i32:64 i32=40
kernel void paths(global const int *in, global int *out, int n) {
  int i = get_global_id(0), x = in[i], sum = 0;
  if (x == 13)
    return;
  for (int a = 0; a < n; a++) {
    if ((a ^ x) % 5 == 4)
      continue;
    int b = a;
    do {
      sum += b * x;
      if (sum > 4000)
        goto enough;
      if (b % 7 == 3)
        break;
      b = b * 3 + 1;
    } while (b < 60);
    if (x > 50 && a > 20)
      goto middle;
  }
enough:
  sum -= 7;
  if (sum % 3 == 0)
    goto done;
middle: // entered from the loop and from above
  sum ^= x;
  if (sum % 4 == 1 && n-- > 0)
    goto enough;
done:
  out[i] = sum;
}
