// What the verifier checks of a single operation: operand classes and result from ops.def, then what the table cannot
// say.
#include "jit/ir/verify.h"

#include <string.h>

#include "jit/ir/images.h"

static bool is_int(kiln_type type) { return kiln_kind_is_int(kiln_type_kind(type)); }
static bool is_float(kiln_type type) { return kiln_kind_is_float(kiln_type_kind(type)); }
static bool is_ptr(kiln_type type) { return kiln_type_kind(type) == KILN_PTR; }
static bool is_bool(kiln_type type) { return kiln_type_kind(type) == KILN_BOOL; }
static bool is_power_of_two(uint64_t n) { return n && (n & (n - 1)) == 0; }
static unsigned lanes_of(kiln_type type) { return kiln_type_lanes(type); }
static unsigned bits_of(kiln_type type) { return kiln_kind_bits(kiln_type_kind(type)); }

static kiln_type operand_type(const struct kiln_verifier *v, kiln_value id, uint32_t index) {
  return v->fn->insts[kiln_operands(v->fn, id)[index]].type;
}

enum {
  INTS = 1 << KILN_I8 | 1 << KILN_I16 | 1 << KILN_I32 | 1 << KILN_I64,
  FLOATS = 1 << KILN_F16 | 1 << KILN_F32 | 1 << KILN_F64,
};

// What the letters of operands in ops.def stand for.
static const struct class {
  int kinds; // bits: of elements
  bool is_scalar;
  bool agrees; // operands of such classes have the same type, unless the operation has its own rule
  const char *name;
} classes[128] = {
    ['i'] = {INTS, false, true, "an integer"},          ['f'] = {FLOATS, false, true, "a float"},
    ['n'] = {INTS | FLOATS, false, true, "a number"},   ['b'] = {1 << KILN_BOOL, false, false, "a bool"},
    ['p'] = {1 << KILN_PTR, false, false, "a pointer"}, ['s'] = {INTS, true, false, "a scalar integer"},
    ['l'] = {1 << KILN_I64, true, false, "an i64"},     ['x'] = {~0, false, true, "a value"},
    ['w'] = {1 << KILN_I32, false, true, "an i32"},
};

static bool has_own_operand_types(enum kiln_op op) {
  enum kiln_op_family family = kiln_op_family(op);
  return family == KILN_FAMILY_CONVERT || family == KILN_FAMILY_MEMORY || op == KILN_OP_PRINTF ||
         (family == KILN_FAMILY_ATOMIC && op != KILN_OP_ATOMIC_CAS) || op == KILN_OP_EXTRACT || op == KILN_OP_INSERT;
}

static bool check_classes(struct kiln_verifier *v, kiln_value id) {
  const struct kiln_inst *inst = &v->fn->insts[id];
  const struct kiln_op_info *info = &kiln_op_table[inst->op];
  const char *letters = info->operands;
  bool agree = !has_own_operand_types(inst->op);
  kiln_type same = 0;
  uint32_t i = 0;
  char text[2][KILN_TYPE_TEXT_SIZE];
  for (; letters[i] && letters[i] != '*' && i < inst->operand_count; i++) {
    kiln_type type = operand_type(v, id, i);
    const struct class *wanted = &classes[(unsigned char)letters[i]];
    if (!(wanted->kinds >> kiln_type_kind(type) & 1) || (wanted->is_scalar && lanes_of(type) > 1))
      return kiln_verify_fail(v, id, "%s: operand %u is %s, not %s", info->name, i, kiln_type_text(type, text[0]),
                              wanted->name);
    if (!agree || !wanted->agrees)
      continue;
    if (same && type != same)
      return kiln_verify_fail(v, id, "%s: operand %u is %s, but the one before is %s", info->name, i,
                              kiln_type_text(type, text[0]), kiln_type_text(same, text[1]));
    same = type;
  }
  if ((letters[i] && letters[i] != '*') || (i < inst->operand_count && !letters[i])) {
    size_t fixed = strcspn(letters, "*");
    return kiln_verify_fail(v, id, "%s takes %s%zu operands, not %u", info->name, letters[fixed] ? "at least " : "",
                            fixed, inst->operand_count);
  }
  return true;
}

