// Opening and closing caches, and reading settings.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/c_locale.h"
#include "cache/bundle.h"
#include "cache/internal.h"

enum { DEFAULT_WAIT_MS = 30000 };
static const uint64_t default_memory = 256u << 20;

// Remembers why a layer is not used, for the reason of a miss. Takes the path over. False when memory is exhausted.
static bool lose_layer(struct kiln_cache *cache, char *path, const char *problem) {
  struct lost_layer *lost = realloc(cache->lost, (cache->lost_count + 1) * sizeof *lost);
  if (!lost) {
    free(path);
    return false;
  }
  cache->lost = lost;
  lost[cache->lost_count++] = (struct lost_layer){path, problem};
  return true;
}

static bool open_layer(struct kiln_cache *cache, const struct kiln_trust *trust, const char *path, size_t size) {
  uint32_t at = atomic_load(&cache->layer_count);
  if (at == KILN_MAX_LAYERS) {
    kiln_cache_say(cache, true, "kernel cache: there are more than %d layers; the rest is not used", KILN_MAX_LAYERS);
    char *rest = strndup(path, size);
    return rest && lose_layer(cache, rest, "there are too many layers");
  }
  const char *problem;
  struct kiln_store *layer = &cache->layers[at];
  if (!kiln_store_init(layer, path, size, trust, true, true, &problem))
    return false;
  if (problem) {
    kiln_cache_say(cache, true, "kernel cache %s: the bundle cannot be used: %s", layer->path, problem);
    char *lost = layer->path;
    layer->path = NULL;
    kiln_store_free(layer);
    return lose_layer(cache, lost, problem);
  }
  atomic_store(&cache->layer_count, at + 1);
  return true;
}

static bool open_layers(struct kiln_cache *cache, const struct kiln_trust *trust, const char *layers) {
  while (*layers) {
    size_t size = strcspn(layers, ":");
    if (size != 0 && !open_layer(cache, trust, layers, size))
      return false;
    layers += size + (layers[size] == ':');
  }
  return true;
}

// What was imported lies below the user's folder; as everything imported it may come from another compiler.
static bool open_imported(struct kiln_cache *cache) {
  struct kiln_strbuf path = {0};
  kiln_strbuf_printf(&path, "%s/" KILN_IMPORTED, cache->store.path);
  bool ok = !path.failed && open_layer(cache, &cache->store.trust, path.data, path.size);
  kiln_strbuf_free(&path);
  if (ok && atomic_load(&cache->layer_count) != 0) {
    cache->imported = &cache->layers[0];
    cache->imported->touch = cache->mode == KILN_CACHE_MODE_RW;
  }
  return ok;
}

// Called by the keeper.
static void swept(void *user, const struct kiln_sweep_result *result) {
  struct kiln_cache *cache = user;
  atomic_fetch_add(&cache->evicted, result->removed);
  atomic_fetch_add(&cache->evicted_bytes, result->removed_bytes);
  if (result->removed != 0) {
    kiln_cache_say(cache, false, "kernel cache %s: removed %llu files (%llu KiB) that were not used for longest",
                   cache->store.path, (unsigned long long)result->removed,
                   (unsigned long long)result->removed_bytes >> 10);
    kiln_cache_tell(cache, (struct kiln_cache_notice){.change = KILN_CHANGE_EVICTED,
                                                      .place = cache->store.path,
                                                      .bytes = result->removed_bytes,
                                                      .count = result->removed});
  }
}

// What the remote tier needs is only noted: a process that finds all on its disk pays nothing for it. False when memory
// is exhausted.
static bool note_remotes(struct kiln_cache *cache, const struct kiln_cache_config *config) {
  bool ok = true;
  pthread_mutex_init(&cache->remote_mutex, NULL);
  if (config->key_file && *config->key_file) {
    cache->signer = kiln_signer_new(config->key_file);
    ok = cache->signer != NULL;
  }
  if (config->remotes && *config->remotes) {
    cache->remote_places = strdup(config->remotes);
    ok = ok && cache->remote_places;
  }
  return ok;
}

