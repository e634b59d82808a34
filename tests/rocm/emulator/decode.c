// Instructions from code: LLVM's disassembler gives their text, which is parsed here. So the encodings are LLVM's own,
// and what is left to know of an instruction are its name, its operands and its modifiers.
#include <ctype.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/rocm/emulator/machine.h"

enum { NAMES = 4096 }; // a power of two, well above the number of operations

struct decoder {
  LLVMDisasmContextRef llvm;
  struct {
    const char *name;
    const struct operation *operation;
  } names[NAMES]; // hashed
};

struct parser {
  const struct decoder *decoder;
  const char *at;
  char *why;
  size_t why_size;
};

static bool wrong(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(struct parser *p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(p->why, p->why_size, format, args);
  va_end(args);
  return false;
}

// ---- names of operations

static size_t name_slot(const struct decoder *d, const char *name, size_t size) {
  uint32_t hash = 2166136261;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (uint8_t)name[i]) * 16777619;
  size_t slot = hash % NAMES;
  while (d->names[slot].name && (strncmp(d->names[slot].name, name, size) || d->names[slot].name[size]))
    slot = (slot + 1) % NAMES;
  return slot;
}

static const struct operation *find_name(const struct decoder *d, const char *name, size_t size) {
  return d->names[name_slot(d, name, size)].operation;
}

static void add_name(struct decoder *d, const char *name, const struct operation *operation) {
  size_t slot = name_slot(d, name, strlen(name));
  d->names[slot].name = name;
  d->names[slot].operation = operation;
}

static void add_names(struct decoder *d) {
  static const struct table *const tables[] = {&vector_table, &compare_table, &scalar_table, &control_table,
                                               &memory_table, &lds_table,     &lanes_table};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    for (const char *row = tables[i]->rows; ((const struct operation *)row)->name; row += tables[i]->row_size)
      add_name(d, ((const struct operation *)row)->name, (const struct operation *)row);
  static const struct {
    const char *later, *name;
  } later[] = {
#define NAME(later, name) {#later, #name},
#include "tests/rocm/emulator/names.def"
  };
  for (size_t i = 0; i < sizeof later / sizeof *later; i++)
    add_name(d, later[i].later, find_name(d, later[i].name, strlen(later[i].name)));
}

static bool ends_with(const char *name, size_t size, const char *suffix) {
  size_t length = strlen(suffix);
  return size > length && !memcmp(name + size - length, suffix, length);
}

// The name without what says how it is encoded.
static size_t base_size(const char *name, size_t size, struct modifiers *mods) {
  static const char *const suffixes[] = {"_dpp8", "_dpp", "_sdwa", "_e32", "_e64"};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
    if (ends_with(name, size, suffixes[i])) {
      mods->sdwa |= i == 2;
      size -= strlen(suffixes[i]);
      i = (size_t)-1;
    }
  return size;
}

static const struct operation *find_operation(const struct decoder *d, const char *name, size_t size,
                                              enum space *space) {
  static const char *const prefixes[] = {"global_", "flat_", "scratch_", "buffer_"};
  const struct operation *operation = find_name(d, name, size);
  *space = SPACE_NONE;
  for (size_t i = 0; i < 4 && !operation; i++) {
    size_t length = strlen(prefixes[i]);
    if (size > length && !strncmp(name, prefixes[i], length)) {
      operation = find_name(d, name + length, size - length);
      *space = (enum space)i;
    }
  }
  return operation;
}

// ---- operands

static void skip_spaces(struct parser *p) {
  while (*p->at == ' ' || *p->at == '\t')
    p->at++;
}

static bool take(struct parser *p, const char *text) {
  size_t size = strlen(text);
  if (strncmp(p->at, text, size) != 0)
    return false;
  p->at += size;
  return true;
}

