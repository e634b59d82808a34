// Words of a SPIR-V module to instructions.
#include "jit/spirv/module.h"

#define MAGIC 0x07230203u
#define HEADER_WORDS 5
#define MOST_IDS 0x3fffffu // the universal limit of the specification
#define MOST_BYTES ((size_t)1 << 30)
#define MOST_KINDS 64 // characters of the kinds of an instruction

// ---- tables --------------------------------------------------------------------------------------------------------

// Name and kinds of each row, one after the other.
static const struct op_texts {
#define KILN_SPV_OP(name, number, operands) char name[sizeof(#name "\0" operands)];
#include "jit/spirv/ops.def"
} op_texts = {
#define KILN_SPV_OP(name, number, operands) #name "\0" operands,
#include "jit/spirv/ops.def"
};
static const struct ext_texts {
#define KILN_SPV_EXT(name, number, operands) char name[sizeof(#name "\0" operands)];
#include "jit/spirv/ext.def"
} ext_texts = {
#define KILN_SPV_EXT(name, number, operands) #name "\0" operands,
#include "jit/spirv/ext.def"
};

struct row { // in the order of numbers
  uint16_t number, name, kinds;
};
#define ROW(texts, name, number)                                                                                       \
  { number, offsetof(struct texts, name), offsetof(struct texts, name) + sizeof #name }
static const struct row op_rows[] = {
#define KILN_SPV_OP(name, number, operands) ROW(op_texts, name, number),
#include "jit/spirv/ops.def"
};
static const struct row ext_rows[] = {
#define KILN_SPV_EXT(name, number, operands) ROW(ext_texts, name, number),
#include "jit/spirv/ext.def"
};
enum { EXT_ROWS = sizeof ext_rows / sizeof *ext_rows };

// The index of a number; count: it is not there. Halves without a branch, which nothing could predict.
static size_t find(const struct row *rows, size_t count, uint32_t number) {
  size_t first = 0;
  for (size_t left = count; left > 1; left -= left / 2)
    first += rows[first + left / 2].number <= number ? left / 2 : 0;
  return rows[first].number == number ? first : count;
}

uint32_t kiln_spv_op_row(uint32_t op) { return (uint32_t)find(op_rows, KILN_SPV_ROWS, op); }

static const char *op_kinds(uint32_t row) { return (const char *)&op_texts + op_rows[row].kinds; }

const char *kiln_spv_op_name(uint32_t op) {
  uint32_t row = kiln_spv_op_row(op);
  return row == KILN_SPV_ROWS ? NULL : (const char *)&op_texts + op_rows[row].name;
}

static const struct row *ext_row(uint32_t number) { // NULL: OpenCL.std has no such instruction
  size_t row = find(ext_rows, EXT_ROWS, number);
  return row == EXT_ROWS ? NULL : &ext_rows[row];
}

const char *kiln_spv_ext_name(uint32_t number) {
  const struct row *row = ext_row(number);
  return row ? (const char *)&ext_texts + row->name : NULL;
}

// ---- walks over operands -------------------------------------------------------------------------------------------

// Words of the string at the start of so many words; 0: it has no end.
static uint32_t string_words(const uint32_t *words, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t w = words[i];
    if ((w - 0x01010101u) & ~w & 0x80808080u) // one of its bytes is 0
      return i + 1;
  }
  return 0;
}

static const char *next_repeated(const char *kind) {
  bool grouped = *kind == ')';
  kind += grouped;
  if (*kind == '?')
    return kind + 1;
  if (*kind != '*')
    return kind;
  kind--;
  if (grouped)
    while (kind[-1] != '(')
      kind--;
  return kind;
}

// The kind after this one, where operands remain: a "*" goes back to what it repeats.
static inline const char *next_kind(const char *kind) {
  kind++;
  return *kind >= 'A' || !*kind ? kind : next_repeated(kind);
}

