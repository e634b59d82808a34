// kiln run: one kernel on given arguments.
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "json.h"
#include "run.h"

struct run {
  struct common common;
  char **argv;
  const char *file, *kernel_name, *trace;
  struct kiln_launch_desc launch;
  bool has_global, time;
  uint64_t repeat;
  uint64_t deadline_ns; // 0: none
  struct run_output *outputs;
  uint32_t output_count;
  struct launch_args with;

  struct kiln_context *ctx;
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_stream *stream;
  double compile_ms, load_ms, *launch_us;

  pthread_mutex_t print_lock;
  char *printed; // by the kernel; with --json only
  size_t printed_size;
};

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

// ---- command line --------------------------------------------------------------------------------------------------

static int parse_triple(struct run *run, const char *option, const char *text, uint64_t least, uint64_t out[3]) {
  for (int d = 0; d < 3; d++) {
    size_t size = strcspn(text, ",");
    if (!parse_count(text, size, &out[d]) || out[d] < least)
      return usage_error(run->argv, "%s: '%.*s' is not a number from %llu", option, (int)size, text,
                         (unsigned long long)least);
    if (!text[size])
      return EXIT_FINE;
    text += size + 1;
  }
  return usage_error(run->argv, "%s: more than three numbers", option);
}

static int add_output(struct run *run, const char *text, bool print) {
  struct run_output *outputs = realloc(run->outputs, (run->output_count + 1) * sizeof *outputs);
  if (!outputs)
    return fail(EXIT_ENVIRONMENT, "memory is exhausted");
  run->outputs = outputs;
  int code = parse_output(text, print, &outputs[run->output_count]);
  run->output_count += code == EXIT_FINE;
  return code;
}

static int parse_deadline(struct run *run, const char *text) {
  char *end;
  double seconds = read_double(text, &end);
  if (end == text || *end || !(seconds >= 1e-3 && seconds <= 1e6))
    return usage_error(run->argv, "--deadline: '%s' is not a number of seconds from 0.001 to 1000000", text);
  run->deadline_ns = (uint64_t)(seconds * 1e9);
  return EXIT_FINE;
}

static int one_option(struct run *run, const struct option *options, int option) {
  switch (option) {
  case 'k':
    run->kernel_name = optarg;
    return EXIT_FINE;
  case 'g':
    run->has_global = true;
    return parse_triple(run, "-g", optarg, 1, run->launch.global);
  case 'l':
    return parse_triple(run, "-l", optarg, 1, run->launch.local);
  case 'F':
    return parse_triple(run, "--offset", optarg, 0, run->launch.offset);
  case 'R':
    if (parse_count(optarg, strlen(optarg), &run->repeat) && run->repeat >= 1 && run->repeat <= 10000000)
      return EXIT_FINE;
    return usage_error(run->argv, "--repeat: '%s' is not a number from 1 to 10000000", optarg);
  case 'T':
    run->time = true;
    return EXIT_FINE;
  case 'M':
    run->trace = optarg;
    return EXIT_FINE;
  case 'E':
    return parse_deadline(run, optarg);
  case 'B':
    run->with.guards_before = strcmp(optarg, "before") == 0;
    if (run->with.guards_before || strcmp(optarg, "behind") == 0)
      return EXIT_FINE;
    return usage_error(run->argv, "--guard: '%s' is neither before nor behind", optarg);
  case 'o':
  case 'p':
    return add_output(run, optarg, option == 'p');
  default:
    return common_option(&run->common, option, optarg) ? EXIT_FINE : bad_option(run->argv, options);
  }
}

