// Which variables can become values, and how each is split into slots (scalar replacement of aggregates).
//
// A variable qualifies when it is used only by loads, stores and copies at constant offsets. Accesses that overlap
// share a slot, whose type is that of an access that covers it whole. Copies between variables add the accesses of each
// side to the other, so that both are split alike; bytes that only copies access become integers.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): private_unions.
#include <stdlib.h>
#include <string.h>

#include "jit/pass/promote.h"

#define MAX_COPIED_BYTES 1024 // of a variable that is copied; larger ones stay in memory
#define MAX_COPIED_PARTS 64

// ---- uses -----------------------------------------------------------------------------------------------------------

static struct kiln_promote_var *var_of(struct kiln_promote *p, kiln_value value) {
  uint32_t var = value < p->value_count ? p->address[value] : 0;
  return var ? &p->vars.items[var - 1] : NULL;
}

static void escape(struct kiln_promote *p, kiln_value value) {
  struct kiln_promote_var *var = var_of(p, value);
  if (var)
    var->ok = false;
}

static void add_var(struct kiln_promote *p, kiln_value id) {
  const struct kiln_inst *inst = &p->fn->insts[id];
  KILN_VEC_PUSH(p->arena, &p->vars,
                (struct kiln_promote_var){.id = id, .bytes = inst->imm, .ok = inst->imm <= UINT32_MAX / 2});
  p->address[id] = p->vars.count;
}

static void add_padd(struct kiln_promote *p, kiln_value id) {
  const struct kiln_inst *inst = &p->fn->insts[id];
  kiln_value base = kiln_operands(p->fn, id)[0], index = kiln_operands(p->fn, id)[1];
  struct kiln_promote_var *var = var_of(p, base);
  if (!var || !var->ok)
    return;
  uint64_t offset = p->offset[base] + p->fn->insts[index].imm * inst->imm;
  if (p->fn->insts[index].op != KILN_OP_CONST || offset > var->bytes) {
    var->ok = false;
    return;
  }
  p->address[id] = p->address[base];
  p->offset[id] = (uint32_t)offset;
}

static void add_access(struct kiln_promote *p, kiln_value inst, kiln_value address, kiln_type type) {
  struct kiln_promote_var *var = var_of(p, address);
  if (!var || !var->ok)
    return;
  uint32_t offset = p->offset[address], size = kiln_type_bytes(type);
  if (offset + (uint64_t)size > var->bytes || p->fn->insts[inst].flags & KILN_MEM_VOLATILE) {
    var->ok = false;
    return;
  }
  KILN_VEC_PUSH(p->arena, &var->accesses, (struct kiln_slot_access){offset, size, var->accesses.count, type});
}

static void add_copy(struct kiln_promote *p, kiln_value id) {
  const struct kiln_inst *inst = &p->fn->insts[id];
  struct kiln_promote_copy copy = {.inst = id, .bytes = (uint32_t)inst->imm};
  bool any = false;
  for (unsigned side = 0; side < 2; side++) {
    kiln_value address = kiln_operands(p->fn, id)[side];
    struct kiln_promote_var *var = var_of(p, address);
    if (!var || !var->ok)
      continue;
    uint32_t offset = p->offset[address];
    if (inst->flags & KILN_MEM_VOLATILE || inst->imm > var->bytes - offset || var->bytes > MAX_COPIED_BYTES) {
      var->ok = false;
      continue;
    }
    any = var->copied = true;
    copy.side[side] = (struct kiln_promote_side){p->address[address], offset};
    copy.next[side] = var->copies;
    var->copies = 2 * p->copies.count + side + 1;
  }
  if (!any)
    return;
  KILN_VEC_PUSH(p->arena, &p->copies, copy);
}

static void find_uses(struct kiln_promote *p) {
  struct kiln_function *fn = p->fn;
  for (kiln_value id = fn->regions[fn->body].first; id; id = kiln_walk_next(fn, id)) {
    const struct kiln_inst *inst = &fn->insts[id];
    const kiln_value *operands = kiln_operands(fn, id);
    if (inst->op == KILN_OP_VAR) {
      add_var(p, id);
    } else if (inst->op == KILN_OP_PADD) {
      add_padd(p, id);
    } else if (inst->op == KILN_OP_LOAD) {
      add_access(p, id, operands[0], inst->type);
    } else if (inst->op == KILN_OP_STORE) {
      add_access(p, id, operands[0], fn->insts[operands[1]].type);
      escape(p, operands[1]);
    } else if (inst->op == KILN_OP_COPY) {
      add_copy(p, id);
    } else { // the address goes elsewhere
      for (uint32_t i = 0; i < inst->operand_count; i++)
        escape(p, operands[i]);
    }
  }
}

// ---- accesses through copies ----------------------------------------------------------------------------------------

