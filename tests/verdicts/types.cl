//- 6.1: types, literals, vectors and their components
// accept scalar_names
kernel void k(global uchar *o, uchar a, ushort b, uint c, ulong d, char e, short f, int g, long h, unsigned char i, unsigned short j, unsigned int l, unsigned long m) { *o = a + b + c + d + e + f + g + h + i + j + l + m; }
// accept word_orders
kernel void k(global int *o) { long unsigned int a = 1; int short b = 2; unsigned c = 3; int long d = 4; char unsigned e = 5; short signed f = 6; *o = a + b + c + d + e + f; }
// reject two_signs: cannot combine with previous
kernel void k(global int *o) { signed unsigned int a = 1; }
// reject short_long: cannot combine with previous
kernel void k(global int *o) { short long a = 1; }
// reject unsigned_float: cannot combine with previous
kernel void k(global int *o) { unsigned float a = 1; }
// reject float_int: cannot combine with previous
kernel void k(global int *o) { float int a = 1; }
// reject long_float: cannot combine with previous
kernel void k(global int *o) { long float a = 1; }
// reject unsigned_float4: expected ';' at end of declaration
kernel void k(global int *o) { unsigned float4 a; }
// accept unsigned_typedef_shadow
typedef int T;
kernel void k(global int *o) { unsigned T = 3; *o = T; }
// reject bool_arithmetic_type_vector: unknown type name 'bool4'
kernel void k(global int *o) { bool4 a; }
// reject long_double: cannot combine with previous
kernel void k(global int *o) { long double a; }
// reject complex: expected ';' at end of declaration
kernel void k(global int *o) { float _Complex a; }
// reject quad: unknown type name 'quad'
kernel void k(global int *o) { quad a; }
// accept quad_as_name
kernel void k(global int *o) { int quad = 3, imaginary = 2, complex = 1; *o = quad + imaginary + complex; }
// reject vector_of_five: unknown type name 'float5'; did you mean 'float'?
kernel void k(global int *o) { float5 a; }
// accept bool_conversion
kernel void k(global int *o, float f, global int *p) { bool a = f, b = 0.1f, c = p, d = 2; *o = a + b + c + d; }
// accept size_types
kernel void k(global int *o) { size_t a = 1; ptrdiff_t b = 2; intptr_t c = 3; uintptr_t d = 4; *o = a + b + c + d; }
// accept void_pointer
kernel void k(global void *p) { ((global int *)p)[0] = 1; }
// reject void_variable: variable has incomplete type 'void'
kernel void k(global int *o) { void v; }
// accept half_pointer
kernel void k(global half *p, global float *o) { *o = vload_half(0, p); vstore_half(*o, 1, p); }
// accept vector_literals
kernel void k(global float4 *o, float a, float2 b, float3 c) { o[0] = (float4)(a, b, a); o[1] = (float4)(b, b); o[2] = (float4)(c, a); o[3] = (float4)(a, c); o[4] = (float4)a; o[5] = (float4)(a); o[6] = (float4)(1, 2, 3, 4); o[7] = (float4)((float2)(1, 2), (float2)(b.yx)); }
// accept vector_literal_nested
kernel void k(global int16 *o, int a, int8 b) { *o = (int16)((int8)((int4)((int2)(a, 1), (int2)(2)), (int4)3), b); }
// reject vector_literal_short: too few elements in vector initialization (expected 4 elements, have 3)
kernel void k(global float4 *o, float a) { *o = (float4)(a, a, a); }
// reject vector_literal_long: excess elements in vector initializer
kernel void k(global float4 *o, float2 a) { *o = (float4)(a, a, a); }
// reject vector_literal_other_element: initializing 'float4' with an expression of incompatible type 'int2'
kernel void k(global float4 *o, int2 a) { *o = (float4)(a, a); }
// reject vector_literal_pointer: initializing 'float' with an expression of incompatible type '__global float4 *'
kernel void k(global float4 *o) { *o = (float4)(o, o, o, o); }
// accept vector_braces
kernel void k(global float4 *o, float a) { float4 v = {a, 1, 2, 3}; int4 x[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}}; *o = v + convert_float4(x[1]); }
// accept vector_braces_of_vectors
kernel void k(global float4 *o, float2 a) { float4 v = {a, a}; float4 w = {(float2)(1, 2), 3, 4}; *o = v + w; }
// accept vector_braces_flat_array
kernel void k(global int4 *o) { int4 x[2] = {1, 2, 3, 4, 5, 6, 7, 8}; *o = x[1]; }
// reject vector_braces_too_many: excess elements in vector initializer
kernel void k(global int4 *o) { int4 x = {1, 2, 3, 4, 5}; *o = x; }
// accept swizzles
kernel void k(global float4 *o, float4 a, float8 b, float16 c) { o[0] = a.wzyx; o[1] = a.xxyy; o[2] = b.s0246; o[3] = c.sAbCd; o[4] = b.lo; o[5] = b.hi.yxwz; o[6] = c.even.odd; o[7].xy = a.zw; o[8].odd = a.lo; o[9] = c.S0123; }
// accept rgba_swizzles std=300
kernel void k(global float4 *o, float4 a) { *o = a.bgra; }
// reject swizzle_mixed_sets: illegal vector component name 's'
kernel void k(global float4 *o, float4 a) { *o = a.xys0; }
// reject swizzle_too_far: vector component access exceeds type 'float2'
kernel void k(global float2 *o, float2 a) { *o = a.xz; }
// reject swizzle_five: vector component access has invalid length 5. Supported: 1,2,3,4,8,16
kernel void k(global float8 *o, float8 a) { *o = a.s01234; }
// reject swizzle_of_scalar: member reference base type 'float' is not a structure or union
kernel void k(global float *o, float a) { *o = a.x; }
// accept three_hi
kernel void k(global float2 *o, float3 a) { *o = a.hi; o[1] = a.lo; o[2] = a.odd; o[3] = a.even; }
// reject swizzle_repeated_store: vector is not assignable (contains duplicate components)
kernel void k(global float4 *o, float2 a) { o->xx = a; }
// reject swizzle_address: address of vector element requested
kernel void k(global float4 *o) { global float *p = &o->x; }
// reject swizzle_pair_address: address of vector element requested
kernel void k(global float4 *o) { global float2 *p = &o->xy; }
// accept vector_element_address
kernel void k(global float4 *o) { *o = (*o)[1]; }
// accept vector_subscript
kernel void k(global float4 *o, float4 a, int i) { a[i] = 3; *o = a[i] + a[0]; }
// accept swizzle_compound
kernel void k(global int4 *o) { o->xz += (int2)(1, 2); o->hi <<= 3; o->y++; --o->w; o->s01 = o->s10; }
// accept swizzle_argument
float2 f(float2 a) { return a; }
kernel void k(global float4 *o) { *o = (float4)(f(o->xz), f((*o).s13)); }
// accept array_of_three
kernel void k(global float3 *o) { float3 a[2] = {{1, 2, 3}, {4, 5, 6}}; o[0] = a[1]; *o = sizeof(a) == 32; }
// accept literals
kernel void k(global float *o) { o[0] = 1.0f + .5f + 1e3f + 0x1.8p1f + 1.f + 0x.8p0f; o[1] = 0x7fffffff + 017 + 1u + 1ul + 1LU + 0xFFl; o[2] = 'a' + '\n' + '\x41' + '\101' + '\'' + '\\' + '"' + '\?' + 'ab'; }
// accept double_literals
kernel void k(global double *o) { *o = 1.0 + 1e300 + 0x1p-1000; }
// accept half_literals
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half *o) { *o = 1.5h + 2.0H; }
// accept wide_characters
kernel void k(global int *o) { *o = L'a'; }
// reject octal_digit: invalid digit '8' in octal constant
kernel void k(global int *o) { *o = 089; }
// reject hex_empty: invalid suffix 'x' on integer constant
kernel void k(global int *o) { *o = 0x; }
// reject suffix: invalid suffix 'uu' on integer constant
kernel void k(global int *o) { *o = 1uu; }
// reject suffix_lul: invalid suffix 'lul' on integer constant
kernel void k(global int *o) { *o = 1lul; }
// reject hex_float_without_exponent: hexadecimal floating constant requires an exponent
kernel void k(global float *o) { *o = 0x1.8; }
// reject empty_character: empty character constant
kernel void k(global int *o) { *o = ''; }
// accept unsigned_literals
kernel void k(global ulong *o) { *o = 4294967295 + 0xffffffff + 9223372036854775807 + 0xffffffffffffffff + 18446744073709551615u; }
// reject literal_too_large: integer literal is too large to be represented in any integer type
kernel void k(global ulong *o) { *o = 18446744073709551616; }
// accept event_type
kernel void k(global int *o, local int *l) { event_t e = async_work_group_copy(l, o, 4, 0); wait_group_events(1, &e); }
// reject event_member: the 'event_t' type cannot be used to declare a structure or union field
struct S { event_t e; };
kernel void k(global struct S *o) { }
// accept event_global
kernel void k(global event_t *o) { event_t e = *o; }
// accept event_array
kernel void k(global int *o, local int *l) { event_t e[2] = {0}; e[1] = async_work_group_copy(l, o, 4, e[1]); wait_group_events(2, e); }
// reject event_array_local: the event_t type can only be used with __private address space qualifier
kernel void k(global int *o) { local event_t e[2][3]; }
// reject event_initialised: initializing 'event_t' with an expression of incompatible type 'int'
kernel void k(global int *o) { event_t e = 3; }
// accept event_zero
kernel void k(global int *o, local int *l) { event_t e = 0; e = async_work_group_copy(l, o, 4, e); wait_group_events(1, &e); }
// reject image_parameter: type 'image2d_t' is not supported: there are no images
kernel void k(read_only image2d_t i, global int *o) { *o = 1; }
// accept sampler_variable_not_used
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;
kernel void k(global int *o) { *o = 1; }
// reject sampler_variable: type 'sampler_t' is not supported: there are no images
kernel void k(global int *o) { const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST; *o = 1; }
// accept align_of_types
kernel void k(global int *o) { int a[sizeof(float3) == 16 ? 1 : -1], b[sizeof(char3) == 4 ? 1 : -1], c[sizeof(double16) == 128 ? 1 : -1], d[sizeof(bool) == 1 ? 1 : -1], e[sizeof(size_t) == 8 ? 1 : -1]; *o = sizeof(a); }
// reject vector_braces_too_few: too few elements in vector initialization (expected 4 elements, have 1)
kernel void k(global float4 *o) { float4 w = {1}; *o = w; }
