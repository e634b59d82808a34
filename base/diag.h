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

enum kiln_warning_level { KILN_WARNING_SHOWN, KILN_WARNING_IGNORED, KILN_WARNING_ERROR };

struct kiln_warning_row {
  const char *name; // as after -W
  enum kiln_warning_level level;
  bool is_error; // an error unless asked otherwise
};

struct kiln_diags {
  const struct kiln_sources *sources;
  struct kiln_strbuf text; // everything reported so far
  unsigned errors, warnings;
  unsigned error_limit;                          // after so many errors the rest is counted but not shown; default 20
  const struct kiln_warning_row *warnings_table; // what becomes of each warning, by its id; NULL: all are shown
  bool fatal;                                    // there was a fatal one: nothing more is shown
  bool muted;                                    // the last error or warning was not shown: its notes are not either
  kiln_location last_include;                    // the chain of #includes that was shown last ends here
  bool keeps_blocks;                             // text is made of blocks, and has ignored warnings, too
  const char *source_name;                       // with blocks: stands in them as a mark
  unsigned kept;                                 // blocks of warnings
};

void kiln_diags_init(struct kiln_diags *diags, const struct kiln_sources *sources);
void kiln_diags_free(struct kiln_diags *diags);

// Reports at a location, with the range [location, end) underlined when end is not 0. For a location in a macro
// expansion the caret is at the use of the macro (or at the argument, when the token was written there) and a note
// shows the place in the macro's body; for one in an included file the chain of #includes comes first. A note belongs
// to the report before it.
__attribute__((format(printf, 5, 6))) void kiln_diag(struct kiln_diags *diags, enum kiln_severity severity,
                                                     kiln_location location, kiln_location end, const char *format,
                                                     ...);
void kiln_diag_v(struct kiln_diags *diags, enum kiln_severity severity, kiln_location location, kiln_location end,
                 const char *format, va_list args);
// A warning, or the error that it is by the table, with its name.
__attribute__((format(printf, 5, 6))) void kiln_diag_warning(struct kiln_diags *diags, unsigned id,
                                                             kiln_location location, kiln_location end,
                                                             const char *format, ...);
void kiln_diag_warning_v(struct kiln_diags *diags, unsigned id, kiln_location location, kiln_location end,
                         const char *format, va_list args);
// Appends "1 warning and 3 errors generated." when there were any.
void kiln_diags_summary(struct kiln_diags *diags);
void kiln_diag_counts(struct kiln_strbuf *out, unsigned warnings, unsigned errors);

// Blocks are what reports were, kept so that they can be told later, of a source of another name and to somebody who
// ignores other warnings. A block is BLOCK name BLOCK includes BLOCK text: the name of the warning, "" for an error;
// the chain of #includes; the rest with its notes. NAME stands for the name of the source.
#define KILN_BLOCK '\x02'
#define KILN_BLOCK_NAME '\x01'
// Appends the text of the blocks but for warnings that rows (of row_count) ignore, and at most 100 warnings. Returns
// how many there are.
unsigned kiln_diag_blocks_text(struct kiln_str blocks, const struct kiln_warning_row *rows, unsigned row_count,
                               const char *source_name, struct kiln_strbuf *out);

#endif
