// What printed OpenCL C means: kernels whose text is easily wrong, as IR, printed and compiled again on interp, and on
// an OpenCL device where there is one. (The text itself: opencl_print.c.)
#include "backends/opencl/driver/program.h"
#include "backends/opencl/print/print.h"
#include "jit/report.h"
#include "jit_test.h"

#define FEATURES "clc3.0,fp64,fp16,int64-atomics,int64-minmax,generic,c11-atomics,seq-cst,variables,fma,partial-groups"
enum { WORDS = 16, RESULTS = 8 };

// Values with a number stand where they are used, those with a name are variables.
// p: what the case gives, results from p[8] on; c and u: the same bytes, signed and unsigned.
#define KERNEL "kernel @k%zu(%%p: ptr.global \"uint*\", %%c: ptr.global \"char*\", %%u: ptr.global \"uchar*\") {\n"
static const uint8_t bytes[] = {0xff, 0x80, 0x7f, 9,    0xfe, 3,    1,    0,    0x11, 0x22, 0x33, 0x44, 0x55, 0x66,
                                0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6,
                                0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0x01, 0x02, 0x03, 0x04, 0x05};

struct meaning {
  const char *name, *body;
  uint32_t in[RESULTS], out[RESULTS];
};

#define OUT(number, value) " %o" #number " = padd %p, " #number ":i64 * 4\n store %o" #number ", " value ", align 4\n"

