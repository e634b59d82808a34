// Variables, addresses, loads, stores and copies.
#include "jit/spirv/function.h"

uint32_t kiln_spv_align_at(uint32_t align, uint64_t offset) {
  uint64_t both = align | offset;
  return (uint32_t)(both & -both);
}

kiln_value kiln_spv_at_offset(struct kiln_spv_fn *f, kiln_value pointer, uint64_t offset) {
  if (offset == 0)
    return pointer;
  return kiln_build_padd(f->b, pointer, kiln_const(f->fn, kiln_scalar_type(KILN_I64), offset), 1);
}

static kiln_value bytes_var(struct kiln_spv_fn *f, uint64_t size, uint32_t align, const char *name) {
  struct kiln_builder at = kiln_builder_at_end(f->fn, f->fn->body);
  at.before = f->fn->regions[f->fn->body].first;
  return kiln_build_var(&at, size ? size : 1, align ? align : 1, name ? name : "");
}

kiln_value kiln_spv_var(struct kiln_spv_fn *f, const struct kiln_spv_type *type, uint32_t align, const char *name) {
  return bytes_var(f, type->size, align < type->align ? type->align : align, name);
}

struct kiln_spv_value kiln_spv_load(struct kiln_spv_fn *f, const struct kiln_spv_type *type, kiln_value pointer,
                                    uint32_t align, uint16_t flags) {
  if (!kiln_spv_is_aggregate(type)) {
    if (kiln_type_kind(type->ir) == KILN_VOID || type->kind == KILN_SPV_IMAGE)
      kiln_spv_wrong(f, "a value of this type is not supported");
    if (type->odd_bits)
      return kiln_spv_of(type, kiln_spv_load_odd(f, type, pointer, align, flags));
    kiln_value v = kiln_build_load(f->b, type->stored, pointer, align, flags);
    if (type->stored != type->ir) // bools
      v = kiln_build2(f->b, KILN_OP_NE, v, kiln_const(f->fn, type->stored, 0));
    return kiln_spv_of(type, v);
  }
  kiln_spv_enter(f);
  struct kiln_spv_value *parts = kiln_spv_parts(f, type);
  for (uint32_t k = 0; k < type->count; k++) {
    uint64_t offset = kiln_spv_offset(type, k);
    parts[k] = kiln_spv_load(f, kiln_spv_part(type, k), kiln_spv_at_offset(f, pointer, offset),
                             kiln_spv_align_at(align, offset), flags);
  }
  kiln_spv_leave(f);
  return (struct kiln_spv_value){.type = type, .parts = parts};
}

void kiln_spv_store(struct kiln_spv_fn *f, kiln_value pointer, const struct kiln_spv_value *value, uint32_t align,
                    uint16_t flags) {
  const struct kiln_spv_type *type = value->type;
  if (!value->parts) {
    kiln_value v = value->value;
    if (type->odd_bits) {
      kiln_spv_store_odd(f, type, pointer, v, align, flags);
      return;
    }
    if (type->stored != type->ir)
      v = kiln_build1(f->b, KILN_OP_ZEXT, type->stored, v);
    kiln_build_store(f->b, pointer, v, align, flags);
    return;
  }
  for (uint32_t k = 0; k < type->count; k++) { // as deep as the value, which was made with kiln_spv_enter
    uint64_t offset = kiln_spv_offset(type, k);
    kiln_spv_store(f, kiln_spv_at_offset(f, pointer, offset), &value->parts[k], kiln_spv_align_at(align, offset),
                   flags);
  }
}

struct kiln_spv_value kiln_spv_load_slot(struct kiln_spv_fn *f, const struct kiln_spv_type *type, kiln_value slot) {
  if (type->odd_bits) // all of the type that it is held in
    return kiln_spv_of(type, kiln_build_load(f->b, type->ir, slot, type->align, 0));
  return kiln_spv_load(f, type, slot, type->align ? type->align : 1, 0);
}

