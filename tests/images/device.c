// Images of the device (docs/images.md): commands on their regions, compared with bytes of the host, and what kernels
// do with those and with samplers.
//   images_device BACKEND ARCH
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/kiln.h"
#include "tests/support/expect.h"

enum { BYTES = 1 << 16, ROUNDS = 40 };

static struct kiln_context *ctx;
static struct kiln_stream *stream;
static struct kiln_device_info device;
static unsigned char host[BYTES], got[BYTES];
static unsigned seed = 1;

static unsigned rnd(unsigned below) {
  seed = seed * 1664525 + 1013904223;
  return (seed >> 8) % below;
}

static void scramble(unsigned char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    bytes[i] = (unsigned char)rnd(256);
}

// ---- regions

// An image, and its pixels without gaps as they should be.
struct twin {
  struct kiln_image *image;
  size_t size[3], pixel;
  unsigned char bytes[BYTES];
};

static const struct kiln_image_format formats[] = {{KILN_ORDER_R, KILN_CHANNEL_U8},
                                                   {KILN_ORDER_R, KILN_CHANNEL_UNORM16},
                                                   {KILN_ORDER_RGBA, KILN_CHANNEL_UNORM8},
                                                   {KILN_ORDER_RGBA, KILN_CHANNEL_F16},
                                                   {KILN_ORDER_RGBA, KILN_CHANNEL_F32}};

static void make(struct twin *twin, enum kiln_image_dimension d, struct kiln_image_format format, void *from) {
  bool has_layers = d == KILN_IMAGE_1D_ARRAY || d == KILN_IMAGE_2D_ARRAY, has_rows = d >= KILN_IMAGE_2D;
  struct kiln_image_desc desc = {.dimension = d, .format = format, .host = from, .copies = from != NULL}, info;
  desc.width = 1 + rnd(12);
  desc.height = has_rows ? 1 + rnd(8) : 0;
  desc.depth = d == KILN_IMAGE_3D ? 1 + rnd(5) : 0;
  desc.layers = has_layers ? 1 + rnd(5) : 0;
  FINE(kiln_image_create(ctx, &desc, &twin->image));
  kiln_image_info(twin->image, &info);
  bool in_buffer = d == KILN_IMAGE_1D_BUFFER;
  EXPECT(!kiln_image_buffer(twin->image) == !in_buffer && !info.buffer == !in_buffer, "whether it is in a buffer");
  twin->pixel = kiln_image_pixel_bytes(format);
  twin->size[0] = desc.width;
  twin->size[1] = d == KILN_IMAGE_1D_ARRAY ? desc.layers : info.height;
  twin->size[2] = d == KILN_IMAGE_1D_ARRAY ? 1 : (size_t)info.depth * info.layers;
  size_t bytes = twin->size[0] * twin->size[1] * twin->size[2] * twin->pixel;
  if (from) {
    memcpy(twin->bytes, from, bytes);
    return;
  }
  scramble(twin->bytes, bytes);
  FINE(kiln_image_write(stream, twin->image, NULL, twin->bytes, NULL, NULL));
}

static struct kiln_image_region a_region(const struct twin *twin) {
  struct kiln_image_region r;
  for (int d = 0; d < 3; d++) {
    r.size[d] = 1 + rnd((unsigned)twin->size[d]);
    r.origin[d] = rnd((unsigned)(twin->size[d] - r.size[d] + 1));
  }
  return r;
}

static struct kiln_layout a_layout(const struct kiln_image_region *r, size_t pixel) {
  struct kiln_layout l = {rnd(50) * pixel, (r->size[0] + rnd(3)) * pixel, 0};
  l.plane = l.row * (r->size[1] + rnd(3));
  return l;
}

