// Operands: values of instructions before, constants, module variables. And what instructions are built with.
#include "jit/spirv/function.h"

#include <stdarg.h>

#include "base/c_locale.h"

void kiln_spv_wrong(struct kiln_spv_fn *f, const char *format, ...) {
  if (kiln_module_failed(f->spv->module)) { // values are 0 since then, and may look wrong
    f->spv->arena.over_limit |= kiln_module_priv(f->spv->module)->arena.over_limit;
    longjmp(*f->spv->arena.exhausted, 1);
  }
  char text[512];
  va_list args;
  va_start(args, format);
  kiln_vsnprintf(text, sizeof text, format, args);
  va_end(args);
  kiln_spv_fail(f->spv, f->at, "%s", text);
}

void kiln_spv_enter(struct kiln_spv_fn *f) {
  if (++f->depth > KILN_SPV_MAX_NESTING)
    kiln_spv_limit(f->spv, f->at, "types or constants are nested more than %d deep", KILN_SPV_MAX_NESTING);
}

struct kiln_spv_value *kiln_spv_parts(struct kiln_spv_fn *f, const struct kiln_spv_type *type) {
  if (type->flat_count > KILN_SPV_MAX_PARTS || type->count > KILN_SPV_MAX_PARTS)
    kiln_spv_limit(f->spv, f->at, "a value has more than %d parts", KILN_SPV_MAX_PARTS);
  f->part_count += type->count + 1;
  if (f->part_count > KILN_SPV_MAX_ALL_PARTS)
    kiln_spv_limit(f->spv, f->at, "the values of a function have more than %d parts", KILN_SPV_MAX_ALL_PARTS);
  return KILN_NEW_ARRAY(&f->spv->arena, struct kiln_spv_value, type->count + 1); // not NULL of an empty one
}

// ---- constants -----------------------------------------------------------------------------------------------------

static struct kiln_spv_value filled(struct kiln_spv_fn *f, const struct kiln_spv_type *type, bool is_zero) {
  if (!kiln_spv_is_aggregate(type)) {
    if (kiln_type_kind(type->ir) == KILN_VOID)
      kiln_spv_wrong(f, "a value of this type is not supported");
    is_zero |= type->odd_bits != 0; // an undefined value would have undefined bits above its width
    return kiln_spv_of(type, is_zero ? kiln_const(f->fn, type->ir, 0) : kiln_undef(f->fn, type->ir));
  }
  kiln_spv_enter(f);
  struct kiln_spv_value *parts = kiln_spv_parts(f, type);
  for (uint32_t k = 0; k < type->count; k++)
    parts[k] = k && type->kind == KILN_SPV_ARRAY ? parts[0] : filled(f, kiln_spv_part(type, k), is_zero);
  kiln_spv_leave(f);
  return (struct kiln_spv_value){.type = type, .parts = parts};
}

struct kiln_spv_value kiln_spv_undefined(struct kiln_spv_fn *f, const struct kiln_spv_type *type) {
  return filled(f, type, false);
}

struct kiln_spv_value kiln_spv_zero(struct kiln_spv_fn *f, const struct kiln_spv_type *type) {
  return filled(f, type, true);
}

static struct kiln_spv_value number(struct kiln_spv_fn *f, const struct kiln_spv_constant *constant) {
  const struct kiln_spv_type *type = constant->type;
  unsigned count = kiln_type_lanes(type->ir);
  if (count == 1)
    return kiln_spv_of(type, kiln_const(f->fn, type->ir, constant->lanes[0]));
  kiln_value lanes[16];
  for (unsigned k = 0; k < count; k++)
    lanes[k] = kiln_const(f->fn, kiln_type_element(type->ir), constant->lanes[k]);
  return kiln_spv_of(type, kiln_const_vec(f->fn, type->ir, lanes));
}

