// Indices in bounds in many shapes (linear, reversed, strided, wrapped, narrow, gathered), loads, and places to store.
#include "tests/gen/inner.h"

#include <string.h>

// A scalar integer variable with known bounds in [0, below).
static const struct gen_var *small_variable(struct gen *g, wide below) {
  for (int tries = 0; tries < 12 && g->var_count; tries++) {
    const struct gen_var *v = &g->vars[gen_below(g, (uint32_t)g->var_count)];
    if (v->kind == GEN_VAR_VALUE && v->type.lanes == 1 && !gen_is_float(v->type.base) && v->lo >= 0 && v->hi < below)
      return v;
  }
  return NULL;
}

// From the variable by arithmetic whose result is known to be in bounds.
static const char *linear(struct gen *g, uint32_t count) {
  const struct gen_var *v = small_variable(g, count);
  if (!v)
    return NULL;
  uint32_t hi = (uint32_t)v->hi, room = hi ? (count - 1) / hi : 1, scale = 1 + gen_below(g, room > 5 ? 5 : room);
  uint32_t rest = count - hi * scale, add = gen_below(g, rest);
  static const uint32_t rows[] = {5, 12, 16, 24, 28, 48};
  uint32_t row = rows[gen_below(g, 6)];
  switch (gen_below(g, 10)) {
  case 0:
    return v->name;
  case 1:
    return gen_text(g, "(%s * %u + %u)", v->name, scale, add);
  case 2:
    return gen_text(g, "(%u - %s * %u)", count - 1, v->name, scale);
  case 3:
    return gen_text(g, "(%s + %u)", v->name, gen_below(g, count - hi));
  case 4:
    return gen_text(g, "((int)%s * -%u + %u)", v->name, scale, hi * scale + add);
  case 5:
    return gen_text(g, "((ulong)%s * %uu + %uUL)", v->name, scale, add);
  case 6:
    return gen_text(g, gen_chance(g, 50) ? "(%s >> %u)" : "(%s / %uu)", v->name, 1 + gen_below(g, 3));
  case 7:
    return gen_text(g, "((%s / %u + %u) * %u + %s %% %u)", v->name, row, add / row, row, v->name, row);
  case 8:
    return gen_text(g, "(((int)%s / %u + %u) * %u + (%s - %s / %u * %u))", v->name, row, add / row, row, v->name,
                    v->name, row, row);
  default:
    return gen_text(g, "((uint)%s + %uu - %uu)", v->name, 4294967290u, 4294967290u - add % (count - hi));
  }
}

// From any variable, wrapping around 0, 2^8, 2^16, 2^31 or 2^32 before it is brought into bounds.
static const char *wrapped(struct gen *g, uint32_t count) {
  static const char *const narrow[] = {"uchar", "ushort", "uint", "ulong"}, *const any[] = {"char", "short", "int",
                                                                                            "long"};
  const struct gen_var *v = small_variable(g, 1 << 20);
  if (!v)
    return NULL;
  uint32_t c = 1 + gen_below(g, 7), k = 1 + gen_below(g, 90);
  bool power = !(count & (count - 1));
  switch (gen_below(g, 9)) {
  case 0:
    return gen_text(g, "min((uint)%s - %uu, %uu)", v->name, c, count - 1);
  case 1:
    return gen_text(g, "clamp((int)%s - %u, 0, %u)", v->name, c, count - 1);
  case 2:
    return gen_text(g, "(%s %% %u)", gen_text(g, "((uint)%s + %uu)", v->name, k), count);
  case 3:
    return gen_text(g, "((%s)(%s * %u + %u) %% %uu)", narrow[gen_below(g, 4)], v->name, k, c * 50, count);
  case 4:
    if (power)
      return gen_text(g, "((%s)(%s * %u - %u) & %u)", any[gen_below(g, 4)], v->name, k, c * 7, count - 1);
    return gen_text(g, "(((uint)%s - %uu) %% %uu)", v->name, c, count);
  case 5:
    return gen_text(g, "(%s > 0 ? min((uint)%s - 1u, %uu) : %u)", v->name, v->name, count - 1, gen_below(g, count));
  case 6:
    return gen_text(g, "(((ulong)((uint)%s - %uu)) %% %u)", v->name, c, count);
  case 7:
    if (power)
      return gen_text(g, "(-(int)%s & %u)", v->name, count - 1);
    return gen_text(g, "max((int)(((uint)%s * %uu) %% %uu) - %u, 0)", v->name, k, count, c);
  default:
    return gen_text(g, "((uint)%s - %uu < %uu ? (uint)%s - %uu : %uu)", v->name, c, count, v->name, c,
                    gen_below(g, count));
  }
}

