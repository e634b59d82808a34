#include "jit/ir/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/backend.h"
#include "kiln/pixel.h"

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

#define LARGE ":large"

bool kiln_function_has_images(const struct kiln_function *fn) {
  for (uint32_t i = 0; i < fn->param_count; i++)
    if (kiln_type_kind(fn->params[i].type) == KILN_IMAGE)
      return true;
  return false;
}

bool kiln_module_has_images(const struct kiln_module *module) {
  for (uint32_t f = 0; f < module->function_count; f++)
    if (kiln_function_has_images(module->functions[f]))
      return true;
  return false;
}

// A format by the name that kiln_pixel_format_text gives it, and whether the image is large.
static bool read_format(const char *text, size_t size, struct kiln_image_constant *out) {
  char name[24];
  bool is_large = size > strlen(LARGE) && memcmp(text + size - strlen(LARGE), LARGE, strlen(LARGE)) == 0;
  size -= is_large ? strlen(LARGE) : 0;
  for (int order = 0; order <= KILN_ORDER_SBGRA; order++) {
    for (int type = 0; type <= KILN_CHANNEL_F32; type++) {
      struct kiln_image_format format = {(enum kiln_channel_order)order, (enum kiln_channel_type)type};
      if (!kiln_pixel_is_format(format))
        continue;
      kiln_pixel_format_text(format, name, sizeof name);
      if (strlen(name) != size || memcmp(name, text, size) != 0)
        continue;
      *out = (struct kiln_image_constant){
          .order = kiln_pixel_order_number(format),
          .type = kiln_pixel_type_number(format) | (is_large ? 0 : KILN_IMAGE_IS_SMALL),
      };
      return true;
    }
  }
  return false;
}

bool kiln_image_constants_read(const char *text, struct kiln_image_constant *out, uint32_t *count) {
  *count = 0;
  for (const char *at = text;; at++) {
    size_t size = strcspn(at, ",");
    if (*count == KILN_IMAGE_CONSTANTS || size >= KILN_IMAGE_CONSTANT_SIZE)
      return false;
    struct kiln_image_constant *next = &out[(*count)++];
    if (size > 2 && size <= 10 && at[0] == '0' && at[1] == 'x') {
      char *end;
      *next = (struct kiln_image_constant){.is_sampler = true, .sampler = (uint32_t)strtoul(at, &end, 16)};
      if (end != at + size)
        return false;
    } else if (!read_format(at, size, next)) {
      return false;
    }
    at += size;
    if (!*at)
      return true;
  }
}

static uint64_t number_bit(int32_t number) { return 1ull << ((number - KILN_IMAGE_FIRST_NUMBER) & 63); }

uint64_t kiln_image_numbers(const char *text) {
  struct kiln_image_constant constants[KILN_IMAGE_CONSTANTS];
  uint32_t count;
  uint64_t bits = 0;
  if (!text || !strcmp(text, KILN_IMAGES_GENERIC) || !kiln_image_constants_read(text, constants, &count))
    return 0;
  for (uint32_t i = 0; i < count; i++)
    if (!constants[i].is_sampler)
      bits |= number_bit(constants[i].order) | number_bit(constants[i].type & ~KILN_IMAGE_IS_SMALL);
  return bits;
}

void kiln_image_constant_text(const struct kiln_image_constant *constant, char out[KILN_IMAGE_CONSTANT_SIZE]) {
  struct kiln_image_format format;
  if (constant->is_sampler) {
    snprintf(out, KILN_IMAGE_CONSTANT_SIZE, "0x%x", (unsigned)constant->sampler);
    return;
  }
  kiln_pixel_format_of(constant->order, constant->type & ~KILN_IMAGE_IS_SMALL, &format);
  kiln_pixel_format_text(format, out, KILN_IMAGE_CONSTANT_SIZE);
  if (!(constant->type & KILN_IMAGE_IS_SMALL))
    strcat(out, LARGE);
}
