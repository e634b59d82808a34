// Operations between lanes, and those vector operations whose operands are not those of the others.
#include <math.h>

#include "tests/rocm/emulator/machine.h"

static void run_readlane(struct wave *wave, const struct instruction *in) {
  uint32_t lane = in->operand_count == 2 ? first_active(wave)
                                         : (uint32_t)read_scalar(wave, &in->operands[2], T_U32) & (wave->size - 1);
  write_scalar(wave, &in->operands[0], 32, read_raw(wave, &in->operands[1], T_U32, lane, 0));
}

// Whatever the mask of lanes says.
static void run_writelane(struct wave *wave, const struct instruction *in) {
  uint32_t lane = (uint32_t)read_scalar(wave, &in->operands[2], T_U32) & (wave->size - 1);
  vector_register(wave, &in->operands[0], 0)[lane] = (uint32_t)read_scalar(wave, &in->operands[1], T_U32);
}

// In rows of 16, or from the other row of a pair: each lane names its source in four bits of two scalars.
static void permlane(struct wave *wave, const struct instruction *in, uint32_t other_row) {
  uint64_t places = read_scalar(wave, &in->operands[2], T_U32) | read_scalar(wave, &in->operands[3], T_U32) << 32;
  bool fetch_inactive = in->mods.op_sel & 1, bound_ctrl = in->mods.op_sel >> 1 & 1;
  uint32_t *to = vector_register(wave, &in->operands[0], 0), from[LANES];
  memcpy(from, vector_register(wave, &in->operands[1], 0), sizeof from);
  for (uint32_t l = 0; l < wave->size; l++) {
    uint32_t source = ((l & ~15u) ^ other_row) | (places >> (4 * (l & 15)) & 15);
    if (!is_active(wave, l))
      continue;
    if (is_active(wave, source) || fetch_inactive)
      to[l] = from[source];
    else if (bound_ctrl)
      to[l] = 0;
  }
}
static void run_permlane16(struct wave *wave, const struct instruction *in) { permlane(wave, in, 0); }
static void run_permlanex16(struct wave *wave, const struct instruction *in) { permlane(wave, in, 16); }

static void run_permlane64(struct wave *wave, const struct instruction *in) {
  uint32_t *to = vector_register(wave, &in->operands[0], 0), from[LANES];
  memcpy(from, vector_register(wave, &in->operands[1], 0), sizeof from);
  for (uint32_t l = 0; l < wave->size && wave->size == 64; l++)
    if (is_active(wave, l))
      to[l] = from[l ^ 32];
}

static void run_swap(struct wave *wave, const struct instruction *in) {
  uint32_t *a = vector_register(wave, &in->operands[0], 0), *b = vector_register(wave, &in->operands[1], 0);
  for (uint32_t l = 0; l < wave->size; l++)
    if (is_active(wave, l)) {
      uint32_t value = a[l];
      a[l] = b[l];
      b[l] = value;
    }
}

// v_movrels and v_movreld: registers whose numbers are relative to M0.
static void move_relative(struct wave *wave, const struct instruction *in, bool source, bool destination) {
  uint32_t *to = vector_register(wave, &in->operands[0], destination ? wave->m0 : 0);
  for (uint32_t l = 0; l < wave->size; l++)
    if (is_active(wave, l))
      to[l] = (uint32_t)read_raw(wave, &in->operands[1], T_U32, l, source ? wave->m0 : 0);
}
static void run_movrels(struct wave *wave, const struct instruction *in) { move_relative(wave, in, true, false); }
static void run_movreld(struct wave *wave, const struct instruction *in) { move_relative(wave, in, false, true); }
static void run_movrelsd(struct wave *wave, const struct instruction *in) { move_relative(wave, in, true, true); }

// ---- through the local memory's crossbar

// Beyond gfx9 the halves of a wave of 64 do not see each other.
static uint32_t crossbar_lane(const struct wave *wave, uint32_t address, uint32_t lane) {
  uint32_t place = address / 4 & (wave->size - 1);
  return wave->group->generation >= 10 && wave->size == 64 ? (lane & 32) | (place & 31) : place;
}

static void run_bpermute(struct wave *wave, const struct instruction *in) {
  uint32_t *to = vector_register(wave, &in->operands[0], 0), result[LANES] = {0};
  const uint32_t *address = vector_register(wave, &in->operands[1], 0);
  const uint32_t *from = vector_register(wave, &in->operands[2], 0);
  for (uint32_t l = 0; l < wave->size; l++) {
    uint32_t source = crossbar_lane(wave, address[l] + (uint32_t)in->mods.offset, l);
    result[l] = is_active(wave, source) ? from[source] : 0;
  }
  for (uint32_t l = 0; l < wave->size; l++)
    if (is_active(wave, l))
      to[l] = result[l];
}

