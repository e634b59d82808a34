// Starting the helper's program (tools/helper), which compiles (isolate.h) or asks drivers (ask.h) for this process.
#ifndef KILN_JIT_HELPER_START_H
#define KILN_JIT_HELPER_START_H

#include <sys/types.h>

#include "base/beside.h"
#include "jit/env.h"

#define KILN_HELPER_FILE "kiln-compile-helper"
#define KILN_HELPER_ASK "ask" // the first argument of one that asks

// Its path: COMPILE_ISOLATE_HELPER, or where it is installed. False: there is none.
bool kiln_helper_find(const struct kiln_env *env, char out[KILN_PATH_SIZE]);

// The same file under a number that is none of the helper's. Closes fd; -1: the process has too many, or fd is -1.
int kiln_helper_fd(int fd);

// Starts it with posix_spawn (which never copies the memory of a threaded host), all signals at their default and none
// blocked. Its descriptors are fds, from 0 on, each from kiln_helper_fd; -1 stands for /dev/null. Returns an errno
// value.
int kiln_helper_start(const char *path, char *const *argv, char *const *environment, const int *fds, int count,
                      pid_t *pid);

#endif
