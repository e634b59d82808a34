// Linking objects into a shared object, with lld inside of the process. lld is made safe here: one link at a time in
// the whole process, one thread, fixed arguments, no files, no exit, no signal handlers.
#ifndef KILN_BACKENDS_LLVM_LINK_H
#define KILN_BACKENDS_LLVM_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/common/llvm.h"

#define KILN_LL_MAX_OBJECTS 16

struct kiln_ll_object {
  const void *data;
  size_t size;
};

// *out is malloc'ed. Undefined symbols must be those of another object or, if the family's code calls the library,
// entries of math.def.
struct kiln_ll_family;
enum kiln_status kiln_ll_link_objects(const struct kiln_ll_family *family, const char *triple,
                                      const struct kiln_ll_object *objects, uint32_t count, void **out,
                                      size_t *out_size, struct kiln_report *report);
// Makes one object of several.
enum kiln_status kiln_ll_join_objects(const struct kiln_ll_family *family, const char *triple,
                                      const struct kiln_ll_object *objects, uint32_t count, void **out,
                                      size_t *out_size, struct kiln_report *report);

#endif
