// Local memory.
#include "tests/rocm/emulator/machine.h"

struct lds_operation {
  struct operation base;
  uint32_t bytes, part, unit;
  bool is_store, returns;
  enum atomic atomic;
};

static void *place(struct wave *wave, const struct operand *address, uint32_t lane, int32_t offset, uint32_t bytes) {
  return local_memory(wave, (uint32_t)vector_words(wave, address, 0, lane, 4) + (uint32_t)offset, bytes);
}

static void run_lds(struct wave *wave, const struct instruction *in) {
  const struct lds_operation *op = (const struct lds_operation *)in->operation;
  const struct operand *o = in->operands;
  for (uint32_t l = 0; l < wave->size; l++) {
    if (!is_active(wave, l))
      continue;
    void *memory = place(wave, &o[!op->is_store], l, in->mods.offset, op->bytes);
    if (!memory)
      return;
    if (op->is_store)
      store_lane(wave, &o[1], l, memory, op->bytes, op->part);
    else
      load_lane(wave, &o[0], l, memory, op->bytes, op->part);
  }
}

static void run_lds_pair(struct wave *wave, const struct instruction *in) {
  const struct lds_operation *op = (const struct lds_operation *)in->operation;
  const struct operand *o = in->operands;
  const int32_t offsets[2] = {in->mods.offset0, in->mods.offset1};
  for (uint32_t l = 0; l < wave->size; l++) {
    if (!is_active(wave, l))
      continue;
    char loaded[16];
    for (unsigned k = 0; k < 2; k++) {
      void *memory = place(wave, &o[!op->is_store], l, offsets[k] * (int32_t)op->unit, op->bytes);
      if (!memory)
        return;
      if (op->is_store)
        store_lane(wave, &o[1 + k], l, memory, op->bytes, PART_WHOLE);
      else
        memcpy(loaded + k * op->bytes, memory, op->bytes);
    }
    if (!op->is_store)
      load_lane(wave, &o[0], l, loaded, 2 * op->bytes, PART_WHOLE);
  }
}

static void run_lds_atomic(struct wave *wave, const struct instruction *in) {
  const struct lds_operation *op = (const struct lds_operation *)in->operation;
  const struct operand *o = in->operands + op->returns, *value = o + 1, *compare = o + 2;
  if (op->atomic == ATOMIC_CMPSWAP && !strncmp(op->base.name, "ds_cmpst_", 9)) { // before gfx11
    value = o + 2;
    compare = o + 1;
  }
  for (uint32_t l = 0; l < wave->size; l++) {
    if (!is_active(wave, l))
      continue;
    void *memory = place(wave, &o[0], l, in->mods.offset, op->bytes);
    if (!memory)
      return;
    uint64_t other = op->atomic == ATOMIC_CMPSWAP ? vector_words(wave, compare, 0, l, op->bytes) : 0;
    atomic_lane(wave, op->atomic, memory, l, value, other, op->returns ? in->operands : NULL, op->bytes);
  }
}

static const struct lds_operation lds_rows[] = {
#define LOAD(name, bytes, part)
#define STORE(name, bytes, part)
#define ATOMIC(name, bytes, atomic)
#define SCALAR_LOAD(name, bytes, part)
#define LDS_LOAD(name, bytes, part) {{#name, run_lds}, bytes, part, 0, false, true, ATOMIC_ADD},
#define LDS_STORE(name, bytes, part) {{#name, run_lds}, bytes, part, 0, true, false, ATOMIC_ADD},
#define LDS_PAIR(name, bytes, unit, is_store)                                                                          \
  {{#name, run_lds_pair}, bytes, PART_WHOLE, unit, is_store, !is_store, ATOMIC_ADD},
#define LDS_ATOMIC(name, suffix, bytes, atomic)                                                                        \
  {{#name "_" #suffix, run_lds_atomic}, bytes, PART_WHOLE, 0, true, false, atomic},                                    \
      {{#name "_rtn_" #suffix, run_lds_atomic}, bytes, PART_WHOLE, 0, true, true, atomic},
#include "tests/rocm/emulator/memory.def"
    {{NULL, NULL}}};
const struct table lds_table = {(const char *)lds_rows, sizeof *lds_rows};
