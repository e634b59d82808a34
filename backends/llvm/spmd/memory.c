// Memory at many lanes: one scalar access, a contiguous access, or a gather or scatter. Accesses without a vector form
// run lane by lane.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): volatile.

#include "backends/llvm/plan/cost.h"
#include "backends/llvm/spmd/spmd.h"
#include "backends/llvm/spmd/version.h"
#include "kiln/op_cases.h"

// ---- contiguous accesses

// The mask with every lane repeated room times, of which the first n are set.
static LLVMValueRef element_mask(struct kiln_ll_fn *f, LLVMValueRef mask, unsigned n, unsigned room) {
  unsigned lanes = f->spmd->lanes;
  int list[16 * KILN_LL_MAX_LANES];
  if (room == 1)
    return mask;
  for (unsigned i = 0; i < room * lanes; i++)
    list[i] = (int)(i % room < n ? i / room : lanes);
  return kiln_ll_shuffle(f->ll, mask, LLVMConstNull(LLVMTypeOf(mask)), list, room * lanes);
}

// Whether the machine has no masked access to the elements. LLVM then tests and moves one lane after another.
static bool goes_by_lane(const struct kiln_ll_fn *f, LLVMTypeRef element, LLVMValueRef mask) {
  return mask && kiln_ll_bits(element) / 8 < f->ll->machine->mask_bytes && !LLVMIsConstant(mask);
}

// Whether stores test for a full mask first. It pays under control flow, where most masks are full. The masked tail of
// a row is never full.
static bool tests_for_full(const struct kiln_ll_fn *f, LLVMTypeRef element, LLVMValueRef mask) {
  return goes_by_lane(f, element, mask) && !f->at.base;
}

// The same for stores on machines with AVX's masked stores, which take ten times as long on AMD processors.
static bool stores_test_for_full(const struct kiln_ll_fn *f, LLVMValueRef mask) {
  return mask && f->ll->machine->mask_bytes > 1 && !LLVMIsConstant(mask) && !f->at.base;
}

// Whether LLVM does not know the object that the address points into, so that it does not take a load outside of it for
// undefined behaviour.
static bool is_of_caller(LLVMValueRef address) {
  while (LLVMIsAGetElementPtrInst(address))
    address = LLVMGetOperand(address, 0);
  return LLVMIsALoadInst(address) || LLVMIsAArgument(address);
}

#define PAGE 4096 // or a multiple

// Whether a contiguous access lies within one page. If at least one lane is on, all of it may then be loaded.
static LLVMValueRef is_in_page(struct kiln_ll_fn *f, LLVMValueRef address, uint64_t bytes) {
  LLVMBuilderRef b = f->ll->b;
  LLVMTypeRef i64 = f->ll->i64;
  LLVMValueRef offset = LLVMBuildPtrToInt(b, address, i64, "");
  offset = LLVMBuildAnd(b, offset, LLVMConstInt(i64, PAGE - 1, false), "");
  return LLVMBuildICmp(b, LLVMIntULE, offset, LLVMConstInt(i64, PAGE - bytes, false), "");
}

static LLVMValueRef is_full(struct kiln_ll_fn *f, LLVMValueRef mask) {
  LLVMTypeRef bits = kiln_ll_int(f->ll, f->spmd->lanes);
  return LLVMBuildICmp(f->ll->b, LLVMIntEQ, LLVMBuildBitCast(f->ll->b, mask, bits, ""), LLVMConstAllOnes(bits), "full");
}

static LLVMValueRef load_whole(struct kiln_ll *ll, LLVMTypeRef type, LLVMValueRef address, unsigned align) {
  LLVMValueRef value = LLVMBuildLoad2(ll->b, type, address, "");
  LLVMSetAlignment(value, align);
  return value;
}

