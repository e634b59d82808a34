// IR text and SPIR-V from hosts: the reader's message becomes the library's.
#include <stdlib.h>

#include "base/str.h"
#include "jit/error.h"
#include "jit/ir/internal.h"
#include "jit/report.h"
#include "jit/spirv/spirv.h"

static enum kiln_status parse(const char *text, size_t size, const char *name, bool is_object,
                              struct kiln_module **out) {
  struct kiln_strbuf message = {0};
  enum kiln_status status = kiln_ir_parse(text, size, name, is_object, out, &message);
  if (status != KILN_OK)
    kiln_set_last_error("%s", message.failed || !message.data ? "out of memory" : message.data);
  kiln_strbuf_free(&message);
  return status;
}

enum kiln_status kiln_module_parse(const char *text, size_t size, const char *name, struct kiln_module **out) {
  return parse(text, size, name, false, out);
}

enum kiln_status kiln_object_parse(const char *text, size_t size, const char *name, struct kiln_module **out) {
  return parse(text, size, name, true, out);
}

enum kiln_status kiln_spec_constant_size(const void *data, size_t size, uint32_t id, uint32_t *out) {
  char *log = NULL;
  if (!data || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_spec_constant_size: %s is NULL", data ? "out" : "data");
  enum kiln_status status = kiln_spirv_spec_size(data, size, id, out, &log);
  if (status == KILN_ERR_NOT_FOUND)
    kiln_error(status, "the module has no specialisation constant %u", (unsigned)id);
  else if (status != KILN_OK)
    kiln_error(status, "%s", log ? log : kiln_status_name(status));
  free(log);
  return status;
}