bool kiln_spv_next_id_of_kinds(struct kiln_spv_ids *ids) {
  const struct kiln_spv_inst *inst = ids->inst;
  while (ids->at < inst->count) {
    const char *kind = ids->kind + (*ids->kind == '(');
    uint32_t at = ids->at++;
    if (*kind == 'v')
      ids->at = inst->count;
    else if (*kind == 's')
      ids->at = at + string_words(inst->operands + at, inst->count - at);
    ids->kind = next_kind(kind);
    if (*kind == 'i') {
      ids->index = at;
      ids->id = inst->operands[at];
      return true;
    }
  }
  return false;
}

const char *kiln_spv_string(struct kiln_spv *spv, const struct kiln_spv_inst *inst, uint32_t at, uint32_t *words) {
  uint32_t count = string_words(inst->operands + at, inst->count - at);
  char *text = kiln_arena_alloc(&spv->arena, (size_t)count * 4 + 1, 1);
  for (uint32_t i = 0; i < count * 4; i++)
    text[i] = (char)(inst->operands[at + i / 4] >> i % 4 * 8);
  text[count * 4] = 0;
  if (words)
    *words = count;
  return text;
}

bool kiln_spv_is_ext(const struct kiln_spv_inst *inst) {
  return !inst->kinds; // as ext_shape says
}

// ---- instructions --------------------------------------------------------------------------------------------------

enum mark {          // of an id, while instructions are read
  IS_STD = 1 << 0,   // OpenCL.std
  IS_OTHER = 1 << 1, // another set, whose instructions are read past
  IS_WIDE = 1 << 2,  // an integer type of more than 32 bits
};

// The operands of a row whose kinds are of one word each: a mask as kiln_spv_inst.ids has it, and how many there are.
struct shape {
  uint32_t ids;
  uint16_t min, max;
  uint8_t form;  // enum form
  uint8_t type;  // the word of the result type, 1; 0: it has none
  uint8_t id;    // of the result, 1 or 2; 0: it has none
  uint8_t lines; // enum lines
};
enum form {
  UNKNOWN,  // has not been met
  WORDS,    // the others say all
  MEMORY,   // likewise, up to memory accesses at the end
  BY_KINDS, // kinds_of
};

enum lines { // what an instruction does to the OpLine that holds, a mask; most do nothing
  BEGINS_LINE = 1 << 0,
  ENDS_LINE = 1 << 1,
  IS_LEFT_OUT = 1 << 2, // of the instructions of the module
};

// Those of no extension have lower numbers; of OpenCL.std, all.
enum { COMMON_OPS = 512, COMMON_EXTS = 256 };
struct reader {
  struct kiln_spv *spv;
  uint8_t *marks;
  uint32_t *types; // result types of the instructions below noted, by id; NULL: no OpSwitch has been met
  uint32_t noted;
  uint16_t rows[COMMON_OPS];     // 1 + the row of an instruction that has been met
  uint8_t ext_rows[COMMON_EXTS]; // likewise, of OpenCL.std
  struct shape shapes[KILN_SPV_ROWS];
  struct shape exts[EXT_ROWS];
};

static inline bool is_id(const struct kiln_spv *spv, uint32_t word) { return word != 0 && word < spv->bound; }

__attribute__((noreturn, noinline)) static void fail_id(struct kiln_spv *spv, const struct kiln_spv_inst *inst,
                                                        uint32_t id) {
  if (id == 0)
    kiln_spv_fail(spv, inst, "an id is 0");
  kiln_spv_fail(spv, inst, "id %u is not below the bound of the module, which is %u", id, spv->bound);
}

static inline void check_id(struct kiln_spv *spv, const struct kiln_spv_inst *inst, uint32_t id) {
  if (!is_id(spv, id))
    fail_id(spv, inst, id);
}

// Whether an instruction of these kinds may end before the kind, which is that of its next operand.
static bool may_end(const char *kinds, const char *kind) {
  if (!*kind || *kind == '(' || kind[1] == '?' || kind[1] == '*')
    return true;
  return kind != kinds && kind[-1] == '(';
}

