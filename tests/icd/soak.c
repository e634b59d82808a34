// Random calls by several threads and by callbacks on objects that they share, right and wrong ones: the driver must
// survive, every command must end, every callback must come, and in the end no object may be left. Run under the
// address and the thread sanitizer.
//   soak SECONDS [SEED]
// Which calls come in which order depends on the threads as well; the seed decides what each thread tries.
#include <unistd.h>

#include "soak.h"
#include "usm.h"

#define THREADS 4

static const char *const sources[] = {
    "kernel void add(global int *x, int n) { x[get_global_id(0)] += n; }",
    "kernel void scale(global float *x, global const float *y, local float *t) { int i = get_local_id(0);\n"
    "  t[i] = y[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); x[get_global_id(0)] = t[get_local_size(0) - 1 - i]; }",
    "int twice(int x); kernel void two(global int *x) { *x = twice(*x); }",
    "int twice(int x) { return 2 * x; }",
    "kernel void wrong(global int *x) { *x = nothing; }",
    "kernel void __attribute__((reqd_work_group_size(8, 1, 1), vec_type_hint(int4))) eight(global int4 *x) {\n"
    "  x[get_global_id(0)] = (int4)(get_local_id(0)); }",
    "kernel void move(read_only image2d_t a, write_only image2d_t b, sampler_t s) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imagef(b, at % get_image_dim(b), read_imagef(a, s, at % get_image_dim(a))); }",
    "kernel void stack(read_only image3d_t a, write_only image2d_array_t b, sampler_t s) {\n"
    "  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "  int4 to = (int4)(get_image_dim(b), (int)get_image_array_size(b), 1);\n"
    "  write_imagei(b, at % to, read_imagei(a, s, convert_float4(at) / 4)); }",
    "kernel void lines(read_only image1d_buffer_t a, write_only image1d_array_t b) {\n"
    "  int x = get_global_id(0);\n"
    "  int2 to = (int2)(x % get_image_width(b), x % (int)get_image_array_size(b));\n"
    "  write_imageui(b, to, read_imageui(a, x % get_image_width(a))); }",
    "kernel void edge(read_only image1d_t a, read_only image2d_depth_t b, sampler_t s, global float *x) {\n"
    "  float i = get_global_id(0) * 0.2f;\n"
    "  x[get_global_id(0)] = read_imagef(a, s, i).x + read_imagef(b, s, (float2)(i, 1)); }",
};
#define SOURCES (sizeof sources / sizeof *sources)

// ---- commands

static void CL_CALLBACK native(void *user) { usleep(**(unsigned **)user % 50); }

// The range is right most of the time.
static cl_int transfer(struct actor *a, cl_command_queue queue, cl_mem mem, struct waits *waits) {
  unsigned char *host = a->w->memory + draw(a, 2 * SIZE);
  size_t offset = draw(a, 64) * 4, size = draw(a, 40) ? draw(a, 256) * 4 : SIZE * 2;
  cl_bool blocking = !draw(a, 4);
  cl_uint count = waits->count;
  const cl_event *events = count ? waits->events : NULL;
  cl_event *done = waits->wanted;
  const size_t origin[3] = {draw(a, 64), draw(a, 4), draw(a, 2)}, region[3] = {draw(a, 32), draw(a, 4), draw(a, 3)};
  int pattern[4] = {1, 2, 3, 4};
  cl_mem other = get(a, BUFFER), mems[] = {mem, other};
  cl_int status;
  switch (draw(a, 9)) {
  case 0:
    status = clEnqueueReadBuffer(queue, mem, blocking, offset, size, host, count, events, done);
    break;
  case 1:
    status = clEnqueueWriteBuffer(queue, mem, blocking, offset, size, host, count, events, done);
    break;
  case 2:
    status = clEnqueueCopyBuffer(queue, mem, other, offset, draw(a, 64) * 4, size, count, events, done);
    break;
  case 3:
    status = clEnqueueFillBuffer(queue, mem, pattern, (size_t)1 << draw(a, 5), offset, size, count, events, done);
    break;
  case 4:
    status =
        clEnqueueReadBufferRect(queue, mem, blocking, origin, origin, region, 64, 0, 64, 0, host, count, events, done);
    break;
  case 5:
    status = clEnqueueCopyBufferRect(queue, mem, other, origin, region, region, 64, 256, 64, 256, count, events, done);
    break;
  case 6:
    status = clEnqueueMigrateMemObjects(queue, 1 + (cl_uint)draw(a, 2), mems, 0, count, events, done);
    break;
  case 7: {
    unsigned *pointer = (unsigned *)a->w->memory;
    const void *place = &pointer;
    status = clEnqueueNativeKernel(queue, native, &pointer, sizeof pointer, 1, mems, &place, count, events, done);
    break;
  }
  default: {
    void *mapped = clEnqueueMapBuffer(queue, mem, blocking, CL_MAP_READ, offset, size, count, events, done, &status);
    if (mapped)
      told(a, clEnqueueUnmapMemObject(queue, mem, mapped, 0, NULL, NULL));
    break;
  }
  }
  let_go(BUFFER, other);
  return status;
}

