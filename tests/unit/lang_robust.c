// The front end on hostile input: an error or a result, quickly, and no crash.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/str.h"
#include "jit/lang/lang.h"
#include "kiln/kiln.h"

enum { DEEP = 100000 };

static struct kiln_strbuf text;

static void repeat(const char *piece, int count) {
  size_t size = strlen(piece);
  for (int i = 0; i < count; i++)
    kiln_strbuf_append(&text, piece, size);
}

enum outcome { FAILS, COMPILES, ANY };

// Compiles text. What the host sees: a status, and diagnostics of bounded size that name a place.
static void check(const char *what, enum outcome outcome) {
  struct kiln_lang_input input = {.source = text.data != NULL ? text.data : "",
                                  .size = text.size,
                                  .name = "t.cl",
                                  .options = {.std = 120, .fp16 = true, .fp64 = true, .int64_atomics = true}};
  struct kiln_lang_output output = {0};
  uint64_t start = kiln_now_ns();
  enum kiln_status status = kiln_lang_compile(&input, &output);
  double seconds = (double)(kiln_now_ns() - start) * 1e-9;
  const char *log = output.log != NULL ? output.log : "";
  if (outcome == FAILS || (outcome == ANY && status != KILN_OK)) {
    cr_expect_eq(status, KILN_ERR_COMPILE, "%s: %s: %.300s", what, kiln_status_name(status), log);
    cr_expect_not_null(strstr(log, ": error: "), "%s: %.300s", what, log);
  } else {
    cr_expect_eq(status, KILN_OK, "%s: %s: %.300s", what, kiln_status_name(status), log);
  }
  cr_expect_lt(strlen(log), (size_t)1 << 20, "%s: the log has %zu bytes", what, strlen(log));
  cr_expect_lt(seconds, 30.0, "%s: %.1f s", what, seconds); // generous: sanitizers, busy machines
  if (getenv("KILN_TEST_VERBOSE") != NULL)
    fprintf(stderr, "%-28s %8.1f ms  %s: %.*s\n", what, seconds * 1e3, kiln_status_name(status),
            (int)strcspn(log, "\n"), log);
  kiln_module_free(output.module);
  kiln_lang_output_free(&output);
  kiln_strbuf_free(&text);
}

static void nest(const char *what, const char *before, const char *open, const char *middle, const char *close,
                 const char *after, enum outcome outcome) {
  kiln_strbuf_puts(&text, before);
  repeat(open, DEEP);
  kiln_strbuf_puts(&text, middle);
  repeat(close, DEEP);
  kiln_strbuf_puts(&text, after);
  check(what, outcome);
}

#define KERNEL "kernel void k(global int *a, int n) {\n"

Test(lang_robust, deep_expressions) {
  nest("parentheses", KERNEL "a[0] = ", "(", "1", ")", ";\n}\n", FAILS);
  nest("open parentheses", KERNEL "a[0] = ", "(", "", "", "", FAILS);
  nest("unary minus", KERNEL "a[0] = ", "- ", "1", "", ";\n}\n", FAILS);
  nest("not", KERNEL "a[0] = ", "!", "1", "", ";\n}\n", FAILS);
  nest("casts", KERNEL "a[0] = ", "(int)", "1", "", ";\n}\n", FAILS);
  nest("vector literals", KERNEL "a[0] = ", "(int2)(", "1", ")", ";\n}\n", FAILS);
  nest("subscripts in subscripts", KERNEL "a[0] = ", "a[", "0", "]", ";\n}\n", FAILS);
  nest("subscripts in a row", KERNEL "a[0] = a", "[0]", "", "", ";\n}\n", FAILS);
  nest("members in a row", KERNEL "a[0] = n", ".x", "", "", ";\n}\n", FAILS);
  nest("dereferences", KERNEL "a[0] = ", "*", "a", "", ";\n}\n", FAILS);
  nest("calls", KERNEL "a[0] = ", "abs(", "1", ")", ";\n}\n", FAILS);
  nest("conditionals to the right", KERNEL "a[0] = ", "n ? 1 : ", "2", "", ";\n}\n", FAILS);
  nest("conditionals inside", KERNEL "a[0] = ", "n ? ", "2", " : 1", ";\n}\n", FAILS);
  nest("assignments", KERNEL "int b; b = ", "b = ", "2", "", ";\n}\n", ANY);
  nest("sizeof", KERNEL "a[0] = ", "sizeof ", "2", "", ";\n}\n", FAILS);
  nest("increments", KERNEL "a[0] = n", "++", "", "", ";\n}\n", FAILS);
}

