// The identity of a backend's compiler, from which its hash is made: fields of a name and a value, each with its
// length, so that no two records read the same.
#ifndef KILN_BACKENDS_IDENTITY_H
#define KILN_BACKENDS_IDENTITY_H

#include "base/str.h"
#include "kiln/backend.h"

void kiln_identity_add(struct kiln_strbuf *record, const char *name, const char *value);

// What a request decides: the target, the level of optimisation, the flags, and the values of so many options.
void kiln_identity_add_request(struct kiln_strbuf *record, const struct kiln_target *target,
                               const struct kiln_options *options, uint32_t option_count);

// Hashes the record and frees it.
enum kiln_status kiln_identity_end(struct kiln_strbuf *record, struct kiln_digest *out, struct kiln_report *report);

#endif
