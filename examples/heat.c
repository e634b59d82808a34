// Heat that spreads in a plate: a thousand steps between two buffers, and pictures on the way; the last step is
// compared with plain C. Usage: heat [--no-header] [STEPS [PREFIX]]; with PREFIX writes PREFIX-0.png to PREFIX-3.png
#include "example.h"

#include <math.h>
#include <png.h>
#include <string.h>

static const char source[] = "kernel void step(global const float *from, global float *to, int width, int height) {\n"
                             "  int x = get_global_id(0), y = get_global_id(1), i = y * width + x;\n"
                             "  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) return; // the edge stays\n"
                             "  to[i] = from[i] + 0.2f * (from[i - 1] + from[i + 1] + from[i - width] +\n"
                             "                            from[i + width] - 4 * from[i]);\n"
                             "}\n";

enum { WIDTH = 512, HEIGHT = 384, PICTURES = 4 };
static float plate[HEIGHT][WIDTH], plain[2][HEIGHT][WIDTH];

static void heat_up(float to[HEIGHT][WIDTH]) {
  memset(to, 0, HEIGHT * sizeof *to);
  for (int x = 0; x < WIDTH; x++)
    to[0][x] = 1;
  for (int y = 100; y < 200; y++)
    for (int x = 150; x < 300; x++)
      to[y][x] = 1;
}

static void step(float from[HEIGHT][WIDTH], float to[HEIGHT][WIDTH]) {
  for (int y = 1; y < HEIGHT - 1; y++)
    for (int x = 1; x < WIDTH - 1; x++)
      to[y][x] =
          from[y][x] + 0.2f * (from[y][x - 1] + from[y][x + 1] + from[y - 1][x] + from[y + 1][x] - 4 * from[y][x]);
}

static bool write_png(const char *prefix, int number) {
  static uint8_t rgb[HEIGHT][WIDTH][3];
  char path[4096];
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      float t = fminf(1, fmaxf(0, plate[y][x]));
      rgb[y][x][0] = (uint8_t)(255 * sqrtf(t));
      rgb[y][x][1] = (uint8_t)(255 * t * t);
      rgb[y][x][2] = (uint8_t)(80 * (1 - t));
    }
  snprintf(path, sizeof path, "%s-%d.png", prefix, number);
  png_image image = {.version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT, .format = PNG_FORMAT_RGB};
  return png_image_write_to_file(&image, path, 0, rgb, 0, NULL);
}

int main(int argc, char **argv) {
  int first = argc > 1 && strcmp(argv[1], "--no-header") == 0 ? 2 : 1;
  int steps = argc > first && atoi(argv[first]) > 0 ? atoi(argv[first]) : 1000;
  const char *prefix = argc > first + 1 ? argv[first + 1] : NULL;

  struct kiln_context *context;
  struct kiln_kernel *kernel;
  struct start_times times = measure_start("heat.cl", source, "step", &context, &kernel);
  struct kiln_stream *stream;
  struct kiln_buffer *plates[2];
  check(kiln_stream_create(context, 0, &stream));
  heat_up(plate);
  for (int i = 0; i < 2; i++) {
    check(kiln_buffer_create(context, &(struct kiln_buffer_desc){.size = sizeof plate}, &plates[i]));
    check(kiln_write(stream, plates[i], 0, plate, sizeof plate, NULL));
  }
  // Both directions are checked once and run many times.
  int32_t width = WIDTH, height = HEIGHT;
  struct kiln_prepared *steps_of[2];
  for (int i = 0; i < 2; i++) {
    struct kiln_arg args[] = {kiln_arg_buffer(plates[i]), kiln_arg_buffer(plates[!i]),
                              kiln_arg_value(&width, sizeof width), kiln_arg_value(&height, sizeof height)};
    struct kiln_launch_desc launch = {.global = {WIDTH, HEIGHT}, .args = args, .arg_count = 4};
    check(kiln_prepare(stream, kernel, &launch, &steps_of[i]));
  }
  double run_ms = 0;
  bool written = true;
  for (int done = 0, picture = 0; picture < PICTURES; picture++) {
    int until = steps * picture / (PICTURES - 1);
    double begin = now_ms();
    for (; done < until; done++)
      check(kiln_run_prepared(steps_of[done & 1], NULL));
    check(kiln_stream_finish(stream));
    run_ms += now_ms() - begin;
    check(kiln_read(stream, plates[done & 1], 0, plate, sizeof plate, NULL));
    check(kiln_stream_finish(stream));
    written = written && (!prefix || write_png(prefix, picture));
  }

  double begin = now_ms(), error = 0;
  heat_up(plain[0]);
  heat_up(plain[1]);
  for (int i = 0; i < steps; i++)
    step(plain[i & 1], plain[!(i & 1)]);
  double plain_ms = now_ms() - begin;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      error = worse(error, fabs((double)plate[y][x] - plain[steps & 1][y][x]));
  if (first == 1)
    print_header();
  print_row("heat", "512x384 points", times, run_ms, plain_ms, error);
  if (!written)
    fprintf(stderr, "cannot write %s-*.png\n", prefix);

  for (int i = 0; i < 2; i++) {
    kiln_prepared_release(steps_of[i]);
    kiln_buffer_release(plates[i]);
  }
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  kiln_context_close(context);
  return error < 1e-4 && written ? 0 : 1;
}
