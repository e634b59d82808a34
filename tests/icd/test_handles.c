// A handle of another kind, or none, gives the standard's code in every call that takes one.
#include "command_buffer.h"
#include "usm.h"

static const char source[] = "kernel void add(global int *x) { *x += 1; }";

static size_t one[3] = {1, 1, 1}, zero[3];
static char text[64];
static size_t size;
static cl_int status;

static void CL_CALLBACK on_event(cl_event e, cl_int s, void *u) { (void)e, (void)s, (void)u; }
static void CL_CALLBACK on_memory(cl_mem m, void *u) { (void)m, (void)u; }
static void CL_CALLBACK on_context(cl_context c, void *u) { (void)c, (void)u; }
static void CL_CALLBACK native(void *u) { (void)u; }

// Calls that give a handle and write the code.
#define CHECK_MADE(call, code)                                                                                         \
  do {                                                                                                                 \
    status = CL_SUCCESS;                                                                                               \
    CHECK((call) == NULL);                                                                                             \
    CHECK_CODE(status, code);                                                                                          \
  } while (0)

static void devices(void *wrong) {
  cl_device_id d = wrong;
  cl_ulong time;
  cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  if (wrong) { // without one, some loaders take the first platform
    CHECK_CODE(clGetPlatformInfo(wrong, CL_PLATFORM_NAME, sizeof text, text, NULL), CL_INVALID_PLATFORM);
    CHECK_CODE(clUnloadPlatformCompiler(wrong), CL_INVALID_PLATFORM);
  }
  CHECK_CODE(clGetDeviceInfo(d, CL_DEVICE_NAME, sizeof text, text, NULL), CL_INVALID_DEVICE);
  CHECK_CODE(clCreateSubDevices(d, equally, 0, NULL, NULL), CL_INVALID_DEVICE);
  CHECK_CODE(clRetainDevice(d), CL_INVALID_DEVICE);
  CHECK_CODE(clReleaseDevice(d), CL_INVALID_DEVICE);
  CHECK_CODE(clGetHostTimer(d, &time), CL_INVALID_DEVICE);
  CHECK_CODE(clGetDeviceAndHostTimer(d, &time, &time), CL_INVALID_DEVICE);
  CHECK_MADE(clCreateContext(NULL, 1, &d, NULL, NULL, &status), CL_INVALID_DEVICE);
}

