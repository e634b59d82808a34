// Launches: the front layer checks everything here, once, so that drivers may assume.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/floats.h"
#include "jit/graph.h"
#include "jit/image.h"
#include "jit/launch.h"
#include "jit/program.h"
#include "jit/stream.h"
#include "jit/tuned.h"
#include "kiln/pixel.h"

#define STACK_ARGS 32

// Memory that an argument gives to the kernel.
struct extent {
  const struct kiln_buffer *space; // what begin and end count in; NULL: memory of the process
  uintptr_t begin, end;
  bool is_written;
};

// A launch on its way to the driver.
struct launch {
  struct kiln_stream *stream;
  struct kiln_kernel *owner;  // the caller's
  struct kiln_kernel *kernel; // that runs: the same, or that of a tuned launch
  const struct kiln_kernel_info *info;
  const struct kiln_launch_desc *desc;
  struct kiln_drv_launch_desc drv;
  bool empty;                 // nothing to run
  struct kiln_binary *binary; // the code that runs
  struct kiln_drv_arg *args, stack_args[STACK_ARGS];
  struct extent *extents, stack_extents[STACK_ARGS];
  struct kiln_tuned_launch tuned; // of a tuned launch, with its description
  struct kiln_launch_desc tuned_desc;
};

// ---- arguments -----------------------------------------------------------------------------------------------------

static const char *kind_name(enum kiln_arg_kind kind) {
  switch (kind) {
  case KILN_ARG_VALUE:
    return "a value";
  case KILN_ARG_BUFFER:
    return "a buffer";
  case KILN_ARG_LOCAL:
    return "local memory";
  case KILN_ARG_IMAGE:
    return "an image";
  case KILN_ARG_SAMPLER:
    return "a sampler";
  }
  return "something unknown";
}

// "kernel 'k': argument 2 ('n'): …"
__attribute__((format(printf, 4, 5))) static enum kiln_status
bad_arg(const struct launch *l, uint32_t index, enum kiln_reason reason, const char *format, ...) {
  struct kiln_strbuf text = {0};
  va_list args;
  va_start(args, format);
  kiln_strbuf_vprintf(&text, format, args);
  va_end(args);
  const char *name = l->info->args[index].name;
  kiln_error_because(KILN_ERR_INVALID, reason, index, "kernel '%s': argument %u%s%s%s: %s", l->info->name,
                     (unsigned)index, *name ? " ('" : "", name, *name ? "')" : "", text.data ? text.data : "");
  kiln_strbuf_free(&text);
  return KILN_ERR_INVALID;
}

// A null pointer, or one that the host gives in place of a buffer.
static enum kiln_status check_pointer(struct launch *l, uint32_t index, struct kiln_drv_arg *out) {
  const struct kiln_context *ctx = l->stream->ctx;
  const struct kiln_arg_info *want = &l->info->args[index];
  const void *pointer = l->desc->args[index].data;
  if (!pointer)
    return KILN_OK;
  if (!ctx->backend->driver->takes_pointer)
    return kiln_error_because(KILN_ERR_UNSUPPORTED, KILN_REASON_ARG_VALUE, index,
                              "kernel '%s': argument %u ('%s'): backend '%s' takes buffers, and no pointers",
                              l->info->name, (unsigned)index, want->name, ctx->backend->name);
  if (!ctx->backend->driver->takes_pointer(atomic_load(&ctx->drv), l->stream->device, pointer))
    return bad_arg(l, index, KILN_REASON_ARG_VALUE, "device %u ('%s') reaches no memory at %p",
                   (unsigned)l->stream->device, ctx->devices[l->stream->device].name, pointer);
  if (want->align && (uintptr_t)pointer & (want->align - 1))
    return bad_arg(l, index, KILN_REASON_ARG_ALIGN, "the pointer is not aligned to %u bytes, as '%s' needs",
                   (unsigned)want->align, want->type_name);
  out->data = pointer;
  return KILN_OK;
}

