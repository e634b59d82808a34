// Facts: what is known of the values of a function. They are found at once, for all values, and hold until the function
// changes; kiln_function_analyse finds them anew. A pass that asks for them finds them first, and forgets them once it
// has changed what they are about. kiln/ir.h has the questions.
#ifndef KILN_JIT_FACTS_FACTS_H
#define KILN_JIT_FACTS_FACTS_H

#include "jit/ir/internal.h"

// Linear.
void kiln_facts_find(struct kiln_function *fn);
void kiln_facts_forget(struct kiln_function *fn);

#endif
