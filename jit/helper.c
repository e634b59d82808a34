// The program that compiles for a host (COMPILE_ISOLATE): kiln_compile_helper is all of it.
//
// It is two processes. The watcher, which the host has started, forks (it has one thread and no compiler in memory) and
// waits: for the end of the compile, for the time limit, or for the host to vanish. The worker compiles under the
// kernel's limits and writes the reply. When it dies the watcher says how, in which stage and over which kernel, in the
// verdict. Neither outlives the other.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "jit/ask.h"
#include "jit/compile.h"
#include "jit/facts/facts.h"
#include "jit/helper_start.h"
#include "jit/ir/internal.h"
#include "jit/ir/snapshot.h"
#include "jit/isolate.h"
#include "jit/isolate_wire.h"

// ---- where the compile is: shared by worker and watcher

#define PLACES 64
#define NAME_SIZE 128

// What one thread of the worker does. Written by that thread alone, read by the watcher when the worker is dead or
// stopped.
struct place {
  _Atomic pid_t thread; // 0: not used
  char kernel[NAME_SIZE], stage[NAME_SIZE];
};
struct shared {
  struct place places[PLACES];
  _Atomic pid_t culprit; // the thread that a signal came over; 0: none
};

static pid_t thread_id(void) { return (pid_t)syscall(SYS_gettid); }

static void note_place(void *user, const char *kernel, const char *stage) {
  struct shared *shared = user;
  pid_t self = thread_id(), none = 0;
  for (int i = 0; i < PLACES; i++) {
    struct place *place = &shared->places[i];
    none = 0;
    if (atomic_load(&place->thread) != self && !atomic_compare_exchange_strong(&place->thread, &none, self))
      continue;
    snprintf(place->kernel, sizeof place->kernel, "%s", kernel ? kernel : "");
    snprintf(place->stage, sizeof place->stage, "%s", stage ? stage : "");
    if (!stage) // this thread is done
      atomic_store(&place->thread, 0);
    return;
  }
}

// " in code generation of kernel 'k'", for the thread that died, or for all that were at work.
static void put_places(const struct shared *shared, struct kiln_strbuf *out) {
  pid_t culprit = atomic_load(&shared->culprit);
  const char *separator = " in ";
  for (int i = 0; i < PLACES; i++) {
    const struct place *place = &shared->places[i];
    pid_t thread = atomic_load(&place->thread);
    if (!thread || (culprit && thread != culprit) || !place->stage[0])
      continue;
    // A thread that waits for others says nothing of interest beside them.
    kiln_strbuf_printf(out, "%s%.*s", separator, NAME_SIZE - 1, place->stage);
    if (place->kernel[0])
      kiln_strbuf_printf(out, " of kernel '%.*s'", NAME_SIZE - 1, place->kernel);
    separator = " and ";
  }
}

static void put_lack_of_memory(const struct kiln_helper_request *request, const struct shared *shared,
                               struct kiln_strbuf *out) {
  kiln_strbuf_printf(out, "the compile needs more than %llu MiB of memory (COMPILE_ISOLATE_MEMORY)",
                     (unsigned long long)(request->bytes >> 20));
  put_places(shared, out);
}

// The handler has no other way to its data.
static struct shared *of_handler;

static void on_fault(int number) {
  atomic_store(&of_handler->culprit, thread_id());
  signal(number, SIG_DFL);
  raise(number);
}

// ---- the worker

struct worker {
  const struct kiln_helper_request *request;
  struct kiln_report report;
  pthread_mutex_t lock; // of the reply
  bool torn;            // the reply could not be written
};

static void write_bytes(struct worker *w, const void *data, size_t size) {
  const char *at = data;
  while (size && !w->torn) {
    ssize_t n = write(KILN_HELPER_REPLY, at, size);
    if (n < 0 && errno == EINTR)
      continue;
    w->torn = n <= 0;
    at += n > 0 ? n : 0;
    size -= n > 0 ? (size_t)n : 0;
  }
}

