#include "backends/common/dynamic.h"

#include <dlfcn.h>
#include <string.h>

#include "backends/common/exhausted.h"

static enum kiln_status find_symbols(const struct kiln_dynamic *library, void *handle, void *out,
                                     struct kiln_report *report) {
  for (size_t i = 0; i < library->symbol_count; i++) {
    const struct kiln_dynamic_symbol *symbol = &library->symbols[i];
    void *address = dlsym(handle, symbol->name);
    if (!address && !symbol->optional)
      return kiln_fail(report, KILN_ERR_UNAVAILABLE, "%s %s %s", library->file, library->old, symbol->name);
    memcpy((char *)out + symbol->offset, &address, sizeof address);
  }
  return KILN_OK;
}

enum kiln_status kiln_dynamic_open(const struct kiln_dynamic *library, void *out, struct kiln_report *report) {
  void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    const char *why = dlerror();
    enum kiln_status lacking = kiln_fail_exhausted(report, library->file);
    return lacking ? lacking
                   : kiln_fail(report, KILN_ERR_UNAVAILABLE, "%s %s (%s)", library->file, library->absent,
                               why ? why : "no reason given");
  }
  enum kiln_status status = find_symbols(library, handle, out, report);
  dlclose(handle); // stays loaded
  return status;
}
