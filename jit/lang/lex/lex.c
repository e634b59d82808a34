// The lexer. Requires a NUL after the text. A token is lexed from the text in place; only when a line splice follows
// or is inside it, it is lexed again from a copy without splices.
#include "jit/lang/lex/lex_fast.h"

const uint8_t kiln_lex_classes[256] = {
    [0] = KILN_CLASS_NUL,
    ['\t'] = KILN_CLASS_SPACE,
    ['\n'] = KILN_CLASS_NEWLINE,
    ['\v' ... '\r'] = KILN_CLASS_SPACE,
    [' '] = KILN_CLASS_SPACE,
    ['!'] = KILN_CLASS_PUNCT,
    ['"'] = KILN_CLASS_QUOTE,
    ['#'] = KILN_CLASS_PUNCT,
    ['$'] = KILN_CLASS_NAME,
    ['%' ... '&'] = KILN_CLASS_PUNCT,
    ['\''] = KILN_CLASS_QUOTE,
    ['(' ... ')'] = KILN_CLASS_SINGLE,
    ['*' ... '+'] = KILN_CLASS_PUNCT,
    [','] = KILN_CLASS_SINGLE,
    ['-'] = KILN_CLASS_PUNCT,
    ['.'] = KILN_CLASS_DOT,
    ['/'] = KILN_CLASS_SLASH,
    ['0' ... '9'] = KILN_CLASS_DIGIT,
    [':'] = KILN_CLASS_PUNCT,
    [';'] = KILN_CLASS_SINGLE,
    ['<' ... '>'] = KILN_CLASS_PUNCT,
    ['?'] = KILN_CLASS_SINGLE,
    ['A' ... 'Z'] = KILN_CLASS_NAME,
    ['['] = KILN_CLASS_SINGLE,
    ['\\'] = KILN_CLASS_BACKSLASH,
    [']'] = KILN_CLASS_SINGLE,
    ['^'] = KILN_CLASS_PUNCT,
    ['_'] = KILN_CLASS_NAME,
    ['a' ... 'z'] = KILN_CLASS_NAME,
    ['{'] = KILN_CLASS_SINGLE,
    ['|'] = KILN_CLASS_PUNCT,
    ['}' ... '~'] = KILN_CLASS_SINGLE,
};

const uint8_t kiln_lex_singles[128] = {
    ['('] = KILN_TOKEN_LPAREN,   [')'] = KILN_TOKEN_RPAREN,   [','] = KILN_TOKEN_COMMA,    [';'] = KILN_TOKEN_SEMICOLON,
    ['?'] = KILN_TOKEN_QUESTION, ['['] = KILN_TOKEN_LBRACKET, [']'] = KILN_TOKEN_RBRACKET, ['{'] = KILN_TOKEN_LBRACE,
    ['}'] = KILN_TOKEN_RBRACE,   ['~'] = KILN_TOKEN_TILDE,
};

const uint8_t kiln_lex_in_number[256] = {
    ['$'] = 1,         ['.'] = 1,         ['0' ... '9'] = 1, ['A' ... 'D'] = 1, ['E'] = 2,
    ['F' ... 'O'] = 1, ['P'] = 2,         ['Q' ... 'Z'] = 1, ['_'] = 1,         ['a' ... 'd'] = 1,
    ['e'] = 2,         ['f' ... 'o'] = 1, ['p'] = 2,         ['q' ... 'z'] = 1,
};

const char *kiln_token_kind_text(enum kiln_token_kind kind) {
  static const char *const texts[KILN_TOKEN_KIND_COUNT] = {
      [KILN_TOKEN_END] = "end of file",       [KILN_TOKEN_IDENTIFIER] = "identifier",
      [KILN_TOKEN_NUMBER] = "number",         [KILN_TOKEN_CHAR] = "character constant",
      [KILN_TOKEN_STRING] = "string literal", [KILN_TOKEN_OTHER] = "unknown character",
      [KILN_TOKEN_PRAGMA] = "#pragma",
#define KILN_PUNCT(NAME, text) [KILN_TOKEN_##NAME] = text,
#include "jit/lang/lex/tokens.def"
#define KILN_KEYWORD(NAME, text, role) [KILN_TOKEN_KW_##NAME] = text,
#include "jit/lang/lex/tokens.def"
  };
  return (unsigned)kind < KILN_TOKEN_KIND_COUNT ? texts[kind] : "end of line";
}

