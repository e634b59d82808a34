// Uploads: a thread of its own, there only while it has something to send, so that nobody waits for the network after a
// compile. What does not fit into the queue is not sent: another machine will compile and send it.
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/file.h"
#include "base/thread.h"
#include "cache/format.h"
#include "cache/manifest.h"
#include "cache/remote_internal.h"
#include "cache/sign.h"
#include "cache/tune.h"

static const uint64_t max_queued = 64u << 20; // bytes
enum { CLOSE_MS = 1000, BATCH = 16, BATCH_BYTES = 1 << 20 };

void kiln_remote_upload_init(struct kiln_remotes *remotes) { remotes->last = &remotes->first; }

void kiln_remote_upload_forget(struct kiln_remotes *remotes) {
  remotes->thread_there = remotes->busy = false;
  remotes->first = NULL; // the parent sends them
  remotes->last = &remotes->first;
  remotes->queued_bytes = 0;
}

static void free_upload(struct upload *upload) {
  kiln_cache_entry_release(upload->entry);
  free(upload);
}

// The manifest of a request with one more set of includes, beside those that others have sent. The caller's; false:
// there is none.
static bool make_manifest(const struct kiln_remote_item *old_item, const struct upload *upload, char **out,
                          size_t *out_size) {
  struct kiln_str old = {old_item->data, old_item->found ? old_item->size : 0};
  struct kiln_strbuf sets = {0};
  kiln_sets_put(&sets, upload->fields);
  bool ok =
      !sets.failed && kiln_manifest_encode(upload->head, (struct kiln_str){sets.data, sets.size}, old, out, out_size);
  kiln_strbuf_free(&sets);
  return ok;
}

static void note_stored(struct kiln_remotes *remotes, struct kiln_remote *remote, const struct kiln_remote_item *items,
                        uint32_t count, bool ok, const char *problem, uint64_t start) {
  pthread_mutex_lock(&remotes->mutex);
  bool full = false, told = remote->told_full;
  for (uint32_t i = 0; i < count; i++) {
    bool stored = ok && items[i].found;
    remotes->counters.stores += stored;
    remotes->counters.store_failures += !stored;
    remotes->counters.bytes_sent += stored ? items[i].size : 0;
    full |= ok && !stored;
  }
  remote->told_full = full;
  remotes->counters.upload_ns += kiln_now_ns() - start;
  pthread_mutex_unlock(&remotes->mutex);
  if (full && !told)
    kiln_remote_say(remotes, remote, true, "new kernels are not stored there: %s", problem);
}

// What one remote gets of several uploads, in two exchanges at most.
struct batch {
  struct upload *uploads[BATCH];
  struct kiln_str images[BATCH];
  uint32_t count;
};

bool kiln_remote_keeps(const struct kiln_remote_item *theirs, struct kiln_str image, struct kiln_signer *signer) {
  struct kiln_file_view view, our_view;
  struct kiln_tune_key key, our_key;
  struct kiln_str text, our_text;
  return theirs->found && !kiln_file_decode(theirs->data, theirs->size, KILN_FILE_TUNING, &view) &&
         !kiln_tune_read(&view, &key, &text) && !(signer && kiln_signer_check(signer, theirs->data, theirs->size)) &&
         !kiln_file_decode(image.data, image.size, KILN_FILE_TUNING, &our_view) &&
         !kiln_tune_read(&our_view, &our_key, &our_text) && memcmp(&key, &our_key, sizeof key) == 0 &&
         !kiln_tune_beats(our_text, text);
}

// A value that is there is looked at before it is replaced: a manifest, or a tuning record.
static bool wants_old(const struct upload *upload) { return upload->fields.size != 0 || upload->is_tuning; }

// What is to be sent: images first, then manifests, which are the caller's to free. old: what the remote has of those
// that want it. *images: how many of the first there are.
static uint32_t gather(const struct batch *batch, const struct kiln_remote_item *old, struct kiln_signer *signer,
                       struct kiln_remote_item *items, uint32_t *images) {
  uint32_t count = 0, asked = 0;
  for (uint32_t i = 0; i < batch->count; i++) {
    const struct upload *upload = batch->uploads[i];
    const struct kiln_remote_item *theirs = wants_old(upload) ? &old[asked++] : NULL;
    if (upload->is_tuning && kiln_remote_keeps(theirs, batch->images[i], signer))
      continue;
    items[count] =
        (struct kiln_remote_item){.data = (char *)(uintptr_t)batch->images[i].data, .size = batch->images[i].size};
    kiln_remote_name(upload->key, upload->is_tuning ? "tune" : "kiln", items[count++].name);
  }
  *images = count;
  asked = 0;
  for (uint32_t i = 0; i < batch->count; i++) {
    const struct kiln_remote_item *theirs = wants_old(batch->uploads[i]) ? &old[asked++] : NULL;
    if (batch->uploads[i]->fields.size != 0) {
      memcpy(items[count].name, theirs->name, sizeof theirs->name);
      count += make_manifest(theirs, batch->uploads[i], &items[count].data, &items[count].size);
    }
  }
  return count;
}

