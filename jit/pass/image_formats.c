// Formats of images and words of samplers that are known (--kiln-images) become constants, in the only kernel of the
// module. Runs after calls are inlined, when fields of records are loaded from parameters of the kernel.
#include <stddef.h>
#include <stdio.h>

#include "jit/pass/common.h"

// A kernel and what is known of its parameters.
struct constants {
  struct kiln_function *fn;
  const struct kiln_image_constant *known;
  uint32_t count;
};

// The number of the parameter among those that are images or samplers; records are in the order of the images.
static bool constant_of(const struct constants *c, uint32_t param, struct kiln_image_constant *out) {
  const struct kiln_param *params = c->fn->params;
  uint32_t record = 0, images = 0, next = 0;
  for (uint32_t i = 0; i < param; i++)
    record += params[i].image == KILN_PARAM_RECORD;
  for (uint32_t i = 0; i < c->fn->param_count; i++) {
    bool is_image = params[i].image >= KILN_PARAM_IMAGE, is_sampler = params[i].image == KILN_PARAM_SAMPLER;
    if (!is_image && !is_sampler)
      continue;
    if (params[param].image == KILN_PARAM_RECORD ? is_image && images == record : i == param) {
      *out = c->known[next];
      return next < c->count && out->is_sampler == is_sampler;
    }
    images += is_image;
    next++;
  }
  return false;
}

// What a load of order or type from a record gives; 0: it is another load.
static kiln_value field(const struct constants *c, kiln_value load) {
  struct kiln_function *fn = c->fn;
  struct kiln_affine address;
  struct kiln_image_constant known;
  kiln_affine_of(fn, kiln_operands(fn, load)[0], 0, &address);
  if (fn->insts[load].type != kiln_scalar_type(KILN_I32) || address.term_count || !address.base ||
      fn->insts[address.base].op != KILN_OP_PARAM ||
      fn->params[fn->insts[address.base].imm].image != KILN_PARAM_RECORD ||
      !constant_of(c, (uint32_t)fn->insts[address.base].imm, &known))
    return 0;
  if (address.constant == offsetof(struct kiln_image_record, order))
    return kiln_const(fn, kiln_scalar_type(KILN_I32), (uint32_t)known.order);
  if (address.constant == offsetof(struct kiln_image_record, type))
    return kiln_const(fn, kiln_scalar_type(KILN_I32), (uint32_t)known.type);
  return 0;
}

static bool run(void *subject, struct kiln_arena *arena) {
  const struct constants *c = subject;
  struct kiln_function *fn = c->fn;
  struct kiln_replaced replaced = kiln_replaced_new(fn, arena);
  struct kiln_image_constant known;
  bool changed = false;
  for (uint32_t i = 0; i < fn->param_count; i++)
    if (fn->params[i].image == KILN_PARAM_SAMPLER && constant_of(c, i, &known))
      replaced.by[fn->params[i].value] = kiln_const(fn, kiln_scalar_type(KILN_I32), known.sampler);
  for (kiln_value id = fn->regions[fn->body].first; id; id = kiln_walk_next(fn, id)) {
    if (fn->insts[id].op == KILN_OP_LOAD && id < replaced.count)
      replaced.by[id] = field(c, id);
    changed |= id < replaced.count && replaced.by[id];
  }
  kiln_resolve_all(fn, &replaced);
  return changed;
}

bool kiln_pass_image_formats(struct kiln_function *fn, const struct kiln_image_constant *known, uint32_t count) {
  struct constants c = {fn, known, count};
  return fn->is_kernel && kiln_pass_scratch(fn->module, &c, run);
}
