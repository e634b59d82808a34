// What programs ask of devices: what follows from the target, then what the driver knows better.
#include <string.h>

#include "base/floats.h"
#include "jit/context.h"
#include "jit/lang/lex/unit.h"
#include "jit/lang/pp/pp.h"

// Of OpenCL C 3.0. The driver's lock is held. NULL: memory is exhausted.
static const char *extensions(struct kiln_context *ctx) {
  if (ctx->extensions)
    return ctx->extensions;
  const struct kiln_caps *caps = &ctx->caps;
  const struct kiln_lang_options options = {.std = 300,
                                            .fp16 = caps->fp16,
                                            .fp64 = caps->fp64,
                                            .int64_atomics = caps->int64_atomics,
                                            .generic_space = caps->generic_space,
                                            .images = true,
                                            .sub_groups = caps->sub_groups != KILN_SUB_GROUPS_NONE};
  struct kiln_strbuf text = {0};
  kiln_predefined_extensions(&options, &text);
  if (!text.failed && text.data)
    ctx->extensions = strdup(text.data);
  kiln_strbuf_free(&text);
  return ctx->extensions;
}

enum kiln_status kiln_device_traits(struct kiln_context *ctx, uint32_t device, struct kiln_device_traits *out) {
  if (!ctx || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_device_traits: %s is NULL", ctx ? "out" : "ctx");
  struct kiln_drv *drv;
  enum kiln_status status = kiln_context_device(ctx, device, &drv);
  if (status != KILN_OK)
    return status;
  pthread_mutex_lock(&ctx->driver_lock);
  const char *names = extensions(ctx);
  pthread_mutex_unlock(&ctx->driver_lock);
  if (!names)
    return kiln_error_memory();
  const struct kiln_device_info *info = &ctx->devices[device];
  const uint32_t all =
      KILN_FLOAT_DENORMS | KILN_FLOAT_INF_NAN | KILN_FLOAT_ROUND_NEAREST | (ctx->caps.fma ? KILN_FLOAT_FMA : 0);
  struct kiln_device_traits traits = {
      .extensions = names,
      .max_alloc_bytes = info->memory_bytes,
      .half_flags = ctx->caps.fp16 ? all : 0,
      .float_flags = all | KILN_FLOAT_EXACT_DIVIDE,
      .double_flags = ctx->caps.fp64 ? all | KILN_FLOAT_FMA | KILN_FLOAT_ROUND_ZERO | KILN_FLOAT_ROUND_INF : 0,
      .char_width = 1,
      .short_width = 1,
      .int_width = 1,
      .long_width = 1,
      .half_width = ctx->caps.fp16,
      .float_width = 1,
      .double_width = ctx->caps.fp64,
      .own_local_memory = !info->host_memory,
      .pointers = ctx->backend->driver->takes_pointer ? KILN_POINTERS_RUNTIME : KILN_POINTERS_NONE,
  };
  struct kiln_floats floats = kiln_floats_enter();
  if (ctx->backend->driver->device_traits)
    ctx->backend->driver->device_traits(drv, device, &traits);
  kiln_floats_leave(floats);
  *out = traits;
  return KILN_OK;
}
