// What OpenCL C has and Kiln has not.
#include <stdio.h>

#include "jit/lang/parse/parse.h"

bool kiln_parse_not_supported(struct kiln_parser *p, const struct kiln_token *tok, bool type) {
  static const struct {
    const char *prefix, *suffix;
    bool type;
    const char *reason;
    unsigned part;
  } missing[] = {
#define KILN_MISSING(prefix, suffix, type, reason, part) {prefix, suffix, type, reason, part},
#include "jit/lang/parse/missing.def"
  };
  const char *name = tok->name->text;
  size_t size = tok->name->size;
  for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
    size_t prefix = strlen(missing[i].prefix), suffix = strlen(missing[i].suffix);
    if (missing[i].type != type || size < prefix + suffix || strncmp(name, missing[i].prefix, prefix) != 0 ||
        strcmp(name + size - suffix, missing[i].suffix) != 0)
      continue;
    struct kiln_missing *here = KILN_NEW(p->sema.arena, struct kiln_missing);
    here->text = kiln_arena_printf(p->sema.arena, "%s '%s' is not supported: %s", type ? "type" : "function", name,
                                   missing[i].reason);
    here->part = missing[i].part ? 1u << missing[i].part : 0;
    here->location = tok->location;
    here->end = kiln_sema_token_end(tok);
    if (here->part)
      kiln_sema_miss(&p->sema, here);
    else
      kiln_sema_tell_missing(&p->sema, here);
    return true;
  }
  return false;
}
