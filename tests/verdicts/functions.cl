//- 6.7, 6.8, 6.9: kernels, functions, restrictions
// accept kernel_forms
__kernel void a(void) { }
kernel void b() { }
void kernel c(global int *o) { *o = 1; }
__attribute__((reqd_work_group_size(8, 1, 1))) kernel void d(global int *o) { *o = 1; }
kernel __attribute__((work_group_size_hint(8, 1, 1))) __attribute__((vec_type_hint(float4))) void e(global int *o) { *o = 1; }
// reject kernel_returns: kernel must have void return type
kernel int k(global int *o) { return 1; }
// reject kernel_returns_value: void function 'k' should not return a value
kernel void k(global int *o) { return 1; }
// reject kernel_bool: 'bool' cannot be used as the type of a kernel parameter
kernel void k(bool b) { }
// reject kernel_size_t: 'size_t' cannot be used as the type of a kernel parameter
kernel void k(size_t b) { }
// reject kernel_ptrdiff: 'ptrdiff_t' cannot be used as the type of a kernel parameter
kernel void k(ptrdiff_t b) { }
// reject kernel_intptr: 'intptr_t' cannot be used as the type of a kernel parameter
kernel void k(intptr_t b) { }
// reject kernel_event: 'event_t' cannot be used as the type of a kernel parameter
kernel void k(event_t b) { }
// reject kernel_struct_with_bool: 'struct S' cannot be used as the type of a kernel parameter: it has a member of type 'bool'
struct S { bool b; };
kernel void k(struct S s) { }
// reject kernel_struct_with_size_t: 'struct S' cannot be used as the type of a kernel parameter: it has a member of type 'size_t'
struct S { size_t b; };
kernel void k(struct S s) { }
// reject kernel_struct_pointer: struct kernel parameters may not contain pointers
struct S { global int *p; };
kernel void k(struct S s) { }
// accept kernel_pointer_struct_pointer
struct S { global int *p; };
kernel void k(global struct S *s) { }
// accept kernel_pointer_bool_size
kernel void k(global bool *b, global size_t *s) { *b = 1; *s = 2; }
// reject kernel_static: kernel functions cannot be declared static
static kernel void k(global int *o) { }
// accept kernel_prototype
kernel void k(global int *o);
kernel void k(global int *o) { *o = 1; }
// accept kernel_calls_kernel
kernel void a(global int *o, int x) { *o = x; }
kernel void b(global int *o) { a(o, 3); }
// reject kernel_recursion: recursion is not supported in OpenCL: 'a' calls itself
kernel void a(global int *o) { a(o); }
// reject function_recursion: recursion is not supported in OpenCL: 'f' calls itself
int f(int x) { return x ? f(x - 1) : 0; }
kernel void k(global int *o) { *o = f(3); }
// reject function_mutual: recursion is not supported in OpenCL: 'f' -> 'g' -> 'f'
int g(int x);
int f(int x) { return x ? g(x - 1) : 0; }
int g(int x) { return f(x); }
kernel void k(global int *o) { *o = f(3); }
// reject function_pointer_variable: pointers to functions are not allowed
int f(int x) { return x; }
kernel void k(global int *o) { int (*p)(int) = f; *o = p(1); }
// reject function_pointer_parameter: pointers to functions are not allowed
int f(int (*p)(int)) { return p(1); }
// reject function_parameter_type: pointers to functions are not allowed
int f(int p(int)) { return p(1); }
// reject function_pointer_member: pointers to functions are not allowed
struct S { int (*p)(int); };
// reject function_pointer_typedef: pointers to functions are not allowed
typedef int (*F)(int);
// reject function_pointer_cast: pointers to functions are not allowed
kernel void k(global int *o) { *o = ((int (*)(int))0)(1); }
// reject variadic: invalid prototype, variadic arguments are not allowed in OpenCL
int f(int x, ...) { return x; }
// reject variadic_prototype: invalid prototype, variadic arguments are not allowed in OpenCL
int f(int x, ...);
// reject returns_array: function cannot return array type 'int[3]'
int f(void)[3] { }
// reject returns_function: function cannot return function type 'int (int)'
int f(void)(int) { }
// reject array_of_functions: 'f' declared as array of type 'int (int)'
int f[3](int);
// reject bit_field: bit-fields are not supported in OpenCL
struct S { int a : 3; };
// reject bit_field_unnamed: bit-fields are not supported in OpenCL
struct S { int a; int : 0; };
// reject bit_field_in_union: bit-fields are not supported in OpenCL
union U { int a; uint b : 4; };
// reject vla: variable length arrays are not supported in OpenCL
kernel void k(global int *o, int n) { int a[n]; a[0] = 1; }
// reject vla_parameter: use of undeclared identifier 'n'
int f(int n, int a[n][n]) { return a[0][0]; }
// accept const_size_array
kernel void k(global int *o) { const int n = 4; int a[n]; a[0] = 1; *o = a[0]; }
// accept enum_size_array
enum { N = 4 };
kernel void k(global int *o) { int a[N][N + 1]; a[0][0] = 1; *o = a[0][0]; }
// accept constant_size_array
constant int n = 4;
kernel void k(global int *o) { int a[n]; a[0] = 1; *o = a[0]; }
// accept flexible_array
struct S { int n; int a[]; };
kernel void k(global struct S *s) { s->a[3] = s->n; }
// reject flexible_not_last: flexible array member 'a' with type 'int[]' is not at the end of struct
struct S { int a[]; int n; };
// reject undeclared_function: implicit declaration of function 'f' is invalid in OpenCL
kernel void k(global int *o) { *o = f(3); }
// reject undefined_function: undefined function 'f' is called
int f(int x);
kernel void k(global int *o) { *o = f(3); }
// accept undefined_function_unused
int f(int x);
kernel void k(global int *o) { *o = 1; }
// accept undefined_function_in_sizeof
int f(int x);
kernel void k(global int *o) { *o = sizeof(f(3)); }
// reject function_redefined: redefinition of 'f'
int f(int x) { return x; }
int f(int x) { return x + 1; }
// reject function_other_type: conflicting types for 'f'
int f(int x);
float f(int x) { return x; }
// reject function_other_parameters: conflicting types for 'f'
int f(int x);
int f(float x) { return x; }
// accept overloadable
int __attribute__((overloadable)) f(int x) { return x; }
float __attribute__((overloadable)) f(float x) { return x; }
float4 __attribute__((overloadable)) f(float4 x) { return x; }
kernel void k(global float4 *o) { *o = f(1) + f(2.0f) + f(*o); }
// reject overload_ambiguous: call to 'f' is ambiguous
int __attribute__((overloadable)) f(long x) { return x; }
float __attribute__((overloadable)) f(float x) { return x; }
kernel void k(global int *o) { *o = f(1); }
// accept inline_static
inline int a(int x) { return x; } static int b(int x) { return x; } static inline int c(int x) { return x; } extern int d(int x) { return x; }
kernel void k(global int *o) { *o = a(1) + b(2) + c(3) + d(4); }
// accept empty_parameters
int f() { return 1; } int g(void) { return 2; }
kernel void k(global int *o) { *o = f() + g(); }
// reject void_parameter_named: argument may not have 'void' type
int f(void x) { return 1; }
// reject void_and_more: argument may not have 'void' type
int f(void, int x) { return 1; }
// reject too_few: too few arguments to function call, expected 2, have 1
int f(int a, int b) { return 1; }
kernel void k(global int *o) { *o = f(1); }
// reject too_many: too many arguments to function call, expected 1, have 2
int f(int a) { return 1; }
kernel void k(global int *o) { *o = f(1, 2); }
// accept old_style
int f(a) int a; { return a; }
// accept unnamed_parameter
int f(int, float) ;
int f(int a, float b) { return a; }
kernel void k(global int *o) { *o = f(1, 2); }
// accept unnamed_parameter_definition
int f(int) { return 1; }
kernel void k(global int *o) { *o = f(1); }
// reject parameter_twice: redefinition of parameter 'a'
int f(int a, int a) { return 1; }
// reject parameter_default: expected ')'
int f(int a = 1) { return 1; }
// reject static_parameter: invalid storage class specifier in function declarator
int f(static int a) { return 1; }
// reject return_nothing: non-void function 'f' should return a value
int f(int a) { return; }
// accept return_conversion
float f(int a) { return a; } char g(float x) { return x; } float4 h(float x) { return x; }
kernel void k(global float4 *o) { *o = f(1) + g(2) + h(3); }
// reject return_struct_mismatch: returning 'int' from a function with incompatible result type 'struct A'
struct A { int a; };
struct A f(int a) { return a; }
// accept struct_by_value
struct A { int a[3]; float4 v; };
struct A f(struct A a, int x) { a.a[1] = x; return a; }
kernel void k(global int *o) { struct A a = {{1, 2, 3}, 1}; *o = f(f(a, 2), 3).a[1]; }
// reject main: kernel cannot be called 'main'
kernel void main(global int *o) { }
// reject implicit_int: unknown type name 'f'
f(int x) { return x; }
// reject implicit_int_variable: type specifier missing, and there is no implicit 'int'
kernel void k(global int *o) { const x = 3; }
// reject user_printf_redeclared_differently: called object type '__global int *' is not a function or function pointer
kernel void k(global int *o) { o(); }
// accept builtin_shadowed
float dot(float x, int y) { return x * y; }
int clamp2(int x) { int min = x, max = 3; return min + max; }
kernel void k(global float *o) { *o = dot(1.0f, 2) + clamp2(3); }
// accept builtin_as_variable
kernel void k(global float *o) { float sin = 1, length = 2; *o = sin + length; }
// reject function_as_value: taking address of function is not allowed
int f(int x) { return x; }
kernel void k(global int *o) { *o = f; }
// reject call_variable: called object type 'int' is not a function or function pointer
kernel void k(global int *o, int x) { *o = x(1); }
// accept reqd_size_prototype
__attribute__((reqd_work_group_size(4, 2, 1))) kernel void k(global int *o);
kernel void k(global int *o) { *o = 1; }
// reject reqd_size_zero: 'reqd_work_group_size' attribute must be greater than 0
__attribute__((reqd_work_group_size(0, 2, 1))) kernel void k(global int *o) { }
// reject reqd_size_two: 'reqd_work_group_size' attribute requires exactly 3 arguments
__attribute__((reqd_work_group_size(4, 2))) kernel void k(global int *o) { }
// reject reqd_size_not_constant: program scope variable must reside in constant address space
int n;
__attribute__((reqd_work_group_size(n, 1, 1))) kernel void k(global int *o) { }
// reject reqd_size_on_function: attribute 'reqd_work_group_size' can only be applied to an OpenCL kernel function
__attribute__((reqd_work_group_size(4, 1, 1))) void k(global int *o) { }
// reject asm_statement: inline assembly is not supported in OpenCL C
kernel void k(global int *o) { asm("nop"); }
// reject header_include: 'stdio.h' file not found
#include <stdio.h>
kernel void k(global int *o) { *o = 1; }
// reject goto_pointer: 'goto' to a computed label is not supported
kernel void k(global int *o) { goto *o; }
// reject setjmp: implicit declaration of function 'setjmp' is invalid in OpenCL
kernel void k(global int *o) { setjmp(o); }
// reject malloc: implicit declaration of function 'malloc' is invalid in OpenCL
kernel void k(global int *o) { void *p = malloc(3); }
// reject typeof_void_variable: variable has incomplete type 'void'
kernel void k(global int *o) { __typeof__(barrier(1)) x; }
// reject kernel_as_variable: program scope variable must reside in constant address space
kernel int x;
// reject struct_kernel_event_member: the 'event_t' type cannot be used to declare a structure or union field
struct S { event_t e[2]; };
kernel void k(struct S s) { }
// accept kernel_vector_arguments
kernel void k(float3 a, char16 b, double2 c, global float3 *o) { }
// accept kernel_struct_argument
typedef struct { int a; float4 b; struct { char c[3]; } d; } S;
kernel void k(S s, global int *o) { *o = s.a + s.d.c[1]; }
// accept kernel_enum_union_argument
enum E { A }; union U { int a; float b; };
kernel void k(enum E e, union U u, global int *o) { *o = e + u.a; }