static kiln_value address(struct kiln_spv_fn *f, const struct kiln_spv_constant *constant) {
  kiln_type type = constant->type->ir, word = kiln_scalar_type(KILN_I64);
  kiln_value offset = kiln_const(f->fn, word, (uint64_t)constant->offset);
  if (!constant->variable)
    return type == word ? offset : kiln_build1(f->b, KILN_OP_ITOP, type, offset);
  kiln_value v = kiln_spv_use(f, constant->variable).value;
  if (constant->offset)
    v = kiln_build_padd(f->b, v, offset, 1);
  return type == word ? kiln_build1(f->b, KILN_OP_PTOI, word, v) : kiln_spv_cast(f, v, type);
}

static struct kiln_spv_value constant_of(struct kiln_spv_fn *f, const struct kiln_spv_constant *constant) {
  switch (constant->form) {
  case KILN_SPV_BITS:
    return number(f, constant);
  case KILN_SPV_ZERO:
    return kiln_spv_zero(f, constant->type);
  case KILN_SPV_UNDEF:
    return kiln_spv_undefined(f, constant->type);
  case KILN_SPV_ADDRESS:
    return kiln_spv_of(constant->type, address(f, constant));
  case KILN_SPV_PARTS:
    break;
  }
  kiln_spv_enter(f);
  struct kiln_spv_value *parts = kiln_spv_parts(f, constant->type);
  for (uint32_t k = 0; k < constant->type->count; k++)
    parts[k] = constant_of(f, constant->parts[k]);
  kiln_spv_leave(f);
  return (struct kiln_spv_value){.type = constant->type, .parts = parts};
}

// ---- operands ------------------------------------------------------------------------------------------------------

struct kiln_spv_value kiln_spv_use(struct kiln_spv_fn *f, uint32_t number) {
  const struct kiln_spv_id *id = &f->spv->ids[number];
  if (id->what == KILN_SPV_IS_VALUE && id->function == f->number) {
    struct kiln_spv_value v = f->values[id->number];
    kiln_value slot = f->slots[id->number];
    if (slot && id->block != f->block && !kiln_flow_is_visible(f->flow, id->block, f->block))
      return kiln_spv_load_slot(f, id->type, slot);
    if (!v.type)
      kiln_spv_wrong(f, "%s is used before it has a value", kiln_spv_id_text(f->spv, number));
    return v;
  }
  if (id->what == KILN_SPV_IS_CONSTANT)
    return constant_of(f, id->constant);
  if (kiln_spv_is_input(f->spv, number))
    return kiln_spv_of(id->type, kiln_spv_input_address(f, number));
  if (id->what == KILN_SPV_IS_VARIABLE)
    return kiln_spv_of(id->type, kiln_global_address(f->fn, id->number));
  if (id->what == KILN_SPV_IS_FUNCTION)
    kiln_spv_wrong(f, "pointers to functions are not supported");
  kiln_spv_wrong(f, "%s is no value here", kiln_spv_id_text(f->spv, number));
}

struct kiln_spv_value kiln_spv_operand(struct kiln_spv_fn *f, uint32_t k) {
  if (k >= f->at->count)
    kiln_spv_wrong(f, "operand %u is missing", k + 1);
  return kiln_spv_use(f, f->at->operands[k]);
}

kiln_value kiln_spv_plain(struct kiln_spv_fn *f, uint32_t k) {
  struct kiln_spv_value v = kiln_spv_operand(f, k);
  if (v.parts || kiln_type_kind(kiln_spv_ir(f, v.value)) == KILN_VOID)
    kiln_spv_wrong(f, "operand %u is no number, vector or pointer", k + 1);
  return f->signs >> k & 1 ? kiln_spv_with_sign(f, v.value, v.type) : v.value;
}

kiln_value kiln_spv_pointer(struct kiln_spv_fn *f, uint32_t k) {
  kiln_value v = kiln_spv_plain(f, k);
  if (kiln_type_kind(kiln_spv_ir(f, v)) != KILN_PTR)
    kiln_spv_wrong(f, "operand %u is no pointer", k + 1);
  return v;
}

