// Between the parts of the verifier: verify.c walks the structure, verify_op.c checks one operation.
#ifndef KILN_JIT_IR_VERIFY_H
#define KILN_JIT_IR_VERIFY_H

#include "jit/ir/internal.h"

struct kiln_verifier {
  const struct kiln_module *module;
  const struct kiln_function *fn; // NULL between functions
  uint32_t function_index;
  struct kiln_fault *fault;
  char *message;
  size_t size;
  uint32_t *where; // by value of fn: the region in which it is visible; 0: it was not reached yet
  bool *open;      // by region: it is around what is being checked; in the same block
  // calls of all functions; those of function i are [calls_first[i], calls_first[i + 1])
  struct {
    kiln_value inst;
    uint32_t callee;
  } * calls;
  uint32_t call_count, call_capacity, *calls_first;
  bool has_images; // fn has parameters that are images
};

// Notes the fault and returns false.
__attribute__((format(printf, 3, 4))) bool kiln_verify_fail(struct kiln_verifier *v, kiln_value inst,
                                                            const char *format, ...);
bool kiln_verify_add_call(struct kiln_verifier *v, kiln_value inst, uint32_t callee);
// Types of operands and result, immediates and flags of one instruction whose operands are values.
bool kiln_verify_op(struct kiln_verifier *v, kiln_value inst);

#endif
