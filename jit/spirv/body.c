// The body of a function: what stands in the regions that flow.c makes of its blocks.
//
// A value that is used where its region is closed goes through a variable, its slot. So does a phi, through one that
// the edges to its block write; all phis of a block are read before any of them is written.
#include "jit/spirv/function.h"

#include <stdlib.h>

struct move { // what an edge gives a phi
  const struct move *next;
  uint32_t phi, value; // ids
};

struct kiln_spv_body {
  const struct kiln_spv_graph *graph;
  const struct move **moves; // by edge
  const uint32_t *line;      // that the builder's location is of
  uint32_t loc;
};

static const struct kiln_spv_inst *insts_of(const struct kiln_spv_fn *f, uint32_t block) {
  return &f->spv->insts[f->source->blocks[block].first];
}

static const struct kiln_spv_inst *jump_of(const struct kiln_spv_fn *f, uint32_t block) {
  return insts_of(f, block) + f->source->blocks[block].count - 1;
}

// ---- cases ---------------------------------------------------------------------------------------------------------

static int compare_cases(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

// Of the switch that f->at is.
static const int64_t *cases_of(struct kiln_spv_fn *f) {
  const struct kiln_spv_inst *jump = f->at;
  const struct kiln_spv_type *type = f->spv->ids[jump->operands[0]].type;
  unsigned bits = kiln_spv_bits(type), held = kiln_kind_bits(kiln_type_kind(type->ir));
  uint32_t words = bits > 32 ? 2 : 1, count = (jump->count - 2) / (words + 1);
  int64_t *cases = KILN_NEW_ARRAY(&f->spv->arena, int64_t, 2 * count + 1), *sorted = cases + count;
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t *at = &jump->operands[2 + k * (words + 1)];
    uint64_t value = words == 2 ? at[0] | (uint64_t)at[1] << 32 : at[0];
    sorted[k] = cases[k] = kiln_sign_extend(value & kiln_bits_mask(bits), held);
  }
  qsort(sorted, count, sizeof *sorted, compare_cases);
  for (uint32_t k = 1; k < count; k++)
    if (sorted[k] == sorted[k - 1])
      kiln_spv_wrong(f, "the case %lld stands twice", (long long)sorted[k]);
  return cases;
}

// ---- what has to go through variables ------------------------------------------------------------------------------

// Values that belong to no region: parameters that are values as they stand, as images are, and addresses of variables.
static bool is_free(const struct kiln_spv_fn *f, const struct kiln_spv_id *id) {
  if (id->inst->op == KILN_SPV_OpVariable || kiln_spv_is_image(id->type->kind))
    return true;
  return id->inst->op == KILN_SPV_OpFunctionParameter && f->values[id->number].type;
}

static void note_use(struct kiln_spv_fn *f, uint32_t number, uint32_t block) {
  const struct kiln_spv_id *id = &f->spv->ids[number];
  if (id->what != KILN_SPV_IS_VALUE || id->function != f->number || id->block == block || f->slots[id->number] ||
      is_free(f, id) || !kiln_flow_reached(f->flow, id->block) || kiln_flow_is_visible(f->flow, id->block, block))
    return;
  f->slots[id->number] = kiln_spv_var(f, id->type, 0, f->spv->names[number]);
}

// The address of a built-in variable, or a constant that is computed from one.
static void note_input(struct kiln_spv_fn *f, uint32_t number) {
  const struct kiln_spv_constant *constant = kiln_spv_known(f->spv, number);
  if (constant && constant->form == KILN_SPV_ADDRESS)
    number = constant->variable;
  if (number && kiln_spv_is_input(f->spv, number))
    kiln_spv_add_input(f, number);
}

