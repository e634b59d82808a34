// Predefined macros of a compilation, for kiln_pp_config.predefined.
#ifndef KILN_JIT_LANG_PREDEFINED_H
#define KILN_JIT_LANG_PREDEFINED_H

#include "base/arena.h"
#include "jit/lang/lex/unit.h"

struct kiln_predefined {
  struct kiln_arena *arena;
  const struct kiln_lang_options *options;
};

// user: a struct kiln_predefined. The definition as after -D, or NULL.
const char *kiln_predefined_macro(void *user, const char *name, size_t size);

// For extensions, whose macros have their names: whether a target with these options has one, and whether any may.
bool kiln_predefined_has(const struct kiln_lang_options *options, const char *name);
bool kiln_predefined_knows(const char *name);

#endif
