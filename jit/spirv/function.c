// Functions and kernels: what the IR needs to know of each, before their bodies are made.
#include "jit/spirv/function.h"

bool kiln_spv_is_byval(const struct kiln_spv *spv, const struct kiln_spv_inst *param) {
  const struct kiln_spv_type *type = spv->ids[param->id].type;
  return type && type->kind == KILN_SPV_POINTER && type->element && type->storage == KILN_SPV_StorageClass_Function &&
         kiln_spv_has_attribute(spv, param->id, KILN_SPV_FunctionParameterAttribute_ByVal);
}

// The parameter of the stub that passes it on; NULL: there is no stub.
static const struct kiln_spv_inst *in_stub(const struct kiln_spv_function *source, uint32_t i) {
  return source->stub && i < source->stub->param_count ? &source->stub->params[i] : NULL;
}

static bool has_attribute(const struct kiln_spv *spv, const struct kiln_spv_function *source, uint32_t i,
                          uint32_t attribute) {
  const struct kiln_spv_inst *stub = in_stub(source, i);
  return kiln_spv_has_attribute(spv, source->params[i].id, attribute) ||
         (stub && kiln_spv_has_attribute(spv, stub->id, attribute));
}

// ---- names of types ------------------------------------------------------------------------------------------------

static const char *number_name(const struct kiln_spv_type *type, bool is_unsigned) {
  static const char names[][2][8] = {
      [KILN_BOOL] = {"bool", "bool"},  [KILN_I8] = {"char", "uchar"},    [KILN_I16] = {"short", "ushort"},
      [KILN_I32] = {"int", "uint"},    [KILN_I64] = {"long", "ulong"},   [KILN_F16] = {"half", "half"},
      [KILN_F32] = {"float", "float"}, [KILN_F64] = {"double", "double"}};
  return names[kiln_type_kind(type->ir)][is_unsigned];
}

static const char *joined(struct kiln_spv *spv, const char *x, const char *y, const char *z) {
  size_t x_size = strlen(x), y_size = strlen(y), z_size = strlen(z);
  char *text = kiln_arena_alloc(&spv->arena, x_size + y_size + z_size + 1, 1);
  memcpy(text, x, x_size);
  memcpy(text + x_size, y, y_size);
  memcpy(text + x_size + y_size, z, z_size + 1);
  return text;
}

static const char *type_name(struct kiln_spv *spv, const struct kiln_spv_type *type, bool is_unsigned) {
  const char *stars = "";
  if (type->kind == KILN_SPV_POINTER && type->element) {
    stars = "*";
    type = type->element;
  }
  const char *name = "void";
  if (type->kind == KILN_SPV_VECTOR && kiln_type_kind(type->ir) != KILN_VOID)
    name = kiln_arena_printf(&spv->arena, "%s%u", number_name(type, is_unsigned), type->count);
  else if (type->kind == KILN_SPV_BOOL || type->kind == KILN_SPV_INT || type->kind == KILN_SPV_FLOAT)
    name = number_name(type, is_unsigned);
  else if (type->kind == KILN_SPV_IMAGE)
    name = kiln_spv_image_name(type->ir);
  else if (type->kind == KILN_SPV_SAMPLER)
    name = "sampler_t";
  else if (type->kind == KILN_SPV_STRUCT && spv->names[type->id] && *spv->names[type->id])
    name = spv->names[type->id];
  return *stars ? joined(spv, name, stars, "") : name;
}

// ---- what is known of all functions ---------------------------------------------------------------------------------

struct kiln_spv_made {
  struct kiln_names functions; // their names; data is not NULL of one that is taken
  struct kiln_names strings;   // "kernel_arg_type.NAME.", data is what follows
  uint32_t *files;             // by id of OpString: index in the module + 1; NULL: none has been asked for
};

