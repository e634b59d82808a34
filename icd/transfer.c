// Commands that move bytes of buffers: read, write, copy, fill, rectangles; and migrate.
#include <string.h>

#include "icd/icd.h"

// One struct for all of them; each uses what it needs.
struct transfer {
  struct icd_command command;
  cl_mem mem, to; // to: of copies
  size_t offset, to_offset, size;
  unsigned char *host; // what a read writes to and a write reads from
  // Rectangles: rows and planes of the buffer and of the other side.
  size_t region[3], pitch[2], to_pitch[2];
  size_t pattern_size;
  unsigned char pattern[128];
};

static bool keep(struct icd_command *copy) {
  struct transfer *t = (struct transfer *)copy;
  icd_retain(t->mem);
  if (t->to)
    icd_retain(t->to);
  return true;
}

static void drop(struct icd_command *copy) {
  struct transfer *t = (struct transfer *)copy;
  icd_mem_release(t->mem);
  if (t->to)
    icd_mem_release(t->to);
}

static void use(const struct icd_command *command, const struct _cl_command_queue *queue) {
  const struct transfer *t = (const struct transfer *)command;
  icd_mem_note(t->mem, queue);
  if (t->to)
    icd_mem_note(t->to, queue);
}

#define TRANSFER_OPS(fn)                                                                                               \
  { .size = sizeof(struct transfer), .run = fn, .keep = keep, .drop = drop, .use = use }

// ---- checks

cl_int icd_check_mem(cl_command_queue queue, cl_mem mem) {
  if (!icd_is(mem, ICD_MEM))
    return CL_INVALID_MEM_OBJECT;
  if (mem->context != queue->context)
    return CL_INVALID_CONTEXT;
  return icd_mem_use(mem, queue) ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

cl_int icd_check_buffer(cl_command_queue queue, cl_mem mem) {
  return icd_is_buffer(mem) ? icd_check_mem(queue, mem) : CL_INVALID_MEM_OBJECT;
}

cl_int icd_check_host(cl_mem mem, cl_mem_flags of) {
  cl_mem_flags forbidden = CL_MEM_HOST_NO_ACCESS;
  forbidden |= of == CL_MEM_HOST_READ_ONLY ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY;
  return mem->flags & forbidden ? CL_INVALID_OPERATION : CL_SUCCESS;
}

cl_int icd_check_range(cl_mem mem, size_t offset, size_t size) {
  return offset > mem->size || size > mem->size - offset ? CL_INVALID_VALUE : CL_SUCCESS;
}

// ---- read, write

static cl_int run_read(const struct icd_command *command, cl_command_queue queue, struct kiln_event **event) {
  const struct transfer *t = (const struct transfer *)command;
  return icd_error(kiln_read(queue->lane->stream, icd_mem_use(t->mem, queue), t->offset, t->host, t->size, event));
}

static cl_int run_write(const struct icd_command *command, cl_command_queue queue, struct kiln_event **event) {
  const struct transfer *t = (const struct transfer *)command;
  return icd_error(kiln_write(queue->lane->stream, icd_mem_use(t->mem, queue), t->offset, t->host, t->size, event));
}

static const struct icd_command_ops read_ops = TRANSFER_OPS(run_read);
static const struct icd_command_ops write_ops = TRANSFER_OPS(run_write);

static cl_int read_or_write(cl_command_queue queue, bool reads, cl_mem mem, cl_bool blocking, size_t offset,
                            size_t size, void *host, const struct icd_wait_list *list) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  cl_int status = icd_check_buffer(queue, mem);
  if (status == CL_SUCCESS)
    status = !host ? CL_INVALID_VALUE : icd_check_range(mem, offset, size);
  if (status == CL_SUCCESS)
    status = icd_check_host(mem, reads ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY);
  if (status != CL_SUCCESS)
    return status;
  struct transfer t;
  t.command = (struct icd_command){.ops = reads ? &read_ops : &write_ops,
                                   .type = reads ? CL_COMMAND_READ_BUFFER : CL_COMMAND_WRITE_BUFFER};
  t.mem = mem;
  t.to = NULL;
  t.offset = offset;
  t.size = size;
  t.host = host;
  return icd_enqueue(queue, &t.command, list, blocking);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset, size_t size, void *host,
                           cl_uint count, const cl_event *events, cl_event *event) {
  return read_or_write(queue, true, mem, blocking, offset, size, host, &(struct icd_wait_list){count, events, event});
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset, size_t size,
                            const void *host, cl_uint count, const cl_event *events, cl_event *event) {
  return read_or_write(queue, false, mem, blocking, offset, size, (void *)host,
                       &(struct icd_wait_list){count, events, event});
}