static void contexts(void *wrong, const struct setup *s) {
  cl_context c = wrong;
  const char *lines = source;
  const unsigned char *binary = (const unsigned char *)source;
  cl_image_format format = {CL_RGBA, CL_FLOAT};
  cl_image_desc desc = {CL_MEM_OBJECT_IMAGE1D, 4};
  cl_device_id device = s->device;
  size = 8;
  CHECK_CODE(clRetainContext(c), CL_INVALID_CONTEXT);
  CHECK_CODE(clReleaseContext(c), CL_INVALID_CONTEXT);
  CHECK_CODE(clGetContextInfo(c, CL_CONTEXT_NUM_DEVICES, sizeof text, text, NULL), CL_INVALID_CONTEXT);
  CHECK_CODE(clSetContextDestructorCallback(c, on_context, NULL), CL_INVALID_CONTEXT);
  CHECK_CODE(clSetDefaultDeviceCommandQueue(c, device, s->queue), CL_INVALID_CONTEXT);
  CHECK_MADE(clCreateCommandQueue(c, device, 0, &status), CL_INVALID_CONTEXT);
  CHECK_MADE(clCreateCommandQueueWithProperties(c, device, NULL, &status), CL_INVALID_CONTEXT);
  CHECK_MADE(clCreateBuffer(c, 0, 4, NULL, &status), CL_INVALID_CONTEXT);
  CHECK_MADE(clCreateBufferWithProperties(c, NULL, 0, 4, NULL, &status), CL_INVALID_CONTEXT);
  CHECK_MADE(clCreateImage(c, 0, &format, &desc, NULL, &status), CL_INVALID_CONTEXT);
  CHECK_MADE(clCreateImageWithProperties(c, NULL, 0, &format, &desc, NULL, &status), CL_INVALID_CONTEXT);
  CHECK_MADE(clCreatePipe(c, 0, 4, 4, NULL, &status), CL_INVALID_CONTEXT);
  CHECK_MADE(clCreateSampler(c, 0, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &status), CL_INVALID_CONTEXT);
  CHECK_MADE(clCreateSamplerWithProperties(c, NULL, &status), CL_INVALID_CONTEXT);
  CHECK_CODE(clGetSupportedImageFormats(c, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, NULL), CL_INVALID_CONTEXT);
  CHECK_MADE(clCreateProgramWithSource(c, 1, &lines, NULL, &status), CL_INVALID_CONTEXT);
  CHECK_MADE(clCreateProgramWithBinary(c, 1, &device, &size, &binary, NULL, &status), CL_INVALID_CONTEXT);
  CHECK_MADE(clCreateProgramWithBuiltInKernels(c, 1, &device, "add", &status), CL_INVALID_CONTEXT);
  CHECK_MADE(clCreateProgramWithIL(c, source, sizeof source, &status), CL_INVALID_CONTEXT);
  CHECK_MADE(clLinkProgram(c, 0, NULL, "", 1, &(cl_program){NULL}, NULL, NULL, &status), CL_INVALID_CONTEXT);
  CHECK_MADE(clCreateUserEvent(c, &status), CL_INVALID_CONTEXT);
  CHECK(clSVMAlloc(c, CL_MEM_READ_WRITE, 16, 0) == NULL);
  clSVMFree(c, text);
  CHECK_MADE(clHostMemAllocINTEL_(c, NULL, 16, 0, &status), CL_INVALID_CONTEXT);
  CHECK_MADE(clDeviceMemAllocINTEL_(c, device, NULL, 16, 0, &status), CL_INVALID_CONTEXT);
  CHECK_MADE(clSharedMemAllocINTEL_(c, device, NULL, 16, 0, &status), CL_INVALID_CONTEXT);
  CHECK_CODE(clMemFreeINTEL_(c, text), CL_INVALID_CONTEXT);
  CHECK_CODE(clMemBlockingFreeINTEL_(c, text), CL_INVALID_CONTEXT);
  CHECK_CODE(clGetMemAllocInfoINTEL_(c, text, CL_MEM_ALLOC_SIZE_INTEL, sizeof size, &size, NULL), CL_INVALID_CONTEXT);
}

