// Backends in shared objects: looking for them, reading what the file beside one says, loading. docs/backend.md
// specifies the file.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/beside.h"
#include "base/file.h"
#include "jit/build_id.h"
#include "jit/registry.h"

#define SIDECAR_EXTENSION ".backend"
#define SIDECAR_HEAD "kiln-backend 1"
#define MAX_SIDECAR 16384
#define ENTRY_SYMBOL "kiln_backend_entry"
#ifndef KILN_PLUGIN_DIR
#define KILN_PLUGIN_DIR ""
#endif

// ---- the file beside a plugin ---------------------------------------------------------------------------------------

struct sidecar {
  const char *name, *description, *tags, *library; // NULL: not given
  long abi, preference;
  char problem[256]; // "": none
};

static char *strip(char *text) {
  while (*text == ' ' || *text == '\t')
    text++;
  size_t size = strlen(text);
  while (size && strchr(" \t\r", text[size - 1]))
    text[--size] = 0;
  return text;
}

static void read_number(struct sidecar *s, const char *key, const char *value, long *out) {
  char *end;
  errno = 0;
  long number = strtol(value, &end, 10);
  if (errno || *end || end == value || number < 0 || number > INT_MAX)
    snprintf(s->problem, sizeof s->problem, "'%s' is '%.40s' and not a number", key, value);
  else
    *out = number;
}

// Keys that are not known are for later versions.
static void read_line(struct sidecar *s, char *line) {
  char *equals = strchr(line, '=');
  if (!equals) {
    snprintf(s->problem, sizeof s->problem, "line '%.60s' is not of the form KEY = VALUE", line);
    return;
  }
  *equals = 0;
  const char *key = strip(line), *value = strip(equals + 1);
  if (strcmp(key, "name") == 0)
    s->name = value;
  else if (strcmp(key, "description") == 0)
    s->description = value;
  else if (strcmp(key, "tags") == 0)
    s->tags = value;
  else if (strcmp(key, "library") == 0)
    s->library = value;
  else if (strcmp(key, "abi") == 0)
    read_number(s, key, value, &s->abi);
  else if (strcmp(key, "preference") == 0)
    read_number(s, key, value, &s->preference);
}

// text: is changed, and what the sidecar points into.
static void parse_sidecar(struct sidecar *s, char *text, size_t size) {
  memset(s, 0, sizeof *s);
  s->abi = -1;
  bool head = false;
  if (memchr(text, 0, size)) {
    snprintf(s->problem, sizeof s->problem, "it is not a text");
    return;
  }
  for (char *line = text, *next; line && !*s->problem; line = next) {
    next = strchr(line, '\n');
    if (next)
      *next++ = 0;
    line = strip(line);
    if (!head) {
      head = true;
      if (strcmp(line, SIDECAR_HEAD) != 0)
        snprintf(s->problem, sizeof s->problem, "its first line is not '" SIDECAR_HEAD "'");
    } else if (*line && *line != '#') {
      read_line(s, line);
    }
  }
  if (*s->problem)
    return;
  if (!kiln_backend_good_name(s->name))
    snprintf(s->problem, sizeof s->problem,
             "its name '%.40s' is not made of up to 31 lower-case letters, digits, '-' and '_'",
             s->name ? s->name : "");
  else if (s->library && (strchr(s->library, '/') || !*s->library))
    snprintf(s->problem, sizeof s->problem, "its library '%.40s' is not the name of a file beside it", s->library);
  else if (s->abi != KILN_BACKEND_ABI && s->abi >= 0)
    snprintf(s->problem, sizeof s->problem, "it was built for version %ld of the backend ABI, and this is version %d",
             s->abi, KILN_BACKEND_ABI);
  else if (s->abi < 0)
    snprintf(s->problem, sizeof s->problem, "it does not say its backend ABI (abi = ...)");
}

static char *copy_or_empty(const char *text) { return strdup(text ? text : ""); }

static const struct kiln_registry_entry *taken(const struct kiln_registry *registry, const char *name) {
  for (uint32_t i = 0; i < registry->count; i++) {
    if (strcmp(registry->entries[i].name, name) == 0)
      return &registry->entries[i];
  }
  return NULL;
}

