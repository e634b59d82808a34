// Runs the cases of tests/ir/*.kir. A file holds any number of cases:
//
//   // case: NAME
//   // run: PASS,PASS,…      parse (nothing but reading), reject (the text must be refused), pipeline, or passes;
//                           arranged alone: a compile for the CPU, up to that stage
//   // caps: fma,keep_calls  optional, for pipeline and inline
//   // options: TEXT          optional, for arranged: build options
//   text of the module
//   // expect:
//   what must come out: the module after the passes, or the message of a refusal
//
// After each pass the module must still verify, and what comes out must print the same after being read again.
// --bless shows the difference and rewrites the expectations. --at-least N fails when fewer cases ran.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "jit/pass/pass.h"

struct test {
  struct kiln_str name, run, caps, options, input, expect;
  bool has_expect;
};

struct state {
  unsigned cases, failures;
  bool bless;
};

static struct kiln_str trim(struct kiln_str s) {
  while (s.size && (s.data[s.size - 1] == '\n' || s.data[s.size - 1] == ' '))
    s.size--;
  while (s.size && (*s.data == '\n' || *s.data == ' ')) {
    s.data++;
    s.size--;
  }
  return s;
}

static bool has_prefix(const char *text, const char *end, const char *prefix) {
  size_t size = strlen(prefix);
  return (size_t)(end - text) >= size && memcmp(text, prefix, size) == 0;
}

static const char *line_end(const char *text, const char *end) {
  const char *newline = memchr(text, '\n', (size_t)(end - text));
  return newline ? newline + 1 : end;
}

// What stands behind "// word: " at the cursor, which then moves to the next line.
static bool directive(const char **cursor, const char *end, const char *word, struct kiln_str *out) {
  if (!has_prefix(*cursor, end, word))
    return false;
  const char *next = line_end(*cursor, end);
  *out = trim((struct kiln_str){*cursor + strlen(word), (size_t)(next - *cursor) - strlen(word)});
  *cursor = next;
  return true;
}

// Reads the case at the cursor; false at the end or when the file is not well formed.
static bool read_case(const char **cursor, const char *end, struct test *test) {
  *test = (struct test){0};
  while (*cursor < end && !has_prefix(*cursor, end, "// case:"))
    *cursor = line_end(*cursor, end);
  if (!directive(cursor, end, "// case:", &test->name))
    return false;
  directive(cursor, end, "// run:", &test->run);
  directive(cursor, end, "// caps:", &test->caps);
  directive(cursor, end, "// options:", &test->options);
  struct kiln_str *part = &test->input, ignored;
  part->data = *cursor;
  while (*cursor < end && !has_prefix(*cursor, end, "// case:")) {
    part->size = (size_t)(*cursor - part->data);
    if (!test->has_expect && directive(cursor, end, "// expect:", &ignored)) {
      test->has_expect = true;
      part = &test->expect;
      part->data = *cursor;
      continue;
    }
    *cursor = line_end(*cursor, end);
  }
  part->size = (size_t)(*cursor - part->data);
  return true;
}

// ---- running one case -----------------------------------------------------------------------------------------------

static bool next_word(struct kiln_str *list, char *out, size_t size) {
  *list = trim(*list);
  if (list->size == 0)
    return false;
  const char *comma = memchr(list->data, ',', list->size);
  size_t length = comma ? (size_t)(comma - list->data) : list->size;
  snprintf(out, size, "%.*s", (int)length, list->data);
  list->data += comma ? length + 1 : length;
  list->size -= comma ? length + 1 : length;
  return true;
}

static struct kiln_caps read_caps(struct kiln_str list) {
  struct kiln_caps caps = {.fp64 = true, .fp16 = true, .int64_atomics = true, .generic_space = true};
  char word[64];
  while (next_word(&list, word, sizeof word)) {
    caps.fma |= strcmp(word, "fma") == 0;
    caps.keep_calls |= strcmp(word, "keep_calls") == 0;
    caps.analyse |= strcmp(word, "analyse") == 0;
    caps.scalarise |= strcmp(word, "scalarise") == 0;
    caps.small_ids |= strcmp(word, "small_ids") == 0;
    caps.widen |= strcmp(word, "widen") == 0;
    if (strncmp(word, "calls_above=", 12) == 0)
      caps.calls_above = (uint32_t)strtoul(word + 12, NULL, 10);
    if (strcmp(word, "single") == 0)
      caps.sub_groups = KILN_SUB_GROUPS_SINGLE;
    else if (strcmp(word, "sub_groups") == 0)
      caps.sub_groups = KILN_SUB_GROUPS_NATIVE;
  }
  return caps;
}

static bool small_masks(struct kiln_function *fn) { return kiln_pass_small_masks(fn, 8); }
static bool merge_groups(struct kiln_function *fn) { return kiln_pass_merge_groups(fn, 8); }

