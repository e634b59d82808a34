//- 6.3, 6.4: operators
// accept arithmetic
kernel void k(global int *o, int a, uint b, float f, char c) { o[0] = a + b * c - a / (c + 1) % 3; o[1] = -a + +b; o[2] = f * a / c; o[3] = ~a & b | c ^ a; o[4] = a << 3 >> c; o[5] = !f + !a; }
// reject float_remainder: invalid operands to binary expression ('float' and 'float')
kernel void k(global float *o, float a) { *o = a % 2.0f; }
// reject float_shift: invalid operands to binary expression ('float' and 'int')
kernel void k(global float *o, float a) { *o = a << 1; }
// reject shift_by_float: invalid operands to binary expression ('int' and 'float')
kernel void k(global int *o, float a) { *o = 1 << a; }
// reject float_not: invalid argument type 'float' to unary expression
kernel void k(global float *o, float a) { *o = ~a; }
// reject float_and: invalid operands to binary expression ('float' and 'int')
kernel void k(global float *o, float a) { *o = a & 1; }
// accept vector_integer
kernel void k(global int4 *o, int4 a, int4 b, int s) { o[0] = a + b * s - a / b % s; o[1] = ~a & b | s ^ a; o[2] = a << b >> s; o[3] = -a; o[4] = !a; o[5] = a && b || s; o[6] = a++ + --b; }
// reject scalar_shift_vector: invalid operands to binary expression ('int' and 'int4')
kernel void k(global int4 *o, int4 a, int s) { *o = s << a; }
// accept vector_shift_scalar
kernel void k(global int4 *o, int4 a, int s) { *o = a << s; a >>= s; a <<= (int4)(1); }
// reject vector_shift_width: invalid operands to binary expression ('int4' and 'int2')
kernel void k(global int4 *o, int4 a, int2 s) { *o = a << s; }
// accept vector_shift_other_sign
kernel void k(global int4 *o, int4 a, uint4 s) { *o = a << s; }
// accept vector_compare
kernel void k(global int4 *o, float4 a, float4 b, float s) { o[0] = a < b; o[1] = a == s; o[2] = a != b; o[3] = (a >= b) && (a <= b); }
// accept vector_compare_types
kernel void k(global char4 *o, uchar4 a, uchar4 b, global long2 *p, double2 d) { *o = a < b; *p = d == d; }
// reject vector_compare_result: assigning to 'uint4' from incompatible type 'int4'
kernel void k(global uint4 *o, float4 a) { *o = a < a; }
// reject vector_compare_width: cannot convert between vector values of different size ('float4' and 'float2')
kernel void k(global int4 *o, float4 a, float2 b) { *o = a < b; }
// accept float_vector_not
kernel void k(global int4 *o, float4 a) { *o = !a; }
// accept float_vector_logic
kernel void k(global int4 *o, float4 a, float4 b) { *o = a && b; }
// reject if_vector: statement requires expression of scalar type ('int4' invalid)
kernel void k(global int *o, int4 a) { if (a) *o = 1; }
// reject while_vector: statement requires expression of scalar type ('int4' invalid)
kernel void k(global int *o, int4 a) { while (a == 0) *o = 1; }
// reject logical_and_struct: invalid operands to binary expression ('struct S' and 'int')
struct S { int a; };
kernel void k(global int *o, struct S s) { *o = s && 1; }
// accept compound_assignments
kernel void k(global int *o, float f) { int a = 1; a += f; a -= 2; a *= f; a /= 3; a %= 7; a <<= 2; a >>= 1; a &= 6; a |= 8; a ^= 3; float g = 2; g *= a; g -= 1; *o = a + g; o += 2; o -= 1; *o = 1; }
// reject compound_vector_narrowing: invalid operands to binary expression ('int' and 'int4')
kernel void k(global int *o, int4 v) { *o += v; }
// accept compound_vector_scalar
kernel void k(global int4 *o, int s) { *o += s; *o *= 2; *o <<= s; *o &= 7; }
// reject compound_remainder_float: invalid operands to binary expression ('float' and 'int')
kernel void k(global float *o) { *o %= 2; }
// reject compound_pointer_multiply: invalid operands to binary expression ('__global int *' and 'int')
kernel void k(global int *o) { o *= 2; }
// accept increments
kernel void k(global int *o, float f, int4 v) { int i = 0; i++; ++i; i--; --i; f++; f--; o++; --o; v++; char c = 1; c++; bool b = 0; b++; *o = i + f + v.x + c + b; }
// accept float_vector_increment
kernel void k(global int4 *o, int4 v) { v++; --v; *o = v; }
// reject increment_rvalue: expression is not assignable
kernel void k(global int *o, int a) { (a + 1)++; }
// reject increment_array: array type 'int[3]' is not assignable
kernel void k(global int *o) { int a[3]; a++; }
// reject increment_const: cannot assign to variable 'a' with const-qualified type 'const int'
kernel void k(global int *o, const int a) { a++; }
// reject assign_function: expression is not assignable
int f(void) { return 1; }
kernel void k(global int *o) { f() = 2; }
// reject assign_literal: expression is not assignable
kernel void k(global int *o) { 3 = 4; }
// reject assign_ternary: expression is not assignable
kernel void k(global int *o, int a, int b) { (a ? a : b) = 2; }
// reject assign_comma: expression is not assignable
kernel void k(global int *o, int a, int b) { (a, b) = 2; }
// accept pointer_arithmetic
kernel void k(global int *o, int n) { global int *p = o + n, *q = n + o; p = p - 1; p += n; long d = p - q; *o = d + (p > q) + (p == q) + p[1] + 1[p] + *(p + 1); }
// reject pointer_plus_pointer: invalid operands to binary expression ('__global int *' and '__global int *')
kernel void k(global int *o) { global int *p = o + o; }
// reject pointer_plus_float: invalid operands to binary expression ('__global int *' and 'float')
kernel void k(global int *o, float f) { global int *p = o + f; }
// reject pointer_times: invalid operands to binary expression ('__global int *' and 'int')
kernel void k(global int *o) { long x = o * 2; }
// reject int_minus_pointer: invalid operands to binary expression ('int' and '__global int *')
kernel void k(global int *o) { long x = 2 - o; }
// reject pointer_minus_other: '__global int *' and '__global float *' are not pointers to compatible types
kernel void k(global int *o, global float *p) { long x = o - p; }
// reject pointer_minus_space: invalid operands to binary expression ('__global int *' and '__local int *')
kernel void k(global int *o, local int *p) { long x = o - p; }
// reject pointer_compare_space: comparison between ('__global int *' and '__local int *') which are pointers to non-overlapping address spaces
kernel void k(global int *o, local int *p) { if (o == p) *o = 1; }
// accept pointer_compare_int
kernel void k(global int *o) { if (o == 5) *o = 1; }
// accept pointer_compare_void
kernel void k(global int *o, global void *p) { if (o == p) *o = 1; }
// reject dereference_void: ISO C does not allow indirection on operand of type '__global void *'
kernel void k(global void *p) { *p = 1; }
// reject dereference_int: indirection requires pointer operand ('int' invalid)
kernel void k(global int *o, int a) { *a = 1; }
// reject subscript_int: subscripted value is not an array, pointer, or vector
kernel void k(global int *o, int a) { a[0] = 1; }
// reject subscript_float: array subscript is not an integer
kernel void k(global int *o, float a) { o[a] = 1; }
// reject subscript_pointer: array subscript is not an integer
kernel void k(global int *o) { o[o] = 1; }
// accept address_of
kernel void k(global int *o) { int a[3], b; int *p = &b, *q = &a[1], (*r)[3] = &a; *p = 1; *q = 2; (*r)[2] = 3; *o = b + a[1] + *&b + &a[2] - a; global int *s = &o[2]; }
// reject address_of_rvalue: cannot take the address of an rvalue of type 'int'
kernel void k(global int *o, int a) { int *p = &(a + 1); }
// reject address_of_literal: cannot take the address of an rvalue of type 'int'
kernel void k(global int *o) { int *p = &3; }
// reject address_of_function: taking address of function is not allowed
int f(int x) { return x; }
kernel void k(global int *o) { *o = &f == 0; }
// reject address_of_kernel: taking address of function is not allowed
kernel void a(global int *o) { }
kernel void k(global int *o) { *o = &a == 0; }
// reject address_of_builtin: builtin functions must be directly called
kernel void k(global int *o) { *o = &sin == 0; }
// accept sizeof_forms
kernel void k(global int *o, float4 v) { int a[10]; *o = sizeof a + sizeof(int) + sizeof(v) + sizeof v.xy + sizeof(a[0]) + sizeof *o + sizeof(1 ? 1 : 2L) + sizeof('a') + sizeof("abc") + sizeof(a + 1) + sizeof(int[3]) + sizeof(struct { int x; char y; }); }
// reject sizeof_function: taking address of function is not allowed
int f(int x) { return x; }
kernel void k(global int *o) { *o = sizeof(f); }
// reject sizeof_incomplete: invalid application of 'sizeof' to an incomplete type 'struct S'
struct S;
kernel void k(global int *o) { *o = sizeof(struct S); }
// reject sizeof_void: invalid application of 'sizeof' to a void type
kernel void k(global int *o) { *o = sizeof(void); }
// reject sizeof_unknown_array: invalid application of 'sizeof' to an incomplete type 'int[]'
kernel void k(global int *o) { *o = sizeof(int[]); }
// accept vec_step_forms
kernel void k(global int *o, float3 v) { *o = vec_step(float3) + vec_step(v) + vec_step(int) + vec_step(int16) + vec_step(v.xy) + vec_step(void); }
// reject vec_step_struct: 'vec_step' requires built-in scalar or vector type, 'struct S' invalid
struct S { int a; };
kernel void k(global int *o) { *o = vec_step(struct S); }
// accept comma
kernel void k(global int *o, int a) { *o = (a++, a + 1); for (int i = 0, j = 9; i < j; i++, j--) *o += i; }
// reject comma_in_constant: variable length arrays are not supported in OpenCL
kernel void k(global int *o) { int a[(1, 2)]; switch (*o) { case (1, 2): ; } }
// accept logical_short
kernel void k(global int *o, int a, float f, global int *p) { *o = a && f || p; *o += !p; }
// reject logical_void: invalid operands to binary expression ('void' and 'int')
void f(void) { }
kernel void k(global int *o) { *o = f() && 1; }
// accept cast_void
kernel void k(global int *o, int a, int4 v) { (void)a; (void)v; (void)0; (void)(a + 1); }
// reject member_of_pointer: member reference type '__global struct S *' is a pointer; did you mean to use '->'?
struct S { int a; };
kernel void k(global struct S *s) { s.a = 1; }
// reject arrow_of_struct: member reference type 'struct S' is not a pointer; did you mean to use '.'?
struct S { int a; };
kernel void k(global int *o, struct S s) { *o = s->a; }
// reject unknown_member: no member named 'b' in 'struct S'; did you mean 'a'?
struct S { int a; };
kernel void k(global int *o, struct S s) { *o = s.b; }
// accept precedence_mix
kernel void k(global int *o, int a, int b) { *o = a + b << 2 & 7 == 1 | a ^ b && a || b ? a : b ? 1 : 2; }
// accept vector_ternary_in_condition
kernel void k(global int *o, int4 a) { if (any(a == 1) || all(a < 0)) *o = 1; }
// accept vector_pointer_arrow
kernel void k(global float4 *o) { global float4 *p = o + 1; p->x = 1; p->wz = (float2)(1, 2); (*p).y = p->x; }
// reject ternary_float_condition: floating point type is not allowed
kernel void k(global float *o, float f) { *o = f ? 1 : 2; }
// reject ternary_float_constant: floating point type is not allowed
kernel void k(global float *o) { *o = 1.0 ? 1 : 2; }
// accept float_conditions
kernel void k(global float *o, float f) { if (f && !o[0] || o[1]) *o = 1; while (f) f--; for (; f;) f++; do *o += f; while (f); *o = (f != 0) ? 1 : 2; }
