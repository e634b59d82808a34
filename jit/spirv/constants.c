// Constants of a SPIR-V module, specialised with the values of the caller.
#include <errno.h>
#include <stdlib.h>

#include "base/c_locale.h"
#include "jit/spirv/module.h"

struct kiln_spv_constant *kiln_spv_new_constant(struct kiln_spv *spv, const struct kiln_spv_type *type,
                                                enum kiln_spv_form form) {
  struct kiln_spv_constant *constant = KILN_NEW(&spv->arena, struct kiln_spv_constant);
  constant->type = type;
  constant->form = form;
  return constant;
}

const struct kiln_spv_constant *kiln_spv_number(struct kiln_spv *spv, const struct kiln_spv_type *type,
                                                const uint64_t *lanes) {
  unsigned count = kiln_type_lanes(type->ir);
  uint64_t mask = kiln_bits_mask(kiln_spv_bits(type));
  struct kiln_spv_constant *constant = kiln_spv_new_constant(spv, type, KILN_SPV_BITS);
  uint64_t *copy = kiln_arena_alloc(&spv->arena, count * sizeof *copy, _Alignof(uint64_t));
  for (unsigned i = 0; i < count; i++)
    copy[i] = lanes[i] & mask;
  constant->lanes = copy;
  return constant;
}

bool kiln_spv_constant_lanes(const struct kiln_spv_constant *constant, uint64_t lanes[16]) {
  memset(lanes, 0, 16 * sizeof *lanes);
  if (constant->form == KILN_SPV_BITS)
    memcpy(lanes, constant->lanes, kiln_type_lanes(constant->type->ir) * sizeof *lanes);
  else if (constant->form == KILN_SPV_ADDRESS && !constant->variable)
    lanes[0] = (uint64_t)constant->offset;
  else
    return constant->type->ir && (constant->form == KILN_SPV_ZERO || constant->form == KILN_SPV_UNDEF);
  return true;
}

const struct kiln_spv_constant *kiln_spv_constant_of(struct kiln_spv *spv, const struct kiln_spv_inst *at,
                                                     uint32_t id) {
  const struct kiln_spv_id *known = &spv->ids[id];
  if (known->what == KILN_SPV_IS_CONSTANT)
    return known->constant;
  if (known->what == KILN_SPV_IS_FUNCTION)
    kiln_spv_fail(spv, at, "%s is a function: function pointers are not supported", kiln_spv_id_text(spv, id));
  if (known->what != KILN_SPV_IS_VARIABLE)
    kiln_spv_fail(spv, at, "%s is no constant that is defined before", kiln_spv_id_text(spv, id));
  struct kiln_spv_constant *address = kiln_spv_new_constant(spv, known->type, KILN_SPV_ADDRESS);
  address->variable = id;
  return address;
}

const struct kiln_spv_constant *kiln_spv_constant_part(struct kiln_spv *spv, const struct kiln_spv_constant *constant,
                                                       uint32_t k) {
  if (constant->form == KILN_SPV_PARTS)
    return constant->parts[k];
  const struct kiln_spv_type *type = kiln_spv_part(constant->type, k);
  if (constant->form == KILN_SPV_BITS)
    return kiln_spv_number(spv, type, constant->lanes + k);
  return kiln_spv_new_constant(spv, type, constant->form);
}

// ---- each instruction ----------------------------------------------------------------------------------------------

// Bytes in hexadecimal, first byte first. False: it is not so many.
static bool bytes_of(const char *text, uint64_t size, uint64_t *value) {
  *value = 0;
  for (uint64_t i = 0; i < size * 2; i++) {
    char c = kiln_lower(text[i]);
    if (!kiln_is_hex_digit(c))
      return false;
    *value |= (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10) << (i ^ 1) * 4;
  }
  return text[size * 2] == 0;
}

static bool int_of(const char *text, unsigned bits, uint64_t *value) {
  char *end;
  errno = 0;
  *value = text[0] == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
  bool fits = text[0] == '-' ? kiln_sign_extend(*value, bits) == (int64_t)*value : *value <= kiln_bits_mask(bits);
  return end != text && *end == 0 && errno == 0 && fits;
}

static bool value_of(const char *text, const struct kiln_spv_type *type, uint64_t *value) {
  if (text[0] == 'x')
    return bytes_of(text + 1, type->size, value);
  if (type->kind == KILN_SPV_INT)
    return int_of(text, kiln_spv_bits(type), value);
  if (type->kind == KILN_SPV_BOOL) {
    *value = strcmp(text, "1") == 0 || strcmp(text, "true") == 0;
    return *value || strcmp(text, "0") == 0 || strcmp(text, "false") == 0;
  }
  char *end;
  *value = kiln_float_round(kiln_type_kind(type->ir), kiln_strtod(text, &end), KILN_ROUND_EVEN);
  return end != text && *end == 0;
}

