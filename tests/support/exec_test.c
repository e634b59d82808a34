// Runs the cases of tests/exec through the kiln command and compares what it prints with what the file says.
//
//   exec_test [--bless] [--equal BACKEND[:ARCH]] [--without TEXT] KILN BACKEND[:ARCH] FOLDER [FILTER]
//   exec_test --stats KILN BACKEND FOLDER [FILTER]
//   exec_test --plan KILN cpu:ARCH FOLDER [FILTER]
//
// A case is a .cl or .kir file of the folder or of one below it, whose path from there on contains FILTER. Its head
// comment has, for each run:
//   // run: ARGUMENTS          what follows "kiln run FILE -b BACKEND"; quotes as in a shell
//   // tolerance: 1e-6         optional: numbers may differ by so much, relative to the larger one
//   // expect: TEXT            one per line of standard output; none and no "fails" is an error
//   // formula: ARGUMENTS      instead: the run prints what "interp" prints of it with these arguments as well, which
//                              begin with -k and another kernel of the file, the formula. No pass runs then
//                              -D FORMULA after it: under #ifdef FORMULA no other program has the formula in it
//   // fails: TEXT             instead: the run exits with status 1 and its message contains TEXT
//   // skip: BACKEND[:ARCH] REASON  the run is not for this backend or target; up to 8 of them
//   // stats: BACKEND:ARCH TEXT  what --stats runs instead: "kiln compile --stats" for that target, with the kernel and
//                              the build options of the run, prints TEXT; up to 8 of them
// --equal also runs every case that is for it on another backend and demands exactly the same output.
// --without leaves out the cases whose path contains TEXT.
// --plan asks for the plan of each program instead: the emitter then compares with it what it has emitted.
// --bless rewrites the expect lines from what was printed, after showing the difference.
// On the CPU each run's buffers end where memory does, those of a third of the runs begin there.
// What is compiled goes to a cache folder of this process, empty at first: runs of one program compile it once.
// COMPILE_CACHE=off compiles it for each.
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/walk.h"

enum { MAX_SKIPS = 8, MAX_STATS = 8, MAX_ARGS = 128, MAX_LINES = 256, MAX_TEXT = 1 << 20 };

struct run {
  int line; // of the "run:" comment
  char *args, *fails, *formula;
  char *skips[MAX_SKIPS], *stats[MAX_STATS];
  int skip_count, stats_count;
  double tolerance;
  char *expect[MAX_LINES];
  int expect_count;
};

struct options {
  bool bless, stats, plan;
  const char *equal, *kiln, *backend, *folder, *filter, *without; // without: NULL: nothing is left out
  unsigned share, part;                                           // which of so many parts of the files; share 0: all
};

struct tally {
  int passed, failed, skipped, blessed;
};

extern char **environ;

static char *copy(const char *text) {
  char *result = strdup(text);
  if (!result)
    exit(3);
  return result;
}

// Splits a line into words; single and double quotes keep spaces.
static int split(char *text, char **words, int max) {
  int count = 0;
  while (count < max) {
    while (isspace((unsigned char)*text))
      text++;
    if (!*text)
      break;
    char *out = text, quote = 0;
    words[count++] = text;
    for (; *text && (quote || !isspace((unsigned char)*text)); text++) {
      if (quote ? *text == quote : (*text == '"' || *text == '\''))
        quote = quote ? 0 : *text;
      else
        *out++ = *text;
    }
    bool more = *text != 0;
    *out = 0;
    text += more;
  }
  return count;
}

// Both streams of the command, each NUL-terminated.
struct output {
  char *text[2]; // standard output, standard error
  int status;    // exit status; 128 + signal
};

static struct output run_command(char **argv) {
  struct output result = {.text = {malloc(MAX_TEXT), malloc(MAX_TEXT)}};
  int out[2], err[2];
  if (!result.text[0] || !result.text[1] || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
    exit(3);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  pid_t pid;
  int failed = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]), close(err[1]);
  if (failed) {
    fprintf(stderr, "exec_test: cannot start %s: %s\n", argv[0], strerror(failed));
    exit(3);
  }
  struct pollfd fds[2] = {{.fd = out[0], .events = POLLIN}, {.fd = err[0], .events = POLLIN}};
  size_t size[2] = {0, 0};
  for (int open = 2; open > 0;) {
    poll(fds, 2, -1);
    for (int i = 0; i < 2; i++) {
      if (!fds[i].revents)
        continue;
      ssize_t got = read(fds[i].fd, result.text[i] + size[i], MAX_TEXT - 1 - size[i]);
      if (got > 0) {
        size[i] += (size_t)got;
      } else {
        close(fds[i].fd);
        fds[i].fd = -1;
        open--;
      }
    }
  }
  result.text[0][size[0]] = result.text[1][size[1]] = 0;
  int status;
  waitpid(pid, &status, 0);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