const char *gen_index(struct gen *g, uint32_t count, int depth) {
  const char *text = NULL;
  uint32_t kind = gen_below(g, 100);
  if (count == 1)
    return "0";
  if (kind < 40)
    text = linear(g, count);
  else if (kind < 70)
    text = wrapped(g, count);
  else if (kind < 76 && count >= 4) {
    uint32_t width = 2 + gen_below(g, count / 2 - 1);
    text = gen_text(g, "(%s * %u + %s)", gen_index(g, count / width, 0), width, gen_index(g, width, 0));
  } else if (kind < 80) {
    text = gen_text(g, "(%u - %s)", count - 1, gen_index(g, count, 0));
  }
  if (text)
    return text;
  if (kind > 95)
    return gen_text(g, "%u", gen_below(g, count));
  if (!(count & (count - 1)))
    return gen_text(g, "(%s & %u)", gen_integer(g, gen_random_int(g), depth).text, count - 1);
  return gen_text(g, "(%s %% %uu)", gen_integer(g, gen_unsigned_of(gen_random_int(g)), depth).text, count);
}

static const char *index_of(struct gen *g, const struct gen_var *array, uint32_t per, int depth) {
  if (array->limit)
    return gen_text(g, "((uint)%s %% %s)", gen_integer(g, gen_unsigned_of(gen_random_int(g)), depth).text,
                    array->limit);
  return gen_index(g, array->count / per, depth);
}

const char *gen_element(struct gen *g, const struct gen_var *array, const char *index) {
  if (array->bias)
    return gen_text(g, "%s[(int)%s - %d]", array->name, index, array->bias);
  if (gen_has(g, GEN_POINTERS) && gen_chance(g, 12))
    return gen_text(g, gen_chance(g, 70) ? "(*(%s + %s))" : "(*&%s[%s])", array->name, index);
  return gen_text(g, "%s[%s]", array->name, index);
}

static const char *element_of(struct gen *g, const struct gen_var *array, int depth) {
  const char *address = gen_has(g, GEN_ADDRESSES) && gen_chance(g, 30) ? gen_address(g, array, 1, depth) : NULL;
  return address ? gen_text(g, "(*%s)", address) : gen_element(g, array, index_of(g, array, 1, depth));
}

// Bytes of a buffer or private array as another type.
static const char *reinterpreted(struct gen *g, const struct gen_var *array, uint8_t base, int depth) {
  bool global = array->space[0] == 'g';
  uint32_t size = gen_base_size(array->type.base);
  if (array->limit || array->bias || array->type.lanes > 1 || (array->space[0] && !global))
    return NULL;
  if (!global && base != GEN_U8 && base != GEN_I8)
    return NULL;
  if (g->in_function && gen_base_size(base) > size) // the caller may pass the address of any element
    return NULL;
  const char *type = gen_type_name(g, gen_scalar(base)), *space = global ? "global const " : "";
  if (gen_base_size(base) == size && gen_chance(g, 50))
    return gen_text(g, "(*(%s%s *)((%schar *)%s + %s * %u))", space, type, space, array->name,
                    gen_index(g, array->count, depth), size);
  return gen_text(g, "((%s%s *)%s)[%s]", space, type, array->name,
                  gen_index(g, array->count * size / gen_base_size(base), depth));
}

static const char *field_of(struct gen *g, const struct gen_var *var, struct gen_type *type, int depth) {
  const struct gen_record *record = &g->records[var->record];
  const struct gen_field *field = &record->fields[gen_below(g, (uint32_t)record->field_count)];
  const char *base = var->name;
  *type = field->type;
  if (var->count)
    base = gen_text(g, "%s[%s]", base, gen_index(g, var->count, depth));
  if (base[0] == '(' && base[1] == '*' && !var->count) // (*p)
    base = gen_text(g, "%.*s->%s", (int)strlen(base) - 3, base + 2, field->name);
  else
    base = gen_text(g, "%s.%s", base, field->name);
  if (field->count)
    base = gen_text(g, "%s[%s]", base, gen_index(g, field->count, depth));
  return base;
}