// Closing waits for one exchange, not for one after the other: leases end by themselves, and what is not announced is
// announced by another machine.
static bool is_stopping(struct kiln_remotes *remotes) {
  pthread_mutex_lock(&remotes->mutex);
  bool stop = remotes->stop;
  pthread_mutex_unlock(&remotes->mutex);
  return stop;
}

static void send_to(struct kiln_remotes *remotes, struct kiln_remote *remote, const struct batch *batch) {
  char problem[KILN_REMOTE_PROBLEM] = "it failed";
  uint64_t start = kiln_now_ns();
  void *link = kiln_remote_begin(remotes, remote);
  if (!link)
    return;
  const struct kiln_remote_module *module = remote->module;
  struct kiln_remote_item items[2 * BATCH], old[BATCH];
  memset(items, 0, sizeof items);
  memset(old, 0, sizeof old);
  uint32_t asked = 0, images = batch->count;
  for (uint32_t i = 0; i < batch->count; i++) {
    const struct upload *upload = batch->uploads[i];
    if (upload->is_tuning)
      kiln_remote_name(upload->key, "tune", old[asked++].name);
    else if (upload->fields.size != 0)
      kiln_remote_name(kiln_hash128(upload->head.data, upload->head.size), "inc", old[asked++].name);
  }
  bool ok = asked == 0 || module->get(link, old, asked, problem);
  bool sends = ok && !is_stopping(remotes);
  struct kiln_signer *signer = remote->place.without_signatures ? NULL : remotes->config.signer;
  uint32_t count = sends ? gather(batch, old, signer, items, &images) : batch->count;
  ok = ok && (!sends || count == 0 || module->put(link, items, count, problem));
  note_stored(remotes, remote, items, count, ok && sends, problem, start);
  for (uint32_t i = 0; i < batch->count && ok && !is_stopping(remotes); i++)
    if (batch->uploads[i]->hold.remote == remote)
      ok = module->release(link, &batch->uploads[i]->hold.lease, problem);
  for (uint32_t i = 0; i < batch->count && ok && !is_stopping(remotes); i++)
    ok = batch->uploads[i]->is_tuning || kiln_remote_announce(remotes, remote, link, batch->uploads[i]->head, problem);
  kiln_remote_end(remotes, remote, link, ok, problem);
  for (uint32_t i = 0; i < asked; i++)
    free(old[i].data);
  for (uint32_t i = images; i < count; i++)
    free(items[i].data);
}

static void send_batch(struct kiln_remotes *remotes, struct batch *batch) {
  struct kiln_signer *signer = remotes->config.signer;
  char *sealed[BATCH] = {NULL};
  for (uint32_t i = 0; i < batch->count; i++) {
    struct kiln_str image = kiln_cache_entry_image(batch->uploads[i]->entry);
    size_t size;
    if (signer && kiln_signer_check(signer, image.data, image.size) &&
        kiln_signer_seal(signer, image, &sealed[i], &size))
      image = (struct kiln_str){sealed[i], size};
    batch->images[i] = image;
  }
  for (uint32_t i = 0; i < remotes->count && !is_stopping(remotes); i++)
    if (kiln_remote_writable(remotes, &remotes->items[i]))
      send_to(remotes, &remotes->items[i], batch);
  for (uint32_t i = 0; i < batch->count; i++) {
    free(sealed[i]);
    free_upload(batch->uploads[i]);
  }
}

static void *upload_main(void *user) {
  struct kiln_remotes *remotes = user;
  pthread_mutex_lock(&remotes->mutex);
  while (remotes->first && !remotes->stop) {
    struct batch batch = {.count = 0};
    uint64_t bytes = 0;
    while (remotes->first && batch.count < BATCH && bytes < BATCH_BYTES) {
      struct upload *upload = remotes->first;
      uint64_t size = kiln_cache_entry_image(upload->entry).size;
      remotes->first = upload->next;
      remotes->queued_bytes -= size;
      bytes += size;
      batch.uploads[batch.count++] = upload;
    }
    if (!remotes->first)
      remotes->last = &remotes->first;
    pthread_mutex_unlock(&remotes->mutex);
    send_batch(remotes, &batch);
    pthread_mutex_lock(&remotes->mutex);
  }
  remotes->busy = false;
  pthread_cond_broadcast(&remotes->changed);
  pthread_mutex_unlock(&remotes->mutex);
  return NULL;
}

