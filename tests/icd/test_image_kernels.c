// Images and samplers as arguments of kernels: what arguments tell of themselves, what they take, and what kernels read
// and write through them.
#include "refusals.h"

#define W 5
#define H 4
#define D 3

static const char source[] =
    "kernel void copy_1d(read_only image1d_t a, write_only image1d_t b, sampler_t s) {\n"
    "  int x = get_global_id(0);\n"
    "  write_imageui(b, x, read_imageui(a, s, x) + 1);\n"
    "}\n"
    "kernel void copy_line(read_only image1d_buffer_t a, write_only image1d_buffer_t b, sampler_t s) {\n"
    "  int x = get_global_id(0);\n"
    "  write_imageui(b, x, read_imageui(a, x) + 1);\n"
    "}\n"
    "kernel void copy_lines(read_only image1d_array_t a, write_only image1d_array_t b, sampler_t s) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(b, at, read_imageui(a, s, at) + 1);\n"
    "}\n"
    "kernel void copy_2d(read_only image2d_t a, write_only image2d_t b, sampler_t s) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(b, at, read_imageui(a, s, at) + 1);\n"
    "}\n"
    "kernel void copy_layers(read_only image2d_array_t a, write_only image2d_array_t b, sampler_t s) {\n"
    "  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "  write_imageui(b, at, read_imageui(a, s, at) + 1);\n"
    "}\n"
    "kernel void copy_3d(read_only image3d_t a, write_only image3d_t b, sampler_t s) {\n"
    "  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "  write_imageui(b, at, read_imageui(a, s, at) + 1);\n"
    "}\n"
    "kernel void add(read_write image2d_t a) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(a, at, read_imageui(a, at) + 10);\n"
    "}\n"
    "kernel void depth(read_only image2d_depth_t a, write_only image2d_depth_t b, sampler_t s) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imagef(b, at, read_imagef(a, s, at) * 2);\n"
    "}\n"
    "kernel void sample(read_only image2d_t a, sampler_t s, global float4 *out, float2 at) {\n"
    "  *out = read_imagef(a, s, at);\n"
    "}\n"
    "kernel void sizes(read_only image3d_t a, global int *out) {\n"
    "  out[0] = get_image_width(a);\n"
    "  out[1] = get_image_height(a);\n"
    "  out[2] = get_image_depth(a);\n"
    "  out[3] = get_image_channel_order(a);\n"
    "  out[4] = get_image_channel_data_type(a);\n"
    "}\n";

static struct setup s, other;
static cl_program program;
static cl_sampler nearest;
static const size_t zero[3] = {0, 0, 0};

static cl_mem image_of(cl_mem_flags flags, cl_channel_order order, cl_channel_type type, const cl_image_desc *desc,
                       void *host) {
  cl_mem mem = clCreateImage(s.context, flags, &(cl_image_format){order, type}, desc, host, &status);
  CHECK_OK(status);
  return mem;
}

static void set(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
  CHECK_OK(clSetKernelArg(kernel, index, size, value));
}

static void run(cl_kernel kernel, const size_t *global) {
  CHECK_OK(clEnqueueNDRangeKernel(s.queue, kernel, 3, NULL, global, NULL, NOW));
}

// ---- every type

