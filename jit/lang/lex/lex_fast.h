// The short way of the lexer, inlined where most tokens are read.
#ifndef KILN_JIT_LANG_LEX_FAST_H
#define KILN_JIT_LANG_LEX_FAST_H

#include "jit/lang/lex/lex.h"

enum kiln_char_class {
  KILN_CLASS_OTHER,     // such as what is beyond ASCII: it and a splice may go on with a token
  KILN_CLASS_BACKSLASH, // from here to KILN_CLASS_SLASH: may begin what is no token
  KILN_CLASS_NUL,
  KILN_CLASS_SPACE,
  KILN_CLASS_NEWLINE,
  KILN_CLASS_SLASH,
  KILN_CLASS_NAME,
  KILN_CLASS_DIGIT,
  KILN_CLASS_QUOTE,
  KILN_CLASS_DOT,
  KILN_CLASS_SINGLE, // punctuators that never begin a longer one
  KILN_CLASS_PUNCT,
};

extern const uint8_t kiln_lex_classes[256];
extern const uint8_t kiln_lex_singles[128]; // kinds

static inline enum kiln_char_class kiln_lex_class_of(const char *p) {
  return (enum kiln_char_class)kiln_lex_classes[(unsigned char)*p];
}
static inline bool kiln_lex_is_name_char(const char *p) {
  enum kiln_char_class c = kiln_lex_class_of(p);
  return c == KILN_CLASS_NAME || c == KILN_CLASS_DIGIT;
}

// After a preprocessing number: 0: what cannot belong to it, 1: what may, 2: the same, and a sign after it may, too.
extern const uint8_t kiln_lex_in_number[256];
static inline const char *kiln_lex_scan_number(const char *p) {
  for (;;) {
    while (kiln_lex_in_number[(unsigned char)*p] == 1)
      p++;
    if (kiln_lex_in_number[(unsigned char)*p] == 0)
      return p;
    p += p[1] == '+' || p[1] == '-' ? 2 : 1;
  }
}

static inline struct kiln_name **kiln_lex_slot_of(struct kiln_lex_env *env, uint32_t hash) {
  return &env->cache[(hash ^ hash >> 10) % KILN_LEX_CACHE_SIZE];
}

static inline bool kiln_lex_is_name(const struct kiln_name *name, const char *text, size_t size) {
  if (name == NULL || name->size != size)
    return false;
  for (; size > 0; size--) // most names are too short to call memcmp for
    if (name->text[size - 1] != text[size - 1])
      return false;
  return true;
}

// Reads what most tokens are: a name that was seen before, a number or a punctuator of one character, after one space
// or none, and neither a splice nor a character beyond ASCII after it. False: it is another, and nothing was read.
static inline __attribute__((always_inline)) bool kiln_lex_fast(struct kiln_lexer *lexer, struct kiln_token *out) {
  const char *start = lexer->cursor;
  bool space = *start == ' ';
  start += space;
  const char *p = start;
  uint32_t kind;
  struct kiln_name *name = NULL;
  enum kiln_char_class class = kiln_lex_class_of(p);
  if (class == KILN_CLASS_SINGLE) {
    kind = kiln_lex_singles[(unsigned char)*p++];
  } else if (class == KILN_CLASS_NAME) {
    uint32_t hash = 0;
    do
      hash = hash * 31 + (unsigned char)*p++;
    while (kiln_lex_is_name_char(p));
    name = *kiln_lex_slot_of(lexer->env, hash);
    if (!kiln_lex_is_name(name, start, (size_t)(p - start)))
      return false;
    kind = KILN_TOKEN_IDENTIFIER;
  } else if (class == KILN_CLASS_DIGIT) {
    p = kiln_lex_scan_number(p);
    kind = KILN_TOKEN_NUMBER;
  } else {
    return false;
  }
  if (kiln_lex_class_of(p) <= KILN_CLASS_BACKSLASH)
    return false;
  *out = (struct kiln_token){.kind = (uint16_t)kind,
                             .at_line_start = lexer->at_line_start,
                             .after_space = space,
                             .location = lexer->first + (kiln_location)(start - lexer->text),
                             .data = start,
                             .size = (uint32_t)(p - start),
                             .name = name};
  lexer->cursor = p;
  lexer->at_line_start = false;
  return true;
}

#endif
