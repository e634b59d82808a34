// One compile: front end, passes, backend.
#include "jit/compile.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "jit/access.h"
#include "jit/dump.h"
#include "jit/ir/internal.h"
#include "jit/math_text.h"
#include "jit/pass/pass.h"
#include "jit/record.h"
#include "jit/reflect.h"
#include "jit/spirv/spirv.h"
#include "jit/trace.h"

struct compile {
  struct kiln_context *ctx;
  const struct kiln_source *source;
  const struct kiln_build_options *options;
  const char *wanted;
  kiln_stage_fn *stage;
  void *stage_user;
  struct kiln_dump dump;
  bool runs_nothing; // all kernels have lost their bodies
};

static double ms_since(uint64_t start) { return (double)(kiln_now_ns() - start) / 1e6; }

static void trace(const struct compile *c, const char *what, uint64_t start) {
  if (kiln_traces(c->ctx))
    kiln_trace_span(c->ctx, "compile", what, c->source->name, start);
}

static void at(const struct compile *c, const char *stage) {
  if (c->ctx->at)
    c->ctx->at(c->ctx->at_user, NULL, stage);
}

// Diagnostics carry their own newline at the end; messages do not.
static void trim(char *text) {
  size_t size = text ? strlen(text) : 0;
  while (size && text[size - 1] == '\n')
    text[--size] = 0;
}

// ---- front end -----------------------------------------------------------------------------------------------------

static enum kiln_status collect_probes(const struct compile *c, struct kiln_compile_result *r) {
  const struct kiln_lang_output *lang = &r->lang;
  r->probes = calloc((size_t)lang->include_count + 1, sizeof *r->probes);
  if (!r->probes)
    return kiln_error_memory();
  for (uint32_t i = 0; i < lang->include_count; i++) {
    const struct kiln_lang_include *include = &lang->includes[i];
    struct kiln_probe *probe = &r->probes[r->probe_count++];
    probe->path = include->path;
    probe->found = include->found;
    memcpy(probe->digest.bytes, include->digest, sizeof probe->digest.bytes);
    for (uint32_t h = 0; h < c->source->header_count && include->found && !probe->memory; h++)
      probe->memory = strcmp(c->source->headers[h].name, include->path) == 0;
  }
  if (lang->used_file_name)
    r->probes[r->probe_count++] = kiln_store_name_probe(c->source);
  return KILN_OK;
}

// What the target decides of a front end's options, with the build's.
static struct kiln_lang_options front_end_options(const struct compile *c) {
  const struct kiln_caps *caps = &c->ctx->caps;
  const struct kiln_options *backend = &c->options->backend;
  struct kiln_lang_options options = c->options->lang;
  options.fp16 = caps->fp16;
  options.fp64 = caps->fp64;
  options.int64_atomics = caps->int64_atomics;
  options.generic_space = caps->generic_space;
  options.images = true; // the pass images sees to those that do not take them
  // A kernel without known formats gets no code (run_passes).
  options.image_library = !caps->images && (c->options->lang.image_formats || c->source->is_object);
  options.inline_math = caps->inline_math;
  options.hardware_math = caps->hardware_math;
  options.fma = caps->fma;
  options.half_fma = caps->fma && caps->half_fma;
  options.describe_variables = (backend->flags & KILN_BUILD_DEBUG_INFO) && !backend->optimize;
  options.is_object = c->source->is_object;
  options.sub_groups = caps->sub_groups != KILN_SUB_GROUPS_NONE;
  options.sub_group_size = caps->sub_groups == KILN_SUB_GROUPS_SINGLE ? 1 : c->ctx->target.warp_size;
  return options;
}

static enum kiln_status compile_source(const struct compile *c, struct kiln_compile_result *r) {
  struct kiln_lang_input input = {.source = c->source->text,
                                  .size = c->source->size,
                                  .name = c->source->name,
                                  .headers = c->source->headers,
                                  .header_count = c->source->header_count,
                                  .options = front_end_options(c),
                                  .read = c->source->recorded ? kiln_recorded_read : NULL,
                                  .read_user = (void *)(uintptr_t)c->source->recorded,
                                  .pool = &c->ctx->pool};
  enum kiln_status status = kiln_lang_compile(&input, &r->lang);
  r->log = r->lang.log;
  r->lang.log = NULL;
  r->warnings = r->lang.warnings;
  r->warnings_size = r->lang.warnings_size;
  r->lang.warnings = NULL;
  trim(r->log);
  if (status != KILN_OK)
    return kiln_error(status, "%s", r->log ? r->log : kiln_status_name(status));
  return collect_probes(c, r);
}

static enum kiln_status read_spirv(const struct compile *c, struct kiln_compile_result *r) {
  struct kiln_spirv_input input = {.data = c->source->text,
                                   .size = c->source->size,
                                   .name = c->source->name,
                                   .options = front_end_options(c),
                                   .pool = &c->ctx->pool};
  enum kiln_status status = kiln_spirv_compile(&input, &r->lang.module, &r->log);
  return status == KILN_OK ? KILN_OK : kiln_error(status, "%s", r->log ? r->log : kiln_status_name(status));
}

