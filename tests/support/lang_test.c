// Runs the front end over tests/lang/*.cl and compares the diagnostics with those written in the file.
//
//   lang_test [--bless] [--count N] FOLDER [NAME...]
//
// A case is a kernel source followed by its expectations, which are no part of the source:
//
//   // expect: 3:7: error: use of undeclared identifier 'x'
//   // expect: none
//
// one line per diagnostic, in the order in which they are reported; "FILE:3:7: …" for one in another file, "error: …"
// for one without a place. Which lines of the source are shown and where the caret is is compared too when an
// expectation is followed by "//   | " lines. With the option "ir", lines "// ir: …" after the expectations hold
// what the program is turned into. The first line may be "// options: WORD...", see set_option. A file
// without expectations fails. --bless shows the difference and rewrites the expectations; --count demands that many
// cases, so that none is left out in silence.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "jit/lang/lang.h"
#include "kiln/kiln.h"

static const char expect_mark[] = "// expect: ", ir_mark[] = "// ir: ";

struct test {
  const char *name;
  char *text;
  size_t size;
  size_t source_size; // what comes before the expectations
  struct kiln_lang_options options;
  const char *defines[8];
  bool ir;
  struct kiln_strbuf words; // of the options, NUL-terminated each
};

// ---- options --------------------------------------------------------------------------------------------------------

// std=N, no-fp16, no-fp64, no-int64-atomics, no-sub-groups, sub-groups=SIZE, generic-space, werror, no-warnings,
// off=WARNING, error=WARNING, no-error=WARNING, default-warnings (else all), single-precision, DNAME=VALUE, UNAME,
// images, image-library, ir
static bool set_option(struct test *test, const char *word) {
  struct kiln_lang_options *options = &test->options;
  if (strncmp(word, "std=", 4) == 0)
    options->std = (uint32_t)atoi(word + 4);
  else if (strcmp(word, "no-sub-groups") == 0)
    options->sub_groups = false;
  else if (strncmp(word, "sub-groups=", 11) == 0)
    options->sub_group_size = (uint32_t)atoi(word + 11);
  else if (strcmp(word, "no-fp16") == 0)
    options->fp16 = false;
  else if (strcmp(word, "no-fp64") == 0)
    options->fp64 = false;
  else if (strcmp(word, "no-int64-atomics") == 0)
    options->int64_atomics = false;
  else if (strcmp(word, "generic-space") == 0)
    options->generic_space = true;
  else if (strcmp(word, "images") == 0)
    options->images = true;
  else if (strcmp(word, "image-library") == 0)
    options->images = options->image_library = true;
  else if (strcmp(word, "ir") == 0)
    test->ir = true;
  else if (strcmp(word, "werror") == 0)
    options->warnings.errors = true;
  else if (strcmp(word, "no-warnings") == 0)
    options->warnings.none = true;
  else if (strcmp(word, "default-warnings") == 0)
    options->warnings = (struct kiln_warning_options){0};
  else if (strncmp(word, "off=", 4) == 0)
    return kiln_warning_choose(&options->warnings, word + 4, KILN_CHOICE_OFF);
  else if (strncmp(word, "error=", 6) == 0)
    return kiln_warning_choose(&options->warnings, word + 6, KILN_CHOICE_ERROR);
  else if (strncmp(word, "no-error=", 9) == 0)
    return kiln_warning_choose(&options->warnings, word + 9, KILN_CHOICE_NO_ERROR);
  else if (strcmp(word, "single-precision") == 0)
    options->single_precision_constants = true;
  else if ((word[0] == 'D' || word[0] == 'U') && options->define_count < 8)
    test->defines[options->define_count++] = word;
  else
    return false;
  return true;
}

static bool read_options(struct test *test) {
  static const char mark[] = "// options: ";
  test->options =
      (struct kiln_lang_options){.std = 120, .fp16 = true, .fp64 = true, .int64_atomics = true, .sub_groups = true};
  kiln_warning_choose(&test->options.warnings, "all", KILN_CHOICE_ON);
  if (strncmp(test->text, mark, sizeof mark - 1) != 0)
    return true;
  kiln_strbuf_append(&test->words, test->text, strcspn(test->text, "\n"));
  bool good = true;
  char *save, *word = strtok_r(test->words.data + sizeof mark - 1, " \r", &save);
  for (; word != NULL; word = strtok_r(NULL, " \r", &save))
    if (!set_option(test, word)) {
      printf("%s: unknown option '%s'\n", test->name, word);
      good = false;
    }
  return good;
}

