// What a driver is given, and what it never sees since it was refused before. The driver is that of interp behind one
// that looks on, of a device with little of everything: no partial groups, 12 work-items in a group, 256 bytes of local
// memory, 4,096 of all memory, no copies of boxes, no functions of the host in its streams.
#include "backends/interp/table.h"
#include "jit/registry.h"
#include "jit_test.h"

enum { MAX_GROUP = 12, LOCAL_BYTES = 256, MEMORY_BYTES = 4096, MANY_ARGS = 40 };

static struct kiln_base_backend small;
static struct kiln_driver small_driver;
const struct kiln_base_backend *const kiln_builtin_backends[] = {&small, NULL};

static struct {
  unsigned prepared, unloaded, writes, write_events;
  struct kiln_drv_launch_desc last; // its arguments:
  struct kiln_drv_arg args[MANY_ARGS];
} seen;

static void few_caps(const struct kiln_target *target, struct kiln_caps *out) {
  kiln_interp_backend.caps(target, out);
  out->partial_groups = false;
}

static enum kiln_status small_groups(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                     struct kiln_report *report) {
  enum kiln_status status = kiln_interp_backend.compile(job, out, report);
  for (uint32_t i = 0, k = 0; i < job->module->function_count && !status; i++)
    if (job->module->functions[i]->is_kernel)
      out->kernels[k++].max_group_size = MAX_GROUP;
  return status;
}

static void small_device(struct kiln_drv *drv, uint32_t device, struct kiln_device_info *out) {
  kiln_interp_backend.driver->device_info(drv, device, out);
  out->local_bytes = LOCAL_BYTES;
  out->memory_bytes = MEMORY_BYTES;
}

static bool takes_any(struct kiln_drv *drv, uint32_t device, const void *pointer) {
  (void)drv, (void)device;
  return pointer;
}

static enum kiln_status look_at_launch(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc,
                                       struct kiln_drv_launch **out, struct kiln_report *report) {
  seen.prepared++;
  seen.last = *desc;
  memcpy(seen.args, desc->args, desc->arg_count * sizeof *desc->args);
  return kiln_interp_backend.driver->prepare(drv, desc, out, report);
}

static void look_at_unload(struct kiln_drv *drv, struct kiln_drv_module *module) {
  seen.unloaded++;
  kiln_interp_backend.driver->unload(drv, module);
}

static enum kiln_status look_at_write(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                                      size_t offset, const void *src, size_t size, struct kiln_drv_event **event,
                                      struct kiln_report *report) {
  seen.writes++;
  seen.write_events += event != NULL;
  return kiln_interp_backend.driver->write(drv, stream, dst, offset, src, size, event, report);
}

static struct kiln_context *ctx;
static struct kiln_stream *stream;

static void open_small(void) {
  set_up();
  small = kiln_interp_backend;
  small_driver = *kiln_interp_backend.driver;
  small.name = "small";
  small.caps = few_caps;
  small.compile = small_groups;
  small.driver = &small_driver;
  small_driver.device_info = small_device;
  small_driver.prepare = look_at_launch;
  small_driver.unload = look_at_unload;
  small_driver.write = look_at_write;
  small_driver.takes_pointer = takes_any;
  small_driver.copy_rect = NULL;
  small_driver.stream_host = NULL;
  memset(&seen, 0, sizeof seen);
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "small", .cache_mode = "off"}, &ctx));
  OK(kiln_stream_create(ctx, 0, &stream));
}

static void close_small(void) {
  kiln_stream_release(stream);
  kiln_context_close(ctx);
  tear_down();
}

static struct kiln_kernel *kernel_of(const char *text) {
  struct kiln_program *program = make_program(ctx, text);
  struct kiln_kernel *kernel;
  OK(kiln_kernel_create(program, NULL, &kernel));
  kiln_program_release(program);
  return kernel;
}

static struct kiln_buffer *buffer_of(size_t size, void *host) {
  struct kiln_buffer *buffer;
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = size, .host = host}, &buffer));
  return buffer;
}

// ---- sizes

