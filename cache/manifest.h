// What a compile included, as fields of the key record, and whether the same would be included now.
#ifndef KILN_CACHE_MANIFEST_H
#define KILN_CACHE_MANIFEST_H

#include "cache/cache.h"

enum { KILN_MAX_SETS = 16 }; // sets of includes that are kept for one request; the newest win

// Appends the fields. False when the probes contradict one another (a file changed while it was compiled) or name no
// root of the request: what was made from them must not be found again. record->failed tells exhausted memory.
bool kiln_probes_encode(const struct kiln_probe *probes, uint32_t count, struct kiln_hash128 roots, uint32_t root_count,
                        struct kiln_strbuf *record);

// The identity of a request's roots.
struct kiln_hash128 kiln_roots_digest(const struct kiln_cache_request *request);

// The first file that is not what an entry was made with.
struct kiln_probe_difference {
  bool noted;
  bool roots; // the include folders themselves are others
  bool memory, was_found, is_found;
  uint32_t root;  // as in struct kiln_probe
  char path[256]; // its beginning
};
// The state of files as one look-up has seen it, so that each is read once. Zero-initialise.
struct kiln_probe_memo {
  struct kiln_probe_seen *items;
  uint32_t count, capacity;
  struct kiln_probe_difference *difference; // receives the first; NULL: it is not noted
};
void kiln_probe_memo_free(struct kiln_probe_memo *memo); // difference stays

// Whether every probe among the fields would come out as it did. False on malformed fields.
bool kiln_probes_match(struct kiln_probe_memo *memo, const struct kiln_cache_request *request, struct kiln_str fields);

// What a compile looked for, and how it is now.
struct kiln_probe_state {
  struct kiln_str path; // below the root
  uint32_t root;        // as in struct kiln_probe
  bool memory;
  bool was_found, is_found;
  struct kiln_hash128 was, is;
};
// Reads an "include" field's data and looks at the file. False on malformed data.
bool kiln_probe_look(const struct kiln_cache_request *request, struct kiln_str data, struct kiln_probe_state *out);

// A record of request, format, toolchain and includes, taken apart.
struct kiln_record_parts {
  struct kiln_str backend, arch, features; // empty where the record has no such field
  struct kiln_hash128 toolchain;
  struct kiln_str head;     // up to the toolchain: the record of the manifest
  struct kiln_str includes; // the rest
};
bool kiln_record_split(struct kiln_str record, struct kiln_record_parts *out);
// "backend arch features".
void kiln_record_label(const struct kiln_record_parts *parts, struct kiln_strbuf *out);

// A manifest's sets: each a u64 length and that many bytes of fields. Returns false at the end and on malformed bytes.
bool kiln_sets_next(struct kiln_str sets, size_t *cursor, struct kiln_str *fields);
void kiln_sets_put(struct kiln_strbuf *out, struct kiln_str fields);
// Makes a manifest's file: sets, the newest first, and after them, up to KILN_MAX_SETS, those of an older file (data
// NULL: none), if it is good and of the same head. The caller's to free. False when memory is exhausted.
bool kiln_manifest_encode(struct kiln_str head, struct kiln_str sets, struct kiln_str old, char **out,
                          size_t *out_size);

#endif
