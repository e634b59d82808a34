// COMPILE_ISOLATE=1 and all: whatever happens to a compiler in the helper process is an error here, and nothing is left
// of it: no child, no descriptor, no signal.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <kiln/backend.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "jit_test.h"

static const char saxpy[] = "kernel void saxpy(float a, global float *x, global float *y) {\n"
                            "  size_t i = get_global_id(0);\n  y[i] = a * x[i] + sin(y[i]);\n}\n";

static void set_up_isolated(void) {
  set_up();
  setenv("COMPILE_CACHE", "off", 1);
  setenv("COMPILE_PLUGIN_PATH", PLUGINS, 1);
  setenv("COMPILE_ISOLATE", "1", 1);
}

static void set_up_whole(void) {
  set_up_isolated();
  setenv("COMPILE_ISOLATE", "all", 1);
}

static void tear_down_isolated(void) {
  static const char *const names[] = {"COMPILE_CACHE",          "COMPILE_ISOLATE_TIME",   "COMPILE_ISOLATE_CPU_TIME",
                                      "COMPILE_ISOLATE_MEMORY", "COMPILE_ISOLATE_HELPER", "FAULTS_PID"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    unsetenv(names[i]);
  tear_down();
}

static int count_descriptors(void) {
  DIR *folder = opendir("/proc/self/fd");
  int count = 0;
  while (readdir(folder))
    count++;
  closedir(folder);
  return count;
}

static bool has_children(void) { return waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD; }

static enum kiln_status compile(const char *backend, const char *arch, const char *source, const char *options,
                                void **out, size_t *size) {
  struct kiln_context *ctx = NULL;
  struct kiln_program *program = NULL;
  enum kiln_status status =
      kiln_context_open(&(struct kiln_context_desc){.backend = backend, .arch = arch, .num_threads = 1}, &ctx);
  if (status == KILN_OK)
    status = kiln_program_create(ctx, &(struct kiln_program_desc){.source = source, .options = options}, &program);
  if (status == KILN_OK && out)
    status = kiln_program_stage(program, "bin", out, size);
  kiln_program_release(program);
  kiln_context_close(ctx);
  return status;
}

static enum kiln_status compile_fault(const char *kernel) {
  char source[256];
  snprintf(source, sizeof source, "kernel void %s(global int *x) { x[get_global_id(0)] = 1; }", kernel);
  return compile("faults", NULL, source, NULL, NULL, NULL);
}

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct fault {
  const char *kernel, *variable, *value; // a limit
  enum kiln_status status;
  const char *text, *more;
};
static const struct fault faults[] = {
    {"fatal", NULL, NULL, KILN_ERR_INTERNAL, "signal 6 (Aborted) in code generation of kernel 'fatal'",
     "Cannot select"},
    {"endless", "COMPILE_ISOLATE_TIME", "1", KILN_ERR_COMPILE, "longer than 1 s (COMPILE_ISOLATE_TIME)",
     "in code generation of kernel 'endless'"},
    {"endless", "COMPILE_ISOLATE_CPU_TIME", "1", KILN_ERR_COMPILE, "1 s of processor time (COMPILE_ISOLATE_CPU_TIME)",
     "in code generation of kernel 'endless'"},
    {"sleeps", "COMPILE_ISOLATE_TIME", "1", KILN_ERR_COMPILE, "longer than 1 s", "kernel 'sleeps'"},
#ifndef KILN_SANITIZED
    {"memory", "COMPILE_ISOLATE_MEMORY", "500M", KILN_ERR_MEMORY, "more than 500 MiB of memory",
     "in code generation of kernel 'memory'"},
    {"segv", NULL, NULL, KILN_ERR_INTERNAL, "signal 11 (Segmentation fault)", "code generation of kernel 'segv'"},
    {"stack", NULL, NULL, KILN_ERR_INTERNAL, "signal 11 (Segmentation fault)", "code generation of kernel 'stack'"},
#endif
    {"killed", NULL, NULL, KILN_ERR_INTERNAL, "signal 9 (Killed)", "code generation of kernel 'killed'"},
    {"exits", NULL, NULL, KILN_ERR_INTERNAL, "exit(7)", "code generation of kernel 'exits'"},
    {"exits_well", NULL, NULL, KILN_ERR_INTERNAL, "reply is cut off", "reply"},
    {"refuses", NULL, NULL, KILN_ERR_COMPILE, "the kernel is not liked", "liked"},
    {"fine", NULL, NULL, KILN_OK, NULL, NULL},
};

// Criterion keeps something for each test with a limit on its time.
KILN_API const char *__lsan_default_suppressions(void);
KILN_API const char *__lsan_default_suppressions(void) { return "leak:libcriterion\n"; }

static void all_faults(void) {
  cr_assert_eq(compile_fault("fine"), KILN_OK, "%s", kiln_last_error());
  int descriptors = count_descriptors();
  size_t ran = 0;
  for (; ran < sizeof faults / sizeof *faults; ran++) {
    const struct fault *fault = &faults[ran];
    if (fault->variable)
      setenv(fault->variable, fault->value, 1);
    double start = seconds_now();
    enum kiln_status status = compile_fault(fault->kernel);
    double took = seconds_now() - start;
    if (fault->variable)
      unsetenv(fault->variable);
    cr_expect_eq(status, fault->status, "%s: %d: %s", fault->kernel, status, kiln_last_error());
    if (fault->text)
      cr_expect(strstr(kiln_last_error(), fault->text) && strstr(kiln_last_error(), fault->more), "%s: %s",
                fault->kernel, kiln_last_error());
    cr_expect(took < 30, "%s took %g s", fault->kernel, took);
    cr_expect_not(has_children(), "%s left a child", fault->kernel);
    cr_expect_eq(count_descriptors(), descriptors, "%s: descriptors", fault->kernel);
  }
  cr_assert_geq(ran, 9);
}

Test(isolate, faults_of_a_compiler_are_errors, .init = set_up_isolated, .fini = tear_down_isolated, .timeout = 120) {
  all_faults();
}

Test(isolate, faults_of_a_compiler_are_errors_of_a_whole_compile, .init = set_up_whole, .fini = tear_down_isolated,
     .timeout = 120) {
  all_faults();
}

struct seen {
  int logged, passes;
};
static void see_log(void *user, enum kiln_log_level level, const char *message) {
  if (level == KILN_LOG_INFO && !strcmp(message, "compiling fine"))
    ((struct seen *)user)->logged++;
  if (level == KILN_LOG_DEBUG && !strncmp(message, "IR after ", 9))
    ((struct seen *)user)->passes++;
}

static struct seen messages(void) {
  struct seen seen = {0};
  struct kiln_context *ctx;
  struct kiln_program *program;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "faults", .log = see_log, .log_user = &seen}, &ctx));
  OK(kiln_program_create(ctx, &(struct kiln_program_desc){.source = "kernel void fine(global int *x) { *x = 1; }"},
                         &program));
  kiln_program_release(program);
  kiln_context_close(ctx);
  return seen;
}

