// Comments and continued lines in odd places.
// run: -g 1 -p 0:i32 zero:i32:2
// expect: 0: 1 2
#define LONG_MACRO(x) \
  do {                \
    o[0] += x; /* a   \
    comment */        \
  } while (0)
kernel void k(global int *o) {
  int a/**/= 1; // comment \
  o[0] = 100;
  LONG_MACRO(a);
  o[1] = 1/*x*/+/**/1;
}
