// What the processes that share a cache folder know together of the remotes: which of them is down, and the sums of all
// counters. Small files in the folder (cache/FORMAT.md); nothing depends on them.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/write.h"
#include "cache/remote_internal.h"
#include "cache/store.h"

enum { MAX_DOWN_MS = 120000 };

uint64_t kiln_remote_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

// ---- who is down ----------------------------------------------------------------------------------------------------

static int open_state(struct kiln_store *state, const struct kiln_remote *remote, bool write) {
  char name[32], hex[33];
  kiln_hash128_hex(kiln_hash128(remote->place.url, strlen(remote->place.url)), hex);
  snprintf(name, sizeof name, "remote-%.8s", hex);
  return state ? kiln_store_open_own(state, name, write) : -1;
}

void kiln_remote_read_state(struct kiln_store *state, struct kiln_remote *remote) {
  char text[64];
  int fd = open_state(state, remote, false);
  ssize_t size = fd >= 0 ? pread(fd, text, sizeof text - 1, 0) : 0;
  unsigned long long until;
  unsigned failures;
  text[size > 0 ? size : 0] = '\0';
  if (sscanf(text, "%llu %u", &until, &failures) == 2 && until < kiln_remote_clock() + MAX_DOWN_MS) {
    remote->down_until = until;
    remote->failures = failures;
  }
  if (fd >= 0)
    close(fd);
}

void kiln_remote_write_state(struct kiln_store *state, const struct kiln_remote *remote) {
  char text[64];
  int fd = open_state(state, remote, true); // in place: always the same number of bytes
  int size = snprintf(text, sizeof text, "%020llu %010u\n", (unsigned long long)remote->down_until, remote->failures);
  if (fd >= 0) {
    (void)kiln_write_at(fd, text, (size_t)size, 0);
    close(fd);
  }
}

// ---- counters -------------------------------------------------------------------------------------------------------

static const struct {
  const char *name;
  size_t offset;
} counters_table[] = {
#define KILN_REMOTE_COUNTER(name, metric, help) {#name, offsetof(struct kiln_remote_counters, name)},
#include "cache/remote_counters.def"
};
enum { COUNTERS = sizeof counters_table / sizeof *counters_table, LINE = 64 };

static uint64_t *counter(struct kiln_remote_counters *counters, size_t at) {
  return (uint64_t *)(void *)((char *)counters + counters_table[at].offset);
}

static void read_totals(int fd, struct kiln_remote_counters *out) {
  char text[COUNTERS * LINE + 1], name[32];
  ssize_t size = fd >= 0 ? pread(fd, text, sizeof text - 1, 0) : 0;
  text[size > 0 ? size : 0] = '\0';
  *out = (struct kiln_remote_counters){0};
  unsigned long long value;
  for (const char *line = text; *line; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
    for (size_t i = 0; i < COUNTERS && sscanf(line, "%31s %llu", name, &value) == 2; i++)
      if (strcmp(name, counters_table[i].name) == 0)
        *counter(out, i) = value;
  }
}

void kiln_remote_totals(struct kiln_store *state, struct kiln_remote_counters *out) {
  int fd = kiln_store_open_own(state, "remote-stats", false);
  read_totals(fd, out);
  if (fd >= 0)
    close(fd);
}

void kiln_remote_add_totals(struct kiln_store *state, const struct kiln_remote_counters *counters) {
  int lock = kiln_store_lock_folder(state, KILN_LOCK_STATS, kiln_now_ns() + 20000000);
  int fd = kiln_store_open_own(state, "remote-stats", true);
  struct kiln_remote_counters sums, add = *counters;
  struct kiln_strbuf text = {0};
  read_totals(fd, &sums);
  for (size_t i = 0; i < COUNTERS; i++) {
    kiln_strbuf_printf(&text, "%-24s %020llu\n", counters_table[i].name,
                       (unsigned long long)(*counter(&sums, i) + *counter(&add, i)));
  }
  if (fd >= 0 && !text.failed)
    (void)kiln_write_at(fd, text.data, text.size, 0);
  if (fd >= 0)
    close(fd);
  kiln_strbuf_free(&text);
  kiln_store_unlock(lock);
}
