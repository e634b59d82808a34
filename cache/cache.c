// Look-ups: in memory, the user's folder, then the layers; on a miss one caller must compile. docs/cache.md describes
// it.
//
// One mutex guards the table and the counters; it is never held during I/O. A head is what memory knows of one request
// (and toolchain): the entries made for it, one per set of includes, and whether a thread is looking on disk or
// compiling. Threads that wait for that thread find the head anew after they wake, so heads come and go freely.
#include "cache/cache.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "cache/format.h"
#include "cache/internal.h"
#include "cache/manifest.h"

void kiln_cache_note(struct search *search, enum kiln_cache_miss reason) {
  if (reason > search->trace.reason)
    search->trace.reason = reason;
}

void kiln_cache_note_fact(struct search *search, struct fact fact) {
  kiln_cache_note(search, fact.kind);
  bool known = fact.kind == KILN_MISS_ABSENT;
  for (uint32_t i = 0; i < search->fact_count && !known; i++)
    known = search->facts[i].place == fact.place && search->facts[i].kind == fact.kind;
  if (!known && search->fact_count < KILN_MAX_FACTS)
    search->facts[search->fact_count++] = fact;
}
static void count_miss(struct search *search, enum kiln_cache_miss reason) {
  struct kiln_cache *cache = search->cache;
  kiln_cache_note(search, reason);
  pthread_mutex_lock(&cache->mutex);
  cache->counters.misses++;
  cache->counters.misses_by[search->trace.reason]++;
  pthread_mutex_unlock(&cache->mutex);
}

// ---- log ------------------------------------------------------------------------------------------------------------

void kiln_cache_say(struct kiln_cache *cache, bool warning, const char *format, ...) {
  if (!cache->log)
    return;
  struct kiln_strbuf text = {0};
  va_list args;
  va_start(args, format);
  kiln_strbuf_vprintf(&text, format, args);
  va_end(args);
  if (!text.failed)
    cache->log(cache->log_user, warning, text.data);
  kiln_strbuf_free(&text);
}

// Whether this is the first complaint of its kind: one line is enough.
static bool first_time(struct kiln_cache *cache, enum complaint kind) {
  return !atomic_exchange_explicit(&cache->complained[kind], true, memory_order_relaxed);
}

static void count_by(struct kiln_cache *cache, uint64_t *counter, uint64_t by) {
  pthread_mutex_lock(&cache->mutex);
  *counter += by;
  pthread_mutex_unlock(&cache->mutex);
}
static void count(struct kiln_cache *cache, uint64_t *counter) { count_by(cache, counter, 1); }

void kiln_cache_tell(struct kiln_cache *cache, struct kiln_cache_notice notice) {
  if (cache->notice) {
    notice.key = notice.key ? notice.key : "";
    notice.place = notice.place ? notice.place : "";
    notice.reason = notice.reason ? notice.reason : "";
    cache->notice(cache->notice_user, &notice);
  }
}

// ---- entries --------------------------------------------------------------------------------------------------------

void kiln_cache_entry_retain(struct kiln_cache_entry *entry) {
  atomic_fetch_add_explicit(&((struct box *)entry)->references, 1, memory_order_relaxed);
}

void kiln_cache_entry_release(struct kiln_cache_entry *entry) {
  struct box *box = (struct box *)entry;
  if (box && atomic_fetch_sub_explicit(&box->references, 1, memory_order_acq_rel) == 1) {
    free(box->image);
    free(box->path);
    free(box);
  }
}

struct kiln_str kiln_cache_entry_image(const struct kiln_cache_entry *entry) {
  const struct box *box = (const struct box *)entry;
  return (struct kiln_str){box->image, box->size};
}