static struct gen_expr loaded(const char *text, struct gen_type type, double mag) {
  return (struct gen_expr){text, type, gen_min(type.base), gen_max(type.base), mag, 4};
}

static bool load_array(struct gen *g, const struct gen_var *v, struct gen_type type, int depth, struct gen_expr *out) {
  double mag = v->space[0] == 'g' ? 256 : 1024;
  bool floats = gen_is_float(type.base) || gen_is_float(v->type.base);
  if (v->type.base == type.base && v->type.lanes == type.lanes) {
    *out = loaded(element_of(g, v, depth), type, mag);
    return true;
  }
  if (type.lanes == 1 && v->type.lanes > 1 && v->type.base == type.base) {
    *out = loaded(gen_text(g, "%s.s%u", element_of(g, v, depth), gen_below(g, v->type.lanes > 9 ? 9 : v->type.lanes)),
                  type, mag);
    return true;
  }
  if (type.lanes > 1 && v->type.lanes == 1 && v->type.base == type.base && !v->limit && !v->bias &&
      v->count >= type.lanes) {
    uint32_t vectors = gen_has(g, GEN_ADDRESSES) ? 1 + gen_below(g, v->count / type.lanes) : 0;
    const char *address = vectors ? gen_address(g, v, vectors * type.lanes, depth) : NULL;
    if (address)
      *out = loaded(gen_text(g, "vload%u(%s, %s)", type.lanes, gen_index(g, vectors, depth), address), type, mag);
    else if (gen_chance(g, 50))
      *out = loaded(gen_text(g, "vload%u(%s, %s)", type.lanes, gen_index(g, v->count / type.lanes, depth), v->name),
                    type, mag);
    else
      *out = loaded(
          gen_text(g, "vload%u(0, %s + %s)", type.lanes, v->name, gen_index(g, v->count - type.lanes + 1, depth)), type,
          mag);
    return true;
  }
  if (floats || type.lanes > 1 || v->type.lanes > 1)
    return false;
  const char *text = gen_has(g, GEN_POINTERS) && gen_chance(g, 25) ? reinterpreted(g, v, type.base, depth) : NULL;
  *out = text ? loaded(text, type, 0) : gen_cast(g, loaded(element_of(g, v, depth), v->type, 0), type.base);
  return true;
}

bool gen_load_from(struct gen *g, const struct gen_var *array, struct gen_type type, struct gen_expr *out) {
  return load_array(g, array, type, 1, out);
}

bool gen_load(struct gen *g, struct gen_type type, int depth, struct gen_expr *out) {
  for (int tries = 0; tries < 10 && g->var_count; tries++) {
    const struct gen_var *v = &g->vars[gen_below(g, (uint32_t)g->var_count)];
    if (v->kind == GEN_VAR_ARRAY && load_array(g, v, type, depth, out))
      return true;
    if (v->kind == GEN_VAR_STRUCT) {
      struct gen_type found;
      const char *text = field_of(g, v, &found, depth);
      if (found.base == type.base && found.lanes == type.lanes) {
        *out = loaded(text, type, 1024);
        return true;
      }
      if (found.lanes == 1 && type.lanes == 1 && !gen_is_float(found.base) && !gen_is_float(type.base)) {
        *out = gen_cast(g, loaded(text, found, 0), type.base);
        return true;
      }
    }
  }
  return false;
}

// ---- places ---------------------------------------------------------------------------------------------------------

