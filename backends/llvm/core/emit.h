// The emitter: kernel IR to LLVM IR. Inside of kiln-llvm.so.
//
// What differs between machines (the entry of a kernel, work-item ids, barriers, the function that computes sin) is in
// struct kiln_ll_hooks; everything else is shared. The number of lanes is a parameter; core/ emits one lane, where
// every branch of the IR is a branch.
#ifndef KILN_BACKENDS_LLVM_EMIT_H
#define KILN_BACKENDS_LLVM_EMIT_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <setjmp.h>

#include "backends/common/llvm.h"
#include "backends/cpu/abi.h"
#include "base/arena.h"
#include "base/str.h"
#include "base/worklist.h"
#include "kiln/backend.h"

#define KILN_LL_MAX_LANES 64
#define KILN_LL_MAX_DEPTH 2000 // of nested nodes: the emitter recurses

struct kiln_ll;
struct kiln_ll_fn;
struct kiln_ll_group; // plan/group.h: a kernel that is split at barriers
struct kiln_ll_arrangement;
struct kiln_ll_gpu_hooks; // gpu/gpu.h
struct kiln_ll_family;    // family.h
struct kiln_ll_nvptx;     // gpu/nvptx.h
struct kiln_ll_nvptx_masks;
struct kiln_ll_flattened; // arrange/arrange.h: a kernel whose lanes follow the flattened index
struct kiln_ll_form;      // plan/form.h: what is known and planned of a kernel that runs many lanes at once

// Emission of a function whose values have many lanes (kiln_ll_fn.form).
struct kiln_ll_lane_hooks {
  LLVMValueRef (*compute)(struct kiln_ll_fn *f, kiln_value inst); // kiln_ll_compute
  LLVMValueRef (*get)(struct kiln_ll_fn *f, kiln_value value);    // kiln_ll_get
  LLVMTypeRef (*held_type)(struct kiln_ll_fn *f, kiln_value value);
  // The vector of a value that is held in another form.
  LLVMValueRef (*compute_wide)(const struct kiln_ll_fn *f, kiln_value inst);
  unsigned (*width)(struct kiln_ll_fn *f); // lanes of the result that is being computed; 1 if it is uniform
};

// How kiln_ll_region emits a region: for one work-item, for the lanes of a warp, or for a group that runs in parts.
struct kiln_ll_walker {
  // Emits instructions from the given one on, up to the first that ends the stretch, which it returns: a node, the last
  // of the region, or a barrier at which a group is split.
  kiln_value (*stretch)(struct kiln_ll_fn *f, kiln_value first);
  void (*node)(struct kiln_ll_fn *f, kiln_value node);
  void (*jump)(struct kiln_ll_fn *f, kiln_value jump); // at the end of the region
};
extern const struct kiln_ll_walker kiln_ll_plain_walker; // one work-item

