// COMPILE_FAULTS=report: faults inside of kernels are errors of their launches, and all others the host's own.
#include <criterion/criterion.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kiln/kiln.h"

#ifdef KILN_SANITIZED
#define SANITIZED true
#else
#define SANITIZED false
#endif

static const char source[] = "kernel void store(global int *x, ulong at) {\n"
                             "  x[0] = 7;\n"
                             "  *(global int *)at = 5;\n"
                             "}\n"
                             "kernel void one(global int *x, ulong at) {\n"
                             "  if (get_global_id(0) + 1000 * get_global_id(1) == 5003)\n"
                             "    *(global int *)at = get_local_id(0);\n"
                             "}\n"
                             "kernel void groups(global int *x, ulong at) {\n"
                             "  atomic_inc(x);\n"
                             "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
                             "  *(global int *)at = x[get_local_id(0)];\n"
                             "}\n"
                             "kernel void large(global int *x, ulong at) {\n"
                             "  int p[100000];\n"
                             "  for (int i = 0; i < 100000; i++) p[i] = i + x[1];\n"
                             "  *(global int *)at = p[x[2]];\n"
                             "}\n"
                             "kernel void divides(global float *x, ulong at) { x[0] = x[1] / x[2]; }\n"
                             "kernel void prints(global int *x, ulong at) { printf(\"%d\\n\", x[0]); }\n";

struct machine {
  struct kiln_context *ctx;
  struct kiln_program *program;
  struct kiln_stream *stream;
};

static void open_machine(struct machine *m, const char *faults, kiln_print_fn *print) {
  struct kiln_context_desc desc = {
      .backend = "cpu", .cache_mode = "off", .num_threads = 2, .print = print, .faults = faults};
  struct kiln_program_desc program = {.source = source, .name = "faults.cl", .options = "-g"};
  cr_assert_eq(kiln_context_open(&desc, &m->ctx), KILN_OK, "%s", kiln_last_error());
  cr_assert_eq(kiln_program_create(m->ctx, &program, &m->program), KILN_OK, "%s", kiln_last_error());
  cr_assert_eq(kiln_stream_create(m->ctx, 0, &m->stream), KILN_OK, "%s", kiln_last_error());
}

static void close_machine(struct machine *m) {
  kiln_stream_release(m->stream);
  kiln_program_release(m->program);
  kiln_context_close(m->ctx);
}

static enum kiln_status run(struct machine *m, const char *name, const struct kiln_launch_desc *range, void *x,
                            size_t size, uint64_t at) {
  struct kiln_kernel *kernel;
  struct kiln_buffer *buffer;
  cr_assert_eq(kiln_kernel_create(m->program, name, &kernel), KILN_OK, "%s", kiln_last_error());
  cr_assert_eq(kiln_buffer_create(m->ctx, &(struct kiln_buffer_desc){.size = size, .host = x}, &buffer), KILN_OK);
  struct kiln_arg args[2] = {kiln_arg_buffer(buffer), kiln_arg_value(&at, sizeof at)};
  struct kiln_launch_desc desc = *range;
  desc.args = args;
  desc.arg_count = 2;
  enum kiln_status status = kiln_launch(m->stream, kernel, &desc, NULL);
  if (!status)
    status = kiln_stream_finish(m->stream);
  kiln_buffer_release(buffer);
  kiln_kernel_release(kernel);
  return status;
}

static const struct kiln_launch_desc one_item = {.global = {1}};

// A store to null is told as an error, and the next launch runs.
static void check_reported(struct machine *m) {
  int x[2] = {0}, y = 0;
  cr_assert_eq(run(m, "store", &one_item, x, sizeof x, 0), KILN_ERR_DEVICE);
  cr_assert(strstr(kiln_last_error(), "kernel 'store': SIGSEGV: no memory is mapped at 0x0, at faults.cl:3"), "%s",
            kiln_last_error());
  cr_assert_eq(run(m, "store", &one_item, x, sizeof x, (uint64_t)(uintptr_t)&y), KILN_OK, "%s", kiln_last_error());
  cr_assert(x[0] == 7 && y == 5);
}

// ---- kernels

