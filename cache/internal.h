// What the parts of the cache share.
#ifndef KILN_CACHE_INTERNAL_H
#define KILN_CACHE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "cache/manifest.h"
#include "cache/upkeep.h"

enum { KILN_MAX_LAYERS = 64 };

enum complaint { COMPLAINT_FOLDER, COMPLAINT_LAYER, COMPLAINT_WAIT, COMPLAINTS };

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

struct kiln_cache {
  enum kiln_cache_mode mode;
  uint64_t wait_ns, memory_limit;
  kiln_cache_log_fn *log;
  void *log_user;
  bool has_store;
  struct kiln_store store;
  struct kiln_store *layers; // the first one holds what was imported into the user's folder
  atomic_uint layer_count;   // grows when bundles are attached
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
};

// cache.c
void kiln_cache_say(struct kiln_cache *cache, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void kiln_cache_tell(struct kiln_cache *cache, struct kiln_cache_notice notice);
void kiln_cache_drop_head(struct kiln_cache *cache, struct head *head);
// Appends to a request's record what follows it in every record. Without a toolchain the record is the key in memory
// only.
void kiln_record_complete(struct kiln_strbuf *record, const struct kiln_hash128 *toolchain);

#endif
