// What a SPIR-V module declares: names, decorations, types, constants, variables, functions and their blocks.
#include "jit/spirv/module.h"

#include "base/vec.h"

// ---- capabilities and extensions -----------------------------------------------------------------------------------

enum taken { TAKEN, IGNORED, REFUSED };
enum { CAPABILITY_KERNEL = 6 };

// Name and reason of each row, one after the other; and where they are, so that the table has no pointers.
static const struct capability_texts {
#define KILN_SPV_CAPABILITY(name, number, what, why) char name[sizeof(#name "\0" why)];
#define KILN_SPV_EXTENSION(name, what)
#include "jit/spirv/capability.def"
} capability_texts = {
#define KILN_SPV_CAPABILITY(name, number, what, why) #name "\0" why,
#define KILN_SPV_EXTENSION(name, what)
#include "jit/spirv/capability.def"
};
static const struct {
  uint16_t number, what, text;
} capabilities[] = {
#define KILN_SPV_CAPABILITY(name, number, what, why) {(number), (what), offsetof(struct capability_texts, name)},
#define KILN_SPV_EXTENSION(name, what)
#include "jit/spirv/capability.def"
};
static const char extensions[] =
#define KILN_SPV_CAPABILITY(name, number, what, why)
#define KILN_SPV_EXTENSION(name, what) #name "\0"
#include "jit/spirv/capability.def"
    ;

// Whether the module declares Shader for kernels, as Khronos' translator does where they reverse bits.
static bool is_for_reversals(const struct kiln_spv *spv, const char *name) {
  bool has_kernel = false, reverses = false;
  for (uint32_t i = 0; i < spv->inst_count && strcmp(name, "Shader") == 0; i++) {
    const struct kiln_spv_inst *inst = &spv->insts[i];
    has_kernel |= inst->op == KILN_SPV_OpCapability && inst->operands[0] == CAPABILITY_KERNEL;
    reverses |= inst->op == KILN_SPV_OpBitReverse;
  }
  return has_kernel && reverses;
}

static void read_capability(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  uint32_t number = inst->operands[0];
  const struct kiln_lang_options *options = &spv->input->options;
  for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++) {
    if (capabilities[i].number != number)
      continue;
    const char *name = (const char *)&capability_texts + capabilities[i].text, *why = name + strlen(name) + 1;
    if (capabilities[i].what == REFUSED && !is_for_reversals(spv, name))
      kiln_spv_fail(spv, inst, "capability %s is not supported%s%s", name, *why ? ": " : "", why);
    if ((strcmp(name, "Float64") == 0 && !options->fp64) || (strcmp(name, "Float16") == 0 && !options->fp16) ||
        (strcmp(name, "Int64Atomics") == 0 && !options->int64_atomics) ||
        (strcmp(name, "ImageBasic") == 0 && !options->images))
      kiln_spv_fail(spv, inst, "the target does not have capability %s", name);
    spv->has_images |= strcmp(name, "ImageBasic") == 0;
    spv->any_width |= strcmp(name, "ArbitraryPrecisionIntegersINTEL") == 0 || strcmp(name, "Int4TypeINTEL") == 0;
    return;
  }
  kiln_spv_fail(spv, inst, "capability %u is not supported", number);
}

static void read_extension(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  const char *name = kiln_spv_string(spv, inst, 0, NULL);
  for (const char *taken = extensions; *taken; taken += strlen(taken) + 1)
    if (strcmp(name, taken) == 0)
      return;
  char shown[64];
  kiln_quote_name(shown, name, strlen(name));
  kiln_spv_fail(spv, inst, "extension %s is not supported", shown);
}

void kiln_spv_check_needs(struct kiln_spv *spv) {
  for (uint32_t i = 0; i < spv->inst_count; i++) {
    if (spv->insts[i].op == KILN_SPV_OpCapability)
      read_capability(spv, &spv->insts[i]);
    else if (spv->insts[i].op == KILN_SPV_OpExtension)
      read_extension(spv, &spv->insts[i]);
  }
}