// scratch: by block, ids.
static void note_phi(struct kiln_spv_fn *f, const struct kiln_spv_inst *phi, uint32_t block, uint32_t *scratch) {
  const struct kiln_spv_graph *graph = f->body->graph;
  const struct kiln_spv_type *type = kiln_spv_result(f);
  if (!kiln_spv_is_aggregate(type) && kiln_type_kind(type->ir) == KILN_VOID)
    kiln_spv_wrong(f, "a value of this type is not supported");
  f->phis[f->spv->ids[phi->id].number] = kiln_spv_var(f, type, 0, f->spv->names[phi->id]);
  for (uint32_t k = 0; k + 1 < phi->count; k += 2) {
    const struct kiln_spv_id *parent = &f->spv->ids[phi->operands[k + 1]];
    if (parent->what != KILN_SPV_IS_LABEL || parent->function != f->number)
      kiln_spv_wrong(f, "operand %u is no block of the function", k + 2);
    scratch[parent->number] = phi->operands[k];
    if (kiln_flow_reached(f->flow, parent->number)) {
      note_use(f, phi->operands[k], parent->number);
      note_input(f, phi->operands[k]);
    }
  }
  for (uint32_t i = graph->into_first[block]; i < graph->into_first[block + 1]; i++) {
    uint32_t edge = graph->into[i], value = scratch[graph->from[edge]];
    if (!value && kiln_flow_reached(f->flow, graph->from[edge]))
      kiln_spv_wrong(f, "it has no value for a block that leads here");
    struct move *move = KILN_NEW(&f->spv->arena, struct move);
    *move = (struct move){.next = f->body->moves[edge], .phi = phi->id, .value = value};
    f->body->moves[edge] = move;
  }
  for (uint32_t k = 0; k + 1 < phi->count; k += 2)
    scratch[f->spv->ids[phi->operands[k + 1]].number] = 0;
}

// Phis stand first, among merges and what says nothing (check.c).
static bool may_have_phis_after(const struct kiln_spv_inst *inst) {
  return inst->op == KILN_SPV_OpPhi || inst->op == KILN_SPV_OpLoopMerge || inst->op == KILN_SPV_OpSelectionMerge ||
         (inst->op == KILN_SPV_OpExtInst && !kiln_spv_is_ext(inst));
}

static void note_uses(struct kiln_spv_fn *f, uint32_t *scratch) {
  const struct kiln_spv_function *source = f->source;
  for (uint32_t i = 0; i < source->uses.count; i++) {
    const struct kiln_spv_use *use = &source->uses.items[i];
    if (!kiln_flow_reached(f->flow, use->block))
      continue;
    note_use(f, use->id, use->block);
    note_input(f, use->id);
  }
  for (uint32_t b = 0; b < source->block_count; b++) {
    const struct kiln_spv_inst *inst = insts_of(f, b), *end = inst + source->blocks[b].count;
    for (; kiln_flow_reached(f->flow, b) && inst < end && may_have_phis_after(inst); inst++) {
      f->at = inst;
      if (inst->op == KILN_SPV_OpPhi)
        note_phi(f, inst, b, scratch);
    }
  }
}

// ---- parameters and variables --------------------------------------------------------------------------------------

// Whether the structs that parameters of a kernel point to are only read, through addresses that go nowhere else.
// derived: by value, the parameter + 1 that it is an address in. A use that is something else clears is_read.
static void find_read_only(struct kiln_spv_fn *f, bool *is_read) {
  const struct kiln_spv *spv = f->spv;
  const struct kiln_spv_function *source = f->source;
  uint32_t *derived = KILN_NEW_ARRAY(&f->spv->arena, uint32_t, source->value_count + 1);
  bool is_any = false;
  for (uint32_t i = 0; i < source->param_count; i++) {
    is_any |= is_read[i] = kiln_spv_is_byval(spv, &source->params[i]);
    derived[spv->ids[source->params[i].id].number] = is_read[i] ? i + 1 : 0;
  }
  if (!is_any)
    return;
  for (uint32_t b = 0; b < source->block_count; b++) {
    const struct kiln_spv_inst *inst = insts_of(f, b), *end = inst + source->blocks[b].count;
    for (; inst < end; inst++) {
      bool leads = inst->op == KILN_SPV_OpAccessChain || inst->op == KILN_SPV_OpInBoundsAccessChain ||
                   inst->op == KILN_SPV_OpPtrAccessChain || inst->op == KILN_SPV_OpInBoundsPtrAccessChain ||
                   inst->op == KILN_SPV_OpBitcast;
      bool reads =
          inst->op == KILN_SPV_OpLoad || inst->op == KILN_SPV_OpLifetimeStart || inst->op == KILN_SPV_OpLifetimeStop;
      bool copies = inst->op == KILN_SPV_OpCopyMemory || inst->op == KILN_SPV_OpCopyMemorySized;
      struct kiln_spv_ids ids = kiln_spv_ids(inst);
      while (kiln_spv_next_id(&ids)) {
        const struct kiln_spv_id *id = &spv->ids[ids.id];
        if (id->what != KILN_SPV_IS_VALUE || id->function != f->number || !derived[id->number])
          continue;
        const struct kiln_spv_type *type = inst->id ? spv->ids[inst->id].type : NULL;
        if (leads && ids.index == 0 && type && type->kind == KILN_SPV_POINTER)
          derived[spv->ids[inst->id].number] = derived[id->number];
        else if (!(reads && ids.index == 0) && !(copies && ids.index == 1))
          is_read[derived[id->number] - 1] = false;
      }
    }
  }
}

