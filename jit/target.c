// Choice of backend and target: what the caller says, else the environment, else the machine.
#include "jit/target.h"

#include <string.h>

static bool given(const char *text) { return text && *text; }

// Rank of an entry in the automatic choice: preference, then position; INT64_MIN: it does not take part. What a plugin
// wants is known without loading it.
static int64_t rank_of(const struct kiln_registry *registry, uint32_t i) {
  const struct kiln_registry_entry *entry = &registry->entries[i];
  const struct kiln_base_backend *b = entry->backend;
  int32_t preference = b ? b->preference : entry->preference;
  if (entry->problem || preference <= 0 || kiln_tags_hide(b ? b->tags : entry->tags))
    return INT64_MIN;
  return ((int64_t)preference << 32) - i;
}

static enum kiln_status try_detect(struct kiln_registry *registry, struct kiln_registry_entry *entry,
                                   const struct kiln_report *log, struct kiln_strbuf *reasons,
                                   struct kiln_target *target) {
  enum kiln_status status = kiln_registry_load(registry, entry);
  if (status != KILN_OK) {
    kiln_strbuf_printf(reasons, "%s%s: %s", reasons->size ? "; " : "", entry->name,
                       entry->problem ? entry->problem : kiln_last_error());
    return status;
  }
  const struct kiln_base_backend *b = entry->backend;
  struct kiln_report report = {.log = log->log, .log_user = log->log_user, .log_level = log->log_level};
  memset(target, 0, sizeof *target);
  status = (b->detect_automatic ? b->detect_automatic : b->detect_target)(target, &report);
  if (status != KILN_OK)
    kiln_strbuf_printf(reasons, "%s%s: %s", reasons->size ? "; " : "", b->name, kiln_report_text(&report));
  kiln_report_free(&report);
  return status;
}

// The available backend with the highest preference; of equals the one that was registered first.
static enum kiln_status detect(struct kiln_registry *registry, const struct kiln_report *log,
                               const struct kiln_base_backend **out_backend, struct kiln_target *out_target) {
  enum kiln_status status = kiln_registry_discover(registry);
  if (status != KILN_OK)
    return status;
  struct kiln_strbuf reasons = {0};
  int64_t below = INT64_MAX; // tried from the highest
  for (;;) {
    struct kiln_registry_entry *best = NULL;
    int64_t best_rank = INT64_MIN;
    for (uint32_t i = 0; i < registry->count; i++) {
      int64_t rank = rank_of(registry, i);
      if (rank < below && rank > best_rank) {
        best = &registry->entries[i];
        best_rank = rank;
      }
    }
    if (!best)
      break;
    below = best_rank;
    struct kiln_target target;
    status = try_detect(registry, best, log, &reasons, &target);
    if (status == KILN_ERR_IO || status == KILN_ERR_MEMORY) { // it may be there: another one is not what was wanted
      kiln_error(status, "the backends that are available here cannot be found out (%s)",
                 reasons.data ? reasons.data : best->name);
      kiln_strbuf_free(&reasons);
      return status;
    }
    if (status == KILN_OK) {
      kiln_strbuf_free(&reasons);
      *out_backend = best->backend;
      *out_target = target;
      return KILN_OK;
    }
  }
  kiln_error(KILN_ERR_UNAVAILABLE, "no backend is available here (%s)",
             reasons.data ? reasons.data : "none is built in that may be chosen by itself");
  kiln_strbuf_free(&reasons);
  return KILN_ERR_UNAVAILABLE;
}

// Where a name came from, for messages.
static const char *source(const char *argument, const struct kiln_env *env, enum kiln_env_id id) {
  return given(argument) ? NULL : env->values[id] ? kiln_env_name(id) : NULL;
}

enum kiln_status kiln_target_check(const struct kiln_base_backend *backend, struct kiln_target *target) {
  bool terminated =
      memchr(target->arch, 0, sizeof target->arch) && memchr(target->features, 0, sizeof target->features);
  if (!terminated || !*target->arch || target->warp_size == 0)
    return kiln_error(KILN_ERR_INTERNAL, "backend '%s' made a target that is not complete", backend->name);
  memset(target->backend, 0, sizeof target->backend);
  strcpy(target->backend, backend->name); // registered names fit
  if (!backend->supports_target(target))
    return kiln_error(KILN_ERR_UNSUPPORTED, "backend '%s' does not support target '%s' with features '%s'",
                      backend->name, target->arch, target->features);
  return KILN_OK;
}

enum kiln_status kiln_target_choose(struct kiln_registry *registry, const struct kiln_env *env,
                                    struct kiln_report *report, const char *backend, const char *arch,
                                    const struct kiln_base_backend **out_backend, struct kiln_target *out_target) {
  const char *from_backend = source(backend, env, KILN_ENV_BACKEND), *from_arch = source(arch, env, KILN_ENV_ARCH);
  if (!given(backend))
    backend = kiln_env_get(env, KILN_ENV_BACKEND);
  if (!given(arch))
    arch = kiln_env_get(env, KILN_ENV_ARCH);

  const struct kiln_base_backend *b = NULL;
  struct kiln_target target;
  memset(&target, 0, sizeof target);
  enum kiln_status status;
  if (given(backend)) {
    status = kiln_registry_find(registry, backend, &b);
    if (status != KILN_OK && from_backend) {
      struct kiln_strbuf text = {0};
      kiln_strbuf_puts(&text, kiln_last_error());
      kiln_error(status, "%s: %s", from_backend, text.data ? text.data : "");
      kiln_strbuf_free(&text);
    }
  } else {
    status = detect(registry, report, &b, &target);
  }
  if (status != KILN_OK)
    return status;
  if (given(arch)) {
    memset(&target, 0, sizeof target);
    status = b->make_target(arch, &target, report);
    if (status != KILN_OK && !given(backend))
      kiln_fail(report, status, "(backend '%s' was chosen because none is named; COMPILE_BACKEND names one)", b->name);
    status = kiln_report_finish(report, status, b->name, from_arch);
  } else if (given(backend)) {
    status = kiln_report_finish(report, b->detect_target(&target, report), b->name, NULL);
  }
  if (status == KILN_OK)
    status = kiln_target_check(b, &target);
  if (status != KILN_OK)
    return status;
  *out_backend = b;
  *out_target = target;
  return KILN_OK;
}