static void take_string(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  enum { MOST_DOTS = 16 }; // in the name of a kernel
  const char *text = kiln_spv_string(spv, inst, 0, NULL), *at = text;
  if (strncmp(text, "kernel_arg_type", strlen("kernel_arg_type")) != 0)
    return;
  for (unsigned dots = 0; dots < MOST_DOTS && (at = strchr(at, '.')); dots++) {
    at++;
    struct kiln_name *name = kiln_names_intern(&spv->made->strings, text, (size_t)(at - text));
    name->data = (void *)(uintptr_t)at;
  }
}

static void take_names(struct kiln_spv *spv) {
  spv->made = KILN_NEW(&spv->arena, struct kiln_spv_made);
  kiln_names_init(&spv->made->functions, &spv->arena);
  kiln_names_init(&spv->made->strings, &spv->arena);
  for (uint32_t i = 0; i < spv->module->function_count; i++) { // of built-in functions
    const char *text = spv->module->functions[i]->name;
    kiln_names_intern(&spv->made->functions, text, strlen(text))->data = spv;
  }
  for (uint32_t i = 0; i < spv->inst_count && spv->insts[i].op != KILN_SPV_OpFunction; i++)
    if (spv->insts[i].op == KILN_SPV_OpString)
      take_string(spv, &spv->insts[i]);
}

uint32_t kiln_spv_file(struct kiln_spv *spv, uint32_t string) {
  struct kiln_spv_made *made = spv->made;
  if (!made->files)
    made->files = KILN_NEW_ARRAY(&spv->arena, uint32_t, spv->bound);
  if (!made->files[string])
    made->files[string] = 1 + kiln_module_add_file(spv->module, kiln_spv_string(spv, spv->ids[string].inst, 0, NULL));
  return made->files[string] - 1;
}

// What the translator writes of a kernel: "kernel_arg_type.NAME.int*,float," with a part for each parameter. NULL: it
// has written nothing that fits.
static const char **parts_of(struct kiln_spv *spv, const char *kind, const char *kernel, uint32_t count) {
  const char *key = joined(spv, kind, kernel, ".");
  const char *at = kiln_names_intern(&spv->made->strings, key, strlen(key))->data;
  if (!at)
    return NULL;
  const char **parts = KILN_NEW_ARRAY(&spv->arena, const char *, count + 1);
  uint32_t k = 0;
  for (const char *comma; k < count && (comma = strchr(at, ',')); at = comma + 1)
    parts[k++] = kiln_arena_strndup(&spv->arena, at, (size_t)(comma - at));
  if (k < count && *at)
    parts[k++] = at;
  return k == count ? parts : NULL;
}

static bool has_word(const char *text, const char *word) {
  size_t size = strlen(word);
  for (const char *at = text; at && (at = strstr(at, word)); at += size)
    if ((at == text || at[-1] == ' ') && (at[size] == 0 || at[size] == ' '))
      return true;
  return false;
}

// ---- parameters ----------------------------------------------------------------------------------------------------

struct unit { // a function that is made; a kernel that is called is made twice
  const struct kiln_spv_function *source;
  const struct kiln_spv_entry *entry; // NULL: of a plain function
  struct kiln_function *fn;
};

static uint32_t at_most(uint32_t align) { return align > KILN_SPV_MAX_ALIGN ? KILN_SPV_MAX_ALIGN : align; }

static void describe_pointer(struct kiln_spv *spv, const struct kiln_spv_function *source, uint32_t i,
                             struct kiln_param *param, const char *qualifiers) {
  const struct kiln_spv_inst *inst = &source->params[i], *stub = in_stub(source, i);
  const struct kiln_spv_type *type = spv->ids[inst->id].type;
  enum kiln_space space = kiln_type_space(type->ir);
  uint32_t align = kiln_spv_alignment(spv, inst->id);
  if (!align && stub)
    align = kiln_spv_alignment(spv, stub->id);
  param->align = at_most(align ? align : type->element && type->element->align ? type->element->align : 1);
  param->is_const = has_word(qualifiers, "const") || space == KILN_CONSTANT ||
                    has_attribute(spv, source, i, KILN_SPV_FunctionParameterAttribute_NoWrite);
  param->is_volatile = has_word(qualifiers, "volatile");
  param->is_restrict =
      has_word(qualifiers, "restrict") || has_attribute(spv, source, i, KILN_SPV_FunctionParameterAttribute_NoAlias);
  if (space == KILN_GLOBAL || space == KILN_CONSTANT)
    param->access = param->is_const ? KILN_ACCESS_READ : KILN_ACCESS_READ_WRITE;
}