// Copies between the twin's bytes and those of a layout.
static void move(struct twin *twin, const struct kiln_image_region *r, unsigned char *bytes, struct kiln_layout l,
                 bool to_image) {
  for (size_t z = 0; z < r->size[2]; z++)
    for (size_t y = 0; y < r->size[1]; y++)
      for (size_t x = 0; x < r->size[0]; x++) {
        size_t place = ((r->origin[2] + z) * twin->size[1] + r->origin[1] + y) * twin->size[0] + r->origin[0] + x;
        unsigned char *at = twin->bytes + place * twin->pixel;
        unsigned char *outside = bytes + l.offset + z * l.plane + y * l.row + x * twin->pixel;
        memcpy(to_image ? at : outside, to_image ? outside : at, twin->pixel);
      }
}

static void compare(const char *what, const struct twin *twin) {
  size_t bytes = twin->size[0] * twin->size[1] * twin->size[2] * twin->pixel;
  FINE(kiln_image_read(stream, twin->image, NULL, got, NULL, NULL));
  FINE(kiln_stream_finish(stream));
  for (size_t i = 0; i < bytes; i++)
    EXPECT(got[i] == twin->bytes[i], "%s: byte %zu is %d, not %d", what, i, got[i], twin->bytes[i]);
}

static void with_the_host(struct twin *twin) {
  struct kiln_image_region r = a_region(twin);
  struct kiln_layout l = a_layout(&r, twin->pixel);
  struct kiln_event *event;
  scramble(host, BYTES);
  FINE(kiln_image_write(stream, twin->image, &r, host, &l, &event));
  FINE(kiln_event_wait(event));
  kiln_event_release(event);
  move(twin, &r, host, l, true);
  compare("write", twin);
  static unsigned char read[BYTES];
  r = a_region(twin);
  l = a_layout(&r, twin->pixel);
  memcpy(read, host, BYTES);
  FINE(kiln_image_read(stream, twin->image, &r, read, &l, NULL));
  FINE(kiln_stream_finish(stream));
  move(twin, &r, host, l, false);
  EXPECT(memcmp(read, host, BYTES) == 0, "read");
}

static void with_buffers(struct twin *twin, struct kiln_buffer *buffer) {
  struct kiln_image_region r = a_region(twin);
  struct kiln_layout l = a_layout(&r, twin->pixel);
  scramble(host, BYTES);
  FINE(kiln_write(stream, buffer, 0, host, BYTES, NULL));
  FINE(kiln_image_from_buffer(stream, twin->image, &r, buffer, &l, NULL));
  move(twin, &r, host, l, true);
  compare("from a buffer", twin);
  r = a_region(twin);
  l = a_layout(&r, twin->pixel);
  if (rnd(2))
    l = (struct kiln_layout){0, r.size[0] * twin->pixel, r.size[0] * r.size[1] * twin->pixel};
  FINE(kiln_image_to_buffer(stream, twin->image, &r, buffer, &l, NULL));
  move(twin, &r, host, l, false);
  FINE(kiln_read(stream, buffer, 0, got, BYTES, NULL));
  FINE(kiln_stream_finish(stream));
  EXPECT(memcmp(got, host, BYTES) == 0, "to a buffer");
}

static void fill(struct twin *twin, struct kiln_image_format format) {
  struct kiln_image_region r = a_region(twin);
  union kiln_pixel pixel = {.f = {1, 0, 1, 0}};
  unsigned char bytes[16] = {255, format.order == KILN_ORDER_R ? 255 : 0, 255, 0};
  if (format.type == KILN_CHANNEL_U8)
    pixel.u[0] = 255;
  if (format.type == KILN_CHANNEL_F16)
    memcpy(bytes, (uint16_t[]){0x3c00, 0, 0x3c00, 0}, 8);
  if (format.type == KILN_CHANNEL_F32)
    memcpy(bytes, pixel.f, 16);
  FINE(kiln_image_fill(stream, twin->image, &r, &pixel, NULL));
  for (size_t x = 0; x < r.size[0] * r.size[1] * r.size[2]; x++)
    memcpy(host + x * twin->pixel, bytes, twin->pixel);
  size_t row = r.size[0] * twin->pixel;
  move(twin, &r, host, (struct kiln_layout){0, row, row * r.size[1]}, true);
  compare("fill", twin);
}

