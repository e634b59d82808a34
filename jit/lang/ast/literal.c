// Values of literals. Numbers are rounded once to their type; nothing depends on the locale.
#include "jit/lang/ast/literal.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>

#include "base/c_locale.h"
#include "jit/lang/lex/lex.h"

struct number_text {
  const struct kiln_literal_env *env;
  const struct kiln_token *token;
  const char *p, *end;
  unsigned base;
  bool is_float, too_large; // too_large: for 64 bits
  uint64_t value;           // integers
  const char *suffix;
};

static kiln_location location_at(const struct kiln_token *token, const char *p) {
  bool direct = token->location != 0 && (token->location & KILN_LOCATION_MACRO) == 0;
  return direct ? token->location + (kiln_location)(p - token->data) : token->location;
}

// More than any base for what is no digit.
static unsigned digit_value(char c) {
  static const uint8_t values[256] = {
      // one more than the value: 0 is no digit
      ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
      ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
      ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
  };
  return values[(unsigned char)c] - 1u;
}

// ---- scanning numbers -----------------------------------------------------------------------------------------------

// Cuts the text into digits and suffix. False after an error.
static bool scan(struct number_text *n) {
  const struct kiln_token *token = n->token;
  const char *p = token->data, *end = p + token->size;
  n->end = end;
  n->base = 10;
  if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x' && (digit_value(p[2]) < 16 || p[2] == '.'))
    n->base = 16;
  else if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'b' && digit_value(p[2]) < 10)
    n->base = 2;
  if (n->base != 10)
    p += 2;
  n->p = p;
  while (p < end && digit_value(*p) < (n->base == 16 ? 16u : 10u))
    p++;
  if (p < end && *p == '.' && n->base != 2) {
    n->is_float = true;
    p++;
    while (p < end && digit_value(*p) < (n->base == 16 ? 16u : 10u))
      p++;
  }
  if (p < end && n->base != 2 && (*p | 0x20) == (n->base == 16 ? 'p' : 'e')) {
    const char *exponent = p++;
    n->is_float = true;
    if (p < end && (*p == '+' || *p == '-'))
      p++;
    if (p == end || digit_value(*p) > 9) {
      kiln_diag(n->env->diags, KILN_ERROR, location_at(token, exponent), 0, "exponent has no digits");
      return false;
    }
    while (p < end && digit_value(*p) <= 9)
      p++;
  } else if (n->is_float && n->base == 16) {
    kiln_diag(n->env->diags, KILN_ERROR, token->location, kiln_token_end(token),
              "hexadecimal floating constant requires an exponent");
    return false;
  }
  n->suffix = p;
  if (n->is_float)
    return true;
  if (n->base == 10 && n->p[0] == '0' && p - n->p > 1)
    n->base = 8;
  for (const char *digit = n->p; digit < p; digit++) {
    uint64_t value = (uint64_t)digit_value(*digit);
    if (value >= n->base) {
      kiln_diag(n->env->diags, KILN_ERROR, location_at(token, digit), 0, "invalid digit '%c' in %s constant", *digit,
                n->base == 8 ? "octal" : "binary");
      return false;
    }
    n->too_large |= __builtin_mul_overflow(n->value, (uint64_t)n->base, &n->value);
    n->too_large |= __builtin_add_overflow(n->value, value, &n->value);
  }
  return true;
}

static bool bad_suffix(const struct number_text *n) {
  size_t size = (size_t)(n->end - n->suffix);
  kiln_diag(n->env->diags, KILN_ERROR, location_at(n->token, n->suffix), kiln_token_end(n->token),
            "invalid suffix '%.*s' on %s constant", (int)(size < 40 ? size : 40), n->suffix,
            n->is_float ? "floating" : "integer");
  return false;
}

