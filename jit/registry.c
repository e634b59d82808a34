// Registration and lookup of backends.
#include "jit/registry.h"

#include <stdlib.h>
#include <string.h>

bool kiln_backend_has_tag(const struct kiln_base_backend *backend, const char *tag) {
  size_t size = strlen(tag);
  for (const char *p = backend->tags ? backend->tags : ""; *p;) {
    size_t n = strcspn(p, ",");
    if (n == size && memcmp(p, tag, n) == 0)
      return true;
    p += n + (p[n] == ',');
  }
  return false;
}

bool kiln_backend_is_hidden(const struct kiln_base_backend *backend) {
  return kiln_backend_has_tag(backend, "debug") || kiln_backend_has_tag(backend, "experimental");
}

static bool good_name(const char *name) {
  size_t size = name ? strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") : 0;
  return size > 0 && size < sizeof((struct kiln_registry_entry *)0)->name && !name[size];
}

// The first required function that is missing, or NULL.
static const char *missing_function(const struct kiln_base_backend *b) {
  if (!b->make_target || !b->detect_target || !b->supports_target || !b->list_targets || !b->caps)
    return "one of make_target, detect_target, supports_target, list_targets, caps";
  if (b->compile && (!b->hash || !b->pipeline_fragments || !b->artifact_extension))
    return "hash, pipeline_fragments or artifact_extension, which a compiler needs";
  if (!b->compile && !b->driver)
    return "both compile and driver";
  if (b->option_count && !b->options)
    return "the option table";
  return NULL;
}

enum kiln_status kiln_registry_add(struct kiln_registry *registry, const struct kiln_base_backend *backend) {
  if (backend->abi_version != KILN_BACKEND_ABI)
    return kiln_error(KILN_ERR_INVALID, "a backend was built for version %u of the backend ABI, and this is version %u",
                      (unsigned)backend->abi_version, KILN_BACKEND_ABI);
  if (backend->struct_size < sizeof *backend)
    return kiln_error(KILN_ERR_INVALID, "a backend's table has %u bytes, and %zu are needed",
                      (unsigned)backend->struct_size, sizeof *backend);
  if (!good_name(backend->name))
    return kiln_error(KILN_ERR_INVALID,
                      "a backend's name '%s' is not made of up to 31 lower-case letters, digits, '-' and '_'",
                      backend->name ? backend->name : "");
  for (uint32_t i = 0; i < registry->count; i++) {
    if (strcmp(registry->entries[i].name, backend->name) == 0)
      return kiln_error(KILN_ERR_INVALID, "there is a backend '%s' already", backend->name);
  }
  const char *missing = missing_function(backend);
  if (missing)
    return kiln_error(KILN_ERR_INVALID, "backend '%s' lacks %s", backend->name, missing);
  const struct kiln_driver *driver = backend->driver;
  if (driver && (driver->abi_version != KILN_BACKEND_ABI || driver->struct_size < sizeof *driver))
    return kiln_error(KILN_ERR_INVALID, "the driver of backend '%s' was built for another version of the backend ABI",
                      backend->name);
  if (registry->count == registry->capacity) {
    uint32_t capacity = registry->capacity ? registry->capacity * 2 : 8;
    struct kiln_registry_entry *entries = realloc(registry->entries, capacity * sizeof *entries);
    if (!entries)
      return kiln_error_memory();
    registry->entries = entries;
    registry->capacity = capacity;
  }
  struct kiln_registry_entry *entry = &registry->entries[registry->count++];
  memset(entry, 0, sizeof *entry);
  strcpy(entry->name, backend->name);
  entry->backend = backend;
  return KILN_OK;
}

enum kiln_status kiln_registry_init(struct kiln_registry *registry) {
  memset(registry, 0, sizeof *registry);
  for (const struct kiln_base_backend *const *b = kiln_builtin_backends; *b; b++) {
    enum kiln_status status = kiln_registry_add(registry, *b);
    if (status != KILN_OK) {
      kiln_registry_free(registry);
      return status;
    }
  }
  return KILN_OK;
}

void kiln_registry_free(struct kiln_registry *registry) {
  for (uint32_t i = 0; i < registry->count; i++)
    free(registry->entries[i].problem);
  free(registry->entries);
  memset(registry, 0, sizeof *registry);
}

enum kiln_status kiln_registry_find(const struct kiln_registry *registry, const char *name,
                                    const struct kiln_base_backend **out) {
  struct kiln_strbuf text = {0};
  for (uint32_t i = 0; i < registry->count; i++) {
    const struct kiln_registry_entry *entry = &registry->entries[i];
    if (strcmp(entry->name, name) == 0 && entry->backend) {
      kiln_strbuf_free(&text);
      *out = entry->backend;
      return KILN_OK;
    }
    kiln_strbuf_printf(&text, "%s%s", i ? ", " : "", entry->name);
    if (!entry->backend)
      kiln_strbuf_printf(&text, " (could not be loaded: %s)", entry->problem ? entry->problem : "no reason known");
  }
  kiln_error(KILN_ERR_NOT_FOUND, "there is no backend '%s'; there are: %s", name, text.data ? text.data : "none");
  kiln_strbuf_free(&text);
  return KILN_ERR_NOT_FOUND;
}
