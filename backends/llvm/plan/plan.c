// Decides how each load and store of a warp is made. Of the loads in
//
//   kernel void k(global const float *a, global const int *at, global float *o, int n) {
//     int i = get_global_id(0);
//     o[i] = a[i + 1] + a[n] + a[2 * i] + a[n - i] + a[at[i]];
//   }
//
// a[i + 1] and at[i] are contiguous (one vector), a[n] is uniform (one scalar), a[2 * i] strided (two vectors and a
// shuffle), a[n - i] permuted (one vector, reversed), and a[at[i]] gathered. What holds with and without a mask is
// decided first (choose_always); then, for full warps, choose asks whether the access can be transposed, permuted,
// strided or checked, in this order, and gathers what is left. Strided stores that fill vectors together become a group
// at the end. A masked access has fewer ways: under a mask memory between the lanes' elements may not be read.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): volatile.
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/find.h"

// Whether each lane accesses memory by itself, as volatile accesses must. Volatile accesses to local memory need not:
// one thread runs the whole group, so that no other thread could see the difference.
static bool must_go_by_lane(const struct kiln_ll_fn *f, kiln_value access) {
  kiln_value pointer = kiln_operands(f->fn, access)[0];
  return kiln_inst(f->fn, access)->flags & KILN_MEM_VOLATILE && kiln_ll_shape(f, pointer).kind != KILN_SHAPE_UNIFORM &&
         kiln_type_space(kiln_value_type(f->fn, pointer)) != KILN_LOCAL;
}

// The way that is the same with and without a mask. NO_WAY: full and masked warps are decided separately, in choose.
static enum kiln_ll_way choose_always(const struct kiln_ll_fn *f, kiln_value access) {
  kiln_value pointer = kiln_operands(f->fn, access)[0];
  if (must_go_by_lane(f, access))
    return KILN_LL_BY_LANE;
  if (f->form->element[pointer])
    return KILN_LL_OF_ARRAY;
  if (kiln_ll_shape(f, pointer).kind == KILN_SHAPE_UNIFORM)
    return KILN_LL_UNIFORM;
  return kiln_ll_is_contiguous(f->fn, f->form->shapes, access) ? KILN_LL_CONTIGUOUS : KILN_LL_NO_WAY;
}

struct planner {
  struct kiln_ll_fn *f;
  struct kiln_ll_access **plan;            // by access
  const struct kiln_ll_pattern **patterns; // NULL: not found, since no access has asked for them yet
};

// For a load that is neither uniform nor contiguous.
static void choose_load(const struct kiln_ll_fn *f, kiln_value load, struct kiln_ll_access *out) {
  if (kiln_ll_may(f->ll, KILN_LL_TRANSPOSED) && !f->form->ordered[load] && kiln_ll_is_transposed_load(f, load))
    out->full = KILN_LL_TRANSPOSED;
}

#define MAX_RECORD 64 // bytes: bits of a mask

// Whether execution always goes on with the next instruction.
static bool is_plain(const struct kiln_inst *in) {
  return kiln_op_table[in->op].effect == KILN_EFFECT_PURE || kiln_op_is_access(in->op);
}

// Loads near a given load, at constant distances from it, that run whenever it runs.
struct near_loads {
  int64_t at[2 * KILN_COST_NEAR_LOADS + 1];
  unsigned bytes[2 * KILN_COST_NEAR_LOADS + 1], count;
};

static void find_near(const struct kiln_ll_fn *f, kiln_value load, struct near_loads *out) {
  const struct kiln_function *fn = f->fn;
  struct kiln_affine from, to;
  struct kiln_shape shape = kiln_ll_shape(f, kiln_operands(fn, load)[0]);
  kiln_affine_of(fn, kiln_operands(fn, load)[0], 0, &from);
  for (unsigned forwards = 0; forwards < 2; forwards++) {
    kiln_value v = load;
    for (unsigned n = 0; v && n < KILN_COST_NEAR_LOADS && is_plain(kiln_inst(fn, v));
         v = forwards ? kiln_inst(fn, v)->next : kiln_inst(fn, v)->prev) {
      const struct kiln_inst *in = kiln_inst(fn, v);
      if (in->op != KILN_OP_LOAD || (forwards && v == load))
        continue;
      n++;
      kiln_value pointer = kiln_operands(fn, v)[0];
      kiln_affine_of(fn, pointer, 0, &to);
      if (in->flags & KILN_MEM_VOLATILE || f->form->conditional[pointer] ||
          kiln_ll_shape(f, pointer).kind != KILN_SHAPE_LINEAR || kiln_ll_shape(f, pointer).stride != shape.stride ||
          !kiln_affine_distance(&from, &to, &out->at[out->count]))
        continue;
      out->bytes[out->count++] = kiln_type_bytes(in->type);
    }
  }
}

