#include "kiln/pixel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "jit/ir/internal.h"

static const struct {
  const char *text, *stored;
  unsigned channels;
  bool alpha;
  int32_t number;
} orders[] = {
#define KILN_CHANNEL_ORDER(NAME, text, channels, stored, alpha, number) {text, stored, channels, alpha, number},
#include "kiln/pixel.def"
};

static const struct {
  const char *text;
  unsigned bytes;
  enum kiln_channel_kind kind;
  int32_t number;
} types[] = {
#define KILN_CHANNEL_TYPE(NAME, text, bytes, kind, number) {text, bytes, KILN_##kind, number},
#include "kiln/pixel.def"
};

// ---- formats -------------------------------------------------------------------------------------------------------

enum kiln_channel_kind kiln_pixel_kind(struct kiln_image_format format) { return types[format.type].kind; }

bool kiln_pixel_is_format(struct kiln_image_format format) {
  if ((size_t)format.order >= sizeof orders / sizeof *orders || (size_t)format.type >= sizeof types / sizeof *types)
    return false;
  enum kiln_channel_kind kind = kiln_pixel_kind(format);
  bool is_integer = kind == KILN_SINT || kind == KILN_UINT;
  switch (format.order) {
  case KILN_ORDER_R:
  case KILN_ORDER_A:
  case KILN_ORDER_RG:
  case KILN_ORDER_RGBA:
    return kind != KILN_PACKED;
  case KILN_ORDER_RA:
  case KILN_ORDER_INTENSITY:
  case KILN_ORDER_LUMINANCE:
    return kind != KILN_PACKED && !is_integer;
  case KILN_ORDER_RGB:
    return kind == KILN_PACKED;
  case KILN_ORDER_BGRA:
  case KILN_ORDER_ARGB:
  case KILN_ORDER_ABGR:
    return types[format.type].bytes == 1;
  case KILN_ORDER_DEPTH:
    return format.type == KILN_CHANNEL_UNORM16 || format.type == KILN_CHANNEL_F32;
  case KILN_ORDER_SRGBA:
  case KILN_ORDER_SBGRA:
    return format.type == KILN_CHANNEL_UNORM8;
  }
  return false;
}

unsigned kiln_pixel_bytes(struct kiln_image_format format) {
  return types[format.type].bytes * (types[format.type].kind == KILN_PACKED ? 1 : orders[format.order].channels);
}

int32_t kiln_pixel_order_number(struct kiln_image_format format) { return orders[format.order].number; }

int32_t kiln_pixel_type_number(struct kiln_image_format format) { return types[format.type].number; }

bool kiln_pixel_format_of(int32_t order, int32_t type, struct kiln_image_format *out) {
  unsigned o = 0, t = 0;
  while (o < sizeof orders / sizeof *orders && orders[o].number != order)
    o++;
  while (t < sizeof types / sizeof *types && types[t].number != type)
    t++;
  struct kiln_image_format format = {(enum kiln_channel_order)o, (enum kiln_channel_type)t};
  bool is_format = kiln_pixel_is_format(format);
  if (is_format)
    *out = format;
  return is_format;
}

void kiln_pixel_format_text(struct kiln_image_format format, char *out, size_t size) {
  if ((size_t)format.order < sizeof orders / sizeof *orders && (size_t)format.type < sizeof types / sizeof *types)
    snprintf(out, size, "%s:%s", orders[format.order].text, types[format.type].text);
  else
    snprintf(out, size, "no format");
}

// ---- one channel ---------------------------------------------------------------------------------------------------

