// Faults of kernels as errors of their launches (COMPILE_FAULTS=report): handlers of SIGSEGV, SIGBUS and SIGFPE, which
// run on alternate stacks and end the call that faulted. A fault is a kernel's if the thread is inside of a guarded
// call and the processor raised it; everything else goes to the handlers that were there before, as if ours were not.
#ifndef KILN_BACKENDS_CPU_FAULT_H
#define KILN_BACKENDS_CPU_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/stack.h"

struct kiln_cpu_fault {
  int signal, code; // as siginfo_t has them
  uintptr_t address, pc;
};

// Who holds a reference keeps the handlers in place. The last release puts back those from before, unless somebody has
// set others since: these may call ours, which then only passes on.
void kiln_cpu_faults_acquire(void);
void kiln_cpu_faults_release(void);

enum kiln_cpu_guarded { KILN_CPU_DONE, KILN_CPU_FAULTED, KILN_CPU_NO_MEMORY };

// Calls fn(user); a fault ends that call, which must hold nothing that somebody has to release. The thread gets
// an alternate stack from stacks if it has none.
enum kiln_cpu_guarded kiln_cpu_guard(struct kiln_cpu_stacks *stacks, void (*fn)(void *user), void *user,
                                     struct kiln_cpu_fault *fault);

// Around code of the host's that a guarded call runs: faults in it are the host's own.
struct kiln_cpu_guard;
struct kiln_cpu_guard *kiln_cpu_guard_suspend(void);
void kiln_cpu_guard_resume(struct kiln_cpu_guard *guard);

#endif
