// Diagnostics as clang prints them: file:line:column: error: message, the source line, a caret, notes.
#ifndef KILN_BASE_DIAG_H
#define KILN_BASE_DIAG_H

#include <stdarg.h>
#include <stdbool.h>

#include "base/source.h"
#include "base/str.h"

enum kiln_severity {
  KILN_NOTE,
  KILN_WARNING,
  KILN_ERROR,
  KILN_FATAL, // an error that would only have others follow: nothing is told after it
};

struct kiln_diags {
  const struct kiln_sources *sources;
  struct kiln_strbuf text; // everything reported so far
  unsigned errors, warnings;
  unsigned error_limit; // after so many errors the rest is counted but not shown; default 20
  bool no_warnings;     // -w
  bool warnings_are_errors;
  bool fatal; // there was a fatal one: nothing more is shown
  bool muted; // the last error or warning was not shown: its notes are not either
  kiln_place last_include; // the chain of #includes that was shown last ends here
};

void kiln_diags_init(struct kiln_diags *diags, const struct kiln_sources *sources);
void kiln_diags_free(struct kiln_diags *diags);

// Reports at a place, with the range [place, end) underlined when end is not 0. For a place in a macro expansion the
// caret is at the use of the macro (or at the argument, when the token was written there) and a note shows the place
// in the macro's body; for one in an included file the chain of #includes comes first. A note belongs to the report
// before it.
__attribute__((format(printf, 5, 6))) void kiln_diag(struct kiln_diags *diags, enum kiln_severity severity,
                                                     kiln_place place, kiln_place end, const char *format, ...);
void kiln_diag_v(struct kiln_diags *diags, enum kiln_severity severity, kiln_place place, kiln_place end,
                 const char *format, va_list args);
// Appends "1 warning and 3 errors generated." when there were any.
void kiln_diags_summary(struct kiln_diags *diags);

#endif
