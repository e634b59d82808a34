// Runs single instructions on one wave and compares registers and memory with what is expected.
//
//   emulator_check FILE
//
// A line of the file is
//   PROCESSOR/LANES ; INSTRUCTION ; BEFORE ; AFTER
// with the text as LLVM prints it, and assignments NAME=VALUE: before for registers and memory, after for what is
// expected of them. AFTER may instead be "fails TEXT": the message contains the text.
//   NAME   s1 v1 a1 s[2:3] v[2:3] vcc exec scc m0 mode lds+8 mem+8; @5 behind a vector register: only of that lane
//   VALUE  1 -1 0xff; with a point, nan or inf and a suffix a float: 1.5f 0.5h nanf 2.0d; lane, lane*4
// mem are 256 bytes of global memory, whose address is in s[90:91] and v[90:91]. Lines with # are comments.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/rocm/emulator/machine.h"

enum { ADDRESS = 90, MEMORY = 256, FIELDS = 4 };

struct bench {
  struct wave wave;
  struct group group;
  uint32_t vgpr[VGPRS][LANES], agpr[VGPRS][LANES];
  char lds[MEMORY], scratch[LANES * MEMORY], memory[MEMORY];
};

struct value {
  uint64_t bits;
  uint32_t lane_factor; // the value is the lane's number times it
  bool is_nan;
};

static bool in_memory(void *user, uint64_t address, uint64_t size) {
  const struct bench *bench = user;
  uint64_t base = (uint64_t)(uintptr_t)bench->memory;
  return address >= base && address + size <= base + MEMORY;
}

static void prepare(struct bench *b, const char *processor, uint32_t lanes) {
  memset(b, 0, sizeof *b);
  b->group = (struct group){.generation = processor[3] == '9' ? 9 : (unsigned)atoi(processor + 3) / 100,
                            .lds = b->lds,
                            .lds_bytes = MEMORY,
                            .scratch_bytes = MEMORY,
                            .reaches = in_memory,
                            .user = b};
  b->wave = (struct wave){
      .group = &b->group, .vgpr = b->vgpr, .agpr = b->agpr, .size = lanes, .mode = 0xf0, .scratch = b->scratch};
  uint64_t address = (uint64_t)(uintptr_t)b->memory;
  for (uint32_t l = 0; l < lanes; l++) {
    b->vgpr[ADDRESS][l] = (uint32_t)address;
    b->vgpr[ADDRESS + 1][l] = (uint32_t)(address >> 32);
  }
  b->wave.sgpr[ADDRESS] = (uint32_t)address;
  b->wave.sgpr[ADDRESS + 1] = (uint32_t)(address >> 32);
  write_exec(&b->wave, UINT64_MAX);
}

static struct value parse_value(const char *text) {
  struct value value = {0};
  if (!strncmp(text, "lane", 4)) {
    value.lane_factor = text[4] == '*' ? (uint32_t)atoi(text + 5) : 1;
    return value;
  }
  const char *digits = text + (text[0] == '-');
  char *end;
  if (!strchr(text, '.') && digits[0] != 'n' && strncmp(digits, "inf", 3) != 0) {
    value.bits = text[0] == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    return value;
  }
  double number = strtod(text, &end);
  value.is_nan = isnan(number);
  value.bits = *end == 'h' ? round_to_half(number) : *end == 'f' ? put_F32((float)number) : put_F64(number);
  return value;
}

// What a name stands for.
struct place {
  enum { PLACE_EXEC, PLACE_SCC, PLACE_WORDS, PLACE_MEMORY } kind;
  uint32_t *low, *high; // of PLACE_WORDS; high: NULL for 32 bits
  char *memory;         // four bytes
  bool is_vector;
};

static struct place find_place(struct bench *b, const char *name, uint32_t lane) {
  struct place place = {PLACE_WORDS};
  bool is_vcc = !strcmp(name, "vcc"), is_pair = name[1] == '[' || (is_vcc && b->wave.size == 64);
  unsigned reg = is_vcc ? VCC : (unsigned)atoi(name + 1 + (name[1] == '['));
  if (!strcmp(name, "exec"))
    place.kind = PLACE_EXEC;
  else if (!strcmp(name, "scc"))
    place.kind = PLACE_SCC;
  else if (!strcmp(name, "m0"))
    place.low = &b->wave.m0;
  else if (!strcmp(name, "mode"))
    place.low = &b->wave.mode;
  else if (!strncmp(name, "lds+", 4) || !strncmp(name, "mem+", 4)) {
    place.kind = PLACE_MEMORY;
    place.memory = (name[0] == 'l' ? b->lds : b->memory) + atoi(name + 4);
  } else if (name[0] == 's' || is_vcc) {
    place.low = &b->wave.sgpr[reg];
    place.high = is_pair ? &b->wave.sgpr[reg + 1] : NULL;
  } else {
    uint32_t(*file)[LANES] = name[0] == 'a' ? b->agpr : b->vgpr;
    place.low = &file[reg][lane];
    place.high = is_pair ? &file[reg + 1][lane] : NULL;
    place.is_vector = true;
  }
  return place;
}

