// Memory that runs out in the calls of the host API (walk.h): memory_host SCENARIO STRIDE
//
// A session opens a context, compiles or finds a program, uses images, launches, reads, prints, and closes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kiln/kiln.h"
#include "tests/memory/walk.h"
#include "tests/support/spirv_object.h"

enum { COUNT = 64, GROUP = 16 };

enum cache { OFF, COLD, WARM };

static const struct scenario {
  const char *name, *backend, *arch, *variable; // variable: to set, NAME=VALUE; NULL: none
  enum cache cache;
  bool runs; // else there is no device to run it on
} scenarios[] = {
    {"interp", "interp", NULL, NULL, OFF, true},
    {"interp_cold", "interp", NULL, NULL, COLD, true},
    {"interp_warm", "interp", NULL, NULL, WARM, true},
    {"interp_remote", "interp", NULL, "COMPILE_CACHE_REMOTE=redis://127.0.0.1:1|unsigned", COLD,
     true}, // no server listens there
    {"cpu", "cpu", NULL, NULL, OFF, true},
    {"cpu_cold", "cpu", NULL, NULL, COLD, true},
    {"cpu_warm", "cpu", NULL, NULL, WARM, true},
    {"cpu_isolated", "cpu", NULL, "COMPILE_ISOLATE=1", OFF, true},
    {"opencl", "opencl", NULL, NULL, OFF, true},
    {"opencl_cold", "opencl", NULL, NULL, COLD, true},
    {"opencl_warm", "opencl", NULL, NULL, WARM, true},
    {"rocm", "rocm", "gfx942", NULL, OFF, false},
    {"rocm_cold", "rocm", "gfx1100", NULL, COLD, false},
    {"rocm_warm", "rocm", "gfx1100", NULL, WARM, false},
    {"diagnostics", "interp", NULL, NULL, OFF, false}, // of a source with errors
    {"services", "interp", NULL, NULL, COLD, false},   // around the cache, and lists
};

static const char source[] =
    "#include \"half.h\"\n"
    "struct pair { int first; float4 second[2]; };\n"
    "__attribute__((noinline)) float heavy(float x, int n) {\n"
    "  float sum = 0;\n"
    "  for (int i = 0; i < n; i++) sum += x * i + sum * 0.5f;\n"
    "  return sum;\n"
    "}\n"
    "kernel void work(global int *out, global const float *in, int n, local int *swap, struct pair p) {\n"
    "  local int sums[16];\n"
    "  int i = get_global_id(0), l = get_local_id(0), table[8];\n"
    "  for (int k = 0; k < 8; k++) table[k] = HALF(i) + k;\n"
    "  sums[l] = table[i & 7] + (int)heavy(in[i], n) + p.first;\n"
    "  swap[l] = sums[l];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  int total = 0;\n"
    "  for (int k = 0; k < 16; k++) total += sums[k] - swap[15 - k];\n"
    "  switch (i) { case 1: total += 5; break; case 2: total += 7; break; }\n"
    "  atomic_add(&out[i], total + i);\n"
    "  if (i == 3) printf(\"%s: %d %v4f %s\\n\", \"work\", i, p.second[1], \"a long string, longer than any buffer "
    "that was put on the stack for it, or so one may think; but who knows how long such a text can be at all\");\n"
    "}\n"
    "kernel void twice(global double *x) { x[get_global_id(0)] *= 2 + pow(x[0], 2.5); }\n"
    "kernel void less(read_only image2d_t from, sampler_t s, write_only image2d_t to) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imagef(to, at, read_imagef(from, s, at) - 1);\n"
    "}\n";
static const char wrong[] = "kernel void bad(global int *p) {\n  p[0] = q + r;\n  f(1;\n}\n#error no\n";
static const char printed[] =
    "work: 3 5.000000,6.000000,7.000000,8.000000 a long string, longer than any buffer that was "
    "put on the stack for it, or so one may think; but who knows how long such a text can be "
    "at all\n";

struct session {
  const struct scenario *scenario;
  struct kiln_context *ctx;
  struct kiln_stream *stream;
  struct kiln_buffer *out, *in, *window;
  struct kiln_image *image, *view; // view: over the buffer in
  struct kiln_program *program;
  struct kiln_kernel *work, *less;
  struct kiln_prepared *prepared;
  struct kiln_event *event;
  char text[1024];
  size_t text_size;
  int data[COUNT];
  float pixels[COUNT];
};

static void collect(void *user, const char *text, size_t size) {
  struct session *s = user;
  if (size < sizeof s->text - s->text_size) {
    memcpy(s->text + s->text_size, text, size);
    s->text_size += size;
  }
}

static void ignore(void *user, enum kiln_log_level level, const char *message) {
  (void)user, (void)level, (void)message;
}

