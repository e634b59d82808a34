// Programs: from the cache, or compiled and put there.
#include "jit/program.h"
#include "jit/ir/images.h"

#include <stdlib.h>
#include <string.h>

#include "base/exhausted.h"
#include "base/file.h"
#include "base/floats.h"
#include "jit/compile.h"
#include "jit/device_code.h"
#include "jit/ir/internal.h"
#include "jit/record.h"
#include "jit/start.h"
#include "jit/trace.h"
#include "jit/tuned.h"
#include "jit/watch.h"

#define MAX_SOURCE ((size_t)1 << 30)

static double ms_since(uint64_t start) { return (double)(kiln_now_ns() - start) / 1e6; }

// ---- binaries
// --------------------------------------------------------------------------------------------------------

static void free_binary(struct kiln_context *ctx, void *object) {
  struct kiln_binary *binary = object;
  struct kiln_cache_entry *entry = atomic_load(&binary->entry);
  if (binary->module)
    ctx->backend->driver->unload(atomic_load(&ctx->drv), binary->module);
  free(atomic_load(&binary->kernels));
  kiln_reflection_free(&binary->reflection);
  kiln_cache_entry_release(binary->first);
  kiln_cache_entry_release(atomic_load(&binary->with_device));
  if (entry != binary->first)
    kiln_cache_entry_release(entry);
}

static void end_binary(void *object) {
  struct kiln_binary *binary = object;
  pthread_mutex_destroy(&binary->lock);
  free(binary);
}

static const struct kiln_retire_kind binaries = {free_binary, end_binary};

// Takes the entry over when it returns OK.
static enum kiln_status new_binary(struct kiln_cache_entry *entry, struct kiln_binary **out) {
  struct kiln_binary *binary = calloc(1, sizeof *binary);
  if (!binary)
    return kiln_error_memory();
  enum kiln_status status = kiln_reflect_read(entry->sections[KILN_SECTION_REFLECTION],
                                              entry->sections[KILN_SECTION_RESOURCES], &binary->reflection);
  if (status != KILN_OK) {
    free(binary);
    if (status == KILN_ERR_MEMORY)
      return kiln_error_memory();
    return kiln_error(status, "entry %s is damaged: what it says of its kernels is not well-formed", entry->key);
  }
  binary->first = entry;
  atomic_init(&binary->entry, entry);
  pthread_mutex_init(&binary->lock, NULL);
  *out = binary;
  return KILN_OK;
}

// ---- the source ----------------------------------------------------------------------------------------------------

static enum kiln_status check_spec_constants(const struct kiln_program_desc *desc) {
  if (desc->spec_constant_count && desc->kind != KILN_SOURCE_SPIRV)
    return kiln_error(KILN_ERR_INVALID, "kiln_program_desc: only programs in SPIR-V have spec_constants");
  if (desc->spec_constant_count && !desc->spec_constants)
    return kiln_error(KILN_ERR_INVALID, "kiln_program_desc: spec_constants is NULL, but spec_constant_count is %u",
                      (unsigned)desc->spec_constant_count);
  for (uint32_t i = 0; i < desc->spec_constant_count; i++) {
    const struct kiln_spec_constant *constant = &desc->spec_constants[i];
    if (!constant->value || !constant->size || constant->size > 8)
      return kiln_error(KILN_ERR_INVALID, "kiln_program_desc: spec_constants[%u], of id %u, has %s", (unsigned)i,
                        (unsigned)constant->id, constant->value ? "a size that is not 1, 2, 4 or 8" : "no value");
  }
  return KILN_OK;
}

