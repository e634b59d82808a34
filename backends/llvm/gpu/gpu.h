// What GPUs have in common. One work-item per value, every branch a branch. Inside of kiln-llvm.so.
//
// Pointers to some spaces are narrow: what they have in registers means something in their space alone. In memory and
// as integers they are the generic pointer to the same place, so that null is 0 there.
#ifndef KILN_BACKENDS_LLVM_GPU_H
#define KILN_BACKENDS_LLVM_GPU_H

#include "backends/llvm/core/emit.h"
#include "backends/llvm/core/stages.h"

// A value of up to 64 bits as words, between work-items.
struct kiln_ll_gpu_words {
  LLVMValueRef w[2];
  uint32_t count;
};

// What differs between GPUs.
struct kiln_ll_gpu_hooks {
  // The value of a kernel's parameter, which LLVM passes as another one, at this index of LLVMAddAttributeAtIndex. Adds
  // that one's attributes.
  LLVMValueRef (*param)(struct kiln_ll_fn *f, const struct kiln_param *param, LLVMValueRef passed, unsigned index);
  // Called before the body of a kernel is emitted; NULL: not needed.
  void (*plan)(struct kiln_ll_fn *f);
  bool narrow[5]; // by enum kiln_space
  // printf: the address of the buffer (backends/common/prints.h), and LLVM's name of the scope of a device; NULL: LLVM
  // takes no notice of scopes.
  LLVMValueRef (*print_buffer)(struct kiln_ll_fn *f);
  const char *device_scope;
  const char *end; // LLVM's intrinsic that ends a work-item, or the sub-group
  // Sub-groups: log2 of their size, the number of a work-item in its own, and an i32 that all of a sub-group have
  // alike, as a value of the sub-group (NULL: there are no registers for such values).
  unsigned (*sub_group_log)(const struct kiln_ll *ll);
  LLVMValueRef (*lane_id)(struct kiln_ll *ll);
  LLVMValueRef (*uniform)(struct kiln_ll *ll, LLVMValueRef value);
  LLVMValueRef (*vote)(struct kiln_ll_fn *f, LLVMValueRef value, bool all);
  LLVMValueRef (*ballot)(struct kiln_ll_fn *f, LLVMValueRef value); // i64
  struct kiln_ll_gpu_words (*broadcast)(struct kiln_ll_fn *f, struct kiln_ll_gpu_words value, LLVMValueRef lane);
  struct kiln_ll_gpu_words (*shuffle)(struct kiln_ll_fn *f, struct kiln_ll_gpu_words value, LLVMValueRef lane);
  LLVMValueRef (*collective)(struct kiln_ll_fn *f, kiln_value inst); // a reduction or scan
  void (*sub_group_barrier)(struct kiln_ll_fn *f, bool fences);
};

// ---- gpu.c
// Of a kernel: attributes and calling convention; the largest group that it is compiled for, which is at most usual
// work-items if the source says nothing (0: it requires more than devices have, which is reported); its body.
void kiln_ll_gpu_kernel_attributes(struct kiln_ll *ll, LLVMValueRef function, unsigned convention);
unsigned kiln_ll_gpu_group_limit(struct kiln_ll *ll, const struct kiln_function *fn, unsigned usual);
void kiln_ll_gpu_kernel_body(struct kiln_ll *ll, const struct kiln_function *fn, LLVMValueRef function);
// Attributes of a parameter: one with a type; what is known of a pointer.
void kiln_ll_gpu_typed_attribute(struct kiln_ll *ll, LLVMValueRef function, unsigned index, const char *name,
                                 LLVMTypeRef type);
void kiln_ll_gpu_pointer_attributes(struct kiln_ll *ll, const struct kiln_param *param, LLVMValueRef function,
                                    unsigned index);
// The value is at least from and below end.
void kiln_ll_gpu_set_range(struct kiln_ll *ll, LLVMValueRef value, uint64_t from, uint64_t end);
// kiln_ll_hooks.local and .repeat.
LLVMValueRef kiln_ll_gpu_local(struct kiln_ll_fn *f, uint32_t index);
void kiln_ll_gpu_repeat(struct kiln_ll_fn *f, kiln_value loop, LLVMValueRef branch);
// Loads, stores and conversions of narrow pointers. False: the instruction is another one.
bool kiln_ll_gpu_pointer_op(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result);
// LLVM's fast-math flags for those of the IR, without contraction; the value with them, if it can have any.
unsigned kiln_ll_gpu_math_flags(const struct kiln_inst *in);
LLVMValueRef kiln_ll_gpu_with_flags(LLVMValueRef value, unsigned flags);
// FMIN or FMAX. NULL: the machine computes with the bits of f16.
LLVMValueRef kiln_ll_gpu_extremum(struct kiln_ll_fn *f, kiln_value inst);
// A value of the type, of which emit makes each element from those of the arguments, at most 3. by_float: they are f16,
// and emit takes and makes f32.
typedef LLVMValueRef kiln_ll_gpu_element_fn(struct kiln_ll *ll, const void *user, LLVMValueRef *args, uint32_t count);
LLVMValueRef kiln_ll_gpu_by_element(struct kiln_ll *ll, LLVMTypeRef type, const LLVMValueRef *args, uint32_t count,
                                    bool by_float, kiln_ll_gpu_element_fn *emit, const void *user);

// ---- gpu_address.c
// Emits pointer arithmetic whose index is a sum, inside of a loop, of values that only contribute to addresses. False:
// the index is another value.
bool kiln_ll_gpu_padd(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result);

// ---- gpu_group.c
struct kiln_ll_gpu_words kiln_ll_gpu_split(struct kiln_ll *ll, LLVMValueRef value);
LLVMValueRef kiln_ll_gpu_join(struct kiln_ll *ll, struct kiln_ll_gpu_words words, LLVMTypeRef type);
// What a reduction or scan begins with, in the type of its operand; the operation that it is made of.
LLVMValueRef kiln_ll_gpu_identity(struct kiln_ll *ll, const struct kiln_inst *in, LLVMTypeRef type);
LLVMValueRef kiln_ll_gpu_combine(struct kiln_ll *ll, enum kiln_reduce reduce, LLVMValueRef x, LLVMValueRef y);
// Sub-groups follow the linear local id. Queries, and operations between work-items.
LLVMValueRef kiln_ll_gpu_sub_group_size(struct kiln_ll_fn *f); // of the work-item's own, which may be the last
LLVMValueRef kiln_ll_gpu_sub_group_item(struct kiln_ll_fn *f, enum kiln_op op);
LLVMValueRef kiln_ll_gpu_group(struct kiln_ll_fn *f, kiln_value inst);

// ---- gpu_print.c
LLVMValueRef kiln_ll_gpu_print(struct kiln_ll_fn *f, kiln_value inst);
// kiln_ll_family.meta where the descriptions of printf calls are all there is.
enum kiln_status kiln_ll_gpu_meta(const struct kiln_ll_part *parts, const struct kiln_ll_division *division,
                                  struct kiln_artifact *out, struct kiln_report *report);

// ---- gpu_state.c
// Adds the table of the addresses of so many state variables; defined: not only declared.
LLVMValueRef kiln_ll_gpu_state_table(struct kiln_ll *ll, uint32_t count, bool defined);
// Whether kernels have images or samplers: their code is made for those of launches, as variants of the program.
bool kiln_ll_gpu_has_images(const struct kiln_module *ir);
// The address of a state variable of a space from the table, by its number.
LLVMValueRef kiln_ll_gpu_state_in(struct kiln_ll *ll, LLVMValueRef table, uint32_t number, enum kiln_space space);

#endif
