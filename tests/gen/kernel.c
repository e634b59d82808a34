// Kernel shapes: the texts of kernel_shapes.def with their places filled in.
#include "tests/gen/inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum need {
  NOTHING = 0,
  ARRAY = 1,
  NARROW = 2 | ARRAY, // elements of at most 2 bytes
  BYTES = 4 | ARRAY,  // of 1
  LOCAL = 8,          // a local array, and that all work-items of the group come here
  BUFFER = 16,
  OUTPUT = 64,
  OURS = 32, // not in OpenCL 1.2, or see docs/peer-faults.md
  RECORD = 128,
  COUNTER = 256,
  MACRO = 512,
  STRIDE = 1024,
  VECTOR = 2048 | RECORD, // of integers
};

// What shapes need that few programs have: where it is, they are taken more often.
#define RARE (RECORD | COUNTER | MACRO | STRIDE)

static const struct shape {
  uint32_t needs, cost;
  const char *text;
} shapes[] = {
#define SHAPE(needs, cost, text) {needs, cost, text},
#include "tests/gen/kernel_shapes.def"
#undef SHAPE
};

enum { SHAPE_COUNT = sizeof shapes / sizeof shapes[0], LEAST_LENGTH = 16 };

// What the places of one text stand for.
struct filling {
  struct gen *g;
  const struct gen_var *array;
  const char *local, *buffer, *sum, *items, *own, *record, *counter;
  int number;
  uint32_t width;
  char text[8192];
  size_t size;
};

static void add(struct filling *f, const char *text, size_t size) {
  if (f->size + size >= sizeof f->text) {
    fprintf(stderr, "gen: a shape is too long\n");
    exit(3);
  }
  memcpy(f->text + f->size, text, size);
  f->size += size;
}

// What an element of the program's records, or of its counters, may get.
static const char *value(struct gen *g, int arg) {
  uint8_t base = (uint8_t)g->program->args[arg].base;
  const char *type = gen_type_name(g, gen_scalar(base)), *mask = gen_is_float(base) ? " & 4095u" : "";
  switch (gen_below(g, 5)) {
  case 0:
    return gen_text(g, "(%s)%u", type, gen_below(g, 100));
  case 1:
    return gen_text(g, "(%s)(gid * %uu + 3u%s)", type, 1 + gen_below(g, 5), mask);
  case 2:
    if (!gen_is_float(base))
      return gen_integer(g, base, 1).text;
    // fall through
  default:
    return gen_text(g, "(%s)(%s%s)", type, gen_integer(g, GEN_U32, 1).text, mask);
  }
}

static const char *element(struct filling *f, uint32_t at) { return gen_text(f->g, f->record, at); }

// The stores of a record in some order; now and then with a gap, or to one place twice, or with something between.
static const char *stores(struct filling *f) {
  struct gen *g = f->g;
  uint32_t count = g->record_elements, first = gen_below(g, count), step = gen_chance(g, 70) ? 1 : count - 1;
  uint32_t gap = gen_chance(g, 8) ? gen_below(g, count) : count, twice = gen_chance(g, 8) ? gen_below(g, count) : count;
  const char *text = "", *name = gen_text(g, "r%d", f->number), *values[4];
  const char *type = gen_type_name(g, gen_scalar((uint8_t)g->program->args[g->record_arg].base));
  bool before = gen_chance(g, 75); // what they get stands before them
  for (uint32_t i = 0; i < count; i++) {
    values[i] = value(g, g->record_arg);
    if (before)
      text = gen_text(g, "%sconst %s %s_%u = %s;\n", text, type, name, i, values[i]);
    values[i] = before ? gen_text(g, "%s_%u", name, i) : values[i];
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t at = (first + i * step) % count;
    if (at != gap)
      text = gen_text(g, "%s%s = %s;\n", text, element(f, at), values[i]);
    if (at == twice)
      text = gen_text(g, "%s%s = %s;\n", text, element(f, at), values[0]);
  }
  return text;
}

// The work-item's own element, of which strides of any sign are a factor.
static const char *strided(struct filling *f) {
  static const char *const ids[] = {"gid", "gi", "gz", "(int)gid", "(long)gi"};
  struct gen *g = f->g;
  const char *id = ids[gen_below(g, 5)], *stride = g->program->args[g->stride_arg].name;
  const char *product = gen_chance(g, 50) ? gen_text(g, "%s * %s", id, stride) : gen_text(g, "%s * %s", stride, id);
  return gen_text(g, "%s[%u + %s]", g->program->args[g->strided_arg].name, GEN_MOST_STRIDE * g->items, product);
}

