// Built-in variables: a load of one is a query of the work-item.
#include "jit/spirv/function.h"

enum builtin {
#define KILN_SPV_BUILTIN(name, number) BUILTIN_##name = (number),
#include "jit/spirv/builtin.def"
};

struct kiln_spv_input { // a variable whose address is used
  struct kiln_spv_input *next;
  uint32_t id;
  kiln_value var;
};

bool kiln_spv_is_input(const struct kiln_spv *spv, uint32_t id) {
  return spv->ids[id].what == KILN_SPV_IS_VARIABLE && spv->ids[id].number == KILN_SPV_NO_GLOBAL;
}

bool kiln_spv_is_builtin(const struct kiln_spv *spv, uint32_t id) {
  const struct kiln_spv_id *known = &spv->ids[id];
  if (known->what != KILN_SPV_IS_VARIABLE)
    return false;
  return known->type->storage == KILN_SPV_StorageClass_Input ||
         (known->type->storage == KILN_SPV_StorageClass_UniformConstant &&
          kiln_spv_decoration(spv, id, KILN_SPV_Decoration_BuiltIn));
}

struct query {
  enum builtin builtin;
  enum kiln_op op;
};

static enum kiln_op op_of(const struct query *queries, size_t count, enum builtin builtin) {
  for (size_t i = 0; i < count; i++)
    if (queries[i].builtin == builtin)
      return queries[i].op;
  return KILN_OP_COUNT;
}

// The query that gives the variable in a dimension; COUNT: the variable has no dimensions.
static enum kiln_op item_op(enum builtin builtin) {
  static const struct query queries[] = {{BUILTIN_NumWorkgroups, KILN_OP_NUM_GROUPS},
                                         {BUILTIN_WorkgroupSize, KILN_OP_LOCAL_SIZE},
                                         {BUILTIN_WorkgroupId, KILN_OP_GROUP_ID},
                                         {BUILTIN_LocalInvocationId, KILN_OP_LOCAL_ID},
                                         {BUILTIN_GlobalInvocationId, KILN_OP_GLOBAL_ID},
                                         {BUILTIN_GlobalSize, KILN_OP_GLOBAL_SIZE},
                                         {BUILTIN_EnqueuedWorkgroupSize, KILN_OP_FULL_LOCAL_SIZE},
                                         {BUILTIN_GlobalOffset, KILN_OP_GLOBAL_OFFSET}};
  return op_of(queries, sizeof queries / sizeof *queries, builtin);
}

bool kiln_spv_is_dimensions(const struct kiln_spv *spv, uint32_t id, uint64_t *beyond) {
  const struct kiln_spv_id *value = &spv->ids[id];
  if (value->what != KILN_SPV_IS_VALUE || value->inst->op != KILN_SPV_OpLoad)
    return false;
  uint32_t variable = value->inst->operands[0];
  const struct kiln_spv_decoration *says = kiln_spv_decoration(spv, variable, KILN_SPV_Decoration_BuiltIn);
  if (!says || !says->count)
    return false;
  enum kiln_op op = item_op((enum builtin)says->operands[0]);
  *beyond = op == KILN_OP_NUM_GROUPS || op == KILN_OP_LOCAL_SIZE || op == KILN_OP_GLOBAL_SIZE ||
            op == KILN_OP_FULL_LOCAL_SIZE;
  return op != KILN_OP_COUNT;
}

static enum kiln_op sub_group_op(enum builtin builtin) {
  static const struct query queries[] = {{BUILTIN_SubgroupSize, KILN_OP_SUB_GROUP_SIZE},
                                         {BUILTIN_SubgroupMaxSize, KILN_OP_MAX_SUB_GROUP_SIZE},
                                         {BUILTIN_NumSubgroups, KILN_OP_NUM_SUB_GROUPS},
                                         {BUILTIN_SubgroupId, KILN_OP_SUB_GROUP_ID},
                                         {BUILTIN_SubgroupLocalInvocationId, KILN_OP_SUB_GROUP_LOCAL_ID}};
  return op_of(queries, sizeof queries / sizeof *queries, builtin);
}

static kiln_value word(struct kiln_spv_fn *f, uint64_t value) {
  return kiln_const(f->fn, kiln_scalar_type(KILN_I64), value);
}

static kiln_value linear_global_id(struct kiln_spv_fn *f) {
  kiln_value v = 0;
  for (unsigned d = 3; d-- > 0;) {
    kiln_value id = kiln_spv_item(f, KILN_OP_GLOBAL_ID, d);
    id = kiln_build2(f->b, KILN_OP_ISUB, id, kiln_spv_item(f, KILN_OP_GLOBAL_OFFSET, d));
    if (v)
      v = kiln_build2(f->b, KILN_OP_IMUL, v, kiln_spv_item(f, KILN_OP_GLOBAL_SIZE, d));
    v = v ? kiln_build2(f->b, KILN_OP_IADD, v, id) : id;
  }
  return v;
}

// Sub-groups of a group of full size.
static kiln_value full_sub_groups(struct kiln_spv_fn *f) {
  kiln_value count = word(f, 1);
  for (unsigned d = 0; d < 3; d++)
    count = kiln_build2(f->b, KILN_OP_IMUL, count, kiln_spv_item(f, KILN_OP_FULL_LOCAL_SIZE, d));
  kiln_value size = kiln_spv_resize(f, kiln_spv_sub_group(f, KILN_OP_MAX_SUB_GROUP_SIZE), KILN_I64, false);
  count = kiln_build2(f->b, KILN_OP_IADD, count, kiln_build2(f->b, KILN_OP_ISUB, size, word(f, 1)));
  return kiln_build2(f->b, KILN_OP_UDIV, count, size);
}

