// The parts of kiln-bench-cuda: kernels with their launches, what executes them, and compilers beside Kiln.
#ifndef KILN_BENCH_CUDA_H
#define KILN_BENCH_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kiln/kiln.h"
#include "tools/kiln/run.h"

// ---- launch.c: kernels on given arguments

enum { MAX_ARGUMENTS = 32, MAX_OPTIONS = 16 };

struct bench_kernel {
  const char *file, *name;
  char *source;
  size_t source_size;
  uint64_t global[3], local[3];
  char *words;                      // of the row or run line, cut into what follows
  const char *options[MAX_OPTIONS]; // -D…, -cl-…
  uint32_t option_count;
  double tolerance; // of floats, relative to what interp computes, or absolute below 1; 0: equal bytes
  struct run_arg args[MAX_ARGUMENTS];
  uint32_t arg_count;
  unsigned char *wanted[MAX_ARGUMENTS]; // by argument that is a buffer: its bytes after the launch
  const struct kiln_kernel_info *info;
  struct kiln_context *context; // of interp
  struct kiln_program *program;
  struct kiln_kernel *kernel;
};

// Reads the file and finds its launch: a row of a table (NULL-terminated list of files) that names the file, else its
// first "// run:" line. Runs it by interp. False: why is in text.
bool bench_open(struct bench_kernel *kernel, const char *file, const char *const *tables, char text[256]);
void bench_close(struct bench_kernel *kernel);
uint64_t bench_items(const struct bench_kernel *kernel);

struct bench_run {
  uint64_t executed; // operations, by all work-items
  double difference; // the largest of a float, relative or absolute, where bytes differ; 0: equal bytes
};
// Executes PTX in the emulator, as a device sm_NN. Kernels with a parameter more than the source get Kiln's hidden
// block in it. False: it failed, or the results are not those of interp, and why is in text.
bool bench_run(const struct bench_kernel *kernel, uint32_t sm, const char *ptx, size_t size, struct bench_run *out,
               char text[256]);

// ---- compile.c: PTX of three compilers, all allocated; NULL: why is in text

struct bench_code {
  char *ptx;
  size_t size;
  double ms; // of processor time
};
// Kiln's: the middle of the times of that many compiles.
bool bench_kiln(struct kiln_context *context, const struct bench_kernel *kernel, unsigned runs, struct bench_code *out,
                char text[256]);
bool bench_clang(const char *clang, const char *arch, const struct bench_kernel *kernel, struct bench_code *out,
                 char text[256]);
// NVRTC, which is opened where it is found. NULL: it is not there.
struct bench_nvrtc;
struct bench_nvrtc *bench_nvrtc_open(void);
void bench_nvrtc_close(struct bench_nvrtc *nvrtc);
bool bench_nvrtc(struct bench_nvrtc *nvrtc, const char *arch, const struct bench_kernel *kernel, unsigned runs,
                 struct bench_code *out, char text[256]);

// What ptxas -v says of the kernel. False: nothing.
struct bench_resources {
  uint32_t registers, stack, spills; // spills: bytes that are stored and loaded
};
bool bench_ptxas(const char *ptxas, const char *arch, const struct bench_code *code, const char *kernel,
                 struct bench_resources *out);

#endif
