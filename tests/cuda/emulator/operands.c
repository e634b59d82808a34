// Reads operands: each becomes a slot of the function's frame.
#include <stdlib.h>

#include "tests/cuda/emulator/parse.h"

// ---- constants

static uint32_t constant_place(const struct parser *p, uint64_t bits) {
  uint64_t h = bits * UINT64_C(0x9e3779b97f4a7c15) >> 32;
  uint32_t i = (uint32_t)(h & (p->constant_capacity - 1));
  while (p->constants[i].slot && p->constants[i].bits != bits)
    i = (i + 1) & (uint32_t)(p->constant_capacity - 1);
  return i;
}

static void enlarge_constants(struct parser *p) {
  struct constant *old = p->constants;
  size_t capacity = p->constant_capacity;
  p->constant_capacity = capacity ? 2 * capacity : 256;
  p->constants = calloc(p->constant_capacity, sizeof *p->constants);
  if (!p->constants)
    abort();
  for (size_t i = 0; i < capacity; i++)
    if (old[i].slot)
      p->constants[constant_place(p, old[i].bits)] = old[i];
  free(old);
}

uint32_t constant_slot(struct parser *p, uint64_t bits) {
  if (2 * (p->constant_count + 1) > p->constant_capacity)
    enlarge_constants(p);
  struct constant *constant = &p->constants[constant_place(p, bits)];
  if (!constant->slot) {
    *constant = (struct constant){bits, new_slots(p, 1, bits, false, false)};
    p->constant_count++;
  }
  return constant->slot;
}

// The slot that something has by call.
static uint32_t fixup_slot(struct parser *p, struct fixup fixup) {
  struct function *f = p->function;
  for (size_t i = 0; i < f->fixup_count; i++) {
    const struct fixup *x = &f->fixups[i];
    if (x->kind == fixup.kind && x->special == fixup.special && x->variable == fixup.variable &&
        x->addend == fixup.addend)
      return x->slot;
  }
  fixup.slot = new_slots(p, 1, 0, false, false);
  f->fixups = grow(f->fixups, f->fixup_count, &f->fixup_capacity, sizeof fixup);
  f->fixups[f->fixup_count++] = fixup;
  return fixup.slot;
}

// ---- names

static const struct {
  const char *text;
  unsigned bits;
} specials[] = {
#define SPECIAL(name, text, bits) {text, bits},
#include "tests/cuda/emulator/special.def"
#undef SPECIAL
};

static enum special find_special(const struct token *name) {
  for (int s = 0; s < SPECIAL_NONE; s++)
    if (strlen(specials[s].text) == name->size && !memcmp(specials[s].text, name->text, name->size))
      return (enum special)s;
  return SPECIAL_NONE;
}

static uint32_t variable_slot(struct parser *p, const struct variable *variable, int64_t addend) {
  struct fixup fixup = {.special = SPECIAL_NONE, .variable = variable, .addend = addend};
  switch (variable->space) {
  case SPACE_GLOBAL:
  case SPACE_CONST:
    return constant_slot(p, variable->address + (uint64_t)addend);
  case SPACE_SHARED:
    fixup.kind = FIX_SHARED;
    return fixup_slot(p, fixup);
  case SPACE_LOCAL:
    fixup.kind = FIX_LOCAL;
    return fixup_slot(p, fixup);
  case SPACE_PARAM:
    if (variable->is_argument)
      return constant_slot(p, FIRST_PARAM + variable->address + (uint64_t)addend);
    fixup.kind = FIX_PARAM;
    return fixup_slot(p, fixup);
  case SPACE_GENERIC:
  case SPACE_NONE:
    break;
  }
  parser_fail(p, PTX_SYNTAX, "%s is in no space", variable->name);
  return 0;
}

// ---- registers

// Bits fit all; integers of both signs fit each other; floats fit theirs and, of a half, what has its size.
static bool fits(enum type operand, enum type reg, unsigned flags) {
  enum type_class a = type_class(operand), b = type_class(reg);
  unsigned have = type_bits(reg), want = type_bits(operand);
  if (a == CLASS_PREDICATE || b == CLASS_PREDICATE)
    return a == b;
  if (have < want || (have > want && !(flags & OPERAND_WIDER)))
    return false;
  if (a == CLASS_BITS || b == CLASS_BITS)
    return true;
  return (a == CLASS_FLOAT) == (b == CLASS_FLOAT);
}

static struct symbol *find_register(struct parser *p, const struct token *name, enum type type, unsigned flags,
                                    uint32_t *slot) {
  struct symbol *symbol = find_symbol(p, name->text, name->size, slot);
  if (!symbol) {
    parser_fail(p, PTX_SYNTAX, "%.*s is not declared", (int)name->size, name->text);
    return NULL;
  }
  if (symbol->kind == SYMBOL_REGISTERS && !fits(type, symbol->type, flags)) {
    parser_fail(p, PTX_SYNTAX, "%.*s is of type .%s, not .%s", (int)name->size, name->text, type_text(symbol->type),
                type_text(type));
    return NULL;
  }
  return symbol;
}

