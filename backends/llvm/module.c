// The module's table of functions, and the stages of a compilation.
#include "backends/llvm/module.h"

#include <elf.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/llvm/amdgpu.h"
#include "backends/llvm/emit.h"
#include "backends/llvm/link.h"
#include "backends/llvm/object.h"
#include "backends/llvm/unit.h"

// ---- the artifact's metadata

static bool find_build_id(const unsigned char *data, size_t size, uint8_t id[20]) {
  Elf64_Ehdr header;
  if (size < sizeof header)
    return false;
  memcpy(&header, data, sizeof header);
  for (unsigned i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr segment;
    memcpy(&segment, data + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_NOTE || segment.p_filesz < sizeof(Elf64_Nhdr) + 24)
      continue;
    Elf64_Nhdr note;
    memcpy(&note, data + segment.p_offset, sizeof note);
    if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || note.n_descsz != 20)
      continue;
    memcpy(id, data + segment.p_offset + sizeof note + 4, 20);
    return true;
  }
  return false;
}

// Bytes of machine code of a kernel, from the dynamic symbols of the library.
static uint32_t code_size(const unsigned char *data, const char *kernel) {
  Elf64_Ehdr header;
  memcpy(&header, data, sizeof header);
  size_t length = strlen(kernel);
  for (unsigned i = 0; i < header.e_shnum; i++) {
    Elf64_Shdr symbols, strings;
    memcpy(&symbols, data + header.e_shoff + i * sizeof symbols, sizeof symbols);
    if (symbols.sh_type != SHT_DYNSYM)
      continue;
    memcpy(&strings, data + header.e_shoff + symbols.sh_link * sizeof strings, sizeof strings);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      memcpy(&symbol, data + symbols.sh_offset + at, sizeof symbol);
      const char *name = (const char *)data + strings.sh_offset + symbol.st_name;
      if (!strncmp(name, kernel, length) && !strcmp(name + length, KILN_CPU_SYMBOL_SUFFIX))
        return (uint32_t)symbol.st_size;
    }
  }
  return 0;
}

static enum kiln_status describe(struct kiln_ll *ll, struct kiln_artifact *out) {
  uint32_t kernels = ll->cpu_kernel_count, args = ll->cpu_arg_count;
  struct kiln_cpu_meta meta = {
      .magic = KILN_CPU_META_MAGIC, .abi = KILN_CPU_ABI, .kernel_count = kernels, .arg_count = args};
  for (uint32_t i = 0; i < ll->ir->global_count; i++)
    if (ll->ir->globals[i].space == KILN_GLOBAL)
      meta.flags |= KILN_CPU_HAS_STATE;
  if (!find_build_id(out->data, out->size, meta.build_id))
    return kiln_fail(ll->report, KILN_ERR_INTERNAL, "the linked library has no build id");
  size_t kernel_bytes = kernels * sizeof *ll->cpu_kernels, arg_bytes = args * sizeof *ll->cpu_arg_offsets;
  out->meta_size = sizeof meta + kernel_bytes + arg_bytes;
  out->meta = malloc(out->meta_size);
  out->kernels = calloc(kernels + 1, sizeof *out->kernels);
  if (!out->meta || !out->kernels)
    return kiln_fail(ll->report, KILN_ERR_MEMORY, "out of memory for the description of the kernels");
  memcpy(out->meta, &meta, sizeof meta);
  memcpy((char *)out->meta + sizeof meta, ll->cpu_kernels, kernel_bytes);
  memcpy((char *)out->meta + sizeof meta + kernel_bytes, ll->cpu_arg_offsets, arg_bytes);
  uint32_t k = 0;
  for (uint32_t i = 0; i < ll->ir->function_count; i++) {
    if (!ll->ir->functions[i]->is_kernel)
      continue;
    out->kernels[k] = (struct kiln_kernel_resources){.local_bytes = ll->cpu_kernels[k].local_bytes,
                                                     .private_bytes = ll->cpu_kernels[k].item_bytes,
                                                     .code_bytes = code_size(out->data, ll->ir->functions[i]->name)};
    k++;
  }
  return KILN_OK;
}

// ---- stages

