// Look-ups on remotes: connections, the circuit breaker, waiting for who has the lease. Nothing here is ever an error
// for the caller: what cannot be had is a miss, within the limits of the places.
#include "cache/remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cache/modules.h"
#include "cache/remote_internal.h"
#include "cache/sign.h"

enum {
  FIRST_PAUSE_MS = 1000, // after a failure; twice as long after each that follows
  LONGEST_PAUSE_MS = 60000,
  ABSENT_MS = 1000,       // how long it is remembered that no remote has a key
  LEASE_PAUSE_MS = 60000, // after a wait for a lease that did not end
  PATIENT_MS = 10000,
};
static const uint64_t ms = 1000000;

// ---- opening and closing --------------------------------------------------------------------------------------------

void kiln_remote_say(struct kiln_remotes *remotes, const struct kiln_remote *remote, bool warning, const char *format,
                     ...) {
  if (!remotes->config.log)
    return;
  struct kiln_strbuf text = {0};
  va_list args;
  va_start(args, format);
  kiln_strbuf_printf(&text, "remote %s: ", remote->place.url);
  kiln_strbuf_vprintf(&text, format, args);
  va_end(args);
  if (!text.failed)
    remotes->config.log(remotes->config.log_user, warning, text.data);
  kiln_strbuf_free(&text);
}

static void add_to_counter(struct kiln_remotes *remotes, uint64_t *counter, uint64_t by) {
  pthread_mutex_lock(&remotes->mutex);
  *counter += by;
  pthread_mutex_unlock(&remotes->mutex);
}

static void init_locks(struct kiln_remotes *remotes) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&remotes->mutex, NULL);
  pthread_cond_init(&remotes->changed, &attributes);
  pthread_condattr_destroy(&attributes);
}

void kiln_remote_notice_fork(struct kiln_remotes *remotes) {
  int pid = atomic_load(&remotes->pid);
  if (pid != getpid() && atomic_compare_exchange_strong(&remotes->pid, &pid, getpid())) {
    init_locks(remotes);
    for (uint32_t i = 0; i < remotes->count; i++)
      remotes->items[i].link_count = 0; // the parent goes on speaking over these
    remotes->counters = (struct kiln_remote_counters){0};
    kiln_remote_upload_forget(remotes);
  }
}

static bool add_place(struct kiln_remotes *remotes, struct kiln_remote_place place) {
  struct kiln_remote *items = realloc(remotes->items, (remotes->count + 1) * sizeof *items);
  if (!items) {
    kiln_remote_place_free(&place);
    return false;
  }
  remotes->items = items;
  struct kiln_remote *remote = &items[remotes->count++];
  *remote = (struct kiln_remote){.place = place};
  if (remotes->config.patient) {
    remote->place.connect_ms = place.connect_ms > PATIENT_MS ? place.connect_ms : PATIENT_MS;
    remote->place.read_ms = place.read_ms > PATIENT_MS ? place.read_ms : PATIENT_MS;
  }
  struct kiln_signer *signer = remotes->config.signer;
  const char *defect = signer && !place.without_signatures ? kiln_signer_problem(signer) : NULL;
  if (defect) {
    remote->unusable = true;
    snprintf(remote->problem, sizeof remote->problem, "%s", defect);
    kiln_remote_say(remotes, remote, true, "is not used: %s", defect);
  } else if (!signer && !place.without_signatures) {
    remote->unusable = true;
    snprintf(remote->problem, sizeof remote->problem, "nothing says who made its entries (COMPILE_CACHE_KEY)");
    kiln_remote_say(remotes, remote, true,
                    "is not used: its entries are code, and nothing says who made them; set COMPILE_CACHE_KEY to a key "
                    "file (kiln cache key), or add |unsigned where everybody who can write there may run code here");
  }
  return true;
}