static void copy(struct twin *from, struct twin *to) {
  struct kiln_image_region r = a_region(from), target = {.origin = {0}};
  for (int d = 0; d < 3; d++) {
    r.size[d] = r.size[d] < to->size[d] ? r.size[d] : to->size[d];
    target.origin[d] = rnd((unsigned)(to->size[d] - r.size[d] + 1));
    target.size[d] = r.size[d];
  }
  FINE(kiln_image_copy(stream, from->image, &r, to->image, target.origin, NULL));
  size_t row = r.size[0] * from->pixel;
  struct kiln_layout l = {0, row, row * r.size[1]};
  move(from, &r, host, l, false);
  move(to, &target, host, l, true);
  compare("copy", to);
}

static void regions(void) {
  static struct twin a, b;
  struct kiln_buffer *buffer;
  FINE(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = BYTES}, &buffer));
  for (int i = 0; i < ROUNDS; i++)
    for (int d = KILN_IMAGE_1D; d <= KILN_IMAGE_3D; d++) {
      struct kiln_image_format format = formats[rnd(sizeof formats / sizeof *formats)];
      scramble(host, BYTES);
      make(&a, (enum kiln_image_dimension)d, format, rnd(2) ? host : NULL);
      make(&b, (enum kiln_image_dimension)d, format, NULL);
      compare("new", &a);
      with_the_host(&a);
      with_buffers(&a, buffer);
      fill(&a, format);
      copy(&a, &b);
      kiln_image_release(a.image);
      kiln_image_release(b.image);
    }
  kiln_buffer_release(buffer);
}

// An image that is a part of a buffer, and one that is not.
static void copies_between_kinds(void) {
  struct kiln_buffer *buffer;
  struct kiln_image *part, *own;
  struct kiln_image_desc desc = {
      .dimension = KILN_IMAGE_2D, .format = {KILN_ORDER_RGBA, KILN_CHANNEL_U8}, .width = 16, .height = 8, .row = 256};
  FINE(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 4096}, &buffer));
  FINE(kiln_image_create(ctx, &desc, &own));
  desc.buffer = buffer;
  desc.offset = 1024;
  if (kiln_image_create(ctx, &desc, &part) != KILN_OK) {
    EXPECT(strstr(kiln_last_error(), device.name), "%s", kiln_last_error());
    part = NULL;
  }
  scramble(host, 4096);
  FINE(kiln_write(stream, buffer, 0, host, 4096, NULL));
  if (part) {
    const struct kiln_image_region r = {{2, 1, 0}, {5, 3, 1}};
    FINE(kiln_image_copy(stream, part, &r, own, NULL, NULL));
    FINE(kiln_image_copy(stream, own, &(struct kiln_image_region){.size = {5, 3, 1}}, part, (size_t[]){8, 4, 0}, NULL));
    for (size_t y = 0; y < 3; y++)
      memcpy(host + 1024 + (4 + y) * 256 + 32, host + 1024 + (1 + y) * 256 + 8, 20);
    FINE(kiln_read(stream, buffer, 0, got, 4096, NULL));
    FINE(kiln_stream_finish(stream));
    EXPECT(memcmp(got, host, 4096) == 0, "between a part of a buffer and an image");
  }
  kiln_image_release(part);
  kiln_image_release(own);
  kiln_buffer_release(buffer);
}

// ---- kernels

