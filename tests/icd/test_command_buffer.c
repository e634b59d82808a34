// Command buffers: what is recorded does what the same commands do when they are enqueued, any number of times, on any
// queue, after any wait list; launches are changed between runs, also while runs are held back; who keeps what.
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include "command_buffer.h"
#include "refusals.h"

#define SIZE 256
#define COUNT (SIZE / sizeof(int))

static const char source[] =
    "kernel void add(global int *to, int n) { to[get_global_id(0)] += n; }\n"
    "kernel void where(global int *to) {\n"
    "  size_t i = get_global_id(0) - get_global_offset(0);\n"
    "  to[i] = get_global_id(0) * 10000 + get_local_size(0) * 100 + get_num_groups(0);\n"
    "}\n"
    "kernel void shade(read_only image2d_t from, sampler_t s, local int *t, global int *to) {\n"
    "  int i = get_global_id(0);\n"
    "  *t = read_imageui(from, s, (int2)(i, 0)).x; to[i] = *t;\n"
    "}\n"
    "kernel void wide(global float8 *x) { *x += 1; }\n";

static struct setup s, other;
static cl_mem m, to, image, foreign;
static cl_program program;
static char bytes[2 * SIZE];
static const size_t zero[3], one[3] = {1, 1, 1};
static const size_t items = COUNT;

// ---- helpers

static cl_command_buffer_khr buffer_with(cl_command_queue queue, cl_command_buffer_flags_khr flags) {
  const cl_command_buffer_properties_khr properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
  cl_command_buffer_khr buffer = clCreateCommandBufferKHR_(1, &queue, properties, &status);
  CHECK_OK(status);
  return buffer;
}

static void run_now(cl_command_buffer_khr buffer) {
  CHECK_OK(clEnqueueCommandBufferKHR_(0, NULL, buffer, 0, NULL, NULL));
  CHECK_OK(clFinish(s.queue));
}

static cl_command_buffer_state_khr state_of(cl_command_buffer_khr buffer) {
  cl_command_buffer_state_khr state = 99;
  CHECK_OK(clGetCommandBufferInfoKHR_(buffer, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state, NULL));
  return state;
}

