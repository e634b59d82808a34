// Bit fields, bits in another order, and counts of them.
#include "jit/spirv/function.h"

// A place or width in bits as a value of the type whose bits it speaks of.
static kiln_value place(struct kiln_spv_fn *f, unsigned k, kiln_type type) {
  kiln_value v = kiln_spv_resize(f, kiln_spv_int(f, k), kiln_type_kind(type), false);
  return kiln_type_lanes(type) > 1 ? kiln_build1(f->b, KILN_OP_SPLAT, type, v) : v;
}

static kiln_type int_type(struct kiln_spv_fn *f, kiln_value v) {
  kiln_type type = kiln_spv_ir(f, v);
  if (!kiln_kind_is_int(kiln_type_kind(type)))
    kiln_spv_wrong(f, "its operand is no integer");
  return type;
}

static kiln_value is_zero(struct kiln_spv_fn *f, kiln_value v) {
  return kiln_spv_op2(f, KILN_OP_EQ, v, kiln_const(f->fn, kiln_spv_ir(f, v), 0));
}

// Shifts count modulo the width: the mask of no bits is chosen apart.
struct kiln_spv_value kiln_spv_field_insert(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                            const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value base = kiln_spv_plain(f, 0), insert = kiln_spv_plain(f, 1);
  kiln_type type = int_type(f, base);
  kiln_value offset = place(f, 2, type), count = place(f, 3, type);
  kiln_value width = kiln_const(f->fn, type, kiln_kind_bits(kiln_type_kind(type)));
  kiln_value ones = kiln_spv_const(f, type, ~UINT64_C(0));
  kiln_value mask = kiln_spv_op2(f, KILN_OP_LSHR, ones, kiln_spv_op2(f, KILN_OP_ISUB, width, count));
  mask = kiln_spv_select(f, is_zero(f, count), kiln_const(f->fn, type, 0), mask);
  kiln_value field = kiln_spv_op2(f, KILN_OP_SHL, kiln_spv_op2(f, KILN_OP_AND, insert, mask), offset);
  kiln_value rest = kiln_spv_op2(f, KILN_OP_XOR, kiln_spv_op2(f, KILN_OP_SHL, mask, offset), ones);
  rest = kiln_spv_op2(f, KILN_OP_AND, base, rest);
  return kiln_spv_of(kiln_spv_result(f), kiln_spv_op2(f, KILN_OP_OR, rest, field));
}

// Up to the top of the word, then down. op: the shift down.
struct kiln_spv_value kiln_spv_field_extract(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                             const struct kiln_spv_lowering *how) {
  (void)inst;
  kiln_value base = kiln_spv_plain(f, 0);
  kiln_type type = int_type(f, base);
  kiln_value offset = place(f, 1, type), count = place(f, 2, type);
  kiln_value width = kiln_const(f->fn, type, kiln_kind_bits(kiln_type_kind(type)));
  kiln_value down = kiln_spv_op2(f, KILN_OP_ISUB, width, count), up = kiln_spv_op2(f, KILN_OP_ISUB, down, offset);
  kiln_value v = kiln_spv_op2(f, (enum kiln_op)how->op, kiln_spv_op2(f, KILN_OP_SHL, base, up), down);
  return kiln_spv_of(kiln_spv_result(f), kiln_spv_select(f, is_zero(f, count), kiln_const(f->fn, type, 0), v));
}

// Swaps halves, then the halves of these, and so on down to neighbours.
struct kiln_spv_value kiln_spv_reverse(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                       const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value v = kiln_spv_plain(f, 0);
  kiln_type type = int_type(f, v);
  for (unsigned step = kiln_kind_bits(kiln_type_kind(type)) / 2; step; step /= 2) {
    uint64_t low = kiln_bits_mask(step), pattern = 0; // 0x00ff00ff… for a step of 8
    for (unsigned at = 0; at < 64; at += 2 * step)
      pattern |= low << at;
    kiln_value mask = kiln_spv_const(f, type, pattern), by = kiln_const(f->fn, type, step);
    kiln_value down = kiln_spv_op2(f, KILN_OP_AND, kiln_spv_op2(f, KILN_OP_LSHR, v, by), mask);
    kiln_value up = kiln_spv_op2(f, KILN_OP_SHL, kiln_spv_op2(f, KILN_OP_AND, v, mask), by);
    v = kiln_spv_op2(f, KILN_OP_OR, down, up);
  }
  unsigned above = kiln_kind_bits(kiln_type_kind(type)) - kiln_spv_bits(kiln_spv_result(f)); // the width
  if (above)
    v = kiln_spv_op2(f, KILN_OP_LSHR, v, kiln_const(f->fn, type, above));
  return kiln_spv_of(kiln_spv_result(f), v);
}

struct kiln_spv_value kiln_spv_bit_count(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                         const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value v = kiln_spv_op1(f, KILN_OP_POPCOUNT, 0, kiln_spv_plain(f, 0));
  enum kiln_kind kind = kiln_type_kind(kiln_spv_result_ir(f));
  if (!kiln_kind_is_int(kind))
    kiln_spv_wrong(f, "the result is no integer");
  return kiln_spv_of(kiln_spv_result(f), kiln_spv_resize(f, v, kind, false));
}
