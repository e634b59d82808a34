// Which warnings are told, and which are errors.
#include "jit/lang/lex/warnings.h"

#include <string.h>

#include "base/str.h"

enum preset { SHOWN, HIDDEN, ERROR };

static const struct {
  const char *name;
  enum preset preset;
} table[KILN_WARNING_COUNT] = {
#define KILN_WARNING_NAME(ID, name, preset) {name, preset},
#include "jit/lang/lex/warnings.def"
};

static const struct {
  const char *name, *members; // with blanks between them
} groups[] = {
#define KILN_WARNING_NAME(ID, name, preset)
#define KILN_WARNING_GROUP(name, members) {name, members},
#include "jit/lang/lex/warnings.def"
};

enum { GROUP_COUNT = sizeof groups / sizeof *groups };

static void set(struct kiln_warning_setting *setting, enum kiln_warning_choice choice) {
  if (choice == KILN_CHOICE_ON || choice == KILN_CHOICE_OFF || choice == KILN_CHOICE_ERROR)
    setting->shown = choice == KILN_CHOICE_OFF ? KILN_SET_NO : KILN_SET_YES;
  if (choice == KILN_CHOICE_ERROR || choice == KILN_CHOICE_NO_ERROR)
    setting->error = choice == KILN_CHOICE_ERROR ? KILN_SET_YES : KILN_SET_NO;
}

// A name of size characters.
static bool choose(struct kiln_warning_options *options, const char *name, size_t size,
                   enum kiln_warning_choice choice) {
  bool found = false;
  for (unsigned id = 0; id < KILN_WARNING_COUNT; id++) {
    if (strlen(table[id].name) != size || memcmp(table[id].name, name, size) != 0)
      continue;
    set(&options->settings[id], choice);
    found = true;
  }
  for (unsigned i = 0; i < GROUP_COUNT; i++) {
    if (strlen(groups[i].name) != size || memcmp(groups[i].name, name, size) != 0)
      continue;
    found = true;
    for (const char *member = groups[i].members; *member; member += strspn(member, " ")) {
      size_t length = strcspn(member, " ");
      choose(options, member, length, choice);
      member += length;
    }
  }
  return found;
}

bool kiln_warning_choose(struct kiln_warning_options *options, const char *name, enum kiln_warning_choice choice) {
  if (strcmp(name, "everything") != 0)
    return choose(options, name, strlen(name), choice);
  for (unsigned id = 0; id < KILN_WARNING_COUNT; id++)
    if (table[id].preset != ERROR)
      set(&options->settings[id], choice);
  return true;
}

const char *kiln_warning_nearest(const char *name) {
  unsigned best = (unsigned)strlen(name) / 3 + 1;
  const char *found = NULL;
  for (unsigned i = 0; i < KILN_WARNING_COUNT + GROUP_COUNT; i++) {
    const char *other = i < KILN_WARNING_COUNT ? table[i].name : groups[i - KILN_WARNING_COUNT].name;
    unsigned distance = kiln_edit_distance(name, other, best);
    if (distance < best) {
      best = distance;
      found = other;
    }
  }
  return found;
}

static enum kiln_warning_level level_of(const struct kiln_warning_options *options, unsigned id) {
  const struct kiln_warning_setting *setting = &options->settings[id];
  bool is_shown = setting->shown == KILN_SET_YES || table[id].preset != HIDDEN;
  if (setting->shown == KILN_SET_NO)
    return KILN_WARNING_IGNORED;
  if (table[id].preset == ERROR && setting->error != KILN_SET_NO)
    return KILN_WARNING_ERROR;
  if (options->none || !is_shown)
    return KILN_WARNING_IGNORED;
  if (setting->error == KILN_SET_YES || (options->errors && setting->error != KILN_SET_NO))
    return KILN_WARNING_ERROR;
  return KILN_WARNING_SHOWN;
}

void kiln_warning_rows(const struct kiln_warning_options *options, struct kiln_warning_row rows[KILN_WARNING_COUNT]) {
  for (unsigned id = 0; id < KILN_WARNING_COUNT; id++)
    rows[id] = (struct kiln_warning_row){table[id].name, level_of(options, id), table[id].preset == ERROR};
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
