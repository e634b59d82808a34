// Uses of macros that are formulas: the steps of their plans, each as the node of the tree that it is short for. In
// each function the first use of a plan is lowered step by step. What the steps come to is, but for the variables,
// always the same: the other uses make it as a row of operations.
#include "jit/lang/formula.h"
#include "jit/lang/lower.h"

#include "jit/ir/internal.h"

struct constant {
  kiln_type type;
  uint64_t bits;
  kiln_value value; // in kiln_plan_row.function
};

struct kiln_plan_row {
  const struct kiln_function *function; // that a use was lowered in; NULL: none
  struct constant *constants;
  uint32_t constant_count, count;
  struct kiln_row_op ops[]; // count of them; 0: the steps are no row
};

// Places among the values of a row: results, addresses of the arguments, constants.
enum {
  FIRST_ARGUMENT = KILN_PLAN_STEPS,
  FIRST_CONSTANT = FIRST_ARGUMENT + KILN_PLAN_ARGUMENTS,
  MAX_VALUES = FIRST_CONSTANT + KILN_PLAN_STEPS,
};
enum { LOC_OF_MACRO = KILN_PLAN_ARGUMENTS, MAX_LOCS }; // behind those of the arguments

// ---- making the row -------------------------------------------------------------------------------------------------

struct maker {
  struct kiln_row_op ops[KILN_PLAN_STEPS];
  struct constant constants[KILN_PLAN_STEPS];
  uint32_t count, constant_count;
};

static uint8_t add_op(struct maker *m, struct kiln_row_op op) {
  m->ops[m->count] = op;
  return (uint8_t)m->count++;
}

static uint8_t add_load(struct maker *m, kiln_type type, uint32_t align, uint8_t argument) {
  return add_op(m, (struct kiln_row_op){.inst = {.op = KILN_OP_LOAD, .type = type, .operand_count = 1, .imm2 = align},
                                        .x = (uint8_t)(FIRST_ARGUMENT + argument),
                                        .loc = argument});
}

static uint8_t add_binary(struct maker *m, enum kiln_op op, kiln_type type, uint16_t flags, uint8_t x, uint8_t y) {
  return add_op(m, (struct kiln_row_op){.inst = {.op = (uint16_t)op, .flags = flags, .type = type, .operand_count = 2},
                                        .x = x,
                                        .y = y,
                                        .loc = LOC_OF_MACRO});
}

static uint8_t add_constant(struct maker *m, kiln_type type, uint64_t value) {
  uint64_t bits = value & kiln_bits_mask(kiln_kind_bits(kiln_type_kind(type)));
  m->constants[m->constant_count] = (struct constant){.type = type, .bits = bits};
  return (uint8_t)(FIRST_CONSTANT + m->constant_count++);
}

// As kiln_lower_negative.
static uint8_t add_negative(struct maker *m, enum kiln_expr_kind kind, kiln_type type, uint8_t x) {
  if (kind == KILN_EX_NOT)
    return add_binary(m, KILN_OP_XOR, type, 0, x, add_constant(m, type, UINT64_MAX));
  return add_binary(m, KILN_OP_ISUB, type, 0, add_constant(m, type, 0), x);
}

// As kiln_lower_arithmetic. False: constants may be folded, or a variable is a count of another width than what it
// shifts.
static bool add_arithmetic(struct maker *m, const struct kiln_plan_step *step, uint8_t *x, uint8_t y) {
  kiln_type type = kiln_ctype_ir(step->type);
  enum kiln_op op = kiln_lower_arithmetic_op(step->op, step->type);
  if (y >= FIRST_CONSTANT) {
    const struct constant *count = &m->constants[y - FIRST_CONSTANT];
    if (*x >= FIRST_CONSTANT)
      return false;
    if (count->type != type)
      y = add_constant(m, type, count->bits);
  } else if (m->ops[y].inst.type != type) {
    return false;
  }
  *x = add_binary(m, op, type, kiln_lower_int_flags(op, type, step->type), *x, y);
  return true;
}

