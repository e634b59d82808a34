//- C99: declarations, initialisers, statements
// accept declarators
kernel void k(global int *o) { int a, *b = &a, c[3], *d[2] = {b, c}, (*e)[3] = &c, **f = d, ((g)) = 1, *(*h)[2] = &d; *o = **f + (*e)[1] + g + *(*h)[0]; }
// accept typedef_chain
typedef int I; typedef I A[3]; typedef A *P; typedef struct { A a; } S; typedef const I CI;
kernel void k(global int *o) { A a = {1, 2, 3}; P p = &a; S s = {{4, 5, 6}}; CI c = 3; *o = (*p)[1] + s.a[2] + c; }
// accept typedef_redefined
typedef int I; typedef int I;
kernel void k(global I *o) { *o = 1; }
// reject typedef_redefined_differently: typedef redefinition with different types ('float' vs 'int')
typedef int I; typedef float I;
// accept typedef_shadowed
typedef int I;
kernel void k(global int *o) { int I = 2; { float I = 3; *o = I; } *o += I; }
// reject typedef_initialised: expected ';' after top level declarator
typedef int I = 3;
// accept scopes
kernel void k(global int *o) { int x = 1; { int x = 2; for (int x = 3; x < 4; x++) { int x = 5; *o = x; } *o += x; } if (x) { int x = 6; *o += x; } *o += x; }
// reject redeclared: redefinition of 'x'
kernel void k(global int *o) { int x = 1; int x = 2; }
// reject redeclared_parameter: redefinition of 'o'
kernel void k(global int *o) { int o = 1; }
// accept redeclared_in_block
kernel void k(global int *o) { { int o = 1; } }
// reject undeclared: use of undeclared identifier 'x'
kernel void k(global int *o) { *o = x; }
// reject used_before: use of undeclared identifier 'x'
kernel void k(global int *o) { *o = x; int x = 1; }
// accept self_reference_size
kernel void k(global int *o) { int x = sizeof(x); *o = x; }
// accept struct_forms
struct A; struct B { struct A *a; int b; }; struct A { struct B b; int c[2]; } ga(int x) { struct A a = {{0, x}, {1, 2}}; return a; }
kernel void k(global int *o) { struct A a = ga(1), b = a, *p = &b; p->b.b = 4; p->c[1] = a.c[0]; *o = b.b.b + (*p).c[1] + ga(3).c[1]; struct { int x; } anonymous = {3}; *o += anonymous.x; }
// reject struct_incomplete: variable has incomplete type 'struct A'
struct A;
kernel void k(global int *o) { struct A a; }
// reject struct_recursive: field has incomplete type 'struct A'
struct A { struct A a; };
// reject struct_redefined: redefinition of 'A'
struct A { int a; }; struct A { int a; };
// accept struct_local_shadow
struct A { int a; };
kernel void k(global int *o) { struct A { float f; } a = {1}; *o = a.f; { struct A; struct A *p; } }
// reject struct_member_twice: duplicate member 'a'
struct A { int a; float a; };
// reject struct_compare: invalid operands to binary expression ('struct A' and 'struct A')
struct A { int a; };
kernel void k(global int *o, struct A a) { if (a == a) *o = 1; }
// reject struct_arithmetic: invalid operands to binary expression ('struct A' and 'int')
struct A { int a; };
kernel void k(global int *o, struct A a) { a = a + 1; }
// reject struct_condition: statement requires expression of scalar type ('struct A' invalid)
struct A { int a; };
kernel void k(global int *o, struct A a) { if (a) *o = 1; }
// reject struct_function_member: field 'f' declared as a function
struct A { int f(int); };
// reject struct_initialised_member: expected ';' at end of declaration list
struct A { int a = 3; };
// accept union_forms
union U { int i; float f; uchar4 c; struct { ushort lo, hi; }; };
kernel void k(global int *o) { union U u = {3}, v = {.f = 1.0f}, w = u; u.c.y = 2; *o = u.i + v.i + w.hi + u.lo; }
// reject union_two_initialisers_braces: initializing 'int' with an expression of incompatible type 'union U'
union U { int i; float f; };
kernel void k(global int *o) { union U u = {{1, 2}, {3}}; int x = u; }
// accept enum_forms
enum { A, B = 5, C, D = -1, E = 'a', F = sizeof(int) * 2, G = B | C };
enum N { X = 0x7fffffff, Y = -5 };
kernel void k(global int *o) { enum N n = X; int a[G] = {[C] = D}; *o = A + B + C + D + E + F + n + a[6]; }
// reject enum_redefined_constant: redefinition of 'A'
enum { A, A };
// reject enum_not_constant: expression is not an integer constant expression
kernel void k(global int *o, int x) { enum { A = x }; }
// reject enum_float: expression is not an integer constant expression
enum { A = 1.5f };
// reject enum_assign_constant: expression is not assignable
enum { A };
kernel void k(global int *o) { A = 3; }
// accept array_initialisers
kernel void k(global int *o) { int a[] = {1, 2, 3}, b[5] = {1}, c[2][3] = {{1}, {4, 5, 6}}, d[2][2] = {1, 2, 3, 4}, e[] = {[4] = 1, 2, [0] = 7}, f[][2] = {{1, 2}, {3}}; *o = sizeof(a) + b[4] + c[1][2] + d[1][0] + sizeof(e) + sizeof(f); }
// accept excess_initialisers
kernel void k(global int *o) { int a[2] = {1, 2, 3}; int b = {1}; *o = a[0] + b; }
// reject array_unknown_size: definition of variable with array type needs an explicit size or an initializer
kernel void k(global int *o) { int a[]; }
// reject array_unknown_inner: array has incomplete element type 'int[]'
kernel void k(global int *o) { int a[2][] = {{1}, {2}}; }
// reject array_init_by_array: array initializer must be an initializer list
kernel void k(global int *o) { int a[2] = {1, 2}; int b[2] = a; }
// reject array_init_scalar: array initializer must be an initializer list
kernel void k(global int *o) { int a[2] = 1; }
// reject array_assigned: array type 'int[2]' is not assignable
kernel void k(global int *o) { int a[2], b[2]; a = b; }
// reject array_negative: array has a negative size
kernel void k(global int *o) { int a[-1]; }
// reject array_float_size: size of array has non-integer type 'float'
kernel void k(global int *o) { int a[2.0f]; }
// reject array_of_void: array has incomplete element type 'void'
kernel void k(global int *o) { void a[2]; }
// reject designator_outside: array designator index (2) exceeds array bounds (2)
kernel void k(global int *o) { int a[2] = {[2] = 1}; }
// reject designator_unknown: field designator 'b' does not refer to any field in type 'struct S'
struct S { int a; };
kernel void k(global int *o) { struct S s = {.b = 1}; }
// reject designator_of_scalar: expected expression
kernel void k(global int *o) { int a = {.x = 1}; }
// accept designators_nested
struct P { int x, y; }; struct S { struct P p[2]; float4 v; int n; };
kernel void k(global int *o) { struct S s = {.p[1].y = 3, .p[0] = {1, 2}, .n = 5, .v = (float4)(1)}; struct S t[2] = {[1].p[0].x = 2, [0] = {.n = 4}}; *o = s.p[1].y + t[1].p[0].x + t[0].n; }
// accept compound_literals
struct S { int a, b; };
int f(struct S s) { return s.b; }
kernel void k(global int *o) { *o = f((struct S){1, 2}) + ((struct S){.b = 3}).b + (int){4} + ((int[3]){1, 2})[1]; struct S s; s = (struct S){5, 6}; o[1] = s.a; }
// accept constant_initialisers
struct S { int a; float b[2]; char c[4]; };
constant struct S s[] = {{1, {2, 3}, "abc"}, {.a = 4}};
constant float4 v[2] = {(float4)(1, 2, 3, 4), (float4)(5)};
constant int m[2][2] = {{1, 2}, {3}}, n = 3 * 4 + (1 << 3), q = sizeof(m), r = n + 1 > 2 ? 3 : 4;
constant float pi = 3.14159f * 2 / 3, e = -1.5f;
kernel void k(global float *o) { *o = s[0].a + s[1].b[1] + v[1].y + m[1][0] + n + q + r + pi + e + s[0].c[2]; }
// reject constant_initialiser_call: initializer element is not a compile-time constant
int f(void) { return 1; }
constant int x = f();
// accept statements
kernel void k(global int *o, int n) { if (n) ; else *o = 1; while (n-- > 0) if (n == 3) continue; else if (n == 2) break; do { n++; } while (n < 3); for (;;) { if (n++ > 5) break; } for (int i = 0, *p = &i; *p < 3; ++*p) *o += i; switch (n) { case 1: case 2: *o = 1; break; default: ; } { } ; return; }
// reject break_outside: 'break' statement not in loop or switch statement
kernel void k(global int *o) { break; }
// reject continue_outside: 'continue' statement not in loop statement
kernel void k(global int *o) { continue; }
// reject continue_in_switch: 'continue' statement not in loop statement
kernel void k(global int *o, int n) { switch (n) { case 1: continue; } }
// reject case_outside: 'case' statement not in switch statement
kernel void k(global int *o) { case 1: ; }
// reject default_twice: multiple default labels in one switch
kernel void k(global int *o, int n) { switch (n) { default: ; default: ; } }
// reject case_twice: duplicate case value '1'
kernel void k(global int *o, int n) { switch (n) { case 1: ; case 1: ; } }
// reject case_twice_after_conversion: duplicate case value '4294967295'
kernel void k(global int *o, uint n) { switch (n) { case -1: ; case 0xffffffff: ; } }
// accept case_of_narrow
kernel void k(global int *o, uchar n) { switch (n) { case 1: *o = 1; break; case 'x': *o = 2; } }
// reject case_variable: expression is not an integer constant expression
kernel void k(global int *o, int n) { switch (n) { case n: ; } }
// reject case_float: expression is not an integer constant expression
kernel void k(global int *o, int n) { switch (n) { case 1.0f: ; } }
// reject switch_float: statement requires expression of integer type ('float' invalid)
kernel void k(global int *o, float n) { switch (n) { case 1: ; } }
// reject switch_vector: statement requires expression of integer type ('int2' invalid)
kernel void k(global int *o, int2 n) { switch (n) { case 1: ; } }
// reject switch_pointer: statement requires expression of integer type ('__global int *' invalid)
kernel void k(global int *o) { switch (o) { case 0: ; } }
// accept switch_types
kernel void k(global int *o, ulong a, char b, short c, long d) { switch (a) { case 0xffffffffffffffffUL: *o = 1; } switch (b) { case -1: *o = 2; } switch (c) { case 300: *o = 3; } switch (d) { case -5L: *o = 4; case 5000000000: *o = 5; } switch ((bool)a) { case 1: *o = 3; } }
// accept switch_odd
kernel void k(global int *o, int n) { switch (n) case 3: *o = 1; switch (n) { int x; case 1: x = 2; *o = x; } switch (n) { } switch (n) { case 1: if (n) { case 2: *o = 2; } else default: *o = 3; } }
// accept labels
kernel void k(global int *o, int n) { goto in; again: n++; if (n < 5) goto again; { in: *o = n; } out: ; if (n > 9) goto out; }
// reject label_undefined: use of undeclared label 'l'
kernel void k(global int *o) { goto l; }
// reject label_twice: redefinition of label 'l'
kernel void k(global int *o) { l: ; l: ; }
// reject label_of_other_function: use of undeclared label 'l'
void f(void) { l: ; }
kernel void k(global int *o) { goto l; }
// accept label_before_declaration
kernel void k(global int *o) { l: ; int x = 1; *o = x; m: *o = 2; }
// accept label_before_declaration_directly
kernel void k(global int *o) { l: int x = 1; *o = x; switch (x) { case 1: int y = 3; *o = y; } }
// accept label_at_end
kernel void k(global int *o) { *o = 1; goto l; l: }
// accept label_named_like_variable
kernel void k(global int *o) { int l = 1; goto l; l: *o = l; }
// reject declaration_as_body: expected expression
kernel void k(global int *o) { if (1) int x = 3; }
// reject for_two_declarations: expected expression
kernel void k(global int *o) { for (int i = 0; float j = 0; i < 3) ; }
// reject missing_semicolon: expected ';' after expression
kernel void k(global int *o) { *o = 1 }
// reject missing_parenthesis: expected ')'
kernel void k(global int *o) { if (*o { } }
// reject missing_brace: expected '}'
kernel void k(global int *o) { *o = 1;
// reject extra_brace: extraneous closing brace ('}')
kernel void k(global int *o) { *o = 1; } }
// reject extra_parenthesis: expected ';' after expression
kernel void k(global int *o) { *o = (1)); }
// reject else_alone: expected expression
kernel void k(global int *o) { else *o = 1; }
// reject do_without_while: expected 'while' in do/while loop
kernel void k(global int *o) { do { } }
// reject keyword_as_name: invalid name: 'while' is a keyword
kernel void k(global int *o) { int while = 1; }
// reject type_as_name: invalid name: 'kernel' is a keyword
kernel void k(global int *o) { int kernel = 1; }
// reject number_as_name: expected identifier or '('
kernel void k(global int *o) { int 1x = 1; }
// accept only_declarations
struct S; typedef int I; int f(int); enum E { A };
// accept unicode_comment
// ümläute — “quotes”
kernel void k(global int *o) { *o = 1; /* ü */ }
// accept long_else_if
kernel void k(global int *o, int n) { if (n == 1) *o = 1; else if (n == 2) *o = 2; else if (n == 3) *o = 3; else { *o = 4; } }
// accept nested_functions_of_parameters
int f(int (a), int (b)[2], int const c) { return a + b[1] + c; }
kernel void k(global int *o) { int x[2] = {1, 2}; *o = f(1, x, 2); }
// accept pointer_to_struct_array
struct S { int a[2][3]; };
kernel void k(global struct S *s) { s[1].a[1][2] = s->a[0][0]; global int *p = s->a[1]; global int (*q)[3] = s->a; p[0] = q[1][1]; }
// accept volatile_struct
struct S { int a; };
kernel void k(volatile global struct S *s) { s->a = 1; struct S t = *s; s->a += t.a; }
// accept struct_without_last_semicolon
struct S { int a; int b }; union U { int a, b };
kernel void k(global int *o) { struct S s = {1, 2}; *o = s.b + sizeof(union U); }
// reject struct_without_semicolon: expected ';' at end of declaration list
struct S { int a int b; };
