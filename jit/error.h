// What kiln_last_error and kiln_last_reason return: one message per thread.
#ifndef KILN_JIT_ERROR_H
#define KILN_JIT_ERROR_H

#include <stdarg.h>

#include "kiln/kiln.h"

// Replaces the calling thread's message, and takes back its reason. The arguments may point into the old message.
__attribute__((format(printf, 1, 2))) void kiln_set_last_error(const char *format, ...);
void kiln_set_last_error_v(const char *format, va_list args);
// The reason of the message that was set last.
void kiln_set_last_reason(enum kiln_reason reason, uint32_t index);

#endif
