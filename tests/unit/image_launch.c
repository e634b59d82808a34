// Launches with images: what a driver is given for them, and what is refused before. The driver is that of interp
// behind one that looks on; the kernels are what the pass for images leaves, or ask images for their sizes alone.
#include "backends/interp/table.h"
#include "jit/registry.h"
#include "jit_test.h"

enum { MANY = 40 };

static struct kiln_base_backend plain;
static struct kiln_driver plain_driver;
const struct kiln_base_backend *const kiln_builtin_backends[] = {&plain, &kiln_interp_backend, NULL};

static struct {
  struct kiln_drv_launch_desc last; // its arguments:
  struct kiln_drv_arg args[2 * MANY];
  uint32_t sampler;
} seen;

// Not as images: the passes are to take them away.
static void caps_without_images(const struct kiln_target *target, struct kiln_caps *out) {
  kiln_interp_backend.caps(target, out);
  out->images = false;
}

static enum kiln_status look_on(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc,
                                struct kiln_drv_launch **out, struct kiln_report *report) {
  seen.last = *desc;
  memcpy(seen.args, desc->args, desc->arg_count * sizeof *desc->args);
  for (uint32_t i = 0; i < desc->arg_count; i++)
    if (desc->args[i].kind == KILN_ARG_VALUE && desc->args[i].size == 4)
      memcpy(&seen.sampler, desc->args[i].data, 4);
  return kiln_interp_backend.driver->prepare(drv, desc, out, report);
}

static struct kiln_context *ctx;
static struct kiln_stream *stream;
static struct kiln_buffer *out;

static void open_plain(void) {
  set_up();
  plain = kiln_interp_backend;
  plain_driver = *kiln_interp_backend.driver;
  plain.name = "plain";
  plain.caps = caps_without_images;
  plain.driver = &plain_driver;
  plain_driver.prepare = look_on;
  memset(&seen, 0, sizeof seen);
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "plain"}, &ctx));
  OK(kiln_stream_create(ctx, 0, &stream));
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 4096}, &out));
}

static void close_plain(void) {
  kiln_buffer_release(out);
  kiln_stream_release(stream);
  kiln_context_close(ctx);
  tear_down();
}

static struct kiln_kernel *kernel_of(struct kiln_context *in, const char *text) {
  struct kiln_program *program = make_program(in, text);
  struct kiln_kernel *kernel;
  OK(kiln_kernel_create(program, NULL, &kernel));
  kiln_program_release(program);
  return kernel;
}

static struct kiln_image *image_of(enum kiln_image_dimension dimension, enum kiln_channel_order order,
                                   enum kiln_channel_type type) {
  struct kiln_image_desc desc = {.dimension = dimension,
                                 .format = {order, type},
                                 .width = 5,
                                 .height = dimension >= KILN_IMAGE_2D ? 4 : 0,
                                 .depth = dimension == KILN_IMAGE_3D ? 3 : 0,
                                 .layers = dimension == KILN_IMAGE_2D_ARRAY ? 2 : 0};
  struct kiln_image *image;
  OK(kiln_image_create(ctx, &desc, &image));
  return image;
}

// Stores what it is told of two images.
#define ASK                                                                                                            \
  "kiln_ir 1\n"                                                                                                        \
  "kernel @ask(%o: ptr.global \"int*\" align 4, %a: image2d.read \"image2d_t\", %s: i32 \"sampler_t\" of sampler, "    \
  "%b: image3d.read_write \"image3d_t\") {\n"                                                                          \
  "  %w = image_query.width %a : i32\n  store %o, %w, align 4\n"                                                       \
  "  %h = image_query.height %a : i32\n  %p1 = padd %o, 1:i64 * 4\n  store %p1, %h, align 4\n"                         \
  "  %d = image_query.depth %b : i32\n  %p2 = padd %o, 2:i64 * 4\n  store %p2, %d, align 4\n"                          \
  "  %f = image_query.order %b : i32\n  %p3 = padd %o, 3:i64 * 4\n  store %p3, %f, align 4\n"                          \
  "  %t = image_query.type %a : i32\n  %p4 = padd %o, 4:i64 * 4\n  store %p4, %t, align 4\n"                           \
  "  return\n}\n"

