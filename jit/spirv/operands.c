// Types of the operands of instructions: operands.def, and what its letters cannot say.
#include "jit/spirv/module.h"

// "": operands.def has no row.
static const char operand_types[KILN_SPV_ROWS][10] = {
#define KILN_SPV_OPERANDS(name, types) [KILN_SPV_ROW_##name] = types,
#include "jit/spirv/operands.def"
};

const char *kiln_spv_type_text(struct kiln_spv *spv, const struct kiln_spv_type *type) {
  char text[KILN_TYPE_TEXT_SIZE];
  switch (type->kind) {
  case KILN_SPV_VOID:
    return "void";
  case KILN_SPV_BOOL:
  case KILN_SPV_INT:
  case KILN_SPV_FLOAT:
  case KILN_SPV_VECTOR:
    if (type->odd_bits)
      return kiln_arena_printf(&spv->arena, type->kind == KILN_SPV_VECTOR ? "i%ux%u" : "i%u", type->odd_bits,
                               type->count);
    return kiln_arena_printf(&spv->arena, "%s", kiln_type_text(type->ir, text));
  case KILN_SPV_ARRAY:
    return kiln_arena_printf(&spv->arena, "the array %s of %u", kiln_spv_id_text(spv, type->id), type->count);
  case KILN_SPV_STRUCT:
    return kiln_arena_printf(&spv->arena, "the structure %s", kiln_spv_id_text(spv, type->id));
  case KILN_SPV_POINTER:
    return kiln_arena_printf(&spv->arena, "the pointer %s (%s)", kiln_spv_id_text(spv, type->id),
                             kiln_type_text(type->ir, text));
  case KILN_SPV_FUNCTION:
    return "the type of a function";
  case KILN_SPV_EVENT:
    return "an event";
  case KILN_SPV_IMAGE:
    return kiln_spv_image_name(type->ir);
  case KILN_SPV_SAMPLER:
    return "a sampler";
  case KILN_SPV_SAMPLED_IMAGE:
    return "a sampled image";
  }
  return "?";
}

bool kiln_spv_same_type(const struct kiln_spv_type *a, const struct kiln_spv_type *b) {
  if (a == b)
    return true;
  return a->kind == b->kind && a->ir && a->ir == b->ir && a->storage == b->storage && a->odd_bits == b->odd_bits;
}

// ---- values --------------------------------------------------------------------------------------------------------

// The type of an operand that is a value.
static bool is_value(enum kiln_spv_what what) {
  return (1u << what) & (1u << KILN_SPV_IS_CONSTANT | 1u << KILN_SPV_IS_VARIABLE | 1u << KILN_SPV_IS_VALUE);
}

__attribute__((noreturn, noinline)) static void no_value(struct kiln_spv *spv, const struct kiln_spv_inst *inst,
                                                         uint32_t id) {
  enum kiln_spv_what what = spv->ids[id].what;
  kiln_spv_fail(spv, inst,
                is_value(what)             ? "%s is void"
                : what == KILN_SPV_NOTHING ? "%s is not defined"
                                           : "%s is no value",
                kiln_spv_id_text(spv, id));
}

static inline const struct kiln_spv_type *value_type(struct kiln_spv *spv, const struct kiln_spv_inst *inst,
                                                     uint32_t id) {
  const struct kiln_spv_id *known = &spv->ids[id];
  if (!is_value(known->what) || known->type->kind == KILN_SPV_VOID)
    no_value(spv, inst, id);
  return known->type;
}

static const struct kiln_spv_type *pointee(struct kiln_spv *spv, const struct kiln_spv_inst *inst,
                                           const struct kiln_spv_type *pointer) {
  if (pointer->kind != KILN_SPV_POINTER || !pointer->element)
    kiln_spv_fail(spv, inst, "%s is no pointer", kiln_spv_type_text(spv, pointer));
  return pointer->element;
}