// Of memory that the host gave: compiled code may use instructions that fault on it.
static bool is_misaligned(const struct kiln_buffer *buffer, uint32_t align) {
  return align && ((uintptr_t)buffer->root->host + buffer->offset) & (align - 1);
}

static enum kiln_status check_place(const struct launch *l, uint32_t index, const struct kiln_buffer *buffer,
                                    const char *what) {
  if (buffer->ctx != l->stream->ctx)
    return bad_arg(l, index, KILN_REASON_ARG_PLACE, "the %s belongs to another context than the stream", what);
  if (buffer->device != l->stream->device)
    return bad_arg(l, index, KILN_REASON_ARG_PLACE, "the %s is on device %u, the stream on device %u", what,
                   (unsigned)buffer->device, (unsigned)l->stream->device);
  return KILN_OK;
}

static const struct kiln_image *image_of(const struct kiln_arg *arg) { return arg->data; }

// What kernels get of an image: an image of the device, or the buffer that it is a part of.
static struct kiln_buffer *memory_of(const struct kiln_image *image) {
  return image->pixels ? image->pixels : image->buffer;
}

static enum kiln_status check_access(struct launch *l, uint32_t index, const struct kiln_image *image) {
  enum kiln_access want = l->info->args[index].access;
  bool is_fine = image->pixels ? image->accesses >> want & 1
                               : want == KILN_ACCESS_READ || kiln_image_is_writable(image->desc.format);
  if (is_fine)
    return KILN_OK;
  char text[24];
  kiln_pixel_format_text(image->desc.format, text, sizeof text);
  if (image->pixels)
    return bad_arg(l, index, KILN_REASON_FORMAT, "device %u ('%s') has no %s images of %s that kernels %s",
                   (unsigned)image->pixels->device, l->stream->ctx->devices[image->pixels->device].name,
                   kiln_image_dimension_name(image->desc.dimension), text,
                   want == KILN_ACCESS_READ    ? "read"
                   : want == KILN_ACCESS_WRITE ? "write"
                                               : "read and write");
  return bad_arg(l, index, KILN_REASON_FORMAT, "the kernel may write to it, and images of %s can only be read", text);
}

// The memory takes the image's place; its record follows the arguments.
static enum kiln_status check_image(struct launch *l, uint32_t index, struct kiln_drv_arg *out) {
  const struct kiln_arg_info *want = &l->info->args[index];
  const struct kiln_image *image = image_of(&l->desc->args[index]);
  if (!image)
    return bad_arg(l, index, KILN_REASON_ARG_VALUE, "the image is NULL");
  enum kiln_status status = check_place(l, index, memory_of(image), "image");
  if (status != KILN_OK)
    return status;
  if (image->desc.dimension != want->image)
    return bad_arg(l, index, KILN_REASON_ARG_VALUE, "expected a %s image for '%s', got a %s image",
                   kiln_image_dimension_name((enum kiln_image_dimension)want->image), want->type_name,
                   kiln_image_dimension_name(image->desc.dimension));
  status = check_access(l, index, image);
  if (status != KILN_OK)
    return status;
  out->kind = KILN_ARG_BUFFER;
  out->memory = memory_of(image)->root->memory;
  out->offset = image->pixels ? 0 : image->buffer->offset + image->offset;
  if (image->buffer)
    kiln_stream_mark(l->stream, &image->buffer->root->uses);
  if (image->pixels)
    kiln_stream_mark(l->stream, &image->pixels->root->uses);
  return KILN_OK;
}

