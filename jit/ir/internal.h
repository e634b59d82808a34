// What the parts of jit/ir and the passes share beyond kiln/ir.h.
#ifndef KILN_JIT_IR_INTERNAL_H
#define KILN_JIT_IR_INTERNAL_H

#include "base/arena.h"
#include "base/str.h"
#include "kiln/ir.h"

// Regions may be nested this deep, so that recursive walks have a bounded stack.
#define KILN_IR_MAX_DEPTH 2000
#define KILN_IR_MAX_BYTES ((size_t)2 << 30) // of memory that a module may take
// Ids, operands and other counts stay below this.
#define KILN_IR_MAX_COUNT 0x7fffffffu

struct kiln_id_table { // open addressing; 0: free slot
  uint32_t *slots;
  uint32_t count, capacity;
};

struct kiln_module_priv {
  struct kiln_module module; // first: the handle is the address of the whole
  struct kiln_arena arena;
  bool failed;
  bool is_copy; // made by kiln_function_copy: has dimensions of emitters, such as KILN_FLAT_DIMENSION
  uint32_t functions_capacity, globals_capacity, locs_capacity, files_capacity, names_capacity;
  struct kiln_id_table names; // offsets, by text
};

// Affine forms that are kept, of jit/facts/affine.c.
struct kiln_affine_key { // how a value is asked for
  kiln_value value;
  enum kiln_op extension;
  unsigned flags;
};
struct kiln_affine_part { // of a sum
  struct kiln_affine_key key;
  int64_t factor;
  kiln_value scale; // 0: none
};
struct kiln_affine_kept {
  struct kiln_affine_key key;
  uint32_t next; // of the same value; 0: the last
  struct kiln_affine form;
};
struct kiln_affine_memo {
  struct kiln_affine_kept *kept;  // from 1 on
  uint32_t *first;                // by value, of the first value_count
  struct kiln_affine_key *stack;  // of values whose forms are being found
  struct kiln_affine_part *parts; // of the form that is being made
  uint32_t part_count, part_capacity;
  uint32_t changes; // kiln_function_priv.changes when they were found
  uint32_t kept_count, kept_capacity, value_count, first_capacity, stack_count, stack_capacity;
};

struct kiln_function_priv {
  uint32_t insts_capacity, operands_capacity, regions_capacity, nodes_capacity, shuffles_capacity;
  struct kiln_id_table consts; // FREE values, by content
  uint32_t *depends;           // by value, as zeros, of the first facts_count (jit/facts)
  uint64_t *zeros;
  struct kiln_range *ranges; // by value, of the first ranges_count, with or without small ids (jit/pass/ranges.h)
  uint32_t depends_capacity, zeros_capacity, facts_count, ranges_capacity, ranges_count;
  bool ranges_small_ids;
  uint32_t changes; // of operands, so far
  struct kiln_affine_memo affine;
};

static inline struct kiln_module_priv *kiln_module_priv(const struct kiln_module *module) {
  return (struct kiln_module_priv *)module->priv;
}
static inline struct kiln_function_priv *kiln_function_priv(const struct kiln_function *fn) {
  return (struct kiln_function_priv *)fn->priv;
}

// Memory of the module. NULL, with the module marked as failed, when there is none.
void *kiln_ir_alloc(struct kiln_module *module, size_t size, size_t align);
const char *kiln_ir_strdup(struct kiln_module *module, const char *text);
// Makes room for count more items of an array that has used of *capacity. False when memory is exhausted.
bool kiln_ir_grow(struct kiln_module *module, void **items, uint32_t used, uint32_t *capacity, uint32_t count,
                  size_t item_size);
#define KILN_IR_RESERVE(module, items, used, capacity, count)                                                          \
  ((capacity) - (used) >= (count) ||                                                                                   \
   kiln_ir_grow((module), (void **)&(items), (used), &(capacity), (count), sizeof *(items)))

// Make room for so many more, so that the arrays need not move while they are built.
void kiln_module_reserve_locs(struct kiln_module *module, uint32_t locs);
void kiln_function_reserve(struct kiln_function *fn, uint32_t insts, uint32_t operands);

// Offset of a text in module->names; 0 for "" or when memory is exhausted.
uint32_t kiln_module_add_name(struct kiln_module *module, const char *text, size_t size);

// A new instruction that is in no region yet; operands are copied. 0 when memory is exhausted.
kiln_value kiln_inst_new(struct kiln_function *fn, enum kiln_op op, kiln_type type, const kiln_value *operands,
                         uint32_t count, uint64_t imm, uint32_t imm2, uint16_t flags);
// Makes a function whose arrays have come from elsewhere (image.c) ready for the builder.
bool kiln_function_adopt(struct kiln_function *fn);
// Finds or makes a FREE value.
kiln_value kiln_free_value(struct kiln_function *fn, enum kiln_op op, kiln_type type, const kiln_value *operands,
                           uint32_t count, uint64_t imm);
// An operation on two values of one type, which is the result's, too.
kiln_value kiln_build_arithmetic(struct kiln_builder *b, enum kiln_op op, kiln_value x, kiln_value y, uint16_t flags);