static uint32_t read_named_source(struct parser *p, enum type type, unsigned flags) {
  struct token name = take_name(p);
  if (p->failed)
    return 0;
  if (name.size == 7 && !memcmp(name.text, "WARP_SZ", 7))
    return constant_slot(p, WARP);
  enum special special = *name.text == '%' ? find_special(&name) : SPECIAL_NONE;
  if (special != SPECIAL_NONE) {
    if (type_bits(type) > specials[special].bits && !(flags & OPERAND_WIDER))
      parser_fail(p, PTX_SYNTAX, "%.*s has %u bits", (int)name.size, name.text, specials[special].bits);
    return fixup_slot(p, (struct fixup){.kind = FIX_SPECIAL, .special = special});
  }
  uint32_t slot = 0;
  struct symbol *symbol = find_register(p, &name, type, flags, &slot);
  if (!symbol || symbol->kind == SYMBOL_REGISTERS)
    return slot;
  if (type_bits(type) < (symbol->kind == SYMBOL_VARIABLE ? 32 : 64))
    parser_fail(p, PTX_SYNTAX, "an address as .%s", type_text(type));
  if (symbol->kind == SYMBOL_FUNCTION)
    return constant_slot(p, symbol->function->address);
  int64_t addend = token_is(p, "+") || token_is(p, "-") ? (int64_t)take_integer(p) : 0;
  return p->failed ? 0 : variable_slot(p, symbol->variable, addend);
}

static uint64_t number_as(struct parser *p, enum type type, bool negates) {
  uint64_t bits = p->token.bits;
  enum token_kind kind = p->token.kind;
  bool is_float = type_class(type) == CLASS_FLOAT;
  if (kind == TOKEN_INTEGER) {
    if (is_float)
      parser_fail(p, PTX_SYNTAX, "an integer as .%s", type_text(type));
    return (negates ? -bits : bits) & type_mask(type_bits(type));
  }
  if (!is_float && type_class(type) != CLASS_BITS)
    parser_fail(p, PTX_SYNTAX, "a float as .%s", type_text(type));
  if (kind == TOKEN_SINGLE && type_bits(type) == 64)
    bits = put_F64((double)get_F32(bits));
  else if (kind == TOKEN_DOUBLE && type_bits(type) == 32)
    bits = put_F32((F32)get_F64(bits));
  else if (type_bits(type) < 32)
    parser_fail(p, PTX_SYNTAX, "a float as .%s", type_text(type));
  return negates ? bits ^ UINT64_C(1) << (type_bits(type) - 1) : bits;
}

uint32_t read_source(struct parser *p, enum type type, unsigned flags) {
  bool negates = false;
  if (p->token.kind == TOKEN_WORD)
    return read_named_source(p, type, flags);
  for (; token_is(p, "-") || token_is(p, "+"); next_token(p))
    negates ^= *p->token.text == '-';
  if (p->token.kind != TOKEN_INTEGER && p->token.kind != TOKEN_SINGLE && p->token.kind != TOKEN_DOUBLE) {
    parser_fail(p, PTX_SYNTAX, "an operand expected before '%.*s'", (int)p->token.size, p->token.text);
    return 0;
  }
  uint64_t bits = number_as(p, type, negates);
  next_token(p);
  return p->failed ? 0 : constant_slot(p, bits);
}

uint32_t read_predicate(struct parser *p, struct instruction *in) {
  in->negates = take(p, "!");
  return read_source(p, T_PRED, OPERAND_EXACT);
}

void read_target(struct parser *p, struct instruction *in, unsigned index, enum type type, unsigned flags) {
  struct token name = take_name(p);
  uint32_t slot = 0;
  in->to[index] = 0;
  in->mask[index] = type_mask(type_bits(type));
  if (p->failed || (name.size == 1 && *name.text == '_'))
    return;
  struct symbol *symbol = find_register(p, &name, type, flags, &slot);
  if (!symbol)
    return;
  if (symbol->kind != SYMBOL_REGISTERS)
    parser_fail(p, PTX_SYNTAX, "%.*s is no register", (int)name.size, name.text);
  in->mask[index] = type_mask(type_bits(symbol->type));
  in->to[index] = slot;
}

// ---- addresses

static void check_space(struct parser *p, const struct instruction *in, const struct variable *variable, int64_t offset,
                        unsigned bytes) {
  enum space space = in->memory.space;
  if (space != variable->space && !(space == SPACE_GENERIC && variable->space == SPACE_GLOBAL))
    parser_fail(p, PTX_SYNTAX, "%s is in another space", variable->name);
  else if (space == SPACE_PARAM && (offset < 0 || (uint64_t)offset + bytes > variable->size))
    parser_fail(p, PTX_ADDRESS, "%u bytes at %lld of %s, which has %llu", bytes, (long long)offset, variable->name,
                (unsigned long long)variable->size);
}

void read_address(struct parser *p, struct instruction *in, unsigned index, unsigned bytes) {
  expect(p, "[");
  const struct variable *variable = NULL;
  if (p->token.kind == TOKEN_WORD) {
    struct token name = take_name(p);
    uint32_t slot = 0;
    struct symbol *symbol = find_symbol(p, name.text, name.size, &slot);
    if (symbol && symbol->kind == SYMBOL_REGISTERS) {
      unsigned bits = type_bits(symbol->type);
      bool is_narrow = in->memory.space != SPACE_GENERIC && in->memory.space != SPACE_GLOBAL;
      if (type_class(symbol->type) == CLASS_FLOAT || (bits != 64 && !(bits == 32 && is_narrow)))
        parser_fail(p, PTX_SYNTAX, "%.*s of type .%s as an address", (int)name.size, name.text,
                    type_text(symbol->type));
      in->from[index] = slot;
    } else if (symbol && symbol->kind == SYMBOL_VARIABLE) {
      variable = symbol->variable;
      in->from[index] = variable_slot(p, variable, 0);
    } else {
      parser_fail(p, PTX_SYNTAX, "%.*s is not declared", (int)name.size, name.text);
    }
  } else {
    in->from[index] = constant_slot(p, take_integer(p));
  }
  if (token_is(p, "+") || token_is(p, "-"))
    in->memory.offset = (int64_t)take_integer(p);
  if (variable && !p->failed)
    check_space(p, in, variable, in->memory.offset, bytes);
  expect(p, "]");
}
