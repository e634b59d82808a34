// A stand-in for libcuda.so.1 and libnvidia-ml.so.1, for tests on machines without an NVIDIA GPU. It checks the
// contract of every call, fails on demand, and runs kernels in an emulator (emulator/README.md). Never installed.
//
// It reads, in cuInit and nvmlInit_v2:
//   KILN_STANDIN_GPUS     number of devices (1)
//   KILN_STANDIN_SM       what they are: "90"; "90,80": one after the other, the last for all others (90)
//   KILN_STANDIN_DRIVER   the version of CUDA that the driver speaks for ("13.0")
//   KILN_STANDIN_SEED     of the emulator (0)
//   KILN_STANDIN_ROUNDS   1: approximations are rounded correctly with every seed
//   KILN_STANDIN_LOG      a file that gets a line for each fault of a kernel: what the emulator says of it; "-":
//                         standard error. The driver's caller gets the kind of the fault alone, as from the real one
//   KILN_STANDIN_COMPILES file that gets a line for each PTX that is compiled, by a link or by a module that is loaded
//   KILN_STANDIN_FAIL     NAME:N: the call number N (from 1) of the function NAME fails; NAME:N+: so do all later ones;
//                         NAME:N:CODE: with that result. Names without function, of what runs on the device: "fault"
//                         (a kernel accesses memory that is not there), "copy" (so does a copy), "endless" (a kernel
//                         never ends)
// standin_hold keeps copies or kernels, or both, from ending until they are released.
//
// A cubin of the stand-in is the PTX after the head of an ELF file and a line that says what it is for; it runs on
// devices of that major version, as a real one does, whatever .version the PTX has. Real cubins are refused as code for
// other devices.
//
// As in the real driver, an error of the device is the context's for good: every later call with the context returns
// it, and nothing that was enqueued runs. In a child of fork every call fails. Host memory that is not pinned is read
// before a write returns, and a read into it waits for its end; what is pinned is used when the device comes to it.
// Functions that are not loaded may not be launched. A broken contract is told on standard error and ends the process.
#ifndef KILN_TESTS_CUDA_STANDIN_H
#define KILN_TESTS_CUDA_STANDIN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "backends/cuda/driver/api.h"
#include "tests/cuda/emulator/emulator.h"

#define EXPORT __attribute__((visibility("default")))
#define CHECK(condition, ...)                                                                                          \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      standin_broken(__func__, __VA_ARGS__);                                                                           \
  } while (0)
__attribute__((noreturn, format(printf, 2, 3))) void standin_broken(const char *function, const char *format, ...);
// KILN_CU_SUCCESS, or the result that this call of name is to fail with.
kiln_cu_result standin_fails(const char *name, kiln_cu_result usual);

#define MAX_DEVICES 8
struct kiln_cu_context_data { // the primary context of a device
  uint64_t magic;
  int device;
  int retained;
  kiln_cu_result sticky; // atomic: what every call returns
  struct ptx_memory *memory;
  int streams, events, modules, blocks, links; // that are there; atomic
};
#define CONTEXT_MAGIC UINT64_C(0x636f6e7465787421)

struct standin {
  int devices, sm[MAX_DEVICES], version;
  uint64_t seed;
  bool rounds;
  FILE *log; // NULL: none is wanted
  struct kiln_cu_context_data contexts[MAX_DEVICES];
};
extern struct standin standin;
// One thread at a time uses the emulator, and what follows.
extern pthread_mutex_t standin_lock;

// The current context, when a function that needs one is called: *result is what to return where it is NULL.
kiln_cu_context standin_enter(const char *function, kiln_cu_result usual, kiln_cu_result *result);
#define ENTER(usual)                                                                                                   \
  kiln_cu_result failure;                                                                                              \
  kiln_cu_context context = standin_enter(__func__, usual, &failure);                                                  \
  if (!context)                                                                                                        \
  return failure
// KILN_CU_SUCCESS, or what a function without context returns.
kiln_cu_result standin_check_init(const char *function);

enum block_kind { BLOCK_DEVICE, BLOCK_PINNED, BLOCK_REGISTERED, BLOCK_VARIABLE };
struct block {
  struct block *next;
  char *base;
  size_t size;
  enum block_kind kind;
  int device; // of BLOCK_DEVICE and BLOCK_VARIABLE
};
// The block that holds the range; NULL: none does. standin_lock is held.
const struct block *standin_block(uint64_t address, size_t size);
void standin_add_block(char *base, size_t size, enum block_kind kind, int device);
bool standin_remove_block(const void *base, enum block_kind kind, struct block *out);
// Whether the host memory is pinned or registered as a whole. Takes the lock.
bool standin_is_pinned(const void *host, size_t size);

struct kiln_cu_module_data {
  uint64_t magic;
  kiln_cu_context context;
  struct ptx_module *ptx;
  struct kiln_cu_function_data *functions;
};
struct kiln_cu_function_data {
  uint64_t magic;
  kiln_cu_module module;
  const struct ptx_entry *entry;
  struct kiln_cu_function_data *next;
  bool loaded;
  uint32_t max_dynamic; // bytes of dynamic shared memory that a launch may have
};
#define MODULE_MAGIC UINT64_C(0x6d6f64756c652121)
#define FUNCTION_MAGIC UINT64_C(0x66756e6374696f6e)
uint32_t standin_shared_bytes(int sm);
// Compiles PTX for a device; standin_lock is held. *out NULL: it failed.
kiln_cu_result standin_compile(const char *text, int device, struct ptx_module **out, struct ptx_error *error);
// Puts a text where options of a compile want the log of errors.
void standin_put_log(unsigned count, const int *names, void **values, const char *text);
#define STANDIN_CUBIN_HEAD 64
#define STANDIN_CUBIN "stand-in cubin sm_"

// standin_stream.c: waits until the streams of the context have nothing to do.
void standin_await_context(kiln_cu_context context);

// Commands of a kind that have begun, and those that begin later, end only when they are no longer held. Exported.
enum standin_kind { STANDIN_COPIES, STANDIN_KERNELS, STANDIN_KINDS };
void standin_hold(enum standin_kind kind, bool hold);
void standin_let_one_end(enum standin_kind kind); // one that is held; returns once that is on its way

#endif
