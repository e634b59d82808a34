// Which vectors of the language, and which loads, are transposed in registers (spmd/transpose.c).
#include "backends/llvm/plan/find.h"

#define WORD 4 // the least bytes that are moved as one

unsigned kiln_ll_word_bytes(unsigned bytes) { return bytes < WORD ? WORD : bytes; }

bool kiln_ll_has_chunks(const struct kiln_ll_fn *f, unsigned bytes, unsigned n) {
  return n > 1 && n * bytes % KILN_LL_CHUNK == 0 && f->form->lanes % (KILN_LL_CHUNK / kiln_ll_word_bytes(bytes)) == 0;
}

bool kiln_ll_is_transposed_vector(const struct kiln_ll_fn *f, kiln_type type) {
  return kiln_ll_has_chunks(f, kiln_ll_element_bytes(type), kiln_type_lanes(type));
}

// Whether a load reads chunks from a varying base plus a uniform offset, as in the unrolled loops.
bool kiln_ll_is_transposed_load(const struct kiln_ll_fn *f, kiln_value load) {
  const struct kiln_inst *in = kiln_inst(f->fn, load);
  kiln_value pointer = kiln_operands(f->fn, load)[0];
  return kiln_ll_has_chunks(f, kiln_ll_element_bytes(in->type), kiln_type_lanes(in->type)) &&
         !(in->flags & KILN_MEM_VOLATILE) && kiln_inst(f->fn, pointer)->op == KILN_OP_PADD &&
         kiln_ll_shape(f, kiln_operands(f->fn, pointer)[0]).kind == KILN_SHAPE_VARYING &&
         kiln_ll_shape(f, kiln_operands(f->fn, pointer)[1]).kind == KILN_SHAPE_UNIFORM;
}
