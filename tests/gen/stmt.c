// Statements: declarations, assignments, control flow.
#include "tests/gen/inner.h"

#include <stdio.h>

static void statement(struct gen *g);

// ---- declarations ---------------------------------------------------------------------------------------------------

static const char *settled_vector(struct gen *g, struct gen_type type, int depth) {
  struct gen_expr e = gen_value(g, type, depth);
  return gen_is_float(type.base) ? gen_float_settled(g, e).text : e.text;
}

const char *gen_initializer(struct gen *g, const struct gen_field *field) {
  // A vector takes a vector: inside braces a scalar would be its first element.
  if (!field->count)
    return field->type.lanes == 1 ? gen_assignable(g, field->type, 1) : settled_vector(g, field->type, 1);
  const char *text = "";
  for (uint32_t i = 0; i < field->count; i++)
    text = gen_text(g, i ? "%s, %s" : "%s%s", text,
                    field->type.lanes == 1 ? gen_assignable(g, field->type, 1) : settled_vector(g, field->type, 0));
  return gen_text(g, "{%s}", text);
}

void gen_records(struct gen *g) {
  uint32_t count = 1 + gen_below(g, 3);
  for (uint32_t i = 0; i < count; i++) {
    struct gen_record *record = &g->records[g->record_count];
    *record = (struct gen_record){.is_union = gen_chance(g, 25)};
    gen_open(g, "%s S%d", record->is_union ? "union" : "struct", g->record_count);
    record->field_count = 2 + (int)gen_below(g, 4);
    for (int k = 0; k < record->field_count; k++) {
      struct gen_field *field = &record->fields[k];
      snprintf(field->name, sizeof field->name, "f%d", k & 7);
      field->type = gen_random_type(g);
      if (record->is_union) { // eight bytes each, none of them a padding byte
        field->type = gen_scalar(gen_random_int(g));
        field->count = 8 / gen_base_size(field->type.base);
        if (field->count == 1)
          field->count = 0;
        else if (gen_chance(g, 40))
          field->type.lanes = (uint8_t)field->count, field->count = 0;
      } else if (gen_chance(g, 25)) {
        field->count = 2 + gen_below(g, 4);
      }
      if (field->count)
        gen_line(g, "%s %s[%u];", gen_type_name(g, field->type), field->name, field->count);
      else
        gen_line(g, "%s %s;", gen_type_name(g, field->type), field->name);
    }
    g->indent--;
    gen_line(g, "};");
    g->record_count++;
  }
}

static const char *record_initializer(struct gen *g, const struct gen_record *record) {
  if (record->is_union)
    return gen_text(g, gen_chance(g, 50) ? "{%s}" : "{.f0 = %s}", gen_initializer(g, &record->fields[0]));
  const char *text = "";
  bool named = gen_chance(g, 40);
  for (int k = 0; k < record->field_count; k++) {
    int at = named ? record->field_count - 1 - k : k;
    const char *value = gen_initializer(g, &record->fields[at]);
    if (named)
      value = gen_text(g, ".%s = %s", record->fields[at].name, value);
    text = gen_text(g, k ? "%s, %s" : "%s%s", text, value);
  }
  return gen_text(g, "{%s}", text);
}