static int first_of(cl_mem mem) {
  int value = -1;
  CHECK_OK(clEnqueueReadBuffer(s.queue, mem, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
  return value;
}

static void set_all(cl_mem mem, int value) {
  CHECK_OK(clEnqueueFillBuffer(s.queue, mem, &value, sizeof value, 0, SIZE, 0, NULL, NULL));
}

// A kernel "add" of its own with its arguments.
static cl_kernel add_of(cl_mem mem, int n) {
  cl_kernel add = kernel_of(program, "add");
  CHECK_OK(clSetKernelArg(add, 0, sizeof mem, &mem));
  CHECK_OK(clSetKernelArg(add, 1, sizeof n, &n));
  return add;
}

static cl_int update_one(cl_command_buffer_khr buffer, struct icd_mutable_config config) {
  const cl_command_buffer_update_type_khr type = CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
  const void *configs[] = {&config};
  return clUpdateMutableCommandsKHR_(buffer, 1, &type, configs);
}

// Changes the number that a launch of "add" adds.
static cl_int set_number(cl_command_buffer_khr buffer, cl_mutable_command_khr command, int n) {
  const struct icd_mutable_arg arg = {1, sizeof n, &n};
  return update_one(buffer, (struct icd_mutable_config){command, .arg_count = 1, .args = &arg});
}

// ---- refusals

static void refusals(void) {
  cl_command_queue two_queues[] = {s.queue, clCreateCommandQueue(s.context, s.device, 0, &status)};
  cl_kernel add = add_of(m, 1), unset = kernel_of(program, "add");
  cl_mutable_command_khr no_handle, handle, sizes;
  cl_sync_point_khr point = 0;
  const cl_command_properties_khr one_field[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                                 CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, 0};
  cl_command_buffer_khr b = buffer_with(s.queue, 0), done = buffer_with(s.queue, CL_COMMAND_BUFFER_MUTABLE_KHR),
                        fixed_one = buffer_with(s.queue, 0), also = buffer_with(s.queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
  CHECK_OK(clCommandBarrierWithWaitListKHR_(b, NULL, NULL, 0, NULL, &point, NULL));
  CHECK_OK(clCommandNDRangeKernelKHR_(done, NULL, NULL, add, 1, NULL, SIZES(8, 0, 0), SIZES(4, 0, 0), 0, NULL, NULL,
                                      &handle));
  CHECK_OK(clCommandNDRangeKernelKHR_(done, NULL, one_field, add, 1, NULL, one, NULL, 0, NULL, NULL, &sizes));
  CHECK_OK(clFinalizeCommandBufferKHR_(done));
  CHECK_OK(clFinalizeCommandBufferKHR_(fixed_one));
  CHECK_OK(clFinalizeCommandBufferKHR_(also));
#include "refusals/command_buffers.def"
  CHECK_OK(clFinish(two_queues[1]));
  CHECK_OK(clReleaseCommandBufferKHR_(b));
  CHECK_OK(clReleaseCommandBufferKHR_(done));
  CHECK_OK(clReleaseCommandBufferKHR_(fixed_one));
  CHECK_OK(clReleaseCommandBufferKHR_(also));
  CHECK_OK(clReleaseCommandQueue(two_queues[1]));
  CHECK_OK(clReleaseKernel(add));
  CHECK_OK(clReleaseKernel(unset));
}

// Queues of two devices of a context, where the device can be parted.
static void two_devices(void) {
  const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id parts[64];
  cl_uint count = 0;
  if (clCreateSubDevices(s.device, equally, 64, parts, &count) != CL_SUCCESS || count < 2)
    return;
  cl_context context = clCreateContext(NULL, 2, parts, NULL, NULL, &status);
  CHECK_OK(status);
  cl_command_queue queues[2];
  for (int i = 0; i < 2; i++)
    queues[i] = clCreateCommandQueue(context, parts[i], 0, &status);
  cl_mem mem = clCreateBuffer(context, 0, SIZE, NULL, &status);
  cl_command_buffer_khr buffer = buffer_with(queues[1], 0);
  int value = 0;
  CHECK_OK(clCommandFillBufferKHR_(buffer, NULL, NULL, mem, &(int){17}, 4, 0, SIZE, PLAIN));
  CHECK_OK(clFinalizeCommandBufferKHR_(buffer));
  CHECK_CODE(clEnqueueCommandBufferKHR_(1, &queues[0], buffer, 0, NULL, NULL), CL_INVALID_DEVICE);
  CHECK_OK(clEnqueueCommandBufferKHR_(1, &queues[1], buffer, 0, NULL, NULL));
  CHECK_OK(clEnqueueReadBuffer(queues[1], mem, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
  CHECK(value == 17);
  CHECK_OK(clReleaseCommandBufferKHR_(buffer));
  CHECK_OK(clReleaseMemObject(mem));
  for (int i = 0; i < 2; i++)
    CHECK_OK(clReleaseCommandQueue(queues[i]));
  CHECK_OK(clReleaseContext(context));
  for (cl_uint i = 0; i < count; i++)
    CHECK_OK(clReleaseDevice(parts[i]));
}

// ---- queries

#define INFO(call, of, name, type, expected)                                                                           \
  {                                                                                                                    \
    type value;                                                                                                        \
    size_t size = 0;                                                                                                   \
    memset(&value, 0x5a, sizeof value);                                                                                \
    CHECK_OK(call(of, name, sizeof value, &value, &size));                                                             \
    CHECK(size == sizeof(type) && value == (expected));                                                                \
    CHECK_CODE(call(of, name, sizeof(type) - 1, &value, NULL), CL_INVALID_VALUE);                                      \
  }

static void queries(void) {
  INFO(clGetDeviceInfo, s.device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, cl_bitfield, 5)
  INFO(clGetDeviceInfo, s.device, CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR, cl_bitfield, 3)
  INFO(clGetDeviceInfo, s.device, CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, cl_bitfield, 0)
  INFO(clGetDeviceInfo, s.device, CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR, cl_bitfield, 31)
  cl_command_buffer_khr buffer = buffer_with(s.queue, CL_COMMAND_BUFFER_MUTABLE_KHR),
                        plain = clCreateCommandBufferKHR_(1, &s.queue, NULL, NULL);
  cl_command_buffer_properties_khr properties[4];
  size_t size = 99;
  CHECK_OK(clGetCommandBufferInfoKHR_(plain, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, 0, NULL, &size));
  CHECK(size == 0);
  CHECK_OK(clReleaseCommandBufferKHR_(plain));
  CHECK_OK(
      clGetCommandBufferInfoKHR_(buffer, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, sizeof properties, properties, &size));
  CHECK(size == 3 * sizeof *properties && properties[0] == CL_COMMAND_BUFFER_FLAGS_KHR &&
        properties[1] == CL_COMMAND_BUFFER_MUTABLE_KHR && properties[2] == 0);
  INFO(clGetCommandBufferInfoKHR_, buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, cl_uint, 1)
  INFO(clGetCommandBufferInfoKHR_, buffer, CL_COMMAND_BUFFER_QUEUES_KHR, cl_command_queue, s.queue)
  INFO(clGetCommandBufferInfoKHR_, buffer, CL_COMMAND_BUFFER_CONTEXT_KHR, cl_context, s.context)
  INFO(clGetCommandBufferInfoKHR_, buffer, CL_COMMAND_BUFFER_STATE_KHR, cl_uint, CL_COMMAND_BUFFER_STATE_RECORDING_KHR)
  CHECK_OK(clRetainCommandBufferKHR_(buffer));
  INFO(clGetCommandBufferInfoKHR_, buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, cl_uint, 2)
  CHECK_OK(clReleaseCommandBufferKHR_(buffer));
  CHECK_CODE(clGetCommandBufferInfoKHR_(buffer, 0x4711, sizeof size, &size, NULL), CL_INVALID_VALUE);
  // Of a launch
  const cl_command_properties_khr fields[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                              CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, 0};
  cl_kernel add = add_of(m, 1);
  cl_mutable_command_khr one_of, plain_one;
  size_t sizes[3];
  CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, fields, add, 2, SIZES(1, 0, 0), SIZES(6, 1, 0), SIZES(2, 1, 0), 0,
                                      NULL, NULL, &one_of));
  CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, one, NULL, 0, NULL, NULL, &plain_one));
  INFO(clGetMutableCommandInfoKHR_, one_of, CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR, cl_command_queue, s.queue)
  INFO(clGetMutableCommandInfoKHR_, one_of, CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR, cl_command_buffer_khr, buffer)
  INFO(clGetMutableCommandInfoKHR_, one_of, CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR, cl_uint, CL_COMMAND_NDRANGE_KERNEL)
  INFO(clGetMutableCommandInfoKHR_, one_of, CL_MUTABLE_DISPATCH_KERNEL_KHR, cl_kernel, add)
  INFO(clGetMutableCommandInfoKHR_, one_of, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, cl_uint, 2)
  CHECK_OK(clGetMutableCommandInfoKHR_(one_of, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR, sizeof properties, properties,
                                       &size));
  CHECK(size == sizeof fields && memcmp(properties, fields, size) == 0);
  CHECK_OK(clGetMutableCommandInfoKHR_(plain_one, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR, 0, NULL, &size));
  CHECK(size == 0);
  CHECK_OK(clFinalizeCommandBufferKHR_(buffer));
  CHECK_OK(update_one(buffer, (struct icd_mutable_config){one_of, .global = SIZES(8, 1, 0)}));
  CHECK_CODE(update_one(buffer, (struct icd_mutable_config){one_of, .global = SIZES(9, 1, 0)}), CL_INVALID_OPERATION);
  CHECK_OK(clGetMutableCommandInfoKHR_(one_of, CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR, sizeof sizes, sizes, &size));
  CHECK(size == 2 * sizeof *sizes && sizes[0] == 8 && sizes[1] == 1);
  CHECK_OK(clGetMutableCommandInfoKHR_(one_of, CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR, sizeof sizes, sizes, &size));
  CHECK(size == 2 * sizeof *sizes && sizes[0] == 1 && sizes[1] == 0);
  CHECK_OK(clGetMutableCommandInfoKHR_(one_of, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR, sizeof sizes, sizes, &size));
  CHECK(size == 2 * sizeof *sizes && sizes[0] == 2 && sizes[1] == 1);
  CHECK_OK(clGetMutableCommandInfoKHR_(plain_one, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR, sizeof sizes, sizes, &size));
  CHECK(size == sizeof *sizes && sizes[0] == 0);
  CHECK_CODE(clGetMutableCommandInfoKHR_(one_of, 0x4711, sizeof size, &size, NULL), CL_INVALID_VALUE);
  CHECK_CODE(clGetMutableCommandInfoKHR_((void *)add, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, sizeof size, &size, NULL),
             CL_INVALID_MUTABLE_COMMAND_KHR);
  CHECK_OK(clReleaseKernel(add));
  CHECK_OK(clReleaseCommandBufferKHR_(buffer));
}

// ---- recorded and enqueued commands do the same

static unsigned random_state = 1;
static size_t draw(size_t below) {
  random_state = random_state * 1103515245u + 12345u;
  return (random_state >> 8) % below;
}

struct objects {
  cl_mem buffers[3], image;
};

static struct objects new_objects(void) {
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
  struct objects o;
  for (int i = 0; i < 3; i++) {
    o.buffers[i] = buffer_of(&s, 0, SIZE, NULL);
    set_all(o.buffers[i], 7 + i);
  }
  o.image = clCreateImage(s.context, 0, &(cl_image_format){CL_RGBA, CL_UNSIGNED_INT8}, &desc, NULL, &status);
  CHECK_OK(status);
  CHECK_OK(clEnqueueFillImage(s.queue, o.image, (cl_uint[]){1, 2, 3, 4}, zero, SIZES(8, 8, 1), 0, NULL, NULL));
  return o;
}

static void release_objects(const struct objects *o) {
  for (int i = 0; i < 3; i++)
    CHECK_OK(clReleaseMemObject(o->buffers[i]));
  CHECK_OK(clReleaseMemObject(o->image));
}

// One of all commands, the same for the same numbers: recorded, or enqueued without a buffer.
static void any_command(const struct objects *o, cl_command_buffer_khr b) {
  size_t from = draw(3), dst = (from + 1 + draw(2)) % 3, offset = 4 * draw(16), size = 4 * draw(32);
  cl_mem source_mem = o->buffers[from], target = o->buffers[dst];
  const size_t at[3] = {draw(2), draw(8), 0}, second[3] = {4, draw(8), 0}, region[3] = {1 + draw(3), 1, 1};
  const cl_uint color[4] = {(cl_uint)draw(200), 5, 6, 7};
  int pattern = (int)draw(1000);
  cl_kernel add = add_of(target, pattern), shade = kernel_of(program, "shade");
  cl_sampler sampler = clCreateSampler(s.context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &status);
  CHECK_OK(clSetKernelArg(shade, 0, sizeof o->image, &o->image));
  CHECK_OK(clSetKernelArg(shade, 1, sizeof sampler, &sampler));
  CHECK_OK(clSetKernelArg(shade, 2, 16, NULL));
  CHECK_OK(clSetKernelArg(shade, 3, sizeof target, &target));
#define BOTH(name, ...)                                                                                                \
  status = b ? clCommand##name##KHR_(b, NULL, NULL, __VA_ARGS__, PLAIN)                                                \
             : clEnqueue##name(s.queue, __VA_ARGS__, 0, NULL, NULL);                                                   \
  CHECK_OK(status);                                                                                                    \
  break;
  switch (draw(10)) {
  case 0:
    BOTH(CopyBuffer, source_mem, target, offset, 4 * draw(16), size)
  case 1:
    BOTH(CopyBufferRect, source_mem, target, at, second, region, 16, 128, 16, 128)
  case 2:
    BOTH(CopyBufferToImage, source_mem, o->image, offset, at, region)
  case 3:
    BOTH(CopyImage, o->image, o->image, at, second, region)
  case 4:
    BOTH(CopyImageToBuffer, o->image, target, at, region, offset)
  case 5:
    BOTH(FillBuffer, target, &pattern, sizeof pattern, offset, size)
  case 6:
    BOTH(FillImage, o->image, color, at, region)
  case 7:
    status = b ? clCommandBarrierWithWaitListKHR_(b, NULL, NULL, PLAIN)
               : clEnqueueBarrierWithWaitList(s.queue, 0, NULL, NULL);
    CHECK_OK(status);
    break;
  case 8:
    BOTH(NDRangeKernel, shade, 1, NULL, SIZES(8, 0, 0), SIZES(1, 0, 0))
  default:
    BOTH(NDRangeKernel, add, 1, NULL, SIZES(draw(8) * 4, 0, 0), NULL)
  }
  CHECK_OK(clReleaseSampler(sampler)); // of both kernels the command has what it needs
  CHECK_OK(clReleaseKernel(add));
  CHECK_OK(clReleaseKernel(shade));
}

static void same_content(const struct objects *a, const struct objects *b) {
  for (int i = 0; i < 4; i++) {
    char of_a[SIZE], of_b[SIZE];
    for (int k = 0; k < 2; k++) {
      const struct objects *o = k ? b : a;
      char *out = k ? of_b : of_a;
      if (i < 3)
        CHECK_OK(clEnqueueReadBuffer(s.queue, o->buffers[i], CL_TRUE, 0, SIZE, out, 0, NULL, NULL));
      else
        CHECK_OK(clEnqueueReadImage(s.queue, o->image, CL_TRUE, zero, SIZES(8, 8, 1), 0, 0, out, 0, NULL, NULL));
    }
    CHECK(memcmp(of_a, of_b, SIZE) == 0);
  }
}

static void compare(void) {
  struct objects recorded = new_objects(), enqueued = new_objects();
  for (unsigned round = 0; round < 20; round++) {
    cl_command_buffer_khr buffer = buffer_with(s.queue, 0);
    unsigned seed = round * 977 + 5, count = round == 0 ? 0 : 5 + round * 3;
    random_state = seed;
    for (unsigned i = 0; i < count; i++)
      any_command(&recorded, buffer);
    CHECK_OK(clFinalizeCommandBufferKHR_(buffer));
    for (int run = 0; run < 3; run++) {
      CHECK_OK(clEnqueueCommandBufferKHR_(0, NULL, buffer, 0, NULL, NULL));
      random_state = seed;
      for (unsigned i = 0; i < count; i++)
        any_command(&enqueued, NULL);
      same_content(&recorded, &enqueued);
    }
    CHECK_OK(clReleaseCommandBufferKHR_(buffer));
  }
  release_objects(&recorded);
  release_objects(&enqueued);
}

static void shared_memory(void) {
  cl_device_svm_capabilities caps = 0;
  CHECK_OK(clGetDeviceInfo(s.device, CL_DEVICE_SVM_CAPABILITIES, sizeof caps, &caps, NULL));
  cl_command_buffer_khr buffer = buffer_with(s.queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
  int *memory = clSVMAlloc(s.context, CL_MEM_READ_WRITE, SIZE, 0), pattern = 5;
  if (!caps) {
    CHECK_CODE(clCommandSVMMemcpyKHR_(buffer, NULL, NULL, bytes, bytes + 8, 8, PLAIN), CL_INVALID_OPERATION);
    CHECK_CODE(clCommandSVMMemFillKHR_(buffer, NULL, NULL, bytes, "a", 1, 8, PLAIN), CL_INVALID_OPERATION);
    CHECK_OK(clReleaseCommandBufferKHR_(buffer));
    return;
  }
  cl_kernel add = kernel_of(program, "add");
  cl_mutable_command_khr handle;
  CHECK_OK(clSetKernelArgSVMPointer(add, 0, memory));
  CHECK_OK(clSetKernelArg(add, 1, sizeof pattern, &pattern));
  CHECK_CODE(clCommandSVMMemFillKHR_(buffer, NULL, NULL, memory, &pattern, 3, 3, PLAIN), CL_INVALID_VALUE);
  CHECK_CODE(clCommandSVMMemcpyKHR_(buffer, NULL, NULL, memory, NULL, 4, PLAIN), CL_INVALID_VALUE);
  CHECK_OK(clCommandSVMMemFillKHR_(buffer, NULL, NULL, memory, &pattern, sizeof pattern, SIZE / 2, PLAIN));
  CHECK_OK(clCommandSVMMemcpyKHR_(buffer, NULL, NULL, memory + COUNT / 2, memory, SIZE / 2, PLAIN));
  CHECK_OK(clCommandSVMMemcpyKHR_(buffer, NULL, NULL, memory, memory, 0, PLAIN));
  CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, SIZES(COUNT / 2, 0, 0), NULL, 0, NULL, NULL,
                                      &handle));
  CHECK_OK(clFinalizeCommandBufferKHR_(buffer));
  run_now(buffer);
  CHECK(memory[0] == 10 && memory[COUNT / 2] == 5 && memory[COUNT - 1] == 5);
  const cl_bool yes = CL_TRUE;
  CHECK_OK(update_one(buffer, (struct icd_mutable_config){
                                  handle, .svm_arg_count = 1,
                                  .svm_args = &(struct icd_mutable_arg){0, 0, memory + COUNT / 2}, .exec_info_count = 1,
                                  .exec_infos = &(struct icd_mutable_exec_info){
                                      CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes}}));
  run_now(buffer);
  CHECK(memory[0] == 5 && memory[COUNT / 2] == 10 && memory[COUNT - 1] == 10);
  CHECK_OK(clReleaseKernel(add));
  CHECK_OK(clReleaseCommandBufferKHR_(buffer));
  clSVMFree(s.context, memory);
}

