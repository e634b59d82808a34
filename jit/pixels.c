// Commands on regions of images, which are boxes of bytes of their buffers.
#include <stdio.h>

#include "base/floats.h"
#include "jit/image.h"
#include "jit/rect.h"
#include "kiln/pixel.h"

// A region of an image as a box of its buffer.
struct place {
  size_t size[3];   // pixels
  size_t region[3]; // bytes in a row, rows, planes
  struct kiln_layout layout;
  size_t origin[3];
};

static bool is_array_of_rows(const struct kiln_image *image) { return image->desc.dimension == KILN_IMAGE_1D_ARRAY; }

// "16 x 9 pixels"
static void sizes_text(const size_t sizes[3], unsigned coordinates, char *out, size_t size) {
  size_t used = 0;
  for (unsigned d = 0; d < coordinates && used < size; d++)
    used += (size_t)snprintf(out + used, size - used, "%s%zu", d ? " x " : "", sizes[d]);
}

// The place of a region. role: what the caller knows the image by.
static enum kiln_status place_of(const char *call, const char *role, const struct kiln_image *image,
                                 const struct kiln_image_region *region, struct place *out) {
  const struct kiln_image_desc *desc = &image->desc;
  bool has_planes = desc->dimension == KILN_IMAGE_3D || desc->dimension == KILN_IMAGE_2D_ARRAY ||
                    desc->dimension == KILN_IMAGE_2D_ARRAY_DEPTH;
  unsigned coordinates = has_planes ? 3 : is_array_of_rows(image) || desc->dimension >= KILN_IMAGE_2D ? 2 : 1;
  const size_t sizes[3] = {desc->width, is_array_of_rows(image) ? desc->layers : desc->height,
                           (size_t)desc->depth * (has_planes ? desc->layers : 1)};
  struct kiln_image_region all = {.size = {sizes[0], sizes[1], sizes[2]}}, box = region ? *region : all;
  for (unsigned d = 0; d < 3; d++) {
    if (d >= coordinates && box.size[d] == 0)
      box.size[d] = 1;
    if (box.origin[d] <= sizes[d] && box.size[d] <= sizes[d] - box.origin[d])
      continue;
    char text[80];
    sizes_text(sizes, coordinates, text, sizeof text);
    return kiln_error_because(
        KILN_ERR_INVALID, KILN_REASON_RANGE, d, "%s: %zu pixels from %zu on in %c do not fit into %s, a %s image of %s",
        call, box.size[d], box.origin[d], "xyz"[d], role, kiln_image_dimension_name(desc->dimension), text);
  }
  size_t pixel = kiln_pixel_bytes(desc->format), row = is_array_of_rows(image) ? desc->slice : desc->row;
  *out = (struct place){
      .size = {box.size[0], box.size[1], box.size[2]},
      .region = {box.size[0] * pixel, box.size[1], box.size[2]},
      .layout = {.offset = image->offset + box.origin[0] * pixel + box.origin[1] * row + box.origin[2] * desc->slice,
                 .row = row,
                 .plane = has_planes ? desc->slice : row * sizes[1]},
      .origin = {box.origin[0], box.origin[1], box.origin[2]},
  };
  return KILN_OK;
}

// The image as a side of the box: a part of its buffer, or, where it has none, pixels of the device's image.
static void set_side(struct kiln_box *box, struct kiln_box_side *side, const struct kiln_image *image,
                     const struct place *place) {
  side->buffer = image->buffer;
  if (image->buffer)
    return;
  side->image = image->pixels;
  for (int d = 0; d < 3; d++)
    side->origin[d] = place->origin[d];
  box->pixel_size = kiln_pixel_bytes(image->desc.format);
}

static enum kiln_status check_null(const char *call, const char *what) {
  return kiln_error(KILN_ERR_INVALID, "%s: %s is NULL", call, what);
}

// Runs the box whose source the caller has set, to the region of the image.
static enum kiln_status run_to_image(struct kiln_stream *stream, struct kiln_box *box, struct kiln_image *dst,
                                     const struct kiln_image_region *region, const struct kiln_layout *from,
                                     struct kiln_event **event) {
  struct place place;
  enum kiln_status status = dst ? place_of(box->call, "dst", dst, region, &place) : check_null(box->call, "dst");
  if (status != KILN_OK)
    return status;
  set_side(box, &box->dst, dst, &place);
  return kiln_box_run(stream, box, from, &place.layout, place.region, event);
}