void gen_record_variable(struct gen *g) {
  int at = (int)gen_below(g, (uint32_t)g->record_count);
  const struct gen_record *record = &g->records[at];
  const char *tag = gen_text(g, "%s S%d", record->is_union ? "union" : "struct", at);
  const char *init = record_initializer(g, record);
  uint32_t count = gen_chance(g, 25) ? 2 + gen_below(g, 3) : 0;
  for (uint32_t i = 1; i < count; i++)
    init = gen_text(g, "%s, %s", init, record_initializer(g, record));
  // Another variable of this type to copy from.
  const struct gen_var *from = NULL;
  for (int i = 0; i < g->var_count && !count; i++)
    if (g->vars[i].kind == GEN_VAR_STRUCT && g->vars[i].record == at && !g->vars[i].count && gen_chance(g, 50))
      from = &g->vars[i];
  const char *source = from ? gen_text(g, "%s", from->name) : NULL;
  bool pointer = from && gen_has(g, GEN_POINTERS) && gen_chance(g, 40) && source[0] != '(';
  struct gen_var *v = gen_declare(g, "s", gen_scalar(GEN_I32));
  v->kind = GEN_VAR_STRUCT, v->record = at, v->count = count;
  if (pointer) {
    gen_line(g, "%s *%s = &%s;", tag, v->name, source);
    char name[16];
    snprintf(name, sizeof name, "(*%.11s)", v->name);
    snprintf(v->name, sizeof v->name, "%s", name);
  } else if (source) {
    gen_line(g, "%s %s = %s;", tag, v->name, source);
  } else if (count) {
    gen_line(g, "%s %s[%u] = {%s};", tag, v->name, count, init);
  } else {
    gen_line(g, "%s %s = %s;", tag, v->name, init);
  }
}

static void array(struct gen *g) {
  struct gen_field field = {.type = gen_random_type(g), .count = 2 + gen_below(g, 7)};
  if (gen_chance(g, 40))
    field.count = 8, field.type = gen_scalar(GEN_I32); // what functions take
  if (field.type.lanes > 4)
    field.type.lanes = 4;
  const char *init = gen_initializer(g, &field);
  struct gen_var *v = gen_declare(g, "a", field.type);
  v->kind = GEN_VAR_ARRAY, v->count = field.count;
  gen_line(g, "%s %s[%u] = %s;", gen_type_name(g, field.type), v->name, field.count, init);
}

static void pointer(struct gen *g) {
  const struct gen_var *from = &g->vars[gen_below(g, (uint32_t)g->var_count)];
  const char *type = gen_type_name(g, from->type), *name = gen_text(g, "%s", from->name);
  bool readonly = from->readonly;
  if (from->kind == GEN_VAR_VALUE && !readonly) {
    struct gen_var *v = gen_declare(g, "p", from->type);
    v->kind = GEN_VAR_REFERENCE;
    gen_line(g, "%s *%s = &%s;", type, v->name, name);
  } else if (from->kind == GEN_VAR_ARRAY && !from->limit && !from->bias) {
    uint32_t bias = gen_below(g, from->count), count = from->count;
    const char *space = from->space;
    const struct gen_var *other = gen_chance(g, 30) ? gen_pick_array(g, !readonly) : NULL;
    struct gen_var *v;
    if (other && other->type.base == from->type.base && from->type.lanes == 1 && other->count >= count &&
        __builtin_strcmp(other->space, space) == 0) { // one of two arrays, per work-item
      const char *second = gen_text(g, "%s", other->name), *condition = gen_condition(g, 1);
      v = gen_declare(g, "p", from->type);
      gen_line(g, "%s %s *%s = (%s) ? %s : %s;", space, type, v->name, condition, name, second);
      bias = 0;
    } else {
      v = gen_declare(g, "p", from->type);
      gen_line(g, gen_chance(g, 50) ? "%s %s *%s = %s + %u;" : "%s %s *%s = &%s[%u];", space, type, v->name, name,
               bias);
    }
    v->kind = GEN_VAR_ARRAY, v->count = count, v->bias = (int)bias, v->space = space, v->readonly = readonly;
  }
}

void gen_declaration(struct gen *g) {
  uint32_t kind = gen_below(g, 100);
  if (kind < 15 && gen_has(g, GEN_ARRAYS)) {
    array(g);
  } else if (kind < 30 && g->record_count) {
    gen_record_variable(g);
  } else if (kind < 42 && gen_has(g, GEN_POINTERS)) {
    pointer(g);
  } else if (kind < 60) { // read-only with known bounds
    struct gen_expr e = gen_integer(g, gen_random_int(g), 3);
    struct gen_var *v = gen_declare(g, "c", e.type);
    v->readonly = true, v->lo = e.lo, v->hi = e.hi;
    gen_line(g, "const %s %s = %s;", gen_type_name(g, e.type), v->name, e.text);
  } else {
    struct gen_type type = gen_random_type(g);
    const char *init = gen_assignable(g, type, 3);
    struct gen_var *v = gen_declare(g, "v", type);
    gen_line(g, "%s %s = %s;", gen_type_name(g, type), v->name, init);
  }
}

