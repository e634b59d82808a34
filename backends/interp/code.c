// Translates a function: structured control flow becomes jumps, phis become moves. Requires a verified module.
#include "backends/interp/interp.h"
#include "kiln/op_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct translator {
  struct kiln_drv_module *module;
  struct interp_function *out;
  const struct kiln_function *fn;
  uint32_t *refs;   // by value: where it is; 0: nowhere yet (word 0 of a frame is never used)
  uint32_t *stamps; // by value: the last parallel move that wrote it
  uint32_t stamp;
  uint32_t *ends;     // by node: last jump to its end that is to be patched, + 1, linked through imm
  uint32_t *starts;   // by node: first instruction of a loop
  uint32_t *loops;    // by node: number of a loop whose iterations are counted, plus 1
  uint32_t *bypasses; // by node: number of its bypass, plus 1
  uint64_t private_end;
  char *message;
  size_t message_size;
  bool failed;
};

static void fail(struct translator *t, kiln_value value, const char *what) {
  if (!t->failed)
    snprintf(t->message, t->message_size, "function '%s', %%%u (%s): %s", t->fn->name, value,
             kiln_op_table[t->fn->insts[value].op].name, what);
  t->failed = true;
}

// Room for count more items in an array of the module's arena.
static void *grow(struct kiln_drv_module *module, void *items, uint32_t used, uint32_t *capacity, uint32_t count,
                  size_t item_size) {
  if (*capacity - used >= count)
    return items;
  uint64_t wanted = *capacity ? (uint64_t)*capacity * 2 : 16;
  while (wanted - used < count)
    wanted *= 2;
  items = kiln_arena_grow(&module->arena, items, used * item_size, wanted * item_size, 16);
  *capacity = (uint32_t)wanted;
  return items;
}

// ---- places of values

static uint32_t new_const_words(struct kiln_drv_module *module, uint32_t count) {
  uint32_t needed = count + INTERP_PADDING_WORDS;
  module->consts = grow(module, module->consts, module->const_words, &module->const_capacity, needed, sizeof(uint64_t));
  memset(module->consts + module->const_words, 0, needed * sizeof(uint64_t));
  uint32_t at = module->const_words;
  module->const_words += count;
  return at;
}

static uint32_t place_const(struct translator *t, kiln_value value) {
  const struct kiln_inst *inst = kiln_inst(t->fn, value);
  uint32_t at = new_const_words(t->module, interp_words(inst->type));
  uint64_t *words = t->module->consts + at;
  unsigned lanes = kiln_type_lanes(inst->type);
  uint64_t all = interp_mask(kiln_kind_bits(kiln_type_kind(inst->type)));
  if (inst->op == KILN_OP_UNDEF) {
    if (kiln_type_kind(inst->type) == KILN_PTR)
      interp_set_pointer(words, 0, 0, 0, INTERP_NO_OBJECT);
    for (unsigned i = 0; i < lanes; i++)
      interp_set_undefined(words, lanes, i, all);
  } else if (inst->op == KILN_OP_CONST_VEC) {
    const kiln_value *operands = kiln_operands(t->fn, value);
    for (unsigned i = 0; i < lanes; i++) {
      const struct kiln_inst *lane = kiln_inst(t->fn, operands[i]);
      words[i + 1] = lane->imm;
      interp_set_undefined(words, lanes, i, lane->op == KILN_OP_UNDEF ? all : 0);
    }
  } else if (inst->op == KILN_OP_GLOBAL) {
    const struct interp_object *object = &t->module->objects[inst->imm];
    interp_set_pointer(words, object->base, object->base, object->size,
                       interp_object_word(object->space, (uint32_t)inst->imm));
  } else if (kiln_type_kind(inst->type) == KILN_PTR) {
    interp_set_pointer(words, inst->imm, 0, 0, inst->imm ? INTERP_NO_OBJECT : INTERP_NULL);
  } else {
    words[1] = inst->imm;
  }
  return at | INTERP_CONST;
}

static uint32_t place_in_frame(struct translator *t, kiln_value value) {
  uint32_t at = t->out->words;
  uint32_t words = interp_words(t->fn->insts[value].type);
  if (at + words >= INTERP_CONST - INTERP_PADDING_WORDS) {
    fail(t, value, "too many values");
    return 0;
  }
  t->out->words += words;
  return at;
}

