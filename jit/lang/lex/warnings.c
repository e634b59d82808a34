// Which warnings are told, and which are errors.
#include "jit/lang/lex/warnings.h"

#include <string.h>

#include "base/str.h"

static const struct {
  const char *name;
  enum kiln_warning_level level;
} table[KILN_WARNING_COUNT] = {
#define KILN_WARNING_NAME(ID, name, level) {name, KILN_WARNING_##level},
#include "jit/lang/lex/warnings.def"
};

bool kiln_warning_choose(struct kiln_warning_options *options, const char *name, enum kiln_warning_choice choice) {
  bool all = strcmp(name, "all") == 0 || strcmp(name, "extra") == 0 || strcmp(name, "everything") == 0;
  for (unsigned id = 0; id < KILN_WARNING_COUNT; id++) {
    if (all ? table[id].level == KILN_WARNING_ERROR : strcmp(name, table[id].name) != 0)
      continue;
    options->choices[id] = (uint8_t)choice;
    if (!all)
      return true;
  }
  return all;
}

const char *kiln_warning_nearest(const char *name) {
  unsigned best = (unsigned)strlen(name) / 3 + 1;
  const char *found = NULL;
  for (unsigned id = 0; id < KILN_WARNING_COUNT; id++) {
    unsigned distance = kiln_edit_distance(name, table[id].name, best);
    if (distance < best) {
      best = distance;
      found = table[id].name;
    }
  }
  return found;
}

static enum kiln_warning_level level_of(const struct kiln_warning_options *options, unsigned id) {
  enum kiln_warning_choice choice = (enum kiln_warning_choice)options->choices[id];
  bool is_error = table[id].level == KILN_WARNING_ERROR;
  if (choice == KILN_CHOICE_OFF)
    return KILN_WARNING_IGNORED;
  if (is_error && choice != KILN_CHOICE_NO_ERROR)
    return KILN_WARNING_ERROR;
  if (options->none)
    return KILN_WARNING_IGNORED;
  if (choice == KILN_CHOICE_ERROR || (options->errors && choice != KILN_CHOICE_NO_ERROR))
    return KILN_WARNING_ERROR;
  return KILN_WARNING_SHOWN;
}

void kiln_warning_rows(const struct kiln_warning_options *options, struct kiln_warning_row rows[KILN_WARNING_COUNT]) {
  for (unsigned id = 0; id < KILN_WARNING_COUNT; id++)
    rows[id] = (struct kiln_warning_row){table[id].name, level_of(options, id), table[id].level == KILN_WARNING_ERROR};
}

bool kiln_warnings_text(struct kiln_str kept, const struct kiln_warning_options *options, const char *source_name,
                        char **out) {
  struct kiln_warning_row rows[KILN_WARNING_COUNT];
  struct kiln_strbuf text = {0};
  kiln_warning_rows(options, rows);
  *out = NULL;
  kiln_diag_counts(&text, kiln_diag_blocks_text(kept, rows, KILN_WARNING_COUNT, source_name, &text), 0);
  if (text.size)
    *out = kiln_strbuf_take(&text);
  bool ok = !text.failed && (!text.size || *out);
  kiln_strbuf_free(&text);
  return ok;
}
