// Opening libOpenCL, and its error codes in words.
#include "backends/opencl/driver/api.h"
#include "backends/common/dynamic.h"

static const struct kiln_dynamic_symbol symbols[] = {
#define CL_SYMBOL(name) {#name, offsetof(struct cl_api, name)},
#include "backends/opencl/print/symbols.def"
};

enum kiln_status kiln_cl_api_open(struct cl_api *api, const char *library, struct kiln_report *report) {
  const struct kiln_dynamic loader = {
      .file = library,
      .absent = "could not be opened; install an OpenCL ICD loader and the driver of your device",
      .old = "is no loader of OpenCL 1.2: it has no function",
      .symbols = symbols,
      .symbol_count = sizeof symbols / sizeof *symbols,
  };
  return kiln_dynamic_open(&loader, api, report);
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
