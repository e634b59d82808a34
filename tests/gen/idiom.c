// Shapes of real kernels that a many-lane emitter has to get right: gathers, loops with a trip count per work-item,
// searches with several exits, state machines, exchanges through local memory.
#include "tests/gen/inner.h"

// A variable to accumulate in: an unsigned scalar, made when there is none.
static const char *accumulator(struct gen *g) {
  for (int tries = 0; tries < 8 && g->var_count; tries++) {
    const struct gen_var *v = &g->vars[gen_below(g, (uint32_t)g->var_count)];
    if (v->kind == GEN_VAR_VALUE && !v->readonly && v->type.base == GEN_U32 && v->type.lanes == 1)
      return gen_text(g, "%s", v->name);
  }
  const struct gen_var *v = gen_declare(g, "v", gen_scalar(GEN_U32));
  const char *name = gen_text(g, "%s", v->name);
  gen_line(g, "uint %s = %uu;", name, gen_below(g, 9));
  return name;
}

static void bounded_walk(struct gen *g, const char *acc, const struct gen_var *a) {
  uint32_t step = 1 + gen_below(g, 3), most = 4;
  int n = g->counter++;
  if (a->count < most * step + 1)
    return;
  const char *first = gen_index(g, a->count - most * step, 1), *trips = gen_index(g, most + 1, 1);
  const char *type = gen_type_name(g, a->type);
  switch (gen_below(g, 4)) {
  case 0: // as in sparse rows
    gen_open(g, "for (uint j%d = %s, e%d = j%d + %s; j%d < e%d; j%d++)", n, first, n, n, trips, n, n, n);
    gen_line(g, "%s = %s * 3u + (uint)%s[j%d];", acc, acc, a->name, n);
    break;
  case 1:
    gen_open(g, "for (int j%d = (int)%s + %u, e%d = j%d - (int)%s * %u; j%d > e%d; j%d -= %u)", n, first,
             most * step - 1, n, n, trips, step, n, n, n, step);
    gen_line(g, "%s ^= (uint)%s[j%d] << (j%d & 7);", acc, a->name, n, n);
    break;
  case 2:
    gen_line(g, "%s %s *q%d = %s + %s;", a->space, type, n, a->name, first);
    gen_open(g, "for (int j%d = 0; j%d < (int)%s; j%d++)", n, n, trips, n);
    gen_line(g, "%s += (uint)*q%d;", acc, n);
    gen_line(g, "q%d += %u;", n, step);
    break;
  default:
    gen_line(g, "%s %s *q%d = %s + %s + %u;", a->space, type, n, a->name, first, most * step);
    gen_open(g, "for (ulong j%d = %s; j%d; j%d--)", n, trips, n, n);
    gen_line(g, "%s = (%s >> 1) + (uint)*--q%d;", acc, acc, n);
    break;
  }
  gen_close(g);
}

static void search(struct gen *g, const char *acc, const struct gen_var *a) {
  int n = g->counter++;
  uint32_t most = a->count < 8 ? a->count : 8;
  gen_line(g, "int f%d = -1;", n);
  gen_open(g, "for (int j%d = 0; j%d < %u; j%d++)", n, n, most, n);
  const char *value =
      gen_element(g, a, gen_chance(g, 50) ? gen_text(g, "j%d", n) : gen_text(g, "(%u - j%d)", most - 1, n));
  if (gen_chance(g, 40))
    gen_line(g, "if (((uint)%s & 1u) == (%s & 1u)) continue;", value, g->in_function ? "5u" : "gid");
  gen_open(g, "if (((uint)%s & 7u) == ((uint)%s & 7u))", value, gen_integer(g, GEN_U32, 1).text);
  gen_line(g, "f%d = j%d;", n, n);
  gen_line(g, "break;");
  gen_close(g);
  gen_line(g, "%s += (uint)j%d;", acc, n);
  gen_close(g);
  gen_line(g, "%s ^= (uint)f%d;", acc, n);
}

