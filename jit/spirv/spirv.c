// The reader of SPIR-V as one call. One arena holds everything; the first fault jumps back here.
#include "jit/spirv/spirv.h"

#include <stdlib.h>

#include "jit/spirv/function.h"
#include "jit/spirv/library.h"
#include "jit/spirv/module.h"

// Memory of a reading: so much, and so much for each byte of the module.
#define BASE_BYTES ((size_t)512 << 20)
#define BYTES_PER_BYTE ((size_t)192)
#define MOST_BYTES ((size_t)8 << 30)

// ---- faults --------------------------------------------------------------------------------------------------------

const char *kiln_spv_id_text(struct kiln_spv *spv, uint32_t id) {
  const char *name = spv->names && id < spv->bound ? spv->names[id] : NULL;
  if (!name || !*name)
    return kiln_arena_printf(&spv->arena, "%%%u", id);
  char shown[64];
  kiln_quote_name(shown, name, strlen(name));
  return kiln_arena_printf(&spv->arena, "%%%u '%s'", id, shown);
}

// "FILE:LINE:COL: error: word N: " or "NAME:word N: error: ".
static void put_place(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  const char *name = spv->input->name ? spv->input->name : "<source>";
  if (!inst) {
    kiln_strbuf_printf(&spv->message, "%s: error: ", name);
    return;
  }
  const struct kiln_spv_inst *file = inst->line && spv->ids ? spv->ids[inst->line[0]].inst : NULL;
  if (file && file->op == KILN_SPV_OpString) {
    const char *text = kiln_spv_string(spv, file, 0, NULL);
    kiln_strbuf_shown(&spv->message, text, strcspn(text, "\n"));
    kiln_strbuf_printf(&spv->message, ":%u:%u: error: word %u: ", inst->line[1], inst->line[2], inst->word);
  } else {
    kiln_strbuf_printf(&spv->message, "%s:word %u: error: ", name, inst->word);
  }
}

static void put_instruction(struct kiln_spv *spv, const struct kiln_spv_inst *inst) {
  const char *name = inst ? kiln_spv_op_name(inst->op) : NULL;
  if (!name)
    return;
  kiln_strbuf_printf(&spv->message, "Op%s", name);
  if (inst->id)
    kiln_strbuf_printf(&spv->message, " %s", kiln_spv_id_text(spv, inst->id));
  kiln_strbuf_puts(&spv->message, ": ");
}

__attribute__((noreturn)) static void fail(struct kiln_spv *spv, const struct kiln_spv_inst *inst,
                                           enum kiln_status status, const char *format, va_list args) {
  kiln_strbuf_clear(&spv->message);
  put_place(spv, inst);
  put_instruction(spv, inst);
  kiln_strbuf_vprintf(&spv->message, format, args);
  kiln_strbuf_putc(&spv->message, '\n');
  spv->status = status;
  longjmp(spv->failed, 1);
}

void kiln_spv_fail(struct kiln_spv *spv, const struct kiln_spv_inst *inst, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail(spv, inst, KILN_ERR_COMPILE, format, args);
}

void kiln_spv_limit(struct kiln_spv *spv, const struct kiln_spv_inst *inst, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail(spv, inst, KILN_ERR_UNSUPPORTED, format, args);
}

void kiln_spv_invalid(struct kiln_spv *spv, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail(spv, NULL, KILN_ERR_INVALID, format, args);
}

// ---- the whole -----------------------------------------------------------------------------------------------------

static void compile(struct kiln_spv *spv) {
  kiln_spv_read_words(spv);
  kiln_spv_read_module(spv);
  kiln_spv_check(spv);
  kiln_spv_make_library(spv);
  kiln_spv_make_globals(spv);
  kiln_spv_make_functions(spv);
  if (kiln_module_failed(spv->module))
    spv->status = KILN_ERR_MEMORY;
}

static void verify(struct kiln_spv *spv) {
  char message[512];
  spv->status = kiln_module_check(spv->module, KILN_ERR_INTERNAL, message, sizeof message);
  if (spv->status == KILN_ERR_INTERNAL)
    kiln_strbuf_printf(&spv->message, "internal error: SPIR-V: %s\n", message);
}

