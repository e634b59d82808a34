// A picture from the mosaic of a camera: colours, less noise, a table of colours, another size; the kernels are those
// of photo.cl, on images. The result is compared with plain C. Usage: photo [WIDTH HEIGHT [OUT.ppm]]
#include "example.h"
#include "photo_cl.h" // photo_source: the text of photo.cl

#include <string.h>

enum { KERNELS = 4, TABLE = 17, RUNS = 5 };
static const char *const names[KERNELS] = {"demosaic", "denoise", "grade", "resize"};
static const float strictness = 100;

struct photo {
  int width, height, out_width, out_height;
  uint16_t *mosaic;
  uint16_t (*table)[4]; // TABLE x TABLE x TABLE colours
  uint8_t (*out)[4], (*plain)[4];
  float (*stage[2])[4]; // of plain C
  double ms[KERNELS], plain_ms[KERNELS], first_ms;
};

static void *memory(size_t size) {
  void *data = calloc(1, size);
  if (!data)
    exit(1);
  return data;
}

static float within(float value) { return value > 0 ? value < 1 ? value : 1 : 0; }

// ---- what the camera saw, and the table ----------------------------------------------------------------------------

static uint32_t noise(uint32_t x, uint32_t y) {
  uint32_t h = x * 374761393u + y * 668265263u;
  h = (h ^ h >> 13) * 1274126177u;
  return h ^ h >> 16;
}

static void expose(struct photo *p) {
  for (int y = 0; y < p->height; y++)
    for (int x = 0; x < p->width; x++) {
      int colour = y % 2 + x % 2; // red, green or blue
      float u = (float)x / (float)p->width - 0.5f, v = (float)y / (float)p->height - 0.5f;
      float light = 0.5f + 0.35f * sinf(60 * (u * u + v * v) + 1.2f * (float)colour) + 0.2f * u * (float)(colour - 1);
      float grain = (float)(noise((uint32_t)x, (uint32_t)y) & 0xffff) / 65535 - 0.5f;
      p->mosaic[y * p->width + x] = (uint16_t)(65535 * within(light + 0.06f * grain));
    }
}

// More contrast, and more colour.
static void make_table(struct photo *p) {
  for (int b = 0; b < TABLE; b++)
    for (int g = 0; g < TABLE; g++)
      for (int r = 0; r < TABLE; r++) {
        float colour[3] = {(float)r / (TABLE - 1), (float)g / (TABLE - 1), (float)b / (TABLE - 1)};
        float grey = 0.3f * colour[0] + 0.6f * colour[1] + 0.1f * colour[2];
        for (int c = 0; c < 3; c++) {
          float value = within(grey + 1.25f * (colour[c] - grey));
          p->table[(b * TABLE + g) * TABLE + r][c] = (uint16_t)(65535 * value * value * (3 - 2 * value));
        }
        p->table[(b * TABLE + g) * TABLE + r][3] = 65535;
      }
}

// ---- with Kiln -----------------------------------------------------------------------------------------------------

static struct kiln_image *make_image(struct kiln_context *context, enum kiln_channel_order order,
                                     enum kiln_channel_type type, int width, int height, const void *pixels) {
  struct kiln_image_desc desc = {.dimension = KILN_IMAGE_2D,
                                 .format = {order, type},
                                 .width = (uint32_t)width,
                                 .height = (uint32_t)height,
                                 .host = (void *)pixels,
                                 .copies = pixels != NULL};
  struct kiln_image *image;
  check(kiln_image_create(context, &desc, &image));
  return image;
}

static struct kiln_image *make_table_image(struct kiln_context *context, const void *colours) {
  struct kiln_image_desc desc = {.dimension = KILN_IMAGE_3D,
                                 .format = {KILN_ORDER_RGBA, KILN_CHANNEL_UNORM16},
                                 .width = TABLE,
                                 .height = TABLE,
                                 .depth = TABLE,
                                 .host = (void *)colours,
                                 .copies = true};
  struct kiln_image *image;
  check(kiln_image_create(context, &desc, &image));
  return image;
}

// Launches all kernels once, then each several times.
static void launch_all(struct photo *p, struct kiln_stream *stream, struct kiln_kernel *const kernels[KERNELS],
                       const struct kiln_launch_desc launches[KERNELS]) {
  double begin = now_ms();
  for (int k = 0; k < KERNELS; k++)
    check(kiln_launch(stream, kernels[k], &launches[k], NULL));
  check(kiln_stream_finish(stream));
  p->first_ms = now_ms() - begin;
  for (int k = 0; k < KERNELS; k++)
    p->ms[k] = run_best(stream, kernels[k], &launches[k], RUNS);
}

