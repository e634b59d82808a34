// Types of a SPIR-V module and how they lie in memory. Types are made of those before them, so that nothing recurses;
// pointers that are declared forward have no layout to know.
#include "jit/spirv/module.h"

#define MOST_BYTES ((uint64_t)1 << 40) // of a type
#define MOST_DEPTH 255                 // of structures and arrays in each other: the specification's limit

static struct kiln_spv_type *new_type(struct kiln_spv *spv, uint32_t id, enum kiln_spv_kind kind) {
  struct kiln_spv_type *type = KILN_NEW(&spv->arena, struct kiln_spv_type);
  type->id = id;
  type->kind = kind;
  type->align = 1;
  type->flat_count = 1;
  return type;
}

static void lay_out_scalar(struct kiln_spv_type *type, enum kiln_kind ir, enum kiln_kind stored) {
  type->ir = kiln_scalar_type(ir);
  type->stored = kiln_scalar_type(stored);
  type->size = type->align = kiln_kind_bits(stored) / 8;
}

static struct kiln_spv_type *int_type(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  uint32_t bits = inst->operands[0];
  if (bits == 0 || bits > 64)
    kiln_spv_fail(spv, inst, "integers of %u bits are not supported", bits);
  struct kiln_spv_type *type = new_type(spv, inst->id, KILN_SPV_INT);
  enum kiln_kind kind = bits <= 8 ? KILN_I8 : bits <= 16 ? KILN_I16 : bits <= 32 ? KILN_I32 : KILN_I64;
  lay_out_scalar(type, kind, kind);
  type->odd_bits = bits == kiln_kind_bits(kind) ? 0 : bits;
  if (type->odd_bits && !spv->any_width)
    kiln_spv_fail(spv, inst, "integers of %u bits are not supported without capability ArbitraryPrecisionIntegersINTEL",
                  bits);
  return type;
}

static struct kiln_spv_type *float_type(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  uint32_t bits = inst->operands[0];
  if (inst->count > 1)
    kiln_spv_fail(spv, inst, "floats of %u bits with an encoding of their own are not supported", bits);
  if (bits != 16 && bits != 32 && bits != 64)
    kiln_spv_fail(spv, inst, "floats of %u bits are not supported", bits);
  struct kiln_spv_type *type = new_type(spv, inst->id, KILN_SPV_FLOAT);
  enum kiln_kind kind = bits == 16 ? KILN_F16 : bits == 32 ? KILN_F32 : KILN_F64;
  lay_out_scalar(type, kind, kind);
  return type;
}

static struct kiln_spv_type *vector_type(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  const struct kiln_spv_type *element = kiln_spv_type_of(spv, inst, inst->operands[0]);
  uint32_t lanes = inst->operands[1];
  if (lanes != 1 && lanes != 2 && lanes != 3 && lanes != 4 && lanes != 8 && lanes != 16)
    kiln_spv_fail(spv, inst, "vectors of %u components are not supported", lanes);
  if (element->kind != KILN_SPV_BOOL && element->kind != KILN_SPV_INT && element->kind != KILN_SPV_FLOAT)
    kiln_spv_fail(spv, inst, "%s is no type for the components of a vector", kiln_spv_id_text(spv, inst->operands[0]));
  struct kiln_spv_type *type = new_type(spv, inst->id, KILN_SPV_VECTOR);
  type->element = element;
  type->count = lanes;
  type->ir = kiln_type_with_lanes(element->ir, lanes);
  type->stored = kiln_type_with_lanes(element->stored, lanes);
  type->odd_bits = element->odd_bits;
  type->size = element->size * (lanes == 3 ? 4 : lanes);
  type->align = (uint32_t)type->size;
  return type;
}

// A variable of one is as large as a pointer, and holds nothing.
static struct kiln_spv_type *image_type(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  struct kiln_spv_type *type = new_type(spv, inst->id, KILN_SPV_IMAGE);
  if (!kiln_spv_image_type(inst, &type->ir))
    kiln_spv_fail(spv, inst, "images of this kind are not supported");
  type->stored = type->ir;
  type->size = type->align = 8;
  return type;
}

static uint32_t sum_of_counts(uint64_t a, uint64_t b) { return a + b < UINT32_MAX ? (uint32_t)(a + b) : UINT32_MAX; }

// A type that has a place in memory.
static const struct kiln_spv_type *part_type(struct kiln_spv *spv, const struct kiln_spv_inst *inst, uint32_t id) {
  const struct kiln_spv_type *type = kiln_spv_type_of(spv, inst, id);
  if (type->kind == KILN_SPV_VOID || type->kind == KILN_SPV_FUNCTION || kiln_spv_is_image(type->kind))
    kiln_spv_fail(spv, inst, "%s is no type for a part of it", kiln_spv_id_text(spv, id));
  return type;
}

static void deepen(struct kiln_spv *spv, const struct kiln_spv_inst *inst, struct kiln_spv_type *type,
                   const struct kiln_spv_type *part) {
  if (type->depth <= part->depth)
    type->depth = part->depth + 1;
  if (type->depth > MOST_DEPTH)
    kiln_spv_limit(spv, inst, "types are nested more than %u deep", MOST_DEPTH);
}