static struct kiln_param param_of(struct kiln_spv *spv, const struct unit *unit, uint32_t i, const char *type_text,
                                  const char *qualifiers) {
  const struct kiln_spv_function *source = unit->source;
  const struct kiln_spv_inst *inst = &source->params[i], *stub = in_stub(source, i);
  const struct kiln_spv_type *type = spv->ids[inst->id].type;
  const char *name = spv->names[inst->id];
  if ((!name || !*name) && stub)
    name = spv->names[stub->id];
  bool is_unsigned = has_attribute(spv, source, i, KILN_SPV_FunctionParameterAttribute_Zext);
  struct kiln_param param = {.name = name ? name : "", .type = type->ir};
  bool is_byval = kiln_spv_is_byval(spv, inst);
  if (is_byval || kiln_spv_is_aggregate(type)) {
    const struct kiln_spv_type *record = is_byval ? type->element : type;
    uint32_t align = is_byval ? kiln_spv_alignment(spv, inst->id) : 0;
    if (record->size > UINT32_MAX)
      kiln_spv_limit(spv, inst, "a parameter takes more than 4 GiB");
    param.type = kiln_ptr_type(unit->entry ? KILN_CONSTANT : KILN_PRIVATE);
    param.byval_bytes = record->size ? (uint32_t)record->size : 1;
    param.align = at_most(align > record->align ? align : record->align ? record->align : 1);
    param.type_name = type_text ? type_text : type_name(spv, record, false);
    return param;
  }
  if (kiln_type_kind(type->ir) == KILN_VOID)
    kiln_spv_fail(spv, inst, "a parameter of this type is not supported");
  if (type->kind == KILN_SPV_IMAGE)
    param.access = kiln_type_access(type->ir);
  if (type->kind == KILN_SPV_SAMPLER && unit->entry)
    param.image = KILN_PARAM_SAMPLER;
  param.type_name = type_text ? type_text : type_name(spv, type, is_unsigned);
  if (type->kind == KILN_SPV_POINTER)
    describe_pointer(spv, source, i, &param, qualifiers);
  if (unit->entry && (type->kind == KILN_SPV_BOOL || kiln_type_kind(kiln_type_element(type->ir)) == KILN_BOOL))
    kiln_spv_fail(spv, inst, "a parameter of a kernel is a bool");
  if (unit->entry && type->odd_bits)
    kiln_spv_fail(spv, inst, "a parameter of a kernel is %s", kiln_spv_type_text(spv, type));
  if (unit->entry && type->kind == KILN_SPV_POINTER &&
      (kiln_type_space(type->ir) == KILN_PRIVATE || kiln_type_space(type->ir) == KILN_GENERIC))
    kiln_spv_fail(spv, inst, "a parameter of a kernel points to private or generic memory");
  return param;
}

// ---- functions -----------------------------------------------------------------------------------------------------