// The index of an element that belongs to this work-item: one of several bijections of the global ids.
const char *gen_slot(struct gen *g, const struct gen_output *o) {
  static const char *const ids[] = {"gid", "gid", "gi", "gz"};
  const char *id = ids[gen_below(g, 4)], *slot = NULL, *item;
  uint32_t n = g->items;
  if (o->slots > 1)
    slot = gen_chance(g, 60) ? gen_text(g, "%u", gen_below(g, o->slots)) : gen_index(g, o->slots, 1);
  switch (o->map) {
  case 0:
    item = gen_chance(g, 70) ? id : gen_text(g, "((uint)%s - %uu + %uu)", id, o->a + n, o->a + n);
    break;
  case 1:
    item = gen_chance(g, 50) ? gen_text(g, "(%u - %s)", n - 1, id) : gen_text(g, "(%u + (int)%s * -1)", n - 1, id);
    break;
  case 2:
    item = gen_text(g, "(((uint)%s * %uu + %uu) %% %uu)", id, o->a, o->b, n);
    break;
  default:
    item = gen_chance(g, 50) ? gen_text(g, "min((uint)%s - 1u, %uu)", id, n - 1)
                             : gen_text(g, "(%s == 0 ? %uu : (uint)%s - 1u)", id, n - 1, id);
    break;
  }
  if (!slot)
    return item;
  return o->b & 1 ? gen_text(g, "((uint)%s * %u + %s)", item, o->slots, slot)
                  : gen_text(g, "((uint)%s * %uu + %s)", slot, n, item);
}

const char *gen_own(struct gen *g, const struct gen_output *output) {
  const char *name = g->program->args[output->arg].name, *slot = gen_slot(g, output);
  if (gen_has(g, GEN_ADDRESSES) && gen_chance(g, 30))
    return gen_split(g, name, slot);
  return gen_text(g, "%s[%s]", name, slot);
}

static const char *lanes_of(struct gen *g, const char *name, struct gen_type *type) {
  static const char letters[] = "xyzw";
  if (type->lanes == 1 || gen_chance(g, 50))
    return name;
  if (type->lanes % 2 == 0 && gen_chance(g, 40)) {
    static const char *const halves[] = {"lo", "hi", "even", "odd"};
    type->lanes /= 2;
    return gen_text(g, "%s.%s", name, halves[gen_below(g, 4)]);
  }
  uint32_t first = gen_below(g, type->lanes > 4 ? 4 : type->lanes);
  bool two = type->lanes >= 4 && gen_chance(g, 50);
  type->lanes = two ? 2 : 1;
  return two ? gen_text(g, "%s.%c%c", name, letters[first], letters[(first + 1) % 4])
             : gen_text(g, "%s.%c", name, letters[first]);
}

const char *gen_place_of(struct gen *g, const struct gen_var *v, struct gen_type *type, int depth) {
  *type = v->type;
  if (v->readonly)
    return NULL;
  switch (v->kind) {
  case GEN_VAR_VALUE:
    return v->type.lanes <= 4 ? lanes_of(g, v->name, type) : v->name;
  case GEN_VAR_REFERENCE:
    return gen_text(g, "*%s", v->name);
  case GEN_VAR_ARRAY:
    return element_of(g, v, depth);
  case GEN_VAR_STRUCT:
    return field_of(g, v, type, depth);
  case GEN_VAR_HIDDEN:
    break;
  }
  return NULL;
}

const char *gen_place(struct gen *g, struct gen_type *type, int depth) {
  if (g->output_count && !g->in_function && gen_chance(g, 15)) {
    const struct gen_output *o = &g->outputs[gen_below(g, (uint32_t)g->output_count)];
    *type = o->type;
    return gen_own(g, o);
  }
  for (int tries = 0; tries < 12 && g->var_count; tries++) {
    uint32_t at = gen_chance(g, 50) ? (uint32_t)g->var_count - 1 - gen_below(g, (uint32_t)(g->var_count + 2) / 3)
                                    : gen_below(g, (uint32_t)g->var_count);
    const char *text = gen_place_of(g, &g->vars[at], type, depth);
    if (text)
      return text;
  }
  return NULL;
}

const struct gen_var *gen_pick_array(struct gen *g, bool writable) {
  for (int tries = 0; tries < 12 && g->var_count; tries++) {
    const struct gen_var *v = &g->vars[gen_below(g, (uint32_t)g->var_count)];
    if (v->kind == GEN_VAR_ARRAY && !v->limit && !v->bias && v->type.lanes == 1 && !gen_is_float(v->type.base) &&
        v->readonly != writable)
      return v;
  }
  return NULL;
}