// Runs step on a new reading. Of what it made only the status, the message and spv->module leave.
static enum kiln_status read_with(const struct kiln_spirv_input *input, void (*step)(struct kiln_spv *spv, void *user),
                                  void *user, struct kiln_module **module, char **log) {
  *module = NULL;
  *log = NULL;
  struct kiln_spv *spv = calloc(1, sizeof *spv);
  if (!spv)
    return KILN_ERR_MEMORY;
  spv->input = input;
  kiln_arena_init(&spv->arena, &spv->failed);
  size_t most = (MOST_BYTES - BASE_BYTES) / BYTES_PER_BYTE;
  spv->arena.limit = input->size < most ? BASE_BYTES + BYTES_PER_BYTE * input->size : MOST_BYTES;
  spv->arena.pool = input->pool;
  if (setjmp(spv->failed) == 0) {
    step(spv, user);
  } else if (spv->status == KILN_OK) { // the arena has jumped
    spv->status = spv->arena.over_limit ? KILN_ERR_UNSUPPORTED : KILN_ERR_MEMORY;
    if (spv->arena.over_limit)
      kiln_strbuf_printf(&spv->message, "%s: error: reading it needs more than %zu MiB of memory\n",
                         input->name ? input->name : "<source>", spv->arena.limit >> 20);
  }
  enum kiln_status status = spv->message.failed ? KILN_ERR_MEMORY : spv->status;
  if (status == KILN_OK)
    *module = spv->module;
  else
    kiln_module_free(spv->module);
  if (status != KILN_OK && status != KILN_ERR_MEMORY && spv->message.size)
    *log = kiln_strbuf_take(&spv->message);
  kiln_strbuf_free(&spv->message);
  kiln_arena_free(&spv->arena);
  free(spv);
  return status;
}

static void compile_and_verify(struct kiln_spv *spv, void *unused) {
  (void)unused;
  compile(spv);
  if (spv->status == KILN_OK)
    verify(spv);
}

enum kiln_status kiln_spirv_compile(const struct kiln_spirv_input *input, struct kiln_module **module, char **log) {
  return read_with(input, compile_and_verify, NULL, module, log);
}

// ---- the size of a specialisation constant -------------------------------------------------------------------------

struct spec_size {
  uint32_t id, size; // size 0: not found
};

// The instruction that defines an id, among those outside of functions; NULL: there is no such instruction.
static const struct kiln_spv_inst *definition(const struct kiln_spv *spv, uint32_t id) {
  for (uint32_t i = 0; i < spv->inst_count && spv->insts[i].op != KILN_SPV_OpFunction; i++)
    if (spv->insts[i].id == id)
      return &spv->insts[i];
  return NULL;
}

static void find_spec_size(struct kiln_spv *spv, void *user) {
  struct spec_size *wanted = user;
  kiln_spv_read_words(spv);
  for (uint32_t i = 0; i < spv->inst_count && spv->insts[i].op != KILN_SPV_OpFunction; i++) {
    const struct kiln_spv_inst *inst = &spv->insts[i];
    if (inst->op != KILN_SPV_OpDecorate || inst->count < 3 || inst->operands[1] != KILN_SPV_Decoration_SpecId ||
        inst->operands[2] != wanted->id)
      continue;
    const struct kiln_spv_inst *constant = definition(spv, inst->operands[0]);
    const struct kiln_spv_inst *type = constant && constant->type ? definition(spv, constant->type) : NULL;
    uint32_t bits = !type ? 0 : type->op == KILN_SPV_OpTypeBool ? 1 : type->count ? type->operands[0] : 0;
    if (bits && bits <= 64)
      wanted->size = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
    return;
  }
}

enum kiln_status kiln_spirv_spec_size(const void *data, size_t size, uint32_t id, uint32_t *out, char **log) {
  struct kiln_spirv_input input = {.data = data, .size = size};
  struct spec_size wanted = {.id = id};
  struct kiln_module *module;
  enum kiln_status status = read_with(&input, find_spec_size, &wanted, &module, log);
  if (status != KILN_OK)
    return status;
  *out = wanted.size;
  return wanted.size ? KILN_OK : KILN_ERR_NOT_FOUND;
}