// ---- assignments ----------------------------------------------------------------------------------------------------

static const char *float_update(struct gen *g, struct gen_type type, const char *place) {
  struct gen_expr a = {.text = place, .type = type, .mag = 1024, .frac = 4};
  struct gen_expr b = gen_float_settled(g, gen_float(g, type, 2));
  a.text = gen_text(g, "(%s %c %s)", place, "+-"[gen_below(g, 2)], b.text);
  a.mag = 2048;
  return gen_float_settled(g, a).text;
}

static void assign(struct gen *g) {
  struct gen_type type;
  const char *place = gen_place(g, &type, 1);
  if (!place)
    return;
  bool floats = gen_is_float(type.base), is_signed = gen_is_signed(type.base);
  bool narrow = type.base < GEN_I32 && type.lanes == 1;
  uint32_t kind = gen_below(g, 100);
  if (kind < 40 || (floats && gen_has(g, GEN_INEXACT))) {
    gen_line(g, "%s = %s;", place, gen_assignable(g, type, 3));
  } else if (floats) {
    gen_line(g, "%s = %s;", place, float_update(g, type, place));
  } else if (kind < 60) {
    gen_line(g, "%s %c= %s;", place, "&|^"[gen_below(g, 3)], gen_value(g, type, 2).text);
  } else if (kind < 70) {
    gen_line(g, "%s %s= %s;", place, gen_chance(g, 50) ? "<<" : ">>", gen_value(g, type, 1).text);
  } else if (kind < 76 && gen_has(g, GEN_DIVISION)) {
    gen_line(g, "%s %c= (%s & (%s)15) + (%s)1;", place, "/%"[gen_below(g, 2)], gen_value(g, type, 1).text,
             gen_type_name(g, gen_scalar(type.base)), gen_type_name(g, gen_scalar(type.base)));
  } else if (!is_signed || narrow) {
    const char *step = gen_chance(g, 50) ? "++" : "--";
    bool prefix = gen_chance(g, 50);
    if (gen_chance(g, 30))
      gen_line(g, "%s(%s)%s;", prefix ? step : "", place, prefix ? "" : step);
    else if (type.base == GEN_U16) // products of ushort are products of int
      gen_line(g, "%s %c= %s;", place, "+-"[gen_below(g, 2)], gen_value(g, type, 3).text);
    else
      gen_line(g, "%s %c= %s;", place, "+-*"[gen_below(g, 3)], gen_value(g, type, 3).text);
  } else {
    gen_line(g, "%s = %s;", place, gen_assignable(g, type, 3));
  }
}

// x = y++ and (x = e) in a condition.
static void side_effect(struct gen *g) {
  const struct gen_var *v = NULL, *w = NULL;
  for (int i = 0; i < g->var_count; i++) {
    const struct gen_var *x = &g->vars[i];
    if (x->kind != GEN_VAR_VALUE || x->readonly || x->type.lanes > 1 || x->type.base != GEN_U32)
      continue;
    if (!v || gen_chance(g, 50))
      w = v, v = x;
  }
  if (v && w && gen_chance(g, 50))
    gen_line(g, gen_chance(g, 50) ? "%s = %s++ + 3u;" : "%s += --%s;", v->name, w->name);
  else if (v)
    gen_line(g, "if ((%s = %s) > %uu) %s ^= 0x55u;", v->name, gen_integer(g, GEN_U32, 2).text, gen_below(g, 1000),
             v->name);
  else
    assign(g);
}

// ---- control flow ---------------------------------------------------------------------------------------------------

void gen_block(struct gen *g, int count) {
  int vars = g->var_count;
  g->depth++;
  for (int i = 0; i < count; i++)
    statement(g);
  g->depth--;
  g->var_count = vars;
}

