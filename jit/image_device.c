// Images of the device, where the backend takes operations on images and its driver makes them.
#include <stdlib.h>

#include "jit/image.h"
#include "kiln/pixel.h"

#define MOST_FORMATS 256 // that a device lists; there are fewer in all

bool kiln_device_images(const struct kiln_context *ctx) {
  return ctx->caps.images && ctx->backend->driver && ctx->backend->driver->image_create;
}

static bool has_format(struct kiln_context *ctx, const struct kiln_image_desc *desc, uint32_t device,
                       enum kiln_access access) {
  struct kiln_image_format formats[MOST_FORMATS];
  uint32_t count = ctx->backend->driver->image_formats(atomic_load(&ctx->drv), device, desc->dimension, access, formats,
                                                       MOST_FORMATS);
  for (uint32_t i = 0; i < count && i < MOST_FORMATS; i++)
    if (formats[i].order == desc->format.order && formats[i].type == desc->format.type)
      return true;
  return false;
}

enum kiln_status kiln_device_image_check(struct kiln_context *ctx, const struct kiln_image_desc *desc, uint32_t device,
                                         uint8_t *accesses) {
  *accesses = 0;
  for (int access = KILN_ACCESS_READ; access <= KILN_ACCESS_READ_WRITE; access++)
    *accesses |= (uint8_t)(has_format(ctx, desc, device, (enum kiln_access)access) << access);
  if (*accesses)
    return KILN_OK;
  char text[24];
  kiln_pixel_format_text(desc->format, text, sizeof text);
  return kiln_error_because(KILN_ERR_UNSUPPORTED, KILN_REASON_FORMAT, 0,
                            "kiln_image_create: a %s image of %s: device %u ('%s') has no such images of its own",
                            kiln_image_dimension_name(desc->dimension), text, (unsigned)device,
                            ctx->devices[device].name);
}

enum kiln_status kiln_device_image_new(struct kiln_context *ctx, const struct kiln_image_desc *desc, size_t bytes,
                                       struct kiln_buffer *buffer, struct kiln_buffer **out) {
  struct kiln_drv *drv = atomic_load(&ctx->drv);
  const struct kiln_driver *driver = ctx->backend->driver;
  uint32_t device = buffer ? buffer->device : desc->device;
  struct kiln_drv_memory *from = buffer ? buffer->root->memory : NULL, *made = NULL;
  size_t offset = buffer ? buffer->offset + desc->offset : 0;
  struct kiln_report report = kiln_context_report(ctx);
  if (!buffer)
    kiln_retire_drain(ctx, bytes, ctx->devices[device].memory_bytes, false);
  enum kiln_status status = driver->image_create(drv, device, desc, from, offset, &made, &report);
  if (status == KILN_ERR_MEMORY && kiln_retire_drain(ctx, bytes, 0, true)) {
    kiln_report_free(&report);
    report = kiln_context_report(ctx);
    status = driver->image_create(drv, device, desc, from, offset, &made, &report);
  }
  status = kiln_report_finish(&report, status, ctx->backend->name, "kiln_image_create");
  return status == KILN_OK ? kiln_buffer_new(ctx, device, buffer ? 0 : bytes, made, out) : status;
}