Test(cpu_fault, a_wild_store_is_an_error_with_kernel_line_and_work_item) {
  struct machine m;
  open_machine(&m, "report", NULL);
  for (int i = 0; i < 3; i++)
    check_reported(&m);
  int x[4] = {0};
  cr_assert_eq(run(&m, "store", &one_item, x, sizeof x, 0xdead000000000000), KILN_ERR_DEVICE);
  cr_assert(strstr(kiln_last_error(), "SIGSEGV"), "%s", kiln_last_error());
  cr_assert(strstr(kiln_last_error(), "at faults.cl:3 (global id 0)"), "%s", kiln_last_error());
  struct kiln_launch_desc range = {.global = {64, 32}, .local = {8, 4}};
  cr_assert_eq(run(&m, "one", &range, x, sizeof x, 16), KILN_ERR_DEVICE);
  cr_assert(strstr(kiln_last_error(), "at 0x10, at faults.cl:7 (in one of the work-items with global ids 0,4 to 7,7)"),
            "%s", kiln_last_error());
  close_machine(&m);
}

Test(cpu_fault, a_kernel_on_a_stack_of_its_own) {
  struct machine m;
  open_machine(&m, "report", NULL);
  int x[4] = {0}, y = 0;
  for (int i = 0; i < 3; i++) {
    cr_assert_eq(run(&m, "large", &one_item, x, sizeof x, 0), KILN_ERR_DEVICE, "%s", kiln_last_error());
    cr_assert(strstr(kiln_last_error(), "at faults.cl:17"), "%s", kiln_last_error());
    x[2] = i;
    cr_assert_eq(run(&m, "large", &one_item, x, sizeof x, (uint64_t)(uintptr_t)&y), KILN_OK, "%s", kiln_last_error());
    cr_assert_eq(y, i);
  }
  close_machine(&m);
}

Test(cpu_fault, sigbus_behind_the_end_of_a_mapped_file) {
  struct machine m;
  open_machine(&m, "report", NULL);
  int fd = memfd_create("test", 0);
  char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  cr_assert(memory != MAP_FAILED);
  int x[2] = {0};
  cr_assert_eq(run(&m, "store", &one_item, x, sizeof x, (uint64_t)(uintptr_t)memory), KILN_ERR_DEVICE);
  cr_assert(strstr(kiln_last_error(), "SIGBUS: the mapped file ends before 0x"), "%s", kiln_last_error());
  munmap(memory, 4096);
  close(fd);
  close_machine(&m);
}

#if defined(__x86_64__)
// Exceptions that the host unmasks raise no signal in kernels. After a kernel, and after one that faults, they are as
// the host has set them.
Test(cpu_fault, no_sigfpe_where_the_host_unmasks_exceptions) {
  struct machine m;
  float x[3] = {0, 1, 0};
  feenableexcept(FE_DIVBYZERO);
  open_machine(&m, "report", NULL);
  for (int i = 0; i < 2; i++) {
    cr_assert_eq(run(&m, "divides", &one_item, x, sizeof x, 0), KILN_OK, "%s", kiln_last_error());
    cr_assert_eq(fegetexcept(), FE_DIVBYZERO);
    cr_assert(x[0] > 3e38f && !fetestexcept(FE_DIVBYZERO));
    cr_assert_eq(run(&m, "store", &one_item, x, sizeof x, 0), KILN_ERR_DEVICE);
    cr_assert_eq(fegetexcept(), FE_DIVBYZERO);
  }
  fedisableexcept(FE_DIVBYZERO);
  close_machine(&m);
}
#endif

Test(cpu_fault, no_further_group_starts) {
  struct machine m;
  open_machine(&m, "report", NULL);
  int x[64] = {0};
  struct kiln_launch_desc range = {.global = {64 << 14}, .local = {64}};
  cr_assert_eq(run(&m, "groups", &range, x, sizeof x, 8), KILN_ERR_DEVICE);
  cr_assert(x[0] >= 1 && x[0] <= 2 * 64, "%d work-items", x[0]);
  close_machine(&m);
}

static void *faults_again(void *user) {
  for (int i = 0; i < 15; i++) {
    struct machine m;
    open_machine(&m, user, NULL);
    check_reported(&m);
    close_machine(&m);
  }
  return NULL;
}

Test(cpu_fault, contexts_open_and_close_while_kernels_fault) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    cr_assert_eq(pthread_create(&threads[i], NULL, faults_again, "report"), 0);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
}

// ---- the host

static sigjmp_buf out;
static volatile int seen_signal, seen_code;
static void *volatile seen_address;

static void host_handler(int signal, siginfo_t *info, void *context) {
  (void)context;
  seen_signal = signal;
  seen_code = info->si_code;
  seen_address = info->si_addr;
  siglongjmp(out, 1);
}

static void set_handler(void (*handler)(int, siginfo_t *, void *), int flags) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
  for (int i = 0; i < 3; i++)
    sigaction((int[]){SIGSEGV, SIGBUS, SIGFPE}[i], &action, NULL);
}

