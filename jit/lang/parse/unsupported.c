// What OpenCL C has and Kiln has not.
#include <stdio.h>

#include "jit/lang/parse/parse.h"

bool kiln_parse_not_supported(struct kiln_parser *p, const struct kiln_token *tok, bool type) {
  static const struct {
    const char *prefix, *suffix; // of the name
    bool type;
    const char *reason;
    unsigned part; // of the language, told once for all its names; 0: each name
  } missing[] = {
      {"image", "_t", true, "there are no images", 1},
      {"sampler_t", "", true, "there are no images", 1},
      {"read_image", "", false, "there are no images", 1},
      {"write_image", "", false, "there are no images", 1},
      {"get_image_", "", false, "there are no images", 1},
      {"pipe", "", true, "there are no pipes", 2},
      {"reserve_id_t", "", true, "there are no pipes", 2},
      {"read_pipe", "", false, "there are no pipes", 2},
      {"write_pipe", "", false, "there are no pipes", 2},
      {"queue_t", "", true, "kernels cannot enqueue kernels", 3},
      {"clk_event_t", "", true, "kernels cannot enqueue kernels", 3},
      {"ndrange_t", "", true, "kernels cannot enqueue kernels", 3},
      {"enqueue_", "", false, "kernels cannot enqueue kernels", 3},
      {"get_default_queue", "", false, "kernels cannot enqueue kernels", 3},
      {"atomic_half", "", true, "there are no atomic operations of 16 bits", 0},
      {"__builtin_alloca", "", false, "the size of a variable is constant", 0},
      {"_Complex", "", true, "there are no complex numbers", 0},
      {"__complex", "", true, "there are no complex numbers", 0},
      {"_BitInt", "", true, "integers have 8, 16, 32 or 64 bits", 0},
      {"__int128", "", true, "integers have 8, 16, 32 or 64 bits", 0},
      {"__builtin_amdgcn_", "", false, "it is of one vendor's processors", 0},
      {"__nvvm_", "", false, "it is of one vendor's processors", 0},
  };
  const char *name = tok->name->text;
  size_t size = tok->name->size;
  for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
    size_t prefix = strlen(missing[i].prefix), suffix = strlen(missing[i].suffix);
    if (missing[i].type != type || size < prefix + suffix || strncmp(name, missing[i].prefix, prefix) != 0 ||
        strcmp(name + size - suffix, missing[i].suffix) != 0)
      continue;
    uint32_t bit = missing[i].part ? 1u << missing[i].part : 0;
    if (!(p->sema.told_missing & bit))
      kiln_sema_error(&p->sema, tok->location, kiln_sema_token_end(tok), "%s '%s' is not supported: %s",
                      type ? "type" : "function", name, missing[i].reason);
    p->sema.told_missing |= bit;
    return true;
  }
  return false;
}
