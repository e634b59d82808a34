// Emits loads and stores in the way that the plan says.
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/spmd/spmd.h"
#include "backends/llvm/spmd/version.h"
#include "kiln/op_cases.h"

// ---- loads and stores

// The condition under which the pointer is linear. NULL: it always is.
static LLVMValueRef guard_of(struct kiln_ll_fn *f, kiln_value pointer) {
  kiln_ll_held(f, pointer); // computes the pointer and its guard if they are not there yet
  return f->form->conditional[pointer] ? f->form->made->guards[pointer] : NULL;
}

bool kiln_ll_is_cheap_load(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  kiln_value pointer = kiln_operands(f->fn, inst)[0];
  return f->ll->machine->cpu.has_avx512 && !(in->flags & KILN_MEM_VOLATILE) && !f->form->element[pointer] &&
         kiln_type_lanes(in->type) == 1 && kiln_ll_is_contiguous(f->fn, f->form->shapes, inst) &&
         !f->form->conditional[pointer];
}

// Prefetches a contiguous load of global memory that a kernel runs once per warp. The hardware prefetcher loses such
// streams, above all at page ends. The prefetched line is that of a later warp.
static void prefetch(struct kiln_ll_fn *f, kiln_value inst, kiln_value pointer) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_ll_form *s = f->form;
  kiln_value own = f->at.uniform_test ? kiln_owner(f->fn, f->at.uniform_test) : 0;
  if (!s->prefetches || !s->prefetches[pointer] || s->made->prefetched[pointer] || f->at.mask)
    return;
  for (kiln_value v = kiln_owner(f->fn, inst); v; v = kiln_owner(f->fn, v))
    if (kiln_inst(f->fn, v)->op == KILN_OP_LOOP && v != own)
      return;
  s->made->prefetched[pointer] = true;
  uint64_t bytes = (uint64_t)kiln_type_bytes(kiln_value_type(f->fn, inst)) * s->lanes;
  for (uint64_t at = 0; at < bytes; at += KILN_COST_LINE) {
    LLVMValueRef address = kiln_ll_address_at(ll, kiln_ll_held(f, pointer), (int64_t)(KILN_COST_PREFETCH_AHEAD + at));
    LLVMValueRef args[4] = {address, kiln_ll_i32(ll, 0), kiln_ll_i32(ll, 3),
                            kiln_ll_i32(ll, 1)}; // for reading, into the nearest cache, data
    kiln_ll_intrinsic(ll, "llvm.prefetch", &ll->ptr, 1, args, 4);
  }
}

static bool is_local(const struct kiln_ll_fn *f, kiln_value pointer) {
  return kiln_type_space(kiln_value_type(f->fn, pointer)) == KILN_LOCAL;
}

// An access whose way is right under a condition only; where the condition fails, it is a gather or scatter.
struct guarded {
  LLVMValueRef condition; // NULL: always
  struct kiln_ll_permuted order;
  LLVMValueRef base; // CHECKED, STRIDED: the address in lane 0
};

static void find_guard(struct kiln_ll_fn *f, kiln_value inst, enum kiln_ll_way way, struct guarded *out) {
  kiln_value pointer = kiln_operands(f->fn, inst)[0];
  *out = (struct guarded){.condition = guard_of(f, pointer)};
  if (way == KILN_LL_PERMUTED) {
    kiln_ll_begin_permuted(f, inst, &out->order);
    out->condition = out->order.guard;
  } else if (way == KILN_LL_STRIDED) {
    out->base = kiln_ll_first_lane_value(f, pointer);
  } else if (way == KILN_LL_CHECKED) {
    out->base = LLVMBuildExtractElement(f->ll->b, kiln_ll_wide(f, pointer), kiln_ll_i32(f->ll, 0), "");
    out->condition = kiln_ll_check_access(f, inst);
  }
}

