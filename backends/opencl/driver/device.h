// The devices that the ICD loader knows, and targets for them.
#ifndef KILN_BACKENDS_OPENCL_DEVICE_H
#define KILN_BACKENDS_OPENCL_DEVICE_H

#include "backends/opencl/driver/api.h"
#include "backends/opencl/print/features.h"

// The arch that needs no device: OpenCL C as text, for every device of OpenCL C 1.2.
#define KILN_CL_TEXT_ARCH "text"
// What an arch ends with whose kernels use images of the device; without it they use buffers.
#define KILN_CL_IMAGES "+images"

// Whether the target is for text alone.
bool kiln_cl_is_text(const struct kiln_target *target);

struct cl_device {
  cl_platform_id platform;
  cl_device_id device;
  uint32_t platform_index, device_index;
  uint32_t twin; // how many devices of the same arch and features come before it
  char platform_name[128], platform_version[192], name[128], vendor[128], driver[128];
  char arch[64];               // "portable-computing-language/pthread-…"
  struct cl_features features; // with those of images
  char feature_text[256];      // without those
  char image_text[256];        // with them; "": the device has no images
  cl_device_type type;
  uint32_t warp_size;
  bool is_nvidia; // its driver differs from others in what it promises
};

struct cl_device_list {
  struct cl_device *items; // malloc'ed
  uint32_t count;
};

// UNAVAILABLE when there is no platform or no device. Empty lists are freed too.
enum kiln_status kiln_cl_devices(const struct cl_api *api, struct cl_device_list *out, struct kiln_report *report);
void kiln_cl_devices_free(struct cl_device_list *list);

// The devices of a target come first in the list; *out_count of them.
enum kiln_status kiln_cl_target_devices(const struct kiln_target *target, struct cl_device_list *list,
                                        uint32_t *out_count, struct kiln_report *report);
// The device of a host's handles, as the first and only one of the list.
enum kiln_status kiln_cl_native_device(const struct kiln_native_context *native, struct cl_device_list *list,
                                       struct kiln_report *report);
enum kiln_status kiln_cl_native_target(const struct kiln_native_context *native, struct kiln_target *out,
                                       struct kiln_report *report);
// A file's build id or other identity of the library that drives the device, in hexadecimal; "" when it is not known.
void kiln_cl_driver_identity(const struct cl_device *device, char *out, size_t size);
#define KILN_CL_IDENTITY 768
// What the binaries of its driver depend on, in one line.
void kiln_cl_binary_identity(const struct cl_device *device, char *out, size_t size);

enum kiln_status kiln_cl_make_target(const char *arch, struct kiln_target *out, struct kiln_report *report);
enum kiln_status kiln_cl_detect_target(struct kiln_target *out, struct kiln_report *report);
// For the automatic choice: a GPU only, and no look at libOpenCL where there is no node of one.
enum kiln_status kiln_cl_detect_gpu(struct kiln_target *out, struct kiln_report *report);
bool kiln_cl_supports_target(const struct kiln_target *target);
void kiln_cl_list_targets(kiln_name_fn *fn, void *user);

#endif