// The same from the region of the image, to what the caller has set.
static enum kiln_status run_from_image(struct kiln_stream *stream, struct kiln_box *box, struct kiln_image *src,
                                       const struct kiln_image_region *region, const struct kiln_layout *to,
                                       struct kiln_event **event) {
  struct place place;
  enum kiln_status status = src ? place_of(box->call, "src", src, region, &place) : check_null(box->call, "src");
  if (status != KILN_OK)
    return status;
  set_side(box, &box->src, src, &place);
  return kiln_box_run(stream, box, &place.layout, to, place.region, event);
}

enum kiln_status kiln_image_write(struct kiln_stream *stream, struct kiln_image *dst,
                                  const struct kiln_image_region *region, const void *src,
                                  const struct kiln_layout *from, struct kiln_event **event) {
  struct kiln_box box = {.call = "kiln_image_write", .kind = KILN_COMMAND_WRITE, .src.host = src};
  return run_to_image(stream, &box, dst, region, from, event);
}

enum kiln_status kiln_image_read(struct kiln_stream *stream, struct kiln_image *src,
                                 const struct kiln_image_region *region, void *dst, const struct kiln_layout *to,
                                 struct kiln_event **event) {
  struct kiln_box box = {.call = "kiln_image_read", .kind = KILN_COMMAND_READ, .dst.host = dst};
  return run_from_image(stream, &box, src, region, to, event);
}

enum kiln_status kiln_image_from_buffer(struct kiln_stream *stream, struct kiln_image *dst,
                                        const struct kiln_image_region *region, struct kiln_buffer *src,
                                        const struct kiln_layout *from, struct kiln_event **event) {
  struct kiln_box box = {.call = "kiln_image_from_buffer", .kind = KILN_COMMAND_COPY, .src.buffer = src};
  return run_to_image(stream, &box, dst, region, from, event);
}

enum kiln_status kiln_image_to_buffer(struct kiln_stream *stream, struct kiln_image *src,
                                      const struct kiln_image_region *region, struct kiln_buffer *dst,
                                      const struct kiln_layout *to, struct kiln_event **event) {
  struct kiln_box box = {.call = "kiln_image_to_buffer", .kind = KILN_COMMAND_COPY, .dst.buffer = dst};
  return run_from_image(stream, &box, src, region, to, event);
}

enum kiln_status kiln_image_copy(struct kiln_stream *stream, struct kiln_image *src,
                                 const struct kiln_image_region *region, struct kiln_image *dst, const size_t at[3],
                                 struct kiln_event **event) {
  struct place from, to;
  struct kiln_box box = {.call = "kiln_image_copy", .kind = KILN_COMMAND_COPY};
  if (!src || !dst)
    return check_null(box.call, src ? "dst" : "src");
  if (src->desc.format.order != dst->desc.format.order || src->desc.format.type != dst->desc.format.type) {
    char of_src[24], of_dst[24];
    kiln_pixel_format_text(src->desc.format, of_src, sizeof of_src);
    kiln_pixel_format_text(dst->desc.format, of_dst, sizeof of_dst);
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_FORMAT, 0, "%s: src is of format %s, and dst of %s",
                              box.call, of_src, of_dst);
  }
  enum kiln_status status = place_of(box.call, "src", src, region, &from);
  if (status != KILN_OK)
    return status;
  struct kiln_image_region target = {.size = {from.size[0], from.size[1], from.size[2]}};
  for (int d = 0; d < 3; d++)
    target.origin[d] = at ? at[d] : 0;
  status = place_of(box.call, "dst", dst, &target, &to);
  if (status != KILN_OK)
    return status;
  set_side(&box, &box.src, src, &from);
  set_side(&box, &box.dst, dst, &to);
  return kiln_box_run(stream, &box, &from.layout, &to.layout, from.region, event);
}

enum kiln_status kiln_image_fill(struct kiln_stream *stream, struct kiln_image *dst,
                                 const struct kiln_image_region *region, const union kiln_pixel *pixel,
                                 struct kiln_event **event) {
  struct place place;
  unsigned char bytes[16];
  struct kiln_box box = {.call = "kiln_image_fill", .kind = KILN_COMMAND_FILL, .pattern = bytes};
  if (!stream || !dst || !pixel)
    return check_null(box.call, !stream ? "stream" : !dst ? "dst" : "pixel");
  enum kiln_status status = place_of(box.call, "dst", dst, region, &place);
  if (status != KILN_OK)
    return status;
  struct kiln_floats floats = kiln_floats_enter();
  kiln_pixel_store(dst->desc.format, bytes, pixel);
  kiln_floats_leave(floats);
  set_side(&box, &box.dst, dst, &place);
  box.pixel = pixel;
  box.pattern_size = kiln_pixel_bytes(dst->desc.format);
  return kiln_box_fill(stream, &box, &place.layout, place.region, event);
}
