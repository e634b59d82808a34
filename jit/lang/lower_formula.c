// Uses of macros that are formulas: the steps of their plans, each as the node of the tree that it is short for.
#include "jit/lang/formula.h"
#include "jit/lang/lower.h"

#include "jit/ir/internal.h"

// Finds the operations.
static void prepare(struct kiln_plan *plan) {
  const struct kiln_ctype *stack[KILN_PLAN_STEPS], **top = stack;
  for (struct kiln_plan_step *step = plan->steps, *end = step + plan->count; step != end; step++) {
    if (step->kind == KILN_PLAN_BINARY) {
      const struct kiln_ctype *right = *--top;
      bool is_shift = step->op == KILN_EX_SHL || step->op == KILN_EX_SHR;
      step->ir_op = (uint16_t)kiln_lower_arithmetic_op(step->op, step->type);
      step->ir_flags = kiln_lower_int_flags((enum kiln_op)step->ir_op, kiln_ctype_ir(step->type), step->type);
      step->resizes = is_shift && right->size != step->type->size;
    }
    top -= step->kind == KILN_PLAN_BINARY || step->kind == KILN_PLAN_UNARY;
    *top++ = step->type;
  }
  plan->is_lowered = true;
}

static inline kiln_value read_argument(struct kiln_lower *L, const struct kiln_formula_argument *argument) {
  const struct kiln_lower_decl *slot = argument->decl->lowered;
  if (slot && slot->fn == L->fn && slot->type) // as most are
    return kiln_build_load(&L->b, slot->type, slot->value, slot->align, 0);
  struct kiln_expr e = {.kind = KILN_EX_READ,
                        .place = argument->place,
                        .end = argument->end,
                        .type = argument->decl->type,
                        .decl = argument->decl};
  return kiln_lower_read(L, &e);
}

static inline kiln_value number(struct kiln_lower *L, struct kiln_plan_step *step) {
  if (step->function != L->fn) {
    step->function = L->fn;
    step->constant = kiln_lower_const_int(L, kiln_type_kind(kiln_ctype_ir(step->type)), step->value);
  }
  return step->constant;
}

kiln_value kiln_lower_formula(struct kiln_lower *L, const struct kiln_expr *e) {
  struct kiln_plan *plan = e->plan;
  kiln_value stack[KILN_PLAN_STEPS], *top = stack;
  if (!plan->is_lowered)
    prepare(plan);
  kiln_lower_fp(L, e);
  for (struct kiln_plan_step *step = plan->steps, *end = step + plan->count; step != end; step++) {
    switch (step->kind) {
    case KILN_PLAN_READ:
      kiln_lower_at(L, e->arguments[step->place.argument].place);
      *top++ = read_argument(L, &e->arguments[step->place.argument]);
      break;
    case KILN_PLAN_NUMBER:
      kiln_lower_at(L, kiln_plan_place(e, step->place));
      *top++ = number(L, step);
      break;
    case KILN_PLAN_UNARY:
      kiln_lower_at(L, e->first + step->place.piece);
      top[-1] = kiln_lower_negative(L, step->op, top[-1]);
      break;
    case KILN_PLAN_BINARY:
      kiln_lower_at(L, e->first + step->place.piece);
      top--;
      if (step->resizes)
        *top = kiln_lower_resize_int(L, *top, false, kiln_type_kind(kiln_ctype_ir(step->type)));
      top[-1] = kiln_build_arithmetic(&L->b, (enum kiln_op)step->ir_op, top[-1], *top, step->ir_flags);
      break;
    }
  }
  return stack[0];
}
