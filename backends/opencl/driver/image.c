// Images and samplers of the device: what there can be, and how they are made. Commands on them are in pixels.c.
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/driver/driver.h"
#include "kiln/pixel.h"

enum { MOST_FORMATS = 512, HOST_ALIGN = 4096 };

static const struct {
  const char *name;
  cl_mem_object_type type;
} dimensions[KILN_CL_DIMENSIONS] = {
    [KILN_IMAGE_1D] = {"1D", CL_MEM_OBJECT_IMAGE1D},
    [KILN_IMAGE_1D_BUFFER] = {"1D buffer", CL_MEM_OBJECT_IMAGE1D_BUFFER},
    [KILN_IMAGE_1D_ARRAY] = {"1D array", CL_MEM_OBJECT_IMAGE1D_ARRAY},
    [KILN_IMAGE_2D] = {"2D", CL_MEM_OBJECT_IMAGE2D},
    [KILN_IMAGE_2D_ARRAY] = {"2D array", CL_MEM_OBJECT_IMAGE2D_ARRAY},
    [KILN_IMAGE_3D] = {"3D", CL_MEM_OBJECT_IMAGE3D},
    [KILN_IMAGE_2D_DEPTH] = {"2D depth", CL_MEM_OBJECT_IMAGE2D},
    [KILN_IMAGE_2D_ARRAY_DEPTH] = {"2D array depth", CL_MEM_OBJECT_IMAGE2D_ARRAY},
};

static bool is_depth(enum kiln_image_dimension dimension) {
  return dimension == KILN_IMAGE_2D_DEPTH || dimension == KILN_IMAGE_2D_ARRAY_DEPTH;
}

static size_t number(const struct kiln_drv *drv, uint32_t device, cl_device_info what, size_t size) {
  size_t value = 0; // cl_uint and size_t alike, on machines that begin with the low byte
  if (drv->api.clGetDeviceInfo(drv->devices[device].info.device, what, size, &value, NULL) != CL_SUCCESS)
    return 0;
  return value;
}

// ---- formats and limits

static const cl_mem_flags uses[KILN_CL_USES] = {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE,
                                                CL_MEM_KERNEL_READ_AND_WRITE};
enum { READ_ONLY, WRITE_ONLY, READ_WRITE, KERNEL_READ_AND_WRITE };

// NULL: the device gave no list, or memory is exhausted.
static struct cl_formats *ask_formats(struct kiln_drv *drv, enum kiln_image_dimension dimension, size_t use) {
  cl_image_format *formats = calloc(MOST_FORMATS, sizeof *formats);
  cl_uint listed = 0;
  struct cl_formats *out = NULL;
  if (formats && drv->api.clGetSupportedImageFormats(drv->context, uses[use], dimensions[dimension].type, MOST_FORMATS,
                                                     formats, &listed) == CL_SUCCESS) {
    listed = listed < MOST_FORMATS ? listed : MOST_FORMATS;
    out = calloc(1, sizeof *out + listed * sizeof *out->items);
  }
  for (cl_uint i = 0; out && i < listed; i++) {
    struct kiln_image_format *format = &out->items[out->count];
    out->count += kiln_pixel_format_of((int32_t)formats[i].image_channel_order,
                                       (int32_t)formats[i].image_channel_data_type, format) &&
                  is_depth(dimension) == (format->order == KILN_ORDER_DEPTH);
  }
  free(formats);
  return out;
}

// Lists are those of the context, which are asked for once: some drivers compute them each time.
static const struct cl_formats *formats_for(struct kiln_drv *drv, enum kiln_image_dimension dimension, size_t use) {
  static const struct cl_formats none;
  pthread_mutex_lock(&drv->lock);
  struct cl_formats **kept = &drv->formats[dimension][use];
  if (!*kept)
    *kept = ask_formats(drv, dimension, use);
  const struct cl_formats *formats = *kept;
  pthread_mutex_unlock(&drv->lock);
  return formats ? formats : &none;
}

