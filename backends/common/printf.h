// printf of kernels, as OpenCL C defines it: the formats of C99 and vectors (%v4hlf).
#ifndef KILN_BACKENDS_PRINTF_H
#define KILN_BACKENDS_PRINTF_H

#include "base/str.h"
#include "kiln/backend.h"

struct kiln_printf_call {
  const char *format;
  size_t format_size; // bytes that may be read; a NUL ends it earlier
  // The arguments after the format: types, and values one after another, each at the next multiple of 8 bytes and laid
  // out as a store of its type would (a vector of three has three elements).
  const kiln_type *types;
  uint32_t count;
  const void *args;
  // Text of a %s argument: writes its size and returns its bytes; NULL when the address is bad. When the callback is
  // NULL, addresses are trusted.
  const char *(*string)(void *user, uint64_t address, size_t *size);
  void *user;
};

// Appends the text. Returns what printf returns in the kernel: 0, or -1 when the format or an argument is wrong (what
// comes before it is appended).
int kiln_printf_format(struct kiln_strbuf *out, const struct kiln_printf_call *call);

// The bytes of the arguments.
uint64_t kiln_printf_args_bytes(const struct kiln_printf_call *call);

// Prints the text with one call of the context's callback, unless it is empty, and frees it. False: there was no memory
// for it, and nothing is printed.
bool kiln_printf_put(const struct kiln_driver_config *config, struct kiln_strbuf *text);

#endif
