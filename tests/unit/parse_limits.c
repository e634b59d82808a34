// Deep and long input: an error or a result, never a crash, on a stack of one MiB.
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "jit/lang/lang.h"

struct shape {
  const char *name, *before, *repeated, *middle, *closed, *after;
  bool is_chain; // any length is good
};

static const struct shape shapes[] = {
    {"parentheses", "kernel void k(global int *p, int a) { p[0] = ", "(", "a", ")", "; }", false},
    {"blocks", "kernel void k() {", "{", "", "}", "}", false},
    {"unary operators", "kernel void k(int a) { a = ", "~", "a", "", "; }", false},
    {"casts", "kernel void k(int a) { a = ", "(int)", "a", "", "; }", false},
    {"conditional operators", "kernel void k(int a) { a = ", "a ? 1 : ", "a", "", "; }", false},
    {"else-ifs", "kernel void k(int a) { ", "if (a) a = 1; else ", ";", "", "}", false},
    {"nested ifs", "kernel void k(int a) { ", "if (a) ", ";", "", "}", false},
    {"loops", "kernel void k(int a) { ", "for (;;) ", ";", "", "}", false},
    {"subscripts", "kernel void k(global int *p) { p[0] = ", "p[", "0", "]", "; }", false},
    {"calls", "kernel void k(global int *p, int a) { p[0] = ", "max(a, ", "a", ")", "; }", false},
    {"assignments", "kernel void k(int a) { ", "a = ", "1", "", "; }", false},
    {"pointers", "kernel void k() { int ", "*", "p", "", "; }", false},
    {"declarators", "kernel void k() { int ", "(", "p", ")", "; }", false},
    {"structures", "", "struct { ", "int a;", "};", "", false},
    {"initialisers", "kernel void k() { int a = ", "{", "1", "}", "; }", false},
    {"swizzles", "kernel void k(float4 v) { v", ".xyzw", "", "", " = 1; }", false},
    {"open brackets", "kernel void k() { f", "([{", "", "", "", false},
    {"mixed comparisons", "kernel void k(float a) { int x = ", "a * 1.5f < ", "a", "", "; }", false},
    {"sums", "kernel void k(global int *p, int a) { p[0] = ", "a + ", "a", "", "; }", true},
    {"constant sums", "kernel void k(global int *p, int a) { p[0] = ", "1 + ", "1", "", "; }", true},
    {"conjunctions", "kernel void k(global int *p, int a) { p[0] = ", "a && ", "a", "", "; }", true},
    {"commas", "kernel void k(global int *p, int a) { p[0] = (", "a, ", "a", "", "); }", true},
    {"statements", "kernel void k(global int *p) {", "p[0] = 1;", "", "", "}", true},
    {"declarations", "", "constant int x = 1; ", "", "", "kernel void k() { }", false},
};

struct job {
  const char *source;
  size_t size;
  enum kiln_status status;
  char *log;
};

static void *run(void *user) {
  struct job *job = user;
  struct kiln_lang_input input = {.source = job->source, .size = job->size, .name = "t.cl"};
  struct kiln_lang_output out;
  job->status = kiln_lang_compile(&input, &out);
  job->log = strdup(out.log ? out.log : "");
  kiln_module_free(out.module);
  kiln_lang_output_free(&out);
  return NULL;
}

// Sanitizers use several times the stack.
#ifdef KILN_SANITIZED
enum { STACK = 8 << 20 };
#else
enum { STACK = 1 << 20 };
#endif

static enum kiln_status compile_shape(const struct shape *shape, unsigned count, char **log) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, shape->before);
  for (unsigned i = 0; i < count; i++)
    kiln_strbuf_puts(&text, shape->repeated);
  kiln_strbuf_puts(&text, shape->middle);
  for (unsigned i = 0; i < count; i++)
    kiln_strbuf_puts(&text, shape->closed);
  kiln_strbuf_puts(&text, shape->after);
  struct job job = {.source = text.data, .size = text.size};
  pthread_attr_t attr;
  pthread_t thread;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, STACK);
  cr_assert(pthread_create(&thread, &attr, run, &job) == 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attr);
  kiln_strbuf_free(&text);
  *log = job.log;
  return job.status;
}

Test(parse_limits, deep) {
  static const unsigned counts[] = {60, 240, 255, 256, 257, 500, 513, 20000};
  unsigned ran = 0;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++, ran++) {
      char *log;
      enum kiln_status status = compile_shape(&shapes[i], counts[k], &log);
      if (shapes[i].is_chain)
        cr_expect(status == KILN_OK, "%u %s: %d %.300s", counts[k], shapes[i].name, (int)status, log);
      else if (counts[k] > 1000)
        cr_expect(status == KILN_ERR_COMPILE && strstr(log, "error: "), "%u %s: %d %.300s", counts[k], shapes[i].name,
                  (int)status, log);
      else
        cr_expect(status == KILN_OK || (status == KILN_ERR_COMPILE && *log), "%u %s: %d %.300s", counts[k],
                  shapes[i].name, (int)status, log);
      free(log);
    }
  }
  cr_expect(ran == sizeof shapes / sizeof *shapes * 8, "%u cases ran", ran);
}

Test(parse_limits, deep_types) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, "struct S0 { int a; }; typedef int T0;\n");
  for (unsigned i = 1; i < 20000; i++)
    kiln_strbuf_printf(&text, "struct S%u { struct S%u a; }; struct D%u { struct S%u a, b; };\n", i, i - 1, i, i / 2);
  kiln_strbuf_puts(&text, "kernel void k(struct S19999 s) { struct S19999 t = s; t = s; }\n");
  struct job job = {.source = text.data, .size = text.size};
  run(&job);
  cr_expect(job.status == KILN_OK, "%d %.300s", (int)job.status, job.log);
  free(job.log);
  kiln_strbuf_free(&text);
}

Test(parse_limits, garbage) {
  static const char *const words[] = {"int",
                                      "float",
                                      "(",
                                      ")",
                                      "{",
                                      "}",
                                      ";",
                                      ",",
                                      "=",
                                      "+",
                                      "-",
                                      "*",
                                      "if",
                                      "else",
                                      "for",
                                      "while",
                                      "return",
                                      "a",
                                      "b",
                                      "1",
                                      "2.0f",
                                      "[",
                                      "]",
                                      ".",
                                      "->",
                                      "switch",
                                      "case",
                                      "default",
                                      ":",
                                      "?",
                                      "typedef",
                                      "enum",
                                      "sizeof",
                                      "\"s\"",
                                      "'c'",
                                      "float4",
                                      "kernel",
                                      "void",
                                      "struct",
                                      "global",
                                      "local",
                                      "constant",
                                      "get_global_id",
                                      "vload4",
                                      "__attribute__",
                                      "&",
                                      "\n"};
  uint32_t seed = 1;
  for (unsigned round = 0; round < 300; round++) {
    struct kiln_strbuf text = {0};
    if (round % 2)
      kiln_strbuf_puts(&text, "kernel void k(global int *a, int b) {");
    for (unsigned i = 0; i < 200; i++) {
      seed = seed * 1664525u + 1013904223u;
      kiln_strbuf_puts(&text, words[(seed >> 16) % (sizeof words / sizeof *words)]);
      kiln_strbuf_putc(&text, ' ');
    }
    struct job job = {.source = text.data, .size = text.size};
    run(&job);
    cr_expect(job.status == KILN_OK || (job.status == KILN_ERR_COMPILE && strstr(job.log, "error: ")),
              "round %u: %d %s\n%s", round, (int)job.status, text.data, job.log);
    free(job.log);
    kiln_strbuf_free(&text);
  }
}
