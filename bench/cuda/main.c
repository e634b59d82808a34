// kiln-bench-cuda: how good PTX is, without a device: what the emulator executes, and what ptxas -v says, beside what
// clang -O3 of the same LLVM and NVRTC make of the same source, where they are installed. Every result must be
// interp's.
//
//   kiln-bench-cuda [--json] [--goals] [--clang PROGRAM] [--launches TABLE] ARCH FILE.cl...
//   kiln-bench-cuda --counts TABLE [--bless] ARCH FILE.cl...
//
// A row of a table of launches: FILE KERNEL GLOBAL LOCAL [tolerance=N] [-D…] ARG..., as "kiln run" has the ARGs.
// Other files run as their first "// run:" line says. --counts compares the operations that Kiln's PTX executes with a
// table; --bless writes it. --goals: the exit status is 1 where a kernel executes more than 1.10 of the operations of
// clang's, or all of them more in the geometric mean; and for the registers in the mean, spills and stack.
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "bench/cuda/cuda.h"
#include "tests/cuda/code/ptxas.h"
#include "tools/kiln/json.h"

#define WORST_EXECUTED 1.10
#define WORST_REGISTERS 1.15

enum { RUNS = 15, TOLERANCE_PERCENT = 1, KILN = 0, CLANG, NVRTC, COMPILERS };

static const char *const compilers[COMPILERS] = {"kiln", "clang", "nvrtc"};

struct result {
  bool ok, has_resources;
  char text[256]; // why it is not ok
  struct bench_run run;
  struct bench_resources resources;
  double ms;
};

struct mean {
  double sum;
  unsigned count;
  double worst;
  const char *worst_file;
};

struct bench {
  const char *arch, *clang, *ptxas;
  const char *tables[4];
  struct kiln_context *context;
  struct bench_nvrtc *nvrtc;
  bool as_json, has_goals;
  struct json json;
  struct mean executed[COMPILERS], registers[COMPILERS], ms[COMPILERS]; // Kiln's by theirs
  unsigned failed, worse_spills, worse_stack;
};

static const char *short_name(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash ? slash + 1 : file;
}

static uint32_t sm_of(const char *arch) { return (uint32_t)strtoul(arch + 3, NULL, 10); }

static void add(struct mean *mean, double ours, double theirs, const char *file) {
  if (ours <= 0 || theirs <= 0)
    return;
  mean->sum += log(ours / theirs);
  mean->count++;
  if (ours / theirs > mean->worst) {
    mean->worst = ours / theirs;
    mean->worst_file = file;
  }
}

// ---- one kernel

static bool compile(struct bench *b, int compiler, const struct bench_kernel *kernel, struct bench_code *out,
                    char text[256]) {
  if (compiler == KILN)
    return bench_kiln(b->context, kernel, RUNS, out, text);
  if (compiler == CLANG)
    return bench_clang(b->clang, b->arch, kernel, out, text);
  return bench_nvrtc(b->nvrtc, b->arch, kernel, RUNS / 3, out, text);
}

static void measure(struct bench *b, int compiler, const struct bench_kernel *kernel, struct result *out) {
  struct bench_code code = {0};
  if (!compile(b, compiler, kernel, &code, out->text))
    return;
  out->ms = code.ms;
  if (b->ptxas)
    out->has_resources = bench_ptxas(b->ptxas, b->arch, &code, kernel->name, &out->resources);
  out->ok = bench_run(kernel, sm_of(b->arch), code.ptx, code.size, &out->run, out->text);
  free(code.ptx);
}

