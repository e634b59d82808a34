#include "backends/common/identity.h"

#include <stdio.h>

#include "base/hash.h"

void kiln_identity_add(struct kiln_strbuf *record, const char *name, const char *value) {
  kiln_strbuf_printf(record, "%s=%zu:%s\n", name, strlen(value), value);
}

void kiln_identity_add_request(struct kiln_strbuf *record, const struct kiln_target *target,
                               const struct kiln_options *options, uint32_t option_count) {
  char number[32];
  kiln_identity_add(record, "arch", target->arch);
  kiln_identity_add(record, "features", target->features);
  snprintf(number, sizeof number, "%u %u", options->optimize, options->flags);
  kiln_identity_add(record, "level", number);
  for (uint32_t i = 0; i < option_count; i++)
    kiln_identity_add(record, "option", options->values[i]);
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
