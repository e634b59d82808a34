// The backends that exist: one source of truth. A registry belongs to its context; there is no global one.
#ifndef KILN_JIT_REGISTRY_H
#define KILN_JIT_REGISTRY_H

#include "base/hash.h"
#include "jit/env.h"
#include "jit/report.h"
#include "kiln/backend.h"

// The backends that are linked into the library, in the order of listings; ends with NULL. The library's root links
// jit and backends together; nothing under jit knows a backend by name.
extern const struct kiln_base_backend *const kiln_builtin_backends[];

struct kiln_registry_entry {
  char name[32];
  const struct kiln_base_backend *backend; // NULL: not loaded yet, or it could not be loaded
  char *problem;                           // why it could not; NULL: nothing is known against it
  bool builtin;                            // part of this library
  void *tables;                            // copies as long as this library's, of the tables of a plugin or of the host
  // Plugins: what the file beside it says, and what was loaded.
  char *path; // of the shared object; NULL: it is no plugin
  char *description, *tags;
  int32_t preference;
  bool by_user; // COMPILE_PLUGIN_PATH led to it: its file must be trusted
  void *handle;
  struct kiln_hash128 digest; // of the shared object, once it is loaded
};

struct kiln_registry {
  struct kiln_registry_entry *entries;
  uint32_t count, capacity;
  char *plugin_path;       // COMPILE_PLUGIN_PATH; NULL: none
  struct kiln_trust trust; // COMPILE_TRUST
  bool discover;           // plugins are wanted, and have not been looked for yet
};

// Registers the built-in backends. Plugins are looked for when one is asked for: env says where (NULL: nowhere).
enum kiln_status kiln_registry_init(struct kiln_registry *registry, const struct kiln_env *env);
// Unloads the plugins: nothing of them may be in use.
void kiln_registry_free(struct kiln_registry *registry);

// INVALID for another ABI version, a bad name, missing functions, or a name that is taken.
enum kiln_status kiln_registry_add(struct kiln_registry *registry, const struct kiln_base_backend *backend);
// Loads the plugin of that name when it is one. NOT_FOUND lists what exists, and why what does not work does not.
enum kiln_status kiln_registry_find(struct kiln_registry *registry, const char *name,
                                    const struct kiln_base_backend **out);
// Adds entries for the plugins that there are. Loads none.
enum kiln_status kiln_registry_discover(struct kiln_registry *registry);
// Loads the plugin of an entry, if it is one and has not been loaded. On failure the entry keeps the problem.
enum kiln_status kiln_registry_load(struct kiln_registry *registry, struct kiln_registry_entry *entry);
// The entry of a loaded backend.
const struct kiln_registry_entry *kiln_registry_entry_of(const struct kiln_registry *registry,
                                                         const struct kiln_base_backend *backend);

// ---- for plugin.c ---------------------------------------------------------------------------------------------------

bool kiln_backend_good_name(const char *name);
// A zeroed entry; NULL when memory is exhausted. Entries may move.
struct kiln_registry_entry *kiln_registry_new_entry(struct kiln_registry *registry, const char *name);
// Checks a table and makes it the entry's.
enum kiln_status kiln_registry_adopt(struct kiln_registry_entry *entry, const struct kiln_base_backend *backend);

// Whether comma-separated tags hold one.
bool kiln_tags_have(const char *tags, const char *tag);
bool kiln_backend_has_tag(const struct kiln_base_backend *backend, const char *tag);
// Debug and experimental backends are left out of default listings and of the automatic choice.
bool kiln_tags_hide(const char *tags);

#endif
