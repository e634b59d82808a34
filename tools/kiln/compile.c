// kiln compile: a stage of a kernel's compilation, and what it needs.
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "kiln/tools.h"
#include "tool.h"

struct compile {
  struct common common;
  const char *file, *kernel, *emit, *out;
  bool stats;
};

// Returns -1 to go on.
static int parse_command_line(struct compile *c, int argc, char **argv) {
  static const struct option long_options[] = {COMMON_LONG,
                                               {"emit", required_argument, NULL, 'E'},
                                               {"stats", no_argument, NULL, 'S'},
                                               {"kernel", required_argument, NULL, 'k'},
                                               {"output", required_argument, NULL, 'o'},
                                               {NULL, 0, NULL, 0}};
  opterr = 0;
  for (int option; (option = getopt_long(argc, argv, COMMON_SHORT "k:o:", long_options, NULL)) != -1;) {
    if (option == 'h')
      return print_help(this_verb(argv));
    if (option == 'k')
      c->kernel = optarg;
    else if (option == 'o')
      c->out = optarg;
    else if (option == 'E')
      c->emit = optarg;
    else if (option == 'S')
      c->stats = true;
    else if (!common_option(&c->common, option, optarg))
      return bad_option(argv, long_options);
  }
  if (optind == argc)
    return usage_error(argv, "FILE is missing");
  c->file = argv[optind++];
  if (optind < argc)
    return usage_error(argv, "one FILE at a time, '%s' is left over", argv[optind]);
  return -1;
}

// ---- the stage -----------------------------------------------------------------------------------------------------

static bool is_text(const char *data, size_t size) { return !memchr(data, 0, size); }

// FILE without folder and extension, with the one of the stage: in the current folder.
static char *default_name(const struct compile *c, const char *extension) {
  const char *slash = strrchr(c->file, '/'), *base = slash ? slash + 1 : c->file;
  if (strcmp(c->file, "-") == 0)
    base = "kernel";
  const char *dot = strrchr(base, '.');
  size_t stem = dot && dot > base ? (size_t)(dot - base) : strlen(base);
  char *name = malloc(stem + strlen(extension) + 2);
  if (name)
    sprintf(name, "%.*s.%s", (int)stem, base, extension);
  return name;
}

// binary_extension: of the file's name, where it is not the stage's.
static int write_stage(const struct compile *c, const char *binary_extension, const void *data, size_t size) {
  if (c->out || (c->emit && is_text(data, size)))
    return write_whole_file(c->out ? c->out : "-", data, size);
  char *name = default_name(c, binary_extension ? binary_extension : c->emit);
  int code = name ? write_whole_file(name, data, size) : fail(EXIT_ENVIRONMENT, "memory is exhausted");
  if (code == EXIT_FINE && c->common.verbose)
    say(stderr, "kiln: wrote %s\n", name);
  free(name);
  return code;
}

static int write_program_stage(const struct compile *c, struct kiln_program *program) {
  void *data;
  size_t size;
  struct kiln_program_info info;
  kiln_program_info(program, &info);
  if (!c->emit)
    return write_stage(c, info.artifact_extension, info.artifact, info.artifact_size);
  enum kiln_status status = kiln_program_stage(program, c->emit, &data, &size);
  if (status != KILN_OK)
    return status == KILN_ERR_NOT_FOUND ? fail(EXIT_USAGE, "%s", kiln_last_error()) : fail_status(status);
  bool is_artifact = size == info.artifact_size && memcmp(data, info.artifact, size) == 0;
  int code = write_stage(c, is_artifact ? info.artifact_extension : NULL, data, size);
  kiln_free(data);
  return code;
}

// Who compiles a kernel here has written it: all warnings are told, but for those that the options turn off.
static int add_warnings(struct common *common) {
  static const char all[] = "-Wall ";
  const char *given = common->options ? common->options : "";
  char *options = malloc(sizeof all + strlen(given));
  if (!options)
    return fail(EXIT_ENVIRONMENT, "out of memory");
  strcpy(stpcpy(options, all), given);
  free(common->options);
  common->options = options;
  return -1;
}

// A stage alone needs no program: nothing is compiled beyond it.
static int emit_alone(const struct compile *c, struct kiln_context *ctx) {
  struct program_text text;
  int code = read_program(ctx, &c->common, c->file, &text);
  void *data = NULL;
  size_t size;
  char *log = NULL;
  if (code == EXIT_FINE) {
    enum kiln_status status = kiln_compile_stage(ctx, &text.desc, c->emit, &data, &size, &log);
    code = status == KILN_ERR_NOT_FOUND ? fail(EXIT_USAGE, "%s", kiln_last_error()) : end_compile(status, log);
  }
  program_text_free(&text);
  if (code == EXIT_FINE)
    code = write_stage(c, NULL, data, size);
  kiln_free(data);
  kiln_free(log);
  return code;
}