static void run_permute(struct wave *wave, const struct instruction *in) {
  uint32_t *to = vector_register(wave, &in->operands[0], 0), result[LANES] = {0};
  const uint32_t *address = vector_register(wave, &in->operands[1], 0);
  const uint32_t *from = vector_register(wave, &in->operands[2], 0);
  for (uint32_t l = 0; l < wave->size; l++)
    if (is_active(wave, l))
      result[crossbar_lane(wave, address[l] + (uint32_t)in->mods.offset, l)] = from[l];
  for (uint32_t l = 0; l < wave->size; l++)
    if (is_active(wave, l))
      to[l] = result[l];
}

static void run_swizzle(struct wave *wave, const struct instruction *in) {
  uint32_t *to = vector_register(wave, &in->operands[0], 0), from[LANES], pattern = (uint32_t)in->mods.offset;
  memcpy(from, vector_register(wave, &in->operands[1], 0), sizeof from);
  for (uint32_t l = 0; l < wave->size; l++) {
    uint32_t source;
    if (pattern & 0x8000) // within four lanes
      source = (l & ~3u) + (pattern >> (2 * (l & 3)) & 3);
    else // the number within 32 lanes through and, or, exclusive or
      source = (((l & pattern & 31) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31)) | (l & 32);
    if (is_active(wave, l))
      to[l] = is_active(wave, source) ? from[source] : 0;
  }
}

// ---- with sources of two widths

// op_sel_hi says that a source is a half, op_sel then which one.
static double mix_source(const struct wave *wave, const struct instruction *in, uint32_t source, uint32_t lane) {
  const struct operand *o = &in->operands[source + 1];
  bool is_half = in->mods.op_sel_hi > 0 && in->mods.op_sel_hi >> source & 1;
  double value;
  if (is_half) {
    uint64_t bits = read_raw(wave, o, T_F16, lane, 0);
    value = get_F16(o->kind <= OPERAND_AGPR && in->mods.op_sel >> source & 1 ? bits >> 16 : bits);
  } else {
    F32 single = get_F32(read_raw(wave, o, T_F32, lane, 0));
    value = (double)(wave->mode >> 4 & 1 ? single : flush_f32(single));
  }
  value = o->absolute ? fabs(value) : value;
  return o->negate ? -value : value;
}

static void run_mix(struct wave *wave, const struct instruction *in) {
  const char *name = in->operation->name;
  uint32_t *to = vector_register(wave, &in->operands[0], 0);
  for (uint32_t l = 0; l < wave->size; l++) {
    if (!is_active(wave, l))
      continue;
    F32 sum = fmaf((F32)mix_source(wave, in, 0, l), (F32)mix_source(wave, in, 1, l), (F32)mix_source(wave, in, 2, l));
    uint32_t single = (uint32_t)finish(wave, in, T_F32, put_F32(sum));
    uint32_t half = round_to_half((double)get_F32(single));
    if (!strcmp(name, "v_fma_mixlo_f16"))
      to[l] = (to[l] & 0xffff0000) | half;
    else if (!strcmp(name, "v_fma_mixhi_f16"))
      to[l] = (to[l] & 65535) | half << 16;
    else
      to[l] = single;
  }
}

// The low word is one of the first source's, the high word one of the second's.
static void run_pk_mov(struct wave *wave, const struct instruction *in) {
  for (uint32_t l = 0; l < wave->size; l++) {
    uint64_t words[2];
    for (uint32_t s = 0; s < 2; s++)
      words[s] = read_raw(wave, &in->operands[s + 1], T_U64, l, 0) >> (in->mods.op_sel >> s & 1 ? 32 : 0) & UINT32_MAX;
    if (is_active(wave, l))
      write_lane(wave, in, T_B64, 2, l, words[0] | words[1] << 32);
  }
}

static const struct operation lanes_rows[] = {
    {"v_readfirstlane_b32", run_readlane},
    {"v_readlane_b32", run_readlane},
    {"v_writelane_b32", run_writelane},
    {"v_permlane16_b32", run_permlane16},
    {"v_permlanex16_b32", run_permlanex16},
    {"v_permlane64_b32", run_permlane64},
    {"v_swap_b32", run_swap},
    {"v_movrels_b32", run_movrels},
    {"v_movreld_b32", run_movreld},
    {"v_movrelsd_b32", run_movrelsd},
    {"ds_bpermute_b32", run_bpermute},
    {"ds_permute_b32", run_permute},
    {"ds_swizzle_b32", run_swizzle},
    {"v_fma_mix_f32", run_mix},
    {"v_fma_mixlo_f16", run_mix},
    {"v_fma_mixhi_f16", run_mix},
    {"v_pk_mov_b32", run_pk_mov},
    {NULL, NULL},
};
const struct table lanes_table = {(const char *)lanes_rows, sizeof *lanes_rows};
