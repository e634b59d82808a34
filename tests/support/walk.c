#include "tests/support/walk.h"

#include <sys/types.h>

#include <fts.h>
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