// u, l, ll in any case and order. False: it is no suffix of an integer.
static bool integer_suffix(const struct number_text *n, bool *is_unsigned, bool *is_long) {
  *is_unsigned = *is_long = false;
  for (const char *p = n->suffix; p < n->end; p++) {
    if ((*p | 0x20) == 'u' && !*is_unsigned) {
      *is_unsigned = true;
    } else if ((*p | 0x20) == 'l' && !*is_long) {
      *is_long = true;
      if (p + 1 < n->end && p[1] == *p)
        p++;
    } else {
      return false;
    }
  }
  return true;
}

static bool check_size(const struct number_text *n) {
  if (n->too_large)
    kiln_diag(n->env->diags, KILN_ERROR, n->token->location, kiln_token_end(n->token),
              "integer literal is too large to be represented in any integer type");
  return !n->too_large;
}

static void warn_unsigned(const struct number_text *n) {
  kiln_diag_warning(
      n->env->diags, KILN_W_IMPLICITLY_UNSIGNED, n->token->location, kiln_token_end(n->token),
      "integer literal is too large to be represented in a signed integer type, interpreting as unsigned");
}

// ---- floating numbers -----------------------------------------------------------------------------------------------

// Exact products and quotients: few digits and a small power of ten. False: not one of those.
static bool small_decimal(const struct number_text *n, bool is_float, double *out) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  uint64_t mantissa = 0;
  int digits = 0, exponent = 0;
  const char *p = n->p;
  for (bool fraction = false; p < n->suffix && (*p | 0x20) != 'e'; p++) {
    if (*p == '.') {
      fraction = true;
      continue;
    }
    if (++digits > 18)
      return false;
    mantissa = mantissa * 10 + (uint64_t)(*p - '0');
    exponent -= fraction;
  }
  if (p < n->suffix) {
    bool negative = *++p == '-';
    p += *p == '-' || *p == '+';
    int value = 0;
    for (; p < n->suffix && value < 1000; p++)
      value = value * 10 + (*p - '0');
    exponent += negative ? -value : value;
  }
  int limit = is_float ? 10 : 22;
  if (n->base == 16 || mantissa > (is_float ? (uint64_t)1 << 24 : (uint64_t)1 << 53) || exponent < -limit ||
      exponent > limit)
    return false;
  if (is_float) {
    float value = (float)mantissa, power = (float)powers[exponent < 0 ? -exponent : exponent];
    value = exponent < 0 ? value / power : value * power;
    *out = (double)value;
  } else {
    double value = (double)mantissa, power = powers[exponent < 0 ? -exponent : exponent];
    *out = exponent < 0 ? value / power : value * power;
  }
  return true;
}

double kiln_round_to_half(double number) {
  union {
    double number;
    uint64_t bits;
  } u = {.number = number};
  int exponent = (int)(u.bits >> 52 & 0x7FF) - 1023;
  if (exponent == 1024 || number == 0.0)
    return number;
  if (exponent > 15)
    return number < 0 ? -INFINITY : INFINITY;
  if (exponent < -14)
    exponent = -14; // subnormal halves: multiples of 2^-24
  // Adding and subtracting 1.5 * 2^52 ulps rounds to multiples of one ulp of the half.
  double magic = ldexp(1.5, 52 + exponent - 10);
  volatile double sum = number + magic;
  double rounded = sum - magic;
  if (fabs(rounded) >= 65520.0)
    rounded = number < 0 ? -INFINITY : INFINITY;
  return copysign(rounded, number);
}

// The number rounded to odd in 53 bits: rounding it again to half is then as good as rounding once.
static double parse_for_half(const char *text) {
  int mode = fegetround();
  fesetround(FE_TOWARDZERO);
  union {
    double number;
    uint64_t bits;
  } low = {.number = kiln_strtod(text, NULL)};
  fesetround(FE_UPWARD);
  double high = kiln_strtod(text, NULL);
  fesetround(mode);
  if (high != low.number)
    low.bits |= 1;
  return low.number;
}

