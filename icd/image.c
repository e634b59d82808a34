// Images: their creation, their boxes, queries. The bytes of an image are those of a memory object (mem.c), over which
// each device has a Kiln image.
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"
#include "icd/tables.h"

struct icd_image_type {
  cl_mem_object_type type;
  enum kiln_image_dimension dimension, of_depth; // of_depth: with a format of depths
  bool has_height, has_depth, has_layers;
};

static const struct icd_image_type image_types[] = {
    {CL_MEM_OBJECT_IMAGE1D, KILN_IMAGE_1D, KILN_IMAGE_1D, false, false, false},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER, KILN_IMAGE_1D_BUFFER, KILN_IMAGE_1D_BUFFER, false, false, false},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, KILN_IMAGE_1D_ARRAY, KILN_IMAGE_1D_ARRAY, false, false, true},
    {CL_MEM_OBJECT_IMAGE2D, KILN_IMAGE_2D, KILN_IMAGE_2D_DEPTH, true, false, false},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, KILN_IMAGE_2D_ARRAY, KILN_IMAGE_2D_ARRAY_DEPTH, true, false, true},
    {CL_MEM_OBJECT_IMAGE3D, KILN_IMAGE_3D, KILN_IMAGE_3D, true, true, false},
};

// ---- what is made, before there is an object

// What the calls are given.
struct wanted {
  cl_context context;
  cl_mem_flags flags;
  const cl_image_format *format;
  const cl_image_desc *desc;
  void *host_ptr;
};

struct plan {
  cl_mem parent; // NULL: memory of its own
  cl_mem_flags flags;
  size_t size;            // bytes
  struct icd_image image; // without the Kiln images, which would follow
};

static cl_int settle_type(const struct wanted *wanted, struct icd_image *image, const struct icd_image_type **out) {
  const cl_image_desc *desc = wanted->desc;
  if (!desc || desc->num_mip_levels || desc->num_samples)
    return CL_INVALID_IMAGE_DESCRIPTOR;
  for (size_t i = 0; i < sizeof image_types / sizeof *image_types; i++) {
    const struct icd_image_type *type = &image_types[i];
    if (type->type != desc->image_type)
      continue;
    image->dimension = image->format.image_channel_order == CL_DEPTH ? type->of_depth : type->dimension;
    image->desc.image_type = type->type;
    *out = type;
    return CL_SUCCESS;
  }
  return CL_INVALID_IMAGE_DESCRIPTOR;
}

static bool is_size(size_t size, uint32_t most) { return size && size <= most; }

// What counts of the sizes that were given.
static cl_int settle_sizes(const struct wanted *wanted, const struct icd_image_type *type, struct icd_image *image) {
  const cl_image_desc *desc = wanted->desc;
  for (uint32_t i = 0; i < wanted->context->device_count; i++) {
    const struct _cl_device_id *device = wanted->context->devices[i];
    struct kiln_image_limits most;
    if (kiln_image_limits(device->backend->kiln, device->index, image->dimension, &most) != KILN_OK)
      return CL_OUT_OF_RESOURCES;
    if (!is_size(desc->image_width, most.width) || (type->has_height && !is_size(desc->image_height, most.height)) ||
        (type->has_depth && !is_size(desc->image_depth, most.depth)) ||
        (type->has_layers && !is_size(desc->image_array_size, most.layers)))
      return CL_INVALID_IMAGE_SIZE;
  }
  image->desc.image_width = desc->image_width;
  image->desc.image_height = type->has_height ? desc->image_height : 0;
  image->desc.image_depth = type->has_depth ? desc->image_depth : 0;
  image->desc.image_array_size = type->has_layers ? desc->image_array_size : 0;
  return CL_SUCCESS;
}

