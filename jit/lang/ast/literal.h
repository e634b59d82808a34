// Values of number, character and string literals.
#ifndef KILN_JIT_LANG_LITERAL_H
#define KILN_JIT_LANG_LITERAL_H

#include "base/arena.h"
#include "base/diag.h"
#include "jit/lang/ast/ctype.h"
#include "jit/lang/lex/token.h"
#include "jit/lang/lex/warnings.h"

struct kiln_literal_env {
  struct kiln_arena *arena; // for the text of strings
  struct kiln_diags *diags;
  bool single_precision_constants; // a floating literal without suffix is a float
};

struct kiln_number {
  enum kiln_ctype_kind type; // INT, UINT, LONG, ULONG, or HALF, FLOAT, DOUBLE
  uint64_t value;            // integers
  double number;             // floating literals, rounded once to the type
};

static inline bool kiln_number_is_float(const struct kiln_number *number) {
  return number->type >= KILN_CT_HALF && number->type <= KILN_CT_DOUBLE;
}

// What most numbers are: a few decimal digits, or hexadecimal ones, perhaps with a "u", of 32 bits. False: it is
// something else.
bool kiln_literal_small(const struct kiln_token *token, struct kiln_number *out);
// token is a KILN_TOKEN_NUMBER. On an error reports it, sets *out to the int 0 and returns false. Whether the target
// has double or half is for the caller to check.
bool kiln_literal_number(const struct kiln_literal_env *env, const struct kiln_token *token, struct kiln_number *out);

// The value of a number in a condition of #if, where integers have 64 bits. On an error reports it and returns false.
bool kiln_literal_condition(const struct kiln_literal_env *env, const struct kiln_token *token, uint64_t *value,
                            bool *is_unsigned);

// token is a KILN_TOKEN_CHAR; its type is int. On an error reports it, sets *out to 0 and returns false.
bool kiln_literal_char(const struct kiln_literal_env *env, const struct kiln_token *token, int32_t *out);

// Adjacent KILN_TOKEN_STRINGs as one string, without the final NUL (which is after it all the same); in the arena.
// On an error reports it and returns false; *text is then what could be read.
bool kiln_literal_string(const struct kiln_literal_env *env, const struct kiln_token *tokens, uint32_t count,
                         const char **text, uint32_t *size);

// A double rounded to the nearest half, ties to even; as a double.
double kiln_round_to_half(double number);

#endif