Test(isolate, messages_of_the_backend_arrive, .init = set_up_isolated, .fini = tear_down_isolated) {
  setenv("COMPILE_LOG", "info", 1);
  cr_expect_eq(messages().logged, 1);
  setenv("COMPILE_ISOLATE", "all", 1);
  cr_expect_eq(messages().logged, 1);
  setenv("COMPILE_DEBUG", "1", 1);
  int passes = messages().passes;
  unsetenv("COMPILE_ISOLATE");
  cr_expect_gt(passes, 0);
  cr_expect_eq(passes, messages().passes);
}

#ifdef KILN_LLVM
static const struct {
  const char *backend, *arch, *options;
} targets[] = {{"cpu", "x86-64-v3", NULL},         {"cpu", "x86-64-v4", "-O0 -g"}, {"cpu", "neoverse-n1", NULL},
               {"rocm", "gfx942", "-g"},           {"rocm", "gfx1100", NULL},      {"interp", NULL, NULL},
               {"cpu", "x86-64", "--kiln-lanes=1"}};

Test(isolate, the_code_is_the_same, .init = set_up_isolated, .fini = tear_down_isolated, .timeout = 120) {
  size_t ran = 0;
  for (; ran < sizeof targets / sizeof *targets; ran++) {
    void *here = NULL, *there[2] = {NULL};
    size_t here_size = 0, there_size[2] = {0};
    const char *backend = targets[ran].backend, *arch = targets[ran].arch, *options = targets[ran].options;
    unsetenv("COMPILE_ISOLATE");
    OK(compile(backend, arch, saxpy, options, &here, &here_size));
    for (int whole = 0; whole < 2; whole++) {
      setenv("COMPILE_ISOLATE", whole ? "all" : "1", 1);
      OK(compile(backend, arch, saxpy, options, &there[whole], &there_size[whole]));
      cr_expect(here_size == there_size[whole] && !memcmp(here, there[whole], here_size), "%s %s: %zu and %zu bytes",
                backend, arch ? arch : "", here_size, there_size[whole]);
      kiln_free(there[whole]);
    }
    kiln_free(here);
  }
  cr_assert_eq(ran, 7);
}