Test(image_launch, what_the_driver_gets, .init = open_plain, .fini = close_plain) {
  struct kiln_kernel *kernel = kernel_of(ctx, ASK);
  const struct kiln_kernel_info *info = kiln_kernel_info(kernel);
  cr_assert(info->arg_count == 4 && info->args[1].kind == KILN_ARG_IMAGE && info->args[1].image == KILN_IMAGE_2D &&
            info->args[1].access == KILN_ACCESS_READ && info->args[2].kind == KILN_ARG_SAMPLER &&
            info->args[3].access == KILN_ACCESS_READ_WRITE && info->args[3].image == KILN_IMAGE_3D);
  struct kiln_buffer *window;
  OK(kiln_buffer_sub(out, 1024, 2048, &window));
  struct kiln_image_desc desc = {.dimension = KILN_IMAGE_2D,
                                 .format = {KILN_ORDER_R, KILN_CHANNEL_U16},
                                 .width = 5,
                                 .height = 4,
                                 .row = 16,
                                 .buffer = window,
                                 .offset = 6};
  struct kiln_image *a, *b = image_of(KILN_IMAGE_3D, KILN_ORDER_RGBA, KILN_CHANNEL_F32);
  OK(kiln_image_create(ctx, &desc, &a));
  struct kiln_arg args[] = {kiln_arg_buffer(out), kiln_arg_image(a),
                            kiln_arg_sampler(KILN_SAMPLER_LINEAR | KILN_SAMPLER_CLAMP), kiln_arg_image(b)};
  struct kiln_launch_desc launch = {.global = {1}, .args = args, .arg_count = 4};
  OK(kiln_launch(stream, kernel, &launch, NULL));
  OK(kiln_stream_finish(stream));
  static const int32_t expected[] = {5, 4, 3, 0x10B5, 0x10DB};
  cr_expect_eq(memcmp(kiln_buffer_host(out), expected, sizeof expected), 0);
  cr_assert_eq(seen.last.arg_count, 6);
  cr_expect(seen.args[1].kind == KILN_ARG_BUFFER && seen.args[1].memory == seen.args[0].memory &&
            seen.args[1].offset == 1024 + 6);
  cr_expect(seen.args[2].kind == KILN_ARG_VALUE && seen.args[2].size == 4 &&
            seen.sampler == (KILN_SAMPLER_LINEAR | KILN_SAMPLER_CLAMP));
  struct kiln_image_record first, second;
  cr_assert(seen.args[4].kind == KILN_ARG_VALUE && seen.args[4].size == sizeof first);
  memcpy(&first, seen.args[4].data, sizeof first);
  memcpy(&second, seen.args[5].data, sizeof second);
  cr_expect(first.width == 5 && first.height == 4 && first.depth == 1 && first.layers == 1 && first.row == 16 &&
            first.slice == 64 && first.order == 0x10B0 && first.type == (0x10DB | KILN_IMAGE_IS_SMALL));
  cr_expect(second.width == 5 && second.depth == 3 && second.row == 80 && second.slice == 320);
  cr_expect(!seen.last.noalias, "the image lies in the buffer that is written");
  kiln_image_release(a);
  desc.buffer = NULL;
  desc.offset = 0;
  OK(kiln_image_create(ctx, &desc, &a));
  args[1] = kiln_arg_image(a);
  OK(kiln_launch(stream, kernel, &launch, NULL));
  OK(kiln_stream_finish(stream));
  cr_expect(seen.last.noalias);
  kiln_image_release(a);
  kiln_image_release(b);
  kiln_buffer_release(window);
  kiln_kernel_release(kernel);
}