void kiln_cl_formats_free(struct kiln_drv *drv) {
  for (size_t dimension = 0; dimension < KILN_CL_DIMENSIONS; dimension++)
    for (size_t use = 0; use < KILN_CL_USES; use++)
      free(drv->formats[dimension][use]);
}

uint32_t kiln_cl_image_formats(struct kiln_drv *drv, uint32_t device, enum kiln_image_dimension dimension,
                               enum kiln_access access, struct kiln_image_format *out, uint32_t capacity) {
  static const size_t use[] = {[KILN_ACCESS_NONE] = READ_ONLY,
                               [KILN_ACCESS_READ] = READ_ONLY,
                               [KILN_ACCESS_WRITE] = WRITE_ONLY,
                               [KILN_ACCESS_READ_WRITE] = KERNEL_READ_AND_WRITE};
  const struct cl_features *features = &drv->devices[device].info.features;
  if ((access == KILN_ACCESS_READ_WRITE && !features->read_write_images) ||
      (dimension == KILN_IMAGE_3D && access > KILN_ACCESS_READ && !features->image_3d_writes) ||
      (is_depth(dimension) && !features->depth_images))
    return 0;
  const struct cl_formats *formats = formats_for(drv, dimension, use[access]);
  for (uint32_t i = 0; i < formats->count && i < capacity; i++)
    out[i] = formats->items[i];
  return formats->count;
}

void kiln_cl_image_limits(struct kiln_drv *drv, uint32_t device, enum kiln_image_dimension dimension,
                          struct kiln_image_limits *out) {
  bool is_3d = dimension == KILN_IMAGE_3D, is_buffer = dimension == KILN_IMAGE_1D_BUFFER;
  cl_device_info width = is_3d       ? CL_DEVICE_IMAGE3D_MAX_WIDTH
                         : is_buffer ? CL_DEVICE_IMAGE_MAX_BUFFER_SIZE
                                     : CL_DEVICE_IMAGE2D_MAX_WIDTH;
  cl_device_info height = is_3d ? CL_DEVICE_IMAGE3D_MAX_HEIGHT : CL_DEVICE_IMAGE2D_MAX_HEIGHT;
  const size_t sizes[] = {
      number(drv, device, width, sizeof(size_t)),
      number(drv, device, height, sizeof(size_t)),
      number(drv, device, CL_DEVICE_IMAGE3D_MAX_DEPTH, sizeof(size_t)),
      number(drv, device, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, sizeof(size_t)),
  };
  uint32_t *limits[] = {&out->width, &out->height, &out->depth, &out->layers};
  for (int i = 0; i < 4; i++)
    *limits[i] = sizes[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)sizes[i];
}

// ---- samplers

enum kiln_status kiln_cl_sampler_of(struct kiln_drv *drv, uint32_t word, cl_sampler *out, struct kiln_report *report) {
  static const cl_addressing_mode modes[] = {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP,
                                             CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT};
  uint32_t mode = (word & KILN_SAMPLER_ADDRESS) / 2;
  if (word >= KILN_CL_SAMPLERS || mode >= sizeof modes / sizeof *modes)
    return kiln_fail(report, KILN_ERR_INVALID, "0x%x is no sampler", (unsigned)word);
  cl_int code = CL_SUCCESS;
  pthread_mutex_lock(&drv->lock);
  if (!drv->samplers[word])
    drv->samplers[word] =
        drv->api.clCreateSampler(drv->context, word & KILN_SAMPLER_NORMALIZED ? CL_TRUE : CL_FALSE, modes[mode],
                                 word & KILN_SAMPLER_LINEAR ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &code);
  *out = drv->samplers[word];
  pthread_mutex_unlock(&drv->lock);
  return *out ? KILN_OK : kiln_cl_report(report, code, "making a sampler");
}

// ---- images that are memory of the host

// Writes one pixel of an image over the bytes, and looks for it there; then the other way round.
static bool finds_its_bytes(struct kiln_drv *drv, cl_command_queue queue, cl_mem image, unsigned char *bytes) {
  static const size_t origin[3] = {1, 1, 0}, region[3] = {1, 1, 1};
  unsigned char pixel[4] = {1, 2, 3, 4}, *place = bytes + 32 + 4; // rows are 32 bytes apart
  if (drv->api.clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, pixel, 0, NULL, NULL) != CL_SUCCESS ||
      drv->api.clFinish(queue) != CL_SUCCESS || memcmp(place, pixel, sizeof pixel) != 0)
    return false;
  place[2] = 77;
  return drv->api.clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, pixel, 0, NULL, NULL) == CL_SUCCESS &&
         pixel[2] == 77;
}

