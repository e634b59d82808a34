// Variants of a program: the same source, compiled with options that a launch of another shape wants. They are programs
// of their own, keyed, cached and recorded like any other, and live as long as the one that they belong to.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/program.h"

static struct kiln_program *find(struct kiln_program *program, const char *options) {
  struct kiln_program *variant = atomic_load_explicit(&program->variants, memory_order_acquire);
  while (variant && strcmp(variant->variant_options, options))
    variant = variant->next_variant;
  return variant;
}

static enum kiln_status compile(const struct kiln_program *program, const char *options, struct kiln_program **out) {
  const struct kiln_source *source = &program->source;
  struct kiln_header *headers = calloc(source->header_count + 1, sizeof *headers);
  size_t size = strlen(program->options) + strlen(options) + 2;
  char *all = malloc(size);
  enum kiln_status status = KILN_ERR_MEMORY;
  if (headers && all) {
    snprintf(all, size, "%s %s", program->options, options);
    for (uint32_t i = 0; i < source->header_count; i++)
      headers[i] = (struct kiln_header){source->headers[i].name, source->headers[i].text, source->headers[i].size};
    struct kiln_program_desc desc = {.source = source->text,
                                     .size = source->size,
                                     .name = source->name,
                                     .kind = source->kind,
                                     .options = all,
                                     .headers = headers,
                                     .header_count = source->header_count,
                                     .stage = source->start_stage,
                                     .stage_data = source->start_data,
                                     .stage_size = source->start_size};
    status = kiln_program_create_from(
        program->ctx, &desc, &(struct kiln_origin){.recorded = source->recorded, .saved = program->saved}, out);
  } else {
    kiln_error_memory();
  }
  free(headers);
  free(all);
  return status;
}

// Two threads may compile the same one; one of the two is kept.
static enum kiln_status get(struct kiln_program *program, const char *options, struct kiln_program **out) {
  const char *stage = program->source.start_stage;
  struct kiln_program *variant = find(program, options);
  if (!variant && stage && strcmp(stage, "ir")) // whose code was made for launches of one shape
    return kiln_error(KILN_ERR_UNSUPPORTED,
                      "a launch like this wants '%s' compiled with %s, but it begins at stage '%s'",
                      program->source.name, options, stage);
  if (!variant) {
    kiln_context_log(program->ctx, KILN_LOG_INFO, "'%s' is compiled for launches of another kind: %s",
                     program->source.name, options);
    enum kiln_status status = compile(program, options, &variant);
    if (status != KILN_OK) {
      char *why = strdup(kiln_last_error());
      if (why)
        kiln_error(status, "a launch like this wants '%s' compiled with %s: %s", program->source.name, options, why);
      free(why);
      return status;
    }
    variant->variant_options = options;
    pthread_mutex_lock(&program->image->lock);
    struct kiln_program *other = find(program, options);
    if (!other) {
      variant->next_variant = atomic_load(&program->variants);
      atomic_store_explicit(&program->variants, variant, memory_order_release);
    }
    pthread_mutex_unlock(&program->image->lock);
    if (other) {
      kiln_program_release(variant);
      variant = other;
    }
  }
  *out = variant;
  return KILN_OK;
}

enum kiln_status kiln_program_shipped_variant(struct kiln_program *program, struct kiln_program **out) {
  const struct kiln_base_backend *backend = program->ctx->backend;
  struct kiln_code code = kiln_image_code(program->image);
  const char *options = backend->shipped_variant ? backend->shipped_variant(&code) : NULL;
  *out = NULL;
  return options ? get(program, options, out) : KILN_OK;
}

static enum kiln_status load(struct kiln_program *program, uint32_t index, const char *options,
                             struct kiln_drv_kernel **kernel, struct kiln_image **image) {
  struct kiln_kernel of_variant = {.index = index};
  enum kiln_status status = get(program, options, &of_variant.program);
  if (status == KILN_OK)
    status = kiln_kernel_load(&of_variant, kernel);
  if (status == KILN_OK)
    *image = of_variant.program->image;
  return status;
}

static bool is_wish(const char *options) { return options && options[0] == '?'; }

enum kiln_status kiln_kernel_for_launch(struct kiln_kernel *kernel, struct kiln_drv_launch_desc *launch,
                                        struct kiln_image **image) {
  struct kiln_program *program = kernel->program;
  const struct kiln_base_backend *backend = program->ctx->backend;
  *image = program->image;
  enum kiln_status status = kiln_kernel_load(kernel, &launch->kernel);
  if (status != KILN_OK || !backend->launch_variant)
    return status;
  struct kiln_drv *drv = atomic_load(&program->ctx->drv);
  launch->without_wishes = atomic_load_explicit(&program->lacks_wished, memory_order_relaxed);
  const char *options = backend->launch_variant(drv, launch);
  struct kiln_drv_kernel *loaded = launch->kernel;
  if (is_wish(options) && !launch->without_wishes) {
    status = load(program, kernel->index, options + 1, &loaded, image);
    if (status != KILN_OK) {
      kiln_context_log(program->ctx, KILN_LOG_INFO, "'%s' runs without that: %s", program->source.name,
                       kiln_last_error());
      atomic_store_explicit(&program->lacks_wished, true, memory_order_relaxed);
      launch->without_wishes = true;
      options = backend->launch_variant(drv, launch);
      status = KILN_OK;
    }
  }
  if (options && !is_wish(options))
    status = load(program, kernel->index, options, &loaded, image);
  launch->kernel = loaded;
  return status;
}
