// The interpreter's own data: a module made ready to run, its launches, and the state of running work-items.
//
// load.c    text -> module -> code (code.c flattens the structured control flow of each function into a list of
//           instructions with jumps, so that a work-item can stop anywhere, at a barrier, and go on later)
// launch.c  arguments, groups over the pool, the work-items of a group up to each barrier
// exec.c    one work-item; barrier.c who reaches a barrier; group.c operations between work-items; value.c pure
// operations, undefined.c which bits of
//           their results are undefined; memory.c checked memory, atomic.c, print.c
//
// A value lives in words of 64 bits: word 0 has a bit for each lane that has undefined bits, then one word per lane,
// zero-extended, then one word per lane with its undefined bits, which is only valid where word 0 says so. A pointer is
// such a value of one lane, and has what it was derived from as well, which is how an access is checked against its
// object even where the address lies in another one: base and size of the object, space and number of the object
// (INTERP_NO_OBJECT when the pointer came from memory or an integer: the object is then looked up). An image is a value
// of one lane, the number of its parameter.
#ifndef KILN_BACKENDS_INTERP_INTERP_H
#define KILN_BACKENDS_INTERP_INTERP_H

#include "backends/host/host.h"
#include "base/arena.h"
#include "kiln/backend.h"

enum { POINTER_ADDRESS = 1, POINTER_UNDEFINED, POINTER_BASE, POINTER_SIZE, POINTER_OBJECT, INTERP_POINTER_WORDS };
#define INTERP_PADDING_WORDS 16  // after values: kiln_eval may read 16 lanes of any operand
#define INTERP_CONST 0x80000000u // in a reference to a value: it lies in the constants, not in the frame
#define INTERP_ALIGN 128         // of variables in memory

#define INTERP_ARGUMENT 0x80000000u // numbers of objects from here on are parameters of the kernel
#define INTERP_NO_OBJECT 0xffffffffu
#define INTERP_NULL 0xfffffffeu // derived from a null pointer

#define INTERP_MAX_GROUP 1024
#define INTERP_MAX_PRIVATE (1u << 30) // bytes that the work-items of a group have, where they meet at barriers
#define INTERP_MAX_CALL_DEPTH 1000

// ---- code

enum interp_code {
  CODE_INT,    // op on integers or bool, or an integer comparison, lane by lane: op, bits of an element
  CODE_F32,    // op on f32, lane by lane
  CODE_F64,    // op on f64
  CODE_EVAL,   // any other PURE op that kiln_eval knows
  CODE_SELECT, // words: of one value; lanes: of the condition
  CODE_SPLAT,
  CODE_VEC, // operands: refs[a], imm of them
  CODE_EXTRACT,
  CODE_INSERT,
  CODE_SHUFFLE,
  CODE_BITCAST,
  CODE_ANY_ALL,
  CODE_PADD,
  CODE_PTOI,
  CODE_ITOP,
  CODE_PSPACE,
  CODE_ITEM,          // work-item query
  CODE_LOCAL_ADDRESS, // imm: module variable
  CODE_VAR,           // imm: index of the function's variable
  CODE_LOAD,
  CODE_STORE,
  CODE_COPY,
  CODE_ATOMIC_LOAD,
  CODE_ATOMIC_STORE,
  CODE_ATOMIC_RMW,
  CODE_ATOMIC_CAS,
  CODE_FENCE,
  CODE_PRINTF, // operands: refs[a], c of them
  CODE_IMAGE,  // operands: refs[a], c of them
  CODE_ASSUME,
  CODE_MOVE,  // words
  CODE_MOVES, // refs[a]: imm times (dst, source, words), as if at the same time
  CODE_JUMP,  // imm: where to
  CODE_JUMP_FALSE,
  CODE_SWITCH, // imm: index of the switch
  CODE_CALL,   // imm: function; arguments: refs[a]
  CODE_RETURN, // a: value, words: of it (0: void)
  CODE_BARRIER,
  CODE_CROSS,  // an operation between the work-items of a sub-group or group; a, b: operands
  CODE_COUNT,  // of a loop's iterations, in the word dst: imm 0: starts, 1: one more; c: number of the loop
  CODE_BYPASS, // skips barriers of a node; imm: number of its bypass
  CODE_LEAVE,  // jumps to the end of the kernel, as a return does
  CODE_UNREACHABLE,
};