static bool run_pass(struct kiln_module *module, const char *name, const struct kiln_caps *caps, char *message,
                     size_t size) {
  if (strcmp(name, "parse") == 0)
    return true;
  if (strcmp(name, "pipeline") == 0) {
    struct kiln_options options = {.optimize = 2};
    return kiln_passes_run(module, caps, &options, NULL, NULL, message, size) == KILN_OK;
  }
  if (strcmp(name, "inline") == 0) {
    kiln_pass_inline(module, caps);
    return true;
  }
  if (strcmp(name, "collective") == 0) {
    kiln_pass_collective(module, caps);
    return true;
  }
  if (strcmp(name, "scalar_replacement") == 0) {
    kiln_pass_scalar_replacement(module);
    return true;
  }
  static const struct {
    const char *name;
    bool (*run)(struct kiln_function *fn);
  } passes[] = {{"structure", kiln_pass_structure},
                {"loop_counters", kiln_pass_loop_counters},
                {"pointer_walks", kiln_pass_pointer_walks},
                {"loop_tests", kiln_pass_loop_tests},
                {"split_exits", kiln_pass_split_exits},
                {"spaces", kiln_pass_spaces},
                {"single_items", kiln_pass_single_items},
                {"forward", kiln_pass_forward},
                {"promote", kiln_pass_promote},
                {"simplify", kiln_pass_simplify},
                {"dce", kiln_pass_dce},
                {"unroll", kiln_pass_unroll},
                {"scalarise", kiln_pass_scalarise},
                {"contract", kiln_pass_contract},
                {"contract_but_half", kiln_pass_contract_but_half},
                {"dots", kiln_pass_dots},
                {"pairs", kiln_pass_pairs},
                {"pair_loads", kiln_pass_pair_loads},
                {"narrow", kiln_pass_narrow},
                {"narrow_phis", kiln_pass_narrow_phis},
                {"small_masks", small_masks},
                {"merge_groups", merge_groups},
                {"split_induction", kiln_pass_split_induction},
                {"unit_versions", kiln_pass_unit_versions},
                {"unroll_transpose", kiln_pass_unroll_transpose},
                {"pack", kiln_pass_pack}};
  for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
    if (strcmp(name, passes[i].name) != 0)
      continue;
    for (uint32_t f = 0; f < module->function_count; f++)
      passes[i].run(module->functions[f]);
    return true;
  }
  if (strcmp(name, "analyse") == 0) {
    for (uint32_t f = 0; f < module->function_count; f++)
      kiln_function_analyse(module->functions[f]);
    return true;
  }
  snprintf(message, size, "there is no pass %s", name);
  return false;
}

// What the text of the module is after being read (and analysed) once more. NULL, with a message, when it is not the
// same.
static char *check_round_trip(char *text, const struct kiln_caps *analysed_for, char *message, size_t size) {
  struct kiln_module *module;
  char *again = NULL;
  if (kiln_module_parse(text, strlen(text), "again", &module) != KILN_OK) {
    snprintf(message, size, "what was printed cannot be read: %s\n%s", kiln_last_error(), text);
  } else {
    module->small_ids = analysed_for && analysed_for->small_ids;
    for (uint32_t f = 0; f < module->function_count && analysed_for; f++)
      kiln_function_analyse(module->functions[f]);
    if (kiln_module_print(module, &again) != KILN_OK || strcmp(text, again) != 0)
      snprintf(message, size, "printing is not stable:\n%s\n---\n%s", text, again ? again : "");
    else
      *message = 0;
    kiln_module_free(module);
  }
  kiln_free(again);
  if (*message) {
    kiln_free(text);
    return NULL;
  }
  return text;
}

// What a compile for the CPU makes of the kernels before it emits code for them.
static char *arranged(const struct test *test, char *message, size_t size) {
  const struct kiln_context_desc where = {.backend = "cpu", .arch = "x86-64-v3", .cache_mode = "off"};
  struct kiln_context *ctx = NULL;
  char *options = strndup(test->options.data ? test->options.data : "", test->options.size), *out = NULL;
  struct kiln_program_desc desc = {.kind = KILN_SOURCE_IR_TEXT,
                                   .source = test->input.data,
                                   .size = test->input.size,
                                   .name = "case",
                                   .options = options};
  void *data = NULL;
  size_t count;
  if (kiln_context_open(&where, &ctx) == KILN_OK &&
      kiln_compile_stage(ctx, &desc, "arranged", &data, &count, NULL) == KILN_OK)
    out = strndup(data, count);
  else
    snprintf(message, size, "%s", kiln_last_error());
  kiln_free(data);
  kiln_context_close(ctx);
  free(options);
  return out;
}

