#include "tests/support/run_ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_BYTES = 1 << 14, MAX_STEPS = 1 << 20 };

struct item {
  struct run_ir *state;
  const struct kiln_function *fn;
  union kiln_lanes *values;
  unsigned char *memory; // of the launch, then its own
  size_t size, used;
  uint32_t steps;
  bool stopped; // by a return or a fault
};

static void fail(struct item *m, const char *why) {
  m->state->fault = why;
  m->stopped = true;
}

static void note(struct item *m, uint64_t what) {
  m->state->trace = (m->state->trace ^ what) * 0x9e3779b97f4a7c15u;
  m->state->trace ^= m->state->trace >> 29;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// Memory of its own begins as bytes that are no likely value.
static uint64_t take(struct item *m, uint64_t bytes, const void *init, unsigned char byte) {
  size_t at = (m->used + 63) / 64 * 64;
  if (at + bytes > m->size) {
    fail(m, "out of memory");
    return 0;
  }
  m->used = at + bytes;
  if (init)
    memcpy(m->memory + at, init, bytes);
  else
    memset(m->memory + at, 0xa5 ^ byte, bytes);
  return RUN_IR_BASE + at;
}

static unsigned char *at(struct item *m, uint64_t address, uint64_t bytes) {
  if (address < RUN_IR_BASE || address - RUN_IR_BASE > m->used || bytes > m->used - (address - RUN_IR_BASE)) {
    fail(m, "an access outside of memory");
    return NULL;
  }
  return m->memory + (address - RUN_IR_BASE);
}

static void move(struct item *m, uint64_t address, kiln_type type, union kiln_lanes *lanes, bool stores) {
  unsigned size = kiln_type_bytes(kiln_type_element(type));
  unsigned char *bytes = at(m, address, kiln_type_bytes(type));
  for (unsigned i = 0; bytes && i < kiln_type_lanes(type); i++) {
    if (stores)
      memcpy(bytes + (size_t)i * size, &lanes->bits[i], size);
    else
      memcpy(memset(&lanes->bits[i], 0, 8), bytes + (size_t)i * size, size);
  }
}

// ---- values ---------------------------------------------------------------------------------------------------------

static union kiln_lanes *value_of(struct item *m, kiln_value id) {
  const struct kiln_inst *inst = &m->fn->insts[id];
  union kiln_lanes *out = &m->values[id];
  unsigned lanes = kiln_type_lanes(inst->type);
  if (inst->op == KILN_OP_CONST)
    for (unsigned i = 0; i < lanes; i++)
      out->bits[i] = inst->imm;
  else if (inst->op == KILN_OP_CONST_VEC)
    for (unsigned i = 0; i < inst->operand_count; i++)
      out->bits[i] = value_of(m, kiln_operands(m->fn, id)[i])->bits[0];
  else if (inst->op == KILN_OP_PARAM)
    *out = m->state->params[inst->imm];
  else if (inst->op == KILN_OP_UNDEF)
    memset(out, 0, sizeof *out);
  return out;
}

// Where a volatile or atomic access was; of what a function has for itself a pass may change the place.
static void note_access(struct item *m, uint64_t address, uint64_t value, bool stores) {
  note(m, address < RUN_IR_BASE + m->state->size ? address * 2 + stores : stores);
  note(m, value);
}

static void exchange(struct item *m, kiln_value id, union kiln_lanes *const *x, const kiln_type *types) {
  const struct kiln_inst *inst = &m->fn->insts[id];
  bool stores = inst->op == KILN_OP_ATOMIC_STORE;
  kiln_type type = stores ? types[1] : inst->type;
  union kiln_lanes old = {{0}}, next = {{0}};
  move(m, x[0]->bits[0], type, &old, false);
  next = inst->operand_count > 1 ? *x[inst->operand_count - 1] : old;
  if (inst->op == KILN_OP_ATOMIC_RMW && inst->flags != KILN_RMW_XCHG)
    kiln_eval(kiln_rmw_op((enum kiln_rmw)inst->flags), type, 0, 0, NULL, (kiln_type[]){type, type},
              (const union kiln_lanes *const[]){&old, x[1]}, 2, &next);
  else if (inst->op == KILN_OP_ATOMIC_CAS && old.bits[0] != x[1]->bits[0])
    next = old;
  move(m, x[0]->bits[0], type, &next, true);
  note_access(m, x[0]->bits[0], next.bits[0], true);
  m->values[id] = old;
}

static void access_memory(struct item *m, kiln_value id, union kiln_lanes *const *x) {
  const struct kiln_inst *inst = &m->fn->insts[id];
  bool stores = inst->op == KILN_OP_STORE;
  union kiln_lanes *lanes = stores ? x[1] : &m->values[id];
  move(m, x[0]->bits[0], kiln_access_type(m->fn, id), lanes, stores);
  if (inst->flags & KILN_MEM_VOLATILE)
    note_access(m, x[0]->bits[0], lanes->bits[0], stores);
}

static void copy(struct item *m, const struct kiln_inst *inst, union kiln_lanes *const *x) {
  unsigned char *to = at(m, x[0]->bits[0], inst->imm), *from = at(m, x[1]->bits[0], inst->imm);
  if (to && from)
    memmove(to, from, inst->imm);
}

static uint64_t query(const struct item *m, const struct kiln_inst *inst) {
  if (m->state->query)
    return m->state->query(m->state, kiln_op_of(inst), inst->imm);
  bool numbers = inst->op == KILN_OP_GLOBAL_ID || inst->op == KILN_OP_LOCAL_ID;
  return numbers && inst->imm < 3 ? m->state->ids[inst->imm] : inst->op == KILN_OP_NOALIAS ? m->state->noalias : 8;
}

static void execute(struct item *m, kiln_value id) {
  const struct kiln_inst *inst = &m->fn->insts[id];
  enum kiln_op op = kiln_op_of(inst);
  union kiln_lanes *x[16], *out = &m->values[id];
  kiln_type types[16];
  for (uint32_t i = 0; i < inst->operand_count && i < 16; i++) {
    x[i] = value_of(m, kiln_operands(m->fn, id)[i]);
    types[i] = m->fn->insts[kiln_operands(m->fn, id)[i]].type;
  }
  if (op == KILN_OP_VAR)
    out->bits[0] = take(m, inst->imm, NULL, m->state->variable_byte);
  else if (kiln_op_is_access(op))
    access_memory(m, id, x);
  else if (op == KILN_OP_COPY)
    copy(m, inst, x);
  else if (kiln_op_is_atomic(op))
    exchange(m, id, x, types);
  else if (op == KILN_OP_BARRIER || op == KILN_OP_FENCE)
    note(m, op);
  else if (op == KILN_OP_PCAST || op == KILN_OP_PTOI || op == KILN_OP_ITOP)
    out->bits[0] = x[0]->bits[0];
  else if (kiln_op_table[op].effect == KILN_EFFECT_ITEM)
    out->bits[0] = query(m, inst);
  else if (op == KILN_OP_ASSUME && !(x[0]->bits[0] & 1))
    fail(m, "an assumption that does not hold");
  else if (op != KILN_OP_ASSUME && !kiln_eval(op, inst->type, inst->imm, inst->flags,
                                              op == KILN_OP_SHUFFLE ? m->fn->shuffles[inst->node] : NULL, types,
                                              (const union kiln_lanes *const *)x, inst->operand_count, out))
    fail(m, kiln_op_table[op].name);
}

// ---- control flow ---------------------------------------------------------------------------------------------------

static kiln_value run_region(struct item *m, uint32_t region);

static void give(struct item *m, kiln_value from, const struct kiln_value_list *phis) {
  union kiln_lanes given[32];
  if (phis->count > 32) {
    fail(m, "too many phis");
    return;
  }
  for (uint32_t i = 0; i < phis->count; i++)
    given[i] = *value_of(m, kiln_operands(m->fn, from)[i]);
  for (uint32_t i = 0; i < phis->count; i++)
    m->values[phis->items[i]] = given[i];
}

static uint32_t choose(struct item *m, kiln_value id) {
  const struct kiln_node *node = kiln_node(m->fn, id);
  const struct kiln_inst *inst = &m->fn->insts[id];
  if (inst->op != KILN_OP_IF && inst->op != KILN_OP_SWITCH)
    return node->region_first;
  kiln_value selector = kiln_operands(m->fn, id)[0];
  uint64_t bits = value_of(m, selector)->bits[0];
  if (inst->op == KILN_OP_IF)
    return node->region_first + !(bits & 1);
  int64_t wanted = kiln_sign_extend(bits, kiln_kind_bits(kiln_type_kind(m->fn->insts[selector].type)));
  for (uint32_t i = 1; i < node->region_count; i++)
    if (node->cases[i - 1] == wanted)
      return node->region_first + i;
  return node->region_first;
}

// The jump that goes on further out; 0: on after the node.
static kiln_value run_node(struct item *m, kiln_value id) {
  const struct kiln_node *node = kiln_node(m->fn, id);
  kiln_value jump = id;
  if (m->fn->insts[id].op == KILN_OP_LOOP) {
    do {
      give(m, jump, &node->header);
      jump = run_region(m, node->region_first);
    } while (!m->stopped && m->fn->insts[jump].op == KILN_OP_CONTINUE && m->fn->insts[jump].imm == id);
  } else {
    jump = run_region(m, choose(m, id));
  }
  if (m->stopped || kiln_jump_target(m->fn, jump) != id)
    return jump;
  give(m, jump, &node->results);
  return 0;
}

static kiln_value run_region(struct item *m, uint32_t region) {
  for (kiln_value id = m->fn->regions[region].first; id && !m->stopped; id = m->fn->insts[id].next) {
    enum kiln_op op = kiln_op_of(&m->fn->insts[id]);
    if (++m->steps > MAX_STEPS || op == KILN_OP_UNREACHABLE)
      fail(m, op == KILN_OP_UNREACHABLE ? "unreachable code" : "too many steps");
    else if (op == KILN_OP_RETURN)
      m->stopped = true;
    else if (kiln_op_is_jump(op))
      return id;
    else if (!kiln_op_is_node(op))
      execute(m, id);
    else {
      kiln_value jump = run_node(m, id);
      if (jump || m->stopped)
        return jump;
    }
  }
  return 0;
}

bool run_ir(const struct kiln_function *fn, struct run_ir *state) {
  struct item m = {.state = state, .fn = fn, .size = state->size + OWN_BYTES, .used = state->size};
  m.values = state->values = realloc(state->values, fn->inst_count * sizeof *m.values);
  m.memory = malloc(m.size);
  if (state->size)
    memcpy(m.memory, state->memory, state->size);
  state->trace = 0;
  state->fault = NULL;
  for (kiln_value id = 1; id < fn->inst_count; id++)
    if (fn->insts[id].op == KILN_OP_GLOBAL) {
      const struct kiln_global *global = &fn->module->globals[fn->insts[id].imm];
      m.values[id].bits[0] = take(&m, global->size, global->init, state->local_byte);
    }
  run_region(&m, fn->body);
  if (state->size)
    memcpy(state->memory, m.memory, state->size);
  free(m.memory);
  return !state->fault;
}

void run_ir_free(struct run_ir *state) {
  free(state->values);
  state->values = NULL;
}

bool run_ir_same(enum kiln_kind kind, uint64_t x, uint64_t y) {
  if (!kiln_kind_is_float(kind))
    return x == y;
  double a = kiln_float_value(kind, x), b = kiln_float_value(kind, y);
  return x == y || (a != a && b != b);
}

size_t run_ir_describe(const struct kiln_function *fn, kiln_value v, char *out, size_t size) {
  const struct kiln_inst *inst = &fn->insts[v];
  size_t used = 0;
  if (inst->op == KILN_OP_PARAM)
    return (size_t)snprintf(out, size, "%s", fn->params[inst->imm].name);
  if (inst->op == KILN_OP_CONST)
    return (size_t)snprintf(out, size, "0x%llx", (unsigned long long)inst->imm);
  used = (size_t)snprintf(out, size, "%s[%x,%llu](", kiln_op_table[inst->op].name, inst->type,
                          (unsigned long long)inst->imm);
  for (uint32_t i = 0; i < inst->operand_count && used + 2 < size; i++) {
    used += run_ir_describe(fn, kiln_operands(fn, v)[i], out + used, size - used);
    if (used + 2 < size)
      out[used++] = i + 1 < inst->operand_count ? ',' : ')';
  }
  out[used < size ? used : size - 1] = 0;
  return used < size ? used : size - 1;
}
