// What the parts of the cache share.
#ifndef KILN_CACHE_INTERNAL_H
#define KILN_CACHE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "cache/format.h"
#include "cache/manifest.h"
#include "cache/remote.h"
#include "cache/sign.h"
#include "cache/upkeep.h"

enum { KILN_MAX_LAYERS = 64 };

enum complaint { COMPLAINT_FOLDER, COMPLAINT_LAYER, COMPLAINT_WAIT, COMPLAINT_SIGNATURE, COMPLAINT_LOCKS, COMPLAINTS };

struct box { // an entry with what it is made of
  struct kiln_cache_entry entry;
  atomic_uint references;
  char *image, *path;
  size_t size;
};

struct head {
  struct head *next;
  struct kiln_hash128 key;
  struct box *entries[KILN_MAX_SETS]; // newest first
  uint32_t count;
  bool in_flight;
  uint64_t used;    // by the cache's clock
  uint64_t changed; // when an entry was added last
};

struct lost_layer {
  char *path;
  const char *problem; // static text
};

struct kiln_cache {
  enum kiln_cache_mode mode;
  uint64_t wait_ns, memory_limit;
  kiln_cache_log_fn *log;
  void *log_user;
  bool has_store;
  struct kiln_store store;
  struct kiln_store *layers;
  struct kiln_store *imported;  // the first layer: what was imported into the user's folder; NULL: none
  struct kiln_signer *signer;   // NULL: nothing needs a signature
  char *remote_places;          // NULL: there are none
  pthread_mutex_t remote_mutex; // for opening them, when the first is needed
  bool remotes_opened;
  _Atomic(struct kiln_remotes *) remotes; // NULL: not opened, or not to be used
  atomic_uint layer_count;                // grows when bundles are attached
  struct lost_layer *lost;                // layers of the list that cannot be used
  uint32_t lost_count;
  char *remote_problem; // what is wrong with remote_places; NULL: nothing
  uint64_t max_bytes;
  struct kiln_keeper keeper;
  kiln_cache_notice_fn *notice;
  void *notice_user;
  atomic_bool complained[COMPLAINTS], degraded;
  _Atomic uint64_t evicted, evicted_bytes;

  pthread_mutex_t mutex;
  pthread_cond_t changed; // a flight has ended
  struct head **buckets;
  uint32_t bucket_count, head_count;
  uint64_t clock, memory_used;
  struct kiln_cache_counters counters;
  struct tuning *tunings;            // tuning records that were read or stored, the newest first
  uint64_t tuning_bytes;             // of those that need not stay, for they are on disk
  struct kiln_tune_lock *tune_locks; // that threads of this process have
};

// Whether it is the user's folder, or what was imported into it.
static inline bool kiln_cache_is_own(const struct kiln_cache *cache, const struct kiln_store *store) {
  return store == &cache->store || store == cache->imported;
}

struct kiln_cache_flight {
  struct kiln_cache *cache;
  struct kiln_hash128 key, roots; // of the head; of the request's roots
  struct kiln_strbuf record;      // request, format and toolchain
  uint32_t root_count;
  bool has_toolchain; // without one there is no record to store under
  bool owns_head;
  int lock;
  struct kiln_remote_hold hold; // the fleet waits for us
};

enum { KILN_MAX_FACTS = 4 };
// A file that a look-up could not use.
struct fact {
  enum kiln_cache_miss kind; // ABSENT: there is none, and this is no fact
  const char *place, *reason;
  int error; // an errno value where reason is NULL
  struct kiln_hash128 key;
};

// One look-up.
struct search {
  struct kiln_cache *cache;
  const struct kiln_cache_request *request;
  struct kiln_strbuf record; // request, format and toolchain
  struct kiln_hash128 key;   // of record
  struct kiln_probe_memo memo;
  uint64_t deadline;
  struct kiln_cache_trace trace;
  // Why it found nothing, for kiln_miss_details.
  struct kiln_probe_difference difference;
  const char *difference_place;
  struct fact facts[KILN_MAX_FACTS];
  uint32_t fact_count;
};

// cache.c
// Makes an entry of a file image, which it takes over, with one reference. path: where the file is, or NULL.
struct box *kiln_cache_new_box(char *image, size_t size, const struct kiln_file_view *view, const char *key,
                               const char *path);
// Writes the entry and, where there were includes, the manifest. Returns whether the entry is on disk.
bool kiln_cache_store(struct kiln_cache_flight *flight, struct kiln_store *store, struct kiln_hash128 key,
                      struct kiln_str image, struct kiln_str fields);
// Reads and checks one file. False when it is not there or no good; *why then says why.
bool kiln_cache_read_file(struct kiln_cache *cache, struct kiln_store *store, struct kiln_hash128 key,
                          enum kiln_store_suffix suffix, struct kiln_image_file *file, struct kiln_file_view *view,
                          struct fact *why);
// Why a file from elsewhere may not be used; the log says so. NULL: it may be used. What is in the user's folder was
// checked on its way there. hex: of its key.
const char *kiln_cache_distrust(struct kiln_cache *cache, const struct kiln_store *store,
                                const struct kiln_image_file *file, const char *hex);
// Counts, logs and reports how storing a file went. reason: static text; NULL: errno.
void kiln_cache_note_store(struct kiln_cache *cache, const struct kiln_store *store, struct kiln_file_id id,
                           uint64_t size, bool ok, const char *reason);
// Notes why a look-up has found nothing so far; the gravest reason stays.
void kiln_cache_note(struct search *search, enum kiln_cache_miss reason);
void kiln_cache_note_fact(struct search *search, struct fact fact);
// Puts the box in the place of the entry of the same key, if memory holds that.
void kiln_cache_replace(struct kiln_cache *cache, struct box *box);
// miss.c: what kiln_cache_trace.details says.
char *kiln_miss_details(const struct search *search);
// tune.c: forgets what memory holds of tuning records.
void kiln_tune_drop_all(struct kiln_cache *cache);
// open.c: the remotes; NULL: there are none.
struct kiln_remotes *kiln_cache_remotes(struct kiln_cache *cache);
// find_remote.c: asks the remotes, and keeps what they had in the user's folder. When they had nothing, *hold may be a
// lease: the fleet waits for us to compile. Without a compiler, what was made with those of others is taken.
struct box *kiln_cache_find_remote(struct search *search, struct kiln_remote_hold *hold);

// cache.c
void kiln_cache_say(struct kiln_cache *cache, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void kiln_cache_tell(struct kiln_cache *cache, struct kiln_cache_notice notice);
void kiln_cache_drop_head(struct kiln_cache *cache, struct head *head);
// Appends to a request's record what follows it in every record. Without a toolchain the record is the key in memory
// only.
void kiln_record_complete(struct kiln_strbuf *record, const struct kiln_hash128 *toolchain);
// What a request is for, as kiln_record_label says it. out->data NULL: nothing can be said.
void kiln_request_label(const struct kiln_cache_request *request, struct kiln_strbuf *out);

#endif