void kiln_lexer_init(struct kiln_lexer *lexer, struct kiln_lex_env *env, const char *text, size_t size,
                     kiln_location first) {
  *lexer = (struct kiln_lexer){
      .env = env, .text = text, .cursor = text, .end = text + size, .first = first, .at_line_start = true};
  if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
    lexer->cursor += 3; // byte order mark
}

// ---- names ----------------------------------------------------------------------------------------------------------

static inline struct kiln_name *name_of(struct kiln_lex_env *env, const char *text, size_t size, uint32_t hash) {
  struct kiln_name **slot = kiln_lex_slot_of(env, hash);
  if (!kiln_lex_is_name(*slot, text, size))
    *slot = kiln_names_intern(env->names, text, size);
  return *slot;
}

struct kiln_name *kiln_lex_name(struct kiln_lex_env *env, const char *text, size_t size) {
  uint32_t hash = 0;
  for (size_t i = 0; i < size; i++)
    hash = hash * 31 + (unsigned char)text[i];
  return name_of(env, text, size, hash);
}

// ---- splices and comments -------------------------------------------------------------------------------------------

// p is at a backslash: the character after the line splice, or NULL when it is none. Space between backslash and
// newline is allowed, as in gcc and clang.
static const char *after_splice(const char *p) {
  do
    p++;
  while (kiln_lex_class_of(p) == KILN_CLASS_SPACE);
  return *p == '\n' ? p + 1 : NULL;
}

// Whether the newline at p[-1] ends a line splice; *start is then where that begins.
static bool ends_splice(const char *text, const char *p, const char **start) {
  if (p == text || p[-1] != '\n')
    return false;
  p--;
  while (p > text && kiln_lex_class_of(p - 1) == KILN_CLASS_SPACE)
    p--;
  if (p == text || p[-1] != '\\')
    return false;
  *start = p - 1;
  return true;
}

// After a // comment: at its newline or at the end.
static const char *skip_line_comment(const struct kiln_lexer *lexer, const char *p) {
  for (;;) {
    const char *newline = memchr(p, '\n', (size_t)(lexer->end - p)), *splice;
    if (newline == NULL)
      return lexer->end;
    if (!ends_splice(p, newline + 1, &splice))
      return newline;
    p = newline + 1;
  }
}

// p is after the "/*" at open. After the comment.
static const char *skip_block_comment(struct kiln_lexer *lexer, const char *open, const char *p) {
  for (const char *body = p;; p++) {
    p = memchr(p, '/', (size_t)(lexer->end - p));
    if (p == NULL) {
      if (!lexer->quiet) {
        kiln_location location = lexer->first + (kiln_location)(open - lexer->text);
        kiln_diag(lexer->env->diags, KILN_ERROR, location, location + 2, "unterminated /* comment");
      }
      return lexer->end;
    }
    const char *q = p;
    while (q > body && ends_splice(body, q, &q))
      ;
    if (q > body && q[-1] == '*')
      return p + 1;
  }
}

// ---- tokens ---------------------------------------------------------------------------------------------------------

// Where a quoted text is taken to end whose closing quote is missing: before what ends the statement, so that nothing
// else is missing, or else with its line.
static const char *guess_end(const char *first, const char *end) {
  const char *p = end;
  while (p > first && (p[-1] == ' ' || p[-1] == '\t' || p[-1] == '\r' || p[-1] == ';' || p[-1] == ')' || p[-1] == '}'))
    p--;
  return memchr(p, ';', (size_t)(end - p)) ? p : end;
}

