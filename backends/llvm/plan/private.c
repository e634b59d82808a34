// Private variables whose address is used only by loads, stores and additions, and whose accesses are elements of one
// size at multiples of it. They are arrays of lanes, or where all lanes store the same, plain arrays that the lanes
// share. Those that live across barriers lie in the item block, where a warp has the places of its work-items: these
// are arrays of lanes where every warp has all of its lanes.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): private_arrays, private_in_loops, private_across_barriers.
#include "backends/cpu/abi.h"
#include "backends/llvm/plan/find.h"
#include "backends/llvm/plan/group.h"

struct search {
  const struct kiln_ll_fn *f;
  const kiln_value *root; // by value: the variable that it points into; 0: none
  uint8_t *size;          // by variable: bytes of its elements; 0: not accessed yet
  bool *bad;              // by variable
};

static void access(struct search *s, kiln_value root, kiln_type type, uint16_t flags) {
  unsigned bytes = kiln_ll_element_bytes(type);
  if (!bytes || (flags & KILN_MEM_VOLATILE) || (s->size[root] && s->size[root] != bytes))
    s->bad[root] = true;
  s->size[root] = (uint8_t)bytes;
}

static void look_at(struct search *s, kiln_value v) {
  const struct kiln_function *fn = s->f->fn;
  const struct kiln_inst *in = kiln_inst(fn, v);
  const kiln_value *x = kiln_operands(fn, v);
  for (uint32_t i = 0; in->region && i < in->operand_count; i++) {
    kiln_value root = s->root[x[i]];
    if (!root)
      continue;
    if (in->op == KILN_OP_LOAD)
      access(s, root, in->type, in->flags);
    else if (in->op == KILN_OP_STORE && i == 0)
      access(s, root, kiln_value_type(fn, x[1]), in->flags);
    else if (in->op != KILN_OP_PADD || i != 0)
      s->bad[root] = true;
  }
}

// The step of an addition to a pointer, or a divisor of it.
static int64_t step_of(const struct kiln_function *fn, kiln_value padd) {
  const struct kiln_inst *in = kiln_inst(fn, padd), *index = kiln_inst(fn, kiln_operands(fn, padd)[1]);
  uint64_t times = index->op == KILN_OP_CONST ? index->imm : 1;
  return (int64_t)(in->imm * times);
}

static bool is_in_item_block(const struct kiln_ll_fn *f, kiln_value var) {
  return f->group && f->group->slot[var] != UINT32_MAX;
}

// Whether a variable in the item block may be an array of lanes: the work-items of a warp are those of a multiple of
// its lanes in every item region that accesses it, and their places together hold whole elements. Item regions that run
// the rest of a row in fewer lanes access none (is_step in barrier.c).
static bool may_interleave_items(const struct kiln_ll_fn *f, kiln_value var, unsigned bytes) {
  const struct kiln_ll_group *g = f->group;
  return f->cpu.whole_rows && f->form->lanes == f->cpu.lanes && bytes && g->slot[var] % bytes == 0 &&
         g->slot_size[var] % bytes == 0;
}

const kiln_value *kiln_ll_find_arrays(const struct kiln_ll_fn *f, uint8_t *element, struct kiln_shape *shapes) {
  const struct kiln_function *fn = f->fn;
  struct kiln_arena *arena = &f->ll->arena;
  struct search s = {f, kiln_ll_variables_of(f->ll, fn), KILN_NEW_ARRAY(arena, uint8_t, fn->inst_count),
                     KILN_NEW_ARRAY(arena, bool, fn->inst_count)};
  kiln_value *array = KILN_NEW_ARRAY(arena, kiln_value, fn->inst_count);
  for (kiln_value v = 1; v < fn->inst_count; v++)
    look_at(&s, v);
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    kiln_value root = s.root[v];
    if (root == v && is_in_item_block(f, v) && !may_interleave_items(f, v, s.size[v]))
      s.bad[v] = true;
    if (root && root != v && !s.bad[root] && s.size[root] && step_of(fn, v) % s.size[root])
      s.bad[root] = true;
  }
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    if (!s.root[v] || s.bad[s.root[v]] || !s.size[s.root[v]])
      continue;
    element[v] = s.size[s.root[v]];
    shapes[v] = (struct kiln_shape){.kind = KILN_SHAPE_UNIFORM};
    array[v] = s.root[v];
  }
  return array;
}