// ---- what came out --------------------------------------------------------------------------------------------------

// Whether ":NUMBER:NUMBER: " stands before end.
static bool behind_place(const char *line, const char *end) {
  if (end - line < 2 || end[-1] != ' ' || end[-2] != ':')
    return false;
  end -= 2;
  for (int i = 0; i < 2; i++) {
    const char *digits = end;
    while (digits > line && digits[-1] >= '0' && digits[-1] <= '9')
      digits--;
    if (digits == end || digits == line || digits[-1] != ':')
      return false;
    end = digits - 1;
  }
  return true;
}

// Whether a line of the log begins a diagnostic, rather than showing the source.
static bool is_headline(const char *line, size_t size) {
  static const char *const severities[] = {"fatal error: ", "error: ", "warning: ", "note: "};
  for (size_t i = 0; i < sizeof severities / sizeof *severities; i++) {
    const char *found = memmem(line, size, severities[i], strlen(severities[i]));
    if (found != NULL && (found == line || behind_place(line, found)))
      return true;
  }
  return false;
}

// Writes the expectations that the log fulfils. pictures: with the source lines.
static void describe(const struct test *test, const char *log, bool pictures, struct kiln_strbuf *out) {
  size_t name_size = strlen(test->name);
  bool any = false;
  while (log != NULL && *log != 0) {
    size_t size = strcspn(log, "\n");
    if (is_headline(log, size)) {
      bool own = strncmp(log, test->name, name_size) == 0 && log[name_size] == ':';
      const char *shown = own ? log + name_size + 1 : log;
      kiln_strbuf_printf(out, "%s%.*s\n", expect_mark, (int)(size - (size_t)(shown - log)), shown);
      any = true;
    } else if (pictures && any && strstr(log, "generated.") != log + size - 10) {
      kiln_strbuf_printf(out, "//   | %.*s\n", (int)size, log);
    }
    log += size + (log[size] == '\n');
  }
  if (!any)
    kiln_strbuf_printf(out, "%snone\n", expect_mark);
}

// Appends the IR as it is expected. False when it is wrong.
static bool describe_ir(const struct test *test, const struct kiln_module *module, struct kiln_strbuf *out) {
  char message[512], *text;
  if (!kiln_module_verify(module, message, sizeof message)) {
    printf("%s: the IR is wrong: %s\n", test->name, message);
    return false;
  }
  if (kiln_module_print(module, &text) != KILN_OK)
    return false;
  for (const char *p = text; *p != 0; p += strcspn(p, "\n"), p += *p == '\n')
    if (*p != '\n' && strncmp(p, "kiln_ir ", 8) != 0)
      kiln_strbuf_printf(out, "%s%.*s\n", ir_mark, (int)strcspn(p, "\n"), p);
  kiln_free(text);
  return true;
}

// Shows the lines of both that differ, by their longest common subsequence when they are few.
static void show_difference(const char *expected, const char *got) {
  const char *a[256], *b[256];
  int n = 0, m = 0;
  for (const char *p = expected; *p != 0 && n < 255; p += strcspn(p, "\n"), p += *p == '\n')
    a[n++] = p;
  for (const char *p = got; *p != 0 && m < 255; p += strcspn(p, "\n"), p += *p == '\n')
    b[m++] = p;
  static unsigned char length[257][257];
  memset(length, 0, sizeof length);
#define SAME(i, j) (strcspn(a[i], "\n") == strcspn(b[j], "\n") && strncmp(a[i], b[j], strcspn(a[i], "\n")) == 0)
  for (int i = n - 1; i >= 0; i--)
    for (int j = m - 1; j >= 0; j--)
      length[i][j] = SAME(i, j)                             ? (unsigned char)(length[i + 1][j + 1] + 1)
                     : length[i + 1][j] >= length[i][j + 1] ? length[i + 1][j]
                                                            : length[i][j + 1];
  int i = 0, j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && SAME(i, j)) {
      printf("    %.*s\n", (int)strcspn(a[i], "\n"), a[i]);
      i++, j++;
    } else if (i < n && (j == m || length[i + 1][j] >= length[i][j + 1])) {
      printf("  - %.*s\n", (int)strcspn(a[i], "\n"), a[i]);
      i++;
    } else {
      printf("  + %.*s\n", (int)strcspn(b[j], "\n"), b[j]);
      j++;
    }
  }
