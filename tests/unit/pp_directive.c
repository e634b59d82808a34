// Directives and their diagnostics.
#include <criterion/criterion.h>

#include "tests/unit/pp_support.h"

// Each is true.
static const char *const conditions[] = {
    "1",
    "-1",
    "0x10 == 16",
    "010 == 8",
    "0b101 == 5",
    "'a' == 97",
    "'\\n' == 10",
    "'\\xff' == -1",
    "!0",
    "~0 == -1",
    "- -1 == +1",
    "1 + 2 * 3 == 7",
    "(1 + 2) * 3 == 9",
    "7 / 2 == 3",
    "-7 / 2 == -3",
    "-7 % 2 == -1",
    "7 - 2 - 1 == 4",
    "1 << 3 == 8",
    "-1 >> 1 == -1",
    "-1u >> 63 == 1",
    "1 << 63 < 0",
    "2 > 1u",
    "-1 > 1u",
    "-1 < 1",
    "3 >= 3",
    "3 <= 3",
    "1 != 2",
    "(5 & 3) == 1",
    "(5 | 3) == 7",
    "(5 ^ 3) == 6",
    "1 && 2",
    "0 || 2",
    "1 ? 2 : 0",
    "0 ? 0 : 3",
    "1 ? 1 : 0 ? 0 : 0",
    "(0 ? 1 : -1u) > 0",
    "(1 ? -1 : 0u) > 0",
    "0 && 1 / 0 || 1",
    "1 || 1 % 0",
    "1 ? 1 : 1 / 0",
    "undefined_name == 0",
    "int == 0",
    "defined D",
    "defined(D)",
    "!defined undefined_name",
    "defined __FILE__",
    "defined __has_include",
    "D == 4",
    "F(2) == 4",
    "!DEF(D2)",
    "0xFFFFFFFF > 0",
    "0xFFFFFFFFFFFFFFFF == -1",
    "18446744073709551615u == -1",
    "9223372036854775807 > 0",
    "1ull == 1LU",
    "(1, 2) == 2",
    "1 - 1 == 0 == 1",
    "-9223372036854775807 - 1 < 0",
    "1 << 64 == 0",
    "1 >> -1 == 2",
    "10 == 5 * 2 && 3 < 4 == 1",
    "!(-1 % 2) == 0",
    "0u - 1 > 0",
    "__LINE__ == 4",
    "__has_attribute(packed)",
    "!__has_include(\"nope.h\")",
};

Test(pp_directive, conditions) {
  size_t ran = 0;
  for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++, ran++) {
    char text[400];
    for (int negate = 0; negate < 2; negate++) {
      int size =
          snprintf(text, sizeof text,
                   "#define D 4\n#define F(x) (x * 2)\n#define DEF(x) defined(x)\n#if %s%s%s\nyes\n#else\nno\n#endif",
                   negate ? "!(" : "", conditions[i], negate ? ")" : "");
      struct pp_run run = {0};
      pp_run(&run, text, (size_t)size);
      cr_expect_str_eq(pp_text(&run.tokens), negate ? "no" : "yes", "#if %s", conditions[i]);
      cr_expect_eq(run.errors, 0, "#if %s: %s", conditions[i], pp_text(&run.log));
      pp_done(&run);
    }
  }
  cr_assert_eq(ran, sizeof conditions / sizeof *conditions);
  cr_assert_gt(ran, 60);
}

Test(pp_directive, groups) {
  static const struct pp_case cases[] = {
      {"#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif\ne", "b e", NULL},
      {"#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif", "c", NULL},
      {"#if 1\n#if 0\na\n#else\nb\n#endif\n#elif garbage(\nc\n#endif", "b", NULL},
      {"#ifdef X\na\n#elifdef Y\nb\n#elifndef Z\nc\n#endif", "c", NULL},
      {"#if 0\ndon't /* #endif\n*/ \" #else\n'#else\n\\\n#else\nx\n#endif\ny", "x y", NULL},
      {"#if 0\n// #else \\\n#else\n#endif\ny", "y", NULL},
      {"#if 0\n#error no\n#include <no>\n#nonsense\n#define\n#if garbage (\n#elif (\n#endif\n#endif\ny", "y", NULL},
      {"  /* c */ # /* d */ define /* e */ A /* f\n */ 1 // g\nA", "1", NULL},
      {"#def\\\nine A 1\nA", "1", NULL},
      {"#\n# // nothing\n#ident \"x\"\na", "a", NULL},
      {"%:define A 1\nA", "1", NULL},
      {"x # define A\nA", "x # define A A", NULL},
      {"#define f(x) x\nf(1\n#ifdef f\n2\n#else\n3\n#endif\n4)", "1 2 4", NULL},
      {"#define E #define X 1\nE\nX", "# define X 1 X", NULL},
      {"#if 1\r\na\r\n#else\r\nb\r\n#endif\r\nc\r\n", "a c", NULL},
  };
  PP_CHECK(cases);
}

