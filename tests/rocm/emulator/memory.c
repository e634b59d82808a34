// Global, flat and scratch memory, scalar loads, and the arithmetic of atomics. Every access is checked: global ones
// against the blocks that the device can reach, scratch and local ones against the sizes of the dispatch.
#include <math.h>

#include "tests/rocm/emulator/machine.h"

enum access { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC };

struct memory_operation {
  struct operation base;
  enum access access;
  uint32_t bytes, part;
  enum atomic atomic;
};

// ---- places

void *global_memory(struct wave *wave, uint64_t address, uint64_t size) {
  if (wave->group->reaches(wave->group->user, address, size))
    return (void *)(uintptr_t)address; // NOLINT: the device shares the host's addresses
  wave_fail(wave, "access to %llu bytes at %#llx, outside of memory", (unsigned long long)size,
            (unsigned long long)address);
  return NULL;
}

void *local_memory(struct wave *wave, uint64_t address, uint64_t size) {
  if (address + size <= wave->group->lds_bytes)
    return wave->group->lds + address;
  wave_fail(wave, "access to %llu bytes at %llu of %u bytes of local memory", (unsigned long long)size,
            (unsigned long long)address, wave->group->lds_bytes);
  return NULL;
}

static void *scratch_memory(struct wave *wave, uint32_t lane, uint64_t address, uint64_t size) {
  if (address + size <= wave->group->scratch_bytes)
    return wave->scratch + (size_t)lane * wave->group->scratch_bytes + address;
  wave_fail(wave, "access to %llu bytes at %llu of %u bytes of scratch", (unsigned long long)size,
            (unsigned long long)address, wave->group->scratch_bytes);
  return NULL;
}

// The operands of an access.
struct places {
  const struct operand *result, *address, *data, *base; // base: scalar; NULL: none
};

static void *flat_memory(struct wave *wave, uint32_t lane, uint64_t address, int32_t offset, uint64_t size) {
  uint32_t low = (uint32_t)address + (uint32_t)offset;
  if (address >> 32 == SHARED_APERTURE)
    return local_memory(wave, low, size);
  if (address >> 32 == PRIVATE_APERTURE)
    return scratch_memory(wave, lane, low, size);
  return global_memory(wave, address + (uint64_t)(int64_t)offset, size);
}

static void *lane_memory(struct wave *wave, const struct instruction *in, const struct places *at, uint32_t lane,
                         uint64_t size) {
  int32_t offset = in->mods.offset;
  uint64_t address;
  uint32_t scalar;
  bool has_base = at->base && at->base->kind == OPERAND_SGPR;
  switch (in->space) {
  case SPACE_GLOBAL:
  case SPACE_FLAT:
    address = vector_words(wave, at->address, 0, lane, has_base ? 4 : 8);
    if (has_base)
      address += read_scalar(wave, at->base, T_U64);
    if (in->space == SPACE_FLAT)
      return flat_memory(wave, lane, address, offset, size);
    return global_memory(wave, address + (uint64_t)(int64_t)offset, size);
  case SPACE_SCRATCH:
    scalar = has_base ? (uint32_t)read_scalar(wave, at->base, T_U32) : 0;
    if (at->address->kind == OPERAND_VGPR)
      scalar += (uint32_t)vector_words(wave, at->address, 0, lane, 4);
    return scratch_memory(wave, lane, scalar + (uint32_t)offset, size);
  case SPACE_BUFFER: // only of scratch: the scalar offset counts the bytes of all lanes
    scalar = (uint32_t)read_scalar(wave, at->base, T_U32) / wave->size;
    if (in->mods.offen)
      scalar += (uint32_t)vector_words(wave, at->address, 0, lane, 4);
    return scratch_memory(wave, lane, scalar + (uint32_t)offset, size);
  case SPACE_NONE:
    break;
  }
  wave_fail(wave, "an access to no kind of memory");
  return NULL;
}

// ---- registers

uint64_t vector_words(struct wave *wave, const struct operand *operand, uint32_t first, uint32_t lane, uint32_t bytes) {
  uint64_t low = vector_register(wave, operand, first)[lane];
  return bytes == 8 ? low | (uint64_t)vector_register(wave, operand, first + 1)[lane] << 32 : low;
}

