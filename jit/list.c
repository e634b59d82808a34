// Listings for tools: version, backends, targets. They need no context.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/floats.h"
#include "jit/ask.h"
#include "jit/registry.h"

#define TEXT(x) #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

enum { TARGET_NAME = sizeof(struct kiln_target) }; // room for arch and features

const char *kiln_version(void) { return VERSION(KILN_VERSION_MAJOR, KILN_VERSION_MINOR, KILN_VERSION_PATCH); }

void kiln_free(void *data) { free(data); }

static void list_one(const struct kiln_env *env, const struct kiln_registry_entry *entry, kiln_backend_fn *fn,
                     void *user) {
  const struct kiln_base_backend *backend = entry->backend;
  if (!backend) {
    bool loadable = !entry->problem;
    fn(user, &(struct kiln_backend_info){.name = entry->name,
                                         .description = entry->description ? entry->description : "",
                                         .tags = entry->tags ? entry->tags : "",
                                         .available = loadable,
                                         .reason = loadable ? "" : entry->problem,
                                         .default_target = "",
                                         .plugin = entry->path ? entry->path : ""});
    return;
  }
  struct kiln_report report = {0};
  char name[TARGET_NAME] = "";
  bool available = kiln_ask_target(env, entry, name, sizeof name, &report) == KILN_OK;
  fn(user, &(struct kiln_backend_info){.name = entry->name,
                                       .description = backend->description ? backend->description : "",
                                       .tags = backend->tags ? backend->tags : "",
                                       .available = available,
                                       .reason = available ? "" : kiln_report_text(&report),
                                       .default_target = name,
                                       .plugin = entry->path ? entry->path : "",
                                       .loaded = true});
  kiln_report_free(&report);
}

// A registry as a context would have it.
static enum kiln_status open_registry(struct kiln_registry *registry, struct kiln_env *env) {
  if (!kiln_env_read(env))
    return kiln_error_memory();
  enum kiln_status status = kiln_registry_init(registry, env);
  if (status != KILN_OK)
    kiln_env_free(env);
  return status;
}

static void close_registry(struct kiln_registry *registry, struct kiln_env *env) {
  kiln_registry_free(registry);
  kiln_env_free(env);
}

enum kiln_status kiln_list_backends(bool all, kiln_backend_fn *fn, void *user) {
  if (!fn)
    return kiln_error(KILN_ERR_INVALID, "kiln_list_backends: fn is NULL");
  struct kiln_registry registry;
  struct kiln_env env;
  enum kiln_status status = open_registry(&registry, &env);
  if (status != KILN_OK)
    return status;
  struct kiln_floats floats = kiln_floats_enter(); // also for what is loaded
  status = kiln_registry_discover(&registry);
  for (uint32_t i = 0; i < registry.count && status == KILN_OK; i++) {
    struct kiln_registry_entry *entry = &registry.entries[i];
    if (all)
      (void)kiln_registry_load(&registry, entry); // the entry tells the problem
    bool hidden = entry->problem || kiln_tags_hide(entry->backend ? entry->backend->tags : entry->tags);
    if (all || !hidden)
      list_one(&env, entry, fn, user);
  }
  close_registry(&registry, &env);
  kiln_floats_leave(floats);
  return status;
}

enum kiln_status kiln_list_targets(const char *backend, kiln_name_fn *fn, void *user) {
  if (!backend || !fn)
    return kiln_error(KILN_ERR_INVALID, "kiln_list_targets: %s is NULL", backend ? "fn" : "backend");
  struct kiln_registry registry;
  struct kiln_env env;
  enum kiln_status status = open_registry(&registry, &env);
  if (status != KILN_OK)
    return status;
  const struct kiln_base_backend *b;
  struct kiln_floats floats = kiln_floats_enter();
  status = kiln_registry_find(&registry, backend, &b);
  if (status == KILN_OK) {
    struct kiln_report report = {0};
    status = kiln_ask_targets(&env, kiln_registry_entry_of(&registry, b), fn, user, &report);
    status = kiln_report_finish(&report, status, backend, NULL);
  }
  close_registry(&registry, &env);
  kiln_floats_leave(floats);
  return status;
}