// ---- one session

static bool is(const struct session *s, const char *name) { return !strcmp(s->scenario->name, name); }

static enum kiln_status compile(struct session *s) {
  static const struct kiln_header header = {"half.h", "#define JOIN(a, b) a##b\n#define HALF(x) JOIN((x), ) / 2\n", 0};
  struct kiln_program_desc desc = {
      .source = source, .name = "walk.cl", .options = "-DN=4 -cl-std=CL1.2", .headers = &header, .header_count = 1};
  if (is(s, "diagnostics"))
    desc.source = wrong;
  enum kiln_status status = kiln_program_create(s->ctx, &desc, &s->program);
  if (is(s, "diagnostics") && status == KILN_ERR_COMPILE)
    status = strstr(kiln_last_error(), "5 errors") || !strcmp(kiln_last_error(), "out of memory") ? KILN_OK : status;
  return status;
}

static enum kiln_status launch(struct session *s) {
  static const struct pair {
    _Alignas(16) int first;
    _Alignas(16) float second[8];
  } pair = {3, {1, 2, 3, 4, 5, 6, 7, 8}};
  int n = 2;
  struct kiln_arg args[] = {kiln_arg_buffer(s->window), kiln_arg_buffer(s->in), kiln_arg_value(&n, sizeof n),
                            kiln_arg_local(GROUP * sizeof(int)), kiln_arg_value(&pair, sizeof pair)};
  struct kiln_launch_desc desc = {.global = {COUNT}, .local = {GROUP}, .arg_count = 5, .args = args};
  enum kiln_status status = kiln_launch(s->stream, s->work, &desc, &s->event);
  if (!status)
    status = kiln_prepare(s->stream, s->work, &desc, &s->prepared);
  if (!status)
    status = kiln_run_prepared(s->prepared, NULL);
  return status;
}

// An image of ones, and one over the buffer in.
static enum kiln_status create_images(struct session *s) {
  float ones[COUNT];
  struct kiln_image_desc desc = {.dimension = KILN_IMAGE_2D,
                                 .format = {KILN_ORDER_R, KILN_CHANNEL_F32},
                                 .width = 8,
                                 .height = COUNT / 8,
                                 .host = ones,
                                 .copies = true};
  struct kiln_image_format formats[4];
  uint32_t count;
  for (int i = 0; i < COUNT; i++)
    ones[i] = s->pixels[i] = 1;
  enum kiln_status status = kiln_image_create(s->ctx, &desc, &s->image);
  desc.host = NULL;
  desc.copies = false;
  desc.buffer = s->in;
  if (!status)
    status = kiln_image_create(s->ctx, &desc, &s->view);
  if (!status)
    status = kiln_image_formats(s->ctx, 0, desc.dimension, KILN_ACCESS_READ, formats, 4, &count);
  return status;
}

// Every command of images, and a kernel that makes zeros of ones, which are the input of the other kernel.
static enum kiln_status use_images(struct session *s) {
  const struct kiln_image_region part = {{1, 2}, {3, 4}};
  const size_t at[3] = {4, 4};
  const union kiln_pixel one = {{1}};
  enum kiln_status status = create_images(s);
  if (!status)
    status = kiln_image_from_buffer(s->stream, s->image, NULL, s->in, NULL, NULL);
  if (!status)
    status = kiln_image_fill(s->stream, s->image, NULL, &one, NULL);
  if (!status)
    status = kiln_image_write(s->stream, s->image, &part, s->pixels, NULL, NULL);
  if (!status)
    status = kiln_image_to_buffer(s->stream, s->image, NULL, s->in, NULL, NULL);
  if (!status)
    status = kiln_image_copy(s->stream, s->view, &part, s->image, at, NULL);
  if (!status)
    status = kiln_kernel_create(s->program, "less", &s->less);
  struct kiln_arg args[] = {kiln_arg_image(s->image), kiln_arg_sampler(KILN_SAMPLER_NEAREST | KILN_SAMPLER_CLAMP),
                            kiln_arg_image(s->view)};
  if (!status)
    status = kiln_launch(s->stream, s->less,
                         &(struct kiln_launch_desc){.global = {8, COUNT / 8}, .arg_count = 3, .args = args}, NULL);
  if (!status)
    status = kiln_image_read(s->stream, s->view, NULL, s->pixels, NULL, NULL);
  return status;
}