// Pitches that were given go with memory that was given.
static cl_int settle_pitches(const struct wanted *wanted, const struct icd_image_type *type, struct icd_image *image) {
  const cl_image_desc *desc = wanted->desc;
  bool has_rows = wanted->host_ptr || desc->mem_object; // of buffers of pixels, too: the conformance tests give them
  if ((desc->image_row_pitch && !has_rows) || (desc->image_slice_pitch && !wanted->host_ptr))
    return CL_INVALID_IMAGE_DESCRIPTOR;
  size_t line = desc->image_width * image->pixel, plane;
  const struct icd_image *parent = desc->mem_object ? desc->mem_object->image : NULL;
  size_t row = desc->image_row_pitch ? desc->image_row_pitch : parent ? parent->desc.image_row_pitch : line;
  if (row < line || row % image->pixel)
    return desc->mem_object ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR : CL_INVALID_IMAGE_DESCRIPTOR;
  image->desc.image_row_pitch = row;
  if (!type->has_depth && !type->has_layers)
    return CL_SUCCESS;
  if (__builtin_mul_overflow(row, type->has_height ? desc->image_height : 1, &plane))
    return CL_INVALID_IMAGE_DESCRIPTOR;
  size_t slice = desc->image_slice_pitch ? desc->image_slice_pitch : plane;
  if (slice < plane || slice % row)
    return CL_INVALID_IMAGE_DESCRIPTOR;
  image->desc.image_slice_pitch = slice;
  return CL_SUCCESS;
}

// Of settled sizes and pitches: the coordinates of boxes, and how many bytes there are.
static cl_int settle_extent(struct icd_image *image, size_t *size) {
  const cl_image_desc *desc = &image->desc;
  bool is_array_of_rows = desc->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  size_t height = desc->image_height ? desc->image_height : 1;
  size_t slices = desc->image_depth ? desc->image_depth : desc->image_array_size ? desc->image_array_size : 1;
  image->extent[0] = desc->image_width;
  image->extent[1] = is_array_of_rows ? slices : height;
  image->extent[2] = is_array_of_rows ? 1 : slices;
  image->step[0] = image->pixel;
  image->step[1] = is_array_of_rows ? desc->image_slice_pitch : desc->image_row_pitch;
  bool fits = !__builtin_mul_overflow(image->step[1], image->extent[1], &image->step[2]);
  if (desc->image_slice_pitch && !is_array_of_rows)
    image->step[2] = desc->image_slice_pitch;
  fits = fits && !__builtin_mul_overflow(image->step[2], image->extent[2], size);
  return fits ? CL_SUCCESS : CL_INVALID_IMAGE_SIZE;
}

