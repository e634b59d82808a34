// What the ICD loader offers: platforms, devices, what they can do.
#include "backends/opencl/driver/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/exhausted.h"
#include "base/c_locale.h"
#include "base/file.h"
#include "base/hash.h"

enum { MAX_PLATFORMS = 32, MAX_DEVICES = 64 };

// ---- queries

static void device_string(const struct cl_api *api, cl_device_id device, cl_device_info what, char *out, size_t size) {
  char text[16384] = "";
  out[0] = 0;
  if (api->clGetDeviceInfo(device, what, sizeof text - 1, text, NULL) == CL_SUCCESS) {
    text[sizeof text - 1] = 0;
    snprintf(out, size, "%s", text);
  }
}

static void platform_string(const struct cl_api *api, cl_platform_id platform, cl_platform_info what, char *out,
                            size_t size) {
  char text[1024] = "";
  api->clGetPlatformInfo(platform, what, sizeof text - 1, text, NULL);
  text[sizeof text - 1] = 0;
  snprintf(out, size, "%s", text);
}

static uint64_t device_number(const struct cl_api *api, cl_device_id device, cl_device_info what, size_t size) {
  union {
    cl_uint u32;
    cl_ulong u64;
  } value = {0};
  if (api->clGetDeviceInfo(device, what, size, &value, NULL) != CL_SUCCESS)
    return 0;
  return size == 4 ? value.u32 : value.u64;
}

static bool has_word(const char *list, const char *word) {
  size_t size = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); at += size)
    if ((at == list || at[-1] == ' ') && (at[size] == ' ' || at[size] == 0))
      return true;
  return false;
}

// An optional feature of OpenCL 3.0, by its macro.
static bool has_feature(const struct cl_api *api, cl_device_id device, const char *name) {
  cl_name_version list[128];
  size_t size = 0;
  if (api->clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof list, list, &size) != CL_SUCCESS)
    return false;
  for (size_t i = 0; i < size / sizeof *list; i++)
    if (strncmp(list[i].name, name, sizeof list[i].name) == 0)
      return true;
  return false;
}

static unsigned c_version(const struct cl_api *api, cl_device_id device) {
  cl_name_version list[32];
  size_t size = 0;
  unsigned best = 0, major = 1, minor = 1;
  if (api->clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof list, list, &size) == CL_SUCCESS)
    for (size_t i = 0; i < size / sizeof *list; i++) {
      unsigned version = CL_VERSION_MAJOR(list[i].version) * 100 + CL_VERSION_MINOR(list[i].version) * 10;
      best = version > best ? version : best;
    }
  if (best)
    return best;
  char text[128];
  device_string(api, device, CL_DEVICE_OPENCL_C_VERSION, text, sizeof text);
  sscanf(text, "OpenCL C %u.%u", &major, &minor);
  return major * 100 + minor * 10;
}

