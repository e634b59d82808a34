// A dense layer of a neural network: out = max(0, in * weights + bias) for a batch of inputs, compared with plain C.
// Usage: layer [--no-header] [INPUTS], a multiple of 16
#include "example.h"

#include <math.h>
#include <string.h>

static const char source[] =
    "kernel void layer(global const float *in, global const float *weights,\n"
    "                  global const float *bias, global float *out, int inputs) {\n"
    "  int o = get_global_id(0), b = get_global_id(1), outputs = get_global_size(0);\n"
    "  float sum = bias[o];\n"
    "  for (int i = 0; i < inputs; i++) sum += in[b * inputs + i] * weights[i * outputs + o];\n"
    "  out[b * outputs + o] = max(0.0f, sum);\n"
    "}\n";

enum { RUNS = 5 };

static float *numbers(size_t count, unsigned seed) {
  float *list = malloc(count * sizeof *list);
  for (size_t i = 0; list && i < count; i++) {
    seed = seed * 1664525u + 1013904223u;
    list[i] = (float)(int)(seed >> 8 & 0xffff) / 32768.0f - 1;
  }
  if (!list)
    exit(1);
  return list;
}

static void layer(const float *in, const float *weights, const float *bias, float *out, size_t n, size_t batch) {
  for (size_t b = 0; b < batch; b++) {
    memcpy(out + b * n, bias, n * sizeof *out);
    for (size_t i = 0; i < n; i++)
      for (size_t o = 0; o < n; o++)
        out[b * n + o] += in[b * n + i] * weights[i * n + o];
    for (size_t o = 0; o < n; o++)
      out[b * n + o] = fmaxf(0, out[b * n + o]);
  }
}

static struct kiln_buffer *buffer_of(struct kiln_context *context, void *memory, size_t count) {
  struct kiln_buffer *buffer;
  check(
      kiln_buffer_create(context, &(struct kiln_buffer_desc){.size = count * sizeof(float), .host = memory}, &buffer));
  return buffer;
}

int main(int argc, char **argv) {
  bool header = argc < 2 || strcmp(argv[1], "--no-header") != 0;
  int32_t inputs = argc > 1 && atoi(argv[argc - 1]) > 0 ? atoi(argv[argc - 1]) / 16 * 16 : 512;
  size_t n = (size_t)inputs, batch = n / 2;
  float *in = numbers(batch * n, 1), *weights = numbers(n * n, 2), *bias = numbers(n, 3);
  float *out = numbers(batch * n, 4), *plain = numbers(batch * n, 5);

  struct kiln_context *context;
  struct kiln_kernel *kernel;
  struct start_times times = measure_start("layer.cl", source, "layer", &context, &kernel);
  struct kiln_stream *stream;
  check(kiln_stream_create(context, 0, &stream));
  struct kiln_buffer *buffers[] = {buffer_of(context, in, batch * n), buffer_of(context, weights, n * n),
                                   buffer_of(context, bias, n), buffer_of(context, out, batch * n)};
  struct kiln_arg args[5] = {[4] = kiln_arg_value(&inputs, sizeof inputs)};
  for (int i = 0; i < 4; i++)
    args[i] = kiln_arg_buffer(buffers[i]);
  struct kiln_launch_desc launch = {.global = {n, batch}, .args = args, .arg_count = 5};
  double best = run_best(stream, kernel, &launch, RUNS);
  check(kiln_read(stream, buffers[3], 0, out, batch * n * sizeof *out, NULL));
  check(kiln_stream_finish(stream));

  double begin = now_ms(), error = 0;
  layer(in, weights, bias, plain, n, batch);
  double plain_ms = now_ms() - begin;
  for (size_t i = 0; i < batch * n; i++)
    error = worse(error, fabs((double)out[i] - plain[i]) / sqrt((double)n));
  if (header)
    print_header();
  print_row("layer", "batch, in and out", times, best, plain_ms, error);

  for (int i = 0; i < 4; i++)
    kiln_buffer_release(buffers[i]);
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  kiln_context_close(context);
  free(in), free(weights), free(bias), free(out), free(plain);
  return error < 1e-5 ? 0 : 1;
}
