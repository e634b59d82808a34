#include "base/write.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static const int raised[] = {SIGXFSZ, SIGPIPE};
enum { RAISED = sizeof raised / sizeof *raised };

void kiln_signals_hold(struct kiln_held_signals *held) {
  sigset_t both, pending;
  sigemptyset(&both);
  for (int i = 0; i < RAISED; i++)
    sigaddset(&both, raised[i]);
  pthread_sigmask(SIG_BLOCK, &both, &held->before);
  sigpending(&pending);
  held->own = both;
  for (int i = 0; i < RAISED; i++)
    if (sigismember(&pending, raised[i]))
      sigdelset(&held->own, raised[i]);
}

void kiln_signals_release(const struct kiln_held_signals *held) {
  int error = errno;
  // Writes raise them for the thread that writes: what is taken here comes from its own writes.
  while (sigtimedwait(&held->own, NULL, &(struct timespec){0}) > 0 || errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &held->before, NULL);
  errno = error;
}

// offset -1: at the file's position.
static int write_held(int fd, const char *data, size_t size, off_t offset) {
  struct kiln_held_signals held;
  int error = 0;
  kiln_signals_hold(&held);
  while (size != 0 && error == 0) {
    ssize_t put = offset < 0 ? write(fd, data, size) : pwrite(fd, data, size, offset);
    if (put < 0 && errno != EINTR) {
      error = errno;
    } else if (put == 0) {
      error = ENOSPC;
    } else if (put > 0) {
      data += put;
      size -= (size_t)put;
      offset += offset < 0 ? 0 : put;
    }
  }
  kiln_signals_release(&held);
  return error;
}

int kiln_write_all(int fd, const void *data, size_t size) { return write_held(fd, data, size, -1); }

int kiln_write_at(int fd, const void *data, size_t size, off_t offset) { return write_held(fd, data, size, offset); }
