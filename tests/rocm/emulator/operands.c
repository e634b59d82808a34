// Reading and writing of registers, with what instructions may do to operands on the way: modifiers, selections of
// parts (SDWA, op_sel), lanes of others (DPP), indexing, flushing of denormals.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "tests/rocm/emulator/machine.h"

void wave_fail(struct wave *wave, const char *format, ...) {
  wave->state = WAVE_FAILED;
  if (wave->group->error[0])
    return;
  va_list args;
  va_start(args, format);
  vsnprintf(wave->group->error, sizeof wave->group->error, format, args);
  va_end(args);
}

void run_nothing(struct wave *wave, const struct instruction *in) { (void)wave, (void)in; }

// ---- scalars

uint32_t read_sgpr(const struct wave *wave, uint32_t reg) {
  switch (reg) {
  case EXEC:
    return (uint32_t)wave->exec;
  case EXEC + 1:
    return (uint32_t)(wave->exec >> 32);
  case M0:
    return wave->m0;
  default:
    return wave->sgpr[reg];
  }
}

void write_sgpr(struct wave *wave, uint32_t reg, uint32_t value) {
  switch (reg) {
  case EXEC:
    write_exec(wave, (wave->exec & ~UINT64_C(0xffffffff)) | value);
    return;
  case EXEC + 1:
    write_exec(wave, (uint32_t)wave->exec | (uint64_t)value << 32);
    return;
  case M0:
    wave->m0 = value;
    return;
  default:
    wave->sgpr[reg] = value;
  }
}

static uint64_t read_pair(const struct wave *wave, uint32_t reg) {
  return read_sgpr(wave, reg) | (uint64_t)read_sgpr(wave, reg + 1) << 32;
}

void write_exec(struct wave *wave, uint64_t mask) { wave->exec = wave->size == 64 ? mask : (uint32_t)mask; }

uint64_t read_vcc(const struct wave *wave) { return wave->size == 64 ? read_pair(wave, VCC) : wave->sgpr[VCC]; }

static uint64_t float_constant(const struct operand *operand, unsigned bits) {
  if (operand->kind == OPERAND_INV_TAU)
    return bits == 16 ? 0x3118 : bits == 32 ? 0x3e22f983 : UINT64_C(0x3fc45f306dc9c882);
  double value = (double)get_F32(operand->value);
  return bits == 16 ? round_to_half(value) : bits == 32 ? operand->value : put_F64(value);
}

// An operand that is no register.
static uint64_t read_constant(const struct wave *wave, const struct operand *operand, enum type type) {
  unsigned bits = type_bits(type);
  switch (operand->kind) {
  case OPERAND_INTEGER:
    return bits == 64 ? (uint64_t)(int64_t)(int32_t)operand->value : operand->value;
  case OPERAND_LITERAL: // of a double: its upper half
    if (type == T_F64)
      return (uint64_t)operand->value << 32;
    return type == T_I64 ? (uint64_t)(int64_t)(int32_t)operand->value : operand->value;
  case OPERAND_FLOAT:
  case OPERAND_INV_TAU:
    return float_constant(operand, bits);
  case OPERAND_SHARED_BASE:
    return bits == 64 ? (uint64_t)SHARED_APERTURE << 32 : SHARED_APERTURE;
  case OPERAND_PRIVATE_BASE:
    return bits == 64 ? (uint64_t)PRIVATE_APERTURE << 32 : PRIVATE_APERTURE;
  case OPERAND_SCC:
    return wave->scc;
  case OPERAND_VCCZ:
    return !read_vcc(wave);
  case OPERAND_EXECZ:
    return !wave->exec;
  case OPERAND_OFF:
  case OPERAND_SGPR:
  case OPERAND_VGPR:
  case OPERAND_AGPR:
  case OPERAND_NULL:
  case OPERAND_HARDWARE:
    break;
  }
  return 0;
}

uint64_t read_scalar(const struct wave *wave, const struct operand *operand, enum type type) {
  unsigned bits = type_bits(type);
  uint64_t value;
  if (operand->kind == OPERAND_SGPR)
    value = bits == 64 ? read_pair(wave, operand->reg) : read_sgpr(wave, operand->reg);
  else if (operand->kind == OPERAND_VGPR) // v_readlane and the like
    value = wave->vgpr[operand->reg][first_active(wave)];
  else
    value = read_constant(wave, operand, type);
  uint64_t sign = UINT64_C(1) << (bits - 1);
  return (operand->absolute ? value & ~sign : value) ^ (operand->negate ? sign : 0);
}