static const struct {
  struct kiln_launch_desc given;
  enum kiln_status status;
  const char *message; // NULL: the driver gets:
  uint32_t work_dim;
  uint64_t global[3], local[3], offset[3];
} sizes[] = {
    {{.global = {4, 6, 2}, .local = {2, 3, 1}, .offset = {1, 2, 3}}, KILN_OK, NULL, 3, {4, 6, 2}, {2, 3, 1}, {1, 2, 3}},
    {{.global = {4}, .local = {2}, .offset = {7}}, KILN_OK, NULL, 1, {4, 1, 1}, {2, 1, 1}, {7}},
    {{.global = {4, 0, 2}, .local = {4}}, KILN_OK, NULL, 3, {4, 1, 2}, {4, 1, 1}, {0}},
    {{.global = {4}, .local = {2}, .work_dim = 2}, KILN_OK, NULL, 2, {4, 1, 1}, {2, 1, 1}, {0}},
    {{.global = {6, 4}, .local = {6, 2}}, KILN_OK, NULL, 2, {6, 4, 1}, {6, 2, 1}, {0}}, // 12 work-items
    {{.global = {13, 1}, .local = {13}},
     KILN_ERR_INVALID,
     "larger than the 12 work-items that this kernel can have",
     0,
     {0},
     {0},
     {0}},
    {{.global = {4, 4, 4}, .local = {4, 2, 2}}, KILN_ERR_INVALID, "larger than the 12 work-items", 0, {0}, {0}, {0}},
    {{.global = {4, 7}, .local = {2, 2}},
     KILN_ERR_UNSUPPORTED,
     "global size 7 of dimension 1 is no multiple",
     0,
     {0},
     {0},
     {0}},
    {{.global = {4}, .local = {2, 2}, .work_dim = 1},
     KILN_ERR_INVALID,
     "the local size is 2 in dimension 1",
     0,
     {0},
     {0},
     {0}},
    {{.global = {4}, .offset = {0, 1}, .work_dim = 1},
     KILN_ERR_INVALID,
     "offset in dimension 1, but work_dim is 1",
     0,
     {0},
     {0},
     {0}},
    {{.global = {1}, .offset = {(uint64_t)INT64_MAX}}, KILN_ERR_INVALID, "is too large", 0, {0}, {0}, {0}},
    {{.global = {(uint64_t)INT64_MAX + 1}}, KILN_ERR_INVALID, "is too large", 0, {0}, {0}, {0}},
};

Test(launch_driver, sizes, .init = open_small, .fini = close_small) {
  struct kiln_kernel *kernel = kernel_of("kiln_ir 1\nkernel @k() {\n  return\n}\n");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    unsigned before = seen.prepared;
    enum kiln_status status = kiln_launch(stream, kernel, &sizes[i].given, NULL);
    cr_expect_eq(status, sizes[i].status, "%zu: %s", i, kiln_last_error());
    cr_expect_eq(seen.prepared - before, status == KILN_OK, "%zu", i);
    if (sizes[i].message) {
      cr_expect(strstr(kiln_last_error(), sizes[i].message), "%zu: %s", i, kiln_last_error());
      continue;
    }
    cr_expect_eq(seen.last.work_dim, sizes[i].work_dim, "%zu: %u", i, seen.last.work_dim);
    cr_expect_eq(memcmp(seen.last.global, sizes[i].global, sizeof sizes[i].global), 0, "%zu", i);
    cr_expect_eq(memcmp(seen.last.local, sizes[i].local, sizeof sizes[i].local), 0, "%zu", i);
    cr_expect_eq(memcmp(seen.last.offset, sizes[i].offset, sizeof sizes[i].offset), 0, "%zu", i);
  }
  kiln_kernel_release(kernel);
}

Test(launch_driver, nothing_to_run_is_not_launched, .init = open_small, .fini = close_small) {
  struct kiln_kernel *kernel = kernel_of("kiln_ir 1\nkernel @k() {\n  return\n}\n");
  static const struct kiln_launch_desc none[] = {{.global = {0}}, {.global = {0, 4}}, {.global = {0}, .work_dim = 3}};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    OK(kiln_launch(stream, kernel, &none[i], NULL));
  cr_expect_eq(seen.prepared, 0);
  kiln_kernel_release(kernel);
}

