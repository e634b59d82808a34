// What keeps a folder in order: its size, its limit, and the flushing of new files.
#ifndef KILN_CACHE_UPKEEP_H
#define KILN_CACHE_UPKEEP_H

#include <pthread.h>

#include "cache/store.h"

// Bytes on disk that a file of this size counts as.
static inline uint64_t kiln_disk_bytes(uint64_t size) { return (size + 4095) & ~(uint64_t)4095; }

// Notes that files of so many bytes on disk were added. Returns whether the folder is now larger than limit, or was
// not measured for long. No limit (0): false, and nothing is noted.
bool kiln_store_grow(struct kiln_store *store, uint64_t bytes, uint64_t limit);

struct kiln_sweep_result {
  uint64_t removed, removed_bytes; // files
  uint64_t left, left_bytes;
  bool again; // files came meanwhile: the folder may be above the limit
};
// Measures folders that share the limit of the first, and removes what was not used for longest until four fifths of
// the limit are left, or, with limit 0, what was last used before the time "before" (nanoseconds since 1970). Tuning
// records are spared while they are at most a quarter of the limit.
// Removes nothing more after the time *stop (kiln_now_ns; 0 or NULL: never): the next sweep goes on. False when
// somebody else is sweeping, or memory is exhausted.
bool kiln_store_sweep(struct kiln_store *const *stores, uint32_t count, uint64_t limit, int64_t before,
                      _Atomic uint64_t *stop, struct kiln_sweep_result *result);

// Does what nobody should wait for in a thread of its own, which is there only while it has something to do.
struct kiln_keeper {
  pthread_mutex_t mutex;
  pthread_cond_t idle, wake;
  pthread_t thread;
  _Atomic int pid; // of the process that the thread and the mutex belong to: a child of fork has neither
  bool joinable, busy;
  bool sweep_due, hurry;
  _Atomic uint64_t stop;      // time (kiln_now_ns) after which nothing more is begun; 0: none
  struct kiln_file_id *files; // that wait to be flushed; the system was told to write the first "started" of them
  uint32_t count, capacity, started;
  uint64_t due;                 // when they are to be flushed
  struct kiln_store *stores[2]; // the second may be NULL
  uint64_t limit;
  bool sync;
  void (*swept)(void *user, const struct kiln_sweep_result *result); // called from the thread; must take no lock
  void *user;
};
void kiln_keeper_init(struct kiln_keeper *keeper);
void kiln_keeper_fini(struct kiln_keeper *keeper);
// A file was stored.
void kiln_keeper_post(struct kiln_keeper *keeper, struct kiln_file_id file, bool sweep_due);
// Waits until nothing is left to do.
void kiln_keeper_flush(struct kiln_keeper *keeper);

#endif
