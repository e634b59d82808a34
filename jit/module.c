// IR text from hosts: the reader's message becomes the library's.
#include "base/str.h"
#include "jit/error.h"
#include "jit/ir/internal.h"

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