void load_lane(struct wave *wave, const struct operand *destination, uint32_t lane, const void *from, uint32_t bytes,
               uint32_t part) {
  if (bytes >= 4) {
    for (uint32_t k = 0; k < bytes / 4; k++)
      memcpy(&vector_register(wave, destination, k)[lane], (const char *)from + 4 * (size_t)k, 4);
    return;
  }
  uint32_t value = 0, *to = &vector_register(wave, destination, 0)[lane];
  memcpy(&value, from, bytes);
  if (part & PART_SIGNED)
    value = bytes == 1 ? (uint32_t)(int32_t)(int8_t)value : (uint32_t)(int32_t)(int16_t)value;
  if (part & PART_LOW)
    *to = (*to & 0xffff0000) | (value & 65535);
  else if (part & PART_HIGH)
    *to = (*to & 65535) | value << 16;
  else
    *to = value;
}

void store_lane(struct wave *wave, const struct operand *source, uint32_t lane, void *to, uint32_t bytes,
                uint32_t part) {
  for (uint32_t k = 0; k < (bytes + 3) / 4; k++) {
    uint32_t value = vector_register(wave, source, k)[lane] >> (part & PART_HIGH ? 16 : 0);
    memcpy((char *)to + 4 * (size_t)k, &value, bytes < 4 ? bytes : 4);
  }
}

// ---- atomics

uint64_t atomic_result(enum atomic atomic, uint64_t old, uint64_t value, uint64_t compare, uint32_t bytes) {
  int64_t signed_old = bytes == 4 ? (int32_t)old : (int64_t)old;
  int64_t signed_value = bytes == 4 ? (int32_t)value : (int64_t)value;
  switch (atomic) {
  case ATOMIC_ADD:
    return old + value;
  case ATOMIC_SUB:
    return old - value;
  case ATOMIC_SMIN:
    return signed_old < signed_value ? old : value;
  case ATOMIC_UMIN:
    return old < value ? old : value;
  case ATOMIC_SMAX:
    return signed_old > signed_value ? old : value;
  case ATOMIC_UMAX:
    return old > value ? old : value;
  case ATOMIC_AND:
    return old & value;
  case ATOMIC_OR:
    return old | value;
  case ATOMIC_XOR:
    return old ^ value;
  case ATOMIC_INC: // wraps at the value
    return old >= value ? 0 : old + 1;
  case ATOMIC_DEC:
    return old == 0 || old > value ? value : old - 1;
  case ATOMIC_SWAP:
    return value;
  case ATOMIC_CMPSWAP:
    return old == compare ? value : old;
  case ATOMIC_ADD_F32:
    return put_F32(get_F32(old) + get_F32(value));
  case ATOMIC_ADD_F64:
    return put_F64(get_F64(old) + get_F64(value));
  case ATOMIC_MIN_F32:
    return put_F32((F32)minimum((double)get_F32(old), (double)get_F32(value)));
  case ATOMIC_MIN_F64:
    return put_F64(minimum(get_F64(old), get_F64(value)));
  case ATOMIC_MAX_F32:
    return put_F32((F32)maximum((double)get_F32(old), (double)get_F32(value)));
  case ATOMIC_MAX_F64:
    return put_F64(maximum(get_F64(old), get_F64(value)));
  case ATOMIC_PK_ADD_F16:
    return put_F16(get_F16(old) + get_F16(value)) | put_F16(get_F16(old >> 16) + get_F16(value >> 16)) << 16;
  }
  return old;
}

void atomic_lane(struct wave *wave, enum atomic atomic, void *memory, uint32_t lane, const struct operand *value,
                 uint64_t compare, const struct operand *result, uint32_t bytes) {
  if ((uintptr_t)memory % bytes) {
    wave_fail(wave, "an atomic operation on unaligned memory");
    return;
  }
  uint64_t old = 0, fresh;
  memcpy(&old, memory, bytes);
  fresh = atomic_result(atomic, old, vector_words(wave, value, 0, lane, bytes), compare, bytes);
  memcpy(memory, &fresh, bytes);
  if (result)
    load_lane(wave, result, lane, &old, bytes, PART_WHOLE);
}

