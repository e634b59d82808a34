// Private memory on the CPU: kernels that need more of it than the thread that runs them has stack, and what is told of
// it.
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "kiln/kiln.h"

// What N work-items leave in x with a private array of SIZE ints: x[g] * 2 + 5.
static const char fills[] = "kernel void fills(global int *x) {\n"
                            "  int p[SIZE];\n"
                            "  size_t g = get_global_id(0);\n"
                            "  for (int i = 0; i < SIZE; i++) p[i] = i + x[g];\n"
                            "  x[g] = p[x[g] + 5];\n"
                            "}\n";

struct machine {
  struct kiln_context *ctx;
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_stream *stream;
};

static void open_machine(struct machine *m, const char *source, const char *options, kiln_print_fn *print, void *user) {
  struct kiln_context_desc desc = {
      .backend = "cpu", .cache_mode = "off", .num_threads = 2, .print = print, .print_user = user};
  struct kiln_program_desc program = {.source = source, .options = options};
  cr_assert_eq(kiln_context_open(&desc, &m->ctx), KILN_OK, "%s", kiln_last_error());
  cr_assert_eq(kiln_program_create(m->ctx, &program, &m->program), KILN_OK, "%s", kiln_last_error());
  cr_assert_eq(kiln_kernel_create(m->program, NULL, &m->kernel), KILN_OK, "%s", kiln_last_error());
  cr_assert_eq(kiln_stream_create(m->ctx, 0, &m->stream), KILN_OK, "%s", kiln_last_error());
}

static void close_machine(struct machine *m) {
  kiln_stream_release(m->stream);
  kiln_kernel_release(m->kernel);
  kiln_program_release(m->program);
  kiln_context_close(m->ctx);
}

// Runs the kernel over count ints in place, one work-item each.
static enum kiln_status run(struct machine *m, int *x, size_t count) {
  struct kiln_buffer *buffer;
  cr_assert_eq(kiln_buffer_create(m->ctx, &(struct kiln_buffer_desc){.size = count * sizeof *x, .host = x}, &buffer),
               KILN_OK, "%s", kiln_last_error());
  struct kiln_arg arg = kiln_arg_buffer(buffer);
  struct kiln_launch_desc desc = {.global = {count}, .args = &arg, .arg_count = 1};
  enum kiln_status status = kiln_launch(m->stream, m->kernel, &desc, NULL);
  if (!status)
    status = kiln_stream_finish(m->stream);
  kiln_buffer_release(buffer);
  return status;
}

static void check_fills(struct machine *m, size_t count) {
  int *x = malloc(count * sizeof *x);
  for (size_t i = 0; i < count; i++)
    x[i] = (int)i % 100;
  cr_assert_eq(run(m, x, count), KILN_OK, "%s", kiln_last_error());
  for (size_t i = 0; i < count; i++)
    cr_assert_eq(x[i], (int)i % 100 * 2 + 5, "item %zu of %zu: %d", i, count, x[i]);
  free(x);
}

// ---- on whatever thread

static void *on_a_small_thread(void *user) {
  check_fills(user, 3);
  return NULL;
}