// ---- images

// A box of an image, which is within it most of the time.
struct box {
  size_t origin[3], size[3];
};

static struct box some_box(struct actor *a, cl_mem image) {
  static const cl_image_info names[] = {CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH, CL_IMAGE_ARRAY_SIZE};
  size_t extent[4];
  struct box box;
  for (int i = 0; i < 4; i++)
    CHECK_OK(clGetImageInfo(image, names[i], sizeof extent[i], &extent[i], NULL));
  size_t layers = extent[3];
  if (layers)
    extent[extent[1] ? 2 : 1] = layers;
  for (int i = 0; i < 3; i++) {
    size_t most = extent[i] ? extent[i] : 1;
    box.origin[i] = draw(a, most);
    box.size[i] = draw(a, 60) ? 1 + draw(a, most - box.origin[i]) : draw(a, 10);
  }
  return box;
}

// Commands that other threads have enqueued may write it meanwhile.
static void look_at(const unsigned char *pixels, size_t size) {
  volatile unsigned char sum = 0;
  for (size_t i = 0; i < size; i++)
    sum = (unsigned char)(sum + pixels[i]);
}

static cl_int map_pixels(struct actor *a, cl_command_queue queue, cl_mem image, const struct box *box,
                         struct waits *waits) {
  static const cl_map_flags flags[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
                                       CL_MAP_WRITE_INVALIDATE_REGION};
  size_t row = 0, slice = 0, pixel;
  cl_bool blocking = !draw(a, 2);
  cl_int status;
  CHECK_OK(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof pixel, &pixel, NULL));
  unsigned char *mapped = clEnqueueMapImage(queue, image, blocking, flags[draw(a, 4)], box->origin, box->size, &row,
                                            draw(a, 9) ? &slice : NULL, waits->count,
                                            waits->count ? waits->events : NULL, waits->wanted, &status);
  if (!mapped)
    return status;
  if (blocking && !slice)
    look_at(mapped, (box->size[1] - 1) * row + box->size[0] * pixel);
  told(a, clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL));
  return status;
}

static cl_int transfer_pixels(struct actor *a, cl_command_queue queue, cl_mem image, struct waits *waits) {
  static const union {
    float f[4];
    cl_int i[4];
  } colors[] = {{.f = {1, 0.5f, 0, 1}}, {.i = {1, -2, 300, 70000}}};
  unsigned char *host = a->w->memory + draw(a, SIZE);
  cl_bool blocking = !draw(a, 4);
  cl_uint count = waits->count;
  const cl_event *events = count ? waits->events : NULL;
  cl_event *done = waits->wanted;
  const struct box box = some_box(a, image);
  size_t row = draw(a, 2) ? 160 + draw(a, 96) : 0, slice = draw(a, 3) ? 0 : 256 * (8 + draw(a, 4)) + draw(a, 32);
  cl_mem buffer = get(a, BUFFER), other = get(a, IMAGE);
  cl_int status = CL_SUCCESS;
  switch (draw(a, 7)) {
  case 0:
    status = clEnqueueReadImage(queue, image, blocking, box.origin, box.size, row, slice, host, count, events, done);
    break;
  case 1:
    status = clEnqueueWriteImage(queue, image, blocking, box.origin, box.size, row, slice, host, count, events, done);
    break;
  case 2:
    status = clEnqueueFillImage(queue, image, &colors[draw(a, 2)], box.origin, box.size, count, events, done);
    break;
  case 3: {
    const struct box to = other ? some_box(a, other) : box;
    status = clEnqueueCopyImage(queue, image, other, box.origin, to.origin, draw(a, 2) ? box.size : to.size, count,
                                events, done);
    break;
  }
  case 4:
    status = clEnqueueCopyImageToBuffer(queue, image, buffer, box.origin, box.size, draw(a, 64), count, events, done);
    break;
  case 5:
    status = clEnqueueCopyBufferToImage(queue, buffer, image, draw(a, 64), box.origin, box.size, count, events, done);
    break;
  default:
    status = map_pixels(a, queue, image, &box, waits);
  }
  let_go(BUFFER, buffer);
  let_go(IMAGE, other);
  return status;
}

// Images and a sampler as arguments of a kernel, which must stay until it is enqueued.
struct looks {
  cl_mem images[2];
  cl_sampler sampler;
};

// ---- command buffers