static void tell(struct kiln_ll *ll, const char *stage, const void *data, size_t size) {
  if (ll->job->stage)
    ll->job->stage(ll->job->stage_user, stage, data, size);
}

// What a compile that never comes back was at: the stage, and the kernel where there is only one.
static void at(struct kiln_ll *ll, const char *stage) {
  const char *kernel = NULL;
  uint32_t count = 0;
  for (uint32_t i = 0; i < ll->ir->function_count; i++)
    if (ll->ir->functions[i]->is_kernel && count++ == 0)
      kernel = ll->ir->functions[i]->name;
  kiln_report_at(ll->report, count == 1 ? kernel : NULL, stage);
}

static bool stops_after(const struct kiln_ll *ll, const char *stage) {
  return ll->job->stop_after && !strcmp(ll->job->stop_after, stage);
}

static enum kiln_status check_module(struct kiln_ll *ll) {
  char *message = NULL;
  enum kiln_status status = KILN_OK;
  if (LLVMVerifyModule(ll->module, LLVMReturnStatusAction, &message))
    status = kiln_fail(ll->report, KILN_ERR_INTERNAL, "emitter: the LLVM IR is not well-formed: %s", message);
  LLVMDisposeMessage(message);
  return status;
}

static bool starts_from(const struct kiln_ll *ll, const char *stage) {
  return ll->job->start_stage && !strcmp(ll->job->start_stage, stage);
}

// Puts the LLVM IR that the job starts from in the place of what was emitted, whose kernels it must have.
static enum kiln_status replace_module(struct kiln_ll *ll) {
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(ll->job->start_data, ll->job->start_size, "kiln");
  LLVMModuleRef module = NULL;
  char *message = NULL;
  if (LLVMParseIRInContext(ll->context, buffer, &module, &message)) { // takes the buffer
    enum kiln_status status = kiln_fail(ll->report, KILN_ERR_COMPILE, "LLVM: %s", message ? message : "no module");
    LLVMDisposeMessage(message);
    return status;
  }
  const char *triple = LLVMGetTarget(module), *data_layout = LLVMGetDataLayoutStr(ll->module);
  enum kiln_status status = KILN_OK;
  if (strcmp(triple, ll->machine->triple))
    status = kiln_fail(ll->report, KILN_ERR_COMPILE, "the LLVM IR is for the target '%s', and this is '%s'", triple,
                       ll->machine->triple);
  else if (strcmp(LLVMGetDataLayoutStr(module), data_layout))
    status = kiln_fail(ll->report, KILN_ERR_COMPILE, "the LLVM IR has the data layout '%s', and this is '%s'",
                       LLVMGetDataLayoutStr(module), data_layout);
  else if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
    status = kiln_fail(ll->report, KILN_ERR_COMPILE, "LLVM: %s", message);
  LLVMDisposeMessage(message);
  for (LLVMValueRef f = LLVMGetFirstFunction(ll->module); f && !status; f = LLVMGetNextFunction(f)) {
    const char *name = LLVMGetValueName(f);
    LLVMValueRef there = LLVMGetNamedFunction(module, name);
    if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage && (!there || LLVMIsDeclaration(there)))
      status = kiln_fail(ll->report, KILN_ERR_COMPILE, "the LLVM IR has no function '%s'", name);
  }
  if (status) {
    LLVMDisposeModule(module);
    return status;
  }
  LLVMDisposeModule(ll->module);
  ll->module = module;
  return KILN_OK;
}

static enum kiln_status link_object(struct kiln_ll *ll, void *data, size_t size, struct kiln_artifact *out) {
  enum kiln_status status = KILN_OK;
  tell(ll, "o", data, size);
  at(ll, "the link");
  if (!stops_after(ll, "o"))
    status = kiln_ll_link(ll->machine->family, ll->machine->triple, data, size, &out->data, &out->size, ll->report);
  free(data);
  return status;
}

