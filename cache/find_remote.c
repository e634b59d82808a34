// The last tier of a look-up. What remotes answer is checked like a file of a stranger: as a container, by its
// signature, and whether it is what was asked for.
#include <stdlib.h>
#include <unistd.h>

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
  if (!defect && signer)
    defect = kiln_signer_check(signer, item->data, item->size);
  if (defect)
    return defect;
  struct kiln_str record = view.sections[KILN_SECTION_KEY], head = view_of(&search->record);
  if (record.size < head.size || memcmp(record.data, head.data, head.size) != 0)
    return "it is of another request";
  r->fields = (struct kiln_str){record.data + head.size, record.size - head.size};
  if (r->fields.size != 0 && !kiln_probes_match(&search->memo, search->request, r->fields))
    return "it is for other include files";
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
      if (!whole.failed)
        keys[count++] = kiln_hash128(whole.data, whole.size);
    }
    kiln_strbuf_free(&whole);
  }
  if (count == 0)
    kiln_cache_note(search, KILN_MISS_INCLUDES);
  return count;
}

// Writes it to the user's folder, where the next process finds it: to the imported part, if it is of another toolchain.
static void keep(struct search *search, struct box *box, struct kiln_str fields) {
  struct kiln_cache *cache = search->cache;
  struct kiln_store *store = search->request->toolchain ? &cache->store : cache->imported;
  struct kiln_str record = box->entry.sections[KILN_SECTION_KEY];
  struct kiln_hash128 key = kiln_hash128(record.data, record.size);
  struct kiln_cache_flight flight = {.cache = cache, .key = search->key, .record = search->record};
  char path[4096];
  if (store && kiln_cache_store(&flight, store, key, (struct kiln_str){box->image, box->size}, fields) &&
      kiln_store_path(store, key, KILN_SUFFIX_ENTRY, path, sizeof path)) {
    box->path = strdup(path);
    box->entry.path = box->path;
  }
}

static bool can_keep(const struct kiln_cache *cache) { return cache->mode == KILN_CACHE_MODE_RW && cache->has_store; }

static struct box *look_up(struct search *search, bool with_lease, struct kiln_remote_hold *hold) {
  struct kiln_cache *cache = search->cache;
  struct remote_search r = {.search = search};
  struct kiln_remote_lookup lookup = {.key = search->key,
                                      .check = check,
                                      .fetch = fetch,
                                      .user = &r,
                                      .with_lease = with_lease,
                                      .deadline = search->deadline};
  if (!kiln_remotes_find(cache->remotes, &lookup, hold)) {
    if (lookup.reason)
      kiln_cache_note_fact(
          search,
          (struct fact){.kind = KILN_MISS_REFUSED, .place = "a remote", .reason = lookup.reason, .key = search->key});
    return NULL;
  }
  search->trace.place = lookup.place;
  if (can_keep(cache))
    keep(search, r.box, r.fields);
  return r.box;
}

static bool complete(struct search *search, const struct kiln_hash128 *toolchain) {
  const struct kiln_strbuf *request = &search->request->key->record;
  kiln_strbuf_append(&search->record, request->data, request->size);
  kiln_record_complete(&search->record, toolchain);
  search->key = kiln_hash128(search->record.data, search->record.failed ? 0 : search->record.size);
  return !search->record.failed;
}

// No compiler is installed: with which ones others compile for this target is on the remotes.
static struct box *find_foreign(struct search *search, struct kiln_remote_hold *hold) {
  struct kiln_remotes *remotes = search->cache->remotes;
  struct kiln_hash128 toolchains[KILN_REMOTE_TOOLCHAINS];
  struct kiln_strbuf label = {0};
  struct box *box = NULL;
  kiln_request_label(search->request, &label);
  uint32_t count = label.data ? kiln_remotes_toolchains(remotes, kiln_hash128(label.data, label.size), toolchains) : 0;
  kiln_strbuf_free(&label);
  for (uint32_t i = 0; i < count && !box; i++) {
    struct search other = *search;
    other.record = (struct kiln_strbuf){0};
    box = complete(&other, &toolchains[i]) ? look_up(&other, false, hold) : NULL;
    search->memo = other.memo;
    search->trace = other.trace;
    memcpy(search->facts, other.facts, sizeof search->facts);
    search->fact_count = other.fact_count;
    kiln_strbuf_free(&other.record);
  }
  return box;
}

struct box *kiln_cache_find_remote(struct search *search, struct kiln_remote_hold *hold) {
  return search->request->toolchain ? look_up(search, search->cache->mode == KILN_CACHE_MODE_RW, hold)
                                    : find_foreign(search, hold);
}

bool kiln_cache_has_remotes(struct kiln_cache *cache) { return can_keep(cache) && kiln_cache_remotes(cache); }

void kiln_cache_prefetch(struct kiln_cache *cache, const struct kiln_cache_request *const *requests, uint32_t count) {
  struct search *searches = calloc(count + 1u, sizeof *searches);
  struct remote_search *rs = calloc(count + 1u, sizeof *rs);
  struct kiln_remote_lookup *lookups = calloc(count + 1u, sizeof *lookups);
  uint32_t wanted = 0;
  char path[4096];
  for (uint32_t i = 0; i < count && searches && rs && lookups && kiln_cache_has_remotes(cache); i++) {
    struct search *search = &searches[wanted];
    *search = (struct search){.cache = cache, .request = requests[i]};
    bool here = !requests[i]->toolchain || !complete(search, requests[i]->toolchain);
    for (int suffix = KILN_SUFFIX_ENTRY; suffix <= KILN_SUFFIX_MANIFEST && !here; suffix++) {
      here = !kiln_store_path(&cache->store, search->key, (enum kiln_store_suffix)suffix, path, sizeof path) ||
             access(path, F_OK) == 0;
    }
    if (here) {
      kiln_strbuf_free(&search->record);
      continue;
    }
    rs[wanted].search = search;
    lookups[wanted] =
        (struct kiln_remote_lookup){.key = search->key, .check = check, .fetch = fetch, .user = &rs[wanted]};
    wanted++;
  }
  if (wanted != 0)
    kiln_remotes_find_many(cache->remotes, lookups, wanted);
  for (uint32_t i = 0; i < wanted; i++) {
    if (rs[i].box) {
      keep(&searches[i], rs[i].box, rs[i].fields);
      kiln_cache_entry_release(&rs[i].box->entry);
    }
    kiln_strbuf_free(&searches[i].record);
    kiln_probe_memo_free(&searches[i].memo);
  }
  free(searches);
  free(rs);
  free(lookups);
}