// Fails if the operands do not fit the kinds.
static void check_operands(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  const char *kind = inst->kinds;
  uint32_t at = 0;
  while (at < inst->count) {
    if (*kind == '(')
      kind++;
    if (!*kind)
      kiln_spv_fail(spv, inst, "%u operands too many", inst->count - at);
    uint32_t words = 1;
    if (*kind == 'i')
      check_id(spv, inst, inst->operands[at]);
    else if (*kind == 's')
      words = string_words(inst->operands + at, inst->count - at);
    else if (*kind == 'v')
      words = inst->count - at;
    if (!words)
      kiln_spv_fail(spv, inst, "a string that has no end");
    at += words;
    kind = next_kind(kind);
  }
  if (!may_end(inst->kinds, kind))
    kiln_spv_fail(spv, inst, "operands are missing");
}

static const char *intern(struct kiln_spv *spv, const char *text) {
  return kiln_names_intern(&spv->kinds, text, strlen(text))->text;
}

// Past the result type and the result.
static const char *own_kinds(const char *kinds) {
  while (*kinds == 'T' || *kinds == 'R')
    kinds++;
  return kinds;
}

// Types of values, and which of them are wide, for switches, since few modules have any.
static void note_types(struct reader *reader) {
  const struct kiln_spv *spv = reader->spv;
  if (!reader->types)
    reader->types = KILN_NEW_ARRAY(&reader->spv->arena, uint32_t, spv->bound + 1);
  for (; reader->noted < spv->inst_count; reader->noted++) {
    const struct kiln_spv_inst *inst = &spv->insts[reader->noted];
    if (inst->op == KILN_SPV_OpTypeInt && inst->operands[0] > 32)
      reader->marks[inst->id] |= IS_WIDE;
    if (inst->type)
      reader->types[inst->id] = inst->type;
  }
}

static const char *switch_kinds(struct reader *reader, const struct kiln_spv_inst *inst) {
  if (!inst->count)
    kiln_spv_fail(reader->spv, inst, "operands are missing");
  uint32_t selector = inst->operands[0];
  check_id(reader->spv, inst, selector);
  note_types(reader);
  if (!reader->types[selector])
    kiln_spv_fail(reader->spv, inst, "the selector %s is not defined before", kiln_spv_id_text(reader->spv, selector));
  return reader->marks[reader->types[selector]] & IS_WIDE ? "ii(nni)*" : "ii(ni)*";
}

// Those of OpSpecConstantOp: the number of an instruction, then its operands.
static const char *constant_kinds(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  uint32_t row = inst->count ? kiln_spv_op_row(inst->operands[0]) : KILN_SPV_ROWS;
  const char *kinds = row == KILN_SPV_ROWS ? "" : op_kinds(row);
  if (kinds[0] != 'T' || strpbrk(kinds, "mowv"))
    kiln_spv_fail(spv, inst, "instruction %u makes no constant", inst->count ? inst->operands[0] : 0);
  char text[MOST_KINDS] = "n";
  strncat(text, own_kinds(kinds), sizeof text - 2);
  return intern(spv, text);
}

static const char *kinds_of(struct reader *reader, const struct kiln_spv_inst *inst, const char *kinds) {
  switch (inst->op) {
  case KILN_SPV_OpSwitch:
    return switch_kinds(reader, inst);
  case KILN_SPV_OpSpecConstantOp:
    return constant_kinds(reader->spv, inst);
  default:
    return kinds;
  }
}

// ---- shapes --------------------------------------------------------------------------------------------------------

static void make_shape(struct shape *shape, const char *kinds) {
  bool has_type = kinds[0] == 'T';
  *shape = (struct shape){.form = WORDS, .type = has_type, .id = strchr(kinds, 'R') ? 1 + has_type : 0};
  kinds = own_kinds(kinds);
  bool may_be_missing = false, is_pair = strcmp(kinds, "(ii)*") == 0;
  if (is_pair) {
    shape->ids = UINT32_MAX;
    shape->max = UINT16_MAX;
    return;
  }
  for (; *kinds; kinds++) {
    if (*kinds == '*') { // goes on with the last one
      uint32_t last = shape->max - 1u;
      shape->ids |= shape->ids >> last & 1 ? ~0u << last : 0;
      shape->max = UINT16_MAX;
      return;
    }
    if (*kinds == 'm')
      shape->form = MEMORY;
    if (*kinds == '?' || *kinds == 'm')
      continue;
    if (*kinds != 'i' && *kinds != 'n' && *kinds != 'e') {
      shape->form = BY_KINDS;
      return;
    }
    may_be_missing |= kinds[1] == '?' || kinds[1] == '*';
    shape->ids |= (uint32_t)(*kinds == 'i') << shape->max;
    shape->max++;
    shape->min += !may_be_missing;
  }
}

