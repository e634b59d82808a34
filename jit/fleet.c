// The cache of a fleet for tools: sending to servers and fetching from them, keys, metrics.
#include <string.h>

#include "base/floats.h"
#include "cache/sign.h"
#include "cache/transfer.h"
#include "jit/context.h"
#include "jit/inspect.h"

// ---- push and pull -------------------------------------------------------------------------------------------------

struct progress {
  kiln_cache_transfer_fn *fn;
  void *user;
};

static struct kiln_cache_transfer outside(const struct kiln_transfer *t) {
  return (struct kiln_cache_transfer){t->total, t->done, t->moved, t->present, t->refused, t->bytes};
}

static bool pass_on(void *user, const struct kiln_transfer *so_far) {
  const struct progress *progress = user;
  struct kiln_cache_transfer out = outside(so_far);
  return !progress->fn || progress->fn(progress->user, &out);
}

static void keep_message(void *user, bool warning, const char *message) {
  struct kiln_strbuf *text = user;
  if (warning && text->size == 0)
    kiln_strbuf_puts(text, message);
}

// Opens the place that is named, or the first one of the environment.
static enum kiln_status open_remote(const char *remote, struct kiln_signer *signer, struct kiln_strbuf *said,
                                    struct kiln_remotes **out) {
  struct kiln_env env;
  char problem[KILN_REMOTE_PROBLEM];
  if (!kiln_env_read(&env))
    return kiln_error_memory();
  struct kiln_remotes_config config = {.places = remote && *remote ? remote : env.values[KILN_ENV_CACHE_REMOTE],
                                       .signer = signer,
                                       .patient = true,
                                       .log = keep_message,
                                       .log_user = said};
  enum kiln_status status = KILN_OK;
  if (!config.places)
    status = kiln_error(KILN_ERR_INVALID, "there is no remote: name one, or set COMPILE_CACHE_REMOTE");
  else if (!(*out = kiln_remotes_open(&config, problem)))
    status = kiln_error(KILN_ERR_INVALID, "the remote cannot be read: %s", problem);
  else if (kiln_remotes_count(*out) == 0)
    status = kiln_error(KILN_ERR_INVALID, "there is no remote: name one, or set COMPILE_CACHE_REMOTE");
  kiln_env_free(&env);
  return status;
}

static enum kiln_status transfer(struct kiln_place *place, bool push, const char *remote, struct progress *progress,
                                 struct kiln_cache_transfer *out) {
  struct kiln_remotes *remotes = NULL;
  struct kiln_strbuf said = {0};
  struct kiln_transfer result;
  char problem[KILN_REMOTE_PROBLEM] = "";
  memset(&result, 0, sizeof result);
  const char *defect = place->signer ? kiln_signer_problem(place->signer) : NULL;
  enum kiln_status status =
      defect ? kiln_error(KILN_ERR_UNAVAILABLE, "%s", defect) : open_remote(remote, place->signer, &said, &remotes);
  if (status == KILN_OK) {
    const struct kiln_remote_place *where = kiln_remotes_place(remotes, 0);
    bool ok;
    if (push && where->read_only) {
      status = kiln_error(KILN_ERR_INVALID, "remote %s is for reading only ('ro')", where->url);
      ok = true;
    } else if (push) {
      ok = kiln_place_push(place, remotes, 0, pass_on, progress, &result, problem);
    } else {
      if (where->without_signatures) { // so the place was declared
        kiln_signer_free(place->signer);
        place->signer = NULL;
      }
      ok = kiln_place_pull(place, remotes, 0, pass_on, progress, &result, problem);
    }
    if (!ok && *problem)
      status = said.size && !said.failed ? kiln_error(KILN_ERR_UNAVAILABLE, "%s", said.data)
                                         : kiln_error(KILN_ERR_UNAVAILABLE, "remote %s: %s", where->url, problem);
    else if (result.refused)
      kiln_error(KILN_OK, "%s", result.reason);
  }
  kiln_remotes_close(remotes);
  kiln_strbuf_free(&said);
  if (out)
    *out = outside(&result);
  return status;
}

enum kiln_status kiln_cache_push(const char *place_path, const char *remote, kiln_cache_transfer_fn *fn, void *user,
                                 struct kiln_cache_transfer *out) {
  struct kiln_place place;
  enum kiln_status status = kiln_inspect_open(place_path, true, &place);
  if (status != KILN_OK)
    return status;
  status = transfer(&place, true, remote, &(struct progress){fn, user}, out);
  kiln_place_close(&place);
  return status;
}

enum kiln_status kiln_cache_pull(const char *place_path, const char *remote, kiln_cache_transfer_fn *fn, void *user,
                                 struct kiln_cache_transfer *out) {
  struct kiln_place place;
  enum kiln_status status = kiln_inspect_open_folder(place_path, &place);
  if (status != KILN_OK)
    return status;
  status = transfer(&place, false, remote, &(struct progress){fn, user}, out);
  kiln_place_close(&place);
  return status;
}

enum kiln_status kiln_cache_make_key(const char *path, bool shared) {
  if (!path || !*path)
    return kiln_error(KILN_ERR_INVALID, "kiln_cache_make_key: path is missing");
  const char *problem = kiln_signer_make(path, shared);
  return problem ? kiln_error(KILN_ERR_IO, "no key can be written to '%s': %s", path, problem) : KILN_OK;
}

// ---- metrics -------------------------------------------------------------------------------------------------------

static void tell(const struct kiln_remote_counters *c, kiln_cache_metric_fn *fn, void *user) {
  struct kiln_floats floats = kiln_floats_enter();
#define KILN_REMOTE_COUNTER(name, metric, help)                                                                        \
  fn(user, "remote_" metric, help, strstr(metric, "_seconds_") ? (double)c->name / 1e9 : (double)c->name);
#include "cache/remote_counters.def"
  kiln_floats_leave(floats);
}

enum kiln_status kiln_cache_metrics(const char *place_path, kiln_cache_metric_fn *fn, void *user) {
  struct kiln_place place;
  struct kiln_remote_counters counters;
  struct kiln_place_size size;
  if (!fn)
    return kiln_error(KILN_ERR_INVALID, "kiln_cache_metrics: fn is NULL");
  enum kiln_status status = kiln_inspect_open(place_path, true, &place);
  if (status != KILN_OK)
    return status;
  kiln_remote_totals(&place.stores[0], &counters);
  kiln_place_measure(&place, &size);
  kiln_place_close(&place);
  tell(&counters, fn, user);
  fn(user, "entries", "programs in the cache folder", (double)size.entries);
  fn(user, "tuning_records", "tuning records in the cache folder", (double)size.tunings);
  fn(user, "disk_bytes", "size of the cache folder", (double)size.disk_bytes);
  fn(user, "quarantined", "damaged files that were set aside", (double)size.quarantined);
  return KILN_OK;
}

void kiln_context_cache_metrics(const struct kiln_context *ctx, kiln_cache_metric_fn *fn, void *user) {
  struct kiln_remote_counters counters;
  if (!ctx || !fn)
    return;
  kiln_cache_remote_counters(ctx->cache, &counters);
  tell(&counters, fn, user);
}