// Takes the value that the build options have for a constant, if they have it.
static void specialise(struct kiln_spv *spv, const struct kiln_spv_inst *inst, const struct kiln_spv_type *type,
                       uint64_t *value) {
  const struct kiln_spv_decoration *decoration = kiln_spv_decoration(spv, inst->id, KILN_SPV_Decoration_SpecId);
  const struct kiln_lang_options *options = &spv->input->options;
  for (uint32_t i = 0; decoration && i < options->spec_value_count; i++) {
    if (options->spec_values[i].id != decoration->operands[0])
      continue;
    spv->given[i] = true;
    if (!value_of(options->spec_values[i].text, type, value))
      kiln_spv_invalid(spv, "the specialization constant %u is %s, of %u bytes, which '%s' is no value of",
                       decoration->operands[0], kiln_spv_type_text(spv, type), (unsigned)type->size,
                       options->spec_values[i].text);
  }
}

static const struct kiln_spv_constant *scalar(struct kiln_spv *spv, const struct kiln_spv_inst *inst,
                                              const struct kiln_spv_type *type) {
  if (type->kind != KILN_SPV_INT && type->kind != KILN_SPV_FLOAT)
    kiln_spv_fail(spv, inst, "%s is neither an integer nor a float", kiln_spv_type_text(spv, type));
  if (inst->count != (type->size > 4 ? 2u : 1u))
    kiln_spv_fail(spv, inst, "%u words for a value of %u bytes", inst->count, (unsigned)type->size);
  uint64_t value = inst->operands[0] | (inst->count > 1 ? (uint64_t)inst->operands[1] << 32 : 0);
  if (inst->op == KILN_SPV_OpSpecConstant)
    specialise(spv, inst, type, &value);
  return kiln_spv_number(spv, type, &value);
}

static const struct kiln_spv_constant *boolean(struct kiln_spv *spv, const struct kiln_spv_inst *inst,
                                               const struct kiln_spv_type *type) {
  if (type->kind != KILN_SPV_BOOL)
    kiln_spv_fail(spv, inst, "%s is no bool", kiln_spv_type_text(spv, type));
  uint64_t value = inst->op == KILN_SPV_OpConstantTrue || inst->op == KILN_SPV_OpSpecConstantTrue;
  if (inst->op == KILN_SPV_OpSpecConstantTrue || inst->op == KILN_SPV_OpSpecConstantFalse)
    specialise(spv, inst, type, &value);
  value = value != 0;
  return kiln_spv_number(spv, type, &value);
}

static const struct kiln_spv_constant *composite(struct kiln_spv *spv, const struct kiln_spv_inst *inst,
                                                 const struct kiln_spv_type *type) {
  bool is_vector = type->kind == KILN_SPV_VECTOR;
  if (!is_vector && !kiln_spv_is_aggregate(type))
    kiln_spv_fail(spv, inst, "%s has no parts", kiln_spv_type_text(spv, type));
  if (inst->count != type->count)
    kiln_spv_fail(spv, inst, "%u parts for a type of %u", inst->count, type->count);
  uint64_t lanes[16];
  const struct kiln_spv_constant **parts =
      is_vector ? NULL : KILN_NEW_ARRAY(&spv->arena, const struct kiln_spv_constant *, type->count);
  for (uint32_t i = 0; i < type->count; i++) {
    const struct kiln_spv_constant *part = kiln_spv_constant_of(spv, inst, inst->operands[i]);
    const struct kiln_spv_type *wanted = kiln_spv_part(type, i);
    if (!kiln_spv_same_type(part->type, wanted))
      kiln_spv_fail(spv, inst, "part %u is %s, not %s", i, kiln_spv_type_text(spv, part->type),
                    kiln_spv_type_text(spv, wanted));
    uint64_t of_part[16];
    if (!is_vector)
      parts[i] = part;
    else if (kiln_spv_constant_lanes(part, of_part))
      lanes[i] = of_part[0];
    else
      kiln_spv_fail(spv, inst, "part %u is an address in a vector", i);
  }
  if (is_vector)
    return kiln_spv_number(spv, type, lanes);
  struct kiln_spv_constant *constant = kiln_spv_new_constant(spv, type, KILN_SPV_PARTS);
  constant->parts = parts;
  return constant;
}