static void branch(struct gen *g) {
  gen_open(g, "if (%s)", gen_condition(g, 2));
  gen_block(g, 1 + (int)gen_below(g, 3));
  for (int i = 0; i < 3 && gen_chance(g, 40); i++) {
    g->indent--;
    bool last = gen_chance(g, 60);
    if (last)
      gen_open(g, "} else");
    else
      gen_open(g, "} else if (%s)", gen_condition(g, 1));
    gen_block(g, 1 + (int)gen_below(g, 3));
    if (last)
      break;
  }
  gen_close(g);
}

// The number of rounds: a text with a value of at most *most.
static const char *rounds(struct gen *g, uint32_t *most) {
  uint32_t limit = g->scale >= 16 ? 3 : g->scale > 4 ? 5 : 9;
  *most = 1 + gen_below(g, limit);
  if (gen_chance(g, 35))
    return gen_text(g, "%u", *most);
  if (gen_chance(g, 60)) {
    uint32_t mask = limit > 7 ? 7 : 3;
    *most = mask;
    return gen_text(g, "(int)(%s & %u)", gen_integer(g, gen_random_int(g), 2).text, mask);
  }
  return gen_text(g, "(int)%s", gen_index(g, *most + 1, 1));
}

static void loop_body(struct gen *g, uint32_t most, int count) {
  uint32_t scale = g->scale;
  g->scale *= most ? most : 1;
  g->loop_depth++;
  gen_block(g, count);
  g->loop_depth--;
  g->scale = scale;
}

static void loop(struct gen *g) {
  uint32_t most;
  int vars = g->var_count, count = 1 + (int)gen_below(g, 4);
  const char *bound = rounds(g, &most);
  static const uint8_t types[] = {GEN_I32, GEN_I32, GEN_U32, GEN_I64, GEN_U8, GEN_I16, GEN_U64};
  uint8_t base = types[gen_below(g, sizeof types)];
  struct gen_var *i = gen_declare(g, "i", gen_scalar(base));
  const char *type = gen_type_name(g, i->type), *name = gen_text(g, "%s", i->name);
  i->readonly = true, i->lo = 0, i->hi = most ? most - 1 : 0;
  uint32_t shape = gen_below(g, 7);
  if (gen_chance(g, 10) && shape != 3 && shape != 4)
    gen_line(g, gen_chance(g, 50) ? "#pragma unroll" : "#pragma unroll 2");
  switch (shape) {
  case 0:
    i->hi = most * 3;
    gen_open(g, "for (%s %s = %u; %s < %u + %s; %s += %u)", type, name, gen_below(g, 2), name, most, bound, name,
             1 + gen_below(g, 3));
    loop_body(g, most * 2, count);
    break;
  case 1:
    gen_open(g, "for (%s %s = %s; %s-- > 0;)", type, name, bound, name);
    loop_body(g, most, count);
    break;
  case 2:
    i->hi = 64;
    gen_open(g, "for (%s %s = 1; %s < %u; %s <<= 1)", type, name, name, 2u << gen_below(g, 5), name);
    loop_body(g, 5, count);
    break;
  case 3:
    i->hi = most;
    gen_line(g, "%s %s = 0;", type, name);
    gen_open(g, "while (%s < %s && (%s))", name, bound, gen_condition(g, 1));
    gen_line(g, "%s++;", name);
    loop_body(g, most, count);
    break;
  case 4:
    i->hi = most;
    gen_line(g, "%s %s = 0;", type, name);
    gen_open(g, "do");
    loop_body(g, most + 1, count);
    g->indent--;
    gen_line(g, "} while (%s++ < %s%s);", name, bound,
             gen_chance(g, 40) ? gen_text(g, " && (%s)", gen_condition(g, 1)) : "");
    g->var_count = vars;
    return;
  default:
    gen_open(g, "for (%s %s = 0; %s < %s; %s)", type, name, name, bound,
             gen_text(g, gen_chance(g, 50) ? "%s++" : "++%s", name));
    loop_body(g, most, count);
    break;
  }
  g->var_count = vars;
  gen_close(g);
}