// A list that cannot be read is told, and the rest of the cache works.
struct kiln_remotes *kiln_cache_remotes(struct kiln_cache *cache) {
  if (!cache->remote_places)
    return NULL;
  pthread_mutex_lock(&cache->remote_mutex);
  if (!cache->remotes_opened) {
    char problem[KILN_REMOTE_PROBLEM];
    struct kiln_remotes_config config = {.places = cache->remote_places,
                                         .signer = cache->signer,
                                         .state = cache->has_store ? &cache->store : NULL,
                                         .read_only = cache->mode != KILN_CACHE_MODE_RW,
                                         .log = cache->log,
                                         .log_user = cache->log_user};
    struct kiln_remotes *remotes = kiln_remotes_open(&config, problem);
    atomic_store(&cache->remotes, remotes);
    cache->remotes_opened = true;
    if (!remotes) {
      kiln_cache_say(cache, true, "no remote is used, for COMPILE_CACHE_REMOTE cannot be read: %s", problem);
      cache->remote_problem = strdup(problem);
    }
  }
  pthread_mutex_unlock(&cache->remote_mutex);
  return atomic_load(&cache->remotes);
}

struct kiln_cache *kiln_cache_open(const struct kiln_cache_config *config) {
  struct kiln_cache *cache = calloc(1, sizeof *cache);
  if (!cache)
    return NULL;
  cache->mode = config->mode;
  cache->wait_ns = (config->wait_ms ? config->wait_ms : DEFAULT_WAIT_MS) * (uint64_t)1000000;
  cache->memory_limit = config->memory_bytes ? config->memory_bytes : default_memory;
  cache->log = config->log;
  cache->log_user = config->log_user;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&cache->mutex, NULL);
  pthread_cond_init(&cache->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  cache->bucket_count = 64;
  cache->buckets = calloc(cache->bucket_count, sizeof *cache->buckets);
  cache->layers = calloc(KILN_MAX_LAYERS, sizeof *cache->layers);
  cache->max_bytes = config->max_bytes;
  cache->notice = config->notice;
  cache->notice_user = config->notice_user;
  kiln_keeper_init(&cache->keeper);
  bool ok = cache->buckets != NULL && cache->layers != NULL;
  const char *problem;
  if (ok && cache->mode != KILN_CACHE_MODE_OFF && config->dir && *config->dir) {
    ok = cache->has_store = kiln_store_init(&cache->store, config->dir, strlen(config->dir), &config->trust,
                                            cache->mode != KILN_CACHE_MODE_RW, false, &problem);
    ok = ok && open_imported(cache);
  }
  if (ok && cache->mode != KILN_CACHE_MODE_OFF && config->layers && *config->layers)
    ok = open_layers(cache, &config->trust, config->layers);
  if (!ok) {
    kiln_cache_close(cache);
    return NULL;
  }
  if (!note_remotes(cache, config)) {
    kiln_cache_close(cache);
    return NULL;
  }
  cache->store.no_locks = config->no_locks;
  cache->store.touch = cache->mode == KILN_CACHE_MODE_RW;
  cache->keeper.stores[0] = &cache->store;
  cache->keeper.stores[1] = cache->imported;
  cache->keeper.limit = cache->max_bytes;
  cache->keeper.sync = !config->no_sync;
  cache->keeper.swept = swept;
  cache->keeper.user = cache;
  return cache;
}

void kiln_cache_close(struct kiln_cache *cache) {
  if (!cache)
    return;
  kiln_remotes_close(atomic_load(&cache->remotes));
  pthread_mutex_destroy(&cache->remote_mutex);
  free(cache->remote_places);
  kiln_keeper_fini(&cache->keeper);
  for (uint32_t i = 0; cache->buckets && i < cache->bucket_count; i++)
    while (cache->buckets[i])
      kiln_cache_drop_head(cache, cache->buckets[i]);
  kiln_tune_drop_all(cache);
  for (uint32_t i = 0; i < atomic_load(&cache->layer_count); i++)
    kiln_store_free(&cache->layers[i]);
  for (uint32_t i = 0; i < cache->lost_count; i++)
    free(cache->lost[i].path);
  free(cache->lost);
  free(cache->remote_problem);
  kiln_store_free(&cache->store);
  kiln_signer_free(cache->signer);
  free(cache->layers);
  free(cache->buckets);
  pthread_cond_destroy(&cache->changed);
  pthread_mutex_destroy(&cache->mutex);
  free(cache);
}

enum kiln_cache_mode kiln_cache_mode(const struct kiln_cache *cache) { return cache->mode; }

bool kiln_cache_parse_mode(const char *text, enum kiln_cache_mode *out) {
  static const char *const names[] = {[KILN_CACHE_MODE_RW] = "rw",
                                      [KILN_CACHE_MODE_RO] = "ro",
                                      [KILN_CACHE_MODE_OFF] = "off",
                                      [KILN_CACHE_MODE_REQUIRE] = "require"};
  for (int i = 0; i < 4; i++) {
    if (strcmp(text, names[i]) == 0) {
      *out = (enum kiln_cache_mode)i;
      return true;
    }
  }
  return false;
}