static int compare_accesses(const void *a, const void *b) {
  const struct kiln_slot_access *x = a, *y = b;
  if (x->offset != y->offset)
    return x->offset < y->offset ? -1 : 1;
  if (x->size != y->size)
    return x->size > y->size ? -1 : 1;
  bool x_vector = kiln_type_lanes(x->type) > 1, y_vector = kiln_type_lanes(y->type) > 1;
  if (x_vector != y_vector)
    return x_vector ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static void sort_accesses(struct kiln_promote_var *var) {
  if (!var->ok || var->accesses.count < 2)
    return;
  struct kiln_slot_access *items = var->accesses.items;
  qsort(items, var->accesses.count, sizeof *items, compare_accesses);
  uint32_t kept = 1;
  for (uint32_t i = 1; i < var->accesses.count; i++)
    if (items[i].offset != items[kept - 1].offset || items[i].type != items[kept - 1].type)
      items[kept++] = items[i];
  var->accesses.count = kept;
}

static bool add_part(struct kiln_promote *p, struct kiln_promote_var *var, uint32_t offset, uint32_t size,
                     kiln_type type) {
  for (uint32_t i = 0; i < var->accesses.count; i++)
    if (var->accesses.items[i].offset == offset && var->accesses.items[i].type == type)
      return false;
  if (var->accesses.count >= MAX_COPIED_PARTS) {
    var->ok = false;
    return false;
  }
  KILN_VEC_PUSH(p->arena, &var->accesses, (struct kiln_slot_access){offset, size, UINT32_MAX, type});
  return true;
}

// Gives every access inside the copy to the other side. Returns whether the other side got an access that it did not
// have.
static bool carry_over(struct kiln_promote *p, const struct kiln_promote_copy *copy, unsigned side) {
  if (!copy->side[!side].var)
    return false;
  struct kiln_promote_var *from = &p->vars.items[copy->side[side].var - 1];
  struct kiln_promote_var *to = &p->vars.items[copy->side[!side].var - 1];
  uint32_t first = copy->side[side].offset, other = copy->side[!side].offset;
  bool added = false;
  for (uint32_t i = 0; i < from->accesses.count && from->ok && to->ok; i++) {
    struct kiln_slot_access access = from->accesses.items[i];
    if (access.offset >= first && access.offset + access.size <= first + copy->bytes)
      added |= add_part(p, to, access.offset - first + other, access.size, access.type);
  }
  return added;
}

// Carries accesses over to the other sides of copies until nothing is new, and sorts them.
static void carry_all_over(struct kiln_promote *p) {
  KILN_VEC(uint32_t) work = {0};
  for (uint32_t v = 0; v < p->vars.count; v++) {
    struct kiln_promote_var *var = &p->vars.items[v];
    var->ok &= !var->copied || var->accesses.count <= MAX_COPIED_PARTS;
    if (var->ok && var->copied) {
      var->queued = true;
      KILN_VEC_PUSH(p->arena, &work, v);
    }
  }
  while (work.count) {
    struct kiln_promote_var *var = &p->vars.items[work.items[--work.count]];
    var->queued = false;
    for (uint32_t link = var->copies; link && var->ok;) {
      const struct kiln_promote_copy *copy = &p->copies.items[(link - 1) / 2];
      unsigned side = (link - 1) % 2;
      if (carry_over(p, copy, side)) {
        uint32_t other = copy->side[!side].var - 1;
        if (!p->vars.items[other].queued)
          KILN_VEC_PUSH(p->arena, &work, other);
        p->vars.items[other].queued = true;
      }
      link = copy->next[side];
    }
  }
  for (uint32_t v = 0; v < p->vars.count; v++)
    sort_accesses(&p->vars.items[v]);
}

// Adds accesses of integers for the bytes [offset, end), which only copies touch.
static void fill_gap(struct kiln_promote *p, struct kiln_promote_var *var, uint32_t offset, uint32_t end) {
  while (offset < end && var->ok) {
    uint32_t size = 8;
    while (offset % size || size > end - offset)
      size /= 2;
    enum kiln_kind kind = size == 8 ? KILN_I64 : size == 4 ? KILN_I32 : size == 2 ? KILN_I16 : KILN_I8;
    add_part(p, var, offset, size, kiln_scalar_type(kind));
    offset += size;
  }
}

static void fill_copy(struct kiln_promote *p, const struct kiln_promote_copy *copy, unsigned side) {
  if (!copy->side[side].var)
    return;
  struct kiln_promote_var *var = &p->vars.items[copy->side[side].var - 1];
  uint32_t cursor = copy->side[side].offset, end = cursor + copy->bytes;
  uint32_t count = var->ok ? var->accesses.count : 0;
  for (uint32_t i = 0; i < count && cursor < end; i++) { // in order of offsets
    struct kiln_slot_access access = var->accesses.items[i];
    if (access.offset > cursor)
      fill_gap(p, var, cursor, access.offset < end ? access.offset : end);
    if (access.offset + access.size > cursor)
      cursor = access.offset + access.size;
  }
  if (var->ok && cursor < end)
    fill_gap(p, var, cursor, end);
  sort_accesses(var);
}

// ---- slots ----------------------------------------------------------------------------------------------------------

// Adds a slot for accesses [first, last), which cover the bytes up to end without a hole. False: no type covers all of
// them.
static bool add_slot(struct kiln_promote *p, uint32_t v, uint32_t first, uint32_t last, uint32_t end) {
  const struct kiln_slot_access *accesses = p->vars.items[v].accesses.items;
  uint32_t offset = accesses[first].offset;
  kiln_type type = accesses[first].type; // the largest one at this offset
  if (accesses[first].size != end - offset)
    return false;
  for (uint32_t i = first; i < last; i++)
    if (!kiln_access_fits(type, end - offset, accesses[i].offset - offset, accesses[i].type))
      return false;
  KILN_VEC_PUSH(p->arena, &p->slots,
                (struct kiln_slot){.var = v, .offset = offset, .size = end - offset, .type = type});
  return true;
}

static void make_slots(struct kiln_promote *p, uint32_t v) {
  struct kiln_promote_var *var = &p->vars.items[v];
  var->slot_first = p->slots.count;
  for (uint32_t i = 0, last; i < var->accesses.count && var->ok; i = last) {
    uint32_t end = var->accesses.items[i].offset + var->accesses.items[i].size;
    for (last = i + 1; last < var->accesses.count && var->accesses.items[last].offset < end; last++) {
      uint32_t access_end = var->accesses.items[last].offset + var->accesses.items[last].size;
      end = access_end > end ? access_end : end;
    }
    var->ok = add_slot(p, v, i, last, end);
  }
  if (!var->ok)
    p->slots.count = var->slot_first;
  var->slot_count = p->slots.count - var->slot_first;
}

uint32_t kiln_promote_slot_from(const struct kiln_promote *p, uint32_t v, uint32_t offset) {
  const struct kiln_promote_var *var = &p->vars.items[v];
  uint32_t low = var->slot_first, high = low + var->slot_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (p->slots.items[middle].offset + p->slots.items[middle].size <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct kiln_slot *kiln_promote_slot(struct kiln_promote *p, uint32_t v, uint32_t offset) {
  uint32_t index = kiln_promote_slot_from(p, v, offset);
  const struct kiln_promote_var *var = &p->vars.items[v];
  if (index == var->slot_first + var->slot_count || p->slots.items[index].offset > offset)
    return NULL;
  return &p->slots.items[index];
}

// Whether the slots of a side lie wholly inside or outside of the copy, and each is one slot of the other side too.
static bool copy_fits(struct kiln_promote *p, const struct kiln_promote_copy *copy, unsigned side) {
  const struct kiln_promote_side *here = &copy->side[side], *there = &copy->side[!side];
  const struct kiln_promote_var *var = &p->vars.items[here->var - 1];
  uint32_t end = here->offset + copy->bytes;
  for (uint32_t i = kiln_promote_slot_from(p, here->var - 1, here->offset); i < var->slot_first + var->slot_count;
       i++) {
    const struct kiln_slot *slot = &p->slots.items[i];
    if (slot->offset >= end)
      break;
    if (slot->offset < here->offset || slot->offset + slot->size > end)
      return false;
    if (!there->var || !p->vars.items[there->var - 1].ok)
      continue;
    const struct kiln_slot *other = kiln_promote_slot(p, there->var - 1, slot->offset - here->offset + there->offset);
    if (!other || other->offset != slot->offset - here->offset + there->offset || other->size != slot->size)
      return false;
  }
  return true;
}

// Takes variables out whose copies do not fit. That changes nothing for other variables: copies to and from a variable
// that was taken out are copies with memory.
static void check_copies(struct kiln_promote *p) {
  for (uint32_t i = 0; i < p->copies.count; i++)
    for (unsigned side = 0; side < 2; side++) {
      uint32_t var = p->copies.items[i].side[side].var;
      if (var && p->vars.items[var - 1].ok && !copy_fits(p, &p->copies.items[i], side))
        p->vars.items[var - 1].ok = false;
    }
}

bool kiln_promote_analyse(struct kiln_promote *p) {
  find_uses(p);
  for (uint32_t v = 0; v < p->vars.count; v++)
    sort_accesses(&p->vars.items[v]);
  if (p->copies.count) {
    carry_all_over(p);
    for (uint32_t i = 0; i < p->copies.count; i++)
      for (unsigned side = 0; side < 2; side++)
        fill_copy(p, &p->copies.items[i], side);
    carry_all_over(p);
  }
  bool any = false;
  for (uint32_t v = 0; v < p->vars.count; v++)
    if (p->vars.items[v].ok)
      make_slots(p, v);
  check_copies(p);
  for (uint32_t v = 0; v < p->vars.count; v++)
    any |= p->vars.items[v].ok;
  return any;
}