// Records a launch, and changes it now and then; both may be too late for the buffer, or too early.
static cl_int record_launch(struct actor *a, cl_command_buffer_khr record, cl_kernel kernel, cl_uint dims,
                            const size_t *offset, const size_t *global, const size_t *local, cl_mem mem) {
  const cl_command_buffer_update_type_khr type = CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
  const cl_command_properties_khr args[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 31, 0};
  cl_mutable_command_khr handle = NULL;
  cl_int status = clCommandNDRangeKernelKHR_(record, NULL, draw(a, 2) ? args : NULL, kernel, dims, offset, global,
                                             local, 0, NULL, NULL, draw(a, 2) ? &handle : NULL);
  if (status != CL_SUCCESS || !handle)
    return status;
  size_t sizes[3] = {8 * (1 + draw(a, 8)), 1, 1}, got;
  const struct icd_mutable_arg arg = {(cl_uint)draw(a, 2), sizeof mem, &mem};
  const struct icd_mutable_config config = {handle, .arg_count = (cl_uint)draw(a, 2), .args = &arg,
                                            .global = draw(a, 2) ? sizes : NULL};
  const struct icd_mutable_config plain = {handle, .global = sizes};
  const void *configs[] = {config.arg_count ? &config : &plain};
  told(a, clGetMutableCommandInfoKHR_(handle, CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR, sizeof sizes, sizes, &got));
  told(a, draw(a, 3) ? CL_SUCCESS : clFinalizeCommandBufferKHR_(record));
  told(a, clUpdateMutableCommandsKHR_(record, 1, &type, configs));
  return status;
}

// A transfer into a buffer that may have come to its end already.
static cl_int record_transfer(struct actor *a, cl_command_buffer_khr record, cl_mem mem, cl_mem image) {
  const size_t zero[3] = {0}, one[3] = {1, 1, 1}, offset = draw(a, 64) * 4, size = draw(a, 256) * 4;
  int pattern[4] = {1, 2, 3, 4};
  cl_mem other = get(a, BUFFER);
  cl_sync_point_khr point = 1;
  cl_int status;
  switch (draw(a, 9)) {
  case 0:
    status = clCommandCopyBufferKHR_(record, NULL, NULL, mem, other, offset, draw(a, 64) * 4, size, PLAIN);
    break;
  case 1:
    status = clCommandCopyBufferRectKHR_(record, NULL, NULL, mem, other, zero, one, one, 0, 0, 0, 0, PLAIN);
    break;
  case 2:
    status = clCommandCopyBufferToImageKHR_(record, NULL, NULL, mem, image, offset, zero, one, PLAIN);
    break;
  case 3:
    status = clCommandCopyImageToBufferKHR_(record, NULL, NULL, image, mem, zero, one, offset, PLAIN);
    break;
  case 4:
    status = clCommandCopyImageKHR_(record, NULL, NULL, image, image, zero, one, one, PLAIN);
    break;
  case 5:
    status = clCommandFillImageKHR_(record, NULL, NULL, image, pattern, zero, one, PLAIN);
    break;
  case 6:
    status = clCommandBarrierWithWaitListKHR_(record, NULL, NULL, 1, &point, &point, NULL);
    break;
  case 7:
    status = clCommandSVMMemFillKHR_(record, NULL, NULL, a->w->memory, pattern, 4, size, PLAIN);
    break;
  default:
    status = clCommandFillBufferKHR_(record, NULL, NULL, mem, pattern, (size_t)1 << draw(a, 5), offset, size, PLAIN);
  }
  let_go(BUFFER, other);
  return status;
}

static cl_int launch(struct actor *a, cl_command_queue queue, cl_command_buffer_khr record, cl_mem mem,
                     struct waits *waits);

// Goes on with a command buffer that all may use, or runs it.
static cl_int use_record(struct actor *a, cl_command_queue queue, cl_mem mem, cl_mem image, struct waits *waits) {
  cl_command_buffer_khr record = get(a, RECORD);
  bool own;
  cl_int status = CL_SUCCESS;
  if (!record)
    return status;
  switch (draw(a, 6)) {
  case 0:
    status = launch(a, queue, record, mem, waits);
    break;
  case 1:
  case 2:
    status = record_transfer(a, record, mem, image);
    break;
  case 3:
    status = clFinalizeCommandBufferKHR_(record);
    break;
  default:
    own = draw(a, 4); // the other one may be of another device
    status = clEnqueueCommandBufferKHR_(own ? 0 : 1, own ? NULL : &queue, record, waits->count,
                                        waits->count ? waits->events : NULL, waits->wanted);
  }
  let_go(RECORD, record);
  return status;
}

// ---- launches

// Of the shared images some may suit.
static struct looks set_images(struct actor *a, cl_kernel kernel) {
  struct looks looks = {.sampler = get(a, SAMPLER)};
  for (cl_uint i = 0; i < 2; i++) {
    cl_int status = CL_INVALID_ARG_VALUE;
    for (int tries = 0; tries < 2 * SLOTS && status == CL_INVALID_ARG_VALUE; tries++) {
      let_go(IMAGE, looks.images[i]);
      looks.images[i] = get(a, IMAGE);
      if (looks.images[i])
        status = clSetKernelArg(kernel, i, sizeof looks.images[i], &looks.images[i]);
    }
    told(a, status);
  }
  told(a, clSetKernelArg(kernel, 2, sizeof looks.sampler, &looks.sampler));
  return looks;
}