static struct kiln_spv_type *array_type(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  const struct kiln_spv_type *element = part_type(spv, inst, inst->operands[0]);
  uint64_t count;
  if (!kiln_spv_constant_bits(spv, inst->operands[1], &count))
    kiln_spv_fail(spv, inst, "the length %s is no integer constant", kiln_spv_id_text(spv, inst->operands[1]));
  if (count > UINT32_MAX || (element->size && count > MOST_BYTES / element->size))
    kiln_spv_fail(spv, inst, "an array of %llu elements of %llu bytes", (unsigned long long)count,
                  (unsigned long long)element->size);
  struct kiln_spv_type *type = new_type(spv, inst->id, KILN_SPV_ARRAY);
  type->element = element;
  deepen(spv, inst, type, element);
  type->count = (uint32_t)count;
  type->size = element->size * count;
  type->align = element->align;
  uint64_t flat = element->flat_count * count; // of 32 bits each
  type->flat_count = sum_of_counts(flat, 0);
  return type;
}

static struct kiln_spv_type *struct_type(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  bool packed = kiln_spv_decoration(spv, inst->id, KILN_SPV_Decoration_CPacked) != NULL;
  struct kiln_spv_type *type = new_type(spv, inst->id, KILN_SPV_STRUCT);
  type->count = inst->count;
  type->members = KILN_NEW_ARRAY(&spv->arena, const struct kiln_spv_type *, inst->count);
  type->offsets = KILN_NEW_ARRAY(&spv->arena, uint64_t, inst->count);
  type->flat_count = 0;
  for (uint32_t i = 0; i < inst->count; i++) {
    const struct kiln_spv_type *member = part_type(spv, inst, inst->operands[i]);
    if (!packed) {
      type->size = (type->size + member->align - 1) & -(uint64_t)member->align;
      if (type->align < member->align)
        type->align = member->align;
    }
    deepen(spv, inst, type, member);
    type->members[i] = member;
    type->offsets[i] = type->size;
    type->size += member->size;
    type->flat_count = sum_of_counts(type->flat_count, member->flat_count);
    if (type->size > MOST_BYTES)
      kiln_spv_fail(spv, inst, "a structure of %llu bytes", (unsigned long long)type->size);
  }
  type->size = (type->size + type->align - 1) & -(uint64_t)type->align;
  return type;
}

static struct kiln_spv_type *pointer_of(struct kiln_spv *spv, const struct kiln_spv_inst *inst, uint32_t id,
                                        uint32_t storage) {
  enum kiln_space space;
  switch (storage) {
  case KILN_SPV_StorageClass_UniformConstant:
    space = KILN_CONSTANT;
    break;
  case KILN_SPV_StorageClass_Input: // of built-in variables alone, which have no address
  case KILN_SPV_StorageClass_Function:
    space = KILN_PRIVATE;
    break;
  case KILN_SPV_StorageClass_Workgroup:
    space = KILN_LOCAL;
    break;
  case KILN_SPV_StorageClass_CrossWorkgroup:
    space = KILN_GLOBAL;
    break;
  case KILN_SPV_StorageClass_Generic:
    space = KILN_GENERIC;
    break;
  case KILN_SPV_StorageClass_CodeSectionINTEL:
    kiln_spv_fail(spv, inst, "function pointers are not supported");
  default:
    kiln_spv_fail(spv, inst, "storage class %u is not supported", storage);
  }
  struct kiln_spv_type *type = new_type(spv, id, KILN_SPV_POINTER);
  type->storage = storage;
  type->ir = type->stored = kiln_ptr_type(space);
  type->size = type->align = 8;
  return type;
}

static void define(struct kiln_spv *spv, const struct kiln_spv_inst *inst, struct kiln_spv_type *type) {
  struct kiln_spv_id *id = &spv->ids[type->id];
  if (id->what != KILN_SPV_NOTHING)
    kiln_spv_fail(spv, inst, "%s is defined twice", kiln_spv_id_text(spv, type->id));
  id->what = KILN_SPV_IS_TYPE;
  id->type = type;
  id->inst = inst;
}

static void define_pointer(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  struct kiln_spv_id *id = &spv->ids[inst->id];
  bool forward = id->what == KILN_SPV_IS_TYPE && id->inst->op == KILN_SPV_OpTypeForwardPointer;
  if (!forward)
    define(spv, inst, pointer_of(spv, inst, inst->id, inst->operands[0]));
  else if (id->type->storage != inst->operands[0])
    kiln_spv_fail(spv, inst, "the storage class is not that of its forward declaration");
  id->inst = inst;
  const struct kiln_spv_type *pointee = kiln_spv_type_of(spv, inst, inst->operands[1]);
  if (pointee->kind == KILN_SPV_FUNCTION)
    kiln_spv_fail(spv, inst, "function pointers are not supported");
  if (pointee->kind == KILN_SPV_SAMPLED_IMAGE ||
      (pointee->kind == KILN_SPV_IMAGE && id->type->storage != KILN_SPV_StorageClass_Function))
    kiln_spv_fail(spv, inst, "images in memory are not supported");
  ((struct kiln_spv_type *)id->type)->element = pointee;
}

