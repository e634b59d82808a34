// Conformance: images and samplers. What the interpreter reads and writes is what the backend must, bit for bit but for
// filtering.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

// Work-item i reads or writes at (x, y, z), of which most coordinates lie in the image, others beyond each edge.
static const char source[] = "kernel void look(read_only IMAGE in, sampler_t s, global TYPE *o) {\n"
                             "  int i = get_global_id(0), x = i % 9 - 2, y = i / 9 % 7 - 2, z = i / 63 - 1;\n"
                             "  o[i] = READ(in, s, AT);\n"
                             "}\n"
                             "kernel void put(write_only IMAGE out, global const TYPE *v) {\n"
                             "  int i = get_global_id(0), x = i % 5, y = i / 5 % 3, z = i / 15;\n"
                             "  WRITE(out, TO, v[i]);\n"
                             "}\n"
                             "kernel void ask(read_only IMAGE in, global int *o) {\n"
                             "  o[0] = get_image_width(in);\n"
                             "  o[1] = get_image_channel_order(in);\n"
                             "  o[2] = get_image_channel_data_type(in);\n"
                             "}\n";

enum { WIDTH = 5, HEIGHT = 3, DEPTH = 2, ITEMS = 9 * 7 * 4, PIXELS = WIDTH * HEIGHT * DEPTH };
enum { OUT_BYTES = 16 * ITEMS, IMAGE_BYTES = 16 * PIXELS };
enum {
  EDGE = KILN_SAMPLER_CLAMP_TO_EDGE | KILN_SAMPLER_NEAREST,
  BORDER = KILN_SAMPLER_CLAMP | KILN_SAMPLER_NEAREST,
  EDGE_LINEAR = KILN_SAMPLER_CLAMP_TO_EDGE | KILN_SAMPLER_LINEAR,
  BORDER_LINEAR = KILN_SAMPLER_CLAMP | KILN_SAMPLER_LINEAR,
  REPEAT = KILN_SAMPLER_NORMALIZED | KILN_SAMPLER_REPEAT | KILN_SAMPLER_NEAREST,
  MIRROR_LINEAR = KILN_SAMPLER_NORMALIZED | KILN_SAMPLER_MIRRORED_REPEAT | KILN_SAMPLER_LINEAR,
};

#define LINE "-DIMAGE=image1d_t -DTO=x "
#define LINES "-DIMAGE=image1d_array_t -DTO=(int2)(x,y) "
#define PLANE "-DIMAGE=image2d_t -DTO=(int2)(x,y) "
#define PLANES "-DIMAGE=image2d_array_t -DTO=(int4)(x,y,z,0) "
#define SPACE "-DIMAGE=image3d_t -DTO=(int4)(x,y,z,0) "
#define FLOATS "-DTYPE=float4 -DREAD=read_imagef -DWRITE=write_imagef "
#define INTS "-DTYPE=int4 -DREAD=read_imagei -DWRITE=write_imagei "
#define UINTS "-DTYPE=uint4 -DREAD=read_imageui -DWRITE=write_imageui "

