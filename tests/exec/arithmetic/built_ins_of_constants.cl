// Built-in functions of constants, which are folded, give what they give of the same values from memory. The output is
// how often they do not, then the number of the last function that did not.
// run: -g 1 -p 0:u32 -D INT=int zero:u32:2 list:i32:0,1,2,-1,-2147483648,2147483647,31,-100
// expect: 0: 0 0
// run: -g 1 -p 0:u32 -D INT=uint zero:u32:2 list:u32:0,1,2,4294967295,2147483648,2147483647,31,4294967196
// expect: 0: 0 0
// run: -g 1 -p 0:u32 -D INT=char zero:u32:2 list:i8:0,1,2,-1,-128,127,31,-100
// expect: 0: 0 0
// run: -g 1 -p 0:u32 -D INT=long zero:u32:2 list:i64:0,1,2,-1,-9223372036854775808,9223372036854775807,31,-100
// expect: 0: 0 0
// run: -g 1 -p 0:u32 -D FLOAT=float -D BITS=uint -D AS=as_uint zero:u32:2 list:f32:0,1,2.5,-1.5,-0.0,inf,1e-42,nan
// expect: 0: 0 0
// run: -g 1 -p 0:u32 -D FLOAT=double -D BITS=ulong -D AS=as_ulong zero:u32:2 list:f64:0,1,2.5,-1.5,-0.0,inf,1e-310,nan
// expect: 0: 0 0
#ifdef INT
#define T INT
#define SIZE (8 * (int)sizeof(T))
#define E0 ((T)0)
#define E1 ((T)1)
#define E2 ((T)2)
#define E3 ((T)-1)
#define E4 ((T)(1UL << (SIZE - 1)))
#define E5 ((T)((1UL << (SIZE - 1)) - 1))
#define E6 ((T)31)
#define E7 ((T)-100)
#define SAME(x, y) ((T)(x) == (T)(y))
#define ONE(X, a) X(0, abs(a)) X(1, clz(a)) X(2, popcount(a))
#define TWO(X, a, b)                                                                                                   \
  X(10, abs_diff(a, b)) X(11, add_sat(a, b)) X(12, sub_sat(a, b)) X(13, hadd(a, b)) X(14, rhadd(a, b))                 \
  X(15, rotate(a, b)) X(16, mul_hi(a, b)) X(17, max(a, b)) X(18, min(a, b)) X(19, max(a, min(a, b)))
#define THREE(X, a, b, c) X(30, mad_hi(a, b, c)) X(31, mad_sat(a, b, c)) X(32, bitselect(a, b, c))
#else
#define T FLOAT
#define E0 ((T)0)
#define E1 ((T)1)
#define E2 ((T)2.5)
#define E3 ((T)-1.5)
#define E4 ((T)-0.0)
#define E5 ((T)INFINITY)
#define E6 ((T)(sizeof(T) == 4 ? 1e-42 : 1e-310))
#define E7 ((T)NAN)
#define SAME(x, y) (AS((T)(x)) == AS((T)(y)) || (isnan((T)(x)) && isnan((T)(y))))
#define ONE(X, a)                                                                                                   \
  X(0, fabs(a)) X(1, floor(a)) X(2, ceil(a)) X(3, rint(a)) X(4, round(a)) X(5, trunc(a)) X(6, sqrt(a)) X(7, -a)        \
  X(8, isnan(a)) X(9, isinf(a)) X(10, signbit(a)) X(11, isnormal(a)) X(12, isfinite(a)) X(13, sign(a)) X(14, logb(a))
#define TWO(X, a, b)                                                                                                   \
  X(20, copysign(a, b)) X(21, nextafter(a, b)) X(22, fmod(a, b)) X(23, isgreater(a, b)) X(24, islessequal(a, b))       \
  X(25, isunordered(a, b)) X(26, fdim(a, b)) X(27, isnotequal(a, b)) X(28, islessgreater(a, b)) X(29, step(a, b))
#define THREE(X, a, b, c) X(30, fma(a, b, c)) X(31, bitselect(a, b, c)) X(32, select(a, b, AS(c)))
#endif

#define FAIL(i) (out[0]++, out[1] = i)
#define ROWS(X, B) X(E0, B) X(E1, B) X(E2, B) X(E3, B) X(E4, B) X(E5, B) X(E6, B) X(E7, B)
#define ALL(X) ROWS(X, E0) ROWS(X, E1) ROWS(X, E2) ROWS(X, E3) ROWS(X, E4) ROWS(X, E5) ROWS(X, E6) ROWS(X, E7)
#define EACH(X, a, b, c) ONE(X, a) TWO(X, a, b) THREE(X, a, b, a) THREE(X, c, a, b)
#define CONSTANT(i, e) at[n++] = e;
#define LOADED(i, e)                                                                                                   \
  want = at[n++];                                                                                                      \
  if (!SAME(want, e))                                                                                                  \
    FAIL(i);
#define PAIR(A, B) EACH(CONSTANT, A, B, E3)

kernel void k(global uint *out, global const T *v) {
  T at[64 * 35], want;
  int n = 0;
  ALL(PAIR)
  n = 0;
  for (int j = 0; j < 8; j++)
    for (int i = 0; i < 8; i++) {
      T a = v[i], b = v[j], c = v[3];
      EACH(LOADED, a, b, c)
    }
}
