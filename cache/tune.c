// Tuning records in the folder, in layers, on remotes and in memory. docs/cache.md describes how they differ from
// entries, cache/FORMAT.md their files.
#include "cache/tune.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "cache/internal.h"

enum { CLEAR_BYTES = 8, WAIT_MS = 100 };
static const uint64_t memory_limit = 16u << 20;

// ---- files ----------------------------------------------------------------------------------------------------------

static void put_record(const struct kiln_tune_key *key, struct kiln_key *out) {
  kiln_key_add(out, "tune", key->bytes, sizeof key->bytes);
  kiln_key_add_u64(out, "format", KILN_CACHE_FORMAT);
}

struct kiln_file_id kiln_tune_file(const struct kiln_tune_key *key) {
  struct kiln_file_id id = {.key = kiln_hash128(key->bytes, sizeof key->bytes), .suffix = KILN_SUFFIX_TUNING};
  memmove(id.key.bytes + CLEAR_BYTES, id.key.bytes, sizeof id.key.bytes - CLEAR_BYTES);
  memcpy(id.key.bytes, key->bytes, CLEAR_BYTES);
  return id;
}

const char *kiln_tune_read(const struct kiln_file_view *view, struct kiln_tune_key *key, struct kiln_str *text) {
  struct kiln_str record = view->sections[KILN_SECTION_KEY];
  struct kiln_key_field field = {0};
  struct kiln_key wanted = {0};
  size_t cursor = 0;
  bool found = kiln_key_next(record, &cursor, &field) && field.data.size == sizeof key->bytes;
  if (found) {
    memcpy(key->bytes, field.data.data, sizeof key->bytes);
    put_record(key, &wanted);
    found = !wanted.record.failed && kiln_str_eq(record, (struct kiln_str){wanted.record.data, wanted.record.size});
    kiln_key_free(&wanted);
  }
  if (!found)
    return "its key record is malformed";
  *text = view->sections[KILN_FILE_TUNED];
  return !text->data ? "what was measured is missing" : text->size > KILN_TUNE_MAX_TEXT ? "it is too large" : NULL;
}

struct kiln_str kiln_tune_line(struct kiln_str text, const char *name) {
  size_t name_size = strlen(name);
  for (size_t at = 0, size; at < text.size; at += size + 1) {
    const char *line = text.data + at, *end = memchr(line, '\n', text.size - at);
    size = end ? (size_t)(end - line) : text.size - at;
    if (size == 0)
      break; // the points follow
    if (size >= name_size + 2 && memcmp(line, name, name_size) == 0 && memcmp(line + name_size, ": ", 2) == 0)
      return (struct kiln_str){line + name_size + 2, size - name_size - 2};
  }
  return (struct kiln_str){"", 0};
}

static uint64_t points_of(struct kiln_str text) {
  struct kiln_str digits = kiln_tune_line(text, "points");
  uint64_t points = 0;
  for (size_t i = 0; i < digits.size && i < 18 && digits.data[i] >= '0' && digits.data[i] <= '9'; i++)
    points = points * 10 + (uint64_t)(digits.data[i] - '0');
  return points;
}

bool kiln_tune_beats(struct kiln_str text, struct kiln_str other) { return points_of(text) > points_of(other); }

// ---- memory ---------------------------------------------------------------------------------------------------------

struct tuning {
  struct tuning *next;
  struct kiln_tune_key key;
  struct box *box;
  bool written; // it is on disk, too
};

