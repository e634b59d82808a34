// Runs the front end over many small programs and compares whether it takes them with what the file says.
//
//   verdict_test [--show] FILE...
//
// A file is a row of programs; each begins behind a line that names it:
//
//   // accept NAME [std=N]
//   // reject NAME [std=N]: PART OF THE FIRST ERROR
//
// Lines in front of the first program, and those that begin with "//-", belong to none. A program that is refused must
// be refused for the reason that is written down. --show prints the first error of each program that is refused.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "jit/lang/lang.h"
#include "kiln/kiln.h"

struct program {
  bool accept;
  char name[320];
  char reason[320];
  uint32_t std;
  const char *text;
  size_t size;
};

// The line that a program begins with: whether this is one.
static bool read_head(const char *line, size_t size, struct program *out) {
  char text[320];
  if (size >= sizeof text || (strncmp(line, "// accept ", 10) != 0 && strncmp(line, "// reject ", 10) != 0))
    return false;
  memcpy(text, line, size);
  text[size] = 0;
  *out = (struct program){.accept = line[3] == 'a', .std = 120};
  char *reason = strstr(text, ": ");
  if (reason) {
    snprintf(out->reason, sizeof out->reason, "%s", reason + 2);
    *reason = 0;
  }
  char *option = strstr(text, " std=");
  if (option) {
    out->std = (uint32_t)atoi(option + 5);
    *option = 0;
  }
  snprintf(out->name, sizeof out->name, "%s", text + 10);
  return true;
}

static bool check(const char *file, const struct program *p, bool show) {
  struct kiln_lang_input input = {.source = p->text, .size = p->size, .name = p->name};
  input.options = (struct kiln_lang_options){.std = p->std,
                                             .fp16 = true,
                                             .fp64 = true,
                                             .int64_atomics = true,
                                             .sub_groups = true,
                                             .generic_space = p->std >= 200,
                                             .warnings.none = true};
  struct kiln_lang_output output = {0};
  enum kiln_status status = kiln_lang_compile(&input, &output);
  const char *log = output.log ? output.log : "", *error = strstr(log, "error: ");
  int size = error ? (int)strcspn(error + 7, "\n") : 0;
  bool good = (status == KILN_OK) == p->accept && (p->accept || p->reason[0]);
  if (!p->accept && error && p->reason[0]) {
    const char *found = strstr(error + 7, p->reason);
    good = good && found && found < error + 7 + size;
  }
  if (!good || (show && !p->accept))
    printf("%s/%s: %s%s%s%.*s\n", file, p->name, status == KILN_OK ? "accepted" : "refused", good ? "" : " (wrong)",
           error ? ": " : "", size, error ? error + 7 : "");
  kiln_module_free(output.module);
  kiln_lang_output_free(&output);
  return good;
}

static int run(const char *file, bool show, int *count) {
  char *text;
  size_t size;
  int failed = 0, ran = 0;
  if (kiln_file_read(file, &text, &size) != 0)
    return printf("%s: cannot be read\n", file), 1;
  struct program program = {0};
  for (const char *line = text, *end = text + size; line <= end;) {
    size_t length = line < end ? strcspn(line, "\n") : 0;
    struct program next;
    bool is_head = line < end && read_head(line, length, &next);
    if (program.text && (is_head || line == end)) {
      program.size = (size_t)(line - program.text);
      failed += !check(file, &program, show);
      ran++;
    }
    if (is_head) {
      program = next;
      program.text = line + length + (line[length] == '\n');
    }
    line += line == end ? 1 : length + (line[length] == '\n');
  }
  free(text);
  if (ran == 0)
    printf("%s: holds no program\n", file);
  *count += ran;
  return failed + (ran == 0);
}

int main(int argc, char **argv) {
  int first = 1, failed = 0, count = 0;
  bool show = argc > 1 && strcmp(argv[1], "--show") == 0;
  first += show;
  if (first >= argc)
    return fprintf(stderr, "usage: verdict_test [--show] FILE...\n"), 2;
  for (int i = first; i < argc; i++)
    failed += run(argv[i], show, &count);
  printf("%d programs, %d failed\n", count, failed);
  return failed != 0;
}
