// Images and samplers: what the standard refuses, next to what it accepts (refusals/images.def and
// refusals/image_transfers.def), formats, who keeps whom. test_queries.c has what they tell of themselves.
#include <stdint.h>
#include <unistd.h>

#include "refusals.h"

#define SIZE 256
#define MAPPED(mem, call) MADE(unmap_##mem, call)

static struct setup s, other;
static char bytes[1024] __attribute__((aligned(64)));
static const size_t zero[3], one[] = {1, 1, 1};
static const float color[4];
static const cl_image_format f = {CL_RGBA, CL_UNORM_INT8};
static const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
static cl_mem buffer, read_only, askew, foreign;
static cl_mem image, pitched, red, line, lines, cube, over_buffer, mapped, foreign_image;

static cl_int unmap_image(void *pointer) { return clEnqueueUnmapMemObject(s.queue, image, pointer, NOW); }
static cl_int unmap_mapped(void *pointer) { return clEnqueueUnmapMemObject(s.queue, mapped, pointer, NOW); }

static cl_mem image_of(cl_context context, cl_mem_flags flags, cl_channel_order order, cl_channel_type type,
                       const cl_image_desc *desc, void *host) {
  cl_mem mem = clCreateImage(context, flags, &(cl_image_format){order, type}, desc, host, &status);
  CHECK_OK(status);
  return mem;
}

static cl_mem shaped(cl_mem_object_type type) {
  const cl_image_desc desc = {type, 4, 4, 2, 2, 0, 0, 0, 0, {NULL}};
  return image_of(s.context, 0, CL_RGBA, CL_UNORM_INT8, &desc, NULL);
}

static cl_mem flat_with(cl_mem_flags flags) { return image_of(s.context, flags, CL_RGBA, CL_UNORM_INT8, &flat, NULL); }

static void open_all(void) {
  buffer = buffer_of(&s, 0, SIZE, NULL);
  read_only = buffer_of(&s, CL_MEM_READ_ONLY, SIZE, NULL);
  askew = buffer_of(&s, CL_MEM_USE_HOST_PTR, SIZE, bytes + 1);
  foreign = buffer_of(&other, 0, SIZE, NULL);
  image = flat_with(0);
  mapped = flat_with(0);
  foreign_image = image_of(other.context, 0, CL_RGBA, CL_UNORM_INT8, &flat, NULL);
  red = image_of(s.context, 0, CL_R, CL_FLOAT, &flat, NULL);
  line = shaped(CL_MEM_OBJECT_IMAGE1D);
  lines = shaped(CL_MEM_OBJECT_IMAGE1D_ARRAY);
  cube = shaped(CL_MEM_OBJECT_IMAGE3D);
  cl_image_desc desc = flat;
  desc.image_row_pitch = 20;
  pitched = image_of(s.context, CL_MEM_USE_HOST_PTR, CL_RGBA, CL_UNORM_INT8, &desc, bytes);
  desc = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4, .mem_object = buffer};
  over_buffer = image_of(s.context, 0, CL_RGBA, CL_UNORM_INT8, &desc, NULL);
}

static void close_all(void) {
  cl_mem all[] = {buffer, read_only, askew, foreign, image,       pitched,      red,
                  line,   lines,     cube,  mapped,  over_buffer, foreign_image};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    CHECK_OK(clReleaseMemObject(all[i]));
}

// ---- refusals

static size_t device_size(cl_device_info name) {
  size_t size = 0;
  CHECK_OK(clGetDeviceInfo(s.device, name, sizeof size, &size, NULL));
  return size;
}

