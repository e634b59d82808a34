// A rejection for every rule of the parser and the semantic analysis: the message, its line and column.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/lang/lang.h"

struct rejected {
  const char *source;
  const char *message; // "line:column: severity: text", with which some line of the log begins behind the name
};

static const struct rejected errors[] = {
    // names
    {"kernel void k() { x = 1; }", "1:19: error: use of undeclared identifier 'x'"},
    {"kernel void k() { int count; coutn = 1; }",
     "1:30: error: use of undeclared identifier 'coutn'; did you mean 'count'?"},
    {"kernel void k() { int count; coutn = 1; }", "1:23: note: 'count' declared here"},
    {"kernel void k() { int i = get_globl_id(0); }", "1:27: error: implicit declaration of function 'get_globl_id' is "
                                                     "invalid in OpenCL; did you mean 'get_global_id'?"},
    {"kernel void k() { flaot x; }", "1:19: error: unknown type name 'flaot'; did you mean 'float'?"},
    {"kernel void k(image2d_t i) { }", "1:15: error: type 'image2d_t' is not supported: there are no images"},
    {"float4 f(image1d_buffer_t i) { return read_imagef(i, 1); }",
     "1:10: error: type 'image1d_buffer_t' is not supported: there are no images"},
    {"void f(int i) { write_imageui(i, i, i); }",
     "1:17: error: function 'write_imageui' is not supported: there are no images"},
    {"int f(int i) { return get_image_width(i); }",
     "1:23: error: function 'get_image_width' is not supported: there are no images"},
    {"void f(void) { const sampler_t s = CLK_FILTER_LINEAR; }",
     "1:22: error: type 'sampler_t' is not supported: there are no images"},
    {"kernel void k() { int x; float x; }", "1:32: error: redefinition of 'x' with a different type: 'float' vs 'int'"},
    {"kernel void k() { int x; int x; }", "1:23: note: previous definition is here"},
    {"kernel void k(int a) { int a; }", "1:28: error: redefinition of 'a'"},
    {"kernel void k(int a, int a) { }", "1:26: error: redefinition of parameter 'a'"},
    {"typedef int T; void T() { }", "1:21: error: redefinition of 'T' as different kind of symbol"},
    {"typedef int T; typedef float T;", "1:30: error: typedef redefinition with different types ('float' vs 'int')"},
    {"struct S { int a; int a; };", "1:23: error: duplicate member 'a'"},
    {"struct S { int a; }; struct S { int a; };", "1:29: error: redefinition of 'S'"},
    {"struct S { int a; }; union S u;",
     "1:28: error: use of 'S' with tag type that does not match previous declaration"},
    {"enum E { A, A };", "1:13: error: redefinition of 'A'"},
    {"void f() { } void f() { }", "1:19: error: redefinition of 'f'"},
    {"int f(int a); int f(float a);", "1:19: error: conflicting types for 'f'"},
    {"kernel void k() { sqrt; }", "1:19: error: builtin functions must be directly called"},
    // declarations
    {"int f(x) { return 1; }", "1:7: error: unknown type name 'x'"},
    {"kernel void k() { int a[]; }",
     "1:23: error: definition of variable with array type needs an explicit size or an initializer"},
    {"kernel void k() { int a[-1]; }", "1:25: error: array has a negative size"},
    {"kernel void k() { int a[-1]; }", "1:25: error: array has a negative size"},
    {"kernel void k(int n) { int a[n]; }", "1:29: error: variable length arrays are not supported in OpenCL"},
    {"kernel void k() { int a[1.5f]; }", "1:25: error: size of array has non-integer type 'float'"},
    {"kernel void k() { char a[0x7fffffffffffffff]; }", "error: array is too large"},
    {"struct S { int b : 3; };", "1:18: error: bit-fields are not supported in OpenCL"},
    {"struct S { struct S s; };", "1:21: error: field has incomplete type 'struct S'"},
    {"struct S; kernel void k() { struct S s; }", "1:38: error: variable has incomplete type 'struct S'"},
    {"kernel void k() { void v; }", "1:24: error: variable has incomplete type 'void'"},
    {"kernel void k() { int (*f)(int); }", "1:24: error: pointers to functions are not allowed"},
    {"int f(int a, ...);", "1:14: error: invalid prototype, variadic arguments are not allowed in OpenCL"},
    {"unsigned float x;", "1:10: error: cannot combine with previous 'unsigned' declaration specifier"},
    {"static x;", "1:8: error: type specifier missing, and there is no implicit 'int'"},
    {"int f() { auto int x; return x; }",
     "1:11: error: OpenCL C version 1.2 does not support the 'auto' storage class specifier"},
    {"int (f())[3];", "1:6: error: function cannot return array type 'int[3]'"},
    {"int x __attribute__((vector_size(24)));",
     "1:5: error: 'vector_size' attribute makes no vector of 2, 3, 4, 8 or 16 elements"},
    {"int x __attribute__((mode(QI)));", "1:22: error: attribute 'mode' is not supported"},
    {"struct __attribute__((aligned(3))) S { int a; };", "1:31: error: requested alignment is not a power of 2"},
    {"kernel void k() { half h; }", "1:24: error: declaring variable of type 'half' is not allowed"},
    {"kernel void k(global half *h) { float f = *h; }",
     "1:43: error: loading directly from pointer to type 'half' requires fp16"},
    {"_Static_assert(1 > 2, \"no\");", "1:1: error: static_assert failed \"no\""},
    {"int f() { int g() { } return 1; }", "1:19: error: function definition is not allowed here"},
    // address spaces
    {"float x = 1;", "1:7: error: program scope variable must reside in constant address space"},
    {"constant int x;", "1:14: error: variable in constant address space must be initialized"},
    {"local int x;", "1:11: error: program scope variable must reside in constant address space"},
    {"void f() { local int x; }",
     "1:22: error: non-kernel function variable cannot be declared in local address space"},
    {"kernel void k() { { local int x; } }",
     "1:31: error: variables in the local address space can only be declared in the outermost scope of a kernel"},
    {"kernel void k() { local int x = 1; }", "1:29: error: '__local' variable cannot have an initializer"},
    {"kernel void k() { global int x; }", "1:30: error: automatic variable qualified with an address space"},
    {"kernel void k() { static int x; }", "1:30: error: static local variable must reside in constant address space"},
    {"struct S { global int x; };", "1:12: error: field may not be qualified with an address space"},
    {"void f(global int x) { }", "1:19: error: parameter may not be qualified with an address space"},
    {"global int f() { return 1; }", "1:12: error: return type cannot be qualified with address space"},
    {"kernel void k(global int *g) { int *p = g; }",
     "1:41: error: initializing 'int *' with an expression of type '__global int *' changes address space of pointer"},
    {"kernel void k(global int *g, local int *l) { l = g; }",
     "1:50: error: assigning to '__local int *' from type '__global int *' changes address space of pointer"},
    {"void f(int *p) { } kernel void k(global int *g) { f(g); }",
     "1:53: error: passing '__global int *' to parameter of type 'int *' changes address space of pointer"},
    {"int *f(global int *g) { return g; }",
     "1:32: error: returning '__global int *' from a function with result type 'int *' changes address space"},
    {"kernel void k(global int *g) { local int *l = (local int *)g; }",
     "1:47: error: casting '__global int *' to type '__local int *' changes address space of pointer"},
    {"kernel void k(global int *g, local int *l) { g == l; }",
     "error: comparison between ('__global int *' and '__local int *') which are pointers to non-overlapping"},
    {"kernel void k(generic int *g) { }",
     "1:15: error: OpenCL C version 1.2 does not support the 'generic' type qualifier"},
    {"kernel void k(global local int *g) { }", "1:22: error: multiple address spaces specified for type"},
    // kernels
    {"kernel int k() { return 1; }", "1:1: error: kernel must have void return type"},
    {"kernel void k(int *p) { }",
     "1:20: error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local'"},
    {"kernel void k(global int *global *p) { }",
     "1:35: error: kernel parameter cannot be declared as a pointer to a pointer"},
    {"kernel void k(bool b) { }", "1:20: error: 'bool' cannot be used as the type of a kernel parameter"},
    {"struct S { global int *p; }; kernel void k(struct S s) { }",
     "1:53: error: struct kernel parameters may not contain pointers"},
    {"kernel __attribute__((reqd_work_group_size(0, 1, 1))) void k() { }",
     "error: 'reqd_work_group_size' attribute must be greater than 0"},
    {"int f(int x) { return f(x); }", "1:23: error: recursion is not supported in OpenCL: 'f' calls itself"},
    {"int g(int x); int f(int x) { return g(x); } int g(int x) { return f(x); }",
     "error: recursion is not supported in OpenCL: 'g' -> 'f' -> 'g'"},
    {"int f(int x); kernel void k() { f(1); }", "1:33: error: undefined function 'f' is called"},
    // calls
    {"void f(int a) { } kernel void k() { f(); }",
     "1:39: error: too few arguments to function call, expected 1, have 0"},
    {"void f() { } kernel void k() { f(1); }", "1:34: error: too many arguments to function call, expected 0, have 1"},
    {"void f() { } kernel void k() { f(1); }", "1:6: note: 'f' declared here"},
    {"struct S { int a; }; void f(int a) { } kernel void k() { struct S s; f(s); }",
     "1:72: error: passing 'struct S' to parameter of incompatible type 'int'"},
    {"struct S { int a; }; void f(int a) { } kernel void k() { struct S s; f(s); }",
     "1:33: note: passing argument to parameter 'a' here"},
    {"kernel void k() { int x; x(); }", "1:26: error: called object type 'int' is not a function or function pointer"},
    {"kernel void k() { float4 v = float4(1); }", "1:30: error: unexpected type name 'float4': expected expression"},
    {"void f() { } kernel void k() { f; }", "1:32: error: taking address of function is not allowed"},
    {"#define O __attribute__((overloadable))\nO void f(int2 a) { } O void f(float2 a) { }\n"
     "kernel void k() { f((char2)(1)); }",
     "3:19: error: no matching function for call to 'f'"},
    {"kernel void k(global int *p) { sqrt(p); }", "1:32: error: no matching function for call to 'sqrt'"},
    // expressions
    {"kernel void k() { const int c = 1; c = 2; }",
     "1:38: error: cannot assign to variable 'c' with const-qualified type 'const int'"},
    {"kernel void k(constant int *c) { c[0] = 2; }", "1:39: error: read-only variable is not assignable"},
    {"kernel void k(global const int *c) { *c += 2; }", "1:41: error: read-only variable is not assignable"},
    {"kernel void k() { 1 = 2; }", "1:21: error: expression is not assignable"},
    {"kernel void k() { int a[2], b[2]; a = b; }", "1:37: error: array type 'int[2]' is not assignable"},
    {"kernel void k() { float4 v; v.xx = (float2)(1); }",
     "1:34: error: vector is not assignable (contains duplicate components)"},
    {"kernel void k() { float4 v; v.q = 1; }", "1:31: error: illegal vector component name 'q'"},
    {"kernel void k() { float4 v; v.r = 1; }", "1:31: error: illegal vector component name 'r'"},
    {"kernel void k() { float2 v; v.z = 1; }", "1:31: error: vector component access exceeds type 'float2'"},
    {"kernel void k() { float4 v; v.xyzwx; }", "1:31: error: vector component access has invalid length"},
    {"kernel void k() { float4 v; float *p = &v.x; }", "1:40: error: address of vector element requested"},
    {"kernel void k() { float4 v = (float4)(1, 2, 3); }",
     "1:30: error: too few elements in vector initialization (expected 4 elements, have 3)"},
    {"kernel void k() { float2 v = (float2)(1, 2, 3); }", "1:45: error: excess elements in vector initializer"},
    {"kernel void k(float4 a, int4 b) { a = b; }", "1:39: error: assigning to 'float4' from incompatible type 'int4'"},
    {"kernel void k(float4 a, int4 b) { a = (float4)b; }",
     "1:39: error: invalid conversion between ext-vector type 'float4' and 'int4'"},
    {"kernel void k(float4 a, float2 b) { a + b; }",
     "1:39: error: cannot convert between vector values of different size ('float4' and 'float2')"},
    {"kernel void k(float4 a, int4 b) { a + b; }",
     "1:37: error: invalid operands to binary expression ('float4' and 'int4')"},
    {"kernel void k(char4 a, int b) { a + b; }",
     "1:35: error: scalar operand type has greater rank than the type of the vector element. ('char4' and 'int')"},
    {"kernel void k(float4 a) { a % a; }",
     "1:29: error: invalid operands to binary expression ('float4' and 'float4')"},
    {"kernel void k(float a) { a & 1; }", "1:28: error: invalid operands to binary expression ('float' and 'int')"},
    {"kernel void k(float a) { ~a; }", "1:26: error: invalid argument type 'float' to unary expression"},
    {"kernel void k(int a) { *a; }", "1:24: error: indirection requires pointer operand ('int' invalid)"},
    {"kernel void k(int a) { a[0]; }", "1:24: error: subscripted value is not an array, pointer, or vector"},
    {"kernel void k(global int *p) { p[1.0f]; }", "1:34: error: array subscript is not an integer"},
    {"kernel void k(global int *p) { p + p; }",
     "1:34: error: invalid operands to binary expression ('__global int *' and '__global int *')"},
    {"kernel void k() { int x; x.y = 1; }",
     "1:28: error: member reference base type 'int' is not a structure or union"},
    {"struct S { int alpha; }; kernel void k() { struct S s; s.alpa = 1; }",
     "1:58: error: no member named 'alpa' in 'struct S'; did you mean 'alpha'?"},
    {"struct S { int a; }; kernel void k(global struct S *s) { s.a = 1; }",
     "error: member reference type '__global struct S *' is a pointer; did you mean to use '->'?"},
    {"struct S { int a; }; kernel void k() { struct S s; s->a = 1; }",
     "1:55: error: member reference type 'struct S' is not a pointer; did you mean to use '.'?"},
    {"struct S { int a; }; kernel void k() { struct S s; if (s) { } }",
     "1:56: error: statement requires expression of scalar type ('struct S' invalid)"},
    {"struct S { int a; }; kernel void k() { struct S s; (int)s; }",
     "1:52: error: operand of type 'struct S' cannot be cast to type 'int'"},
    {"kernel void k() { int x = &1; }", "1:27: error: cannot take the address of an rvalue of type 'int'"},
    {"kernel void k(int4 c, float2 a) { c ? a : a; }",
     "1:37: error: vector condition type 'int4' and result type 'float2' do not have the same number of elements"},
    {"kernel void k() { goto l; ({ l: 1; }); }", "1:19: error: cannot jump from this goto statement to its label"},
    {"kernel void k() { goto l; ({ l: 1; }); }", "1:30: note: jump enters a statement expression"},
    {"kernel void k() { asm(\"nop\"); }", "1:19: error: inline assembly is not supported in OpenCL C"},
    {"kernel void k(int a) { a = ; }", "1:28: error: expected expression"},
    {"kernel void k(int a) { a = (a; }", "1:30: error: expected ')'"},
    {"kernel void k(int a) { a = (a; }", "1:28: note: to match this '('"},
    {"kernel void k(int a) { a = 1 }", "1:29: error: expected ';' after expression"},
    // initialisers
    {"constant int a[] = 1;", "1:20: error: array initializer must be an initializer list"},
    {"constant int a[2] = { [2] = 1 };", "1:23: error: array designator index (2) exceeds array bounds (2)"},
    {"struct S { int a; }; constant struct S s = { .b = 1 };",
     "1:47: error: field designator 'b' does not refer to any field in type 'struct S'"},
    {"kernel void k(int n) { constant int c = n; }", "1:41: error: initializer element is not a compile-time constant"},
    // statements
    {"kernel void k() { break; }", "1:19: error: 'break' statement not in loop or switch statement"},
    {"kernel void k(int a) { switch (a) { case 1: continue; } }",
     "1:45: error: 'continue' statement not in loop statement"},
    {"kernel void k() { case 1: ; }", "1:19: error: 'case' statement not in switch statement"},
    {"kernel void k() { default: ; }", "1:19: error: 'default' statement not in switch statement"},
    {"kernel void k(int a) { switch (a) { case 1: case 2: case 1: ; } }", "1:58: error: duplicate case value '1'"},
    {"kernel void k(int a) { switch (a) { default: ; default: ; } }",
     "1:48: error: multiple default labels in one switch"},
    {"kernel void k(int a) { switch (a) { case a: ; } }",
     "1:42: error: expression is not an integer constant expression"},
    {"kernel void k(float a) { switch (a) { } }",
     "1:34: error: statement requires expression of integer type ('float' invalid)"},
    {"kernel void k() { goto out; }", "1:24: error: use of undeclared label 'out'"},
    {"kernel void k() { a: ; a: ; }", "1:24: error: redefinition of label 'a'"},
    {"kernel void k() { return 1; }", "1:19: error: void function 'k' should not return a value"},
    {"int f() { return; }", "1:11: error: non-void function 'f' should return a value"},
    {"kernel void k() { do { } (1); }", "1:26: error: expected 'while' in do/while loop"},
    {"kernel void k() { ", "1:17: note: to match this '{'"},
    {"}", "1:1: error: extraneous closing brace ('}')"},
    {"#error stop", "1:2: error: stop"},
    {"kernel void k(global int *p) { p = 1; }", "error: incompatible integer to pointer conversion assigning to"},
    {"kernel void k(global int *p) { int i = p; }", "error: incompatible pointer to integer conversion initializing"},
};