static const struct {
  const char *kernel, *type_name;
  cl_mem_object_type type;
  size_t width, height, depth, layers;
} types[] = {
    {"copy_1d", "image1d_t", CL_MEM_OBJECT_IMAGE1D, W, 0, 0, 0},
    {"copy_line", "image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER, W, 0, 0, 0},
    {"copy_lines", "image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, W, 0, 0, H},
    {"copy_2d", "image2d_t", CL_MEM_OBJECT_IMAGE2D, W, H, 0, 0},
    {"copy_layers", "image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, W, H, 0, D},
    {"copy_3d", "image3d_t", CL_MEM_OBJECT_IMAGE3D, W, H, D, 0},
};

static void arguments(cl_kernel kernel, const char *type_name) {
  static const cl_kernel_arg_access_qualifier accesses[] = {CL_KERNEL_ARG_ACCESS_READ_ONLY,
                                                            CL_KERNEL_ARG_ACCESS_WRITE_ONLY, CL_KERNEL_ARG_ACCESS_NONE};
  for (cl_uint i = 0; i < 3; i++) {
    char name[32] = "";
    cl_kernel_arg_access_qualifier access = 0;
    cl_kernel_arg_address_qualifier address = 0;
    cl_kernel_arg_type_qualifier qualifiers = 99;
    CHECK_OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL));
    CHECK(strcmp(name, i < 2 ? type_name : "sampler_t") == 0);
    CHECK_OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
    CHECK(access == accesses[i]);
    CHECK_OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL));
    CHECK(address == (i < 2 ? CL_KERNEL_ARG_ADDRESS_GLOBAL : CL_KERNEL_ARG_ADDRESS_PRIVATE));
    CHECK_OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers, &qualifiers, NULL));
    CHECK(qualifiers == CL_KERNEL_ARG_TYPE_NONE);
  }
}

static void every_type(void) {
  unsigned char from[4 * W * H * D], to[sizeof from];
  for (size_t i = 0; i < sizeof from; i++)
    from[i] = (unsigned char)(i * 7);
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
    cl_image_desc desc = {types[t].type, types[t].width, types[t].height, types[t].depth, types[t].layers};
    cl_mem buffers[2] = {NULL, NULL}, images[2];
    bool is_over = types[t].type == CL_MEM_OBJECT_IMAGE1D_BUFFER, has_lines = types[t].layers && !types[t].height;
    size_t slices = types[t].depth + types[t].layers;
    const size_t size[3] = {W, has_lines ? H : types[t].height ? H : 1, has_lines || !slices ? 1 : slices};
    for (int k = 0; k < 2; k++) {
      buffers[k] = desc.mem_object = is_over ? buffer_of(&s, 0, 4 * W, NULL) : NULL;
      images[k] = image_of(k ? CL_MEM_WRITE_ONLY : CL_MEM_READ_ONLY, CL_RGBA, CL_UNSIGNED_INT8, &desc, NULL);
    }
    CHECK_OK(clEnqueueWriteImage(s.queue, images[0], CL_TRUE, zero, size, 0, 0, from, NOW));
    cl_kernel kernel = kernel_of(program, types[t].kernel);
    arguments(kernel, types[t].type_name);
    set(kernel, 0, sizeof(cl_mem), &images[0]);
    set(kernel, 1, sizeof(cl_mem), &images[1]);
    set(kernel, 2, sizeof(cl_sampler), &nearest);
    run(kernel, size);
    CHECK_OK(clEnqueueReadImage(s.queue, images[1], CL_TRUE, zero, size, 0, 0, to, NOW));
    for (size_t i = 0; i < 4 * size[0] * size[1] * size[2]; i++) {
      int expected = from[i] == 255 ? 255 : from[i] + 1;
      if (to[i] == expected)
        continue;
      printf("%s: byte %zu is %d, expected %d\n", types[t].kernel, i, to[i], expected);
      failures++;
      break;
    }
    CHECK_OK(clReleaseKernel(kernel));
    for (int k = 0; k < 2; k++) {
      CHECK_OK(clReleaseMemObject(images[k]));
      if (buffers[k])
        CHECK_OK(clReleaseMemObject(buffers[k]));
    }
  }
}

// ---- arguments that are refused

