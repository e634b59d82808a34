// Which functions keep the vectors of the language, where a backend otherwise wants scalars.
//
// Scalarised, a vector of 16 components takes 16 registers of a full warp, more than there are, for one value. Kept, it
// takes one register or a few, and the warp has fewer work-items. That gains where most varying operations are on whole
// wide vectors, and loses where components are moved or work-items diverge. Functions that are not inlined run
// work-item by work-item: they always keep their vectors, and so do kernels that call functions on wide vectors.
#include "jit/pass/common.h"

#define MIN_COMPONENTS 8
#define MIN_COMPONENTS_LIVE 4 // where more is live than MAX_LIVE
#define MAX_LIVE 192          // registers of a scalarised warp
#define MIN_BYTES 32
// In instructions of a scalarised warp: the gain per component of an operation on kept vectors, and the loss per scalar
// operation, per component moved, and per vector that is selected by lane.
#define GAIN_HALVES 1 // of a component
#define LOSS_SCALAR 2
#define LOSS_MOVE 6
#define LOSS_MOVE_CALLS 1 // where calls run lane by lane anyway
#define LOSS_CHOICE 16

static bool is_wide(kiln_type type, unsigned components) {
  return kiln_type_lanes(type) >= components && kiln_type_bytes(type) >= MIN_BYTES;
}

bool kiln_is_slow_on_vectors(enum kiln_op op) {
  return kiln_op_is_division(op) || op == KILN_OP_FREM || kiln_op_family(op) == KILN_FAMILY_MATH;
}

static bool moves(enum kiln_op op) {
  return op == KILN_OP_VEC || op == KILN_OP_EXTRACT || op == KILN_OP_INSERT || op == KILN_OP_SHUFFLE ||
         op == KILN_OP_ANY || op == KILN_OP_ALL;
}

static bool is_address(enum kiln_op op) {
  return op == KILN_OP_PADD || op == KILN_OP_PTOI || op == KILN_OP_ITOP || op == KILN_OP_PCAST ||
         (op >= KILN_OP_TRUNC && op <= KILN_OP_SEXT);
}

static int64_t gain(const struct kiln_function *fn, kiln_value id, int64_t move, unsigned components) {
  const struct kiln_inst *in = &fn->insts[id];
  enum kiln_op op = (enum kiln_op)in->op;
  kiln_type type = in->operand_count ? fn->insts[kiln_operands(fn, id)[0]].type : in->type;
  if (kiln_type_lanes(type) < kiln_type_lanes(in->type))
    type = in->type;
  bool vector = kiln_type_lanes(type) > 1;
  if (!in->region || fn->shapes[id].kind != KILN_SHAPE_VARYING || kiln_op_table[op].effect != KILN_EFFECT_PURE)
    return 0;
  if (vector && moves(op))
    return -move;
  if (vector && kiln_is_slow_on_vectors(op))
    return -move * kiln_type_lanes(type);
  if (op == KILN_OP_SELECT && is_wide(in->type, components) && kiln_type_lanes(type) == 1)
    return -LOSS_CHOICE;
  if (is_wide(type, components))
    return GAIN_HALVES * kiln_type_lanes(type) / 2;
  return is_address(op) ? 0 : -LOSS_SCALAR;
}

static bool has_wide(const struct kiln_function *fn, unsigned components) {
  for (kiln_value id = 1; id < fn->inst_count; id++)
    if (fn->insts[id].region && is_wide(fn->insts[id].type, components))
      return true;
  return false;
}

static int64_t balance(const struct kiln_function *fn, unsigned components) {
  int64_t sum = 0, move = LOSS_MOVE;
  for (kiln_value id = 1; id < fn->inst_count; id++)
    if (fn->insts[id].op == KILN_OP_CALL && fn->insts[id].region)
      move = LOSS_MOVE_CALLS;
  for (kiln_value id = 1; id < fn->inst_count; id++)
    sum += gain(fn, id, move, components);
  for (uint32_t n = 1; n < fn->node_count; n++) {
    const struct kiln_node *node = &fn->nodes[n];
    for (uint32_t i = 0; node->divergent && i < node->results.count; i++)
      sum -= is_wide(fn->insts[node->results.items[i]].type, components) ? LOSS_CHOICE : 0;
  }
  return sum;
}

// Whether work is in functions on wide vectors, which run work-item by work-item.
static bool calls_wide(const struct kiln_function *fn) {
  for (kiln_value id = 1; id < fn->inst_count; id++)
    if (fn->insts[id].region && fn->insts[id].op == KILN_OP_CALL &&
        has_wide(fn->module->functions[fn->insts[id].imm], MIN_COMPONENTS_LIVE))
      return true;
  return false;
}

bool kiln_keeps_vectors(struct kiln_function *fn) {
  if (!fn->is_kernel)
    return true;
  if (!has_wide(fn, MIN_COMPONENTS_LIVE))
    return false;
  kiln_function_annotate(fn);
  if (fn->has_sub_groups) // which want a warp of their own size
    return false;
  if (calls_wide(fn))
    return true;
  kiln_function_analyse_again(fn);
  unsigned components = fn->shapes && kiln_function_live(fn) > MAX_LIVE ? MIN_COMPONENTS_LIVE : MIN_COMPONENTS;
  bool keeps = fn->shapes && has_wide(fn, components) && balance(fn, components) > 0;
  kiln_forget_shapes(fn);
  return keeps;
}
