// Preloaded: every lock on a file fails with the error NO_LOCKS, as on NFS mounted with nolock, on Lustre without
// flock, and on some file systems in user space.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>

typedef int fcntl_fn(int fd, int command, ...);

static int lock_or_call(const char *name, int fd, int command, void *argument) {
  const char *error = getenv("NO_LOCKS");
  if (error && (command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_SETLK || command == F_SETLKW)) {
    errno = atoi(error);
    return -1;
  }
  fcntl_fn *real;
  *(void **)&real = dlsym(RTLD_NEXT, name);
  return real(fd, command, argument);
}

#define FORWARD(name)                                                                                                  \
  __attribute__((visibility("default"))) int name(int fd, int command, ...);                                           \
  int name(int fd, int command, ...) {                                                                                 \
    va_list args;                                                                                                      \
    va_start(args, command);                                                                                           \
    void *argument = va_arg(args, void *);                                                                             \
    va_end(args);                                                                                                      \
    return lock_or_call(#name, fd, command, argument);                                                                 \
  }
#undef fcntl
#undef fcntl64
FORWARD(fcntl)
FORWARD(fcntl64)
