// Expressions to values. Chains that lean to the left (a + b + c + …, casts of casts, a && b && …) are walked with an
// explicit stack, since macros make them tens of thousands long.
#include "jit/lang/lower/lower.h"

#include <math.h>

#include "jit/ir/internal.h"

// ---- which operation -----------------------------------------------------------------------------------------------

// Of the tables below. element: no enumeration.
static inline unsigned column_of(const struct kiln_ctype *element) {
  static const uint8_t columns[KILN_CT_ERROR + 1] = {
      [KILN_CT_BOOL] = 1, [KILN_CT_UCHAR] = 1, [KILN_CT_USHORT] = 1, [KILN_CT_UINT] = 1,    [KILN_CT_ULONG] = 1,
      [KILN_CT_HALF] = 2, [KILN_CT_FLOAT] = 2, [KILN_CT_DOUBLE] = 2, [KILN_CT_POINTER] = 1, [KILN_CT_EVENT] = 1,
  };
  return columns[element->kind];
}

static enum kiln_op arithmetic_op(enum kiln_expr_kind kind, const struct kiln_ctype *element) {
  static const uint16_t ops[][3] = {
      // signed, unsigned, float
      [KILN_EX_ADD] = {KILN_OP_IADD, KILN_OP_IADD, KILN_OP_FADD},
      [KILN_EX_SUB] = {KILN_OP_ISUB, KILN_OP_ISUB, KILN_OP_FSUB},
      [KILN_EX_MUL] = {KILN_OP_IMUL, KILN_OP_IMUL, KILN_OP_FMUL},
      [KILN_EX_DIV] = {KILN_OP_SDIV, KILN_OP_UDIV, KILN_OP_FDIV},
      [KILN_EX_REM] = {KILN_OP_SREM, KILN_OP_UREM, KILN_OP_FREM},
      [KILN_EX_SHL] = {KILN_OP_SHL, KILN_OP_SHL, KILN_OP_SHL},
      [KILN_EX_SHR] = {KILN_OP_ASHR, KILN_OP_LSHR, KILN_OP_LSHR},
      [KILN_EX_AND] = {KILN_OP_AND, KILN_OP_AND, KILN_OP_AND},
      [KILN_EX_OR] = {KILN_OP_OR, KILN_OP_OR, KILN_OP_OR},
      [KILN_EX_XOR] = {KILN_OP_XOR, KILN_OP_XOR, KILN_OP_XOR},
  };
  return (enum kiln_op)ops[kind][column_of(element)];
}

// The operation and whether its operands are to be swapped.
static enum kiln_op compare_op(enum kiln_expr_kind kind, const struct kiln_ctype *element, bool *swap) {
  static const uint16_t ops[][3] = {
      [KILN_EX_EQ] = {KILN_OP_EQ, KILN_OP_EQ, KILN_OP_FEQ},   [KILN_EX_NE] = {KILN_OP_NE, KILN_OP_NE, KILN_OP_FNE},
      [KILN_EX_LT] = {KILN_OP_SLT, KILN_OP_ULT, KILN_OP_FLT}, [KILN_EX_GT] = {KILN_OP_SLT, KILN_OP_ULT, KILN_OP_FLT},
      [KILN_EX_LE] = {KILN_OP_SLE, KILN_OP_ULE, KILN_OP_FLE}, [KILN_EX_GE] = {KILN_OP_SLE, KILN_OP_ULE, KILN_OP_FLE},
  };
  *swap = kind == KILN_EX_GT || kind == KILN_EX_GE;
  return (enum kiln_op)ops[kind][column_of(element)];
}

// ---- conversions ---------------------------------------------------------------------------------------------------

kiln_value kiln_lower_to_bool(struct kiln_lower *L, kiln_value value) {
  kiln_type type = kiln_value_type(L->fn, value);
  if (kiln_type_kind(type) == KILN_BOOL)
    return value;
  bool is_float = kiln_kind_is_float(kiln_type_kind(type));
  return kiln_build2(&L->b, is_float ? KILN_OP_FNE : KILN_OP_NE, value, kiln_const(L->fn, type, 0));
}

static kiln_value round_op(struct kiln_lower *L, enum kiln_op op, kiln_type type, kiln_value v, enum kiln_round round) {
  return kiln_build(&L->b, op, type, &v, 1, round, 0, 0);
}

// Integer to integer, by the signedness of the source.
static kiln_value resize_int(struct kiln_lower *L, kiln_value v, bool is_signed, enum kiln_kind kind) {
  unsigned from = kiln_kind_bits(kiln_type_kind(kiln_value_type(L->fn, v))), to = kiln_kind_bits(kind);
  if (from == to)
    return v;
  enum kiln_op op = from > to ? KILN_OP_TRUNC : is_signed ? KILN_OP_SEXT : KILN_OP_ZEXT;
  return kiln_build1(&L->b, op, kiln_lower_lanes_like(L, kind, v), v);
}

kiln_value kiln_lower_number(struct kiln_lower *L, kiln_value v, const struct kiln_ctype *from,
                             const struct kiln_ctype *to, enum kiln_round round) {
  from = kiln_lower_strip_enum(kiln_ctype_element(from));
  to = kiln_lower_strip_enum(kiln_ctype_element(to));
  if (from == to)
    return v;
  if (to->kind == KILN_CT_BFLOAT)
    return kiln_lower_to_bfloat(L, v); // of a float
  if (from->kind == KILN_CT_BFLOAT)
    return kiln_lower_from_bfloat(L, v); // to a float
  enum kiln_kind kind = kiln_type_kind(kiln_ctype_ir(to));
  kiln_type type = kiln_lower_lanes_like(L, kind, v);
  if (to->kind == KILN_CT_BOOL)
    return kiln_build1(&L->b, KILN_OP_ZEXT, type, kiln_lower_to_bool(L, v));
  if (kiln_ctype_is_float(from)) {
    if (kiln_ctype_is_float(to))
      return round_op(L, KILN_OP_FTOF, type, v, round);
    return round_op(L, kiln_ctype_is_signed(to) ? KILN_OP_FTOS : KILN_OP_FTOU, type, v, round);
  }
  if (kiln_ctype_is_float(to))
    return round_op(L, kiln_ctype_is_signed(from) ? KILN_OP_STOF : KILN_OP_UTOF, type, v, round);
  return resize_int(L, v, kiln_ctype_is_signed(from), kind);
}

