// Predefined macros: found by binary search in macros.def, each on its first mention only.
#include "jit/lang/pp/predefined.h"

enum condition {
  ALWAYS,
  FP64,
  FP16,
  FMA,
  FMA_FP64,
  FMA_FP16,
  INT64_ATOMICS,
  FAST,
  STD200,
  STD300,
  FP64_300,
  FP64_ATOMICS,
  GENERIC_300,
  GROUPS,
  GROUPS_300
};

struct macro {
  const char *name, *params, *body;
  enum condition condition;
};

static const struct macro macros[] = {
#define KILN_MACRO(name, params, body, condition) {name, params, body, condition},
#include "jit/lang/pp/macros.def"
};

static bool holds(enum condition condition, const struct kiln_lang_options *options) {
  switch (condition) {
  case ALWAYS:
    return true;
  case FP64:
    return options->fp64;
  case FP16:
    return options->fp16;
  case FMA:
    return options->fma;
  case FMA_FP64:
    return options->fma && options->fp64;
  case FMA_FP16:
    return options->fma && options->fp16;
  case INT64_ATOMICS:
    return options->int64_atomics;
  case FAST:
    return options->fast_relaxed_math;
  case STD200:
    return options->std >= 200;
  case STD300:
    return options->std >= 300;
  case FP64_300:
    return options->std >= 300 && options->fp64;
  case FP64_ATOMICS:
    return options->std >= 200 && options->fp64 && options->int64_atomics;
  case GENERIC_300:
    return options->std >= 300 && options->generic_space;
  case GROUPS:
    return options->sub_groups;
  case GROUPS_300:
    return options->std >= 300 && options->sub_groups;
  }
  return false;
}

// NULL: there is no such macro.
static const struct macro *find(const char *name) {
  size_t low = 0, high = sizeof macros / sizeof *macros;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = strcmp(name, macros[middle].name);
    if (order == 0)
      return &macros[middle];
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

bool kiln_predefined_has(const struct kiln_lang_options *options, const char *name) {
  const struct macro *macro = find(name);
  return macro && holds(macro->condition, options);
}

bool kiln_predefined_knows(const char *name) { return strncmp(name, "cl_", 3) == 0 && find(name); }

const char *kiln_predefined_macro(void *user, const char *name, size_t size) {
  const struct kiln_predefined *self = user;
  if (size < 3)
    return NULL;
  uint32_t std = self->options->std ? self->options->std : 120;
  if (size == 18 && memcmp(name, "__OPENCL_VERSION__", 18) == 0)
    return kiln_arena_printf(self->arena, "__OPENCL_VERSION__=%u", std > 120 ? std : 120);
  if (size == 20 && memcmp(name, "__OPENCL_C_VERSION__", 20) == 0)
    return kiln_arena_printf(self->arena, "__OPENCL_C_VERSION__=%u", std);
  const struct macro *macro = find(name);
  if (!macro || !holds(macro->condition, self->options))
    return NULL;
  return kiln_arena_printf(self->arena, "%s%s=%s", macro->name, macro->params, macro->body);
}