static bool check_result(struct kiln_verifier *v, kiln_value id) {
  const struct kiln_inst *inst = &v->fn->insts[id];
  const struct kiln_op_info *info = &kiln_op_table[inst->op];
  kiln_type wanted = inst->type;
  switch (info->result) {
  case KILN_RESULT_SAME:
    wanted = operand_type(v, id, 0);
    break;
  case KILN_RESULT_TAIL:
    wanted = operand_type(v, id, inst->operand_count - 1);
    break;
  case KILN_RESULT_BOOL:
    wanted = kiln_vec_type(KILN_BOOL, lanes_of(operand_type(v, id, 0)));
    break;
  case KILN_RESULT_VOID:
    wanted = kiln_scalar_type(KILN_VOID);
    break;
  case KILN_RESULT_GIVEN:
    if (!kiln_type_is_valid(inst->type) || kiln_type_kind(inst->type) == KILN_IMAGE ||
        (kiln_type_kind(inst->type) == KILN_VOID && inst->op != KILN_OP_CALL))
      return kiln_verify_fail(v, id, "%s: the type of the result is not valid", info->name);
    break;
  }
  char text[2][KILN_TYPE_TEXT_SIZE];
  return inst->type == wanted || kiln_verify_fail(v, id, "%s: the result is %s, but must be %s", info->name,
                                                  kiln_type_text(inst->type, text[0]), kiln_type_text(wanted, text[1]));
}

// ---- immediates and flags -------------------------------------------------------------------------------------------

static bool check_order(struct kiln_verifier *v, kiln_value id, uint64_t imm) {
  return (kiln_atomic_order(imm) <= KILN_SEQ_CST && kiln_atomic_scope(imm) <= KILN_SCOPE_SYSTEM && imm >> 16 == 0) ||
         kiln_verify_fail(v, id, "unknown memory order or scope");
}

static bool check_collective(struct kiln_verifier *v, kiln_value id) {
  const struct kiln_inst *inst = &v->fn->insts[id];
  const char *name = kiln_op_table[inst->op].name;
  enum kiln_scope scope = kiln_collective_scope(inst->imm);
  unsigned cluster = kiln_collective_cluster(inst->imm);
  if ((scope != KILN_SCOPE_SUB_GROUP && scope != KILN_SCOPE_GROUP) || inst->imm >> 16)
    return kiln_verify_fail(v, id, "%s is of a sub_group or a group", name);
  if (cluster && (inst->op != KILN_OP_GROUP_REDUCE || scope != KILN_SCOPE_SUB_GROUP || !is_power_of_two(cluster) ||
                  cluster > KILN_MAX_WARP_SIZE))
    return kiln_verify_fail(v, id, "%s: a cluster of %u work-items", name, cluster);
  return true;
}

static bool check_item(struct kiln_verifier *v, kiln_value id) {
  const struct kiln_inst *inst = &v->fn->insts[id];
  const char *name = kiln_op_table[inst->op].name;
  if (inst->op == KILN_OP_NOALIAS)
    return inst->type == kiln_scalar_type(KILN_BOOL) || kiln_verify_fail(v, id, "noalias gives a bool");
  if (kiln_op_family(kiln_op_of(inst)) == KILN_FAMILY_SUB_GROUP)
    return inst->type == kiln_scalar_type(KILN_I32) || kiln_verify_fail(v, id, "%s gives an i32", name);
  kiln_type type = kiln_scalar_type(inst->op == KILN_OP_WORK_DIM ? KILN_I32 : KILN_I64);
  return inst->type == type || kiln_verify_fail(v, id, "%s has another type", name);
}