static void selection(struct gen *g) {
  uint32_t cases = 2 + gen_below(g, 5), where = gen_below(g, cases * 2);
  uint8_t base = gen_random_int(g);
  int loop_depth = g->loop_depth;
  gen_open(g, "switch (%s %% %u)", gen_integer(g, gen_unsigned_of(base), 2).text, cases + gen_below(g, 2));
  for (uint32_t i = 0; i < cases; i++) {
    if (i == where) {
      gen_line(g, "default:;");
      gen_block(g, 1);
      gen_line(g, "break;");
    }
    uint32_t last = i + (gen_has(g, GEN_GNU) && gen_chance(g, 50) ? gen_below(g, 3) : 0),
             end = i < where ? where : cases;
    last = last < end && last < cases ? last : i;
    if (last > i)
      gen_line(g, "case %u ... %u:", i, last);
    else
      gen_line(g, gen_chance(g, 80) ? "case %u:" : "case %u + 0:", i);
    i = last;
    if (gen_chance(g, 20))
      continue; // two labels in a row
    gen_line(g, ";");
    gen_open(g, " ");
    gen_block(g, 1 + (int)gen_below(g, 2));
    gen_close(g);
    if (gen_chance(g, 30))
      gen_line(g, "if (%s) break;", gen_condition(g, 1));
    if (gen_chance(g, 65))
      gen_line(g, "break;");
  }
  gen_line(g, ";");
  g->loop_depth = loop_depth;
  gen_close(g);
}

static void jump(struct gen *g) {
  if (g->loop_depth && gen_has(g, GEN_JUMPS) && gen_chance(g, 75))
    gen_line(g, "if (%s) %s;", gen_condition(g, 2), gen_chance(g, 50) ? "break" : "continue");
  else if (g->in_function && !g->in_procedure && gen_has(g, GEN_RETURNS))
    gen_line(g, "if (%s) return %s;", gen_condition(g, 2), gen_assignable(g, g->result, 2));
  else if (gen_has(g, GEN_RETURNS) && !gen_has(g, GEN_BARRIERS) && !g->in_function)
    gen_line(g, "if (%s) return;", gen_condition(g, 2));
  else
    assign(g);
}

// Forward out of blocks and loops, or back a bounded number of times.
static void jumps_by_label(struct gen *g) {
  int label = g->counter++, vars = g->var_count;
  int loop_depth = g->loop_depth;
  g->loop_depth = 0; // a continue would not pass the label
  if (gen_chance(g, 70)) {
    gen_open(g, " ");
    gen_block(g, 1);
    gen_line(g, "if (%s) goto L%d;", gen_condition(g, 2), label);
    gen_block(g, 1 + (int)gen_below(g, 2));
    if (gen_chance(g, 50) && g->scale < 16) {
      gen_open(g, "for (int q%d = 0; q%d < 3; q%d++)", label, label, label);
      loop_body(g, 3, 1);
      gen_line(g, "if (%s) goto L%d;", gen_condition(g, 1), label);
      loop_body(g, 3, 1);
      gen_close(g);
    }
    gen_close(g);
    gen_line(g, "L%d:;", label);
  } else if (g->scale < 16) {
    gen_line(g, "uint r%d = 0;", label);
    gen_line(g, "L%d:;", label);
    gen_open(g, " ");
    g->scale *= 3;
    gen_block(g, 1 + (int)gen_below(g, 2));
    g->scale /= 3;
    gen_close(g);
    gen_line(g, "if (++r%d < %s && (%s)) goto L%d;", label, gen_text(g, "%uu", 2 + gen_below(g, 2)),
             gen_condition(g, 1), label);
  }
  g->loop_depth = loop_depth;
  g->var_count = vars;
}

