// Finds an operation by its name with types and modifiers, and checks that the module's version and target have it.
#include <stdio.h>

#include "tests/cuda/emulator/parse.h"

void unknown_operation(struct parser *p, const struct form *form) {
  parser_fail(p, PTX_UNKNOWN_OPERATION, "operation %.*s is not modelled", (int)form->size, form->text);
}

void need(struct parser *p, const struct form *form, unsigned version, unsigned sm) {
  if (p->module->version < version)
    parser_fail(p, PTX_TOO_NEW, "%.*s needs .version %u.%u", (int)form->size, form->text, version / 10, version % 10);
  else if (p->module->target < sm)
    parser_fail(p, PTX_TOO_NEW, "%.*s needs .target sm_%u", (int)form->size, form->text, sm);
}

bool part_is(const struct form *form, uint32_t index, const char *text) {
  return index < form->count && strlen(text) == form->sizes[index] && !memcmp(text, form->parts[index], strlen(text));
}

enum type part_type(struct parser *p, const struct form *form, uint32_t index) {
  enum type type = index < form->count ? type_of_text(form->parts[index], form->sizes[index]) : T_NONE;
  if (type == T_NONE)
    unknown_operation(p, form);
  return type;
}

const char *operation_name(struct parser *p, const char *base) {
  size_t i = 0;
  for (; i < sizeof p->names / sizeof *p->names - 1 && p->names[i]; i++)
    if (!strcmp(p->names[i], base))
      return p->names[i];
  return p->names[i] = pool_text(&p->module->pool, base, strlen(base));
}

// ---- arithmetic

static bool take_modifier(const struct form *form, uint32_t index, struct known_form *known) {
  static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
  for (uint8_t r = 0; r < 4; r++)
    if (part_is(form, index, roundings[r])) {
      known->rounding = r;
      return true;
    }
  bool *flag = part_is(form, index, "ftz")   ? &known->flushes
               : part_is(form, index, "sat") ? &known->saturates
               : part_is(form, index, "NaN") ? &known->makes_nan
                                             : NULL;
  if (flag)
    *flag = true;
  return flag != NULL;
}

static uint32_t modifiers_of(const struct known_form *known) {
  uint32_t result = 0;
  if (known->rounding != ROUND_NONE)
    result |= known->rounding == ROUND_NEAREST ? MODIFIER_NEAREST : MODIFIER_DIRECTED;
  return result | (known->flushes ? MODIFIER_FLUSH : 0) | (known->saturates ? MODIFIER_SATURATE : 0) |
         (known->makes_nan ? MODIFIER_NAN : 0);
}

static void find_arithmetic(struct parser *p, const struct form *form, struct known_form *known) {
  char name[128];
  *known = (struct known_form){.text = form->text, .size = form->size, .rounding = ROUND_NONE};
  snprintf(name, sizeof name, "%.*s", (int)form->size, form->text);
  const struct operation *operation = arithmetic_find(name);
  int used = snprintf(name, sizeof name, "%s", form->base);
  for (uint32_t i = 0; !operation && i < form->count && used < (int)sizeof name; i++)
    if (!take_modifier(form, i, known))
      used += snprintf(name + used, sizeof name - (size_t)used, ".%.*s", (int)form->sizes[i], form->parts[i]);
  if (!operation)
    operation = arithmetic_find(name);
  uint32_t have = modifiers_of(known);
  if (!operation) {
    unknown_operation(p, form);
    return;
  }
  known->operation = operation;
  if (have & ~operation->modifiers)
    parser_fail(p, PTX_SYNTAX, "%.*s: a modifier that the operation does not have", (int)form->size, form->text);
  else if (operation->modifiers & MODIFIER_MUST && !(have & MODIFIER_ROUND))
    parser_fail(p, PTX_SYNTAX, "%.*s: without rounding mode", (int)form->size, form->text);
}

static void decode_arithmetic(struct parser *p, const struct form *form, struct instruction *in) {
  uint32_t hash = form->size;
  for (uint32_t i = 0; i < form->size; i++)
    hash = hash * 31 + (uint8_t)form->text[i];
  struct known_form *known = &p->known[hash % (sizeof p->known / sizeof *p->known)];
  if (known->size != form->size || memcmp(known->text, form->text, form->size) != 0)
    find_arithmetic(p, form, known);
  if (p->failed)
    return;
  const struct operation *operation = known->operation;
  need(p, form, operation->version, operation->sm);
  if (known->makes_nan)
    need(p, form, 70, 80);
  in->rounding = known->rounding;
  in->flushes = known->flushes;
  in->saturates = known->saturates;
  in->makes_nan = known->makes_nan;
  bool is_modified = (in->rounding != ROUND_NONE && in->rounding != ROUND_NEAREST) || in->flushes || in->saturates;
  in->run = is_modified ? operation->run_modified : operation->run;
  read_target(p, in, 0, (enum type)operation->to, OPERAND_EXACT);
  for (unsigned s = 0; s < operation->sources; s++) {
    expect(p, ",");
    in->from[s] = read_source(p, (enum type)operation->from[s], OPERAND_EXACT);
  }
}

// ---- all operations

void decode(struct parser *p, const struct form *form, struct instruction *in) {
  static const struct {
    const char *name;
    unsigned version, sm;
    void (*decode)(struct parser *p, const struct form *form, struct instruction *in);
  } rows[] = {
#define DECODED(name, version, sm, function) {#name, version, sm, function},
#include "tests/cuda/emulator/decoded.def"
#undef DECODED
  };
  in->name = operation_name(p, form->base);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].name, form->base)) {
      need(p, form, rows[i].version, rows[i].sm);
      rows[i].decode(p, form, in);
      return;
    }
  decode_arithmetic(p, form, in);
}
