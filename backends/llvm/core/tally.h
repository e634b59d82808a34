// What was chosen for a kernel's loads, stores, loops and barriers: the stage "plan", which --stats prints.
#ifndef KILN_BACKENDS_LLVM_TALLY_H
#define KILN_BACKENDS_LLVM_TALLY_H

#include "backends/llvm/core/emit.h"

// How the lanes make a load or store.
enum kiln_ll_way {
  KILN_LL_NO_WAY,
#define KILN_WAY(NAME, text, may_be_off) KILN_LL_##NAME,
#define KILN_REMARK(NAME, text, may_be_off)
#include "backends/common/choices.def"
  KILN_LL_WAY_COUNT
};

// What else was done. Remarks are numbered after the ways, so that a choice is a number of either.
enum kiln_ll_remark {
  KILN_LL_LAST_WAY = KILN_LL_WAY_COUNT - 1,
#define KILN_WAY(NAME, text, may_be_off)
#define KILN_REMARK(NAME, text, may_be_off) KILN_LL_##NAME,
#include "backends/common/choices.def"
  KILN_LL_CHOICE_COUNT
};

extern const char *const kiln_ll_choice_words[KILN_LL_CHOICE_COUNT];

// Whether the build options leave the choice in.
static inline bool kiln_ll_may(const struct kiln_ll *ll, unsigned choice) {
  return !(ll->machine->cpu.off >> choice & 1);
}

// begin starts the tally of a kernel; end adds its line to ll->told.
void kiln_ll_tally_begin(struct kiln_ll *ll, const struct kiln_function *fn);
void kiln_ll_tally_end(struct kiln_ll *ll, const struct kiln_function *fn, unsigned lanes);
void kiln_ll_tally(struct kiln_ll_fn *f, kiln_value inst, unsigned choice);

#endif
