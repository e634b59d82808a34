// The machine: modules as they are decoded, and what runs them. Every register, immediate value, address and special
// register of a function has a slot of 64 bits in the frame of each of its calls, so that an operand is a slot.
#ifndef KILN_TESTS_CUDA_EMULATOR_MACHINE_H
#define KILN_TESTS_CUDA_EMULATOR_MACHINE_H

#include "tests/cuda/emulator/emulator.h"
#include "tests/cuda/emulator/values.h"

enum { WARP = 32, BARRIERS = 16, MAX_TARGETS = 4, MAX_SOURCES = 5 };

enum space { SPACE_GENERIC, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM, SPACE_CONST, SPACE_NONE };

// Windows of generic addresses: no memory of the host is there. The first local address is not 0, as on devices, where
// stacks lie at the end of the window.
#define WINDOW_SIZE UINT64_C(0x1000000)
#define SHARED_WINDOW UINT64_C(0x00a1000000000000)
#define LOCAL_WINDOW UINT64_C(0x00a2000000000000)
#define PARAM_WINDOW UINT64_C(0x00a3000000000000)
#define CONST_WINDOW UINT64_C(0x00a4000000000000)
#define FUNCTION_ADDRESSES UINT64_C(0x00a5000000000000) // where no access is possible
enum { FIRST_LOCAL = 0x1000, FIRST_PARAM = 0x160, FRAME_PARAMS = 0x100000, SHARED_FROM_90 = 0x400 };
enum { CONST_BYTES = 65536 };

struct item;
struct instruction;
struct machine;
struct exchange;

// ---- memory that lasts as long as a module; running out of it ends the process

struct pool {
  struct pool_chunk *chunks;
  size_t used, size; // of the first chunk
};
void *pool_take(struct pool *pool, size_t size); // zeros
char *pool_text(struct pool *pool, const char *text, size_t size);
void pool_free(struct pool *pool);
// An array with room for one more item.
void *grow(void *items, size_t count, size_t *capacity, size_t item_size);

// ---- modules

struct variable {
  const char *name;
  enum space space;
  uint64_t align, size;
  bool is_dynamic;
  char *memory;     // in global and constant memory
  uint64_t address; // global: of the host; constant: in the bank; local, param: in the frame or among the arguments
  uint32_t index;   // of shared ones: in the module
  bool is_argument; // of the kernel
};

enum special {
#define SPECIAL(name, text, bits) SPECIAL_##name,
#include "tests/cuda/emulator/special.def"
#undef SPECIAL
  SPECIAL_NONE
};

// What a slot holds that is not the same in every call.
enum fixup_kind { FIX_SPECIAL, FIX_SHARED, FIX_LOCAL, FIX_PARAM };
struct fixup {
  enum fixup_kind kind;
  enum special special;
  uint32_t slot;
  const struct variable *variable;
  int64_t addend;
};

struct call {
  struct function *function;
  uint32_t argument_count, result_count;
  struct variable **arguments, **results; // of the caller's param space
};

struct memory_access {
  enum space space;
  uint8_t bytes, count; // of an element; elements
  bool extends_sign;
  int64_t offset;
};

struct operation;
struct instruction {
  void (*run)(struct item *item, struct instruction *in);
  uint64_t executed;
  uint32_t guard;            // the slot of a predicate; 0: none
  bool guard_value, negates; // negates: the last predicate of the sources
  uint8_t rounding;          // enum rounding
  bool flushes, saturates, makes_nan;
  uint8_t mode;  // by operation
  uint8_t count; // of sources or targets that are a vector
  uint32_t to[MAX_TARGETS], from[MAX_SOURCES];
  uint64_t mask[MAX_TARGETS]; // of the registers in to
  struct memory_access memory;
  union {
    struct instruction *target;
    struct call *call;
    bool (*compare)(uint64_t a, uint64_t b);
    uint64_t (*combine)(uint64_t old, uint64_t b, uint64_t c);
    void (*exchange)(struct item *item, struct instruction *in, const struct exchange *all);
    struct {
      uint8_t to, from; // enum type
    } types;
    uint32_t label; // until labels are known
  } u;
  bool (*connect)(bool a, bool b); // of setp and set
  // The range of global memory that was accessed last, in the run of that number.
  uint64_t low, high, run_number;
  const char *name; // of the operation, without types
  const char *text;
  uint32_t text_size, line;
};

struct function {
  const char *name;
  bool is_entry, is_defined;
  struct variable **arguments, **results;
  size_t argument_count, result_count, argument_capacity, result_capacity;
  uint32_t param_bytes; // of all .param variables that the frame holds
  struct variable **locals, **shared;
  size_t local_count, shared_count, local_capacity, shared_capacity;
  uint32_t local_bytes;
  struct instruction *code; // one past the last is an exit
  size_t code_size;
  uint64_t *slots; // what a frame begins with
  bool *is_predicate;
  size_t slot_count, slot_capacity;
  bool *is_register;
  struct fixup *fixups;
  size_t fixup_count, fixup_capacity;
  struct function **callees;
  size_t callee_count, callee_capacity;
  uint32_t mark;    // of the last walk over calls
  uint64_t address; // a name for it, which nothing can call
  struct ptx_entry entry;
};

