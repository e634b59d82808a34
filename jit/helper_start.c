#include "jit/helper_start.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <unistd.h>

#ifndef KILN_HELPER_DIR
#define KILN_HELPER_DIR ""
#endif

enum { MOST_FDS = 6 }; // of a helper

// Where it lies, seen from the folder of the file that holds this code: libkiln.so, installed (lib or lib/TRIPLET) or
// in its build folder, or a program that has the library linked in.
static const char *const beside[] = {"/../libexec/kiln/" KILN_HELPER_FILE, "/../../libexec/kiln/" KILN_HELPER_FILE,
                                     "/../" KILN_HELPER_FILE, "/" KILN_HELPER_FILE};

bool kiln_helper_find(const struct kiln_env *env, char out[KILN_PATH_SIZE]) {
  const char *chosen = env->values[KILN_ENV_ISOLATE_HELPER];
  if (chosen)
    return snprintf(out, KILN_PATH_SIZE, "%s", chosen) < KILN_PATH_SIZE && access(out, X_OK) == 0;
  const char *reason;
  return kiln_find_beside(beside, sizeof beside / sizeof *beside, KILN_HELPER_DIR "/" KILN_HELPER_FILE, X_OK, out,
                          &reason);
}

int kiln_helper_fd(int fd) {
  if (fd < 0 || fd >= MOST_FDS)
    return fd;
  int high = fcntl(fd, F_DUPFD_CLOEXEC, MOST_FDS);
  close(fd);
  return high;
}

static int add_actions(posix_spawn_file_actions_t *actions, const int *fds, int count) {
  int error = 0;
  for (int fd = 0; fd < count && !error; fd++)
    error = fds[fd] >= 0 ? posix_spawn_file_actions_adddup2(actions, fds[fd], fd)
                         : posix_spawn_file_actions_addopen(actions, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
  return error ? error : posix_spawn_file_actions_addclosefrom_np(actions, count);
}

int kiln_helper_start(const char *path, char *const *argv, char *const *environment, const int *fds, int count,
                      pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int error = posix_spawn_file_actions_init(&actions);
  if (error)
    return error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    error = add_actions(&actions, fds, count);
    if (!error)
      error = posix_spawn(pid, path, &actions, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}
