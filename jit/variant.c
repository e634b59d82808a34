// Variants of a program: the same source, compiled with options that a launch of another shape wants. They are programs
// of their own, keyed, cached and recorded like any other, and live as long as the one that they belong to.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/program.h"

// What is wanted of a program: other options, and of all its kernels or of one.
struct wish {
  const char *options, *kernel; // kernel NULL: all
  bool only_cached;             // NOT_CACHED where it would be compiled
  bool is_trial;
};

static struct kiln_program *find(struct kiln_program *program, const struct wish *wish) {
  struct kiln_program *variant = atomic_load_explicit(&program->variants, memory_order_acquire);
  while (variant && (variant->variant_kernel != wish->kernel || strcmp(variant->variant_options, wish->options)))
    variant = variant->next_variant;
  return variant;
}

static enum kiln_status create(const struct kiln_program *program, const struct wish *wish, struct kiln_program **out) {
  const struct kiln_source *source = &program->source;
  struct kiln_header *headers = calloc(source->header_count + 1, sizeof *headers);
  struct kiln_strbuf options = {0};
  kiln_strbuf_printf(&options, "%s %s%s%s", program->options, wish->options, wish->kernel ? " --kiln-kernel=" : "",
                     wish->kernel ? wish->kernel : "");
  enum kiln_status status = KILN_ERR_MEMORY;
  if (headers && !options.failed) {
    for (uint32_t i = 0; i < source->header_count; i++)
      headers[i] = (struct kiln_header){source->headers[i].name, source->headers[i].text, source->headers[i].size};
    struct kiln_program_desc desc = {.source = source->text,
                                     .size = source->size,
                                     .name = source->name,
                                     .kind = source->kind,
                                     .options = options.data,
                                     .headers = headers,
                                     .header_count = source->header_count,
                                     .stage = source->start_stage,
                                     .stage_data = source->start_data,
                                     .stage_size = source->start_size};
    struct kiln_origin origin = {.recorded = source->recorded,
                                 .saved = program->saved,
                                 .only_cached = wish->only_cached,
                                 .is_trial = program->is_trial || wish->is_trial};
    status = kiln_program_create_from(program->ctx, &desc, &origin, out);
  } else {
    kiln_error_memory();
  }
  free(headers);
  kiln_strbuf_free(&options);
  return status;
}

// The message has all options that it has to be compiled with to be found.
static enum kiln_status refuse(const struct kiln_program *program, const struct wish *wish, enum kiln_status status) {
  char *why = strdup(kiln_last_error());
  if (why)
    kiln_error(status, "a launch like this wants '%s' compiled with %s%s%s: %s", program->source.name, wish->options,
               wish->kernel ? " --kiln-kernel=" : "", wish->kernel ? wish->kernel : "", why);
  free(why);
  return status;
}

// Two threads may compile the same one; one of the two is kept.
static enum kiln_status get(struct kiln_program *program, const struct wish *wish, struct kiln_program **out) {
  const char *stage = program->source.start_stage;
  struct kiln_program *variant = find(program, wish);
  if (!variant && stage && strcmp(stage, "ir")) // whose code was made for launches of one shape
    return kiln_error(KILN_ERR_UNSUPPORTED,
                      "a launch like this wants '%s' compiled with %s, but it begins at stage '%s'",
                      program->source.name, wish->options, stage);
  if (!variant) {
    if (!wish->only_cached)
      kiln_context_log(program->ctx, KILN_LOG_INFO, "%s%s'%s' is compiled for launches of another kind: %s",
                       wish->kernel ? wish->kernel : "", wish->kernel ? " of " : "", program->source.name,
                       wish->options);
    enum kiln_status status = create(program, wish, &variant);
    if (status != KILN_OK)
      return refuse(program, wish, status);
    variant->variant_options = wish->options;
    variant->variant_kernel = wish->kernel;
    pthread_mutex_lock(&program->binary->lock);
    struct kiln_program *other = find(program, wish);
    if (!other) {
      variant->next_variant = atomic_load(&program->variants);
      atomic_store_explicit(&program->variants, variant, memory_order_release);
    }
    pthread_mutex_unlock(&program->binary->lock);
    if (other) {
      kiln_program_release(variant);
      variant = other;
    }
  }
  *out = variant;
  return KILN_OK;
}

enum kiln_status kiln_program_trial(const struct kiln_program *program, struct kiln_program **out) {
  return create(program, &(struct wish){.options = "", .is_trial = true}, out);
}

enum kiln_status kiln_variant_program(struct kiln_program *program, const char *options, struct kiln_program **out) {
  return get(program, &(struct wish){.options = options}, out);
}