static const char source[] =
    "constant sampler_t far = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;\n"
    "__attribute__((noinline)) uint4 look(read_only image2d_t i, sampler_t s, int2 at) {\n"
    "  return read_imageui(i, s, at);\n"
    "}\n"
    "kernel void shift(read_only image2d_t in, sampler_t s, write_only image2d_t out, int by) {\n"
    "  const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  uint4 v = look(in, s, at + by) + look(in, edge, at - by);\n"
    "  float2 f = (convert_float2(at) + 0.5f) / convert_float2(get_image_dim(in)) + 1;\n"
    "  write_imageui(out, at, v + read_imageui(in, far, f));\n"
    "}\n"
    "kernel void count(read_write image2d_t i, read_only image1d_buffer_t more) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(i, at, read_imageui(i, at) + read_imageui(more, at.x));\n"
    "}\n"
    "kernel void sizes(read_only image3d_t a, read_only image2d_array_t b, global int *o) {\n"
    "  o[0] = get_image_width(a); o[1] = get_image_height(a); o[2] = get_image_depth(a);\n"
    "  o[3] = get_image_width(b); o[4] = get_image_height(b); o[5] = get_image_array_size(b);\n"
    "  o[6] = get_image_channel_order(a) == CLK_RGBA; o[7] = get_image_channel_data_type(b) == CLK_UNSIGNED_INT8;\n"
    "}\n";

enum { WIDTH = 12, HEIGHT = 7 };

static struct kiln_image *a_plane(enum kiln_image_dimension d, uint32_t width, uint32_t height, void *from) {
  struct kiln_image *image;
  struct kiln_image_desc desc = {.dimension = d,
                                 .format = {KILN_ORDER_RGBA, KILN_CHANNEL_U8},
                                 .width = width,
                                 .height = height,
                                 .depth = d == KILN_IMAGE_3D ? 3 : 0,
                                 .layers = d == KILN_IMAGE_2D_ARRAY ? 2 : 0,
                                 .host = from,
                                 .copies = from != NULL};
  FINE(kiln_image_create(ctx, &desc, &image));
  return image;
}

static int clamp(int at, int size) { return at < 0 ? 0 : at >= size ? size - 1 : at; }

// What shift gives: border for what the sampler of the launch finds outside.
static unsigned shifted(const unsigned char *in, int x, int y, int by, bool border, int c) {
  int u = x + by, v = y + by, w = clamp(x - by, WIDTH), h = clamp(y - by, HEIGHT);
  bool outside = u < 0 || v < 0 || u >= WIDTH || v >= HEIGHT;
  unsigned first = border && outside ? 0 : in[(clamp(v, HEIGHT) * WIDTH + clamp(u, WIDTH)) * 4 + c];
  unsigned sum = first + in[(h * WIDTH + w) * 4 + c] + in[(y * WIDTH + x) * 4 + c];
  return sum < 255 ? sum : 255;
}

static void check_shift(const char *what, struct kiln_image *out, int by, bool border) {
  FINE(kiln_image_read(stream, out, NULL, got, NULL, NULL));
  FINE(kiln_stream_finish(stream));
  for (int i = 0; i < WIDTH * HEIGHT * 4; i++) {
    unsigned want = shifted(host, i / 4 % WIDTH, i / 4 / WIDTH, by, border, i % 4);
    EXPECT(got[i] == want, "%s: byte %d is %d, not %u", what, i, got[i], want);
  }
}