// Bits of the work-items of the sub-group that come before, after, or are this one; of up to 64.
static kiln_value sub_group_mask(struct kiln_spv_fn *f, enum builtin builtin) {
  kiln_value self = kiln_spv_resize(f, kiln_spv_sub_group(f, KILN_OP_SUB_GROUP_LOCAL_ID), KILN_I64, false);
  kiln_value one = kiln_build2(f->b, KILN_OP_SHL, word(f, 1), self), ones = word(f, ~UINT64_C(0));
  kiln_value below = kiln_build2(f->b, KILN_OP_ISUB, one, word(f, 1));
  if (builtin == BUILTIN_SubgroupEqMask)
    return one;
  if (builtin == BUILTIN_SubgroupLtMask)
    return below;
  if (builtin == BUILTIN_SubgroupLeMask)
    return kiln_build2(f->b, KILN_OP_OR, below, one);
  kiln_value size = kiln_spv_resize(f, kiln_spv_sub_group(f, KILN_OP_MAX_SUB_GROUP_SIZE), KILN_I64, false);
  kiln_value all = kiln_build2(f->b, KILN_OP_LSHR, ones, kiln_build2(f->b, KILN_OP_ISUB, word(f, 64), size));
  kiln_value others = builtin == BUILTIN_SubgroupGtMask ? kiln_build2(f->b, KILN_OP_OR, below, one) : below;
  return kiln_build2(f->b, KILN_OP_AND, all, kiln_build2(f->b, KILN_OP_XOR, others, ones));
}

static bool is_mask(enum builtin builtin) {
  return builtin >= BUILTIN_SubgroupEqMask && builtin <= BUILTIN_SubgroupLtMask;
}

// Component d of the variable, with the width that its type has.
static kiln_value component(struct kiln_spv_fn *f, enum builtin builtin, unsigned d, enum kiln_kind kind) {
  kiln_value v;
  if (item_op(builtin) != KILN_OP_COUNT)
    v = d < 3 ? kiln_spv_item(f, item_op(builtin), d) : word(f, 0);
  else if (builtin == BUILTIN_WorkDim)
    v = kiln_spv_item(f, KILN_OP_WORK_DIM, 0);
  else if (sub_group_op(builtin) != KILN_OP_COUNT)
    v = kiln_spv_sub_group(f, sub_group_op(builtin));
  else if (builtin == BUILTIN_LocalInvocationIndex)
    v = kiln_spv_local_linear_id(f);
  else if (builtin == BUILTIN_GlobalLinearId)
    v = linear_global_id(f);
  else if (builtin == BUILTIN_NumEnqueuedSubgroups)
    v = full_sub_groups(f);
  else if (is_mask(builtin))
    v = d < 2 ? kiln_build2(f->b, KILN_OP_LSHR, sub_group_mask(f, builtin), word(f, 32 * d)) : word(f, 0);
  else
    kiln_spv_wrong(f, "the built-in variable %d is not supported", (int)builtin);
  return kiln_spv_resize(f, v, kind, false);
}

struct kiln_spv_value kiln_spv_input(struct kiln_spv_fn *f, uint32_t id, const struct kiln_spv_type *type) {
  const struct kiln_spv_decoration *says = kiln_spv_decoration(f->spv, id, KILN_SPV_Decoration_BuiltIn);
  enum kiln_kind kind = kiln_type_kind(type->ir);
  if (!says || !says->count || !kiln_kind_is_int(kind) || type->odd_bits)
    kiln_spv_wrong(f, "%s is no built-in variable of integers", kiln_spv_id_text(f->spv, id));
  kiln_value lanes[16];
  unsigned count = kiln_type_lanes(type->ir);
  for (unsigned d = 0; d < count; d++)
    lanes[d] = component(f, (enum builtin)says->operands[0], d, kind);
  return kiln_spv_of(type, kiln_spv_join(f, type->ir, lanes));
}

// ---- addresses -----------------------------------------------------------------------------------------------------

void kiln_spv_add_input(struct kiln_spv_fn *f, uint32_t id) {
  for (const struct kiln_spv_input *input = f->inputs; input; input = input->next)
    if (input->id == id)
      return;
  struct kiln_spv_input *input = KILN_NEW(&f->spv->arena, struct kiln_spv_input);
  *input = (struct kiln_spv_input){.next = f->inputs, .id = id};
  f->inputs = input;
  const struct kiln_spv_type *type = f->spv->ids[id].type;
  if (type && type->kind == KILN_SPV_POINTER && type->element && kiln_type_kind(type->element->ir) != KILN_VOID)
    input->var = kiln_spv_var(f, type->element, 0, f->spv->names[id]);
}

void kiln_spv_init_inputs(struct kiln_spv_fn *f) {
  for (const struct kiln_spv_input *input = f->inputs; input; input = input->next) {
    if (!input->var)
      kiln_spv_wrong(f, "%s is no built-in variable of integers", kiln_spv_id_text(f->spv, input->id));
    const struct kiln_spv_type *type = f->spv->ids[input->id].type->element;
    struct kiln_spv_value v = kiln_spv_input(f, input->id, type);
    kiln_spv_store(f, input->var, &v, type->align, 0);
  }
}

kiln_value kiln_spv_input_address(struct kiln_spv_fn *f, uint32_t id) {
  for (const struct kiln_spv_input *input = f->inputs; input; input = input->next)
    if (input->id == id && input->var)
      return input->var;
  kiln_spv_wrong(f, "the address of %s is not supported here", kiln_spv_id_text(f->spv, id));
}
