// A backend compared with interp: each format, dimension, sampler and function of images, at coordinates inside, at and
// beyond the edges. The same bits, but for linear filtering: within 4 ulp of the largest sample.
//   images_matrix BACKEND KERNELS.cl [--arch ARCH] [--quick] [--every N] [--launched | --own]
// --quick: some of the kernels, chosen so that each function of the library runs. --every: one case of N. --launched:
// code for the format and sampler of each launch, not for any. --own: the images are those of the device, which may do
// anything beyond edges and far from them, and convert within 1.5 ulp; what it is known to do wrong is left out.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kiln/kiln.h"
#include "kiln/pixel.h"
#include "tests/support/expect.h"

#define STANDARD "-cl-std=CL3.0" // which has images to read and write

enum { BYTES = 8192, OFFSET = 48, ITEMS = 64 };

// What a kernel does with an image. SAMPLE has float coordinates, FETCH integer ones, READ no sampler. COPY writes to
// another image, whose format differs.
enum action { READ, FETCH, SAMPLE, WRITE, CHANGE, COPY, ASK, ACTIONS };
enum pixels { FLOATS, HALFS, SIGNED, UNSIGNED, PIXELS };

static const char *const action_names[] = {"read", "fetch", "sample", "write", "change", "copy", "ask"};
static const char *const pixel_names[] = {"f", "h", "i", "ui"};

static const struct {
  const char *type, *at, *sizes;
  uint32_t size[3], layers, dims;
} dimensions[] = {
    [KILN_IMAGE_1D] = {"image1d_t", "x", "get_image_width(i), 1, 1, 1", {13, 1, 1}, 0, 1},
    [KILN_IMAGE_1D_BUFFER] = {"image1d_buffer_t", "x", "get_image_width(i), 1, 1, 1", {11, 1, 1}, 0, 1},
    [KILN_IMAGE_1D_ARRAY] =
        {"image1d_array_t", "xy", "get_image_width(i), 1, 1, get_image_array_size(i)", {9, 1, 1}, 5, 1},
    [KILN_IMAGE_2D] = {"image2d_t", "xy", "get_image_dim(i), 1, 1", {7, 5, 1}, 0, 2},
    [KILN_IMAGE_2D_ARRAY] =
        {"image2d_array_t", "xyzw", "get_image_dim(i), 1, get_image_array_size(i)", {5, 7, 1}, 3, 2},
    [KILN_IMAGE_3D] = {"image3d_t", "xyzw", "get_image_dim(i).xyz, 1", {7, 5, 3}, 0, 3},
    [KILN_IMAGE_2D_DEPTH] = {"image2d_depth_t", "xy", "get_image_width(i), get_image_height(i), 1, 1", {7, 3, 1}, 0, 2},
    [KILN_IMAGE_2D_ARRAY_DEPTH] =
        {"image2d_array_depth_t", "xyzw", "get_image_dim(i), 1, get_image_array_size(i)", {3, 5, 1}, 5, 2},
};
enum { DIMENSIONS = sizeof dimensions / sizeof *dimensions };

// The kernels of the quick part.
static const struct {
  enum kiln_image_dimension dimension;
  enum action action;
  enum pixels kind;
} quick_kernels[] = {
    {KILN_IMAGE_1D, READ, HALFS},           {KILN_IMAGE_1D, SAMPLE, UNSIGNED},
    {KILN_IMAGE_1D_BUFFER, READ, FLOATS},   {KILN_IMAGE_1D_ARRAY, ASK, FLOATS},
    {KILN_IMAGE_1D_ARRAY, FETCH, UNSIGNED}, {KILN_IMAGE_1D_ARRAY, SAMPLE, FLOATS},
    {KILN_IMAGE_1D_ARRAY, WRITE, HALFS},    {KILN_IMAGE_2D, SAMPLE, FLOATS},
    {KILN_IMAGE_2D, FETCH, FLOATS},         {KILN_IMAGE_2D, WRITE, FLOATS},
    {KILN_IMAGE_2D, CHANGE, FLOATS},        {KILN_IMAGE_2D, COPY, FLOATS},
    {KILN_IMAGE_2D_ARRAY, SAMPLE, SIGNED},  {KILN_IMAGE_2D_ARRAY, READ, FLOATS},
    {KILN_IMAGE_2D_ARRAY, WRITE, UNSIGNED}, {KILN_IMAGE_3D, ASK, FLOATS},
    {KILN_IMAGE_3D, READ, SIGNED},          {KILN_IMAGE_3D, FETCH, HALFS},
    {KILN_IMAGE_3D, SAMPLE, HALFS},         {KILN_IMAGE_3D, WRITE, SIGNED},
    {KILN_IMAGE_2D_DEPTH, FETCH, FLOATS},   {KILN_IMAGE_2D_ARRAY_DEPTH, WRITE, FLOATS},
};

