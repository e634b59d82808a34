// Errors, warnings and notes. Nothing is said twice at one place, nor once the parser has given up.
#include "jit/lang/sema/sema.h"

void kiln_sema_error(struct kiln_sema *S, kiln_place place, kiln_place end, const char *format, ...) {
  if (S->stop || (place && place == S->last_error))
    return;
  S->last_error = place;
  va_list args;
  va_start(args, format);
  kiln_diag_v(S->lang->diags, KILN_ERROR, place, end, format, args);
  va_end(args);
  S->may_note = true;
  S->check_limit = true; // once its notes are out
}

void kiln_sema_warning(struct kiln_sema *S, enum kiln_warning_id id, kiln_place place, kiln_place end,
                       const char *format, ...) {
  S->may_note = false;
  if (S->stop || S->in_library)
    return;
  va_list args;
  va_start(args, format);
  kiln_diag_warning_v(S->lang->diags, id, place, end, format, args);
  va_end(args);
  S->may_note = true;
}

void kiln_sema_note(struct kiln_sema *S, kiln_place place, kiln_place end, const char *format, ...) {
  if (S->stop || !S->may_note || !place)
    return;
  va_list args;
  va_start(args, format);
  kiln_diag_v(S->lang->diags, KILN_NOTE, place, end, format, args);
  va_end(args);
}