// p is at a quote. After the closing one; when the line ends before, the token is OTHER.
static const char *scan_quoted(const struct kiln_lexer *lexer, const char *p, uint16_t *kind, bool *spliced) {
  char quote = *p++;
  const char *first = p;
  for (;; p++) {
    if (*p == quote) {
      *kind = quote == '"' ? KILN_TOKEN_STRING : KILN_TOKEN_CHAR;
      return p + 1;
    }
    if (*p == '\\') {
      if (after_splice(p) != NULL) {
        *spliced = true;
        return p;
      }
      if (p[1] != '\n' && p + 1 < lexer->end)
        p++;
    } else if (*p == '\n' || p == lexer->end) {
      *kind = KILN_TOKEN_OTHER;
      return guess_end(first, p);
    }
  }
}

// The punctuators of more than one character, by their first; a longer one before what it begins with.
struct punct {
  uint8_t alone; // the token of the first character alone
  struct {
    char rest[4];
    uint8_t kind;
  } longer[5];
};
static const struct punct puncts[128] = {
    ['!'] = {KILN_TOKEN_EXCLAIM, {{"=", KILN_TOKEN_EXCLAIM_EQUAL}}},
    ['#'] = {KILN_TOKEN_HASH, {{"#", KILN_TOKEN_HASH_HASH}}},
    ['%'] = {KILN_TOKEN_PERCENT,
             {{"=", KILN_TOKEN_PERCENT_EQUAL},
              {">", KILN_TOKEN_RBRACE},
              {":%:", KILN_TOKEN_HASH_HASH},
              {":", KILN_TOKEN_HASH}}},
    ['&'] = {KILN_TOKEN_AMP, {{"&", KILN_TOKEN_AMP_AMP}, {"=", KILN_TOKEN_AMP_EQUAL}}},
    ['*'] = {KILN_TOKEN_STAR, {{"=", KILN_TOKEN_STAR_EQUAL}}},
    ['+'] = {KILN_TOKEN_PLUS, {{"+", KILN_TOKEN_PLUS_PLUS}, {"=", KILN_TOKEN_PLUS_EQUAL}}},
    ['-'] = {KILN_TOKEN_MINUS, {{"-", KILN_TOKEN_MINUS_MINUS}, {"=", KILN_TOKEN_MINUS_EQUAL}, {">", KILN_TOKEN_ARROW}}},
    [':'] = {KILN_TOKEN_COLON, {{">", KILN_TOKEN_RBRACKET}}},
    ['<'] = {KILN_TOKEN_LESS,
             {{"<=", KILN_TOKEN_LESS_LESS_EQUAL},
              {"<", KILN_TOKEN_LESS_LESS},
              {"=", KILN_TOKEN_LESS_EQUAL},
              {":", KILN_TOKEN_LBRACKET},
              {"%", KILN_TOKEN_LBRACE}}},
    ['='] = {KILN_TOKEN_EQUAL, {{"=", KILN_TOKEN_EQUAL_EQUAL}}},
    ['>'] = {KILN_TOKEN_GREATER,
             {{">=", KILN_TOKEN_GREATER_GREATER_EQUAL},
              {">", KILN_TOKEN_GREATER_GREATER},
              {"=", KILN_TOKEN_GREATER_EQUAL}}},
    ['^'] = {KILN_TOKEN_CARET, {{"=", KILN_TOKEN_CARET_EQUAL}}},
    ['|'] = {KILN_TOKEN_PIPE, {{"|", KILN_TOKEN_PIPE_PIPE}, {"=", KILN_TOKEN_PIPE_EQUAL}}},
};

static const char *scan_operator(const char *p, uint16_t *kind) {
  const struct punct *punct = &puncts[*p & 127];
  p++;
  for (unsigned i = 0; i < 5 && punct->longer[i].kind; i++) {
    const char *rest = punct->longer[i].rest;
    if (p[0] == rest[0] && (!rest[1] || (p[1] == rest[1] && (!rest[2] || p[2] == rest[2])))) {
      *kind = punct->longer[i].kind;
      return p + strlen(rest);
    }
  }
  *kind = punct->alone;
  return p;
}