static enum kiln_status check_sampler(struct launch *l, uint32_t index, struct kiln_drv_arg *out) {
  const size_t *bits = &l->desc->args[index].size;
  const size_t all = KILN_SAMPLER_NORMALIZED | KILN_SAMPLER_ADDRESS | KILN_SAMPLER_NEAREST | KILN_SAMPLER_LINEAR;
  size_t filter = *bits & (KILN_SAMPLER_NEAREST | KILN_SAMPLER_LINEAR), mode = *bits & KILN_SAMPLER_ADDRESS;
  if (*bits & ~all || mode > KILN_SAMPLER_MIRRORED_REPEAT)
    return bad_arg(l, index, KILN_REASON_ARG_VALUE, "0x%zx is no sampler", *bits);
  if (filter != KILN_SAMPLER_NEAREST && filter != KILN_SAMPLER_LINEAR)
    return bad_arg(l, index, KILN_REASON_ARG_VALUE,
                   "the sampler 0x%zx has %s KILN_SAMPLER_NEAREST and KILN_SAMPLER_LINEAR, and needs one", *bits,
                   filter ? "both" : "neither of");
  if (!(*bits & KILN_SAMPLER_NORMALIZED) && mode >= KILN_SAMPLER_REPEAT)
    return bad_arg(l, index, KILN_REASON_ARG_VALUE,
                   "KILN_SAMPLER_%s is for normalised coordinates, and the sampler 0x%zx has unnormalised ones",
                   mode == KILN_SAMPLER_REPEAT ? "REPEAT" : "MIRRORED_REPEAT", *bits);
  out->kind = KILN_ARG_VALUE;
  out->data = bits; // 4 bytes of it, on the little-endian machines that Kiln runs on
  out->size = sizeof(uint32_t);
  return KILN_OK;
}

static enum kiln_status check_arg(struct launch *l, uint32_t index, size_t *local_bytes) {
  const struct kiln_arg_info *want = &l->info->args[index];
  const struct kiln_arg *given = &l->desc->args[index];
  struct kiln_drv_arg *out = &l->args[index];
  if (given->kind != want->kind)
    return bad_arg(l, index, KILN_REASON_ARG_KIND, "expected %s for '%s', got %s", kind_name(want->kind),
                   want->type_name, kind_name(given->kind));
  *out = (struct kiln_drv_arg){.kind = want->kind};
  struct kiln_buffer *buffer = given->buffer;
  switch (want->kind) {
  case KILN_ARG_VALUE:
    if (given->size != want->size)
      return bad_arg(l, index, KILN_REASON_ARG_SIZE, "expected %u bytes for '%s', got %zu", (unsigned)want->size,
                     want->type_name, given->size);
    if (!given->data)
      return bad_arg(l, index, KILN_REASON_ARG_VALUE, "the pointer to its value is NULL");
    out->data = given->data;
    out->size = given->size;
    break;
  case KILN_ARG_BUFFER:
    if (!buffer)
      return check_pointer(l, index, out);
    if (buffer->ctx != l->stream->ctx || buffer->device != l->stream->device)
      return check_place(l, index, buffer, "buffer");
    if (buffer->root->host && is_misaligned(buffer, want->align))
      return bad_arg(l, index, KILN_REASON_ARG_ALIGN,
                     "the buffer's host memory is not aligned to %u bytes, as '%s' needs", (unsigned)want->align,
                     want->type_name);
    out->memory = buffer->root->memory;
    out->offset = buffer->offset;
    kiln_stream_mark(l->stream, &buffer->root->uses);
    break;
  case KILN_ARG_LOCAL:
    if (given->size == 0)
      return bad_arg(l, index, KILN_REASON_ARG_SIZE, "local memory of 0 bytes");
    out->size = given->size;
    if (__builtin_add_overflow(*local_bytes, given->size, local_bytes))
      return bad_arg(l, index, KILN_REASON_LOCAL_MEMORY, "local memory of %zu bytes is too much", given->size);
    break;
  case KILN_ARG_IMAGE:
    return check_image(l, index, out);
  case KILN_ARG_SAMPLER:
    return check_sampler(l, index, out);
  }
  return KILN_OK;
}