// ---- copy, fill

static cl_int run_copy(const struct icd_command *command, cl_command_queue queue, struct kiln_event **event) {
  const struct transfer *t = (const struct transfer *)command;
  return icd_error(kiln_copy(queue->lane->stream, icd_mem_use(t->mem, queue), t->offset, icd_mem_use(t->to, queue),
                             t->to_offset, t->size, event));
}

static const struct icd_command_ops copy_ops = TRANSFER_OPS(run_copy);

// The buffer whose memory a buffer and its sub-buffers have in common.
static cl_mem root_of(cl_mem mem) { return mem->parent ? mem->parent : mem; }

// Whether two ranges share bytes of that memory.
static bool overlap(cl_mem a, size_t a_offset, cl_mem b, size_t b_offset, size_t size) {
  if (root_of(a) != root_of(b))
    return false;
  size_t from = a->origin + a_offset, to = b->origin + b_offset;
  return from < to + size && to < from + size;
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem src, cl_mem dst, size_t src_offset, size_t dst_offset,
                           size_t size, cl_uint count, const cl_event *events, cl_event *event) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  cl_int status = icd_check_buffer(queue, src);
  if (status == CL_SUCCESS)
    status = icd_check_buffer(queue, dst);
  if (status == CL_SUCCESS)
    status = icd_check_range(src, src_offset, size);
  if (status == CL_SUCCESS)
    status = icd_check_range(dst, dst_offset, size);
  if (status == CL_SUCCESS && overlap(src, src_offset, dst, dst_offset, size))
    status = CL_MEM_COPY_OVERLAP;
  if (status != CL_SUCCESS)
    return status;
  struct transfer t = {{&copy_ops, CL_COMMAND_COPY_BUFFER}, src, dst, src_offset, dst_offset, size};
  return icd_enqueue(queue, &t.command, &(struct icd_wait_list){count, events, event}, false);
}

static cl_int run_fill(const struct icd_command *command, cl_command_queue queue, struct kiln_event **event) {
  const struct transfer *t = (const struct transfer *)command;
  return icd_error(kiln_fill(queue->lane->stream, icd_mem_use(t->mem, queue), t->offset, t->size, t->pattern,
                             t->pattern_size, event));
}

static const struct icd_command_ops fill_ops = TRANSFER_OPS(run_fill);

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem mem, const void *pattern, size_t pattern_size, size_t offset,
                           size_t size, cl_uint count, const cl_event *events, cl_event *event) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  cl_int status = icd_check_buffer(queue, mem);
  if (status == CL_SUCCESS)
    status = icd_check_range(mem, offset, size);
  if (status == CL_SUCCESS && (!pattern || !pattern_size || pattern_size > 128 || pattern_size & (pattern_size - 1) ||
                               offset % pattern_size || size % pattern_size))
    status = CL_INVALID_VALUE;
  if (status != CL_SUCCESS)
    return status;
  struct transfer t = {{&fill_ops, CL_COMMAND_FILL_BUFFER}, .mem = mem, .offset = offset, .size = size};
  t.pattern_size = pattern_size;
  memcpy(t.pattern, pattern, pattern_size);
  return icd_enqueue(queue, &t.command, &(struct icd_wait_list){count, events, event}, false);
}

// ---- rectangles

// Arguments of the calls for rectangles, of one side.
struct side {
  const size_t *origin;
  size_t row, slice;
};

