// A SPIR-V module while it is read: its words, and what is known of each id.
//
// Reading goes through these steps, each over the whole module (spirv.c):
//   words.c     words to instructions: byte order, counts, kinds of operands
//   module.c    decorations, types, constants, variables, functions: struct kiln_spv_id of each id
//   check.c     what the rest relies on: ids are defined once and dominate their uses, phis match, no recursion
//   library.c   built-in functions that are more than one operation: OpenCL C, compiled into the module that is made
//   globals.c   variables outside of functions, with their contents
//   function.c  each function: flow.c makes regions of its blocks, the other files operations of its instructions
//
// The first fault ends the reading: kiln_spv_fail jumps to kiln_spirv_compile.
#ifndef KILN_JIT_SPIRV_MODULE_H
#define KILN_JIT_SPIRV_MODULE_H

#include <setjmp.h>

#include "base/arena.h"
#include "base/str.h"
#include "jit/ir/internal.h"
#include "jit/spirv/spirv.h"

// ---- instructions (words.c) ----------------------------------------------------------------------------------------

enum kiln_spv_op { // KILN_SPV_OpIAdd is 128, its number in SPIR-V
#define KILN_SPV_OP(name, number, operands) KILN_SPV_Op##name = (number),
#include "jit/spirv/ops.def"
};

enum kiln_spv_row { // of ops.def, from 0: what tables of instructions are indexed by, since numbers have large gaps
#define KILN_SPV_OP(name, number, operands) KILN_SPV_ROW_##name,
#include "jit/spirv/ops.def"
  KILN_SPV_ROWS
};

enum kiln_spv_enum { // KILN_SPV_Decoration_Alignment is 44
#define KILN_SPV_ENUM(kind, name, number) KILN_SPV_##kind##_##name = (number),
#include "jit/spirv/enums.def"
};

// OpLine, OpNoLine and OpNop are not among the instructions of a module.
struct kiln_spv_inst {
  const uint32_t *operands; // the words after the result type and the result
  uint32_t count;           // of operands
  uint32_t type, id;        // result type and result; 0: the instruction has none
  uint32_t word;            // where it begins in the module, for messages
  const uint32_t *line;     // operands of the OpLine that holds for it: file, line, column; NULL: none
  const char *kinds;        // of its operands, as in ops.def, with i, n, s, v, e, ?, * and () alone; NULL: ids has them
  uint32_t ids;             // bit k: operand k is an id; bit 31 is for all operands from there on
  uint16_t op;              // enum kiln_spv_op
  uint16_t row;             // enum kiln_spv_row
};

// Goes over the operands that are ids:
//   struct kiln_spv_ids ids = kiln_spv_ids(inst);
//   while (kiln_spv_next_id(&ids)) … ids.id, which is inst->operands[ids.index]
struct kiln_spv_ids {
  const struct kiln_spv_inst *inst;
  uint32_t id, index;
  uint32_t at;      // of the operand that is looked at next
  const char *kind; // likewise
};
static inline struct kiln_spv_ids kiln_spv_ids(const struct kiln_spv_inst *inst) {
  return (struct kiln_spv_ids){.inst = inst, .kind = inst->kinds};
}
bool kiln_spv_next_id_of_kinds(struct kiln_spv_ids *ids);
static inline bool kiln_spv_next_id(struct kiln_spv_ids *ids) {
  const struct kiln_spv_inst *inst = ids->inst;
  if (inst->kinds)
    return kiln_spv_next_id_of_kinds(ids);
  for (;;) {
    uint32_t at = ids->at, rest = inst->ids >> (at < 31 ? at : 31);
    if (!rest || at >= inst->count)
      return false;
    ids->at++;
    if (rest & 1) {
      ids->index = at;
      ids->id = inst->operands[at];
      return true;
    }
  }
}

// ---- types and constants (module.c) ---------------------------------------------------------------------------------