struct side {
  struct kiln_context *ctx;
  struct kiln_stream *stream;
  struct kiln_kernel *kernels[ACTIONS][PIXELS];
  struct kiln_buffer *pixels, *others, *at, *out;
  struct kiln_image *image, *other;
  unsigned char bytes[BYTES]; // of pixels after a launch
  union kiln_pixel results[ITEMS];
};

struct matrix {
  struct side sides[2]; // interp, and the backend
  const char *options;
  char *text;
  uint32_t every, next[ACTIONS];
  bool launched, quick, is_cpu, own;
  bool is_pocl_3; // which has faults (docs/peer-faults.md)
  enum kiln_image_dimension dimension;
  struct kiln_image_format format;
  // A case.
  enum action action;
  enum pixels kind;
  uint32_t sampler;
  bool beyond; // writes go beyond the edges, where there is nothing
  union kiln_pixel at[ITEMS], values[ITEMS];
  unsigned char bytes[BYTES];
  float largest; // magnitude of a sample
  uint64_t cases, pixels, wrong, left_out;
};

// ---- values ---------------------------------------------------------------------------------------------------------

static unsigned seed = 1;

static unsigned rnd(unsigned below) {
  seed = seed * 1664525 + 1013904223;
  return (seed >> 8) % below;
}

static uint32_t bits(void) { return rnd(65536) << 16 | rnd(65536); }

static float between(float low, float high) { return low + (high - low) * (float)rnd(1 << 20) / (float)(1 << 20); }

// Channels of floats: extremes, infinities, zeros, subnormals.
static float wild(void) {
  static const float values[] = {0,         -0.0f,   1,      -1,       0.5f,      65504,   -65504, 65520,
                                 65519.99f, 3.4e38f, -3e38f, INFINITY, 1e-40f,    -1e-45f, 6e-8f,  -5.96e-8f,
                                 2.9e-8f,   3e-8f,   1e-5f,  6.1e-5f,  -INFINITY, 2049,    2051,   1.00048828125f};
  return rnd(3) ? between(-4, 4) : values[rnd(sizeof values / sizeof *values)];
}

static uint16_t a_half(bool any) {
  static const uint16_t values[] = {0, 0x8000, 0x3c00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 1, 0x8001, 0x3ff, 0x400, 0x3800};
  uint16_t half = (uint16_t)(0x3000 + rnd(0x1400) + (rnd(2) << 15)); // 0.125 to 8
  return any && !rnd(3) ? values[rnd(sizeof values / sizeof *values)] : half;
}

// The bytes of an image. any: floats of all sizes, which are too far apart to be filtered.
static void fill(struct matrix *m, bool any) {
  enum kiln_channel_type type = m->format.type;
  for (size_t i = 0; i < BYTES; i += 4) {
    uint32_t word = rnd(4) ? bits() : rnd(2) ? 0x80ff7f00u : 0xff00807fu;
    if (type == KILN_CHANNEL_F16) {
      word = a_half(any) | (uint32_t)a_half(any) << 16;
    } else if (type == KILN_CHANNEL_F32) {
      float f = any ? wild() : between(-4, 4);
      memcpy(&word, &f, sizeof f);
    } else if (type == KILN_CHANNEL_I32 || type == KILN_CHANNEL_U32) {
      word = rnd(4) ? bits() : rnd(2) ? 0x80000000u : 0x7fffffffu;
    }
    memcpy(m->bytes + i, &word, 4);
  }
  m->largest = type == KILN_CHANNEL_F16 ? 8 : type == KILN_CHANNEL_F32 ? 4 : 1;
}

// What is written: around the values of the format, halfway between them, and beyond.
static uint32_t a_component(const struct matrix *m) {
  static const float steps[] = {127, 255, 32767, 65535, 31, 63, 1023};
  float f;
  uint32_t word;
  if (m->kind == SIGNED || m->kind == UNSIGNED)
    return rnd(2) ? bits() : (uint32_t)(int32_t)(rnd(2) ? rnd(600) : rnd(140000)) - (rnd(2) ? 300 : 70000);
  if (m->kind == HALFS)
    return a_half(true);
  switch (rnd(4)) {
  case 0:
    f = wild();
    if (!m->own && !rnd(8) && kiln_pixel_kind(m->format) != KILN_FLOAT)
      f = NAN;
    break;
  case 1:
    f = between(-1.1f, 1.1f);
    break;
  default: {
    float most = steps[rnd(7)];
    f = ((float)rnd((unsigned)most + 2) + 0.5f * (float)rnd(2)) / most * (rnd(3) ? 1 : -1);
  }
  }
  memcpy(&word, &f, sizeof f);
  return word;
}