static const struct {
  const char *name;
  enum operand_kind kind;
  uint16_t reg;
} special_operands[] = {
    {"vcc", OPERAND_SGPR, VCC},
    {"vcc_lo", OPERAND_SGPR, VCC},
    {"vcc_hi", OPERAND_SGPR, VCC + 1},
    {"exec", OPERAND_SGPR, EXEC},
    {"exec_lo", OPERAND_SGPR, EXEC},
    {"exec_hi", OPERAND_SGPR, EXEC + 1},
    {"m0", OPERAND_SGPR, M0},
    {"flat_scratch", OPERAND_SGPR, FLAT_SCRATCH},
    {"flat_scratch_lo", OPERAND_SGPR, FLAT_SCRATCH},
    {"flat_scratch_hi", OPERAND_SGPR, FLAT_SCRATCH + 1},
    {"xnack_mask", OPERAND_SGPR, XNACK_MASK},
    {"xnack_mask_lo", OPERAND_SGPR, XNACK_MASK},
    {"xnack_mask_hi", OPERAND_SGPR, XNACK_MASK + 1},
    {"off", OPERAND_OFF, 0},
    {"null", OPERAND_NULL, 0},
    {"src_scc", OPERAND_SCC, 0},
    {"scc", OPERAND_SCC, 0},
    {"src_vccz", OPERAND_VCCZ, 0},
    {"src_execz", OPERAND_EXECZ, 0},
    {"src_shared_base", OPERAND_SHARED_BASE, 0},
    {"src_private_base", OPERAND_PRIVATE_BASE, 0},
    {"0.15915494", OPERAND_INV_TAU, 0},
    {"0.15915494309189532", OPERAND_INV_TAU, 0},
    {"0.1592", OPERAND_INV_TAU, 0},
};

static const struct {
  const char *name;
  uint16_t number;
} hardware_registers[] = {
    {"HW_REG_MODE", 1},          {"HW_REG_WAVE_MODE", 1},    {"HW_REG_STATUS", 2},       {"HW_REG_HW_ID", 4},
    {"HW_REG_SH_MEM_BASES", 15}, {"HW_REG_FLAT_SCR_LO", 20}, {"HW_REG_FLAT_SCR_HI", 21}, {"HW_REG_SHADER_CYCLES", 29},
};

// hwreg(NAME) or hwreg(NAME, offset, width), behind the parenthesis.
static bool parse_hardware(struct parser *p, struct operand *out) {
  size_t size = strcspn(p->at, ",)");
  for (size_t i = 0; i < sizeof hardware_registers / sizeof *hardware_registers; i++)
    if (strlen(hardware_registers[i].name) == size && !strncmp(hardware_registers[i].name, p->at, size)) {
      unsigned offset = 0, width = 32;
      sscanf(p->at + size, ", %u, %u", &offset, &width);
      *out = (struct operand){OPERAND_HARDWARE, hardware_registers[i].number, offset | width << 8};
      p->at += strcspn(p->at, ")") + 1;
      return true;
    }
  return wrong(p, "hardware register %.*s is not modelled", (int)size, p->at);
}

// gpr_idx(SRC0,…), behind the parenthesis.
static bool parse_indexes(struct parser *p, struct operand *out) {
  static const char *const names[] = {"SRC0", "SRC1", "SRC2", "DST"};
  *out = (struct operand){.kind = OPERAND_INTEGER};
  while (!take(p, ")")) {
    unsigned i = 0;
    while (i < 4 && !take(p, names[i]))
      i++;
    if (i == 4)
      return wrong(p, "cannot read gpr_idx(%s", p->at);
    out->value |= 1u << i;
    take(p, ",");
  }
  return true;
}