// Where the bytes lie. Two buffers may be made of the same memory of the host, so those that are there are compared by
// their addresses.
static struct extent extent_of(const struct kiln_buffer *buffer, size_t offset, size_t size) {
  const struct kiln_buffer *root = buffer->root;
  uintptr_t begin = (uintptr_t)root->host + buffer->offset + offset;
  return (struct extent){root->host ? NULL : root, begin, begin + size, false};
}

// Whether no memory that the kernel may write overlaps another argument. Where the memory of a pointer ends is not
// known.
static bool never_alias(struct launch *l) {
  struct extent *extents = l->extents;
  uint32_t count = 0, written = 0;
  bool has_pointer = false;
  for (uint32_t i = 0; i < l->info->arg_count; i++) {
    const struct kiln_arg *arg = &l->desc->args[i];
    if (arg->kind == KILN_ARG_IMAGE && image_of(arg)->buffer)
      extents[count] = extent_of(image_of(arg)->buffer, image_of(arg)->offset, image_of(arg)->bytes);
    else if (arg->kind == KILN_ARG_IMAGE)
      extents[count] = extent_of(image_of(arg)->pixels, 0, image_of(arg)->bytes);
    else if (arg->kind == KILN_ARG_BUFFER && arg->buffer)
      extents[count] = extent_of(arg->buffer, 0, arg->buffer->size);
    else if (arg->kind == KILN_ARG_BUFFER && arg->data)
      has_pointer = true;
    else
      continue;
    enum kiln_access access = l->info->args[i].access;
    extents[count].is_written = access == KILN_ACCESS_WRITE || access == KILN_ACCESS_READ_WRITE;
    written += extents[count++].is_written;
  }
  if (has_pointer)
    return !written || count < 2;
  for (uint32_t i = 0; i < count && written; i++) {
    for (uint32_t k = 0; k < count && extents[i].is_written; k++)
      if (k != i && extents[i].space == extents[k].space && extents[i].begin < extents[k].end &&
          extents[k].begin < extents[i].end)
        return false;
  }
  return true;
}

static void add_records(struct launch *l) {
  struct kiln_drv_arg *out = l->args + l->info->arg_count;
  for (uint32_t i = 0; i < l->info->arg_count; i++)
    if (l->info->args[i].kind == KILN_ARG_IMAGE)
      *out++ = (struct kiln_drv_arg){.kind = KILN_ARG_VALUE,
                                     .data = &image_of(&l->desc->args[i])->record,
                                     .size = sizeof(struct kiln_image_record)};
}

static enum kiln_status check_args(struct launch *l) {
  const struct kiln_launch_desc *desc = l->desc;
  const struct kiln_kernel_info *info = l->info;
  uint32_t drv_count = kiln_kernel_drv_info(l->kernel)->arg_count;
  if (desc->arg_count != info->arg_count)
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_ARG_COUNT, 0, "kernel '%s' takes %u argument%s, got %u",
                              info->name, (unsigned)info->arg_count, info->arg_count == 1 ? "" : "s",
                              (unsigned)desc->arg_count);
  if (info->arg_count && !desc->args)
    return kiln_error(KILN_ERR_INVALID, "kernel '%s': desc->args is NULL", info->name);
  l->args = l->stack_args;
  l->extents = l->stack_extents;
  if (drv_count > STACK_ARGS) {
    l->args = malloc(drv_count * (sizeof *l->args + sizeof *l->extents));
    if (!l->args)
      return kiln_error_memory();
    l->extents = (struct extent *)(l->args + drv_count);
  }
  size_t local_bytes = info->local_bytes;
  enum kiln_status status = KILN_OK;
  for (uint32_t i = 0; i < info->arg_count && status == KILN_OK; i++)
    status = check_arg(l, i, &local_bytes);
  if (status == KILN_OK && drv_count > info->arg_count)
    add_records(l);
  const struct kiln_device_info *device = &l->stream->ctx->devices[l->stream->device];
  if (status == KILN_OK && local_bytes && local_bytes > device->local_bytes)
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_LOCAL_MEMORY, 0,
                              "kernel '%s' needs %zu bytes of local memory, and device %u ('%s') has %llu", info->name,
                              local_bytes, (unsigned)l->stream->device, device->name,
                              (unsigned long long)device->local_bytes);
  l->drv.args = l->args;
  l->drv.arg_count = drv_count;
  l->drv.noalias = status == KILN_OK && never_alias(l);
  return status;
}