static double parse_float(const struct number_text *n, enum kiln_ctype_kind type) {
  double result;
  if (type != KILN_CT_HALF && small_decimal(n, type == KILN_CT_FLOAT, &result))
    return result;
  const char *start = n->token->data;
  const char *text = kiln_arena_strndup(n->env->arena, start, (size_t)(n->suffix - start));
  if (type == KILN_CT_HALF)
    return kiln_round_to_half(parse_for_half(text));
  return type == KILN_CT_FLOAT ? (double)kiln_strtof(text, NULL) : kiln_strtod(text, NULL);
}

static bool has_nonzero_digit(const struct number_text *n) {
  for (const char *p = n->p; p < n->suffix; p++) {
    if ((*p | 0x20) == (n->base == 16 ? 'p' : 'e'))
      break;
    if (*p != '.' && *p != '0')
      return true;
  }
  return false;
}

static bool floating(const struct number_text *n, struct kiln_number *out) {
  enum kiln_ctype_kind type = n->env->single_precision_constants ? KILN_CT_FLOAT : KILN_CT_DOUBLE;
  if (n->end - n->suffix == 1) {
    char suffix = (char)(*n->suffix | 0x20);
    if (suffix != 'f' && suffix != 'h' && suffix != 'd')
      return bad_suffix(n);
    type = suffix == 'f' ? KILN_CT_FLOAT : suffix == 'h' ? KILN_CT_HALF : KILN_CT_DOUBLE;
  } else if (n->suffix != n->end) {
    return bad_suffix(n);
  }
  out->type = type;
  out->number = parse_float(n, type);
  const char *name = type == KILN_CT_FLOAT ? "float" : type == KILN_CT_HALF ? "half" : "double";
  if (isinf(out->number))
    kiln_diag_warning(n->env->diags, KILN_W_LITERAL_RANGE, n->token->location, kiln_token_end(n->token),
                      "magnitude of floating-point constant too large for type '%s'; maximum is %s", name,
                      type == KILN_CT_FLOAT  ? "3.40282347E+38"
                      : type == KILN_CT_HALF ? "6.5504E+4"
                                             : "1.7976931348623157E+308");
  else if (out->number == 0.0 && has_nonzero_digit(n))
    kiln_diag_warning(n->env->diags, KILN_W_LITERAL_RANGE, n->token->location, kiln_token_end(n->token),
                      "magnitude of floating-point constant too small for type '%s'; minimum is %s", name,
                      type == KILN_CT_FLOAT  ? "1.40129846E-45"
                      : type == KILN_CT_HALF ? "5.9605E-8"
                                             : "4.9406564584124654E-324");
  return true;
}

static bool integer(const struct number_text *n, struct kiln_number *out) {
  bool is_unsigned, is_long;
  if (!integer_suffix(n, &is_unsigned, &is_long))
    return bad_suffix(n);
  if (!check_size(n))
    return false;
  bool decimal = n->base == 10;
  uint64_t value = n->value;
  out->value = value;
  if (!is_long && !is_unsigned && value <= INT32_MAX)
    out->type = KILN_CT_INT;
  else if (!is_long && (is_unsigned || !decimal) && value <= UINT32_MAX)
    out->type = KILN_CT_UINT;
  else if (!is_unsigned && value <= INT64_MAX)
    out->type = KILN_CT_LONG;
  else
    out->type = KILN_CT_ULONG;
  if (decimal && !is_unsigned && value > INT64_MAX)
    warn_unsigned(n);
  return true;
}

