// What the parts of the remote tier share.
#ifndef KILN_CACHE_REMOTE_INTERNAL_H
#define KILN_CACHE_REMOTE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "cache/remote.h"

enum { MAX_LINKS = 8, ABSENT_SLOTS = 256, TARGETS = 8 };

// With what others compile for a target.
struct toolchains {
  struct kiln_hash128 label, ids[KILN_REMOTE_TOOLCHAINS];
  uint32_t count;
  uint64_t until; // kiln_now_ns: it is not asked for again before
};

struct kiln_remote {
  struct kiln_remote_place place;
  const struct kiln_remote_module *module; // NULL: not loaded
  atomic_bool unusable;                    // for this process
  void *links[MAX_LINKS];                  // that nobody uses
  uint32_t link_count;
  // The circuit breaker: after a failure it is left alone for a while, by all processes of the folder.
  bool state_read;
  uint64_t down_until;               // milliseconds since 1970
  uint32_t failures;                 // in a row
  uint64_t no_lease_until;           // kiln_now_ns: until then no holder is waited for, since the last wait was in vain
  char problem[KILN_REMOTE_PROBLEM]; // why it failed last, as far as this process knows
  bool told_full, told_refused;
  uint64_t announced[TARGETS]; // target and toolchain, of what this process has announced last
  uint32_t next_announced;
};

struct upload {
  struct upload *next;
  struct kiln_cache_entry *entry;
  struct kiln_hash128 key;      // of the entry, or of the file of a tuning record
  bool is_tuning;               // it has neither head nor fields
  struct kiln_str head, fields; // in one block, after this
  struct kiln_remote_hold hold;
};

struct kiln_remotes {
  struct kiln_remotes_config config;
  struct kiln_remote *items;
  uint32_t count;
  pthread_mutex_t mutex; // over all that changes
  pthread_cond_t changed;
  _Atomic int pid; // of the process that mutex, thread and connections belong to
  struct kiln_remote_counters counters;
  struct {
    struct kiln_hash128 key;
    uint64_t until;
  } absent[ABSENT_SLOTS]; // what no remote had a moment ago
  struct toolchains toolchains[TARGETS];
  uint32_t next_toolchains;
  // Uploads.
  pthread_t thread;
  bool thread_there, busy, stop;
  struct upload *first, **last;
  uint64_t queued_bytes;
};

void kiln_remote_say(struct kiln_remotes *remotes, const struct kiln_remote *remote, bool warning, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));
// A child of fork gets connections and threads of its own.
void kiln_remote_notice_fork(struct kiln_remotes *remotes);

// A connection to a remote that is not down. NULL: it is not to be asked now.
void *kiln_remote_begin(struct kiln_remotes *remotes, struct kiln_remote *remote);
// Gives the connection back, and tells whether the server answered.
void kiln_remote_end(struct kiln_remotes *remotes, struct kiln_remote *remote, void *link, bool answered,
                     const char *problem);
bool kiln_remote_writable(struct kiln_remotes *remotes, const struct kiln_remote *remote);
void kiln_remote_name(struct kiln_hash128 key, const char *suffix, char out[KILN_REMOTE_NAME]);

// remote_toolchains.c: the same as kiln_remotes_announce over a connection, unless this process has done it a moment
// ago.
bool kiln_remote_announce(struct kiln_remotes *remotes, struct kiln_remote *remote, void *link, struct kiln_str record,
                          char problem[KILN_REMOTE_PROBLEM]);

// remote_upload.c
void kiln_remote_upload_init(struct kiln_remotes *remotes);
void kiln_remote_upload_forget(struct kiln_remotes *remotes); // in a child of fork
void kiln_remote_upload_stop(struct kiln_remotes *remotes);

// remote_state.c
void kiln_remote_read_state(struct kiln_store *state, struct kiln_remote *remote);
void kiln_remote_write_state(struct kiln_store *state, const struct kiln_remote *remote);
void kiln_remote_add_totals(struct kiln_store *state, const struct kiln_remote_counters *counters);
uint64_t kiln_remote_clock(void); // milliseconds since 1970

#endif