// ---- sizes ---------------------------------------------------------------------------------------------------------

// Work-items in total, in bytes of memory and in 63 bits: what every driver can count.
static enum kiln_status check_global(struct launch *l) {
  const struct kiln_launch_desc *desc = l->desc;
  if (desc->work_dim > 3)
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_WORK_DIM, 0,
                              "kernel '%s': work_dim is %u; 1, 2 or 3 are possible", l->info->name,
                              (unsigned)desc->work_dim);
  uint32_t dims = desc->work_dim ? desc->work_dim : desc->global[2] ? 3 : desc->global[1] ? 2 : 1;
  int64_t total = 1;
  for (uint32_t d = 0; d < 3; d++) {
    uint64_t size = d < dims ? desc->global[d] : 1;
    if (d >= dims && (desc->global[d] > 1 || desc->offset[d]))
      return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_WORK_DIM, 0,
                                "kernel '%s': a global size or offset in dimension %u, but work_dim is %u",
                                l->info->name, (unsigned)d, (unsigned)dims);
    if (size == 0 && d > 0)
      size = 1;
    l->empty |= size == 0;
    l->drv.global[d] = size;
    l->drv.offset[d] = desc->offset[d];
    int64_t end;
    if (size > INT64_MAX || __builtin_mul_overflow(total, (int64_t)(size ? size : 1), &total) ||
        desc->offset[d] > INT64_MAX || __builtin_add_overflow((int64_t)size, (int64_t)desc->offset[d], &end))
      return kiln_error_because(
          KILN_ERR_INVALID, KILN_REASON_GLOBAL_SIZE, d,
          "kernel '%s': a global size of %llu x %llu x %llu at offset %llu, %llu, %llu "
          "is too large",
          l->info->name, (unsigned long long)desc->global[0], (unsigned long long)(dims > 1 ? desc->global[1] : 1),
          (unsigned long long)(dims > 2 ? desc->global[2] : 1), (unsigned long long)desc->offset[0],
          (unsigned long long)desc->offset[1], (unsigned long long)desc->offset[2]);
  }
  l->drv.work_dim = dims;
  return KILN_OK;
}

static enum kiln_status check_required(const struct launch *l) {
  const uint32_t *required = l->info->required_group_size;
  const uint64_t *local = l->drv.local;
  if (!required[0] || (local[0] == required[0] && local[1] == required[1] && local[2] == required[2]))
    return KILN_OK;
  return kiln_error_because(
      KILN_ERR_INVALID, KILN_REASON_LOCAL_SIZE, 0,
      "kernel '%s' requires a local size of %u x %u x %u (reqd_work_group_size), got %llu x %llu x %llu", l->info->name,
      (unsigned)required[0], (unsigned)required[1], (unsigned)required[2], (unsigned long long)local[0],
      (unsigned long long)local[1], (unsigned long long)local[2]);
}

// limit: in work-items. dimension: where the group goes beyond it.
static enum kiln_status too_large(const struct launch *l, const struct kiln_kernel_info *info, uint64_t limit,
                                  uint32_t dimension) {
  const uint64_t *local = l->drv.local;
  char memory[80] = "";
  if (info->max_group_size && info->private_bytes >= 1024)
    snprintf(memory, sizeof memory, ", with %u bytes of private memory each", (unsigned)info->private_bytes);
  return kiln_error_because(
      KILN_ERR_INVALID, KILN_REASON_LOCAL_SIZE, dimension,
      "kernel '%s': a work-group of %llu x %llu x %llu is larger than the %llu work-items that %s can have%s",
      info->name, (unsigned long long)local[0], (unsigned long long)local[1], (unsigned long long)local[2],
      (unsigned long long)limit, info->max_group_size ? "this kernel" : "the device", memory);
}

