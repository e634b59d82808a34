// The table of extended instructions, and the functions in OpenCL C that calls of built-in functions become. The types
// of the operands decide what the text of a function is; texts that are equal are one function.
#include "jit/spirv/library.h"

#include <stdlib.h>

#include "base/vec.h"
#include "jit/spirv/names.h"

enum { // numbers of OpenCL.std
#define KILN_SPV_EXT(name, number, operands) EXT_##name = (number),
#include "jit/spirv/ext.def"
  EXT_COUNT
};

static const struct ext { // texts in place: a pointer would need a relocation, which is larger
  char signature[7];      // none: there is no such instruction
  bool is_call;           // of a function; else an operation
  uint16_t op, flags, without;
} exts[] = {
#define OP(operation, more, less) KILN_OP_##operation, more, less
#define KILN_SPV_EXT_OP(name, signature, ...) [EXT_##name] = {signature, false, __VA_ARGS__},
#define KILN_SPV_EXT_SAME(name, signature) [EXT_##name] = {signature, true, 0, 0, 0},
#define KILN_SPV_EXT_CALL(name, signature, call) [EXT_##name] = {signature, true, 0, 0, 0},
#include "jit/spirv/ext_lower.def"
#undef OP
};
static const struct { // functions that have other names in OpenCL C
  uint16_t ext;
  char call[16];
} renamed[] = {
#define KILN_SPV_EXT_CALL(name, signature, call) {EXT_##name, call},
#include "jit/spirv/ext_lower.def"
};
enum { EXTS = sizeof exts / sizeof *exts };

// Those that take integers of odd widths: 1, and 2 where these are taken with their sign. The upper bits of results are
// cleared, and counts of zeros corrected (call.c).
static const uint8_t odd_exts[EXTS] = {
    [EXT_s_abs] = 2, [EXT_s_max] = 2, [EXT_s_min] = 2, [EXT_u_abs] = 1,   [EXT_u_max] = 1,
    [EXT_u_min] = 1, [EXT_clz] = 1,   [EXT_ctz] = 1,   [EXT_popcount] = 1};

struct function {
  const struct kiln_spv_inst *inst; // the first call of it
  const char *name;                 // of the extended instruction or the import, for messages
  const char *result, *rest;        // its text, before and after its own name
  bool is_import;
  bool any_sign;   // reads or writes an image's integers, which have the sign of its format
  bool is_missing; // an import of an object that turned out to be no built-in function
  uint32_t index;  // in spv->module
};

struct kiln_spv_library {
  struct kiln_names names; // texts of functions; tag: number of the function, from 1
  struct {
    struct function *items;
    uint32_t count, capacity;
  } functions;
  struct kiln_spv_text text, values; // of the function that is being written
  uint32_t
      *calls; // by number of the instruction in spv->insts: number of the function, from 1; 0: calls none; IS_CHANGE
};
#define IS_CHANGE UINT32_MAX // an atomic function that is an operation (kiln_spv_find_change)

#define SOURCE_NAME "built-in functions"
#define PREFIX "__kiln_spv"

// A call while its function is written.
struct call {
  struct kiln_spv *spv;
  const struct kiln_spv_inst *inst;
  const char *name;
  const struct kiln_spv_type *result;
  const uint32_t *args; // ids and literals
  uint32_t arg_count;
  bool takes_odd; // integers of odd widths, all of one width
  kiln_type generic;
  struct kiln_spv_text *text; // result, NUL, and what comes after the name of the function
};

enum { MOST_ARGS = 4 }; // of a signature

// ---- types ---------------------------------------------------------------------------------------------------------

static const struct kiln_spv_type *type_of(const struct call *c, uint32_t k) {
  const struct kiln_spv_id *id = &c->spv->ids[c->args[k]];
  bool is_value = id->what == KILN_SPV_IS_VALUE || id->what == KILN_SPV_IS_CONSTANT || id->what == KILN_SPV_IS_VARIABLE;
  if (!is_value || !id->type)
    kiln_spv_fail(c->spv, c->inst, "%s: operand %u is no value", c->name, k + 1);
  return id->type;
}

// Bools as integers; void of what has no type in the IR.
static kiln_type ir_of(const struct kiln_spv_type *type) { return type->stored; }

static bool is_number(kiln_type type) {
  return kiln_kind_is_int(kiln_type_kind(type)) || kiln_kind_is_float(kiln_type_kind(type));
}

static kiln_type int_type(unsigned bits, unsigned lanes) {
  if (bits < 8 || bits > 64)
    return KILN_VOID;
  return kiln_vec_type(bits == 8 ? KILN_I8 : bits == 16 ? KILN_I16 : bits == 32 ? KILN_I32 : KILN_I64, lanes);
}

static bool is_generic_code(char code) { return strchr("FGSsUuA", code) != NULL; }