static bool is_handler(void (*handler)(int, siginfo_t *, void *)) {
  struct sigaction now;
  sigaction(SIGSEGV, NULL, &now);
  return now.sa_flags & SA_SIGINFO && now.sa_sigaction == handler;
}

// Stores through a pointer that the compiler does not know.
static void fault_at(uintptr_t address) {
  volatile int *volatile p = (volatile int *)address;
  *p = 1;
}

// The host's handler gets a fault of the host's.
static void check_host_fault(void) {
  seen_signal = 0;
  if (!sigsetjmp(out, 1))
    fault_at(64);
  cr_assert(seen_signal == SIGSEGV && seen_code == SEGV_MAPERR && seen_address == (void *)64);
}

Test(cpu_fault, faults_of_the_host_are_its_own) {
  set_handler(host_handler, 0);
  struct machine m;
  open_machine(&m, "report", NULL);
  check_host_fault();
  seen_signal = 0;
  if (!sigsetjmp(out, 1))
    raise(SIGFPE); // sent, by nobody's instruction
  cr_assert(seen_signal == SIGFPE && seen_code <= 0);
  check_reported(&m);
  check_host_fault();
  close_machine(&m);
  check_host_fault();
}

static void print_and_fault(void *user, const char *text, size_t size) {
  (void)user, (void)text, (void)size;
  check_host_fault();
}

Test(cpu_fault, a_fault_in_the_print_callback_is_the_hosts) {
  set_handler(host_handler, 0);
  struct machine m;
  open_machine(&m, "report", print_and_fault);
  int x[2] = {0};
  cr_assert_eq(run(&m, "prints", &one_item, x, sizeof x, 0), KILN_OK, "%s", kiln_last_error());
  cr_assert_eq(seen_signal, SIGSEGV);
  check_reported(&m);
  close_machine(&m);
}

Test(cpu_fault, handlers_go_with_the_last_context) {
  set_handler(host_handler, 0);
  struct machine first, second;
  open_machine(&first, "off", NULL);
  cr_assert(is_handler(host_handler));
  close_machine(&first);
  open_machine(&first, "report", NULL);
  open_machine(&second, "report", NULL);
  cr_assert(!is_handler(host_handler));
  close_machine(&first);
  check_reported(&second);
  close_machine(&second);
  cr_assert(is_handler(host_handler));
  open_machine(&first, "report", NULL);
  check_reported(&first);
  close_machine(&first);
  cr_assert(is_handler(host_handler));
}

static struct sigaction ours; // what the host found when it set its own

static void host_chains(int signal, siginfo_t *info, void *context) { ours.sa_sigaction(signal, info, context); }

Test(cpu_fault, a_handler_that_the_host_sets_later_stays) {
  set_handler(host_handler, 0);
  struct machine m;
  open_machine(&m, "report", NULL);
  sigaction(SIGSEGV, NULL, &ours);
  set_handler(host_chains, SA_NODEFER);
  for (int i = 0; i < 3; i++) {
    check_reported(&m); // by way of the host's
    check_host_fault();
    close_machine(&m);
    cr_assert(is_handler(host_chains));
    check_host_fault();
    open_machine(&m, "report", NULL);
    cr_assert(is_handler(host_chains));
  }
  close_machine(&m);
}

Test(cpu_fault, what_a_handler_of_the_hosts_blocks_is_unblocked_after_a_fault) {
  struct machine m;
  struct sigaction blocks_all = {.sa_sigaction = host_chains, .sa_flags = SA_SIGINFO};
  sigset_t mask;
  sigfillset(&blocks_all.sa_mask);
  open_machine(&m, "report", NULL);
  sigaction(SIGSEGV, NULL, &ours);
  sigaction(SIGSEGV, &blocks_all, NULL);
  for (int i = 0; i < 3; i++) {
    check_reported(&m);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    for (int k = 1; k < 32; k++)
      cr_assert_eq(sigismember(&mask, k), 0, "signal %d", k);
  }
  sigaction(SIGSEGV, &ours, NULL);
  close_machine(&m);
}

