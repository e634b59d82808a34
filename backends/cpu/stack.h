// Stacks for kernels that need more than the caller's thread may have left: memory of the driver's own, with a guard
// below. A stack serves one call at a time and is kept for the next one, so there are no more than threads that run
// kernels at the same time; large ones are given back to the system after each call.
#ifndef KILN_BACKENDS_CPU_STACK_H
#define KILN_BACKENDS_CPU_STACK_H

#include <stdbool.h>
#include <stddef.h>

struct kiln_cpu_stack;

struct kiln_cpu_stacks {       // begins as {0}
  struct kiln_cpu_stack *idle; // atomic
};

// No call is in progress.
void kiln_cpu_stacks_free(struct kiln_cpu_stacks *stacks);

// A stack of at least so many bytes, to be given back; NULL: there is no memory for one.
struct kiln_cpu_stack *kiln_cpu_stack_take(struct kiln_cpu_stacks *stacks, size_t bytes);
void kiln_cpu_stack_give(struct kiln_cpu_stacks *stacks, struct kiln_cpu_stack *stack);
void *kiln_cpu_stack_memory(const struct kiln_cpu_stack *stack, size_t *size);

// Calls fn(user), on the calling thread, on a stack of at least so many bytes. False: there is no memory for one.
// fn returns; it must not jump out.
bool kiln_cpu_on_stack(struct kiln_cpu_stacks *stacks, size_t bytes, void (*fn)(void *user), void *user);

#endif