struct interp_inst {
  uint16_t code, op; // enum interp_code, enum kiln_op
  uint16_t flags;
  uint8_t lanes, bits;   // of the result, or of what is stored or compared
  uint8_t space[2];      // of the memory that operands 0 and 1 point to
  uint32_t dst, a, b, c; // references to values
  uint32_t words;
  uint32_t imm2;
  uint32_t value; // in the function, for messages and types
  uint64_t imm;
};

struct interp_switch {
  uint32_t count;
  int64_t *cases;    // ascending
  uint32_t *targets; // [count] is the default
};

// A private variable: where it lies in the private memory of a call.
struct interp_var {
  uint64_t offset, size;
  uint32_t object;
};

// A loop, where iterations matter: its instructions, the word of the frame that counts its iterations, and the bypasses
// inside.
struct interp_loop {
  uint32_t first, end, counter;
  uint64_t bypasses;
};

// A node with barriers that jumps may skip: its instructions, and its value. At most 64 in a function.
struct interp_bypass {
  uint32_t first, end, value;
};
#define INTERP_MAX_BYPASSES 64

struct interp_function {
  const struct kiln_function *fn;
  struct interp_inst *code;
  uint32_t code_count, code_capacity;
  uint64_t first_code; // number of the first instruction in the module
  uint32_t *refs;
  uint32_t ref_count, ref_capacity;
  struct interp_switch *switches;
  uint32_t switch_count, switch_capacity;
  struct interp_var *vars; // by offset
  uint32_t var_count;
  struct interp_loop *loops; // in program order; without a CODE_CROSS in the module, only those with barriers
  uint32_t loop_count;
  struct interp_bypass *bypasses; // outer ones first
  uint32_t bypass_count;
  uint32_t *params; // where each parameter's value goes
  uint32_t words;   // of a call's frame
  uint64_t private_bytes;
  // With all that it calls, at most:
  uint64_t total_words, total_private;
  uint32_t total_depth;
  bool has_barrier;   // or another place where work-items wait
  bool orders_memory; // by fences, atomics or barriers of sub-groups
  uint8_t visit;      // while the totals are computed
};

// Something that memory accesses may hit.
enum interp_object_kind { OBJECT_VARIABLE, OBJECT_ARGUMENT };
struct interp_object {
  const char *name;
  enum interp_object_kind kind;
  enum kiln_space space;
  uint64_t base, size; // base: 0 for private and local ones, whose place depends on who runs
  bool is_process;     // a pointer of the host's, whose memory may be anywhere in the process
};

struct kiln_drv_kernel {
  struct kiln_drv_module *module;
  uint32_t function;
  const char *name;
};

struct kiln_drv_module {
  struct kiln_arena arena; // owns what follows
  struct kiln_module *ir;
  struct interp_function *functions;
  uint64_t *consts;
  uint32_t const_words, const_capacity;
  struct interp_object *objects; // module variables first, then private variables
  uint32_t object_count, object_capacity;
  uint64_t *local_offsets; // by module variable
  uint64_t local_bytes;    // of all LOCAL variables
  uint32_t temp_words;     // for CODE_MOVES
  unsigned char *data;     // CONSTANT and GLOBAL variables; malloc'ed
  struct kiln_drv_kernel *kernels;
  uint32_t kernel_count;
  uint64_t max_steps;
  bool count_iterations; // of loops: some function has operations between work-items
  bool races;            // are looked for
  bool strict;           // about barriers: who has returned has not arrived
  bool equal_stores;     // of several work-items are races, too
};

// What the compiler tells load beyond the text.
struct interp_meta {
  uint32_t version, races, strict_barriers, equal_stores;
  uint64_t max_steps;
};
#define INTERP_META_VERSION 4

// ---- running

struct kiln_drv_launch {
  struct kiln_host_launch host; // first
  struct kiln_drv_kernel *kernel;
  struct interp_function *function;
  uint32_t work_dim;
  bool noalias; // as in struct kiln_drv_launch_desc
  uint64_t global[3], local[3], offset[3], groups[3];
  struct interp_object *args; // by parameter; base of LOCAL ones: offset in local memory
  uint32_t arg_count;
  struct kiln_image_record *images; // by parameter; NULL: the kernel has no images
  uint64_t *params; // values of all parameters, one after another as in the frame (see function->params)
  unsigned char *byval;
  uint64_t local_bytes; // of a group, arguments included
};