// Global memory is read between a load's elements only where other loads of the warp read all of it. *offset: of the
// load's element in a record.
static bool find_record_read(const struct kiln_ll_fn *f, kiln_value load, int64_t stride, int64_t *offset) {
  struct near_loads near = {.count = 0};
  if (stride > MAX_RECORD || f->form->conditional[kiln_operands(f->fn, load)[0]])
    return false;
  find_near(f, load, &near);
  for (unsigned i = 0; i < near.count; i++) {
    int64_t start = near.at[i];
    uint64_t read = 0;
    for (unsigned k = 0; k < near.count; k++)
      if (near.at[k] >= start && near.at[k] < start + stride && near.at[k] + near.bytes[k] <= start + stride)
        read |= (UINT64_MAX >> (MAX_RECORD - near.bytes[k])) << (near.at[k] - start);
    *offset = -start;
    if (start <= 0 && start > -stride && read == UINT64_MAX >> (MAX_RECORD - stride))
      return true;
  }
  return false;
}

// A strided load may read whole records, so that loads of their elements share vectors: from local memory, also a
// little before and after the records, so that it needs no mask; from global memory only where other loads of the warp
// read every byte of the record.
static void choose_records(const struct kiln_ll_fn *f, kiln_value access, struct kiln_ll_access *out) {
  kiln_value pointer = kiln_operands(f->fn, access)[0];
  kiln_type type = kiln_access_type(f->fn, access);
  struct kiln_shape shape = kiln_ll_shape(f, pointer);
  int64_t bytes = kiln_type_bytes(type), offset;
  bool is_local = kiln_type_space(kiln_value_type(f->fn, pointer)) == KILN_LOCAL;
  if (kiln_inst(f->fn, access)->op != KILN_OP_LOAD || shape.kind != KILN_SHAPE_LINEAR || kiln_type_lanes(type) > 1 ||
      shape.stride <= bytes || shape.stride % bytes || (is_local && shape.stride * f->form->lanes > KILN_CPU_ROOM))
    return;
  if (is_local) {
    struct kiln_affine form;
    kiln_affine_of(f->fn, pointer, KILN_AFFINE_MAY_WRAP, &form);
    offset = form.constant % shape.stride;
    offset += offset < 0 ? shape.stride : 0;
  } else if (!find_record_read(f, access, shape.stride, &offset)) {
    return;
  }
  if (offset % bytes)
    return;
  out->record = (struct kiln_ll_record){(unsigned)shape.stride, (unsigned)offset};
  if (is_local)
    out->masked = KILN_LL_STRIDED;
}

static void choose_strided(struct planner *p, kiln_value access, struct kiln_ll_access *out) {
  struct kiln_ll_fn *f = p->f;
  int64_t *at = KILN_NEW_ARRAY(&f->ll->arena, int64_t, f->form->lanes);
  if (!kiln_ll_may(f->ll, KILN_LL_STRIDED))
    return;
  if (!p->patterns)
    p->patterns = kiln_ll_find_patterns(f);
  if (!kiln_ll_find_distances(f, p->patterns, access, at) ||
      !kiln_ll_is_strided(f, at, kiln_access_type(f->fn, access)))
    return;
  out->at = at;
  out->full = KILN_LL_STRIDED;
  choose_records(f, access, out);
}

static void choose_group(struct kiln_ll_fn *f, struct kiln_ll_access **plan, kiln_value store) {
  const struct kiln_ll_store_group *group =
      kiln_ll_may(f->ll, KILN_LL_GROUPED) ? kiln_ll_find_store_group(f, store, plan[store]->at) : NULL;
  for (uint32_t i = 0; group && i < group->count; i++)
    group = f->form->ordered[group->stores[i]] ? NULL : group;
  for (uint32_t i = 0; group && i < group->count; i++) {
    kiln_value member = group->stores[i];
    if (!plan[member])
      plan[member] = KILN_NEW(&f->ll->arena, struct kiln_ll_access);
    plan[member]->full = KILN_LL_GROUPED;
    plan[member]->group = group;
  }
}