static enum kiln_status check_local(struct launch *l) {
  const struct kiln_kernel_info *info = l->info;
  const struct kiln_context *ctx = l->stream->ctx;
  const struct kiln_device_info *device = &ctx->devices[l->stream->device];
  const uint64_t *given = l->desc->local;
  bool is_required = !given[0] && !given[1] && !given[2];
  if (is_required) {
    if (!info->required_group_size[0]) {
      l->drv.local_free = true;
      return KILN_OK;
    }
    for (int d = 0; d < 3; d++)
      l->drv.local[d] = info->required_group_size[d] ? info->required_group_size[d] : 1;
  } else {
    if (!given[0])
      return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_LOCAL_SIZE, 0,
                                "kernel '%s': the local size is 0 in dimension 0, but not in the others", info->name);
    for (int d = 0; d < 3; d++)
      l->drv.local[d] = given[d] ? given[d] : 1;
  }
  uint64_t limit = info->max_group_size ? info->max_group_size : device->max_group_size, total = 1;
  for (uint32_t d = 0; d < 3; d++) {
    uint64_t size = l->drv.local[d];
    if (d >= l->drv.work_dim && size > 1)
      return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_LOCAL_SIZE, d,
                                "kernel '%s': the local size%s is %llu in dimension %u, but the launch has %u "
                                "dimension%s",
                                info->name, is_required ? " that it requires (reqd_work_group_size)" : "",
                                (unsigned long long)size, (unsigned)d, (unsigned)l->drv.work_dim,
                                l->drv.work_dim == 1 ? "" : "s");
    if (__builtin_mul_overflow(total, size, &total) || total > limit)
      return too_large(l, info, limit, d);
    if (l->drv.global[d] % size && !ctx->caps.partial_groups)
      return kiln_error_because(KILN_ERR_UNSUPPORTED, KILN_REASON_LOCAL_SIZE, d,
                                "kernel '%s': the global size %llu of dimension %u is no multiple of the "
                                "local size %llu, and backend '%s' cannot run partial groups",
                                info->name, (unsigned long long)l->drv.global[d], (unsigned)d, (unsigned long long)size,
                                ctx->backend->name);
  }
  return check_required(l);
}

// ---- launching -----------------------------------------------------------------------------------------------------

// The kernel and the sizes of a tuned launch.
static enum kiln_status choose_tuned(struct launch *l) {
  const struct kiln_launch_desc *desc = l->desc;
  const char *name = kiln_kernel_info(l->kernel)->name;
  if (desc->local[0] || desc->local[1] || desc->local[2])
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_LOCAL_SIZE, 0,
                              "kernel '%s': the launch is a tuned one, whose local size Kiln chooses", name);
  enum kiln_status status = kiln_tuned_choose(l->kernel, l->stream, desc, &l->tuned);
  if (status != KILN_OK)
    return status;
  l->kernel = &l->tuned.kernel;
  l->tuned_desc = *desc;
  l->desc = &l->tuned_desc;
  if (!l->tuned.has_sizes)
    return KILN_OK;
  if (desc->global[0] || desc->global[1] || desc->global[2])
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_GLOBAL_SIZE, 0,
                              "kernel '%s': the launch is a tuned one, whose global size problem_size says", name);
  memcpy(l->tuned_desc.global, l->tuned.global, sizeof l->tuned_desc.global);
  memcpy(l->tuned_desc.local, l->tuned.local, sizeof l->tuned_desc.local);
  if (!desc->work_dim)
    l->tuned_desc.work_dim = l->tuned.work_dim;
  return KILN_OK;
}

