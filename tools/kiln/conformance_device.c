// Conformance of the device side: kinds of arguments, memory, streams and events, error paths.
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

// ---- arguments -----------------------------------------------------------------------------------------------------

static const char args_source[] =
    "struct pair { int a; float b; long c; };\n"
    "constant int table[3] = {7, 8, 9};\n"
    "kernel void values(char c, ushort s, int i, long l, float f, float3 v, int16 w, struct pair p, global float *o) "
    "{\n"
    "  o[0] = c; o[1] = s; o[2] = i; o[3] = l; o[4] = f; o[5] = v.x; o[6] = v.z; o[7] = w.s0; o[8] = w.sf;\n"
    "  o[9] = p.a; o[10] = p.b; o[11] = p.c; o[12] = table[1];\n"
    "}\n"
    "kernel void memory(global const int *x, constant int *c, local int *t, global int *o, global int *none) {\n"
    "  int l = get_local_id(0);\n"
    "  t[l] = x[l];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  o[l] = t[3 - l] + c[l] + (none ? 1000 : 0);\n"
    "}\n"
    "kernel void empty() {}\n";

static bool launch(struct suite *s, struct kiln_program *program, const char *name, struct kiln_launch_desc *desc,
                   enum kiln_status *status) {
  struct kiln_kernel *kernel = NULL;
  if (!expect_ok(s, kiln_kernel_create(program, name, &kernel), name))
    return false;
  *status = kiln_launch(s->stream, kernel, desc, NULL);
  if (*status == KILN_OK)
    *status = kiln_stream_finish(s->stream);
  kiln_kernel_release(kernel);
  return true;
}

static void check_values(struct suite *s, struct kiln_program *program, struct kiln_buffer *o) {
  struct {
    int32_t a;
    float b;
    int64_t c;
  } pair = {-3, 2.5f, 1 << 20};
  int8_t c = -4;
  uint16_t h = 65535;
  int32_t i = -100000, w[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 160};
  int64_t l = 4096;
  float f = 0.25f, v[4] = {1.5f, 0, 3.5f, 0}, got[13];
  static const float want[13] = {-4, 65535, -100000, 4096, 0.25f, 1.5f, 3.5f, 1, 160, -3, 2.5f, 1 << 20, 8};
  struct kiln_arg args[] = {kiln_arg_value(&c, 1), kiln_arg_value(&h, 2),     kiln_arg_value(&i, 4),
                            kiln_arg_value(&l, 8), kiln_arg_value(&f, 4),     kiln_arg_value(v, 16),
                            kiln_arg_value(w, 64), kiln_arg_value(&pair, 16), kiln_arg_buffer(o)};
  struct kiln_launch_desc desc = {.global = {1}, .args = args, .arg_count = 9};
  enum kiln_status status;
  if (launch(s, program, "values", &desc, &status) && expect_ok(s, status, "arguments by value") &&
      expect_ok(s, kiln_read(s->stream, o, 0, got, sizeof got, NULL), "reading") &&
      expect_ok(s, kiln_stream_finish(s->stream), "reading")) {
    for (int k = 0; k < 13; k++)
      expect(s, got[k] == want[k], "value %d is %g instead of %g", k, (double)got[k], (double)want[k]);
  }
  args[2].size = 8;
  if (launch(s, program, "values", &desc, &status))
    expect_failure(s, status, KILN_ERR_INVALID, "an argument of the wrong size");
  desc.arg_count = 8;
  if (launch(s, program, "values", &desc, &status))
    expect_failure(s, status, KILN_ERR_INVALID, "a missing argument");
}

