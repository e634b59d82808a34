// Random numbers, text and types of the generator.
#include "tests/gen/inner.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// All text of one program lives until the program is made.
struct gen_chunk {
  struct gen_chunk *next;
  size_t used, size;
  char data[];
};

static void *allocate(size_t size) {
  void *p = malloc(size);
  if (!p) {
    fprintf(stderr, "gen: out of memory\n");
    exit(3);
  }
  return p;
}

// SplitMix64.
static uint64_t next_of(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint64_t gen_next(struct gen *g) { return next_of(&g->state); }

uint32_t gen_below(struct gen *g, uint32_t n) { return (uint32_t)((gen_next(g) >> 32) * n >> 32); }

bool gen_chance(struct gen *g, uint32_t percent) { return gen_below(g, 100) < percent; }

bool gen_has(const struct gen *g, enum gen_feature feature) { return g->features >> feature & 1; }

char *gen_text(struct gen *g, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  size_t size = (size_t)vsnprintf(NULL, 0, format, args) + 1;
  va_end(args);
  if (!g->chunks || g->chunks->size - g->chunks->used < size) {
    size_t room = size > 16000 ? size : 16000;
    struct gen_chunk *chunk = allocate(sizeof *chunk + room);
    *chunk = (struct gen_chunk){g->chunks, 0, room};
    g->chunks = chunk;
  }
  char *text = g->chunks->data + g->chunks->used;
  vsnprintf(text, size, format, again);
  va_end(again);
  g->chunks->used += size;
  return text;
}

static void append(struct gen *g, const char *text, size_t size) {
  if (g->code_size + size + 1 > g->code_capacity) {
    g->code_capacity = (g->code_size + size + 1) * 2;
    char *code = allocate(g->code_capacity);
    if (g->code)
      memcpy(code, g->code, g->code_size);
    free(g->code);
    g->code = code;
  }
  memcpy(g->code + g->code_size, text, size);
  g->code_size += size;
  g->code[g->code_size] = 0;
}

static void append_line(struct gen *g, const char *format, va_list args, const char *end) {
  char text[16384];
  for (int i = 0; i < g->indent; i++)
    append(g, "  ", 2);
  int size = vsnprintf(text, sizeof text, format, args);
  if (size >= (int)sizeof text) {
    fprintf(stderr, "gen: a line of %d characters\n", size);
    exit(3);
  }
  append(g, text, (size_t)size);
  append(g, end, strlen(end));
}

void gen_line(struct gen *g, const char *format, ...) {
  va_list args;
  va_start(args, format);
  append_line(g, format, args, "\n");
  va_end(args);
}

void gen_open(struct gen *g, const char *format, ...) {
  va_list args;
  va_start(args, format);
  append_line(g, format, args, " {\n");
  va_end(args);
  g->indent++;
}

void gen_close(struct gen *g) {
  g->indent--;
  gen_line(g, "}");
}

static const struct {
  const char *name, *kiln;
  uint8_t size;
} bases[] = {
    {"char", "i8", 1},  {"uchar", "u8", 1}, {"short", "i16", 2}, {"ushort", "u16", 2}, {"int", "i32", 4},
    {"uint", "u32", 4}, {"long", "i64", 8}, {"ulong", "u64", 8}, {"float", "f32", 4},  {"double", "f64", 8},
};

uint32_t gen_base_size(enum gen_base base) { return bases[base].size; }
const char *gen_base_name(enum gen_base base) { return bases[base].kiln; }

struct gen_type gen_scalar(uint8_t base) {
  return (struct gen_type){base, 1};
}

const char *gen_type_name(struct gen *g, struct gen_type type) {
  return type.lanes == 1 ? bases[type.base].name : gen_text(g, "%s%d", bases[type.base].name, type.lanes);
}

bool gen_is_float(uint8_t base) { return base >= GEN_F32; }
bool gen_is_signed(uint8_t base) { return base < GEN_F32 && base % 2 == 0; }
uint8_t gen_unsigned_of(uint8_t base) {
  return base == GEN_F32 ? GEN_U32 : base == GEN_F64 ? GEN_U64 : (uint8_t)(base | 1);
}
uint8_t gen_signed_of(uint8_t base) { return gen_unsigned_of(base) & ~1; }
wide gen_min(uint8_t base) { return gen_is_signed(base) ? -((wide)1 << (8 * bases[base].size - 1)) : 0; }
wide gen_max(uint8_t base) { return ((wide)1 << (8 * bases[base].size - gen_is_signed(base))) - 1; }

uint8_t gen_random_int(struct gen *g) {
  if (gen_has(g, GEN_NARROW) && gen_chance(g, 30))
    return (uint8_t)gen_below(g, 4);
  if (gen_has(g, GEN_WIDE) && gen_chance(g, 20))
    return (uint8_t)(GEN_I64 + gen_below(g, 2));
  return (uint8_t)(GEN_I32 + gen_below(g, 2));
}

uint32_t gen_random_lanes(struct gen *g) {
  static const uint8_t lanes[] = {2, 2, 2, 3, 3, 4, 4, 4, 4, 8, 16};
  return lanes[gen_below(g, sizeof lanes)];
}

struct gen_type gen_random_type(struct gen *g) {
  struct gen_type type = gen_scalar(gen_random_int(g));
  if (gen_has(g, GEN_FLOATS) && gen_chance(g, 25))
    type.base = gen_has(g, GEN_DOUBLES) && gen_chance(g, 30) ? GEN_F64 : GEN_F32;
  if (gen_has(g, GEN_VECTORS) && gen_chance(g, 35))
    type.lanes = (uint8_t)gen_random_lanes(g);
  return type;
}

struct gen_var *gen_declare(struct gen *g, const char *prefix, struct gen_type type) {
  static struct gen_var overflow;
  struct gen_var *var = g->var_count < 160 ? &g->vars[g->var_count++] : &overflow;
  *var = (struct gen_var){.type = type, .space = ""};
  snprintf(var->name, sizeof var->name, "%s%d", prefix, g->counter++);
  if (!gen_is_float(type.base))
    var->lo = gen_min(type.base), var->hi = gen_max(type.base);
  return var;
}

uint32_t gen_feature_bit(const char *name, size_t size) {
  static const char *const names[] = {
#define X(upper, text, chance) text,
      GEN_FEATURES(X)
#undef X
  };
  for (int i = 0; i < GEN_FEATURE_COUNT; i++)
    if (strlen(names[i]) == size && strncmp(names[i], name, size) == 0)
      return 1u << i;
  return 0;
}

void gen_fill(const struct gen_arg *arg, void *data) {
  uint64_t state = arg->seed;
  uint32_t size = bases[arg->base].size;
  char *out = data;
  for (uint32_t i = 0; i < arg->count; i++, out += size) {
    if (arg->base == GEN_F32) {
      float value = arg->fill == GEN_FILL_IOTA ? (float)i : 0;
      memcpy(out, &value, 4);
    } else if (arg->base == GEN_F64) {
      double value = arg->fill == GEN_FILL_IOTA ? (double)i : 0;
      memcpy(out, &value, 8);
    } else {
      uint64_t value = arg->fill == GEN_FILL_ZERO ? 0 : arg->fill == GEN_FILL_IOTA ? i : 0;
      if (arg->fill == GEN_FILL_RAND)
        value = next_of(&state) >> (64 - 8 * size);
      memcpy(out, &value, size);
    }
  }
}

void gen_free(struct gen_program *program) {
  free(program->source);
  *program = (struct gen_program){0};
}

void gen_free_text(struct gen *g) {
  for (struct gen_chunk *chunk = g->chunks, *next; chunk; chunk = next) {
    next = chunk->next;
    free(chunk);
  }
  g->chunks = NULL;
}
