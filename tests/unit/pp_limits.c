// Hostile input: an error or a result, quickly, and no crash.
#include <criterion/criterion.h>
#include <stdio.h>

#include "base/file.h"
#include "tests/unit/pp_support.h"

static struct kiln_strbuf text;

static void repeat(const char *piece, int count) {
  size_t size = strlen(piece);
  for (int i = 0; i < count; i++)
    kiln_strbuf_append(&text, piece, size);
}

// Runs over text; message must be in the log, or there are no errors when it is NULL.
static void check(const char *what, const char *message) {
  struct pp_run run = {0};
  uint64_t start = kiln_now_ns();
  pp_run(&run, text.data, text.size);
  double seconds = (double)(kiln_now_ns() - start) * 1e-9;
  if (message != NULL)
    cr_expect_not_null(strstr(pp_text(&run.log), message), "%s: %.400s", what, pp_text(&run.log));
  else
    cr_expect_eq(run.errors, 0, "%s: %.400s", what, pp_text(&run.log));
  cr_expect_lt(run.log.size, 1 << 20, "%s: the log has %zu bytes", what, run.log.size);
  cr_expect_lt(seconds, 20.0, "%s: %.1f s", what, seconds); // generous: sanitizers, busy machines
  pp_done(&run);
  kiln_strbuf_free(&text);
}

Test(pp_limits, deep_conditions) {
  kiln_strbuf_puts(&text, "#if ");
  repeat("(", 100000);
  kiln_strbuf_putc(&text, '1');
  repeat(")", 100000);
  kiln_strbuf_puts(&text, "\n#endif\n");
  check("parentheses", "preprocessor expression is nested more than 256 deep");
  kiln_strbuf_puts(&text, "#if ");
  repeat("!", 100000);
  kiln_strbuf_puts(&text, "1\n#endif\n");
  check("unary operators", "preprocessor expression is nested more than 256 deep");
  kiln_strbuf_puts(&text, "#if ");
  repeat("1?", 100000);
  check("?:", "preprocessor expression is nested more than 256 deep");
  kiln_strbuf_puts(&text, "#if 1");
  repeat("+1", 1000000);
  kiln_strbuf_puts(&text, "\n#endif\n");
  check("long sum", NULL);
  kiln_strbuf_puts(&text, "#if ");
  repeat("1|1^1&1==1<1<<1+1*(1||1&&", 200);
  kiln_strbuf_putc(&text, '1');
  repeat(")", 200);
  kiln_strbuf_puts(&text, "\n#endif\n");
  check("every precedence", NULL);
}

Test(pp_limits, deep_groups) {
  repeat("#if 1\n", 100000);
  repeat("#endif\n", 100000);
  check("#if 1", "conditional directives are nested more than 65536 deep");
  repeat("#if 0\n", 100000);
  repeat("#endif\n", 100000);
  check("#if 0", NULL);
  repeat("#if 1\n", 60000);
  check("unterminated #if", "unterminated conditional directive");
}