static const struct rejected warnings[] = {
    {"int f(int a) { if (a) return 1; }",
     "1:33: warning: non-void function does not return a value in all control paths"},
    {"kernel void k(global int *p) { float f; global float *q = p; }",
     "warning: incompatible pointer types initializing '__global float *' with an expression of type '__global int *'"},
    {"kernel void k(global const int *p) { global int *q = p; }",
     "warning: initializing '__global int *' with an expression of type '__global const int *' discards qualifiers"},
    {"kernel void k(global uint *p) { global int *q = p; }",
     "converts between pointers to integer types with different sign"},
    {"kernel void k(int a) { a / 0; }", "1:28: warning: division by zero is undefined"},
    {"kernel void k(int a) { a << 32; }", "1:26: warning: shift count >= width of type"},
    {"kernel void k() { int a[2] = { 1, 2, 3 }; }", "1:38: warning: excess elements in array initializer"},
    {"kernel void k() { int a[2]; a[2] = 1; }", "1:31: warning: array index 2 is past the end of the array"},
    {"kernel void k(global short *p) { vload_half(0, p); }", "1:48: warning: incompatible pointer types passing"},
    {"\n#pragma OPENCL EXTENSION x : enable\n", "2:9: warning: unknown OpenCL extension 'x' - ignoring"},
    {"kernel void k() { int x __attribute__((strange)); }", "1:40: warning: unknown attribute 'strange' ignored"},
};

