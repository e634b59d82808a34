// What a backend says when a library or file cannot be had because descriptors or memory are lacking.
#ifndef KILN_BACKENDS_EXHAUSTED_H
#define KILN_BACKENDS_EXHAUSTED_H

#include "kiln/backend.h"

// After file could not be opened: KILN_ERR_IO or KILN_ERR_MEMORY with a message where that is why; KILN_OK: there is
// another reason.
enum kiln_status kiln_fail_exhausted(struct kiln_report *report, const char *file);

#endif
