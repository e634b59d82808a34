// What the tests of the host layer share: kernels as IR text, a cache folder of their own, checks of calls.
#ifndef KILN_JIT_TEST_H
#define KILN_JIT_TEST_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kiln/kiln.h"

#define SAXPY                                                                                                          \
  "kiln_ir 1\n"                                                                                                        \
  "kernel @saxpy(%n: i32 \"int\", %a: f32 \"float\", %x: ptr.global \"float*\" align 4 const restrict,"                \
  " %y: ptr.global \"float*\" align 4) {\n"                                                                            \
  "  %i = global_id 0 : i64\n"                                                                                         \
  "  %n64 = sext %n : i64\n"                                                                                           \
  "  %in = slt %i, %n64\n"                                                                                             \
  "  if %in {\n"                                                                                                       \
  "    %px = padd %x, %i * 4\n"                                                                                        \
  "    %vx = load %px, align 4 : f32\n"                                                                                \
  "    %py = padd %y, %i * 4\n"                                                                                        \
  "    %vy = load %py, align 4 : f32\n"                                                                                \
  "    %m = fmul %a, %vx\n"                                                                                            \
  "    %s = fadd %m, %vy\n"                                                                                            \
  "    store %py, %s, align 4\n"                                                                                       \
  "    yield\n"                                                                                                        \
  "  }\n"                                                                                                              \
  "  return\n"                                                                                                         \
  "}\n"

#define OK(call) cr_assert_eq((call), KILN_OK, "%s: %s", #call, kiln_last_error())
// The call fails with a status, and its message holds a text.
#define FAILS(call, status, text)                                                                                      \
  do {                                                                                                                 \
    enum kiln_status got_ = (call);                                                                                    \
    cr_assert_eq(got_, status, "%s: '%s' instead of '%s': %s", #call, kiln_status_name(got_),                          \
                 kiln_status_name(status), kiln_last_error());                                                         \
    cr_assert(strstr(kiln_last_error(), text), "%s: '%s' does not hold '%s'", #call, kiln_last_error(), text);         \
  } while (0)

static char test_folder[64];

// Forgets the environment of whoever runs the tests; gives them a cache of their own.
__attribute__((unused)) static void set_up(void) {
  static const char *const names[] = {
      "COMPILE_BACKEND",  "COMPILE_ARCH",    "COMPILE_CACHE_PATH",  "COMPILE_CACHE", "COMPILE_CACHE_MAX_SIZE",
      "COMPILE_DUMP_DIR", "COMPILE_DEBUG",   "COMPILE_NUM_THREADS", "COMPILE_LOG",   "COMPILE_OVERRIDE_DIR",
      "COMPILE_RECORD",   "COMPILE_ISOLATE", "COMPILE_PLUGIN_PATH", "COMPILE_TRACE", "COMPILE_TUNE"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    unsetenv(names[i]);
  strcpy(test_folder, "/tmp/kiln-test-XXXXXX");
  cr_assert(mkdtemp(test_folder));
  setenv("COMPILE_CACHE_DIR", test_folder, 1);
}

__attribute__((unused)) static void tear_down(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", test_folder);
  cr_assert_eq(system(command), 0);
}

__attribute__((unused)) static struct kiln_context *open_interp(void) {
  struct kiln_context *ctx;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "interp"}, &ctx));
  return ctx;
}

__attribute__((unused)) static struct kiln_program *make_program(struct kiln_context *ctx, const char *text) {
  struct kiln_program *program;
  OK(kiln_program_create(ctx, &(struct kiln_program_desc){.source = text, .kind = KILN_SOURCE_IR_TEXT}, &program));
  return program;
}

#endif