// Operations on groups take and give scalars.
static bool check_group_op(struct kiln_verifier *v, kiln_value id) {
  const struct kiln_inst *inst = &v->fn->insts[id];
  const char *name = kiln_op_table[inst->op].name;
  if (inst->op == KILN_OP_BARRIER || inst->op == KILN_OP_SUB_GROUP_BARRIER)
    return true;
  if (lanes_of(operand_type(v, id, 0)) != 1)
    return kiln_verify_fail(v, id, "%s: the operand is no scalar", name);
  if (inst->operand_count == 2 && operand_type(v, id, 1) != kiln_scalar_type(KILN_I32))
    return kiln_verify_fail(v, id, "%s: the id is no i32", name);
  if (inst->op == KILN_OP_SUB_GROUP_BALLOT)
    return inst->type == kiln_scalar_type(KILN_I64) || kiln_verify_fail(v, id, "%s gives an i64", name);
  if (inst->op < KILN_OP_GROUP_REDUCE || inst->op > KILN_OP_GROUP_SCAN_EXCLUSIVE)
    return true;
  return is_float(inst->type) == (inst->flags >= KILN_REDUCE_FADD) ||
         kiln_verify_fail(v, id, "%s: not a type for this operation", name);
}

static bool check_flags(struct kiln_verifier *v, kiln_value id) {
  const struct kiln_inst *inst = &v->fn->insts[id];
  unsigned allowed = 0;
  if (inst->flags == 0) // which every operation may have
    return true;
  if (inst->op == KILN_OP_ATOMIC_RMW)
    return inst->flags < KILN_RMW_COUNT || kiln_verify_fail(v, id, "atomic_rmw: unknown operation");
  if (inst->op >= KILN_OP_GROUP_REDUCE && inst->op <= KILN_OP_GROUP_SCAN_EXCLUSIVE)
    return inst->flags < KILN_REDUCE_COUNT ||
           kiln_verify_fail(v, id, "%s: unknown operation", kiln_op_table[inst->op].name);
  if (inst->op == KILN_OP_LOAD || inst->op == KILN_OP_STORE || inst->op == KILN_OP_COPY)
    allowed = KILN_MEM_VOLATILE;
  else if (inst->op == KILN_OP_IF)
    allowed = KILN_IF_LIKELY;
  else if (inst->op == KILN_OP_PRINTF && !inst->operand_count)
    allowed = KILN_PRINT_FAIL;
  else if (inst->op == KILN_OP_IMAGE_READ)
    allowed = KILN_IMAGE_SAMPLED | KILN_IMAGE_UNSIGNED | KILN_IMAGE_ANY_SIGN;
  else if (inst->op == KILN_OP_IMAGE_WRITE)
    allowed = KILN_IMAGE_UNSIGNED | KILN_IMAGE_ANY_SIGN;
  else if (inst->op == KILN_OP_DOT4)
    allowed = KILN_DOT_FIRST_SMALL | KILN_DOT_SECOND_SMALL;
  else if (kiln_op_has_fp_flags((enum kiln_op)inst->op))
    allowed = KILN_FP_HALF * 2 - 1;
  else if (kiln_op_has_int_flags((enum kiln_op)inst->op))
    allowed = KILN_INT_NSW;
  if (inst->op == KILN_OP_FTOS || inst->op == KILN_OP_FTOU)
    allowed |= KILN_FP_INRANGE;
  if (inst->op == KILN_OP_FMUL)
    allowed |= KILN_FP_UNROUNDED;
  return (inst->flags & ~allowed) == 0 ||
         kiln_verify_fail(v, id, "%s has flags of another operation", kiln_op_table[inst->op].name);
}

// Whether a query is that of a dimension that emitters add, in the copy of a function.
static bool is_of_emitter(const struct kiln_verifier *v, const struct kiln_inst *inst) {
  return kiln_module_priv(v->module)->is_copy && inst->imm == 3 &&
         (inst->op == KILN_OP_GLOBAL_ID || inst->op == KILN_OP_GLOBAL_OFFSET);
}

