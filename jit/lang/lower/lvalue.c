// Lvalues: where something is, how it is read and written. Addresses are kept as pointer plus constant offset until
// they are needed, so that a.b.c[2] makes one addition.
#include "jit/lang/lower/lower.h"

struct kiln_lower_lvalue kiln_lower_lvalue_at(kiln_value ptr, const struct kiln_ctype *type, uint32_t align) {
  return (struct kiln_lower_lvalue){.ptr = ptr, .type = type, .align = align};
}

kiln_value kiln_lower_var(struct kiln_lower *L, const struct kiln_ctype *type, uint32_t align, const char *name) {
  uint64_t size = type->size ? type->size : 1;
  return kiln_build_var(&L->b, size, align > type->align ? align : type->align, name);
}

struct kiln_lower_lvalue kiln_lower_temporary(struct kiln_lower *L, const struct kiln_ctype *type) {
  return kiln_lower_lvalue_at(kiln_lower_var(L, type, 0, ""), type, type->align);
}

void kiln_lower_var_of(struct kiln_lower *L, struct kiln_decl *decl) {
  struct kiln_lower_decl *slot = kiln_lower_slot(L, decl);
  const struct kiln_ctype *type = decl->type.type;
  slot->fn = L->fn;
  slot->is_direct = false;
  slot->type = kiln_lower_is_memory(type) ? 0 : kiln_ctype_ir(type);
  slot->align = decl->align > type->align ? decl->align : type->align;
  slot->value = kiln_lower_var(L, type, decl->align, decl->name ? decl->name->text : "");
  kiln_lower_describe(L, decl, slot->value);
}

kiln_value kiln_lower_address(struct kiln_lower *L, struct kiln_lower_lvalue *lvalue) {
  if (lvalue->offset) {
    kiln_value offset = kiln_lower_const_int(L, KILN_I64, (uint64_t)lvalue->offset);
    lvalue->ptr = kiln_build_padd(&L->b, lvalue->ptr, offset, 1);
    lvalue->offset = 0;
  }
  return lvalue->ptr;
}

kiln_value kiln_lower_extract(struct kiln_lower *L, kiln_value vector, unsigned lane) {
  kiln_type type = kiln_type_element(kiln_value_type(L->fn, vector));
  kiln_value operands[] = {vector, kiln_lower_const_int(L, KILN_I32, lane)};
  return kiln_build(&L->b, KILN_OP_EXTRACT, type, operands, 2, 0, 0, 0);
}

kiln_value kiln_lower_resize(struct kiln_lower *L, kiln_value vector, unsigned lanes) {
  kiln_type type = kiln_value_type(L->fn, vector);
  unsigned have = kiln_type_lanes(type);
  uint8_t list[16];
  if (have == lanes)
    return vector;
  if (have == 1) { // a scalar becomes lane 0
    kiln_value operands[16];
    for (unsigned i = 0; i < lanes; i++)
      operands[i] = i ? kiln_undef(L->fn, type) : vector;
    return kiln_build(&L->b, KILN_OP_VEC, kiln_type_with_lanes(type, lanes), operands, lanes, 0, 0, 0);
  }
  if (lanes == 1)
    return kiln_lower_extract(L, vector, 0);
  for (unsigned i = 0; i < lanes; i++)
    list[i] = i < have ? (uint8_t)i : 0xff;
  return kiln_build_shuffle(&L->b, vector, vector, list, lanes);
}

static uint32_t align_at(uint32_t align, uint64_t offset) {
  uint64_t both = align | offset;
  return (uint32_t)(both & -both);
}

static struct kiln_lower_lvalue of_value(const struct kiln_ctype *type, kiln_value value) {
  if (kiln_lower_is_memory(type))
    return kiln_lower_lvalue_at(value, type, type->align);
  return (struct kiln_lower_lvalue){.value = value, .type = type};
}

