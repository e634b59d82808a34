//- Forms that are valid and seldom seen, of all sections, and their neighbours that are not
// accept char_vector_ternary_literal
kernel void k(global char4 *o, char4 a) { *o = a > (char4)0 ? (char4)(1, 2, 3, 4) : (char4)(-1); }
// accept typedef_shadowed_by_variable
typedef int T; kernel void k(global int *o) { T T = 3; *o = T + sizeof(T); }
// accept typedef_shadowed_by_parameter
typedef float size; static int f(int size) { return size; } kernel void k(global int *o) { *o = f(2); }
// accept member_like_typedef
typedef int T; struct S { T T; float x; }; kernel void k(global int *o) { struct S s = {.T = 1}; *o = s.T; }
// accept label_like_variable
kernel void k(global int *o, int x) { int a = 1; if (x) goto a; a: a++; *o = a; }
// accept tag_like_function
struct f { int a; }; int f(struct f f) { return f.a; } kernel void k(global int *o) { struct f x = {3}; *o = f(x); }
// accept array_index_reversed
kernel void k(global int *o) { int a[3] = {1, 2, 3}; *o = 2[a] + (1 + 1)[a]; }
// accept swizzle_of_call
float4 f(float x) { return (float4)(x); } kernel void k(global float2 *o) { *o = f(1.0f).xw; *o += f(2.0f).hi; }
// accept swizzle_duplicate_read
kernel void k(global float4 *o, float4 v) { *o = v.xxyy + v.wwww.xyzw + v.s3210; }
// reject swizzle_duplicate_write: vector is not assignable (contains duplicate components)
kernel void k(global float4 *o, float4 v) { v.xx = (float2)(1); *o = v; }
// reject swizzle_mixed_sets: illegal vector component name 's'
kernel void k(global float2 *o, float4 v) { *o = v.xs1; }
// accept swizzle_upper_s
kernel void k(global int *o, int16 v) { *o = v.sA + v.sF + v.Sb + v.S3; }
// reject swizzle_out_of_range: vector component access exceeds type 'int2'
kernel void k(global int *o, int2 v) { *o = v.z; }
// accept sizeof_expression_forms
kernel void k(global int *o, int4 v) { *o = sizeof v + sizeof(v.xyz) + sizeof v.x + sizeof(int)*2 + sizeof -1 + sizeof(v) [0 ? 0 : 0]; }
// accept vec_three_literals
kernel void k(global float *o) { float3 v = (float3)((float2)(1, 2), 3); float4 w = (float4)(v, 4); *o = w.w + v.z; }
// reject vec_literal_too_few: too few elements in vector initialization (expected 4 elements, have 2)
kernel void k(global float4 *o) { *o = (float4)(1, 2); }
// reject vec_literal_too_many: excess elements in vector initializer
kernel void k(global float2 *o) { *o = (float2)(1, 2, 3); }
// accept vec_literal_nested
kernel void k(global float8 *o, float4 a) { *o = (float8)((float4)((float2)(1), (float2)(2)), a); }
// accept vector_compare_result
kernel void k(global int4 *o, float4 a, float4 b) { int4 m = a < b; *o = m & (a == b) | ~(a != b); }
// reject vector_compare_type: initializing 'float4' with an expression of incompatible type 'int4'
kernel void k(global float4 *o, float4 a, float4 b) { float4 m = a < b; *o = m; }
// accept vector_logical
kernel void k(global int4 *o, int4 a, float4 b) { *o = (a && a) || !a; int4 c = b && b; *o += c; }
// accept vector_scalar_shift
kernel void k(global uint4 *o, uint4 a) { *o = a << 3 >> (uint4)(1, 2, 3, 4); }
// reject scalar_vector_shift: invalid operands to binary expression ('uint' and 'uint4')
kernel void k(global uint4 *o, uint4 a) { *o = 3u << a; }
// accept vector_compound_scalar
kernel void k(global float4 *o, float4 a) { a *= 2.0f; a += 1; a -= a; a /= 3; *o = a; }
// reject vector_remainder_float: invalid operands to binary expression ('float4' and 'float4')
kernel void k(global float4 *o, float4 a) { *o = a % a; }
// accept condition_pointer
kernel void k(global int *o) { if (o) *o = 1; while (!o) break; *o = o ? 1 : 2; *o = o && 1; }
// reject condition_vector: statement requires expression of scalar type ('int4' invalid)
kernel void k(global int *o, int4 v) { if (v) *o = 1; }
// accept conditional_mixed_numbers
kernel void k(global float *o, int c) { *o = c ? 1 : 2.5f; *o += c ? (char)1 : 2u; }
// accept conditional_null
kernel void k(global int *o, int c) { global int *p = c ? o : 0; global int *q = c ? 0 : p; if (q) *q = 1; }
// reject conditional_spaces: conditional expression between ('__global int *' and '__local int *') which are pointers to non-overlapping address spaces
kernel void k(global int *o, local int *l, int c) { *o = *(c ? o : l); }
// accept comma_in_for
kernel void k(global int *o) { for (int i = 0, j = 9; i < j; i++, j--) o[i] = j; }
// accept declaration_in_switch
kernel void k(global int *o, int x) { switch (x) { int y; case 0: y = 1; *o = y; break; default: { int y = 2; *o = y; } } }
// accept switch_without_braces
kernel void k(global int *o, int x) { switch (x) case 3: *o = 1; switch (x) default: *o = 2; }
// accept empty_statements
kernel void k(global int *o) { ;;; {} {;} if (*o) ; else ; for (;;) break; }
// accept nested_functions_calls
int g(int a) { return a + 1; } int f(int a) { return g(g(g(a))); } kernel void k(global int *o) { *o = f(g(f(1))); }
// accept forward_declared
int f(int); int f(int a); kernel void k(global int *o) { *o = f(1); } int f(int b) { return b; }
// accept extern_declaration
extern constant int c; constant int c = 3; kernel void k(global int *o) { *o = c; }
// accept const_arrays_of_arrays
constant int a[2][3][2] = {{{1, 2}, {3}}, {{4}}}; kernel void k(global int *o, int x) { *o = a[x][1][0] + sizeof(a) / sizeof(a[0]); }
// accept pointer_to_array
kernel void k(global int *o) { int a[2][3] = {{1, 2, 3}, {4, 5, 6}}; int (*p)[3] = a + 1; *o = (*p)[2] + p[-1][1]; }
// accept array_parameter_forms
int f(int a[const 3], int b[static 2], const int c[][2]) { return a[0] + b[1] + c[0][1]; } kernel void k(global int *o) { int x[3] = {1}, y[2][2] = {{1}}; *o = f(x, x, y); }
// accept pointer_difference
kernel void k(global long *o, global int *p) { *o = &p[3] - p; *o += (p + 2) - (p + 1) > 0; }
// reject pointer_sum: invalid operands to binary expression ('__global int *' and '__global int *')
kernel void k(global int *o, global int *p) { *o = p + o; }
// accept union_anonymous
struct S { union { int i; float f; }; struct { char a, b; }; }; kernel void k(global int *o) { struct S s; s.f = 1; s.a = 2; *o = s.i + s.a; }
// accept struct_self_pointer
struct N { int v; private struct N *next; }; kernel void k(global int *o) { struct N a = {1, 0}, b = {2, &a}; *o = b.next->v; }
// accept enum_forward_values
enum { A = 'a', B = A + 1, C = sizeof(int) * B, D = -A }; constant int t[C] = {[A] = 1}; kernel void k(global int *o) { *o = t[B] + D; }
// accept enum_in_struct
struct S { enum { X, Y } kind; int v; }; kernel void k(global int *o) { struct S s = {Y, 2}; *o = s.kind == X; }
// accept char_arithmetic
kernel void k(global int *o, char c, uchar u) { c += u; c <<= 1; c = -c; u = ~u; *o = c * u + (c > u); }
// accept hex_float
kernel void k(global float *o) { *o = 0x1.8p3f + 0x.8p0f + 1e-3f + .5f + 5.f; }
// accept number_suffixes
kernel void k(global ulong *o) { *o = 1u + 2UL + 3lu + 0xffu + 4l + 5L + 010u; }
// reject number_suffix_longlong_upper: invalid suffix 'LLL' on integer constant
kernel void k(global ulong *o) { *o = 1LLL; }
// accept number_longlong
kernel void k(global ulong *o) { *o = 1ULL + 2ll; }
// accept escapes
kernel void k(global char *o) { o[0] = '\x41'; o[1] = '\101'; o[2] = '\''; o[3] = '\\'; o[4] = '\a' + '\0'; constant char *s = "a\tb\x00" "c"; o[5] = s[1]; }
// accept macro_named_keyword
#define if(x) while (x)
kernel void k(global int *o) { if (*o > 3) --*o; }
// accept macro_empty_arguments
#define F(a, b, c) a + b + c + 1
kernel void k(global int *o) { *o = F(, , 2) + F(1,,); }
// accept macro_paste_number
#define N(a, b) a##b
kernel void k(global int *o) { int x1y = N(1, 2) + N(0x, f); *o = N(x1, y) N(+, =) 1, *o = x1y; }
// accept macro_stringize
#define S(x) #x
#define T(x) S(x)
kernel void k(global int *o) { constant char *a = S(a "b" \n), *b = T(__LINE__); *o = a[0] + b[0]; }
// accept macro_recursive
#define f(x) f(x + 1)
int (f)(int a) { return a; } kernel void k(global int *o) { *o = f(2); }
// accept directive_forms
#if defined(__OPENCL_C_VERSION__) && !defined X && __OPENCL_C_VERSION__ >= CL_VERSION_1_0
# define Y 1 /* comment
 over lines */ + 2