// Of what a code stands for; void: of several types.
static kiln_type code_type(char code, kiln_type generic) {
  unsigned lanes = kiln_type_lanes(generic), bits = kiln_kind_bits(kiln_type_kind(generic));
  switch (code) {
  case 'f':
  case 'a':
    return kiln_type_element(generic);
  case 'I':
  case 'J':
    return kiln_vec_type(KILN_I32, lanes);
  case 'M':
    return int_type(bits, lanes);
  case 'W':
  case 'X':
    return int_type(2 * bits, lanes);
  case 'h':
    return kiln_scalar_type(KILN_F16);
  case 'c':
  case 'k':
    return kiln_scalar_type(KILN_I8);
  case 'B':
  case 'L':
  case 'z':
    return KILN_VOID;
  default:
    return generic;
  }
}

static bool fits(char code, kiln_type type, kiln_type generic) {
  enum kiln_kind kind = kiln_type_kind(type);
  switch (code) {
  case 'B':
    return kiln_type_element(type) == kiln_type_element(generic);
  case 'z':
    return kiln_kind_is_int(kind) && kiln_type_lanes(type) == 1;
  case 'L':
    return kind == KILN_I32 && (kiln_type_lanes(type) == 1 || kiln_type_lanes(type) == kiln_type_lanes(generic));
  case 'F':
  case 'E':
    return kiln_kind_is_float(kind) && type == generic;
  case 'G':
    return kind == KILN_F32 && type == generic;
  case 'S':
  case 'U':
    return kiln_kind_is_int(kind) && type == generic;
  case 's':
  case 'u':
    return kind == KILN_I32 && type == generic;
  default:
    return is_number(type) && type == code_type(code, generic);
  }
}

// Where the signature has it first; what each operand must be follows from it.
static kiln_type find_generic(const struct call *c, const char *signature) {
  if (is_generic_code(signature[0]))
    return ir_of(c->result);
  uint32_t k = 0;
  for (const char *s = signature + (signature[0] == 'P') + 1; *s; s++, k++) {
    bool is_pointer = *s == 'P';
    s += is_pointer;
    if (!is_pointer && is_generic_code(*s))
      return ir_of(type_of(c, k));
  }
  return kiln_scalar_type(KILN_I8); // nothing is generic
}

static void check_count(const struct call *c, const char *signature) {
  uint32_t count = 0;
  for (const char *s = signature + (signature[0] == 'P') + 1; *s; s++)
    count += *s != 'P';
  if (count != c->arg_count)
    kiln_spv_fail(c->spv, c->inst, "%s: it takes %u operands, and there are %u", c->name, count, c->arg_count);
}

static void check_literal(const struct call *c, char code, uint32_t k) {
  if (code == 'n' && c->args[k] != kiln_type_lanes(c->generic))
    kiln_spv_fail(c->spv, c->inst, "%s: %u lanes are not those of its result", c->name, c->args[k]);
  if (code == 'r' && c->args[k] > 3)
    kiln_spv_fail(c->spv, c->inst, "%s: unknown rounding mode %u", c->name, c->args[k]);
}

static void check_width(const struct call *c, const struct kiln_spv_type *type) {
  if (type->odd_bits && !c->takes_odd)
    kiln_spv_fail(c->spv, c->inst, "%s: integers of %u bits are not supported", c->name, type->odd_bits);
  if (c->takes_odd && type->odd_bits != c->result->odd_bits)
    kiln_spv_fail(c->spv, c->inst, "%s: operands and result have different widths", c->name);
}

// That operands and result are what the signature says; fills in c->generic.
static void check_types(struct call *c, const char *signature) {
  check_count(c, signature);
  c->generic = find_generic(c, signature);
  const char *s = signature;
  bool is_pointer = *s == 'P';
  s += is_pointer;
  kiln_type result = ir_of(c->result);
  bool good = is_pointer  ? kiln_type_kind(result) == KILN_PTR
              : *s == 'v' ? c->result->kind == KILN_SPV_VOID
                          : fits(*s, result, c->generic);
  if (!good)
    kiln_spv_fail(c->spv, c->inst, "%s: the result has a type that it does not give", c->name);
  check_width(c, c->result);
  s++;
  for (uint32_t k = 0; k < c->arg_count; k++, s++) {
    if (*s == 'n' || *s == 'r') {
      check_literal(c, *s, k);
      continue;
    }
    is_pointer = *s == 'P';
    s += is_pointer;
    kiln_type type = ir_of(type_of(c, k));
    if (is_pointer ? kiln_type_kind(type) != KILN_PTR : !fits(*s, type, c->generic))
      kiln_spv_fail(c->spv, c->inst, "%s: operand %u has a type that it does not take", c->name, k + 1);
    check_width(c, type_of(c, k));
  }
}

// ---- text ----------------------------------------------------------------------------------------------------------

#define put kiln_spv_put
#define put_type kiln_spv_put_type