static bool try_in_place(struct kiln_drv *drv, uint32_t device) {
  void *bytes = NULL;
  bool found = false;
  if (posix_memalign(&bytes, HOST_ALIGN, HOST_ALIGN))
    return false;
  memset(bytes, 0, HOST_ALIGN);
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 2, .image_row_pitch = 32};
  cl_int code;
  cl_command_queue queue = drv->api.clCreateCommandQueue(drv->context, drv->devices[device].info.device, 0, &code);
  cl_mem image =
      drv->api.clCreateImage(drv->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, &format, &desc, bytes, &code);
  if (queue && image)
    found = finds_its_bytes(drv, queue, image, bytes);
  if (image)
    drv->api.clReleaseMemObject(image);
  if (queue)
    drv->api.clReleaseCommandQueue(queue);
  free(bytes);
  return found;
}

// Whether images over memory of the host are that memory: then all buffers of the device can be images.
static bool is_in_place(struct kiln_drv *drv, uint32_t device) {
  struct cl_open_device *d = &drv->devices[device];
  pthread_mutex_lock(&drv->lock);
  if (d->in_place == KILN_CL_NOT_TRIED)
    d->in_place = d->host_memory && try_in_place(drv, device) ? KILN_CL_IN_PLACE : KILN_CL_ELSEWHERE;
  bool is = d->in_place == KILN_CL_IN_PLACE;
  pthread_mutex_unlock(&drv->lock);
  return is;
}

// ---- images

// An image on its way to the device.
struct making {
  struct kiln_drv *drv;
  uint32_t device;
  const struct kiln_image_desc *desc;
  cl_mem_flags flags;
  cl_image_format format;
  cl_image_desc image;
  struct kiln_drv_memory *out;
  struct kiln_report *report;
};

// Kernels may read and write it, or what the device has of that.
static cl_mem_flags flags_for(struct kiln_drv *drv, const struct kiln_image_desc *desc) {
  static const size_t order[] = {READ_WRITE, READ_ONLY, WRITE_ONLY};
  for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
    const struct cl_formats *formats = formats_for(drv, desc->dimension, order[i]);
    for (uint32_t f = 0; f < formats->count; f++)
      if (formats->items[f].order == desc->format.order && formats->items[f].type == desc->format.type)
        return uses[order[i]];
  }
  return CL_MEM_READ_WRITE; // and the driver says no
}

static enum kiln_status finish(struct making *m, cl_int code) {
  if (m->out->mem)
    return KILN_OK;
  char format[24];
  kiln_pixel_format_text(m->desc->format, format, sizeof format);
  enum kiln_status status = kiln_cl_report(m->report, code, "making an image");
  kiln_fail(m->report, status, "it is a %s image of %s on '%s'", dimensions[m->desc->dimension].name, format,
            m->drv->devices[m->device].info.name);
  return status;
}

static enum kiln_status make(struct making *m, cl_mem_flags more, void *host) {
  cl_int code = CL_SUCCESS;
  m->out->mem = m->drv->api.clCreateImage(m->drv->context, m->flags | more, &m->format, &m->image, host, &code);
  return finish(m, code);
}

// With pitches: those of the host's memory. Layers of one row are that far apart, too: PoCL 3.1 goes by the row alone.
static void set_pitches(struct making *m) {
  enum kiln_image_dimension dimension = m->desc->dimension;
  bool has_slices = dimension != KILN_IMAGE_1D && dimension != KILN_IMAGE_2D && dimension != KILN_IMAGE_2D_DEPTH;
  m->image.image_row_pitch = m->out->is_row ? m->desc->slice : m->desc->row;
  m->image.image_slice_pitch = has_slices ? m->desc->slice : 0;
}

