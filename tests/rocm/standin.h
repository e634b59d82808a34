// A stand-in for libhsa-runtime64, for tests on machines without an AMD GPU. It checks the contract of every call,
// fails on demand, and runs kernels in an emulator (emulator/README.md). Never installed.
//
// It reads, in hsa_init:
//   KILN_STANDIN_GPUS     number of devices (1)
//   KILN_STANDIN_ISA      their ISA (amdgcn-amd-amdhsa--gfx1100)
//   KILN_STANDIN_FAIL     NAME:N: the call number N (from 1) of the function NAME fails; NAME:N+: so do all later ones.
//                         Names without function: "copy" (a copy ends badly), and of kernels "kernel" (the queue
//                         reports an error), "endless" (it never ends), "fault" (a memory fault), "reset" (the device
//                         hangs and is reset, also its copies), "memory" (an error in the device's memory), "shutdown"
//                         (an event that is about no failure)
// standin_hold keeps copies or kernels, or both, from ending until they are released.
//
// What waits for a device that failed never ends: destroying its queues, shutting down. As in the real runtime,
// handlers of events are gone when the last user shuts down, events that no handler takes end the process, and barriers
// and copies wait for signals that are 0, not negative. A broken contract is told on standard error and ends the
// process.
#ifndef KILN_TESTS_ROCM_STANDIN_H
#define KILN_TESTS_ROCM_STANDIN_H

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "backends/rocm/code/codeobject.h"

#define CHECK(condition, ...)                                                                                          \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      standin_broken(__func__, __VA_ARGS__);                                                                           \
  } while (0)
__attribute__((noreturn, format(printf, 2, 3))) void standin_broken(const char *function, const char *format, ...);
// Whether this call of name is the one that is to fail.
bool standin_fails(const char *name);
// Events of newer runtimes have numbers only; those of the first three kinds say that the device failed.
enum { STANDIN_FAULT, STANDIN_RESET, STANDIN_MEMORY_ERROR, STANDIN_SHUTDOWN };
void standin_event(int kind, hsa_agent_t agent);
// Whether the device failed in one of these ways.
bool standin_is_hung(hsa_agent_t agent);
bool standin_copies_end(hsa_agent_t agent);
// What a call does that waits for such a device.
__attribute__((noreturn)) void standin_hang(void);

// Commands of a kind that have begun, and those that begin later, end only when they are no longer held. Exported.
enum standin_kind { STANDIN_COPIES, STANDIN_KERNELS, STANDIN_KINDS };
void standin_hold(enum standin_kind kind, bool hold);
void standin_let_one_end(enum standin_kind kind); // one that is held; returns once that is on its way

struct block { // memory of a pool, or host memory that is pinned
  struct block *next;
  char *base;
  size_t size;
  uint64_t pool;   // 0: pinned
  uint64_t agents; // bits of GPUs that may reach it
};
struct variable { // of an executable, once it has been asked for
  uint64_t magic, address;
  struct variable *next;
};
#define VARIABLE_MAGIC UINT64_C(0x7661726961626c65)
struct executable {
  struct executable *next;
  struct variable *variables;
  uint64_t magic;
  hsa_agent_t agent;
  struct kiln_rocm_object object;
  void *code; // a copy of the code object
  size_t code_size;
  bool frozen;
  struct emulated *emulated; // emulator/run.c: the code in memory; NULL: not loaded yet
  struct kernel *kernels;
};
struct kernel { // what a kernel object points to
  uint64_t magic;
  struct executable *executable;
  const struct kiln_rocm_kernel *code;
};
#define KERNEL_MAGIC UINT64_C(0x6b65726e656c2121)
#define EXECUTABLE_MAGIC UINT64_C(0x6578656375746521)

// The block that holds the range; NULL: none does.
const struct block *standin_block(const void *address, size_t size);
// Memory that the stand-in did not allocate itself.
void standin_add_block(char *base, size_t size, uint64_t pool, uint64_t agents);
void standin_remove_block(const void *base);

// emulator/run.c: runs a dispatch packet to its end.
void standin_run(const hsa_kernel_dispatch_packet_t *packet, hsa_agent_t agent);
// The address of a variable that the executable shows; 0: it shows none of the name.
uint64_t standin_run_variable(struct executable *executable, const char *name);
// The executable is about to go.
void standin_run_forget(struct executable *executable);

#endif
