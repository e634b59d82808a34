#include "tests/cuda/code/ptxas.h"

#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int run_ptxas(const char *ptxas, const char *arch, const char *text, size_t size, char *log, size_t log_size) {
  char path[] = "/tmp/kiln-cuda-XXXXXX", out[] = "/tmp/kiln-cuda-XXXXXX";
  int file = mkstemp(path), said = mkstemp(out), status = -1;
  pid_t child;
  posix_spawn_file_actions_t actions;
  char *arguments[] = {(char *)ptxas, "-v", "-arch", (char *)arch, "-o", "/dev/null", path, NULL};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, said, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO);
  bool written = file >= 0 && said >= 0 && write(file, text, size) == (ssize_t)size;
  if (written && posix_spawnp(&child, ptxas, &actions, NULL, arguments, environ) == 0)
    waitpid(child, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  ssize_t got = pread(said, log, log_size - 1, 0);
  log[got > 0 ? got : 0] = 0;
  close(file);
  close(said);
  unlink(path);
  unlink(out);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

const char *find_ptxas(const char *arch) {
  const char *given = getenv("KILN_PTXAS"), *name = given && *given ? given : "ptxas";
  char log[256], text[64];
  snprintf(text, sizeof text, ".version 8.0\n.target %s\n", arch);
  return run_ptxas(name, arch, text, strlen(text), log, sizeof log) == 0 ? name : NULL;
}