static const struct image_case {
  const char *what, *options;
  enum kiln_image_dimension dimension;
  struct kiln_image_format format;
  uint32_t sampler;
} cases[] = {
    {"bytes of a plane, clamped",
     PLANE FLOATS "-DAT=(int2)(x,y)",
     KILN_IMAGE_2D,
     {KILN_ORDER_RGBA, KILN_CHANNEL_UNORM8},
     EDGE},
    {"bytes in another order, with a border",
     PLANE FLOATS "-DAT=(int2)(x,y)",
     KILN_IMAGE_2D,
     {KILN_ORDER_BGRA, KILN_CHANNEL_UNORM8},
     BORDER},
    {"one channel, with a border",
     PLANE FLOATS "-DAT=(int2)(x,y)",
     KILN_IMAGE_2D,
     {KILN_ORDER_R, KILN_CHANNEL_SNORM16},
     BORDER},
    {"halves, filtered",
     PLANE FLOATS "-DAT=(float2)(x*0.7f,y*0.6f)",
     KILN_IMAGE_2D,
     {KILN_ORDER_RGBA, KILN_CHANNEL_F16},
     EDGE_LINEAR},
    {"floats, filtered with a border",
     PLANE FLOATS "-DAT=(float2)(x*0.7f,y*0.6f)",
     KILN_IMAGE_2D,
     {KILN_ORDER_RG, KILN_CHANNEL_F32},
     BORDER_LINEAR},
    {"floats of a line, repeated",
     LINE FLOATS "-DAT=(x*0.3f+z)",
     KILN_IMAGE_1D,
     {KILN_ORDER_RGBA, KILN_CHANNEL_F32},
     REPEAT},
    {"bytes of a line, mirrored and filtered",
     LINE FLOATS "-DAT=(x*0.3f+z)",
     KILN_IMAGE_1D,
     {KILN_ORDER_R, KILN_CHANNEL_UNORM8},
     MIRROR_LINEAR},
    {"packed pixels of lines",
     LINES FLOATS "-DAT=(int2)(x,y)",
     KILN_IMAGE_1D_ARRAY,
     {KILN_ORDER_RGB, KILN_CHANNEL_UNORM565},
     EDGE},
    {"integers of planes",
     PLANES INTS "-DAT=(int4)(x,y,z,0)",
     KILN_IMAGE_2D_ARRAY,
     {KILN_ORDER_RGBA, KILN_CHANNEL_I16},
     BORDER},
    {"integers without sign",
     SPACE UINTS "-DAT=(int4)(x,y,z,0)",
     KILN_IMAGE_3D,
     {KILN_ORDER_RGBA, KILN_CHANNEL_U32},
     EDGE},
    {"bytes of a space, filtered",
     SPACE FLOATS "-DAT=(float4)(x*0.7f,y*0.6f,z*0.8f,0)",
     KILN_IMAGE_3D,
     {KILN_ORDER_RGBA, KILN_CHANNEL_UNORM8},
     EDGE_LINEAR},
};

// One of the two backends, with what a case makes on it.
struct side {
  struct kiln_context *ctx;
  struct kiln_stream *stream;
  struct kiln_program *program;
  struct kiln_image *image;
  struct kiln_buffer *out;
};

static enum kiln_status make(struct side *side, const struct image_case *c) {
  enum kiln_image_dimension d = c->dimension;
  bool is_plane = d >= KILN_IMAGE_2D;
  struct kiln_image_desc desc = {.dimension = d,
                                 .format = c->format,
                                 .width = WIDTH,
                                 .height = is_plane ? HEIGHT : 0,
                                 .depth = d == KILN_IMAGE_3D ? DEPTH : 0,
                                 .layers = d == KILN_IMAGE_2D_ARRAY   ? DEPTH
                                           : d == KILN_IMAGE_1D_ARRAY ? HEIGHT
                                                                      : 0};
  enum kiln_status status;
  side->program = program_of(side->ctx, source, KILN_SOURCE_OPENCL_C, c->options, &status);
  if (status == KILN_OK)
    status = kiln_image_create(side->ctx, &desc, &side->image);
  if (status == KILN_OK)
    status = kiln_buffer_create(side->ctx, &(struct kiln_buffer_desc){.size = OUT_BYTES}, &side->out);
  return status;
}

static void let_go(struct side *side) {
  kiln_program_release(side->program);
  kiln_image_release(side->image);
  kiln_buffer_release(side->out);
}

static enum kiln_status launch(struct side *side, const char *name, uint64_t items, const struct kiln_arg *args,
                               uint32_t count) {
  struct kiln_kernel *kernel;
  enum kiln_status status = kiln_kernel_create(side->program, name, &kernel);
  if (status != KILN_OK)
    return status;
  struct kiln_launch_desc desc = {.global = {items}, .args = args, .arg_count = count};
  status = kiln_launch(side->stream, kernel, &desc, NULL);
  kiln_kernel_release(kernel);
  return status;
}