Test(pp_limits, exponential_macros) {
  kiln_strbuf_puts(&text, "#define A0 x x x x x x x x x x\n");
  for (int i = 1; i < 30; i++)
    kiln_strbuf_printf(&text, "#define A%d A%d A%d A%d A%d A%d A%d A%d A%d A%d A%d\n", i, i - 1, i - 1, i - 1, i - 1,
                       i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
  kiln_strbuf_puts(&text, "A29\n");
  check("billion laughs", "macro expansions make more than 8388608 tokens");
  kiln_strbuf_puts(&text, "#define E0\n");
  for (int i = 1; i < 60; i++)
    kiln_strbuf_printf(&text, "#define E%d E%d E%d\n", i, i - 1, i - 1);
  kiln_strbuf_puts(&text, "E59\n");
  check("empty laughs", "macro expansions make more than 8388608 tokens");
  kiln_strbuf_puts(&text, "#define F0(x) x x\n");
  for (int i = 1; i < 60; i++)
    kiln_strbuf_printf(&text, "#define F%d(x) F%d(F%d(x))\n", i, i - 1, i - 1);
  kiln_strbuf_puts(&text, "F59(y)\n");
  check("laughing arguments", "error: macro");
}

Test(pp_limits, deep_macros) {
  for (int i = 0; i < 100000; i++)
    kiln_strbuf_printf(&text, "#define C%d C%d\n", i, i + 1);
  kiln_strbuf_puts(&text, "C0\n");
  check("chain", NULL);
  for (int i = 0; i < 50000; i++)
    kiln_strbuf_printf(&text, "#define C%d(x) C%d(x)\n", i, i + 1);
  kiln_strbuf_puts(&text, "C0(1)\n");
  check("chain of calls", NULL);
  kiln_strbuf_puts(&text, "#define f(x) (x)\n");
  repeat("f(", 200);
  kiln_strbuf_putc(&text, '1');
  repeat(")", 200);
  check("200 nested arguments", NULL);
  kiln_strbuf_puts(&text, "#define f(x) (x)\n");
  repeat("f(", 2000);
  kiln_strbuf_putc(&text, '1');
  repeat(")", 2000);
  check("2000 nested arguments", "macro invocations are nested more than 256 deep in each other's arguments");
  kiln_strbuf_puts(&text, "#define f(x) (x)\n");
  repeat("f(", 1000000);
  check("open arguments", "unterminated function-like macro invocation");
}

Test(pp_limits, long_things) {
  kiln_strbuf_putc(&text, '"');
  repeat("a", 3000000);
  kiln_strbuf_puts(&text, "\" ");
  repeat("1", 3000000);
  kiln_strbuf_putc(&text, ' ');
  repeat("x", 3000000);
  check("long tokens", NULL);
  repeat("a\\\n", 500000);
  kiln_strbuf_puts(&text, " \"");
  repeat("b\\\n", 500000);
  kiln_strbuf_putc(&text, '"');
  check("long spliced tokens", NULL);
  repeat("a\\\nb ", 300000);
  check("many spliced tokens", NULL);
  repeat("/* ", 3000000);
  check("open comment", "unterminated /* comment");
  repeat("/\n", 1000000);
  check("slashes", NULL);
  repeat("'\n", 500000);
  check("quotes", "missing terminating ''' character");
  repeat("#\n", 500000);
  repeat("#foo\n", 50000);
  check("directives", "invalid preprocessing directive");
  kiln_strbuf_puts(&text, "#define f(a0");
  for (int i = 1; i < 100000; i++)
    kiln_strbuf_printf(&text, ",a%d", i);
  kiln_strbuf_puts(&text, ") 1\n");
  check("many parameters", "macro 'f' has more than 512 parameters");
  kiln_strbuf_puts(&text, "#define f(a) 1\nf(");
  repeat(",", 1000000);
  kiln_strbuf_puts(&text, ")\n");
  check("many arguments", "too many arguments");
  kiln_strbuf_puts(&text, "#if ");
  repeat("9", 1000000);
  kiln_strbuf_puts(&text, "\n#endif\n");
  check("long number", "integer literal is too large");
}

Test(pp_limits, garbage) {
  uint64_t state = 88172645463325252u;
  for (int round = 0; round < 20; round++) {
    static const char pieces[][12] = {
        "#define A(", "#if ", "#else\n",     "#endif\n", "A",       "A(",      ")",      ",",          "##",
        "#",          "\\\n", "\n",          "\"",       "'",       "/*",      "*/",     "#undef ",    "B",
        "1",          "...",  "__VA_ARGS__", "#elif ",   "defined", "_Pragma", "#line ", "__COUNTER__"};
    for (int i = 0; i < (round < 2 ? 1250000 : 20000); i++) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      if (round < 2)
        kiln_strbuf_append(&text, &state, 8);
      else
        kiln_strbuf_puts(&text, pieces[state % (sizeof pieces / sizeof *pieces)]);
      if (round >= 2 && state >> 60 < 4)
        kiln_strbuf_puts(&text, " A\n");
    }
    check("garbage", "error: ");
  }
}

Test(pp_limits, memory) {
  // An arena that runs out is the caller's longjmp, without leaks.
  struct kiln_arena arena;
  struct kiln_names names;
  struct kiln_sources sources;
  struct kiln_diags diags;
  jmp_buf exhausted;
  volatile int jumps = 0, ends = 0;
  for (volatile size_t limit = 1 << 16; limit < (size_t)1 << 24; limit *= 2) {
    kiln_arena_init(&arena, &exhausted);
    arena.limit = limit;
    kiln_diags_init(&diags, &sources);
    if (setjmp(exhausted) != 0) {
      jumps++;
    } else {
      kiln_names_init(&names, &arena);
      kiln_sources_init(&sources, &arena);
      struct kiln_pp_config config = {.arena = &arena, .names = &names, .sources = &sources, .diags = &diags};
      struct kiln_pp *pp = kiln_pp_new(&config);
      static const char source[] = "#define A x x x x x x x x\n#define B A A A A A A A A\n#define C B B B B B B B B\n"
                                   "#define D C C C C C C C C\nD D D D D D D D\n";
      kiln_pp_start(pp, "t.cl", source, sizeof source - 1);
      struct kiln_token token;
      do
        kiln_pp_next(pp, &token);
      while (token.kind != KILN_TOKEN_END);
      ends++;
    }
    kiln_diags_free(&diags);
    kiln_arena_free(&arena);
  }
  cr_expect_gt(jumps, 0);
  cr_expect_gt(ends, 0);
}
