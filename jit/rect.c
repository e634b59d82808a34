// Copies and fills of boxes of bytes: rows and planes with gaps between them.
#include "jit/rect.h"

// ---- checks --------------------------------------------------------------------------------------------------------

static enum kiln_status settle(const struct kiln_box *box, const char *role, struct kiln_box_side *side,
                               const struct kiln_layout *layout) {
  const size_t *region = box->region;
  struct kiln_layout *l = &side->layout;
  *l = layout ? *layout : (struct kiln_layout){0};
  l->row = l->row ? l->row : region[0];
  size_t rows = 0;
  bool is_good = l->row >= region[0] && !__builtin_mul_overflow(region[1], l->row, &rows);
  l->plane = l->plane || !is_good ? l->plane : rows;
  if (is_good && l->plane >= rows && l->plane % l->row == 0)
    return KILN_OK;
  return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_LAYOUT, 0,
                            "%s: rows of %zu and planes of %zu bytes of %s do not fit a box of %zu x %zu x %zu",
                            box->call, l->row, l->plane, role, region[0], region[1], region[2]);
}

// Bytes from the first one of the box to the end of the last. SIZE_MAX: more than memory has.
static size_t span(const size_t region[3], const struct kiln_layout *layout) {
  size_t planes, bytes;
  if (__builtin_mul_overflow(region[2] - 1, layout->plane, &planes) ||
      __builtin_add_overflow(planes, (region[1] - 1) * layout->row + region[0], &bytes))
    return SIZE_MAX;
  return bytes;
}

// Whether the box ends beyond the memory that a process can have.
static bool wraps(const struct kiln_box *box, const struct kiln_box_side *side) {
  uintptr_t end;
  size_t bytes = span(box->region, &side->layout);
  return bytes == SIZE_MAX || __builtin_add_overflow((uintptr_t)side->host, side->layout.offset, &end) ||
         __builtin_add_overflow(end, bytes, &end);
}

// Whether one of two stretches of this length lies in the gap before the other comes again.
static bool fits_gap(size_t a, size_t b, size_t length, size_t period) {
  return (b >= a + length && b + length <= a + period) || (a >= b + length && a + length <= b + period);
}

// Of two boxes in the same image.
static bool shares_pixels(const struct kiln_box *box) {
  bool shares = true;
  for (int d = 0; d < 3; d++) {
    size_t a = box->src.origin[d], b = box->dst.origin[d];
    shares &= (a > b ? a - b : b - a) < (d ? box->region[d] : box->region[0] / box->pixel_size);
  }
  return shares;
}

static bool may_overlap(const struct kiln_box *box) {
  const struct kiln_box_side *src = &box->src, *dst = &box->dst;
  if (src->image || dst->image)
    return src->image == dst->image && shares_pixels(box);
  if (!src->buffer || !dst->buffer || src->buffer->root != dst->buffer->root)
    return false;
  const size_t *region = box->region, row = src->layout.row, plane = src->layout.plane;
  size_t a = src->buffer->offset + src->layout.offset, b = dst->buffer->offset + dst->layout.offset;
  if (a + span(region, &src->layout) <= b || b + span(region, &dst->layout) <= a)
    return false;
  if (row != dst->layout.row || plane != dst->layout.plane)
    return true;
  return !fits_gap(a % row, b % row, region[0], row) &&
         !fits_gap(a % plane, b % plane, (region[1] - 1) * row + region[0], plane);
}

static enum kiln_status check_side(const struct kiln_box *box, const char *role, struct kiln_stream *stream,
                                   const struct kiln_box_side *side, bool any_device) {
  if (side->image)
    return kiln_stream_check_range(box->call, role, stream, side->image, 0, side->image->size, any_device);
  if (!side->buffer && wraps(box, side))
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_RANGE, 0,
                              "%s: a box of %zu x %zu x %zu at offset %zu of %s, with rows of %zu and planes of %zu "
                              "bytes, ends beyond all memory",
                              box->call, box->region[0], box->region[1], box->region[2], side->layout.offset, role,
                              side->layout.row, side->layout.plane);
  if (!side->buffer)
    return KILN_OK;
  return kiln_stream_check_range(box->call, role, stream, side->buffer, side->layout.offset,
                                 span(box->region, &side->layout), any_device);
}

// ---- running -------------------------------------------------------------------------------------------------------

// Rows without gaps between them, on both sides, are one.
static void join_rows(struct kiln_box *box) {
  size_t *region = box->region;
  struct kiln_layout *src = &box->src.layout, *dst = &box->dst.layout;
  for (int i = 0; i < 2 && (region[1] == 1 || (src->row == region[0] && dst->row == region[0])); i++) {
    region[0] *= region[1];
    region[1] = region[2];
    region[2] = 1;
    src->row = region[1] == 1 ? region[0] : src->plane;
    dst->row = region[1] == 1 ? region[0] : dst->plane;
    src->plane = src->row * region[1];
    dst->plane = dst->row * region[1];
  }
}

