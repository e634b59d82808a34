// Variables of program scope keep their values from launch to launch, also where these run different code of the
// program: for larger groups, for a global offset, for images of a format.
#include "tests/api/api_test.h"

static const char source[] = "global uint sum;\n"
                             "constant uint steps[] = {0, 1};\n"
                             "constant uint *constant step = &steps[1];\n"
                             "kernel void add(global uint *x) { atomic_add(&sum, x[get_global_id(0)] * *step); }\n"
                             "kernel void of_image(read_only image1d_t x) {\n"
                             "  atomic_add(&sum, read_imageui(x, (int)get_global_id(0)).x); }\n"
                             "kernel void take(global uint *out) { out[0] = sum; sum = 0; }\n";

static void launch(struct kiln_program *program, const char *name, struct kiln_launch_desc launch,
                   struct kiln_arg arg) {
  struct kiln_kernel *kernel;
  FINE(kiln_kernel_create(program, name, &kernel));
  launch.args = &arg;
  launch.arg_count = 1;
  FINE(kiln_launch(stream, kernel, &launch, NULL));
  kiln_kernel_release(kernel);
}

int main(int argc, char **argv) {
  enum { ITEMS = 1024 };
  static uint32_t values[ITEMS];
  struct kiln_program *program;
  uint32_t got = 0, local = 1024;
  api_open(argc, argv);
  for (uint32_t i = 0; i < ITEMS; i++)
    values[i] = 1u << 10 * (i % 3);
  if (kiln_program_create(ctx, &(struct kiln_program_desc){.source = source, .options = "-cl-std=CL3.0"}, &program)) {
    fprintf(stderr, "skipped: %s\n", kiln_last_error());
    return api_is("opencl") ? 77 : 1; // devices without such variables
  }
  struct kiln_buffer *x = api_buffer(sizeof values, values), *out = api_buffer(sizeof got, NULL);
  struct kiln_image *image;
  FINE(kiln_image_create(
      ctx,
      &(struct kiln_image_desc){
          .dimension = KILN_IMAGE_1D, .format = {KILN_ORDER_R, KILN_CHANNEL_U32}, .width = ITEMS, .buffer = x},
      &image));
  if (local > device.max_group_size)
    local = (uint32_t)device.max_group_size;
  launch(program, "add", (struct kiln_launch_desc){.global = {1}, .local = {1}}, kiln_arg_buffer(x));
  launch(program, "add", (struct kiln_launch_desc){.global = {local}, .local = {local}}, kiln_arg_buffer(x));
  launch(program, "add", (struct kiln_launch_desc){.global = {5}, .local = {2}, .offset = {10}}, kiln_arg_buffer(x));
  launch(program, "of_image", (struct kiln_launch_desc){.global = {7}, .local = {1}}, kiln_arg_image(image));
  launch(program, "take", (struct kiln_launch_desc){.global = {1}, .local = {1}}, kiln_arg_buffer(out));
  FINE(kiln_read(stream, out, 0, &got, sizeof got, NULL));
  FINE(kiln_stream_finish(stream));
  uint32_t want = values[0];
  for (uint32_t i = 0; i < local; i++)
    want += values[i];
  for (uint32_t i = 10; i < 15; i++)
    want += values[i];
  for (uint32_t i = 0; i < 7; i++)
    want += values[i];
  EXPECT(got == want, "the sum of four launches is %#x, not %#x", got, want);
  kiln_image_release(image);
  kiln_buffer_release(x);
  kiln_buffer_release(out);
  kiln_program_release(program);
  api_close();
  return 0;
}