// Returns -1 to go on.
static int parse_command_line(struct run *run, int argc, char **argv) {
  static const struct option long_options[] = {COMMON_LONG,
                                               {"offset", required_argument, NULL, 'F'},
                                               {"repeat", required_argument, NULL, 'R'},
                                               {"time", no_argument, NULL, 'T'},
                                               {"trace", required_argument, NULL, 'M'},
                                               {"deadline", required_argument, NULL, 'E'},
                                               {"guard", required_argument, NULL, 'B'},
                                               {"kernel", required_argument, NULL, 'k'},
                                               {NULL, 0, NULL, 0}};
  run->argv = argv;
  run->repeat = 1;
  opterr = 0;
  for (int option; (option = getopt_long(argc, argv, COMMON_SHORT "k:g:l:o:p:", long_options, NULL)) != -1;) {
    if (option == 'h')
      return print_help(this_verb(argv));
    int code = one_option(run, long_options, option);
    if (code != EXIT_FINE)
      return code;
  }
  if (optind == argc)
    return usage_error(argv, "FILE is missing");
  run->file = argv[optind++];
  if (!run->has_global)
    return usage_error(argv, "the number of work-items is missing: -g GX[,GY[,GZ]]");
  int code = parse_args(&run->with, argv + optind, (uint32_t)(argc - optind));
  return code == EXIT_FINE ? -1 : code;
}

// ---- the run -------------------------------------------------------------------------------------------------------

static void keep_print(void *user, const char *text, size_t size) {
  struct run *run = user;
  pthread_mutex_lock(&run->print_lock);
  char *grown = realloc(run->printed, run->printed_size + size + 1);
  if (grown) {
    memcpy(grown + run->printed_size, text, size);
    run->printed = grown;
    run->printed_size += size;
    grown[run->printed_size] = 0;
  }
  pthread_mutex_unlock(&run->print_lock);
}

static int check_outputs(const struct run *run) {
  for (uint32_t i = 0; i < run->output_count; i++) {
    const struct run_output *output = &run->outputs[i];
    char option = output->file ? 'o' : 'p';
    const struct run_arg *arg = buffer_arg(&run->with, output->index);
    if (!arg)
      return usage_error(run->argv, "-%c %u: argument %u is not a buffer", option, (unsigned)output->index,
                         (unsigned)output->index);
    if (!output->file && !output->all && output->count > arg->size / output->type->size)
      return usage_error(run->argv, "-p %u: the buffer has %zu elements of type %s, not %llu", (unsigned)output->index,
                         arg->size / output->type->size, output->type->name, (unsigned long long)output->count);
  }
  return EXIT_FINE;
}

