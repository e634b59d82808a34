// The host's side of a compile in a helper process: makes the request, starts the helper, waits for its verdict, reads
// the reply.
//
// The process has no descriptor but its own (helper_start.h). It watches over the compile itself (jit/helper.c); the
// host waits for the end of a pipe, so that neither a lost SIGCHLD nor a host that takes every child's status can stall
// it.
#include "jit/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/write.h"
#include "cache/cache.h"
#include "jit/compile.h"
#include "jit/helper_start.h"
#include "jit/ir/snapshot.h"
#include "jit/isolate_wire.h"

// How long a helper may be overdue with saying that the compile took too long.
#define GRACE_SECONDS 10

#ifndef KILN_HELPER_DIR
#define KILN_HELPER_DIR ""
#endif

// ---- settings

static enum kiln_status read_seconds(const struct kiln_env *env, enum kiln_env_id id, uint32_t *out) {
  const char *value = kiln_env_get(env, id);
  char *end;
  errno = 0;
  unsigned long seconds = strtoul(value, &end, 10);
  if (*value < '0' || *value > '9' || *end || errno || seconds > 1000000)
    return kiln_error(KILN_ERR_INVALID, "%s is '%s'; it must be a number of seconds up to 1000000", kiln_env_name(id),
                      value);
  *out = (uint32_t)seconds;
  return KILN_OK;
}

enum kiln_status kiln_isolate_read(const struct kiln_env *env, struct kiln_isolate *out) {
  const char *mode = kiln_env_get(env, KILN_ENV_ISOLATE);
  out->whole = strcmp(mode, "all") == 0;
  out->on = out->whole || strcmp(mode, "1") == 0;
  if (!out->on && strcmp(mode, "0") != 0)
    return kiln_error(KILN_ERR_INVALID, "COMPILE_ISOLATE is '%s'; it must be 0, 1 or all", mode);
  enum kiln_status status = read_seconds(env, KILN_ENV_ISOLATE_TIME, &out->seconds);
  if (status == KILN_OK)
    status = read_seconds(env, KILN_ENV_ISOLATE_CPU_TIME, &out->cpu_seconds);
  const char *bytes = kiln_env_get(env, KILN_ENV_ISOLATE_MEMORY);
  if (status == KILN_OK && !kiln_cache_parse_size(bytes, &out->bytes))
    status =
        kiln_error(KILN_ERR_INVALID, "%s is '%s'; it must be a number of bytes, or one with the suffix K, M, G or T",
                   kiln_env_name(KILN_ENV_ISOLATE_MEMORY), bytes);
  return status;
}

// ---- the helper's program

static enum kiln_status no_helper(const struct kiln_env *env, struct kiln_report *report) {
  const char *chosen = env->values[KILN_ENV_ISOLATE_HELPER];
  if (chosen)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "COMPILE_ISOLATE_HELPER names %s, which is no program", chosen);
  return kiln_fail(report, KILN_ERR_UNAVAILABLE,
                   "COMPILE_ISOLATE is set, but " KILN_HELPER_FILE " is not installed with libkiln or in %s; set "
                   "COMPILE_ISOLATE_HELPER to its path",
                   KILN_HELPER_DIR);
}

// ---- a run of the helper

struct run {
  struct kiln_context *ctx;
  const struct kiln_compile_job *job;
  const struct kiln_source *source; // of a whole compile, as lang
  const struct kiln_lang_options *lang;
  struct kiln_compile_result *out;
  struct kiln_report *report;
  int request, reply, verdict[2]; // all above the descriptors that the helper gets
  char *reply_data;
  size_t reply_size;
};

static enum kiln_status open_descriptors(struct run *r, const struct kiln_strbuf *request) {
  r->request = kiln_helper_fd(memfd_create("kiln-request", MFD_CLOEXEC));
  r->reply = kiln_helper_fd(memfd_create("kiln-reply", MFD_CLOEXEC));
  bool ok = r->request >= 0 && r->reply >= 0 && pipe2(r->verdict, O_CLOEXEC) == 0;
  if (ok) {
    r->verdict[0] = kiln_helper_fd(r->verdict[0]);
    r->verdict[1] = kiln_helper_fd(r->verdict[1]);
    int error = kiln_write_all(r->request, request->data, request->size);
    errno = error ? error : errno;
    ok = r->verdict[0] >= 0 && r->verdict[1] >= 0 && error == 0 && lseek(r->request, 0, SEEK_SET) == 0;
  }
  if (ok)
    return KILN_OK;
  return kiln_fail(r->report, errno == ENOMEM ? KILN_ERR_MEMORY : KILN_ERR_IO,
                   "no memory files or pipes for a compile helper: %s", strerror(errno));
}

