// The kernel cache: finds compiled programs by what went into them, without compiling or parsing anything, and keeps
// new ones. docs/cache.md tells how it behaves, cache/FORMAT.md what its files look like.
//
// How a compile goes through it:
//
//   struct kiln_key key = {0};
//   kiln_key_add_text(&key, "backend", "cpu");        // … every thing that decides what the code is
//   kiln_key_add(&key, "source", source, size);
//   switch (kiln_cache_find(cache, &request, &entry, &flight)) {
//   case KILN_FOUND_MEMORY … KILN_FOUND_LAYER: use entry; break;
//   case KILN_NOT_FOUND: compile, then kiln_cache_publish(flight, &product, &entry) or kiln_cache_abandon(flight);
//   …
//   kiln_cache_entry_release(entry);
//
// No I/O error ever fails a call: the cache then does without the disk and says so once in the log. All calls may be
// made from any thread.
#ifndef KILN_CACHE_CACHE_H
#define KILN_CACHE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/str.h"
#include "base/trust.h"

#define KILN_CACHE_FORMAT 2 // version of key records and files; the cache adds it to every key

// ---- key record -----------------------------------------------------------------------------------------------------

// The request: named fields in the order in which they were added, each with its length, so that no two different
// requests have the same bytes. Zero-initialise; kiln_key_free. Contents:
//   - everything that decides what the code is, but for the toolchain and for the includes, which come separately;
//   - the *names* of all headers given from memory (so that one that newly hides a file is another request; their
//     contents are probes like those of files);
//   - no paths, unless the code holds them (-g, __FILE__), no times, no environment.
struct kiln_key {
  struct kiln_strbuf record;
};
void kiln_key_free(struct kiln_key *key);
void kiln_key_add(struct kiln_key *key, const char *name, const void *data, size_t size);
void kiln_key_add_text(struct kiln_key *key, const char *name, const char *text);
void kiln_key_add_u64(struct kiln_key *key, const char *name, uint64_t value);

// For reading a record, field by field: *cursor starts at 0. Returns false at the end and on malformed bytes (then
// *cursor is not size).
struct kiln_key_field {
  struct kiln_str name, data;
};
bool kiln_key_next(struct kiln_str record, size_t *cursor, struct kiln_key_field *out);

// ---- includes -------------------------------------------------------------------------------------------------------

// One file that the front end looked for. As long as every probe is below a root (or from memory) the entry does not
// depend on where the roots are. An entry with whole paths is only found again under the same roots.
struct kiln_probe {
  const char *path;           // below the root; or as it was opened; or the name of a header from memory
  uint32_t root;              // index in the request's roots plus 1; 0: path is the whole path
  bool memory;                // a header from memory
  bool found;                 // whether it was there
  struct kiln_hash128 digest; // kiln_hash128 of its contents, when found
};

// Asked for the digest of a header given from memory. Returns false when there is no such header.
typedef bool kiln_header_fn(void *user, const char *name, struct kiln_hash128 *digest);

// ---- cache ----------------------------------------------------------------------------------------------------------

enum kiln_cache_mode {
  KILN_CACHE_MODE_RW,
  KILN_CACHE_MODE_RO,      // reads, writes nothing
  KILN_CACHE_MODE_OFF,     // finds nothing, keeps nothing
  KILN_CACHE_MODE_REQUIRE, // as ro, and what is not found is refused
};

// Receives one message without a final newline, from any thread.
typedef void kiln_cache_log_fn(void *user, bool warning, const char *message);

// What happens to files, for hosts that watch. Look-ups are told by kiln_cache_trace.
enum kiln_cache_change {
  KILN_CHANGE_STORED,
  KILN_CHANGE_STORE_FAILED, // reason says why
  KILN_CHANGE_QUARANTINED,  // reason says what is wrong with the file
  KILN_CHANGE_EVICTED,      // count files of bytes together
  KILN_CHANGE_DEGRADED,     // from now on new programs are kept in memory only
  KILN_CHANGE_RECOVERED,
};
struct kiln_cache_notice {
  enum kiln_cache_change change;
  const char *key;    // in hexadecimal; "" where it is about no single entry
  const char *place;  // folder or bundle
  const char *reason; // ""
  uint64_t bytes, count;
};
typedef void kiln_cache_notice_fn(void *user, const struct kiln_cache_notice *notice); // from any thread

struct kiln_cache_config {
  const char *dir;         // the user's folder, made when something is first written; NULL or "": memory only
  const char *layers;      // read-only folders and bundles, separated by ':'; NULL or "": none
  struct kiln_trust trust; // whose files are taken, beside our own and root's
  enum kiln_cache_mode mode;
  uint32_t wait_ms;       // longest wait for somebody else who compiles the same; 0: 30,000
  uint64_t memory_bytes;  // entries that nobody uses are dropped from memory above this; 0: 256 MiB
  uint64_t max_bytes;     // the folder is trimmed when it grows beyond; 0: no limit
  const char *remotes;    // places of the remote tier (cache/remote.h); NULL or "": none
  const char *key_file;   // what is from elsewhere must be signed with a key of it; NULL or "": it need not be
  bool no_sync;           // do not flush new files to the disk in the background
  bool no_locks;          // as on a file system without locks
  kiln_cache_log_fn *log; // NULL: nothing is logged
  void *log_user;
  kiln_cache_notice_fn *notice; // NULL: nobody listens
  void *notice_user;
};