// Parameters that are used where they are get their values here, the others in the first block.
static void bind_params(struct kiln_spv_fn *f) {
  const struct kiln_spv_function *source = f->source;
  bool *is_read = KILN_NEW_ARRAY(&f->spv->arena, bool, source->param_count + 1);
  uint32_t hidden = kiln_spv_is_aggregate(source->type->element);
  if (f->entry)
    find_read_only(f, is_read);
  for (uint32_t i = 0; i < source->param_count; i++) {
    const struct kiln_spv_id *id = &f->spv->ids[source->params[i].id];
    kiln_value value = f->fn->params[hidden + i].value;
    if (kiln_spv_is_aggregate(id->type))
      continue;
    if (f->entry && kiln_spv_is_byval(f->spv, &source->params[i]) && !is_read[i])
      value = kiln_spv_var(f, id->type->element, f->fn->params[hidden + i].align, f->spv->names[source->params[i].id]);
    f->values[id->number] = kiln_spv_of(id->type, value);
  }
}

static void define(struct kiln_spv_fn *f, uint32_t id, struct kiln_spv_value v) {
  uint32_t number = f->spv->ids[id].number;
  f->values[number] = v;
  if (f->slots[number])
    kiln_spv_store_slot(f, f->slots[number], &v);
}

static void init_params(struct kiln_spv_fn *f) {
  const struct kiln_spv_function *source = f->source;
  uint32_t hidden = kiln_spv_is_aggregate(source->type->element);
  for (uint32_t i = 0; i < source->param_count; i++) {
    const struct kiln_spv_inst *param = &source->params[i];
    const struct kiln_spv_type *type = f->spv->ids[param->id].type;
    const struct kiln_param *from = &f->fn->params[hidden + i];
    f->at = param;
    if (kiln_spv_is_aggregate(type)) {
      define(f, param->id, kiln_spv_load(f, type, from->value, from->align, 0));
      continue;
    }
    kiln_value value = f->values[f->spv->ids[param->id].number].value;
    if (value != from->value) // a copy of a struct that is passed by value
      kiln_spv_copy(f, value, from->value, type->element->size, from->align, 0);
  }
}

static void make_variables(struct kiln_spv_fn *f) {
  for (uint32_t k = 0; k < f->source->variables.count; k++) {
    const struct kiln_spv_inst *inst = f->at = &f->spv->insts[f->source->variables.items[k]];
    const struct kiln_spv_id *id = &f->spv->ids[inst->id];
    if (id->type->kind != KILN_SPV_POINTER || !id->type->element)
      kiln_spv_wrong(f, "a variable is a pointer");
    kiln_value var = kiln_spv_var(f, id->type->element, kiln_spv_alignment(f->spv, inst->id), f->spv->names[inst->id]);
    f->values[id->number] = kiln_spv_of(id->type, var);
  }
}

// ---- what flow.c asks for ------------------------------------------------------------------------------------------

static uint32_t loc_of(struct kiln_spv_fn *f, const uint32_t *line) {
  if (!line || line == f->body->line)
    return line ? f->body->loc : 0;
  const struct kiln_spv_inst *file = f->spv->ids[line[0]].inst;
  if (!file || file->op != KILN_SPV_OpString)
    return 0;
  f->body->line = line;
  f->body->loc = kiln_module_next_loc(f->spv->module, kiln_spv_file(f->spv, line[0]), line[1], line[2]);
  return f->body->loc;
}

static void go_to(struct kiln_spv_fn *f, struct kiln_builder *b, uint32_t block, const struct kiln_spv_inst *inst) {
  f->b = b;
  f->block = block;
  f->at = inst;
  b->loc = loc_of(f, inst->line);
}

static struct kiln_spv_value load_of_phi(struct kiln_spv_fn *f, const struct kiln_spv_id *phi) {
  return kiln_spv_load_slot(f, phi->type, f->phis[phi->number]);
}

static void fill_block(void *user, struct kiln_builder *b, uint32_t block) {
  struct kiln_spv_fn *f = user;
  const struct kiln_spv_inst *inst = insts_of(f, block), *jump = jump_of(f, block);
  go_to(f, b, block, inst);
  if (block == 0) {
    init_params(f);
    kiln_spv_init_inputs(f);
  }
  for (; inst < jump; inst++) {
    const struct kiln_spv_id *id = &f->spv->ids[inst->id];
    go_to(f, b, block, inst);
    struct kiln_spv_value v = inst->op == KILN_SPV_OpPhi ? load_of_phi(f, id) : kiln_spv_lower(f, inst);
    if (inst->id && v.type)
      define(f, inst->id, v);
  }
  if (kiln_module_failed(f->spv->module))
    kiln_spv_wrong(f, "no memory"); // which is what it says
}

