// A module as bytes, with all ids and annotations: for another process of the same build, which then makes the same
// code of it. For all other purposes there is the text form (kiln_module_print).
#ifndef KILN_JIT_IR_SNAPSHOT_H
#define KILN_JIT_IR_SNAPSHOT_H

#include "base/str.h"
#include "kiln/ir.h"

// The bytes hold addresses of this process, which mean nothing. out->failed: memory is exhausted.
void kiln_module_save(const struct kiln_module *module, struct kiln_strbuf *out);
// The result can be changed like any other, but for new names of values. NULL when the bytes are damaged or memory is
// exhausted.
struct kiln_module *kiln_module_restore(const void *data, size_t size);

#endif
