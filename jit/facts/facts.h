// Facts: what is known of the values of a function. They are found at once, for all values, and hold until the function
// changes. kiln/ir.h has the questions.
#ifndef KILN_JIT_FACTS_FACTS_H
#define KILN_JIT_FACTS_FACTS_H

#include "jit/ir/internal.h"

// A pass that asks for facts finds them first, which takes no time where none have changed. Linear.
void kiln_facts_find(struct kiln_function *fn);
// After a change of what they are about. The pipeline does it after each pass that has changed the function, and
// kiln_function_analyse before it begins.
void kiln_facts_forget(struct kiln_function *fn);

// For facts.c: the facts of a value from those of its operands, by value.
uint32_t kiln_depends_find(const struct kiln_function *fn, kiln_value v, const uint32_t *depends);
uint64_t kiln_zeros_find(const struct kiln_function *fn, kiln_value v, const uint64_t *zeros);
// The affine forms alone: after a change of shapes.
void kiln_affine_forget(const struct kiln_function *fn);
// kiln_facts_hold of affine forms.
bool kiln_affine_holds(const struct kiln_function *fn, char *message, size_t size);

#endif