// Two images in one buffer alias where their bytes meet, and only if one is written.
Test(image_launch, aliases, .init = open_plain, .fini = close_plain) {
  static const char *const texts[] = {
      "kiln_ir 1\nkernel @k(%a: image2d.read \"image2d_t\", %b: image2d.read \"image2d_t\") {\n  return\n}\n",
      "kiln_ir 1\nkernel @k(%a: image2d.read \"image2d_t\", %b: image2d.write \"image2d_t\") {\n  return\n}\n"};
  struct kiln_image_desc desc = {
      .dimension = KILN_IMAGE_2D, .format = {KILN_ORDER_R, KILN_CHANNEL_U8}, .width = 10, .height = 3, .buffer = out};
  static const size_t offsets[] = {0, 29, 30};
  struct kiln_image *a, *b;
  OK(kiln_image_create(ctx, &desc, &a));
  for (int i = 0; i < 2; i++) {
    struct kiln_kernel *kernel = kernel_of(ctx, texts[i]);
    for (int k = 0; k < 3; k++) {
      desc.offset = offsets[k];
      OK(kiln_image_create(ctx, &desc, &b));
      const struct kiln_arg args[] = {kiln_arg_image(a), kiln_arg_image(b)};
      OK(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {1}, .args = args, .arg_count = 2}, NULL));
      cr_expect_eq(seen.last.noalias, i == 0 || k == 2, "kernel %d, offset %zu", i, offsets[k]);
      kiln_image_release(b);
    }
    kiln_kernel_release(kernel);
  }
  kiln_image_release(a);
}

// A prepared launch runs when nobody else has its images any more.
Test(image_launch, prepared, .init = open_plain, .fini = close_plain) {
  struct kiln_kernel *kernel = kernel_of(ctx, ASK);
  struct kiln_image *a = image_of(KILN_IMAGE_2D, KILN_ORDER_SRGBA, KILN_CHANNEL_UNORM8),
                    *b = image_of(KILN_IMAGE_3D, KILN_ORDER_BGRA, KILN_CHANNEL_UNORM8);
  const struct kiln_arg args[] = {kiln_arg_buffer(out), kiln_arg_image(a), kiln_arg_sampler(KILN_SAMPLER_NEAREST),
                                  kiln_arg_image(b)};
  struct kiln_prepared *prepared;
  OK(kiln_prepare(stream, kernel, &(struct kiln_launch_desc){.global = {1}, .args = args, .arg_count = 4}, &prepared));
  kiln_image_release(a);
  kiln_image_release(b);
  kiln_kernel_release(kernel);
  struct kiln_context_stats stats;
  kiln_context_stats(ctx, &stats);
  cr_expect_eq(stats.buffers, 3);
  for (int i = 0; i < 3; i++)
    OK(kiln_run_prepared(prepared, NULL));
  OK(kiln_stream_finish(stream));
  static const int32_t expected[] = {5, 4, 3, 0x10B6, 0x10D2};
  cr_expect_eq(memcmp(kiln_buffer_host(out), expected, sizeof expected), 0);
  kiln_prepared_release(prepared);
  kiln_context_stats(ctx, &stats);
  cr_expect_eq(stats.buffers, 1);
}

// More than a launch has room for on its stack, records included.
Test(image_launch, many_images, .init = open_plain, .fini = close_plain) {
  struct kiln_image *image = image_of(KILN_IMAGE_1D, KILN_ORDER_R, KILN_CHANNEL_U8);
  for (int count = 15; count <= MANY; count++) {
    char text[4096] = "kiln_ir 1\nkernel @k(";
    struct kiln_arg args[MANY];
    for (int i = 0; i < count; i++) {
      snprintf(text + strlen(text), sizeof text - strlen(text), "%s%%a%d: image1d.read \"image1d_t\"", i ? ", " : "",
               i);
      args[i] = kiln_arg_image(image);
    }
    strcat(text, ") {\n  return\n}\n");
    struct kiln_kernel *kernel = kernel_of(ctx, text);
    struct kiln_launch_desc launch = {.global = {1}, .args = args, .arg_count = (uint32_t)count};
    OK(kiln_launch(stream, kernel, &launch, NULL));
    cr_assert_eq(seen.last.arg_count, 2 * (uint32_t)count);
    for (int i = 0; i < count; i++)
      cr_expect(seen.args[i].memory == seen.args[0].memory && seen.args[count + i].data == seen.args[count].data);
    kiln_kernel_release(kernel);
  }
  kiln_image_release(image);
}