struct ptx_module {
  struct pool pool;
  char *text; // a copy, which instructions point into
  size_t text_size;
  uint32_t version, target;
  bool is_exact;
  struct function **functions;
  size_t function_count, function_capacity;
  struct variable **variables; // of module scope, and the shared ones of functions
  size_t variable_count, variable_capacity;
  uint32_t shared_count;
  char *bank; // constant memory
  uint32_t bank_bytes;
  struct ptx_entry *entries;
  struct function **entry_functions;
  size_t entry_count;
  struct ptx_variable *symbols;
  size_t symbol_count;
  struct ptx_count *counts;
  size_t count_count;
  uint64_t runs;
};

void module_finish(struct ptx_module *module); // after its text was read

// ---- runs

enum state { STATE_RUNS, STATE_AT_BARRIER, STATE_IN_WARP, STATE_ENDED };

struct frame {
  struct frame *up;
  const struct function *function;
  uint64_t *r;
  struct instruction *back; // where the caller goes on
  const struct call *call;
  uint32_t locals, params; // where those of the frame begin
  uint32_t depth;
};

struct item {
  uint64_t *r; // of the frame
  struct instruction *pc;
  int64_t budget, unused; // operations until its turn ends; those left when it stopped before
  struct machine *machine;
  struct frame *frame;
  char *locals, *params;
  uint32_t locals_size, params_size;
  enum state state;
  uint32_t id[3], lane, warp;
  bool carry;
  uint32_t wait_mask;    // in a warp
  uint32_t barrier;      // its number
  uint32_t barrier_size; // work-items it waits for; 0: all
  struct frame first;
};

struct shared_range { // by offset from the window
  uint32_t begin, end;
};

struct machine {
  struct ptx_module *module;
  const struct function *function;
  const struct ptx_launch *launch;
  uint64_t run_number, random, steps, max_steps, clock;
  double lean[4];    // of approximations, by operation
  uint64_t garbage;  // in every undefined byte the same
  uint64_t division; // what a division by zero gives
  uint32_t item_count, runnable, ended, id[3], cursor;
  uint32_t arrivals[BARRIERS]; // of bar.arrive, which does not wait
  bool counts_arrivals;        // there was a barrier for a number of work-items
  struct item *items;
  uint64_t *registers; // slots of all first frames
  char *shared, *parameters;
  uint32_t shared_begin, shared_bytes; // begin: the address of the first byte
  uint32_t *shared_offsets;            // by index of variables; UINT32_MAX: not the kernel's
  struct shared_range *shared_ranges;
  uint32_t shared_range_count;
  struct ptx_error *error;
  bool failed;
};

__attribute__((format(printf, 3, 4))) void item_fail(struct item *item, enum ptx_kind kind, const char *format, ...);
// Ends the turn.
static inline void item_stop(struct item *item) {
  if (item->budget > 0)
    item->unused = item->budget;
  item->budget = 0;
}
static inline void item_wait(struct item *item, enum state state) {
  item->state = state;
  item->machine->runnable--;
  item_stop(item);
}
static inline void item_resume(struct item *item) {
  item->state = STATE_RUNS;
  item->machine->runnable++;
}
static inline struct instruction *item_instruction(const struct item *item) { return item->pc - 1; }
uint64_t next_random(struct machine *machine);
void item_end(struct item *item); // after its last operation

// ---- memory

uint64_t local_base(const struct item *item); // what a frame's local variables are relative to
uint64_t param_base(const struct item *item);

// ---- work-items that wait for each other

// What a wait may end for now that a work-item has ended.
void end_waits(struct item *item);

// ---- calls

void run_call(struct item *item, struct instruction *in);
void run_return(struct item *item, struct instruction *in);

// ---- operations: what the tables name

struct parser;
struct form;
struct operation {
  const char *name; // without modifiers; _ stands for a dot
  uint16_t version, sm;
  uint32_t modifiers;
  void (*run)(struct item *item, struct instruction *in), (*run_modified)(struct item *item, struct instruction *in);
  uint8_t to, from[4]; // enum type
  uint8_t sources;
};
const struct operation *arithmetic_find(const char *name); // with dots

enum modifier {
  MODIFIER_NEAREST = 1,  // .rn
  MODIFIER_DIRECTED = 2, // .rz, .rm, .rp
  MODIFIER_ROUND = 3,
  MODIFIER_MUST = 4, // one of them
  MODIFIER_FLUSH = 8,
  MODIFIER_SATURATE = 16,
  MODIFIER_NAN = 32,
};

#endif
