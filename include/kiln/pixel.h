// What the bytes of a pixel mean, and which pixels a sampler reads: section 8 of the OpenCL C specification as plain
// loops. It is the definition that compiled kernels are compared with, not the way they read images.
// For backends that run operations on images as they are. The caller rounds to nearest even, and keeps subnormals.
#ifndef KILN_PIXEL_H
#define KILN_PIXEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

enum kiln_channel_kind { KILN_UNORM, KILN_SNORM, KILN_PACKED, KILN_SINT, KILN_UINT, KILN_FLOAT };

// Whether there are such an order and type, and they go together: RGB with packed types alone, and these with it;
// INTENSITY, LUMINANCE and RA with no integers; BGRA, ARGB and ABGR with types of 8 bits; sRGB with UNORM8; DEPTH with
// UNORM16 and F32. The functions below are for such formats, but for kiln_pixel_format_text.
KILN_API bool kiln_pixel_is_format(struct kiln_image_format format);
KILN_API unsigned kiln_pixel_bytes(struct kiln_image_format format);
KILN_API enum kiln_channel_kind kiln_pixel_kind(struct kiln_image_format format);
// The numbers that kernels know order and type by, and the way back: false where there is no such format.
KILN_API int32_t kiln_pixel_order_number(struct kiln_image_format format);
KILN_API int32_t kiln_pixel_type_number(struct kiln_image_format format);
KILN_API bool kiln_pixel_format_of(int32_t order, int32_t type, struct kiln_image_format *out);
// Writes "rgba:unorm8", or "no format" where kiln_pixel_is_format is false; 24 bytes suffice.
KILN_API void kiln_pixel_format_text(struct kiln_image_format format, char *out, size_t size);

// Components that the format has not are 0, and w is 1.
KILN_API union kiln_pixel kiln_pixel_load(struct kiln_image_format format, const void *at);
// Floats are rounded to nearest even; what is out of range becomes the nearest value, NaN becomes 0 (where the type is
// not a float). The components of sRGB are taken as linear, as those are that a load gives; kernels do not write to it.
KILN_API void kiln_pixel_store(struct kiln_image_format format, void *at, const union kiln_pixel *pixel);

struct kiln_pixels {
  struct kiln_image_format format;
  const unsigned char *base;
  int32_t size[3];   // pixels in each dimension; 1 for a dimension that the image does not have
  uint64_t pitch[3]; // bytes from a pixel to the next in each dimension
  unsigned dims;     // 1 to 3 that a sampler addresses
  int32_t layers;    // how many layers an array has; 0 for an image that is no array
  uint64_t layer_pitch;
};

// Whether the pixel lies in the image, the layer included, and where it is.
KILN_API bool kiln_pixels_hold(const struct kiln_pixels *image, const int32_t *at);
KILN_API const unsigned char *kiln_pixels_address(const struct kiln_pixels *image, const int32_t *at);
// The pixel that a coordinate of one dimension stands for, or the layer; it may lie outside.
KILN_API int32_t kiln_pixels_place(const struct kiln_pixels *image, uint32_t sampler, unsigned dimension, float at);
// One pixel of an image. at: as many coordinates as dims, then the layer of an array.
KILN_API union kiln_pixel kiln_pixels_at(const struct kiln_pixels *image, const int32_t *at);
// As with integer coordinates and an unnormalised sampler that takes the nearest pixel. inside: whether all pixels that
// count lie in the image; where there is no mode of addressing and it does not, the result is a border.
KILN_API union kiln_pixel kiln_pixels_fetch(const struct kiln_pixels *image, uint32_t sampler, const int32_t *at,
                                            bool *inside);
KILN_API union kiln_pixel kiln_pixels_sample(const struct kiln_pixels *image, uint32_t sampler, const float *at,
                                             bool *inside);

#ifdef __cplusplus
}
#endif

#endif