struct interp_frame {
  const struct interp_function *fn;
  uint32_t pc;
  uint32_t return_to; // in the caller's frame
  uint64_t *words;
  uint64_t private_base; // offset
  uint64_t bypassed;     // bits: bypasses taken since the last barrier, inside loops: in this iteration
  uint64_t ever;         // the same, in any iteration
  uint32_t left;         // CODE_LEAVE that it ended by, plus 1
};

struct interp_item {
  uint64_t local_id[3];
  uint64_t steps_left;
  uint32_t depth; // frames in use
  bool done;
  const struct interp_inst *barrier; // or CODE_CROSS that it waits at; NULL: it can go on
  struct interp_frame *frames;
  uint64_t *words;
  unsigned char *private_data, *private_undefined; // a bit of the second for each bit of the first
};

// What is special about a failure: a value that was never initialised may be the work of a race.
enum interp_fault { INTERP_FAULT_PLAIN, INTERP_FAULT_UNDEFINED, INTERP_FAULT_RACE };

enum interp_stop { STOP_DONE, STOP_BARRIER, STOP_FAILED };

// Records of who touched which byte (race.c): of the global memory that a launch can reach, in ranges that are apart.
struct interp_record;
struct interp_range {
  uint64_t begin, end; // addresses
  struct interp_record *records;
};
enum { INTERP_RACE_LINE = 64, INTERP_RACE_LOCKS = 1024 };
struct interp_races {
  bool on, shared; // shared: by several threads
  struct interp_range *ranges;
  uint32_t count;
  uint32_t item_bits;            // for a work-item's place in its group
  bool locks[INTERP_RACE_LOCKS]; // atomic; of the lines of memory whose number is this one modulo so many
};

// One thread that runs groups.
struct interp_worker {
  const struct kiln_drv_launch *launch;
  const struct kiln_drv_module *module;
  const uint64_t *consts;
  uint64_t group[3], local_size[3]; // of the group that runs
  unsigned char *local_data, *local_undefined;
  struct interp_races *races; // NULL: they are not looked for
  const struct kiln_host_stop *stop;
  struct interp_record *local_records;
  uint64_t barriers; // that the group has passed
  uint64_t *temp;
  struct interp_item *items;
  uint32_t item_count, warp_size;
  void *block; // memory of all of the above
  enum kiln_status status;
  enum interp_fault fault;
  char message[KILN_HOST_MESSAGE_SIZE];
  char held[KILN_HOST_MESSAGE_SIZE]; // a message about an undefined value, until the group's next barrier; or ""
  uint64_t later_group;              // the first group after this one that was found to race with it; UINT64_MAX: none
  char later_message[KILN_HOST_MESSAGE_SIZE];
};

// A checked piece of memory.
struct interp_place {
  unsigned char *data;
  unsigned char *undefined; // bits; NULL: all are defined
  uint64_t available;       // bytes to the end of the object
  uint64_t base;            // address of the object
  const struct interp_object *object;
};

enum interp_access { INTERP_READ, INTERP_WRITE, INTERP_ATOMIC };
enum interp_touch { INTERP_TOUCH_READ, INTERP_TOUCH_WRITE, INTERP_TOUCH_ATOMIC_READ, INTERP_TOUCH_ATOMIC_WRITE };

static inline bool interp_is_pointer(const struct interp_inst *inst) {
  return inst->lanes == 1 && inst->words == INTERP_POINTER_WORDS;
}

static inline const uint64_t *interp_ref(const struct interp_worker *worker, const uint64_t *words, uint32_t ref) {
  return ref & INTERP_CONST ? worker->consts + (ref & ~INTERP_CONST) : words + ref;
}
static inline uint64_t interp_mask(unsigned bits) { return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1; }
static inline int64_t interp_sext(uint64_t value, unsigned bits) {
  return (int64_t)(value << (64 - bits)) >> (64 - bits);
}
// Words of a value; 0 for void.
static inline uint32_t interp_words(kiln_type type) {
  return kiln_type_kind(type) == KILN_VOID  ? 0
         : kiln_type_kind(type) == KILN_PTR ? INTERP_POINTER_WORDS
                                            : 1 + 2 * kiln_type_lanes(type);
}
// The undefined bits of a lane.
static inline uint64_t interp_undefined(const uint64_t *value, unsigned lanes, unsigned lane) {
  return value[0] >> lane & 1 ? value[1 + lanes + lane] : 0;
}
// The same, of a lane whose bit in word 0 is not set yet.
static inline void interp_set_undefined(uint64_t *value, unsigned lanes, unsigned lane, uint64_t bits) {
  value[0] |= (uint64_t)(bits != 0) << lane;
  value[1 + lanes + lane] = bits;
}
static inline uint64_t interp_object_word(enum kiln_space space, uint32_t object) {
  return (uint64_t)space << 32 | object;
}
static inline void interp_set_pointer(uint64_t *dst, uint64_t address, uint64_t base, uint64_t size, uint64_t object) {
  dst[0] = 0;
  dst[POINTER_ADDRESS] = address;
  dst[POINTER_BASE] = base;
  dst[POINTER_SIZE] = size;
  dst[POINTER_OBJECT] = object;
}

