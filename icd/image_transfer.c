// Commands on boxes of images: read, write, copy, fill, copies from and to buffers. map.c has the mappings.
#include <string.h>

#include "icd/icd.h"

// One struct for all of them; each uses what it needs.
struct pixels {
  struct icd_command command;
  cl_mem image, other; // other: the buffer, or the image that a copy goes to
  struct kiln_image_region box;
  size_t at[3];              // in the image that a copy goes to
  struct kiln_layout layout; // of the host's memory or the buffer
  unsigned char *host;
  union kiln_pixel color;
};

static bool keep(struct icd_command *copy) {
  struct pixels *p = (struct pixels *)copy;
  icd_retain(p->image);
  if (p->other)
    icd_retain(p->other);
  return true;
}

static void drop(struct icd_command *copy) {
  struct pixels *p = (struct pixels *)copy;
  icd_mem_release(p->image);
  if (p->other)
    icd_mem_release(p->other);
}

static void use(const struct icd_command *command, const struct _cl_command_queue *queue) {
  const struct pixels *p = (const struct pixels *)command;
  icd_mem_note(p->image, queue);
  if (p->other)
    icd_mem_note(p->other, queue);
}

#define PIXELS_OPS(fn)                                                                                                 \
  { .size = sizeof(struct pixels), .run = fn, .keep = keep, .drop = drop, .use = use }

// ---- checks

static cl_int check_image(cl_command_queue queue, cl_mem mem) {
  if (!icd_is_image(mem))
    return CL_INVALID_MEM_OBJECT;
  cl_int status = icd_check_mem(queue, mem);
  if (status != CL_SUCCESS)
    return status;
  return icd_image_use(mem, queue) ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

static cl_int check_box(cl_mem mem, const size_t *origin, const size_t *region, struct kiln_image_region *out) {
  struct icd_box box;
  cl_int status = icd_image_box(mem->image, origin, region, &box);
  for (int d = 0; status == CL_SUCCESS && d < 3; d++) {
    out->origin[d] = box.origin[d];
    out->size[d] = box.size[d];
  }
  return status;
}

// Kiln knows only of buffers that overlap.
static cl_int copy_error(enum kiln_status status) {
  return status == KILN_ERR_INVALID && kiln_last_reason(NULL) == KILN_REASON_OVERLAP ? CL_MEM_COPY_OVERLAP
                                                                                     : icd_error(status);
}

// ---- read, write

static enum kiln_status move(const struct pixels *p, cl_command_queue queue, const struct kiln_image_region *box,
                             const struct kiln_layout *layout, struct kiln_event **event) {
  struct kiln_image *image = icd_image_use(p->image, queue);
  struct kiln_stream *stream = queue->lane->stream;
  return p->command.type == CL_COMMAND_READ_IMAGE ? kiln_image_read(stream, image, box, p->host, layout, event)
                                                  : kiln_image_write(stream, image, box, p->host, layout, event);
}

// The host's planes may lie anyhow; Kiln's are whole rows apart. Those of others are moved one by one.
static cl_int run_move(const struct icd_command *command, cl_command_queue queue, struct kiln_event **event) {
  const struct pixels *p = (const struct pixels *)command;
  size_t row = p->layout.row, plane = p->layout.plane;
  if (!plane || plane % row == 0)
    return icd_error(move(p, queue, &p->box, &p->layout, event));
  enum kiln_status status = KILN_OK;
  for (size_t z = 0; z < p->box.size[2] && status == KILN_OK; z++) {
    struct kiln_image_region box = p->box;
    box.origin[2] += z;
    box.size[2] = 1;
    const struct kiln_layout layout = {.offset = z * plane, .row = row};
    status = move(p, queue, &box, &layout, z + 1 == p->box.size[2] ? event : NULL);
  }
  return icd_error(status);
}

static const struct icd_command_ops move_ops = PIXELS_OPS(run_move);

// The host's memory, by the pitches of a call.
static cl_int settle_layout(const struct icd_image *image, const size_t size[3], size_t row, size_t slice,
                            struct kiln_layout *out) {
  bool is_array_of_rows = image->desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  size_t line = size[0] * image->pixel, plane;
  row = row ? row : line;
  if (row < line || __builtin_mul_overflow(row, is_array_of_rows ? 1 : size[1], &plane))
    return CL_INVALID_VALUE;
  if (slice && (!icd_image_has_slices(image) || slice < plane))
    return CL_INVALID_VALUE;
  slice = slice ? slice : plane;
  *out = is_array_of_rows ? (struct kiln_layout){.row = slice} : (struct kiln_layout){.row = row, .plane = slice};
  return CL_SUCCESS;
}

static cl_int read_or_write(cl_command_queue queue, cl_command_type type, cl_mem mem, cl_bool blocking,
                            const size_t *origin, const size_t *region, size_t row, size_t slice, void *host,
                            const struct icd_wait_list *list) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  struct pixels p = {.command = {&move_ops, type}, .image = mem, .host = host};
  cl_int status = check_image(queue, mem);
  if (status == CL_SUCCESS)
    status = host ? check_box(mem, origin, region, &p.box) : CL_INVALID_VALUE;
  if (status == CL_SUCCESS)
    status = settle_layout(mem->image, p.box.size, row, slice, &p.layout);
  if (status == CL_SUCCESS)
    status = icd_check_host(mem, type == CL_COMMAND_READ_IMAGE ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY);
  return status == CL_SUCCESS ? icd_enqueue(queue, &p.command, list, blocking) : status;
}

