#include "jit/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "jit/helper_start.h"
#include "jit/isolate_wire.h"

// Loading the drivers of a machine takes parts of a second.
#define MAX_SECONDS 10
#define MAX_WORDS 500 // of what a driver wrote to standard error

static const char ask_target[] = "target", ask_targets[] = "targets";

// ---- both sides

// Writes the arch string that gives this target again: the notation of features is the backend's own.
static void name_target(const struct kiln_base_backend *backend, const struct kiln_target *target, char *out,
                        size_t size) {
  static const char *const joints[] = {"", ":"};
  for (int i = 0; *target->features && i < 2; i++) {
    struct kiln_target again;
    struct kiln_report report = {0};
    memset(&again, 0, sizeof again);
    snprintf(out, size, "%s%s%s", target->arch, joints[i], target->features);
    bool same = backend->make_target(out, &again, &report) == KILN_OK && strcmp(again.arch, target->arch) == 0 &&
                strcmp(again.features, target->features) == 0;
    kiln_report_free(&report);
    if (same)
      return;
  }
  snprintf(out, size, "%s", target->arch);
}

static enum kiln_status detect(const struct kiln_base_backend *backend, char *name, size_t size,
                               struct kiln_report *report) {
  struct kiln_target target;
  memset(&target, 0, sizeof target);
  enum kiln_status status = backend->detect_target(&target, report);
  if (status == KILN_OK)
    name_target(backend, &target, name, size);
  return status;
}

// The reply is texts with a NUL each: the version, the status as a number, the name or the reason; then name and
// description of every target. The helper writes it at once: it is whole or not there.

// ---- the helper

static void add_text(struct kiln_strbuf *reply, const char *text) { kiln_strbuf_append(reply, text, strlen(text) + 1); }

static void add_pair(void *user, const char *name, const char *description) {
  add_text(user, name);
  add_text(user, description ? description : "");
}

int kiln_ask_helper(const char *what, const char *backend) {
  struct stat state;
  if (fstat(KILN_HELPER_REPLY, &state) || !S_ISREG(state.st_mode))
    return 2;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0});
  struct kiln_env env;
  struct kiln_registry registry;
  const struct kiln_base_backend *b;
  struct kiln_report report = {0};
  char name[sizeof(struct kiln_target)] = "";
  if (!kiln_env_read(&env) || kiln_registry_init(&registry, &env) != KILN_OK ||
      kiln_registry_find(&registry, backend, &b) != KILN_OK)
    return 2;
  struct kiln_strbuf reply = {0}, pairs = {0};
  enum kiln_status status = KILN_OK;
  if (strcmp(what, ask_targets) == 0)
    b->list_targets(add_pair, &pairs);
  else
    status = detect(b, name, sizeof name, &report);
  add_text(&reply, kiln_version());
  kiln_strbuf_printf(&reply, "%d", (int)status);
  add_text(&reply, ""); // ends the number
  add_text(&reply, status == KILN_OK ? name : kiln_report_text(&report));
  kiln_strbuf_append(&reply, pairs.data ? pairs.data : "", pairs.size);
  if (reply.failed || pairs.failed || write(KILN_HELPER_REPLY, reply.data, reply.size) != (ssize_t)reply.size)
    return 2;
  _exit(0); // without the destructors of drivers
}

// ---- the process that asks

struct asking {
  int reply, words[2]; // the helper's standard error
  pid_t pid;
  int ended; // its exit status as from waitpid; -1: not known
  bool late;
  char text[MAX_WORDS];
  size_t text_size;
};

static void close_all(struct asking *a) {
  const int fds[] = {a->reply, a->words[0], a->words[1]};
  for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
    if (fds[i] >= 0)
      close(fds[i]);
}

static enum kiln_status start(struct asking *a, const struct kiln_env *env, const char *path, const char *what,
                              const char *backend, struct kiln_report *report) {
  char **environment = kiln_env_of_helper(env);
  a->reply = kiln_helper_fd(memfd_create("kiln-reply", MFD_CLOEXEC));
  bool ok = environment && a->reply >= 0 && pipe2(a->words, O_CLOEXEC) == 0;
  for (int i = 0; ok && i < 2; i++)
    ok = (a->words[i] = kiln_helper_fd(a->words[i])) >= 0;
  char *argv[] = {(char *)KILN_HELPER_FILE, (char *)KILN_HELPER_ASK, (char *)what, (char *)backend, NULL};
  const int fds[] = {-1, -1, a->words[1], -1, a->reply};
  int error = ok ? kiln_helper_start(path, argv, environment, fds, sizeof fds / sizeof *fds, &a->pid) : errno;
  free(environment);
  if (!error) {
    close(a->words[1]);
    a->words[1] = -1;
    return KILN_OK;
  }
  return kiln_fail(report, error == ENOMEM ? KILN_ERR_MEMORY : KILN_ERR_UNAVAILABLE,
                   "its drivers are asked in a process of their own, and %s cannot be started: %s", path,
                   strerror(error));
}

// Takes what is in the pipe. False at its end.
static bool take_words(struct asking *a) {
  char rest[256];
  bool room = a->text_size < sizeof a->text;
  ssize_t n =
      read(a->words[0], room ? a->text + a->text_size : rest, room ? sizeof a->text - a->text_size : sizeof rest);
  a->text_size += room && n > 0 ? (size_t)n : 0;
  return n > 0 || (n < 0 && errno == EINTR);
}