static void output(struct gen *g) {
  if (!g->output_count || g->in_function)
    return;
  const struct gen_output *o = &g->outputs[gen_below(g, (uint32_t)g->output_count)];
  const char *place = gen_own(g, o);
  bool fits = !gen_is_signed(o->type.base) || o->type.base < GEN_I32;
  if (gen_chance(g, 70) || o->type.lanes > 1 || gen_is_float(o->type.base))
    gen_line(g, "%s = %s;", place, gen_assignable(g, o->type, 3));
  else
    gen_line(g, "%s %s= %s;", place, fits ? "+" : "^", gen_integer(g, o->type.base, 3).text);
}

static void nested(struct gen *g) {
  gen_open(g, " ");
  gen_block(g, 2);
  gen_close(g);
}

// What the work-items of a sub-group that are here do together.
static void sub_group(struct gen *g) {
  static const char *const names[] = {"add", "mul", "min", "max", "and", "or", "xor"};
  static const char *const forms[] = {"reduce", "scan_inclusive", "scan_exclusive"};
  uint8_t base = gen_chance(g, 75) ? GEN_U32 : GEN_U64;
  const char *x = gen_integer(g, base, 2).text, *value;
  const char *type = gen_type_name(g, gen_scalar(base));
  switch (gen_below(g, 8)) {
  case 0:
    value = gen_text(g, "sub_group_ballot(%s).%c", gen_condition(g, 2), gen_chance(g, 80) ? 'x' : 'y');
    break;
  case 1:
    value = gen_text(g, "sub_group_%s(%s)", gen_chance(g, 50) ? "any" : "all", gen_condition(g, 2));
    break;
  case 2:
    value = gen_text(g, "sub_group_broadcast_first((%s)(%s))", type, x);
    break;
  case 3:
    value = gen_text(g, "sub_group_shuffle((%s)(%s), sub_group_ballot_find_msb(sub_group_ballot(1)))", type, x);
    break;
  case 4:
    value = gen_text(g, "sub_group_clustered_reduce_%s((%s)(%s), %u)", names[gen_below(g, 7)], type, x,
                     1u << gen_below(g, 3));
    break;
  case 5:
    value = gen_text(g, "get_sub_group_local_id() + get_sub_group_size() * get_sub_group_id()");
    break;
  default:
    value =
        gen_text(g, "sub_group_non_uniform_%s_%s((%s)(%s))", forms[gen_below(g, 3)], names[gen_below(g, 7)], type, x);
    break;
  }
  struct gen_var *v = gen_declare(g, "v", gen_scalar(base));
  gen_line(g, "%s %s = %s;", type, v->name, value);
}

static void statement(struct gen *g) {
  if (gen_has(g, GEN_SUB_GROUPS) && g->var_count < 150 && gen_chance(g, 8)) {
    g->work += g->scale * 6;
    sub_group(g);
    return;
  }
  uint32_t kind = gen_below(g, 100);
  g->work += g->scale * 3;
  bool deep = g->depth > 4 || g->work > 3000 || g->code_size > 20000;
  if (gen_has(g, GEN_SHAPES) && !g->in_function && g->depth <= 3 && g->var_count < 150 && gen_chance(g, 15) && !deep &&
      gen_shape(g, NULL, NULL))
    return;
  if (kind < 18 && g->var_count < 150 && g->code_size < 24000)
    gen_declaration(g);
  else if (kind < 30 && !deep)
    branch(g);
  else if (kind < 42 && !deep && g->scale <= 24 && gen_has(g, GEN_LOOPS))
    loop(g);
  else if (kind < 47 && !deep && gen_has(g, GEN_SWITCHES))
    selection(g);
  else if (kind < 54)
    jump(g);
  else if (kind < 57 && !deep && gen_has(g, GEN_GOTOS))
    jumps_by_label(g);
  else if (kind < 67 && !deep)
    gen_idiom(g);
  else if (kind < 74)
    output(g);
  else if (kind < 77 && g->atomic_arg[0] >= 0 && !g->in_function)
    gen_atomic(g);
  else if (kind < 80)
    side_effect(g);
  else if (kind < 82 && !deep)
    nested(g);
  else if (kind < 87 && gen_extra(g))
    return;
  else
    assign(g);
}