struct kiln_remotes *kiln_remotes_open(const struct kiln_remotes_config *config, char problem[KILN_REMOTE_PROBLEM]) {
  struct kiln_remotes *remotes = calloc(1, sizeof *remotes);
  if (!remotes) {
    snprintf(problem, KILN_REMOTE_PROBLEM, "memory is exhausted");
    return NULL;
  }
  remotes->config = *config;
  init_locks(remotes);
  atomic_store(&remotes->pid, getpid());
  kiln_remote_upload_init(remotes);
  const char *text = config->places;
  for (;;) {
    struct kiln_remote_place place;
    bool ok = kiln_remote_place_read(&text, &place, problem);
    if (!ok || !*place.url) {
      kiln_remote_place_free(&place);
      if (ok)
        return remotes;
      break;
    }
    if (!add_place(remotes, place)) {
      snprintf(problem, KILN_REMOTE_PROBLEM, "memory is exhausted");
      break;
    }
  }
  kiln_remotes_close(remotes);
  return NULL;
}

void kiln_remotes_close(struct kiln_remotes *remotes) {
  if (!remotes)
    return;
  kiln_remote_notice_fork(remotes);
  kiln_remote_upload_stop(remotes);
  static const struct kiln_remote_counters none;
  if (remotes->config.state && !remotes->config.read_only && memcmp(&remotes->counters, &none, sizeof none) != 0)
    kiln_remote_add_totals(remotes->config.state, &remotes->counters);
  for (uint32_t i = 0; i < remotes->count; i++) {
    struct kiln_remote *remote = &remotes->items[i];
    for (uint32_t k = 0; k < remote->link_count; k++)
      remote->module->close(remote->links[k]);
    kiln_remote_place_free(&remote->place);
  }
  free(remotes->items);
  pthread_cond_destroy(&remotes->changed);
  pthread_mutex_destroy(&remotes->mutex);
  free(remotes);
}

void kiln_remotes_counters(struct kiln_remotes *remotes, struct kiln_remote_counters *out) {
  kiln_remote_notice_fork(remotes);
  pthread_mutex_lock(&remotes->mutex);
  *out = remotes->counters;
  pthread_mutex_unlock(&remotes->mutex);
}

void kiln_remotes_problems(struct kiln_remotes *remotes, struct kiln_strbuf *out) {
  pthread_mutex_lock(&remotes->mutex);
  for (uint32_t i = 0; i < remotes->count; i++) {
    const struct kiln_remote *remote = &remotes->items[i];
    if (!remote->unusable && remote->failures == 0)
      continue;
    kiln_strbuf_printf(out, "%sremote %s: %s", out->size != 0 ? "; " : "", remote->place.url,
                       *remote->problem ? remote->problem : "it failed before, and is left alone for a while");
  }
  pthread_mutex_unlock(&remotes->mutex);
}

// ---- connections ----------------------------------------------------------------------------------------------------

// Whether it may be asked; the mutex is held. Of those who would try one that was down, the first does.
static bool is_up(struct kiln_remotes *remotes, struct kiln_remote *remote) {
  struct kiln_store *state = remotes->config.state;
  if (remotes->config.patient)
    return true;
  if (!remote->state_read) {
    kiln_remote_read_state(state, remote);
    remote->state_read = true;
  }
  uint64_t now = kiln_remote_clock();
  if (now < remote->down_until)
    return false;
  if (remote->failures != 0) {
    remote->down_until = now + remote->place.connect_ms + remote->place.read_ms;
    if (!remotes->config.read_only)
      kiln_remote_write_state(state, remote);
  }
  return true;
}

static void *open_link(struct kiln_remote *remote, char problem[KILN_REMOTE_PROBLEM]) {
  bool http = strncmp(remote->place.scheme, "http", 4) == 0;
  if (!remote->module) {
    remote->module = kiln_module_load(http ? "kiln-http.so" : "kiln-redis.so", KILN_REMOTE_SYMBOL, KILN_REMOTE_ABI,
                                      sizeof *remote->module, problem, KILN_REMOTE_PROBLEM);
  }
  return remote->module ? remote->module->open(&remote->place, problem) : NULL;
}

void *kiln_remote_begin(struct kiln_remotes *remotes, struct kiln_remote *remote) {
  char problem[KILN_REMOTE_PROBLEM] = "";
  void *link = NULL;
  pthread_mutex_lock(&remotes->mutex);
  if (!remote->unusable && !is_up(remotes, remote)) {
    remotes->counters.skipped++;
  } else if (!remote->unusable) {
    link = remote->link_count != 0 ? remote->links[--remote->link_count] : open_link(remote, problem);
    remote->unusable = link == NULL;
    if (*problem)
      snprintf(remote->problem, sizeof remote->problem, "%s", problem);
  }
  pthread_mutex_unlock(&remotes->mutex);
  if (*problem)
    kiln_remote_say(remotes, remote, true, "is not used: %s", problem);
  return link;
}