// In doubles, so that each of the 256 is the float that is nearest to it.
static float srgb_to_linear(unsigned char byte) {
  double c = byte / 255.0;
  return (float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
}

static float linear_to_srgb(float c) { return c <= 0.0031308f ? c * 12.92f : 1.055f * powf(c, 1 / 2.4f) - 0.055f; }

static bool is_srgb(struct kiln_image_format format) {
  return format.order == KILN_ORDER_SRGBA || format.order == KILN_ORDER_SBGRA;
}

// The largest value of a normalised channel. A product with its reciprocal is 1 for it, and within 1.3 ulp of the
// quotient for all others, where the specification allows 1.5.
static float scale_of(enum kiln_channel_type type) {
  float steps = types[type].bytes == 1 ? 256 : 65536;
  return types[type].kind == KILN_SNORM ? steps / 2 - 1 : steps - 1;
}

static union kiln_pixel load_channel(enum kiln_channel_type type, const void *at) {
  uint32_t bits = 0;
  memcpy(&bits, at, types[type].bytes);
  unsigned unused = 32 - 8 * types[type].bytes;
  int32_t number = (int32_t)(bits << unused) >> unused;
  union kiln_pixel out = {{0}};
  switch (types[type].kind) {
  case KILN_UNORM:
    out.f[0] = (float)bits * (1 / scale_of(type));
    break;
  case KILN_SNORM:
    out.f[0] = fmaxf((float)number * (1 / scale_of(type)), -1);
    break;
  case KILN_SINT:
    out.i[0] = number;
    break;
  case KILN_UINT:
    out.u[0] = bits;
    break;
  case KILN_FLOAT:
    out.u[0] = bits;
    if (type == KILN_CHANNEL_F16)
      out.f[0] = (float)kiln_float_value(KILN_F16, bits);
    break;
  case KILN_PACKED:
    break; // it has no channels of its own
  }
  return out;
}

static int32_t clamp_to(float value, float low, float high) {
  return isnan(value) ? 0 : (int32_t)rintf(fminf(fmaxf(value, low), high));
}

static void store_channel(enum kiln_channel_type type, void *at, union kiln_pixel value) {
  unsigned width = 8 * types[type].bytes;
  uint32_t bits = value.u[0];
  switch (types[type].kind) {
  case KILN_UNORM:
    bits = (uint32_t)clamp_to(value.f[0] * scale_of(type), 0, scale_of(type));
    break;
  case KILN_SNORM:
    bits = (uint32_t)clamp_to(value.f[0] * scale_of(type), -scale_of(type) - 1, scale_of(type));
    break;
  case KILN_SINT: {
    int32_t most = (int32_t)(UINT32_MAX >> (33 - width)), least = -most - 1;
    bits = (uint32_t)(value.i[0] > most ? most : value.i[0] < least ? least : value.i[0]);
    break;
  }
  case KILN_UINT:
    bits = bits > UINT32_MAX >> (32 - width) ? UINT32_MAX >> (32 - width) : bits;
    break;
  case KILN_FLOAT:
    bits = type == KILN_CHANNEL_F16 ? (uint32_t)kiln_float_round(KILN_F16, value.f[0], KILN_ROUND_EVEN) : bits;
    break;
  case KILN_PACKED:
    break;
  }
  memcpy(at, &bits, types[type].bytes);
}

// ---- pixels --------------------------------------------------------------------------------------------------------

// Bits of the three channels of a packed type, from the lowest up: blue, green, red.
static const unsigned char *packed_bits(enum kiln_channel_type type) {
  static const unsigned char bits[3][3] = {{5, 6, 5}, {5, 5, 5}, {10, 10, 10}};
  return bits[type - KILN_CHANNEL_UNORM565];
}

static union kiln_pixel load_packed(enum kiln_channel_type type, const void *at) {
  uint32_t all = 0;
  memcpy(&all, at, types[type].bytes);
  union kiln_pixel out = {.f = {0, 0, 0, 1}};
  for (int c = 0; c < 3; c++) {
    uint32_t most = (1u << packed_bits(type)[c]) - 1;
    out.f[2 - c] = (float)(all & most) * (1 / (float)most);
    all >>= packed_bits(type)[c];
  }
  return out;
}

static void store_packed(enum kiln_channel_type type, void *at, const union kiln_pixel *pixel) {
  uint32_t all = 0;
  unsigned place = 0;
  for (int c = 0; c < 3; c++) {
    float most = (float)((1u << packed_bits(type)[c]) - 1);
    all |= (uint32_t)clamp_to(pixel->f[2 - c] * most, 0, most) << place;
    place += packed_bits(type)[c];
  }
  memcpy(at, &all, types[type].bytes);
}

static unsigned component(char letter) { return letter == 'w' ? 3 : (unsigned)(letter - 'x'); }

static union kiln_pixel without_colour(struct kiln_image_format format) {
  enum kiln_channel_kind kind = kiln_pixel_kind(format);
  union kiln_pixel out = {{0}};
  if (kind == KILN_SINT || kind == KILN_UINT)
    out.u[3] = 1;
  else
    out.f[3] = 1;
  return out;
}

static bool has_component(struct kiln_image_format format, unsigned c) {
  const char *stored = orders[format.order].stored;
  return strchr(stored, "xyzw"[c]) || (c < 3 && *stored == '*');
}

union kiln_pixel kiln_pixel_load(struct kiln_image_format format, const void *at) {
  if (kiln_pixel_kind(format) == KILN_PACKED)
    return load_packed(format.type, at);
  union kiln_pixel out = without_colour(format);
  const char *stored = orders[format.order].stored;
  bool is_grey = *stored == '*';
  for (unsigned k = 0; k < orders[format.order].channels; k++) {
    const unsigned char *channel = (const unsigned char *)at + k * types[format.type].bytes;
    union kiln_pixel value = load_channel(format.type, channel);
    if (is_srgb(format) && stored[k] != 'w')
      value.f[0] = srgb_to_linear(*channel);
    for (const char *c = is_grey ? "xyz" : ""; *c; c++)
      out.u[component(*c)] = value.u[0];
    if (!is_grey || stored[1])
      out.u[component(stored[k + is_grey])] = value.u[0];
  }
  return out;
}

void kiln_pixel_store(struct kiln_image_format format, void *at, const union kiln_pixel *pixel) {
  if (kiln_pixel_kind(format) == KILN_PACKED) {
    store_packed(format.type, at, pixel);
    return;
  }
  const char *stored = orders[format.order].stored;
  for (unsigned k = 0; k < orders[format.order].channels; k++) {
    union kiln_pixel value = {.u = {pixel->u[*stored == '*' ? 0 : component(stored[k])]}};
    if (is_srgb(format) && stored[k] != 'w')
      value.f[0] = linear_to_srgb(value.f[0]);
    store_channel(format.type, (char *)at + k * types[format.type].bytes, value);
  }
}

// ---- sampling ------------------------------------------------------------------------------------------------------

const unsigned char *kiln_pixels_address(const struct kiln_pixels *image, const int32_t *at) {
  const unsigned char *p = image->base;
  for (unsigned d = 0; d < image->dims; d++)
    p += (uint64_t)at[d] * image->pitch[d];
  if (image->layers)
    p += (uint64_t)at[image->dims] * image->layer_pitch;
  return p;
}

union kiln_pixel kiln_pixels_at(const struct kiln_pixels *image, const int32_t *at) {
  return kiln_pixel_load(image->format, kiln_pixels_address(image, at));
}

static bool is_inside(const struct kiln_pixels *image, const int32_t *at) {
  bool inside = true;
  for (unsigned d = 0; d < image->dims; d++)
    inside &= at[d] >= 0 && at[d] < image->size[d];
  return inside;
}

bool kiln_pixels_hold(const struct kiln_pixels *image, const int32_t *at) {
  return is_inside(image, at) && (!image->layers || (at[image->dims] >= 0 && at[image->dims] < image->layers));
}

static union kiln_pixel at_or_border(const struct kiln_pixels *image, const int32_t *at) {
  if (is_inside(image, at))
    return kiln_pixels_at(image, at);
  return orders[image->format.order].alpha ? (union kiln_pixel){{0}} : without_colour(image->format);
}

// Beyond any image, and still so after one is added. NaN becomes the lowest.
static int32_t to_int(float value) { return (int32_t)fminf(fmaxf(value, -1e9f), 1e9f); }

static int32_t clamp_index(int32_t i, int32_t size, uint32_t mode) {
  if (mode == KILN_SAMPLER_CLAMP_TO_EDGE)
    return i < 0 ? 0 : i >= size ? size - 1 : i;
  return i;
}

// The position in one dimension, in pixels, before it is rounded down.
static float position(float s, int32_t size, uint32_t sampler) {
  uint32_t mode = sampler & KILN_SAMPLER_ADDRESS;
  if (!(sampler & KILN_SAMPLER_NORMALIZED))
    return s;
  if (mode == KILN_SAMPLER_REPEAT)
    return (s - floorf(s)) * (float)size;
  if (mode == KILN_SAMPLER_MIRRORED_REPEAT)
    return fabsf(s - 2 * rintf(0.5f * s)) * (float)size;
  return s * (float)size;
}

// The pixel at a position that is rounded down. Where images repeat, there is none beyond the neighbours of the edges.
static int32_t index_at(float below, int32_t size, uint32_t mode) {
  if (mode != KILN_SAMPLER_REPEAT && mode != KILN_SAMPLER_MIRRORED_REPEAT)
    return clamp_index(to_int(below), size, mode);
  int32_t i = to_int(fminf(fmaxf(below, -1), (float)size));
  if (mode == KILN_SAMPLER_REPEAT)
    return i < 0 ? i + size : i >= size ? i - size : i;
  return clamp_index(i, size, KILN_SAMPLER_CLAMP_TO_EDGE);
}

// The two pixels around a position; returns the share of the second.
static float around(float u, int32_t size, uint32_t mode, int32_t out[2]) {
  float below = floorf(u - 0.5f);
  out[0] = index_at(below, size, mode);
  out[1] = index_at(below + 1, size, mode);
  return u - 0.5f - below;
}

static int32_t layer_of(const struct kiln_pixels *image, float layer) {
  return image->layers ? clamp_index(to_int(rintf(layer)), image->layers, KILN_SAMPLER_CLAMP_TO_EDGE) : 0;
}

int32_t kiln_pixels_place(const struct kiln_pixels *image, uint32_t sampler, unsigned dimension, float at) {
  if (dimension == image->dims)
    return to_int(rintf(at));
  return to_int(floorf(position(at, image->size[dimension], sampler)));
}

union kiln_pixel kiln_pixels_fetch(const struct kiln_pixels *image, uint32_t sampler, const int32_t *at, bool *inside) {
  int32_t pixel[4] = {0};
  for (unsigned d = 0; d < image->dims; d++)
    pixel[d] = clamp_index(at[d], image->size[d], sampler & KILN_SAMPLER_ADDRESS);
  if (image->layers)
    pixel[image->dims] = clamp_index(at[image->dims], image->layers, KILN_SAMPLER_CLAMP_TO_EDGE);
  *inside = is_inside(image, pixel);
  return at_or_border(image, pixel);
}

// Components that the format lacks are not filtered: these are 0 or 1 whatever the coordinates.
union kiln_pixel kiln_pixels_sample(const struct kiln_pixels *image, uint32_t sampler, const float *at, bool *inside) {
  uint32_t mode = sampler & KILN_SAMPLER_ADDRESS;
  bool linear = sampler & KILN_SAMPLER_LINEAR;
  unsigned dims = image->dims, corners = linear ? 1u << dims : 1;
  int32_t index[3][2] = {{0}};
  float share[3] = {0};
  for (unsigned d = 0; d < dims; d++) {
    float u = position(at[d], image->size[d], sampler);
    if (linear)
      share[d] = around(u, image->size[d], mode, index[d]);
    else
      index[d][0] = index_at(floorf(u), image->size[d], mode);
  }
  union kiln_pixel sum = {{0}};
  *inside = true;
  for (unsigned k = 0; k < corners; k++) {
    int32_t pixel[4] = {0};
    float weight = 1;
    for (unsigned d = 0; d < dims; d++) {
      pixel[d] = index[d][k >> d & 1];
      weight *= k >> d & 1 ? share[d] : 1 - share[d];
    }
    pixel[dims] = image->layers ? layer_of(image, at[dims]) : 0;
    *inside &= is_inside(image, pixel);
    union kiln_pixel value = at_or_border(image, pixel);
    if (!linear)
      return value;
    for (unsigned c = 0; c < 4; c++)
      sum.f[c] += weight * value.f[c];
  }
  for (unsigned c = 0; c < 4; c++)
    if (!has_component(image->format, c))
      sum.f[c] = without_colour(image->format).f[c];
  return sum;
}
