// One function of a SPIR-V module while its IR is made.
//
// function.c  signatures, kernels       body.c     blocks, edges, values that leave their region
// value.c     operands and constants    lower.c    which function makes an instruction; lower.def lists them
// arith.c, compare.c, bits.c, convert.c, composite.c, memory.c, input.c, atomic.c, group.c, call.c, image.c:
// instructions
#ifndef KILN_JIT_SPIRV_FUNCTION_H
#define KILN_JIT_SPIRV_FUNCTION_H

#include "jit/spirv/flow.h"
#include "jit/spirv/library.h"
#include "jit/spirv/module.h"

enum {
  KILN_SPV_MAX_NESTING = 300,       // of aggregates in each other, and of constants that are computed from each other
  KILN_SPV_MAX_PARTS = 1 << 14,     // of an aggregate that is a value
  KILN_SPV_MAX_ALL_PARTS = 4 << 20, // of all aggregates of a function
  KILN_SPV_MAX_ALIGN = 128,
};

// What an id stands for. An aggregate is the list of its parts, down to scalars and vectors.
struct kiln_spv_value {
  const struct kiln_spv_type *type;
  kiln_value value;                   // of what the IR has a type for, else 0
  const struct kiln_spv_value *parts; // of an aggregate: type->count of them; NULL: none
};

// The blocks of a function as a graph: check.c makes it.
struct kiln_spv_graph {
  struct kiln_flow_graph blocks; // a branch whose ways are the same block is one edge
  struct kiln_flow *flow;
  uint32_t *from;       // block that an edge begins at
  uint32_t *into_first; // block_count + 1: the edges to a block are into[into_first[b]], …
  uint32_t *into;
};

struct kiln_spv_fn {
  struct kiln_spv *spv;
  const struct kiln_spv_function *source;
  uint32_t number;                    // of source, in spv->functions
  const struct kiln_spv_entry *entry; // of what is made as a kernel; NULL: a plain function
  struct kiln_function *fn;
  struct kiln_flow *flow;
  struct kiln_builder *b;         // where instructions go: in the region that flow.c fills
  uint32_t block;                 // that is being filled
  const struct kiln_spv_inst *at; // that is being made
  struct kiln_spv_value *values;  // by kiln_spv_id.number; without type: not made yet
  kiln_value *slots;              // likewise: the variable of a value that leaves its region; 0: it needs none
  kiln_value *phis;               // likewise: the variable of a phi, which edges to its block write
  kiln_value result;              // where the function's value goes; 0: it has none
  uint16_t fp_flags;              // of float operations that no decoration speaks of
  uint8_t signs;                  // operands that the instruction takes with their sign, by number (width.c)
  uint32_t depth;                 // of recursion over types and constants
  uint32_t part_count;            // of aggregates so far
  struct kiln_spv_body *body;     // body.c
  struct kiln_spv_input *inputs;  // built-in variables that are pointed to
};

// ---- function.c
void kiln_spv_make_functions(struct kiln_spv *spv);
// The declaration of a function of another object, which is made when it is first called.
const struct kiln_spv_function *kiln_spv_declare(struct kiln_spv *spv, const struct kiln_spv_function *import);
uint32_t kiln_spv_file(struct kiln_spv *spv, uint32_t string); // of the module that is made, by the id of an OpString
// Whether a parameter is a pointer to what is passed by value.
bool kiln_spv_is_byval(const struct kiln_spv *spv, const struct kiln_spv_inst *param);

// ---- body.c
void kiln_spv_make_body(struct kiln_spv_fn *f);