static void close_fd(int *fd) {
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}

// Until the helper has closed its end. A helper that is overdue itself is ended: as it holds the pipe it is alive, so
// its number is its own.
static void await_verdict(struct run *r, pid_t pid, char *text, size_t size) {
  uint64_t seconds = r->ctx->isolate.seconds;
  uint64_t deadline = seconds ? kiln_now_ns() + (seconds + GRACE_SECONDS) * UINT64_C(1000000000) : UINT64_MAX;
  bool killed = false;
  size_t used = 0;
  for (;;) {
    uint64_t now = kiln_now_ns(), left = deadline > now ? (deadline - now) / 1000000 + 1 : 0;
    struct pollfd fd = {r->verdict[0], POLLIN, 0};
    int n = poll(&fd, 1, killed || deadline == UINT64_MAX ? -1 : left > 1000000 ? 1000000 : (int)left);
    if (n < 0 && errno != EINTR)
      break;
    if (n == 0 && !killed && kiln_now_ns() >= deadline) {
      kill(pid, SIGKILL);
      killed = true;
    }
    if (n <= 0)
      continue;
    char rest[256];
    ssize_t got = read(r->verdict[0], used < size ? text + used : rest, used < size ? size - used : sizeof rest);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    used += used < size ? (size_t)got : 0;
  }
  if (used == 0) // no verdict, and no words
    text[used++] = KILN_ERR_INTERNAL;
  text[used < size ? used : size - 1] = 0;
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) { // ECHILD: the host ignores children, or takes every status
  }
}

// ---- the reply

// A malloc'ed copy that is followed by a NUL; NULL when memory is exhausted.
static void *copy(const char *data, size_t size) {
  char *out = malloc(size + 1);
  if (out) {
    memcpy(out, data, size);
    out[size] = 0;
  }
  return out;
}

// Of a text in a record, for "%.*s".
static int text_size(size_t size) {
  enum { MOST = 1 << 26 };
  return size < MOST ? (int)size : MOST;
}

static enum kiln_status read_result(struct run *r, const char *payload, size_t size) {
  uint32_t number;
  memcpy(&number, payload, sizeof number);
  if (number != KILN_OK)
    kiln_fail(r->report, (enum kiln_status)number, "%.*s", text_size(size - sizeof number), payload + sizeof number);
  return (enum kiln_status)number;
}

static void pass_log(const struct run *r, const char *payload, size_t size) {
  uint32_t level;
  memcpy(&level, payload, sizeof level);
  kiln_report_log(r->report, (enum kiln_log_level)level, "%.*s", text_size(size - sizeof level),
                  payload + sizeof level);
}

static void pass_stage(const struct run *r, const char *payload, size_t size) {
  const char *end = memchr(payload, 0, size);
  if (r->job->stage)
    r->job->stage(r->job->stage_user, payload, end + 1, size - (size_t)(end + 1 - payload));
}

static bool copy_include(const char *data, size_t size, struct kiln_lang_output *lang) {
  struct kiln_helper_include head;
  struct kiln_lang_include *includes = realloc(lang->includes, (lang->include_count + 1) * sizeof *includes);
  if (!includes)
    return false;
  lang->includes = includes;
  memcpy(&head, data, sizeof head);
  struct kiln_lang_include *include = &includes[lang->include_count];
  include->found = head.found;
  memcpy(include->digest, head.digest, sizeof include->digest);
  include->path = copy(data + sizeof head, size - sizeof head);
  lang->include_count += include->path != NULL;
  return include->path != NULL;
}