enum kiln_spv_kind {
  KILN_SPV_VOID,
  KILN_SPV_BOOL,
  KILN_SPV_INT,
  KILN_SPV_FLOAT,
  KILN_SPV_VECTOR,
  KILN_SPV_ARRAY,
  KILN_SPV_STRUCT,
  KILN_SPV_POINTER,
  KILN_SPV_FUNCTION,
  KILN_SPV_EVENT,
  KILN_SPV_IMAGE,
  KILN_SPV_SAMPLER,
  KILN_SPV_SAMPLED_IMAGE, // an image with a sampler
};
// What is a parameter or made of one, never a value in a variable, a phi or another operation.
static inline bool kiln_spv_is_image(enum kiln_spv_kind kind) {
  return kind == KILN_SPV_IMAGE || kind == KILN_SPV_SAMPLED_IMAGE;
}

struct kiln_spv_type {
  enum kiln_spv_kind kind;
  uint32_t id;
  kiln_type ir;        // of bools, integers, floats, vectors, pointers, images and samplers, else void
  kiln_type stored;    // as they are in memory: bools are integers of 8 bits
  uint32_t storage;    // of a pointer: the storage class
  uint32_t count;      // lanes, elements, members, parameters
  uint64_t size;       // in memory, in bytes, with the padding at the end
  uint32_t align;      // natural; 1 of a struct that is CPacked
  uint32_t depth;      // of aggregates in each other: at most 255, so that walks over a type may recurse
  uint32_t flat_count; // scalars and vectors that a value of it is made of, however deep: 1 of a vector
  uint32_t odd_bits; // of an integer, or of each in a vector, that has fewer bits than ir, where the bits above it are
                     // zeros (width.c); 0: ir has as many
  const struct kiln_spv_type *element;  // of vectors and arrays; what a pointer points to; the result of a function;
                                        // the image of a sampled one
  const struct kiln_spv_type **members; // of structs; the parameters of a function
  uint64_t *offsets;                    // of members
};
static inline bool kiln_spv_is_aggregate(const struct kiln_spv_type *type) {
  return type->kind == KILN_SPV_ARRAY || type->kind == KILN_SPV_STRUCT;
}
// The bits of a scalar, or of each in a vector.
static inline unsigned kiln_spv_bits(const struct kiln_spv_type *type) {
  return type->odd_bits ? type->odd_bits : kiln_kind_bits(kiln_type_kind(type->ir));
}
// Bytes that a load or store of the type accesses: its size, but for integers of odd widths.
static inline uint64_t kiln_spv_stored_bytes(const struct kiln_spv_type *type) {
  return type->odd_bits && type->kind == KILN_SPV_INT ? (type->odd_bits + 7) / 8 : type->size;
}
// The type of part k of an aggregate, and where that lies.
static inline const struct kiln_spv_type *kiln_spv_part(const struct kiln_spv_type *type, uint32_t k) {
  return type->kind == KILN_SPV_STRUCT ? type->members[k] : type->element;
}
static inline uint64_t kiln_spv_offset(const struct kiln_spv_type *type, uint32_t k) {
  return type->kind == KILN_SPV_STRUCT ? type->offsets[k] : k * type->element->size;
}

// What a constant is known to be; specialisation and OpSpecConstantOp have been done with.
enum kiln_spv_form {
  KILN_SPV_BITS,    // a number, a bool, or a vector of them, in lanes
  KILN_SPV_ZERO,    // of any type
  KILN_SPV_UNDEF,   // of any type
  KILN_SPV_PARTS,   // an aggregate
  KILN_SPV_ADDRESS, // a pointer, or an integer of 64 bits that a pointer has become
};
struct kiln_spv_constant {
  const struct kiln_spv_type *type;
  enum kiln_spv_form form;
  uint32_t variable; // ADDRESS: id of the variable; 0: the address is offset alone
  union {
    const uint64_t *lanes;                        // BITS: extended by zeros from their width; one of a scalar
    const struct kiln_spv_constant *const *parts; // PARTS: type->count
    int64_t offset;                               // ADDRESS: in bytes
  };
};

