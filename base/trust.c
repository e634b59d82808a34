// Owners and modes of what code is taken from.
#include "base/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LINKS = 40 };

// ---- who is trusted ------------------------------------------------------------------------------------------------

static bool parse_number(const char *text, uint32_t *out) {
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || errno || value >= UINT32_MAX)
    return false;
  *out = (uint32_t)value;
  return true;
}

// Asks the system for the number of a name.
static bool find_name(bool group, const char *name, uint32_t *out) {
  enum { SIZE = 64 << 10 };
  char *buffer = malloc(SIZE);
  struct passwd user, *found_user = NULL;
  struct group team, *found_group = NULL;
  if (buffer && group && getgrnam_r(name, &team, buffer, SIZE, &found_group) == 0 && found_group)
    *out = team.gr_gid;
  else if (buffer && !group && getpwnam_r(name, &user, buffer, SIZE, &found_user) == 0 && found_user)
    *out = user.pw_uid;
  free(buffer);
  return found_user || found_group;
}

static bool parse_one(const char *item, struct kiln_trust *out, struct kiln_strbuf *problem) {
  bool group = strncmp(item, "group:", 6) == 0;
  if (!group && strncmp(item, "user:", 5) != 0) {
    kiln_strbuf_printf(problem, "'%s' is neither user:NAME nor group:NAME", item);
    return false;
  }
  const char *name = strchr(item, ':') + 1;
  uint32_t id = 0, *count = group ? &out->group_count : &out->user_count;
  if (!parse_number(name, &id) && !find_name(group, name, &id)) {
    kiln_strbuf_printf(problem, "there is no %s '%s'", group ? "group" : "user", name);
    return false;
  }
  if (*count == KILN_MAX_TRUSTED) {
    kiln_strbuf_printf(problem, "it names more than %d %s", KILN_MAX_TRUSTED, group ? "groups" : "users");
    return false;
  }
  (group ? out->groups : out->users)[(*count)++] = id;
  return true;
}

bool kiln_trust_parse(const char *text, struct kiln_trust *out, struct kiln_strbuf *problem) {
  *out = (struct kiln_trust){0};
  bool good = true;
  while (*text && good) {
    size_t size = strcspn(text, ",");
    char *item = strndup(text, size);
    if (!item)
      return false;
    good = size == 0 || parse_one(item, out, problem);
    free(item);
    text += size + (text[size] == ',');
  }
  return good;
}

static bool listed(const uint32_t *ids, uint32_t count, uint32_t id) {
  for (uint32_t i = 0; i < count; i++)
    if (ids[i] == id)
      return true;
  return false;
}

// ---- files and folders ---------------------------------------------------------------------------------------------

bool kiln_trusts_group(const struct kiln_trust *trust, uint32_t group) {
  return listed(trust->groups, trust->group_count, group);
}

static bool is_trusted_user(const struct kiln_trust *trust, uint32_t user) {
  return user == geteuid() || user == 0 || listed(trust->users, trust->user_count, user);
}

const char *kiln_distrust(const struct kiln_trust *trust, const struct stat *info) {
  // Only its members can give a file to a group, or make one in a folder that hands its group down.
  bool team = kiln_trusts_group(trust, info->st_gid);
  if (!team && !is_trusted_user(trust, info->st_uid))
    return "it belongs to another user";
  // By convention the group with a user's own number is the user's alone; where it is, new files may be writable by it.
  bool own_group = info->st_gid == info->st_uid;
  if (info->st_mode & S_IWOTH || (info->st_mode & S_IWGRP && !team && !own_group))
    return "other users can write to it";
  return NULL;
}

// The same for a folder above it: it may belong to anybody, but not everybody may rename what is in it.
static const char *distrust_above(const struct stat *info) {
  return info->st_mode & S_IWOTH && !(info->st_mode & S_ISVTX) ? "everybody can write to a folder above it" : NULL;
}

// A walk down a path.
struct walk {
  const struct kiln_trust *trust;
  int fd; // of the folder that was reached
  int links;
  char rest[PATH_MAX]; // what is still to walk
  const char *reason;
};

// False, with errno, when fd is none.
static bool move_to(struct walk *walk, int fd) {
  int error = errno;
  if (walk->fd >= 0)
    close(walk->fd);
  walk->fd = fd;
  errno = error;
  return fd >= 0;
}

