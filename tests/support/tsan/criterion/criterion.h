// Stands in for Criterion in builds with ThreadSanitizer, in which Criterion itself cannot start ("could not
// initialize inheritable arena"). The same tests, each in a child process, with the assertions that our tests use.
#ifndef KILN_TESTS_SUPPORT_CRITERION_H
#define KILN_TESTS_SUPPORT_CRITERION_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct cr_test {
  struct cr_test *next;
  const char *suite, *name;
  void (*function)(void);
  void (*init)(void), (*fini)(void);
  int signal, exit_code;
  double timeout;
  bool disabled;
  const char *description;
};
struct cr_suite {
  struct cr_suite *next;
  const char *name;
  void (*init)(void), (*fini)(void);
  double timeout;
  bool disabled;
  const char *description;
};
static struct cr_test *cr_tests;
static struct cr_suite *cr_suites;
static bool cr_failed;

#define TestSuite(Suite, ...)                                                                                          \
  static struct cr_suite Suite##_suite = {.name = #Suite, ##__VA_ARGS__};                                              \
  __attribute__((constructor)) static void Suite##_suite_register(void) {                                              \
    Suite##_suite.next = cr_suites;                                                                                    \
    cr_suites = &Suite##_suite;                                                                                        \
  }                                                                                                                    \
  struct cr_suite

#define Test(Suite, Name, ...)                                                                                         \
  static void Suite##_##Name##_function(void);                                                                         \
  static struct cr_test Suite##_##Name##_test = {                                                                      \
      .suite = #Suite, .name = #Name, .function = Suite##_##Name##_function, ##__VA_ARGS__};                           \
  __attribute__((constructor)) static void Suite##_##Name##_register(void) {                                           \
    Suite##_##Name##_test.next = cr_tests;                                                                             \
    cr_tests = &Suite##_##Name##_test;                                                                                 \
  }                                                                                                                    \
  static void Suite##_##Name##_function(void)

__attribute__((format(printf, 4, 5), unused)) static void cr_report(bool stop, const char *where, const char *what,
                                                                    const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "[----] %s: %s: ", where, what);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  cr_failed = true;
  if (stop) {
    _exit(1);
  }
}

#define CR_TEXT2(x) #x
#define CR_TEXT(x) CR_TEXT2(x)
#define CR_WHERE __FILE__ ":" CR_TEXT(__LINE__)
#define CR_CHECK(Stop, Cond, What, ...) ((Cond) ? (void)0 : cr_report(Stop, CR_WHERE, What, " " __VA_ARGS__))
#define CR_STRS(A, Op, B) (strcmp((A), (B)) Op 0)
#define CR_NEAR(A, B, Eps) (fabs((double)(A) - (double)(B)) <= (double)(Eps))