static void set_modes(struct kiln_spv *spv, struct unit *unit) {
  const struct kiln_spv_entry *entry = unit->entry;
  struct kiln_function *fn = unit->fn;
  const struct kiln_spv_mode *mode = kiln_spv_mode(entry, KILN_SPV_ExecutionMode_LocalSize);
  for (uint32_t d = 0; mode && d < 3 && d < mode->count; d++)
    fn->required_group_size[d] = mode->operands[d];
  mode = kiln_spv_mode(entry, KILN_SPV_ExecutionMode_LocalSizeHint);
  for (uint32_t d = 0; mode && d < 3 && d < mode->count; d++)
    fn->group_size_hint[d] = mode->operands[d];
  mode = kiln_spv_mode(entry, KILN_SPV_ExecutionMode_SubgroupSize);
  uint32_t known = spv->input->options.sub_group_size;
  if (mode && mode->count && known && mode->operands[0] != known)
    kiln_spv_fail(spv, unit->source->inst,
                  "the kernel asks for sub-groups of %u work-items; the target has sub-groups of %u", mode->operands[0],
                  known);
  if (mode && mode->count)
    fn->required_sub_group_size = mode->operands[0];
  mode = kiln_spv_mode(entry, KILN_SPV_ExecutionMode_VecTypeHint);
  static const char elements[][8] = {"char", "short", "int", "long", "half", "float", "double"};
  if (mode && mode->count && (mode->operands[0] & 0xffff) < sizeof elements / sizeof *elements) {
    const char *element = elements[mode->operands[0] & 0xffff];
    uint32_t lanes = mode->operands[0] >> 16;
    kiln_set_vec_type_hint(fn, lanes > 1 ? kiln_arena_printf(&spv->arena, "%s%u", element, lanes) : element);
  }
}

static bool is_exported(const struct kiln_spv *spv, const struct kiln_spv_function *source) {
  return spv->input->options.is_object && source->export;
}

static const char *unit_name(struct kiln_spv *spv, const struct unit *unit) {
  const struct kiln_spv_function *source = unit->source;
  const char *name = spv->names[source->inst->id];
  if (unit->entry)
    return unit->entry->name;
  if (source->entry)
    return kiln_arena_printf(&spv->arena, "%s.call", source->entry->name);
  if (!source->block_count)
    return source->import;
  if (is_exported(spv, source))
    return source->export;
  return kiln_arena_printf(&spv->arena, "%s.%u", name && *name ? name : "function", source->inst->id);
}

static void declare(struct kiln_spv *spv, struct unit *unit) {
  const struct kiln_spv_function *source = unit->source;
  const struct kiln_spv_type *result = source->type->element;
  bool in_memory = kiln_spv_is_aggregate(result);
  const char *name = unit_name(spv, unit), **types = NULL, **qualifiers = NULL;
  if (unit->entry) {
    types = parts_of(spv, "kernel_arg_type.", name, source->param_count);
    qualifiers = parts_of(spv, "kernel_arg_type_qual.", name, source->param_count);
    if (result->kind != KILN_SPV_VOID)
      kiln_spv_fail(spv, source->inst, "an entry point returns a value");
  }
  struct kiln_name *taken = kiln_names_intern(&spv->made->functions, name, strlen(name));
  if (taken->data)
    kiln_spv_fail(spv, source->inst, "two functions have the name '%s'", name);
  taken->data = spv;
  struct kiln_param *params = KILN_NEW_ARRAY(&spv->arena, struct kiln_param, source->param_count + 1);
  if (in_memory)
    params[0] = (struct kiln_param){.name = "result",
                                    .type_name = "",
                                    .type = kiln_ptr_type(KILN_PRIVATE),
                                    .align = result->align ? result->align : 1};
  for (uint32_t i = 0; i < source->param_count; i++)
    params[in_memory + i] = param_of(spv, unit, i, types ? types[i] : NULL, qualifiers ? qualifiers[i] : NULL);
  if (!in_memory && result->kind != KILN_SPV_VOID && kiln_type_kind(result->ir) == KILN_VOID)
    kiln_spv_fail(spv, source->inst, "a function of this type is not supported");
  struct kiln_function *fn =
      kiln_module_add_function(spv->module, name, unit->entry, in_memory ? kiln_scalar_type(KILN_VOID) : result->ir,
                               params, source->param_count + in_memory);
  if (!fn)
    longjmp(*spv->arena.exhausted, 1);
  unit->fn = fn;
  uint32_t control = source->inst->count ? source->inst->operands[0] : 0;
  // DontInline is no reason: clang -O0 gives it to every function, also to the one that a kernel is made of.
  fn->always_inline = !unit->entry && (control & KILN_SPV_FunctionControl_Inline);
  fn->is_exported = !unit->entry && is_exported(spv, source);
  fn->is_once = fn->is_exported && kiln_spv_linkage(spv, source->inst->id) == KILN_SPV_LinkageType_LinkOnceODR;
  fn->is_declared = !source->block_count;
  if (unit->entry)
    set_modes(spv, unit);
}

