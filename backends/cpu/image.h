// Programs in anonymous memory, for where the system's loader has no file to load: a process that may write none that
// is as large (RLIMIT_FSIZE), or in which nothing can be mapped as code from a file. Debuggers and profilers do not see
// them; everything else is as with a library.
#ifndef KILN_BACKENDS_CPU_IMAGE_H
#define KILN_BACKENDS_CPU_IMAGE_H

#include <stddef.h>

struct kiln_cpu_image;
// Lays out a shared object that the compiler has made. It needs the C library and its mathematical functions at most,
// and no code of it runs before it is called. NULL with *reason.
struct kiln_cpu_image *kiln_cpu_image_open(const void *data, size_t size, const char **reason);
void *kiln_cpu_image_symbol(const struct kiln_cpu_image *image, const char *name); // NULL: it has no such symbol
void kiln_cpu_image_close(struct kiln_cpu_image *image);

#endif