// ---- coordinates ----------------------------------------------------------------------------------------------------

static bool is_inside(float u, int32_t size, bool linear) {
  return linear ? floorf(u - 0.5f) >= 0 && floorf(u - 0.5f) + 1 < (float)size : floorf(u) >= 0 && u < (float)size;
}

// A coordinate in pixels. reach: how many sizes beyond the edges. near: no further.
static float a_place(int32_t size, float reach, bool near) {
  static const float far[] = {1e9f, -1e9f, 3e9f, -3e9f, 1e30f, -1e30f, 16777216, 1e-40f, -1e-40f, -1e-10f};
  float low = -reach * (float)size - 2, high = (1 + reach) * (float)size + 2, edge = rintf(between(low, high));
  if (!rnd(3))
    edge = rnd(2) ? 0 : (float)size;
  switch (rnd(8)) {
  case 0:
    return edge;
  case 1:
    return edge + 0.5f;
  case 2:
    return nextafterf(edge, -INFINITY);
  case 3:
    return nextafterf(edge + 0.5f * (float)rnd(2), INFINITY);
  case 4:
    if (!near)
      return far[rnd(sizeof far / sizeof *far)];
  }
  return rnd(2) ? between(low, high) : between(0, (float)size);
}

static float a_float(const struct matrix *m, int32_t size) {
  static const float nowhere[] = {INFINITY, -INFINITY, NAN};
  uint32_t mode = m->sampler & KILN_SAMPLER_ADDRESS;
  bool normalized = m->sampler & KILN_SAMPLER_NORMALIZED, linear = m->sampler & KILN_SAMPLER_LINEAR;
  if (mode && !m->own && !rnd(40))
    return nowhere[rnd(3)];
  float u = mode ? a_place(size, normalized ? 3 : 0, m->own) : between(0, (float)size),
        s = normalized ? u / (float)size : u;
  if (normalized && !rnd(8)) // exactly 0, 1, …, or the next to them
    s = nextafterf((float)rnd(5) - 2, rnd(2) ? INFINITY : (float)rnd(2) - 2);
  if (!mode && !is_inside(normalized ? s * (float)size : s, size, linear))
    s = normalized ? 0.5f : (float)size / 2;
  return s;
}

static int32_t an_int(const struct matrix *m, int32_t size, bool inside) {
  static const int32_t far[] = {INT32_MIN, INT32_MAX, -1000000000, 1000000000, INT32_MIN + 1, INT32_MAX - 1};
  if (inside)
    return (int32_t)rnd((unsigned)size);
  return m->own || rnd(10) ? (int32_t)rnd((unsigned)size + 6) - 3 : far[rnd(6)];
}

static float a_layer(const struct matrix *m, int32_t layers) {
  static const float far[] = {-0.5f, 0.5f, 1.5f, -1e9f, 1e9f, 3e9f, 1e30f, -1e30f, INFINITY, -INFINITY};
  return rnd(5)              ? between(-2, (float)layers + 1)
         : !m->own && rnd(2) ? far[rnd(10)]
                             : (float)rnd((unsigned)layers) + 0.5f;
}

// Each pixel at most once, since items run in any order.
static uint32_t distinct_pixels(struct matrix *m) {
  const uint32_t *size = dimensions[m->dimension].size, layers = dimensions[m->dimension].layers;
  uint32_t dims = dimensions[m->dimension].dims, all = size[0] * size[1] * size[2] * (layers ? layers : 1);
  uint32_t count = all < ITEMS ? all : ITEMS, first = rnd(all);
  for (uint32_t k = 0; k < count; k++) {
    uint32_t n = (first + k) % all;
    m->at[k] = (union kiln_pixel){.u = {0}};
    for (uint32_t d = 0; d < dims; n /= size[d++])
      m->at[k].u[d] = n % size[d];
    if (layers)
      m->at[k].u[dims] = n;
  }
  return count;
}

// Beyond one edge at least.
static void outside(struct matrix *m, union kiln_pixel *at) {
  const uint32_t *size = dimensions[m->dimension].size, layers = dimensions[m->dimension].layers;
  uint32_t dims = dimensions[m->dimension].dims, where = rnd(dims + (layers != 0));
  for (uint32_t d = 0; d < dims + (layers != 0); d++) {
    int32_t most = (int32_t)(d < dims ? size[d] : layers);
    do
      at->i[d] = an_int(m, most, d != where);
    while (d == where && at->i[d] >= 0 && at->i[d] < most);
  }
}

