// Opens libcuda.so.1 and libnvidia-ml.so.1 at run time.
#include <unistd.h>

#include "backends/common/dynamic.h"
#include "backends/common/exhausted.h"
#include "backends/cuda/driver/api.h"

enum need { MUST, MAY };

enum kiln_status kiln_cuda_library(struct kiln_cuda *out, struct kiln_report *report) {
  static const struct kiln_dynamic_symbol symbols[] = {
#define KILN_CU(need, member, symbol, parameters) {symbol, offsetof(struct kiln_cuda, member), need == MAY},
#include "backends/cuda/driver/cuda.def"
  };
  static const struct kiln_dynamic library = {
      .file = "libcuda.so.1",
      .absent =
          "is not installed; it comes with NVIDIA's driver and runs code on its GPUs, and compiling for them works "
          "without it",
      .old = "is too old: it has no function",
      .symbols = symbols,
      .symbol_count = sizeof symbols / sizeof *symbols,
  };
  return kiln_dynamic_open(&library, out, report);
}

const char kiln_cuda_forked[] =
    "CUDA does not work in a process that was forked after its parent had used CUDA: start it by exec";

enum kiln_status kiln_cuda_start(struct kiln_cuda *out, struct kiln_report *report) {
  enum kiln_status status = kiln_cuda_library(out, report);
  if (status)
    return status;
  kiln_cu_result result = out->init(0);
  if (result == KILN_CU_SUCCESS)
    return KILN_OK;
  if (result == KILN_CU_NOT_INITIALIZED)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "%s", kiln_cuda_forked);
  enum kiln_status lacking = kiln_fail_exhausted(report, "/dev/nvidiactl");
  if (lacking)
    return lacking;
  if (result == KILN_CU_NO_DEVICE)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "libcuda.so.1 lists no GPU, or CUDA_VISIBLE_DEVICES hides all");
  return kiln_fail(report, KILN_ERR_UNAVAILABLE, "libcuda.so.1 does not start: %s", kiln_cuda_text(out, result));
}

enum kiln_status kiln_nvml_library(struct kiln_nvml *out, struct kiln_report *report) {
  static const struct kiln_dynamic_symbol symbols[] = {
#define KILN_NVML(need, member, symbol, parameters) {symbol, offsetof(struct kiln_nvml, member), need == MAY},
#include "backends/cuda/driver/nvml.def"
  };
  static const struct kiln_dynamic library = {
      .file = "libnvidia-ml.so.1",
      .absent = "is not installed; it comes with NVIDIA's driver, and finds its GPUs",
      .old = "is too old: it has no function",
      .symbols = symbols,
      .symbol_count = sizeof symbols / sizeof *symbols,
  };
  return kiln_dynamic_open(&library, out, report);
}

// ---- results

static const struct {
  kiln_cu_result number;
  enum kiln_cuda_error_kind kind;
  const char *text;
} errors[] = {
#define KILN_CU_ERROR(name, number, kind, text) {number, KILN_CUDA_##kind, text},
#include "backends/cuda/driver/errors.def"
};

enum kiln_cuda_error_kind kiln_cuda_kind(kiln_cu_result result) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].number == result)
      return errors[i].kind;
  return KILN_CUDA_CALL;
}

const char *kiln_cuda_text(const struct kiln_cuda *cuda, kiln_cu_result result) {
  const char *text = NULL;
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].number == result && *errors[i].text)
      return errors[i].text;
  return cuda->error_string && cuda->error_string(result, &text) == KILN_CU_SUCCESS && text ? text : "unknown error";
}
