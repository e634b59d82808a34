// kiln-bench: how fast the kernels of the set run, and what a start, a compile and a launch cost, beside the same on
// the OpenCL platform that is installed. Every figure is the median of several runs, and the sides alternate, so that a
// change of the machine's speed hits all.
#include "bench/kernels.h"
#include "bench/start.h"

#include <errno.h>
#include <ftw.h>
#include <getopt.h>
#include <kiln/kiln.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 15, COMPILES = 10, STARTS = 4, IMAGE_STARTS = 7, MAX_FIGURES = 64 };

struct series {
  double values[RUNS * COMPILES];
  int count;
};

struct figure {
  const char *name;
  double kiln, peer; // 0: not measured
  double goal;       // the most that Kiln may take; 0: none
  const char *unit;
};

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(struct series *series) {
  if (!series->count)
    return 0;
  qsort(series->values, (size_t)series->count, sizeof *series->values, compare);
  return series->values[series->count / 2];
}

// ---- starts and compiles: child processes ---------------------------------------------------------------------------

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
  (void)info, (void)type, (void)walk;
  return remove(path);
}

static void empty_folder(const char *path) { nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

// Runs a start program; adds the time to its first result to start and those of further compiles, of the file ("": of
// saxpy), to compiles. Returns the words behind the time ("hit no-llvm"), or NULL when it failed.
static const char *run_start(const char *program, int further, const char *file, struct series *start,
                             struct series *compiles) {
  static char words[128];
  char command[4096];
  snprintf(command, sizeof command, "'%s' %d %s 2>/dev/null", program, further, file);
  FILE *child = popen(command, "r");
  double ms;
  bool ok = child && fscanf(child, "%lf %127[^\n]", &ms, words) == 2;
  if (ok)
    start->values[start->count++] = ms;
  while (ok && compiles && fscanf(child, "%lf", &ms) == 1)
    compiles->values[compiles->count++] = ms;
  if (child && pclose(child) != 0)
    ok = false;
  return ok ? words : NULL;
}

// One side of the comparison: the program, and the variable that names its cache folder.
struct side {
  const char *program, *cache_variable;
  bool present;
  struct series cold, warm, compile, tiled;
};

static void run_cold(struct side *side, const char *folder) {
  char path[512];
  snprintf(path, sizeof path, "%s/cold", folder);
  empty_folder(path);
  setenv(side->cache_variable, path, 1);
  side->present = side->present && run_start(side->program, 0, "", &side->cold, NULL);
}

static void run_warm(struct side *side, const char *folder, bool must_hit) {
  char path[512];
  snprintf(path, sizeof path, "%s/warm", folder);
  setenv(side->cache_variable, path, 1);
  if (!side->present)
    return;
  if (side->warm.count == 0) { // fill the cache first
    struct series unused = {.count = 0};
    run_start(side->program, 0, "", &unused, NULL);
  }
  const char *words = run_start(side->program, 0, "", &side->warm, NULL);
  if (must_hit && (!words || strcmp(words, "hit no-llvm")))
    fprintf(stderr, "kiln-bench: the warm start was no hit, or loaded LLVM: %s\n", words ? words : "failed");
}

// The text of a kernel of the set as a file.
static void write_kernel(const char *name, const char *path) {
  FILE *file = fopen(path, "w");
  for (unsigned i = 0; i < bench_kernels.count && file; i++)
    if (!strcmp(bench_kernels.kernels[i].name, name))
      fputs(bench_kernels.kernels[i].source, file);
  if (file)
    fclose(file);
}

static void run_compiles(struct side *side, const char *folder) {
  char path[512];
  snprintf(path, sizeof path, "%s/compile", folder);
  empty_folder(path);
  setenv(side->cache_variable, path, 1);
  struct series unused = {.count = 0};
  if (!side->present)
    return;
  run_start(side->program, COMPILES, "", &unused, &side->compile);
  snprintf(path, sizeof path, "%s/sgemm_tiled.cl", folder);
  write_kernel("sgemm_tiled", path);
  run_start(side->program, COMPILES, path, &unused, &side->tiled);
}

static int measure_starts(const char *build, struct figure *figures) {
  char programs[2][600], folder[] = "/tmp/kiln-bench-XXXXXX";
  snprintf(programs[0], sizeof programs[0], "%s/bench/start-kiln", build);
  snprintf(programs[1], sizeof programs[1], "%s/bench/start-opencl", build);
  if (!mkdtemp(folder)) {
    fprintf(stderr, "kiln-bench: cannot make a folder below /tmp: %s\n", strerror(errno));
    return 0;
  }
  static struct side kiln, peer;
  kiln = (struct side){.program = programs[0], .cache_variable = "COMPILE_CACHE_DIR", .present = true};
  peer = (struct side){.program = programs[1], .cache_variable = "POCL_CACHE_DIR", .present = true};
  setenv("COMPILE_BACKEND", "cpu", 1);
  for (int run = 0; run < RUNS; run++) {
    run_cold(&kiln, folder);
    run_cold(&peer, folder);
    run_warm(&kiln, folder, true);
    run_warm(&peer, folder, false);
  }
  for (int run = 0; run < 3; run++) {
    run_compiles(&kiln, folder);
    run_compiles(&peer, folder);
  }
  empty_folder(folder);
  if (!kiln.present)
    fprintf(stderr, "kiln-bench: %s failed\n", kiln.program);
  figures[0] = (struct figure){"cold start, fresh process", median(&kiln.cold), median(&peer.cold), 60, "ms"};
  figures[1] = (struct figure){"warm start, fresh process", median(&kiln.warm), median(&peer.warm), 1, "ms"};
  figures[2] = (struct figure){"compile saxpy, warm process", median(&kiln.compile), median(&peer.compile), 5, "ms"};
  figures[3] = (struct figure){"compile sgemm_tiled, warm process", median(&kiln.tiled), median(&peer.tiled), 15, "ms"};
  return STARTS;
}

// ---- launches: this process -----------------------------------------------------------------------------------------

static void check(enum kiln_status status) {
  if (status != KILN_OK) {
    fprintf(stderr, "kiln-bench: %s\n", kiln_last_error());
    exit(1);
  }
}

static double launch_us(struct kiln_stream *stream, struct kiln_kernel *kernel, uint64_t groups) {
  struct kiln_prepared *prepared;
  struct series series = {.count = 0};
  check(kiln_prepare(stream, kernel, &(struct kiln_launch_desc){.global = {groups * 64}, .local = {64}}, &prepared));
  for (int run = 0; run < RUNS * COMPILES; run++) {
    enum { REPEAT = 20 };
    double begin = start_clock_ms(CLOCK_MONOTONIC);
    for (int i = 0; i < REPEAT; i++) {
      check(kiln_run_prepared(prepared, NULL));
      check(kiln_stream_finish(stream));
    }
    series.values[series.count++] = (start_clock_ms(CLOCK_MONOTONIC) - begin) * 1e3 / REPEAT;
  }
  kiln_prepared_release(prepared);
  return median(&series);
}

static int measure_launches(struct figure *figures) {
  struct kiln_context *context;
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_stream *stream;
  check(kiln_context_open(&(struct kiln_context_desc){.backend = "cpu", .cache_mode = "off"}, &context));
  check(kiln_program_create(context, &(struct kiln_program_desc){.source = "kernel void empty(void) {}"}, &program));
  check(kiln_kernel_create(program, "empty", &kernel));
  check(kiln_stream_create(context, 0, &stream));
  figures[0] = (struct figure){"launch and finish, 1 group", launch_us(stream, kernel, 1), 0, 1, "us"};
  figures[1] = (struct figure){"launch and finish, 64 groups", launch_us(stream, kernel, 64), 0, 5, "us"};
  figures[2] = (struct figure){"launch and finish, 4096 groups", launch_us(stream, kernel, 4096), 0, 20, "us"};
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  kiln_context_close(context);
  return 3;
}

// ---- output ---------------------------------------------------------------------------------------------------------

static void print_table(const struct figure *figures, int count) {
  printf("%-34s %10s %10s %8s %10s\n", "what", "kiln", "OpenCL", "ratio", "goal");
  for (int i = 0; i < count; i++) {
    const struct figure *f = &figures[i];
    char peer[32] = "-", ratio[32] = "-";
    if (f->peer > 0) {
      snprintf(peer, sizeof peer, "%.2f", f->peer);
      snprintf(ratio, sizeof ratio, "%.1fx", f->peer / f->kiln);
    }
    printf("%-34s %7.3f %s %10s %8s %7g %s%s\n", f->name, f->kiln, f->unit, peer, ratio, f->goal, f->unit,
           f->kiln > f->goal ? "  MISSED" : "");
  }
}

// Names that programs may rely on.
static void print_figures(const char *key, const struct figure *figures, int count) {
  printf("\"%s\": {", key);
  for (int i = 0; i < count; i++)
    printf("%s\n  \"%s\": {\"unit\": \"%s\", \"value\": %.4f, \"pocl\": %.4f, \"goal\": %g}", i ? "," : "",
           figures[i].name, figures[i].unit, figures[i].kiln, figures[i].peer, figures[i].goal);
  printf("\n}");
}

static void print_machine(const char *backend, const char *arch) {
  char line[256], model[128] = "";
  FILE *file = fopen("/proc/cpuinfo", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "model name : %127[^\n\"\\]", model) == 1)
      break;
  if (file)
    fclose(file);
  printf("\"machine\": {\"cpu\": \"%s\", \"processors\": %ld, \"backend\": \"%s\", \"arch\": \"%s\"}", model,
         sysconf(_SC_NPROCESSORS_ONLN), backend, arch);
}

