// Kiln's kernel IR: SSA values in structured control flow. docs/ir.md is its specification.
//
// Backends read the structs below directly; everything is built and changed through functions, so that the invariants
// hold. All of a module lives in one arena: pointers and ids stay valid until kiln_module_free, arrays may move when
// something is added.
#ifndef KILN_IR_H
#define KILN_IR_H

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- types: a type is a number, compare with == -------------------------------------------------------------------

typedef uint32_t kiln_type;

enum kiln_kind {
  KILN_VOID,
  KILN_BOOL, // 1 bit, never in memory
  KILN_I8,
  KILN_I16,
  KILN_I32,
  KILN_I64,
  KILN_F16,
  KILN_F32,
  KILN_F64,
  KILN_PTR,   // 8 bytes in memory, in every address space
  KILN_IMAGE, // of parameters and arguments alone, never in memory
};

enum kiln_space {
  KILN_PRIVATE,
  KILN_GLOBAL,
  KILN_CONSTANT,
  KILN_LOCAL,
  KILN_GENERIC,
};

// kind in bits 0-7, lanes (1, 2, 3, 4, 8, 16) in bits 8-15, address space of a pointer in bits 16-23.
static inline kiln_type kiln_vec_type(enum kiln_kind kind, unsigned lanes) { return (kiln_type)kind | lanes << 8; }
static inline kiln_type kiln_scalar_type(enum kiln_kind kind) { return kiln_vec_type(kind, 1); }
static inline kiln_type kiln_ptr_type(enum kiln_space space) {
  return kiln_scalar_type(KILN_PTR) | (kiln_type)space << 16;
}
static inline enum kiln_kind kiln_type_kind(kiln_type type) { return (enum kiln_kind)(type & 0xff); }
static inline unsigned kiln_type_lanes(kiln_type type) { return type >> 8 & 0xff; }
static inline enum kiln_space kiln_type_space(kiln_type type) { return (enum kiln_space)(type >> 16 & 0xff); }
// An image has its dimension where a pointer has its address space, and what the kernel may do with it in bits 24-31.
static inline kiln_type kiln_image_type(enum kiln_image_dimension dimension, enum kiln_access access) {
  return kiln_scalar_type(KILN_IMAGE) | (kiln_type)dimension << 16 | (kiln_type)access << 24;
}
static inline enum kiln_image_dimension kiln_type_dimension(kiln_type type) {
  return (enum kiln_image_dimension)(type >> 16 & 0xff);
}
static inline enum kiln_access kiln_type_access(kiln_type type) { return (enum kiln_access)(type >> 24); }
static inline kiln_type kiln_type_element(kiln_type type) { return (type & ~(kiln_type)0xff00) | 1u << 8; }
static inline kiln_type kiln_type_with_lanes(kiln_type type, unsigned lanes) {
  return (type & ~(kiln_type)0xff00) | lanes << 8;
}
// Bits of one lane: 0 for void and images, 1 for bool, 64 for pointers.
static inline unsigned kiln_kind_bits(enum kiln_kind kind) {
  static const unsigned char bits[] = {0, 1, 8, 16, 32, 64, 16, 32, 64, 64, 0};
  return bits[kind];
}
// Bytes that a load or store of the type touches: lanes times element, so 12 for three floats.
static inline unsigned kiln_type_bytes(kiln_type type) {
  return kiln_kind_bits(kiln_type_kind(type)) / 8 * kiln_type_lanes(type);
}
static inline bool kiln_kind_is_int(enum kiln_kind kind) { return kind >= KILN_I8 && kind <= KILN_I64; }
static inline bool kiln_kind_is_float(enum kiln_kind kind) { return kind >= KILN_F16 && kind <= KILN_F64; }

// ---- operations ----------------------------------------------------------------------------------------------------

enum kiln_op {
#define KILN_OP(NAME, text, operands, result, effect, family) KILN_OP_##NAME,
#include "ops.def"
  KILN_OP_COUNT
};