void kiln_remote_end(struct kiln_remotes *remotes, struct kiln_remote *remote, void *link, bool answered,
                     const char *problem) {
  uint64_t pause = 0;
  bool recovered = false;
  pthread_mutex_lock(&remotes->mutex);
  if (remote->link_count < MAX_LINKS) {
    remote->links[remote->link_count++] = link;
    link = NULL;
  }
  if (answered && remote->failures != 0) {
    recovered = true;
    remote->failures = 0;
    remote->down_until = 0;
  } else if (!answered) {
    uint32_t doublings = remote->failures < 6 ? remote->failures : 6;
    pause = (uint64_t)FIRST_PAUSE_MS << doublings;
    pause = pause < LONGEST_PAUSE_MS ? pause : LONGEST_PAUSE_MS;
    remote->failures++;
    snprintf(remote->problem, sizeof remote->problem, "%s", problem);
    remote->down_until = kiln_remote_clock() + pause;
    remotes->counters.errors++;
  }
  if ((recovered || !answered) && !remotes->config.patient && !remotes->config.read_only)
    kiln_remote_write_state(remotes->config.state, remote);
  bool first = !answered && remote->failures == 1;
  pthread_mutex_unlock(&remotes->mutex);
  if (link)
    remote->module->close(link);
  if (!answered && !remotes->config.patient) // else who asked is told
    kiln_remote_say(remotes, remote, first, "%s; it is not asked again for %.0f s", problem, (double)pause / 1000);
  else if (recovered)
    kiln_remote_say(remotes, remote, false, "it answers again");
}

bool kiln_remote_writable(struct kiln_remotes *remotes, const struct kiln_remote *remote) {
  return !remotes->config.read_only && !remote->place.read_only && !remote->unusable &&
         (remote->place.without_signatures || kiln_signer_can_sign(remotes->config.signer));
}

void kiln_remote_name(struct kiln_hash128 key, const char *suffix, char out[KILN_REMOTE_NAME]) {
  char hex[33];
  kiln_hash128_hex(key, hex);
  snprintf(out, KILN_REMOTE_NAME, "%s.%s", hex, suffix);
}

// ---- look-ups -------------------------------------------------------------------------------------------------------

enum answer { FOUND, ABSENT, BUSY, FAILED };

static struct kiln_signer *signer_for(struct kiln_remotes *remotes, const struct kiln_remote *remote) {
  return remote->place.without_signatures ? NULL : remotes->config.signer;
}

static bool take(struct kiln_remotes *remotes, struct kiln_remote *remote, struct kiln_remote_lookup *lookup,
                 struct kiln_remote_item *item) {
  if (!item->found)
    return false;
  add_to_counter(remotes, &remotes->counters.bytes_received, item->size);
  const char *defect = lookup->check(lookup->user, item, signer_for(remotes, remote));
  if (!defect) {
    lookup->place = remote->place.url;
    lookup->reason = NULL;
    return true;
  }
  lookup->reason = defect;
  pthread_mutex_lock(&remotes->mutex);
  bool told = remote->told_refused;
  remote->told_refused = true;
  remotes->counters.refused++;
  pthread_mutex_unlock(&remotes->mutex);
  kiln_remote_say(remotes, remote, !told, "%s is not used: %s", item->name, defect);
  return false;
}