// v1, s[2:3], a0, ttmp7, v1.h
static bool parse_register(const char *word, size_t size, struct operand *out) {
  static const struct {
    const char *prefix;
    enum operand_kind kind;
    uint16_t base;
  } files[] = {{"v", OPERAND_VGPR, 0}, {"s", OPERAND_SGPR, 0}, {"a", OPERAND_AGPR, 0}, {"ttmp", OPERAND_SGPR, TTMP}};
  for (size_t i = 0; i < 4; i++) {
    size_t length = strlen(files[i].prefix);
    if (strncmp(word, files[i].prefix, length) != 0)
      continue;
    const char *digits = word + length + (word[length] == '[');
    if (!isdigit((unsigned char)*digits))
      continue;
    out->kind = files[i].kind;
    out->reg = (uint16_t)(files[i].base + strtoul(digits, NULL, 10));
    out->high = ends_with(word, size, ".h");
    return true;
  }
  return false;
}

static bool parse_word(struct parser *p, const char *word, size_t size, struct operand *out) {
  for (size_t i = 0; i < sizeof special_operands / sizeof *special_operands; i++)
    if (strlen(special_operands[i].name) == size && !strncmp(special_operands[i].name, word, size)) {
      out->kind = special_operands[i].kind;
      out->reg = special_operands[i].reg;
      return true;
    }
  if (parse_register(word, size, out))
    return true;
  char *end;
  if (memchr(word, '.', size)) {
    out->kind = OPERAND_FLOAT;
    out->value = (uint32_t)put_F32(strtof(word, &end));
  } else {
    out->kind = size > 2 && word[1] == 'x' ? OPERAND_LITERAL : OPERAND_INTEGER;
    out->value = (uint32_t)strtoll(word, &end, 0);
  }
  return end == word + size || wrong(p, "unknown operand %.*s", (int)size, word);
}

static bool parse_operand(struct parser *p, struct operand *out) {
  *out = (struct operand){0};
  if (take(p, "hwreg("))
    return parse_hardware(p, out);
  if (take(p, "gpr_idx("))
    return parse_indexes(p, out);
  out->sign_extend = take(p, "sext(");
  bool in_parentheses = out->sign_extend;
  if (take(p, "neg(") || (p->at[0] == '-' && !isdigit((unsigned char)p->at[1]))) {
    out->negate = true;
    in_parentheses |= p->at[-1] == '(';
    p->at += p->at[0] == '-';
  }
  bool bars = take(p, "|"), abs = take(p, "abs(");
  out->absolute = bars || abs;
  size_t size = strcspn(p->at, " ,|)");
  if (!parse_word(p, p->at, size, out))
    return false;
  p->at += size;
  if (bars && !take(p, "|"))
    return wrong(p, "an absolute value does not end");
  return (!abs || take(p, ")")) && (!in_parentheses || take(p, ")") || wrong(p, "a parenthesis does not end"));
}

// ---- modifiers