// ---- value.c
// Ends the reading with a fault of the instruction that is being made; where memory has run out, for that.
__attribute__((noreturn, format(printf, 2, 3))) void kiln_spv_wrong(struct kiln_spv_fn *f, const char *format, ...);
// The value of an id: of an instruction before, a constant, a module variable, a parameter.
struct kiln_spv_value kiln_spv_use(struct kiln_spv_fn *f, uint32_t id);
// Operand k of the instruction that is being made; an operand that is missing is a fault.
struct kiln_spv_value kiln_spv_operand(struct kiln_spv_fn *f, uint32_t k);
kiln_value kiln_spv_plain(struct kiln_spv_fn *f, uint32_t k); // that is no aggregate; with its sign if f->signs says so
kiln_value kiln_spv_pointer(struct kiln_spv_fn *f, uint32_t k); // that is a pointer
kiln_value kiln_spv_int(struct kiln_spv_fn *f, uint32_t k);     // that is a scalar integer
// What the pointer that is operand k leads to.
const struct kiln_spv_type *kiln_spv_pointee(struct kiln_spv_fn *f, uint32_t k);
const struct kiln_spv_type *kiln_spv_result(struct kiln_spv_fn *f); // type of the instruction; fails where it has none
kiln_type kiln_spv_result_ir(struct kiln_spv_fn *f);                // that is no aggregate
// Undefined, or zero.
struct kiln_spv_value kiln_spv_undefined(struct kiln_spv_fn *f, const struct kiln_spv_type *type);
struct kiln_spv_value kiln_spv_zero(struct kiln_spv_fn *f, const struct kiln_spv_type *type);
// Room for the parts of an aggregate.
struct kiln_spv_value *kiln_spv_parts(struct kiln_spv_fn *f, const struct kiln_spv_type *type);
void kiln_spv_enter(struct kiln_spv_fn *f); // a step down into types or constants: at most KILN_SPV_MAX_NESTING
static inline void kiln_spv_leave(struct kiln_spv_fn *f) { f->depth--; }
static inline struct kiln_spv_value kiln_spv_of(const struct kiln_spv_type *type, kiln_value value) {
  return (struct kiln_spv_value){.type = type, .value = value};
}
static inline kiln_type kiln_spv_ir(const struct kiln_spv_fn *f, kiln_value v) { return kiln_value_type(f->fn, v); }
// As kiln_build, but with the classes of operands checked first: what does not fit is a fault of the module.
kiln_value kiln_spv_build(struct kiln_spv_fn *f, enum kiln_op op, kiln_type type, const kiln_value *operands,
                          uint32_t count, uint64_t imm, uint16_t flags);
static inline kiln_value kiln_spv_op1(struct kiln_spv_fn *f, enum kiln_op op, kiln_type type, kiln_value x) {
  return kiln_spv_build(f, op, type, &x, 1, 0, 0);
}
static inline kiln_value kiln_spv_op2(struct kiln_spv_fn *f, enum kiln_op op, kiln_value x, kiln_value y) {
  return kiln_spv_build(f, op, KILN_VOID, (kiln_value[]){x, y}, 2, 0, 0);
}
kiln_value kiln_spv_select(struct kiln_spv_fn *f, kiln_value condition, kiln_value x, kiln_value y);
kiln_value kiln_spv_const(struct kiln_spv_fn *f, kiln_type type, uint64_t value); // cut to the width; a vector: splat
kiln_value kiln_spv_lane(struct kiln_spv_fn *f, kiln_value vector, unsigned lane);
// Integers of another width, by their lanes.
kiln_value kiln_spv_resize(struct kiln_spv_fn *f, kiln_value v, enum kiln_kind kind, bool is_signed);
kiln_value kiln_spv_cast(struct kiln_spv_fn *f, kiln_value pointer, kiln_type to);        // to another address space
kiln_value kiln_spv_join(struct kiln_spv_fn *f, kiln_type type, const kiln_value *lanes); // a scalar: its only lane
kiln_value kiln_spv_item(struct kiln_spv_fn *f, enum kiln_op op, unsigned dimension);
kiln_value kiln_spv_sub_group(struct kiln_spv_fn *f, enum kiln_op op); // a query
kiln_value kiln_spv_local_linear_id(struct kiln_spv_fn *f);            // i64