static LLVMValueRef load_part(struct kiln_ll *ll, LLVMTypeRef type, LLVMValueRef address, unsigned align,
                              LLVMValueRef mask) {
  LLVMTypeRef types[2] = {type, LLVMTypeOf(address)};
  LLVMValueRef args[4] = {address, kiln_ll_i32(ll, align), mask, LLVMConstNull(type)};
  return kiln_ll_intrinsic(ll, "llvm.masked.load", types, 2, args, 4);
}

static void store_part(struct kiln_ll *ll, LLVMValueRef value, LLVMValueRef address, unsigned align,
                       LLVMValueRef mask) {
  LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(address)};
  LLVMValueRef args[4] = {value, address, kiln_ll_i32(ll, align), mask};
  kiln_ll_intrinsic(ll, "llvm.masked.store", types, 2, args, 4);
}

// Whether the thread's own memory is accessed unmasked under a mask, since the machine has no masked access or a slow
// one. At least one lane is on, so the access stays within that memory and its padding.
static bool is_whole(const struct kiln_ll_fn *f, LLVMTypeRef type, bool own) {
  return own && f->ll->machine->mask_bytes > 1 && kiln_ll_bits(type) / 8 * LLVMGetVectorSize(type) <= KILN_CPU_ROOM;
}

LLVMValueRef kiln_ll_load_contiguous(struct kiln_ll_fn *f, LLVMTypeRef element, unsigned n, unsigned room,
                                     LLVMValueRef address, unsigned align, LLVMValueRef mask, bool own) {
  struct kiln_ll *ll = f->ll;
  LLVMTypeRef type = LLVMVectorType(element, room * f->spmd->lanes);
  LLVMValueRef values[2];
  struct kiln_ll_versions versions;
  if (!mask || is_whole(f, type, own))
    return kiln_ll_from_lanes(f, load_whole(ll, type, address, align), n, room);
  uint64_t bytes = (uint64_t)kiln_ll_bits(element) / 8 * room * f->spmd->lanes;
  bool in_page = goes_by_lane(f, element, mask) && is_of_caller(address) && bytes <= PAGE;
  if (own || (!in_page && !tests_for_full(f, element, mask))) // own: a branch may be impossible here
    return kiln_ll_from_lanes(f, load_part(ll, type, address, align, element_mask(f, mask, n, room)), n, room);
  kiln_ll_begin_versions(f, &versions, in_page ? is_in_page(f, address, bytes) : is_full(f, mask), "fast");
  values[0] = load_whole(ll, type, address, align);
  kiln_ll_other_version(f, &versions);
  values[1] = load_part(ll, type, address, align, element_mask(f, mask, n, room));
  kiln_ll_end_versions(f, &versions);
  return kiln_ll_from_lanes(f, kiln_ll_merge_versions(f, &versions, values), n, room);
}

void kiln_ll_store_contiguous(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room, LLVMValueRef address,
                              unsigned align, LLVMValueRef mask, bool own) {
  struct kiln_ll *ll = f->ll;
  struct kiln_ll_versions versions;
  value = kiln_ll_to_lanes(f, value, n, room);
  if (mask && is_whole(f, LLVMTypeOf(value), own)) { // lanes that are off keep their value
    LLVMValueRef old = load_whole(ll, LLVMTypeOf(value), address, align);
    value = LLVMBuildSelect(ll->b, element_mask(f, mask, n, room), value, old, "");
    mask = NULL;
  }
  LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(value));
  bool both = stores_test_for_full(f, mask);
  if (both)
    kiln_ll_begin_versions(f, &versions, is_full(f, mask), "fast");
  if (both || !mask)
    LLVMSetAlignment(LLVMBuildStore(ll->b, value, address), align);
  if (both)
    kiln_ll_other_version(f, &versions);
  if (goes_by_lane(f, element, mask))
    kiln_ll_store_contiguous_by_lane(f, value, n, room, kiln_ll_bits(element) / 8, address, align, mask);
  else if (mask)
    store_part(ll, value, address, align, element_mask(f, mask, n, room));
  if (both)
    kiln_ll_end_versions(f, &versions);
}

// ---- gathers and scatters

