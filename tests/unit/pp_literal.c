// Values of literals.
#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "jit/lang/ast/literal.h"

static struct kiln_arena arena;
static struct kiln_sources sources;
static struct kiln_diags diags;
static struct kiln_literal_env env;
static jmp_buf exhausted;

static void setup(void) {
  kiln_arena_init(&arena, &exhausted);
  kiln_sources_init(&sources, &arena);
  kiln_diags_init(&diags, &sources);
  env = (struct kiln_literal_env){.arena = &arena, .diags = &diags};
}

static void teardown(void) {
  kiln_diags_free(&diags);
  kiln_arena_free(&arena);
}

TestSuite(pp_literal, .init = setup, .fini = teardown);

static struct kiln_token token_of(const char *text, enum kiln_token_kind kind) {
  uint32_t size = (uint32_t)strlen(text);
  kiln_location place = kiln_sources_add(&sources, "t.cl", text, size, 0);
  return (struct kiln_token){.kind = (uint16_t)kind, .location = place, .data = text, .size = size};
}

static bool number_of(const char *text, struct kiln_number *out) {
  struct kiln_token token = token_of(text, KILN_TOKEN_NUMBER);
  return kiln_literal_number(&env, &token, out);
}

// What was reported since the last call: its first line.
static const char *reported(void) {
  static char line[300];
  snprintf(line, sizeof line, "%s", diags.text.data != NULL ? diags.text.data : "");
  line[strcspn(line, "\n")] = 0;
  kiln_strbuf_clear(&diags.text);
  diags.errors = diags.warnings = 0;
  return line;
}

Test(pp_literal, integers) {
  static const struct {
    const char *text;
    enum kiln_ctype_kind type;
    uint64_t value;
  } cases[] = {
      {"0", KILN_CT_INT, 0},
      {"00", KILN_CT_INT, 0},
      {"42", KILN_CT_INT, 42},
      {"2147483647", KILN_CT_INT, 2147483647},
      {"2147483648", KILN_CT_LONG, 2147483648},
      {"4294967295", KILN_CT_LONG, 4294967295},
      {"9223372036854775807", KILN_CT_LONG, INT64_MAX},
      {"0x7fffffff", KILN_CT_INT, 0x7fffffff},
      {"0x80000000", KILN_CT_UINT, 0x80000000},
      {"0XFFFFFFFF", KILN_CT_UINT, 0xffffffff},
      {"0x100000000", KILN_CT_LONG, 0x100000000},
      {"0x8000000000000000", KILN_CT_ULONG, 0x8000000000000000},
      {"037777777777", KILN_CT_UINT, 0xffffffff},
      {"0b1010", KILN_CT_INT, 10},
      {"0B11111111111111111111111111111111", KILN_CT_UINT, 0xffffffff},
      {"1u", KILN_CT_UINT, 1},
      {"1U", KILN_CT_UINT, 1},
      {"4294967296u", KILN_CT_ULONG, 4294967296},
      {"1l", KILN_CT_LONG, 1},
      {"1L", KILN_CT_LONG, 1},
      {"1ul", KILN_CT_ULONG, 1},
      {"1LU", KILN_CT_ULONG, 1},
      {"1ll", KILN_CT_LONG, 1},
      {"1ULL", KILN_CT_ULONG, 1},
      {"1llu", KILN_CT_ULONG, 1},
      {"0xffffffffffffffffL", KILN_CT_ULONG, UINT64_MAX},
      {"18446744073709551615u", KILN_CT_ULONG, UINT64_MAX},
  };
  size_t ran = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++, ran++) {
    struct kiln_number number;
    cr_expect(number_of(cases[i].text, &number), "%s", cases[i].text);
    cr_expect_eq(number.type, cases[i].type, "%s has type %d", cases[i].text, number.type);
    cr_expect_eq(number.value, cases[i].value, "%s", cases[i].text);
    cr_expect_str_eq(reported(), "", "%s", cases[i].text);
  }
  cr_assert_eq(ran, 27);
}

