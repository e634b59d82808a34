// Device code on entries: pieces of one section, each what a driver or a tool has made of the artifact. An entry with
// more is written anew, whole and under the same name: whatever holds for entries holds for device code.
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cache/internal.h"

// ---- the section ----------------------------------------------------------------------------------------------------

struct piece_head { // little-endian
  uint32_t identity_size, zero;
  uint64_t code_size;
};
enum { ALIGN = 16 };
_Static_assert(sizeof(struct piece_head) == ALIGN, "file format");

static size_t padding(size_t size) { return -size & (ALIGN - 1); }

static void pad(struct kiln_strbuf *section) {
  static const char zeros[ALIGN];
  kiln_strbuf_append(section, zeros, padding(section->size));
}

void kiln_device_piece_put(struct kiln_strbuf *section, const struct kiln_device_piece *piece) {
  size_t size = strlen(piece->identity) + 1;
  if (size > KILN_MAX_IDENTITY)
    return;
  struct piece_head head = {.identity_size = htole32((uint32_t)size), .code_size = htole64(piece->code.size)};
  kiln_strbuf_append(section, &head, sizeof head);
  kiln_strbuf_append(section, piece->identity, size);
  pad(section);
  kiln_strbuf_append(section, piece->code.data, piece->code.size);
  pad(section);
}

bool kiln_device_piece_next(struct kiln_str section, size_t *cursor, struct kiln_device_piece *out) {
  struct piece_head head;
  size_t at = *cursor, left = section.size - at;
  if (left < sizeof head)
    return false;
  memcpy(&head, section.data + at, sizeof head);
  at += sizeof head, left -= sizeof head;
  uint32_t identity = le32toh(head.identity_size);
  uint64_t code = le64toh(head.code_size);
  size_t before_code = identity + padding(identity);
  if (!identity || identity > KILN_MAX_IDENTITY || before_code > left || section.data[at + identity - 1] ||
      code > left - before_code)
    return false;
  out->identity = section.data + at;
  out->code = (struct kiln_str){section.data + at + before_code, (size_t)code};
  size_t size = before_code + (size_t)code;
  *cursor = at + size + (padding((size_t)code) <= left - size ? padding((size_t)code) : left - size);
  return true;
}

bool kiln_device_piece_find(struct kiln_str section, const char *identity, struct kiln_device_piece *out) {
  size_t cursor = 0;
  while (kiln_device_piece_next(section, &cursor, out))
    if (strcmp(out->identity, identity) == 0)
      return true;
  return false;
}

// The pieces of all sections in their order, each identity once.
static void merge(const struct kiln_str *sections, int section_count, struct kiln_strbuf *out) {
  struct kiln_device_piece kept[KILN_MAX_DEVICE_PIECES], piece;
  uint32_t count = 0;
  for (int s = 0; s < section_count; s++) {
    size_t cursor = 0;
    while (count < KILN_MAX_DEVICE_PIECES && kiln_device_piece_next(sections[s], &cursor, &piece)) {
      bool known = false;
      for (uint32_t i = 0; i < count && !known; i++)
        known = strcmp(kept[i].identity, piece.identity) == 0;
      if (!known)
        kept[count++] = piece;
    }
  }
  for (uint32_t i = 0; i < count; i++)
    kiln_device_piece_put(out, &kept[i]);
}

// ---- an entry with more --------------------------------------------------------------------------------------------

static bool is_below(const char *path, const struct kiln_store *store) {
  size_t size = strlen(store->path);
  return strncmp(path, store->path, size) == 0 && path[size] == '/';
}

// Where the entry lies, or shall lie. One of a layer may be another compiler's, so a copy of it belongs to what was
// imported. NULL: nothing is written.
static struct kiln_store *home_of(struct kiln_cache *cache, const struct kiln_cache_entry *entry) {
  if (cache->mode != KILN_CACHE_MODE_RW || !cache->has_store)
    return NULL;
  bool is_own = entry->path && is_below(entry->path, &cache->store) &&
                !(cache->imported && is_below(entry->path, cache->imported));
  return is_own || !cache->imported ? &cache->store : cache->imported;
}