static char *compile(const char *source, enum kiln_status *status) {
  struct kiln_lang_input input = {
      .source = source, .size = strlen(source), .name = "t.cl", .options = {.fp64 = true, .generic_space = true}};
  struct kiln_lang_output out;
  *status = kiln_lang_compile(&input, &out);
  char *log = strdup(out.log ? out.log : "");
  cr_expect((out.module != NULL) == (*status == KILN_OK), "module and status disagree for %s", source);
  kiln_module_free(out.module);
  kiln_lang_output_free(&out);
  return log;
}

static size_t check(const struct rejected *table, size_t count, enum kiln_status expected) {
  size_t ran = 0;
  for (size_t i = 0; i < count; i++, ran++) {
    enum kiln_status status;
    char *log = compile(table[i].source, &status);
    cr_expect(status == expected, "status %d for: %s\n%s", (int)status, table[i].source, log);
    cr_expect(strstr(log, table[i].message) != NULL, "no \"%s\" for: %s\nbut:\n%s", table[i].message, table[i].source,
              log);
    free(log);
  }
  return ran;
}

Test(parse_errors, every_rule) {
  size_t ran = check(errors, sizeof errors / sizeof *errors, KILN_ERR_COMPILE);
  cr_expect(ran > 120, "only %zu cases ran", ran);
}