static void compare(struct bench *b, const struct result *results, const char *file) {
  const struct result *ours = &results[KILN];
  for (int i = CLANG; i < COMPILERS && ours->ok; i++) {
    const struct result *theirs = &results[i];
    if (!theirs->ok)
      continue;
    add(&b->executed[i], (double)ours->run.executed, (double)theirs->run.executed, file);
    add(&b->ms[i], ours->ms, theirs->ms, file);
    if (ours->has_resources && theirs->has_resources)
      add(&b->registers[i], ours->resources.registers, theirs->resources.registers, file);
  }
  if (ours->has_resources && results[CLANG].has_resources) {
    b->worse_spills += ours->resources.spills > results[CLANG].resources.spills;
    b->worse_stack += ours->resources.stack > results[CLANG].resources.stack;
  }
}

// ---- what is shown

static void print_head(const struct bench *b) {
  printf("%-24s %9s", b->arch, "ms");
  for (int i = 0; i < COMPILERS; i++)
    printf(" | %-6s executed reg stack spill", compilers[i]);
  printf(" | executed, registers by clang's\n");
}

static void print_row(const struct bench *b, const struct result *results, const struct bench_kernel *kernel) {
  const struct result *ours = &results[KILN], *theirs = &results[CLANG];
  double items = (double)bench_items(kernel);
  printf("%-24.24s %9.2f", short_name(kernel->file), ours->ms);
  for (int i = 0; i < COMPILERS; i++) {
    const struct result *r = &results[i];
    if (r->ok)
      printf(" | %15.1f %3u %5u %5u", (double)r->run.executed / items, r->resources.registers, r->resources.stack,
             r->resources.spills);
    else
      printf(" | %15s %3s %5s %5s", "-", "", "", "");
  }
  if (ours->ok && theirs->ok) {
    double ratio = (double)ours->run.executed / (double)theirs->run.executed;
    printf(" | %.3f%s", ratio, ratio > WORST_EXECUTED ? " *" : "");
    if (ours->has_resources && theirs->has_resources) {
      double registers = (double)ours->resources.registers / theirs->resources.registers;
      printf(" %.3f%s", registers, registers > WORST_REGISTERS ? " *" : "");
    }
  }
  putchar('\n');
  for (int i = 0; i < COMPILERS; i++)
    if (!results[i].ok && (i != NVRTC || b->nvrtc))
      printf("    %s: %s\n", compilers[i], results[i].text);
  fflush(stdout);
}

static void write_row(struct bench *b, const struct result *results, const struct bench_kernel *kernel) {
  json_open(&b->json, NULL, '{');
  json_text(&b->json, "file", kernel->file);
  json_text(&b->json, "kernel", kernel->name);
  json_u64(&b->json, "work_items", bench_items(kernel));
  for (int i = 0; i < COMPILERS; i++) {
    const struct result *r = &results[i];
    json_open(&b->json, compilers[i], '{');
    if (r->ok) {
      json_u64(&b->json, "executed", r->run.executed);
      json_double(&b->json, "cpu_ms", r->ms);
    } else {
      json_text(&b->json, "failed", r->text);
    }
    if (r->has_resources) {
      json_u64(&b->json, "registers", r->resources.registers);
      json_u64(&b->json, "stack_bytes", r->resources.stack);
      json_u64(&b->json, "spill_bytes", r->resources.spills);
    }
    json_close(&b->json, '}');
  }
  json_close(&b->json, '}');
}

static double geometric(const struct mean *mean) { return mean->count ? exp(mean->sum / mean->count) : 0; }

static void print_means(const struct bench *b) {
  for (int i = CLANG; i < COMPILERS; i++) {
    const struct mean *executed = &b->executed[i], *registers = &b->registers[i], *ms = &b->ms[i];
    if (!executed->count)
      continue;
    printf("%u kernels, kiln / %s in the geometric mean: executed %.3f (worst %.3f, %s)", executed->count, compilers[i],
           geometric(executed), executed->worst, short_name(executed->worst_file));
    if (registers->count)
      printf(", registers %.3f (worst %.3f, %s)", geometric(registers), registers->worst,
             short_name(registers->worst_file));
    if (ms->count)
      printf(", processor time of compiles %.3f", geometric(ms));
    putchar('\n');
  }
  printf("more spills than clang: %u, more stack: %u; failed: %u\n", b->worse_spills, b->worse_stack, b->failed);
}