static bool ends_with(const char *text, const char *end) {
  size_t size = strlen(text), end_size = strlen(end);
  return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

static int read_outputs(struct run *run) {
  for (uint32_t i = 0; i < run->output_count; i++) {
    struct run_output *output = &run->outputs[i];
    const struct run_arg *arg = buffer_arg(&run->with, output->index);
    output->size = arg->size;
    output->data = malloc(arg->size);
    if (!output->data)
      return fail(EXIT_ENVIRONMENT, "memory is exhausted");
    enum kiln_status status = kiln_read(run->stream, arg->buffer, 0, output->data, arg->size, NULL);
    if (status != KILN_OK)
      return fail_status(status);
  }
  enum kiln_status status = kiln_stream_finish(run->stream);
  int code = status == KILN_OK ? EXIT_FINE : fail_status(status);
  for (uint32_t i = 0; i < run->output_count && code == EXIT_FINE; i++) {
    const struct run_arg *arg = buffer_arg(&run->with, run->outputs[i].index);
    if (arg->kind == ARG_IMAGE && run->outputs[i].file && !ends_with(run->outputs[i].file, ".raw"))
      code = make_picture(arg, &run->outputs[i]);
  }
  return code;
}

static int launch_failed(const struct run *run, enum kiln_status status) {
  int code = fail_status(status);
  if (status == KILN_ERR_DEVICE && strcmp(kiln_context_target(run->ctx)->backend, "cpu") == 0)
    say(stderr, "kiln: -b interp checks every access, and names its line\n");
  return code;
}

static int launch(struct run *run) {
  struct kiln_prepared *prepared;
  enum kiln_status status = kiln_prepare(run->stream, run->kernel, &run->launch, &prepared);
  if (status != KILN_OK)
    return fail_status(status);
  status = kiln_stream_finish(run->stream); // the first contents of the buffers
  run->launch_us = calloc(run->repeat, sizeof *run->launch_us);
  if (!run->launch_us) {
    kiln_prepared_release(prepared);
    return fail(EXIT_ENVIRONMENT, "memory is exhausted");
  }
  for (uint64_t i = 0; i < run->repeat && status == KILN_OK; i++) {
    double start = now_us();
    status = kiln_run_prepared(prepared, NULL);
    if (status == KILN_OK)
      status = kiln_stream_finish(run->stream);
    run->launch_us[i] = now_us() - start;
  }
  kiln_prepared_release(prepared);
  return status == KILN_OK ? EXIT_FINE : launch_failed(run, status);
}

static void take_faults(void *user, const struct kiln_env_info *info) {
  struct run *run = user;
  if (strcmp(info->name, "COMPILE_FAULTS") == 0 && info->value)
    run->common.faults = NULL; // as the environment says
}

// A trace of this run alone: what the file has of an earlier one goes.
static int begin_trace(struct run *run) {
  if (!run->trace)
    return EXIT_FINE;
  if (truncate(run->trace, 0) != 0 && errno != ENOENT)
    return fail(EXIT_ENVIRONMENT, "cannot write '%s': %s", run->trace, strerror(errno));
  return kiln_context_trace(run->ctx, run->trace) == KILN_OK ? EXIT_FINE : fail_status(KILN_ERR_IO);
}

static int execute(struct run *run) {
  run->common.faults = "report"; // a fault ends the run either way: its place may as well be told
  kiln_list_env(take_faults, run);
  int code = open_context(&run->common, run->common.json ? keep_print : NULL, run, &run->ctx);
  if (code == EXIT_FINE)
    code = begin_trace(run);
  if (code != EXIT_FINE)
    return code;
  double start = now_us();
  code = open_program(run->ctx, &run->common, run->file, &run->program);
  run->compile_ms = (now_us() - start) / 1e3;
  if (code != EXIT_FINE)
    return code;
  enum kiln_status status = kiln_kernel_create(run->program, run->kernel_name, &run->kernel);
  if (status == KILN_OK)
    code = check_arg_count(&run->with, kiln_kernel_info(run->kernel));
  if (status == KILN_OK && code == EXIT_FINE)
    status = kiln_stream_create(run->ctx, 0, &run->stream);
  if (run->stream && run->deadline_ns)
    status = kiln_stream_set_deadline(run->stream, run->deadline_ns);
  if (status != KILN_OK)
    return fail_status(status);
  if (code == EXIT_FINE)
    code = check_outputs(run);
  run->with.ctx = run->ctx;
  run->with.stream = run->stream;
  run->with.guards = true;
  if (code == EXIT_FINE)
    code = make_args(&run->with, kiln_kernel_info(run->kernel));
  run->launch.args = run->with.out;
  run->launch.arg_count = run->with.arg_count;
  if (code == EXIT_FINE)
    code = launch(run);
  return code == EXIT_FINE ? read_outputs(run) : code;
}

// ---- results -------------------------------------------------------------------------------------------------------

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static const char *cache_outcome(const struct kiln_program_info *info) {
  switch (info->cache) {
  case KILN_CACHE_OFF:
    return "off";
  case KILN_CACHE_MISS:
    return "miss";
  case KILN_CACHE_HIT_MEMORY:
  case KILN_CACHE_HIT_DISK:
    return "hit";
  }
  return "unknown";
}

static uint64_t shown(const struct run_output *output) {
  return output->all ? output->size / output->type->size : output->count;
}

static void print_text(const struct run *run, const struct kiln_program_info *info, double launch_us) {
  char digits[32];
  for (uint32_t i = 0; i < run->output_count; i++) {
    const struct run_output *output = &run->outputs[i];
    if (output->file)
      continue;
    printf("%u:", (unsigned)output->index);
    for (uint64_t k = 0; k < shown(output); k++) {
      format_value(output->type, output->data + k * output->type->size, digits);
      printf(" %s", digits);
    }
    putchar('\n');
  }
  if (run->time)
    say(stdout, "compile_ms %.3f\nload_ms %.3f\ncache %s\nlaunch_us %.3f\n", run->compile_ms, info->load_ms,
        cache_outcome(info), launch_us);
}

static void json_triple(struct json *json, const char *name, const uint64_t triple[3]) {
  json_open(json, name, '(');
  for (int d = 0; d < 3; d++)
    json_u64(json, NULL, triple[d]);
  json_close(json, ')');
}

static void print_json(const struct run *run, const struct kiln_program_info *info, double launch_us) {
  struct json json = {.to = stdout};
  const struct kiln_gpu_target *target = kiln_context_target(run->ctx);
  json_open(&json, NULL, '{');
  json_text(&json, "backend", target->backend);
  json_text(&json, "arch", target->arch);
  json_text(&json, "features", target->features);
  json_text(&json, "kernel", kiln_kernel_info(run->kernel)->name);
  json_triple(&json, "global", run->launch.global);
  json_triple(&json, "local", run->launch.local);
  json_triple(&json, "offset", run->launch.offset);
  json_u64(&json, "repeat", run->repeat);
  json_double(&json, "compile_ms", run->compile_ms);
  json_double(&json, "load_ms", info->load_ms);
  json_text(&json, "cache", cache_outcome(info));
  json_double(&json, "launch_us", launch_us);
  json_text(&json, "log", kiln_program_log(run->program));
  json_text(&json, "printed", run->printed ? run->printed : "");
  json_open(&json, "outputs", '[');
  for (uint32_t i = 0; i < run->output_count; i++) {
    const struct run_output *output = &run->outputs[i];
    json_open(&json, NULL, '{');
    json_u64(&json, "index", output->index);
    if (output->file) {
      json_text(&json, "file", output->file);
      json_u64(&json, "bytes", output->size);
    } else {
      char digits[32];
      json_text(&json, "type", output->type->name);
      json_open(&json, "values", '(');
      for (uint64_t k = 0; k < shown(output); k++) {
        format_value(output->type, output->data + k * output->type->size, digits);
        json_number(&json, NULL, digits);
      }
      json_close(&json, ')');
    }
    json_close(&json, '}');
  }
  json_close(&json, ']');
  json_close(&json, '}');
}

static int print_results(struct run *run) {
  for (uint32_t i = 0; i < run->output_count; i++) {
    const struct run_output *output = &run->outputs[i];
    int code = output->file ? write_whole_file(output->file, output->data, output->size) : EXIT_FINE;
    if (code != EXIT_FINE)
      return code;
  }
  qsort(run->launch_us, run->repeat, sizeof *run->launch_us, compare_doubles);
  double median = (run->launch_us[(run->repeat - 1) / 2] + run->launch_us[run->repeat / 2]) / 2;
  struct kiln_program_info info;
  kiln_program_info(run->program, &info);
  if (run->common.json)
    print_json(run, &info, median);
  else
    print_text(run, &info, median);
  return finish_output();
}

static void run_free(struct run *run) {
  kiln_stream_release(run->stream); // waits: what is pending reads the data of the arguments
  release_args(&run->with);
  for (uint32_t i = 0; i < run->output_count; i++)
    free(run->outputs[i].data);
  kiln_kernel_release(run->kernel);
  kiln_program_release(run->program);
  kiln_context_close(run->ctx);
  free_args(&run->with);
  free(run->outputs);
  free(run->launch_us);
  free(run->printed);
  common_free(&run->common);
}

int run_main(int argc, char **argv) {
  struct run run = {.print_lock = PTHREAD_MUTEX_INITIALIZER};
  int code = parse_command_line(&run, argc, argv);
  if (code < 0) {
    code = execute(&run);
    if (code == EXIT_FINE)
      code = print_results(&run);
  }
  run_free(&run);
  return code;
}
