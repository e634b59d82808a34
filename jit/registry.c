// Registration and lookup of backends.
#include "jit/registry.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Tables end here at the least: what follows is optional, and NULL in a backend that was built against a header of the
// same ABI version in which they were shorter.
#define BACKEND_MIN_SIZE offsetof(struct kiln_base_backend, start_stages)
#define DRIVER_MIN_SIZE offsetof(struct kiln_driver, runtime)

// Copies of a backend's tables that are as long as the rest of the library reads them.
struct tables {
  struct kiln_base_backend backend;
  struct kiln_driver driver;
};

bool kiln_tags_have(const char *tags, const char *tag) {
  size_t size = strlen(tag);
  for (const char *p = tags ? tags : ""; *p;) {
    size_t n = strcspn(p, ",");
    if (n == size && memcmp(p, tag, n) == 0)
      return true;
    p += n + (p[n] == ',');
  }
  return false;
}

bool kiln_tags_hide(const char *tags) { return kiln_tags_have(tags, "debug") || kiln_tags_have(tags, "experimental"); }

bool kiln_backend_has_tag(const struct kiln_base_backend *backend, const char *tag) {
  return kiln_tags_have(backend->tags, tag);
}

bool kiln_backend_good_name(const char *name) {
  size_t size = name ? strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") : 0;
  return size > 0 && size < sizeof((struct kiln_registry_entry *)0)->name && !name[size];
}

// ---- checks of a table ---------------------------------------------------------------------------------------------

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
  for (uint32_t i = 0; i < b->option_count; i++) {
    const struct kiln_option *option = &b->options[i];
    if (!option->name || !*option->name || !option->default_value)
      return "the name or default value of an option";
  }
  return NULL;
}

// The first required function of a driver that is missing, or NULL.
static const char *missing_driver_function(const struct kiln_driver *driver) {
#define SLOT(member)                                                                                                   \
  { #member, offsetof(struct kiln_driver, member) }
  static const struct {
    const char *name;
    size_t offset;
  } slots[] = {SLOT(open),          SLOT(close),          SLOT(device_count), SLOT(device_info), SLOT(alloc),
               SLOT(free),          SLOT(host_pointer),   SLOT(load),         SLOT(unload),      SLOT(kernel),
               SLOT(stream_create), SLOT(stream_destroy), SLOT(finish),       SLOT(write),       SLOT(read),
               SLOT(copy),          SLOT(fill),           SLOT(wait),         SLOT(prepare),     SLOT(launch_release),
               SLOT(launch),        SLOT(event_wait),     SLOT(event_done),   SLOT(event_times), SLOT(event_release)};
#undef SLOT
  static const char none[sizeof(void (*)(void))];
  for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
    if (memcmp((const char *)driver + slots[i].offset, none, sizeof none) == 0)
      return slots[i].name;
  }
  return NULL;
}

static enum kiln_status check_driver_table(const struct kiln_base_backend *backend) {
  const struct kiln_driver *driver = backend->driver;
  if (driver && (driver->abi_version != KILN_BACKEND_ABI || driver->struct_size < DRIVER_MIN_SIZE ||
                 driver->struct_size > sizeof *driver))
    return kiln_error(KILN_ERR_INVALID, "the driver of backend '%s' was built for another version of the backend ABI",
                      backend->name);
  return KILN_OK;
}

static enum kiln_status check_tables(const struct kiln_base_backend *backend) {
  if (backend->abi_version != KILN_BACKEND_ABI)
    return kiln_error(KILN_ERR_INVALID, "a backend was built for version %u of the backend ABI, and this is version %u",
                      (unsigned)backend->abi_version, KILN_BACKEND_ABI);
  if (backend->struct_size < BACKEND_MIN_SIZE || backend->struct_size > sizeof *backend)
    return kiln_error(KILN_ERR_INVALID, "a backend's table has %u bytes, and %zu to %zu are %s",
                      (unsigned)backend->struct_size, BACKEND_MIN_SIZE, sizeof *backend,
                      backend->struct_size > sizeof *backend ? "known here: it was built for a later Kiln" : "needed");
  if (!kiln_backend_good_name(backend->name))
    return kiln_error(KILN_ERR_INVALID,
                      "a backend's name '%s' is not made of up to 31 lower-case letters, digits, '-' and '_'",
                      backend->name ? backend->name : "");
  return check_driver_table(backend);
}

static enum kiln_status check_functions(const struct kiln_base_backend *backend) {
  const char *missing = missing_function(backend);
  if (missing)
    return kiln_error(KILN_ERR_INVALID, "backend '%s' lacks %s", backend->name, missing);
  if (!backend->driver)
    return KILN_OK;
  missing = missing_driver_function(backend->driver);
  return missing ? kiln_error(KILN_ERR_INVALID, "the driver of backend '%s' lacks %s", backend->name, missing)
                 : KILN_OK;
}

// ---- entries --------------------------------------------------------------------------------------------------------

struct kiln_registry_entry *kiln_registry_new_entry(struct kiln_registry *registry, const char *name) {
  if (registry->count == registry->capacity) {
    uint32_t capacity = registry->capacity ? registry->capacity * 2 : 8;
    struct kiln_registry_entry *entries = realloc(registry->entries, capacity * sizeof *entries);
    if (!entries) {
      kiln_error_memory();
      return NULL;
    }
    registry->entries = entries;
    registry->capacity = capacity;
  }
  struct kiln_registry_entry *entry = &registry->entries[registry->count++];
  memset(entry, 0, sizeof *entry);
  strncpy(entry->name, name, sizeof entry->name - 1);
  return entry;
}