static char *bench_kernel(const char *name) {
  char path[512];
  snprintf(path, sizeof path, KILN_SOURCE_DIR "/bench/kernels/%s.cl", name);
  FILE *file = fopen(path, "rb");
  cr_assert_not_null(file, "%s", path);
  char *text = calloc(1, 32768);
  cr_assert(fread(text, 1, 32767, file) > 0 && feof(file), "%s", path);
  fclose(file);
  return text;
}

// LLVM's lists of passes are run for one program after another: none of them may know anything of an earlier one.
Test(isolate, code_does_not_depend_on_compiles_before, .init = set_up_isolated, .fini = tear_down_isolated,
     .timeout = 300) {
  static const char *const kernels[] = {"saxpy", "fft",   "scan",    "sha256",   "transpose", "align",      "histogram",
                                        "spmv",  "trace", "collatz", "convolve", "bitonic",   "sgemm_tiled"};
  enum { COUNT = sizeof kernels / sizeof *kernels, ROUNDS = 3 };
  static const size_t steps[ROUNDS] = {1, 5, 12}; // orders: COUNT is a prime
  char *sources[COUNT];
  void *alone[COUNT];
  size_t sizes[COUNT], ran = 0;
  for (size_t i = 0; i < COUNT; i++) {
    sources[i] = bench_kernel(kernels[i]);
    OK(compile("cpu", "x86-64-v3", sources[i], NULL, &alone[i], &sizes[i]));
  }
  unsetenv("COMPILE_ISOLATE");
  for (size_t turn = 0; turn < ROUNDS * COUNT; turn++, ran++) {
    size_t i = turn * steps[turn / COUNT] % COUNT, size = 0;
    void *code = NULL;
    OK(compile("cpu", "x86-64-v3", sources[i], NULL, &code, &size));
    cr_expect(size == sizes[i] && !memcmp(code, alone[i], size), "%s, compile %zu: %zu and %zu bytes", kernels[i], turn,
              sizes[i], size);
    kiln_free(code);
  }
  cr_assert_eq(ran, 3 * COUNT);
  for (size_t i = 0; i < COUNT; i++) {
    kiln_free(alone[i]);
    free(sources[i]);
  }
}

// A kernel that LLVM needs much time and memory for.
static char *large_kernel(void) {
  size_t used = 0, size = 1 << 20;
  char *text = malloc(size);
  used += (size_t)snprintf(text, size,
                           "kernel void large(global float *x) {\n  size_t i = get_global_id(0);\n"
                           "  float a = x[i], b = a + 1;\n");
  for (int i = 0; i < 12000; i++)
    used += (size_t)snprintf(text + used, size - used, "  a = fma(a, b, %d.5f); b = x[i + %d] * a - b;\n", i, i);
  snprintf(text + used, size - used, "  x[i] = a + b;\n}\n");
  return text;
}

// The clock stops the compile inside the code generator. Where the machine is slow the helper may not have got there
// within the first limits.
static void stopped_by_the_clock(const char *backend, const char *arch, const char *source) {
  for (unsigned seconds = 1; seconds <= 16; seconds *= 2) {
    char limit[16], message[96];
    snprintf(limit, sizeof limit, "%u", seconds);
    snprintf(message, sizeof message, "longer than %u s (COMPILE_ISOLATE_TIME) and was stopped in ", seconds);
    setenv("COMPILE_ISOLATE_TIME", limit, 1);
    FAILS(compile(backend, arch, source, NULL, NULL, NULL), KILN_ERR_COMPILE, message);
    if (strstr(kiln_last_error(), "of kernel 'large'"))
      return;
  }
  cr_assert_fail("%s", kiln_last_error());
}