static bool check_imm(struct kiln_verifier *v, kiln_value id) {
  const struct kiln_inst *inst = &v->fn->insts[id];
  const char *name = kiln_op_table[inst->op].name;
  if (inst->imm == 0 && inst->imm2 == 0 && kiln_op_table[inst->op].effect == KILN_EFFECT_PURE)
    return true;
  bool uses_align =
      inst->op == KILN_OP_VAR || inst->op == KILN_OP_LOAD || inst->op == KILN_OP_STORE || inst->op == KILN_OP_COPY;
  bool uses_fence = inst->op == KILN_OP_FENCE || inst->op == KILN_OP_BARRIER || inst->op == KILN_OP_SUB_GROUP_BARRIER;
  if (uses_align && !is_power_of_two(inst->imm2))
    return kiln_verify_fail(v, id, "%s: the alignment is no power of two", name);
  if (inst->imm2 > (uses_align ? UINT32_MAX : uses_fence ? 7u : 0))
    return kiln_verify_fail(v, id, "%s has a second immediate that is not allowed", name);
  switch (inst->op) {
  case KILN_OP_FTOS:
  case KILN_OP_FTOU:
  case KILN_OP_STOF:
  case KILN_OP_UTOF:
  case KILN_OP_FTOF:
    return inst->imm <= KILN_ROUND_DOWN || kiln_verify_fail(v, id, "%s: unknown rounding mode", name);
  case KILN_OP_DOT4:
    return inst->imm <= (KILN_DOT_FIRST_SIGNED | KILN_DOT_SECOND_SIGNED) ||
           kiln_verify_fail(v, id, "%s: unknown signs", name);
  case KILN_OP_IMAGE_QUERY:
    return inst->imm <= KILN_IMAGE_TYPE || kiln_verify_fail(v, id, "%s asks for nothing known", name);
  case KILN_OP_ATOMIC_LOAD:
  case KILN_OP_ATOMIC_STORE:
  case KILN_OP_ATOMIC_RMW:
  case KILN_OP_ATOMIC_CAS:
  case KILN_OP_FENCE:
    return check_order(v, id, inst->imm);
  case KILN_OP_GROUP_ALL:
  case KILN_OP_GROUP_ANY:
  case KILN_OP_GROUP_BROADCAST:
  case KILN_OP_GROUP_REDUCE:
  case KILN_OP_GROUP_SCAN_INCLUSIVE:
  case KILN_OP_GROUP_SCAN_EXCLUSIVE:
    return check_collective(v, id);
  case KILN_OP_PRINTF:
    return (inst->imm < v->module->global_count && v->module->globals[inst->imm].space == KILN_CONSTANT) ||
           kiln_verify_fail(v, id, "printf: the format is no constant module variable");
  case KILN_OP_CALL:
    return inst->imm < v->module->function_count || kiln_verify_fail(v, id, "call: there is no such function");
  case KILN_OP_GLOBAL_ID:
  case KILN_OP_GLOBAL_OFFSET:
  case KILN_OP_LOCAL_ID:
  case KILN_OP_GROUP_ID:
  case KILN_OP_GLOBAL_SIZE:
  case KILN_OP_LOCAL_SIZE:
  case KILN_OP_FULL_LOCAL_SIZE:
  case KILN_OP_NUM_GROUPS:
    return inst->imm <= 2 || is_of_emitter(v, inst) ||
           kiln_verify_fail(v, id, "%s: there is no dimension %llu", name, (unsigned long long)inst->imm);
  case KILN_OP_PADD:
  case KILN_OP_VAR:
  case KILN_OP_COPY:
  case KILN_OP_BREAK:
  case KILN_OP_CONTINUE:
    return true;
  }
  return inst->imm == 0 || kiln_verify_fail(v, id, "%s has an immediate", name);
}

// ---- what the table cannot say --------------------------------------------------------------------------------------

