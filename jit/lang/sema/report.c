// Errors, warnings and notes. Nothing is said twice at one location, nor once the parser has given up.
#include "jit/lang/sema/sema.h"

static void report_error(struct kiln_sema *S, kiln_location location, kiln_location end, const char *format,
                         va_list args) {
  if (S->stop || (location && location == S->last_error))
    return;
  S->last_error = location;
  kiln_diag_v(S->lang->diags, KILN_ERROR, location, end, format, args);
  S->may_note = true;
  S->check_limit = true; // once its notes are out
}

void kiln_sema_error(struct kiln_sema *S, kiln_location location, kiln_location end, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report_error(S, location, end, format, args);
  va_end(args);
}

struct kiln_expr *kiln_expr_invalid(struct kiln_sema *S, kiln_location location, kiln_location end, const char *format,
                                    ...) {
  va_list args;
  va_start(args, format);
  report_error(S, location, end, format, args);
  va_end(args);
  return kiln_expr_error(S, location, end);
}

void kiln_sema_warning(struct kiln_sema *S, enum kiln_warning_id id, kiln_location location, kiln_location end,
                       const char *format, ...) {
  S->may_note = false;
  if (S->stop || S->in_library)
    return;
  va_list args;
  va_start(args, format);
  kiln_diag_warning_v(S->lang->diags, id, location, end, format, args);
  va_end(args);
  S->may_note = true;
}

void kiln_sema_note(struct kiln_sema *S, kiln_location location, kiln_location end, const char *format, ...) {
  if (S->stop || !S->may_note || !location)
    return;
  va_list args;
  va_start(args, format);
  kiln_diag_v(S->lang->diags, KILN_NOTE, location, end, format, args);
  va_end(args);
}

// ---- what Kiln does not have ----------------------------------------------------------------------------------------

void kiln_sema_miss(struct kiln_sema *S, const struct kiln_missing *missing) {
  const struct kiln_missing **first = S->fn ? &S->fn->decl.missing : &S->missing;
  if (!*first)
    *first = missing;
}

void kiln_sema_miss_type(struct kiln_sema *S, const struct kiln_decl *decl, const struct kiln_token *tok) {
  if (!decl->missing)
    return;
  struct kiln_missing *missing = KILN_NEW(S->arena, struct kiln_missing);
  *missing = *decl->missing;
  missing->location = tok->location;
  missing->end = kiln_sema_token_end(tok);
  kiln_sema_miss(S, missing);
}

bool kiln_sema_tell_missing(struct kiln_sema *S, const struct kiln_missing *missing) {
  if (S->told_missing & missing->part)
    return false;
  S->told_missing |= missing->part;
  kiln_sema_error(S, missing->location, missing->end, "%s", missing->text);
  return true;
}

void kiln_sema_tell_unkept(struct kiln_sema *S) {
  if (S->missing && !S->missing_kept)
    kiln_sema_tell_missing(S, S->missing);
  S->missing = NULL;
  S->missing_kept = false;
}
