// Positions that are clamped, mirrored or wrapped: most warps find that their addresses are contiguous, those at a
// border that they are not. Also terms that fall from lane to lane, that wrap in a narrow type, and elements of 16
// bytes.
// run: -g 200 -k mirror -p 0:i32 zero:i32:200 iota:i32:200 i32=200 i32=3
// formula: -k mirror_formula -D FORMULA
// stats: cpu:x86-64-v4 lanes 64, checked 2, contiguous 1
// stats: cpu:x86-64-v3 lanes 32, checked 2, contiguous 1
// run: -g 48 -k choose -p 0:i32 zero:i32:48 iota:i32:48 i32=48
// formula: -k choose_formula -D FORMULA
// run: -g 48 -k wrap -p 0:i32 zero:i32:48 iota:i32:48 i32=45
// formula: -k wrap_formula -D FORMULA
// run: -g 48 -k loop -p 0:i32 zero:i32:48 iota:i32:48 i32=48 i32=2
// formula: -k loop_formula -D FORMULA
// run: -g 32 -k vectors -p 0:i32 zero:i32:128 iota:i32:128 i32=31
// formula: -k vectors_formula -D FORMULA
// run: -g 32 -k falls -p 0:i32 zero:i32:32 iota:i32:64 i32=20
// formula: -k falls_formula -D FORMULA
// run: -g 32 -k narrow -p 0:u16 zero:u16:32 iota:u16:65536 i32=32756
// formula: -k narrow_formula -D FORMULA
// run: -g 32 -k bytes -p 0:u8 zero:u8:32 iota:u8:256 i32=250
// formula: -k bytes_formula -D FORMULA
// run: -g 48 -l 48 -k regions -p 0:i32 zero:i32:48 local:192 i32=48
// formula: -k regions_formula -D FORMULA
kernel void mirror(global int *o, global const int *x, int n, int by) {
  int i = get_global_id(0), a = i - by, b = i + by;
  if (a < 0)
    a = -a;
  if (b >= n)
    b = 2 * n - 2 - b;
  o[i] = x[a] * 100 + x[b];
}
kernel void choose(global int *o, global const int *x, int n) {
  int i = get_global_id(0);
  int l = i > 4 ? i - 4 : 0, r = i + 4 < n ? i + 4 : n - 1;
  o[i] = x[l] * 100 + x[r];
}
kernel void wrap(global int *o, global const int *x, int n) {
  int i = get_global_id(0), sum = 0;
  for (int k = 0; k < 5; k++)
    sum += x[(i + k) % n] * (k + 1);
  o[i] = sum;
}
kernel void loop(global int *o, global const int *x, int n, int r) {
  int i = get_global_id(0), sum = 0;
  for (int k = -r; k <= r; k++)
    sum += x[clamp(i + k, 0, n - 1)] * (k + 3);
  o[i] = sum;
}
kernel void vectors(global int4 *o, global const int4 *x, int last) {
  int i = get_global_id(0);
  int4 sum = 0;
  for (int k = 0; k < 3; k++)
    sum += x[min(i + k, last)];
  o[i] = sum;
}
kernel void falls(global int *o, global const int *x, int n) {
  int i = get_global_id(0), t = i < n ? 40 - i : 0;
  o[i] = x[60 - t];
}
kernel void narrow(global ushort *o, global const ushort *x, int start) {
  int i = get_global_id(0);
  short t = (short)(start + (i < 30 ? i : 0));
  o[i] = x[t + 32768];
}
kernel void bytes(global uchar *o, global const uchar *x, int start) {
  int i = get_global_id(0);
  uchar t = (uchar)(start + (i < 30 ? i : 0));
  o[i] = x[t];
}
// The second item region has the address at hand, but not what it is made of.
kernel void regions(global int *o, local int *t, int n) {
  int l = get_local_id(0);
  t[l] = l * 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  int a = t[(l + 2) % n];
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] = a + l;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[l] = t[(l + 2) % n] + a * 1000;
}

#ifdef FORMULA // Of buffers that hold their indices, by the first work-item alone.
#define EACH(i) if (get_global_id(0) == 0) for (int i = 0; i < get_global_size(0); i++)
kernel void mirror_formula(global int *o, global const int *x, int n, int by) {
  EACH(i) o[i] = (i < by ? by - i : i - by) * 100 + (i + by < n ? i + by : n - 2 - (i + by - n));
}
kernel void choose_formula(global int *o, global const int *x, int n) {
  EACH(i) o[i] = (i < 4 ? 0 : i - 4) * 100 + (i + 4 > n - 1 ? n - 1 : i + 4);
}
kernel void wrap_formula(global int *o, global const int *x, int n) {
  EACH(i) for (int k = 1; k <= 5; k++) o[i] += k * ((i + k - 1) % n);
}
kernel void loop_formula(global int *o, global const int *x, int n, int r) {
  EACH(i) for (int at = i - r; at <= i + r; at++) o[i] += (at < 0 ? 0 : at >= n ? n - 1 : at) * (at - i + 3);
}
kernel void vectors_formula(global int *o, global const int *x, int last) {
  EACH(i) for (int at = 4 * i; at < 4 * i + 4; at++)
    for (int next = i; next < i + 3; next++) o[at] += 4 * (next > last ? last : next) + at % 4;
}
kernel void falls_formula(global int *o, global const int *x, int n) {
  EACH(i) o[i] = i < n ? 20 + i : 60;
}
kernel void narrow_formula(global ushort *o, global const ushort *x, int start) {
  EACH(i) o[i] = start + 32768 + (i < 30 ? i : 0);
}
kernel void bytes_formula(global uchar *o, global const uchar *x, int start) {
  EACH(i) o[i] = start + (i < 30 ? i : 0);
}
kernel void regions_formula(global int *o, local int *t, int n) {
  EACH(l) o[l] = (l + 4) % n * 3 + (l + 2) % n + (l + 2) % n * 3000;
}
#endif