struct box *kiln_cache_new_box(char *image, size_t size, const struct kiln_file_view *view, const char *key,
                               const char *path) {
  struct box *box = calloc(1, sizeof *box);
  char *copy = path ? strdup(path) : NULL;
  if (!box || (path && !copy)) {
    free(image);
    free(copy);
    free(box);
    return NULL;
  }
  atomic_init(&box->references, 1);
  box->image = image;
  box->size = size;
  box->path = copy;
  memcpy(box->entry.key, key, strlen(key) + 1);
  box->entry.path = copy;
  box->entry.artifact = view->artifact;
  memcpy(box->entry.sections, view->sections, sizeof box->entry.sections);
  return box;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static struct head **bucket_of(struct kiln_cache *cache, struct kiln_hash128 key) {
  uint32_t at;
  memcpy(&at, key.bytes, sizeof at);
  return &cache->buckets[at & (cache->bucket_count - 1)];
}

static struct head *find_head(struct kiln_cache *cache, struct kiln_hash128 key) {
  for (struct head *head = *bucket_of(cache, key); head; head = head->next)
    if (memcmp(&head->key, &key, sizeof key) == 0)
      return head;
  return NULL;
}

static void grow_table(struct kiln_cache *cache) {
  uint32_t old_count = cache->bucket_count;
  struct head **old = cache->buckets, **buckets = calloc((size_t)old_count * 2, sizeof *buckets);
  if (!buckets)
    return; // longer chains
  cache->buckets = buckets;
  cache->bucket_count = old_count * 2;
  for (uint32_t i = 0; i < old_count; i++) {
    for (struct head *head = old[i], *next; head; head = next) {
      next = head->next;
      struct head **bucket = bucket_of(cache, head->key);
      head->next = *bucket;
      *bucket = head;
    }
  }
  free(old);
}

static struct head *make_head(struct kiln_cache *cache, struct kiln_hash128 key) {
  struct head *head = find_head(cache, key);
  if (head)
    return head;
  head = calloc(1, sizeof *head);
  if (head) {
    if (cache->head_count >= cache->bucket_count)
      grow_table(cache);
    struct head **bucket = bucket_of(cache, key);
    *head = (struct head){.next = *bucket, .key = key, .used = ++cache->clock};
    *bucket = head;
    cache->head_count++;
  }
  return head;
}

void kiln_cache_drop_head(struct kiln_cache *cache, struct head *head) {
  struct head **link = bucket_of(cache, head->key);
  while (*link != head)
    link = &(*link)->next;
  *link = head->next;
  cache->head_count--;
  for (uint32_t i = 0; i < head->count; i++) {
    cache->memory_used -= head->entries[i]->size;
    kiln_cache_entry_release(&head->entries[i]->entry);
  }
  free(head);
}

static bool in_use(const struct head *head) {
  for (uint32_t i = 0; i < head->count; i++)
    if (atomic_load_explicit(&head->entries[i]->references, memory_order_relaxed) != 1)
      return true; // new references are only made under the mutex, so 1 stays 1
  return head->in_flight;
}

static int by_age(const void *a, const void *b) {
  const struct head *x = *(struct head *const *)a, *y = *(struct head *const *)b;
  return x->used < y->used ? -1 : x->used > y->used;
}

// Drops what was not used for longest, and is not in use, until three quarters of the limit are left.
static void shrink(struct kiln_cache *cache) {
  struct head **heads = malloc(sizeof *heads * (cache->head_count + 1));
  uint32_t found = 0;
  if (!heads)
    return;
  for (uint32_t i = 0; i < cache->bucket_count; i++)
    for (struct head *head = cache->buckets[i]; head; head = head->next)
      heads[found++] = head;
  qsort(heads, found, sizeof *heads, by_age);
  for (uint32_t i = 0; i < found && cache->memory_used > cache->memory_limit / 4 * 3; i++) {
    if (!in_use(heads[i])) {
      cache->counters.dropped += heads[i]->count;
      kiln_cache_drop_head(cache, heads[i]);
    }
  }
  free(heads);
}

// Keeps an entry for a head, in place of an equal one or of the oldest.
static void remember(struct kiln_cache *cache, struct head *head, struct box *box) {
  uint32_t at = 0;
  while (at < head->count && strcmp(head->entries[at]->entry.key, box->entry.key) != 0)
    at++;
  if (at == head->count && head->count < KILN_MAX_SETS) {
    head->count++;
  } else {
    at = at < KILN_MAX_SETS ? at : KILN_MAX_SETS - 1;
    cache->memory_used -= head->entries[at]->size;
    kiln_cache_entry_release(&head->entries[at]->entry);
  }
  memmove(head->entries + 1, head->entries, at * sizeof *head->entries);
  head->entries[0] = box;
  head->used = head->changed = ++cache->clock;
  kiln_cache_entry_retain(&box->entry);
  cache->memory_used += box->size;
}

void kiln_cache_replace(struct kiln_cache *cache, struct box *box) {
  pthread_mutex_lock(&cache->mutex);
  for (uint32_t b = 0; b < cache->bucket_count; b++)
    for (struct head *head = cache->buckets[b]; head; head = head->next)
      for (uint32_t i = 0; i < head->count; i++)
        if (strcmp(head->entries[i]->entry.key, box->entry.key) == 0) {
          cache->memory_used += box->size - head->entries[i]->size;
          kiln_cache_entry_release(&head->entries[i]->entry);
          head->entries[i] = box;
          kiln_cache_entry_retain(&box->entry);
        }
  pthread_mutex_unlock(&cache->mutex);
}

// Ends the flight over a head, with what came of it or NULL.
static void end_flight(struct kiln_cache *cache, struct kiln_hash128 key, struct box *box) {
  pthread_mutex_lock(&cache->mutex);
  struct head *head = find_head(cache, key);
  head->in_flight = false;
  if (box)
    remember(cache, head, box);
  if (head->count == 0)
    kiln_cache_drop_head(cache, head);
  if (cache->memory_used > cache->memory_limit)
    shrink(cache);
  pthread_cond_broadcast(&cache->changed);
  pthread_mutex_unlock(&cache->mutex);
}

// ---- disk -----------------------------------------------------------------------------------------------------------

static void read_failed(struct kiln_cache *cache, const struct kiln_store *store, const char *reason, int error) {
  count(cache, &cache->counters.read_failures);
  if (first_time(cache, kiln_cache_is_own(cache, store) ? COMPLAINT_FOLDER : COMPLAINT_LAYER)) {
    kiln_cache_say(cache, true, "kernel cache %s: cannot use what is there: %s", store->path,
                   reason ? reason : strerrordesc_np(error));
  }
}

bool kiln_cache_read_file(struct kiln_cache *cache, struct kiln_store *store, struct kiln_hash128 key,
                          enum kiln_store_suffix suffix, struct kiln_image_file *file, struct kiln_file_view *view,
                          struct fact *why) {
  const char *reason;
  enum kiln_read state = kiln_store_read(store, key, suffix, file, &reason);
  if (state != KILN_READ_OK) {
    *why = (struct fact){.kind = KILN_MISS_ABSENT, .place = store->path, .reason = reason, .error = errno, .key = key};
    if (state != KILN_READ_ABSENT) {
      why->kind = KILN_MISS_UNREADABLE;
      read_failed(cache, store, reason, why->error);
    }
    return false;
  }
  const char *defect = kiln_file_decode(file->data, file->size, kiln_kind_of(suffix), view);
  if (defect) {
    char hex[33];
    kiln_hash128_hex(key, hex);
    count(cache, &cache->counters.quarantined);
    kiln_cache_say(cache, true, "kernel cache %s: entry %s is damaged and is not used: %s", store->path, hex, defect);
    if (cache->mode == KILN_CACHE_MODE_RW)
      kiln_store_quarantine(store, key, suffix);
    kiln_cache_tell(cache, (struct kiln_cache_notice){.change = KILN_CHANGE_QUARANTINED,
                                                      .key = hex,
                                                      .place = store->path,
                                                      .reason = defect,
                                                      .bytes = file->size,
                                                      .count = 1});
    free(file->data);
    file->data = NULL;
    *why = (struct fact){.kind = KILN_MISS_DAMAGED, .place = store->path, .reason = defect, .key = key};
    return false;
  }
  count_by(cache, &cache->counters.bytes_read, file->size);
  return true;
}

const char *kiln_cache_distrust(struct kiln_cache *cache, const struct kiln_store *store,
                                const struct kiln_image_file *file, const char *hex) {
  if (!cache->signer || kiln_cache_is_own(cache, store))
    return NULL;
  const char *defect = kiln_signer_check(cache->signer, file->data, file->size);
  if (defect)
    kiln_cache_say(cache, first_time(cache, COMPLAINT_SIGNATURE), "kernel cache %s: entry %s is not used: %s",
                   store->path, hex, defect);
  return defect;
}

static bool is_signed(struct search *search, const struct kiln_store *store, const struct kiln_image_file *file,
                      struct kiln_hash128 key, const char *hex) {
  struct kiln_cache *cache = search->cache;
  const char *defect = kiln_cache_distrust(cache, store, file, hex);
  if (defect)
    kiln_cache_note_fact(search,
                         (struct fact){.kind = KILN_MISS_REFUSED, .place = store->path, .reason = defect, .key = key});
  return !defect;
}

static struct box *read_entry(struct search *search, struct kiln_store *store, struct kiln_str record) {
  struct kiln_hash128 key = kiln_hash128(record.data, record.size);
  struct kiln_file_view view;
  struct kiln_image_file file;
  struct fact why;
  if (!kiln_cache_read_file(search->cache, store, key, KILN_SUFFIX_ENTRY, &file, &view, &why)) {
    kiln_cache_note_fact(search, why);
    return NULL;
  }
  char hex[33], path[4096];
  kiln_hash128_hex(key, hex);
  if (!kiln_str_eq(view.sections[KILN_SECTION_KEY], record)) { // two requests with one hash
    free(file.data);
    return NULL;
  }
  if (!is_signed(search, store, &file, key, hex)) {
    free(file.data);
    return NULL;
  }
  bool has_path = kiln_store_path(store, key, KILN_SUFFIX_ENTRY, path, sizeof path);
  struct box *box = kiln_cache_new_box(file.data, file.size, &view, hex, has_path ? path : NULL);
  if (box)
    box->entry.fixed = has_path && file.of_root && !kiln_cache_is_own(search->cache, store);
  return box;
}

// Looks in one folder for an entry of record (request and toolchain).
static struct box *search_store(struct search *search, struct kiln_store *store, struct kiln_str record,
                                struct kiln_hash128 key) {
  struct box *box = read_entry(search, store, record);
  if (box)
    return box;
  struct kiln_file_view view;
  struct kiln_image_file file;
  struct fact why;
  if (!kiln_cache_read_file(search->cache, store, key, KILN_SUFFIX_MANIFEST, &file, &view, &why)) {
    kiln_cache_note_fact(search, why);
    return NULL;
  }
  struct kiln_str sets = view.sections[KILN_FILE_SETS], fields;
  size_t cursor = 0;
  bool same = kiln_str_eq(view.sections[KILN_SECTION_KEY], record), included = false;
  while (same && !box && kiln_sets_next(sets, &cursor, &fields)) {
    if (kiln_probes_match(&search->memo, search->request, fields)) {
      struct kiln_strbuf whole = {0};
      kiln_strbuf_append(&whole, record.data, record.size);
      kiln_strbuf_append(&whole, fields.data, fields.size);
      if (!whole.failed)
        box = read_entry(search, store, (struct kiln_str){whole.data, whole.size});
      kiln_strbuf_free(&whole);
      included = true;
    }
  }
  if (same && !included) {
    kiln_cache_note(search, KILN_MISS_INCLUDES);
    if (!search->difference_place) // of the difference that is noted
      search->difference_place = store->path;
  }
  free(file.data);
  return box;
}

static struct kiln_str view_of(const struct kiln_strbuf *buf) { return (struct kiln_str){buf->data, buf->size}; }

void kiln_record_complete(struct kiln_strbuf *record, const struct kiln_hash128 *toolchain) {
  struct kiln_key key = {*record};
  kiln_key_add_u64(&key, "format", KILN_CACHE_FORMAT);
  if (toolchain)
    kiln_key_add(&key, "toolchain", toolchain->bytes, sizeof toolchain->bytes);
  *record = key.record;
}

void kiln_request_label(const struct kiln_cache_request *request, struct kiln_strbuf *out) {
  struct kiln_record_parts parts;
  (void)kiln_record_split(view_of(&request->key->record), &parts); // it has no toolchain yet
  kiln_record_label(&parts, out);
  if (out->failed)
    kiln_strbuf_free(out);
}

static struct box *search_layer(struct search *search, struct kiln_store *layer) {
  const struct kiln_hash128 *installed = search->request->toolchain;
  struct box *box = installed ? search_store(search, layer, view_of(&search->record), search->key) : NULL;
  struct kiln_strbuf wanted = {0};
  if (!box && layer->toolchain_count != 0)
    kiln_request_label(search->request, &wanted);
  for (uint32_t i = 0; i < layer->toolchain_count && !box; i++) {
    const struct kiln_hash128 *declared = &layer->toolchains[i].id;
    const char *label = layer->toolchains[i].label;
    bool other_target = *label && wanted.data && strcmp(label, wanted.data) != 0;
    if (other_target || (installed && memcmp(installed, declared, sizeof *declared) == 0))
      continue;
    struct kiln_strbuf record = {0};
    kiln_strbuf_append(&record, search->request->key->record.data, search->request->key->record.size);
    kiln_record_complete(&record, declared);
    if (!record.failed)
      box = search_store(search, layer, view_of(&record), kiln_hash128(record.data, record.size));
    kiln_strbuf_free(&record);
  }
  kiln_strbuf_free(&wanted);
  return box;
}

// Looks in the user's folder, and in the layers unless only_store.
static struct box *search_disk(struct search *search, bool only_store, enum kiln_cache_found *where) {
  struct kiln_cache *cache = search->cache;
  struct box *box = NULL;
  if (cache->has_store && search->request->toolchain) {
    box = search_store(search, &cache->store, view_of(&search->record), search->key);
    *where = KILN_FOUND_DISK;
    search->trace.place = box ? cache->store.path : NULL;
  }
  uint32_t layers = atomic_load_explicit(&cache->layer_count, memory_order_acquire);
  for (uint32_t i = 0; i < layers && !box && !only_store; i++) {
    box = search_layer(search, &cache->layers[i]);
    *where = KILN_FOUND_LAYER;
    search->trace.place = box ? cache->layers[i].path : NULL;
  }
  return box;
}

// ---- find -----------------------------------------------------------------------------------------------------------

// Whether an entry was made for this request and for the files as they are.
static bool entry_fits(struct search *search, const struct box *box) {
  struct kiln_str record = box->entry.sections[KILN_SECTION_KEY];
  struct kiln_str request = view_of(&search->request->key->record);
  struct kiln_key_field format, toolchain;
  size_t cursor = request.size;
  if (record.size < request.size || memcmp(record.data, request.data, request.size) != 0 ||
      !kiln_key_next(record, &cursor, &format) || !kiln_key_next(record, &cursor, &toolchain))
    return false;
  return cursor == record.size || kiln_probes_match(&search->memo, search->request,
                                                    (struct kiln_str){record.data + cursor, record.size - cursor});
}

// Looks through the entries of a head. The mutex is held on entry and on return, but not while files are read.
static struct box *search_memory(struct search *search, const struct head *head) {
  struct kiln_cache *cache = search->cache;
  struct box *entries[KILN_MAX_SETS], *result = NULL;
  uint32_t entry_count = head->count;
  for (uint32_t i = 0; i < entry_count; i++) {
    entries[i] = head->entries[i];
    kiln_cache_entry_retain(&entries[i]->entry);
  }
  pthread_mutex_unlock(&cache->mutex);
  for (uint32_t i = 0; i < entry_count; i++)
    if (!result && entry_fits(search, entries[i]))
      result = entries[i];
    else
      kiln_cache_entry_release(&entries[i]->entry);
  pthread_mutex_lock(&cache->mutex);
  return result;
}

// Waits until some flight has ended. The mutex is held. False when the time is over.
static bool wait_for_change(struct search *search) {
  struct kiln_cache *cache = search->cache;
  struct timespec until = {(time_t)(search->deadline / 1000000000u), (long)(search->deadline % 1000000000u)};
  return pthread_cond_timedwait(&cache->changed, &cache->mutex, &until) == 0;
}

enum memory_result { MEMORY_HIT, MEMORY_OWNER, MEMORY_TIMEOUT, MEMORY_FAILED };

// Finds an entry in memory, or becomes the one who looks further, or gives up waiting for that one.
static enum memory_result find_in_memory(struct search *search, struct box **out) {
  struct kiln_cache *cache = search->cache;
  enum memory_result result;
  bool waited = false;
  pthread_mutex_lock(&cache->mutex);
  for (;;) {
    struct head *head = find_head(cache, search->key);
    uint64_t looked = head ? head->changed : 0;
    *out = head && head->count != 0 ? search_memory(search, head) : NULL;
    if (*out) {
      head = find_head(cache, search->key);
      if (head)
        head->used = ++cache->clock;
      cache->counters.memory_hits++;
      result = MEMORY_HIT;
      break;
    }
    head = make_head(cache, search->key); // what there was may have gone
    if (head && head->changed > looked)
      continue; // something was added while files were read
    if (!head) {
      result = MEMORY_FAILED;
      break;
    }
    if (!head->in_flight) {
      head->in_flight = true;
      result = MEMORY_OWNER;
      break;
    }
    cache->counters.thread_waits += !waited;
    waited = true;
    if (!wait_for_change(search)) {
      cache->counters.wait_timeouts++;
      result = MEMORY_TIMEOUT;
      break;
    }
    kiln_probe_memo_free(&search->memo); // files may have changed while we waited
  }
  pthread_mutex_unlock(&cache->mutex);
  return result;
}

static void complain_of_wait(struct kiln_cache *cache) {
  if (first_time(cache, COMPLAINT_WAIT)) {
    kiln_cache_say(cache, true,
                   "kernel cache: waited %.1f s for somebody else to compile the same kernel, now compiling it here",
                   (double)cache->wait_ns / 1e9);
  }
}

static void complain_of_locks(struct kiln_cache *cache) {
  int error = atomic_load(&cache->store.lock_error);
  if (error != 0 && first_time(cache, COMPLAINT_LOCKS)) {
    const char *why = strerrordesc_np(error);
    kiln_cache_say(
        cache, true,
        "kernel cache %s: its file system has no locks (%s): processes may compile the same kernel at once, and "
        "the folder is kept below its limit without them",
        cache->store.path, why ? why : "unknown error");
  }
}

// Takes the lock among processes, and looks again: who had it has stored what we want.
static struct box *lock_and_search(struct search *search, int *lock, enum kiln_cache_found *where) {
  struct kiln_cache *cache = search->cache;
  bool waited, timed_out;
  *lock = kiln_store_lock(&cache->store, search->key, search->deadline, &waited, &timed_out);
  complain_of_locks(cache);
  if (waited || timed_out) {
    pthread_mutex_lock(&cache->mutex);
    cache->counters.process_waits += waited;
    cache->counters.wait_timeouts += timed_out;
    pthread_mutex_unlock(&cache->mutex);
  }
  if (timed_out)
    complain_of_wait(cache);
  kiln_probe_memo_free(&search->memo);
  return search_disk(search, true, where);
}

// Hands search->record over to a flight.
static struct kiln_cache_flight *new_flight(struct search *search, bool owns_head, int lock) {
  struct kiln_cache_flight *flight = calloc(1, sizeof *flight);
  if (flight) {
    *flight = (struct kiln_cache_flight){.cache = search->cache,
                                         .key = search->key,
                                         .roots = kiln_roots_digest(search->request),
                                         .record = search->record,
                                         .root_count = search->request->root_count,
                                         .has_toolchain = search->request->toolchain != NULL,
                                         .owns_head = owns_head,
                                         .lock = lock};
    search->record = (struct kiln_strbuf){0};
  }
  return flight;
}

// The rest of a look-up whose head we own.
static enum kiln_cache_found find_on_disk(struct search *search, struct box **box, struct kiln_cache_flight **flight) {
  struct kiln_cache *cache = search->cache;
  enum kiln_cache_found where = KILN_NOT_FOUND;
  int lock = -1;
  *box = search_disk(search, false, &where);
  if (!*box && cache->mode == KILN_CACHE_MODE_RW && cache->has_store && search->request->toolchain)
    *box = lock_and_search(search, &lock, &where);
  struct kiln_remote_hold hold = {.remote = NULL};
  if (!*box && kiln_cache_remotes(cache)) {
    *box = kiln_cache_find_remote(search, &hold);
    where = KILN_FOUND_REMOTE;
  }
  if (*box) {
    kiln_store_unlock(lock);
    count(cache, where == KILN_FOUND_DISK    ? &cache->counters.disk_hits
                 : where == KILN_FOUND_LAYER ? &cache->counters.layer_hits
                                             : &cache->counters.remote_hits);
    end_flight(cache, search->key, *box);
    return where;
  }
  count_miss(search, search->request->toolchain ? KILN_MISS_ABSENT : KILN_MISS_NO_TOOLCHAIN);
  if (cache->mode == KILN_CACHE_MODE_REQUIRE) {
    end_flight(cache, search->key, NULL);
    return KILN_NOT_ALLOWED;
  }
  *flight = new_flight(search, true, lock);
  if (*flight) {
    (*flight)->hold = hold;
  } else {
    if (hold.remote)
      kiln_remotes_release(cache->remotes, &hold);
    kiln_store_unlock(lock);
    end_flight(cache, search->key, NULL);
    return KILN_FIND_FAILED;
  }
  return KILN_NOT_FOUND;
}

static enum kiln_cache_found find(struct search *search, struct box **box, struct kiln_cache_flight **flight) {
  struct kiln_cache *cache = search->cache;
  if (cache->mode == KILN_CACHE_MODE_OFF) {
    count_miss(search, KILN_MISS_OFF);
    *flight = new_flight(search, false, -1);
    return *flight ? KILN_NOT_FOUND : KILN_FIND_FAILED;
  }
  switch (find_in_memory(search, box)) {
  case MEMORY_HIT:
    return KILN_FOUND_MEMORY;
  case MEMORY_FAILED:
    return KILN_FIND_FAILED;
  case MEMORY_TIMEOUT:
    complain_of_wait(cache);
    count_miss(search, KILN_MISS_TIMEOUT);
    if (cache->mode == KILN_CACHE_MODE_REQUIRE)
      return KILN_NOT_ALLOWED;
    *flight = new_flight(search, false, -1);
    return *flight ? KILN_NOT_FOUND : KILN_FIND_FAILED;
  case MEMORY_OWNER:
    break;
  }
  return find_on_disk(search, box, flight);
}

enum kiln_cache_found kiln_cache_find(struct kiln_cache *cache, const struct kiln_cache_request *request,
                                      struct kiln_cache_entry **entry, struct kiln_cache_flight **flight) {
  struct search search = {.cache = cache, .request = request, .deadline = kiln_now_ns() + cache->wait_ns};
  search.memo.difference = &search.difference;
  kiln_strbuf_append(&search.record, request->key->record.data, request->key->record.size);
  kiln_record_complete(&search.record, request->toolchain);
  enum kiln_cache_found result = KILN_FIND_FAILED;
  struct box *box = NULL;
  if (!search.record.failed && !request->key->record.failed) {
    search.key = kiln_hash128(search.record.data, search.record.size);
    result = find(&search, &box, flight);
  }
  if (box) {
    *entry = &box->entry;
    search.trace.reason = KILN_MISS_NONE;
  }
  if (request->trace) {
    kiln_hash128_hex(search.key, search.trace.key);
    search.trace.details = box ? NULL : kiln_miss_details(&search);
    *request->trace = search.trace;
  }
  kiln_strbuf_free(&search.record);
  kiln_probe_memo_free(&search.memo);
  return result;
}

// ---- publish --------------------------------------------------------------------------------------------------------

// After a file was written: its size is noted, and what can wait is left to the keeper.
static void stored(struct kiln_cache *cache, const struct kiln_store *store, struct kiln_file_id id, uint64_t size) {
  count_by(cache, &cache->counters.bytes_written, size);
  bool sweep = kiln_store_grow(&cache->store, kiln_disk_bytes(size), cache->max_bytes);
  if (store == &cache->store || sweep) // what others have compiled can be fetched again after a power failure
    kiln_keeper_post(&cache->keeper, id, sweep);
}

void kiln_cache_note_store(struct kiln_cache *cache, const struct kiln_store *store, struct kiln_file_id id,
                           uint64_t size, bool ok, const char *reason) {
  reason = ok ? "" : reason ? reason : strerrordesc_np(errno) ? strerrordesc_np(errno) : "unknown error";
  count(cache, ok ? &cache->counters.stores : &cache->counters.store_failures);
  char hex[33];
  kiln_hash128_hex(id.key, hex);
  struct kiln_cache_notice notice = {.change = ok ? KILN_CHANGE_STORED : KILN_CHANGE_STORE_FAILED,
                                     .key = hex,
                                     .place = store->path,
                                     .reason = reason,
                                     .bytes = size,
                                     .count = 1};
  kiln_cache_tell(cache, notice);
  if (atomic_exchange(&cache->degraded, !ok) == ok) {
    notice.change = ok ? KILN_CHANGE_RECOVERED : KILN_CHANGE_DEGRADED;
    kiln_cache_tell(cache, notice);
  }
  if (ok)
    stored(cache, store, id, size);
  else if (first_time(cache, COMPLAINT_FOLDER))
    kiln_cache_say(cache, true, "kernel cache %s: cannot be written, new kernels are kept in memory only: %s",
                   store->path, reason);
}

// Adds what this compile included to the manifest of its request.
static bool store_manifest(struct kiln_cache_flight *flight, struct kiln_store *store, struct kiln_str fields,
                           const char **reason) {
  struct kiln_cache *cache = flight->cache;
  struct kiln_file_view old;
  struct kiln_image_file old_file = {0};
  size_t size;
  struct fact why;
  char *data = NULL;
  (void)kiln_cache_read_file(cache, store, flight->key, KILN_SUFFIX_MANIFEST, &old_file, &old, &why);
  struct kiln_strbuf sets = {0};
  kiln_sets_put(&sets, fields);
  errno = ENOMEM;
  bool ok = !sets.failed &&
            kiln_manifest_encode(view_of(&flight->record), view_of(&sets),
                                 (struct kiln_str){old_file.data, old_file.size}, &data, &size) &&
            kiln_store_write(store, flight->key, KILN_SUFFIX_MANIFEST, data, size, reason);
  int error = errno;
  if (ok)
    stored(cache, store, (struct kiln_file_id){flight->key, KILN_SUFFIX_MANIFEST}, size);
  free(data);
  free(old_file.data);
  kiln_strbuf_free(&sets);
  errno = error;
  return ok;
}

static void declare_toolchain(struct kiln_cache_flight *flight, struct kiln_store *store) {
  struct kiln_record_parts parts;
  struct kiln_strbuf label = {0};
  if (kiln_record_split(view_of(&flight->record), &parts)) {
    kiln_record_label(&parts, &label);
    kiln_store_declare(store, parts.toolchain, label.failed || !label.data ? "" : label.data);
  }
  kiln_strbuf_free(&label);
}

bool kiln_cache_store(struct kiln_cache_flight *flight, struct kiln_store *store, struct kiln_hash128 key,
                      struct kiln_str image, struct kiln_str fields) {
  struct kiln_cache *cache = flight->cache;
  const char *reason = NULL;
  bool ok = kiln_store_write(store, key, KILN_SUFFIX_ENTRY, image.data, image.size, &reason) &&
            (fields.size == 0 || store_manifest(flight, store, fields, &reason));
  kiln_cache_note_store(cache, store, (struct kiln_file_id){key, KILN_SUFFIX_ENTRY}, image.size, ok, reason);
  if (ok)
    declare_toolchain(flight, store);
  return ok;
}

// The product as an entry; with keep also on disk.
static struct box *make_entry(struct kiln_cache_flight *flight, const struct kiln_cache_product *product,
                              struct kiln_str record, struct kiln_str fields, bool keep) {
  struct kiln_cache *cache = flight->cache;
  struct kiln_file_view view = {.kind = KILN_FILE_ENTRY, .artifact = product->artifact};
  memcpy(view.sections, product->sections, sizeof product->sections);
  view.sections[KILN_SECTION_KEY] = record;
  char *data, hex[33] = "", path[4096];
  size_t size;
  bool sign = keep && cache->signer && kiln_signer_can_sign(cache->signer);
  if (sign)
    view.sections[KILN_FILE_SIGNATURE] = kiln_signer_room();
  if (!kiln_file_encode(&view, &data, &size))
    return NULL;
  if (sign)
    (void)kiln_signer_sign(cache->signer, data, size); // one that fails is refused elsewhere
  struct kiln_hash128 key = kiln_hash128(record.data, record.size);
  bool on_disk = false;
  if (cache->mode != KILN_CACHE_MODE_OFF)
    kiln_hash128_hex(key, hex);
  if (keep && cache->mode == KILN_CACHE_MODE_RW && cache->has_store) {
    on_disk = kiln_cache_store(flight, &cache->store, key, (struct kiln_str){data, size}, fields) &&
              kiln_store_path(&cache->store, key, KILN_SUFFIX_ENTRY, path, sizeof path);
  }
  if (kiln_file_decode(data, size, KILN_FILE_ENTRY, &view)) { // points the view into data
    free(data);
    return NULL;
  }
  return kiln_cache_new_box(data, size, &view, hex, on_disk ? path : NULL);
}

static void free_flight(struct kiln_cache_flight *flight, struct box *box) {
  if (flight->owns_head)
    end_flight(flight->cache, flight->key, box);
  if (flight->hold.remote) // nothing was sent
    kiln_remotes_release(flight->cache->remotes, &flight->hold);
  kiln_store_unlock(flight->lock);
  kiln_strbuf_free(&flight->record);
  free(flight);
}

bool kiln_cache_publish(struct kiln_cache_flight *flight, const struct kiln_cache_product *product,
                        struct kiln_cache_entry **entry) {
  struct kiln_strbuf record = {0};
  kiln_strbuf_append(&record, flight->record.data, flight->record.size);
  bool keep = kiln_probes_encode(product->probes, product->probe_count, flight->roots, flight->root_count, &record);
  keep = keep && flight->has_toolchain;
  struct box *box = NULL;
  if (!record.failed) {
    size_t head_size = flight->record.size;
    struct kiln_str fields = {record.data + head_size, record.size - head_size};
    box = make_entry(flight, product, view_of(&record), fields, keep);
    bool send = keep && box && flight->cache->mode == KILN_CACHE_MODE_RW;
    struct kiln_remotes *remotes = send ? kiln_cache_remotes(flight->cache) : NULL;
    if (remotes) {
      kiln_remotes_post(remotes, &box->entry, view_of(&flight->record), fields, &flight->hold);
      flight->hold.remote = NULL;
    }
  }
  kiln_strbuf_free(&record);
  free_flight(flight, keep ? box : NULL);
  if (box)
    *entry = &box->entry;
  return box != NULL;
}

void kiln_cache_abandon(struct kiln_cache_flight *flight) {
  if (flight)
    free_flight(flight, NULL);
}