static struct kiln_lower_lvalue of_variable(struct kiln_lower *L, const struct kiln_expr *e) {
  struct kiln_decl *decl = e->decl;
  struct kiln_lower_decl *slot = kiln_lower_slot(L, decl);
  const struct kiln_ctype *type = decl->type.type;
  uint32_t align = decl->align > type->align ? decl->align : type->align;
  if (slot->fn == L->fn && slot->value)
    return slot->is_direct && !kiln_lower_is_memory(type)
               ? (struct kiln_lower_lvalue){.value = slot->value, .type = type}
               : kiln_lower_lvalue_at(slot->value, type, align);
  uint32_t global = decl->kind == KILN_DECL_VARIABLE ? kiln_lower_global(L, decl) : 0;
  kiln_value ptr = global ? kiln_global_address(L->fn, global - 1) : kiln_undef(L->fn, kiln_ptr_type(KILN_PRIVATE));
  return kiln_lower_lvalue_at(ptr, type, align);
}

kiln_value kiln_lower_load_variable(struct kiln_lower *L, const struct kiln_expr *e) {
  if (e->kind != KILN_EX_VAR || (e->type.quals & KILN_QUAL_VOLATILE) || kiln_lower_is_memory(e->type.type))
    return 0;
  const struct kiln_lower_decl *slot = e->decl->lowered;
  if (!slot || slot->fn != L->fn || !slot->value)
    return 0;
  return slot->is_direct ? slot->value : kiln_build_load(&L->b, slot->type, slot->value, slot->align, 0);
}

static struct kiln_lower_lvalue of_member(struct kiln_lower *L, const struct kiln_expr *e) {
  struct kiln_lower_lvalue lvalue = kiln_lower_lvalue_of(L, e->left);
  lvalue.offset += (int64_t)e->member->offset;
  lvalue.align = align_at(lvalue.align, e->member->offset);
  lvalue.type = e->type.type;
  return lvalue;
}

static struct kiln_lower_lvalue of_swizzle(struct kiln_lower *L, const struct kiln_expr *e) {
  struct kiln_lower_lvalue lvalue = kiln_lower_lvalue_of(L, e->left);
  uint8_t lanes[16];
  for (unsigned i = 0; i < e->lane_count; i++)
    lanes[i] = lvalue.lane_count ? lvalue.lanes[e->lanes[i]] : e->lanes[i];
  memcpy(lvalue.lanes, lanes, e->lane_count);
  lvalue.lane_count = e->lane_count;
  return lvalue;
}

static struct kiln_lower_lvalue of_element(struct kiln_lower *L, const struct kiln_expr *e) {
  struct kiln_lower_lvalue lvalue = kiln_lower_lvalue_of(L, e->left);
  if (e->right->kind == KILN_EX_INT && e->right->value < 16) {
    uint8_t lane = (uint8_t)e->right->value;
    lvalue.lanes[0] = lvalue.lane_count ? lvalue.lanes[lane % lvalue.lane_count] : lane;
    lvalue.lane_count = 1;
    return lvalue;
  }
  kiln_value index = kiln_lower_value(L, e->right);
  if (lvalue.lane_count) { // an lvalue like v.wzyx[i]: look the lane up
    kiln_value lanes[16];
    for (unsigned i = 0; i < lvalue.lane_count; i++)
      lanes[i] = kiln_lower_const_int(L, KILN_I32, lvalue.lanes[i]);
    kiln_value list = kiln_const_vec(L->fn, kiln_vec_type(KILN_I32, lvalue.lane_count), lanes);
    kiln_value operands[] = {list, index};
    index = kiln_build(&L->b, KILN_OP_EXTRACT, kiln_scalar_type(KILN_I32), operands, 2, 0, 0, 0);
    lvalue.lane_count = 0;
  }
  lvalue.index = index;
  return lvalue;
}

