// What the bytes of a pixel mean, and which pixels a sampler reads: section 8 of the OpenCL C specification as plain
// loops. It is the definition that compiled kernels are compared with, not the way they read images.
// The caller is in the floating-point state of kiln_floats_enter.
#ifndef KILN_JIT_IR_PIXEL_H
#define KILN_JIT_IR_PIXEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kiln_channel_order {
#define KILN_CHANNEL_ORDER(NAME, text, channels, stored, alpha) KILN_ORDER_##NAME,
#include "jit/ir/pixel.def"
};
enum kiln_channel_type {
#define KILN_CHANNEL_TYPE(NAME, text, bytes, kind) KILN_CHANNEL_##NAME,
#include "jit/ir/pixel.def"
};
enum kiln_channel_kind { KILN_UNORM, KILN_SNORM, KILN_PACKED, KILN_SINT, KILN_UINT, KILN_FLOAT };

struct kiln_pixel_format {
  enum kiln_channel_order order;
  enum kiln_channel_type type;
};

// Whether the two go together: RGB with packed types alone, and these with it; INTENSITY, LUMINANCE and RA with no
// integers; BGRA, ARGB and ABGR with types of 8 bits; sRGB with UNORM8; DEPTH with UNORM16 and F32.
bool kiln_pixel_is_format(struct kiln_pixel_format format);
unsigned kiln_pixel_bytes(struct kiln_pixel_format format);
enum kiln_channel_kind kiln_pixel_kind(struct kiln_pixel_format format);
// Writes "rgba:unorm8"; 24 bytes suffice.
void kiln_pixel_format_text(struct kiln_pixel_format format, char *out, size_t size);

// The components x, y, z, w: floats of a format that is read as such, else integers.
union kiln_pixel {
  float f[4];
  int32_t i[4];
  uint32_t u[4];
};

// Components that the format has not are 0, and w is 1.
union kiln_pixel kiln_pixel_load(struct kiln_pixel_format format, const void *at);
// Floats are rounded to nearest even; what is out of range becomes the nearest value, NaN becomes 0 (where the type is
// not a float). Writes to sRGB are not defined, and store as UNORM8 does.
void kiln_pixel_store(struct kiln_pixel_format format, void *at, const union kiln_pixel *pixel);

// The bits of a sampler, as CLK_… in kernels.
enum kiln_sampler {
  KILN_SAMPLER_NORMALIZED = 1,
  KILN_SAMPLER_CLAMP_TO_EDGE = 2,
  KILN_SAMPLER_CLAMP = 4, // to the border
  KILN_SAMPLER_REPEAT = 6,
  KILN_SAMPLER_MIRRORED_REPEAT = 8,
  KILN_SAMPLER_ADDRESS = 14, // mask; 0: no mode
  KILN_SAMPLER_NEAREST = 16,
  KILN_SAMPLER_LINEAR = 32,
};

struct kiln_pixels {
  struct kiln_pixel_format format;
  const unsigned char *base;
  int32_t size[3];   // pixels in each dimension; 1 for a dimension that the image does not have
  uint64_t pitch[3]; // bytes from a pixel to the next in each dimension
  unsigned dims;     // 1 to 3 that a sampler addresses
  int32_t layers;    // how many layers an array has; 0 for an image that is no array
  uint64_t layer_pitch;
};

// One pixel of an image. at: as many coordinates as dims, then the layer of an array.
union kiln_pixel kiln_pixels_at(const struct kiln_pixels *image, const int32_t *at);
// As with integer coordinates and an unnormalised sampler that takes the nearest pixel. inside: whether all pixels that
// count lie in the image; where there is no mode of addressing and it does not, the result is a border.
union kiln_pixel kiln_pixels_fetch(const struct kiln_pixels *image, uint32_t sampler, const int32_t *at, bool *inside);
union kiln_pixel kiln_pixels_sample(const struct kiln_pixels *image, uint32_t sampler, const float *at, bool *inside);

#endif