// guarded: NULL if the load is a gather.
static LLVMValueRef load_vector(struct kiln_ll_fn *f, kiln_value inst, enum kiln_ll_way way,
                                const struct guarded *guarded) {
  kiln_value pointer = kiln_operands(f->fn, inst)[0];
  kiln_type type = kiln_value_type(f->fn, inst);
  unsigned n = kiln_type_lanes(type), align = kiln_ll_known_align(kiln_inst(f->fn, inst), type);
  LLVMTypeRef element = kiln_ll_type(f->ll, kiln_type_element(type));
  LLVMValueRef mask = f->at.mask;
  if (way == KILN_LL_CONTIGUOUS) {
    prefetch(f, inst, pointer);
    return kiln_ll_load_contiguous(f, element, n, n, kiln_ll_held(f, pointer), align, mask, is_local(f, pointer));
  }
  if (way == KILN_LL_PERMUTED) {
    mask = mask ? kiln_ll_permute(f, &guarded->order, mask) : NULL;
    LLVMValueRef value =
        kiln_ll_load_contiguous(f, element, 1, 1, guarded->order.address, align, mask, is_local(f, pointer));
    return kiln_ll_permute(f, &guarded->order, value);
  }
  if (way == KILN_LL_CHECKED)
    return kiln_ll_load_contiguous(f, element, n, n, guarded->base, align, NULL, false);
  if (way == KILN_LL_STRIDED)
    return kiln_ll_load_strided(f, inst, guarded->base, align);
  return kiln_ll_gather(f, type, kiln_ll_wide(f, pointer), align);
}

static LLVMValueRef load_uniform(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef value = f->cpu.fields ? f->cpu.fields[inst] : NULL;
  if (!value) {
    value = LLVMBuildLoad2(f->ll->b, kiln_ll_type(f->ll, in->type), kiln_ll_held(f, kiln_operands(f->fn, inst)[0]), "");
    LLVMSetAlignment(value, kiln_ll_known_align(in, in->type));
    LLVMSetVolatile(value, (in->flags & KILN_MEM_VOLATILE) != 0);
  }
  return f->form->shapes[inst].kind == KILN_SHAPE_UNIFORM ? value : kiln_ll_broadcast(f, value);
}

static LLVMValueRef last_value(struct kiln_ll_fn *f, kiln_value v) {
  if (kiln_ll_shape(f, v).kind == KILN_SHAPE_UNIFORM)
    return kiln_ll_held(f, v);
  LLVMValueRef wide = kiln_ll_wide(f, v);
  return kiln_ll_of_lane(f, kiln_value_type(f->fn, v), wide, kiln_ll_last_lane(f));
}

static void store_vector(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef value, enum kiln_ll_way way,
                         const struct guarded *guarded) {
  kiln_value pointer = kiln_operands(f->fn, inst)[0];
  kiln_type type = kiln_value_type(f->fn, kiln_operands(f->fn, inst)[1]);
  unsigned n = kiln_type_lanes(type), align = kiln_ll_known_align(kiln_inst(f->fn, inst), type);
  LLVMValueRef mask = f->at.mask;
  if (way == KILN_LL_NONTEMPORAL) {
    kiln_ll_store_nontemporal(f, inst, value, align);
  } else if (way == KILN_LL_CONTIGUOUS) {
    kiln_ll_store_contiguous(f, value, n, n, kiln_ll_held(f, pointer), align, mask, is_local(f, pointer));
  } else if (way == KILN_LL_PERMUTED) {
    mask = mask ? kiln_ll_permute(f, &guarded->order, mask) : NULL;
    kiln_ll_store_contiguous(f, kiln_ll_permute(f, &guarded->order, value), 1, 1, guarded->order.address, align, mask,
                             is_local(f, pointer));
  } else if (way == KILN_LL_CHECKED) {
    kiln_ll_store_contiguous(f, value, n, n, guarded->base, align, NULL, false);
  } else if (way == KILN_LL_STRIDED) {
    kiln_ll_store_strided(f, type, value, guarded->base, f->form->plan[inst]->at, align);
  } else {
    kiln_ll_scatter(f, type, value, kiln_ll_wide(f, pointer), align);
  }
}