static struct output run_kernel(const struct options *options, const char *file, const char *backend,
                                const struct run *run) {
  char *args = copy(run->args), *name = copy(backend), *arch = strchr(name, ':');
  char *argv[MAX_ARGS] = {(char *)options->kiln, "run", (char *)file, "-b", name, "-a", NULL};
  if (arch)
    *arch++ = 0;
  argv[6] = arch;
  int count = arch ? 7 : 5;
  if (!strcmp(name, "cpu") && run->line % 3 == 0)
    argv[count++] = "--guard", argv[count++] = "before";
  count += split(args, argv + count, MAX_ARGS - 10);
  argv[count] = NULL;
  struct output output = run_command(argv);
  free(args), free(name);
  return output;
}

static void free_output(struct output *output) { free(output->text[0]), free(output->text[1]); }

// Expects of a run what its formula gives. False: the formula does not run.
static bool find_expectations(const struct options *options, const char *file, struct run *run) {
  char *args;
  if (strncmp(run->formula, "-k ", 3)) {
    printf("%s:%d: a formula begins with -k and names its kernel\n", file, run->line);
    return false;
  }
  if (asprintf(&args, "%s %s --options -cl-opt-disable", run->args, run->formula) < 0)
    exit(3);
  struct run formula = {.line = run->line, .args = args};
  struct output output = run_kernel(options, file, "interp", &formula);
  bool ok = output.status == 0;
  if (!ok)
    printf("%s:%d: the formula: exit status %d\n%s", file, run->line, output.status, output.text[1]);
  for (char *line = strtok(output.text[0], "\n"); ok && line && run->expect_count < MAX_LINES;
       line = strtok(NULL, "\n"))
    run->expect[run->expect_count++] = copy(line);
  free_output(&output);
  free(args);
  return ok;
}

// Word by word: equal, or numbers within the tolerance.
static bool same_line(const char *want, const char *got, double tolerance) {
  while (true) {
    while (*want == ' ')
      want++;
    while (*got == ' ')
      got++;
    size_t want_size = strcspn(want, " "), got_size = strcspn(got, " ");
    if (want_size == 0 || got_size == 0)
      return want_size == got_size;
    if (want_size != got_size || memcmp(want, got, want_size)) {
      char *want_end, *got_end;
      double x = strtod(want, &want_end), y = strtod(got, &got_end);
      if (want_end != want + want_size || got_end != got + got_size || !(tolerance > 0))
        return false;
      if (!(fabs(x - y) <= tolerance * fmax(fabs(x), fabs(y))) && !(isnan(x) && isnan(y)) && x != y)
        return false;
    }
    want += want_size;
    got += got_size;
  }
}

static int lines_of(char *text, char **lines, int max) {
  int count = 0;
  for (char *line = strtok(text, "\n"); line && count < max; line = strtok(NULL, "\n"))
    lines[count++] = line;
  return count;
}

static bool check_output(const char *file, struct run *run, struct output *output, bool bless, struct tally *tally) {
  if (run->fails) {
    if (output->status == 1 && strstr(output->text[1], run->fails))
      return true;
    printf("%s:%d: expected status 1 and \"%s\", got status %d\n%s", file, run->line, run->fails, output->status,
           output->text[1]);
    return false;
  }
  if (output->status != 0) {
    printf("%s:%d: exit status %d\n%s", file, run->line, output->status, output->text[1]);
    return false;
  }
  static char *lines[MAX_LINES];
  int count = lines_of(output->text[0], lines, MAX_LINES);
  bool same = count == run->expect_count && count > 0;
  for (int i = 0; i < count && i < run->expect_count; i++)
    same &= same_line(run->expect[i], lines[i], run->tolerance);
  if (same)
    return true;
  for (int i = 0; i < count || i < run->expect_count; i++) {
    const char *want = i < run->expect_count ? run->expect[i] : NULL, *got = i < count ? lines[i] : NULL;
    if (want && got && same_line(want, got, run->tolerance))
      continue;
    printf("%s:%d: line %d\n", file, run->line, i + 1);
    if (want)
      printf("  - %s\n", want);
    if (got)
      printf("  + %s\n", got);
  }
  if (run->expect_count == 0)
    printf("%s:%d: the run has no expectation\n", file, run->line);
  if (!bless)
    return false;
  for (int i = 0; i < run->expect_count; i++)
    free(run->expect[i]);
  for (int i = 0; i < count; i++)
    run->expect[i] = copy(lines[i]);
  run->expect_count = count;
  tally->blessed++;
  return true;
}

