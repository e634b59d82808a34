// Which bytes each command moves: through a buffer and through a sub-buffer of it, at offsets, next to a model in C.
// The whole buffer is compared after every command, and the application's memory, where the buffer was made of it. It
// runs on a device with memory of its own, too (tests/rocm), where mappings are copies.
#include "icd_test.h"

#define SIZE 1024
#define FROM 128 // where the sub-buffer begins
#define PART 256 // its bytes
#define NOW 0, NULL, NULL

static const char source[] = "kernel void mark(global uchar *x, uchar n) { x[3] = n; x[5] += n; }";

static struct setup s;
static cl_int status;
static cl_kernel kernel;
static cl_mem root, sub;
static unsigned char model[SIZE], memory[SIZE] __attribute__((aligned(128)));

static void check(const char *command) {
  unsigned char now[SIZE];
  CHECK_OK(clEnqueueReadBuffer(s.queue, root, CL_TRUE, 0, SIZE, now, NOW));
  for (int i = 0; i < SIZE; i++)
    if (now[i] != model[i]) {
      printf("%s: byte %d is %d, expected %d\n", command, i, now[i], model[i]);
      failures++;
      return;
    }
}

static unsigned char next_byte(void) {
  static unsigned state = 1;
  state = state * 1664525 + 1013904223;
  return (unsigned char)(state >> 24);
}

static void fill_bytes(unsigned char *at, size_t size) {
  for (size_t i = 0; i < size; i++)
    at[i] = next_byte();
}

// A buffer or a sub-buffer, and where it begins in the model.
struct side {
  cl_mem mem;
  size_t from;
};

// ---- commands with offsets

static void plain(const struct side *a) {
  unsigned char bytes[64], pattern[8], back[64];
  unsigned char *at = model + a->from;
  fill_bytes(bytes, sizeof bytes);
  fill_bytes(pattern, sizeof pattern);
  CHECK_OK(clEnqueueWriteBuffer(s.queue, a->mem, CL_TRUE, 5, 11, bytes, NOW));
  memcpy(at + 5, bytes, 11);
  check("write");
  CHECK_OK(clEnqueueReadBuffer(s.queue, a->mem, CL_TRUE, 7, 9, back, NOW));
  CHECK(memcmp(back, at + 7, 9) == 0);
  CHECK_OK(clEnqueueFillBuffer(s.queue, a->mem, pattern, 8, 24, 40, NOW));
  for (int i = 0; i < 40; i++)
    at[24 + i] = pattern[i % 8];
  check("fill");
}

static void copies(const struct side *a, const struct side *b) {
  CHECK_OK(clEnqueueCopyBuffer(s.queue, a->mem, b->mem, 3, 101, 27, NOW));
  memcpy(model + b->from + 101, model + a->from + 3, 27);
  check("copy");
  // Two rows of 5 bytes in two planes, from {2, 1, 0} to {4, 3, 1}.
  const size_t from[] = {2, 1, 0}, to[] = {4, 3, 1}, region[] = {5, 2, 2};
  CHECK_OK(clEnqueueCopyBufferRect(s.queue, a->mem, b->mem, from, to, region, 8, 40, 16, 80, NOW));
  for (size_t z = 0; z < 2; z++)
    for (size_t y = 0; y < 2; y++)
      memcpy(model + b->from + 4 + (3 + y) * 16 + (1 + z) * 80, model + a->from + 2 + (1 + y) * 8 + z * 40, 5);
  check("copy of rectangles");
}

static void rectangles(const struct side *a) {
  unsigned char bytes[256], back[256];
  const size_t origin[] = {3, 1, 1}, host[] = {1, 2, 1}, region[] = {5, 2, 2};
  fill_bytes(bytes, sizeof bytes);
  memset(back, 0, sizeof back);
  CHECK_OK(clEnqueueWriteBufferRect(s.queue, a->mem, CL_TRUE, origin, host, region, 16, 64, 8, 56, bytes, NOW));
  for (size_t z = 0; z < 2; z++)
    for (size_t y = 0; y < 2; y++)
      memcpy(model + a->from + 3 + (1 + y) * 16 + (1 + z) * 64, bytes + 1 + (2 + y) * 8 + (1 + z) * 56, 5);
  check("write of a rectangle");
  CHECK_OK(clEnqueueReadBufferRect(s.queue, a->mem, CL_TRUE, origin, host, region, 16, 64, 8, 56, back, NOW));
  for (size_t i = 0; i < sizeof back; i++) {
    size_t z = i / 56, y = i % 56 / 8, x = i % 8;
    bool inside = z >= 1 && z < 3 && y >= 2 && y < 4 && x >= 1 && x < 6;
    CHECK(back[i] == (inside ? bytes[i] : 0));
  }
}

