// Programs as bytes: the record of the request, as in a manifest, and a bundle of the code:
//
//   "KILNPRG1" record_size:u64 record bundle
//
// The record begins at a multiple of 16 bytes, as does the bundle. A loaded program is looked up in its bundle as it
// would be in a cache, so whatever can be found there is.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cache/bundle.h"
#include "jit/program.h"
#include "jit/record.h"

#define MAGIC "KILNPRG1"
#define HEAD 16

struct kiln_saved {
  _Atomic uint32_t refs; // one per program
  struct kiln_recorded_list list;
  struct kiln_cache *cache;
};

void kiln_saved_retain(struct kiln_saved *saved) {
  if (saved)
    atomic_fetch_add(&saved->refs, 1);
}

void kiln_saved_release(struct kiln_saved *saved) {
  if (!saved || atomic_fetch_sub(&saved->refs, 1) != 1)
    return;
  if (saved->cache)
    kiln_cache_close(saved->cache);
  kiln_recorded_list_free(&saved->list);
  free(saved);
}

struct kiln_cache *kiln_saved_cache(const struct kiln_saved *saved) {
  return saved->cache;
}

// ---- saving --------------------------------------------------------------------------------------------------------

static enum kiln_status write_record(struct kiln_program *program, struct kiln_strbuf *out) {
  struct kiln_context *ctx = program->ctx;
  struct kiln_report report = kiln_context_report(ctx);
  struct kiln_build_options options;
  struct kiln_store_request request;
  enum kiln_status status = kiln_options_parse(program->options, ctx->backend, &options);
  if (status != KILN_OK)
    return status;
  status = kiln_store_request_init(ctx, &ctx->target, &program->source, &options, &report, &request);
  if (status == KILN_OK) {
    status = kiln_record_write(ctx, &request, program->options, program->binary->first, out);
    kiln_store_request_free(&request);
  }
  kiln_options_free(&options);
  kiln_report_free(&report);
  return status;
}

// The program, its variants, and those of a variant for the formats of images.
static void add(struct kiln_bundle_builder *builder, const struct kiln_program *program) {
  (void)kiln_bundle_add(builder,
                        kiln_cache_entry_image(kiln_binary_shipped(program->binary))); // one that memory has is sound
  for (struct kiln_program *variant = atomic_load(&program->variants); variant; variant = variant->next_variant)
    add(builder, variant);
}

static enum kiln_status write_bundle(struct kiln_program *program, bool any_format, char **out, size_t *size) {
  struct kiln_bundle_builder builder = {.fd = -1};
  struct kiln_program *shipped;
  enum kiln_status status = kiln_program_shipped_variant(program, &shipped); // becomes one of those that are added
  if (status == KILN_OK && any_format)
    status = kiln_program_any_format(program, &shipped);
  if (status != KILN_OK)
    return status;
  add(&builder, program);
  if (kiln_bundle_finish(&builder, out, size) != 0)
    status = kiln_error_memory();
  kiln_bundle_builder_free(&builder);
  return status;
}

static enum kiln_status save(const char *call, struct kiln_program *program, bool any_format, void **out_data,
                             size_t *out_size) {
  if (!program || !out_data || !out_size)
    return kiln_error(KILN_ERR_INVALID, "%s: %s is NULL", call,
                      !program    ? "program"
                      : !out_data ? "out_data"
                                  : "out_size");
  if (program->source.start_stage)
    return kiln_error(KILN_ERR_UNSUPPORTED, "'%s' begins at stage '%s' and cannot be saved", program->source.name,
                      program->source.start_stage);
  struct kiln_strbuf record = {0}, all = {0};
  char *bundle = NULL;
  size_t bundle_size;
  enum kiln_status status = write_record(program, &record);
  if (status == KILN_OK)
    status = write_bundle(program, any_format, &bundle, &bundle_size);
  if (status == KILN_OK) {
    while (record.size % HEAD)
      kiln_strbuf_putc(&record, '\n');
    uint64_t record_size = record.size;
    kiln_strbuf_append(&all, MAGIC, sizeof MAGIC - 1);
    kiln_strbuf_append(&all, &record_size, sizeof record_size);
    kiln_strbuf_append(&all, record.data, record.size);
    kiln_strbuf_append(&all, bundle, bundle_size);
    *out_size = all.size;
    char *data = record.failed || all.failed ? NULL : kiln_strbuf_take(&all);
    if (data)
      *out_data = data;
    else
      status = kiln_error_memory();
  }
  kiln_strbuf_free(&record);
  kiln_strbuf_free(&all);
  free(bundle);
  return status;
}

