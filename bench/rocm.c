// kiln-bench-rocm: what it costs to compile for an AMD GPU in a process that has compiled before, and how good the code
// is: instructions, registers and spills beside those of clang -O3 on the same OpenCL source, where a clang of the same
// LLVM is installed (only as a peer). No device is needed.
//
//   kiln-bench-rocm [--clang PROGRAM] [--objdump PROGRAM] [--device-libs FOLDER] ARCH FILE.cl...
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <kiln/kiln.h>

#include "backends/rocm/code/codeobject.h"
#include "base/file.h"

enum { RUNS = 15 };

extern char **environ;

struct code {
  uint32_t instructions, vgprs, sgprs, spills, scratch, bytes;
};

static double now_ms(void) { return (double)kiln_now_ns() / 1e6; }

// Time that the process has spent on processors: what a compile takes on a machine that has nothing else to do.
static double cpu_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Runs a program with its output in a file; false: it failed.
static bool run(char *const argv[], const char *out) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, out, 01 | 0100 | 01000, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 01, 0);
  pid_t child;
  int status = -1;
  if (!posix_spawnp(&child, argv[0], &actions, NULL, argv, environ))
    waitpid(child, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  return status == 0;
}

// Instructions of a disassembly: lines that begin with a tab, but for padding.
static uint32_t count_instructions(const char *path) {
  char *text;
  size_t size;
  if (kiln_file_read(path, &text, &size))
    return 0;
  uint32_t count = 0;
  for (char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    if (line[0] == '\t' && strncmp(line, "\ts_code_end", 11) && strncmp(line, "\ts_nop", 6) &&
        strncmp(line, "\tv_nop", 6) && strncmp(line, "\ts_delay_alu", 12) && line[1] != '.')
      count++;
  free(text);
  return count;
}

static bool measure(const char *objdump, const char *arch, const char *path, const char *text_path, struct code *out) {
  char *data, cpu[32];
  size_t size;
  struct kiln_rocm_object object;
  memset(out, 0, sizeof *out);
  if (kiln_file_read(path, &data, &size))
    return false;
  bool ok = !kiln_rocm_object_read(data, size, &object);
  for (uint32_t k = 0; ok && k < object.kernel_count; k++) {
    out->vgprs += object.kernels[k].vgprs;
    out->sgprs += object.kernels[k].sgprs;
    out->spills += object.kernels[k].vgpr_spills + object.kernels[k].sgpr_spills;
    out->scratch += object.kernels[k].private_bytes;
    out->bytes += object.kernels[k].code_bytes;
  }
  kiln_rocm_object_free(&object);
  free(data);
  snprintf(cpu, sizeof cpu, "--mcpu=%.*s", (int)strcspn(arch, ":"), arch);
  char *argv[] = {(char *)objdump, "-d", "--no-show-raw-insn", cpu, (char *)path, NULL};
  ok = ok && run(argv, text_path);
  out->instructions = count_instructions(text_path);
  return ok && out->instructions;
}

// clang's command for the same source. Debian's device libraries know no processor after gfx1036, and no gfx942: for
// those they are given one by one, with the constants of the nearest processor.
struct peer {
  char *argv[64], text[16][600];
  int count, texts;
};

static void add(struct peer *p, const char *format, const char *a, const char *b) {
  snprintf(p->text[p->texts], sizeof p->text[0], format, a, b);
  p->argv[p->count++] = p->text[p->texts++];
}

static void add_library(struct peer *p, const char *folder, const char *name) {
  static const char *const words[] = {"-Xclang", "-mlink-builtin-bitcode", "-Xclang"};
  for (int i = 0; i < 3; i++)
    p->argv[p->count++] = (char *)words[i];
  add(p, "%s/%s.bc", folder, name);
}

static bool compile_clang(const char *clang, const char *folder, const char *arch, const char *file, const char *out) {
  static const char *const fixed[] = {
      "-x", "cl", "-cl-std=CL2.0", "-O3", "-target", "amdgcn-amd-amdhsa", "-mcode-object-version=5"};
  static const char *const libraries[] = {"opencl",
                                          "ocml",
                                          "ockl",
                                          "oclc_daz_opt_off",
                                          "oclc_unsafe_math_off",
                                          "oclc_finite_only_off",
                                          "oclc_correctly_rounded_sqrt_off",
                                          "oclc_abi_version_500"};
  struct peer p = {.count = 0};
  char constants[600];
  int length = (int)strcspn(arch, ":");
  snprintf(constants, sizeof constants, "%s/oclc_isa_version_%.*s.bc", folder, length - 3, arch + 3);
  p.argv[p.count++] = (char *)clang;
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    p.argv[p.count++] = (char *)fixed[i];
  add(&p, "-mcpu=%s%s", arch, "");
  if (!access(constants, R_OK)) {
    add(&p, "--rocm-device-lib-path=%s%s", folder, "");
  } else {
    bool is_small = length > 6; // gfx10 and later: waves of 32
    p.argv[p.count++] = "-nogpulib";
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
      add_library(&p, folder, libraries[i]);
    add_library(&p, folder, is_small ? "oclc_isa_version_1030" : "oclc_isa_version_940");
    add_library(&p, folder, is_small ? "oclc_wavefrontsize64_off" : "oclc_wavefrontsize64_on");
  }
  p.argv[p.count++] = "-o";
  p.argv[p.count++] = (char *)out;
  p.argv[p.count++] = (char *)file;
  return run(p.argv, "/dev/null");
}

static bool compile_kiln(struct kiln_context *ctx, const char *file, const char *out, double *ms) {
  char *text;
  size_t size;
  double times[RUNS], work[RUNS];
  if (kiln_file_read(file, &text, &size))
    return false;
  struct kiln_program_desc desc = {.source = text, .size = size, .name = file};
  for (int i = 0; i < RUNS; i++) {
    struct kiln_program *program;
    struct kiln_program_info info;
    double begin = now_ms(), spent = cpu_ms();
    if (kiln_program_create(ctx, &desc, &program)) {
      free(text);
      return false;
    }
    times[i] = now_ms() - begin;
    work[i] = cpu_ms() - spent;
    kiln_program_info(program, &info);
    kiln_file_write(out, info.artifact, info.artifact_size);
    kiln_program_release(program);
  }
  qsort(times, RUNS, sizeof *times, compare);
  qsort(work, RUNS, sizeof *work, compare);
  ms[0] = times[RUNS / 2];
  ms[1] = work[RUNS / 2];
  free(text);
  return true;
}

int main(int argc, char **argv) {
  const char *clang = "clang-19", *objdump = "llvm-objdump-19", *library = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";
  int at = 1;
  for (; at + 1 < argc && !strncmp(argv[at], "--", 2); at += 2) {
    if (!strcmp(argv[at], "--clang"))
      clang = argv[at + 1];
    else if (!strcmp(argv[at], "--objdump"))
      objdump = argv[at + 1];
    else if (!strcmp(argv[at], "--device-libs"))
      library = argv[at + 1];
  }
  if (argc - at < 2) {
    fprintf(stderr,
            "usage: kiln-bench-rocm [--clang PROGRAM] [--objdump PROGRAM] [--device-libs FOLDER] ARCH FILE.cl...\n");
    return 2;
  }
  const char *arch = argv[at++];
  struct kiln_context *ctx;
  struct kiln_context_desc desc = {.backend = "rocm", .arch = arch, .cache_mode = "off"};
  if (kiln_context_open(&desc, &ctx)) {
    fprintf(stderr, "%s\n", kiln_last_error());
    return 1;
  }
  char folder[] = "/tmp/kiln-bench-rocm-XXXXXX", ours[64], theirs[64], listing[64];
  if (!mkdtemp(folder))
    return 1;
  snprintf(ours, sizeof ours, "%s/kiln.o", folder);
  snprintf(theirs, sizeof theirs, "%s/clang.o", folder);
  snprintf(listing, sizeof listing, "%s/listing", folder);
  printf("%-26s %17s | %22s | %22s | %s\n", arch, "ms: wall, CPU", "kiln: insts vgpr spill", "clang: insts vgpr spill",
         "ratio");
  double log_insts = 0, log_vgprs = 0;
  int pairs = 0;
  uint32_t spills[2] = {0, 0};
  for (; at < argc; at++) {
    double ms[2] = {0, 0};
    struct code a, b;
    const char *name = strrchr(argv[at], '/') ? strrchr(argv[at], '/') + 1 : argv[at];
    if (!compile_kiln(ctx, argv[at], ours, ms) || !measure(objdump, arch, ours, listing, &a)) {
      printf("%-26s not compiled\n", name);
      continue;
    }
    printf("%-26s %8.2f %8.2f | %14u %4u %4u", name, ms[0], ms[1], a.instructions, a.vgprs, a.spills);
    if (compile_clang(clang, library, arch, argv[at], theirs) && measure(objdump, arch, theirs, listing, &b)) {
      double ratio = (double)a.instructions / b.instructions;
      printf(" | %14u %4u %4u | %.2f%s\n", b.instructions, b.vgprs, b.spills, ratio, ratio > 1.1 ? " *" : "");
      log_insts += log(ratio);
      log_vgprs += log((double)(a.vgprs + 1) / (b.vgprs + 1));
      spills[0] += a.spills;
      spills[1] += b.spills;
      pairs++;
    } else {
      printf(" | %14s\n", "-");
    }
  }
  if (pairs)
    printf("%d kernels, kiln / clang in the geometric mean: instructions %.3f, VGPRs %.3f; spills %u and %u\n", pairs,
           exp(log_insts / pairs), exp(log_vgprs / pairs), spills[0], spills[1]);
  unlink(ours);
  unlink(theirs);
  unlink(listing);
  rmdir(folder);
  kiln_context_close(ctx);
  return 0;
}
