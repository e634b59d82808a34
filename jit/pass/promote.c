// Promotion: private variables become SSA values (scalar replacement of aggregates, then mem2reg over the tree).
//
// One walk in program order carries the current value of every slot. A node gets a phi for a slot only when something
// inside stores to it and the variable is live around the node; jumps to the node pass the values that are current
// there. Unneeded phis are left to dce and simplify. Variables whose address escapes, or that are indexed dynamically,
// stay. Requires a verified function. Linear in instructions plus phis.
#include "jit/pass/promote.h"

struct slot_list {
  uint32_t *items;
  uint32_t count, capacity;
};

struct undo {
  uint32_t slot;
  kiln_value value;
};

struct walk {
  struct kiln_promote *p;
  struct kiln_function *fn;
  struct kiln_arena *arena;
  struct slot_list *modified; // by node: the slots that something inside stores to
  uint64_t *seen;             // set of (node, slot) that modified holds
  uint32_t seen_count, seen_capacity;
  struct kiln_replaced replaced; // loads
  KILN_VEC(struct undo) undo;
};

// ---- which node modifies which slot ---------------------------------------------------------------------------------

static bool insert(uint64_t *table, uint32_t capacity, uint64_t key) {
  uint32_t slot = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (capacity - 1);
  for (; table[slot]; slot = (slot + 1) & (capacity - 1))
    if (table[slot] == key)
      return false;
  table[slot] = key;
  return true;
}

static bool note_pair(struct walk *w, uint32_t node, uint32_t slot) {
  if (w->seen_count * 2 >= w->seen_capacity) {
    uint32_t capacity = w->seen_capacity ? w->seen_capacity * 2 : 256;
    uint64_t *table = KILN_NEW_ARRAY(w->arena, uint64_t, capacity);
    for (uint32_t i = 0; i < w->seen_capacity; i++)
      if (w->seen[i])
        insert(table, capacity, w->seen[i]);
    w->seen = table;
    w->seen_capacity = capacity;
  }
  bool added = insert(w->seen, w->seen_capacity, (uint64_t)node << 32 | slot); // node is never 0
  w->seen_count += added;
  return added;
}

// Notes a store to the slot in all nodes around it, up to the region of the variable.
static void note_store(struct walk *w, kiln_value store, uint32_t slot) {
  uint32_t home = w->fn->insts[w->p->vars.items[w->p->slots.items[slot].var].id].region;
  for (uint32_t region = w->fn->insts[store].region; region != home;) {
    kiln_value owner = w->fn->regions[region].owner;
    uint32_t node = w->fn->insts[owner].node;
    if (!note_pair(w, node, slot))
      return; // and so for the nodes around it
    KILN_VEC_PUSH(w->arena, &w->modified[node], slot);
    region = w->fn->insts[owner].region;
  }
}

// The promoted variable that an address is in: index + 1; 0: none.
static uint32_t promoted(const struct walk *w, kiln_value address) {
  uint32_t var = address < w->p->value_count ? w->p->address[address] : 0;
  return var && w->p->vars.items[var - 1].ok ? var : 0;
}

static void find_modified(struct walk *w) {
  struct kiln_function *fn = w->fn;
  for (kiln_value id = fn->regions[fn->body].first; id; id = kiln_walk_next(fn, id)) {
    const struct kiln_inst *inst = &fn->insts[id];
    if (inst->op != KILN_OP_STORE && inst->op != KILN_OP_COPY)
      continue;
    kiln_value address = kiln_operands(fn, id)[0];
    uint32_t var = promoted(w, address);
    if (!var)
      continue;
    const struct kiln_promote_var *v = &w->p->vars.items[var - 1];
    uint32_t offset = w->p->offset[address];
    uint32_t size = inst->op == KILN_OP_COPY ? (uint32_t)inst->imm : 1;
    for (uint32_t s = kiln_promote_slot_from(w->p, var - 1, offset);
         s < v->slot_first + v->slot_count && w->p->slots.items[s].offset < offset + size; s++)
      note_store(w, id, s);
  }
}

// ---- values of slots ------------------------------------------------------------------------------------------------

static kiln_value get(struct walk *w, const struct kiln_slot *slot) {
  return slot->current ? slot->current : kiln_undef(w->fn, slot->type);
}

