// Accesses at known distances: a few vector accesses and a shuffle, or one scalar access per lane, instead of a gather
// or scatter.
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/spmd/spmd.h"

#define MAX_COMPONENTS 8 // of a vector of the language of up to 8 bytes

// One word per lane that holds all components; to_flat and back convert between it and the flat form.
static LLVMTypeRef whole_type(struct kiln_ll_fn *f, kiln_type type) {
  unsigned n = kiln_type_lanes(type);
  return n == 1 ? kiln_ll_type(f->ll, type) : kiln_ll_int(f->ll, kiln_type_bytes(type) * 8);
}

// The index of component c of n of a lane in a flat vector.
static unsigned element_of(const struct kiln_ll_fn *f, unsigned lane, unsigned c, unsigned n) {
  return f->at.in_memory_order ? lane * n + c : c * f->form->lanes + lane;
}

static LLVMValueRef load_one_by_one(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef base, const int64_t *at,
                                    unsigned align) {
  struct kiln_ll *ll = f->ll;
  unsigned lanes = f->form->lanes, n = kiln_type_lanes(type);
  LLVMTypeRef whole = whole_type(f, type);
  LLVMValueRef values[KILN_LL_MAX_LANES], result = LLVMGetPoison(LLVMVectorType(whole, lanes));
  for (unsigned i = 0; i < lanes; i++) {
    values[i] = NULL;
    for (unsigned k = 0; k < i && !values[i]; k++)
      values[i] = at[k] == at[i] ? values[k] : NULL;
    if (!values[i]) {
      values[i] = LLVMBuildLoad2(ll->b, whole, kiln_ll_address_at(f->ll, base, at[i]), "");
      LLVMSetAlignment(values[i], align);
    }
    result = LLVMBuildInsertElement(ll->b, result, values[i], kiln_ll_i32(ll, i), "");
  }
  if (n == 1)
    return result;
  result = LLVMBuildBitCast(ll->b, result, LLVMVectorType(kiln_ll_type(ll, kiln_type_element(type)), n * lanes), "");
  return kiln_ll_from_lanes(f, result, n, n);
}

// A window that fits a register is loaded as one vector, a longer one vector by vector, of which the last vector ends
// with the window.
static LLVMValueRef load_window(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef base, const struct kiln_ll_window *w,
                                unsigned align) {
  struct kiln_ll *ll = f->ll;
  unsigned lanes = f->form->lanes, n = kiln_type_lanes(type), bytes = kiln_type_bytes(type) / n;
  unsigned length = w->count < lanes ? w->count : lanes, vectors = (w->count + lanes - 1) / lanes;
  if (w->count * bytes == f->ll->lanes * 4)
    length = w->count, vectors = 1;
  LLVMTypeRef element = kiln_ll_type(ll, kiln_type_element(type));
  LLVMValueRef vector[KILN_COST_SHUFFLED] = {NULL};
  int list[MAX_COMPONENTS * KILN_LL_MAX_LANES];
  unsigned last = vectors > 1 ? w->count - lanes : 0;
  for (unsigned r = 0; r < vectors; r++) {
    unsigned from = r + 1 < vectors ? r * lanes : last;
    vector[r] = LLVMBuildLoad2(ll->b, LLVMVectorType(element, length),
                               kiln_ll_address_at(f->ll, base, w->first + (int64_t)from * bytes), "");
    LLVMSetAlignment(vector[r], align < bytes ? align : bytes);
  }
  if (vectors > 2) {
    for (unsigned i = 0; i < 2 * lanes; i++)
      list[i] = (int)i;
    vector[0] = kiln_ll_shuffle(f->ll, vector[0], vector[1], list, 2 * lanes);
    vector[1] = kiln_ll_shuffle(f->ll, vector[2], vectors > 3 ? vector[3] : NULL, list, 2 * lanes);
  }
  for (unsigned c = 0; c < n; c++)
    for (unsigned i = 0; i < lanes; i++) {
      unsigned j = w->at[i] + c, r = j / lanes < vectors ? j / lanes : vectors - 1;
      if (r + 1 == vectors && vectors > 1)
        j = r * lanes + j - last;
      list[element_of(f, i, c, n)] = (int)j;
    }
  return kiln_ll_shuffle(f->ll, vector[0], vectors > 1 ? vector[1] : NULL, list, n * lanes);
}

// Widens the window of one element per record to that of whole records.
static void widen_to_records(struct kiln_ll_window *w, struct kiln_ll_record record, unsigned lanes, unsigned bytes) {
  w->first -= record.offset;
  w->count = lanes * record.bytes / bytes;
  for (unsigned i = 0; i < lanes; i++)
    w->at[i] += record.offset / bytes;
}

// The address of the first record. The address that an earlier load in this block found for the same records serves
// again, so that LLVM finds what both loads have in common.
static LLVMValueRef record_address(struct kiln_ll_fn *f, kiln_value load, LLVMValueRef base) {
  const struct kiln_ll_form *s = f->form;
  struct kiln_affine from, to;
  int64_t distance;
  if (s->made->record_load && s->made->record_block == LLVMGetInsertBlock(f->ll->b)) {
    kiln_affine_of(f->fn, kiln_operands(f->fn, s->made->record_load)[0], 0, &from);
    kiln_affine_of(f->fn, kiln_operands(f->fn, load)[0], 0, &to);
    if (kiln_affine_distance(&from, &to, &distance) &&
        distance == (int64_t)s->plan[load]->record.offset - (int64_t)s->plan[s->made->record_load]->record.offset)
      return s->made->record_address;
  }
  s->made->record_load = load;
  s->made->record_block = LLVMGetInsertBlock(f->ll->b);
  return s->made->record_address = kiln_ll_address_at(f->ll, base, -(int64_t)s->plan[load]->record.offset);
}

