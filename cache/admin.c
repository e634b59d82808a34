// Tools' view of folders and bundles. Listing reads of each entry what describes it, not the code.
#include "cache/admin.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/floats.h"
#include "base/thread.h"
#include "cache/bundle.h"
#include "cache/format.h"
#include "cache/internal.h"
#include "cache/tune.h"

// ---- places ---------------------------------------------------------------------------------------------------------

int kiln_place_open(const char *path, const struct kiln_trust *trust, bool read_only, struct kiln_place *out,
                    const char **problem) {
  *out = (struct kiln_place){0};
  if (!kiln_store_init(&out->stores[0], path, strlen(path), trust, read_only, true, problem))
    return ENOMEM;
  out->count = 1;
  struct stat info;
  if (!*problem && !out->stores[0].bundle && stat(out->stores[0].path, &info) == 0 && !S_ISDIR(info.st_mode))
    *problem = "it is neither a folder nor a bundle";
  if (*problem) {
    kiln_place_close(out);
    return EINVAL;
  }
  if (out->stores[0].bundle)
    return 0;
  struct kiln_strbuf imported = {0};
  const char *ignored;
  kiln_strbuf_printf(&imported, "%s/" KILN_IMPORTED, out->stores[0].path);
  bool ok = !imported.failed &&
            kiln_store_init(&out->stores[1], imported.data, imported.size, trust, read_only, true, &ignored);
  kiln_strbuf_free(&imported);
  out->count += ok;
  if (!ok)
    kiln_place_close(out);
  return ok ? 0 : ENOMEM;
}

void kiln_place_close(struct kiln_place *place) {
  for (uint32_t i = 0; i < place->count; i++)
    kiln_store_free(&place->stores[i]);
  kiln_signer_free(place->signer);
  *place = (struct kiln_place){0};
}

// ---- items ----------------------------------------------------------------------------------------------------------

struct part_source {
  struct kiln_store *store;
  struct kiln_file_id id;
};

static bool read_part(void *user, uint64_t offset, void *out, size_t size) {
  struct part_source *source = user;
  return kiln_store_read_part(source->store, source->id, offset, out, size);
}

static void view_to_item(const struct kiln_file_view *view, struct kiln_item *item) {
  item->record = view->sections[KILN_SECTION_KEY];
  item->reflection = view->sections[KILN_SECTION_REFLECTION];
  item->resources = view->sections[KILN_SECTION_RESOURCES];
  item->made = view->sections[KILN_SECTION_MADE];
  item->tuned = view->sections[KILN_FILE_TUNED];
  item->device = view->sections[KILN_SECTION_DEVICE];
  item->artifact_size = view->artifact.size;
}

struct kiln_str kiln_made_value(struct kiln_str made, const char *name) {
  size_t name_size = strlen(name);
  for (size_t at = 0; at < made.size;) {
    const char *end = memchr(made.data + at, '\n', made.size - at);
    size_t size = end ? (size_t)(end - made.data) - at : made.size - at;
    if (size > name_size && memcmp(made.data + at, name, name_size) == 0 && made.data[at + name_size] == ' ')
      return (struct kiln_str){made.data + at + name_size + 1, size - name_size - 1};
    at += size + 1;
  }
  return (struct kiln_str){"", 0};
}

// Reads what describes a file. Returns what is to be freed.
static char *peek(struct kiln_item *item) {
  enum kiln_file_kind kind = kiln_kind_of(item->file.id.suffix);
  struct part_source source = {item->store, item->file.id};
  struct kiln_file_view view = {0};
  char *storage = NULL;
  item->defect = kiln_file_peek(read_part, &source, item->file.size, kind, &view, &storage);
  if (!item->defect)
    view_to_item(&view, item);
  return storage;
}