Test(isolate, limits_hold_for_the_code_generator, .init = set_up_isolated, .fini = tear_down_isolated, .timeout = 240) {
  static const struct { const char *backend, *arch; } machines[] = {{"cpu", "x86-64-v4"}, {"rocm", "gfx942"}};
  char *source = large_kernel();
  size_t ran = 0;
  for (; ran < sizeof machines / sizeof *machines; ran++) {
    stopped_by_the_clock(machines[ran].backend, machines[ran].arch, source);
    setenv("COMPILE_ISOLATE_TIME", "100", 1);
#ifndef KILN_SANITIZED
    setenv("COMPILE_ISOLATE_MEMORY", "240M", 1);
    FAILS(compile(machines[ran].backend, machines[ran].arch, source, NULL, NULL, NULL), KILN_ERR_MEMORY,
          "more than 240 MiB of memory (COMPILE_ISOLATE_MEMORY)");
    setenv("COMPILE_ISOLATE_MEMORY", "40M", 1); // not even enough to load it
    FAILS(compile(machines[ran].backend, machines[ran].arch, saxpy, NULL, NULL, NULL), KILN_ERR_MEMORY,
          "memory is exhausted");
    unsetenv("COMPILE_ISOLATE_MEMORY");
#endif
    OK(compile(machines[ran].backend, machines[ran].arch, saxpy, NULL, NULL, NULL));
    cr_expect_not(has_children());
  }
  cr_assert_eq(ran, 2);
  free(source);
}

// LLVM IR in the place of what the emitter made, over which LLVM's code generator ends the process.
Test(isolate, a_fatal_error_of_the_code_generator, .init = set_up_isolated, .fini = tear_down_isolated) {
  struct kiln_context *ctx;
  struct kiln_program *program, *bad;
  void *stage;
  size_t size;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "cpu", .arch = "x86-64-v3"}, &ctx));
  OK(kiln_program_create(ctx, &(struct kiln_program_desc){.source = saxpy}, &program));
  OK(kiln_program_stage(program, "ll", &stage, &size));
  char *text = calloc(1, size + 512);
  snprintf(text, size + 512,
           "%.*s\ndeclare i32 @llvm.amdgcn.workitem.id.x()\n"
           "define i32 @f() {\n  %%x = call i32 @llvm.amdgcn.workitem.id.x()\n  ret i32 %%x\n}\n",
           (int)size, (char *)stage);
  struct kiln_program_desc desc = {.source = saxpy, .stage = "ll", .stage_data = stage, .stage_size = size};
  OK(kiln_program_create(ctx, &desc, &bad));
  kiln_program_release(bad);
  desc.stage_data = text;
  desc.stage_size = strlen(text);
  FAILS(kiln_program_create(ctx, &desc, &bad), KILN_ERR_INTERNAL,
        "signal 6 (Aborted) in code generation of kernel 'saxpy': LLVM ERROR: Cannot select");
  free(text);
  kiln_free(stage);
  kiln_program_release(program);
  kiln_context_close(ctx);
}
#endif

// ---- the front end

// What a caller learns of a program.
struct told {
  enum kiln_status status;
  char *error, *log;
  void *ir;
  size_t ir_size;
};

static void ask(const struct kiln_program_desc *desc, struct told *told) {
  struct kiln_context *ctx;
  struct kiln_program *program = NULL;
  *told = (struct told){0};
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "interp", .num_threads = 1}, &ctx));
  told->status = kiln_program_create(ctx, desc, &program);
  told->error = strdup(told->status ? kiln_last_error() : "");
  told->log = strdup(program && kiln_program_log(program) ? kiln_program_log(program) : "");
  if (program)
    OK(kiln_program_stage(program, "ir", &told->ir, &told->ir_size));
  kiln_program_release(program);
  kiln_context_close(ctx);
}