static LLVMValueRef component_address(struct kiln_ll_fn *f, LLVMValueRef pointers, unsigned c, unsigned bytes) {
  int64_t offset = (int64_t)c * bytes;
  if (c && LLVMIsAGetElementPtrInst(pointers) && LLVMGetNumOperands(pointers) == 2 &&
      LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(pointers, 0))) == LLVMPointerTypeKind) { // keeps the base scalar
    LLVMValueRef base = kiln_ll_address_at(f->ll, LLVMGetOperand(pointers, 0), offset);
    LLVMValueRef index = LLVMGetOperand(pointers, 1);
    return LLVMBuildGEP2(f->ll->b, LLVMGetGEPSourceElementType(pointers), base, &index, 1, "");
  }
  return kiln_ll_address_at(f->ll, pointers, offset);
}

static unsigned component_align(unsigned align, unsigned bytes) { return align < bytes ? align : bytes; }

static LLVMValueRef gather_vector(struct kiln_ll_fn *f, LLVMTypeRef element, LLVMValueRef pointers, unsigned align) {
  LLVMTypeRef vector = LLVMVectorType(element, f->spmd->lanes), types[2] = {vector, LLVMTypeOf(pointers)};
  LLVMValueRef args[4] = {pointers, kiln_ll_i32(f->ll, align), kiln_ll_mask(f), LLVMConstNull(vector)};
  return kiln_ll_intrinsic(f->ll, "llvm.masked.gather", types, 2, args, 4);
}

static void scatter_vector(struct kiln_ll_fn *f, LLVMValueRef value, LLVMValueRef pointers, unsigned align) {
  LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(pointers)};
  LLVMValueRef args[4] = {value, pointers, kiln_ll_i32(f->ll, align), kiln_ll_mask(f)};
  kiln_ll_intrinsic(f->ll, "llvm.masked.scatter", types, 2, args, 4);
}

// How many elements of a lane are accessed as one word, from component c of n on: narrow ones if they fill words,
// others in pairs. An access costs the same, however wide it is.
static unsigned per_word(unsigned n, unsigned c, unsigned bytes) {
  unsigned size = n * bytes;
  if (bytes < 4)
    return size == 4 ? n : size % 8 == 0 ? 8 / bytes : 1;
  return bytes == 4 && c + 1 < n ? 2 : 1;
}

// Gathers of elements narrower than 32 bits, which no machine has: gathers the words that hold them, which cross no
// page.
static LLVMValueRef gather_narrow(struct kiln_ll_fn *f, LLVMTypeRef element, LLVMValueRef pointers, unsigned bytes) {
  struct kiln_ll *ll = f->ll;
  LLVMTypeRef types[2] = {LLVMTypeOf(pointers), LLVMVectorType(ll->i64, f->spmd->lanes)};
  LLVMValueRef args[2] = {pointers, kiln_ll_splat(types[1], ~UINT64_C(3))};
  LLVMValueRef words = gather_vector(f, ll->i32, kiln_ll_intrinsic(ll, "llvm.ptrmask", types, 2, args, 2), 4);
  LLVMValueRef offset = LLVMBuildTrunc(ll->b, LLVMBuildPtrToInt(ll->b, pointers, types[1], ""), LLVMTypeOf(words), "");
  offset = LLVMBuildAnd(ll->b, offset, kiln_ll_splat(LLVMTypeOf(words), 3), "");
  offset = LLVMBuildShl(ll->b, offset, kiln_ll_splat(LLVMTypeOf(words), 3), "");
  LLVMValueRef bits = LLVMBuildLShr(ll->b, words, offset, "");
  bits = LLVMBuildTrunc(ll->b, bits, LLVMVectorType(kiln_ll_int(ll, bytes * 8), f->spmd->lanes), "");
  return LLVMBuildBitCast(ll->b, bits, LLVMVectorType(element, f->spmd->lanes), "");
}