static bool starts_from(const struct compile *c, const char *stage) {
  return c->source->start_stage && strcmp(c->source->start_stage, stage) == 0;
}

static enum kiln_status read_ir(const struct compile *c, struct kiln_compile_result *r) {
  const struct kiln_source *source = c->source;
  bool start = starts_from(c, "ir");
  enum kiln_status status = kiln_module_parse(start ? source->start_data : source->text,
                                              start ? source->start_size : source->size, source->name, &r->lang.module);
  if (status != KILN_OK)
    return status;
  char message[1024];
  status = kiln_module_check(r->lang.module, KILN_ERR_COMPILE, message, sizeof message);
  return status == KILN_OK ? KILN_OK : kiln_error(status, "%s: error: %s", c->source->name, message);
}

// A backend may keep names of launch parameters for itself.
static enum kiln_status check_params(const struct compile *c, const struct kiln_module *module) {
  const struct kiln_base_backend *backend = c->ctx->backend;
  for (uint32_t f = 0; f < module->function_count && backend->reserved_params; f++) {
    const struct kiln_function *fn = module->functions[f];
    for (uint32_t p = 0; p < fn->param_count && fn->is_kernel; p++) {
      for (const char *const *name = backend->reserved_params; *name; name++) {
        if (strcmp(*name, fn->params[p].name) == 0)
          return kiln_error(KILN_ERR_COMPILE,
                            "%s: error: parameter '%s' of kernel '%s' is a name that backend '%s' "
                            "keeps for itself",
                            c->source->name, *name, fn->name, backend->name);
      }
    }
  }
  return KILN_OK;
}

// ---- passes --------------------------------------------------------------------------------------------------------

static void after_pass(void *user, const char *pass, const struct kiln_module *module) {
  const struct compile *c = user;
  char *text;
  if (kiln_module_print(module, &text) == KILN_OK) {
    kiln_context_log(c->ctx, KILN_LOG_DEBUG, "IR after %s:\n%s", pass, text);
    kiln_free(text);
  }
}

static bool all_kernels_have_images(const struct kiln_module *module) {
  for (uint32_t f = 0; f < module->function_count; f++)
    if (module->functions[f]->is_kernel && !kiln_function_has_images(module->functions[f]))
      return false;
  return true;
}

static enum kiln_status run_passes(struct compile *c, struct kiln_module *module) {
  char message[1024] = "";
  struct kiln_caps caps = c->ctx->caps;
  if (c->ctx->backend->limit_caps)
    c->ctx->backend->limit_caps(&c->options->backend, &caps);
  const char *formats = c->options->lang.image_formats;
  caps.image_formats = formats && strcmp(formats, KILN_IMAGES_GENERIC) != 0 ? formats : NULL;
  // Nobody runs kernels with images before their formats are known (variant.c): what they do with buffers is all that
  // is to be told of them.
  bool has_stubs = !caps.images && !formats && kiln_module_has_images(module);
  if (has_stubs && !kiln_access_analyse(module, false))
    return kiln_error_memory();
  c->runs_nothing = has_stubs && all_kernels_have_images(module);
  if (has_stubs)
    kiln_pass_image_stubs(module);
  enum kiln_status status = kiln_passes_run(module, &caps, &c->options->backend, c->ctx->debug ? after_pass : NULL, c,
                                            message, sizeof message);
  if (status != KILN_OK)
    return kiln_error(status, "%s", message[0] ? message : kiln_status_name(status));
  return kiln_access_analyse(module, has_stubs) ? KILN_OK : kiln_error_memory();
}

// ---- backend -------------------------------------------------------------------------------------------------------

static void pass_stage(void *user, const char *name, const void *data, size_t size) {
  struct compile *c = user;
  kiln_dump_stage(&c->dump, name, data, size);
  if (c->stage)
    c->stage(c->stage_user, name, data, size);
}

static enum kiln_status give_ir(struct compile *c, const struct kiln_module *module) {
  if (!c->dump.dir && !c->stage)
    return KILN_OK;
  char *text;
  enum kiln_status status = kiln_module_print(module, &text);
  if (status != KILN_OK)
    return status;
  pass_stage(c, "ir", text, strlen(text));
  kiln_free(text);
  return KILN_OK;
}

static void keep_device_code(void *user, const struct kiln_device_code *code) {
  kiln_device_piece_put(user, &(struct kiln_device_piece){code->identity, {code->data, code->size}});
}