Test(lang_robust, long_expressions) {
  nest("sum", KERNEL "a[0] = 1", " + n", "", "", ";\n}\n", ANY);
  nest("constant sum", KERNEL "a[0] = 1", " + 1", "", "", ";\n}\n", ANY);
  nest("logical and", KERNEL "a[0] = 1", " && n", "", "", ";\n}\n", ANY);
  nest("commas", KERNEL "a[0] = (1", ", n", "", "", ");\n}\n", ANY);
  nest("comparisons", KERNEL "a[0] = 1", " < n", "", "", ";\n}\n", ANY);
  nest("arguments", KERNEL "a[0] = abs(1", ", n", "", "", ");\n}\n", FAILS);
  nest("strings", KERNEL "printf(", "\"a\" ", "", "", ");\n}\n", ANY);
  nest("initialisers", KERNEL "int b[] = {", "1, ", "", "", "}; a[0] = b[n];\n}\n", ANY);
}

Test(lang_robust, deep_statements) {
  nest("blocks", KERNEL, "{", "", "}", "}\n", FAILS);
  nest("open blocks", KERNEL, "{", "", "", "", FAILS);
  nest("ifs", KERNEL, "if (n) ", "a[0] = 1;", "", "}\n", FAILS);
  nest("if else", KERNEL, "if (n) a[0] = 1; else ", "a[0] = 2;", "", "}\n", FAILS);
  nest("ifs with blocks", KERNEL, "if (n) {", "a[0] = 1;", "}", "}\n", FAILS);
  nest("whiles", KERNEL, "while (n) ", "a[0] = 1;", "", "}\n", FAILS);
  nest("fors", KERNEL, "for (;;) ", "a[0] = 1;", "", "}\n", FAILS);
  nest("dos", KERNEL, "do ", "a[0] = 1;", " while (n);", "}\n", FAILS);
  nest("switches", KERNEL, "switch (n) case 1: ", "a[0] = 1;", "", "}\n", FAILS);
  nest("labels", KERNEL, "default: ", "a[0] = 1;", "", "}\n", FAILS);
  nest("closing braces", KERNEL, "}", "", "", "\n", FAILS);
}

Test(lang_robust, long_bodies) {
  nest("statements", KERNEL, "a[n] += n;\n", "", "", "}\n", COMPILES);
  nest("empty statements", KERNEL, ";", "", "", "}\n", COMPILES);
  nest("blocks in a row", KERNEL, "{ int b = n; a[b] = 1; }\n", "", "", "}\n", COMPILES);
  kiln_strbuf_puts(&text, KERNEL "switch (n) {\n");
  for (int i = 0; i < DEEP; i++)
    kiln_strbuf_printf(&text, "case %d:\n", i);
  kiln_strbuf_puts(&text, "a[0] = 1;\n}\n}\n");
  check("cases", ANY);
  kiln_strbuf_puts(&text, KERNEL);
  for (int i = 0; i < DEEP; i++)
    kiln_strbuf_printf(&text, "int v%d = n + %d;\n", i, i);
  kiln_strbuf_puts(&text, "}\n");
  check("variables", COMPILES);
  kiln_strbuf_puts(&text, "struct s {\n");
  for (int i = 0; i < DEEP; i++)
    kiln_strbuf_printf(&text, "int m%d;\n", i);
  kiln_strbuf_puts(&text, "};\n" KERNEL "struct s v; v.m99999 = n; a[0] = v.m99999;\n}\n");
  check("members", ANY);
  kiln_strbuf_puts(&text, "kernel void k(int a0");
  for (int i = 1; i < DEEP; i++)
    kiln_strbuf_printf(&text, ", int a%d", i);
  kiln_strbuf_puts(&text, ") {}\n");
  check("parameters", ANY);
}

