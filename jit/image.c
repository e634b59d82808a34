// Images: parts of buffers that are read as pixels.
#include "jit/image.h"
#include "kiln/pixel.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH, HEIGHT, DEPTH, LAYERS, SIZES };

static const struct {
  const char *name;
  struct kiln_image_limits limits; // 1: there is no such size
  bool is_depth;
} dimensions[] = {
    [KILN_IMAGE_1D] = {"1D", {16384, 1, 1, 1}, false},
    [KILN_IMAGE_1D_BUFFER] = {"1D buffer", {1 << 27, 1, 1, 1}, false},
    [KILN_IMAGE_1D_ARRAY] = {"1D array", {16384, 1, 1, 2048}, false},
    [KILN_IMAGE_2D] = {"2D", {16384, 16384, 1, 1}, false},
    [KILN_IMAGE_2D_ARRAY] = {"2D array", {16384, 16384, 1, 2048}, false},
    [KILN_IMAGE_3D] = {"3D", {2048, 2048, 2048, 1}, false},
    [KILN_IMAGE_2D_DEPTH] = {"2D depth", {16384, 16384, 1, 1}, true},
    [KILN_IMAGE_2D_ARRAY_DEPTH] = {"2D array depth", {16384, 16384, 1, 2048}, true},
};

static bool is_dimension(enum kiln_image_dimension dimension) {
  return (size_t)dimension < sizeof dimensions / sizeof *dimensions;
}

const char *kiln_image_dimension_name(enum kiln_image_dimension dimension) {
  return is_dimension(dimension) ? dimensions[dimension].name : "unknown";
}

// ---- what there can be ---------------------------------------------------------------------------------------------

bool kiln_image_is_writable(struct kiln_image_format format) {
  return format.order != KILN_ORDER_SRGBA && format.order != KILN_ORDER_SBGRA;
}

static bool has_format(enum kiln_image_dimension dimension, struct kiln_image_format format) {
  return kiln_pixel_is_format(format) && dimensions[dimension].is_depth == (format.order == KILN_ORDER_DEPTH);
}

static enum kiln_status check_dimension(const char *call, enum kiln_image_dimension dimension) {
  return is_dimension(dimension) ? KILN_OK
                                 : kiln_error(KILN_ERR_INVALID, "%s: dimension %d is unknown", call, (int)dimension);
}