// Emission of a kernel that is split at barriers (kiln_ll_fn.group).
struct kiln_ll_group_hooks {
  // Values that live across item regions. get returns NULL where the value is in values[].
  LLVMValueRef (*get)(struct kiln_ll_fn *f, kiln_value value);
  void (*set)(struct kiln_ll_fn *f, kiln_value value, LLVMValueRef result);
  // Emits a BREAK or CONTINUE inside a work-item to a node that the whole group runs. False: it is an ordinary jump.
  bool (*jump)(struct kiln_ll_fn *f, kiln_value inst);
  // The address of a private variable. NULL: it may live in the entry block.
  LLVMValueRef (*var)(struct kiln_ll_fn *f, kiln_value inst);
  // Whether any work-item of a row runs, where the row begins.
  LLVMValueRef (*row_test)(const struct kiln_ll_fn *f);
};

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
  // define_state defines what leads to the program's state (abi.h of the CPU); state gives the address of a variable
  // that belongs to it, in the entry block. NULL: variables have the addresses that LLVM gives them.
  void (*define_state)(struct kiln_ll *ll);
  LLVMValueRef (*state)(struct kiln_ll_fn *f, uint32_t global);
  // Hidden parameters that functions other than kernels take: their types, and at a call their values. NULL: functions
  // take none.
  uint32_t (*hidden_types)(struct kiln_ll *ll, LLVMTypeRef *out);
  uint32_t (*hidden_args)(struct kiln_ll_fn *f, LLVMValueRef *out);
  void (*hidden_params)(struct kiln_ll_fn *f, uint32_t first); // takes them in at the start of a function
  // Calls the function that computes op. The operands are scalars of the result's type, f32 or f64. NULL: own computes
  // all mathematical operations.
  LLVMValueRef (*math)(struct kiln_ll_fn *f, enum kiln_op op, enum kiln_kind kind, const LLVMValueRef *operands,
                       uint32_t count);
  LLVMValueRef (*print)(struct kiln_ll_fn *f, kiln_value inst);
  // A work-group barrier inside straight-line code. NULL: kernels are split at barriers instead.
  void (*barrier)(struct kiln_ll_fn *f, kiln_value inst);
  // Emits an instruction in the machine's own way. False: it is emitted in the common way. NULL: the machine has no own
  // way of any instruction.
  bool (*own)(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result);
  // The dot product of bytes with signs (enum kiln_dot_signs) that the machine has (kiln_llvm_machine.dot_signs), added
  // to sum.
  LLVMValueRef (*dot4)(struct kiln_ll_fn *f, unsigned signs, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum);
  // Null of an address space, a constant; the generic pointer to the place that one of the space leads to, and back.
  // Null becomes null.
  LLVMValueRef (*null)(struct kiln_ll *ll, enum kiln_space space);
  LLVMValueRef (*to_generic)(struct kiln_ll_fn *f, LLVMValueRef pointer, enum kiln_space from);
  LLVMValueRef (*from_generic)(struct kiln_ll_fn *f, LLVMValueRef pointer, enum kiln_space to);
  // The enum kiln_space that a generic pointer leads to, as i32.
  LLVMValueRef (*space_of)(struct kiln_ll_fn *f, LLVMValueRef pointer);
  // Called at the end of a loop's iteration, so that the machine can stop the launch there (kiln_ll_poll). NULL: the
  // machine cannot stop launches.
  void (*poll)(struct kiln_ll_fn *f);
  // Called with the branch that repeats a loop's region. NULL: not needed.
  void (*repeat)(struct kiln_ll_fn *f, kiln_value loop, LLVMValueRef branch);
  const struct kiln_ll_gpu_hooks *gpu; // gpu/gpu.h; NULL: of CPUs
  // NULL: values have one lane; kernels are not split.
  const struct kiln_ll_lane_hooks *lanes;
  const struct kiln_ll_group_hooks *groups;
};

// Whether a module variable belongs to the state that a program and its variants share: it can be written, or it holds
// addresses.
bool kiln_ll_is_state(const struct kiln_global *global);

#define KILN_LL_MAX_HIDDEN 8

// One compilation, of a part of a program.
struct kiln_ll {
  const struct kiln_llvm_machine *machine;
  const struct kiln_compile_job *job;
  const struct kiln_module *ir;
  const struct kiln_ll_family *family;
  const struct kiln_ll_hooks *hooks;       // the family's
  const struct kiln_ll_division *division; // parts.h
  uint32_t part;                           // the one that is compiled here
  struct kiln_report *report;
  struct kiln_arena arena;
  jmp_buf exhausted;
  struct kiln_worklist work; // kiln_ll_worklist
  uint32_t lanes;            // values of 32 bits in a register
  bool wide;                 // no kernel runs at one lane
  bool loops;                // a function that has been emitted has a loop

  struct kiln_ll_copies *copies;               // of kernels, to rewrite
  const struct kiln_ll_arrangement **arranged; // by function, of kernels of the CPU that have been emitted (arrange.h)

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