static enum kiln_status make_new(struct making *m) {
  if (m->desc->host)
    set_pitches(m);
  return make(m, m->desc->host ? CL_MEM_COPY_HOST_PTR : 0, m->desc->host);
}

// The image's buffer: what begins at offset, which may be longer than the image.
static enum kiln_status set_buffer(struct making *m, struct kiln_drv_memory *memory, size_t offset) {
  cl_buffer_region region = {offset, memory->size - offset};
  cl_int code = CL_SUCCESS;
  m->image.buffer = memory->mem;
  if (!offset)
    return KILN_OK;
  if (memory->host && is_in_place(m->drv, m->device)) // at any address
    m->out->under = m->drv->api.clCreateBuffer(m->drv->context, m->flags | CL_MEM_USE_HOST_PTR, region.size,
                                               (char *)memory->host + offset, &code);
  else
    m->out->under = m->drv->api.clCreateSubBuffer(memory->mem, m->flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  m->image.buffer = m->out->under;
  return m->out->under ? KILN_OK : finish(m, code);
}

static enum kiln_status refuse_part(struct making *m) {
  return kiln_fail(m->report, KILN_ERR_UNSUPPORTED,
                   "'%s' has no %s images that are parts of buffers or of the host's memory; an image with memory of "
                   "its own can be filled from there",
                   m->drv->devices[m->device].info.name, dimensions[m->desc->dimension].name);
}

static enum kiln_status make_over(struct making *m, struct kiln_drv_memory *memory, size_t offset) {
  enum kiln_image_dimension dimension = m->desc->dimension;
  size_t pixel = kiln_pixel_bytes(m->desc->format);
  size_t align = number(m->drv, m->device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT, sizeof(cl_uint)) * pixel;
  if (dimension == KILN_IMAGE_1D_BUFFER) {
    enum kiln_status status = set_buffer(m, memory, offset);
    return status ? status : make(m, 0, NULL);
  }
  set_pitches(m);
  if (memory->host && is_in_place(m->drv, m->device))
    return make(m, CL_MEM_USE_HOST_PTR, (char *)memory->host + offset);
  if ((dimension != KILN_IMAGE_2D && dimension != KILN_IMAGE_2D_DEPTH) || !align)
    return refuse_part(m);
  if (m->desc->row % align)
    return kiln_fail(m->report, KILN_ERR_UNSUPPORTED,
                     "rows of %zu bytes of an image in a buffer: '%s' needs multiples of %zu", m->desc->row,
                     m->drv->devices[m->device].info.name, align);
  enum kiln_status status = set_buffer(m, memory, offset);
  return status ? status : make(m, 0, NULL);
}

enum kiln_status kiln_cl_image_create(struct kiln_drv *drv, uint32_t device, const struct kiln_image_desc *desc,
                                      struct kiln_drv_memory *memory, size_t offset, struct kiln_drv_memory **out,
                                      struct kiln_report *report) {
  enum kiln_image_dimension dimension = desc->dimension;
  bool has_height = dimension >= KILN_IMAGE_2D;
  struct making m = {
      .drv = drv,
      .device = device,
      .desc = desc,
      .flags = flags_for(drv, desc),
      .format = {(cl_channel_order)kiln_pixel_order_number(desc->format),
                 (cl_channel_type)kiln_pixel_type_number(desc->format)},
      .image = {.image_type = dimensions[dimension].type,
                .image_width = desc->width,
                .image_height = has_height ? desc->height : 0,
                .image_depth = dimension == KILN_IMAGE_3D ? desc->depth : 0,
                .image_array_size = desc->layers},
      .out = calloc(1, sizeof *m.out),
      .report = report,
  };
  if (!m.out)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for an image");
  m.out->device = device;
  m.out->is_row = dimension == KILN_IMAGE_1D_ARRAY;
  enum kiln_status status = memory ? make_over(&m, memory, offset) : make_new(&m);
  if (status) {
    if (m.out->under)
      drv->api.clReleaseMemObject(m.out->under);
    free(m.out);
    return status;
  }
  *out = m.out;
  return KILN_OK;
}