static bool has_kind(const struct kiln_spv_type *type, char letter) {
  enum kiln_kind kind = kiln_type_kind(type->ir);
  if (type->kind != KILN_SPV_BOOL && type->kind != KILN_SPV_INT && type->kind != KILN_SPV_FLOAT &&
      type->kind != KILN_SPV_VECTOR)
    return false;
  switch (letter) {
  case 'b':
    return kind == KILN_BOOL;
  case 'i':
    return kiln_kind_is_int(kind);
  case 'f':
    return kiln_kind_is_float(kind);
  default:
    return kiln_kind_is_int(kind) || kiln_kind_is_float(kind);
  }
}

struct check {
  struct kiln_spv *spv;
  const struct kiln_spv_inst *inst;
  const struct kiln_spv_place *place;   // NULL: outside of functions
  const struct kiln_spv_type *result;   // NULL: the instruction gives no value
  const struct kiln_spv_type *first;    // of operand 0
  const struct kiln_spv_type *previous; // of the operand before
};

static bool fits(struct check *c, char letter, const struct kiln_spv_type *type) {
  unsigned lanes = kiln_type_lanes(type->ir), wanted = c->result ? kiln_type_lanes(c->result->ir) : lanes;
  switch (letter) {
  case 'b':
  case 'i':
  case 'f':
  case 'n':
    return has_kind(type, letter) && lanes == 1;
  case 'B':
  case 'I':
  case 'F':
  case 'N':
    return has_kind(type, (char)(letter + 'a' - 'A')) && lanes == wanted;
  case 'W':
    return has_kind(type, 'i') && lanes == wanted && kiln_spv_bits(type) >= kiln_spv_bits(c->result);
  case '?':
    return has_kind(type, 'b') && (lanes == 1 || lanes == wanted);
  case 'y':
    return has_kind(type, 'b');
  case 'Y':
    return has_kind(type, 'b') || has_kind(type, 'i');
  case 'z':
    return has_kind(type, 'i');
  case 'g':
    return has_kind(type, 'f');
  case 'e':
    return type->kind == KILN_SPV_EVENT;
  case 'm':
    return type->kind == KILN_SPV_IMAGE;
  case 'M':
    return type->kind == KILN_SPV_SAMPLED_IMAGE;
  case 't':
    return type->kind == KILN_SPV_SAMPLER;
  case 'k':
    return kiln_type_element(type->ir) == kiln_scalar_type(has_kind(type, 'i') ? KILN_I32 : KILN_F32) &&
           !type->odd_bits;
  case 'V':
    return type->kind == KILN_SPV_VECTOR;
  case 'p':
    return type->kind == KILN_SPV_POINTER && type->element;
  case '=':
    return kiln_spv_same_type(type, c->result);
  case '.':
    return kiln_spv_same_type(type, c->previous);
  case 'c':
    return c->result->kind == KILN_SPV_VECTOR && kiln_spv_same_type(type, c->result->element);
  case 'P':
    return type->kind == KILN_SPV_POINTER && type->element && kiln_spv_same_type(type->element, c->result);
  case 'A':
    return type->kind == KILN_SPV_POINTER && type->element &&
           (kiln_spv_same_type(type->element, c->result) || type->element->ir == kiln_scalar_type(KILN_I8));
  case '@':
    return kiln_spv_same_type(type, pointee(c->spv, c->inst, c->first));
  case 'q':
    return type->kind == KILN_SPV_POINTER && type->element &&
           kiln_spv_same_type(type->element, pointee(c->spv, c->inst, c->first));
  case 'X':
    return type->kind != KILN_SPV_VOID && type->kind != KILN_SPV_FUNCTION && type->kind != KILN_SPV_SAMPLED_IMAGE;
  default: // 'x'
    return type->kind != KILN_SPV_VOID && type->kind != KILN_SPV_FUNCTION && !kiln_spv_is_image(type->kind);
  }
}

