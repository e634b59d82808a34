//- 6.5: address spaces and qualifiers
// accept all_spaces
constant int c[3] = {1, 2, 3};
kernel void k(global int *g, local int *l, constant int *p) { local int a[4]; private int b = 1; __private int d[2]; constant int e = 5; a[0] = b; l[0] = a[0] + c[1] + p[0] + e; *g = l[0] + d[0]; }
// reject program_scope_private: program scope variable must reside in constant address space
int x = 3;
kernel void k(global int *o) { *o = x; }
// reject program_scope_global: program scope variable must reside in constant address space
global int x = 3;
kernel void k(global int *o) { *o = x; }
// accept program_scope_global_20 std=200
global int x = 3; int y; static global int z = 4;
kernel void k(global int *o) { *o = x + y + z; }
// accept program_scope_static_constant
static constant float c = 1.0f; const constant int d = 2; constant const int e = 3; __constant int f[] = {1, 2}; constant int g = sizeof(f);
kernel void k(global int *o) { *o = c + d + e + f[1] + g; }
// accept program_scope_const_pointers
constant int a[2] = {1, 2}; constant int *constant p = a; constant int *constant q = &a[1]; constant char *constant s = "text";
kernel void k(global int *o) { *o = *p + *q + s[1]; }
// reject program_scope_local: program scope variable must reside in constant address space
local int x;
kernel void k(global int *o) { *o = x; }
// reject constant_without_init: variable in constant address space must be initialized
constant int x;
kernel void k(global int *o) { *o = x; }
// reject constant_init_not_constant: initializer element is not a compile-time constant
kernel void k(global int *o, int v) { constant int x = v; *o = x; }
// reject constant_written: cannot assign to variable 'x' with const-qualified type '__constant int'
constant int x = 1;
kernel void k(global int *o) { x = 2; }
// reject constant_pointer_written: read-only variable is not assignable
kernel void k(constant int *x) { *x = 2; }
// reject constant_address_to_private: initializing 'int *' with an expression of type '__constant int *' changes address space of pointer
constant int x = 1;
kernel void k(global int *o) { int *p = &x; }
// reject local_initialised: '__local' variable cannot have an initializer
kernel void k(global int *o) { local int x = 1; }
// reject local_in_function: non-kernel function variable cannot be declared in local address space
void f(void) { local int x; x = 1; }
kernel void k(global int *o) { f(); }
// reject local_in_block: variables in the local address space can only be declared in the outermost scope of a kernel function
kernel void k(global int *o) { { local int x; x = 1; } }
// reject local_in_loop: variables in the local address space can only be declared in the outermost scope of a kernel function
kernel void k(global int *o) { for (int i = 0; i < 3; i++) { local int x; x = 1; } }
// reject local_in_for_header: variables in the local address space can only be declared in the outermost scope of a kernel function
kernel void k(global int *o) { for (local int i = 0; i < 3; i++) ; }
// accept local_several
kernel void k(global int *o) { local int a, b[2][3], *p; local float4 v[4]; a = 1; p = b[1]; p[0] = a; v[0] = 1; *o = b[1][0]; }
// accept local_pointer_private
kernel void k(global int *o, local int *l) { local int *p = l + 1; local int *local q; q = l; p[0] = 2; *o = *p; }
// reject global_variable_in_kernel: automatic variable qualified with an address space
kernel void k(global int *o) { global int x; }
// reject local_parameter_variable: parameter may not be qualified with an address space
kernel void k(local int l) { }
// reject global_parameter_of_function: parameter may not be qualified with an address space
void f(global int x) { }
// reject constant_return: return type cannot be qualified with address space
constant int f(void) { return 1; }
// reject two_spaces: multiple address spaces specified for type
kernel void k(global local int *o) { }
// reject pointer_space_mismatch: initializing '__local int *' with an expression of type '__global int *' changes address space of pointer
kernel void k(global int *o) { local int *p = o; }
// reject pointer_space_cast: casting '__global int *' to type '__local int *' changes address space of pointer
kernel void k(global int *o) { local int *p = (local int *)o; }
// reject pointer_space_cast_private: casting '__global int *' to type 'int *' changes address space of pointer
kernel void k(global int *o) { int *p = (int *)o; }
// reject pointer_to_constant_cast: casting '__global int *' to type '__constant int *' changes address space of pointer
kernel void k(global int *o) { constant int *p = (constant int *)o; }
// reject argument_space: passing '__global int *' to parameter of type 'int *' changes address space of pointer
void f(int *p) { *p = 1; }
kernel void k(global int *o) { f(o); }
// accept argument_spaces
int f(global int *a, local int *b, constant int *c, private int *d, int *e) { return *a + *b + *c + *d + *e; }
kernel void k(global int *o, local int *l, constant int *c) { int x = 1; *o = f(o, l, c, &x, &x); }
// reject kernel_private_pointer: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
kernel void k(int *p) { }
// reject kernel_private_pointer_named: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
kernel void k(private int *p) { }
// reject kernel_pointer_pointer: kernel parameter cannot be declared as a pointer to a pointer
kernel void k(global int *global *p) { }
// accept kernel_pointer_pointer_20 std=200
kernel void k(global int *global *p) { **p = 1; }
// accept pointer_pointer_private
kernel void k(global int *o) { global int *p = o; global int **q = &p; **q = 3; int x, *y = &x, **z = &y; **z = 4; *o += x; }
// reject nested_pointer_spaces: initializing '__local int **' with an expression of type '__global int **' changes address space of pointer
kernel void k(global int *o, local int *l) { global int *p = o; local int **q = &p; }
// accept const_pointers
kernel void k(global const int *a, global int *const b, const global int *const c, global int const *d) { *b = *a + *c + *d; }
// reject const_pointee_written: read-only variable is not assignable
kernel void k(global const int *a) { *a = 1; }
// reject const_pointer_written: cannot assign to variable 'a' with const-qualified type '__global int *const'
kernel void k(global int *const a) { a++; }
// reject const_variable_written: cannot assign to variable 'a' with const-qualified type 'const int'
kernel void k(global int *o) { const int a = 1; a = 2; }
// reject const_member_written: read-only variable is not assignable
struct S { const int a; };
kernel void k(global int *o) { struct S s = {1}; s.a = 2; }
// reject const_struct_member_written: read-only variable is not assignable
struct S { int a; };
kernel void k(global int *o) { const struct S s = {1}; s.a = 2; }
// reject const_array_written: read-only variable is not assignable
kernel void k(global int *o) { const int a[2] = {1, 2}; a[0] = 2; }
// reject const_vector_lane_written: read-only variable is not assignable
kernel void k(global int *o) { const int4 a = 1; a.x = 2; }
// accept const_dropped
kernel void k(global const int *a) { global int *p = a; *p = 1; }
// accept const_cast_away
kernel void k(global const int *a) { global int *p = (global int *)a; *p = 1; }
// accept restrict_volatile
kernel void k(global int *restrict a, volatile global int *b, global volatile int *restrict c, global int *volatile d) { *a = *b + *c + *d; }
// reject restrict_int: restrict requires a pointer or reference ('int' is invalid)
kernel void k(global int *o, int restrict x) { }
// reject restrict_on_pointee: restrict requires a pointer or reference ('int' is invalid)
kernel void k(global int restrict *o) { }
// reject generic_12: OpenCL C version 1.2 does not support the 'generic' type qualifier
kernel void k(global int *o) { generic int *p; }
// accept generic_20 std=200
int f(int *p) { return *p; }
kernel void k(global int *o, local int *l) { int x = 1, *p = &x; p = o; p = l; generic int *q = p; *o = f(o) + f(l) + f(&x) + *q; }
// reject generic_constant std=200: passing '__constant int *' to parameter of type '__generic int *' changes address space of pointer
int f(int *p) { return *p; }
kernel void k(global int *o, constant int *l) { *o = f(l); }
// reject generic_to_global std=200: initializing '__global int *' with an expression of type '__generic int *' changes address space of pointer
kernel void k(global int *o) { int *p = o; global int *q = p; }
// accept generic_to_global_cast std=200
kernel void k(global int *o) { int *p = o; global int *q = (global int *)p; *q = 1; }
// reject generic_kernel_parameter std=200: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
kernel void k(generic int *o) { }
// reject static_local_12: static local variable must reside in constant address space
kernel void k(global int *o) { static int x; }
// accept static_local_constant
kernel void k(global int *o) { static constant int x = 1; *o = x; }
// accept static_local_20 std=200
kernel void k(global int *o) { static int x = 1; static global int y; *o = x++ + y; }
// reject static_local_local std=200: static local variable must reside in global or constant address space
kernel void k(global int *o) { static local int x; }
// accept extern_constant
extern constant int x;
constant int x = 3;
kernel void k(global int *o) { *o = x; }
// reject auto_storage: OpenCL C version 1.2 does not support the 'auto' storage class specifier
kernel void k(global int *o) { auto int x = 1; }
// reject register_storage: OpenCL C version 1.2 does not support the 'register' storage class specifier
kernel void k(global int *o) { register int x = 1; }
// accept struct_pointer_spaces
struct S { global int *p; local float *q; int *r; constant int *s; };
kernel void k(global int *o) { struct S s = {o, 0, 0, 0}; *s.p = 1; }
// reject member_space: field may not be qualified with an address space
struct S { global int x; };
// reject member_local: field may not be qualified with an address space
struct S { local int x[3]; };
// accept typedef_space
typedef global int *gp; typedef constant float cf; typedef local int li;
constant cf c = 1;
kernel void k(gp o) { li l[3]; l[0] = c; *o = l[0]; }
// reject typedef_space_twice: multiple address spaces specified for type
typedef global int gi;
kernel void k(local gi *o) { }
// accept array_parameter
int f(int a[4], constant int b[], int c[][3]) { return a[1] + b[0] + c[1][2]; }
kernel void k(global int *o, global int p[], constant int *q) { int a[4] = {1, 2}, c[2][3] = {{0}}; *o = f(a, q, c) + p[0]; }
// accept pointer_to_array
kernel void k(global int (*o)[4]) { o[1][2] = 3; local int l[2][4]; local int (*p)[4] = l; p[1][1] = 2; o[0][0] = p[1][1]; }
// reject return_local_pointer_mismatch: returning '__local int *' from a function with result type '__global int *' changes address space of pointer
global int *f(local int *p) { return p; }
// accept return_pointer
global int *f(global int *p, int n) { return p + n; }
kernel void k(global int *o) { *f(o, 2) = 1; }
// reject string_to_private: initializing 'char *' with an expression of type '__constant char *' changes address space of pointer
kernel void k(global int *o) { char *s = "abc"; }
// accept string_constant
kernel void k(global char *o) { constant char *s = "abc"; char t[] = "abc"; char u[4] = "abc"; char v[3] = "abc"; char w[10] = {"x" "y"}; *o = s[0] + t[1] + u[2] + v[0] + w[9]; }
// reject string_written: read-only variable is not assignable
kernel void k(global char *o) { "abc"[0] = 'x'; }
