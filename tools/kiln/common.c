// Options, contexts and programs, for all verbs.
#include <errno.h>
#include <getopt.h>
#include <kiln/backend.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "tool.h"

// The long option that an unknown word, of size bytes, was probably meant to be; NULL: none.
static const char *option_meant(const struct option *options, const char *word, size_t size) {
  char wrong[64];
  size_t dashes = strspn(word, "-");
  if (size - dashes < 2 || size - dashes >= sizeof wrong)
    return NULL;
  snprintf(wrong, sizeof wrong, "%.*s", (int)(size - dashes), word + dashes);
  struct kiln_near_names near = {0};
  for (; options->name; options++)
    if (dashes == 1 || strcmp(options->name, wrong) != 0) // one that this verb has not got is in the table all the same
      kiln_near_names_offer(&near, wrong, options->name);
  return kiln_near_names_meant(&near, wrong);
}

int bad_option(char **argv, const struct option *options) {
  const char *word = argv[optind - 1], *next = argv[optind];
  if (next && next[0] == '-' && next[1] == optopt && next[1] && next[2]) // "-json": j is refused, and more follows
    word = next;
  bool is_long = strncmp(word, "--", 2) == 0;
  size_t size = strcspn(word, "=");
  if (is_long && optopt > 0) {
    const struct option *known = options;
    while (known->name && known->val != optopt)
      known++;
    return usage_error(argv, "option '%.*s' %s", (int)size, word,
                       known->name && known->has_arg == no_argument ? "takes no value" : "needs a value");
  }
  const char *meant = option_meant(options, word, size);
  if (meant)
    return usage_error(argv, "option '%.*s' is unknown; did you mean '--%s'?", (int)size, word, meant);
  if (is_long || optopt <= 0 || optopt >= 128)
    return usage_error(argv, "option '%.*s' is unknown", (int)size, word);
  return usage_error(argv, "option '-%c' is unknown or lacks its value", optopt);
}

int fail_status(enum kiln_status status) {
  int code = EXIT_ENVIRONMENT;
  switch (status) {
  case KILN_OK:
    code = EXIT_FINE;
    break;
  case KILN_ERR_INVALID:
  case KILN_ERR_COMPILE:
  case KILN_ERR_NOT_FOUND:
  case KILN_ERR_DEVICE:
  case KILN_ERR_TIMEOUT:
  case KILN_ERR_CANCELLED:
    code = EXIT_DATA;
    break;
  case KILN_ERR_UNAVAILABLE:
  case KILN_ERR_UNSUPPORTED:
  case KILN_ERR_MEMORY:
  case KILN_ERR_IO:
  case KILN_ERR_NOT_CACHED:
  case KILN_ERR_INTERNAL:
    break;
  }
  if (status == KILN_ERR_COMPILE) { // diagnostics begin with the file
    fflush(stdout);
    say(stderr, "%s\n", kiln_last_error());
    return code;
  }
  return fail(code, "%s", kiln_last_error());
}

// Appends an option and its value, in quotes, so that this is one word again for the library.
static void add_option(struct common *common, const char *option, const char *value) {
  size_t old = common->options ? strlen(common->options) : 0;
  char *text = realloc(common->options, old + strlen(option) + 2 * strlen(value) + 8);
  if (!text)
    return;
  common->options = text;
  text += old;
  text += sprintf(text, "%s%s\"", old ? " " : "", option);
  for (; *value; value++) {
    if (*value == '"' || *value == '\'' || *value == '\\')
      *text++ = '\\';
    *text++ = *value;
  }
  strcpy(text, "\"");
}

static void add_text(struct common *common, const char *value) {
  size_t old = common->options ? strlen(common->options) : 0;
  char *text = realloc(common->options, old + strlen(value) + 2);
  if (!text)
    return;
  common->options = text;
  sprintf(text + old, "%s%s", old ? " " : "", value);
}

bool common_option(struct common *common, int option, const char *value) {
  switch (option) {
  case 'b':
    common->backend = value;
    return true;
  case 'a':
    common->arch = value;
    return true;
  case 'D':
    add_option(common, "-D ", value);
    return true;
  case 'I':
    add_option(common, "-I ", value);
    return true;
  case 'O':
    add_text(common, value);
    return true;
  case 'C':
    add_option(common, "--kiln-spec=", value);
    return true;
  case 'J':
    common->json = true;
    return true;
  case 'v':
    common->verbose = true;
    return true;
  default:
    return false;
  }
}

void common_free(struct common *common) {
  free(common->options);
  common->options = NULL;
}

void log_to_stderr(void *user, enum kiln_log_level level, const char *message) {
  static const char *const names[] = {"error", "warning", "info", "debug"};
  (void)user;
  say(stderr, "kiln: %s: %s\n", names[level], message);
}

int open_context(const struct common *common, kiln_print_fn *print, void *print_user, struct kiln_context **out) {
  struct kiln_context_desc desc = {.backend = common->backend,
                                   .arch = common->arch,
                                   .log = common->verbose ? log_to_stderr : NULL,
                                   .print = print,
                                   .print_user = print_user,
                                   .faults = common->faults};
  enum kiln_status status = kiln_context_open(&desc, out);
  if (status == KILN_OK)
    return EXIT_FINE;
  // Names and numbers that the user chose, here or in the environment.
  if (status == KILN_ERR_NOT_FOUND || status == KILN_ERR_INVALID)
    return fail(EXIT_USAGE, "%s", kiln_last_error());
  return fail_status(status);
}

