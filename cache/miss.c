// Why a look-up found nothing, in words: "'inc/a.h' has changed (/srv/kernels); /opt/app.bundle cannot be used: its end
// is missing". Nothing here runs on a hit.
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cache/internal.h"
#include "cache/remote.h"

enum { MAX_PLACES = 3 };

// Begins one more clause.
static void begin(struct kiln_strbuf *out) {
  if (out->size != 0)
    kiln_strbuf_puts(out, "; ");
}

static void put_difference(const struct search *search, struct kiln_strbuf *out) {
  const struct kiln_probe_difference *d = &search->difference;
  if (!d->noted || !search->difference_place)
    return;
  begin(out);
  if (d->roots) {
    kiln_strbuf_puts(out, "the include folders are not those that the entry in ");
  } else if (d->memory && d->path[0] == '\x01') {
    kiln_strbuf_puts(out, "the source has not the name that the entry in ");
  } else {
    const char *root = d->root != 0 ? search->request->roots[d->root - 1] : ".";
    bool plain = d->memory || strcmp(root, ".") == 0;
    kiln_strbuf_printf(out, "%s'%s%s%s' %s the entry in ", d->memory ? "header " : "", plain ? "" : root,
                       plain ? "" : "/", d->path,
                       !d->is_found    ? "is not there any more, as it was when"
                       : !d->was_found ? "was not there when"
                                       : "has changed since");
  }
  kiln_strbuf_printf(out, "%s was made%s", search->difference_place, d->roots || d->path[0] == '\x01' ? " with" : "");
}

// What is below a folder that cannot be used cannot be used either.
static bool goes_without_saying(const struct search *search, const struct fact *fact) {
  const struct kiln_cache *cache = search->cache;
  bool imported = cache->imported && fact->place == cache->imported->path, said = false;
  for (uint32_t i = 0; i < search->fact_count && imported; i++)
    said |= search->facts[i].place == cache->store.path && search->facts[i].kind == fact->kind;
  return said;
}

static void put_fact(const struct fact *fact, struct kiln_strbuf *out) {
  const char *reason = fact->reason ? fact->reason : strerrordesc_np(fact->error);
  char hex[33];
  kiln_hash128_hex(fact->key, hex);
  begin(out);
  if (fact->kind == KILN_MISS_UNREADABLE)
    kiln_strbuf_printf(out, "%s cannot be used: %s", fact->place, reason ? reason : "unknown error");
  else
    kiln_strbuf_printf(out, "entry %s in %s %s: %s", hex, fact->place,
                       fact->kind == KILN_MISS_DAMAGED ? "is damaged" : "is refused", reason ? reason : "");
}

static bool is_missing(const struct kiln_store *store) {
  return !store->bundle && access(store->path, F_OK) != 0 && errno == ENOENT;
}

// Folders that are not there, and layers that cannot be used at all. others: where it was looked.
static void put_stores(const struct kiln_cache *cache, struct kiln_strbuf *out, struct kiln_strbuf *others) {
  uint32_t layers = atomic_load_explicit(&cache->layer_count, memory_order_acquire), count = 0;
  for (uint32_t i = cache->has_store ? 0 : 1; i <= layers; i++) {
    const struct kiln_store *store = i == 0 ? &cache->store : &cache->layers[i - 1];
    if (store == cache->imported)
      continue;
    if (is_missing(store)) {
      begin(out);
      kiln_strbuf_printf(out, "%s is not there", store->path);
    } else if (count++ < MAX_PLACES) {
      kiln_strbuf_printf(others, "%s%s", count == 1 ? "looked in " : ", ", store->path);
    }
  }
  for (uint32_t i = 0; i < cache->lost_count; i++) {
    begin(out);
    kiln_strbuf_printf(out, "%s cannot be used: %s", cache->lost[i].path, cache->lost[i].problem);
  }
  if (count > MAX_PLACES)
    kiln_strbuf_printf(others, " and %u more", count - MAX_PLACES);
  if (count == 0 && out->size == 0)
    kiln_strbuf_puts(others, "there is no folder to look in");
}

static void put_remotes(struct kiln_cache *cache, struct kiln_strbuf *out) {
  struct kiln_remotes *remotes = atomic_load(&cache->remotes);
  struct kiln_strbuf problems = {0};
  if (remotes)
    kiln_remotes_problems(remotes, &problems);
  else if (cache->remote_problem)
    kiln_strbuf_printf(&problems, "COMPILE_CACHE_REMOTE cannot be read: %s", cache->remote_problem);
  if (problems.size != 0) {
    begin(out);
    kiln_strbuf_append(out, problems.data, problems.size);
  }
  kiln_strbuf_free(&problems);
}

char *kiln_miss_details(const struct search *search) {
  struct kiln_cache *cache = search->cache;
  enum kiln_cache_miss reason = search->trace.reason;
  struct kiln_strbuf out = {0}, others = {0};
  if (reason == KILN_MISS_OFF || reason == KILN_MISS_TIMEOUT)
    return NULL;
  if (reason >= KILN_MISS_INCLUDES)
    put_difference(search, &out);
  for (uint32_t i = 0; i < search->fact_count; i++)
    if (!goes_without_saying(search, &search->facts[i]))
      put_fact(&search->facts[i], &out);
  put_stores(cache, &out, &others);
  put_remotes(cache, &out);
  if (others.size != 0 && (reason == KILN_MISS_ABSENT || reason == KILN_MISS_NO_TOOLCHAIN)) {
    begin(&out);
    kiln_strbuf_append(&out, others.data, others.size);
  }
  kiln_strbuf_free(&others);
  if (!out.failed && out.size != 0)
    return kiln_strbuf_take(&out);
  kiln_strbuf_free(&out);
  return NULL;
}
