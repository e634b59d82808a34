// kiln tune: finds the fastest parameters of a kernel, and shows and removes what was found.
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "run.h"

struct tune {
  struct common common;
  char **argv;
  const char *file;
  bool shows, forgets;
  struct kiln_tune_desc desc;
  struct launch_args with;
  struct kiln_context *ctx;
  struct kiln_kernel *kernel; // of the default point
  struct program_text text;
  struct kiln_tune_result result;
  struct json json;
  uint64_t listed;
};

// ---- command line --------------------------------------------------------------------------------------------------

// "10s", "500ms", "2m", or seconds.
static int parse_duration(struct tune *tune, const char *option, const char *text, uint64_t *out) {
  static const struct {
    const char *unit;
    double seconds;
  } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}};
  char *end;
  double value = read_double(text, &end);
  for (size_t i = 0; i < sizeof units / sizeof *units && end != text; i++) {
    double seconds = value * units[i].seconds;
    if (strcmp(end, units[i].unit) == 0 && seconds >= 1e-3 && seconds <= 1e6) {
      *out = (uint64_t)(seconds * 1e9);
      return EXIT_FINE;
    }
  }
  return usage_error(tune->argv, "%s: '%s' is no time from 1ms to 1000000s, such as 10s, 500ms or 2m", option, text);
}

static int one_number(struct tune *tune, const char *option, const char *text, uint64_t *out) {
  if (parse_count(text, strlen(text), out) && *out)
    return EXIT_FINE;
  return usage_error(tune->argv, "%s: '%s' is not a number from 1", option, text);
}

static int one_option(struct tune *tune, const struct option *options, int option) {
  char *end;
  switch (option) {
  case 'k':
    tune->desc.kernel = optarg;
    return EXIT_FINE;
  case 'B':
    return parse_duration(tune, "--budget", optarg, &tune->desc.budget_ns);
  case 'E':
    return parse_duration(tune, "--deadline", optarg, &tune->desc.deadline_ns);
  case 'P':
    return one_number(tune, "--points", optarg, &tune->desc.max_points);
  case 'S':
    return one_number(tune, "--seed", optarg, &tune->desc.seed);
  case 'L':
    tune->desc.tolerance = read_double(optarg, &end);
    if (end != optarg && !*end && tune->desc.tolerance > 0 && tune->desc.tolerance <= 1)
      return EXIT_FINE;
    return usage_error(tune->argv, "--tolerance: '%s' is not a number above 0 and at most 1", optarg);
  case 'A':
    tune->desc.flags |= KILN_TUNE_ALL;
    return EXIT_FINE;
  case 'W':
    tune->desc.flags |= KILN_TUNE_WARM;
    return EXIT_FINE;
  case 'H':
    tune->shows = true;
    return EXIT_FINE;
  case 'F':
    tune->forgets = true;
    return EXIT_FINE;
  default:
    return common_option(&tune->common, option, optarg) ? EXIT_FINE : bad_option(tune->argv, options);
  }
}

// Returns -1 to go on.
static int parse_command_line(struct tune *tune, int argc, char **argv) {
  static const struct option long_options[] = {COMMON_LONG,
                                               {"kernel", required_argument, NULL, 'k'},
                                               {"budget", required_argument, NULL, 'B'},
                                               {"deadline", required_argument, NULL, 'E'},
                                               {"points", required_argument, NULL, 'P'},
                                               {"seed", required_argument, NULL, 'S'},
                                               {"tolerance", required_argument, NULL, 'L'},
                                               {"all", no_argument, NULL, 'A'},
                                               {"warm", no_argument, NULL, 'W'},
                                               {"show", no_argument, NULL, 'H'},
                                               {"forget", no_argument, NULL, 'F'},
                                               {NULL, 0, NULL, 0}};
  tune->argv = argv;
  opterr = 0;
  for (int option; (option = getopt_long(argc, argv, COMMON_SHORT "k:", long_options, NULL)) != -1;) {
    if (option == 'h')
      return print_help(this_verb(argv));
    int code = one_option(tune, long_options, option);
    if (code != EXIT_FINE)
      return code;
  }
  if (optind == argc)
    return usage_error(argv, "FILE is missing");
  tune->file = argv[optind++];
  if ((tune->shows || tune->forgets) && optind < argc)
    return usage_error(argv, "%s takes no ARG: '%s'", tune->shows ? "--show" : "--forget", argv[optind]);
  if (tune->shows && tune->forgets)
    return usage_error(argv, "--show and --forget exclude each other");
  int code = parse_args(&tune->with, argv + optind, (uint32_t)(argc - optind));
  return code == EXIT_FINE ? -1 : code;
}