static enum kiln_status check_desc(const struct kiln_program_desc *desc) {
  if (desc->kind == KILN_SOURCE_MODULE)
    return desc->module && !desc->source
               ? KILN_OK
               : kiln_error(KILN_ERR_INVALID, "kiln_program_desc: %s",
                            desc->source ? "source is not NULL, but kind says a module" : "module is NULL");
  if (!desc->source)
    return kiln_error(KILN_ERR_INVALID, "kiln_program_desc: source is NULL");
  if (desc->size > MAX_SOURCE)
    return kiln_error(KILN_ERR_INVALID, "kiln_program_desc: the source has %zu bytes; at most 1 GiB is possible",
                      desc->size);
  if (desc->kind != KILN_SOURCE_OPENCL_C && desc->kind != KILN_SOURCE_IR_TEXT && desc->kind != KILN_SOURCE_SPIRV)
    return kiln_error(KILN_ERR_INVALID, "kiln_program_desc: kind %d is unknown", (int)desc->kind);
  if (desc->kind == KILN_SOURCE_SPIRV && !desc->size)
    return kiln_error(KILN_ERR_INVALID, "kiln_program_desc: size is 0, but kind says SPIR-V, which no NUL ends");
  if (desc->header_count && !desc->headers)
    return kiln_error(KILN_ERR_INVALID, "kiln_program_desc: headers is NULL, but header_count is %u",
                      (unsigned)desc->header_count);
  if (desc->module)
    return kiln_error(KILN_ERR_INVALID, "kiln_program_desc: module is not NULL, but kind says text");
  if (desc->stage && !desc->stage_data)
    return kiln_error(KILN_ERR_INVALID, "kiln_program_desc: stage is '%s', but stage_data is NULL", desc->stage);
  if (!desc->stage && desc->stage_data)
    return kiln_error(KILN_ERR_INVALID, "kiln_program_desc: stage is NULL, but stage_data is not");
  for (uint32_t i = 0; i < desc->header_count; i++) {
    if (!desc->headers[i].name || !desc->headers[i].text)
      return kiln_error(KILN_ERR_INVALID, "kiln_program_desc: header %u has no %s", (unsigned)i,
                        desc->headers[i].name ? "text" : "name");
  }
  return check_spec_constants(desc);
}

static size_t text_size(const char *text, size_t size) { return size ? size : strlen(text); }

static char *copy(char **to, const void *data, size_t size) {
  char *begin = *to;
  memcpy(begin, data, size);
  begin[size] = 0;
  *to += size + 1;
  return begin;
}

// Values of constants go on as build options, which are part of the key and of records, and which variants have, too.
static void put_spec_constants(const struct kiln_program_desc *desc, struct kiln_strbuf *options) {
  for (uint32_t i = 0; i < desc->spec_constant_count; i++) {
    const struct kiln_spec_constant *constant = &desc->spec_constants[i];
    kiln_strbuf_printf(options, " --kiln-spec=%u=x", (unsigned)constant->id);
    for (uint32_t k = 0; k < constant->size; k++)
      kiln_strbuf_printf(options, "%02x", ((const unsigned char *)constant->value)[k]);
  }
}

// Copies what the description points to into one block: stages can be asked for as long as the program lives.
static enum kiln_status keep_source_with(struct kiln_program *program, const struct kiln_program_desc *desc,
                                         const char *options) {
  const char *name = desc->name ? desc->name : "<source>";
  struct kiln_source *source = &program->source;
  source->size = text_size(desc->source, desc->size);
  size_t size = desc->header_count * sizeof(struct kiln_pp_header);
  size += source->size + strlen(name) + strlen(options) + 3;
  size += desc->stage ? strlen(desc->stage) + desc->stage_size + 2 : 0;
  for (uint32_t i = 0; i < desc->header_count; i++)
    size += strlen(desc->headers[i].name) + text_size(desc->headers[i].text, desc->headers[i].size) + 2;
  program->storage = malloc(size);
  if (!program->storage)
    return kiln_error_memory();
  struct kiln_pp_header *headers = program->storage;
  char *to = (char *)(headers + desc->header_count);
  source->text = copy(&to, desc->source, source->size);
  source->name = copy(&to, name, strlen(name));
  source->kind = desc->kind;
  source->headers = headers;
  source->header_count = desc->header_count;
  program->options = copy(&to, options, strlen(options));
  if (desc->stage) {
    source->start_stage = copy(&to, desc->stage, strlen(desc->stage));
    source->start_data = copy(&to, desc->stage_data, desc->stage_size);
    source->start_size = desc->stage_size;
  }
  for (uint32_t i = 0; i < desc->header_count; i++) {
    const struct kiln_header *header = &desc->headers[i];
    headers[i].size = text_size(header->text, header->size);
    headers[i].name = copy(&to, header->name, strlen(header->name));
    headers[i].text = copy(&to, header->text, headers[i].size);
  }
  return KILN_OK;
}

// With the values of constants among the options.
static enum kiln_status keep_source(struct kiln_program *program, const struct kiln_program_desc *desc) {
  const char *given = desc->options ? desc->options : "";
  if (!desc->spec_constant_count)
    return keep_source_with(program, desc, given);
  struct kiln_strbuf options = {0};
  kiln_strbuf_puts(&options, given);
  put_spec_constants(desc, &options);
  enum kiln_status status = options.failed ? kiln_error_memory() : keep_source_with(program, desc, options.data);
  kiln_strbuf_free(&options);
  return status;
}

