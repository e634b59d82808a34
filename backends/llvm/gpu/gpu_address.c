// Pointer arithmetic with indices that are sums in loops.
#include "backends/llvm/gpu/gpu.h"

#include <stdlib.h>

struct term {
  struct kiln_term of_form;
  uint32_t depth; // of loops
};

static uint32_t region_depth(const struct kiln_function *fn, uint32_t region) {
  uint32_t depth = 0;
  for (kiln_value owner = fn->regions[region].owner; owner; owner = kiln_owner(fn, owner))
    depth += kiln_inst(fn, owner)->op == KILN_OP_LOOP;
  return depth;
}

// The number of loops around a value.
static uint32_t depth_of(const struct kiln_function *fn, kiln_value value) {
  const struct kiln_inst *in = kiln_inst(fn, value);
  if (in->op != KILN_OP_PHI)
    return in->region ? region_depth(fn, in->region) : 0;
  kiln_value owner = (kiln_value)in->imm;
  uint32_t index;
  return region_depth(fn, kiln_inst(fn, owner)->region) + (kiln_ll_header_of(fn, value, &index) != 0);
}

static int outer_first(const void *a, const void *b) {
  const struct term *x = a, *y = b;
  return x->depth != y->depth ? (x->depth > y->depth) - (x->depth < y->depth)
                              : (x->of_form.value > y->of_form.value) - (x->of_form.value < y->of_form.value);
}

// Whether a counter of the loop starts at a constant and is compared with one: such loops are unrolled if short.
static bool counts_to_constant(const struct kiln_function *fn, kiln_value loop) {
  const struct kiln_node *node = kiln_node(fn, loop);
  const kiln_value *first = kiln_operands(fn, loop);
  for (kiln_value inst = fn->regions[node->region_first].first; inst; inst = kiln_inst(fn, inst)->next) {
    const struct kiln_inst *in = kiln_inst(fn, inst);
    if (in->op < KILN_OP_EQ || in->op > KILN_OP_ULE)
      continue;
    const kiln_value *sides = kiln_operands(fn, inst);
    for (uint32_t i = 0; i < node->header.count; i++)
      for (int side = 0; side < 2; side++)
        if (sides[side] == node->header.items[i] && kiln_inst(fn, sides[!side])->op == KILN_OP_CONST &&
            kiln_inst(fn, first[i])->op == KILN_OP_CONST)
          return true;
  }
  return false;
}

// pointer + sext(sum) * stride in a loop that is unrolled, term by term: the loop-invariant part is added outside of
// it, and the remaining constant becomes the offset of the instruction.
bool kiln_ll_gpu_padd(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result) {
  const struct kiln_function *fn = f->fn;
  const struct kiln_inst *in = kiln_inst(fn, inst);
  kiln_value index = kiln_operands(fn, inst)[1];
  struct kiln_affine form;
  struct term terms[KILN_AFFINE_TERMS];
  if (kiln_inst(fn, index)->op != KILN_OP_SEXT || !in->region)
    return false;
  kiln_affine_of(fn, index, 0, &form);
  uint32_t depth = region_depth(fn, in->region);
  for (uint32_t i = 0; i < form.term_count; i++)
    terms[i] = (struct term){form.terms[i], depth_of(fn, form.terms[i].value)};
  if (form.term_count < 2 || !depth)
    return false;
  qsort(terms, form.term_count, sizeof *terms, outer_first);
  if (terms[0].depth == depth || terms[form.term_count - 1].depth < depth)
    return false;
  if (!counts_to_constant(fn, kiln_ll_loop_of(fn, inst)))
    return false; // one sum of 32 bits is cheaper
  LLVMValueRef pointer = kiln_ll_operand(f, inst, 0);
  for (uint32_t i = 0; i < form.term_count; i++) {
    const struct kiln_term *term = &terms[i].of_form;
    LLVMValueRef value = kiln_ll_extended(f->ll, kiln_ll_get(f, term->value), term->extension);
    pointer = kiln_ll_pointer_add(f->ll, pointer, value, (int64_t)in->imm * term->factor);
  }
  LLVMValueRef constant = kiln_ll_i64(f->ll, (uint64_t)form.constant);
  *result = form.constant ? kiln_ll_pointer_add(f->ll, pointer, constant, (int64_t)in->imm) : pointer;
  return true;
}
