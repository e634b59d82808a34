#include "backends/llvm/core/tally.h"

void kiln_ll_tally_begin(struct kiln_ll *ll, const struct kiln_function *fn) {
  ll->choices = ll->job->stage ? KILN_NEW_ARRAY(&ll->arena, uint8_t, fn->inst_count) : NULL;
}

void kiln_ll_tally(struct kiln_ll_fn *f, kiln_value inst, enum kiln_ll_choice choice) {
  uint8_t *choices = f->ll->choices;
  if (choices && choices[inst] < choice)
    choices[inst] = (uint8_t)choice;
}

void kiln_ll_tally_end(struct kiln_ll *ll, const struct kiln_function *fn, unsigned lanes) {
  static const char *const names[KILN_LL_CHOICE_COUNT] = {[KILN_LL_UNIFORM] = "uniform",
                                                          [KILN_LL_CONTIGUOUS] = "contiguous",
                                                          [KILN_LL_NONTEMPORAL] = "non-temporal",
                                                          [KILN_LL_GROUPED] = "grouped",
                                                          [KILN_LL_PERMUTED] = "permuted",
                                                          [KILN_LL_TRANSPOSED] = "transposed",
                                                          [KILN_LL_STRIDED] = "strided",
                                                          [KILN_LL_FROM_TABLE] = "table",
                                                          [KILN_LL_OF_ARRAY] = "array",
                                                          [KILN_LL_GATHERED] = "gathered",
                                                          [KILN_LL_REMAINDER_LOOP] = "remainder-loop",
                                                          [KILN_LL_UNIFORM_LOOP] = "uniform-loop",
                                                          [KILN_LL_ELIMINATED_BARRIER] = "eliminated-barrier"};
  uint32_t counts[KILN_LL_CHOICE_COUNT] = {0};
  if (!ll->choices)
    return;
  for (kiln_value v = 1; v < fn->inst_count; v++)
    counts[ll->choices[v]]++;
  ll->choices = NULL;
  kiln_strbuf_printf(&ll->told, "%s: lanes %u", fn->name, lanes);
  for (unsigned i = KILN_LL_UNTOLD + 1; i < KILN_LL_CHOICE_COUNT; i++)
    if (counts[i])
      kiln_strbuf_printf(&ll->told, ", %s %u", names[i], (unsigned)counts[i]);
  kiln_strbuf_putc(&ll->told, '\n');
}