// The type of the words that vectors in the order of memory are gathered or scattered as; NULL: they go lane by lane.
static LLVMTypeRef word_in_memory_order(struct kiln_ll_fn *f, unsigned size) {
  return (size == 4 || size == 8) && !kiln_ll_is_by_lane(f) ? kiln_ll_int(f->ll, 8 * size) : NULL;
}

void kiln_ll_split_words(struct kiln_ll_fn *f, LLVMValueRef words, LLVMTypeRef element, unsigned n, LLVMValueRef *out) {
  if (n == 1) {
    out[0] = words;
    return;
  }
  words = LLVMBuildBitCast(f->ll->b, words, LLVMVectorType(element, n * f->spmd->lanes), "");
  words = kiln_ll_from_lanes(f, words, n, n);
  for (unsigned i = 0; i < n; i++)
    out[i] = kiln_ll_component(f, words, i);
}

LLVMValueRef kiln_ll_gather(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef pointers, unsigned align) {
  struct kiln_ll *ll = f->ll;
  unsigned n = kiln_type_lanes(type), bytes = kiln_ll_element_bytes(type);
  LLVMTypeRef element = kiln_ll_type(ll, kiln_type_element(type));
  LLVMValueRef parts[16];
  ll->gathers++;
  LLVMTypeRef whole = f->at.in_memory_order ? word_in_memory_order(f, n * bytes) : NULL;
  if (whole) {
    LLVMValueRef words = gather_vector(f, whole, pointers, component_align(align, n * bytes));
    return LLVMBuildBitCast(ll->b, words, LLVMVectorType(element, n * f->spmd->lanes), "");
  }
  LLVMValueRef transposed = f->at.in_memory_order ? NULL : kiln_ll_gather_transposed(f, type, pointers, align);
  if (transposed)
    return transposed;
  if (f->at.in_memory_order || kiln_ll_is_by_lane(f))
    return kiln_ll_load_by_lane(f, element, n, pointers, align);
  for (unsigned c = 0, some; c < n; c += some) {
    LLVMValueRef address = component_address(f, pointers, c, bytes);
    some = per_word(n, c, bytes);
    if (some == 1) {
      bool in_words = bytes < 4 && align >= bytes && ll->machine->wide_vectors;
      parts[c] = in_words ? gather_narrow(f, element, address, bytes)
                          : gather_vector(f, element, address, component_align(align, bytes));
      continue;
    }
    LLVMValueRef word =
        gather_vector(f, kiln_ll_int(ll, 8 * some * bytes), address, component_align(align, some * bytes));
    kiln_ll_split_words(f, word, element, some, parts + c);
  }
  return kiln_ll_join_components(f, parts, n);
}

void kiln_ll_scatter(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef value, LLVMValueRef pointers, unsigned align) {
  struct kiln_ll *ll = f->ll;
  unsigned n = kiln_type_lanes(type), bytes = kiln_ll_element_bytes(type);
  LLVMTypeRef whole = f->at.in_memory_order ? word_in_memory_order(f, n * bytes) : NULL;
  ll->gathers++;
  if (whole) {
    value = LLVMBuildBitCast(ll->b, value, LLVMVectorType(whole, f->spmd->lanes), "");
    scatter_vector(f, value, pointers, component_align(align, n * bytes));
    return;
  }
  // Whole chunks are stored as they are loaded: several scatters of their parts take longer.
  if (f->at.in_memory_order || kiln_ll_is_by_lane(f) || kiln_ll_is_transposed_vector(f, type)) {
    kiln_ll_store_by_lane(f, value, n, pointers, align);
    return;
  }
  for (unsigned c = 0, some; c < n; c += some) {
    LLVMValueRef address = component_address(f, pointers, c, bytes), parts[8];
    some = per_word(n, c, bytes);
    for (unsigned i = 0; i < some; i++)
      parts[i] = kiln_ll_component(f, value, c + i);
    LLVMValueRef word = parts[0];
    if (some > 1) {
      word = kiln_ll_to_lanes(f, kiln_ll_join_components(f, parts, some), some, some);
      word = LLVMBuildBitCast(ll->b, word, LLVMVectorType(kiln_ll_int(ll, 8 * some * bytes), f->spmd->lanes), "");
    }
    scatter_vector(f, word, address, component_align(align, some * bytes));
  }
}