struct kiln_spv_decoration {
  const struct kiln_spv_decoration *next;
  uint32_t kind;            // Decoration of the specification
  const uint32_t *operands; // what follows it
  uint32_t count;
};

enum kiln_spv_what { // an id is; module.c fills it in for all of the module
  KILN_SPV_NOTHING,  // nothing defines the id
  KILN_SPV_IS_TYPE,
  KILN_SPV_IS_CONSTANT, // OpUndef outside of functions, too
  KILN_SPV_IS_VARIABLE, // outside of functions
  KILN_SPV_IS_FUNCTION,
  KILN_SPV_IS_LABEL,
  KILN_SPV_IS_VALUE, // parameters and results of instructions in functions
  KILN_SPV_IS_STRING,
  KILN_SPV_IS_SET,   // of extended instructions
  KILN_SPV_IS_GROUP, // of decorations
  KILN_SPV_IS_ALIAS, // scopes and domains of SPV_INTEL_memory_access_aliasing, which are read past
};

// Half a line of the cache: the table is where most of the memory that a reading touches lies.
struct kiln_spv_id {
  const struct kiln_spv_inst *inst; // that defines it
  const struct kiln_spv_type *type; // the type itself, or that of the value
  union {
    const struct kiln_spv_constant *constant; // of IS_CONSTANT
    struct {                                  // of labels and values
      uint32_t function;                      // that it stands in: in spv->functions
      uint32_t block;                         // that a value stands in, by number; 0 of parameters
    };
  };
  enum kiln_spv_what what;
  uint32_t number; // function: in spv->functions; label: of the block in its function; value: in its function, from 0;
                   // variable: in the module that is made, KILN_SPV_NO_GLOBAL of a built-in one
};
#define KILN_SPV_NO_GLOBAL UINT32_MAX

struct kiln_spv_block {
  uint32_t first, count; // in spv->insts; the last is the jump. OpLabel is not among them
  uint32_t label;        // id
};

// Instructions of a function that steps look for, by number in spv->insts, in order.
struct kiln_spv_insts {
  uint32_t *items;
  uint32_t count, capacity;
};

// Uses of what may have to be made ready for them, before the function is made: a value in another block than its own,
// or the address of a built-in variable.
struct kiln_spv_uses {
  struct kiln_spv_use {
    uint32_t id, block;
  } * items;
  uint32_t count, capacity;
};

struct kiln_spv_function {
  const struct kiln_spv_inst *inst; // OpFunction
  const struct kiln_spv_type *type; // of the function
  const struct kiln_spv_inst *params;
  uint32_t param_count, value_count, block_count;
  struct kiln_spv_block *blocks;        // block_count is 0: an import
  struct kiln_spv_insts calls;          // OpFunctionCall, OpExtInst of OpenCL.std, and kiln_spv_is_image_call
  struct kiln_spv_insts variables;      // OpVariable
  struct kiln_spv_graph *graph;         // check.c; NULL of an import
  struct kiln_spv_uses uses;            // likewise, but for those by phis
  bool is_reached;                      // likewise: an entry point calls it, or is it; all functions of an object are
  const struct kiln_spv_entry *entry;   // of a kernel, the first one; of other functions NULL
  bool is_stub;                         // an entry point that only calls another function, which is the kernel
  const struct kiln_spv_function *stub; // that calls a kernel; its parameters may have names and decorations
  const char *import, *export;          // linkage name; NULL: none. OpName of a function without blocks that has none
  struct kiln_function *fn;             // that is made of it; NULL before function.c, and of stubs and imports
  uint32_t index;                       // of fn in the module that is made
};

struct kiln_spv_mode {
  const struct kiln_spv_mode *next;
  uint32_t kind; // ExecutionMode of the specification; LocalSizeId has become LocalSize, and so on
  const uint32_t *operands;
  uint32_t count;
};

