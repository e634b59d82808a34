// Include probes as fields of the key record:
//   "include"  root (u32, little-endian) flags (u8) digest (16 bytes) path
//   "roots"    digest of the request's roots (16 bytes), first, when a probe has a whole path
#include "cache/manifest.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cache/format.h"

enum { PROBE_FOUND = 1, PROBE_MEMORY = 2, PROBE_HEAD = 4 + 1 + 16 };

struct kiln_probe_seen {
  struct kiln_hash128 what; // root, kind and path
  struct kiln_hash128 digest;
  bool found;
};

static bool hash_equal(struct kiln_hash128 a, struct kiln_hash128 b) { return memcmp(&a, &b, sizeof a) == 0; }

void kiln_probe_memo_free(struct kiln_probe_memo *memo) {
  free(memo->items);
  *memo = (struct kiln_probe_memo){.difference = memo->difference};
}

// The slot of a probe in the table (open addressing), or the free one where it belongs.
static struct kiln_probe_seen *memo_slot(const struct kiln_probe_memo *memo, struct kiln_hash128 what) {
  static const struct kiln_hash128 none;
  uint32_t at;
  memcpy(&at, what.bytes, sizeof at);
  for (;; at++) {
    struct kiln_probe_seen *seen = &memo->items[at & (memo->capacity - 1)];
    if (hash_equal(seen->what, what) || hash_equal(seen->what, none))
      return seen;
  }
}

// NULL when memory is exhausted. *fresh: it was not there.
static struct kiln_probe_seen *memo_find(struct kiln_probe_memo *memo, struct kiln_hash128 what, bool *fresh) {
  if (memo->count >= memo->capacity / 2) {
    uint32_t capacity = memo->capacity ? memo->capacity * 2 : 64;
    struct kiln_probe_memo grown = {calloc(capacity, sizeof *grown.items), memo->count, capacity, memo->difference};
    if (!grown.items)
      return NULL;
    for (uint32_t i = 0; i < memo->capacity; i++)
      *memo_slot(&grown, memo->items[i].what) = memo->items[i];
    free(memo->items);
    *memo = grown;
  }
  struct kiln_probe_seen *seen = memo_slot(memo, what);
  *fresh = !hash_equal(seen->what, what);
  if (*fresh) {
    seen->what = what;
    memo->count++;
  }
  return seen;
}

// Appends root, flags and digest; the path follows.
static void put_probe(struct kiln_strbuf *out, const struct kiln_probe *probe, uint8_t flags) {
  uint32_t root = htole32(probe->root);
  struct kiln_hash128 digest = {0};
  if (probe->found)
    digest = probe->digest;
  kiln_strbuf_append(out, &root, sizeof root);
  kiln_strbuf_append(out, &flags, sizeof flags);
  kiln_strbuf_append(out, digest.bytes, sizeof digest.bytes);
  kiln_strbuf_puts(out, probe->path);
}

// Of root, kind and path, which stand around the flags and digest in data.
static struct kiln_hash128 identity(const char *data, size_t size, bool memory, struct kiln_strbuf *scratch) {
  kiln_strbuf_clear(scratch);
  kiln_strbuf_putc(scratch, memory);
  kiln_strbuf_append(scratch, data, 4);
  kiln_strbuf_append(scratch, data + PROBE_HEAD, size - PROBE_HEAD);
  return kiln_hash128(scratch->data, scratch->size);
}

struct kiln_hash128 kiln_roots_digest(const struct kiln_cache_request *request) {
  struct kiln_key roots = {0};
  for (uint32_t i = 0; i < request->root_count; i++)
    kiln_key_add_text(&roots, "root", request->roots[i]);
  struct kiln_hash128 digest = kiln_hash128(roots.record.data, roots.record.size);
  kiln_key_free(&roots);
  return digest;
}

