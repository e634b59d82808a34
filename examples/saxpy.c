// The smallest useful host program: y = a * x + y on whatever COMPILE_BACKEND and COMPILE_ARCH choose.
#include <kiln/kiln.h>
#include <stdio.h>
#include <stdlib.h>

static const char source[] = "kernel void saxpy(float a, global const float *x, global float *y) {\n"
                             "  size_t i = get_global_id(0);\n"
                             "  y[i] = a * x[i] + y[i];\n"
                             "}\n";

static void check(enum kiln_status status) {
  if (status != KILN_OK) {
    fprintf(stderr, "%s\n", kiln_last_error());
    exit(1);
  }
}

int main(void) {
  enum { N = 1024 };
  static float x[N], y[N];
  for (int i = 0; i < N; i++)
    x[i] = (float)i, y[i] = 1;

  struct kiln_context *context;
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_stream *stream;
  struct kiln_buffer *bx, *by;
  check(kiln_context_open(NULL, &context));
  check(kiln_program_create(context, &(struct kiln_program_desc){.source = source, .name = "saxpy.cl"}, &program));
  check(kiln_kernel_create(program, "saxpy", &kernel));
  check(kiln_stream_create(context, 0, &stream));
  check(kiln_buffer_create(context, &(struct kiln_buffer_desc){.size = sizeof x}, &bx));
  check(kiln_buffer_create(context, &(struct kiln_buffer_desc){.size = sizeof y}, &by));
  check(kiln_write(stream, bx, 0, x, sizeof x, NULL));
  check(kiln_write(stream, by, 0, y, sizeof y, NULL));

  float a = 2;
  struct kiln_arg args[] = {kiln_arg_value(&a, sizeof a), kiln_arg_buffer(bx), kiln_arg_buffer(by)};
  check(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {N}, .args = args, .arg_count = 3}, NULL));
  check(kiln_read(stream, by, 0, y, sizeof y, NULL));
  check(kiln_stream_finish(stream));
  printf("y[0] = %g, y[1] = %g, y[%d] = %g\n", y[0], y[1], N - 1, y[N - 1]);

  kiln_buffer_release(bx);
  kiln_buffer_release(by);
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  kiln_context_close(context);
  return 0;
}
