// Images: what kiln/pixel.h defines, with a check of each access. An image is a value of one lane, the number of the
// kernel's parameter, so that calls hand it on like any other.
#include "backends/interp/interp.h"

#include <stdio.h>
#include <string.h>

#include "kiln/pixel.h"

// An operation on an image, with what the launch gave for it.
struct use {
  struct interp_worker *worker;
  const struct interp_item *item;
  const struct interp_inst *inst;
  const uint64_t *words;
  const struct interp_function *fn;
  uint32_t param;
  const struct kiln_image_record *record;
  struct kiln_pixels pixels;
  const char *name;
};

static const uint64_t *operand(const struct use *u, uint32_t index) {
  return interp_ref(u->worker, u->words, u->fn->refs[u->inst->a + index]);
}

static kiln_type type_of(const struct use *u, uint32_t index) {
  return kiln_value_type(u->fn->fn, kiln_operands(u->fn->fn, u->inst->value)[index]);
}

static void begin(struct use *u) {
  const struct kiln_drv_launch *launch = u->worker->launch;
  u->param = (uint32_t)operand(u, 0)[1];
  u->record = &launch->images[u->param];
  u->name = launch->args[u->param].name;
  enum kiln_image_dimension dimension = kiln_type_dimension(type_of(u, 0));
  bool is_plane = dimension >= KILN_IMAGE_2D;
  u->pixels = (struct kiln_pixels){
      .base = (const unsigned char *)(uintptr_t)launch->args[u->param].base,
      .size = {u->record->width, u->record->height, u->record->depth},
      .dims = dimension == KILN_IMAGE_3D ? 3
              : is_plane                 ? 2
                                         : 1,
      .layer_pitch = (uint64_t)u->record->slice,
  };
  if (dimension == KILN_IMAGE_1D_ARRAY || dimension == KILN_IMAGE_2D_ARRAY || dimension == KILN_IMAGE_2D_ARRAY_DEPTH)
    u->pixels.layers = u->record->layers;
  kiln_pixel_format_of(u->record->order, u->record->type & ~KILN_IMAGE_IS_SMALL, &u->pixels.format);
  u->pixels.pitch[0] = kiln_pixel_bytes(u->pixels.format);
  u->pixels.pitch[1] = (uint64_t)u->record->row;
  u->pixels.pitch[2] = (uint64_t)u->record->slice;
}

static unsigned coordinates(const struct use *u) { return u->pixels.dims + (u->pixels.layers != 0); }

// "(3, -1)"
static void coordinates_text(const struct use *u, const int32_t *at, char *out, size_t size) {
  size_t used = 0;
  for (unsigned d = 0; d < coordinates(u) && used < size; d++)
    used += (size_t)snprintf(out + used, size - used, "%s%d", d ? ", " : "(", (int)at[d]);
  if (used < size)
    snprintf(out + used, size - used, ")");
}

// "has 16 x 9 pixels"
static void sizes_text(const struct use *u, char *out, size_t size) {
  size_t used = 0;
  for (unsigned d = 0; d < u->pixels.dims && used < size; d++)
    used += (size_t)snprintf(out + used, size - used, "%s%d", d ? " x " : "", (int)u->pixels.size[d]);
  if (used < size)
    used += (size_t)snprintf(out + used, size - used, " pixels");
  if (u->pixels.layers && used < size)
    snprintf(out + used, size - used, " in %d layers", (int)u->pixels.layers);
}

static bool fail_outside(const struct use *u, const char *verb, const int32_t *at) {
  char where[80], sizes[80];
  coordinates_text(u, at, where, sizeof where);
  sizes_text(u, sizes, sizeof sizes);
  return kiln_interp_fail(u->worker, u->item, u->inst, "%s the pixel at %s of image '%s', which has %s", verb, where,
                          u->name, sizes);
}

// Integers with or without sign are read from and written to formats of such integers alone, floats to the others.
static bool check_format(const struct use *u, const char *verb, kiln_type pixel) {
  enum kiln_channel_kind has = kiln_pixel_kind(u->pixels.format);
  bool wants_floats = kiln_kind_is_float(kiln_type_kind(pixel)), is_unsigned = u->inst->flags & KILN_IMAGE_UNSIGNED;
  bool is_int = has == KILN_SINT || has == KILN_UINT, any_sign = u->inst->flags & KILN_IMAGE_ANY_SIGN;
  bool fits = wants_floats || any_sign ? is_int == !wants_floats : has == (is_unsigned ? KILN_UINT : KILN_SINT);
  char format[24];
  kiln_pixel_format_text(u->pixels.format, format, sizeof format);
  return fits || kiln_interp_fail(u->worker, u->item, u->inst, "%s %s %s image '%s', whose format is %s", verb,
                                  wants_floats  ? "floats"
                                  : any_sign    ? "integers"
                                  : is_unsigned ? "unsigned integers"
                                                : "signed integers",
                                  *verb == 'r' ? "of" : "to", u->name, format);
}

// Coordinates, and a sampler or pixel, that were initialised.
static bool check_defined(const struct use *u) {
  for (uint32_t i = 1; i < u->inst->c; i++)
    if (operand(u, i)[0])
      return kiln_interp_fail_undefined(u->worker, u->item, u->inst,
                                        "uses image '%s' with a value that was never initialised", u->name);
  return true;
}