void kiln_spv_put_type(struct kiln_spv_text *text, kiln_type type, bool is_signed) {
  static const char signed_names[][8] = {
      [KILN_VOID] = "void", [KILN_I8] = "char",  [KILN_I16] = "short", [KILN_I32] = "int",
      [KILN_I64] = "long",  [KILN_F16] = "half", [KILN_F32] = "float", [KILN_F64] = "double",
  };
  enum kiln_kind kind = kiln_type_kind(type);
  put(text, kiln_kind_is_int(kind) && !is_signed ? "u" : "");
  put(text, signed_names[kind]);
  if (kiln_type_lanes(type) > 1)
    kiln_spv_put_number(text, kiln_type_lanes(type));
}

static void put_space(struct kiln_spv_text *text, kiln_type pointer) {
  static const char names[][10] = {
      [KILN_PRIVATE] = "private ", [KILN_GLOBAL] = "global ",   [KILN_CONSTANT] = "constant ",
      [KILN_LOCAL] = "local ",     [KILN_GENERIC] = "generic ",
  };
  put(text, names[kiln_type_space(pointer)]);
}

static bool is_signed_code(char code) { return strchr("SsIJLW", code) != NULL; }

// The type that a code has here; type: what the operand or the result is.
static void put_code(const struct call *c, struct kiln_spv_text *text, bool is_pointer, char code, kiln_type type) {
  if (is_pointer) {
    put_space(text, type);
    if (code == 'c')
      put(text, "char");
    else
      put_type(text, code_type(code, c->generic), is_signed_code(code));
    put(text, " *");
    return;
  }
  if (code == 'k')
    put(text, "bool");
  else
    put_type(text, type, is_signed_code(code));
}

static void put_param(struct kiln_spv_text *text, uint32_t k) {
  put(text, "p");
  kiln_spv_put_number(text, k);
}

// A constant exponent that jit/lang knows a shorter form of the power for. A vector must have it in all lanes.
static bool put_exponent(const struct call *c, struct kiln_spv_text *text, uint32_t k) {
  static const double exponents[] = {-1, 0, 0.5, 1, 2, 3, 4, 5, 6, 7, 8};
  const struct kiln_spv_constant *constant = kiln_spv_known(c->spv, c->args[k]);
  if (!constant || (constant->form != KILN_SPV_BITS && constant->form != KILN_SPV_ZERO))
    return false;
  kiln_type type = ir_of(constant->type);
  enum kiln_kind kind = kiln_type_kind(type);
  uint64_t bits = constant->form == KILN_SPV_BITS ? constant->lanes[0] : 0;
  for (unsigned i = 1; i < kiln_type_lanes(type) && constant->form == KILN_SPV_BITS; i++)
    if (constant->lanes[i] != bits)
      return false;
  if (kind == KILN_F16)
    return false;
  double value;
  if (kind == KILN_F32) {
    float single;
    uint32_t half = (uint32_t)bits;
    memcpy(&single, &half, sizeof single);
    value = (double)single;
  } else if (kind == KILN_F64) {
    memcpy(&value, &bits, sizeof value);
  } else {
    value = (double)(int32_t)bits;
  }
  for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
    if (exponents[i] != value)
      continue;
    put(text, "(");
    put_type(text, type, true);
    put(text, ")(");
    put(text, value < 0 ? "-1" : value == 0.5 ? "0.5f" : "");
    if (value >= 0 && value != 0.5)
      kiln_spv_put_number(text, (uint32_t)value);
    put(text, kind == KILN_I32 || value == 0.5 ? ")" : ".0f)");
    return true;
  }
  return false;
}

static void put_arg(const struct call *c, struct kiln_spv_text *text, char code, uint32_t k) {
  if ((code != 'E' && code != 'J') || !put_exponent(c, text, k))
    put_param(text, k);
}

// "vload#" with the lanes in place of #, and the suffix of the rounding mode in place of @.
static void put_name(const struct call *c, struct kiln_spv_text *text, const char *name) {
  static const char suffixes[][5] = {"_rte", "_rtz", "_rtp", "_rtn"}; // FPRoundingMode
  for (; *name; name++) {
    if (*name == '#' && kiln_type_lanes(c->generic) > 1)
      kiln_spv_put_number(text, kiln_type_lanes(c->generic));
    else if (*name == '@')
      put(text, suffixes[c->args[c->arg_count - 1]]);
    else if (*name != '#')
      kiln_spv_put_char(text, *name);
  }
}