static void query_features(const struct cl_api *api, struct cl_device *d) {
  char extensions[16384];
  device_string(api, d->device, CL_DEVICE_EXTENSIONS, extensions, sizeof extensions);
  struct cl_features *f = &d->features;
  f->version = c_version(api, d->device);
  bool v3 = f->version >= 300, v2 = f->version >= 200 && !v3;
  f->fp64 = device_number(api, d->device, CL_DEVICE_DOUBLE_FP_CONFIG, 8) != 0;
  f->fp16 = has_word(extensions, "cl_khr_fp16");
  f->int64_base = has_word(extensions, "cl_khr_int64_base_atomics");
  f->int64_extended = has_word(extensions, "cl_khr_int64_extended_atomics");
  f->generic = v2 || (v3 && has_feature(api, d->device, "__opencl_c_generic_address_space"));
  f->c11_atomics = v2 || (v3 && has_feature(api, d->device, "__opencl_c_atomic_order_acq_rel") &&
                          has_feature(api, d->device, "__opencl_c_atomic_scope_device"));
  f->seq_cst = v2 || (v3 && has_feature(api, d->device, "__opencl_c_atomic_order_seq_cst"));
  f->variables = v2 || (v3 && has_feature(api, d->device, "__opencl_c_program_scope_global_variables"));
  f->fma = (device_number(api, d->device, CL_DEVICE_SINGLE_FP_CONFIG, 8) & CL_FP_FMA) != 0;
  f->partial_groups = v2 || (v3 && device_number(api, d->device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, 4) != 0);
  f->group_size = (unsigned)device_number(api, d->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t));
  f->narrow = device_number(api, d->device, CL_DEVICE_ADDRESS_BITS, 4) == 32;
  f->gpu = (d->type & CL_DEVICE_TYPE_GPU) != 0;
  f->no_offset = strstr(d->platform_name, "Portable Computing Language") != NULL && !f->partial_groups;
  f->lane_trig =
      strstr(d->platform_name, "Portable Computing Language") != NULL && strstr(d->platform_version, "PoCL 3.");
  d->is_nvidia = strstr(d->platform_name, "NVIDIA") != NULL;
  f->nan_limits = d->is_nvidia;
  kiln_cl_features_format(f, d->feature_text, sizeof d->feature_text);
  f->images = device_number(api, d->device, CL_DEVICE_IMAGE_SUPPORT, 4) != 0;
  f->image_3d_writes = f->images && (v2 || has_word(extensions, "cl_khr_3d_image_writes") ||
                                     (v3 && has_feature(api, d->device, "__opencl_c_3d_image_writes")));
  f->read_write_images = f->images && (v2 || (v3 && has_feature(api, d->device, "__opencl_c_read_write_images")));
  f->depth_images = f->images && (v2 || has_word(extensions, "cl_khr_depth_images"));
  if (f->images)
    kiln_cl_features_format(f, d->image_text, sizeof d->image_text);
}

// Lanes that run in lock-step, as the driver's names tell: 32 on NVIDIA, 64 or 32 on AMD; 1 where it does not say.
static uint32_t query_warp(const struct cl_api *api, cl_device_id device) {
  enum { WARP_SIZE_NV = 0x4003, WAVEFRONT_WIDTH_AMD = 0x4043 };
  uint64_t lanes = device_number(api, device, WARP_SIZE_NV, 4);
  if (!lanes)
    lanes = device_number(api, device, WAVEFRONT_WIDTH_AMD, 4);
  return lanes && lanes <= 128 ? (uint32_t)lanes : 1;
}

// Lower-case letters and digits with single dashes between.
static size_t append_slug(char *out, size_t size, size_t at, const char *text) {
  size_t start = at;
  for (; *text && at + 1 < size; text++) {
    if (kiln_is_letter(*text) || kiln_is_digit(*text) || *text == '.' || *text == '_')
      out[at++] = kiln_lower(*text);
    else if (at > start && out[at - 1] != '-')
      out[at++] = '-';
  }
  while (at > start && out[at - 1] == '-')
    at--;
  out[at] = 0;
  return at;
}

static void make_arch(struct cl_device *d) {
  char text[256];
  size_t at = append_slug(text, sizeof text, 0, d->platform_name);
  text[at++] = '/';
  at = append_slug(text, sizeof text, at, d->name);
  if (at >= sizeof d->arch) { // the end is what its digest says
    uint64_t digest = kiln_hash64(text, at);
    snprintf(text + sizeof d->arch - 10, 10, "-%08x", (unsigned)digest);
  }
  snprintf(d->arch, sizeof d->arch, "%.*s", (int)sizeof d->arch - 1, text);
}

// ---- the list