// ---- loads and stores

// NULL: the pointer is always linear.
static LLVMValueRef guard_of(struct kiln_ll_fn *f, kiln_value pointer) {
  kiln_ll_held(f, pointer); // computes the pointer and its guard if they are not there yet
  return f->spmd->tainted[pointer] ? f->spmd->made->guards[pointer] : NULL;
}

bool kiln_ll_is_cheap_load(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  kiln_value pointer = kiln_operands(f->fn, inst)[0];
  return f->ll->machine->wide_vectors && !(in->flags & KILN_MEM_VOLATILE) && !f->spmd->element[pointer] &&
         kiln_type_lanes(in->type) == 1 && kiln_ll_is_contiguous(f->fn, f->spmd->shapes, inst) &&
         !f->spmd->tainted[pointer];
}

// Prefetches a contiguous load of global memory that a kernel runs once per warp. The hardware prefetcher loses such
// streams, above all at page ends. The prefetched line is that of a later warp.
static void prefetch(struct kiln_ll_fn *f, kiln_value inst, kiln_value pointer) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_ll_spmd *s = f->spmd;
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

// An access that holds under a condition only, and is a gather or scatter else.
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

// guarded: NULL if it is a gather.
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
  return f->spmd->shapes[inst].kind == KILN_SHAPE_UNIFORM ? value : kiln_ll_broadcast(f, value);
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
    kiln_ll_store_strided(f, type, value, guarded->base, f->spmd->plan[inst]->at, align);
  } else {
    kiln_ll_scatter(f, type, value, kiln_ll_wide(f, pointer), align);
  }
}

// value: that a store writes; NULL: a load.
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
  const struct kiln_ll_edge *edge = &f->spmd->plan[inst]->edge;
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
    return kiln_ll_spmd_by_lane(f, inst);
  case KILN_LL_OF_ARRAY:
    return is_store ? kiln_ll_spmd_array_store(f, inst) : kiln_ll_spmd_array_load(f, inst);
  case KILN_LL_UNIFORM:
    return is_store ? store_uniform(f, inst) : load_uniform(f, inst);
  case KILN_LL_TRANSPOSED:
    return kiln_ll_load_transposed(f, inst);
  case KILN_LL_AT_EDGE:
    return kiln_ll_load_at_edge(f, inst, &f->spmd->plan[inst]->edge);
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

// By way of access: whether its code has gathers or scatters. BESIDE: only where the access is conditional. Private
// arrays may have them, where an index varies.
enum gathers { NEVER, BESIDE, ALWAYS, PERHAPS };
static const enum gathers gathers[KILN_LL_WAY_COUNT] = {
    [KILN_LL_BY_LANE] = NEVER,   [KILN_LL_GATHERED] = ALWAYS,   [KILN_LL_OF_ARRAY] = PERHAPS,
    [KILN_LL_CHECKED] = ALWAYS,  [KILN_LL_STRIDED] = BESIDE,    [KILN_LL_TRANSPOSED] = NEVER,
    [KILN_LL_PERMUTED] = BESIDE, [KILN_LL_CONTIGUOUS] = BESIDE, [KILN_LL_NONTEMPORAL] = BESIDE,
    [KILN_LL_GROUPED] = NEVER,   [KILN_LL_UNIFORM] = NEVER,     [KILN_LL_AT_EDGE] = NEVER,
};