static const char *wanted(struct check *c, char letter) {
  switch (letter) {
  case 'b':
  case 'B':
  case 'y':
  case 'Y':
  case '?':
    return "bool";
  case 'i':
  case 'I':
  case 'z':
    return "an integer";
  case 'f':
  case 'F':
  case 'g':
    return "a float";
  case 'n':
  case 'N':
    return "a number";
  case 'e':
    return "an event";
  case 'm':
    return "an image";
  case 'M':
    return "a sampled image";
  case 't':
    return "a sampler";
  case 'k':
    return "coordinates of 32 bits";
  case 'V':
    return "a vector";
  case 'p':
  case 'A':
  case 'P':
  case 'q':
    return "a pointer to what is accessed";
  case '=':
  case 'W':
    return kiln_spv_type_text(c->spv, c->result);
  case '.':
    return kiln_spv_type_text(c->spv, c->previous);
  case 'c':
    return "a component of the result";
  case '@':
    return "what the pointer leads to";
  default:
    return "a value";
  }
}

__attribute__((noreturn)) static void misfit(struct check *c, char letter, const char *what,
                                             const struct kiln_spv_type *type) {
  bool lanes = (letter == 'B' || letter == 'I' || letter == 'F' || letter == 'N') && c->result &&
               kiln_type_lanes(c->result->ir) > 1;
  if (lanes)
    kiln_spv_fail(c->spv, c->inst, "%s is %s, not %s in %u components", what, kiln_spv_type_text(c->spv, type),
                  wanted(c, letter), kiln_type_lanes(c->result->ir));
  kiln_spv_fail(c->spv, c->inst, "%s is %s, not %s", what, kiln_spv_type_text(c->spv, type), wanted(c, letter));
}

static void check_operand(struct check *c, char letter, uint32_t id) {
  if (letter == 'w')
    return;
  if (letter == 'l' || letter == 's') {
    enum kiln_spv_what what = letter == 'l' ? KILN_SPV_IS_LABEL : KILN_SPV_IS_SET;
    if (c->spv->ids[id].what != what)
      kiln_spv_fail(c->spv, c->inst, letter == 'l' ? "%s is no block" : "%s is no set of instructions",
                    kiln_spv_id_text(c->spv, id));
    return;
  }
  const struct kiln_spv_type *type = value_type(c->spv, c->inst, id);
  if (!c->first)
    c->first = type;
  bool is_same = type == (letter == '.' ? c->previous : c->result); // as mostly
  if (!(is_same && (letter == '=' || letter == '.')) && !fits(c, letter, type))
    misfit(c, letter, kiln_arena_printf(&c->spv->arena, "operand %s", kiln_spv_id_text(c->spv, id)), type);
  if (type->odd_bits && !kiln_spv_takes_odd(c->inst->row))
    kiln_spv_refuse_odd(c->spv, c->inst, type);
  c->previous = type;
}

// ---- access chains -------------------------------------------------------------------------------------------------

