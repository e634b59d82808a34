// Generated programs on interp and its peers: all must give the same bytes.
//
//   gen_diff [--seed N] [--count N] [--jobs N] [--arch A] [--options "--kiln-lanes=8"] [--features a,b,…]
//            [--peers cpu,opencl,printed,round-trip,rocm,cuda] [--opencl] [--reduce]
//            [--aimed PREFIX] [--out FOLDER]
//   --peers: cpu (the default), opencl (the first OpenCL platform), printed (the backend opencl), round-trip (the text
//            that the backend opencl prints, on interp), rocm, cuda (of cpu, rocm and cuda one); --opencl: cpu and
//            opencl
//   --aimed: the kernels of aimed.def whose names begin with PREFIX in turn, each with the options that force what it
//            is aimed at
//   gen_diff --print SEED        the program as a case of tests/exec
//   gen_diff --judge FILE SEED   the text of FILE in place of the source of SEED; after --reduce also made smaller
//
// A crash or a program without end costs its process only and is a finding like the others.
#include "tests/gen/diff.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/gen/run.h"

enum { MAX_JOBS = 16, MAX_FINDINGS = 256, SECONDS_PER_PROGRAM = 180 };

static const char *const outcome_names[] = {"fine",
                                            "interp fails",
                                            "cpu fails",
                                            "cpu differs from interp",
                                            "opencl fails",
                                            "opencl differs from interp",
                                            "printed text fails",
                                            "printed text differs from interp",
                                            "round trip fails",
                                            "round trip differs from interp",
                                            "rocm fails",
                                            "rocm differs from interp",
                                            "cuda fails",
                                            "cuda differs from interp",
                                            "crash or hang"};

static const struct {
  const char *name;
  enum gen_outcome fails, differs;
  bool portable; // runs what other implementations are known to run right
} peers[GEN_PEER_COUNT] = {
    [GEN_PEER_CPU] = {"cpu", GEN_CPU_FAILS, GEN_CPU_DIFFERS, false},
    [GEN_PEER_OPENCL] = {"opencl", GEN_OPENCL_FAILS, GEN_OPENCL_DIFFERS, true},
    [GEN_PEER_PRINTED] = {"printed", GEN_PRINTED_FAILS, GEN_PRINTED_DIFFERS, true},
    [GEN_PEER_ROUND] = {"round-trip", GEN_ROUND_FAILS, GEN_ROUND_DIFFERS, false},
    [GEN_PEER_ROCM] = {"rocm", GEN_ROCM_FAILS, GEN_ROCM_DIFFERS, false},
    [GEN_PEER_CUDA] = {"cuda", GEN_CUDA_FAILS, GEN_CUDA_DIFFERS, false},
};

struct finding {
  uint64_t seed;
  enum gen_outcome outcome;
  char message[256];
};

// Shared by all processes.
struct shared {
  volatile uint64_t seeds[MAX_JOBS]; // at work
  char stages[MAX_JOBS][16];
  volatile sig_atomic_t stop;        // asked to end: after the present programs, with a report
  uint64_t programs;                 // atomic
  uint64_t compared[GEN_PEER_COUNT]; // atomic
  uint32_t finding_count;            // atomic
  struct finding findings[MAX_FINDINGS];
};

struct options {
  uint64_t seed, count;
  uint32_t jobs, features;
  struct gen_setup setup;
  bool reduce;
  const char *out, *aimed; // aimed: not NULL: the kernels whose name begins with it
};

static void make(const struct options *options, uint64_t seed, struct gen_program *out) {
  if (!options->aimed) {
    gen_make(seed, options->features, out);
  } else if (!gen_make_aimed(seed, options->aimed, out)) {
    printf("gen_diff: no kernel's name begins with '%s'\n", options->aimed);
    fflush(stdout);
    _exit(99);
  }
}

struct devices {
  struct gen_device *interp, *peers[GEN_PEER_COUNT]; // NULL: not asked for, or OpenCL where no platform is
};

// Whether it is a backend that makes code of its own.
static bool is_native(int peer) { return peer == GEN_PEER_CPU || peer == GEN_PEER_ROCM || peer == GEN_PEER_CUDA; }