// A module that the caller built goes on as its text: that is its key, can be recorded, and is compiled from a copy.
static enum kiln_status keep_module(struct kiln_program *program, const struct kiln_program_desc *desc) {
  struct kiln_program_desc as_text = *desc;
  char message[1024], *text;
  if (kiln_module_failed(desc->module))
    return kiln_error(KILN_ERR_MEMORY, "memory was exhausted while the module was built");
  enum kiln_status status = kiln_module_check(desc->module, KILN_ERR_COMPILE, message, sizeof message);
  if (status != KILN_OK)
    return kiln_error(status, "%s: error: %s", desc->name ? desc->name : "<module>", message);
  status = kiln_module_print(desc->module, &text);
  if (status != KILN_OK)
    return status;
  as_text.kind = KILN_SOURCE_IR_TEXT;
  as_text.source = text;
  as_text.size = 0;
  as_text.name = desc->name ? desc->name : "<module>";
  status = keep_source(program, &as_text);
  kiln_free(text);
  return status;
}

// ---- compiling and caching -----------------------------------------------------------------------------------------

struct build {
  struct kiln_program *program;
  struct kiln_cache *cache; // that is searched
  struct kiln_build_options options;
  struct kiln_store_request request;
  struct kiln_report report; // why there is no toolchain
  bool only_cached;
};

static enum kiln_status check_artifact(const struct kiln_program *program, const struct kiln_artifact *artifact) {
  const char *backend = program->ctx->backend->name, *source = program->source.name;
  if (!artifact->data || !artifact->size)
    return kiln_error(KILN_ERR_INTERNAL, "backend '%s' compiled '%s' to nothing", backend, source);
  if (!artifact->meta && artifact->meta_size)
    return kiln_error(KILN_ERR_INTERNAL, "backend '%s' says that '%s' has %zu bytes of metadata, but gave none",
                      backend, source, artifact->meta_size);
  return KILN_OK;
}

// Compiles and publishes; ends the flight.
static enum kiln_status compile(struct build *b, struct kiln_cache_flight *flight, struct kiln_cache_entry **entry) {
  struct kiln_program *program = b->program;
  struct kiln_context *ctx = program->ctx;
  struct kiln_compile_result result;
  atomic_fetch_add(&ctx->compiles, 1);
  enum kiln_status status = kiln_compile(ctx, &program->source, &b->options, NULL, NULL, NULL, &result);
  if (status == KILN_OK) {
    status = check_artifact(program, &result.artifact);
    if (status != KILN_OK)
      kiln_compile_result_free(&result);
  }
  if (status != KILN_OK) {
    kiln_cache_abandon(flight);
    kiln_watch_failure(ctx, program, status);
    return status;
  }
  kiln_watch_compile(ctx, program, result.front_ms, result.back_ms);
  if (!program->binary) { // else it is compiled again, and others may be reading
    program->front_ms = result.front_ms;
    program->back_ms = result.back_ms;
  }
  // Where __FILE__ puts a path into the code, the code is only good for the same paths.
  if (!result.lang.used_file_name)
    kiln_store_place_probes(&b->request, result.probes, result.probe_count);
  struct kiln_cache_product product = {.artifact = {result.artifact.data, result.artifact.size},
                                       .probes = result.probes,
                                       .probe_count = result.probe_count};
  product.sections[KILN_SECTION_REFLECTION] = (struct kiln_str){result.reflection.data, result.reflection.size};
  product.sections[KILN_SECTION_RESOURCES] = (struct kiln_str){result.resources.data, result.resources.size};
  product.sections[KILN_SECTION_META] = (struct kiln_str){result.artifact.meta, result.artifact.meta_size};
  product.sections[KILN_SECTION_WARNINGS] = (struct kiln_str){result.warnings, result.warnings_size};
  if (!result.device.failed)
    product.sections[KILN_SECTION_DEVICE] = (struct kiln_str){result.device.data, result.device.size};
  if (!b->request.made.failed)
    product.sections[KILN_SECTION_MADE] = (struct kiln_str){b->request.made.data, b->request.made.size};
  if (!kiln_cache_publish(flight, &product, entry))
    status = kiln_error_memory();
  kiln_compile_result_free(&result);
  return status;
}