void check_arguments(struct suite *s) {
  enum kiln_status status;
  struct kiln_program *program = program_of(s->ctx, args_source, KILN_SOURCE_OPENCL_C, NULL, &status);
  struct kiln_buffer *x = NULL, *o = NULL;
  static const int32_t input[4] = {1, 20, 300, 4000};
  int32_t got[4];
  if (expect_ok(s, status, "compiling") &&
      expect_ok(s, kiln_buffer_create(s->ctx, &(struct kiln_buffer_desc){.size = 16}, &x), "a buffer") &&
      expect_ok(s, kiln_buffer_create(s->ctx, &(struct kiln_buffer_desc){.size = 256}, &o), "a buffer")) {
    check_values(s, program, o);
    struct kiln_arg args[] = {kiln_arg_buffer(x), kiln_arg_buffer(x), kiln_arg_local(16), kiln_arg_buffer(o),
                              kiln_arg_buffer(NULL)};
    struct kiln_launch_desc desc = {.global = {4}, .local = {4}, .args = args, .arg_count = 5};
    expect_ok(s, kiln_write(s->stream, x, 0, input, 16, NULL), "writing");
    if (launch(s, program, "memory", &desc, &status) && expect_ok(s, status, "buffers, constant and local memory") &&
        expect_ok(s, kiln_read(s->stream, o, 0, got, 16, NULL), "reading") &&
        expect_ok(s, kiln_stream_finish(s->stream), "reading")) {
      for (int k = 0; k < 4; k++)
        expect(s, got[k] == input[3 - k] + input[k], "element %d is %d", k, (int)got[k]);
    }
    args[0] = kiln_arg_local(16);
    if (launch(s, program, "memory", &desc, &status))
      expect_failure(s, status, KILN_ERR_INVALID, "local memory in place of a buffer");
    desc = (struct kiln_launch_desc){.global = {1}};
    if (launch(s, program, "empty", &desc, &status))
      expect_ok(s, status, "a kernel without arguments");
    desc.global[0] = 0;
    if (launch(s, program, "empty", &desc, &status))
      expect_ok(s, status, "a launch of nothing");
  }
  kiln_buffer_release(x);
  kiln_buffer_release(o);
  kiln_program_release(program);
}

// ---- memory --------------------------------------------------------------------------------------------------------

void check_memory(struct suite *s) {
  struct kiln_device_info info;
  struct kiln_buffer *buffer = NULL, *window = NULL;
  unsigned char data[512], got[512];
  for (int i = 0; i < 512; i++)
    data[i] = (unsigned char)(i * 7);
  if (!expect_ok(s, kiln_device_info(s->ctx, 0, &info), "device_info"))
    return;
  expect(s, info.name && *info.name, "the device has no name");
  expect(s, info.memory_bytes && info.max_group_size && info.compute_units && info.warp_size,
         "the device tells no memory, group size, units or warp size");
  expect_failure(s, kiln_device_info(s->ctx, 9999, &info), KILN_ERR_NOT_FOUND, "device 9999");
  enum kiln_status status = kiln_buffer_create(s->ctx, &(struct kiln_buffer_desc){.size = (size_t)1 << 60}, &buffer);
  expect(s, status != KILN_OK && *kiln_last_error(), "an exbibyte of memory is given");
  expect_failure(s, kiln_buffer_create(s->ctx, &(struct kiln_buffer_desc){.size = 0}, &buffer), KILN_ERR_INVALID,
                 "a buffer of no bytes");
  if (!expect_ok(s, kiln_buffer_create(s->ctx, &(struct kiln_buffer_desc){.size = 512}, &buffer), "a buffer"))
    return;
  expect_ok(s, kiln_write(s->stream, buffer, 0, data, 512, NULL), "write");
  expect_ok(s, kiln_copy(s->stream, buffer, 0, buffer, 256, 100, NULL), "copy");
  expect_ok(s, kiln_fill(s->stream, buffer, 400, 8, "\1\2\3\4", 4, NULL), "fill");
  expect_ok(s, kiln_read(s->stream, buffer, 0, got, 512, NULL), "read");
  expect_ok(s, kiln_stream_finish(s->stream), "finish");
  memcpy(data + 256, data, 100);
  memcpy(data + 400, "\1\2\3\4\1\2\3\4", 8);
  expect(s, memcmp(data, got, 512) == 0, "write, copy, fill and read give other bytes");
  if (expect_ok(s, kiln_buffer_sub(buffer, 128, 64, &window), "a window")) {
    expect_ok(s, kiln_read(s->stream, window, 1, got, 63, NULL), "reading a window");
    expect_ok(s, kiln_stream_finish(s->stream), "finish");
    expect(s, memcmp(data + 129, got, 63) == 0, "a window shows other bytes");
    expect_failure(s, kiln_read(s->stream, window, 0, got, 65, NULL), KILN_ERR_INVALID, "reading past a window");
  }
  expect_failure(s, kiln_write(s->stream, buffer, 511, data, 2, NULL), KILN_ERR_INVALID, "writing past the end");
  expect_failure(s, kiln_fill(s->stream, buffer, 2, 8, data, 4, NULL), KILN_ERR_INVALID, "an odd fill");
  void *host = kiln_buffer_host(buffer);
  expect(s, (host != NULL) == info.host_memory, "host_memory is told, but buffers say otherwise");
  if (host)
    expect(s, memcmp(host, data, 512) == 0, "host memory shows other bytes");
  kiln_buffer_release(window);
  kiln_buffer_release(buffer);
  static unsigned char wrapped[4096] __attribute__((aligned(4096)));
  memset(wrapped, 0x5a, sizeof wrapped);
  if (expect_ok(s, kiln_buffer_create(s->ctx, &(struct kiln_buffer_desc){.size = 4096, .host = wrapped}, &buffer),
                "a buffer around host memory")) {
    expect_ok(s, kiln_read(s->stream, buffer, 100, got, 100, NULL), "reading it");
    expect_ok(s, kiln_stream_finish(s->stream), "finish");
    expect(s, got[0] == 0x5a && got[99] == 0x5a, "a buffer around host memory has other bytes");
    kiln_buffer_release(buffer);
  }
}