static void read_memory_model(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  uint32_t addressing = inst->operands[0], memory = inst->operands[1];
  if (addressing == KILN_SPV_AddressingModel_Physical32)
    kiln_spv_fail(spv, inst, "32-bit addresses are not supported: the addressing model must be Physical64");
  if (addressing != KILN_SPV_AddressingModel_Physical64)
    kiln_spv_fail(spv, inst, "addressing model %u is not supported: it must be Physical64", addressing);
  if (memory != KILN_SPV_MemoryModel_OpenCL)
    kiln_spv_fail(spv, inst, "memory model %u is not supported: it must be OpenCL", memory);
}

// ---- names and decorations -----------------------------------------------------------------------------------------

// Whether an id may have several decorations of the kind.
static bool is_repeated(uint32_t kind) { return kind == KILN_SPV_Decoration_FuncParamAttr; }

// Whether the reader looks at the kind anywhere. Others are left out, so that the list of an id is short.
static bool is_read(uint32_t kind) {
  switch (kind) {
  case KILN_SPV_Decoration_SpecId:
  case KILN_SPV_Decoration_CPacked:
  case KILN_SPV_Decoration_BuiltIn:
  case KILN_SPV_Decoration_Restrict:
  case KILN_SPV_Decoration_Volatile:
  case KILN_SPV_Decoration_Constant:
  case KILN_SPV_Decoration_NonWritable:
  case KILN_SPV_Decoration_NonReadable:
  case KILN_SPV_Decoration_SaturatedConversion:
  case KILN_SPV_Decoration_FuncParamAttr:
  case KILN_SPV_Decoration_FPRoundingMode:
  case KILN_SPV_Decoration_FPFastMathMode:
  case KILN_SPV_Decoration_LinkageAttributes:
  case KILN_SPV_Decoration_Alignment:
  case KILN_SPV_Decoration_AlignmentId:
  case KILN_SPV_Decoration_NoSignedWrap:
  case KILN_SPV_Decoration_NoUnsignedWrap:
    return true;
  default:
    return false;
  }
}

// How many operands the kind has at least.
static uint32_t operands_of(uint32_t kind) {
  switch (kind) {
  case KILN_SPV_Decoration_SpecId:
  case KILN_SPV_Decoration_BuiltIn:
  case KILN_SPV_Decoration_FuncParamAttr:
  case KILN_SPV_Decoration_FPRoundingMode:
  case KILN_SPV_Decoration_FPFastMathMode:
  case KILN_SPV_Decoration_Alignment:
  case KILN_SPV_Decoration_AlignmentId:
    return 1;
  case KILN_SPV_Decoration_LinkageAttributes:
    return 2;
  default:
    return 0;
  }
}

// Generators decorate twice; the first one holds.
static void decorate(struct kiln_spv *spv, uint32_t id, uint32_t kind, const uint32_t *operands, uint32_t count) {
  for (const struct kiln_spv_decoration *d = spv->decorations[id]; d; d = d->next)
    if (d->kind == kind && (!is_repeated(kind) || d->operands[0] == operands[0]))
      return;
  struct kiln_spv_decoration *decoration = KILN_NEW(&spv->arena, struct kiln_spv_decoration);
  *decoration = (struct kiln_spv_decoration){spv->decorations[id], kind, operands, count};
  spv->decorations[id] = decoration;
}

static void read_decoration(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  uint32_t kind = inst->operands[1], count = inst->count - 2;
  if (!is_read(kind))
    return;
  if (count < operands_of(kind))
    kiln_spv_fail(spv, inst, "operands of decoration %u are missing", kind);
  if (is_repeated(kind) && inst->operands[2] > KILN_SPV_FunctionParameterAttribute_NoReadWrite)
    return; // of extensions
  if (kind == KILN_SPV_Decoration_AlignmentId && (inst->operands[2] == 0 || inst->operands[2] >= spv->bound))
    kiln_spv_fail(spv, inst, "id %u is not below the bound of the module", inst->operands[2]);
  if (kind == KILN_SPV_Decoration_LinkageAttributes) {
    struct kiln_spv_inst name = {.operands = inst->operands + 2, .count = count - 1, .kinds = "s"};
    uint32_t words = 0;
    kiln_spv_string(spv, &name, 0, &words);
    if (!words || words != count - 1)
      kiln_spv_fail(spv, inst, "a linkage name that has no end");
  }
  decorate(spv, inst->operands[0], kind, inst->operands + 2, count);
}

