// Vectors and aggregates: their parts, and what is made of them.
#include "jit/spirv/function.h"

enum { NO_LANE = 0xff };        // of a shuffle: any value
#define NO_COMPONENT UINT32_MAX // likewise, in SPIR-V

static struct kiln_spv_value vector_of(struct kiln_spv_fn *f, const struct kiln_spv_type *type) {
  kiln_value lanes[16];
  unsigned count = 0, wanted = kiln_type_lanes(type->ir);
  for (uint32_t k = 0; k < f->at->count; k++) {
    kiln_value v = kiln_spv_plain(f, k);
    unsigned have = kiln_type_lanes(kiln_spv_ir(f, v));
    if (kiln_type_element(kiln_spv_ir(f, v)) != kiln_type_element(type->ir) || count + have > wanted)
      kiln_spv_wrong(f, "its operands are not the components of the result");
    for (unsigned i = 0; i < have; i++)
      lanes[count++] = kiln_spv_lane(f, v, i);
  }
  if (count != wanted)
    kiln_spv_wrong(f, "its operands are not the components of the result");
  return kiln_spv_of(type, kiln_spv_join(f, type->ir, lanes));
}

struct kiln_spv_value kiln_spv_construct(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                         const struct kiln_spv_lowering *how) {
  (void)how;
  const struct kiln_spv_type *type = kiln_spv_result(f);
  if (type->kind == KILN_SPV_VECTOR)
    return vector_of(f, type);
  if (!kiln_spv_is_aggregate(type) || inst->count != type->count)
    kiln_spv_wrong(f, "it does not have as many operands as the result has parts");
  struct kiln_spv_value *parts = kiln_spv_parts(f, type);
  for (uint32_t k = 0; k < type->count; k++) {
    parts[k] = kiln_spv_operand(f, k);
    if (!kiln_spv_same_type(parts[k].type, kiln_spv_part(type, k)))
      kiln_spv_wrong(f, "operand %u has another type than that part of the result", k + 1);
  }
  return (struct kiln_spv_value){.type = type, .parts = parts};
}

static struct kiln_spv_value part_of(struct kiln_spv_fn *f, const struct kiln_spv_value *whole, uint32_t k) {
  if (whole->parts) {
    if (k >= whole->type->count)
      kiln_spv_wrong(f, "the aggregate has no part %u", k);
    return whole->parts[k];
  }
  if (whole->type->kind != KILN_SPV_VECTOR)
    kiln_spv_wrong(f, "a scalar has no parts");
  return kiln_spv_of(whole->type->element, kiln_spv_lane(f, whole->value, k));
}

struct kiln_spv_value kiln_spv_extract(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                       const struct kiln_spv_lowering *how) {
  (void)how;
  struct kiln_spv_value v = kiln_spv_operand(f, 0);
  uint64_t beyond;
  if (inst->count == 2 && v.type->kind == KILN_SPV_VECTOR && inst->operands[1] >= v.type->count &&
      kiln_spv_is_dimensions(f->spv, inst->operands[0], &beyond))
    return kiln_spv_of(v.type->element, kiln_const(f->fn, kiln_type_element(v.type->ir), beyond));
  for (uint32_t k = 1; k < inst->count; k++)
    v = part_of(f, &v, inst->operands[k]);
  return v;
}

// The whole with the part that the indices from k on lead to replaced.
static struct kiln_spv_value replaced(struct kiln_spv_fn *f, const struct kiln_spv_value *whole, uint32_t k,
                                      const struct kiln_spv_value *object) {
  if (k == f->at->count) {
    if (!kiln_spv_same_type(whole->type, object->type))
      kiln_spv_wrong(f, "the object has another type than the part it replaces");
    return *object;
  }
  uint32_t at = f->at->operands[k];
  struct kiln_spv_value part = part_of(f, whole, at);
  kiln_spv_enter(f);
  part = replaced(f, &part, k + 1, object);
  kiln_spv_leave(f);
  if (!whole->parts && whole->type->count == 1)
    return kiln_spv_of(whole->type, part.value);
  if (!whole->parts) {
    kiln_value lane = kiln_const(f->fn, kiln_scalar_type(KILN_I32), at);
    return kiln_spv_of(whole->type, kiln_build3(f->b, KILN_OP_INSERT, whole->value, part.value, lane));
  }
  struct kiln_spv_value *parts = kiln_spv_parts(f, whole->type);
  memcpy(parts, whole->parts, whole->type->count * sizeof *parts);
  parts[at] = part;
  return (struct kiln_spv_value){.type = whole->type, .parts = parts};
}

struct kiln_spv_value kiln_spv_insert(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                      const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  struct kiln_spv_value object = kiln_spv_operand(f, 0), whole = kiln_spv_operand(f, 1);
  return replaced(f, &whole, 2, &object);
}

static kiln_value a_vector(struct kiln_spv_fn *f, uint32_t k) {
  struct kiln_spv_value v = kiln_spv_operand(f, k);
  if (v.type->kind != KILN_SPV_VECTOR)
    kiln_spv_wrong(f, "operand %u is no vector", k + 1);
  return v.value;
}

