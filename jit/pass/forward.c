// Forwarding: a load from where the work-item has stored or loaded a value before becomes that value, and a store is
// removed if the same region stores to the same place again before anything can have read it. What may have written
// there in between, such as stores to an address whose distance is unknown, calls and barriers, ends that.
//
// Local memory is left alone: there, work-items that run in lockstep may count on what others have just stored.
// Requires a verified function after simplification. Linear, times KNOWN.
#include "jit/pass/common.h"

#define KNOWN 128 // elements whose values are remembered: the last ones that were used

struct known {
  struct kiln_affine form; // of the address
  kiln_type type;
  kiln_value value; // that is in memory; 0: the entry is free
  kiln_value store; // that wrote it, and that nothing may have read since; 0: none
  uint32_t region;  // of the access: after it, the value may be unknown
  uint32_t used;    // when, counted in uses
};

struct forward {
  struct kiln_function *fn;
  struct kiln_replaced replaced;
  struct known known[KNOWN];
  uint32_t count; // of entries that may be in use
  uint32_t uses;  // of entries so far
  bool changed;
};

static void forget_all(struct forward *f) { f->count = 0; }

static enum kiln_space space_of(const struct kiln_function *fn, const struct kiln_affine *form) {
  return kiln_type_space(fn->insts[form->base].type);
}

static bool is_object(const struct kiln_function *fn, kiln_value base) {
  return fn->insts[base].op == KILN_OP_VAR || fn->insts[base].op == KILN_OP_GLOBAL;
}

static bool is_restrict(const struct kiln_function *fn, kiln_value base) {
  return fn->insts[base].op == KILN_OP_PARAM && fn->params[fn->insts[base].imm].is_restrict;
}

// Whether two bases of addresses, of which one is written through, cannot lead to the same memory: they are two
// objects, or a restrict parameter and another parameter or object. (A base of any other kind may have been made from
// the restrict parameter.)
static bool are_apart(const struct kiln_function *fn, kiln_value a, kiln_value b) {
  bool first = is_object(fn, a), second = is_object(fn, b);
  if (first && second)
    return true;
  first |= fn->insts[a].op == KILN_OP_PARAM, second |= fn->insts[b].op == KILN_OP_PARAM;
  return first && second && (is_restrict(fn, a) || is_restrict(fn, b));
}

// Whether an access may be to the memory of a known value. same: set if it is to exactly that.
static bool may_overlap(const struct kiln_function *fn, const struct known *k, const struct known *access, bool *same) {
  kiln_value a = k->form.base, b = access->form.base;
  enum kiln_space x = space_of(fn, &k->form), y = space_of(fn, &access->form);
  int64_t distance;
  *same = false;
  if (a != b)
    return !(x != y && x != KILN_GENERIC && y != KILN_GENERIC) && !are_apart(fn, a, b);
  if (!kiln_affine_distance(&k->form, &access->form, &distance))
    return true;
  *same = distance == 0 && k->type == access->type;
  return distance < 0 ? (uint64_t)0 - (uint64_t)distance < kiln_type_bytes(access->type)
                      : (uint64_t)distance < kiln_type_bytes(k->type);
}

// Forgets the element that was accessed longest ago if no entry is free.
static void enter(struct forward *f, const struct known *access) {
  uint32_t oldest = 0;
  for (uint32_t i = 0; i < f->count && f->known[oldest].value; i++)
    if (!f->known[i].value || f->known[i].used < f->known[oldest].used)
      oldest = i;
  if (f->count < KNOWN && (f->count == 0 || f->known[oldest].value))
    oldest = f->count++;
  f->known[oldest] = *access;
  f->known[oldest].used = ++f->uses;
}

static void load(struct forward *f, kiln_value id, struct known *access) {
  bool same;
  for (uint32_t i = 0; i < f->count; i++) {
    struct known *k = &f->known[i];
    if (k->value && may_overlap(f->fn, k, access, &same) && same) {
      f->replaced.by[id] = k->value;
      k->used = ++f->uses;
      f->changed = true;
      kiln_unlink(f->fn, id);
      return;
    }
  }
  for (uint32_t i = 0; i < f->count; i++)
    if (f->known[i].store && may_overlap(f->fn, &f->known[i], access, &same))
      f->known[i].store = 0;
  access->value = id;
  enter(f, access);
}