static void read_group(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  for (uint32_t i = 1; i < inst->count; i++)
    for (const struct kiln_spv_decoration *d = spv->decorations[inst->operands[0]]; d; d = d->next)
      decorate(spv, inst->operands[i], d->kind, d->operands, d->count);
}

const struct kiln_spv_decoration *kiln_spv_decoration(const struct kiln_spv *spv, uint32_t id, uint32_t kind) {
  const struct kiln_spv_decoration *d = spv->decorations[id];
  while (d && d->kind != kind)
    d = d->next;
  return d;
}

bool kiln_spv_has_attribute(const struct kiln_spv *spv, uint32_t id, uint32_t attribute) {
  for (const struct kiln_spv_decoration *d = spv->decorations[id]; d; d = d->next)
    if (d->kind == KILN_SPV_Decoration_FuncParamAttr && d->operands[0] == attribute)
      return true;
  return false;
}

uint32_t kiln_spv_alignment(struct kiln_spv *spv, uint32_t id) {
  const struct kiln_spv_decoration *d = kiln_spv_decoration(spv, id, KILN_SPV_Decoration_Alignment);
  uint64_t bits = d ? d->operands[0] : 0;
  if (!d && (d = kiln_spv_decoration(spv, id, KILN_SPV_Decoration_AlignmentId)) != NULL &&
      !kiln_spv_constant_bits(spv, d->operands[0], &bits))
    kiln_spv_fail(spv, spv->ids[id].inst, "its alignment is no integer constant");
  return bits && (bits & (bits - 1)) == 0 && bits <= UINT32_MAX ? (uint32_t)bits : 0;
}

static inline void define(struct kiln_spv *spv, const struct kiln_spv_inst *inst, enum kiln_spv_what what) {
  struct kiln_spv_id *id = &spv->ids[inst->id];
  if (id->what != KILN_SPV_NOTHING)
    kiln_spv_fail(spv, inst, "%s is defined twice", kiln_spv_id_text(spv, inst->id));
  id->what = what;
  id->inst = inst;
}

// ---- outside of functions ------------------------------------------------------------------------------------------

static void define_variable(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  define(spv, inst, KILN_SPV_IS_VARIABLE);
  struct kiln_spv_id *id = &spv->ids[inst->id];
  id->type = kiln_spv_type_of(spv, inst, inst->type);
  if (id->type->kind != KILN_SPV_POINTER || id->type->storage != inst->operands[0])
    kiln_spv_fail(spv, inst, "its type is no pointer of storage class %u", inst->operands[0]);
  if (inst->operands[0] == KILN_SPV_StorageClass_Function || inst->operands[0] == KILN_SPV_StorageClass_Generic)
    kiln_spv_fail(spv, inst, "storage class %u outside of functions", inst->operands[0]);
  id->number = KILN_SPV_NO_GLOBAL;
}

static bool is_type(uint16_t op) {
  return (op >= KILN_SPV_OpTypeVoid && op <= KILN_SPV_OpTypeForwardPointer) || op == KILN_SPV_OpTypePipeStorage ||
         op == KILN_SPV_OpTypeNamedBarrier;
}

static bool is_constant(uint16_t op) {
  return (op >= KILN_SPV_OpConstantTrue && op <= KILN_SPV_OpSpecConstantOp) || op == KILN_SPV_OpUndef ||
         op == KILN_SPV_OpConstantPipeStorage || op == KILN_SPV_OpConstantFunctionPointerINTEL;
}

// Names and decorations stand before what they are of.
static void read_annotation(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  switch (inst->op) {
  case KILN_SPV_OpName:
    spv->names[inst->operands[0]] = kiln_spv_string(spv, inst, 1, NULL);
    break;
  case KILN_SPV_OpString:
    define(spv, inst, KILN_SPV_IS_STRING);
    break;
  case KILN_SPV_OpDecorate:
  case KILN_SPV_OpDecorateId:
    read_decoration(spv, inst);
    break;
  case KILN_SPV_OpGroupDecorate:
    read_group(spv, inst);
    break;
  default:
    break;
  }
}