bool kiln_literal_small(const struct kiln_token *token, struct kiln_number *out) {
  const char *p = token->data, *end = p + token->size;
  uint64_t value = 0;
  out->type = KILN_CT_INT;
  if (*p != '0' || token->size == 1) {
    if (token->size > 9)
      return false;
    for (; p != end; p++) {
      unsigned digit = (unsigned char)*p - (unsigned)'0';
      if (digit > 9)
        return false;
      value = value * 10 + digit;
    }
  } else {
    bool is_unsigned = (end[-1] | 0x20) == 'u';
    p += 2;
    end -= is_unsigned;
    if ((p[-1] | 0x20) != 'x' || p >= end || end - p > 8)
      return false;
    for (; p != end; p++) {
      unsigned digit = digit_value(*p);
      if (digit > 15)
        return false;
      value = value << 4 | digit;
    }
    if (is_unsigned || value > INT32_MAX)
      out->type = KILN_CT_UINT;
  }
  out->value = value;
  return true;
}

bool kiln_literal_number(const struct kiln_literal_env *env, const struct kiln_token *token, struct kiln_number *out) {
  struct number_text n = {.env = env, .token = token};
  *out = (struct kiln_number){.type = KILN_CT_INT};
  if (kiln_literal_small(token, out))
    return true;
  if (scan(&n) && (n.is_float ? floating(&n, out) : integer(&n, out)))
    return true;
  *out = (struct kiln_number){.type = KILN_CT_INT};
  return false;
}

bool kiln_literal_condition(const struct kiln_literal_env *env, const struct kiln_token *token, uint64_t *value,
                            bool *is_unsigned) {
  struct number_text n = {.env = env, .token = token};
  bool is_long;
  *value = 0;
  *is_unsigned = false;
  if (!scan(&n))
    return false;
  if (n.is_float) {
    kiln_diag(env->diags, KILN_ERROR, token->location, kiln_token_end(token),
              "floating point literal in preprocessor expression");
    return false;
  }
  if (!integer_suffix(&n, is_unsigned, &is_long))
    return bad_suffix(&n);
  if (!check_size(&n))
    return false;
  if (n.value > INT64_MAX && !*is_unsigned) {
    if (n.base == 10)
      warn_unsigned(&n);
    *is_unsigned = true;
  }
  *value = n.value;
  return true;
}

// ---- characters and strings -----------------------------------------------------------------------------------------

struct quoted {
  const struct kiln_literal_env *env;
  const struct kiln_token *token;
  const char *p, *end; // what is left; end: at the closing quote
  bool failed;
  char more[4]; // bytes of a universal character name that are still to come, from more[at] on
  unsigned at, size;
};

static struct quoted quoted_of(const struct kiln_literal_env *env, const struct kiln_token *token) {
  const char *end = token->data + token->size;
  if (token->size > 1 && end[-1] == token->data[0])
    end--; // it lacks when the preprocessor has complained
  return (struct quoted){.env = env, .token = token, .p = token->data + 1, .end = end};
}

static unsigned char numeric_escape(struct quoted *q, const char *start, unsigned base, unsigned max_digits) {
  uint32_t value = 0;
  bool overflow = false;
  const char *digits = q->p;
  for (unsigned i = 0; i < max_digits && q->p < q->end && (unsigned)digit_value(*q->p) < base; i++) {
    value = value * base + (uint32_t)digit_value(*q->p++);
    overflow |= value > 0xFF;
    value &= 0xFFFFFF;
  }
  const char *message = q->p == digits ? "\\x used with no following hex digits"
                        : !overflow    ? NULL
                        : base == 16   ? "hex escape sequence out of range"
                                       : "octal escape sequence out of range";
  if (message != NULL) {
    kiln_diag(q->env->diags, KILN_ERROR, location_at(q->token, start), location_at(q->token, q->p), "%s", message);
    q->failed = true;
  }
  return (unsigned char)value;
}