void kiln_spv_store_slot(struct kiln_spv_fn *f, kiln_value slot, const struct kiln_spv_value *value) {
  const struct kiln_spv_type *type = value->type;
  if (type->odd_bits)
    kiln_build_store(f->b, slot, value->value, type->align, 0);
  else
    kiln_spv_store(f, slot, value, type->align ? type->align : 1, 0);
}

void kiln_spv_copy(struct kiln_spv_fn *f, kiln_value to, kiln_value from, uint64_t bytes, uint32_t align,
                   uint16_t flags) {
  if (bytes)
    kiln_build(f->b, KILN_OP_COPY, KILN_VOID, (kiln_value[]){to, from}, 2, bytes, align, flags);
}

// ---- memory operands -----------------------------------------------------------------------------------------------

struct access {
  uint32_t align;
  uint16_t flags;
  uint32_t next; // operand after it
};

// What operand k says of an access, and those after it; natural: the alignment if it says none.
static struct access access_of(struct kiln_spv_fn *f, uint32_t k, uint32_t natural) {
  const struct kiln_spv_inst *inst = f->at;
  struct access access = {.align = natural ? natural : 1, .next = k};
  if (k >= inst->count)
    return access;
  uint32_t mask = inst->operands[k], ids = 0;
  access.next = kiln_spv_past_access(inst, k, &ids);
  if (mask & KILN_SPV_MemoryAccess_Volatile)
    access.flags = KILN_MEM_VOLATILE;
  if (mask & KILN_SPV_MemoryAccess_Aligned) {
    access.align = inst->operands[k + 1];
    if (access.align & (access.align - 1))
      kiln_spv_wrong(f, "the alignment %u is no power of two", access.align);
    if (access.align == 0)
      access.align = natural ? natural : 1;
  }
  if (access.align > KILN_SPV_MAX_ALIGN)
    access.align = KILN_SPV_MAX_ALIGN;
  return access;
}

struct kiln_spv_value kiln_spv_load_op(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                       const struct kiln_spv_lowering *how) {
  (void)how;
  const struct kiln_spv_type *type = kiln_spv_result(f);
  if (kiln_spv_is_input(f->spv, inst->operands[0]))
    return kiln_spv_input(f, inst->operands[0], type);
  if (type->kind == KILN_SPV_IMAGE)
    return kiln_spv_load_image(f, inst);
  struct access access = access_of(f, 1, type->align);
  return kiln_spv_load(f, type, kiln_spv_pointer(f, 0), access.align, access.flags);
}

struct kiln_spv_value kiln_spv_store_op(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                        const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value pointer = kiln_spv_pointer(f, 0);
  struct kiln_spv_value v = kiln_spv_operand(f, 1);
  if (v.type->kind == KILN_SPV_IMAGE)
    return (struct kiln_spv_value){0}; // what loads it knows (kiln_spv_note_stored_image)
  struct access access = access_of(f, 2, v.type->align);
  kiln_spv_store(f, pointer, &v, access.align, access.flags);
  return (struct kiln_spv_value){0};
}

// The variable stands at the beginning of the function already.
struct kiln_spv_value kiln_spv_variable(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                        const struct kiln_spv_lowering *how) {
  (void)how;
  struct kiln_spv_value pointer = f->values[f->spv->ids[inst->id].number];
  if (!pointer.type || inst->operands[0] != KILN_SPV_StorageClass_Function)
    kiln_spv_wrong(f, "a variable of this storage class does not belong into a function");
  if (inst->count > 1) {
    struct kiln_spv_value first = kiln_spv_operand(f, 1);
    kiln_spv_store(f, pointer.value, &first, first.type->align ? first.type->align : 1, 0);
  }
  return pointer;
}

// ---- addresses -----------------------------------------------------------------------------------------------------

struct chain {
  kiln_value pointer;
  uint64_t offset; // to be added, modulo 2^64
};