bool kiln_probes_encode(const struct kiln_probe *probes, uint32_t count, struct kiln_hash128 roots, uint32_t root_count,
                        struct kiln_strbuf *record) {
  struct kiln_key fields = {*record};
  struct kiln_strbuf data = {0}, scratch = {0};
  struct kiln_probe_memo memo = {0};
  bool consistent = true;
  for (uint32_t i = 0; i < count; i++) {
    if (probes[i].root == 0 && !probes[i].memory) {
      kiln_key_add(&fields, "roots", roots.bytes, sizeof roots.bytes);
      break;
    }
  }
  for (uint32_t i = 0; i < count && consistent; i++) {
    const struct kiln_probe *probe = &probes[i];
    uint8_t flags = (uint8_t)((probe->found ? PROBE_FOUND : 0) | (probe->memory ? PROBE_MEMORY : 0));
    kiln_strbuf_clear(&data);
    put_probe(&data, probe, flags);
    if (data.failed) {
      fields.record.failed = true;
      break;
    }
    bool fresh;
    struct kiln_probe_seen *seen = memo_find(&memo, identity(data.data, data.size, probe->memory, &scratch), &fresh);
    if (!seen || scratch.failed) {
      fields.record.failed = true;
      break;
    }
    if (fresh) {
      seen->found = probe->found;
      seen->digest = probe->digest;
      kiln_key_add(&fields, "include", data.data, data.size);
    }
    consistent = probe->root <= root_count && seen->found == probe->found &&
                 (!probe->found || hash_equal(seen->digest, probe->digest));
  }
  *record = fields.record;
  kiln_strbuf_free(&data);
  kiln_strbuf_free(&scratch);
  kiln_probe_memo_free(&memo);
  return consistent;
}

// Looks whether a file or header is there now, and at its contents.
static bool look(const struct kiln_cache_request *request, uint32_t root, bool memory, struct kiln_str path,
                 struct kiln_hash128 *digest) {
  struct kiln_strbuf full = {0};
  if (root != 0)
    kiln_strbuf_printf(&full, "%s/", request->roots[root - 1]);
  kiln_strbuf_append(&full, path.data, path.size);
  char *name = kiln_strbuf_take(&full), *owned = NULL;
  const char *text = NULL;
  size_t size;
  bool found = false;
  if (name && memory) {
    found = request->header && request->header(request->header_user, name, digest);
  } else if (name) {
    if (request->read) {
      found = request->read(request->read_user, name, &text, &size) == 0;
    } else {
      found = kiln_file_read(name, &owned, &size) == 0;
      text = owned;
    }
    if (found)
      *digest = kiln_hash128(text, size);
    free(owned);
  }
  free(name);
  return found;
}

bool kiln_probe_look(const struct kiln_cache_request *request, struct kiln_str data, struct kiln_probe_state *out) {
  if (data.size < PROBE_HEAD)
    return false;
  uint32_t root;
  memcpy(&root, data.data, sizeof root);
  uint8_t flags = (uint8_t)data.data[4];
  *out = (struct kiln_probe_state){.path = {data.data + PROBE_HEAD, data.size - PROBE_HEAD},
                                   .root = le32toh(root),
                                   .memory = flags & PROBE_MEMORY,
                                   .was_found = flags & PROBE_FOUND};
  memcpy(out->was.bytes, data.data + 5, sizeof out->was.bytes);
  if (out->root > request->root_count)
    return false;
  out->is_found = look(request, out->root, out->memory, out->path, &out->is);
  return true;
}

static void note_difference(const struct kiln_probe_memo *memo, struct kiln_probe_difference what,
                            struct kiln_str path) {
  if (!memo->difference || memo->difference->noted)
    return;
  what.noted = true;
  snprintf(what.path, sizeof what.path, "%.*s", path.size < sizeof what.path ? (int)path.size : (int)sizeof what.path,
           path.data);
  *memo->difference = what;
}