// Whether a decoded file is what its name says. NULL, or what is wrong. *parts: of an entry or a manifest.
static const char *check_name(struct kiln_file_id id, const struct kiln_file_view *view,
                              struct kiln_record_parts *parts) {
  struct kiln_str record = view->sections[KILN_SECTION_KEY], text;
  struct kiln_hash128 key = kiln_hash128(record.data, record.size);
  struct kiln_tune_key tune_key;
  bool is_tuning = id.suffix == KILN_SUFFIX_TUNING;
  const char *defect = is_tuning ? kiln_tune_read(view, &tune_key, &text) : NULL;
  if (defect)
    return defect;
  key = is_tuning ? kiln_tune_file(&tune_key).key : key;
  if (memcmp(&key, &id.key, sizeof key) != 0)
    return "it is not under the name of its key";
  return is_tuning || kiln_record_split(record, parts) ? NULL : "its key record is malformed";
}

// Reads and checks all of a file.
static char *verify(struct kiln_item *item) {
  enum kiln_file_kind kind = kiln_kind_of(item->file.id.suffix);
  struct kiln_image_file file;
  const char *reason;
  enum kiln_read state = kiln_store_read(item->store, item->file.id.key, item->file.id.suffix, &file, &reason);
  if (state != KILN_READ_OK) {
    item->defect = state == KILN_READ_ABSENT ? "it has just been removed" : reason ? reason : strerrordesc_np(errno);
    return NULL;
  }
  struct kiln_file_view view;
  item->defect = kiln_file_decode(file.data, file.size, kind, &view);
  if (!item->defect) {
    view_to_item(&view, item);
    struct kiln_record_parts parts;
    item->defect = check_name(item->file.id, &view, &parts);
  }
  return file.data;
}

struct visit {
  struct kiln_store *store;
  unsigned kinds;
  bool verify, stopped, found;
  const char *prefix; // NULL: all
  kiln_item_fn *fn;
  void *user;
};

static bool visit_file(void *user, const struct kiln_stored *file) {
  struct visit *visit = user;
  if (!(visit->kinds & 1u << file->id.suffix))
    return true;
  char hex[33];
  kiln_hash128_hex(file->id.key, hex);
  if (visit->prefix && strncmp(hex, visit->prefix, strlen(visit->prefix)) != 0)
    return true;
  struct kiln_item item = {.store = visit->store, .file = *file};
  char *storage = visit->verify ? verify(&item) : peek(&item);
  visit->found = true;
  visit->stopped = !visit->fn(visit->user, &item);
  free(storage);
  return !visit->stopped;
}

static void visit_all(struct kiln_place *place, struct visit *visit) {
  for (uint32_t i = 0; i < place->count && !visit->stopped; i++) {
    visit->store = &place->stores[i];
    kiln_store_walk(visit->store, visit_file, visit);
  }
}

void kiln_place_visit(struct kiln_place *place, unsigned kinds, bool verify, kiln_item_fn *fn, void *user) {
  visit_all(place, &(struct visit){.kinds = kinds, .verify = verify, .fn = fn, .user = user});
}

bool kiln_place_find(struct kiln_place *place, const char *key_prefix, kiln_item_fn *fn, void *user) {
  struct visit visit = {.kinds = KILN_VISIT_ENTRIES | KILN_VISIT_TUNINGS, .prefix = key_prefix, .fn = fn, .user = user};
  visit_all(place, &visit);
  return visit.found;
}

// ---- size -----------------------------------------------------------------------------------------------------------

enum { MEASURE_THREADS = 8, MEASURE_SUBS = 256 / MEASURE_THREADS };

struct measure { // of a part of a folder
  struct kiln_place_size size;
  struct kiln_store *store;
  int first;
  pthread_t thread;
  bool joinable;
};

static bool measure_file(void *user, const struct kiln_stored *file) {
  struct kiln_place_size *size = &((struct measure *)user)->size;
  uint64_t *const counts[] = {&size->entries, &size->manifests, &size->tunings};
  uint64_t *const bytes[] = {&size->entry_bytes, &size->manifest_bytes, &size->tuning_bytes};
  *counts[file->id.suffix] += 1;
  *bytes[file->id.suffix] += file->size;
  size->disk_bytes += kiln_disk_bytes(file->size);
  if (size->oldest == 0 || file->used < size->oldest)
    size->oldest = file->used;
  if (file->used > size->newest)
    size->newest = file->used;
  return true;
}