// To tell operations apart without missing one that is added later, switch over enum kiln_op without a default and name
// the families that are not meant by the macros of kiln/op_cases.h; or switch over the family.
enum kiln_op_family {
  KILN_FAMILY_FREE,
  KILN_FAMILY_INT,
  KILN_FAMILY_BOOL,
  KILN_FAMILY_FLOAT,
  KILN_FAMILY_MATH,
  KILN_FAMILY_COMPARE,  // of integers and pointers
  KILN_FAMILY_FCOMPARE, // of floats
  KILN_FAMILY_VECTOR,   // and SELECT
  KILN_FAMILY_CONVERT,
  KILN_FAMILY_MEMORY, // addresses, loads and stores
  KILN_FAMILY_ATOMIC, // and FENCE
  KILN_FAMILY_CALL,   // CALL, PRINTF, ASSUME
  KILN_FAMILY_ITEM,   // what a work-item knows of the launch and its place in it
  KILN_FAMILY_FLOW,
  KILN_FAMILY_GROUP,     // what work-items do together
  KILN_FAMILY_SUB_GROUP, // what a work-item knows of its sub-group
  KILN_FAMILY_IMAGE,
};
static inline enum kiln_op_family kiln_op_family(enum kiln_op op) {
  static const unsigned char families[] = {
#define KILN_OP(NAME, text, operands, result, effect, family) KILN_FAMILY_##family,
#include "ops.def"
  };
  return (enum kiln_op_family)families[op];
}
// Nodes have regions, jumps end a region, and free values belong to none: they are the same wherever they are used.
static inline bool kiln_op_is_node(enum kiln_op op) { return op >= KILN_OP_BLOCK && op <= KILN_OP_SWITCH; }
static inline bool kiln_op_is_jump(enum kiln_op op) { return op >= KILN_OP_YIELD && op <= KILN_OP_UNREACHABLE; }
static inline bool kiln_op_is_free(enum kiln_op op) { return op <= KILN_OP_GLOBAL; }
// Jumps that leave nodes for one further out: BREAK and CONTINUE.
static inline bool kiln_op_leaves(enum kiln_op op) { return op == KILN_OP_BREAK || op == KILN_OP_CONTINUE; }
// Atomic operations and copies are no accesses.
static inline bool kiln_op_is_access(enum kiln_op op) { return op == KILN_OP_LOAD || op == KILN_OP_STORE; }
// Operations that read or write memory atomically. A fence is in their family, but accesses nothing.
static inline bool kiln_op_is_atomic(enum kiln_op op) {
  return kiln_op_family(op) == KILN_FAMILY_ATOMIC && op != KILN_OP_FENCE;
}
// Comparisons of integers for more than equality.
static inline bool kiln_op_is_order(enum kiln_op op) { return op >= KILN_OP_SLT && op <= KILN_OP_ULE; }
static inline bool kiln_op_is_signed_order(enum kiln_op op) { return op == KILN_OP_SLT || op == KILN_OP_SLE; }
static inline bool kiln_op_is_strict_order(enum kiln_op op) { return op == KILN_OP_SLT || op == KILN_OP_ULT; }
// Operations on integers whose results may be combined in any order.
static inline bool kiln_op_is_associative(enum kiln_op op) {
  return op == KILN_OP_IADD || op == KILN_OP_IMUL || op == KILN_OP_AND || op == KILN_OP_OR || op == KILN_OP_XOR ||
         op == KILN_OP_SMIN || op == KILN_OP_SMAX || op == KILN_OP_UMIN || op == KILN_OP_UMAX;
}
// Quotients and remainders of integers.
static inline bool kiln_op_is_division(enum kiln_op op) { return op >= KILN_OP_SDIV && op <= KILN_OP_UREM; }
static inline bool kiln_op_is_signed_division(enum kiln_op op) { return op == KILN_OP_SDIV || op == KILN_OP_SREM; }
static inline bool kiln_op_is_quotient(enum kiln_op op) { return op == KILN_OP_SDIV || op == KILN_OP_UDIV; }
static inline bool kiln_op_is_remainder(enum kiln_op op) { return op == KILN_OP_SREM || op == KILN_OP_UREM; }
// Queries whose result is the same for all work-items of a group.
static inline bool kiln_op_is_group_query(enum kiln_op op) {
  return kiln_op_family(op) == KILN_FAMILY_ITEM && op != KILN_OP_GLOBAL_ID && op != KILN_OP_LOCAL_ID;
}
// Queries of sub-groups, and exchanges between work-items, of a sub-group or of a group.
static inline bool kiln_op_uses_sub_groups(enum kiln_op op) {
  enum kiln_op_family family = kiln_op_family(op);
  return family == KILN_FAMILY_SUB_GROUP || (family == KILN_FAMILY_GROUP && op != KILN_OP_BARRIER);
}

// Whether each component of the result depends on the same components of the operands alone. So does BITCAST, too,
// where both have as many.
static inline bool kiln_op_is_componentwise(enum kiln_op op) {
  enum kiln_op_family family = kiln_op_family(op);
  return family == KILN_FAMILY_INT || (family == KILN_FAMILY_BOOL && op != KILN_OP_ANY && op != KILN_OP_ALL) ||
         family == KILN_FAMILY_FLOAT || family == KILN_FAMILY_MATH || family == KILN_FAMILY_COMPARE ||
         family == KILN_FAMILY_FCOMPARE || (family == KILN_FAMILY_CONVERT && op != KILN_OP_BITCAST) ||
         op == KILN_OP_SELECT;
}

enum kiln_op_result { KILN_RESULT_SAME, KILN_RESULT_TAIL, KILN_RESULT_BOOL, KILN_RESULT_GIVEN, KILN_RESULT_VOID };
enum kiln_op_effect {
  KILN_EFFECT_PURE,
  KILN_EFFECT_ITEM,
  KILN_EFFECT_READ,
  KILN_EFFECT_WRITE,
  KILN_EFFECT_SYNC,
  KILN_EFFECT_FREE,
  KILN_EFFECT_FLOW,
  KILN_EFFECT_CROSS
};

struct kiln_op_info {
  const char *name, *operands;
  enum kiln_op_result result;
  enum kiln_op_effect effect;
};
KILN_API extern const struct kiln_op_info kiln_op_table[KILN_OP_COUNT];

// Rounding of conversions (imm of FTOS, FTOU, STOF, UTOF, FTOF).
enum kiln_round { KILN_ROUND_EVEN, KILN_ROUND_ZERO, KILN_ROUND_UP, KILN_ROUND_DOWN };

// flags of float operations: what the source and the build options allow.
enum kiln_fp_flags {
  // A product and a sum that both have it may become an FMA (by a pass, never by a backend). An FMA that has it may be
  // rounded in another way.
  KILN_FP_CONTRACT = 1 << 0,
  KILN_FP_NNAN = 1 << 1, // operands and result are no NaN
  KILN_FP_NINF = 1 << 2,
  KILN_FP_NSZ = 1 << 3,  // the sign of a zero does not matter
  KILN_FP_ARCP = 1 << 4, // x/y may become x*(1/y)
  KILN_FP_REASSOC = 1 << 5,
  KILN_FP_APPROX = 1 << 6,  // a faster function of fewer bits will do
  KILN_FP_NATIVE = 1 << 7,  // native_ form: the device's fastest
  KILN_FP_HALF = 1 << 8,    // half_ form: 8192 ulp
  KILN_FP_INRANGE = 1 << 9, // of FTOS and FTOU: out of range of the result, any value will do
  // Of FMUL: it need not be rounded before it is added to something, whether that has CONTRACT or not.
  KILN_FP_UNROUNDED = 1 << 10,
};
// flags of IADD, ISUB, IMUL, SHL. The result wraps in any case.
enum kiln_int_flags {
  KILN_INT_NSW = 1 << 0, // an address computed with it is undefined unless the exact, signed result fits
};
// imm of DOT4: which operands have signed bytes; the bytes of others are unsigned.
enum kiln_dot_signs { KILN_DOT_FIRST_SIGNED = 1 << 0, KILN_DOT_SECOND_SIGNED = 1 << 1 };
// flags of DOT4: no byte of the operand is above 127, so that it is the same with and without sign.
enum kiln_dot_flags { KILN_DOT_FIRST_SMALL = 1 << 0, KILN_DOT_SECOND_SMALL = 1 << 1 };
// flags of IF: the first side is a version of the second, which few launches take.
enum kiln_if_flags { KILN_IF_LIKELY = 1 << 0 };
enum kiln_mem_flags { KILN_MEM_VOLATILE = 1 << 0 }; // flags of LOAD, STORE, COPY
// flags of IMAGE_READ and IMAGE_WRITE. SAMPLED: a sampler follows the image. UNSIGNED: of integers that have no sign.
// ANY_SIGN: of integers that have the sign which the image's format says.
enum kiln_image_flags { KILN_IMAGE_SAMPLED = 1 << 0, KILN_IMAGE_UNSIGNED = 1 << 1, KILN_IMAGE_ANY_SIGN = 1 << 2 };
// imm of IMAGE_QUERY. Order and type: the values of CLK_RGBA, CLK_FLOAT and so on.
enum kiln_image_query {
  KILN_IMAGE_WIDTH,
  KILN_IMAGE_HEIGHT,
  KILN_IMAGE_DEPTH,
  KILN_IMAGE_LAYERS,
  KILN_IMAGE_ORDER,
  KILN_IMAGE_TYPE,
};
// flags of PRINTF, with no operands: the text is why the launch fails, and the work-item ends as far as the device can
enum kiln_print_flags { KILN_PRINT_FAIL = 1 << 0 };

