// Runs a dispatch: sets up the registers of each wave as the kernel descriptor asks, and runs the waves of a group in
// turn until all have ended.
#include <stdio.h>
#include <stdlib.h>

#include "tests/rocm/emulator/code.h"

enum {
  TURN = 5000,                 // instructions of a wave before the next one's turn
  UNDEFINED = 0xa5,            // what registers and memory hold that nothing has set
  PROPERTY_PRIVATE_BUFFER = 1, // the kernel descriptor's code properties
  PROPERTY_DISPATCH_PACKET = 2,
  PROPERTY_QUEUE = 4,
  PROPERTY_KERNARG = 8,
  PROPERTY_DISPATCH_ID = 16,
  PROPERTY_FLAT_SCRATCH = 32,
  PROPERTY_PRIVATE_SIZE = 64,
  PROPERTY_WAVE32 = 1 << 10,
};
static const uint64_t max_instructions = UINT64_C(2000000000); // of a dispatch

struct machine {
  struct emulated *object;
  const struct kiln_rocm_kernel *kernel;
  const struct emulated_launch *launch;
  struct group group;
  struct wave *waves;
  uint32_t wave_size, wave_count; // waves of a whole group
  uint32_t id[3], size[3];        // of the group that runs; size: less at the end of the grid
  uint64_t instructions;
};

static bool reaches(void *user, uint64_t address, uint64_t size) {
  const struct machine *m = user;
  uint64_t base = (uint64_t)(uintptr_t)m->object->base, packet = (uint64_t)(uintptr_t)m->launch->packet;
  if (address >= base && address - base <= m->object->size && size <= m->object->size - (address - base))
    return true;
  return (address >= packet && address + size <= packet + 64) || m->launch->reaches(m->launch->user, address, size);
}

// ---- registers at the start

struct filler { // of scalar registers, in order
  struct wave *wave;
  uint32_t next;
};
static void put_word(struct filler *to, uint32_t value) { to->wave->sgpr[to->next++] = value; }
static void put_address(struct filler *to, const void *address) {
  put_word(to, (uint32_t)(uintptr_t)address);
  put_word(to, (uint32_t)((uint64_t)(uintptr_t)address >> 32));
}

// Kernel arguments that the processor loads ahead. Returns how many words there are.
static uint32_t preload(const struct machine *m, struct filler *to) {
  uint16_t field;
  memcpy(&field, m->object->base + m->kernel->descriptor + 58, sizeof field);
  uint32_t count = field & 127, offset = field >> 7;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t word;
    memcpy(&word, (const char *)m->launch->kernarg + 4 * (size_t)(offset + i), sizeof word);
    put_word(to, word);
  }
  return count;
}

// Returns how many words of arguments were loaded ahead.
static uint32_t set_scalars(const struct machine *m, struct wave *wave) {
  struct filler to = {wave, 0};
  unsigned properties = m->kernel->properties;
  if (properties & PROPERTY_PRIVATE_BUFFER) { // what buffer instructions say beside it is enough here
    put_address(&to, NULL);
    put_address(&to, NULL);
  }
  if (properties & PROPERTY_DISPATCH_PACKET)
    put_address(&to, m->launch->packet);
  if (properties & PROPERTY_QUEUE)
    put_address(&to, NULL);
  if (properties & PROPERTY_KERNARG)
    put_address(&to, m->launch->kernarg);
  if (properties & PROPERTY_DISPATCH_ID)
    put_address(&to, NULL);
  if (properties & PROPERTY_FLAT_SCRATCH)
    put_address(&to, NULL);
  if (properties & PROPERTY_PRIVATE_SIZE)
    put_word(&to, m->launch->private_bytes);
  uint32_t preloaded = preload(m, &to), user_registers = m->kernel->rsrc2 >> 1 & 31;
  if (to.next < user_registers)
    to.next = user_registers;
  if (m->object->generation >= 12) {
    wave->sgpr[TTMP + 9] = m->id[0];
    wave->sgpr[TTMP + 7] = (m->id[1] & 65535) | m->id[2] << 16;
    return preloaded;
  }
  for (int d = 0; d < 3; d++)
    if (m->kernel->rsrc2 >> (7 + d) & 1)
      put_word(&to, m->id[d]);
  if (m->kernel->rsrc2 >> 10 & 1)
    put_word(&to, 0);
  if (m->kernel->rsrc2 & 1) // where the wave's scratch begins
    put_word(&to, 0);
  return preloaded;
}

static void set_ids(const struct machine *m, struct wave *wave, uint32_t first, uint32_t count) {
  uint32_t dimensions = (m->kernel->rsrc2 >> 11 & 3) + 1;
  for (uint32_t l = 0; l < count; l++) {
    uint32_t item = first + l;
    uint32_t id[3] = {item % m->size[0], item / m->size[0] % m->size[1], item / (m->size[0] * m->size[1])};
    for (uint32_t d = 0; d < dimensions && d < 3; d++)
      if (!m->object->packs_ids)
        wave->vgpr[d][l] = id[d];
      else
        wave->vgpr[0][l] = (d ? wave->vgpr[0][l] : 0) | id[d] << (10 * d);
  }
}

