// From the text of a module to something that runs: parsing, memory of module variables, translation, sizes of frames.
#include "backends/interp/interp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loader {
  struct kiln_drv_module *module;
  enum kiln_status status;
  char message[400];
};

static bool fail(struct loader *loader, enum kiln_status status, const char *what) {
  if (!loader->status) {
    loader->status = status;
    snprintf(loader->message, sizeof loader->message, "%s", what);
  }
  return false;
}

static uint64_t aligned(uint64_t offset, uint64_t align) { return (offset + align - 1) / align * align; }

// Places the module's variables: CONSTANT and GLOBAL ones in memory of their own, LOCAL ones by offset in what each
// group gets. At least INTERP_ALIGN bytes between them belong to none.
static bool place_globals(struct loader *loader) {
  struct kiln_drv_module *module = loader->module;
  const struct kiln_module *ir = module->ir;
  uint64_t data_size = 0;
  module->object_count = ir->global_count;
  module->object_capacity = ir->global_count + 64;
  module->objects = KILN_NEW_ARRAY(&module->arena, struct interp_object, module->object_capacity);
  module->local_offsets = KILN_NEW_ARRAY(&module->arena, uint64_t, ir->global_count + 1);
  for (uint32_t i = 0; i < ir->global_count; i++) {
    const struct kiln_global *global = &ir->globals[i];
    if (global->align > INTERP_ALIGN || global->size > (uint64_t)1 << 40)
      return fail(loader, KILN_ERR_UNSUPPORTED, "a module variable has a size or alignment that is not supported");
    uint64_t *end = global->space == KILN_LOCAL ? &module->local_bytes : &data_size;
    if (global->space == KILN_LOCAL)
      module->local_offsets[i] = *end;
    else
      module->objects[i].base = *end;
    module->objects[i].name = global->name;
    module->objects[i].kind = OBJECT_VARIABLE;
    module->objects[i].space = global->space;
    module->objects[i].size = global->size;
    *end = aligned(*end + global->size, INTERP_ALIGN) + INTERP_ALIGN;
  }
  if (!data_size)
    return true;
  void *data = NULL;
  if (data_size > kiln_host_memory_bytes() || posix_memalign(&data, INTERP_ALIGN, data_size))
    return fail(loader, KILN_ERR_MEMORY, "out of memory for the module's variables");
  module->data = data;
  memset(data, 0, data_size);
  for (uint32_t i = 0; i < ir->global_count; i++)
    if (ir->globals[i].space != KILN_LOCAL)
      module->objects[i].base += (uintptr_t)data;
  return true;
}

static bool initialise_globals(struct loader *loader) {
  const struct kiln_module *ir = loader->module->ir;
  for (uint32_t i = 0; i < ir->global_count; i++) {
    const struct kiln_global *global = &ir->globals[i];
    if (global->space == KILN_LOCAL)
      continue;
    unsigned char *at = (unsigned char *)(uintptr_t)loader->module->objects[i].base;
    if (global->init)
      memcpy(at, global->init, global->size);
    for (uint32_t k = 0; k < global->reloc_count; k++) {
      const struct kiln_reloc *reloc = &global->relocs[k];
      if (ir->globals[reloc->global].space == KILN_LOCAL || reloc->offset + 8ull > global->size)
        return fail(loader, KILN_ERR_INVALID, "an initialiser has the address of a local variable");
      uint64_t address = loader->module->objects[reloc->global].base + (uint64_t)reloc->addend;
      memcpy(at + reloc->offset, &address, sizeof address);
    }
  }
  return true;
}

// What a call of the function needs at most, with everything that it calls.
static bool compute_totals(struct loader *loader, struct interp_function *function, uint32_t depth) {
  enum { NEW, OPEN, DONE };
  if (function->visit == DONE)
    return true;
  if (function->visit == OPEN)
    return fail(loader, KILN_ERR_INVALID, "a function calls itself");
  if (depth > INTERP_MAX_CALL_DEPTH)
    return fail(loader, KILN_ERR_UNSUPPORTED, "calls are nested too deep");
  function->visit = OPEN;
  for (uint32_t i = 0; i < function->code_count; i++) {
    const struct interp_inst *inst = &function->code[i];
    bool atomic = inst->code >= CODE_ATOMIC_LOAD && inst->code <= CODE_ATOMIC_CAS;
    function->orders_memory |= inst->code == CODE_FENCE ||
                               (inst->code == CODE_CROSS && inst->op == KILN_OP_SUB_GROUP_BARRIER) ||
                               (atomic && kiln_atomic_order(function->fn->insts[inst->value].imm) != KILN_RELAXED);
    if (inst->code != CODE_CALL)
      continue;
    struct interp_function *callee = &loader->module->functions[function->code[i].imm];
    if (!compute_totals(loader, callee, depth + 1))
      return false;
    if (callee->total_words > function->total_words)
      function->total_words = callee->total_words;
    if (callee->total_private > function->total_private)
      function->total_private = callee->total_private;
    if (callee->total_depth > function->total_depth)
      function->total_depth = callee->total_depth;
    function->has_barrier |= callee->has_barrier;
    function->orders_memory |= callee->orders_memory;
  }
  function->total_words += function->words;
  function->total_private += function->private_bytes;
  function->total_depth++;
  function->visit = DONE;
  return true;
}

