// Tokens of PTX text.
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/cuda/emulator/parse.h"

void parser_fail(struct parser *p, enum ptx_kind kind, const char *format, ...) {
  if (p->failed)
    return;
  p->failed = true;
  p->error->kind = kind;
  int used = snprintf(p->error->text, sizeof p->error->text, "line %u: ", p->token.line);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(p->error->text + used, sizeof p->error->text - (size_t)used, format, arguments);
  va_end(arguments);
  p->cursor = p->end;
  p->token.kind = TOKEN_END;
  p->token.text = "";
  p->token.size = 0;
}

static bool is_word_start(char c) { return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%'; }
static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }
static char peek(const struct parser *p, size_t ahead) {
  return (size_t)(p->end - p->cursor) > ahead ? p->cursor[ahead] : 0;
}

static void skip_space(struct parser *p) {
  for (;;) {
    char c = peek(p, 0);
    if (c == '\n')
      p->line++;
    if (p->cursor < p->end && isspace((unsigned char)c)) {
      p->cursor++;
    } else if (c == '/' && peek(p, 1) == '/') {
      while (p->cursor < p->end && *p->cursor != '\n')
        p->cursor++;
    } else if (c == '/' && peek(p, 1) == '*') {
      for (p->cursor += 2; p->cursor < p->end && !(peek(p, 0) == '*' && peek(p, 1) == '/'); p->cursor++)
        p->line += *p->cursor == '\n';
      p->cursor = p->end - p->cursor > 1 ? p->cursor + 2 : p->end;
    } else {
      return;
    }
  }
}

// A word with the dots in it: %tid.x, ld.global.u32, ld.global.L1::no_allocate.u32.
static void read_word(struct parser *p) {
  p->cursor++;
  for (;;) {
    if (is_word(peek(p, 0)) || (peek(p, 0) == '.' && is_word(peek(p, 1))))
      p->cursor++;
    else if (peek(p, 0) == ':' && peek(p, 1) == ':' && is_word(peek(p, 2)))
      p->cursor += 2;
    else
      return;
  }
}

static void read_number(struct parser *p) {
  char digits[64];
  size_t size = 0;
  const char *begin = p->cursor;
  char second = (char)tolower(peek(p, 1));
  bool is_bits = *begin == '0' && (second == 'f' || second == 'd'), is_hexadecimal = *begin == '0' && second == 'x';
  if (is_bits)
    p->cursor += 2;
  while (size < sizeof digits - 1 && p->cursor < p->end) {
    char c = *p->cursor;
    bool is_sign = (c == '+' || c == '-') && !is_hexadecimal && !is_bits && size && tolower(p->cursor[-1]) == 'e';
    if (!isxdigit((unsigned char)c) && c != 'x' && c != 'X' && c != '.' && !is_sign)
      break;
    digits[size++] = c;
    p->cursor++;
  }
  digits[size] = 0;
  char *end = digits;
  if (is_bits) {
    p->token.kind = second == 'f' ? TOKEN_SINGLE : TOKEN_DOUBLE;
    p->token.bits = strtoull(digits, &end, 16);
    if (size != (second == 'f' ? 8 : 16))
      end = digits;
  } else if (strpbrk(digits, ".") || (!is_hexadecimal && strpbrk(digits, "eE"))) {
    p->token.kind = TOKEN_DOUBLE;
    p->token.bits = put_F64(strtod(digits, &end));
  } else if (second == 'b' && *begin == '0') {
    p->token.kind = TOKEN_INTEGER;
    p->token.bits = strtoull(digits + 2, &end, 2);
  } else {
    p->token.kind = TOKEN_INTEGER;
    p->token.bits = strtoull(digits, &end, 0);
    if (peek(p, 0) == 'U')
      p->cursor++;
  }
  if (!size || *end)
    parser_fail(p, PTX_SYNTAX, "no number: %s", digits);
}

void next_token(struct parser *p) {
  if (p->failed)
    return;
  skip_space(p);
  p->token = (struct token){TOKEN_END, p->cursor, 0, p->line, 0};
  if (p->cursor >= p->end)
    return;
  char c = *p->cursor;
  if (is_word_start(c)) {
    p->token.kind = TOKEN_WORD;
    read_word(p);
  } else if (c == '.' && is_word_start(peek(p, 1))) {
    p->token.kind = TOKEN_DIRECTIVE;
    for (p->cursor++; is_word(peek(p, 0));)
      p->cursor++;
  } else if (isdigit((unsigned char)c)) {
    read_number(p);
  } else if (c == '"') {
    p->token.kind = TOKEN_STRING;
    for (p->cursor++; p->cursor < p->end && *p->cursor != '"'; p->cursor++)
      p->line += *p->cursor == '\n';
    p->cursor += p->cursor < p->end;
  } else {
    p->token.kind = TOKEN_SIGN;
    p->cursor++;
  }
  if (!p->failed)
    p->token.size = (uint32_t)(p->cursor - p->token.text);
}

void skip_line(struct parser *p) {
  while (p->cursor < p->end && *p->cursor != '\n')
    p->cursor++;
  next_token(p);
}

void skip_past(struct parser *p, char sign) {
  while (p->token.kind != TOKEN_END && !(p->token.kind == TOKEN_SIGN && *p->token.text == sign))
    next_token(p);
  next_token(p);
}

// From { to the } that closes it; nothing in between is looked at.
void skip_braces(struct parser *p) {
  expect(p, "{");
  for (uint32_t depth = 1; depth && p->token.kind != TOKEN_END; next_token(p))
    depth += token_is(p, "{") ? 1 : token_is(p, "}") ? UINT32_MAX : 0;
}

bool token_is(const struct parser *p, const char *text) {
  return p->token.kind != TOKEN_END && strlen(text) == p->token.size && !memcmp(p->token.text, text, p->token.size);
}

bool take(struct parser *p, const char *text) {
  if (!token_is(p, text))
    return false;
  next_token(p);
  return true;
}

void expect(struct parser *p, const char *text) {
  if (!take(p, text))
    parser_fail(p, PTX_SYNTAX, "'%s' expected before '%.*s'", text, (int)p->token.size, p->token.text);
}

uint64_t take_integer(struct parser *p) {
  bool negates = false;
  for (; token_is(p, "-") || token_is(p, "+"); next_token(p))
    negates ^= *p->token.text == '-';
  uint64_t bits = p->token.bits;
  if (p->token.kind != TOKEN_INTEGER)
    parser_fail(p, PTX_SYNTAX, "an integer expected before '%.*s'", (int)p->token.size, p->token.text);
  next_token(p);
  return negates ? -bits : bits;
}

struct token take_name(struct parser *p) {
  struct token token = p->token;
  if (token.kind != TOKEN_WORD)
    parser_fail(p, PTX_SYNTAX, "a name expected before '%.*s'", (int)token.size, token.text);
  next_token(p);
  return token;
}