enum modifier_kind {
  MODIFIER_IGNORED,
  MODIFIER_FLAG,
  MODIFIER_NUMBER,
  MODIFIER_BITS,
  MODIFIER_SELECT,
  MODIFIER_DPP,
  MODIFIER_TEMPORAL, // th:TH_ATOMIC_RETURN among others
};
static const struct {
  const char *name;
  enum modifier_kind kind;
  size_t field;
  int value; // of MODIFIER_DPP
} modifiers[] = {
#define FIELD(name) offsetof(struct modifiers, name)
    {"offset", MODIFIER_NUMBER, FIELD(offset)},
    {"offset0", MODIFIER_NUMBER, FIELD(offset0)},
    {"offset1", MODIFIER_NUMBER, FIELD(offset1)},
    {"op_sel", MODIFIER_BITS, FIELD(op_sel)},
    {"op_sel_hi", MODIFIER_BITS, FIELD(op_sel_hi)},
    {"neg_lo", MODIFIER_BITS, FIELD(neg_lo)},
    {"neg_hi", MODIFIER_BITS, FIELD(neg_hi)},
    {"clamp", MODIFIER_FLAG, FIELD(clamp)},
    {"mul", MODIFIER_NUMBER, FIELD(multiply)},
    {"div", MODIFIER_NUMBER, FIELD(divide)},
    {"dst_sel", MODIFIER_SELECT, FIELD(dst_sel)},
    {"src0_sel", MODIFIER_SELECT, FIELD(src0_sel)},
    {"src1_sel", MODIFIER_SELECT, FIELD(src1_sel)},
    {"dst_unused", MODIFIER_SELECT, FIELD(dst_unused)},
    {"row_mask", MODIFIER_NUMBER, FIELD(row_mask)},
    {"bank_mask", MODIFIER_NUMBER, FIELD(bank_mask)},
    {"bound_ctrl", MODIFIER_FLAG, FIELD(bound_ctrl)},
    {"fi", MODIFIER_NUMBER, FIELD(fetch_inactive)},
    {"quad_perm", MODIFIER_DPP, 0, DPP_QUAD_PERM},
    {"dpp8", MODIFIER_DPP, 0, DPP_8},
    {"row_shl", MODIFIER_DPP, 0, DPP_ROW_SHL},
    {"row_shr", MODIFIER_DPP, 0, DPP_ROW_SHR},
    {"row_ror", MODIFIER_DPP, 0, DPP_ROW_ROR},
    {"wave_shl", MODIFIER_DPP, 0, DPP_WAVE_SHL},
    {"wave_rol", MODIFIER_DPP, 0, DPP_WAVE_ROL},
    {"wave_shr", MODIFIER_DPP, 0, DPP_WAVE_SHR},
    {"wave_ror", MODIFIER_DPP, 0, DPP_WAVE_ROR},
    {"row_mirror", MODIFIER_DPP, 0, DPP_ROW_MIRROR},
    {"row_half_mirror", MODIFIER_DPP, 0, DPP_ROW_HALF_MIRROR},
    {"row_bcast", MODIFIER_DPP, 0, DPP_ROW_BCAST},
    {"row_share", MODIFIER_DPP, 0, DPP_ROW_SHARE},
    {"row_newbcast", MODIFIER_DPP, 0, DPP_ROW_SHARE},
    {"row_xmask", MODIFIER_DPP, 0, DPP_ROW_XMASK},
    {"glc", MODIFIER_FLAG, FIELD(returns)}, // sc0 and glc of loads are about caches
    {"sc0", MODIFIER_FLAG, FIELD(returns)},
    {"th", MODIFIER_TEMPORAL, FIELD(returns)},
    {"offen", MODIFIER_FLAG, FIELD(offen)},
#undef FIELD
    {"scope", MODIFIER_IGNORED},
    {"slc", MODIFIER_IGNORED},
    {"dlc", MODIFIER_IGNORED},
    {"sc1", MODIFIER_IGNORED},
    {"nt", MODIFIER_IGNORED},
};

static const struct {
  const char *name;
  int value;
} selections[] = {
    {"BYTE_0", SELECT_BYTE_0},     {"BYTE_1", SELECT_BYTE_0 + 1},
    {"BYTE_2", SELECT_BYTE_0 + 2}, {"BYTE_3", SELECT_BYTE_0 + 3},
    {"WORD_0", SELECT_WORD_0},     {"WORD_1", SELECT_WORD_1},
    {"DWORD", SELECT_DWORD},       {"UNUSED_PAD", UNUSED_PAD},
    {"UNUSED_SEXT", UNUSED_SEXT},  {"UNUSED_PRESERVE", UNUSED_PRESERVE},
};

static bool parse_selection(struct parser *p, int32_t *out) {
  size_t size = strcspn(p->at, " ");
  for (size_t i = 0; i < sizeof selections / sizeof *selections; i++)
    if (strlen(selections[i].name) == size && take(p, selections[i].name)) {
      *out = selections[i].value;
      return true;
    }
  return wrong(p, "unknown selection %.*s", (int)size, p->at);
}

// [1,0,…]: at most 8 numbers.
static unsigned parse_list(struct parser *p, uint8_t numbers[8]) {
  unsigned count = 0;
  if (!take(p, "["))
    return 0;
  while (count < 8) {
    char *end;
    numbers[count++] = (uint8_t)strtoul(p->at, &end, 10);
    p->at = end;
    if (!take(p, ","))
      break;
  }
  return take(p, "]") ? count : 0;
}

