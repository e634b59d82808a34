#include "base/c_locale.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

// The C library's own: it needs no memory and is never freed.
static locale_t c_locale(void) { return newlocale(LC_ALL_MASK, "C", (locale_t)0); }

double kiln_strtod(const char *text, char **end) { return strtod_l(text, end, c_locale()); }

float kiln_strtof(const char *text, char **end) { return strtof_l(text, end, c_locale()); }

int kiln_vsnprintf(char *out, size_t size, const char *format, va_list args) {
  locale_t before = uselocale(c_locale()); // of this thread alone
  int length = vsnprintf(out, size, format, args);
  uselocale(before);
  return length;
}

int kiln_snprintf(char *out, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = kiln_vsnprintf(out, size, format, args);
  va_end(args);
  return length;
}

// How many characters of the text are those of the part.
static size_t alike(const char *text, const char *part) {
  size_t size = 0;
  while (part[size] && kiln_lower(text[size]) == kiln_lower(part[size]))
    size++;
  return size;
}

bool kiln_same_but_for_case(const char *a, const char *b) {
  size_t size = alike(a, b);
  return a[size] == b[size];
}

bool kiln_holds_but_for_case(const char *text, const char *part) {
  while (*text && part[alike(text, part)])
    text++;
  return !part[alike(text, part)];
}
