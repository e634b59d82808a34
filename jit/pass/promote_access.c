// Loads and stores of a part of a variable as operations on the variable's value: reinterpretation of bits, and lanes
// of a vector.
#include "jit/pass/promote.h"

static unsigned element_bytes(kiln_type type) { return kiln_kind_bits(kiln_type_kind(type)) / 8; }

static bool is_ptr(kiln_type type) { return kiln_type_kind(type) == KILN_PTR; }

static bool lanes_are_valid(uint32_t lanes) { return (lanes >= 1 && lanes <= 4) || lanes == 8 || lanes == 16; }

// The value of size bytes as a vector whose elements are of the type's kind.
static kiln_type vector_of(kiln_type type, uint32_t size) {
  enum kiln_kind kind = is_ptr(type) ? KILN_I64 : kiln_type_kind(type);
  return kiln_vec_type(kind, size / element_bytes(type));
}

bool kiln_access_fits(kiln_type slot, uint32_t slot_size, uint32_t offset, kiln_type type) {
  uint32_t element = element_bytes(type), size = kiln_type_bytes(type);
  if (offset == 0 && size == slot_size)
    return true;
  return !is_ptr(slot) && offset % element == 0 && slot_size % element == 0 && lanes_are_valid(slot_size / element) &&
         offset + size <= slot_size;
}

// The bits of a value as another type of the same size.
static kiln_value convert(struct kiln_builder *b, kiln_value value, kiln_type to) {
  kiln_type from = kiln_value_type(b->fn, value), i64 = kiln_scalar_type(KILN_I64);
  if (from == to || !value)
    return value;
  if (b->fn->insts[value].op == KILN_OP_UNDEF)
    return kiln_undef(b->fn, to);
  if (is_ptr(from)) {
    value = kiln_build1(b, KILN_OP_PTOI, i64, value);
    from = i64;
  }
  kiln_type bits = is_ptr(to) ? i64 : to;
  if (from != bits)
    value = kiln_build1(b, KILN_OP_BITCAST, bits, value);
  return is_ptr(to) ? kiln_build1(b, KILN_OP_ITOP, to, value) : value;
}

kiln_value kiln_access_read(struct kiln_builder *b, kiln_value value, uint32_t offset, kiln_type type) {
  uint32_t size = kiln_type_bytes(kiln_value_type(b->fn, value));
  if (kiln_type_bytes(type) == size)
    return convert(b, value, type);
  kiln_type vector = vector_of(type, size), part = kiln_type_with_lanes(vector, kiln_type_lanes(type));
  if (b->fn->insts[value].op == KILN_OP_UNDEF)
    return kiln_undef(b->fn, type);
  value = convert(b, value, vector);
  uint32_t first = offset / element_bytes(type);
  if (kiln_type_lanes(part) == 1) {
    kiln_value operands[] = {value, kiln_const(b->fn, kiln_scalar_type(KILN_I32), first)};
    value = kiln_build(b, KILN_OP_EXTRACT, part, operands, 2, 0, 0, 0);
  } else {
    uint8_t lanes[16];
    for (unsigned i = 0; i < kiln_type_lanes(part); i++)
      lanes[i] = (uint8_t)(first + i);
    value = kiln_build_shuffle(b, value, value, lanes, kiln_type_lanes(part));
  }
  return convert(b, value, type);
}

kiln_value kiln_access_write(struct kiln_builder *b, kiln_value value, uint32_t offset, kiln_value part) {
  kiln_type slot = kiln_value_type(b->fn, value), type = kiln_value_type(b->fn, part);
  uint32_t size = kiln_type_bytes(slot);
  if (kiln_type_bytes(type) == size)
    return convert(b, part, slot);
  kiln_type vector = vector_of(type, size);
  part = convert(b, part, kiln_type_with_lanes(vector, kiln_type_lanes(type)));
  value = convert(b, value, vector);
  uint32_t first = offset / element_bytes(type), count = kiln_type_lanes(type), total = kiln_type_lanes(vector);
  if (count == 1) {
    value = kiln_build3(b, KILN_OP_INSERT, value, part, kiln_const(b->fn, kiln_scalar_type(KILN_I32), first));
  } else {
    uint8_t widen[16], mix[16];
    for (uint32_t i = 0; i < total; i++) {
      bool inside = i >= first && i < first + count;
      widen[i] = i < count ? (uint8_t)i : 0xff;
      mix[i] = (uint8_t)(inside ? total + i - first : i);
    }
    value = kiln_build_shuffle(b, value, kiln_build_shuffle(b, part, part, widen, total), mix, total);
  }
  return convert(b, value, slot);
}