Test(image_launch, errors, .init = open_plain, .fini = close_plain) {
  struct kiln_kernel *kernel = kernel_of(ctx, ASK);
  struct kiln_image *a = image_of(KILN_IMAGE_2D, KILN_ORDER_SRGBA, KILN_CHANNEL_UNORM8),
                    *b = image_of(KILN_IMAGE_3D, KILN_ORDER_RGBA, KILN_CHANNEL_UNORM8),
                    *srgb = image_of(KILN_IMAGE_3D, KILN_ORDER_SBGRA, KILN_CHANNEL_UNORM8),
                    *array = image_of(KILN_IMAGE_2D_ARRAY, KILN_ORDER_R, KILN_CHANNEL_U8);
  const struct kiln_arg good[] = {kiln_arg_buffer(out), kiln_arg_image(a), kiln_arg_sampler(KILN_SAMPLER_NEAREST),
                                  kiln_arg_image(b)};
  const uint32_t nearest = KILN_SAMPLER_NEAREST;
  int32_t number = 16;
  const struct {
    int index;
    struct kiln_arg arg;
    enum kiln_reason reason;
    const char *message;
  } cases[] = {
      {1, kiln_arg_image(array), KILN_REASON_ARG_VALUE,
       "argument 1 ('a'): expected a 2D image for 'image2d_t', got a 2D array image"},
      {3, kiln_arg_image(a), KILN_REASON_ARG_VALUE, "expected a 3D image for 'image3d_t', got a 2D image"},
      {3, kiln_arg_image(srgb), KILN_REASON_FORMAT,
       "argument 3 ('b'): the kernel may write to it, and images of sbgra:unorm8 can only be read"},
      {1, kiln_arg_image(NULL), KILN_REASON_ARG_VALUE, "the image is NULL"},
      {1, kiln_arg_buffer(out), KILN_REASON_ARG_KIND, "expected an image for 'image2d_t', got a buffer"},
      {0, kiln_arg_image(a), KILN_REASON_ARG_KIND, "expected a buffer for 'int*', got an image"},
      {2, kiln_arg_value(&number, 4), KILN_REASON_ARG_KIND, "expected a sampler for 'sampler_t', got a value"},
      {2, kiln_arg_sampler(0), KILN_REASON_ARG_VALUE, "0x0 has neither of KILN_SAMPLER_NEAREST and"},
      {2, kiln_arg_sampler(48), KILN_REASON_ARG_VALUE, "0x30 has both KILN_SAMPLER_NEAREST and"},
      {2, kiln_arg_sampler(nearest | 64), KILN_REASON_ARG_VALUE, "0x50 is no sampler"},
      {2, kiln_arg_sampler(nearest | 10), KILN_REASON_ARG_VALUE, "0x1a is no sampler"},
      {2, kiln_arg_sampler(nearest | KILN_SAMPLER_MIRRORED_REPEAT), KILN_REASON_ARG_VALUE,
       "argument 2 ('s'): KILN_SAMPLER_MIRRORED_REPEAT is for normalised coordinates, and the sampler 0x18 has"},
      {2, kiln_arg_sampler(nearest | KILN_SAMPLER_REPEAT), KILN_REASON_ARG_VALUE, "KILN_SAMPLER_REPEAT is for"},
  };
  struct kiln_arg args[4];
  struct kiln_launch_desc launch = {.global = {1}, .args = args, .arg_count = 4};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t index;
    memcpy(args, good, sizeof good);
    args[cases[i].index] = cases[i].arg;
    FAILS(kiln_launch(stream, kernel, &launch, NULL), KILN_ERR_INVALID, cases[i].message);
    cr_expect_eq(kiln_last_reason(&index), cases[i].reason, "case %zu", i);
    cr_expect_eq(index, (uint32_t)cases[i].index, "case %zu", i);
  }
  for (uint32_t bits = 0; bits < 64; bits++) { // all that are good
    uint32_t mode = bits & KILN_SAMPLER_ADDRESS, filter = bits & ~(uint32_t)15;
    bool is_good = (filter == KILN_SAMPLER_NEAREST || filter == KILN_SAMPLER_LINEAR) && mode <= 8 &&
                   (bits & 1 || mode <= KILN_SAMPLER_CLAMP);
    memcpy(args, good, sizeof good);
    args[2] = kiln_arg_sampler(bits);
    cr_expect_eq(kiln_launch(stream, kernel, &launch, NULL), is_good ? KILN_OK : KILN_ERR_INVALID, "0x%x", bits);
  }
  struct kiln_context *mine = ctx;
  struct kiln_stream *other_stream;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "plain"}, &ctx));
  OK(kiln_stream_create(ctx, 0, &other_stream));
  struct kiln_image *foreign = image_of(KILN_IMAGE_2D, KILN_ORDER_R, KILN_CHANNEL_U8);
  memcpy(args, good, sizeof good);
  args[1] = kiln_arg_image(foreign);
  FAILS(kiln_launch(stream, kernel, &launch, NULL), KILN_ERR_INVALID,
        "argument 1 ('a'): the image belongs to another context than the stream");
  kiln_image_release(foreign);
  kiln_stream_release(other_stream);
  kiln_context_close(ctx);
  ctx = mine;
  kiln_image_release(a);
  kiln_image_release(b);
  kiln_image_release(srgb);
  kiln_image_release(array);
  kiln_kernel_release(kernel);
}

