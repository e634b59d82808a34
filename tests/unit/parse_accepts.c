// What the parser must take: constant expressions (checked by _Static_assert), types, declarations, initialisers,
// operators, for each language version. Every program must come out as verified IR without a warning.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/lang/lang.h"

struct program {
  uint32_t std; // at least
  const char *source;
};

static const char *const constants[] = {
    // sizes and alignments
    "sizeof(char) == 1",
    "sizeof(short) == 2",
    "sizeof(int) == 4",
    "sizeof(long) == 8",
    "sizeof(float) == 4",
    "sizeof(double) == 8",
    "sizeof(half) == 2",
    "sizeof(size_t) == 8",
    "sizeof(bool) == 1",
    "sizeof(uchar16) == 16",
    "sizeof(float3) == 16",
    "sizeof(double16) == 128",
    "sizeof(int *) == 8",
    "sizeof(int[3][5]) == 60",
    "sizeof(\"abc\") == 4",
    "sizeof('a') == 4",
    "sizeof 1.0f == 4",
    "sizeof 1.0 == 8",
    "sizeof(1 ? 1 : 1L) == 8",
    "sizeof((char)1 + (char)1) == 4",
    "sizeof(1u + 1L) == 8",
    "__alignof__(float3) == 16",
    "vec_step(float3) == 4",
    "vec_step(int) == 1",
    "vec_step(char16) == 16",
    "sizeof(struct { char a; int b; char c; }) == 12",
    "sizeof(struct { char a; int b; } __attribute__((packed))) == 5",
    "sizeof(struct { int a; float4 b; char c; }) == 48",
    "sizeof(union { char a[5]; int b; }) == 8",
    "sizeof(struct __attribute__((aligned(64))) { int a; }) == 64",
    "sizeof(struct { char a; int b __attribute__((aligned(16))); }) == 32",
    // arithmetic
    "1 + 2 * 3 == 7",
    "(1 + 2) * 3 == 9",
    "7 / 2 == 3",
    "-7 / 2 == -3",
    "-7 % 3 == -1",
    "7u / 2 == 3",
    "1 << 4 == 16",
    "-16 >> 2 == -4",
    "0xfffffff0u >> 28 == 15",
    "(5 & 3) == 1",
    "(5 | 3) == 7",
    "(5 ^ 3) == 6",
    "~0 == -1",
    "!5 == 0",
    "!0 == 1",
    "-1 < 0",
    "-1 > 0u",
    "-1L < 0u",
    "(uchar)300 == 44",
    "(char)200 == -56",
    "(short)0x18000 == -32768",
    "(int)2.9f == 2",
    "(int)-2.9 == -2",
    "(bool)0.5f == 1",
    "(float)1 / 2 == 0.5f",
    "1.5 + 1.5 == 3.0",
    "2 * 1.5f > 2.9f",

    "1 ? 2 : 3",
    "0 ? 0 : 1",
    "1 && 2",
    "0 || 3",
    "!(0 && 1)",
    "'a' == 97",
    "'\\n' == 10",
    "'\\x41' == 65",
    "'\\101' == 65",
    "0x10 == 16",
    "010 == 8",
    "0xffffffff == 4294967295",
    "1 == 1u",
    "1UL == 1",
    "0x7fffffff + 1u == 0x80000000u",
    "2147483647 + 1u == 2147483648u",
    "18446744073709551615ul == ~0ul",
    "(long)1 << 40 == 1099511627776",
    "0x1p4f == 16",
    "1e3f == 1000",
    ".5f + 0.5f == 1",
    "(float)16777217 == 16777216",
    "(char)-1 == (char)0xff",
    "sizeof(int) * 2 + 1 == 9",
    "(int)sizeof(int4) - 17 < 0",
    "1 == 1 == 1",
    "3 > 2 > 0",
    // macros
    "CHAR_BIT == 8",
    "INT_MAX + INT_MIN == -1",
    "UINT_MAX == 0xffffffff",
    "LONG_MAX > 0",
    "SHRT_MIN == -32768",
    "FLT_MAX > 1e38f",
    "FLT_MANT_DIG == 24",
    "DBL_DIG == 15",
    "M_PI_F > 3.14f",
    "M_PI > 3.14",
    "CLK_LOCAL_MEM_FENCE == 1",
    "CLK_GLOBAL_MEM_FENCE == 2",
    "__OPENCL_VERSION__ >= 120",
    "CL_VERSION_1_2 == 120",
    "__ENDIAN_LITTLE__",
    "INFINITY > FLT_MAX",
    "NAN != NAN",
    "HUGE_VALF > FLT_MAX",
    "MAXFLOAT == FLT_MAX",
    "cl_khr_fp64",
    "NULL == 0",
    "true + 1 == 2",
    "!false",
    "__builtin_offsetof(struct { int a; struct { char b, c; } d[2]; }, d[1].c) == 7",
};