static void read_declaration(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  if (is_type(inst->op)) {
    kiln_spv_define_type(spv, inst);
    return;
  }
  if (is_constant(inst->op)) {
    kiln_spv_define_constant(spv, inst);
    return;
  }
  switch (inst->op) {
  case KILN_SPV_OpCapability:
    read_capability(spv, inst);
    break;
  case KILN_SPV_OpExtension:
    read_extension(spv, inst);
    break;
  case KILN_SPV_OpMemoryModel:
    read_memory_model(spv, inst);
    break;
  case KILN_SPV_OpExtInstImport:
    define(spv, inst, KILN_SPV_IS_SET);
    break;
  case KILN_SPV_OpDecorationGroup:
    define(spv, inst, KILN_SPV_IS_GROUP);
    break;
  case KILN_SPV_OpVariable:
    define_variable(spv, inst);
    break;
  case KILN_SPV_OpAliasDomainDeclINTEL:
  case KILN_SPV_OpAliasScopeDeclINTEL:
  case KILN_SPV_OpAliasScopeListDeclINTEL:
    define(spv, inst, KILN_SPV_IS_ALIAS);
    break;
  case KILN_SPV_OpExtInst: // that says nothing
    if (kiln_spv_is_ext(inst))
      kiln_spv_fail(spv, inst, "it stands outside of functions");
    define(spv, inst, KILN_SPV_IS_STRING);
    break;
  case KILN_SPV_OpName:
  case KILN_SPV_OpMemberName:
  case KILN_SPV_OpString:
  case KILN_SPV_OpDecorate:
  case KILN_SPV_OpDecorateId:
  case KILN_SPV_OpDecorateString:
  case KILN_SPV_OpMemberDecorate:
  case KILN_SPV_OpMemberDecorateString:
  case KILN_SPV_OpGroupDecorate:
  case KILN_SPV_OpGroupMemberDecorate:
  case KILN_SPV_OpSource:
  case KILN_SPV_OpSourceContinued:
  case KILN_SPV_OpSourceExtension:
  case KILN_SPV_OpModuleProcessed:
  case KILN_SPV_OpEntryPoint:
  case KILN_SPV_OpExecutionMode:
  case KILN_SPV_OpExecutionModeId:
    break;
  default:
    kiln_spv_fail(spv, inst, "it stands outside of functions");
  }
}

// ---- functions -----------------------------------------------------------------------------------------------------

struct walk { // over the instructions of functions
  struct kiln_spv *spv;
  struct kiln_spv_function *function; // NULL: outside
  struct kiln_spv_block *block;       // NULL: outside
  uint32_t block_capacity, function_index, block_index;
};

static void linkage(struct kiln_spv *spv, struct kiln_spv_function *function) {
  uint32_t id = function->inst->id;
  const struct kiln_spv_decoration *d = kiln_spv_decoration(spv, id, KILN_SPV_Decoration_LinkageAttributes);
  const char *name = NULL;
  if (d) {
    struct kiln_spv_inst text = {.operands = d->operands, .count = d->count};
    name = kiln_spv_string(spv, &text, 0, NULL);
    if (!*name)
      kiln_spv_fail(spv, function->inst, "its linkage name is empty");
    bool imports = d->operands[d->count - 1] == KILN_SPV_LinkageType_Import;
    if (imports != !function->block_count)
      kiln_spv_fail(spv, function->inst, imports ? "an import has blocks" : "an exported function has no blocks");
  }
  if (function->block_count) {
    function->export = name;
    return;
  }
  function->import = name ? name : spv->names[id];
  if (!function->import)
    kiln_spv_fail(spv, function->inst, "it has neither blocks nor a linkage name");
}