// Returns how many items there are.
static uint32_t choose_coordinates(struct matrix *m) {
  uint32_t dims = dimensions[m->dimension].dims;
  int32_t layers = (int32_t)dimensions[m->dimension].layers;
  bool anywhere = m->action != READ && m->sampler & KILN_SAMPLER_ADDRESS;
  if (!m->beyond && (m->action == WRITE || m->action == CHANGE || m->action == COPY))
    return distinct_pixels(m);
  for (uint32_t k = 0; k < ITEMS; k++) {
    union kiln_pixel *at = &m->at[k];
    *at = (union kiln_pixel){.u = {0}};
    if (m->beyond) {
      outside(m, at);
      continue;
    }
    for (uint32_t d = 0; d < dims; d++) {
      int32_t size = (int32_t)dimensions[m->dimension].size[d];
      if (m->action == SAMPLE)
        at->f[d] = a_float(m, size);
      else
        at->i[d] = an_int(m, size, !anywhere);
    }
    if (layers && m->action == SAMPLE)
      at->f[dims] = a_layer(m, layers);
    else if (layers)
      at->i[dims] = an_int(m, layers, m->action == READ);
  }
  return m->action == ASK ? 1 : ITEMS;
}

// ---- running --------------------------------------------------------------------------------------------------------

static struct kiln_image *make_image(const struct matrix *m, const struct side *s, struct kiln_image_format format,
                                     struct kiln_buffer *buffer) {
  struct kiln_image *image;
  const uint32_t *size = dimensions[m->dimension].size, layers = dimensions[m->dimension].layers;
  uint32_t pixel = kiln_pixel_bytes(format);
  size_t row = m->dimension == KILN_IMAGE_1D_BUFFER ? 0 : (size[0] + 3) * (size_t)pixel;
  struct kiln_image_desc desc = {.dimension = m->dimension,
                                 .format = format,
                                 .width = size[0],
                                 .height = size[1],
                                 .depth = size[2],
                                 .layers = layers ? layers : 1,
                                 .row = row,
                                 .slice = row * (size[1] + 1),
                                 .buffer = buffer,
                                 .offset = OFFSET};
  FINE(kiln_image_create(s->ctx, &desc, &image));
  return image;
}

static struct kiln_kernel *make_kernel(const struct matrix *m, const struct side *s) {
  static const char frame[] = "#define IMAGE %s\n#define AT %s\n#define SIZES %s\n#define DEPTH %d\n"
                              "#define KERNEL KERNEL_%s(%s)\n#line 1\n%s";
  size_t size = strlen(m->text) + sizeof frame + 200;
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  char *text = malloc(size);
  EXPECT(text, "no memory");
  snprintf(text, size, frame, dimensions[m->dimension].type, dimensions[m->dimension].at,
           dimensions[m->dimension].sizes, m->dimension >= KILN_IMAGE_2D_DEPTH, action_names[m->action],
           pixel_names[m->kind], m->text);
  const struct kiln_program_desc desc = {.source = text, .options = s == m->sides ? STANDARD : m->options};
  FINE(kiln_program_create(s->ctx, &desc, &program));
  FINE(kiln_kernel_create(program, NULL, &kernel));
  kiln_program_release(program);
  free(text);
  return kernel;
}

static void free_kernels(struct side *s) {
  for (int a = 0; a < ACTIONS; a++)
    for (int p = 0; p < PIXELS; p++) {
      kiln_kernel_release(s->kernels[a][p]);
      s->kernels[a][p] = NULL;
    }
}

static struct kiln_kernel *kernel_of(struct matrix *m, struct side *s) {
  struct kiln_kernel **kernel = &s->kernels[m->action][m->kind];
  if (!*kernel)
    *kernel = make_kernel(m, s);
  return *kernel;
}