// Loads whole records, and takes one element of each.
static LLVMValueRef load_records(struct kiln_ll_fn *f, kiln_value load, LLVMValueRef base, unsigned align) {
  struct kiln_ll_record record = f->form->plan[load]->record;
  kiln_type type = kiln_inst(f->fn, load)->type;
  unsigned room = record.bytes / kiln_type_bytes(type);
  LLVMTypeRef vector = LLVMVectorType(kiln_ll_type(f->ll, type), room * f->form->lanes);
  LLVMValueRef all = LLVMBuildLoad2(f->ll->b, vector, record_address(f, load, base), "");
  LLVMSetAlignment(all, align);
  return kiln_ll_component(f, kiln_ll_from_lanes(f, all, room, room), record.offset / kiln_type_bytes(type));
}

LLVMValueRef kiln_ll_load_strided(struct kiln_ll_fn *f, kiln_value load, LLVMValueRef base, unsigned align) {
  struct kiln_ll_window window;
  kiln_type type = kiln_inst(f->fn, load)->type;
  const int64_t *at = f->form->plan[load]->at;
  struct kiln_ll_record record = f->form->plan[load]->record;
  unsigned n = kiln_type_lanes(type), lanes = f->form->lanes;
  bool near = kiln_ll_find_window(at, lanes, kiln_type_bytes(type) / n, n, &window);
  if (near && record.bytes && lanes * record.bytes <= KILN_COST_SHUFFLED * lanes * kiln_type_bytes(type)) {
    if (kiln_ll_shuffles_by_chunks(f, kiln_type_bytes(type), record.bytes / kiln_type_bytes(type)))
      return load_records(f, load, base, align);
    widen_to_records(&window, record, lanes, kiln_type_bytes(type));
  }
  if (near && (window.count >= lanes || !(window.count & (window.count - 1))) && window.count > 1)
    return load_window(f, type, base, &window, align);
  return load_one_by_one(f, type, base, at, align);
}

static void store_one_by_one(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef value, LLVMValueRef base,
                             const int64_t *at, unsigned align) {
  struct kiln_ll *ll = f->ll;
  unsigned lanes = f->form->lanes, n = kiln_type_lanes(type);
  if (n > 1)
    value = LLVMBuildBitCast(ll->b, kiln_ll_to_lanes(f, value, n, n), LLVMVectorType(whole_type(f, type), lanes), "");
  for (unsigned i = 0; i < lanes; i++) {
    LLVMValueRef one = LLVMBuildExtractElement(ll->b, value, kiln_ll_i32(ll, i), "");
    LLVMSetAlignment(LLVMBuildStore(ll->b, one, kiln_ll_address_at(f->ll, base, at[i])), align);
  }
}

// Stores the window vector by vector, under a mask of the elements that are written.
static void store_window(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef value, LLVMValueRef base,
                         const struct kiln_ll_window *w, unsigned align) {
  struct kiln_ll *ll = f->ll;
  unsigned lanes = f->form->lanes, n = kiln_type_lanes(type), bytes = kiln_type_bytes(type) / n;
  int writer[KILN_COST_SHUFFLED * KILN_LL_MAX_LANES];
  for (unsigned j = 0; j < KILN_COST_SHUFFLED * lanes; j++)
    writer[j] = -1;
  for (unsigned i = 0; i < lanes; i++) // the last lane stays
    for (unsigned c = 0; c < n; c++)
      writer[w->at[i] + c] = (int)element_of(f, i, c, n);
  for (unsigned r = 0; r * lanes < w->count; r++) {
    LLVMValueRef mask[KILN_LL_MAX_LANES];
    unsigned written = 0;
    for (unsigned i = 0; i < lanes; i++) {
      mask[i] = kiln_ll_i1(ll, writer[r * lanes + i] >= 0);
      written += writer[r * lanes + i] >= 0;
    }
    if (written)
      kiln_ll_store_contiguous(f, kiln_ll_shuffle(f->ll, value, NULL, writer + r * lanes, lanes), 1, 1,
                               kiln_ll_address_at(f->ll, base, w->first + (int64_t)(r * lanes) * bytes),
                               align < bytes ? align : bytes, written < lanes ? LLVMConstVector(mask, lanes) : NULL,
                               false);
  }
}

void kiln_ll_store_strided(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef value, LLVMValueRef base,
                           const int64_t *at, unsigned align) {
  struct kiln_ll_window window;
  unsigned n = kiln_type_lanes(type), bytes = kiln_type_bytes(type) / n;
  if (f->ll->machine->cpu.has_avx512 && bytes >= 4 && kiln_ll_find_window(at, f->form->lanes, bytes, n, &window))
    store_window(f, type, value, base, &window, align);
  else
    store_one_by_one(f, type, value, base, at, align);
}
