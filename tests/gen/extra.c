// Tables at program scope, procedures that write through pointers, structs as parameters and results, and statements
// that need them.
#include "tests/gen/inner.h"

#include <stdio.h>

// constant int tab[…]: readable everywhere behind it.
void gen_tables(struct gen *g) {
  uint32_t count = 1 + gen_below(g, 2);
  gen_line(g, "enum { EN_A = %u, EN_B, EN_C = EN_B + %u };", gen_below(g, 5), gen_below(g, 9));
  gen_line(g, "typedef uint word;");
  for (uint32_t i = 0; i < count; i++) {
    struct gen_table *table = &g->tables[g->table_count++];
    table->type = gen_random_type(g);
    if (gen_is_float(table->type.base))
      table->type.base = GEN_U16;
    table->count = 2 + gen_below(g, 15);
    snprintf(table->name, sizeof table->name, "tab%u", i & 7);
    const char *text = "";
    for (uint32_t k = 0; k < table->count; k++) {
      const char *value = gen_constant(g, table->type.base).text;
      if (table->type.lanes > 1)
        value = gen_text(g, "(%s)(%s)", gen_type_name(g, table->type), value);
      else if (gen_chance(g, 10))
        value = "EN_C";
      text = gen_text(g, k ? "%s, %s" : "%s%s", text, value);
    }
    gen_line(g, "%s %s %s[%u] = {%s};", gen_chance(g, 50) ? "constant" : "__constant", gen_type_name(g, table->type),
             table->name, table->count, text);
  }
}

void gen_see_tables(struct gen *g) {
  for (int i = 0; i < g->table_count; i++) {
    struct gen_var *v = &g->vars[g->var_count++];
    *v = (struct gen_var){.kind = GEN_VAR_ARRAY,
                          .type = g->tables[i].type,
                          .count = g->tables[i].count,
                          .space = "constant",
                          .readonly = true};
    snprintf(v->name, sizeof v->name, "%s", g->tables[i].name);
  }
}

// A procedure changes what its pointers point to; it is called as a statement only.
void gen_procedure(struct gen *g) {
  int n = g->procedure_count++;
  g->var_count = 0;
  gen_see_tables(g);
  struct gen_var *x = gen_declare(g, "x", gen_scalar(GEN_U32));
  x->kind = GEN_VAR_REFERENCE;
  struct gen_var *a = gen_declare(g, "y", gen_scalar(GEN_I32));
  a->kind = GEN_VAR_ARRAY, a->count = 4;
  gen_declare(g, "z", gen_scalar(GEN_I32));
  gen_open(g, "%svoid pr%d(uint *x%d, int *y%d, int z%d)", gen_chance(g, 30) ? "__attribute__((noinline)) " : "", n,
           g->counter - 3, g->counter - 2, g->counter - 1);
  g->in_function = g->in_procedure = true, g->work = 0, g->scale = 1, g->depth = 2;
  gen_block(g, 2 + (int)gen_below(g, 3));
  gen_close(g);
  g->in_function = g->in_procedure = false;
  g->procedure_cost = g->work + 10;
  g->work = 0, g->var_count = 0;
}

// A function that takes and gives a struct.
void gen_transformer(struct gen *g) {
  int at = (int)gen_below(g, (uint32_t)g->record_count);
  const struct gen_record *record = &g->records[at];
  const char *tag = gen_text(g, "%s S%d", record->is_union ? "union" : "struct", at);
  g->var_count = 0;
  struct gen_var *s = gen_declare(g, "s", gen_scalar(GEN_I32));
  s->kind = GEN_VAR_STRUCT, s->record = at;
  const char *name = gen_text(g, "%s", s->name), *other = gen_declare(g, "z", gen_scalar(GEN_I32))->name;
  gen_open(g, "%s tr(%s %s, int %s)", tag, tag, name, other);
  g->in_function = g->in_procedure = true, g->work = 0, g->scale = 1, g->depth = 3;
  gen_block(g, 1 + (int)gen_below(g, 2));
  gen_line(g, "return %s;", name);
  gen_close(g);
  g->in_function = g->in_procedure = false;
  g->transformer = at + 1;
  g->work = 0, g->var_count = 0;
}

static const struct gen_var *find(struct gen *g, enum gen_var_kind kind, uint8_t base, uint32_t count) {
  const struct gen_var *found = NULL;
  for (int i = 0; i < g->var_count; i++) {
    const struct gen_var *v = &g->vars[i];
    if (v->kind == kind && v->type.base == base && v->type.lanes == 1 && v->count >= count && !v->readonly &&
        !v->bias && !v->space[0] && (!found || gen_chance(g, 50)))
      found = v;
  }
  return found;
}

static bool call_procedure(struct gen *g) {
  const struct gen_var *x = find(g, GEN_VAR_VALUE, GEN_U32, 0), *a = find(g, GEN_VAR_ARRAY, GEN_I32, 4);
  if (!g->procedure_count || g->in_procedure || !x || !a || g->work + g->scale * g->procedure_cost > 2500)
    return false;
  const char *first = gen_text(g, "&%s", x->name);
  const struct gen_var *other = gen_chance(g, 20) ? find(g, GEN_VAR_ARRAY, GEN_U32, 1) : NULL;
  if (other)
    first = gen_text(g, "%s + %s", other->name, gen_index(g, other->count, 1));
  g->work += g->scale * g->procedure_cost;
  gen_line(g, "pr%u(%s, &%s[%s], %s);", gen_below(g, (uint32_t)g->procedure_count), first, a->name,
           gen_index(g, a->count - 3, 1), gen_integer(g, GEN_I32, 2).text);
  return true;
}