// *out: a + b * c. False: that is more than a size can be.
static bool add_product(size_t a, size_t b, size_t c, size_t *out) {
  return !__builtin_mul_overflow(b, c, &b) && !__builtin_add_overflow(a, b, out);
}

// Bytes from the first of a rectangle to the end of the last.
static size_t rect_span(const size_t region[3], const size_t pitch[2]) {
  return (region[2] - 1) * pitch[1] + (region[1] - 1) * pitch[0] + region[0];
}

// Fills in the pitches that were left out, and where the rectangle begins. False: the pitches do not fit the region, or
// the rectangle ends beyond the limit, in bytes.
static bool settle_side(const struct side *side, const size_t region[3], size_t limit, size_t pitch[2],
                        size_t *offset) {
  size_t rows, end;
  pitch[0] = side->row ? side->row : region[0];
  if (pitch[0] < region[0] || !add_product(0, region[1], pitch[0], &rows))
    return false;
  pitch[1] = side->slice ? side->slice : rows;
  if (pitch[1] < rows || pitch[1] % pitch[0])
    return false;
  return add_product(side->origin[0], side->origin[1], pitch[0], offset) &&
         add_product(*offset, side->origin[2], pitch[1], offset) &&
         add_product(rows, region[2] - 1, pitch[1], &end) && // at least the span, which cannot wrap then
         *offset <= limit && rect_span(region, pitch) <= limit - *offset;
}

static cl_int run_rect(const struct icd_command *command, cl_command_queue queue, struct kiln_event **event) {
  const struct transfer *t = (const struct transfer *)command;
  struct kiln_stream *stream = queue->lane->stream;
  struct kiln_buffer *buffer = icd_mem_use(t->mem, queue);
  const struct kiln_layout layout = {t->offset, t->pitch[0], t->pitch[1]};
  const struct kiln_layout other = {t->to_offset, t->to_pitch[0], t->to_pitch[1]};
  enum kiln_status status;
  if (t->to)
    status = kiln_copy_rect(stream, buffer, &layout, icd_mem_use(t->to, queue), &other, t->region, event);
  else if (command->type == CL_COMMAND_READ_BUFFER_RECT)
    status = kiln_read_rect(stream, buffer, &layout, t->host, &other, t->region, event);
  else
    status = kiln_write_rect(stream, buffer, &layout, t->host, &other, t->region, event);
  return icd_error(status);
}

static const struct icd_command_ops rect_ops = TRANSFER_OPS(run_rect);

static bool is_empty(const size_t region[3]) { return !region || !region[0] || !region[1] || !region[2]; }

static cl_int host_rect(cl_command_queue queue, bool reads, cl_mem mem, cl_bool blocking, struct side of_buffer,
                        struct side of_host, const size_t *region, void *host, const struct icd_wait_list *list) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  cl_int status = icd_check_buffer(queue, mem);
  if (status == CL_SUCCESS)
    status = icd_check_host(mem, reads ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY);
  if (status == CL_SUCCESS && (!host || is_empty(region) || !of_buffer.origin || !of_host.origin))
    status = CL_INVALID_VALUE;
  if (status != CL_SUCCESS)
    return status;
  struct transfer t = {{&rect_ops, reads ? CL_COMMAND_READ_BUFFER_RECT : CL_COMMAND_WRITE_BUFFER_RECT}, .mem = mem};
  memcpy(t.region, region, sizeof t.region);
  if (!settle_side(&of_buffer, region, mem->size, t.pitch, &t.offset) ||
      !settle_side(&of_host, region, UINTPTR_MAX - (uintptr_t)host, t.to_pitch, &t.to_offset))
    return CL_INVALID_VALUE;
  t.host = host;
  return icd_enqueue(queue, &t.command, list, blocking);
}

cl_int clEnqueueReadBufferRect(cl_command_queue queue, cl_mem mem, cl_bool blocking, const size_t *origin,
                               const size_t *host_origin, const size_t *region, size_t row, size_t slice,
                               size_t host_row, size_t host_slice, void *host, cl_uint count, const cl_event *events,
                               cl_event *event) {
  return host_rect(queue, true, mem, blocking, (struct side){origin, row, slice},
                   (struct side){host_origin, host_row, host_slice}, region, host,
                   &(struct icd_wait_list){count, events, event});
}

