// The stages of a compilation: emission, LLVM's passes, code generation, the link. A program may consist of several
// parts (parts.h). They are emitted one after another; passes and code generation, each in a context of the part's own,
// run on several threads; one link follows.
#include "backends/llvm/core/stages.h"

#include "backends/llvm/arrange/arrange.h"
#include "backends/llvm/cxx/cxx.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "backends/llvm/core/frames.h"
#include "backends/llvm/core/link.h"
#include "backends/llvm/core/object.h"
#include "backends/llvm/core/parts.h"
#include "backends/llvm/core/unit.h"
#include "backends/llvm/families.h"
#include "base/pool.h"

struct compile {
  const struct kiln_ll_family *family;
  const struct kiln_llvm_machine *machine;
  const struct kiln_compile_job *job;
  struct kiln_report *report;
  struct kiln_ll_division division;
  struct kiln_ll_part *parts;
  struct kiln_pool *pool; // NULL: one part, or one thread
};

static void tell(struct compile *c, const char *stage, const void *data, size_t size) {
  if (c->job->stage)
    c->job->stage(c->job->stage_user, stage, data, size);
}

// For the report of a compile that never returns: the stage, and the kernel if there is only one.
static void at(struct compile *c, const char *stage) {
  const struct kiln_module *ir = c->job->module;
  const char *kernel = NULL;
  uint32_t count = 0;
  for (uint32_t i = 0; i < ir->function_count; i++)
    if (ir->functions[i]->is_kernel && count++ == 0)
      kernel = ir->functions[i]->name;
  kiln_report_at(c->report, count == 1 ? kernel : NULL, stage);
}

static bool stops_after(const struct compile *c, const char *stage) {
  return c->job->stop_after && !strcmp(c->job->stop_after, stage);
}

static bool starts_from(const struct kiln_compile_job *job, const char *stage) {
  return job->start_stage && !strcmp(job->start_stage, stage);
}

// ---- one part, on any thread

static enum kiln_status check_module(struct kiln_ll *ll) {
  char *message = NULL;
  enum kiln_status status = KILN_OK;
  if (LLVMVerifyModule(ll->module, LLVMReturnStatusAction, &message))
    status = kiln_fail(ll->report, KILN_ERR_INTERNAL, "emitter: the LLVM IR is not well-formed: %s", message);
  LLVMDisposeMessage(message);
  return status;
}