static const struct program programs[] = {
    {120, "kernel void k() { }"},
    {120, ";;; kernel void k(void) { ; {} }"},
    // declarations
    {120, "typedef float real; typedef real *rp; typedef int arr[4]; kernel void k(global real *p) { arr a = {1, 2}; "
          "real x = "
          "a[1]; rp q = &x; p[0] = *q; }"},
    {120,
     "unsigned f(unsigned char a, long unsigned b, short int c) { return a + b + c; } kernel void k(global uint *p) { "
     "p[0] = f(1, 2, 3); }"},
    {120,
     "int f(int a[4], int (*b)[2], int *const *c); int f(int *a, int b[][2], int *const c[]) { return a[0] + b[1][1] + "
     "*c[0]; } kernel void k(global int *p) { int a[4] = {0}, b[2][2] = {0}, *c = a; p[0] = f(a, b, &c); }"},
    {120,
     "struct S; struct S { int a; struct S *next; }; kernel void k(global int *p) { struct S s = {1, 0}, t = {2, &s}; "
     "p[0] = t.next->a; }"},
    {120,
     "struct S { union { int i; float f; }; struct { char a, b; }; }; kernel void k(global int *p) { struct S s; s.f = "
     "1; s.b = 2; p[0] = s.i + s.b; }"},
    {120, "enum E { A = -1, B, C = B + 5, D }; kernel void k(global int *p) { enum E e = D; enum { X = 3 } x = X; p[0] "
          "= e + x + "
          "A; switch (e) { case A: p[1] = 1; case D: break; default: break; } }"},
    {120, "constant int n = 3, m = n * 2; constant int t[m] = {1, 2}; kernel void k(global int *p) { const int c = n + "
          "1; int "
          "a[c]; a[0] = t[1]; p[0] = a[0]; }"},
    {120,
     "static inline int f(int x) { return x; } inline int g(int x) { return f(x); } extern int h(int); int h(int x) { "
     "return g(x); } kernel void k(global int *p) { p[0] = h(1); }"},
    {120, "kernel void k(global int *p) { int f(int); p[0] = f(1); } int f(int x) { return x; }"},
    {120, "kernel void a(global int *p) { p[0] = 1; } kernel void b(global int *p) { a(p); }"},
    {120, "int unused(int x) { return x; }"},
    {120, "float sqrt(float x) { return x; } kernel void k(global float *p) { p[0] = sqrt(p[1]); }"},
    {120, "kernel void k(global int *uint, int float4) { uint[0] = float4; }"},
    {120, "__kernel __attribute__((reqd_work_group_size(8, 8, 1), vec_type_hint(float4))) "
          "__attribute__((work_group_size_hint(1, 1, 1))) void k() { }"},
    {120,
     "kernel void k(global int *restrict p, __global const int *__restrict q, volatile global int *v) { p[0] = q[0] + "
     "v[0]; }"},
    {120,
     "#define O __attribute__((overloadable))\nfloat O f(float a) { return a; } int O f(int a) { return a; } float4 O "
     "f(float4 a) { return a; } int O f(int a, int b) { return b; }\nkernel void k(global float *p) { p[0] = f(1.0f) + "
     "f(1) + f((float4)(1)).x + f(1, 2) + f((short)1); }"},
    {120,
     "float4 __attribute__((overloadable)) max(float4 a, int b) { return a; } kernel void k(global float *p) { p[0] = "
     "max((float4)(1), 2).x + max(1.0f, 2.0f); }"},
    // initialisers
    {120,
     "constant int a[2][3] = {1, 2, 3, 4}, b[] = {[3] = 1, 2, [0] = 5}; constant char s[] = \"a\" \"b\", t[4] = "
     "{\"xy\"}; "
     "_Static_assert(sizeof(b) == 20 && sizeof(s) == 3, \"\"); kernel void k(global int *p) { p[0] = a[1][0] + b[4] + "
     "s[1] + t[0]; }"},
    {120,
     "struct P { int x, y; }; struct Q { struct P p[2]; float4 v; char n[3]; }; constant struct Q q = { 1, 2, { 3 "
     "}, {1, "
     "2, 3, 4}, \"ab\" }, r = { .v = (float4)(1), .p[1].y = 4, .n = {'a'} }; kernel void k(global int *p) { "
     "struct P a = "
     "{.y = 1}, b = a; struct Q c = { {a, b} }, d = { a, b, { 1, 2, 3, 4 } }; p[0] = q.p[1].x + r.p[1].y + c.p[0].y + "
     "(int)d.v.w; }"},
    {120, "kernel void k(global float4 *p) { float4 a[2] = { {1, 2, 3, 4}, (float4)(5) }, b[1] = { { 1, (float2)(2), "
          "3 } }; p[0] = "
          "a[0] + a[1] + b[0]; p[1] = (float4){1, 2, 3, 4}; }"},
    {120, "struct S { int a, b; }; int f(struct S s) { return s.a; } kernel void k(global int *p) { p[0] = f((struct "
          "S){1, 2}); "
          "int *q = (int[]){1, 2, 3}; p[1] = q[1]; int x = {3}; p[2] = x + (int){4}; }"},
    {120, "constant int x = 1; constant int *constant q = &x; constant int t[4] = {1}; constant int *constant r[] = { "
          "t, t + 2, "
          "&t[1], 0 }; kernel void k(global int *p) { p[0] = *q + r[1][0]; }"},
    // expressions
    {120,
     "kernel void k(global float4 *p, global int4 *q) { float4 a = p[0], b = a * 2.0f + 1; a += 1; a.xy = b.zw; a.s01 "
     "= b.S32; a.lo = b.hi; a.even = b.odd; a.x = 1; a.wzyx = b; b = -a; int4 m = a < b, n = !m && (a == 1); "
     "m ^= "
     "~n; m <<= 1; m = m >> q[1]; m++; --m; p[1] = m ? a : b; p[2] = 1 ? a : 2.0f; q[0] = m % 3; }"},
    {120,
     "kernel void k(global float *p) { float16 v = (float16)((float8)(1), (float4)(2), 3, 4, (float2)(5)); float3 t = "
     "(float3)(1, 2, 3); p[0] = v.sF + v.hi.lo.x + t.z + (float4)(t, 1).w + v[3]; v[(int)p[0]] = 1; }"},
    {120, "kernel void k(global uchar4 *p) { uchar4 a = p[0]; a = a + 1; a = a * (uchar)2; a >>= 1; p[0] = a & 15; }"},
    {120, "kernel void k(global int *p, local int *l, constant int *c) { int a = 1, b; b = a++; b += ++a - p[0]--; b = "
          "a-- * 2; --a; p += "
          "2; *p = "
          "l[1] + *(c + 1); p[p - p] = p > p - 1 && p != 0 ? a : b; 1[p] = 2; p[0] ^= a | b, b = 3; a = b = 4; (*p)++; "
          "p[1] = (long)p & 7; p[2] = *(global float *)p; if (p && !a) return; }"},
    {120,
     "kernel void k(global float *p) { p[0] = NULL == 0; global int *q = 0; q = NULL; q = (global int *)0; q = (global "
     "void *)p; p[1] = q == NULL; local float *l = 0 ? (local float *)0 : NULL; if (l) ; }"},
    {120, "kernel void k(global float *p) { __typeof__(p[0]) x = p[0]; typeof(int[2]) y = {1}; p[1] = x + y[0]; p[2] = "
          "__builtin_astype(x, int); }"},
    {120, "void f(private int *p) { *p = 1; } kernel void k(global int *p) { int a; f(&a); int *q = &a, **r = &q; **r "
          "+= 1; p[0] "
          "= a; const int *c = q; p[1] = *c; }"},
    // statements
    {120, "kernel void k(global int *p, int n) { for (int i = 0, j = 1; i < n; i++, j--) { if (i == 2) continue; else "
          "if (i == 3) "
          "break; p[i] = j; } int i; for (i = 0; ; ) { if (i++ > 3) break; } while (n--) ; do n++; while (n < 4); }"},
    {120,
     "int f(int a) { switch (a) { case 0: case 1: return 1; default: return 3; case 'x': { a++; } break; } return a; } "
     "kernel void k(global int *p) { p[0] = f(p[1]); }"},
    {120, "kernel void k(global int *p, int n) { again: if (n-- > 0) { p[n] = n; goto again; } goto end; p[0] = 1; "
          "end: ; }"},
    {120,
     "int f(int a) { while (1) { if (a++ > 3) return a; } } int g(int a) { if (a) return 1; else return 2; } int h(int "
     "a) "
     "{ for (;;) ; } int i(int a) { do { return 1; } while (a); } kernel void k(global int *p) { p[0] = f(1) + g(1) + "
     "i(1); }"},
    {120,
     "kernel void k(global int *p) {\n#pragma unroll\nfor (int i = 0; i < 4; i++) p[i] = i;\n#pragma unroll 2\n"
     "for (int i = 0; i < 4; i++) p[i] = i;\n__attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 4; i++) p[i] = "
     "i;\n#pragma OPENCL FP_CONTRACT OFF\n}\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma strange thing\n"},
    {120,
     "kernel void k(global int *p) { local int l[16]; local struct { int a; } s; l[get_local_id(0)] = p[0]; s.a = 1; "
     "barrier(CLK_LOCAL_MEM_FENCE); p[0] = l[1] + s.a; }"},
    {120, "kernel void k(global int *p) { constant char *s = \"text\"; p[0] = s[1] + __func__[0]; printf(\"%d %s\\n\", "
          "p[0], "
          "\"x\"); constant int t[] = {1, 2}; p[1] = t[p[0] & 1]; }"},
    {120,
     "#if __OPENCL_VERSION__ < 120 || defined(__IMAGE_SUPPORT__) || !defined cl_khr_global_int32_base_atomics\n#error\n"
     "#endif\n#ifdef NOTHING_OF_THE_KIND\n#error\n#endif\n#ifndef M_PI\n#define M_PI 3\n#endif\n#undef "
     "FLT_MAX\n#define "
     "FLT_MAX 1\n#define NULL 0\nkernel void k(global float *p) { p[0] = M_PI + FLT_MAX; }"},
    {120, "#define M_PI 3.0f\nkernel void k(global float *p) { p[0] = M_PI; }"},
    {120,
     "kernel void k(global uint *p) { switch (p[0]) { case 0x983e5152: p[1] = 1; break; case 0xffffffff: p[2] = 1; } "
     "switch ((long)p[0]) { case -1: p[0] = 1; } }"},
    // later versions
    {200, "int counter; global int other = 3; kernel void k(global int *p) { static int n; p[0] = counter++ + other + "
          "n++; }"},
    {200, "int f(int *p) { return *p; } kernel void k(global int *p, local int *l) { int a = 1; int *q = p; p[0] = "
          "f(p) + f(l) + "
          "f(&a) + *q; generic int *g = &a; p[1] = *g; global int *r = (global int *)q; p[2] = *r; }"},
    {300,
     "kernel void k(global float4 *p) { p[0].rgba = p[1].abgr; p[0].r = memory_order_acq_rel + memory_scope_device; }"},
};