static enum kiln_status no_toolchain(struct build *b, const struct kiln_cache_trace *trace) {
  const char *reason = kiln_report_text(&b->report), *details = trace->details;
  const struct kiln_base_backend *backend = b->program->ctx->backend;
  int lacking = kiln_exhausted();
  enum kiln_status status = lacking ? kiln_errno_status(lacking) : KILN_ERR_UNAVAILABLE;
  return kiln_error(status, "'%s' is in no cache, and backend '%s' cannot compile it here%s%s%s%s",
                    b->program->source.name, backend->name, *reason ? ": " : "", reason,
                    details ? "; in the caches: " : "", details ? details : "");
}

static enum kiln_status not_cached(struct build *b, const struct kiln_cache_trace *trace, const char *more) {
  struct kiln_strbuf reason = {0};
  kiln_miss_put(&reason, trace);
  enum kiln_status status = reason.failed ? kiln_error_memory()
                                          : kiln_error(KILN_ERR_NOT_CACHED, "'%s' is in no cache%s: %s",
                                                       b->program->source.name, more, reason.data);
  kiln_strbuf_free(&reason);
  return status;
}

// Searches the caches for code of another target that this one runs, too. The first time in a context is a warning.
static bool find_compatible(struct build *b, struct kiln_cache_entry **entry) {
  struct kiln_program *program = b->program;
  struct kiln_context *ctx = program->ctx;
  const struct kiln_base_backend *backend = ctx->backend;
  struct kiln_target target;
  for (uint32_t i = 0; backend->compatible_target && backend->compatible_target(&ctx->target, i, &target); i++) {
    struct kiln_report report = {0};
    struct kiln_store_request request;
    struct kiln_cache_flight *flight = NULL;
    struct kiln_cache_trace trace;
    enum kiln_status status = kiln_store_request_init(ctx, &target, &program->source, &b->options, &report, &request);
    kiln_report_free(&report);
    if (status != KILN_OK)
      return false;
    request.request.trace = &trace;
    enum kiln_cache_found found = kiln_cache_find(b->cache, &request.request, entry, &flight);
    kiln_cache_abandon(flight);
    if (*entry)
      kiln_watch_lookup(ctx, program, found, &trace, *entry);
    free(trace.details);
    kiln_store_request_free(&request);
    if (!*entry)
      continue;
    program->outcome = found == KILN_FOUND_MEMORY ? KILN_CACHE_HIT_MEMORY : KILN_CACHE_HIT_DISK;
    bool told = atomic_exchange(&ctx->told_compatible, true);
    kiln_context_log(ctx, told ? KILN_LOG_INFO : KILN_LOG_WARNING,
                     "'%s' runs code that was compiled for %s, since none for this %s%s can be had",
                     program->source.name, target.arch, ctx->target.arch, ctx->target.features);
    return true;
  }
  return false;
}

static enum kiln_status find_or_compile(struct build *b, struct kiln_cache_entry **entry);

// Goes on from what the caches said.
static enum kiln_status answer(struct build *b, enum kiln_cache_found found, const struct kiln_cache_trace *trace,
                               struct kiln_cache_flight *flight, struct kiln_cache_entry **entry) {
  struct kiln_program *program = b->program;
  struct kiln_context *ctx = program->ctx;
  switch (found) {
  case KILN_FOUND_MEMORY:
    program->outcome = KILN_CACHE_HIT_MEMORY;
    return KILN_OK;
  case KILN_FOUND_DISK:
  case KILN_FOUND_LAYER:
  case KILN_FOUND_REMOTE:
    program->outcome = KILN_CACHE_HIT_DISK;
    return KILN_OK;
  case KILN_NOT_FOUND:
    program->outcome = ctx->cache_off ? KILN_CACHE_OFF : KILN_CACHE_MISS;
    if (!kiln_store_toolchain_holds(ctx, &b->options, &b->report, &b->request)) {
      kiln_cache_abandon(flight);
      return find_or_compile(b, entry); // with the compiler that is there now
    }
    if (b->request.request.toolchain && !b->only_cached)
      return compile(b, flight, entry);
    kiln_cache_abandon(flight);
    if (b->request.request.toolchain)
      return not_cached(b, trace, "");
    return find_compatible(b, entry) ? KILN_OK : no_toolchain(b, trace);
  case KILN_NOT_ALLOWED:
    if (find_compatible(b, entry))
      return KILN_OK;
    return not_cached(b, trace, ", and COMPILE_CACHE=require forbids to compile it");
  case KILN_FIND_FAILED:
    return kiln_error_memory();
  }
  return kiln_error(KILN_ERR_INTERNAL, "the cache gave answer %d", (int)found);
}