static uint32_t ref(struct translator *t, kiln_value value) {
  if (!t->refs[value]) {
    const struct kiln_inst *inst = kiln_inst(t->fn, value);
    bool local = inst->op == KILN_OP_GLOBAL && t->module->ir->globals[inst->imm].space == KILN_LOCAL;
    bool constant = inst->op == KILN_OP_CONST || inst->op == KILN_OP_CONST_VEC || inst->op == KILN_OP_UNDEF ||
                    (inst->op == KILN_OP_GLOBAL && !local);
    if (kiln_type_kind(inst->type) == KILN_PTR && kiln_type_lanes(inst->type) != 1)
      fail(t, value, "vectors of pointers are not supported");
    t->refs[value] = constant ? place_const(t, value) : place_in_frame(t, value);
  }
  return t->refs[value];
}

// ---- emitting

static struct interp_inst *emit(struct translator *t, enum interp_code code, kiln_value value) {
  struct interp_function *out = t->out;
  out->code = grow(t->module, out->code, out->code_count, &out->code_capacity, 1, sizeof *out->code);
  struct interp_inst *inst = &out->code[out->code_count++];
  *inst = (struct interp_inst){.code = code, .value = value};
  if (value) {
    const struct kiln_inst *source = kiln_inst(t->fn, value);
    inst->op = source->op;
    inst->flags = source->flags;
    inst->imm = source->imm;
    inst->imm2 = source->imm2;
    inst->lanes = (uint8_t)kiln_type_lanes(source->type);
    inst->bits = (uint8_t)kiln_kind_bits(kiln_type_kind(source->type));
    inst->words = interp_words(source->type);
  }
  return inst;
}

static uint32_t add_refs(struct translator *t, const uint32_t *refs, uint32_t count) {
  struct interp_function *out = t->out;
  out->refs = grow(t->module, out->refs, out->ref_count, &out->ref_capacity, count, sizeof *out->refs);
  if (count)
    memcpy(out->refs + out->ref_count, refs, count * sizeof *refs);
  out->ref_count += count;
  return out->ref_count - count;
}

static uint32_t add_operand_refs(struct translator *t, kiln_value value) {
  uint32_t count = t->fn->insts[value].operand_count, first = t->out->ref_count;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t one = ref(t, kiln_operands(t->fn, value)[i]);
    add_refs(t, &one, 1);
  }
  return first;
}

// The moves that give values to phis, as if all at the same time.
static void emit_moves(struct translator *t, kiln_value jump, const kiln_value *phis, const kiln_value *values,
                       uint32_t count) {
  bool overlap = false;
  uint32_t total = 0;
  t->stamp++;
  for (uint32_t i = 0; i < count; i++) {
    overlap |= t->stamps[values[i]] == t->stamp;
    t->stamps[phis[i]] = t->stamp;
    total += interp_words(t->fn->insts[phis[i]].type);
  }
  if (!overlap) {
    for (uint32_t i = 0; i < count; i++) {
      if (phis[i] == values[i])
        continue;
      uint32_t dst = ref(t, phis[i]), from = ref(t, values[i]);
      struct interp_inst *move = emit(t, CODE_MOVE, jump);
      move->dst = dst;
      move->a = from;
      move->words = interp_words(t->fn->insts[phis[i]].type);
    }
    return;
  }
  uint32_t first = t->out->ref_count;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t move[3] = {ref(t, phis[i]), ref(t, values[i]), interp_words(t->fn->insts[phis[i]].type)};
    add_refs(t, move, 3);
  }
  struct interp_inst *moves = emit(t, CODE_MOVES, jump);
  moves->a = first;
  moves->imm = count;
  if (total > t->module->temp_words)
    t->module->temp_words = total;
}

static void emit_jump_to_end(struct translator *t, kiln_value jump, uint32_t node) {
  struct interp_inst *inst = emit(t, CODE_JUMP, jump);
  inst->imm = t->ends[node];
  t->ends[node] = t->out->code_count;
}

static void patch_end(struct translator *t, uint32_t node) {
  uint32_t at = t->ends[node];
  while (at) {
    uint32_t next = (uint32_t)t->out->code[at - 1].imm;
    t->out->code[at - 1].imm = t->out->code_count;
    at = next;
  }
}

// ---- instructions

