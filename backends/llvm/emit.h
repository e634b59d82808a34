// The emitter: kernel IR to LLVM IR. Inside of kiln-llvm.so.
//
// What a kernel looks like on a machine (its entry, how a work-item learns its ids, what a barrier is, which function
// computes sin) is behind struct kiln_ll_hooks; everything else is shared. The number of lanes is a parameter; what
// is here emits one lane, where every branch of the IR is a branch.
#ifndef KILN_BACKENDS_LLVM_EMIT_H
#define KILN_BACKENDS_LLVM_EMIT_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <setjmp.h>

#include "backends/cpu/abi.h"
#include "backends/llvm/module.h"
#include "base/arena.h"
#include "base/str.h"
#include "kiln/backend.h"

#define KILN_LL_MAX_DEPTH 2000 // of nested nodes: the emitter recurses

struct kiln_ll;
struct kiln_ll_fn;
struct kiln_ll_group; // barrier.c: a kernel that is split at barriers
struct kiln_ll_spmd;  // spmd.h: a kernel that runs many lanes at once

// What differs between machines.
struct kiln_ll_hooks {
  unsigned spaces[5];    // LLVM's address space by enum kiln_space
  unsigned alloca_space; // of private variables
  bool local_is_private; // one thread runs a group: nothing else sees its local memory meanwhile
  // Emits a kernel: function, entry code, body.
  void (*kernel)(struct kiln_ll *ll, uint32_t function);
  // A work-item query.
  LLVMValueRef (*item)(struct kiln_ll_fn *f, enum kiln_op op, unsigned dimension);
  // The address of local memory of the module variable.
  LLVMValueRef (*local)(struct kiln_ll_fn *f, uint32_t global);
  // Hidden parameters that functions other than kernels take: adds their types, and at a call their values.
  uint32_t (*hidden_types)(struct kiln_ll *ll, LLVMTypeRef *out);
  uint32_t (*hidden_args)(struct kiln_ll_fn *f, LLVMValueRef *out);
  void (*hidden_params)(struct kiln_ll_fn *f, uint32_t first); // takes them in at the start of a function
  // Calls the function that computes op; operands have the type of the result, f32 or f64 and scalar.
  LLVMValueRef (*math)(struct kiln_ll_fn *f, enum kiln_op op, enum kiln_kind kind, const LLVMValueRef *operands,
                       uint32_t count);
  LLVMValueRef (*print)(struct kiln_ll_fn *f, kiln_value inst);
  // A work-group barrier inside straight code. NULL: kernels are split at barriers instead.
  void (*barrier)(struct kiln_ll_fn *f, kiln_value inst);
  // Emits an instruction in the machine's own way; false: the common way. NULL: has none.
  bool (*own)(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result);
  // The enum kiln_space that a generic pointer leads to, as i32.
  LLVMValueRef (*space_of)(struct kiln_ll_fn *f, LLVMValueRef pointer);
  // Sees the branch that starts a loop's region again. NULL: does not care.
  void (*repeat)(struct kiln_ll_fn *f, kiln_value loop, LLVMValueRef branch);
};
extern const struct kiln_ll_hooks kiln_ll_cpu_hooks;

#define KILN_LL_MAX_HIDDEN 8

// One compilation, of a part of a program.
struct kiln_ll {
  const struct kiln_llvm_machine *machine;
  const struct kiln_compile_job *job;
  const struct kiln_module *ir;
  const struct kiln_ll_hooks *hooks;
  const struct kiln_ll_plan *plan; // parts.h
  uint32_t part;                   // the one that is compiled here
  struct kiln_report *report;
  struct kiln_arena arena;
  jmp_buf exhausted;
  uint32_t lanes; // work-items per value
  bool wide;      // no kernel runs at one lane

  struct kiln_ll_unit *unit; // unit.h
  LLVMContextRef context;    // of unit
  LLVMModuleRef module;
  LLVMBuilderRef b;
  LLVMTypeRef void_type, i1, i8, i16, i32, i64, half, f32, f64, ptr; // ptr: of the default address space
  LLVMValueRef *globals;                                             // by module variable; NULL for local memory
  LLVMValueRef *functions;                                           // by function; NULL for kernels
  LLVMTypeRef *function_types;
  unsigned access_group_kind; // metadata of parallel loops

  LLVMDIBuilderRef debug; // NULL without -g
  LLVMMetadataRef *files;
  LLVMMetadataRef debug_unit;