static void write_record(struct worker *w, enum kiln_helper_record kind, const void *head, size_t head_size,
                         const void *data, size_t size) {
  struct kiln_helper_record_head record = {kind, 0, head_size + size};
  pthread_mutex_lock(&w->lock);
  write_bytes(w, &record, sizeof record);
  write_bytes(w, head, head_size);
  write_bytes(w, data, size);
  pthread_mutex_unlock(&w->lock);
}

static void on_log(void *user, enum kiln_log_level level, const char *message) {
  uint32_t number = (uint32_t)level;
  write_record(user, KILN_RECORD_LOG, &number, sizeof number, message, strlen(message));
}

static void on_stage(void *user, const char *stage, const void *data, size_t size) {
  write_record(user, KILN_RECORD_STAGE, stage, strlen(stage) + 1, data, size);
}

// A part of what was made, unless there is none.
static void write_part(struct worker *w, enum kiln_helper_record kind, const void *data, size_t size) {
  if (data)
    write_record(w, kind, NULL, 0, data, size);
}

static void write_artifact(struct worker *w, const struct kiln_artifact *artifact) {
  write_part(w, KILN_RECORD_DATA, artifact->data, artifact->size);
  write_part(w, KILN_RECORD_META, artifact->meta, artifact->meta_size);
}

static void write_whole(struct worker *w, const struct kiln_compile_result *result) {
  write_artifact(w, &result->artifact);
  write_part(w, KILN_RECORD_REFLECTION, result->reflection.data, result->reflection.size);
  write_part(w, KILN_RECORD_RESOURCES, result->resources.data, result->resources.size);
  write_part(w, KILN_RECORD_DIAGNOSTICS, result->log, result->log ? strlen(result->log) : 0);
  write_part(w, KILN_RECORD_WARNINGS, result->warnings, result->warnings_size);
  for (uint32_t i = 0; i < result->lang.include_count; i++) {
    const struct kiln_lang_include *include = &result->lang.includes[i];
    struct kiln_helper_include head = {.found = include->found};
    memcpy(head.digest, include->digest, sizeof head.digest);
    write_record(w, KILN_RECORD_INCLUDE, &head, sizeof head, include->path, strlen(include->path));
  }
  struct kiln_helper_summary summary = {result->front_ms, result->lang.used_file_name};
  write_record(w, KILN_RECORD_SUMMARY, &summary, sizeof summary, NULL, 0);
}

// A whole compile, as in the host's context.
static enum kiln_status compile_source(struct worker *w, const struct kiln_base_backend *backend) {
  const struct kiln_helper_request *request = w->request;
  struct kiln_context ctx = {.backend = backend,
                             .target = request->target,
                             .log = w->report.log,
                             .log_user = w->report.log_user,
                             .log_level = w->report.log_level,
                             .at = w->report.at,
                             .at_user = w->report.at_user,
                             .num_threads = (uint32_t)request->threads,
                             .debug = request->debug};
  struct kiln_build_options options = {.lang = request->lang, .backend = request->options};
  struct kiln_compile_result result;
  backend->caps(&ctx.target, &ctx.caps);
  kiln_arena_pool_init(&ctx.pool);
  enum kiln_status status =
      kiln_compile(&ctx, &request->source, &options, *request->stop_after ? request->stop_after : NULL,
                   request->wants_stages ? on_stage : NULL, w, &result);
  if (status)
    return kiln_fail(&w->report, status, "%s", kiln_last_error());
  write_whole(w, &result);
  return KILN_OK; // the process ends: nothing is freed
}

