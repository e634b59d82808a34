// Passes over the kernel IR. pipeline.c is the list; each other file is one pass, whose head comment says what it
// requires and keeps.
#ifndef KILN_JIT_PASS_PASS_H
#define KILN_JIT_PASS_PASS_H

#include "kiln/backend.h"

// Runs the pipeline on a verified module for a target with these capabilities, verifies (after every pass in debug
// builds, at the end always) and annotates. optimize 0 runs only what backends need. message: what went wrong, naming
// the pass.
// after: NULL, or called with the module after each pass (for COMPILE_DEBUG and --emit).
typedef void kiln_after_pass_fn(void *user, const char *pass, const struct kiln_module *module);
enum kiln_status kiln_passes_run(struct kiln_module *module, const struct kiln_caps *caps,
                                 const struct kiln_options *options, kiln_after_pass_fn *after, void *user,
                                 char *message, size_t message_size);

// Each returns whether it changed something. Names as in the pipeline.
bool kiln_pass_inline(struct kiln_module *module, bool keep_calls);                  // calls to bodies
bool kiln_pass_collective(struct kiln_module *module, const struct kiln_caps *caps); // operations on groups
bool kiln_pass_structure(struct kiln_function *fn);                                  // early exits to branches
bool kiln_pass_spaces(struct kiln_function *fn);    // generic pointers whose address space is in sight
bool kiln_pass_promote(struct kiln_function *fn);   // private variables to SSA values (scalar replacement included)
bool kiln_pass_simplify(struct kiln_function *fn);  // folding, algebra, common subexpressions, constant conditions
bool kiln_pass_dce(struct kiln_function *fn);       // unused values, unreachable code, empty nodes
bool kiln_pass_scalarise(struct kiln_function *fn); // vectors to scalars
bool kiln_pass_unroll(struct kiln_function *fn);    // loops of known length to straight code
bool kiln_pass_carry(struct kiln_module *module);   // memory that a loop keeps at one place to values
bool kiln_pass_quads(struct kiln_function *fn);     // four iterations that read side by side to one with vectors
bool kiln_pass_narrow(struct kiln_function *fn);    // arithmetic of 32 bits to 16 where the lower ones tell all
bool kiln_pass_widen(struct kiln_function *fn);     // indices that are sums of 32 bits to sums of 64, by their shapes
bool kiln_pass_contract(struct kiln_function *fn);  // multiply and add to FMA

#endif
