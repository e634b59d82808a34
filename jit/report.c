// Reports of backends, and the library's own failures.
#include "jit/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/exhausted.h"
#include "base/floats.h"
#include "jit/error.h"

enum kiln_status kiln_fail(struct kiln_report *report, enum kiln_status status, const char *format, ...) {
  if (!report)
    return status;
  if (report->text.size)
    kiln_strbuf_puts(&report->text, "\n");
  va_list args;
  va_start(args, format);
  kiln_strbuf_vprintf(&report->text, format, args);
  va_end(args);
  return status;
}

void kiln_report_log_v(const struct kiln_report *report, enum kiln_log_level level, const char *format, va_list args) {
  if (!report->log || level > report->log_level)
    return;
  struct kiln_strbuf text = {0};
  kiln_strbuf_vprintf(&text, format, args);
  struct kiln_floats floats = kiln_floats_enter();
  if (!text.failed && text.data)
    report->log(report->log_user, level, text.data);
  kiln_floats_leave(floats);
  kiln_strbuf_free(&text);
}

void kiln_report_log(struct kiln_report *report, enum kiln_log_level level, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (report)
    kiln_report_log_v(report, level, format, args);
  va_end(args);
}

void kiln_report_at(struct kiln_report *report, const char *kernel, const char *stage) {
  if (report && report->at)
    report->at(report->at_user, kernel, stage);
}

const char *kiln_report_variable(const struct kiln_report *report, const char *name) {
  enum kiln_env_id id = kiln_env_find(name);
  if (id == KILN_ENV_COUNT)
    return NULL;
  return report && report->env ? kiln_env_get(report->env, id) : kiln_env_now(id);
}

struct kiln_report *kiln_report_new(void) {
  return calloc(1, sizeof(struct kiln_report));
}

void kiln_report_delete(struct kiln_report *report) {
  if (report)
    kiln_report_free(report);
  free(report);
}

const char *kiln_report_text(const struct kiln_report *report) {
  return report->text.data && report->text.size ? report->text.data : "";
}

enum kiln_status kiln_report_finish(struct kiln_report *report, enum kiln_status status, const char *backend,
                                    const char *what) {
  if (status == KILN_OK) {
    kiln_report_free(report);
    return KILN_OK;
  }
  const char *text = kiln_report_text(report);
  if ((unsigned)status > KILN_ERR_CANCELLED) {
    kiln_set_last_error("backend '%s' returned %d, which is no status: %s", backend, (int)status, text);
    status = KILN_ERR_INTERNAL;
  } else if (!*text) {
    kiln_set_last_error("%s%sbackend '%s' failed (%s) and gave no reason", what ? what : "", what ? ": " : "", backend,
                        kiln_status_name(status));
  } else {
    kiln_set_last_error("%s%s%s", what ? what : "", what ? ": " : "", text);
  }
  kiln_report_free(report);
  return status;
}

enum kiln_status kiln_error(enum kiln_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  kiln_set_last_error_v(format, args);
  va_end(args);
  return status;
}

enum kiln_status kiln_error_because(enum kiln_status status, enum kiln_reason reason, uint32_t index,
                                    const char *format, ...) {
  va_list args;
  va_start(args, format);
  kiln_set_last_error_v(format, args);
  va_end(args);
  kiln_set_last_reason(reason, index);
  return status;
}

enum kiln_status kiln_error_memory(void) { return kiln_error(KILN_ERR_MEMORY, "memory is exhausted"); }

enum kiln_status kiln_errno_status(int error) {
  return error == ENOMEM ? KILN_ERR_MEMORY : error == ENOENT ? KILN_ERR_NOT_FOUND : KILN_ERR_IO;
}

enum kiln_status kiln_error_exhausted(const char *file) {
  int lacking = kiln_exhausted();
  if (!lacking)
    return KILN_OK;
  return kiln_error(kiln_errno_status(lacking), "%s cannot be opened: %s", file, kiln_exhausted_text(lacking));
}