// ---- the command line -----------------------------------------------------------------------------------------------

struct settings {
  const char *backend, *arch, *options, *filter, *chart;
  unsigned runs;
  bool alone, cpu_time, json, verbose, kernels, images, rest;
};

static const char help[] =
    "usage: kiln-bench [OPTION]...\n\n"
    "Times of the kernel set, of starts, compiles and launches, beside those of the OpenCL platform.\n\n"
    "  -b, --backend BACKEND   for the kernels (default: COMPILE_BACKEND, else cpu)\n"
    "  -a, --arch ARCH         target (default: COMPILE_ARCH, else this machine's)\n"
    "  -o, --options TEXT      build options of the kernels\n"
    "  -k, --kernels NAME      only kernels whose name contains NAME, and nothing else ('': all)\n"
    "  -i, --images            only the kernels with images, beside their forms for buffers and plain C\n"
    "  -s, --starts            only starts, compiles and launches\n"
    "  -n, --runs N            runs of each kernel (default: 31)\n"
    "  -t, --threads N         threads of every side (default: all processors)\n"
    "      --cpu-time          processor time of all threads, for a busy machine: with -t 1; not of launches\n"
    "      --alone             without the peers\n"
    "      --chart FILE        draw the speed-ups as SVG\n"
    "      --json              print one JSON object\n"
    "  -v, --verbose           messages of the library on standard error\n"
    "  -h, --help              this text\n"
    "Exit status: 0 fine, 1 a result is wrong, 2 wrong usage, 3 the environment.\n";