// A step of index times size bytes; what is constant waits to be added at once.
static void step(struct kiln_spv_fn *f, struct chain *chain, uint32_t index, uint64_t size) {
  uint64_t bits;
  const struct kiln_spv_id *id = &f->spv->ids[index];
  if (id->what == KILN_SPV_IS_CONSTANT && kiln_spv_constant_bits(f->spv, index, &bits)) {
    chain->offset += (uint64_t)kiln_sign_extend(bits, kiln_spv_bits(id->type)) * size;
    return;
  }
  struct kiln_spv_value v = kiln_spv_use(f, index);
  if (v.parts || !kiln_kind_is_int(kiln_type_kind(kiln_spv_ir(f, v.value))) ||
      kiln_type_lanes(kiln_spv_ir(f, v.value)) > 1)
    kiln_spv_wrong(f, "an index is no integer");
  kiln_value i = kiln_spv_resize(f, kiln_spv_with_sign(f, v.value, v.type), KILN_I64, true);
  chain->pointer = kiln_build_padd(f->b, chain->pointer, i, (int64_t)size);
}

// detail: 1 where the first index steps over whole objects.
struct kiln_spv_value kiln_spv_access_chain(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                            const struct kiln_spv_lowering *how) {
  struct chain chain = {.pointer = kiln_spv_pointer(f, 0)};
  const struct kiln_spv_type *type = kiln_spv_pointee(f, 0), *result = kiln_spv_result(f);
  uint32_t k = 1;
  if (how->detail && inst->count < 2)
    kiln_spv_wrong(f, "the index is missing");
  if (how->detail)
    step(f, &chain, inst->operands[k++], type->size);
  for (; k < inst->count; k++) {
    if (type->kind == KILN_SPV_STRUCT) {
      int64_t member = kiln_spv_constant_int(f->spv, inst, inst->operands[k], "the index of a member");
      if (member < 0 || member >= type->count)
        kiln_spv_wrong(f, "the struct has no member %lld", (long long)member);
      chain.offset += type->offsets[member];
      type = type->members[member];
    } else if (type->kind == KILN_SPV_ARRAY || type->kind == KILN_SPV_VECTOR) {
      type = type->element;
      step(f, &chain, inst->operands[k], type->size);
    } else {
      kiln_spv_wrong(f, "index %u leads into what has no parts", k);
    }
  }
  if (result->kind != KILN_SPV_POINTER || !result->element || !kiln_spv_same_type(result->element, type))
    kiln_spv_wrong(f, "the result is no pointer to what the indices lead to");
  return kiln_spv_of(result, kiln_spv_at_offset(f, chain.pointer, chain.offset));
}

static kiln_value distance(struct kiln_spv_fn *f, kiln_value to, kiln_value from) {
  kiln_type word = kiln_scalar_type(KILN_I64);
  kiln_value x = kiln_spv_op1(f, KILN_OP_PTOI, word, to), y = kiln_spv_op1(f, KILN_OP_PTOI, word, from);
  return kiln_spv_op2(f, KILN_OP_ISUB, x, y);
}

struct kiln_spv_value kiln_spv_pointer_difference(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                                  const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_type word = kiln_scalar_type(KILN_I64);
  uint64_t size = kiln_spv_pointee(f, 0)->size;
  kiln_value v = distance(f, kiln_spv_pointer(f, 0), kiln_spv_pointer(f, 1));
  if (size > 1)
    v = kiln_spv_op2(f, KILN_OP_SDIV, v, kiln_const(f->fn, word, size));
  enum kiln_kind kind = kiln_type_kind(kiln_spv_result_ir(f));
  if (!kiln_kind_is_int(kind))
    kiln_spv_wrong(f, "the result is no integer");
  return kiln_spv_of(kiln_spv_result(f), kiln_spv_resize(f, v, kind, true));
}

// ---- copies --------------------------------------------------------------------------------------------------------