static void begin_function(struct walk *w, const struct kiln_spv_inst *inst) {
  struct kiln_spv *spv = w->spv;
  if (w->function)
    kiln_spv_fail(spv, inst, "OpFunctionEnd is missing before it");
  define(spv, inst, KILN_SPV_IS_FUNCTION);
  struct kiln_spv_id *id = &spv->ids[inst->id];
  w->function = &spv->functions[spv->function_count];
  id->number = w->function_index = spv->function_count++;
  w->block_index = 0; // of parameters
  w->function->inst = inst;
  w->function->type = id->type = kiln_spv_type_of(spv, inst, inst->operands[1]);
  w->function->params = inst + 1;
  if (id->type->kind != KILN_SPV_FUNCTION)
    kiln_spv_fail(spv, inst, "%s is no type of a function", kiln_spv_id_text(spv, inst->operands[1]));
  if (id->type->element != kiln_spv_type_of(spv, inst, inst->type))
    kiln_spv_fail(spv, inst, "its result is %s, that of its type is %s",
                  kiln_spv_type_text(spv, spv->ids[inst->type].type), kiln_spv_type_text(spv, id->type->element));
}

static void end_function(struct walk *w, const struct kiln_spv_inst *inst) {
  if (!w->function)
    kiln_spv_fail(w->spv, inst, "no function has begun");
  if (w->block)
    kiln_spv_fail(w->spv, inst, "the block %s before it does not end in a branch or return",
                  kiln_spv_id_text(w->spv, w->block->label));
  if (w->function->param_count != w->function->type->count)
    kiln_spv_fail(w->spv, w->function->inst, "%u parameters, its type has %u", w->function->param_count,
                  w->function->type->count);
  linkage(w->spv, w->function);
  w->function = NULL;
}

static inline void number_value(struct walk *w, const struct kiln_spv_inst *inst) {
  define(w->spv, inst, KILN_SPV_IS_VALUE);
  struct kiln_spv_id *id = &w->spv->ids[inst->id];
  id->type = kiln_spv_type_of(w->spv, inst, inst->type);
  id->number = w->function->value_count++;
  id->function = w->function_index;
  id->block = w->block_index;
}

static void read_parameter(struct walk *w, const struct kiln_spv_inst *inst) {
  struct kiln_spv_function *function = w->function;
  if (!function || function->block_count || inst != function->params + function->param_count)
    kiln_spv_fail(w->spv, inst, "it does not follow a function or a parameter");
  if (function->param_count >= function->type->count)
    kiln_spv_fail(w->spv, inst, "the type of the function has %u parameters", function->type->count);
  number_value(w, inst);
  const struct kiln_spv_type *type = function->type->members[function->param_count++];
  if (type != w->spv->ids[inst->id].type)
    kiln_spv_fail(w->spv, inst, "it is %s, in the type of the function %s",
                  kiln_spv_type_text(w->spv, w->spv->ids[inst->id].type), kiln_spv_type_text(w->spv, type));
}

static void begin_block(struct walk *w, const struct kiln_spv_inst *inst) {
  struct kiln_spv *spv = w->spv;
  struct kiln_spv_function *function = w->function;
  if (!function)
    kiln_spv_fail(spv, inst, "no function has begun");
  if (w->block)
    kiln_spv_fail(spv, inst, "the block %s before it does not end in a branch or return",
                  kiln_spv_id_text(spv, w->block->label));
  if (!function->block_count) {
    function->blocks = NULL;
    w->block_capacity = 0;
  }
  if (function->block_count == w->block_capacity) {
    uint32_t capacity = w->block_capacity ? w->block_capacity * 2 : 4;
    function->blocks = kiln_arena_grow(&spv->arena, function->blocks, w->block_capacity * sizeof *w->block,
                                       capacity * sizeof *w->block, _Alignof(struct kiln_spv_block));
    w->block_capacity = capacity;
  }
  define(spv, inst, KILN_SPV_IS_LABEL);
  struct kiln_spv_id *id = &spv->ids[inst->id];
  id->number = id->block = w->block_index = function->block_count;
  id->function = w->function_index;
  w->block = &function->blocks[function->block_count++];
  *w->block = (struct kiln_spv_block){.first = (uint32_t)(inst - spv->insts) + 1, .label = inst->id};
}