static void forget(struct told *told) {
  free(told->error);
  free(told->log);
  kiln_free(told->ir);
}

static bool same(const struct told *a, const struct told *b) {
  return a->status == b->status && !strcmp(a->error, b->error) && !strcmp(a->log, b->log) && a->ir_size == b->ir_size &&
         !memcmp(a->ir ? a->ir : "", b->ir ? b->ir : "", a->ir_size);
}

static char *read_source(const char *path, size_t *size) {
  struct stat state;
  FILE *file = fopen(path, "rb");
  cr_assert(file && fstat(fileno(file), &state) == 0, "%s", path);
  char *text = calloc(1, (size_t)state.st_size + 1);
  *size = fread(text, 1, (size_t)state.st_size, file);
  cr_assert_eq(*size, (size_t)state.st_size, "%s", path);
  fclose(file);
  return text;
}

// Every case of the language's diagnostics (with sanitizers, a quarter: each starts a helper): status, messages and IR
// are the same wherever the front end is.
Test(isolate, the_front_end_says_the_same, .init = set_up_whole, .fini = tear_down_isolated, .timeout = 240) {
  static const char folder[] = KILN_SOURCE_DIR "/tests/lang";
  static const char *const options[] = {"", "-cl-std=CL2.0 -DVALUE=1", "-Werror=unused-variable -Wall", "-w",
                                        "-cl-fast-relaxed-math -I " KILN_SOURCE_DIR "/tests/lang -U VALUE"};
#ifdef KILN_SANITIZED
  enum { STEP = 4 };
#else
  enum { STEP = 1 };
#endif
  enum { OPTIONS = sizeof options / sizeof *options };
  DIR *cases = opendir(folder);
  size_t seen = 0, ran = 0, failed = 0, warned = 0;
  for (struct dirent *entry; (entry = readdir(cases));) {
    size_t length = strlen(entry->d_name);
    if (length < 4 || strcmp(entry->d_name + length - 3, ".cl") != 0 || seen++ % STEP)
      continue;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    struct kiln_program_desc desc = {.name = path, .options = options[ran++ % OPTIONS]};
    char *source = read_source(path, &desc.size);
    desc.source = source;
    struct told there, here;
    setenv("COMPILE_ISOLATE", "all", 1);
    ask(&desc, &there);
    unsetenv("COMPILE_ISOLATE");
    ask(&desc, &here);
    cr_expect(same(&here, &there), "%s: %s: %d and %d:\n%s\n%s", path, desc.options, here.status, there.status,
              *here.error ? here.error : here.log, *there.error ? there.error : there.log);
    failed += here.status == KILN_ERR_COMPILE;
    warned += *here.log != 0;
    forget(&here);
    forget(&there);
    free(source);
  }
  closedir(cases);
  cr_assert(ran > 200 / STEP && failed > 50 / STEP && warned > 5 / STEP,
            "%zu cases, %zu with errors, %zu with warnings", ran, failed, warned);
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}

static enum kiln_cache_outcome outcome_of(const char *name, const char *warning) {
  struct kiln_header header = {.name = "memory.h", .text = "#define FROM_MEMORY 2\n"};
  struct kiln_context *ctx;
  struct kiln_program *program;
  struct kiln_program_info info = {0};
  char options[128];
  snprintf(options, sizeof options, "-Wall -D FROM_OPTIONS=3 -I %s", test_folder);
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "interp"}, &ctx));
  struct kiln_program_desc desc = {.source =
                                       "#include \"memory.h\"\n#include \"file.h\"\n"
                                       "kernel void k(global int *x) {\n"
                                       "  int idle;\n  *x = FROM_FILE + FROM_MEMORY + FROM_OPTIONS + __FILE__[0];\n}\n",
                                   .name = name,
                                   .options = options,
                                   .headers = &header,
                                   .header_count = 1};
  OK(kiln_program_create(ctx, &desc, &program));
  kiln_program_info(program, &info);
  cr_expect(strstr(kiln_program_log(program), warning), "%s", kiln_program_log(program));
  kiln_program_release(program);
  kiln_context_close(ctx);
  return info.cache;
}