static enum kiln_status check(struct launch *l, const char *call, struct kiln_stream *stream,
                              struct kiln_kernel *kernel, const struct kiln_launch_desc *desc) {
  l->stream = stream;
  l->owner = l->kernel = kernel;
  l->desc = desc;
  memset(&l->drv, 0, sizeof l->drv);
  l->empty = false;
  l->args = NULL;
  if (!stream || !kernel || !desc)
    return kiln_error(KILN_ERR_INVALID, "%s: %s is NULL", call, !stream ? "stream" : !kernel ? "kernel" : "desc");
  if (kernel->program->ctx != stream->ctx)
    return kiln_error(KILN_ERR_INVALID, "%s: the kernel belongs to another context than the stream", call);
  enum kiln_status status = desc->tuned ? choose_tuned(l) : KILN_OK;
  if (status != KILN_OK)
    return status;
  l->info = kiln_kernel_info(l->kernel);
  status = check_args(l);
  if (status == KILN_OK)
    status = check_global(l);
  if (status == KILN_OK)
    status = check_local(l);
  return status;
}

// Loads the kernel, which may compile it for launches that can be stopped, and lets the driver prepare what was
// checked.
static enum kiln_status load_and_prepare(struct launch *l, struct kiln_drv_launch **out) {
  struct kiln_context *ctx = l->stream->ctx;
  l->drv.stoppable = atomic_load_explicit(&l->stream->deadline, memory_order_relaxed) != 0;
  enum kiln_status status = kiln_kernel_for_launch(l->kernel, &l->drv, &l->binary);
  if (status != KILN_OK)
    return status;
  kiln_stream_mark(l->stream, &l->binary->uses);
  struct kiln_report report = kiln_context_report(ctx);
  status = ctx->backend->driver->prepare(atomic_load(&ctx->drv), &l->drv, out, &report);
  return kiln_report_finish(&report, status, ctx->backend->name, NULL);
}

static enum kiln_status prepare(struct launch *l, struct kiln_drv_launch **out) {
  struct kiln_floats floats = kiln_floats_enter();
  enum kiln_status status = load_and_prepare(l, out);
  kiln_floats_leave(floats);
  return status;
}

static void end(struct launch *l) {
  if (l->args != l->stack_args)
    free(l->args);
}

static struct kiln_command command_of(struct kiln_drv_launch *launch, const char *kernel,
                                      const struct kiln_drv_launch_desc *shape) {
  return (struct kiln_command){KILN_DO_LAUNCH, KILN_COMMAND_LAUNCH, .launch = {launch, kernel, shape}};
}

enum kiln_status kiln_launch(struct kiln_stream *stream, struct kiln_kernel *kernel,
                             const struct kiln_launch_desc *desc, struct kiln_event **event) {
  if (stream && stream->graph)
    return kiln_graph_add_launch(stream->graph, kernel, desc, event);
  struct launch l;
  enum kiln_status status = check(&l, "kiln_launch", stream, kernel, desc);
  struct kiln_drv_launch *launch = NULL;
  if (status == KILN_OK && l.empty)
    status = kiln_submit_nothing(stream, event);
  else if (status == KILN_OK && (status = prepare(&l, &launch)) == KILN_OK) {
    struct kiln_command command = command_of(launch, l.info->name, &l.drv);
    status = kiln_enqueue(stream, &command, NULL, event);
    stream->ctx->backend->driver->launch_release(atomic_load(&stream->ctx->drv), launch);
  }
  end(&l);
  return status;
}

// ---- prepared launches ---------------------------------------------------------------------------------------------

static void keep(struct kiln_prepared *prepared, struct kiln_buffer *buffer) {
  if (!buffer)
    return;
  kiln_buffer_ref(buffer);
  prepared->buffers[prepared->buffer_count++] = buffer;
}

