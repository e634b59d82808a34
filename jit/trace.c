// Traces in the JSON array form of the trace event format.
#include "jit/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/write.h"
#include "jit/stream.h"

#define FLUSH_BYTES ((size_t)48 << 10) // that are collected before they are written
#define MAX_PENDING 4096               // commands of a stream that are waited for at a time
#define MAX_THREADS 64                 // whose names have been written

#define FILE_BEGIN "[\n"
#define FILE_END "\n]\n"

// A command that is running or has yet to run.
struct pending {
  struct pending *next;
  struct kiln_event *event;
  char text[]; // the members of its event but times, process and thread
};

struct slot {
  struct pending *first, *last;
  uint32_t count;
  bool named;
};

struct kiln_trace {
  pthread_mutex_t lock;
  char *path;              // NULL: closed
  struct kiln_strbuf text; // events, separated as in the file
  pid_t pid;               // of the process that collected it
  uint32_t first_track;    // of the streams: no thread has these numbers
  uint64_t dropped;        // commands that too many were pending for
  uint32_t thread_count;
  pid_t threads[MAX_THREADS];
  struct slot slots[KILN_STREAM_SLOTS];
};

// ---- the file ------------------------------------------------------------------------------------------------------

// Where the events go on in a file: before its end. Of a file whose writer was stopped in the middle of a line, that
// line is lost. -1: it is no trace.
static off_t end_of_events(int fd, off_t size) {
  char tail[8192], head[sizeof FILE_BEGIN - 1];
  off_t from = size > (off_t)sizeof tail ? size - (off_t)sizeof tail : 0;
  ssize_t got = pread(fd, tail, sizeof tail, from);
  if (pread(fd, head, sizeof head, 0) != (ssize_t)sizeof head || memcmp(head, FILE_BEGIN, sizeof head) != 0 || got < 0)
    return -1;
  size_t end = sizeof FILE_END - 1;
  if ((size_t)got >= end && memcmp(tail + got - end, FILE_END, end) == 0)
    return size - (off_t)end;
  while (got >= 2 && !(tail[got - 1] == '\n' && (tail[got - 2] == ',' || tail[got - 2] == '}')))
    got--;
  got -= got >= 2 ? tail[got - 2] == ',' ? 2 : 1 : 0;
  return got > 0 ? from + got : from == 0 ? 0 : -1;
}

// 0 or an errno value; EEXIST: the file is something else.
static int write_events(const char *path, const struct kiln_strbuf *text) {
  int fd = kiln_file_open_locked(path, O_RDWR);
  if (fd < 0)
    return errno;
  struct stat info;
  int error = fstat(fd, &info) ? errno : 0;
  off_t at = error || info.st_size == 0 ? 0 : end_of_events(fd, info.st_size);
  if (at < 0)
    error = EEXIST;
  struct iovec parts[] = {{at > 0 ? ",\n" : FILE_BEGIN, 2}, {text->data, text->size}, {FILE_END, sizeof FILE_END - 1}};
  ssize_t all = (ssize_t)(parts[0].iov_len + text->size + parts[2].iov_len);
  struct kiln_held_signals held;
  kiln_signals_hold(&held);
  ssize_t done = error || !text->size ? all : pwritev(fd, parts, 3, at);
  if (done < all) { // what was written of it would not be whole
    error = done < 0 ? errno : ENOSPC;
    if (at > 0)
      (void)!pwrite(fd, FILE_END, sizeof FILE_END - 1, at);
    (void)!ftruncate(fd, at > 0 ? at + (off_t)sizeof FILE_END - 1 : 0);
  } else if (!error && text->size && at + all < info.st_size) {
    (void)!ftruncate(fd, at + all);
  }
  kiln_signals_release(&held);
  if (close(fd) && !error)
    error = errno;
  return error;
}

static const char *error_text(int error) { return error == EEXIST ? "it is there and no trace" : strerror(error); }

// ---- events: under the lock ----------------------------------------------------------------------------------------

static struct kiln_strbuf *next_event(struct kiln_trace *t) {
  if (t->text.size)
    kiln_strbuf_puts(&t->text, ",\n");
  return &t->text;
}

static void name_track(struct kiln_trace *t, const char *what, uint32_t track, const char *name) {
  struct kiln_strbuf *out = next_event(t);
  kiln_strbuf_printf(out, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%u,\"args\":{\"name\":", what, (int)t->pid,
                     (unsigned)track);
  kiln_strbuf_json(out, name);
  kiln_strbuf_puts(out, "}}");
}

static void name_process(struct kiln_trace *t) { name_track(t, "process_name", 0, program_invocation_short_name); }