// ---- code for the formats and samplers of launches ------------------------------------------------------------------

static uint64_t compiles(void) {
  struct kiln_cache_stats stats;
  kiln_context_cache_stats(ctx, &stats);
  return stats.compiles;
}

static int messages; // that say that there are many formats

static void count_messages(void *user, enum kiln_log_level level, const char *message) {
  (void)user;
  messages += level == KILN_LOG_WARNING && strstr(message, "sets of formats") != NULL;
}

static void ask(struct kiln_kernel *kernel, struct kiln_image *a, uint32_t sampler, struct kiln_image *b, int type) {
  const struct kiln_arg args[] = {kiln_arg_buffer(out), kiln_arg_image(a), kiln_arg_sampler(sampler),
                                  kiln_arg_image(b)};
  OK(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {1}, .args = args, .arg_count = 4}, NULL));
  OK(kiln_stream_finish(stream));
  int32_t given[5];
  memcpy(given, kiln_buffer_host(out), sizeof given);
  cr_assert(given[0] == 5 && given[3] == 0x10B5 && given[4] == type, "%x %x", (unsigned)given[3], (unsigned)given[4]);
}

// One compile for each set, what is not an image's format left aside; those that were compiled are found again.
Test(image_launch, each_set_is_compiled_once, .init = open_plain, .fini = close_plain) {
  struct kiln_image *b = image_of(KILN_IMAGE_3D, KILN_ORDER_RGBA, KILN_CHANNEL_F32);
  struct kiln_image *bytes = image_of(KILN_IMAGE_2D, KILN_ORDER_R, KILN_CHANNEL_UNORM8),
                    *others = image_of(KILN_IMAGE_2D, KILN_ORDER_R, KILN_CHANNEL_UNORM8),
                    *shorts = image_of(KILN_IMAGE_2D, KILN_ORDER_R, KILN_CHANNEL_UNORM16);
  for (int round = 0; round < 2; round++) {
    struct kiln_kernel *kernel = kernel_of(ctx, ASK);
    uint64_t before = compiles();
    ask(kernel, bytes, KILN_SAMPLER_NEAREST, b, 0x10D2);
    ask(kernel, others, KILN_SAMPLER_NEAREST, b, 0x10D2);
    cr_expect_eq(compiles() - before, round ? 0 : 1);
    ask(kernel, shorts, KILN_SAMPLER_NEAREST, b, 0x10D3);
    ask(kernel, shorts, KILN_SAMPLER_LINEAR, b, 0x10D3);
    ask(kernel, bytes, KILN_SAMPLER_NEAREST, b, 0x10D2);
    cr_expect_eq(compiles() - before, round ? 0 : 3);
    kiln_kernel_release(kernel);
  }
  kiln_image_release(b);
  kiln_image_release(bytes);
  kiln_image_release(others);
  kiln_image_release(shorts);
}

