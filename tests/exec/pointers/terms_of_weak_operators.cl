// Addresses that are sums of terms whose operators bind more weakly than the sum.
// run: -g 6 -p 0:i32 -p 1:u8 zero:i32:6 zero:u8:18 iota:u8:64
// expect: 0: 2084505825 1983807827 -1425465061 -1514771935 1124901327 1024266329
// expect: 1: 0 1 2 4 5 6 8 9 10 12 13 14 12 13 14 16 17 18
kernel void k(global int *o, global uchar *v, global const uchar *src) {
  int t = get_global_id(0);
  uint u = t;
  vstore3(vload3(t, src + (t & 3)), t, v);
  int s = 0;
  s = s * 5 + vload2(t, src + (t | 4)).x;
  s = s * 5 + vload2(u, src + (u ^ 5)).y;
  s = s * 5 + vload3(t, src + (t << 1)).x;
  s = s * 5 + vload4(u, src + (t >> 1)).w;
  s = s * 5 + vload2(t, src + (t > 2 ? 7 : 1)).x;
  s = s * 5 + vload2(t, src + (t < 3)).x;
  s = s * 5 + vload2(u, src + !t).y;
  s = s * 5 + vload2(t, src + (t && u < 4)).x;
  s = s * 5 + vload2(t, src + 5 - t).x;
  s = s * 5 + vload2(t, src + 6 + -(t & 5)).x;
  s = s * 5 + vload2(t, src + (uchar)(t - 1) % 7).x;
  s = s * 5 + *(src + (t & 3) + (u | 8));
  s = s * 5 + (&src[t ^ 9])[(size_t)u & 6];
  s = s * 5 + *(src + (long)(t & 3) * 3 + (t == 2 ? u : 1));
  o[t] = s;
}