static struct kiln_lower_lvalue of_literal(struct kiln_lower *L, const struct kiln_expr *e) {
  const struct kiln_ctype *type = e->type.type;
  if (e->type.space == KILN_CONSTANT || e->type.space == KILN_GLOBAL) {
    uint32_t image = kiln_lower_image(L, e->left, type);
    kiln_value ptr = image ? kiln_global_address(L->fn, image - 1) : kiln_undef(L->fn, kiln_ptr_type(KILN_CONSTANT));
    return kiln_lower_lvalue_at(ptr, type, type->align);
  }
  struct kiln_lower_lvalue lvalue = kiln_lower_temporary(L, type), init = lvalue;
  kiln_lower_init(L, &init, e->left);
  return lvalue;
}

static struct kiln_lower_lvalue find(struct kiln_lower *L, const struct kiln_expr *e) {
  if (e->kind == KILN_EX_VAR)
    return of_variable(L, e);
  if (e->kind == KILN_EX_DEREF)
    return kiln_lower_lvalue_at(kiln_lower_value(L, e->left), e->type.type, e->type.type->align);
  if (e->kind == KILN_EX_MEMBER)
    return of_member(L, e);
  if (e->kind == KILN_EX_SWIZZLE)
    return of_swizzle(L, e);
  if (e->kind == KILN_EX_ELEMENT)
    return of_element(L, e);
  if (e->kind == KILN_EX_COMPOUND_LITERAL)
    return of_literal(L, e);
  if (e->kind == KILN_EX_STRING) {
    uint32_t global = kiln_lower_string(L, e->location, e->text, e->text_size);
    return kiln_lower_lvalue_at(kiln_global_address(L->fn, global), e->type.type, 1);
  }
  return of_value(e->type.type, kiln_lower_value(L, e));
}

struct kiln_lower_lvalue kiln_lower_lvalue_of(struct kiln_lower *L, const struct kiln_expr *e) {
  if (++L->depth > KILN_LOWER_MAX_DEPTH) {
    kiln_lower_error(L, e->location, "expression is nested too deeply");
    L->depth--;
    return kiln_lower_lvalue_at(kiln_undef(L->fn, kiln_ptr_type(KILN_PRIVATE)), e->type.type, 1);
  }
  while (e->kind == KILN_EX_CAST && e->cast == KILN_CAST_SAME && e->left->is_lvalue)
    e = e->left;
  struct kiln_lower_lvalue lvalue = find(L, e);
  if (e->type.quals & KILN_QUAL_VOLATILE)
    lvalue.flags |= KILN_MEM_VOLATILE;
  kiln_lower_at(L, e->location);
  L->depth--;
  return lvalue;
}

// The type of the vector or scalar that the location as a whole holds.
static kiln_type whole_type(const struct kiln_lower_lvalue *lvalue) { return kiln_ctype_ir(lvalue->type); }

static kiln_value lane_address(struct kiln_lower *L, struct kiln_lower_lvalue *lvalue, kiln_value index,
                               uint32_t *align) {
  unsigned bytes = kiln_kind_bits(kiln_type_kind(whole_type(lvalue))) / 8;
  const struct kiln_inst *inst = kiln_inst(L->fn, index);
  if (inst->op == KILN_OP_CONST) { // one addition for place and lane
    struct kiln_lower_lvalue lane = *lvalue;
    int64_t offset = (int64_t)(inst->imm * bytes);
    lane.offset += offset;
    *align = align_at(lvalue->align, (uint64_t)offset);
    return kiln_lower_address(L, &lane);
  }
  *align = lvalue->align < bytes ? lvalue->align : bytes;
  kiln_value ptr = kiln_lower_address(L, lvalue);
  if (kiln_type_kind(kiln_value_type(L->fn, index)) != KILN_I64)
    index = kiln_build1(&L->b, KILN_OP_SEXT, kiln_scalar_type(KILN_I64), index);
  return kiln_build_padd(&L->b, ptr, index, bytes);
}

static bool is_private(const struct kiln_lower *L, const struct kiln_lower_lvalue *lvalue) {
  return kiln_type_space(kiln_value_type(L->fn, lvalue->ptr)) == KILN_PRIVATE;
}