// Program order: the instruction after id, past what is inside of it; 0 at the end.
kiln_value kiln_walk_past(const struct kiln_function *fn, kiln_value id);
// The same, but inner instructions come first after their node. Linear over a function.
static inline kiln_value kiln_walk_next(const struct kiln_function *fn, kiln_value id) {
  const struct kiln_inst *inst = &fn->insts[id];
  if (kiln_op_is_node((enum kiln_op)inst->op))
    return fn->regions[fn->nodes[inst->node].region_first].first;
  return inst->next ? inst->next : kiln_walk_past(fn, id);
}

void kiln_link(struct kiln_function *fn, kiln_value inst, uint32_t region, kiln_value before);
void kiln_unlink(struct kiln_function *fn, kiln_value inst);

// As kiln_module_add_loc.
static inline uint32_t kiln_module_next_loc(struct kiln_module *module, uint32_t file, uint32_t line, uint32_t column) {
  uint32_t count = module->loc_count;
  const struct kiln_loc *last = &module->locs[count - 1]; // by member: a copy made in parts is slow to read as a whole
  if (count == kiln_module_priv(module)->locs_capacity || count < 2 ||
      (last->column == column && last->line == line && last->file == file))
    return kiln_module_add_loc(module, file, line, column);
  module->locs[count] = (struct kiln_loc){.file = file, .line = line, .column = column};
  return module->loc_count++;
}

// Whether the flags of an operation are enum kiln_fp_flags.
extern const bool kiln_op_fp_flags[KILN_OP_COUNT];
static inline bool kiln_op_has_fp_flags(enum kiln_op op) { return kiln_op_fp_flags[op]; }
// Whether they are enum kiln_int_flags.
static inline bool kiln_op_has_int_flags(enum kiln_op op) {
  return op == KILN_OP_IADD || op == KILN_OP_ISUB || op == KILN_OP_IMUL || op == KILN_OP_SHL;
}

// The value of a scalar CONST, or of a CONST_VEC whose lanes are all the same.
bool kiln_const_splat(const struct kiln_function *fn, kiln_value value, uint64_t *bits);
// A constant from its lanes.
kiln_value kiln_const_from_lanes(struct kiln_function *fn, kiln_type type, const union kiln_lanes *lanes);
// Folds an operation whose operands are all constants; 0 when it cannot be folded.
kiln_value kiln_fold(struct kiln_function *fn, enum kiln_op op, kiln_type type, const kiln_value *operands,
                     uint32_t count, uint64_t imm, uint16_t flags, const uint8_t *shuffle);

// The weakest order that is as strong as both: a compare-exchange of the IR has one for success and failure.
static inline enum kiln_order kiln_order_of_both(enum kiln_order a, enum kiln_order b) {
  if (a == b || b == KILN_RELAXED)
    return a;
  if (a == KILN_RELAXED)
    return b;
  return a == KILN_SEQ_CST || b == KILN_SEQ_CST ? KILN_SEQ_CST : KILN_ACQ_REL;
}

// Of objects: whether a variable is only declared; whether other objects may define it as well.
static inline bool kiln_global_is_declared(const struct kiln_global *global) {
  return global->is_extern && !global->is_exported;
}
static inline bool kiln_global_is_once(const struct kiln_global *global) {
  return global->is_extern && global->is_exported;
}

static inline uint64_t kiln_bits_mask(unsigned bits) { return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1; }
static inline int64_t kiln_sign_extend(uint64_t value, unsigned bits) {
  return bits >= 64 ? (int64_t)value : (int64_t)(value << (64 - bits)) >> (64 - bits);
}

bool kiln_type_is_valid(kiln_type type); // void included
// "i32x4", "ptr.global", "void", …
#define KILN_TYPE_TEXT_SIZE 32
const char *kiln_type_text(kiln_type type, char out[KILN_TYPE_TEXT_SIZE]);

// kiln_module_parse, which puts its message there. is_object: functions and variables may stay undefined.
enum kiln_status kiln_ir_parse(const char *text, size_t size, const char *name, bool is_object,
                               struct kiln_module **out, struct kiln_strbuf *message);
// kiln_module_parse of an object: as with is_object.
enum kiln_status kiln_object_parse(const char *text, size_t size, const char *name, struct kiln_module **out);
// kiln_module_verify that also tells where: function is NULL for a fault of the module itself, inst is 0 for one of
// the function itself. The message then does not repeat the place.
struct kiln_fault {
  const struct kiln_function *function;
  kiln_value inst;
  uint32_t function_index;
  bool no_memory; // the module may be right: memory ran out, for it or for checking it
};
bool kiln_verify(const struct kiln_module *module, struct kiln_fault *fault, char *message, size_t size);
// kiln_module_verify as a status: KILN_OK, KILN_ERR_MEMORY, or wrong for a module that is not right.
enum kiln_status kiln_module_check(const struct kiln_module *module, enum kiln_status wrong, char *message,
                                   size_t size);

// ---- floats as bits (softfloat.c)
double kiln_float_value(enum kiln_kind kind, uint64_t bits); // exact
uint64_t kiln_float_round(enum kiln_kind kind, double value, enum kiln_round mode);
uint64_t kiln_float_from_int(enum kiln_kind kind, bool negative, uint64_t magnitude, enum kiln_round mode);

#endif
