// Tools' view of the cache: listing, measuring, verifying, pruning, clearing, export and import of files.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/floats.h"
#include "cache/admin.h"
#include "cache/bundle.h"
#include "cache/sign.h"
#include "cache/tune.h"
#include "jit/inspect.h"
#include "jit/reflect.h"
#include "jit/store.h"

// ---- places --------------------------------------------------------------------------------------------------------

enum kiln_status kiln_inspect_open(const char *path, bool read_only, struct kiln_place *out) {
  struct kiln_strbuf folder = {0}, unfit = {0};
  struct kiln_env env;
  struct kiln_trust trust;
  if (!kiln_env_read(&env))
    return kiln_error_memory();
  enum kiln_status status = kiln_env_trust(&env, &trust);
  if (path && *path)
    kiln_strbuf_puts(&folder, path);
  else
    kiln_store_folder(&env, &folder, &unfit);
  const char *key = env.values[KILN_ENV_CACHE_KEY];
  struct kiln_signer *signer = key ? kiln_signer_new(key) : NULL;
  if (key && !signer)
    folder.failed = true;
  kiln_env_free(&env);
  if (status == KILN_OK && !folder.size && !folder.failed)
    status = kiln_error(KILN_ERR_UNAVAILABLE, "there is no cache folder: %s",
                        unfit.size ? unfit.data : "none of COMPILE_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
  kiln_strbuf_free(&unfit);
  const char *problem = NULL;
  int error = status == KILN_OK && !folder.failed ? kiln_place_open(folder.data, &trust, read_only, out, &problem) : 0;
  if (folder.failed || error == ENOMEM)
    status = kiln_error_memory();
  else if (error)
    status = kiln_error(KILN_ERR_INVALID, "'%s' cannot be used: %s", folder.data,
                        problem ? problem : strerrordesc_np(error));
  if (status == KILN_OK)
    out->signer = signer;
  else
    kiln_signer_free(signer);
  kiln_strbuf_free(&folder);
  return status;
}

enum kiln_status kiln_inspect_open_folder(const char *path, struct kiln_place *out) {
  enum kiln_status status = kiln_inspect_open(path, false, out);
  if (status == KILN_OK && out->stores[0].bundle) {
    status = kiln_error(KILN_ERR_INVALID, "'%s' is a bundle, which is never changed; name a cache folder",
                        out->stores[0].path);
    kiln_place_close(out);
  }
  return status;
}

// ---- listing -------------------------------------------------------------------------------------------------------

struct listing {
  kiln_cache_item_fn *fn;
  void *user;
  uint32_t flags;
  bool stopped;
  bool failed;
};

static struct kiln_str field(struct kiln_str record, const char *name) {
  struct kiln_key_field found;
  for (size_t cursor = 0; kiln_key_next(record, &cursor, &found);) {
    if (kiln_str_eq(found.name, kiln_str(name)))
      return found.data;
  }
  return (struct kiln_str){"", 0};
}

static uint32_t count_includes(struct kiln_str record) {
  struct kiln_key_field found;
  uint32_t count = 0;
  for (size_t cursor = 0; kiln_key_next(record, &cursor, &found);)
    count += kiln_str_eq(found.name, kiln_str("include"));
  return count;
}

// Returns what is wrong with the description of the kernels; NULL: nothing.
static const char *kernel_names(const struct kiln_item *item, struct kiln_strbuf *out) {
  struct kiln_reflection reflection;
  if (!item->reflection.data)
    return NULL;
  enum kiln_status status = kiln_reflect_read(item->reflection, item->resources, &reflection);
  if (status != KILN_OK)
    return status == KILN_ERR_INVALID ? "what it says of its kernels is not well-formed" : NULL;
  for (uint32_t i = 0; i < reflection.kernel_count; i++)
    kiln_strbuf_printf(out, "%s%s", i ? " " : "", reflection.kernels[i].name);
  kiln_reflection_free(&reflection);
  return NULL;
}

// Copies of texts of a record, each with its NUL, in one block.
static const char *keep(struct kiln_strbuf *block, struct kiln_str text, size_t *at) {
  *at = block->size;
  kiln_strbuf_append(block, text.data, text.size);
  kiln_strbuf_putc(block, 0);
  return "";
}

// What a program or a tuning record says of itself under a name.
static struct kiln_str said(const struct kiln_item *item, const char *name) {
  return item->tuned.data ? kiln_tune_line(item->tuned, name) : field(item->record, name);
}

// "M=512 N=512 on AMD EPYC 9554: RM=8 LX=64, 412.5 us, 58 points"
static void describe_tuning(struct kiln_str text, struct kiln_strbuf *out) {
  static const struct {
    const char *before, *name, *after;
  } parts[] = {{"", "class", ""},
               {" on ", "device", ""},
               {": ", "best", ""},
               {", ", "best_us", " us"},
               {", ", "points", " points"}};
  for (size_t i = 0; text.data && i < sizeof parts / sizeof *parts; i++) {
    struct kiln_str value = kiln_tune_line(text, parts[i].name);
    if (value.size != 0)
      kiln_strbuf_printf(out, "%s%.*s%s", out->size ? parts[i].before : "", (int)value.size, value.data,
                         parts[i].after);
  }
}

static void keep_identities(struct kiln_strbuf *block, struct kiln_str device, size_t *at) {
  struct kiln_device_piece piece;
  *at = block->size;
  for (size_t cursor = 0; kiln_device_piece_next(device, &cursor, &piece);)
    kiln_strbuf_printf(block, "%s%s", block->size > *at ? "\n" : "", piece.identity);
  kiln_strbuf_putc(block, 0);
}

static bool show_item(void *user, const struct kiln_item *item) {
  struct listing *l = user;
  static const char *const names[] = {"backend", "arch", "features", "options"};
  size_t at[4], path_at, kernels_at, version_at, compiler_at, tuned_at, device_at;
  char key[33], toolchain[33] = "", path[4096] = "";
  struct kiln_strbuf block = {0}, kernels = {0}, tuned = {0};
  struct kiln_record_parts parts;
  kiln_hash128_hex(item->file.id.key, key);
  for (int i = 0; i < 4; i++)
    keep(&block, said(item, names[i]), &at[i]);
  if (!kiln_store_path(item->store, item->file.id.key, item->file.id.suffix, path, sizeof path))
    path[0] = 0;
  keep(&block, kiln_str(path), &path_at);
  keep(&block, item->tuned.data ? said(item, "version") : kiln_made_value(item->made, "kiln"), &version_at);
  keep(&block, kiln_made_value(item->made, "compiler"), &compiler_at);
  keep_identities(&block, item->device, &device_at);
  const char *damage = kernel_names(item, &kernels), *defect = item->defect ? item->defect : damage;
  keep(&block,
       item->tuned.data ? said(item, "kernel") : (struct kiln_str){kernels.data ? kernels.data : "", kernels.size},
       &kernels_at);
  describe_tuning(item->tuned, &tuned);
  keep(&block, (struct kiln_str){tuned.data ? tuned.data : "", tuned.size}, &tuned_at);
  if (kiln_record_split(item->record, &parts))
    kiln_hash128_hex(parts.toolchain, toolchain);
  struct kiln_str source = item->tuned.data ? item->tuned : field(item->record, "source");
  l->failed = block.failed || kernels.failed || tuned.failed;
  if (!l->failed) {
    struct kiln_cache_item out = {.key = key,
                                  .toolchain = toolchain,
                                  .place = item->store->path,
                                  .path = block.data + path_at,
                                  .backend = block.data + at[0],
                                  .arch = block.data + at[1],
                                  .features = block.data + at[2],
                                  .options = block.data + at[3],
                                  .kernels = block.data + kernels_at,
                                  .source = source.data,
                                  .problem = defect ? defect : "",
                                  .source_size = source.size,
                                  .size = item->file.size,
                                  .artifact_size = item->artifact_size,
                                  .include_count = count_includes(item->record),
                                  .used = (double)item->file.used / 1e9,
                                  .is_manifest = item->file.id.suffix == KILN_SUFFIX_MANIFEST,
                                  .version = block.data + version_at,
                                  .compiler = block.data + compiler_at,
                                  .tuned = block.data + tuned_at,
                                  .device_code = block.data + device_at};
    l->stopped = !l->fn(l->user, &out);
  }
  if (defect && l->flags & KILN_CACHE_LIST_QUARANTINE)
    kiln_store_quarantine(item->store, item->file.id.key, item->file.id.suffix);
  kiln_strbuf_free(&block);
  kiln_strbuf_free(&kernels);
  kiln_strbuf_free(&tuned);
  return !l->stopped && !l->failed;
}

static bool list_place(struct kiln_place *place, const char *key, struct listing *l) {
  bool verify = l->flags & KILN_CACHE_LIST_VERIFY;
  unsigned kinds = l->flags & KILN_CACHE_LIST_TUNINGS ? KILN_VISIT_TUNINGS
                   : verify                           ? KILN_VISIT_ALL
                                                      : KILN_VISIT_ENTRIES | KILN_VISIT_TUNINGS;
  if (key && *key)
    return kiln_place_find(place, key, show_item, l);
  kiln_place_visit(place, kinds, verify, show_item, l);
  return true;
}

static enum kiln_status list_layers(const char *key, struct listing *l, bool *found) {
  struct kiln_env env;
  if (!kiln_env_read(&env))
    return kiln_error_memory();
  const char *layers = env.values[KILN_ENV_CACHE_PATH];
  struct kiln_trust trust;
  enum kiln_status status = kiln_env_trust(&env, &trust);
  while (status == KILN_OK && layers && *layers && !l->stopped && !l->failed) {
    size_t size = strcspn(layers, ":");
    char *path = strndup(layers, size);
    struct kiln_place place;
    const char *problem;
    if (path && *path && kiln_place_open(path, &trust, true, &place, &problem) == 0) {
      *found |= list_place(&place, key, l);
      kiln_place_close(&place);
    }
    free(path);
    layers += size + (layers[size] == ':');
  }
  kiln_env_free(&env);
  return status;
}

enum kiln_status kiln_cache_list(const char *place_path, const char *key, uint32_t flags, kiln_cache_item_fn *fn,
                                 void *user) {
  if (!fn)
    return kiln_error(KILN_ERR_INVALID, "kiln_cache_list: fn is NULL");
  struct kiln_place place;
  enum kiln_status status = kiln_inspect_open(place_path, !(flags & KILN_CACHE_LIST_QUARANTINE), &place);
  if (status != KILN_OK)
    return status;
  struct listing l = {.fn = fn, .user = user, .flags = flags};
  struct kiln_floats floats = kiln_floats_enter();
  bool found = list_place(&place, key, &l);
  kiln_place_close(&place);
  if (flags & KILN_CACHE_LIST_LAYERS)
    status = list_layers(key, &l, &found);
  kiln_floats_leave(floats);
  if (l.failed)
    return kiln_error_memory();
  if (status == KILN_OK && key && *key && !found)
    return kiln_error(KILN_ERR_NOT_FOUND, "there is no entry whose key begins with '%s'", key);
  return status;
}

// ---- size ----------------------------------------------------------------------------------------------------------

static enum kiln_status size_limit(uint64_t *out) {
  struct kiln_env env;
  if (!kiln_env_read(&env))
    return kiln_error_memory();
  const char *text = kiln_env_get(&env, KILN_ENV_CACHE_MAX_SIZE);
  enum kiln_status status = kiln_cache_parse_size(text, out)
                                ? KILN_OK
                                : kiln_error(KILN_ERR_INVALID,
                                             "COMPILE_CACHE_MAX_SIZE is '%s'; it must be a "
                                             "size",
                                             text);
  kiln_env_free(&env);
  return status;
}

enum kiln_status kiln_cache_measure(const char *place_path, struct kiln_cache_size *out, char *folder,
                                    size_t folder_size) {
  if (!out)
    return kiln_error(KILN_ERR_INVALID, "kiln_cache_measure: out is NULL");
  struct kiln_place place;
  uint64_t limit;
  enum kiln_status status = size_limit(&limit);
  if (status == KILN_OK)
    status = kiln_inspect_open(place_path, true, &place);
  if (status != KILN_OK)
    return status;
  struct kiln_place_size size;
  kiln_place_measure(&place, &size);
  struct kiln_floats floats = kiln_floats_enter();
  *out = (struct kiln_cache_size){.entries = size.entries,
                                  .entry_bytes = size.entry_bytes,
                                  .manifests = size.manifests,
                                  .manifest_bytes = size.manifest_bytes,
                                  .imported = size.imported,
                                  .imported_bytes = size.imported_bytes,
                                  .disk_bytes = size.disk_bytes,
                                  .limit = limit,
                                  .quarantined = size.quarantined,
                                  .leftovers = size.leftovers,
                                  .oldest = (double)size.oldest / 1e9,
                                  .newest = (double)size.newest / 1e9};
  kiln_floats_leave(floats);
  if (folder && folder_size)
    snprintf(folder, folder_size, "%s", place.stores[0].path);
  kiln_place_close(&place);
  return KILN_OK;
}

// Another sweep may be going on: it is waited for.
static bool sweep(struct kiln_place *place, uint64_t limit, int64_t before, struct kiln_sweep_result *result) {
  struct kiln_store *stores[2] = {&place->stores[0], &place->stores[1]};
  for (int i = 0; i < 300; i++) {
    if (kiln_store_sweep(stores, place->count, limit, before, NULL, result))
      return true;
    usleep(100000);
  }
  return false;
}

static bool exists(const struct kiln_place *place) { return access(place->stores[0].path, F_OK) == 0; }

enum kiln_status kiln_cache_prune(const char *place_path, double before, uint64_t max_bytes, uint64_t *removed,
                                  uint64_t *removed_bytes) {
  struct kiln_place place;
  enum kiln_status status = kiln_inspect_open_folder(place_path, &place);
  if (status != KILN_OK)
    return status;
  struct kiln_sweep_result by_age = {0}, by_size = {0};
  bool ok = true;
  struct kiln_floats floats = kiln_floats_enter();
  int64_t before_ns = !(before > 0) ? 0 : before < 9e9 ? (int64_t)(before * 1e9) : INT64_MAX;
  kiln_floats_leave(floats);
  if (before_ns && exists(&place))
    ok = sweep(&place, 0, before_ns, &by_age);
  if (ok && max_bytes != UINT64_MAX && exists(&place))
    ok = max_bytes ? sweep(&place, max_bytes, 0, &by_size) : sweep(&place, 0, INT64_MAX, &by_size);
  uint64_t tidied = ok ? kiln_place_tidy(&place) : 0;
  if (!ok)
    status = kiln_error(KILN_ERR_IO, "cache folder '%s' cannot be swept: it cannot be locked or written",
                        place.stores[0].path);
  if (removed)
    *removed = by_age.removed + by_size.removed + tidied;
  if (removed_bytes)
    *removed_bytes = by_age.removed_bytes + by_size.removed_bytes;
  kiln_place_close(&place);
  return status;
}

enum kiln_status kiln_cache_clear(const char *place_path, uint64_t *removed) {
  struct kiln_place place;
  enum kiln_status status = kiln_inspect_open_folder(place_path, &place);
  if (status != KILN_OK)
    return status;
  uint64_t count = kiln_place_clear(&place);
  if (removed)
    *removed = count;
  struct kiln_place_size size;
  kiln_place_measure(&place, &size);
  if (size.entries + size.tunings)
    status = kiln_error(KILN_ERR_IO, "%" PRIu64 " entries of '%s' could not be removed", size.entries + size.tunings,
                        place.stores[0].path);
  kiln_place_close(&place);
  return status;
}

// ---- bundles -------------------------------------------------------------------------------------------------------

struct filter {
  const char *backend, *arch;
};

static bool wanted(void *user, const struct kiln_item *item) {
  const struct filter *filter = user;
  return (!filter->backend || kiln_str_eq(said(item, "backend"), kiln_str(filter->backend))) &&
         (!filter->arch || kiln_str_eq(said(item, "arch"), kiln_str(filter->arch)));
}

int kiln_inspect_write_bundle(struct kiln_place *place, bool (*accept)(void *user, const struct kiln_item *item),
                              void *user, const char *path, uint64_t *entries) {
  char temp[PATH_MAX + 32];
  int fd = kiln_file_open_temp(path, temp, sizeof temp, 0644), error = fd < 0 ? errno : 0;
  struct kiln_bundle_builder builder = {.fd = fd};
  if (!error)
    error = kiln_place_export(place, accept, user, &builder);
  if (!error)
    error = kiln_bundle_finish(&builder, NULL, NULL);
  if (fd >= 0 && fsync(fd) != 0 && errno != EINVAL && !error)
    error = errno;
  if (fd >= 0 && close(fd) != 0 && !error)
    error = errno;
  if (!error && rename(temp, path) != 0)
    error = errno;
  if (error && fd >= 0)
    unlink(temp);
  if (entries)
    *entries = builder.entries + builder.tunings;
  kiln_bundle_builder_free(&builder);
  return error;
}

enum kiln_status kiln_inspect_bundle_error(int error, const char *path) {
  return error ? kiln_error(error == ENOMEM ? KILN_ERR_MEMORY : KILN_ERR_IO, "cannot write bundle '%s': %s", path,
                            strerrordesc_np(error))
               : KILN_OK;
}

enum kiln_status kiln_cache_export(const char *place_path, const char *backend, const char *arch, const char *path,
                                   uint64_t *exported) {
  if (!path || !*path)
    return kiln_error(KILN_ERR_INVALID, "kiln_cache_export: path is missing");
  struct kiln_place place;
  enum kiln_status status = kiln_inspect_open(place_path, true, &place);
  if (status != KILN_OK)
    return status;
  int error = kiln_inspect_write_bundle(&place, wanted, &(struct filter){backend, arch}, path, exported);
  kiln_place_close(&place);
  return kiln_inspect_bundle_error(error, path);
}

enum kiln_status kiln_cache_import(const char *place_path, const char *path, uint64_t *added, uint64_t *present,
                                   uint64_t *refused) {
  if (!path || !*path)
    return kiln_error(KILN_ERR_INVALID, "kiln_cache_import: path is missing");
  struct kiln_bundle *bundle = NULL;
  struct stat info;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0 || fstat(fd, &info) != 0) {
    int error = errno;
    if (fd >= 0)
      close(fd);
    return kiln_error(kiln_errno_status(error), "cannot read bundle '%s': %s", path, strerrordesc_np(error));
  }
  const char *problem = kiln_bundle_open_file(fd, (uint64_t)info.st_size, &bundle);
  if (problem) {
    close(fd);
    return kiln_error(problem == kiln_bundle_no_memory ? KILN_ERR_MEMORY : KILN_ERR_INVALID,
                      "'%s' cannot be imported: %s", path, problem);
  }
  struct kiln_place place;
  struct kiln_import_result result = {0};
  enum kiln_status status = kiln_inspect_open_folder(place_path, &place);
  if (status == KILN_OK) {
    int error = kiln_place_import(&place, bundle, &result);
    if (error)
      status = kiln_error(error == ENOMEM ? KILN_ERR_MEMORY : KILN_ERR_IO, "cache folder '%s' cannot be written: %s",
                          place.stores[0].path, strerrordesc_np(error));
    kiln_place_close(&place);
  }
  kiln_bundle_close(bundle);
  if (added)
    *added = result.added;
  if (present)
    *present = result.present;
  if (refused)
    *refused = result.refused;
  return status;
}