  struct kiln_cpu_meta_kernel *cpu_kernels; // by kernel in order; of the CPU hooks
  struct kiln_kernel_resources *cpu_resources; // likewise
  uint32_t *cpu_arg_offsets, cpu_arg_count, cpu_kernel_count;
  uint32_t *local_offsets; // of module variables, by the kernel that is being emitted
  struct kiln_strbuf prints; // of AMDGPU: descriptions of the places that print
  uint32_t print_count;

  enum kiln_status status;   // first failure of the emitter
};

#define KILN_LL_WORDS 29

// One function being emitted.
struct kiln_ll_fn {
  struct kiln_ll *ll;
  const struct kiln_function *fn;
  LLVMValueRef function;
  LLVMValueRef *values;       // by kiln_value
  LLVMBasicBlockRef entry;    // where private variables go: ends in a branch once the body is emitted
  LLVMBasicBlockRef *joins;   // by node: where YIELD and BREAK go
  LLVMBasicBlockRef *headers; // by node: where CONTINUE goes
  LLVMBasicBlockRef end;      // where RETURN goes in a kernel; NULL: a return
  LLVMMetadataRef *loops; // by node, of AMDGPU: what the source wants of the loop; NULL: nothing yet
  bool *only_addresses;   // by value, one lane: nothing but addresses depends on it; NULL: not known
  uint32_t depth;
  bool returns; // whether something reached end

  // Ids of the CPU. What launch and group say is known in the whole function, the rest inside of the loops.
  LLVMValueRef launch, local_base, item_block, group_block;
  LLVMValueRef words[KILN_LL_WORDS]; // of launch and group, by cpu_kernel.c; NULL: nobody has asked yet
  LLVMValueRef local_id[3];
  LLVMValueRef plane;        // the kernel runs the work-items of this local id of dimension 2; NULL: of all
  bool one_row;              // groups have one row of work-items
  LLVMValueRef item;         // number of the work-item in its group, where something goes by it
  LLVMValueRef row_end;      // only work-items of a row before this one have something to do; NULL: all
  bool whole_rows;           // rows of groups are multiples of the lanes
  bool by_halves;            // with row_end: what is less than a warp runs by narrower ones without a mask
  LLVMValueRef down;         // whether warps run from the last one down; NULL: they run upwards
  LLVMValueRef access_group; // of the loop over work-items; NULL: none
  LLVMValueRef sink;         // where lanes that are off store; NULL: none has wanted to yet

  struct kiln_ll_group *group;       // NULL: not split at barriers
  struct kiln_ll_spmd *spmd;         // NULL: one lane
  struct kiln_ll_spmd *full[2];      // of full warps; NULL: none, they run masked
  struct kiln_ll_spmd *narrow[6];    // of half the lanes, a quarter, … 2; NULL: not wanted yet
  bool assumes;                      // full warps assume something
  LLVMMetadataRef scope, scope_file; // of debug info
  uint32_t loc;
};

// ---- emit.c
// Emits the part. On failure sets ll->status and writes the report.
void kiln_ll_emit(struct kiln_ll *ll);
// The first failure counts.
__attribute__((format(printf, 3, 4))) void kiln_ll_fail(struct kiln_ll *ll, enum kiln_status status, const char *format,
                                                        ...);
void kiln_ll_attribute(LLVMContextRef context, LLVMValueRef function, unsigned index, const char *name, uint64_t value);
void kiln_ll_text_attribute(struct kiln_ll *ll, LLVMValueRef function, const char *name, const char *value);
// Attributes that every function has.
void kiln_ll_function_attributes(struct kiln_ll *ll, LLVMValueRef function);
// Allocates what a function needs; names its parameters.
struct kiln_ll_fn *kiln_ll_begin(struct kiln_ll *ll, const struct kiln_function *fn, LLVMValueRef function);