enum kiln_fence { KILN_FENCE_LOCAL = 1, KILN_FENCE_GLOBAL = 2, KILN_FENCE_IMAGE = 4 };
enum kiln_order { KILN_RELAXED, KILN_ACQUIRE, KILN_RELEASE, KILN_ACQ_REL, KILN_SEQ_CST };
enum kiln_scope { KILN_SCOPE_ITEM, KILN_SCOPE_SUB_GROUP, KILN_SCOPE_GROUP, KILN_SCOPE_DEVICE, KILN_SCOPE_SYSTEM };
static inline uint64_t kiln_atomic(enum kiln_order order, enum kiln_scope scope) {
  return (uint64_t)order | (uint64_t)scope << 8;
}
static inline enum kiln_order kiln_atomic_order(uint64_t imm) { return (enum kiln_order)(imm & 0xff); }
static inline enum kiln_scope kiln_atomic_scope(uint64_t imm) { return (enum kiln_scope)(imm >> 8 & 0xff); }

enum kiln_rmw { // flags of ATOMIC_RMW
  KILN_RMW_ADD,
  KILN_RMW_SUB,
  KILN_RMW_XCHG,
  KILN_RMW_AND,
  KILN_RMW_OR,
  KILN_RMW_XOR,
  KILN_RMW_SMIN,
  KILN_RMW_SMAX,
  KILN_RMW_UMIN,
  KILN_RMW_UMAX,
  KILN_RMW_FADD,
  KILN_RMW_FMIN,
  KILN_RMW_FMAX,
  KILN_RMW_COUNT
};
// The operation that gives what is stored, from the old value and the operand; an exchange has none.
static inline enum kiln_op kiln_rmw_op(enum kiln_rmw rmw) {
  static const enum kiln_op ops[] = {KILN_OP_IADD, KILN_OP_ISUB, KILN_OP_COUNT, KILN_OP_AND,  KILN_OP_OR,
                                     KILN_OP_XOR,  KILN_OP_SMIN, KILN_OP_SMAX,  KILN_OP_UMIN, KILN_OP_UMAX,
                                     KILN_OP_FADD, KILN_OP_FMIN, KILN_OP_FMAX}; // in the order of the enum
  return ops[rmw];
}

// flags of GROUP_REDUCE and the scans: what values are combined with.
enum kiln_reduce {
  KILN_REDUCE_ADD,
  KILN_REDUCE_MUL,
  KILN_REDUCE_AND,
  KILN_REDUCE_OR,
  KILN_REDUCE_XOR,
  KILN_REDUCE_SMIN,
  KILN_REDUCE_SMAX,
  KILN_REDUCE_UMIN,
  KILN_REDUCE_UMAX,
  KILN_REDUCE_FADD,
  KILN_REDUCE_FMUL,
  KILN_REDUCE_FMIN,
  KILN_REDUCE_FMAX,
  KILN_REDUCE_COUNT
};
// The operation that combines two values.
static inline enum kiln_op kiln_reduce_op(enum kiln_reduce reduce) {
  static const enum kiln_op ops[] = {KILN_OP_IADD, KILN_OP_IMUL, KILN_OP_AND,  KILN_OP_OR,   KILN_OP_XOR,
                                     KILN_OP_SMIN, KILN_OP_SMAX, KILN_OP_UMIN, KILN_OP_UMAX, KILN_OP_FADD,
                                     KILN_OP_FMUL, KILN_OP_FMIN, KILN_OP_FMAX}; // in the order of the enum
  return ops[reduce];
}
// imm of the GROUP_… operations: scope is KILN_SCOPE_SUB_GROUP or KILN_SCOPE_GROUP. cluster: GROUP_REDUCE of a
// sub-group only: so many work-items in a row, a power of two up to KILN_MAX_WARP_SIZE, reduce among themselves; 0:
// all.
#define KILN_MAX_WARP_SIZE 64
static inline uint64_t kiln_collective(enum kiln_scope scope, unsigned cluster) {
  return (uint64_t)scope | (uint64_t)cluster << 8;
}
static inline enum kiln_scope kiln_collective_scope(uint64_t imm) { return (enum kiln_scope)(imm & 0xff); }
static inline unsigned kiln_collective_cluster(uint64_t imm) { return (unsigned)(imm >> 8 & 0xff); }

// ---- functions -----------------------------------------------------------------------------------------------------

// A value is the id of the instruction that makes it, unique in its function; 0 is no value. Instructions without
// result have ids too.
typedef uint32_t kiln_value;

