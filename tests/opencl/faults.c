// The OpenCL driver when things go wrong: every call of the ICD loader fails once, a device is lost, memory runs out,
// a command fails after it was accepted, a build fails. Each is a status and a sentence, nothing hangs or is used
// after, and the next context works. Needs LD_LIBRARY_PATH (standin.c) and KILN_STANDIN_REAL.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/kiln.h"
#include "tests/opencl/standin.h"
#include "tests/support/expect.h"

enum {
  LOST = -2,
  NO_COMPILER = -3,
  NO_MEMORY = -4,
  NO_RESOURCES = -5,
  BUILD_FAILED = -11,
  NO_DEVICE = -1,
  NO_PLATFORM = -1001
};

static standin_fail_fn *fail_next;
static standin_reset_fn *reset;
static standin_calls_fn *calls;

static const char source[] = "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }\n"
                             "kernel void say(global int *a) { printf(\"%d\\n\", a[get_global_id(0)]); }\n"
                             "kernel void tint(read_only image2d_t i, sampler_t s, write_only image2d_t o) {\n"
                             "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
                             "  write_imageui(o, at, read_imageui(i, s, at - 1) + 1);\n"
                             "}\n";
enum { COUNT = 1024, SIDE = 32, PIXELS = SIDE * SIDE };

struct session {
  struct kiln_context *ctx;
  struct kiln_stream *stream, *second;
  struct kiln_buffer *a, *b, *c;
  struct kiln_image *in, *out;
  struct kiln_program *program;
  struct kiln_kernel *add, *say, *tint;
  struct kiln_prepared *prepared;
  struct kiln_event *event, *go;
  char message[1024]; // of the first failure
  enum kiln_status status;
  int data[COUNT];
  uint32_t pixels[PIXELS];
  size_t printed;
};

static void count_text(void *user, const char *text, size_t size) {
  (void)text;
  ((struct session *)user)->printed += size;
}

static bool step(struct session *s, enum kiln_status status) {
  if (status && !s->status) {
    s->status = status;
    snprintf(s->message, sizeof s->message, "%s", kiln_last_error());
  }
  return s->status == KILN_OK;
}

static bool begin(struct session *s) {
  memset(s, 0, sizeof *s);
  struct kiln_context_desc desc = {
      .backend = "opencl", .arch = "0:0+images", .cache_mode = "off", .print = count_text, .print_user = s};
  struct kiln_program_desc program = {.source = source, .name = "faults.cl"};
  struct kiln_buffer_desc buffer = {.size = COUNT * sizeof(int)};
  return step(s, kiln_context_open(&desc, &s->ctx)) && step(s, kiln_stream_create(s->ctx, 0, &s->stream)) &&
         step(s, kiln_stream_create(s->ctx, 0, &s->second)) && step(s, kiln_buffer_create(s->ctx, &buffer, &s->a)) &&
         step(s, kiln_buffer_create(s->ctx, &buffer, &s->b)) &&
         step(s, kiln_program_create(s->ctx, &program, &s->program)) &&
         step(s, kiln_kernel_create(s->program, "add", &s->add)) &&
         step(s, kiln_kernel_create(s->program, "say", &s->say)) &&
         step(s, kiln_kernel_create(s->program, "tint", &s->tint));
}

static void end(struct session *s) {
  kiln_event_release(s->event);
  kiln_event_release(s->go);
  kiln_prepared_release(s->prepared);
  kiln_kernel_release(s->add);
  kiln_kernel_release(s->say);
  kiln_kernel_release(s->tint);
  kiln_image_release(s->in);
  kiln_image_release(s->out);
  kiln_program_release(s->program);
  kiln_buffer_release(s->a);
  kiln_buffer_release(s->b);
  kiln_buffer_release(s->c);
  kiln_stream_release(s->stream);
  kiln_stream_release(s->second);
  kiln_context_close(s->ctx);
}

static bool launch(struct session *s, struct kiln_event **event) {
  int one = 1;
  struct kiln_arg args[] = {kiln_arg_buffer(s->a), kiln_arg_value(&one, sizeof one)};
  struct kiln_launch_desc desc = {.global = {COUNT}, .args = args, .arg_count = 2};
  return step(s, kiln_launch(s->stream, s->add, &desc, event));
}

