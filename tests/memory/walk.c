#include "tests/memory/walk.h"

#include <dirent.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/memory/exhaust.h"

enum { MAX_FAULTS = 20, SECONDS = 60 };

struct progress { // shared with the parent
  uint32_t next, faults;
  bool ever, done;
};

static uint32_t open_descriptors(void) {
  uint32_t count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (folder && readdir(folder))
    count++;
  closedir(folder);
  return count;
}

static void complain(struct progress *progress, const char *what, const char *more, bool live) {
  fprintf(stderr, "allocation %u%s: %s%s%s\n", progress->next, progress->ever ? " and all later ones" : "", what,
          *more ? ": " : "", more);
  exhaust_print_place(live);
  progress->faults++;
}

// Runs a session with failures from the allocation on (0: none). Returns how many there were.
static uint32_t attempt(const struct walk *walk, struct progress *progress, uint32_t allocation) {
  struct outcome outcome = {.ever = progress->ever};
  walk->prepare(walk->user);
  exhaust_from(allocation, progress->ever);
  walk->session(walk->user, &outcome);
  uint32_t failed = exhaust_end();
  walk->settle(walk->user);
  if (outcome.fault && !(allocation && outcome.refused))
    complain(progress, outcome.fault, outcome.detail, false);
  return failed;
}

// For the parent, which sees the signal, too: where the failed allocation and the fault are.
static void on_fault(int number) {
  void *frames[16];
  exhaust_print_place(false);
  fputs("died at\n", stderr);
  backtrace_symbols_fd(frames, backtrace(frames, 16), STDERR_FILENO);
  signal(number, SIG_DFL);
  raise(number);
}

// Whether a session leaves more behind each time: what is kept for later sessions is kept once.
static bool leaves_more(const struct walk *walk, struct progress *progress, uint32_t count(void)) {
  enum { TIMES = 3 };
  uint32_t times = 0;
  for (uint32_t before = count(), now; times < TIMES; times++, before = now) {
    attempt(walk, progress, progress->next);
    now = count();
    if (now <= before)
      break;
  }
  return times == TIMES;
}

static void step_by_step(const struct walk *walk, struct progress *progress, uint32_t stride) {
  signal(SIGSEGV, on_fault);
  signal(SIGABRT, on_fault);
  signal(SIGALRM, on_fault);
  exhaust_find_libraries();
  attempt(walk, progress, 0); // loads modules
  exhaust_find_libraries();
  attempt(walk, progress, 0);
  attempt(walk, progress, 0);
  uint32_t live = exhaust_live(), descriptors = open_descriptors();
  for (;; progress->next += stride) {
    alarm(SECONDS);
    if (!attempt(walk, progress, progress->next))
      break;
    if (exhaust_live() > live && leaves_more(walk, progress, exhaust_live))
      complain(progress, "blocks are leaked, of these", "", true);
    else if (open_descriptors() > descriptors && leaves_more(walk, progress, open_descriptors))
      complain(progress, "a descriptor is leaked", "", false);
    live = exhaust_live();
    descriptors = open_descriptors();
    if (progress->faults >= MAX_FAULTS)
      break;
  }
  attempt(walk, progress, 0);
  progress->done = true;
}

static bool walk_one_way(const struct walk *walk, bool ever, uint32_t stride) {
  struct progress *progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  *progress = (struct progress){.next = 1, .ever = ever};
  while (!progress->done && progress->faults < MAX_FAULTS) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      step_by_step(walk, progress, stride);
      fflush(NULL);
      _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0) {
      perror("walk");
      return false;
    }
    if (status) {
      fprintf(stderr, "allocation %u%s: the process %s (%d)\n", progress->next, ever ? " and all later ones" : "",
              WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "ended", status);
      progress->next += stride;
      progress->faults++;
    }
  }
  uint32_t last = progress->next, faults = progress->faults;
  munmap(progress, sizeof *progress);
  printf("%s: %s of allocations 1 to %u fail%s: %u faults\n", walk->name, stride > 1 ? "some" : "all", last,
         ever ? " with all later ones" : "", faults);
  // A walk that ends at once has failed nothing.
  if (last < 20)
    fprintf(stderr, "%s: only %u allocations\n", walk->name, last);
  return !faults && last >= 20;
}

bool walk_all(const struct walk *walk, uint32_t stride) {
  bool ok = walk_one_way(walk, false, stride);
  return walk_one_way(walk, true, stride) && ok;
}