bool kiln_cache_parse_size(const char *text, uint64_t *out) {
  static const char units[] = "KMGT";
  char *end;
  errno = 0;
  uint64_t value = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || errno)
    return false;
  const char *unit = *end ? strchr(units, *end >= 'a' && *end <= 'z' ? *end - 'a' + 'A' : *end) : NULL;
  if (unit) {
    unsigned shift = 10 * (unsigned)(unit - units + 1);
    if (value > UINT64_MAX >> shift)
      return false;
    value <<= shift;
    end++;
  }
  if (kiln_same_but_for_case(end, unit ? "iB" : "B"))
    end += strlen(end);
  else if (kiln_same_but_for_case(end, "B"))
    end++;
  *out = value;
  return *end == '\0';
}

const char *kiln_cache_folder(const struct kiln_cache *cache) { return cache->has_store ? cache->store.path : NULL; }

void kiln_cache_flush(struct kiln_cache *cache) {
  struct kiln_remotes *remotes = atomic_load(&cache->remotes);
  if (remotes)
    kiln_remotes_flush(remotes);
  kiln_keeper_flush(&cache->keeper);
}

const char *kiln_cache_attach(struct kiln_cache *cache, const void *data, size_t size) {
  struct kiln_bundle *bundle;
  const char *problem = kiln_bundle_open_memory(data, size, true, &bundle);
  if (problem)
    return problem;
  pthread_mutex_lock(&cache->mutex);
  uint32_t at = atomic_load(&cache->layer_count);
  struct kiln_store *layer = &cache->layers[at < KILN_MAX_LAYERS ? at : 0];
  char *name = strdup("imported bundle");
  problem = !name ? kiln_bundle_no_memory : at == KILN_MAX_LAYERS ? "there are too many layers" : NULL;
  if (!problem) {
    *layer = (struct kiln_store){.path = name, .read_only = true, .bundle = bundle};
    kiln_store_read_toolchains(layer, bundle->toolchains);
    atomic_store_explicit(&cache->layer_count, at + 1, memory_order_release);
  }
  pthread_mutex_unlock(&cache->mutex);
  if (problem) {
    free(name);
    kiln_bundle_close(bundle);
  }
  return problem;
}

const char *kiln_cache_bundle_add(struct kiln_cache *cache, struct kiln_bundle_builder *builder,
                                  const struct kiln_cache_entry *entry) {
  struct kiln_str image = kiln_cache_entry_image(entry);
  char *sealed = NULL;
  size_t size;
  if (cache->signer && kiln_signer_check(cache->signer, image.data, image.size) &&
      kiln_signer_seal(cache->signer, image, &sealed, &size))
    image = (struct kiln_str){sealed, size};
  const char *defect = kiln_bundle_add(builder, image);
  free(sealed);
  return defect;
}

bool kiln_cache_visit_memory(struct kiln_cache *cache, kiln_cache_entry_fn *fn, void *user) {
  pthread_mutex_lock(&cache->mutex);
  uint32_t count = 0;
  struct kiln_cache_entry **entries = malloc(((size_t)cache->head_count * KILN_MAX_SETS + 1) * sizeof(*entries));
  for (uint32_t i = 0; entries && i < cache->bucket_count; i++) {
    for (struct head *head = cache->buckets[i]; head; head = head->next) {
      for (uint32_t k = 0; k < head->count; k++) {
        entries[count++] = &head->entries[k]->entry;
        kiln_cache_entry_retain(&head->entries[k]->entry);
      }
    }
  }
  pthread_mutex_unlock(&cache->mutex);
  for (uint32_t i = 0; entries && i < count; i++) {
    fn(user, entries[i]);
    kiln_cache_entry_release(entries[i]);
  }
  free(entries);
  return entries != NULL;
}

void kiln_cache_counters(struct kiln_cache *cache, struct kiln_cache_counters *out) {
  pthread_mutex_lock(&cache->mutex);
  *out = cache->counters;
  out->evicted = atomic_load(&cache->evicted);
  out->evicted_bytes = atomic_load(&cache->evicted_bytes);
  out->degraded = atomic_load(&cache->degraded);
  pthread_mutex_unlock(&cache->mutex);
}

void kiln_cache_remote_counters(struct kiln_cache *cache, struct kiln_remote_counters *out) {
  *out = (struct kiln_remote_counters){0};
  struct kiln_remotes *remotes = atomic_load(&cache->remotes);
  if (remotes)
    kiln_remotes_counters(remotes, out);
}