kiln_value kiln_lower_bits(struct kiln_lower *L, kiln_value v, const struct kiln_ctype *to) {
  kiln_type target = kiln_ctype_ir(to), source = kiln_value_type(L->fn, v);
  if (source == target)
    return v;
  if (kiln_type_kind(source) == KILN_PTR) {
    v = kiln_build1(&L->b, KILN_OP_PTOI, kiln_scalar_type(KILN_I64), v);
    source = kiln_scalar_type(KILN_I64);
  }
  bool to_pointer = kiln_type_kind(target) == KILN_PTR;
  kiln_type bits = to_pointer ? kiln_scalar_type(KILN_I64) : target;
  if (kiln_type_lanes(source) == 3 && kiln_type_lanes(bits) != 3)
    v = kiln_lower_resize(L, v, 4);
  if (kiln_type_lanes(bits) == 3 && kiln_type_lanes(source) != 3) {
    kiln_type four = kiln_type_with_lanes(bits, 4);
    if (kiln_value_type(L->fn, v) != four)
      v = kiln_build1(&L->b, KILN_OP_BITCAST, four, v);
    return kiln_lower_resize(L, v, 3);
  }
  if (kiln_value_type(L->fn, v) != bits)
    v = kiln_build1(&L->b, KILN_OP_BITCAST, bits, v);
  return to_pointer ? kiln_build1(&L->b, KILN_OP_ITOP, target, v) : v;
}

static kiln_value cast_pointer(struct kiln_lower *L, kiln_value v, const struct kiln_ctype *to) {
  kiln_type target = kiln_ctype_ir(to), source = kiln_value_type(L->fn, v);
  if (source == target)
    return v;
  if (kiln_inst(L->fn, v)->op == KILN_OP_CONST) // null
    return kiln_const(L->fn, target, 0);
  if (kiln_type_space(source) == KILN_GENERIC || kiln_type_space(target) == KILN_GENERIC)
    return kiln_build1(&L->b, KILN_OP_PCAST, target, v);
  v = kiln_build1(&L->b, KILN_OP_PTOI, kiln_scalar_type(KILN_I64), v);
  return kiln_build1(&L->b, KILN_OP_ITOP, target, v);
}

static kiln_value int_to_pointer(struct kiln_lower *L, kiln_value v, const struct kiln_expr *e) {
  const struct kiln_ctype *from = e->left->type.type, *to = e->type.type;
  if (kiln_type_kind(kiln_ctype_ir(to)) != KILN_PTR) // event_t and the like
    return resize_int(L, v, kiln_ctype_is_signed(from), KILN_I64);
  const struct kiln_inst *inst = kiln_inst(L->fn, v);
  if (inst->op == KILN_OP_CONST && inst->imm == 0)
    return kiln_const(L->fn, kiln_ctype_ir(to), 0);
  return kiln_build1(&L->b, KILN_OP_ITOP, kiln_ctype_ir(to), resize_int(L, v, kiln_ctype_is_signed(from), KILN_I64));
}

static kiln_value pointer_to_int(struct kiln_lower *L, kiln_value v, const struct kiln_ctype *to) {
  if (to->kind == KILN_CT_BOOL)
    return kiln_build1(&L->b, KILN_OP_ZEXT, kiln_ctype_ir(to), kiln_lower_to_bool(L, v));
  v = kiln_build1(&L->b, KILN_OP_PTOI, kiln_scalar_type(KILN_I64), v);
  return resize_int(L, v, false, kiln_type_kind(kiln_ctype_ir(to)));
}

// A conversion as C has it: what is out of range of an integer is undefined there (but the library's own text means
// what the IR means).
static kiln_value c_number(struct kiln_lower *L, kiln_value v, const struct kiln_ctype *from,
                           const struct kiln_ctype *to) {
  bool to_int = kiln_ctype_is_float(kiln_ctype_element(from)) && !kiln_ctype_is_float(kiln_ctype_element(to));
  v = kiln_lower_number(L, v, from, to, to_int ? KILN_ROUND_ZERO : KILN_ROUND_EVEN);
  struct kiln_inst *inst = &L->fn->insts[v];
  if (to_int && (inst->op == KILN_OP_FTOS || inst->op == KILN_OP_FTOU) && L->decl && !L->decl->is_library)
    inst->flags |= KILN_FP_INRANGE;
  return v;
}

static kiln_value cast(struct kiln_lower *L, const struct kiln_expr *e, kiln_value v) {
  const struct kiln_ctype *from = e->left->type.type, *to = e->type.type;
  switch (e->cast) {
  case KILN_CAST_NUMBER:
    if (to->kind == KILN_CT_EVENT)
      return resize_int(L, v, kiln_ctype_is_signed(from), KILN_I64);
    kiln_lower_fp(L, e);
    return c_number(L, v, from, to);
  case KILN_CAST_SPLAT:
    return kiln_build1(&L->b, KILN_OP_SPLAT, kiln_ctype_ir(to), v);
  case KILN_CAST_POINTER:
    return cast_pointer(L, v, to);
  case KILN_CAST_PTR_INT:
  case KILN_CAST_PTR_BOOL:
    return pointer_to_int(L, v, to);
  case KILN_CAST_INT_PTR:
    return int_to_pointer(L, v, e);
  case KILN_CAST_BITS:
    return kiln_lower_bits(L, v, to);
  case KILN_CAST_VOID:
    return 0;
  case KILN_CAST_SAME:
  case KILN_CAST_LOAD:
  case KILN_CAST_DECAY:
    return v;
  }
  return v;
}