Test(cpu_fault, the_threads_own_alternate_stack_and_mask_stay) {
  struct machine m;
  open_machine(&m, "report", NULL);
  static char memory[128 << 10];
  stack_t own = {.ss_sp = memory, .ss_size = sizeof memory}, now;
  sigset_t mask, mask_now;
  sigemptyset(&mask);
  sigaddset(&mask, SIGSEGV); // blocked, but the kernel's faults come through
  sigaddset(&mask, SIGUSR1);
  for (int i = 0; i < 2; i++) {
    cr_assert_eq(pthread_sigmask(SIG_SETMASK, &mask, NULL), 0);
    check_reported(&m);
    pthread_sigmask(SIG_SETMASK, NULL, &mask_now);
    cr_assert(sigismember(&mask_now, SIGSEGV) && sigismember(&mask_now, SIGUSR1) && !sigismember(&mask_now, SIGBUS));
    sigaltstack(NULL, &now);
    if (i)
      cr_assert(now.ss_sp == memory && now.ss_size == sizeof memory && !now.ss_flags);
    else
      cr_assert(now.ss_flags & SS_DISABLE || SANITIZED);
    cr_assert_eq(sigaltstack(&own, NULL), 0);
  }
  close_machine(&m);
}

// ---- what ends the process

static int end_of(void (*child)(void)) {
  fflush(NULL);
  pid_t pid = fork();
  cr_assert(pid >= 0);
  if (!pid) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(SIGSEGV, &action, NULL);
    child();
    _exit(0);
  }
  int status = 0;
  cr_assert_eq(waitpid(pid, &status, 0), pid);
  return status;
}

static void host_faults(void) {
  struct machine m;
  open_machine(&m, "report", NULL);
  fault_at(64);
}

static void host_is_sent_one(void) {
  struct machine m;
  open_machine(&m, "report", NULL);
  raise(SIGSEGV);
}

static void kernel_faults(const char *faults) {
  struct machine m;
  open_machine(&m, faults, NULL);
  int x[2];
  run(&m, "store", &one_item, x, sizeof x, 0);
}
static void kernel_faults_off(void) { kernel_faults("off"); }
static void kernel_faults_unset(void) {
  unsetenv("COMPILE_FAULTS");
  kernel_faults(NULL);
}
static void kernel_faults_by_environment(void) {
  setenv("COMPILE_FAULTS", "report", 1);
  kernel_faults(NULL);
}

Test(cpu_fault, without_a_handler_of_the_hosts_it_ends_by_the_signal) {
  if (SANITIZED) // sanitizers have handlers
    return;
  void (*const children[])(void) = {host_faults, host_is_sent_one, kernel_faults_off, kernel_faults_unset};
  for (int i = 0; i < 4; i++) {
    int status = end_of(children[i]);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "case %d: status 0x%x", i, status);
  }
  cr_assert_eq(end_of(kernel_faults_by_environment), 0);
}

static int calls[2]; // a pipe

static void count(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info, (void)context;
  (void)!write(calls[1], "x", 1);
}

// It returns, and the instruction faults again.
static void host_resets(void) {
  set_handler(count, (int)SA_RESETHAND);
  host_faults();
}

Test(cpu_fault, a_handler_for_one_signal_gets_one) {
  if (SANITIZED)
    return;
  cr_assert_eq(pipe2(calls, O_NONBLOCK), 0);
  int status = end_of(host_resets);
  cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "status 0x%x", status);
  char text[16];
  cr_assert_eq(read(calls[0], text, sizeof text), 1);
}

static void leave(int signal, siginfo_t *info, void *context) {
  (void)info, (void)context;
  _exit(signal);
}

static void kernel_faults_on_our_threads(void) {
  set_handler(leave, 0);
  struct machine m;
  open_machine(&m, "off", NULL);
  struct kiln_launch_desc range = {.global = {64 << 14}, .local = {64}};
  int x[64] = {0};
  struct kiln_kernel *kernel;
  struct kiln_buffer *buffer;
  uint64_t at = 8;
  cr_assert_eq(kiln_kernel_create(m.program, "groups", &kernel), KILN_OK);
  cr_assert_eq(kiln_buffer_create(m.ctx, &(struct kiln_buffer_desc){.size = sizeof x, .host = x}, &buffer), KILN_OK);
  struct kiln_arg args[2] = {kiln_arg_buffer(buffer), kiln_arg_value(&at, sizeof at)};
  range.args = args;
  range.arg_count = 2;
  kiln_launch(m.stream, kernel, &range, NULL); // large: the stream's thread and the pool's run it
  for (;;)
    pause();
}

// A signal that is blocked when the processor raises it ends the process, whatever handler there is.
Test(cpu_fault, handlers_of_the_host_hear_of_faults_on_our_threads) {
  for (int i = 0; i < 5; i++) {
    int status = end_of(kernel_faults_on_our_threads);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == SIGSEGV, "status 0x%x", status);
  }
}
