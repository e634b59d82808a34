#include "backends/cpu/fault.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#define HANDLER_STACK ((size_t)256 << 10) // handlers of the host's may run on it as well

// ---- the handlers
//
// Dispositions of signals belong to the process, and so does what is known of them.

enum { SIGNALS = 3 };
static const int signals[SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned references;              // guarded by lock
static bool placed[SIGNALS];             // guarded by lock: ours is, or is somewhere below others
static struct sigaction before[SIGNALS]; // written before ours is placed
static bool ended[SIGNALS];              // atomic: the one from before was for one signal only (SA_RESETHAND)

struct kiln_cpu_guard {
  sigjmp_buf back;
  struct kiln_cpu_fault *fault;
};

// The guarded call that the thread is in. In the room that every thread has from its start: a handler may allocate
// nothing.
static _Thread_local struct kiln_cpu_guard *current __attribute__((tls_model("initial-exec")));

static uintptr_t program_counter(const ucontext_t *context) {
#if defined(__x86_64__)
  return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (uintptr_t)context->uc_mcontext.pc;
#else
  (void)context;
  return 0;
#endif
}

// What would have happened without us: the processor raises the signal again when the handler returns; one that was
// sent is sent again.
static void do_default(int signal, const siginfo_t *info) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigaction(signal, &action, NULL);
  if (info->si_code <= 0)
    raise(signal);
}

static void pass_on(int which, siginfo_t *info, void *context) {
  const struct sigaction *action = &before[which];
  int signal = signals[which];
  bool plain = !(action->sa_flags & SA_SIGINFO), sent = info->si_code <= 0;
  if (plain && action->sa_handler == SIG_IGN && sent)
    return;
  if ((plain && (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN)) ||
      (action->sa_flags & (int)SA_RESETHAND && __atomic_exchange_n(&ended[which], true, __ATOMIC_RELAXED))) {
    do_default(signal, info);
    return;
  }
  sigset_t mask = action->sa_mask, old;
  if (!(action->sa_flags & SA_NODEFER))
    sigaddset(&mask, signal);
  pthread_sigmask(SIG_BLOCK, &mask, &old);
  if (plain)
    action->sa_handler(signal);
  else
    action->sa_sigaction(signal, info, context);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

// Whether the processor raised it over the instruction that the thread was at.
static bool is_fault(const siginfo_t *info) {
  return info->si_code > 0 && !(info->si_signo == SIGBUS && info->si_code == BUS_MCEERR_AO);
}

static void on_signal(int signal, siginfo_t *info, void *context) {
  struct kiln_cpu_guard *guard = current;
  if (guard && is_fault(info)) {
    *guard->fault = (struct kiln_cpu_fault){signal, info->si_code, (uintptr_t)info->si_addr, program_counter(context)};
    siglongjmp(guard->back, 1);
  }
  for (int i = 0; i < SIGNALS; i++)
    if (signals[i] == signal)
      pass_on(i, info, context);
}

void kiln_cpu_faults_acquire(void) {
  // No signal is blocked while it runs, so that a jump out of it need not restore any.
  struct sigaction ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART};
  pthread_mutex_lock(&lock);
  for (int i = 0; references == 0 && i < SIGNALS; i++) {
    if (placed[i])
      continue;
    sigaction(signals[i], NULL, &before[i]);
    __atomic_store_n(&ended[i], false, __ATOMIC_RELAXED);
    sigaction(signals[i], &ours, NULL);
    placed[i] = true;
  }
  references++;
  pthread_mutex_unlock(&lock);
}

void kiln_cpu_faults_release(void) {
  pthread_mutex_lock(&lock);
  references--;
  for (int i = 0; references == 0 && i < SIGNALS; i++) {
    struct sigaction now;
    sigaction(signals[i], NULL, &now);
    if (!(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != on_signal)
      continue;
    sigaction(signals[i], &before[i], NULL);
    placed[i] = false;
  }
  pthread_mutex_unlock(&lock);
}

// ---- guarded calls

struct kiln_cpu_guard *kiln_cpu_guard_suspend(void) {
  struct kiln_cpu_guard *guard = current;
  current = NULL;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return guard;
}

void kiln_cpu_guard_resume(struct kiln_cpu_guard *guard) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  current = guard;
}

// In a frame of its own, whose variables do not change between the two returns of sigsetjmp. Handlers have the default
// state of floats, as kernels do.
static bool call(void (*fn)(void *user), void *user, struct kiln_cpu_fault *fault) {
  struct kiln_cpu_guard guard = {.fault = fault}, *outer = kiln_cpu_guard_suspend();
  bool done = !sigsetjmp(guard.back, 0);
  if (done) {
    kiln_cpu_guard_resume(&guard);
    fn(user);
  }
  kiln_cpu_guard_resume(outer);
  return done;
}

enum kiln_cpu_guarded kiln_cpu_guard(struct kiln_cpu_stacks *stacks, void (*fn)(void *user), void *user,
                                     struct kiln_cpu_fault *fault) {
  struct kiln_cpu_stack *stack = NULL;
  stack_t old, own = {0};
  sigset_t raised, mask;
  sigaltstack(NULL, &old);
  if (old.ss_flags & SS_DISABLE) {
    stack = kiln_cpu_stack_take(stacks, HANDLER_STACK);
    if (!stack)
      return KILN_CPU_NO_MEMORY;
    own.ss_sp = kiln_cpu_stack_memory(stack, &own.ss_size);
    sigaltstack(&own, NULL);
  }
  sigemptyset(&raised); // a signal that is blocked when the processor raises it ends the process
  for (int i = 0; i < SIGNALS; i++)
    sigaddset(&raised, signals[i]);
  pthread_sigmask(SIG_UNBLOCK, &raised, &mask);
  bool done = call(fn, user, fault);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  if (stack || !done) // one of the host's may have been disarmed by the handler's start (SS_AUTODISARM)
    sigaltstack(&old, NULL);
  if (stack)
    kiln_cpu_stack_give(stacks, stack);
  return done ? KILN_CPU_DONE : KILN_CPU_FAULTED;
}