static bool equal_output(const struct options *options, const char *file, const struct run *run, const char *output) {
  struct output other = run_kernel(options, file, options->equal, run);
  bool same = other.status == 0 && strcmp(other.text[0], output) == 0;
  if (!same)
    printf("%s:%d: %s and %s differ\n  %s\n  %s\n%s", file, run->line, options->backend, options->equal, output,
           other.text[0], other.text[1]);
  free_output(&other);
  return same;
}

// Why the run is not for this BACKEND[:ARCH]; NULL: it is.
static const char *reason_to_skip(const char *backend, const struct run *run) {
  for (int i = 0; i < run->skip_count; i++) {
    size_t size = strcspn(run->skips[i], " ");
    if (strncmp(run->skips[i], backend, size) == 0 && (backend[size] == 0 || backend[size] == ':'))
      return run->skips[i];
  }
  return NULL;
}

static void do_run(const struct options *options, const char *file, struct run *run, struct tally *tally) {
  const char *reason = reason_to_skip(options->backend, run);
  if (reason) {
    printf("%s:%d: skipped: %s\n", file, run->line, reason);
    tally->skipped++;
    return;
  }
  if (run->formula && !find_expectations(options, file, run)) {
    tally->failed++;
    return;
  }
  struct output output = run_kernel(options, file, options->backend, run);
  char *printed = copy(output.text[0]);
  bool ok = check_output(file, run, &output, options->bless && !run->formula, tally);
  if (ok && options->equal && !run->fails && !reason_to_skip(options->equal, run))
    ok = equal_output(options, file, run, printed);
  free(printed);
  free_output(&output);
  if (ok)
    tally->passed++;
  else
    tally->failed++;
}

// ---- statistics

// Those of the words of a run that say how it is built, and which kernel it runs if that is asked for.
static int build_words(char **words, int count, bool kernel, char **out) {
  int kept = 0;
  for (int i = 0; i < count; i++) {
    bool is_pair = (kernel && !strcmp(words[i], "-k")) || !strcmp(words[i], "-D") || !strcmp(words[i], "-I") ||
                   !strcmp(words[i], "--options");
    if (!is_pair && strncmp(words[i], "-D", 2) && strncmp(words[i], "-I", 2) && strncmp(words[i], "--options=", 10))
      continue;
    out[kept++] = words[i];
    if (is_pair && i + 1 < count)
      out[kept++] = words[++i];
  }
  return kept;
}

// Whether the text is there, and no longer number at its end.
static bool has_text(const char *output, const char *text) {
  size_t size = strlen(text);
  for (const char *at = strstr(output, text); at && size; at = strstr(at + 1, text))
    if (!isdigit((unsigned char)at[size]))
      return true;
  return false;
}

static void do_stats(const struct options *options, const char *file, const struct run *run, const char *stats,
                     struct tally *tally) {
  size_t name = strlen(options->backend), target = strcspn(stats, " ");
  if (strncmp(stats, options->backend, name) || stats[name] != ':')
    return;
  char *args = copy(run->args), *arch = strndup(stats + name + 1, target - name - 1), *words[MAX_ARGS];
  char *argv[MAX_ARGS + 8] = {(char *)options->kiln,    "compile", (char *)file, "--stats", "-b",
                              (char *)options->backend, "-a",      arch};
  argv[8 + build_words(words, split(args, words, MAX_ARGS - 1), true, argv + 8)] = NULL;
  struct output output = run_command(argv);
  bool ok = output.status == 0 && has_text(output.text[0], stats + target + (stats[target] == ' '));
  if (!ok)
    printf("%s:%d: not in the statistics: %s\n%s%s", file, run->line, stats, output.text[0], output.text[1]);
  tally->passed += ok;
  tally->failed += !ok;
  free_output(&output);
  free(args), free(arch);
}

