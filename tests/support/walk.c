#include "tests/support/walk.h"

#include <sys/types.h>

#include <fts.h>
#include <stdio.h>
#include <string.h>

static int by_name(const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

int walk_files(const char *folder, void (*visit)(void *user, const char *path, const char *name), void *user) {
  char *roots[] = {(char *)folder, NULL};
  FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
  int count = 0;
  for (FTSENT *entry; walk && (entry = fts_read(walk));) {
    if (entry->fts_level == FTS_ROOTLEVEL) {
      if (entry->fts_info != FTS_D && entry->fts_info != FTS_DP)
        count = -1;
    } else if (entry->fts_name[0] == '.') {
      fts_set(walk, entry, FTS_SKIP);
    } else if (entry->fts_info == FTS_F) {
      visit(user, entry->fts_path, entry->fts_path + strlen(folder) + 1);
      count++;
    }
  }
  if (walk)
    fts_close(walk);
  return walk ? count : -1;
}

bool walk_is_in_share(const char *name, unsigned share, unsigned number) {
  unsigned sum = 0;
  for (; *name; name++)
    sum = sum * 31 + (unsigned char)*name;
  return share < 2 || sum % share == number;
}

void walk_take_options(const char *text, char *out, size_t size) {
  const char *run = strstr(text, "// run:"), *end = run ? strchr(run, '\n') : NULL;
  size_t used = 0;
  out[0] = 0;
  while (run && end && run < end) {
    run += strspn(run, " ");
    run += strncmp(run, "--options=", 10) ? 0 : 10;
    size_t word = strcspn(run, " \n");
    bool is_define = !strncmp(run, "-D", 2), apart = is_define && word == 2;
    if (apart)
      word += 1 + strcspn(run + 3, " \n");
    if ((is_define || !strncmp(run, "-cl-", 4)) && used + word + 2 < size)
      used += (size_t)snprintf(out + used, size - used, "%.*s ", (int)word, run);
    run += word + 1;
  }
}
