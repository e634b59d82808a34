#include "backends/identity.h"

#include "base/hash.h"

void kiln_identity_add(struct kiln_strbuf *record, const char *name, const char *value) {
  kiln_strbuf_printf(record, "%s=%zu:%s\n", name, strlen(value), value);
}

enum kiln_status kiln_identity_end(struct kiln_strbuf *record, struct kiln_digest *out, struct kiln_report *report) {
  enum kiln_status status = KILN_OK;
  if (record->failed) {
    status = kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the identity of the compiler");
  } else {
    struct kiln_hash128 hash = kiln_hash128(record->data, record->size);
    memcpy(out->bytes, hash.bytes, sizeof out->bytes);
  }
  kiln_strbuf_free(record);
  return status;
}