enum kiln_status kiln_registry_adopt(struct kiln_registry_entry *entry, const struct kiln_base_backend *backend) {
  enum kiln_status status = check_tables(backend);
  if (status != KILN_OK)
    return status;
  struct tables *tables = calloc(1, sizeof *tables);
  if (!tables)
    return kiln_error_memory();
  struct kiln_base_backend *table = &tables->backend;
  memcpy(table, backend, backend->struct_size);
  if (table->driver) {
    memcpy(&tables->driver, table->driver, table->driver->struct_size);
    table->driver = &tables->driver;
  }
  status = check_functions(table);
  if (status != KILN_OK) {
    free(tables);
    return status;
  }
  if (!table->tags)
    table->tags = "";
  if (!table->description)
    table->description = "";
  entry->tables = tables;
  entry->backend = table;
  return KILN_OK;
}

static void remove_last(struct kiln_registry *registry) { registry->count--; }

enum kiln_status kiln_registry_add(struct kiln_registry *registry, const struct kiln_base_backend *backend) {
  enum kiln_status status = check_tables(backend);
  if (status != KILN_OK)
    return status;
  for (uint32_t i = 0; i < registry->count; i++) {
    if (strcmp(registry->entries[i].name, backend->name) == 0)
      return kiln_error(KILN_ERR_INVALID, "there is a backend '%s' already", backend->name);
  }
  struct kiln_registry_entry *entry = kiln_registry_new_entry(registry, backend->name);
  if (!entry)
    return KILN_ERR_MEMORY;
  bool is_whole = backend->struct_size == sizeof *backend &&
                  (!backend->driver || backend->driver->struct_size == sizeof *backend->driver);
  if (is_whole) { // no copy is needed
    status = check_functions(backend);
    entry->backend = backend;
  } else {
    status = kiln_registry_adopt(entry, backend);
  }
  if (status != KILN_OK)
    remove_last(registry);
  return status;
}

enum kiln_status kiln_registry_init(struct kiln_registry *registry, const struct kiln_env *env) {
  memset(registry, 0, sizeof *registry);
  for (const struct kiln_base_backend *const *b = kiln_builtin_backends; *b; b++) {
    enum kiln_status status = kiln_registry_add(registry, *b);
    if (status != KILN_OK) {
      kiln_registry_free(registry);
      return status;
    }
    registry->entries[registry->count - 1].builtin = true;
  }
  registry->discover = env != NULL;
  enum kiln_status trust = env ? kiln_env_trust(env, &registry->trust) : KILN_OK;
  if (trust != KILN_OK) {
    kiln_registry_free(registry);
    return trust;
  }
  if (env && env->values[KILN_ENV_PLUGIN_PATH]) {
    registry->plugin_path = strdup(env->values[KILN_ENV_PLUGIN_PATH]);
    if (!registry->plugin_path) {
      kiln_registry_free(registry);
      return kiln_error_memory();
    }
  }
  return KILN_OK;
}

const struct kiln_registry_entry *kiln_registry_entry_of(const struct kiln_registry *registry,
                                                         const struct kiln_base_backend *backend) {
  for (uint32_t i = 0; i < registry->count; i++) {
    if (registry->entries[i].backend == backend)
      return &registry->entries[i];
  }
  return NULL;
}

// ---- lookup ---------------------------------------------------------------------------------------------------------

static struct kiln_registry_entry *find(struct kiln_registry *registry, const char *name) {
  for (uint32_t i = 0; i < registry->count; i++) {
    struct kiln_registry_entry *entry = &registry->entries[i];
    if (strcmp(entry->name, name) == 0) // the first one: a later one of that name has a problem
      return entry;
  }
  return NULL;
}

static enum kiln_status not_found(const struct kiln_registry *registry, const char *name) {
  struct kiln_strbuf text = {0};
  for (uint32_t i = 0; i < registry->count; i++) {
    const struct kiln_registry_entry *entry = &registry->entries[i];
    kiln_strbuf_printf(&text, "%s%s", i ? ", " : "", entry->name);
    if (entry->problem)
      kiln_strbuf_printf(&text, " (cannot be loaded: %s)", entry->problem);
  }
  kiln_error(KILN_ERR_NOT_FOUND, "there is no backend '%s'; there are: %s", name, text.data ? text.data : "none");
  kiln_strbuf_free(&text);
  return KILN_ERR_NOT_FOUND;
}

enum kiln_status kiln_registry_find(struct kiln_registry *registry, const char *name,
                                    const struct kiln_base_backend **out) {
  struct kiln_registry_entry *entry = find(registry, name);
  enum kiln_status status = KILN_OK;
  if (!entry) {
    status = kiln_registry_discover(registry);
    entry = status == KILN_OK ? find(registry, name) : NULL;
  }
  if (status == KILN_OK && !entry)
    return not_found(registry, name);
  if (status == KILN_OK)
    status = kiln_registry_load(registry, entry);
  if (status == KILN_OK)
    *out = entry->backend;
  return status;
}

const struct kiln_base_backend *kiln_interpreter(void) {
  for (const struct kiln_base_backend *const *b = kiln_builtin_backends; *b; b++) {
    // It is the one whose artifacts are the kernel IR itself.
    if ((*b)->compile && (*b)->driver && (*b)->artifact_extension && strcmp((*b)->artifact_extension, "kir") == 0)
      return *b;
  }
  return NULL;
}
