// Integers of odd widths: of 1 to 64 bits, where the IR has types of 8, 16, 32 and 64. A value is held in the next
// wider type, and the bits above its width are zeros. widths.def lists which instructions need the sign in their place,
// and which make bits that have to be cleared.
#include "jit/spirv/function.h"

static const struct row {
  uint8_t is_listed, signs, cut;
} rows[KILN_SPV_ROWS] = {
#define KILN_SPV_WIDTH(name, signs, cut) [KILN_SPV_ROW_##name] = {1, (signs), (cut)},
#include "jit/spirv/widths.def"
};

bool kiln_spv_takes_odd(uint32_t row) { return rows[row].is_listed; }
uint8_t kiln_spv_signs(uint32_t row) { return rows[row].signs; }
bool kiln_spv_must_cut(uint32_t row) { return rows[row].cut; }

void kiln_spv_refuse_odd(struct kiln_spv *spv, const struct kiln_spv_inst *inst, const struct kiln_spv_type *type) {
  kiln_spv_fail(spv, inst, "integers of %u bits are not supported in it", type->odd_bits);
}

kiln_value kiln_spv_cut(struct kiln_spv_fn *f, kiln_value v, const struct kiln_spv_type *type) {
  if (!type->odd_bits)
    return v;
  return kiln_spv_op2(f, KILN_OP_AND, v, kiln_const(f->fn, type->ir, kiln_bits_mask(type->odd_bits)));
}

kiln_value kiln_spv_with_sign(struct kiln_spv_fn *f, kiln_value v, const struct kiln_spv_type *type) {
  if (!type->odd_bits)
    return v;
  kiln_value by = kiln_const(f->fn, type->ir, kiln_kind_bits(kiln_type_kind(type->ir)) - type->odd_bits);
  return kiln_spv_op2(f, KILN_OP_ASHR, kiln_spv_op2(f, KILN_OP_SHL, v, by), by);
}

// ---- as other types
// --------------------------------------------------------------------------------------------------

// The integer that has the bits of a float or a bool; an integer itself.
static kiln_value as_int(struct kiln_spv_fn *f, kiln_value v, unsigned bits) {
  enum kiln_kind kind = kiln_type_kind(kiln_spv_ir(f, v));
  if (kind == KILN_BOOL)
    return kiln_build1(f->b, KILN_OP_ZEXT, kiln_scalar_type(KILN_I64), v);
  if (!kiln_kind_is_float(kind))
    return v;
  return kiln_build1(f->b, KILN_OP_BITCAST,
                     kiln_scalar_type(bits == 16   ? KILN_I16
                                      : bits == 32 ? KILN_I32
                                                   : KILN_I64),
                     v);
}

// The lanes of a value beside each other in 64 bits, the first one lowest, and back.
static kiln_value packed(struct kiln_spv_fn *f, kiln_value v, const struct kiln_spv_type *type) {
  kiln_type word = kiln_scalar_type(KILN_I64);
  unsigned bits = kiln_spv_bits(type), lanes = kiln_type_lanes(type->ir);
  kiln_value sum = 0;
  for (unsigned k = 0; k < lanes; k++) {
    kiln_value lane = kiln_spv_resize(f, as_int(f, kiln_spv_lane(f, v, k), bits), KILN_I64, false);
    if (k)
      lane = kiln_spv_op2(f, KILN_OP_SHL, lane, kiln_const(f->fn, word, k * bits));
    sum = k ? kiln_spv_op2(f, KILN_OP_OR, sum, lane) : lane;
  }
  return sum;
}