// value: what a store writes; NULL: the access is a load.
static LLVMValueRef access_vector(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef value, enum kiln_ll_way way,
                                  const struct guarded *guarded) {
  if (!value)
    return load_vector(f, inst, way, guarded);
  store_vector(f, inst, value, way, guarded);
  return NULL;
}

static LLVMValueRef access_either_way(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef value, enum kiln_ll_way way) {
  struct guarded guarded;
  find_guard(f, inst, way, &guarded);
  if (!guarded.condition)
    return access_vector(f, inst, value, way, &guarded);
  struct kiln_ll_versions versions;
  LLVMValueRef values[2];
  kiln_ll_likely(f->ll->context, kiln_ll_begin_versions(f, &versions, guarded.condition, "fast"));
  values[0] = access_vector(f, inst, value, way, &guarded);
  kiln_ll_other_version(f, &versions);
  const struct kiln_ll_edge *edge = &f->form->plan[inst]->edge;
  if (way == KILN_LL_CONTIGUOUS && edge->position)
    values[1] = kiln_ll_load_at_edge(f, inst, edge);
  else
    values[1] = access_vector(f, inst, value, KILN_LL_GATHERED, NULL);
  kiln_ll_end_versions(f, &versions);
  return value ? NULL : kiln_ll_merge_versions(f, &versions, values);
}

static LLVMValueRef store_uniform(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  const kiln_value *x = kiln_operands(f->fn, inst);
  LLVMValueRef access = LLVMBuildStore(f->ll->b, last_value(f, x[1]), kiln_ll_held(f, x[0]));
  LLVMSetAlignment(access, kiln_ll_known_align(in, kiln_value_type(f->fn, x[1])));
  LLVMSetVolatile(access, (in->flags & KILN_MEM_VOLATILE) != 0);
  return NULL;
}

// A load or store, in the way that the plan says. NULL: a store.
static LLVMValueRef access_as(struct kiln_ll_fn *f, kiln_value inst, enum kiln_ll_way way) {
  bool is_store = kiln_inst(f->fn, inst)->op == KILN_OP_STORE;
  switch (way) {
  case KILN_LL_BY_LANE:
    return kiln_ll_by_lane(f, inst);
  case KILN_LL_OF_ARRAY:
    return is_store ? kiln_ll_store_array(f, inst) : kiln_ll_load_array(f, inst);
  case KILN_LL_UNIFORM:
    return is_store ? store_uniform(f, inst) : load_uniform(f, inst);
  case KILN_LL_TRANSPOSED:
    return kiln_ll_load_transposed(f, inst);
  case KILN_LL_AT_EDGE:
    return kiln_ll_load_at_edge(f, inst, &f->form->plan[inst]->edge);
  case KILN_LL_GROUPED:
    return kiln_ll_store_group(f, inst);
  case KILN_LL_GATHERED:
  case KILN_LL_CONTIGUOUS:
  case KILN_LL_NONTEMPORAL:
  case KILN_LL_PERMUTED:
  case KILN_LL_CHECKED:
  case KILN_LL_STRIDED: {
    LLVMValueRef value = is_store ? kiln_ll_wide(f, kiln_operands(f->fn, inst)[1]) : NULL;
    return way == KILN_LL_GATHERED ? access_vector(f, inst, value, way, NULL) : access_either_way(f, inst, value, way);
  }
  case KILN_LL_NO_WAY:
  case KILN_LL_WAY_COUNT:
    break;
  }
  return NULL;
}

