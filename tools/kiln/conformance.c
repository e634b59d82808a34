// kiln conformance: whether a backend keeps to kiln/backend.h. docs/backend.md describes the areas.
#include "conformance.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  void (*run)(struct suite *s);
  bool device, compiler;
} areas[] = {
    {"registration", check_registration, false, false},
    {"targets", check_targets, false, false},
    {"hash", check_hash, false, true},
    {"stages and libraries", check_stages, false, true},
    {"determinism", check_determinism, false, true},
    {"cache", check_cache, false, true},
    {"operations", check_operations, false, true},
    {"built-in functions", check_builtins, false, true},
    {"images", check_images, false, true},
    {"arguments", check_arguments, true, true},
    {"memory", check_memory, true, false},
    {"streams and events", check_streams, true, true},
    {"errors", check_errors, false, true},
    {"unload", check_unload, false, false},
};
enum { AREA_COUNT = sizeof areas / sizeof *areas, MAX_NOTES = 60 };

// ---- checks --------------------------------------------------------------------------------------------------------

static void note(struct suite *s, const char *kind, const char *format, va_list args) {
  if (s->notes++ >= MAX_NOTES && !s->verbose)
    return;
  fprintf(stderr, "%s: %s: ", s->area->name, kind);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
}

bool expect(struct suite *s, bool ok, const char *format, ...) {
  if (ok) {
    s->area->passed++;
    return true;
  }
  s->area->failed++;
  va_list args;
  va_start(args, format);
  note(s, "FAILED", format, args);
  va_end(args);
  return false;
}

void skip(struct suite *s, const char *format, ...) {
  s->area->skipped++;
  va_list args;
  va_start(args, format);
  note(s, "skipped", format, args);
  va_end(args);
}

bool expect_ok(struct suite *s, enum kiln_status status, const char *what) {
  return expect(s, status == KILN_OK, "%s: %s: %s", what, kiln_status_name(status), kiln_last_error());
}

bool expect_failure(struct suite *s, enum kiln_status status, enum kiln_status wanted, const char *what) {
  return expect(s, status == wanted && *kiln_last_error(), "%s: '%s' instead of '%s': %s", what,
                kiln_status_name(status), kiln_status_name(wanted), kiln_last_error());
}

// ---- the run -------------------------------------------------------------------------------------------------------

static void keep_printed(void *user, const char *text, size_t size) {
  char *to = user;
  size_t old = strlen(to);
  if (old + size < sizeof((struct suite *)0)->printed[0]) {
    memcpy(to + old, text, size);
    to[old + size] = 0;
  }
}

static void ignore_target(void *user, const char *name, const char *description) {
  (void)user, (void)name, (void)description;
}

static int open_suite(struct suite *s) {
  struct kiln_context_desc desc = {.backend = s->common->backend,
                                   .arch = s->common->arch,
                                   .cache_mode = "off",
                                   .print = keep_printed,
                                   .print_user = s->printed[0]};
  enum kiln_status status = kiln_context_open(&desc, &s->ctx);
  if (status == KILN_ERR_UNAVAILABLE && !desc.arch) {
    fail(EXIT_ENVIRONMENT, "%s", kiln_last_error());
    if (kiln_list_targets(desc.backend, ignore_target, NULL) == KILN_OK) // it could be loaded
      fprintf(stderr, "With -a ARCH what needs no device is checked; 'kiln targets -b %s' lists archs.\n",
              desc.backend);
    return EXIT_ENVIRONMENT;
  }
  if (status != KILN_OK)
    return status == KILN_ERR_NOT_FOUND ? fail(EXIT_USAGE, "%s", kiln_last_error()) : fail_status(status);
  s->backend = kiln_context_backend(s->ctx);
  s->target = *kiln_context_full_target(s->ctx);
  if (!kiln_interpreter())
    return fail(EXIT_ENVIRONMENT, "this build has no interpreter to compare with");
  // Its archs differ by the size of sub-groups; a size that it has not leaves out the cases on sub-groups.
  char arch[32];
  struct kiln_caps caps;
  memset(&caps, 0, sizeof caps);
  s->backend->caps(&s->target, &caps);
  uint32_t warp = caps.sub_groups == KILN_SUB_GROUPS_SINGLE ? 1 : s->target.warp_size;
  bool known = warp == 1 || (warp >= 4 && warp <= KILN_MAX_WARP_SIZE && (warp & (warp - 1)) == 0);
  snprintf(arch, sizeof arch, known ? "warp%u" : "generic", (unsigned)warp);
  s->sub_groups = known && caps.sub_groups != KILN_SUB_GROUPS_NONE;
  desc.backend = kiln_interpreter()->name;
  desc.arch = arch;
  desc.print_user = s->printed[1];
  status = kiln_context_open(&desc, &s->oracle);
  if (status == KILN_OK)
    status = kiln_stream_create(s->oracle, 0, &s->oracle_stream);
  if (status != KILN_OK)
    return fail_status(status);
  if (kiln_stream_create(s->ctx, 0, &s->stream) != KILN_OK)
    snprintf(s->no_device, sizeof s->no_device, "%s", kiln_last_error());
  return EXIT_FINE;
}

