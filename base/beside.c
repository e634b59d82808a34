#include "base/beside.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool kiln_own_object(char out[KILN_PATH_SIZE]) {
  Dl_info info; // its name would be argv[0], which is anybody's, where the map has none
  struct link_map *object = NULL;
  if (!dladdr1((const void *)(uintptr_t)&kiln_own_object, &info, (void **)&object, RTLD_DL_LINKMAP) || !object ||
      !strchr(object->l_name, '/') || strlen(object->l_name) >= KILN_PATH_SIZE)
    return false;
  strcpy(out, object->l_name);
  return true;
}

// ---- whose files are used

struct both { // a file, or a folder, and the one that holds this code, or its folder
  struct stat theirs, own;
};

static bool look_at(const char *theirs, const char *own, struct both *out) {
  return stat(theirs, &out->theirs) == 0 && stat(own, &out->own) == 0;
}

static bool look_at_folders(const char *theirs, const char *own, struct both *out) {
  char folders[2][KILN_PATH_SIZE];
  const char *const paths[] = {theirs, own};
  for (int i = 0; i < 2; i++) {
    const char *slash = strrchr(paths[i], '/');
    snprintf(folders[i], sizeof folders[i], "%.*s/", slash ? (int)(slash - paths[i]) : 0, paths[i]);
  }
  return look_at(folders[0], folders[1], out);
}

static bool is_known(const struct both *b, uid_t user) {
  return user == 0 || user == geteuid() || user == b->own.st_uid;
}

// Why others than those who could change this code itself could have made it.
static const char *distrust(const struct both *b) {
  const struct stat *theirs = &b->theirs, *own = &b->own;
  if (!is_known(b, theirs->st_uid))
    return "it, or its folder, belongs to another user";
  bool team = theirs->st_mode & S_IWGRP && theirs->st_gid != theirs->st_uid,
       own_team = own->st_mode & S_IWGRP && own->st_gid == theirs->st_gid;
  // Users who can write to a sticky folder still cannot replace each other's files in it.
  bool sticky = S_ISDIR(theirs->st_mode) && theirs->st_mode & S_ISVTX;
  bool all = theirs->st_mode & S_IWOTH, own_all = own->st_mode & S_IWOTH;
  if (((all && !own_all) || (team && !own_team && !own_all)) && !sticky)
    return "other users can write to it, or to its folder";
  return NULL;
}

static const char *distrust_path(const char *path, const char *own) {
  struct both files, folders;
  struct stat link;
  if (!look_at(path, own, &files) || !look_at_folders(path, own, &folders) || lstat(path, &link) != 0)
    return "it cannot be looked at";
  if (S_ISLNK(link.st_mode) && !is_known(&files, link.st_uid))
    return "it is a link of another user";
  const char *reason = distrust(&files);
  return reason ? reason : distrust(&folders);
}

// ---- looking for them

static bool is_good(const char *path, int mode, const char *own, const char **reason) {
  if (access(path, mode) != 0)
    return false;
  const char *distrust = distrust_path(path, own);
  if (distrust)
    *reason = distrust;
  return !distrust;
}

bool kiln_find_beside(const char *const *beside, size_t count, const char *fallback, int mode, char out[KILN_PATH_SIZE],
                      const char **reason) {
  char file[KILN_PATH_SIZE];
  *reason = NULL;
  bool known = kiln_own_object(file);
  ssize_t size = known ? 0 : readlink("/proc/self/exe", file, sizeof file - 1);
  if (!known && size > 0) {
    file[size] = 0;
    known = true;
  }
  const char *slash = known ? strrchr(file, '/') : NULL;
  for (size_t i = 0; slash && i < count; i++) {
    int n = snprintf(out, KILN_PATH_SIZE, "%.*s%s", (int)(slash - file), file, beside[i]);
    if (n > 0 && n < KILN_PATH_SIZE && is_good(out, mode, file, reason))
      return true;
  }
  int n = snprintf(out, KILN_PATH_SIZE, "%s", fallback);
  return n > 0 && n < KILN_PATH_SIZE && is_good(out, mode, known ? file : "/", reason);
}