static enum kiln_status find_or_compile(struct build *b, struct kiln_cache_entry **entry) {
  struct kiln_program *program = b->program;
  uint64_t start = kiln_now_ns();
  struct kiln_cache_flight *flight = NULL;
  struct kiln_cache_trace trace;
  b->request.request.trace = &trace;
  enum kiln_cache_found found = kiln_cache_find(b->cache, &b->request.request, entry, &flight);
  b->request.request.trace = NULL;
  program->lookup_ms = ms_since(start);
  kiln_watch_lookup(program->ctx, program, found, &trace, *entry);
  enum kiln_status status = answer(b, found, &trace, flight, entry);
  free(trace.details);
  return status;
}

// Who asks for dumps gets them, cached or not.
static void compile_for_dumps(struct build *b) {
  struct kiln_context *ctx = b->program->ctx;
  if (b->program->source.is_object)
    return;
  bool hit = b->program->outcome == KILN_CACHE_HIT_MEMORY || b->program->outcome == KILN_CACHE_HIT_DISK;
  if (!hit || !(ctx->dump_dir || ctx->debug))
    return;
  struct kiln_compile_result result;
  atomic_fetch_add(&ctx->compiles, 1);
  if (kiln_compile(ctx, &b->program->source, &b->options, NULL, NULL, NULL, &result) == KILN_OK)
    kiln_compile_result_free(&result);
  else
    kiln_context_log(ctx, KILN_LOG_WARNING, "'%s' is cached, but cannot be compiled for a dump: %s",
                     b->program->source.name, kiln_last_error());
}

static enum kiln_status build_init(struct build *b, struct kiln_program *program) {
  struct kiln_context *ctx = program->ctx;
  *b = (struct build){.program = program, .cache = ctx->cache, .report = kiln_context_report(ctx)};
  enum kiln_status status = kiln_options_parse(program->options, ctx->backend, &b->options);
  if (status == KILN_OK && b->options.lang.spec_value_count && program->source.kind != KILN_SOURCE_SPIRV)
    status = kiln_error(KILN_ERR_INVALID, "build option '--kiln-spec': only programs in SPIR-V have such constants");
  program->has_formats = status == KILN_OK && b->options.lang.image_formats;
  program->takes_any_format = program->has_formats && strcmp(b->options.lang.image_formats, KILN_IMAGES_GENERIC) == 0;
  if (status == KILN_OK && !program->source.start_stage && !program->source.is_object)
    status = kiln_start_override(ctx, &b->options, &program->source, &program->override);
  else if (status == KILN_OK && program->source.start_stage)
    status = kiln_start_check(ctx, program->source.start_stage, program->source.name);
  return status == KILN_OK
             ? kiln_store_request_init(ctx, &ctx->target, &program->source, &b->options, &b->report, &b->request)
             : status;
}

static void build_free(struct build *b) {
  kiln_store_request_free(&b->request);
  kiln_options_free(&b->options);
  kiln_report_free(&b->report);
}

// Compiles without looking into the cache or putting the result there.
static enum kiln_status compile_privately(struct kiln_program *program, struct kiln_cache_entry **out) {
  struct kiln_cache *none = kiln_cache_open(&(struct kiln_cache_config){.mode = KILN_CACHE_MODE_OFF});
  struct kiln_cache_flight *flight = NULL;
  struct build b;
  enum kiln_status status = build_init(&b, program);
  if (status == KILN_OK && (!none || kiln_cache_find(none, &b.request.request, out, &flight) != KILN_NOT_FOUND))
    status = kiln_error_memory();
  if (status == KILN_OK)
    status = compile(&b, flight, out);
  build_free(&b);
  if (none)
    kiln_cache_close(none);
  return status;
}

enum kiln_status kiln_warnings_log(const struct kiln_program *program, struct kiln_str kept,
                                   const struct kiln_build_options *options, char **out) {
  if (!kept.data)
    return KILN_OK;
  if (!kiln_warnings_text(kept, &options->lang.warnings, program->source.name, out))
    return kiln_error_memory();
  size_t size = *out ? strlen(*out) : 0; // diagnostics have their own newline at the end; logs do not
  if (size && (*out)[size - 1] == '\n')
    (*out)[size - 1] = 0;
  return KILN_OK;
}

// In what the program was loaded from, then as any other.
static enum kiln_status find_saved(struct build *b, bool only_saved, struct kiln_cache_entry **entry) {
  struct kiln_program *program = b->program;
  if (program->saved) {
    b->cache = kiln_saved_cache(program->saved);
    enum kiln_status status = find_or_compile(b, entry);
    b->cache = program->ctx->cache;
    if (status != KILN_ERR_NOT_CACHED || only_saved)
      return status;
  }
  return find_or_compile(b, entry);
}