// ---- code.c
// Fills in function->code and the rest that does not depend on other functions. False, with a message, when the IR has
// something that cannot run. Memory comes from the module's arena.
bool kiln_interp_translate(struct kiln_drv_module *module, struct interp_function *function, char *message,
                           size_t size);

// ---- load.c
enum kiln_status kiln_interp_load(struct kiln_drv *drv, const struct kiln_code *code, struct kiln_drv_module **out,
                                  struct kiln_report *report);
void kiln_interp_unload(struct kiln_drv *drv, struct kiln_drv_module *module);
enum kiln_status kiln_interp_kernel(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t index,
                                    struct kiln_drv_kernel **out, struct kiln_report *report);

// ---- launch.c
enum kiln_status kiln_interp_prepare(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc,
                                     struct kiln_drv_launch **out, struct kiln_report *report);
enum kiln_status kiln_interp_run(struct kiln_host_launch *launch, struct kiln_pool *pool,
                                 const struct kiln_host_stop *stop, char *message, size_t message_size);
void kiln_interp_launch_free(struct kiln_host_launch *launch);

// ---- fault.c
// Notes an error of the work-item at an instruction of its innermost call: a sentence that begins in the middle
// ("reads …"). Returns false.
__attribute__((format(printf, 4, 5))) bool kiln_interp_fail(struct interp_worker *worker,
                                                            const struct interp_item *item,
                                                            const struct interp_inst *inst, const char *format, ...);
// The same with KILN_ERR_MEMORY.
bool kiln_interp_out_of_memory(struct interp_worker *worker, const struct interp_item *item,
                               const struct interp_inst *inst, const char *what);
// With KILN_ERR_DEVICE, of what happens because a value was never initialised.
__attribute__((format(printf, 4, 5))) bool kiln_interp_fail_undefined(struct interp_worker *worker,
                                                                      const struct interp_item *item,
                                                                      const struct interp_inst *inst,
                                                                      const char *format, ...);
// Begins a message about a work-item: "kernel 'k': FILE:LINE:COLUMN: work-item (64, 0, 0) ". out has
// KILN_HOST_MESSAGE_SIZE bytes. Returns how many characters there are now.
size_t kiln_interp_head(const struct interp_worker *worker, const struct kiln_function *fn, uint32_t value,
                        const uint64_t id[3], char *out);
// "file:line:column", or the instruction's number where the module has no place for it.
void kiln_interp_where(const struct kiln_function *fn, uint32_t value, char *out, size_t size);
// "(64, 0, 0)": the global id.
void kiln_interp_id(const struct interp_worker *worker, const struct interp_item *item, char *out, size_t size);
// "local"
const char *kiln_interp_space_name(enum kiln_space space);
// "argument 'x'", "local variable 'tile'"
void kiln_interp_object_name(const struct interp_object *object, char *out, size_t size);

// ---- exec.c
// Starts a work-item, and runs it to its end or to the next barrier.
void kiln_interp_item_start(struct interp_worker *worker, struct interp_item *item, const uint64_t local_id[3]);
enum interp_stop kiln_interp_item_run(struct interp_worker *worker, struct interp_item *item);
// Whether the launch is to end before its time; the worker then has status and message.
bool kiln_interp_stops(struct interp_worker *worker);

// ---- group.c
// Of each sub-group whose work-items wait at operations between them, runs the first; those who took part can go on.
// *progress: there was one. All others of the group wait too, or have ended. False, with a message, when one failed.
bool kiln_interp_cross_sub_groups(struct interp_worker *worker, uint32_t count, bool *progress);
// The same of an operation of the whole group, at which item waits, and all others that have not ended. None may have.
bool kiln_interp_cross_group(struct interp_worker *worker, const struct interp_item *item, uint32_t count);

