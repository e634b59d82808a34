// What kiln_last_reason tells of launches and copies, and kiln_buffer_align of buffers.
#include "tests/api/api_test.h"

#define SOURCE "kernel void k(global float4 *x, int n, local int *scratch) { scratch[0] = n; x[get_global_id(0)] = n; }"

static struct kiln_kernel *kernel;
static struct kiln_arg args[4];
static struct kiln_launch_desc launch = {.global = {16}, .args = args, .arg_count = 3};

static enum kiln_status run(void) { return kiln_launch(stream, kernel, &launch, NULL); }

static void of_arguments(struct kiln_buffer *x) {
  int n = 1;
  const struct kiln_arg good[] = {kiln_arg_buffer(x), kiln_arg_value(&n, sizeof n), kiln_arg_local(64)};
  memcpy(args, good, sizeof good);
  FINE(run());
  EXPECT(kiln_last_reason(NULL) == KILN_REASON_NONE, "%d", (int)kiln_last_reason(NULL));
  launch.arg_count = 2;
  FAILS(run(), KILN_ERR_INVALID, KILN_REASON_ARG_COUNT, 0);
  launch.arg_count = 3;
  args[1] = kiln_arg_value(&n, 2);
  FAILS(run(), KILN_ERR_INVALID, KILN_REASON_ARG_SIZE, 1);
  args[1] = kiln_arg_value(NULL, sizeof n);
  FAILS(run(), KILN_ERR_INVALID, KILN_REASON_ARG_VALUE, 1);
  args[1] = kiln_arg_local(4);
  FAILS(run(), KILN_ERR_INVALID, KILN_REASON_ARG_KIND, 1);
  args[1] = good[1];
  args[2] = kiln_arg_local(0);
  FAILS(run(), KILN_ERR_INVALID, KILN_REASON_ARG_SIZE, 2);
  args[2] = kiln_arg_local((size_t)device.local_bytes + 1);
  FAILS(run(), KILN_ERR_INVALID, KILN_REASON_LOCAL_MEMORY, 0);
  args[2] = good[2];
  struct kiln_context *other;
  struct kiln_buffer *foreign;
  FINE(kiln_context_open(&(struct kiln_context_desc){.backend = "interp", .arch = "generic"}, &other));
  FINE(kiln_buffer_create(other, &(struct kiln_buffer_desc){.size = 256}, &foreign));
  args[0] = kiln_arg_buffer(foreign);
  FAILS(run(), KILN_ERR_INVALID, KILN_REASON_ARG_PLACE, 0);
  FAILS(kiln_fill(stream, foreign, 0, 4, &n, 4, NULL), KILN_ERR_INVALID, KILN_REASON_PLACE, 0);
  kiln_buffer_release(foreign);
  kiln_context_close(other);
  args[0] = good[0];
  FINE(run());
}

static void of_sizes(void) {
  launch.work_dim = 4;
  FAILS(run(), KILN_ERR_INVALID, KILN_REASON_WORK_DIM, 0);
  launch.work_dim = 2;
  launch.global[1] = 1;
  launch.offset[1] = UINT64_MAX;
  FAILS(run(), KILN_ERR_INVALID, KILN_REASON_GLOBAL_SIZE, 1);
  launch.offset[1] = 0;
  launch.local[0] = 1;
  launch.local[1] = device.max_group_size + 1;
  FAILS(run(), KILN_ERR_INVALID, KILN_REASON_LOCAL_SIZE, 1);
  launch.work_dim = 1;
  launch.local[0] = launch.local[1] = launch.global[1] = 0;
  FINE(run());
}

static void of_copies(struct kiln_buffer *x) {
  char bytes[256] = {0};
  struct kiln_buffer *window;
  FAILS(kiln_write(stream, x, 1, bytes, 256, NULL), KILN_ERR_INVALID, KILN_REASON_RANGE, 0);
  FAILS(kiln_copy(stream, x, 0, x, 8, 16, NULL), KILN_ERR_INVALID, KILN_REASON_OVERLAP, 0);
  FAILS(kiln_fill(stream, x, 0, 12, bytes, 3, NULL), KILN_ERR_INVALID, KILN_REASON_PATTERN, 0);
  FAILS(kiln_fill(stream, x, 2, 12, bytes, 4, NULL), KILN_ERR_INVALID, KILN_REASON_PATTERN, 0);
  FAILS(kiln_buffer_sub(x, 64, 64, &window), KILN_ERR_INVALID, KILN_REASON_ALIGN, 0);
  FAILS(kiln_buffer_sub(x, 128, 129, &window), KILN_ERR_INVALID, KILN_REASON_RANGE, 0);
  FAILS(kiln_write(stream, NULL, 0, bytes, 1, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
}

// Of memory that the host gave, where the device uses it; elsewhere it has been copied.
static void alignment(void) {
  static _Alignas(128) char memory[1024];
  struct kiln_buffer *own = api_buffer(100, NULL), *window;
  EXPECT(kiln_buffer_align(own) == 128, "%u", kiln_buffer_align(own));
  EXPECT(kiln_buffer_align(NULL) == 128, "%u", kiln_buffer_align(NULL));
  kiln_buffer_release(own);
  for (size_t at = 1; at <= 256; at *= 2) {
    struct kiln_buffer *wrapped = api_buffer(512, memory + at);
    uint32_t align = kiln_buffer_align(wrapped), want = at < 128 ? (uint32_t)at : 128;
    EXPECT(align == (device.host_memory ? want : 128), "%u at %zu", align, at);
    FINE(kiln_buffer_sub(wrapped, 128, 128, &window));
    EXPECT(kiln_buffer_align(window) == align, "%u at %zu", kiln_buffer_align(window), at);
    args[0] = kiln_arg_buffer(wrapped);
    if (align < 16) // the kernel has a float4 *
      FAILS(run(), KILN_ERR_INVALID, KILN_REASON_ARG_ALIGN, 0);
    else
      FINE(run());
    kiln_buffer_release(window);
    kiln_buffer_release(wrapped);
  }
  FINE(kiln_stream_finish(stream));
}

int main(int argc, char **argv) {
  api_open(argc, argv);
  kernel = api_kernel(SOURCE);
  struct kiln_buffer *x = api_buffer(256, NULL);
  of_arguments(x);
  of_sizes();
  of_copies(x);
  alignment();
  kiln_buffer_release(x);
  kiln_kernel_release(kernel);
  api_close();
  return 0;
}