static void write_means(struct bench *b) {
  json_open(&b->json, "means", '{');
  for (int i = CLANG; i < COMPILERS; i++) {
    json_open(&b->json, compilers[i], '{');
    json_u64(&b->json, "kernels", b->executed[i].count);
    json_double(&b->json, "executed", geometric(&b->executed[i]));
    json_double(&b->json, "registers", geometric(&b->registers[i]));
    json_double(&b->json, "cpu_ms", geometric(&b->ms[i]));
    json_close(&b->json, '}');
  }
  json_close(&b->json, '}');
}

// A kernel that another compiler does not take is no failure; another result than interp's is one.
static void bench_file(struct bench *b, const char *file) {
  struct bench_kernel kernel;
  struct result results[COMPILERS] = {{.ok = false}};
  char text[256];
  if (!bench_open(&kernel, file, b->tables, text)) {
    fprintf(stderr, "%s: %s\n", file, text);
    bench_close(&kernel);
    b->failed++;
    return;
  }
  for (int i = 0; i < COMPILERS; i++)
    if (i != NVRTC || b->nvrtc)
      measure(b, i, &kernel, &results[i]);
  b->failed += !results[KILN].ok;
  compare(b, results, file);
  if (b->as_json)
    write_row(b, results, &kernel);
  else
    print_row(b, results, &kernel);
  bench_close(&kernel);
}

static bool misses_goals(const struct bench *b) {
  const struct mean *executed = &b->executed[CLANG];
  return !executed->count || geometric(executed) > 1 || executed->worst > WORST_EXECUTED ||
         geometric(&b->registers[CLANG]) > 1 || b->worse_spills || b->worse_stack;
}

static int bench_files(struct bench *b, char **files, int count) {
  b->json.to = stdout;
  if (b->as_json) {
    json_open(&b->json, NULL, '{');
    json_text(&b->json, "arch", b->arch);
    json_open(&b->json, "kernels", '[');
  } else {
    print_head(b);
  }
  for (int i = 0; i < count; i++)
    bench_file(b, files[i]);
  if (b->as_json) {
    json_close(&b->json, ']');
    write_means(b);
    json_close(&b->json, '}');
  } else {
    print_means(b);
  }
  bool misses = b->has_goals && misses_goals(b);
  if (misses)
    fprintf(stderr, "kiln-bench-cuda: the code is worse than clang's\n");
  return b->failed != 0 || misses;
}

// ---- counts

