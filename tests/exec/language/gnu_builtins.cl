// Built-ins of GNU C and clang that take types, or arguments that are not evaluated, and those that say overflow.
// run: -g 4 -p 0:i32 -p 1:f32 -p 2:i32 -p 3:i32 zero:i32:40 zero:f32:40 zero:i32:28 zero:i32:36 list:i32:2147483647,-2147483648,-3,7
// expect: 0: 10 10 2147483647 1 3220 245 1065353216 13 -3 -1 10 10 -2147483648 1 3220 245 1065353216 13 -2147483638 0 10 10 -3 1 3220 245 1065353216 13 7 -3 10 10 7 1 3220 245 1065353216 13 13 7
// expect: 1: 40 1 30 2 20 5.5 15 1357 5.5 3 40 1 30 2 20 5.5 15 1357 5.5 3 40 1 30 2 20 5.5 15 1357 5.5 3 40 1 30 2 20 5.5 15 1357 5.5 3
// expect: 2: 1 -2147483648 0 2147483646 1 2147483645 0 0 -2147483647 1 2147483647 1 -2147483648 10 0 -2 0 -4 0 -9 110 0 8 0 6 0 21 1
// expect: 3: 0 0 0 -43 1 1 0 2147483647 0 0 1 0 0 0 0 0 -2147483648 1 0 -2 1 127 1 9 0 -3 0 0 8 1 45 0 49 0 7 0
typedef float f4 __attribute__((ext_vector_type(4)));
typedef int i2 __attribute__((vector_size(8)));
union number {
  int i;
  float f;
};
__extension__ typedef struct {
  char c;
  _Alignas(16) char d;
  int none[0];
} aligned_pair;
_Noreturn void stop(void) {
  for (;;)
    ;
}
int name(int x) { return _Generic(x, float: 1, int: 2, default: 3) * 100 + _Generic((char)x, int: 1, default: 4) * 10 + _Generic(1.0f + x, float: 5, int: 6); }
kernel void k(global int *o, global float *f, global int *w, global int *n, global const int *x) {
  int i = get_global_id(0), v = x[i], r = 0, side = 0;
  o += i * 10;
  o[0] = __builtin_constant_p(3 * 4) * 10 + __builtin_constant_p(v) + __builtin_constant_p(side++) + side;
  o[1] = __builtin_types_compatible_p(int, __typeof__(v)) * 10 + __builtin_types_compatible_p(int, float);
  o[2] = __builtin_choose_expr(sizeof(v) == 4, v, side = 1) ^ side;
  __auto_type p = x + i;
  const __auto_type q = *p;
  o[3] = q == v;
  o[4] = sizeof(aligned_pair) * 100 + __alignof(f4) + __alignof__(v);
  o[5] = name(v);
  o[6] = ((union number)1.0f).i;
  i2 two = {v, 5};
  o[7] = two[1] + sizeof(i2);
  o[8] = __builtin_abs(v < -9 ? -9 : v) + (int)__builtin_labs((long)v - 1);
  __volatile int t = v;
  __signed__ char c = t;
  o[9] = __extension__ c;
  float4 a = (float4)(1, 2, 3, 4), b = a * 10.0f;
  vstore4(__builtin_shufflevector(a, b, 7, 0, 6, 1), 0, f + i * 10);
  f[i * 10 + 4] = __builtin_shufflevector(a.xy, b.xy, 3, 2).x;
  f[i * 10 + 5] = __builtin_fabsf(-2.5f) + __builtin_floorf(1.5f) + __builtin_fmaxf(1, 2);
  f[i * 10 + 6] = __builtin_isnan(__builtin_nanf("")) + 2 * __builtin_isinf(__builtin_inff()) + 4 * (__builtin_signbit(-0.0f) != 0) + 8 * __builtin_isfinite(1.0f);
  int4 whole = __builtin_convertvector(a * 1.75f, int4);
  f[i * 10 + 7] = whole.x * 1000 + whole.y * 100 + whole.z * 10 + whole.w;
  __builtin_nontemporal_store(__builtin_nontemporal_load(f + i * 10 + 5), f + i * 10 + 8);
  f4 g = (f4)(1, 2, 3, 4);
  f[i * 10 + 9] = g.hi.x;
  w += i * 7;
  w[0] = __builtin_add_overflow(v, 1, &r);
  w[1] = r;
  w[2] = __builtin_sub_overflow(v, 1, &r);
  w[3] = r;
  w[4] = __builtin_mul_overflow(v, 3, &r);
  w[5] = r;
  uint u;
  w[6] = __builtin_add_overflow((uint)v, 4u, &u) * 100 + __builtin_mul_overflow((uint)v, 2u, &u) * 10 + __builtin_sub_overflow((uint)v, 8u, &u);
  n += i * 9;
  char s;
  n[0] = __builtin_add_overflow((char)v, (char)1, &s);
  n[1] = s;
  n[2] = __builtin_mul_overflow((char)v, (char)43, &s);
  n[3] = s;
  ushort us;
  n[4] = __builtin_mul_overflow((ushort)v, (ushort)v, &us);
  n[5] = us;
  long wide;
  n[6] = __builtin_mul_overflow((long)v, 4294967296L, &wide);
  n[7] = wide >> 32;
  n[8] = __builtin_sub_overflow((long)v << 32, 1L << 62, &wide);
}