// GLOBAL_ID of this dimension is the work-item's place in the launch, counted over all dimensions. Emitters alone make
// it.
#define KILN_FLAT_DIMENSION 3
// GLOBAL_OFFSET of this dimension is how far the iteration of a grid-stride loop is from the first one; likewise.
#define KILN_GRID_STRIDE_DIMENSION 3

// One instruction. Instructions of a region form a list through prev and next.
struct kiln_inst {
  uint16_t op;            // enum kiln_op
  uint16_t flags;         // enum kiln_fp_flags, kiln_int_flags, kiln_dot_flags, kiln_mem_flags, kiln_rmw, … by op
  kiln_type type;         // of the result; void for none
  uint32_t operand_first; // index into fn->operands
  uint32_t operand_count;
  uint64_t imm;        // meaning by op: see ops.def
  uint32_t imm2;       // meaning by op: align, fence bits
  uint32_t region;     // that holds it; 0 for FREE values, phis and removed instructions
  uint32_t prev, next; // in the region; 0 at the ends
  uint32_t node;       // BLOCK, IF, LOOP, SWITCH: index into fn->nodes; SHUFFLE: index into fn->shuffles
  uint32_t loc;        // index into module->locs; 0: unknown
  uint32_t name;       // offset of a name from the source in module->names; 0: none
};
static inline enum kiln_op kiln_op_of(const struct kiln_inst *inst) { return (enum kiln_op)inst->op; }

struct kiln_region {
  kiln_value first, last; // instructions; last is the terminator: YIELD, BREAK, CONTINUE, RETURN or UNREACHABLE
  kiln_value owner;       // the node it belongs to; 0: the body of the function
};

// How a value differs between the work-items of a warp, which lie side by side in dimension 0 (docs/spmd.md).
enum kiln_shape_kind {
  KILN_SHAPE_VARYING, // anything; also what is known before the analysis has run
  KILN_SHAPE_UNIFORM, // the same in all active lanes
  KILN_SHAPE_LINEAR,  // lane k has base + k * stride, modulo 2^width
};
struct kiln_shape {
  uint8_t kind; // enum kiln_shape_kind
  // LINEAR under a condition, which emitters test by scalar comparisons per warp. Of an extension: its operand does not
  // wrap within the warp, as in (long)(id + n). Of a minimum or maximum: no lane takes the uniform operand, as in
  // min(id, n). Of a product by a parameter, as in id * n: the parameter is 1.
  bool guarded;
  bool early;   // what guards it depends on ids, parameters and constants alone: it can be tested before the warp runs
  bool of_term; // of an extension: only the term of its sum that is linear must not wrap, which a guard says or ranges
                // do. The value holds where it makes an address, added up term by term in the wider type
  int64_t stride; // LINEAR
};

struct kiln_value_list {
  kiln_value *items;
  uint32_t count, capacity;
};

// What BLOCK, IF, LOOP and SWITCH have beyond a plain instruction.
struct kiln_node {
  kiln_value inst;
  uint32_t region_first, region_count; // consecutive ids
  struct kiln_value_list header;       // LOOP: header phis, one per operand of the LOOP
  struct kiln_value_list results;      // phis that YIELD and BREAK give values to, in order
  int64_t *cases;                      // SWITCH: region_count - 1 values of the selector, sign-extended
  uint32_t unroll;                     // LOOP: factor asked for by the source; 0: none, 1: do not unroll
  bool has_barrier; // kiln_inst_is_barrier holds of something inside, at any depth (kiln_function_annotate)
  // kiln_function_analyse:
  bool divergent; // IF: the condition is varying. SWITCH: so it is, or lanes may break to its end at different times.
                  // BLOCK, LOOP: lanes may leave or go on at different times
  bool partial;   // lanes may leave it for an outer node while others of the warp stay: after it fewer may be on
};

struct kiln_param {
  const char *name;      // "" for a parameter without a name
  const char *type_name; // as OpenCL C writes it
  kiln_type type;        // a by-value struct is a pointer to CONSTANT (kernels) or PRIVATE (other functions) memory
  kiln_value value;      // the PARAM instruction
  uint32_t byval_bytes;  // > 0: by-value struct of so many bytes
  uint32_t align;        // of a by-value struct, or of what a pointer points to; 0: unknown
  enum kiln_access access;
  bool is_const, is_restrict, is_volatile;
  uint8_t image; // enum kiln_param_image, where jit/pass/images.c has made the parameter of an image; 0: it is of none
};

// What a parameter was in the source: the image of a dimension, the record of an image's sizes, or a sampler.
enum kiln_param_image {
  KILN_PARAM_PLAIN,
  KILN_PARAM_SAMPLER,
  KILN_PARAM_RECORD,
  KILN_PARAM_IMAGE, // the dimension is added
};

// What is a multiple of the lanes at the first lane of each warp.
enum kiln_alignment {
  KILN_ALIGNED_NONE,
  KILN_ALIGNED_ROWS,  // ids and the offset of dimension 0, and its sizes unless the kernel is flat
  KILN_ALIGNED_LOCAL, // the local id of dimension 0 alone
};

#define KILN_ALIGNED_LANES 16 // that max_lanes is at least

struct kiln_function {
  const char *name;
  struct kiln_module *module;
  kiln_type return_type;
  struct kiln_param *params;
  uint32_t param_count;
  bool is_kernel, no_inline, always_inline; // always_inline: the inliner puts it into its callers
  uint32_t required_group_size[3], group_size_hint[3];