static void collatz(struct gen *g, const char *acc) {
  int n = g->counter++;
  gen_line(g, "uint w%d = %s & 1023u, t%d = 0;", n, gen_integer(g, GEN_U32, 2).text, n);
  gen_open(g, "while (w%d > 1u && t%d < %uu)", n, n, 4 + gen_below(g, 16));
  gen_line(g, "w%d = (w%d & 1u) ? 3u * w%d + 1u : w%d >> 1;", n, n, n, n);
  if (gen_chance(g, 50))
    gen_line(g, "if (w%d == %uu) break;", n, gen_below(g, 20));
  gen_line(g, "t%d++;", n);
  gen_close(g);
  gen_line(g, "%s = %s * 31u + t%d + w%d;", acc, acc, n, n);
}

static void machine(struct gen *g, const char *acc) {
  int n = g->counter++;
  gen_line(g, "uint m%d = %s & 3u;", n, gen_integer(g, GEN_U32, 1).text);
  gen_open(g, "for (uint j%d = 0; j%d < %uu; j%d++)", n, n, 3 + gen_below(g, 6), n);
  gen_open(g, "switch (m%d)", n);
  for (uint32_t i = 0; i < 4; i++) {
    gen_line(g, "case %u:", i);
    gen_line(g, "%s = (%s << %u) ^ (%s >> 3) ^ j%d;", acc, acc, i, acc, n);
    gen_line(g, "m%d = (%s) ? %u : (m%d + j%d) & 3u;", n, gen_condition(g, 1), gen_below(g, 4), n, n);
    if (gen_chance(g, 25))
      gen_line(g, "if (%s & 8u) continue;", acc);
    if (gen_chance(g, 75))
      gen_line(g, "break;");
  }
  gen_line(g, "default: break;");
  gen_close(g);
  if (gen_chance(g, 40))
    gen_line(g, "if (m%d == 0 && (%s & 1u)) break;", n, acc);
  gen_close(g);
}

static void guarded(struct gen *g, const char *acc, const struct gen_var *a) {
  static const char *const ids[] = {"gid", "gi", "gz"};
  int n = g->counter++;
  uint32_t c = 1 + gen_below(g, 5);
  const char *id = g->in_function ? gen_integer(g, GEN_U32, 1).text : ids[gen_below(g, 3)];
  switch (gen_below(g, 4)) {
  case 0: // wraps at the first work-items
    gen_line(g, "uint x%d = (uint)%s - %uu;", n, id, c);
    gen_open(g, "if (x%d < %uu)", n, a->count);
    break;
  case 1:
    gen_line(g, "int x%d = (int)((uint)%s & 0xffffffu) - %u;", n, id, c);
    gen_open(g, "if (x%d >= 0 && x%d < %u)", n, n, a->count);
    break;
  case 2:
    gen_line(g, "ulong x%d = (ulong)((uint)%s * 0x%xu);", n, id, 0x40000001u << gen_below(g, 2));
    gen_open(g, "if (x%d < %uu)", n, a->count);
    break;
  default:
    gen_line(g, "ushort x%d = (ushort)((uint)%s * %uu - %uu);", n, id, 1 + gen_below(g, 300), c);
    gen_open(g, "if (x%d < %u)", n, a->count);
    break;
  }
  gen_line(g, "%s += (uint)%s;", acc, gen_element(g, a, gen_text(g, "x%d", n)));
  gen_close(g);
}

static void sort(struct gen *g, const char *acc) {
  const struct gen_var *a = gen_pick_array(g, true);
  if (!a || a->count > 9)
    return;
  int n = g->counter++;
  const char *type = gen_type_name(g, a->type);
  gen_open(g, "for (int j%d = 1; j%d < %u; j%d++)", n, n, a->count, n);
  gen_line(g, "%s t%d = %s[j%d];", type, n, a->name, n);
  gen_line(g, "int l%d = j%d - 1;", n, n);
  gen_open(g, "while (l%d >= 0 && %s[l%d] %c t%d)", n, a->name, n, "<>"[gen_below(g, 2)], n);
  gen_line(g, "%s[l%d + 1] = %s[l%d];", a->name, n, a->name, n);
  gen_line(g, "l%d--;", n);
  gen_close(g);
  gen_line(g, "%s[l%d + 1] = t%d;", a->name, n, n);
  gen_close(g);
  gen_line(g, "%s ^= (uint)%s[%s];", acc, a->name, gen_index(g, a->count, 1));
}

