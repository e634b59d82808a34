//- 6.2: conversions
// accept implicit_scalars
kernel void k(global float *o, int i, double d, char c) { *o = i; o[1] = d; int j = o[0]; c = i; uchar u = -1; bool b = d; o[2] = j + c + u + b; }
// accept implicit_pointer_void
kernel void k(global int *o) { global void *p = o; global float *q = p; *q = 1; }
// reject implicit_vector_element: assigning to 'float4' from incompatible type 'int4'
kernel void k(global float4 *o, int4 i) { *o = i; }
// reject implicit_vector_width: assigning to 'float4' from incompatible type 'float3'
kernel void k(global float4 *o, float3 i) { *o = i; }
// reject implicit_vector_to_scalar: assigning to 'float' from incompatible type 'float4'
kernel void k(global float *o, float4 i) { *o = i; }
// accept implicit_splat
kernel void k(global float4 *o, float f, int i, char c) { o[0] = f; o[1] = i; o[2] = o[0] * f + c; o[3] = 2; }
// reject splat_from_wider: scalar operand type has greater rank than the type of the vector element. ('float4' and 'double')
kernel void k(global float4 *o, float4 a, double d) { *o = a * d; }
// reject splat_from_wider_int: scalar operand type has greater rank than the type of the vector element. ('int4' and 'long')
kernel void k(global int4 *o, int4 a, long d) { *o = a + d; }
// reject splat_unsigned: scalar operand type has greater rank than the type of the vector element. ('char4' and 'int')
kernel void k(global char4 *o, char4 a, int d) { *o = a + d; }
// accept splat_literal
kernel void k(global char4 *o, char4 a) { *o = a + (char)1; }
// reject splat_int_literal_to_char: scalar operand type has greater rank than the type of the vector element. ('char4' and 'int')
kernel void k(global char4 *o, char4 a, int b) { *o = a * b; }
// accept float_vector_times_double_literal
kernel void k(global float4 *o, float4 a) { *o = a * 2.0f; }
// accept explicit_scalar_casts
kernel void k(global int *o, float f, global int *p) { o[0] = (int)f; o[1] = (char)300; o[2] = (bool)f; o[3] = (long)p; o[4] = (int)(uchar)-1; }
// accept cast_scalar_to_vector
kernel void k(global float4 *o, int i, float f) { o[0] = (float4)f; o[1] = (float4)i; o[2] = (float4)(f + 1); o[3] = (float4)-f; }
// reject cast_vector_to_scalar: operand of type 'float4' cannot be cast to type 'float'
kernel void k(global float *o, float4 i) { *o = (float)i; }
// reject cast_vector_same_size: invalid conversion between ext-vector type 'int4' and 'float4'
kernel void k(global int4 *o, float4 i) { *o = (int4)i; }
// reject cast_vector_sign: invalid conversion between ext-vector type 'int4' and 'uint4'
kernel void k(global int4 *o, uint4 i) { *o = (int4)i; }
// reject assign_vector_sign: assigning to 'int4' from incompatible type 'uint4'
kernel void k(global int4 *o, uint4 i) { *o = i; }
// reject add_vector_sign: invalid operands to binary expression ('uint4' and 'int4')
kernel void k(global int4 *o, uint4 i, int4 j) { *o = i + j; }
// accept convert_all
kernel void k(global uchar4 *o, float4 f, int4 i, double4 d, long4 l) { o[0] = convert_uchar4(f); o[1] = convert_uchar4_sat(i); o[2] = convert_uchar4_sat_rte(d); o[3] = convert_uchar4_rtz(l); }
// accept convert_scalar
kernel void k(global int *o, float f) { o[0] = convert_int(f); o[1] = convert_int_rte(f); o[2] = convert_char_sat_rtp(f); o[3] = convert_uint_rtn(f); o[4] = convert_float_rtz(o[0]); o[5] = convert_ulong_sat(f); }
// reject convert_float_sat: implicit declaration of function 'convert_float_sat' is invalid in OpenCL
kernel void k(global float *o, int f) { *o = convert_float_sat(f); }
// reject convert_width: no matching function for call to convert 'float2' to 'int4'
kernel void k(global int4 *o, float2 f) { *o = convert_int4(f); }
// reject convert_order: implicit declaration of function 'convert_int_rte_sat' is invalid in OpenCL
kernel void k(global int *o, float f) { *o = convert_int_rte_sat(f); }
// reject convert_bool: implicit declaration of function 'convert_bool' is invalid in OpenCL
kernel void k(global int *o, float f) { *o = convert_bool(f); }
// reject convert_size_t: implicit declaration of function 'convert_size_t' is invalid in OpenCL
kernel void k(global int *o, float f) { *o = convert_size_t(f); }
// reject convert_pointer: no matching function for call to convert '__global int *' to 'int'
kernel void k(global int *o) { *o = convert_int(o); }
// accept as_types
kernel void k(global int *o, float f, float4 v, uchar4 c, short2 s, double d) { o[0] = as_int(f); o[1] = as_int(c); o[2] = as_int(s); int4 i = as_int4(v); o[3] = i.x; o[4] = as_long(d); o[5] = as_int2(d).y; o[6] = as_ushort8(v).s7; float3 t = as_float3(v); float4 u = as_float4(t); }
// reject as_size: invalid reinterpretation: sizes of 'int' and 'double' must match
kernel void k(global int *o, double d) { *o = as_int(d); }
// reject as_size_vector: invalid reinterpretation: sizes of 'int3' and 'int2' must match
kernel void k(global int3 *o, int2 d) { *o = as_int3(d); }
// reject as_struct: invalid reinterpretation: sizes of 'int' and 'struct S' must match
struct S { int a; };
kernel void k(global int *o, struct S s) { *o = as_int(s); }
// accept as_pointer
kernel void k(global int *o) { *o = as_long(o); }
// reject pointer_int_implicit: incompatible pointer to integer conversion
kernel void k(global int *o) { int x = o; }
// reject int_pointer_implicit: incompatible integer to pointer conversion
kernel void k(global int *o) { global int *p = 5; }
// accept null_pointer
kernel void k(global int *o) { global int *p = 0, *q = NULL, *r = (global int *)0; if (p == q && r != o) *o = 1; }
// reject pointer_float_cast: operand of type '__global int *' cannot be cast to type 'float'
kernel void k(global int *o) { float f = (float)o; }
// accept pointer_types_differ
kernel void k(global int *o) { global float *p = o; }
// reject struct_cast: used type 'struct B' where arithmetic or pointer type is required
struct A { int a; }; struct B { int a; };
kernel void k(global int *o, struct A a) { struct B b = (struct B)a; }
// reject struct_assign_other: assigning to 'struct B' from incompatible type 'struct A'
struct A { int a; }; struct B { int a; };
kernel void k(global int *o, struct A a) { struct B b; b = a; }
// accept enum_int
enum E { X, Y }; enum F { Z = 5 };
kernel void k(global int *o) { enum E e = 1; e = Z; int i = Y; e = (enum E)i; *o = e + Z * 2.0f; e++; e |= 1; }
// accept ternary_types
kernel void k(global float *o, int c, int i, float f) { *o = c ? i : f; o[1] = c ? 1u : -1; global float *p = c ? o : 0; p = c ? NULL : o; *p = 1; }
// accept ternary_vectors
kernel void k(global float4 *o, int4 c, float4 a, float4 b, int d) { o[0] = c ? a : b; o[1] = d ? a : b; o[2] = c ? a : 1.0f; o[3] = a > b ? a : b; }
// reject ternary_vector_condition_width: vector condition type 'int2' and result type 'float4' do not have the same number of elements
kernel void k(global float4 *o, int2 c, float4 a, float4 b) { *o = c ? a : b; }
// reject ternary_vector_condition_size: vector condition type 'char4' and result type 'float4' do not have the same size of elements
kernel void k(global float4 *o, char4 c, float4 a, float4 b) { *o = c ? a : b; }
// reject ternary_float_condition_vector: used type 'float4' where floating point type is not allowed
kernel void k(global float4 *o, float4 c, float4 a, float4 b) { *o = c ? a : b; }
// reject ternary_scalar_condition_mixed: invalid operands to binary expression ('float4' and 'int4')
kernel void k(global float4 *o, int c, float4 a, int4 b) { *o = c ? a : b; }
// reject ternary_pointer_spaces: conditional expression between ('__global int *' and '__local int *') which are pointers to non-overlapping address spaces
kernel void k(global int *o, local int *l, int c) { int x = *(c ? o : l); }