Test(lang_robust, declarations) {
  nest("pointers", KERNEL "int ", "*", "p", "", "; a[0] = 1;\n}\n", FAILS);
  nest("declarator parentheses", KERNEL "int ", "(", "p", ")", "; a[0] = 1;\n}\n", FAILS);
  nest("array dimensions", KERNEL "int p", "[1]", "", "", "; a[0] = 1;\n}\n", FAILS);
  nest("initialiser braces", KERNEL "int p = ", "{", "1", "}", "; a[0] = p;\n}\n", FAILS);
  nest("structs", "", "struct { ", "int x;", " a; }", " b;\n", FAILS);
  nest("function parameters", "void f(", "int (*", "p", ")(void)", ");\n", FAILS);
  nest("attribute parentheses", "", "__attribute__((x(", "1", ")))", " int b;\n", FAILS);
  nest("qualifiers", "constant ", "const ", "int c = 1;\n" KERNEL "a[0] = c;", "", "}\n", ANY);
  nest("unsigned", "", "unsigned ", "x;", "", "\n", FAILS);
  nest("typeof", KERNEL "", "__typeof__(", "1", ")", " x;\n}\n", FAILS);
  kiln_strbuf_puts(&text, "typedef int t0;\n");
  for (int i = 1; i < DEEP; i++)
    kiln_strbuf_printf(&text, "typedef t%d t%d;\n", i - 1, i);
  kiln_strbuf_puts(&text, KERNEL "t99999 x = n; a[0] = x;\n}\n");
  check("typedefs", COMPILES);
  kiln_strbuf_puts(&text, "typedef int t0;\n");
  for (int i = 1; i < DEEP; i++)
    kiln_strbuf_printf(&text, "typedef t%d t%d[2];\n", i - 1, i);
  kiln_strbuf_puts(&text, KERNEL "t99999 x; a[0] = sizeof(x);\n}\n");
  check("arrays of arrays", FAILS);
  kiln_strbuf_puts(&text, "typedef int *t0;\n");
  for (int i = 1; i < DEEP; i++)
    kiln_strbuf_printf(&text, "typedef t%d *t%d;\n", i - 1, i);
  kiln_strbuf_puts(&text, KERNEL "t99999 x; a[0] = x;\n}\n");
  check("pointers to pointers", ANY);
  kiln_strbuf_puts(&text, "struct s0 { int x; };\n");
  for (int i = 1; i < 20000; i++)
    kiln_strbuf_printf(&text, "struct s%d { struct s%d a, b; };\n", i, i - 1);
  kiln_strbuf_puts(&text, KERNEL "struct s19999 x; a[0] = 1;\n}\n");
  check("structs of structs", FAILS);
}

Test(lang_robust, functions) {
  kiln_strbuf_puts(&text, "int f(int x) { return f(x); }\n" KERNEL "a[0] = f(1);\n}\n");
  check("recursion", FAILS);
  kiln_strbuf_puts(&text, "kernel void k(int x) { k(x); }\n");
  check("recursion of a kernel", FAILS);
  for (int i = 0; i < 1000; i++)
    kiln_strbuf_printf(&text, "int f%d(int x);\n", i);
  for (int i = 0; i < 1000; i++)
    kiln_strbuf_printf(&text, "int f%d(int x) { return f%d(x); }\n", i, (i + 1) % 1000);
  kiln_strbuf_puts(&text, KERNEL "a[0] = f0(1);\n}\n");
  check("circle of 1000", FAILS);
  kiln_strbuf_puts(&text, "int f0(int x) { return x; }\n");
  for (int i = 1; i < 20000; i++)
    kiln_strbuf_printf(&text, "int f%d(int x) { return f%d(x) + 1; }\n", i, i - 1);
  kiln_strbuf_puts(&text, KERNEL "a[0] = f19999(1);\n}\n");
  check("chain of 20000", ANY);
  kiln_strbuf_puts(&text, "int f0(int x) { return x; }\n");
  for (int i = 1; i < 60; i++)
    kiln_strbuf_printf(&text, "int f%d(int x) { return f%d(x) + f%d(x + 1); }\n", i, i - 1, i - 1);
  kiln_strbuf_puts(&text, KERNEL "a[0] = f59(1);\n}\n");
  check("exponential calls", ANY);
  for (int i = 0; i < 20000; i++)
    kiln_strbuf_printf(&text, "kernel void k%d(global int *a) { a[0] = %d; }\n", i, i);
  check("kernels", COMPILES);
}

Test(lang_robust, macros) {
  kiln_strbuf_puts(&text, "#define A0 1 +\n");
  for (int i = 1; i < 30; i++)
    kiln_strbuf_printf(&text, "#define A%d A%d A%d A%d A%d A%d A%d A%d A%d\n", i, i - 1, i - 1, i - 1, i - 1, i - 1,
                       i - 1, i - 1, i - 1);
  kiln_strbuf_puts(&text, KERNEL "a[0] = A29 1;\n}\n");
  check("billion laughs", FAILS);
  kiln_strbuf_puts(&text, "#define A0 a[0] = 1;\n");
  for (int i = 1; i < 30; i++)
    kiln_strbuf_printf(&text, "#define A%d A%d A%d A%d A%d A%d A%d A%d A%d\n", i, i - 1, i - 1, i - 1, i - 1, i - 1,
                       i - 1, i - 1, i - 1);
  kiln_strbuf_puts(&text, KERNEL "A29\n}\n");
  check("billion statements", FAILS);
}