// Reads the whole vector or scalar, whatever lanes are asked for.
static kiln_value load_whole(struct kiln_lower *L, struct kiln_lower_lvalue *lvalue) {
  if (!lvalue->ptr)
    return lvalue->value;
  return kiln_build_load(&L->b, whole_type(lvalue), kiln_lower_address(L, lvalue), lvalue->align, lvalue->flags);
}

static kiln_value load_lane(struct kiln_lower *L, struct kiln_lower_lvalue *lvalue, kiln_value index) {
  kiln_type element = kiln_type_element(whole_type(lvalue));
  if (lvalue->ptr && !is_private(L, lvalue)) {
    uint32_t align;
    kiln_value ptr = lane_address(L, lvalue, index, &align);
    return kiln_build_load(&L->b, element, ptr, align, lvalue->flags);
  }
  kiln_value operands[] = {load_whole(L, lvalue), index};
  return kiln_build(&L->b, KILN_OP_EXTRACT, element, operands, 2, 0, 0, 0);
}

kiln_value kiln_lower_load(struct kiln_lower *L, struct kiln_lower_lvalue *lvalue) {
  if (lvalue->index)
    return load_lane(L, lvalue, lvalue->index);
  if (lvalue->lane_count == 1)
    return load_lane(L, lvalue, kiln_lower_const_int(L, KILN_I32, lvalue->lanes[0]));
  if (lvalue->lane_count) {
    kiln_value whole = load_whole(L, lvalue);
    return kiln_build_shuffle(&L->b, whole, whole, lvalue->lanes, lvalue->lane_count);
  }
  if (kiln_lower_is_memory(lvalue->type))
    return kiln_lower_address(L, lvalue);
  return load_whole(L, lvalue);
}

// A vector in private memory is read, changed and written as a whole, so that it can become an SSA value. Other memory
// is shared: only the lanes that are assigned may be touched.
static void store_lanes(struct kiln_lower *L, struct kiln_lower_lvalue *lvalue, kiln_value value) {
  bool whole = is_private(L, lvalue);
  kiln_value vector = whole ? load_whole(L, lvalue) : 0;
  unsigned count = lvalue->index ? 1 : lvalue->lane_count;
  for (unsigned i = 0; i < count; i++) {
    kiln_value index = lvalue->index ? lvalue->index : kiln_lower_const_int(L, KILN_I32, lvalue->lanes[i]);
    kiln_value lane = count == 1 ? value : kiln_lower_extract(L, value, i);
    if (whole) {
      vector = kiln_build3(&L->b, KILN_OP_INSERT, vector, lane, index);
    } else {
      uint32_t align;
      kiln_value ptr = lane_address(L, lvalue, index, &align);
      kiln_build_store(&L->b, ptr, lane, align, lvalue->flags);
    }
  }
  if (whole)
    kiln_build_store(&L->b, kiln_lower_address(L, lvalue), vector, lvalue->align, lvalue->flags);
}

void kiln_lower_copy(struct kiln_lower *L, struct kiln_lower_lvalue *to, kiln_value from, uint32_t from_align) {
  kiln_value ptr = kiln_lower_address(L, to);
  if (ptr == from || to->type->size == 0)
    return;
  uint32_t align = to->align < from_align ? to->align : from_align;
  kiln_build(&L->b, KILN_OP_COPY, KILN_VOID, (kiln_value[]){ptr, from}, 2, to->type->size, align, to->flags);
}

void kiln_lower_store(struct kiln_lower *L, struct kiln_lower_lvalue *lvalue, kiln_value value) {
  if (!lvalue->ptr || !value)
    return; // after an error
  if (lvalue->index || lvalue->lane_count)
    store_lanes(L, lvalue, value);
  else if (kiln_lower_is_memory(lvalue->type))
    kiln_lower_copy(L, lvalue, value, lvalue->type->align);
  else
    kiln_build_store(&L->b, kiln_lower_address(L, lvalue), value, lvalue->align, lvalue->flags);
}