// ---- arguments are those of the recording

static void arguments(void) {
  cl_command_buffer_khr buffer = buffer_with(s.queue, 0);
  cl_kernel add = add_of(m, 1);
  cl_sync_point_khr points[2];
  set_all(m, 0);
  set_all(to, 0);
  CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 0, NULL, &points[0], NULL));
  int ten = 10;
  CHECK_OK(clSetKernelArg(add, 1, sizeof ten, &ten));
  CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 1, points, &points[1], NULL));
  CHECK(points[0] != points[1]);
  CHECK_OK(clSetKernelArg(add, 0, sizeof to, &to));
  CHECK_OK(clFinalizeCommandBufferKHR_(buffer));
  CHECK(state_of(buffer) == CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
  run_now(buffer);
  run_now(buffer);
  CHECK(first_of(m) == 22 && first_of(to) == 0);
  CHECK_OK(clReleaseKernel(add));
  CHECK_OK(clReleaseCommandBufferKHR_(buffer));
}

// ---- runs

static void events(void) {
  cl_command_queue timed = clCreateCommandQueue(s.context, s.device, CL_QUEUE_PROFILING_ENABLE, &status),
                   loose = clCreateCommandQueue(s.context, s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
  cl_command_buffer_khr buffer = buffer_with(s.queue, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR),
                        empty = buffer_with(s.queue, 0);
  cl_kernel add = add_of(m, 1);
  set_all(m, 0);
  CHECK_OK(clFinish(s.queue));
  CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, &items, NULL, PLAIN));
  CHECK_OK(clFinalizeCommandBufferKHR_(buffer));
  CHECK_OK(clFinalizeCommandBufferKHR_(empty));
  for (int i = 0; i < 2; i++) {
    cl_event done;
    CHECK_OK(clEnqueueCommandBufferKHR_(1, &timed, i ? empty : buffer, 0, NULL, &done));
    CHECK_OK(clWaitForEvents(1, &done));
    INFO(clGetEventInfo, done, CL_EVENT_COMMAND_TYPE, cl_uint, CL_COMMAND_COMMAND_BUFFER_KHR)
    INFO(clGetEventInfo, done, CL_EVENT_COMMAND_QUEUE, cl_command_queue, timed)
    cl_ulong times[4];
    for (cl_profiling_info k = 0; k < 4; k++)
      CHECK_OK(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_QUEUED + k, sizeof *times, &times[k], NULL));
    CHECK(times[0] && times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3]);
    CHECK_OK(clReleaseEvent(done));
  }
  // Held back, by an event of the user: also after its last reference is gone.
  cl_event gate = clCreateUserEvent(s.context, &status), first, second, failed;
  cl_event never = clCreateUserEvent(s.context, &status);
  CHECK_OK(clEnqueueCommandBufferKHR_(1, &loose, buffer, 1, &gate, &first));
  CHECK_OK(clEnqueueCommandBufferKHR_(1, &loose, buffer, 1, &first, &second));
  CHECK_OK(clEnqueueCommandBufferKHR_(1, &loose, buffer, 1, &never, &failed));
  CHECK_OK(clReleaseCommandBufferKHR_(buffer));
  CHECK_OK(clReleaseKernel(add));
  CHECK(first_of(m) == 1);
  INFO(clGetEventInfo, first, CL_EVENT_COMMAND_EXECUTION_STATUS, cl_int, CL_QUEUED)
  CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CHECK_OK(clSetUserEventStatus(never, -5));
  CHECK_OK(clWaitForEvents(1, &second));
  CHECK_CODE(clWaitForEvents(1, &failed), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  CHECK(first_of(m) == 3);
  CHECK_OK(clReleaseEvent(gate));
  CHECK_OK(clReleaseEvent(never));
  CHECK_OK(clReleaseEvent(first));
  CHECK_OK(clReleaseEvent(second));
  CHECK_OK(clReleaseEvent(failed));
  CHECK_OK(clReleaseCommandBufferKHR_(empty));
  CHECK_OK(clReleaseCommandQueue(timed));
  CHECK_OK(clReleaseCommandQueue(loose));
}