// The plan is what is told of a kernel, so an access that is gathered against it is a fault of the emitter.
static void compare(struct kiln_ll_fn *f, kiln_value inst, enum kiln_ll_way way, bool gathered) {
  enum gathers may = gathers[way];
  bool is_beside = may == BESIDE && f->spmd->plan[inst]->conditional;
  if (may != PERHAPS && (gathered ? may != ALWAYS && !is_beside : may == ALWAYS))
    kiln_ll_fail(f->ll, KILN_ERR_INTERNAL, "emitter: access %%%u of '%s' is planned as %s, but is%s gathered", inst,
                 f->fn->name, kiln_ll_choice_words[way], gathered ? "" : " not");
}

static LLVMValueRef access(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_ll_access *planned = f->spmd->plan[inst];
  enum kiln_ll_way way = f->at.mask ? planned->masked : planned->full;
  uint32_t before = f->ll->gathers;
  kiln_ll_tally(f, inst, way);
  LLVMValueRef value = access_as(f, inst, way);
  if (f->ll->choices)
    compare(f, inst, way, f->ll->gathers > before);
  return value;
}

// A private variable: a separate block per lane, unless they share it.
static LLVMValueRef variable(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  uint64_t align = kiln_ll_var_align(in), size = kiln_ll_align_up(in->imm, align);
  LLVMValueRef base = f->group ? f->ll->hooks->groups->var(f, inst) : NULL;
  if (base)
    return base; // of all lanes
  if (f->spmd->element[inst])
    return kiln_ll_spmd_array(f, inst);
  size = size ? size : 1;
  if (f->spmd->array[inst])
    return kiln_ll_alloca(f, LLVMArrayType2(f->ll->i8, size), (unsigned)align, kiln_value_name(f->fn, inst));
  base = kiln_ll_alloca(f, LLVMArrayType2(f->ll->i8, size * f->spmd->lanes), (unsigned)align,
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
    return kiln_ll_spmd_by_lane(f, inst);
  case KILN_OP_PADD: // by kiln_ll_spmd_compute
    KILN_CASES_BUT_MEMORY break;
  }
  return NULL;
}

// ---- lane by lane

// Stores a value in memory, one element per lane, component by component.
static LLVMValueRef spill(struct kiln_ll_fn *f, kiln_value v) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef wide = kiln_ll_to_memory(ll, kiln_value_type(f->fn, v), kiln_ll_wide(f, v));
  LLVMValueRef slot = kiln_ll_alloca(f, LLVMTypeOf(wide), 0, "lanes");
  LLVMBuildStore(ll->b, wide, slot);
  return slot;
}

static LLVMValueRef lane_address(struct kiln_ll_fn *f, LLVMValueRef slot, LLVMTypeRef element, LLVMValueRef lane,
                                 unsigned c) {
  LLVMValueRef index = LLVMBuildAdd(f->ll->b, lane, kiln_ll_i32(f->ll, (uint64_t)c * f->spmd->lanes), "");
  return LLVMBuildGEP2(f->ll->b, element, slot, &index, 1, "");
}

static LLVMValueRef lane_load(struct kiln_ll_fn *f, LLVMValueRef slot, kiln_type type, LLVMValueRef lane) {
  struct kiln_ll *ll = f->ll;
  LLVMTypeRef element = kiln_ll_memory_type(ll, kiln_type_element(type));
  unsigned n = kiln_type_lanes(type);
  LLVMValueRef result = n > 1 ? LLVMGetPoison(kiln_ll_vector(element, n)) : NULL;
  for (unsigned c = 0; c < n; c++) {
    LLVMValueRef value = LLVMBuildLoad2(ll->b, element, lane_address(f, slot, element, lane, c), "");
    result = n > 1 ? LLVMBuildInsertElement(ll->b, result, value, kiln_ll_i32(ll, c), "") : value;
  }
  return kiln_ll_from_memory(ll, type, result);
}

