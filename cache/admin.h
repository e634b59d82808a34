// Looking into cache folders and bundles, and changing them from outside of look-ups: for tools.
#ifndef KILN_CACHE_ADMIN_H
#define KILN_CACHE_ADMIN_H

#include "cache/manifest.h"
#include "cache/upkeep.h"

// A folder (with what was imported into it) or a bundle.
struct kiln_place {
  struct kiln_store stores[2]; // the second one: what was imported; path NULL in a bundle
  uint32_t count;
  struct kiln_signer *signer; // owned; NULL: what is imported needs no signature
};
// Returns 0 or an errno value; *problem says why when that is static text. A folder that does not exist is an empty
// one.
int kiln_place_open(const char *path, const struct kiln_trust *trust, bool read_only, struct kiln_place *out,
                    const char **problem);
void kiln_place_close(struct kiln_place *place);

// One file. Read without its checksum being checked, unless verified.
struct kiln_item {
  struct kiln_store *store;
  struct kiln_stored file;
  struct kiln_str record, reflection, resources; // empty in a file with a defect
  struct kiln_str made;                          // data NULL: it does not say
  struct kiln_str tuned;                         // of a tuning record: its text (cache/tune.h)
  struct kiln_str device;                        // device code; data NULL: it has none
  uint64_t artifact_size;
  const char *defect; // NULL: none was seen
};
// A line of made; empty where there is none.
struct kiln_str kiln_made_value(struct kiln_str made, const char *name);
typedef bool kiln_item_fn(void *user, const struct kiln_item *item); // false: stop
enum { KILN_VISIT_ENTRIES = 1 << KILN_SUFFIX_ENTRY, KILN_VISIT_TUNINGS = 1 << KILN_SUFFIX_TUNING, KILN_VISIT_ALL = 7 };
// Visits every file of some kinds. verify: everything is checked, the owner and the name as well.
void kiln_place_visit(struct kiln_place *place, unsigned kinds, bool verify, kiln_item_fn *fn, void *user);
// The first digits of a key name it: an entry or a tuning record. False when no file has that key.
bool kiln_place_find(struct kiln_place *place, const char *key_prefix, kiln_item_fn *fn, void *user);

struct kiln_place_size {
  uint64_t entries, entry_bytes, manifests, manifest_bytes; // bytes of the files
  uint64_t tunings, tuning_bytes;
  uint64_t disk_bytes;               // that the limit counts
  uint64_t imported, imported_bytes; // entries among them
  uint64_t quarantined, leftovers;   // files
  int64_t oldest, newest;            // use, in nanoseconds since 1970; 0: no file
};
void kiln_place_measure(struct kiln_place *place, struct kiln_place_size *out);

// Removes everything but the folder itself. Returns how many entries and tuning records there were.
uint64_t kiln_place_clear(struct kiln_place *place);
// Removes damaged files that were set aside, and what killed writers left. Returns how many.
uint64_t kiln_place_tidy(struct kiln_place *place);

// Builds a bundle of the entries and tuning records that wanted (NULL: all) accepts, the last used first. Returns 0 or
// an errno value.
struct kiln_bundle_builder;
int kiln_place_export(struct kiln_place *place, bool (*wanted)(void *user, const struct kiln_item *item), void *user,
                      struct kiln_bundle_builder *builder);

struct kiln_import_result {
  uint64_t added, present, refused;
  const char *defect; // of the last one that was refused
};
// Checks every member of a bundle and stores the good ones in the folder's "imported" part. A tuning record takes the
// place of one with fewer points. Returns 0 or an errno value.
struct kiln_bundle;
int kiln_place_import(struct kiln_place *place, struct kiln_bundle *bundle, struct kiln_import_result *result);

// The entry whose record is most like that of a request.
struct kiln_nearest {
  char *record; // free(); NULL: there is no entry at all
  size_t size;
  struct kiln_str made; // free(); data NULL: it does not say
  struct kiln_hash128 key;
  char *place; // free()
};
void kiln_cache_nearest(struct kiln_cache *cache, struct kiln_str record, struct kiln_nearest *out);
void kiln_nearest_free(struct kiln_nearest *nearest);

#endif