// Of an OpExtInst, whose first operands are its set and its number. NULL: the set is another one, and the instruction
// is read past.
static const struct shape *ext_shape(struct reader *reader, const struct kiln_spv_inst *inst) {
  struct kiln_spv *spv = reader->spv;
  if (inst->count < 2)
    kiln_spv_fail(spv, inst, "operands are missing");
  check_id(spv, inst, inst->operands[0]);
  uint8_t mark = reader->marks[inst->operands[0]];
  if (mark & IS_OTHER)
    return NULL;
  if (!(mark & IS_STD))
    kiln_spv_fail(spv, inst, "%s is no set of extended instructions", kiln_spv_id_text(spv, inst->operands[0]));
  uint32_t number = inst->operands[1];
  const struct row *row =
      number < COMMON_EXTS && reader->ext_rows[number] ? &ext_rows[reader->ext_rows[number] - 1] : ext_row(number);
  if (!row)
    kiln_spv_fail(spv, inst, "OpenCL.std has no instruction %u", number);
  struct shape *shape = &reader->exts[row - ext_rows];
  if (shape->form == UNKNOWN) {
    if (number < COMMON_EXTS)
      reader->ext_rows[number] = (uint8_t)(row - ext_rows + 1);
    char text[MOST_KINDS] = "in";
    strncat(text, (const char *)&ext_texts + row->kinds, sizeof text - 3);
    make_shape(shape, text);
  }
  return shape;
}

uint32_t kiln_spv_past_access(const struct kiln_spv_inst *inst, uint32_t at, uint32_t *ids) {
  static const struct {
    uint32_t bit;
    bool is_id;
  } bits[] = {{2, false}, {8, true}, {0x10, true}, {0x10000, true}, {0x20000, true}};
  uint32_t mask = inst->operands[at++];
  if (mask <= 3) // as mostly: an alignment at most, maybe volatile
    return at + (mask >> 1);
  for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
    if (mask & bits[i].bit) {
      *ids |= (uint32_t)bits[i].is_id << at;
      at++;
    }
  return at;
}

// Fails if one of the operands that inst->ids names, of the first so many, is no id. A fault is looked for without a
// branch for each operand, since what operands are varies.
static inline void check_ids(struct kiln_spv *spv, const struct kiln_spv_inst *inst, uint32_t count) {
  uint32_t ids = inst->ids, wrong = 0;
  for (uint32_t k = 0; k < count && ids; k++) {
    wrong |= ids & !is_id(spv, inst->operands[k]);
    ids = ids >> 1 | (ids & 1u << 31);
  }
  for (uint32_t k = 0; wrong && k < count; k++)
    if (inst->ids >> (k < 31 ? k : 31) & 1)
      check_id(spv, inst, inst->operands[k]);
}

// Of an instruction that is no more than words.
static inline void check_words(struct kiln_spv *spv, struct kiln_spv_inst *inst, const struct shape *shape) {
  uint32_t min = shape->min, max = shape->max;
  inst->ids = shape->ids;
  if (shape->form == MEMORY) {
    uint32_t accesses = inst->op == KILN_SPV_OpLoad || inst->op == KILN_SPV_OpStore ? 1 : 2;
    for (uint32_t k = 0; k < accesses && max < inst->count; k++)
      min = max = kiln_spv_past_access(inst, max, &inst->ids);
  }
  check_ids(spv, inst, inst->count < max ? inst->count : max);
  if (inst->count > max)
    kiln_spv_fail(spv, inst, "%u operands too many", inst->count - max);
  if (inst->count < min || (inst->op == KILN_SPV_OpPhi && inst->count & 1))
    kiln_spv_fail(spv, inst, "operands are missing");
}