// Entries of whole compiles have the probes of includes and the warnings, and are found by everybody.
Test(isolate, a_whole_compile_is_cached, .init = set_up_whole, .fini = tear_down_isolated) {
  char path[128];
  snprintf(path, sizeof path, "%s/file.h", test_folder);
  setenv("COMPILE_CACHE", "rw", 1);
  write_file(path, "#define FROM_FILE 1\n");
  cr_expect_eq(outcome_of("a.cl", "unused variable 'idle'"), KILN_CACHE_MISS);
  cr_expect_eq(outcome_of("a.cl", "unused variable 'idle'"), KILN_CACHE_HIT_DISK);
  unsetenv("COMPILE_ISOLATE");
  cr_expect_eq(outcome_of("a.cl", "unused variable 'idle'"), KILN_CACHE_HIT_DISK);
  write_file(path, "#define FROM_FILE 10\n");
  cr_expect_eq(outcome_of("a.cl", "unused variable 'idle'"), KILN_CACHE_MISS);
  setenv("COMPILE_ISOLATE", "all", 1);
  cr_expect_eq(outcome_of("a.cl", "unused variable 'idle'"), KILN_CACHE_HIT_DISK);
  cr_expect_eq(outcome_of("b.cl", "b.cl:4:7: warning"), KILN_CACHE_MISS);
  cr_expect_eq(outcome_of("b.cl", "b.cl:4:7: warning"), KILN_CACHE_HIT_DISK);
}

// Include files of a record are in no file system: the helper gets them.
Test(isolate, recorded_includes_are_sent_along, .init = set_up_whole, .fini = tear_down_isolated) {
  char include[128], record[128], cache[128];
  snprintf(include, sizeof include, "%s/file.h", test_folder);
  snprintf(record, sizeof record, "%s/record", test_folder);
  snprintf(cache, sizeof cache, "%s/warmed", test_folder);
  setenv("COMPILE_CACHE", "rw", 1);
  setenv("COMPILE_RECORD", record, 1);
  write_file(include, "#define FROM_FILE 1\n");
  cr_expect_eq(outcome_of("a.cl", ""), KILN_CACHE_MISS);
  unsetenv("COMPILE_RECORD");
  cr_assert_eq(unlink(include), 0);
  const char *manifest = record;
  struct kiln_warm_result result = {0};
  OK(kiln_warm(&(struct kiln_warm_desc){.manifests = &manifest, .manifest_count = 1, .cache_dir = cache}, &result));
  cr_expect(result.compiled == 1 && result.failed == 0, "%d compiled, %d failed", (int)result.compiled,
            (int)result.failed);
}

#ifndef KILN_SANITIZED
// A text of a few lines that takes 90 MB before it exceeds a limit of the language.
static char *doubling_text(void) {
  struct {
    char *text;
    size_t size;
  } out;
  FILE *file = open_memstream(&out.text, &out.size);
  fputs("#define A0 x x\n", file);
  for (int i = 1; i < 30; i++)
    fprintf(file, "#define A%d A%d A%d\n", i, i - 1, i - 1);
  fputs("kernel void k(global int *x) { A29 }\n", file);
  fclose(file);
  return out.text;
}

Test(isolate, a_hostile_text_gets_no_memory, .init = set_up_whole, .fini = tear_down_isolated, .timeout = 60) {
  char *text = doubling_text();
  struct rusage before, after;
  setenv("COMPILE_ISOLATE_MEMORY", "48M", 1);
  OK(compile("interp", NULL, saxpy, NULL, NULL, NULL));
  getrusage(RUSAGE_SELF, &before);
  FAILS(compile("interp", NULL, text, NULL, NULL, NULL), KILN_ERR_MEMORY,
        "more than 48 MiB of memory (COMPILE_ISOLATE_MEMORY) in the front end");
  getrusage(RUSAGE_SELF, &after);
  cr_expect_lt(after.ru_maxrss - before.ru_maxrss, 8192, "the host took %ld KiB", after.ru_maxrss - before.ru_maxrss);
  OK(compile("interp", NULL, saxpy, NULL, NULL, NULL));
  free(text);
}
#endif