bool kiln_spv_chain(struct kiln_spv *spv, const struct kiln_spv_inst *inst, uint32_t first, bool element,
                    const struct kiln_spv_type *type, const struct kiln_spv_type **to, int64_t *offset) {
  bool known = true;
  uint64_t sum = 0;
  if (!type)
    kiln_spv_fail(spv, inst, "what the pointer leads to is not defined before");
  for (uint32_t i = first; i < inst->count; i++) {
    uint32_t id = inst->operands[i];
    if (value_type(spv, inst, id)->kind != KILN_SPV_INT)
      kiln_spv_fail(spv, inst, "index %s is no integer", kiln_spv_id_text(spv, id));
    uint64_t bits;
    bool constant = kiln_spv_constant_bits(spv, id, &bits);
    int64_t index = constant ? kiln_sign_extend(bits, kiln_spv_bits(spv->ids[id].type)) : 0;
    known &= constant;
    if (element) {
      sum += (uint64_t)index * type->size;
      element = false;
      continue;
    }
    if (type->kind == KILN_SPV_STRUCT) {
      if (!constant || bits >= type->count)
        kiln_spv_fail(spv, inst, "index %s of %s is no constant below %u", kiln_spv_id_text(spv, id),
                      kiln_spv_type_text(spv, type), type->count);
      sum += type->offsets[bits];
      type = type->members[bits];
    } else if (type->kind == KILN_SPV_ARRAY || (type->kind == KILN_SPV_VECTOR && !type->odd_bits)) {
      sum += (uint64_t)index * type->element->size;
      type = type->element;
    } else {
      kiln_spv_fail(spv, inst, "index %s of %s, which has no parts", kiln_spv_id_text(spv, id),
                    kiln_spv_type_text(spv, type));
    }
  }
  *to = type;
  *offset = (int64_t)sum;
  return known;
}

static void check_chain(struct check *c) {
  const struct kiln_spv_inst *inst = c->inst;
  bool element = inst->op == KILN_SPV_OpPtrAccessChain || inst->op == KILN_SPV_OpInBoundsPtrAccessChain;
  const struct kiln_spv_type *to;
  int64_t offset;
  kiln_spv_chain(c->spv, inst, 1, element, c->first->element, &to, &offset);
  if (c->result->storage != c->first->storage)
    kiln_spv_fail(c->spv, inst, "the result has another storage class than operand %s",
                  kiln_spv_id_text(c->spv, inst->operands[0]));
  if (!kiln_spv_same_type(c->result->element, to))
    kiln_spv_fail(c->spv, inst, "the result points to %s, but the indices lead to %s",
                  kiln_spv_type_text(c->spv, c->result->element), kiln_spv_type_text(c->spv, to));
}

// ---- parts ---------------------------------------------------------------------------------------------------------

// The type that literal indices lead to.
static const struct kiln_spv_type *part_at(struct check *c, const struct kiln_spv_type *type, uint32_t first) {
  for (uint32_t i = first; i < c->inst->count; i++) {
    uint32_t index = c->inst->operands[i];
    if (type->kind != KILN_SPV_VECTOR && !kiln_spv_is_aggregate(type))
      kiln_spv_fail(c->spv, c->inst, "index %u of %s, which has no parts", index, kiln_spv_type_text(c->spv, type));
    uint64_t beyond;
    if (index >= type->count && c->inst->op == KILN_SPV_OpCompositeExtract && c->inst->count == 2 &&
        type->kind == KILN_SPV_VECTOR && kiln_spv_is_dimensions(c->spv, c->inst->operands[0], &beyond))
      return type->element;
    if (index >= type->count)
      kiln_spv_fail(c->spv, c->inst, "index %u of %s, which has %u parts", index, kiln_spv_type_text(c->spv, type),
                    type->count);
    type = kiln_spv_part(type, index);
  }
  return type;
}

static void want_result(struct check *c, const struct kiln_spv_type *type) {
  if (!kiln_spv_same_type(c->result, type))
    kiln_spv_fail(c->spv, c->inst, "the result is %s, not %s", kiln_spv_type_text(c->spv, c->result),
                  kiln_spv_type_text(c->spv, type));
}

