// Text that machines read (keys, kernels in print, JSON, options, the environment) is written and read in the C locale,
// whatever locale the host has chosen. What depends on the locale in the C library has its counterpart here.
#ifndef KILN_BASE_C_LOCALE_H
#define KILN_BASE_C_LOCALE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

double kiln_strtod(const char *text, char **end);
float kiln_strtof(const char *text, char **end);
__attribute__((format(printf, 3, 4))) int kiln_snprintf(char *out, size_t size, const char *format, ...);
int kiln_vsnprintf(char *out, size_t size, const char *format, va_list args);

static inline bool kiln_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline char kiln_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }
static inline bool kiln_is_letter(char c) { return kiln_lower(c) >= 'a' && kiln_lower(c) <= 'z'; }
static inline bool kiln_is_hex_digit(char c) {
  return kiln_is_digit(c) || (kiln_lower(c) >= 'a' && kiln_lower(c) <= 'f');
}
static inline bool kiln_is_printable(char c) { return c >= ' ' && c <= '~'; }
// Of ASCII's letters.
bool kiln_same_but_for_case(const char *a, const char *b);
bool kiln_holds_but_for_case(const char *text, const char *part);

#ifdef __cplusplus
}
#endif

#endif
