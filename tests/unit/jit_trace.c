// Traces begun and ended by the host, from several threads, over a fork; counters of a context.
#include <pthread.h>
#include <sys/wait.h>

#include "base/file.h"
#include "jit_test.h"

TestSuite(jit_trace, .init = set_up, .fini = tear_down, .timeout = 60);

static const char *file(const char *name) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", test_folder, name);
  return path;
}

// The text of a trace, which must be an array of one event per line.
static char *read_trace(const char *path) {
  char *text;
  size_t size;
  cr_assert_eq(kiln_file_read(path, &text, &size), 0, "%s", path);
  cr_assert(size > 4 && strncmp(text, "[\n{", 3) == 0 && strcmp(text + size - 4, "}\n]\n") == 0, "%s", text);
  for (const char *line = text + 2; *line != ']'; line = strchr(line, '\n') + 1) {
    size_t length = strcspn(line, "\n");
    bool last = line[length + 1] == ']';
    cr_assert(line[0] == '{' && line[length - (last ? 1 : 2)] == '}' && (last || line[length - 1] == ','), "%s", line);
  }
  return text;
}

static int count(const char *text, const char *what) {
  int n = 0;
  for (; (text = strstr(text, what)); text++)
    n++;
  return n;
}

struct work {
  struct kiln_context *ctx;
  struct kiln_kernel *kernel;
};

enum { ITEMS = 64, LAUNCHES = 200 };

static void run(struct kiln_context *ctx, struct kiln_kernel *kernel, int launches) {
  struct kiln_stream *stream;
  struct kiln_buffer *x, *y;
  OK(kiln_stream_create(ctx, 0, &stream));
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = ITEMS * 4}, &x));
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = ITEMS * 4}, &y));
  float zero = 0, a = 2;
  int n = ITEMS;
  OK(kiln_fill(stream, x, 0, ITEMS * 4, &zero, 4, NULL));
  OK(kiln_copy(stream, x, 0, y, 0, ITEMS * 4, NULL));
  struct kiln_arg args[] = {kiln_arg_value(&n, 4), kiln_arg_value(&a, 4), kiln_arg_buffer(x), kiln_arg_buffer(y)};
  for (int i = 0; i < launches; i++)
    OK(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {ITEMS}, .args = args, .arg_count = 4}, NULL));
  struct kiln_event *event;
  OK(kiln_stream_record(stream, &event));
  OK(kiln_event_wait(event));
  kiln_event_release(event);
  kiln_buffer_release(x);
  kiln_buffer_release(y);
  kiln_stream_release(stream);
}

static void *run_in_thread(void *arg) {
  const struct work *work = arg;
  run(work->ctx, work->kernel, LAUNCHES);
  return NULL;
}

static struct work open_work(void) {
  struct work work = {.ctx = open_interp()};
  struct kiln_program *program = make_program(work.ctx, SAXPY);
  OK(kiln_kernel_create(program, NULL, &work.kernel));
  kiln_program_release(program);
  return work;
}

static void close_work(struct work *work) {
  kiln_kernel_release(work->kernel);
  kiln_context_close(work->ctx);
}

Test(jit_trace, threads_write_to_one_file) {
  struct work work = open_work();
  OK(kiln_context_trace(work.ctx, file("t.json")));
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    cr_assert_eq(pthread_create(&threads[i], NULL, run_in_thread, &work), 0);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  close_work(&work);
  char *text = read_trace(file("t.json"));
  cr_assert_eq(count(text, "\"name\":\"saxpy\",\"cat\":\"kernel\""), 2 * 4 * LAUNCHES);
  cr_assert_eq(count(text, "\"name\":\"copy\""), 2 * 4);
  cr_assert_eq(count(text, "\"name\":\"fill\""), 2 * 4);
  cr_assert_eq(count(text, "missing"), 0);
  free(text);
}

Test(jit_trace, begins_and_ends_when_the_host_says) {
  struct work work = open_work();
  run(work.ctx, work.kernel, 1);
  OK(kiln_context_trace(work.ctx, file("a.json")));
  run(work.ctx, work.kernel, 2);
  OK(kiln_context_trace(work.ctx, file("b.json")));
  run(work.ctx, work.kernel, 3);
  OK(kiln_context_trace(work.ctx, NULL));
  OK(kiln_context_trace(work.ctx, NULL));
  run(work.ctx, work.kernel, 4);
  FAILS(kiln_context_trace(NULL, NULL), KILN_ERR_INVALID, "ctx is NULL");
  FAILS(kiln_context_trace(work.ctx, "/nowhere/t.json"), KILN_ERR_IO, "No such file");
  run(work.ctx, work.kernel, 1);
  close_work(&work);
  for (int i = 0; i < 2; i++) {
    char *text = read_trace(file(i ? "b.json" : "a.json"));
    cr_assert_eq(count(text, "\"cat\":\"kernel\""), i ? 6 : 4, "%s", text);
    free(text);
  }
}

