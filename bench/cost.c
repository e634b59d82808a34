// kiln-bench-cost: measures rows of backends/llvm/plan/cost.def on this machine, beside what the table says.
//   kiln-bench-cost [-a x86-64-v2|x86-64-v3|x86-64-v4|znver4] [-q]
//   -a: for these registers; else for all that the machine has. -q: fewer repetitions, as a test of the program.
// Every figure comes from the least processor time of several runs on one thread.
#include <getopt.h>
#include <kiln/kiln.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum kind { AVX512, ZEN, AVX, SSE, NEON, KINDS };

static const char *const arches[KINDS] = {"x86-64-v4", "znver4", "x86-64-v3", "x86-64-v2", "aarch64"};
static const unsigned lanes_of[KINDS] = {16, 16, 8, 4, 4};

static const struct row {
  const char *name, *unit;
  unsigned numbers[KINDS];
} rows[] = {
#define KILN_COST(name, avx512, zen, avx, sse, neon, unit, text) {#name, unit, {avx512, zen, avx, sse, neon}},
#define KILN_COST_ALL(name, number, unit, text) {#name, unit, {number, number, number, number, number}},
#include "backends/llvm/plan/cost.def"
};

struct bench {
  struct kiln_context *context;
  struct kiln_stream *stream;
  enum kind kind;
  unsigned runs, iterations;
};