  // By id, which says nothing of their order in the function; [0] is not used. Removed instructions stay here with
  // their old operation, so that a walk over this array meets code that never runs. What runs lies in the regions: from
  // the first instruction of regions[body] along next, at each node into its regions. In no region are FREE values
  // (constants, parameters), which operands lead to, and phis, which are in the lists of their nodes.
  struct kiln_inst *insts;
  uint32_t inst_count;
  kiln_value *operands;
  uint32_t operand_count;
  struct kiln_region *regions; // [0] is not used
  uint32_t region_count;
  uint32_t body; // region
  struct kiln_node *nodes;
  uint32_t node_count;
  uint8_t (*shuffles)[16]; // lane numbers, 0xff: undefined
  uint32_t shuffle_count;
  bool has_barrier;          // kiln_function_annotate
  bool has_sub_groups;       // has an operation on sub-groups, queries included (kiln_function_annotate)
  struct kiln_shape *shapes; // by value; NULL before kiln_function_analyse
  uint32_t shape_count;      // values from here on were added after the analysis and have none
  // Shapes, and what nodes are divergent, in warps whose lanes agree on every comparison of a linear with a uniform
  // value that is early: such comparisons are UNIFORM and guarded. NULL: there are none.
  struct kiln_shape *assumed_shapes;
  bool *assumed_divergent; // by node
  bool is_flat; // cannot tell its local size: asks for global ids, sizes and offsets and the dimension only, has no
                // barrier and no local memory (kiln_function_analyse)
  void *priv;   // of the builder
  // Of objects (kiln_object_create) alone: other objects may call it; it has no body and is defined in another object.
  bool is_exported, is_declared;
  // Set by a backend before kiln_function_analyse: that warps begin at multiples of their lanes, a power of two.
  uint8_t alignment;         // enum kiln_alignment
  uint8_t max_lanes;         // found: with more lanes the shapes do not hold; 0: any
  bool counts_on_rows;       // found: the shapes hold with KILN_ALIGNED_ROWS only
  const char *vec_type_hint; // of a kernel: the type's name; NULL: none (kiln_set_vec_type_hint)
  uint8_t least_lanes;       // set with alignment: warps have just so many lanes; 0: KILN_ALIGNED_LANES or more
  // Of a kernel with barriers that uses dimension 1: groups of 1 x N that are neighbours in dimension 0 may run as one.
  bool may_merge;
  // So many groups run as one, in which they lie side by side: local ids and sizes of dimension 0 are those of the
  // merged group. Local memory has room for all of them, its elements interleaved. 0: each runs by itself.
  uint8_t merged_groups;
  bool blocks_rows; // set by a backend: several rows of work-items run together, each with operations of its own
  // Set by a backend before kiln_function_analyse: a warp holds several sub-groups, which differ in their numbers and
  // in what their operations give.
  bool splits_sub_groups;
  uint32_t required_sub_group_size; // of a kernel that asks for the size that the target has; 0: it asks for none
  bool is_once; // exported: other objects may define the same function, of which one definition stays
  const char
      *tuning; // of a kernel with parameters to tune: what they are, as lines (kiln_set_tuning); NULL: it has none
};

// ---- modules -------------------------------------------------------------------------------------------------------

struct kiln_reloc { // the address of another variable inside an initialiser
  uint32_t offset, global;
  int64_t addend;
};

// A module variable: program-scope data, or local memory of a kernel.
struct kiln_global {
  const char *name;
  enum kiln_space space; // CONSTANT, GLOBAL or LOCAL
  uint64_t size;
  uint32_t align;
  const void *init; // size bytes; NULL: zero (CONSTANT, GLOBAL), undefined (LOCAL)
  const struct kiln_reloc *relocs;
  uint32_t reloc_count;
  bool is_exported, is_extern; // of objects alone: other objects may name it; it is defined in another object. Both:
                               // the same variable may be defined in other objects, too, and one definition stays
};

struct kiln_loc {
  uint32_t file; // index into module->files
  uint32_t line, column;
};

struct kiln_module {
  struct kiln_function **functions;
  uint32_t function_count;
  struct kiln_global *globals;
  uint32_t global_count;
  struct kiln_loc *locs; // [0] is unknown
  uint32_t loc_count;
  const char **files;
  uint32_t file_count;
  const char *names; // value names, NUL-terminated, one after another; offset 0 is ""
  uint32_t names_size;
  void *priv;     // of the builder
  bool small_ids; // global ids of all launches are below 2^31: kiln_function_analyse may count on it
};

// NULL when memory is exhausted. After that point any call below that runs out of memory marks the module as failed
// and goes on with value 0; kiln_module_failed tells.
KILN_API struct kiln_module *kiln_module_new(void);
KILN_API void kiln_module_free(struct kiln_module *module);
KILN_API bool kiln_module_failed(const struct kiln_module *module);

// Copies name, init and relocs. Returns the index.
KILN_API uint32_t kiln_module_add_global(struct kiln_module *module, const struct kiln_global *global);
// Gives a module variable that has none yet its contents: size bytes and relocations, copied.
KILN_API void kiln_module_init_global(struct kiln_module *module, uint32_t global, const void *init,
                                      const struct kiln_reloc *relocs, uint32_t reloc_count);
KILN_API uint32_t kiln_module_add_file(struct kiln_module *module, const char *path);
// Equal locations in a row share an index.
KILN_API uint32_t kiln_module_add_loc(struct kiln_module *module, uint32_t file, uint32_t line, uint32_t column);
// Copies strings and params (of which value is filled in). The body is an empty region. Returns the function; its
// index in the module is function_count - 1. NULL when memory is exhausted.
KILN_API struct kiln_function *kiln_module_add_function(struct kiln_module *module, const char *name, bool is_kernel,
                                                        kiln_type return_type, const struct kiln_param *params,
                                                        uint32_t param_count);
KILN_API struct kiln_function *kiln_module_find(const struct kiln_module *module, const char *name);