#elif 1 / 0
#else
#error no
#endif
#
#pragma nothing known
#line 100 "other.cl"
kernel void k(global int *o) { *o = Y; }
// accept digraphs
kernel void k(global int *o) <% int a<:2:> = <%1, 2%>; *o = a<:1:>; %>
// accept line_continuations
ker\
nel void k(global i\
nt *o) { *o = 1; } // comment \
   goes on
// accept attributes_everywhere
__attribute__((reqd_work_group_size(8, 1, 1))) __attribute__((vec_type_hint(float4))) kernel __attribute__((work_group_size_hint(8, 1, 1))) void k(global int *o __attribute__((unused))) { int a __attribute__((aligned(16))) = 1; struct __attribute__((packed)) { char c; int i; } s = {1, 2}; *o = a + s.i; }
// accept attribute_unknown
__attribute__((something_else(3, "x"))) kernel void k(global int *o) { *o = 1; }
// accept restrict_and_quals
kernel void k(global const volatile int *restrict const o, volatile global int *p) { const volatile int x = *o; *p = x; }
// reject restrict_on_number: restrict requires a pointer or reference ('int' is invalid)
kernel void k(global int *o) { int restrict x = 1; *o = x; }
// accept inline_functions
static inline int f(int a) { return a; } inline static int g(int a) { return a; } kernel void k(global int *o) { *o = f(1) + g(2); }
// accept unsigned_forms
kernel void k(global int *o) { unsigned a = 1; unsigned char b = 2; long int c = 3; short unsigned int d = 4; int unsigned long e = 5; signed f = -1; char signed g = 1; *o = a + b + c + d + e + f + g; }
// reject unsigned_twice: cannot combine with previous 'unsigned' declaration specifier
kernel void k(global int *o) { unsigned signed a = 1; *o = a; }
// reject long_long_type: cannot combine with previous 'long' declaration specifier
kernel void k(global int *o) { long long long a = 1; *o = a; }
// accept long_long_type_two
kernel void k(global int *o) { long long a = 1; *o = a; }
// accept bool_conversions
kernel void k(global int *o, float f) { bool b = f; b = o; b += 2; b = !b; *o = b + (bool)2.5f + sizeof(bool); }
// reject bool_vector: unknown type name 'bool4'
kernel void k(global int *o) { bool4 b; *o = 1; }
// accept as_types
kernel void k(global int *o, float f, char4 c, short3 s) { *o = as_int(f) + as_int(c) + as_short4(s).x + as_float(*o); }
// reject as_size: invalid reinterpretation: sizes of 'short' and 'char3' must match
kernel void k(global int *o, char3 c) { *o = as_short(c); }
// accept convert_forms
kernel void k(global uchar4 *o, float4 f, int4 i) { *o = convert_uchar4_sat_rte(f) + convert_uchar4(i) + convert_uchar4_sat(i); float x = convert_float_rtz(3); }
// accept size_t_types
kernel void k(global ulong *o) { size_t a = get_global_id(0); ptrdiff_t b = -1; uintptr_t c = (uintptr_t)o; intptr_t d = c; *o = a + b + c + d; }
// accept event_and_async
kernel void k(global float *g, local float *l) { event_t e = async_work_group_copy(l, g, 16, 0); e = async_work_group_strided_copy(l, g, 4, 2, e); wait_group_events(1, &e); g[0] = l[0]; }
// accept local_in_scope
kernel void k(global int *o) { local int a[4]; local struct { int x; float4 v; } s; local int b; b = 1; a[0] = b; s.x = a[0]; *o = s.x; }
// reject local_in_block: variables in the local address space can only be declared in the outermost scope of a kernel function
kernel void k(global int *o) { { local int a; a = 1; *o = a; } }
// accept constant_in_function
kernel void k(global int *o) { constant int t[3] = {1, 2, 3}; constant int *p = t; *o = p[1]; }
// accept kernel_many_attributes
kernel __attribute__((reqd_work_group_size(1, 2, 3))) void k(constant float4 *restrict c, global uchar *o, local short2 *l, float16 v, int n) { o[0] = n + c[0].x + v.sf + l[0].y; }
// accept vload_forms
kernel void k(global float *o, constant char *c, local int *l) { float3 a = vload3(1, o); int2 b = vload2(0, l); char16 d = vload16(0, c); vstore3(a, 0, o); vstore2(b, 1, l); o[7] = d.sc; }
// accept printf_forms
kernel void k(global int *o) { printf("%d %5.2f %s %v4f %c %%\n", *o, 1.0f, "text", (float4)(1), 'x'); printf("x" "y\n"); }
// accept select_forms
kernel void k(global float4 *o, float4 a, int4 m, float f, uint u) { *o = select(a, a + 1, m) + select(f, f, u) + bitselect(a, a, a); }
// accept min_max_forms
kernel void k(global float4 *o, float4 a, int4 i) { *o = max(a, 0.0f) + min(a, a) + clamp(a, 0.0f, 1.0f) + convert_float4(max(i, 3)) + mix(a, a, 0.5f) + step(0.5f, a) + smoothstep(0.0f, 1.0f, a); }
// reject min_ambiguous: call to 'min' is ambiguous
kernel void k(global float *o, int i, float f) { *o = min(i, f); }
// accept mad24_hi
kernel void k(global int *o, int a, short2 s) { *o = mad24(a, a, 1) + mul_hi(a, 3) + mad_sat(a, a, a) + hadd(s, s).x + upsample((short)1, (ushort)2); }
// accept fract_modf
kernel void k(global float *o, float4 v) { float4 i; int4 e; *o = fract(v, &i).x + modf(v, &i).y + frexp(v, &e).x + lgamma_r(v, &e).x + remquo(v, v, &e).x + sincos(v, &i).x; }
// accept atomics_forms
kernel void k(global int *o, local uint *l, volatile global float *f) { atomic_add(o, 1); atomic_inc(l); atomic_xchg(f, 1.0f); atomic_cmpxchg(o, 1, 2); atom_add(o, 1); atomic_min(l, 3u); atomic_and(o, 1); }
// reject atomic_float_add: no matching function for call to 'atomic_add'
kernel void k(volatile global float *f) { atomic_add(f, 1.0f); }
// accept flexible_kernel_order
void helper(global int *o); kernel void a(global int *o) { helper(o); } void helper(global int *o) { *o = 1; } kernel void b(global int *o) { a(o); }
// accept recursion_of_types
typedef struct { int x[2]; } A; typedef struct { A a[2]; } B; kernel void k(global int *o) { B b = {{{{1, 2}}, {{3, 4}}}}; B c = b; A d = c.a[1]; *o = d.x[0]; }
// accept struct_return_member
typedef struct { float4 v; int n[3]; } R; R f(int a) { R r = {(float4)(a), {a, a + 1}}; return r; } kernel void k(global float *o) { *o = f(2).v.y + f(3).n[1]; }
// accept compound_literals
struct P { int x, y; }; int f(struct P p) { return p.x + p.y; } kernel void k(global int *o) { *o = f((struct P){1, 2}) + f((struct P){.y = 3}) + ((int[]){1, 2, 3})[1] + (int){4}; }
// accept volatile_cast
kernel void k(global int *o) { *(volatile global int *)o = 1; ((global char *)o)[1] = 2; *(global float4 *)o = (float4)(1); }
// accept void_casts
kernel void k(global int *o, int x) { (void)x; (void)(x + 1); (void)*o; x ? (void)0 : (void)1; *o = 1; }
// reject void_value: assigning to 'int' from incompatible type 'void'
void f(void) {} kernel void k(global int *o) { *o = f(); }
// accept void_pointer
kernel void k(global void *v, global int *o) { global int *p = v; *p = 1; global void *q = o; *o = v == q; }
// reject void_deref: ISO C does not allow indirection on operand of type '__global void *'
kernel void k(global void *v) { *v; int x = *v; }
// accept private_to_private_void
kernel void k(global int *o) { int a = 1; private void *v = &a; private int *p = v; *o = *p; }
// accept function_pointer_like_paren
int (f)(int (a)) { return (a); } kernel void (k)(global int *(o)) { *(o) = f(1); }
// accept null_comparisons
kernel void k(global int *o, global int *p) { *o = (p == 0) + (p != NULL) + (0 == p) + (p > o); }
// accept int_min
kernel void k(global int *o) { *o = INT_MIN + (-2147483647 - 1) + LONG_MAX % 7 + CHAR_BIT + (UINT_MAX > 0); }
// accept float_constants
kernel void k(global float *o) { *o = FLT_MAX + MAXFLOAT + INFINITY + NAN + M_PI_F + HUGE_VALF + FLT_EPSILON; }
// accept trigraph_free
kernel void k(global int *o) { constant char *s = "what?!"; *o = s[5]; }
// accept c99_for_scope
kernel void k(global int *o) { int i = 5; for (int i = 0; i < 2; i++) { int i = 7; *o = i; } *o += i; }
// accept static_array_of_struct_consts
struct S { float4 v; int n; }; constant struct S t[] = {{(float4)(1, 2, 3, 4), 1}, {.n = 3}}; kernel void k(global int *o) { *o = t[1].n + sizeof(t); }
// accept vector_in_union
union U { float4 v; float f[4]; uint u[4]; uchar16 c; }; kernel void k(global float *o, float4 x) { union U u; u.v = x; u.u[1] ^= 0x80000000; *o = u.f[1] + u.c.s3; }
// accept vector_element_address_in_array
kernel void k(global float *o) { float4 a[2]; a[1].y = 2; ((private float *)a)[0] = 1; *o = a[0].x; }
// reject vector_element_address: address of vector element requested
kernel void k(global float *o) { float4 a; float *p = &a.x; *o = *p; }
// accept vector_subscript
kernel void k(global float *o, int i, float4 v) { *o = v[i] + v[2]; v[i] = 3; *o += v.x; }
// accept vector_pre_increment
kernel void k(global int4 *o, int4 v) { *o = v++ + --v; v.x++; --v.yz; *o += v; }
// reject vector_float_increment: cannot increment value of type 'float4'
kernel void k(global float4 *o, float4 v) { v++; *o = v; }
// accept swizzle_assign_scalar
kernel void k(global float4 *o, float4 v) { v.xz = 3.0f; v.lo.y = 1; v.even = v.odd; v.wzyx = v; *o = v; }
// accept swizzle_chain
kernel void k(global float *o, float16 v) { *o = v.hi.lo.odd.x + v.s0123.wzyx.hi.y + v.even.even.s0; }
// accept swizzle_three_hi
kernel void k(global float2 *o, float3 v) { *o = v.hi + v.lo + v.odd + v.even; }
// reject swizzle_nine: vector component access has invalid length 9. Supported: 1,2,3,4,8,16
kernel void k(global float *o, float16 v) { *o = v.s012345678.x; }
// reject swizzle_five: vector component access has invalid length 5. Supported: 1,2,3,4,8,16
kernel void k(global float *o, float8 v) { *o = v.s01234.x; }
// reject swizzle_unknown: illegal vector component name 'q'
kernel void k(global float *o, float8 v) { *o = v.q; }
// accept swizzle_rgba_later std=300
kernel void k(global float *o, float4 v) { *o = v.rgba.x + v.bg.x; }
// reject swizzle_rgba_mixed std=300: illegal vector component name 'x'
kernel void k(global float *o, float4 v) { *o = v.rx.x; }
// accept ternary_vector_scalar_condition
kernel void k(global float4 *o, int c, float4 a) { *o = c ? a : a + 1; }
// accept ternary_vector_branches_scalar
kernel void k(global float4 *o, int4 c, float a) { *o = c ? a : 2.0f; }
// reject ternary_vector_sizes: vector condition type 'int4' and result type 'float2' do not have the same number of elements
kernel void k(global float4 *o, int4 c, float2 a) { *o = c ? a : a; }
// reject ternary_vector_widths: vector condition type 'int4' and result type 'double4' do not have the same size of elements
kernel void k(global double4 *o, int4 c, double4 a) { *o = c ? a : a; }
// accept ternary_unsigned_condition
kernel void k(global int4 *o, uint4 c, int4 a) { *o = c ? a : -a; }
// reject ternary_struct_number: incompatible operand types ('struct S' and 'int')
struct S { int a; }; kernel void k(global int *o, int c) { struct S s = {1}; *o = (c ? s : 1).a; }
// accept ternary_structs
struct S { int a; }; kernel void k(global int *o, int c) { struct S s = {1}, t = {2}; *o = (c ? s : t).a; }
// accept logical_not_vector
kernel void k(global int4 *o, float4 v) { *o = !v; }
// reject logical_vectors_sizes: cannot convert between vector values of different size ('float4' and 'float2')
kernel void k(global int4 *o, float4 v, float2 w) { *o = v && w; }
// accept logical_pointer_number
kernel void k(global int *o, float f) { *o = o && f && !(f || o); }
// reject not_of_struct: invalid argument type 'struct S' to unary expression
struct S { int a; }; kernel void k(global int *o) { struct S s = {1}; *o = !s; }
// reject complement_float: invalid argument type 'float' to unary expression
kernel void k(global int *o, float f) { *o = ~f; }
// accept plus_of_everything
kernel void k(global float4 *o, float4 v, char c) { *o = +v + +c - -c; }
// reject plus_of_pointer: invalid argument type '__global int *' to unary expression
kernel void k(global int *o) { *o = *(+o); }
// accept compare_vector_scalar
kernel void k(global int4 *o, float4 v) { *o = (v > 0.5f) + (1 <= v); }
// reject compare_pointer_number: invalid operands to binary expression ('__global int *' and 'float')
kernel void k(global int *o) { *o = o > 3.5f; }
// accept compare_pointer_int
kernel void k(global int *o) { *o = o == 0; }
// reject shift_float: invalid operands to binary expression ('int' and 'float')
kernel void k(global int *o, float f) { *o = 1 << f; }
// accept shift_mixed_widths
kernel void k(global long *o, char c, ulong u) { *o = c << u; *o += u >> c; }
// reject vector_int_types: invalid operands to binary expression ('int4' and 'uint4')
kernel void k(global int4 *o, int4 a, uint4 b) { *o = a + b; }
// reject vector_assign_types: assigning to 'int4' from incompatible type 'uint4'
kernel void k(global int4 *o, uint4 b) { *o = b; }
// accept vector_explicit_same_size
kernel void k(global int4 *o, uint4 b) { *o = as_int4(b); *o += convert_int4(b); }
// reject vector_cast: invalid conversion between ext-vector type 'int4' and 'uint4'
kernel void k(global int4 *o, uint4 b) { *o = (int4)b; }
// reject vector_to_scalar: assigning to 'int' from incompatible type 'int4'
kernel void k(global int *o, int4 b) { *o = b; }
// accept scalar_to_vector_assign
kernel void k(global int4 *o, int b) { *o = b; int4 x = 3; x = (char)2; *o += x; }
// reject double_to_float_vector: scalar operand type has greater rank than the type of the vector element. ('float4' and 'double')
kernel void k(global float4 *o, double d) { *o = *o + d; }
// reject wide_scalar_to_vector: scalar operand type has greater rank than the type of the vector element. ('char4' and 'int')
kernel void k(global char4 *o, int x) { *o = *o + x; }
// accept do_while_comma
kernel void k(global int *o) { int i = 0; do i++; while (i++, i < 10); *o = i; }
// accept goto_backwards_over_declaration
kernel void k(global int *o, int n) { again:; int x = n--; *o += x; if (n > 0) goto again; }
// accept goto_into_block
kernel void k(global int *o, int n) { if (n) goto in; { int x = 1; in: *o = n; } }
// accept switch_nested_breaks
kernel void k(global int *o, int n) { switch (n) { case 1: switch (n + 1) { case 2: break; } *o = 1; break; case 2: for (;;) { break; } *o = 2; } }
// accept case_expressions
enum { X = 3 }; kernel void k(global int *o, int n) { switch (n) { case X: case X + 1: case 'c': case sizeof(int) * 4: case (int)2.5f: case -1: *o = 1; } }
// accept case_variable
kernel void k(global int *o, int n) { const int c = 3; switch (n) { case c: *o = 1; } }
// reject switch_float: statement requires expression of integer type ('float' invalid)
kernel void k(global int *o, float n) { switch (n) { case 1: *o = 1; } }
// reject switch_vector: statement requires expression of integer type ('int4' invalid)
kernel void k(global int *o, int4 n) { switch (n) { case 1: *o = 1; } }
// accept switch_char_long
kernel void k(global int *o, char c, ulong l) { switch (c) { case 'a': *o = 1; } switch (l) { case 0xffffffffffUL: *o = 2; } switch (c > 3) { case 1: *o = 3; } }
// accept return_forms
int f(int a) { if (a) return (a); else return a, 2; } void g(void) { return; } kernel void k(global int *o) { *o = f(1); g(); return; }
// reject return_value_kernel: void function 'k' should not return a value
kernel void k(global int *o) { return 1; }
// accept array_sizes
#define N 2
enum { M = N * 2 }; kernel void k(global int *o) { int a[N], b[M][N + 1], c[sizeof(int) * 2], d['b' - 'a' + 1]; a[0] = b[0][0] = c[0] = d[1] = 1; *o = a[0]; }
// reject array_of_variable_size: variable length arrays are not supported in OpenCL
kernel void k(global int *o, int n) { int a[n]; *o = a[0]; }
// accept array_const_variable_size
kernel void k(global int *o) { const int n = 4; int a[n]; a[0] = 1; *o = a[0]; }
// accept array_unsized_nested
kernel void k(global int *o) { int a[][2] = {{1, 2}, {3, 4}, 5}; *o = sizeof(a) / sizeof(a[0]) + a[2][0]; }
// reject array_unsized_inner: array has incomplete element type 'int[]'
kernel void k(global int *o) { int a[2][] = {{1, 2}, {3, 4}}; *o = a[0][0]; }
// accept char_array_string
kernel void k(global char *o) { char a[] = "abc", b[2] = "xy", c[8] = {"pq"}, d[] = {'r', 0}; *o = a[3] + b[1] + c[5] + d[0]; }
// accept array_of_vectors_flat
kernel void k(global float *o) { float4 a[2] = {(float4)(1), 2}; float2 b[2] = {{1, 2}, {3, 4}}; *o = a[1].x + b[1].x; }
// accept initializer_mixed_braces
struct S { int a[2]; struct { int x, y; } b; float4 v; }; kernel void k(global int *o) { struct S s = {1, 2, 3, 4, 5}, t = {{1}, {2}, (float4)(3)}, u = {.b.y = 1, .a = {2}}; *o = s.a[0] + t.b.x + u.a[0]; }
// accept initializer_empty
struct S { int a; }; kernel void k(global int *o) { struct S s = {}; int a[3] = {}; *o = s.a + a[1]; }
// accept initializer_trailing_comma
kernel void k(global int *o) { int a[] = {1, 2,}; enum { A, B, } e = B; *o = a[0] + e; }
// accept initializer_scalar_braces
kernel void k(global int *o) { int a = {3}; float f = {1.5f}; global int *p = {o}; *p = a + f; }
// accept self_reference_initializer
kernel void k(global int *o) { int a = sizeof(a); *o = a; }
// accept constant_address_initializer
constant int t[3] = {1, 2, 3}; constant int *constant p = &t[1]; constant int *constant q = t + 2; kernel void k(global int *o) { *o = *p + *q; }
// accept constant_expressions
constant float c = 1.0f / 3 + (float)2 * (3 > 2 ? 1 : 0) + sizeof(int4); constant int4 v = (int4)(1, 2, 3, 4) + 1; kernel void k(global int *o) { *o = c + v.y; }
// reject constant_call: initializer element is not a compile-time constant
int f(void) { return 1; } constant int c = f(); kernel void k(global int *o) { *o = c; }
// accept constant_cast_bits
constant uint u = (uint)-1 >> 3 ^ 0xf0 & ~0x10; constant char ch = (char)300; constant bool b = 0.5f; kernel void k(global int *o) { *o = u + ch + b; }
// reject constant_assigned: cannot assign to variable 'c' with const-qualified type '__constant int'
constant int c = 1; kernel void k(global int *o) { c = 2; }
// reject const_assigned: cannot assign to variable 'a' with const-qualified type 'const int'
kernel void k(global int *o) { const int a = 1; a = 2; *o = a; }
// reject const_member: read-only variable is not assignable
kernel void k(global int *o) { const struct { int a; } s = {1}; s.a = 2; *o = s.a; }
// reject const_vector_lane: read-only variable is not assignable
kernel void k(global int *o) { const int4 s = 1; s.x = 2; *o = s.x; }
// accept const_pointer_forms
kernel void k(global int *o) { const int a = 1; const int *p = &a; int const *const q = p; int b = 2; int *const r = &b; *r = 3; p++; *o = *p + *q + *r; }
// reject const_discarded: passing '__constant int *' to parameter of type 'int *' changes address space of pointer
void f(int *p) { *p = 1; } kernel void k(global int *o, constant int *c) { f(c); }
// accept address_of_forms
struct S { int a[2]; int4 v; }; kernel void k(global struct S *s, global int *o) { global int *p = &s->a[1], *q = &(*s).a[0], *r = s->a; global int4 *v = &s[1].v; global int (*w)[2] = &s->a; *o = *p + *q + *r + v->x + (*w)[1]; }
// accept arrow_of_array
struct S { int a; }; kernel void k(global int *o) { struct S s[2] = {{1}, {2}}; *o = s->a + (s + 1)->a; }
// reject dot_on_pointer: member reference type '__global struct S *' is a pointer; did you mean to use '->'?
struct S { int a; }; kernel void k(global struct S *s) { s.a = 1; }
// reject arrow_on_struct: member reference type 'struct S' is not a pointer; did you mean to use '.'?
struct S { int a; }; kernel void k(global int *o) { struct S s = {1}; *o = s->a; }
// accept struct_redeclared_in_block
struct S { int a; }; kernel void k(global int *o) { struct S { float b; }; struct S s = {1.5f}; *o = s.b; { struct S; struct S *p = 0; *o += p == 0; } }
// reject struct_same_block: redefinition of 'S'
kernel void k(global int *o) { struct S { int a; }; struct S { int b; }; *o = 1; }
// accept typedef_same_twice
typedef int T; typedef int T; kernel void k(global T *o) { *o = 1; }
// reject typedef_differs: typedef redefinition with different types ('float' vs 'int')
typedef int T; typedef float T; kernel void k(global T *o) { *o = 1; }
// accept typedef_forms
typedef int A, *B, C[3], D(int); typedef global A *E; D f; int f(int a) { return a; } kernel void k(E o) { C c = {1, 2, 3}; B b = c; *o = *b + f(1); }
// accept typedef_space
typedef global float4 *gv; typedef local int li; kernel void k(gv o, local li *l) { *o = *l; }
// accept qualifiers_after
kernel void k(int global *o, float4 constant *c) { int const static_ = 1; char volatile v = 2; *o = static_ + v + c->x; }
// reject two_spaces: multiple address spaces specified for type
kernel void k(global local int *o) { *o = 1; }
// reject space_on_parameter: parameter may not be qualified with an address space
void f(global int a) {} kernel void k(global int *o) { f(*o); }
// reject local_return: return type cannot be qualified with address space
local int f(void) { return 1; } kernel void k(global int *o) { *o = f(); }
// reject global_variable: program scope variable must reside in constant address space
global int g; kernel void k(global int *o) { *o = g; }
// accept global_variable_later std=200
global int g = 3; static int h; constant int c = 1; kernel void k(global int *o) { *o = g + h + c; }
// accept generic_pointers std=200
int f(int *p) { return *p; } kernel void k(global int *o, local int *l) { int a = 1; *o = f(&a) + f(l) + f(o); int *p = o; p = l; *p = 1; }
// reject generic_to_named std=200: initializing '__global int *' with an expression of type '__generic int *' changes address space of pointer
kernel void k(global int *o) { int *p = o; global int *q = p; *q = 1; }
// accept generic_cast std=200
kernel void k(global int *o) { int *p = o; global int *q = (global int *)p; *q = 1; global int *r = to_global(p); if (r) *r = 1; }
// accept work_group_functions std=200
kernel void k(global int *o, int x) { *o = work_group_reduce_add(x) + work_group_scan_inclusive_max(x) + work_group_any(x) + work_group_broadcast(x, 0); }
// accept c11_atomics std=200
kernel void k(volatile global atomic_int *a, global int *o) { *o = atomic_fetch_add(a, 1) + atomic_load_explicit(a, memory_order_relaxed, memory_scope_device); atomic_store(a, 3); int e = 1; atomic_compare_exchange_strong(a, &e, 2); }
// reject atomic_operator std=200: operators do not apply to 'atomic_int': use the atomic functions
kernel void k(volatile global atomic_int *a) { *a = *a + 1; }
// accept nested_conditionals
kernel void k(global int *o, int a, int b) { *o = a ? b ? 1 : 2 : b ? 3 : a ? 4 : 5; *o += a ? b, 1 : 2; }
// accept deep_parentheses
kernel void k(global int *o) { *o = ((((((((((((((((1)))))))))))))))) + (((*(((o)))))); }
// accept sizeof_of_types
kernel void k(global int *o) { *o = sizeof(int *) + sizeof(global int *[3]) + sizeof(struct { int a; char b; }) + sizeof(union { int a; double b; }) + sizeof(float3[2]) + sizeof(enum { Q }) + Q; }
// accept alignof_forms
kernel void k(global int *o) { *o = __alignof__(float4) + __alignof__(struct { char c; double d; }) + _Alignof(int); }
// accept old_predefined
kernel void k(global int *o) { *o = __LINE__ + __OPENCL_C_VERSION__ + CL_VERSION_1_1 + __ENDIAN_LITTLE__ + sizeof(__FILE__); }
// accept vec_step_forms
kernel void k(global int *o, int3 v) { *o = vec_step(int) + vec_step(float3) + vec_step(v) + vec_step(char16); }
// accept scalar_two_braces
kernel void k(global int *o) { int a = {{3}}; *o = a; }
// accept scalar_excess
kernel void k(global int *o) { int a = {3, 4}; *o = a; }
// accept vector_braces
kernel void k(global float4 *o) { float4 a = {1, 2, 3, 4}; float4 b = {(float2)(1, 2), 3, 4}; *o = a + b; }
// reject vector_braces_few: too few elements in vector initialization (expected 4 elements, have 2)
kernel void k(global float4 *o) { float4 a = {1, 2}; *o = a; }
// accept scalar_compound_literal
kernel void k(global int *o) { *o = (int){1} + (float4){1, 2, 3, 4}.x; }
// accept struct_copy_in_list
struct P { int x, y; }; struct Q { struct P a, b; }; kernel void k(global int *o) { struct P p = {1, 2}; struct Q q = {p, {3, 4}}, r = {p, p}, s = {.b = p, .b.x = 9}; *o = q.a.y + r.b.x + s.b.x; }
// accept array_of_struct_flat
struct P { int x, y; }; kernel void k(global int *o) { struct P a[] = {1, 2, 3}; *o = a[1].x + sizeof(a); }
// accept empty_struct
struct E { }; kernel void k(global int *o) { struct E e; *o = sizeof(e); }
// accept zero_array
kernel void k(global int *o) { int a[0]; *o = sizeof(a); }
// accept negative_array
typedef int T[2 - 1 > 0 ? 3 : -1]; kernel void k(global int *o) { T t = {1}; *o = t[0]; }
// reject negative_array_size: array has a negative size
typedef int T[2 - 3]; kernel void k(global int *o) { *o = 1; }
// accept implicit_conversions
kernel void k(global char *o, float f, ulong u) { *o = f; *o += u; short s = 3.7; s = -f; *o = s; }
// accept pointer_types
kernel void k(global int *o, global float *f) { o = f; *o = 1; }
// accept pointer_types_cast
kernel void k(global int *o, global float *f) { o = (global int *)f; *o = 1; }
// reject pointer_space_cast: casting '__global int *' to type '__local int *' changes address space of pointer
kernel void k(global int *o) { local int *l = (local int *)o; *l = 1; }
// accept pointer_through_int
kernel void k(global int *o) { local int *l = (local int *)(uintptr_t)o; *l = 1; }
// accept sign_pointer_call
void f(const global uint *p) {} kernel void k(global uint *o) { f(o); }
// accept sign_pointer_differs
void f(global uint *p) {} kernel void k(global int *o) { f(o); }
// accept call_extra_parentheses
int f(int a, int b) { return a + b; } kernel void k(global int *o) { *o = f((1, 2), (3)); }
// reject call_no_comma: expected ')'
int f(int a, int b) { return a + b; } kernel void k(global int *o) { *o = f(1 2); }
// reject call_undeclared: implicit declaration of function 'nothing' is invalid in OpenCL
kernel void k(global int *o) { *o = nothing(1); }
// accept parameter_unused_names
int f(int, float, int c) { return c; } kernel void k(global int *o) { *o = f(1, 2, 3); }
// accept void_parameter_list
int f(void) { return 1; } int g() { return 2; } kernel void k(global int *o) { *o = f() + g(); }
// accept kernel_no_parameters
kernel void k(void) {} kernel void l() {}
// reject kernel_returns: kernel must have void return type
kernel int k(global int *o) { return 1; }
// reject kernel_pointer_no_space: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
kernel void k(int *o) { *o = 1; }
// accept kernel_struct_value
struct S { int a; float4 b; }; kernel void k(global float *o, struct S s) { *o = s.b.x + s.a; }
// reject kernel_bool: 'bool' cannot be used as the type of a kernel parameter
kernel void k(global int *o, bool b) { *o = b; }
// reject kernel_size_t: 'size_t' cannot be used as the type of a kernel parameter
kernel void k(global int *o, size_t b) { *o = b; }
// reject kernel_pointer_pointer: kernel parameter cannot be declared as a pointer to a pointer
kernel void k(global int *global *o) { **o = 1; }
// accept kernel_pointer_to_bool_memory
kernel void k(global uchar *o, global const char *c) { *o = *c; }
// accept underscore_names
kernel void __k(global int *_o, int __x) { *_o = __x; }
// accept dollar_names
kernel void k(global int *o) { int a$b = 1; *o = a$b; }
// accept long_names
kernel void k(global int *o) { int abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz = 1; *o = abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz; }
// accept builtin_name_as_variable
kernel void k(global float *o) { float max = 1, dot = 2, length = 3; *o = max + dot + length; }
// reject builtin_name_called: called object type 'float' is not a function or function pointer
kernel void k(global float *o) { float max = 1; *o = max(1.0f, 2.0f); }
// accept builtin_overloaded
float __attribute__((overloadable)) f(float a) { return a; } int __attribute__((overloadable)) f(int a) { return a; } float4 __attribute__((overloadable)) f(float4 a) { return a; } kernel void k(global float4 *o) { *o = f(1) + f(2.0f) + f(*o); }
// accept builtin_redefined
float sqrt(float x) { return x * 2; } kernel void k(global float *o) { *o = sqrt(3.0f); }
// accept macro_function_without_call
#define f(x) (x + 1)
kernel void k(global int *o) { int f = 2; *o = f + f(3); }
// accept macro_variadic
#define F(a, ...) a, ##__VA_ARGS__
#define G(...) (int4)(__VA_ARGS__)
int g(int a, int b) { return a + b; } kernel void k(global int *o) { *o = g(F(1, 2)) + G(1, 2, 3, 4).x; int x[] = {F(1)}; *o += x[0]; }
// accept macro_named_variadic
#define F(a, rest...) g(a, rest)
int g(int a, int b) { return a + b; } kernel void k(global int *o) { *o = F(1, 2); }
// accept macro_nested_stringize
#define STR(...) #__VA_ARGS__
kernel void k(global char *o) { constant char *s = STR(a, "b\n", 'c', /* d */ e); *o = s[3]; }
// accept macro_redefined_same
#define A 1 + 2
#define A 1 + 2
kernel void k(global int *o) { *o = A; }
// accept macro_undefined_in_if
#if UNKNOWN || (0 && 1 / 0) || -1 > 0u
kernel void k(global int *o) { *o = 1; }
#else
#error no
#endif
// accept if_expressions
#if ('a' == 97) && (1 ? 2 : 0) && !(3 & 4) && (7 >> 1 == 3) && (-1 < 0) && defined(__LINE__) + 0 == 1 && (1, 2)
#endif
#if 0x7fffffffffffffff > 1 && 1u - 2 > 0 && ~0 == -1
kernel void k(global int *o) { *o = 1; }
#endif
// reject if_unbalanced: expected ')' in preprocessor expression
#if (1
#endif
kernel void k(global int *o) { *o = 1; }
// accept pragma_unroll_loops
kernel void k(global int *o) {
#pragma unroll 4
  for (int i = 0; i < 8; i++) o[i] = i;
  __attribute__((opencl_unroll_hint(2))) for (int i = 0; i < 8; i++) o[i] = i;
  __attribute__((opencl_unroll_hint)) while (*o) --*o;
}
// accept warning_directive
#warning careful
kernel void k(global int *o) { *o = 1; }
// accept char_constants_multi
kernel void k(global int *o) { *o = 'ab' + '\0' + '\377' + '"'; }
// reject char_unterminated: missing terminating ''' character
kernel void k(global int *o) { *o = 'a; }
// reject char_empty: empty character constant
kernel void k(global int *o) { *o = ''; }
// accept string_concatenation
kernel void k(global int *o) { constant char *s = "a" "b"
 "c"; *o = s[2] + sizeof("ab" "c"); }
// reject string_newline: missing terminating '"' character
kernel void k(global int *o) { constant char *s = "a
b"; *o = s[2]; }
// accept half_storage
kernel void k(global half *o, global float *f) { *f = vload_half(0, o); vstore_half(*f, 1, o); global half *p = o + 2; *f += vload_half4(0, p).x; }
// accept image_not_used
#ifdef __IMAGE_SUPPORT__
#endif
kernel void k(global int *o) { *o = 1; }
// accept null_statement_labels
kernel void k(global int *o, int x) { switch (x) { case 1: ; case 2: ; } if (x) goto e; *o = 1; e: ; }
// accept fallthrough_attribute
kernel void k(global int *o, int x) { switch (x) { case 1: *o = 1; __attribute__((fallthrough)); case 2: *o = 2; } }
// accept statement_attribute
kernel void k(global int *o, int x) { __attribute__((nomerge)) *o = 1; if (x) { *o = 2; } }
// accept extern_function_in_block
kernel void k(global int *o) { int f(int); *o = f(1); } int f(int a) { return a; }
// accept static_assert_in_struct
struct S { int a; _Static_assert(sizeof(int) == 4, ""); }; kernel void k(global int *o) { *o = sizeof(struct S); }
// reject register_and_auto: OpenCL C version 1.2 does not support the 'register' storage class specifier
kernel void k(global int *o) { register int a = 1; auto int b = 2; *o = a + b; }
// accept ulong_constants
kernel void k(global ulong *o) { *o = 18446744073709551615 + 0xffffffffffffffff + 9223372036854775808UL; }
// accept int_overflow_constant
kernel void k(global int *o) { *o = 2147483647 + 1; *o += 4294967296; }
// accept octal_and_binary
kernel void k(global int *o) { *o = 017 + 0b101 + 0B11u; }
// reject octal_digit: invalid digit '9' in octal constant
kernel void k(global int *o) { *o = 09; }
// accept float_forms
kernel void k(global float *o) { *o = 1.f + .1F + 1e3f + 1E-3f + 0x1p-2f + 1.0; }
// accept scalar_empty_braces
kernel void k(global int *o) { int a = {}; float f = {{}}; global int *p = {}; bool b = {}; *o = a + f + (p == 0) + b; }
// accept vector_inner_braces
kernel void k(global float4 *o) { float4 v = {{1}, 2, 3, {{4}}}; struct { int x; float4 v; } s = {{1}, {{1}, 2, 3, 4}}; *o = v + s.v; }
// accept math_vector_scalar_forms
kernel void k(global float4 *o, float4 v, int4 n) { *o = fmax(v, 1.0f) + fmin(v, 2.0f) + ldexp(v, 2) + ldexp(v, n) + pown(v, n) + rootn(v, n) + pow(v, v) + powr(v, v); }
// accept fmax_scalar_vector
kernel void k(global float4 *o, float4 v) { *o = fmax(1.0f, v); }
// reject ldexp_float_exponent_vector: no matching function for call to 'ldexp'
kernel void k(global float4 *o, float4 v) { *o = ldexp(v, v); }
// accept math_of_int_argument
kernel void k(global float *o, float f) { *o = sqrt(f) + sin(f) + exp(2.0f) + pown(f, 2) + fabs(f); }
// reject math_of_int_only: call to 'sqrt' is ambiguous
kernel void k(global float *o, int i) { *o = sqrt(i); }
// accept abs_forms
kernel void k(global uint *o, int i, char4 c) { *o = abs(i) + abs_diff(i, 3) + abs(c).x + abs(3u); }
// reject abs_of_float: call to 'abs' is ambiguous
kernel void k(global float *o, float f) { *o = abs(f); }
// accept clamp_forms
kernel void k(global int4 *o, int4 v) { *o = clamp(v, 0, 3) + clamp(v, v, v) + max(v, 1) + min(v, v); }
// accept clamp_mixed
kernel void k(global int4 *o, int4 v) { *o = clamp(v, 0, v); }
// accept dot_cross
kernel void k(global float *o, float3 a, float4 b, float2 c) { *o = dot(a, a) + cross(a, a).x + cross(b, b).w + length(c) + distance(a, a) + normalize(c).x + fast_length(a) + dot(1.0f, 2.0f); }
// reject dot_eight: no matching function for call to 'dot'
kernel void k(global float *o, float8 a) { *o = dot(a, a); }
// reject cross_two: no matching function for call to 'cross'
kernel void k(global float2 *o, float2 a) { *o = cross(a, a); }
// accept relational_forms
kernel void k(global int *o, float4 v, double2 d) { *o = any(isnan(v)) + all(isequal(v, v)) + isgreater(1.0f, 2.0f) + any(isless(d, d)) + signbit(v).x + any((char2)(1)); }
// reject any_of_float: no matching function for call to 'any'
kernel void k(global int *o, float4 v) { *o = any(v); }
// accept select_widths
kernel void k(global char4 *o, char4 a, uchar4 m, long2 l, ulong2 u) { *o = select(a, a, m) + (char4)(select(l, l, u).x); }
// reject select_width: no matching function for call to 'select'
kernel void k(global char4 *o, char4 a, int4 m) { *o = select(a, a, m); }
// accept shuffle_forms
kernel void k(global float4 *o, float4 v, uint4 m, float2 w, uint2 n) { *o = shuffle(v, m) + shuffle2(v, v, m) + shuffle(w, m); float2 x = shuffle(v, n); *o += x.x; }
// reject shuffle_mask_type: no matching function for call to 'shuffle'
kernel void k(global float4 *o, float4 v, int4 m) { *o = shuffle(v, m); }
// accept work_items
kernel void k(global ulong *o) { *o = get_global_id(0) + get_local_size(1) + get_num_groups(2u) + get_work_dim() + get_global_offset(-1) + get_group_id((char)0); }
// reject work_item_pointer: no matching function for call to 'get_global_id'
kernel void k(global ulong *o) { *o = get_global_id(o); }
// reject work_item_none: too few arguments to function call, expected 1, have 0
kernel void k(global ulong *o) { *o = get_global_id(); }
// accept barrier_forms
kernel void k(global int *o) { barrier(CLK_LOCAL_MEM_FENCE); barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); mem_fence(CLK_GLOBAL_MEM_FENCE); read_mem_fence(1); write_mem_fence(CLK_LOCAL_MEM_FENCE); barrier(0); }
// reject barrier_none: too few arguments to function call, expected 1, have 0
kernel void k(global int *o) { barrier(); }
// accept prefetch_forms
kernel void k(global float4 *o, const global uchar *c) { prefetch(o, 16); prefetch(c, (size_t)3); }
// reject prefetch_local: no matching function for call to 'prefetch'
kernel void k(local float4 *o) { prefetch(o, 16); }
// accept vload_half_forms
kernel void k(global float4 *o, global half *h, constant half *c, local half *l) { *o = vload_half4(0, h) + vload_half(1, c) + vloada_half4(0, l); vstore_half4(*o, 0, h); vstorea_half4_rtz(*o, 1, l); vstore_half_rte(1.0f, 2, h); }
// reject vload_constant_store: no matching function for call to 'vstore2'
kernel void k(constant int *c) { vstore2((int2)(1), 0, c); }
// reject vload_vector_pointer: no matching function for call to 'vload2'
kernel void k(global int4 *o) { int2 a = vload2(0, o); }
// accept convert_chains
kernel void k(global float4 *o, uchar4 c) { *o = convert_float4(convert_int4_rtp(convert_float4(c) * 0.5f)) + convert_float4(as_uint4(*o) >> 3); }
// reject convert_wrong_width: no matching function for call to convert 'uchar2' to 'float4'
kernel void k(global float4 *o, uchar2 c) { *o = convert_float4(c); }
// reject convert_no_such: implicit declaration of function 'convert_float4_sat' is invalid in OpenCL
kernel void k(global float4 *o, uchar4 c) { *o = convert_float4_sat(c); }
// reject convert_struct: no matching function for call to convert 'struct S' to 'float'
struct S { int a; }; kernel void k(global float *o) { struct S s = {1}; *o = convert_float(s); }
// accept atomics_return
kernel void k(volatile global uint *o, volatile local int *l) { uint a = atomic_sub(o, 1u) + atomic_dec(o) + atomic_or(o, 1) + atomic_xor(o, 1) + atomic_max(o, 3); int b = atomic_cmpxchg(l, 1, 2) + atom_inc(l); *o = a + b; }
// reject atomics_private: no matching function for call to 'atomic_add'
kernel void k(global int *o) { int a = 1; atomic_add(&a, 1); *o = a; }
// accept printf_void_statement
kernel void k(global int *o) { int n = printf("%s\n", "a"); *o = n; (void)printf("%p", o); }
// reject printf_no_format: too few arguments to function call, expected at least 1, have 0
kernel void k(global int *o) { printf(); }
// accept async_forms
kernel void k(global float4 *g, local float4 *l, constant float4 *c) { event_t e[2]; e[0] = async_work_group_copy(l, (const global float4 *)g, 4, 0); e[1] = async_work_group_copy(g, l, 4, e[0]); wait_group_events(2, e); }
// reject async_spaces: no matching function for call to 'async_work_group_copy'
kernel void k(global float4 *g) { event_t e = async_work_group_copy(g, g, 4, 0); wait_group_events(1, &e); }
// accept nan_forms
kernel void k(global float *o, global double *d) { *o = nan(1u) + as_float(nan((uint)3)); *d = nan(1ul); }
// accept fma_mad_forms
kernel void k(global double *o, double2 d) { *o = fma(d, d, d).x + mad(d, d, d).y + fma(1.0, 2.0, 3.0); }
// accept mul24_forms
kernel void k(global int *o, uint4 u) { *o = mul24(3, 4) + mul24(u, u).x + mad24(u, u, u).y; }
// reject mul24_short: no matching function for call to 'mul24'
kernel void k(global int *o, short4 u) { *o = mul24(u, u).x; }
// accept rotate_popcount
kernel void k(global ulong *o, char4 c) { *o = rotate(*o, 3ul) + popcount(c).x + clz(*o) + rotate(c, c).y; }
// accept upsample_forms
kernel void k(global long *o, char c, uchar u) { short s = upsample(c, u); *o = upsample(1, 2u) + s + upsample((uchar2)(1), (uchar2)(2)).x; }
// accept upsample_signs
kernel void k(global short *o, char c) { *o = upsample(c, c); }
// accept helper_with_arrays
void fill(float *a, int n) { for (int i = 0; i < n; i++) a[i] = i; } float sum(const float a[4]) { return a[0] + a[3]; } kernel void k(global float *o) { float a[4]; fill(a, 4); *o = sum(a); }
// accept helper_with_local
float f(local float *l, global const float *g, constant float *c) { return *l + *g + *c; } kernel void k(global float *o, local float *l, constant float *c) { *o = f(l, o, c); }
// reject helper_space: passing '__local float *' to parameter of type '__global float *' changes address space of pointer
float f(global float *g) { return *g; } kernel void k(global float *o, local float *l) { *o = f(l); }
// accept struct_of_pointers
struct S { global float *g; local float *l; constant float *c; private float *p; }; kernel void k(global float *o, local float *l, constant float *c) { float x = 1; struct S s = {o, l, c, &x}; *s.g = *s.l + *s.c + *s.p; }
// accept pointer_swap
kernel void k(global int *a, global int *b, int n) { for (int i = 0; i < n; i++) { global int *t = a; a = b; b = t; } *a = 1; }
// accept opaque_struct
struct O; kernel void k(global struct O *o, global int *i) { *i = o != 0; }
// reject incomplete_variable: variable has incomplete type 'struct O'
struct O; kernel void k(global int *o) { struct O x; *o = 1; }
// accept extern_struct_completed
extern constant struct O c; struct O { int x; }; constant struct O c = {3}; kernel void k(global int *o) { *o = c.x; }
// accept extern_struct_unused
extern constant struct O c; kernel void k(global int *o) { *o = 1; }
// reject extern_struct_undefined: undefined variable 'c' is used
extern constant struct O c; kernel void k(global int *o) { constant struct O *p = &c; *o = p != 0; }
// accept nested_scopes_types
kernel void k(global int *o) { typedef float T; { typedef int T; T x = 1.5f; *o = x; } T y = 1.5f; *o += y * 2; enum { A = 1 }; { enum { A = 2 }; *o += A; } *o += A; }
// accept function_static_inline_prototype
static inline float f(float) __attribute__((always_inline)); static inline float f(float a) { return a; } kernel void k(global float *o) { *o = f(1); }
// accept noinline_attribute
__attribute__((noinline)) float f(float a) { return a * a; } float g(float a) __attribute__((const, pure)); float g(float a) { return a; } kernel void k(global float *o) { *o = f(2) + g(1); }
// accept multiple_kernels_share_helpers
constant int t[2] = {1, 2}; int h(int a) { return t[a & 1]; } kernel void a(global int *o) { *o = h(1); } kernel void b(global int *o) { local int l[2]; l[0] = h(2); *o = l[0]; }
// accept deep_if_else
kernel void k(global int *o, int x) { if (x) if (x > 1) *o = 1; else *o = 2; else if (x < -1) { *o = 3; } else ; }
// accept weird_spacing
kernel	void
k
(
global
int*o)
{*o=-1- -1+ +1*-1;int a=1;*o=a+++a;*o=a- - -a;}
// accept comment_forms
kernel/**/void/* // */k(global int *o) { // */
  *o = 6 /* / */ / 2; /**//* */
}
// reject comment_unterminated: unterminated /* comment
kernel void k(global int *o) { *o = 1; } /* never
// accept condition_assignment
kernel void k(global int *o, int x) { if ((x = 3)) *o = x; while (x--) *o += x; for (; x = *o, x > 3;) *o = 1; }
// accept event_array
kernel void k(global float4 *g, local float4 *l) { event_t e[2]; e[0] = async_work_group_copy(l, (const global float4 *)g, 4, 0); e[1] = async_work_group_copy(g, l, 4, e[0]); wait_group_events(2, e); }
// accept event_array_loop
kernel void k(global int *g, local int *l) { event_t e[4]; for (int i = 0; i < 4; i++) e[i] = async_work_group_copy(l + i, g + i, 1, 0); for (int i = 0; i < 4; i++) wait_group_events(1, &e[i]); }
// accept event_array_initialized
kernel void k(global int *g, local int *l) { event_t e[2] = {0, 0}; wait_group_events(2, e); }
// accept event_zero
kernel void k(global int *g, local int *l) { event_t e = 0; wait_group_events(1, &e); }
// accept event_two_dimensions
kernel void k(global int *g, local int *l) { event_t e[2][2]; e[1][0] = async_work_group_copy(l, g, 1, 0); wait_group_events(1, &e[1][0]); wait_group_events(1, e[1]); }
// accept event_pointer_parameter
void w(event_t *e, int n) { wait_group_events(n, e); } kernel void k(global int *g, local int *l) { event_t e[2]; e[0] = async_work_group_copy(l, g, 1, 0); e[1] = async_work_group_copy(l, g, 1, 0); w(e, 2); }
// accept event_array_parameter
void w(event_t e[2]) { wait_group_events(2, e); } kernel void k(global int *g, local int *l) { event_t e[2]; e[0] = async_work_group_copy(l, g, 1, 0); e[1] = e[0]; w(e); }
// reject event_member: the 'event_t' type cannot be used to declare a structure or union field
struct S { event_t e; }; kernel void k(global int *g) { struct S s; *g = 1; }
// accept event_sizeof
kernel void k(global int *g) { event_t e[2]; *g = sizeof(e) > 0; }
