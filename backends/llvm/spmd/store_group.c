// Stores that fill whole vectors together (plan/store_group.c): the values of all of them are put in the order of
// memory.
#include "backends/llvm/spmd/spmd.h"

// Joins elements of 1 or 2 bytes to a word per lane. A padding element of each word is removed.
static LLVMValueRef join_words(struct kiln_ll_fn *f, LLVMValueRef *values, unsigned count, unsigned bits) {
  struct kiln_ll *ll = f->ll;
  int list[KILN_LL_GROUP_STORES * KILN_LL_MAX_LANES];
  unsigned lanes = f->form->lanes, room = count == 3 ? 4 : count;
  LLVMTypeRef wide = kiln_ll_vector(kiln_ll_int(ll, room * bits), lanes), element = kiln_ll_int(ll, bits);
  LLVMValueRef words = NULL;
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef part = LLVMBuildBitCast(ll->b, values[i], kiln_ll_vector(element, lanes), "");
    part = LLVMBuildShl(ll->b, LLVMBuildZExt(ll->b, part, wide, ""), kiln_ll_splat(wide, (uint64_t)i * bits), "");
    words = words ? LLVMBuildOr(ll->b, words, part, "") : part;
  }
  if (room == count)
    return words;
  for (unsigned i = 0; i < count * lanes; i++)
    list[i] = (int)(i / count * room + i % count);
  return kiln_ll_shuffle(f->ll, LLVMBuildBitCast(ll->b, words, kiln_ll_vector(element, room * lanes), ""), NULL, list,
                         count * lanes);
}

LLVMValueRef kiln_ll_store_group(struct kiln_ll_fn *f, kiln_value store) {
  const struct kiln_ll_store_group *group = f->form->plan[store]->group;
  LLVMValueRef values[KILN_LL_GROUP_STORES];
  kiln_type type = kiln_value_type(f->fn, kiln_operands(f->fn, store)[1]);
  unsigned lanes = f->form->lanes, bits = kiln_kind_bits(kiln_type_kind(type));
  if (store != group->last)
    return NULL;
  for (unsigned i = 0; i < group->count; i++)
    values[i] = kiln_ll_wide(f, kiln_operands(f->fn, group->stores[i])[1]);
  LLVMValueRef base = kiln_ll_first_lane_value(f, kiln_operands(f->fn, group->first)[0]);
  if (group->interleaved) {
    LLVMValueRef all =
        bits < 32 ? join_words(f, values, group->count, bits)
                  : kiln_ll_to_lanes(f, kiln_ll_join_components(f, values, group->count), group->count, group->count);
    LLVMSetAlignment(LLVMBuildStore(f->ll->b, all, kiln_ll_address_at(f->ll, base, group->start)), group->align);
    return NULL;
  }
  for (unsigned r = 0; r < group->vectors; r++) {
    LLVMValueRef vector = kiln_ll_shuffle(f->ll, values[0], values[1], group->writer + r * lanes, lanes);
    LLVMValueRef address = kiln_ll_address_at(f->ll, base, group->start + (int64_t)(r * lanes) * (bits / 8));
    kiln_ll_store_contiguous(f, vector, 1, 1, address, group->align, NULL, true);
  }
  return NULL;
}
