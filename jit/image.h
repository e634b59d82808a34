// Images as the parts of the library see them: a part of a buffer, and what kernels are told of it.
#ifndef KILN_JIT_IMAGE_H
#define KILN_JIT_IMAGE_H

#include "jit/stream.h"

struct kiln_image {
  _Atomic uint32_t refs;
  struct kiln_buffer *buffer;
  size_t offset, bytes;        // in the buffer: from the first byte of the first pixel to the last of the last one
  struct kiln_image_desc desc; // as kiln_image_info tells it
  struct kiln_image_record record;
};

// "2D array"; "unknown" for a number that stands for no dimension.
const char *kiln_image_dimension_name(enum kiln_image_dimension dimension);
// Whether kernels may write to images of the format.
bool kiln_image_is_writable(struct kiln_image_format format);

#endif