static struct kiln_drv_memory *memory_of(const struct kiln_box_side *side) {
  return side->buffer ? side->buffer->root->memory : NULL;
}

static size_t offset_of(const struct kiln_box_side *side) {
  return side->buffer ? side->buffer->offset + side->layout.offset : side->layout.offset;
}

// A row that begins so many bytes after the first one.
static struct kiln_command row_of(const struct kiln_box *box, size_t src_at, size_t dst_at) {
  size_t from = offset_of(&box->src) + src_at, to = offset_of(&box->dst) + dst_at, size = box->region[0];
  struct kiln_command row = {.kind = box->kind, .buffers = {box->src.buffer, box->dst.buffer}};
  if (box->pattern) {
    row.operation = KILN_DO_FILL;
    row.fill.memory = memory_of(&box->dst);
    row.fill.offset = to;
    row.fill.size = size;
    row.fill.pattern = box->pattern;
    row.fill.pattern_size = box->pattern_size;
    return row;
  }
  row.operation = !box->src.buffer ? KILN_DO_WRITE : !box->dst.buffer ? KILN_DO_READ : KILN_DO_COPY;
  row.copy.src = memory_of(&box->src);
  row.copy.dst = memory_of(&box->dst);
  row.copy.host_src = box->src.host ? box->src.host + from : NULL;
  row.copy.host_dst = box->dst.host ? (void *)(box->dst.host + to) : NULL;
  row.copy.src_offset = from;
  row.copy.dst_offset = to;
  row.copy.size = size;
  return row;
}

// The last row has the event. *some: one was enqueued.
static enum kiln_status copy_rows(struct kiln_submit *submit, const struct kiln_box *box, bool *some) {
  const size_t *region = box->region;
  enum kiln_status status = KILN_OK;
  for (size_t z = 0; z < region[2]; z++) {
    for (size_t y = 0; y < region[1] && status == KILN_OK; y++) {
      bool is_last = z == region[2] - 1 && y == region[1] - 1;
      struct kiln_command row = row_of(box, z * box->src.layout.plane + y * box->src.layout.row,
                                       z * box->dst.layout.plane + y * box->dst.layout.row);
      row.bytes = region[0];
      status = kiln_issue(submit, &row, is_last ? kiln_submit_event(submit) : NULL);
      *some |= status == KILN_OK;
    }
  }
  return status;
}

static struct kiln_drv_pixels pixels_of(const struct kiln_box_side *side) {
  return (struct kiln_drv_pixels){
      .image = side->image ? side->image->root->memory : NULL,
      .origin = {side->origin[0], side->origin[1], side->origin[2]},
      .memory = memory_of(side),
      .host = (void *)side->host,
      .offset = offset_of(side),
      .row = side->layout.row,
      .plane = side->layout.plane,
  };
}

static enum kiln_status enqueue_pixels(struct kiln_stream *stream, struct kiln_command *command,
                                       const struct kiln_box *box, struct kiln_event **event) {
  struct kiln_drv_image_copy copy = {.src = pixels_of(&box->src),
                                     .dst = pixels_of(&box->dst),
                                     .region = {box->region[0] / box->pixel_size, box->region[1], box->region[2]},
                                     .pixel = box->pixel_size};
  command->operation = box->pixel ? KILN_DO_IMAGE_FILL : KILN_DO_IMAGE_COPY;
  command->image.copy = &copy;
  command->image.pixel = box->pixel;
  return kiln_enqueue(stream, command, box->call, event);
}

static enum kiln_status enqueue_rect(struct kiln_stream *stream, struct kiln_command *command,
                                     const struct kiln_box *box, struct kiln_event **event) {
  struct kiln_drv_rect rect = {
      .src = memory_of(&box->src),
      .dst = memory_of(&box->dst),
      .host_src = box->src.host,
      .host_dst = (void *)box->dst.host,
      .src_offset = offset_of(&box->src),
      .dst_offset = offset_of(&box->dst),
      .src_row = box->src.layout.row,
      .src_plane = box->src.layout.plane,
      .dst_row = box->dst.layout.row,
      .dst_plane = box->dst.layout.plane,
      .region = {box->region[0], box->region[1], box->region[2]},
  };
  command->operation = KILN_DO_COPY_RECT;
  command->rect = &rect;
  return kiln_enqueue(stream, command, box->call, event);
}