struct kiln_spv_value kiln_spv_copy_memory(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                           const struct kiln_spv_lowering *how) {
  (void)how;
  const struct kiln_spv_type *type = kiln_spv_pointee(f, 0);
  struct access to = access_of(f, 2, type->align), from = to;
  if (to.next < inst->count)
    from = access_of(f, to.next, type->align);
  uint32_t align = to.align < from.align ? to.align : from.align;
  kiln_value pointer = kiln_spv_pointer(f, 0), source = kiln_spv_pointer(f, 1);
  kiln_spv_copy(f, pointer, source, kiln_spv_stored_bytes(type), align, to.flags | from.flags);
  return (struct kiln_spv_value){0};
}

// What an address is computed from by constant or other distances.
static kiln_value root_of(const struct kiln_function *fn, kiln_value pointer) {
  while (kiln_inst(fn, pointer)->op == KILN_OP_PADD)
    pointer = kiln_operands(fn, pointer)[0];
  return pointer;
}

// False: ranges of so many bytes (0: unknown) that have one byte in common are the same range, or there are none.
static bool may_overlap(const struct kiln_function *fn, kiln_value to, kiln_value from, uint64_t bytes) {
  enum kiln_space x = kiln_type_space(kiln_value_type(fn, to)), y = kiln_type_space(kiln_value_type(fn, from));
  if (y == KILN_CONSTANT || (x != y && x != KILN_GENERIC && y != KILN_GENERIC))
    return false;
  if (bytes && bytes <= UINT32_MAX && kiln_affine_disjoint(fn, to, (uint32_t)bytes, from, (uint32_t)bytes))
    return false;
  kiln_value roots[] = {root_of(fn, to), root_of(fn, from)};
  if (roots[0] == roots[1])
    return to != from;
  bool all = true, some = false; // variables of the function, which no parameter leads to
  for (int k = 0; k < 2; k++) {
    bool is_var = kiln_inst(fn, roots[k])->op == KILN_OP_VAR;
    all = all && (is_var || kiln_inst(fn, roots[k])->op == KILN_OP_PARAM);
    some = some || is_var;
  }
  if (kiln_inst(fn, roots[0])->op == KILN_OP_GLOBAL && kiln_inst(fn, roots[1])->op == KILN_OP_GLOBAL)
    return kiln_inst(fn, roots[0])->imm == kiln_inst(fn, roots[1])->imm;
  return !(all && some);
}

// for (i = 0; i < bytes; i++) to[i] = from[i], from the last byte on where the first bytes would be written before they
// are read: if 0 < to - from < bytes.
static void move_bytes(struct kiln_spv_fn *f, kiln_value to, kiln_value from, kiln_value bytes, uint16_t flags,
                       bool overlaps) {
  struct kiln_builder *b = f->b;
  uint32_t outer = b->region;
  kiln_type word = kiln_scalar_type(KILN_I64), byte = kiln_scalar_type(KILN_I8);
  kiln_value zero = kiln_const(f->fn, word, 0), one = kiln_const(f->fn, word, 1), backwards = 0, last = 0;
  if (overlaps) {
    backwards = kiln_build2(b, KILN_OP_ULT, distance(f, to, from), bytes);
    last = kiln_build2(b, KILN_OP_ISUB, bytes, one);
  }
  kiln_value loop = kiln_build_loop(b, &zero, 1);
  if (!loop)
    kiln_spv_wrong(f, "no memory"); // which is what it says
  kiln_value i = kiln_node(f->fn, loop)->header.items[0], at = i;
  b->region = kiln_node(f->fn, loop)->region_first;
  kiln_value test = kiln_build_if(b, kiln_build2(b, KILN_OP_ULT, i, bytes));
  if (!test)
    kiln_spv_wrong(f, "no memory");
  uint32_t loop_body = b->region;
  b->region = kiln_node(f->fn, test)->region_first;
  if (backwards)
    at = kiln_build3(b, KILN_OP_SELECT, backwards, kiln_build2(b, KILN_OP_ISUB, last, i), i);
  kiln_value v = kiln_build_load(b, byte, kiln_build_padd(b, from, at, 1), 1, flags);
  kiln_build_store(b, kiln_build_padd(b, to, at, 1), v, 1, flags);
  kiln_build_yield(b, NULL, 0);
  b->region = kiln_node(f->fn, test)->region_first + 1;
  kiln_build_break(b, loop, NULL, 0);
  b->region = loop_body;
  kiln_value next = kiln_build2(b, KILN_OP_IADD, i, one);
  kiln_build_continue(b, loop, &next, 1);
  b->region = outer;
}

