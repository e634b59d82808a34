// Without descriptors or memory, libraries and files that are there must not be told as absent; and once there are some
// again, all is as before.
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exhausted.h"
#include "kiln/kiln.h"

static rlim_t limit_files(rlim_t most) {
  struct rlimit limit;
  cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
  rlim_t was = limit.rlim_cur;
  limit.rlim_cur = most;
  cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
  return was;
}

// How many descriptors there must be for left of them to be free.
static rlim_t used_and(unsigned left) {
  int fd = open("/", O_PATH); // the lowest that is free; those above may be in use: all up to a gap of left
  cr_assert_geq(fd, 0);
  close(fd);
  return (rlim_t)fd + left;
}

static void expect_told(enum kiln_status status) {
  cr_expect_eq(status, KILN_ERR_IO, "status %d: %s", status, kiln_last_error());
  cr_expect(strstr(kiln_last_error(), "too many files are open"), "%s", kiln_last_error());
  cr_expect_null(strstr(kiln_last_error(), "install"), "%s", kiln_last_error());
}

Test(exhausted, is_seen) {
  cr_expect_eq(kiln_exhausted(), 0);
  rlim_t was = limit_files(used_and(0));
  int error = kiln_exhausted();
  limit_files(was);
  cr_expect_eq(error, EMFILE);
  cr_expect_eq(kiln_exhausted(), 0);
}

#ifdef KILN_LLVM
static const char source[] = "kernel void f(global int *x) { x[get_global_id(0)] = 7; }";

static struct kiln_context *open_context(const char *backend) {
  struct kiln_context *ctx;
  struct kiln_context_desc desc = {.backend = backend, .cache_mode = "off"};
  cr_assert_eq(kiln_context_open(&desc, &ctx), KILN_OK, "%s", kiln_last_error());
  return ctx;
}

static enum kiln_status compile(struct kiln_context *ctx) {
  struct kiln_program *program;
  enum kiln_status status = kiln_program_create(ctx, &(struct kiln_program_desc){.source = source}, &program);
  if (status == KILN_OK)
    kiln_program_release(program);
  return status;
}

Test(exhausted, no_descriptor_for_the_code_generator) {
  struct kiln_context *ctx = open_context("cpu");
  rlim_t was = limit_files(used_and(0));
  enum kiln_status status = compile(ctx);
  limit_files(was);
  expect_told(status);
  cr_expect_eq(compile(ctx), KILN_OK, "%s", kiln_last_error()); // what is remembered is not this
  kiln_context_close(ctx);
}

// Its code is laid out in memory then.
Test(exhausted, a_launch_needs_no_descriptor) {
  struct kiln_context *ctx = open_context("cpu");
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_buffer *buffer;
  struct kiln_stream *stream;
  cr_assert_eq(kiln_program_create(ctx, &(struct kiln_program_desc){.source = source}, &program), KILN_OK);
  cr_assert_eq(kiln_kernel_create(program, NULL, &kernel), KILN_OK);
  cr_assert_eq(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 4}, &buffer), KILN_OK);
  cr_assert_eq(kiln_stream_create(ctx, 0, &stream), KILN_OK);
  struct kiln_arg arg = kiln_arg_buffer(buffer);
  struct kiln_launch_desc launch = {.global = {1}, .args = &arg, .arg_count = 1};
  rlim_t was = limit_files(used_and(0));
  enum kiln_status status = kiln_launch(stream, kernel, &launch, NULL);
  limit_files(was);
  cr_expect_eq(status, KILN_OK, "%s", kiln_last_error());
  int result = 0;
  cr_expect_eq(kiln_read(stream, buffer, 0, &result, sizeof result, NULL), KILN_OK);
  cr_expect_eq(kiln_stream_finish(stream), KILN_OK);
  cr_expect_eq(result, 7);
  kiln_stream_release(stream);
  kiln_buffer_release(buffer);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  kiln_context_close(ctx);
}

Test(exhausted, no_memory_for_the_code_generator) {
  struct kiln_context *ctx = open_context("cpu");
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  cr_assert(file && fscanf(file, "%ld", &pages) == 1);
  fclose(file);
  struct rlimit was, limit;
  cr_assert_eq(getrlimit(RLIMIT_AS, &was), 0);
  limit = was;
  limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (32u << 20);
  cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
  enum kiln_status status = compile(ctx);
  cr_assert_eq(setrlimit(RLIMIT_AS, &was), 0);
  cr_expect_eq(status, KILN_ERR_MEMORY, "status %d: %s", status, kiln_last_error());
  cr_expect_eq(compile(ctx), KILN_OK, "%s", kiln_last_error());
  kiln_context_close(ctx);
}
#endif

// Plugins, and the loader of OpenCL: whichever is here.
static void open_without_descriptors(const char *backend) {
  struct kiln_context *ctx;
  struct kiln_context_desc desc = {.backend = backend, .cache_mode = "off"};
  rlim_t was = limit_files(used_and(0));
  enum kiln_status status = kiln_context_open(&desc, &ctx);
  limit_files(was);
  expect_told(status);
}

Test(exhausted, no_descriptor_for_a_plugin) {
  setenv("COMPILE_PLUGIN_PATH", KILN_BUILD_DIR "/tests/plugins", 1);
  open_without_descriptors("good");
}

Test(exhausted, no_descriptor_for_opencl) {
  struct kiln_context *ctx;
  struct kiln_context_desc desc = {.backend = "opencl", .cache_mode = "off"};
  int child = 0;
  // Whether there is a platform is asked in another process: what was opened once stays open.
  cr_assert_eq(fflush(NULL), 0);
  child = fork();
  if (child == 0)
    _exit(kiln_context_open(&desc, &ctx) == KILN_OK ? 0 : 1);
  int ended;
  cr_assert_eq(waitpid(child, &ended, 0), child);
  if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
    cr_skip_test("there is no OpenCL platform");
  open_without_descriptors("opencl");
}