void write_scalar(struct wave *wave, const struct operand *operand, unsigned bits, uint64_t value) {
  if (operand->kind == OPERAND_NULL)
    return;
  if (operand->kind != OPERAND_SGPR) {
    wave_fail(wave, "the destination is no scalar register");
    return;
  }
  write_sgpr(wave, operand->reg, (uint32_t)value);
  if (bits == 64)
    write_sgpr(wave, operand->reg + 1, (uint32_t)(value >> 32));
}

uint64_t read_mask(const struct wave *wave, const struct operand *operand) {
  return read_scalar(wave, operand, wave->size == 64 ? T_U64 : T_U32);
}
void write_mask(struct wave *wave, const struct operand *operand, uint64_t mask) {
  write_scalar(wave, operand, wave->size, mask);
}

// ---- vectors

uint32_t *vector_register(struct wave *wave, const struct operand *operand, uint32_t word) {
  uint32_t reg = operand->reg + word;
  if ((operand->kind != OPERAND_VGPR && operand->kind != OPERAND_AGPR) || reg >= VGPRS) {
    wave_fail(wave, "an operand is no vector register");
    reg = 0;
  }
  return operand->kind == OPERAND_AGPR ? wave->agpr[reg] : wave->vgpr[reg];
}

uint64_t read_raw(const struct wave *wave, const struct operand *operand, enum type type, uint32_t lane,
                  uint32_t index) {
  if (operand->kind == OPERAND_VGPR || operand->kind == OPERAND_AGPR) {
    uint32_t reg = (operand->reg + index) % VGPRS;
    uint32_t(*file)[LANES] = operand->kind == OPERAND_VGPR ? wave->vgpr : wave->agpr;
    return type_bits(type) == 64 ? file[reg][lane] | (uint64_t)file[(reg + 1) % VGPRS][lane] << 32 : file[reg][lane];
  }
  if (operand->kind == OPERAND_SGPR)
    return type_bits(type) == 64 ? read_pair(wave, operand->reg) : read_sgpr(wave, operand->reg);
  return read_constant(wave, operand, type);
}

// The lane that DPP reads in place of lane; -1: one that is not there.
static int dpp_lane(const struct wave *wave, const struct modifiers *mods, int lane) {
  int row = lane & ~15, place = lane & 15, by = mods->dpp_argument, size = (int)wave->size;
  switch ((enum dpp)mods->dpp) {
  case DPP_NONE:
    return lane;
  case DPP_QUAD_PERM:
    return (lane & ~3) + mods->lanes[lane & 3];
  case DPP_ROW_SHL:
    return place + by > 15 ? -1 : lane + by;
  case DPP_ROW_SHR:
    return place < by ? -1 : lane - by;
  case DPP_ROW_ROR:
    return row + ((place - by) & 15);
  case DPP_WAVE_SHL:
    return lane + 1 < size ? lane + 1 : -1;
  case DPP_WAVE_ROL:
    return (lane + 1) % size;
  case DPP_WAVE_SHR:
    return lane - 1;
  case DPP_WAVE_ROR:
    return (lane + size - 1) % size;
  case DPP_ROW_MIRROR:
    return row + 15 - place;
  case DPP_ROW_HALF_MIRROR:
    return row + ((place & 8) | (7 - (place & 7)));
  case DPP_ROW_BCAST: // the last lane of the row before, or lane 31
    return by == 15 ? row - 1 : lane < 32 ? -1 : 31;
  case DPP_ROW_SHARE:
    return row + by;
  case DPP_ROW_XMASK:
    return row + (place ^ by);
  case DPP_8:
    return (lane & ~7) + mods->lanes[lane & 7];
  }
  return -1;
}

static bool read_dpp(const struct wave *wave, const struct instruction *in, const struct operand *operand,
                     enum type type, uint32_t lane, uint64_t *value) {
  const struct modifiers *mods = &in->mods;
  if (!(mods->row_mask >> (lane / 16) & 1) || !(mods->bank_mask >> (lane % 16 / 4) & 1))
    return false;
  int from = dpp_lane(wave, mods, (int)lane);
  if (from >= 0 && (is_active(wave, (uint32_t)from) || mods->fetch_inactive)) {
    *value = read_raw(wave, operand, type, (uint32_t)from, 0);
    return true;
  }
  *value = 0;
  return mods->bound_ctrl;
}

static uint32_t select_part(uint32_t value, int32_t select, bool sign_extend) {
  if (select == SELECT_DWORD)
    return value;
  if (select < SELECT_WORD_0) {
    uint32_t byte = value >> (8 * select) & 255;
    return sign_extend ? (uint32_t)(int32_t)(int8_t)byte : byte;
  }
  uint32_t word = select == SELECT_WORD_0 ? value & 65535 : value >> 16;
  return sign_extend ? (uint32_t)(int32_t)(int16_t)word : word;
}

