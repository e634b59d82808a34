// kiln warm: compiles what was recorded, ahead of time.
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "json.h"
#include "tool.h"

enum { MAX_TARGETS = 256, KEPT_FAILURES = 1000 };

struct failure {
  char *program, *target, *message;
};

struct warm {
  struct common common;
  struct kiln_warm_desc desc;
  struct kiln_warm_target targets[MAX_TARGETS];
  char *backends, *archs; // copies, cut into words
  bool terminal;
  uint64_t failed;
  struct failure *failures;
};

// ---- command line --------------------------------------------------------------------------------------------------

static uint32_t cut(char *text, const char *words[], uint32_t capacity) {
  uint32_t count = 0;
  for (char *word = text ? strtok(text, ",") : NULL; word && count < capacity; word = strtok(NULL, ","))
    words[count++] = word;
  return count;
}

struct known_arch {
  const char *arch;
  bool found;
};
static void compare_arch(void *user, const char *name, const char *description) {
  struct known_arch *known = user;
  (void)description;
  size_t size = strlen(name);
  known->found |= strncmp(known->arch, name, size) == 0 && (!known->arch[size] || strchr("+-:,", known->arch[size]));
}

// With several backends an arch belongs to those that know it by name.
static bool arch_fits(const char *backend, const char *arch) {
  struct known_arch known = {arch, false};
  return kiln_list_targets(backend, compare_arch, &known) == KILN_OK && known.found;
}

static void warn_of_own_target(void *user, const struct kiln_backend_info *info) {
  if (strcmp(info->name, user) == 0 && info->available && !*info->tags)
    fprintf(
        stderr,
        "kiln: warning: no arch is named for backend '%s': its code is for this machine's own %s, and machines that "
        "differ may not find it; name archs with -a (kiln targets -b %s)\n",
        info->name, info->default_target, info->name);
}

static int make_targets(struct warm *w, char **argv) {
  const char *backends[MAX_TARGETS], *archs[MAX_TARGETS];
  uint32_t backend_count = cut(w->backends, backends, MAX_TARGETS), arch_count = cut(w->archs, archs, MAX_TARGETS);
  uint32_t count = 0;
  for (uint32_t b = 0; b < (backend_count ? backend_count : 1); b++) {
    uint32_t before = count;
    for (uint32_t a = 0; a < arch_count; a++) {
      if (backend_count > 1 && !arch_fits(backends[b], archs[a]))
        continue;
      if (count == MAX_TARGETS)
        return usage_error(argv, "more than %d targets", MAX_TARGETS);
      w->targets[count++] = (struct kiln_warm_target){backend_count ? backends[b] : NULL, archs[a]};
    }
    if (count == before && backend_count && count < MAX_TARGETS) { // its own default
      kiln_list_backends(false, warn_of_own_target, (void *)(uintptr_t)backends[b]);
      w->targets[count++] = (struct kiln_warm_target){backends[b], NULL};
    }
  }
  for (uint32_t a = 0; backend_count > 1 && a < arch_count; a++) {
    bool used = false;
    for (uint32_t i = 0; i < count; i++)
      used |= w->targets[i].arch == archs[a];
    if (!used)
      return fail(EXIT_USAGE, "none of the backends knows arch '%s'; see kiln targets -b BACKEND", archs[a]);
  }
  w->desc.targets = w->targets;
  w->desc.target_count = count;
  return -1;
}

