// Reads AMD code objects: the ELF header, the metadata note (MessagePack) and the kernel descriptors. Nothing here
// trusts its input.
#ifndef KILN_BACKENDS_ROCM_CODE_CODEOBJECT_H
#define KILN_BACKENDS_ROCM_CODE_CODEOBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kiln_rocm_arg_kind {
  KILN_ROCM_ARG_VALUE,  // by_value
  KILN_ROCM_ARG_GLOBAL, // global_buffer
  KILN_ROCM_ARG_LOCAL,  // dynamic_shared_pointer
  KILN_ROCM_ARG_HIDDEN, // hidden_…
  KILN_ROCM_ARG_OTHER,
};

struct kiln_rocm_arg {
  enum kiln_rocm_arg_kind kind;
  char value_kind[32], address_space[16]; // as written; "" when it is not
  uint32_t offset, size, pointee_align;
};

struct kiln_rocm_kernel {
  char *name, *symbol;
  uint32_t kernarg_bytes, kernarg_align;
  uint32_t local_bytes, private_bytes; // fixed segments
  uint32_t vgprs, agprs, sgprs, vgpr_spills, sgpr_spills, wave_size, max_group_size;
  uint32_t required_group_size[3];
  bool dynamic_stack, uniform_groups;
  struct kiln_rocm_arg *args;
  uint32_t arg_count;
  // From the symbol table and the descriptor.
  uint32_t code_bytes;
  uint64_t descriptor; // its address
  uint32_t descriptor_local, descriptor_private, descriptor_kernarg;
  int64_t entry_offset;
  uint32_t rsrc1, rsrc2, rsrc3;
  uint16_t properties;
};

struct kiln_rocm_object {
  uint32_t flags;  // of the ELF header
  uint8_t abi;     // code object version: 5 or 6
  char target[96]; // amdhsa.target
  uint32_t version[2];
  struct kiln_rocm_kernel *kernels;
  uint32_t kernel_count;
  bool no_memory; // why it could not be read
};

// NULL on success, else a sentence that says what is wrong with it. Free in both cases.
const char *kiln_rocm_object_read(const void *data, size_t size, struct kiln_rocm_object *out);
void kiln_rocm_object_free(struct kiln_rocm_object *object);
const struct kiln_rocm_kernel *kiln_rocm_object_find(const struct kiln_rocm_object *object, const char *name);

#endif