static void translate_region(struct translator *t, uint32_t region);

static void translate_var(struct translator *t, kiln_value value) {
  const struct kiln_inst *source = kiln_inst(t->fn, value);
  struct kiln_drv_module *module = t->module;
  module->objects =
      grow(module, module->objects, module->object_count, &module->object_capacity, 1, sizeof *module->objects);
  const char *name = kiln_value_name(t->fn, value);
  module->objects[module->object_count] = (struct interp_object){name, OBJECT_VARIABLE, KILN_PRIVATE, 0, source->imm};
  uint64_t align = source->imm2 > 16 ? source->imm2 : 16;
  if (align > INTERP_ALIGN || source->imm > (uint64_t)1 << 32) {
    fail(t, value, "a private variable of this size or alignment is not supported");
    return;
  }
  // Sixteen bytes between variables belong to none.
  t->private_end = (t->private_end + align - 1) / align * align;
  struct interp_var *var = &t->out->vars[t->out->var_count];
  *var = (struct interp_var){t->private_end, source->imm, module->object_count++};
  t->private_end += source->imm + 16;
  uint32_t dst = ref(t, value);
  struct interp_inst *inst = emit(t, CODE_VAR, value);
  inst->dst = dst;
  inst->imm = t->out->var_count++;
}

static void translate_switch(struct translator *t, kiln_value value) {
  const struct kiln_node *node = kiln_node(t->fn, value);
  struct interp_function *out = t->out;
  uint32_t selector = ref(t, kiln_operands(t->fn, value)[0]);
  out->switches = grow(t->module, out->switches, out->switch_count, &out->switch_capacity, 1, sizeof *out->switches);
  uint32_t index = out->switch_count++, count = node->region_count - 1;
  struct interp_switch table = {count, KILN_NEW_ARRAY(&t->module->arena, int64_t, count + 1),
                                KILN_NEW_ARRAY(&t->module->arena, uint32_t, count + 1)};
  out->switches[index] = table;
  struct interp_inst *inst = emit(t, CODE_SWITCH, value);
  inst->a = selector;
  inst->imm = index;
  inst->bits = (uint8_t)kiln_kind_bits(kiln_type_kind(kiln_value_type(t->fn, kiln_operands(t->fn, value)[0])));
  for (uint32_t i = 0; i < node->region_count; i++) {
    table.targets[i ? i - 1 : count] = out->code_count;
    if (i)
      table.cases[i - 1] = node->cases[i - 1];
    translate_region(t, node->region_first + i);
  }
}

// At the start of a loop, and of each further iteration.
static void emit_count(struct translator *t, kiln_value value, kiln_value loop, bool further) {
  uint32_t number = t->loops[t->fn->insts[loop].node] - 1;
  struct interp_inst *count = emit(t, CODE_COUNT, value);
  count->dst = t->out->loops[number].counter;
  count->imm = further;
  count->c = number;
}

// ---- nodes with barriers

static void add_bypass(struct translator *t, kiln_value node) {
  struct interp_function *out = t->out;
  if (!kiln_node(t->fn, node)->has_barrier || out->bypass_count == INTERP_MAX_BYPASSES)
    return;
  out->bypasses[out->bypass_count] = (struct interp_bypass){out->code_count, 0, node};
  t->bypasses[t->fn->insts[node].node] = ++out->bypass_count;
}

// Every loop around the node, too.
static void end_bypass(struct translator *t, kiln_value node) {
  uint32_t number = t->bypasses[t->fn->insts[node].node];
  if (!number)
    return;
  t->out->bypasses[number - 1].end = t->out->code_count;
  for (kiln_value owner = node; owner; owner = t->fn->regions[t->fn->insts[owner].region].owner)
    if (t->loops[t->fn->insts[owner].node] && owner != node)
      t->out->loops[t->loops[t->fn->insts[owner].node] - 1].bypasses |= (uint64_t)1 << (number - 1);
}

static bool region_has_barrier(const struct translator *t, uint32_t region) {
  for (kiln_value value = t->fn->regions[region].first; value; value = t->fn->insts[value].next) {
    const struct kiln_inst *inst = kiln_inst(t->fn, value);
    bool is_node = kiln_op_is_node(inst->op);
    if (kiln_inst_is_barrier(inst) || (is_node && kiln_node(t->fn, value)->has_barrier) ||
        (inst->op == KILN_OP_CALL && t->module->ir->functions[inst->imm]->has_barrier))
      return true;
  }
  return false;
}