static int parse(int argc, char **argv, struct settings *out) {
  static const struct option options[] = {
      {"backend", 1, NULL, 'b'},  {"arch", 1, NULL, 'a'},   {"kernels", 1, NULL, 'k'}, {"starts", 0, NULL, 's'},
      {"runs", 1, NULL, 'n'},     {"chart", 1, NULL, 'c'},  {"json", 0, NULL, 'j'},    {"verbose", 0, NULL, 'v'},
      {"threads", 1, NULL, 't'},  {"help", 0, NULL, 'h'},   {"options", 1, NULL, 'o'}, {"alone", 0, NULL, 'A'},
      {"cpu-time", 0, NULL, 'C'}, {"images", 0, NULL, 'i'}, {NULL, 0, NULL, 0}};
  const char *backend = getenv("COMPILE_BACKEND"), *arch = getenv("COMPILE_ARCH");
  *out = (struct settings){.backend = backend && *backend ? backend : "cpu",
                           .arch = arch && *arch ? arch : "native",
                           .runs = 31,
                           .kernels = true,
                           .rest = true};
  for (int c; (c = getopt_long(argc, argv, "b:a:o:k:isn:t:vh", options, NULL)) != -1;)
    switch (c) {
    case 'b':
      out->backend = optarg;
      break;
    case 'a':
      out->arch = optarg;
      break;
    case 'o':
      out->options = optarg;
      break;
    case 'C':
      out->cpu_time = true;
      setenv(START_CPU_TIME, "1", 1);
      break;
    case 'A':
      out->alone = true;
      break;
    case 'k':
      out->filter = optarg;
      out->rest = false;
      break;
    case 'i':
      out->images = true;
      out->rest = false;
      break;
    case 's':
      out->kernels = false;
      break;
    case 'n':
      out->runs = (unsigned)strtoul(optarg, NULL, 10);
      break;
    case 't':
      setenv("COMPILE_NUM_THREADS", optarg, 1);
      setenv("POCL_MAX_PTHREAD_COUNT", optarg, 1);
      break;
    case 'c':
      out->chart = optarg;
      break;
    case 'j':
      out->json = true;
      break;
    case 'v':
      out->verbose = true;
      break;
    case 'h':
      fputs(help, stdout);
      return 0;
    default:
      return 2;
    }
  if (optind < argc || out->runs == 0) {
    fprintf(stderr, "kiln-bench: wrong usage\nTry 'kiln-bench --help'.\n");
    return 2;
  }
  return -1;
}