Test(pp_directive, errors_of_conditions) {
  static const struct pp_case cases[] = {
      {"#if\n#endif", "", "t.cl:1:4: error: expected value in expression\n"},
      {"#if 1 +\n#endif", "", "t.cl:1:8: error: expected value in expression\n"},
      {"#if (1\n#endif", "",
       "t.cl:1:7: error: expected ')' in preprocessor expression\nt.cl:1:5: note: to match this '('\n"},
      {"#if 1)\n#endif", "", "t.cl:1:6: error: unexpected ')' in preprocessor expression\n"},
      {"#if 1 2\n#endif", "",
       "t.cl:1:7: error: token is not a valid binary operator in a preprocessor subexpression\n"},
      {"#if 1 ? 2\n#endif", "",
       "t.cl:1:10: error: expected ':' in preprocessor expression\nt.cl:1:7: note: to match this '?'\n"},
      {"#if *1\n#endif", "", "t.cl:1:5: error: invalid token at start of a preprocessor expression\n"},
      {"#if \"a\"\n#endif", "", "t.cl:1:5: error: invalid token at start of a preprocessor expression\n"},
      {"#if 1.5\n#endif", "", "t.cl:1:5: error: floating point literal in preprocessor expression\n"},
      {"#if 1x\n#endif", "", "t.cl:1:6: error: invalid suffix 'x' on integer constant\n"},
      {"#if 089\n#endif", "", "t.cl:1:6: error: invalid digit '8' in octal constant\n"},
      {"#if 1 / 0\n#endif", "", "t.cl:1:7: error: division by zero in preprocessor expression\n"},
      {"#if 1 % (1 - 1)\n#endif", "", "t.cl:1:7: error: remainder by zero in preprocessor expression\n"},
      {"#if foo(1)\n#endif", "", "t.cl:1:5: error: function-like macro 'foo' is not defined\n"},
      {"#if defined\n#endif", "", "t.cl:1:12: error: macro name missing\n"},
      {"#if defined 3\n#endif", "", "t.cl:1:13: error: macro name must be an identifier\n"},
      {"#if defined(X\n#endif", "",
       "t.cl:1:14: error: missing ')' after 'defined'\nt.cl:1:12: note: to match this '('\n"},
      {"#if 99999999999999999999\n#endif", "",
       "t.cl:1:5: error: integer literal is too large to be represented in any integer type\n"},
      {"#if 9223372036854775808\n#endif", "",
       "t.cl:1:5: warning: integer literal is too large to be represented in a signed integer type, interpreting as "
       "unsigned\n"},
      {"#if 9223372036854775807 + 1\n#endif", "", "t.cl:1:25: warning: integer overflow in preprocessor expression\n"},
      {"#ifdef\n#endif", "", "t.cl:1:7: error: macro name missing\n"},
      {"#ifdef 3\n#endif", "", "t.cl:1:8: error: macro name must be an identifier\n"},
      {"#ifdef A B\n#endif C", "",
       "t.cl:1:10: warning: extra tokens at end of #ifdef directive\n"
       "t.cl:2:8: warning: extra tokens at end of #endif directive\n"},
      {"#if 1\n#else 3\n#endif", "", "t.cl:2:7: warning: extra tokens at end of #else directive\n"},
      {"#if 1\na", "a", "t.cl:1:2: error: unterminated conditional directive\n"},
      {"#if 0\na", "", "t.cl:1:2: error: unterminated conditional directive\n"},
      {"#else\n#elif 1\n#endif", "",
       "t.cl:1:2: error: #else without #if\nt.cl:2:2: error: #elif without #if\nt.cl:3:2: error: #endif without #if\n"},
      {"#if 1\n#else\n#else\n#elif 1\n#endif", "",
       "t.cl:3:2: error: #else after #else\nt.cl:1:2: note: the conditional begins here\n"
       "t.cl:4:2: error: #elif after #else\nt.cl:1:2: note: the conditional begins here\n"},
      {"#if __has_attribute\n#endif", "", "t.cl:1:5: error: missing '(' after '__has_attribute'\n"},
      {"__has_include(\"x\")", "0 ( \"x\" )",
       "t.cl:1:1: error: '__has_include' must be used within a preprocessing directive\n"},
  };
  PP_CHECK(cases);
}