// Whether nothing is left to do for a work-item at the end of the node.
static bool ends_the_kernel(const struct translator *t, kiln_value node) {
  const struct kiln_inst *next = kiln_inst(t->fn, t->fn->insts[node].next);
  kiln_value owner = t->fn->regions[t->fn->insts[node].region].owner;
  if (next->op == KILN_OP_RETURN)
    return t->fn->is_kernel;
  if (next->op == KILN_OP_BREAK)
    return t->fn->insts[next->imm].op != KILN_OP_LOOP && ends_the_kernel(t, (kiln_value)next->imm);
  return next->op == KILN_OP_YIELD && t->fn->insts[owner].op != KILN_OP_LOOP && ends_the_kernel(t, owner);
}

// Before a jump to the end of a node: notes a return, or that the jump skips barriers of the node.
static void emit_bypass(struct translator *t, kiln_value jump, kiln_value target) {
  const struct kiln_inst *source = kiln_inst(t->fn, jump);
  uint32_t number = t->bypasses[t->fn->insts[target].node];
  if (!number || (source->op == KILN_OP_YIELD &&
                  (t->fn->insts[target].op == KILN_OP_BLOCK || region_has_barrier(t, source->region))))
    return;
  bool leaves = source->op == KILN_OP_BREAK && t->fn->insts[target].op == KILN_OP_BLOCK && ends_the_kernel(t, target);
  emit(t, leaves ? CODE_LEAVE : CODE_BYPASS, jump)->imm = number - 1;
}

static void translate_node(struct translator *t, kiln_value value) {
  const struct kiln_inst *source = kiln_inst(t->fn, value);
  const struct kiln_node *node = kiln_node(t->fn, value);
  uint32_t index = source->node;
  t->ends[index] = 0;
  add_bypass(t, value);
  for (uint32_t i = 0; i < node->results.count; i++)
    ref(t, node->results.items[i]);
  bool counted = source->op == KILN_OP_LOOP && (t->module->count_iterations || node->has_barrier);
  struct interp_loop none = {0}, *loop = counted ? &t->out->loops[t->out->loop_count++] : &none;
  if (source->op == KILN_OP_IF) {
    uint32_t condition = ref(t, kiln_operands(t->fn, value)[0]), at = t->out->code_count;
    emit(t, CODE_JUMP_FALSE, value)->a = condition;
    translate_region(t, node->region_first);
    t->out->code[at].imm = t->out->code_count;
    translate_region(t, node->region_first + 1);
  } else if (source->op == KILN_OP_SWITCH) {
    translate_switch(t, value);
  } else {
    if (source->op == KILN_OP_LOOP)
      emit_moves(t, value, node->header.items, kiln_operands(t->fn, value), node->header.count);
    if (counted) {
      loop->counter = t->out->words++;
      t->loops[index] = t->out->loop_count;
      emit_count(t, value, value, false);
    }
    t->starts[index] = loop->first = t->out->code_count;
    translate_region(t, node->region_first);
    loop->end = t->out->code_count;
  }
  patch_end(t, index);
  end_bypass(t, value);
}

static void translate_jump(struct translator *t, kiln_value value, kiln_value owner) {
  const struct kiln_inst *source = kiln_inst(t->fn, value);
  const kiln_value *operands = kiln_operands(t->fn, value);
  if (source->op == KILN_OP_RETURN) {
    uint32_t result = source->operand_count ? ref(t, operands[0]) : 0;
    struct interp_inst *inst = emit(t, CODE_RETURN, value);
    inst->a = result;
    inst->words = source->operand_count ? interp_words(kiln_value_type(t->fn, operands[0])) : 0;
  } else if (source->op == KILN_OP_UNREACHABLE) {
    emit(t, CODE_UNREACHABLE, value);
  } else if (source->op == KILN_OP_CONTINUE) {
    const struct kiln_node *loop = kiln_node(t->fn, (kiln_value)source->imm);
    emit_moves(t, value, loop->header.items, operands, loop->header.count);
    if (t->loops[t->fn->insts[source->imm].node])
      emit_count(t, value, (kiln_value)source->imm, true);
    emit(t, CODE_JUMP, value)->imm = t->starts[t->fn->insts[source->imm].node];
  } else {
    kiln_value target = source->op == KILN_OP_BREAK ? (kiln_value)source->imm : owner;
    const struct kiln_node *node = kiln_node(t->fn, target);
    emit_bypass(t, value, target);
    emit_moves(t, value, node->results.items, operands, node->results.count);
    emit_jump_to_end(t, value, t->fn->insts[target].node);
  }
}