static atomic_int destroyed;
static void CL_CALLBACK on_destroy(cl_mem mem, void *user) {
  (void)mem, (void)user;
  atomic_fetch_add(&destroyed, 1);
}

static bool comes(int count) {
  for (int i = 0; i < 5000 && atomic_load(&destroyed) < count; i++)
    usleep(1000);
  return atomic_load(&destroyed) == count;
}

static bool is_on_host(void) {
  cl_bool on_host = CL_FALSE;
  CHECK_OK(clGetDeviceInfo(s.device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof on_host, &on_host, NULL));
  return on_host;
}

static atomic_bool may_go_on;
static void CL_CALLBACK wait_to_go_on(void *user) {
  (void)user;
  while (!atomic_load(&may_go_on))
    usleep(100);
}

// The buffer keeps memory, kernels and its queue; a run that is held back or waits on the stream keeps them, too.
static void lifetimes(void) {
  for (int held = 0; held < 2; held++) {
    cl_command_queue queue = clCreateCommandQueue(s.context, s.device, 0, &status);
    cl_command_buffer_khr buffer = buffer_with(queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    cl_mem of_launch = buffer_of(&s, 0, SIZE, NULL), of_copy = buffer_of(&s, 0, SIZE, NULL),
           later = buffer_of(&s, 0, SIZE, NULL);
    cl_kernel add = add_of(of_launch, 1);
    cl_event gate = clCreateUserEvent(s.context, &status), ran;
    cl_mutable_command_khr handle, more;
    CHECK_OK(clEnqueueFillBuffer(queue, of_launch, &(int){4}, 4, 0, SIZE, 0, NULL, NULL));
    CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 0, NULL, NULL, &handle));
    CHECK_OK(clCommandCopyBufferKHR_(buffer, NULL, NULL, of_launch, of_copy, 0, 0, SIZE, PLAIN));
    CHECK_OK(clCommandCopyBufferKHR_(buffer, NULL, NULL, of_copy, m, 0, 0, SIZE, PLAIN));
    CHECK_OK(clSetKernelArg(add, 0, sizeof to, &to));
    CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 0, NULL, NULL, &more));
    CHECK_OK(clFinalizeCommandBufferKHR_(buffer));
    CHECK_OK(clSetMemObjectDestructorCallback(of_launch, on_destroy, NULL));
    CHECK_OK(clSetMemObjectDestructorCallback(of_copy, on_destroy, NULL));
    CHECK_OK(clSetMemObjectDestructorCallback(later, on_destroy, NULL));
    CHECK_OK(clEnqueueCommandBufferKHR_(0, NULL, buffer, 0, NULL, NULL));
    CHECK_OK(clFinish(queue));
    CHECK_OK(update_one(buffer, (struct icd_mutable_config){
                                    more, .arg_count = 1, .args = &(struct icd_mutable_arg){0, sizeof later, &later}}));
    CHECK_OK(clReleaseMemObject(later));
    CHECK_OK(clReleaseKernel(add));
    CHECK_OK(clReleaseMemObject(of_launch));
    CHECK_OK(clReleaseMemObject(of_copy));
    atomic_store(&may_go_on, false);
    if (!held && is_on_host())
      CHECK_OK(clEnqueueNativeKernel(queue, wait_to_go_on, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    CHECK_OK(clEnqueueCommandBufferKHR_(0, NULL, buffer, (cl_uint)held, held ? &gate : NULL, &ran));
    if (held) // what it had recorded before has references, and is not changed
      CHECK_OK(set_number(buffer, handle, 100));
    CHECK(atomic_load(&destroyed) == 0);
    CHECK_OK(clReleaseCommandQueue(queue));
    CHECK_OK(clReleaseCommandBufferKHR_(buffer));
    CHECK((!held && !is_on_host()) || atomic_load(&destroyed) == 0);
    atomic_store(&may_go_on, true);
    CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK_OK(clWaitForEvents(1, &ran));
    CHECK(first_of(m) == 6);
    CHECK_OK(clReleaseEvent(ran));
    CHECK_OK(clReleaseEvent(gate));
    CHECK(comes(3));
    atomic_store(&destroyed, 0);
  }
}