static struct kiln_prepared *new_prepared(const struct launch *l) {
  struct kiln_prepared *prepared = calloc(1, sizeof *prepared + 2 * l->desc->arg_count * sizeof *prepared->buffers);
  if (!prepared)
    return NULL;
  prepared->stream = l->stream;
  prepared->kernel = l->owner;
  if (!l->stream->graph)
    kiln_stream_ref(l->stream);
  kiln_kernel_ref(l->owner);
  for (uint32_t i = 0; i < l->desc->arg_count; i++) {
    const struct kiln_arg *arg = &l->desc->args[i];
    if (arg->kind == KILN_ARG_BUFFER)
      keep(prepared, arg->buffer);
    if (arg->kind != KILN_ARG_IMAGE)
      continue;
    keep(prepared, image_of(arg)->buffer);
    keep(prepared, image_of(arg)->pixels);
  }
  return prepared;
}

enum kiln_status kiln_prepare_for(const char *call, struct kiln_stream *stream, struct kiln_kernel *kernel,
                                  const struct kiln_launch_desc *desc, struct kiln_prepared **out) {
  struct launch l;
  struct kiln_drv_launch *launch = NULL;
  struct kiln_prepared *prepared = NULL;
  enum kiln_status status = check(&l, call, stream, kernel, desc);
  if (status == KILN_OK) {
    prepared = new_prepared(&l);
    status = prepared ? KILN_OK : kiln_error_memory();
  }
  if (status == KILN_OK && !l.empty)
    status = prepare(&l, &launch);
  if (prepared) {
    prepared->stoppable = l.drv.stoppable;
    prepared->binary = l.binary;
    prepared->shape = l.drv;
    prepared->shape.args = NULL;
    prepared->command = command_of(launch, l.info->name, &prepared->shape);
  }
  end(&l);
  if (status != KILN_OK) {
    kiln_prepared_release(prepared);
    return status;
  }
  *out = prepared;
  return KILN_OK;
}

enum kiln_status kiln_prepare(struct kiln_stream *stream, struct kiln_kernel *kernel,
                              const struct kiln_launch_desc *desc, struct kiln_prepared **out) {
  if (!out)
    return kiln_error(KILN_ERR_INVALID, "kiln_prepare: out is NULL");
  enum kiln_status status = stream ? kiln_stream_check_runs("kiln_prepare", stream) : KILN_OK;
  return status == KILN_OK ? kiln_prepare_for("kiln_prepare", stream, kernel, desc, out) : status;
}

enum kiln_status kiln_run_prepared(struct kiln_prepared *prepared, struct kiln_event **event) {
  if (!prepared)
    return kiln_error(KILN_ERR_INVALID, "kiln_run_prepared: prepared is NULL");
  const struct kiln_command *command = &prepared->command;
  if (!prepared->stoppable && atomic_load_explicit(&prepared->stream->deadline, memory_order_relaxed))
    return kiln_error(KILN_ERR_INVALID, "kiln_run_prepared: '%s' was prepared before its stream got a deadline",
                      command->launch.kernel);
  return command->launch.launch ? kiln_enqueue(prepared->stream, command, NULL, event)
                                : kiln_submit_nothing(prepared->stream, event);
}

void kiln_prepared_release(struct kiln_prepared *prepared) {
  if (!prepared)
    return;
  struct kiln_context *ctx = prepared->stream->ctx;
  if (prepared->command.launch.launch)
    ctx->backend->driver->launch_release(atomic_load(&ctx->drv), prepared->command.launch.launch);
  for (uint32_t i = 0; i < prepared->buffer_count; i++)
    kiln_buffer_release(prepared->buffers[i]);
  kiln_kernel_release(prepared->kernel);
  if (!prepared->stream->graph)
    kiln_stream_unref(prepared->stream); // last: it keeps the context
  free(prepared);
}