// Marks the functions that are called, but for calls by stubs.
static bool *find_called(struct kiln_spv *spv) {
  bool *called = KILN_NEW_ARRAY(&spv->arena, bool, spv->function_count + 1);
  for (uint32_t i = 0; i < spv->function_count; i++) {
    const struct kiln_spv_function *source = &spv->functions[i];
    for (uint32_t k = 0; k < source->calls.count && source->is_reached && !source->is_stub; k++) {
      const struct kiln_spv_inst *inst = &spv->insts[source->calls.items[k]];
      if (inst->op == KILN_SPV_OpFunctionCall && spv->ids[inst->operands[0]].what == KILN_SPV_IS_FUNCTION)
        called[spv->ids[inst->operands[0]].number] = true;
    }
  }
  return called;
}

// Products and sums may be fused unless an entry point forbids it; what several entry points may call, if any does.
static uint16_t float_flags(const struct kiln_spv *spv, const struct unit *unit) {
  bool off = false;
  for (uint32_t i = 0; i < spv->entry_count; i++)
    if (!unit->entry || unit->entry == &spv->entries[i])
      off |= kiln_spv_mode(&spv->entries[i], KILN_SPV_ExecutionMode_ContractionOff) != NULL;
  uint16_t flags = spv->input->options.fp_flags | KILN_FP_CONTRACT;
  return off ? flags & (uint16_t)~KILN_FP_CONTRACT : flags;
}

// Makes the function of a unit, without its body.
static void add(struct kiln_spv *spv, struct unit *unit) {
  declare(spv, unit);
  struct kiln_spv_function *source = &spv->functions[unit->source - spv->functions];
  source->fn = unit->fn; // of a kernel that is made twice: the plain function, which comes last
  source->index = spv->module->function_count - 1;
}

const struct kiln_spv_function *kiln_spv_declare(struct kiln_spv *spv, const struct kiln_spv_function *import) {
  struct unit unit = {.source = import};
  if (!import->fn)
    add(spv, &unit);
  return import;
}

void kiln_spv_make_functions(struct kiln_spv *spv) {
  bool *called = find_called(spv), is_object = spv->input->options.is_object;
  struct unit *units = KILN_NEW_ARRAY(&spv->arena, struct unit, (size_t)spv->function_count + spv->entry_count + 1);
  uint32_t count = 0;
  take_names(spv);
  for (uint32_t i = 0; i < spv->function_count; i++) {
    struct kiln_spv_function *source = &spv->functions[i];
    if (source->is_stub || !source->block_count || !source->is_reached)
      continue;
    for (const struct kiln_spv_entry *entry = source->entry; entry; entry = entry->next)
      units[count++] = (struct unit){.source = source, .entry = entry};
    if (!source->entry || called[i] || is_object)
      units[count++] = (struct unit){.source = source};
  }
  for (uint32_t i = 0; i < count; i++)
    add(spv, &units[i]);
  for (uint32_t i = 0; i < count; i++) {
    struct kiln_spv_fn f = {.spv = spv,
                            .source = units[i].source,
                            .number = (uint32_t)(units[i].source - spv->functions),
                            .entry = units[i].entry,
                            .fn = units[i].fn,
                            .fp_flags = float_flags(spv, &units[i])};
    kiln_spv_make_body(&f);
  }
}