// A vector is made of scalars and vectors, an aggregate of its parts.
static void check_construct(struct check *c) {
  const struct kiln_spv_type *result = c->result;
  const struct kiln_spv_inst *inst = c->inst;
  bool is_vector = result->kind == KILN_SPV_VECTOR;
  if (!is_vector && !kiln_spv_is_aggregate(result))
    kiln_spv_fail(c->spv, inst, "the result, %s, has no parts", kiln_spv_type_text(c->spv, result));
  uint32_t at = 0;
  for (uint32_t i = 0; i < inst->count; i++) {
    const struct kiln_spv_type *type = value_type(c->spv, inst, inst->operands[i]);
    if (at >= result->count)
      kiln_spv_fail(c->spv, inst, "more parts than the %u of %s", result->count, kiln_spv_type_text(c->spv, result));
    const struct kiln_spv_type *part = is_vector && type->kind == KILN_SPV_VECTOR ? type->element : type;
    if (!kiln_spv_same_type(part, kiln_spv_part(result, at)))
      kiln_spv_fail(c->spv, inst, "operand %s is %s, not %s", kiln_spv_id_text(c->spv, inst->operands[i]),
                    kiln_spv_type_text(c->spv, type), kiln_spv_type_text(c->spv, kiln_spv_part(result, at)));
    at += part == type ? 1 : type->count;
  }
  if (at != result->count)
    kiln_spv_fail(c->spv, inst, "%u parts for the %u of %s", at, result->count, kiln_spv_type_text(c->spv, result));
}

static void check_shuffle(struct check *c) {
  const struct kiln_spv_type *x = value_type(c->spv, c->inst, c->inst->operands[0]);
  const struct kiln_spv_type *y = value_type(c->spv, c->inst, c->inst->operands[1]);
  if (!kiln_spv_same_type(x->element, y->element) || !kiln_spv_same_type(x->element, c->result->element))
    kiln_spv_fail(c->spv, c->inst, "the components of operands and result are not of one type");
  if (c->inst->count - 2 != c->result->count)
    kiln_spv_fail(c->spv, c->inst, "%u components for the %u of the result", c->inst->count - 2, c->result->count);
  for (uint32_t i = 2; i < c->inst->count; i++)
    if (c->inst->operands[i] != UINT32_MAX && c->inst->operands[i] >= x->count + y->count)
      kiln_spv_fail(c->spv, c->inst, "component %u of %u", c->inst->operands[i], x->count + y->count);
}

// A structure of two of the operands' type. Khronos' translator has a bool for the carry.
static void check_pair(struct check *c) {
  const struct kiln_spv_type *result = c->result;
  bool is_pair = result->kind == KILN_SPV_STRUCT && result->count == 2;
  bool has_carry = c->inst->op == KILN_SPV_OpIAddCarry || c->inst->op == KILN_SPV_OpISubBorrow;
  bool is_bool = is_pair && has_carry && has_kind(result->members[1], 'b') &&
                 kiln_type_lanes(result->members[1]->ir) == kiln_type_lanes(c->first->ir);
  if (!is_pair || !kiln_spv_same_type(result->members[0], c->first) ||
      (!is_bool && !kiln_spv_same_type(result->members[1], c->first)))
    kiln_spv_fail(c->spv, c->inst, "the result is no structure of two times %s", kiln_spv_type_text(c->spv, c->first));
}

// The same shape; walks a type as deep as it is nested. Types of one id are the same at once; others cost the module
// that has them.
static bool same_shape(const struct kiln_spv_type *a, const struct kiln_spv_type *b, uint32_t *budget) {
  if (kiln_spv_same_type(a, b))
    return true;
  if (a->kind != b->kind || !kiln_spv_is_aggregate(a) || a->count != b->count || !*budget)
    return false;
  --*budget;
  if (a->kind == KILN_SPV_ARRAY)
    return same_shape(a->element, b->element, budget);
  for (uint32_t i = 0; i < a->count; i++)
    if (!same_shape(a->members[i], b->members[i], budget))
      return false;
  return true;
}

// ---- others --------------------------------------------------------------------------------------------------------

static unsigned whole_bits(const struct kiln_spv_type *type) { return kiln_spv_bits(type) * kiln_type_lanes(type->ir); }

