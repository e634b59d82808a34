// Targets. Their arch is the name of platform and device in a form that can be typed and stored; what the compiler must
// know of the device stands in the features, so that text can be made without it.
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/opencl/driver/device.h"
#include "base/c_locale.h"
#include "base/str.h"

// The text is for devices of OpenCL C 1.2 that have what nearly all have; on others the driver says what it lacks.
#define TEXT_FEATURES "clc1.2,fp64,int64-atomics,int64-minmax,fma"
#define TEXT_IMAGES ",images,3d-image-writes"

// Takes "+images" off the end of an arch. Returns the length of what is before it.
static size_t split_arch(const char *arch, bool *with_images) {
  size_t size = strlen(arch), suffix = strlen(KILN_CL_IMAGES);
  *with_images = size >= suffix && strcmp(arch + size - suffix, KILN_CL_IMAGES) == 0;
  return *with_images ? size - suffix : size;
}

// Names that are too long for what follows are cut.
enum { TWIN_NAME = 52, IMAGES_NAME = sizeof((struct kiln_target *)NULL)->arch - sizeof KILN_CL_IMAGES };

static void fill_target(const struct cl_device *d, bool one_of_many, bool with_images, struct kiln_target *out) {
  const char *images = with_images ? KILN_CL_IMAGES : "";
  *out = (struct kiln_target){.backend = "opencl", .warp_size = d->warp_size};
  if (one_of_many && d->twin)
    snprintf(out->arch, sizeof out->arch, "%.*s#%u%s", TWIN_NAME, d->arch, (uint8_t)d->twin, images); // of MAX_DEVICES
  else if (with_images)
    snprintf(out->arch, sizeof out->arch, "%.*s%s", IMAGES_NAME, d->arch, images);
  else
    snprintf(out->arch, sizeof out->arch, "%s", d->arch);
  snprintf(out->features, sizeof out->features, "%s", with_images ? d->image_text : d->feature_text);
}

static unsigned rank(const struct cl_device *d) {
  return d->type & CL_DEVICE_TYPE_GPU ? 3 : d->type & CL_DEVICE_TYPE_ACCELERATOR ? 2 : 1;
}

static const struct cl_device *best(const struct cl_device_list *list) {
  const struct cl_device *found = &list->items[0];
  for (uint32_t i = 1; i < list->count; i++)
    if (rank(&list->items[i]) > rank(found))
      found = &list->items[i];
  return found;
}

static enum kiln_status open_list(struct cl_device_list *list, struct kiln_report *report) {
  struct cl_api api;
  enum kiln_status status = kiln_cl_api_open(&api, KILN_CL_LIBRARY, report);
  return status ? status : kiln_cl_devices(&api, list, report);
}

static void text_target(bool with_images, struct kiln_target *out) {
  static const char *const archs[] = {KILN_CL_TEXT_ARCH, KILN_CL_TEXT_ARCH KILN_CL_IMAGES};
  *out = (struct kiln_target){.backend = "opencl", .warp_size = 1};
  snprintf(out->arch, sizeof out->arch, "%s", archs[with_images]);
  snprintf(out->features, sizeof out->features, "%s%s", TEXT_FEATURES, with_images ? TEXT_IMAGES : "");
}

bool kiln_cl_is_text(const struct kiln_target *target) {
  bool with_images;
  size_t size = split_arch(target->arch, &with_images);
  return size == strlen(KILN_CL_TEXT_ARCH) && memcmp(target->arch, KILN_CL_TEXT_ARCH, size) == 0;
}

enum kiln_status kiln_cl_detect_target(struct kiln_target *out, struct kiln_report *report) {
  struct cl_device_list list;
  enum kiln_status status = open_list(&list, report);
  if (status)
    return status;
  fill_target(best(&list), false, false, out);
  kiln_cl_devices_free(&list);
  return KILN_OK;
}

