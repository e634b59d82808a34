// Contraction: a multiplication that only one addition or subtraction uses becomes an FMA with it, where both allow it
// (KILN_FP_CONTRACT), wherever they stand in the source, or where the multiplication alone allows it
// (KILN_FP_UNROUNDED); within an expression lower/fuse.c has done it. No backend fuses operations, so that all give the
// same bits. Leaves the multiplication to dce. Requires a verified function.
// Linear.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): contracted.
#include "jit/pass/common.h"

// by: KILN_FP_CONTRACT where the sum has that flag, else 0.
static bool is_contractible(const struct kiln_function *fn, const uint32_t *uses, kiln_value value, uint16_t by) {
  const struct kiln_inst *inst = &fn->insts[value];
  return inst->op == KILN_OP_FMUL && inst->flags & (by | KILN_FP_UNROUNDED) && uses[value] == 1;
}

// x * y + z, -(x * y) + z or x * y - z in place of the addition or subtraction.
static void contract(struct kiln_function *fn, kiln_value id, unsigned product) {
  bool subtract = fn->insts[id].op == KILN_OP_FSUB;
  kiln_value mul = kiln_operands(fn, id)[product], addend = kiln_operands(fn, id)[!product];
  kiln_value x = kiln_operands(fn, mul)[0], y = kiln_operands(fn, mul)[1];
  struct kiln_builder b = kiln_builder_before(fn, id);
  kiln_value *negated = !product ? &addend : fn->insts[y].op == KILN_OP_CONST ? &y : &x;
  if (subtract) // of a constant that is folded
    *negated = kiln_build1(&b, KILN_OP_FNEG, KILN_VOID, *negated);
  fn->insts[id].op = KILN_OP_FMA;
  fn->insts[id].flags &= fn->insts[mul].flags;
  kiln_set_operands(fn, id, (kiln_value[]){x, y, addend}, 3);
}

static bool run(struct kiln_function *fn, struct kiln_arena *arena, bool halves) {
  const uint32_t *uses = NULL; // counted for the first sum
  uint32_t count = fn->inst_count;
  bool changed = false, has_unrounded = false;
  for (kiln_value id = 1; id < count && !has_unrounded; id++)
    has_unrounded = fn->insts[id].op == KILN_OP_FMUL && fn->insts[id].flags & KILN_FP_UNROUNDED;
  for (kiln_value id = 1; id < count; id++) {
    const struct kiln_inst *inst = &fn->insts[id];
    if ((inst->op != KILN_OP_FADD && inst->op != KILN_OP_FSUB) || !inst->region)
      continue;
    uint16_t by = inst->flags & KILN_FP_CONTRACT;
    if (!by && !has_unrounded)
      continue;
    if (kiln_type_kind(inst->type) == KILN_F16 && !halves)
      continue;
    if (!uses)
      uses = kiln_count_uses(fn, arena);
    const kiln_value *operands = kiln_operands(fn, id);
    bool first = is_contractible(fn, uses, operands[0], by), second = is_contractible(fn, uses, operands[1], by);
    if (!first && !second)
      continue;
    contract(fn, id, first ? 0 : 1);
    changed = true;
  }
  return changed;
}

static bool run_all(void *fn, struct kiln_arena *arena) { return run(fn, arena, true); }

static bool run_but_half(void *fn, struct kiln_arena *arena) { return run(fn, arena, false); }

bool kiln_pass_contract(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run_all); }

bool kiln_pass_contract_but_half(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run_but_half); }