// ---- operators -----------------------------------------------------------------------------------------------------

static uint64_t pointee_size(const struct kiln_ctype *pointer) { return pointer->base.type->size; }

static kiln_value pointer_add(struct kiln_lower *L, kiln_value ptr, kiln_value index, const struct kiln_expr *right,
                              const struct kiln_ctype *pointer, bool negative) {
  int64_t stride = (int64_t)pointee_size(pointer);
  index = resize_int(L, index, kiln_ctype_is_signed(right->type.type), KILN_I64);
  return kiln_build_padd(&L->b, ptr, index, negative ? -stride : stride);
}

static kiln_value pointer_difference(struct kiln_lower *L, kiln_value left, kiln_value right, uint64_t size) {
  kiln_type i64 = kiln_scalar_type(KILN_I64);
  left = kiln_build1(&L->b, KILN_OP_PTOI, i64, left);
  right = kiln_build1(&L->b, KILN_OP_PTOI, i64, right);
  kiln_value bytes = kiln_build2(&L->b, KILN_OP_ISUB, left, right);
  if (size <= 1)
    return bytes;
  if ((size & (size - 1)) == 0)
    return kiln_build2(&L->b, KILN_OP_ASHR, bytes, kiln_const(L->fn, i64, (uint64_t)__builtin_ctzll(size)));
  return kiln_build2(&L->b, KILN_OP_SDIV, bytes, kiln_const(L->fn, i64, size));
}

// C leaves the overflow of signed arithmetic undefined. Narrower types than int wrap when the result is stored.
static uint16_t int_flags(enum kiln_op op, kiln_type type, const struct kiln_ctype *element) {
  bool may = op == KILN_OP_IADD || op == KILN_OP_ISUB || op == KILN_OP_IMUL;
  return may && kiln_ctype_is_signed(element) && kiln_kind_bits(kiln_type_kind(type)) >= 32 ? KILN_INT_NSW : 0;
}

// Of a binary operator, or of a compound assignment, in type.
static kiln_value arithmetic(struct kiln_lower *L, const struct kiln_expr *e, const struct kiln_ctype *type,
                             kiln_value left, kiln_value right) {
  bool is_compound = e->kind == KILN_EX_COMPOUND;
  enum kiln_expr_kind kind = is_compound ? e->op : e->kind;
  const struct kiln_ctype *element = kiln_lower_strip_enum(kiln_ctype_element(type));
  if (kind == KILN_EX_SHL || kind == KILN_EX_SHR) // counts are modulo the width: only low bits matter
    right = resize_int(L, right, false, kiln_type_kind(kiln_value_type(L->fn, left)));
  enum kiln_op op = arithmetic_op(kind, element);
  if (op == KILN_OP_FADD || op == KILN_OP_FSUB) {
    struct kiln_lower_term terms[] = {{is_compound ? NULL : e->left, left}, {e->right, right}};
    kiln_value fused = kiln_lower_sum(L, e, op == KILN_OP_FSUB, terms);
    if (fused)
      return fused;
  }
  uint16_t flags = int_flags(op, kiln_value_type(L->fn, left), element);
  return kiln_build_arithmetic(&L->b, op, left, right, flags);
}

static kiln_value compare(struct kiln_lower *L, const struct kiln_expr *e, kiln_value left, kiln_value right) {
  bool swap;
  kiln_lower_fp(L, e);
  const struct kiln_ctype *element = kiln_lower_strip_enum(kiln_ctype_element(e->left->type.type));
  enum kiln_op op = compare_op(e->kind, element, &swap);
  return swap ? kiln_build2(&L->b, op, right, left) : kiln_build2(&L->b, op, left, right);
}

// bool to what comparisons give: int 0 or 1, or 0 or -1 in each lane.
static kiln_value truth(struct kiln_lower *L, kiln_value v, const struct kiln_ctype *type) {
  enum kiln_op op = type->kind == KILN_CT_VECTOR ? KILN_OP_SEXT : KILN_OP_ZEXT;
  return kiln_build1(&L->b, op, kiln_ctype_ir(type), v);
}

static kiln_value negative(struct kiln_lower *L, enum kiln_expr_kind kind, kiln_value v) {
  kiln_type type = kiln_value_type(L->fn, v);
  if (kind == KILN_EX_NOT)
    return kiln_build2(&L->b, KILN_OP_XOR, v,
                       kiln_const(L->fn, type, UINT64_MAX >> (64 - kiln_kind_bits(kiln_type_kind(type)))));
  if (kiln_kind_is_float(kiln_type_kind(type)))
    return kiln_build1(&L->b, KILN_OP_FNEG, type, v);
  return kiln_build2(&L->b, KILN_OP_ISUB, kiln_const(L->fn, type, 0), v);
}

static kiln_value unary(struct kiln_lower *L, const struct kiln_expr *e, kiln_value v) {
  if (e->kind == KILN_EX_LOGNOT)
    return truth(L, kiln_build1(&L->b, KILN_OP_BNOT, 0, kiln_lower_to_bool(L, v)), e->type.type);
  return negative(L, e->kind, v);
}

// Expressions whose left operand is evaluated first and exactly once: the chain that is walked without recursion.
static inline bool is_link(const struct kiln_expr *e) {
  enum { LINK = 1, OF_VECTORS, BUT_READS };
  static const uint8_t links[KILN_EX_ERROR + 1] = {
      [KILN_EX_CAST] = BUT_READS,
      [KILN_EX_LOGNOT] = OF_VECTORS,
      [KILN_EX_LOGAND] = OF_VECTORS,
      [KILN_EX_LOGOR] = OF_VECTORS,
      [KILN_EX_NEG] = LINK,
      [KILN_EX_NOT] = LINK,
      [KILN_EX_ADD... KILN_EX_XOR] = LINK,
      [KILN_EX_EQ... KILN_EX_GE] = LINK,
      [KILN_EX_PTR_ADD] = LINK,
      [KILN_EX_PTR_SUB] = LINK,
      [KILN_EX_PTR_DIFF] = LINK,
      [KILN_EX_COMMA] = LINK,
  };
  uint8_t link = links[e->kind];
  if (link <= LINK)
    return link != 0;
  return link == OF_VECTORS ? e->type.type->kind == KILN_CT_VECTOR
                            : e->cast != KILN_CAST_LOAD && e->cast != KILN_CAST_DECAY;
}