static void check_bitcast(struct check *c) {
  const struct kiln_spv_type *from = c->first, *to = c->result;
  bool from_bools = kiln_type_kind(from->ir) == KILN_BOOL, to_bools = kiln_type_kind(to->ir) == KILN_BOOL;
  bool fits_bools = (!from_bools || has_kind(to, 'i')) && (!to_bools || has_kind(from, 'i')); // a bit each
  if (!from->ir || !to->ir || !fits_bools || from->kind == KILN_SPV_EVENT || to->kind == KILN_SPV_EVENT)
    kiln_spv_fail(c->spv, c->inst, "%s as %s", kiln_spv_type_text(c->spv, from), kiln_spv_type_text(c->spv, to));
  unsigned bits = whole_bits(from);
  if (bits != whole_bits(to))
    kiln_spv_fail(c->spv, c->inst, "%s has another size than %s", kiln_spv_type_text(c->spv, from),
                  kiln_spv_type_text(c->spv, to));
  const struct kiln_spv_type *odd = from->odd_bits ? from : to;
  if (odd->odd_bits && (bits > 64 || from->kind == KILN_SPV_POINTER || to->kind == KILN_SPV_POINTER))
    kiln_spv_refuse_odd(c->spv, c->inst, odd);
  if (from->kind == KILN_SPV_POINTER && to->kind == KILN_SPV_POINTER && from->storage != to->storage)
    kiln_spv_fail(c->spv, c->inst, "pointers of two storage classes");
}

static void check_generic(struct check *c) {
  bool to = c->inst->op == KILN_SPV_OpPtrCastToGeneric;
  uint32_t generic = to ? c->result->storage : c->first->storage, other = to ? c->first->storage : c->result->storage;
  if (generic != KILN_SPV_StorageClass_Generic)
    kiln_spv_fail(c->spv, c->inst, to ? "the result is no generic pointer" : "the operand is no generic pointer");
  bool is_input = to && other == KILN_SPV_StorageClass_Input; // whose address is that of a copy in private memory
  if (other != KILN_SPV_StorageClass_CrossWorkgroup && other != KILN_SPV_StorageClass_Workgroup &&
      other != KILN_SPV_StorageClass_Function && !is_input)
    kiln_spv_fail(c->spv, c->inst, "storage class %u is no part of generic memory", other);
}

static void check_call(struct check *c) {
  const struct kiln_spv_inst *inst = c->inst;
  const struct kiln_spv_id *id = &c->spv->ids[inst->operands[0]];
  if (id->what != KILN_SPV_IS_FUNCTION)
    kiln_spv_fail(c->spv, inst, "%s is no function", kiln_spv_id_text(c->spv, inst->operands[0]));
  const struct kiln_spv_function *callee = &c->spv->functions[id->number];
  if (callee->entry && (!c->place || callee->stub != c->place->function))
    kiln_spv_fail(c->spv, inst, "%s is an entry point", kiln_spv_id_text(c->spv, inst->operands[0]));
  if (id->type->element != c->result)
    kiln_spv_fail(c->spv, inst, "%s does not return %s", kiln_spv_id_text(c->spv, inst->operands[0]),
                  kiln_spv_type_text(c->spv, c->result));
  if (inst->count - 1 != id->type->count)
    kiln_spv_fail(c->spv, inst, "%u arguments for the %u parameters of %s", inst->count - 1, id->type->count,
                  kiln_spv_id_text(c->spv, inst->operands[0]));
  for (uint32_t i = 1; i < inst->count; i++) {
    const struct kiln_spv_type *type = value_type(c->spv, inst, inst->operands[i]);
    if (!kiln_spv_same_type(type, id->type->members[i - 1]))
      kiln_spv_fail(c->spv, inst, "argument %s is %s, not %s", kiln_spv_id_text(c->spv, inst->operands[i]),
                    kiln_spv_type_text(c->spv, type), kiln_spv_type_text(c->spv, id->type->members[i - 1]));
  }
}

