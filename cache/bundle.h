// Bundles: many entries and tuning records in one file, or in one block of memory. cache/FORMAT.md specifies them.
#ifndef KILN_CACHE_BUNDLE_H
#define KILN_CACHE_BUNDLE_H

#include "cache/cache.h"
#include "cache/store.h"

// ---- making ---------------------------------------------------------------------------------------------------------

// Zero-initialise, but for fd: -1 to build in memory, else what is written to.
struct kiln_bundle_builder {
  int fd;
  int error; // errno value of the first failure
  uint64_t offset;
  struct kiln_strbuf out; // in memory
  struct kiln_strbuf toolchains;
  struct kiln_bundle_row *rows;
  uint32_t count, capacity;
  struct kiln_bundle_include *includes; // sets of includes, for the manifests
  uint32_t include_count, include_capacity;
  uint32_t *slots; // of rows, by key
  uint32_t slot_count;
  uint32_t entries, tunings;
};
// Adds the file of an entry or a tuning record, unless it is there. When several entries differ in their includes
// alone, the first is the newest. NULL, or what is wrong with the file. Failures of writing wait for finish.
const char *kiln_bundle_add(struct kiln_bundle_builder *builder, struct kiln_str image);
// The same for one of a cache: it is signed when the cache has a key and it was made without.
const char *kiln_cache_bundle_add(struct kiln_cache *cache, struct kiln_bundle_builder *builder,
                                  const struct kiln_cache_entry *entry);
// Writes manifests, index and footer. Returns 0 or an errno value; in memory the bundle becomes the caller's to free().
int kiln_bundle_finish(struct kiln_bundle_builder *builder, char **out, size_t *size);
void kiln_bundle_builder_free(struct kiln_bundle_builder *builder);

// ---- reading --------------------------------------------------------------------------------------------------------

struct kiln_bundle {
  int fd;           // -1: in memory
  const char *data; // in memory
  char *owned;      // what to free
  uint64_t size;
  struct kiln_bundle_row *rows; // by key and suffix
  uint32_t count;
  char *toolchains; // as in a folder's list
};
// What is wrong with a bundle that may be right: compare the address.
extern const char kiln_bundle_no_memory[];
// Reads and checks footer and index. NULL, or what is wrong (static text). fd is taken over on success.
const char *kiln_bundle_open_file(int fd, uint64_t size, struct kiln_bundle **out);
const char *kiln_bundle_open_memory(const void *data, size_t size, bool copy, struct kiln_bundle **out);
void kiln_bundle_close(struct kiln_bundle *bundle);

bool kiln_bundle_read(struct kiln_bundle *bundle, struct kiln_file_id id, char **out, size_t *size);
void kiln_bundle_walk(struct kiln_bundle *bundle, kiln_walk_fn *fn, void *user);
bool kiln_bundle_read_part(struct kiln_bundle *bundle, struct kiln_file_id id, uint64_t offset, void *out, size_t size);

#endif
