// Montgomery products of 256-bit numbers, with carries by comparisons.
// run: -g 4 -l 4 -p 2:u32 rand:u32:32:1 rand:u32:32:2 zero:u32:32
// expect: 2: 3964036773 2769516260 4437499 715676340 2990869982 2566765998 3810868361 537151039 3243107850 3753456604 77805387 1275387632 3982692545 871019162 733397947 3973827897 3395388729 892811201 2746723414 1538504721 892513431 2471638067 1674398150 3487801140 2379539755 458760830 229818061 691221908 1656340818 3396907240 2155487412 1026687041
constant uint P[8] = {0xfffffc2f, 0xfffffffe, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
typedef struct {
  uint d[8];
} big;
uint addc(uint a, uint b, uint *carry) {
  ulong s = (ulong)a + b + *carry;
  *carry = (uint)(s >> 32);
  return (uint)s;
}
void madd(uint *t, const big *a, uint b) {
  uint c = 0;
  for (int i = 0; i < 8; i++) {
    uint lo = a->d[i] * b, hi = mul_hi(a->d[i], b);
    uint s = t[i] + lo;
    hi += s < lo;
    uint r = s + c;
    hi += r < c;
    t[i] = r;
    c = hi;
  }
  uint s = t[8] + c;
  t[9] += s < c;
  t[8] = s;
}
big mont(big a, big b) {
  uint t[10] = {0};
  for (int i = 0; i < 8; i++) {
    madd(t, &a, b.d[i]);
    uint m = t[0] * 0xd2253531u;
    big p;
    for (int k = 0; k < 8; k++)
      p.d[k] = P[k];
    madd(t, &p, m);
    for (int k = 0; k < 9; k++)
      t[k] = t[k + 1];
    t[9] = 0;
  }
  big r, q;
  uint borrow = 0;
  for (int k = 0; k < 8; k++) {
    ulong d = (ulong)t[k] - P[k] - borrow;
    q.d[k] = (uint)d;
    borrow = (uint)(d >> 63);
    r.d[k] = t[k];
  }
  bool ge = t[8] || !borrow;
  for (int k = 0; k < 8; k++)
    r.d[k] = select(r.d[k], q.d[k], (uint)(ge ? 1 : 0));
  return r;
}
kernel void power(global const big *a, global const big *b, global big *out) {
  size_t i = get_global_id(0);
  big x = a[i], r = b[i];
  for (uint e = 0xb5; e; e >>= 1) {
    if (e & 1)
      r = mont(r, x);
    x = mont(x, x);
  }
  out[i] = r;
}
