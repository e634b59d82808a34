#include "backends/llvm/core/tally.h"

const char *const kiln_ll_choice_words[KILN_LL_CHOICE_COUNT] = {
    "",
#define KILN_CHOICE(NAME, text, may_be_off) text,
#include "backends/common/choices.def"
};

void kiln_ll_tally_begin(struct kiln_ll *ll, const struct kiln_function *fn) {
  ll->choices = ll->job->stage ? KILN_NEW_ARRAY(&ll->arena, uint8_t, fn->inst_count) : NULL;
}

void kiln_ll_tally(struct kiln_ll_fn *f, kiln_value inst, unsigned choice) {
  uint8_t *choices = f->ll->choices;
  if (choices && choices[inst] < choice)
    choices[inst] = (uint8_t)choice;
}

void kiln_ll_tally_end(struct kiln_ll *ll, const struct kiln_function *fn, unsigned lanes) {
  uint32_t counts[KILN_LL_CHOICE_COUNT] = {0};
  if (!ll->choices)
    return;
  for (kiln_value v = 1; v < fn->inst_count; v++)
    counts[ll->choices[v]]++;
  ll->choices = NULL;
  kiln_strbuf_printf(&ll->told, "%s: lanes %u", fn->name, lanes);
  for (unsigned i = KILN_LL_NO_WAY + 1; i < KILN_LL_CHOICE_COUNT; i++)
    if (counts[i])
      kiln_strbuf_printf(&ll->told, ", %s %u", kiln_ll_choice_words[i], (unsigned)counts[i]);
  kiln_strbuf_putc(&ll->told, '\n');
}