static void refusals(void) {
  const cl_image_desc flat = {CL_MEM_OBJECT_IMAGE2D, 4, 4}, line = {CL_MEM_OBJECT_IMAGE1D, 4};
  cl_mem image = image_of(0, CL_R, CL_UNSIGNED_INT8, &flat, NULL);
  cl_mem to_read = image_of(CL_MEM_READ_ONLY, CL_R, CL_UNSIGNED_INT8, &flat, NULL);
  cl_mem to_write = image_of(CL_MEM_WRITE_ONLY, CL_R, CL_UNSIGNED_INT8, &flat, NULL);
  cl_mem flatless = image_of(0, CL_R, CL_UNSIGNED_INT8, &line, NULL);
  cl_mem depths = image_of(0, CL_DEPTH, CL_FLOAT, &flat, NULL), buffer = buffer_of(&s, 0, 64, NULL), none = NULL;
  cl_mem away = clCreateImage(other.context, 0, &(cl_image_format){CL_R, CL_UNSIGNED_INT8}, &flat, NULL, &status);
  cl_sampler foreign = clCreateSampler(other.context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &status);
  cl_kernel copy = kernel_of(program, "copy_2d"), both = kernel_of(program, "add"),
            sample = kernel_of(program, "sample");
  REFUSED(CL_INVALID_ARG_SIZE, clSetKernelArg(copy, 0, sizeof image + 1, &image))
  REFUSED(CL_INVALID_ARG_SIZE, clSetKernelArg(copy, 2, 4, &nearest))
  REFUSED(CL_INVALID_MEM_OBJECT, clSetKernelArg(copy, 0, sizeof image, NULL))
  REFUSED(CL_INVALID_MEM_OBJECT, clSetKernelArg(copy, 0, sizeof image, &none))
  REFUSED(CL_INVALID_MEM_OBJECT, clSetKernelArg(copy, 0, sizeof buffer, &buffer))
  REFUSED(CL_INVALID_MEM_OBJECT, clSetKernelArg(copy, 0, sizeof nearest, &nearest))
  REFUSED(CL_INVALID_CONTEXT, clSetKernelArg(copy, 0, sizeof away, &away))
  REFUSED(CL_INVALID_ARG_VALUE, clSetKernelArg(copy, 0, sizeof flatless, &flatless))
  REFUSED(CL_INVALID_ARG_VALUE, clSetKernelArg(copy, 0, sizeof depths, &depths))
  REFUSED(CL_INVALID_ARG_VALUE, clSetKernelArg(copy, 0, sizeof to_write, &to_write))
  REFUSED(CL_INVALID_ARG_VALUE, clSetKernelArg(copy, 1, sizeof to_read, &to_read))
  REFUSED(CL_INVALID_ARG_VALUE, clSetKernelArg(both, 0, sizeof to_read, &to_read))
  REFUSED(CL_INVALID_ARG_VALUE, clSetKernelArg(both, 0, sizeof to_write, &to_write))
  REFUSED(CL_INVALID_SAMPLER, clSetKernelArg(copy, 2, sizeof nearest, NULL))
  REFUSED(CL_INVALID_SAMPLER, clSetKernelArg(copy, 2, sizeof none, &none))
  REFUSED(CL_INVALID_SAMPLER, clSetKernelArg(copy, 2, sizeof image, &image))
  REFUSED(CL_INVALID_CONTEXT, clSetKernelArg(copy, 2, sizeof foreign, &foreign))
  REFUSED(CL_INVALID_MEM_OBJECT, clSetKernelArg(sample, 2, sizeof image, &image)) // a pointer
  REFUSED(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(s.queue, copy, 1, NULL, (size_t[]){1}, NULL, NOW))
  ACCEPTED(clSetKernelArg(copy, 0, sizeof to_read, &to_read))
  ACCEPTED(clSetKernelArg(copy, 1, sizeof to_write, &to_write))
  REFUSED(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(s.queue, copy, 1, NULL, (size_t[]){1}, NULL, NOW))
  ACCEPTED(clSetKernelArg(copy, 2, sizeof nearest, &nearest))
  ACCEPTED(clEnqueueNDRangeKernel(s.queue, copy, 1, NULL, (size_t[]){1}, NULL, NOW))
  ACCEPTED(clSetKernelArg(both, 0, sizeof image, &image))
  CHECK_OK(clFinish(s.queue));
  cl_mem mems[] = {image, to_read, to_write, flatless, depths, buffer, away};
  for (size_t i = 0; i < sizeof mems / sizeof *mems; i++)
    CHECK_OK(clReleaseMemObject(mems[i]));
  CHECK_OK(clReleaseSampler(foreign));
  CHECK_OK(clReleaseKernel(copy));
  CHECK_OK(clReleaseKernel(both));
  CHECK_OK(clReleaseKernel(sample));
}