static void bytes(struct gen *g, const char *acc) {
  int n = g->counter++;
  static const uint8_t types[] = {GEN_U8, GEN_I8, GEN_U16, GEN_I16};
  uint8_t base = types[gen_below(g, 4)];
  uint32_t count = 4 / gen_base_size(base);
  gen_line(g, "%s x%d = %s;", "uint", n, acc);
  if (count == 4 && gen_has(g, GEN_POINTERS)) {
    gen_line(g, "uchar *b%d = (uchar *)&x%d;", n, n);
    gen_line(g, "b%d[%s] ^= (uchar)%s;", n, gen_index(g, 4, 1), gen_integer(g, GEN_U32, 1).text);
    gen_line(g, "%s += (uint)b%d[%s] + x%d;", acc, n, gen_index(g, 4, 1), n);
  } else {
    gen_line(g, "%s%u y%d = as_%s%u(x%d);", gen_type_name(g, gen_scalar(base)), count, n,
             gen_type_name(g, gen_scalar(base)), count, n);
    gen_line(g, "y%d.s%u ^= y%d.s%u;", n, gen_below(g, count), n, gen_below(g, count));
    gen_line(g, "%s ^= as_uint(y%d.%s);", acc, n, count == 4 ? "wxzy" : "yx");
  }
}

static void guarded_division(struct gen *g, const char *acc) {
  int n = g->counter++;
  gen_line(g, "uint d%d = %s & %uu;", n, gen_integer(g, GEN_U32, 2).text, 1 + gen_below(g, 7));
  gen_open(g, "if (d%d)", n);
  gen_line(g, "%s %c= d%d;", acc, "/%"[gen_below(g, 2)], n);
  gen_close(g);
}

// A declaration inside belongs to the block, so the variable may not be seen behind it.
void gen_idiom(struct gen *g) {
  int vars = g->var_count;
  const struct gen_var *a = gen_pick_array(g, false);
  if (!a || gen_chance(g, 25))
    a = gen_pick_array(g, true);
  struct gen_var copy;
  if (a)
    copy = *a, a = &copy;
  bool cheap = g->scale <= 16;
  g->work += g->scale * 20;
  const char *acc = accumulator(g);
  vars = g->var_count > vars ? g->var_count : vars;
  switch (gen_below(g, 8)) {
  case 0:
    if (a && cheap && gen_has(g, GEN_LOOPS))
      bounded_walk(g, acc, a);
    break;
  case 1:
    if (a && cheap && gen_has(g, GEN_LOOPS))
      search(g, acc, a);
    break;
  case 2:
    if (cheap && gen_has(g, GEN_LOOPS))
      collatz(g, acc);
    break;
  case 3:
    if (cheap && gen_has(g, GEN_SWITCHES))
      machine(g, acc);
    break;
  case 4:
    if (cheap && gen_has(g, GEN_ARRAYS))
      sort(g, acc);
    break;
  case 5:
    bytes(g, acc);
    break;
  case 6:
    if (gen_has(g, GEN_DIVISION))
      guarded_division(g, acc);
    break;
  default:
    if (a)
      guarded(g, acc, a);
    break;
  }
  g->var_count = vars;
}