// The mutex is held.
static void start(struct kiln_remotes *remotes) {
  if (remotes->thread_there) // it has ended, or is just about to
    pthread_join(remotes->thread, NULL);
  remotes->thread_there = remotes->busy = kiln_thread_start(&remotes->thread, upload_main, remotes);
}

static bool any_writable(struct kiln_remotes *remotes) {
  bool any = false;
  for (uint32_t i = 0; i < remotes->count && !any; i++)
    any = kiln_remote_writable(remotes, &remotes->items[i]);
  return any;
}

// key: of the entry, or, of a tuning record, of its file; head is empty then.
static void post(struct kiln_remotes *remotes, struct kiln_cache_entry *entry, struct kiln_hash128 key,
                 struct kiln_str head, struct kiln_str fields, const struct kiln_remote_hold *hold) {
  kiln_remote_notice_fork(remotes);
  uint64_t size = kiln_cache_entry_image(entry).size;
  struct upload *upload =
      size <= KILN_REMOTE_MAX_VALUE && any_writable(remotes) ? malloc(sizeof *upload + head.size + fields.size) : NULL;
  struct kiln_remote_hold unsent = *hold;
  if (!upload) {
    kiln_remotes_release(remotes, &unsent);
    return;
  }
  char *text = (char *)(upload + 1);
  if (head.size != 0)
    memcpy(text, head.data, head.size);
  if (fields.size != 0)
    memcpy(text + head.size, fields.data, fields.size);
  *upload = (struct upload){.entry = entry,
                            .key = key,
                            .is_tuning = head.size == 0,
                            .head = {text, head.size},
                            .fields = {text + head.size, fields.size},
                            .hold = *hold};
  kiln_cache_entry_retain(entry);
  pthread_mutex_lock(&remotes->mutex);
  bool fits = remotes->queued_bytes + size <= max_queued;
  if (fits) {
    *remotes->last = upload;
    remotes->last = &upload->next;
    remotes->queued_bytes += size;
    if (!remotes->busy)
      start(remotes);
  }
  remotes->counters.store_failures += !fits;
  pthread_mutex_unlock(&remotes->mutex);
  if (!fits) {
    free_upload(upload);
    kiln_remotes_release(remotes, &unsent);
  }
}

void kiln_remotes_post(struct kiln_remotes *remotes, struct kiln_cache_entry *entry, struct kiln_str head,
                       struct kiln_str fields, const struct kiln_remote_hold *hold) {
  struct kiln_str record = entry->sections[KILN_SECTION_KEY];
  post(remotes, entry, kiln_hash128(record.data, record.size), head, fields, hold);
}

void kiln_remotes_post_tuning(struct kiln_remotes *remotes, struct kiln_cache_entry *entry, struct kiln_hash128 key) {
  post(remotes, entry, key, (struct kiln_str){0}, (struct kiln_str){0}, &(struct kiln_remote_hold){.remote = NULL});
}

static void wait_until(struct kiln_remotes *remotes, uint64_t end) {
  struct timespec until = {(time_t)(end / 1000000000u), (long)(end % 1000000000u)};
  int error = 0;
  while (remotes->busy && error == 0)
    error = pthread_cond_timedwait(&remotes->changed, &remotes->mutex, &until);
}

void kiln_remotes_flush(struct kiln_remotes *remotes) {
  kiln_remote_notice_fork(remotes);
  pthread_mutex_lock(&remotes->mutex);
  wait_until(remotes, UINT64_MAX / 4);
  pthread_mutex_unlock(&remotes->mutex);
}

void kiln_remote_upload_stop(struct kiln_remotes *remotes) {
  pthread_mutex_lock(&remotes->mutex);
  wait_until(remotes, kiln_now_ns() + CLOSE_MS * (uint64_t)1000000);
  remotes->stop = true; // what is being sent has its own limit
  pthread_mutex_unlock(&remotes->mutex);
  if (remotes->thread_there)
    pthread_join(remotes->thread, NULL);
  while (remotes->first) {
    struct upload *upload = remotes->first;
    remotes->first = upload->next;
    remotes->counters.store_failures++;
    free_upload(upload);
  }
}
