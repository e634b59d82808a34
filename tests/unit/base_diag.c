// Places in sources, and diagnostics as text.
#include "base/diag.h"

#include <criterion/criterion.h>

struct fixture {
  jmp_buf exhausted;
  struct kiln_arena arena;
  struct kiln_sources sources;
  struct kiln_diags diags;
};

static void begin(struct fixture *f) {
  kiln_arena_init(&f->arena, &f->exhausted);
  kiln_sources_init(&f->sources, &f->arena);
  kiln_diags_init(&f->diags, &f->sources);
}
static void end(struct fixture *f) {
  kiln_diags_free(&f->diags);
  kiln_arena_free(&f->arena);
}
static kiln_location add(struct fixture *f, const char *name, const char *text, kiln_location included_at) {
  return kiln_sources_add(&f->sources, name, text, (uint32_t)strlen(text), included_at);
}
// A macro that makes one token.
static kiln_location expand_one(struct fixture *f, kiln_location spelled, kiln_location expanded, const char *macro) {
  kiln_location *kept = kiln_arena_alloc(&f->arena, sizeof *kept, _Alignof(kiln_location));
  *kept = spelled;
  return kiln_sources_expand(&f->sources, kept, 1, expanded, macro);
}
static void expect(struct fixture *f, const char *text) {
  cr_assert_str_eq(f->diags.text.data, text);
  kiln_strbuf_clear(&f->diags.text);
}
#define AT(base, text, part) ((base) + (kiln_location)(strstr(text, part) - (text)))