static bool ends_block(uint16_t op) { return op >= KILN_SPV_OpBranch && op <= KILN_SPV_OpUnreachable; }

static void read_inside(struct walk *w, const struct kiln_spv_inst *inst) {
  switch (inst->op) {
  case KILN_SPV_OpFunction:
    begin_function(w, inst);
    return;
  case KILN_SPV_OpFunctionEnd:
    end_function(w, inst);
    return;
  case KILN_SPV_OpFunctionParameter:
    read_parameter(w, inst);
    return;
  case KILN_SPV_OpLabel:
    begin_block(w, inst);
    return;
  default:
    break;
  }
  bool says_nothing = inst->op == KILN_SPV_OpExtInst && !kiln_spv_is_ext(inst);
  if (!w->block && !says_nothing)
    kiln_spv_fail(w->spv, inst, "it stands in no block");
  if (inst->id && (says_nothing || !inst->type))
    define(w->spv, inst, says_nothing ? KILN_SPV_IS_STRING : KILN_SPV_IS_ALIAS);
  else if (inst->id)
    number_value(w, inst);
  if (!w->block)
    return;
  w->block->count++;
  if (ends_block(inst->op))
    w->block = NULL;
  else if (inst->op == KILN_SPV_OpVariable)
    KILN_VEC_PUSH(&w->spv->arena, &w->function->variables, (uint32_t)(inst - w->spv->insts));
  else if (inst->op == KILN_SPV_OpFunctionCall || (inst->op == KILN_SPV_OpExtInst && !says_nothing) ||
           kiln_spv_is_image_call(inst->op))
    KILN_VEC_PUSH(&w->spv->arena, &w->function->calls, (uint32_t)(inst - w->spv->insts));
}

static void read_functions(struct kiln_spv *spv, uint32_t first) {
  uint32_t count = 0;
  for (uint32_t i = first; i < spv->inst_count; i++)
    count += spv->insts[i].op == KILN_SPV_OpFunction;
  spv->functions = KILN_NEW_ARRAY(&spv->arena, struct kiln_spv_function, count);
  struct walk w = {.spv = spv};
  for (uint32_t i = first; i < spv->inst_count; i++)
    read_inside(&w, &spv->insts[i]);
  if (w.function)
    kiln_spv_fail(spv, w.function->inst, "the module ends without its OpFunctionEnd, at word %u", spv->word_count);
}

// ---- kernels -------------------------------------------------------------------------------------------------------

static void read_entry(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  if (inst->operands[0] != KILN_SPV_ExecutionModel_Kernel)
    kiln_spv_fail(spv, inst, "execution model %u is not supported: entry points must be kernels", inst->operands[0]);
  const struct kiln_spv_id *id = &spv->ids[inst->operands[1]];
  const char *name = kiln_spv_string(spv, inst, 2, NULL);
  if (!*name)
    kiln_spv_fail(spv, inst, "its name is empty");
  if (id->what != KILN_SPV_IS_FUNCTION)
    kiln_spv_fail(spv, inst, "%s is no function", kiln_spv_id_text(spv, inst->operands[1]));
  struct kiln_spv_function *function = &spv->functions[id->number];
  if (!function->block_count)
    kiln_spv_fail(spv, inst, "%s has no blocks", kiln_spv_id_text(spv, inst->operands[1]));
  if (function->type->element->kind != KILN_SPV_VOID)
    kiln_spv_fail(spv, inst, "%s returns a value", kiln_spv_id_text(spv, inst->operands[1]));
  struct kiln_spv_entry *entry = &spv->entries[spv->entry_count++];
  *entry = (struct kiln_spv_entry){.name = name, .next = function->entry};
  function->entry = entry;
}

// The kind of the mode whose operands are literals; 0: mode itself.
static uint32_t literal_mode(uint32_t mode) {
  return mode == KILN_SPV_ExecutionMode_LocalSizeId               ? KILN_SPV_ExecutionMode_LocalSize
         : mode == KILN_SPV_ExecutionMode_LocalSizeHintId         ? KILN_SPV_ExecutionMode_LocalSizeHint
         : mode == KILN_SPV_ExecutionMode_SubgroupsPerWorkgroupId ? KILN_SPV_ExecutionMode_SubgroupsPerWorkgroup
                                                                  : 0;
}

