// Queries of every object: what the standard says that they answer with (queries/types.def), that memory one byte too
// small is refused and stays as it is, that no byte behind the answer is written, and what they answer
// (queries/values.def).
#include "icd_test.h"

#define ROOM 8192

static const char source[] =
    "global int kept[N];\n"
    "kernel void one(void) {}\n"
    "kernel __attribute__((reqd_work_group_size(4, 2, 1)))\n"
    "void two(global const float4 *restrict from, constant int *table, local volatile int *shared, int number) {\n"
    "  local int own[8];\n"
    "  own[get_local_id(0)] = table[0] + number;\n"
    "  *shared = own[0] + (int)from[0].x + kept[0];\n"
    "}\n";

static struct setup s;
static cl_context plain_context;
static cl_command_queue queue, plain_queue;
static char bytes[256];
static cl_mem buffer, sub_buffer, same_buffer, plain_buffer, image, buffer_image;
static char pixels[128];
static cl_sampler sampler, plain_sampler;
static cl_program program, fresh;
static cl_kernel kernel;
static cl_event event, gate;
static cl_int status;

// ---- one function for each object

typedef cl_int ask_fn(cl_uint name, size_t size, void *value, size_t *size_ret);
#define ASK(object, call, ...)                                                                                         \
  static cl_int ask_##object(cl_uint name, size_t size, void *value, size_t *size_ret) {                               \
    return call(__VA_ARGS__, name, size, value, size_ret);                                                             \
  }
ASK(platform, clGetPlatformInfo, s.platform)
ASK(device, clGetDeviceInfo, s.device)
ASK(context, clGetContextInfo, s.context)
ASK(plain_context, clGetContextInfo, plain_context)
ASK(queue, clGetCommandQueueInfo, queue)
ASK(plain_queue, clGetCommandQueueInfo, plain_queue)
ASK(buffer, clGetMemObjectInfo, buffer)
ASK(sub_buffer, clGetMemObjectInfo, sub_buffer)
ASK(same_buffer, clGetMemObjectInfo, same_buffer)
ASK(plain_buffer, clGetMemObjectInfo, plain_buffer)
ASK(image, clGetImageInfo, image)
ASK(image_memory, clGetMemObjectInfo, image)
ASK(buffer_image, clGetImageInfo, buffer_image)
ASK(buffer_image_memory, clGetMemObjectInfo, buffer_image)
ASK(sampler, clGetSamplerInfo, sampler)
ASK(plain_sampler, clGetSamplerInfo, plain_sampler)
ASK(program, clGetProgramInfo, program)
ASK(build, clGetProgramBuildInfo, program, s.device)
ASK(no_build, clGetProgramBuildInfo, fresh, s.device)
ASK(kernel, clGetKernelInfo, kernel)
ASK(groups, clGetKernelWorkGroupInfo, kernel, s.device)
ASK(argument, clGetKernelArgInfo, kernel, 0)
ASK(second, clGetKernelArgInfo, kernel, 1)
ASK(third, clGetKernelArgInfo, kernel, 2)
ASK(fourth, clGetKernelArgInfo, kernel, 3)
ASK(event, clGetEventInfo, event)
ASK(gate, clGetEventInfo, gate)
ASK(times, clGetEventProfilingInfo, event)

// ---- sizes

enum kind { ONE, MANY, TEXT };
static const struct query {
  ask_fn *ask;
  const char *text;
  cl_uint name;
  enum kind kind;
  size_t size; // of a value
} queries[] = {
#define ONE(object, name, type) {ask_##object, #name, name, ONE, sizeof(type)},
#define MANY(object, name, type) {ask_##object, #name, name, MANY, sizeof(type)},
#define TEXT(object, name) {ask_##object, #name, name, TEXT, 1},
#include "queries/types.def"
};

static bool is_filled(const unsigned char *at, size_t size) {
  size_t i = 0;
  while (i < size && at[i] == 0xa5)
    i++;
  return i == size;
}