// The output of a case; NULL, with a message, when it failed otherwise than by another output.
static char *run_case(const struct test *test, char *message, size_t size) {
  struct kiln_module *module = NULL;
  struct kiln_caps caps = read_caps(test->caps);
  if (kiln_str_eq(test->run, kiln_str("arranged")))
    return arranged(test, message, size);
  enum kiln_status status = kiln_module_parse(test->input.data, test->input.size, "case", &module);
  char word[64];
  struct kiln_str list = test->run;
  bool reject = kiln_str_eq(list, kiln_str("reject"));
  *message = 0;
  if (status != KILN_OK && reject) {
    char *out = malloc(strlen(kiln_last_error()) + 2);
    return out ? strcat(strcpy(out, kiln_last_error()), "\n") : NULL;
  }
  if (status != KILN_OK || reject || list.size == 0) {
    snprintf(message, size, "%s", status != KILN_OK ? kiln_last_error() : reject ? "was accepted" : "no // run: line");
    kiln_module_free(module);
    return NULL;
  }
  char *text = NULL;
  bool ok = true;
  while (ok && next_word(&list, word, sizeof word)) {
    ok = run_pass(module, word, &caps, message, size);
    char fault[512];
    if (ok && !kiln_module_verify(module, fault, sizeof fault)) {
      ok = false;
      kiln_module_print(module, &text);
      snprintf(message, size, "after %s: %s\n%s", word, fault, text ? text : "");
      kiln_free(text);
      text = NULL;
    }
  }
  if (ok && kiln_module_print(module, &text) != KILN_OK)
    snprintf(message, size, "out of memory");
  bool analysed = module->function_count && module->functions[0]->shapes;
  kiln_module_free(module);
  return text ? check_round_trip(text, analysed ? &caps : NULL, message, size) : NULL;
}

// ---- files ----------------------------------------------------------------------------------------------------------

static void show_difference(struct kiln_str expect, const char *actual) {
  char paths[2][32] = {"/tmp/ir_expectXXXXXX", "/tmp/ir_actualXXXXXX"};
  const char *data[2] = {expect.data, actual};
  size_t sizes[2] = {expect.size, strlen(actual)};
  for (int i = 0; i < 2; i++) {
    int fd = mkstemp(paths[i]);
    if (fd < 0 || write(fd, data[i], sizes[i]) != (ssize_t)sizes[i])
      perror(paths[i]);
    if (fd >= 0)
      close(fd);
  }
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    execlp("diff", "diff", "-u", "--label", "expected", "--label", "actual", paths[0], paths[1], (char *)NULL);
    _exit(127);
  }
  if (child > 0)
    waitpid(child, NULL, 0);
  unlink(paths[0]);
  unlink(paths[1]);
}

static void run_file(struct state *state, const char *path) {
  char *text;
  size_t size;
  static char message[1 << 16];
  struct kiln_strbuf blessed = {0};
  if (kiln_file_read(path, &text, &size) != 0) {
    printf("%s: cannot be read\n", path);
    state->failures++;
    return;
  }
  const char *cursor = text, *end = text + size;
  unsigned cases = 0, changed = 0;
  struct test test;
  for (const char *start = cursor; read_case(&cursor, end, &test); start = cursor) {
    cases++;
    char *out = run_case(&test, message, sizeof message);
    bool same = out && test.has_expect && kiln_str_eq(trim(test.expect), trim(kiln_str(out)));
    if (!same) {
      printf("%s: case %.*s: %s\n", path, (int)test.name.size, test.name.data,
             !out              ? message
             : test.has_expect ? "another output than expected"
                               : "no expectation");
      if (out)
        show_difference(test.expect, out);
      changed += out != NULL;
      state->failures += !(out && state->bless);
    }
    const char *input_end = test.input.data + test.input.size;
    kiln_strbuf_append(&blessed, start, (size_t)(input_end - start));
    if (out || test.has_expect)
      kiln_strbuf_puts(&blessed, "// expect:\n");
    struct kiln_str expect = out ? kiln_str(out) : test.expect;
    kiln_strbuf_append(&blessed, trim(expect).data, trim(expect).size);
    kiln_strbuf_puts(&blessed, cursor < end ? "\n\n" : "\n");
    kiln_free(out);
  }
  if (cases == 0) {
    printf("%s: holds no case\n", path);
    state->failures++;
  } else if (changed && state->bless) {
    printf("%s: %u expectations rewritten\n", path, changed);
    if (kiln_file_write(path, blessed.data, blessed.size) != 0)
      printf("%s: cannot be written\n", path);
  }
  state->cases += cases;
  kiln_strbuf_free(&blessed);
  free(text);
}

static int is_case_file(const struct dirent *entry) {
  size_t size = strlen(entry->d_name);
  return size > 4 && strcmp(entry->d_name + size - 4, ".kir") == 0;
}

static void run_folder(struct state *state, const char *folder) {
  struct dirent **entries;
  int count = scandir(folder, &entries, is_case_file, alphasort);
  if (count < 0) { // a single file
    run_file(state, folder);
    return;
  }
  for (int i = 0; i < count; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
    run_file(state, path);
    free(entries[i]);
  }
  free(entries);
}

int main(int argc, char **argv) {
  struct state state = {0};
  unsigned at_least = 1;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--bless") == 0)
      state.bless = true;
    else if (strcmp(argv[i], "--at-least") == 0 && i + 1 < argc)
      at_least = (unsigned)strtoul(argv[++i], NULL, 10);
    else
      run_folder(&state, argv[i]);
  }
  printf("%u cases, %u failures\n", state.cases, state.failures);
  if (state.cases < at_least) {
    printf("at least %u cases should have run\n", at_least);
    return 1;
  }
  return state.failures != 0;
}
