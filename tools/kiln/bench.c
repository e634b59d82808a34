// kiln bench: runs kiln-bench, which lies beside this program or, installed, below libexec.
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

int bench_main(int argc, char **argv) {
  static const char *const places[] = {"kiln-bench", "../libexec/kiln/kiln-bench"};
  char folder[PATH_MAX], path[PATH_MAX + 64];
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
      return print_help(this_verb(argv));
  ssize_t size = readlink("/proc/self/exe", folder, sizeof folder - 1);
  if (size <= 0)
    return fail(EXIT_ENVIRONMENT, "/proc/self/exe cannot be read: %s", strerror(errno));
  folder[size] = 0;
  char *slash = strrchr(folder, '/');
  if (slash)
    slash[1] = 0;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(path, sizeof path, "%s%s", folder, places[i]);
    if (access(path, X_OK) != 0)
      continue;
    argv[0] = path;
    execv(path, argv);
    return fail(EXIT_ENVIRONMENT, "%s cannot be started: %s", path, strerror(errno));
  }
  return fail(EXIT_ENVIRONMENT,
              "kiln-bench is neither beside %skiln nor in %s../libexec/kiln; in a source tree 'make bench' builds and "
              "runs it",
              folder, folder);
}