static int32_t parse_number(struct parser *p) {
  char *end;
  long value = strtol(p->at, &end, 0);
  p->at = end;
  return (int32_t)value;
}

// The operand of ds_swizzle_b32: swizzle(KIND, …) as the bits that it stands for.
static bool parse_swizzle(struct parser *p, int32_t *out) {
  unsigned a, b, lanes[4];
  char mask[6];
  if (sscanf(p->at, "swizzle(QUAD_PERM,%u,%u,%u,%u", &lanes[0], &lanes[1], &lanes[2], &lanes[3]) == 4)
    *out = (int32_t)(0x8000 | lanes[0] | lanes[1] << 2 | lanes[2] << 4 | lanes[3] << 6);
  else if (sscanf(p->at, "swizzle(BROADCAST,%u,%u", &a, &b) == 2)
    *out = (int32_t)((31 & ~(a - 1)) | b << 5);
  else if (sscanf(p->at, "swizzle(SWAP,%u", &a) == 1)
    *out = (int32_t)(31 | a << 10);
  else if (sscanf(p->at, "swizzle(REVERSE,%u", &a) == 1)
    *out = (int32_t)(31 | (a - 1) << 10);
  else if (sscanf(p->at, "swizzle(BITMASK_PERM,\"%5[01pi]\"", mask) == 1 ||
           sscanf(p->at, "swizzle(BITMASK_PERM, \"%5[01pi]\"", mask) == 1) {
    *out = 0;
    for (int i = 0; i < 5; i++) // and, or and exclusive-or of the lane's bits, from the top
      *out |=
          (mask[i] == 'p' || mask[i] == 'i') << (4 - i) | (mask[i] == '1') << (9 - i) | (mask[i] == 'i') << (14 - i);
  } else
    return wrong(p, "cannot read %s", p->at);
  p->at += strcspn(p->at, ")") + 1;
  return true;
}

static bool parse_modifier(struct parser *p, struct modifiers *mods) {
  size_t size = strcspn(p->at, " :"), i = 0, count = sizeof modifiers / sizeof *modifiers;
  while (i < count && (strlen(modifiers[i].name) != size || strncmp(modifiers[i].name, p->at, size) != 0))
    i++;
  if (i == count)
    return wrong(p, "unknown modifier %.*s", (int)size, p->at);
  p->at += size;
  int32_t *field = (int32_t *)(void *)((char *)mods + modifiers[i].field);
  bool has_value = take(p, ":");
  uint8_t list[8] = {0};
  unsigned bits = 0;
  switch (modifiers[i].kind) {
  case MODIFIER_IGNORED:
    break;
  case MODIFIER_FLAG:
    *field = 1;
    break;
  case MODIFIER_TEMPORAL:
    *field |= strncmp(p->at, "TH_ATOMIC", 9) == 0 && strstr(p->at, "RETURN") != NULL;
    break;
  case MODIFIER_NUMBER:
    if (!strncmp(p->at, "swizzle(", 8))
      return parse_swizzle(p, field);
    *field = parse_number(p);
    return true;
  case MODIFIER_SELECT:
    return parse_selection(p, field);
  case MODIFIER_BITS:
    bits = parse_list(p, list);
    *field = 0;
    for (unsigned k = 0; k < bits; k++)
      *field |= list[k] << k;
    return bits || wrong(p, "cannot read the bits of %s", modifiers[i].name);
  case MODIFIER_DPP:
    mods->dpp = modifiers[i].value;
    if (*p->at == '[')
      return parse_list(p, mods->lanes) || wrong(p, "cannot read the lanes of %s", modifiers[i].name);
    mods->dpp_argument = has_value ? parse_number(p) : 0;
    return true;
  }
  p->at += strcspn(p->at, " ");
  return true;
}

// ---- instructions