static void open_devices(const struct gen_setup *setup, struct devices *out) {
  char message[1024] = "", none[1024];
  memset(out, 0, sizeof *out);
  char arch[16] = "generic";
  for (int i = 0; i < GEN_PEER_COUNT; i++) {
    if (!is_native(i) || !(setup->peers >> i & 1))
      continue;
    struct gen_device *peer = gen_open_kiln(peers[i].name, setup->arch, setup->options, message, sizeof message);
    if (peer) // with sub-groups of the same size, and fusing where it does
      snprintf(arch, sizeof arch, "warp%u%s", (unsigned)gen_warp_size(peer), gen_fuses(peer) ? "" : "-fma");
    out->peers[i] = peer;
  }
  out->interp = gen_open_kiln("interp", arch, NULL, message, sizeof message);
  if (setup->peers >> GEN_PEER_OPENCL & 1)
    out->peers[GEN_PEER_OPENCL] = gen_open_opencl(none, sizeof none);
  if (setup->peers >> GEN_PEER_PRINTED & 1)
    out->peers[GEN_PEER_PRINTED] =
        gen_open_kiln("opencl", "0:0", "--kiln-driver-options=-cl-opt-disable", message, sizeof message);
  if (setup->peers >> GEN_PEER_ROUND & 1)
    out->peers[GEN_PEER_ROUND] = gen_open_round_trip(message, sizeof message);
  if (!*message)
    return;
  printf("gen_diff: %s\n", message);
  fflush(stdout);
  _exit(99);
}

static void note(char *stage, const char *text) {
  if (stage)
    snprintf(stage, 16, "%s", text);
}

// The first error of a compile, not its warnings; the whole message otherwise.
static void describe(const struct gen_result *result, char *text, size_t size) {
  const char *error = strstr(result->message, "error: gen.cl") ? strstr(result->message + 15, "error: ") : NULL;
  snprintf(text, size, "%.240s", error ? error : result->message);
  text[strcspn(text, "\n")] = 0;
}

// Whether the program is one for the peer.
static bool suits(const struct devices *devices, int peer, const struct gen_program *program) {
  if (program->features >> GEN_SUB_GROUPS & 1 && !is_native(peer))
    return false; // theirs have other sizes
  if (program->features >> GEN_INEXACT & 1 && (peer == GEN_PEER_ROCM || peer == GEN_PEER_CUDA))
    return false; // their mathematical functions are others
  if (program->features >> GEN_INEXACT & 1 && peer == GEN_PEER_ROUND)
    return false; // functions of constants are computed before the text is printed, by the C library
  return devices->peers[peer] && (program->portable || !peers[peer].portable);
}

static enum gen_outcome judge(const struct devices *devices, const struct gen_program *program, char *stage, char *text,
                              size_t size) {
  struct gen_result interp, other = {0};
  enum gen_outcome outcome = GEN_FINE;
  note(stage, "interp");
  gen_run(devices->interp, program, &interp);
  if (!interp.ok) {
    outcome = GEN_INTERP_FAILS;
    describe(&interp, text, size);
  }
  for (int i = 0; i < GEN_PEER_COUNT && !outcome; i++) {
    if (!suits(devices, i, program))
      continue;
    note(stage, peers[i].name);
    gen_run(devices->peers[i], program, &other);
    if (!other.ok) {
      outcome = peers[i].fails;
      describe(&other, text, size);
    } else if (gen_differ(program, &interp, &other, text, size)) {
      outcome = peers[i].differs;
    }
    gen_result_free(&other);
  }
  gen_result_free(&interp);
  return outcome;
}

enum gen_outcome gen_judge(const struct gen_setup *setup, const struct gen_program *program, char *message,
                           size_t size) {
  int fds[2];
  if (pipe(fds))
    exit(3);
  fflush(stdout);
  pid_t pid = fork();
  if (pid < 0)
    exit(3);
  if (pid == 0) {
    struct devices devices;
    char text[256] = "";
    close(fds[0]);
    alarm(SECONDS_PER_PROGRAM / 4);
    open_devices(setup, &devices);
    enum gen_outcome outcome = judge(&devices, program, NULL, text, sizeof text);
    ssize_t written = write(fds[1], text, strlen(text));
    _exit(written < 0 ? 98 : (int)outcome);
  }
  close(fds[1]);
  char text[256];
  ssize_t got = read(fds[0], text, sizeof text - 1);
  close(fds[0]);
  text[got > 0 ? got : 0] = 0;
  if (message)
    snprintf(message, size, "%s", text);
  int status;
  waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) >= 98)
    exit(3);
  return WIFEXITED(status) ? (enum gen_outcome)WEXITSTATUS(status) : GEN_CRASH;
}

// ---- the search -----------------------------------------------------------------------------------------------------

static struct shared *shared_by_all; // for the signal handler alone

static void ask_to_stop(int number) {
  (void)number;
  shared_by_all->stop = 1;
}

