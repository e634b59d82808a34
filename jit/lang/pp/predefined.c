// Predefined macros: found by binary search in macros.def, each on its first mention only.
#include "jit/lang/lex/unit.h"
#include "jit/lang/pp/pp.h"

enum condition { // what a macro needs, of the target and the language version
  ALWAYS = 0,
  FP64 = 1,
  FP16 = 2,
  FMA = 4,
  INT64_ATOMICS = 8,
  FAST = 0x10,
  GENERIC = 0x20,
  GROUPS = 0x40,
  STD200 = 0x80,
  STD300 = 0x100,
  HALF_FMA = 0x200,
  IMAGES = 0x400,
};

struct macro {
  const char *name, *params, *body;
  unsigned condition; // enum condition
};

static const struct macro macros[] = {
#define KILN_MACRO(name, params, body, condition) {name, params, body, condition},
#include "jit/lang/pp/macros.def"
};

static bool holds(unsigned condition, const struct kiln_lang_options *o) {
  unsigned has = (o->fp64 ? FP64 : 0) | (o->fp16 ? FP16 : 0) | (o->fma ? FMA : 0) | (o->half_fma ? HALF_FMA : 0) |
                 (o->int64_atomics ? INT64_ATOMICS : 0) | (o->fast_relaxed_math ? FAST : 0) |
                 (o->generic_space ? GENERIC : 0) | (o->sub_groups ? GROUPS : 0) | (o->std >= 200 ? STD200 : 0) |
                 (o->std >= 300 ? STD300 : 0) | (o->images ? IMAGES : 0);
  return (condition & ~has) == 0;
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

void kiln_predefined_extensions(const struct kiln_lang_options *options, struct kiln_strbuf *out) {
  for (size_t i = 0; i < sizeof macros / sizeof *macros; i++) {
    const char *name = macros[i].name;
    if ((strncmp(name, "cl_", 3) == 0 || strncmp(name, "__opencl_c_", 11) == 0) && holds(macros[i].condition, options))
      kiln_strbuf_printf(out, "%s%s", out->size ? " " : "", name);
  }
}

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
