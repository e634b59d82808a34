// Faults of kernels as errors of their launches (COMPILE_FAULTS=report): handlers of SIGSEGV, SIGBUS and SIGFPE end the
// call that faulted. A fault is a kernel's if the thread is inside of a guarded call and the processor raised it;
// everything else goes to the handlers that were there before, as if ours were not. With the same handlers a guarded
// call can be interrupted, so that a launch can be cancelled whose kernel never ends.
#ifndef KILN_BACKENDS_CPU_FAULT_H
#define KILN_BACKENDS_CPU_FAULT_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "backends/host/host.h"

struct kiln_cpu_fault {
  int signal, code; // as siginfo_t has them
  uintptr_t address, pc;
};

// Who holds a reference keeps the handlers in place. The last release puts back those from before, unless somebody has
// set others since: these may call ours, which then only passes on.
void kiln_cpu_faults_acquire(void);
void kiln_cpu_faults_release(void);

enum kiln_cpu_guarded { KILN_CPU_DONE, KILN_CPU_FAULTED, KILN_CPU_STOPPED };

// Calls fn(user); a fault ends that call, and so does an interrupt once stop says so. The call must hold nothing that
// has to be released. The signals that the processor raises are not blocked on the thread.
enum kiln_cpu_guarded kiln_cpu_guard(const struct kiln_host_stop *stop, void (*fn)(void *user), void *user,
                                     struct kiln_cpu_fault *fault);
// Unblocks these signals: one that is blocked when the processor raises it ends the process. True: some were blocked,
// and the caller sets the mask from before again.
bool kiln_cpu_unblock(sigset_t *before);

// Around code of the host's that a guarded call runs: faults in it are the host's own, and it is not interrupted.
struct kiln_cpu_guard;
struct kiln_cpu_guard *kiln_cpu_guard_suspend(void);
void kiln_cpu_guard_resume(struct kiln_cpu_guard *guard);

// Whether interrupts come to our handler: the host has set none of its own since ours were placed.
bool kiln_cpu_can_interrupt(void);
// Ends the guarded call that the thread is in, if its stop says so. The thread must not end meanwhile.
void kiln_cpu_interrupt(pthread_t thread);

#endif
