// Writes that raise signals: none of them reaches the host, whose own signals stay what they were.
#include "base/write.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"

static char folder[64], path[128];

static void set_up(void) {
  strcpy(folder, "/tmp/kiln-test-XXXXXX");
  cr_assert(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/file", folder);
}

static void tear_down(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  cr_assert_eq(system(command), 0);
}

static void limit_files(rlim_t bytes) {
  struct rlimit limit;
  cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes;
  cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static bool is_pending(int signal) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, signal);
}

static bool is_blocked(int signal) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  return sigismember(&mask, signal);
}

// With the signals' usual dispositions, which end the process.
Test(write, files_larger_than_the_limit, .init = set_up, .fini = tear_down) {
  static char data[5000];
  char *text;
  size_t size;
  limit_files(1000);
  cr_expect_eq(kiln_file_write(path, data, sizeof data), EFBIG);
  cr_expect_eq(kiln_file_write_private(path, data, sizeof data), EFBIG);
  cr_expect_eq(kiln_file_read(path, &text, &size), ENOENT, "nothing is left");
  cr_expect_eq(kiln_file_write(path, data, 1000), 0);
  int fd = kiln_file_open_private(path, O_RDWR);
  cr_expect_eq(kiln_write_at(fd, data, 10, 995), EFBIG);
  cr_expect_eq(kiln_write_at(fd, data, 10, 990), 0);
  close(fd);
  limit_files(RLIM_INFINITY);
  cr_expect_not(is_pending(SIGXFSZ));
  cr_expect_not(is_blocked(SIGXFSZ));
}

Test(write, a_pipe_that_nobody_reads) {
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  close(ends[0]);
  cr_expect_eq(kiln_write_all(ends[1], "text", 4), EPIPE);
  cr_expect_not(is_pending(SIGPIPE));
  cr_expect_not(is_blocked(SIGPIPE));
  close(ends[1]);
}

// A signal that waits for the host still does.
Test(write, signals_of_the_host, .init = set_up, .fini = tear_down) {
  static char data[5000];
  sigset_t own, before;
  sigemptyset(&own);
  sigaddset(&own, SIGXFSZ);
  cr_assert_eq(pthread_sigmask(SIG_BLOCK, &own, &before), 0);
  raise(SIGXFSZ);
  limit_files(1000);
  cr_expect_eq(kiln_file_write(path, data, sizeof data), EFBIG);
  limit_files(RLIM_INFINITY);
  cr_expect(is_pending(SIGXFSZ));
  cr_expect(is_blocked(SIGXFSZ));
  int got = 0;
  cr_expect_eq(sigwait(&own, &got), 0);
  cr_expect_not(is_pending(SIGXFSZ));
}

Test(write, held_twice) {
  int ends[2];
  struct kiln_held_signals outer, inner;
  cr_assert_eq(pipe(ends), 0);
  close(ends[0]);
  kiln_signals_hold(&outer);
  cr_expect_eq(write(ends[1], "x", 1), -1);
  kiln_signals_hold(&inner);
  cr_expect_eq(write(ends[1], "x", 1), -1);
  kiln_signals_release(&inner);
  cr_expect(is_pending(SIGPIPE) && is_blocked(SIGPIPE), "it is the outer pair's");
  errno = 5;
  kiln_signals_release(&outer);
  cr_expect_eq(errno, 5);
  cr_expect_not(is_pending(SIGPIPE));
  close(ends[1]);
}