static kiln_value load(struct kiln_lower *L, const struct kiln_expr *e, const struct kiln_expr *lvalue);

static inline kiln_value integer(struct kiln_lower *L, const struct kiln_expr *e) {
  const struct kiln_ctype *type = e->type.type;
  if (type->kind == KILN_CT_POINTER)
    return kiln_const(L->fn, kiln_ctype_ir(type), 0);
  return kiln_lower_const_int(L, kiln_type_kind(kiln_ctype_ir(type)), e->value);
}

// An operand that is not at the beginning of a chain: as kiln_lower_value, which most need not go through.
static inline kiln_value operand(struct kiln_lower *L, const struct kiln_expr *e) {
  if (L->depth >= KILN_LOWER_MAX_DEPTH)
    return kiln_lower_value(L, e);
  return e->kind == KILN_EX_INT ? integer(L, e) : kiln_lower_value(L, e);
}

static kiln_value finish_link(struct kiln_lower *L, const struct kiln_expr *e, kiln_value left) {
  if (e->kind == KILN_EX_CAST || e->kind == KILN_EX_NEG || e->kind == KILN_EX_NOT || e->kind == KILN_EX_LOGNOT) {
    kiln_lower_at(L, e->location);
    kiln_lower_fp(L, e);
    return e->kind == KILN_EX_CAST ? cast(L, e, left) : unary(L, e, left);
  }
  kiln_value right = operand(L, e->right);
  kiln_lower_at(L, e->location);
  if (e->kind >= KILN_EX_ADD && e->kind <= KILN_EX_XOR) {
    kiln_lower_fp(L, e);
    return arithmetic(L, e, e->type.type, left, right);
  }
  if (kiln_is_comparison(e->kind))
    return truth(L, compare(L, e, left, right), e->type.type);
  if (e->kind == KILN_EX_COMMA)
    return right;
  if (e->kind == KILN_EX_PTR_ADD || e->kind == KILN_EX_PTR_SUB)
    return pointer_add(L, left, right, e->right, e->left->type.type, e->kind == KILN_EX_PTR_SUB);
  if (e->kind == KILN_EX_PTR_DIFF)
    return pointer_difference(L, left, right, pointee_size(e->left->type.type));
  enum kiln_op op = e->kind == KILN_EX_LOGAND ? KILN_OP_BAND : KILN_OP_BOR; // of vectors
  left = kiln_lower_to_bool(L, left);
  return truth(L, kiln_build2(&L->b, op, left, kiln_lower_to_bool(L, right)), e->type.type);
}

// ---- conditions ----------------------------------------------------------------------------------------------------

// Whether an expression costs so little, and can go so little wrong, that it may be evaluated when C would not.
static bool is_cheap(const struct kiln_expr *e, unsigned *budget) {
  for (; *budget; --*budget) {
    if (e->kind == KILN_EX_INT || e->kind == KILN_EX_FLOAT)
      return true;
    if (e->kind == KILN_EX_CAST && e->cast == KILN_CAST_LOAD)
      return e->left->kind == KILN_EX_VAR && e->left->decl->type.space == KILN_PRIVATE &&
             !e->left->decl->is_program_scope && !kiln_lower_is_memory(e->type.type) &&
             !(e->left->type.quals & KILN_QUAL_VOLATILE);
    if (e->kind == KILN_EX_BUILTIN) {
      if (!kiln_lower_builtin_is_cheap(e->builtin))
        return false;
      for (uint32_t i = 0; i < e->arg_count; i++)
        if (!is_cheap(e->args[i], budget))
          return false;
      return true;
    }
    if (!is_link(e) && e->kind != KILN_EX_LOGAND && e->kind != KILN_EX_LOGOR && e->kind != KILN_EX_LOGNOT)
      return false;
    if (e->kind == KILN_EX_DIV || e->kind == KILN_EX_REM || e->kind == KILN_EX_COMMA ||
        (e->kind == KILN_EX_CAST && e->cast == KILN_CAST_VOID))
      return false;
    if (e->kind != KILN_EX_CAST && e->kind != KILN_EX_NEG && e->kind != KILN_EX_NOT && e->kind != KILN_EX_LOGNOT &&
        !is_cheap(e->right, budget))
      return false;
    e = e->left;
  }
  return false;
}

// left && right or left || right, left being evaluated.
static kiln_value finish_logical(struct kiln_lower *L, const struct kiln_expr *e, kiln_value left) {
  bool is_and = e->kind == KILN_EX_LOGAND;
  unsigned budget = 10;
  kiln_value known = kiln_const(L->fn, kiln_scalar_type(KILN_BOOL), !is_and);
  if (left == known)
    return left; // the right side is never evaluated
  if (left == kiln_const(L->fn, kiln_scalar_type(KILN_BOOL), is_and))
    return kiln_lower_condition(L, e->right);
  if (is_cheap(e->right, &budget)) {
    kiln_value right = kiln_lower_condition(L, e->right);
    kiln_lower_at(L, e->location);
    return kiln_build2(&L->b, is_and ? KILN_OP_BAND : KILN_OP_BOR, left, right);
  }
  kiln_lower_at(L, e->location);
  uint32_t outer = L->b.region;
  kiln_value node = kiln_build_if(&L->b, left);
  kiln_value result = kiln_node_add_result(L->fn, node, kiln_scalar_type(KILN_BOOL));
  kiln_lower_enter(L, kiln_lower_region(L, node, is_and ? 0 : 1));
  kiln_value right = kiln_lower_condition(L, e->right);
  kiln_lower_yield(L, &right, 1);
  kiln_lower_enter(L, kiln_lower_region(L, node, is_and ? 1 : 0));
  kiln_lower_yield(L, &known, 1);
  kiln_lower_enter(L, outer);
  return result;
}

