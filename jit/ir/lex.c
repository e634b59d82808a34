// Splits the text form of the IR into tokens. Any byte sequence gives tokens or an error with its place.
#include "jit/ir/lex.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_NAME 10000 // characters

static bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

void kiln_ir_error(struct kiln_ir_lexer *lexer, uint32_t offset, const char *format, ...) {
  unsigned line = 1, column = 1;
  for (uint32_t i = 0; i < offset && i < lexer->size; i++) {
    column++;
    if (lexer->text[i] == '\n') {
      line++;
      column = 1;
    }
  }
  kiln_strbuf_clear(&lexer->message);
  kiln_strbuf_printf(&lexer->message, "%s:%u:%u: error: ", lexer->file, line, column);
  va_list args;
  va_start(args, format);
  kiln_strbuf_vprintf(&lexer->message, format, args);
  va_end(args);
  longjmp(*lexer->failed, 1);
}

void kiln_ir_expected(struct kiln_ir_lexer *lexer, const char *what) {
  const struct kiln_ir_token *token = &lexer->token;
  if (token->kind == KILN_IR_END)
    kiln_ir_error(lexer, token->offset, "expected %s, not the end of the text", what);
  uint32_t size = token->end - token->offset;
  kiln_ir_error(lexer, token->offset, "expected %s, not '%.*s%s'", what, (int)(size > 40 ? 40 : size),
                lexer->text + token->offset, size > 40 ? "…" : "");
}

static char peek(const struct kiln_ir_lexer *lexer, uint32_t ahead) {
  return lexer->size - lexer->cursor > ahead ? lexer->text[lexer->cursor + ahead] : 0;
}

static void skip_space(struct kiln_ir_lexer *lexer) {
  for (;;) {
    char c = peek(lexer, 0);
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
      lexer->cursor++;
    else if (c == '/' && peek(lexer, 1) == '/')
      while (lexer->cursor < lexer->size && lexer->text[lexer->cursor] != '\n')
        lexer->cursor++;
    else
      return;
  }
}

static unsigned hex_digit(char c) {
  return is_digit(c) ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
}

static char escape(struct kiln_ir_lexer *lexer) {
  char c = peek(lexer, 0);
  if (c == 'n' || c == '"' || c == '\\') {
    lexer->cursor++;
    return c == 'n' ? '\n' : c;
  }
  unsigned high = hex_digit(c), low = hex_digit(peek(lexer, 1));
  if (high > 15 || low > 15)
    kiln_ir_error(lexer, lexer->cursor - 1, "an escape is \\n, \\\", \\\\ or a backslash and two hexadecimal digits");
  lexer->cursor += 2;
  return (char)(high << 4 | low);
}

static void lex_string(struct kiln_ir_lexer *lexer) {
  uint32_t start = lexer->cursor++;
  const char *close = NULL;
  for (uint32_t i = lexer->cursor; i < lexer->size && !close && lexer->text[i] != '\n'; i++) {
    if (lexer->text[i] == '\\')
      i++;
    else if (lexer->text[i] == '"')
      close = lexer->text + i;
  }
  if (!close)
    kiln_ir_error(lexer, start, "the string does not end on its line");
  char *out = kiln_arena_alloc(lexer->arena, (size_t)(close - lexer->text) - start + 1, 1);
  size_t size = 0;
  while (lexer->text + lexer->cursor < close) {
    char c = lexer->text[lexer->cursor++];
    out[size++] = c == '\\' ? escape(lexer) : c;
  }
  out[size] = 0;
  lexer->cursor = (uint32_t)(close - lexer->text) + 1;
  lexer->token.kind = KILN_IR_STRING;
  lexer->token.text = out;
  lexer->token.size = size;
}

static void lex_number(struct kiln_ir_lexer *lexer) {
  uint32_t start = lexer->cursor++;
  bool hex = peek(lexer, 0) == 'x' || (lexer->text[start] == '-' && peek(lexer, 1) == 'x');
  while (is_word_char(peek(lexer, 0)) || (peek(lexer, 0) == '.' && is_digit(peek(lexer, 1))) ||
         ((peek(lexer, 0) == '+' || peek(lexer, 0) == '-') &&
          (lexer->text[lexer->cursor - 1] == 'p' || (lexer->text[lexer->cursor - 1] == 'e' && !hex))))
    lexer->cursor++;
  lexer->token.kind = KILN_IR_NUMBER;
}

static void lex_word(struct kiln_ir_lexer *lexer, enum kiln_ir_token_kind kind) {
  uint32_t start = lexer->cursor;
  if (kind != KILN_IR_WORD)
    lexer->cursor++;
  uint32_t first = lexer->cursor;
  while (is_word_char(peek(lexer, 0)))
    lexer->cursor++;
  if (lexer->cursor == first)
    kiln_ir_error(lexer, start, "'%c' without a name", lexer->text[start]);
  if (lexer->cursor - start > MAX_NAME)
    kiln_ir_error(lexer, start, "a name of more than %d characters", MAX_NAME);
  lexer->token.kind = kind;
  lexer->token.name = kiln_names_intern(lexer->names, lexer->text + start, lexer->cursor - start);
}