struct kiln_spv_entry {
  const char *name;
  const struct kiln_spv_entry *next; // of the same function
  const struct kiln_spv_mode *modes; // those of the function, which all of its entry points have
};

// ---- the whole ------------------------------------------------------------------------------------------------------

struct kiln_spv {
  const struct kiln_spirv_input *input;
  struct kiln_arena arena;
  jmp_buf failed; // kiln_spv_fail, and the arena's
  struct kiln_strbuf message;
  enum kiln_status status;

  const uint32_t *words; // in the byte order of the host
  uint32_t word_count, version, bound;
  struct kiln_spv_inst *insts; // of the whole module, in order
  uint32_t inst_count;
  struct kiln_spv_id *ids;                        // bound
  const char **names;                             // by id: OpName; NULL: none
  const struct kiln_spv_decoration **decorations; // by id
  bool any_width;  // it declares that its integers have other widths than 8, 16, 32 and 64
  bool has_images; // it declares ImageBasic
  bool *given;     // by index of input->options.spec_values: the module has the constant
  uint32_t
      *stored_images; // by id of a variable: what is stored there, an image; NULL: there are no images in variables
  struct kiln_names kinds; // texts of kiln_spv_inst.kinds that are not in ops.def
  struct kiln_spv_function *functions;
  struct kiln_spv_entry *entries;
  uint32_t function_count, entry_count;
  struct kiln_module *module;       // that is made
  struct kiln_spv_library *library; // library.c
  struct kiln_spv_made *made;       // function.c
};

// Ends the reading: "NAME:word N: error: OpIAdd %12 'sum': …", with the location that OpLine says where there is one.
// inst NULL: a fault of the module as a whole.
__attribute__((noreturn, format(printf, 3, 4))) void
kiln_spv_fail(struct kiln_spv *spv, const struct kiln_spv_inst *inst, const char *format, ...);
// The same for a limit: KILN_ERR_UNSUPPORTED.
__attribute__((noreturn, format(printf, 3, 4))) void
kiln_spv_limit(struct kiln_spv *spv, const struct kiln_spv_inst *inst, const char *format, ...);
// The same for what the caller has given: KILN_ERR_INVALID.
__attribute__((noreturn, format(printf, 2, 3))) void kiln_spv_invalid(struct kiln_spv *spv, const char *format, ...);
// "%12 'sum'" for messages, in the arena.
const char *kiln_spv_id_text(struct kiln_spv *spv, uint32_t id);
// "IAdd"; NULL: ops.def does not list the instruction.
const char *kiln_spv_op_name(uint32_t op);
uint32_t kiln_spv_op_row(uint32_t op); // enum kiln_spv_row; KILN_SPV_ROWS: it does not
// "fract", of OpenCL.std; NULL: ext.def does not list it.
const char *kiln_spv_ext_name(uint32_t number);
// Whether an OpExtInst is of OpenCL.std. All others say nothing that changes what is computed.
bool kiln_spv_is_ext(const struct kiln_spv_inst *inst);

// words.c: fills words, insts, version, bound. Every operand has been counted by its kind, and ids are below bound.
void kiln_spv_read_words(struct kiln_spv *spv);
// Past the operands of a memory access whose mask is operand `at`; the ids among them are added to *ids, a mask as
// inst->ids.
uint32_t kiln_spv_past_access(const struct kiln_spv_inst *inst, uint32_t at, uint32_t *ids);
// A literal string operand that begins at this operand of the instruction, in the arena, and how many words it takes
// (words may be NULL).
const char *kiln_spv_string(struct kiln_spv *spv, const struct kiln_spv_inst *inst, uint32_t at, uint32_t *words);