// Follows !, and conversions that keep zero and non-zero apart, down to what is compared with zero.
static const struct kiln_expr *strip_condition(const struct kiln_expr *e, bool *negate) {
  for (;;) {
    const struct kiln_ctype *type = e->type.type;
    if (e->kind == KILN_EX_LOGNOT && type->kind != KILN_CT_VECTOR) {
      *negate = !*negate;
      e = e->left;
    } else if (e->kind == KILN_EX_CAST && (e->cast == KILN_CAST_SAME || e->cast == KILN_CAST_PTR_BOOL)) {
      e = e->left;
    } else if (e->kind == KILN_EX_CAST && e->cast == KILN_CAST_NUMBER && kiln_ctype_is_integer(type) &&
               (type->kind == KILN_CT_BOOL ||
                (kiln_ctype_is_integer(e->left->type.type) && e->left->type.type->size <= type->size))) {
      e = e->left;
    } else {
      return e;
    }
  }
}

static kiln_value leaf_condition(struct kiln_lower *L, const struct kiln_expr *e) {
  if (kiln_is_comparison(e->kind)) {
    kiln_value left = kiln_lower_value(L, e->left), right = kiln_lower_value(L, e->right);
    kiln_lower_at(L, e->location);
    return compare(L, e, left, right);
  }
  kiln_value v = kiln_lower_value(L, e);
  kiln_lower_at(L, e->location);
  kiln_lower_fp(L, e);
  return kiln_lower_to_bool(L, v);
}

static bool is_scalar_logical(const struct kiln_expr *e) {
  return (e->kind == KILN_EX_LOGAND || e->kind == KILN_EX_LOGOR) && e->type.type->kind != KILN_CT_VECTOR;
}

kiln_value kiln_lower_condition(struct kiln_lower *L, const struct kiln_expr *e) {
  bool negate = false;
  e = strip_condition(e, &negate);
  uint32_t base = L->spine.count;
  if (++L->depth > KILN_LOWER_MAX_DEPTH) {
    kiln_lower_error(L, e->location, "expression is nested too deeply");
    L->depth--;
    return kiln_undef(L->fn, kiln_scalar_type(KILN_BOOL));
  }
  kiln_value v;
  bool odd = false; // an operand of the chain that is negated itself goes the slow way
  while (is_scalar_logical(e)) {
    KILN_VEC_PUSH(L->arena, &L->spine, e);
    const struct kiln_expr *left = strip_condition(e->left, &odd);
    if (odd) {
      e = e->left;
      break;
    }
    e = left;
  }
  v = odd ? kiln_lower_condition(L, e) : leaf_condition(L, e);
  while (L->spine.count > base) {
    const struct kiln_expr *node = L->spine.items[--L->spine.count];
    v = finish_logical(L, node, v);
  }
  L->depth--;
  return negate ? kiln_build1(&L->b, KILN_OP_BNOT, 0, v) : v;
}

// ---- choice --------------------------------------------------------------------------------------------------------

static kiln_value branch_value(struct kiln_lower *L, const struct kiln_expr *e, struct kiln_lower_lvalue *memory) {
  kiln_value v = kiln_lower_value(L, e);
  if (!memory)
    return v;
  struct kiln_lower_lvalue to = *memory;
  kiln_lower_copy(L, &to, v, e->type.type->align);
  return 0;
}

static kiln_value conditional(struct kiln_lower *L, const struct kiln_expr *e) {
  const struct kiln_ctype *type = e->type.type, *condition_type = e->cond->type.type;
  if (condition_type->kind == KILN_CT_VECTOR) { // lane by lane, on the sign
    kiln_value c = kiln_lower_value(L, e->cond);
    kiln_value x = kiln_lower_value(L, e->left), y = kiln_lower_value(L, e->right);
    kiln_lower_at(L, e->location);
    c = kiln_build2(&L->b, KILN_OP_SLT, c, kiln_const(L->fn, kiln_value_type(L->fn, c), 0));
    return kiln_build3(&L->b, KILN_OP_SELECT, c, x, y);
  }
  kiln_value condition = kiln_lower_condition(L, e->cond);
  const struct kiln_inst *inst = kiln_inst(L->fn, condition);
  if (inst->op == KILN_OP_CONST)
    return kiln_lower_value(L, inst->imm ? e->left : e->right);
  unsigned budget = 12;
  if (type->kind != KILN_CT_VOID && !kiln_lower_is_memory(type) && is_cheap(e->left, &budget) &&
      is_cheap(e->right, &budget)) {
    kiln_value x = kiln_lower_value(L, e->left), y = kiln_lower_value(L, e->right);
    kiln_lower_at(L, e->location);
    return kiln_build3(&L->b, KILN_OP_SELECT, condition, x, y);
  }
  struct kiln_lower_lvalue memory;
  bool in_memory = kiln_lower_is_memory(type), has_value = type->kind != KILN_CT_VOID && !in_memory;
  if (in_memory)
    memory = kiln_lower_temporary(L, type);
  kiln_lower_at(L, e->location);
  uint32_t outer = L->b.region;
  kiln_value node = kiln_build_if(&L->b, condition);
  kiln_value result = has_value ? kiln_node_add_result(L->fn, node, kiln_ctype_ir(type)) : 0;
  for (unsigned side = 0; side < 2; side++) {
    kiln_lower_enter(L, kiln_lower_region(L, node, side));
    kiln_value v = branch_value(L, side ? e->right : e->left, in_memory ? &memory : NULL);
    kiln_lower_yield(L, &v, has_value);
  }
  kiln_lower_enter(L, outer);
  return in_memory ? memory.ptr : result;
}