static void note_set(struct reader *reader, const struct kiln_spv_inst *inst) {
  struct kiln_spv *spv = reader->spv;
  const char *name = kiln_spv_string(spv, inst, 0, NULL);
  if (strcmp(name, "OpenCL.std") == 0)
    reader->marks[inst->id] |= IS_STD;
  else if (strncmp(name, "NonSemantic.", 12) == 0 || strcmp(name, "OpenCL.DebugInfo.100") == 0 ||
           strcmp(name, "SPIRV.debug") == 0)
    reader->marks[inst->id] |= IS_OTHER;
  else {
    char shown[64];
    kiln_quote_name(shown, name, strlen(name));
    kiln_spv_fail(spv, inst, "the set of extended instructions %s is not supported", shown);
  }
}

static uint32_t row_of(struct reader *reader, uint16_t op) {
  if (op < COMMON_OPS && reader->rows[op])
    return reader->rows[op] - 1u;
  uint32_t row = kiln_spv_op_row(op);
  if (op < COMMON_OPS)
    reader->rows[op] = (uint16_t)(row + 1);
  return row;
}

static uint8_t lines_of(uint16_t op) {
  if (op == KILN_SPV_OpLine)
    return BEGINS_LINE | IS_LEFT_OUT;
  if (op == KILN_SPV_OpNoLine)
    return ENDS_LINE | IS_LEFT_OUT;
  if (op == KILN_SPV_OpNop)
    return IS_LEFT_OUT;
  return op == KILN_SPV_OpFunctionEnd || (op >= KILN_SPV_OpBranch && op <= KILN_SPV_OpUnreachable) ? ENDS_LINE : 0;
}

// Reads operands that are more than words. Returns the shape of those that are words all the same, of OpenCL.std's
// instructions; NULL: all has been read.
static const struct shape *read_by_kinds(struct reader *reader, struct kiln_spv_inst *inst) {
  struct kiln_spv *spv = reader->spv;
  if (inst->op == KILN_SPV_OpExtInst) {
    const struct shape *shape = ext_shape(reader, inst);
    if (shape)
      return shape;
    inst->kinds = "inn*";
  } else {
    inst->kinds = ""; // for messages
    inst->kinds = kinds_of(reader, inst, own_kinds(op_kinds(inst->row)));
  }
  check_operands(spv, inst);
  if (inst->op == KILN_SPV_OpExtInstImport)
    note_set(reader, inst);
  return NULL;
}

// Returns what it does to lines, a mask.
static inline uint8_t read_instruction(struct reader *reader, struct kiln_spv_inst *inst, uint32_t word,
                                       const uint32_t *line) {
  struct kiln_spv *spv = reader->spv;
  const uint32_t *words = spv->words + word;
  uint32_t count = words[0] >> 16;
  *inst = (struct kiln_spv_inst){.line = line, .word = word, .op = words[0] & 0xffff};
  uint32_t row = row_of(reader, inst->op);
  if (row == KILN_SPV_ROWS) {
    kiln_spv_check_needs(spv); // which say more of it
    kiln_spv_fail(spv, inst, "unknown instruction %u", inst->op);
  }
  struct shape *shape = &reader->shapes[row];
  if (shape->form == UNKNOWN) {
    make_shape(shape, op_kinds(row));
    shape->lines = lines_of(inst->op);
    if (inst->op == KILN_SPV_OpExtInst)
      shape->form = BY_KINDS;
  }
  uint32_t type = shape->type, id = shape->id, at = 1 + (type > id ? type : id);
  if (count < at)
    kiln_spv_fail(spv, inst, "operands are missing");
  inst->row = (uint16_t)row;
  inst->type = type ? words[type] : 0;
  inst->id = id ? words[id] : 0;
  if (type)
    check_id(spv, inst, inst->type);
  if (id)
    check_id(spv, inst, inst->id);
  inst->operands = words + at;
  inst->count = count - at;
  const struct shape *words_as = shape->form == BY_KINDS ? read_by_kinds(reader, inst) : shape;
  if (words_as)
    check_words(spv, inst, words_as);
  return shape->lines;
}