// Over one connection: the entry and the manifest of each; then, where manifests name others, those.
static bool exchange(struct kiln_remotes *remotes, struct kiln_remote *remote, void *link,
                     struct kiln_remote_lookup **lookups, uint32_t count, struct kiln_remote_lease *lease,
                     char problem[KILN_REMOTE_PROBLEM]) {
  const struct kiln_remote_module *module = remote->module;
  struct kiln_remote_item *items = calloc((size_t)count * (2 + KILN_REMOTE_SETS), sizeof *items);
  struct kiln_hash128 keys[KILN_REMOTE_SETS];
  if (!items)
    return false;
  struct kiln_remote_item *listed = items + (size_t)count * 2;
  for (uint32_t i = 0; i < count; i++) {
    kiln_remote_name(lookups[i]->key, "kiln", items[2 * i].name);
    kiln_remote_name(lookups[i]->key, "inc", items[2 * i + 1].name);
  }
  uint32_t wanted = lease && lookups[0]->reason ? 0 : 2 * count; // what was refused is not fetched twice
  bool ok = lease ? module->lease(link, lease, items, wanted, problem) : module->get(link, items, wanted, problem);
  uint32_t listed_count = 0, at = 0;
  for (uint32_t i = 0; i < count && ok; i++) {
    struct kiln_remote_lookup *lookup = lookups[i];
    lookup->found = take(remotes, remote, lookup, &items[2 * i]);
    lookup->listed =
        !lookup->found && items[2 * i + 1].found ? lookup->fetch(lookup->user, &items[2 * i + 1], keys) : 0;
    for (uint32_t k = 0; k < lookup->listed; k++)
      kiln_remote_name(keys[k], "kiln", listed[listed_count++].name);
  }
  ok = ok && (listed_count == 0 || module->get(link, listed, listed_count, problem));
  for (uint32_t i = 0; i < count && ok; i++)
    for (uint32_t k = 0; k < lookups[i]->listed; k++, at++)
      lookups[i]->found = lookups[i]->found || take(remotes, remote, lookups[i], &listed[at]);
  for (uint32_t i = 0; i < count * (2 + KILN_REMOTE_SETS); i++)
    free(items[i].data);
  free(items);
  return ok;
}

static enum answer ask(struct kiln_remotes *remotes, struct kiln_remote *remote, struct kiln_remote_lookup *lookup,
                       struct kiln_remote_lease *lease) {
  char problem[KILN_REMOTE_PROBLEM] = "it failed";
  void *link = kiln_remote_begin(remotes, remote);
  if (!link)
    return FAILED;
  bool ok = exchange(remotes, remote, link, &lookup, 1, lease, problem);
  kiln_remote_end(remotes, remote, link, ok, problem);
  return lookup->found ? FOUND : !ok ? FAILED : lease && lease->busy ? BUSY : ABSENT;
}

