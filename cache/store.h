// A folder of cache files. Nothing here fails loudly: a folder that cannot be used is one that finds nothing.
#ifndef KILN_CACHE_STORE_H
#define KILN_CACHE_STORE_H

#include <stdatomic.h>
#include <time.h>

#include "base/trust.h"
#include "cache/cache.h"

enum kiln_store_suffix { KILN_SUFFIX_ENTRY, KILN_SUFFIX_MANIFEST, KILN_SUFFIX_TUNING, KILN_SUFFIXES };
extern const char *const kiln_suffixes[KILN_SUFFIXES]; // of files' names: "kiln", "inc", "tune"

#define KILN_IMPORTED "imported" // subfolder, itself a cache folder, with what was imported

struct kiln_bundle;

struct kiln_toolchain { // that a layer declares
  struct kiln_hash128 id;
  char *label; // of the target that it is for; "": not told
};

struct kiln_store {
  char *path; // absolute
  bool read_only;
  bool touch; // a read marks the file as used
  bool no_locks;
  _Atomic int lock_error;            // why the file system gave no lock when it was last asked; 0: it has locks
  struct kiln_trust trust;           // whose files are taken, beside our own and root's
  struct kiln_bundle *bundle;        // NULL: it is a folder
  atomic_bool swept;                 // what killed writers left has been looked for
  struct kiln_toolchain *toolchains; // that a layer declares
  uint32_t toolchain_count;
  _Atomic uint64_t declared; // filter of toolchains that have been written to the list
};

// trust NULL: nobody else is trusted. False when memory is exhausted. Of a layer, the list of its toolchains is read
// (of a bundle, its index); nothing else is touched. *problem: why a layer that is there cannot be used (static text),
// or NULL.
bool kiln_store_init(struct kiln_store *store, const char *path, size_t path_size, const struct kiln_trust *trust,
                     bool read_only, bool layer, const char **problem);
void kiln_store_free(struct kiln_store *store);

// Writes the path of a file to out. False when it is too long.
bool kiln_store_path(const struct kiln_store *store, struct kiln_hash128 key, enum kiln_store_suffix suffix, char *out,
                     size_t out_size);

enum { KILN_CLOCK_SECONDS = 600 }; // that the clocks of machines may differ
// Whether the time of a file or a note lies so many seconds back. One in the future, beyond what clocks differ, was
// written by a clock that was wrong: it counts as old, for else it would count as new for as long as that.
bool kiln_is_old(time_t when, time_t seconds);

enum kiln_read { KILN_READ_OK, KILN_READ_ABSENT, KILN_READ_REFUSED, KILN_READ_FAILED };
// DIR or a folder in it, open: what was looked at is what is then used.
struct kiln_folder {
  int fd;         // O_PATH
  bool team;      // a trusted group may write to it: what is made in it is for that group, too
  uint32_t group; // its own
};
// Opens one of the folder's own files (lock, usage, toolchains); to write it is made when it is missing. -1 with errno
// when it cannot be had, or is not what it should be.
int kiln_store_open_own(const struct kiln_store *store, const char *name, bool write);

struct kiln_image_file { // contents of a file
  char *data;
  size_t size;
  bool of_root;
};
// Reads a whole file that is trusted, in folders that are. *reason says why not: static text, or NULL with the error in
// errno.
enum kiln_read kiln_store_read(struct kiln_store *store, struct kiln_hash128 key, enum kiln_store_suffix suffix,
                               struct kiln_image_file *out, const char **reason);
// Publishes a file under its name, all or nothing. False with *reason as above.
bool kiln_store_write(struct kiln_store *store, struct kiln_hash128 key, enum kiln_store_suffix suffix,
                      const void *data, size_t size, const char **reason);
// Adds a toolchain to the folder's list, for the day when it is used as a layer.
void kiln_store_declare(struct kiln_store *store, struct kiln_hash128 toolchain, const char *label);
// Reads 32 hexadecimal digits; false at the first that is none.
bool kiln_toolchain_read(const char *digits, struct kiln_hash128 *out);
// Adds the lines of such a list to store->toolchains.
void kiln_store_read_toolchains(struct kiln_store *store, const char *text);

struct kiln_file_id {
  struct kiln_hash128 key;
  enum kiln_store_suffix suffix;
};

struct kiln_stored { // a file in the store
  struct kiln_file_id id;
  uint64_t size; // bytes
  int64_t used;  // nanoseconds since 1970: when it was used last, at most a day off
};
// Calls fn with every file of these kinds, until it returns false.
typedef bool kiln_walk_fn(void *user, const struct kiln_stored *file);
void kiln_store_walk(struct kiln_store *store, kiln_walk_fn *fn, void *user);
// The same for the keys of a folder whose first byte is in [first, end).
void kiln_store_walk_range(struct kiln_store *store, int first, int end, kiln_walk_fn *fn, void *user);
// The same for the files of one suffix whose keys begin with these bytes (1 to 16 of them): reads one folder.
void kiln_store_walk_prefix(struct kiln_store *store, enum kiln_store_suffix suffix, const uint8_t *prefix, size_t size,
                            kiln_walk_fn *fn, void *user);
// Removes a file. Returns whether it was there.
bool kiln_store_remove(struct kiln_store *store, struct kiln_file_id id);
// Reads size bytes at an offset of a file, without any check of them.
bool kiln_store_read_part(struct kiln_store *store, struct kiln_file_id id, uint64_t offset, void *out, size_t size);

// Sets a damaged file aside.
void kiln_store_quarantine(struct kiln_store *store, struct kiln_hash128 key, enum kiln_store_suffix suffix);

// Takes the lock of a key among processes, waiting until deadline (kiln_now_ns) at most. Returns a descriptor, or -1
// when that is impossible; *waited: somebody else had it.
int kiln_store_lock(struct kiln_store *store, struct kiln_hash128 key, uint64_t deadline, bool *waited,
                    bool *timed_out);
// The same for one of the folder's own locks.
enum kiln_folder_lock { KILN_LOCK_USAGE, KILN_LOCK_SWEEP, KILN_LOCK_STATS };
int kiln_store_lock_folder(struct kiln_store *store, enum kiln_folder_lock which, uint64_t deadline);
void kiln_store_unlock(int lock);

#endif