// Adds the entry of one file FOLDER/STEM.backend.
static enum kiln_status add_sidecar(struct kiln_registry *registry, const char *folder, bool by_user,
                                    const char *stem) {
  struct kiln_strbuf path = {0}, library = {0}, problem = {0};
  struct sidecar s = {0};
  char *text = NULL;
  size_t size = 0;
  kiln_strbuf_printf(&path, "%s/%s" SIDECAR_EXTENSION, folder, stem);
  int error = path.failed ? ENOMEM : kiln_file_read(path.data, &text, &size);
  if (!error && size > MAX_SIDECAR)
    error = EFBIG;
  if (error)
    kiln_strbuf_printf(&problem, "%s cannot be read: %s", path.data, strerror(error));
  else
    parse_sidecar(&s, text, size);
  if (*s.problem)
    kiln_strbuf_printf(&problem, "%s: %s", path.data, s.problem);
  bool named = s.name && kiln_backend_good_name(s.name);
  const struct kiln_registry_entry *other = named ? taken(registry, s.name) : NULL;
  if (other && !problem.size)
    kiln_strbuf_printf(&problem, "%s: there is a backend '%s' already%s%s", path.data, s.name,
                       other->path ? ": " : ", which is built in", other->path ? other->path : "");
  kiln_strbuf_printf(&library, "%s/%s%s", folder, s.library ? s.library : stem, s.library ? "" : ".so");
  if (!problem.size && !library.failed && access(library.data, R_OK))
    kiln_strbuf_printf(&problem, "%s cannot be read: %s", library.data, strerror(errno));
  struct kiln_registry_entry *entry = kiln_registry_new_entry(registry, named ? s.name : stem);
  enum kiln_status status = entry ? KILN_OK : KILN_ERR_MEMORY;
  if (entry) {
    entry->preference = (int32_t)s.preference;
    entry->by_user = by_user;
    entry->description = copy_or_empty(s.description);
    entry->tags = copy_or_empty(s.tags);
    entry->path = kiln_strbuf_take(&library);
    entry->problem = problem.size ? kiln_strbuf_take(&problem) : NULL;
    if (!entry->description || !entry->tags || !entry->path || problem.failed)
      status = kiln_error_memory();
  }
  free(text);
  kiln_strbuf_free(&path);
  kiln_strbuf_free(&library);
  kiln_strbuf_free(&problem);
  return status;
}

// ---- folders -------------------------------------------------------------------------------------------------------

static int is_sidecar(const struct dirent *file) {
  size_t size = strlen(file->d_name), extension = strlen(SIDECAR_EXTENSION);
  return size > extension && strcmp(file->d_name + size - extension, SIDECAR_EXTENSION) == 0;
}

// In the order of names, so that which of two equal ones is taken does not change by itself.
static enum kiln_status scan_folder(struct kiln_registry *registry, const char *folder, bool by_user) {
  struct dirent **files;
  int count = scandir(folder, &files, is_sidecar, alphasort);
  enum kiln_status status = KILN_OK;
  if (count < 0) // mostly there is no such folder
    return errno == ENOENT ? KILN_OK : kiln_error_exhausted(folder);
  for (int i = 0; i < count; i++) {
    char *name = files[i]->d_name;
    name[strlen(name) - strlen(SIDECAR_EXTENSION)] = 0;
    if (status == KILN_OK)
      status = add_sidecar(registry, folder, by_user, name);
    free(files[i]);
  }
  free(files);
  return status;
}

// The folder kiln/backends beside this library, wherever it was installed; false: it is part of another program.
static bool folder_beside(char out[PATH_MAX]) {
  char self[KILN_PATH_SIZE];
  if (!kiln_own_object(self))
    return false;
  const char *slash = strrchr(self, '/');
  if (strncmp(slash + 1, "libkiln.so", 10) != 0)
    return false;
  int n = snprintf(out, PATH_MAX, "%.*s/kiln/backends", (int)(slash - self), self);
  return n > 0 && n < PATH_MAX;
}

enum kiln_status kiln_registry_discover(struct kiln_registry *registry) {
  if (!registry->discover)
    return KILN_OK;
  registry->discover = false;
  enum kiln_status status = KILN_OK;
  for (const char *p = registry->plugin_path; p && *p && status == KILN_OK;) {
    size_t n = strcspn(p, ":");
    char *folder = strndup(p, n);
    if (!folder)
      return kiln_error_memory();
    if (n)
      status = scan_folder(registry, folder, true);
    free(folder);
    p += n + (p[n] == ':');
  }
  char beside[PATH_MAX];
  bool installed = folder_beside(beside);
  if (status == KILN_OK && installed)
    status = scan_folder(registry, beside, false);
  const char *fixed = KILN_PLUGIN_DIR;
  if (status == KILN_OK && fixed[0] && !installed)
    status = scan_folder(registry, fixed, false);
  return status;
}