static bool probe_matches(struct kiln_probe_memo *memo, const struct kiln_cache_request *request, struct kiln_str data,
                          struct kiln_strbuf *scratch) {
  if (data.size < PROBE_HEAD)
    return false;
  uint32_t root;
  struct kiln_hash128 digest;
  memcpy(&root, data.data, sizeof root);
  root = le32toh(root);
  uint8_t flags = (uint8_t)data.data[4];
  memcpy(digest.bytes, data.data + 5, sizeof digest.bytes);
  if (root > request->root_count)
    return false;
  bool fresh, memory = flags & PROBE_MEMORY;
  struct kiln_probe_seen *seen = memo_find(memo, identity(data.data, data.size, memory, scratch), &fresh);
  if (!seen || scratch->failed)
    return false;
  struct kiln_str path = {data.data + PROBE_HEAD, data.size - PROBE_HEAD};
  if (fresh)
    seen->found = look(request, root, memory, path, &seen->digest);
  bool was_found = flags & PROBE_FOUND;
  bool same = seen->found == was_found && (!seen->found || hash_equal(seen->digest, digest));
  if (!same)
    note_difference(
        memo,
        (struct kiln_probe_difference){.memory = memory, .was_found = was_found, .is_found = seen->found, .root = root},
        path);
  return same;
}

bool kiln_probes_match(struct kiln_probe_memo *memo, const struct kiln_cache_request *request, struct kiln_str fields) {
  struct kiln_strbuf scratch = {0};
  struct kiln_key_field field;
  size_t cursor = 0;
  bool match = true;
  while (match && kiln_key_next(fields, &cursor, &field)) {
    if (kiln_str_eq(field.name, kiln_str("roots"))) {
      struct kiln_hash128 roots = kiln_roots_digest(request);
      match = kiln_str_eq(field.data, (struct kiln_str){(const char *)roots.bytes, sizeof roots.bytes});
      if (!match)
        note_difference(memo, (struct kiln_probe_difference){.roots = true}, (struct kiln_str){"", 0});
    } else if (kiln_str_eq(field.name, kiln_str("include"))) {
      match = probe_matches(memo, request, field.data, &scratch);
    } else {
      match = false;
    }
  }
  kiln_strbuf_free(&scratch);
  return match && cursor == fields.size;
}

bool kiln_sets_next(struct kiln_str sets, size_t *cursor, struct kiln_str *fields) {
  uint64_t size;
  size_t left = sets.size - *cursor;
  if (*cursor >= sets.size || left < sizeof size)
    return false;
  memcpy(&size, sets.data + *cursor, sizeof size);
  size = le64toh(size);
  if (left - sizeof size < size)
    return false;
  *fields = (struct kiln_str){sets.data + *cursor + sizeof size, size};
  *cursor += sizeof size + size;
  return true;
}

void kiln_sets_put(struct kiln_strbuf *out, struct kiln_str fields) {
  uint64_t size = htole64((uint64_t)fields.size);
  kiln_strbuf_append(out, &size, sizeof size);
  kiln_strbuf_append(out, fields.data, fields.size);
}

// Appends those sets that are not there yet.
static void add_sets(struct kiln_strbuf *out, struct kiln_str sets, uint32_t *count) {
  struct kiln_str fields, other;
  for (size_t cursor = 0; *count < KILN_MAX_SETS && kiln_sets_next(sets, &cursor, &fields);) {
    bool there = false;
    for (size_t at = 0; !there && kiln_sets_next((struct kiln_str){out->data, out->size}, &at, &other);)
      there = kiln_str_eq(fields, other);
    if (!there) {
      kiln_sets_put(out, fields);
      ++*count;
    }
  }
}

bool kiln_manifest_encode(struct kiln_str head, struct kiln_str sets, struct kiln_str old, char **out,
                          size_t *out_size) {
  struct kiln_file_view old_view, view = {.kind = KILN_FILE_MANIFEST};
  struct kiln_strbuf all = {0};
  uint32_t count = 0;
  add_sets(&all, sets, &count);
  if (old.data && !kiln_file_decode(old.data, old.size, KILN_FILE_MANIFEST, &old_view) &&
      kiln_str_eq(old_view.sections[KILN_SECTION_KEY], head))
    add_sets(&all, old_view.sections[KILN_FILE_SETS], &count);
  view.sections[KILN_SECTION_KEY] = head;
  view.sections[KILN_FILE_SETS] = (struct kiln_str){all.data, all.size};
  bool ok = !all.failed && kiln_file_encode(&view, out, out_size);
  kiln_strbuf_free(&all);
  return ok;
}