Test(pp_literal, floats) {
  static const struct {
    const char *text;
    enum kiln_ctype_kind type;
    double value;
  } cases[] = {
      {"0.0", KILN_CT_DOUBLE, 0.0},
      {"1.", KILN_CT_DOUBLE, 1.0},
      {".5", KILN_CT_DOUBLE, 0.5},
      {"1e3", KILN_CT_DOUBLE, 1000.0},
      {"08.5", KILN_CT_DOUBLE, 8.5},
      {"09e1", KILN_CT_DOUBLE, 90.0},
      {"0.1", KILN_CT_DOUBLE, 0.1},
      {"0.1f", KILN_CT_FLOAT, (double)0.1f},
      {"0.1F", KILN_CT_FLOAT, (double)0.1f},
      {"3.14159265358979323846f", KILN_CT_FLOAT, (double)3.14159265358979323846f},
      {"3.14159265358979323846", KILN_CT_DOUBLE, 3.14159265358979323846},
      {"1e-7f", KILN_CT_FLOAT, (double)1e-7f},
      {"1e22", KILN_CT_DOUBLE, 1e22},
      {"1e23", KILN_CT_DOUBLE, 1e23},
      {"8.41e21", KILN_CT_DOUBLE, 8.41e21},
      {"9007199254740993.0", KILN_CT_DOUBLE, 9007199254740992.0},
      {"9007199254740993.00000000000000000000001", KILN_CT_DOUBLE, 9007199254740994.0},
      {"16777217.0f", KILN_CT_FLOAT, 16777216.0},
      {"16777217.0000000000000000001f", KILN_CT_FLOAT, 16777218.0},
      {"3.4028235e38f", KILN_CT_FLOAT, 0x1.fffffep127},
      {"1.4e-45f", KILN_CT_FLOAT, 0x1p-149},
      {"4.9e-324", KILN_CT_DOUBLE, 0x1p-1074},
      {"0x1p-3", KILN_CT_DOUBLE, 0.125},
      {"0x1.8p1f", KILN_CT_FLOAT, 3.0},
      {"0x.8p0", KILN_CT_DOUBLE, 0.5},
      {"0x1.0000010000001p0f", KILN_CT_FLOAT, 0x1.000002p0},
      {"1.0h", KILN_CT_HALF, 1.0},
      {"0.1h", KILN_CT_HALF, 0x1.998p-4},
      {"65504.0h", KILN_CT_HALF, 65504.0},
      {"65519.99h", KILN_CT_HALF, 65504.0},
      {"6e-8h", KILN_CT_HALF, 0x1p-24},
      {"1.00048828125h", KILN_CT_HALF, 1.0},
      {"1.000488281250000000000000000000000001h", KILN_CT_HALF, 0x1.004p0},
      {"1.5d", KILN_CT_DOUBLE, 1.5},
  };
  size_t ran = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++, ran++) {
    struct kiln_number number;
    cr_expect(number_of(cases[i].text, &number), "%s", cases[i].text);
    cr_expect_eq(number.type, cases[i].type, "%s has type %d", cases[i].text, number.type);
    cr_expect_eq(number.number, cases[i].value, "%s is %a", cases[i].text, number.number);
    cr_expect_str_eq(reported(), "", "%s", cases[i].text);
  }
  cr_assert_eq(ran, 34);
}

Test(pp_literal, floats_as_strtod) {
  uint64_t state = 88172645463325252u;
  char text[64];
  for (int i = 0; i < 20000; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    snprintf(text, sizeof text, "%u.%0*ue%d", (unsigned)(state >> 52), (int)(state % 9 + 1),
             (unsigned)(state >> 20 & 0xFFFFF), (int)(state >> 5 & 63) - 32);
    struct kiln_number number;
    cr_assert(number_of(text, &number), "%s", text);
    cr_assert_eq(number.number, strtod(text, NULL), "%s", text);
    strcat(text, "f");
    cr_assert(number_of(text, &number), "%s", text);
    cr_assert_eq(number.number, (double)strtof(text, NULL), "%s", text);
  }
}