#undef SAME
}

// ---- one case -------------------------------------------------------------------------------------------------------

static bool bless(const struct test *test, const char *expectations) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_append(&text, test->text, test->source_size);
  if (test->source_size > 0 && test->text[test->source_size - 1] != '\n')
    kiln_strbuf_putc(&text, '\n');
  kiln_strbuf_puts(&text, expectations);
  int error = text.failed ? 1 : kiln_file_write(test->name, text.data, text.size);
  kiln_strbuf_free(&text);
  if (error != 0)
    printf("%s: cannot be written\n", test->name);
  return error == 0;
}

static bool check(struct test *test, bool blessing) {
  test->source_size = test->size;
  for (const char *p = test->text; p != NULL; p = strchr(p, '\n'), p = p != NULL ? p + 1 : NULL)
    if (strncmp(p, expect_mark, sizeof expect_mark - 1) == 0) {
      test->source_size = (size_t)(p - test->text);
      break;
    }
  const char *expected = test->text + test->source_size;
  test->options.defines = test->defines;
  struct kiln_lang_input input = {
      .source = test->text, .size = test->source_size, .name = test->name, .options = test->options};
  struct kiln_lang_output output = {0};
  enum kiln_status status = kiln_lang_compile(&input, &output);
  struct kiln_strbuf got = {0};
  describe(test, output.log, strstr(expected, "\n//   | ") != NULL, &got);
  bool good = true;
  bool has_error = strstr(got.data, "error: ") != NULL;
  if (test->ir && output.module)
    good = describe_ir(test, output.module, &got);
  if (status != (has_error ? KILN_ERR_COMPILE : KILN_OK)) {
    printf("%s: the status is '%s'%s%s\n", test->name, kiln_status_name(status), output.log ? ":\n" : "",
           output.log ? output.log : "");
    good = false;
  }
  if ((output.module != NULL) != (status == KILN_OK)) {
    printf("%s: a module comes with success and with nothing else\n", test->name);
    good = false;
  }
  if (*expected == 0)
    printf("%s: holds no expectation\n", test->name);
  if (strcmp(expected, got.data) != 0) {
    printf("%s:\n", test->name);
    show_difference(expected, got.data);
    good = good && blessing && bless(test, got.data);
  }
  kiln_strbuf_free(&got);
  kiln_module_free(output.module);
  kiln_lang_output_free(&output);
  return good;
}

static bool run(const char *name, bool blessing) {
  struct test test = {.name = name};
  if (kiln_file_read(name, &test.text, &test.size) != 0) {
    printf("%s: cannot be read\n", name);
    return false;
  }
  bool good = read_options(&test) && check(&test, blessing);
  kiln_strbuf_free(&test.words);
  free(test.text);
  return good;
}

static int is_case(const struct dirent *entry) {
  size_t size = strlen(entry->d_name);
  return size > 3 && strcmp(entry->d_name + size - 3, ".cl") == 0;
}

int main(int argc, char **argv) {
  bool blessing = false;
  long count = -1;
  int arg = 1;
  for (; arg < argc && strncmp(argv[arg], "--", 2) == 0; arg++) {
    if (strcmp(argv[arg], "--bless") == 0)
      blessing = true;
    else if (strcmp(argv[arg], "--count") == 0 && arg + 1 < argc)
      count = atol(argv[++arg]);
    else
      return fprintf(stderr, "lang_test: unknown option %s\n", argv[arg]), 2;
  }
  if (arg >= argc || chdir(argv[arg]) != 0)
    return fprintf(stderr, "usage: lang_test [--bless] [--count N] FOLDER [NAME...]\n"), 2;
  int ran = 0, failed = 0;
  if (arg + 1 < argc) {
    for (arg++; arg < argc; arg++, ran++)
      failed += !run(argv[arg], blessing);
  } else {
    struct dirent **entries;
    int found = scandir(".", &entries, is_case, alphasort);
    for (int i = 0; i < found; i++, ran++) {
      failed += !run(entries[i]->d_name, blessing);
      free(entries[i]);
    }
    if (found >= 0)
      free(entries);
  }
  printf("%d cases, %d failed\n", ran, failed);
  if (ran == 0 || (count >= 0 && ran != count))
    return printf("%ld cases were to run\n", count), 1;
  return failed != 0;
}