static bool may_compile(const struct kiln_context *ctx) {
  return ctx->backend->compile && kiln_cache_mode(ctx->cache) != KILN_CACHE_MODE_REQUIRE;
}

// An entry whose description is damaged is compiled once more, as is one whose code cannot be loaded.
static enum kiln_status use_entry(struct kiln_program *program, const struct kiln_origin *origin,
                                  struct kiln_cache_entry **entry) {
  struct kiln_context *ctx = program->ctx;
  bool from_cache = program->outcome == KILN_CACHE_HIT_MEMORY || program->outcome == KILN_CACHE_HIT_DISK;
  enum kiln_status status = new_binary(*entry, &program->binary);
  if (status == KILN_ERR_INVALID && from_cache && !origin->only_saved && !origin->only_cached && may_compile(ctx)) {
    kiln_context_log(ctx, KILN_LOG_WARNING, "'%s' is compiled again: cache %s", program->source.name,
                     kiln_last_error());
    kiln_cache_entry_release(*entry);
    *entry = NULL;
    status = compile_privately(program, entry);
    if (status == KILN_OK)
      status = new_binary(*entry, &program->binary);
  }
  if (status != KILN_OK && *entry)
    kiln_cache_entry_release(*entry);
  return status;
}

static enum kiln_status build(struct kiln_program *program, const struct kiln_origin *origin) {
  struct build b;
  struct kiln_cache_entry *entry = NULL;
  enum kiln_status status = build_init(&b, program);
  b.only_cached = origin->only_cached;
  if (status == KILN_OK)
    status = find_saved(&b, origin->only_saved, &entry);
  if (status == KILN_OK)
    status = use_entry(program, origin, &entry);
  if (status == KILN_OK)
    program->binary->debug_info = b.options.backend.flags & KILN_BUILD_DEBUG_INFO;
  if (status == KILN_OK)
    status = kiln_warnings_log(program, entry->sections[KILN_SECTION_WARNINGS], &b.options, &program->log);
  if (status == KILN_OK && program->ctx->record && program->source.start_stage)
    kiln_context_log(program->ctx, KILN_LOG_WARNING, "'%s' begins at stage '%s' and is not recorded",
                     program->source.name, program->source.start_stage);
  else if (status == KILN_OK && program->ctx->record && !program->source.is_object && !origin->is_trial)
    kiln_record_add(program->ctx, &b.request, program->options, program->binary->first);
  if (status == KILN_OK)
    compile_for_dumps(&b);
  build_free(&b);
  return status;
}

const struct kiln_cache_entry *kiln_binary_shipped(const struct kiln_binary *binary) {
  const struct kiln_cache_entry *entry = atomic_load(&binary->with_device);
  return entry ? entry : binary->first;
}

// ---- loading -------------------------------------------------------------------------------------------------------

struct kiln_code kiln_binary_code(const struct kiln_binary *binary) {
  const struct kiln_cache_entry *entry = atomic_load(&binary->entry);
  return (struct kiln_code){.data = entry->artifact.data,
                            .size = entry->artifact.size,
                            .path = entry->fixed || binary->debug_info ? entry->path : NULL,
                            .meta = entry->sections[KILN_SECTION_META].data,
                            .meta_size = entry->sections[KILN_SECTION_META].size,
                            .kernels = binary->reflection.drv_kernels,
                            .kernel_count = binary->reflection.kernel_count,
                            .variant_of = atomic_load(&binary->variant_of)};
}

