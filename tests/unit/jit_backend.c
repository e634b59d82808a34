// What the host layer makes of backends that misbehave or lack something. The built-in backends are replaced by
// variations of the interpreter.
#include "jit/registry.h"

#include "backends/interp/table.h"
#include "jit_test.h"

static struct kiln_base_backend refusing, failing, mute, no_driver, no_compiler, absent, trial;
static struct kiln_driver refusing_driver, failing_driver;
const struct kiln_base_backend *const kiln_builtin_backends[] = {&refusing,    &failing, &mute,  &no_driver,
                                                                 &no_compiler, &absent,  &trial, NULL};

static int loads, refusals, opens;

static enum kiln_status refuse(struct kiln_drv *drv, const struct kiln_code *code, struct kiln_drv_module **out,
                               struct kiln_report *report) {
  loads++;
  return refusals-- > 0 ? kiln_fail(report, KILN_ERR_DEVICE, "stale code")
                        : kiln_interp_backend.driver->load(drv, code, out, report);
}
static enum kiln_status count_open(const struct kiln_driver_config *config, struct kiln_drv **out,
                                   struct kiln_report *report) {
  opens++;
  return kiln_interp_backend.driver->open(config, out, report);
}
static enum kiln_status fail_open(const struct kiln_driver_config *config, struct kiln_drv **out,
                                  struct kiln_report *report) {
  (void)config, (void)out;
  return kiln_fail(report, KILN_ERR_UNAVAILABLE, "no library: install it");
}
static enum kiln_status fail_compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                     struct kiln_report *report) {
  (void)job, (void)out, (void)report;
  return (enum kiln_status)77;
}
static enum kiln_status mute_compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                     struct kiln_report *report) {
  (void)job, (void)out, (void)report;
  return KILN_ERR_UNSUPPORTED;
}
static enum kiln_status no_hash(const struct kiln_target *target, const struct kiln_options *options,
                                struct kiln_digest *out, struct kiln_report *report) {
  (void)target, (void)options, (void)out;
  return kiln_fail(report, KILN_ERR_UNAVAILABLE, "the compiler is not installed");
}
static enum kiln_status detect_nothing(struct kiln_target *out, struct kiln_report *report) {
  (void)out;
  return kiln_fail(report, KILN_ERR_UNAVAILABLE, "nothing here");
}

static void set_up_backends(void) {
  set_up();
  refusing = failing = mute = no_driver = no_compiler = absent = trial = kiln_interp_backend;
  refusing_driver = failing_driver = *kiln_interp_backend.driver;
  refusing.name = "refusing";
  refusing.driver = &refusing_driver;
  refusing_driver.load = refuse;
  refusing_driver.open = count_open;
  failing.name = "failing";
  failing.compile = fail_compile;
  failing.driver = &failing_driver;
  failing_driver.open = fail_open;
  mute.name = "mute";
  mute.compile = mute_compile;
  no_driver.name = "no-driver";
  no_driver.driver = NULL;
  no_compiler.name = "no-compiler";
  no_compiler.hash = no_hash;
  absent.name = "absent";
  absent.detect_target = detect_nothing;
  absent.preference = 9;
  absent.tags = "";
  trial.name = "trial";
  trial.tags = "experimental";
  loads = refusals = opens = 0;
}

static struct kiln_context *open_backend(const char *name) {
  struct kiln_context *ctx;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = name}, &ctx));
  return ctx;
}

static const struct kiln_program_desc saxpy = {.source = SAXPY, .kind = KILN_SOURCE_IR_TEXT, .name = "s.kir"};

static enum kiln_status run_once(struct kiln_context *ctx, struct kiln_program *program) {
  struct kiln_stream *stream;
  struct kiln_kernel *kernel;
  struct kiln_buffer *b;
  int32_t n = 4;
  float a = 1;
  OK(kiln_stream_create(ctx, 0, &stream));
  OK(kiln_kernel_create(program, NULL, &kernel));
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 16}, &b));
  OK(kiln_fill(stream, b, 0, 16, &a, 4, NULL));
  struct kiln_arg args[] = {kiln_arg_value(&n, 4), kiln_arg_value(&a, 4), kiln_arg_buffer(b), kiln_arg_buffer(b)};
  enum kiln_status status =
      kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {4}, .args = args, .arg_count = 4}, NULL);
  if (status == KILN_OK)
    OK(kiln_stream_finish(stream));
  kiln_buffer_release(b);
  kiln_kernel_release(kernel);
  kiln_stream_release(stream);
  return status;
}

