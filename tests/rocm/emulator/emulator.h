// An AMD GPU in software: loads code objects and runs dispatches of their kernels. README.md says what it models.
#ifndef KILN_TESTS_ROCM_EMULATOR_EMULATOR_H
#define KILN_TESTS_ROCM_EMULATOR_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/rocm/code/codeobject.h"

struct emulated; // a loaded code object

// Maps the segments of a code object for a processor ("gfx90a", with or without features) and relocates them. NULL: it
// cannot, and error says why.
struct emulated *emulated_load(const void *code, size_t size, const char *processor, char *error, size_t error_size);
void emulated_free(struct emulated *object);
// Its program-scope variables, constants and code.
void *emulated_memory(struct emulated *object, size_t *size);
// The address of a variable that the code object shows under this name; 0: it shows none. code, as it was loaded.
uint64_t emulated_variable(struct emulated *object, const void *code, const char *name);

struct emulated_launch {
  uint32_t grid[3], group[3];
  uint32_t local_bytes, private_bytes; // private: of one work-item
  const void *kernarg, *packet;
  // Whether the device may access the bytes; not asked for those of the object itself.
  bool (*reaches)(void *user, uint64_t address, uint64_t size);
  void *user;
};
// Runs all groups, one after the other. False: something was wrong, and error says what and where.
bool emulated_run(struct emulated *object, const struct kiln_rocm_kernel *kernel, const struct emulated_launch *launch,
                  char *error, size_t error_size);

#endif
