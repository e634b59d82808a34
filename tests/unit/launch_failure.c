// __builtin_trap() and assertions that fail: the launch fails with the line of the source, and the process goes on.
#include "jit_test.h"

static const char *const backends[] = {
    "interp",
    "opencl",
#ifdef KILN_LLVM
    "cpu",
#endif
};
enum { BACKEND_COUNT = sizeof backends / sizeof *backends, ITEMS = 1000 };

static const char source[] =
    "int twice(int x) {\n"
    "  if (x == 700)\n"
    "    __builtin_trap();\n"
    "  return 2 * x;\n"
    "}\n"
    "kernel void traps(global int *out, int n) { out[get_global_id(0)] = twice(get_global_id(0) + n); }\n"
    "#define CHECK(what) assert((what) && \"100%s\")\n"
    "kernel void asserts(global int *out, int n) {\n"
    "  int i = get_global_id(0);\n"
    "  assert(i % 64 < n);\n"
    "  CHECK(out); out[i] = i;\n"
    "}\n"
    "kernel void asserts_between_barriers(global int *out, int n) {\n"
    "  local int sum[64];\n"
    "  int l = get_local_id(0);\n"
    "  sum[l] = l;\n"
    "  for (int k = 0; k < 3; k++) {\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    int x = sum[(l + 1) % get_local_size(0)];\n"
    "    assert(x < n);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    sum[l] = x;\n"
    "  }\n"
    "  out[get_global_id(0)] = sum[l];\n"
    "}\n";

// False where there is no OpenCL platform, unless the tests must have one.
static bool open_backend(const char *backend, struct kiln_context **ctx) {
  struct kiln_context_desc desc = {.backend = backend, .num_threads = 2};
  const char *required = getenv("KILN_TEST_REQUIRE");
  bool optional = strcmp(backend, "opencl") == 0 && (!required || !strstr(required, "opencl"));
  enum kiln_status status = kiln_context_open(&desc, ctx);
  cr_assert(!status || optional, "%s", kiln_last_error());
  return status == KILN_OK;
}

static enum kiln_status run(struct kiln_context *ctx, const char *options, const char *name, int n) {
  struct kiln_stream *stream;
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_buffer *buffer;
  OK(kiln_program_create(ctx, &(struct kiln_program_desc){.source = source, .name = "dir/fails.cl", .options = options},
                         &program));
  OK(kiln_kernel_create(program, name, &kernel));
  OK(kiln_stream_create(ctx, 0, &stream));
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = ITEMS * sizeof(int)}, &buffer));
  struct kiln_arg args[2] = {kiln_arg_buffer(buffer), kiln_arg_value(&n, sizeof n)};
  struct kiln_launch_desc desc = {.global = {ITEMS}, .local = {50}, .args = args, .arg_count = 2};
  OK(kiln_launch(stream, kernel, &desc, NULL));
  enum kiln_status status = kiln_stream_finish(stream);
  OK(kiln_stream_finish(stream)); // told once
  kiln_buffer_release(buffer);
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  return status;
}

Test(launch_failure, a_trap_or_failed_assertion_is_an_error_of_the_launch, .init = set_up, .fini = tear_down) {
  static const char *const options[] = {NULL, "-cl-opt-disable", "--kiln-lanes=1", "--kiln-lanes=4"};
  for (int b = 0; b < BACKEND_COUNT; b++) {
    struct kiln_context *ctx;
    if (!open_backend(backends[b], &ctx))
      continue;
    for (int o = 0; o < (strcmp(backends[b], "cpu") ? 1 : 4); o++) {
      FAILS(run(ctx, options[o], "traps", 0), KILN_ERR_DEVICE, "dir/fails.cl:3:5: ");
      FAILS(run(ctx, options[o], "traps", 0), KILN_ERR_DEVICE, "__builtin_trap()");
      OK(run(ctx, options[o], "traps", 701));
      FAILS(run(ctx, options[o], "asserts", 60), KILN_ERR_DEVICE, "dir/fails.cl:10:3: ");
      FAILS(run(ctx, options[o], "asserts", 60), KILN_ERR_DEVICE, "assert(i % 64 < n)");
      OK(run(ctx, options[o], "asserts", 64));
      FAILS(run(ctx, options[o], "asserts_between_barriers", 49), KILN_ERR_DEVICE, "dir/fails.cl:20:5: ");
      OK(run(ctx, options[o], "asserts_between_barriers", 50));
    }
    OK(run(ctx, "-DNDEBUG", "asserts", 1));
    kiln_context_close(ctx);
  }
}

// The code has the path: another path is another program.
Test(launch_failure, the_line_is_that_of_the_file_that_was_compiled, .init = set_up, .fini = tear_down) {
  static const char text[] = "kernel void k() { __builtin_trap(); }\n";
  for (int b = 0; b < BACKEND_COUNT; b++) {
    struct kiln_context *ctx;
    if (!open_backend(backends[b], &ctx))
      continue;
    for (int i = 0; i < 2; i++) {
      struct kiln_stream *stream;
      struct kiln_program *program;
      struct kiln_kernel *kernel;
      OK(kiln_program_create(ctx, &(struct kiln_program_desc){.source = text, .name = i ? "two.cl" : "one.cl"},
                             &program));
      OK(kiln_kernel_create(program, NULL, &kernel));
      OK(kiln_stream_create(ctx, 0, &stream));
      OK(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {1}}, NULL));
      FAILS(kiln_stream_finish(stream), KILN_ERR_DEVICE, i ? "two.cl:1:19" : "one.cl:1:19");
      kiln_stream_release(stream);
      kiln_kernel_release(kernel);
      kiln_program_release(program);
    }
    kiln_context_close(ctx);
  }
}