  struct kiln_cpu_meta_kernel *cpu_kernels;    // by kernel in order; of the CPU hooks
  struct kiln_kernel_resources *cpu_resources; // likewise
  uint32_t *cpu_arg_offsets, cpu_arg_count, cpu_kernel_count;
  uint32_t *local_offsets;   // of module variables, by the kernel that is being emitted
  struct kiln_strbuf prints; // of GPUs: descriptions of the printf calls
  uint32_t print_count;
  uint8_t *choices; // by value, as tally.h numbers them, of the kernel that is being emitted; NULL: the plan is not
                    // asked for
  uint32_t gathers_emitted;    // gathers and scatters that have been emitted
  struct kiln_ll_nvptx *nvptx; // of NVIDIA GPUs: what the metadata will say (gpu/nvptx.h)
  struct kiln_strbuf told;     // of the kernels that have been: a line for each

  enum kiln_status status; // first failure of the emitter
};

// What the options ask for.
static inline bool kiln_ll_asks(const struct kiln_ll *ll, enum kiln_cpu_shape shape) {
  return ll->machine->cpu.schedule.shape == shape;
}
static inline bool kiln_ll_has_any_rows(const struct kiln_ll *ll) {
  return ll->machine->cpu.schedule.rows == KILN_CPU_ROWS_ANY;
}
static inline bool kiln_ll_has_large_ids(const struct kiln_ll *ll) { return ll->machine->cpu.schedule.ids == 64; }

#define KILN_LL_WORDS 32
#define KILN_LL_NARROW_FORMS 6 // of half of KILN_LL_MAX_LANES, a quarter, … 2

// What a function for the CPU has in addition: its work-items and the loops over them.
struct kiln_ll_cpu_fn {
  LLVMValueRef launch, local_base, item_block, group_block;
  LLVMValueRef local_id[3];
  // Of the part of the group that runs, where a group is cut into parts; NULL: the group's own.
  LLVMValueRef part_base[3], part_size[3];
  LLVMValueRef plane; // the kernel runs only the work-items with this local id in dimension 2; NULL: all
  bool one_row;       // groups have one row of work-items
  unsigned rows;      // how many rows a work-item, or a warp, runs side by side in dimension 1; 0: one row
  LLVMValueRef item;  // number of the work-item in its group, if it is used
  const struct kiln_ll_flattened *flattened; // groups are rows of flattened indices; NULL: they are not
  unsigned lanes;                            // of full warps; 1: work-items run one by one
  bool packed;                               // warps follow the linear local id: a row may begin or end inside of one
  LLVMValueRef lane_id[3];   // packed: the local ids of the warp's lanes, as vectors; flattened: their positions
  LLVMValueRef row_end;      // only work-items of a row before this one run; NULL: all
  bool tests_rows;           // rows run only where groups->row_test holds
  bool whole_rows;           // rows of groups are multiples of the lanes
  bool full_groups;          // groups have the size that the kernel requires
  bool by_halves;            // with row_end: the remainder of a row runs as narrower warps without a mask
  LLVMValueRef access_group; // of the loop over work-items; NULL: none
  LLVMValueRef *fields;      // by value: what is loaded from records that are parameters; NULL: there are none
  kiln_value taken;          // IF whose condition holds for all work-items of the loop; 0: none
  uint8_t *decided;          // by node: 1 + the region that all work-items of the group run; 0: unknown. NULL: all are

  const struct kiln_ll_grid_stride *grid_stride; // the kernel runs in iterations; NULL: once
  LLVMValueRef distance;                         // of the iteration from the first one; NULL: outside of the loop

  const struct kiln_ll_form *full[2]; // full warps; NULL: all warps run masked
  const struct kiln_ll_form **narrow; // warps of half the lanes, a quarter, … 2; NULL: not needed yet
  bool assumes;                       // full warps rely on early guards
  bool split_masks; // masks are held in parts of one register's lanes: a part is free to use, all of them as one number
                    // are not
};