// A record that is part of what was made. False when memory is exhausted.
static bool read_part(enum kiln_helper_record kind, const char *payload, size_t size, struct kiln_compile_result *out) {
  struct kiln_artifact *artifact = &out->artifact;
  struct kiln_helper_summary summary = {0};
  switch (kind) {
  case KILN_RECORD_DATA:
    artifact->size = size;
    return (artifact->data = copy(payload, size)) != NULL;
  case KILN_RECORD_META:
    artifact->meta_size = size;
    return (artifact->meta = copy(payload, size)) != NULL;
  case KILN_RECORD_KERNELS:
    artifact->kernels = copy(payload, size);
    for (size_t i = 0; artifact->kernels && i < size / sizeof *artifact->kernels; i++)
      artifact->kernels[i].remark[sizeof artifact->kernels[i].remark - 1] = 0;
    return artifact->kernels != NULL;
  case KILN_RECORD_REFLECTION:
    kiln_strbuf_append(&out->reflection, payload, size);
    return !out->reflection.failed;
  case KILN_RECORD_RESOURCES:
    kiln_strbuf_append(&out->resources, payload, size);
    return !out->resources.failed;
  case KILN_RECORD_DIAGNOSTICS:
    return (out->log = copy(payload, size)) != NULL;
  case KILN_RECORD_WARNINGS:
    out->warnings_size = size;
    return (out->warnings = copy(payload, size)) != NULL;
  case KILN_RECORD_INCLUDE:
    return copy_include(payload, size, &out->lang);
  case KILN_RECORD_SUMMARY:
    memcpy(&summary, payload, sizeof summary);
    out->front_ms = summary.front_ms;
    out->lang.used_file_name = summary.used_file_name;
    return true;
  case KILN_RECORD_LOG:
  case KILN_RECORD_STAGE:
  case KILN_RECORD_RESULT: // of the run, not of what was made
  case KILN_RECORD_KINDS:
    break;
  }
  return true;
}

static uint32_t kernel_count(const struct kiln_module *module) {
  uint32_t count = 0;
  for (uint32_t f = 0; f < module->function_count; f++)
    count += module->functions[f]->is_kernel;
  return count;
}

static enum kiln_status damaged(struct run *r) {
  return kiln_fail(r->report, KILN_ERR_INTERNAL, "the compile helper's reply is damaged");
}

// finished: the helper said that the reply is whole. Nothing in it is trusted.
static enum kiln_status read_reply(struct run *r, bool finished) {
  uint32_t kernels = r->job->module ? kernel_count(r->job->module) : 0, seen = 0;
  enum kiln_status status = KILN_ERR_INTERNAL;
  bool has_result = false, ok = true;
  size_t at = 0;
  struct kiln_helper_record_head head;
  const char *payload;
  while (ok && kiln_wire_record(r->reply_data, r->reply_size, &at, &head, &payload)) {
    if (!kiln_wire_record_fits(&head, payload, r->job->module ? &kernels : NULL, &seen))
      return damaged(r);
    if (head.kind == KILN_RECORD_LOG) {
      pass_log(r, payload, head.size);
    } else if (head.kind == KILN_RECORD_STAGE) {
      pass_stage(r, payload, head.size);
    } else if (head.kind == KILN_RECORD_RESULT) {
      has_result = finished;
      if (finished)
        status = read_result(r, payload, head.size);
    } else {
      ok = read_part(head.kind, payload, head.size, r->out);
    }
  }
  if (!ok)
    return kiln_fail(r->report, KILN_ERR_MEMORY, "memory is exhausted");
  if (finished && !has_result)
    return kiln_fail(r->report, KILN_ERR_INTERNAL, "the compile helper's reply is cut off");
  return finished && at != r->reply_size ? damaged(r) : status;
}

static bool map_reply(struct run *r) {
  struct stat state;
  r->reply_data = NULL;
  r->reply_size = 0;
  if (fstat(r->reply, &state))
    return false;
  if (state.st_size == 0)
    return true;
  void *data = mmap(NULL, (size_t)state.st_size, PROT_READ, MAP_PRIVATE, r->reply, 0);
  if (data == MAP_FAILED)
    return false;
  r->reply_data = data;
  r->reply_size = (size_t)state.st_size;
  return true;
}

