// Images as the parts of the library see them: a part of a buffer, and what kernels are told of it.
#ifndef KILN_JIT_IMAGE_H
#define KILN_JIT_IMAGE_H

#include "jit/stream.h"

struct kiln_image {
  _Atomic uint32_t refs;
  struct kiln_buffer *buffer;  // NULL: it is in pixels alone
  struct kiln_buffer *pixels;  // an image of the device, which only kernels and image commands take; NULL: none
  uint8_t accesses;            // of it: a bit for each enum kiln_access that kernels can have
  size_t offset, bytes;        // in the buffer: from the first byte of the first pixel to the last of the last one
  struct kiln_image_desc desc; // as kiln_image_info tells it
  struct kiln_image_record record;
};

// "2D array"; "unknown" for a number that stands for no dimension.
const char *kiln_image_dimension_name(enum kiln_image_dimension dimension);
// Whether kernels may write to images of the format.
bool kiln_image_is_writable(struct kiln_image_format format);

// image_device.c: images of the device. Whether the context has these.
bool kiln_device_images(const struct kiln_context *ctx);
// Fills in accesses. UNSUPPORTED names format and device where kernels have no such images there.
enum kiln_status kiln_device_image_check(struct kiln_context *ctx, const struct kiln_image_desc *desc, uint32_t device,
                                         uint8_t *accesses);
// bytes: that it takes at the least. buffer NULL: new memory, with desc->host as its content; else an image of the
// bytes from desc->offset on.
enum kiln_status kiln_device_image_new(struct kiln_context *ctx, const struct kiln_image_desc *desc, size_t bytes,
                                       struct kiln_buffer *buffer, struct kiln_buffer **out);

#endif