static void launch(struct matrix *m, struct side *s, uint32_t count) {
  bool writes = m->action == WRITE || m->action == CHANGE || m->action == COPY;
  struct kiln_kernel *kernel = kernel_of(m, s);
  FINE(kiln_write(s->stream, s->pixels, 0, m->bytes, BYTES, NULL));
  FINE(kiln_write(s->stream, s->at, 0, m->at, sizeof m->at, NULL));
  FINE(kiln_write(s->stream, s->out, 0, m->values, sizeof m->values, NULL));
  FINE(kiln_write(s->stream, s->others, 0, m->bytes, BYTES, NULL));
  const struct kiln_arg args[] = {kiln_arg_image(s->image), kiln_arg_buffer(s->at),
                                  m->action == COPY ? kiln_arg_image(s->other) : kiln_arg_buffer(s->out),
                                  kiln_arg_sampler(m->sampler)};
  uint32_t args_count = m->action == FETCH || m->action == SAMPLE ? 4 : m->action == CHANGE ? 2 : 3;
  FINE(kiln_launch(s->stream, kernel,
                   &(struct kiln_launch_desc){.global = {count}, .args = args, .arg_count = args_count}, NULL));
  if (writes)
    FINE(kiln_read(s->stream, m->action == COPY ? s->others : s->pixels, 0, s->bytes, BYTES, NULL));
  else
    FINE(kiln_read(s->stream, s->out, 0, s->results, sizeof s->results, NULL));
  FINE(kiln_stream_finish(s->stream));
}

// ---- comparing ------------------------------------------------------------------------------------------------------

static float value_of(const struct matrix *m, uint32_t word) {
  float f;
  memcpy(&f, &word, sizeof f);
  if (m->kind != HALFS)
    return f;
  uint32_t exponent = word >> 10 & 31, mantissa = word & 1023;
  f = exponent == 31 ? mantissa ? NAN : INFINITY
      : exponent     ? ldexpf((float)(mantissa + 1024), (int)exponent - 25)
                     : ldexpf((float)mantissa, -24);
  return word >> 15 ? -f : f;
}

static bool is_srgb(const struct matrix *m) {
  return m->format.order == KILN_ORDER_SRGBA || m->format.order == KILN_ORDER_SBGRA;
}

static bool is_equal(const struct matrix *m, uint32_t want, uint32_t got) {
  if (want == got)
    return true;
  float w = value_of(m, want), g = value_of(m, got);
  // What the specification allows a device where it converts; where it filters, it says nothing.
  float step = m->kind == HALFS ? 0x1p-10f : 0x1p-22f;
  if (m->own && m->action != ASK && m->kind <= HALFS && kiln_pixel_kind(m->format) != KILN_FLOAT &&
      fabsf(w - g) <= (is_srgb(m) ? 0.5f / 255 : fabsf(w) * step))
    return true;
  if (m->action != SAMPLE || m->kind > HALFS || !(m->sampler & KILN_SAMPLER_LINEAR))
    return false;
  float ulp = ldexpf(1, ilogbf(m->largest) - 23);
  return (isnan(w) && isnan(g)) ||
         fabsf(w - g) <= (m->own ? 8 : 4) * ulp + (m->kind == HALFS ? fmaxf(fabsf(w) / 1024, 6e-8f) : 0);
}

static void say(struct matrix *m, const char *text) {
  static const char *const modes[] = {"none", "clamp_to_edge", "clamp", "repeat", "mirrored_repeat"};
  char format[24];
  if (m->wrong++ >= 20)
    return;
  kiln_pixel_format_text(m->format, format, sizeof format);
  fprintf(stderr, "%s_%s of %s, %s", action_names[m->action], pixel_names[m->kind], dimensions[m->dimension].type,
          format);
  if (m->action == FETCH || m->action == SAMPLE)
    fprintf(stderr, ", %s %s %s", modes[(m->sampler & KILN_SAMPLER_ADDRESS) / 2],
            m->sampler & KILN_SAMPLER_LINEAR ? "linear" : "nearest",
            m->sampler & KILN_SAMPLER_NORMALIZED ? "normalised" : "unnormalised");
  fprintf(stderr, ": %s\n", text);
}

static void compare_results(struct matrix *m, uint32_t count) {
  char text[300];
  for (uint32_t k = 0; k < count; k++) {
    const union kiln_pixel *at = &m->at[k], *want = &m->sides[0].results[k], *got = &m->sides[1].results[k];
    bool equal = true;
    for (int c = 0; c < 4; c++)
      equal &= is_equal(m, want->u[c], got->u[c]);
    if (equal)
      continue;
    int used =
        m->action == SAMPLE
            ? snprintf(text, sizeof text, "at (%.9g, %.9g, %.9g)", (double)at->f[0], (double)at->f[1], (double)at->f[2])
            : snprintf(text, sizeof text, "at (%d, %d, %d)", (int)at->i[0], (int)at->i[1], (int)at->i[2]);
    snprintf(text + used, sizeof text - (size_t)used, " %08x %08x %08x %08x, not %08x %08x %08x %08x",
             (unsigned)got->u[0], (unsigned)got->u[1], (unsigned)got->u[2], (unsigned)got->u[3], (unsigned)want->u[0],
             (unsigned)want->u[1], (unsigned)want->u[2], (unsigned)want->u[3]);
    say(m, text);
  }
}

