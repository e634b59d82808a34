// Accesses at known distances: a few vector accesses and a shuffle, or one scalar access per lane, instead of a gather
// or scatter.
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/find.h"

bool kiln_ll_find_window(const int64_t *at, unsigned lanes, unsigned bytes, unsigned n, struct kiln_ll_window *out) {
  int64_t first = at[0], last = at[0];
  for (unsigned i = 1; i < lanes; i++) {
    first = at[i] < first ? at[i] : first;
    last = at[i] > last ? at[i] : last;
  }
  out->first = first;
  out->count = (unsigned)((last - first) / bytes) + n;
  for (unsigned i = 0; i < lanes; i++) {
    if ((at[i] - first) % bytes)
      return false;
    out->at[i] = (unsigned)((at[i] - first) / bytes);
  }
  return out->count <= KILN_COST_SHUFFLED * lanes;
}

static bool is_scalar_size(unsigned bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8; }

bool kiln_ll_is_strided(const struct kiln_ll_fn *f, const int64_t *at, kiln_type type) {
  struct kiln_ll_window window;
  unsigned n = kiln_type_lanes(type), lanes = f->form->lanes;
  return n != 3 && is_scalar_size(kiln_type_bytes(type)) &&
         (lanes <= KILN_COST_ELEMENT_LANES || kiln_ll_find_window(at, lanes, kiln_type_bytes(type) / n, n, &window));
}