// ---- streams and events --------------------------------------------------------------------------------------------

static const char chain_source[] = "kernel void twice(global int *p, int add) {\n"
                                   "  size_t i = get_global_id(0);\n"
                                   "  p[i] = p[i] * 2 + add;\n"
                                   "}\n";

static void check_events(struct suite *s, struct kiln_kernel *kernel, struct kiln_buffer *buffer) {
  struct kiln_event *written = NULL, *run = NULL;
  struct kiln_event_times a, b;
  struct kiln_stream *second = NULL;
  int32_t one = 1, add = 3, got[64];
  struct kiln_arg args[] = {kiln_arg_buffer(buffer), kiln_arg_value(&add, 4)};
  struct kiln_launch_desc desc = {.global = {64}, .args = args, .arg_count = 2};
  if (!expect_ok(s, kiln_stream_create(s->ctx, 0, &second), "a second stream"))
    return;
  expect_ok(s, kiln_fill(s->stream, buffer, 0, 256, &one, 4, &written), "fill");
  expect_ok(s, kiln_stream_wait(second, written), "waiting for another stream");
  expect_ok(s, kiln_launch(second, kernel, &desc, &run), "a launch after it");
  expect_ok(s, kiln_stream_wait(s->stream, run), "waiting back");
  expect_ok(s, kiln_read(s->stream, buffer, 0, got, 256, NULL), "read");
  expect_ok(s, kiln_stream_finish(s->stream), "finish");
  expect(s, got[0] == 5 && got[63] == 5, "two streams in order give %d", (int)got[0]);
  if (written && run && expect_ok(s, kiln_event_times(written, &a), "times") &&
      expect_ok(s, kiln_event_times(run, &b), "times")) {
    expect(s, kiln_event_done(run), "an event whose times are known is not done");
    expect(s, a.enqueued_ns <= a.started_ns && a.started_ns <= a.ended_ns, "times of a fill are out of order");
    expect(s, b.enqueued_ns <= b.started_ns && b.started_ns <= b.ended_ns, "times of a launch are out of order");
    expect_ok(s, kiln_event_wait(run), "waiting for what has ended");
  }
  kiln_event_release(written);
  kiln_event_release(run);
  kiln_stream_release(second);
}

void check_streams(struct suite *s) {
  enum kiln_status status;
  struct kiln_program *program = program_of(s->ctx, chain_source, KILN_SOURCE_OPENCL_C, NULL, &status);
  struct kiln_kernel *kernel = NULL;
  struct kiln_buffer *buffer = NULL;
  struct kiln_prepared *prepared = NULL;
  int32_t zero = 0, add = 1, got[64];
  if (expect_ok(s, status, "compiling") && expect_ok(s, kiln_kernel_create(program, NULL, &kernel), "kernel") &&
      expect_ok(s, kiln_buffer_create(s->ctx, &(struct kiln_buffer_desc){.size = 256}, &buffer), "buffer")) {
    struct kiln_arg args[] = {kiln_arg_buffer(buffer), kiln_arg_value(&add, 4)};
    struct kiln_launch_desc desc = {.global = {64}, .args = args, .arg_count = 2};
    expect_ok(s, kiln_fill(s->stream, buffer, 0, 256, &zero, 4, NULL), "fill");
    for (int i = 0; i < 5; i++)
      expect_ok(s, kiln_launch(s->stream, kernel, &desc, NULL), "launch");
    if (expect_ok(s, kiln_prepare(s->stream, kernel, &desc, &prepared), "prepare")) {
      for (int i = 0; i < 5; i++)
        expect_ok(s, kiln_run_prepared(prepared, NULL), "run_prepared");
    }
    expect_ok(s, kiln_read(s->stream, buffer, 0, got, 256, NULL), "read");
    expect_ok(s, kiln_stream_finish(s->stream), "finish");
    expect(s, got[0] == 1023 && got[63] == 1023, "ten launches in order give %d instead of 1023", (int)got[0]);
    kiln_prepared_release(prepared);
    check_events(s, kernel, buffer);
  }
  kiln_buffer_release(buffer);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
}