static enum kiln_status run(struct session *s) {
  static const float in[COUNT] = {3};
  int zero = 0;
  struct kiln_buffer_desc out = {.size = 2 * COUNT * sizeof(int)}, input = {.size = sizeof in};
  struct kiln_event_times times;
  enum kiln_status status = kiln_stream_create(s->ctx, 0, &s->stream);
  if (!status)
    status = kiln_buffer_create(s->ctx, &out, &s->out);
  if (!status)
    status = kiln_buffer_create(s->ctx, &input, &s->in);
  if (!status)
    status = kiln_buffer_sub(s->out, COUNT * sizeof(int), COUNT * sizeof(int), &s->window);
  if (!status)
    status = kiln_write(s->stream, s->in, 0, in, sizeof in, NULL);
  if (!status)
    status = use_images(s);
  if (!status)
    status = kiln_fill(s->stream, s->out, 0, out.size, &zero, sizeof zero, NULL);
  if (!status)
    status = kiln_kernel_create(s->program, "work", &s->work);
  if (!status)
    status = launch(s);
  if (!status)
    status = kiln_copy(s->stream, s->window, 0, s->out, 0, COUNT * sizeof(int), NULL);
  if (!status)
    status = kiln_read(s->stream, s->out, 0, s->data, sizeof s->data, NULL);
  if (!status)
    status = kiln_stream_finish(s->stream);
  if (!status)
    status = kiln_event_times(s->event, &times);
  return status;
}

static void ignore_backend(void *user, const struct kiln_backend_info *info) { (void)user, (void)info; }
static void ignore_name(void *user, const char *name, const char *text) { (void)user, (void)name, (void)text; }
static void ignore_env(void *user, const struct kiln_env_info *info) { (void)user, (void)info; }
static void ignore_field(void *user, const struct kiln_cache_field *field) { (void)user, (void)field; }
static bool ignore_item(void *user, const struct kiln_cache_item *item) {
  (void)user, (void)item;
  return true;
}

static enum kiln_status warm(void) {
  static const struct kiln_warm_target target = {"interp", NULL};
  char manifest[256];
  snprintf(manifest, sizeof manifest, "%s.record", getenv("COMPILE_CACHE_DIR"));
  const char *const manifests[] = {manifest};
  struct kiln_warm_desc desc = {.manifests = manifests,
                                .manifest_count = 1,
                                .targets = &target,
                                .target_count = 1,
                                .num_threads = 1,
                                .export_memory = true};
  struct kiln_warm_result result = {0};
  enum kiln_status status = kiln_warm(&desc, &result);
  kiln_free(result.bundle);
  return status;
}

// An object of SPIR-V, with a built-in function that its import names.
static enum kiln_status read_spirv(struct session *s) {
  struct kiln_program_desc desc = {
      .kind = KILN_SOURCE_SPIRV, .source = (const char *)spirv_object, .size = sizeof spirv_object};
  struct kiln_object *object;
  uint32_t size;
  enum kiln_status status = kiln_object_create(s->ctx, &desc, &object);
  if (status)
    return status;
  kiln_object_release(object);
  status = kiln_spec_constant_size(spirv_object, sizeof spirv_object, 1, &size);
  return status == KILN_ERR_NOT_FOUND ? KILN_OK : status; // it has none
}

static enum kiln_status serve(struct session *s) {
  struct kiln_program_desc other = {.source = "kernel void k(global int *p) { *p = 1; }"};
  struct kiln_cache_explanation explanation;
  struct kiln_cache_size measured;
  char folder[256], bundle_path[300];
  uint64_t count;
  snprintf(bundle_path, sizeof bundle_path, "%s/bundle", getenv("COMPILE_CACHE_DIR"));
  void *stage = NULL, *bundle = NULL;
  size_t size;
  enum kiln_status status = kiln_program_stage(s->program, "ir", &stage, &size);
  if (!status)
    status = kiln_context_export(s->ctx, &bundle, &size);
  if (!status)
    status = kiln_context_import(s->ctx, bundle, size);
  if (!status)
    status = kiln_cache_explain(s->ctx, &other, ignore_field, NULL, &explanation);
  if (!status)
    status = kiln_cache_list(NULL, NULL, KILN_CACHE_LIST_VERIFY, ignore_item, NULL);
  if (!status)
    status = kiln_cache_measure(NULL, &measured, folder, sizeof folder);
  if (!status)
    status = kiln_cache_export(NULL, NULL, NULL, bundle_path, &count);
  if (!status)
    status = kiln_cache_import(NULL, bundle_path, &count, &count, &count);
  if (!status)
    status = warm();
  if (!status)
    status = read_spirv(s);
  if (!status)
    status = kiln_list_backends(true, ignore_backend, NULL);
  if (!status)
    status = kiln_list_targets("cpu", ignore_name, NULL);
  if (!status)
    status = kiln_list_reserved_params(ignore_name, NULL);
  if (!status)
    status = kiln_list_tags(ignore_name, NULL);
  kiln_list_env(ignore_env, NULL);
  kiln_free(stage);
  kiln_free(bundle);
  return status;
}