static uint32_t operands_of_mode(uint32_t mode) {
  switch (mode) {
  case KILN_SPV_ExecutionMode_LocalSize:
  case KILN_SPV_ExecutionMode_LocalSizeHint:
  case KILN_SPV_ExecutionMode_MaxWorkgroupSizeINTEL:
    return 3;
  case KILN_SPV_ExecutionMode_VecTypeHint:
  case KILN_SPV_ExecutionMode_SubgroupSize:
  case KILN_SPV_ExecutionMode_SubgroupsPerWorkgroup:
    return 1;
  default:
    return 0;
  }
}

// Whether the reader looks at the mode anywhere. Others are left out, so that the list is short.
static bool is_read_mode(uint32_t mode) {
  return mode == KILN_SPV_ExecutionMode_LocalSize || mode == KILN_SPV_ExecutionMode_LocalSizeHint ||
         mode == KILN_SPV_ExecutionMode_SubgroupSize || mode == KILN_SPV_ExecutionMode_VecTypeHint ||
         mode == KILN_SPV_ExecutionMode_ContractionOff;
}

static void read_mode(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  const struct kiln_spv_id *id = &spv->ids[inst->operands[0]];
  struct kiln_spv_function *function = id->what == KILN_SPV_IS_FUNCTION ? &spv->functions[id->number] : NULL;
  if (!function || !function->entry)
    kiln_spv_fail(spv, inst, "%s is no entry point", kiln_spv_id_text(spv, inst->operands[0]));
  struct kiln_spv_mode *mode = KILN_NEW(&spv->arena, struct kiln_spv_mode);
  *mode = (struct kiln_spv_mode){NULL, inst->operands[1], inst->operands + 2, inst->count - 2};
  if (inst->op == KILN_SPV_OpExecutionModeId && literal_mode(mode->kind)) {
    uint32_t *values = KILN_NEW_ARRAY(&spv->arena, uint32_t, mode->count);
    for (uint32_t i = 0; i < mode->count; i++)
      values[i] = (uint32_t)kiln_spv_constant_int(spv, inst, mode->operands[i], "operand");
    mode->operands = values;
    mode->kind = literal_mode(mode->kind);
  }
  if (mode->count < operands_of_mode(mode->kind))
    kiln_spv_fail(spv, inst, "operands of execution mode %u are missing", mode->kind);
  if (!is_read_mode(mode->kind) || kiln_spv_mode(function->entry, mode->kind))
    return; // the first one holds
  mode->next = function->entry->modes;
  for (const struct kiln_spv_entry *entry = function->entry; entry; entry = entry->next)
    spv->entries[entry - spv->entries].modes = mode;
}

const struct kiln_spv_mode *kiln_spv_mode(const struct kiln_spv_entry *entry, uint32_t kind) {
  const struct kiln_spv_mode *mode = entry->modes;
  while (mode && mode->kind != kind)
    mode = mode->next;
  return mode;
}

static void read_entries(struct kiln_spv *spv, uint32_t end) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < end; i++)
    count += spv->insts[i].op == KILN_SPV_OpEntryPoint;
  spv->entries = KILN_NEW_ARRAY(&spv->arena, struct kiln_spv_entry, count);
  for (uint32_t i = end; i-- > 0;) // from the last one on, so that those of a function are in order
    if (spv->insts[i].op == KILN_SPV_OpEntryPoint)
      read_entry(spv, &spv->insts[i]);
  for (uint32_t i = 0; i < end; i++)
    if (spv->insts[i].op == KILN_SPV_OpExecutionMode || spv->insts[i].op == KILN_SPV_OpExecutionModeId)
      read_mode(spv, &spv->insts[i]);
}

