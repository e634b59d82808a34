// Whether products and sums are fused follows from the target, on interp by its arch; programs can ask.
#include <criterion/criterion.h>

#include "kiln/kiln.h"

// x * x is 1 + 2^-11 + 2^-24, which rounds to 1 + 2^-11.
static const char source[] = "kernel void k(global float *out, float x, float y) {\n"
                             "  out[0] = x * x - y;\n"
                             "  out[1] = fma(x, x, -y);\n"
                             "#ifdef FP_FAST_FMAF\n"
                             "  out[2] = 1;\n"
                             "#else\n"
                             "  out[2] = 0;\n"
                             "#endif\n"
                             "}\n";

static void run(const char *backend, const char *arch, float out[3]) {
  struct kiln_context *ctx;
  struct kiln_stream *stream;
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_buffer *buffer;
  const float x = 1 + 0x1p-12f, y = 1 + 0x1p-11f;
  struct kiln_context_desc desc = {.backend = backend, .arch = arch, .cache_mode = "off", .num_threads = 1};
  cr_assert_eq(kiln_context_open(&desc, &ctx), KILN_OK, "%s: %s", arch, kiln_last_error());
  cr_expect_str_eq(kiln_context_target(ctx)->arch, arch);
  cr_assert_eq(kiln_stream_create(ctx, 0, &stream), KILN_OK);
  cr_assert_eq(kiln_program_create(ctx, &(struct kiln_program_desc){.source = source}, &program), KILN_OK, "%s: %s",
               arch, kiln_last_error());
  cr_assert_eq(kiln_kernel_create(program, "k", &kernel), KILN_OK);
  cr_assert_eq(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 12}, &buffer), KILN_OK);
  struct kiln_arg args[3] = {kiln_arg_buffer(buffer), kiln_arg_value(&x, 4), kiln_arg_value(&y, 4)};
  struct kiln_launch_desc launch = {.work_dim = 1, .global = {1}, .arg_count = 3, .args = args};
  cr_assert_eq(kiln_launch(stream, kernel, &launch, NULL), KILN_OK, "%s", kiln_last_error());
  cr_assert_eq(kiln_read(stream, buffer, 0, out, 12, NULL), KILN_OK);
  cr_assert_eq(kiln_stream_finish(stream), KILN_OK, "%s: %s", arch, kiln_last_error());
  kiln_buffer_release(buffer);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  kiln_stream_release(stream);
  kiln_context_close(ctx);
}

static void check(const char *backend, const char *arch, bool fuses) {
  float out[3] = {-1, -1, -1};
  run(backend, arch, out);
  cr_expect_eq(out[0], fuses ? 0x1p-24f : 0, "%s %s: %g", backend, arch, out[0]);
  cr_expect_eq(out[1], 0x1p-24f, "%s %s: fma gives %g", backend, arch, out[1]);
  cr_expect_eq(out[2], fuses, "%s %s: FP_FAST_FMAF", backend, arch);
}

Test(interp_fma, by_arch) {
  check("interp", "generic", true);
  check("interp", "generic-fma", false);
  check("interp", "warp4", true);
  check("interp", "warp4-fma", false);
  check("interp", "warp64-fma", false);
}

#ifdef KILN_LLVM
#ifdef __x86_64__
Test(interp_fma, as_the_processor) {
  check("cpu", "x86-64-v2", false);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    check("cpu", "x86-64-v3", true);
}
#endif
#endif

Test(interp_fma, unknown_arch) {
  static const char *const archs[] = {"warp4-", "warp4-fm", "warp4-fmaa", "warp4-fma-fma", "-fma", "warp-fma"};
  for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
    struct kiln_context *ctx = NULL;
    struct kiln_context_desc desc = {.backend = "interp", .arch = archs[i]};
    cr_expect_neq(kiln_context_open(&desc, &ctx), KILN_OK, "%s", archs[i]);
    kiln_context_close(ctx);
  }
}
