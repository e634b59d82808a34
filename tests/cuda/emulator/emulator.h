// An NVIDIA GPU in software: reads modules of PTX text and runs launches of their kernels. README.md says what it
// models. Nothing here is safe to call from two threads at once with the same memory or the same module.
#ifndef KILN_TESTS_CUDA_EMULATOR_EMULATOR_H
#define KILN_TESTS_CUDA_EMULATOR_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_kind {
  PTX_OK,
  PTX_SYNTAX,            // the text is no PTX
  PTX_UNKNOWN_OPERATION, // PTX, or something like it, that is not modelled
  PTX_TOO_NEW,           // an operation newer than .version or .target
  PTX_BAD_LAUNCH,        // sizes that the kernel or the device does not allow
  PTX_ADDRESS,           // an access outside of any object, or outside of the space that it names
  PTX_MISALIGNED,
  PTX_TRAP,
  PTX_DEADLOCK,  // work-items that wait for others that will never come
  PTX_TIMEOUT,   // more operations than the launch allows
  PTX_MISUSE,    // undefined behaviour of another kind: a mask without its own lane, a pointer outside of a window
  PTX_NO_MEMORY, // of the host
};

struct ptx_error {
  enum ptx_kind kind;
  char text[512]; // what and where: line of the text; at run time also kernel, block and work-item
};

// ---- global memory

// What a device may reach. Device addresses are addresses of the host.
struct ptx_memory;
struct ptx_memory *ptx_memory_create(void); // NULL: no memory
void ptx_memory_destroy(struct ptx_memory *memory);
// Ranges must not overlap. False: they do, or there is no memory.
bool ptx_memory_add(struct ptx_memory *memory, const void *address, uint64_t size);
// By the address where a range begins. False: none begins there.
bool ptx_memory_remove(struct ptx_memory *memory, const void *address);
bool ptx_memory_reaches(const struct ptx_memory *memory, uint64_t address, uint64_t size);

// ---- modules

struct ptx_module;

struct ptx_parameter {
  const char *name;
  uint32_t offset, size, align;
};
struct ptx_entry {
  const char *name;
  const struct ptx_parameter *parameters;
  uint32_t parameter_count, parameter_bytes;
  uint32_t shared_bytes;    // static: of all its .shared variables but the dynamic ones
  uint32_t local_bytes;     // of its own .local variables
  uint32_t max_threads[3];  // .maxntid: 0 where it is not given
  uint32_t need_threads[3]; // .reqntid: 0 where it is not given
  uint32_t min_blocks;      // .minnctapersm: 0 where it is not given
};
struct ptx_variable { // in global or constant memory
  const char *name;
  void *address;
  uint64_t size;
  bool is_constant;
};

// Checks all of the text, and gives its variables their memory and first values. The text need not end with a 0. NULL:
// it cannot, and error says why.
struct ptx_module *ptx_parse(const char *text, size_t size, struct ptx_error *error);
void ptx_free(struct ptx_module *module); // after ptx_unload
// What the text says of itself: 63 for .version 6.3; 80 for .target sm_80.
uint32_t ptx_version(const struct ptx_module *module);
uint32_t ptx_target(const struct ptx_module *module);
bool ptx_target_is_exact(const struct ptx_module *module); // sm_90a: for no other device
const struct ptx_entry *ptx_entries(const struct ptx_module *module, size_t *count);
const struct ptx_variable *ptx_variables(const struct ptx_module *module, size_t *count);
// Makes the module's variables reachable, or takes them away.
bool ptx_load(struct ptx_module *module, struct ptx_memory *memory);
void ptx_unload(struct ptx_module *module, struct ptx_memory *memory);

// ---- launches

struct ptx_launch {
  uint32_t grid[3], block[3];
  uint32_t dynamic_shared_bytes;
  const void *parameters; // laid out as the entry's parameters say
  size_t parameter_bytes; // at least those of the entry
  const struct ptx_memory *memory;
  uint32_t sm; // the device: 80 for sm_80, at least the module's target
  // Decides the order of work-items and blocks, what undefined bytes hold and the errors of approximations. 0: in
  // order, rounded correctly.
  uint64_t seed;
  bool rounds_approximations; // correctly, with every seed
  uint64_t max_steps;         // operations of the whole launch; 0: two thousand million
};
// Runs all blocks to their end, one after the other. False: something was wrong; what was stored until then stays.
bool ptx_run(struct ptx_module *module, const struct ptx_entry *entry, const struct ptx_launch *launch,
             struct ptx_error *error);

struct ptx_count {
  const char *operation; // without types and modifiers: "ld"
  uint64_t executed;     // by single work-items, in all launches since the module was read
};
// In the order of the names; those that were executed.
const struct ptx_count *ptx_counts(struct ptx_module *module, size_t *count);

#endif