Test(isolate, a_hostile_text_gets_no_time, .init = set_up_whole, .fini = tear_down_isolated, .timeout = 60) {
  static const char statement[] = "if (x[1]) { x[2]++; }\n";
  enum { COUNT = 1500000 };
  char *text = malloc(64 + COUNT * (sizeof statement - 1)), *end = text;
  end = stpcpy(end, "kernel void k(global int *x) {\n");
  for (int i = 0; i < COUNT; i++)
    end = stpcpy(end, statement);
  stpcpy(end, "}\n");
  setenv("COMPILE_ISOLATE_TIME", "1", 1);
  double start = seconds_now();
  FAILS(compile("interp", NULL, text, NULL, NULL, NULL), KILN_ERR_COMPILE,
        "longer than 1 s (COMPILE_ISOLATE_TIME) and was stopped in the front end");
  cr_expect_lt(seconds_now() - start, 20);
  cr_expect_not(has_children());
  free(text);
}

static void reap_all(int number) {
  int saved = errno;
  (void)number;
  while (waitpid(-1, NULL, WNOHANG) > 0) {
  }
  errno = saved;
}

Test(isolate, a_host_may_do_what_it_likes_with_its_children, .init = set_up_isolated, .fini = tear_down_isolated,
     .timeout = 60) {
  for (int way = 0; way < 3; way++) {
    struct sigaction action = {.sa_handler = way == 0 ? SIG_IGN : way == 1 ? reap_all : SIG_DFL};
    if (way == 2)
      action.sa_flags = SA_NOCLDWAIT;
    sigaction(SIGCHLD, &action, NULL);
    cr_expect_eq(compile_fault("fine"), KILN_OK, "way %d: %s", way, kiln_last_error());
    cr_expect_eq(compile_fault("exits"), KILN_ERR_INTERNAL, "way %d", way);
    cr_expect(strstr(kiln_last_error(), "exit(7)"), "way %d: %s", way, kiln_last_error());
    cr_expect_not(has_children());
    struct sigaction now;
    sigaction(SIGCHLD, NULL, &now);
    cr_expect_eq(now.sa_handler, action.sa_handler, "way %d: the handler is another", way);
  }
  signal(SIGCHLD, SIG_DFL);
}

// Descriptors of the host are where the helper's would be, and are not the helper's business.
Test(isolate, low_descriptors_are_free, .init = set_up_isolated, .fini = tear_down_isolated) {
  int saved[3];
  for (int i = 0; i < 3; i++) {
    saved[i] = fcntl(i, F_DUPFD, 100);
    close(i);
  }
  enum kiln_status good = compile_fault("fine"), bad = compile_fault("exits");
  for (int i = 0; i < 3; i++) {
    dup2(saved[i], i);
    close(saved[i]);
  }
  cr_expect_eq(good, KILN_OK);
  cr_expect_eq(bad, KILN_ERR_INTERNAL);
}

static _Atomic int thread_faults;

static void *compile_many(void *user) {
  (void)user;
  static const char *const kernels[] = {"fine", "fatal", "exits", "fine", "killed"};
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    enum kiln_status status = compile_fault(kernels[i]);
    bool fine = !strcmp(kernels[i], "fine");
    if (fine != (status == KILN_OK) || (!fine && !strstr(kiln_last_error(), kernels[i])))
      thread_faults++;
  }
  return NULL;
}

Test(isolate, many_threads, .init = set_up_isolated, .fini = tear_down_isolated, .timeout = 120) {
  pthread_t threads[8];
  int descriptors = count_descriptors();
  for (int i = 0; i < 8; i++)
    cr_assert_eq(pthread_create(&threads[i], NULL, compile_many, NULL), 0);
  for (int i = 0; i < 8; i++)
    pthread_join(threads[i], NULL);
  cr_expect_eq(thread_faults, 0);
  cr_expect_not(has_children());
  cr_expect_eq(count_descriptors(), descriptors);
}

