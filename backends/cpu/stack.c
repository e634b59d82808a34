#include "backends/cpu/stack.h"

#include <stdint.h>
#include <sys/mman.h>

#define GUARD_BYTES ((size_t)64 << 10) // never accessible, below a stack: a multiple of every page size
#define KEPT_BYTES ((size_t)16 << 20)  // stacks up to this size are kept

// At the upper end of its memory: the stack goes down from here.
struct kiln_cpu_stack {
  _Alignas(16) struct kiln_cpu_stack *next; // of the idle ones
  char *memory;
  size_t size; // of the memory, all counted
};

// ---- calls on another stack

#if defined(__x86_64__) || defined(__aarch64__)
#define CAN_SWITCH true
// Calls fn(user) with the stack pointer at top, a multiple of 16. As far as the processor and unwinding can see, it is
// a call like any other: calls and returns pair, and the frame pointer leads back to the caller's stack.
__attribute__((visibility("hidden"))) void kiln_cpu_call_at(void *top, void (*fn)(void *user), void *user);
__asm__(".text\n"
        ".globl kiln_cpu_call_at\n"
        ".hidden kiln_cpu_call_at\n"
        ".type kiln_cpu_call_at, %function\n"
        "kiln_cpu_call_at:\n"
        ".cfi_startproc\n"
#if defined(__x86_64__)
        "pushq %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "movq %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "movq %rdi, %rsp\n"
        "movq %rdx, %rdi\n"
        "callq *%rsi\n"
        "movq %rbp, %rsp\n"
        "popq %rbp\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
#else
        "stp x29, x30, [sp, #-16]!\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset x29, -16\n"
        ".cfi_offset x30, -8\n"
        "mov x29, sp\n"
        ".cfi_def_cfa_register x29\n"
        "mov sp, x0\n"
        "mov x0, x2\n"
        "blr x1\n"
        "mov sp, x29\n"
        ".cfi_def_cfa_register sp\n"
        "ldp x29, x30, [sp], #16\n"
        ".cfi_def_cfa_offset 0\n"
        "ret\n"
#endif
        ".cfi_endproc\n"
        ".size kiln_cpu_call_at, . - kiln_cpu_call_at\n");
#else
#define CAN_SWITCH false // no other processor runs kernels
static void kiln_cpu_call_at(void *top, void (*fn)(void *user), void *user) { (void)top, (void)fn, (void)user; }
#endif

// ---- memory

static void unmap(struct kiln_cpu_stack *stack) { munmap(stack->memory, stack->size); }

static struct kiln_cpu_stack *map(size_t bytes) {
  size_t size = (bytes + sizeof(struct kiln_cpu_stack) + GUARD_BYTES - 1) / GUARD_BYTES * GUARD_BYTES + GUARD_BYTES;
  char *memory =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    return NULL;
  if (mprotect(memory, GUARD_BYTES, PROT_NONE)) {
    munmap(memory, size);
    return NULL;
  }
  struct kiln_cpu_stack *stack = (struct kiln_cpu_stack *)(memory + size) - 1;
  *stack = (struct kiln_cpu_stack){.memory = memory, .size = size};
  return stack;
}

static size_t usable(const struct kiln_cpu_stack *stack) {
  return stack->size - GUARD_BYTES - sizeof(struct kiln_cpu_stack);
}

static void push(struct kiln_cpu_stacks *stacks, struct kiln_cpu_stack *stack) {
  stack->next = __atomic_load_n(&stacks->idle, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&stacks->idle, &stack->next, stack, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
}

// Takes the whole list and pushes back what is not wanted: no lock, which a fork could leave taken, and nothing that
// reads the next stack of one that others may have.
struct kiln_cpu_stack *kiln_cpu_stack_take(struct kiln_cpu_stacks *stacks, size_t bytes) {
  struct kiln_cpu_stack *rest = __atomic_exchange_n(&stacks->idle, NULL, __ATOMIC_ACQUIRE), *found = NULL;
  while (rest) {
    struct kiln_cpu_stack *stack = rest;
    rest = stack->next;
    if (!found) {
      found = stack;
    } else if (usable(found) < bytes && usable(stack) >= bytes) {
      push(stacks, found);
      found = stack;
    } else {
      push(stacks, stack);
    }
  }
  if (found && usable(found) >= bytes)
    return found;
  if (found)
    unmap(found); // a larger one takes its place
  return map(bytes);
}

void kiln_cpu_stack_give(struct kiln_cpu_stacks *stacks, struct kiln_cpu_stack *stack) {
  if (usable(stack) <= KEPT_BYTES)
    push(stacks, stack);
  else
    unmap(stack);
}

void *kiln_cpu_stack_memory(const struct kiln_cpu_stack *stack, size_t *size) {
  *size = usable(stack);
  return stack->memory + GUARD_BYTES;
}

void kiln_cpu_stacks_free(struct kiln_cpu_stacks *stacks) {
  for (struct kiln_cpu_stack *stack = stacks->idle, *next; stack; stack = next) {
    next = stack->next;
    unmap(stack);
  }
  stacks->idle = NULL;
}

bool kiln_cpu_on_stack(struct kiln_cpu_stacks *stacks, size_t bytes, void (*fn)(void *user), void *user) {
  struct kiln_cpu_stack *stack = CAN_SWITCH ? kiln_cpu_stack_take(stacks, bytes) : NULL;
  if (!stack)
    return false;
  kiln_cpu_call_at(stack, fn, user);
  kiln_cpu_stack_give(stacks, stack);
  return true;
}