Test(launch_driver, all_three_required_sizes_count, .init = open_small, .fini = close_small) {
  struct kiln_kernel *kernel = kernel_of("kiln_ir 1\nkernel @k() reqd 2 2 2 {\n  return\n}\n");
  struct kiln_launch_desc launch = {.global = {4, 4, 4}};
  OK(kiln_launch(stream, kernel, &launch, NULL));
  for (int d = 0; d < 3; d++) {
    for (int k = 0; k < 3; k++)
      launch.local[k] = k == d ? 1 : 2;
    FAILS(kiln_launch(stream, kernel, &launch, NULL), KILN_ERR_INVALID, "requires a local size of 2 x 2 x 2");
  }
  launch.work_dim = 2;
  launch.global[2] = 0;
  memset(launch.local, 0, sizeof launch.local);
  FAILS(kiln_launch(stream, kernel, &launch, NULL), KILN_ERR_INVALID, "that it requires (reqd_work_group_size) is 2");
  kiln_kernel_release(kernel);
}

// ---- arguments

// Its own local memory and that of its arguments, together.
Test(launch_driver, local_memory_adds_up, .init = open_small, .fini = close_small) {
  struct kiln_kernel *kernel = kernel_of("kiln_ir 1\nglobal $0 \"own\" local size 64 align 4\n"
                                         "kernel @k(%p: ptr.local \"int*\", %q: ptr.local \"int*\") {\n"
                                         "  store $0, 1:i32, align 4\n  store %p, 1:i32, align 4\n  return\n}\n");
  static const size_t bytes[][2] = {{64, 128}, {64, 129}, {129, 64}, {193, 4}, {4, 193}};
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
    struct kiln_arg args[] = {kiln_arg_local(bytes[i][0]), kiln_arg_local(bytes[i][1])};
    struct kiln_launch_desc launch = {.global = {1}, .args = args, .arg_count = 2};
    enum kiln_status status = kiln_launch(stream, kernel, &launch, NULL);
    cr_expect_eq(status, i ? KILN_ERR_INVALID : KILN_OK, "%zu: %s", i, kiln_last_error());
    if (i)
      cr_expect(strstr(kiln_last_error(), "bytes of local memory, and device 0"), "%s", kiln_last_error());
  }
  kiln_kernel_release(kernel);
}

Test(launch_driver, pointers_of_the_host_are_aligned, .init = open_small, .fini = close_small) {
  struct kiln_kernel *kernel =
      kernel_of("kiln_ir 1\nkernel @k(%p: ptr.global \"int*\" align 4) {\n  store %p, 1:i32, align 4\n  return\n}\n");
  _Alignas(16) static char memory[64];
  for (size_t at = 0; at < 12; at++) {
    struct kiln_arg arg = {.kind = KILN_ARG_BUFFER, .data = memory + at};
    struct kiln_launch_desc launch = {.global = {1}, .args = &arg, .arg_count = 1};
    struct kiln_prepared *prepared;
    enum kiln_status status = kiln_prepare(stream, kernel, &launch, &prepared);
    cr_expect_eq(status, at % 4 ? KILN_ERR_INVALID : KILN_OK, "%zu: %s", at, kiln_last_error());
    if (status == KILN_OK) {
      cr_expect_eq(seen.args[0].data, memory + at);
      kiln_prepared_release(prepared);
    }
  }
  kiln_kernel_release(kernel);
}

// More of them than usual, each with its value.
Test(launch_driver, many_arguments, .init = open_small, .fini = close_small) {
  static int values[MANY_ARGS];
  for (int count = 31; count <= MANY_ARGS; count++) {
    char text[2048] = "kiln_ir 1\nkernel @k(";
    struct kiln_arg args[MANY_ARGS];
    for (int i = 0; i < count; i++) {
      snprintf(text + strlen(text), sizeof text - strlen(text), "%s%%a%d: i32 \"int\"", i ? ", " : "", i);
      args[i] = kiln_arg_value(&values[i], sizeof *values);
    }
    strcat(text, ") {\n  return\n}\n");
    struct kiln_kernel *kernel = kernel_of(text);
    struct kiln_launch_desc launch = {.global = {1}, .args = args, .arg_count = (uint32_t)count};
    OK(kiln_launch(stream, kernel, &launch, NULL));
    cr_expect_eq(seen.last.arg_count, (uint32_t)count);
    for (int i = 0; i < count; i++)
      cr_expect(seen.args[i].data == &values[i] && seen.args[i].size == sizeof *values, "%d of %d", i, count);
    kiln_kernel_release(kernel);
  }
}

