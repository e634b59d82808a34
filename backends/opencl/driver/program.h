// Programs: what the printer made, on its way through the device's compiler, and the metadata that load needs.
#ifndef KILN_BACKENDS_OPENCL_PROGRAM_H
#define KILN_BACKENDS_OPENCL_PROGRAM_H

#include "backends/opencl/driver/device.h"
#include "backends/opencl/print/printed.h"

// Beside the text: a header, the metadata of printf (prints.h; may be empty), then kernel names, letters of arguments
// (may be empty) and build options, each with its NUL.
struct cl_meta {
  char magic[8]; // CL_META_MAGIC
  uint32_t kernel_count, prints_size, names_size, options_size, args_size, zero;
};
#define CL_META_MAGIC "kilncl3"

struct cl_meta_view {
  const uint32_t *prints;             // NULL: nothing prints
  uint32_t prints_size;               // bytes
  const char *names, *args, *options; // args NULL: all arguments are plain
  uint32_t kernel_count;
};

// Checks and takes apart; false when the bytes are not what kiln_cl_meta_write wrote.
bool kiln_cl_meta_read(const void *data, size_t size, struct cl_meta_view *out);
bool kiln_cl_meta_write(const struct cl_printed *printed, uint32_t kernel_count, const char *options, void **out,
                        size_t *out_size);
// The name of a kernel in the text.
const char *kiln_cl_meta_name(const struct cl_meta_view *meta, uint32_t index);
// A letter for each of its arguments (enum cl_arg_letter); NULL: they are plain.
const char *kiln_cl_meta_args(const struct cl_meta_view *meta, uint32_t index);

// Whether the kernel has the buffer of printf as its last argument.
bool kiln_cl_meta_prints(const struct cl_meta_view *meta, uint32_t index);

// Builds a program for one device of the context. From source: COMPILE with the driver's log. From a binary:
// a failure is only a status, without a report (report may be NULL).
enum kiln_status kiln_cl_build_source(const struct cl_api *api, cl_context context, cl_device_id device,
                                      const char *source, const char *options, cl_program *out,
                                      struct kiln_report *report);
enum kiln_status kiln_cl_build_binary(const struct cl_api *api, cl_context context, cl_device_id device,
                                      const void *data, size_t size, const char *options, cl_program *out);
// What the driver made of a program for one of its devices: malloc'ed.
enum kiln_status kiln_cl_read_binary(const struct cl_api *api, cl_program program, cl_device_id device, void **data,
                                     size_t *size, struct kiln_report *report);

#endif