// Begins anew in a child of fork, whose parent writes what it had collected.
static void check_process(struct kiln_trace *t) {
  pid_t pid = getpid();
  if (pid == t->pid)
    return;
  t->pid = pid;
  t->thread_count = 0;
  memset(t->slots, 0, sizeof t->slots); // the parent's commands; their events are not known to be of use here
  kiln_strbuf_clear(&t->text);
  name_process(t);
}

static uint32_t this_thread(struct kiln_trace *t) {
  pid_t id = (pid_t)syscall(SYS_gettid);
  for (uint32_t i = 0; i < t->thread_count && i < MAX_THREADS; i++) {
    if (t->threads[i] == id)
      return (uint32_t)id;
  }
  t->threads[t->thread_count++ % MAX_THREADS] = id;
  char name[64] = "";
  (void)pthread_getname_np(pthread_self(), name, sizeof name);
  name_track(t, "thread_name", (uint32_t)id, name);
  return (uint32_t)id;
}

static void put_times(struct kiln_strbuf *out, uint64_t start, uint64_t end, pid_t pid, uint32_t track) {
  uint64_t ns = end > start ? end - start : 0;
  kiln_strbuf_printf(out, "\"ph\":\"X\",\"ts\":%llu.%03u,\"dur\":%llu.%03u,\"pid\":%d,\"tid\":%u",
                     (unsigned long long)(start / 1000), (unsigned)(start % 1000), (unsigned long long)(ns / 1000),
                     (unsigned)(ns % 1000), (int)pid, (unsigned)track);
}

static void flush(struct kiln_context *ctx, struct kiln_trace *t) {
  if (t->path && !t->text.failed && t->text.size) {
    int error = write_events(t->path, &t->text);
    if (error) {
      atomic_store(&ctx->traces, false);
      kiln_context_log(ctx, KILN_LOG_WARNING, "the trace '%s' ends here: %s", t->path, error_text(error));
      free(t->path);
      t->path = NULL;
    }
  }
  kiln_strbuf_clear(&t->text);
  t->text.failed = false;
}

static struct kiln_trace *lock(struct kiln_context *ctx) {
  struct kiln_trace *t = atomic_load_explicit(&ctx->trace, memory_order_acquire);
  if (!t)
    return NULL;
  pthread_mutex_lock(&t->lock);
  check_process(t);
  return t;
}

// The lock, with room for an event; NULL: there is no trace any more.
static struct kiln_trace *begin(struct kiln_context *ctx) {
  struct kiln_trace *t = lock(ctx);
  if (!t)
    return NULL;
  if (!t->path) {
    pthread_mutex_unlock(&t->lock);
    return NULL;
  }
  if (t->text.size > FLUSH_BYTES || t->text.failed)
    flush(ctx, t);
  return t;
}

static void end(struct kiln_trace *t) { pthread_mutex_unlock(&t->lock); }

// ---- what the host's threads do ------------------------------------------------------------------------------------

void kiln_trace_span(struct kiln_context *ctx, const char *category, const char *what, const char *name,
                     uint64_t start) {
  uint64_t now = kiln_now_ns();
  struct kiln_trace *t = start ? begin(ctx) : NULL; // else it began before the trace
  if (!t)
    return;
  uint32_t track = this_thread(t);
  struct kiln_strbuf *out = next_event(t);
  kiln_strbuf_printf(out, "{\"name\":\"%s\",\"cat\":\"%s\",", what, category);
  put_times(out, start, now, t->pid, track);
  if (name) {
    kiln_strbuf_puts(out, ",\"args\":{\"name\":");
    kiln_strbuf_json(out, name);
    kiln_strbuf_puts(out, "}");
  }
  kiln_strbuf_puts(out, "}");
  end(t);
}

void kiln_trace_cache(struct kiln_context *ctx, const struct kiln_cache_event *event) {
  static const char *const names[] = {"hit",          "miss",        "",        "failed",   "stored",
                                      "store failed", "quarantined", "evicted", "degraded", "recovered"};
  const struct {
    const char *name, *value;
  } texts[] = {{"program", event->program}, {"key", event->key}, {"place", event->place}, {"reason", event->reason}};
  struct kiln_trace *t = event->kind == KILN_CACHE_EVENT_COMPILED ? NULL : begin(ctx); // whose spans are there already
  if (!t)
    return;
  uint64_t now = kiln_now_ns();
  uint32_t track = this_thread(t);
  struct kiln_strbuf *out = next_event(t);
  kiln_strbuf_printf(out, "{\"name\":\"cache: %s\",\"cat\":\"cache\",", names[event->kind]);
  if (event->kind == KILN_CACHE_EVENT_HIT || event->kind == KILN_CACHE_EVENT_MISS)
    put_times(out, now - (uint64_t)(event->lookup_ms * 1e6), now, t->pid, track);
  else
    kiln_strbuf_printf(out, "\"ph\":\"i\",\"s\":\"t\",\"ts\":%llu.%03u,\"pid\":%d,\"tid\":%u",
                       (unsigned long long)(now / 1000), (unsigned)(now % 1000), (int)t->pid, (unsigned)track);
  const char *separator = ",\"args\":{";
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (!*texts[i].value)
      continue;
    kiln_strbuf_printf(out, "%s\"%s\":", separator, texts[i].name);
    kiln_strbuf_json(out, texts[i].value);
    separator = ",";
  }
  kiln_strbuf_printf(out, "%s\"bytes\":%llu}}", separator, (unsigned long long)event->bytes);
  end(t);
}