static enum kiln_status compile_module(struct worker *w, const struct kiln_base_backend *backend) {
  const struct kiln_helper_request *request = w->request;
  struct kiln_report *report = &w->report;
  struct kiln_module *module = kiln_module_restore(request->ir.data, request->ir.size);
  char fault[512];
  if (!module)
    return kiln_fail(report, KILN_ERR_MEMORY, "the compile helper cannot read the IR");
  enum kiln_status status = kiln_module_check(module, KILN_ERR_INTERNAL, fault, sizeof fault);
  if (status)
    return kiln_fail(report, status, "the compile helper: %s", fault);
  for (uint32_t i = 0; i < module->function_count; i++)
    kiln_facts_find(module->functions[i]); // which are not among the bytes
  struct kiln_compile_job job = {.module = module,
                                 .target = request->target,
                                 .options = request->options,
                                 .stop_after = *request->stop_after ? request->stop_after : NULL,
                                 .start_stage = *request->start_stage ? request->start_stage : NULL,
                                 .start_data = request->start.data,
                                 .start_size = request->start.size,
                                 .stage = request->wants_stages ? on_stage : NULL,
                                 .stage_user = w,
                                 .threads = (uint32_t)request->threads};
  struct kiln_artifact artifact = {0};
  status = backend->compile(&job, &artifact, report);
  if (status)
    return status;
  uint32_t kernels = 0;
  for (uint32_t f = 0; f < module->function_count; f++)
    kernels += module->functions[f]->is_kernel;
  write_artifact(w, &artifact);
  write_part(w, KILN_RECORD_KERNELS, artifact.kernels, kernels * sizeof *artifact.kernels);
  return KILN_OK;
}

// Compiles with limits; the reply then has all but the result.
static enum kiln_status compile(struct worker *w, struct kiln_registry *registry) {
  const struct kiln_helper_request *request = w->request;
  struct kiln_report *report = &w->report;
  const struct kiln_base_backend *backend;
  enum kiln_status status = kiln_registry_find(registry, request->target.backend, &backend);
  if (status)
    return kiln_fail(report, status == KILN_ERR_MEMORY ? status : KILN_ERR_UNAVAILABLE, "in the compile helper: %s",
                     kiln_last_error());
  if (!backend->compile || backend->option_count != request->value_count || !backend->supports_target(&request->target))
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "the compile helper has another backend '%s' than libkiln",
                     backend->name);
  struct kiln_digest compiler;
  status = backend->hash(&request->target, &request->options, &compiler, report);
  if (status)
    return status;
  if (memcmp(&compiler, &request->compiler, sizeof compiler) != 0)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "the compile helper finds another compiler than libkiln");
  return request->whole ? compile_source(w, backend) : compile_module(w, backend);
}

static void set_limit(int resource, uint64_t limit) {
  struct rlimit value;
  if (limit == 0 || getrlimit(resource, &value))
    return;
  if (value.rlim_max == RLIM_INFINITY || limit < value.rlim_max)
    value = (struct rlimit){limit, limit + (resource == RLIMIT_CPU)};
  else
    value.rlim_cur = value.rlim_max;
  setrlimit(resource, &value);
}

static void set_limits(const struct kiln_helper_request *request) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  set_limit(RLIMIT_CPU, request->cpu_seconds);
#ifndef KILN_SANITIZED // sanitizers reserve terabytes of addresses
  set_limit(RLIMIT_AS, request->bytes);
#endif
}

// Leaves without the destructors of anybody: what is in the reply counts.
static void work(const struct kiln_helper_request *request, struct shared *shared) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
  static char stack[65536]; // for a fault that is the end of the stack
  of_handler = shared;
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    sigaction(faults[i], &(struct sigaction){.sa_handler = on_fault, .sa_flags = SA_ONSTACK}, NULL);
  struct worker worker = {
      .request = request,
      .report = {.log = on_log, .log_user = &worker, .log_level = KILN_LOG_DEBUG, .at = note_place, .at_user = shared}};
  pthread_mutex_init(&worker.lock, NULL);
  set_limits(request);
  struct kiln_env env;
  struct kiln_registry registry;
  enum kiln_status status = KILN_ERR_MEMORY;
  note_place(shared, NULL, "start");
  if (!kiln_env_read(&env) || kiln_registry_init(&registry, &env) != KILN_OK)
    kiln_fail(&worker.report, status, "memory is exhausted");
  else
    status = compile(&worker, &registry);
  struct kiln_strbuf lack = {0};
  if (status == KILN_ERR_MEMORY && request->bytes)
    put_lack_of_memory(request, shared, &lack);
  if (lack.data)
    kiln_fail(&worker.report, status, "%s", lack.data);
  uint32_t number = (uint32_t)status;
  const char *text = kiln_report_text(&worker.report);
  write_record(&worker, KILN_RECORD_RESULT, &number, sizeof number, text, strlen(text));
  _exit(worker.torn ? 3 : 0);
}