// ---- changes

static void changes(void) {
  cl_command_buffer_khr buffer = buffer_with(s.queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
  cl_kernel add = add_of(m, 1), where = kernel_of(program, "where");
  cl_mutable_command_khr adds, more, place;
  CHECK_OK(clSetKernelArg(where, 0, sizeof to, &to));
  CHECK_OK(clCommandBarrierWithWaitListKHR_(buffer, NULL, NULL, PLAIN));
  CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 0, NULL, NULL, &adds));
  CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 0, NULL, NULL, &more));
  CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, where, 1, NULL, SIZES(8, 0, 0), SIZES(2, 0, 0), 0, NULL, NULL,
                                      &place));
  CHECK_OK(clFinalizeCommandBufferKHR_(buffer));
  set_all(m, 0);
  run_now(buffer);
  CHECK(first_of(m) == 2 && first_of(to) == 204);
  CHECK_OK(set_number(buffer, adds, 10));
  run_now(buffer);
  run_now(buffer);
  CHECK(first_of(m) == 24);
  // Sizes; what is not given stays.
  CHECK_OK(update_one(buffer, (struct icd_mutable_config){place, .global = SIZES(12, 0, 0), .local = SIZES(4, 0, 0)}));
  run_now(buffer);
  CHECK(first_of(to) == 403);
  CHECK_OK(update_one(buffer, (struct icd_mutable_config){place, .offset = SIZES(3, 0, 0)}));
  run_now(buffer);
  CHECK(first_of(to) == 30403);
  // All of them or none: the last is wrong.
  const struct icd_mutable_arg hundred = {1, 4, &(int){100}}, wrong = {1, 2, &(int){100}};
  const struct icd_mutable_config good = {adds, .arg_count = 1, .args = &hundred},
                                  also_good = {more, .arg_count = 1, .args = &hundred},
                                  bad = {more, .arg_count = 1, .args = &wrong}, far = {place, .global = SIZES(4, 0, 0)};
  const cl_command_buffer_update_type_khr types[4] = {0};
  set_all(m, 0);
  CHECK_CODE(clUpdateMutableCommandsKHR_(buffer, 3, types, (const void *[]){&good, &far, &bad}), CL_INVALID_ARG_SIZE);
  run_now(buffer);
  CHECK(first_of(m) == 11 && first_of(to) == 30403);
  // A command twice: the second change is of what the first has made.
  const struct icd_mutable_arg other_mem = {0, sizeof to, &to};
  const struct icd_mutable_config then = {adds, .arg_count = 1, .args = &other_mem};
  CHECK_OK(clUpdateMutableCommandsKHR_(buffer, 4, types, (const void *[]){&good, &far, &also_good, &then}));
  set_all(m, 0);
  set_all(to, 0);
  run_now(buffer);
  CHECK(first_of(m) == 100 && first_of(to) == 30401); // where writes after the sum
  int last;
  CHECK_OK(clEnqueueReadBuffer(s.queue, to, CL_TRUE, SIZE - 4, 4, &last, 0, NULL, NULL));
  CHECK(last == 100);
  CHECK_OK(clReleaseKernel(add));
  CHECK_OK(clReleaseKernel(where));
  CHECK_OK(clReleaseCommandBufferKHR_(buffer));
}

