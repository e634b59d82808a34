// Programs of aimed.def: whole kernels, with their launches and the options that force a transformation.
#include "tests/gen/inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct aimed {
  const char *name, *options, *launches, *aliases, *text;
} kernels[] = {
#define AIMED(name, options, launches, aliases, text) {#name, options, launches, aliases, text},
#include "tests/gen/aimed.def"
#undef AIMED
};

enum { KERNEL_COUNT = sizeof kernels / sizeof kernels[0], MOST_CHOICES = 16 };

// One of the words between separators.
static const char *word(struct gen *g, const char *words, char separator) {
  uint32_t count = 1;
  for (const char *c = words; *c; c++)
    count += *c == separator;
  for (uint32_t skip = gen_below(g, count); skip; skip--)
    words = strchr(words, separator) + 1;
  const char *end = strchr(words, separator);
  return gen_text(g, "%.*s", end ? (int)(end - words) : (int)strlen(words), words);
}

static void read_sizes(const char *text, uint64_t other, uint64_t out[3]) {
  out[0] = out[1] = out[2] = other;
  for (int d = 0; d < 3; d++) {
    char *end;
    out[d] = strtoull(text, &end, 10);
    if (*end != ',')
      return;
    text = end + 1;
  }
}

static void choose_launch(struct gen *g, const struct aimed *kernel) {
  struct gen_program *p = g->program;
  const char *launch = word(g, kernel->launches, ' '), *offset = strchr(launch, '+');
  read_sizes(launch, 1, p->global);
  read_sizes(strchr(launch, '/') + 1, 1, p->local);
  if (offset)
    read_sizes(offset + 1, 0, p->offset);
  p->work_dim = p->global[2] > 1 || p->local[2] > 1 ? 3 : p->global[1] > 1 ? 2 : 1;
  g->items = g->group_items = 1;
  for (int d = 0; d < 3; d++) {
    g->items *= (uint32_t)p->global[d];
    g->group_items *= (uint32_t)p->local[d];
  }
}

static struct gen_arg *argument(struct gen *g, const char *name, enum gen_arg_kind kind, uint8_t base, uint32_t count) {
  struct gen_arg *arg = &g->program->args[g->program->arg_count++];
  *arg = (struct gen_arg){
      .kind = kind, .base = base, .count = count, .fill = GEN_FILL_RAND, .seed = 1 + gen_below(g, 1000)};
  snprintf(arg->name, sizeof arg->name, "%s", name);
  return arg;
}

static void value(struct gen *g, const char *name, int64_t number) {
  argument(g, name, GEN_ARG_VALUE, GEN_I32, 1)->seed = (uint32_t)number;
}

static void choose_arguments(struct gen *g, const struct aimed *kernel, uint8_t base, uint32_t count) {
  const char *alias = word(g, kernel->aliases, '|');
  argument(g, "o", GEN_ARG_BUFFER, base, count)->output = true;
  argument(g, "a", GEN_ARG_BUFFER, base, count);
  struct gen_arg *b = argument(g, "b", GEN_ARG_BUFFER, base, count);
  b->output = true;
  if (*alias != '-') {
    b->is_alias = true; // of the first argument
    b->shift = (uint32_t)atoi(alias);
    b->count -= b->shift;
  }
  uint32_t row = (uint32_t)g->program->global[0];
  value(g, "n", (int64_t)g->items - gen_below(g, 5));
  value(g, "w", gen_chance(g, 60) ? row : row + 1 - gen_below(g, 3));
  value(g, "d", (int64_t)gen_below(g, 7) - 3);
  if (strstr(kernel->text, "(ARGS, local T *l)")) // which keeps a kernel from being flat
    argument(g, "l", GEN_ARG_LOCAL, base, g->group_items);
}

// ---- texts ----------------------------------------------------------------------------------------------------------

static const char *number_in_launch(struct gen *g) {
  switch (g->program->work_dim) {
  case 1:
    return "(uint)get_global_id(0)";
  case 2:
    return "(uint)(get_global_id(1) * get_global_size(0) + get_global_id(0))";
  default:
    return "(uint)((get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + "
           "get_global_id(0))";
  }
}

static const char *number_in_group(struct gen *g) {
  return g->program->work_dim == 1 ? "(int)get_local_id(0)"
                                   : "(int)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * "
                                     "get_local_size(0) + get_local_id(0))";
}