// After \u or \U: the first byte of the character; the others come next.
static unsigned char universal_escape(struct quoted *q, const char *start, char letter) {
  const char *digits = q->p, *message = NULL;
  uint32_t code;
  if (!kiln_universal_name(&q->p, q->end, letter == 'u' ? 4 : 8, &code))
    message = q->p != digits  ? "incomplete universal character name"
              : letter == 'u' ? "\\u used with no following hex digits"
                              : "\\U used with no following hex digits";
  else if (!kiln_is_universal(code))
    message = code < 0xA0 ? "character of the basic set in a universal character name" : "invalid universal character";
  if (message != NULL) {
    kiln_diag(q->env->diags, KILN_ERROR, location_at(q->token, start), location_at(q->token, q->p), "%s", message);
    q->failed = true;
    return '?';
  }
  q->at = 1;
  q->size = kiln_utf8_put(code, q->more);
  return (unsigned char)q->more[0];
}

static bool is_at_end(const struct quoted *q) { return q->p == q->end && q->at == q->size; }

static unsigned char next_char(struct quoted *q) {
  static const char names[] = "abfnrtve\\'\"?", values[] = "\a\b\f\n\r\t\v\33\\'\"?";
  const char *start = q->p;
  if (q->at < q->size)
    return (unsigned char)q->more[q->at++];
  char c = *q->p++;
  if (c != '\\' || q->p == q->end)
    return (unsigned char)c;
  c = *q->p;
  if (c >= '0' && c <= '7')
    return numeric_escape(q, start, 8, 3);
  q->p++;
  if (c == 'x')
    return numeric_escape(q, start, 16, UINT32_MAX);
  if (c == 'u' || c == 'U')
    return universal_escape(q, start, c);
  const char *found = c != 0 ? strchr(names, c) : NULL;
  if (found != NULL)
    return (unsigned char)values[found - names];
  if (c >= ' ' && c <= '~')
    kiln_diag_warning(q->env->diags, KILN_W_UNKNOWN_ESCAPE, location_at(q->token, start), location_at(q->token, q->p),
                      "unknown escape sequence '\\%c'", c);
  else
    kiln_diag_warning(q->env->diags, KILN_W_UNKNOWN_ESCAPE, location_at(q->token, start), 0, "unknown escape sequence");
  return (unsigned char)c;
}

bool kiln_literal_char(const struct kiln_literal_env *env, const struct kiln_token *token, int32_t *out) {
  struct quoted q = quoted_of(env, token);
  *out = 0;
  if (q.p == q.end) {
    if (q.end < token->data + token->size)
      kiln_diag(env->diags, KILN_ERROR, token->location, kiln_token_end(token), "empty character constant");
    return false;
  }
  uint32_t value = 0, count = 0;
  bool is_utf8 = ((unsigned char)*q.p & 0xC0) == 0xC0;
  while (!is_at_end(&q)) {
    value = value << 8 | next_char(&q);
    is_utf8 |= q.size > 1;
    count++;
  }
  if (is_utf8) {
    kiln_diag(env->diags, KILN_ERROR, token->location, kiln_token_end(token),
              "character too large for enclosing character literal type");
    q.failed = true;
  } else if (count > 1 && !q.failed) {
    kiln_diag_warning(env->diags, KILN_W_MULTICHAR, token->location, kiln_token_end(token),
                      count > 4 ? "character constant too long for its type" : "multi-character character constant");
  }
  if (!q.failed)
    *out = count == 1 ? (int32_t)(int8_t)value : (int32_t)value;
  return !q.failed;
}

bool kiln_literal_string(const struct kiln_literal_env *env, const struct kiln_token *tokens, uint32_t count,
                         const char **text, uint32_t *size) {
  size_t limit = 1;
  for (uint32_t i = 0; i < count; i++)
    limit += tokens[i].size;
  char *buffer = kiln_arena_alloc(env->arena, limit, 1);
  size_t used = 0;
  bool good = true;
  for (uint32_t i = 0; i < count; i++) {
    struct quoted q = quoted_of(env, &tokens[i]);
    while (!is_at_end(&q))
      buffer[used++] = (char)next_char(&q);
    good &= !q.failed;
  }
  buffer[used] = 0;
  *text = buffer;
  *size = (uint32_t)used;
  return good;
}
