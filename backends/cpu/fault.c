#include "backends/cpu/fault.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

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
  sigjmp_buf back; // reached with an enum kiln_cpu_guarded
  sigset_t mask;   // to go on with from there
  const struct kiln_host_stop *stop;
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

// With the mask that the other handler would have without us.
static void pass_on(int which, siginfo_t *info, ucontext_t *context) {
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
  sigset_t old, own;
  pthread_sigmask(SIG_BLOCK, &action->sa_mask, &old);
  sigemptyset(&own);
  sigaddset(&own, signal);
  if (action->sa_flags & SA_NODEFER && !sigismember(&action->sa_mask, signal) &&
      !sigismember(&context->uc_sigmask, signal))
    pthread_sigmask(SIG_UNBLOCK, &own, NULL);
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

// Signals that interrupt kernels carry this address, which no other signal of the process does.
static void *interrupt_mark(void) { return &references; }

static bool is_interrupt(const siginfo_t *info) {
  return info->si_signo == SIGSEGV && info->si_code == SI_QUEUE && info->si_value.sival_ptr == interrupt_mark() &&
         info->si_pid == getpid();
}

static _Noreturn void leave(struct kiln_cpu_guard *guard, const sigset_t *mask, enum kiln_cpu_guarded end) {
  guard->mask = *mask;
  siglongjmp(guard->back, end);
}

static void on_signal(int signal, siginfo_t *info, void *user) {
  struct kiln_cpu_guard *guard = current;
  ucontext_t *context = user;
  if (is_interrupt(info)) { // it may come late, when the thread does something else
    if (guard && kiln_host_stops(guard->stop))
      leave(guard, &context->uc_sigmask, KILN_CPU_STOPPED);
    return;
  }
  if (guard && is_fault(info)) {
    *guard->fault = (struct kiln_cpu_fault){signal, info->si_code, (uintptr_t)info->si_addr, program_counter(context)};
    leave(guard, &context->uc_sigmask, KILN_CPU_FAULTED);
  }
  for (int i = 0; i < SIGNALS; i++)
    if (signals[i] == signal)
      pass_on(i, info, context);
}

void kiln_cpu_faults_acquire(void) {
  // The signal is blocked while it runs (no SA_NODEFER): interrupts may come faster than it returns.
  struct sigaction ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
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

bool kiln_cpu_can_interrupt(void) {
  struct sigaction now;
  return sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_signal;
}

void kiln_cpu_interrupt(pthread_t thread) {
  pthread_sigqueue(thread, SIGSEGV, (union sigval){.sival_ptr = interrupt_mark()});
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
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (guard && kiln_host_stops(guard->stop)) { // the signal may have come meanwhile
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    leave(guard, &mask, KILN_CPU_STOPPED);
  }
}

// In a frame of its own, whose variables do not change between the two returns of sigsetjmp. Handlers have the default
// state of floats, as kernels do.
enum kiln_cpu_guarded kiln_cpu_guard(const struct kiln_host_stop *stop, void (*fn)(void *user), void *user,
                                     struct kiln_cpu_fault *fault) {
  struct kiln_cpu_guard guard = {.stop = stop, .fault = fault};
  int end = sigsetjmp(guard.back, 0); // without the mask, which takes a system call
  if (end == KILN_CPU_DONE) {
    kiln_cpu_guard_resume(&guard);
    fn(user);
    kiln_cpu_guard_suspend();
    return KILN_CPU_DONE;
  }
  kiln_cpu_guard_suspend();
  pthread_sigmask(SIG_SETMASK, &guard.mask, NULL);
  return end == KILN_CPU_STOPPED ? KILN_CPU_STOPPED : KILN_CPU_FAULTED;
}

bool kiln_cpu_unblock(sigset_t *before) {
  sigset_t raised;
  sigemptyset(&raised);
  for (int i = 0; i < SIGNALS; i++)
    sigaddset(&raised, signals[i]);
  pthread_sigmask(SIG_UNBLOCK, &raised, before);
  bool blocked = false;
  for (int i = 0; i < SIGNALS; i++)
    blocked |= sigismember(before, signals[i]) == 1;
  return blocked;
}
