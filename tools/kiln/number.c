// Numbers with a decimal point, whatever locale a library of this process has chosen.
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>

#include "tool.h"

// The C library's own: it needs no memory and is never freed.
static locale_t c_locale(void) { return newlocale(LC_ALL_MASK, "C", (locale_t)0); }

double read_double(const char *text, char **end) { return strtod_l(text, end, c_locale()); }

float read_float(const char *text, char **end) { return strtof_l(text, end, c_locale()); }

void format_number(char *out, size_t size, const char *format, ...) {
  va_list args;
  locale_t before = uselocale(c_locale());
  va_start(args, format);
  vsnprintf(out, size, format, args);
  va_end(args);
  uselocale(before);
}
