// Opening libOpenCL, and its error codes in words.
#include "backends/opencl/driver/api.h"

#include <dlfcn.h>
#include <string.h>

#include "backends/common/exhausted.h"

enum kiln_status kiln_cl_api_open(struct cl_api *api, const char *library, struct kiln_report *report) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    const char *why = dlerror();
    enum kiln_status lacking = kiln_fail_exhausted(report, library);
    if (lacking)
      return lacking;
    return kiln_fail(report, KILN_ERR_UNAVAILABLE,
                     "%s could not be opened (%s); install an OpenCL ICD loader and the driver of your device", library,
                     why ? why : "no reason given");
  }
  static const char *const names[] = {
#define CL_SYMBOL(name) #name,
#include "backends/opencl/print/symbols.def"
  };
  void *found[sizeof names / sizeof *names];
  _Static_assert(sizeof found == sizeof *api, "one pointer per name");
  const char *missing = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    found[i] = dlsym(handle, names[i]);
    missing = found[i] ? missing : names[i];
  }
  dlclose(handle); // stays loaded
  if (missing)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "%s has no function %s: an OpenCL 1.2 loader is needed", library,
                     missing);
  memcpy(api, found, sizeof *api);
  return KILN_OK;
}

static const struct {
  cl_int code;
  const char *name, *text;
} errors[] = {
#define CL_ERROR(code, text) {code, #code, text},
#include "backends/opencl/driver/errors.def"
};

static const char *error_text(cl_int code) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].code == code)
      return errors[i].text;
  return "the driver reports an error that it alone knows";
}

static const char *error_name(cl_int code) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].code == code)
      return errors[i].name;
  return "OpenCL error";
}

enum kiln_status kiln_cl_error_status(cl_int code) {
  switch (code) {
  case CL_MEM_OBJECT_ALLOCATION_FAILURE:
  case CL_OUT_OF_HOST_MEMORY:
  case CL_INVALID_BUFFER_SIZE:
    return KILN_ERR_MEMORY;
  case CL_DEVICE_NOT_FOUND:
  case CL_COMPILER_NOT_AVAILABLE:
    return KILN_ERR_UNAVAILABLE;
  case CL_INVALID_WORK_GROUP_SIZE:
  case CL_INVALID_WORK_ITEM_SIZE:
  case CL_INVALID_GLOBAL_WORK_SIZE:
  case CL_INVALID_GLOBAL_OFFSET:
  case CL_MISALIGNED_SUB_BUFFER_OFFSET:
    return KILN_ERR_UNSUPPORTED;
  case CL_BUILD_PROGRAM_FAILURE:
    return KILN_ERR_COMPILE;
  }
  return KILN_ERR_DEVICE;
}

enum kiln_status kiln_cl_report(struct kiln_report *report, cl_int code, const char *what) {
  return kiln_fail(report, kiln_cl_error_status(code), "%s: %s (%s, %d)", what, error_text(code), error_name(code),
                   (int)code);
}
