// Tokens of the text form of the IR.
#ifndef KILN_JIT_IR_LEX_H
#define KILN_JIT_IR_LEX_H

#include <setjmp.h>

#include "base/str.h"
#include "jit/ir/text.h"

enum kiln_ir_token_kind {
  KILN_IR_END,
  KILN_IR_WORD,   // identifier or operation
  KILN_IR_NUMBER, // digits and what belongs to a number, sign included
  KILN_IR_STRING, // text: the bytes, without quotes and escapes
  KILN_IR_VALUE,  // %x
  KILN_IR_LABEL,  // ^x
  KILN_IR_GLOBAL, // $x
  KILN_IR_ARROW,  // ->
  KILN_IR_PUNCT,  // one character
};

struct kiln_ir_token {
  enum kiln_ir_token_kind kind;
  uint32_t offset, end;   // in the source
  struct kiln_name *name; // WORD, VALUE, LABEL, GLOBAL (with the sigil)
  const char *text;       // STRING
  size_t size;
  char punct;
  bool at_line_start; // first on its line
};

struct kiln_ir_lexer {
  struct kiln_arena *arena;
  struct kiln_names *names;
  const char *text, *file;
  uint32_t size, cursor;
  struct kiln_ir_token token; // the current one
  jmp_buf *failed;
  struct kiln_strbuf message;
};

void kiln_ir_next(struct kiln_ir_lexer *lexer);
// "file:line:column: error: …" into message, then a jump to failed.
__attribute__((noreturn, format(printf, 3, 4))) void kiln_ir_error(struct kiln_ir_lexer *lexer, uint32_t offset,
                                                                   const char *format, ...);
// An error at the current token: "expected …, not …".
__attribute__((noreturn)) void kiln_ir_expected(struct kiln_ir_lexer *lexer, const char *what);

static inline bool kiln_ir_at_punct(const struct kiln_ir_lexer *lexer, char c) {
  return lexer->token.kind == KILN_IR_PUNCT && lexer->token.punct == c;
}
bool kiln_ir_accept_punct(struct kiln_ir_lexer *lexer, char c);
void kiln_ir_expect_punct(struct kiln_ir_lexer *lexer, char c);
bool kiln_ir_at_word(const struct kiln_ir_lexer *lexer, const char *word);
bool kiln_ir_accept_word(struct kiln_ir_lexer *lexer, const char *word);
void kiln_ir_expect_word(struct kiln_ir_lexer *lexer, const char *word);
// Index of the current word in a list; goes on after it.
unsigned kiln_ir_choose_word(struct kiln_ir_lexer *lexer, const char *const *words, unsigned count, const char *what);
uint64_t kiln_ir_unsigned(struct kiln_ir_lexer *lexer, uint64_t max);
// Between INT64_MIN and UINT64_MAX; *negative tells the sign.
uint64_t kiln_ir_integer(struct kiln_ir_lexer *lexer, bool *negative);
int64_t kiln_ir_signed(struct kiln_ir_lexer *lexer);
uint64_t kiln_ir_float(struct kiln_ir_lexer *lexer, enum kiln_kind kind);

#endif
