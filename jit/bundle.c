// Export and import of programs in memory.
#include <errno.h>
#include <stdlib.h>

#include "cache/bundle.h"
#include "cache/tune.h"
#include "jit/context.h"
#include "jit/store.h"

struct export {
  struct kiln_cache *cache;
  struct kiln_bundle_builder builder;
};

static void add_entry(void *user, struct kiln_cache_entry *entry) {
  struct export *export = user;
  (void)kiln_cache_bundle_add(export->cache, &export->builder, entry); // one that memory has is sound
}

enum kiln_status kiln_context_export(struct kiln_context *ctx, void **bundle, size_t *size) {
  if (!ctx || !bundle || !size)
    return kiln_error(KILN_ERR_INVALID, "kiln_context_export: %s is NULL", !ctx ? "ctx" : !bundle ? "bundle" : "size");
  struct export export = {.cache = ctx->cache, .builder = {.fd = -1}};
  char *data;
  size_t bytes;
  bool ok = kiln_cache_visit_memory(ctx->cache, add_entry, &export) &&
            kiln_tune_visit_memory(ctx->cache, add_entry, &export) &&
            kiln_bundle_finish(&export.builder, &data, &bytes) == 0;
  kiln_bundle_builder_free(&export.builder);
  if (!ok)
    return kiln_error_memory();
  *bundle = data;
  *size = bytes;
  return KILN_OK;
}

enum kiln_status kiln_context_import(struct kiln_context *ctx, const void *bundle, size_t size) {
  if (!ctx || !bundle)
    return kiln_error(KILN_ERR_INVALID, "kiln_context_import: %s is NULL", ctx ? "bundle" : "ctx");
  if (ctx->cache_off)
    return kiln_error(KILN_ERR_INVALID, "kiln_context_import: the cache is off");
  const char *problem = kiln_cache_attach(ctx->cache, bundle, size);
  if (!problem)
    return KILN_OK;
  return kiln_error(problem == kiln_bundle_no_memory ? KILN_ERR_MEMORY : KILN_ERR_INVALID,
                    "the bundle cannot be imported: %s", problem);
}