static void check_variable(struct check *c) {
  const struct kiln_spv_inst *inst = c->inst;
  if (inst->operands[0] != c->result->storage)
    kiln_spv_fail(c->spv, inst, "its type is no pointer of storage class %u", inst->operands[0]);
  if (inst->operands[0] != KILN_SPV_StorageClass_Function)
    kiln_spv_fail(c->spv, inst, "storage class %u in a function", inst->operands[0]);
  if (inst->count > 1 && !kiln_spv_same_type(c->first, c->result->element))
    kiln_spv_fail(c->spv, inst, "the initializer is %s", kiln_spv_type_text(c->spv, c->first));
}

static void check_return(struct check *c) {
  const struct kiln_spv_type *type = c->place->function->type->element;
  if (c->first ? !kiln_spv_same_type(c->first, type) : type->kind != KILN_SPV_VOID)
    kiln_spv_fail(c->spv, c->inst, "the function returns %s", kiln_spv_type_text(c->spv, type));
}

static void check_phi(struct check *c) {
  for (uint32_t i = 0; i < c->inst->count; i += 2) {
    c->previous = value_type(c->spv, c->inst, c->inst->operands[i]);
    if (!kiln_spv_same_type(c->previous, c->result))
      misfit(c, '=', kiln_arena_printf(&c->spv->arena, "operand %s", kiln_spv_id_text(c->spv, c->inst->operands[i])),
             c->previous);
  }
}

static void check_ballot(struct check *c) {
  const struct kiln_spv_type *type =
      c->inst->op == KILN_SPV_OpGroupNonUniformBallot
          ? c->result
          : value_type(c->spv, c->inst,
                       c->inst->operands[c->inst->op == KILN_SPV_OpGroupNonUniformBallotBitCount ? 2 : 1]);
  if (type->ir != kiln_vec_type(KILN_I32, 4))
    kiln_spv_fail(c->spv, c->inst, "a ballot is %s, not i32x4", kiln_spv_type_text(c->spv, type));
}

// A number or vector of numbers, of which the pointer leads to one component.
static void check_block(struct check *c) {
  const struct kiln_spv_type *type = c->result ? c->result : c->previous, *to = c->first->element;
  if (!has_kind(type, 'n'))
    misfit(c, 'n', "the operand", type);
  if (!kiln_spv_same_type(to, type->kind == KILN_SPV_VECTOR ? type->element : type))
    kiln_spv_fail(c->spv, c->inst, "the pointer leads to %s, not to the components of %s",
                  kiln_spv_type_text(c->spv, to), kiln_spv_type_text(c->spv, type));
}

