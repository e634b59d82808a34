// The contract between CPU code and the driver that runs it; docs/cpu.md describes it.
//
// A program is a shared object. Kernel k is the function "<name>.kernel" of type kiln_cpu_kernel_fn. What the driver
// must know beyond that is the artifact's metadata, a struct kiln_cpu_meta.
#ifndef KILN_BACKENDS_CPU_ABI_H
#define KILN_BACKENDS_CPU_ABI_H

#include "backends/common/schedule.h"
#include "kiln/backend.h"

#define KILN_CPU_META_MAGIC 0x6b637075u // "kcpu"
#define KILN_CPU_ABI 21
#define KILN_CPU_SYMBOL_SUFFIX ".kernel"
#define KILN_CPU_STATE "kiln.state" // a table: how many addresses it has, then those of the program's state
#define KILN_CPU_ALIGN 128          // of the argument block, of local memory and of the item block
// Padding before and after each of local memory and the item block: masked contiguous accesses read beyond the ends,
// and write back what they have read. The two may not share padding, since LLVM is told that they do not overlap.
#define KILN_CPU_ROOM 256
#define KILN_CPU_MAX_GROUP 4096 // work-items of a work-group
// What the item block of a work-group may have, which each thread has once.
#define KILN_CPU_MAX_ITEM_BLOCK (256u << 20)

struct kiln_cpu_group;

// One launch, read-only while it runs. The emitter reads it by these offsets.
struct kiln_cpu_launch {
  uint64_t global[3], local[3], offset[3], groups[3]; // local: of a full group
  const void *args;                                   // laid out as the metadata says
  // printf: format is the program's string; the arguments are as backends/common/printf.h wants them.
  int (*print)(void *user, const char *format, const kiln_type *types, uint32_t count, const void *values);
  void *print_user;
  uint32_t work_dim, reserved;
  uint64_t noalias; // not 0: no buffer that the kernel may write overlaps another argument
  uint64_t large;   // bit i: the launch may write more to argument i than the cache keeps (of the first 64)
  // Of KILN_CPU_STOPS: where *stop is not 0 the kernel leaves.
  const uint32_t *stop; // atomic
  // Of KILN_CPU_LEAVES: ends the group and does not return. failure: why the launch fails, a format of printf without
  // arguments; NULL: it is to stop.
  void (*leave)(const struct kiln_cpu_group *group, const char *failure);
  // Of KILN_CPU_HAS_STATE: the table KILN_CPU_STATE of the program, or that of the program whose variant it is.
  void *const *state;
};

// One work-group of it. The emitter reads it by these offsets, too.
struct kiln_cpu_group {
  uint64_t id[3];
  uint64_t base[3]; // global ids of its first work-item
  uint64_t size[3]; // work-items: the last group of a row may have fewer than the others
  uint64_t plane;   // KILN_CPU_PLANES: this call runs the work-items whose local id of dimension 2 this is
  void *leave_to;   // for leave
};

// The stack of the calling thread is for kernels that need at most KILN_CPU_CALLER_STACK of it. Others run on memory of
// the driver's own, with KILN_CPU_STACK_MARGIN for what kernels call (the C library's functions, the host's print
// callback) and for frames of signals. Launches of kernels that need more than KILN_CPU_MAX_STACK are refused.
#define KILN_CPU_CALLER_STACK (16u << 10)
#define KILN_CPU_STACK_MARGIN (256u << 10)
#define KILN_CPU_MAX_STACK (256u << 20)

// Runs one work-group of the launch, or a plane or a row of one. local: local memory of the group. items: item_bytes of
// the metadata times the work-items of a full group. Both belong to this call.
typedef void kiln_cpu_kernel_fn(const struct kiln_cpu_launch *launch, void *local, void *items,
                                const struct kiln_cpu_group *group);

enum kiln_cpu_meta_flags {
  // Has state: variables of program scope that can be written, and what holds addresses of such. They belong to one
  // program and its variants: its library is never shared.
  KILN_CPU_HAS_STATE = 1 << 0,
  KILN_CPU_HAS_LINES = 1 << 1, // has what debuggers read: its file stays open as long as it is loaded
};