cl_int clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem mem, cl_bool blocking, const size_t *origin,
                                const size_t *host_origin, const size_t *region, size_t row, size_t slice,
                                size_t host_row, size_t host_slice, const void *host, cl_uint count,
                                const cl_event *events, cl_event *event) {
  return host_rect(queue, false, mem, blocking, (struct side){origin, row, slice},
                   (struct side){host_origin, host_row, host_slice}, region, (void *)host,
                   &(struct icd_wait_list){count, events, event});
}

// Whether one of two stretches of this length lies in the gap before the other comes again.
static bool fits_gap(size_t a, size_t b, size_t length, size_t period) {
  return (b >= a + length && b + length <= a + period) || (a >= b + length && a + length <= b + period);
}

// Whether the two rectangles of a copy may have a byte in common, as the standard computes it. It does so for equal
// pitches; those of two sub-buffers may differ, and then no byte of one is within the span of the other.
static bool rects_overlap(const struct transfer *t) {
  const size_t *region = t->region, *pitch = t->pitch;
  size_t a = t->mem->origin + t->offset, b = t->to->origin + t->to_offset;
  if (root_of(t->mem) != root_of(t->to) || a + rect_span(region, pitch) <= b || b + rect_span(region, t->to_pitch) <= a)
    return false;
  if (memcmp(pitch, t->to_pitch, sizeof t->pitch))
    return true;
  size_t plane = (region[1] - 1) * pitch[0] + region[0];
  return !fits_gap(a % pitch[0], b % pitch[0], region[0], pitch[0]) &&
         !fits_gap(a % pitch[1], b % pitch[1], plane, pitch[1]);
}

cl_int clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem src, cl_mem dst, const size_t *src_origin,
                               const size_t *dst_origin, const size_t *region, size_t src_row, size_t src_slice,
                               size_t dst_row, size_t dst_slice, cl_uint count, const cl_event *events,
                               cl_event *event) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  cl_int status = icd_check_buffer(queue, src);
  if (status == CL_SUCCESS)
    status = icd_check_buffer(queue, dst);
  if (status != CL_SUCCESS)
    return status;
  struct transfer t = {{&rect_ops, CL_COMMAND_COPY_BUFFER_RECT}, src, dst};
  if (is_empty(region) || !src_origin || !dst_origin)
    return CL_INVALID_VALUE;
  memcpy(t.region, region, sizeof t.region);
  if (!settle_side(&(struct side){src_origin, src_row, src_slice}, region, src->size, t.pitch, &t.offset) ||
      !settle_side(&(struct side){dst_origin, dst_row, dst_slice}, region, dst->size, t.to_pitch, &t.to_offset))
    return CL_INVALID_VALUE;
  if (src == dst && memcmp(t.pitch, t.to_pitch, sizeof t.pitch))
    return CL_INVALID_VALUE;
  if (rects_overlap(&t))
    return CL_MEM_COPY_OVERLAP;
  return icd_enqueue(queue, &t.command, &(struct icd_wait_list){count, events, event}, false);
}

// ---- migrate: the bytes are where every device of the context reaches them

static const struct icd_command_ops migrate_ops = {.size = sizeof(struct icd_command), .run = icd_run_mark};

cl_int clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint mem_count, const cl_mem *mems,
                                  cl_mem_migration_flags flags, cl_uint count, const cl_event *events,
                                  cl_event *event) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  if (!mem_count || !mems ||
      flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < mem_count; i++) {
    cl_int status = icd_check_mem(queue, mems[i]);
    if (status != CL_SUCCESS)
      return status;
  }
  struct icd_command command = {&migrate_ops, CL_COMMAND_MIGRATE_MEM_OBJECTS};
  return icd_enqueue(queue, &command, &(struct icd_wait_list){count, events, event}, false);
}
