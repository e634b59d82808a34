// Texts that are made to cost memory and time: each gives its error, or compiles, within bounds. Criterion runs each
// test in a process of its own, so that the peak of memory is the test's.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/str.h"
#include "kiln/kiln.h"

enum { SECONDS = 120 };

static void repeat(struct kiln_strbuf *out, uint32_t count, const char *text) {
  for (uint32_t i = 0; i < count; i++)
    kiln_strbuf_puts(out, text);
}

// The text is freed. error: what the message holds; NULL: it compiles. megabytes: the most memory it may take.
static void compile(const char *backend, const char *arch, struct kiln_strbuf *text, const char *error,
                    long megabytes) {
  struct kiln_context *ctx;
  struct kiln_context_desc desc = {.backend = backend, .arch = arch, .cache_mode = "off", .num_threads = 1};
  struct kiln_program *program = NULL;
  struct kiln_program_desc source = {.source = text->data, .name = "hostile.cl"};
  cr_assert(!text->failed);
  cr_assert_eq(kiln_context_open(&desc, &ctx), KILN_OK, "%s", kiln_last_error());
  alarm(SECONDS);
  enum kiln_status status = kiln_program_create(ctx, &source, &program);
  alarm(0);
  if (error) {
    cr_expect(status == KILN_ERR_COMPILE || status == KILN_ERR_UNSUPPORTED, "%s", kiln_status_name(status));
    cr_expect(strstr(kiln_last_error(), error), "%.300s", kiln_last_error());
  } else {
    cr_expect_eq(status, KILN_OK, "%.300s", kiln_last_error());
  }
#ifndef KILN_SANITIZED // sanitizers take several times the memory
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  cr_expect_leq(usage.ru_maxrss / 1024, megabytes, "%ld MB", usage.ru_maxrss / 1024);
#endif
  (void)megabytes;
  kiln_program_release(program);
  kiln_context_close(ctx);
  kiln_strbuf_free(text);
}

static void nested(struct kiln_strbuf *out, uint32_t depth, const char *open, const char *inner, const char *close) {
  repeat(out, depth, open);
  kiln_strbuf_puts(out, inner);
  repeat(out, depth, close);
}

Test(lang_hostile, pasting_that_doubles) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, "#define JOIN(a, b) a##b\n#define TWICE(a) JOIN(a, a)\nint ");
  nested(&text, 27, "TWICE(", "x", ")");
  kiln_strbuf_puts(&text, ";");
  compile("interp", NULL, &text, "# and ## make tokens of more than 33554432 bytes", 200);
}

Test(lang_hostile, stringizing_that_doubles) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, "#define S(x) #x\n#define X(x) S(x x)\nconstant char c[] = ");
  nested(&text, 40, "X(", "\"a\"", ")");
  kiln_strbuf_puts(&text, ";");
  compile("interp", NULL, &text, "# and ## make tokens of more than 33554432 bytes", 200);
}

Test(lang_hostile, macros_that_double) {
#ifdef KILN_SANITIZED
  cr_skip_test("the limit of memory is met first");
#endif
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, "#define P0 1 +\n");
  for (int i = 1; i <= 30; i++)
    kiln_strbuf_printf(&text, "#define P%d P%d P%d\n", i, i - 1, i - 1);
  kiln_strbuf_puts(&text, "kernel void k(global int *p) { *p = P30 1; }");
  compile("interp", NULL, &text, "macro expansions make more than 8388608 tokens", 500);
}

Test(lang_hostile, strings_by_macros) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, "#define S0 \"");
  repeat(&text, 10000, "0123456789");
  kiln_strbuf_puts(&text, "\"\n");
  for (int i = 1; i <= 12; i++)
    kiln_strbuf_printf(&text, "#define S%d S%d S%d\n", i, i - 1, i - 1);
  kiln_strbuf_puts(&text, "constant char c[] = S12;\n");
  compile("interp", NULL, &text, "the strings of the source have more than 67108864 bytes together", 200);
}

Test(lang_hostile, large_initialisers) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, "constant int a[1 << 28] = {1};\nkernel void k(global int *p) { *p = a[*p]; }\n");
  compile("interp", NULL, &text, "have more than 67108864 bytes together", 100);
}

Test(lang_hostile, many_large_initialisers) {
  struct kiln_strbuf text = {0};
  for (int i = 0; i < 40; i++)
    kiln_strbuf_printf(&text, "constant int a%d[1 << 20] = {1};\n", i);
  kiln_strbuf_puts(&text, "kernel void k(global int *p) { *p = 0");
  for (int i = 0; i < 40; i++)
    kiln_strbuf_printf(&text, " + a%d[*p]", i);
  kiln_strbuf_puts(&text, "; }\n");
  compile("interp", NULL, &text, "hostile.cl:17:14: error: the values of initialised variables", 300);
}

Test(lang_hostile, large_private_initialiser) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, "kernel void k(global int *p) { int a[1 << 28] = {1}; *p = a[*p]; }");
  compile("interp", NULL, &text, "have more than 67108864 bytes together", 100);
}

Test(lang_hostile, addresses_in_initialisers) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, "constant int x = 1;\nconstant int *constant a[] = {");
  repeat(&text, 200000, "&x,");
  kiln_strbuf_puts(&text, "};\nkernel void k(global int *p) { *p = *a[*p]; }");
  compile("interp", NULL, &text, NULL, 300);
}