Test(launch_driver, kernels_of_other_contexts, .init = open_small, .fini = close_small) {
  struct kiln_context *mine = ctx, *other;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "small", .cache_mode = "off"}, &other));
  ctx = other;
  struct kiln_kernel *kernel = kernel_of("kiln_ir 1\nkernel @k() {\n  return\n}\n");
  ctx = mine;
  struct kiln_launch_desc launch = {.global = {1}};
  FAILS(kiln_launch(stream, kernel, &launch, NULL), KILN_ERR_INVALID, "the kernel belongs to another context");
  kiln_kernel_release(kernel);
  kiln_context_close(other);
}

Test(launch_driver, streams_have_the_deadline_of_their_context, .init = open_small, .fini = close_small) {
  struct kiln_kernel *kernel = kernel_of("kiln_ir 1\nkernel @k() {\n  return\n}\n");
  struct kiln_launch_desc launch = {.global = {1}};
  struct kiln_stream *later;
  OK(kiln_context_set_deadline(ctx, UINT64_C(1) << 40));
  OK(kiln_stream_create(ctx, 0, &later));
  struct kiln_stream *const streams[] = {stream, later};
  for (int i = 0; i < 4; i++) { // one that was there before has none; then it is the other way round
    OK(kiln_launch(streams[i % 2], kernel, &launch, NULL));
    cr_expect_eq(seen.last.stoppable, i == 1 || i == 2, "%d", i);
    if (i % 2) {
      OK(kiln_stream_set_deadline(stream, UINT64_C(1) << 40));
      OK(kiln_stream_set_deadline(later, 0));
    }
  }
  kiln_stream_release(later);
  kiln_kernel_release(kernel);
}

// ---- commands

// Of a window of a window, every command reaches the bytes where they lie.
Test(launch_driver, windows_of_windows, .init = open_small, .fini = close_small) {
  struct kiln_buffer *root = buffer_of(1024, NULL), *outer, *inner, *b;
  unsigned char all[1024], got[4], pattern = 9;
  OK(kiln_buffer_sub(root, 256, 512, &outer));
  OK(kiln_buffer_sub(outer, 128, 256, &inner)); // from byte 384 of the root
  FAILS(kiln_buffer_sub(outer, 384, 129, &b), KILN_ERR_INVALID, "do not fit into 512 bytes");
  FAILS(kiln_buffer_sub(inner, 128, 129, &b), KILN_ERR_INVALID, "do not fit into 256 bytes");
  for (int i = 0; i < 1024; i++)
    all[i] = (unsigned char)(i * 7 + i / 256);
  OK(kiln_write(stream, root, 0, all, sizeof all, NULL));
  OK(kiln_write(stream, inner, 5, "abcd", 4, NULL));
  memcpy(all + 389, "abcd", 4);
  OK(kiln_fill(stream, inner, 16, 8, &pattern, 1, NULL));
  memset(all + 400, 9, 8);
  OK(kiln_copy(stream, inner, 32, outer, 4, 3, NULL));
  memcpy(all + 260, all + 416, 3);
  OK(kiln_read(stream, inner, 5, got, 4, NULL));
  OK(kiln_stream_finish(stream));
  cr_expect_eq(memcmp(got, "abcd", 4), 0);
  cr_expect_eq(memcmp(kiln_buffer_host(root), all, sizeof all), 0);
  // They overlap where their bytes do, and not where they touch.
  FAILS(kiln_copy(stream, outer, 128, inner, 0, 16, NULL), KILN_ERR_INVALID, "overlap");
  FAILS(kiln_copy(stream, root, 399, inner, 0, 16, NULL), KILN_ERR_INVALID, "overlap");
  OK(kiln_copy(stream, root, 400, inner, 0, 16, NULL));
  OK(kiln_copy(stream, root, 368, inner, 0, 16, NULL));
  OK(kiln_stream_finish(stream));
  kiln_buffer_release(root);
  kiln_buffer_release(outer);
  kiln_buffer_release(inner);
}