static void *measure_part(void *user) {
  struct measure *part = user;
  kiln_store_walk_range(part->store, part->first, part->first + MEASURE_SUBS, measure_file, part);
  return NULL;
}

static void add_part(struct kiln_place_size *out, const struct kiln_place_size *part, bool imported) {
  out->entries += part->entries;
  out->entry_bytes += part->entry_bytes;
  out->manifests += part->manifests;
  out->manifest_bytes += part->manifest_bytes;
  out->tunings += part->tunings;
  out->tuning_bytes += part->tuning_bytes;
  out->disk_bytes += part->disk_bytes;
  out->imported += imported ? part->entries : 0;
  out->imported_bytes += imported ? part->entry_bytes : 0;
  if (part->oldest != 0 && (out->oldest == 0 || part->oldest < out->oldest))
    out->oldest = part->oldest;
  if (part->newest > out->newest)
    out->newest = part->newest;
}

// With several threads, for most of the time is spent in the system.
static void measure_store(struct kiln_store *store, bool imported, struct kiln_place_size *out) {
  struct measure parts[MEASURE_THREADS] = {0};
  if (store->bundle) {
    kiln_store_walk(store, measure_file, &parts[0]);
    add_part(out, &parts[0].size, imported);
    return;
  }
  for (int i = 0; i < MEASURE_THREADS; i++) {
    parts[i].store = store;
    parts[i].first = i * MEASURE_SUBS;
    parts[i].joinable = kiln_thread_start(&parts[i].thread, measure_part, &parts[i]);
    if (!parts[i].joinable)
      measure_part(&parts[i]);
  }
  for (int i = 0; i < MEASURE_THREADS; i++) {
    if (parts[i].joinable)
      pthread_join(parts[i].thread, NULL);
    add_part(out, &parts[i].size, imported);
  }
}

// Removes each file of a subfolder, or counts them. age: those that are older, in seconds; 0: all.
static uint64_t each_file(const struct kiln_store *store, const char *sub, bool remove, time_t age) {
  char path[PATH_MAX];
  if (store->bundle || snprintf(path, sizeof path, "%s/%s", store->path, sub) >= (int)sizeof path)
    return 0;
  DIR *folder = opendir(path);
  uint64_t count = 0;
  for (struct dirent *item; folder && (item = readdir(folder));) {
    struct stat info;
    if (fstatat(dirfd(folder), item->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(info.st_mode) &&
        (age == 0 || kiln_is_old(info.st_mtime, age)))
      count += !remove || unlinkat(dirfd(folder), item->d_name, 0) == 0;
  }
  if (folder)
    closedir(folder);
  return count;
}

void kiln_place_measure(struct kiln_place *place, struct kiln_place_size *out) {
  *out = (struct kiln_place_size){0};
  for (uint32_t i = 0; i < place->count; i++) {
    measure_store(&place->stores[i], i == 1, out);
    out->quarantined += each_file(&place->stores[i], "quarantine", false, 0);
    out->leftovers += each_file(&place->stores[i], "tmp", false, 0);
  }
}

uint64_t kiln_place_tidy(struct kiln_place *place) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < place->count; i++) {
    count += each_file(&place->stores[i], "quarantine", true, 0);
    count += each_file(&place->stores[i], "tmp", true, 600);
  }
  return count;
}

struct removal {
  struct kiln_store *store;
  uint64_t entries;
};
static bool remove_file(void *user, const struct kiln_stored *file) {
  struct removal *removal = user;
  removal->entries += kiln_store_remove(removal->store, file->id) && file->id.suffix != KILN_SUFFIX_MANIFEST;
  return true;
}

uint64_t kiln_place_clear(struct kiln_place *place) {
  struct removal removal = {0};
  for (uint32_t i = place->count; i-- > 0;) {
    removal.store = &place->stores[i];
    kiln_store_walk(removal.store, remove_file, &removal);
    each_file(removal.store, "quarantine", true, 0);
    each_file(removal.store, "tmp", true, 600); // what writers are at stays
    each_file(removal.store, "", true, 0);
    char path[PATH_MAX];
    for (int sub = -3; sub < 256; sub++) { // folders that are empty now
      static const char *const names[] = {"tmp", "quarantine", KILN_IMPORTED};
      int size = sub < 0 ? snprintf(path, sizeof path, "%s/%s", removal.store->path, names[-1 - sub])
                         : snprintf(path, sizeof path, "%s/%02x", removal.store->path, sub);
      if (size < (int)sizeof path)
        (void)rmdir(path);
    }
  }
  return removal.entries;
}

