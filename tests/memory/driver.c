// Memory that runs out in the calls of the OpenCL driver (walk.h): memory_driver BACKEND STRIDE
//
// A session makes buffers, images of each kind of memory, and samplers, moves their pixels by commands of each kind,
// shares memory, some of them held back by a user event, builds a program, launches a kernel with images, asks, and
// releases.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/memory/exhaust.h"
#include "tests/memory/walk.h"

enum { SIDE = 8, COUNT = SIDE * SIDE, BYTES = COUNT * sizeof(float) };
enum { OWN, OVER_BUFFER, OVER_IMAGE, OF_HOST, IMAGES };
enum { FILL, WRITE, COPY, FROM_BUFFER, TO_BUFFER, LAUNCH, COMMANDS }; // those that no call waits for

static const char source[] = "kernel void less(read_only image2d_t from, sampler_t s, write_only image2d_t to) {\n"
                             "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
                             "  write_imagef(to, at, read_imagef(from, s, at) - 1);\n"
                             "}\n";

struct session {
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_mem buffer, images[IMAGES];
  cl_sampler sampler;
  cl_program program;
  cl_kernel kernel;
  cl_event gate, events[COMMANDS];
  float host[COUNT + 1], pixels[COUNT];
  const char *call; // that failed
};

static cl_int said(struct session *s, const char *call, cl_int status) {
  if (status && !s->call)
    s->call = call;
  return status;
}
#define CALL(s, call) said(s, #call, call)

static const size_t none[3], all[3] = {SIDE, SIDE, 1}, from[3] = {1, 2, 0}, size[3] = {3, 4, 1}, to[3] = {4, 4, 0};

static cl_int open_device(struct session *s) {
  cl_int status = CALL(s, clGetPlatformIDs(1, &s->platform, NULL));
  if (!status)
    status = CALL(s, clGetDeviceIDs(s->platform, CL_DEVICE_TYPE_ALL, 1, &s->device, NULL));
  if (!status) {
    s->context = clCreateContext(NULL, 1, &s->device, NULL, NULL, &status);
    said(s, "clCreateContext", status);
  }
  if (!status) {
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    s->queue = clCreateCommandQueueWithProperties(s->context, s->device, properties, &status);
    said(s, "clCreateCommandQueueWithProperties", status);
  }
  return status;
}

// Unified shared memory, where the device has it: an allocation, a command on it, and a release that waits.
static cl_int share(struct session *s) {
  clSharedMemAllocINTEL_fn allocate =
      (clSharedMemAllocINTEL_fn)clGetExtensionFunctionAddressForPlatform(s->platform, "clSharedMemAllocINTEL");
  clEnqueueMemFillINTEL_fn fill =
      (clEnqueueMemFillINTEL_fn)clGetExtensionFunctionAddressForPlatform(s->platform, "clEnqueueMemFillINTEL");
  clMemBlockingFreeINTEL_fn release =
      (clMemBlockingFreeINTEL_fn)clGetExtensionFunctionAddressForPlatform(s->platform, "clMemBlockingFreeINTEL");
  const char pattern = 1;
  cl_int status;
  void *memory = allocate(s->context, NULL, NULL, BYTES, 0, &status);
  if (!memory)
    return status == CL_INVALID_OPERATION ? CL_SUCCESS : said(s, "clSharedMemAllocINTEL", status);
  status = CALL(s, fill(s->queue, memory, &pattern, sizeof pattern, BYTES, 0, NULL, NULL));
  cl_int freed = CALL(s, release(s->context, memory));
  return status ? status : freed;
}

// The host's memory is not aligned at whole pixels: kernels work on a copy.
static cl_int create_images(struct session *s) {
  static const cl_image_format plain = {CL_R, CL_FLOAT}, depth = {CL_DEPTH, CL_FLOAT};
  const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, 0};
  cl_image_format formats[4];
  cl_uint count;
  cl_int status;
  s->buffer = clCreateBuffer(s->context, CL_MEM_COPY_HOST_PTR, BYTES, s->pixels, &status);
  said(s, "clCreateBuffer", status);
  for (int i = 0; i < IMAGES && !status; i++) {
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = SIDE,
                                .image_height = SIDE,
                                .mem_object = i == OVER_BUFFER  ? s->buffer
                                              : i == OVER_IMAGE ? s->images[OWN]
                                                                : NULL};
    s->images[i] = clCreateImageWithProperties(s->context, NULL, i == OF_HOST ? CL_MEM_USE_HOST_PTR : CL_MEM_READ_WRITE,
                                               i == OVER_IMAGE ? &depth : &plain, &desc,
                                               i == OF_HOST ? (unsigned char *)s->host + 1 : NULL, &status);
    said(s, "clCreateImageWithProperties", status);
  }
  if (!status) {
    s->sampler = clCreateSamplerWithProperties(s->context, properties, &status);
    said(s, "clCreateSamplerWithProperties", status);
  }
  return status ? status
                : CALL(s, clGetSupportedImageFormats(s->context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE3D, 4, formats,
                                                     &count));
}

static cl_int build(struct session *s) {
  const char *text = source;
  cl_int status;
  s->program = clCreateProgramWithSource(s->context, 1, &text, NULL, &status);
  said(s, "clCreateProgramWithSource", status);
  if (!status)
    status = CALL(s, clBuildProgram(s->program, 0, NULL, "", NULL, NULL));
  if (!status) {
    s->kernel = clCreateKernel(s->program, "less", &status);
    said(s, "clCreateKernel", status);
  }
  return status;
}

