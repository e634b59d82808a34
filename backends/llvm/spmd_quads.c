// Loads of 16 bytes, or several times that, per lane at places far apart: a plain load per lane, and a transposition of
// the lanes in registers, instead of a gather per element. Lanes that are off load what the first one that is on loads.
#include "backends/llvm/spmd.h"

#define QUAD 16 // bytes: what a shuffle within parts of a register takes apart

// Elements of x and y by turns, for each quad of n elements: those of its first half, or of its second.
static LLVMValueRef zip(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef y, unsigned n, unsigned step, bool second) {
  unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(x));
  LLVMValueRef list[KILN_LL_MAX_LANES];
  for (unsigned i = 0; i < lanes; i++) {
    unsigned quad = i / n * n, at = i % n, part = at / step, of_y = part % 2, from = part / 2 * step + at % step;
    list[i] = LLVMConstInt(ll->i32, quad + from + (second ? n / 2 : 0) + (of_y ? lanes : 0), false);
  }
  return LLVMBuildShuffleVector(ll->b, x, y, LLVMConstVector(list, lanes), "");
}

// Quads of lanes first, first + n, ... side by side.
static LLVMValueRef join_quads(struct kiln_ll *ll, LLVMValueRef *quads, unsigned first, unsigned n, unsigned lanes) {
  LLVMValueRef parts[KILN_LL_MAX_LANES], list[KILN_LL_MAX_LANES];
  unsigned count = lanes / n, size = n;
  for (unsigned i = 0; i < count; i++)
    parts[i] = quads[first + i * n];
  for (; count > 1; count /= 2, size *= 2)
    for (unsigned i = 0; i < count / 2; i++) {
      for (unsigned k = 0; k < 2 * size; k++)
        list[k] = LLVMConstInt(ll->i32, k, false);
      parts[i] = LLVMBuildShuffleVector(ll->b, parts[2 * i], parts[2 * i + 1], LLVMConstVector(list, 2 * size), "");
    }
  return parts[0];
}

// n elements per lane at one of the quads of each: out[c] is element c of all lanes.
static void load_quads(struct kiln_ll_fn *f, LLVMTypeRef element, unsigned n, LLVMValueRef *addresses, uint64_t offset,
                       unsigned align, LLVMValueRef *out) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef quads[KILN_LL_MAX_LANES], rows[4], half[4], bytes = LLVMConstInt(ll->i64, offset, false);
  for (unsigned l = 0; l < f->spmd->lanes; l++) {
    LLVMValueRef place = offset ? LLVMBuildGEP2(ll->b, ll->i8, addresses[l], &bytes, 1, "") : addresses[l];
    quads[l] = LLVMBuildLoad2(ll->b, LLVMVectorType(element, n), place, "");
    LLVMSetAlignment(quads[l], align);
  }
  for (unsigned k = 0; k < n; k++)
    rows[k] = join_quads(ll, quads, k, n, f->spmd->lanes);
  if (n == 2) {
    out[0] = zip(ll, rows[0], rows[1], 2, 1, false);
    out[1] = zip(ll, rows[0], rows[1], 2, 1, true);
    return;
  }
  for (unsigned k = 0; k < 4; k++) // elements 0 and 1 of rows 0 and 1, then of rows 2 and 3, then elements 2 and 3
    half[k] = zip(ll, rows[2 * (k & 1)], rows[2 * (k & 1) + 1], 4, 1, k >= 2);
  for (unsigned c = 0; c < 4; c++)
    out[c] = zip(ll, half[c & 2], half[(c & 2) + 1], 4, 2, c & 1);
}

static bool is_of_quads(const struct kiln_ll_fn *f, kiln_type type) {
  unsigned bytes = kiln_kind_bits(kiln_type_kind(type)) / 8, n = kiln_type_lanes(type);
  return n > 1 && (bytes == 4 || bytes == 8) && n * bytes % QUAD == 0 && f->spmd->lanes % (QUAD / bytes) == 0;
}

static LLVMValueRef load_all(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef *addresses, unsigned align) {
  unsigned bytes = kiln_kind_bits(kiln_type_kind(type)) / 8, n = QUAD / bytes, count = kiln_type_lanes(type);
  LLVMTypeRef element = kiln_ll_type(f->ll, kiln_type_element(type));
  LLVMValueRef parts[16];
  for (unsigned c = 0; c < count; c += n)
    load_quads(f, element, n, addresses, (uint64_t)c * bytes, align, parts + c);
  return kiln_ll_join_components(f, parts, count);
}

LLVMValueRef kiln_ll_gather_quads(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef pointers, unsigned align) {
  LLVMValueRef addresses[KILN_LL_MAX_LANES];
  if (!is_of_quads(f, type))
    return NULL;
  kiln_ll_lane_addresses(f, pointers, addresses);
  return load_all(f, type, addresses, align);
}

// Whether a load takes quads at places that are the same from round to round of a loop but for what all lanes add.
bool kiln_ll_is_quads(struct kiln_ll_fn *f, kiln_value load) {
  const struct kiln_inst *in = kiln_inst(f->fn, load);
  kiln_value pointer = kiln_operands(f->fn, load)[0];
  return !f->spmd->mask && is_of_quads(f, in->type) && !(in->flags & KILN_MEM_VOLATILE) && !f->spmd->element[pointer] &&
         kiln_inst(f->fn, pointer)->op == KILN_OP_PADD &&
         kiln_ll_shape(f, kiln_operands(f->fn, pointer)[0]).kind == KILN_SHAPE_VARYING &&
         kiln_ll_shape(f, kiln_operands(f->fn, pointer)[1]).kind == KILN_SHAPE_UNIFORM;
}

LLVMValueRef kiln_ll_load_quads(struct kiln_ll_fn *f, kiln_value load) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, load);
  kiln_value pointer = kiln_operands(f->fn, load)[0];
  const kiln_value *x = kiln_operands(f->fn, pointer);
  int64_t stride = (int64_t)kiln_inst(f->fn, pointer)->imm;
  unsigned bytes = kiln_kind_bits(kiln_type_kind(in->type)) / 8;
  LLVMValueRef places = kiln_ll_wide(f, x[0]), shared = kiln_ll_held(f, x[1]);
  LLVMValueRef addresses[KILN_LL_MAX_LANES];
  for (unsigned l = 0; l < f->spmd->lanes; l++) {
    LLVMValueRef place = LLVMBuildExtractElement(ll->b, places, LLVMConstInt(ll->i32, l, false), "");
    addresses[l] = kiln_ll_pointer_add(ll, place, shared, stride);
  }
  return load_all(f, in->type, addresses, in->imm2 ? in->imm2 : bytes);
}