static void close_suite(struct suite *s) {
  kiln_stream_release(s->stream);
  kiln_stream_release(s->oracle_stream);
  kiln_context_close(s->ctx);
  kiln_context_close(s->oracle);
}

static void run_areas(struct suite *s, struct area *results) {
  for (int i = 0; i < AREA_COUNT; i++) {
    s->area = &results[i];
    s->area->name = areas[i].name;
    if (areas[i].compiler && !s->backend->compile)
      skip(s, "the backend has no compiler");
    else if (areas[i].device && !s->stream)
      skip(s, "there is no device: %s", s->no_device);
    else
      areas[i].run(s);
    // An area in which nothing was done is no area that passed.
    if (!s->area->passed && !s->area->failed && !s->area->skipped)
      expect(s, false, "no check was made");
  }
}

static uint32_t print_results(const struct suite *s, const struct area *results) {
  struct json json = {.to = stdout};
  uint32_t failed = 0;
  if (s->common->json) {
    json_open(&json, NULL, '{');
    json_text(&json, "backend", s->backend->name);
    json_text(&json, "arch", s->target.arch);
    json_text(&json, "no_device", s->no_device);
    json_open(&json, "areas", '[');
  } else {
    printf("%-22s %8s %8s %8s   %s %s\n", "AREA", "PASSED", "FAILED", "SKIPPED", s->backend->name, s->target.arch);
  }
  for (int i = 0; i < AREA_COUNT; i++) {
    const struct area *a = &results[i];
    failed += a->failed;
    if (!s->common->json) {
      printf("%-22s %8u %8u %8u   %s\n", a->name, (unsigned)a->passed, (unsigned)a->failed, (unsigned)a->skipped,
             a->failed    ? "FAILED"
             : !a->passed ? "skipped"
                          : "ok");
      continue;
    }
    json_open(&json, NULL, '{');
    json_text(&json, "area", a->name);
    json_u64(&json, "passed", a->passed);
    json_u64(&json, "failed", a->failed);
    json_u64(&json, "skipped", a->skipped);
    json_close(&json, '}');
  }
  if (s->common->json) {
    json_close(&json, ']');
    json_close(&json, '}');
  }
  return failed;
}

int conformance_main(int argc, char **argv) {
  static const struct option long_options[] = {COMMON_LONG, {NULL, 0, NULL, 0}};
  struct common common = {0};
  opterr = 0;
  for (int option; (option = getopt_long(argc, argv, COMMON_SHORT, long_options, NULL)) != -1;) {
    if (option == 'h')
      return print_help(this_verb(argv));
    if (!common_option(&common, option, optarg))
      return bad_option(argv, long_options);
  }
  if (optind < argc)
    return usage_error(argv, "it takes no argument '%s'", argv[optind]);
  if (!common.backend)
    return usage_error(argv, "which backend? -b BACKEND is missing");
  struct suite s = {.common = &common, .verbose = common.verbose};
  struct area results[AREA_COUNT] = {0};
  int code = open_suite(&s);
  if (code == EXIT_FINE) {
    run_areas(&s, results);
    uint32_t failed = print_results(&s, results);
    code = finish_output();
    if (code == EXIT_FINE && failed)
      code = fail(EXIT_DATA, "backend '%s' does not conform: %u checks failed", s.backend->name, (unsigned)failed);
  }
  close_suite(&s);
  common_free(&common);
  return code;
}