// An instruction that reads at most three values and writes dst.
static struct interp_inst *emit_operands(struct translator *t, kiln_value value, enum interp_code code) {
  const struct kiln_inst *source = kiln_inst(t->fn, value);
  uint32_t refs[3] = {0};
  for (uint32_t i = 0; i < source->operand_count && i < 3; i++)
    refs[i] = ref(t, kiln_operands(t->fn, value)[i]);
  uint32_t dst = kiln_type_kind(source->type) == KILN_VOID ? 0 : ref(t, value);
  struct interp_inst *inst = emit(t, code, value);
  inst->dst = dst;
  inst->a = refs[0];
  inst->b = refs[1];
  inst->c = refs[2];
  return inst;
}

// One that reads any number of values: a is the first reference, c their count.
static struct interp_inst *emit_many(struct translator *t, kiln_value value, enum interp_code code) {
  uint32_t first = add_operand_refs(t, value);
  uint32_t dst = kiln_type_kind(t->fn->insts[value].type) == KILN_VOID ? 0 : ref(t, value);
  struct interp_inst *inst = emit(t, code, value);
  inst->dst = dst;
  inst->a = first;
  inst->c = t->fn->insts[value].operand_count;
  return inst;
}

// The vector operations; the rest of what they need is in imm and imm2.
static void translate_vector(struct translator *t, kiln_value value, enum interp_code code) {
  struct interp_inst *inst = code == CODE_VEC ? emit_many(t, value, code) : emit_operands(t, value, code);
  kiln_type first = kiln_value_type(t->fn, kiln_operands(t->fn, value)[0]);
  inst->imm = kiln_type_lanes(first);
  inst->imm2 = kiln_kind_bits(kiln_type_kind(first));
  if (code == CODE_SELECT)
    inst->lanes = (uint8_t)kiln_type_lanes(first);
}

// Operations that read a fixed number of values, at most three, and write dst.
static void translate_plain(struct translator *t, kiln_value value, enum interp_code code) {
  const struct kiln_inst *source = kiln_inst(t->fn, value);
  struct interp_inst *inst = emit_operands(t, value, code);
  for (uint32_t i = 0; i < source->operand_count && i < 2; i++)
    inst->space[i] = (uint8_t)kiln_type_space(kiln_value_type(t->fn, kiln_operands(t->fn, value)[i]));
  if (code == CODE_INT) { // comparisons: of what they compare
    kiln_type type = kiln_value_type(t->fn, kiln_operands(t->fn, value)[0]);
    inst->bits = (uint8_t)kiln_kind_bits(kiln_type_kind(type));
  } else if (code == CODE_STORE || code == CODE_ATOMIC_STORE) {
    kiln_type type = kiln_value_type(t->fn, kiln_operands(t->fn, value)[1]);
    inst->bits = (uint8_t)kiln_kind_bits(kiln_type_kind(type));
    inst->lanes = (uint8_t)kiln_type_lanes(type);
    inst->words = interp_words(type);
  }
}