static struct kiln_spv_type *function_type(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  struct kiln_spv_type *type = new_type(spv, inst->id, KILN_SPV_FUNCTION);
  type->element = kiln_spv_type_of(spv, inst, inst->operands[0]);
  type->count = inst->count - 1;
  type->members = KILN_NEW_ARRAY(&spv->arena, const struct kiln_spv_type *, type->count);
  for (uint32_t i = 0; i < type->count; i++) {
    type->members[i] = kiln_spv_type_of(spv, inst, inst->operands[i + 1]);
    enum kiln_spv_kind kind = type->members[i]->kind;
    if (kind == KILN_SPV_VOID || kind == KILN_SPV_FUNCTION || kind == KILN_SPV_SAMPLED_IMAGE)
      kiln_spv_fail(spv, inst, "%s is no type for a parameter", kiln_spv_id_text(spv, inst->operands[i + 1]));
  }
  if (type->element->kind == KILN_SPV_FUNCTION || kiln_spv_is_image(type->element->kind))
    kiln_spv_fail(spv, inst, "%s is no type for a result", kiln_spv_id_text(spv, inst->operands[0]));
  return type;
}

void kiln_spv_define_type(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  struct kiln_spv_type *type;
  if ((inst->op == KILN_SPV_OpTypeImage || inst->op == KILN_SPV_OpTypeSampler) && !spv->has_images)
    kiln_spv_fail(spv, inst, "images and samplers are not supported without capability ImageBasic");
  switch (inst->op) {
  case KILN_SPV_OpTypeForwardPointer:
    if (spv->ids[inst->operands[0]].what == KILN_SPV_IS_TYPE)
      return; // declared again
    define(spv, inst, pointer_of(spv, inst, inst->operands[0], inst->operands[1]));
    return;
  case KILN_SPV_OpTypePointer:
    define_pointer(spv, inst);
    return;
  case KILN_SPV_OpTypeVoid:
    type = new_type(spv, inst->id, KILN_SPV_VOID);
    break;
  case KILN_SPV_OpTypeBool:
    type = new_type(spv, inst->id, KILN_SPV_BOOL);
    lay_out_scalar(type, KILN_BOOL, KILN_I8);
    break;
  case KILN_SPV_OpTypeInt:
    type = int_type(spv, inst);
    break;
  case KILN_SPV_OpTypeFloat:
    type = float_type(spv, inst);
    break;
  case KILN_SPV_OpTypeVector:
    type = vector_type(spv, inst);
    break;
  case KILN_SPV_OpTypeArray:
    type = array_type(spv, inst);
    break;
  case KILN_SPV_OpTypeStruct:
    type = struct_type(spv, inst);
    break;
  case KILN_SPV_OpTypeOpaque: // pointers to it can be passed on: a structure without members
    type = new_type(spv, inst->id, KILN_SPV_STRUCT);
    type->flat_count = 0;
    break;
  case KILN_SPV_OpTypeFunction:
    type = function_type(spv, inst);
    break;
  case KILN_SPV_OpTypeEvent: // of copies that are complete when they are made
    type = new_type(spv, inst->id, KILN_SPV_EVENT);
    lay_out_scalar(type, KILN_I64, KILN_I64);
    break;
  case KILN_SPV_OpTypeImage:
    type = image_type(spv, inst);
    break;
  case KILN_SPV_OpTypeSampledImage:
    type = new_type(spv, inst->id, KILN_SPV_SAMPLED_IMAGE);
    type->element = kiln_spv_type_of(spv, inst, inst->operands[0]);
    if (type->element->kind != KILN_SPV_IMAGE)
      kiln_spv_fail(spv, inst, "%s is no image", kiln_spv_id_text(spv, inst->operands[0]));
    break;
  case KILN_SPV_OpTypeSampler:
    type = new_type(spv, inst->id, KILN_SPV_SAMPLER);
    lay_out_scalar(type, KILN_I32, KILN_I32);
    break;
  case KILN_SPV_OpTypePipe:
  case KILN_SPV_OpTypePipeStorage:
  case KILN_SPV_OpTypeReserveId:
    kiln_spv_fail(spv, inst, "pipes are not supported");
  case KILN_SPV_OpTypeDeviceEvent:
  case KILN_SPV_OpTypeQueue:
    kiln_spv_fail(spv, inst, "queues on the device are not supported");
  default:
    kiln_spv_fail(spv, inst, "the type is not supported");
  }
  define(spv, inst, type);
}

void kiln_spv_fail_type(struct kiln_spv *spv, const struct kiln_spv_inst *at, uint32_t id) {
  kiln_spv_fail(spv, at, "%s is no type that is defined before", kiln_spv_id_text(spv, id));
}
