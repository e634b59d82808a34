// Addresses whose index is a 32-bit sum with the flag nsw, summed term by term in 64 bits. Terms that are uniform over
// a row of work-items are then added outside of the loop over warps, and a constant becomes part of the instruction.
// Only kernels whose values are linear along rows.
#include "backends/llvm/spmd/spmd.h"

#include <stdlib.h>

enum { MOST_TERMS = 3 * KILN_AFFINE_TERMS };

struct sum {
  struct kiln_term terms[MOST_TERMS];
  uint32_t count;
  int64_t constant;
};

kiln_value kiln_ll_clamped(const struct kiln_ll_fn *f, kiln_value v) {
  const kiln_value *x = kiln_operands(f->fn, v);
  if (!kiln_ll_is_clamp((enum kiln_op)kiln_inst(f->fn, v)->op) || !kiln_ll_is_assumed(f, v) ||
      kiln_ll_shape(f, v).kind != KILN_SHAPE_LINEAR || f->form->conditional[v])
    return 0;
  return x[kiln_ll_shape(f, x[1]).kind == KILN_SHAPE_LINEAR];
}

static bool is_uniform(const struct kiln_ll_fn *f, kiln_value v) {
  return kiln_ll_shape(f, v).kind == KILN_SHAPE_UNIFORM;
}

// The terms of an extended integer. Assumed minima and maxima are the terms that they equal.
static void find_terms(const struct kiln_ll_fn *f, kiln_value value, struct sum *sum) {
  struct kiln_affine form;
  sum->terms[0] = (struct kiln_term){value, 0, KILN_OP_SEXT, 1};
  sum->count = 1;
  sum->constant = 0;
  for (uint32_t i = 0; i < sum->count;) {
    struct kiln_term term = sum->terms[i];
    kiln_value clamped = kiln_ll_clamped(f, term.value), x = clamped ? clamped : term.value;
    kiln_affine_of(f->fn, x, KILN_AFFINE_EXTENDED, &form);
    bool is_whole = form.term_count == 1 && form.terms[0].value == term.value;
    if (is_whole || term.extension != KILN_OP_SEXT || sum->count + form.term_count > MOST_TERMS) {
      i++;
      continue;
    }
    sum->constant += term.factor * form.constant;
    sum->terms[i] = sum->terms[--sum->count];
    for (uint32_t k = 0; k < form.term_count; k++) {
      sum->terms[sum->count] = form.terms[k];
      sum->terms[sum->count++].factor *= term.factor;
    }
  }
}

static int by_value(const void *a, const void *b) {
  kiln_value x = ((const struct kiln_term *)a)->value, y = ((const struct kiln_term *)b)->value;
  return (x > y) - (x < y);
}

LLVMValueRef kiln_ll_whole_id(struct kiln_ll_fn *f, kiln_value narrow) {
  const struct kiln_inst *in = kiln_inst(f->fn, narrow);
  if (in->op != KILN_OP_TRUNC || in->type != kiln_scalar_type(KILN_I32) ||
      kiln_ll_shape(f, narrow).kind == KILN_SHAPE_VARYING)
    return NULL;
  const struct kiln_inst *id = kiln_inst(f->fn, kiln_operands(f->fn, narrow)[0]);
  bool is_small = id->op == KILN_OP_LOCAL_ID || (id->op == KILN_OP_GLOBAL_ID && f->fn->module->small_ids);
  return is_small ? f->ll->hooks->item(f, (enum kiln_op)id->op, (unsigned)id->imm) : NULL;
}

static LLVMValueRef emit_term(struct kiln_ll_fn *f, const struct kiln_term *term) {
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef value = kiln_ll_extended(f->ll, kiln_ll_held(f, term->value), term->extension);
  if (term->factor == -1)
    return LLVMBuildNeg(b, value, "");
  return term->factor == 1 ? value : LLVMBuildMul(b, value, kiln_ll_i64(f->ll, (uint64_t)term->factor), "");
}