// Operations on values; kiln_eval knows those that have no code of their own.
static void translate_value(struct translator *t, kiln_value value) {
  static const uint8_t codes[KILN_OP_COUNT] = {
      [KILN_OP_SELECT] = CODE_SELECT,   [KILN_OP_SPLAT] = CODE_SPLAT,   [KILN_OP_VEC] = CODE_VEC,
      [KILN_OP_EXTRACT] = CODE_EXTRACT, [KILN_OP_INSERT] = CODE_INSERT, [KILN_OP_SHUFFLE] = CODE_SHUFFLE,
      [KILN_OP_BITCAST] = CODE_BITCAST, [KILN_OP_AGREE] = CODE_ANY_ALL, [KILN_OP_ANY] = CODE_ANY_ALL,
      [KILN_OP_ALL] = CODE_ANY_ALL};
  static const uint8_t pointer_codes[KILN_OP_COUNT] = {[KILN_OP_PTOI] = CODE_PTOI,
                                                       [KILN_OP_ITOP] = CODE_ITOP,
                                                       [KILN_OP_PSPACE] = CODE_PSPACE,
                                                       [KILN_OP_PCAST] =
                                                           CODE_MOVE}; // an address is the same in every space
  unsigned op = kiln_inst(t->fn, value)->op;
  if (codes[op]) {
    translate_vector(t, value, codes[op]);
  } else if (pointer_codes[op]) {
    translate_plain(t, value, pointer_codes[op]);
  } else {
    enum kiln_kind kind = kiln_type_kind(kiln_value_type(t->fn, kiln_operands(t->fn, value)[0]));
    translate_plain(t, value, kiln_interp_fast_code((enum kiln_op)op, kind));
  }
}

static void translate_effect(struct translator *t, kiln_value value) {
  static const uint8_t plain[KILN_OP_COUNT] = {[KILN_OP_PADD] = CODE_PADD,
                                               [KILN_OP_LOAD] = CODE_LOAD,
                                               [KILN_OP_STORE] = CODE_STORE,
                                               [KILN_OP_COPY] = CODE_COPY,
                                               [KILN_OP_ATOMIC_LOAD] = CODE_ATOMIC_LOAD,
                                               [KILN_OP_ATOMIC_STORE] = CODE_ATOMIC_STORE,
                                               [KILN_OP_ATOMIC_RMW] = CODE_ATOMIC_RMW,
                                               [KILN_OP_ATOMIC_CAS] = CODE_ATOMIC_CAS,
                                               [KILN_OP_ASSUME] = CODE_ASSUME};
  enum kiln_op op = kiln_op_of(kiln_inst(t->fn, value));
  switch (op) {
  case KILN_OP_PADD:
  case KILN_OP_LOAD:
  case KILN_OP_STORE:
  case KILN_OP_COPY:
  case KILN_OP_ATOMIC_LOAD:
  case KILN_OP_ATOMIC_STORE:
  case KILN_OP_ATOMIC_RMW:
  case KILN_OP_ATOMIC_CAS:
  case KILN_OP_ASSUME:
    translate_plain(t, value, (enum interp_code)plain[op]);
    return;
  case KILN_OP_VAR:
    translate_var(t, value);
    return;
  case KILN_OP_FENCE:
    emit(t, CODE_FENCE, value);
    return;
  case KILN_OP_BARRIER:
    t->out->has_barrier = true;
    emit(t, CODE_BARRIER, value);
    return;
  case KILN_OP_PRINTF:
    emit_many(t, value, CODE_PRINTF);
    return;
    KILN_CASES_IMAGE
    emit_many(t, value, CODE_IMAGE);
    return;
  case KILN_OP_CALL:
    emit_many(t, value, CODE_CALL);
    return;
  case KILN_OP_GROUP_ALL:
  case KILN_OP_GROUP_ANY:
  case KILN_OP_GROUP_BROADCAST:
  case KILN_OP_GROUP_REDUCE:
  case KILN_OP_GROUP_SCAN_INCLUSIVE:
  case KILN_OP_GROUP_SCAN_EXCLUSIVE:
  case KILN_OP_SUB_GROUP_BALLOT:
  case KILN_OP_SUB_GROUP_SHUFFLE:
  case KILN_OP_SUB_GROUP_BARRIER:
    t->out->has_barrier = true;
    translate_plain(t, value, CODE_CROSS);
    return;
    KILN_CASES_ITEM KILN_CASES_SUB_GROUP if (t->fn->insts[value].imm > 2) fail(t, value, "not a dimension");
    translate_plain(t, value, CODE_ITEM);
    return;
    KILN_CASES_FREE KILN_CASES_INT KILN_CASES_BOOL KILN_CASES_FLOAT KILN_CASES_MATH KILN_CASES_COMPARE
        KILN_CASES_FCOMPARE KILN_CASES_VECTOR KILN_CASES_CONVERT KILN_CASES_FLOW case KILN_OP_COUNT : break;
  }
  fail(t, value, "not known to the interpreter");
}