// Puts the target of a link in place of what was walked. Who can make links in a folder is known to have been trusted,
// unless it is one where everybody can.
static bool follow(struct walk *walk, const struct stat *folder, const char *name, const char *rest) {
  char target[PATH_MAX];
  struct stat link;
  if (fstatat(walk->fd, name, &link, AT_SYMLINK_NOFOLLOW) != 0)
    return false;
  if (!S_ISLNK(link.st_mode)) {
    errno = ENOTDIR;
    return false;
  }
  if (folder->st_mode & S_IWOTH && link.st_uid != folder->st_uid && !is_trusted_user(walk->trust, link.st_uid)) {
    walk->reason = "a link on the way to it belongs to another user";
    return false;
  }
  ssize_t size = readlinkat(walk->fd, name, target, sizeof target);
  if (size < 0)
    return false;
  if (++walk->links > MAX_LINKS || (size_t)size + strlen(rest) + 2 > sizeof target) {
    errno = walk->links > MAX_LINKS ? ELOOP : ENAMETOOLONG;
    return false;
  }
  target[size] = '/';
  strcpy(target + size + 1, rest);
  strcpy(walk->rest, target);
  return *target != '/' || move_to(walk, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

// Goes on by one name. *info is that of the folder reached, before and after.
static bool step(struct walk *walk, struct stat *info) {
  char name[NAME_MAX + 1];
  const char *start = walk->rest + strspn(walk->rest, "/");
  size_t size = strcspn(start, "/");
  const char *rest = start + size;
  if (size > NAME_MAX) {
    errno = ENAMETOOLONG;
    return false;
  }
  memcpy(name, start, size);
  name[size] = '\0';
  walk->reason = distrust_above(info);
  if (walk->reason)
    return false;
  // O_DIRECTORY: what is mounted on demand is then mounted. Of a link it makes an error.
  int next = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC);
  if (next < 0 && (errno == ENOTDIR || errno == ELOOP))
    return follow(walk, info, name, rest) && fstat(walk->fd, info) == 0;
  memmove(walk->rest, rest, strlen(rest) + 1);
  return move_to(walk, next) && fstat(next, info) == 0;
}

int kiln_trust_open_folder(const struct kiln_trust *trust, const char *path, struct stat *info, const char **reason) {
  struct walk walk = {.trust = trust, .fd = -1};
  *reason = NULL;
  size_t size = 0;
  if (*path != '/') {
    if (!getcwd(walk.rest, sizeof walk.rest))
      return -1;
    size = strlen(walk.rest);
    walk.rest[size++] = '/';
  }
  if (size + strlen(path) >= sizeof walk.rest) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(walk.rest + size, path);
  bool good = move_to(&walk, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) && fstat(walk.fd, info) == 0;
  while (good && walk.rest[strspn(walk.rest, "/")])
    good = step(&walk, info);
  if (good)
    walk.reason = kiln_distrust(trust, info);
  if (good && !walk.reason)
    return walk.fd;
  int error = errno;
  move_to(&walk, -1);
  *reason = walk.reason;
  errno = error;
  return -1;
}

// Looks at the folder of path, and at what is there. *link: a link, which was not followed.
static const char *distrust_entry(const struct kiln_trust *trust, const char *path, bool *link) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *reason = NULL;
  struct stat info;
  char *above = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
  int folder = above ? kiln_trust_open_folder(trust, above, &info, &reason) : -1;
  free(above);
  if (folder < 0)
    return reason ? reason : strerrordesc_np(errno);
  if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
    reason = strerrordesc_np(errno);
  else if (S_ISLNK(info.st_mode))
    *link = true;
  else
    reason = S_ISREG(info.st_mode) ? kiln_distrust(trust, &info) : "it is not a regular file";
  close(folder);
  return reason;
}

const char *kiln_distrust_file(const struct kiln_trust *trust, const char *path) {
  bool link = false;
  const char *reason = distrust_entry(trust, path, &link);
  if (reason || !link)
    return reason;
  char real[PATH_MAX];
  return realpath(path, real) ? distrust_entry(trust, real, &link) : strerrordesc_np(errno);
}
