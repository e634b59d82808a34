// Constant expressions: operators on INT and FLOAT nodes are carried out while the tree is built.
#include "jit/lang/sema/sema.h"

#include <math.h>

#include "jit/lang/ast/literal.h"

static const struct kiln_ctype *strip_enum(const struct kiln_ctype *type) {
  return type->kind == KILN_CT_ENUM ? type->base.type : type;
}

uint64_t kiln_fold_wrap(const struct kiln_ctype *type, uint64_t value) {
  type = strip_enum(type);
  if (type->kind == KILN_CT_BOOL)
    return value != 0;
  if (type->kind < KILN_CT_CHAR || type->kind > KILN_CT_UINT)
    return value; // the 64-bit ones
  unsigned unused = 64 - 8 * (unsigned)type->size;
  value <<= unused;
  return kiln_ctype_is_signed(type) ? (uint64_t)((int64_t)value >> unused) : value >> unused;
}

double kiln_fold_round(const struct kiln_ctype *type, double value) {
  if (type->kind == KILN_CT_FLOAT)
    return (double)(float)value;
  if (type->kind == KILN_CT_HALF)
    return kiln_round_to_half(value);
  return value;
}

bool kiln_is_never(const struct kiln_expr *condition, bool value) {
  return condition && condition->kind == KILN_EX_INT && (condition->value != 0) != value;
}

// As the IR's FTOS and FTOU: saturates at 64 bits, NaN gives 0; narrower types then saturate likewise.
static uint64_t float_to_int(const struct kiln_ctype *type, double value) {
  type = strip_enum(type);
  if (type->kind == KILN_CT_BOOL)
    return value != 0;
  if (value != value)
    return 0;
  unsigned bits = (unsigned)type->size * 8;
  if (kiln_ctype_is_signed(type)) {
    double limit = ldexp(1.0, (int)bits - 1);
    if (value >= limit)
      return ((uint64_t)1 << (bits - 1)) - 1;
    if (value < -limit)
      return kiln_fold_wrap(type, (uint64_t)1 << (bits - 1));
    return (uint64_t)(int64_t)value;
  }
  if (value <= 0)
    return 0;
  if (value >= ldexp(1.0, (int)bits))
    return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
  return (uint64_t)value;
}

static double int_to_float(const struct kiln_ctype *from, const struct kiln_ctype *to, uint64_t value) {
  bool is_signed = kiln_ctype_is_signed(from);
  if (to->kind == KILN_CT_FLOAT) // rounded once
    return is_signed ? (double)(float)(int64_t)value : (double)(float)value;
  return kiln_fold_round(to, is_signed ? (double)(int64_t)value : (double)value);
}

struct kiln_expr *kiln_fold_number(struct kiln_sema *S, struct kiln_expr *e, const struct kiln_ctype *type) {
  bool to_float = kiln_ctype_is_float(type);
  struct kiln_expr *out =
      kiln_expr_new(S, to_float ? KILN_EX_FLOAT : KILN_EX_INT, kiln_plain(type), e->location, e->end);
  if (e->kind == KILN_EX_INT && to_float)
    out->number = int_to_float(e->type.type, type, e->value);
  else if (e->kind == KILN_EX_INT)
    out->value = kiln_fold_wrap(type, e->value);
  else if (to_float)
    out->number = kiln_fold_round(type, e->number);
  else
    out->value = float_to_int(type, e->number);
  return out;
}

