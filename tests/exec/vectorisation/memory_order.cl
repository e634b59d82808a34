// Vectors of the language in the order of memory: loaded, computed with component by component, and stored, in loops, on
// sides of branches, at any address, across barriers.
// run: -k same -g 37 -p 0:i32 zero:i32:148 iota:i32:160
// stats: cpu:x86-64-v3 lanes 8, contiguous 2, memory-order 3
// formula: -k same_formula -D FORMULA
// run: -k each -g 37 -p 0:i32 zero:i32:148 iota:i32:160
// stats: cpu:x86-64-v3 lanes 8, contiguous 2, memory-order 2
// formula: -k each_formula -D FORMULA
// run: -k sums -g 37 -p 0:i32 zero:i32:148 iota:i32:160 list:i32:3,1,4,1,5
// stats: cpu:x86-64-v3 lanes 8, gathered 5, contiguous 1, uniform 5, memory-order 19
// formula: -k sums_formula -D FORMULA
// run: -k sides -g 37 -p 0:i32 zero:i32:148 iota:i32:160 list:i32:3,4,5,0,1,2,3,4,5,0,1,2,3,4,5,0,1,2,3,4,5,0,1,2,3,4,5,0,1,2,3,4,5,0,1,2,3
// stats: cpu:x86-64-v3 lanes 8, gathered 1, contiguous 3, memory-order 6
// formula: -k sides_formula -D FORMULA
// run: -k rounds -g 37 -p 0:i32 zero:i32:148 iota:i32:160 list:i32:3,4,5,0,1,2,3,4,5,0,1,2,3,4,5,0,1,2,3,4,5,0,1,2,3,4,5,0,1,2,3,4,5,0,1,2,3
// formula: -k rounds_formula -D FORMULA
// run: -k anywhere -g 37 -p 0:i32 zero:i32:148 iota:i32:160 list:i32:5,16,27,1,12,23,34,8,19,30,4,15,26,0,11,22,33,7,18,29,3,14,25,36,10,21,32,6,17,28,2,13,24,35,9,20,31
// stats: cpu:x86-64-v3 lanes 8, gathered 3, contiguous 2, memory-order 2
// formula: -k anywhere_formula -D FORMULA
// run: -k choice -g 37 -p 0:i32 zero:i32:148 iota:i32:160 list:i32:3,4,5,0,1,2,3,4,5,0,1,2,3,4,5,0,1,2,3,4,5,0,1,2,3,4,5,0,1,2,3,4,5,0,1,2,3
// formula: -k choice_formula -D FORMULA
// run: -k bytes -g 37 -p 0:i32 zero:i32:148 iota:i32:160
// stats: cpu:x86-64-v3 lanes 8, contiguous 2, memory-order 7
// formula: -k bytes_formula -D FORMULA
// run: -k pairs -g 37 -p 0:i32 zero:i32:148 iota:i32:160
// stats: cpu:x86-64-v3 lanes 8, strided 4, memory-order 2
// formula: -k pairs_formula -D FORMULA
// run: -k shared -g 37 -l 37 -p 0:i32 zero:i32:148 iota:i32:160
// formula: -k shared_formula -D FORMULA
// run: -k factors -g 37 -l 37 -p 0:i32 zero:i32:148 iota:i32:160
// formula: -k factors_formula -D FORMULA
// run: -k wide -g 37 -p 0:i32 zero:i32:148 iota:i32:160
// stats: cpu:x86-64-v3 lanes 4, gathered 6, contiguous 1, memory-order 16
// formula: -k wide_formula -D FORMULA
kernel void same(global int4 *o, const global int4 *x) {
  int i = get_global_id(0);
  o[i] = (x[i] * 3 - (int4)(5, 6, 7, 8)) ^ x[i];
}
kernel void each(global int4 *o, const global int4 *x) {
  int i = get_global_id(0);
  int4 v = x[i];
  v.x = v.x * 2 + 7;
  v.y = v.y * 2 + 7;
  v.z = v.z * 2 + 7;
  v.w = v.w * 2 + 7;
  o[i] = v;
}
kernel void sums(global int4 *o, const global int4 *x, const global int *a) {
  int i = get_global_id(0);
  int4 s = 0, t = (int4)(1, 2, 3, 4);
  for (int j = 0; j < 5; j++) {
    if (j == a[4])
      break;
    s += a[j] * x[(i + j) % 37];
    t = t * 3 + s;
  }
  o[i] = s + t;
}
kernel void sides(global int4 *o, const global int4 *x, const global int *k) {
  int i = get_global_id(0);
  int4 v = x[i] + 1;
  if (k[i] > 2)
    v = v * 5 + k[i];
  else if (k[i] == 1)
    v -= x[(i + 1) % 37];
  if (k[i] != 4)
    o[i] = v * 2;
}
kernel void rounds(global int4 *o, const global int4 *x, const global int *k) {
  int i = get_global_id(0);
  int4 v = x[i];
  for (int j = 0; j < k[i]; j++) {
    v = v * 3 + x[j];
    if (v.x > 1000)
      break;
  }
  o[i] = v + v;
}
kernel void anywhere(global int4 *o, const global int4 *x, const global int *p) {
  int i = get_global_id(0);
  o[p[i]] = x[p[(i + 1) % 37]] * 2 + x[i];
}
kernel void choice(global int4 *o, const global int4 *x, const global int *k) {
  int i = get_global_id(0);
  int4 u = x[i] * 7 % 31, v = x[(i + 5) % 37] & 15;
  o[i] = u > v ? u - k[i] : max(v, (int4)k[i]);
}
kernel void bytes(global int4 *o, const global int4 *x) {
  int i = get_global_id(0);
  uchar4 c = convert_uchar4(x[i] * 3);
  float4 f = convert_float4(c) * 0.5f;
  o[i] = convert_int4(f) + convert_int4(c);
}
kernel void pairs(global int4 *o, const global int4 *x) {
  int i = get_global_id(0);
  const global int2 *from = (const global int2 *)x;
  global int2 *to = (global int2 *)o;
  to[2 * i] = from[2 * i + 1] * 2;
  to[2 * i + 1] = from[2 * i] + 9;
}
kernel void shared(global int4 *o, const global int4 *x) {
  local int4 t[37];
  int i = get_global_id(0);
  int4 v = x[i] * 5;
  t[i] = v + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int j = 0; j < 3; j++) {
    v += t[(i + j + 1) % 37] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  o[i] = v - 3;
}
kernel void factors(global int4 *o, const global int4 *x) {
  local int4 t[38];
  int i = get_local_id(0);
  int4 u = x[3] * 2;
  t[i] = x[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < 30)
    o[i] = u * t[i] + t[i + 1];
}
kernel void wide(global int4 *o, const global int4 *x) {
  int i = get_global_id(0);
  const global long8 *from = (const global long8 *)x;
  long8 s = 0, t = 1;
  for (int j = 0; j < 6; j++) {
    s += from[(i + j) % 9] * t;
    t = t * 3 + 1;
    s ^= t;
  }
  o[i] = (int4)((int)s.s0, (int)(s.s7 >> 3), (int)(s.s1 + s.s2), i);
}