static void creation(void) {
  size_t width = device_size(CL_DEVICE_IMAGE2D_MAX_WIDTH), height = device_size(CL_DEVICE_IMAGE2D_MAX_HEIGHT),
         depth = device_size(CL_DEVICE_IMAGE3D_MAX_DEPTH), layers = device_size(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
  cl_image_format some[1];
  cl_uint count = 0;
  cl_mem host_reads = buffer_of(&s, CL_MEM_HOST_READ_ONLY, SIZE, NULL);
#include "refusals/images.def"
  CHECK_OK(clReleaseMemObject(host_reads));
}

static void transfers(void) {
  size_t row = 0, slice = 0;
  cl_mem host_reads = flat_with(CL_MEM_HOST_READ_ONLY), host_writes = flat_with(CL_MEM_HOST_WRITE_ONLY),
         host_none = flat_with(CL_MEM_HOST_NO_ACCESS);
  size_t whole[3] = {4, 4, 1};
  void *pointer = clEnqueueMapImage(s.queue, mapped, CL_TRUE, CL_MAP_WRITE, zero, SIZES(2, 2, 1), &row, NULL, 0, NULL,
                                    NULL, &status);
  CHECK_OK(status);
  if (gate)
    CHECK_OK(clFinish(s.queue));
#include "refusals/image_transfers.def"
  CHECK_OK(clEnqueueUnmapMemObject(s.queue, mapped, pointer, 0, NULL, NULL));
  NOT_MADE(CL_INVALID_VALUE, MAP(image, CL_MAP_READ, whole, one, &row, &slice))
  CHECK_OK(clReleaseMemObject(host_reads));
  CHECK_OK(clReleaseMemObject(host_writes));
  CHECK_OK(clReleaseMemObject(host_none));
}

// ---- formats

#define MOST_FORMATS 256

static cl_uint formats_of(cl_mem_flags flags, cl_mem_object_type type, cl_image_format out[MOST_FORMATS]) {
  cl_uint count = 0, again = 0;
  CHECK_OK(clGetSupportedImageFormats(s.context, flags, type, 0, NULL, &count));
  CHECK(count > 0 && count <= MOST_FORMATS);
  CHECK_OK(clGetSupportedImageFormats(s.context, flags, type, count, out, &again));
  CHECK(count == again);
  return count;
}

static bool has_format(cl_mem_flags flags, cl_mem_object_type type, cl_channel_order order, cl_channel_type channel) {
  cl_image_format formats[MOST_FORMATS];
  cl_uint count = formats_of(flags, type, formats), i = 0;
  while (i < count && (formats[i].image_channel_order != order || formats[i].image_channel_data_type != channel))
    i++;
  return i < count;
}

static const cl_mem_object_type image_types[] = {CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                                 CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
                                                 CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D};

// Those that the standard wants of every device, and those of products.
static void wanted_formats(void) {
  static const cl_mem_flags flags[] = {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE,
                                       CL_MEM_KERNEL_READ_AND_WRITE};
  static const cl_channel_type types[] = {CL_UNORM_INT8,   CL_UNORM_INT16,   CL_SIGNED_INT8,    CL_SIGNED_INT16,
                                          CL_SIGNED_INT32, CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32,
                                          CL_HALF_FLOAT,   CL_FLOAT,         CL_SNORM_INT8,     CL_SNORM_INT16};
  static const cl_channel_order orders[] = {CL_RGBA, CL_R, CL_RG};
  for (size_t t = 0; t < sizeof image_types / sizeof *image_types; t++)
    for (size_t i = 0; i < 4; i++) {
      cl_mem_object_type type = image_types[t];
      for (size_t k = 0; k < 3 * sizeof types / sizeof *types; k++)
        CHECK(has_format(flags[i], type, orders[k % 3], types[k / 3]));
      CHECK(has_format(flags[i], type, CL_BGRA, CL_UNORM_INT8));
      bool is_flat = type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
      CHECK(has_format(flags[i], type, CL_DEPTH, CL_FLOAT) == is_flat);
      CHECK(has_format(flags[i], type, CL_DEPTH, CL_UNORM_INT16) == is_flat);
      CHECK(has_format(flags[i], type, CL_sRGBA, CL_UNORM_INT8) == (flags[i] == CL_MEM_READ_ONLY));
    }
}

// What is listed can be made.
static void listed_formats(void) {
  cl_image_format formats[MOST_FORMATS];
  for (size_t t = 0; t < sizeof image_types / sizeof *image_types; t++) {
    cl_uint count = formats_of(CL_MEM_READ_ONLY, image_types[t], formats);
    for (cl_uint i = 0; i < count; i++) {
      cl_image_desc desc = {image_types[t], 4, 4, 2, 2, 0, 0, 0, 0, {NULL}};
      desc.mem_object = image_types[t] == CL_MEM_OBJECT_IMAGE1D_BUFFER ? buffer : NULL;
      cl_mem mem = image_of(s.context, CL_MEM_READ_ONLY, formats[i].image_channel_order,
                            formats[i].image_channel_data_type, &desc, NULL);
      size_t pixel = 0;
      CHECK_OK(clGetImageInfo(mem, CL_IMAGE_ELEMENT_SIZE, sizeof pixel, &pixel, NULL));
      CHECK(pixel && pixel <= 16 && (pixel & (pixel - 1)) == 0);
      CHECK_OK(clReleaseMemObject(mem));
    }
  }
}

// ---- lives

static int destroyed;

static void CL_CALLBACK on_end(cl_mem mem, void *user) {
  cl_uint references = 0;
  CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof references, &references, NULL));
  CHECK(user == (void *)(uintptr_t)(3 - ++destroyed)); // the last one first
}

