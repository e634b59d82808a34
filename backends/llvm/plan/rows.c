// The greatest number of work-items that can store side by side in a row, as the stores themselves tell. Two work-items
// that write to one place without a barrier in between have a race. Suppose each work-item stores a float at p and
// another one at p + 32 bytes, and its neighbours store theirs 4 bytes further on: then at most 8 work-items can run
// that code, and the others must have failed a test before. The same holds if the second store belongs to the next
// iteration of a loop. A warp with more lanes gains nothing: the lanes beyond the row are always off, and its masked
// loads overlap with the stores of the row before, for which they wait.
#include "backends/llvm/plan/plan.h"
#include "backends/llvm/plan/width.h"

enum { LEAST = 4, MAX_STORES = 64 }; // MAX_STORES: that are compared with one another

struct stored {
  struct kiln_affine form;
  uint32_t region; // stores under other conditions may be those of other work-items
  uint32_t bytes;  // of the element, which is the distance between neighbours, too
};

// The number of neighbours that have their elements before this distance; the least so far if that is less. Rows of
// fewer than LEAST are no rows: single work-items do something at their ends.
static uint64_t shorter(uint64_t row, const struct stored *s, int64_t distance) {
  uint64_t count = (distance < 0 ? 0 - (uint64_t)distance : (uint64_t)distance) / s->bytes;
  return count >= LEAST && distance % (int64_t)s->bytes == 0 && (row == 0 || count < row) ? count : row;
}

// What a counter of a loop grows by in each iteration; 0: it is not constant, or v is no counter.
static int64_t step_of(const struct kiln_function *fn, kiln_value v, kiln_value store) {
  uint32_t index;
  int64_t result = 0;
  kiln_value loop = kiln_ll_header_of(fn, v, &index), around = kiln_owner(fn, store);
  while (loop && around && around != loop)
    around = kiln_owner(fn, around);
  if (!loop || !around)
    return 0;
  for (kiln_value jump = 0; (jump = kiln_ll_next_jump(fn, jump, KILN_OP_CONTINUE, loop));) {
    kiln_value next = kiln_operands(fn, jump)[index];
    const kiln_value *x = kiln_operands(fn, next);
    if (fn->insts[next].op != KILN_OP_IADD || x[0] != v || fn->insts[x[1]].op != KILN_OP_CONST)
      return 0;
    const struct kiln_inst *by = &fn->insts[x[1]];
    unsigned unused = 64 - kiln_kind_bits(kiln_type_kind(by->type));
    int64_t step = (int64_t)(by->imm << unused) >> unused;
    if (result && step != result)
      return 0;
    result = step;
  }
  return result;
}

// The row, at most as long as the store moves from one iteration of a loop around it to the next.
static uint64_t shorter_by_loops(const struct kiln_function *fn, uint64_t row, const struct stored *s,
                                 kiln_value store) {
  for (uint32_t i = 0; i < s->form.term_count; i++) {
    int64_t step = step_of(fn, s->form.terms[i].value, store), distance;
    if (step && !__builtin_mul_overflow(step, s->form.terms[i].factor, &distance))
      row = shorter(row, s, distance);
  }
  return row;
}

uint64_t kiln_ll_row_of_stores(const struct kiln_function *fn) {
  struct stored stores[MAX_STORES];
  uint32_t count = 0;
  uint64_t row = 0;
  int64_t distance;
  for (kiln_value v = 1; v < fn->inst_count && !fn->has_barrier; v++) {
    const struct kiln_inst *in = &fn->insts[v];
    if (in->op != KILN_OP_STORE || !in->region || !kiln_ll_is_contiguous(fn, fn->shapes, v))
      continue;
    struct stored s = {.region = in->region, .bytes = kiln_type_bytes(kiln_access_type(fn, v))};
    kiln_affine_of(fn, kiln_operands(fn, v)[0], 0, &s.form);
    row = shorter_by_loops(fn, row, &s, v);
    for (uint32_t i = 0; i < count; i++)
      if (stores[i].region == s.region && stores[i].bytes == s.bytes &&
          kiln_affine_distance(&stores[i].form, &s.form, &distance))
        row = shorter(row, &s, distance);
    if (count < MAX_STORES)
      stores[count++] = s;
  }
  return row;
}