#ifdef FORMULA
// The formulas: the first work-item does it all, one work-item after another.
#define FIRST ((int)get_global_offset(0))
#define END (FIRST + (int)get_global_size(0))
#define ALONE                                                                                                          \
  if (get_global_id(0) != FIRST || get_global_id(1))                                                                   \
    return;
// Number by number: the one at place at is component at % 4 of vector at / 4.
#define EACH(at) for (int at = 0, c = 0, i = 0; at < 4 * END; at++, c = at % 4, i = at / 4)
kernel void same_formula(global int *o, const global int *x) {
  ALONE
  EACH(at)
    o[at] = (x[at] * 3 - (5 + c)) ^ x[at];
}
kernel void each_formula(global int *o, const global int *x) {
  ALONE
  EACH(at)
    o[at] = x[at] * 2 + 7;
}
kernel void sums_formula(global int *o, const global int *x, const global int *a) {
  ALONE
  EACH(at) {
    int s = 0, t = c + 1;
    for (int j = 0; j < 5 && j != a[4]; j++) {
      s += a[j] * x[(i + j) % 37 * 4 + c];
      t = t * 3 + s;
    }
    o[at] = s + t;
  }
}
kernel void sides_formula(global int *o, const global int *x, const global int *k) {
  ALONE
  EACH(at)
    if (k[i] != 4)
      o[at] = 2 * (k[i] > 2 ? (x[at] + 1) * 5 + k[i] : x[at] + 1 - (k[i] == 1 ? x[(i + 1) % 37 * 4 + c] : 0));
}
kernel void rounds_formula(global int *o, const global int *x, const global int *k) {
  ALONE
  EACH(at) {
    int first = x[at - c], own = x[at];
    for (int j = 0; j < k[i] && (j == 0 || first <= 1000); j++) {
      first = first * 3 + x[4 * j];
      own = own * 3 + x[4 * j + c];
    }
    o[at] = 2 * own;
  }
}
kernel void anywhere_formula(global int *o, const global int *x, const global int *p) {
  ALONE
  EACH(at)
    o[4 * p[i] + c] = x[4 * p[(i + 1) % 37] + c] * 2 + x[at];
}
kernel void choice_formula(global int *o, const global int *x, const global int *k) {
  ALONE
  EACH(at) {
    int u = x[at] * 7 % 31, v = x[(i + 5) % 37 * 4 + c] % 16;
    o[at] = u > v ? u - k[i] : v > k[i] ? v : k[i];
  }
}
kernel void bytes_formula(global int *o, const global int *x) {
  ALONE
  EACH(at)
    o[at] = x[at] * 3 % 256 + x[at] * 3 % 256 / 2;
}
kernel void pairs_formula(global int *o, const global int *x) {
  ALONE
  EACH(at)
    o[at] = c < 2 ? x[at + 2] * 2 : x[at - 2] + 9;
}
kernel void shared_formula(global int *o, const global int *x) {
  ALONE
  EACH(at) {
    o[at] = x[at] * 5 - 3;
    for (int j = 1; j < 4; j++)
      o[at] += 2 * (x[(i + j) % 37 * 4 + c] * 5 + 1);
  }
}
kernel void factors_formula(global int *o, const global int *x) {
  ALONE
  for (int at = 0; at < 120; at++)
    o[at] = x[12 + at % 4] * 2 * x[at] + x[at + 4];
}
kernel void wide_formula(global int *o, const global int *x) {
  ALONE
  for (int i = 0; i < END; i++) {
    ulong s[8];
    for (int k = 0; k < 8; k++) {
      ulong t = 1;
      s[k] = 0;
      for (int j = 0; j < 6; j++) {
        int at = (i + j) % 9 * 16 + 2 * k;
        s[k] += ((ulong)x[at + 1] << 32 | (uint)x[at]) * t;
        t = t * 3 + 1;
        s[k] ^= t;
      }
    }
    o[4 * i] = s[0];
    o[4 * i + 1] = (long)s[7] >> 3;
    o[4 * i + 2] = s[1] + s[2];
    o[4 * i + 3] = i;
  }
}
#endif