// Operands of an instruction that is computed from values other than those of values[].
struct kiln_ll_given {
  const kiln_value *values;
  const LLVMValueRef *held;
  uint32_t count;
};

// Where code is emitted, at many lanes.
struct kiln_ll_place {
  LLVMValueRef mask;           // lanes that are on; NULL: all. On NVIDIA GPUs, of one lane, bits of an i32
  LLVMValueRef base;           // the same at the start of the item region
  struct kiln_ll_frame *frame; // the innermost node whose lanes take different paths (spmd/spmd.h)
  bool is_wide;                // operands are read in vector form
  bool in_memory_order;        // what is computed is held in the order of memory (memory_order.c)
  kiln_value uniform_test;     // in a uniform-loop version: the IF that ends the loop; 0: in no such version
  kiln_value tested_id;        // the linear value that it tests, which does not wrap there
  bool tested_signed;          // as a signed integer
  LLVMBasicBlockRef remainder; // of that loop: the divergent version, which runs the remaining iterations
};

// Where code is emitted, in a kernel that is split at barriers.
struct kiln_ll_group_place {
  uint32_t current;            // serial number of the item region; 0: at group level
  kiln_value only;             // the only "if" of the item region; 0: there is more
  LLVMBasicBlockRef preamble;  // of the item region: dominates all of it
  LLVMBasicBlockRef group_end; // where the group ends
  uint32_t exits;              // number of enclosing nodes that work-items leave by themselves
};

// What has been emitted of a function so far, shared by all copies of kiln_ll_fn.
struct kiln_ll_made {
  uint32_t *uses;                           // by value; NULL: not counted yet
  struct kiln_ll_float_range *float_ranges; // by value; NULL: not found yet
  uint32_t loc;                             // the source location that the builder has
  LLVMMetadataRef *loops;                   // by node, of GPUs: the loop's metadata from the source; NULL: none yet
  struct kiln_ll_group_made *group;         // group.h
  // Of the CPU:
  LLVMValueRef words[KILN_LL_WORDS]; // of launch and group, by launch.c; NULL: not loaded yet
  unsigned versions;                 // instructions that versions have added to the kernel
  LLVMValueRef sink;                 // the address that lanes which are off store to; NULL: not needed yet
};

// One function being emitted, and where: code under another mask, of another form of a warp or for another work-item is
// emitted with a changed copy of this struct, so that nothing has to be put back afterwards. Copies share what their
// pointers lead to, such as values and blocks.
struct kiln_ll_fn {
  struct kiln_ll *ll;
  const struct kiln_function *fn;
  LLVMValueRef function;
  LLVMValueRef *values;       // by kiln_value
  LLVMBasicBlockRef entry;    // of private variables: gets its branch once the body is emitted
  LLVMBasicBlockRef *joins;   // by node: target of YIELD and BREAK
  LLVMBasicBlockRef *headers; // by node: target of CONTINUE
  LLVMBasicBlockRef end;      // target of RETURN in a kernel; NULL: a return instruction
  bool *only_addresses;       // by value, one lane: only addresses depend on it; NULL: unknown
  const struct kiln_ll_walker *walker;
  kiln_value entered; // SWITCH that is emitted together with the next one (fall.c); 0: no entry has been passed
  uint32_t depth;     // of nodes around the place
  struct kiln_ll_made *made;
  const struct kiln_ll_given *given; // NULL: all operands are those of values
  struct kiln_ll_place at;

  struct kiln_ll_nvptx_masks *masks; // gpu/nvptx.h: of work-items that exchange values; NULL: no work-items do

  struct kiln_ll_cpu_fn cpu;
  const struct kiln_ll_group *group; // NULL: not split at barriers
  struct kiln_ll_group_place in_group;
  const struct kiln_ll_form *form;   // NULL: one lane
  LLVMMetadataRef scope, scope_file; // of debug info
  struct kiln_ll_scope *scopes;      // of variables, in the order of their beginnings (variables.c); NULL: none
  uint32_t scope_count;
};