Test(launch_driver, patterns, .init = open_small, .fini = close_small) {
  struct kiln_buffer *b = buffer_of(512, NULL);
  static const char pattern[256] = "0123";
  static const struct {
    size_t offset, size, pattern;
    bool fine;
  } cases[] = {{0, 256, 128, true}, {128, 384, 128, true}, {0, 256, 256, false}, {0, 6, 4, false},
               {4, 6, 4, false},    {2, 8, 4, false},      {0, 12, 12, false},   {0, 0, 0, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    cr_expect_eq(kiln_fill(stream, b, cases[i].offset, cases[i].size, pattern, cases[i].pattern, NULL),
                 cases[i].fine ? KILN_OK : KILN_ERR_INVALID, "%zu: %s", i, kiln_last_error());
  kiln_buffer_release(b);
}

// Of a box that is written row by row, only the last row has the event.
Test(launch_driver, rows_of_a_box_have_one_event, .init = open_small, .fini = close_small) {
  struct kiln_buffer *b = buffer_of(512, NULL);
  static const char bytes[64];
  const struct kiln_layout layout = {0, 16, 64};
  struct kiln_event *event;
  OK(kiln_write_rect(stream, b, &layout, bytes, NULL, (size_t[]){3, 2, 4}, &event));
  cr_expect_eq(seen.writes, 8);
  cr_expect_eq(seen.write_events, 1);
  OK(kiln_event_wait(event));
  kiln_event_release(event);
  kiln_buffer_release(b);
}

Test(launch_driver, commands_are_counted, .init = open_small, .fini = close_small) {
  struct kiln_kernel *kernel = kernel_of("kiln_ir 1\nkernel @k() {\n  return\n}\n");
  struct kiln_buffer *a = buffer_of(512, NULL), *b = buffer_of(512, NULL);
  struct kiln_launch_desc launch = {.global = {1}};
  struct kiln_context_stats stats;
  char bytes[16] = {0};
  struct kiln_stream *gone; // whose commands count all the same
  OK(kiln_stream_create(ctx, 0, &gone));
  OK(kiln_launch(stream, kernel, &launch, NULL));
  OK(kiln_launch(gone, kernel, &launch, NULL));
  OK(kiln_launch(gone, kernel, &launch, NULL));
  OK(kiln_write(stream, a, 0, bytes, 5, NULL));
  OK(kiln_read(stream, a, 0, bytes, 6, NULL));
  OK(kiln_copy(stream, a, 0, b, 0, 7, NULL));
  OK(kiln_fill(stream, a, 0, 8, bytes, 1, NULL));
  kiln_stream_release(gone);
  OK(kiln_stream_finish(stream));
  kiln_context_stats(ctx, &stats);
  cr_expect(stats.launches == 3 && stats.writes == 1 && stats.reads == 1 && stats.copies == 1 && stats.fills == 1);
  cr_expect(stats.written_bytes == 5 && stats.read_bytes == 6 && stats.copied_bytes == 7 && stats.filled_bytes == 8);
  cr_expect(stats.buffers == 2 && stats.buffer_bytes == 1024 && stats.peak_buffer_bytes == 1024);
  kiln_buffer_release(a);
  kiln_context_stats(ctx, &stats);
  cr_expect(stats.buffers == 1 && stats.buffer_bytes == 512 && stats.peak_buffer_bytes == 1024);
  kiln_buffer_release(b);
  kiln_kernel_release(kernel);
}

// ---- what waits, and errors

static void count_call(void *user) { ++*(int *)user; }

// The first failure is told, also when the library itself waited and saw it, and it is told once.
Test(launch_driver, the_first_failure_is_told, .init = open_small, .fini = close_small) {
  static const char *const names[] = {"one", "two"};
  struct kiln_kernel *kernels[2];
  struct kiln_buffer *b = buffer_of(16, NULL);
  struct kiln_arg arg = kiln_arg_buffer(b);
  struct kiln_launch_desc launch = {.global = {1}, .args = &arg, .arg_count = 1};
  int calls = 0;
  for (int i = 0; i < 2; i++) {
    char text[256];
    snprintf(text, sizeof text,
             "kiln_ir 1\nkernel @%s(%%p: ptr.global) {\n  %%q = padd %%p, 64:i64 * 1\n  store %%q, 1:i32, align 4\n"
             "  return\n}\n",
             names[i]);
    kernels[i] = kernel_of(text);
  }
  for (int drains = 0; drains < 3; drains++) {
    for (int i = 0; i < 2; i++) {
      OK(kiln_launch(stream, kernels[i], &launch, NULL));
      if (i < drains) // the stream has no functions of the host: the library waits, and calls this one
        OK(kiln_stream_host(stream, count_call, &calls, NULL));
    }
    FAILS(kiln_stream_finish(stream), KILN_ERR_DEVICE, "'one'");
    OK(kiln_stream_finish(stream));
  }
  cr_expect_eq(calls, 3);
  for (int i = 0; i < 2; i++)
    kiln_kernel_release(kernels[i]);
  kiln_buffer_release(b);
}

// While a command of a stream is held back, all that it uses stays.
Test(launch_driver, programs_stay_while_they_run, .init = open_small, .fini = close_small) {
  struct kiln_kernel *kernel = kernel_of("kiln_ir 1\nkernel @k() {\n  return\n}\n");
  struct kiln_event *go;
  OK(kiln_event_create_user(ctx, &go));
  OK(kiln_stream_wait(stream, go));
  OK(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {1}}, NULL));
  kiln_kernel_release(kernel);
  cr_expect_eq(seen.unloaded, 0);
  OK(kiln_event_signal(go, KILN_OK));
  kiln_event_release(go);
  OK(kiln_stream_finish(stream));
  cr_expect_eq(seen.unloaded, 1);
}

