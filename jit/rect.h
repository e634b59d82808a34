// Boxes of bytes as commands, of buffers, of memory of the host and of images.
#ifndef KILN_JIT_RECT_H
#define KILN_JIT_RECT_H

#include "jit/stream.h"

struct kiln_box_side {
  struct kiln_buffer *buffer; // NULL: memory of the host, or an image
  const unsigned char *host;
  struct kiln_layout layout; // without zeros
  struct kiln_buffer *image; // of the device: kiln_image.pixels; NULL: buffer or host has the bytes
  size_t origin[3];          // of the image: the first pixel
};

struct kiln_box {
  const char *call; // for messages
  enum kiln_command_kind kind;
  struct kiln_box_side src, dst; // buffer, host or image and origin are set, the rest is filled in
  size_t region[3];
  size_t pixel_size;             // bytes, where a side is an image
  const union kiln_pixel *pixel; // of a fill of an image
  const void *pattern;           // of a fill, whose src is as its dst; NULL: it is a copy
  size_t pattern_size;
};

// Checks the box and enqueues it. from, to: the layouts of src and dst, NULL: without gaps.
enum kiln_status kiln_box_run(struct kiln_stream *stream, struct kiln_box *box, const struct kiln_layout *from,
                              const struct kiln_layout *to, const size_t region[3], struct kiln_event **event);
// Fills a box of dst with the pattern, as kiln_fill does. Rows and pitches are multiples of it.
enum kiln_status kiln_box_fill(struct kiln_stream *stream, struct kiln_box *box, const struct kiln_layout *to,
                               const size_t region[3], struct kiln_event **event);

#endif