static const struct meaning cases[] = {
    // A byte is shifted by counts modulo 8, and not by those of C, which promotes it.
    {"counts of narrow shifts",
     " %a = load %u, align 1 : i8\n %c3 = padd %u, 3:i64 * 1\n %n = load %c3, align 1 : i8\n"
     " %l = shl %a, %n\n %r = lshr %a, %n\n %s = ashr %a, %n\n"
     " %x = zext %l : i32\n %y = zext %r : i32\n %z = sext %s : i32\n" OUT(8, "%x") OUT(9, "%y") OUT(10, "%z"),
     {0},
     {0xfe, 0x7f, 0xffffffffu}},
    {"counts of shifts of 16 bits",
     " %v = load %p, align 4 : i32\n %a = trunc %v : i16\n %p1 = padd %p, 1:i64 * 4\n %w = load %p1, align 4 : i32\n"
     " %n = trunc %w : i16\n %l = shl %a, %n\n %r = lshr %a, %n\n %x = zext %l : i32\n"
     " %y = zext %r : i32\n" OUT(8, "%x") OUT(9, "%y"),
     {0x8421, 20},
     {0x4210, 0x0842}},
    // Equal bytes are equal, whatever signs their types have.
    {"bytes of different signs",
     " %20 = load %c, align 1 : i8\n %21 = load %u, align 1 : i8\n %22 = eq %20, %21\n %23 = zext %22 : i32\n"
     " %q = padd %p, 8:i64 * 4\n store %q, %23, align 4\n"
     " %24 = load %c, align 1 : i8\n %25 = load %u, align 1 : i8\n %26 = ne %24, %25\n %27 = zext %26 : i32\n"
     " %r = padd %p, 9:i64 * 4\n store %r, %27, align 4\n",
     {0},
     {1, 0}},
    {"what is not below or equal",
     " %a = load %p, align 4 : i32\n %p1 = padd %p, 1:i64 * 4\n %b = load %p1, align 4 : i32\n"
     " %p2 = padd %p, 2:i64 * 4\n %o = padd %p, 8:i64 * 4\n %q = padd %p, 9:i64 * 4\n %20 = sle %a, %b\n"
     " if %20 {\n yield\n } else {\n store %o, 1:i32, align 4\n yield\n }\n"
     " %21 = ule %a, %b\n if %21 {\n yield\n } else {\n store %q, 1:i32, align 4\n yield\n }\n"
     " %d = load %p2, align 4 : i32\n %22 = sle %b, %d\n %r = padd %p, 10:i64 * 4\n"
     " if %22 {\n yield\n } else {\n store %r, 1:i32, align 4\n yield\n }\n",
     {7, 7, 6},
     {0, 0, 1}},
    // The flag says that a float is in range, not that it is rounded as in C.
    {"floats in range, rounded otherwise",
     " %f = load %p, align 4 : f32\n %a = ftos.rte.inrange %f : i32\n %b = ftos.rtp.inrange %f : i32\n"
     " %d = ftos.rtn.inrange %f : i32\n %e = ftos.rtz.inrange %f : i32\n" OUT(8, "%a") OUT(9, "%b") OUT(10, "%d")
         OUT(11, "%e"),
     {0xc0300000u}, // -2.75
     {-3u, -2u, -3u, -2u}},
    // Elements that lie anywhere, of vectors that no single access has.
    {"three lanes at odd addresses",
     " %c1 = padd %u, 9:i64 * 1\n %v = load %c1, align 1 : i32x3\n %a = extract %v, 0:i32 : i32\n %b = extract %v, "
     "1:i32 : i32\n"
     " %d = extract %v, 2:i32 : i32\n" OUT(8, "%a") OUT(9, "%b") OUT(10, "%d"),
     {0},
     {0x55443322u, 0x99887766u, 0xddccbbaau}},
    {"a wide vector at odd addresses",
     " %c1 = padd %u, 7:i64 * 1\n %v = load %c1, align 1 : i64x4\n %a = extract %v, 1:i32 : i64\n %b = extract %v, "
     "3:i32 : i64\n"
     " %l = trunc %a : i32\n %h = trunc %b : i32\n" OUT(8, "%l") OUT(9, "%h"),
     {0},
     {0xbbaa9988u, 0xfdfcfbfau}},
    {"three lanes stored at odd addresses",
     " %v = load %p, align 4 : i32\n %w = vec %v, 286335522:i32, 858997828:i32 : i32x3\n %c1 = padd %u, 41:i64 * 1\n"
     " store %c1, %w, align 1\n %c2 = padd %u, 44:i64 * 1\n %d = load %c2, align 1 : i32\n %c3 = padd %u, 48:i64 * 1\n"
     " %e = load %c3, align 1 : i32\n" OUT(8, "%d") OUT(9, "%e"),
     {0xdeadbeefu},
     {0x112222deu, 0x33444411u}},
    // i += j, j++: the sum takes the old step.
    {"a step that changes too",
     " %n = load %p, align 4 : i32\n loop ^l (%i: i32 = 0:i32, %j: i32 = 1:i32) -> (%r: i32, %s: i32) {\n"
     "  %40 = slt %i, %n\n  if %40 {\n yield\n } else {\n break ^l, %i, %j\n }\n"
     "  %43 = iadd %i, %j\n  %44 = iadd %j, 1:i32\n  continue ^l, %43, %44\n }\n" OUT(8, "%r") OUT(9, "%s"),
     {20},
     {21, 7}},
    {"a counter that is used after its loop",
     " %n = load %p, align 4 : i32\n loop ^l (%i: i32 = 0:i32) -> (%r: i32) {\n"
     "  %40 = slt %i, %n\n  if %40 {\n yield\n } else {\n break ^l, %i\n }\n"
     "  %45 = sext %i : i64\n  %a = padd %u, %45 * 1\n  %b = load %a, align 1 : i8\n  %41 = eq %b, 3:i8\n"
     "  if %41 {\n break ^l, %i\n } else {\n yield\n }\n  %43 = iadd %i, 1:i32\n  continue ^l, %43\n }\n" OUT(8, "%r"),
     {30},
     {5}},
    {"ways out of a loop that tell which it was",
     " %n = load %p, align 4 : i32\n loop ^l (%i: i32 = 0:i32) -> (%r: i32) {\n"
     "  %40 = slt %i, %n\n  if %40 {\n yield\n } else {\n break ^l, 100:i32\n }\n"
     "  %45 = sext %i : i64\n  %a = padd %u, %45 * 1\n  %b = load %a, align 1 : i8\n  %41 = eq %b, 3:i8\n"
     "  if %41 {\n break ^l, %i\n } else {\n yield\n }\n  %43 = iadd %i, 1:i32\n  continue ^l, %43\n }\n" OUT(8, "%r"),
     {30},
     {5}},
    {"a sum behind a block that is left early",
     " %n = load %p, align 4 : i32\n %o = padd %p, 9:i64 * 4\n"
     " loop ^l (%i: i32 = 0:i32, %s: i32 = 0:i32) -> (%r: i32) {\n"
     "  %40 = slt %i, %n\n  if %40 {\n yield\n } else {\n break ^l, %s\n }\n"
     "  block ^b {\n   %41 = and %i, 1:i32\n   %42 = eq %41, 0:i32\n   if %42 {\n break ^b\n } else {\n yield\n }\n"
     "   store %o, %i, align 4\n   yield\n  }\n"
     "  %44 = iadd %s, %i\n  %43 = iadd %i, 1:i32\n  continue ^l, %43, %44\n }\n" OUT(8, "%r"),
     {10},
     {45, 9}},
    {"a step that is made in the loop",
     " %n = load %p, align 4 : i32\n loop ^l (%i: i32 = 0:i32, %k: i32 = 0:i32) -> (%r: i32, %s: i32) {\n"
     "  %40 = slt %i, %n\n  if %40 {\n yield\n } else {\n break ^l, %i, %k\n }\n"
     "  %45 = sext %i : i64\n  %a = padd %u, %45 * 1\n  %b = load %a, align 1 : i8\n  %46 = and %b, 1:i8\n"
     "  %47 = zext %46 : i32\n  %step = iadd %47, 1:i32\n"
     "  %44 = iadd %k, 1:i32\n  %43 = iadd %i, %step\n  continue ^l, %43, %44\n }\n" OUT(8, "%r") OUT(9, "%s"),
     {10},
     {10, 6}},
    {"lanes of a shuffle without a value",
     " %v = load %p, align 4 : i32x4\n %w = shuffle %v, %v, [2, undef, 5, undef] : i32x4\n %a = extract %w, 0:i32 : "
     "i32\n"
     " %b = extract %w, 2:i32 : i32\n" OUT(8, "%a") OUT(9, "%b"),
     {1, 2, 3, 4},
     {3, 2}},
    // Signs of vectors are those of the operations.
    {"vectors that are cut",
     " %v = load %p, align 4 : i32x4\n %w = trunc %v : i8x4\n %x = sext %w : i32x4\n %y = zext %w : i32x4\n"
     " %a = extract %x, 0:i32 : i32\n %b = extract %y, 0:i32 : i32\n %d = extract %x, 3:i32 : i32\n" OUT(8, "%a")
         OUT(9, "%b") OUT(10, "%d"),
     {0x1280, 2, 3, 0xffff007fu},
     {0xffffff80u, 0x80, 0x7f}},
    {"bytes that are multiplied, and halves of words",
     " %v = load %p, align 4 : i32\n %a = trunc %v : i16\n %m = imul %a, %a\n %x = zext %m : i32\n"
     " %b = load %u, align 1 : i8\n %k = imul %b, %b\n %y = zext %k : i32\n" OUT(8, "%x") OUT(9, "%y"),
     {0xfffd},
     {9, 1}},
    {"what is below zero is not added as a constant",
     " %v = load %p, align 4 : i32\n %a = and %v, -3:i32\n %b = xor %v, -3:i32\n %d = iadd %v, -3:i32\n"
     " %e = imul %v, -3:i32\n %f = isub %v, -3:i32\n" OUT(8, "%a") OUT(9, "%b") OUT(10, "%d") OUT(11, "%e")
         OUT(12, "%f"),
     {7},
     {5, -6u, 4, -21u, 10}},
};
enum { CASES = sizeof cases / sizeof *cases };