static bool check_vector_op(struct kiln_verifier *v, kiln_value id) {
  const struct kiln_inst *inst = &v->fn->insts[id];
  const char *name = kiln_op_table[inst->op].name;
  kiln_type type = inst->type, first = inst->operand_count ? operand_type(v, id, 0) : 0;
  bool ok = true;
  switch (inst->op) {
  case KILN_OP_SELECT:
    ok = lanes_of(first) == 1 || lanes_of(first) == lanes_of(type);
    break;
  case KILN_OP_SPLAT:
    ok = lanes_of(type) > 1 && kiln_type_element(type) == first;
    break;
  case KILN_OP_VEC:
    ok = lanes_of(type) > 1 && inst->operand_count == lanes_of(type);
    for (uint32_t i = 0; i < inst->operand_count && ok; i++)
      ok = operand_type(v, id, i) == kiln_type_element(type);
    break;
  case KILN_OP_EXTRACT:
    ok = lanes_of(first) > 1 && type == kiln_type_element(first);
    break;
  case KILN_OP_INSERT:
    ok = lanes_of(first) > 1 && operand_type(v, id, 1) == kiln_type_element(first);
    break;
  case KILN_OP_SHUFFLE:
    ok = kiln_type_element(type) == kiln_type_element(first) && inst->node < v->fn->shuffle_count;
    for (unsigned i = 0; i < lanes_of(type) && ok; i++) {
      uint8_t lane = v->fn->shuffles[inst->node][i];
      ok = lane == 0xff || lane < 2 * lanes_of(first);
    }
    break;
  }
  return ok || kiln_verify_fail(v, id, "%s: the lanes or element types do not fit", name);
}

static bool check_convert(struct kiln_verifier *v, kiln_value id) {
  const struct kiln_inst *inst = &v->fn->insts[id];
  kiln_type to = inst->type, from = operand_type(v, id, 0);
  bool ok = true, lanes = lanes_of(to) == lanes_of(from);
  switch (inst->op) {
  case KILN_OP_TRUNC:
    ok = lanes && is_int(to) && bits_of(to) < bits_of(from);
    break;
  case KILN_OP_ZEXT:
  case KILN_OP_SEXT:
    ok = lanes && (is_int(from) || is_bool(from)) && is_int(to) && bits_of(to) > bits_of(from);
    break;
  case KILN_OP_FTOS:
  case KILN_OP_FTOU:
    ok = lanes && is_int(to);
    break;
  case KILN_OP_STOF:
  case KILN_OP_UTOF:
    ok = lanes && is_float(to);
    break;
  case KILN_OP_FTOF:
    ok = lanes && is_float(to) && to != from;
    break;
  case KILN_OP_BITCAST:
    ok = bits_of(to) * lanes_of(to) == bits_of(from) * lanes_of(from) && !is_bool(to) && !is_bool(from) &&
         !is_ptr(to) && !is_ptr(from);
    break;
  case KILN_OP_PTOI:
    ok = to == kiln_scalar_type(KILN_I64);
    break;
  case KILN_OP_ITOP:
    ok = is_ptr(to);
    break;
  case KILN_OP_PSPACE:
    return (from == kiln_ptr_type(KILN_GENERIC) && to == kiln_scalar_type(KILN_I32)) ||
           kiln_verify_fail(v, id, "pspace asks about a generic pointer and gives an i32");
  case KILN_OP_PCAST:
    ok = is_ptr(to) && (kiln_type_space(to) == KILN_GENERIC) != (kiln_type_space(from) == KILN_GENERIC);
    break;
  }
  char text[2][KILN_TYPE_TEXT_SIZE];
  return ok || kiln_verify_fail(v, id, "%s cannot convert %s to %s", kiln_op_table[inst->op].name,
                                kiln_type_text(from, text[0]), kiln_type_text(to, text[1]));
}

static bool is_atomic_type(kiln_type type) {
  return lanes_of(type) == 1 && (is_int(type) || is_float(type)) && bits_of(type) >= 32;
}