// ---- errors --------------------------------------------------------------------------------------------------------

void check_errors(struct suite *s) {
  enum kiln_status status;
  expect(s, !program_of(s->ctx, "kernel void k( {", KILN_SOURCE_OPENCL_C, NULL, &status), "a broken kernel compiles");
  expect_failure(s, status, KILN_ERR_COMPILE, "a broken kernel");
  program_of(s->ctx, "kernel void k() {}", KILN_SOURCE_OPENCL_C, "--kiln-no-such-option=1", &status);
  expect_failure(s, status, KILN_ERR_INVALID, "an unknown option");
  program_of(s->ctx, "kiln_ir 1\nkernel @k( {", KILN_SOURCE_IR_TEXT, NULL, &status);
  expect_failure(s, status, KILN_ERR_COMPILE, "broken kernel IR");
  struct kiln_program *none = program_of(s->ctx, "int f(int x) { return x; }", KILN_SOURCE_OPENCL_C, NULL, &status);
  if (expect(s, status == KILN_OK || *kiln_last_error(), "a program without kernels fails without a reason"))
    kiln_program_release(status == KILN_OK ? none : NULL);
  struct kiln_program *program = program_of(s->ctx, saxpy_source, KILN_SOURCE_OPENCL_C, NULL, &status);
  struct kiln_kernel *kernel = NULL;
  if (!expect_ok(s, status, "compiling"))
    return;
  expect_failure(s, kiln_kernel_create(program, "no-such-kernel", &kernel), KILN_ERR_NOT_FOUND, "an unknown kernel");
  kiln_program_release(program);
  if (!s->stream) {
    skip(s, "launches: there is no device: %s", s->no_device);
    return;
  }
  struct kiln_device_info info;
  program = program_of(s->ctx,
                       "kernel void k(local int *t, global int *o) { t[get_local_id(0)] = 1; o[get_global_id(0)] = "
                       "t[get_local_id(0)]; }",
                       KILN_SOURCE_OPENCL_C, NULL, &status);
  struct kiln_buffer *buffer = NULL;
  if (expect_ok(s, status, "compiling") && expect_ok(s, kiln_kernel_create(program, NULL, &kernel), "kernel") &&
      expect_ok(s, kiln_device_info(s->ctx, 0, &info), "device_info") &&
      expect_ok(s, kiln_buffer_create(s->ctx, &(struct kiln_buffer_desc){.size = 16}, &buffer), "buffer")) {
    struct kiln_arg args[] = {kiln_arg_local(info.local_bytes + 65536), kiln_arg_buffer(buffer)};
    struct kiln_launch_desc desc = {.global = {1}, .local = {1}, .args = args, .arg_count = 2};
    status = kiln_launch(s->stream, kernel, &desc, NULL);
    expect(s, status != KILN_OK && *kiln_last_error(), "a launch with more local memory than there is is accepted");
    args[0] = kiln_arg_local(64);
    desc.global[0] = desc.local[0] = 2 * info.max_group_size;
    status = kiln_launch(s->stream, kernel, &desc, NULL);
    expect(s, status != KILN_OK && *kiln_last_error(), "a group of %llu work-items is accepted",
           (unsigned long long)desc.local[0]);
    desc.global[0] = desc.local[0] = 4; // and after all that it works
    expect_ok(s, kiln_launch(s->stream, kernel, &desc, NULL), "a launch after errors");
  }
  expect_ok(s, kiln_stream_finish(s->stream), "finish after errors");
  kiln_buffer_release(buffer);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
}