// Until the helper has ended, or its time is over. A host that ignores SIGCHLD, or takes every status, gets no status
// here: that there is no such child any more will do.
static void await(struct asking *a) {
  uint64_t deadline = kiln_now_ns() + MAX_SECONDS * UINT64_C(1000000000);
  struct pollfd fd = {a->words[0], POLLIN, 0};
  for (;;) {
    int ready = poll(&fd, 1, fd.fd < 0 ? 1 : 100);
    if (ready > 0 && !take_words(a))
      fd.fd = -1; // the end of the pipe: from now on poll only sleeps
    bool late = kiln_now_ns() >= deadline;
    if (ready > 0 && fd.fd >= 0 && !late)
      continue;
    pid_t got = waitpid(a->pid, &a->ended, WNOHANG);
    if (got == a->pid)
      return;
    a->ended = -1;
    if (got < 0 && errno != EINTR)
      return;
    if (late && !a->late) {
      a->late = true;
      kill(a->pid, SIGKILL); // nothing has waited for it yet: the number is not another process's
    }
  }
}

// The last words of a driver, in one line.
static void put_words(const struct asking *a, struct kiln_strbuf *out) {
  size_t size = a->text_size;
  while (size && strchr(" \n", a->text[size - 1]))
    size--;
  kiln_strbuf_puts(out, size ? ": " : "");
  for (size_t i = 0; i < size; i++)
    kiln_strbuf_putc(out, a->text[i] == '\n' ? ' ' : a->text[i] >= ' ' && a->text[i] <= '~' ? a->text[i] : '?');
}

static enum kiln_status judge(const struct asking *a, struct kiln_report *report) {
  struct kiln_strbuf why = {0};
  int signal = a->ended != -1 && WIFSIGNALED(a->ended) ? WTERMSIG(a->ended) : 0;
  if (a->late)
    kiln_strbuf_printf(&why, "its drivers did not answer within %d s", MAX_SECONDS);
  else if (signal)
    kiln_strbuf_printf(&why, "one of its drivers ends the process that asks it, by signal %d (%s)", signal,
                       strsignal(signal));
  else
    kiln_strbuf_puts(&why, "one of its drivers ends the process that asks it");
  put_words(a, &why);
  enum kiln_status status = kiln_fail(report, KILN_ERR_UNAVAILABLE, "%s", why.data ? why.data : "memory is exhausted");
  kiln_strbuf_free(&why);
  return status;
}

static const char *next_text(const char **at, const char *end) {
  const char *text = *at;
  const char *nul = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;
  *at = nul ? nul + 1 : end;
  return nul ? text : NULL;
}

static enum kiln_status read_reply(const struct asking *a, char *data, size_t size, char *name, size_t name_size,
                                   kiln_name_fn *fn, void *user, struct kiln_report *report) {
  const char *at = data, *end = data + size;
  const char *version = next_text(&at, end), *number = next_text(&at, end), *text = next_text(&at, end);
  if (!text)
    return judge(a, report);
  if (strcmp(version, kiln_version()) != 0)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "%s is of another version of Kiln than libkiln", KILN_HELPER_FILE);
  int status = atoi(number);
  if (status != KILN_OK)
    return kiln_fail(report, status > 0 && status <= KILN_ERR_CANCELLED ? (enum kiln_status)status : KILN_ERR_INTERNAL,
                     "%s", text);
  if (name)
    snprintf(name, name_size, "%s", text);
  for (const char *target, *description; fn && (target = next_text(&at, end)) && (description = next_text(&at, end));)
    fn(user, target, description);
  return KILN_OK;
}

static enum kiln_status ask(const struct kiln_env *env, const char *path, const char *what, const char *backend,
                            char *name, size_t name_size, kiln_name_fn *fn, void *user, struct kiln_report *report) {
  struct asking a = {.reply = -1, .words = {-1, -1}, .ended = -1};
  struct stat state;
  enum kiln_status status = start(&a, env, path, what, backend, report);
  if (status == KILN_OK) {
    await(&a);
    char *data = fstat(a.reply, &state) == 0 && state.st_size ? malloc((size_t)state.st_size) : NULL;
    ssize_t size = data ? pread(a.reply, data, (size_t)state.st_size, 0) : 0;
    status = read_reply(&a, data, size > 0 ? (size_t)size : 0, name, name_size, fn, user, report);
    free(data);
  }
  close_all(&a);
  return status;
}

// Whether a helper asks, and which. A backend that the host has brought along is in no other process.
static bool asks_elsewhere(const struct kiln_env *env, const struct kiln_registry_entry *entry,
                           char path[KILN_PATH_SIZE]) {
  return entry->backend->asks_drivers && (entry->builtin || entry->path) && kiln_helper_find(env, path);
}

enum kiln_status kiln_ask_target(const struct kiln_env *env, const struct kiln_registry_entry *entry, char *name,
                                 size_t size, struct kiln_report *report) {
  char path[KILN_PATH_SIZE];
  if (asks_elsewhere(env, entry, path))
    return ask(env, path, ask_target, entry->name, name, size, NULL, NULL, report);
  return detect(entry->backend, name, size, report);
}

enum kiln_status kiln_ask_targets(const struct kiln_env *env, const struct kiln_registry_entry *entry, kiln_name_fn *fn,
                                  void *user, struct kiln_report *report) {
  char path[KILN_PATH_SIZE];
  if (asks_elsewhere(env, entry, path))
    return ask(env, path, ask_targets, entry->name, NULL, 0, fn, user, report);
  entry->backend->list_targets(fn, user);
  return KILN_OK;
}