// ---- loading -------------------------------------------------------------------------------------------------------

static enum kiln_status call_entry(struct kiln_registry_entry *entry, void *symbol) {
  kiln_backend_entry_fn *function;
  if (!symbol)
    return kiln_error(KILN_ERR_INVALID, "%s is no backend: it has no symbol " ENTRY_SYMBOL, entry->path);
  memcpy(&function, &symbol, sizeof function);
  const struct kiln_base_backend *backend = function(KILN_BACKEND_ABI);
  if (!backend)
    return kiln_error(KILN_ERR_INVALID, "%s does not know version %d of the backend ABI", entry->path,
                      KILN_BACKEND_ABI);
  enum kiln_status status = kiln_registry_adopt(entry, backend);
  if (status != KILN_OK) {
    struct kiln_strbuf text = {0};
    kiln_strbuf_puts(&text, kiln_last_error());
    kiln_error(status, "%s: %s", entry->path, text.data ? text.data : "");
    kiln_strbuf_free(&text);
    return status;
  }
  const char *what = strcmp(entry->backend->name, entry->name) ? "name" : NULL;
  if (!what && strcmp(entry->backend->tags, entry->tags))
    what = "tags";
  if (what)
    return kiln_error(KILN_ERR_INVALID, "%s: its %s differ from what the " SIDECAR_EXTENSION " file says ('%s')",
                      entry->path, what, *what == 'n' ? entry->backend->name : entry->backend->tags);
  return KILN_OK;
}

// reason: static text or the loader's.
static enum kiln_status unavailable(const struct kiln_registry_entry *entry, const char *what, const char *reason) {
  enum kiln_status lacking = kiln_error_exhausted(entry->path);
  return lacking ? lacking : kiln_error(KILN_ERR_UNAVAILABLE, "%s %s: %s", entry->path, what, reason);
}

static enum kiln_status load(const struct kiln_registry *registry, struct kiln_registry_entry *entry) {
  char *data, on_disk[64], loaded[64];
  size_t size;
  const char *distrust = entry->by_user ? kiln_distrust_file(&registry->trust, entry->path) : NULL;
  if (distrust)
    return unavailable(entry, "is not loaded (COMPILE_TRUST names whom to trust)", distrust);
  int error = kiln_file_read(entry->path, &data, &size);
  if (error)
    return unavailable(entry, "cannot be read", strerror(error));
  entry->digest = kiln_hash128(data, size);
  free(data);
  void *handle = dlopen(entry->path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return unavailable(entry, "cannot be loaded", reason ? reason : "no reason");
  }
  void *symbol = dlsym(handle, ENTRY_SYMBOL);
  enum kiln_status status = call_entry(entry, symbol);
  // A file that was replaced while another context still uses what it was before: the system's loader gives that.
  if (status == KILN_OK && kiln_elf_build_id(entry->path, on_disk, sizeof on_disk) &&
      kiln_loaded_build_id(symbol, loaded, sizeof loaded) && strcmp(on_disk, loaded) != 0)
    status = kiln_error(KILN_ERR_UNAVAILABLE, "%s was replaced while this process uses it", entry->path);
  if (status == KILN_OK) {
    entry->handle = handle;
    return KILN_OK;
  }
  free(entry->tables);
  entry->tables = NULL;
  entry->backend = NULL;
  dlclose(handle);
  return status;
}

enum kiln_status kiln_registry_load(struct kiln_registry *registry, struct kiln_registry_entry *entry) {
  if (entry->backend)
    return KILN_OK;
  if (!entry->problem) {
    enum kiln_status status = load(registry, entry);
    if (status == KILN_OK || status == KILN_ERR_IO || status == KILN_ERR_MEMORY) // which passes
      return status;
    entry->problem = strdup(kiln_last_error());
    if (!entry->problem)
      return kiln_error_memory();
  }
  return kiln_error(KILN_ERR_UNAVAILABLE, "backend '%s' cannot be loaded: %s", entry->name, entry->problem);
}

void kiln_registry_free(struct kiln_registry *registry) {
  for (uint32_t i = 0; i < registry->count; i++) {
    struct kiln_registry_entry *entry = &registry->entries[i];
    free(entry->problem);
    free(entry->tables);
    free(entry->path);
    free(entry->description);
    free(entry->tags);
    if (entry->handle)
      dlclose(entry->handle);
  }
  free(registry->entries);
  free(registry->plugin_path);
  memset(registry, 0, sizeof *registry);
}
