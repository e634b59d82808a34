// Opens libhsa-runtime64 at run time.
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "backends/common/exhausted.h"
#include "backends/rocm/driver/driver.h"

enum kiln_status kiln_hsa_load(struct kiln_hsa *out, struct kiln_report *report) {
  // The runtime has threads of its own, so it is never unloaded.
  void *library = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  enum kiln_status lacking = library ? KILN_OK : kiln_fail_exhausted(report, "libhsa-runtime64.so.1");
  if (lacking)
    return lacking;
  if (!library)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE,
                     "libhsa-runtime64.so.1 is not installed (Debian: package libhsa-runtime64-1); it runs code on AMD "
                     "GPUs, and compiling for them works without it");
  static const struct {
    const char *name;
    size_t offset;
  } symbols[] = {
#define KILN_HSA(name) {#name, offsetof(struct kiln_hsa, name)},
#include "backends/rocm/driver/hsa.def"
  };
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    void *symbol = dlsym(library, symbols[i].name);
    if (!symbol) {
      dlclose(library);
      return kiln_fail(report, KILN_ERR_UNAVAILABLE, "libhsa-runtime64.so.1 is too old: it has no function %s",
                       symbols[i].name);
    }
    memcpy((char *)out + symbols[i].offset, &symbol, sizeof symbol);
  }
  hsa_status_t status = out->hsa_init();
  if (status == HSA_STATUS_SUCCESS)
    return KILN_OK;
  if (access("/dev/kfd", F_OK))
    kiln_fail(report, KILN_ERR_UNAVAILABLE, "there is no AMD GPU: /dev/kfd does not exist");
  else if (!(lacking = kiln_fail_exhausted(report, "/dev/kfd")))
    kiln_fail(report, KILN_ERR_UNAVAILABLE, "libhsa-runtime64 does not start: %s", kiln_hsa_text(out, status));
  dlclose(library);
  return lacking ? lacking : KILN_ERR_UNAVAILABLE;
}

const char *kiln_hsa_text(const struct kiln_hsa *hsa, hsa_status_t status) {
  const char *text = NULL;
  if (hsa->hsa_status_string(status, &text) != HSA_STATUS_SUCCESS || !text)
    return "unknown error";
  return text;
}
