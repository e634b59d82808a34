// What the host is told of a program's kernels, in memory and as bytes for the cache.
#ifndef KILN_JIT_REFLECT_H
#define KILN_JIT_REFLECT_H

#include "base/str.h"
#include "kiln/backend.h"

struct kiln_reflection {
  struct kiln_kernel_info *kernels;
  uint32_t kernel_count;
  struct kiln_kernel_wishes {
    const char *vec_type; // the name of a type; "" of a kernel without vec_type_hint
    uint32_t sub_group_size;
    const char *tuning; // what is tuned of it (jit/lang/ast/tuning.h); ""
  } * wishes;           // by kernel
  void *storage;        // what the pointers above point into
  // What drivers are told: an image is a buffer in its place and a value after the last argument, which has a struct
  // kiln_image_record; a sampler is a value. The same array where no kernel has such arguments.
  struct kiln_kernel_info *drv_kernels;
  void *drv_storage; // what it points into; NULL: there is none beside storage
};

// Writes the kernels of a module (without resources). Sets failed of the buffer when memory is exhausted.
void kiln_reflect_write(const struct kiln_module *module, struct kiln_strbuf *out);
// Writes what compile found out, to an empty buffer; NULL: all zero. reflection: what was written of these kernels.
void kiln_resources_write(const struct kiln_kernel_resources *resources, uint32_t count, struct kiln_str reflection,
                          struct kiln_strbuf *out);

// Reads both again. Any bytes are safe: KILN_ERR_INVALID for what is not well-formed, has a field out of its range, or
// was not written together. Else KILN_OK or KILN_ERR_MEMORY.
enum kiln_status kiln_reflect_read(struct kiln_str reflection, struct kiln_str resources, struct kiln_reflection *out);
void kiln_reflection_free(struct kiln_reflection *reflection);

#endif