// ---- assignment ----------------------------------------------------------------------------------------------------

// What most variables that are changed are: a number, vector or pointer in private memory of this function. NULL: it is
// something else.
static inline const struct kiln_lower_decl *changed_variable(const struct kiln_lower *L, const struct kiln_expr *e) {
  if (e->kind != KILN_EX_VAR || e->type.quals & KILN_QUAL_VOLATILE)
    return NULL;
  const struct kiln_lower_decl *slot = e->decl->lowered;
  return slot && slot->fn == L->fn && slot->type && slot->value ? slot : NULL;
}

static kiln_value assign(struct kiln_lower *L, const struct kiln_expr *e) {
  if (kiln_lower_is_memory(e->left->type.type) && e->right->kind == KILN_EX_INIT_LIST) {
    struct kiln_lower_lvalue lvalue = kiln_lower_lvalue_of(L, e->left);
    kiln_lower_init(L, &lvalue, e->right);
    return kiln_lower_address(L, &lvalue);
  }
  kiln_value right = operand(L, e->right);
  const struct kiln_lower_decl *slot = changed_variable(L, e->left);
  if (slot && right) {
    kiln_lower_at(L, e->location);
    kiln_build_store(&L->b, slot->value, right, slot->align, 0);
    return right;
  }
  struct kiln_lower_lvalue lvalue = kiln_lower_lvalue_of(L, e->left);
  kiln_lower_at(L, e->location);
  kiln_lower_store(L, &lvalue, right);
  return kiln_lower_is_memory(lvalue.type) && !lvalue.lane_count ? kiln_lower_address(L, &lvalue) : right;
}

static kiln_value compound(struct kiln_lower *L, const struct kiln_expr *e) {
  const struct kiln_ctype *type = e->left->type.type;
  kiln_value right = operand(L, e->right);
  const struct kiln_lower_decl *slot = changed_variable(L, e->left);
  if (slot && right && e->compute_type == type && kiln_ctype_is_integer(type)) {
    kiln_lower_at(L, e->location);
    kiln_value old = kiln_build_load(&L->b, slot->type, slot->value, slot->align, 0);
    kiln_lower_fp(L, e);
    kiln_value changed = arithmetic(L, e, type, old, right);
    kiln_build_store(&L->b, slot->value, changed, slot->align, 0);
    return changed;
  }
  struct kiln_lower_lvalue lvalue = kiln_lower_lvalue_of(L, e->left);
  kiln_lower_at(L, e->location);
  kiln_value v = kiln_lower_load(L, &lvalue);
  if (type->kind == KILN_CT_POINTER) {
    v = pointer_add(L, v, right, e->right, type, e->op == KILN_EX_PTR_SUB);
  } else {
    const struct kiln_ctype *compute = e->compute_type ? e->compute_type : type;
    kiln_lower_fp(L, e);
    v = kiln_lower_number(L, v, type, compute, KILN_ROUND_EVEN);
    v = arithmetic(L, e, compute, v, right);
    v = c_number(L, v, compute, type);
  }
  kiln_lower_store(L, &lvalue, v);
  return v;
}

static kiln_value step(struct kiln_lower *L, const struct kiln_expr *e) {
  const struct kiln_ctype *type = kiln_lower_strip_enum(e->left->type.type);
  struct kiln_lower_lvalue lvalue = kiln_lower_lvalue_of(L, e->left);
  kiln_lower_at(L, e->location);
  kiln_lower_fp(L, e);
  kiln_value old = kiln_lower_load(L, &lvalue), v;
  bool down = e->kind == KILN_EX_PRE_DEC || e->kind == KILN_EX_POST_DEC;
  kiln_type ir = kiln_value_type(L->fn, old);
  if (type->kind == KILN_CT_POINTER) {
    int64_t stride = (int64_t)pointee_size(type);
    v = kiln_build_padd(&L->b, old, kiln_lower_const_int(L, KILN_I64, down ? UINT64_MAX : 1), stride);
  } else if (type->kind == KILN_CT_BOOL) {
    v = down ? kiln_build2(&L->b, KILN_OP_XOR, old, kiln_const(L->fn, ir, 1)) : kiln_const(L->fn, ir, 1);
  } else if (kiln_kind_is_float(kiln_type_kind(ir))) {
    v = kiln_build2(&L->b, down ? KILN_OP_FSUB : KILN_OP_FADD, old, kiln_const_float(L->fn, ir, 1.0));
  } else {
    enum kiln_op op = down ? KILN_OP_ISUB : KILN_OP_IADD;
    v = kiln_build(&L->b, op, KILN_VOID, (kiln_value[]){old, kiln_const(L->fn, ir, 1)}, 2, 0, 0,
                   int_flags(op, ir, type));
  }
  kiln_lower_store(L, &lvalue, v);
  return e->kind == KILN_EX_PRE_INC || e->kind == KILN_EX_PRE_DEC ? v : old;
}

// ---- the rest ------------------------------------------------------------------------------------------------------

static kiln_value vector(struct kiln_lower *L, const struct kiln_expr *e) {
  kiln_type type = kiln_ctype_ir(e->type.type);
  unsigned lanes = kiln_type_lanes(type), count = 0;
  kiln_value operands[16];
  if (e->arg_count == 1) {
    kiln_value v = kiln_lower_value(L, e->args[0]);
    bool is_scalar = kiln_type_lanes(kiln_value_type(L->fn, v)) == 1;
    return is_scalar && lanes > 1 ? kiln_build1(&L->b, KILN_OP_SPLAT, type, v) : v;
  }
  for (uint32_t i = 0; i < e->arg_count; i++) {
    kiln_value v = kiln_lower_value(L, e->args[i]);
    unsigned have = kiln_type_lanes(kiln_value_type(L->fn, v));
    for (unsigned k = 0; k < have && count < lanes; k++)
      operands[count++] = have == 1 ? v : kiln_lower_extract(L, v, k);
  }
  while (count < lanes)
    operands[count++] = kiln_const(L->fn, kiln_type_element(type), 0);
  kiln_lower_at(L, e->location);
  return kiln_build(&L->b, KILN_OP_VEC, type, operands, lanes, 0, 0, 0);
}