// The text of an intrinsic function (intrinsics.def); codes: of its parameters.
static void put_value(const struct call *c, struct kiln_spv_text *text, const char *value, const char *codes) {
  for (; *value; value++) {
    if (*value != '$') {
      kiln_spv_put_char(text, *value);
      continue;
    }
    value++;
    if (*value == 't') {
      put_type(text, c->generic, false);
    } else if (*value == 'e') {
      put_type(text, kiln_type_element(c->generic), false);
    } else if (*value == 'm') {
      put(text, "(");
      put_type(text, kiln_type_element(c->generic), false);
      put(text, ")");
      kiln_spv_put_number(text, kiln_kind_bits(kiln_type_kind(c->generic)) - 1);
    } else {
      put_arg(c, text, codes[*value - '0'], (uint32_t)(*value - '0'));
    }
  }
}

// ---- functions -----------------------------------------------------------------------------------------------------

static void note_call(struct call *c, uint32_t number) {
  struct kiln_spv_library *library = c->spv->library;
  if (!library->calls)
    library->calls = KILN_NEW_ARRAY(&c->spv->arena, uint32_t, c->spv->inst_count);
  library->calls[c->inst - c->spv->insts] = number;
}

// Notes that the instruction calls the function of the text.
static void add_function(struct call *c, bool is_import) {
  struct kiln_spv *spv = c->spv;
  struct kiln_spv_library *library = spv->library;
  struct kiln_name *name = kiln_names_intern(&library->names, c->text->data, c->text->size);
  if (!name->tag) {
    KILN_VEC_PUSH(&spv->arena, &library->functions,
                  (struct function){.inst = c->inst,
                                    .name = c->name,
                                    .result = name->text,
                                    .rest = name->text + strlen(name->text) + 1,
                                    .is_import = is_import,
                                    .any_sign = kiln_spv_image_has_no_sign(spv, c->inst)});
    name->tag = library->functions.count;
  }
  note_call(c, name->tag);
}

// A function of a signature: text is the name of the one that it calls, or the value that it returns.
static void write_function(struct call *c, const char *signature, const char *text, bool is_value) {
  char codes[MOST_ARGS + 1] = "";
  uint32_t count = 0;
  const char *s = signature;
  bool is_pointer = *s == 'P';
  s += is_pointer;
  bool is_void = *s == 'v';
  put_code(c, c->text, is_pointer, *s++, ir_of(c->result));
  kiln_spv_put_char(c->text, 0);
  put(c->text, "(");
  for (; *s && *s != 'n' && *s != 'r'; s++) {
    is_pointer = *s == 'P';
    s += is_pointer;
    codes[count] = *s;
    put(c->text, count ? ", " : "");
    put_code(c, c->text, is_pointer, *s, ir_of(type_of(c, count)));
    put(c->text, " ");
    put_param(c->text, count++);
  }
  put(c->text, is_void ? ") { " : ") { return ");
  if (is_value) {
    put_value(c, c->text, text, codes);
  } else {
    put_name(c, c->text, text);
    put(c->text, "(");
    for (uint32_t k = 0; k < count; k++) {
      put(c->text, k ? ", " : "");
      put_arg(c, c->text, codes[k], k);
    }
    put(c->text, ")");
  }
  put(c->text, "; }");
  add_function(c, is_value);
}

// ---- printf --------------------------------------------------------------------------------------------------------

struct string { // from a byte of an array on
  const struct kiln_spv_constant *array;
  uint32_t first;
};

// The pointer that an instruction makes an address of, with how many bytes are added to it. 0: none that is known.
static uint32_t base_of(const struct call *c, const struct kiln_spv_inst *inst, uint64_t *offset) {
  switch (inst->op) {
  case KILN_SPV_OpBitcast:
  case KILN_SPV_OpCopyObject:
  case KILN_SPV_OpPtrCastToGeneric:
  case KILN_SPV_OpGenericCastToPtr:
    return inst->operands[0];
  case KILN_SPV_OpAccessChain:
  case KILN_SPV_OpInBoundsAccessChain:
  case KILN_SPV_OpPtrAccessChain:
  case KILN_SPV_OpInBoundsPtrAccessChain:
    for (uint32_t i = 1; i < inst->count; i++) {
      uint64_t index;
      if (!kiln_spv_constant_bits(c->spv, inst->operands[i], &index) || (index && i + 1 < inst->count))
        return 0;
      *offset += index;
    }
    return inst->operands[0];
  default:
    return 0;
  }
}

// The contents of the constant variable that a pointer leads to, from there on. False: they are not known.
static bool find_string(const struct call *c, uint32_t id, struct string *out) {
  enum { MOST_STEPS = 16 };
  const struct kiln_spv_id *ids = c->spv->ids;
  uint64_t offset = 0;
  for (unsigned i = 0; i < MOST_STEPS && ids[id].what == KILN_SPV_IS_VALUE && ids[id].inst; i++)
    id = base_of(c, ids[id].inst, &offset);
  const struct kiln_spv_constant *address = kiln_spv_known(c->spv, id);
  if (address && address->form == KILN_SPV_ADDRESS) {
    offset += (uint64_t)address->offset;
    id = address->variable;
  }
  const struct kiln_spv_inst *inst = ids[id].inst;
  if (ids[id].what != KILN_SPV_IS_VARIABLE || inst->count < 2 ||
      inst->operands[0] != KILN_SPV_StorageClass_UniformConstant)
    return false;
  const struct kiln_spv_constant *array = kiln_spv_known(c->spv, inst->operands[1]);
  bool is_bytes = array && array->type->kind == KILN_SPV_ARRAY &&
                  array->type->element->ir == kiln_scalar_type(KILN_I8) &&
                  (array->form == KILN_SPV_PARTS || array->form == KILN_SPV_ZERO);
  if (!is_bytes || offset > array->type->count)
    return false;
  *out = (struct string){array, (uint32_t)offset};
  return true;
}