// Its number is that of OpenCL C: enum kiln_sampler.
static const struct kiln_spv_constant *sampler(struct kiln_spv *spv, const struct kiln_spv_inst *inst,
                                               const struct kiln_spv_type *type) {
  static const uint8_t modes[] = {[KILN_SPV_SamplerAddressingMode_ClampToEdge] = KILN_SAMPLER_CLAMP_TO_EDGE,
                                  [KILN_SPV_SamplerAddressingMode_Clamp] = KILN_SAMPLER_CLAMP,
                                  [KILN_SPV_SamplerAddressingMode_Repeat] = KILN_SAMPLER_REPEAT,
                                  [KILN_SPV_SamplerAddressingMode_RepeatMirrored] = KILN_SAMPLER_MIRRORED_REPEAT};
  uint32_t mode = inst->operands[0], normalized = inst->operands[1], filter = inst->operands[2];
  if (type->kind != KILN_SPV_SAMPLER)
    kiln_spv_fail(spv, inst, "its type is no sampler");
  if (mode >= sizeof modes || normalized > 1 || filter > 1)
    kiln_spv_fail(spv, inst, "there is no sampler %u, %u, %u", mode, normalized, filter);
  uint64_t bits =
      modes[mode] | (normalized ? KILN_SAMPLER_NORMALIZED : 0) | (filter ? KILN_SAMPLER_LINEAR : KILN_SAMPLER_NEAREST);
  return kiln_spv_number(spv, type, &bits);
}

void kiln_spv_define_constant(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  const struct kiln_spv_type *type = kiln_spv_type_of(spv, inst, inst->type);
  if (type->kind == KILN_SPV_VOID || type->kind == KILN_SPV_FUNCTION || kiln_spv_is_image(type->kind))
    kiln_spv_fail(spv, inst, "%s has no values", kiln_spv_type_text(spv, type));
  struct kiln_spv_id *id = &spv->ids[inst->id];
  if (id->what != KILN_SPV_NOTHING)
    kiln_spv_fail(spv, inst, "%s is defined twice", kiln_spv_id_text(spv, inst->id));
  const struct kiln_spv_constant *constant;
  switch (inst->op) {
  case KILN_SPV_OpConstantTrue:
  case KILN_SPV_OpConstantFalse:
  case KILN_SPV_OpSpecConstantTrue:
  case KILN_SPV_OpSpecConstantFalse:
    constant = boolean(spv, inst, type);
    break;
  case KILN_SPV_OpConstant:
  case KILN_SPV_OpSpecConstant:
    constant = scalar(spv, inst, type);
    break;
  case KILN_SPV_OpConstantComposite:
  case KILN_SPV_OpSpecConstantComposite:
    constant = composite(spv, inst, type);
    break;
  case KILN_SPV_OpConstantNull:
    for (uint32_t i = 0; i < inst->count; i++) // LLVM 22 repeats the type
      if (inst->operands[i] != inst->type)
        kiln_spv_fail(spv, inst, "%u operands too many", inst->count - i);
    constant = kiln_spv_new_constant(spv, type, KILN_SPV_ZERO);
    break;
  case KILN_SPV_OpUndef:
    constant = kiln_spv_new_constant(spv, type, KILN_SPV_UNDEF);
    break;
  case KILN_SPV_OpSpecConstantOp:
    constant = kiln_spv_fold(spv, inst, type);
    break;
  case KILN_SPV_OpConstantSampler:
    constant = sampler(spv, inst, type);
    break;
  case KILN_SPV_OpConstantPipeStorage:
    kiln_spv_fail(spv, inst, "pipes are not supported");
  case KILN_SPV_OpConstantFunctionPointerINTEL:
    kiln_spv_fail(spv, inst, "function pointers are not supported");
  default:
    kiln_spv_fail(spv, inst, "it is not supported outside of functions");
  }
  id->what = KILN_SPV_IS_CONSTANT;
  id->type = type;
  id->inst = inst;
  id->constant = constant;
}

bool kiln_spv_constant_bits(struct kiln_spv *spv, uint32_t id, uint64_t *bits) {
  const struct kiln_spv_id *known = &spv->ids[id];
  uint64_t lanes[16];
  if (known->what != KILN_SPV_IS_CONSTANT || known->type->kind != KILN_SPV_INT)
    return false;
  if (known->constant->form == KILN_SPV_BITS) { // as mostly
    *bits = known->constant->lanes[0];
    return true;
  }
  if (!kiln_spv_constant_lanes(known->constant, lanes))
    return false;
  *bits = lanes[0];
  return true;
}

int64_t kiln_spv_constant_int(struct kiln_spv *spv, const struct kiln_spv_inst *at, uint32_t id, const char *what) {
  uint64_t bits;
  if (!kiln_spv_constant_bits(spv, id, &bits))
    kiln_spv_fail(spv, at, "%s %s is no integer constant", what, kiln_spv_id_text(spv, id));
  return kiln_sign_extend(bits, kiln_spv_bits(spv->ids[id].type));
}