static void lane_store(struct kiln_ll_fn *f, LLVMValueRef slot, kiln_type type, LLVMValueRef lane, LLVMValueRef value) {
  struct kiln_ll *ll = f->ll;
  LLVMTypeRef element = kiln_ll_memory_type(ll, kiln_type_element(type));
  unsigned n = kiln_type_lanes(type);
  value = kiln_ll_to_memory(ll, type, value);
  for (unsigned c = 0; c < n; c++) {
    LLVMValueRef part = n > 1 ? LLVMBuildExtractElement(ll->b, value, kiln_ll_i32(ll, c), "") : value;
    LLVMBuildStore(ll->b, part, lane_address(f, slot, element, lane, c));
  }
}

LLVMValueRef kiln_ll_spmd_by_lane(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_ll_spmd *s = f->spmd;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef at_once = kiln_ll_spmd_atomic(f, inst);
  if (at_once)
    return at_once;
  bool is_void = kiln_type_kind(in->type) == KILN_VOID;
  const kiln_value *operands = kiln_operands(f->fn, inst);
  LLVMValueRef *slots = KILN_NEW_ARRAY(&ll->arena, LLVMValueRef, in->operand_count + 1), result = NULL;
  LLVMValueRef *given = KILN_NEW_ARRAY(&ll->arena, LLVMValueRef, in->operand_count + 1);
  for (uint32_t i = 0; i < in->operand_count; i++)
    slots[i] = s->shapes[operands[i]].kind == KILN_SHAPE_UNIFORM ? NULL : spill(f, operands[i]);
  LLVMTypeRef result_type = NULL;
  if (!is_void) {
    result_type =
        kiln_ll_vector(kiln_ll_memory_type(ll, kiln_type_element(in->type)), kiln_type_lanes(in->type) * s->lanes);
    result = kiln_ll_alloca(f, result_type, 0, "lanes");
  }
  for (uint32_t i = 0; i < in->operand_count; i++)
    given[i] = kiln_ll_held(f, operands[i]); // before the loop: in kernels with barriers the preamble may compute them
  LLVMValueRef first = kiln_ll_mask_bits(f, f->at.mask), one = kiln_ll_i64(ll, 1);
  LLVMValueRef bits = kiln_ll_begin_loop(f, "lane", first, "");
  LLVMBasicBlockRef body = LLVMGetInsertBlock(ll->b), done = kiln_ll_block(f, "lane.end");
  LLVMValueRef count_args[2] = {bits, kiln_ll_i1(ll, true)};
  LLVMValueRef wide_lane = kiln_ll_intrinsic(ll, "llvm.cttz", &ll->i64, 1, count_args, 2);
  LLVMValueRef lane = LLVMBuildTrunc(ll->b, wide_lane, ll->i32, "");

  // Runs the one-lane emitter with this lane's operands and id.
  struct kiln_ll_fn item = *f;
  for (unsigned d = 0; d < 3 && f->cpu.packed; d++)
    item.cpu.local_id[d] = LLVMBuildExtractElement(ll->b, f->cpu.lane_id[d], lane, "");
  if (!f->cpu.packed)
    item.cpu.local_id[0] = LLVMBuildAdd(ll->b, f->cpu.local_id[0], wide_lane, "");
  for (uint32_t i = 0; i < in->operand_count; i++)
    if (slots[i])
      given[i] = lane_load(f, slots[i], kiln_value_type(f->fn, operands[i]), lane);
  LLVMValueRef value = kiln_ll_compute_from(&item, inst, given);
  if (!is_void)
    lane_store(f, result, in->type, lane, value);

  LLVMValueRef next = LLVMBuildAnd(ll->b, bits, LLVMBuildSub(ll->b, bits, one, ""), "");
  kiln_ll_add_incoming(bits, next, LLVMGetInsertBlock(ll->b));
  LLVMBuildCondBr(ll->b, LLVMBuildICmp(ll->b, LLVMIntNE, next, LLVMConstNull(ll->i64), ""), body, done);
  LLVMPositionBuilderAtEnd(ll->b, done);
  if (is_void)
    return NULL;
  LLVMValueRef all = LLVMBuildLoad2(ll->b, result_type, result, "");
  return kiln_ll_hold(f, inst, kiln_ll_from_memory(ll, in->type, all));
}
