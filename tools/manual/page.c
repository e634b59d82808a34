// Man pages, in the language of man(7).
#include <kiln/kiln.h>
#include <string.h>

#include "manual.h"

// Text as man reads it: "-" is a minus sign, and neither "." nor "'" at the beginning of a line is a request.
static void put(FILE *out, const char *text) {
  if (*text == '.' || *text == '\'')
    fputs("\\&", out);
  for (; *text; text++) {
    if (*text == '-' || *text == '\\')
      fputc('\\', out);
    fputc(*text == '\\' ? 'e' : *text, out);
  }
}

static void put_line(FILE *out, const char *text) {
  put(out, text);
  fputc('\n', out);
}

static void put_help(FILE *out, const char *help) {
  struct line line = {.kind = LINE_SECTION}, before;
  for (const char *next = help; next;) {
    before = line;
    next = read_line(next, &line);
    if (line.kind == LINE_ITEM) {
      fputs(".TP\n", out);
      if (*line.term) {
        fputs(".B ", out);
        put_line(out, line.term);
      }
    } else if (line.kind == LINE_SECTION) {
      fputs(".SS ", out);
    } else if (line.kind == LINE_TEXT && before.kind != LINE_TEXT) {
      fputs(".PP\n", out);
    }
    put_line(out, line.text);
  }
}

static void put_verbs(FILE *out) {
  fputs(".SH COMMANDS\n", out);
  for (const struct verb *verb = verbs; verb->name; verb++) {
    fprintf(out, ".TP\n.BR kiln\\-%s (1)\n", verb->name);
    put_line(out, verb->summary);
  }
  fputs(".TP\n.B kiln \\-\\-version\nprint the version\n.SH ENVIRONMENT\n", out);
#define KILN_ENV(ID, name, value, secure, meaning)                                                                     \
  fputs(".TP\n.B " name "\n", out);                                                                                    \
  put_line(out, sizeof value > 1 ? meaning " (default: " value ")" : meaning);
#include "jit/env.def"
}

bool write_page(const char *folder, const struct verb *verb) {
  char path[4096];
  const char *dash = verb ? "-" : "", *name = verb ? verb->name : "";
  snprintf(path, sizeof path, "%s/kiln%s%s.1", folder, dash, name);
  FILE *out = fopen(path, "w");
  if (!out)
    return false;
  fprintf(out, ".\\\" Made from tools/kiln/verbs.def.\n.TH KILN%s%s 1 \"\" \"Kiln %d.%d.%d\"\n.SH NAME\nkiln%s%s \\- ",
          verb ? "\\-" : "", name, KILN_VERSION_MAJOR, KILN_VERSION_MINOR, KILN_VERSION_PATCH, verb ? "\\-" : "", name);
  put_line(out, verb ? verb->summary : "compile OpenCL C kernels and run them");
  fprintf(out, ".SH SYNOPSIS\n.B kiln %s\n", verb ? name : "");
  put_line(out, verb ? verb->arguments : "VERB [OPTION]... [ARGUMENT]...");
  if (verb) {
    fputs(".SH DESCRIPTION\n", out);
    put_help(out, verb->help);
    fputs(".SS Common options\n", out);
    if (verb->kind == VERB_COMPILES)
      put_help(out, help_compiles);
    put_help(out, help_every);
  } else {
    put_verbs(out);
  }
  fputs(".SH EXIT STATUS\n", out);
  put_help(out, help_status + strlen("Exit status: "));
  fputs(".SH SEE ALSO\n.BR kiln (1)\n", out);
  return fclose(out) == 0;
}