static enum kiln_status enqueue(struct kiln_stream *stream, struct kiln_box *box, struct kiln_event **event) {
  const size_t *region = box->region;
  struct kiln_command command = {.kind = box->kind, .bytes = region[0] * region[1] * region[2]};
  command.buffers[0] = box->src.image ? box->src.image : box->src.buffer;
  command.buffers[1] = box->dst.image ? box->dst.image : box->dst.buffer;
  if (box->src.image || box->dst.image)
    return enqueue_pixels(stream, &command, box, event);
  join_rows(box);
  if (stream->ctx->backend->driver->copy_rect && box->region[1] > 1 && !box->pattern)
    return enqueue_rect(stream, &command, box, event);
  struct kiln_submit submit;
  enum kiln_status status = kiln_submit_begin(&submit, stream, &command, event);
  if (status != KILN_OK)
    return status;
  bool some = false;
  status = copy_rows(&submit, box, &some);
  return kiln_submit_end(&submit, status, some, box->call, event);
}

enum kiln_status kiln_box_run(struct kiln_stream *stream, struct kiln_box *box, const struct kiln_layout *from,
                              const struct kiln_layout *to, const size_t region[3], struct kiln_event **event) {
  const struct kiln_box_side *src = &box->src, *dst = &box->dst;
  bool has_src = src->buffer || src->host || src->image, has_dst = dst->buffer || dst->host || dst->image;
  if (!stream || !region || !has_src || !has_dst)
    return kiln_error(KILN_ERR_INVALID, "%s: %s is NULL", box->call,
                      !stream    ? "stream"
                      : !region  ? "region"
                      : !has_src ? "src"
                                 : "dst");
  if (!region[0] || !region[1] || !region[2])
    return kiln_submit_nothing(stream, event);
  for (int i = 0; i < 3; i++)
    box->region[i] = region[i];
  // As of kiln_copy: where the driver can, one of two buffers may be on another device than the stream.
  bool between = src->buffer && dst->buffer && stream->ctx->backend->driver->copies_between_devices;
  bool src_away = between && dst->buffer->device == stream->device;
  bool dst_away = between && src->buffer->device == stream->device;
  enum kiln_status status = settle(box, "src", &box->src, from);
  if (status == KILN_OK)
    status = settle(box, "dst", &box->dst, to);
  if (status == KILN_OK)
    status = check_side(box, "src", stream, src, src_away);
  if (status == KILN_OK)
    status = check_side(box, "dst", stream, dst, dst_away);
  if (status == KILN_OK && may_overlap(box))
    status = kiln_error_because(KILN_ERR_INVALID, KILN_REASON_OVERLAP, 0,
                                "%s: source and destination may overlap in the same buffer", box->call);
  return status == KILN_OK ? enqueue(stream, box, event) : status;
}

enum kiln_status kiln_box_fill(struct kiln_stream *stream, struct kiln_box *box, const struct kiln_layout *to,
                               const size_t region[3], struct kiln_event **event) {
  if (!region[0] || !region[1] || !region[2])
    return kiln_submit_nothing(stream, event);
  for (int i = 0; i < 3; i++)
    box->region[i] = region[i];
  enum kiln_status status = settle(box, "dst", &box->dst, to);
  if (status == KILN_OK)
    status = check_side(box, "dst", stream, &box->dst, false);
  box->src = box->dst;
  return status == KILN_OK ? enqueue(stream, box, event) : status;
}

// ---- calls ---------------------------------------------------------------------------------------------------------

enum kiln_status kiln_write_rect(struct kiln_stream *stream, struct kiln_buffer *dst, const struct kiln_layout *to,
                                 const void *src, const struct kiln_layout *from, const size_t region[3],
                                 struct kiln_event **event) {
  struct kiln_box box = {"kiln_write_rect", KILN_COMMAND_WRITE, .src.host = src, .dst.buffer = dst};
  return kiln_box_run(stream, &box, from, to, region, event);
}

enum kiln_status kiln_read_rect(struct kiln_stream *stream, struct kiln_buffer *src, const struct kiln_layout *from,
                                void *dst, const struct kiln_layout *to, const size_t region[3],
                                struct kiln_event **event) {
  struct kiln_box box = {"kiln_read_rect", KILN_COMMAND_READ, .src.buffer = src, .dst.host = dst};
  return kiln_box_run(stream, &box, from, to, region, event);
}

enum kiln_status kiln_copy_rect(struct kiln_stream *stream, struct kiln_buffer *src, const struct kiln_layout *from,
                                struct kiln_buffer *dst, const struct kiln_layout *to, const size_t region[3],
                                struct kiln_event **event) {
  struct kiln_box box = {"kiln_copy_rect", KILN_COMMAND_COPY, .src.buffer = src, .dst.buffer = dst};
  return kiln_box_run(stream, &box, from, to, region, event);
}