// A launch without work-items, which gets some, and loses them again.
static void empty_ranges(void) {
  cl_command_buffer_khr buffer = buffer_with(s.queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
  cl_kernel add = add_of(m, 1);
  cl_mutable_command_khr nothing, null;
  CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, zero, NULL, 0, NULL, NULL, &nothing));
  CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, NULL, NULL, 0, NULL, NULL, &null));
  CHECK_OK(clFinalizeCommandBufferKHR_(buffer));
  set_all(m, 0);
  run_now(buffer);
  CHECK(first_of(m) == 0);
  CHECK_OK(update_one(buffer, (struct icd_mutable_config){nothing, .global = one}));
  run_now(buffer);
  CHECK(first_of(m) == 1);
  CHECK_OK(update_one(buffer, (struct icd_mutable_config){null, .global = &items}));
  run_now(buffer);
  CHECK(first_of(m) == 3);
  CHECK_OK(update_one(buffer, (struct icd_mutable_config){nothing, .global = zero}));
  run_now(buffer);
  CHECK(first_of(m) == 4);
  CHECK_OK(clReleaseKernel(add));
  CHECK_OK(clReleaseCommandBufferKHR_(buffer));
}

// What only the launch finds out undoes all of an update. is_held: there is a run with what was before.
static void undone(bool is_held) {
  cl_command_buffer_khr buffer = buffer_with(s.queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
  cl_command_queue queue = clCreateCommandQueue(s.context, s.device, 0, &status);
  cl_kernel add = add_of(m, 1), wide = kernel_of(program, "wide");
  float aligned[32];
  cl_mem odd = buffer_of(&s, CL_MEM_USE_HOST_PTR, 32, (char *)aligned + (36 - (uintptr_t)aligned % 32));
  cl_mutable_command_khr adds, wides;
  CHECK_OK(clSetKernelArg(wide, 0, sizeof to, &to));
  CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 0, NULL, NULL, &adds));
  CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, wide, 1, NULL, one, NULL, 0, NULL, NULL, &wides));
  CHECK_OK(clFinalizeCommandBufferKHR_(buffer));
  set_all(m, 0);
  set_all(to, 0);
  CHECK_OK(clFinish(s.queue));
  cl_event gate = clCreateUserEvent(s.context, &status);
  if (is_held)
    CHECK_OK(clEnqueueCommandBufferKHR_(1, &queue, buffer, 1, &gate, NULL));
  const struct icd_mutable_arg ten = {1, 4, &(int){10}}, wrong = {0, sizeof odd, &odd}, two = {1, 4, &(int){2}};
  const struct icd_mutable_config good = {adds, .arg_count = 1, .args = &ten},
                                  bad = {wides, .arg_count = 1, .args = &wrong},
                                  again = {adds, .arg_count = 1, .args = &two};
  CHECK_CODE(clUpdateMutableCommandsKHR_(buffer, 3, (cl_uint[3]){0}, (const void *[]){&good, &bad, &again}),
             CL_MISALIGNED_SUB_BUFFER_OFFSET);
  run_now(buffer);
  CHECK(first_of(m) == 1);
  CHECK_OK(clUpdateMutableCommandsKHR_(buffer, 2, (cl_uint[2]){0}, (const void *[]){&good, &again}));
  CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CHECK_OK(clFinish(queue));
  run_now(buffer);
  CHECK(first_of(m) == (is_held ? 4 : 3));
  CHECK_OK(clReleaseEvent(gate));
  CHECK_OK(clReleaseMemObject(odd));
  CHECK_OK(clReleaseKernel(add));
  CHECK_OK(clReleaseKernel(wide));
  CHECK_OK(clReleaseCommandQueue(queue));
  CHECK_OK(clReleaseCommandBufferKHR_(buffer));
}

