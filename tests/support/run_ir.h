// Runs a function of the IR as one work-item, in the simplest way that there is: for tests that compare what a function
// does before and after a pass. It has nothing in common with the interpreter but kiln_eval.
#ifndef KILN_TESTS_SUPPORT_RUN_IR_H
#define KILN_TESTS_SUPPORT_RUN_IR_H

#include "jit/ir/internal.h"

#define RUN_IR_BASE 0x10000 // the address of the first byte of the memory

struct run_ir {
  unsigned char *memory; // of the launch, at RUN_IR_BASE
  size_t size;           // of it; what the function has for itself comes after
  const union kiln_lanes *params;
  uint64_t ids[3]; // of the work-item: global, and local in a group that begins at 0
  bool noalias;    // what NOALIAS says
  // What variables and local memory hold at first, in each byte, besides 0xa5.
  unsigned char variable_byte, local_byte;
  // What queries give; NULL: ids as above, and 8 for each size.
  uint64_t (*query)(const struct run_ir *state, enum kiln_op op, uint64_t dimension);
  // What comes out: the values of all instructions when they were last run, and a number that depends on what volatile
  // and atomic accesses, barriers and fences did, in their order.
  union kiln_lanes *values;
  uint64_t trace;
  const char *fault; // why it ended early; NULL: it did not
};

// False if it ended early. state->values is kept for the next run of the same or another function: free it with
// run_ir_free.
bool run_ir(const struct kiln_function *fn, struct run_ir *state);
void run_ir_free(struct run_ir *state);

// Whether two results are the same: NaNs are, whatever their bits.
bool run_ir_same(enum kiln_kind kind, uint64_t x, uint64_t y);

// What a value is computed from, as "iadd[102,0](x,0x3)": with type and immediate value. Returns the length.
size_t run_ir_describe(const struct kiln_function *fn, kiln_value v, char *out, size_t size);

#endif
