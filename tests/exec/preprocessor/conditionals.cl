// Conditional inclusion with expressions.
// run: -g 1 -p 0:i32 zero:i32:6 -D MODE=2
// expect: 0: 2 2 5 1 4 1
#define A 5
kernel void k(global int *o) {
#if MODE == 1
  o[0] = 1;
#elif MODE == 2 && defined(A) && !defined B
  o[0] = 2;
#else
  o[0] = 3;
#endif
#ifdef B
  o[1] = 1;
#ifdef C
#else
#endif
#else
  o[1] = 2;
#endif
#ifndef B
  o[2] = A;
#endif
#if (1 ? 3 : 0) > 2 && -1 < 0 && 0xffu >> 4 == 15 && 'a' == 97 && UNKNOWN == 0
  o[3] = 1;
#endif
#undef A
#if !defined A
  o[4] = 4;
#endif
#if 0
  this is not "code
#elif 1
  o[5] = __LINE__ > 20;
#endif
}