// ---- instructions

static struct places find_places(const struct memory_operation *op, const struct instruction *in) {
  const struct operand *o = in->operands;
  if (in->space == SPACE_BUFFER)
    return (struct places){.result = o, .address = o + 1, .data = o, .base = o + 3};
  struct places at = {NULL};
  uint32_t k = 0;
  if (op->access == ACCESS_LOAD || (op->access == ACCESS_ATOMIC && in->mods.returns))
    at.result = &o[k++];
  at.address = &o[k++];
  if (op->access != ACCESS_LOAD)
    at.data = &o[k++];
  if (k < in->operand_count)
    at.base = &o[k];
  return at;
}

static void run_memory(struct wave *wave, const struct instruction *in) {
  const struct memory_operation *op = (const struct memory_operation *)in->operation;
  struct places at = find_places(op, in);
  for (uint32_t l = 0; l < wave->size; l++) {
    if (!is_active(wave, l))
      continue;
    void *memory = lane_memory(wave, in, &at, l, op->bytes);
    if (!memory)
      return;
    if (op->access == ACCESS_LOAD)
      load_lane(wave, at.result, l, memory, op->bytes, op->part);
    else if (op->access == ACCESS_STORE)
      store_lane(wave, at.data, l, memory, op->bytes, op->part);
    else {
      uint64_t compare = 0; // behind the value
      if (op->atomic == ATOMIC_CMPSWAP)
        compare = vector_words(wave, at.data, op->bytes / 4, l, op->bytes);
      atomic_lane(wave, op->atomic, memory, l, at.data, compare, at.result, op->bytes);
    }
  }
}

static void run_scalar_load(struct wave *wave, const struct instruction *in) {
  const struct memory_operation *op = (const struct memory_operation *)in->operation;
  uint64_t address = read_scalar(wave, &in->operands[1], T_U64) + (uint64_t)(int64_t)in->mods.offset;
  if (in->operand_count > 2)
    address += in->operands[2].kind == OPERAND_SGPR ? read_scalar(wave, &in->operands[2], T_U32)
                                                    : (uint64_t)(int64_t)(int32_t)in->operands[2].value;
  if (op->bytes >= 4)
    address &= ~UINT64_C(3);
  const char *memory = global_memory(wave, address, op->bytes);
  if (!memory)
    return;
  uint32_t words[16] = {0};
  memcpy(words, memory, op->bytes);
  if (op->part & PART_SIGNED)
    words[0] = op->bytes == 1 ? (uint32_t)(int32_t)(int8_t)words[0] : (uint32_t)(int32_t)(int16_t)words[0];
  for (uint32_t k = 0; k < (op->bytes + 3) / 4; k++) {
    struct operand word = in->operands[0];
    word.reg = (uint16_t)(word.reg + k);
    write_scalar(wave, &word, 32, words[k]);
  }
}

static const struct memory_operation memory_rows[] = {
#define LOAD(name, bytes, part) {{#name, run_memory}, ACCESS_LOAD, bytes, part, ATOMIC_ADD},
#define STORE(name, bytes, part) {{#name, run_memory}, ACCESS_STORE, bytes, part, ATOMIC_ADD},
#define ATOMIC(name, bytes, atomic) {{#name, run_memory}, ACCESS_ATOMIC, bytes, PART_WHOLE, atomic},
#define SCALAR_LOAD(name, bytes, part) {{#name, run_scalar_load}, ACCESS_LOAD, bytes, part, ATOMIC_ADD},
#define LDS_LOAD(name, bytes, part)
#define LDS_STORE(name, bytes, part)
#define LDS_PAIR(name, bytes, unit, is_store)
#define LDS_ATOMIC(name, suffix, bytes, atomic)
#include "tests/rocm/emulator/memory.def"
    {{NULL, NULL}}};
const struct table memory_table = {(const char *)memory_rows, sizeof *memory_rows};