// The upper half of a float, to the nearest, ties to even, as the IR computes it (lower/bfloat.c).
static uint64_t bfloat_bits(float number) {
  uint32_t bits;
  memcpy(&bits, &number, 4);
  if (number != number)
    return bits >> 16 | 0x40;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

struct kiln_expr *kiln_fold_bfloat(struct kiln_sema *S, struct kiln_expr *e) {
  if (e->type.type->kind == KILN_CT_FLOAT)
    return kiln_expr_int(S, kiln_ctype_scalar(KILN_CT_BFLOAT), bfloat_bits((float)e->number), e->location, e->end);
  uint32_t bits = (uint32_t)e->value << 16;
  float number;
  memcpy(&number, &bits, 4);
  struct kiln_expr *out =
      kiln_expr_new(S, KILN_EX_FLOAT, kiln_plain(kiln_ctype_scalar(KILN_CT_FLOAT)), e->location, e->end);
  out->number = number;
  return out;
}

// ---- operators ------------------------------------------------------------------------------------------------------

// compare: the result is *truth.
static bool fold_float(enum kiln_expr_kind kind, double a, double b, double *out, bool *compare, bool *truth) {
  *compare = kind >= KILN_EX_EQ && kind <= KILN_EX_LOGOR;
  const bool truths[] = {a == b, a != b, (a < b), (a > b), a <= b, a >= b};
  const double values[] = {a + b, a - b, a * b, a / b};
  if (kind >= KILN_EX_EQ && kind <= KILN_EX_GE)
    *truth = truths[kind - KILN_EX_EQ];
  else if (kind >= KILN_EX_ADD && kind <= KILN_EX_DIV)
    *out = values[kind - KILN_EX_ADD];
  else
    return false;
  return true;
}

static bool truth_of(const struct kiln_expr *e) { return e->kind == KILN_EX_INT ? e->value != 0 : e->number != 0; }

// clang says so where it is computed, in the order in which it is.
static void warn_overflow(struct kiln_sema *S, const struct kiln_expr *e) {
  if (!S->in_library && !S->unevaluated)
    kiln_sema_warning(S, KILN_W_INTEGER_OVERFLOW, e->location, 0,
                      "overflow in expression; result is %lld with type '%s'", (long long)e->value,
                      kiln_sema_qtype_text(S, e->type));
}

static bool overflows(enum kiln_expr_kind kind, const struct kiln_ctype *type, uint64_t a, uint64_t b) {
  return kiln_ctype_is_signed(type) && kiln_fold_overflows(kind, (unsigned)type->size * 8, (int64_t)a, (int64_t)b);
}

struct kiln_expr *kiln_fold_binary(struct kiln_sema *S, struct kiln_expr *e) {
  const struct kiln_expr *l = e->left, *r = e->right;
  if (!kiln_is_constant(l) || !kiln_is_constant(r) || e->type.type->kind == KILN_CT_VECTOR)
    return e;
  struct kiln_expr out = *e;
  uint64_t value = 0;
  double number = 0;
  bool compare = false, truth = false, over = false;
  if (e->kind == KILN_EX_LOGAND || e->kind == KILN_EX_LOGOR) {
    bool a = truth_of(l), b = truth_of(r);
    value = e->kind == KILN_EX_LOGAND ? a && b : a || b;
    out.kind = KILN_EX_INT;
  } else if (l->kind == KILN_EX_INT && r->kind == KILN_EX_INT) {
    const struct kiln_ctype *type = l->type.type;
    if (!kiln_fold_int(e->kind, kiln_ctype_is_signed(type), (unsigned)type->size * 8, l->value, r->value, &value))
      return e;
    over = overflows(e->kind, type, l->value, r->value);
    out.kind = KILN_EX_INT;
  } else if (l->kind == KILN_EX_FLOAT && r->kind == KILN_EX_FLOAT) {
    if (!fold_float(e->kind, l->number, r->number, &number, &compare, &truth))
      return e;
    out.kind = compare ? KILN_EX_INT : KILN_EX_FLOAT;
    value = truth;
  } else {
    return e;
  }
  out.left = out.right = NULL;
  *e = out;
  if (e->kind == KILN_EX_INT)
    e->value = kiln_fold_wrap(e->type.type, value);
  else // a NaN has the bits that computing gives it, whatever the processor's are
    e->number = kiln_fold_round(e->type.type, isnan(number) ? (double)NAN : number);
  if (over)
    warn_overflow(S, e);
  return e;
}

struct kiln_expr *kiln_fold_unary(struct kiln_sema *S, struct kiln_expr *e) {
  const struct kiln_expr *l = e->left;
  if (!kiln_is_constant(l) || e->type.type->kind == KILN_CT_VECTOR)
    return e;
  bool is_int = l->kind == KILN_EX_INT;
  uint64_t value = is_int ? l->value : 0;
  double number = is_int ? 0 : l->number;
  bool over = false;
  if (e->kind == KILN_EX_NEG) {
    over = is_int && value && overflows(KILN_EX_SUB, e->type.type, 0, value);
    value = 0 - value;
    number = -number;
  } else if (e->kind == KILN_EX_NOT) {
    value = ~value;
  } else {
    value = !truth_of(l);
    is_int = true;
  }
  e->left = NULL;
  e->kind = is_int ? KILN_EX_INT : KILN_EX_FLOAT;
  if (is_int)
    e->value = kiln_fold_wrap(e->type.type, value);
  else
    e->number = number;
  if (over)
    warn_overflow(S, e);
  return e;
}

// Of a 16-bit float: its bits, and back.
static uint64_t half_bits(double number) {
  uint64_t sign = signbit(number) ? 0x8000 : 0;
  double a = fabs(number);
  if (a != a)
    return sign | 0x7e00;
  if (a >= 65536)
    return sign | 0x7c00;
  if (a < 0x1p-14)
    return sign | (uint64_t)(a * 0x1p24);
  int exponent;
  double fraction = frexp(a, &exponent); // in [0.5, 1)
  return sign | ((uint64_t)(exponent + 14) << 10) | ((uint64_t)(fraction * 2048) & 0x3ff);
}

static double half_number(uint64_t bits) {
  int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 0x3ff);
  double a = exponent == 31 ? fraction ? NAN : INFINITY
             : exponent     ? ldexp(1024 + fraction, exponent - 25)
                            : ldexp(fraction, -24);
  return bits & 0x8000 ? -a : a;
}

