// Pointer arithmetic with indices that are sums in loops.
#include "backends/llvm/gpu/amdgpu.h"

#include <stdlib.h>

enum { MOST_TERMS = 8 };

struct term {
  kiln_value value;
  bool is_negative;
  uint32_t depth; // of loops
};

static uint32_t region_depth(const struct kiln_function *fn, uint32_t region) {
  uint32_t depth = 0;
  for (kiln_value owner = fn->regions[region].owner; owner; owner = fn->regions[kiln_inst(fn, owner)->region].owner)
    depth += kiln_inst(fn, owner)->op == KILN_OP_LOOP;
  return depth;
}

// The number of loops around a value.
static uint32_t depth_of(const struct kiln_function *fn, kiln_value value) {
  const struct kiln_inst *in = kiln_inst(fn, value);
  if (in->op != KILN_OP_PHI)
    return in->region ? region_depth(fn, in->region) : 0;
  kiln_value owner = (kiln_value)in->imm;
  const struct kiln_node *node = kiln_node(fn, owner);
  for (uint32_t i = 0; i < node->header.count; i++)
    if (node->header.items[i] == value)
      return region_depth(fn, kiln_inst(fn, owner)->region) + 1;
  return region_depth(fn, kiln_inst(fn, owner)->region);
}

// The terms of a sum that the source says to fit. 0: it is no such sum, or has too many terms.
static uint32_t find_terms(const struct kiln_function *fn, kiln_value sum, struct term *terms) {
  uint32_t count = 1;
  terms[0] = (struct term){.value = sum};
  for (uint32_t i = 0; i < count;) {
    const struct kiln_inst *in = kiln_inst(fn, terms[i].value);
    if ((in->op != KILN_OP_IADD && in->op != KILN_OP_ISUB) || !(in->flags & KILN_INT_NSW)) {
      terms[i].depth = depth_of(fn, terms[i].value);
      i++;
      continue;
    }
    if (count == MOST_TERMS)
      return 0;
    const kiln_value *operands = kiln_operands(fn, terms[i].value);
    bool is_negative = terms[i].is_negative;
    terms[i].value = operands[0];
    terms[count++] = (struct term){operands[1], (in->op == KILN_OP_ISUB) != is_negative, 0};
  }
  return count > 1 ? count : 0;
}

static int outer_first(const void *a, const void *b) {
  const struct term *x = a, *y = b;
  return x->depth != y->depth ? (x->depth > y->depth) - (x->depth < y->depth)
                              : (x->value > y->value) - (x->value < y->value);
}

// The innermost loop around a region; 0: none.
static kiln_value loop_around(const struct kiln_function *fn, uint32_t region) {
  kiln_value owner = fn->regions[region].owner;
  while (owner && kiln_inst(fn, owner)->op != KILN_OP_LOOP)
    owner = fn->regions[kiln_inst(fn, owner)->region].owner;
  return owner;
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
bool kiln_ll_amdgpu_padd(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result) {
  const struct kiln_function *fn = f->fn;
  const struct kiln_inst *in = kiln_inst(fn, inst);
  kiln_value index = kiln_operands(fn, inst)[1];
  if (kiln_inst(fn, index)->op != KILN_OP_SEXT || !in->region)
    return false;
  kiln_value sum = kiln_operands(fn, index)[0];
  struct term terms[MOST_TERMS];
  uint32_t count = find_terms(fn, sum, terms), depth = region_depth(fn, in->region);
  if (!count || !depth)
    return false;
  qsort(terms, count, sizeof *terms, outer_first);
  if (terms[0].depth == depth || terms[count - 1].depth < depth)
    return false;
  if (!counts_to_constant(fn, loop_around(fn, in->region)))
    return false; // one sum of 32 bits is cheaper
  LLVMValueRef pointer = kiln_ll_operand(f, inst, 0);
  for (uint32_t i = 0; i < count; i++) {
    LLVMValueRef wide = LLVMBuildSExt(f->ll->b, kiln_ll_get(f, terms[i].value), f->ll->i64, "");
    pointer = kiln_ll_pointer_add(f->ll, pointer, terms[i].is_negative ? LLVMBuildNSWNeg(f->ll->b, wide, "") : wide,
                                  (int64_t)in->imm);
  }
  *result = pointer;
  return true;
}
