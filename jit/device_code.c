// Device code between backends, which make it, and the cache, which keeps it.
#include "jit/device_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/floats.h"
#include "kiln/tools.h"

static struct kiln_str section_of(const struct kiln_binary *binary) {
  const struct kiln_cache_entry *entry = atomic_load(&binary->entry);
  if (entry == binary->first)
    entry = kiln_binary_shipped(binary);
  return entry->sections[KILN_SECTION_DEVICE];
}

struct kiln_device_code *kiln_device_codes(const struct kiln_binary *binary, struct kiln_code *code) {
  struct kiln_str section = section_of(binary);
  struct kiln_device_code *codes = section.size ? calloc(KILN_MAX_DEVICE_PIECES, sizeof *codes) : NULL;
  struct kiln_device_piece piece;
  uint32_t count = 0;
  for (size_t cursor = 0; codes && count < KILN_MAX_DEVICE_PIECES && kiln_device_piece_next(section, &cursor, &piece);)
    codes[count++] = (struct kiln_device_code){piece.identity, piece.code.data, piece.code.size};
  code->device_codes = codes;
  code->device_code_count = count;
  return codes;
}

// ---- keeping -------------------------------------------------------------------------------------------------------

// Adds what was made to the entry. What was compiled again is in no cache.
static void keep(struct kiln_context *ctx, struct kiln_binary *binary, struct kiln_strbuf *made) {
  const struct kiln_cache_entry *entry = kiln_binary_shipped(binary);
  bool is_kept = made->size && !made->failed && atomic_load(&binary->entry) == binary->first;
  struct kiln_cache_entry *none = NULL, *with = NULL;
  if (is_kept)
    with = kiln_cache_add_device_pieces(ctx->cache, entry, (struct kiln_str){made->data, made->size});
  if (with && !atomic_compare_exchange_strong(&binary->with_device, &none, with)) // others may be reading that
    kiln_cache_entry_release(with);
  kiln_strbuf_free(made);
}

static void free_artifact(struct kiln_artifact *artifact) {
  free(artifact->data);
  free(artifact->meta);
  free(artifact->kernels);
}

// Asks for device code, and appends it to out. drv and module NULL: from a tool, unless its code is there. *has_maker:
// there is what makes it.
static enum kiln_status ask(struct kiln_context *ctx, struct kiln_drv *drv, uint32_t device,
                            struct kiln_drv_module *module, const struct kiln_code *code, struct kiln_strbuf *out,
                            bool *has_maker, struct kiln_report *report) {
  const struct kiln_base_backend *backend = ctx->backend;
  struct kiln_artifact made;
  memset(&made, 0, sizeof made);
  char identity[KILN_MAX_IDENTITY] = "";
  enum kiln_status status = backend->device_identity(drv, device, &ctx->target, identity, sizeof identity, report);
  *has_maker = status == KILN_OK;
  for (uint32_t i = 0; i < code->device_code_count && !status && !drv; i++)
    if (strcmp(code->device_codes[i].identity, identity) == 0)
      return KILN_OK;
  if (!status)
    status = backend->device_code(drv, device, module, &ctx->target, code, &made, report);
  if (!status && made.data && made.size) {
    kiln_device_piece_put(out, &(struct kiln_device_piece){identity, {made.data, made.size}});
    kiln_context_log(ctx, KILN_LOG_INFO, "device code: %zu bytes, %s", made.size, identity);
  }
  if (!status)
    free_artifact(&made);
  return status;
}

static void tell(struct kiln_context *ctx, enum kiln_log_level level, enum kiln_status status,
                 struct kiln_report *report) {
  const char *text = kiln_report_text(report);
  if (status)
    kiln_context_log(ctx, level, "no device code is kept: %s", *text ? text : kiln_status_name(status));
  kiln_report_free(report);
}

void kiln_device_code_loaded(struct kiln_context *ctx, struct kiln_drv *drv, struct kiln_drv_module *module,
                             struct kiln_binary *binary, const struct kiln_code *code) {
  const struct kiln_base_backend *backend = ctx->backend;
  if (!backend->device_code || !backend->device_identity || ctx->cache_off)
    return;
  struct kiln_strbuf made = {0};
  bool has_maker;
  uint32_t count = backend->driver->device_count(drv);
  for (uint32_t i = 0; i < count; i++) {
    struct kiln_report report = kiln_context_report(ctx);
    tell(ctx, KILN_LOG_INFO, ask(ctx, drv, i, module, code, &made, &has_maker, &report), &report);
  }
  keep(ctx, binary, &made);
}

void kiln_device_code_by_tool(struct kiln_program *program) {
  struct kiln_context *ctx = program->ctx;
  if (!ctx->backend->device_code || !ctx->backend->device_identity)
    return;
  struct kiln_report report = kiln_context_report(ctx);
  struct kiln_code code = kiln_binary_code(program->binary);
  struct kiln_device_code *kept = kiln_device_codes(program->binary, &code);
  struct kiln_floats floats = kiln_floats_enter();
  struct kiln_strbuf made = {0};
  bool has_maker;
  enum kiln_status status = ask(ctx, NULL, 0, NULL, &code, &made, &has_maker, &report);
  keep(ctx, program->binary, &made);
  kiln_floats_leave(floats);
  free(kept);
  tell(ctx, has_maker ? KILN_LOG_WARNING : KILN_LOG_INFO, status, &report);
}

// ---- what a tool knows of kernels ----------------------------------------------------------------------------------

// Reads the description of the kernels again, with other resources.
static enum kiln_status describe(struct kiln_binary *binary, const struct kiln_kernel_resources *kernels) {
  struct kiln_str reflection = binary->first->sections[KILN_SECTION_REFLECTION];
  struct kiln_strbuf resources = {0};
  struct kiln_reflection with;
  kiln_resources_write(kernels, binary->reflection.kernel_count, reflection, &resources);
  enum kiln_status status =
      resources.failed ? KILN_ERR_MEMORY
                       : kiln_reflect_read(reflection, (struct kiln_str){resources.data, resources.size}, &with);
  kiln_strbuf_free(&resources);
  if (status != KILN_OK)
    return kiln_error(KILN_ERR_MEMORY, "memory is exhausted");
  kiln_reflection_free(&binary->reflection);
  binary->reflection = with;
  return KILN_OK;
}

enum kiln_status kiln_program_measure(struct kiln_program *program) {
  if (!program)
    return kiln_error(KILN_ERR_INVALID, "kiln_program_measure: program is NULL");
  struct kiln_context *ctx = program->ctx;
  const struct kiln_base_backend *backend = ctx->backend;
  if (!backend->device_code)
    return KILN_OK;
  struct kiln_report report = kiln_context_report(ctx);
  struct kiln_code code = kiln_binary_code(program->binary);
  struct kiln_device_code *kept = kiln_device_codes(program->binary, &code);
  struct kiln_artifact made;
  memset(&made, 0, sizeof made);
  struct kiln_floats floats = kiln_floats_enter();
  enum kiln_status status = backend->device_code(NULL, 0, NULL, &ctx->target, &code, &made, &report);
  kiln_floats_leave(floats);
  free(kept);
  status = kiln_report_finish(&report, status, backend->name, NULL);
  if (status == KILN_OK && made.kernels)
    status = describe(program->binary, made.kernels);
  if (status == KILN_OK)
    free_artifact(&made);
  return status;
}
