// Whose files code is taken from: owners, modes, and the way to a folder.
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/trust.h"

static const struct kiln_trust nobody;
enum { STRANGER = 4242, FRIEND = 4343 };

// ---- who is named --------------------------------------------------------------------------------------------------

Test(trust, names_and_numbers) {
  struct kiln_trust trust;
  struct kiln_strbuf problem = {0};
  cr_assert(kiln_trust_parse("user:root,group:4343,,user:17", &trust, &problem), "%s", problem.data);
  cr_expect_eq(trust.user_count, 2);
  cr_expect_eq(trust.users[0], 0);
  cr_expect_eq(trust.users[1], 17);
  cr_expect_eq(trust.group_count, 1);
  cr_expect(kiln_trusts_group(&trust, FRIEND) && !kiln_trusts_group(&trust, STRANGER));
}

Test(trust, what_cannot_be_read_is_told) {
  static const char *const bad[][2] = {{"root", "'root' is neither user:NAME nor group:NAME"},
                                       {"user:", "there is no user ''"},
                                       {"user:0,user:no-such-user", "there is no user 'no-such-user'"},
                                       {"group:no-such-group", "there is no group 'no-such-group'"},
                                       {"user:-1", "there is no user '-1'"},
                                       {"user:4294967295", "there is no user '4294967295'"},
                                       {"all:x", "'all:x' is neither user:NAME nor group:NAME"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct kiln_trust trust;
    struct kiln_strbuf problem = {0};
    cr_expect(!kiln_trust_parse(bad[i][0], &trust, &problem), "%s", bad[i][0]);
    cr_expect_str_eq(problem.data, bad[i][1]);
    kiln_strbuf_free(&problem);
  }
  char many[1024] = "";
  for (int i = 0; i <= KILN_MAX_TRUSTED; i++)
    sprintf(many + strlen(many), "user:%d,", i + 1);
  struct kiln_trust trust;
  struct kiln_strbuf problem = {0};
  cr_expect(!kiln_trust_parse(many, &trust, &problem));
  cr_expect_str_eq(problem.data, "it names more than 16 users");
  kiln_strbuf_free(&problem);
}

// ---- owners and modes ----------------------------------------------------------------------------------------------

Test(trust, owners_and_modes) {
  const uint32_t me = geteuid();
  const struct kiln_trust friend_user = {.users = {FRIEND}, .user_count = 1},
                          friend_group = {.groups = {FRIEND}, .group_count = 1};
  const struct {
    const char *what;
    const struct kiln_trust *trust;
    uint32_t user, group;
    mode_t mode;
    bool good;
  } cases[] = {
      {"own", &nobody, me, STRANGER, 0644, true},
      {"root's", &nobody, 0, 0, 0644, true},
      {"a stranger's", &nobody, STRANGER, STRANGER, 0600, false},
      {"a stranger's, of root's group", &nobody, STRANGER, 0, 0600, false},
      {"a stranger's, of the own group", &nobody, STRANGER, me, 0600, false},
      {"own, everybody's", &nobody, me, STRANGER, 0602, false},
      {"own, a group's", &nobody, me, STRANGER, 0620, false},
      {"own, of the own group", &nobody, me, me, 0660, true},
      {"a named user's", &friend_user, FRIEND, STRANGER, 0644, true},
      {"a named user's, a group's", &friend_user, FRIEND, STRANGER, 0664, false},
      {"a stranger's with a name beside", &friend_user, STRANGER, FRIEND, 0600, false},
      {"a named group's", &friend_group, STRANGER, FRIEND, 0664, true},
      {"a named group's, everybody's", &friend_group, STRANGER, FRIEND, 0666, false},
      {"a user with the number of a named group", &friend_group, FRIEND, STRANGER, 0600, false},
      {"own, of a named group", &friend_group, me, FRIEND, 0660, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct stat info = {.st_uid = cases[i].user, .st_gid = cases[i].group, .st_mode = S_IFREG | cases[i].mode};
    const char *reason = kiln_distrust(cases[i].trust, &info);
    cr_expect_eq(!reason, cases[i].good, "%s: %s", cases[i].what, reason ? reason : "trusted");
  }
}

// ---- the way to a folder -------------------------------------------------------------------------------------------

static char top[64];

static const char *in_top(const char *rest) {
  static char paths[2][256]; // of the last two calls
  static int next;
  char *path = paths[next++ % 2];
  snprintf(path, sizeof paths[0], "%s/%s", top, rest);
  return path;
}

static void make_top(void) {
  strcpy(top, "/tmp/kiln-trust-XXXXXX");
  cr_assert(mkdtemp(top));
  cr_assert(mkdir(in_top("a"), 0700) == 0 && mkdir(in_top("a/b"), 0700) == 0);
}

static void remove_top(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", top);
  cr_assert(system(command) == 0);
}

// Opens a folder below top. Returns the reason, the error as text, or "".
static const char *open_below(const char *rest) {
  const char *reason;
  struct stat info, wanted;
  int fd = kiln_trust_open_folder(&nobody, in_top(rest), &info, &reason);
  if (fd < 0)
    return reason ? reason : strerrordesc_np(errno);
  cr_expect(stat(in_top(rest), &wanted) == 0 && wanted.st_ino == info.st_ino, "%s is another folder", rest);
  close(fd);
  return "";
}

Test(trust, folders, .init = make_top, .fini = remove_top) {
  cr_expect_str_eq(open_below("a/b"), "");
  cr_expect_str_eq(open_below("a//b/"), "");
  cr_expect_str_eq(open_below("a/./b/../b"), "");
  cr_expect_str_eq(open_below("a/none"), "No such file or directory");
  cr_assert(symlink("a", in_top("link")) == 0 && symlink(in_top("a/b"), in_top("whole")) == 0);
  cr_expect_str_eq(open_below("link/b"), "");
  cr_expect_str_eq(open_below("whole"), "");
  cr_assert(symlink("loop", in_top("loop")) == 0);
  cr_expect_str_eq(open_below("loop/b"), "Too many levels of symbolic links");
  cr_assert(close(open(in_top("file"), O_CREAT | O_WRONLY, 0600)) == 0);
  cr_expect_str_eq(open_below("file"), "Not a directory");
  cr_expect_str_eq(open_below("file/b"), "Not a directory");
  char *deep = malloc(2 * PATH_MAX);
  memset(deep, 'x', 2 * PATH_MAX - 1);
  deep[2 * PATH_MAX - 1] = 0;
  struct stat info;
  const char *reason;
  cr_expect_eq(kiln_trust_open_folder(&nobody, deep, &info, &reason), -1);
  cr_expect(!reason && errno == ENAMETOOLONG);
  free(deep);
}

Test(trust, relative_paths, .init = make_top, .fini = remove_top) {
  const char *reason;
  struct stat info;
  cr_assert(chdir(top) == 0);
  int fd = kiln_trust_open_folder(&nobody, "a/b", &info, &reason);
  cr_assert_geq(fd, 0);
  close(fd);
  cr_assert(chdir("/") == 0);
}

Test(trust, everybody_can_rename_a_folder_above, .init = make_top, .fini = remove_top) {
  cr_assert(chmod(in_top("a"), 0777) == 0);
  cr_expect_str_eq(open_below("a/b"), "everybody can write to a folder above it");
  cr_assert(symlink("a/b", in_top("link")) == 0);
  cr_expect_str_eq(open_below("link"), "everybody can write to a folder above it");
  cr_assert(chmod(in_top("a"), 01777) == 0);
  cr_expect_str_eq(open_below("a/b"), "");
  cr_expect_str_eq(open_below("a"), "other users can write to it");
}

Test(trust, links_of_strangers_are_not_followed, .init = make_top, .fini = remove_top) {
  if (geteuid() != 0)
    cr_skip_test("needs root to give files away");
  cr_assert(chmod(top, 01777) == 0 && symlink("a", in_top("link")) == 0);
  cr_expect_str_eq(open_below("link/b"), "");
  cr_assert(lchown(in_top("link"), STRANGER, STRANGER) == 0);
  cr_expect_str_eq(open_below("link/b"), "a link on the way to it belongs to another user");
  cr_assert(chown(in_top("a/b"), STRANGER, STRANGER) == 0);
  cr_expect_str_eq(open_below("a/b"), "it belongs to another user");
}

// ---- files ---------------------------------------------------------------------------------------------------------

Test(trust, files, .init = make_top, .fini = remove_top) {
  cr_assert(close(open(in_top("a/file"), O_CREAT | O_WRONLY, 0644)) == 0);
  cr_expect_null(kiln_distrust_file(&nobody, in_top("a/file")));
  cr_expect_str_eq(kiln_distrust_file(&nobody, in_top("a/none")), "No such file or directory");
  cr_expect_str_eq(kiln_distrust_file(&nobody, in_top("a/b")), "it is not a regular file");
  cr_assert(symlink("../a/file", in_top("a/link")) == 0);
  cr_expect_null(kiln_distrust_file(&nobody, in_top("a/link")));
  cr_assert(mkdir(in_top("open"), 0700) == 0 && chmod(in_top("open"), 0777) == 0);
  cr_assert(symlink("../a/file", in_top("open/link")) == 0);
  cr_expect_str_eq(kiln_distrust_file(&nobody, in_top("open/link")), "other users can write to it");
  cr_assert(close(open(in_top("open/file"), O_CREAT | O_WRONLY, 0644)) == 0);
  cr_assert(symlink("../open/file", in_top("a/away")) == 0);
  cr_expect_str_eq(kiln_distrust_file(&nobody, in_top("a/away")), "other users can write to it");
  cr_assert(chmod(in_top("a/file"), 0646) == 0);
  cr_expect_str_eq(kiln_distrust_file(&nobody, in_top("a/file")), "other users can write to it");
}
