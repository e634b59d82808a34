#include "base/thread.h"

#include <signal.h>

#include "base/floats.h"

bool kiln_thread_start(pthread_t *out, void *(*run)(void *user), void *user) {
  static const int raised[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (unsigned i = 0; i < sizeof raised / sizeof *raised; i++)
    sigdelset(&blocked, raised[i]);
  pthread_sigmask(SIG_SETMASK, &blocked, &before); // the thread inherits it, and the state that is set next
  struct kiln_floats floats = kiln_floats_enter();
  bool started = pthread_create(out, NULL, run, user) == 0;
  kiln_floats_leave(floats);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}
