// Elements of small local arrays, and private ones, are changed by some work-items: what lies beside stays, and what
// crosses barriers, too. Expectations by the formulas in Python.
// run: -g 14 -l 7 zero:u32:14 i32=3 local:14 local:28 -p 0:u32
// stats: cpu:x86-64-v3 lanes 8, array 9, contiguous 33
// expect: 0: 2536699763 214223674 3050004559 2978872358 3986300295 3481403507 4000053660 2060065094 1075661926 3834606693 4162511107 2554679114 3726695926 555733056
// run: -g 11 -l 11 zero:u32:11 i32=4 local:22 local:44 -p 0:u32
// expect: 0: 3565885133 3657866271 2270077723 347908842 195169322 4280025669 3986988044 2948542538 1735262143 4096998586 3340272511
// run: -g 16 -l 8 zero:u32:16 i32=2 local:16 local:32 -p 0:u32
// expect: 0: 2539119213 2313427283 1690432144 1627940134 1176556436 3095428265 353634993 993303621 3585631664 2482880098 1434703502 856532239 1608701037 3233027689 681821215 1035326745
// run: -g 5 -l 5 zero:u32:5 i32=5 local:10 local:20 -p 0:u32
// expect: 0: 2903113271 1935184160 2017536209 2295100441 1150706204
kernel void beside(global uint *out, int m, local ushort *s, local int *r) {
  local uchar a[5];
  local ushort b[7];
  local uchar c[6];
  local float d[5];
  local uint e[11];
  int l = get_local_id(0), n = get_local_size(0);
  uint own = l * 37 + get_group_id(0) * 11 + 1, sum = 0, kept[4];
  if (l < 5)
    a[l] = own, d[l] = own;
  if (l < 6)
    c[l] = own + 1;
  if (l < 7)
    b[l] = own * 5;
  e[l] = own * 7, s[l] = own * 9, r[l] = -(int)own;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < m; i++) {
    uint crosses = own * (i + 3);
    for (int k = 0; k < 4; k++)
      if (l + k & 1)
        kept[k] = own + k;
      else
        kept[k] = i;
    if (l > 0 && l < 5)
      sum += a[l - 1];
    if (l < 4 && (own & 1))
      sum += (uint)d[l + 1] * 3;
    if (l > 1 && l < 6)
      sum += c[l - 2];
    if (l < n - 1)
      sum += s[l + 1] + r[l + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 5 && (l + i & 1))
      a[l] += 3;
    if (l < 6 && (l & 2))
      c[l] ^= i;
    if (l < 7 && l > 3)
      b[l] += 1000;
    if (l < 5 && l != 2)
      d[l] += 1;
    if (l == i)
      e[l] = sum;
    if ((l ^ i) & 1)
      s[l] += own;
    if (l >= n - 2)
      r[l] -= 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = sum * 31 + crosses + kept[i & 3];
  }
  sum = sum * 31 + e[l];
  sum = sum * 31 + s[l];
  sum = sum * 31 + r[l];
  if (l < 5)
    sum = sum * 31 + a[l] + (uint)d[l];
  if (l < 6)
    sum = sum * 31 + c[l];
  if (l < 7)
    sum = sum * 31 + b[l];
  out[get_global_id(0)] = sum;
}