void gen_atomic(struct gen *g) {
  // The operations of one buffer commute with one another.
  static const char *const names[3][4] = {
      {"add", "sub", "inc", "dec"}, {"or", "and", "xor", "xor"}, {"min", "max", "min", "max"}};
  uint32_t which = gen_below(g, 3);
  const struct gen_arg *arg = &g->program->args[g->atomic_arg[which]];
  uint32_t op = which == 0 ? gen_below(g, 4) : (uint32_t)(arg->seed & 3);
  const char *name = names[which][op];
  const char *place = gen_text(g, "&%s[%s]", arg->name, gen_index(g, arg->count, 1));
  const char *prefix = gen_chance(g, 80) ? "atomic" : "atom";
  if (which == 0 && op >= 2)
    gen_line(g, "%s_%s(%s);", prefix, name, place);
  else
    gen_line(g, "%s_%s(%s, %s);", prefix, name, place, gen_integer(g, arg->base, 2).text);
}

// ---- barriers -------------------------------------------------------------------------------------------------------

static const char *group_count(struct gen *g) { return g->partial ? "lsz" : gen_text(g, "%uu", g->group_items); }

// The element of a local array that belongs to this work-item, in one of several orders.
static const char *own(struct gen *g) {
  const char *n = group_count(g);
  switch (gen_below(g, 4)) {
  case 0:
    return gen_text(g, "%s - 1u - lid", n);
  case 1:
    return gen_text(g, "(lid + %uu) %% %s", gen_below(g, 7), n);
  default:
    return "lid";
  }
}

static void exchange(struct gen *g, int array) {
  struct gen_var *v = &g->vars[array];
  const char *name = gen_text(g, "%s", v->name);
  gen_line(g, "%s[%s] = %s;", name, own(g), gen_assignable(g, v->type, 2));
  gen_line(g, "barrier(CLK_LOCAL_MEM_FENCE);");
  g->vars[array].kind = GEN_VAR_ARRAY;
  gen_block(g, 1 + (int)gen_below(g, 3));
  for (int i = 0; i < 2; i++) { // make sure that something is read
    struct gen_type type;
    const char *place = gen_place(g, &type, 1);
    struct gen_expr e;
    if (place && gen_load_from(g, &g->vars[array], type, &e))
      gen_line(g, "%s = %s;", place, e.text);
  }
  g->vars[array].kind = GEN_VAR_HIDDEN;
  gen_line(g, "barrier(CLK_LOCAL_MEM_FENCE);");
}

static void reduction(struct gen *g, const char *name) {
  int n = g->counter++;
  const char *count = group_count(g);
  gen_line(g, "%s[lid] = %s;", name, gen_integer(g, GEN_U32, 2).text);
  gen_line(g, "barrier(CLK_LOCAL_MEM_FENCE);");
  if (gen_chance(g, 50)) {
    gen_open(g, "for (uint s%d = 1u; s%d < %s; s%d <<= 1)", n, n, count, n);
    gen_line(g, "if (lid %% (2u * s%d) == 0 && lid + s%d < %s) %s[lid] += %s[lid + s%d];", n, n, count, name, name, n);
  } else { // prefix sums
    gen_open(g, "for (uint s%d = 1u; s%d < %s; s%d *= 2u)", n, n, count, n);
    gen_line(g, "uint t%d = lid >= s%d ? %s[lid - s%d] : 0u;", n, n, name, n);
    gen_line(g, "barrier(CLK_LOCAL_MEM_FENCE);");
    gen_line(g, "%s[lid] += t%d;", name, n);
  }
  gen_line(g, "barrier(CLK_LOCAL_MEM_FENCE);");
  gen_close(g);
}

static void histogram(struct gen *g, const char *name) {
  gen_line(g, "%s[lid] = 0u;", name);
  gen_line(g, "barrier(CLK_LOCAL_MEM_FENCE);");
  if (gen_chance(g, 50))
    gen_open(g, "if (%s)", gen_condition(g, 1));
  else
    gen_open(g, "for (uint j%d = 0; j%d < (gid & 3u); j%d++)", g->counter, g->counter, g->counter);
  g->counter++;
  gen_line(g, "atomic_%s(&%s[%s %% %s], %s);", gen_chance(g, 50) ? "add" : "sub", name, gen_integer(g, GEN_U32, 2).text,
           group_count(g), gen_integer(g, GEN_U32, 1).text);
  gen_close(g);
  gen_line(g, "barrier(CLK_LOCAL_MEM_FENCE);");
}