static void fail_length(struct kiln_spv *spv, uint32_t word) {
  struct kiln_spv_inst at = {.word = word, .op = spv->words[word] & 0xffff};
  if (!(spv->words[word] >> 16))
    kiln_spv_fail(spv, &at, "an instruction of no words");
  kiln_spv_fail(spv, &at, "the module is cut off at word %u", spv->word_count);
}

static void read_instructions(struct reader *reader) {
  struct kiln_spv *spv = reader->spv;
  uint32_t capacity = 0;
  const uint32_t *line = NULL;
  for (uint32_t word = HEADER_WORDS, words; word < spv->word_count; word += words) {
    words = spv->words[word] >> 16;
    if (words - 1 >= spv->word_count - word)
      fail_length(spv, word);
    if (spv->inst_count == capacity) {
      uint32_t more = (spv->word_count - word) / 4 + 8; // most have four words or more
      spv->insts = kiln_arena_grow(&spv->arena, spv->insts, capacity * sizeof *spv->insts,
                                   (capacity + more) * sizeof *spv->insts, _Alignof(struct kiln_spv_inst));
      capacity += more;
    }
    struct kiln_spv_inst *inst = &spv->insts[spv->inst_count];
    uint8_t lines = read_instruction(reader, inst, word, line);
    if (lines & BEGINS_LINE)
      line = inst->operands;
    else if (lines & ENDS_LINE)
      line = NULL;
    spv->inst_count += !(lines & IS_LEFT_OUT);
  }
}

// ---- the whole -----------------------------------------------------------------------------------------------------

static uint32_t swapped(uint32_t word) {
  return word >> 24 | (word >> 8 & 0xff00) | (word << 8 & 0xff0000) | word << 24;
}

bool kiln_is_spirv(const void *data, size_t size) {
  uint32_t magic;
  if (size < sizeof magic)
    return false;
  memcpy(&magic, data, sizeof magic);
  return magic == MAGIC || swapped(magic) == MAGIC;
}

static void read_header(struct kiln_spv *spv) {
  uint32_t version = spv->words[1];
  if (version & 0xff0000ff || version >> 16 != 1 || version > 0x010600)
    kiln_spv_fail(spv, NULL, "version %u.%u of SPIR-V is not supported: 1.0 to 1.6 are", version >> 16 & 0xff,
                  version >> 8 & 0xff);
  spv->version = version;
  spv->bound = spv->words[3];
  if (spv->bound > MOST_IDS)
    kiln_spv_limit(spv, NULL, "the bound of ids is %u, above %u", spv->bound, MOST_IDS);
}

void kiln_spv_read_words(struct kiln_spv *spv) {
  const struct kiln_spirv_input *input = spv->input;
  if (!kiln_is_spirv(input->data, input->size))
    kiln_spv_fail(spv, NULL, "this is not SPIR-V");
  if (input->size > MOST_BYTES)
    kiln_spv_limit(spv, NULL, "the module has more than %zu MiB", MOST_BYTES >> 20);
  if (input->size % 4 || input->size < HEADER_WORDS * 4)
    kiln_spv_fail(spv, NULL, "the module is cut off at word %zu", input->size / 4);
  spv->word_count = (uint32_t)(input->size / 4);
  uint32_t *words = kiln_arena_alloc(&spv->arena, input->size, 4);
  memcpy(words, input->data, input->size);
  if (words[0] != MAGIC)
    for (uint32_t i = 0; i < spv->word_count; i++)
      words[i] = swapped(words[i]);
  spv->words = words;
  kiln_names_init(&spv->kinds, &spv->arena);
  read_header(spv);
  struct reader reader = {.spv = spv, .marks = KILN_NEW_ARRAY(&spv->arena, uint8_t, spv->bound + 1)};
  read_instructions(&reader);
}
