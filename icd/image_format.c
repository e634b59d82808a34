// Formats of images: the numbers of the standard and Kiln's, and which there are.
#include "icd/icd.h"

static const struct {
  cl_channel_order number;
  enum kiln_channel_order order;
} orders[] = {
#define KILN_CHANNEL_ORDER(NAME, text, channels, stored, alpha, number) {number, KILN_ORDER_##NAME},
#include "kiln/pixel.def"
};

static const struct {
  cl_channel_type number;
  enum kiln_channel_type type;
} types[] = {
#define KILN_CHANNEL_TYPE(NAME, text, bytes, kind, number) {number, KILN_CHANNEL_##NAME},
#include "kiln/pixel.def"
};

#define ORDERS (sizeof orders / sizeof *orders)
#define TYPES (sizeof types / sizeof *types)
#define MOST_FORMATS (ORDERS * TYPES)

cl_int icd_image_format(const cl_image_format *format, struct kiln_image_format *out) {
  if (!format || format->image_channel_order < CL_R || format->image_channel_order > CL_ABGR ||
      format->image_channel_data_type < CL_SNORM_INT8 || format->image_channel_data_type > CL_UNORM_INT_101010_2)
    return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
  size_t order = 0, type = 0;
  while (order < ORDERS && orders[order].number != format->image_channel_order)
    order++;
  while (type < TYPES && types[type].number != format->image_channel_data_type)
    type++;
  if (order == ORDERS || type == TYPES)
    return CL_IMAGE_FORMAT_NOT_SUPPORTED;
  *out = (struct kiln_image_format){orders[order].order, types[type].type};
  if (kiln_image_pixel_bytes(*out))
    return CL_SUCCESS;
  // The standard has integers in RA.
  bool is_integer =
      format->image_channel_data_type >= CL_SIGNED_INT8 && format->image_channel_data_type <= CL_UNSIGNED_INT32;
  return format->image_channel_order == CL_RA && is_integer ? CL_IMAGE_FORMAT_NOT_SUPPORTED
                                                            : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
}

// Those of all devices are the same. Returns how many there are.
static uint32_t formats_of(cl_context context, enum kiln_image_dimension dimension, enum kiln_access access,
                           struct kiln_image_format out[MOST_FORMATS]) {
  const struct _cl_device_id *device = context->devices[0];
  uint32_t count = 0;
  kiln_image_formats(device->backend->kiln, device->index, dimension, access, out, MOST_FORMATS, &count);
  return count;
}

bool icd_image_has_format(cl_context context, enum kiln_image_dimension dimension, cl_mem_flags flags,
                          struct kiln_image_format format) {
  struct kiln_image_format formats[MOST_FORMATS];
  enum kiln_access access = flags & CL_MEM_WRITE_ONLY ? KILN_ACCESS_WRITE : KILN_ACCESS_READ;
  uint32_t count = formats_of(context, dimension, access, formats), i = 0;
  while (i < count && (formats[i].order != format.order || formats[i].type != format.type))
    i++;
  return i < count;
}

static const struct {
  cl_mem_object_type type;
  enum kiln_image_dimension dimension;
} dimensions[] = {
    {CL_MEM_OBJECT_IMAGE1D, KILN_IMAGE_1D},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER, KILN_IMAGE_1D_BUFFER},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, KILN_IMAGE_1D_ARRAY},
    {CL_MEM_OBJECT_IMAGE2D, KILN_IMAGE_2D},
    {CL_MEM_OBJECT_IMAGE2D, KILN_IMAGE_2D_DEPTH},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, KILN_IMAGE_2D_ARRAY},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, KILN_IMAGE_2D_ARRAY_DEPTH},
    {CL_MEM_OBJECT_IMAGE3D, KILN_IMAGE_3D},
};

static enum kiln_access access_of(cl_mem_flags flags) {
  return flags & CL_MEM_READ_ONLY    ? KILN_ACCESS_READ
         : flags & CL_MEM_WRITE_ONLY ? KILN_ACCESS_WRITE
                                     : KILN_ACCESS_READ_WRITE;
}

cl_int clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint num_entries,
                                  cl_image_format *formats, cl_uint *num_formats) {
  if (!icd_is(context, ICD_CONTEXT))
    return CL_INVALID_CONTEXT;
  cl_mem_flags plain = flags & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE;
  if (icd_mem_check_flags(plain) != CL_SUCCESS || (formats && !num_entries))
    return CL_INVALID_VALUE;
  cl_uint count = 0;
  bool is_type = false;
  for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++) {
    if (dimensions[i].type != type)
      continue;
    is_type = true;
    struct kiln_image_format found[MOST_FORMATS];
    enum kiln_access access = plain == flags ? access_of(flags) : KILN_ACCESS_READ_WRITE;
    uint32_t more = formats_of(context, dimensions[i].dimension, access, found);
    for (uint32_t k = 0; k < more; k++, count++)
      if (formats && count < num_entries)
        formats[count] = (cl_image_format){orders[found[k].order].number, types[found[k].type].number};
  }
  if (is_type && num_formats)
    *num_formats = count;
  return is_type ? CL_SUCCESS : CL_INVALID_VALUE;
}
