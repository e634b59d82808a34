// The mathematical built-in functions, their reference in MPFR, and the error that the specification allows.
#ifndef KILN_TESTS_MATH_FUNCTIONS_H
#define KILN_TESTS_MATH_FUNCTIONS_H

#include <mpfr.h>
#include <stdbool.h>

// How the second parameter is drawn so that results come near the ends of their range, or arguments near each other.
enum math_pair {
  PAIR_ANY,
  PAIR_POWER, // the exponent of x^y is drawn
  PAIR_ROOT,  // x is any number, y a small one
  PAIR_SCALE, // the exponent of x * 2^y is drawn
  PAIR_NEAR,  // y is near x, or x times a power of two
};
enum math_kind { MATH_ONE, MATH_TWO, MATH_INT }; // parameters: x, or x and y, or x and an int

typedef int math_one(mpfr_t result, const mpfr_t x, mpfr_rnd_t round);
typedef int math_two(mpfr_t result, const mpfr_t x, const mpfr_t y, mpfr_rnd_t round);
typedef int math_int(mpfr_t result, const mpfr_t x, long n, mpfr_rnd_t round);

struct math_function {
  const char *name;
  const char *call; // NULL: name(x), name(x, y)
  enum math_kind kind;
  math_one *one;
  math_two *two;
  math_int *with_int;
  double ulps[3];   // float, double, half; < 0: there is no such function. INFINITY: the specification sets no limit
  double low, high; // range that is tried most
  bool any_zero;    // the sign of a zero is not specified
  bool absolute;    // the error counts in units of 1
  bool bounded;     // defined only from low to high
  enum math_pair pair;
};

extern const struct math_function math_functions[];
extern const unsigned math_function_count;

#endif
