// Addresses whose index is a sum of 32 bits that the source says to fit (the flag nsw), term by term in 64 bits: what
// is the same in all warps of a row is then added outside of the loop over them, places at constant distances share a
// register, and a constant becomes part of the instruction. Only where rows are known to be linear.
#include "backends/llvm/spmd.h"

#include <stdlib.h>

enum { MOST_TERMS = 8 };

struct term {
  kiln_value value;
  bool is_negative;
};

struct sum {
  struct term terms[MOST_TERMS];
  uint32_t count;
  int64_t constant;
};

kiln_value kiln_ll_spmd_clamped(const struct kiln_ll_fn *f, kiln_value v) {
  const kiln_value *x = kiln_operands(f->fn, v);
  if (!kiln_ll_spmd_is_clamp((enum kiln_op)kiln_inst(f->fn, v)->op) || !kiln_ll_spmd_is_assumed(f, v) ||
      kiln_ll_shape(f, v).kind != KILN_SHAPE_LINEAR || f->spmd->tainted[v])
    return 0;
  return x[kiln_ll_shape(f, x[1]).kind == KILN_SHAPE_LINEAR];
}

// False: too many terms.
static bool find_terms(const struct kiln_ll_fn *f, kiln_value value, struct sum *sum) {
  sum->terms[0] = (struct term){value, false};
  sum->count = 1;
  for (uint32_t i = 0; i < sum->count;) {
    struct term *term = &sum->terms[i];
    const struct kiln_inst *in = kiln_inst(f->fn, term->value);
    const kiln_value *x = kiln_operands(f->fn, term->value);
    kiln_value clamped = kiln_ll_spmd_clamped(f, term->value);
    if (clamped) {
      term->value = clamped;
    } else if ((in->op == KILN_OP_IADD || in->op == KILN_OP_ISUB) && in->flags & KILN_INT_NSW) {
      if (sum->count == MOST_TERMS)
        return false;
      sum->terms[sum->count++] = (struct term){x[1], (in->op == KILN_OP_ISUB) != term->is_negative};
      term->value = x[0];
    } else if (in->op == KILN_OP_CONST) {
      int64_t bits = (int32_t)in->imm;
      sum->constant += term->is_negative ? -bits : bits;
      *term = sum->terms[--sum->count];
    } else {
      i++;
    }
  }
  return true;
}

static bool is_uniform(const struct kiln_ll_fn *f, kiln_value v) {
  return kiln_ll_shape(f, v).kind == KILN_SHAPE_UNIFORM;
}

static int by_value(const void *a, const void *b) {
  kiln_value x = ((const struct term *)a)->value, y = ((const struct term *)b)->value;
  return (x > y) - (x < y);
}

// The terms that are uniform, or those that are not.
static LLVMValueRef add_terms(struct kiln_ll_fn *f, LLVMValueRef pointer, const struct sum *sum, bool uniform,
                              int64_t stride) {
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef total = NULL;
  for (uint32_t i = 0; i < sum->count; i++) {
    const struct term *term = &sum->terms[i];
    if (is_uniform(f, term->value) != uniform)
      continue;
    LLVMValueRef wide = LLVMBuildSExt(b, kiln_ll_held(f, term->value), f->ll->i64, "");
    if (term->is_negative)
      wide = LLVMBuildNeg(b, wide, "");
    total = total ? LLVMBuildAdd(b, total, wide, "") : wide;
  }
  return total ? kiln_ll_pointer_add(f->ll, pointer, total, stride) : pointer;
}

LLVMValueRef kiln_ll_spmd_sum_address(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_ll_spmd *s = f->spmd;
  kiln_value pointer = kiln_operands(f->fn, inst)[0], index = kiln_operands(f->fn, inst)[1];
  int64_t stride = (int64_t)kiln_inst(f->fn, inst)->imm;
  if (!s->assumes || f->group || s->element[inst] || s->shapes[pointer].kind == KILN_SHAPE_VARYING ||
      s->shapes[index].kind != KILN_SHAPE_LINEAR || s->tainted[index] || kiln_inst(f->fn, index)->op != KILN_OP_SEXT)
    return NULL;
  kiln_value narrow = kiln_operands(f->fn, index)[0];
  struct sum sum = {.constant = 0};
  if (kiln_type_kind(kiln_value_type(f->fn, narrow)) != KILN_I32 || !find_terms(f, narrow, &sum))
    return NULL;
  for (uint32_t i = 0; i < sum.count; i++)
    if (s->shapes[sum.terms[i].value].kind == KILN_SHAPE_VARYING || s->tainted[sum.terms[i].value])
      return NULL;
  qsort(sum.terms, sum.count, sizeof *sum.terms, by_value);
  LLVMValueRef address = add_terms(f, kiln_ll_held(f, pointer), &sum, true, stride);
  address = add_terms(f, address, &sum, false, stride);
  LLVMValueRef constant = LLVMConstInt(f->ll->i64, (uint64_t)sum.constant, true);
  return sum.constant ? kiln_ll_pointer_add(f->ll, address, constant, stride) : address;
}