// Every command on images, and a kernel with a sampler.
static bool images(struct session *s) {
  static const uint32_t nines = 0x09090909;
  const union kiln_pixel five = {.u = {5, 5, 5, 5}};
  const struct kiln_image_region first = {.size = {1, 1, 1}};
  const struct kiln_image_desc desc = {
      .dimension = KILN_IMAGE_2D, .format = {KILN_ORDER_RGBA, KILN_CHANNEL_U8}, .width = SIDE, .height = SIDE};
  if (!step(s, kiln_buffer_create(s->ctx, &(struct kiln_buffer_desc){.size = sizeof s->pixels}, &s->c)) ||
      !step(s, kiln_image_create(s->ctx, &desc, &s->in)) || !step(s, kiln_image_create(s->ctx, &desc, &s->out)))
    return false;
  const struct kiln_arg args[] = {kiln_arg_image(s->in),
                                  kiln_arg_sampler(KILN_SAMPLER_NEAREST | KILN_SAMPLER_CLAMP_TO_EDGE),
                                  kiln_arg_image(s->out)};
  const struct kiln_launch_desc launch = {.global = {SIDE, SIDE}, .args = args, .arg_count = 3};
  return step(s, kiln_image_fill(s->stream, s->in, NULL, &five, NULL)) &&
         step(s, kiln_launch(s->stream, s->tint, &launch, NULL)) &&
         step(s, kiln_image_copy(s->stream, s->out, NULL, s->in, NULL, NULL)) &&
         step(s, kiln_image_to_buffer(s->stream, s->in, NULL, s->c, NULL, NULL)) &&
         step(s, kiln_image_from_buffer(s->stream, s->out, NULL, s->c, NULL, NULL)) &&
         step(s, kiln_image_write(s->stream, s->out, &first, &nines, NULL, NULL)) &&
         step(s, kiln_image_read(s->stream, s->out, NULL, s->pixels, NULL, NULL));
}

// Everything that the driver can do, once.
static void all(struct session *s) {
  int zero = 0, two = 2;
  struct kiln_event_times times;
  if (!begin(s) || !step(s, kiln_fill(s->stream, s->b, 0, COUNT * sizeof(int), &zero, sizeof zero, NULL)) ||
      !step(s, kiln_copy(s->stream, s->b, 0, s->a, 0, COUNT * sizeof(int), NULL)) || !launch(s, &s->event))
    return;
  struct kiln_arg args[] = {kiln_arg_buffer(s->a), kiln_arg_value(&two, sizeof two)};
  struct kiln_launch_desc desc = {.global = {COUNT}, .local = {64}, .args = args, .arg_count = 2};
  struct kiln_launch_desc one = {.global = {1}, .args = args, .arg_count = 1};
  if (!step(s, kiln_event_create_user(s->ctx, &s->go)) || !step(s, kiln_stream_wait(s->second, s->go)) ||
      !step(s, kiln_event_signal(s->go, KILN_OK)) || !step(s, kiln_stream_wait(s->second, s->event)) ||
      !step(s, kiln_write(s->second, s->b, 0, s->data, sizeof s->data, NULL)) ||
      !step(s, kiln_prepare(s->stream, s->add, &desc, &s->prepared)) ||
      !step(s, kiln_run_prepared(s->prepared, NULL)) || !step(s, kiln_launch(s->stream, s->say, &one, NULL)) ||
      !images(s) || !step(s, kiln_read(s->stream, s->a, 0, s->data, sizeof s->data, NULL)) ||
      !step(s, kiln_stream_finish(s->second)) || !step(s, kiln_event_wait(s->event)))
    return;
  (void)kiln_event_done(s->event);
  step(s, kiln_event_times(s->event, &times));
  step(s, kiln_stream_finish(s->stream));
}

static bool is_right(const struct session *s) {
  for (int i = 0; i < COUNT; i++)
    if (s->data[i] != 3)
      return false;
  for (int i = 0; i < PIXELS; i++)
    if (s->pixels[i] != (i ? 0x06060606 : 0x09090909))
      return false;
  return s->printed == 2;
}