// Whether the channels in the four bytes are equal, or as near to one another as a device may round.
static bool are_near(const struct matrix *m, const unsigned char *want, const unsigned char *got) {
  enum kiln_channel_kind kind = kiln_pixel_kind(m->format);
  float w, g;
  memcpy(&w, want, sizeof w);
  memcpy(&g, got, sizeof g);
  if (memcmp(want, got, 4) == 0)
    return true;
  if (!m->own || kind == KILN_SINT || kind == KILN_UINT || kind == KILN_FLOAT)
    return false;
  if (m->action == COPY) // to floats
    return fabsf(w - g) <= (is_srgb(m) ? 0.5f / 255 : fabsf(w) * 0x1p-22f);
  bool near = true, is_wide = kiln_pixel_bytes((struct kiln_image_format){KILN_ORDER_R, m->format.type}) == 2;
  for (int i = 0; i < 4; i += is_wide ? 2 : 1) {
    int step = is_wide ? want[i] - got[i] + 256 * (want[i + 1] - got[i + 1]) : want[i] - got[i];
    near &= abs(step) <= 1;
  }
  return near;
}

static void compare_bytes(struct matrix *m, const unsigned char *want) {
  const unsigned char *got = m->sides[1].bytes;
  char text[100];
  for (uint32_t i = 0; i < BYTES; i++)
    if (want[i] != got[i] && !are_near(m, want + i / 4 * 4, got + i / 4 * 4)) {
      snprintf(text, sizeof text, "byte %d after the first pixel is %02x, not %02x", (int)i - OFFSET, got[i], want[i]);
      say(m, text);
      break;
    }
}

// ---- the matrix -----------------------------------------------------------------------------------------------------

static bool is_wanted(struct matrix *m, enum action action, enum pixels kind) {
  bool is_quick = false;
  for (size_t i = 0; i < sizeof quick_kernels / sizeof *quick_kernels; i++)
    is_quick |= quick_kernels[i].dimension == m->dimension && quick_kernels[i].action == action &&
                quick_kernels[i].kind == kind;
  return (is_quick || !m->quick) && m->next[action]++ % m->every == 0;
}

// The faults of PoCL 3.1 (docs/peer-faults.md): half with one channel, the borders of R and its components beside the
// integer, layers that are floats, and questions about 1D buffers.
static bool is_faulty(const struct matrix *m) {
  enum kiln_channel_kind kind = kiln_pixel_kind(m->format);
  bool is_r = m->format.order == KILN_ORDER_R, is_half = m->format.type == KILN_CHANNEL_F16;
  bool is_sampled = m->action == FETCH || m->action == SAMPLE;
  bool has_border = is_sampled && (m->sampler & KILN_SAMPLER_ADDRESS) == KILN_SAMPLER_CLAMP;
  bool reads = is_sampled || m->action == READ || m->action == CHANGE || m->action == COPY;
  return (is_half && (is_r || m->format.order == KILN_ORDER_A)) || (is_r && has_border) ||
         (is_r && reads && (kind == KILN_SINT || kind == KILN_UINT)) ||
         (m->action == SAMPLE && dimensions[m->dimension].layers) ||
         (m->action == ASK && m->dimension == KILN_IMAGE_1D_BUFFER);
}

static void run_case(struct matrix *m, enum action action, enum pixels kind, uint32_t sampler) {
  if (!is_wanted(m, action, kind))
    return;
  m->action = action;
  m->kind = kind;
  m->sampler = sampler;
  if (m->is_pocl_3 && is_faulty(m)) {
    m->left_out++;
    return;
  }
  fill(m, !(sampler & KILN_SAMPLER_LINEAR));
  for (uint32_t k = 0; k < ITEMS; k++)
    for (int c = 0; c < 4; c++)
      m->values[k].u[c] = a_component(m);
  uint32_t count = choose_coordinates(m);
  if (!m->beyond) // which interp reports
    launch(m, &m->sides[0], count);
  launch(m, &m->sides[1], count);
  if (action == WRITE || action == CHANGE || action == COPY)
    compare_bytes(m, m->beyond ? m->bytes : m->sides[0].bytes);
  else
    compare_results(m, action == ASK ? 2 : count);
  m->cases++;
  m->pixels += count;
}

