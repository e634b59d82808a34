// All-pairs gravity: n bodies, one work-item each, compared with the same loop in plain C.
#include "example.h"

#include <math.h>
#include <string.h>

static const char source[] = "kernel void accelerate(uint n, float eps2, global const float4 *body,\n"
                             "                       global float4 *acceleration) {\n"
                             "  size_t i = get_global_id(0);\n"
                             "  float4 me = body[i];\n"
                             "  float3 sum = 0;\n"
                             "  for (uint j = 0; j < n; j++) {\n"
                             "    float4 other = body[j];\n"
                             "    float3 d = other.xyz - me.xyz;\n"
                             "    float r = rsqrt(dot(d, d) + eps2);\n"
                             "    sum += d * (other.w * r * r * r);\n"
                             "  }\n"
                             "  acceleration[i] = (float4)(sum, 0);\n"
                             "}\n";

enum { N = 8192, RUNS = 5 };
static float body[N][4], result[N][4], plain[N][4];

static void accelerate(unsigned n, float eps2) {
  for (unsigned i = 0; i < n; i++) {
    float sum[3] = {0, 0, 0};
    for (unsigned j = 0; j < n; j++) {
      float d[3], square = eps2;
      for (int k = 0; k < 3; k++)
        d[k] = body[j][k] - body[i][k], square += d[k] * d[k];
      float r = 1 / sqrtf(square), scale = body[j][3] * r * r * r;
      for (int k = 0; k < 3; k++)
        sum[k] += d[k] * scale;
    }
    memcpy(plain[i], sum, sizeof sum);
  }
}

int main(int argc, char **argv) {
  uint32_t n = N;
  float eps2 = 1e-3f;
  for (unsigned i = 0; i < N; i++)
    for (unsigned k = 0; k < 4; k++)
      body[i][k] = (float)((i * 2654435761u + k * 40503u) >> 8 & 0xffff) / 65536.0f;

  struct kiln_context *context;
  struct kiln_kernel *kernel;
  struct start_times times = measure_start("nbody.cl", source, "accelerate", &context, &kernel);
  struct kiln_stream *stream;
  struct kiln_buffer *in, *out;
  check(kiln_stream_create(context, 0, &stream));
  check(kiln_buffer_create(context, &(struct kiln_buffer_desc){.size = sizeof body}, &in));
  check(kiln_buffer_create(context, &(struct kiln_buffer_desc){.size = sizeof result}, &out));
  check(kiln_write(stream, in, 0, body, sizeof body, NULL));
  struct kiln_arg args[] = {kiln_arg_value(&n, sizeof n), kiln_arg_value(&eps2, sizeof eps2), kiln_arg_buffer(in),
                            kiln_arg_buffer(out)};
  struct kiln_launch_desc launch = {.global = {N}, .args = args, .arg_count = 4};
  double best = run_best(stream, kernel, &launch, RUNS);
  check(kiln_read(stream, out, 0, result, sizeof result, NULL));
  check(kiln_stream_finish(stream));

  double begin = now_ms(), error = 0;
  accelerate(n, eps2);
  double plain_ms = now_ms() - begin;
  for (int i = 0; i < N; i++) {
    double length = 0, off = 0;
    for (int k = 0; k < 3; k++) {
      length += (double)plain[i][k] * plain[i][k];
      off += ((double)result[i][k] - plain[i][k]) * ((double)result[i][k] - plain[i][k]);
    }
    error = worse(error, sqrt(off / length));
  }
  if (argc < 2 || strcmp(argv[1], "--no-header"))
    print_header();
  print_row("nbody", "8192 bodies", times, best, plain_ms, error);

  kiln_buffer_release(in);
  kiln_buffer_release(out);
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  kiln_context_close(context);
  return error < 1e-3 ? 0 : 1;
}