static enum kiln_status compile(uint32_t std, const char *source, char **log) {
  struct kiln_lang_input input = {.source = source,
                                  .size = strlen(source),
                                  .name = "t.cl",
                                  .options = {.std = std, .fp64 = true, .generic_space = true, .int64_atomics = true}};
  struct kiln_lang_output out;
  enum kiln_status status = kiln_lang_compile(&input, &out);
  *log = strdup(out.log ? out.log : "");
  kiln_module_free(out.module);
  kiln_lang_output_free(&out);
  return status;
}

static const uint32_t versions[] = {120, 200, 300};

Test(parse_accepts, constant_expressions) {
  unsigned ran = 0;
  for (size_t v = 0; v < 3; v++) {
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++, ran++) {
      char source[512], *log;
      snprintf(source, sizeof source, "_Static_assert(%s, \"\"); kernel void k() { }", constants[i]);
      enum kiln_status status = compile(versions[v], source, &log);
      cr_expect(status == KILN_OK && !*log, "CL%u, %s: %d\n%s", versions[v], constants[i], (int)status, log);
      free(log);
    }
  }
  cr_expect(ran > 300, "%u cases ran", ran);
}

Test(parse_accepts, programs) {
  unsigned ran = 0;
  for (size_t v = 0; v < 3; v++) {
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
      if (programs[i].std > versions[v])
        continue;
      char *log;
      enum kiln_status status = compile(versions[v], programs[i].source, &log);
      cr_expect(status == KILN_OK && !*log, "CL%u: %d\n%s\n%s", versions[v], (int)status, programs[i].source, log);
      free(log);
      ran++;
    }
  }
  cr_expect(ran > 110, "%u cases ran", ran);
}