// Byte k of a string, 0 after its end.
static unsigned char byte_of(const struct string *string, uint32_t k) {
  const struct kiln_spv_constant *array = string->array;
  if (array->form == KILN_SPV_ZERO || k >= array->type->count - string->first)
    return 0;
  const struct kiln_spv_constant *byte = array->parts[string->first + k];
  return byte->form == KILN_SPV_BITS ? (unsigned char)byte->lanes[0] : 0;
}

static void put_literal(struct kiln_spv_text *text, const struct string *string) {
  put(text, "\"");
  for (uint32_t k = 0;; k++) {
    unsigned char byte = byte_of(string, k);
    if (!byte)
      break;
    bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || strchr(" %.,:=#+-_", byte);
    if (is_plain) {
      kiln_spv_put_char(text, (char)byte);
    } else { // three digits, so that a digit may follow
      char octal[4] = {'\\', (char)('0' + (byte >> 6)), (char)('0' + (byte >> 3 & 7)), (char)('0' + (byte & 7))};
      kiln_spv_put_bytes(text, octal, sizeof octal);
    }
  }
  put(text, "\"");
}

// The letter of the next conversion from *at on; 0: there is no more.
static char next_conversion(const struct string *format, uint32_t *at) {
  for (;;) {
    unsigned char byte;
    while ((byte = byte_of(format, *at)) && byte != '%')
      ++*at;
    if (!byte)
      return 0;
    do
      byte = byte_of(format, ++*at);
    while (byte && strchr("0123456789+-# .vhlLjzt", byte));
    if (!byte)
      return 0;
    ++*at;
    if (byte != '%')
      return (char)byte;
  }
}

// The conversion says whether a small integer has a sign.
static void put_print_type(const struct call *c, uint32_t k, char letter) {
  struct kiln_spv_text *text = c->text;
  kiln_type type = ir_of(type_of(c, k));
  check_width(c, type_of(c, k));
  if (kiln_type_kind(type) == KILN_PTR) {
    put_space(text, type);
    put(text, "char *");
  } else if (is_number(type)) {
    put_type(text, type, letter == 'd' || letter == 'i');
  } else {
    kiln_spv_fail(c->spv, c->inst, "printf: operand %u has a type that it does not take", k + 1);
  }
}

static void write_print(struct call *c) {
  struct string format, string;
  if (!c->arg_count || ir_of(c->result) != kiln_scalar_type(KILN_I32))
    kiln_spv_fail(c->spv, c->inst, "printf: it takes a format and gives an integer of 32 bits");
  if (kiln_type_kind(ir_of(type_of(c, 0))) != KILN_PTR || !find_string(c, c->args[0], &format))
    kiln_spv_fail(c->spv, c->inst, "printf: the format is no constant string");
  struct kiln_spv_text *values = &c->spv->library->values;
  uint32_t at = 0;
  values->size = 0;
  kiln_spv_put_bytes(c->text, "int\0(", 5);
  put_print_type(c, 0, 0);
  put(c->text, " p0");
  for (uint32_t k = 1; k < c->arg_count; k++) {
    char letter = next_conversion(&format, &at);
    put(c->text, ", ");
    put_print_type(c, k, letter);
    put(c->text, " ");
    put_param(c->text, k);
    put(values, ", ");
    if (letter == 's' && find_string(c, c->args[k], &string))
      put_literal(values, &string);
    else
      put_param(values, k);
  }
  put(c->text, ") { return printf(");
  put_literal(c->text, &format);
  kiln_spv_put_bytes(c->text, values->data, values->size);
  put(c->text, "); }");
  add_function(c, false);
}

// ---- imports -------------------------------------------------------------------------------------------------------

__attribute__((noreturn)) static void fail_import(struct kiln_spv *spv, const struct kiln_spv_inst *inst,
                                                  const char *name) {
  kiln_spv_fail(spv, inst, "undefined import '%s'", name);
}

// For messages: the name itself, unless it has characters that could do harm where they are shown.
static const char *shown_name(struct kiln_spv *spv, const char *name) {
  const char *end = name;
  while (*end >= ' ' && *end <= '~')
    end++;
  if (!*end)
    return name;
  char *shown = kiln_arena_strndup(&spv->arena, name, strlen(name));
  for (char *c = shown; *c; c++)
    if (*c < ' ' || *c > '~')
      *c = '?';
  return shown;
}

