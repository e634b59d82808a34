//- 6.10: the preprocessor
// accept versions
#if __OPENCL_VERSION__ < 120 || __OPENCL_C_VERSION__ != CL_VERSION_1_2 || !defined(__ENDIAN_LITTLE__) || CL_VERSION_1_1 != 110
#error
#endif
kernel void k(global int *o) { *o = __LINE__ + sizeof(__FILE__); }
// accept function_macros
#define A(x) #x
#define B(x, y) x##y
#define C(...) f(__VA_ARGS__)
#define D(x, ...) f(x, __VA_ARGS__)
#define E() 3
#define F
int f(int a, int b) { return a + b; }
kernel void k(global int *o) { int xy = 1; *o = sizeof(A(a b)) + B(x, y) + C(1, 2) + D(3, 4) + E() + B(1, 2) F; }
// accept recursive_macro
#define f(x) f(x + 1)
int (f)(int x) { return x; }
kernel void k(global int *o) { *o = f(1); }
// accept empty_arguments
#define A(x, y) x y
#define B(x) 1 x
kernel void k(global int *o) { *o = A(, 1) + A(1, ) + B(); }
// reject too_few_arguments: too few arguments provided to function-like macro invocation
#define A(x, y) x y
kernel void k(global int *o) { *o = A(1); }
// reject too_many_arguments: too many arguments provided to function-like macro invocation
#define A(x) x
kernel void k(global int *o) { *o = A(1, 2); }
// accept macro_not_called
#define A(x) x
kernel void k(global int *o) { int A = 3; *o = A; }
// accept conditions
#if 1 + 2 * 3 == 7 && (5 > 3 ? 1 : 0) && -1 < 0 && 0xff == 255 && 'a' == 97 && !defined(X) && (1 ? 2 : (1 / 1)) && ~0 == -1 && 1 << 3 == 8
kernel void k(global int *o) { *o = 1; }
#elif X(
#else
error
#endif
// accept unsigned_conditions
#if -1 > 0u && 18446744073709551615u == -1
kernel void k(global int *o) { *o = 1; }
#else
error
#endif
// accept skipped_garbage
#if 0
'unbalanced " @ $ #foo
#if 1 (
#else
#endif
#define
#include <nothing
#endif
kernel void k(global int *o) { *o = 1; }
// accept elifdef
#define Y
#ifdef X
error
#elif defined(Y) && defined Y
kernel void k(global int *o) { *o = 1; }
#endif
// reject error_directive: stop here
#error stop here
// reject unterminated_if: unterminated conditional directive
#if 1
kernel void k(global int *o) { *o = 1; }
// reject else_twice: #else after #else
#if 1
#else
#else
#endif
// reject endif_alone: #endif without #if
#endif
// reject unknown_directive: invalid preprocessing directive
#foo
// reject define_nothing: macro name missing
#define
// reject define_number: macro name must be an identifier
#define 1 2
// reject define_defined: 'defined' cannot be used as a macro name
#define defined 1
// reject division_by_zero: division by zero in preprocessor expression
#if 1 / 0
#endif
// accept division_not_evaluated
#if 0 && 1 / 0
#endif
kernel void k(global int *o) { *o = 1; }
// reject string_in_condition: invalid token at start of a preprocessor expression
#if "a"
#endif
// reject float_in_condition: floating point literal in preprocessor expression
#if 1.0
#endif
// reject assignment_in_condition: token is not a valid binary operator in a preprocessor subexpression
#if X = 1
#endif
// reject missing_condition: expected value in expression
#if
#endif
// accept keywords_in_condition
#if int || while || float4
#error
#endif
kernel void k(global int *o) { *o = 1; }
// reject bad_paste: pasting formed '1+', an invalid preprocessing token
#define A(x, y) x##y
kernel void k(global int *o) { *o = A(1, +); }
// reject paste_at_end: '##' cannot appear at end of macro expansion
#define A(x) x##
// reject stringize_nothing: '#' is not followed by a macro parameter
#define A(x) #y
// reject include_missing: 'none.h' file not found
#include "none.h"
// reject unterminated_string: missing terminating '"' character
kernel void k(global int *o) { constant char *s = "abc; }
// reject unterminated_comment: unterminated /* comment
kernel void k(global int *o) { *o = 1; } /*
// accept line_directive
#line 100 "other.cl"
kernel void k(global int *o) { *o = __LINE__; }
// reject line_zero_words: #line directive requires a positive integer argument
#line abc
// accept pragmas
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION all : disable
#pragma OPENCL FP_CONTRACT ON
#pragma unknown thing
#pragma
_Pragma("OPENCL FP_CONTRACT OFF")
kernel void k(global int *o) { _Pragma("unroll") for (int i = 0; i < 3; i++) *o += i; }
// accept extension_unknown
#pragma OPENCL EXTENSION cl_made_up : enable
kernel void k(global int *o) { *o = 1; }
// accept undef
#define A 1
#undef A
#undef B
#define A 2
kernel void k(global int *o) { *o = A; }
// accept redefined_same
#define A 1 + 2
#define A 1   +   2
kernel void k(global int *o) { *o = A; }
// accept redefined_differently
#define A 1
#define A 2
kernel void k(global int *o) { *o = A; }
// accept line_splices
#define A 1 \
  + 2
kernel void k(global int *o) { *o = A; in\
t x = 3; *o = x; // comment \
goes on
}
// accept digraphs
%:define A <: 1 :>
kernel void k(global int *o) <% int a A = <% 3 %>; *o = a<:0:>; %>
// accept stringize_odd
#define S(x) #x
constant char s[] = S("a\n" 'b' \ x  y);
kernel void k(global int *o) { *o = s[0]; }
// accept paste_operators
#define P(a, b) a##b
kernel void k(global int *o) { int x = 1; x P(+, =) 2; x P(<, <=) 1; *o P(=, ) x P(&, &) 1; }
// accept variadic_empty
#define L(f, ...) f(0, ##__VA_ARGS__)
int g(int a) { return a; }
kernel void k(global int *o) { *o = L(g); }
// accept nested_calls
#define A(x) (x + 1)
#define B(x) A(A(x))
#define C B
kernel void k(global int *o) { *o = C(1) + A(A(A(2))); }
// accept call_across_lines
#define A(x, y) x + y
kernel void k(global int *o) { *o = A
  (1,
   2); }
// accept argument_with_commas
#define A(x) x
kernel void k(global int2 *o) { *o = A((int2)(1, 2)); }
// accept unbalanced_in_macro
#define BEGIN {
#define END }
kernel void k(global int *o) BEGIN *o = 1; END
// reject unterminated_call: unterminated function-like macro invocation
#define A(x) x
kernel void k(global int *o) { *o = A(1; }
// accept directive_in_arguments
#define A(x) x
kernel void k(global int *o) { *o = A(
#ifdef X
2
#else
1
#endif
); }
// accept null_directive
#
# /* comment */
kernel void k(global int *o) { *o = 1; }
// accept hash_in_text
#define H # notastring
kernel void k(global int *o) { *o = 1; }
// accept predefined_names
kernel void k(global float *o) { o[0] = M_PI_F + FLT_MAX + MAXFLOAT + INFINITY + NAN + HUGE_VALF + FLT_EPSILON; o[1] = INT_MAX + CHAR_BIT + SCHAR_MIN + UINT_MAX + LONG_MIN + ULONG_MAX + SHRT_MAX; o[2] = CLK_LOCAL_MEM_FENCE + true + false; }