struct kiln_spv_value kiln_spv_extract_dynamic(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                               const struct kiln_spv_lowering *how) {
  (void)how;
  kiln_value operands[] = {a_vector(f, 0), kiln_spv_int(f, 1)};
  kiln_type element = kiln_type_element(kiln_spv_ir(f, operands[0])), index = kiln_spv_ir(f, operands[1]);
  kiln_value v = operands[0];
  if (kiln_type_lanes(kiln_spv_ir(f, v)) > 1)
    v = kiln_build(f->b, KILN_OP_EXTRACT, element, operands, 2, 0, 0, 0);
  uint64_t beyond;
  if (kiln_spv_is_dimensions(f->spv, inst->operands[0], &beyond)) {
    kiln_value count = kiln_const(f->fn, index, kiln_type_lanes(kiln_spv_ir(f, operands[0])));
    kiln_value inside = kiln_spv_op2(f, KILN_OP_ULT, operands[1], count);
    v = kiln_spv_select(f, inside, v, kiln_const(f->fn, element, beyond));
  }
  return kiln_spv_of(kiln_spv_result(f), v);
}

struct kiln_spv_value kiln_spv_insert_dynamic(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                              const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value v = a_vector(f, 0), lane = kiln_spv_plain(f, 1), at = kiln_spv_int(f, 2);
  if (kiln_spv_ir(f, lane) != kiln_type_element(kiln_spv_ir(f, v)))
    kiln_spv_wrong(f, "the component has another type than those of the vector");
  bool is_one = kiln_type_lanes(kiln_spv_ir(f, v)) == 1;
  return kiln_spv_of(kiln_spv_result(f), is_one ? lane : kiln_build3(f->b, KILN_OP_INSERT, v, lane, at));
}

// Of vectors with different numbers of components: one component after another.
static kiln_value picked(struct kiln_spv_fn *f, kiln_type type, kiln_value x, kiln_value y) {
  unsigned first = kiln_type_lanes(kiln_spv_ir(f, x));
  kiln_value lanes[16];
  for (unsigned i = 0; i < kiln_type_lanes(type); i++) {
    uint32_t from = f->at->operands[2 + i];
    lanes[i] = from == NO_COMPONENT ? kiln_spv_undefined(f, kiln_spv_result(f)->element).value
               : from < first       ? kiln_spv_lane(f, x, from)
                                    : kiln_spv_lane(f, y, from - first);
  }
  return kiln_spv_join(f, type, lanes);
}

struct kiln_spv_value kiln_spv_shuffle(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                       const struct kiln_spv_lowering *how) {
  (void)how;
  kiln_value x = a_vector(f, 0), y = a_vector(f, 1);
  kiln_type type = kiln_spv_result_ir(f), first = kiln_spv_ir(f, x), second = kiln_spv_ir(f, y);
  unsigned count = kiln_type_lanes(type), there = kiln_type_lanes(first) + kiln_type_lanes(second);
  if (inst->count != 2 + count || kiln_type_element(first) != kiln_type_element(second) ||
      kiln_type_element(first) != kiln_type_element(type))
    kiln_spv_wrong(f, "the vectors and the result do not fit");
  uint8_t lanes[16];
  for (unsigned i = 0; i < count; i++) {
    uint32_t from = inst->operands[2 + i];
    if (from != NO_COMPONENT && from >= there)
      kiln_spv_wrong(f, "the vectors have no component %u", from);
    lanes[i] = from == NO_COMPONENT ? NO_LANE : (uint8_t)from;
  }
  bool is_one = first == second && count > 1 && kiln_type_lanes(first) > 1 &&
                !kiln_spv_result(f)->odd_bits; // which has no undefined lanes
  kiln_value v = is_one ? kiln_build_shuffle(f->b, x, y, lanes, count) : picked(f, type, x, y);
  return kiln_spv_of(kiln_spv_result(f), v);
}

// ---- the same value again ------------------------------------------------------------------------------------------

struct kiln_spv_value kiln_spv_same(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                    const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  return kiln_spv_operand(f, 0);
}

// As another type with the same parts.
static struct kiln_spv_value as_type(struct kiln_spv_fn *f, const struct kiln_spv_value *v,
                                     const struct kiln_spv_type *type) {
  if (v->type == type)
    return *v;
  if (!v->parts || !kiln_spv_is_aggregate(type) || v->type->count != type->count)
    kiln_spv_wrong(f, "the types of operand and result have different parts");
  kiln_spv_enter(f);
  struct kiln_spv_value *parts = kiln_spv_parts(f, type);
  for (uint32_t k = 0; k < type->count; k++)
    parts[k] = as_type(f, &v->parts[k], kiln_spv_part(type, k));
  kiln_spv_leave(f);
  return (struct kiln_spv_value){.type = type, .parts = parts};
}

struct kiln_spv_value kiln_spv_same_parts(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                          const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  struct kiln_spv_value v = kiln_spv_operand(f, 0);
  return as_type(f, &v, kiln_spv_result(f));
}

struct kiln_spv_value kiln_spv_undef_value(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                           const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  return kiln_spv_undefined(f, kiln_spv_result(f));
}

// What changes nothing here: merges of control flow, lifetimes, hints.
struct kiln_spv_value kiln_spv_nothing(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                       const struct kiln_spv_lowering *how) {
  (void)f;
  (void)inst;
  (void)how;
  return (struct kiln_spv_value){0};
}

struct kiln_spv_value kiln_spv_assume(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                      const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value v = kiln_spv_plain(f, 0);
  if (kiln_spv_ir(f, v) != kiln_scalar_type(KILN_BOOL))
    kiln_spv_wrong(f, "its operand is no bool");
  kiln_build(f->b, KILN_OP_ASSUME, KILN_VOID, &v, 1, 0, 0, 0);
  return (struct kiln_spv_value){0};
}