// count: work-items for the threads of the pool.
static void check_on_small_thread(const char *options, size_t count) {
  struct machine m;
  open_machine(&m, fills, options, NULL, NULL);
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  cr_assert_eq(pthread_attr_setstacksize(&attributes, 128 << 10), 0);
  cr_assert_eq(pthread_create(&thread, &attributes, on_a_small_thread, &m), 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  check_fills(&m, count);
  close_machine(&m);
}

Test(cpu_stack, array_of_160_kb_on_a_thread_of_128) { check_on_small_thread("-D SIZE=40000", 1000); }
Test(cpu_stack, array_of_16_mb_on_any_thread) { check_on_small_thread("-D SIZE=4000000", 100); }
Test(cpu_stack, array_of_16_mb_without_optimisation) { check_on_small_thread("-D SIZE=4000000 -cl-opt-disable", 20); }
Test(cpu_stack, arrays_of_all_lanes) { check_on_small_thread("-D SIZE=2000", 1000); }

static void *on_some_stream(void *user) {
  struct machine *m = user;
  struct machine own = *m;
  cr_assert_eq(kiln_stream_create(m->ctx, 0, &own.stream), KILN_OK, "%s", kiln_last_error());
  for (int i = 0; i < 20; i++)
    check_fills(&own, 5 + (size_t)i);
  kiln_stream_release(own.stream);
  return NULL;
}

Test(cpu_stack, launches_at_the_same_time_have_stacks_of_their_own) {
  struct machine m;
  open_machine(&m, fills, "-D SIZE=20000", NULL, NULL);
  pthread_t threads[6];
  for (int i = 0; i < 6; i++)
    cr_assert_eq(pthread_create(&threads[i], NULL, on_some_stream, &m), 0);
  for (int i = 0; i < 6; i++)
    pthread_join(threads[i], NULL);
  close_machine(&m);
}

// The callback is the host's code: it finds room for its own variables there.
static void keep_text(void *user, const char *text, size_t size) {
  char copy[16 << 10];
  memset(copy, 0, sizeof copy);
  memcpy(copy, text, size < sizeof copy ? size : sizeof copy - 1);
  strcat(user, copy);
}

Test(cpu_stack, printing_with_a_large_array) {
  char text[256] = "";
  struct machine m;
  open_machine(&m,
               "kernel void f(global int *x) { int p[40000]; for (int i = 0; i < 40000; i++) p[i] = i * x[0];\n"
               "  printf(\"%d %.2f\\n\", p[x[0] + 39990], sqrt((float)p[x[0]])); }",
               NULL, keep_text, text);
  int x = 3;
  cr_assert_eq(run(&m, &x, 1), KILN_OK, "%s", kiln_last_error());
  cr_assert_str_eq(text, "119979 3.00\n");
  close_machine(&m);
}

// ---- what is told

static uint32_t private_bytes(const char *source, const char *options) {
  struct machine m;
  open_machine(&m, source, options, NULL, NULL);
  uint32_t bytes = kiln_kernel_info(m.kernel)->private_bytes;
  close_machine(&m);
  return bytes;
}

Test(cpu_stack, private_bytes_are_those_of_the_code) {
  uint32_t bytes = private_bytes(fills, "-D SIZE=2000000"); // it said 0 for 8 MB
  cr_assert(bytes >= 8000000 && bytes < 8001000, "%u", bytes);
  bytes = private_bytes(fills, "-D SIZE=40000");
  cr_assert(bytes >= 160000 && bytes < 161000, "%u", bytes);
  bytes = private_bytes(fills, "-D SIZE=1000 --kiln-lanes=4");
  cr_assert(bytes >= 4000 && bytes < 9000, "%u", bytes);
  bytes = private_bytes("kernel void f(global int *x) { x[0] = 1; }", "--kiln-lanes=1");
  cr_assert(bytes < 200, "%u", bytes);
}

// ---- what cannot be

Test(cpu_stack, more_than_the_limit_is_invalid) {
  static const char *const options[] = {"-D SIZE=80000000", "-D SIZE=900000000", "-D SIZE=3000000000u"};
  for (int i = 0; i < 3; i++) {
    struct machine m;
    open_machine(&m, fills, options[i], NULL, NULL);
    int x = 1;
    cr_assert_eq(run(&m, &x, 1), KILN_ERR_INVALID, "%s: %s", options[i], kiln_last_error());
    cr_assert(strstr(kiln_last_error(), "MiB of stack"), "%s: %s", options[i], kiln_last_error());
    cr_assert(strstr(kiln_last_error(), "at most 256 MiB"), "%s: %s", options[i], kiln_last_error());
    close_machine(&m);
  }
}

#ifndef KILN_SANITIZED // sanitizers reserve more than any limit
Test(cpu_stack, no_memory_for_a_stack_is_an_error) {
  struct machine m;
  open_machine(&m, fills, "-D SIZE=40000000", NULL, NULL);
  check_fills(&m, 1);
  struct rlimit limit;
  cr_assert_eq(getrlimit(RLIMIT_AS, &limit), 0);
  limit.rlim_cur = 1;
  cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
  int x = 1;
  cr_assert_eq(run(&m, &x, 1), KILN_ERR_MEMORY, "%s", kiln_last_error());
  cr_assert(strstr(kiln_last_error(), "out of memory for a stack"), "%s", kiln_last_error());
  limit.rlim_cur = limit.rlim_max;
  cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
  check_fills(&m, 1); // and the next launch runs
  close_machine(&m);
}
#endif
