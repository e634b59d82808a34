// PTX of Kiln, clang and NVRTC, and what ptxas says of it.
#include <dlfcn.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "bench/cuda/cuda.h"
#include "tests/cuda/code/ptxas.h"

enum { MAX_RUNS = 64, LOG_BYTES = 1 << 16 };

extern char **environ;

// Time that the process has spent on processors.
static double cpu_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double middle(double *times, unsigned count) {
  qsort(times, count, sizeof *times, compare_doubles);
  return times[count / 2];
}

// ---- Kiln

bool bench_kiln(struct kiln_context *context, const struct bench_kernel *kernel, unsigned runs, struct bench_code *out,
                char text[256]) {
  double times[MAX_RUNS];
  char options[1024] = "";
  for (uint32_t i = 0; i < kernel->option_count; i++)
    snprintf(options + strlen(options), sizeof options - strlen(options), "%s ", kernel->options[i]);
  struct kiln_program_desc desc = {
      .source = kernel->source, .size = kernel->source_size, .name = kernel->file, .options = options};
  *out = (struct bench_code){0};
  for (unsigned i = 0; i < runs && i < MAX_RUNS; i++) {
    struct kiln_program *program;
    struct kiln_program_info info;
    double begin = cpu_ms();
    if (kiln_program_create(context, &desc, &program)) {
      snprintf(text, 256, "%.250s", kiln_last_error());
      free(out->ptx);
      return false;
    }
    times[i] = cpu_ms() - begin;
    kiln_program_info(program, &info);
    free(out->ptx);
    out->ptx = strndup(info.artifact, info.artifact_size);
    out->size = info.artifact_size;
    kiln_program_release(program);
  }
  out->ms = middle(times, runs);
  return out->ptx != NULL;
}

// ---- clang

// Runs a program without output. Its exit status; -1: it did not run.
static int run(char *const argv[]) {
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status = -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 01, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 01, 0);
  if (!posix_spawnp(&child, argv[0], &actions, NULL, argv, environ))
    waitpid(child, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool bench_clang(const char *clang, const char *arch, const struct bench_kernel *kernel, struct bench_code *out,
                 char text[256]) {
  char path[] = "/tmp/kiln-bench-cuda-XXXXXX", processor[32];
  const char *argv[32 + MAX_OPTIONS] = {clang,
                                        "-x",
                                        "cl",
                                        "-cl-std=CL3.0",
                                        "-O3",
                                        "--target=nvptx64",
                                        processor,
                                        "-Xclang",
                                        "-finclude-default-header",
                                        "-include",
                                        BENCH_WORK_ITEMS};
  int count = 11, file = mkstemp(path);
  *out = (struct bench_code){0};
  snprintf(processor, sizeof processor, "-march=%s", arch);
  for (uint32_t i = 0; i < kernel->option_count; i++)
    argv[count++] = kernel->options[i];
  const char *const last[] = {"-S", kernel->file, "-o", path};
  for (size_t i = 0; i < sizeof last / sizeof *last; i++)
    argv[count++] = last[i];
  bool ok = file >= 0 && run((char *const *)argv) == 0 && !kiln_file_read(path, &out->ptx, &out->size);
  if (!ok)
    snprintf(text, 256, "clang does not compile it");
  close(file);
  unlink(path);
  return ok;
}

// ---- NVRTC

#define NVRTC(row)                                                                                                     \
  row(create, nvrtcCreateProgram, void **, const char *, const char *, int, const char *const *, const char *const *)  \
      row(compile, nvrtcCompileProgram, void *, int, const char *const *) row(destroy, nvrtcDestroyProgram, void **)   \
          row(log_size, nvrtcGetProgramLogSize, void *, size_t *) row(log, nvrtcGetProgramLog, void *, char *)         \
              row(ptx_size, nvrtcGetPTXSize, void *, size_t *) row(ptx, nvrtcGetPTX, void *, char *)

struct bench_nvrtc {
  void *library;
#define MEMBER(member, symbol, ...) int (*member)(__VA_ARGS__);
  NVRTC(MEMBER)
};

struct bench_nvrtc *bench_nvrtc_open(void) {
  static const char *const names[] = {"libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so", "libnvrtc.so.13",
                                      "libnvrtc.so.12"};
  struct bench_nvrtc *n = calloc(1, sizeof *n);
  for (size_t i = 0; n && !n->library && i < sizeof names / sizeof *names; i++)
    n->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  bool ok = n && n->library;
#define FIND(member, symbol, ...) ok = ok && (*(void **)&n->member = dlsym(n->library, #symbol)) != NULL;
  NVRTC(FIND)
  if (ok)
    return n;
  bench_nvrtc_close(n);
  return NULL;
}

void bench_nvrtc_close(struct bench_nvrtc *n) {
  if (n && n->library)
    dlclose(n->library);
  free(n);
}

// Words of OpenCL C in CUDA C. They cannot be macros: CUDA's own __global__ is made of the word "global".
static const struct {
  const char *word, *text;
} words[] = {
    {"kernel", "extern \"C\" __global__"},
    {"__kernel", "extern \"C\" __global__"},
    {"global", ""},
    {"__global", ""},
    {"constant", ""},
    {"local", "__shared__"},
    {"restrict", "__restrict__"},
};

// What the kernels that can be CUDA C need of OpenCL C.
static const char cuda_c[] = "typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned int uint;\n"
                             "typedef unsigned long ulong;\n"
                             "#define PICK(d, name) ((size_t)((d) == 0 ? name.x : (d) == 1 ? name.y : name.z))\n"
                             "#define get_local_id(d) PICK(d, threadIdx)\n"
                             "#define get_local_size(d) PICK(d, blockDim)\n"
                             "#define get_group_id(d) PICK(d, blockIdx)\n"
                             "#define get_num_groups(d) PICK(d, gridDim)\n"
                             "#define get_global_id(d) (PICK(d, blockIdx) * PICK(d, blockDim) + PICK(d, threadIdx))\n"
                             "#define get_global_size(d) (PICK(d, gridDim) * PICK(d, blockDim))\n"
                             "#define barrier(flags) __syncthreads()\n"
                             "#define mad(x, y, z) fmaf(x, y, z)\n"
                             "#define popcount(x) __popc(x)\n"
                             "#define rotate(x, n) (((x) << (n)) | ((x) >> (32 - (n))))\n"
                             "#define clamp(x, low, high) min(max(x, low), high)\n"
                             "#define atomic_add(p, v) atomicAdd(p, v)\n"
                             "#define atomic_inc(p) atomicAdd(p, 1)\n"
                             "#line 1\n";

static bool is_word(char c) { return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z'); }

static void put_word(struct kiln_strbuf *out, const char *word, size_t size) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i].word) == size && !memcmp(words[i].word, word, size)) {
      kiln_strbuf_puts(out, words[i].text);
      return;
    }
  kiln_strbuf_append(out, word, size);
}