static unsigned measure_kernels(const struct settings *settings, struct bench_result *results, const char **peer_name) {
  struct bench_runner kiln, peer, hand, *runners[BENCH_SIDES] = {[BENCH_KILN] = &kiln};
  if (!bench_kiln_open(settings->backend, settings->arch, settings->options, settings->verbose, &kiln))
    exit(3);
  if (!settings->alone && bench_opencl_open(&peer))
    runners[BENCH_PEER] = &peer;
  if (!settings->alone && bench_reference_open(settings->arch, &hand))
    runners[BENCH_HAND] = &hand;
  *peer_name = runners[BENCH_PEER] ? peer.name : NULL;
  return bench_measure(results, &bench_kernels, settings->filter, settings->runs, 0,
                       settings->cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, runners);
}

static unsigned measure_images(const struct settings *settings, struct bench_result *results, const char **peer_name) {
  struct bench_runner kiln, peer, plain, buffers;
  struct bench_runner *runners[BENCH_SIDES] = {[BENCH_KILN] = &kiln, [BENCH_BUFFERS] = &buffers};
  if (!bench_kiln_open_images(settings->backend, settings->arch, settings->options, false, &kiln) ||
      !bench_kiln_open_images(settings->backend, settings->arch, settings->options, true, &buffers))
    exit(3);
  bench_plain_open(&plain);
  if (!settings->alone)
    runners[BENCH_HAND] = &plain;
  if (!settings->alone && bench_opencl_open(&peer))
    runners[BENCH_PEER] = &peer;
  *peer_name = runners[BENCH_PEER] ? peer.name : NULL;
  return bench_measure(results, &bench_images, settings->filter, settings->runs,
                       settings->runs < IMAGE_STARTS ? settings->runs : IMAGE_STARTS,
                       settings->cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, runners);
}

static void print_all(const struct settings *settings, const struct bench_result *results, unsigned kernels,
                      const char *peer, const struct figure *figures, int count) {
  int launches = count > STARTS ? count - STARTS : 0;
  if (!settings->json) {
    if (settings->images)
      bench_print_images(results, kernels, peer);
    else if (settings->kernels)
      bench_print_table(results, kernels, peer);
    if (settings->kernels && settings->rest)
      putchar('\n');
    if (settings->rest)
      print_table(figures, count);
    return;
  }
  printf("{");
  print_machine(settings->backend, settings->arch);
  if (settings->kernels) {
    printf(",\n");
    bench_print_json(results, kernels, settings->backend);
    printf(",\n\"geometric_mean\": %.3f", bench_geometric_mean(results, kernels, BENCH_KILN, BENCH_PEER, false));
  }
  if (settings->rest) {
    printf(",\n");
    print_figures("compile", figures, count - launches);
    printf(",\n");
    print_figures("launch", figures + count - launches, launches);
  }
  printf("}\n");
}

int main(int argc, char **argv) {
  static struct figure figures[MAX_FIGURES];
  static struct bench_result results[MAX_FIGURES];
  struct settings settings;
  int status = parse(argc, argv, &settings), count = 0;
  if (status >= 0)
    return status;
  char build[512];
  ssize_t size = readlink("/proc/self/exe", build, sizeof build - 1);
  if (size <= 0)
    return 3;
  build[size] = 0;
  *strrchr(build, '/') = 0;
  if (settings.rest) {
    count = measure_starts(build, figures);
    count += measure_launches(figures + count);
  }
  const char *peer = NULL;
  unsigned kernels = settings.images    ? measure_images(&settings, results, &peer)
                     : settings.kernels ? measure_kernels(&settings, results, &peer)
                                        : 0;
  if (settings.kernels && kernels == 0) {
    fprintf(stderr, "kiln-bench: no kernel has a name that contains '%s'\n", settings.filter);
    return 2;
  }
  print_all(&settings, results, kernels, peer, figures, count);
  if (settings.chart && !bench_write_chart(results, kernels, settings.chart)) {
    fprintf(stderr, "kiln-bench: %s: cannot be written: %s\n", settings.chart, strerror(errno));
    return 3;
  }
  for (unsigned i = 0; i < kernels; i++)
    if (!results[i].ok)
      return 1;
  return 0;
}