// The stage that a file holds by the end of its name, NULL for source and kernel IR. *known: whether the backend can
// start from it.
static const char *file_stage(const struct kiln_context *ctx, const char *file, bool *known) {
  static const char *const stages[] = {"ll", "bc", "s", "o", "so", "hsaco"};
  const char *dot = strrchr(file, '.');
  const char *const *start = kiln_context_backend(ctx)->start_stages;
  *known = false;
  if (!dot || strcmp(dot, ".kir") == 0 || strcmp(dot, ".cl") == 0)
    return NULL;
  for (; start && *start && !*known; start++)
    *known = strcmp(dot + 1, *start) == 0;
  for (size_t i = 0; !*known && i < sizeof stages / sizeof *stages; i++) {
    if (strcmp(dot + 1, stages[i]) == 0)
      return stages[i];
  }
  return *known ? dot + 1 : NULL;
}

// Reads the later stage, and in place of the source the kernel IR that was dumped beside it.
static int read_stage(const char *file, const char *stage, struct kiln_program_desc *desc, char **data, char **source) {
  size_t stem = strlen(file) - strlen(stage);
  int code = read_whole_file(file, FILE_TEXT, data, &desc->stage_size);
  if (code != EXIT_FINE)
    return code;
  desc->stage = stage;
  desc->stage_data = *data;
  desc->kind = KILN_SOURCE_IR_TEXT;
  char *beside = malloc(stem + 4);
  if (!beside)
    return fail(EXIT_ENVIRONMENT, "memory is exhausted");
  sprintf(beside, "%.*skir", (int)stem, file);
  FILE *there = fopen(beside, "rb");
  if (there)
    fclose(there);
  code = there ? read_whole_file(beside, FILE_TEXT, source, &desc->size)
               : fail(EXIT_DATA,
                      "'%s': its kernels and arguments are read from '%s', which is not there; COMPILE_DUMP_DIR writes "
                      "both",
                      file, beside);
  free(beside);
  return code;
}

enum kiln_source_kind source_kind(const char *file, const char *data, size_t size) {
  const char *dot = strrchr(file, '.');
  if (kiln_is_spirv(data, size))
    return KILN_SOURCE_SPIRV;
  return dot && strcmp(dot, ".kir") == 0   ? KILN_SOURCE_IR_TEXT
         : dot && strcmp(dot, ".spv") == 0 ? KILN_SOURCE_SPIRV
                                           : KILN_SOURCE_OPENCL_C;
}

int read_program(struct kiln_context *ctx, const struct common *common, const char *file, struct program_text *out) {
  bool known;
  const char *stage = file_stage(ctx, file, &known);
  *out = (struct program_text){0};
  if (stage && !known)
    return fail(EXIT_USAGE, "'%s': backend '%s' cannot start from stage '%s'; give kernel source or kernel IR (.kir)",
                file, kiln_context_backend(ctx)->name, stage);
  struct kiln_program_desc *desc = &out->desc;
  desc->name = strcmp(file, "-") == 0 ? "<stdin>" : file;
  desc->options = common->options;
  int code = stage ? read_stage(file, stage, desc, &out->data, &out->source)
                   : read_whole_file(file, FILE_TEXT, &out->source, &desc->size);
  if (code == EXIT_FINE && !stage)
    desc->kind = source_kind(file, out->source, desc->size);
  desc->source = out->source;
  return code;
}

void program_text_free(struct program_text *text) {
  free(text->source);
  free(text->data);
}

int end_compile(enum kiln_status status, const char *log) {
  if (status == KILN_ERR_INVALID) // the build options
    return fail(EXIT_USAGE, "%s", kiln_last_error());
  if (status != KILN_OK)
    return fail_status(status);
  if (log && *log)
    say(stderr, "%s\n", log);
  return EXIT_FINE;
}

int open_program(struct kiln_context *ctx, const struct common *common, const char *file, struct kiln_program **out) {
  struct program_text text;
  int code = read_program(ctx, common, file, &text);
  if (code == EXIT_FINE) {
    enum kiln_status status = kiln_program_create(ctx, &text.desc, out);
    code = end_compile(status, status == KILN_OK ? kiln_program_log(*out) : NULL);
  }
  program_text_free(&text);
  return code;
}

// ---- verbs that take long -------------------------------------------------------------------------------------------

static volatile sig_atomic_t interrupted;

static void interrupt(int signal) {
  (void)signal;
  interrupted = 1;
}

void catch_interrupts(void) {
  sigaction(SIGINT, &(struct sigaction){.sa_handler = interrupt}, NULL);
  sigaction(SIGTERM, &(struct sigaction){.sa_handler = interrupt}, NULL);
}

bool was_interrupted(void) { return interrupted; }

int fail_interrupted(void) {
  return fail(EXIT_ENVIRONMENT, "interrupted; what is done is kept, run it again for the rest");
}

void print_bar(char *out, uint64_t done, uint64_t total) {
  size_t full = total ? (size_t)(done * BAR / total) : BAR;
  memset(out, '#', full);
  memset(out + full, '-', BAR - full);
  out[BAR] = 0;
}