// if (-bytes < to - from && to - from < bytes) move byte by byte, else copy
static void move_many(struct kiln_spv_fn *f, kiln_value to, kiln_value from, uint64_t bytes, uint32_t align,
                      uint16_t flags) {
  struct kiln_builder *b = f->b;
  uint32_t outer = b->region;
  kiln_type word = kiln_scalar_type(KILN_I64);
  kiln_value size = kiln_const(f->fn, word, bytes), away = kiln_const(f->fn, word, bytes - 1);
  kiln_value sum = kiln_build2(b, KILN_OP_IADD, distance(f, to, from), away);
  kiln_value test = kiln_build_if(b, kiln_build2(b, KILN_OP_ULT, sum, kiln_const(f->fn, word, 2 * bytes - 1)));
  if (!test)
    kiln_spv_wrong(f, "no memory");
  b->region = kiln_node(f->fn, test)->region_first;
  move_bytes(f, to, from, size, flags, true);
  kiln_build_yield(b, NULL, 0);
  b->region = kiln_node(f->fn, test)->region_first + 1;
  kiln_spv_copy(f, to, from, bytes, align, flags);
  kiln_build_yield(b, NULL, 0);
  b->region = outer;
}

// Copies of so many bytes that may overlap go through a variable.
enum { THROUGH_VARIABLE = 256 };

enum { KHRONOS_TRANSLATOR = 6 }; // in the upper half of the header's word 2

// LLVM's own writer makes OpCopyMemorySized of memmove, too: the ranges may overlap, which the IR's copy does not
// allow. Khronos' translator writes memmove as two copies, or as a loop, so that its copies of records cost no
// variable.
struct kiln_spv_value kiln_spv_copy_sized(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                          const struct kiln_spv_lowering *how) {
  (void)how;
  struct access to = access_of(f, 3, 1), from = to;
  if (to.next < inst->count)
    from = access_of(f, to.next, 1);
  uint32_t align = to.align < from.align ? to.align : from.align;
  uint16_t flags = to.flags | from.flags;
  kiln_value pointer = kiln_spv_pointer(f, 0), source = kiln_spv_pointer(f, 1);
  kiln_value bytes = kiln_spv_resize(f, kiln_spv_int(f, 2), KILN_I64, false);
  uint64_t size = kiln_inst(f->fn, bytes)->op == KILN_OP_CONST ? kiln_inst(f->fn, bytes)->imm : 0;
  bool is_constant = kiln_inst(f->fn, bytes)->op == KILN_OP_CONST;
  bool overlaps = f->spv->words[2] >> 16 != KHRONOS_TRANSLATOR && may_overlap(f->fn, pointer, source, size);
  if (is_constant && !overlaps) {
    kiln_spv_copy(f, pointer, source, size, align, flags);
  } else if (is_constant && size <= THROUGH_VARIABLE) {
    kiln_value between = bytes_var(f, size, align, NULL);
    kiln_spv_copy(f, between, source, size, align, flags);
    kiln_spv_copy(f, pointer, between, size, align, flags);
  } else if (is_constant) {
    move_many(f, pointer, source, size, align, flags);
  } else {
    move_bytes(f, pointer, source, bytes, flags, overlaps);
  }
  return (struct kiln_spv_value){0};
}