static kiln_value init_list(struct kiln_lower *L, const struct kiln_expr *e) {
  const struct kiln_ctype *type = e->type.type;
  if (kiln_lower_is_memory(type)) {
    struct kiln_lower_lvalue lvalue = kiln_lower_temporary(L, type), init = lvalue;
    kiln_lower_init(L, &init, e);
    return lvalue.ptr;
  }
  kiln_type ir = kiln_ctype_ir(type);
  if (type->kind != KILN_CT_VECTOR)
    return e->init_count ? kiln_lower_value(L, e->inits[e->init_count - 1].value) : kiln_const(L->fn, ir, 0);
  kiln_value lanes[16];
  unsigned count = kiln_type_lanes(ir), bytes = kiln_kind_bits(kiln_type_kind(ir)) / 8;
  for (unsigned i = 0; i < count; i++)
    lanes[i] = kiln_const(L->fn, kiln_type_element(ir), 0);
  for (uint32_t i = 0; i < e->init_count; i++) {
    kiln_value v = kiln_lower_value(L, e->inits[i].value);
    unsigned have = kiln_type_lanes(kiln_value_type(L->fn, v)), first = (unsigned)(e->inits[i].offset / bytes);
    for (unsigned k = 0; k < have && first + k < count; k++)
      lanes[first + k] = have == 1 ? v : kiln_lower_extract(L, v, k);
  }
  return kiln_build(&L->b, KILN_OP_VEC, ir, lanes, count, 0, 0, 0);
}

// Reads an lvalue; of a record gives the address, of a copy when the record is not aligned as its
// type wants.
static kiln_value load(struct kiln_lower *L, const struct kiln_expr *e, const struct kiln_expr *lvalue) {
  kiln_value variable = kiln_lower_load_variable(L, lvalue);
  if (variable)
    return variable;
  if (lvalue->kind == KILN_EX_DEREF && !(lvalue->type.quals & KILN_QUAL_VOLATILE) &&
      !kiln_lower_is_memory(lvalue->type.type) && L->depth < KILN_LOWER_MAX_DEPTH) { // *p, p[i]
    L->depth++;
    kiln_value ptr = kiln_lower_value(L, lvalue->left);
    L->depth--;
    kiln_lower_at(L, e->location);
    const struct kiln_ctype *type = lvalue->type.type;
    return ptr ? kiln_build_load(&L->b, kiln_ctype_ir(type), ptr, type->align, 0) : 0;
  }
  struct kiln_lower_lvalue whole = kiln_lower_lvalue_of(L, lvalue);
  kiln_lower_at(L, e->location);
  if (whole.ptr && kiln_lower_is_memory(whole.type) && whole.align < whole.type->align) {
    struct kiln_lower_lvalue copy = kiln_lower_temporary(L, whole.type);
    kiln_lower_copy(L, &copy, kiln_lower_address(L, &whole), whole.align);
    return copy.ptr;
  }
  return kiln_lower_load(L, &whole);
}

static kiln_value call(struct kiln_lower *L, const struct kiln_expr *e) {
  struct kiln_lower_decl *slot = kiln_lower_slot(L, e->decl);
  const struct kiln_ctype *result = e->type.type;
  bool in_memory = kiln_lower_is_memory(result);
  kiln_value memory = 0;
  kiln_value *args = KILN_NEW_ARRAY(L->arena, kiln_value, e->arg_count + 1);
  uint32_t count = 0;
  if (in_memory)
    args[count++] = memory = kiln_lower_var(L, result, 0, "");
  for (uint32_t i = 0; i < e->arg_count; i++) {
    kiln_value v = kiln_lower_value(L, e->args[i]);
    const struct kiln_ctype *type = e->args[i]->type.type;
    if (kiln_lower_is_memory(type) && e->args[i]->kind != KILN_EX_CALL) { // the callee owns what it is given
      struct kiln_lower_lvalue copy = kiln_lower_temporary(L, type);
      kiln_lower_copy(L, &copy, v, type->align);
      v = copy.ptr;
    }
    args[count++] = v;
  }
  kiln_lower_at(L, e->location);
  if (!slot->function) {
    const char *name = e->decl->name ? e->decl->name->text : "";
    if (!e->decl->body)
      kiln_lower_error(L, e->location, "function '%s' is called but never defined", name);
    else
      kiln_lower_error(L, e->location, "recursion is not supported: this call of '%s' can come back to '%s'", name,
                       L->decl->name ? L->decl->name->text : "");
    return in_memory ? memory : result->kind == KILN_CT_VOID ? 0 : kiln_undef(L->fn, kiln_ctype_ir(result));
  }
  kiln_value v = kiln_build_call(&L->b, slot->function - 1, args, count);
  return in_memory ? memory : v;
}

static kiln_value let(struct kiln_lower *L, const struct kiln_expr *e) {
  kiln_value value = kiln_lower_value(L, e->left);
  struct kiln_lower_decl *slot = kiln_lower_slot(L, e->decl);
  slot->fn = L->fn;
  slot->is_direct = true;
  slot->value = value;
  return kiln_lower_value(L, e->right);
}