// ---- barrier.c
// Whether the work-items, all of which wait or have ended, may pass the barrier; false with a message.
bool kiln_interp_check_barrier(struct interp_worker *worker, uint32_t count);

// ---- value.c
void kiln_interp_int(const struct interp_inst *inst, uint64_t *dst, const uint64_t *x, const uint64_t *y);
void kiln_interp_f32(const struct interp_inst *inst, uint64_t *dst, const uint64_t *x, const uint64_t *y,
                     const uint64_t *z);
void kiln_interp_f64(const struct interp_inst *inst, uint64_t *dst, const uint64_t *x, const uint64_t *y,
                     const uint64_t *z);
// Which codes these do: CODE_EVAL when none of them does an op on elements of the kind.
enum interp_code kiln_interp_fast_code(enum kiln_op op, enum kiln_kind kind);
// SELECT to ANY_ALL.
void kiln_interp_vector(const struct interp_worker *worker, const struct interp_function *fn,
                        const struct interp_inst *inst, uint64_t *words);
// False when kiln_eval does not know it.
bool kiln_interp_eval(const struct interp_worker *worker, const struct interp_function *fn,
                      const struct interp_inst *inst, uint64_t *words);

// ---- undefined.c: which bits of dst are undefined; some of an operand are.
void kiln_interp_int_undefined(const struct interp_inst *inst, uint64_t *dst, const uint64_t *x, const uint64_t *y);
// Of every lane that has undefined bits in an operand, each.
void kiln_interp_lanes_undefined(const struct interp_inst *inst, uint64_t *dst, uint64_t lanes);
void kiln_interp_eval_undefined(const struct interp_inst *inst, uint64_t *dst, kiln_type from, const uint64_t *x,
                                const uint64_t *y);
void kiln_interp_select_undefined(const struct interp_inst *inst, uint64_t *dst, const uint64_t *condition,
                                  const uint64_t *x, const uint64_t *y);
void kiln_interp_any_all_undefined(const struct interp_inst *inst, uint64_t *dst, const uint64_t *x);

// ---- memory.c
// What a generic pointer leads to: private, global (also null and what is not known) or local memory.
enum kiln_space kiln_interp_space(const struct interp_worker *worker, const struct interp_item *item,
                                  const uint64_t *pointer);
bool kiln_interp_access(struct interp_worker *worker, const struct interp_item *item, const struct interp_inst *inst,
                        const uint64_t *pointer, enum kiln_space space, uint64_t size, uint64_t align,
                        enum interp_access access, struct interp_place *out);
bool kiln_interp_load_op(struct interp_worker *worker, struct interp_item *item, const struct interp_inst *inst,
                         uint64_t *words);
bool kiln_interp_store_op(struct interp_worker *worker, struct interp_item *item, const struct interp_inst *inst,
                          uint64_t *words);
bool kiln_interp_copy_op(struct interp_worker *worker, struct interp_item *item, const struct interp_inst *inst,
                         uint64_t *words);

// ---- race.c
// Makes the records for a launch. False when memory is exhausted. Nothing is on when races are not looked for. shared:
// several threads run its groups.
bool kiln_interp_races_begin(const struct kiln_drv_launch *launch, bool shared, struct interp_races *races);
void kiln_interp_races_end(struct interp_races *races);
// Bytes of records that a worker needs for its local memory, zero at the start of the launch.
uint64_t kiln_interp_races_local_bytes(const struct kiln_drv_launch *launch);
// Notes an access that is about to be made, or was just made; only when worker->races. bytes: what a write that is not
// atomic stores, else NULL. False, with a message, for a race.
bool kiln_interp_race(struct interp_worker *worker, const struct interp_item *item, const struct interp_inst *inst,
                      const struct interp_place *place, uint64_t size, enum interp_touch touch,
                      const unsigned char *bytes);

// ---- atomic.c
bool kiln_interp_atomic_op(struct interp_worker *worker, struct interp_item *item, const struct interp_inst *inst,
                           uint64_t *words);

// ---- image.c
bool kiln_interp_image_op(struct interp_worker *worker, const struct interp_item *item, const struct interp_inst *inst,
                          uint64_t *words);

// ---- print.c
bool kiln_interp_printf_op(struct interp_worker *worker, struct interp_item *item, const struct interp_inst *inst,
                           uint64_t *words);

#endif