static void check(enum kiln_status status) {
  if (status == KILN_OK)
    return;
  fprintf(stderr, "kiln-bench-cost: %s\n", kiln_last_error());
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void open_bench(struct bench *b, const char *arch) {
  struct kiln_context_desc desc = {.backend = "cpu", .arch = arch, .cache_mode = "off"};
  check(kiln_context_open(&desc, &b->context));
  check(kiln_stream_create(b->context, 0, &b->stream));
}

static void close_bench(struct bench *b) {
  kiln_stream_release(b->stream);
  kiln_context_close(b->context);
}

// One kernel of the text below: its arguments are a buffer of numbers and n.
struct kernel {
  const char *name;
  unsigned lanes, items;
  char macros[64];
  size_t bytes;
  void (*fill)(uint32_t *buffer, size_t count, unsigned parameter);
  unsigned parameter;
};

static const char source[] =
    // C chains of dependent operations.
    "kernel void chains(global float *x, int n) {\n"
    "  float s[C], a = x[1], b = x[2];\n"
    "  for (int c = 0; c < C; c++) s[c] = x[get_global_id(0) + c];\n"
    "  for (int k = 0; k < n; k++)\n"
    "    for (int c = 0; c < C; c++) s[c] = s[c] * a + b;\n"
    "  float sum = 0;\n"
    "  for (int c = 0; c < C; c++) sum += s[c];\n"
    "  x[get_global_id(0)] = sum;\n"
    "}\n"
    // Four gathers that do not wait for one another per iteration, and C operations for each, of loops that lanes leave
    // one after another.
    "kernel void gathers(global float *x, int n) {\n"
    "  int l = get_global_id(0), m = n | 1;\n"
    "  float s[4] = {0}, a = x[1];\n"
    "  for (int k = 0; k < n + (l & 3); k++)\n"
    "    for (int g = 0; g < 4; g++) {\n"
    "      float v = x[(l * 37 + (4 * k + g) * m) & 1023];\n"
    "      s[g] += v;\n"
    "      for (int c = 0; c < C; c++) s[g] = s[g] * a + v;\n"
    "    }\n"
    "  x[1024 + l] = s[0] + s[1] + s[2] + s[3];\n"
    "}\n"
    // Each element is in a line of its own (C: 16), or all are side by side (1).
    "kernel void strided(global float *x, int n) {\n"
    "  size_t l = get_global_id(0), size = get_global_size(0);\n"
    "  float sum = 0;\n"
    "  for (int k = 0; k < n; k++) sum += x[(l + (k & 1023) * size) * C];\n"
    "  x[l * C] = sum;\n"
    "}\n"
    // From element to element: each says which is next.
    "kernel void walk(global uint *x, int n) {\n"
    "  uint at = 0;\n"
    "  for (int k = 0; k < n; k++) at = x[at];\n"
    "  x[1] = at;\n"
    "}\n";

// Small numbers, whose products and sums stay normal.
static void fill_numbers(uint32_t *buffer, size_t count, unsigned parameter) {
  (void)parameter;
  for (size_t i = 0; i < count; i++) {
    float value = 0.5f + (float)(i % 7) / 64;
    memcpy(&buffer[i], &value, sizeof value);
  }
}

#define WALK_BYTES 2048u // between the elements of a walk: SET_BYTES

static void fill_walk(uint32_t *buffer, size_t count, unsigned lines) {
  memset(buffer, 0, count * sizeof *buffer);
  for (unsigned i = 0; i < lines; i++)
    buffer[i * (WALK_BYTES / 4)] = (i + 1) % lines * (WALK_BYTES / 4);
}

// The least time of an iteration of one work-item, in nanoseconds.
static double measure(const struct bench *b, const struct kernel *kernel) {
  struct kiln_program *program;
  struct kiln_kernel *handle;
  struct kiln_buffer *buffer;
  char options[128];
  snprintf(options, sizeof options, "--kiln-lanes=%u %s", kernel->lanes, kernel->macros);
  struct kiln_program_desc desc = {.source = source, .size = sizeof source - 1, .options = options};
  check(kiln_program_create(b->context, &desc, &program));
  check(kiln_kernel_create(program, kernel->name, &handle));
  check(kiln_buffer_create(b->context, &(struct kiln_buffer_desc){.size = kernel->bytes}, &buffer));
  uint32_t *data = malloc(kernel->bytes);
  if (!data)
    exit(1);
  kernel->fill(data, kernel->bytes / sizeof *data, kernel->parameter);
  check(kiln_write(b->stream, buffer, 0, data, kernel->bytes, NULL));
  check(kiln_stream_finish(b->stream));
  int n = (int)(b->iterations / kernel->items) + 1;
  struct kiln_arg args[] = {kiln_arg_buffer(buffer), kiln_arg_value(&n, sizeof n)};
  struct kiln_launch_desc launch = {
      .work_dim = 1, .global = {kernel->items}, .local = {kernel->items}, .args = args, .arg_count = 2};
  struct kiln_prepared *prepared;
  check(kiln_prepare(b->stream, handle, &launch, &prepared));
  double least = INFINITY;
  for (unsigned i = 0; i <= b->runs; i++) { // the first one warms up
    double start = now();
    check(kiln_run_prepared(prepared, NULL));
    check(kiln_stream_finish(b->stream));
    double time = (now() - start) / n / kernel->items;
    least = i && time < least ? time : least;
  }
  free(data);
  kiln_prepared_release(prepared);
  kiln_buffer_release(buffer);
  kiln_kernel_release(handle);
  kiln_program_release(program);
  return least;
}

static double chains(const struct bench *b, unsigned count) {
  unsigned lanes = lanes_of[b->kind];
  struct kernel kernel = {"chains", lanes, lanes, "", 4096, fill_numbers, 0};
  snprintf(kernel.macros, sizeof kernel.macros, "-DC=%u", count);
  return measure(b, &kernel) / count;
}

// How many chains of operations keep the units busy.
static double in_flight(const struct bench *b) {
  double alone = chains(b, 1), least = alone;
  for (unsigned count = 2; count <= 8; count *= 2) {
    double time = chains(b, count);
    least = time < least ? time : least;
  }
  return alone / least;
}

static double gathers(const struct bench *b, unsigned lanes, unsigned operations) {
  struct kernel kernel = {"gathers", lanes, 64, "", 8192, fill_numbers, 0};
  snprintf(kernel.macros, sizeof kernel.macros, "-DC=%u", operations);
  return measure(b, &kernel);
}

// How many operations per gather make vectors as fast as scalars; 0: they are faster anyway.
static double gather(const struct bench *b) {
  enum { MORE = 32 };
  unsigned lanes = lanes_of[b->kind];
  double wide = gathers(b, lanes, 0), one = gathers(b, 1, 0);
  double wide_step = (gathers(b, lanes, MORE) - wide) / MORE, one_step = (gathers(b, 1, MORE) - one) / MORE;
  return wide > one && one_step > wide_step ? (wide - one) / (one_step - wide_step) : 0;
}

// Whether the machine runs the code for AMD's processors with AVX-512.
static bool runs_zen(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vbmi2");
#else
  return false;
#endif
}

// How many accesses of single lanes take as long as a gather of 16. Code for AMD's processors with AVX-512 makes the
// first, other code with AVX-512 the second; where one of them does not run, one work-item is compared with a register.
static double gathered_lanes(const struct bench *b) {
  if (!runs_zen() || lanes_of[b->kind] != 16)
    return 16 * gathers(b, lanes_of[b->kind], 0) / gathers(b, 1, 0);
  struct bench by_lane = *b, gathering = *b;
  open_bench(&by_lane, arches[ZEN]);
  open_bench(&gathering, arches[AVX512]);
  double result = 16 * gathers(&gathering, 16, 0) / gathers(&by_lane, 16, 0);
  close_bench(&gathering);
  close_bench(&by_lane);
  return result;
}

static double strided_time(const struct bench *b, unsigned step) {
  unsigned lanes = lanes_of[b->kind];
  struct kernel kernel = {"strided", lanes, 64, "", (size_t)1024 * 64 * step * 4, fill_numbers, 0};
  snprintf(kernel.macros, sizeof kernel.macros, "-DC=%u", step);
  return measure(b, &kernel);
}

static double strided(const struct bench *b) { return strided_time(b, 16) / strided_time(b, 1); }

static double walk(const struct bench *b, unsigned lines) {
  struct kernel kernel = {"walk", 1, 1, "-DC=1", (size_t)128 * WALK_BYTES, fill_walk, lines};
  return measure(b, &kernel);
}

// The most lines at a distance of WALK_BYTES that are loaded as fast as a few.
static double set_lines(const struct bench *b) {
  double few = walk(b, 4);
  unsigned lines = 8;
  while (lines < 128 && walk(b, lines) < 1.3 * few)
    lines += 4;
  return lines - 4;
}

static const struct measurement {
  const char *row;
  double (*measure)(const struct bench *b);
} measurements[] = {{"in_flight", in_flight},
                    {"gather", gather},
                    {"gathered_lanes", gathered_lanes},
                    {"STRIDED", strided},
                    {"SET_LINES", set_lines}};

static const struct row *find_row(const char *name) {
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(rows[i].name, name) == 0)
      return &rows[i];
  fprintf(stderr, "kiln-bench-cost: cost.def has no row %s\n", name);
  exit(1);
}