Test(backend, compiling_opens_no_driver, .init = set_up_backends, .fini = tear_down) {
  struct kiln_context *ctx = open_backend("refusing");
  struct kiln_program *program = make_program(ctx, SAXPY);
  struct kiln_kernel *kernel;
  OK(kiln_kernel_create(program, NULL, &kernel));
  cr_assert_eq(kiln_kernel_info(kernel)->arg_count, 4);
  cr_assert_eq(opens, 0);
  uint32_t count;
  OK(kiln_device_count(ctx, &count));
  OK(kiln_device_count(ctx, &count));
  cr_assert_eq(opens, 1);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  kiln_context_close(ctx);
}

Test(backend, cached_code_that_is_refused_is_rebuilt_once, .init = set_up_backends, .fini = tear_down) {
  struct kiln_context *ctx = open_backend("refusing");
  struct kiln_program *program = make_program(ctx, SAXPY);
  refusals = 1;
  FAILS(run_once(ctx, program), KILN_ERR_DEVICE, "stale code"); // it is fresh: nothing to rebuild
  kiln_program_release(program);
  program = make_program(ctx, SAXPY);
  struct kiln_program_info before, after;
  kiln_program_info(program, &before);
  loads = 0;
  refusals = 1;
  OK(run_once(ctx, program));
  cr_assert_eq(loads, 2);
  kiln_program_info(program, &after);
  cr_assert_str_eq(before.key, after.key);
  cr_assert(before.artifact_size == after.artifact_size &&
            memcmp(before.artifact, after.artifact, after.artifact_size) == 0);
  kiln_program_release(program);
  program = make_program(ctx, SAXPY);
  loads = 0;
  refusals = 9;
  FAILS(run_once(ctx, program), KILN_ERR_DEVICE, "stale code");
  cr_assert_eq(loads, 2);
  kiln_program_release(program);
  kiln_context_close(ctx);
}

Test(backend, failures_have_a_message, .init = set_up_backends, .fini = tear_down) {
  struct kiln_program *program;
  struct kiln_stream *stream;
  struct kiln_context *ctx = open_backend("failing");
  FAILS(kiln_program_create(ctx, &saxpy, &program), KILN_ERR_INTERNAL, "backend 'failing' returned 77");
  FAILS(kiln_stream_create(ctx, 0, &stream), KILN_ERR_UNAVAILABLE, "no library: install it");
  FAILS(kiln_stream_create(ctx, 0, &stream), KILN_ERR_UNAVAILABLE, "no library: install it");
  kiln_context_close(ctx);
  ctx = open_backend("mute");
  FAILS(kiln_program_create(ctx, &saxpy, &program), KILN_ERR_UNSUPPORTED,
        "backend 'mute' failed (unsupported) and gave no reason");
  kiln_context_close(ctx);
  ctx = open_backend("no-driver");
  OK(kiln_program_create(ctx, &saxpy, &program));
  FAILS(kiln_stream_create(ctx, 0, &stream), KILN_ERR_UNAVAILABLE, "'no-driver' compiles but has no driver");
  kiln_program_release(program);
  kiln_context_close(ctx);
  ctx = open_backend("no-compiler");
  FAILS(kiln_program_create(ctx, &saxpy, &program), KILN_ERR_UNAVAILABLE, "the compiler is not installed");
  kiln_context_close(ctx);
}

static void count_warnings(void *user, enum kiln_log_level level, const char *message) {
  *(int *)user += level == KILN_LOG_WARNING && strstr(message, "'trial' is experimental");
}

Test(backend, experimental_ones_warn_once, .init = set_up_backends, .fini = tear_down) {
  int warnings = 0;
  struct kiln_context *ctx;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "trial", .log = count_warnings, .log_user = &warnings},
                       &ctx));
  kiln_program_release(make_program(ctx, SAXPY));
  kiln_program_release(make_program(ctx, SAXPY));
  cr_assert_eq(warnings, 1);
  kiln_context_close(ctx);
}

Test(backend, none_is_available, .init = set_up_backends, .fini = tear_down) {
  struct kiln_context *ctx;
  FAILS(kiln_context_open(NULL, &ctx), KILN_ERR_UNAVAILABLE, "no backend is available here (absent: nothing here)");
  setenv("COMPILE_BACKEND", "absent", 1);
  FAILS(kiln_context_open(NULL, &ctx), KILN_ERR_UNAVAILABLE, "nothing here");
  setenv("COMPILE_ARCH", "generic", 1);
  OK(kiln_context_open(NULL, &ctx)); // compiling for it needs no device
  kiln_context_close(ctx);
}

Test(backend, two_of_one_name, .init = set_up_backends, .fini = tear_down) {
  struct kiln_context *ctx;
  absent.name = "mute";
  FAILS(kiln_context_open(NULL, &ctx), KILN_ERR_INVALID, "there is a backend 'mute' already");
}