enum kiln_status kiln_image_limits(struct kiln_context *ctx, uint32_t device, enum kiln_image_dimension dimension,
                                   struct kiln_image_limits *out) {
  if (!ctx || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_image_limits: %s is NULL", ctx ? "out" : "ctx");
  struct kiln_drv *drv;
  enum kiln_status status = kiln_context_device(ctx, device, &drv);
  if (status == KILN_OK)
    status = check_dimension("kiln_image_limits", dimension);
  if (status != KILN_OK)
    return status;
  *out = dimensions[dimension].limits;
  if (kiln_device_images(ctx)) {
    struct kiln_image_limits own = {0};
    ctx->backend->driver->image_limits(drv, device, dimension, &own);
    out->width = own.width < out->width ? own.width : out->width;
    out->height = own.height < out->height ? own.height : out->height;
    out->depth = own.depth < out->depth ? own.depth : out->depth;
    out->layers = own.layers < out->layers ? own.layers : out->layers;
  }
  return KILN_OK;
}

enum kiln_status kiln_image_formats(struct kiln_context *ctx, uint32_t device, enum kiln_image_dimension dimension,
                                    enum kiln_access access, struct kiln_image_format *out, uint32_t capacity,
                                    uint32_t *count) {
  if (!ctx || !count || (!out && capacity))
    return kiln_error(KILN_ERR_INVALID, "kiln_image_formats: %s is NULL", !ctx ? "ctx" : !count ? "count" : "out");
  struct kiln_drv *drv;
  enum kiln_status status = kiln_context_device(ctx, device, &drv);
  if (status == KILN_OK)
    status = check_dimension("kiln_image_formats", dimension);
  if (status != KILN_OK)
    return status;
  if (kiln_device_images(ctx)) {
    *count = ctx->backend->driver->image_formats(drv, device, dimension, access, out, capacity);
    return KILN_OK;
  }
  uint32_t found = 0;
  bool writes = access == KILN_ACCESS_WRITE || access == KILN_ACCESS_READ_WRITE;
  for (int order = 0; order <= KILN_ORDER_SBGRA; order++)
    for (int type = 0; type <= KILN_CHANNEL_F32; type++) {
      struct kiln_image_format format = {(enum kiln_channel_order)order, (enum kiln_channel_type)type};
      if (!has_format(dimension, format) || (writes && !kiln_image_is_writable(format)))
        continue;
      if (found < capacity)
        out[found] = format;
      found++;
    }
  *count = found;
  return KILN_OK;
}

uint32_t kiln_image_pixel_bytes(struct kiln_image_format format) {
  return kiln_pixel_is_format(format) ? kiln_pixel_bytes(format) : 0;
}

// ---- checks --------------------------------------------------------------------------------------------------------

static enum kiln_status check_format(const struct kiln_image_desc *desc) {
  if (has_format(desc->dimension, desc->format))
    return KILN_OK;
  char text[24];
  kiln_pixel_format_text(desc->format, text, sizeof text);
  const char *why = "which is no format of images";
  if (kiln_pixel_is_format(desc->format))
    why = dimensions[desc->dimension].is_depth ? "and depth images have depth:unorm16 or depth:f32"
                                               : "which is for depth images alone";
  return kiln_error_because(KILN_ERR_UNSUPPORTED, KILN_REASON_FORMAT, 0, "kiln_image_create: a %s image of %s, %s",
                            dimensions[desc->dimension].name, text, why);
}

// Puts 1 where there is no such size.
static enum kiln_status settle_sizes(struct kiln_image_desc *desc, const struct kiln_image_limits *limits) {
  static const char *const names[SIZES] = {"width", "height", "depth", "number of layers"};
  const uint32_t most[SIZES] = {limits->width, limits->height, limits->depth, limits->layers};
  uint32_t *sizes[SIZES] = {&desc->width, &desc->height, &desc->depth, &desc->layers};
  for (uint32_t i = 0; i < SIZES; i++) {
    if (most[i] == 1 && *sizes[i] > 1)
      return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_IMAGE_SIZE, i,
                                "kiln_image_create: a %s of %u, but a %s image has none", names[i], (unsigned)*sizes[i],
                                dimensions[desc->dimension].name);
    if (most[i] > 1 && (*sizes[i] == 0 || *sizes[i] > most[i]))
      return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_IMAGE_SIZE, i,
                                "kiln_image_create: a %s of %u; 1 to %u are possible for a %s image", names[i],
                                (unsigned)*sizes[i], (unsigned)most[i], dimensions[desc->dimension].name);
    if (most[i] == 1)
      *sizes[i] = 1;
  }
  return KILN_OK;
}

// Fills in row and slice. *bytes: from the first pixel to the end of the last one.
static enum kiln_status settle_pitches(struct kiln_image_desc *desc, size_t pixel, size_t *bytes) {
  size_t line = pixel * desc->width, plane, last_row, last_slice;
  desc->row = desc->row ? desc->row : line;
  if (desc->row < line || desc->row % pixel)
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_LAYOUT, 0,
                              "kiln_image_create: rows of %zu bytes, but %u pixels of %zu bytes need %zu, or a larger "
                              "multiple of %zu",
                              desc->row, (unsigned)desc->width, pixel, line, pixel);
  bool fits = !__builtin_mul_overflow(desc->row, (size_t)desc->height, &plane);
  desc->slice = desc->slice || !fits ? desc->slice : plane;
  if (fits && (desc->slice < plane || desc->slice % desc->row))
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_LAYOUT, 0,
                              "kiln_image_create: planes or layers of %zu bytes, but %u rows of %zu bytes need %zu, or "
                              "a larger multiple of %zu",
                              desc->slice, (unsigned)desc->height, desc->row, plane, desc->row);
  size_t slices = (size_t)desc->depth * desc->layers;
  fits = fits && !__builtin_mul_overflow(desc->slice, slices - 1, &last_slice) &&
         !__builtin_add_overflow(last_slice, desc->row * (desc->height - 1), &last_row) &&
         !__builtin_add_overflow(last_row, line, bytes) && desc->slice <= INT64_MAX;
  return fits ? KILN_OK
              : kiln_error_because(KILN_ERR_INVALID, KILN_REASON_LAYOUT, 0,
                                   "kiln_image_create: rows of %zu and planes or layers of %zu bytes are more than "
                                   "memory has",
                                   desc->row, desc->slice);
}

static enum kiln_status misaligned(const char *what, size_t address, size_t pixel, const char *more) {
  return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_ALIGN, 0,
                            "kiln_image_create: %s 0x%zx is no multiple of a pixel's %zu bytes%s", what, address, pixel,
                            more);
}