cl_int clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
                          const size_t *region, size_t row_pitch, size_t slice_pitch, void *host, cl_uint count,
                          const cl_event *events, cl_event *event) {
  return read_or_write(queue, CL_COMMAND_READ_IMAGE, image, blocking, origin, region, row_pitch, slice_pitch, host,
                       &(struct icd_wait_list){count, events, event});
}

cl_int clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
                           const size_t *region, size_t row_pitch, size_t slice_pitch, const void *host, cl_uint count,
                           const cl_event *events, cl_event *event) {
  return read_or_write(queue, CL_COMMAND_WRITE_IMAGE, image, blocking, origin, region, row_pitch, slice_pitch,
                       (void *)host, &(struct icd_wait_list){count, events, event});
}

// ---- fill, copy

static cl_int run_fill(const struct icd_command *command, cl_command_queue queue, struct kiln_event **event) {
  const struct pixels *p = (const struct pixels *)command;
  return icd_error(kiln_image_fill(queue->lane->stream, icd_image_use(p->image, queue), &p->box, &p->color, event));
}

static const struct icd_command_ops fill_ops = PIXELS_OPS(run_fill);

cl_int clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *color, const size_t *origin,
                          const size_t *region, cl_uint count, const cl_event *events, cl_event *event) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  struct pixels p = {.command = {&fill_ops, CL_COMMAND_FILL_IMAGE}, .image = image};
  cl_int status = check_image(queue, image);
  if (status == CL_SUCCESS)
    status = color ? check_box(image, origin, region, &p.box) : CL_INVALID_VALUE;
  if (status != CL_SUCCESS)
    return status;
  bool is_depth = image->image->format.image_channel_order == CL_DEPTH; // then the color is one number
  memcpy(&p.color, color, is_depth ? sizeof p.color.f[0] : sizeof p.color);
  return icd_enqueue(queue, &p.command, &(struct icd_wait_list){count, events, event}, false);
}

static cl_int run_copy(const struct icd_command *command, cl_command_queue queue, struct kiln_event **event) {
  const struct pixels *p = (const struct pixels *)command;
  return copy_error(kiln_image_copy(queue->lane->stream, icd_image_use(p->image, queue), &p->box,
                                    icd_image_use(p->other, queue), p->at, event));
}

static const struct icd_command_ops copy_ops = PIXELS_OPS(run_copy);

