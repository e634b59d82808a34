// Comparisons, choices and moves.
#include "tests/cuda/emulator/parse.h"

// ---- comparisons

#define COMPARE(name, T, value)                                                                                        \
  static bool compare_##name##_##T(uint64_t x, uint64_t y) {                                                           \
    T a = get_##T(x), b = get_##T(y);                                                                                  \
    return value;                                                                                                      \
  }
#include "tests/cuda/emulator/compare.def"
#undef COMPARE

static const struct comparison {
  const char *name;
  enum type type;
  bool (*compare)(uint64_t a, uint64_t b);
} comparisons[] = {
#define COMPARE(name, T, value) {#name, T_##T, compare_##name##_##T},
#include "tests/cuda/emulator/compare.def"
#undef COMPARE
};

static bool connect_and(bool a, bool b) { return a && b; }
static bool connect_or(bool a, bool b) { return a || b; }
static bool connect_xor(bool a, bool b) { return a != b; }

// Reads .CMP{.BOOL}{.ftz} and the type of the operands, which is the last part.
static enum type read_comparison(struct parser *p, const struct form *form, struct instruction *in, uint32_t types) {
  enum type type = part_type(p, form, form->count - 1), element = type;
  element = type == T_F16X2 ? T_F16 : type == T_BF16X2 ? T_BF16 : type;
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons && !p->failed; i++)
    if (comparisons[i].type == element && part_is(form, 0, comparisons[i].name))
      in->u.compare = comparisons[i].compare;
  if (!in->u.compare)
    unknown_operation(p, form);
  for (uint32_t i = 1; i + types < form->count; i++) {
    if (part_is(form, i, "and"))
      in->connect = connect_and;
    else if (part_is(form, i, "or"))
      in->connect = connect_or;
    else if (part_is(form, i, "xor"))
      in->connect = connect_xor;
    else if (part_is(form, i, "ftz") && (element == T_F32 || element == T_F16))
      in->flushes = true;
    else
      unknown_operation(p, form);
  }
  if (element == T_F16)
    need(p, form, 42, 53);
  if (element == T_BF16)
    need(p, form, 78, 90);
  in->mode = (uint8_t)type;
  return type;
}

static uint64_t compare_operand(const struct item *item, const struct instruction *in, unsigned index) {
  uint64_t bits = item->r[in->from[index]];
  if (in->flushes && in->mode == T_F32)
    return put_F32(flush_F32(get_F32(bits)));
  if (in->flushes && in->mode == T_F16)
    return put_F16(flush_F16(get_F16(bits)));
  return bits;
}

static bool connected(const struct item *item, const struct instruction *in, bool value) {
  return in->connect ? in->connect(value, (item->r[in->from[2]] & 1) != in->negates) : value;
}

static void run_setp(struct item *item, struct instruction *in) {
  item->r[in->to[0]] = in->u.compare(item->r[in->from[0]], item->r[in->from[1]]);
}

// The second target is the contrary, combined with the same predicate.
static void run_setp_modified(struct item *item, struct instruction *in) {
  bool value = in->u.compare(compare_operand(item, in, 0), compare_operand(item, in, 1));
  bool first = connected(item, in, value), second = connected(item, in, !value);
  item->r[in->to[0]] = first;
  item->r[in->to[1]] = second;
}

static void run_setp_halves(struct item *item, struct instruction *in) {
  uint64_t a = item->r[in->from[0]], b = item->r[in->from[1]];
  bool low = connected(item, in, in->u.compare(a & 65535, b & 65535));
  bool high = connected(item, in, in->u.compare(a >> 16, b >> 16));
  item->r[in->to[0]] = low;
  item->r[in->to[1]] = high;
}

void decode_setp(struct parser *p, const struct form *form, struct instruction *in) {
  enum type type = read_comparison(p, form, in, 1);
  if (p->failed)
    return;
  bool is_packed = type == T_F16X2 || type == T_BF16X2;
  read_target(p, in, 0, T_PRED, OPERAND_EXACT);
  bool has_second = take(p, "|");
  if (has_second)
    read_target(p, in, 1, T_PRED, OPERAND_EXACT);
  for (unsigned i = 0; i < 2; i++) {
    expect(p, ",");
    in->from[i] = read_source(p, type, OPERAND_EXACT);
  }
  if (in->connect) {
    expect(p, ",");
    in->from[2] = read_predicate(p, in);
  }
  in->run = is_packed ? run_setp_halves : has_second || in->connect || in->flushes ? run_setp_modified : run_setp;
}

static void run_set(struct item *item, struct instruction *in) {
  bool value = connected(item, in, in->u.compare(compare_operand(item, in, 0), compare_operand(item, in, 1)));
  uint64_t one = in->count == T_F32 ? put_F32(1) : in->count == T_F16 ? put_F16(1) : UINT32_MAX;
  item->r[in->to[0]] = value ? one : 0;
}

void decode_set(struct parser *p, const struct form *form, struct instruction *in) {
  enum type type = read_comparison(p, form, in, 2);
  enum type to = form->count > 2 ? part_type(p, form, form->count - 2) : T_NONE;
  if (p->failed)
    return;
  if (type == T_F16X2 || type == T_BF16X2 || type == T_BF16 ||
      (to != T_U32 && to != T_S32 && to != T_F32 && !(to == T_F16 && type == T_F16)))
    unknown_operation(p, form);
  in->count = (uint8_t)to;
  read_target(p, in, 0, to, OPERAND_EXACT);
  for (unsigned i = 0; i < 2; i++) {
    expect(p, ",");
    in->from[i] = read_source(p, type, OPERAND_EXACT);
  }
  if (in->connect) {
    expect(p, ",");
    in->from[2] = read_predicate(p, in);
  }
  in->run = run_set;
}