static enum kiln_status check_buffer(const struct kiln_context *ctx, const struct kiln_image_desc *desc, size_t pixel,
                                     size_t bytes) {
  const struct kiln_buffer *buffer = desc->buffer;
  if (desc->host || desc->copies)
    return kiln_error(KILN_ERR_INVALID, "kiln_image_create: %s is set, and so is buffer: an image has one memory",
                      desc->host ? "host" : "copies");
  if (buffer->ctx != ctx)
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_PLACE, 0,
                              "kiln_image_create: the buffer belongs to another context");
  if (desc->offset % pixel)
    return misaligned("offset", desc->offset, pixel, "");
  if (buffer->root->host && ((uintptr_t)buffer->root->host + buffer->offset) % pixel)
    return misaligned("the buffer's memory at", (uintptr_t)buffer->root->host + buffer->offset, pixel, "");
  if (desc->offset > buffer->size || bytes > buffer->size - desc->offset)
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_RANGE, 0,
                              "kiln_image_create: an image of %zu bytes at offset %zu does not fit into a buffer of "
                              "%zu bytes",
                              bytes, desc->offset, buffer->size);
  return KILN_OK;
}

static enum kiln_status check_memory(const struct kiln_context *ctx, const struct kiln_image_desc *desc, size_t pixel,
                                     size_t bytes) {
  const struct kiln_device_info *device = &ctx->devices[desc->device];
  if (desc->offset)
    return kiln_error(KILN_ERR_INVALID, "kiln_image_create: offset is %zu, but there is no buffer", desc->offset);
  if (desc->copies && !desc->host)
    return kiln_error(KILN_ERR_INVALID, "kiln_image_create: copies is set, but host is NULL");
  if (desc->host && desc->host_bytes && desc->host_bytes < bytes)
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_RANGE, 0,
                              "kiln_image_create: the image has %zu bytes, and host_bytes are %zu", bytes,
                              desc->host_bytes);
  if (desc->host && !desc->copies && device->host_memory && (uintptr_t)desc->host % pixel)
    return misaligned("host", (uintptr_t)desc->host, pixel, "; with copies it need not be");
  bool is_wrapped = desc->host && !desc->copies && device->host_memory;
  if (device->memory_bytes && bytes > device->memory_bytes && !is_wrapped)
    return kiln_error(KILN_ERR_MEMORY,
                      "kiln_image_create: an image of %zu bytes is larger than the memory of device %u ('%s'), %llu",
                      bytes, (unsigned)desc->device, device->name, (unsigned long long)device->memory_bytes);
  return KILN_OK;
}

// ---- life ----------------------------------------------------------------------------------------------------------

static enum kiln_status copy_in(struct kiln_context *ctx, struct kiln_buffer *buffer, const void *host) {
  if (buffer->host) {
    memcpy(buffer->host, host, buffer->size);
    return KILN_OK;
  }
  struct kiln_stream *stream;
  enum kiln_status status = kiln_stream_create(ctx, buffer->device, &stream);
  if (status != KILN_OK)
    return status;
  status = kiln_write(stream, buffer, 0, host, buffer->size, NULL);
  if (status == KILN_OK)
    status = kiln_stream_finish(stream);
  kiln_stream_release(stream);
  return status;
}

static enum kiln_status make_buffer(struct kiln_context *ctx, const struct kiln_image_desc *desc, size_t bytes,
                                    struct kiln_buffer **out) {
  // Where memory of the host is not wrapped, the driver has copied it.
  bool copies = desc->copies && ctx->devices[desc->device].host_memory;
  struct kiln_buffer_desc memory = {.size = bytes, .host = copies ? NULL : desc->host, .device = desc->device};
  enum kiln_status status = kiln_buffer_create(ctx, &memory, out);
  if (status != KILN_OK || !copies)
    return status;
  status = copy_in(ctx, *out, desc->host);
  if (status != KILN_OK)
    kiln_buffer_release(*out);
  return status;
}

static struct kiln_image_record record_of(const struct kiln_image_desc *desc, size_t bytes) {
  return (struct kiln_image_record){.width = (int32_t)desc->width,
                                    .height = (int32_t)desc->height,
                                    .depth = (int32_t)desc->depth,
                                    .layers = (int32_t)desc->layers,
                                    .order = kiln_pixel_order_number(desc->format),
                                    .type = kiln_pixel_type_number(desc->format) |
                                            (bytes <= INT32_MAX ? KILN_IMAGE_IS_SMALL : 0),
                                    .row = (int64_t)desc->row,
                                    .slice = (int64_t)desc->slice};
}

