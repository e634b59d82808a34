// Expressions as text. Operators are put between texts here alone: each text carries how strongly the operator on its
// outside binds, and gets parentheses where it would be taken apart otherwise.
#include "backends/opencl/print/print.h"

// How strongly an operator binds, from the weakest to the strongest; BOTH is &&, EITHER is ||.
enum binding {
  BINDS_ASSIGN,
  BINDS_CHOICE,
  BINDS_EITHER,
  BINDS_BOTH,
  BINDS_OR,
  BINDS_XOR,
  BINDS_AND,
  BINDS_EQUAL,
  BINDS_COMPARE,
  BINDS_SHIFT,
  BINDS_ADD,
  BINDS_MUL,
  BINDS_UNARY,
  BINDS_PRIMARY,
};

static const struct operator_row {
  const char *text;
  enum binding binds, left, right;
  bool chains;
} operators[] = {
#define CL_INFIX(text, binds, left, right) {text, BINDS_##binds, BINDS_##left, BINDS_##right, false},
#define CL_CHAIN(text, binds, left, right) {text, BINDS_##binds, BINDS_##left, BINDS_##right, true},
#include "backends/opencl/print/operators.def"
};

static struct cl_text text_of(const char *s, enum binding binds, enum cl_sign sign) {
  return (struct cl_text){s, (uint8_t)binds, (uint8_t)sign};
}

// In parentheses unless the text binds at least as strongly.
static const char *wrap(struct cl_printer *p, struct cl_text text, enum binding least) {
  return text.binds >= least ? text.s : kiln_cl_format(p, "(%s)", text.s);
}

struct cl_text kiln_cl_primary(const char *s, enum cl_sign sign) {
  return text_of(s, BINDS_PRIMARY, sign);
}

struct cl_text kiln_cl_call(struct cl_printer *p, const char *function, const char *list, enum cl_sign sign) {
  return kiln_cl_primary(kiln_cl_format(p, "%s(%s)", function, list), sign);
}

struct cl_text kiln_cl_member(struct cl_printer *p, struct cl_text x, const char *member, enum cl_sign sign) {
  return kiln_cl_primary(kiln_cl_format(p, "%s.%s", wrap(p, x, BINDS_PRIMARY), member), sign);
}

struct cl_text kiln_cl_element(struct cl_printer *p, struct cl_text x, struct cl_text index, enum cl_sign sign) {
  return kiln_cl_primary(kiln_cl_format(p, "%s[%s]", wrap(p, x, BINDS_PRIMARY), index.s), sign);
}

struct cl_text kiln_cl_prefix(struct cl_printer *p, const char *op, struct cl_text x, enum cl_sign sign) {
  bool joins = x.s[0] == op[0] && strchr("+-&", op[0]); // -(-x), for --x is something else
  return text_of(kiln_cl_format(p, "%s%s", op, wrap(p, x, joins ? BINDS_PRIMARY : BINDS_UNARY)), BINDS_UNARY, sign);
}

struct cl_text kiln_cl_cast(struct cl_printer *p, const char *type, struct cl_text x, enum cl_sign sign) {
  return text_of(kiln_cl_format(p, "(%s)%s", type, wrap(p, x, BINDS_UNARY)), BINDS_UNARY, sign);
}

struct cl_text kiln_cl_vector(struct cl_printer *p, const char *type, const char *list, enum cl_sign sign) {
  return text_of(kiln_cl_format(p, "(%s)(%s)", type, list), BINDS_UNARY, sign);
}

struct cl_text kiln_cl_infix(struct cl_printer *p, struct cl_text x, const char *op, struct cl_text y,
                             enum cl_sign sign) {
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
    const struct operator_row *row = &operators[i];
    if (strcmp(row->text, op))
      continue;
    enum binding left = row->chains && x.binds == row->binds ? row->binds : row->left;
    const char *a = wrap(p, x, left), *b = wrap(p, y, row->right);
    return text_of(kiln_cl_format(p, "%s %s %s", a, op, b), row->binds, sign);
  }
  return kiln_cl_fail(p, KILN_ERR_INTERNAL, "the OpenCL printer has no operator '%s'", op);
}

struct cl_text kiln_cl_choice(struct cl_printer *p, struct cl_text condition, struct cl_text x, struct cl_text y,
                              enum cl_sign sign) {
  const char *c = wrap(p, condition, BINDS_EITHER), *a = wrap(p, x, BINDS_EITHER), *b = wrap(p, y, BINDS_CHOICE);
  return text_of(kiln_cl_format(p, "%s ? %s : %s", c, a, b), BINDS_CHOICE, sign);
}