static bool check_query(const struct query *q) {
  static unsigned char value[ROOM];
  size_t size = 0, again = 0;
  int before = failures;
  CHECK_OK(q->ask(q->name, 0, NULL, &size));
  CHECK(q->kind == ONE ? size == q->size : size % q->size == 0);
  CHECK(size < sizeof value);
  memset(value, 0xa5, sizeof value);
  if (size)
    CHECK_CODE(q->ask(q->name, size - 1, value, &again), CL_INVALID_VALUE);
  CHECK(is_filled(value, sizeof value));
  CHECK_OK(q->ask(q->name, size, value, NULL));
  CHECK(is_filled(value + size, sizeof value - size));
  if (q->kind == TEXT)
    CHECK(size && strlen((char *)value) == size - 1);
  CHECK_OK(q->ask(q->name, size + 1, value, NULL));
  CHECK(is_filled(value + size, sizeof value - size));
  CHECK_OK(q->ask(q->name, sizeof value, value, &again));
  CHECK(again == size && is_filled(value + size, sizeof value - size));
  CHECK_OK(q->ask(q->name, 0, NULL, NULL));
  return failures == before;
}

// Names that the object has no answer to: none at all, and those of another object.
static void unknown_names(void) {
  static ask_fn *const asks[] = {ask_platform, ask_device, ask_context, ask_queue,    ask_buffer, ask_program,
                                 ask_build,    ask_kernel, ask_groups,  ask_argument, ask_event,  ask_times};
  static const cl_uint names[] = {0, 0x7777, CL_IMAGE_WIDTH, CL_SAMPLER_CONTEXT};
  unsigned char value[64];
  for (size_t i = 0; i < sizeof asks / sizeof *asks; i++)
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
      CHECK_CODE(asks[i](names[k], sizeof value, value, NULL), CL_INVALID_VALUE);
  CHECK_CODE(ask_context(CL_QUEUE_CONTEXT, sizeof value, value, NULL), CL_INVALID_VALUE);
  CHECK_CODE(ask_queue(CL_CONTEXT_REFERENCE_COUNT, sizeof value, value, NULL), CL_INVALID_VALUE);
  CHECK_CODE(ask_kernel(CL_KERNEL_WORK_GROUP_SIZE, sizeof value, value, NULL), CL_INVALID_VALUE);
  CHECK_CODE(ask_groups(CL_KERNEL_NUM_ARGS, sizeof value, value, NULL), CL_INVALID_VALUE);
  CHECK_CODE(ask_program(CL_PROGRAM_BUILD_STATUS, sizeof value, value, NULL), CL_INVALID_VALUE);
  CHECK_CODE(ask_build(CL_PROGRAM_SOURCE, sizeof value, value, NULL), CL_INVALID_VALUE);
  CHECK_CODE(ask_event(CL_PROFILING_COMMAND_END, sizeof value, value, NULL), CL_INVALID_VALUE);
  CHECK_CODE(ask_times(CL_EVENT_CONTEXT, sizeof value, value, NULL), CL_INVALID_VALUE);
  CHECK_CODE(ask_queue(CL_QUEUE_SIZE, sizeof value, value, NULL), CL_INVALID_COMMAND_QUEUE); // of queues on devices
}

// ---- values