// ---- over all backends ----------------------------------------------------------------------------------------------

// Names, each with the backends that have it.
struct gathered {
  struct kiln_strbuf *owners;
  char **names;
  uint32_t count;
  bool failed;
};

static void gather(struct gathered *g, const char *name, size_t size, const char *backend) {
  uint32_t i = 0;
  while (i < g->count && (strncmp(g->names[i], name, size) != 0 || g->names[i][size]))
    i++;
  if (i == g->count) {
    char **names = realloc(g->names, (g->count + 1) * sizeof *names);
    g->names = names ? names : g->names;
    struct kiln_strbuf *owners = realloc(g->owners, (g->count + 1) * sizeof *owners);
    g->owners = owners ? owners : g->owners;
    char *copy = strndup(name, size);
    if (!names || !owners || !copy) {
      free(copy);
      g->failed = true;
      return;
    }
    g->names[i] = copy;
    memset(&g->owners[i], 0, sizeof g->owners[i]);
    g->count++;
  }
  kiln_strbuf_printf(&g->owners[i], "%s%s", g->owners[i].size ? " " : "", backend);
}

typedef void gather_fn(struct gathered *g, const struct kiln_env *env, const struct kiln_registry_entry *entry);

static void gather_params(struct gathered *g, const struct kiln_env *env, const struct kiln_registry_entry *entry) {
  (void)env;
  const struct kiln_base_backend *backend = entry->backend;
  for (const char *const *name = backend->reserved_params; name && *name; name++)
    gather(g, *name, strlen(*name), backend->name);
}

static void gather_target(struct gathered *g, const struct kiln_env *env, const struct kiln_registry_entry *entry) {
  struct kiln_report report = {0};
  char name[TARGET_NAME] = "";
  if (kiln_ask_target(env, entry, name, sizeof name, &report) == KILN_OK)
    gather(g, name, strlen(name), entry->backend->name);
  kiln_report_free(&report);
}

static void gather_tags(struct gathered *g, const struct kiln_env *env, const struct kiln_registry_entry *entry) {
  (void)env;
  const struct kiln_base_backend *backend = entry->backend;
  for (const char *p = backend->tags ? backend->tags : ""; *p;) {
    size_t n = strcspn(p, ",");
    if (n)
      gather(g, p, n, backend->name);
    p += n + (p[n] == ',');
  }
}

static enum kiln_status list_gathered(const char *what, gather_fn *from, kiln_name_fn *fn, void *user) {
  if (!fn)
    return kiln_error(KILN_ERR_INVALID, "%s: fn is NULL", what);
  struct kiln_registry registry;
  struct kiln_env env;
  struct gathered g = {0};
  enum kiln_status status = open_registry(&registry, &env);
  if (status != KILN_OK)
    return status;
  struct kiln_floats floats = kiln_floats_enter();
  status = kiln_registry_discover(&registry);
  for (uint32_t i = 0; i < registry.count && status == KILN_OK; i++) {
    if (kiln_registry_load(&registry, &registry.entries[i]) == KILN_OK)
      from(&g, &env, &registry.entries[i]);
  }
  if (status == KILN_OK && g.failed)
    status = kiln_error_memory();
  for (uint32_t i = 0; i < g.count; i++) {
    if (status == KILN_OK)
      fn(user, g.names[i], g.owners[i].data ? g.owners[i].data : "");
    kiln_strbuf_free(&g.owners[i]);
    free(g.names[i]);
  }
  free(g.names);
  free(g.owners);
  close_registry(&registry, &env);
  kiln_floats_leave(floats);
  return status;
}

enum kiln_status kiln_list_reserved_params(kiln_name_fn *fn, void *user) {
  return list_gathered("kiln_list_reserved_params", gather_params, fn, user);
}

enum kiln_status kiln_list_available_targets(kiln_name_fn *fn, void *user) {
  return list_gathered("kiln_list_available_targets", gather_target, fn, user);
}

enum kiln_status kiln_list_tags(kiln_name_fn *fn, void *user) {
  return list_gathered("kiln_list_tags", gather_tags, fn, user);
}
