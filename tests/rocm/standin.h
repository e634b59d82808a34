// A stand-in for libhsa-runtime64, for tests on machines without an AMD GPU. It checks the contract of every call,
// fails on demand, and runs kernels as code that the cpu backend makes of the same source. Never installed.
//
// It reads, in hsa_init:
//   KILN_STANDIN_GPUS     number of devices (1)
//   KILN_STANDIN_ISA      their ISA (amdgcn-amd-amdhsa--gfx1100)
//   KILN_STANDIN_SOURCE   file with the source of the program; else the first *.cl of the command line, with its
//                         -D, -I and -cl- options
//   KILN_STANDIN_DUMP     folder where the compiler left its stages (COMPILE_DUMP_DIR): code objects are looked up
//   there,
//                         and the IR beside them runs on the interpreter, with sub-groups of the wave's size. Instead
//                         of a source
//   KILN_STANDIN_FAIL     NAME:N: the call number N (from 1) of the function NAME fails. Names without function:
//                         "kernel" (the queue reports an error), "fault" (a memory fault), "copy" (a copy ends badly)
// A broken contract is told on standard error and ends the process.
#ifndef KILN_TESTS_ROCM_STANDIN_H
#define KILN_TESTS_ROCM_STANDIN_H

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "backends/rocm/codeobject.h"

#define CHECK(condition, ...)                                                                                          \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      standin_broken(__func__, __VA_ARGS__);                                                                           \
  } while (0)
__attribute__((noreturn, format(printf, 2, 3))) void standin_broken(const char *function, const char *format, ...);
// Whether this call of name is the one that is to fail.
bool standin_fails(const char *name);

struct block { // memory of a pool, or host memory that is pinned
  struct block *next;
  char *base;
  size_t size;
  uint64_t pool;   // 0: pinned
  uint64_t agents; // bits of GPUs that may reach it
};
struct executable {
  struct executable *next;
  uint64_t magic;
  hsa_agent_t agent;
  struct kiln_rocm_object object;
  void *code; // a copy of the code object
  size_t code_size;
  struct kiln_program *program; // run.c: what it runs instead; NULL: not looked for yet, or the one of the source
  bool prints;                  // the program wants the buffer of printf as one more argument
  bool frozen;
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

// run.c: runs a dispatch packet to its end.
void standin_run(const hsa_kernel_dispatch_packet_t *packet, hsa_agent_t agent);
void standin_run_end(void);
// print.c: makes a program in IR append the records of AMDGPU's printf. Takes ir, which is malloc'ed, and gives
// another.
char *standin_print_ir(char *ir, bool *prints);
// The executable is about to go.
void standin_run_forget(struct executable *executable);

#endif