static void add_device(const struct cl_api *api, struct cl_device_list *list, struct cl_device d) {
  platform_string(api, d.platform, CL_PLATFORM_NAME, d.platform_name, sizeof d.platform_name);
  platform_string(api, d.platform, CL_PLATFORM_VERSION, d.platform_version, sizeof d.platform_version);
  device_string(api, d.device, CL_DEVICE_NAME, d.name, sizeof d.name);
  device_string(api, d.device, CL_DEVICE_VENDOR, d.vendor, sizeof d.vendor);
  device_string(api, d.device, CL_DRIVER_VERSION, d.driver, sizeof d.driver);
  d.type = device_number(api, d.device, CL_DEVICE_TYPE, 8);
  query_features(api, &d);
  d.warp_size = query_warp(api, d.device);
  make_arch(&d);
  for (uint32_t i = 0; i < list->count; i++)
    d.twin += strcmp(list->items[i].arch, d.arch) == 0 && strcmp(list->items[i].feature_text, d.feature_text) == 0;
  list->items[list->count++] = d;
}

enum kiln_status kiln_cl_devices(const struct cl_api *api, struct cl_device_list *out, struct kiln_report *report) {
  cl_platform_id platforms[MAX_PLATFORMS];
  cl_uint platform_count = 0;
  *out = (struct cl_device_list){0};
  cl_int code = api->clGetPlatformIDs(MAX_PLATFORMS, platforms, &platform_count);
  // The loader passes over drivers that it cannot open.
  enum kiln_status lacking = platform_count ? KILN_OK : kiln_fail_exhausted(report, "the drivers of OpenCL");
  if (lacking)
    return lacking;
  if (code != CL_SUCCESS || platform_count == 0)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE,
                     "the OpenCL loader knows no platform; install the driver of your device (it puts a file into "
                     "/etc/OpenCL/vendors; OCL_ICD_VENDORS names another folder)");
  if (platform_count > MAX_PLATFORMS)
    platform_count = MAX_PLATFORMS;
  out->items = calloc(MAX_DEVICES, sizeof *out->items);
  if (!out->items)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the list of OpenCL devices");
  for (cl_uint p = 0; p < platform_count; p++) {
    cl_device_id devices[MAX_DEVICES];
    cl_uint count = 0;
    char name[64];
    platform_string(api, platforms[p], CL_PLATFORM_NAME, name, sizeof name);
    if (strcmp(name, "Kiln") == 0) // Kiln's own OpenCL driver, whose devices are backends already
      continue;
    if (api->clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &count) != CL_SUCCESS)
      continue;
    for (cl_uint i = 0; i < count && i < MAX_DEVICES && out->count < MAX_DEVICES; i++)
      add_device(
          api, out,
          (struct cl_device){.platform = platforms[p], .device = devices[i], .platform_index = p, .device_index = i});
  }
  if (out->count)
    return KILN_OK;
  kiln_cl_devices_free(out);
  return kiln_fail(report, KILN_ERR_UNAVAILABLE, "no OpenCL platform of this machine (%u) has a device",
                   (unsigned)platform_count);
}

void kiln_cl_devices_free(struct cl_device_list *list) {
  free(list->items);
  *list = (struct cl_device_list){0};
}

void kiln_cl_driver_identity(const struct cl_device *device, char *out, size_t size) {
  out[0] = 0;
  // Objects of drivers begin with a pointer to the table of their functions (cl_khr_icd): it lies in the library.
  void *const *object = (void *const *)(void *)device->platform;
  Dl_info info;
  if (object && *object && dladdr(*object, &info) && info.dli_fname)
    kiln_elf_build_id(info.dli_fname, out, size);
}

void kiln_cl_binary_identity(const struct cl_device *device, char *out, size_t size) {
  char library[80];
  kiln_cl_driver_identity(device, library, sizeof library);
  snprintf(out, size, "%s, %s, %s, driver %s%s%s", device->name, device->platform_name, device->platform_version,
           device->driver, *library ? ", library " : "", library);
  for (char *at = out; *at; at++)
    *at = *at == '\n' || *at == '\r' ? ' ' : *at;
}