static bool translate_all(struct loader *loader) {
  struct kiln_drv_module *module = loader->module;
  const struct kiln_module *ir = module->ir;
  for (uint32_t i = 0; i < ir->function_count; i++)
    for (kiln_value value = 1; value < ir->functions[i]->inst_count; value++)
      module->count_iterations |= kiln_op_table[ir->functions[i]->insts[value].op].effect == KILN_EFFECT_CROSS;
  module->functions = KILN_NEW_ARRAY(&module->arena, struct interp_function, ir->function_count + 1);
  for (uint32_t i = 0; i < ir->function_count; i++) {
    module->functions[i].fn = ir->functions[i];
    kiln_function_annotate(ir->functions[i]);
    char message[300];
    if (!kiln_interp_translate(module, &module->functions[i], message, sizeof message))
      return fail(loader, KILN_ERR_UNSUPPORTED, message);
    if (i > 0)
      module->functions[i].first_code = module->functions[i - 1].first_code + module->functions[i - 1].code_count;
  }
  for (uint32_t i = 0; i < ir->function_count; i++)
    if (!compute_totals(loader, &module->functions[i], 0))
      return false;
  module->kernels = KILN_NEW_ARRAY(&module->arena, struct kiln_drv_kernel, ir->function_count + 1);
  for (uint32_t i = 0; i < ir->function_count; i++)
    if (ir->functions[i]->is_kernel)
      module->kernels[module->kernel_count++] = (struct kiln_drv_kernel){module, i, ir->functions[i]->name};
  return true;
}

// Everything that allocates from the arena: a jump comes back here when memory is exhausted.
static void build(struct loader *loader, jmp_buf *exhausted) {
  if (setjmp(*exhausted)) {
    fail(loader, KILN_ERR_MEMORY, "out of memory");
    return;
  }
  if (place_globals(loader) && initialise_globals(loader))
    translate_all(loader);
}

static enum kiln_status parse(struct kiln_drv_module *module, const struct kiln_code *code,
                              struct kiln_report *report) {
  if (code->meta_size) {
    struct interp_meta meta;
    if (code->meta_size != sizeof meta || (memcpy(&meta, code->meta, sizeof meta), meta.version) != INTERP_META_VERSION)
      return kiln_fail(report, KILN_ERR_INVALID, "the module's metadata is of another version");
    module->max_steps = meta.max_steps;
    module->races = meta.races;
    module->strict = meta.strict_barriers;
    module->equal_stores = meta.equal_stores;
  }
  // Parsing verifies.
  enum kiln_status status = kiln_module_parse(code->data, code->size, code->path ? code->path : "module", &module->ir);
  if (status)
    return kiln_fail(report, status, "%s", kiln_last_error());
  return KILN_OK;
}

static enum kiln_arg_kind kind_of(const struct kiln_param *param) {
  if (kiln_type_kind(param->type) == KILN_IMAGE)
    return KILN_ARG_BUFFER;
  if (kiln_type_kind(param->type) != KILN_PTR || param->byval_bytes)
    return KILN_ARG_VALUE;
  return kiln_type_space(param->type) == KILN_LOCAL ? KILN_ARG_LOCAL : KILN_ARG_BUFFER;
}

// Whether hosts are told of a kernel what its parameters are, and a record for each that is an image.
static bool matches(const struct kiln_function *fn, const struct kiln_kernel_info *info) {
  if (strcmp(fn->name, info->name) != 0 || info->arg_count < fn->param_count)
    return false;
  uint32_t images = 0;
  for (uint32_t i = 0; i < fn->param_count; i++) {
    const struct kiln_param *param = &fn->params[i];
    const struct kiln_arg_info *arg = &info->args[i];
    uint32_t needed = param->byval_bytes ? param->byval_bytes : kiln_type_bytes(param->type);
    if (arg->kind != kind_of(param) || (arg->kind == KILN_ARG_VALUE && arg->size < needed))
      return false;
    images += kiln_type_kind(param->type) == KILN_IMAGE;
  }
  return info->arg_count == fn->param_count + images;
}

static bool check_kernels(const struct kiln_drv_module *module, const struct kiln_code *code) {
  bool match = module->kernel_count == code->kernel_count;
  for (uint32_t i = 0; match && i < code->kernel_count; i++)
    match = matches(module->ir->functions[module->kernels[i].function], &code->kernels[i]);
  return match;
}

enum kiln_status kiln_interp_load(struct kiln_drv *drv, const struct kiln_code *code, struct kiln_drv_module **out,
                                  struct kiln_report *report) {
  struct kiln_drv_module *module = calloc(1, sizeof *module);
  if (!module)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a module");
  jmp_buf exhausted;
  kiln_arena_init(&module->arena, &exhausted);
  enum kiln_status status = parse(module, code, report);
  if (!status) {
    struct loader loader = {.module = module};
    build(&loader, &exhausted);
    if (!loader.status && !check_kernels(module, code))
      fail(&loader, KILN_ERR_INVALID, "the module does not have the kernels that it should");
    if (loader.status)
      status = kiln_fail(report, loader.status, "%s", loader.message);
  }
  module->arena.exhausted = NULL; // nothing is allocated from here on
  if (status) {
    kiln_interp_unload(drv, module);
    return status;
  }
  *out = module;
  return KILN_OK;
}

void kiln_interp_unload(struct kiln_drv *drv, struct kiln_drv_module *module) {
  (void)drv;
  if (!module)
    return;
  if (module->ir)
    kiln_module_free(module->ir);
  free(module->data);
  kiln_arena_free(&module->arena);
  free(module);
}

enum kiln_status kiln_interp_kernel(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t index,
                                    struct kiln_drv_kernel **out, struct kiln_report *report) {
  (void)drv;
  if (index >= module->kernel_count)
    return kiln_fail(report, KILN_ERR_NOT_FOUND, "the module has %u kernels, there is no kernel %u",
                     module->kernel_count, index);
  *out = &module->kernels[index];
  return KILN_OK;
}