#define TELLS(object, name, type, condition)                                                                           \
  {                                                                                                                    \
    type answer[8] = {0};                                                                                              \
    size_t size = 0;                                                                                                   \
    CHECK_OK(ask_##object(name, sizeof answer, answer, &size));                                                        \
    CHECK(condition);                                                                                                  \
  }
#define IS(object, name, type, value) TELLS(object, name, type, answer[0] == (value))
#define AT_LEAST(object, name, type, value) TELLS(object, name, type, answer[0] >= (value))
#define HAS(object, name, type, value) TELLS(object, name, type, (answer[0] & (value)) == (value))
#define ARE(object, name, type, ...)                                                                                   \
  TELLS(object, name, type, size == sizeof((type[]){__VA_ARGS__}) && memcmp(answer, (type[]){__VA_ARGS__}, size) == 0)
#define NONE(object, name) TELLS(object, name, char, size == 0)
#define SAYS(object, name, text) TELLS(object, name, text_of, strcmp(answer[0], text) == 0)
typedef char text_of[512];

static void values(void) {
#include "queries/values.def"
}

// Sub-groups take the work-items of a group in order, so many each: what fits exactly, and one more.
static void sub_groups(void) {
  size_t limit = 0, each = 0, most = 0;
  CHECK_OK(ask_groups(CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit, NULL));
  CHECK_OK(clGetKernelSubGroupInfo(kernel, s.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof limit, &limit,
                                   sizeof each, &each, NULL));
  CHECK_OK(clGetKernelSubGroupInfo(kernel, s.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof most, &most, NULL));
  CHECK(each > 0 && most == (limit + each - 1) / each);
  for (size_t groups = 1; groups <= 3; groups++)
    for (size_t more = 0; more < 2; more++) {
      const size_t local[] = {groups * each + more, 1, 1};
      size_t count = 0;
      CHECK_OK(clGetKernelSubGroupInfo(kernel, s.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof local, local,
                                       sizeof count, &count, NULL));
      CHECK(count == (local[0] + each - 1) / each);
    }
  const size_t fitting = limit / each, counts[] = {1, fitting, fitting + 1, 0};
  for (size_t i = 0; i < 4; i++) {
    size_t local[3] = {9, 9, 9};
    bool fits = counts[i] >= 1 && counts[i] <= fitting;
    CHECK_OK(clGetKernelSubGroupInfo(kernel, s.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof counts[i],
                                     &counts[i], sizeof local, local, NULL));
    CHECK(local[0] == (fits ? counts[i] * each : 0) && local[1] == fits && local[2] == fits);
  }
}

// References that are taken and given back are counted; those of a device of the platform are not.
#define COUNTED(object, name, retain, release)                                                                         \
  {                                                                                                                    \
    cl_uint first = 0, more = 0, last = 0;                                                                             \
    CHECK_OK(ask_##object(name, sizeof first, &first, NULL));                                                          \
    CHECK_OK(retain(object));                                                                                          \
    CHECK_OK(ask_##object(name, sizeof more, &more, NULL));                                                            \
    CHECK_OK(release(object));                                                                                         \
    CHECK_OK(ask_##object(name, sizeof last, &last, NULL));                                                            \
    CHECK(#name &&first &&more == first + 1 && last == first);                                                         \
  }

static void references(void) {
  cl_context context = s.context;
  cl_device_id device = s.device;
  COUNTED(context, CL_CONTEXT_REFERENCE_COUNT, clRetainContext, clReleaseContext)
  COUNTED(queue, CL_QUEUE_REFERENCE_COUNT, clRetainCommandQueue, clReleaseCommandQueue)
  COUNTED(buffer, CL_MEM_REFERENCE_COUNT, clRetainMemObject, clReleaseMemObject)
  COUNTED(sub_buffer, CL_MEM_REFERENCE_COUNT, clRetainMemObject, clReleaseMemObject)
  COUNTED(program, CL_PROGRAM_REFERENCE_COUNT, clRetainProgram, clReleaseProgram)
  COUNTED(kernel, CL_KERNEL_REFERENCE_COUNT, clRetainKernel, clReleaseKernel)
  COUNTED(event, CL_EVENT_REFERENCE_COUNT, clRetainEvent, clReleaseEvent)
  COUNTED(gate, CL_EVENT_REFERENCE_COUNT, clRetainEvent, clReleaseEvent)
  CHECK_OK(clRetainDevice(device));
  IS(device, CL_DEVICE_REFERENCE_COUNT, cl_uint, 1)
  CHECK_OK(clReleaseDevice(device));
  IS(device, CL_DEVICE_REFERENCE_COUNT, cl_uint, 1)
}

// ---- the objects

static void open_objects(void) {
  cl_context_properties of_platform[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)s.platform, 0};
  cl_queue_properties with_times[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_mem_properties none[] = {0};
  const char *lines = source;
  CHECK_OK(clReleaseCommandQueue(s.queue));
  CHECK_OK(clReleaseContext(s.context));
  s.context = clCreateContext(of_platform, 1, &s.device, NULL, NULL, &status);
  CHECK_OK(status);
  queue = clCreateCommandQueueWithProperties(s.context, s.device, with_times, &status);
  CHECK_OK(status);
  buffer = clCreateBufferWithProperties(s.context, none, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR | CL_MEM_HOST_READ_ONLY,
                                        sizeof bytes, bytes, &status);
  CHECK_OK(status);
  sub_buffer = clCreateSubBuffer(buffer, CL_MEM_HOST_NO_ACCESS, CL_BUFFER_CREATE_TYPE_REGION,
                                 &(cl_buffer_region){128, 100}, &status);
  CHECK_OK(status);
  same_buffer = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 4}, &status);
  CHECK_OK(status);
  plain_buffer = clCreateBufferWithProperties(s.context, NULL, 0, 64, NULL, &status);
  CHECK_OK(status);
  plain_context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &status);
  CHECK_OK(status);
  plain_queue = clCreateCommandQueue(s.context, s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
  CHECK_OK(status);
  program = build(&s, source, "-cl-std=CL3.0 -w -D N=3");
  fresh = clCreateProgramWithSource(s.context, 1, &lines, NULL, &status);
  CHECK_OK(status);
  kernel = kernel_of(program, "two");
  CHECK_OK(clSetKernelArg(kernel, 2, 20, NULL));
  gate = clCreateUserEvent(s.context, &status);
  CHECK_OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &(int){0}, 0, NULL, &event));
}

static void open_images(void) {
  const cl_image_format format = {CL_RG, CL_UNORM_INT8};
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                              .image_width = 5,
                              .image_height = 3,
                              .image_depth = 7, // which an array has not
                              .image_array_size = 2,
                              .image_row_pitch = 16,
                              .image_slice_pitch = 64};
  image = clCreateImageWithProperties(s.context, (cl_mem_properties[]){0}, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR,
                                      &format, &desc, pixels, &status);
  CHECK_OK(status);
  const cl_image_desc over = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                              .image_width = 5,
                              .image_height = 3,
                              .image_row_pitch = 12,
                              .mem_object = buffer};
  buffer_image = clCreateImage(s.context, 0, &format, &over, NULL, &status);
  CHECK_OK(status);
  const cl_sampler_properties properties[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
  sampler = clCreateSamplerWithProperties(s.context, properties, &status);
  CHECK_OK(status);
  plain_sampler = clCreateSampler(s.context, CL_FALSE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST, &status);
  CHECK_OK(status);
}