kiln_value kiln_spv_int(struct kiln_spv_fn *f, uint32_t k) {
  kiln_value v = kiln_spv_plain(f, k);
  kiln_type type = kiln_spv_ir(f, v);
  if (!kiln_kind_is_int(kiln_type_kind(type)) || kiln_type_lanes(type) > 1)
    kiln_spv_wrong(f, "operand %u is no integer", k + 1);
  return v;
}

const struct kiln_spv_type *kiln_spv_pointee(struct kiln_spv_fn *f, uint32_t k) {
  const struct kiln_spv_type *type = k < f->at->count ? f->spv->ids[f->at->operands[k]].type : NULL;
  if (!type || type->kind != KILN_SPV_POINTER || !type->element)
    kiln_spv_wrong(f, "operand %u is no pointer", k + 1);
  return type->element;
}

const struct kiln_spv_type *kiln_spv_result(struct kiln_spv_fn *f) {
  return kiln_spv_type_of(f->spv, f->at, f->at->type);
}

kiln_type kiln_spv_result_ir(struct kiln_spv_fn *f) {
  kiln_type type = kiln_spv_result(f)->ir;
  if (kiln_type_kind(type) == KILN_VOID)
    kiln_spv_wrong(f, "the result is no number, vector or pointer");
  return type;
}

// ---- building ------------------------------------------------------------------------------------------------------

static bool is_of_class(kiln_type type, char letter) {
  enum kiln_kind kind = kiln_type_kind(type);
  switch (letter) {
  case 'i':
    return kiln_kind_is_int(kind);
  case 'f':
    return kiln_kind_is_float(kind);
  case 'n':
    return kiln_kind_is_int(kind) || kiln_kind_is_float(kind);
  case 'b':
    return kind == KILN_BOOL;
  case 'p':
    return kind == KILN_PTR;
  case 's':
    return kiln_kind_is_int(kind) && kiln_type_lanes(type) == 1;
  case 'l':
    return type == kiln_scalar_type(KILN_I64);
  case 'w':
    return kind == KILN_I32;
  default:
    return kind != KILN_VOID;
  }
}

// The families whose operands may have several types: the files that build them look at these.
static bool has_equal_types(enum kiln_op op) {
  enum kiln_op_family family = kiln_op_family(op);
  return family == KILN_FAMILY_INT || family == KILN_FAMILY_BOOL || family == KILN_FAMILY_FLOAT ||
         family == KILN_FAMILY_MATH || family == KILN_FAMILY_COMPARE || family == KILN_FAMILY_FCOMPARE;
}

kiln_value kiln_spv_build(struct kiln_spv_fn *f, enum kiln_op op, kiln_type type, const kiln_value *operands,
                          uint32_t count, uint64_t imm, uint16_t flags) {
  const char *letters = kiln_op_table[op].operands;
  for (uint32_t i = 0; i < count && letters[i] && letters[i] != '*'; i++) {
    kiln_type is = kiln_spv_ir(f, operands[i]);
    if (!is_of_class(is, letters[i]) || (i && has_equal_types(op) && is != kiln_spv_ir(f, operands[0])))
      kiln_spv_wrong(f, "operand %u has a type that does not fit", i + 1);
  }
  if (count < strcspn(letters, "*") || (count > strlen(letters) && !strchr(letters, '*')))
    kiln_spv_wrong(f, "%u is no number of operands for it", count);
  if (kiln_op_family(op) == KILN_FAMILY_COMPARE && kiln_type_kind(kiln_spv_ir(f, operands[0])) != KILN_PTR &&
      !kiln_kind_is_int(kiln_type_kind(kiln_spv_ir(f, operands[0]))))
    kiln_spv_wrong(f, "its operands are no integers or pointers");
  return kiln_build(f->b, op, type, operands, count, imm, 0, flags);
}

