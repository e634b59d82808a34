// The report that a backend writes into: collects the text of one call, passes log messages on.
#ifndef KILN_JIT_REPORT_H
#define KILN_JIT_REPORT_H

#include <stdarg.h>

#include "base/str.h"
#include "jit/env.h"
#include "kiln/backend.h"

// What kiln_report_at is told. Called from any thread of a compile.
typedef void kiln_at_fn(void *user, const char *kernel, const char *stage);

struct kiln_report {
  struct kiln_strbuf text;
  kiln_log_fn *log; // NULL: messages are dropped
  void *log_user;
  enum kiln_log_level log_level; // the most detailed level that is passed on
  kiln_at_fn *at;                // NULL: nobody wants to know where a compile is
  void *at_user;
  const struct kiln_env *env; // of the context; NULL: what the process has now
};

// kiln_report_log, for those who have a list of arguments.
void kiln_report_log_v(const struct kiln_report *report, enum kiln_log_level level, const char *format, va_list args);
// Clears the text; every launch has one, and hardly any has text.
static inline void kiln_report_free(struct kiln_report *report) {
  if (report->text.data || report->text.failed)
    kiln_strbuf_free(&report->text);
}
// The text so far, "" when there is none.
const char *kiln_report_text(const struct kiln_report *report);
// Ends a call into a backend: on failure makes its text (or a sentence that it gave none) this thread's last error,
// with a prefix "what: " unless what is NULL. Frees the report. Returns the status, or INTERNAL for a number that is
// none.
enum kiln_status kiln_report_finish(struct kiln_report *report, enum kiln_status status, const char *backend,
                                    const char *what);

// The library's own failures: sets this thread's last error.
__attribute__((format(printf, 2, 3))) enum kiln_status kiln_error(enum kiln_status status, const char *format, ...);
// With what kiln_last_reason tells.
__attribute__((format(printf, 4, 5))) enum kiln_status
kiln_error_because(enum kiln_status status, enum kiln_reason reason, uint32_t index, const char *format, ...);
enum kiln_status kiln_error_memory(void);
// What an errno value of a call on a file is.
enum kiln_status kiln_errno_status(int error);
// KILN_ERR_IO or KILN_ERR_MEMORY, where file could not be opened since descriptors or memory are lacking; else KILN_OK.
enum kiln_status kiln_error_exhausted(const char *file);

#endif