static void develop(struct photo *p) {
  struct kiln_context *context;
  struct kiln_program *program;
  struct kiln_stream *stream;
  struct kiln_kernel *kernels[KERNELS];
  check(kiln_context_open(NULL, &context));
  check(
      kiln_program_create(context, &(struct kiln_program_desc){.source = photo_source, .name = "photo.cl"}, &program));
  check(kiln_stream_create(context, 0, &stream));
  for (int k = 0; k < KERNELS; k++)
    check(kiln_kernel_create(program, names[k], &kernels[k]));
  int w = p->width, h = p->height;
  struct kiln_image *images[] = {
      make_image(context, KILN_ORDER_R, KILN_CHANNEL_UNORM16, w, h, p->mosaic),
      make_image(context, KILN_ORDER_RGBA, KILN_CHANNEL_F16, w, h, NULL),
      make_image(context, KILN_ORDER_RGBA, KILN_CHANNEL_F16, w, h, NULL),
      make_image(context, KILN_ORDER_RGBA, KILN_CHANNEL_UNORM8, w, h, NULL),
      make_image(context, KILN_ORDER_RGBA, KILN_CHANNEL_UNORM8, p->out_width, p->out_height, NULL),
      make_table_image(context, p->table),
  };
  const uint32_t between = KILN_SAMPLER_CLAMP_TO_EDGE | KILN_SAMPLER_LINEAR;
  struct kiln_arg args[KERNELS][4] = {
      {kiln_arg_image(images[0]), kiln_arg_image(images[1])},
      {kiln_arg_image(images[1]), kiln_arg_image(images[2]), kiln_arg_value(&strictness, sizeof strictness)},
      {kiln_arg_image(images[2]), kiln_arg_image(images[5]), kiln_arg_sampler(between), kiln_arg_image(images[3])},
      {kiln_arg_image(images[3]), kiln_arg_sampler(between | KILN_SAMPLER_NORMALIZED), kiln_arg_image(images[4])},
  };
  static const uint32_t counts[KERNELS] = {2, 3, 4, 3};
  struct kiln_launch_desc launches[KERNELS];
  for (int k = 0; k < KERNELS; k++) {
    bool is_last = k == KERNELS - 1;
    launches[k] = (struct kiln_launch_desc){
        .global = {(uint64_t)(is_last ? p->out_width : w), (uint64_t)(is_last ? p->out_height : h)},
        .args = args[k],
        .arg_count = counts[k]};
  }
  launch_all(p, stream, kernels, launches);
  check(kiln_image_read(stream, images[4], NULL, p->out, NULL, NULL));
  check(kiln_stream_finish(stream));
  for (size_t i = 0; i < sizeof images / sizeof *images; i++)
    kiln_image_release(images[i]);
  for (int k = 0; k < KERNELS; k++)
    kiln_kernel_release(kernels[k]);
  kiln_stream_release(stream);
  kiln_program_release(program);
  kiln_context_close(context);
}

// ---- plain C -------------------------------------------------------------------------------------------------------

static int limit(int i, int size) { return i < 0 ? 0 : i < size ? i : size - 1; }
static int mirror(int i, int size) { return i < 0 ? 1 : i < size ? i : size - 2; }

static float mosaic_at(const struct photo *p, int x, int y) {
  return (float)p->mosaic[mirror(y, p->height) * p->width + mirror(x, p->width)] / 65535;
}

static void plain_demosaic(struct photo *p) {
  for (int y = 0; y < p->height; y++)
    for (int x = 0; x < p->width; x++) {
      float here = mosaic_at(p, x, y), row = (mosaic_at(p, x - 1, y) + mosaic_at(p, x + 1, y)) / 2;
      float column = (mosaic_at(p, x, y - 1) + mosaic_at(p, x, y + 1)) / 2;
      float corners = (mosaic_at(p, x - 1, y - 1) + mosaic_at(p, x + 1, y - 1) + mosaic_at(p, x - 1, y + 1) +
                       mosaic_at(p, x + 1, y + 1)) /
                      4;
      float *to = p->stage[0][y * p->width + x], cross = (row + column) / 2;
      bool is_green = (x ^ y) & 1, is_odd = y & 1;
      to[0] = is_green ? is_odd ? column : row : is_odd ? corners : here;
      to[1] = is_green ? here : cross;
      to[2] = is_green ? is_odd ? row : column : is_odd ? here : corners;
    }
}

static void plain_denoise(struct photo *p) {
  for (int y = 0; y < p->height; y++)
    for (int x = 0; x < p->width; x++) {
      const float *centre = p->stage[0][y * p->width + x];
      float sum[3] = {0}, weights = 0;
      for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
          const float *colour = p->stage[0][limit(y + dy, p->height) * p->width + limit(x + dx, p->width)];
          float square = 0;
          for (int c = 0; c < 3; c++)
            square += (colour[c] - centre[c]) * (colour[c] - centre[c]);
          float weight = expf(-0.25f * (float)(dx * dx + dy * dy) - strictness * square);
          for (int c = 0; c < 3; c++)
            sum[c] += weight * colour[c];
          weights += weight;
        }
      for (int c = 0; c < 3; c++)
        p->stage[1][y * p->width + x][c] = sum[c] / weights;
    }
}