// ---- statistics ----------------------------------------------------------------------------------------------------

static const char *kind_name(enum kiln_arg_kind kind) {
  static const char *const names[] = {"value", "buffer", "local", "image", "sampler"};
  return names[kind];
}
static const char *access_name(enum kiln_access access) {
  static const char *const names[] = {"none", "read", "write", "read_write"};
  return names[access];
}

// The line of the kernel in the text of the stage "plan", without its name; free() it. NULL: it has none.
static char *plan_of(const char *plan, const char *kernel) {
  size_t size = strlen(kernel);
  for (const char *line = plan; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
    if (strncmp(line, kernel, size) == 0 && strncmp(line + size, ": ", 2) == 0)
      return strndup(line + size + 2, strcspn(line + size + 2, "\n"));
  return NULL;
}

static void stats_text(const struct kiln_kernel_info *k, uint32_t warp_size, const char *plan) {
  say(stdout, "kernel %s\n", k->name);
  for (uint32_t i = 0; i < k->arg_count; i++) {
    const struct kiln_arg_info *arg = &k->args[i];
    bool is_image = arg->kind == KILN_ARG_IMAGE, has_bytes = !is_image && arg->kind != KILN_ARG_SAMPLER;
    say(stdout, "  argument %u: %s %s, %s", (unsigned)i, arg->type_name, *arg->name ? arg->name : "-",
        kind_name(arg->kind));
    if (has_bytes)
      say(stdout, ", %u bytes, align %u", (unsigned)arg->size, (unsigned)arg->align);
    say(stdout, arg->kind == KILN_ARG_BUFFER || is_image ? ", access %s\n" : "\n", access_name(arg->access));
  }
  const uint32_t *required = k->required_group_size;
  if (required[0])
    say(stdout, "  required group size: %u %u %u\n", (unsigned)required[0], (unsigned)required[1],
        (unsigned)required[2]);
  else
    say(stdout, "  required group size: none\n");
  say(stdout, "  local bytes: %u\n  private bytes: %u\n", (unsigned)k->local_bytes, (unsigned)k->private_bytes);
  if (k->vgprs && !k->sgprs) // a GPU with one kind of registers
    say(stdout, "  registers: %u\n  spills: %u\n  stack bytes: %u\n  shared bytes: %u\n", (unsigned)k->vgprs,
        (unsigned)k->spills, (unsigned)k->private_bytes, (unsigned)k->local_bytes);
  else if (k->vgprs || k->sgprs)
    say(stdout, "  vgprs: %u\n  agprs: %u\n  sgprs: %u\n  spills: %u\n  scratch bytes: %u\n  LDS bytes: %u\n",
        (unsigned)k->vgprs, (unsigned)k->agprs, (unsigned)k->sgprs, (unsigned)k->spills, (unsigned)k->private_bytes,
        (unsigned)k->local_bytes);
  if (k->vgprs && !k->sgprs)
    say(stdout, "  occupancy: %s (estimate)\n", k->remark);
  else if (k->waves_per_simd)
    say(stdout, "  occupancy: %u waves per SIMD (estimate)\n", (unsigned)k->waves_per_simd);
  if (k->code_bytes)
    say(stdout, "  code bytes: %u\n", (unsigned)k->code_bytes);
  say(stdout, "  wave size: %u\n", (unsigned)warp_size);
  if (*k->remark && !(k->vgprs && !k->sgprs))
    say(stdout, "  remark: %s\n", k->remark);
  if (plan)
    say(stdout, "  plan: %s\n", plan);
}

static void json_sizes(struct json *json, const char *name, const uint32_t sizes[3]) {
  json_open(json, name, '(');
  for (int d = 0; d < 3; d++)
    json_u64(json, NULL, sizes[d]);
  json_close(json, ')');
}

static void stats_json(struct json *json, const struct kiln_kernel_info *k, uint32_t warp_size, const char *plan) {
  json_open(json, NULL, '{');
  json_text(json, "name", k->name);
  json_open(json, "arguments", '[');
  for (uint32_t i = 0; i < k->arg_count; i++) {
    const struct kiln_arg_info *arg = &k->args[i];
    json_open(json, NULL, '{');
    json_text(json, "name", arg->name);
    json_text(json, "type", arg->type_name);
    json_text(json, "kind", kind_name(arg->kind));
    json_text(json, "access", access_name(arg->access));
    json_u64(json, "size", arg->size);
    json_u64(json, "align", arg->align);
    json_bool(json, "const", arg->is_const);
    json_bool(json, "restrict", arg->is_restrict);
    json_bool(json, "volatile", arg->is_volatile);
    json_close(json, '}');
  }
  json_close(json, ']');
  json_sizes(json, "required_group_size", k->required_group_size);
  json_sizes(json, "work_group_size_hint", k->work_group_size_hint);
  json_u64(json, "local_bytes", k->local_bytes);
  json_u64(json, "private_bytes", k->private_bytes);
  json_u64(json, "vgprs", k->vgprs);
  json_u64(json, "agprs", k->agprs);
  json_u64(json, "sgprs", k->sgprs);
  json_u64(json, "spills", k->spills);
  json_u64(json, "code_bytes", k->code_bytes);
  json_u64(json, "max_group_size", k->max_group_size);
  json_u64(json, "waves_per_simd", k->waves_per_simd);
  json_u64(json, "wave_size", warp_size);
  json_text(json, "remark", k->remark);
  json_text(json, "plan", plan ? plan : "");
  json_close(json, '}');
}

static enum kiln_status print_kernel_stats(struct kiln_program *program, const char *name, uint32_t warp_size,
                                           const char *plans, struct json *json) {
  struct kiln_kernel *kernel;
  enum kiln_status status = kiln_kernel_create(program, name, &kernel);
  if (status != KILN_OK)
    return status;
  char *plan = plan_of(plans, name);
  if (json)
    stats_json(json, kiln_kernel_info(kernel), warp_size, plan);
  else
    stats_text(kiln_kernel_info(kernel), warp_size, plan);
  free(plan);
  kiln_kernel_release(kernel);
  return KILN_OK;
}

static int print_stats(const struct compile *c, struct kiln_context *ctx, struct kiln_program *program) {
  struct kiln_program_info info;
  kiln_program_info(program, &info);
  uint32_t warp_size = kiln_context_target(ctx)->warp_size;
  struct json json = {.to = stdout};
  void *plans = NULL;
  size_t size;
  enum kiln_status status = kiln_program_measure(program);
  if (status == KILN_ERR_UNAVAILABLE)
    say(stderr, "kiln: registers, spills and occupancy are unknown: %s\n", kiln_last_error());
  else if (status != KILN_OK)
    return fail_status(status);
  status = kiln_program_stage(program, "plan", &plans, &size);
  if (status == KILN_ERR_NOT_FOUND) // the backend has no such stage
    status = KILN_OK;
  if (c->common.json)
    json_open(&json, NULL, '[');
  for (uint32_t i = 0; i < info.kernel_count && status == KILN_OK; i++) {
    const char *name = kiln_program_kernel_name(program, i);
    if (!c->kernel || strcmp(c->kernel, name) == 0)
      status = print_kernel_stats(program, name, warp_size, plans, c->common.json ? &json : NULL);
  }
  if (status == KILN_OK && c->common.json)
    json_close(&json, ']');
  kiln_free(plans);
  return status == KILN_OK ? finish_output() : fail_status(status);
}

// ---- the verb ------------------------------------------------------------------------------------------------------

static int execute(const struct compile *c, struct kiln_context *ctx, struct kiln_program *program) {
  if (c->kernel) {
    struct kiln_kernel *kernel;
    enum kiln_status status = kiln_kernel_create(program, c->kernel, &kernel);
    if (status != KILN_OK)
      return fail_status(status);
    kiln_kernel_release(kernel);
  }
  // --stats alone writes no file.
  int code = c->stats && !c->emit && !c->out ? EXIT_FINE : write_program_stage(c, program);
  return code == EXIT_FINE && c->stats ? print_stats(c, ctx, program) : code;
}

int compile_main(int argc, char **argv) {
  struct compile c = {0};
  struct kiln_context *ctx = NULL;
  struct kiln_program *program = NULL;
  int code = parse_command_line(&c, argc, argv);
  if (code < 0)
    code = add_warnings(&c.common);
  if (code < 0) {
    code = open_context(&c.common, NULL, NULL, &ctx);
    if (code == EXIT_FINE && c.emit && strcmp(c.emit, "bin") != 0 && !c.kernel && !c.stats) {
      code = emit_alone(&c, ctx);
    } else if (code == EXIT_FINE) {
      code = open_program(ctx, &c.common, c.file, &program);
      if (code == EXIT_FINE)
        code = execute(&c, ctx, program);
    }
  }
  kiln_program_release(program);
  kiln_context_close(ctx);
  common_free(&c.common);
  return code;
}