static inline const struct kiln_inst *kiln_inst(const struct kiln_function *fn, kiln_value value) {
  return &fn->insts[value];
}
static inline const kiln_value *kiln_operands(const struct kiln_function *fn, kiln_value value) {
  return &fn->operands[fn->insts[value].operand_first];
}
// All work-items of a group must come here together: a barrier, or an exchange between all of them.
static inline bool kiln_inst_is_barrier(const struct kiln_inst *inst) {
  return inst->op == KILN_OP_BARRIER || (kiln_op_family((enum kiln_op)inst->op) == KILN_FAMILY_GROUP &&
                                         kiln_collective_scope(inst->imm) == KILN_SCOPE_GROUP);
}
static inline kiln_type kiln_value_type(const struct kiln_function *fn, kiln_value value) {
  return fn->insts[value].type;
}
// What a load, a store or an atomic operation moves.
static inline kiln_type kiln_access_type(const struct kiln_function *fn, kiln_value access) {
  bool stores = kiln_inst(fn, access)->op == KILN_OP_STORE || kiln_inst(fn, access)->op == KILN_OP_ATOMIC_STORE;
  return kiln_value_type(fn, stores ? kiln_operands(fn, access)[1] : access);
}
static inline struct kiln_node *kiln_node(const struct kiln_function *fn, kiln_value value) {
  return &fn->nodes[fn->insts[value].node];
}
// The node around an instruction; 0: it is in the body of the function.
static inline kiln_value kiln_owner(const struct kiln_function *fn, kiln_value value) {
  return fn->regions[fn->insts[value].region].owner;
}
// The node that a jump goes to; 0 for RETURN and UNREACHABLE, and for what is no jump.
static inline kiln_value kiln_jump_target(const struct kiln_function *fn, kiln_value jump) {
  const struct kiln_inst *inst = &fn->insts[jump];
  if (inst->op == KILN_OP_YIELD)
    return kiln_owner(fn, jump);
  return kiln_op_leaves((enum kiln_op)inst->op) ? (kiln_value)inst->imm : 0;
}
// The side of an IF that ends with a break out of the loop: 0, for where the condition holds, or 1; 2: none. bare: both
// sides hold nothing but a jump, the other one stays in the loop, and the IF has no results.
static inline unsigned kiln_leaving_side(const struct kiln_function *fn, kiln_value test, kiln_value loop, bool bare) {
  if (fn->insts[test].op != KILN_OP_IF || (bare && kiln_node(fn, test)->results.count))
    return 2;
  const struct kiln_region *sides = &fn->regions[kiln_node(fn, test)->region_first];
  for (unsigned side = 0; side < 2; side++) {
    const struct kiln_inst *leaves = &fn->insts[sides[side].last];
    if (leaves->op == KILN_OP_BREAK && leaves->imm == loop &&
        (!bare || (sides[side].first == sides[side].last && fn->insts[sides[!side].first].op == KILN_OP_YIELD)))
      return side;
  }
  return 2;
}
static inline const char *kiln_value_name(const struct kiln_function *fn, kiln_value value) {
  return &fn->module->names[fn->insts[value].name];
}

// ---- builder: appends at a position ---------------------------------------------------------------------------------

struct kiln_builder {
  struct kiln_function *fn;
  uint32_t region;   // where instructions go
  kiln_value before; // insert before this instruction of region; 0: at the end
  uint32_t loc;      // given to every new instruction
  uint16_t fp_flags; // given to every new float operation
};

KILN_API struct kiln_builder kiln_builder_at_end(struct kiln_function *fn, uint32_t region);
KILN_API struct kiln_builder kiln_builder_before(struct kiln_function *fn, kiln_value inst);

// FREE values are unique: the same constant has the same id.
KILN_API kiln_value kiln_const(struct kiln_function *fn, kiln_type type, uint64_t bits); // vector: splat
KILN_API kiln_value kiln_const_float(struct kiln_function *fn, kiln_type type, double value);
KILN_API kiln_value kiln_const_vec(struct kiln_function *fn, kiln_type type, const kiln_value *lanes);
KILN_API kiln_value kiln_undef(struct kiln_function *fn, kiln_type type);
KILN_API kiln_value kiln_global_address(struct kiln_function *fn, uint32_t global);

// Any operation that is no node. type is used where the table says GIVEN, else it is derived. Calls that have all
// operands constant may return a folded constant.
KILN_API kiln_value kiln_build(struct kiln_builder *b, enum kiln_op op, kiln_type type, const kiln_value *operands,
                               uint32_t count, uint64_t imm, uint32_t imm2, uint16_t flags);
KILN_API kiln_value kiln_build1(struct kiln_builder *b, enum kiln_op op, kiln_type type, kiln_value a);
KILN_API kiln_value kiln_build2(struct kiln_builder *b, enum kiln_op op, kiln_value x, kiln_value y);
KILN_API kiln_value kiln_build3(struct kiln_builder *b, enum kiln_op op, kiln_value x, kiln_value y, kiln_value z);
KILN_API kiln_value kiln_build_item(struct kiln_builder *b, enum kiln_op op, unsigned dimension);
KILN_API kiln_value kiln_build_var(struct kiln_builder *b, uint64_t bytes, uint32_t align, const char *name);
KILN_API kiln_value kiln_build_padd(struct kiln_builder *b, kiln_value ptr, kiln_value index, int64_t stride);
KILN_API kiln_value kiln_build_load(struct kiln_builder *b, kiln_type type, kiln_value ptr, uint32_t align,
                                    uint16_t flags);
KILN_API kiln_value kiln_build_store(struct kiln_builder *b, kiln_value ptr, kiln_value value, uint32_t align,
                                     uint16_t flags);
// The result has as many lanes as the list is long (lane_count).
KILN_API kiln_value kiln_build_shuffle(struct kiln_builder *b, kiln_value x, kiln_value y, const uint8_t *lanes,
                                       unsigned lane_count);
KILN_API kiln_value kiln_build_call(struct kiln_builder *b, uint32_t function, const kiln_value *args, uint32_t count);

// Nodes. Their regions start empty and must each get a terminator. b stays after the node; build the inside with
// kiln_builder_at_end on the node's regions: kiln_node(fn, id)->region_first + k.
KILN_API kiln_value kiln_build_block(struct kiln_builder *b);
KILN_API kiln_value kiln_build_if(struct kiln_builder *b, kiln_value condition);
KILN_API kiln_value kiln_build_loop(struct kiln_builder *b, const kiln_value *initial, uint32_t count);
KILN_API kiln_value kiln_build_switch(struct kiln_builder *b, kiln_value selector, const int64_t *cases,
                                      uint32_t count);