// The number of a row "FILE ARCH: N" of the table; 0: it has none.
static uint64_t wanted_count(const char *table, const char *key) {
  size_t size = strlen(key);
  for (const char *line = table; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    if (!strncmp(line, key, size))
      return strtoull(line + size, NULL, 10);
  return 0;
}

static bool check_count(struct bench *b, const char *file, const char *table, struct kiln_strbuf *rows) {
  struct bench_kernel kernel;
  struct bench_code code = {0};
  struct bench_run run;
  char text[256], key[512];
  bool ok = bench_open(&kernel, file, b->tables, text) && bench_kiln(b->context, &kernel, 1, &code, text) &&
            bench_run(&kernel, sm_of(b->arch), code.ptx, code.size, &run, text);
  if (!ok)
    fprintf(stderr, "%s: %s\n", file, text);
  free(code.ptx);
  bench_close(&kernel);
  if (!ok)
    return false;
  snprintf(key, sizeof key, "%s %s: ", short_name(file), b->arch);
  kiln_strbuf_printf(rows, "%s%llu\n", key, (unsigned long long)run.executed);
  uint64_t wanted = wanted_count(table, key),
           gap = run.executed > wanted ? run.executed - wanted : wanted - run.executed;
  if (gap * 100 <= wanted * TOLERANCE_PERCENT)
    return true;
  printf("%s executes %llu operations, and %llu in the table\n", file, (unsigned long long)run.executed,
         (unsigned long long)wanted);
  return false;
}

static int check_counts(struct bench *b, const char *path, bool bless, char **files, int count) {
  char *table = NULL;
  size_t size;
  unsigned differ = 0;
  struct kiln_strbuf rows = {0};
  kiln_strbuf_puts(&rows, "# Operations that kernels execute in the emulator, on the launches of kiln-bench-cuda.\n");
  if (kiln_file_read(path, &table, &size) && !bless) {
    fprintf(stderr, "kiln-bench-cuda: %s cannot be read\n", path);
    return 2;
  }
  for (int i = 0; i < count; i++)
    differ += !check_count(b, files[i], table ? table : "", &rows);
  if (bless && kiln_file_write(path, rows.data, rows.size))
    fprintf(stderr, "kiln-bench-cuda: %s cannot be written\n", path);
  printf("%d kernels, %u differ\n", count, differ);
  kiln_strbuf_free(&rows);
  free(table);
  return differ && !bless;
}

// ----

static bool has_clang(const char *clang) {
  char command[512];
  snprintf(command, sizeof command, "'%s' --print-targets 2>/dev/null | grep -q nvptx64", clang);
  return system(command) == 0;
}

static int usage(void) {
  fprintf(stderr, "usage: kiln-bench-cuda [--json] [--goals] [--clang PROGRAM] [--launches TABLE] ARCH FILE.cl...\n"
                  "       kiln-bench-cuda --counts TABLE [--bless] ARCH FILE.cl...\n");
  return 2;
}

int main(int argc, char **argv) {
  static const struct option options[] = {{"json", no_argument, NULL, 'j'},
                                          {"clang", required_argument, NULL, 'c'},
                                          {"launches", required_argument, NULL, 'l'},
                                          {"counts", required_argument, NULL, 'n'},
                                          {"bless", no_argument, NULL, 'b'},
                                          {"goals", no_argument, NULL, 'g'},
                                          {NULL, 0, NULL, 0}};
  struct bench b = {.clang = "clang-19", .tables = {BENCH_LAUNCHES, BENCH_EXACT_LAUNCHES}};
  const char *counts = NULL;
  bool bless = false;
  for (int option; (option = getopt_long(argc, argv, "+", options, NULL)) >= 0;) {
    if (option == 'j')
      b.as_json = true;
    else if (option == 'c')
      b.clang = optarg;
    else if (option == 'l')
      b.tables[2] = optarg;
    else if (option == 'n')
      counts = optarg;
    else if (option == 'b')
      bless = true;
    else if (option == 'g')
      b.has_goals = true;
    else
      return usage();
  }
  if (argc - optind < 2 || strncmp(argv[optind], "sm_", 3))
    return usage();
  b.arch = argv[optind++];
  struct kiln_context_desc desc = {.backend = "cuda", .arch = b.arch, .cache_mode = "off"};
  if (kiln_context_open(&desc, &b.context)) {
    fprintf(stderr, "kiln-bench-cuda: %s\n", kiln_last_error());
    return 1;
  }
  int code = 77;
  if (counts) {
    code = check_counts(&b, counts, bless, argv + optind, argc - optind);
  } else if (!has_clang(b.clang)) {
    fprintf(stderr, "kiln-bench-cuda: there is no %s that compiles for NVIDIA GPUs; --clang names one\n", b.clang);
  } else {
    b.ptxas = find_ptxas(b.arch);
    if (!b.ptxas)
      fprintf(stderr, "kiln-bench-cuda: no ptxas for %s (KILN_PTXAS, PATH): registers are not shown\n", b.arch);
    b.nvrtc = bench_nvrtc_open();
    code = bench_files(&b, argv + optind, argc - optind);
    bench_nvrtc_close(b.nvrtc);
  }
  kiln_context_close(b.context);
  return code;
}