// How the driver calls a kernel. What its launches must be like is in its rules.
enum kiln_cpu_kernel_flags {
  KILN_CPU_FLAT = 1 << 0,         // cannot tell its local size: the driver may choose another one
  KILN_CPU_PLANES = 1 << 1,       // a call runs a plane of a group: one local id of dimension 2
  KILN_CPU_ROWS = 1 << 2,         // a call runs a row of a plane (with PLANES): the kernel uses no id of dimension 1
  KILN_CPU_COLUMNS = 1 << 3,      // of a flat kernel: accesses are contiguous along dimension 1, not 0
  KILN_CPU_BLOCKED = 1 << 4,      // several rows run together where a group has them
  KILN_CPU_INTERCHANGED = 1 << 5, // the kernel's dimensions 0 and 1 are exchanged
  // Groups are rows of flattened indices: base[0] is the first index, id and base of the other dimensions are 0.
  // global, local, groups and offset of the launch are what the caller asked for.
  KILN_CPU_FLATTENED = 1 << 6,
  KILN_CPU_FLAT_PLANES = 1 << 7, // of FLATTENED: dimension 2, which the kernel does not use, is not part of the index
  KILN_CPU_STOPS = 1 << 8,       // loops ask whether to stop
  KILN_CPU_LEAVES = 1 << 9,      // may leave: to stop, or since a trap or an assertion fails
};

// ---- launches that want another schedule

// On a launch and the numbers of a kernel. Masks have bits KILN_CPU_IF(NAME).
enum kiln_cpu_condition {
#define KILN_CPU_CONDITION(NAME, name, text, refusal) KILN_CPU_IS_##NAME,
#include "backends/cpu/conditions.def"
  KILN_CPU_CONDITION_COUNT
};
#define KILN_CPU_IF(NAME) (UINT32_C(1) << KILN_CPU_IS_##NAME)
_Static_assert(KILN_CPU_CONDITION_COUNT <= 32, "conditions are kept in 32 bits");

enum kiln_cpu_when {
  KILN_CPU_NEEDS,    // the kernel cannot run the launch as it is
  KILN_CPU_PREFERS,  // it runs faster otherwise, also if it runs once
  KILN_CPU_GAINS,    // it runs faster otherwise, which pays once many work-items have run
  KILN_CPU_REPLACES, // likewise; and at once where another rule needs a variant anyway
};

// Launches that a variant with the schedule runs. The rules of a kernel are asked in their order.
struct kiln_cpu_rule {
  uint32_t all, any, none; // all of these conditions hold, at least one of these (0: any launch), and none of these
  struct kiln_cpu_schedule schedule; // of the variant: what is 0 is chosen when that is compiled
  uint32_t when;                     // enum kiln_cpu_when
};

#define KILN_CPU_MAX_RULES 18

// ---- metadata

struct kiln_cpu_meta_kernel {
  uint32_t local_bytes; // static local memory
  uint32_t item_bytes;  // per work-item, for values that are live across barriers
  uint32_t arg_first;   // index into the offsets
  uint32_t arg_count;
  uint32_t arg_bytes; // size of the argument block
  uint32_t flags;
  uint32_t tiny;        // a work-item runs a bounded number of instructions, at most so many; 0: not bounded
  uint32_t row_unit;    // rows of all groups, the last ones too, must be multiples of it; 0: any will do
  uint32_t column_unit; // the same of columns
  uint32_t lanes;       // work-items that run at the same time, and share the stack
  uint32_t stack_bytes; // that a call needs at most; UINT32_MAX: as much or more
  // So many of the caller's groups, of 1 x N and side by side, are one group; 0: each is one. Local memory is as many
  // times as large, that of arguments as well.
  uint32_t merged;
  // Rows of at most flat_row work-items run faster flattened, those of at most flat_ragged_row if they fill no warps.
  uint32_t flat_row, flat_ragged_row;
  struct kiln_cpu_schedule schedule; // as it is compiled: no member is 0
  uint32_t rule_count;
  struct kiln_cpu_rule rules[KILN_CPU_MAX_RULES]; // the first that holds says which variant a launch wants
};

// Followed by kernels, then by one uint32_t offset into the argument block per argument. A local argument is the byte
// offset of its memory in local, as uint64_t.
struct kiln_cpu_meta {
  uint32_t magic, abi;
  uint32_t kernel_count, arg_count;
  uint32_t flags;
  uint8_t build_id[20]; // of the shared object
  uint64_t check;       // of the shared object and of all this, without itself (cpu.h)
};

// Where a kernel parameter lies in the argument block. size is in memory: a vector of 3 takes the room of 4.
static inline uint32_t kiln_cpu_arg_align(uint32_t align) { return align > KILN_CPU_ALIGN ? KILN_CPU_ALIGN : align; }

#endif