Test(parse_errors, warnings) {
  size_t ran = check(warnings, sizeof warnings / sizeof *warnings, KILN_OK);
  cr_expect(ran > 10, "only %zu cases ran", ran);
}

Test(parse_errors, several_without_cascades) {
  enum kiln_status status;
  char *log = compile("kernel void k(global int *p) {\n"
                      "  int a = first + second * 2;\n"
                      "  p[0] = a + third;\n"
                      "  float4 v = unknown(a); v.x = 1; p[1] = v;\n"
                      "}\n",
                      &status);
  unsigned count = 0;
  for (const char *at = log; (at = strstr(at, "error: ")); at++)
    count++;
  cr_expect(count == 5, "%u errors instead of 5:\n%s", count, log);
  free(log);
}

Test(parse_errors, stops_after_twenty) {
  char source[8192] = "kernel void k() {";
  for (int i = 0; i < 200; i++)
    snprintf(source + strlen(source), 32, "missing%d = 1;\n", i);
  strcat(source, "}");
  enum kiln_status status;
  char *log = compile(source, &status);
  cr_expect(status == KILN_ERR_COMPILE && strstr(log, "too many errors emitted, stopping now"), "%s", log);
  cr_expect(strstr(log, "missing19") && !strstr(log, "missing20"), "%s", log);
  free(log);
}
