// Non-temporal stores. When successive groups store short vectors far apart, as a transposition does, the processor
// cannot prefetch the next line: each store waits for memory. Lines that a launch only writes, and too many of them to
// stay in the cache, need not be read at all. The launch says which arguments are that large (backends/cpu/abi.h); the
// code holds both kinds of stores and tests that. x86 does not order non-temporal stores with others: the driver fences
// at the end, and kernels that communicate with other threads while they run have no non-temporal stores.
#include "backends/llvm/plan/find.h"
#include <string.h>

#include "backends/llvm/plan/cost.h"

// The parameter that a pointer is derived from; 0: unknown or none.
static kiln_value root_of(const struct kiln_function *fn, kiln_value pointer) {
  struct kiln_affine form;
  kiln_affine_of(fn, pointer, KILN_AFFINE_MAY_WRAP, &form);
  return fn->insts[form.base].op == KILN_OP_PARAM ? form.base : 0;
}

static bool is_of_group(const struct kiln_function *fn, kiln_value pointer) {
  enum kiln_space space = kiln_type_space(kiln_value_type(fn, pointer));
  return space == KILN_LOCAL || space == KILN_PRIVATE || space == KILN_CONSTANT;
}

// Marks parameters that are loaded from. False: unknown memory may be read or shared with other threads.
static bool find_loaded(const struct kiln_function *fn, bool *loaded) {
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = &fn->insts[v];
    if (!in->region)
      continue;
    kiln_value pointer = in->operand_count ? kiln_operands(fn, v)[0] : 0;
    enum kiln_op_effect effect = kiln_op_table[in->op].effect;
    bool accesses = kiln_op_is_access(in->op);
    if (accesses && (in->flags & KILN_MEM_VOLATILE))
      return false;
    if (in->op == KILN_OP_LOAD && !is_of_group(fn, pointer)) {
      if (!root_of(fn, pointer))
        return false;
      loaded[root_of(fn, pointer)] = true;
    } else if (!accesses && in->op != KILN_OP_BARRIER &&
               (effect == KILN_EFFECT_READ || effect == KILN_EFFECT_WRITE || effect == KILN_EFFECT_SYNC)) {
      return false;
    }
  }
  return true;
}

// Whether v depends on the group id in dimension 0, or on an id of its work-items.
static bool has_group(const struct kiln_function *fn, kiln_value v) {
  return kiln_depends_on(fn, v) & (KILN_ON_GROUP_ID | KILN_ON_GLOBAL_ID);
}

static bool is_size(const struct kiln_inst *in) {
  return in->op == KILN_OP_CONST || in->op == KILN_OP_LOCAL_SIZE || in->op == KILN_OP_FULL_LOCAL_SIZE;
}

// Whether neighbouring groups store far apart: the group id is multiplied by more than a group size.
static bool jumps(const struct kiln_function *fn, kiln_value pointer) {
  struct kiln_affine form;
  kiln_affine_of(fn, pointer, KILN_AFFINE_PRODUCTS | KILN_AFFINE_MAY_WRAP, &form);
  for (uint32_t i = 0; i < form.term_count; i++) {
    kiln_value value = form.terms[i].value, scale = form.terms[i].scale;
    if (scale && ((has_group(fn, value) && !is_size(&fn->insts[scale])) ||
                  (has_group(fn, scale) && !is_size(&fn->insts[value]))))
      return true;
  }
  return false;
}

// Whether stores fill whole cache lines. In a loop, the stores of neighbouring warps come too late to complete a line.
static bool fills_lines(const struct kiln_ll_fn *f, kiln_value store, unsigned bytes) {
  return f->form->lanes * bytes >= KILN_COST_LINE || !kiln_ll_loop_of(f->fn, store);
}

const uint32_t *kiln_ll_find_nontemporal(const struct kiln_ll_fn *f) {
  const struct kiln_function *fn = f->fn;
  bool *loaded = KILN_NEW_ARRAY(&f->ll->arena, bool, fn->inst_count);
  uint32_t *nontemporal = NULL;
  if (!fn->is_kernel || fn->is_flat || strncmp(f->ll->machine->triple, "x86_64", 6) != 0 || !find_loaded(fn, loaded))
    return NULL;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = &fn->insts[v];
    if (!in->region || in->op != KILN_OP_STORE || is_of_group(fn, kiln_operands(fn, v)[0]))
      continue;
    kiln_value root = root_of(fn, kiln_operands(fn, v)[0]);
    kiln_type type = kiln_value_type(fn, kiln_operands(fn, v)[1]);
    unsigned element = kiln_ll_element_bytes(type), n = kiln_type_lanes(type);
    if (!root || loaded[root] || element < 4 || n == 3 || !fills_lines(f, v, element * n) ||
        !jumps(fn, kiln_operands(fn, v)[0]))
      continue;
    if (!nontemporal)
      nontemporal = KILN_NEW_ARRAY(&f->ll->arena, uint32_t, fn->inst_count);
    for (uint32_t i = 0; i < fn->param_count && i < 64; i++)
      if (fn->params[i].value == root)
        nontemporal[kiln_operands(fn, v)[0]] = i + 1;
  }
  return nontemporal;
}

unsigned kiln_ll_stored_bytes(const struct kiln_ll_fn *f, kiln_value store) {
  unsigned bytes = f->form->lanes * kiln_type_bytes(kiln_value_type(f->fn, kiln_operands(f->fn, store)[1]));
  return bytes < f->ll->lanes * 4 ? bytes : f->ll->lanes * 4;
}

bool kiln_ll_is_nontemporal(const struct kiln_ll_fn *f, kiln_value store) {
  unsigned bytes = f->form->lanes * kiln_type_bytes(kiln_value_type(f->fn, kiln_operands(f->fn, store)[1]));
  unsigned whole = kiln_ll_stored_bytes(f, store);
  return f->form->nontemporal && f->form->nontemporal[kiln_operands(f->fn, store)[0]] && whole >= 16 &&
         bytes % whole == 0;
}
