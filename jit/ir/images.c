#include "jit/ir/images.h"

#include <stdio.h>

unsigned kiln_image_coordinates(enum kiln_image_dimension dimension) {
  static const unsigned char counts[] = {
      [KILN_IMAGE_1D] = 1,       [KILN_IMAGE_1D_BUFFER] = 1,     [KILN_IMAGE_1D_ARRAY] = 2,
      [KILN_IMAGE_2D] = 2,       [KILN_IMAGE_2D_ARRAY] = 3,      [KILN_IMAGE_3D] = 3,
      [KILN_IMAGE_2D_DEPTH] = 2, [KILN_IMAGE_2D_ARRAY_DEPTH] = 3};
  return counts[dimension];
}

void kiln_image_function_name(bool reads, enum kiln_kind pixel, enum kiln_kind coordinate, char *out, size_t size) {
  const char *by = !reads ? "" : kiln_kind_is_int(coordinate) ? "_i" : "_f";
  snprintf(out, size, KILN_IMAGE_LIBRARY_PREFIX "%s_%c%s", reads ? "read" : "write",
           kiln_kind_is_int(pixel) ? 'i' : 'f', by);
}

bool kiln_image_library_name(const struct kiln_function *fn, kiln_value op, char *out, size_t size) {
  const struct kiln_inst *inst = &fn->insts[op];
  bool reads = inst->op == KILN_OP_IMAGE_READ;
  out[0] = 0;
  if (!reads && inst->op != KILN_OP_IMAGE_WRITE)
    return false;
  const kiln_value *operands = kiln_operands(fn, op);
  kiln_type pixel = reads ? inst->type : kiln_value_type(fn, operands[inst->operand_count - 1]);
  kiln_type coordinate = kiln_value_type(fn, operands[inst->flags & KILN_IMAGE_SAMPLED ? 2 : 1]);
  kiln_image_function_name(reads, kiln_type_kind(pixel), kiln_type_kind(coordinate), out, size);
  return true;
}