struct kiln_cache;
struct kiln_cache_flight; // the duty to compile one program

// Reads no file but the layers' lists of toolchains. NULL when memory is exhausted.
struct kiln_cache *kiln_cache_open(const struct kiln_cache_config *config);
// Every flight has ended; entries stay good until they are released.
void kiln_cache_close(struct kiln_cache *cache);
// Reads "rw", "ro", "off", "require".
enum kiln_cache_mode kiln_cache_mode(const struct kiln_cache *cache);
bool kiln_cache_parse_mode(const char *text, enum kiln_cache_mode *out);
// Reads a size in bytes, or with the suffix K, M, G or T (powers of 1,024; "KiB" and "KB" are taken, too).
bool kiln_cache_parse_size(const char *text, uint64_t *out);
// The user's folder; NULL: there is none.
const char *kiln_cache_folder(const struct kiln_cache *cache);

// Waits until what was stored has been flushed to the disk (unless no_sync), and a sweep that is due is done.
void kiln_cache_flush(struct kiln_cache *cache);

// Adds the entries of a bundle in memory (which is copied) as one more layer. NULL, or what is wrong with it.
const char *kiln_cache_attach(struct kiln_cache *cache, const void *bundle, size_t size);

// ---- entries --------------------------------------------------------------------------------------------------------

enum kiln_section {
  KILN_SECTION_KEY,        // the key record; written by the cache
  KILN_SECTION_REFLECTION, // kernels and their arguments
  KILN_SECTION_META,       // what the driver needs beyond the artifact
  KILN_SECTION_RESOURCES,  // registers, spills, memory
  KILN_SECTION_IR,         // optional: the kernel IR
  KILN_SECTION_WARNINGS,   // optional: what the compile warned of
  KILN_SECTION_DEVICE,     // optional: device code, as kiln_device_code_put writes it
  KILN_SECTION_MADE,       // optional: what made it, as lines of a name, a blank and a value; "kiln" is the version
  KILN_SECTION_COUNT
};

// A compiled program. Immutable; counted references.
struct kiln_cache_entry {
  char key[33];             // in hexadecimal; "" when the cache is off
  const char *path;         // of a file that began with the artifact when it was read; NULL: there is none
  bool fixed;               // that file is root's, in a layer: it can be mapped, and shared with other processes
  struct kiln_str artifact; // 16-byte aligned, as is every section
  struct kiln_str sections[KILN_SECTION_COUNT]; // data NULL: not there
};
void kiln_cache_entry_retain(struct kiln_cache_entry *entry);
void kiln_cache_entry_release(struct kiln_cache_entry *entry); // NULL does nothing
// The whole file, as it is or would be on disk.
struct kiln_str kiln_cache_entry_image(const struct kiln_cache_entry *entry);
// Calls fn with every entry that memory holds; fn may retain it. False when memory is exhausted.
typedef void kiln_cache_entry_fn(void *user, struct kiln_cache_entry *entry);
bool kiln_cache_visit_memory(struct kiln_cache *cache, kiln_cache_entry_fn *fn, void *user);

// ---- find and publish -----------------------------------------------------------------------------------------------

// Reads an include file in place of the file system: text that lives as long as the request; 0 or an errno value.
typedef int kiln_read_fn(void *user, const char *path, const char **text, size_t *size);

enum kiln_cache_miss {
  KILN_MISS_NONE,         // it was found
  KILN_MISS_ABSENT,       // nothing was ever stored for this request, or it has been removed
  KILN_MISS_INCLUDES,     // the request is known, but with other include files
  KILN_MISS_NO_TOOLCHAIN, // no compiler is installed, and no layer had it
  KILN_MISS_UNREADABLE,   // a file is there, but cannot be read or be trusted
  KILN_MISS_DAMAGED,      // a file was there, but damaged
  KILN_MISS_REFUSED,      // an entry is in a layer or on a remote, but not signed, or not what it should be
  KILN_MISS_TIMEOUT,      // somebody else compiles it, for too long
  KILN_MISS_OFF,          // the cache is off
  KILN_MISS_COUNT
};
// How a look-up went.
struct kiln_cache_trace {
  enum kiln_cache_miss reason;
  const char
      *place;    // where it was found: folder, bundle or URL, valid as long as the cache; NULL: memory, or not found
  char key[33];  // of the request with the toolchain: the manifest's
  char *details; // of a miss: what exactly the reason is, and what else is wrong with the places that were searched;
                 // free(). NULL: nothing, or memory is exhausted
};