static void make_lease(struct kiln_hash128 key, struct kiln_remote_lease *out) {
  uint64_t random[2];
  if (getrandom(random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random) {
    random[0] = kiln_now_ns();
    random[1] = (uint64_t)getpid();
  }
  *out = (struct kiln_remote_lease){.taken = false};
  kiln_remote_name(key, "lease", out->name);
  snprintf(out->token, sizeof out->token, "%016llx%016llx", (unsigned long long)random[0],
           (unsigned long long)random[1]);
}

static bool has_leases(struct kiln_remotes *remotes, struct kiln_remote *remote) {
  pthread_mutex_lock(&remotes->mutex);
  bool paused = kiln_now_ns() < remote->no_lease_until;
  pthread_mutex_unlock(&remotes->mutex);
  return !paused && kiln_remote_writable(remotes, remote) && strncmp(remote->place.scheme, "http", 4) != 0 &&
         remote->place.lease_ms != 0;
}

void kiln_remotes_release(struct kiln_remotes *remotes, struct kiln_remote_hold *hold) {
  char problem[KILN_REMOTE_PROBLEM] = "";
  kiln_remote_notice_fork(remotes);
  void *link = hold->remote ? kiln_remote_begin(remotes, hold->remote) : NULL;
  if (link) {
    bool ok = hold->remote->module->release(link, &hold->lease, problem);
    kiln_remote_end(remotes, hold->remote, link, ok, problem);
  }
  hold->remote = NULL;
}

// Somebody else compiles it: asks again, ever more rarely, until it is there, the lease is ours, or the lease that we
// wait for must have run out. ABSENT: it is ours, or there are no leases any more.
static enum answer wait_for(struct kiln_remotes *remotes, struct kiln_remote *remote, struct kiln_remote_lookup *lookup,
                            struct kiln_remote_lease *lease) {
  uint64_t start = kiln_now_ns(), end = start + remote->place.lease_ms * ms;
  end = end < lookup->deadline ? end : lookup->deadline;
  enum answer answer = BUSY;
  for (uint64_t pause = 2 * ms; answer == BUSY && kiln_now_ns() < end;
       pause = pause < 50 * ms ? pause * 3 / 2 : pause) {
    struct timespec nap = {0, (long)pause};
    nanosleep(&nap, NULL);
    answer = ask(remotes, remote, lookup, lease);
  }
  pthread_mutex_lock(&remotes->mutex);
  remotes->counters.waits++;
  if (answer == BUSY) { // a holder of leases that never end cannot hold up one kernel after the other
    remotes->counters.wait_timeouts++;
    remote->no_lease_until = kiln_now_ns() + LEASE_PAUSE_MS * ms;
  }
  remotes->counters.wait_ns += kiln_now_ns() - start;
  pthread_mutex_unlock(&remotes->mutex);
  return answer;
}

// Whether no remote had it a moment ago.
static bool is_remembered(struct kiln_remotes *remotes, struct kiln_hash128 key) {
  pthread_mutex_lock(&remotes->mutex);
  uint32_t at = key.bytes[0] % ABSENT_SLOTS;
  bool known = memcmp(&remotes->absent[at].key, &key, sizeof key) == 0 && kiln_now_ns() < remotes->absent[at].until;
  remotes->counters.remembered += known;
  pthread_mutex_unlock(&remotes->mutex);
  return known;
}

static void note_result(struct kiln_remotes *remotes, struct kiln_hash128 key, bool found, bool asked, uint64_t start) {
  pthread_mutex_lock(&remotes->mutex);
  remotes->counters.hits += found;
  remotes->counters.misses += !found;
  remotes->counters.lookup_ns += kiln_now_ns() - start;
  if (!found && asked) {
    uint32_t at = key.bytes[0] % ABSENT_SLOTS;
    remotes->absent[at].key = key;
    remotes->absent[at].until = kiln_now_ns() + ABSENT_MS * ms;
  }
  pthread_mutex_unlock(&remotes->mutex);
}

bool kiln_remotes_find(struct kiln_remotes *remotes, struct kiln_remote_lookup *lookup, struct kiln_remote_hold *hold) {
  kiln_remote_notice_fork(remotes);
  *hold = (struct kiln_remote_hold){.remote = NULL};
  lookup->found = false;
  lookup->reason = NULL;
  if (is_remembered(remotes, lookup->key))
    return false;
  uint64_t start = kiln_now_ns();
  struct kiln_remote *keeper = NULL; // of the lease: the first that can
  bool found = false, asked = false;
  for (uint32_t i = 0; i < remotes->count && !found; i++) {
    enum answer answer = ask(remotes, &remotes->items[i], lookup, NULL);
    found = answer == FOUND;
    asked |= answer != FAILED;
    bool can = lookup->with_lease && !keeper && answer == ABSENT && has_leases(remotes, &remotes->items[i]);
    keeper = can ? &remotes->items[i] : keeper;
  }
  if (!found && keeper) { // now that we are about to compile
    make_lease(lookup->key, &hold->lease);
    enum answer answer = ask(remotes, keeper, lookup, &hold->lease);
    if (answer == BUSY)
      answer = wait_for(remotes, keeper, lookup, &hold->lease);
    found = answer == FOUND;
    hold->remote = hold->lease.taken ? keeper : NULL;
  }
  note_result(remotes, lookup->key, found, asked, start);
  if (found && hold->remote)
    kiln_remotes_release(remotes, hold);
  else if (hold->remote)
    add_to_counter(remotes, &remotes->counters.leases, 1);
  return found;
}

bool kiln_remotes_find_tuning(struct kiln_remotes *remotes, struct kiln_remote_lookup *lookup) {
  kiln_remote_notice_fork(remotes);
  lookup->found = false;
  lookup->reason = NULL;
  if (is_remembered(remotes, lookup->key))
    return false;
  uint64_t start = kiln_now_ns();
  bool asked = false;
  for (uint32_t i = 0; i < remotes->count && !lookup->found; i++) {
    struct kiln_remote *remote = &remotes->items[i];
    struct kiln_remote_item item = {.data = NULL};
    char problem[KILN_REMOTE_PROBLEM] = "it failed";
    void *link = kiln_remote_begin(remotes, remote);
    if (!link)
      continue;
    kiln_remote_name(lookup->key, "tune", item.name);
    bool ok = remote->module->get(link, &item, 1, problem);
    lookup->found = ok && take(remotes, remote, lookup, &item);
    free(item.data);
    kiln_remote_end(remotes, remote, link, ok, problem);
    asked |= ok;
  }
  note_result(remotes, lookup->key, lookup->found, asked, start);
  return lookup->found;
}

void kiln_remotes_find_many(struct kiln_remotes *remotes, struct kiln_remote_lookup *lookups, uint32_t count) {
  enum { TOGETHER = 16 }; // an exchange has its limit of time
  struct kiln_remote_lookup *missing[TOGETHER];
  uint64_t start = kiln_now_ns();
  kiln_remote_notice_fork(remotes);
  for (uint32_t i = 0; i < remotes->count; i++) {
    struct kiln_remote *remote = &remotes->items[i];
    for (uint32_t at = 0, some = 0; at < count; some = 0) {
      for (; at < count && some < TOGETHER; at++)
        if (!lookups[at].found)
          missing[some++] = &lookups[at];
      char problem[KILN_REMOTE_PROBLEM] = "it failed";
      void *link = some != 0 ? kiln_remote_begin(remotes, remote) : NULL;
      if (link)
        kiln_remote_end(remotes, remote, link, exchange(remotes, remote, link, missing, some, NULL, problem), problem);
    }
  }
  pthread_mutex_lock(&remotes->mutex);
  for (uint32_t i = 0; i < count; i++) // what is missing is asked for again, with a lease
    remotes->counters.hits += lookups[i].found;
  remotes->counters.lookup_ns += kiln_now_ns() - start;
  pthread_mutex_unlock(&remotes->mutex);
}

// ---- for tools ------------------------------------------------------------------------------------------------------

uint32_t kiln_remotes_count(const struct kiln_remotes *remotes) { return remotes->count; }

const struct kiln_remote_place *kiln_remotes_place(const struct kiln_remotes *remotes, uint32_t at) {
  return &remotes->items[at].place;
}

static void *begin_for_tool(struct kiln_remotes *remotes, uint32_t at, char problem[KILN_REMOTE_PROBLEM]) {
  snprintf(problem, KILN_REMOTE_PROBLEM, "it cannot be used");
  return kiln_remote_begin(remotes, &remotes->items[at]);
}

bool kiln_remotes_call(struct kiln_remotes *remotes, uint32_t at, enum kiln_remote_call call,
                       struct kiln_remote_item *items, uint32_t count, char problem[KILN_REMOTE_PROBLEM]) {
  struct kiln_remote *remote = &remotes->items[at];
  void *link = begin_for_tool(remotes, at, problem);
  if (!link)
    return false;
  *problem = '\0'; // a value that was refused leaves its reason here
  const struct kiln_remote_module *module = remote->module;
  bool ok = call == KILN_REMOTE_GET      ? module->get(link, items, count, problem)
            : call == KILN_REMOTE_EXISTS ? module->exists(link, items, count, problem)
                                         : module->put(link, items, count, problem);
  kiln_remote_end(remotes, remote, link, ok, problem);
  return ok;
}

bool kiln_remotes_has_list(struct kiln_remotes *remotes, uint32_t at) {
  return strncmp(remotes->items[at].place.scheme, "http", 4) != 0;
}

static bool list_index(const struct kiln_remote_module *module, void *link, kiln_remote_name_fn *fn, void *user,
                       char problem[KILN_REMOTE_PROBLEM]) {
  struct kiln_remote_item index = {.name = "index"};
  if (!module->get(link, &index, 1, problem))
    return false;
  for (char *rest = index.data, *line = rest ? strtok_r(rest, "\n", &rest) : NULL; line && fn(user, line);
       line = strtok_r(NULL, "\n", &rest)) {
  }
  free(index.data);
  return true;
}

bool kiln_remotes_list(struct kiln_remotes *remotes, uint32_t at, kiln_remote_name_fn *fn, void *user,
                       char problem[KILN_REMOTE_PROBLEM]) {
  struct kiln_remote *remote = &remotes->items[at];
  void *link = begin_for_tool(remotes, at, problem);
  if (!link)
    return false;
  bool ok = remote->module->list ? remote->module->list(link, fn, user, problem)
                                 : list_index(remote->module, link, fn, user, problem);
  kiln_remote_end(remotes, remote, link, ok, problem);
  return ok;
}