// A failure of these changes no result: releases, times, what has a second way.
static bool is_harmless(const char *function, unsigned call) {
  static const struct {
    const char *prefix;
    unsigned from, to;
  } list[] = {
      {"clRelease", 1, 99},
      {"clFlush", 1, 99},
      {"clGet", 1, 99},
      {"clSetMemObjectDestructorCallback", 1, 99}, // freed with the handle
      {"clSetUserEventStatus", 1, 99},             // tried again
      {"clCreateProgramWithBinary", 1, 99},
      {"clBuildProgram", 2, 2}, // of the binary: built from source
      {"clCreateKernel", 1, 3}, // to learn what kernels need
      {"clFinish", 3, 99},      // when a stream is released
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (strncmp(function, list[i].prefix, strlen(list[i].prefix)) == 0 && call >= list[i].from && call <= list[i].to)
      return true;
  return false;
}

static void every_call_fails_once(void) {
  static const char *const functions[] = {
#define CL_SYMBOL(name) #name,
#include "backends/opencl/print/symbols.def"
  };
  enum { FUNCTIONS = sizeof functions / sizeof *functions };
  static const char of_natives[] = "clRetainContext clRetainCommandQueue clRetainMemObject clGetContextInfo "
                                   "clGetCommandQueueInfo clGetMemObjectInfo "; // native.c calls them
  unsigned counts[FUNCTIONS], failures = 0;
  struct session s;
  reset();
  all(&s);
  EXPECT(s.status == KILN_OK && is_right(&s), "%s", s.message);
  end(&s);
  for (int i = 0; i < FUNCTIONS; i++) {
    counts[i] = calls(functions[i]);
    EXPECT(counts[i] || !strcmp(functions[i], "clCreateSubBuffer") || !strcmp(functions[i], "clGetProgramBuildInfo") ||
               strncmp(functions[i], "clRelease", 9) == 0 || strstr(of_natives, functions[i]),
           "%s is not called", functions[i]);
  }
  for (int i = 0; i < FUNCTIONS; i++)
    for (unsigned n = 1; n <= counts[i] && n <= 40; n++) {
      if (strncmp(functions[i], "clGetPlatform", 13) == 0 || strncmp(functions[i], "clGetDevice", 11) == 0) {
        if (n > 6)
          break; // the same queries again and again
      }
      reset();
      fail_next(functions[i], n, NO_RESOURCES, STANDIN_ONCE);
      all(&s);
      if (s.status == KILN_OK)
        EXPECT(is_right(&s), "%s, call %u: no error and a wrong result", functions[i], n);
      else
        EXPECT(s.message[0] && strchr(s.message, ' '), "%s, call %u: no sentence", functions[i], n);
      bool may = is_harmless(functions[i], n);
      EXPECT(s.status || may, "%s, call %u: nobody noticed", functions[i], n);
      EXPECT(!s.status || may || s.status == KILN_ERR_DEVICE || s.status == KILN_ERR_UNAVAILABLE, "%s, call %u: %s: %s",
             functions[i], n, kiln_status_name(s.status), s.message);
      EXPECT(!s.status || may || s.status == KILN_ERR_UNAVAILABLE || strstr(s.message, "CL_OUT_OF_RESOURCES"),
             "%s, call %u: %s", functions[i], n, s.message);
      end(&s);
      failures++;
    }
  reset();
  all(&s);
  EXPECT(s.status == KILN_OK && is_right(&s), "afterwards: %s", s.message);
  end(&s);
  printf("%u failures put in\n", failures);
  EXPECT(failures > 80, "only %u", failures);
}

static void expect_failure(struct session *s, enum kiln_status status, const char *text, int line) {
  if (s->status != status || !strstr(s->message, text)) {
    fprintf(stderr, "line %d: %s: %s\n", line, kiln_status_name(s->status), s->message);
    exit(1);
  }
  s->status = KILN_OK;
}

static void lost_device(void) {
  struct session s;
  reset();
  EXPECT(begin(&s) && launch(&s, &s.event), "%s", s.message);
  fail_next("clFinish", 1, LOST, STANDIN_LOST);
  step(&s, kiln_stream_finish(s.stream));
  expect_failure(&s, KILN_ERR_DEVICE, "it may have been lost", __LINE__);
  launch(&s, NULL); // and whatever comes after
  expect_failure(&s, KILN_ERR_DEVICE, "launching a kernel: the device is not available", __LINE__);
  step(&s, kiln_read(s.stream, s.a, 0, s.data, sizeof s.data, NULL));
  expect_failure(&s, KILN_ERR_DEVICE, "it may have been lost", __LINE__);
  step(&s, kiln_event_wait(s.event));
  expect_failure(&s, KILN_ERR_DEVICE, "it may have been lost", __LINE__);
  struct kiln_buffer *more = NULL;
  step(&s, kiln_buffer_create(s.ctx, &(struct kiln_buffer_desc){.size = 64}, &more));
  expect_failure(&s, KILN_ERR_DEVICE, "it may have been lost", __LINE__);
  end(&s);
}

static void memory_runs_out(void) {
  struct session s;
  reset();
  EXPECT(begin(&s), "%s", s.message);
  struct kiln_buffer *more = NULL;
  fail_next("clCreateBuffer", 1, NO_MEMORY, STANDIN_ONCE);
  step(&s, kiln_buffer_create(s.ctx, &(struct kiln_buffer_desc){.size = 12345}, &more));
  expect_failure(&s, KILN_ERR_MEMORY, "12345", __LINE__);
  // Drivers that allocate late say it at a launch or a transfer.
  fail_next("clEnqueueNDRangeKernel", 1, NO_MEMORY, STANDIN_ONCE);
  launch(&s, NULL);
  expect_failure(&s, KILN_ERR_MEMORY, "the memory of the device is exhausted", __LINE__);
  fail_next("clEnqueueWriteBuffer", 1, NO_MEMORY, STANDIN_ONCE);
  step(&s, kiln_write(s.stream, s.a, 0, s.data, sizeof s.data, NULL));
  expect_failure(&s, KILN_ERR_MEMORY, "the memory of the device is exhausted", __LINE__);
  // The stream still works.
  EXPECT(step(&s, kiln_write(s.stream, s.a, 0, s.data, sizeof s.data, NULL)) && launch(&s, NULL) &&
             step(&s, kiln_read(s.stream, s.a, 0, s.data, sizeof s.data, NULL)) &&
             step(&s, kiln_stream_finish(s.stream)),
         "%s", s.message);
  EXPECT(s.data[0] == 1 && s.data[COUNT - 1] == 1, "%d", s.data[0]);
  end(&s);
}

// The driver accepts the command, and it fails when it runs.
static void failing_command(void) {
  struct session s;
  reset();
  EXPECT(begin(&s), "%s", s.message);
  fail_next("clEnqueueNDRangeKernel", 1, NO_RESOURCES, STANDIN_COMMAND);
  EXPECT(launch(&s, &s.event), "%s", s.message);
  step(&s, kiln_stream_finish(s.stream));
  expect_failure(&s, KILN_ERR_DEVICE, "outside its buffers", __LINE__);
  step(&s, kiln_event_wait(s.event));
  expect_failure(&s, KILN_ERR_DEVICE, "running a command: the device ran out of resources", __LINE__);
  fail_next("clEnqueueNDRangeKernel", 1, NO_MEMORY, STANDIN_COMMAND); // nobody holds an event
  EXPECT(launch(&s, NULL), "%s", s.message);
  step(&s, kiln_stream_finish(s.stream));
  expect_failure(&s, KILN_ERR_MEMORY, "the memory of the device is exhausted", __LINE__);
  end(&s);
}

// Images that are parts of buffers, on a device that seems not to use memory of the host in place: a 1D buffer can be
// one, and a plane where the device has planes in buffers.
static void parts_of_buffers(void) {
  struct session s;
  struct kiln_image *part = NULL;
  struct kiln_image_desc desc = {
      .dimension = KILN_IMAGE_1D_BUFFER, .format = {KILN_ORDER_RGBA, KILN_CHANNEL_U8}, .width = SIDE};
  reset();
  EXPECT(begin(&s) && images(&s), "%s", s.message);
  fail_next("clEnqueueWriteImage", 1, NO_RESOURCES, STANDIN_ONCE); // of what the driver tries
  desc.buffer = s.c;
  EXPECT(step(&s, kiln_image_create(s.ctx, &desc, &part)), "%s", s.message);
  kiln_image_release(part);
  desc.dimension = KILN_IMAGE_2D;
  desc.height = 4;
  desc.row = 512;
  desc.offset = 1024;
  part = NULL;
  if (step(&s, kiln_image_create(s.ctx, &desc, &part))) {
    const struct kiln_image_region r = {.size = {SIDE, 4, 1}};
    EXPECT(step(&s, kiln_image_copy(s.stream, part, NULL, s.out, NULL, NULL)) &&
               step(&s, kiln_image_read(s.stream, s.out, &r, s.pixels, NULL, NULL)) &&
               step(&s, kiln_stream_finish(s.stream)),
           "%s", s.message);
    for (int i = 0; i < 4 * SIDE; i++)
      EXPECT(s.pixels[i] == 0x06060606, "pixel %d of a part is %08x", i, (unsigned)s.pixels[i]);
    kiln_image_release(part);
    desc.row = 516;
    step(&s, kiln_image_create(s.ctx, &desc, &part));
    expect_failure(&s, KILN_ERR_UNSUPPORTED, "rows of 516 bytes of an image in a buffer", __LINE__);
  } else {
    expect_failure(&s, KILN_ERR_UNSUPPORTED, "has no 2D images that are parts of buffers", __LINE__);
  }
  desc.dimension = KILN_IMAGE_3D;
  desc.depth = 1;
  desc.row = 0;
  step(&s, kiln_image_create(s.ctx, &desc, &part));
  expect_failure(&s, KILN_ERR_UNSUPPORTED, "has no 3D images that are parts of buffers", __LINE__);
  end(&s);
}

// The device is asked for its formats once for each dimension and use, and again where it did not answer.
static void lists_of_formats(void) {
  static const char list[] = "clGetSupportedImageFormats";
  struct kiln_image_desc desc = {
      .dimension = KILN_IMAGE_2D, .format = {KILN_ORDER_RGBA, KILN_CHANNEL_U8}, .width = SIDE, .height = SIDE};
  struct session s;
  uint32_t count = 0;
  reset();
  EXPECT(begin(&s), "%s", s.message);
  fail_next(list, 1, NO_RESOURCES, STANDIN_FOREVER);
  step(&s, kiln_image_create(s.ctx, &desc, &s.in));
  expect_failure(&s, KILN_ERR_UNSUPPORTED, "has no such images of its own", __LINE__);
  reset();
  EXPECT(step(&s, kiln_image_create(s.ctx, &desc, &s.in)), "%s", s.message);
  unsigned asked = calls(list);
  EXPECT(asked > 0 && asked <= 4, "%u lists for an image", asked);
  desc.height = 2 * SIDE;
  EXPECT(step(&s, kiln_image_create(s.ctx, &desc, &s.out)) &&
             step(&s, kiln_image_formats(s.ctx, 0, KILN_IMAGE_2D, KILN_ACCESS_WRITE, NULL, 0, &count)),
         "%s", s.message);
  EXPECT(calls(list) == asked && count > 0, "%u lists for one image, %u for two; %u formats", asked, calls(list),
         (unsigned)count);
  end(&s);
}

static void nothing_there(void) {
  struct session s;
  reset();
  fail_next("clGetPlatformIDs", 1, NO_PLATFORM, STANDIN_FOREVER);
  begin(&s);
  expect_failure(&s, KILN_ERR_UNAVAILABLE, "the OpenCL loader knows no platform; install the driver", __LINE__);
  end(&s);
  reset();
  fail_next("clGetDeviceIDs", 1, NO_DEVICE, STANDIN_FOREVER);
  begin(&s);
  expect_failure(&s, KILN_ERR_UNAVAILABLE, "has a device", __LINE__);
  end(&s);
  reset();
  fail_next("clBuildProgram", 1, BUILD_FAILED, STANDIN_FOREVER);
  begin(&s);
  expect_failure(&s, KILN_ERR_COMPILE, "the device's compiler refused the OpenCL C text", __LINE__);
  end(&s);
  reset();
  fail_next("clBuildProgram", 1, NO_COMPILER, STANDIN_FOREVER);
  begin(&s);
  expect_failure(&s, KILN_ERR_UNAVAILABLE, "the driver has no compiler for OpenCL C", __LINE__);
  end(&s);
}

int main(void) {
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
  fail_next = library ? (standin_fail_fn *)dlsym(library, "standin_fail") : NULL;
  reset = library ? (standin_reset_fn *)dlsym(library, "standin_reset") : NULL;
  calls = library ? (standin_calls_fn *)dlsym(library, "standin_calls") : NULL;
  EXPECT(fail_next && reset && calls, "LD_LIBRARY_PATH does not lead to the stand-in");
  nothing_there();
  failing_command();
  memory_runs_out();
  lost_device();
  parts_of_buffers();
  lists_of_formats();
  every_call_fails_once();
  return 0;
}