// Adds a result to a node; every YIELD and BREAK to it then takes one more value.
KILN_API kiln_value kiln_node_add_result(struct kiln_function *fn, kiln_value node, kiln_type type);
// Adds a header phi to a loop with its first value; every CONTINUE to it then takes one more value.
KILN_API kiln_value kiln_loop_add_header(struct kiln_function *fn, kiln_value loop, kiln_value initial);

KILN_API kiln_value kiln_build_yield(struct kiln_builder *b, const kiln_value *values, uint32_t count);
KILN_API kiln_value kiln_build_break(struct kiln_builder *b, kiln_value node, const kiln_value *values, uint32_t count);
KILN_API kiln_value kiln_build_continue(struct kiln_builder *b, kiln_value loop, const kiln_value *values,
                                        uint32_t count);
KILN_API kiln_value kiln_build_return(struct kiln_builder *b, kiln_value value); // 0: void

// ---- changing a function --------------------------------------------------------------------------------------------

// Takes an instruction (a node with all inside) out of its region. Its result must have no uses left.
KILN_API void kiln_remove(struct kiln_function *fn, kiln_value inst);
KILN_API void kiln_set_operands(struct kiln_function *fn, kiln_value inst, const kiln_value *operands, uint32_t count);
// Appends one operand: how a pass that adds phis extends jumps.
KILN_API void kiln_add_operand(struct kiln_function *fn, kiln_value inst, kiln_value operand);
KILN_API void kiln_set_name(struct kiln_function *fn, kiln_value value, const char *name);
// The attribute vec_type_hint of a kernel, for hosts that ask for it. Copies the name; NULL or "": none.
KILN_API void kiln_set_vec_type_hint(struct kiln_function *fn, const char *type_name);
// What "#pragma kernel" directives say of a kernel (docs/tune.md), which only hosts look at. Copies the text; NULL or
// "": nothing.
KILN_API void kiln_set_tuning(struct kiln_function *fn, const char *text);
// Moves an instruction before another one, or to the end of a region (before == 0).
KILN_API void kiln_move(struct kiln_function *fn, kiln_value inst, uint32_t region, kiln_value before);

// A function that is the same, with all ids, shapes and facts, for a backend to rewrite: what is compiled stays as it
// is. The copy is in a module of its own, which has all else in common with that of fn; it is freed, with the copy, by
// kiln_module_free(copy->module), before the other module is changed or freed. NULL: memory is exhausted.
KILN_API struct kiln_function *kiln_function_copy(const struct kiln_function *fn);

// ---- addresses as affine forms --------------------------------------------------------------------------------------

#define KILN_AFFINE_TERMS 8
#define KILN_AFFINE_WRAPS 4

enum kiln_affine_flags {
  KILN_AFFINE_PRODUCTS = 1 << 0, // a product with a value that is the same for the launch or the warp is split, too
  KILN_AFFINE_MAY_WRAP = 1 << 1, // sums of less than 64 bits that may wrap are split, too, and listed in wraps
  KILN_AFFINE_EXTENDED = 1 << 2, // of the integer extended to 64 bits, with its sign
  KILN_AFFINE_WHOLE = 1 << 3,    // what shapes say is uniform is not split
};

// factor * extended(value) * extended(scale)
struct kiln_term {
  kiln_value value;
  kiln_value scale;       // 0: none
  enum kiln_op extension; // SEXT or ZEXT of value and scale, where they have less than 64 bits; CONST: none
  int64_t factor;         // not 0
};

// base + constant + the sum of the terms, in bytes for an address, modulo 2^64, or in the width of a narrower integer.
// Equal terms are one term.
struct kiln_affine {
  kiln_value base; // of an address: what is no sum, such as a parameter, a variable or a phi; 0 of an integer
  int64_t constant;
  struct kiln_term terms[KILN_AFFINE_TERMS];
  uint32_t term_count;
  // The form holds if none of these values, of less than 64 bits, wraps where the extension takes it; else it holds
  // modulo 2^exact_bits.
  struct {
    kiln_value value;
    enum kiln_op extension;
  } wraps[KILN_AFFINE_WRAPS];
  uint32_t wrap_count, exact_bits;
};

// The form of an address, or of an integer that makes one: sums that the source says to fit (KILN_INT_NSW) are split,
// since an address is undefined where they do not. flags: of enum kiln_affine_flags. What has too many terms is a form
// of one term, itself. A quotient and a remainder that make up their dividend, as in x / 28 * 28 + x % 28, become it.
// PRODUCTS and WHOLE look at shapes where there are any. Forms are kept until the function changes.
KILN_API void kiln_affine_of(const struct kiln_function *fn, kiln_value value, unsigned flags, struct kiln_affine *out);

// Half of a 32-bit integer, which a float has as its upper half, the lower one being zero.
struct kiln_bfloat {
  kiln_value word;
  bool upper;
};
// False: nothing is known of the value.
KILN_API bool kiln_bfloat_of(const struct kiln_function *fn, kiln_value value, struct kiln_bfloat *out);
// Whether the value is an FMA that adds the product of two such floats and may be rounded in another way
// (KILN_FP_CONTRACT).
KILN_API bool kiln_is_bfloat_sum(const struct kiln_function *fn, kiln_value value);
// Whether two forms differ by a constant, which is that of to minus that of from; of forms that may wrap it holds
// modulo two to the exact_bits of both.
KILN_API bool kiln_affine_distance(const struct kiln_affine *from, const struct kiln_affine *to, int64_t *distance);
// Whether accesses of so many bytes at two addresses, by one work-item at one time, are known not to overlap.
KILN_API bool kiln_affine_disjoint(const struct kiln_function *fn, kiln_value a, uint32_t size_a, kiln_value b,
                                   uint32_t size_b);

// ---- what values are made of ----------------------------------------------------------------------------------------

// What an instruction reads and changes: what the table says of its operation, but PURE for a load from a record that a
// kernel is passed by value, at a constant offset. Nothing writes to it, and such a load may be made anywhere.
KILN_API enum kiln_op_effect kiln_effect_of(const struct kiln_function *fn, kiln_value v);