static bool flushes_inputs(const struct wave *wave) { return !(wave->mode >> 4 & 1); }
static bool flushes_outputs(const struct wave *wave) { return !(wave->mode >> 5 & 1); }

bool read_source(struct wave *wave, const struct instruction *in, uint32_t number, uint32_t source, enum type type,
                 uint32_t lane, uint64_t *value) {
  const struct operand *operand = &in->operands[number];
  bool is_vector = operand->kind == OPERAND_VGPR;
  if (in->mods.dpp && source == 0 && is_vector) {
    if (!read_dpp(wave, in, operand, type, lane, value))
      return false;
  } else {
    bool indexed = wave->indexing.on && is_vector && wave->indexing.mode >> source & 1;
    *value = read_raw(wave, operand, type, lane, indexed ? wave->indexing.index : 0);
  }
  if (in->mods.sdwa && source < 2)
    *value = select_part((uint32_t)*value, source ? in->mods.src1_sel : in->mods.src0_sel, operand->sign_extend);
  else if (type_bits(type) == 16 && operand->kind <= OPERAND_AGPR)
    *value = (operand->high || in->mods.op_sel >> source & 1 ? *value >> 16 : *value) & 65535;
  uint64_t sign = UINT64_C(1) << (type_bits(type) - 1);
  if ((operand->absolute || operand->negate) && !takes_float_modifiers(type)) {
    wave_fail(wave, "a float modifier on an integer");
    return false;
  }
  *value = (operand->absolute ? *value & ~sign : *value) ^ (operand->negate ? sign : 0);
  if (type == T_F32 && flushes_inputs(wave))
    *value = put_F32(flush_f32(get_F32(*value)));
  return true;
}

static double output_modifiers(const struct modifiers *mods, double value) {
  if (mods->multiply)
    value *= mods->multiply;
  if (mods->divide)
    value /= mods->divide;
  if (mods->clamp) // of a NaN: 0
    value = value > 1 ? 1 : value > 0 ? value : 0;
  return value;
}

uint64_t finish(const struct wave *wave, const struct instruction *in, enum type type, uint64_t value) {
  const struct modifiers *mods = &in->mods;
  bool modified = mods->multiply || mods->divide || mods->clamp;
  if (type == T_F32) {
    F32 result = get_F32(value);
    if (modified)
      result = (float)output_modifiers(mods, (double)result);
    return put_F32(flushes_outputs(wave) ? flush_f32(result) : result);
  }
  if (type == T_F64 && modified)
    return put_F64(output_modifiers(mods, get_F64(value)));
  if (type == T_F16 && modified)
    return put_F16(output_modifiers(mods, get_F16(value)));
  return value;
}

static uint32_t sdwa_result(const struct modifiers *mods, uint32_t old, uint32_t value) {
  if (mods->dst_sel == SELECT_DWORD)
    return value;
  bool is_byte = mods->dst_sel < SELECT_WORD_0;
  uint32_t shift = is_byte ? 8 * (uint32_t)mods->dst_sel : mods->dst_sel == SELECT_WORD_1 ? 16 : 0;
  uint32_t mask = is_byte ? 255 : 65535;
  if (mods->dst_unused == UNUSED_SEXT)
    return (is_byte ? (uint32_t)(int32_t)(int8_t)value : (uint32_t)(int32_t)(int16_t)value) << shift;
  return (mods->dst_unused == UNUSED_PRESERVE ? old & ~(mask << shift) : 0) | (value & mask) << shift;
}

void write_lane(struct wave *wave, const struct instruction *in, enum type type, uint32_t sources, uint32_t lane,
                uint64_t value) {
  const struct operand *operand = &in->operands[0];
  bool indexed = wave->indexing.on && wave->indexing.mode & INDEXES_DESTINATION;
  uint32_t *to = vector_register(wave, operand, indexed ? wave->indexing.index : 0) + lane;
  if (wave->state == WAVE_FAILED)
    return;
  if (in->mods.sdwa)
    *to = sdwa_result(&in->mods, *to, (uint32_t)value);
  else if (type_bits(type) == 64) {
    *to = (uint32_t)value;
    to[LANES] = (uint32_t)(value >> 32);
  } else if (type_bits(type) == 32)
    *to = (uint32_t)value;
  else if (operand->high || in->mods.op_sel >> sources & 1)
    *to = (*to & 65535) | (uint32_t)value << 16;
  else // since gfx10 the other half is kept
    *to = (wave->group->generation < 10 ? 0 : *to & 0xffff0000) | (uint32_t)(value & 65535);
}