static uint64_t read_place(const struct bench *b, const struct place *place) {
  uint32_t word;
  switch (place->kind) {
  case PLACE_EXEC:
    return b->wave.exec;
  case PLACE_SCC:
    return b->wave.scc;
  case PLACE_MEMORY:
    memcpy(&word, place->memory, sizeof word);
    return word;
  case PLACE_WORDS:
    break;
  }
  return *place->low | (place->high ? (uint64_t)*place->high << 32 : 0);
}

static void write_place(struct bench *b, const struct place *place, uint64_t bits) {
  uint32_t word = (uint32_t)bits;
  switch (place->kind) {
  case PLACE_EXEC:
    write_exec(&b->wave, bits);
    return;
  case PLACE_SCC:
    b->wave.scc = bits & 1;
    return;
  case PLACE_MEMORY:
    memcpy(place->memory, &word, sizeof word);
    return;
  case PLACE_WORDS:
    *place->low = word;
    if (place->high)
      *place->high = (uint32_t)(bits >> 32);
  }
}

static bool same(uint64_t got, const struct value *want, bool is_wide) {
  if (want->is_nan)
    return is_wide ? isnan(get_F64(got)) : isnan(get_F32(got));
  return is_wide ? got == want->bits : (uint32_t)got == (uint32_t)want->bits;
}

// Sets what the word says, or checks it.
static bool assign(struct bench *b, char *word, bool checks, char *fault, size_t fault_size) {
  char *equals = strchr(word, '='), *at = strchr(word, '@');
  if (!equals) {
    snprintf(fault, fault_size, "cannot read '%s'", word);
    return false;
  }
  *equals = 0;
  struct value value = parse_value(equals + 1);
  uint32_t first = 0, last = b->wave.size - 1;
  if (at) {
    *at = 0;
    first = last = (uint32_t)atoi(at + 1);
  }
  for (uint32_t l = first; l <= last; l++) {
    struct place place = find_place(b, word, l);
    if (value.lane_factor)
      value.bits = (uint64_t)l * value.lane_factor;
    if (!checks)
      write_place(b, &place, value.bits);
    else if (!same(read_place(b, &place), &value, place.high || place.kind == PLACE_EXEC)) {
      snprintf(fault, fault_size, "%s in lane %u is %#llx", word, l, (unsigned long long)read_place(b, &place));
      return false;
    }
    if (!place.is_vector)
      break;
  }
  return true;
}

static bool assign_all(struct bench *b, char *words, bool checks, char *fault, size_t fault_size) {
  for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
    if (!assign(b, word, checks, fault, fault_size))
      return false;
  return true;
}

// The fields of a line, without the spaces around them.
static bool split(char *line, char *fields[FIELDS]) {
  for (int i = 0; i < FIELDS; i++) {
    char *end = strchr(line, ';');
    if (!end != (i == FIELDS - 1))
      return false;
    end = end ? end : line + strlen(line);
    char *next = *end ? end + 1 : end;
    while (*line == ' ')
      line++;
    while (end > line && (end[-1] == ' ' || end[-1] == '\n'))
      end--;
    *end = 0;
    fields[i] = line;
    line = next;
  }
  return true;
}

static bool check_outcome(struct bench *b, char *after, char *fault, size_t fault_size) {
  const char *error = b->group.error;
  snprintf(fault, fault_size, "the message is \"%s\"", error);
  if (!strncmp(after, "fails ", 6))
    return strstr(error, after + 6) != NULL;
  return !error[0] && assign_all(b, after, true, fault, fault_size);
}

static bool check_line(struct bench *b, char *line, char *fault, size_t fault_size) {
  char *fields[FIELDS], *slash;
  if (!split(line, fields) || !(slash = strchr(fields[0], '/'))) {
    snprintf(fault, fault_size, "cannot read the line");
    return false;
  }
  *slash = 0;
  uint32_t lanes = (uint32_t)atoi(slash + 1);
  prepare(b, fields[0], lanes);
  struct decoder *decoder = decoder_create(fields[0], lanes);
  struct instruction *in = decode_text(decoder, fields[1], b->group.error, sizeof b->group.error);
  bool good = assign_all(b, fields[2], false, fault, fault_size);
  if (in && good)
    in->operation->run(&b->wave, in);
  if (good)
    good = check_outcome(b, fields[3], fault, fault_size);
  instruction_free(in);
  decoder_free(decoder);
  return good;
}

int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (!file) {
    fprintf(stderr, "usage: emulator_check FILE\n");
    return 2;
  }
  struct bench *bench = malloc(sizeof *bench);
  char line[512], fault[600];
  int number = 0, checks = 0, faults = 0;
  while (fgets(line, sizeof line, file)) {
    number++;
    if (line[0] == '#' || line[0] == '\n')
      continue;
    checks++;
    if (!check_line(bench, line, fault, sizeof fault)) {
      faults++;
      printf("%s:%d: %s\n", argv[1], number, fault);
    }
  }
  free(bench);
  fclose(file);
  printf("%d checks, %d faults\n", checks, faults);
  return faults || !checks;
}