static struct gen_type vector_of_record(const struct gen *g) {
  return (struct gen_type){gen_unsigned_of((uint8_t)g->program->args[g->record_arg].base), (uint8_t)g->record_elements};
}

static const char *place(struct filling *f, char kind) {
  static const char *const ids[] = {"gid", "(uint)gi", "(uint)gz"};
  uint32_t length = f->array ? f->array->count : 0;
  switch (kind) {
  case 'i':
    return ids[gen_below(f->g, 3)];
  case 'e':
    return gen_integer(f->g, GEN_U32, 2).text;
  case 'k':
    return gen_text(f->g, "%u", 1 + gen_below(f->g, 9));
  case 'n':
    return gen_text(f->g, "%d", f->number);
  case 's':
    return f->sum;
  case 'a':
    return f->array->name;
  case 'c':
    return gen_text(f->g, "%u", length);
  case 'q':
    return gen_text(f->g, "%u", length < 48 ? length : 48);
  case 'w':
    return gen_text(f->g, "%u", f->width);
  case 'h':
    return gen_text(f->g, "%u", length / f->width);
  case 'N':
    return gen_text(f->g, "%uu", f->g->items);
  case 'G':
    return f->items;
  case 'l':
    return f->local;
  case 'b':
    return f->buffer;
  case 'o':
    return f->own;
  case 'r':
    return stores(f);
  case 'm':
    return element(f, gen_below(f->g, f->g->record_elements));
  case 'v':
    return gen_text(f->g, "%u", f->g->record_elements);
  case 'V':
    return gen_type_name(f->g, vector_of_record(f->g));
  case 'R':
    return gen_text(f->g, "(global %s *)%s", gen_type_name(f->g, gen_scalar(vector_of_record(f->g).base)),
                    f->g->program->args[f->g->record_arg].name);
  case 'd':
    return f->g->program->args[f->g->stride_arg].name;
  case 'u':
    return strided(f);
  case 'p':
    return f->counter;
  case 't':
    return gen_type_name(f->g, gen_scalar((uint8_t)f->g->program->args[f->g->counter_arg].base));
  case 'x':
    return value(f->g, f->g->counter_arg);
  }
  fprintf(stderr, "gen: $%c in a shape\n", kind);
  exit(3);
}

static void fill(struct filling *f, const char *at, const char *end);

// One of "x|y|z}" at random. Returns what follows.
static const char *choice(struct filling *f, const char *at) {
  const char *starts[9] = {at}, *close = strchr(at, '}');
  uint32_t count = 1;
  for (; at < close; at++)
    if (*at == '|')
      starts[count++] = at + 1;
  starts[count] = close + 1;
  uint32_t which = gen_below(f->g, count);
  fill(f, starts[which], starts[which + 1] - 1);
  return close + 1;
}

static void fill(struct filling *f, const char *at, const char *end) {
  while (at < end) {
    const char *next = memchr(at, '$', (size_t)(end - at));
    add(f, at, (size_t)((next ? next : end) - at));
    if (!next)
      return;
    at = next + 2;
    if (next[1] == '{') {
      at = choice(f, at);
    } else {
      const char *text = place(f, next[1]);
      add(f, text, strlen(text));
    }
  }
}

static void print(struct filling *f) {
  for (size_t at = 0; at < f->size;) {
    const char *line = f->text + at, *end = memchr(line, '\n', f->size - at);
    gen_line(f->g, "%.*s", (int)(end - line), line);
    at += (size_t)(end - line) + 1;
  }
}

static bool has(uint32_t needs, uint32_t all) { return (needs & all) == all; }

// How elements of the work-item's record are written: a format that takes the number of the element.
static bool find_record(struct filling *f) {
  static const char *const forms[] = {
      "%s[gid * %uu + %%uu]",
      "%s[gz * %u + %%u]",
      "(%s + gz * %u)[%%u]",
      "%s[gi * %u + %%u]",
      "%s[%%u + (int)gid * %u]",
      "((global struct own *)%s + gi)->f%%u",
      "((global struct own *)%s)[gid].f%%u",
  };
  struct gen *g = f->g;
  if (g->in_function || g->record_arg < 0)
    return false;
  const char *form = forms[gen_below(g, sizeof forms / sizeof forms[0])];
  f->record = gen_text(g, form, g->program->args[g->record_arg].name, g->record_elements);
  return true;
}

