// Characters beyond ASCII in the source: UTF-8, and universal character names (C99 6.4.3).
#ifndef KILN_JIT_LANG_UNICODE_H
#define KILN_JIT_LANG_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

// Bytes of the UTF-8 character at p, at most end - p; 0 when it is none.
unsigned kiln_utf8_get(const char *p, const char *end, uint32_t *code);
// Writes the UTF-8 form of a code; returns its bytes.
unsigned kiln_utf8_put(uint32_t code, char out[4]);

// The digits of a universal character name, p after its \u (4 digits) or \U (8). False: there are fewer, *p is after
// those that are there.
bool kiln_universal_name(const char **p, const char *end, unsigned digits, uint32_t *code);
// Whether a universal character name may stand for it: no character of the basic set, no surrogate.
bool kiln_is_universal(uint32_t code);

// Whether a character beyond ASCII may be in an identifier, or begin one (the ranges of C11, annex D).
bool kiln_is_in_names(uint32_t code, bool begins);

#endif
