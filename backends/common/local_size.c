#include "backends/common/local_size.h"

void kiln_choose_local_size(const uint64_t global[3], uint64_t limit, const uint64_t most[3], uint64_t local[3]) {
  for (int d = 0; d < 3; d++) {
    local[d] = global[d] < limit ? global[d] : limit;
    local[d] = local[d] < most[d] ? local[d] : most[d];
    while (global[d] % local[d])
      local[d]--;
    limit /= local[d];
  }
}