// Two contexts, and a child of fork that ends without closing anything.
Test(jit_trace, contexts_and_children_share_a_file) {
#ifdef CR_NO_THREADS_AFTER_FORK
  cr_skip_test("needs threads after a fork");
#endif
  setenv("COMPILE_TRACE", file("t.json"), 1);
  struct work one = open_work(), two = open_work();
  unsetenv("COMPILE_TRACE");
  run(one.ctx, one.kernel, 1);
  pid_t child = fork();
  if (child == 0) {
    run(one.ctx, one.kernel, 10);
    _exit(0);
  }
  int status;
  cr_assert(waitpid(child, &status, 0) == child && status == 0);
  run(two.ctx, two.kernel, 100);
  close_work(&one);
  close_work(&two);
  char *text = read_trace(file("t.json")), of_child[32];
  cr_assert_eq(count(text, "\"cat\":\"kernel\""), 2 * 111);
  snprintf(of_child, sizeof of_child, "\"pid\":%d,", (int)child);
  cr_assert(count(text, of_child) > 20);
  cr_assert_eq(count(text, "\"process_name\""), 3);
  free(text);
}

// The stream's events of too many pending commands are left out, and the trace says so. Those of the host are there.
Test(jit_trace, memory_is_bounded) {
  struct work work = open_work();
  struct kiln_stream *stream;
  struct kiln_buffer *buffer;
  enum { COPIES = 9000 };
  OK(kiln_stream_create(work.ctx, 0, &stream));
  OK(kiln_buffer_create(work.ctx, &(struct kiln_buffer_desc){.size = 32 << 20}, &buffer));
  OK(kiln_context_trace(work.ctx, file("t.json")));
  char byte = 0;
  OK(kiln_fill(stream, buffer, 0, 32 << 20, &byte, 1, NULL)); // takes longer than all that follows to be enqueued
  for (int i = 0; i < COPIES; i++)
    OK(kiln_fill(stream, buffer, 0, i % 100 ? 1 : 8 << 20, &byte, 1, NULL));
  OK(kiln_stream_finish(stream));
  kiln_buffer_release(buffer);
  kiln_stream_release(stream);
  close_work(&work);
  char *text = read_trace(file("t.json"));
  int events = count(text, "\"name\":\"fill\""), missing = 0;
  const char *told = strstr(text, " commands are missing");
  if (told) {
    while (told[-1] != '"')
      told--;
    missing = atoi(told);
  }
  cr_assert_eq(events + missing, 2 * (COPIES + 1), "%d events, %d missing", events, missing);
  free(text);
}

Test(jit_trace, counters) {
  struct work work = open_work();
  struct kiln_context_stats s;
  run(work.ctx, work.kernel, 5);
  struct kiln_stream *stream;
  struct kiln_buffer *a, *b;
  OK(kiln_stream_create(work.ctx, 0, &stream));
  OK(kiln_buffer_create(work.ctx, &(struct kiln_buffer_desc){.size = 1000}, &a));
  OK(kiln_buffer_create(work.ctx, &(struct kiln_buffer_desc){.size = 24}, &b));
  char bytes[24] = "";
  OK(kiln_write(stream, a, 0, bytes, 24, NULL));
  OK(kiln_write(stream, a, 0, bytes, 0, NULL)); // nothing is enqueued
  OK(kiln_read(stream, b, 4, bytes, 20, NULL));
  FAILS(kiln_read(stream, b, 5, bytes, 20, NULL), KILN_ERR_INVALID, "do not fit");
  kiln_context_stats(work.ctx, &s);
  cr_assert(s.launches == 5 && s.writes == 1 && s.reads == 1 && s.copies == 1 && s.fills == 1);
  cr_assert(s.written_bytes == 24 && s.read_bytes == 20 && s.copied_bytes == ITEMS * 4 && s.filled_bytes == ITEMS * 4);
  cr_assert(s.streams == 1 && s.buffers == 2 && s.buffer_bytes == 1024 && s.peak_buffer_bytes == 1024);
  cr_assert(s.loads == 1 && s.load_ms > 0);
  kiln_stream_release(stream);
  kiln_buffer_release(a);
  kiln_buffer_release(b);
  kiln_context_stats(work.ctx, &s);
  cr_assert(s.streams == 0 && s.buffers == 0 && s.buffer_bytes == 0 && s.peak_buffer_bytes == 1024);
  kiln_context_stats(NULL, &s);
  close_work(&work);
}