struct kiln_cache_request {
  const struct kiln_key *key;
  // What the installed compiler makes code with; NULL: no compiler is installed, and only layers that declare their
  // own toolchains can answer.
  const struct kiln_hash128 *toolchain;
  // Folders that includes are looked for in, in order: the source's own, each -I. Their paths are not in the key.
  const char *const *roots;
  uint32_t root_count;
  kiln_header_fn *header; // NULL: no headers from memory
  void *header_user;
  kiln_read_fn *read; // NULL: the file system
  void *read_user;
  struct kiln_cache_trace *trace; // NULL: nobody asks
};

enum kiln_cache_found {
  KILN_FOUND_MEMORY,
  KILN_FOUND_DISK,
  KILN_FOUND_LAYER,
  KILN_FOUND_REMOTE, // and written to the user's folder
  KILN_NOT_FOUND,    // *flight is the caller's: publish or abandon
  KILN_NOT_ALLOWED,  // not found, and the mode is require
  KILN_FIND_FAILED,  // memory is exhausted
};
// Another thread or process that compiles the same is waited for, at most wait_ms.
enum kiln_cache_found kiln_cache_find(struct kiln_cache *cache, const struct kiln_cache_request *request,
                                      struct kiln_cache_entry **entry, struct kiln_cache_flight **flight);

struct kiln_cache_product {
  struct kiln_str artifact;
  struct kiln_str sections[KILN_SECTION_COUNT]; // KILN_SECTION_KEY is ignored
  const struct kiln_probe *probes;              // every include probe of the compile, in order
  uint32_t probe_count;
};
// Copies the product, keeps it, and ends the flight. False when memory is exhausted (the flight has ended, too).
bool kiln_cache_publish(struct kiln_cache_flight *flight, const struct kiln_cache_product *product,
                        struct kiln_cache_entry **entry);
// Ends a flight whose compile failed; those who wait for it try themselves. NULL does nothing.
void kiln_cache_abandon(struct kiln_cache_flight *flight);

// Whether servers are asked, and what they have is written to the user's folder.
bool kiln_cache_has_remotes(struct kiln_cache *cache);
// Fetches what they have for many requests in few exchanges, to where the look-ups that follow find it.
void kiln_cache_prefetch(struct kiln_cache *cache, const struct kiln_cache_request *const *requests, uint32_t count);

// ---- device code ----------------------------------------------------------------------------------------------------

// What was made of an artifact for devices of one kind: a piece of KILN_SECTION_DEVICE.
struct kiln_device_piece {
  const char *identity; // what it depends on, in one line
  struct kiln_str code; // 16-byte aligned where the section is
};
enum { KILN_MAX_DEVICE_PIECES = 8, KILN_MAX_IDENTITY = 1024 /* bytes, with the NUL */ };
// Appends a piece to what becomes a section. Identities of more than KILN_MAX_IDENTITY bytes are left out.
void kiln_device_piece_put(struct kiln_strbuf *section, const struct kiln_device_piece *piece);
// The next piece; *cursor starts at 0. False at the end, and at what is not well-formed.
bool kiln_device_piece_next(struct kiln_str section, size_t *cursor, struct kiln_device_piece *out);
// The piece of that identity; false: the section has it not.
bool kiln_device_piece_find(struct kiln_str section, const char *identity, struct kiln_device_piece *out);

// Keeps the pieces of a section with an entry, in place of those of the same identities: in memory, in the user's
// folder and on servers, as the mode allows. Others that add to the same entry at the same time lose nothing. Returns
// the entry as it is then, the caller's reference; NULL: memory is exhausted.
struct kiln_cache_entry *kiln_cache_add_device_pieces(struct kiln_cache *cache, const struct kiln_cache_entry *entry,
                                                      struct kiln_str section);

// ---- counters -------------------------------------------------------------------------------------------------------

struct kiln_cache_counters {
  uint64_t memory_hits, disk_hits, layer_hits, remote_hits, misses;
  uint64_t stores, store_failures;
  uint64_t quarantined;
  uint64_t thread_waits, process_waits, wait_timeouts; // for compiles of others
  uint64_t read_failures;                              // files that were there but could not be read or trusted
  uint64_t dropped;                                    // entries dropped from memory
  uint64_t misses_by[KILN_MISS_COUNT];                 // by reason
  uint64_t bytes_read, bytes_written;                  // of files
  uint64_t evicted, evicted_bytes;                     // files removed by sweeps of this cache
  bool degraded;                                       // the last attempt to store failed
};
void kiln_cache_counters(struct kiln_cache *cache, struct kiln_cache_counters *out);
// Those of the remote tier; zeros when there is none.
struct kiln_remote_counters;
void kiln_cache_remote_counters(struct kiln_cache *cache, struct kiln_remote_counters *out);

#endif
