// Which warnings are told, and which are errors.
#ifndef KILN_JIT_LANG_WARNINGS_H
#define KILN_JIT_LANG_WARNINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

enum kiln_warning_id {
#define KILN_WARNING_NAME(ID, name, level) KILN_W_##ID,
#include "jit/lang/lex/warnings.def"
  KILN_WARNING_COUNT
};

// What the options say about a warning by its name.
enum kiln_warning_choice {
  KILN_CHOICE_NONE,
  KILN_CHOICE_ON,       // -Wname
  KILN_CHOICE_OFF,      // -Wno-name
  KILN_CHOICE_ERROR,    // -Werror=name
  KILN_CHOICE_NO_ERROR, // -Wno-error=name
};

struct kiln_warning_options {
  bool none;                           // -w: only those are left that are errors without being asked
  bool errors;                         // -Werror
  uint8_t choices[KILN_WARNING_COUNT]; // enum kiln_warning_choice
};

// For a name of the table, or one that stands for all but those that are errors without being asked: "all", "extra",
// "everything". False: there is no such name.
bool kiln_warning_choose(struct kiln_warning_options *options, const char *name, enum kiln_warning_choice choice);
const char *kiln_warning_nearest(const char *name); // the name that was probably meant; NULL: none is near
void kiln_warning_rows(const struct kiln_warning_options *options, struct kiln_warning_row rows[KILN_WARNING_COUNT]);

// What is told of kept blocks of warnings (base/diag.h) under the options, of a source of this name. *out: free();
// NULL: nothing. False when memory is exhausted.
bool kiln_warnings_text(struct kiln_str kept, const struct kiln_warning_options *options, const char *source_name,
                        char **out);

#endif