void kiln_ir_next(struct kiln_ir_lexer *lexer) {
  uint32_t before = lexer->cursor;
  skip_space(lexer);
  lexer->token = (struct kiln_ir_token){.kind = KILN_IR_END, .offset = lexer->cursor};
  lexer->token.at_line_start = memchr(lexer->text + before, '\n', lexer->cursor - before) != NULL;
  char c = peek(lexer, 0), after = peek(lexer, 1);
  if (lexer->cursor == lexer->size) {
  } else if (c == '"') {
    lex_string(lexer);
  } else if (is_digit(c) || (c == '-' && is_digit(after))) {
    lex_number(lexer);
  } else if (is_word_char(c)) {
    lex_word(lexer, KILN_IR_WORD);
  } else if (c == '%') {
    lex_word(lexer, KILN_IR_VALUE);
  } else if (c == '^') {
    lex_word(lexer, KILN_IR_LABEL);
  } else if (c == '$') {
    lex_word(lexer, KILN_IR_GLOBAL);
  } else if (c == '-' && after == '>') {
    lexer->cursor += 2;
    lexer->token.kind = KILN_IR_ARROW;
  } else if (c && strchr("@:=,.(){}[]*+-!", c)) {
    lexer->cursor++;
    lexer->token.kind = KILN_IR_PUNCT;
    lexer->token.punct = c;
  } else {
    kiln_ir_error(lexer, lexer->cursor, "unexpected byte 0x%02x", (unsigned char)c);
  }
  lexer->token.end = lexer->cursor;
}

// ---- what the grammar wants -----------------------------------------------------------------------------------------

bool kiln_ir_accept_punct(struct kiln_ir_lexer *lexer, char c) {
  if (!kiln_ir_at_punct(lexer, c))
    return false;
  kiln_ir_next(lexer);
  return true;
}

void kiln_ir_expect_punct(struct kiln_ir_lexer *lexer, char c) {
  if (!kiln_ir_accept_punct(lexer, c))
    kiln_ir_expected(lexer, (char[]){'\'', c, '\'', 0});
}

bool kiln_ir_at_word(const struct kiln_ir_lexer *lexer, const char *word) {
  return lexer->token.kind == KILN_IR_WORD && strcmp(lexer->token.name->text, word) == 0;
}

bool kiln_ir_accept_word(struct kiln_ir_lexer *lexer, const char *word) {
  if (!kiln_ir_at_word(lexer, word))
    return false;
  kiln_ir_next(lexer);
  return true;
}

void kiln_ir_expect_word(struct kiln_ir_lexer *lexer, const char *word) {
  if (!kiln_ir_accept_word(lexer, word))
    kiln_ir_expected(lexer, word);
}

unsigned kiln_ir_choose_word(struct kiln_ir_lexer *lexer, const char *const *words, unsigned count, const char *what) {
  for (unsigned i = 0; i < count; i++)
    if (kiln_ir_accept_word(lexer, words[i]))
      return i;
  kiln_ir_expected(lexer, what);
}

// The current number as text with a NUL.
static uint32_t number_text(struct kiln_ir_lexer *lexer, char out[128]) {
  if (lexer->token.kind != KILN_IR_NUMBER)
    kiln_ir_expected(lexer, "a number");
  uint32_t offset = lexer->token.offset, size = lexer->token.end - offset;
  if (size >= 128)
    kiln_ir_error(lexer, offset, "a number of more than 127 characters");
  memcpy(out, lexer->text + offset, size);
  out[size] = 0;
  return offset;
}

uint64_t kiln_ir_integer(struct kiln_ir_lexer *lexer, bool *negative) {
  char text[128], *end;
  uint32_t offset = number_text(lexer, text);
  *negative = text[0] == '-';
  const char *digits = text + *negative;
  errno = 0;
  uint64_t magnitude = strtoull(digits, &end, digits[0] == '0' && digits[1] == 'x' ? 16 : 10);
  if (*end || end == digits)
    kiln_ir_expected(lexer, "an integer");
  if (errno || (*negative && magnitude > (uint64_t)1 << 63))
    kiln_ir_error(lexer, offset, "the number does not fit 64 bits");
  kiln_ir_next(lexer);
  return *negative ? -magnitude : magnitude;
}

uint64_t kiln_ir_unsigned(struct kiln_ir_lexer *lexer, uint64_t max) {
  bool negative;
  uint32_t offset = lexer->token.offset;
  uint64_t value = kiln_ir_integer(lexer, &negative);
  if (negative || value > max)
    kiln_ir_error(lexer, offset, "the number is not in the range 0 to %llu", (unsigned long long)max);
  return value;
}

int64_t kiln_ir_signed(struct kiln_ir_lexer *lexer) {
  bool negative;
  uint32_t offset = lexer->token.offset;
  uint64_t value = kiln_ir_integer(lexer, &negative);
  if (!negative && value > INT64_MAX)
    kiln_ir_error(lexer, offset, "the number does not fit 64 bits with sign");
  return (int64_t)value;
}

uint64_t kiln_ir_float(struct kiln_ir_lexer *lexer, enum kiln_kind kind) {
  bool negative = kiln_ir_accept_punct(lexer, '-'); // -inf
  if (negative || lexer->token.kind == KILN_IR_WORD) {
    kiln_ir_expect_word(lexer, "inf");
    return kiln_float_round(kind, negative ? -__builtin_inf() : __builtin_inf(), KILN_ROUND_EVEN);
  }
  char text[128], *end;
  number_text(lexer, text);
  uint64_t bits;
  if (text[0] == '0' && text[1] == 'x' && !strchr(text, 'p')) { // the bits
    bits = strtoull(text + 2, &end, 16);
    if (bits & ~kiln_bits_mask(kiln_kind_bits(kind)))
      kiln_ir_error(lexer, lexer->token.offset, "the bits do not fit %s", kiln_kind_words[kind]);
  } else {
    bits = kiln_parse_float(kind, text, &end);
  }
  if (*end)
    kiln_ir_expected(lexer, "a float");
  kiln_ir_next(lexer);
  return bits;
}