// remove: whether to remove an earlier store that this store makes useless.
static void store(struct forward *f, const struct known *access, bool remove) {
  bool same;
  for (uint32_t i = 0; i < f->count; i++) {
    struct known *k = &f->known[i];
    if (!k->value || !may_overlap(f->fn, k, access, &same))
      continue;
    if (remove && same && k->store && k->region == access->region) {
      kiln_unlink(f->fn, k->store);
      f->changed = true;
    }
    k->value = k->store = 0;
  }
}

// Whether an instruction may write to memory that is not known, or wait for what others write.
static bool is_opaque(const struct kiln_inst *inst) {
  if (kiln_op_is_access(inst->op))
    return inst->flags & KILN_MEM_VOLATILE;
  return kiln_op_writes_or_waits(inst->op) && inst->op != KILN_OP_ASSUME;
}

static struct known describe(struct forward *f, kiln_value id) {
  const struct kiln_inst *inst = &f->fn->insts[id];
  const kiln_value *operands = kiln_operands(f->fn, id);
  bool stores = inst->op == KILN_OP_STORE;
  struct known access = {.type = kiln_access_type(f->fn, id), .region = inst->region};
  kiln_affine_of(f->fn, operands[0], 0, &access.form);
  if (stores) {
    access.value = operands[1];
    access.store = id;
  }
  return access;
}

// Forgets the stores that the loop may overwrite, before its first iteration.
static void forget_stores(struct forward *f, kiln_value loop) {
  kiln_value end = kiln_walk_past(f->fn, loop);
  for (kiln_value id = kiln_walk_next(f->fn, loop); id != end; id = kiln_walk_next(f->fn, id)) {
    const struct kiln_inst *inst = &f->fn->insts[id];
    if (is_opaque(inst)) {
      forget_all(f);
    } else if (inst->op == KILN_OP_STORE) {
      struct known access = describe(f, id);
      store(f, &access, false);
    }
  }
}

static void walk(struct forward *f, uint32_t region);

static void walk_node(struct forward *f, kiln_value id) {
  const struct kiln_node *node = kiln_node(f->fn, id);
  for (uint32_t i = 0; i < f->count; i++)
    f->known[i].store = 0;
  if (f->fn->insts[id].op == KILN_OP_LOOP)
    forget_stores(f, id);
  for (uint32_t r = 0; r < node->region_count; r++)
    walk(f, node->region_first + r);
}

static void walk(struct forward *f, uint32_t region) {
  struct kiln_function *fn = f->fn;
  for (kiln_value id = fn->regions[region].first, next; id; id = next) {
    const struct kiln_inst *inst = &fn->insts[id];
    next = inst->next;
    kiln_resolve_operands(fn, id, &f->replaced);
    if (kiln_op_is_node(inst->op)) {
      walk_node(f, id);
    } else if (is_opaque(inst)) {
      forget_all(f);
    } else if (kiln_op_is_access(inst->op)) {
      struct known access = describe(f, id);
      if (space_of(fn, &access.form) == KILN_LOCAL)
        continue;
      if (inst->op == KILN_OP_LOAD) {
        load(f, id, &access);
      } else {
        store(f, &access, true);
        enter(f, &access);
      }
    }
  }
  for (uint32_t i = 0; i < f->count; i++)
    if (f->known[i].value && f->known[i].region == region)
      f->known[i].value = f->known[i].store = 0;
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct kiln_function *fn = subject;
  struct forward *f = KILN_NEW(arena, struct forward);
  f->fn = fn;
  f->replaced = kiln_replaced_new(fn, arena);
  kiln_facts_find(fn);
  walk(f, fn->body);
  return f->changed;
}

bool kiln_pass_forward(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run); }
