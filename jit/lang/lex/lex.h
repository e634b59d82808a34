// The lexer: characters to preprocessing tokens. Line splices and comments vanish here. It reports nothing but an
// unterminated comment: what else is wrong with a token shows only if the token is used.
#ifndef KILN_JIT_LANG_LEX_H
#define KILN_JIT_LANG_LEX_H

#include "jit/lang/lex/token.h"

// Kinds that never leave the preprocessor.
enum kiln_lex_kind {
  KILN_LEX_LINE_END = KILN_TOKEN_KIND_COUNT, // end of a directive, or of a macro argument
  KILN_LEX_PRAGMA_OPERATOR,                  // _Pragma
};

enum { KILN_LEX_CACHE_SIZE = 1024 };

// What the lexers of one preprocessor share.
struct kiln_lex_env {
  struct kiln_arena *arena;
  struct kiln_names *names;
  struct kiln_diags *diags;
  struct kiln_name *cache[KILN_LEX_CACHE_SIZE]; // names seen last, by hash
};

struct kiln_lexer {
  struct kiln_lex_env *env;
  const char *text, *cursor, *end; // *end is NUL
  kiln_location first;             // of text
  bool at_line_start;
  bool in_directive; // a newline is a KILN_LEX_LINE_END, which stays until the directive is over
  bool quiet;        // reports nothing
};

void kiln_lexer_init(struct kiln_lexer *lexer, struct kiln_lex_env *env, const char *text, size_t size,
                     kiln_location first);
// KILN_TOKEN_END (in a directive KILN_LEX_LINE_END) at the end, again and again. An unterminated string or character
// constant is one KILN_TOKEN_OTHER up to the end of the line, as is a run of characters of no token.
void kiln_lex(struct kiln_lexer *lexer, struct kiln_token *out);
// Whether the next token is "(", which is not consumed.
bool kiln_lex_peek_lparen(const struct kiln_lexer *lexer);
// Reads <name> or "name" when one comes next on this line; data is what stands between the delimiters.
bool kiln_lex_header_name(struct kiln_lexer *lexer, struct kiln_token *out, bool *angled);
// The rest of the line as written, without splices and space around it; in the arena.
struct kiln_str kiln_lex_rest_of_line(struct kiln_lexer *lexer);
// Skips lines up to the next that begins with "#", which is not consumed. False: there is none.
bool kiln_lex_skip_to_directive(struct kiln_lexer *lexer);
struct kiln_name *kiln_lex_name(struct kiln_lex_env *env, const char *text, size_t size);

static inline kiln_location kiln_lexer_location(const struct kiln_lexer *lexer) {
  return lexer->first + (kiln_location)(lexer->cursor - lexer->text);
}
// The location after a token; 0 when it is not known.
static inline kiln_location kiln_token_end(const struct kiln_token *token) {
  return token->location == 0 || (token->location & KILN_LOCATION_MACRO) != 0 ? 0 : token->location + token->size;
}
static inline bool kiln_token_is(const struct kiln_token *token, const char *text) {
  size_t size = strlen(text);
  return token->size == size && memcmp(token->data, text, size) == 0;
}

// ---- unicode.c: characters beyond ASCII: UTF-8, and universal character names (C99 6.4.3)

// Bytes of the UTF-8 character at p, at most end - p; 0 when it is none.
unsigned kiln_utf8_get(const char *p, const char *end, uint32_t *code);
// Writes the UTF-8 form of a code; returns its bytes.
unsigned kiln_utf8_put(uint32_t code, char out[4]);

// The digits of a universal character name, p after its \u (4 digits) or \U (8). False: there are fewer, *p is after
// those that are there.
bool kiln_universal_name(const char **p, const char *end, unsigned digits, uint32_t *code);
// Whether a universal character name may stand for it: no character of the basic set, no surrogate.
bool kiln_is_universal(uint32_t code);

// Whether a character beyond ASCII may be in an identifier, or begin one (the ranges of C11, annex D).
bool kiln_is_in_names(uint32_t code, bool begins);

#endif