Test(pp_directive, errors_of_macros) {
  static const struct pp_case cases[] = {
      {"#define\n#undef", "", "t.cl:1:8: error: macro name missing\nt.cl:2:7: error: macro name missing\n"},
      {"#define 3", "", "t.cl:1:9: error: macro name must be an identifier\n"},
      {"#define defined 3", "", "t.cl:1:9: error: 'defined' cannot be used as a macro name\n"},
      {"#define A+1\nA", "+ 1", "t.cl:1:10: warning: whitespace is required after the macro name\n"},
      {"#define A 1\n#define A 1\n#define A 2\nA", "2",
       "t.cl:3:9: warning: 'A' macro redefined\nt.cl:1:9: note: previous definition is here\n"},
      {"#define A(x) x\n#define A(y) y", "",
       "t.cl:2:9: warning: 'A' macro redefined\nt.cl:1:9: note: previous definition is here\n"},
      {"#define A a b\n#define A a  b\n#define A ab", "",
       "t.cl:3:9: warning: 'A' macro redefined\nt.cl:1:9: note: previous definition is here\n"},
      {"#define __LINE__ 3\n__LINE__", "3", "t.cl:1:9: warning: redefining builtin macro '__LINE__'\n"},
      {"#undef __FILE__\n__FILE__", "__FILE__", "t.cl:1:8: warning: undefining builtin macro '__FILE__'\n"},
      {"#undef A B", "", "t.cl:1:10: warning: extra tokens at end of #undef directive\n"},
      {"#define A(", "", "t.cl:1:11: error: missing ')' in macro parameter list\nt.cl:1:10: note: to match this '('\n"},
      {"#define A(x", "",
       "t.cl:1:12: error: missing ')' in macro parameter list\nt.cl:1:10: note: to match this '('\n"},
      {"#define A(x,) 1", "", "t.cl:1:13: error: expected the name of a macro parameter\n"},
      {"#define A(x y) 1", "", "t.cl:1:13: error: expected ',' in macro parameter list\n"},
      {"#define A(3) 1", "", "t.cl:1:11: error: invalid token in macro parameter list\n"},
      {"#define A(x, x) 1", "", "t.cl:1:14: error: duplicate macro parameter name 'x'\n"},
      {"#define A(..., x) 1", "",
       "t.cl:1:14: error: missing ')' in macro parameter list\nt.cl:1:10: note: to match this '('\n"},
      {"#define A(x) #y", "", "t.cl:1:14: error: '#' is not followed by a macro parameter\n"},
      {"#define A(x) # ", "", "t.cl:1:14: error: '#' is not followed by a macro parameter\n"},
      {"#define A ## b", "", "t.cl:1:11: error: '##' cannot appear at start of macro expansion\n"},
      {"#define A a ##", "", "t.cl:1:13: error: '##' cannot appear at end of macro expansion\n"},
      {"#define A(x) __VA_ARGS__", "",
       "t.cl:1:14: warning: __VA_ARGS__ can only appear in the expansion of a variadic macro\n"},
      {"#define A(__VA_ARGS__) 1", "", "t.cl:1:11: error: __VA_ARGS__ cannot be the name of a macro parameter\n"},
      {"#define F(x, y) x\nF(1)", "0",
       "t.cl:2:4: error: too few arguments provided to function-like macro invocation\n"
       "t.cl:1:9: note: macro 'F' defined here\n"},
      {"#define F(x, y) x\nF(1, 2, 3)", "0",
       "t.cl:2:9: error: too many arguments provided to function-like macro invocation\n"
       "t.cl:1:9: note: macro 'F' defined here\n"},
      {"#define F() x\nF(1) F()", "0 x",
       "t.cl:2:3: error: too many arguments provided to function-like macro invocation\n"
       "t.cl:1:9: note: macro 'F' defined here\n"},
      {"#define F(x) x\nF(1", "",
       "t.cl:2:1: error: unterminated function-like macro invocation\nt.cl:1:9: note: macro 'F' defined here\n"},
      {"#define F(x) x\n#if F(1\n#endif", "",
       "t.cl:2:5: error: unterminated function-like macro invocation\nt.cl:1:9: note: macro 'F' defined here\n"
       "t.cl:2:8: error: expected value in expression\n"},
      {"#define F(x) x\nF(\n#include \"a\"\n1)", "1",
       "t.cl:3:2: error: embedding a #include directive within macro arguments is not supported\n"},
  };
  PP_CHECK(cases);
}