// The launch is enqueued, or recorded where there is a buffer to record it.
static cl_int launch(struct actor *a, cl_command_queue queue, cl_command_buffer_khr record, cl_mem mem,
                     struct waits *waits) {
  // A kernel of one's own: arguments of a shared one might be buffers that another thread has released.
  cl_kernel shared = get(a, KERNEL);
  cl_int status;
  cl_kernel kernel = shared ? clCloneKernel(shared, &status) : NULL;
  let_go(KERNEL, shared);
  if (!kernel)
    return CL_SUCCESS;
  cl_mem other = get(a, BUFFER);
  cl_uint n = (cl_uint)draw(a, 100);
  size_t global[3] = {draw(a, 20) ? 8 * (1 + draw(a, 8)) : 0, 1, 1}, local[3] = {8, 1, 1}, offset[3] = {draw(a, 3)};
  bool by_value = draw(a, 2) || !other; // kernels do not look for null pointers
  told(a, clSetKernelArg(kernel, 0, sizeof mem, &mem));
  told(a, clSetKernelArg(kernel, 1, by_value ? sizeof n : sizeof other, by_value ? (void *)&n : (void *)&other));
  told(a, clSetKernelArg(kernel, 2, 512, NULL));
  told(a, clSetKernelArg(kernel, 3, sizeof mem, &mem));
  const struct looks looks = set_images(a, kernel);
  cl_uint dims = 1 + (cl_uint)draw(a, 3);
  const size_t *from = draw(a, 3) ? NULL : offset, *group = draw(a, 2) ? local : NULL;
  if (record)
    status = record_launch(a, record, kernel, dims, from, global, group, mem);
  else
    status = clEnqueueNDRangeKernel(queue, kernel, dims, from, global, group, waits->count,
                                    waits->count ? waits->events : NULL, waits->wanted);
  let_go(BUFFER, other);
  let_go(IMAGE, looks.images[0]);
  let_go(IMAGE, looks.images[1]);
  let_go(SAMPLER, looks.sampler);
  let_go(KERNEL, kernel);
  return status;
}

// Shared memory of the caller's own: commands on it, and a release that waits for them.
static cl_int share(struct actor *a, cl_command_queue queue, const struct waits *waits) {
  cl_int status;
  unsigned char pattern[4] = {1, 2, 3, 4},
                *memory = clSharedMemAllocINTEL_(a->w->context, NULL, NULL, SIZE, 0, &status);
  if (!memory)
    return status; // of a device that has no such memory
  cl_event done = NULL;
  status = clEnqueueMemFillINTEL_(queue, memory, pattern, sizeof pattern, SIZE / 2, waits->count,
                                  waits->count ? waits->events : NULL, &done);
  if (status == CL_SUCCESS) {
    told(a, clEnqueueMemcpyINTEL_(queue, CL_FALSE, memory + SIZE / 2, memory, SIZE / 2, 1, &done, waits->wanted));
    clReleaseEvent(done);
  }
  size_t size = 0;
  told(a, clGetMemAllocInfoINTEL_(a->w->context, memory + 7, CL_MEM_ALLOC_SIZE_INTEL, sizeof size, &size, NULL));
  CHECK(size == SIZE);
  if (draw(a, 2))
    clFinish(queue);
  else
    CHECK_OK(clMemBlockingFreeINTEL_(a->w->context, memory));
  told(a, clMemFreeINTEL_(a->w->context, memory)); // the second time in half of the cases
  return status;
}

static void command(struct actor *a) {
  cl_command_queue queue = get(a, QUEUE);
  cl_mem mem = get(a, BUFFER), image = get(a, IMAGE);
  struct waits waits = some_waits(a);
  waits.wanted = draw(a, 2) ? &waits.done : NULL;
  const cl_event *events = waits.count ? waits.events : NULL;
  cl_int status = CL_SUCCESS;
  if (queue && mem)
    switch (draw(a, 13)) {
    case 10:
      status = share(a, queue, &waits);
      break;
    case 11:
    case 12:
      status = use_record(a, queue, mem, image, &waits);
      break;
    case 0:
      status = clEnqueueMarkerWithWaitList(queue, waits.count, events, waits.wanted);
      break;
    case 1:
      status = clEnqueueBarrierWithWaitList(queue, waits.count, events, waits.wanted);
      break;
    case 2:
    case 3:
    case 4:
      status = launch(a, queue, NULL, mem, &waits);
      break;
    case 5:
    case 6:
      status = image ? transfer_pixels(a, queue, image, &waits) : CL_SUCCESS;
      break;
    default:
      status = transfer(a, queue, mem, &waits);
    }
  if (status != CL_SUCCESS)
    waits.done = NULL;
  end_waits(a, &waits, status);
  let_go(BUFFER, mem);
  let_go(IMAGE, image);
  let_go(QUEUE, queue);
}