// ---- value.c: types and values
// The type of an SSA value. f16 is i16 where the machine has no arithmetic on it.
LLVMTypeRef kiln_ll_type(struct kiln_ll *ll, kiln_type type);
LLVMTypeRef kiln_ll_kind(struct kiln_ll *ll, enum kiln_kind kind);
LLVMTypeRef kiln_ll_vector(LLVMTypeRef element, unsigned lanes); // element itself for one lane
unsigned kiln_ll_lanes(LLVMValueRef value);
// type with as many lanes as value.
LLVMTypeRef kiln_ll_like(LLVMValueRef value, LLVMTypeRef element);
LLVMTypeRef kiln_ll_ptr(struct kiln_ll *ll, enum kiln_space space);
LLVMTypeRef kiln_ll_int(struct kiln_ll *ll, unsigned bits);
// The constant in every lane of type, an integer or a vector of them.
LLVMValueRef kiln_ll_splat(LLVMTypeRef type, uint64_t value);
LLVMValueRef kiln_ll_splat_float(LLVMTypeRef type, double value);
LLVMValueRef kiln_ll_get(struct kiln_ll_fn *f, kiln_value value);
// The value as it is kept: at many lanes in the form of its shape.
LLVMValueRef kiln_ll_held(struct kiln_ll_fn *f, kiln_value value);
// The type of the result of an instruction: with many lanes when it is computed in vector form.
LLVMTypeRef kiln_ll_result_type(struct kiln_ll_fn *f, kiln_type type);
void kiln_ll_set(struct kiln_ll_fn *f, kiln_value value, LLVMValueRef result);
LLVMValueRef kiln_ll_operand(struct kiln_ll_fn *f, kiln_value inst, uint32_t index);
bool kiln_ll_is_float(LLVMTypeRef type);
// The alignment of a private variable on the CPU: 16 at least if it is that large, as code that reads arrays of scalars
// in vectors, aligned ones, relies on.
static inline uint32_t kiln_ll_var_align(const struct kiln_inst *var) {
  uint32_t align = var->imm2 ? var->imm2 : 1;
  return align < 16 && var->imm >= 16 ? 16 : align;
}
// A private variable in the entry block.
LLVMValueRef kiln_ll_alloca(struct kiln_ll_fn *f, LLVMTypeRef type, unsigned align, const char *name);
// Calls an intrinsic that is overloaded on the types given.
LLVMValueRef kiln_ll_intrinsic(struct kiln_ll *ll, const char *name, LLVMTypeRef *types, uint32_t type_count,
                               LLVMValueRef *args, uint32_t count);
// The same with one type, that of the first argument.
LLVMValueRef kiln_ll_intrinsic_same(struct kiln_ll *ll, const char *name, LLVMValueRef *args, uint32_t count);

// ---- power.c
// Whether an integer is known to be a power of two, or zero.
bool kiln_ll_is_power(const struct kiln_function *fn, kiln_value value);
// SDIV, UDIV, SREM and UREM, total as in the IR, by such a y, which is not poison.
LLVMValueRef kiln_ll_divide_by_power(struct kiln_ll *ll, enum kiln_op op, LLVMValueRef x, LLVMValueRef y);