// Marks the nodes at whose end, or in whose next iteration, lanes arrive that have left them before others did.
static bool *find_arrivals(const struct kiln_ll_fn *f) {
  const struct kiln_function *fn = f->fn;
  bool *arrives = KILN_NEW_ARRAY(&f->ll->arena, bool, fn->node_count + 1);
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = kiln_inst(fn, v);
    if (!in->region || !kiln_op_leaves(in->op))
      continue;
    bool divergent = false;
    kiln_value owner = kiln_owner(fn, v);
    for (; owner && owner != (kiln_value)in->imm; owner = kiln_owner(fn, owner))
      divergent |= f->form->divergent[kiln_inst(fn, owner)->node];
    if (owner && divergent)
      arrives[kiln_inst(fn, owner)->node] = true;
  }
  return arrives;
}

static uint32_t region_around(const struct kiln_function *fn, uint32_t region) {
  return kiln_inst(fn, fn->regions[region].owner)->region;
}

static bool is_inside(const struct kiln_function *fn, uint32_t region, uint32_t of) {
  while (region != of && fn->regions[region].owner)
    region = region_around(fn, region);
  return region == of;
}

// The innermost region around all accesses of an array that runs once while the array lives.
static void extend_scope(const struct kiln_function *fn, kiln_value array, kiln_value access, uint32_t *scope) {
  *scope = *scope ? *scope : kiln_inst(fn, access)->region;
  while (!is_inside(fn, kiln_inst(fn, access)->region, *scope))
    *scope = region_around(fn, *scope);
  for (uint32_t r = *scope; r != kiln_inst(fn, array)->region; r = region_around(fn, r))
    if (kiln_inst(fn, fn->regions[r].owner)->op == KILN_OP_LOOP)
      *scope = region_around(fn, r);
}

// Whether all lanes that have come into the region, and will access anything there later, run the instruction together.
static bool is_run_by_all(const struct kiln_ll_fn *f, const bool *arrives, kiln_value v, uint32_t scope) {
  bool all = true;
  for (uint32_t r = kiln_inst(f->fn, v)->region; all && r != scope; r = region_around(f->fn, r)) {
    uint32_t n = kiln_inst(f->fn, f->fn->regions[r].owner)->node;
    all = !f->form->divergent[n] && !arrives[n];
  }
  return all;
}

void kiln_ll_share_arrays(const struct kiln_ll_fn *f, uint8_t *element) {
  const struct kiln_function *fn = f->fn;
  const struct kiln_ll_form *spmd = f->form;
  uint32_t *scope = KILN_NEW_ARRAY(&f->ll->arena, uint32_t, fn->inst_count);
  bool *arrives = find_arrivals(f), *own = KILN_NEW_ARRAY(&f->ll->arena, bool, fn->inst_count);
  for (unsigned round = 0; round < 2; round++)
    for (kiln_value v = 1; v < fn->inst_count; v++) {
      const struct kiln_inst *in = kiln_inst(fn, v);
      const kiln_value *x = kiln_operands(fn, v);
      kiln_value array = in->region && kiln_op_is_access(kiln_op_of(in)) ? spmd->array[x[0]] : 0;
      if (array && round == 0)
        extend_scope(fn, array, v, &scope[array]);
      else if (array && in->op == KILN_OP_STORE)
        own[array] |= spmd->shapes[x[0]].kind != KILN_SHAPE_UNIFORM || spmd->shapes[x[1]].kind != KILN_SHAPE_UNIFORM ||
                      !is_run_by_all(f, arrives, v, scope[array]);
    }
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if (spmd->array[v] && !own[spmd->array[v]] && !is_in_item_block(f, spmd->array[v]))
      element[v] = 0;
}