// Whether the call has the types of a mangled name.
static bool is_call_of(const struct call *c, const struct kiln_spv_prototype *prototype) {
  if (prototype->param_count != c->arg_count || strncmp(prototype->name, "__kiln", 6) == 0)
    return false;
  for (uint32_t k = 0; k < c->arg_count; k++) {
    kiln_type type = kiln_spv_ctype_ir(&prototype->params[k]);
    if (type == KILN_VOID || type != ir_of(type_of(c, k)) || type_of(c, k)->odd_bits)
      return false;
  }
  if (c->result->odd_bits)
    return false;
  kiln_type result = ir_of(c->result);
  return c->result->kind == KILN_SPV_VOID || kiln_type_kind(result) == KILN_PTR || is_number(result);
}

// Memory orders, scopes and flags of fences decide what is made of a call: constants stand in the text.
static void put_import_arg(const struct call *c, struct kiln_spv_text *text, const struct kiln_spv_prototype *prototype,
                           uint32_t k) {
  uint64_t bits;
  const char *name = prototype->name;
  bool matters = kiln_spv_ctype_is_enum(&prototype->params[k]) || strstr(name, "barrier") || strstr(name, "fence");
  if (matters && kiln_type_kind(ir_of(type_of(c, k))) == KILN_I32 && kiln_spv_constant_bits(c->spv, c->args[k], &bits))
    kiln_spv_put_number(text, (uint32_t)bits);
  else
    put_param(text, k);
}

// The sign of the result is not in the name: its bits are taken.
static void write_import(struct call *c, const struct kiln_spv_prototype *prototype) {
  kiln_type type = ir_of(c->result);
  bool is_void = c->result->kind == KILN_SPV_VOID, is_pointer = kiln_type_kind(type) == KILN_PTR;
  bool is_bool = kiln_type_kind(c->result->ir) == KILN_BOOL && kiln_type_lanes(type) == 1;
  if (is_pointer)
    put_space(c->text, type);
  if (is_bool)
    put(c->text, "bool");
  else
    put_type(c->text, is_void || is_pointer ? kiln_scalar_type(KILN_VOID) : type, false);
  put(c->text, is_pointer ? " *" : "");
  kiln_spv_put_char(c->text, 0);
  put(c->text, "(");
  for (uint32_t k = 0; k < c->arg_count; k++) {
    char text[KILN_SPV_CTYPE_TEXT];
    kiln_spv_ctype_text(&prototype->params[k], text);
    put(c->text, k ? ", " : "");
    put(c->text, text);
    put(c->text, " ");
    put_param(c->text, k);
  }
  put(c->text, is_void ? ") { " : ") { return ");
  bool as_bits = !is_void && !is_bool && !is_pointer;
  if (as_bits) {
    put(c->text, "as_");
    put_type(c->text, type, false);
    put(c->text, "(");
  }
  put(c->text, prototype->name);
  put(c->text, "(");
  for (uint32_t k = 0; k < c->arg_count; k++) {
    put(c->text, k ? ", " : "");
    put_import_arg(c, c->text, prototype, k);
  }
  put(c->text, as_bits ? ")); }" : "); }");
  add_function(c, true);
}

// No function is written for what is an operation.
static bool take_change(struct call *c, const struct kiln_spv_prototype *prototype) {
  uint16_t rmw;
  bool by_one;
  if (c->result->ir != kiln_scalar_type(KILN_I32) || !kiln_spv_find_change(prototype, &rmw, &by_one))
    return false;
  note_call(c, IS_CHANGE);
  return true;
}

// ---- the walk ------------------------------------------------------------------------------------------------------

static bool is_import(const struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  const struct kiln_spv_id *id = &spv->ids[inst->operands[0]];
  return id->what == KILN_SPV_IS_FUNCTION && !spv->functions[id->number].block_count;
}

static struct kiln_spv_text *new_text(struct kiln_spv *spv) {
  spv->library->text.size = 0;
  return &spv->library->text;
}

static void take_import(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  const struct kiln_spv_function *function = &spv->functions[spv->ids[inst->operands[0]].number];
  const char *name = function->import ? function->import : "";
  struct call c = {.spv = spv,
                   .inst = inst,
                   .name = shown_name(spv, name),
                   .result = spv->ids[inst->type].type,
                   .args = inst->operands + 1,
                   .arg_count = inst->count - 1,
                   .text = new_text(spv)};
  struct kiln_spv_intrinsic intrinsic;
  struct kiln_spv_prototype prototype;
  if (kiln_spv_find_intrinsic(name, &intrinsic)) {
    check_types(&c, intrinsic.signature);
    write_function(&c, intrinsic.signature, intrinsic.text, true);
  } else if (kiln_spv_demangle(name, &prototype) && is_call_of(&c, &prototype)) {
    if (!take_change(&c, &prototype))
      write_import(&c, &prototype);
  } else if (!spv->input->options.is_object) {
    fail_import(spv, inst, c.name);
  }
}