// What the letters cannot say.
static void check_special(struct check *c) {
  switch (c->inst->op) {
  case KILN_SPV_OpFunctionCall:
    check_call(c);
    break;
  case KILN_SPV_OpVariable:
    check_variable(c);
    break;
  case KILN_SPV_OpAccessChain:
  case KILN_SPV_OpInBoundsAccessChain:
  case KILN_SPV_OpPtrAccessChain:
  case KILN_SPV_OpInBoundsPtrAccessChain:
    check_chain(c);
    break;
  case KILN_SPV_OpVectorExtractDynamic:
  case KILN_SPV_OpDot:
    want_result(c, c->first->kind == KILN_SPV_VECTOR ? c->first->element : c->first);
    break;
  case KILN_SPV_OpVectorShuffle:
    check_shuffle(c);
    break;
  case KILN_SPV_OpCompositeConstruct:
    check_construct(c);
    break;
  case KILN_SPV_OpCompositeExtract:
    want_result(c, part_at(c, c->first, 1));
    break;
  case KILN_SPV_OpCompositeInsert: {
    const struct kiln_spv_type *part = part_at(c, c->result, 2);
    if (!kiln_spv_same_type(c->first, part))
      kiln_spv_fail(c->spv, c->inst, "the part is %s, not %s", kiln_spv_type_text(c->spv, c->first),
                    kiln_spv_type_text(c->spv, part));
    break;
  }
  case KILN_SPV_OpIAddCarry:
  case KILN_SPV_OpISubBorrow:
  case KILN_SPV_OpUMulExtended:
  case KILN_SPV_OpSMulExtended:
    check_pair(c);
    break;
  case KILN_SPV_OpPtrCastToGeneric:
  case KILN_SPV_OpGenericCastToPtr:
  case KILN_SPV_OpGenericCastToPtrExplicit:
    check_generic(c);
    break;
  case KILN_SPV_OpBitcast:
    check_bitcast(c);
    break;
  case KILN_SPV_OpSubgroupBlockReadINTEL:
  case KILN_SPV_OpSubgroupBlockWriteINTEL:
    check_block(c);
    break;
  case KILN_SPV_OpCopyLogical: {
    uint32_t budget = 1 << 16;
    if (!same_shape(c->first, c->result, &budget))
      kiln_spv_fail(c->spv, c->inst, "%s has another shape than %s", kiln_spv_type_text(c->spv, c->first),
                    kiln_spv_type_text(c->spv, c->result));
    break;
  }
  case KILN_SPV_OpPhi:
    check_phi(c);
    break;
  case KILN_SPV_OpStore:
    if (c->previous->kind == KILN_SPV_IMAGE)
      kiln_spv_note_stored_image(c->spv, c->inst);
    break;
  case KILN_SPV_OpReturn:
  case KILN_SPV_OpReturnValue:
    check_return(c);
    break;
  default:
    if (c->inst->op >= KILN_SPV_OpSampledImage && c->inst->op <= KILN_SPV_OpImageQuerySize)
      kiln_spv_check_image(c->spv, c->inst, c->place);
    else
      check_ballot(c);
    break;
  }
}

// Of values of earlier instructions of the block, as most operands are, and of constants that are no addresses, there
// is nothing to see.
static inline void check_use(struct check *c, uint32_t id) {
  const struct kiln_spv_id *known = &c->spv->ids[id];
  const struct kiln_spv_place *place = c->place;
  bool is_near = known->what == KILN_SPV_IS_VALUE && known->block == place->block && known->function == place->index &&
                 known->inst < c->inst;
  bool is_number = known->what == KILN_SPV_IS_CONSTANT && known->constant->form != KILN_SPV_ADDRESS;
  if (!is_near && !is_number)
    kiln_spv_check_use(c->spv, c->inst, place, id);
}

void kiln_spv_check_types(struct kiln_spv *spv, const struct kiln_spv_inst *inst, const struct kiln_spv_place *place) {
  const char *types = operand_types[inst->row];
  if (!*types)
    kiln_spv_fail(spv, inst, "it is not supported in functions");
  struct check c = {.spv = spv, .inst = inst, .place = place};
  if (inst->type)
    c.result = kiln_spv_type_of(spv, inst, inst->type);
  char letter = types[0];
  if (letter != 'v' && letter != 'w' && (!c.result || !fits(&c, letter, c.result)))
    misfit(&c, letter, "the result", c.result);
  if (c.result && c.result->odd_bits && !kiln_spv_takes_odd(inst->row))
    kiln_spv_refuse_odd(spv, inst, c.result);
  const char *at = types + 1;
  struct kiln_spv_ids ids = kiln_spv_ids(inst);
  bool has_uses = place && inst->op != KILN_SPV_OpPhi; // those of phis are in other blocks (check.c)
  while (*at && *at != '!' && kiln_spv_next_id(&ids)) {
    check_operand(&c, *at, ids.id);
    if (has_uses)
      check_use(&c, ids.id);
    if (at[1] != '*')
      at++;
  }
  if (has_uses && (!*at || *at == '!'))
    while (kiln_spv_next_id(&ids)) // that have no type of interest
      check_use(&c, ids.id);
  while (*at && *at != '!')
    at++;
  if (*at)
    check_special(&c);
}