// module.c: fails if a capability or extension among the instructions so far is not supported.
void kiln_spv_check_needs(struct kiln_spv *spv);
// Fills ids, functions and entries, but for the numbers of variables and what is made of functions.
void kiln_spv_read_module(struct kiln_spv *spv);
// The type that an id names; fails if the id names none.
__attribute__((noreturn)) void kiln_spv_fail_type(struct kiln_spv *spv, const struct kiln_spv_inst *at, uint32_t id);
static inline const struct kiln_spv_type *kiln_spv_type_of(struct kiln_spv *spv, const struct kiln_spv_inst *at,
                                                           uint32_t id) {
  if (spv->ids[id].what != KILN_SPV_IS_TYPE)
    kiln_spv_fail_type(spv, at, id);
  return spv->ids[id].type;
}
// Operands of a decoration of an id; NULL: it does not have the decoration.
const struct kiln_spv_decoration *kiln_spv_decoration(const struct kiln_spv *spv, uint32_t id, uint32_t kind);
// Whether a parameter has this FunctionParameterAttribute.
bool kiln_spv_has_attribute(const struct kiln_spv *spv, uint32_t id, uint32_t attribute);
// What Alignment or AlignmentId says of an id; 0: nothing.
uint32_t kiln_spv_alignment(struct kiln_spv *spv, uint32_t id);
// The linkage type of an id; UINT32_MAX: it has no linkage.
static inline uint32_t kiln_spv_linkage(const struct kiln_spv *spv, uint32_t id) {
  const struct kiln_spv_decoration *linkage = kiln_spv_decoration(spv, id, KILN_SPV_Decoration_LinkageAttributes);
  return linkage && linkage->count ? linkage->operands[linkage->count - 1] : UINT32_MAX;
}
const struct kiln_spv_mode *kiln_spv_mode(const struct kiln_spv_entry *entry, uint32_t kind); // NULL: none
// The value of an integer constant, extended by zeros to 64 bits from its width. False: the id is no integer
// constant, or its value is not known before the launch.
bool kiln_spv_constant_bits(struct kiln_spv *spv, uint32_t id, uint64_t *bits);
// The same, with the sign; fails with a message that names the operand where it is none.
int64_t kiln_spv_constant_int(struct kiln_spv *spv, const struct kiln_spv_inst *at, uint32_t id, const char *what);

// The constant that an id is; NULL: it is something else.
static inline const struct kiln_spv_constant *kiln_spv_known(const struct kiln_spv *spv, uint32_t id) {
  return spv->ids[id].what == KILN_SPV_IS_CONSTANT ? spv->ids[id].constant : NULL;
}

// A type for messages: "i32x4", "structure %7 'record'", …
const char *kiln_spv_type_text(struct kiln_spv *spv, const struct kiln_spv_type *type);
// The same types, or types that look the same in the IR.
bool kiln_spv_same_type(const struct kiln_spv_type *a, const struct kiln_spv_type *b);

// types.c, constants.c, fold.c: steps of module.c.
void kiln_spv_define_type(struct kiln_spv *spv, const struct kiln_spv_inst *inst);
void kiln_spv_define_constant(struct kiln_spv *spv, const struct kiln_spv_inst *inst);
// What OpSpecConstantOp gives.
const struct kiln_spv_constant *kiln_spv_fold(struct kiln_spv *spv, const struct kiln_spv_inst *inst,
                                              const struct kiln_spv_type *type);
// The constant of an operand, or the address of a variable; fails if the id is neither.
const struct kiln_spv_constant *kiln_spv_constant_of(struct kiln_spv *spv, const struct kiln_spv_inst *at, uint32_t id);
// A number, a bool or a vector of them, from its lanes.
const struct kiln_spv_constant *kiln_spv_number(struct kiln_spv *spv, const struct kiln_spv_type *type,
                                                const uint64_t *lanes);
struct kiln_spv_constant *kiln_spv_new_constant(struct kiln_spv *spv, const struct kiln_spv_type *type,
                                                enum kiln_spv_form form);
