// Single stages of a compilation, made by compiling again.
#include <stdlib.h>
#include <string.h>

#include "base/floats.h"
#include "jit/compile.h"
#include "jit/ir/images.h"
#include "jit/program.h"

struct wanted {
  const char *name;
  void *data;
  size_t size;
  bool failed;
};

static void keep(void *user, const char *stage, const void *data, size_t size) {
  struct wanted *wanted = user;
  if (strcmp(stage, wanted->name) != 0 || wanted->data)
    return;
  wanted->data = malloc(size + 1);
  if (!wanted->data) {
    wanted->failed = true;
    return;
  }
  memcpy(wanted->data, data, size);
  ((char *)wanted->data)[size] = 0; // so that text can be printed
  wanted->size = size;
}

static enum kiln_status check_stage(const struct kiln_context *ctx, const struct kiln_build_options *options,
                                    const char *stage) {
  struct kiln_strbuf list = {0};
  kiln_strbuf_puts(&list, "ir");
  bool known = strcmp(stage, "ir") == 0 || strcmp(stage, "bin") == 0;
  const struct kiln_fragment *fragments = NULL;
  uint32_t count = ctx->backend->pipeline_fragments
                       ? ctx->backend->pipeline_fragments(&ctx->target, &options->backend, &fragments)
                       : 0;
  for (uint32_t i = 0; i < count && fragments; i++) {
    if (!fragments[i].name)
      continue;
    known |= strcmp(stage, fragments[i].name) == 0;
    if (strcmp("ir", fragments[i].name) != 0 && strcmp("bin", fragments[i].name) != 0)
      kiln_strbuf_printf(&list, ", %s", fragments[i].name);
  }
  if (!known)
    kiln_error(KILN_ERR_NOT_FOUND, "backend '%s' has no stage '%s'; its stages are: %s, bin", ctx->backend->name, stage,
               list.data ? list.data : "ir");
  kiln_strbuf_free(&list);
  return known ? KILN_OK : KILN_ERR_NOT_FOUND;
}

// Whether the stage is the artifact, which is one of the name "bin" unless the backend makes that of the artifact.
static bool is_artifact(const struct kiln_context *ctx, const struct kiln_build_options *options, const char *stage) {
  const struct kiln_base_backend *backend = ctx->backend;
  const struct kiln_fragment *fragments = NULL;
  uint32_t count =
      backend->pipeline_fragments ? backend->pipeline_fragments(&ctx->target, &options->backend, &fragments) : 0;
  const char *artifact = backend->artifact_extension;
  if (strcmp(stage, "bin") != 0)
    return false;
  for (uint32_t i = 0; i < count && fragments; i++)
    if (fragments[i].name && strcmp(fragments[i].name, "bin") == 0)
      return !artifact || !fragments[i].extension || strcmp(fragments[i].extension, artifact) == 0;
  return true;
}

// The final artifact is at hand.
static enum kiln_status copy_artifact(const struct kiln_program *program, struct wanted *wanted) {
  const struct kiln_str *artifact = &atomic_load(&program->binary->entry)->artifact;
  keep(wanted, wanted->name, artifact->data ? artifact->data : "", artifact->size);
  return wanted->failed ? kiln_error_memory() : KILN_OK;
}

// log: gets the warnings; NULL: they are not wanted.
static enum kiln_status compile_stage(const struct kiln_program *program, const struct kiln_build_options *options,
                                      struct wanted *wanted, char **log) {
  struct kiln_context *ctx = program->ctx;
  enum kiln_status status = check_stage(ctx, options, wanted->name);
  if (status != KILN_OK)
    return status;
  struct kiln_compile_result result;
  atomic_fetch_add(&ctx->compiles, 1);
  bool is_last = is_artifact(ctx, options, wanted->name);
  struct kiln_floats floats = kiln_floats_enter();
  struct kiln_build_options generic = *options; // which has code for kernels with images
  if (!generic.lang.image_formats)
    generic.lang.image_formats = KILN_IMAGES_GENERIC;
  status = kiln_compile(ctx, &program->source, &generic, is_last ? NULL : wanted->name, keep, wanted, &result);
  kiln_floats_leave(floats);
  if (status != KILN_OK)
    return status;
  if (is_last)
    keep(wanted, wanted->name, result.artifact.data ? result.artifact.data : "", result.artifact.size);
  if (log)
    status = kiln_warnings_log(program, (struct kiln_str){result.warnings, result.warnings_size}, options, log);
  kiln_compile_result_free(&result);
  if (status == KILN_OK && wanted->failed)
    status = kiln_error_memory();
  if (status == KILN_OK && !wanted->data)
    status = kiln_error(KILN_ERR_INTERNAL, "backend '%s' lists stage '%s' but did not give it", ctx->backend->name,
                        wanted->name);
  return status;
}

static enum kiln_status stage_of_program(struct kiln_program *program, struct wanted *wanted) {
  struct kiln_build_options options;
  enum kiln_status status = kiln_options_parse(program->options, program->ctx->backend, &options);
  if (status != KILN_OK)
    return status;
  status = is_artifact(program->ctx, &options, wanted->name) ? copy_artifact(program, wanted)
                                                             : compile_stage(program, &options, wanted, NULL);
  kiln_options_free(&options);
  return status;
}

enum kiln_status kiln_program_stage(struct kiln_program *program, const char *stage, void **out_data,
                                    size_t *out_size) {
  if (!program || !stage || !out_data || !out_size)
    return kiln_error(KILN_ERR_INVALID, "kiln_program_stage: %s is NULL",
                      !program    ? "program"
                      : !stage    ? "stage"
                      : !out_data ? "out_data"
                                  : "out_size");
  struct wanted wanted = {stage, NULL, 0, false};
  enum kiln_status status = stage_of_program(program, &wanted);
  if (status != KILN_OK) {
    free(wanted.data);
    return status;
  }
  *out_data = wanted.data;
  *out_size = wanted.size;
  return KILN_OK;
}

enum kiln_status kiln_compile_stage(struct kiln_context *ctx, const struct kiln_program_desc *desc, const char *stage,
                                    void **out_data, size_t *out_size, char **out_log) {
  if (!ctx || !desc || !stage || !out_data || !out_size)
    return kiln_error(KILN_ERR_INVALID, "kiln_compile_stage: %s is NULL",
                      !ctx        ? "ctx"
                      : !desc     ? "desc"
                      : !stage    ? "stage"
                      : !out_data ? "out_data"
                                  : "out_size");
  struct kiln_lookup source;
  enum kiln_status status = kiln_program_request(ctx, desc, NULL, &source);
  if (status != KILN_OK)
    return status;
  struct wanted wanted = {stage, NULL, 0, false};
  char *log = NULL;
  status = compile_stage(source.program, &source.options, &wanted, out_log ? &log : NULL);
  if (status == KILN_OK) {
    *out_data = wanted.data;
    *out_size = wanted.size;
    if (out_log)
      *out_log = log;
  } else {
    free(wanted.data);
    free(log);
  }
  kiln_lookup_free(&source);
  return status;
}