// Through global memory: each group has a part of its own.
static void through_global(struct gen *g) {
  const char *count = group_count(g);
  gen_line(g, "gx[grp * %uu + %s] = %s;", g->group_items, own(g), gen_integer(g, GEN_U32, 2).text);
  gen_line(g, "barrier(CLK_GLOBAL_MEM_FENCE);");
  gen_line(g, "%s += gx[grp * %uu + %s %% %s];", accumulator(g), g->group_items, gen_integer(g, GEN_U32, 2).text,
           count);
  gen_line(g, "barrier(CLK_GLOBAL_MEM_FENCE);");
}

static void local_phase(struct gen *g) {
  int arrays[8], count = 0, unsigned_array = -1;
  for (int i = 0; i < g->var_count && count < 8; i++)
    if (g->vars[i].kind == GEN_VAR_HIDDEN) {
      arrays[count++] = i;
      if (g->vars[i].type.base == GEN_U32 && g->vars[i].type.lanes == 1)
        unsigned_array = i;
    }
  const char *name = unsigned_array >= 0 ? gen_text(g, "%s", g->vars[unsigned_array].name) : NULL;
  uint32_t kind = gen_below(g, 10);
  if (name && gen_has(g, GEN_SHAPES) && g->var_count < 150 && gen_chance(g, 65) && gen_shape(g, name, group_count(g)))
    return;
  if (name && kind < 4) {
    if (kind < 2)
      reduction(g, name);
    else
      histogram(g, name);
    gen_line(g, "%s ^= %s[%s %% %s];", accumulator(g), name, gen_integer(g, GEN_U32, 1).text, group_count(g));
    gen_line(g, "barrier(CLK_LOCAL_MEM_FENCE);");
  } else if (kind == 4) {
    through_global(g);
  } else if (count) {
    exchange(g, arrays[gen_below(g, (uint32_t)count)]);
  }
}

static void uniform_loop(struct gen *g) {
  struct gen_var *v = gen_declare(g, "u", gen_scalar(GEN_U32));
  uint32_t trips = 2 + gen_below(g, 2), scale = g->scale;
  v->readonly = v->uniform = true, v->hi = trips - 1;
  const char *name = gen_text(g, "%s", v->name);
  g->scale *= trips;
  bool up = gen_chance(g, 60);
  if (up)
    gen_open(g, "for (uint %s = 0; %s < %uu; %s++)", name, name, trips, name);
  else
    gen_open(g, "for (uint %s = %uu; %s-- > 0;)", name, trips, name);
  int vars = g->var_count;
  gen_block(g, 1);
  gen_phase(g);
  if (gen_chance(g, 40)) {
    g->program->portable = false; // docs/peer-faults.md: conditional barriers
    gen_line(g, "if (%s) %s;", gen_uniform_condition(g), up && gen_chance(g, 50) ? "continue" : "break");
  }
  if (gen_chance(g, 50)) {
    gen_block(g, 1);
    gen_phase(g);
  }
  g->var_count = vars;
  gen_close(g);
  g->scale = scale;
}

void gen_phase(struct gen *g) {
  int vars = g->var_count;
  uint32_t kind = gen_below(g, 100);
  g->work += g->scale * 20;
  if (g->depth > 3 || g->work > 2500 || kind < 60) {
    local_phase(g);
    return; // an accumulator may stay
  }
  g->depth++;
  if (kind < 80 && g->scale <= 6 && gen_has(g, GEN_LOOPS)) {
    uniform_loop(g);
  } else {
    g->program->portable = false; // docs/peer-faults.md: conditional barriers
    gen_open(g, "if (%s)", gen_uniform_condition(g));
    gen_block(g, 1);
    gen_phase(g);
    gen_block(g, 1);
    g->var_count = vars;
    gen_close(g);
    if (gen_chance(g, 40)) {
      gen_open(g, "else");
      gen_phase(g);
      g->var_count = vars;
      gen_close(g);
    }
  }
  g->depth--;
  g->var_count = vars;
}