static bool has(enum kind kind) {
#if defined(__x86_64__)
  bool zen = __builtin_cpu_is("amd");
  return ((kind == AVX512 || (kind == ZEN && zen)) && __builtin_cpu_supports("avx512bw")) ||
         (kind == AVX && __builtin_cpu_supports("avx2")) || kind == SSE;
#else
  return kind == NEON;
#endif
}

static void run(enum kind kind, bool quick) {
  struct bench b = {.kind = kind, .runs = quick ? 2 : 9, .iterations = quick ? 20000 : 2000000};
  open_bench(&b, arches[kind]);
  for (unsigned i = 0; i < sizeof measurements / sizeof *measurements; i++) {
    const struct row *row = find_row(measurements[i].row);
    double value = measurements[i].measure(&b);
    if (!isfinite(value)) {
      fprintf(stderr, "kiln-bench-cost: %s is no number\n", row->name);
      exit(1);
    }
    printf("%-10s %-12s %8.1f   table %5u   %s\n", arches[kind], row->name, value, row->numbers[kind], row->unit);
  }
  close_bench(&b);
}

int main(int argc, char **argv) {
  const char *arch = NULL;
  bool quick = false, any = false;
  for (int option; (option = getopt(argc, argv, "a:q")) != -1;) {
    if (option == 'q')
      quick = true;
    else if (option == 'a')
      arch = optarg;
    else
      return 2;
  }
  setenv("COMPILE_NUM_THREADS", "1", 1);
  for (enum kind kind = 0; kind < KINDS; kind++)
    if (has(kind) && (!arch || strcmp(arch, arches[kind]) == 0)) {
      run(kind, quick);
      any = true;
    }
  if (!any)
    fprintf(stderr, "kiln-bench-cost: this machine is no %s\n", arch ? arch : "CPU that the table has");
  return !any;
}