// Returns -1 to go on.
static int parse_command_line(struct warm *w, int argc, char **argv) {
  static const struct option long_options[] = {
      {"backend", required_argument, NULL, 'b'}, {"arch", required_argument, NULL, 'a'},
      {"jobs", required_argument, NULL, 'j'},    {"export", required_argument, NULL, 'E'},
      {"json", no_argument, NULL, 'J'},          {"verbose", no_argument, NULL, 'v'},
      {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
  opterr = 0;
  for (int option; (option = getopt_long(argc, argv, "b:a:j:vh", long_options, NULL)) != -1;) {
    char *end;
    unsigned long jobs;
    switch (option) {
    case 'h':
      return print_help(this_verb(argv));
    case 'b':
      free(w->backends);
      w->backends = strdup(optarg);
      break;
    case 'a':
      free(w->archs);
      w->archs = strdup(optarg);
      break;
    case 'j':
      jobs = strtoul(optarg, &end, 10);
      if (*optarg < '0' || *optarg > '9' || *end || jobs > 4096)
        return usage_error(argv, "-j takes a number of jobs, not '%s'", optarg);
      w->desc.num_threads = (uint32_t)jobs;
      break;
    case 'E':
      w->desc.export_path = optarg;
      break;
    default:
      if (option == '?' || !common_option(&w->common, option, optarg))
        return bad_option(argv, long_options);
    }
  }
  if (optind == argc)
    return usage_error(argv, "MANIFEST is missing");
  w->desc.manifests = (const char *const *)(argv + optind);
  w->desc.manifest_count = (uint32_t)(argc - optind);
  return make_targets(w, argv);
}

// ---- progress ------------------------------------------------------------------------------------------------------

static void keep_failure(struct warm *w, const struct kiln_warm_event *event) {
  if (w->failed++ >= KEPT_FAILURES)
    return;
  if (!w->failures)
    w->failures = calloc(KEPT_FAILURES, sizeof *w->failures);
  if (!w->failures)
    return;
  struct failure *f = &w->failures[w->failed - 1];
  f->program = strdup(event->program);
  f->message = strdup(event->message);
  f->target = malloc(strlen(event->backend) + strlen(event->arch) + 2);
  if (f->target)
    sprintf(f->target, "%s %s", event->backend, event->arch);
}

static void draw_bar(const struct kiln_warm_event *event) {
  char bar[BAR + 1];
  print_bar(bar, event->done, event->total);
  printf("\r[%s] %llu/%llu ", bar, (unsigned long long)event->done, (unsigned long long)event->total);
  say(stdout, "%.30s %s", event->program, event->arch);
  printf("\033[K");
  fflush(stdout);
}

static bool show_event(void *user, const struct kiln_warm_event *event) {
  static const char *const names[] = {"compiled", "cached", "failed"};
  struct warm *w = user;
  if (event->outcome == KILN_WARM_FAILED)
    keep_failure(w, event);
  if (w->terminal)
    draw_bar(event);
  else if (!w->common.json)
    say(stdout, "%llu/%llu %s %s %s %s %.1f ms\n", (unsigned long long)event->done, (unsigned long long)event->total,
        names[event->outcome], event->backend, event->arch, event->program, event->ms);
  return !was_interrupted();
}

// ---- summary -------------------------------------------------------------------------------------------------------

static void print_failures(const struct warm *w) {
  for (uint64_t i = 0; w->failures && i < w->failed && i < KEPT_FAILURES; i++)
    say(stderr, "kiln: %s for %s: %s\n", w->failures[i].program ? w->failures[i].program : "?",
        w->failures[i].target ? w->failures[i].target : "?", w->failures[i].message ? w->failures[i].message : "?");
  if (w->failed > KEPT_FAILURES)
    say(stderr, "kiln: and %llu more failures\n", (unsigned long long)(w->failed - KEPT_FAILURES));
}

static void print_json(const struct warm *w, const struct kiln_warm_result *r) {
  struct json json = {.to = stdout};
  json_open(&json, NULL, '{');
  json_u64(&json, "programs", r->programs);
  json_u64(&json, "jobs", r->jobs);
  json_u64(&json, "compiled", r->compiled);
  json_u64(&json, "cached", r->cached);
  json_u64(&json, "failed", r->failed);
  json_u64(&json, "damaged_records", r->damaged);
  json_open(&json, "failures", '[');
  for (uint64_t i = 0; w->failures && i < w->failed && i < KEPT_FAILURES; i++) {
    json_open(&json, NULL, '{');
    json_text(&json, "program", w->failures[i].program ? w->failures[i].program : "");
    json_text(&json, "target", w->failures[i].target ? w->failures[i].target : "");
    json_text(&json, "message", w->failures[i].message ? w->failures[i].message : "");
    json_close(&json, '}');
  }
  json_close(&json, ']');
  json_close(&json, '}');
}

static int summary(const struct warm *w, const struct kiln_warm_result *r, double seconds) {
  if (w->common.json)
    print_json(w, r);
  else
    say(stdout, "%llu programs, %llu jobs: %llu compiled, %llu cached, %llu failed, %.1f s\n",
        (unsigned long long)r->programs, (unsigned long long)r->jobs, (unsigned long long)r->compiled,
        (unsigned long long)r->cached, (unsigned long long)r->failed, seconds);
  int code = finish_output();
  print_failures(w);
  if (r->damaged)
    say(stderr, "kiln: %llu records of the manifests have no end and were left out\n", (unsigned long long)r->damaged);
  if (was_interrupted())
    return fail_interrupted();
  return code != EXIT_FINE ? code : r->failed ? EXIT_DATA : EXIT_FINE;
}

static bool lacks_manifest(const struct warm *w) {
  for (uint32_t i = 0; i < w->desc.manifest_count; i++)
    if (access(w->desc.manifests[i], F_OK) != 0)
      return true;
  return false;
}

static int run(struct warm *w) {
  struct kiln_warm_result result;
  struct timespec start, end;
  w->terminal = isatty(STDOUT_FILENO) && !w->common.json;
  w->desc.event = show_event;
  w->desc.event_user = w;
  w->desc.log = w->common.verbose ? log_to_stderr : NULL;
  catch_interrupts();
  clock_gettime(CLOCK_MONOTONIC, &start);
  enum kiln_status status = kiln_warm(&w->desc, &result);
  clock_gettime(CLOCK_MONOTONIC, &end);
  if (w->terminal)
    printf("\r\033[K");
  if (status == KILN_ERR_NOT_FOUND && !lacks_manifest(w)) // a target that the user named
    return fail(EXIT_USAGE, "%s", kiln_last_error());
  if (status != KILN_OK)
    return fail_status(status);
  return summary(w, &result, (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9);
}

int warm_main(int argc, char **argv) {
  struct warm w = {0};
  int code = parse_command_line(&w, argc, argv);
  if (code < 0)
    code = run(&w);
  for (uint64_t i = 0; w.failures && i < KEPT_FAILURES; i++) {
    free(w.failures[i].program);
    free(w.failures[i].target);
    free(w.failures[i].message);
  }
  free(w.failures);
  free(w.backends);
  free(w.archs);
  common_free(&w.common);
  return code;
}