static enum kiln_status steps(struct session *s) {
  struct kiln_context_desc desc = {.backend = s->scenario->backend,
                                   .arch = s->scenario->arch,
                                   .cache_mode = s->scenario->cache == OFF ? "off" : "rw",
                                   .num_threads = 2,
                                   .log = ignore,
                                   .print = collect,
                                   .print_user = s};
  enum kiln_status status = kiln_context_open(&desc, &s->ctx);
  if (!status)
    status = compile(s);
  if (!status && is(s, "services"))
    status = serve(s);
  return status || !s->scenario->runs ? status : run(s);
}

static void end(struct session *s) {
  kiln_event_release(s->event);
  kiln_prepared_release(s->prepared);
  kiln_kernel_release(s->work);
  kiln_kernel_release(s->less);
  kiln_program_release(s->program);
  kiln_image_release(s->view);
  kiln_image_release(s->image);
  kiln_buffer_release(s->window);
  kiln_buffer_release(s->in);
  kiln_buffer_release(s->out);
  kiln_stream_release(s->stream);
  kiln_context_close(s->ctx);
}

// NULL: right.
static const char *wrong_result(const struct session *s) {
  static const char lines = sizeof printed - 1;
  if (!s->scenario->runs)
    return NULL;
  for (int i = 0; i < COUNT; i++)
    if (s->data[i] != 2 * (i + (i == 1 ? 5 : i == 2 ? 7 : 0)))
      return "the data are wrong";
  for (int i = 0; i < COUNT; i++)
    if (s->pixels[i] != 0)
      return "the pixels are wrong";
  size_t size = (unsigned char)lines;
  if (s->text_size != 2 * size || memcmp(s->text, printed, size) != 0 || memcmp(s->text + size, printed, size) != 0)
    return "the text is wrong";
  return NULL;
}

// ---- what is walked

static void prepare(const void *user) {
  uint64_t removed;
  if (((const struct scenario *)user)->cache == COLD)
    kiln_cache_clear(NULL, &removed);
}

static void settle(const void *user) {
  (void)user;
  kiln_kernel_create(NULL, NULL, NULL); // the same last error each time
}

static void run_session(const void *user, struct outcome *out) {
  struct session s = {.scenario = user};
  enum kiln_status status = steps(&s);
  out->refused = status == KILN_ERR_MEMORY;
  if (status) {
    out->fault = "the status is wrong";
    snprintf(out->detail, sizeof out->detail, "%s: %s", kiln_status_name(status), kiln_last_error());
  } else if ((out->fault = wrong_result(&s))) {
    snprintf(out->detail, sizeof out->detail, "%s", s.text);
  }
  end(&s);
}

// Whether the scenario's backend can be had here. A child process looks, since a process with threads is not to fork.
static bool is_available(const struct scenario *scenario) {
  pid_t child = fork();
  if (child == 0) {
    struct kiln_context *ctx;
    struct kiln_context_desc desc = {.backend = scenario->backend, .arch = scenario->arch, .cache_mode = "off"};
    enum kiln_status status = kiln_context_open(&desc, &ctx);
    if (status)
      fprintf(stderr, "%s: %s\n", scenario->name, kiln_last_error());
    _exit(status == KILN_ERR_UNAVAILABLE || status == KILN_ERR_NOT_FOUND);
  }
  int status = 0;
  return child < 0 || waitpid(child, &status, 0) < 0 || status == 0;
}

static const struct scenario *find(const char *name) {
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
    if (!strcmp(scenarios[i].name, name))
      return &scenarios[i];
  return NULL;
}

int main(int argc, char **argv) {
  const struct scenario *scenario = argc == 3 ? find(argv[1]) : NULL;
  uint32_t stride = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
  if (!scenario || !stride) {
    fputs("usage: memory_host SCENARIO STRIDE\n", stderr);
    return 2;
  }
  if (!is_available(scenario))
    return 77;
  char folder[] = "/tmp/kiln-memory-XXXXXX", record[64], remove[128];
  if (!mkdtemp(folder)) {
    perror(folder);
    return 1;
  }
  setenv("COMPILE_CACHE_DIR", folder, 1);
  snprintf(record, sizeof record, "%s.record", folder);
  if (!strcmp(scenario->name, "services"))
    setenv("COMPILE_RECORD", record, 1);
  if (scenario->variable)
    putenv((char *)(uintptr_t)scenario->variable);
  const struct walk walk = {scenario->name, scenario, prepare, run_session, settle};
  bool ok = walk_all(&walk, stride);
  snprintf(remove, sizeof remove, "rm -rf %s %s", folder, record);
  return system(remove) == 0 && ok ? 0 : 1;
}
