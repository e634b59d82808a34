// Images: the functions that read, write and ask become operations, which take coordinates as scalars.
#include "jit/ir/images.h"
#include "jit/lang/ast/builtin_call.h"
#include "jit/lang/lower/lower.h"

enum { MOST_OPERANDS = 6 }; // image, sampler, three coordinates, pixel

// Appends those of the coordinates that count: the fourth of a volume and of an array of images does not.
static uint32_t add_coordinates(struct kiln_lower *L, kiln_value image, kiln_value at, kiln_value *operands,
                                uint32_t count) {
  unsigned coordinates = kiln_image_coordinates(kiln_type_dimension(kiln_value_type(L->fn, image)));
  for (unsigned i = 0; i < coordinates; i++)
    operands[count++] = coordinates == 1 ? at : kiln_lower_extract(L, at, i);
  return count;
}

static kiln_value query(struct kiln_lower *L, kiln_value image, enum kiln_image_query what) {
  return kiln_build(&L->b, KILN_OP_IMAGE_QUERY, kiln_scalar_type(KILN_I32), &image, 1, what, 0, 0);
}

// (width, height), or (width, height, depth, 0).
static kiln_value sizes(struct kiln_lower *L, kiln_value image, kiln_type type) {
  unsigned lanes = kiln_type_lanes(type);
  kiln_value parts[4] = {query(L, image, KILN_IMAGE_WIDTH), query(L, image, KILN_IMAGE_HEIGHT)};
  if (lanes == 4) {
    parts[2] = query(L, image, KILN_IMAGE_DEPTH);
    parts[3] = kiln_lower_const_int(L, KILN_I32, 0);
  }
  return kiln_build(&L->b, KILN_OP_VEC, type, parts, lanes, 0, 0, 0);
}

kiln_value kiln_lower_image_op(struct kiln_lower *L, const struct kiln_expr *e, const kiln_value *args) {
  const struct kiln_builtin_call *call = e->builtin;
  kiln_type type = kiln_ctype_ir(e->type.type);
  kiln_value operands[MOST_OPERANDS] = {args[0]};
  uint32_t count = 1;
  uint16_t flags = call->imm == KILN_CT_UINT ? KILN_IMAGE_UNSIGNED : 0;
  switch (call->code) {
  case KILN_SP_IMAGE_READ:
    if (e->arg_count == 3) {
      operands[count++] = args[1];
      flags |= KILN_IMAGE_SAMPLED;
    }
    count = add_coordinates(L, args[0], args[e->arg_count - 1], operands, count);
    return kiln_build(&L->b, KILN_OP_IMAGE_READ, type, operands, count, 0, 0, flags);
  case KILN_SP_IMAGE_WRITE:
    count = add_coordinates(L, args[0], args[1], operands, count);
    operands[count++] = args[2];
    return kiln_build(&L->b, KILN_OP_IMAGE_WRITE, type, operands, count, 0, 0, flags);
  case KILN_SP_IMAGE_SIZES:
    return sizes(L, args[0], type);
  default: {
    kiln_value v = query(L, args[0], (enum kiln_image_query)call->imm);
    return type == kiln_value_type(L->fn, v) ? v : kiln_build1(&L->b, KILN_OP_ZEXT, type, v);
  }
  }
}