// Part k of a constant of an aggregate, or lane k of a vector.
const struct kiln_spv_constant *kiln_spv_constant_part(struct kiln_spv *spv, const struct kiln_spv_constant *constant,
                                                       uint32_t k);
// The lanes of what has BITS, ZERO or UNDEF (which is 0 then). False: it has none.
bool kiln_spv_constant_lanes(const struct kiln_spv_constant *constant, uint64_t lanes[16]);
// What access chains lead to: the type, and the bytes from the pointer on where all indices are constants. first: of
// the operand that is the first index; element: the first index counts elements. False: some index is not constant.
bool kiln_spv_chain(struct kiln_spv *spv, const struct kiln_spv_inst *inst, uint32_t first, bool element,
                    const struct kiln_spv_type *pointee, const struct kiln_spv_type **type, int64_t *offset);

// operands.c: fails if the result and the operands of an instruction are not of the types that it takes. place: where
// in a function it stands, for kiln_spv_check_use; NULL: outside of functions.
struct kiln_spv_place {
  struct kiln_spv_function *function;
  uint32_t index; // of the function
  uint32_t block;
};
void kiln_spv_check_types(struct kiln_spv *spv, const struct kiln_spv_inst *inst, const struct kiln_spv_place *place);
// check.c: of an operand that is no value of an earlier instruction of the block: fails if it is a value that is not
// there in all cases; and notes in function->uses what body.c looks for.
void kiln_spv_check_use(struct kiln_spv *spv, const struct kiln_spv_inst *inst, const struct kiln_spv_place *place,
                        uint32_t id);

// width.c: whether the instruction of a row takes integers of odd widths; the operands that it takes with their signs,
// as a mask; and whether its result has bits to be cleared then.
bool kiln_spv_takes_odd(uint32_t row);
uint8_t kiln_spv_signs(uint32_t row);
bool kiln_spv_must_cut(uint32_t row);
// The fault of what does not take the type, which is of an odd width.
__attribute__((noreturn)) void kiln_spv_refuse_odd(struct kiln_spv *spv, const struct kiln_spv_inst *inst,
                                                   const struct kiln_spv_type *type);

// check.c: fails on the first fault.
void kiln_spv_check(struct kiln_spv *spv);

// input.c: whether an id is a built-in variable: of storage class Input, or as Khronos' translator made them until LLVM
// 14, of UniformConstant and decorated. It has no place in the module that is made.
bool kiln_spv_is_builtin(const struct kiln_spv *spv, uint32_t id);
// Whether a value is what OpLoad gives of a built-in variable with a component for each dimension, for which
// OpenCL C says what other dimensions have: *beyond.
bool kiln_spv_is_dimensions(const struct kiln_spv *spv, uint32_t id, uint64_t *beyond);

// image.c: the type of an OpTypeImage; false: there are no images of the kind. "image2d_t".
bool kiln_spv_image_type(const struct kiln_spv_inst *inst, kiln_type *out);
const char *kiln_spv_image_name(kiln_type image);
// Whether it reads an image, writes one or asks about it: it becomes a call of a function of library.c.
static inline bool kiln_spv_is_image_call(uint16_t op) {
  return op >= KILN_SPV_OpSampledImage && op <= KILN_SPV_OpImageQuerySize &&
         (op == KILN_SPV_OpImageSampleExplicitLod || op == KILN_SPV_OpImageFetch || op == KILN_SPV_OpImageRead ||
          op == KILN_SPV_OpImageWrite || op >= KILN_SPV_OpImageQueryFormat);
}
void kiln_spv_check_image(struct kiln_spv *spv, const struct kiln_spv_inst *inst, const struct kiln_spv_place *place);
void kiln_spv_note_stored_image(struct kiln_spv *spv, const struct kiln_spv_inst *store);

// globals.c: adds the variables to spv->module and numbers them.
void kiln_spv_make_globals(struct kiln_spv *spv);

#endif