static bool has_gpu_node(void) {
  static const char *const files[] = {"/dev/nvidia0", "/dev/kfd", "/dev/mali0", "/dev/dxg", "/dev/kgsl-3d0"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (access(files[i], F_OK) == 0)
      return true;
  glob_t found;
  bool any = glob("/dev/dri/renderD*", GLOB_NOSORT, NULL, &found) == 0 && found.gl_pathc;
  globfree(&found);
  return any;
}

enum kiln_status kiln_cl_detect_gpu(struct kiln_target *out, struct kiln_report *report) {
  if (!has_gpu_node())
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "no GPU: /dev has no node of one");
  struct cl_device_list list;
  enum kiln_status status = open_list(&list, report);
  if (status)
    return status;
  const struct cl_device *d = best(&list);
  if (d->features.gpu)
    fill_target(d, false, false, out);
  else
    status = kiln_fail(report, KILN_ERR_UNAVAILABLE, "no OpenCL platform has a GPU");
  kiln_cl_devices_free(&list);
  return status;
}

// ---- what users write

// "1:0", "1": platform and device by index.
static bool parse_indices(const char *arch, unsigned long *platform, unsigned long *device) {
  char *end;
  errno = 0;
  *platform = strtoul(arch, &end, 10);
  *device = 0;
  if (end == arch || errno)
    return false;
  if (*end == ':') {
    const char *second = end + 1;
    *device = strtoul(second, &end, 10);
    if (end == second || errno)
      return false;
  }
  return *end == 0;
}

static bool matches_arch(const struct cl_device *d, const char *arch) {
  const char *hash = strrchr(arch, '#');
  if (!hash)
    return strcmp(d->arch, arch) == 0 && d->twin == 0;
  size_t size = (size_t)(hash - arch);
  return strncmp(d->arch, arch, size) == 0 && (d->arch[size] == 0 || size == TWIN_NAME) &&
         strtoul(hash + 1, NULL, 10) == d->twin;
}

static const struct cl_device *find(const struct cl_device_list *list, const char *arch, bool *exact) {
  unsigned long platform, device;
  *exact = true;
  for (uint32_t i = 0; i < list->count; i++)
    if (matches_arch(&list->items[i], arch) ||
        (strlen(arch) == IMAGES_NAME && strncmp(list->items[i].arch, arch, IMAGES_NAME) == 0))
      return &list->items[i];
  if (parse_indices(arch, &platform, &device)) {
    for (uint32_t i = 0; i < list->count; i++)
      if (list->items[i].platform_index == platform && list->items[i].device_index == device)
        return &list->items[i];
    return NULL;
  }
  *exact = false;
  const struct cl_device *found = NULL;
  for (uint32_t i = 0; i < list->count; i++) {
    const struct cl_device *d = &list->items[i];
    if ((kiln_holds_but_for_case(d->platform_name, arch) || kiln_holds_but_for_case(d->name, arch) ||
         kiln_holds_but_for_case(d->arch, arch) || kiln_holds_but_for_case(d->platform_version, arch)) &&
        (!found || rank(d) > rank(found)))
      found = d;
  }
  return found;
}

static enum kiln_status refuse_name(const struct cl_device_list *list, const char *arch, struct kiln_report *report) {
  struct kiln_strbuf names = {0};
  for (uint32_t i = 0; i < list->count; i++)
    kiln_strbuf_printf(&names, "%s%u:%u '%s' (%s)", i ? ", " : "", (unsigned)list->items[i].platform_index,
                       (unsigned)list->items[i].device_index, list->items[i].name, list->items[i].platform_name);
  enum kiln_status status = kiln_fail(report, KILN_ERR_NOT_FOUND, "no OpenCL device is called '%s'; there are: %s",
                                      arch, names.data ? names.data : "");
  kiln_strbuf_free(&names);
  return status;
}

enum kiln_status kiln_cl_make_target(const char *arch, struct kiln_target *out, struct kiln_report *report) {
  struct kiln_target named = {.backend = "opencl"};
  bool with_images, exact = false;
  size_t size = split_arch(arch, &with_images);
  char *name = strndup(arch, size);
  if (!name)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the name of an OpenCL device");
  snprintf(named.arch, sizeof named.arch, "%s", arch);
  struct cl_device_list list = {0};
  enum kiln_status status = KILN_OK;
  if (kiln_cl_is_text(&named))
    text_target(with_images, out);
  else
    status = open_list(&list, report);
  if (!status && list.count) {
    const struct cl_device *found = size ? find(&list, name, &exact) : best(&list);
    if (!found)
      status = refuse_name(&list, arch, report);
    else if (with_images && !found->features.images)
      status = kiln_fail(report, KILN_ERR_UNAVAILABLE,
                         "the OpenCL device '%s' has no images; without '" KILN_CL_IMAGES
                         "' kernels have those of Kiln, which are buffers",
                         found->name);
    else
      fill_target(found, exact, with_images, out);
  }
  kiln_cl_devices_free(&list);
  free(name);
  return status;
}

