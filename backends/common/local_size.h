// The local size of a launch for which the host leaves it open.
#ifndef KILN_BACKENDS_LOCAL_SIZE_H
#define KILN_BACKENDS_LOCAL_SIZE_H

#include <stdint.h>

// The longest rows that divide the global size, then as many of them as fit: at most so many work-items (limit), in
// each dimension at most those of most. No number is 0.
void kiln_choose_local_size(const uint64_t global[3], uint64_t limit, const uint64_t most[3], uint64_t local[3]);

#endif