Test(pp_literal, half_rounding) {
  // Every half and every midpoint.
  for (uint32_t bits = 0; bits < 0x7C00; bits++) {
    double value =
        bits < 0x400 ? ldexp((double)bits, -24) : ldexp((double)(0x400 | (bits & 0x3FF)), (int)(bits >> 10) - 25);
    double ulp = bits < 0x400 ? 0x1p-24 : ldexp(1.0, (int)(bits >> 10) - 25);
    cr_assert_eq(kiln_round_to_half(value), value, "%a", value);
    cr_assert_eq(kiln_round_to_half(-value), -value, "%a", -value);
    double up = bits == 0x7BFF ? INFINITY : value + ulp;
    cr_assert_eq(kiln_round_to_half(value + ulp / 2), bits % 2 != 0 ? up : value, "%a", value + ulp / 2);
    cr_assert_eq(kiln_round_to_half(value + ulp * 0.499999), value, "%a", value);
    cr_assert_eq(kiln_round_to_half(value + ulp * 0.500001), up, "%a", value);
  }
  cr_expect_eq(kiln_round_to_half(1e300), INFINITY);
  cr_expect_eq(kiln_round_to_half(-INFINITY), -INFINITY);
  cr_expect(isnan(kiln_round_to_half(NAN)));
  cr_expect(signbit(kiln_round_to_half(-1e-30)));
}

Test(pp_literal, single_precision_constants) {
  struct kiln_number number;
  env.single_precision_constants = true;
  cr_expect(number_of("0.1", &number));
  cr_expect_eq(number.type, KILN_CT_FLOAT);
  cr_expect_eq(number.number, (double)0.1f);
}

Test(pp_literal, locale) {
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"};
  for (int i = 0; i < 3; i++) {
    if (setlocale(LC_ALL, names[i]) == NULL)
      continue; // not installed
    struct kiln_number number;
    cr_expect(number_of("1.234567890123456789012", &number), "%s", names[i]);
    cr_expect_eq(number.number, 1.234567890123456789012, "%s", names[i]);
  }
}

Test(pp_literal, number_messages) {
  static const struct {
    const char *text, *message;
    bool good;
  } cases[] = {
      {"1x", "t.cl:1:2: error: invalid suffix 'x' on integer constant", false},
      {"1f", "t.cl:1:2: error: invalid suffix 'f' on integer constant", false},
      {"1uu", "t.cl:1:2: error: invalid suffix 'uu' on integer constant", false},
      {"1lul", "t.cl:1:2: error: invalid suffix 'lul' on integer constant", false},
      {"1lL", "t.cl:1:2: error: invalid suffix 'lL' on integer constant", false},
      {"0xg", "t.cl:1:2: error: invalid suffix 'xg' on integer constant", false},
      {"0x", "t.cl:1:2: error: invalid suffix 'x' on integer constant", false},
      {"089", "t.cl:1:2: error: invalid digit '8' in octal constant", false},
      {"0b12", "t.cl:1:4: error: invalid digit '2' in binary constant", false},
      {"1.0q", "t.cl:1:4: error: invalid suffix 'q' on floating constant", false},
      {"1.0ff", "t.cl:1:4: error: invalid suffix 'ff' on floating constant", false},
      {"1.2.3", "t.cl:1:4: error: invalid suffix '.3' on floating constant", false},
      {"1e", "t.cl:1:2: error: exponent has no digits", false},
      {"1e+", "t.cl:1:2: error: exponent has no digits", false},
      {"0x1p", "t.cl:1:4: error: exponent has no digits", false},
      {"0x1.8", "t.cl:1:1: error: hexadecimal floating constant requires an exponent", false},
      {"0xe+1", "t.cl:1:4: error: invalid suffix '+1' on integer constant", false},
      {"18446744073709551616", "t.cl:1:1: error: integer literal is too large to be represented in any integer type",
       false},
      {"9223372036854775808",
       "t.cl:1:1: warning: integer literal is too large to be represented in a signed integer type, interpreting as "
       "unsigned",
       true},
      {"1e39f",
       "t.cl:1:1: warning: magnitude of floating-point constant too large for type 'float'; maximum is 3.40282347E+38",
       true},
      {"1e400",
       "t.cl:1:1: warning: magnitude of floating-point constant too large for type 'double'; maximum is "
       "1.7976931348623157E+308",
       true},
      {"65520.0h",
       "t.cl:1:1: warning: magnitude of floating-point constant too large for type 'half'; maximum is 6.5504E+4", true},
      {"1e-50f",
       "t.cl:1:1: warning: magnitude of floating-point constant too small for type 'float'; minimum is 1.40129846E-45",
       true},
  };
  size_t ran = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++, ran++) {
    struct kiln_number number;
    cr_expect_eq(number_of(cases[i].text, &number), cases[i].good, "%s", cases[i].text);
    const char *message = reported();
    cr_expect_str_eq(message, cases[i].message, "%s: %s", cases[i].text, message);
  }
  cr_assert_eq(ran, 23);
}