// ---- commands ------------------------------------------------------------------------------------------------------

static void put_sizes(struct kiln_strbuf *out, const char *name, const uint64_t sizes[3]) {
  kiln_strbuf_printf(out, "\"%s\":[%llu,%llu,%llu],", name, (unsigned long long)sizes[0], (unsigned long long)sizes[1],
                     (unsigned long long)sizes[2]);
}

// A command's name and arguments, for both of its events.
static void describe(const struct kiln_submit *submit, uint64_t count, struct kiln_strbuf *out) {
  static const char *const names[] = {"launch", "write", "read", "copy", "fill", "marker"};
  const struct kiln_command *command = submit->command;
  bool launch = command->kind == KILN_COMMAND_LAUNCH;
  kiln_strbuf_puts(out, "\"name\":");
  kiln_strbuf_json(out, launch ? command->launch.kernel : names[command->kind]);
  kiln_strbuf_printf(out, ",\"cat\":\"%s\",\"args\":{", launch ? "kernel" : "copy");
  if (launch) {
    put_sizes(out, "global", command->launch.shape->global);
    if (!command->launch.shape->local_free)
      put_sizes(out, "local", command->launch.shape->local);
  } else {
    kiln_strbuf_printf(out, "\"bytes\":%zu,", command->bytes);
  }
  kiln_strbuf_printf(out, "\"command\":%llu}", (unsigned long long)count);
}

static void forget_first(struct slot *slot) {
  struct pending *p = slot->first;
  slot->first = p->next;
  slot->count--;
  kiln_event_release(p->event);
  free(p);
}

static void name_stream(struct kiln_context *ctx, struct kiln_trace *t, int slot) {
  char name[sizeof ctx->label + 32];
  snprintf(name, sizeof name, "stream %d: %s", slot, ctx->label);
  name_track(t, "thread_name", t->first_track + (uint32_t)slot, name);
  t->slots[slot].named = true;
}

static void harvest(struct kiln_context *ctx, struct kiln_trace *t, int at) {
  struct slot *slot = &t->slots[at];
  const struct kiln_driver *driver = ctx->backend->driver;
  struct kiln_drv *drv = atomic_load(&ctx->drv);
  while (slot->first && driver->event_done(drv, slot->first->event->drv_event)) {
    struct kiln_event_times times = {0};
    driver->event_times(drv, slot->first->event->drv_event, &times);
    if (t->path && times.started_ns) { // else it failed before it began
      if (!slot->named)
        name_stream(ctx, t, at);
      struct kiln_strbuf *out = next_event(t);
      kiln_strbuf_printf(out, "{%s,", slot->first->text);
      put_times(out, times.started_ns, times.ended_ns, t->pid, t->first_track + (uint32_t)at);
      kiln_strbuf_puts(out, "}");
    }
    forget_first(slot);
    if (t->text.size > FLUSH_BYTES)
      flush(ctx, t);
  }
}

void kiln_trace_command(struct kiln_submit *submit, uint64_t count) {
  struct kiln_stream *stream = submit->stream;
  struct kiln_context *ctx = stream->ctx;
  struct kiln_strbuf text = {0};
  uint64_t now = kiln_now_ns();
  describe(submit, count, &text);
  struct pending *p = text.failed ? NULL : malloc(sizeof *p + text.size + 1);
  struct kiln_trace *t = p ? begin(ctx) : NULL;
  if (!t) {
    kiln_strbuf_free(&text);
    free(p);
    return;
  }
  uint32_t track = this_thread(t);
  struct kiln_strbuf *out = next_event(t);
  kiln_strbuf_printf(out, "{%s,", text.data);
  put_times(out, submit->started, now, t->pid, track);
  kiln_strbuf_puts(out, "}");
  harvest(ctx, t, stream->slot);
  struct slot *slot = &t->slots[stream->slot];
  if (slot->count == MAX_PENDING) {
    t->dropped++;
    free(p);
  } else {
    *p = (struct pending){.event = submit->event};
    memcpy(p->text, text.data, text.size + 1);
    kiln_event_retain(p->event);
    if (slot->first)
      slot->last->next = p;
    else
      slot->first = p;
    slot->last = p;
    slot->count++;
  }
  end(t);
  kiln_strbuf_free(&text);
}

