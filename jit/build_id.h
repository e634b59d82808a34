// The GNU build id of code that is loaded.
#ifndef KILN_JIT_BUILD_ID_H
#define KILN_JIT_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>

// In hexadecimal, of the loaded object that holds the address. False when it has none, or one longer than fits.
bool kiln_loaded_build_id(const void *address, char *out, size_t size);

#endif
