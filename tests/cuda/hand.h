// A backend whose code was written by hand: whatever is compiled becomes the kernels of driver.ptx that it names, for
// the driver of cuda. So the driver is tested apart from the code generator. One file includes this.
#ifndef KILN_TESTS_CUDA_HAND_H
#define KILN_TESTS_CUDA_HAND_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/code/meta.h"
#include "backends/cuda/driver/exports.h"
#include "tests/support/expect.h"

static char *hand_ptx; // with "MAXNTID" where the group's limit goes

enum hand_option { HAND_LAUNCHES, HAND_MAX_GROUP, HAND_COUNT };
static const struct kiln_option hand_options[HAND_COUNT] = {
    {"launches", KILN_OPTION_STRING, "common", "common: the launches that docs/cuda.md calls so; any", true},
    {"max-group-size", KILN_OPTION_INT, "256", "work-items of a group", true},
};

static enum kiln_status hand_target(const char *arch, struct kiln_target *out, struct kiln_report *report) {
  (void)report;
  *out = (struct kiln_target){.backend = "hand", .warp_size = 32};
  snprintf(out->arch, sizeof out->arch, "%s", arch);
  return KILN_OK;
}
static enum kiln_status hand_detect(struct kiln_target *out, struct kiln_report *report) {
  return hand_target("sm_60", out, report);
}
static bool hand_supports(const struct kiln_target *target) { return !strncmp(target->arch, "sm_", 3); }
static void hand_list(kiln_name_fn *fn, void *user) { fn(user, "sm_60", "written by hand"); }
static void hand_caps(const struct kiln_target *target, struct kiln_caps *out) {
  (void)target;
  *out = (struct kiln_caps){.partial_groups = true, .fp64 = true, .generic_space = true};
}
static uint32_t hand_fragments(const struct kiln_target *target, const struct kiln_options *options,
                               const struct kiln_fragment **out) {
  static const struct kiln_fragment fragments[] = {{"ptx", "", "ptx"}};
  (void)target, (void)options;
  *out = fragments;
  return 1;
}
static uint32_t hand_libs(const struct kiln_target *target, struct kiln_runtime_lib *out, uint32_t capacity) {
  (void)target, (void)out, (void)capacity;
  return 0;
}
static enum kiln_status hand_hash(const struct kiln_target *target, const struct kiln_options *options,
                                  struct kiln_digest *out, struct kiln_report *report) {
  (void)target, (void)options, (void)report;
  *out = (struct kiln_digest){{1}};
  return KILN_OK;
}

static enum kiln_status hand_compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                     struct kiln_report *report) {
  static const struct {
    const char *name;
    uint32_t parameter_bytes;
  } known[] = {{"add", 112}, {"sizes", 104}, {"sum", 112}};
  (void)report;
  const char *most = job->options.values[HAND_MAX_GROUP], *begin = hand_ptx, *at;
  bool any = !strcmp(job->options.values[HAND_LAUNCHES], "any");
  struct kiln_strbuf text = {0}, meta_text = {0};
  struct kiln_cuda_meta_kernel kernels[8] = {0};
  struct kiln_cuda_meta meta = {.target = 60, .version = 60, .kernels = kernels};
  for (; (at = strstr(begin, "MAXNTID")); begin = at + strlen("MAXNTID")) {
    kiln_strbuf_append(&text, begin, (size_t)(at - begin));
    kiln_strbuf_puts(&text, most);
  }
  kiln_strbuf_puts(&text, begin);
  for (uint32_t i = 0; i < job->module->function_count; i++)
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
      if (!strcmp(job->module->functions[i]->name, known[k].name))
        kernels[meta.kernel_count++] = (struct kiln_cuda_meta_kernel){.flags = any ? KILN_CUDA_KERNEL_ANY : 0,
                                                                      .max_group_size = (uint32_t)atoi(most),
                                                                      .parameter_bytes = known[k].parameter_bytes,
                                                                      .name = kiln_str(known[k].name)};
  kiln_cuda_meta_write(&meta, &meta_text);
  *out = (struct kiln_artifact){.size = text.size, .meta_size = meta_text.size};
  out->data = kiln_strbuf_take(&text);
  out->meta = kiln_strbuf_take(&meta_text);
  out->kernels = calloc(meta.kernel_count + (size_t)1, sizeof *out->kernels);
  return KILN_OK;
}