// By way of access: whether code of that way has gathers or scatters. BESIDE: only where the access is conditional.
// Private arrays may have them, where an index varies.
enum gathers { UNKNOWN, NEVER, BESIDE, ALWAYS, PERHAPS };
static const enum gathers gathers_of[KILN_LL_WAY_COUNT] = {
    [KILN_LL_BY_LANE] = NEVER,   [KILN_LL_GATHERED] = ALWAYS,   [KILN_LL_OF_ARRAY] = PERHAPS,
    [KILN_LL_CHECKED] = ALWAYS,  [KILN_LL_STRIDED] = BESIDE,    [KILN_LL_TRANSPOSED] = NEVER,
    [KILN_LL_PERMUTED] = BESIDE, [KILN_LL_CONTIGUOUS] = BESIDE, [KILN_LL_NONTEMPORAL] = BESIDE,
    [KILN_LL_GROUPED] = NEVER,   [KILN_LL_UNIFORM] = NEVER,     [KILN_LL_AT_EDGE] = NEVER,
};

// --emit plan prints the plan, so an access that is gathered and was not planned so is a fault of the emitter.
static void compare(struct kiln_ll_fn *f, kiln_value inst, enum kiln_ll_way way, bool gathered) {
  enum gathers may = gathers_of[way];
  bool is_beside = may == BESIDE && f->form->plan[inst]->conditional;
  if (may == UNKNOWN)
    kiln_ll_fail(f->ll, KILN_ERR_INTERNAL, "emitter: nothing says whether '%s' gathers", kiln_ll_choice_words[way]);
  else if (may != PERHAPS && (gathered ? may != ALWAYS && !is_beside : may == ALWAYS))
    kiln_ll_fail(f->ll, KILN_ERR_INTERNAL, "emitter: access %%%u of '%s' is planned as %s, but is%s gathered", inst,
                 f->fn->name, kiln_ll_choice_words[way], gathered ? "" : " not");
}

static LLVMValueRef access(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_ll_access *planned = f->form->plan[inst];
  enum kiln_ll_way way = f->at.mask ? planned->masked : planned->full;
  uint32_t before = f->ll->gathers_emitted;
  kiln_ll_tally(f, inst, way);
  LLVMValueRef value = access_as(f, inst, way);
  if (f->ll->choices)
    compare(f, inst, way, f->ll->gathers_emitted > before);
  return value;
}

// A private variable: a separate block per lane, unless they share it.
static LLVMValueRef variable(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  uint64_t align = kiln_ll_var_align(f->ll, in), size = kiln_ll_align_up(in->imm, align);
  LLVMValueRef base = f->group ? f->ll->hooks->groups->var(f, inst) : NULL;
  if (base)
    return base; // of all lanes
  if (f->form->element[inst])
    return kiln_ll_private_array(f, inst);
  size = size ? size : 1;
  if (f->form->array[inst])
    return kiln_ll_alloca(f, LLVMArrayType2(f->ll->i8, size), (unsigned)align, kiln_value_name(f->fn, inst));
  base = kiln_ll_alloca(f, LLVMArrayType2(f->ll->i8, size * f->form->lanes), (unsigned)align,
                        kiln_value_name(f->fn, inst));
  return kiln_ll_pointer_add(f->ll, base, kiln_ll_iota(f, f->ll->i64, size), 1);
}

LLVMValueRef kiln_ll_spmd_memory(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  bool is_uniform = in->operand_count && kiln_ll_shape(f, kiln_operands(f->fn, inst)[0]).kind == KILN_SHAPE_UNIFORM;
  switch (kiln_op_of(in)) {
  case KILN_OP_VAR:
    return variable(f, inst);
  case KILN_OP_LOAD:
  case KILN_OP_STORE:
    return access(f, inst);
  case KILN_OP_COPY:
    if (is_uniform && kiln_ll_shape(f, kiln_operands(f->fn, inst)[1]).kind == KILN_SHAPE_UNIFORM)
      return kiln_ll_compute_op(f, inst);
    return kiln_ll_by_lane(f, inst);
  case KILN_OP_PADD: // by kiln_ll_spmd_compute
    KILN_CASES_BUT_MEMORY break;
  }
  return NULL;
}