// What a value is computed from by PURE operations (kiln_effect_of), however many: the sum of these bits. A constant
// has none.
enum kiln_depends {
  KILN_ON_PARAM = 1 << 0,       // a parameter
  KILN_ON_RECORD = 1 << 1,      // a parameter that is a record passed by value
  KILN_ON_GLOBAL_SIZE = 1 << 2, // the size of the launch, or its offset
  KILN_ON_GROUP_SIZE = 1 << 3,  // the size of groups, or their number
  KILN_ON_GROUP = 1 << 4,       // another query to which all work-items of a group get one answer
  KILN_ON_GROUP_ID = 1 << 5,    // << the dimension, as the next two
  KILN_ON_GLOBAL_ID = 1 << 8,
  KILN_ON_LOCAL_ID = 1 << 11,
  KILN_ON_GROUP_IDS = KILN_ON_GROUP_ID * 7, // in any dimension
  KILN_ON_GLOBAL_IDS = KILN_ON_GLOBAL_ID * 7,
  KILN_ON_LOCAL_IDS = KILN_ON_LOCAL_ID * 7,
  KILN_ON_GLOBAL = 1 << 14, // the address of a module variable
  KILN_ON_VAR = 1 << 15,    // the address of a private variable
  KILN_ON_PHI = 1 << 16,    // what a loop carries, or control flow chooses
  KILN_ON_MEMORY = 1 << 17, // a load
  KILN_ON_UNDEF = 1 << 18,
  KILN_ON_OTHER = 1 << 19, // any other operation
  // Beside the others, of operations on the way:
  KILN_ON_VECTOR = 1 << 20, // one on vectors
  KILN_ON_MASK = 1 << 21,   // "x & y" with neither constant
  KILN_ON_ANYTHING = (1 << 22) - 1,
  KILN_ON_LAUNCH =
      KILN_ON_PARAM | KILN_ON_RECORD | KILN_ON_GLOBAL_SIZE | KILN_ON_GROUP_SIZE | KILN_ON_VECTOR | KILN_ON_MASK,
};
// As kiln_function_analyse has found it; KILN_ON_ANYTHING of what was added later.
KILN_API uint32_t kiln_depends_on(const struct kiln_function *fn, kiln_value v);
// Bits of an integer, or of every component of a vector, that are 0; likewise, 0 of what was added later.
KILN_API uint64_t kiln_known_zeros(const struct kiln_function *fn, kiln_value v);
// For debug builds: whether what the two, and kiln_affine_of, have kept is what would be found now. message: a value of
// which it is not.
KILN_API bool kiln_facts_hold(const struct kiln_function *fn, char *message, size_t size);
// Whether all work-items of a launch have the same value: it is made of parameters, sizes and constants.
KILN_API bool kiln_is_of_launch(const struct kiln_function *fn, kiln_value v);

// ---- comparisons ----------------------------------------------------------------------------------------------------

// What a comparison of integers says: low < high, or low <= high where it is not strict.
struct kiln_inequality {
  kiln_value low, high;
  bool is_strict, is_signed;
};
// Of a condition that holds, or that does not. False: the condition orders no scalars.
KILN_API bool kiln_inequality_of(const struct kiln_function *fn, kiln_value condition, bool holds,
                                 struct kiln_inequality *out);

// ---- whole modules --------------------------------------------------------------------------------------------------

// Fills in has_barrier of nodes and functions, and has_sub_groups. Linear.
KILN_API void kiln_function_annotate(struct kiln_function *fn);

// Whether each work-item may have what the function has in local memory for itself, if its group has no other one: it
// has no local parameter, no atomic operation on local memory, and does not ask where generic pointers lead. bytes: of
// local memory that it names. Linear.
KILN_API bool kiln_function_private_local(const struct kiln_function *fn, uint64_t *bytes);

// Fills in shapes of values and divergent of nodes for warps that lie in dimension 0. Parameters of kernels are
// uniform, those of other functions varying. Near-linear. What is added later has no shape: analyse last.
KILN_API void kiln_function_analyse(struct kiln_function *fn);
// The same of a function whose instructions are those of its last analysis: for other lanes, or another alignment. What
// each value depends on, and the like, is kept.
KILN_API void kiln_function_analyse_again(struct kiln_function *fn);
// The same for warps that follow the linear local id: rows of a group may begin and end inside of a warp. Takes the
// place of what the other one found.
KILN_API void kiln_function_analyse_packed(struct kiln_function *fn);
// The same for warps of neighbouring groups, if these have one work-item in dimension 0: the lanes have one local id,
// and local memory of their own.
KILN_API void kiln_function_analyse_merged(struct kiln_function *fn);

// The most registers that varying values occupy at the same time in a function that has been analysed: vectors with an
// element of 32 bits for each work-item. Values of 64 bits count as two, vectors of the language by their components.
KILN_API uint32_t kiln_function_live(const struct kiln_function *fn);

// Checks every invariant. On a fault returns false and writes a sentence that names function, instruction and rule.
KILN_API bool kiln_module_verify(const struct kiln_module *module, char *message, size_t size);

// The text form. *out is freed with kiln_free. kiln_module_parse(kiln_module_print(m)) prints the same text again.
KILN_API enum kiln_status kiln_module_print(const struct kiln_module *module, char **out);
// name is shown in messages, which have the form "name:line:column: error: …" and go to kiln_last_error.
KILN_API enum kiln_status kiln_module_parse(const char *text, size_t size, const char *name, struct kiln_module **out);

// Evaluates a PURE operation on constants: the one definition of its meaning, used for folding and by the interpreter.
// Values are lanes of bits, zero-extended from the element's width; operand k has lanes at values[k].
// Returns false for operations that cannot be evaluated (pointers of unknown address). The floating-point state of the
// calling thread changes nothing.
union kiln_lanes {
  uint64_t bits[16];
};
KILN_API bool kiln_eval(enum kiln_op op, kiln_type type, uint64_t imm, uint16_t flags, const uint8_t *shuffle,
                        const kiln_type *operand_types, const union kiln_lanes *const *operands, uint32_t count,
                        union kiln_lanes *result);

#ifdef __cplusplus
}
#endif

#endif