static void samplers(struct kiln_program *program) {
  struct kiln_kernel *kernel;
  struct kiln_prepared *prepared;
  scramble(host, WIDTH * HEIGHT * 4);
  struct kiln_image *in = a_plane(KILN_IMAGE_2D, WIDTH, HEIGHT, host),
                    *out = a_plane(KILN_IMAGE_2D, WIDTH, HEIGHT, NULL);
  FINE(kiln_kernel_create(program, "shift", &kernel));
  for (int by = 1; by < 4; by++)
    for (int border = 0; border < 2; border++) {
      uint32_t mode = border ? KILN_SAMPLER_CLAMP : KILN_SAMPLER_CLAMP_TO_EDGE;
      const struct kiln_arg args[] = {kiln_arg_image(in), kiln_arg_sampler(KILN_SAMPLER_NEAREST | mode),
                                      kiln_arg_image(out), kiln_arg_value(&by, sizeof by)};
      const struct kiln_launch_desc desc = {.global = {WIDTH, HEIGHT}, .args = args, .arg_count = 4};
      FINE(kiln_launch(stream, kernel, &desc, NULL));
      check_shift("launch", out, by, border);
      FINE(kiln_image_fill(stream, out, NULL, &(union kiln_pixel){{0}}, NULL));
      FINE(kiln_prepare(stream, kernel, &desc, &prepared));
      FINE(kiln_run_prepared(prepared, NULL));
      check_shift("prepared", out, by, border);
      kiln_prepared_release(prepared);
    }
  kiln_kernel_release(kernel);
  kiln_image_release(in);
  kiln_image_release(out);
}

static void read_and_written(struct kiln_program *program) {
  struct kiln_kernel *kernel;
  scramble(host, BYTES);
  struct kiln_image *image = a_plane(KILN_IMAGE_2D, WIDTH, HEIGHT, host);
  struct kiln_image *more = a_plane(KILN_IMAGE_1D_BUFFER, WIDTH, 0, host + 1024);
  FINE(kiln_kernel_create(program, "count", &kernel));
  const struct kiln_arg args[] = {kiln_arg_image(image), kiln_arg_image(more)};
  FINE(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {WIDTH, HEIGHT}, .args = args, .arg_count = 2},
                   NULL));
  FINE(kiln_image_read(stream, image, NULL, got, NULL, NULL));
  FINE(kiln_stream_finish(stream));
  for (int i = 0; i < WIDTH * HEIGHT * 4; i++) {
    unsigned want = host[i] + host[1024 + i % (WIDTH * 4)];
    EXPECT(got[i] == (want < 255 ? want : 255), "count: byte %d is %d, not %u", i, got[i], want);
  }
  kiln_kernel_release(kernel);
  kiln_image_release(image);
  kiln_image_release(more);
}

static void queries(struct kiln_program *program) {
  static const int want[8] = {5, 4, 3, 6, 2, 2, 1, 1};
  struct kiln_kernel *kernel;
  struct kiln_buffer *out;
  int sizes[8];
  struct kiln_image *a = a_plane(KILN_IMAGE_3D, 5, 4, NULL), *b = a_plane(KILN_IMAGE_2D_ARRAY, 6, 2, NULL);
  FINE(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = sizeof sizes}, &out));
  FINE(kiln_kernel_create(program, "sizes", &kernel));
  const struct kiln_arg args[] = {kiln_arg_image(a), kiln_arg_image(b), kiln_arg_buffer(out)};
  FINE(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {1}, .args = args, .arg_count = 3}, NULL));
  FINE(kiln_read(stream, out, 0, sizes, sizeof sizes, NULL));
  FINE(kiln_stream_finish(stream));
  for (int i = 0; i < 8; i++)
    EXPECT(sizes[i] == want[i], "size %d is %d, not %d", i, sizes[i], want[i]);
  kiln_kernel_release(kernel);
  kiln_buffer_release(out);
  kiln_image_release(a);
  kiln_image_release(b);
}

// ---- what there is not

static bool lists(enum kiln_image_dimension d, enum kiln_access access, struct kiln_image_format format) {
  struct kiln_image_format all[128];
  uint32_t count;
  FINE(kiln_image_formats(ctx, 0, d, access, all, 128, &count));
  EXPECT(count <= 128, "%u formats", (unsigned)count);
  for (uint32_t i = 0; i < count; i++)
    if (all[i].order == format.order && all[i].type == format.type)
      return true;
  return false;
}