static bool same_format(const cl_image_format *a, const cl_image_format *b) {
  return a->image_channel_order == b->image_channel_order && a->image_channel_data_type == b->image_channel_data_type;
}

cl_int clEnqueueCopyImage(cl_command_queue queue, cl_mem src, cl_mem dst, const size_t *src_origin,
                          const size_t *dst_origin, const size_t *region, cl_uint count, const cl_event *events,
                          cl_event *event) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  cl_int status = check_image(queue, src);
  if (status == CL_SUCCESS)
    status = check_image(queue, dst);
  if (status != CL_SUCCESS)
    return status;
  if (!same_format(&src->image->format, &dst->image->format))
    return CL_IMAGE_FORMAT_MISMATCH;
  struct icd_box from, to;
  status = icd_image_box(src->image, src_origin, region, &from);
  if (status == CL_SUCCESS)
    status = icd_image_box(dst->image, dst_origin, region, &to);
  if (status == CL_SUCCESS && src == dst && icd_boxes_overlap(&from, &to))
    status = CL_MEM_COPY_OVERLAP;
  if (status != CL_SUCCESS)
    return status;
  struct pixels p = {.command = {&copy_ops, CL_COMMAND_COPY_IMAGE}, .image = src, .other = dst};
  memcpy(p.box.origin, from.origin, sizeof from.origin);
  memcpy(p.box.size, from.size, sizeof from.size);
  memcpy(p.at, to.origin, sizeof to.origin);
  return icd_enqueue(queue, &p.command, &(struct icd_wait_list){count, events, event}, false);
}

// ---- from and to buffers, where pixels lie without gaps

static cl_int run_buffer_copy(const struct icd_command *command, cl_command_queue queue, struct kiln_event **event) {
  const struct pixels *p = (const struct pixels *)command;
  struct kiln_stream *stream = queue->lane->stream;
  struct kiln_image *image = icd_image_use(p->image, queue);
  struct kiln_buffer *buffer = icd_mem_use(p->other, queue);
  return copy_error(command->type == CL_COMMAND_COPY_IMAGE_TO_BUFFER
                        ? kiln_image_to_buffer(stream, image, &p->box, buffer, &p->layout, event)
                        : kiln_image_from_buffer(stream, image, &p->box, buffer, &p->layout, event));
}

static const struct icd_command_ops buffer_copy_ops = PIXELS_OPS(run_buffer_copy);

static cl_int buffer_copy(cl_command_queue queue, cl_command_type type, cl_mem image, cl_mem buffer,
                          const size_t *origin, const size_t *region, size_t offset, const struct icd_wait_list *list) {
  struct pixels p = {
      .command = {&buffer_copy_ops, type}, .image = image, .other = buffer, .layout = {.offset = offset}};
  cl_int status = check_image(queue, image);
  if (status == CL_SUCCESS)
    status = icd_check_buffer(queue, buffer);
  if (status == CL_SUCCESS && image->image->desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER && image->parent == buffer)
    status = CL_INVALID_MEM_OBJECT;
  if (status == CL_SUCCESS)
    status = check_box(image, origin, region, &p.box);
  if (status == CL_SUCCESS) // an image has no more bytes than a size can be
    status = icd_check_range(buffer, offset, region[0] * region[1] * region[2] * image->image->pixel);
  return status == CL_SUCCESS ? icd_enqueue(queue, &p.command, list, false) : status;
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem src, cl_mem dst, const size_t *origin,
                                  const size_t *region, size_t offset, cl_uint count, const cl_event *events,
                                  cl_event *event) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  return buffer_copy(queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, src, dst, origin, region, offset,
                     &(struct icd_wait_list){count, events, event});
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem src, cl_mem dst, size_t offset, const size_t *origin,
                                  const size_t *region, cl_uint count, const cl_event *events, cl_event *event) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  return buffer_copy(queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, dst, src, origin, region, offset,
                     &(struct icd_wait_list){count, events, event});
}