// Which orders share pixels with which, besides themselves.
static bool are_compatible(cl_channel_order order, cl_channel_order parent) {
  static const cl_channel_order pairs[][2] = {
      {CL_sBGRA, CL_BGRA}, {CL_BGRA, CL_sBGRA}, {CL_sRGBA, CL_RGBA}, {CL_RGBA, CL_sRGBA}, {CL_DEPTH, CL_R}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (pairs[i][0] == order && pairs[i][1] == parent)
      return true;
  return false;
}

// An image over another one, with another order of channels.
static cl_int check_image_parent(const struct plan *plan, const cl_image_desc *desc) {
  const struct icd_image *image = &plan->image, *parent = plan->parent->image;
  if (desc->image_type != CL_MEM_OBJECT_IMAGE2D || parent->desc.image_type != CL_MEM_OBJECT_IMAGE2D ||
      desc->image_width != parent->desc.image_width || desc->image_height != parent->desc.image_height ||
      image->desc.image_row_pitch != parent->desc.image_row_pitch)
    return CL_INVALID_IMAGE_DESCRIPTOR;
  return image->format.image_channel_data_type == parent->format.image_channel_data_type &&
                 are_compatible(image->format.image_channel_order, parent->format.image_channel_order)
             ? CL_SUCCESS
             : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
}

static cl_int check_buffer_parent(const struct plan *plan, const cl_image_desc *desc) {
  if (desc->image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER && desc->image_type != CL_MEM_OBJECT_IMAGE2D)
    return CL_INVALID_IMAGE_DESCRIPTOR;
  if (plan->parent->flags & CL_MEM_USE_HOST_PTR && (uintptr_t)plan->parent->host_ptr % plan->image.pixel)
    return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR; // the code of the standard
  return plan->size <= plan->parent->size ? CL_SUCCESS : CL_INVALID_IMAGE_SIZE;
}

static cl_int settle_memory(const struct wanted *wanted, struct plan *plan) {
  const cl_image_desc *desc = wanted->desc;
  if (!desc->mem_object) {
    if (desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
      return CL_INVALID_IMAGE_DESCRIPTOR;
    plan->flags = wanted->flags;
    return icd_mem_check_pointer(wanted->flags, wanted->host_ptr);
  }
  plan->parent = desc->mem_object;
  if (icd_mem_inherit(plan->parent->flags, wanted->flags, &plan->flags) != CL_SUCCESS)
    return CL_INVALID_VALUE;
  if (wanted->host_ptr)
    return CL_INVALID_HOST_PTR;
  return plan->parent->image ? check_image_parent(plan, desc) : check_buffer_parent(plan, desc);
}

static cl_int make_plan(const struct wanted *wanted, struct plan *plan) {
  struct icd_image *image = &plan->image;
  const struct icd_image_type *type = NULL;
  if (!icd_is(wanted->context, ICD_CONTEXT))
    return CL_INVALID_CONTEXT;
  if (icd_mem_check_flags(wanted->flags) != CL_SUCCESS)
    return CL_INVALID_VALUE;
  cl_int status = icd_image_format(wanted->format, &image->kiln_format);
  if (status != CL_SUCCESS)
    return status;
  image->format = *wanted->format;
  image->pixel = kiln_image_pixel_bytes(image->kiln_format);
  status = settle_type(wanted, image, &type);
  cl_mem parent = status == CL_SUCCESS ? wanted->desc->mem_object : NULL;
  if (parent && (!icd_is(parent, ICD_MEM) || parent->context != wanted->context))
    return CL_INVALID_IMAGE_DESCRIPTOR;
  if (status == CL_SUCCESS)
    status = settle_sizes(wanted, type, image);
  if (status == CL_SUCCESS)
    status = settle_pitches(wanted, type, image);
  if (status == CL_SUCCESS)
    status = settle_extent(image, &plan->size);
  if (status == CL_SUCCESS)
    status = settle_memory(wanted, plan);
  if (status == CL_SUCCESS && !icd_image_has_format(wanted->context, image->dimension, plan->flags, image->kiln_format))
    status = CL_IMAGE_FORMAT_NOT_SUPPORTED;
  return status;
}

// ---- life

static cl_int create(const struct wanted *wanted, cl_mem *out) {
  struct plan plan = {0};
  cl_int status = make_plan(wanted, &plan);
  if (status != CL_SUCCESS)
    return status;
  for (uint32_t i = 0; i < wanted->context->device_count; i++)
    if (plan.size > wanted->context->devices[i]->max_alloc)
      return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  size_t room = wanted->context->device_count * sizeof *plan.image.images;
  cl_mem mem = icd_mem_new(wanted->context, plan.flags, plan.size);
  struct icd_image *image = mem ? calloc(1, sizeof *image + room) : NULL;
  if (!image) {
    if (mem)
      icd_mem_release(mem);
    return CL_OUT_OF_HOST_MEMORY;
  }
  memcpy(image, &plan.image, sizeof *image);
  image->desc.mem_object = plan.parent;
  mem->image = image;
  if (plan.parent)
    icd_mem_attach(mem, plan.parent, 0);
  else
    status = icd_mem_allocate(mem, wanted->host_ptr, image->pixel);
  if (status == CL_SUCCESS)
    *out = mem;
  else
    icd_mem_release(mem);
  return status;
}

static struct kiln_image *new_view(cl_mem mem, uint32_t index) {
  const struct icd_image *image = mem->image;
  const cl_image_desc *desc = &image->desc;
  struct kiln_image_desc wanted = {
      .dimension = image->dimension,
      .format = image->kiln_format,
      .width = (uint32_t)desc->image_width,
      .height = (uint32_t)desc->image_height,
      .depth = (uint32_t)desc->image_depth,
      .layers = (uint32_t)desc->image_array_size,
      .row = desc->image_row_pitch,
      .slice = desc->image_slice_pitch,
      .buffer = mem->buffers[index],
  };
  struct kiln_image *view = NULL;
  return kiln_image_create(mem->context->devices[index]->backend->kiln, &wanted, &view) == KILN_OK ? view : NULL;
}

struct kiln_image *icd_image_use(cl_mem mem, const struct _cl_command_queue *queue) {
  if (!icd_mem_use(mem, queue))
    return NULL;
  _Atomic(struct kiln_image *) *place = &mem->image->images[queue->index];
  struct kiln_image *view = atomic_load_explicit(place, memory_order_acquire);
  if (view)
    return view;
  pthread_mutex_lock(&mem->lock);
  view = atomic_load(place);
  if (!view) {
    view = new_view(mem, queue->index);
    atomic_store(place, view);
  }
  pthread_mutex_unlock(&mem->lock);
  return view;
}

void icd_image_free(cl_mem mem) {
  for (uint32_t i = 0; mem->image && i < mem->context->device_count; i++)
    kiln_image_release(mem->image->images[i]);
}

// ---- boxes

cl_int icd_image_box(const struct icd_image *image, const size_t *origin, const size_t *region, struct icd_box *out) {
  if (!origin || !region)
    return CL_INVALID_VALUE;
  for (int d = 0; d < 3; d++) {
    if (!region[d] || origin[d] > image->extent[d] || region[d] > image->extent[d] - origin[d])
      return CL_INVALID_VALUE;
    out->origin[d] = origin[d];
    out->size[d] = region[d];
  }
  return CL_SUCCESS;
}

// ---- calls

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc,
                     void *host_ptr, cl_int *errcode_ret) {
  cl_mem mem = NULL;
  cl_int status = create(&(struct wanted){context, flags, format, desc, host_ptr}, &mem);
  return icd_give(mem, status, errcode_ret);
}

cl_mem clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                   const cl_image_format *format, const cl_image_desc *desc, void *host_ptr,
                                   cl_int *errcode_ret) {
  cl_mem_properties *copy;
  cl_int status = icd_mem_take_properties(context, properties, &copy);
  if (status != CL_SUCCESS)
    return icd_give(NULL, status, errcode_ret);
  return icd_mem_with_properties(clCreateImage(context, flags, format, desc, host_ptr, errcode_ret), copy);
}