static uint64_t buffers_now(void) {
  struct kiln_context_stats stats;
  kiln_context_stats(ctx, &stats);
  return stats.buffers;
}

// What was released and is in use has more than a quarter of the memory: an allocation waits for it, but never where
// the host itself holds the stream back.
Test(launch_driver, allocations_wait_for_commands_and_not_for_the_host, .init = open_small, .fini = close_small,
     .timeout = 60) {
  static char memory[2048];
  struct kiln_event *go;
  char zero = 0;
  OK(kiln_event_create_user(ctx, &go));
  OK(kiln_stream_wait(stream, go));
  struct kiln_buffer *b = buffer_of(2048, NULL);
  OK(kiln_fill(stream, b, 0, 1, &zero, 1, NULL));
  kiln_buffer_release(b);
  b = buffer_of(512, NULL);
  cr_expect_eq(buffers_now(), 2);
  OK(kiln_event_signal(go, KILN_OK));
  OK(kiln_stream_finish(stream));
  cr_expect_eq(buffers_now(), 1);
  kiln_buffer_release(b);
  kiln_event_release(go);

  struct kiln_stream *idle; // its commands have run, and nobody has waited for them
  OK(kiln_stream_create(ctx, 0, &idle));
  b = buffer_of(1000, NULL);
  OK(kiln_fill(idle, b, 0, 1, &zero, 1, NULL));
  kiln_buffer_release(b);
  b = buffer_of(20, NULL); // 1,020 of 4,096: less than a quarter
  cr_expect_eq(buffers_now(), 2);
  kiln_buffer_release(b);
  b = buffer_of(100, NULL);
  cr_expect_eq(buffers_now(), 1, "it waits");
  kiln_buffer_release(b);
  b = buffer_of(sizeof memory, memory); // the host's memory is not the device's
  OK(kiln_fill(idle, b, 0, 1, &zero, 1, NULL));
  kiln_buffer_release(b);
  b = buffer_of(100, NULL);
  cr_expect_eq(buffers_now(), 2, "it need not wait");
  kiln_buffer_release(b);
  kiln_stream_release(idle);
}

// A release of a stream waits for its commands, though a prepared launch keeps it.
Test(launch_driver, streams_that_are_kept_are_waited_for, .init = open_small, .fini = close_small) {
  struct kiln_kernel *kernel = kernel_of("kiln_ir 1\nkernel @k() {\n  return\n}\n");
  struct kiln_prepared *prepared;
  struct kiln_stream *kept;
  struct kiln_buffer *b = buffer_of(4, NULL);
  char zero = 0;
  OK(kiln_stream_create(ctx, 0, &kept));
  OK(kiln_prepare(kept, kernel, &(struct kiln_launch_desc){.global = {1}}, &prepared));
  OK(kiln_fill(kept, b, 0, 1, &zero, 1, NULL));
  kiln_stream_release(kept);
  kiln_buffer_release(b);
  cr_expect_eq(buffers_now(), 0);
  kiln_prepared_release(prepared);
  kiln_kernel_release(kernel);
}