void instruction_free(struct instruction *in) {
  if (!in)
    return;
  instruction_free(in->second);
  free(in->text);
  free(in);
}

static bool parse_operands(struct parser *p, struct instruction *in) {
  skip_spaces(p);
  while (*p->at) {
    if (in->operand_count == MAX_OPERANDS)
      return wrong(p, "too many operands");
    if (!parse_operand(p, &in->operands[in->operand_count++]))
      return false;
    if (!take(p, ","))
      break;
    skip_spaces(p);
  }
  for (skip_spaces(p); *p->at; skip_spaces(p))
    if (!parse_modifier(p, &in->mods))
      return false;
  return true;
}

static bool parse_instruction(struct parser *p, struct instruction *in) {
  in->mods = (struct modifiers){.op_sel_hi = -1,
                                .row_mask = 15,
                                .bank_mask = 15,
                                .dst_sel = SELECT_DWORD,
                                .src0_sel = SELECT_DWORD,
                                .src1_sel = SELECT_DWORD};
  skip_spaces(p);
  const char *name = p->at;
  size_t size = strcspn(name, " "), base = base_size(name, size, &in->mods);
  char single[64]; // a half of a VOPD pair under the name that it has alone
  if (!strncmp(name, "v_dual_", 7)) {
    base = (size_t)snprintf(single, sizeof single, "v_%.*s", (int)(base - 7), name + 7);
    name = single;
  }
  in->operation = find_operation(p->decoder, name, base, &in->space);
  if (!in->operation)
    return wrong(p, "operation %.*s is not modelled", (int)size, p->at);
  p->at += size;
  return in->operation->run == run_nothing || parse_operands(p, in);
}

struct instruction *decode_text(struct decoder *d, const char *text, char *why, size_t why_size) {
  struct instruction *in = calloc(1, sizeof *in);
  while (*text == '\t' || *text == ' ')
    text++;
  in->text = strdup(text);
  char *pair = strstr(in->text, " :: "), *first = pair ? strndup(in->text, (size_t)(pair - in->text)) : NULL;
  struct parser p = {d, first ? first : in->text, why, why_size};
  bool good = parse_instruction(&p, in);
  free(first);
  if (good && pair) {
    in->second = decode_text(d, pair + 4, why, why_size);
    good = in->second != NULL;
  }
  if (good)
    return in;
  instruction_free(in);
  return NULL;
}

struct instruction *decode(struct decoder *d, const void *code, size_t size, char *why, size_t why_size) {
  char text[512];
  uint8_t bytes[24] = {0}; // more than the longest instruction has
  size = size < sizeof bytes ? size : sizeof bytes;
  memcpy(bytes, code, size);
  size_t used = LLVMDisasmInstruction(d->llvm, bytes, size, 0, text, sizeof text);
  if (!used) {
    snprintf(why, why_size, "no instruction has this encoding");
    return NULL;
  }
  struct instruction *in = decode_text(d, text, why, why_size);
  if (in)
    in->bytes = (uint32_t)used;
  else
    snprintf(why + strlen(why), why_size - strlen(why), ", in \"%s\"", text + (text[0] == '\t'));
  return in;
}

struct decoder *decoder_create(const char *processor, unsigned wave_size) {
  struct decoder *d = calloc(1, sizeof *d);
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  const char *features = wave_size == 64 ? "+wavefrontsize64,-wavefrontsize32" : "+wavefrontsize32,-wavefrontsize64";
  bool has_choice = strncmp(processor, "gfx9", 4) != 0;
  d->llvm =
      LLVMCreateDisasmCPUFeatures("amdgcn-amd-amdhsa", processor, has_choice ? features : "", NULL, 0, NULL, NULL);
  if (!d->llvm) {
    free(d);
    return NULL;
  }
  add_names(d);
  return d;
}

void decoder_free(struct decoder *d) {
  if (!d)
    return;
  LLVMDisasmDispose(d->llvm);
  free(d);
}