// Whether two runs are of one program.
static bool is_same_build(const struct run *x, const struct run *y) {
  char *args[2] = {copy(x->args), copy(y->args)}, *words[2][MAX_ARGS];
  int count[2];
  for (int i = 0; i < 2; i++)
    count[i] = build_words(words[i], split(args[i], words[i], MAX_ARGS - 1), false, words[i]);
  bool is_same = count[0] == count[1];
  for (int i = 0; is_same && i < count[0]; i++)
    is_same = !strcmp(words[0][i], words[1][i]);
  free(args[0]), free(args[1]);
  return is_same;
}

static void do_plan(const struct options *options, const char *file, const struct run *runs, int number,
                    struct tally *tally) {
  const struct run *run = &runs[number];
  for (int i = 0; i < number; i++)
    if (is_same_build(&runs[i], run))
      return;
  size_t name = strcspn(options->backend, ":");
  char *args = copy(run->args), *backend = strndup(options->backend, name), *words[MAX_ARGS];
  char *argv[MAX_ARGS + 12] = {(char *)options->kiln,
                               "compile",
                               (char *)file,
                               "--emit",
                               "plan",
                               "-o",
                               "-",
                               "-b",
                               backend,
                               "-a",
                               (char *)options->backend + name + 1};
  argv[11 + build_words(words, split(args, words, MAX_ARGS - 1), false, argv + 11)] = NULL;
  struct output output = run_command(argv);
  if (output.status)
    printf("%s:%d: %s%s", file, run->line, output.text[0], output.text[1]);
  tally->passed += output.status == 0;
  tally->failed += output.status != 0;
  free_output(&output);
  free(args), free(backend);
}

// ---- case files

static const char *field(const char *line, const char *name) {
  size_t size = strlen(name);
  if (strncmp(line, "// ", 3) || strncmp(line + 3, name, size) || line[3 + size] != ':')
    return NULL;
  line += 4 + size;
  return line + (*line == ' ');
}

// Reads the runs and, for --bless, all other lines.
static int read_case(FILE *in, struct run *runs, int max, char ***rest, int *rest_count) {
  char *line = NULL;
  size_t capacity = 0;
  int count = 0, number = 0;
  for (ssize_t size; (size = getline(&line, &capacity, in)) >= 0;) {
    number++;
    if (size && line[size - 1] == '\n')
      line[size - 1] = 0;
    const char *value;
    struct run *run = count ? &runs[count - 1] : NULL;
    if ((value = field(line, "run")) && count < max)
      runs[count++] = (struct run){.line = number, .args = copy(value)};
    else if (run && (value = field(line, "tolerance")))
      run->tolerance = atof(value);
    else if (run && (value = field(line, "formula")))
      run->formula = copy(value);
    else if (run && (value = field(line, "fails")))
      run->fails = copy(value);
    else if (run && run->skip_count < MAX_SKIPS && (value = field(line, "skip")))
      run->skips[run->skip_count++] = copy(value);
    else if (run && run->stats_count < MAX_STATS && (value = field(line, "stats")))
      run->stats[run->stats_count++] = copy(value);
    else if (run && (value = field(line, "expect"))) {
      if (run->expect_count < MAX_LINES)
        run->expect[run->expect_count++] = copy(value);
    } else {
      *rest = realloc(*rest, sizeof **rest * (size_t)(*rest_count + 1));
      (*rest)[(*rest_count)++] = copy(line);
    }
  }
  free(line);
  return count;
}

static void write_case(const char *file, const struct run *runs, int count, char **rest, int rest_count) {
  FILE *out = fopen(file, "w");
  if (!out)
    exit(3);
  int next = 0;
  for (; next < rest_count && strncmp(rest[next], "//", 2) == 0; next++)
    fprintf(out, "%s\n", rest[next]);
  for (int i = 0; i < count; i++) {
    fprintf(out, "// run: %s\n", runs[i].args);
    if (runs[i].tolerance > 0)
      fprintf(out, "// tolerance: %g\n", runs[i].tolerance);
    for (int k = 0; k < runs[i].skip_count; k++)
      fprintf(out, "// skip: %s\n", runs[i].skips[k]);
    for (int k = 0; k < runs[i].stats_count; k++)
      fprintf(out, "// stats: %s\n", runs[i].stats[k]);
    if (runs[i].fails)
      fprintf(out, "// fails: %s\n", runs[i].fails);
    if (runs[i].formula)
      fprintf(out, "// formula: %s\n", runs[i].formula);
    for (int k = 0; k < runs[i].expect_count && !runs[i].formula; k++)
      fprintf(out, "// expect: %s\n", runs[i].expect[k]);
  }
  for (; next < rest_count; next++)
    fprintf(out, "%s\n", rest[next]);
  fclose(out);
}