static bool check_memory(struct kiln_verifier *v, kiln_value id) {
  const struct kiln_inst *inst = &v->fn->insts[id];
  const char *name = kiln_op_table[inst->op].name;
  switch (inst->op) {
  case KILN_OP_VAR:
    return inst->type == kiln_ptr_type(KILN_PRIVATE) ||
           kiln_verify_fail(v, id, "var gives a pointer to private memory");
  case KILN_OP_LOAD:
    return !is_bool(inst->type) || kiln_verify_fail(v, id, "a bool is never in memory");
  case KILN_OP_STORE:
    return !is_bool(operand_type(v, id, 1)) || kiln_verify_fail(v, id, "a bool is never in memory");
  case KILN_OP_ATOMIC_LOAD:
    return is_atomic_type(inst->type) || kiln_verify_fail(v, id, "%s: not a type that can be atomic", name);
  case KILN_OP_ATOMIC_STORE:
  case KILN_OP_ATOMIC_CAS:
    return is_atomic_type(operand_type(v, id, 1)) || kiln_verify_fail(v, id, "%s: not a type that can be atomic", name);
  case KILN_OP_ATOMIC_RMW: {
    kiln_type type = operand_type(v, id, 1);
    bool float_op = inst->flags >= KILN_RMW_FADD;
    if (!is_atomic_type(type) || (inst->flags != KILN_RMW_XCHG && float_op != is_float(type)))
      return kiln_verify_fail(v, id, "atomic_rmw: not a type for this operation");
    return true;
  }
  case KILN_OP_PRINTF:
    for (uint32_t i = 0; i < inst->operand_count; i++)
      if (is_bool(operand_type(v, id, i)))
        return kiln_verify_fail(v, id, "printf: operand %u is a bool", i);
    return inst->type == kiln_scalar_type(KILN_I32) || kiln_verify_fail(v, id, "printf gives an i32");
  case KILN_OP_ASSUME:
    return lanes_of(operand_type(v, id, 0)) == 1 || kiln_verify_fail(v, id, "assume: the condition is no scalar");
  }
  return true;
}

static bool check_call(struct kiln_verifier *v, kiln_value id) {
  const struct kiln_inst *inst = &v->fn->insts[id];
  const struct kiln_function *callee = v->module->functions[inst->imm];
  if (inst->operand_count != callee->param_count)
    return kiln_verify_fail(v, id, "call of %s with %u arguments instead of %u", callee->name, inst->operand_count,
                            callee->param_count);
  for (uint32_t i = 0; i < inst->operand_count; i++) {
    char text[2][KILN_TYPE_TEXT_SIZE];
    if (operand_type(v, id, i) != callee->params[i].type)
      return kiln_verify_fail(v, id, "call of %s: argument %u is %s, but must be %s", callee->name, i,
                              kiln_type_text(operand_type(v, id, i), text[0]),
                              kiln_type_text(callee->params[i].type, text[1]));
  }
  if (inst->type != callee->return_type)
    return kiln_verify_fail(v, id, "call of %s: the result has another type than the function", callee->name);
  return kiln_verify_add_call(v, id, (uint32_t)inst->imm);
}

// Four components, or one of an image of depth.
static bool is_pixel(kiln_type type, enum kiln_image_dimension dimension) {
  enum kiln_kind kind = kiln_type_kind(type);
  return kiln_image_is_depth(dimension)
             ? type == kiln_scalar_type(KILN_F32)
             : lanes_of(type) == 4 && (kind == KILN_F32 || kind == KILN_F16 || kind == KILN_I32);
}

static bool check_coordinates(struct kiln_verifier *v, kiln_value id, uint32_t first, unsigned count, bool floats) {
  const char *name = kiln_op_table[v->fn->insts[id].op].name;
  for (uint32_t i = first; i < first + count; i++) {
    kiln_type type = operand_type(v, id, i);
    if (type != operand_type(v, id, first) ||
        (type != kiln_scalar_type(KILN_I32) && !(floats && type == kiln_scalar_type(KILN_F32))))
      return kiln_verify_fail(v, id, "%s: coordinates are of i32%s", name, floats ? ", or all of f32" : "");
  }
  return true;
}

