// Which toolchains others compile with, for machines that have no compiler: the key of an entry needs a toolchain. A
// small value per target says it. Nothing depends on its truth: it leads to entries, which are checked.
#include <stdlib.h>

#include "base/file.h"
#include "cache/manifest.h"
#include "cache/remote_internal.h"
#include "cache/store.h"

enum { DIGITS = 32, REMEMBER_MS = 60000 };

// Adds what a value names, each once: lines of 32 digits.
static void add_value(struct toolchains *list, const struct kiln_remote_item *item) {
  struct kiln_hash128 id;
  size_t size = item->found ? item->size : 0;
  for (size_t at = 0; at + DIGITS < size && list->count < KILN_REMOTE_TOOLCHAINS && item->data[at + DIGITS] == '\n' &&
                      kiln_toolchain_read(item->data + at, &id);
       at += DIGITS + 1) {
    uint32_t i = 0;
    while (i < list->count && memcmp(&list->ids[i], &id, sizeof id) != 0)
      i++;
    list->count += i == list->count;
    list->ids[i] = id;
  }
}

// ---- asking ---------------------------------------------------------------------------------------------------------

uint32_t kiln_remotes_toolchains(struct kiln_remotes *remotes, struct kiln_hash128 label,
                                 struct kiln_hash128 out[KILN_REMOTE_TOOLCHAINS]) {
  struct toolchains list = {.label = label};
  bool known = false;
  kiln_remote_notice_fork(remotes);
  pthread_mutex_lock(&remotes->mutex);
  for (uint32_t i = 0; i < TARGETS && !known; i++) {
    const struct toolchains *t = &remotes->toolchains[i];
    known = memcmp(&t->label, &label, sizeof label) == 0 && kiln_now_ns() < t->until;
    list = known ? *t : list;
  }
  pthread_mutex_unlock(&remotes->mutex);
  for (uint32_t i = 0; i < remotes->count && !known; i++) {
    struct kiln_remote_item item = {.data = NULL};
    char problem[KILN_REMOTE_PROBLEM];
    kiln_remote_name(label, "tools", item.name);
    if (kiln_remotes_call(remotes, i, KILN_REMOTE_GET, &item, 1, problem)) {
      add_value(&list, &item);
      free(item.data);
    }
  }
  memcpy(out, list.ids, sizeof list.ids);
  if (!known && list.count != 0) {
    list.until = kiln_now_ns() + REMEMBER_MS * (uint64_t)1000000;
    pthread_mutex_lock(&remotes->mutex);
    remotes->toolchains[remotes->next_toolchains++ % TARGETS] = list;
    pthread_mutex_unlock(&remotes->mutex);
  }
  return list.count;
}

// ---- telling --------------------------------------------------------------------------------------------------------

// Two who tell at once may lose one of both; the next process tells again.
static bool write_value(struct kiln_remote *remote, void *link, struct kiln_hash128 label, struct kiln_hash128 id,
                        char problem[KILN_REMOTE_PROBLEM]) {
  struct kiln_remote_item item = {.data = NULL};
  struct toolchains list = {.ids = {id}, .count = 1};
  struct kiln_strbuf text = {0};
  char hex[33];
  kiln_remote_name(label, "tools", item.name);
  if (!remote->module->get(link, &item, 1, problem))
    return false;
  add_value(&list, &item);
  free(item.data);
  for (uint32_t i = 0; i < list.count; i++) {
    kiln_hash128_hex(list.ids[i], hex);
    kiln_strbuf_printf(&text, "%s\n", hex);
  }
  item.data = text.data;
  item.size = text.size;
  bool ok = !text.failed && remote->module->put(link, &item, 1, problem);
  kiln_strbuf_free(&text);
  return ok;
}

bool kiln_remote_announce(struct kiln_remotes *remotes, struct kiln_remote *remote, void *link, struct kiln_str record,
                          char problem[KILN_REMOTE_PROBLEM]) {
  struct kiln_record_parts parts;
  struct kiln_strbuf label = {0};
  struct kiln_hash128 ids[2]; // target, toolchain
  if (kiln_record_split(record, &parts))
    kiln_record_label(&parts, &label);
  bool usable = label.data && !label.failed, told = false;
  ids[0] = kiln_hash128(label.data, usable ? label.size : 0);
  ids[1] = parts.toolchain;
  kiln_strbuf_free(&label);
  uint64_t both = kiln_hash64(ids, sizeof ids);
  pthread_mutex_lock(&remotes->mutex);
  for (uint32_t i = 0; i < TARGETS; i++)
    told |= remote->announced[i] == both;
  pthread_mutex_unlock(&remotes->mutex);
  if (!usable || told)
    return true;
  bool ok = write_value(remote, link, ids[0], ids[1], problem);
  if (ok) {
    pthread_mutex_lock(&remotes->mutex);
    remote->announced[remote->next_announced++ % TARGETS] = both;
    pthread_mutex_unlock(&remotes->mutex);
  }
  return ok;
}

bool kiln_remotes_announce(struct kiln_remotes *remotes, uint32_t at, struct kiln_str record,
                           char problem[KILN_REMOTE_PROBLEM]) {
  struct kiln_remote *remote = &remotes->items[at];
  void *link = kiln_remote_begin(remotes, remote);
  bool ok = link && kiln_remote_announce(remotes, remote, link, record, problem);
  if (link)
    kiln_remote_end(remotes, remote, link, ok, problem);
  return ok;
}