Test(pp_literal, characters) {
  static const struct {
    const char *text;
    int32_t value;
    const char *message;
    bool good;
  } cases[] = {
      {"'a'", 'a', "", true},
      {"'\\n'", '\n', "", true},
      {"'\\0'", 0, "", true},
      {"'\\101'", 'A', "", true},
      {"'\\1018'", 'A' << 8 | '8', "t.cl:1:1: warning: multi-character character constant", true},
      {"'\\x41'", 'A', "", true},
      {"'\\xff'", -1, "", true},
      {"'\\377'", -1, "", true},
      {"'\\\\'", '\\', "", true},
      {"'\\''", '\'', "", true},
      {"'\"'", '"', "", true},
      {"'\\e'", 27, "", true},
      {"'\\a'", 7, "", true},
      {"'ab'", 'a' << 8 | 'b', "t.cl:1:1: warning: multi-character character constant", true},
      {"'abcde'", 'b' << 24 | 'c' << 16 | 'd' << 8 | 'e', "t.cl:1:1: warning: character constant too long for its type",
       true},
      {"''", 0, "t.cl:1:1: error: empty character constant", false},
      {"'\\x'", 0, "t.cl:1:2: error: \\x used with no following hex digits", false},
      {"'\\x100'", 0, "t.cl:1:2: error: hex escape sequence out of range", false},
      {"'\\777'", 0, "t.cl:1:2: error: octal escape sequence out of range", false},
      {"'\\q'", 'q', "t.cl:1:2: warning: unknown escape sequence '\\q'", true},
      {"'\xC3\xA9'", 0, "t.cl:1:1: error: character too large for enclosing character literal type", false},
      {"'", 0, "", false},
  };
  size_t ran = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++, ran++) {
    struct kiln_token token = token_of(cases[i].text, KILN_TOKEN_CHAR);
    int32_t value;
    cr_expect_eq(kiln_literal_char(&env, &token, &value), cases[i].good, "%s", cases[i].text);
    cr_expect_eq(value, cases[i].value, "%s is %d", cases[i].text, value);
    const char *message = reported();
    cr_expect_str_eq(message, cases[i].message, "%s: %s", cases[i].text, message);
  }
  cr_assert_eq(ran, 22);
}

Test(pp_literal, strings) {
  struct kiln_token tokens[] = {token_of("\"a\\n\"", KILN_TOKEN_STRING), token_of("\"\"", KILN_TOKEN_STRING),
                                token_of("\"\\0\\x41\\102\"", KILN_TOKEN_STRING), token_of("\"9\"", KILN_TOKEN_STRING)};
  const char *text;
  uint32_t size;
  cr_expect(kiln_literal_string(&env, tokens, 4, &text, &size));
  cr_expect_eq(size, 6);
  cr_expect_eq(memcmp(text, "a\n\0AB9", 7), 0);
  cr_expect_str_eq(reported(), "");
  struct kiln_token bad = token_of("\"ab\\xzz\"", KILN_TOKEN_STRING);
  cr_expect_not(kiln_literal_string(&env, &bad, 1, &text, &size));
  cr_expect_str_eq(reported(), "t.cl:1:4: error: \\x used with no following hex digits");
  struct kiln_token open = token_of("\"ab", KILN_TOKEN_STRING); // reported by the preprocessor
  cr_expect(kiln_literal_string(&env, &open, 1, &text, &size));
  cr_expect_eq(size, 2);
}
