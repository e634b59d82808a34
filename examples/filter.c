// Blurs a picture: 5 x 5 weights over RGBA, the edge repeated; compared with plain C, byte by byte.
// Usage: filter [--no-header] [IN.png OUT.png]; without files it makes a picture of its own
#include "example.h"

#include <math.h>
#include <png.h>
#include <string.h>

static const char source[] =
    "constant int weights[5] = {1, 4, 6, 4, 1};\n"
    "kernel void blur(global const uchar4 *in, global uchar4 *out, int width, int height) {\n"
    "  int x = get_global_id(0), y = get_global_id(1);\n"
    "  int4 sum = 128;\n"
    "  for (int dy = -2; dy <= 2; dy++)\n"
    "    for (int dx = -2; dx <= 2; dx++)\n"
    "      sum += weights[dx + 2] * weights[dy + 2] *\n"
    "             convert_int4(in[clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1)]);\n"
    "  out[y * width + x] = convert_uchar4(sum >> 8);\n"
    "}\n";

enum { RUNS = 5 };

struct picture {
  int32_t width, height;
  uint8_t *rgba;
};

static size_t bytes_of(const struct picture *p) { return (size_t)p->width * (size_t)p->height * 4; }

static void *memory(size_t size) {
  void *data = calloc(1, size);
  if (!data)
    exit(1);
  return data;
}

static struct picture read_png(const char *path) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  if (!png_image_begin_read_from_file(&image, path)) {
    fprintf(stderr, "%s: %s\n", path, image.message);
    exit(1);
  }
  image.format = PNG_FORMAT_RGBA;
  struct picture p = {(int32_t)image.width, (int32_t)image.height, memory(PNG_IMAGE_SIZE(image))};
  if (!png_image_finish_read(&image, NULL, p.rgba, 0, NULL)) {
    fprintf(stderr, "%s: %s\n", path, image.message);
    exit(1);
  }
  return p;
}

static struct picture make_rings(int32_t width, int32_t height) {
  struct picture p = {width, height, memory((size_t)width * (size_t)height * 4)};
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      int32_t square = (x - width / 2) * (x - width / 2) + (y - height / 2) * (y - height / 2);
      uint8_t *to = p.rgba + ((size_t)y * (size_t)width + (size_t)x) * 4;
      to[0] = (uint8_t)(square >> 6), to[1] = (uint8_t)(x ^ y), to[2] = (uint8_t)(square >> 9), to[3] = 255;
    }
  return p;
}

static int32_t within(int32_t i, int32_t size) { return i < 0 ? 0 : i < size ? i : size - 1; }

static void blur(const struct picture *in, uint8_t *out) {
  static const int weights[] = {1, 4, 6, 4, 1};
  for (int32_t y = 0; y < in->height; y++)
    for (int32_t x = 0; x < in->width; x++) {
      int sum[4] = {128, 128, 128, 128};
      for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
          for (int c = 0; c < 4; c++)
            sum[c] +=
                weights[dx + 2] * weights[dy + 2] *
                in->rgba[((size_t)within(y + dy, in->height) * (size_t)in->width + (size_t)within(x + dx, in->width)) *
                             4 +
                         (size_t)c];
      for (int c = 0; c < 4; c++)
        *out++ = (uint8_t)(sum[c] >> 8);
    }
}

int main(int argc, char **argv) {
  int first = argc > 1 && strcmp(argv[1], "--no-header") == 0 ? 2 : 1;
  struct picture in = argc > first + 1 ? read_png(argv[first]) : make_rings(1024, 768);
  size_t size = bytes_of(&in);
  uint8_t *out = memory(size), *plain = memory(size);

  struct kiln_context *context;
  struct kiln_kernel *kernel;
  struct start_times times = measure_start("filter.cl", source, "blur", &context, &kernel);
  struct kiln_stream *stream;
  struct kiln_buffer *from, *to;
  check(kiln_stream_create(context, 0, &stream));
  check(kiln_buffer_create(context, &(struct kiln_buffer_desc){.size = size}, &from));
  check(kiln_buffer_create(context, &(struct kiln_buffer_desc){.size = size}, &to));
  check(kiln_write(stream, from, 0, in.rgba, size, NULL));
  struct kiln_arg args[] = {kiln_arg_buffer(from), kiln_arg_buffer(to), kiln_arg_value(&in.width, sizeof in.width),
                            kiln_arg_value(&in.height, sizeof in.height)};
  struct kiln_launch_desc launch = {.global = {(uint64_t)in.width, (uint64_t)in.height}, .args = args, .arg_count = 4};
  double best = run_best(stream, kernel, &launch, RUNS);
  check(kiln_read(stream, to, 0, out, size, NULL));
  check(kiln_stream_finish(stream));

  double begin = now_ms();
  blur(&in, plain);
  double plain_ms = now_ms() - begin;
  bool right = memcmp(out, plain, size) == 0;
  if (first == 1)
    print_header();
  char text[32];
  snprintf(text, sizeof text, "%dx%d pixels", (int)in.width, (int)in.height);
  print_row("filter", text, times, best, plain_ms, !right);
  if (argc > first + 1) {
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (uint32_t)in.width,
                       .height = (uint32_t)in.height,
                       .format = PNG_FORMAT_RGBA};
    if (!png_image_write_to_file(&image, argv[first + 1], 0, out, 0, NULL)) {
      fprintf(stderr, "%s: %s\n", argv[first + 1], image.message);
      right = false;
    }
  }

  kiln_buffer_release(from);
  kiln_buffer_release(to);
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  kiln_context_close(context);
  free(in.rgba), free(out), free(plain);
  return right ? 0 : 1;
}