// Each format that is not listed is refused by name.
static void missing_formats(void) {
  struct kiln_image *image;
  unsigned refused = 0;
  struct kiln_image_desc desc = {.dimension = KILN_IMAGE_2D, .width = 4, .height = 4};
  for (int order = 0; order <= KILN_ORDER_SBGRA; order++)
    for (int type = 0; type <= KILN_CHANNEL_F32; type++) {
      desc.format = (struct kiln_image_format){(enum kiln_channel_order)order, (enum kiln_channel_type)type};
      if (!kiln_image_pixel_bytes(desc.format) || order == KILN_ORDER_DEPTH)
        continue;
      if (lists(desc.dimension, KILN_ACCESS_READ, desc.format)) {
        FINE(kiln_image_create(ctx, &desc, &image));
        kiln_image_release(image);
        continue;
      }
      enum kiln_status status = kiln_image_create(ctx, &desc, &image);
      EXPECT(status == KILN_ERR_UNSUPPORTED && strstr(kiln_last_error(), device.name) && strchr(kiln_last_error(), ':'),
             "%s", kiln_last_error());
      refused++;
    }
  printf("%u formats of Kiln's are not the device's\n", refused);
  struct kiln_image_limits limits;
  FINE(kiln_image_limits(ctx, 0, KILN_IMAGE_2D, &limits));
  desc.format = formats[0];
  desc.width = limits.width + 1;
  EXPECT(kiln_image_create(ctx, &desc, &image) == KILN_ERR_INVALID, "an image of %u pixels", (unsigned)desc.width);
}

static void overlaps(void) {
  struct kiln_image *image = a_plane(KILN_IMAGE_2D, WIDTH, HEIGHT, host);
  const struct kiln_image_region r = {.size = {4, 4, 1}};
  EXPECT(kiln_image_copy(stream, image, &r, image, (size_t[]){3, 3, 0}, NULL) == KILN_ERR_INVALID, "they overlap");
  FINE(kiln_image_copy(stream, image, &r, image, (size_t[]){4, 0, 0}, NULL));
  FINE(kiln_stream_finish(stream));
  kiln_image_release(image);
}

// A kernel gets images of its own context and device alone, and keeps them until it has run.
static void lives(struct kiln_program *program) {
  struct kiln_kernel *kernel;
  FINE(kiln_kernel_create(program, "count", &kernel));
  for (int i = 0; i < 100; i++) {
    struct kiln_image *image = a_plane(KILN_IMAGE_2D, 64, 64, host), *more = a_plane(KILN_IMAGE_1D_BUFFER, 64, 0, host);
    const struct kiln_arg args[] = {kiln_arg_image(image), kiln_arg_image(more)};
    FINE(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {64, 64}, .args = args, .arg_count = 2},
                     NULL));
    kiln_image_release(image);
    kiln_image_release(more);
  }
  FINE(kiln_stream_finish(stream));
  kiln_kernel_release(kernel);
}

int main(int argc, char **argv) {
  EXPECT(argc == 3, "usage: %s BACKEND ARCH", argv[0]);
  uint32_t count;
  if (kiln_context_open(&(struct kiln_context_desc){.backend = argv[1], .arch = argv[2]}, &ctx) != KILN_OK ||
      kiln_device_count(ctx, &count) != KILN_OK) {
    fprintf(stderr, "skipped: %s\n", kiln_last_error());
    return 77;
  }
  FINE(kiln_device_info(ctx, 0, &device));
  FINE(kiln_stream_create(ctx, 0, &stream));
  struct kiln_program *program;
  FINE(kiln_program_create(ctx, &(struct kiln_program_desc){.source = source, .options = "-cl-std=CL3.0"}, &program));
  regions();
  copies_between_kinds();
  samplers(program);
  if (lists(KILN_IMAGE_2D, KILN_ACCESS_READ_WRITE, formats[2])) {
    read_and_written(program);
    lives(program);
  }
  queries(program);
  missing_formats();
  overlaps();
  kiln_program_release(program);
  kiln_stream_release(stream);
  kiln_context_close(ctx);
  return 0;
}