// Beyond 64 sets the code for any format runs, compiled once, and one message says so.
Test(image_launch, many_sets, .init = open_plain, .fini = close_plain) {
  kiln_buffer_release(out);
  kiln_stream_release(stream);
  kiln_context_close(ctx);
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "plain", .log = count_messages}, &ctx));
  OK(kiln_stream_create(ctx, 0, &stream));
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 4096}, &out));
  struct kiln_kernel *kernel = kernel_of(ctx, ASK);
  struct kiln_image *b = image_of(KILN_IMAGE_3D, KILN_ORDER_RGBA, KILN_CHANNEL_F32);
  uint64_t before = compiles();
  for (int i = 0; i < 100; i++) {
    static const uint32_t samplers[] = {KILN_SAMPLER_NEAREST, KILN_SAMPLER_LINEAR,
                                        KILN_SAMPLER_NEAREST | KILN_SAMPLER_CLAMP,
                                        KILN_SAMPLER_LINEAR | KILN_SAMPLER_CLAMP};
    static const enum kiln_channel_order orders[] = {KILN_ORDER_R, KILN_ORDER_RG, KILN_ORDER_RGBA};
    static const enum kiln_channel_type types[] = {KILN_CHANNEL_UNORM8, KILN_CHANNEL_UNORM16, KILN_CHANNEL_I8,
                                                   KILN_CHANNEL_I16,    KILN_CHANNEL_I32,     KILN_CHANNEL_U8,
                                                   KILN_CHANNEL_U16,    KILN_CHANNEL_U32,     KILN_CHANNEL_F16};
    static const int numbers[] = {0x10D2, 0x10D3, 0x10D7, 0x10D8, 0x10D9, 0x10DA, 0x10DB, 0x10DC, 0x10DD};
    struct kiln_image *a = image_of(KILN_IMAGE_2D, orders[i % 3], types[i / 3 % 9]);
    ask(kernel, a, samplers[i / 27], b, numbers[i / 3 % 9]);
    kiln_image_release(a);
  }
  cr_expect_eq(compiles() - before, 65);
  cr_expect_eq(messages, 1);
  kiln_image_release(b);
  kiln_kernel_release(kernel);
}

// Loads what was saved, and frees it, in a context of that mode of the cache. A launch then compiles so many kernels.
static void ask_saved(void *data, size_t size, const char *cache_mode, uint64_t compiled) {
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  kiln_buffer_release(out);
  kiln_stream_release(stream);
  kiln_context_close(ctx);
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "plain", .cache_mode = cache_mode}, &ctx));
  OK(kiln_stream_create(ctx, 0, &stream));
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 4096}, &out));
  OK(kiln_program_load(ctx, data, size, &program));
  OK(kiln_kernel_create(program, NULL, &kernel));
  kiln_program_release(program);
  kiln_free(data);
  struct kiln_image *b = image_of(KILN_IMAGE_3D, KILN_ORDER_RGBA, KILN_CHANNEL_F32),
                    *a = image_of(KILN_IMAGE_2D, KILN_ORDER_RGBA, KILN_CHANNEL_F16);
  ask(kernel, a, KILN_SAMPLER_NEAREST, b, 0x10DD);
  cr_expect_eq(compiles(), compiled);
  kiln_image_release(a);
  kiln_image_release(b);
  kiln_kernel_release(kernel);
}

// What is saved runs for every format without a compile.
Test(image_launch, saved, .init = open_plain, .fini = close_plain) {
  struct kiln_program *program = make_program(ctx, ASK);
  void *data;
  size_t size;
  OK(kiln_program_save(program, &data, &size));
  kiln_program_release(program);
  ask_saved(data, size, "require", 0);
}

// Without code for any format, nothing is compiled to save, and the launch compiles for its formats.
Test(image_launch, saved_known, .init = open_plain, .fini = close_plain) {
  struct kiln_program *program = make_program(ctx, ASK);
  void *data, *whole;
  size_t size, whole_size;
  uint64_t before = compiles();
  OK(kiln_program_save_known(program, &data, &size));
  cr_expect_eq(compiles(), before);
  OK(kiln_program_save(program, &whole, &whole_size));
  cr_expect_eq(compiles(), before + 1);
  cr_expect_lt(size, whole_size);
  kiln_free(whole);
  FAILS(kiln_program_save_known(NULL, &data, &size), KILN_ERR_INVALID, "kiln_program_save_known: program is NULL");
  kiln_program_release(program);
  ask_saved(data, size, "off", 1);
}