// ---- width.c
// Of a value of the type that may be of an odd width: with zeros above it; with its sign there.
kiln_value kiln_spv_cut(struct kiln_spv_fn *f, kiln_value v, const struct kiln_spv_type *type);
kiln_value kiln_spv_with_sign(struct kiln_spv_fn *f, kiln_value v, const struct kiln_spv_type *type);
// From or to a type of odd width, or bools, which have a bit each; both have the same number of bits, at most 64.
kiln_value kiln_spv_bitcast_odd(struct kiln_spv_fn *f, kiln_value v, const struct kiln_spv_type *from,
                                const struct kiln_spv_type *to);
kiln_value kiln_spv_load_odd(struct kiln_spv_fn *f, const struct kiln_spv_type *type, kiln_value pointer,
                             uint32_t align, uint16_t flags);
void kiln_spv_store_odd(struct kiln_spv_fn *f, const struct kiln_spv_type *type, kiln_value pointer, kiln_value v,
                        uint32_t align, uint16_t flags);

// ---- lower.c
// One instruction, which is no jump and no phi; its value, or a value without type where it has none.
struct kiln_spv_value kiln_spv_lower(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst);
struct kiln_spv_lowering; // a row of lower.def
typedef struct kiln_spv_value kiln_spv_make(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                            const struct kiln_spv_lowering *how);
struct kiln_spv_lowering {
  uint16_t maker; // which function, from 1; 0: the instruction is not supported
  uint16_t op;    // enum kiln_op, or another number that the function knows
  uint16_t detail;
};
#define KILN_SPV_MAKER(function) kiln_spv_make kiln_spv_##function;
#include "jit/spirv/lower.def"

// ---- memory.c
uint32_t kiln_spv_align_at(uint32_t align, uint64_t offset); // so many bytes beyond what is aligned so
kiln_value kiln_spv_at_offset(struct kiln_spv_fn *f, kiln_value pointer, uint64_t offset);
struct kiln_spv_value kiln_spv_load(struct kiln_spv_fn *f, const struct kiln_spv_type *type, kiln_value pointer,
                                    uint32_t align, uint16_t flags);
void kiln_spv_store(struct kiln_spv_fn *f, kiln_value pointer, const struct kiln_spv_value *value, uint32_t align,
                    uint16_t flags);
void kiln_spv_copy(struct kiln_spv_fn *f, kiln_value to, kiln_value from, uint64_t bytes, uint32_t align,
                   uint16_t flags);
// Of a variable that holds a value of the function for as long as it does not stand in a region.
struct kiln_spv_value kiln_spv_load_slot(struct kiln_spv_fn *f, const struct kiln_spv_type *type, kiln_value slot);
void kiln_spv_store_slot(struct kiln_spv_fn *f, kiln_value slot, const struct kiln_spv_value *value);
// A variable at the beginning of the function.
kiln_value kiln_spv_var(struct kiln_spv_fn *f, const struct kiln_spv_type *type, uint32_t align, const char *name);

// ---- call.c
struct kiln_spv_value kiln_spv_call_builtin(struct kiln_spv_fn *f, const struct kiln_spv_builtin *how);

// ---- image.c
struct kiln_spv_value kiln_spv_load_image(struct kiln_spv_fn *f, const struct kiln_spv_inst *load);

// ---- input.c
// The built-in variables that the function uses other than by loads get variables; init gives them their values.
void kiln_spv_add_input(struct kiln_spv_fn *f, uint32_t id);
void kiln_spv_init_inputs(struct kiln_spv_fn *f);
kiln_value kiln_spv_input_address(struct kiln_spv_fn *f, uint32_t id);
bool kiln_spv_is_input(const struct kiln_spv *spv, uint32_t id);
struct kiln_spv_value kiln_spv_input(struct kiln_spv_fn *f, uint32_t id, const struct kiln_spv_type *type);

// ---- atomic.c
struct kiln_spv_semantics {
  enum kiln_order order;
  uint32_t fences; // of enum kiln_fence
};
// What a constant says; what is not constant is as strong as can be.
struct kiln_spv_semantics kiln_spv_semantics_of(struct kiln_spv_fn *f, uint32_t id);
enum kiln_scope kiln_spv_scope_of(struct kiln_spv_fn *f, uint32_t id);

#endif
