// #line renumbers and renames, also from macros; #pragma and _Pragma, also made by macros, known or not.
// run: -g 1 -p 0:i32 zero:i32:10
// expect: 0: 11 500 502 7 7 4000 5 6 105 1
#define NEXT 7
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define UNROLL(n) PRAGMA(unroll n)
#pragma OPENCL FP_CONTRACT ON
#pragma OPENCL EXTENSION all : disable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
PRAGMA(OPENCL EXTENSION cl_khr_byte_addressable_store : enable)
kernel void k(global int *o) { o[0] = __LINE__;
#line 500
  o[1] = __LINE__;

  o[2] = __LINE__;
#line NEXT "name.cl"
  o[3] = __LINE__, o[4] = sizeof __FILE__ - 1;
# line 4000 "other"
  o[5] = __LINE__, o[6] = sizeof __FILE__ - 1;
#pragma of_nobody with tokens "and text"
  {
#pragma OPENCL FP_CONTRACT DEFAULT
    int sum = 0;
    UNROLL(2)
    for (int i = 0; i < 4; i++)
      sum += i;
    o[7] = sum;
  }
  #
  int sum = 100; _Pragma("not known either") sum += 5;
  o[8] = sum;
#if __LINE__ > 4000 && __LINE__ < 4030
  o[9] = 1;
#else
#error not reached: __LINE__ counts from the last #line
#endif
}