struct kiln_expr *kiln_fold_bits(struct kiln_sema *S, struct kiln_expr *e, const struct kiln_ctype *type) {
  const struct kiln_ctype *from = e->type.type;
  if (!kiln_is_constant(e) || !kiln_ctype_is_scalar_number(type))
    return kiln_expr_cast(S, KILN_CAST_BITS, kiln_plain(type), e);
  uint64_t bits = e->kind == KILN_EX_INT ? e->value : 0;
  if (e->kind == KILN_EX_FLOAT && from->kind == KILN_CT_DOUBLE) {
    memcpy(&bits, &e->number, 8);
  } else if (e->kind == KILN_EX_FLOAT && from->kind == KILN_CT_FLOAT) {
    float number = (float)e->number;
    uint32_t low;
    memcpy(&low, &number, 4);
    bits = low;
  } else if (e->kind == KILN_EX_FLOAT) {
    bits = half_bits(e->number);
  }
  if (!kiln_ctype_is_float(type))
    return kiln_expr_int(S, type, bits, e->location, e->end);
  struct kiln_expr *out = kiln_expr_new(S, KILN_EX_FLOAT, kiln_plain(type), e->location, e->end);
  if (type->kind == KILN_CT_DOUBLE) {
    memcpy(&out->number, &bits, 8);
  } else if (type->kind == KILN_CT_FLOAT) {
    uint32_t low = (uint32_t)bits;
    float single;
    memcpy(&single, &low, 4);
    out->number = single;
  } else {
    out->number = half_number(bits & 0xffff);
  }
  return out;
}

// ---- initialisers of program-scope variables ------------------------------------------------------------------------

// Whether the address of the lvalue is known before the program runs.
static bool is_static_lvalue(const struct kiln_expr *e) {
  while (e->kind == KILN_EX_MEMBER)
    e = e->left;
  if (e->kind == KILN_EX_VAR)
    return e->decl->kind == KILN_DECL_VARIABLE && e->type.space != KILN_PRIVATE;
  if (e->kind == KILN_EX_DEREF)
    return kiln_is_static_init(e->left);
  return e->kind == KILN_EX_STRING; // not registers and temporaries
}

static bool all_static(struct kiln_expr *const *args, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (!kiln_is_static_init(args[i]))
      return false;
  return true;
}

bool kiln_is_static_init(const struct kiln_expr *e) {
  for (;; e = e->left) {
    switch (e->kind) {
    case KILN_EX_INT:
    case KILN_EX_FLOAT:
    case KILN_EX_STRING:
    case KILN_EX_ERROR:
      return true;
    case KILN_EX_ADDRESS:
      return is_static_lvalue(e->left);
    case KILN_EX_CAST:
      if (e->cast == KILN_CAST_DECAY)
        return is_static_lvalue(e->left);
      if (e->cast == KILN_CAST_LOAD)
        return e->left->kind == KILN_EX_VAR && e->left->decl->kind == KILN_DECL_VARIABLE &&
               e->left->type.space == KILN_CONSTANT && e->left->decl->init &&
               e->left->decl->init->kind != KILN_EX_ERROR;
      break;
    case KILN_EX_COND:
      if (!kiln_is_static_init(e->cond) || !kiln_is_static_init(e->right))
        return false;
      break;
    case KILN_EX_VECTOR:
      return all_static(e->args, e->arg_count);
    case KILN_EX_INIT_LIST:
      for (uint32_t i = 0; i < e->init_count; i++)
        if (!kiln_is_static_init(e->inits[i].value))
          return false;
      return true;
    case KILN_EX_PTR_ADD:
    case KILN_EX_PTR_SUB:
    KILN_EX_CASES_ARITHMETIC:
    KILN_EX_CASES_COMPARE:
    KILN_EX_CASES_LOGICAL:
      if (!kiln_is_static_init(e->right))
        return false;
      break;
    case KILN_EX_SWIZZLE:
    case KILN_EX_COMPOUND_LITERAL:
    KILN_EX_CASES_UNARY:
      break;
    case KILN_EX_VAR:
    case KILN_EX_DEREF:
    case KILN_EX_MEMBER:
    case KILN_EX_ELEMENT:
    case KILN_EX_PTR_DIFF:
    case KILN_EX_LET:
    case KILN_EX_COMMA:
    case KILN_EX_STATEMENTS:
    KILN_EX_CASES_CHANGE:
    KILN_EX_CASES_CALL:
      return false;
    }
  }
}