// Phis of the target take their values at the same time: all are read before any is written.
static void follow_edge(void *user, struct kiln_builder *b, uint32_t edge) {
  struct kiln_spv_fn *f = user;
  uint32_t block = f->body->graph->from[edge], count = 0;
  const struct kiln_spv_inst *jump = jump_of(f, block);
  go_to(f, b, block, jump);
  if (jump->op == KILN_SPV_OpReturnValue) {
    struct kiln_spv_value v = kiln_spv_operand(f, 0);
    if (!f->result || !kiln_spv_same_type(v.type, f->source->type->element))
      kiln_spv_wrong(f, "it returns another type than the function has");
    kiln_spv_store_slot(f, f->result, &v);
  }
  for (const struct move *move = f->body->moves[edge]; move; move = move->next)
    count++;
  struct kiln_spv_value *values = KILN_NEW_ARRAY(&f->spv->arena, struct kiln_spv_value, count + 1);
  count = 0;
  for (const struct move *move = f->body->moves[edge]; move; move = move->next) {
    values[count] = kiln_spv_use(f, move->value);
    if (!kiln_spv_same_type(values[count++].type, f->spv->ids[move->phi].type))
      kiln_spv_wrong(f, "%s gets a value of another type", kiln_spv_id_text(f->spv, move->phi));
  }
  count = 0;
  for (const struct move *move = f->body->moves[edge]; move; move = move->next, count++)
    kiln_spv_store_slot(f, f->phis[f->spv->ids[move->phi].number], &values[count]);
}

static kiln_value choose(void *user, struct kiln_builder *b, uint32_t block, const int64_t **cases) {
  struct kiln_spv_fn *f = user;
  go_to(f, b, block, jump_of(f, block));
  kiln_value v = kiln_spv_plain(f, 0);
  bool is_bool = kiln_spv_ir(f, v) == kiln_scalar_type(KILN_BOOL);
  if (f->at->op == KILN_SPV_OpSwitch ? is_bool : !is_bool)
    kiln_spv_wrong(f, "operand 1 has a type that does not fit");
  if (!is_bool)
    *cases = cases_of(f);
  return v;
}

static void leave(void *user, struct kiln_builder *b) {
  struct kiln_spv_fn *f = user;
  const struct kiln_spv_type *type = f->source->type->element;
  kiln_value v = 0;
  f->b = b;
  if (kiln_type_kind(f->fn->return_type) != KILN_VOID)
    v = kiln_spv_load_slot(f, type, f->result).value;
  kiln_build_return(b, v);
}

void kiln_spv_make_body(struct kiln_spv_fn *f) {
  static const struct kiln_flow_maker maker = {
      .block = fill_block, .edge = follow_edge, .choose = choose, .leave = leave};
  struct kiln_arena *arena = &f->spv->arena;
  struct kiln_builder b = kiln_builder_at_end(f->fn, f->fn->body);
  const struct kiln_spv_type *result = f->source->type->element;
  f->b = &b;
  f->at = f->source->inst;
  f->values = KILN_NEW_ARRAY(arena, struct kiln_spv_value, f->source->value_count + 1);
  f->slots = KILN_NEW_ARRAY(arena, kiln_value, f->source->value_count + 1);
  f->phis = KILN_NEW_ARRAY(arena, kiln_value, f->source->value_count + 1);
  if (kiln_spv_is_aggregate(result))
    f->result = f->fn->params[0].value;
  else if (result->kind != KILN_SPV_VOID)
    f->result = kiln_spv_var(f, result, 0, "result");
  const struct kiln_spv_graph *graph = f->source->graph;
  f->body = KILN_NEW(arena, struct kiln_spv_body);
  f->body->graph = graph;
  f->body->moves = KILN_NEW_ARRAY(arena, const struct move *, graph->blocks.first[f->source->block_count] + 1);
  f->flow = graph->flow;
  if (kiln_flow_depth(f->flow) > KILN_IR_MAX_DEPTH - 4) // room for nodes that instructions make
    kiln_spv_limit(f->spv, f->at, "control flow is nested more than %d deep", KILN_IR_MAX_DEPTH - 4);
  bind_params(f);
  make_variables(f);
  note_uses(f, KILN_NEW_ARRAY(arena, uint32_t, f->source->block_count + 1));
  kiln_flow_emit(f->flow, f->fn, &maker, f);
}
