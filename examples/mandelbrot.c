// Draws the Mandelbrot set and writes it as a PNG. Usage: mandelbrot [--no-header] [FILE.png]
#include "example.h"

#include <math.h>
#include <png.h>
#include <string.h>

static const char source[] = "kernel void mandelbrot(float x0, float y0, float step, int limit, global int *out) {\n"
                             "  size_t px = get_global_id(0), py = get_global_id(1);\n"
                             "  float cx = x0 + px * step, cy = y0 + py * step, x = 0, y = 0;\n"
                             "  int n = 0;\n"
                             "  while (n < limit && x * x + y * y <= 4.0f) {\n"
                             "    float t = x * x - y * y + cx;\n"
                             "    y = 2 * x * y + cy;\n"
                             "    x = t;\n"
                             "    n++;\n"
                             "  }\n"
                             "  out[py * get_global_size(0) + px] = n;\n"
                             "}\n";

enum { WIDTH = 1536, HEIGHT = 1024, LIMIT = 512, RUNS = 5 };
static const float left = -2.0f, top = -1.0f, step = 3.0f / WIDTH;
static int32_t counts[HEIGHT][WIDTH], plain[HEIGHT][WIDTH];

static void mandelbrot(void) {
  for (int py = 0; py < HEIGHT; py++)
    for (int px = 0; px < WIDTH; px++) {
      float cx = fmaf((float)px, step, left), cy = fmaf((float)py, step, top), x = 0, y = 0;
      int n = 0;
      for (; n < LIMIT && x * x + y * y <= 4; n++) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
      }
      plain[py][px] = n;
    }
}

static int write_png(const char *path) {
  static uint8_t rgb[HEIGHT][WIDTH][3];
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      double t = counts[y][x] >= LIMIT ? 0 : sqrt((double)counts[y][x] / LIMIT);
      rgb[y][x][0] = (uint8_t)(255 * fmin(1, 3 * t));
      rgb[y][x][1] = (uint8_t)(255 * fmin(1, 1.6 * t * t + 0.5 * t));
      rgb[y][x][2] = (uint8_t)(255 * (counts[y][x] >= LIMIT ? 0 : 0.25 + 0.75 * t));
    }
  png_image image = {.version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT, .format = PNG_FORMAT_RGB};
  return png_image_write_to_file(&image, path, 0, rgb, 0, NULL);
}

int main(int argc, char **argv) {
  bool header = true;
  const char *path = "mandelbrot.png";
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--no-header") == 0)
      header = false;
    else
      path = argv[i];

  struct kiln_context *context;
  struct kiln_kernel *kernel;
  struct start_times times = measure_start("mandelbrot.cl", source, "mandelbrot", &context, &kernel);
  struct kiln_stream *stream;
  struct kiln_buffer *out;
  check(kiln_stream_create(context, 0, &stream));
  check(kiln_buffer_create(context, &(struct kiln_buffer_desc){.size = sizeof counts}, &out));
  int32_t limit = LIMIT;
  struct kiln_arg args[] = {kiln_arg_value(&left, sizeof left), kiln_arg_value(&top, sizeof top),
                            kiln_arg_value(&step, sizeof step), kiln_arg_value(&limit, sizeof limit),
                            kiln_arg_buffer(out)};
  struct kiln_launch_desc launch = {.global = {WIDTH, HEIGHT}, .args = args, .arg_count = 5};
  double best = run_best(stream, kernel, &launch, RUNS);
  check(kiln_read(stream, out, 0, counts, sizeof counts, NULL));
  check(kiln_stream_finish(stream));

  double begin = now_ms();
  mandelbrot();
  double plain_ms = now_ms() - begin;
  // A point at the edge of the set may leave it a step earlier or later with another rounding: count those.
  long different = 0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      different += counts[y][x] != plain[y][x];
  double error = (double)different / (WIDTH * HEIGHT);
  if (header)
    print_header();
  print_row("mandelbrot", "1536x1024, 512 it", times, best, plain_ms, error);
  if (!write_png(path)) {
    fprintf(stderr, "cannot write %s\n", path);
    return 1;
  }

  kiln_buffer_release(out);
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  kiln_context_close(context);
  return error < 0.02 ? 0 : 1;
}