static void start_wave(struct machine *m, uint32_t number, uint32_t items) {
  struct wave *wave = &m->waves[number];
  uint32_t first = number * m->wave_size, count = items - first < m->wave_size ? items - first : m->wave_size;
  struct wave fresh = {.group = &m->group,
                       .vgpr = wave->vgpr,
                       .agpr = wave->agpr,
                       .scratch = wave->scratch,
                       .size = m->wave_size,
                       .mode = m->kernel->rsrc1 >> 12 & 255};
  *wave = fresh;
  memset(wave->sgpr, UNDEFINED, sizeof wave->sgpr);
  memset(&wave->m0, UNDEFINED, sizeof wave->m0);
  memset(wave->vgpr, UNDEFINED, sizeof *wave->vgpr * VGPRS);
  memset(wave->agpr, UNDEFINED, sizeof *wave->agpr * VGPRS);
  write_exec(wave, count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1);
  uint32_t preloaded = set_scalars(m, wave);
  set_ids(m, wave, first, count);
  wave->pc = (uint64_t)(uintptr_t)m->object->base + m->kernel->descriptor + (uint64_t)m->kernel->entry_offset;
  if (preloaded) // behind the code that loads them where the firmware does not
    wave->pc += 256;
}

// ---- running

static void locate(struct machine *m, const struct wave *wave, uint64_t pc, const struct instruction *in) {
  size_t used = strlen(m->group.error);
  snprintf(m->group.error + used, sizeof m->group.error - used, " (%s+%#llx%s%s, group %u,%u,%u, wave %u)",
           m->kernel->name, (unsigned long long)(pc - (uint64_t)(uintptr_t)m->object->base - m->kernel->descriptor),
           in ? ": " : "", in ? in->text : "", m->id[0], m->id[1], m->id[2], (unsigned)(wave - m->waves));
}

// Runs a wave until it stops or its turn is over.
static void take_turn(struct machine *m, struct wave *wave) {
  for (int i = 0; i < TURN && wave->state == WAVE_RUNS; i++, m->instructions++) {
    uint64_t pc = wave->pc;
    const struct instruction *in = fetch(m->object, wave);
    if (in) {
      wave->pc += in->bytes;
      in->operation->run(wave, in);
    }
    if (wave->state == WAVE_FAILED)
      locate(m, wave, pc, in);
  }
  if (m->instructions > max_instructions && wave->state == WAVE_RUNS) {
    wave_fail(wave, "more than %llu instructions", (unsigned long long)max_instructions);
    locate(m, wave, wave->pc, NULL);
  }
}

static bool run_group(struct machine *m) {
  uint32_t items = m->size[0] * m->size[1] * m->size[2], count = (items + m->wave_size - 1) / m->wave_size;
  memset(m->group.lds, UNDEFINED, m->group.lds_bytes);
  memset(m->waves[0].scratch, UNDEFINED, (size_t)m->group.scratch_bytes * m->wave_size * m->wave_count);
  for (uint32_t i = 0; i < count; i++)
    start_wave(m, i, items);
  for (;;) {
    uint32_t ended = 0, waiting = 0;
    for (uint32_t i = 0; i < count; i++) {
      take_turn(m, &m->waves[i]);
      if (m->waves[i].state == WAVE_FAILED)
        return false;
      ended += m->waves[i].state == WAVE_ENDED;
      waiting += m->waves[i].state == WAVE_AT_BARRIER;
    }
    if (ended == count)
      return true;
    if (ended + waiting == count) // waves that have ended count as arrived
      for (uint32_t i = 0; i < count; i++)
        if (m->waves[i].state == WAVE_AT_BARRIER)
          m->waves[i].state = WAVE_RUNS;
  }
}

static bool run_groups(struct machine *m) {
  const struct emulated_launch *launch = m->launch;
  uint32_t groups[3];
  for (int d = 0; d < 3; d++)
    groups[d] = (launch->grid[d] + launch->group[d] - 1) / launch->group[d];
  for (m->id[2] = 0; m->id[2] < groups[2]; m->id[2]++)
    for (m->id[1] = 0; m->id[1] < groups[1]; m->id[1]++)
      for (m->id[0] = 0; m->id[0] < groups[0]; m->id[0]++) {
        for (int d = 0; d < 3; d++) {
          uint32_t rest = launch->grid[d] - m->id[d] * launch->group[d];
          m->size[d] = rest < launch->group[d] ? rest : launch->group[d];
        }
        if (!run_group(m))
          return false;
      }
  return true;
}

bool emulated_run(struct emulated *object, const struct kiln_rocm_kernel *kernel, const struct emulated_launch *launch,
                  char *error, size_t error_size) {
  struct machine m = {.object = object, .kernel = kernel, .launch = launch};
  m.wave_size = object->generation >= 10 && kernel->properties & PROPERTY_WAVE32 ? 32 : 64;
  m.wave_count = (launch->group[0] * launch->group[1] * launch->group[2] + m.wave_size - 1) / m.wave_size;
  m.group = (struct group){.generation = object->generation,
                           .lds_bytes = launch->local_bytes,
                           .scratch_bytes = (launch->private_bytes + 15) & ~15u,
                           .reaches = reaches,
                           .user = &m};
  size_t file = sizeof(uint32_t) * VGPRS * LANES, scratch = (size_t)m.group.scratch_bytes * m.wave_size;
  char *registers = malloc(2 * file * m.wave_count), *memory = malloc(scratch * m.wave_count + 1);
  m.group.lds = malloc((size_t)launch->local_bytes + 1);
  m.waves = calloc(m.wave_count, sizeof *m.waves);
  bool good = registers && memory && m.group.lds && m.waves;
  if (!good)
    snprintf(m.group.error, sizeof m.group.error, "no memory for %u waves", m.wave_count);
  for (uint32_t i = 0; good && i < m.wave_count; i++) {
    m.waves[i].vgpr = (uint32_t(*)[LANES])(void *)(registers + 2 * file * i);
    m.waves[i].agpr = (uint32_t(*)[LANES])(void *)(registers + 2 * file * i + file);
    m.waves[i].scratch = memory + scratch * i;
  }
  good = good && run_groups(&m);
  if (!good)
    snprintf(error, error_size, "%s", m.group.error);
  free(m.waves);
  free(m.group.lds);
  free(memory);
  free(registers);
  return good;
}
