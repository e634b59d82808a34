// Gives each file of the named folders, and of those below them, to the fuzz target that this is linked with: fuzz
// targets without libFuzzer.
//
//   replay_… AT_LEAST FOLDER…
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/walk.h"

enum { SECONDS_PER_FILE = 20 };

static int replay_file(const char *path) {
  FILE *in = fopen(path, "rb");
  if (!in)
    return 0;
  char *data = NULL;
  size_t size = 0, got;
  do {
    char *more = realloc(data, size + 65536);
    if (!more)
      exit(3);
    data = more;
    got = fread(data + size, 1, 65536, in);
    size += got;
  } while (got);
  fclose(in);
  // An exact copy: reads behind the end are then found by a sanitizer.
  uint8_t *exact = malloc(size ? size : 1);
  if (!exact)
    exit(3);
  memcpy(exact, data, size);
  free(data);
  alarm(SECONDS_PER_FILE); // a hang ends the process with a signal
  LLVMFuzzerTestOneInput(exact, size);
  alarm(0);
  free(exact);
  return 1;
}

static void visit_file(void *count, const char *path, const char *name) {
  const char *dot = strrchr(name, '.');
  if (!dot || strcmp(dot, ".txt") != 0)
    *(int *)count += replay_file(path);
}

int main(int argc, char **argv) {
  int count = 0;
  if (argc < 3)
    return fprintf(stderr, "usage: %s AT_LEAST FOLDER...\n", argv[0]), 2;
  for (int i = 2; i < argc; i++)
    walk_files(argv[i], visit_file, &count);
  printf("%d files\n", count);
  return count < atoi(argv[1]);
}
