// Preloaded: the process has chosen the locale KILN_TEST_LOCALE before its main begins.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void choose(void) {
  const char *name = getenv("KILN_TEST_LOCALE");
  if (name && setlocale(LC_ALL, name) && strcmp(localeconv()->decimal_point, ",") == 0)
    return;
  fprintf(stderr, "there is no locale '%s' with a decimal comma\n", name ? name : "");
  _exit(99);
}