static void samplers(struct matrix *m, enum pixels kind) {
  bool floats = kind == FLOATS || kind == HALFS;
  for (uint32_t mode = 0; mode <= KILN_SAMPLER_MIRRORED_REPEAT; mode += 2)
    for (uint32_t normalized = 0; normalized <= KILN_SAMPLER_NORMALIZED; normalized++)
      for (uint32_t linear = 0; linear <= (floats ? 1 : 0); linear++) {
        uint32_t sampler = mode | normalized | (linear ? KILN_SAMPLER_LINEAR : KILN_SAMPLER_NEAREST);
        if (!normalized && mode >= KILN_SAMPLER_REPEAT)
          continue;
        run_case(m, SAMPLE, kind, sampler);
        if (!normalized && !linear)
          run_case(m, FETCH, kind, sampler);
      }
}

static void functions(struct matrix *m, enum pixels kind) {
  run_case(m, READ, kind, 0);
  run_case(m, COPY, kind, 0);
  if (m->dimension != KILN_IMAGE_1D_BUFFER)
    samplers(m, kind);
  if (is_srgb(m))
    return;
  run_case(m, WRITE, kind, 0);
  m->beyond = true;
  if (!m->own)
    run_case(m, WRITE, kind, 0);
  m->beyond = false;
  run_case(m, CHANGE, kind, 0);
}

static void one_format(struct matrix *m) {
  enum kiln_channel_kind kind = kiln_pixel_kind(m->format);
  const struct kiln_image_format other = {m->format.order == KILN_ORDER_DEPTH ? KILN_ORDER_DEPTH : KILN_ORDER_RGBA,
                                          kind == KILN_SINT   ? KILN_CHANNEL_I32
                                          : kind == KILN_UINT ? KILN_CHANNEL_U32
                                                              : KILN_CHANNEL_F32};
  for (int i = 0; i < 2; i++) {
    m->sides[i].image = make_image(m, &m->sides[i], m->format, m->sides[i].pixels);
    m->sides[i].other = make_image(m, &m->sides[i], other, m->sides[i].others);
  }
  run_case(m, ASK, FLOATS, 0);
  if (kind == KILN_SINT || kind == KILN_UINT) {
    functions(m, kind == KILN_SINT ? SIGNED : UNSIGNED);
  } else {
    functions(m, FLOATS);
    if (m->dimension < KILN_IMAGE_2D_DEPTH)
      functions(m, HALFS);
  }
  for (int i = 0; i < 2; i++) {
    kiln_image_release(m->sides[i].image);
    kiln_image_release(m->sides[i].other);
  }
  if (m->launched) // a kernel is compiled for a number of sets of formats
    free_kernels(&m->sides[1]);
}

