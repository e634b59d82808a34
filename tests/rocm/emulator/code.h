// Code objects in memory, and the decoded instructions of them.
#ifndef KILN_TESTS_ROCM_EMULATOR_CODE_H
#define KILN_TESTS_ROCM_EMULATOR_CODE_H

#include "tests/rocm/emulator/emulator.h"
#include "tests/rocm/emulator/machine.h"

struct emulated {
  char processor[32];
  unsigned generation; // 9 to 12
  bool packs_ids;      // the three local ids are in one register
  char *base;
  size_t size;
  uint64_t text_begin, text_end;
  struct {
    struct decoder *decoder;
    struct instruction **at; // by word of the text; NULL: not decoded yet
  } by_wave[2];              // of 32 and 64 lanes
};

// The instruction at an address; NULL: the wave has failed.
const struct instruction *fetch(struct emulated *object, struct wave *wave);

#endif