static void set(struct walk *w, struct kiln_slot *slot, kiln_value value) {
  uint32_t index = (uint32_t)(slot - w->p->slots.items);
  KILN_VEC_PUSH(w->arena, &w->undo, (struct undo){index, slot->current});
  slot->current = value;
}

static void undo_to(struct walk *w, uint32_t mark) {
  while (w->undo.count > mark) {
    const struct undo *last = &w->undo.items[--w->undo.count];
    w->p->slots.items[last->slot].current = last->value;
  }
}

// Values are named after the variable that they are in.
static void name_after(struct walk *w, kiln_value value, const struct kiln_slot *slot) {
  struct kiln_inst *inst = &w->fn->insts[value];
  const struct kiln_promote_var *var = &w->p->vars.items[slot->var];
  if (inst->name == 0 && !kiln_op_is_free(inst->op) && slot->size == var->bytes)
    inst->name = w->fn->insts[var->id].name;
}

static void replace_load(struct walk *w, kiln_value id) {
  kiln_value address = kiln_operands(w->fn, id)[0];
  uint32_t offset = w->p->offset[address];
  struct kiln_slot *slot = kiln_promote_slot(w->p, promoted(w, address) - 1, offset);
  struct kiln_builder b = kiln_builder_before(w->fn, id);
  w->replaced.by[id] = kiln_access_read(&b, get(w, slot), offset - slot->offset, w->fn->insts[id].type);
  kiln_remove(w->fn, id);
}

static void replace_store(struct walk *w, kiln_value id) {
  kiln_value address = kiln_operands(w->fn, id)[0], value = kiln_operands(w->fn, id)[1];
  uint32_t offset = w->p->offset[address];
  struct kiln_slot *slot = kiln_promote_slot(w->p, promoted(w, address) - 1, offset);
  struct kiln_builder b = kiln_builder_before(w->fn, id);
  name_after(w, value, slot);
  set(w, slot, kiln_access_write(&b, get(w, slot), offset - slot->offset, value));
  kiln_remove(w->fn, id);
}

// ---- copies ---------------------------------------------------------------------------------------------------------

static uint32_t align_at(uint32_t align, uint32_t offset) {
  uint32_t low = offset & -offset;
  return offset && low < align ? low : align;
}

static kiln_value member_address(struct kiln_builder *b, kiln_value base, uint32_t offset) {
  if (offset == 0)
    return base;
  return kiln_build_padd(b, base, kiln_const(b->fn, kiln_scalar_type(KILN_I64), offset), 1);
}

// Replaces a copy slot by slot. A side that is no promoted variable is read or written in memory.
static void replace_copy(struct walk *w, kiln_value id) {
  struct kiln_function *fn = w->fn;
  kiln_value to = kiln_operands(fn, id)[0], from = kiln_operands(fn, id)[1];
  uint32_t to_var = promoted(w, to), from_var = promoted(w, from), align = fn->insts[id].imm2;
  uint32_t here_var = to_var ? to_var : from_var, first = w->p->offset[to_var ? to : from];
  uint32_t end = first + (uint32_t)fn->insts[id].imm;
  const struct kiln_promote_var *var = &w->p->vars.items[here_var - 1];
  struct kiln_builder b = kiln_builder_before(fn, id);
  for (uint32_t s = kiln_promote_slot_from(w->p, here_var - 1, first); s < var->slot_first + var->slot_count; s++) {
    struct kiln_slot *slot = &w->p->slots.items[s];
    if (slot->offset >= end)
      break;
    uint32_t offset = slot->offset - first;
    if (to_var && from_var) {
      struct kiln_slot *source = kiln_promote_slot(w->p, from_var - 1, offset + w->p->offset[from]);
      set(w, slot, kiln_access_read(&b, get(w, source), 0, slot->type));
    } else if (to_var) {
      kiln_value address = member_address(&b, from, offset);
      set(w, slot, kiln_build_load(&b, slot->type, address, align_at(align, offset), 0));
      name_after(w, slot->current, slot);
    } else if (slot->current && fn->insts[slot->current].op != KILN_OP_UNDEF) {
      kiln_build_store(&b, member_address(&b, to, offset), slot->current, align_at(align, offset), 0);
    }
  }
  kiln_remove(fn, id);
}

// ---- the walk -------------------------------------------------------------------------------------------------------