// ---- reading and writing one image; memory of the host, whose rows have gaps; depths

static void in_place(void) {
  unsigned char memory[4 * 16 + 1] = {0};
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 3, .image_height = 4, .image_row_pitch = 16};
  for (int askew = 0; askew < 2; askew++) {
    unsigned short values[3 * 4];
    memset(memory, 7, sizeof memory);
    cl_mem image = image_of(CL_MEM_USE_HOST_PTR, CL_R, CL_UNSIGNED_INT16, &desc, memory + askew);
    cl_kernel kernel = kernel_of(program, "add");
    cl_kernel_arg_access_qualifier access = 0;
    CHECK_OK(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
    CHECK(access == CL_KERNEL_ARG_ACCESS_READ_WRITE);
    set(kernel, 0, sizeof image, &image);
    run(kernel, (size_t[]){3, 4, 1});
    run(kernel, (size_t[]){3, 4, 1});
    CHECK_OK(clEnqueueReadImage(s.queue, image, CL_TRUE, zero, (size_t[]){3, 4, 1}, 0, 0, values, NOW));
    for (int i = 0; i < 12; i++)
      CHECK(values[i] == 0x0707 + 20);
    size_t row = 0;
    unsigned char *mapped =
        clEnqueueMapImage(s.queue, image, CL_TRUE, CL_MAP_READ, zero, (size_t[]){3, 4, 1}, &row, NULL, NOW, &status);
    CHECK(mapped == memory + askew && row == 16);
    for (int y = 0; y < 4; y++)
      for (int x = 0; x < 16; x++)
        CHECK(memory[askew + 16 * y + x] == (x < 6 && x % 2 == 0 ? 7 + 20 : 7));
    CHECK_OK(clEnqueueUnmapMemObject(s.queue, image, mapped, NOW));
    CHECK_OK(clReleaseKernel(kernel));
    CHECK_OK(clReleaseMemObject(image));
    CHECK_OK(clFinish(s.queue));
  }
}

static void depths(void) {
  float from[4] = {0.25f, 0.5f, 1, 2}, to[4] = {0};
  const cl_image_desc desc = {CL_MEM_OBJECT_IMAGE2D, 2, 2};
  cl_mem a = image_of(CL_MEM_COPY_HOST_PTR, CL_DEPTH, CL_FLOAT, &desc, from);
  cl_mem b = image_of(0, CL_DEPTH, CL_FLOAT, &desc, NULL);
  cl_kernel kernel = kernel_of(program, "depth");
  set(kernel, 0, sizeof a, &a);
  set(kernel, 1, sizeof b, &b);
  set(kernel, 2, sizeof nearest, &nearest);
  run(kernel, (size_t[]){2, 2, 1});
  CHECK_OK(clEnqueueReadImage(s.queue, b, CL_TRUE, zero, (size_t[]){2, 2, 1}, 0, 0, to, NOW));
  for (int i = 0; i < 4; i++)
    CHECK(to[i] == 2 * from[i]);
  CHECK_OK(clReleaseKernel(kernel));
  CHECK_OK(clReleaseMemObject(a));
  CHECK_OK(clReleaseMemObject(b));
}

// ---- samplers, and an image with another order of channels over the same bytes

static float sampled(cl_mem image, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter, float x,
                     float y) {
  float result[4] = {-1};
  cl_float2 at = {{x, y}};
  cl_mem out = buffer_of(&s, 0, sizeof result, NULL);
  cl_sampler sampler = clCreateSampler(s.context, normalized, addressing, filter, &status);
  cl_kernel kernel = kernel_of(program, "sample");
  set(kernel, 0, sizeof image, &image);
  set(kernel, 1, sizeof sampler, &sampler);
  set(kernel, 2, sizeof out, &out);
  set(kernel, 3, sizeof at, &at);
  CHECK_OK(clReleaseSampler(sampler)); // which the kernel has read
  cl_kernel clone = clCloneKernel(kernel, &status);
  CHECK_OK(clReleaseKernel(kernel));
  run(clone, (size_t[]){1, 1, 1});
  CHECK_OK(clEnqueueReadBuffer(s.queue, out, CL_TRUE, 0, sizeof result, result, NOW));
  CHECK_OK(clReleaseKernel(clone));
  CHECK_OK(clReleaseMemObject(out));
  return result[0];
}