void kiln_trace_harvest(struct kiln_context *ctx, int slot) {
  struct kiln_trace *t = lock(ctx);
  if (!t)
    return;
  harvest(ctx, t, slot); // which lets go of events even when the trace has ended
  end(t);
}

void kiln_trace_wait(struct kiln_context *ctx, int slot, const char *call, uint64_t start) {
  kiln_trace_span(ctx, "wait", call, NULL, start);
  kiln_trace_harvest(ctx, slot);
  kiln_trace_flush(ctx);
}

void kiln_trace_flush(struct kiln_context *ctx) {
  struct kiln_trace *t = begin(ctx);
  if (!t)
    return;
  flush(ctx, t);
  end(t);
}

// ---- beginning and ending ------------------------------------------------------------------------------------------

// What is still pending is not waited for.
static void stop(struct kiln_context *ctx, struct kiln_trace *t) {
  atomic_store(&ctx->traces, false);
  for (int i = 0; i < KILN_STREAM_SLOTS; i++) {
    if (t->slots[i].first)
      harvest(ctx, t, i);
    while (t->slots[i].first) {
      t->dropped++;
      forget_first(&t->slots[i]);
    }
    t->slots[i].named = false;
  }
  if (t->dropped)
    kiln_strbuf_printf(next_event(t),
                       "{\"name\":\"%llu commands are missing\",\"ph\":\"i\",\"s\":\"p\",\"ts\":%llu,\"pid\":%d,"
                       "\"tid\":0}",
                       (unsigned long long)t->dropped, (unsigned long long)(kiln_now_ns() / 1000), (int)t->pid);
  flush(ctx, t);
  free(t->path);
  t->path = NULL;
}

static struct kiln_trace *trace_of(struct kiln_context *ctx) {
  struct kiln_trace *t = atomic_load(&ctx->trace), *made = t ? NULL : calloc(1, sizeof *made);
  if (!made)
    return t;
  pthread_mutex_init(&made->lock, NULL);
  if (atomic_compare_exchange_strong(&ctx->trace, &t, made))
    return made;
  free(made);
  return t;
}

// The host may change its folder later.
static char *whole_path(const char *path) {
  char folder[PATH_MAX];
  struct kiln_strbuf whole = {0};
  if (path[0] != '/' && getcwd(folder, sizeof folder))
    kiln_strbuf_printf(&whole, "%s/", folder);
  kiln_strbuf_puts(&whole, path);
  return kiln_strbuf_take(&whole);
}

static enum kiln_status start(struct kiln_context *ctx, struct kiln_trace *t, const char *what, const char *path) {
  t->path = whole_path(path);
  if (!t->path)
    return kiln_error_memory();
  t->pid = getpid();
  t->dropped = 0;
  t->thread_count = 0;
  uint64_t seed[] = {(uint64_t)(uintptr_t)ctx, (uint64_t)t->pid, kiln_now_ns()};
  // Numbers of threads are below 2^22.
  t->first_track = 0x40000000u | (uint32_t)(kiln_hash64(seed, sizeof seed) & 0x1ffff) * KILN_STREAM_SLOTS;
  name_process(t);
  int error = write_events(t->path, &t->text);
  kiln_strbuf_clear(&t->text);
  if (!error) {
    atomic_store(&ctx->traces, true);
    return KILN_OK;
  }
  free(t->path);
  t->path = NULL;
  return kiln_error(KILN_ERR_IO, "%s: the trace '%s' cannot be written: %s", what, path, error_text(error));
}

static enum kiln_status change(struct kiln_context *ctx, const char *what, const char *path) {
  struct kiln_trace *t = path ? trace_of(ctx) : atomic_load(&ctx->trace);
  if (!t)
    return path ? kiln_error_memory() : KILN_OK;
  enum kiln_status status = KILN_OK;
  pthread_mutex_lock(&t->lock);
  if (t->path) {
    check_process(t);
    stop(ctx, t);
  }
  if (path)
    status = start(ctx, t, what, path);
  pthread_mutex_unlock(&t->lock);
  return status;
}

enum kiln_status kiln_context_trace(struct kiln_context *ctx, const char *path) {
  if (!ctx)
    return kiln_error(KILN_ERR_INVALID, "kiln_context_trace: ctx is NULL");
  return change(ctx, "kiln_context_trace", path);
}

enum kiln_status kiln_trace_open(struct kiln_context *ctx) {
  const char *path = ctx->env.values[KILN_ENV_TRACE];
  return path ? change(ctx, kiln_env_name(KILN_ENV_TRACE), path) : KILN_OK;
}

void kiln_trace_close(struct kiln_context *ctx) {
  struct kiln_trace *t = atomic_load(&ctx->trace);
  if (!t)
    return;
  (void)change(ctx, "", NULL);
  kiln_strbuf_free(&t->text);
  pthread_mutex_destroy(&t->lock);
  free(t);
}