static enum kiln_status hand_native_target(const struct kiln_native_context *native, struct kiln_target *out,
                                           struct kiln_report *report) {
  enum kiln_status status = kiln_cuda_driver.native_target(native, out, report);
  snprintf(out->backend, sizeof out->backend, "hand");
  return status;
}

static struct kiln_driver hand_driver; // that of cuda, whose targets are called otherwise

static const struct kiln_base_backend hand_backend = {
    .abi_version = KILN_BACKEND_ABI,
    .struct_size = sizeof(struct kiln_base_backend),
    .name = "hand",
    .description = "PTX that was written by hand",
    .tags = "",
    .artifact_extension = "ptx",
    .make_target = hand_target,
    .detect_target = hand_detect,
    .supports_target = hand_supports,
    .list_targets = hand_list,
    .caps = hand_caps,
    .pipeline_fragments = hand_fragments,
    .runtime_libs = hand_libs,
    .options = hand_options,
    .option_count = HAND_COUNT,
    .hash = hand_hash,
    .compile = hand_compile,
    .driver = &hand_driver,
};

// ---- a context on the stand-in with the kernels of driver.cl, and a stream

struct session {
  struct kiln_context *ctx;
  struct kiln_program *program;
  struct kiln_stream *stream;
  struct kiln_kernel *add, *sizes, *sum;
};

static char *source; // driver.cl

static inline char *read_text(const char *path) {
  FILE *file = fopen(path, "r");
  char *text = calloc(1, 65536);
  EXPECT(file && text && fread(text, 1, 65535, file), "%s cannot be read", path);
  fclose(file);
  return text;
}

static inline void begin_tests(const char *cl_path, const char *ptx_path) {
  source = read_text(cl_path);
  hand_ptx = read_text(ptx_path);
  hand_driver = kiln_cuda_driver;
  hand_driver.native_target = hand_native_target;
}

static inline void open_context(struct kiln_context **ctx) {
  static const struct kiln_base_backend *const backends[] = {&hand_backend};
  struct kiln_context_desc desc = {
      .backend = "hand", .arch = "sm_60", .cache_mode = "off", .backends = backends, .backend_count = 1};
  FINE(kiln_context_open(&desc, ctx));
}

static inline enum kiln_status begin(struct session *s) {
  memset(s, 0, sizeof *s);
  struct kiln_program_desc program = {.source = source, .name = "driver.cl"};
  open_context(&s->ctx);
  enum kiln_status status = kiln_stream_create(s->ctx, 0, &s->stream);
  if (!status)
    status = kiln_program_create(s->ctx, &program, &s->program);
  if (status)
    return status;
  status = kiln_kernel_create(s->program, "add", &s->add);
  if (status)
    return status;
  FINE(kiln_kernel_create(s->program, "sizes", &s->sizes));
  FINE(kiln_kernel_create(s->program, "sum", &s->sum));
  return KILN_OK;
}

static inline void end(struct session *s) {
  kiln_kernel_release(s->add);
  kiln_kernel_release(s->sizes);
  kiln_kernel_release(s->sum);
  kiln_program_release(s->program);
  kiln_stream_release(s->stream);
  kiln_context_close(s->ctx);
}

static inline struct kiln_buffer *buffer(struct session *s, size_t size, void *host, uint32_t device) {
  struct kiln_buffer *result = NULL;
  FINE(kiln_buffer_create(s->ctx, &(struct kiln_buffer_desc){.size = size, .host = host, .device = device}, &result));
  return result;
}

static inline enum kiln_status add_one(struct session *s, struct kiln_stream *stream, struct kiln_buffer *b, uint64_t n,
                                       struct kiln_event **event) {
  int one = 1;
  struct kiln_arg args[] = {kiln_arg_buffer(b), kiln_arg_value(&one, sizeof one)};
  return kiln_launch(stream, s->add, &(struct kiln_launch_desc){.global = {n}, .args = args, .arg_count = 2}, event);
}

#endif