// Copies at most limit characters of the logical line that begins at p, without splices. *whole: up to its end.
static size_t copy_unspliced(const struct kiln_lexer *lexer, const char *p, char *out, size_t limit, bool *whole) {
  size_t size = 0;
  *whole = false;
  while (size < limit) {
    const char *next;
    if (p == lexer->end || *p == '\n') {
      *whole = true;
      break;
    }
    if (*p == '\\' && (next = after_splice(p)) != NULL)
      p = next;
    else
      out[size++] = *p++;
  }
  out[size] = 0;
  return size;
}

// After the first count characters that are not of a splice.
static const char *after_logical(const char *p, size_t count) {
  while (count > 0) {
    const char *next;
    if (*p == '\\' && (next = after_splice(p)) != NULL)
      p = next;
    else
      p++, count--;
  }
  return p;
}

// Lexes the token at start, which has a splice in it or after it, from a copy. False: it is a comment, which was
// skipped.
static bool lex_spliced(struct kiln_lexer *lexer, const char *start, struct kiln_token *out) {
  struct kiln_arena *arena = lexer->env->arena;
  for (size_t limit = 48;; limit *= 8) {
    char *copy = kiln_arena_alloc(arena, limit + 1, 1);
    bool whole;
    size_t size = copy_unspliced(lexer, start, copy, limit, &whole);
    if (copy[0] == '/' && (copy[1] == '/' || copy[1] == '*')) {
      const char *body = after_logical(start, 2);
      lexer->cursor = copy[1] == '/' ? skip_line_comment(lexer, body) : skip_block_comment(lexer, start, body);
      return false;
    }
    struct kiln_lexer sub = {.env = lexer->env, .text = copy, .cursor = copy, .end = copy + size, .quiet = true};
    kiln_lex(&sub, out);
    size_t used = (size_t)(sub.cursor - copy);
    if (whole || used + 4 < size) { // no punctuator is longer than 4
      lexer->cursor = after_logical(start, used);
      return true;
    }
  }
}

static const char *scan_other(const char *p) {
  unsigned char c = (unsigned char)*p++;
  if (c == '\\')
    return p;
  while (kiln_lex_class_of(p) == KILN_CLASS_OTHER)
    p++;
  return p;
}

struct scanned {
  uint16_t kind;
  bool spliced;           // a line splice is inside or after: the token is to be lexed from a copy
  struct kiln_name *name; // of an identifier
};

// To the next token: after space, comments, line splices and, but in a directive, newlines.
static inline const char *skip_to_token(struct kiln_lexer *lexer, const char *p, bool *line_start, bool *space) {
  for (;;) {
    enum kiln_char_class class = kiln_lex_class_of(p);
    const char *next;
    if (class < KILN_CLASS_BACKSLASH || class > KILN_CLASS_SLASH) {
      return p;
    } else if (class == KILN_CLASS_SPACE) {
      do
        p++;
      while (kiln_lex_class_of(p) == KILN_CLASS_SPACE);
    } else if (class == KILN_CLASS_NEWLINE && !lexer->in_directive) {
      p++;
      *line_start = true;
    } else if (class == KILN_CLASS_NUL && p != lexer->end) {
      p++;
    } else if (class == KILN_CLASS_SLASH && p[1] == '/') {
      p = skip_line_comment(lexer, p + 2);
    } else if (class == KILN_CLASS_SLASH && p[1] == '*') {
      p = skip_block_comment(lexer, p, p + 2);
    } else if (class == KILN_CLASS_BACKSLASH && (next = after_splice(p)) != NULL) {
      p = next;
      continue; // which is no space
    } else {
      return p;
    }
    *space = true;
  }
}