// A change is for runs that are enqueued later, whenever the earlier ones begin.
static void changes_while_held(void) {
  cl_command_buffer_khr buffer =
      buffer_with(s.queue, CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
  cl_command_queue loose = clCreateCommandQueue(s.context, s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
  cl_kernel add = add_of(m, 1);
  cl_mutable_command_khr handle;
  set_all(m, 0);
  CHECK_OK(clFinish(s.queue));
  CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 0, NULL, NULL, &handle));
  CHECK_OK(clFinalizeCommandBufferKHR_(buffer));
  cl_event gates[4], after[4];
  for (int i = 0, n = 1; i < 4; i++, n *= 10) {
    gates[i] = clCreateUserEvent(s.context, &status);
    const struct icd_mutable_arg number = {1, sizeof n, &n};
    CHECK_OK(update_one(buffer, (struct icd_mutable_config){handle, .arg_count = 1, .args = &number,
                                                            .global = SIZES(COUNT - (size_t)i, 0, 0)}));
    INFO(clGetMutableCommandInfoKHR_, handle, CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR, size_t, COUNT - (size_t)i)
    CHECK_OK(clEnqueueCommandBufferKHR_(1, &loose, buffer, 1, &gates[i], &after[i]));
  }
  static const int order[] = {2, 0, 3, 1}, sums[] = {100, 101, 1101, 1111};
  for (int i = 0; i < 4; i++) {
    CHECK_OK(clSetUserEventStatus(gates[order[i]], CL_COMPLETE));
    CHECK_OK(clWaitForEvents(1, &after[order[i]]));
    CHECK(first_of(m) == sums[i]);
  }
  for (int i = 0; i < 4; i++) {
    CHECK_OK(clReleaseEvent(gates[i]));
    CHECK_OK(clReleaseEvent(after[i]));
  }
  CHECK_OK(clReleaseKernel(add));
  CHECK_OK(clReleaseCommandQueue(loose));
  CHECK_OK(clReleaseCommandBufferKHR_(buffer));
}