static void queues(void *wrong, cl_mem m, cl_kernel k) {
  cl_command_queue q = wrong;
  int x = 0;
  void *pointer = &x;
  const void *pointers[] = {&x};
  cl_event none = NULL;
#define CHECK_QUEUE(call) CHECK_CODE(call, CL_INVALID_COMMAND_QUEUE)
  CHECK_QUEUE(clRetainCommandQueue(q));
  CHECK_QUEUE(clReleaseCommandQueue(q));
  CHECK_QUEUE(clGetCommandQueueInfo(q, CL_QUEUE_CONTEXT, sizeof text, text, NULL));
  CHECK_QUEUE(clFlush(q));
  CHECK_QUEUE(clFinish(q));
  CHECK_QUEUE(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &x, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueWriteBuffer(q, m, CL_TRUE, 0, 4, &x, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueReadBufferRect(q, m, CL_TRUE, zero, zero, one, 0, 0, 0, 0, &x, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueWriteBufferRect(q, m, CL_TRUE, zero, zero, one, 0, 0, 0, 0, &x, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueCopyBuffer(q, m, m, 0, 64, 4, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueCopyBufferRect(q, m, m, zero, one, one, 0, 0, 0, 0, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueFillBuffer(q, m, &x, 4, 0, 4, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueMigrateMemObjects(q, 1, &m, 0, 0, NULL, NULL));
  CHECK_MADE(clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &status), CL_INVALID_COMMAND_QUEUE);
  CHECK_QUEUE(clEnqueueReadImage(q, m, CL_TRUE, zero, one, 0, 0, &x, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueWriteImage(q, m, CL_TRUE, zero, one, 0, 0, &x, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueFillImage(q, m, text, zero, one, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueCopyImage(q, m, m, zero, zero, one, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueCopyImageToBuffer(q, m, m, zero, one, 0, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueCopyBufferToImage(q, m, m, 0, zero, one, 0, NULL, NULL));
  CHECK_MADE(clEnqueueMapImage(q, m, CL_TRUE, CL_MAP_READ, zero, one, &size, NULL, 0, NULL, NULL, &status),
             CL_INVALID_COMMAND_QUEUE);
  CHECK_QUEUE(clEnqueueUnmapMemObject(q, m, &x, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueNDRangeKernel(q, k, 1, NULL, one, NULL, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueTask(q, k, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueNativeKernel(q, native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueMarkerWithWaitList(q, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueMarker(q, &none));
  CHECK_QUEUE(clEnqueueBarrier(q));
  CHECK_QUEUE(clEnqueueWaitForEvents(q, 1, &none));
  CHECK_QUEUE(clEnqueueSVMMemcpy(q, CL_TRUE, &x, text, 4, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueSVMMemFill(q, &x, &x, 4, 4, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, &x, 4, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueSVMUnmap(q, &x, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueSVMFree(q, 1, &pointer, NULL, NULL, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueSVMMigrateMem(q, 1, pointers, NULL, 0, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueMemcpyINTEL_(q, CL_TRUE, &x, text, 4, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueMemFillINTEL_(q, &x, &x, 4, 4, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueMemsetINTEL_(q, &x, 1, 4, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueMigrateMemINTEL_(q, &x, 4, 0, 0, NULL, NULL));
  CHECK_QUEUE(clEnqueueMemAdviseINTEL_(q, &x, 4, 0, 0, NULL, NULL));
}

// wrong is a handle of neither kind.
static void memory(void *wrong, const struct setup *s, cl_mem m, cl_kernel k) {
  cl_mem w = wrong;
  cl_command_queue q = s->queue;
  int x = 0;
  cl_buffer_region region = {0, 4};
#define CHECK_MEMORY(call) CHECK_CODE(call, CL_INVALID_MEM_OBJECT)
  CHECK_MEMORY(clRetainMemObject(w));
  CHECK_MEMORY(clReleaseMemObject(w));
  CHECK_MEMORY(clGetMemObjectInfo(w, CL_MEM_SIZE, sizeof text, text, NULL));
  CHECK_MEMORY(clSetMemObjectDestructorCallback(w, on_memory, NULL));
  CHECK_MEMORY(clGetPipeInfo(w, CL_PIPE_PACKET_SIZE, sizeof text, text, NULL));
  CHECK_MADE(clCreateSubBuffer(w, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status), CL_INVALID_MEM_OBJECT);
  CHECK_MEMORY(clEnqueueReadBuffer(q, w, CL_TRUE, 0, 4, &x, 0, NULL, NULL));
  CHECK_MEMORY(clEnqueueWriteBuffer(q, w, CL_TRUE, 0, 4, &x, 0, NULL, NULL));
  CHECK_MEMORY(clEnqueueReadBufferRect(q, w, CL_TRUE, zero, zero, one, 0, 0, 0, 0, &x, 0, NULL, NULL));
  CHECK_MEMORY(clEnqueueWriteBufferRect(q, w, CL_TRUE, zero, zero, one, 0, 0, 0, 0, &x, 0, NULL, NULL));
  CHECK_MEMORY(clEnqueueCopyBuffer(q, w, m, 0, 64, 4, 0, NULL, NULL));
  CHECK_MEMORY(clEnqueueCopyBuffer(q, m, w, 0, 64, 4, 0, NULL, NULL));
  CHECK_MEMORY(clEnqueueCopyBufferRect(q, w, m, zero, one, one, 0, 0, 0, 0, 0, NULL, NULL));
  CHECK_MEMORY(clEnqueueCopyBufferRect(q, m, w, zero, one, one, 0, 0, 0, 0, 0, NULL, NULL));
  CHECK_MEMORY(clEnqueueFillBuffer(q, w, &x, 4, 0, 4, 0, NULL, NULL));
  CHECK_MEMORY(clEnqueueMigrateMemObjects(q, 1, &w, 0, 0, NULL, NULL));
  CHECK_MADE(clEnqueueMapBuffer(q, w, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &status), CL_INVALID_MEM_OBJECT);
  CHECK_MEMORY(clEnqueueUnmapMemObject(q, w, &x, 0, NULL, NULL));
  CHECK_CODE(clSetKernelArg(k, 0, sizeof w, &w), w ? CL_INVALID_MEM_OBJECT : CL_SUCCESS);
}

// Neither a handle of another kind nor a buffer is an image, nor is a handle of another kind a sampler.
static void images(void *wrong, const struct setup *s, cl_mem m) {
  cl_command_queue q = s->queue;
  int x = 0;
  for (int i = 0; i < 2; i++) {
    cl_mem w = i ? m : wrong;
    CHECK_MEMORY(clGetImageInfo(w, CL_IMAGE_WIDTH, sizeof text, text, NULL));
    CHECK_MEMORY(clEnqueueReadImage(q, w, CL_TRUE, zero, one, 0, 0, &x, 0, NULL, NULL));
    CHECK_MEMORY(clEnqueueWriteImage(q, w, CL_TRUE, zero, one, 0, 0, &x, 0, NULL, NULL));
    CHECK_MEMORY(clEnqueueFillImage(q, w, text, zero, one, 0, NULL, NULL));
    CHECK_MEMORY(clEnqueueCopyImage(q, w, w, zero, zero, one, 0, NULL, NULL));
    CHECK_MEMORY(clEnqueueCopyImageToBuffer(q, w, m, zero, one, 0, 0, NULL, NULL));
    CHECK_MEMORY(clEnqueueCopyBufferToImage(q, m, w, 0, zero, one, 0, NULL, NULL));
    CHECK_MADE(clEnqueueMapImage(q, w, CL_TRUE, CL_MAP_READ, zero, one, &size, NULL, 0, NULL, NULL, &status),
               CL_INVALID_MEM_OBJECT);
  }
  CHECK_CODE(clRetainSampler(wrong), CL_INVALID_SAMPLER);
  CHECK_CODE(clReleaseSampler(wrong), CL_INVALID_SAMPLER);
  CHECK_CODE(clGetSamplerInfo(wrong, CL_SAMPLER_CONTEXT, sizeof text, text, NULL), CL_INVALID_SAMPLER);
}

static void programs(void *wrong, const struct setup *s) {
  cl_program p = wrong;
  const char *name = "header";
  cl_kernel kernel;
#define CHECK_PROGRAM(call) CHECK_CODE(call, CL_INVALID_PROGRAM)
  CHECK_PROGRAM(clRetainProgram(p));
  CHECK_PROGRAM(clReleaseProgram(p));
  CHECK_PROGRAM(clBuildProgram(p, 0, NULL, "", NULL, NULL));
  CHECK_PROGRAM(clCompileProgram(p, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
  CHECK_PROGRAM(clGetProgramInfo(p, CL_PROGRAM_NUM_DEVICES, sizeof text, text, NULL));
  CHECK_PROGRAM(clGetProgramBuildInfo(p, s->device, CL_PROGRAM_BUILD_STATUS, sizeof text, text, NULL));
  CHECK_PROGRAM(clSetProgramSpecializationConstant(p, 0, 4, text));
  CHECK_PROGRAM(clCreateKernelsInProgram(p, 1, &kernel, NULL));
  CHECK_MADE(clCreateKernel(p, "add", &status), CL_INVALID_PROGRAM);
  CHECK_MADE(clLinkProgram(s->context, 0, NULL, "", 1, &p, NULL, NULL, &status), CL_INVALID_PROGRAM);
  cl_program good = build(s, source, "");
  CHECK_CODE(clCompileProgram(good, 0, NULL, "", 1, &p, &name, NULL, NULL), CL_INVALID_PROGRAM);
  CHECK_OK(clReleaseProgram(good));
}

static void kernels(void *wrong, const struct setup *s) {
  cl_kernel k = wrong;
#define CHECK_KERNEL(call) CHECK_CODE(call, CL_INVALID_KERNEL)
  CHECK_KERNEL(clRetainKernel(k));
  CHECK_KERNEL(clReleaseKernel(k));
  CHECK_KERNEL(clSetKernelArg(k, 0, 4, text));
  CHECK_KERNEL(clSetKernelArgSVMPointer(k, 0, text));
  CHECK_KERNEL(clSetKernelArgMemPointerINTEL_(k, 0, text));
  CHECK_KERNEL(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(void *), text));
  CHECK_KERNEL(clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof text, text, NULL));
  CHECK_KERNEL(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
  CHECK_KERNEL(clGetKernelWorkGroupInfo(k, s->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof text, text, NULL));
  CHECK_KERNEL(clGetKernelSubGroupInfo(k, s->device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof text, text, NULL));
  CHECK_MADE(clCloneKernel(k, &status), CL_INVALID_KERNEL);
  CHECK_KERNEL(clEnqueueNDRangeKernel(s->queue, k, 1, NULL, one, NULL, 0, NULL, NULL));
  CHECK_KERNEL(clEnqueueTask(s->queue, k, 0, NULL, NULL));
}

static void events(void *wrong, const struct setup *s) {
  cl_event e = wrong;
  CHECK_CODE(clRetainEvent(e), CL_INVALID_EVENT);
  CHECK_CODE(clReleaseEvent(e), CL_INVALID_EVENT);
  CHECK_CODE(clWaitForEvents(1, &e), CL_INVALID_EVENT);
  CHECK_CODE(clSetUserEventStatus(e, CL_COMPLETE), CL_INVALID_EVENT);
  CHECK_CODE(clSetEventCallback(e, CL_COMPLETE, on_event, NULL), CL_INVALID_EVENT);
  CHECK_CODE(clGetEventInfo(e, CL_EVENT_CONTEXT, sizeof text, text, NULL), CL_INVALID_EVENT);
  CHECK_CODE(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof text, text, NULL), CL_INVALID_EVENT);
  CHECK_CODE(clEnqueueMarkerWithWaitList(s->queue, 1, &e, NULL), CL_INVALID_EVENT_WAIT_LIST);
  CHECK_CODE(clEnqueueBarrierWithWaitList(s->queue, 1, &e, NULL), CL_INVALID_EVENT_WAIT_LIST);
  CHECK_CODE(clEnqueueWaitForEvents(s->queue, 1, &e), CL_INVALID_EVENT);
}

// wrong is a handle of neither kind, m a buffer, b a command buffer that records.
static void command_buffers(void *wrong, const struct setup *s, cl_mem m, cl_kernel k, cl_command_buffer_khr b) {
  cl_command_buffer_khr w = wrong;
  cl_command_queue q = wrong;
  int x = 0;
#define CHECK_COMMANDS(call) CHECK_CODE(call, CL_INVALID_COMMAND_BUFFER_KHR)
  CHECK_MADE(clCreateCommandBufferKHR_(1, &q, NULL, &status), CL_INVALID_COMMAND_QUEUE);
  CHECK_COMMANDS(clRetainCommandBufferKHR_(w));
  CHECK_COMMANDS(clReleaseCommandBufferKHR_(w));
  CHECK_COMMANDS(clFinalizeCommandBufferKHR_(w));
  CHECK_COMMANDS(clEnqueueCommandBufferKHR_(0, NULL, w, 0, NULL, NULL));
  CHECK_CODE(clEnqueueCommandBufferKHR_(1, &q, b, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
  CHECK_COMMANDS(clGetCommandBufferInfoKHR_(w, CL_COMMAND_BUFFER_STATE_KHR, sizeof text, text, NULL));
  CHECK_COMMANDS(clUpdateMutableCommandsKHR_(w, 0, NULL, NULL));
  CHECK_CODE(clGetMutableCommandInfoKHR_(wrong, CL_MUTABLE_DISPATCH_KERNEL_KHR, sizeof text, text, NULL),
             CL_INVALID_MUTABLE_COMMAND_KHR);
  CHECK_COMMANDS(clCommandBarrierWithWaitListKHR_(w, NULL, NULL, PLAIN));
  CHECK_COMMANDS(clCommandCopyBufferKHR_(w, NULL, NULL, m, m, 0, 64, 4, PLAIN));
  CHECK_COMMANDS(clCommandCopyBufferRectKHR_(w, NULL, NULL, m, m, zero, one, one, 0, 0, 0, 0, PLAIN));
  CHECK_COMMANDS(clCommandCopyBufferToImageKHR_(w, NULL, NULL, m, m, 0, zero, one, PLAIN));
  CHECK_COMMANDS(clCommandCopyImageKHR_(w, NULL, NULL, m, m, zero, zero, one, PLAIN));
  CHECK_COMMANDS(clCommandCopyImageToBufferKHR_(w, NULL, NULL, m, m, zero, one, 0, PLAIN));
  CHECK_COMMANDS(clCommandFillBufferKHR_(w, NULL, NULL, m, &x, 4, 0, 4, PLAIN));
  CHECK_COMMANDS(clCommandFillImageKHR_(w, NULL, NULL, m, &x, zero, one, PLAIN));
  CHECK_COMMANDS(clCommandSVMMemcpyKHR_(w, NULL, NULL, &x, text, 4, PLAIN));
  CHECK_COMMANDS(clCommandSVMMemFillKHR_(w, NULL, NULL, &x, text, 4, 4, PLAIN));
  CHECK_COMMANDS(clCommandNDRangeKernelKHR_(w, NULL, NULL, k, 1, NULL, one, NULL, PLAIN));
  CHECK_KERNEL(clCommandNDRangeKernelKHR_(b, NULL, NULL, wrong, 1, NULL, one, NULL, PLAIN));
  CHECK_MEMORY(clCommandCopyBufferKHR_(b, NULL, NULL, wrong, m, 0, 64, 4, PLAIN));
  CHECK_MEMORY(clCommandCopyBufferKHR_(b, NULL, NULL, m, wrong, 0, 64, 4, PLAIN));
  CHECK_MEMORY(clCommandCopyBufferRectKHR_(b, NULL, NULL, wrong, m, zero, one, one, 0, 0, 0, 0, PLAIN));
  CHECK_MEMORY(clCommandCopyBufferRectKHR_(b, NULL, NULL, m, wrong, zero, one, one, 0, 0, 0, 0, PLAIN));
  CHECK_MEMORY(clCommandFillBufferKHR_(b, NULL, NULL, wrong, &x, 4, 0, 4, PLAIN));
  for (int i = 0; i < 2; i++) {
    cl_mem image = i ? m : wrong;
    CHECK_MEMORY(clCommandCopyBufferToImageKHR_(b, NULL, NULL, m, image, 0, zero, one, PLAIN));
    CHECK_MEMORY(clCommandCopyImageKHR_(b, NULL, NULL, image, image, zero, zero, one, PLAIN));
    CHECK_MEMORY(clCommandCopyImageToBufferKHR_(b, NULL, NULL, image, m, zero, one, 0, PLAIN));
    CHECK_MEMORY(clCommandFillImageKHR_(b, NULL, NULL, image, text, zero, one, PLAIN));
  }
  CHECK_CODE(clRetainMemObject((cl_mem)b), CL_INVALID_MEM_OBJECT);
  CHECK_CODE(clFinish((cl_command_queue)b), CL_INVALID_COMMAND_QUEUE);
  CHECK_CODE(clCommandBarrierWithWaitListKHR_(b, s->queue, NULL, PLAIN), CL_INVALID_COMMAND_QUEUE);
}

int main(void) {
  struct setup s = setup_open(0);
  usm_find(s.platform);
  command_buffer_find(s.platform);
  cl_uint before[KINDS];
  count_objects(s.platform, before);
  cl_program program = build(&s, source, "");
  cl_kernel kernel = kernel_of(program, "add");
  cl_mem mem = buffer_of(&s, 0, 256, NULL);
  cl_command_buffer_khr buffer = clCreateCommandBufferKHR_(1, &s.queue, NULL, NULL);
  for (int i = 0; i < 2; i++) {
    devices(i ? kernel : NULL);
    contexts(i ? kernel : NULL, &s);
    queues(i ? kernel : NULL, mem, kernel);
    memory(i ? program : NULL, &s, mem, kernel);
    images(i ? program : NULL, &s, mem);
    programs(i ? kernel : NULL, &s);
    kernels(i ? program : NULL, &s);
    events(i ? program : NULL, &s);
    command_buffers(i ? program : NULL, &s, mem, kernel, buffer);
  }
  CHECK_OK(clReleaseCommandBufferKHR_(buffer));
  CHECK_OK(clReleaseMemObject(mem));
  CHECK_OK(clReleaseKernel(kernel));
  CHECK_OK(clReleaseProgram(program));
  CHECK(same_objects(s.platform, before));
  setup_close(&s);
  return failures != 0;
}