// A new image has no memory yet.
static struct kiln_image *new_image(const struct kiln_image_desc *desc, size_t bytes, uint8_t accesses) {
  struct kiln_image *image = calloc(1, sizeof *image);
  if (!image)
    return NULL;
  image->refs = 1;
  image->offset = desc->offset;
  image->bytes = bytes;
  image->accesses = accesses;
  image->desc = *desc;
  image->desc.host = NULL;
  image->desc.host_bytes = 0;
  image->desc.copies = false;
  image->record = record_of(desc, bytes);
  return image;
}

static void put_into(struct kiln_image *image, struct kiln_buffer *buffer) {
  unsigned char *host = kiln_buffer_host(buffer);
  image->buffer = buffer;
  image->desc.buffer = buffer;
  image->desc.device = buffer->device;
  image->desc.host = host ? host + image->offset : NULL;
  image->desc.host_bytes = host ? image->bytes : 0;
}

// Gives the image memory: what the caller names, or new memory, which for images of the device is theirs alone, unless
// they are images of buffers.
static enum kiln_status give_memory(struct kiln_context *ctx, const struct kiln_image_desc *desc, bool of_device,
                                    struct kiln_image *image) {
  bool wraps = desc->host && !desc->copies && ctx->devices[image->desc.device].host_memory;
  bool in_buffer = !of_device || wraps || desc->dimension == KILN_IMAGE_1D_BUFFER;
  struct kiln_buffer *buffer = desc->buffer;
  enum kiln_status status = KILN_OK;
  if (buffer)
    kiln_buffer_ref(buffer);
  else if (in_buffer)
    status = make_buffer(ctx, desc, image->bytes, &buffer);
  if (status == KILN_OK && buffer)
    put_into(image, buffer);
  return status == KILN_OK && of_device ? kiln_device_image_new(ctx, desc, image->bytes, buffer, &image->pixels)
                                        : status;
}

// As the caller gave it, but for sizes and pitches. *bytes: from the first pixel to the end of the last one.
static enum kiln_status settle(struct kiln_context *ctx, struct kiln_image_desc *desc, size_t *bytes,
                               uint8_t *accesses) {
  struct kiln_image_limits limits;
  const struct kiln_buffer *buffer = desc->buffer;
  uint32_t device = !buffer ? desc->device : buffer->ctx == ctx ? buffer->device : 0;
  enum kiln_status status = check_dimension("kiln_image_create", desc->dimension);
  if (status == KILN_OK)
    status = check_format(desc);
  if (status == KILN_OK && kiln_device_images(ctx))
    status = kiln_device_image_check(ctx, desc, device, accesses);
  if (status == KILN_OK)
    status = kiln_image_limits(ctx, device, desc->dimension, &limits);
  if (status == KILN_OK)
    status = settle_sizes(desc, &limits);
  size_t pixel = kiln_image_pixel_bytes(desc->format);
  if (status == KILN_OK)
    status = settle_pitches(desc, pixel, bytes);
  if (status == KILN_OK)
    status = buffer ? check_buffer(ctx, desc, pixel, *bytes) : check_memory(ctx, desc, pixel, *bytes);
  return status;
}

enum kiln_status kiln_image_create(struct kiln_context *ctx, const struct kiln_image_desc *desc,
                                   struct kiln_image **out) {
  if (!ctx || !desc || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_image_create: %s is NULL", !ctx ? "ctx" : !desc ? "desc" : "out");
  struct kiln_drv *drv;
  struct kiln_image_desc settled = *desc;
  size_t bytes = 0;
  uint8_t accesses = 0;
  enum kiln_status status = kiln_context_device(ctx, desc->buffer ? 0 : desc->device, &drv);
  if (status == KILN_OK)
    status = settle(ctx, &settled, &bytes, &accesses);
  if (status != KILN_OK)
    return status;
  struct kiln_image *image = new_image(&settled, bytes, accesses);
  if (!image)
    return kiln_error_memory();
  status = give_memory(ctx, &settled, kiln_device_images(ctx), image);
  if (status != KILN_OK) {
    kiln_image_release(image);
    return status;
  }
  *out = image;
  return KILN_OK;
}

void kiln_image_retain(struct kiln_image *image) {
  if (image)
    atomic_fetch_add(&image->refs, 1);
}

void kiln_image_release(struct kiln_image *image) {
  if (!image || atomic_fetch_sub(&image->refs, 1) != 1)
    return;
  kiln_buffer_release(image->pixels);
  kiln_buffer_release(image->buffer);
  free(image);
}

void kiln_image_info(const struct kiln_image *image, struct kiln_image_desc *out) {
  if (out)
    *out = image ? image->desc : (struct kiln_image_desc){0};
}

struct kiln_buffer *kiln_image_buffer(struct kiln_image *image) {
  return image ? image->buffer : NULL;
}