// After a character beyond ASCII that may be in a name, or begin one: in UTF-8 or as a universal character name. NULL:
// there is none at p.
static const char *scan_wide(const struct kiln_lexer *lexer, const char *p, bool begins, uint32_t *code) {
  const char *next = p;
  if (*p == '\\' && (p[1] == 'u' || p[1] == 'U')) {
    next += 2;
    if (!kiln_universal_name(&next, lexer->end, p[1] == 'u' ? 4 : 8, code))
      return NULL;
  } else {
    next += kiln_utf8_get(p, lexer->end, code);
  }
  return next != p && kiln_is_in_names(*code, begins) ? next : NULL;
}

// A name that has such characters. It is the same name however it is written: in UTF-8.
static const char *scan_wide_name(const struct kiln_lexer *lexer, const char *start, struct scanned *out) {
  const char *p = start, *next = start;
  uint32_t code;
  for (; next != NULL; next = kiln_lex_is_name_char(p) ? p + 1 : scan_wide(lexer, p, p == start, &code))
    p = next;
  out->kind = KILN_TOKEN_IDENTIFIER;
  out->spliced = *p == '\\' && after_splice(p) != NULL;
  if (out->spliced)
    return p;
  char *text = kiln_arena_alloc(lexer->env->arena, (size_t)(p - start) + 1, 1); // which is at least as long
  size_t size = 0;
  for (const char *q = start; q != p; q = next) {
    next = q + 1;
    if (kiln_lex_is_name_char(q)) {
      text[size++] = *q;
    } else {
      next = scan_wide(lexer, q, q == start, &code);
      size += kiln_utf8_put(code, text + size);
    }
  }
  out->name = kiln_lex_name(lexer->env, text, size);
  return p;
}

static inline const char *scan_name(const struct kiln_lexer *lexer, const char *p, struct scanned *out) {
  const char *start = p;
  uint32_t hash = 0;
  do
    hash = hash * 31 + (unsigned char)*p++;
  while (kiln_lex_is_name_char(p));
  uint32_t code;
  if ((*p == '\\' || (unsigned char)*p >= 0x80) && scan_wide(lexer, p, false, &code) != NULL)
    return scan_wide_name(lexer, start, out);
  out->kind = KILN_TOKEN_IDENTIFIER;
  out->spliced = *p == '\\' && after_splice(p) != NULL;
  if (!out->spliced)
    out->name = name_of(lexer->env, start, (size_t)(p - start), hash);
  return p;
}

static const char *scan_dot(const char *p, struct scanned *out) {
  if (kiln_lex_class_of(p + 1) == KILN_CLASS_DIGIT) {
    out->kind = KILN_TOKEN_NUMBER;
    return kiln_lex_scan_number(p);
  }
  out->kind = KILN_TOKEN_DOT;
  if (p[1] == '.' && p[2] == '.') {
    out->kind = KILN_TOKEN_ELLIPSIS;
    return p + 3;
  }
  out->spliced = p[1] == '.' && p[2] == '\\' && after_splice(p + 2) != NULL;
  return p + 1;
}

// After the token at p.
static inline const char *scan_token(const struct kiln_lexer *lexer, const char *p, struct scanned *out) {
  switch (kiln_lex_class_of(p)) {
  case KILN_CLASS_NAME:
    return scan_name(lexer, p, out);
  case KILN_CLASS_DIGIT:
    out->kind = KILN_TOKEN_NUMBER;
    return kiln_lex_scan_number(p);
  case KILN_CLASS_DOT:
    return scan_dot(p, out);
  case KILN_CLASS_QUOTE:
    return scan_quoted(lexer, p, &out->kind, &out->spliced);
  case KILN_CLASS_SLASH:
    out->kind = p[1] == '=' ? KILN_TOKEN_SLASH_EQUAL : KILN_TOKEN_SLASH;
    return p + (out->kind == KILN_TOKEN_SLASH ? 1 : 2);
  case KILN_CLASS_SINGLE:
    out->kind = kiln_lex_singles[(unsigned char)*p];
    return p + 1;
  case KILN_CLASS_PUNCT:
    return scan_operator(p, &out->kind);
  case KILN_CLASS_NUL:
    out->kind = lexer->in_directive ? (uint16_t)KILN_LEX_LINE_END : (uint16_t)KILN_TOKEN_END;
    return p;
  case KILN_CLASS_NEWLINE:
    out->kind = KILN_LEX_LINE_END;
    return p;
  case KILN_CLASS_OTHER:
  case KILN_CLASS_BACKSLASH:
  case KILN_CLASS_SPACE:
    break;
  }
  uint32_t code;
  if (scan_wide(lexer, p, true, &code) != NULL)
    return scan_wide_name(lexer, p, out);
  out->kind = KILN_TOKEN_OTHER;
  return scan_other(p);
}