static const char *shipped_options(const struct kiln_program *program) {
  const struct kiln_base_backend *backend = program->ctx->backend;
  struct kiln_code code = kiln_binary_code(program->binary);
  return backend->shipped_variant ? backend->shipped_variant(&code) : NULL;
}

enum kiln_status kiln_program_shipped_variant(struct kiln_program *program, struct kiln_program **out) {
  const char *options = shipped_options(program);
  *out = NULL;
  return options ? kiln_variant_program(program, options, out) : KILN_OK;
}

// The kernel's name, if the program has others and the backend can leave them out.
static const char *kernel_alone(const struct kiln_program *program, uint32_t index) {
  const struct kiln_reflection *reflection = &program->binary->reflection;
  bool can = reflection->kernel_count > 1 && kiln_options_has(program->ctx->backend, "kernel");
  return can ? reflection->kernels[index].name : NULL;
}

// All kernels where they are at hand, or came with the program; else compiles no more than the one.
static enum kiln_status get_for(struct kiln_program *program, uint32_t index, const char *options,
                                struct kiln_program **out) {
  struct wish wish = {.options = options, .kernel = kernel_alone(program, index)};
  if (!wish.kernel)
    return get(program, &wish, out);
  struct wish all = {.options = options, .only_cached = true};
  if (find(program, &all))
    return get(program, &all, out);
  const char *shipped = find(program, &wish) ? NULL : shipped_options(program);
  if (shipped && strcmp(shipped, options) == 0 && get(program, &all, out) == KILN_OK)
    return KILN_OK;
  return get(program, &wish, out);
}

enum kiln_status kiln_variant_kernel(struct kiln_program *program, uint32_t index, const char *options,
                                     struct kiln_kernel *out) {
  enum kiln_status status = get_for(program, index, options, &out->program);
  if (status != KILN_OK)
    return status;
  const char *name = program->binary->reflection.kernels[index].name;
  const struct kiln_reflection *there = &out->program->binary->reflection;
  out->index = 0;
  while (out->index < there->kernel_count && strcmp(there->kernels[out->index].name, name))
    out->index++;
  if (out->index == there->kernel_count)
    return kiln_error(KILN_ERR_INTERNAL, "'%s' compiled with %s has no kernel '%s'", program->source.name, options,
                      name);
  atomic_store(&out->program->binary->variant_of, program->binary->module);
  return KILN_OK;
}

static enum kiln_status load(struct kiln_program *program, uint32_t index, const char *options,
                             struct kiln_drv_kernel **kernel, struct kiln_binary **binary) {
  struct kiln_kernel of_variant = {0};
  enum kiln_status status = kiln_variant_kernel(program, index, options, &of_variant);
  if (status == KILN_OK)
    status = kiln_kernel_load(&of_variant, kernel);
  if (status == KILN_OK)
    *binary = of_variant.program->binary;
  return status;
}

static bool is_wanted(const struct kiln_variant *variant, const struct kiln_drv_launch_desc *launch) {
  return variant->options && !(variant->is_wish && launch->without_wishes);
}

enum kiln_status kiln_kernel_for_launch(struct kiln_kernel *kernel, struct kiln_drv_launch_desc *launch,
                                        struct kiln_binary **binary) {
  enum kiln_status status = kiln_kernel_load(kernel, &launch->kernel);
  if (status == KILN_OK && kiln_kernel_wants_formats(kernel)) {
    status = kiln_kernel_for_formats(kernel, launch, &kernel);
    if (status == KILN_OK)
      status = kiln_kernel_load(kernel, &launch->kernel);
  }
  struct kiln_program *program = kernel->program;
  const struct kiln_driver *driver = program->ctx->backend->driver;
  *binary = program->binary;
  if (status != KILN_OK || !driver->launch_variant)
    return status;
  struct kiln_drv *drv = atomic_load(&program->ctx->drv);
  launch->without_wishes = atomic_load_explicit(&program->lacks_wished, memory_order_relaxed);
  struct kiln_variant variant = driver->launch_variant(drv, launch);
  struct kiln_drv_kernel *loaded = launch->kernel;
  if (is_wanted(&variant, launch)) {
    status = load(program, kernel->index, variant.options, &loaded, binary);
    if (status != KILN_OK && variant.is_wish) {
      kiln_context_log(program->ctx, KILN_LOG_INFO, "'%s' runs without that: %s", program->source.name,
                       kiln_last_error());
      atomic_store_explicit(&program->lacks_wished, true, memory_order_relaxed);
      launch->without_wishes = true;
      variant = driver->launch_variant(drv, launch);
      status = is_wanted(&variant, launch) ? load(program, kernel->index, variant.options, &loaded, binary) : KILN_OK;
    }
  }
  launch->kernel = loaded;
  return status;
}