// An image of 3 x 3 x 3 pixels whose planes or layers are so far apart that offsets take more than 31 bits. On cpu,
// where memory is the host's, only what is touched is there.
static void far_apart(struct matrix *m) {
  const size_t row = 1 << 20, slice = 1536 * row;
  bool is_3d = m->dimension == KILN_IMAGE_3D;
  struct side *s = &m->sides[1];
  char *memory = mmap(NULL, 3 * slice, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return;
  m->format = (struct kiln_image_format){KILN_ORDER_R, KILN_CHANNEL_I32};
  m->kind = SIGNED;
  struct kiln_image_desc desc = {m->dimension, m->format,     3, 3, is_3d ? 3 : 1, is_3d ? 1 : 3, row,
                                 slice,        .host = memory};
  FINE(kiln_image_create(s->ctx, &desc, &s->image));
  for (int32_t k = 0; k < 27; k++) {
    m->at[k] = (union kiln_pixel){.i = {k % 3, k / 3 % 3, k / 9}};
    m->values[k].i[0] = 1000 + k;
    memcpy(memory + k % 3 * 4 + (size_t)(k / 3 % 3) * row + (size_t)(k / 9) * slice, &k, sizeof k);
  }
  m->action = READ;
  launch(m, s, 27);
  for (int32_t k = 0; k < 27; k++)
    if (s->results[k].i[0] != k)
      say(m, "a pixel far from the first is wrong");
  m->action = WRITE;
  launch(m, s, 27);
  for (int32_t k = 0; k < 27; k++)
    if (memcmp(memory + k % 3 * 4 + (size_t)(k / 3 % 3) * row + (size_t)(k / 9) * slice, &m->values[k], 4))
      say(m, "a pixel far from the first is not written");
  kiln_image_release(s->image);
  munmap(memory, 3 * slice);
}

static void one_dimension(struct matrix *m) {
  struct kiln_image_format formats[128];
  uint32_t count = 0;
  FINE(kiln_image_formats(m->sides[1].ctx, 0, m->dimension, KILN_ACCESS_READ, formats, 128, &count));
  EXPECT(count <= 128, "%u formats", (unsigned)count);
  for (uint32_t i = 0; i < count; i++) {
    m->format = formats[i];
    one_format(m);
  }
  if (m->is_cpu && (m->dimension == KILN_IMAGE_3D || (m->dimension == KILN_IMAGE_2D_ARRAY && !m->quick)))
    far_apart(m);
  for (int i = 0; i < 2; i++)
    free_kernels(&m->sides[i]);
}

// Exits with 77 where the backend has no device.
static void open_side(struct side *s, const char *backend, const char *arch) {
  uint32_t count = 0;
  if (kiln_context_open(&(struct kiln_context_desc){.backend = backend, .arch = arch, .num_threads = 1}, &s->ctx) !=
          KILN_OK ||
      kiln_device_count(s->ctx, &count) != KILN_OK) {
    fprintf(stderr, "skipped: %s\n", kiln_last_error());
    exit(77);
  }
  FINE(kiln_stream_create(s->ctx, 0, &s->stream));
  FINE(kiln_buffer_create(s->ctx, &(struct kiln_buffer_desc){.size = BYTES}, &s->pixels));
  FINE(kiln_buffer_create(s->ctx, &(struct kiln_buffer_desc){.size = BYTES}, &s->others));
  FINE(kiln_buffer_create(s->ctx, &(struct kiln_buffer_desc){.size = sizeof s->results}, &s->at));
  FINE(kiln_buffer_create(s->ctx, &(struct kiln_buffer_desc){.size = sizeof s->results}, &s->out));
}

static bool is_pocl_3(struct kiln_context *ctx) {
  struct kiln_device_info info;
  FINE(kiln_device_info(ctx, 0, &info));
  return strncmp(info.name, "pthread", 7) == 0 && strncmp(info.driver, "3.", 2) == 0;
}

static void close_side(struct side *s) {
  kiln_buffer_release(s->pixels);
  kiln_buffer_release(s->others);
  kiln_buffer_release(s->at);
  kiln_buffer_release(s->out);
  kiln_stream_release(s->stream);
  kiln_context_close(s->ctx);
}

static char *read_text(const char *path) {
  FILE *f = fopen(path, "rb");
  EXPECT(f, "cannot open '%s'", path);
  char *text = calloc(1, 1 << 16);
  EXPECT(text, "no memory");
  size_t size = fread(text, 1, (1 << 16) - 1, f);
  EXPECT(size && feof(f), "cannot read '%s'", path);
  fclose(f);
  return text;
}

int main(int argc, char **argv) {
  static struct matrix m = {.every = 1, .options = STANDARD " --kiln-images=generic"};
  const char *arch = NULL;
  EXPECT(argc >= 3, "usage: %s BACKEND KERNELS.cl [--arch ARCH] [--quick] [--every N] [--launched]", argv[0]);
  for (int i = 3; i < argc; i++)
    if (strcmp(argv[i], "--arch") == 0 && i + 1 < argc)
      arch = argv[++i];
    else if (strcmp(argv[i], "--every") == 0 && i + 1 < argc)
      m.every = (uint32_t)strtoul(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--quick") == 0)
      m.quick = true;
    else if (strcmp(argv[i], "--own") == 0)
      m.own = m.launched = true;
    else if (strcmp(argv[i], "--launched") == 0)
      m.launched = true;
    else
      EXPECT(false, "unknown option '%s'", argv[i]);
  EXPECT(m.every > 0, "--every needs a number");
  m.is_cpu = strcmp(argv[1], "cpu") == 0;
  if (m.launched)
    m.options = STANDARD;
  m.text = read_text(argv[2]);
  open_side(&m.sides[0], "interp", "generic");
  open_side(&m.sides[1], argv[1], arch);
  m.is_pocl_3 = m.own && is_pocl_3(m.sides[1].ctx);
  for (int d = 0; d < DIMENSIONS; d++) {
    m.dimension = (enum kiln_image_dimension)d;
    one_dimension(&m);
  }
  for (int i = 0; i < 2; i++)
    close_side(&m.sides[i]);
  free(m.text);
  printf("%llu cases, %llu pixels, %llu wrong\n", (unsigned long long)m.cases, (unsigned long long)m.pixels,
         (unsigned long long)m.wrong);
  if (m.left_out)
    printf("%llu cases were left out, for the device is known to do them wrong\n", (unsigned long long)m.left_out);
  return m.wrong != 0;
}
