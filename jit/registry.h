// The backends that exist: one source of truth. A registry belongs to its context; there is no global one.
#ifndef KILN_JIT_REGISTRY_H
#define KILN_JIT_REGISTRY_H

#include "jit/env.h"
#include "jit/report.h"
#include "kiln/backend.h"

// The backends that are linked into the library, in the order of listings; ends with NULL. The library's root links
// jit and backends together; nothing under jit knows a backend by name.
extern const struct kiln_base_backend *const kiln_builtin_backends[];

struct kiln_registry_entry {
  char name[32];
  const struct kiln_base_backend *backend; // NULL: it could not be loaded
  char *problem;                           // why it could not
};

struct kiln_registry {
  struct kiln_registry_entry *entries;
  uint32_t count, capacity;
};

// Registers the built-in backends.
enum kiln_status kiln_registry_init(struct kiln_registry *registry);
void kiln_registry_free(struct kiln_registry *registry);

// INVALID for another ABI version, a bad name, missing functions, or a name that is taken.
enum kiln_status kiln_registry_add(struct kiln_registry *registry, const struct kiln_base_backend *backend);
// NOT_FOUND lists what exists, and why what does not work does not.
enum kiln_status kiln_registry_find(const struct kiln_registry *registry, const char *name,
                                    const struct kiln_base_backend **out);

// Whether the comma-separated tags of a backend hold one.
bool kiln_backend_has_tag(const struct kiln_base_backend *backend, const char *tag);
// Debug and experimental backends are left out of default listings and of the automatic choice.
bool kiln_backend_is_hidden(const struct kiln_base_backend *backend);

#endif
