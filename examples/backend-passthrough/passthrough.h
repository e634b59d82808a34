// What the two halves of the backend share.
#ifndef PASSTHROUGH_H
#define PASSTHROUGH_H

#include <kiln/backend.h>

#define NAME "passthrough"

// What is behind the driver: the artifact is this line, then what the interpreter's compile made.
#define MAGIC "passthrough 1\n"
#define MAGIC_SIZE (sizeof MAGIC - 1)

extern const struct kiln_driver passthrough_driver; // driver.c

#endif
