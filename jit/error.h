// What kiln_last_error returns: one message per thread.
#ifndef KILN_JIT_ERROR_H
#define KILN_JIT_ERROR_H

#include <stdarg.h>

// Replaces the calling thread's message. The arguments may point into the old message.
__attribute__((format(printf, 1, 2))) void kiln_set_last_error(const char *format, ...);
void kiln_set_last_error_v(const char *format, va_list args);

#endif