static const char *place(struct gen *g, char kind, uint32_t count) {
  static const char *const ids[] = {"get_global_id(0)", "(int)get_global_id(0)", "(uint)get_global_id(0)"};
  switch (kind) {
  case 'k':
    return gen_text(g, "%u", 1 + gen_below(g, 9));
  case 'N':
    return gen_text(g, "%d", (int)g->items);
  case 'W':
    return gen_text(g, "%d", (int)g->program->global[0]);
  case 'L':
    return gen_text(g, "%d", (int)g->group_items);
  case 'S':
    return gen_text(g, "%d", (int)count);
  case 'G':
    return number_in_launch(g);
  case 'g':
    return number_in_group(g);
  case 'i':
    return ids[gen_below(g, 3)];
  }
  fprintf(stderr, "gen: $%c in an aimed kernel\n", kind);
  exit(3);
}

// The brace that closes the choice from at on; starts: its texts.
static const char *split(const char *at, const char **starts, uint32_t *count) {
  int depth = 0;
  starts[0] = at;
  *count = 1;
  for (; *at && (*at != '}' || depth); at++) {
    depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
    if (*at == '|' && !depth && *count < MOST_CHOICES)
      starts[(*count)++] = at + 1;
  }
  starts[*count] = at + 1;
  return at;
}

static const char *expand(struct gen *g, const char *at, const char *end, uint32_t count) {
  const char *text = "";
  while (at < end) {
    const char *next = memchr(at, '$', (size_t)(end - at));
    text = gen_text(g, "%s%.*s", text, (int)((next ? next : end) - at), at);
    if (!next)
      break;
    at = next + 2;
    if (next[1] == '{') {
      const char *starts[MOST_CHOICES + 1];
      uint32_t choices;
      at = split(at, starts, &choices) + 1;
      uint32_t which = gen_below(g, choices);
      text = gen_text(g, "%s%s", text, expand(g, starts[which], starts[which + 1] - 1, count));
    } else {
      text = gen_text(g, "%s%s", text, place(g, next[1], count));
    }
  }
  return text;
}

// The kernel that the seed selects among those whose names begin with prefix, or NULL if there are none.
static const struct aimed *choose(uint64_t seed, const char *prefix) {
  const struct aimed *some[KERNEL_COUNT];
  uint32_t count = 0;
  for (uint32_t i = 0; i < KERNEL_COUNT; i++)
    if (strncmp(kernels[i].name, prefix, strlen(prefix)) == 0)
      some[count++] = &kernels[i];
  return count ? some[seed % count] : NULL;
}

bool gen_make_aimed(uint64_t seed, const char *prefix, struct gen_program *out) {
  static const uint8_t bases[] = {GEN_U32, GEN_U32, GEN_U32, GEN_I16, GEN_U8, GEN_U64}; // no sum of which is undefined
  const struct aimed *kernel = choose(seed, prefix);
  struct gen *g = calloc(1, sizeof *g);
  if (!kernel)
    return false;
  if (!g)
    exit(3);
  *out = (struct gen_program){.options = "-cl-std=CL2.0", .native_options = kernel->options};
  g->state = seed * 0x632be59bd9b4e019u + 1;
  g->program = out;
  choose_launch(g, kernel);
  bool is_atomic = strstr(kernel->text, "atomic_") && !strstr(kernel->text, "(local int *)t");
  uint8_t base = is_atomic ? GEN_U32 : bases[gen_below(g, sizeof bases)];
  uint32_t count = 6 * g->items + 64 + 64 * gen_below(g, 3);
  count = count < 2112 ? 2112 : count;
  choose_arguments(g, kernel, base, count);
  gen_line(g, "// %s", kernel->name);
  gen_line(g, "typedef %s T;", gen_type_name(g, gen_scalar(base)));
  gen_line(g, "typedef %s V;", gen_type_name(g, (struct gen_type){base, 4}));
  gen_line(g, "#define ARGS global T *o, global const T *a, global T *b, int n, int w, int d");
  gen_line(g, "#define A(i) (int)(a[i] & 0xfff)");
  gen_line(g, "%s", expand(g, kernel->text, kernel->text + strlen(kernel->text), count));
  out->source = g->code;
  gen_free_text(g);
  free(g);
  return true;
}
