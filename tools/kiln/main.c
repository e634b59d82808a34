// The kiln command: a table of verbs, and help.
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include "base/str.h"
#include "tool.h"

static const struct verb verb_table[] = {
#define VERB(name, arguments, summary, help, kind) {#name, arguments, summary, help, VERB_##kind, name##_main},
#include "tools/kiln/verbs.def"
    {NULL, NULL, NULL, NULL, VERB_PLAIN, NULL},
};

#define HELP(name, text) static const char help_##name[] = text;
#include "tools/kiln/verbs.def"

int usage_error(char **argv, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(stderr, "kiln %s: ", argv[0]);
  say_v(stderr, format, args);
  say(stderr, "\nTry 'kiln %s --help'.\n", argv[0]);
  va_end(args);
  return EXIT_USAGE;
}

int print_help(const struct verb *verb) {
  printf("usage: kiln %s %s\n\nkiln %s: %s\n\n%s%s%s", verb->name, verb->arguments, verb->name, verb->summary,
         verb->help, verb->kind == VERB_COMPILES ? help_compiles : "", help_every);
  return finish_output();
}

const struct verb *this_verb(char **argv) {
  const struct verb *verb = verb_table;
  while (verb->name && strcmp(verb->name, argv[0]) != 0)
    verb++;
  return verb->name ? verb : NULL;
}

static const char *verb_meant(const char *wrong) {
  struct kiln_near_names near = {0};
  for (const struct verb *verb = verb_table; verb->name; verb++)
    kiln_near_names_offer(&near, wrong, verb->name);
  return kiln_near_names_meant(&near, wrong);
}

int finish_output(void) {
  if (fflush(stdout) == 0 && !ferror(stdout))
    return EXIT_FINE;
  return fail(EXIT_ENVIRONMENT, "standard output cannot be written: %s", strerror(errno));
}

static void print_verbs(FILE *to) {
  fputs("usage: kiln VERB [OPTION]... [ARGUMENT]...\n\n", to);
  for (const struct verb *verb = verb_table; verb->name; verb++)
    fprintf(to, "  %-12s %s\n", verb->name, verb->summary);
  fprintf(to, "\n'kiln VERB --help' tells more. %s", help_status);
}

int main(int argc, char **argv) {
  signal(SIGXFSZ, SIG_IGN); // output that may not become larger is an error that is told
  if (argc < 2) {
    print_verbs(stderr);
    return EXIT_USAGE;
  }
  const char *name = argv[1];
  bool help = strcmp(name, "help") == 0;
  if (strcmp(name, "--version") == 0) {
    printf("kiln %s\n", kiln_version());
    return finish_output();
  }
  if ((help && argc == 2) || strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0) {
    print_verbs(stdout);
    return finish_output();
  }
  argv += help ? 2 : 1;
  argc -= help ? 2 : 1;
  const struct verb *verb = this_verb(argv);
  if (!verb) {
    const char *meant = verb_meant(argv[0]);
    fail(EXIT_USAGE, meant ? "there is no verb '%s'; did you mean '%s'?" : "there is no verb '%s'", argv[0], meant);
    print_verbs(stderr);
    return EXIT_USAGE;
  }
  return help ? print_help(verb) : verb->run(argc, argv);
}