static bool note_race(const struct use *u, const int32_t *at, enum interp_touch touch, const unsigned char *bytes) {
  struct interp_place place = {.base = u->worker->launch->args[u->param].base,
                               .object = &u->worker->launch->args[u->param]};
  if (!u->worker->races)
    return true;
  place.data = (unsigned char *)(uintptr_t)kiln_pixels_address(&u->pixels, at);
  return kiln_interp_race(u->worker, u->item, u->inst, &place, kiln_pixel_bytes(u->pixels.format), touch, bytes);
}

static bool check_sampler(const struct use *u, uint32_t sampler, bool has_floats) {
  if (has_floats || !(sampler & (KILN_SAMPLER_LINEAR | KILN_SAMPLER_NORMALIZED)))
    return true;
  return kiln_interp_fail(u->worker, u->item, u->inst, "reads image '%s' at integer coordinates with a sampler that %s",
                          u->name, sampler & KILN_SAMPLER_LINEAR ? "filters" : "takes normalised ones");
}

// A float as the bits of a half, and back.
static uint64_t convert(enum kiln_kind from, enum kiln_kind to, uint64_t bits) {
  union kiln_lanes x = {{bits}}, result = {{0}};
  const union kiln_lanes *operand = &x;
  kiln_type type = kiln_scalar_type(from);
  kiln_eval(KILN_OP_FTOF, kiln_scalar_type(to), KILN_ROUND_EVEN, 0, NULL, &type, &operand, 1, &result);
  return result.bits[0];
}

static void give(const struct use *u, uint64_t *dst, const union kiln_pixel *pixel) {
  kiln_type type = u->fn->fn->insts[u->inst->value].type;
  dst[0] = 0;
  for (unsigned c = 0; c < kiln_type_lanes(type); c++)
    dst[1 + c] = kiln_type_kind(type) == KILN_F16 ? convert(KILN_F32, KILN_F16, pixel->u[c]) : pixel->u[c];
}

static bool read_op(const struct use *u, uint64_t *dst) {
  bool is_sampled = u->inst->flags & KILN_IMAGE_SAMPLED;
  uint32_t first = 1 + is_sampled, sampler = is_sampled ? (uint32_t)operand(u, 1)[1] : KILN_SAMPLER_NEAREST;
  bool has_floats = kiln_type_kind(type_of(u, first)) == KILN_F32, inside;
  union kiln_pixel pixel;
  union {
    int32_t i[4];
    float f[4];
  } at = {{0}};
  for (unsigned d = 0; d < coordinates(u); d++)
    at.i[d] = (int32_t)operand(u, first + d)[1];
  if (!check_defined(u) || !check_format(u, "reads", u->fn->fn->insts[u->inst->value].type) ||
      !check_sampler(u, sampler, has_floats))
    return false;
  if (has_floats)
    pixel = kiln_pixels_sample(&u->pixels, sampler, at.f, &inside);
  else
    pixel = kiln_pixels_fetch(&u->pixels, sampler, at.i, &inside);
  if (!inside && !(sampler & KILN_SAMPLER_ADDRESS)) {
    for (unsigned d = 0; d < coordinates(u) && has_floats; d++)
      at.i[d] = kiln_pixels_place(&u->pixels, sampler, d, at.f[d]);
    return fail_outside(u, "reads", at.i);
  }
  if (!has_floats && inside && kiln_type_access(type_of(u, 0)) == KILN_ACCESS_READ_WRITE &&
      !note_race(u, at.i, INTERP_TOUCH_READ, NULL))
    return false;
  give(u, dst, &pixel);
  return true;
}

static bool write_op(const struct use *u) {
  uint32_t last = u->inst->c - 1;
  kiln_type type = type_of(u, last);
  const uint64_t *value = operand(u, last);
  union kiln_pixel pixel = {{0}};
  unsigned char bytes[16];
  int32_t at[4] = {0};
  for (unsigned d = 0; d < coordinates(u); d++)
    at[d] = (int32_t)operand(u, 1 + d)[1];
  for (unsigned c = 0; c < kiln_type_lanes(type); c++) {
    bool is_half = kiln_type_kind(type) == KILN_F16;
    pixel.u[c] = (uint32_t)(is_half ? convert(KILN_F16, KILN_F32, value[1 + c]) : value[1 + c]);
  }
  if (!check_defined(u) || !check_format(u, "writes", type))
    return false;
  if (!kiln_pixels_hold(&u->pixels, at))
    return fail_outside(u, "writes", at);
  kiln_pixel_store(u->pixels.format, bytes, &pixel);
  if (!note_race(u, at, INTERP_TOUCH_WRITE, bytes))
    return false;
  memcpy((void *)(uintptr_t)kiln_pixels_address(&u->pixels, at), bytes, kiln_pixel_bytes(u->pixels.format));
  return true;
}

static int32_t query(const struct use *u) {
  const struct kiln_image_record *r = u->record;
  const int32_t answers[] = {r->width, r->height, r->depth, r->layers, r->order, r->type & ~KILN_IMAGE_IS_SMALL};
  return answers[u->inst->imm];
}

bool kiln_interp_image_op(struct interp_worker *worker, const struct interp_item *item, const struct interp_inst *inst,
                          uint64_t *words) {
  struct use use = {
      .worker = worker, .item = item, .inst = inst, .words = words, .fn = item->frames[item->depth - 1].fn};
  begin(&use);
  uint64_t *dst = words + inst->dst;
  switch (inst->op) {
  case KILN_OP_IMAGE_READ:
    return read_op(&use, dst);
  case KILN_OP_IMAGE_WRITE:
    return write_op(&use);
  }
  dst[0] = 0;
  dst[1] = (uint32_t)query(&use);
  return true;
}