bool kiln_cl_supports_target(const struct kiln_target *target) {
  return strncmp(target->features, "clc", 3) == 0 && target->warp_size > 0;
}

void kiln_cl_list_targets(kiln_name_fn *fn, void *user) {
  struct cl_api api;
  struct cl_device_list list;
  if (kiln_cl_api_open(&api, KILN_CL_LIBRARY, NULL) == KILN_OK && kiln_cl_devices(&api, &list, NULL) == KILN_OK) {
    for (uint32_t i = 0; i < list.count; i++) {
      const struct cl_device *d = &list.items[i];
      cl_ulong memory = 0;
      api.clGetDeviceInfo(d->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
      struct kiln_target target;
      char text[768];
      fill_target(d, true, false, &target);
      kiln_snprintf(text, sizeof text, "%u:%u %s, %s, driver %s, %.1f GiB, %s", (unsigned)d->platform_index,
                    (unsigned)d->device_index, d->name, d->platform_version, d->driver, (double)memory / (1 << 30),
                    d->feature_text);
      fn(user, target.arch, text);
      if (!d->features.images)
        continue;
      fill_target(d, true, true, &target);
      kiln_snprintf(text, sizeof text, "%u:%u %s, with its own images and samplers", (unsigned)d->platform_index,
                    (unsigned)d->device_index, d->name);
      fn(user, target.arch, text);
    }
    kiln_cl_devices_free(&list);
  }
  fn(user, KILN_CL_TEXT_ARCH, "OpenCL C as text for any device; cannot run");
  fn(user, KILN_CL_TEXT_ARCH KILN_CL_IMAGES, "the same, with images of the device");
}

enum kiln_status kiln_cl_target_devices(const struct kiln_target *target, struct cl_device_list *list,
                                        uint32_t *out_count, struct kiln_report *report) {
  if (kiln_cl_is_text(target))
    return kiln_fail(report, KILN_ERR_UNAVAILABLE,
                     "the target '%s' is for printing OpenCL C (--emit cl); choose a device to build or run",
                     target->arch);
  enum kiln_status status = open_list(list, report);
  if (status)
    return status;
  bool one = strchr(target->arch, '#') != NULL, with_images;
  uint32_t count = 0;
  split_arch(target->arch, &with_images);
  for (uint32_t i = 0; i < list->count; i++) {
    struct cl_device d = list->items[i];
    struct kiln_target its;
    fill_target(&d, one, with_images, &its);
    if (strcmp(its.arch, target->arch) || strcmp(its.features, target->features))
      continue;
    list->items[i] = list->items[count];
    list->items[count++] = d;
  }
  if (count) {
    *out_count = count;
    return KILN_OK;
  }
  kiln_cl_devices_free(list);
  return kiln_fail(report, KILN_ERR_UNAVAILABLE, "the OpenCL device '%s' is not here, or its driver has changed",
                   target->arch);
}

enum kiln_status kiln_cl_native_device(const struct kiln_native_context *native, struct cl_device_list *list,
                                       struct kiln_report *report) {
  if (!native->device || !native->context)
    return kiln_fail(report, KILN_ERR_INVALID, "the %s is NULL", native->device ? "cl_context" : "cl_device_id");
  enum kiln_status status = open_list(list, report);
  for (uint32_t i = 0; !status && i < list->count; i++) {
    if ((void *)list->items[i].device != native->device)
      continue;
    struct cl_device found = list->items[i];
    list->items[0] = found;
    list->count = 1;
    return KILN_OK;
  }
  if (status)
    return status;
  kiln_cl_devices_free(list);
  return kiln_fail(report, KILN_ERR_INVALID, "the cl_device_id is none of those that the OpenCL loader lists here");
}

enum kiln_status kiln_cl_native_target(const struct kiln_native_context *native, struct kiln_target *out,
                                       struct kiln_report *report) {
  struct cl_device_list list;
  enum kiln_status status = kiln_cl_native_device(native, &list, report);
  if (status)
    return status;
  fill_target(&list.items[0], true, false, out);
  kiln_cl_devices_free(&list);
  return KILN_OK;
}