// Ones by every kind of command, held back until the gate opens: then only their events say how they end.
static cl_int enqueue_commands(struct session *s) {
  const float one[4] = {1};
  cl_command_queue queue = s->queue;
  cl_mem *images = s->images;
  cl_event *events = s->events;
  cl_int status;
  s->gate = clCreateUserEvent(s->context, &status);
  said(s, "clCreateUserEvent", status);
  if (!status)
    status = CALL(s, clEnqueueFillImage(queue, images[OWN], one, none, all, 1, &s->gate, &events[FILL]));
  if (!status)
    status = CALL(s, clEnqueueWriteImage(queue, images[OVER_IMAGE], CL_FALSE, from, size, 0, 0, s->pixels, 0, NULL,
                                         &events[WRITE]));
  if (!status)
    status = CALL(s, clEnqueueCopyImage(queue, images[OWN], images[OF_HOST], none, none, all, 0, NULL, &events[COPY]));
  if (!status)
    status =
        CALL(s, clEnqueueCopyBufferToImage(queue, s->buffer, images[OWN], 0, to, size, 0, NULL, &events[FROM_BUFFER]));
  if (!status)
    status =
        CALL(s, clEnqueueCopyImageToBuffer(queue, images[OWN], s->buffer, none, all, 0, 0, NULL, &events[TO_BUFFER]));
  return status;
}

static cl_int open_gate(struct session *s) {
  cl_int status = CALL(s, clSetUserEventStatus(s->gate, CL_COMPLETE));
  clReleaseEvent(s->gate);
  s->gate = NULL;
  return status;
}

static cl_int map(struct session *s) {
  size_t row;
  cl_int status;
  void *mapped = clEnqueueMapImage(s->queue, s->images[OF_HOST], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, from, size, &row,
                                   NULL, 0, NULL, NULL, &status);
  said(s, "clEnqueueMapImage", status);
  return mapped ? CALL(s, clEnqueueUnmapMemObject(s->queue, s->images[OF_HOST], mapped, 0, NULL, NULL)) : status;
}

// The last image to the one over the buffer.
static cl_int launch(struct session *s) {
  const size_t global[2] = {SIDE, SIDE};
  cl_int status = CALL(s, clSetKernelArg(s->kernel, 0, sizeof(cl_mem), &s->images[OF_HOST]));
  if (!status)
    status = CALL(s, clSetKernelArg(s->kernel, 1, sizeof(cl_sampler), &s->sampler));
  if (!status)
    status = CALL(s, clSetKernelArg(s->kernel, 2, sizeof(cl_mem), &s->images[OVER_BUFFER]));
  if (!status)
    status = CALL(s, clEnqueueNDRangeKernel(s->queue, s->kernel, 2, NULL, global, NULL, 1, &s->events[TO_BUFFER],
                                            &s->events[LAUNCH]));
  return status;
}

static cl_int steps(struct session *s) {
  for (int i = 0; i < COUNT; i++)
    s->pixels[i] = 1;
  cl_int status = open_device(s);
  if (!status)
    status = share(s);
  if (!status)
    status = create_images(s);
  if (!status)
    status = build(s);
  if (!status)
    status = enqueue_commands(s);
  if (s->gate) // commands that wait for it would never end
    status = open_gate(s) ? CL_INVALID_OPERATION : status;
  if (!status)
    status = map(s);
  if (!status)
    status = launch(s);
  if (!status)
    status = CALL(
        s, clEnqueueReadImage(s->queue, s->images[OVER_BUFFER], CL_TRUE, none, all, 0, 0, s->pixels, 0, NULL, NULL));
  return status;
}

static bool is_lack(cl_int status) {
  return status == CL_OUT_OF_HOST_MEMORY || status == CL_OUT_OF_RESOURCES || status == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

// The first command that ended for a lack of memory, of those that no call waits for.
static cl_int end_commands(struct session *s) {
  cl_int lack = CL_SUCCESS;
  for (int i = 0; i < COMMANDS; i++) {
    cl_int state = CL_COMPLETE;
    if (!s->events[i])
      continue;
    clGetEventInfo(s->events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    lack = !lack && is_lack(state) ? state : lack;
    clReleaseEvent(s->events[i]);
  }
  return lack;
}

static void release(struct session *s) {
  if (s->kernel)
    clReleaseKernel(s->kernel);
  if (s->program)
    clReleaseProgram(s->program);
  if (s->sampler)
    clReleaseSampler(s->sampler);
  for (int i = IMAGES - 1; i >= 0; i--)
    if (s->images[i])
      clReleaseMemObject(s->images[i]);
  if (s->buffer)
    clReleaseMemObject(s->buffer);
  if (s->queue)
    clReleaseCommandQueue(s->queue);
  if (s->context)
    clReleaseContext(s->context);
}

static void run_session(const void *user, struct outcome *out) {
  struct session s = {0};
  (void)user;
  cl_int status = steps(&s), finished = s.queue ? CALL(&s, clFinish(s.queue)) : CL_SUCCESS;
  status = status ? status : finished;
  out->refused = is_lack(end_commands(&s)) || is_lack(status);
  if (out->ever)
    exhaust_end(); // a release waits until there is memory again
  release(&s);
  if (status) {
    out->fault = "the status is wrong";
    snprintf(out->detail, sizeof out->detail, "%d of %s", status, s.call);
    return;
  }
  for (int i = 0; i < COUNT; i++)
    if (s.pixels[i] != 0)
      out->fault = "the pixels are wrong";
}

static void nothing(const void *user) { (void)user; }

int main(int argc, char **argv) {
  uint32_t stride = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
  if (!stride) {
    fputs("usage: memory_driver NAME STRIDE\n", stderr);
    return 2;
  }
  setenv("COMPILE_OPENCL_DEVICES", argv[1], 1);
  setenv("COMPILE_CACHE", "off", 1);
  const struct walk walk = {argv[1], NULL, nothing, run_session, nothing};
  return walk_all(&walk, stride) ? 0 : 1;
}