// ---- the watcher

static void say(enum kiln_status status, const char *text) {
  char verdict[4096];
  verdict[0] = (char)status;
  size_t size = strlen(text);
  size = size < sizeof verdict - 2 ? size : sizeof verdict - 2;
  memcpy(verdict + 1, text, size);
  ssize_t n = write(KILN_HELPER_VERDICT, verdict, size + 1);
  (void)n; // nobody is left to tell
}

struct watch {
  const struct kiln_helper_request *request;
  struct shared *shared;
  pid_t worker;
  int output; // the worker's standard error; -1: at its end
  struct kiln_strbuf text;
  bool late, alone; // the time is over; the host is gone
};

#define MAX_OUTPUT 2000

static void drain(struct watch *w) {
  char buffer[1024];
  ssize_t n = read(w->output, buffer, sizeof buffer);
  if (n < 0 && errno == EINTR)
    return;
  if (n <= 0) {
    close(w->output);
    w->output = -1;
  } else if (w->text.size < MAX_OUTPUT) {
    kiln_strbuf_append(&w->text, buffer, (size_t)n);
  }
}

// Returns the worker's exit status, once it is dead.
static int await_worker(struct watch *w) {
  uint64_t limit = w->request->seconds * UINT64_C(1000000000);
  uint64_t deadline = limit ? kiln_now_ns() + limit : UINT64_MAX;
  for (int status;;) {
    pid_t pid = waitpid(w->worker, &status, WNOHANG);
    if (pid == w->worker) {
      while (w->output >= 0) { // what is still in the pipe; a child of the worker may hold it open
        struct pollfd rest = {w->output, POLLIN, 0};
        if (poll(&rest, 1, 0) <= 0)
          break;
        drain(w);
      }
      return status;
    }
    if ((pid < 0 && errno != EINTR) || kiln_now_ns() >= deadline || w->alone) {
      w->late = !w->alone;
      deadline = UINT64_MAX;
      w->alone = false;
      kill(w->worker, SIGKILL);
    }
    struct pollfd fds[2] = {{KILN_HELPER_VERDICT, 0, 0}, {w->output, POLLIN, 0}}; // a negative one is passed over
    uint64_t now = kiln_now_ns(), left = deadline > now ? (deadline - now) / 1000000 + 1 : 0;
    int wait = w->output < 0 ? 1 : 1000; // its last descriptor is closed: it is about to be dead
    if (poll(fds, 2, left < (uint64_t)wait ? (int)left : wait) <= 0)
      continue;
    if (fds[1].revents)
      drain(w);
    if (fds[0].revents)
      w->alone = true;
  }
}

// What the worker wrote to its standard error, in one line.
static void put_output(struct watch *w, struct kiln_strbuf *out) {
  size_t size = w->text.size;
  while (size && strchr(" \n", w->text.data[size - 1]))
    size--;
  for (size_t i = 0; i < size && i < MAX_OUTPUT; i++) {
    char c = w->text.data[i];
    if (i == 0)
      kiln_strbuf_puts(out, ": ");
    kiln_strbuf_putc(out, c == '\n' ? ' ' : c >= ' ' && c <= '~' ? c : '?');
  }
}