Test(isolate, a_wrong_helper_is_an_error, .init = set_up_isolated, .fini = tear_down_isolated) {
  setenv("COMPILE_ISOLATE_HELPER", "/nowhere/helper", 1);
  FAILS(compile_fault("fine"), KILN_ERR_UNAVAILABLE, "COMPILE_ISOLATE_HELPER names /nowhere/helper");
  setenv("COMPILE_ISOLATE_HELPER", "/bin/true", 1);
  FAILS(compile_fault("fine"), KILN_ERR_INTERNAL, "without a word");
  setenv("COMPILE_ISOLATE_HELPER", "/bin/false", 1);
  FAILS(compile_fault("fine"), KILN_ERR_INTERNAL, "without a word");
  unsetenv("COMPILE_ISOLATE_HELPER");
  static const char *const limits[] = {"COMPILE_ISOLATE_TIME", "COMPILE_ISOLATE_CPU_TIME", "COMPILE_ISOLATE_MEMORY"};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    setenv(limits[i], "much", 1);
    FAILS(compile_fault("fine"), KILN_ERR_INVALID, limits[i]);
    unsetenv(limits[i]);
  }
  setenv("COMPILE_ISOLATE", "yes", 1);
  FAILS(compile_fault("fine"), KILN_ERR_INVALID, "COMPILE_ISOLATE");
}

// What a helper sends is not trusted: records of a wrong size or form are an error, and nothing of them is read.
static void all_lies(void) {
  static const char *const lies[] = {"kind",       "log level",    "log size",      "stage name",   "kernels size",
                                     "data twice", "include size", "include state", "summary size", "result size",
                                     "result",     "both modes",   "size",          "rest"};
  setenv("COMPILE_ISOLATE_HELPER", PLUGINS "/liar", 1);
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    setenv("LIAR", lies[i], 1);
    enum kiln_status status = compile_fault("fine");
    cr_expect_eq(status, KILN_ERR_INTERNAL, "%s: %d", lies[i], status);
    cr_expect(strstr(kiln_last_error(), "the compile helper's reply is damaged"), "%s: %s", lies[i], kiln_last_error());
  }
  setenv("LIAR", "verdict", 1);
  FAILS(compile_fault("fine"), KILN_ERR_INTERNAL, "without a word");
  unsetenv("LIAR");
}

Test(isolate, a_lying_helper_is_an_error, .init = set_up_isolated, .fini = tear_down_isolated) { all_lies(); }
Test(isolate, a_lying_helper_is_an_error_of_a_whole_compile, .init = set_up_whole, .fini = tear_down_isolated) {
  all_lies();
}

// A backend of the program itself cannot be had in another one, and nobody gets less than what was asked for.
Test(isolate, a_backend_of_the_host_is_refused, .init = set_up_isolated, .fini = tear_down_isolated) {
  struct kiln_base_backend own = *kiln_interpreter();
  const struct kiln_base_backend *list[] = {&own};
  struct kiln_context *ctx;
  struct kiln_program *program;
  own.name = "own";
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "own", .backends = list, .backend_count = 1}, &ctx));
  FAILS(kiln_program_create(ctx, &(struct kiln_program_desc){.source = saxpy}, &program), KILN_ERR_UNSUPPORTED,
        "part of this program");
  kiln_context_close(ctx);
}

static int read_pid(const char *path) {
  int pid = 0;
  FILE *file = fopen(path, "r");
  if (file) {
    if (fscanf(file, "%d", &pid) != 1)
      pid = 0;
    fclose(file);
  }
  return pid;
}

static bool within(double seconds, bool (*test)(int), int pid) {
  for (double end = seconds_now() + seconds; seconds_now() < end;) {
    if (test(pid))
      return true;
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  return false;
}

static bool is_gone(int pid) { return kill(pid, 0) < 0 && errno == ESRCH; }

// A host that dies takes the compile with it.
Test(isolate, nothing_outlives_the_host, .init = set_up_isolated, .fini = tear_down_isolated, .timeout = 60) {
  char path[128];
  snprintf(path, sizeof path, "%s/pid", test_folder);
  setenv("FAULTS_PID", path, 1);
  pid_t host = fork();
  if (host == 0) {
    compile_fault("sleeps");
    _exit(1);
  }
  int worker = 0;
  for (double end = seconds_now() + 20; seconds_now() < end && !worker;) {
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    worker = read_pid(path);
  }
  cr_assert_gt(worker, 0);
  cr_expect_not(is_gone(worker));
  kill(host, SIGKILL);
  waitpid(host, NULL, 0);
  cr_expect(within(10, is_gone, worker), "the worker still runs");
}