static void free_run(struct run *run) {
  free(run->args), free(run->fails), free(run->formula);
  for (int i = 0; i < run->skip_count; i++)
    free(run->skips[i]);
  for (int i = 0; i < run->stats_count; i++)
    free(run->stats[i]);
  for (int i = 0; i < run->expect_count; i++)
    free(run->expect[i]);
}

static void do_case(const struct options *options, const char *file, struct tally *tally) {
  static struct run runs[64];
  char **rest = NULL;
  int rest_count = 0;
  FILE *in = fopen(file, "r");
  if (!in) {
    printf("%s: %s\n", file, strerror(errno));
    tally->failed++;
    return;
  }
  int count = read_case(in, runs, 64, &rest, &rest_count), blessed = tally->blessed;
  fclose(in);
  if (count == 0) {
    printf("%s: no \"// run:\" line\n", file);
    tally->failed++;
  }
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < runs[i].stats_count && options->stats; k++)
      do_stats(options, file, &runs[i], runs[i].stats[k], tally);
    if (options->plan && !runs[i].fails)
      do_plan(options, file, runs, i, tally);
    if (!options->stats && !options->plan)
      do_run(options, file, &runs[i], tally);
  }
  if (tally->blessed > blessed)
    write_case(file, runs, count, rest, rest_count);
  for (int i = 0; i < count; i++)
    free_run(&runs[i]);
  for (int i = 0; i < rest_count; i++)
    free(rest[i]);
  free(rest);
}

struct visit {
  const struct options *options;
  struct tally tally;
};

static void visit_file(void *user, const char *path, const char *name) {
  struct visit *v = user;
  const char *dot = strrchr(name, '.');
  if (dot && walk_is_in_share(name, v->options->share, v->options->part) &&
      (!strcmp(dot, ".cl") || !strcmp(dot, ".kir")) && strstr(name, v->options->filter) &&
      !(v->options->without && strstr(name, v->options->without)))
    do_case(v->options, path, &v->tally);
}

static char cache_folder[] = "/tmp/exec_test.XXXXXX";

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
  (void)info, (void)type, (void)walk;
  return remove(path);
}

static void remove_cache(void) { nftw(cache_folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

static void make_cache(void) {
  if (!mkdtemp(cache_folder) || setenv("COMPILE_CACHE_DIR", cache_folder, true)) {
    fprintf(stderr, "exec_test: cannot make %s: %s\n", cache_folder, strerror(errno));
    exit(3);
  }
  atexit(remove_cache);
}

int main(int argc, char **argv) {
  struct options options = {0};
  int arg = 1;
  for (; arg < argc && strncmp(argv[arg], "--", 2) == 0; arg++) {
    if (strcmp(argv[arg], "--bless") == 0)
      options.bless = true;
    else if (strcmp(argv[arg], "--stats") == 0)
      options.stats = true;
    else if (strcmp(argv[arg], "--plan") == 0)
      options.plan = true;
    else if (strcmp(argv[arg], "--equal") == 0 && arg + 1 < argc)
      options.equal = argv[++arg];
    else if (strcmp(argv[arg], "--without") == 0 && arg + 1 < argc)
      options.without = argv[++arg];
    else if (strcmp(argv[arg], "--share") == 0 && arg + 1 < argc)
      sscanf(argv[++arg], "%u:%u", &options.share, &options.part);
  }
  if (argc - arg < 3) {
    fprintf(stderr,
            "usage: exec_test [--bless] [--stats] [--plan] [--equal BACKEND[:ARCH]] [--share N[:K]: a part of the "
            "files, of N] [--without TEXT] KILN BACKEND[:ARCH] FOLDER [FILTER]\n");
    return 2;
  }
  options.kiln = argv[arg], options.backend = argv[arg + 1], options.folder = argv[arg + 2];
  options.filter = argc - arg > 3 ? argv[arg + 3] : "";
  make_cache();
  struct visit v = {.options = &options};
  walk_files(options.folder, visit_file, &v);
  printf("%d passed, %d failed, %d skipped\n", v.tally.passed, v.tally.failed, v.tally.skipped);
  return v.tally.failed > 0 || v.tally.passed == 0;
}