// The name in OpenCL C.
static const char *call_of(uint32_t ext) {
  for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
    if (renamed[i].ext == ext)
      return renamed[i].call;
  return kiln_spv_ext_name(ext);
}

static void take_ext(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  uint32_t number = inst->operands[1];
  const struct ext *ext = number < EXTS && *exts[number].signature ? &exts[number] : NULL;
  if (!ext)
    kiln_spv_fail(spv, inst, "unknown extended instruction %u of OpenCL.std", number);
  struct call c = {.spv = spv,
                   .inst = inst,
                   .name = kiln_spv_ext_name(number),
                   .result = spv->ids[inst->type].type,
                   .args = inst->operands + 2,
                   .arg_count = inst->count - 2,
                   .takes_odd = odd_exts[number] != 0,
                   .text = new_text(spv)};
  if (*ext->signature == '?') {
    write_print(&c);
    return;
  }
  check_types(&c, ext->signature);
  if (ext->is_call)
    write_function(&c, ext->signature, call_of(number), false);
}

static void take_image(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  struct call c = {.spv = spv, .inst = inst, .name = kiln_spv_op_name(inst->op), .text = new_text(spv)};
  kiln_spv_write_image(spv, inst, c.text);
  add_function(&c, false);
}

static void take_functions(struct kiln_spv *spv) {
  for (uint32_t f = 0; f < spv->function_count; f++) {
    const struct kiln_spv_function *function = &spv->functions[f];
    for (uint32_t k = 0; k < function->calls.count && function->is_reached; k++) {
      const struct kiln_spv_inst *inst = &spv->insts[function->calls.items[k]];
      if (inst->op == KILN_SPV_OpExtInst)
        take_ext(spv, inst);
      else if (kiln_spv_is_image_call(inst->op))
        take_image(spv, inst);
      else if (is_import(spv, inst))
        take_import(spv, inst);
    }
  }
}

// ---- compiling -----------------------------------------------------------------------------------------------------

// Function k stands in line k + 1.
static struct kiln_str source_text(struct kiln_spv *spv) {
  struct kiln_spv_text text = {.arena = &spv->arena};
  for (uint32_t k = 0; k < spv->library->functions.count; k++) {
    const struct function *function = &spv->library->functions.items[k];
    if (!function->is_missing) {
      put(&text, function->result);
      put(&text, " " PREFIX);
      kiln_spv_put_number(&text, k);
      put(&text, function->rest);
    }
    put(&text, "\n");
  }
  return (struct kiln_str){text.data, text.size};
}

// The front end's messages: "built-in functions:LINE:COLUMN: error: TEXT", among other lines. What is wrong with a
// function is a fault of the module, but in objects an import may be another object's function.
static void take_errors(struct kiln_spv *spv, const char *log) {
  struct kiln_spv_library *library = spv->library;
  bool again = false;
  for (const char *line = log; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    size_t size = sizeof SOURCE_NAME; // with the colon
    if (strncmp(line, SOURCE_NAME ":", size) != 0)
      continue;
    char *end;
    unsigned long number = strtoul(line + size, &end, 10);
    strtoul(end + (*end == ':'), &end, 10);
    if (strncmp(end, ": error: ", 9) != 0 || !number || number > library->functions.count)
      continue;
    struct function *function = &library->functions.items[number - 1];
    if (function->is_import && !spv->input->options.is_object)
      fail_import(spv, function->inst, function->name);
    if (!function->is_import)
      kiln_spv_fail(spv, function->inst, "%s cannot be called with these operands: %.*s", function->name,
                    (int)strcspn(end + 9, "\n"), end + 9);
    function->is_missing = again = true;
  }
  if (!again)
    kiln_spv_fail(spv, NULL, "%s", log);
}

// True: spv->module is made. False: functions have been left out, so that there is another text to compile.
static bool compile(struct kiln_spv *spv) {
  struct kiln_str text = source_text(spv);
  struct kiln_lang_input input = {.source = text.data,
                                  .size = text.size,
                                  .name = SOURCE_NAME,
                                  .options = spv->input->options,
                                  .pool = spv->input->pool};
  input.options.std = 300;
  input.options.define_count = input.options.include_dir_count = 0;
  input.options.warnings = (struct kiln_warning_options){.none = true};
  input.options.describe_variables = false;
  input.options.is_object = true; // so that functions need no kernel
  struct kiln_lang_output output;
  enum kiln_status status = kiln_lang_compile(&input, &output);
  spv->module = output.module;
  const char *log = kiln_arena_printf(&spv->arena, "%s", output.log ? output.log : "");
  kiln_lang_output_free(&output);
  if (status == KILN_ERR_MEMORY) {
    spv->status = status;
    longjmp(spv->failed, 1);
  }
  if (status != KILN_OK)
    take_errors(spv, log);
  return status == KILN_OK;
}