static uint64_t state = 88172645463325252u;
static uint64_t next_random(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

Test(lang_robust, garbage) {
  for (int i = 0; i < 1250000; i++) {
    uint64_t bytes = next_random();
    kiln_strbuf_append(&text, &bytes, 8);
  }
  check("10 MB of bytes", FAILS);
  for (int i = 0; i < 10000000; i++)
    kiln_strbuf_putc(&text, (char)(' ' + next_random() % 95));
  check("10 MB of characters", FAILS);
  for (int i = 0; i < 1000000; i++)
    kiln_strbuf_append(&text, "\0\0\0\0\0\0\0\0\0\0", 10);
  check("10 MB of nothing", COMPILES);
}

// Random rows of what is in the language.
Test(lang_robust, random_tokens) {
  static const char *const words[] = {"kernel",
                                      "void",
                                      "int",
                                      "float4",
                                      "global",
                                      "local",
                                      "struct",
                                      "union",
                                      "enum",
                                      "typedef",
                                      "if",
                                      "else",
                                      "for",
                                      "while",
                                      "do",
                                      "switch",
                                      "case",
                                      "break",
                                      "return",
                                      "goto",
                                      "default",
                                      "sizeof",
                                      "const",
                                      "x",
                                      "y",
                                      "f",
                                      "k",
                                      "a",
                                      "1",
                                      "2.0f",
                                      "'c'",
                                      "\"s\"",
                                      "(",
                                      ")",
                                      "[",
                                      "]",
                                      "{",
                                      "}",
                                      ";",
                                      ",",
                                      "*",
                                      "&",
                                      "+",
                                      "-",
                                      "=",
                                      "==",
                                      "<",
                                      "?",
                                      ":",
                                      ".",
                                      "->",
                                      "++",
                                      "!",
                                      "~",
                                      "<<",
                                      "&&",
                                      "+=",
                                      "...",
                                      "dot",
                                      "(int)",
                                      "(float4)(",
                                      "s0",
                                      "xyz",
                                      "barrier(",
                                      "convert_int4(",
                                      "__attribute__((",
                                      "unsigned",
                                      "\n"};
  for (int round = 0; round < 300; round++) {
    int count = round < 4 ? 100000 : 300;
    if (round % 2 == 0)
      kiln_strbuf_puts(&text, "struct s { int x, y; }; float f(int x, float4 y) {\n");
    for (int i = 0; i < count; i++) {
      kiln_strbuf_puts(&text, words[next_random() % (sizeof words / sizeof *words)]);
      kiln_strbuf_putc(&text, ' ');
    }
    check("random tokens", ANY);
  }
}

// A good program with one thing missing, doubled or changed.
Test(lang_robust, mutations) {
  static const char source[] =
      "#define SQ(x) ((x) * (x))\n"
      "typedef struct { float4 v; int n[3]; union { int i; float f; } u; } item;\n"
      "enum mode { FIRST, SECOND = 5 };\n"
      "constant float table[4] = {1.0f, 2.0f, [3] = 0.5f};\n"
      "float helper(const item *p, float x) {\n"
      "  if (x < 0.0f) return -x; else x += p->v.x;\n"
      "  for (int i = 0; i < 3; ++i) { if (p->n[i] == SECOND) continue; x = fma(x, 2.0f, (float)p->n[i]); }\n"
      "  return SQ(x) + p->u.f;\n"
      "}\n"
      "kernel void k(global float4 *out, global const int *in, local float *tile, uint n) {\n"
      "  size_t i = get_global_id(0);\n"
      "  item it = {.v = (float4)(1.0f, 2.0f, 3.0f, 4.0f), {1, 2, 3}};\n"
      "  tile[get_local_id(0)] = helper(&it, table[i & 3]);\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  switch (in[i]) { case FIRST: it.v.xy = it.v.zw; break; case 7: default: it.v = it.v.wzyx * 2.0f; }\n"
      "  do { n >>= 1; it.n[n % 3]++; } while (n > 1u);\n"
      "  out[i] = i < n ? it.v : convert_float4((int4)(in[0])) + tile[0];\n"
      "}\n";
  size_t size = sizeof source - 1;
  kiln_strbuf_append(&text, source, size);
  check("unchanged", COMPILES);
  for (size_t i = 0; i < size; i++) // cut off
    if (i % 3 == 0) {
      kiln_strbuf_append(&text, source, i);
      check("cut off", ANY);
    }
  for (int i = 0; i < 3000; i++) {
    size_t at = next_random() % size, count = 1 + next_random() % 8;
    count = count < size - at ? count : size - at;
    kiln_strbuf_append(&text, source, at);
    switch (next_random() % 3) {
    case 0: // doubled
      kiln_strbuf_append(&text, source + at, count);
      kiln_strbuf_append(&text, source + at, size - at);
      break;
    case 1: // missing
      kiln_strbuf_append(&text, source + at + count, size - at - count);
      break;
    case 2: // changed
      kiln_strbuf_append(&text, source + next_random() % (size - count), count);
      kiln_strbuf_append(&text, source + at + count, size - at - count);
      break;
    }
    check("mutation", ANY);
  }
}