// The calls of OpenCL 1.1 know of no descriptor: pitches that do not fit are sizes that do not.
static cl_mem create_old(const struct wanted *wanted, cl_int *errcode_ret) {
  cl_mem mem = NULL;
  cl_int status = create(wanted, &mem);
  return icd_give(mem, status == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : status, errcode_ret);
}

cl_mem clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                       size_t height, size_t row_pitch, void *host_ptr, cl_int *errcode_ret) {
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height, .image_row_pitch = row_pitch};
  return create_old(&(struct wanted){context, flags, format, &desc, host_ptr}, errcode_ret);
}

cl_mem clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                       size_t height, size_t depth, size_t row_pitch, size_t slice_pitch, void *host_ptr,
                       cl_int *errcode_ret) {
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                              .image_width = width,
                              .image_height = height,
                              .image_depth = depth,
                              .image_row_pitch = row_pitch,
                              .image_slice_pitch = slice_pitch};
  return create_old(&(struct wanted){context, flags, format, &desc, host_ptr}, errcode_ret);
}

cl_int clGetImageInfo(cl_mem mem, cl_image_info name, size_t size, void *value, size_t *size_ret) {
  if (!icd_is_image(mem))
    return CL_INVALID_MEM_OBJECT;
  const struct icd_answer answer = {size, value, size_ret};
  const struct icd_image *image = mem->image;
  const cl_image_desc *desc = &image->desc;
  switch (name) {
    BYTES(CL_IMAGE_FORMAT, &image->format, sizeof image->format)
    VALUE(CL_IMAGE_ELEMENT_SIZE, size_t, image->pixel)
    VALUE(CL_IMAGE_ROW_PITCH, size_t, desc->image_row_pitch)
    VALUE(CL_IMAGE_SLICE_PITCH, size_t, desc->image_slice_pitch)
    VALUE(CL_IMAGE_WIDTH, size_t, desc->image_width)
    VALUE(CL_IMAGE_HEIGHT, size_t, desc->image_height)
    VALUE(CL_IMAGE_DEPTH, size_t, desc->image_depth)
    VALUE(CL_IMAGE_ARRAY_SIZE, size_t, desc->image_array_size)
    VALUE(CL_IMAGE_BUFFER, cl_mem, mem->parent && !mem->parent->image ? mem->parent : NULL)
    VALUE(CL_IMAGE_NUM_MIP_LEVELS, cl_uint, 0)
    VALUE(CL_IMAGE_NUM_SAMPLES, cl_uint, 0)
  }
  return CL_INVALID_VALUE;
}