static void translate_region(struct translator *t, uint32_t region) {
  const struct kiln_region *r = &t->fn->regions[region];
  for (kiln_value value = r->first; value && !t->failed; value = t->fn->insts[value].next) {
    enum kiln_op op = kiln_op_of(kiln_inst(t->fn, value));
    switch (kiln_op_family(op)) {
    case KILN_FAMILY_FLOW:
      if (kiln_op_is_node(op))
        translate_node(t, value);
      else
        translate_jump(t, value, r->owner);
      break;
    case KILN_FAMILY_INT:
    case KILN_FAMILY_BOOL:
    case KILN_FAMILY_FLOAT:
    case KILN_FAMILY_MATH:
    case KILN_FAMILY_COMPARE:
    case KILN_FAMILY_FCOMPARE:
    case KILN_FAMILY_VECTOR:
    case KILN_FAMILY_CONVERT:
      translate_value(t, value);
      break;
    case KILN_FAMILY_FREE:
    case KILN_FAMILY_MEMORY:
    case KILN_FAMILY_ATOMIC:
    case KILN_FAMILY_CALL:
    case KILN_FAMILY_ITEM:
    case KILN_FAMILY_SUB_GROUP:
    case KILN_FAMILY_GROUP:
    case KILN_FAMILY_IMAGE:
      translate_effect(t, value);
      break;
    }
  }
}

// ---- the whole function

static int compare_cases(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

// Brings the cases into ascending order, with their targets.
static void sort_switch(struct kiln_drv_module *module, struct interp_switch *table) {
  struct row {
    int64_t value;
    uint32_t target;
  } *rows = KILN_NEW_ARRAY(&module->arena, struct row, table->count + 1);
  for (uint32_t i = 0; i < table->count; i++)
    rows[i] = (struct row){table->cases[i], table->targets[i]};
  qsort(rows, table->count, sizeof *rows, compare_cases);
  for (uint32_t i = 0; i < table->count; i++) {
    table->cases[i] = rows[i].value;
    table->targets[i] = rows[i].target;
  }
}

bool kiln_interp_translate(struct kiln_drv_module *module, struct interp_function *function, char *message,
                           size_t size) {
  const struct kiln_function *fn = function->fn;
  struct translator t = {.module = module, .out = function, .fn = fn, .message = message, .message_size = size};
  t.refs = KILN_NEW_ARRAY(&module->arena, uint32_t, fn->inst_count + 1);
  t.stamps = KILN_NEW_ARRAY(&module->arena, uint32_t, fn->inst_count + 1);
  t.ends = KILN_NEW_ARRAY(&module->arena, uint32_t, fn->node_count + 1);
  t.starts = KILN_NEW_ARRAY(&module->arena, uint32_t, fn->node_count + 1);
  t.loops = KILN_NEW_ARRAY(&module->arena, uint32_t, fn->node_count + 1);
  t.bypasses = KILN_NEW_ARRAY(&module->arena, uint32_t, fn->node_count + 1);
  function->bypasses = KILN_NEW_ARRAY(&module->arena, struct interp_bypass, INTERP_MAX_BYPASSES);
  function->loops = KILN_NEW_ARRAY(&module->arena, struct interp_loop, fn->node_count + 1);
  function->words = 1; // a reference of 0 means none
  function->params = KILN_NEW_ARRAY(&module->arena, uint32_t, fn->param_count + 1);
  for (uint32_t i = 0; i < fn->param_count; i++)
    function->params[i] = ref(&t, fn->params[i].value);
  uint32_t vars = 0;
  for (kiln_value value = 1; value < fn->inst_count; value++) {
    const struct kiln_inst *inst = kiln_inst(fn, value);
    vars += inst->op == KILN_OP_VAR && inst->region;
    if (inst->op == KILN_OP_GLOBAL && module->ir->globals[inst->imm].space == KILN_LOCAL) {
      uint32_t dst = ref(&t, value);
      emit(&t, CODE_LOCAL_ADDRESS, value)->dst = dst;
    }
  }
  function->vars = KILN_NEW_ARRAY(&module->arena, struct interp_var, vars + 1);
  translate_region(&t, fn->body);
  for (uint32_t i = 0; i < function->switch_count; i++)
    sort_switch(module, &function->switches[i]);
  function->private_bytes = (t.private_end + INTERP_ALIGN - 1) / INTERP_ALIGN * INTERP_ALIGN;
  return !t.failed;
}