// module NULL: all of the compile runs in a helper.
static enum kiln_status run_backend(struct compile *c, const struct kiln_module *module,
                                    struct kiln_compile_result *r) {
  const struct kiln_base_backend *backend = c->ctx->backend;
  if (!backend->compile)
    return kiln_error(KILN_ERR_UNAVAILABLE, "backend '%s' runs kernels but cannot compile them", backend->name);
  bool listens = c->dump.dir || c->stage;
  struct kiln_compile_job job = {.module = module,
                                 .target = c->ctx->target,
                                 .options = c->options->backend,
                                 .stop_after = c->wanted,
                                 .stage = listens ? pass_stage : NULL,
                                 .stage_user = c,
                                 .threads = c->ctx->num_threads,
                                 .device_code = c->wanted ? NULL : keep_device_code,
                                 .device_code_user = &r->device};
  if (c->runs_nothing)
    job.options.optimize = 0; // half of the time
  if (c->source->start_stage && (!module || !starts_from(c, "ir"))) {
    job.start_stage = c->source->start_stage;
    job.start_data = c->source->start_data;
    job.start_size = c->source->start_size;
  }
  struct kiln_report report = kiln_context_report(c->ctx);
  enum kiln_status status = c->ctx->isolate.on
                                ? kiln_isolate_compile(c->ctx, &job, c->source, &c->options->lang, r, &report)
                                : backend->compile(&job, &r->artifact, &report);
  return kiln_report_finish(&report, status, backend->name, NULL);
}

static enum kiln_status describe(const struct kiln_module *module, struct kiln_compile_result *r) {
  uint32_t kernels = 0;
  for (uint32_t f = 0; f < module->function_count; f++)
    kernels += module->functions[f]->is_kernel;
  kiln_reflect_write(module, &r->reflection);
  kiln_resources_write(r->artifact.kernels, kernels, (struct kiln_str){r->reflection.data, r->reflection.size},
                       &r->resources);
  return r->reflection.failed || r->resources.failed ? kiln_error_memory() : KILN_OK;
}

// An object goes no further than the front end: its code is the module's text.
static enum kiln_status make_object(const struct kiln_module *module, struct kiln_compile_result *r) {
  char *text;
  enum kiln_status status = kiln_module_print(module, &text);
  if (status != KILN_OK)
    return kiln_error_memory();
  r->artifact.data = text;
  r->artifact.size = strlen(text);
  return describe(module, r);
}

static enum kiln_status run_isolated(struct compile *c, struct kiln_compile_result *r) {
  uint64_t start = kiln_now_ns();
  enum kiln_status status = run_backend(c, NULL, r);
  r->back_ms = ms_since(start) - r->front_ms; // with what the helper itself takes
  trace(c, "compile in a helper", start);
  return status == KILN_OK ? collect_probes(c, r) : status;
}

static enum kiln_status run(struct compile *c, struct kiln_compile_result *r) {
  if (c->ctx->isolate.whole)
    return run_isolated(c, r);
  at(c, "the front end");
  uint64_t start = kiln_now_ns();
  bool is_ir = c->source->kind == KILN_SOURCE_IR_TEXT || starts_from(c, "ir");
  enum kiln_status status = is_ir                                  ? read_ir(c, r)
                            : c->source->kind == KILN_SOURCE_SPIRV ? read_spirv(c, r)
                                                                   : compile_source(c, r);
  if (c->source->is_object) {
    r->front_ms = ms_since(start);
    return status == KILN_OK ? make_object(r->lang.module, r) : status;
  }
  if (status == KILN_OK && c->ctx->caps.hardware_math) {
    struct kiln_lang_options options = front_end_options(c);
    status = kiln_math_to_text(&r->lang.module, &options);
  }
  if (status == KILN_OK)
    status = check_params(c, r->lang.module);
  if (status == KILN_OK) {
    at(c, "the passes");
    status = run_passes(c, r->lang.module);
  }
  r->front_ms = ms_since(start);
  trace(c, "front end and passes", start);
  if (status == KILN_OK)
    status = give_ir(c, r->lang.module);
  if (status != KILN_OK || (c->wanted && strcmp(c->wanted, "ir") == 0))
    return status;
  start = kiln_now_ns();
  at(c, "the backend");
  status = run_backend(c, r->lang.module, r);
  r->back_ms = ms_since(start);
  trace(c, "backend", start);
  return status == KILN_OK ? describe(r->lang.module, r) : status;
}

enum kiln_status kiln_compile(struct kiln_context *ctx, const struct kiln_source *source,
                              const struct kiln_build_options *options, const char *wanted, kiln_stage_fn *stage,
                              void *stage_user, struct kiln_compile_result *result) {
  memset(result, 0, sizeof *result);
  struct compile c = {ctx, source, options, wanted, stage, stage_user, {0}};
  if (!stage && !source->is_object) // a stage that is wanted on its own is not dumped again
    kiln_dump_init(&c.dump, ctx, source, options);
  enum kiln_status status = run(&c, result);
  kiln_dump_finish(&c.dump, status, result->front_ms, result->back_ms);
  kiln_dump_free(&c.dump);
  if (result->lang.module) {
    kiln_module_free(result->lang.module);
    result->lang.module = NULL;
  }
  if (status != KILN_OK)
    kiln_compile_result_free(result);
  return status;
}

void kiln_compile_result_free(struct kiln_compile_result *result) {
  free(result->artifact.data);
  free(result->artifact.meta);
  free(result->artifact.kernels);
  kiln_strbuf_free(&result->reflection);
  kiln_strbuf_free(&result->resources);
  kiln_strbuf_free(&result->device);
  free(result->probes);
  free(result->log);
  free(result->warnings);
  kiln_lang_output_free(&result->lang);
  memset(result, 0, sizeof *result);
}