Test(lang_hostile, chain_of_calls) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, "int f0(int x) { return x + 1; }\n");
  for (int i = 1; i < 4000; i++)
    kiln_strbuf_printf(&text, "int f%d(int x) { return f%d(x) * 3 + x; }\n", i, i - 1);
  kiln_strbuf_puts(&text, "kernel void k(global int *p) { *p = f3999(*p); }");
  compile("interp", NULL, &text, NULL, 150);
}

Test(lang_hostile, chain_of_calls_in_conditions) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, "int f0(int x) { return x + 1; }\n");
  for (int i = 1; i < 4000; i++)
    kiln_strbuf_printf(&text, "int f%d(int x) { if (x > %d) x = f%d(x) * 3 + x; return x; }\n", i, i, i - 1);
  kiln_strbuf_puts(&text, "kernel void k(global int *p) { *p = f3999(*p); }");
  compile("interp", NULL, &text, "'k' is nested more than 1000 deep once calls are inlined", 200);
}

// Functions with barriers are inlined everywhere.
Test(lang_hostile, calls_with_barriers_that_double) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, "void f0(local int *x) { barrier(CLK_LOCAL_MEM_FENCE); x[1]++; }\n");
  for (int i = 1; i < 40; i++)
    kiln_strbuf_printf(&text, "void f%d(local int *x) { f%d(x + 1); f%d(x); }\n", i, i - 1, i - 1);
  kiln_strbuf_puts(&text, "kernel void k(global int *p) { local int a[99]; f39(a); *p = a[1]; }");
  compile("interp", NULL, &text, "has more than 4000000 instructions once calls are inlined", 100);
}

Test(lang_hostile, many_labels) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, "kernel void k(global int *p) {");
  for (int i = 0; i < 20000; i++)
    kiln_strbuf_printf(&text, "l%d: if (*p == %d) goto l%d;", i, i, i * 7919 % 20000);
  kiln_strbuf_puts(&text, "}");
  compile("interp", NULL, &text, "function 'k' has more than 1000 labels", 200);
}

Test(lang_hostile, many_cases_inside_of_statements) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, "kernel void k(global int *p) { switch (*p) {");
  for (int i = 0; i < 20000; i++)
    kiln_strbuf_printf(&text, "{case %d: *p = %d;}", i, i);
  kiln_strbuf_puts(&text, "} }");
  compile("interp", NULL, &text, "function 'k' has more than 1000 labels", 200);
}

// Within the limits of each part; what all of it may take is in proportion to the text.
Test(lang_hostile, statements_by_macros) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, "#define P0 {int a=p[1];int b=a;}\n");
  for (int i = 1; i <= 19; i++)
    kiln_strbuf_printf(&text, "#define P%d P%d P%d\n", i, i - 1, i - 1);
  kiln_strbuf_puts(&text, "kernel void k(global int *p) { P19 }");
  compile("interp", NULL, &text, "hostile.cl: error: compiling it needs more than 512 MiB of memory", 900);
}

// Nesting of every kind.
Test(lang_hostile, deep_nesting) {
  static const struct {
    const char *before, *open, *inner, *close, *after;
  } cases[] = {
      {"kernel void k(global int *p) { *p = ", "(", "1", ")", "; }"},
      {"kernel void k(global int *p) { *p = ", "-~", "1", "", "; }"},
      {"kernel void k(global int *p) { *p = ", "(int)", "1", "", "; }"},
      {"kernel void k(global int *p) { *p = ", "sizeof(", "1", ")", "; }"},
      {"kernel void k(global int *p) { *p = ", "p[", "0", "]", "; }"},
      {"kernel void k(global int *p) { *p = ", "({", "1;", "})", "; }"},
      {"kernel void k(global int *p) { *p = ", "(int){", "1", "}", "; }"},
      {"kernel void k(global int *p) { *p = ", "*p ? 1 : ", "1", "", "; }"},
      {"kernel void k(global int *p) { ", "{", "", "}", " }"},
      {"kernel void k(global int *p) { ", "if (*p) ", ";", "", " }"},
      {"kernel void k(global int *p) { ", "if (*p) ; else ", ";", "", " }"},
      {"kernel void k(global int *p) { ", "for (;;) ", ";", "", " }"},
      {"kernel void k(global int *p) { ", "switch (*p) ", ";", "", " }"},
      {"kernel void k(global int *p) { int ", "*", "q", "", "; }"},
      {"kernel void k(global int *p) { int a", "[1]", "", "", "; }"},
      {"", "struct {", "int x;", "} a;", ";"},
      {"#if ", "(", "1", ")", "\n#endif\n"},
      {"", "#if 1\n", "", "\n#endif\n", "\n"},
      {"#define F(x) x F(x)\n", "F(", "", ")", "\n"},
      {"constant int a[] = ", "{", "1", "}", ";"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_strbuf text = {0};
    kiln_strbuf_puts(&text, cases[i].before);
    nested(&text, 100000, cases[i].open, cases[i].inner, cases[i].close);
    kiln_strbuf_puts(&text, cases[i].after);
    compile("interp", NULL, &text, "error: ", 200);
  }
}