enum kiln_status kiln_program_save(struct kiln_program *program, void **out_data, size_t *out_size) {
  return save("kiln_program_save", program, true, out_data, out_size);
}

enum kiln_status kiln_program_save_known(struct kiln_program *program, void **out_data, size_t *out_size) {
  return save("kiln_program_save_known", program, false, out_data, out_size);
}

// ---- loading -------------------------------------------------------------------------------------------------------

static enum kiln_status damaged(const char *why) {
  return kiln_error(KILN_ERR_INVALID, "kiln_program_load: the data is no saved program, or damaged: %s", why);
}

static enum kiln_status read_saved(const unsigned char *data, size_t size, struct kiln_saved *saved) {
  uint64_t record_size = 0;
  if (size < HEAD || memcmp(data, MAGIC, sizeof MAGIC - 1) != 0)
    return damaged("it does not begin with '" MAGIC "'");
  memcpy(&record_size, data + sizeof MAGIC - 1, sizeof record_size);
  if (record_size > size - HEAD || record_size % HEAD)
    return damaged("its record has a wrong size");
  enum kiln_status status = kiln_manifest_read("<saved program>", (const char *)data + HEAD, record_size, &saved->list);
  if (status == KILN_ERR_INVALID || (status == KILN_OK && (saved->list.count != 1 || saved->list.items[0].open)))
    return damaged("its record cannot be read");
  if (status != KILN_OK)
    return status;
  saved->cache = kiln_cache_open(&(struct kiln_cache_config){.mode = KILN_CACHE_MODE_REQUIRE});
  if (!saved->cache)
    return kiln_error_memory();
  const char *problem = kiln_cache_attach(saved->cache, data + HEAD + record_size, size - HEAD - record_size);
  if (problem == kiln_bundle_no_memory)
    return kiln_error_memory();
  return problem ? damaged(problem) : KILN_OK;
}

static enum kiln_status make_program(struct kiln_context *ctx, struct kiln_saved *saved, struct kiln_program **out) {
  const struct kiln_recorded *r = &saved->list.items[0];
  struct kiln_origin origin = {.recorded = r, .saved = saved, .only_saved = true};
  struct kiln_program_desc desc;
  enum kiln_status status = kiln_recorded_desc(r, &desc);
  if (status != KILN_OK)
    return status;
  status = kiln_program_create_from(ctx, &desc, &origin, out);
  free((void *)(uintptr_t)desc.headers);
  if (status == KILN_ERR_NOT_CACHED)
    return kiln_error(KILN_ERR_UNSUPPORTED,
                      "'%s' was saved for target %s %s, or by another version of Kiln; this context's is %s", r->name,
                      r->backend, r->arch, ctx->label);
  return status;
}

enum kiln_status kiln_program_load(struct kiln_context *ctx, const void *data, size_t size, struct kiln_program **out) {
  if (!ctx || !data || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_program_load: %s is NULL", !ctx ? "ctx" : !data ? "data" : "out");
  struct kiln_saved *saved = calloc(1, sizeof *saved);
  if (!saved)
    return kiln_error_memory();
  saved->refs = 1;
  enum kiln_status status = read_saved(data, size, saved);
  if (status == KILN_OK && strcmp(saved->list.items[0].backend, ctx->backend->name) != 0)
    status = kiln_error(KILN_ERR_UNSUPPORTED, "'%s' was saved for backend '%s'; this context's is '%s'",
                        saved->list.items[0].name, saved->list.items[0].backend, ctx->backend->name);
  if (status == KILN_OK)
    status = make_program(ctx, saved, out);
  kiln_saved_release(saved);
  return status;
}
