// Whose files are used that lie beside the library. tests/cache/modules.sh has the same with what is then run.
#include "base/beside.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STRANGER = 4242 };

static char top[64], folder[96], file[128];

static void set_up(void) {
  strcpy(top, "/tmp/kiln-beside-XXXXXX");
  cr_assert(mkdtemp(top));
  snprintf(folder, sizeof folder, "%s/folder", top);
  snprintf(file, sizeof file, "%s/module", folder);
}

static void tear_down(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", top);
  cr_assert(system(command) == 0);
}

// What is asked for lies in the last of the places, which has a whole path.
Test(beside, last_place, .init = set_up, .fini = tear_down) {
  const uid_t me = geteuid();
  const struct {
    const char *what;
    mode_t mode, folder_mode;
    uid_t user, folder_user;
    gid_t group;
    const char *reason;
  } cases[] = {
      {"own", 0644, 0755, me, me, me, NULL},
      {"own, of the own group", 0664, 0775, me, me, me, NULL},
      {"in a sticky folder", 0644, 01777, me, me, me, NULL},
      {"everybody's", 0646, 0755, me, me, me, "other users can write to it, or to its folder"},
      {"in a folder of all", 0644, 0777, me, me, me, "other users can write to it, or to its folder"},
      {"a group's", 0664, 0755, me, me, STRANGER, "other users can write to it, or to its folder"},
      {"a stranger's", 0644, 0755, STRANGER, me, STRANGER, "it, or its folder, belongs to another user"},
      {"in a stranger's folder", 0644, 0755, me, STRANGER, me, "it, or its folder, belongs to another user"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char out[KILN_PATH_SIZE];
    const char *reason;
    if (me != 0 && (cases[i].user != me || cases[i].folder_user != me || cases[i].group != me))
      continue; // only root can give files away
    cr_assert(mkdir(folder, 0755) == 0);
    FILE *made = fopen(file, "w");
    cr_assert(made && fclose(made) == 0);
    cr_assert(chown(file, cases[i].user, cases[i].group) == 0 && chmod(file, cases[i].mode) == 0);
    cr_assert(chown(folder, cases[i].folder_user, cases[i].folder_user) == 0 &&
              chmod(folder, cases[i].folder_mode) == 0);
    bool found = kiln_find_beside(NULL, 0, file, R_OK, out, &reason);
    cr_expect_eq(found, !cases[i].reason, "%s: %s", cases[i].what, reason ? reason : "found");
    if (found)
      cr_expect_str_eq(out, file);
    else
      cr_expect_str_eq(reason ? reason : "", cases[i].reason, "%s: %s", cases[i].what, reason);
    cr_assert(unlink(file) == 0 && rmdir(folder) == 0);
  }
}

Test(beside, nothing_there, .init = set_up, .fini = tear_down) {
  static const char *const places[] = {"/no-such-module"};
  char out[KILN_PATH_SIZE];
  const char *reason = "none was set";
  cr_expect(!kiln_find_beside(places, 1, file, R_OK, out, &reason));
  cr_expect_null(reason);
}