static char *module_text(void) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, "kiln_ir 1\n");
  for (size_t i = 0; i < CASES; i++)
    kiln_strbuf_printf(&text, KERNEL "%s return\n}\n", i, cases[i].body);
  cr_assert_not(text.failed);
  return text.data;
}

static char *printed(const char *ir) {
  struct cl_printed out;
  struct kiln_module *module;
  struct kiln_report report = {0};
  OK(kiln_module_parse(ir, strlen(ir), "meaning.kir", &module));
  char fault[512];
  cr_assert(kiln_module_verify(module, fault, sizeof fault), "%s", fault);
  struct cl_print_options options = {.device = "a device"};
  kiln_cl_features_parse(FEATURES, &options.features);
  enum kiln_status status = kiln_cl_print_module(module, &options, &out, &report);
  cr_assert_eq(status, KILN_OK, "%s", kiln_report_text(&report));
  kiln_module_free(module);
  char *text = out.source;
  out.source = NULL;
  kiln_cl_printed_free(&out);
  return text;
}

static void run(struct kiln_context *ctx, const char *what, const struct kiln_program_desc *desc) {
  struct kiln_program *program;
  struct kiln_stream *stream;
  struct kiln_buffer *words, *letters;
  enum kiln_status made = kiln_program_create(ctx, desc, &program);
  cr_assert_eq(made, KILN_OK, "%s: %s\n%s", what, kiln_last_error(), desc->source);
  OK(kiln_stream_create(ctx, 0, &stream));
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 4 * WORDS}, &words));
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 64}, &letters));
  for (size_t i = 0; i < CASES; i++) {
    char name[16];
    struct kiln_kernel *kernel;
    uint32_t p[WORDS] = {0};
    snprintf(name, sizeof name, "k%zu", i);
    memcpy(p, cases[i].in, sizeof cases[i].in);
    OK(kiln_kernel_create(program, name, &kernel));
    OK(kiln_write(stream, words, 0, p, sizeof p, NULL));
    OK(kiln_write(stream, letters, 0, bytes, sizeof bytes, NULL));
    OK(kiln_stream_finish(stream));
    const struct kiln_arg args[] = {kiln_arg_buffer(words), kiln_arg_buffer(letters), kiln_arg_buffer(letters)};
    OK(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {1}, .args = args, .arg_count = 3}, NULL));
    OK(kiln_read(stream, words, 0, p, sizeof p, NULL));
    OK(kiln_stream_finish(stream));
    for (unsigned k = 0; k < RESULTS; k++)
      cr_expect_eq(p[RESULTS + k], cases[i].out[k], "%s, %s: result %u is 0x%x, not 0x%x", what, cases[i].name, k,
                   p[RESULTS + k], cases[i].out[k]);
    kiln_kernel_release(kernel);
  }
  kiln_buffer_release(letters);
  kiln_buffer_release(words);
  kiln_stream_release(stream);
  kiln_program_release(program);
}

Test(opencl_meaning, kernels_mean_the_same_when_printed, .init = set_up, .fini = tear_down) {
  char *ir = module_text(), *text = printed(ir);
  struct kiln_context *ctx = open_interp();
  run(ctx, "as IR", &(struct kiln_program_desc){.source = ir, .kind = KILN_SOURCE_IR_TEXT});
  run(ctx, "printed", &(struct kiln_program_desc){.source = text, .options = "-cl-std=CL3.0"});
  kiln_context_close(ctx);
  free(ir);
  free(text);
}

// As the driver of the device compiles it.
Test(opencl_meaning, kernels_mean_the_same_on_a_device, .init = set_up, .fini = tear_down) {
  struct kiln_context *ctx;
  const char *required = getenv("KILN_TEST_REQUIRE");
  enum kiln_status status = kiln_context_open(&(struct kiln_context_desc){.backend = "opencl"}, &ctx);
  cr_assert(!status || !required || !strstr(required, "opencl"), "%s", kiln_last_error());
  if (status)
    return;
  char *ir = module_text();
  run(ctx, "on a device", &(struct kiln_program_desc){.source = ir, .kind = KILN_SOURCE_IR_TEXT});
  kiln_context_close(ctx);
  free(ir);
}
