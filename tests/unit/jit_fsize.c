// A process that may write small files only (RLIMIT_FSIZE), with SIGXFSZ as it is by default: whatever Kiln writes (the
// cache, dumps, records, traces, logs, bundles, memory files) is smaller, or is not written; the process lives, and
// kernels run.
#include <sys/resource.h>

#include "jit_test.h"

enum { LIMIT = 300 };

static void limit_files(void) {
  struct rlimit limit = {LIMIT, RLIM_INFINITY};
  cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void in_folder(const char *variable, const char *name) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", test_folder, name);
  setenv(variable, path, 1);
}

static const char source[] = "kernel void k(global int *o) { o[0] = 7; printf(\"%s\\n\", \"seven\"); }";

static void run(struct kiln_context *ctx) {
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_stream *stream;
  struct kiln_buffer *buffer;
  int o = 0;
  OK(kiln_program_create(ctx, &(struct kiln_program_desc){.source = source}, &program));
  OK(kiln_kernel_create(program, "k", &kernel));
  OK(kiln_stream_create(ctx, 0, &stream));
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = sizeof o}, &buffer));
  struct kiln_arg arg = kiln_arg_buffer(buffer);
  OK(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {1}, .args = &arg, .arg_count = 1}, NULL));
  OK(kiln_read(stream, buffer, 0, &o, sizeof o, NULL));
  OK(kiln_stream_finish(stream));
  cr_expect_eq(o, 7);
  void *data;
  size_t size;
  OK(kiln_program_save(program, &data, &size));
  kiln_free(data);
  kiln_buffer_release(buffer);
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
}

static void write_everything(const char *backend) {
  struct kiln_context *ctx;
  char bundle[128];
  in_folder("COMPILE_RECORD", "app.manifest");
  in_folder("COMPILE_TRACE", "app.trace");
  in_folder("COMPILE_LOG_FILE", "app.log");
  in_folder("COMPILE_DUMP_DIR", "dump");
  setenv("COMPILE_LOG", "debug", 1);
  limit_files();
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = backend}, &ctx));
  run(ctx);
  snprintf(bundle, sizeof bundle, "%s/app.bundle", test_folder);
  (void)kiln_cache_export(NULL, NULL, NULL, bundle, NULL);
  kiln_context_close(ctx);
}

#ifdef KILN_LLVM
// Calls of the C library, variables of the program, several kernels: laid out without a file as the system's loader
// does.
Test(fsize, code_without_a_file, .init = set_up, .fini = tear_down) {
  static const char text[] = "global int count; constant float table[3] = {1, 2, 3};"
                             "kernel void a(global double *o) { o[0] = cbrt(27.0) + lgamma(3.0); count++; }"
                             "kernel void b(global double *o) { o[1] = count + table[get_global_id(0) + 2]; }";
  double o[2][2] = {{0}};
  for (int limited = 0; limited < 2; limited++) {
    struct kiln_context *ctx;
    struct kiln_program *program;
    struct kiln_stream *stream;
    struct kiln_buffer *buffer;
    OK(kiln_context_open(&(struct kiln_context_desc){.backend = "cpu"}, &ctx));
    OK(kiln_program_create(ctx, &(struct kiln_program_desc){.source = text, .options = "-cl-std=CL2.0"}, &program));
    OK(kiln_stream_create(ctx, 0, &stream));
    OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = sizeof *o}, &buffer));
    struct kiln_arg arg = kiln_arg_buffer(buffer);
    for (int i = 0; i < 2; i++) {
      struct kiln_kernel *kernel;
      OK(kiln_kernel_create(program, i ? "b" : "a", &kernel));
      OK(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {1}, .args = &arg, .arg_count = 1}, NULL));
      kiln_kernel_release(kernel);
    }
    OK(kiln_read(stream, buffer, 0, o[limited], sizeof *o, NULL));
    OK(kiln_stream_finish(stream));
    kiln_buffer_release(buffer);
    kiln_stream_release(stream);
    kiln_program_release(program);
    kiln_context_close(ctx);
    limit_files();
  }
  cr_expect_eq(o[1][1], 4);
  cr_expect_eq(memcmp(o[0], o[1], sizeof *o), 0, "%g %g, %g %g", o[0][0], o[0][1], o[1][0], o[1][1]);
}
#endif

Test(fsize, interp, .init = set_up, .fini = tear_down) { write_everything("interp"); }
#ifdef KILN_LLVM
Test(fsize, cpu, .init = set_up, .fini = tear_down) { write_everything("cpu"); }
#endif

// What was in the cache before is still found.
Test(fsize, warm, .init = set_up, .fini = tear_down) {
  for (int i = 0; i < 2; i++) {
    struct kiln_context *ctx;
    struct kiln_cache_stats stats;
    OK(kiln_context_open(&(struct kiln_context_desc){.backend = "interp"}, &ctx));
    run(ctx);
    kiln_context_cache_stats(ctx, &stats);
    cr_expect_eq(stats.compiles, i == 0);
    kiln_context_close(ctx);
    limit_files();
  }
}
