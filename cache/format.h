// The one container that entries, manifests and tuning records are stored in: cache/FORMAT.md.
#ifndef KILN_CACHE_FORMAT_H
#define KILN_CACHE_FORMAT_H

#include "cache/store.h"

enum kiln_file_kind { KILN_FILE_ANY = 0, KILN_FILE_ENTRY = 1, KILN_FILE_MANIFEST = 2, KILN_FILE_TUNING = 3 };

// What a file with this suffix must be: entries, suffix 0, are of kind 1.
static inline enum kiln_file_kind kiln_kind_of(enum kiln_store_suffix suffix) {
  return (enum kiln_file_kind)(suffix + 1);
}

enum {
  KILN_FILE_SETS = KILN_SECTION_COUNT, // of manifests: what each compile included
  KILN_FILE_SIGNATURE,                 // of entries and tuning records: who made it (cache/sign.h)
  KILN_FILE_TUNED,                     // of tuning records: what was measured (cache/tune.h)
  KILN_FILE_SECTIONS
};

struct kiln_file_view {
  enum kiln_file_kind kind;
  struct kiln_str artifact;
  struct kiln_str sections[KILN_FILE_SECTIONS]; // data NULL: not there
};

// Lays the parts out as one file in malloc'ed memory. False when memory is exhausted.
bool kiln_file_encode(const struct kiln_file_view *view, char **out, size_t *out_size);
// Writes the checksum anew, after bytes of a file were changed in place.
void kiln_file_set_checksum(char *data, size_t size);
// Checks everything, then points view into data. Returns NULL, or what is wrong. kind KILN_FILE_ANY: view->kind says
// what it is.
const char *kiln_file_decode(const char *data, size_t size, enum kiln_file_kind kind, struct kiln_file_view *view);
// Reads of a file that is elsewhere all sections but the artifact, without the checksum being checked. The view points
// into *storage, which is the caller's to free (also on failure).
typedef bool kiln_file_part_fn(void *user, uint64_t offset, void *out, size_t size);
const char *kiln_file_peek(kiln_file_part_fn *read, void *user, uint64_t size, enum kiln_file_kind kind,
                           struct kiln_file_view *view, char **storage);

#endif