// ---- choices

static void run_selp(struct item *item, struct instruction *in) {
  item->r[in->to[0]] = item->r[in->from[item->r[in->from[2]] & 1 ? 0 : 1]];
}

void decode_selp(struct parser *p, const struct form *form, struct instruction *in) {
  enum type type = part_type(p, form, 0);
  if (form->count != 1 || type == T_PRED || type_bits(type) < 16 || type == T_F16 || type == T_BF16)
    unknown_operation(p, form);
  if (p->failed)
    return;
  read_target(p, in, 0, type, OPERAND_EXACT);
  for (unsigned i = 0; i < 2; i++) {
    expect(p, ",");
    in->from[i] = read_source(p, type, OPERAND_EXACT);
  }
  expect(p, ",");
  in->from[2] = read_source(p, T_PRED, OPERAND_EXACT);
  in->run = run_selp;
}

static void run_slct(struct item *item, struct instruction *in) {
  uint64_t c = item->r[in->from[2]];
  F32 number = in->flushes ? flush_F32(get_F32(c)) : get_F32(c);
  bool first = in->mode == T_S32 ? get_S32(c) >= 0 : number >= 0;
  item->r[in->to[0]] = item->r[in->from[first ? 0 : 1]];
}

void decode_slct(struct parser *p, const struct form *form, struct instruction *in) {
  in->flushes = part_is(form, 0, "ftz");
  enum type type = part_type(p, form, in->flushes), by = part_type(p, form, in->flushes + 1);
  if (p->failed)
    return;
  if (by != T_S32 && by != T_F32)
    unknown_operation(p, form);
  in->mode = (uint8_t)by;
  read_target(p, in, 0, type, OPERAND_EXACT);
  for (unsigned i = 0; i < 3; i++) {
    expect(p, ",");
    in->from[i] = read_source(p, i < 2 ? type : by, OPERAND_EXACT);
  }
  in->run = run_slct;
}

// ---- moves

static void run_mov(struct item *item, struct instruction *in) { item->r[in->to[0]] = item->r[in->from[0]]; }

// Each read of a clock is later than the one before.
static void run_mov_clock(struct item *item, struct instruction *in) {
  uint64_t clock = item->machine->clock += 16;
  item->r[in->to[0]] = (in->memory.offset ? clock >> 32 : clock) & in->mask[0];
}

static void run_mov_pack(struct item *item, struct instruction *in) {
  uint64_t value = 0, mask = type_mask(in->mode);
  for (unsigned i = 0; i < in->count; i++)
    value |= (item->r[in->from[i]] & mask) << (i * in->mode);
  item->r[in->to[0]] = value;
}

static void run_mov_unpack(struct item *item, struct instruction *in) {
  uint64_t value = item->r[in->from[0]], mask = type_mask(in->mode);
  for (unsigned i = 0; i < in->count; i++)
    item->r[in->to[i]] = value >> (i * in->mode) & mask;
}

static enum type element_type(struct parser *p, const struct form *form, enum type type, unsigned count) {
  unsigned bits = type_bits(type) / count;
  if (bits < 8 || count < 2 || (type_class(type) != CLASS_BITS))
    unknown_operation(p, form);
  return bits == 8 ? T_B8 : bits == 16 ? T_B16 : T_B32;
}

// How many operands are in the braces that begin here.
static unsigned count_elements(const struct parser *p) {
  unsigned count = 1;
  for (const char *c = p->cursor; c < p->end && *c != '}' && *c != ';'; c++)
    count += *c == ',';
  return count > MAX_TARGETS ? MAX_TARGETS : count;
}

static void decode_mov_vector(struct parser *p, const struct form *form, struct instruction *in, enum type type) {
  bool unpacks = token_is(p, "{");
  if (!unpacks) {
    read_target(p, in, 0, type, OPERAND_EXACT);
    expect(p, ",");
  }
  in->count = (uint8_t)count_elements(p);
  enum type element = element_type(p, form, type, in->count);
  in->mode = (uint8_t)type_bits(element);
  expect(p, "{");
  for (unsigned i = 0; i < in->count && !p->failed; i++) {
    if (i)
      expect(p, ",");
    if (unpacks)
      read_target(p, in, i, element, element == T_B8 ? OPERAND_WIDER : OPERAND_EXACT);
    else
      in->from[i] = read_source(p, element, element == T_B8 ? OPERAND_WIDER : OPERAND_EXACT);
  }
  expect(p, "}");
  if (unpacks) {
    expect(p, ",");
    in->from[0] = read_source(p, type, OPERAND_EXACT);
  }
  in->run = unpacks ? run_mov_unpack : run_mov_pack;
}

static bool is_clock(const struct parser *p) {
  return p->token.size >= 6 && (!memcmp(p->token.text, "%clock", 6) || !memcmp(p->token.text, "%globa", 6));
}

void decode_mov(struct parser *p, const struct form *form, struct instruction *in) {
  enum type type = part_type(p, form, 0);
  if (form->count != 1 || (type != T_PRED && type_bits(type) < 16))
    unknown_operation(p, form);
  if (p->failed)
    return;
  const char *c = p->cursor;
  while (c < p->end && *c != ';' && *c != '{')
    c++;
  if (token_is(p, "{") || (c < p->end && *c == '{')) {
    decode_mov_vector(p, form, in, type);
    return;
  }
  read_target(p, in, 0, type, OPERAND_EXACT);
  expect(p, ",");
  in->run = run_mov;
  if (is_clock(p)) {
    in->run = run_mov_clock;
    in->memory.offset = p->token.size > 3 && !memcmp(p->token.text + p->token.size - 3, "_hi", 3);
  }
  in->from[0] = read_source(p, type, OPERAND_EXACT);
}