// Any token.
static void lex_slowly(struct kiln_lexer *lexer, struct kiln_token *out) {
  bool line_start = lexer->at_line_start, space = false;
  const char *p = lexer->cursor;
  for (;;) {
    struct scanned token = {0};
    const char *start = skip_to_token(lexer, p, &line_start, &space);
    p = scan_token(lexer, start, &token);
    kiln_location location = lexer->first + (kiln_location)(start - lexer->text);
    if (*p == '\\' && token.kind != KILN_TOKEN_OTHER && token.name == NULL)
      token.spliced |= after_splice(p) != NULL;
    if (!token.spliced) {
      *out = (struct kiln_token){
          .kind = token.kind, .location = location, .data = start, .size = (uint32_t)(p - start), .name = token.name};
      lexer->cursor = p;
      break;
    }
    if (lex_spliced(lexer, start, out)) {
      out->location = location;
      break;
    }
    p = lexer->cursor; // it was a comment
    space = true;
  }
  out->at_line_start = line_start;
  out->after_space = space;
  lexer->at_line_start = false;
}

void kiln_lex(struct kiln_lexer *lexer, struct kiln_token *out) {
  const char *start = lexer->cursor, *p = start;
  if (*p != '\n' || lexer->in_directive) {
    if (!kiln_lex_fast(lexer, out))
      lex_slowly(lexer, out);
    return;
  }
  do // a new line, as most tokens that are not read that way are on
    p++;
  while (*p == ' ' || *p == '\n');
  bool line_start = lexer->at_line_start;
  lexer->cursor = p;
  lexer->at_line_start = true;
  if (kiln_lex_fast(lexer, out)) {
    out->after_space = true;
    return;
  }
  lexer->cursor = start;
  lexer->at_line_start = line_start;
  lex_slowly(lexer, out);
}

bool kiln_lex_peek_lparen(const struct kiln_lexer *lexer) {
  if (*lexer->cursor == '(')
    return true;
  struct kiln_lexer copy = *lexer;
  copy.quiet = true;
  struct kiln_token token;
  kiln_lex(&copy, &token);
  return token.kind == KILN_TOKEN_LPAREN;
}

// ---- lines ----------------------------------------------------------------------------------------------------------

// After space, comments and splices, but not newlines.
static const char *skip_blank(struct kiln_lexer *lexer, const char *p) {
  for (;;) {
    const char *next;
    if (kiln_lex_class_of(p) == KILN_CLASS_SPACE)
      p++;
    else if (*p == '\\' && (next = after_splice(p)) != NULL)
      p = next;
    else if (p[0] == '/' && p[1] == '*')
      p = skip_block_comment(lexer, p, p + 2);
    else if (p[0] == '/' && p[1] == '/')
      return skip_line_comment(lexer, p + 2);
    else
      return p;
  }
}

bool kiln_lex_header_name(struct kiln_lexer *lexer, struct kiln_token *out, bool *angled) {
  const char *p = skip_blank(lexer, lexer->cursor), *start = p;
  if (*p != '<' && *p != '"')
    return false;
  char close = *p == '<' ? '>' : '"';
  do
    p++;
  while (*p != close && *p != '\n' && p != lexer->end);
  if (*p != close)
    return false;
  *angled = close == '>';
  *out = (struct kiln_token){.kind = KILN_TOKEN_STRING,
                             .location = lexer->first + (kiln_location)(start - lexer->text),
                             .data = start + 1,
                             .size = (uint32_t)(p - start - 1)};
  lexer->cursor = p + 1;
  return true;
}