// Writes the image from values in out, then reads and asks. results: what was written, read and answered.
static enum kiln_status run(struct side *side, const struct image_case *c, const unsigned char *values,
                            unsigned char *results) {
  struct kiln_image_desc info;
  kiln_image_info(side->image, &info);
  uint64_t pixels = (uint64_t)info.width * info.height * info.depth * info.layers;
  const struct kiln_arg put[] = {kiln_arg_image(side->image), kiln_arg_buffer(side->out)};
  const struct kiln_arg look[] = {kiln_arg_image(side->image), kiln_arg_sampler(c->sampler),
                                  kiln_arg_buffer(side->out)};
  enum kiln_status status = kiln_write(side->stream, side->out, 0, values, IMAGE_BYTES, NULL);
  if (status == KILN_OK)
    status = launch(side, "put", pixels, put, 2);
  if (status == KILN_OK)
    status = kiln_image_read(side->stream, side->image, NULL, results, NULL, NULL);
  if (status == KILN_OK)
    status = launch(side, "look", ITEMS, look, 3);
  if (status == KILN_OK)
    status = kiln_read(side->stream, side->out, 0, results + IMAGE_BYTES, OUT_BYTES, NULL);
  if (status == KILN_OK)
    status = launch(side, "ask", 1, put, 2);
  if (status == KILN_OK)
    status = kiln_read(side->stream, side->out, 0, results + IMAGE_BYTES + OUT_BYTES, 12, NULL);
  enum kiln_status end = kiln_stream_finish(side->stream);
  return status == KILN_OK ? end : status;
}

// Of filtered floats: within 4 ulp of the largest value that there is.
static bool are_near(const unsigned char *a, const unsigned char *b) {
  float x[OUT_BYTES / 4], y[OUT_BYTES / 4], largest = 0;
  memcpy(x, a, sizeof x);
  memcpy(y, b, sizeof y);
  for (size_t i = 0; i < OUT_BYTES / 4; i++)
    largest = fmaxf(largest, fabsf(y[i]));
  for (size_t i = 0; i < OUT_BYTES / 4; i++)
    if (!(fabsf(x[i] - y[i]) <= 4 * 0x1p-23f * largest))
      return false;
  return true;
}

static void fill_values(const struct image_case *c, unsigned char values[IMAGE_BYTES]) {
  bool is_integer = c->format.type >= KILN_CHANNEL_I8 && c->format.type <= KILN_CHANNEL_U32;
  for (int i = 0; i < IMAGE_BYTES / 4; i++) {
    float f = (float)(i * 37 % 101) / 64 - 0.25f; // some beyond 0 and 1
    int32_t number = (int32_t)((uint32_t)i * 2654435761u >> (i % 3 * 8));
    memcpy(values + (size_t)i * 4, is_integer ? (const void *)&number : (const void *)&f, 4);
  }
}

static void check_case(struct suite *s, const struct image_case *c, unsigned char *results[2]) {
  struct side sides[2] = {{.ctx = s->ctx, .stream = s->stream}, {.ctx = s->oracle, .stream = s->oracle_stream}};
  unsigned char values[IMAGE_BYTES];
  fill_values(c, values);
  for (int i = 0; i < 2; i++)
    memset(results[i], 0, IMAGE_BYTES + OUT_BYTES + 16);
  enum kiln_status status = make(&sides[1], c);
  if (status == KILN_OK)
    status = run(&sides[1], c, values, results[1]);
  if (expect(s, status == KILN_OK, "%s on the interpreter: %s", c->what, kiln_last_error())) {
    status = make(&sides[0], c);
    if (status == KILN_OK)
      status = run(&sides[0], c, values, results[0]);
  }
  if (status == KILN_ERR_UNSUPPORTED) {
    skip(s, "%s: %s", c->what, kiln_last_error());
  } else if (expect(s, status == KILN_OK, "%s: %s", c->what, kiln_last_error())) {
    const unsigned char *got = results[0] + IMAGE_BYTES, *want = results[1] + IMAGE_BYTES;
    expect(s, memcmp(results[0], results[1], IMAGE_BYTES) == 0, "%s: other pixels are written", c->what);
    bool is_filtered = c->sampler & KILN_SAMPLER_LINEAR;
    expect(s, is_filtered ? are_near(got, want) : memcmp(got, want, OUT_BYTES) == 0, "%s: other pixels are read",
           c->what);
    expect(s, memcmp(got + OUT_BYTES, want + OUT_BYTES, 12) == 0, "%s: size or format differ", c->what);
  }
  let_go(&sides[0]);
  let_go(&sides[1]);
}

void check_images(struct suite *s) {
  if (!s->stream) {
    skip(s, "nothing is run, only compiled: %s", s->no_device);
    return;
  }
  size_t size = IMAGE_BYTES + OUT_BYTES + 16;
  unsigned char *memory = malloc(2 * size), *results[2] = {memory, memory ? memory + size : NULL};
  if (expect(s, memory, "out of memory"))
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
      check_case(s, &cases[i], results);
  free(memory);
}