static enum kiln_status load(struct kiln_context *ctx, struct kiln_drv *drv, struct kiln_binary *binary) {
  uint64_t start = kiln_now_ns();
  uint32_t count = binary->reflection.kernel_count;
  struct kiln_drv_kernel **kernels = calloc(count ? count : 1, sizeof(*kernels));
  if (!kernels)
    return kiln_error_memory();
  const struct kiln_driver *driver = ctx->backend->driver;
  struct kiln_code code = kiln_binary_code(binary);
  struct kiln_report report = kiln_context_report(ctx);
  struct kiln_drv_module *module = NULL;
  struct kiln_device_code *kept = kiln_device_codes(binary, &code);
  enum kiln_status status = driver->load(drv, &code, &module, &report);
  if (status == KILN_OK && !module)
    status = kiln_fail(&report, KILN_ERR_INTERNAL, "backend '%s' loaded a program, but gave none", ctx->backend->name);
  for (uint32_t i = 0; i < count && status == KILN_OK; i++)
    status = driver->kernel(drv, module, i, &kernels[i], &report);
  if (status == KILN_OK)
    kiln_device_code_loaded(ctx, drv, module, binary, &code);
  free(kept);
  status = kiln_report_finish(&report, status, ctx->backend->name, NULL);
  if (status != KILN_OK) {
    if (module)
      driver->unload(drv, module);
    free(kernels);
    return status;
  }
  binary->module = module;
  binary->load_ms = ms_since(start);
  kiln_watch_load(ctx, binary->load_ms);
  if (kiln_traces(ctx))
    kiln_trace_span(ctx, "compile", "load", count ? code.kernels[0].name : NULL, start);
  atomic_store_explicit(&binary->kernels, kernels, memory_order_release);
  return KILN_OK;
}

// A driver may refuse what was made for it earlier (it was updated, or the machine is another): compiles once more.
static enum kiln_status load_rebuilt(struct kiln_program *program, struct kiln_drv *drv, enum kiln_status refused) {
  struct kiln_binary *binary = program->binary;
  bool from_cache = program->outcome == KILN_CACHE_HIT_MEMORY || program->outcome == KILN_CACHE_HIT_DISK;
  if (!from_cache || atomic_load(&binary->entry) != binary->first || refused == KILN_ERR_UNAVAILABLE ||
      refused == KILN_ERR_MEMORY || refused == KILN_ERR_IO || !may_compile(program->ctx))
    return refused;
  kiln_context_log(program->ctx, KILN_LOG_INFO, "'%s' is compiled again, since the cached code cannot be loaded: %s",
                   program->source.name, kiln_last_error());
  struct kiln_cache_entry *entry;
  enum kiln_status status = compile_privately(program, &entry);
  if (status != KILN_OK)
    return status;
  atomic_store(&binary->entry, entry);
  return load(program->ctx, drv, binary);
}

enum kiln_status kiln_kernel_load(struct kiln_kernel *kernel, struct kiln_drv_kernel **out) {
  struct kiln_program *program = kernel->program;
  struct kiln_binary *binary = program->binary;
  struct kiln_drv_kernel **kernels = atomic_load_explicit(&binary->kernels, memory_order_acquire);
  enum kiln_status status = KILN_OK;
  if (!kernels) {
    struct kiln_drv *drv;
    status = kiln_context_driver(program->ctx, &drv);
    if (status != KILN_OK)
      return status;
    pthread_mutex_lock(&binary->lock);
    if (!atomic_load(&binary->kernels)) {
      status = load(program->ctx, drv, binary);
      if (status != KILN_OK)
        status = load_rebuilt(program, drv, status);
    }
    kernels = atomic_load(&binary->kernels);
    pthread_mutex_unlock(&binary->lock);
  }
  if (status == KILN_OK)
    *out = kernels[kernel->index];
  return status;
}

// ---- life ----------------------------------------------------------------------------------------------------------

static void destroy(struct kiln_program *program) {
  struct kiln_context *ctx = program->ctx;
  for (struct kiln_program *variant = program->variants, *next; variant; variant = next) {
    next = variant->next_variant;
    kiln_program_release(variant);
  }
  kiln_tuned_free(program);
  kiln_formats_free(program);
  if (program->binary)
    kiln_retire(ctx, &program->binary->uses, program->binary->first->artifact.size, &binaries, program->binary);
  free(program->log);
  kiln_saved_release(program->saved);
  free(program->override);
  free(program->storage);
  free(program);
  kiln_context_unref(ctx);
}

// A program with its source, but without code.
static enum kiln_status new_program(struct kiln_context *ctx, const struct kiln_program_desc *desc,
                                    struct kiln_program **out) {
  enum kiln_status status = check_desc(desc);
  if (status != KILN_OK)
    return status;
  struct kiln_program *program = calloc(1, sizeof *program);
  if (!program)
    return kiln_error_memory();
  program->refs = 1;
  program->ctx = ctx;
  kiln_context_ref(ctx);
  status = desc->kind == KILN_SOURCE_MODULE ? keep_module(program, desc) : keep_source(program, desc);
  if (status != KILN_OK)
    destroy(program);
  else
    *out = program;
  return status;
}