static bool check_image_op(struct kiln_verifier *v, kiln_value id) {
  const struct kiln_inst *inst = &v->fn->insts[id];
  const char *name = kiln_op_table[inst->op].name;
  if (!inst->operand_count || kiln_type_kind(operand_type(v, id, 0)) != KILN_IMAGE)
    return kiln_verify_fail(v, id, "%s: operand 0 is no image", name);
  kiln_type image = operand_type(v, id, 0);
  enum kiln_image_dimension dimension = kiln_type_dimension(image);
  bool reads = inst->op == KILN_OP_IMAGE_READ, is_sampled = inst->flags & KILN_IMAGE_SAMPLED;
  unsigned coordinates = inst->op == KILN_OP_IMAGE_QUERY ? 0 : kiln_image_coordinates(dimension);
  unsigned operands = 1 + is_sampled + coordinates + (inst->op == KILN_OP_IMAGE_WRITE);
  if (inst->operand_count != operands)
    return kiln_verify_fail(v, id, "%s of this image takes %u operands, not %u", name, operands, inst->operand_count);
  if (inst->op == KILN_OP_IMAGE_QUERY)
    return inst->type == kiln_scalar_type(KILN_I32) || kiln_verify_fail(v, id, "%s gives an i32", name);
  if (kiln_type_access(image) == (reads ? KILN_ACCESS_WRITE : KILN_ACCESS_READ))
    return kiln_verify_fail(v, id, "%s of an image that the kernel does not %s", name, reads ? "read" : "write");
  if (is_sampled && operand_type(v, id, 1) != kiln_scalar_type(KILN_I32))
    return kiln_verify_fail(v, id, "%s: the sampler is no i32", name);
  if (!check_coordinates(v, id, 1 + is_sampled, coordinates, is_sampled))
    return false;
  return is_pixel(reads ? inst->type : operand_type(v, id, operands - 1), dimension) ||
         kiln_verify_fail(v, id, "%s: the pixel is not of four f32, f16 or i32, or of one f32 for depth", name);
}

// An image has no operations but these, and calls.
static bool check_image_operands(struct kiln_verifier *v, kiln_value id) {
  const struct kiln_inst *inst = &v->fn->insts[id];
  for (uint32_t i = 0; i < inst->operand_count; i++)
    if (kiln_type_kind(operand_type(v, id, i)) == KILN_IMAGE && inst->op != KILN_OP_CALL &&
        (i || kiln_op_family(kiln_op_of(inst)) != KILN_FAMILY_IMAGE))
      return kiln_verify_fail(v, id, "%s takes no image as operand %u", kiln_op_table[inst->op].name, i);
  return true;
}

// Of FREE values and jumps more is checked in verify.c.
bool kiln_verify_op(struct kiln_verifier *v, kiln_value id) {
  const struct kiln_inst *inst = &v->fn->insts[id];
  enum kiln_op op = kiln_op_of(inst);
  if (!check_classes(v, id) || !check_result(v, id) || !check_imm(v, id) || !check_flags(v, id) ||
      (v->has_images && !check_image_operands(v, id)))
    return false;
  switch (kiln_op_family(op)) {
  case KILN_FAMILY_COMPARE:
    return op == KILN_OP_SLT || op == KILN_OP_SLE || is_int(operand_type(v, id, 0)) || is_ptr(operand_type(v, id, 0)) ||
           kiln_verify_fail(v, id, "%s compares integers or pointers", kiln_op_table[op].name);
  case KILN_FAMILY_BOOL:
    if (op == KILN_OP_AGREE)
      return (inst->type == kiln_scalar_type(KILN_BOOL) && operand_type(v, id, 0) == inst->type) ||
             kiln_verify_fail(v, id, "agree takes and gives a scalar bool");
    return (op != KILN_OP_ANY && op != KILN_OP_ALL) || inst->type == kiln_scalar_type(KILN_BOOL) ||
           kiln_verify_fail(v, id, "%s gives a bool", kiln_op_table[op].name);
  case KILN_FAMILY_VECTOR:
    return check_vector_op(v, id);
  case KILN_FAMILY_CONVERT:
    return check_convert(v, id);
  case KILN_FAMILY_MEMORY:
  case KILN_FAMILY_ATOMIC:
    return check_memory(v, id);
  case KILN_FAMILY_CALL:
    return op == KILN_OP_CALL ? check_call(v, id) : check_memory(v, id);
  case KILN_FAMILY_ITEM:
  case KILN_FAMILY_SUB_GROUP:
    return check_item(v, id);
  case KILN_FAMILY_GROUP:
    return check_group_op(v, id);
  case KILN_FAMILY_IMAGE:
    return check_image_op(v, id);
  case KILN_FAMILY_FREE:
  case KILN_FAMILY_INT:
  case KILN_FAMILY_FLOAT:
  case KILN_FAMILY_MATH:
  case KILN_FAMILY_FCOMPARE:
  case KILN_FAMILY_FLOW:
    break;
  }
  return true;
}
