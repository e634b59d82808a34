// The last tier of a look-up. What remotes answer is checked like a file of a stranger: as a container, by its
// signature, and whether it is what was asked for.
#include <stdlib.h>

#include "cache/internal.h"

static struct kiln_str view_of(const struct kiln_strbuf *buf) { return (struct kiln_str){buf->data, buf->size}; }

struct remote_search {
  struct search *search;
  struct box *box;
  struct kiln_str fields; // of the box's record: its includes
};

static const char *check(void *user, struct kiln_remote_item *item, struct kiln_signer *signer) {
  struct remote_search *r = user;
  struct search *search = r->search;
  struct kiln_file_view view;
  const char *defect = kiln_file_decode(item->data, item->size, KILN_FILE_ENTRY, &view);
  if (!defect && signer) {
    defect = kiln_signer_check(signer, item->data, item->size);
  }
  if (defect) {
    return defect;
  }
  struct kiln_str record = view.sections[KILN_SECTION_KEY], head = view_of(&search->record);
  if (record.size < head.size || memcmp(record.data, head.data, head.size) != 0) {
    return "it is of another request";
  }
  r->fields = (struct kiln_str){record.data + head.size, record.size - head.size};
  if (r->fields.size != 0 && !kiln_probes_match(&search->memo, search->request, r->fields)) {
    return "it is for other include files";
  }
  char hex[33];
  kiln_hash128_hex(kiln_hash128(record.data, record.size), hex);
  r->box = kiln_cache_new_box(item->data, item->size, &view, hex, NULL);
  item->data = NULL;
  return r->box ? NULL : "memory is exhausted";
}

// A manifest is not signed: it leads to entries, which are, and which are compared with what was asked for.
static uint32_t fetch(void *user, const struct kiln_remote_item *manifest, struct kiln_hash128 keys[KILN_REMOTE_SETS]) {
  struct remote_search *r = user;
  struct search *search = r->search;
  struct kiln_str head = view_of(&search->record), fields;
  struct kiln_file_view view;
  uint32_t count = 0;
  if (kiln_file_decode(manifest->data, manifest->size, KILN_FILE_MANIFEST, &view) ||
      !kiln_str_eq(view.sections[KILN_SECTION_KEY], head)) {
    kiln_cache_note(search, KILN_MISS_REFUSED);
    return 0;
  }
  size_t cursor = 0;
  while (count < KILN_REMOTE_SETS && kiln_sets_next(view.sections[KILN_FILE_SETS], &cursor, &fields)) {
    struct kiln_strbuf whole = {0};
    if (fields.size != 0 && kiln_probes_match(&search->memo, search->request, fields)) {
      kiln_strbuf_append(&whole, head.data, head.size);
      kiln_strbuf_append(&whole, fields.data, fields.size);
      if (!whole.failed) {
        keys[count++] = kiln_hash128(whole.data, whole.size);
      }
    }
    kiln_strbuf_free(&whole);
  }
  if (count == 0) {
    kiln_cache_note(search, KILN_MISS_INCLUDES);
  }
  return count;
}

// Writes it to the user's folder: the next process finds it there.
static void keep(struct search *search, struct box *box, struct kiln_str fields) {
  struct kiln_cache *cache = search->cache;
  struct kiln_str record = box->entry.sections[KILN_SECTION_KEY];
  struct kiln_hash128 key = kiln_hash128(record.data, record.size);
  struct kiln_cache_flight flight = {.cache = cache, .key = search->key, .record = search->record};
  char path[4096];
  if (kiln_cache_store(&flight, key, (struct kiln_str){box->image, box->size}, fields) &&
      kiln_store_path(&cache->store, key, KILN_SUFFIX_ENTRY, path, sizeof path)) {
    box->path = strdup(path);
    box->entry.path = box->path;
  }
}

struct box *kiln_cache_find_remote(struct search *search, struct kiln_remote_hold *hold) {
  struct kiln_cache *cache = search->cache;
  bool writes = cache->mode == KILN_CACHE_MODE_RW;
  struct remote_search r = {.search = search};
  struct kiln_remote_lookup lookup = {.key = search->key,
                                      .check = check,
                                      .fetch = fetch,
                                      .user = &r,
                                      .with_lease = writes,
                                      .deadline = search->deadline};
  if (!kiln_remotes_find(cache->remotes, &lookup, hold)) {
    if (lookup.reason) {
      kiln_cache_note(search, KILN_MISS_REFUSED);
    }
    return NULL;
  }
  search->trace.place = lookup.place;
  if (writes && cache->has_store) {
    keep(search, r.box, r.fields);
  }
  return r.box;
}