// ---- emit.c
// Emits the part. On failure sets ll->status and writes the report.
void kiln_ll_emit(struct kiln_ll *ll);
// Reports a failure; of several the first counts.
__attribute__((format(printf, 3, 4))) void kiln_ll_fail(struct kiln_ll *ll, enum kiln_status status, const char *format,
                                                        ...);
// Reports that nodes are inside of more than KILN_LL_MAX_DEPTH others.
void kiln_ll_fail_too_deep(struct kiln_ll *ll, const struct kiln_function *fn);
void kiln_ll_attribute(LLVMContextRef context, LLVMValueRef function, unsigned index, const char *name, uint64_t value);
void kiln_ll_call_attribute(const struct kiln_ll *ll, LLVMValueRef call, const char *name);
void kiln_ll_text_attribute(struct kiln_ll *ll, LLVMValueRef function, const char *name, const char *value);
// Attributes that every function has.
void kiln_ll_function_attributes(struct kiln_ll *ll, LLVMValueRef function);
// A copy of a kernel to rewrite, until kiln_ll_free_copies.
struct kiln_function *kiln_ll_copy(struct kiln_ll *ll, const struct kiln_function *fn);
void kiln_ll_free_copies(struct kiln_ll *ll);
// Allocates what a function needs; names its parameters.
struct kiln_ll_fn *kiln_ll_begin(struct kiln_ll *ll, const struct kiln_function *fn, LLVMValueRef function);

// ---- value.c: types and values
// The type of an SSA value. f16 is i16 where the machine has no arithmetic on it.
LLVMTypeRef kiln_ll_type(struct kiln_ll *ll, kiln_type type);
// The type in memory, and the value there and back.
LLVMTypeRef kiln_ll_memory_type(struct kiln_ll *ll, kiln_type type);
LLVMValueRef kiln_ll_to_memory(struct kiln_ll *ll, kiln_type type, LLVMValueRef value);
LLVMValueRef kiln_ll_from_memory(struct kiln_ll *ll, kiln_type type, LLVMValueRef value);
LLVMTypeRef kiln_ll_vector(LLVMTypeRef element, unsigned lanes); // element itself for one lane
unsigned kiln_ll_lanes(LLVMValueRef value);
// type with as many lanes as value.
LLVMTypeRef kiln_ll_like(LLVMValueRef value, LLVMTypeRef element);
LLVMTypeRef kiln_ll_ptr(struct kiln_ll *ll, enum kiln_space space);
LLVMTypeRef kiln_ll_int(struct kiln_ll *ll, unsigned bits);
// The constant in every lane of type, an integer or a vector of them.
LLVMValueRef kiln_ll_splat(LLVMTypeRef type, uint64_t value);
// The bytes of a scalar, or of an element of a vector; 0 of a bool.
static inline unsigned kiln_ll_element_bytes(kiln_type type) { return kiln_kind_bits(kiln_type_kind(type)) / 8; }
// In memory: a bool takes a byte, and three components have room for four.
static inline unsigned kiln_ll_memory_bytes(kiln_type type) {
  return kiln_type_kind(type) == KILN_BOOL ? 1 : kiln_ll_element_bytes(type);
}
static inline unsigned kiln_ll_room(kiln_type type) { return kiln_type_lanes(type) == 3 ? 4 : kiln_type_lanes(type); }
static inline uint64_t kiln_ll_align_up(uint64_t value, uint64_t align) { return (value + align - 1) / align * align; }
static inline LLVMValueRef kiln_ll_i1(struct kiln_ll *ll, bool value) { return LLVMConstInt(ll->i1, value, false); }
static inline LLVMValueRef kiln_ll_i32(struct kiln_ll *ll, uint64_t value) {
  return LLVMConstInt(ll->i32, value, false);
}
static inline LLVMValueRef kiln_ll_i64(struct kiln_ll *ll, uint64_t value) {
  return LLVMConstInt(ll->i64, value, false);
}
LLVMValueRef kiln_ll_splat_float(LLVMTypeRef type, double value);
// The bits of the identity of a reduction. start: those of the initial value of an exclusive scan, which differs for
// floats: +0 for a sum rather than -0, and an infinity rather than a NaN for a minimum or maximum.
uint64_t kiln_ll_neutral(enum kiln_reduce reduce, enum kiln_kind kind, bool start);
LLVMValueRef kiln_ll_get(struct kiln_ll_fn *f, kiln_value value);
// The value as it is held: at many lanes in the form of its shape.
LLVMValueRef kiln_ll_held(struct kiln_ll_fn *f, kiln_value value);
// The type of the result of an instruction: with many lanes if it is computed in vector form.
LLVMTypeRef kiln_ll_result_type(struct kiln_ll_fn *f, kiln_type type);
void kiln_ll_set(struct kiln_ll_fn *f, kiln_value value, LLVMValueRef result);
LLVMValueRef kiln_ll_operand(struct kiln_ll_fn *f, kiln_value inst, uint32_t index);
bool kiln_ll_is_float(LLVMTypeRef type);
unsigned kiln_ll_bits(LLVMTypeRef type); // of an element
// The alignment of a private variable.
uint32_t kiln_ll_var_align(const struct kiln_ll *ll, const struct kiln_inst *var);
// A private variable in the entry block.
LLVMValueRef kiln_ll_alloca(struct kiln_ll_fn *f, LLVMTypeRef type, unsigned align, const char *name);
// Calls an intrinsic that is overloaded on the types.
LLVMValueRef kiln_ll_intrinsic(struct kiln_ll *ll, const char *name, LLVMTypeRef *types, uint32_t type_count,
                               LLVMValueRef *args, uint32_t count);