// Without fp64 and fp16 their types are refused, and unsuffixed literals are floats.
Test(parse_accepts, double_is_optional) {
  static const char *const sources[] = {"kernel void k(global double *p) { }", "kernel void k() { double4 d; }",
                                        "kernel void k(global float *p) { p[0] = 1.5 * p[1]; }"};
  static const char *const messages[] = {"error: use of type 'double' requires cl_khr_fp64 support",
                                         "error: use of type 'double' requires cl_khr_fp64 support",
                                         "warning: double precision constant requires cl_khr_fp64, casting to single"};
  for (unsigned i = 0; i < 3; i++) {
    struct kiln_lang_input input = {.source = sources[i], .size = strlen(sources[i]), .name = "t.cl"};
    struct kiln_lang_output out;
    enum kiln_status status = kiln_lang_compile(&input, &out);
    cr_expect(status == (i < 2 ? KILN_ERR_COMPILE : KILN_OK) && out.log && strstr(out.log, messages[i]), "%s: %s",
              sources[i], out.log ? out.log : "");
    kiln_module_free(out.module);
    kiln_lang_output_free(&out);
  }
}

// The table of predefined macros is searched by halves.
Test(parse_accepts, macros_are_sorted) {
  static const char *const names[] = {
#define KILN_MACRO(name, params, body, condition) name,
#include "jit/lang/pp/macros.def"
  };
  for (size_t i = 1; i < sizeof names / sizeof *names; i++)
    cr_expect(strcmp(names[i - 1], names[i]) < 0, "%s stands behind %s", names[i], names[i - 1]);
}