// The call of an entry point that does nothing else, with its own parameters; NULL: it does.
static const struct kiln_spv_inst *only_call(const struct kiln_spv *spv, const struct kiln_spv_function *function) {
  if (function->block_count != 1 || function->blocks[0].count != 2)
    return NULL;
  const struct kiln_spv_inst *call = &spv->insts[function->blocks[0].first];
  if (call[0].op != KILN_SPV_OpFunctionCall || call[1].op != KILN_SPV_OpReturn ||
      call->count != function->param_count + 1)
    return NULL;
  for (uint32_t i = 0; i < function->param_count; i++)
    if (call->operands[i + 1] != function->params[i].id)
      return NULL;
  return call;
}

// Writers of SPIR-V make a function of each kernel, and an entry point that calls it.
static void find_stubs(struct kiln_spv *spv) {
  uint32_t *calls = KILN_NEW_ARRAY(&spv->arena, uint32_t, spv->function_count);
  for (uint32_t i = 0; i < spv->function_count; i++)
    for (uint32_t k = 0; k < spv->functions[i].calls.count; k++) {
      const struct kiln_spv_inst *inst = &spv->insts[spv->functions[i].calls.items[k]];
      if (inst->op == KILN_SPV_OpFunctionCall && spv->ids[inst->operands[0]].what == KILN_SPV_IS_FUNCTION)
        calls[spv->ids[inst->operands[0]].number]++;
    }
  for (uint32_t i = 0; i < spv->function_count; i++) {
    struct kiln_spv_function *stub = &spv->functions[i];
    const struct kiln_spv_inst *call = stub->entry && !stub->stub ? only_call(spv, stub) : NULL;
    const struct kiln_spv_id *id = call ? &spv->ids[call->operands[0]] : NULL;
    if (!id || id->what != KILN_SPV_IS_FUNCTION || calls[id->number] != 1)
      continue;
    struct kiln_spv_function *kernel = &spv->functions[id->number];
    if (!kernel->block_count || kernel->entry || kernel->type != stub->type || calls[i])
      continue;
    kernel->entry = stub->entry;
    kernel->stub = stub;
    stub->entry = NULL;
    stub->is_stub = true;
  }
}

// ---- the whole -----------------------------------------------------------------------------------------------------

static void check_given(struct kiln_spv *spv) {
  for (uint32_t i = 0; i < spv->input->options.spec_value_count; i++)
    if (!spv->given[i])
      kiln_spv_invalid(spv, "the module has no specialization constant %u", spv->input->options.spec_values[i].id);
}

static void check_pointers(struct kiln_spv *spv, uint32_t end) {
  for (uint32_t i = 0; i < end; i++) {
    const struct kiln_spv_inst *inst = &spv->insts[i];
    if (inst->op == KILN_SPV_OpTypeForwardPointer && !spv->ids[inst->operands[0]].type->element)
      kiln_spv_fail(spv, inst, "%s is declared, but not defined", kiln_spv_id_text(spv, inst->operands[0]));
  }
}

void kiln_spv_read_module(struct kiln_spv *spv) {
  spv->ids = KILN_NEW_ARRAY(&spv->arena, struct kiln_spv_id, spv->bound + 1);
  spv->names = KILN_NEW_ARRAY(&spv->arena, const char *, spv->bound + 1);
  spv->decorations = KILN_NEW_ARRAY(&spv->arena, const struct kiln_spv_decoration *, spv->bound + 1);
  spv->given = KILN_NEW_ARRAY(&spv->arena, bool, spv->input->options.spec_value_count + 1);
  uint32_t end = 0; // of what stands before functions
  bool has_model = false;
  for (; end < spv->inst_count && spv->insts[end].op != KILN_SPV_OpFunction; end++) {
    read_annotation(spv, &spv->insts[end]);
    has_model |= spv->insts[end].op == KILN_SPV_OpMemoryModel;
  }
  for (uint32_t i = 0; i < end; i++)
    read_declaration(spv, &spv->insts[i]);
  if (!has_model)
    kiln_spv_fail(spv, NULL, "OpMemoryModel is missing");
  check_given(spv);
  check_pointers(spv, end);
  read_functions(spv, end);
  read_entries(spv, end);
  find_stubs(spv);
}
