// Libraries of devices, which are opened at run time: nothing links them, so that a machine without one can still
// compile for its devices. The functions of a library are a table (.def) that becomes a struct of pointers.
#ifndef KILN_BACKENDS_DYNAMIC_H
#define KILN_BACKENDS_DYNAMIC_H

#include <stddef.h>

#include "kiln/backend.h"

// A function, and the offset of its pointer in the struct.
struct kiln_dynamic_symbol {
  const char *name;
  size_t offset;
  bool optional; // the pointer may be null
};

struct kiln_dynamic {
  const char *file;
  const char *absent; // a sentence for where it cannot be opened, which follows the file's name
  const char *old;    // the same for where a function is missing; its name follows
  const struct kiln_dynamic_symbol *symbols;
  size_t symbol_count;
};

// Opens the library, which then stays for good, since drivers have threads of their own, and sets the pointers in out.
// Fails with UNAVAILABLE, or as kiln_fail_exhausted does.
enum kiln_status kiln_dynamic_open(const struct kiln_dynamic *library, void *out, struct kiln_report *report);

#endif
