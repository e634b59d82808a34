// Tuning records: what was measured of a kernel's variants, kept beside the programs and with their rules
// (docs/cache.md).
//
// A record is text under a key of 32 bytes. It begins with lines "name: value" up to an empty line, of which the cache
// reads some: "kernel", "backend", "arch", "device", "class", "best", "best_us", "points", "version". The rest is the
// caller's. A record is small and took seconds to measure: eviction spares it (cache/upkeep.h), and where two of one
// key meet, by import, push or pull, the one with more points stays.
#ifndef KILN_CACHE_TUNE_H
#define KILN_CACHE_TUNE_H

#include "cache/bundle.h"
#include "cache/cache.h"
#include "cache/format.h"

enum { KILN_TUNE_MAX_TEXT = 256 << 10 };

// Bytes 0 to 3 stand for the kernel's name, 4 to 15 for what else must be the same for a record to be used (program,
// toolchain, device), 16 to 31 for the size class. So the first 4 or 16 bytes find related records.
struct kiln_tune_key {
  uint8_t bytes[32];
};

// ---- records of a cache ---------------------------------------------------------------------------------------------

// Looks in the user's folder, in memory, in the layers, then, with ask_remotes, on the remotes. *out is malloc'ed, with
// a NUL after its size. False: nowhere.
bool kiln_tune_load(struct kiln_cache *cache, const struct kiln_tune_key *key, bool ask_remotes, char **out,
                    size_t *size);
// Puts a record in the place of what the user's folder has under this key, all or nothing, and sends it to the remotes
// in the background. False: it was not written (the mode is not rw, there is no folder, or an I/O error, which the log
// knows). Then memory keeps it, unless the mode is off or the text is larger than KILN_TUNE_MAX_TEXT.
bool kiln_tune_store(struct kiln_cache *cache, const struct kiln_tune_key *key, const char *data, size_t size);
// Removes a record from memory, the user's folder, and what was imported into it; layers and remotes keep theirs.
// Returns whether there was one.
bool kiln_tune_remove(struct kiln_cache *cache, const struct kiln_tune_key *key);
// Calls fn with each record in memory, the folder and the layers whose key begins with these bytes (4 to 32 of them),
// each key once, until fn returns false.
typedef bool kiln_tune_visit_fn(void *user, const struct kiln_tune_key *key, const char *data, size_t size);
void kiln_tune_visit(struct kiln_cache *cache, const void *prefix, size_t prefix_size, kiln_tune_visit_fn *fn,
                     void *user);
// Calls fn with each record that this process has read or stored (the last 16 MiB of them), as the file it is, for a
// bundle. False when memory is exhausted.
bool kiln_tune_visit_memory(struct kiln_cache *cache, kiln_cache_entry_fn *fn, void *user);
// Adds a record that this machine has to a bundle. NULL, or what is wrong with it.
const char *kiln_tune_bundle_add(struct kiln_cache *cache, struct kiln_bundle_builder *builder,
                                 const struct kiln_tune_key *key);

// One thread of one process at a time measures for a key. give_up (NULL: never) is asked every 0.1 s while this waits;
// once it returns true, the result is NULL. The lock of a process that ends is free. Where the folder cannot be locked,
// other processes are not waited for.
struct kiln_tune_lock;
struct kiln_tune_lock *kiln_tune_lock(struct kiln_cache *cache, const struct kiln_tune_key *key,
                                      bool (*give_up)(void *user), void *user);
void kiln_tune_unlock(struct kiln_tune_lock *lock); // NULL does nothing

// ---- their files ----------------------------------------------------------------------------------------------------

// The file of a key: its first 8 bytes, then 8 of the hash of all 32.
struct kiln_file_id kiln_tune_file(const struct kiln_tune_key *key);
// Reads a decoded file. NULL, or what is wrong with it.
const char *kiln_tune_read(const struct kiln_file_view *view, struct kiln_tune_key *key, struct kiln_str *text);
// The value of one of the lines at the beginning of a text; empty: it has no such line.
struct kiln_str kiln_tune_line(struct kiln_str text, const char *name);
// Whether a record has more points than another one of the same key.
bool kiln_tune_beats(struct kiln_str text, struct kiln_str other);

#endif