// The assembly that the job starts from.
static enum kiln_status assemble_start(struct kiln_ll *ll, struct kiln_artifact *out) {
  void *data = NULL;
  size_t size = 0;
  tell(ll, "s", ll->job->start_data, ll->job->start_size);
  if (stops_after(ll, "s"))
    return KILN_OK;
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("kiln", ll->context);
  LLVMSetTarget(module, ll->machine->triple);
  LLVMSetModuleInlineAsm2(module, ll->job->start_data, ll->job->start_size);
  enum kiln_status status = kiln_ll_codegen(module, ll->unit->tm, false, &ll->unit->errors, &data, &size, ll->report);
  LLVMDisposeModule(module);
  return status ? status : link_object(ll, data, size, out);
}

static enum kiln_ll_kind_of_code kind_of_code(const struct kiln_ll *ll) {
  if (!ll->wide)
    return KILN_LL_ANY;
  for (uint32_t i = 0; i < ll->ir->function_count; i++) {
    const struct kiln_function *fn = ll->ir->functions[i];
    for (kiln_value v = 1; v < fn->inst_count; v++)
      if (fn->insts[v].op == KILN_OP_LOOP && fn->insts[v].region)
        return KILN_LL_WIDE;
  }
  return KILN_LL_STRAIGHT;
}

// From a module in LLVM IR to the artifact's bytes.
static enum kiln_status generate(struct kiln_ll *ll, struct kiln_artifact *out) {
  if (starts_from(ll, "s"))
    return assemble_start(ll, out);
  unsigned optimize = ll->job->options.optimize;
  at(ll, "LLVM\'s passes");
  enum kiln_status status = starts_from(ll, "ll") // as it was dumped: the passes have run
                                ? replace_module(ll)
                                : kiln_ll_passes(ll->machine->family, ll->module, ll->unit->tm, optimize, kind_of_code(ll),
                                                 ll->report);
  if (status)
    return status;
  if (ll->machine->family == KILN_LLVM_AMDGPU)
    kiln_ll_amdgpu_mark_inputs(ll);
  if (ll->job->stage) {
    char *text = LLVMPrintModuleToString(ll->module);
    tell(ll, "ll", text, strlen(text));
    LLVMDisposeMessage(text);
  }
  if (stops_after(ll, "ll"))
    return KILN_OK;
  void *data = NULL;
  size_t size = 0;
  at(ll, "code generation");
  if (ll->machine->family == KILN_LLVM_CPU)
    kiln_ll_split_blocks(ll->module, 2048);
  if (ll->job->stage) { // emission changes the module, so a copy is printed
    LLVMModuleRef copy = LLVMCloneModule(ll->module);
    status = kiln_ll_codegen(copy, ll->unit->tm, true, &ll->unit->errors, &data, &size, ll->report);
    LLVMDisposeModule(copy);
    if (status)
      return status;
    tell(ll, "s", data, size);
    free(data);
    data = NULL;
  }
  if (stops_after(ll, "s"))
    return KILN_OK;
  status = kiln_ll_codegen(ll->module, ll->unit->tm, false, &ll->unit->errors, &data, &size, ll->report);
  return status ? status : link_object(ll, data, size, out);
}

static void tell_disassembly(struct kiln_ll *ll, const struct kiln_artifact *artifact) {
  struct kiln_strbuf text = {0};
  kiln_ll_amdgpu_disassemble(ll, artifact->data, artifact->size, &text);
  if (!text.failed)
    tell(ll, "dis", text.data, text.size);
  kiln_strbuf_free(&text);
}

static enum kiln_status compile_context(struct kiln_ll *ll, struct kiln_artifact *out) {
  ll->module = LLVMModuleCreateWithNameInContext("kiln", ll->context);
  ll->b = LLVMCreateBuilderInContext(ll->context);
  LLVMSetTarget(ll->module, ll->machine->triple);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(ll->unit->tm);
  LLVMSetModuleDataLayout(ll->module, layout);
  LLVMDisposeTargetData(layout);
  bool amdgpu = ll->machine->family == KILN_LLVM_AMDGPU;
  if (amdgpu)
    kiln_ll_amdgpu_begin(ll);
  enum kiln_status status;
  at(ll, "the emission of LLVM IR");
  if (setjmp(ll->exhausted)) {
    status = kiln_fail(ll->report, KILN_ERR_MEMORY, "out of memory in the emitter");
  } else {
    kiln_ll_emit(ll);
    status = ll->status;
  }
  LLVMDisposeBuilder(ll->b);
  if (!status && amdgpu)
    status = kiln_ll_amdgpu_finish(ll);
  if (!status)
    status = check_module(ll);
  if (!status)
    status = generate(ll, out);
  if (!status && out->data) {
    status = amdgpu ? kiln_ll_amdgpu_meta(ll, out) : describe(ll, out); // code objects describe themselves
    tell(ll, "bin", out->data, out->size);
    if (amdgpu && ll->job->stage && !status)
      tell_disassembly(ll, out);
  }
  LLVMDisposeModule(ll->module);
  return status;
}