static void close_objects(void) {
  CHECK_OK(clReleaseSampler(sampler));
  CHECK_OK(clReleaseSampler(plain_sampler));
  CHECK_OK(clReleaseMemObject(buffer_image));
  CHECK_OK(clReleaseMemObject(image));
  CHECK_OK(clReleaseEvent(event));
  CHECK_OK(clReleaseEvent(gate));
  CHECK_OK(clReleaseKernel(kernel));
  CHECK_OK(clReleaseProgram(program));
  CHECK_OK(clReleaseProgram(fresh));
  CHECK_OK(clReleaseMemObject(plain_buffer));
  CHECK_OK(clReleaseMemObject(sub_buffer));
  CHECK_OK(clReleaseMemObject(same_buffer));
  CHECK_OK(clReleaseMemObject(buffer));
  CHECK_OK(clReleaseCommandQueue(plain_queue));
  CHECK_OK(clReleaseCommandQueue(queue));
  CHECK_OK(clReleaseContext(plain_context));
  CHECK_OK(clReleaseContext(s.context));
}

int main(void) {
  s = setup_open(0);
  open_objects();
  open_images();
  for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
    if (!check_query(&queries[i]))
      printf("the query was %s\n", queries[i].text);
  unknown_names();
  values();
  references();
  sub_groups();
  close_objects();
  return failures != 0;
}