// Calls an intrinsic that is overloaded on the type of its first argument.
LLVMValueRef kiln_ll_intrinsic_same(struct kiln_ll *ll, const char *name, LLVMValueRef *args, uint32_t count);

// ---- dot.c
LLVMValueRef kiln_ll_dot4(struct kiln_ll_fn *f, kiln_value inst);

// ---- power.c
// Whether an integer is known to be a power of two, or zero.
bool kiln_ll_is_power(const struct kiln_ll_fn *f, kiln_value value);
// SDIV, UDIV, SREM and UREM, total as in the IR, by y, which is a power of two or zero, and not poison.
LLVMValueRef kiln_ll_divide_by_power(struct kiln_ll *ll, enum kiln_op op, LLVMValueRef x, LLVMValueRef y);

// ---- arith.c, convert.c, memory.c, atomic.c, math.c, flow.c: one instruction of the family; the result or NULL
LLVMValueRef kiln_ll_int_op(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_float_op(struct kiln_ll_fn *f, kiln_value inst);
// A sum, product, minimum, maximum or bitwise operation of two values.
LLVMValueRef kiln_ll_plain(struct kiln_ll *ll, enum kiln_op op, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef kiln_ll_compare(struct kiln_ll_fn *f, kiln_value inst);
static inline LLVMIntPredicate kiln_ll_less(bool is_signed, bool or_equal) {
  return or_equal ? (is_signed ? LLVMIntSLE : LLVMIntULE) : is_signed ? LLVMIntSLT : LLVMIntULT;
}
LLVMValueRef kiln_ll_vector_op(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_convert(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_memory(struct kiln_ll_fn *f, kiln_value inst);
LLVMAtomicOrdering kiln_ll_ordering(enum kiln_order order);
LLVMValueRef kiln_ll_atomic(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_math(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_call(struct kiln_ll_fn *f, kiln_value inst);
// f16 (as i16, any lanes) to f32 and back, to nearest even.
LLVMValueRef kiln_ll_half_to_float(struct kiln_ll *ll, LLVMValueRef half);
LLVMValueRef kiln_ll_float_to_half(struct kiln_ll *ll, LLVMValueRef value);

// The integer extended to 64 bits by SEXT or ZEXT; itself for another operation.
LLVMValueRef kiln_ll_extended(struct kiln_ll *ll, LLVMValueRef value, enum kiln_op extension);
// The alignment of a load or store of values of the type; if the access gives none, that of an element.
unsigned kiln_ll_known_align(const struct kiln_inst *access, kiln_type type);
// pointer + index * stride; either may be a vector.
LLVMValueRef kiln_ll_pointer_add(struct kiln_ll *ll, LLVMValueRef pointer, LLVMValueRef index, int64_t stride);
// The address so many bytes after base, or after each element of it.
LLVMValueRef kiln_ll_address_at(struct kiln_ll *ll, LLVMValueRef base, int64_t bytes);
// An atomic_rmw with operands given.
LLVMValueRef kiln_ll_atomic_one(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef pointer, LLVMValueRef value);

// The result of an instruction that is no node, jump or phi; NULL: the instruction has no result. compute_op takes the
// operands as kiln_ll_operand gives them.
LLVMValueRef kiln_ll_compute_op(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_compute(struct kiln_ll_fn *f, kiln_value inst);
// compute_op for one lane of f, or one work-item, with the given operands.
LLVMValueRef kiln_ll_compute_from(const struct kiln_ll_fn *f, kiln_value inst, const LLVMValueRef *operands);
// Computes the instruction, and remembers the result as its value.
void kiln_ll_inst(struct kiln_ll_fn *f, kiln_value inst);
// The value, emitted with all that it depends on, which are pure operations and queries of the launch or group. Not
// poison, also where no work-item computes it.
LLVMValueRef kiln_ll_emit_ahead(struct kiln_ll_fn *f, kiln_value v);
// The instructions of a region with all inside; ends with the builder where nothing follows (after a jump). Lanes that
// nodes of the region turn off are off in the rest of the region, not in f.
void kiln_ll_region(const struct kiln_ll_fn *f, uint32_t region);
// A node or a plain instruction in the list of a region.
void kiln_ll_statement(struct kiln_ll_fn *f, kiln_value inst);
// kiln_ll_walker.stretch of all plain instructions.
kiln_value kiln_ll_stretch(struct kiln_ll_fn *f, kiln_value first);
// The phis that get the operands of a jump or loop; NULL: v is neither.
const struct kiln_value_list *kiln_ll_target_phis(const struct kiln_function *fn, kiln_value v);
// A list of values of the function that begins with this one. The next call makes the list invalid.
struct kiln_worklist *kiln_ll_worklist(struct kiln_ll *ll, const struct kiln_function *fn, kiln_value v);
// In the order of the program: the instruction after v, in the region or inside of one in it; 0: v is the last.
kiln_value kiln_ll_next_within(const struct kiln_function *fn, uint32_t region, kiln_value v);
// The innermost loop around a value; 0: the value is in no loop.
kiln_value kiln_ll_loop_of(const struct kiln_function *fn, kiln_value v);
// The loop that v is a header phi of, and the index of the phi; 0: v is no header phi.
kiln_value kiln_ll_header_of(const struct kiln_function *fn, kiln_value v, uint32_t *index);
// The first BREAK or CONTINUE, by op, to the node after the instruction; 0: no further jump leads there.
kiln_value kiln_ll_next_jump(const struct kiln_function *fn, kiln_value after, enum kiln_op op, kiln_value node);
LLVMBasicBlockRef kiln_ll_block(struct kiln_ll_fn *f, const char *name);
// The builder continues in the block, which is moved to the end of the function.
void kiln_ll_continue_at(struct kiln_ll_fn *f, LLVMBasicBlockRef block);
// Makes phis for the list at the start of block, where the builder is left.
void kiln_ll_make_phis(struct kiln_ll_fn *f, LLVMBasicBlockRef block, const struct kiln_value_list *list);
// A phi without incoming edges, which LLVM does not allow, becomes null.
void kiln_ll_finish_phi(LLVMValueRef *phi);
// Branches to the regions of an IF or SWITCH, each of which emit_at emits in its block.
void kiln_ll_emit_choice(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef selector,
                         void (*emit_at)(struct kiln_ll_fn *f, LLVMBasicBlockRef block, uint32_t region));
void kiln_ll_add_incoming(LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef from);
// Branches to the body of a loop, where the builder continues, with a phi that is first in the first iteration.
LLVMValueRef kiln_ll_begin_loop(struct kiln_ll_fn *f, const char *name, LLVMValueRef first, const char *phi_name);
// Called where an iteration of the loop ends: stops the launch if it is to stop, in code that can.
void kiln_ll_poll(struct kiln_ll_fn *f);

// ---- fall.c
// The switch that the node is the entry of, as in one that falls through: a switch that only chooses what the next one
// does, which stands after it or begins blocks that do. 0: it is no entry.
kiln_value kiln_ll_entered_by(struct kiln_ll_fn *f, kiln_value inst);
// Branches to the regions of the switch after the entry, and emits them.
void kiln_ll_emit_entered(struct kiln_ll_fn *f, kiln_value entry, kiln_value inst);

// ---- index.c
// Finds the values of the function on which only addresses depend.
void kiln_ll_find_addresses(struct kiln_ll_fn *f);
// Emits arithmetic that does not wrap, on a value on which only addresses depend. False: it may wrap, or the value is
// of another kind.
bool kiln_ll_index(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result);

// ---- branches.c
// Attaches metadata of a kind to an instruction: a node of these operands.
void kiln_ll_attach(LLVMContextRef context, LLVMValueRef inst, const char *kind, LLVMMetadataRef *operands,
                    size_t count);
void kiln_ll_attach_node(LLVMContextRef context, LLVMValueRef inst, const char *kind, LLVMMetadataRef node);
// Marks a branch as the latch of a loop whose accesses in access_group are independent. mask_tail: when vectorised, the
// last iteration is masked (no scalar copy of the loop, which halves the code).
void kiln_ll_mark_loop(LLVMContextRef context, LLVMValueRef branch, LLVMMetadataRef access_group, bool mask_tail);
// Metadata of a loop that is to be unrolled so many times (1: never, UINT32_MAX: completely).
LLVMMetadataRef kiln_ll_unroll_node(LLVMContextRef context, uint32_t factor);
// Marks a branch as the latch of a loop that LLVM is not to consider for unrolling, which would take long.
void kiln_ll_never_unroll(LLVMContextRef context, LLVMValueRef branch);
// never_unroll, and LLVM moves nothing out of the loop: loads that it would move take registers that the loop needs.
void kiln_ll_never_hoist(LLVMContextRef context, LLVMValueRef branch);
// Marks a branch whose first side is nearly always, or hardly ever, taken.
void kiln_ll_likely(LLVMContextRef context, LLVMValueRef branch);
void kiln_ll_unlikely(LLVMContextRef context, LLVMValueRef branch);

// ---- vector_bits.c
// Makes selects between vectors that test a bit of each element test the sign instead: for x86 without mask registers.
void kiln_ll_choose_by_sign(LLVMModuleRef module);

// ---- variables.c
void kiln_ll_debug_scopes(struct kiln_ll_fn *f);
// The innermost scope of a variable that contains the location; else the function's.
LLVMMetadataRef kiln_ll_debug_scope(const struct kiln_ll_fn *f, const struct kiln_loc *at);
// Tells the debugger that a VAR has its memory at address.
void kiln_ll_debug_variable(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef address);

// ---- debug.c
void kiln_ll_debug_begin(struct kiln_ll *ll);
void kiln_ll_debug_function(struct kiln_ll_fn *f);
void kiln_ll_debug_at(struct kiln_ll_fn *f, uint32_t loc);
void kiln_ll_debug_end(struct kiln_ll *ll);

#endif