// Appends the current values of the slots that the jump's target modifies.
static void extend_jump(struct walk *w, kiln_value id) {
  kiln_value target = kiln_jump_target(w->fn, id);
  const struct slot_list *slots = &w->modified[w->fn->insts[target].node];
  if (!target || !slots->count)
    return;
  uint32_t count = w->fn->insts[id].operand_count;
  kiln_value *values = kiln_arena_alloc(w->arena, (count + slots->count) * sizeof *values, 16);
  for (uint32_t i = 0; i < count; i++)
    values[i] = kiln_operands(w->fn, id)[i];
  for (uint32_t i = 0; i < slots->count; i++)
    values[count + i] = get(w, &w->p->slots.items[slots->items[i]]);
  kiln_set_operands(w->fn, id, values, count + slots->count);
}

static void walk_region(struct walk *w, uint32_t region);

static void walk_node(struct walk *w, kiln_value id) {
  struct kiln_function *fn = w->fn;
  uint32_t index = fn->insts[id].node, first = fn->nodes[index].region_first, count = fn->nodes[index].region_count;
  const struct slot_list slots = w->modified[index];
  uint32_t old_results = fn->nodes[index].results.count, mark = w->undo.count;
  for (uint32_t i = 0; i < slots.count; i++) {
    struct kiln_slot *slot = &w->p->slots.items[slots.items[i]];
    name_after(w, kiln_node_add_result(fn, id, slot->type), slot);
    if (fn->insts[id].op == KILN_OP_LOOP) {
      kiln_value phi = kiln_loop_add_header(fn, id, get(w, slot));
      name_after(w, phi, slot);
      set(w, slot, phi);
    }
  }
  for (uint32_t r = first; r < first + count; r++)
    walk_region(w, r);
  undo_to(w, mark);
  for (uint32_t i = 0; i < slots.count && old_results + i < fn->nodes[index].results.count; i++)
    set(w, &w->p->slots.items[slots.items[i]], fn->nodes[index].results.items[old_results + i]);
}

static void walk_inst(struct walk *w, kiln_value id) {
  struct kiln_function *fn = w->fn;
  kiln_resolve_operands(fn, id, &w->replaced);
  const struct kiln_inst *inst = &fn->insts[id];
  kiln_value first = inst->operand_count ? kiln_operands(fn, id)[0] : 0;
  if (kiln_op_is_node(inst->op)) {
    walk_node(w, id);
  } else if (kiln_op_is_jump(inst->op)) {
    extend_jump(w, id);
  } else if (inst->op == KILN_OP_LOAD && promoted(w, first)) {
    replace_load(w, id);
  } else if (inst->op == KILN_OP_STORE && promoted(w, first)) {
    replace_store(w, id);
  } else if (inst->op == KILN_OP_COPY && (promoted(w, first) || promoted(w, kiln_operands(fn, id)[1]))) {
    replace_copy(w, id);
  } else if (inst->op == KILN_OP_VAR && promoted(w, id)) {
    const struct kiln_promote_var *var = &w->p->vars.items[promoted(w, id) - 1];
    for (uint32_t s = var->slot_first; s < var->slot_first + var->slot_count; s++)
      set(w, &w->p->slots.items[s], 0); // a new life
    kiln_unlink(fn, id);
  } else if (inst->op == KILN_OP_PADD && promoted(w, id)) {
    kiln_remove(fn, id);
  }
}

static void walk_region(struct walk *w, uint32_t region) {
  uint32_t mark = w->undo.count;
  for (kiln_value id = w->fn->regions[region].first, next; id; id = next) {
    next = w->fn->insts[id].next;
    walk_inst(w, id);
  }
  undo_to(w, mark);
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct kiln_function *fn = subject;
  struct kiln_promote p = {.fn = fn, .arena = arena, .value_count = fn->inst_count};
  p.address = KILN_NEW_ARRAY(arena, uint32_t, fn->inst_count);
  p.offset = KILN_NEW_ARRAY(arena, uint32_t, fn->inst_count);
  if (!kiln_promote_analyse(&p))
    return false;
  struct walk w = {.p = &p, .fn = fn, .arena = arena};
  w.modified = KILN_NEW_ARRAY(arena, struct slot_list, fn->node_count);
  w.replaced = kiln_replaced_new(fn, arena);
  find_modified(&w);
  walk_region(&w, fn->body);
  return true;
}

bool kiln_pass_promote(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run); }