static enum kiln_status compile(const struct kiln_llvm_machine *machine, const struct kiln_compile_job *job,
                                struct kiln_artifact *out, struct kiln_report *report) {
  memset(out, 0, sizeof *out);
  struct kiln_ll_unit *unit = kiln_ll_unit_take(machine, job->options.optimize, report);
  if (!unit)
    return KILN_ERR_UNAVAILABLE;
  struct kiln_ll *ll = calloc(1, sizeof *ll);
  enum kiln_status status = KILN_ERR_MEMORY;
  if (ll) {
    *ll = (struct kiln_ll){.machine = machine,
                           .job = job,
                           .ir = job->module,
                           .hooks = machine->family == KILN_LLVM_CPU ? &kiln_ll_cpu_hooks : &kiln_ll_amdgpu_hooks,
                           .report = report,
                           .unit = unit,
                           .context = unit->context,
                           .lanes = machine->lanes,
                           .wide = machine->family == KILN_LLVM_CPU};
    kiln_arena_init(&ll->arena, &ll->exhausted);
    status = compile_context(ll, out);
    kiln_strbuf_free(&ll->prints);
    kiln_arena_free(&ll->arena);
    free(ll);
  }
  for (uint32_t i = 0; i < job->module->function_count; i++)
    unit->instructions += job->module->functions[i]->inst_count;
  kiln_ll_unit_give(unit, status != KILN_OK);
  if (status) {
    free(out->data);
    free(out->meta);
    free(out->kernels);
    memset(out, 0, sizeof *out);
  }
  return status;
}

// ---- for tests

static char *cpu_features(const char *triple, const char *cpu) {
  return strncmp(triple, "amdgcn", 6) ? kiln_ll_cpu_features(triple, cpu) : kiln_ll_amdgpu_cpu(cpu);
}

static enum kiln_status assemble(const struct kiln_llvm_machine *machine, const char *text, void **out,
                                 size_t *out_size, struct kiln_report *report) {
  kiln_ll_start();
  LLVMTargetMachineRef tm = kiln_ll_target_machine(machine, 2, report);
  if (!tm)
    return KILN_ERR_UNAVAILABLE;
  struct kiln_strbuf errors = {0};
  LLVMContextRef context = LLVMContextCreate();
  kiln_ll_watch(context, &errors);
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "text");
  LLVMModuleRef module = NULL;
  char *message = NULL;
  enum kiln_status status;
  if (LLVMParseIRInContext(context, buffer, &module, &message)) { // takes the buffer
    status = kiln_fail(report, KILN_ERR_COMPILE, "LLVM: %s", message);
    LLVMDisposeMessage(message);
  } else {
    status = kiln_ll_codegen(module, tm, false, &errors, out, out_size, report);
    LLVMDisposeModule(module);
  }
  LLVMContextDispose(context);
  LLVMDisposeTargetMachine(tm);
  kiln_strbuf_free(&errors);
  return status;
}

// ---- the exported symbol

static const struct kiln_llvm_api api = {
    .abi = KILN_LLVM_ABI,
    .struct_size = sizeof(struct kiln_llvm_api),
    .version = KILN_BUILD_VERSION,
    .llvm_version = KILN_LLVM_VERSION,
    .compile = compile,
    .cpu_features = cpu_features,
    .link = kiln_ll_link,
    .assemble = assemble,
};

KILN_API const struct kiln_llvm_api *kiln_llvm_module(void);
const struct kiln_llvm_api *kiln_llvm_module(void) { return &api; }