// ---- what is printed -----------------------------------------------------------------------------------------------

static void print_point(FILE *to, const struct kiln_tune_value *point, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    say(to, "%s%s=%lld", i ? " " : "", point[i].name, (long long)point[i].value);
}

static void json_point(struct json *json, const struct kiln_tune_value *point, uint32_t count) {
  char digits[24];
  json_open(json, "point", '{');
  for (uint32_t i = 0; i < count; i++) {
    snprintf(digits, sizeof digits, "%lld", (long long)point[i].value);
    json_number(json, point[i].name, digits);
  }
  json_close(json, '}');
}

// Improvements, and what is wrong.
static bool show_progress(void *user, const struct kiln_tune_event *event) {
  const struct tune *tune = user;
  bool is_bad = event->kind == KILN_TUNE_EVENT_WRONG || event->kind == KILN_TUNE_EVENT_FAILED;
  FILE *to = is_bad ? stderr : stdout;
  if (event->kind == KILN_TUNE_EVENT_MEASURED || (is_bad ? !tune->common.verbose : tune->common.json))
    return !was_interrupted();
  say(to, is_bad ? "kiln: " : "%8.1f us  ", event->us);
  print_point(to, event->point, event->value_count);
  say(to, is_bad ? ": %s\n" : "\n", event->message);
  fflush(to);
  return !was_interrupted();
}

static void print_result(struct tune *tune) {
  const struct kiln_tune_result *r = &tune->result;
  const char *name = kiln_kernel_info(tune->kernel)->name;
  if (tune->common.json) {
    json_open(&tune->json, NULL, '{');
    json_text(&tune->json, "kernel", name);
    json_double(&tune->json, "default_us", r->default_us);
    json_double(&tune->json, "best_us", r->best_us);
    json_point(&tune->json, r->point, r->value_count);
    json_u64(&tune->json, "points", r->points);
    json_u64(&tune->json, "compiles", r->compiles);
    json_u64(&tune->json, "wrong", r->wrong);
    json_u64(&tune->json, "failed", r->failed);
    json_double(&tune->json, "seconds", r->seconds);
    json_close(&tune->json, '}');
    return;
  }
  say(stdout, "%s: default %.1f us, best %.1f us (", name, r->default_us, r->best_us);
  print_point(stdout, r->point, r->value_count);
  say(stdout, "), %.2f times as fast; %llu points, %llu compiles, %.1f s\n", r->default_us / r->best_us,
      (unsigned long long)r->points, (unsigned long long)r->compiles, r->seconds);
  if (r->wrong || r->failed)
    say(stdout, "%llu wrong, %llu failed%s%s\n", (unsigned long long)r->wrong, (unsigned long long)r->failed,
        *r->message ? ", the first: " : "", r->message);
}

static bool show_record(void *user, const struct kiln_tune_record_info *record) {
  struct tune *tune = user;
  tune->listed++;
  if (tune->common.json) {
    json_open(&tune->json, NULL, '{');
    json_text(&tune->json, "kernel", record->kernel);
    json_text(&tune->json, "class", record->size_class);
    json_double(&tune->json, "default_us", record->default_us);
    json_double(&tune->json, "best_us", record->best_us);
    json_point(&tune->json, record->point, record->value_count);
    json_u64(&tune->json, "points", record->points);
    json_text(&tune->json, "device", record->device);
    json_close(&tune->json, '}');
    return true;
  }
  say(stdout, "%s%s%s: default %.1f us, best %.1f us (", record->kernel, *record->size_class ? " for " : "",
      record->size_class, record->default_us, record->best_us);
  print_point(stdout, record->point, record->value_count);
  say(stdout, "), %llu points, on %s\n", (unsigned long long)record->points, record->device);
  return true;
}