// ---- bundles --------------------------------------------------------------------------------------------------------

struct listed {
  struct kiln_stored file;
  struct kiln_store *store;
};
struct listing {
  struct listed *items;
  size_t count, capacity;
  bool failed;
  bool (*wanted)(void *user, const struct kiln_item *item);
  void *user;
};

static bool list_item(void *user, const struct kiln_item *item) {
  struct listing *listing = user;
  if (item->defect || (listing->wanted && !listing->wanted(listing->user, item)))
    return true;
  if (listing->count == listing->capacity) {
    size_t capacity = listing->capacity ? listing->capacity * 2 : 256;
    struct listed *items = realloc(listing->items, capacity * sizeof *items);
    if (!items) {
      listing->failed = true;
      return false;
    }
    listing->items = items;
    listing->capacity = capacity;
  }
  listing->items[listing->count++] = (struct listed){item->file, item->store};
  return true;
}

static int newest_first(const void *a, const void *b) {
  const struct listed *x = a, *y = b;
  return x->file.used > y->file.used ? -1 : x->file.used < y->file.used;
}

int kiln_place_export(struct kiln_place *place, bool (*wanted)(void *user, const struct kiln_item *item), void *user,
                      struct kiln_bundle_builder *builder) {
  struct listing listing = {.wanted = wanted, .user = user};
  kiln_place_visit(place, KILN_VISIT_ENTRIES | KILN_VISIT_TUNINGS, false, list_item, &listing);
  if (listing.count != 0)
    qsort(listing.items, listing.count, sizeof *listing.items, newest_first);
  for (size_t i = 0; i < listing.count && builder->error == 0; i++) {
    struct kiln_image_file file;
    const char *reason;
    struct kiln_file_id id = listing.items[i].file.id;
    if (kiln_store_read(listing.items[i].store, id.key, id.suffix, &file, &reason) == KILN_READ_OK) {
      char *sealed;
      size_t size;
      bool sign = place->signer && kiln_signer_check(place->signer, file.data, file.size);
      if (sign && kiln_signer_seal(place->signer, (struct kiln_str){file.data, file.size}, &sealed, &size)) {
        free(file.data);
        file.data = sealed;
        file.size = size;
      }
      (void)kiln_bundle_add(builder, (struct kiln_str){file.data, file.size}); // a damaged one is left out
      free(file.data);
    }
  }
  free(listing.items);
  return listing.failed ? ENOMEM : builder->error;
}

struct import {
  struct kiln_place *place;
  struct kiln_bundle *bundle;
  struct kiln_import_result *result;
  int error;
};

static int import_write(struct import *import, struct kiln_file_id id, const char *data, size_t size) {
  const char *reason = NULL;
  struct kiln_store *store = &import->place->stores[1];
  if (kiln_store_write(store, id.key, id.suffix, data, size, &reason)) {
    (void)kiln_store_grow(&import->place->stores[0], kiln_disk_bytes(size), UINT64_MAX);
    return 0;
  }
  return reason ? EPERM : errno ? errno : EIO;
}

// Sets that the manifest there already has are kept.
static int import_manifest(struct import *import, struct kiln_file_id id, const struct kiln_file_view *view) {
  struct kiln_image_file old = {0};
  char *data = NULL;
  size_t size;
  const char *reason;
  (void)kiln_store_read(&import->place->stores[1], id.key, id.suffix, &old, &reason);
  bool ok = kiln_manifest_encode(view->sections[KILN_SECTION_KEY], view->sections[KILN_FILE_SETS],
                                 (struct kiln_str){old.data, old.size}, &data, &size);
  int error = ok ? import_write(import, id, data, size) : ENOMEM;
  free(old.data);
  free(data);
  return error;
}