static void samplers(void) {
  float pixels[4] = {1, 3, 5, 7};
  const cl_image_desc desc = {CL_MEM_OBJECT_IMAGE2D, 2, 2};
  cl_mem image = image_of(CL_MEM_COPY_HOST_PTR, CL_R, CL_FLOAT, &desc, pixels);
  CHECK(sampled(image, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, 1.5f, 0.5f) == 3);
  CHECK(sampled(image, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, 2.5f, 0.5f) == 0);
  CHECK(sampled(image, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, 9, -9) == 3);
  CHECK(sampled(image, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, 1, 1) == 4);
  CHECK(sampled(image, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, 1.25f, 0.25f) == 1);
  CHECK(sampled(image, CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST, 1.25f, 0.25f) == 3);
  CHECK(sampled(image, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, 9, 0.5f) == 3); // as at the edge
  CHECK_OK(clReleaseMemObject(image));
  unsigned char colors[4 * 4] = {188, 0, 0, 255};
  cl_image_desc over = desc;
  image = over.mem_object = image_of(CL_MEM_COPY_HOST_PTR, CL_RGBA, CL_UNORM_INT8, &desc, colors);
  cl_mem gamma = image_of(0, CL_sRGBA, CL_UNORM_INT8, &over, NULL);
  float linear = sampled(gamma, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, 0.5f, 0.5f);
  float plain = sampled(image, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, 0.5f, 0.5f);
  CHECK(linear > 0.495f && linear < 0.51f && plain == 188 / 255.0f);
  CHECK_OK(clReleaseMemObject(gamma));
  CHECK_OK(clReleaseMemObject(image));
}

// ---- queries, and a launch that is held back: it keeps its images

static void held_back(void) {
  const cl_image_desc desc = {CL_MEM_OBJECT_IMAGE3D, 7, 6, 5};
  cl_mem image = image_of(0, CL_RG, CL_HALF_FLOAT, &desc, NULL), out = buffer_of(&s, 0, 20, NULL);
  cl_event gate_of_launch = clCreateUserEvent(s.context, &status), done;
  cl_kernel kernel = kernel_of(program, "sizes");
  set(kernel, 0, sizeof image, &image);
  set(kernel, 1, sizeof out, &out);
  CHECK_OK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, (size_t[]){1}, NULL, 1, &gate_of_launch, &done));
  CHECK_OK(clReleaseMemObject(image));
  CHECK_OK(clReleaseKernel(kernel));
  CHECK_OK(clSetUserEventStatus(gate_of_launch, CL_COMPLETE));
  cl_int sizes[5] = {0};
  CHECK_OK(clEnqueueReadBuffer(s.queue, out, CL_TRUE, 0, sizeof sizes, sizes, 1, &done, NULL));
  CHECK(sizes[0] == 7 && sizes[1] == 6 && sizes[2] == 5 && sizes[3] == CL_RG && sizes[4] == CL_HALF_FLOAT);
  CHECK_OK(clReleaseEvent(done));
  CHECK_OK(clReleaseEvent(gate_of_launch));
  CHECK_OK(clReleaseMemObject(out));
}

int main(void) {
  s = setup_open(0);
  cl_uint before[KINDS];
  count_objects(s.platform, before);
  other = setup_open(0);
  program = build(&s, source, "-cl-std=CL3.0");
  nearest = clCreateSampler(s.context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &status);
  CHECK_OK(status);
  every_type();
  refusals();
  in_place();
  depths();
  samplers();
  held_back();
  CHECK_OK(clReleaseSampler(nearest));
  CHECK_OK(clReleaseProgram(program));
  setup_close(&other);
  CHECK(same_objects(s.platform, before));
  setup_close(&s);
  return failures != 0;
}