kiln_value kiln_spv_select(struct kiln_spv_fn *f, kiln_value condition, kiln_value x, kiln_value y) {
  kiln_type by = kiln_spv_ir(f, condition), type = kiln_spv_ir(f, x);
  if (kiln_type_kind(by) != KILN_BOOL || kiln_spv_ir(f, y) != type ||
      (kiln_type_lanes(by) > 1 && kiln_type_lanes(by) != kiln_type_lanes(type)))
    kiln_spv_wrong(f, "the types of its operands do not fit");
  return kiln_build3(f->b, KILN_OP_SELECT, condition, x, y);
}

kiln_value kiln_spv_const(struct kiln_spv_fn *f, kiln_type type, uint64_t value) {
  return kiln_const(f->fn, type, value & kiln_bits_mask(kiln_kind_bits(kiln_type_kind(type))));
}

kiln_value kiln_spv_lane(struct kiln_spv_fn *f, kiln_value vector, unsigned lane) {
  kiln_type type = kiln_spv_ir(f, vector);
  if (kiln_type_lanes(type) <= lane)
    kiln_spv_wrong(f, "the vector has no component %u", lane);
  if (kiln_type_lanes(type) == 1)
    return vector;
  kiln_value operands[] = {vector, kiln_const(f->fn, kiln_scalar_type(KILN_I32), lane)};
  return kiln_build(f->b, KILN_OP_EXTRACT, kiln_type_element(type), operands, 2, 0, 0, 0);
}

kiln_value kiln_spv_join(struct kiln_spv_fn *f, kiln_type type, const kiln_value *lanes) {
  unsigned count = kiln_type_lanes(type);
  return count == 1 ? lanes[0] : kiln_build(f->b, KILN_OP_VEC, type, lanes, count, 0, 0, 0);
}

kiln_value kiln_spv_resize(struct kiln_spv_fn *f, kiln_value v, enum kiln_kind kind, bool is_signed) {
  kiln_type type = kiln_spv_ir(f, v);
  if (!kiln_kind_is_int(kiln_type_kind(type)))
    kiln_spv_wrong(f, "an operand is no integer");
  unsigned have = kiln_kind_bits(kiln_type_kind(type)), want = kiln_kind_bits(kind);
  if (have == want)
    return v;
  enum kiln_op op = want < have ? KILN_OP_TRUNC : is_signed ? KILN_OP_SEXT : KILN_OP_ZEXT;
  return kiln_build1(f->b, op, kiln_vec_type(kind, kiln_type_lanes(type)), v);
}

kiln_value kiln_spv_cast(struct kiln_spv_fn *f, kiln_value pointer, kiln_type to) {
  kiln_type from = kiln_spv_ir(f, pointer), generic = kiln_ptr_type(KILN_GENERIC);
  if (kiln_type_kind(from) != KILN_PTR || kiln_type_kind(to) != KILN_PTR)
    kiln_spv_wrong(f, "an operand is no pointer");
  if (from == to)
    return pointer;
  if (from != generic && to != generic)
    kiln_spv_wrong(f, "a pointer does not become one to another storage class");
  if (kiln_inst(f->fn, pointer)->op == KILN_OP_CONST) // null
    return kiln_const(f->fn, to, 0);
  return kiln_build1(f->b, KILN_OP_PCAST, to, pointer);
}

kiln_value kiln_spv_item(struct kiln_spv_fn *f, enum kiln_op op, unsigned dimension) {
  return kiln_build_item(f->b, op, dimension);
}

kiln_value kiln_spv_sub_group(struct kiln_spv_fn *f, enum kiln_op op) {
  return kiln_build(f->b, op, kiln_scalar_type(KILN_I32), NULL, 0, 0, 0, 0);
}

kiln_value kiln_spv_local_linear_id(struct kiln_spv_fn *f) {
  kiln_value v = kiln_spv_item(f, KILN_OP_LOCAL_ID, 2);
  for (unsigned d = 2; d-- > 0;) {
    v = kiln_build2(f->b, KILN_OP_IMUL, v, kiln_spv_item(f, KILN_OP_LOCAL_SIZE, d));
    v = kiln_build2(f->b, KILN_OP_IADD, v, kiln_spv_item(f, KILN_OP_LOCAL_ID, d));
  }
  return v;
}