// Whether the folder has the entry, with all device code that the bundle's has.
static bool has_entry(struct kiln_store *store, struct kiln_file_id id, const struct kiln_file_view *view) {
  struct kiln_image_file file;
  struct kiln_file_view old = {.artifact = {NULL, 0}};
  const char *reason;
  char path[PATH_MAX];
  struct kiln_str pieces = view->sections[KILN_SECTION_DEVICE];
  if (!kiln_store_path(store, id.key, id.suffix, path, sizeof path) || access(path, F_OK))
    return false;
  if (!pieces.data || kiln_store_read(store, id.key, id.suffix, &file, &reason) != KILN_READ_OK)
    return true;
  bool known = !kiln_file_decode(file.data, file.size, KILN_FILE_ENTRY, &old);
  struct kiln_device_piece piece, other;
  for (size_t cursor = 0; known && kiln_device_piece_next(pieces, &cursor, &piece);)
    known = kiln_device_piece_find(old.sections[KILN_SECTION_DEVICE], piece.identity, &other);
  free(file.data);
  return known;
}

// Whether a file is there that is as good: the entry with its device code, or a tuning record with as many points.
static bool is_present(const struct import *import, struct kiln_file_id id, const struct kiln_file_view *view) {
  struct kiln_store *store = &import->place->stores[1];
  if (id.suffix != KILN_SUFFIX_TUNING)
    return has_entry(store, id, view);
  struct kiln_image_file old;
  struct kiln_file_view old_view;
  struct kiln_tune_key key;
  struct kiln_str text;
  const char *reason;
  if (kiln_store_read(store, id.key, id.suffix, &old, &reason) != KILN_READ_OK)
    return false;
  bool good = !kiln_file_decode(old.data, old.size, KILN_FILE_TUNING, &old_view) &&
              !kiln_tune_read(&old_view, &key, &text) && !kiln_tune_beats(view->sections[KILN_FILE_TUNED], text);
  free(old.data);
  return good;
}

static bool import_member(void *user, const struct kiln_stored *file) {
  struct import *import = user;
  struct kiln_import_result *result = import->result;
  struct kiln_file_id id = file->id;
  bool entry = id.suffix == KILN_SUFFIX_ENTRY, manifest = id.suffix == KILN_SUFFIX_MANIFEST;
  char *data;
  size_t size;
  if (!kiln_bundle_read(import->bundle, id, &data, &size)) {
    import->error = errno;
    return false;
  }
  struct kiln_file_view view;
  struct kiln_record_parts parts;
  const char *defect = kiln_file_decode(data, size, kiln_kind_of(id.suffix), &view);
  if (!defect && check_name(id, &view, &parts))
    defect = "it is not what the index says";
  if (!defect && !manifest && import->place->signer)
    defect = kiln_signer_check(import->place->signer, data, size);
  struct kiln_store *store = &import->place->stores[1];
  if (defect) {
    result->refused++;
    result->defect = defect;
  } else if (manifest) {
    import->error = import_manifest(import, id, &view);
  } else if (is_present(import, id, &view)) {
    result->present++;
  } else {
    import->error = import_write(import, id, data, size);
    result->added += import->error == 0;
  }
  if (!defect && entry && import->error == 0) {
    struct kiln_strbuf label = {0};
    kiln_record_label(&parts, &label);
    kiln_store_declare(store, parts.toolchain, label.failed || !label.data ? "" : label.data);
    kiln_strbuf_free(&label);
  }
  free(data);
  return import->error == 0;
}

int kiln_place_import(struct kiln_place *place, struct kiln_bundle *bundle, struct kiln_import_result *result) {
  struct import import = {place, bundle, result, 0};
  *result = (struct kiln_import_result){0};
  if (place->count < 2)
    return ENOTDIR;
  kiln_bundle_walk(bundle, import_member, &import);
  if (result->added != 0) {
    int fd = open(place->stores[0].path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); // nobody waits for a first launch here
    if (fd >= 0) {
      (void)syncfs(fd);
      close(fd);
    }
  }
  return import.error;
}