// ---- the verb ------------------------------------------------------------------------------------------------------

static int show(struct tune *tune) {
  if (tune->common.json)
    json_open(&tune->json, NULL, '[');
  enum kiln_status status = kiln_tune_list(tune->ctx, &tune->text.desc, tune->desc.kernel, show_record, tune);
  if (tune->common.json)
    json_close(&tune->json, ']');
  if (status != KILN_OK)
    return fail_status(status);
  if (!tune->listed && !tune->common.json)
    say(stdout, "nothing is known of '%s'\n", tune->file);
  return finish_output();
}

static int forget(struct tune *tune) {
  uint64_t removed = 0;
  enum kiln_status status = kiln_tune_forget(tune->ctx, &tune->text.desc, tune->desc.kernel, &removed);
  if (status != KILN_OK)
    return fail_status(status);
  if (tune->common.json) {
    json_open(&tune->json, NULL, '{');
    json_u64(&tune->json, "removed", removed);
    json_close(&tune->json, '}');
  } else {
    say(stdout, "%llu record%s removed\n", (unsigned long long)removed, removed == 1 ? "" : "s");
  }
  return finish_output();
}

static int search(struct tune *tune) {
  struct kiln_program *program;
  enum kiln_status status = kiln_program_create(tune->ctx, &tune->text.desc, &program);
  int code = end_compile(status, status == KILN_OK ? kiln_program_log(program) : NULL);
  if (status != KILN_OK)
    return code;
  status = kiln_kernel_create(program, tune->desc.kernel, &tune->kernel);
  kiln_program_release(program);
  if (status == KILN_OK)
    code = check_arg_count(&tune->with, kiln_kernel_info(tune->kernel));
  if (status == KILN_OK && code == EXIT_FINE)
    status = kiln_stream_create(tune->ctx, 0, &tune->with.stream);
  if (status != KILN_OK)
    return fail_status(status);
  tune->with.ctx = tune->ctx;
  if (code == EXIT_FINE)
    code = make_args(&tune->with, kiln_kernel_info(tune->kernel));
  if (code == EXIT_FINE)
    status = kiln_stream_finish(tune->with.stream);
  if (code != EXIT_FINE || status != KILN_OK)
    return code != EXIT_FINE ? code : fail_status(status);
  tune->desc.program = tune->text.desc;
  tune->desc.launch.args = tune->with.out;
  tune->desc.launch.arg_count = tune->with.arg_count;
  tune->desc.progress = show_progress;
  tune->desc.user = tune;
  catch_interrupts();
  status = kiln_tune(tune->ctx, &tune->desc, &tune->result);
  if (status != KILN_OK)
    return fail_status(status);
  print_result(tune);
  if (!tune->result.stored && !tune->common.verbose) // else the log has said so
    say(stderr, "kiln: this is not stored: the cache is off, or its folder cannot be written\n");
  code = finish_output();
  return code == EXIT_FINE && was_interrupted() ? fail_interrupted() : code;
}

static int execute(struct tune *tune) {
  tune->common.faults = "report"; // a point that faults is out, and the others go on
  int code = open_context(&tune->common, NULL, NULL, &tune->ctx);
  if (code == EXIT_FINE)
    code = read_program(tune->ctx, &tune->common, tune->file, &tune->text);
  if (code != EXIT_FINE)
    return code;
  return tune->shows ? show(tune) : tune->forgets ? forget(tune) : search(tune);
}

int tune_main(int argc, char **argv) {
  struct tune tune = {.json = {.to = stdout}};
  int code = parse_command_line(&tune, argc, argv);
  if (code < 0)
    code = execute(&tune);
  kiln_stream_release(tune.with.stream);
  release_args(&tune.with);
  kiln_kernel_release(tune.kernel);
  kiln_context_close(tune.ctx);
  free_args(&tune.with);
  program_text_free(&tune.text);
  common_free(&tune.common);
  return code;
}