static bool same_key(const struct kiln_tune_key *a, const struct kiln_tune_key *b) {
  return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static struct kiln_str text_of(const struct box *box) { return box->entry.artifact; }

// Unlinks and frees one; the mutex is held.
static void drop(struct kiln_cache *cache, struct tuning **link) {
  struct tuning *tuning = *link;
  *link = tuning->next;
  cache->tuning_bytes -= tuning->written ? tuning->box->size : 0;
  kiln_cache_entry_release(&tuning->box->entry);
  free(tuning);
}

static bool forget(struct kiln_cache *cache, const struct kiln_tune_key *key) {
  struct tuning **link = &cache->tunings;
  while (*link && !same_key(&(*link)->key, key))
    link = &(*link)->next;
  bool found = *link != NULL;
  if (found)
    drop(cache, link);
  return found;
}

void kiln_tune_drop_all(struct kiln_cache *cache) {
  while (cache->tunings)
    drop(cache, &cache->tunings);
}

// Keeps a record in memory in place of an older one. Those that are on disk leave when there are too many.
static void remember(struct kiln_cache *cache, const struct kiln_tune_key *key, struct box *box, bool written) {
  struct tuning *tuning = malloc(sizeof *tuning);
  if (!tuning)
    return; // it is read again
  kiln_cache_entry_retain(&box->entry);
  pthread_mutex_lock(&cache->mutex);
  forget(cache, key);
  *tuning = (struct tuning){.next = cache->tunings, .key = *key, .box = box, .written = written};
  cache->tunings = tuning;
  cache->tuning_bytes += written ? box->size : 0;
  while (cache->tuning_bytes > memory_limit) {
    struct tuning **oldest = NULL;
    for (struct tuning **link = &cache->tunings; *link; link = &(*link)->next)
      oldest = (*link)->written ? link : oldest;
    drop(cache, oldest);
  }
  pthread_mutex_unlock(&cache->mutex);
}

// A record that memory alone has, retained; NULL: memory has no such record.
static struct box *find_unwritten(struct kiln_cache *cache, const struct kiln_tune_key *key) {
  struct box *box = NULL;
  pthread_mutex_lock(&cache->mutex);
  for (struct tuning *tuning = cache->tunings; tuning && !box; tuning = tuning->next)
    box = !tuning->written && same_key(&tuning->key, key) ? tuning->box : NULL;
  if (box)
    kiln_cache_entry_retain(&box->entry);
  pthread_mutex_unlock(&cache->mutex);
  return box;
}

// All of them, retained, with their keys. The caller's; NULL: memory is exhausted.
static struct tuning *copy_all(struct kiln_cache *cache, bool unwritten_only, size_t *count) {
  *count = 0;
  pthread_mutex_lock(&cache->mutex);
  size_t all = 0;
  for (struct tuning *tuning = cache->tunings; tuning; tuning = tuning->next)
    all++;
  struct tuning *copies = malloc((all + 1) * sizeof *copies);
  for (struct tuning *tuning = cache->tunings; tuning && copies; tuning = tuning->next) {
    if (unwritten_only && tuning->written)
      continue;
    copies[(*count)++] = *tuning;
    kiln_cache_entry_retain(&tuning->box->entry);
  }
  pthread_mutex_unlock(&cache->mutex);
  return copies;
}

bool kiln_tune_visit_memory(struct kiln_cache *cache, kiln_cache_entry_fn *fn, void *user) {
  size_t count;
  struct tuning *copies = copy_all(cache, false, &count);
  for (size_t i = 0; i < count; i++) {
    fn(user, &copies[i].box->entry);
    kiln_cache_entry_release(&copies[i].box->entry);
  }
  free(copies);
  return copies != NULL;
}

// ---- reading --------------------------------------------------------------------------------------------------------

// Makes a box of a file, which it takes over. Its artifact is the record's text.
static struct box *new_box(char *image, size_t size, const struct kiln_file_view *view, const struct kiln_tune_key *key,
                           struct kiln_str text) {
  struct kiln_file_view of_text = *view;
  char hex[33];
  of_text.artifact = text;
  kiln_hash128_hex(kiln_tune_file(key).key, hex);
  return kiln_cache_new_box(image, size, &of_text, hex, NULL);
}

// Reads the record under a file's name. *key: its key. NULL: it is not there, or no good.
static struct box *read_record(struct kiln_cache *cache, struct kiln_store *store, struct kiln_hash128 file_key,
                               struct kiln_tune_key *key) {
  struct kiln_image_file file;
  struct kiln_file_view view;
  struct kiln_str text;
  struct fact why;
  char hex[33];
  if (!kiln_cache_read_file(cache, store, file_key, KILN_SUFFIX_TUNING, &file, &view, &why))
    return NULL;
  kiln_hash128_hex(file_key, hex);
  if (kiln_tune_read(&view, key, &text) || kiln_cache_distrust(cache, store, &file, hex)) {
    free(file.data);
    return NULL;
  }
  return new_box(file.data, file.size, &view, key, text);
}

static struct box *find_in(struct kiln_cache *cache, struct kiln_store *store, const struct kiln_tune_key *key) {
  struct kiln_tune_key found;
  struct box *box = read_record(cache, store, kiln_tune_file(key).key, &found);
  if (box && !same_key(&found, key)) { // two keys with one hash
    kiln_cache_entry_release(&box->entry);
    box = NULL;
  }
  return box;
}

// Finds a record on this machine. *written: a later look-up finds it where it is.
static struct box *find_here(struct kiln_cache *cache, const struct kiln_tune_key *key, bool *written) {
  struct box *box = cache->has_store ? find_in(cache, &cache->store, key) : NULL;
  *written = true;
  if (!box) {
    box = find_unwritten(cache, key);
    *written = !box;
  }
  uint32_t layers = atomic_load_explicit(&cache->layer_count, memory_order_acquire);
  for (uint32_t i = 0; i < layers && !box; i++)
    box = find_in(cache, &cache->layers[i], key);
  return box;
}

struct remote_search {
  const struct kiln_tune_key *key;
  struct box *box;
};

// What remotes answer is checked like a file of a stranger.
static const char *check_answer(void *user, struct kiln_remote_item *item, struct kiln_signer *signer) {
  struct remote_search *search = user;
  struct kiln_file_view view;
  struct kiln_tune_key key;
  struct kiln_str text;
  const char *defect = kiln_file_decode(item->data, item->size, KILN_FILE_TUNING, &view);
  if (!defect && signer)
    defect = kiln_signer_check(signer, item->data, item->size);
  if (!defect)
    defect = kiln_tune_read(&view, &key, &text);
  if (!defect && !same_key(&key, search->key))
    defect = "it is of another key";
  if (defect)
    return defect;
  search->box = new_box(item->data, item->size, &view, &key, text);
  item->data = NULL;
  return search->box ? NULL : "memory is exhausted";
}

static bool write_record(struct kiln_cache *cache, struct kiln_store *store, const struct kiln_tune_key *key,
                         const struct box *box) {
  struct kiln_file_id id = kiln_tune_file(key);
  const char *reason = NULL;
  bool ok = kiln_store_write(store, id.key, id.suffix, box->image, box->size, &reason);
  kiln_cache_note_store(cache, store, id, box->size, ok, reason);
  return ok;
}

// What a remote had is kept with what was imported, where the next process finds it.
static struct box *find_remote(struct kiln_cache *cache, const struct kiln_tune_key *key, bool *written) {
  struct kiln_remotes *remotes = cache->mode != KILN_CACHE_MODE_OFF ? kiln_cache_remotes(cache) : NULL;
  struct remote_search search = {.key = key};
  struct kiln_remote_lookup lookup = {.key = kiln_tune_file(key).key, .check = check_answer, .user = &search};
  if (!remotes || !kiln_remotes_find_tuning(remotes, &lookup))
    return NULL;
  *written =
      cache->mode == KILN_CACHE_MODE_RW && cache->imported && write_record(cache, cache->imported, key, search.box);
  return search.box;
}

bool kiln_tune_load(struct kiln_cache *cache, const struct kiln_tune_key *key, bool ask_remotes, char **out,
                    size_t *size) {
  bool written = false;
  struct box *box = cache->mode != KILN_CACHE_MODE_OFF ? find_here(cache, key, &written) : NULL;
  if (!box && ask_remotes)
    box = find_remote(cache, key, &written);
  *out = box ? malloc(text_of(box).size + 1) : NULL;
  if (*out) {
    *size = text_of(box).size;
    memcpy(*out, text_of(box).data, *size);
    (*out)[*size] = '\0';
    remember(cache, key, box, written);
  }
  if (box)
    kiln_cache_entry_release(&box->entry);
  return *out != NULL;
}

const char *kiln_tune_bundle_add(struct kiln_cache *cache, struct kiln_bundle_builder *builder,
                                 const struct kiln_tune_key *key) {
  bool written;
  struct box *box = cache->mode != KILN_CACHE_MODE_OFF ? find_here(cache, key, &written) : NULL;
  const char *defect = box ? kiln_cache_bundle_add(cache, builder, &box->entry) : "it is not here";
  if (box)
    kiln_cache_entry_release(&box->entry);
  return defect;
}

// ---- writing --------------------------------------------------------------------------------------------------------

static struct box *encode(struct kiln_cache *cache, const struct kiln_tune_key *key, struct kiln_str text) {
  struct kiln_file_view view = {.kind = KILN_FILE_TUNING};
  struct kiln_key record = {0};
  struct box *box = NULL;
  char *image;
  size_t size;
  put_record(key, &record);
  view.sections[KILN_SECTION_KEY] = (struct kiln_str){record.record.data, record.record.size};
  view.sections[KILN_FILE_TUNED] = text;
  bool sign = cache->signer && kiln_signer_can_sign(cache->signer);
  if (sign)
    view.sections[KILN_FILE_SIGNATURE] = kiln_signer_room();
  if (!record.record.failed && kiln_file_encode(&view, &image, &size)) {
    if (sign)
      (void)kiln_signer_sign(cache->signer, image, size);               // one that fails is refused elsewhere
    if (kiln_file_decode(image, size, KILN_FILE_TUNING, &view) == NULL) // points the view into the image
      box = new_box(image, size, &view, key, view.sections[KILN_FILE_TUNED]);
    else
      free(image);
  }
  kiln_key_free(&record);
  return box;
}

bool kiln_tune_store(struct kiln_cache *cache, const struct kiln_tune_key *key, const char *data, size_t size) {
  bool usable = cache->mode != KILN_CACHE_MODE_OFF && size <= KILN_TUNE_MAX_TEXT;
  struct box *box = usable ? encode(cache, key, (struct kiln_str){data, size}) : NULL;
  if (!box)
    return false;
  bool writes = cache->mode == KILN_CACHE_MODE_RW;
  bool written = writes && cache->has_store && write_record(cache, &cache->store, key, box);
  remember(cache, key, box, written);
  struct kiln_remotes *remotes = writes ? kiln_cache_remotes(cache) : NULL;
  if (remotes)
    kiln_remotes_post_tuning(remotes, &box->entry, kiln_tune_file(key).key);
  kiln_cache_entry_release(&box->entry);
  return written;
}

bool kiln_tune_remove(struct kiln_cache *cache, const struct kiln_tune_key *key) {
  struct kiln_file_id id = kiln_tune_file(key);
  pthread_mutex_lock(&cache->mutex);
  bool removed = forget(cache, key);
  pthread_mutex_unlock(&cache->mutex);
  if (cache->mode == KILN_CACHE_MODE_RW && cache->has_store) {
    removed |= kiln_store_remove(&cache->store, id);
    removed |= cache->imported && kiln_store_remove(cache->imported, id);
  }
  return removed;
}

// ---- visiting -------------------------------------------------------------------------------------------------------

struct visit {
  struct kiln_cache *cache;
  struct kiln_store *store; // that is being walked
  const void *prefix;
  size_t prefix_size;
  kiln_tune_visit_fn *fn;
  void *user;
  struct kiln_tune_key *seen;
  size_t count, capacity;
  bool stopped;
};

// Whether a key is one to show, and this is the first time that it comes.
static bool is_new(struct visit *visit, const struct kiln_tune_key *key) {
  if (memcmp(key->bytes, visit->prefix, visit->prefix_size) != 0)
    return false;
  for (size_t i = 0; i < visit->count; i++)
    if (same_key(&visit->seen[i], key))
      return false;
  if (visit->count == visit->capacity) {
    size_t capacity = visit->capacity ? visit->capacity * 2 : 16;
    struct kiln_tune_key *seen = realloc(visit->seen, capacity * sizeof *seen);
    if (!seen)
      return true; // it may come twice
    visit->seen = seen;
    visit->capacity = capacity;
  }
  visit->seen[visit->count++] = *key;
  return true;
}

static bool visit_file(void *user, const struct kiln_stored *file) {
  struct visit *visit = user;
  struct kiln_tune_key key;
  struct box *box = read_record(visit->cache, visit->store, file->id.key, &key);
  if (box && is_new(visit, &key))
    visit->stopped = !visit->fn(visit->user, &key, text_of(box).data, text_of(box).size);
  if (box)
    kiln_cache_entry_release(&box->entry);
  return !visit->stopped;
}

static void visit_store(struct visit *visit, struct kiln_store *store) {
  visit->store = store;
  if (!visit->stopped)
    kiln_store_walk_prefix(store, KILN_SUFFIX_TUNING, visit->prefix,
                           visit->prefix_size < CLEAR_BYTES ? visit->prefix_size : CLEAR_BYTES, visit_file, visit);
}

void kiln_tune_visit(struct kiln_cache *cache, const void *prefix, size_t prefix_size, kiln_tune_visit_fn *fn,
                     void *user) {
  struct visit visit = {.cache = cache, .prefix = prefix, .prefix_size = prefix_size, .fn = fn, .user = user};
  size_t count;
  if (cache->mode == KILN_CACHE_MODE_OFF)
    return;
  if (cache->has_store)
    visit_store(&visit, &cache->store);
  struct tuning *copies = copy_all(cache, true, &count);
  for (size_t i = 0; i < count; i++) {
    const struct box *box = copies[i].box;
    if (!visit.stopped && is_new(&visit, &copies[i].key))
      visit.stopped = !fn(user, &copies[i].key, text_of(box).data, text_of(box).size);
    kiln_cache_entry_release(&copies[i].box->entry);
  }
  free(copies);
  uint32_t layers = atomic_load_explicit(&cache->layer_count, memory_order_acquire);
  for (uint32_t i = 0; i < layers; i++)
    visit_store(&visit, &cache->layers[i]);
  free(visit.seen);
}

// ---- locks ----------------------------------------------------------------------------------------------------------

struct kiln_tune_lock {
  struct kiln_tune_lock *next; // of the cache
  struct kiln_cache *cache;
  struct kiln_tune_key key;
  int file; // the lock among processes; -1: the folder has none
};

static bool is_held(const struct kiln_cache *cache, const struct kiln_tune_key *key) {
  for (const struct kiln_tune_lock *lock = cache->tune_locks; lock; lock = lock->next)
    if (same_key(&lock->key, key))
      return true;
  return false;
}

// Waits for the other threads of this process. False: it was given up.
static bool lock_threads(struct kiln_tune_lock *lock, bool (*give_up)(void *user), void *user) {
  struct kiln_cache *cache = lock->cache;
  bool stop = false;
  pthread_mutex_lock(&cache->mutex);
  while (is_held(cache, &lock->key) && !stop) {
    uint64_t end = kiln_now_ns() + WAIT_MS * (uint64_t)1000000;
    struct timespec until = {(time_t)(end / 1000000000u), (long)(end % 1000000000u)};
    (void)pthread_cond_timedwait(&cache->changed, &cache->mutex, &until);
    pthread_mutex_unlock(&cache->mutex);
    stop = give_up && give_up(user);
    pthread_mutex_lock(&cache->mutex);
  }
  if (!stop) {
    lock->next = cache->tune_locks;
    cache->tune_locks = lock;
  }
  pthread_mutex_unlock(&cache->mutex);
  return !stop;
}

static void unlock_threads(struct kiln_tune_lock *lock) {
  struct kiln_cache *cache = lock->cache;
  pthread_mutex_lock(&cache->mutex);
  struct kiln_tune_lock **link = &cache->tune_locks;
  while (*link != lock)
    link = &(*link)->next;
  *link = lock->next;
  pthread_cond_broadcast(&cache->changed);
  pthread_mutex_unlock(&cache->mutex);
}

// The same for other processes.
static bool lock_processes(struct kiln_tune_lock *lock, bool (*give_up)(void *user), void *user) {
  struct kiln_cache *cache = lock->cache;
  struct kiln_hash128 key = kiln_hash128(lock->key.bytes, sizeof lock->key.bytes);
  bool waited, timed_out, stop = false, can = cache->has_store && cache->mode == KILN_CACHE_MODE_RW;
  while (can && lock->file < 0 && !stop) {
    lock->file = kiln_store_lock(&cache->store, key, kiln_now_ns() + WAIT_MS * (uint64_t)1000000, &waited, &timed_out);
    can = timed_out;
    stop = timed_out && give_up && give_up(user);
  }
  return !stop;
}

struct kiln_tune_lock *kiln_tune_lock(struct kiln_cache *cache, const struct kiln_tune_key *key,
                                      bool (*give_up)(void *user), void *user) {
  struct kiln_tune_lock *lock = malloc(sizeof *lock);
  if (!lock)
    return NULL;
  *lock = (struct kiln_tune_lock){.cache = cache, .key = *key, .file = -1};
  bool threads = lock_threads(lock, give_up, user);
  if (threads && lock_processes(lock, give_up, user))
    return lock;
  if (threads)
    unlock_threads(lock);
  free(lock);
  return NULL;
}

void kiln_tune_unlock(struct kiln_tune_lock *lock) {
  if (lock) {
    kiln_store_unlock(lock->file);
    unlock_threads(lock);
    free(lock);
  }
}