// Adds the uniform terms, or the others. NULL: there are no such terms.
static LLVMValueRef add_terms(struct kiln_ll_fn *f, const struct sum *sum, bool uniform) {
  LLVMValueRef total = NULL;
  for (uint32_t i = 0; i < sum->count; i++) {
    if (is_uniform(f, sum->terms[i].value) != uniform)
      continue;
    LLVMValueRef term = emit_term(f, &sum->terms[i]);
    total = total ? LLVMBuildAdd(f->ll->b, total, term, "") : term;
  }
  return total;
}

// Whether the terms of the extension can be added separately. They must be added separately where only the terms make
// it linear: the 32-bit sum is wrong when lane 0 is off and its sum does not fit.
static bool find_sum(const struct kiln_ll_fn *f, kiln_value index, struct sum *sum) {
  const struct kiln_ll_form *s = f->form;
  if (kiln_inst(f->fn, index)->op != KILN_OP_SEXT || f->group || s->shapes[index].kind != KILN_SHAPE_LINEAR ||
      (!s->shapes[index].of_term && (!s->assumes || s->conditional[index])))
    return false;
  kiln_value narrow = kiln_operands(f->fn, index)[0];
  if (kiln_type_kind(kiln_value_type(f->fn, narrow)) != KILN_I32)
    return false;
  find_terms(f, narrow, sum);
  for (uint32_t i = 0; i < sum->count; i++)
    if (s->shapes[sum->terms[i].value].kind == KILN_SHAPE_VARYING)
      return false;
  qsort(sum->terms, sum->count, sizeof *sum->terms, by_value);
  return true;
}

LLVMValueRef kiln_ll_sum_extension(struct kiln_ll_fn *f, kiln_value inst) {
  struct sum sum;
  if (!f->form->shapes[inst].of_term || !find_sum(f, inst, &sum))
    return NULL;
  LLVMValueRef total = kiln_ll_i64(f->ll, (uint64_t)sum.constant);
  for (int uniform = 1; uniform >= 0; uniform--) {
    LLVMValueRef part = add_terms(f, &sum, uniform);
    total = part ? LLVMBuildAdd(f->ll->b, total, part, "") : total;
  }
  return total;
}

LLVMValueRef kiln_ll_sum_address(struct kiln_ll_fn *f, kiln_value inst) {
  kiln_value pointer = kiln_operands(f->fn, inst)[0];
  int64_t stride = (int64_t)kiln_inst(f->fn, inst)->imm;
  struct sum sum;
  if (f->form->element[inst] || f->form->shapes[pointer].kind == KILN_SHAPE_VARYING ||
      !find_sum(f, kiln_operands(f->fn, inst)[1], &sum))
    return NULL;
  LLVMValueRef address = kiln_ll_held(f, pointer);
  for (int uniform = 1; uniform >= 0; uniform--) {
    LLVMValueRef part = add_terms(f, &sum, uniform);
    address = part ? kiln_ll_pointer_add(f->ll, address, part, stride) : address;
  }
  LLVMValueRef constant = kiln_ll_i64(f->ll, (uint64_t)sum.constant);
  return sum.constant ? kiln_ll_pointer_add(f->ll, address, constant, stride) : address;
}

LLVMValueRef kiln_ll_first_lane_value(struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(f->fn, v);
  if (in->op == KILN_OP_LOCAL_ID && in->imm == 0)
    return f->cpu.local_id[0];
  if (kiln_ll_shape(f, v).kind != KILN_SHAPE_VARYING)
    return kiln_ll_held(f, v);
  const kiln_value *x = kiln_operands(f->fn, v);
  LLVMValueRef operands[2] = {kiln_ll_first_lane_value(f, x[0])};
  if (in->operand_count > 1)
    operands[1] = kiln_ll_first_lane_value(f, x[1]);
  return kiln_ll_compute_from(f, v, operands);
}
