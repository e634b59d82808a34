// Finds and loads the shared objects that speak to the world for the cache (cache/remote/). They are never unloaded.
#ifndef KILN_CACHE_MODULES_H
#define KILN_CACHE_MODULES_H

#include <stddef.h>

// The table that the entry function of a module returns. NULL with problem when the file is not installed, cannot be
// loaded, or is of another build: its first two words must be abi and struct_size, and then comes the version.
const void *kiln_module_load(const char *file, const char *symbol, unsigned abi, size_t struct_size, char *problem,
                             size_t problem_size);

#endif