static void save(const struct options *options, const struct gen_program *program, const struct finding *finding,
                 const char *suffix) {
  char path[4096], comment[512];
  snprintf(comment, sizeof comment, "Seed %llu: %s: %.300s", (unsigned long long)finding->seed,
           outcome_names[finding->outcome], finding->message);
  for (char *c = comment; *c; c++)
    if (*c == '\n')
      *c = ' ';
  char *text = gen_exec_case(program, comment);
  if (options->out) {
    snprintf(path, sizeof path, "%s/gen_%llu%s.cl", options->out, (unsigned long long)finding->seed, suffix);
    FILE *out = fopen(path, "w");
    if (out) {
      fputs(text, out);
      fclose(out);
    }
  } else {
    printf("---- %s%s\n%s----\n", outcome_names[finding->outcome], suffix, text);
    fflush(stdout);
  }
  free(text);
}

static void add_finding(struct shared *shared, uint64_t seed, enum gen_outcome outcome, const char *message) {
  uint32_t at = __atomic_fetch_add(&shared->finding_count, 1, __ATOMIC_RELAXED);
  printf("seed %llu: %s: %s\n", (unsigned long long)seed, outcome_names[outcome], message);
  fflush(stdout);
  if (at >= MAX_FINDINGS)
    return;
  struct finding *finding = &shared->findings[at];
  finding->seed = seed, finding->outcome = outcome;
  snprintf(finding->message, sizeof finding->message, "%s", message);
}

static void work(const struct options *options, struct shared *shared, uint32_t job, uint64_t first) {
  struct devices devices;
  prctl(PR_SET_PDEATHSIG, SIGKILL); // no work for nobody
  open_devices(&options->setup, &devices);
  for (uint64_t seed = first; seed < options->seed + options->count && !shared->stop; seed += options->jobs) {
    struct gen_program program;
    char text[256] = "";
    shared->seeds[job] = seed;
    note(shared->stages[job], "generator");
    alarm(SECONDS_PER_PROGRAM);
    make(options, seed, &program);
    enum gen_outcome outcome = judge(&devices, &program, shared->stages[job], text, sizeof text);
    __atomic_fetch_add(&shared->programs, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < GEN_PEER_COUNT; i++)
      if (suits(&devices, i, &program))
        __atomic_fetch_add(&shared->compared[i], 1, __ATOMIC_RELAXED);
    if (outcome)
      add_finding(shared, seed, outcome, text);
    gen_free(&program);
  }
  _exit(0);
}

static pid_t start(const struct options *options, struct shared *shared, uint32_t job, uint64_t first) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid < 0) {
    perror("gen_diff: fork");
    exit(3);
  }
  if (pid == 0)
    work(options, shared, job, first);
  return pid;
}

static bool search(const struct options *options, struct shared *shared) {
  pid_t pids[MAX_JOBS];
  uint32_t running = 0;
  for (uint32_t i = 0; i < options->jobs; i++, running++)
    pids[i] = start(options, shared, i, options->seed + i);
  while (running) {
    int status;
    pid_t pid = wait(&status);
    uint32_t job = 0;
    while (job < options->jobs && pids[job] != pid)
      job++;
    if (pid < 0 || job == options->jobs)
      continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      running--;
      continue;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 99)
      return false;
    char text[64];
    snprintf(text, sizeof text, "in %s, %s %d", shared->stages[job], WIFEXITED(status) ? "exit" : "signal",
             WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    __atomic_fetch_add(&shared->programs, 1, __ATOMIC_RELAXED);
    add_finding(shared, shared->seeds[job], GEN_CRASH, text);
    pids[job] = start(options, shared, job, shared->seeds[job] + options->jobs);
  }
  return true;
}

static void report(const struct options *options, const struct shared *shared) {
  uint32_t count = shared->finding_count < MAX_FINDINGS ? shared->finding_count : MAX_FINDINGS;
  for (uint32_t i = 0; i < count && i < 40; i++) {
    const struct finding *finding = &shared->findings[i];
    struct gen_program program;
    make(options, finding->seed, &program);
    if (options->out || i == 0)
      save(options, &program, finding, "");
    if (options->reduce) {
      struct gen_setup setup = options->setup;
      for (int k = 0; k < GEN_PEER_COUNT; k++) // the others cost time
        if (finding->outcome != GEN_CRASH && finding->outcome != peers[k].fails && finding->outcome != peers[k].differs)
          setup.peers &= ~(1u << k);
      gen_reduce(&setup, &program, finding->outcome, finding->message);
      save(options, &program, finding, "_reduced");
    }
    gen_free(&program);
  }
}

static int print_case(const struct options *options, uint64_t seed) {
  struct gen_program program;
  make(options, seed, &program);
  char *text = gen_exec_case(&program, "Generated.");
  fputs(text, stdout);
  free(text);
  gen_free(&program);
  return 0;
}