static kiln_value unpacked(struct kiln_spv_fn *f, kiln_value word, const struct kiln_spv_type *type) {
  kiln_type element = kiln_type_element(type->ir);
  enum kiln_kind kind = kiln_type_kind(element);
  unsigned bits = kiln_spv_bits(type), count = kiln_type_lanes(type->ir);
  uint64_t mask = kiln_bits_mask(bits);
  kiln_value lanes[16];
  for (unsigned k = 0; k < count; k++) {
    kiln_value lane = word;
    if (k)
      lane = kiln_spv_op2(f, KILN_OP_LSHR, lane, kiln_const(f->fn, kiln_scalar_type(KILN_I64), k * bits));
    if (type->odd_bits)
      lane = kiln_spv_op2(f, KILN_OP_AND, lane, kiln_const(f->fn, kiln_scalar_type(KILN_I64), mask));
    if (kind == KILN_BOOL) {
      lane = kiln_spv_op2(f, KILN_OP_AND, lane, kiln_const(f->fn, kiln_scalar_type(KILN_I64), 1));
      lanes[k] = kiln_spv_op2(f, KILN_OP_NE, lane, kiln_const(f->fn, kiln_scalar_type(KILN_I64), 0));
      continue;
    }
    bool is_float = kiln_kind_is_float(kind);
    enum kiln_kind as = is_float ? (bits == 16 ? KILN_I16 : bits == 32 ? KILN_I32 : KILN_I64) : kind;
    lane = kiln_spv_resize(f, lane, as, false);
    lanes[k] = is_float ? kiln_build1(f->b, KILN_OP_BITCAST, element, lane) : lane;
  }
  return kiln_spv_join(f, type->ir, lanes);
}

kiln_value kiln_spv_bitcast_odd(struct kiln_spv_fn *f, kiln_value v, const struct kiln_spv_type *from,
                                const struct kiln_spv_type *to) {
  return unpacked(f, packed(f, v, from), to);
}

// ---- in memory
// -------------------------------------------------------------------------------------------------------

// As many bytes as the width needs, in pieces of 4, 2 and 1: LLVM accesses integers so, which may stand for structs of
// three bytes beside each other. A value in memory has any bits above its width.
static unsigned piece_at(uint64_t bytes, uint64_t at) {
  unsigned size = 8;
  while (size > bytes - at)
    size /= 2;
  return size;
}

static kiln_type piece_type(unsigned size) {
  return kiln_scalar_type(size == 1 ? KILN_I8 : size == 2 ? KILN_I16 : size == 4 ? KILN_I32 : KILN_I64);
}

static void only_scalar(struct kiln_spv_fn *f, const struct kiln_spv_type *type) {
  if (type->kind != KILN_SPV_INT)
    kiln_spv_wrong(f, "vectors of integers of %u bits are not supported in memory", type->odd_bits);
}

kiln_value kiln_spv_load_odd(struct kiln_spv_fn *f, const struct kiln_spv_type *type, kiln_value pointer,
                             uint32_t align, uint16_t flags) {
  only_scalar(f, type);
  enum kiln_kind kind = kiln_type_kind(type->ir);
  uint64_t bytes = kiln_spv_stored_bytes(type);
  kiln_value sum = 0;
  for (uint64_t at = 0; at < bytes; at += piece_at(bytes, at)) {
    kiln_value from = kiln_spv_at_offset(f, pointer, at);
    kiln_value piece =
        kiln_build_load(f->b, piece_type(piece_at(bytes, at)), from, kiln_spv_align_at(align, at), flags);
    piece = kiln_spv_resize(f, piece, kind, false);
    if (at)
      piece = kiln_spv_op2(f, KILN_OP_SHL, piece, kiln_const(f->fn, type->ir, at * 8));
    sum = at ? kiln_spv_op2(f, KILN_OP_OR, sum, piece) : piece;
  }
  return type->odd_bits == bytes * 8 ? sum : kiln_spv_cut(f, sum, type);
}

void kiln_spv_store_odd(struct kiln_spv_fn *f, const struct kiln_spv_type *type, kiln_value pointer, kiln_value v,
                        uint32_t align, uint16_t flags) {
  only_scalar(f, type);
  uint64_t bytes = kiln_spv_stored_bytes(type);
  for (uint64_t at = 0; at < bytes; at += piece_at(bytes, at)) {
    kiln_value piece = v;
    if (at)
      piece = kiln_spv_op2(f, KILN_OP_LSHR, v, kiln_const(f->fn, type->ir, at * 8));
    piece = kiln_spv_resize(f, piece, kiln_type_kind(piece_type(piece_at(bytes, at))), false);
    kiln_build_store(f->b, kiln_spv_at_offset(f, pointer, at), piece, kiln_spv_align_at(align, at), flags);
  }
}