enum kiln_status kiln_program_create_from(struct kiln_context *ctx, const struct kiln_program_desc *desc,
                                          const struct kiln_origin *origin, struct kiln_program **out) {
  struct kiln_program *program;
  enum kiln_status status = new_program(ctx, desc, &program);
  if (status != KILN_OK)
    return status;
  program->source.recorded = origin->recorded;
  program->source.is_object = origin->is_object;
  program->is_trial = origin->is_trial;
  program->saved = origin->saved;
  kiln_saved_retain(origin->saved);
  uint64_t start = kiln_trace_begin(ctx);
  struct kiln_floats floats = kiln_floats_enter();
  status = build(program, origin);
  kiln_floats_leave(floats);
  if (start) {
    kiln_trace_span(ctx, "compile", origin->is_object ? "object" : "program", program->source.name, start);
    kiln_trace_flush(ctx);
  }
  if (status != KILN_OK)
    destroy(program);
  else
    *out = program;
  return status;
}

enum kiln_status kiln_program_create(struct kiln_context *ctx, const struct kiln_program_desc *desc,
                                     struct kiln_program **out) {
  if (!ctx || !desc || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_program_create: %s is NULL", !ctx ? "ctx" : !desc ? "desc" : "out");
  return kiln_program_create_from(ctx, desc, &(struct kiln_origin){0}, out);
}

enum kiln_status kiln_program_request(struct kiln_context *ctx, const struct kiln_program_desc *desc,
                                      const struct kiln_recorded *recorded, struct kiln_lookup *out) {
  memset(out, 0, sizeof *out);
  enum kiln_status status = new_program(ctx, desc, &out->program);
  if (status != KILN_OK)
    return status;
  out->program->source.recorded = recorded;
  struct build b;
  status = build_init(&b, out->program);
  kiln_report_free(&b.report);
  out->options = b.options;
  out->request = b.request;
  out->request.request.key = &out->request.key;
  if (out->request.request.toolchain)
    out->request.request.toolchain = &out->request.toolchain;
  if (status != KILN_OK)
    kiln_lookup_free(out);
  return status;
}

enum kiln_status kiln_program_look_up(struct kiln_context *ctx, const struct kiln_program_desc *desc,
                                      struct kiln_lookup *out) {
  enum kiln_status status = kiln_program_request(ctx, desc, NULL, out);
  if (status != KILN_OK)
    return status;
  out->request.request.trace = &out->trace;
  struct kiln_cache_flight *flight = NULL;
  if (kiln_cache_find(ctx->cache, &out->request.request, &out->entry, &flight) == KILN_FIND_FAILED)
    status = kiln_error_memory();
  out->request.request.trace = NULL;
  kiln_cache_abandon(flight);
  if (status != KILN_OK)
    kiln_lookup_free(out);
  return status;
}

void kiln_lookup_free(struct kiln_lookup *lookup) {
  kiln_cache_entry_release(lookup->entry);
  free(lookup->trace.details);
  kiln_store_request_free(&lookup->request);
  kiln_options_free(&lookup->options);
  kiln_program_release(lookup->program);
  memset(lookup, 0, sizeof *lookup);
}

void kiln_program_retain(struct kiln_program *program) {
  if (program)
    atomic_fetch_add(&program->refs, 1);
}

void kiln_program_release(struct kiln_program *program) {
  if (program && atomic_fetch_sub(&program->refs, 1) == 1)
    destroy(program);
}

// ---- questions -----------------------------------------------------------------------------------------------------

const char *kiln_program_log(const struct kiln_program *program) { return program && program->log ? program->log : ""; }

void kiln_program_info(const struct kiln_program *program, struct kiln_program_info *out) {
  if (!program || !out)
    return;
  const struct kiln_binary *binary = program->binary;
  const struct kiln_cache_entry *entry = atomic_load(&binary->entry);
  bool loaded = atomic_load_explicit(&binary->kernels, memory_order_acquire) != NULL;
  *out = (struct kiln_program_info){.kernel_count = binary->reflection.kernel_count,
                                    .cache = program->outcome,
                                    .key = binary->first->key,
                                    .front_ms = program->front_ms,
                                    .back_ms = program->back_ms,
                                    .lookup_ms = program->lookup_ms,
                                    .load_ms = loaded ? binary->load_ms : 0,
                                    .artifact = entry->artifact.data,
                                    .artifact_size = entry->artifact.size,
                                    .artifact_extension = program->ctx->backend->artifact_extension};
}

const char *kiln_program_kernel_name(const struct kiln_program *program, uint32_t index) {
  return program && index < program->binary->reflection.kernel_count ? program->binary->reflection.kernels[index].name
                                                                     : NULL;
}
