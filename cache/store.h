// A folder of cache files. Nothing here fails loudly: a folder that cannot be used is one that finds nothing.
#ifndef KILN_CACHE_STORE_H
#define KILN_CACHE_STORE_H

#include <stdatomic.h>

#include "cache/cache.h"

enum kiln_store_suffix { KILN_SUFFIX_ENTRY, KILN_SUFFIX_MANIFEST };

struct kiln_store {
  char *path; // absolute
  bool read_only;
  atomic_int trusted;              // 0: not looked at yet, 1: yes, -1: no
  _Atomic uint32_t subs[8];        // subfolders, one bit each, that were found to be ours
  atomic_bool swept;               // what killed writers left behind has been looked for
  struct kiln_hash128 *toolchains; // that a layer declares
  uint32_t toolchain_count;
};

// False when memory is exhausted. Of a layer, the list of its toolchains is read; nothing else is touched.
bool kiln_store_init(struct kiln_store *store, const char *path, size_t path_size, bool read_only, bool layer);
void kiln_store_free(struct kiln_store *store);

// Writes the path of a file to out. False when it is too long.
bool kiln_store_path(const struct kiln_store *store, struct kiln_hash128 key, enum kiln_store_suffix suffix, char *out,
                     size_t out_size);

enum kiln_read { KILN_READ_OK, KILN_READ_ABSENT, KILN_READ_REFUSED, KILN_READ_FAILED };
// Reads a whole file that is ours (or root's, in a read-only store) and that nobody else can write. *reason says why
// not: static text, or NULL with the error in errno.
enum kiln_read kiln_store_read(struct kiln_store *store, struct kiln_hash128 key, enum kiln_store_suffix suffix,
                               char **out, size_t *out_size, const char **reason);
// Publishes a file under its name, all or nothing. False with *reason as above.
bool kiln_store_write(struct kiln_store *store, struct kiln_hash128 key, enum kiln_store_suffix suffix,
                      const void *data, size_t size, const char **reason);
// Sets a damaged file aside.
void kiln_store_quarantine(struct kiln_store *store, struct kiln_hash128 key, enum kiln_store_suffix suffix);

// Takes the lock of a key among processes, waiting until deadline (kiln_now_ns) at most. Returns a descriptor, or -1
// when that is impossible; *waited: somebody else had it.
int kiln_store_lock(struct kiln_store *store, struct kiln_hash128 key, uint64_t deadline, bool *waited,
                    bool *timed_out);
void kiln_store_unlock(int lock);

#endif