// ---- the nearest entry ----------------------------------------------------------------------------------------------

struct nearest {
  struct kiln_str record;
  struct kiln_nearest *out;
  const char *place;
  struct kiln_store *store;
  double best;
};

static bool field_named(struct kiln_str record, struct kiln_str name, struct kiln_str *out) {
  struct kiln_key_field field;
  for (size_t cursor = 0; kiln_key_next(record, &cursor, &field);) {
    if (kiln_str_eq(field.name, name)) {
      *out = field.data;
      return true;
    }
  }
  return false;
}

// How much of two texts is the same at their beginnings and ends, from 0 to 1.
static double likeness(struct kiln_str a, struct kiln_str b) {
  size_t shorter = a.size < b.size ? a.size : b.size, longer = a.size < b.size ? b.size : a.size;
  size_t front = 0, back = 0;
  while (front < shorter && a.data[front] == b.data[front])
    front++;
  while (back < shorter - front && a.data[a.size - 1 - back] == b.data[b.size - 1 - back])
    back++;
  return longer ? (double)(front + back) / (double)longer : 1;
}

// The source counts most, then backend and arch, then all else.
static double score(struct kiln_str wanted, struct kiln_str record) {
  static const struct {
    const char *name;
    double weight;
  } weights[] = {{"source", 16}, {"backend", 4}, {"arch", 2}, {"options", 2}};
  struct kiln_key_field field;
  struct kiln_str other;
  double sum = 0;
  for (size_t cursor = 0; kiln_key_next(wanted, &cursor, &field);) {
    double weight = 1;
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
      weight = kiln_str_eq(field.name, kiln_str(weights[i].name)) ? weights[i].weight : weight;
    if (field_named(record, field.name, &other))
      sum += weight * (kiln_str_eq(field.data, other) ? 1 : 0.9 * likeness(field.data, other));
  }
  return sum;
}

static void consider(struct nearest *nearest, struct kiln_str record, struct kiln_str made, const char *place) {
  double value = score(nearest->record, record);
  if (value <= nearest->best)
    return;
  char *copy = malloc(record.size + 1), *name = strdup(place), *of = made.data ? malloc(made.size + 1) : NULL;
  if (!copy || !name || (made.data && !of)) {
    free(copy);
    free(name);
    free(of);
    return;
  }
  memcpy(copy, record.data, record.size);
  if (of)
    memcpy(of, made.data, made.size);
  kiln_nearest_free(nearest->out);
  *nearest->out =
      (struct kiln_nearest){copy, record.size, {of, of ? made.size : 0}, kiln_hash128(record.data, record.size), name};
  nearest->best = value;
}

void kiln_nearest_free(struct kiln_nearest *nearest) {
  free(nearest->record);
  free((void *)(uintptr_t)nearest->made.data);
  free(nearest->place);
  *nearest = (struct kiln_nearest){0};
}

static bool consider_item(void *user, const struct kiln_item *item) {
  struct nearest *nearest = user;
  if (!item->defect)
    consider(nearest, item->record, item->made, item->store->path);
  return true;
}

static void consider_memory(void *user, struct kiln_cache_entry *entry) {
  consider(user, entry->sections[KILN_SECTION_KEY], entry->sections[KILN_SECTION_MADE], "memory");
}

void kiln_cache_nearest(struct kiln_cache *cache, struct kiln_str record, struct kiln_nearest *out) {
  *out = (struct kiln_nearest){0};
  struct kiln_floats floats = kiln_floats_enter();
  struct nearest nearest = {.record = record, .out = out, .best = -1};
  struct visit visit = {.kinds = KILN_VISIT_ENTRIES, .fn = consider_item, .user = &nearest};
  kiln_cache_visit_memory(cache, consider_memory, &nearest);
  if (cache->has_store) {
    visit.store = &cache->store;
    kiln_store_walk(visit.store, visit_file, &visit);
  }
  for (uint32_t i = 0; i < atomic_load(&cache->layer_count); i++) {
    visit.store = &cache->layers[i];
    kiln_store_walk(visit.store, visit_file, &visit);
  }
  kiln_floats_leave(floats);
}
