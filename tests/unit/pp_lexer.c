// Tokens, splices and comments.
#include <criterion/criterion.h>

#include "tests/unit/pp_support.h"

Test(pp_lexer, tokens) {
  static const struct pp_case cases[] = {
      {"", "", NULL},
      {"a_1 $x _", "a_1 $x _", NULL},
      {"0 1.5 .5 1. 1e5 1e+5 1E-5f 0x1p-3 0x1.8P+2 1..2 0xe+1 1_a",
       "0 1.5 .5 1. 1e5 1e+5 1E-5f 0x1p-3 0x1.8P+2 1..2 0xe+1 1_a", NULL},
      {"a...b..c.d", "a ... b . . c . d", NULL},
      {"+++++ ----> <<=>>= <= >= == != && || += -= *= /= %= &= |= ^= ## # ? : ~ ! ^ , ; [ ] { } ( )",
       "++ ++ + -- -- > <<= >>= <= >= == != && || += -= *= /= %= &= |= ^= ## # ? : ~ ! ^ , ; [ ] { } ( )", NULL},
      {"<: :> <% %> %: %:%:", "<: :> <% %> %: %:%:", NULL},
      {"\"a\\\"b\" 'c\\'' \"\" '//' \"/*\"", "\"a\\\"b\" 'c\\'' \"\" '//' \"/*\"", NULL},
      {"a/**/b /* * / **/ c // d\ne//f", "a b c e", NULL},
      {"a /* x /* y */ b */", "a b * /", NULL},
      {"\xEF\xBB\xBF"
       "a",
       "a", NULL},
      {"a\vb\fc\rd\te", "a b c d e", NULL},
  };
  PP_CHECK(cases);
}

Test(pp_lexer, splices) {
  static const struct pp_case cases[] = {
      {"in\\\nt x\\\n", "int x", NULL},
      {"a\\\n+\\\n+b", "a ++ b", NULL},
      {"1\\\n2\\ \t\n3", "123", NULL},
      {"\"a\\\nb\" 'c\\\n'", "\"ab\" 'c'", NULL},
      {".\\\n.\\\n. <\\\n<\\\n=", "... <<=", NULL},
      {"/\\\n* x *\\\n/ a /\\\n/ b\\\nc\nd", "a d", NULL},
      {"a\\\r\nb", "ab", NULL},
      {"#define A \\\n 1 \\\n + 2\nA\n#define B\\\n 3\nB", "1 + 2 3", NULL},
      {"a\\\n\\\n\\\nb", "ab", NULL},
      {"// x \\\ny\nz", "z", NULL},
  };
  PP_CHECK(cases);
}

// Places, kinds and flags.
Test(pp_lexer, token_members) {
  struct kiln_arena arena;
  struct kiln_names names;
  struct kiln_sources sources;
  struct kiln_diags diags;
  jmp_buf exhausted;
  kiln_arena_init(&arena, &exhausted);
  cr_assert_eq(setjmp(exhausted), 0);
  kiln_names_init(&names, &arena);
  kiln_sources_init(&sources, &arena);
  kiln_diags_init(&diags, &sources);
  struct kiln_pp_config config = {.arena = &arena, .names = &names, .sources = &sources, .diags = &diags};
  struct kiln_pp *pp = kiln_pp_new(&config);
  static const char text[] = "#define F(x) x + y\nfloat\n  fl\\\noat a+F(z)";
  kiln_pp_start(pp, "t.cl", text, sizeof text - 1);
  static const struct {
    uint16_t kind;
    const char *text;
    unsigned line, column;
    bool line_start, space;
  } want[] = {
      {KILN_TOKEN_KW_FLOAT, "float", 2, 1, true, false}, {KILN_TOKEN_KW_FLOAT, "float", 3, 3, true, true},
      {KILN_TOKEN_IDENTIFIER, "a", 4, 5, false, true},   {KILN_TOKEN_PLUS, "+", 4, 6, false, false},
      {KILN_TOKEN_IDENTIFIER, "z", 4, 9, false, false},  {KILN_TOKEN_PLUS, "+", 4, 7, false, true},
      {KILN_TOKEN_IDENTIFIER, "y", 4, 7, false, true},   {KILN_TOKEN_END, "", 4, 11, false, false},
  };
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    struct kiln_token token;
    kiln_pp_next(pp, &token);
    struct kiln_position position = kiln_sources_position(&sources, token.location);
    cr_expect_eq(token.kind, want[i].kind, "token %zu", i);
    cr_expect_eq(token.size, strlen(want[i].text), "token %zu", i);
    cr_expect_eq(memcmp(token.data, want[i].text, token.size), 0, "token %zu", i);
    cr_expect_eq(position.line, want[i].line, "token %zu: line %u", i, position.line);
    cr_expect_eq(position.column, want[i].column, "token %zu: column %u", i, position.column);
    cr_expect_eq(token.at_line_start, want[i].line_start, "token %zu", i);
    if (token.kind != KILN_TOKEN_END)
      cr_expect_eq(token.after_space, want[i].space || want[i].line_start, "token %zu", i);
  }
  kiln_diags_free(&diags);
  kiln_arena_free(&arena);
}

// Texts need no NUL behind them, and may hold some.
Test(pp_lexer, nul) {
  struct pp_run run = {0};
  pp_run(&run, "a\0b \"x\0y\" c no", 13 - 1);
  cr_expect_eq(run.token_count, 4);
  cr_expect_eq(run.tokens.size, 11);
  cr_expect_eq(memcmp(run.tokens.data, "a b \"x\0y\" c", 11), 0);
  pp_done(&run);
}