Test(pp_directive, errors_of_others) {
  static const struct pp_case cases[] = {
      {"#error  don't  do \"this // at all  \na", "a", "t.cl:1:2: error: don't  do \"this // at all\n"},
      {"#error a \\\n b", "", "t.cl:1:2: error: a  b\n"},
      {"#error", "", "t.cl:1:2: error: #error\n"},
      {"#warning be %s careful\na", "a", "t.cl:1:2: warning: be %s careful\n"},
      {"#includ \"x\"", "", "t.cl:1:2: error: invalid preprocessing directive, did you mean '#include'?\n"},
      {"#edif", "", "t.cl:1:2: error: invalid preprocessing directive, did you mean '#endif'?\n"},
      {"#wibble", "", "t.cl:1:2: error: invalid preprocessing directive\n"},
      {"#!shebang", "", "t.cl:1:2: error: invalid preprocessing directive\n"},
      {"#line\n#line 0\n#line x\n#line 99999999999", "",
       "t.cl:1:6: error: #line directive requires a positive integer argument\n"
       "t.cl:2:7: error: #line directive requires a positive integer argument\n"
       "t.cl:3:7: error: #line directive requires a positive integer argument\n"
       "t.cl:4:7: error: #line directive requires a positive integer argument\n"},
      {"#line 3 x", "", "t.cl:1:9: error: invalid filename for #line directive\n"},
      {"#include", "", "t.cl:1:9: error: expected \"FILENAME\" or <FILENAME>\n"},
      {"#include x", "", "t.cl:1:10: error: expected \"FILENAME\" or <FILENAME>\n"},
      {"#include \"\"", "", "t.cl:1:10: error: empty filename in preprocessor directive\n"},
      {"#include <x", "", "t.cl:1:12: error: expected '>' at the end of the file name of 'include'\n"},
      {"#include \"no/such.h\"\nx", "x", "t.cl:1:10: fatal error: 'no/such.h' file not found\n"},
      {"#include </no/such.h>\nx", "x", "t.cl:1:10: fatal error: '/no/such.h' file not found\n"},
      {"\"abc\nx 'y\nz", "\"abc x 'y z",
       "t.cl:1:1: error: missing terminating '\"' character\nt.cl:2:3: error: missing terminating ''' character\n"},
      {"#define Q don't\na", "a", NULL},
      {"a @ b ` \\ c", "a b c",
       "t.cl:1:3: error: unexpected character '@'\nt.cl:1:7: error: unexpected character '`'\n"
       "t.cl:1:9: error: unexpected character '\\'\n"},
      {"a \xC3\x97\xC3\xA9 b \xFF \x01", "a b",
       "t.cl:1:3: error: unexpected character <U+00D7>\nt.cl:1:10: error: unexpected byte 0xFF in the source\n"
       "t.cl:1:12: error: unexpected byte 0x01 in the source\n"},
      {"\xC3\xA9\\u00e9 a\\\n\\u00\\\ne9", "\xC3\xA9\\u00e9 a\\u00e9", NULL},
      {"a /* b", "a", "t.cl:1:3: error: unterminated /* comment\n"},
  };
  PP_CHECK(cases);
}

Test(pp_directive, line_numbers_in_messages) {
  struct pp_run run = {0};
  const char *text = "#line 100 \"other.cl\"\n\n#error here\n";
  pp_run(&run, text, strlen(text));
  cr_expect_eq(strncmp(pp_text(&run.log), "other.cl:101:2: error: here\n", 28), 0, "%s", pp_text(&run.log));
  pp_done(&run);
}