// The file's own idea of the entry, with what others have added meanwhile. data NULL: the folder has none.
static void read_current(struct kiln_store *store, struct kiln_hash128 key, struct kiln_str record,
                         struct kiln_image_file *file, struct kiln_file_view *view) {
  const char *reason;
  *file = (struct kiln_image_file){.data = NULL};
  memset(view, 0, sizeof *view);
  if (kiln_store_read(store, key, KILN_SUFFIX_ENTRY, file, &reason) != KILN_READ_OK)
    file->data = NULL;
  else if (kiln_file_decode(file->data, file->size, KILN_FILE_ENTRY, view) ||
           !kiln_str_eq(view->sections[KILN_SECTION_KEY], record)) {
    free(file->data);
    file->data = NULL;
  }
  if (!file->data)
    memset(view, 0, sizeof *view);
}

// The entry's file with the pieces of section. The caller's to free; NULL: memory is exhausted.
static char *encode(struct kiln_cache *cache, const struct kiln_cache_entry *entry, const struct kiln_strbuf *section,
                    size_t *size) {
  struct kiln_file_view view = {.kind = KILN_FILE_ENTRY, .artifact = entry->artifact};
  memcpy(view.sections, entry->sections, sizeof entry->sections);
  view.sections[KILN_SECTION_DEVICE] = (struct kiln_str){section->data, section->size};
  bool sign = cache->signer && kiln_signer_can_sign(cache->signer);
  if (sign)
    view.sections[KILN_FILE_SIGNATURE] = kiln_signer_room();
  char *data;
  if (section->failed || !kiln_file_encode(&view, &data, size))
    return NULL;
  if (sign)
    (void)kiln_signer_sign(cache->signer, data, *size);
  return data;
}

// Servers have the entry without it, or with others': what they would refuse unsigned is not sent.
static void post(struct kiln_cache *cache, struct box *box, const struct kiln_record_parts *parts) {
  bool sends = cache->mode == KILN_CACHE_MODE_RW && (!cache->signer || kiln_signer_can_sign(cache->signer));
  struct kiln_remotes *remotes = sends ? kiln_cache_remotes(cache) : NULL;
  if (remotes)
    kiln_remotes_post(remotes, &box->entry, parts->head, parts->includes, &(struct kiln_remote_hold){.remote = NULL});
}

struct kiln_cache_entry *kiln_cache_add_device_pieces(struct kiln_cache *cache, const struct kiln_cache_entry *entry,
                                                      struct kiln_str added) {
  enum { WAIT_NS = 1000000000 }; // for others that add to the entry, or compile it
  struct kiln_str record = entry->sections[KILN_SECTION_KEY];
  struct kiln_record_parts parts;
  if (!kiln_record_split(record, &parts))
    return NULL;
  struct kiln_hash128 key = kiln_hash128(record.data, record.size);
  struct kiln_store *store = home_of(cache, entry);
  struct kiln_image_file current = {.data = NULL};
  struct kiln_file_view view = {.artifact = {NULL, 0}};
  bool waited, timed_out;
  int lock = store ? kiln_store_lock(store, key, kiln_now_ns() + WAIT_NS, &waited, &timed_out) : -1;
  if (store)
    read_current(store, key, record, &current, &view);
  struct kiln_strbuf section = {0};
  merge((struct kiln_str[]){added, view.sections[KILN_SECTION_DEVICE], entry->sections[KILN_SECTION_DEVICE]}, 3,
        &section);
  size_t size;
  char *data = encode(cache, entry, &section, &size), path[4096];
  kiln_strbuf_free(&section);
  bool on_disk = false;
  if (data && store) {
    struct kiln_cache_flight flight = {.cache = cache, .key = kiln_hash128(parts.head.data, parts.head.size)};
    kiln_strbuf_append(&flight.record, parts.head.data, parts.head.size);
    struct kiln_str fields =
        current.data ? (struct kiln_str){NULL, 0} : parts.includes; // else the manifest leads to it
    on_disk = !flight.record.failed && kiln_cache_store(&flight, store, key, (struct kiln_str){data, size}, fields) &&
              kiln_store_path(store, key, KILN_SUFFIX_ENTRY, path, sizeof path);
    kiln_strbuf_free(&flight.record);
  }
  kiln_store_unlock(lock);
  free(current.data);
  if (!data || kiln_file_decode(data, size, KILN_FILE_ENTRY, &view)) { // points the view into data
    free(data);
    return NULL;
  }
  struct box *box = kiln_cache_new_box(data, size, &view, entry->key, on_disk ? path : NULL);
  if (!box)
    return NULL;
  kiln_cache_replace(cache, box);
  post(cache, box, &parts);
  return &box->entry;
}
