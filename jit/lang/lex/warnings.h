// Which warnings are told, and which are errors.
#ifndef KILN_JIT_LANG_WARNINGS_H
#define KILN_JIT_LANG_WARNINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

enum kiln_warning_id {
#define KILN_WARNING_NAME(ID, name, preset) KILN_W_##ID,
#include "jit/lang/lex/warnings.def"
  KILN_WARNING_COUNT
};

// What an option says about a name.
enum kiln_warning_choice {
  KILN_CHOICE_ON,       // -Wname
  KILN_CHOICE_OFF,      // -Wno-name
  KILN_CHOICE_ERROR,    // -Werror=name, which is -Wname, too
  KILN_CHOICE_NO_ERROR, // -Wno-error=name
};

// What all options together say about a warning.
struct kiln_warning_setting {
  enum kiln_warning_set { KILN_SET_NOT, KILN_SET_YES, KILN_SET_NO } shown : 8, error : 8;
};

struct kiln_warning_options {
  bool none;   // -w: only those are left that are errors without being asked
  bool errors; // -Werror
  struct kiln_warning_setting settings[KILN_WARNING_COUNT];
};

// For a name of a warning or a group, or "everything" but those that are errors without being asked. False: there is no
// such name.
bool kiln_warning_choose(struct kiln_warning_options *options, const char *name, enum kiln_warning_choice choice);
const char *kiln_warning_nearest(const char *name); // the name that was probably meant; NULL: none is near
void kiln_warning_rows(const struct kiln_warning_options *options, struct kiln_warning_row rows[KILN_WARNING_COUNT]);

// What is told of kept blocks of warnings (base/diag.h) under the options, of a source of this name. *out: free();
// NULL: nothing. False when memory is exhausted.
bool kiln_warnings_text(struct kiln_str kept, const struct kiln_warning_options *options, const char *source_name,
                        char **out);

#endif