static int judge_file(const struct options *options, const char *path, uint64_t seed) {
  struct gen_program program;
  char *text = NULL, message[256];
  size_t size = 0;
  make(options, seed, &program);
  FILE *in = fopen(path, "r");
  if (!in || getdelim(&text, &size, 0, in) < 0) {
    printf("gen_diff: %s: %s\n", path, strerror(errno));
    return 2;
  }
  fclose(in);
  free(program.source);
  program.source = text;
  enum gen_outcome outcome = gen_judge(&options->setup, &program, message, sizeof message);
  printf("%s: %s\n", outcome_names[outcome], message);
  if (outcome && options->reduce) {
    gen_reduce(&options->setup, &program, outcome, message);
    fputs(program.source, stdout);
  }
  gen_free(&program);
  return outcome != GEN_FINE;
}

static uint32_t feature_list(const char *text) {
  uint32_t features = 0;
  for (size_t size; *text; text += size + (text[size] == ',')) {
    size = strcspn(text, ",");
    uint32_t bit = gen_feature_bit(text, size);
    if (!bit) {
      printf("gen_diff: no feature '%.*s'\n", (int)size, text);
      exit(2);
    }
    features |= bit;
  }
  return features;
}

static uint32_t peer_list(const char *text) {
  uint32_t list = 0;
  for (size_t size; *text; text += size + (text[size] == ',')) {
    int peer = 0;
    size = strcspn(text, ",");
    while (peer < GEN_PEER_COUNT && (strlen(peers[peer].name) != size || memcmp(peers[peer].name, text, size)))
      peer++;
    if (peer == GEN_PEER_COUNT) {
      printf("gen_diff: no peer '%.*s'\n", (int)size, text);
      exit(2);
    }
    list |= 1u << peer;
  }
  return list;
}

static int summary(const struct options *options, const struct shared *shared, double seconds) {
  bool missing = false;
  printf("%llu programs, %u findings, %.1f s; compared with interp:", (unsigned long long)shared->programs,
         shared->finding_count, seconds);
  for (int i = 0; i < GEN_PEER_COUNT; i++)
    if (options->setup.peers >> i & 1) {
      printf(" %s %llu", peers[i].name, (unsigned long long)shared->compared[i]);
      missing |= !shared->compared[i] && i != GEN_PEER_OPENCL;
    }
  printf("\n");
  if (options->setup.peers >> GEN_PEER_OPENCL & 1 && !shared->compared[GEN_PEER_OPENCL])
    printf("OpenCL was not compared: no platform with a device was found\n");
  report(options, shared);
  return shared->finding_count || shared->programs != options->count || missing;
}

int main(int argc, char **argv) {
  struct options options = {.seed = 1, .count = 100, .jobs = 1, .features = ~0u};
  options.setup.peers = 1u << GEN_PEER_CPU;
  for (int i = 1; i < argc; i++) {
    const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(name, "--opencl") == 0)
      options.setup.peers |= 1u << GEN_PEER_OPENCL;
    else if (strcmp(name, "--reduce") == 0)
      options.reduce = true;
    else if (!value)
      return fprintf(stderr, "gen_diff: %s: see the head of tests/gen/diff.c\n", name), 2;
    else if (i++, strcmp(name, "--seed") == 0)
      options.seed = strtoull(value, NULL, 0);
    else if (strcmp(name, "--count") == 0)
      options.count = strtoull(value, NULL, 0);
    else if (strcmp(name, "--jobs") == 0)
      options.jobs = (uint32_t)strtoul(value, NULL, 0);
    else if (strcmp(name, "--arch") == 0)
      options.setup.arch = value;
    else if (strcmp(name, "--options") == 0)
      options.setup.options = value;
    else if (strcmp(name, "--peers") == 0)
      options.setup.peers = peer_list(value);
    else if (strcmp(name, "--features") == 0)
      options.features = feature_list(value);
    else if (strcmp(name, "--aimed") == 0)
      options.aimed = value;
    else if (strcmp(name, "--out") == 0)
      options.out = value;
    else if (strcmp(name, "--print") == 0)
      return print_case(&options, strtoull(value, NULL, 0));
    else if (strcmp(name, "--judge") == 0 && i + 1 < argc)
      return judge_file(&options, value, strtoull(argv[i + 1], NULL, 0));
    else
      return fprintf(stderr, "gen_diff: %s: no such option\n", name), 2;
  }
  if (options.jobs < 1 || options.jobs > MAX_JOBS)
    options.jobs = 1;
  setenv("POCL_KERNEL_CACHE", "0", 0);
  setenv("POCL_MAX_PTHREAD_COUNT", "1", 0);
  struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return 3;
  shared_by_all = shared;
  signal(SIGINT, ask_to_stop);
  signal(SIGTERM, ask_to_stop);
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  if (!search(&options, shared))
    return 3;
  clock_gettime(CLOCK_MONOTONIC, &to);
  return summary(&options, shared, (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9);
}