static char *to_cuda_c(const struct bench_kernel *kernel) {
  struct kiln_strbuf out = {0};
  kiln_strbuf_puts(&out, cuda_c);
  for (const char *at = kernel->source; *at;) {
    size_t size = 0;
    while (is_word(at[size]))
      size++;
    put_word(&out, at, size ? size : 1);
    at += size ? size : 1;
  }
  return kiln_strbuf_take(&out);
}

// The first line of what NVRTC says.
static void read_log(struct bench_nvrtc *n, void *program, char text[256]) {
  size_t size = 0;
  char *log = n->log_size(program, &size) ? NULL : calloc(size + 1, 1);
  if (log && n->log(program, log) == 0)
    snprintf(text, 256, "%.*s", (int)(strcspn(log, "\n") < 250 ? strcspn(log, "\n") : 250), log);
  free(log);
}

static bool compile_once(struct bench_nvrtc *n, const char *source, const char *const *options, int count,
                         struct bench_code *out, char text[256]) {
  void *program = NULL;
  snprintf(text, 256, "NVRTC does not compile it");
  if (n->create(&program, source, "kernel.cu", 0, NULL, NULL))
    return false;
  bool ok = n->compile(program, count, options) == 0 && n->ptx_size(program, &out->size) == 0;
  out->ptx = ok ? malloc(out->size + 1) : NULL;
  ok = out->ptx && n->ptx(program, out->ptx) == 0;
  if (!ok)
    read_log(n, program, text);
  n->destroy(&program);
  if (ok)
    out->size = strlen(out->ptx);
  return ok;
}

bool bench_nvrtc(struct bench_nvrtc *nvrtc, const char *arch, const struct bench_kernel *kernel, unsigned runs,
                 struct bench_code *out, char text[256]) {
  char target[48], *source = to_cuda_c(kernel);
  const char *options[4 + MAX_OPTIONS] = {target, "-default-device", "-w"};
  double times[MAX_RUNS];
  int count = 3;
  *out = (struct bench_code){0};
  snprintf(target, sizeof target, "--gpu-architecture=compute_%s", arch + 3);
  for (uint32_t i = 0; i < kernel->option_count; i++)
    if (!strncmp(kernel->options[i], "-D", 2))
      options[count++] = kernel->options[i];
  bool ok = source != NULL;
  for (unsigned i = 0; i < runs && i < MAX_RUNS && ok; i++) {
    double begin = cpu_ms();
    free(out->ptx);
    ok = compile_once(nvrtc, source, options, count, out, text);
    times[i] = cpu_ms() - begin;
  }
  free(source);
  if (ok)
    out->ms = middle(times, runs);
  return ok;
}

// ---- ptxas

static uint32_t number_before(const char *text, const char *end, const char *what) {
  const char *at = strstr(text, what);
  if (!at || at >= end)
    return 0;
  while (at > text && (at[-1] == ' ' || (at[-1] >= '0' && at[-1] <= '9')))
    at--;
  return (uint32_t)strtoul(at, NULL, 10);
}

bool bench_ptxas(const char *ptxas, const char *arch, const struct bench_code *code, const char *kernel,
                 struct bench_resources *out) {
  char *log = malloc(LOG_BYTES), name[256];
  *out = (struct bench_resources){0};
  if (!log)
    return false;
  snprintf(name, sizeof name, "'%s'", kernel);
  bool ok = run_ptxas(ptxas, arch, code->ptx, code->size, log, LOG_BYTES) == 0;
  const char *begin = ok ? strstr(log, name) : NULL, *end = begin ? strstr(begin + 1, "Compiling entry") : NULL;
  if (begin) {
    end = end ? end : begin + strlen(begin);
    out->registers = number_before(begin, end, " registers");
    out->stack = number_before(begin, end, " bytes stack frame");
    out->spills = number_before(begin, end, " bytes spill stores") + number_before(begin, end, " bytes spill loads");
  }
  free(log);
  return begin != NULL;
}