// ---- arith.c, convert.c, memory.c, atomic.c, math.c, flow.c: one instruction of the family; the result or NULL
LLVMValueRef kiln_ll_int_op(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_float_op(struct kiln_ll_fn *f, kiln_value inst);
// A sum, product, minimum, maximum or bitwise operation of two values.
LLVMValueRef kiln_ll_plain(struct kiln_ll *ll, enum kiln_op op, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef kiln_ll_compare(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_vector_op(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_convert(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_memory(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_atomic(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_math(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_call(struct kiln_ll_fn *f, kiln_value inst);
// f16 (as i16, any lanes) to f32 and back, to nearest even.
LLVMValueRef kiln_ll_half_to_float(struct kiln_ll *ll, LLVMValueRef half);
LLVMValueRef kiln_ll_float_to_half(struct kiln_ll *ll, LLVMValueRef value);
LLVMValueRef kiln_ll_double_to_half(struct kiln_ll *ll, LLVMValueRef value);

// pointer + index * stride; either may be a vector.
LLVMValueRef kiln_ll_pointer_add(struct kiln_ll *ll, LLVMValueRef pointer, LLVMValueRef index, int64_t stride);
// An atomic_rmw with operands given.
LLVMValueRef kiln_ll_atomic_one(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef pointer, LLVMValueRef value);

// The result of an instruction that is no node, jump or phi; NULL: none. compute_op: of the operands as
// kiln_ll_operand gives them.
LLVMValueRef kiln_ll_compute_op(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_compute(struct kiln_ll_fn *f, kiln_value inst);
// The same, remembered as the value.
void kiln_ll_inst(struct kiln_ll_fn *f, kiln_value inst);
// The instructions of a region with all inside; ends with the builder where nothing follows (after a jump).
void kiln_ll_region(struct kiln_ll_fn *f, uint32_t region);
// A node or a plain instruction in the list of a region.
void kiln_ll_statement(struct kiln_ll_fn *f, kiln_value inst);
// A jump that ends a region.
void kiln_ll_jump(struct kiln_ll_fn *f, kiln_value inst);
LLVMBasicBlockRef kiln_ll_block(struct kiln_ll_fn *f, const char *name);
// Removes a phi without incoming edges, which LLVM does not allow.
void kiln_ll_finish_phis(struct kiln_ll_fn *f, const struct kiln_value_list *phis);

// ---- index.c
// Finds the values of the function that only make addresses.
void kiln_ll_find_addresses(struct kiln_ll_fn *f);
// Emits arithmetic of such a value that does not wrap. False: it may, or the value is of another kind.
bool kiln_ll_index(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result);

// ---- cpu_kernel.c: groups, and loops over work-items
LLVMValueRef kiln_ll_local_size(struct kiln_ll_fn *f, unsigned dimension); // of this group
LLVMValueRef kiln_ll_large(struct kiln_ll_fn *f); // kiln_cpu_launch.large
LLVMValueRef kiln_ll_item_count(struct kiln_ll_fn *f);                     // work-items of a full group
LLVMValueRef kiln_ll_live_items(struct kiln_ll_fn *f);                     // of this group
// Emits loops over the work-items of the group around what emit makes for one of them, or for a warp: it may run more
// than once. emit finds the ids set and f->end where the work-item ends; it ends with a jump to there.
void kiln_ll_items(struct kiln_ll_fn *f, void (*emit)(struct kiln_ll_fn *f, void *user), void *user);

// ---- barrier.c, regions.c: kernels with barriers, split at tree nodes
// Decides what lives where. join: segments may become one whose warps run in an order. item_bytes: of the block per
// work-item.
struct kiln_ll_group *kiln_ll_group_analyse(struct kiln_ll *ll, const struct kiln_function *fn, bool join,
                                            uint32_t *item_bytes);
void kiln_ll_group_body(struct kiln_ll_fn *f);
// For kiln_ll_get and kiln_ll_set.
LLVMValueRef kiln_ll_group_get(struct kiln_ll_fn *f, kiln_value value);
void kiln_ll_group_set(struct kiln_ll_fn *f, kiln_value value, LLVMValueRef result);
// A BREAK or CONTINUE inside a work-item to a node that the whole group runs. False: an ordinary jump.
bool kiln_ll_group_jump(struct kiln_ll_fn *f, kiln_value inst);
// The address of a private variable, NULL when it may live in the entry block.
LLVMValueRef kiln_ll_group_var(struct kiln_ll_fn *f, kiln_value inst);

// ---- cxx.cpp: what LLVM's C interface lacks
#ifdef __cplusplus
extern "C" {
#endif
// Splits blocks of more than twice the limit, so that no pass of the code generator that is quadratic in a block's size
// gets long ones. No pass over the IR may follow.
void kiln_ll_split_blocks(LLVMModuleRef module, size_t limit);
LLVMMetadataRef kiln_ll_distinct_node(LLVMContextRef context);
// Marks a branch as the latch of a loop whose accesses in access_group are independent. mask_tail: when vectorised, the
// last round is masked (no scalar copy of the loop, which halves the code).
void kiln_ll_mark_loop(LLVMContextRef context, LLVMValueRef branch, LLVMMetadataRef access_group, bool mask_tail);
// Metadata of a loop that is to be unrolled so many times (1: not at all, UINT32_MAX: wholly).
LLVMMetadataRef kiln_ll_unroll_node(LLVMContextRef context, uint32_t factor);
// Marks a branch as the latch of a loop for which unrolling is not even to be thought about, which takes LLVM long.
void kiln_ll_never_unroll(LLVMContextRef context, LLVMValueRef branch);
#ifdef __cplusplus
}
#endif

// ---- vector_bits.c
// Lets vectors be chosen from by the sign of elements where a bit of them is tested: for x86 without mask registers.
void kiln_ll_choose_by_sign(LLVMModuleRef module);

// ---- squares.c
// Lets differences of which only the square is taken have their operands in the order that suits AVX and AVX2.
void kiln_ll_turn_differences(LLVMModuleRef module);

// ---- debug.c
void kiln_ll_debug_begin(struct kiln_ll *ll);
void kiln_ll_debug_function(struct kiln_ll_fn *f);
void kiln_ll_debug_at(struct kiln_ll_fn *f, uint32_t loc);
void kiln_ll_debug_end(struct kiln_ll *ll);

#endif