// Replaces what was emitted by the LLVM IR that the job starts from, which must have the same kernels.
static enum kiln_status replace_module(struct kiln_ll *ll, struct kiln_str text) {
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text.data, text.size, "kiln");
  LLVMModuleRef module = NULL;
  char *message = NULL;
  if (LLVMParseIRInContext(ll->context, buffer, &module, &message)) { // takes ownership of the buffer
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

static enum kiln_ll_kind_of_code kind_of_code(const struct kiln_ll *ll) {
  if (!ll->wide)
    return KILN_LL_ANY;
  return ll->loops ? KILN_LL_WIDE : KILN_LL_STRAIGHT;
}

static enum kiln_status take_text(struct kiln_ll_part *part, const char *text, size_t size) {
  free(part->text);
  part->text = malloc(size + 1);
  if (!part->text)
    return kiln_fail(part->ll->report, KILN_ERR_MEMORY, "out of memory for the text of a stage");
  memcpy(part->text, text, size);
  part->text[size] = 0;
  part->text_size = size;
  return KILN_OK;
}

static enum kiln_status run_passes(struct kiln_ll_part *part) {
  struct kiln_ll *ll = part->ll;
  // Cutting costs more than it saves with LLVM's fast code generation, which is linear.
  bool linear = !ll->family->cuts_always && !ll->job->options.optimize && ll->machine->lanes == 1;
  uint32_t cut = linear ? 0 : ll->machine->cut;
  if (cut && !starts_from(ll->job, "ll"))
    kiln_ll_outline(ll->module, ll->unit->tm, ll->family->barrier, cut, cut / ll->family->cut_parts,
                    ll->job->options.optimize);
  enum kiln_status status = starts_from(ll->job, "ll") // dumped after the passes
                                ? replace_module(ll, part->start)
                                : kiln_ll_passes(ll->family, ll->module, ll->unit->tm, ll->job->options.optimize,
                                                 kind_of_code(ll), ll->report);
  if (status)
    return status;
  if (ll->family->after_passes)
    ll->family->after_passes(ll);
  if (!ll->job->stage)
    return KILN_OK;
  char *text = LLVMPrintModuleToString(ll->module);
  status = take_text(part, text, strlen(text));
  LLVMDisposeMessage(text);
  return status;
}

static enum kiln_status prepare_code(const struct kiln_ll *ll, LLVMModuleRef module) {
  enum kiln_status status = ll->family->check ? ll->family->check(ll, module) : KILN_OK;
  if (!status && ll->family->before_code)
    ll->family->before_code(ll, module);
  return status;
}

#define LL_COMMENT ";"

// Code generation changes the module, so a copy is printed where an object is made of it later.
static enum kiln_status print_assembly(struct kiln_ll_part *part) {
  struct kiln_ll *ll = part->ll;
  struct kiln_strbuf frames = {0}, lines = {0};
  void *data = NULL;
  size_t size = 0;
  LLVMModuleRef module = ll->family->is_text ? ll->module : LLVMCloneModule(ll->module);
  enum kiln_status status = prepare_code(ll, module);
  if (!status)
    status = kiln_ll_codegen(module, ll->unit->tm, true, NULL, &frames, &ll->unit->errors, &data, &size, ll->report);
  if (module != ll->module)
    LLVMDisposeModule(module);
  if (!status) {
    kiln_strbuf_append(&lines, data, size);
    kiln_ll_frames_print(&frames, ll->family->comment, &lines);
    free(part->text);
    part->text_size = lines.size;
    part->text = kiln_strbuf_take(&lines);
    if (!part->text)
      status = kiln_fail(ll->report, KILN_ERR_MEMORY, "out of memory for the text of a stage");
  }
  free(data);
  kiln_strbuf_free(&frames);
  kiln_strbuf_free(&lines);
  return status;
}

static enum kiln_status make_object(struct kiln_ll_part *part) {
  struct kiln_ll *ll = part->ll;
  enum kiln_status status = prepare_code(ll, ll->module);
  if (status)
    return status;
  struct kiln_ll_generator **kept = ll->job->options.optimize && ll->unit->keep ? &ll->unit->generator : NULL;
  return kiln_ll_codegen(ll->module, ll->unit->tm, false, kept, &part->frames, &ll->unit->errors, &part->object,
                         &part->object_size, ll->report);
}

// The assembly that the job starts from.
static enum kiln_status assemble(struct kiln_ll_part *part) {
  struct kiln_ll *ll = part->ll;
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("kiln", ll->context);
  LLVMSetTarget(module, ll->machine->triple);
  LLVMSetModuleInlineAsm2(module, part->start.data, part->start.size);
  enum kiln_status status = kiln_ll_codegen(module, ll->unit->tm, false, NULL, NULL, &ll->unit->errors, &part->object,
                                            &part->object_size, ll->report);
  LLVMDisposeModule(module);
  kiln_ll_frames_find(part->start, ll->family->comment, &part->frames);
  return status;
}

// The same where the assembly is the artifact.
static enum kiln_status take_assembly(struct kiln_ll_part *part) {
  return take_text(part, part->start.data, part->start.size);
}

// ---- all parts

typedef enum kiln_status step_fn(struct kiln_ll_part *part);

struct step {
  struct compile *compile;
  step_fn *run;
};

static void run_steps(void *user, uint32_t worker, uint64_t first, uint64_t end) {
  const struct step *step = user;
  (void)worker;
  for (uint64_t i = first; i < end; i++)
    step->compile->parts[i].status = step->run(&step->compile->parts[i]);
}

// Reports the failure of the first part that failed, independently of the order in which threads finish.
static enum kiln_status each(struct compile *c, step_fn *run) {
  struct step step = {c, run};
  if (c->pool)
    kiln_pool_run(c->pool, c->division.count, 1, run_steps, &step);
  else
    run_steps(&step, 0, 0, c->division.count);
  for (uint32_t i = 0; i < c->division.count; i++) {
    const struct kiln_ll_part *part = &c->parts[i];
    if (!part->status)
      continue;
    if (part->ll->report != c->report)
      kiln_fail(c->report, part->status, "%s", kiln_report_text(part->ll->report));
    return part->status;
  }
  return KILN_OK;
}

// Reports the text, which is freed, as that of the stage.
static enum kiln_status tell_text(struct compile *c, const char *stage, struct kiln_strbuf *text) {
  enum kiln_status status = text->failed ? kiln_fail(c->report, KILN_ERR_MEMORY, "out of memory for a text") : KILN_OK;
  if (!status)
    tell(c, stage, text->data ? text->data : "", text->size);
  kiln_strbuf_free(text);
  return status;
}

// Reports the texts of all parts as that of the stage.
static enum kiln_status tell_texts(struct compile *c, const char *stage, const char *comment) {
  if (c->division.count == 1) {
    tell(c, stage, c->parts[0].text, c->parts[0].text_size);
    return KILN_OK;
  }
  struct kiln_strbuf text = {0};
  for (uint32_t i = 0; i < c->division.count; i++) {
    char line[64];
    kiln_ll_part_line(line, comment, i, c->division.count);
    kiln_strbuf_puts(&text, line);
    kiln_strbuf_append(&text, c->parts[i].text, c->parts[i].text_size);
  }
  return tell_text(c, stage, &text);
}

static enum kiln_status find_starts(struct compile *c, const char *what, const char *comment) {
  struct kiln_str texts[KILN_LL_MAX_PARTS];
  uint32_t count = kiln_ll_find_parts(c->job->start_data, c->job->start_size, comment, texts);
  if (count != c->division.count)
    return kiln_fail(c->report, KILN_ERR_COMPILE,
                     "the %s is that of a program in %u part%s, and this one is compiled in %u", what, count,
                     count == 1 ? "" : "s", c->division.count);
  for (uint32_t i = 0; i < count; i++)
    c->parts[i].start = texts[i];
  return KILN_OK;
}

static enum kiln_status link_parts(struct compile *c, struct kiln_artifact *out) {
  struct kiln_ll_object objects[KILN_LL_MAX_PARTS];
  uint32_t count = c->division.count;
  for (uint32_t i = 0; i < count; i++)
    objects[i] = (struct kiln_ll_object){c->parts[i].object, c->parts[i].object_size};
  if (count == 1) {
    tell(c, "o", objects[0].data, objects[0].size);
  } else if (c->job->stage) {
    void *data = NULL;
    size_t size = 0;
    enum kiln_status status =
        kiln_ll_join_objects(c->family, c->machine->triple, objects, count, &data, &size, c->report);
    if (status)
      return status;
    tell(c, "o", data, size);
    free(data);
  }
  if (stops_after(c, "o"))
    return KILN_OK;
  at(c, "the link");
  return kiln_ll_link_objects(c->family, c->machine->triple, objects, count, &out->data, &out->size, c->report);
}

// From the code of the parts to the artifact's bytes. Programs whose artifact is text have one part.
static enum kiln_status make_artifact(struct compile *c, struct kiln_artifact *out) {
  if (!c->family->is_text)
    return link_parts(c, out);
  out->data = c->parts[0].text;
  out->size = c->parts[0].text_size;
  c->parts[0].text = NULL;
  return KILN_OK;
}

// From modules in LLVM IR to the artifact's bytes.
static enum kiln_status generate(struct compile *c, struct kiln_artifact *out) {
  const char *assembly = c->family->assembly, *comment = c->family->comment;
  enum kiln_status status = KILN_OK;
  if (starts_from(c->job, assembly)) {
    tell(c, assembly, c->job->start_data, c->job->start_size);
    if (stops_after(c, assembly))
      return KILN_OK;
    status = find_starts(c, "assembly", comment);
    if (!status)
      status = each(c, c->family->is_text ? take_assembly : assemble);
    return status ? status : make_artifact(c, out);
  }
  at(c, "LLVM's passes");
  if (starts_from(c->job, "ll"))
    status = find_starts(c, "LLVM IR", LL_COMMENT);
  if (!status)
    status = each(c, run_passes);
  if (!status && c->job->stage)
    status = tell_texts(c, "ll", LL_COMMENT);
  if (status || stops_after(c, "ll"))
    return status;
  at(c, "code generation");
  if (c->job->stage || c->family->is_text) {
    status = each(c, print_assembly);
    if (!status)
      status = tell_texts(c, assembly, comment);
    if (status || stops_after(c, assembly))
      return status;
  }
  if (!c->family->is_text)
    status = each(c, make_object);
  return status ? status : make_artifact(c, out);
}

// ---- emission

static enum kiln_status emit(struct kiln_ll *ll) {
  ll->module = LLVMModuleCreateWithNameInContext("kiln", ll->context);
  ll->b = LLVMCreateBuilderInContext(ll->context);
  LLVMSetTarget(ll->module, ll->machine->triple);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(ll->unit->tm);
  LLVMSetModuleDataLayout(ll->module, layout);
  LLVMDisposeTargetData(layout);
  if (ll->family->begin)
    ll->family->begin(ll);
  enum kiln_status status;
  if (setjmp(ll->exhausted)) {
    status = kiln_fail(ll->report, KILN_ERR_MEMORY, "out of memory in the emitter");
  } else {
    kiln_ll_emit(ll);
    status = ll->status;
  }
  LLVMDisposeBuilder(ll->b);
  if (!status && ll->family->finish)
    status = ll->family->finish(ll);
  return status ? status : check_module(ll);
}

static enum kiln_status begin_part(struct compile *c, uint32_t index) {
  struct kiln_ll *ll = c->parts[index].ll = calloc(1, sizeof *ll);
  if (!ll)
    return kiln_fail(c->report, KILN_ERR_MEMORY, "out of memory for a compilation");
  *ll = (struct kiln_ll){.machine = c->machine,
                         .job = c->job,
                         .ir = c->job->module,
                         .division = &c->division,
                         .part = index,
                         .family = c->family,
                         .hooks = c->family->hooks,
                         .report = c->report,
                         .lanes = c->machine->lanes,
                         .wide = c->family->wide};
  kiln_arena_init(&ll->arena, &ll->exhausted);
  enum kiln_status status = kiln_ll_unit_take(c->family, c->machine, c->job->options.optimize, &ll->unit, c->report);
  if (status)
    return status;
  ll->context = ll->unit->context;
  status = emit(ll);
  if (status || c->division.count == 1)
    return status;
  struct kiln_report *own = kiln_report_new(); // from here on other threads may report
  if (!own)
    return kiln_fail(c->report, KILN_ERR_MEMORY, "out of memory for a compilation");
  ll->report = own;
  return KILN_OK;
}

static void end_part(struct compile *c, struct kiln_ll_part *part, bool failed) {
  struct kiln_ll *ll = part->ll;
  free(part->text);
  free(part->object);
  kiln_strbuf_free(&part->frames);
  if (!ll)
    return;
  if (ll->module)
    LLVMDisposeModule(ll->module);
  if (ll->unit) {
    for (uint32_t i = 0; i < ll->ir->function_count; i++)
      ll->unit->instructions += c->division.part_of[i] == ll->part ? ll->ir->functions[i]->inst_count : 0;
    kiln_ll_unit_give(ll->unit, failed);
  }
  if (ll->report != c->report)
    kiln_report_delete(ll->report);
  kiln_strbuf_free(&ll->prints);
  kiln_strbuf_free(&ll->told);
  kiln_ll_free_copies(ll);
  kiln_arena_free(&ll->arena);
  free(ll);
}

// ----

static enum kiln_status tell_disassembly(struct compile *c, const struct kiln_artifact *artifact) {
  struct kiln_strbuf text = {0};
  c->family->disassemble(c->parts[0].ll, artifact->data, artifact->size, &text);
  return tell_text(c, "dis", &text);
}

static uint32_t thread_count(const struct compile *c) {
  uint32_t threads = c->job->threads;
  cpu_set_t set;
  if (!threads)
    threads = sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : KILN_LL_MAX_PARTS;
  return threads < c->division.count ? threads : c->division.count;
}

// The kernels as they are emitted, if they are rewritten.
static enum kiln_status tell_arranged(struct compile *c) {
  uint32_t count = c->job->module->function_count;
  struct kiln_strbuf text = {0};
  if (!c->job->stage || !c->family->wide)
    return KILN_OK;
  const struct kiln_ll_arrangement **arranged = calloc(count + 1, sizeof *arranged);
  for (uint32_t i = 0; i < count && arranged; i++)
    arranged[i] = c->parts[c->division.part_of[i]].ll->arranged[i];
  if (!arranged || kiln_ll_print_arranged(c->job->module, arranged, &text))
    text.failed = true;
  free(arranged);
  return tell_text(c, "arranged", &text);
}

// What was chosen for the kernels, if they have plans.
static enum kiln_status tell_plan(struct compile *c) {
  struct kiln_strbuf text = {0};
  if (!c->job->stage || !c->family->wide)
    return KILN_OK;
  for (uint32_t i = 0; i < c->division.count; i++)
    kiln_strbuf_append(&text, c->parts[i].ll->told.data, c->parts[i].ll->told.size);
  return tell_text(c, "plan", &text);
}

static enum kiln_status run(struct compile *c, struct kiln_artifact *out) {
  enum kiln_status status = KILN_OK;
  at(c, "the emission of LLVM IR");
  for (uint32_t i = 0; i < c->division.count && !status; i++)
    status = begin_part(c, i);
  if (!status)
    status = tell_arranged(c);
  if (status || stops_after(c, "arranged"))
    return status;
  status = tell_plan(c);
  if (status || stops_after(c, "plan"))
    return status;
  uint32_t threads = thread_count(c);
  if (!status && threads > 1)
    c->pool = kiln_pool_new(threads, NULL); // NULL: one part after another
  if (!status)
    status = generate(c, out);
  kiln_pool_free(c->pool);
  if (status || !out->data)
    return status;
  status = c->family->meta(c->parts, &c->division, out, c->report);
  if (!c->family->is_text) // else the artifact is the assembly
    tell(c, "bin", out->data, out->size);
  if (c->family->disassemble && c->job->stage && !status)
    status = tell_disassembly(c, out);
  return status;
}

enum kiln_status kiln_ll_compile(const struct kiln_llvm_machine *machine, const struct kiln_compile_job *job,
                                 struct kiln_artifact *out, struct kiln_report *report) {
  struct compile c = {.family = kiln_ll_family(machine->family), .machine = machine, .job = job, .report = report};
  memset(out, 0, sizeof *out);
  if (!kiln_ll_divide(c.family, job, &c.division))
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a compilation");
  c.parts = calloc(c.division.count, sizeof *c.parts);
  enum kiln_status status =
      c.parts ? run(&c, out) : kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a compilation");
  for (uint32_t i = 0; i < c.division.count && c.parts; i++)
    end_part(&c, &c.parts[i], status != KILN_OK);
  free(c.parts);
  kiln_ll_free_division(&c.division);
  if (status) {
    free(out->data);
    free(out->meta);
    free(out->kernels);
    memset(out, 0, sizeof *out);
  }
  return status;
}