static bool add_steps(struct maker *m, const struct kiln_plan *plan) {
  uint8_t stack[KILN_PLAN_STEPS], *top = stack;
  for (const struct kiln_plan_step *step = plan->steps, *end = step + plan->count; step != end; step++) {
    kiln_type type = kiln_ctype_ir(step->type);
    switch (step->kind) {
    case KILN_PLAN_READ:
      *top++ = add_load(m, type, step->type->align, step->place.argument);
      break;
    case KILN_PLAN_NUMBER:
      *top++ = add_constant(m, type, step->value);
      break;
    case KILN_PLAN_UNARY:
      top[-1] = add_negative(m, step->op, type, top[-1]);
      break;
    case KILN_PLAN_BINARY:
      top--;
      if (!add_arithmetic(m, step, &top[-1], *top))
        return false;
      break;
    }
  }
  return true;
}

static struct kiln_plan_row *make_row(struct kiln_lower *L, const struct kiln_plan *plan) {
  struct maker m;
  m.count = m.constant_count = 0;
  if (!add_steps(&m, plan))
    m.count = m.constant_count = 0;
  struct kiln_plan_row *row = kiln_arena_zalloc(L->arena, sizeof *row + m.count * sizeof *row->ops, 8);
  row->constants = KILN_NEW_ARRAY(L->arena, struct constant, m.constant_count);
  row->count = m.count;
  row->constant_count = m.constant_count;
  memcpy(row->ops, m.ops, m.count * sizeof *m.ops);
  memcpy(row->constants, m.constants, m.constant_count * sizeof *m.constants);
  return row;
}

// ---- lowering -------------------------------------------------------------------------------------------------------

static kiln_value lower_steps(struct kiln_lower *L, const struct kiln_expr *e) {
  const struct kiln_plan *plan = e->plan;
  kiln_value stack[KILN_PLAN_STEPS], *top = stack;
  for (const struct kiln_plan_step *step = plan->steps, *end = step + plan->count; step != end; step++) {
    kiln_lower_at(L, kiln_plan_place(e, step->place));
    switch (step->kind) {
    case KILN_PLAN_READ: {
      const struct kiln_formula_argument *argument = &e->arguments[step->place.argument];
      struct kiln_expr read = {.kind = KILN_EX_READ,
                               .place = argument->place,
                               .end = argument->end,
                               .type = argument->decl->type,
                               .decl = argument->decl};
      *top++ = kiln_lower_read(L, &read);
      break;
    }
    case KILN_PLAN_NUMBER:
      *top++ = kiln_lower_const_int(L, kiln_type_kind(kiln_ctype_ir(step->type)), step->value);
      break;
    case KILN_PLAN_UNARY:
      top[-1] = kiln_lower_negative(L, step->op, top[-1]);
      break;
    case KILN_PLAN_BINARY:
      top--;
      top[-1] = kiln_lower_arithmetic(L, step->op, step->type, top[-1], *top);
      break;
    }
  }
  return stack[0];
}

// 0, and nothing is made: a variable is not in memory of this function as most are, or there is no room.
static inline kiln_value lower_row(struct kiln_lower *L, const struct kiln_expr *e) {
  const struct kiln_plan_row *row = e->plan->row;
  kiln_value values[MAX_VALUES];
  uint32_t locs[MAX_LOCS];
  for (uint32_t i = 0; i < e->plan->argument_count; i++) {
    const struct kiln_formula_argument *argument = &e->arguments[i];
    if (!argument->decl)
      continue;
    const struct kiln_lower_decl *slot = argument->decl->lowered;
    if (!slot || slot->fn != L->fn || !slot->type || slot->align != argument->decl->type.type->align)
      return 0;
    kiln_lower_at(L, argument->place);
    locs[i] = L->b.loc;
    values[FIRST_ARGUMENT + i] = slot->value;
  }
  for (uint32_t i = 0; i < row->constant_count; i++)
    values[FIRST_CONSTANT + i] = row->constants[i].value;
  kiln_lower_at(L, e->first);
  locs[LOC_OF_MACRO] = L->b.loc;
  return kiln_build_row(&L->b, row->ops, row->count, values, locs);
}

kiln_value kiln_lower_formula(struct kiln_lower *L, const struct kiln_expr *e) {
  struct kiln_plan *plan = e->plan;
  kiln_lower_fp(L, e);
  kiln_value value = plan->row && plan->row->function == L->fn && plan->row->count ? lower_row(L, e) : 0;
  if (value)
    return value;
  value = lower_steps(L, e);
  if (!plan->row)
    plan->row = make_row(L, plan);
  plan->row->function = L->fn;
  for (uint32_t i = 0; i < plan->row->constant_count; i++) { // they were made
    struct constant *constant = &plan->row->constants[i];
    constant->value = kiln_const(L->fn, constant->type, constant->bits);
  }
  return value;
}
