// accept case_range
kernel void k(global int *o, int x) { switch (x) { case 1 ... 5: *o = 1; break; case 7: *o = 2; break; default: *o = 3; } }
// accept case_range_negative
kernel void k(global int *o, int x) { switch (x) { case -5 ... -1: *o = 1; break; } }
// accept case_range_empty
kernel void k(global int *o, int x) { switch (x) { case 5 ... 1: *o = 1; break; } }
// accept case_range_char
kernel void k(global int *o, char x) { switch (x) { case 'a' ... 'z': *o = 1; break; } }
// reject case_range_overlaps: duplicate case value
kernel void k(global int *o, int x) { switch (x) { case 1 ... 5: *o = 1; break; case 3: *o = 2; } }
// reject case_range_overlaps_range: duplicate case value
kernel void k(global int *o, int x) { switch (x) { case 1 ... 5: *o = 1; break; case 4 ... 8: *o = 2; } }
// reject case_range_not_constant: expression is not an integer constant expression
kernel void k(global int *o, int x) { switch (x) { case 1 ... x: *o = 1; } }
// accept statement_expression
kernel void k(global int *o, int x) { *o = ({ int y = x + 1; y * 2; }); }
// accept statement_expression_void
kernel void k(global int *o, int x) { ({ *o = 1; }); ({ int i = 0; if (i) *o = 2; }); }
// accept statement_expression_macro
#define MAX(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
kernel void k(global int *o, int x, int y, int z) { *o = MAX(x, MAX(y, z)); }
// accept statement_expression_jumps
kernel void k(global int *o, int x) { for (int i = 0; i < x; i++) { int t = ({ if (i == 3) continue; if (i == 5) break; if (i == 9) return; i; }); o[i] = t; } }
// accept statement_expression_struct
struct S { int a, b; };
kernel void k(global int *o, int x) { *o = ({ struct S s = {x, 2}; s; }).b; }
// accept statement_expression_empty
kernel void k(global int *o) { ({}); ({;}); }
// reject statement_expression_not_lvalue: expression is not assignable
kernel void k(global int *o, int x) { ({ x; }) = 3; }
// reject statement_expression_void_value: assigning to 'int' from incompatible type 'void'
kernel void k(global int *o, int x) { *o = ({ ; }); }
// reject statement_expression_file_scope: statement expression not allowed at file scope
constant int c = ({ 3; });
// accept extension_keyword
__extension__ typedef long T;
__extension__ struct S { __extension__ int a; };
kernel void k(global int *o) { *o = __extension__ (1 + 2); __extension__ int x = 3; *o += x; __extension__ ({ *o = 3; }); }
// accept typeof_type
kernel void k(global int *o) { typeof(int) a = 1; __typeof__(int *) p = &a; __typeof(a) b = *p; *o = b; }
// accept typeof_expression
kernel void k(global float4 *o) { __typeof__(o[0].x) f = 1.0f; typeof(*o) v = f; *o = v; }
// accept typeof_not_evaluated
int f(global int *o) { return ++*o; }
kernel void k(global int *o) { typeof(f(o)) x = 1; *o += x; }
// accept typeof_array
kernel void k(global int *o) { int a[4]; typeof(a) b; for (int i = 0; i < 4; i++) b[i] = i; *o = b[2] + sizeof(typeof(a)); }
// reject typeof_nothing: expected expression
kernel void k(global int *o) { typeof() a; }
// accept auto_type
kernel void k(global int *o, float f) { __auto_type x = f * 2; *o = (int)x; const __auto_type y = *o; *o += y; }
// accept auto_type_pointer
kernel void k(global int *o) { __auto_type p = o + 1; *p = 3; }
// reject auto_type_without_init: requires an initializer
kernel void k(global int *o) { __auto_type x; }
// accept static_assert_forms
_Static_assert(sizeof(int) == 4, "int");
_Static_assert(1 < 2, "x" "y");
struct S { int a; _Static_assert(1, "m"); };
kernel void k(global int *o) { _Static_assert(sizeof(float3) == 16, "f3"); for (int i = 0; i < 2; i++) o[i] = i; _Static_assert(1, ""); }
// reject static_assert_fails: static
_Static_assert(0, "no");
// accept binary_literals
kernel void k(global int *o) { *o = 0b1011 + 0B11u + 0b1L; }
// reject binary_bad_digit: invalid digit '2' in binary constant
kernel void k(global int *o) { *o = 0b12; }
// accept zero_length_array
struct S { int n; int a[0]; };
kernel void k(global struct S *s) { s->a[0] = sizeof(struct S); }
// accept empty_struct
struct E {};
kernel void k(global int *o) { struct E e; *o = sizeof(e); }
// accept empty_initializer
struct S { int a, b; };
kernel void k(global int *o) { struct S s = {}; int a[3] = {}; *o = s.a + a[1]; }
// accept zero_length_array_variable
kernel void k(global int *o) { int a[0]; *o = sizeof(a); }
// accept empty_declaration
struct S { int a;; };
;
kernel void k(global int *o) { ; ; { } *o = 1; };
// accept builtin_expect
kernel void k(global int *o, int x) { if (__builtin_expect(x, 0)) *o = 1; if (__builtin_expect(!!(x > 3), 1)) *o = 2; }
// accept builtin_unreachable
int f(int x) { if (x) return 1; __builtin_unreachable(); }
kernel void k(global int *o, int x) { *o = f(x); }
// accept builtin_assume
kernel void k(global int *o, int x) { __builtin_assume(x > 0); *o = x; }
// accept builtin_assume_aligned
kernel void k(global int *o, int x) { int a[4]; int *p = a; p[0] = x; *o = p[0]; }
// accept builtin_constant_p
kernel void k(global int *o, int x) { *o = __builtin_constant_p(3) + __builtin_constant_p(x); }
// accept builtin_choose_expr
kernel void k(global int *o, int x) { *o = __builtin_choose_expr(1, x, 2.0f); }
// accept builtin_types_compatible
kernel void k(global int *o, int x) { *o = __builtin_types_compatible_p(int, __typeof__(x)) + __builtin_types_compatible_p(int, float); }
// accept builtin_bits
kernel void k(global int *o, uint x, ulong y) { *o = __builtin_clz(x) + __builtin_ctz(x) + __builtin_popcount(x) + __builtin_clzll(y) + __builtin_ctzl(y) + __builtin_popcountl(y) + __builtin_ffs(x) + __builtin_parity(x) + __builtin_bswap32(x); }
// accept builtin_overflow
kernel void k(global int *o, int x, int y) { int r; *o = __builtin_add_overflow(x, y, &r); *o += r; *o += __builtin_mul_overflow(x, y, &r) + __builtin_sub_overflow(x, y, &r); }
// accept builtin_math
kernel void k(global float *o, float x, float y) { *o = __builtin_fabsf(x) + __builtin_sqrtf(x) + __builtin_fmaf(x, y, x) + __builtin_fminf(x, y) + __builtin_fmaxf(x, y) + __builtin_floorf(x) + __builtin_inff() + __builtin_nanf("") + __builtin_huge_valf(); }
// accept builtin_isnan
kernel void k(global int *o, float x) { *o = __builtin_isnan(x) + __builtin_isinf(x) + __builtin_isfinite(x) + __builtin_signbit(x); }
// accept builtin_offsetof
struct S { int a; float4 b; int c[3]; };
kernel void k(global int *o) { *o = __builtin_offsetof(struct S, b) + __builtin_offsetof(struct S, c[1]) + __builtin_offsetof(struct S, b); }
// accept builtin_shufflevector
kernel void k(global float4 *o, float4 a, float4 b) { *o = __builtin_shufflevector(a, b, 0, 4, 1, 5); }
// accept builtin_convertvector
kernel void k(global int4 *o, float4 a) { *o = __builtin_convertvector(a, int4); }
// accept builtin_bit_rotates
kernel void k(global uint *o, uint a) { *o = __builtin_rotateleft32(a, 3) + __builtin_rotateright32(a, 3) + __builtin_bitreverse32(a); }
// accept builtin_abs
kernel void k(global int *o, int a) { *o = __builtin_abs(a) + (int)__builtin_labs(a); }
// accept gnu_attributes
__attribute__((noinline, pure)) int f(int x) { return x; }
static inline __attribute__((always_inline)) int g(int x __attribute__((unused))) { return 1; }
int h(int) __attribute__((const));
int h(int x) { return x; }
kernel void k(global int *o) { int x __attribute__((aligned(16))) = f(2); *o = x + g(1) + h(2); }
// accept label_attribute
kernel void k(global int *o) { goto l; l: __attribute__((unused)) *o = 1; }
// accept local_label
kernel void k(global int *o) { { __label__ l; goto l; l: *o = 1; } }
// reject computed_goto: the address of a label is not supported
kernel void k(global int *o) { void *p = &&l; goto *p; l: *o = 1; }
// accept conditional_omitted
kernel void k(global int *o, int x) { *o = x ?: 3; }
// accept designator_old
struct S { int a, b; };
kernel void k(global int *o) { struct S s = {b: 3, a: 4}; *o = s.a; }
// accept designator_range
kernel void k(global int *o) { int a[8] = {[0 ... 3] = 1, [4 ... 7] = 2}; *o = a[5]; }
// accept designator_array_old
kernel void k(global int *o) { int a[4] = {[1] 5}; *o = a[1]; }
// accept union_cast
union U { int i; float f; };
kernel void k(global int *o) { *o = ((union U)3).i; }
// accept alignof
kernel void k(global int *o) { *o = __alignof__(float4) + __alignof(int) + __alignof__(*o) + _Alignof(double); }
// accept alignas
kernel void k(global int *o) { _Alignas(16) int x = 3; *o = x; }
// accept generic_selection
kernel void k(global int *o, float x) { *o = _Generic(x, float: 1, int: 2, default: 3); }
// accept noreturn
_Noreturn void f(global int *o) { *o = 1; for (;;) ; }
kernel void k(global int *o, int x) { if (x) f(o); *o = 2; }
// accept dollar_in_identifier
kernel void k(global int *o) { int a$b = 1; *o = a$b; }
// accept escape_e
constant char s[] = "\e[0m";
kernel void k(global int *o) { *o = '\e' + s[0]; }
// accept inline_forms
static __inline int f(void) { return 1; }
static __inline__ int g(void) { return 1; }
inline int h(void) { return 2; }
kernel void k(global int *o) { *o = f() + g() + h(); }
// accept keyword_spellings
kernel void k(global int * __restrict o, __const int x) { __volatile int a = x; __signed__ int b = a; __signed c = b; __const__ int d = c; __volatile__ int e = d; *o = e; }
// accept asm_label_off
#ifdef USE_ASM
kernel void k(global int *o) { asm volatile("nop"); }
#else
kernel void k(global int *o) { *o = 1; }
#endif
// accept function_names
kernel void k(global int *o) { *o = sizeof(__func__) + sizeof(__FUNCTION__) + sizeof(__PRETTY_FUNCTION__); }
// accept pragma_push
#pragma GCC diagnostic push
#pragma clang diagnostic ignored "-Wall"
#pragma clang loop unroll(full)
kernel void k(global int *o) {
#pragma clang loop unroll_count(4)
for (int i = 0; i < 4; i++) o[i] = 1;
#pragma clang loop vectorize(enable) interleave(disable)
for (int i = 0; i < 4; i++) o[i] = 1;
#pragma unroll 4
for (int i = 0; i < 4; i++) o[i] = 1;
#pragma nounroll
for (int i = 0; i < 4; i++) o[i] = 1;
#pragma GCC unroll 2
for (int i = 0; i < 4; i++) o[i] = 1;
}
// accept ext_vector_type
typedef float f4 __attribute__((ext_vector_type(4)));
kernel void k(global f4 *o) { f4 a = (f4)(1, 2, 3, 4); *o = a.xyzw; float4 b = a; }
// accept vector_size
typedef float v4 __attribute__((vector_size(16)));
kernel void k(global float *o) { v4 a = {1, 2, 3, 4}; *o = a[1]; }
// accept va_opt
#define F(x, ...) (x __VA_OPT__(+ 1))
kernel void k(global int *o) { *o = F(1) + F(1, 2); }
// accept named_variadic
#define F(x, args...) g(x, ##args)
int g(int a, int b) { return a + b; }
kernel void k(global int *o) { *o = F(1, 2); }
// accept counter
#define C2(a, b) a##b
#define C(a, b) C2(a, b)
kernel void k(global int *o) { int C(x, __COUNTER__) = 1, C(x, __COUNTER__) = 2; *o = x0 + x1; }
// accept has_macros
#if defined(__has_builtin) && __has_builtin(__builtin_expect)
#endif
#if __has_include("nothing.h")
#error
#endif
#if defined __has_attribute
#if __has_attribute(aligned)
#endif
#endif
kernel void k(global int *o) { *o = 1; }
// accept include_level_base_file
kernel void k(global int *o) { *o = __INCLUDE_LEVEL__ + __LINE__; }
// accept warning_and_ident
#warning hello
#ident "x"
kernel void k(global int *o) { *o = 1; }
// accept assert_like_once
#pragma once
kernel void k(global int *o) { *o = 1; }
// accept unnamed_members
struct S { struct { int a, b; }; union { int c; float d; }; };
kernel void k(global int *o) { struct S s = {{1, 2}, {3}}; *o = s.a + s.c; }
// accept packed_forms
struct __attribute__((packed)) P { char a; int b; };
typedef struct { char a; int b; } __attribute__((packed)) Q;
kernel void k(global int *o) { *o = sizeof(struct P) + sizeof(Q); }
// accept enum_forward_values
enum E { A = 1 << 3, B, C = B * 2, D = sizeof(int), };
enum __attribute__((packed)) F { G };
kernel void k(global int *o) { enum E e = C; *o = e + G; }
// accept pointer_arith_void
kernel void k(global int *o) { global void *p = o; *o = ((global int *)(p + 4))[0]; }
// accept comparison_pointer_int_zero
kernel void k(global int *o) { if (o == 0 || o != NULL || !o) *o = 1; }
// accept cast_lvalue_no
kernel void k(global int *o) { *(global float *)o = 1.0f; ((global char *)o)[3] = 1; }
// reject cast_as_lvalue: expression is not assignable
kernel void k(global int *o) { int x; (char)x = 3; }
// accept nested_function_no_semicolon
int f(int x) { return x; };
kernel void k(global int *o) { *o = f(2); };
// reject nested_function: function definition is not allowed here
kernel void k(global int *o) { int f(int x) { return x; } *o = f(1); }
// accept extern_inline
extern int f(int x);
int f(int x) { return x; }
kernel void k(global int *o) { extern int f(int); *o = f(1); }
// accept long_long
kernel void k(global int *o) { *o = (int)1ULL; }
// accept long_long_type
kernel void k(global int *o) { long long x = 1; *o = x; }
// accept builtin_trap
kernel void k(global int *o, int x) { if (x == 77) __builtin_trap(); *o = x; }
// reject jump_into_statement_expression: 'case' statement not in switch statement
kernel void k(global int *o, int x) { switch (x) { case 0: *o = ({ case 1: x; }); } }
// reject auto_type_parameter: '__auto_type' is allowed for variables with an initializer only
int f(__auto_type x) { return x; }
kernel void k(global int *o) { *o = f(1); }
// reject auto_type_array: '__auto_type' is allowed for variables with an initializer only
kernel void k(global int *o) { __auto_type x[2] = {1, 2}; }
// reject generic_no_match: controlling expression type 'float' not compatible with any generic association type
kernel void k(global int *o) { *o = _Generic(1.0f, int: 1); }
// reject ext_vector_type_five: 'ext_vector_type' attribute makes no vector of 2, 3, 4, 8 or 16 elements
typedef float f5 __attribute__((ext_vector_type(5)));
// reject shufflevector_index: index for '__builtin_shufflevector' must be less than the total number of vector elements
kernel void k(global float4 *o, float4 a) { *o = __builtin_shufflevector(a, a, 0, 8, 1, 2); }
// reject choose_not_constant: '__builtin_choose_expr' requires a constant expression
kernel void k(global int *o, int x) { *o = __builtin_choose_expr(x, 1, 2); }
// reject break_in_header: 'break' statement not in loop or switch statement
kernel void k(global int *o, int x) { while (({ break; x; })) *o = 1; }
// accept statement_expression_label
kernel void k(global int *o, int x) { *o = ({ int i = 0; again: i++; if (i < x) goto again; i; }); }
// accept statement_expression_goto_out
kernel void k(global int *o, int x) { int y = ({ if (x == 3) goto out; x; }); *o = y; out: ; }
// reject statement_expression_goto_into: cannot jump from this goto statement to its label
kernel void k(global int *o, int x) { if (x) goto in; *o = ({ in: x; }); }
// reject statement_expression_goto_beside: cannot jump from this goto statement to its label
kernel void k(global int *o, int x) { *o = ({ a: x; }) + ({ if (x) goto a; 2; }); }
// reject statement_expression_goto_deeper: cannot jump from this goto statement to its label
kernel void k(global int *o, int x) { *o = ({ if (x) goto a; ({ a: x; }); }); }
// accept statement_expression_goto_outwards
kernel void k(global int *o, int x) { *o = ({ int i = 0; a: i++; ({ if (i < x) goto a; 2; }); }); }
// accept statement_expression_labelled_value
kernel void k(global int *o, int x) { *o = ({ if (x) goto in; x++; in: also: x; }); }
// accept statement_expression_duff
kernel void k(global int *o, int x) { *o = ({ int n = 0; switch (x) { case 0: do { n++; case 1: n += 10; } while (n < 40); } n; }); }
// reject statement_expression_case_of_outer: 'case' statement not in switch statement
kernel void k(global int *o, int x) { switch (x) { case 0: ({ case 1: *o = 1; }); } }
// accept local_label
#define M(x) ({ __label__ done; int r = 0; if (x) goto done; r = 1; done: r; })
kernel void k(global int *o, int x) { *o = M(x) + M(x + 1); }
// accept local_labels_of_blocks
kernel void k(global int *o, int x) { { __label__ a, b; goto b; a: *o = 1; b: ; if (x) goto a; } { __label__ a; goto a; a: *o = 2; } a: ; }
// reject local_label_not_defined: use of undeclared label 'a'
kernel void k(global int *o) { __label__ a; *o = 1; }
// reject local_label_left: use of undeclared label 'a'
kernel void k(global int *o, int x) { { __label__ a; if (x) goto a; a: *o = 1; } goto a; }
// reject local_label_no_name: expected identifier
kernel void k(global int *o, int x) { __label__ 3; *o = 1; }
// accept parameters_behind
int f(a, b) int a; int b; { return a + b; }
kernel void k(global int *o) { *o = f(1, 2); }
// accept parameters_behind_shared
typedef int T;
int f(a, b, T2, min) T a, *b; T T2[3]; const float4 min; { return a + *b + T2[1] + (int)min.x; }
kernel void k(global int *o) { int t[3] = {3, 4, 5}; *o = f(1, &t[0], t, (float4)(1)); }
// accept parameters_behind_kernel
kernel void k(o, n) global int *o; uint n; { *o = n; }
// accept parameters_behind_one
static float f(a) float a; { return a; }
kernel void k(global float *o) { *o = f(1.0f); }
// reject parameters_behind_undeclared: was not declared
int f(a, b) int a; { return a; }
kernel void k(global int *o) { *o = f(1, 2); }
// reject parameters_behind_none_declared: parameter 'a' was not declared
int f(a, b) { return 3; }
kernel void k(global int *o) { *o = f(1, 2); }
// reject parameters_behind_unknown: parameter named 'c' is missing
int f(a, b) int a; int c; { return a + b; }
kernel void k(global int *o) { *o = f(1, 2); }
// reject parameters_behind_twice: redefinition of parameter 'a'
int f(a, b) int a, b; float a; { return a + b; }
kernel void k(global int *o) { *o = f(1, 2); }
// reject parameters_behind_same_names: redefinition of parameter 'a'
int f(a, a) int a; { return a; }
kernel void k(global int *o) { *o = f(1, 2); }
// reject parameters_behind_declaration: a parameter list without types is only allowed in a function definition
int f(a, b);
kernel void k(global int *o) { *o = 1; }
// reject parameters_behind_declaration_types: parameter named 'k' is missing
int f(a, b) int a; int b;
kernel void k(global int *o) { *o = 1; }
// reject parameters_behind_storage: invalid storage class specifier in function declarator
int f(a, b) static int a; int b; { return a; }
kernel void k(global int *o) { *o = f(1, 2); }
// reject parameters_behind_initialized: expected ';' at end of declaration
int f(a, b) int a = 3; int b; { return a; }
kernel void k(global int *o) { *o = f(1, 2); }
// reject parameters_behind_mixed: unknown type name 'a'
int f(a, int b) int a; { return a; }
kernel void k(global int *o) { *o = f(1, 2); }
// accept memory_functions
kernel void k(global int *o, global int *in, int n) { int a[4] = {1, 2, 3, n}, b[4]; __builtin_memcpy(b, a, sizeof a); __builtin_memcpy(o, in, n); __builtin_memmove(a, a + 1, 12); __builtin_memset(b, 0, 16); *o = __builtin_memcmp(a, b, 16); global void *p = __builtin_memcpy(o, o + 8, 4); }
// reject memory_to_constant: discards qualifiers
constant int c[2] = {1, 2}; kernel void k(global int *o) { __builtin_memcpy(c, o, 4); }
// reject memory_no_pointer: passing 'int' to parameter of incompatible type 'void *'
kernel void k(global int *o, int n) { __builtin_memcpy(n, o, 4); }
// reject memory_arguments: expected ','
kernel void k(global int *o) { __builtin_memcpy(o, o); }
// reject memory_struct_size: passing 'struct S' to parameter of incompatible type
struct S { int a; }; kernel void k(global int *o, int n) { struct S s = {1}; __builtin_memcpy(o, o + 1, s); }
// accept bit_cast
kernel void k(global int *o, float x, short2 s) { *o = __builtin_bit_cast(int, x) + __builtin_bit_cast(int, s); }
// accept assume_aligned
kernel void k(global int *o) { global int *p = __builtin_assume_aligned(o, 16); *p = 1; p = __builtin_assume_aligned(o, 16, 4); }
// accept floats_compared
kernel void k(global int *o, float x, float y) { *o = __builtin_isless(x, y) + __builtin_isgreater(x, y) + __builtin_islessequal(x, y) + __builtin_isunordered(x, y) + __builtin_islessgreater(x, y) + __builtin_isgreaterequal(x, y) + __builtin_isnormal(x); }
// accept expectations
kernel void k(global int *o, int x) { if (__builtin_expect_with_probability(x, 1, 0.9) && __builtin_unpredictable(x)) *o = 1; }