static enum kiln_status run_helper(struct run *r, const char *path, char *const *environment) {
  pid_t pid;
  char name[] = KILN_HELPER_FILE, *argv[] = {name, NULL};
  const int fds[] = {-1, -1, -1, r->request, r->reply, r->verdict[1]};
  int error = kiln_helper_start(path, argv, environment, fds, KILN_HELPER_FD_END, &pid);
  if (error)
    return kiln_fail(r->report, error == ENOMEM ? KILN_ERR_MEMORY : KILN_ERR_UNAVAILABLE,
                     "the compile helper %s cannot be started: %s", path, strerror(error));
  close_fd(&r->verdict[1]);
  char verdict[4096];
  await_verdict(r, pid, verdict, sizeof verdict);
  if (!map_reply(r))
    return kiln_fail(r->report, KILN_ERR_MEMORY, "the compile helper's reply cannot be mapped: %s", strerror(errno));
  enum kiln_status judged = (enum kiln_status)(unsigned char)verdict[0];
  judged = judged > KILN_ERR_CANCELLED ? KILN_ERR_INTERNAL : judged;
  enum kiln_status status = read_reply(r, judged == KILN_OK);
  if (judged != KILN_OK)
    status = kiln_fail(r->report, judged, "%s", verdict[1] ? verdict + 1 : "the compile helper ended without a word");
  if (r->reply_data)
    munmap(r->reply_data, r->reply_size);
  return status;
}

// ---- the request

static enum kiln_status write_request(const struct run *r, struct kiln_strbuf *out) {
  const struct kiln_context *ctx = r->ctx;
  struct kiln_helper_request request = {.magic = KILN_HELPER_MAGIC,
                                        .version = kiln_version(),
                                        .seconds = ctx->isolate.seconds,
                                        .cpu_seconds = ctx->isolate.cpu_seconds,
                                        .bytes = ctx->isolate.bytes,
                                        .target = r->job->target,
                                        .options = r->job->options,
                                        .value_count = ctx->backend->option_count,
                                        .stop_after = r->job->stop_after ? r->job->stop_after : "",
                                        .start_stage = r->job->start_stage ? r->job->start_stage : "",
                                        .start = {r->job->start_data, r->job->start_size},
                                        .wants_stages = r->job->stage != NULL,
                                        .whole = r->job->module == NULL,
                                        .debug = ctx->debug,
                                        .threads = r->job->threads};
  enum kiln_status status = ctx->backend->hash(&r->job->target, &r->job->options, &request.compiler, r->report);
  if (status)
    return status;
  struct kiln_strbuf ir = {0};
  if (request.whole) {
    request.lang = *r->lang;
    request.source = *r->source;
  } else {
    kiln_module_save(r->job->module, &ir);
  }
  request.ir = (struct kiln_str){ir.data, ir.size};
  kiln_wire_request_write(out, &request);
  out->failed |= ir.failed;
  kiln_strbuf_free(&ir);
  return out->failed ? kiln_fail(r->report, KILN_ERR_MEMORY, "memory is exhausted") : KILN_OK;
}

enum kiln_status kiln_isolate_compile(struct kiln_context *ctx, const struct kiln_compile_job *job,
                                      const struct kiln_source *source, const struct kiln_lang_options *lang,
                                      struct kiln_compile_result *out, struct kiln_report *report) {
  const struct kiln_registry_entry *entry = kiln_registry_entry_of(&ctx->registry, ctx->backend);
  if (!entry || (!entry->builtin && !entry->path))
    return kiln_fail(report, KILN_ERR_UNSUPPORTED,
                     "COMPILE_ISOLATE is set, but backend '%s' is part of this program and no helper can load it",
                     ctx->backend->name);
  char path[KILN_PATH_SIZE];
  if (!kiln_helper_find(&ctx->env, path))
    return no_helper(&ctx->env, report);
  struct run run = {.ctx = ctx,
                    .job = job,
                    .source = source,
                    .lang = lang,
                    .out = out,
                    .report = report,
                    .request = -1,
                    .reply = -1,
                    .verdict = {-1, -1}};
  struct kiln_strbuf request = {0};
  char **environment = kiln_env_of_helper(&ctx->env);
  enum kiln_status status =
      environment ? write_request(&run, &request) : kiln_fail(report, KILN_ERR_MEMORY, "memory is exhausted");
  if (!status)
    status = open_descriptors(&run, &request);
  if (!status)
    status = run_helper(&run, path, environment);
  close_fd(&run.request);
  close_fd(&run.reply);
  close_fd(&run.verdict[0]);
  close_fd(&run.verdict[1]);
  kiln_strbuf_free(&request);
  free(environment);
  return status;
}