// ---- maps, kernels, native kernels

static void maps(const struct side *a) {
  unsigned char *whole = clEnqueueMapBuffer(s.queue, root, CL_TRUE, CL_MAP_READ, 0, SIZE, NOW, &status);
  unsigned char *at = clEnqueueMapBuffer(s.queue, a->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 16, 32, NOW, &status);
  CHECK_OK(status);
  CHECK(at == whole + a->from + 16); // the memory is the host's
  CHECK(memcmp(at, model + a->from + 16, 32) == 0);
  fill_bytes(at, 32);
  memcpy(model + a->from + 16, at, 32);
  CHECK_OK(clEnqueueUnmapMemObject(s.queue, a->mem, at, NOW));
  CHECK_OK(clEnqueueUnmapMemObject(s.queue, root, whole, NOW));
  check("map");
}

static void CL_CALLBACK native(void *user) { (*(unsigned char **)user)[9] = 99; }

static void kernels(const struct side *a) {
  const cl_uchar n = 77;
  const size_t one = 1;
  void *args = NULL;
  const void *place = &args;
  CHECK_OK(clSetKernelArg(kernel, 0, sizeof a->mem, &a->mem));
  CHECK_OK(clSetKernelArg(kernel, 1, sizeof n, &n));
  CHECK_OK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &one, NULL, NOW));
  model[a->from + 3] = n;
  model[a->from + 5] += n;
  check("kernel");
  cl_device_exec_capabilities can = 0;
  CHECK_OK(clGetDeviceInfo(s.device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can, NULL));
  if (!(can & CL_EXEC_NATIVE_KERNEL))
    return;
  CHECK_OK(clEnqueueNativeKernel(s.queue, native, &args, sizeof args, 1, &a->mem, &place, NOW));
  model[a->from + 9] = 99;
  check("native kernel");
}

// ---- buffers of every kind

static void all_commands(cl_mem_flags flags) {
  bool given = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
  fill_bytes(memory, sizeof memory);
  memcpy(model, memory, sizeof model);
  root = clCreateBuffer(s.context, flags, SIZE, given ? memory : NULL, &status);
  CHECK_OK(status);
  if (!given)
    CHECK_OK(clEnqueueWriteBuffer(s.queue, root, CL_TRUE, 0, SIZE, memory, NOW));
  sub = clCreateSubBuffer(root, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){FROM, PART}, &status);
  CHECK_OK(status);
  check("as it was made");
  const struct side sides[] = {{root, 0}, {sub, FROM}};
  for (int i = 0; i < 2; i++) {
    plain(&sides[i]);
    rectangles(&sides[i]);
    maps(&sides[i]);
    kernels(&sides[i]);
  }
  // From the first half of the buffer, which the sub-buffer is in, to the second and back.
  cl_mem far = clCreateSubBuffer(root, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){512, 512}, &status);
  CHECK_OK(status);
  const struct side second = {far, 512};
  copies(&sides[1], &second);
  copies(&second, &sides[1]);
  copies(&sides[0], &second);
  copies(&second, &sides[0]);
  if (flags & CL_MEM_USE_HOST_PTR) {
    unsigned char *at = clEnqueueMapBuffer(s.queue, sub, CL_TRUE, CL_MAP_READ, 2, 4, NOW, &status);
    CHECK(at == memory + FROM + 2);
    CHECK_OK(clEnqueueUnmapMemObject(s.queue, sub, at, NOW));
    at = clEnqueueMapBuffer(s.queue, root, CL_TRUE, CL_MAP_READ, 0, SIZE, NOW, &status);
    CHECK(at == memory && memcmp(memory, model, SIZE) == 0);
    CHECK_OK(clEnqueueUnmapMemObject(s.queue, root, at, NOW));
  }
  CHECK_OK(clReleaseMemObject(far));
  CHECK_OK(clReleaseMemObject(sub));
  CHECK_OK(clReleaseMemObject(root));
}

int main(void) {
  s = setup_open(0);
  cl_program program = build(&s, source, "");
  kernel = kernel_of(program, "mark");
  all_commands(0);
  all_commands(CL_MEM_ALLOC_HOST_PTR);
  all_commands(CL_MEM_COPY_HOST_PTR);
  all_commands(CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR);
  all_commands(CL_MEM_USE_HOST_PTR);
  CHECK_OK(clReleaseKernel(kernel));
  CHECK_OK(clReleaseProgram(program));
  setup_close(&s);
  return failures != 0;
}