// ---- objects

static void CL_CALLBACK destroyed(cl_mem mem, void *user) {
  (void)mem;
  struct world *w = user;
  pthread_mutex_lock(&w->lock); // of threads that are inside of calls
  atomic_fetch_sub(&w->awaited, 1);
  pthread_mutex_unlock(&w->lock);
}

static void put_memory(struct actor *a, enum kind kind, cl_mem mem) {
  if (mem && !draw(a, 3)) {
    atomic_fetch_add(&a->w->awaited, 1);
    told(a, clSetMemObjectDestructorCallback(mem, destroyed, a->w));
  }
  put(a, kind, mem);
}

// An image of any type and format, with memory of its own or the application's, over a buffer or over another image.
static cl_int new_image(struct actor *a) {
  static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                             CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
                                             CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D};
  static const cl_mem_flags accesses[] = {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY};
  struct world *w = a->w;
  cl_image_desc desc = {.image_type = types[draw(a, 6)],
                        .image_width = draw(a, 50) ? 1 + draw(a, 8) : 0,
                        .image_height = 1 + draw(a, 8),
                        .image_depth = 1 + draw(a, 3),
                        .image_array_size = 1 + draw(a, 3)};
  cl_mem_flags flags = accesses[draw(a, 3)];
  cl_image_format formats[128];
  cl_uint count;
  cl_int status = clGetSupportedImageFormats(w->context, flags, desc.image_type, 128, formats, &count);
  if (status != CL_SUCCESS)
    return status;
  // Each set of formats is one compile of a kernel: half of the images have one of a few.
  cl_image_format format = formats[draw(a, draw(a, 2) ? 4 : count)];
  enum kind kind = draw(a, 2) ? BUFFER : IMAGE;
  cl_mem parent = desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER || !draw(a, 3) ? get(a, kind) : NULL;
  unsigned char *host = !parent && draw(a, 2) ? w->memory + draw(a, 64) : NULL;
  if (host)
    flags |= draw(a, 2) ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR;
  if (parent && kind == IMAGE && draw(a, 4)) { // one that fits
    CHECK_OK(clGetImageInfo(parent, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
    CHECK_OK(clGetImageInfo(parent, CL_IMAGE_WIDTH, sizeof desc.image_width, &desc.image_width, NULL));
    CHECK_OK(clGetImageInfo(parent, CL_IMAGE_HEIGHT, sizeof desc.image_height, &desc.image_height, NULL));
    format.image_channel_order = format.image_channel_order == CL_R ? CL_DEPTH : CL_sRGBA;
  }
  desc.mem_object = parent;
  desc.image_row_pitch = (host || parent) && draw(a, 2) ? 16 * (8 + draw(a, 4)) : 0;
  desc.image_slice_pitch = host && desc.image_row_pitch && draw(a, 2) ? desc.image_row_pitch * (8 + draw(a, 3)) : 0;
  cl_mem made;
  if (draw(a, 4))
    made = clCreateImageWithProperties(w->context, NULL, flags, &format, &desc, host, &status);
  else if (draw(a, 2))
    made = clCreateImage2D(w->context, flags, &format, desc.image_width, desc.image_height, desc.image_row_pitch, host,
                           &status);
  else
    made = clCreateImage3D(w->context, flags, &format, desc.image_width, desc.image_height, desc.image_depth,
                           desc.image_row_pitch, desc.image_slice_pitch, host, &status);
  put_memory(a, IMAGE, made);
  let_go(kind, parent);
  return status;
}

static void new_object(struct actor *a) {
  struct world *w = a->w;
  cl_int status = CL_SUCCESS;
  switch (draw(a, 9)) {
  case 0:
    put(a, QUEUE, clCreateCommandQueue(w->context, w->devices[draw(a, w->device_count)], draw(a, 5), &status));
    break;
  case 1:
  case 2:
    put_memory(a, BUFFER,
               clCreateBuffer(w->context, (cl_mem_flags)1 << draw(a, 6), draw(a, 50) ? 2 * SIZE : 0,
                              draw(a, 2) ? w->memory : NULL, &status));
    break;
  case 3: {
    cl_mem parent = get(a, BUFFER);
    cl_buffer_region region = {128 * draw(a, 8), 512 + draw(a, 2) * SIZE};
    if (parent)
      put_memory(a, BUFFER, clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    let_go(BUFFER, parent);
    break;
  }
  case 4: {
    cl_program program = get(a, PROGRAM);
    static const char *const names[] = {"add", "scale", "move", "stack", "lines", "edge"};
    cl_kernel kernels[4] = {0};
    if (program && draw(a, 2))
      status = clCreateKernelsInProgram(program, 4, kernels, NULL);
    else if (program)
      kernels[0] = clCreateKernel(program, names[draw(a, 6)], &status);
    for (int i = 0; i < 4; i++)
      put(a, KERNEL, status == CL_SUCCESS ? kernels[i] : NULL);
    let_go(PROGRAM, program);
    break;
  }
  case 5:
    status = new_image(a);
    break;
  case 7: {
    const cl_command_buffer_properties_khr flags[] = {CL_COMMAND_BUFFER_FLAGS_KHR, draw(a, 4), 0};
    cl_command_queue queue = get(a, QUEUE);
    if (queue)
      put(a, RECORD, clCreateCommandBufferKHR_(1, &queue, draw(a, 5) ? flags : NULL, &status));
    let_go(QUEUE, queue);
    break;
  }
  case 6:
    put(a, SAMPLER,
        clCreateSampler(w->context, (cl_bool)draw(a, 2), CL_ADDRESS_NONE + (cl_addressing_mode)draw(a, 6),
                        CL_FILTER_NEAREST + (cl_filter_mode)draw(a, 2), &status));
    break;
  default: { // a user event, which the settler takes; not if there are too many already
    cl_event event = clCreateUserEvent(w->context, &status);
    bool taken = false;
    pthread_mutex_lock(&w->lock);
    if (event && w->gate_count < 64) {
      clRetainEvent(event); // before the settler can have it
      w->gates[w->gate_count++] = event;
      taken = true;
    }
    pthread_mutex_unlock(&w->lock);
    if (taken)
      put(a, EVENT, event);
    else if (event)
      clReleaseEvent(event);
  }
  }
  told(a, status);
}

static void CL_CALLBACK built(cl_program program, void *user) {
  (void)program;
  atomic_fetch_add((_Atomic uint64_t *)user, 1);
}

static void program(struct actor *a) {
  struct world *w = a->w;
  cl_int status;
  const char *source = sources[draw(a, SOURCES)];
  bool is_new = draw(a, 3);
  cl_program made = is_new ? clCreateProgramWithSource(w->context, 1, &source, NULL, &status) : get(a, PROGRAM);
  if (!made)
    return;
  size_t size = 0;
  unsigned char *binary = NULL;
  switch (draw(a, 5)) {
  case 0:
  case 1:
    status = clBuildProgram(made, 0, NULL, draw(a, 20) ? "" : "-no-such-option", built, &w->calls);
    break;
  case 2:
    status = clCompileProgram(made, 0, NULL, "", 0, NULL, NULL, NULL, NULL);
    break;
  case 3: {
    cl_program parts[2] = {made, get(a, PROGRAM)};
    cl_program linked = clLinkProgram(w->context, 0, NULL, draw(a, 2) ? "" : "-create-library", parts[1] ? 2 : 1, parts,
                                      NULL, NULL, &status);
    put(a, PROGRAM, linked);
    let_go(PROGRAM, parts[1]);
    break;
  }
  default: // nobody else may build it between the two questions
    if (is_new)
      told(a, clBuildProgram(made, 0, NULL, "", NULL, NULL));
    status = is_new ? clGetProgramInfo(made, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) : CL_SUCCESS;
    if (status == CL_SUCCESS && size && (binary = malloc(size))) {
      status = clGetProgramInfo(made, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL);
      const unsigned char *bytes = binary;
      if (!draw(a, 8))
        binary[draw(a, size)] ^= 0x10;
      put(a, PROGRAM, clCreateProgramWithBinary(w->context, 1, &w->devices[0], &size, &bytes, NULL, &status));
    }
    free(binary);
  }
  told(a, status);
  put(a, PROGRAM, made);
}

// ---- questions, waiting, wrong handles

static void ask(struct actor *a) {
  unsigned char value[1024];
  size_t size = draw(a, 3) ? sizeof value : draw(a, 16), got;
  void *object;
  enum kind kind = (enum kind)draw(a, KIND_COUNT);
  if (!(object = get(a, kind)))
    return;
  cl_uint name = (cl_uint)draw(a, 20);
  switch (kind) {
  case QUEUE:
    told(a, clGetCommandQueueInfo(object, CL_QUEUE_CONTEXT + name % 7, size, value, &got));
    break;
  case EVENT:
    told(a, clGetEventInfo(object, CL_EVENT_COMMAND_QUEUE + name % 6, size, value, &got));
    told(a, clGetEventProfilingInfo(object, CL_PROFILING_COMMAND_QUEUED + name % 6, size, value, &got));
    break;
  case BUFFER:
    told(a, clGetMemObjectInfo(object, CL_MEM_TYPE + name % 12, size, value, &got));
    break;
  case IMAGE:
    told(a, clGetMemObjectInfo(object, CL_MEM_TYPE + name % 12, size, value, &got));
    told(a, clGetImageInfo(object, CL_IMAGE_FORMAT + name % 12, size, value, &got));
    break;
  case SAMPLER:
    told(a, clGetSamplerInfo(object, CL_SAMPLER_REFERENCE_COUNT + name % 9, size, value, &got));
    break;
  case RECORD:
    told(a, clGetCommandBufferInfoKHR_(object, CL_COMMAND_BUFFER_QUEUES_KHR + name % 6, size, value, &got));
    break;
  case PROGRAM: // those with a log or kernels of any length
    told(a, clGetProgramInfo(object, CL_PROGRAM_REFERENCE_COUNT + name % 5, size, value, &got));
    told(a, clGetProgramBuildInfo(object, a->w->devices[0], CL_PROGRAM_BUILD_STATUS + name % 4, size, value, &got));
    break;
  case KERNEL:
    told(a, clGetKernelInfo(object, CL_KERNEL_FUNCTION_NAME + name % 7, size, value, &got));
    told(a, clGetKernelArgInfo(object, name % 4, CL_KERNEL_ARG_ADDRESS_QUALIFIER + name % 6, size, value, &got));
    told(a, clGetKernelWorkGroupInfo(object, NULL, CL_KERNEL_WORK_GROUP_SIZE + name % 6, size, value, &got));
    break;
  case KIND_COUNT:
    break;
  }
  let_go(kind, object);
}

static void CL_CALLBACK noted(cl_event event, cl_int state, void *user) {
  (void)event, (void)state;
  atomic_fetch_add((_Atomic uint64_t *)user, 1);
}

// What a callback lets go of, with references.
struct promise {
  struct world *w;
  cl_mem mem;
  cl_command_queue queue;
};

static void CL_CALLBACK kept(cl_event event, cl_int state, void *user) {
  struct promise *promise = user;
  (void)state;
  if (promise->queue)
    clEnqueueMarkerWithWaitList(promise->queue, 1, &event, NULL);
  clReleaseEvent(event);
  let_go(BUFFER, promise->mem);
  let_go(QUEUE, promise->queue);
  pthread_mutex_lock(&promise->w->lock);
  atomic_fetch_sub(&promise->w->awaited, 1);
  pthread_mutex_unlock(&promise->w->lock);
  free(promise);
}

static cl_int promise(struct actor *a, cl_event event) {
  struct promise *promise = malloc(sizeof *promise);
  *promise = (struct promise){a->w, get(a, BUFFER), get(a, QUEUE)};
  atomic_fetch_add(&a->w->awaited, 1);
  CHECK_OK(clRetainEvent(event));
  CHECK_OK(clSetEventCallback(event, (cl_int)draw(a, 3), kept, promise)); // with each state it comes once
  return CL_SUCCESS;
}

static void wait_or_call_back(struct actor *a) {
  struct waits waits = some_waits(a);
  cl_command_queue queue = get(a, QUEUE);
  cl_int status = CL_SUCCESS;
  switch (draw(a, 5)) {
  case 0:
    if (queue)
      status = clFinish(queue);
    break;
  case 1:
    status = clWaitForEvents(waits.count, waits.events);
    break;
  case 2:
    if (queue)
      status = clFlush(queue);
    break;
  case 3:
    if (waits.count)
      status = promise(a, waits.events[0]);
    break;
  default:
    if (waits.count)
      status = clSetEventCallback(waits.events[0], (cl_int)draw(a, 4), noted, &a->w->calls);
  }
  end_waits(a, &waits, status);
  let_go(QUEUE, queue);
}

// An object of another kind, which must be told.
static void wrong_handle(struct actor *a) {
  static const cl_int codes[] = {
      CL_INVALID_COMMAND_QUEUE, CL_INVALID_EVENT,      CL_INVALID_MEM_OBJECT, CL_INVALID_PROGRAM,
      CL_INVALID_KERNEL,        CL_INVALID_MEM_OBJECT, CL_INVALID_SAMPLER,    CL_INVALID_COMMAND_BUFFER_KHR};
  enum kind kind = (enum kind)draw(a, KIND_COUNT), as = (enum kind)((kind + 1 + draw(a, KIND_COUNT - 1)) % KIND_COUNT);
  void *object = get(a, kind);
  cl_int status = codes[as];
  size_t size;
  if (!object)
    return;
  if (kind == IMAGE && as == BUFFER) { // which is memory
    let_go(kind, object);
    return;
  }
  switch (as) {
  case QUEUE:
    status = draw(a, 2) ? clFinish(object) : clEnqueueMarkerWithWaitList(object, 0, NULL, NULL);
    break;
  case EVENT:
    status = draw(a, 2) ? clSetUserEventStatus(object, CL_COMPLETE) : clWaitForEvents(1, (cl_event *)&object);
    break;
  case BUFFER:
    status = draw(a, 2) ? clReleaseMemObject(object) : clGetMemObjectInfo(object, CL_MEM_SIZE, 8, &size, NULL);
    break;
  case PROGRAM:
    status = draw(a, 2) ? clBuildProgram(object, 0, NULL, "", NULL, NULL) : clRetainProgram(object);
    break;
  case KERNEL:
    status = draw(a, 2) ? clSetKernelArg(object, 0, 4, &size) : clReleaseKernel(object);
    break;
  case IMAGE:
    status = clGetImageInfo(object, CL_IMAGE_WIDTH, 8, &size, NULL);
    break;
  case SAMPLER:
    status = draw(a, 2) ? clReleaseSampler(object) : clGetSamplerInfo(object, CL_SAMPLER_CONTEXT, 8, &size, NULL);
    break;
  case RECORD:
    status = draw(a, 2) ? clFinalizeCommandBufferKHR_(object) : clReleaseCommandBufferKHR_(object);
    break;
  case KIND_COUNT:
    break;
  }
  CHECK_CODE(status, codes[as]);
  let_go(kind, object);
}

// ---- threads

static void *act(void *user) {
  struct actor *a = user;
  while (!atomic_load(&a->w->stop)) {
    switch (draw(a, 40)) {
    case 0:
      program(a);
      break;
    case 1:
    case 2:
    case 3:
      new_object(a);
      break;
    case 4:
    case 5:
      wait_or_call_back(a);
      break;
    case 6:
      wrong_handle(a);
      break;
    case 7:
    case 8:
    case 9:
      ask(a);
      break;
    default:
      command(a);
    }
  }
  return NULL;
}

// Sets the status of user events, soon after they were made: so that every wait ends.
static void *settle(void *user) {
  struct actor *a = user;
  struct world *w = a->w;
  for (;;) {
    pthread_mutex_lock(&w->lock);
    cl_event event = w->gate_count ? w->gates[--w->gate_count] : NULL;
    pthread_mutex_unlock(&w->lock);
    if (!event && atomic_load(&w->stop))
      return NULL;
    if (!event) {
      usleep(200);
      continue;
    }
    usleep((useconds_t)draw(a, 300));
    CHECK_OK(clSetUserEventStatus(event, draw(a, 8) ? CL_COMPLETE : -7));
    CHECK_CODE(clSetUserEventStatus(event, CL_COMPLETE), CL_INVALID_OPERATION);
    CHECK_OK(clReleaseEvent(event));
  }
}

static void open_devices(struct world *w, cl_device_id device) {
  cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id subs[64];
  cl_uint count = 0;
  cl_int status;
  w->devices[w->device_count++] = device;
  if (clCreateSubDevices(device, equally, 64, subs, &count) != CL_SUCCESS)
    count = 0;
  for (cl_uint i = 0; i < count; i++) {
    if (w->device_count < 3)
      w->devices[w->device_count++] = subs[i];
    else
      clReleaseDevice(subs[i]);
  }
  w->context = clCreateContext(NULL, w->device_count, w->devices, NULL, NULL, &status);
  CHECK_OK(status);
}

static void close_devices(struct world *w) {
  CHECK_OK(clReleaseContext(w->context));
  while (w->device_count > 1)
    CHECK_OK(clReleaseDevice(w->devices[--w->device_count]));
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s SECONDS [SEED]\n", argv[0]);
    return 2;
  }
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
  struct setup s = setup_open(0);
  usm_find(s.platform);
  command_buffer_find(s.platform);
  cl_uint before[KINDS];
  count_objects(s.platform, before);
  struct world *w = calloc(1, sizeof *w);
  struct actor actors[THREADS + 1], settler = {.w = w, .state = seed + 77};
  w->platform = s.platform;
  open_devices(w, s.device);
  pthread_mutex_init(&w->lock, NULL);
  pthread_create(&settler.thread, NULL, settle, &settler);
  for (uint64_t i = 0; i < THREADS; i++) {
    actors[i] = (struct actor){.w = w, .state = (seed * 31 + i + 1) * 0x9e3779b97f4a7c15u};
    pthread_create(&actors[i].thread, NULL, act, &actors[i]);
  }
  sleep((unsigned)atoi(argv[1]));
  atomic_store(&w->stop, true);
  for (int i = 0; i < THREADS; i++)
    pthread_join(actors[i].thread, NULL);
  pthread_join(settler.thread, NULL);
  for (int i = 0; i < SLOTS; i++)
    if (w->slots[QUEUE][i])
      clFinish(w->slots[QUEUE][i]);
  for (int kind = 0; kind < KIND_COUNT; kind++)
    for (int i = 0; i < SLOTS; i++)
      let_go((enum kind)kind, w->slots[kind][i]);
  close_devices(w);
  CHECK(same_objects(s.platform, before));
  CHECK(atomic_load(&w->awaited) == 0);
  printf("%llu calls, %llu of them refused\n", (unsigned long long)w->calls, (unsigned long long)w->failed);
  CHECK(w->calls > 100 && w->failed < w->calls);
  pthread_mutex_destroy(&w->lock);
  setup_close(&s);
  free(w);
  return failures != 0;
}
