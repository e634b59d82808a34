#include "backends/common/exhausted.h"

#include <errno.h>

#include "base/exhausted.h"

enum kiln_status kiln_fail_exhausted(struct kiln_report *report, const char *file) {
  int lacking = kiln_exhausted();
  if (!lacking)
    return KILN_OK;
  return kiln_fail(report, lacking == ENOMEM ? KILN_ERR_MEMORY : KILN_ERR_IO, "%s cannot be opened: %s", file,
                   kiln_exhausted_text(lacking));
}