static bool lacked_memory(struct watch *w) {
  kiln_strbuf_putc(&w->text, 0);
  bool lacked = w->text.data && (strstr(w->text.data, "out of memory") || strstr(w->text.data, "bad_alloc") ||
                                 strstr(w->text.data, "llocation failed"));
  if (w->text.size)
    w->text.size--;
  return lacked;
}

static void judge(struct watch *w, int exit_status) {
  struct kiln_strbuf text = {0};
  enum kiln_status status = KILN_ERR_INTERNAL;
  int number = WIFSIGNALED(exit_status) ? WTERMSIG(exit_status) : 0;
  if (!number && WEXITSTATUS(exit_status) == 0) {
    say(KILN_OK, "");
    return;
  }
  if (w->late || number == SIGXCPU) {
    status = KILN_ERR_COMPILE;
    kiln_strbuf_printf(&text, "the compile took longer than %llu s%s and was stopped",
                       (unsigned long long)(w->late ? w->request->seconds : w->request->cpu_seconds),
                       w->late ? " (COMPILE_ISOLATE_TIME)" : " of processor time (COMPILE_ISOLATE_CPU_TIME)");
    put_places(w->shared, &text);
  } else if (lacked_memory(w) && w->request->bytes) {
    status = KILN_ERR_MEMORY;
    put_lack_of_memory(w->request, w->shared, &text);
  } else {
    if (number)
      kiln_strbuf_printf(&text, "the compiler was ended by signal %d (%s)", number, strsignal(number));
    else
      kiln_strbuf_printf(&text, "the compiler called exit(%d)", WEXITSTATUS(exit_status));
    put_places(w->shared, &text);
    put_output(w, &text);
  }
  say(status, text.failed || !text.data ? "the compiler was ended" : text.data);
  kiln_strbuf_free(&text);
}

static enum kiln_status watch(struct watch *w) {
  int output[2];
  if (pipe(output))
    return KILN_ERR_IO;
  w->shared = mmap(NULL, sizeof *w->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (w->shared == MAP_FAILED)
    return KILN_ERR_MEMORY;
  pid_t self = getpid();
  w->worker = fork();
  if (w->worker < 0)
    return KILN_ERR_MEMORY;
  if (w->worker == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // the watcher has one thread, so this means its process
    if (getppid() != self)
      _exit(3);
    dup2(output[1], 2);
    close(output[0]);
    close(output[1]);
    close(KILN_HELPER_VERDICT);
    work(w->request, w->shared);
  }
  close(output[1]);
  w->output = output[0];
  judge(w, await_worker(w));
  kiln_strbuf_free(&w->text);
  return KILN_OK;
}

int kiln_compile_helper(int argc, char **argv) {
  struct stat state;
  if (argc == 4 && strcmp(argv[1], KILN_HELPER_ASK) == 0)
    return kiln_ask_helper(argv[2], argv[3]);
  if (fstat(KILN_HELPER_REQUEST, &state) || fstat(KILN_HELPER_VERDICT, &(struct stat){0}) || state.st_size <= 0 ||
      !S_ISREG(state.st_mode)) {
    fputs("This program compiles kernels for libkiln (COMPILE_ISOLATE) and is started by it alone.\n", stderr);
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  const char *data = mmap(NULL, (size_t)state.st_size, PROT_READ, MAP_PRIVATE, KILN_HELPER_REQUEST, 0);
  struct kiln_helper_request request = {0};
  if (data == MAP_FAILED || !kiln_wire_request_read(data, (size_t)state.st_size, &request) ||
      strcmp(request.version, kiln_version()) != 0) {
    say(KILN_ERR_UNAVAILABLE, "the compile helper is of another version of Kiln than libkiln");
    return 1;
  }
  struct watch w = {.request = &request, .output = -1};
  enum kiln_status status = watch(&w);
  if (status)
    say(status, "the compile helper has no process, pipe or memory");
  kiln_wire_request_free(&request);
  return status != KILN_OK;
}