static void plain_grade(struct photo *p) {
  for (int i = 0; i < p->width * p->height; i++) {
    int low[3];
    float part[3], sum[3] = {0};
    for (int c = 0; c < 3; c++) {
      float at = within(p->stage[1][i][c]) * (TABLE - 1);
      low[c] = (int)at < TABLE - 2 ? (int)at : TABLE - 2;
      part[c] = at - (float)low[c];
    }
    for (int corner = 0; corner < 8; corner++) {
      int at = 0;
      float weight = 1;
      for (int c = 2; c >= 0; c--) {
        int up = corner >> c & 1;
        at = at * TABLE + low[c] + up;
        weight *= up ? part[c] : 1 - part[c];
      }
      for (int c = 0; c < 3; c++)
        sum[c] += weight * (float)p->table[at][c] / 65535;
    }
    for (int c = 0; c < 3; c++)
      p->stage[0][i][c] = rintf(255 * sum[c]); // as bytes
  }
}

static void plain_resize(struct photo *p) {
  for (int y = 0; y < p->out_height; y++)
    for (int x = 0; x < p->out_width; x++) {
      float u = ((float)x + 0.5f) / (float)p->out_width * (float)p->width - 0.5f, left = floorf(u);
      float v = ((float)y + 0.5f) / (float)p->out_height * (float)p->height - 0.5f, top = floorf(v);
      int x0 = limit((int)left, p->width), x1 = limit((int)left + 1, p->width);
      int y0 = limit((int)top, p->height) * p->width, y1 = limit((int)top + 1, p->height) * p->width;
      for (int c = 0; c < 3; c++) {
        float above = p->stage[0][y0 + x0][c] * (1 - u + left) + p->stage[0][y0 + x1][c] * (u - left);
        float below = p->stage[0][y1 + x0][c] * (1 - u + left) + p->stage[0][y1 + x1][c] * (u - left);
        p->plain[y * p->out_width + x][c] = (uint8_t)rintf(above * (1 - v + top) + below * (v - top));
      }
    }
}

static void develop_plainly(struct photo *p) {
  void (*const stages[KERNELS])(struct photo *) = {plain_demosaic, plain_denoise, plain_grade, plain_resize};
  for (int k = 0; k < KERNELS; k++) {
    double begin = now_ms();
    stages[k](p);
    p->plain_ms[k] = now_ms() - begin;
  }
}

// ---- the program ---------------------------------------------------------------------------------------------------

static int largest_difference(const struct photo *p) {
  int largest = 0;
  for (int i = 0; i < p->out_width * p->out_height; i++)
    for (int c = 0; c < 3; c++) {
      int difference = abs(p->out[i][c] - p->plain[i][c]);
      largest = difference > largest ? difference : largest;
    }
  return largest;
}

static bool write_ppm(const struct photo *p, const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file)
    return false;
  fprintf(file, "P6\n%d %d\n255\n", p->out_width, p->out_height);
  for (int i = 0; i < p->out_width * p->out_height; i++)
    fwrite(p->out[i], 1, 3, file);
  return fclose(file) == 0;
}

int main(int argc, char **argv) {
  struct photo p = {.width = argc > 2 ? atoi(argv[1]) : 1536, .height = argc > 2 ? atoi(argv[2]) : 1024};
  if (p.width < 8 || p.height < 8 || p.width > 16384 || p.height > 16384)
    return fprintf(stderr, "usage: photo [WIDTH HEIGHT [OUT.ppm]], from 8 to 16384 pixels each\n"), 2;
  p.out_width = p.width * 2 / 3;
  p.out_height = p.height * 2 / 3;
  size_t pixels = (size_t)p.width * (size_t)p.height, out_pixels = (size_t)p.out_width * (size_t)p.out_height;
  p.mosaic = memory(pixels * sizeof *p.mosaic);
  p.table = memory(TABLE * TABLE * TABLE * sizeof *p.table);
  p.out = memory(out_pixels * sizeof *p.out);
  p.plain = memory(out_pixels * sizeof *p.plain);
  for (int i = 0; i < 2; i++)
    p.stage[i] = memory(pixels * sizeof *p.stage[i]);
  expose(&p);
  make_table(&p);
  develop(&p);
  develop_plainly(&p);

  printf("%d x %d mosaic to %d x %d picture; first run, in which kernels are compiled or found in the cache: %.1f ms\n",
         p.width, p.height, p.out_width, p.out_height, p.first_ms);
  printf("%-10s %10s %12s %8s\n", "kernel", "kernel ms", "plain C ms", "speed");
  for (int k = 0; k < KERNELS; k++)
    printf("%-10s %10.2f %12.2f %7.1fx\n", names[k], p.ms[k], p.plain_ms[k], p.plain_ms[k] / p.ms[k]);
  int difference = largest_difference(&p);
  printf("largest difference from plain C: %d of 255\n", difference);
  bool written = argc < 4 || write_ppm(&p, argv[3]);
  if (!written)
    fprintf(stderr, "cannot write %s\n", argv[3]);
  free(p.mosaic), free(p.table), free(p.out), free(p.plain), free(p.stage[0]), free(p.stage[1]);
  return difference <= 2 && written ? 0 : 1;
}