// Fills in what the shape needs. False if that is not there.
static bool find_parts(struct filling *f, const struct shape *shape, struct gen_var *copy) {
  const struct gen_var *array = has(shape->needs, ARRAY) ? gen_pick_array(f->g, false) : NULL;
  uint32_t most = has(shape->needs, BYTES) ? 1 : has(shape->needs, NARROW) ? 2 : 8;
  if (has(shape->needs, ARRAY)) {
    if (!array || array->count < LEAST_LENGTH || gen_base_size(array->type.base) > most)
      return false;
    *copy = *array, f->array = copy; // declarations move the variables
  }
  if (has(shape->needs, OUTPUT)) {
    const struct gen_output *o = &f->g->outputs[0];
    if (f->g->in_function || !f->g->output_count)
      return false;
    f->own = gen_text(f->g, "%s[%s]", f->g->program->args[o->arg].name, gen_slot(f->g, o));
  }
  if (has(shape->needs, RECORD) && !find_record(f))
    return false;
  if (has(shape->needs, VECTOR) &&
      (!gen_has(f->g, GEN_VECTORS) || gen_is_float((uint8_t)f->g->program->args[f->g->record_arg].base)))
    return false;
  if (has(shape->needs, COUNTER)) {
    if (f->g->in_function || f->g->counter_arg < 0)
      return false;
    f->counter = gen_text(f->g, "%s + %u", f->g->program->args[f->g->counter_arg].name, 2 * gen_below(f->g, 4));
  }
  if (has(shape->needs, STRIDE) && (f->g->in_function || f->g->stride_arg < 0))
    return false;
  if (has(shape->needs, MACRO) && !gen_has(f->g, GEN_MACROS))
    return false;
  for (uint32_t i = 0; has(shape->needs, BUFFER) && i < f->g->program->arg_count; i++) {
    const struct gen_arg *arg = &f->g->program->args[i];
    if (arg->kind == GEN_ARG_BUFFER && !arg->output && (arg->base == GEN_I32 || arg->base == GEN_U32) &&
        arg->count >= f->g->group_items && (!has(shape->needs, VECTOR) || arg->count >= LEAST_LENGTH))
      f->buffer = arg->name;
  }
  return !has(shape->needs, BUFFER) || f->buffer;
}

// wanted: needs of which the shape has one, if there is one; 0: any.
static bool shape_of(struct gen *g, uint32_t wanted, const char *local, const char *items) {
  struct gen_var copy;
  struct filling f = {.g = g, .local = local, .items = items};
  const struct shape *shape = NULL;
  for (int tries = 0; tries < 64 && !shape; tries++) {
    const struct shape *s = &shapes[gen_below(g, SHAPE_COUNT)];
    if (tries < 48 && wanted && !(s->needs & wanted))
      continue;
    if (has(s->needs, LOCAL) == (local != NULL) && g->work + g->scale * s->cost <= 3500 && find_parts(&f, s, &copy))
      shape = s;
  }
  if (!shape)
    return false;
  g->work += g->scale * shape->cost;
  if (has(shape->needs, OURS))
    g->program->portable = false, g->program->options = "-cl-std=CL3.0";
  const struct gen_var *sum = gen_declare(g, "v", gen_scalar(GEN_U32));
  f.sum = gen_text(g, "%s", sum->name);
  f.number = g->counter++;
  f.width = 3 + gen_below(g, 6);
  gen_line(g, "uint %s = %uu;", f.sum, gen_below(g, 99));
  fill(&f, shape->text, shape->text + strlen(shape->text));
  print(&f);
  if (local)
    gen_line(g, "barrier(CLK_LOCAL_MEM_FENCE);");
  return true;
}

// local: a local array of uints that is free and has as many elements as the text items says; NULL: there is none, or
// not all work-items come here. False if nothing fits.
bool gen_shape(struct gen *g, const char *local, const char *items) {
  return shape_of(g, gen_chance(g, 35) ? RARE : 0, local, items);
}

// One of those that few programs have something for.
bool gen_rare_shape(struct gen *g) { return g->var_count < 150 && shape_of(g, RARE, NULL, NULL); }