static cl_uint references_of(cl_mem mem) {
  cl_uint references = 0;
  CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof references, &references, NULL));
  return references;
}

static void lives(void) {
  cl_uint before[KINDS], now[KINDS];
  count_objects(s.platform, before);
  cl_mem mem = flat_with(0);
  CHECK_OK(clRetainMemObject(mem));
  CHECK(references_of(mem) == 2);
  CHECK_OK(clReleaseMemObject(mem));
  CHECK_OK(clSetMemObjectDestructorCallback(mem, on_end, (void *)1));
  CHECK_OK(clSetMemObjectDestructorCallback(mem, on_end, (void *)2));
  CHECK(destroyed == 0);
  CHECK_OK(clReleaseMemObject(mem));
  CHECK(destroyed == 2);
  // A buffer stays for its image.
  cl_mem under = buffer_of(&s, 0, SIZE, NULL);
  cl_image_desc desc = flat;
  desc.mem_object = under;
  mem = image_of(s.context, 0, CL_RGBA, CL_UNORM_INT8, &desc, NULL);
  CHECK_OK(clReleaseMemObject(under));
  count_objects(s.platform, now);
  CHECK(now[BUFFERS] == before[BUFFERS] + 2);
  CHECK_OK(clReleaseMemObject(mem));
  cl_sampler sampler = clCreateSampler(s.context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &status);
  CHECK_OK(clRetainSampler(sampler));
  CHECK_OK(clReleaseSampler(sampler));
  count_objects(s.platform, now);
  CHECK(now[SAMPLERS] == before[SAMPLERS] + 1);
  CHECK_OK(clReleaseSampler(sampler));
  CHECK(same_objects(s.platform, before));
}

// Images of shared virtual memory.
static void shared_memory(void) {
  char *shared = clSVMAlloc(s.context, CL_MEM_READ_WRITE, SIZE, 0);
  if (!shared)
    return;
  cl_bool uses = CL_FALSE;
  cl_mem mem = image_of(s.context, CL_MEM_USE_HOST_PTR, CL_RGBA, CL_UNORM_INT8, &flat, shared);
  CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL));
  CHECK(uses);
  CHECK_OK(clReleaseMemObject(mem));
  clSVMFree(s.context, shared);
}

int main(void) {
  alarm(100); // a call that waits for what it should have refused
  s = setup_open(0);
  cl_uint before[KINDS];
  count_objects(s.platform, before);
  other = setup_open(0);
  open_all();
  creation();
  transfers();
  gate = clCreateUserEvent(s.context, &status);
  transfers();
  CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CHECK_OK(clReleaseEvent(gate));
  gate = NULL;
  CHECK_OK(clFinish(s.queue));
  wanted_formats();
  listed_formats();
  lives();
  shared_memory();
  close_all();
  setup_close(&other);
  CHECK(same_objects(s.platform, before));
  setup_close(&s);
  return failures != 0;
}