static void set_any_sign(struct kiln_function *fn) {
  for (kiln_value id = 1; id < fn->inst_count; id++)
    if (fn->insts[id].op == KILN_OP_IMAGE_READ || fn->insts[id].op == KILN_OP_IMAGE_WRITE)
      fn->insts[id].flags |= KILN_IMAGE_ANY_SIGN;
}

// What is inlined wherever OpenCL C calls it is inlined here, too, although a function stands between: what pass images
// makes of an operation on an image, and functions of the library that must be.
static bool wants_inline(const struct kiln_module *module, const struct kiln_function *fn) {
  for (kiln_value id = 1; id < fn->inst_count; id++) {
    enum kiln_op op = kiln_op_of(&fn->insts[id]);
    if (kiln_op_family(op) == KILN_FAMILY_IMAGE ||
        (op == KILN_OP_CALL && module->functions[fn->insts[id].imm]->always_inline))
      return true;
  }
  return false;
}

// The functions are of this module alone, and what they do is done where they are called.
static void take_module(struct kiln_spv *spv) {
  struct kiln_module *module = spv->module;
  if (module->file_count) // by which messages of linking name it
    module->files[0] = kiln_ir_strdup(module, spv->input->name);
  for (uint32_t i = 0; i < module->function_count; i++) {
    struct kiln_function *fn = module->functions[i];
    fn->is_exported = false;
    for (kiln_value id = 1; id < fn->inst_count; id++)
      fn->insts[id].loc = 0;
    unsigned long number;
    if (strncmp(fn->name, PREFIX, strlen(PREFIX)) == 0) {
      number = strtoul(fn->name + strlen(PREFIX), NULL, 10);
      spv->library->functions.items[number].index = i;
      if (spv->library->functions.items[number].any_sign)
        set_any_sign(fn);
      fn->always_inline = wants_inline(module, fn);
    }
  }
  for (uint32_t i = 0; i < module->global_count; i++)
    module->globals[i].is_exported = false;
}

void kiln_spv_make_library(struct kiln_spv *spv) {
  spv->library = KILN_NEW(&spv->arena, struct kiln_spv_library);
  kiln_names_init(&spv->library->names, &spv->arena);
  spv->library->text.arena = spv->library->values.arena = &spv->arena;
  take_functions(spv);
  if (!spv->library->functions.count) {
    spv->module = kiln_module_new();
    if (!spv->module) {
      spv->status = KILN_ERR_MEMORY;
      longjmp(spv->failed, 1);
    }
    return;
  }
  while (!compile(spv)) {
  }
  take_module(spv);
}

// Of a call of an import that take_change has seen.
static void set_change(const struct kiln_spv *spv, const struct kiln_spv_inst *inst, struct kiln_spv_builtin *how) {
  struct kiln_spv_prototype prototype;
  kiln_spv_demangle(spv->functions[spv->ids[inst->operands[0]].number].import, &prototype);
  kiln_spv_find_change(&prototype, &how->flags, &how->by_one);
  how->op = KILN_OP_ATOMIC_RMW;
  how->imm = kiln_atomic(KILN_RELAXED, KILN_SCOPE_DEVICE); // as OpenCL C has them
}

struct kiln_spv_builtin kiln_spv_builtin_of(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  const struct kiln_spv_library *library = spv->library;
  bool is_ext = inst->op == KILN_SPV_OpExtInst;
  uint32_t before = is_ext ? 2 : 1; // set and number, or the function
  struct kiln_spv_builtin how = {.args = inst->operands + before, .arg_count = inst->count - before};
  const struct ext *ext = is_ext ? &exts[inst->operands[1]] : NULL;
  if (ext)
    how.arg_count -= strpbrk(ext->signature, "nr") != NULL;
  how.with_sign = ext && odd_exts[inst->operands[1]] == 2;
  uint32_t number = library->calls ? library->calls[inst - spv->insts] : 0;
  if (number == IS_CHANGE) {
    set_change(spv, inst, &how);
  } else if (number && !library->functions.items[number - 1].is_missing) {
    how.is_call = true;
    how.function = library->functions.items[number - 1].index;
  } else if (ext) {
    const struct kiln_lang_options *options = &spv->input->options;
    bool is_half = kiln_type_kind(spv->ids[inst->type].type->ir) == KILN_F16;
    how.is_apart = inst->operands[1] == EXT_mad && !(options->fma && (!is_half || options->half_fma)); // as jit/lang
    how.op = ext->op;
    how.flags = ext->flags;
    how.without = ext->without;
  } else {
    how.is_import = true;
  }
  return how;
}