#define cr_assert(Cond, ...) CR_CHECK(true, Cond, #Cond, __VA_ARGS__)
#define cr_assert_not(Cond, ...) CR_CHECK(true, !(Cond), "!" #Cond, __VA_ARGS__)
#define cr_assert_fail(...) cr_report(true, CR_WHERE, "fail", " " __VA_ARGS__)
#define cr_assert_eq(A, B, ...) CR_CHECK(true, (A) == (B), #A " == " #B, __VA_ARGS__)
#define cr_assert_neq(A, B, ...) CR_CHECK(true, (A) != (B), #A " != " #B, __VA_ARGS__)
#define cr_assert_lt(A, B, ...) CR_CHECK(true, (A) < (B), #A " < " #B, __VA_ARGS__)
#define cr_assert_leq(A, B, ...) CR_CHECK(true, (A) <= (B), #A " <= " #B, __VA_ARGS__)
#define cr_assert_gt(A, B, ...) CR_CHECK(true, (A) > (B), #A " > " #B, __VA_ARGS__)
#define cr_assert_geq(A, B, ...) CR_CHECK(true, (A) >= (B), #A " >= " #B, __VA_ARGS__)
#define cr_assert_null(A, ...) CR_CHECK(true, (A) == NULL, #A " is null", __VA_ARGS__)
#define cr_assert_not_null(A, ...) CR_CHECK(true, (A) != NULL, #A " is not null", __VA_ARGS__)
#define cr_assert_str_eq(A, B, ...) CR_CHECK(true, CR_STRS(A, ==, B), #A " equals " #B, __VA_ARGS__)
#define cr_assert_str_neq(A, B, ...) CR_CHECK(true, CR_STRS(A, !=, B), #A " differs from " #B, __VA_ARGS__)
#define cr_assert_float_eq(A, B, Eps, ...) CR_CHECK(true, CR_NEAR(A, B, Eps), #A " is near " #B, __VA_ARGS__)
#define cr_expect(Cond, ...) CR_CHECK(false, Cond, #Cond, __VA_ARGS__)
#define cr_expect_not(Cond, ...) CR_CHECK(false, !(Cond), "!" #Cond, __VA_ARGS__)
#define cr_expect_eq(A, B, ...) CR_CHECK(false, (A) == (B), #A " == " #B, __VA_ARGS__)
#define cr_expect_neq(A, B, ...) CR_CHECK(false, (A) != (B), #A " != " #B, __VA_ARGS__)
#define cr_expect_lt(A, B, ...) CR_CHECK(false, (A) < (B), #A " < " #B, __VA_ARGS__)
#define cr_expect_leq(A, B, ...) CR_CHECK(false, (A) <= (B), #A " <= " #B, __VA_ARGS__)
#define cr_expect_gt(A, B, ...) CR_CHECK(false, (A) > (B), #A " > " #B, __VA_ARGS__)
#define cr_expect_geq(A, B, ...) CR_CHECK(false, (A) >= (B), #A " >= " #B, __VA_ARGS__)
#define cr_expect_null(A, ...) CR_CHECK(false, (A) == NULL, #A " is null", __VA_ARGS__)
#define cr_expect_not_null(A, ...) CR_CHECK(false, (A) != NULL, #A " is not null", __VA_ARGS__)
#define cr_expect_str_eq(A, B, ...) CR_CHECK(false, CR_STRS(A, ==, B), #A " equals " #B, __VA_ARGS__)
#define cr_expect_float_eq(A, B, Eps, ...) CR_CHECK(false, CR_NEAR(A, B, Eps), #A " is near " #B, __VA_ARGS__)
#define cr_skip_test(...) _exit(77)
#define CR_NO_THREADS_AFTER_FORK 1 // ThreadSanitizer cannot follow that
#define cr_skip(...) _exit(77)
#define cr_log_info(...) ((void)0)
#define cr_log_warn(...) ((void)0)
#define cr_log_error(...) ((void)0)

static int cr_run_child(const struct cr_test *test) {
  if (test->timeout > 0) {
    alarm((unsigned)(test->timeout * 20) + 1);
  }
  const struct cr_suite *suite = cr_suites;
  while (suite && strcmp(suite->name, test->suite) != 0) {
    suite = suite->next;
  }
  void (*init)(void) = test->init ? test->init : suite ? suite->init : NULL;
  void (*fini)(void) = test->fini ? test->fini : suite ? suite->fini : NULL;
  if (init) {
    init();
  }
  test->function();
  if (fini) {
    fini();
  }
  return cr_failed;
}

int main(void) {
  unsigned tested = 0, failing = 0, skipped = 0;
  for (const struct cr_test *test = cr_tests; test; test = test->next) {
    if (test->disabled) {
      skipped++;
      continue;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      exit(cr_run_child(test));
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
      skipped++;
      continue;
    }
    tested++;
    bool ok = test->signal ? WIFSIGNALED(status) && WTERMSIG(status) == test->signal
                           : WIFEXITED(status) && WEXITSTATUS(status) == test->exit_code;
    if (!ok) {
      failing++;
      fprintf(stderr, "[FAIL] %s::%s (status %#x)\n", test->suite, test->name, (unsigned)status);
    }
  }
  fprintf(stderr, "[====] Synthesis: Tested: %u | Passing: %u | Failing: %u | Skipped: %u\n", tested, tested - failing,
          failing, skipped);
  return failing != 0;
}

#endif