// Statements, then a value. With a jump among them they are in a block of their own, so that what comes after has a
// place to be even when nothing gets there.
static kiln_value statements(struct kiln_lower *L, const struct kiln_expr *e) {
  const struct kiln_ctype *type = e->type.type;
  if (!e->body->jumps_inside) {
    kiln_lower_list(L, e->body->stmts, e->body->stmt_count);
    return e->right ? kiln_lower_value(L, e->right) : 0;
  }
  struct kiln_lower_lvalue result = {0};
  if (e->right)
    result = kiln_lower_temporary(L, type);
  uint32_t outer = L->b.region;
  kiln_value block = kiln_build_block(&L->b);
  kiln_lower_enter(L, kiln_lower_region(L, block, 0));
  kiln_lower_list(L, e->body->stmts, e->body->stmt_count);
  if (!L->dead && e->right) {
    struct kiln_lower_lvalue to = result;
    kiln_lower_store(L, &to, kiln_lower_value(L, e->right));
  }
  kiln_lower_yield(L, NULL, 0);
  kiln_lower_enter(L, outer);
  kiln_lower_at(L, e->location);
  return !e->right ? 0 : kiln_lower_is_memory(type) ? result.ptr : kiln_lower_load(L, &result);
}

static kiln_value leaf(struct kiln_lower *L, const struct kiln_expr *e) {
  const struct kiln_ctype *type = e->type.type;
  switch (e->kind) {
  case KILN_EX_INT:
    return integer(L, e);
  case KILN_EX_FLOAT:
    return kiln_const_float(L->fn, kiln_ctype_ir(type), e->number);
  case KILN_EX_ADDRESS: {
    struct kiln_lower_lvalue lvalue = kiln_lower_lvalue_of(L, e->left);
    if (!lvalue.ptr)
      return kiln_undef(L->fn, kiln_ctype_ir(type));
    return kiln_lower_address(L, &lvalue);
  }
  case KILN_EX_LOGNOT:
  case KILN_EX_LOGAND:
  case KILN_EX_LOGOR:
    return truth(L, kiln_lower_condition(L, e), type);
  case KILN_EX_ASSIGN:
    return assign(L, e);
  case KILN_EX_COMPOUND:
    return compound(L, e);
  KILN_EX_CASES_STEP:
    return step(L, e);
  case KILN_EX_COND:
    return conditional(L, e);
  case KILN_EX_LET:
    return let(L, e);
  case KILN_EX_STATEMENTS:
    return statements(L, e);
  case KILN_EX_CAST: { // DECAY: LOAD is no leaf, and others are links of a chain
    if (e->left->type.type->kind == KILN_CT_FUNCTION) {
      kiln_lower_error(L, e->location, "pointers to functions are not supported");
      return kiln_undef(L->fn, kiln_ctype_ir(type));
    }
    struct kiln_lower_lvalue lvalue = kiln_lower_lvalue_of(L, e->left);
    return kiln_lower_address(L, &lvalue);
  }
  case KILN_EX_CALL:
    return call(L, e);
  case KILN_EX_BUILTIN:
    return kiln_lower_builtin(L, e);
  case KILN_EX_VECTOR:
    return vector(L, e);
  case KILN_EX_INIT_LIST:
    return init_list(L, e);
  case KILN_EX_ERROR: // only after an error
    L->failed = true;
    return kiln_undef(L->fn, kiln_scalar_type(KILN_I32));
  case KILN_EX_STRING:
  case KILN_EX_VAR:
  case KILN_EX_DEREF:
  case KILN_EX_MEMBER:
  case KILN_EX_SWIZZLE:
  case KILN_EX_ELEMENT:
  case KILN_EX_COMPOUND_LITERAL:
  case KILN_EX_NEG:
  case KILN_EX_NOT:
  case KILN_EX_COMMA:
  KILN_EX_CASES_ARITHMETIC:
  KILN_EX_CASES_COMPARE:
  KILN_EX_CASES_POINTER:
    break;
  }
  struct kiln_lower_lvalue lvalue = kiln_lower_lvalue_of(L, e); // of a value, too: v.x of a result, f().member, …
  return kiln_lower_load(L, &lvalue);
}

static kiln_value too_deep(struct kiln_lower *L, const struct kiln_expr *e) {
  kiln_lower_error(L, e->location, "expression is nested too deeply");
  kiln_type type = kiln_ctype_ir(e->type.type);
  return kiln_undef(L->fn, kiln_type_kind(type) == KILN_VOID ? kiln_ptr_type(KILN_PRIVATE) : type);
}

kiln_value kiln_lower_value(struct kiln_lower *L, const struct kiln_expr *e) {
  if (L->depth >= KILN_LOWER_MAX_DEPTH)
    return too_deep(L, e);
  L->depth++;
  uint32_t base = L->spine.count;
  while (is_link(e)) {
    KILN_VEC_PUSH(L->arena, &L->spine, e);
    e = e->left;
  }
  kiln_value v;
  kiln_lower_at(L, e->location);
  v = e->kind == KILN_EX_CAST && e->cast == KILN_CAST_LOAD ? load(L, e, e->left) : leaf(L, e);
  while (L->spine.count > base) {
    const struct kiln_expr *link = L->spine.items[--L->spine.count];
    v = finish_link(L, link, v);
  }
  L->depth--;
  return v;
}

void kiln_lower_effect(struct kiln_lower *L, const struct kiln_expr *e) {
  while (e->kind == KILN_EX_CAST && e->cast == KILN_CAST_VOID)
    e = e->left;
  if (e->kind == KILN_EX_CAST && e->cast == KILN_CAST_LOAD && !(e->left->type.quals & KILN_QUAL_VOLATILE) &&
      e->left->kind == KILN_EX_VAR)
    return;
  bool is_assign = e->kind == KILN_EX_ASSIGN;
  if ((!is_assign && e->kind != KILN_EX_COMPOUND) || L->depth >= KILN_LOWER_MAX_DEPTH) {
    kiln_lower_value(L, e);
    return;
  }
  L->depth++;
  kiln_lower_at(L, e->location);
  if (is_assign)
    assign(L, e);
  else
    compound(L, e);
  L->depth--;
}
