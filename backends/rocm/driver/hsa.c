// Opens libhsa-runtime64 at run time.
#include <unistd.h>

#include "backends/common/dynamic.h"
#include "backends/common/exhausted.h"
#include "backends/rocm/driver/driver.h"

static const struct kiln_dynamic_symbol symbols[] = {
#define KILN_HSA(name) {#name, offsetof(struct kiln_hsa, name)},
#include "backends/rocm/driver/hsa.def"
};
static const struct kiln_dynamic library = {
    .file = "libhsa-runtime64.so.1",
    .absent = "is not installed (Debian: package libhsa-runtime64-1); it runs code on AMD GPUs, and compiling for them "
              "works without it",
    .old = "is too old: it has no function",
    .symbols = symbols,
    .symbol_count = sizeof symbols / sizeof *symbols,
};

enum kiln_status kiln_hsa_load(struct kiln_hsa *out, struct kiln_report *report) {
  enum kiln_status lacking = kiln_dynamic_open(&library, out, report);
  if (lacking)
    return lacking;
  hsa_status_t status = out->hsa_init();
  if (status == HSA_STATUS_SUCCESS)
    return KILN_OK;
  if (access("/dev/kfd", F_OK))
    kiln_fail(report, KILN_ERR_UNAVAILABLE, "there is no AMD GPU: /dev/kfd does not exist");
  else if (!(lacking = kiln_fail_exhausted(report, "/dev/kfd")))
    kiln_fail(report, KILN_ERR_UNAVAILABLE, "libhsa-runtime64 does not start: %s", kiln_hsa_text(out, status));
  return lacking ? lacking : KILN_ERR_UNAVAILABLE;
}

const char *kiln_hsa_text(const struct kiln_hsa *hsa, hsa_status_t status) {
  const char *text = NULL;
  if (hsa->hsa_status_string(status, &text) != HSA_STATUS_SUCCESS || !text)
    return "unknown error";
  return text;
}
