// Writing, in a process whose signals belong to a host.
#ifndef KILN_BASE_WRITE_H
#define KILN_BASE_WRITE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// A write past RLIMIT_FSIZE raises SIGXFSZ, one to a pipe without readers SIGPIPE: both would end the host. Between
// hold and release they do not reach the calling thread, and the call that raised them fails with EFBIG or EPIPE. What
// the process does with signals stays as it is. Pairs may be nested.
struct kiln_held_signals {
  sigset_t before; // the thread's mask
  sigset_t own;    // those of both that were not pending, so that they are dropped at the end
};
void kiln_signals_hold(struct kiln_held_signals *held);
void kiln_signals_release(const struct kiln_held_signals *held); // keeps errno

// Write all bytes, at the file's position or at an offset, while signals are held. 0 or an errno value.
int kiln_write_all(int fd, const void *data, size_t size);
int kiln_write_at(int fd, const void *data, size_t size, off_t offset);

#endif