// Arguments that are set after the recording.
static void later_arguments(void) {
  const cl_command_properties_khr later[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                             CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0};
  cl_command_buffer_khr buffer = buffer_with(s.queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
  cl_kernel shade = kernel_of(program, "shade"), add = add_of(m, 3);
  cl_sampler sampler = clCreateSampler(s.context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &status);
  cl_mutable_command_khr handle;
  CHECK_OK(clCommandFillBufferKHR_(buffer, NULL, NULL, m, &(int){0}, 4, 0, SIZE, PLAIN));
  CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, later, shade, 1, NULL, SIZES(4, 0, 0), SIZES(1, 0, 0), 0, NULL,
                                      NULL, &handle));
  CHECK_OK(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, &items, NULL, PLAIN));
  CHECK_OK(clFinalizeCommandBufferKHR_(buffer));
  CHECK(state_of(buffer) == CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
  CHECK_CODE(clEnqueueCommandBufferKHR_(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
  const struct icd_mutable_arg args[] = {
      {0, sizeof image, &image}, {1, sizeof sampler, &sampler}, {2, 16, NULL}, {3, sizeof m, &m}};
  CHECK_OK(update_one(buffer, (struct icd_mutable_config){handle, .arg_count = 2, .args = args}));
  CHECK(state_of(buffer) == CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
  CHECK_OK(update_one(buffer, (struct icd_mutable_config){handle, .arg_count = 2, .args = args + 2}));
  CHECK(state_of(buffer) == CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
  CHECK_OK(clEnqueueFillImage(s.queue, image, (cl_uint[]){9, 0, 0, 0}, zero, SIZES(4, 4, 1), 0, NULL, NULL));
  run_now(buffer);
  CHECK(first_of(m) == 12);
  CHECK_CODE(set_number(buffer, handle, 0), CL_INVALID_ARG_SIZE); // of the sampler
  CHECK_OK(clReleaseSampler(sampler));
  CHECK_OK(clReleaseKernel(shade));
  CHECK_OK(clReleaseKernel(add));
  CHECK_OK(clReleaseCommandBufferKHR_(buffer));
}

int main(void) {
  alarm(100); // a command that never ends
  s = setup_open(0);
  command_buffer_find(s.platform);
  cl_uint before[KINDS];
  count_objects(s.platform, before);
  other = setup_open(0);
  m = buffer_of(&s, 0, SIZE, NULL);
  to = buffer_of(&s, 0, SIZE, NULL);
  foreign = buffer_of(&other, 0, SIZE, NULL);
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
  image = clCreateImage(s.context, 0, &(cl_image_format){CL_RGBA, CL_UNSIGNED_INT8}, &desc, NULL, &status);
  CHECK_OK(status);
  program = build(&s, source, "");
  refusals();
  two_devices();
  queries();
  compare();
  shared_memory();
  arguments();
  events();
  lifetimes();
  changes();
  empty_ranges();
  for (int i = 0; i < 2 && is_on_host(); i++)
    undone(i);
  changes_while_held();
  later_arguments();
  CHECK_OK(clReleaseProgram(program));
  CHECK_OK(clReleaseMemObject(image));
  CHECK_OK(clReleaseMemObject(foreign));
  CHECK_OK(clReleaseMemObject(to));
  CHECK_OK(clReleaseMemObject(m));
  setup_close(&other);
  CHECK(same_objects(s.platform, before));
  setup_close(&s);
  return failures != 0;
}