Test(sources, positions) {
  struct fixture f;
  begin(&f);
  cr_assert(setjmp(f.exhausted) == 0);
  const char *a = "one\ntwo\r\n\nfour", *b = "", *c = "x\n";
  kiln_location pa = add(&f, "a", a, 0), pb = add(&f, "b", b, pa + 4), pc = add(&f, "c", c, 0);
  static const struct {
    int offset;
    uint32_t line, column;
    const char *text;
  } cases[] = {{0, 1, 1, "one"}, {3, 1, 4, "one"},   {4, 2, 1, "two"},  {8, 2, 5, "two"},
               {9, 3, 1, ""},    {10, 4, 1, "four"}, {14, 4, 5, "four"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_position at = kiln_sources_position(&f.sources, pa + (kiln_location)cases[i].offset);
    cr_assert(at.line == cases[i].line && at.column == cases[i].column, "offset %d: %u:%u", cases[i].offset, at.line,
              at.column);
    cr_assert(kiln_str_eq((struct kiln_str){at.line_text, at.line_size}, kiln_str(cases[i].text)), "offset %d",
              cases[i].offset);
    cr_assert_str_eq(at.file, "a");
  }
  cr_assert_str_eq(kiln_sources_position(&f.sources, pb).file, "b");
  cr_assert_str_eq(kiln_sources_position(&f.sources, pc).file, "c");
  cr_assert(kiln_sources_position(&f.sources, pc + 2).line == 2);
  cr_assert(kiln_sources_file(&f.sources, 0) == NULL && kiln_sources_file(&f.sources, pc + 3) == NULL);
  cr_assert(kiln_sources_position(&f.sources, 0).line == 0);
  end(&f);
}

Test(sources, many_files_and_limits) {
  struct fixture f;
  begin(&f);
  cr_assert(setjmp(f.exhausted) == 0);
  kiln_location places[1000];
  for (int i = 0; i < 1000; i++) {
    places[i] = add(&f, kiln_arena_printf(&f.arena, "f%d", i), "text", 0);
  }
  for (int i = 0; i < 1000; i++) {
    cr_assert_str_eq(kiln_sources_position(&f.sources, places[i] + 4).file, kiln_arena_printf(&f.arena, "f%d", i));
  }
  cr_assert(kiln_sources_add(&f.sources, "huge", "", 1u << 30, 0) == 0);
  cr_assert(kiln_sources_add(&f.sources, "large", "", (1u << 30) - 6000, 0) != 0);
  cr_assert(kiln_sources_add(&f.sources, "more", "", 6000, 0) == 0);
  end(&f);
}

Test(sources, line_marks) {
  struct fixture f;
  begin(&f);
  cr_assert(setjmp(f.exhausted) == 0);
  const char *text = "a\n#line 50 \"gen.c\"\nb\nc\n#line 7\nd\n";
  kiln_location p = add(&f, "real.c", text, 0);
  kiln_sources_line_mark(&f.sources, AT(p, text, "b\n"), 50, "gen.c");
  kiln_sources_line_mark(&f.sources, AT(p, text, "d\n"), 7, NULL);
  static const struct {
    const char *part, *file;
    uint32_t line;
  } cases[] = {{"a\n", "real.c", 1}, {"b\n", "gen.c", 50}, {"c\n#", "gen.c", 51}, {"d\n", "gen.c", 7}};
  for (size_t i = 0; i < 4; i++) {
    struct kiln_position at = kiln_sources_position(&f.sources, AT(p, text, cases[i].part));
    cr_assert(at.line == cases[i].line && strcmp(at.file, cases[i].file) == 0, "%s: %s:%u", cases[i].part, at.file,
              at.line);
  }
  end(&f);
}

Test(diag, caret_range_tabs) {
  struct fixture f;
  begin(&f);
  cr_assert(setjmp(f.exhausted) == 0);
  const char *text = "\tint x = foo(1,\t2) + \xc3\xa4\xc3\xb6z;\n\x01\xff!\n";
  kiln_location p = add(&f, "k.cl", text, 0);
  kiln_diag(&f.diags, KILN_ERROR, AT(p, text, "foo"), AT(p, text, " + "), "no function named '%s'", "foo");
  expect(&f, "k.cl:1:10: error: no function named 'foo'\n\tint x = foo(1,\t2) + \xc3\xa4\xc3\xb6z;\n"
             "\t        ^~~~~~\t~~\n");
  kiln_diag(&f.diags, KILN_WARNING, AT(p, text, "z;"), 0, "odd");
  expect(&f, "k.cl:1:26: warning: odd\n\tint x = foo(1,\t2) + \xc3\xa4\xc3\xb6z;\n\t              \t       ^\n");
  kiln_diag(&f.diags, KILN_NOTE, AT(p, text, "!"), AT(p, text, "!") + 50, "here");
  expect(&f, "k.cl:2:3: note: here\n<01><FF>!\n        ^\n");
  kiln_diag(&f.diags, KILN_ERROR, p + (kiln_location)strlen(text), 0, "end");
  expect(&f, "k.cl:3:1: error: end\n\n^\n");
  kiln_diag(&f.diags, KILN_ERROR, 0, 0, "nowhere");
  expect(&f, "error: nowhere\n");
  kiln_diags_summary(&f.diags);
  expect(&f, "1 warning and 3 errors generated.\n");
  end(&f);
}

Test(diag, very_long_line) {
  struct fixture f;
  begin(&f);
  cr_assert(setjmp(f.exhausted) == 0);
  uint32_t size = 10u << 20;
  char *text = kiln_arena_alloc(&f.arena, size + 1, 1);
  memset(text, 0xe4, size);
  text[size] = '\0';
  kiln_location p = kiln_sources_add(&f.sources, "long", text, size, 0);
  for (uint32_t i = 0; i < 10; i++) {
    kiln_diag(&f.diags, KILN_ERROR, p + size / 9 * i, p + size, "garbage");
  }
  cr_assert(f.diags.text.size < 20000, "%zu bytes", f.diags.text.size);
  end(&f);
}

Test(diag, macros) {
  struct fixture f;
  begin(&f);
  cr_assert(setjmp(f.exhausted) == 0);
  const char *text = "#define A y\n#define B A\n#define F(a) a + 1\nint u = B;\nint v = F(q);\n";
  kiln_location p = add(&f, "t.cl", text, 0);
  kiln_location b = expand_one(&f, AT(p, text, "A\n#define F"), AT(p, text, "B;"), "B");
  kiln_location y = expand_one(&f, AT(p, text, "y\n"), b, "A");
  kiln_diag(&f.diags, KILN_ERROR, y, 0, "use of undeclared identifier 'y'");
  expect(&f, "t.cl:4:9: error: use of undeclared identifier 'y'\nint u = B;\n        ^\n"
             "t.cl:2:11: note: expanded from macro 'B'\n#define B A\n          ^\n"
             "t.cl:1:11: note: expanded from macro 'A'\n#define A y\n          ^\n");
  kiln_location q = expand_one(&f, AT(p, text, "q)"), AT(p, text, "F(q"), "F");
  kiln_diag(&f.diags, KILN_ERROR, q, 0, "use of undeclared identifier 'q'");
  expect(&f, "t.cl:5:11: error: use of undeclared identifier 'q'\nint v = F(q);\n          ^\n");
  cr_assert(kiln_sources_expanded(&f.sources, y) == AT(p, text, "B;"));
  cr_assert(kiln_sources_spelled(&f.sources, y) == AT(p, text, "y\n"));
  kiln_location deep = AT(p, text, "B;");
  for (int i = 0; i < 20; i++) {
    deep = expand_one(&f, AT(p, text, "A\n#define F"), deep, "B");
  }
  kiln_diag(&f.diags, KILN_ERROR, deep, 0, "deep");
  int notes = 0;
  for (const char *at = f.diags.text.data; (at = strstr(at, "expanded from")); at++) {
    notes++;
  }
  cr_assert(notes == 6 && strstr(f.diags.text.data, "(14 expansions are not shown)"), "%d notes", notes);
  kiln_diag(&f.diags, KILN_ERROR, KILN_LOCATION_MACRO | 12345, 0, "bad place"); // must not crash
  end(&f);
}

Test(sources, expansions) {
  struct fixture f;
  begin(&f);
  cr_assert(setjmp(f.exhausted) == 0);
  enum { EXPANSIONS = 100 };
  const char *text = "a text of thirty characters ..";
  kiln_location p = add(&f, "t.cl", text, 0), spelled[EXPANSIONS], first[EXPANSIONS];
  for (uint32_t i = 0; i < EXPANSIONS; i++)
    spelled[i] = p + i % 30;
  for (uint32_t i = 0; i < EXPANSIONS; i++) { // the use of every third is a token of the one before
    kiln_location use = i % 3 ? first[i - 1] + (i - 1) % 7 : p + i % 30;
    first[i] = kiln_sources_expand(&f.sources, spelled + i % 5, 7 + i % 50, use, "M");
    cr_assert(first[i]);
  }
  for (uint32_t i = 0; i < EXPANSIONS; i++)
    for (uint32_t k = 0; k < 7 + i % 50; k++) {
      struct kiln_expansion found;
      cr_assert(kiln_sources_expansion(&f.sources, first[i] + k, &found));
      cr_assert(found.spelled == spelled[i % 5 + k], "token %u of %u", k, i);
      cr_assert(kiln_sources_spelled(&f.sources, first[i] + k) == spelled[i % 5 + k]);
      cr_assert(kiln_sources_expanded(&f.sources, first[i] + k) == p + (i - i % 3) % 30, "token %u of %u", k, i);
    }
  end(&f);
}

Test(diag, includes) {
  struct fixture f;
  begin(&f);
  cr_assert(setjmp(f.exhausted) == 0);
  const char *text = "#include \"a.h\"\nint x;\n";
  kiln_location p = add(&f, "m.cl", text, 0), a = add(&f, "a.h", "\n#include \"b.h\"\n", p),
                b = add(&f, "b.h", "bad", a + 1);
  kiln_diag(&f.diags, KILN_ERROR, b, 0, "one");
  expect(&f, "In file included from m.cl:1:\nIn file included from a.h:2:\nb.h:1:1: error: one\nbad\n^\n");
  kiln_diag(&f.diags, KILN_ERROR, b, b + 3, "two"); // the same chain is not said again
  expect(&f, "b.h:1:1: error: two\nbad\n^~~\n");
  kiln_diag(&f.diags, KILN_ERROR, AT(p, text, "int"), 0, "three");
  expect(&f, "m.cl:2:1: error: three\nint x;\n^\n");
  end(&f);
}

Test(diag, limits_and_switches) {
  struct fixture f;
  begin(&f);
  cr_assert(setjmp(f.exhausted) == 0);
  kiln_location p = add(&f, "m", "text", 0);
  for (int i = 0; i < 100; i++) {
    kiln_diag(&f.diags, KILN_ERROR, p, 0, "e%d", i);
    kiln_diag(&f.diags, KILN_NOTE, p, 0, "n%d", i);
  }
  cr_assert(strstr(f.diags.text.data, "e19\n") && strstr(f.diags.text.data, "n19\n"));
  cr_assert(!strstr(f.diags.text.data, "e20\n") && !strstr(f.diags.text.data, "n20\n"));
  kiln_diags_summary(&f.diags);
  cr_assert(f.diags.errors == 100 && strstr(f.diags.text.data, "100 errors generated.\nOnly the first 20"));
  end(&f);

  begin(&f);
  p = add(&f, "m", "text", 0);
  static const struct kiln_warning_row rows[] = {{"off", KILN_WARNING_IGNORED, false},
                                                 {"on", KILN_WARNING_SHOWN, false},
                                                 {"asked", KILN_WARNING_ERROR, false},
                                                 {"always", KILN_WARNING_ERROR, true}};
  f.diags.warnings_table = rows;
  kiln_diag_warning(&f.diags, 0, p, 0, "w");
  kiln_diag(&f.diags, KILN_NOTE, p, 0, "n");
  cr_assert(f.diags.text.size == 0 && f.diags.warnings == 0);
  for (unsigned id = 1; id < 4; id++)
    kiln_diag_warning(&f.diags, id, p, 0, "w");
  expect(&f, "m:1:1: warning: w [-Won]\ntext\n^\n"
             "m:1:1: error: w [-Werror,-Wasked]\ntext\n^\n"
             "m:1:1: error: w [-Walways]\ntext\n^\n");
  cr_assert(f.diags.errors == 2 && f.diags.warnings == 1);
  end(&f);
}

Test(diag, blocks) {
  static const struct kiln_warning_row rows[] = {{"off", KILN_WARNING_IGNORED, false},
                                                 {"on", KILN_WARNING_SHOWN, false}};
  struct fixture f;
  begin(&f);
  kiln_location p = add(&f, "m", "text", 0);
  f.diags.keeps_blocks = true;
  f.diags.source_name = "m";
  f.diags.warnings_table = rows;
  kiln_diag_warning(&f.diags, 0, p, 0, "hidden");
  kiln_diag(&f.diags, KILN_NOTE, p, 0, "with it");
  kiln_diag_warning(&f.diags, 1, p, 0, "shown \x01\x02");
  kiln_diag(&f.diags, KILN_ERROR, 0, 0, "error");
  cr_assert(f.diags.warnings == 1 && f.diags.errors == 1);
  struct kiln_str blocks = {f.diags.text.data, f.diags.text.size};
  struct kiln_strbuf out = {0};
  cr_expect_eq(kiln_diag_blocks_text(blocks, rows, 2, "other", &out), 1);
  cr_expect_str_eq(out.data, "other:1:1: warning: shown ?? [-Won]\ntext\n^\nerror: error\n");
  out.size = 0;
  cr_expect_eq(kiln_diag_blocks_text(blocks, rows, 0, "o", &out), 2);
  cr_expect(strstr(out.data, "o:1:1: warning: hidden [-Woff]\ntext\n^\no:1:1: note: with it\n"));
  // Whatever a file holds is no more than text.
  for (size_t size = 0; size <= blocks.size; size++)
    kiln_diag_blocks_text((struct kiln_str){blocks.data, size}, rows, 2, "o", &out);
  kiln_strbuf_free(&out);
  end(&f);
}