struct kiln_str kiln_lex_rest_of_line(struct kiln_lexer *lexer) {
  const char *p = lexer->cursor, *stop;
  const char *splice;
  for (stop = p;; stop++) {
    stop = memchr(stop, '\n', (size_t)(lexer->end - stop));
    if (stop == NULL) {
      stop = lexer->end;
      break;
    }
    if (!ends_splice(p, stop + 1, &splice))
      break;
  }
  char *copy = kiln_arena_alloc(lexer->env->arena, (size_t)(stop - p) + 1, 1);
  bool whole;
  size_t size = copy_unspliced(lexer, p, copy, (size_t)(stop - p), &whole);
  while (size > 0 && kiln_lex_class_of(copy + size - 1) == KILN_CLASS_SPACE)
    size--;
  while (size > 0 && kiln_lex_class_of(copy) == KILN_CLASS_SPACE)
    copy++, size--;
  copy[size] = 0;
  lexer->cursor = stop;
  return (struct kiln_str){copy, size};
}

// After the rest of a line: at its newline or at the end.
static const char *skip_line(struct kiln_lexer *lexer, const char *p) {
  static const bool ordinary[KILN_CLASS_PUNCT + 1] = {
      [KILN_CLASS_OTHER] = true, [KILN_CLASS_SPACE] = true,  [KILN_CLASS_NAME] = true,  [KILN_CLASS_DIGIT] = true,
      [KILN_CLASS_DOT] = true,   [KILN_CLASS_SINGLE] = true, [KILN_CLASS_PUNCT] = true,
  };
  for (;;) {
    const char *next;
    switch (kiln_lex_class_of(p)) {
    case KILN_CLASS_NEWLINE:
      return p;
    case KILN_CLASS_NUL:
      if (p == lexer->end)
        return p;
      p++;
      continue;
    case KILN_CLASS_BACKSLASH:
      next = after_splice(p);
      p = next != NULL ? next : p + 1;
      continue;
    case KILN_CLASS_SLASH:
      if (p[1] == '/')
        return skip_line_comment(lexer, p + 2);
      if (p[1] == '*')
        p = skip_block_comment(lexer, p, p + 2);
      else
        p++;
      continue;
    case KILN_CLASS_QUOTE:
      next = p++;
      while (*p != *next && *p != '\n' && p != lexer->end) {
        const char *after = *p == '\\' ? after_splice(p) : NULL;
        if (after != NULL)
          p = after;
        else
          p += *p == '\\' && p[1] != '\n' && p + 1 < lexer->end ? 2 : 1;
      }
      if (*p == *next)
        p++;
      continue;
    case KILN_CLASS_OTHER:
    case KILN_CLASS_SPACE:
    case KILN_CLASS_NAME:
    case KILN_CLASS_DIGIT:
    case KILN_CLASS_DOT:
    case KILN_CLASS_SINGLE:
    case KILN_CLASS_PUNCT:
      do
        p++;
      while (ordinary[kiln_lex_class_of(p)]);
      continue;
    }
  }
}

bool kiln_lex_skip_to_directive(struct kiln_lexer *lexer) {
  const char *p = lexer->cursor;
  if (!lexer->at_line_start)
    p = skip_line(lexer, p);
  for (;;) {
    while (kiln_lex_class_of(p) == KILN_CLASS_NEWLINE || kiln_lex_class_of(p) == KILN_CLASS_SPACE)
      p++;
    p = skip_blank(lexer, p);
    if (*p == '#' || (p[0] == '%' && p[1] == ':'))
      break;
    if (p == lexer->end)
      break;
    p = skip_line(lexer, p);
  }
  lexer->cursor = p;
  lexer->at_line_start = true;
  return p != lexer->end;
}