static bool call_transformer(struct gen *g) {
  for (int i = 0; i < g->var_count && g->transformer && !g->in_function; i++) {
    const struct gen_var *v = &g->vars[i];
    if (v->kind != GEN_VAR_STRUCT || v->record != g->transformer - 1 || v->count)
      continue;
    g->work += g->scale * 20;
    gen_line(g, "%s = tr(%s, %s);", v->name, v->name, gen_integer(g, GEN_I32, 2).text);
    return true;
  }
  return false;
}

static bool vector_store(struct gen *g) {
  const struct gen_var *a = gen_pick_array(g, true);
  struct gen_type type = a ? a->type : gen_scalar(GEN_I32);
  type.lanes = (uint8_t)gen_random_lanes(g);
  if (!a || a->count < type.lanes || a->space[0])
    return false;
  const char *name = gen_text(g, "%s", a->name);
  uint32_t count = a->count;
  if (gen_chance(g, 50))
    gen_line(g, "vstore%u(%s, %s, %s);", type.lanes, gen_vector(g, type, 2).text, gen_index(g, count / type.lanes, 1),
             name);
  else
    gen_line(g, "vstore%u(%s, 0, %s + %s);", type.lanes, gen_vector(g, type, 2).text, name,
             gen_index(g, count - type.lanes + 1, 1));
  return true;
}

// Atomics on an element of this work-item alone: their results are known.
static bool own_atomic(struct gen *g) {
  const struct gen_var *x = find(g, GEN_VAR_VALUE, GEN_U32, 0);
  const struct gen_output *o = &g->outputs[0];
  if (g->in_function || !gen_has(g, GEN_ATOMICS) || !x || !g->output_count)
    return false;
  static const char *const names[] = {"add", "sub", "xchg", "min", "max", "and", "or", "xor"};
  const char *place = gen_text(g, "&%s", gen_own(g, o)), *name = gen_text(g, "%s", x->name);
  if (gen_chance(g, 25))
    gen_line(g, "%s += atomic_cmpxchg(%s, %s, %s);", name, place, gen_integer(g, GEN_U32, 1).text,
             gen_integer(g, GEN_U32, 1).text);
  else
    gen_line(g, "%s ^= atomic_%s(%s, %s);", name, names[gen_below(g, 8)], place, gen_integer(g, GEN_U32, 2).text);
  return true;
}

// Two-dimensional arrays, pointers to pointers, differences and comparisons of pointers, sizeof.
static bool pointers(struct gen *g) {
  const struct gen_var *x = find(g, GEN_VAR_VALUE, GEN_U32, 0);
  if (!x || !gen_has(g, GEN_POINTERS))
    return false;
  int n = g->counter++;
  const char *name = gen_text(g, "%s", x->name);
  switch (gen_below(g, 4)) {
  case 0: {
    uint32_t rows = 2 + gen_below(g, 3), columns = 2 + gen_below(g, 3);
    gen_line(g, "word t%d[%u][%u] = {{%s, %s}, {1, %s}};", n, rows, columns, gen_integer(g, GEN_U32, 1).text, name,
             gen_integer(g, GEN_U32, 1).text);
    gen_line(g, "t%d[%s][%s] ^= %s;", n, gen_index(g, rows, 1), gen_index(g, columns, 1),
             gen_integer(g, GEN_U32, 2).text);
    gen_line(g, "%s += t%d[%s][%s] + (uint)sizeof t%d[0];", name, n, gen_index(g, rows, 1), gen_index(g, columns, 1),
             n);
    break;
  }
  case 1:
    gen_line(g, "uint k%d = %s, l%d = %s;", n, gen_integer(g, GEN_U32, 1).text, n, gen_integer(g, GEN_U32, 1).text);
    gen_line(g, "uint *b%d[2] = {&k%d, &l%d}, **c%d = b%d + %s;", n, n, n, n, n, gen_index(g, 2, 1));
    gen_line(g, "**c%d += 3u;", n);
    gen_line(g, "%s = *b%d[%s] * 5u + k%d - l%d;", name, n, gen_index(g, 2, 1), n, n);
    break;
  case 2:
    gen_line(g, "int e%d[6] = {[3] = %s, 7, [0] = 1};", n, gen_integer(g, GEN_I32, 1).text);
    gen_line(g, "int *f%d = e%d + %s, *h%d = &e%d[%s];", n, n, gen_index(g, 6, 1), n, n, gen_index(g, 6, 1));
    gen_line(g, "*f%d ^= %s;", n, gen_integer(g, GEN_I32, 2).text);
    gen_line(g, "if (f%d %s h%d) %s += (uint)(h%d - f%d);", n, gen_chance(g, 50) ? "<" : "!=", n, name, n, n);
    gen_line(g, "%s ^= (uint)*h%d;", name, n);
    break;
  default:
    gen_line(g, "struct { uchar a; word b; union { ushort c[2]; uint d; } e; } w%d = {(uchar)%s, %s, {.d = %s}};", n,
             gen_integer(g, GEN_U8, 1).text, gen_integer(g, GEN_U32, 1).text, gen_integer(g, GEN_U32, 1).text);
    gen_line(g, "w%d.e.c[%s] += (ushort)w%d.a;", n, gen_index(g, 2, 1), n);
    gen_line(g, "%s = w%d.b ^ w%d.e.d + (uint)sizeof w%d;", name, n, n, n);
    break;
  }
  return true;
}

bool gen_extra(struct gen *g) {
  switch (gen_below(g, 5)) {
  case 0:
    return call_procedure(g);
  case 1:
    return call_transformer(g);
  case 2:
    return vector_store(g);
  case 3:
    return own_atomic(g);
  default:
    return g->table_count && pointers(g); // tables come with the typedef that it uses
  }
}