static bool choose_edge(const struct kiln_ll_fn *f, kiln_value access, struct kiln_ll_access *out) {
  return kiln_ll_may(f->ll, KILN_LL_AT_EDGE) && kiln_ll_find_edge(f, access, &out->edge);
}

static void choose(struct planner *p, kiln_value access) {
  struct kiln_ll_fn *f = p->f;
  struct kiln_ll_access **plan = p->plan;
  const struct kiln_inst *in = kiln_inst(f->fn, access);
  struct kiln_ll_access *out;
  if (!plan[access])
    plan[access] = KILN_NEW(&f->ll->arena, struct kiln_ll_access);
  out = plan[access];
  enum kiln_ll_way always = choose_always(f, access);
  if (always) {
    out->masked = always;
    if (always == KILN_LL_CONTIGUOUS && f->form->conditional[kiln_operands(f->fn, access)[0]])
      choose_edge(f, access, out);
    out->full = out->full ? out->full : always;
    if (in->op == KILN_OP_STORE && always == KILN_LL_CONTIGUOUS && kiln_ll_may(f->ll, KILN_LL_NONTEMPORAL) &&
        kiln_ll_is_nontemporal(f, access))
      out->full = KILN_LL_NONTEMPORAL;
    return;
  }
  out->masked = KILN_LL_GATHERED;
  bool permuted = kiln_ll_may(f->ll, KILN_LL_PERMUTED) && kiln_ll_find_order(f, access, &out->flipped);
  if (permuted)
    out->masked = KILN_LL_PERMUTED;
  else if (!f->form->full && choose_edge(f, access, out))
    out->masked = KILN_LL_AT_EDGE;
  if (out->full) // of a group
    return;
  if (in->op == KILN_OP_LOAD)
    choose_load(f, access, out);
  if (!out->full && permuted)
    out->full = KILN_LL_PERMUTED;
  if (!out->full)
    choose_strided(p, access, out);
  if (!out->full && kiln_ll_may(f->ll, KILN_LL_CHECKED) && kiln_ll_find_neighbours(f, access, &out->neighbours))
    out->full = KILN_LL_CHECKED;
  if (!out->full)
    out->full = KILN_LL_GATHERED;
  else if (out->full == KILN_LL_STRIDED && in->op == KILN_OP_STORE)
    choose_group(f, plan, access);
}

struct kiln_ll_access **kiln_ll_plan_accesses(struct kiln_ll_fn *f) {
  const struct kiln_function *fn = f->fn;
  struct planner p = {f, KILN_NEW_ARRAY(&f->ll->arena, struct kiln_ll_access *, fn->inst_count), NULL};
  for (uint32_t r = 1; r < fn->region_count; r++)
    for (kiln_value v = fn->regions[r].first; v; v = fn->insts[v].next)
      if (kiln_op_is_access(fn->insts[v].op))
        choose(&p, v);
  return p.plan;
}

bool kiln_ll_may_version(const struct kiln_ll_fn *f, unsigned instructions) {
  if (f->made->versions + instructions > KILN_COST_VERSIONS)
    return false;
  f->made->versions += instructions;
  return true;
}

// Whether an access that is made in this way tests a condition first. Other ways than these need none.
static bool tests(const struct kiln_ll_form *form, kiln_value pointer, enum kiln_ll_way way) {
  bool is_linear = form->shapes[pointer].kind == KILN_SHAPE_LINEAR;
  if (way == KILN_LL_CHECKED || (way == KILN_LL_PERMUTED && !is_linear))
    return true;
  return form->conditional[pointer] &&
         (way == KILN_LL_CONTIGUOUS || way == KILN_LL_NONTEMPORAL || way == KILN_LL_STRIDED || way == KILN_LL_PERMUTED);
}

void kiln_ll_plan_conditions(const struct kiln_ll_fn *f, struct kiln_ll_form *form) {
  const struct kiln_function *fn = f->fn;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    struct kiln_ll_access *access = form->plan[v];
    if (!access || kiln_ll_is_guarded_off(f, fn->insts[v].region))
      continue;
    kiln_value pointer = kiln_operands(fn, v)[0];
    bool full = tests(form, pointer, access->full), masked = tests(form, pointer, access->masked);
    access->conditional = (full || masked) && kiln_ll_may_version(f, form->lanes);
    if (full && !access->conditional)
      access->full = KILN_LL_GATHERED;
    if (masked && !access->conditional)
      access->masked = KILN_LL_GATHERED;
  }
}
