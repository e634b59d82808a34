// What is tuned of a kernel: its parameters, what is allowed of their values, and the sizes of its launches. Read from
// the text that the front end makes of "#pragma kernel" directives and that the artifact keeps, one line each:
//
//   param RM 4 1 2 8 16        a macro and its values, the default first
//   option lanes 0 16 32       --kiln-lanes=V; 0: the option is not given
//   arg N 1 4 s                an integer argument that expressions name: index, bytes, signed or unsigned
//   set TILE RN*LX             a name for an expression
//   restriction N%TILE==0      what must not be 0
//   problem_size N             one line per dimension; likewise block_size, grid_divisor and tuning_key
//
// Expressions are those of #if, in 64 bits. Numbers are decimal, "u" after an unsigned one.
#ifndef KILN_JIT_LANG_AST_TUNING_H
#define KILN_JIT_LANG_AST_TUNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  KILN_TUNING_MAX_PARAMS = 16,
  KILN_TUNING_MAX_KEYS = 16,
  KILN_TUNING_MAX_NAMES = 64,       // args; sets
  KILN_TUNING_MAX_EXPRS = 128,      // of all kinds
  KILN_TUNING_MAX_VALUES = 1 << 16, // of one parameter
  KILN_TUNING_MAX_POINTS = 1000000000,
};

enum kiln_tuning_kind {
  KILN_TUNING_SET,
  KILN_TUNING_RESTRICTION,
  KILN_TUNING_PROBLEM_SIZE,
  KILN_TUNING_BLOCK_SIZE,
  KILN_TUNING_GRID_DIVISOR,
  KILN_TUNING_KEY,
  KILN_TUNING_KINDS
};

struct kiln_tuning_expr {
  const char *text;
  enum kiln_tuning_kind kind;
  uint32_t root;   // node
  uint32_t params; // that it depends on, a bit each
  bool uses_args;
};

struct kiln_tuning_param {
  const char *name;
  bool is_option;
  const int64_t *values; // the default first
  uint32_t count;
};

struct kiln_tuning_arg {
  const char *name;
  uint32_t index, bytes;
  bool is_signed;
};

struct kiln_tuning {
  struct kiln_tuning_param params[KILN_TUNING_MAX_PARAMS];
  uint32_t param_count;
  struct kiln_tuning_arg args[KILN_TUNING_MAX_NAMES];
  uint32_t arg_count;
  struct kiln_tuning_expr exprs[KILN_TUNING_MAX_EXPRS];
  uint32_t expr_count;
  const char *set_names[KILN_TUNING_MAX_NAMES];
  uint32_t sets[KILN_TUNING_MAX_NAMES]; // their expressions
  uint32_t set_count;
  uint32_t counts[KILN_TUNING_KINDS];                      // expressions of each kind
  uint32_t first[KILN_TUNING_KINDS][KILN_TUNING_MAX_KEYS]; // of each kind but SET and RESTRICTION, in order
  uint64_t points;                                         // of all values, whether allowed or not
  struct kiln_tuning_node *nodes;
  uint32_t node_count, node_capacity;
  void *storage; // what names, values and texts point into
};

// NULL, or what is wrong with the text, in a few words (static lifetime). Any text is safe.
const char *kiln_tuning_read(const char *text, struct kiln_tuning *out);
void kiln_tuning_free(struct kiln_tuning *tuning);

// An expression of constants alone. NULL, or what is wrong with it.
const char *kiln_tuning_constant(const char *text, int64_t *out);
// Whether text is an expression in the names, of which count there are. NULL, or what is wrong with it.
const char *kiln_tuning_check_syntax(const char *text);

// The value of an expression at a point; params: values by parameter; args: by argument of tuning->args, NULL where
// the expression uses none. False: a division by zero.
bool kiln_tuning_value(const struct kiln_tuning *tuning, uint32_t expr, const int64_t *params, const int64_t *args,
                       int64_t *out);
// Whether all restrictions hold. *bad: the expression that divides by zero, if one does (then they do not hold), else
// UINT32_MAX.
bool kiln_tuning_allows(const struct kiln_tuning *tuning, const int64_t *params, const int64_t *args, uint32_t *bad);

enum kiln_tuning_fault { KILN_TUNING_GOOD, KILN_TUNING_DIVIDES_BY_ZERO, KILN_TUNING_NO_POINT };
// What can be found out before there are arguments. *expr: the expression that is at fault.
enum kiln_tuning_fault kiln_tuning_check(const struct kiln_tuning *tuning, uint32_t *expr);

#endif
