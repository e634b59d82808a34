// Fresh process, from opening Kiln to the first result: prints the milliseconds, then the cache's answer, then the
// milliseconds of each further compile of a changed kernel in the same process (argument 1: how many; argument 2: a
// file with another kernel for these).
#include "bench/start.h"

#include <kiln/kiln.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void check(enum kiln_status status) {
  if (status != KILN_OK) {
    fprintf(stderr, "%s\n", kiln_last_error());
    exit(1);
  }
}

static bool is_mapped(const char *library) {
  char line[512];
  bool found = false;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps))
    found |= strstr(line, library) != NULL;
  if (maps)
    fclose(maps);
  return found;
}

int main(int argc, char **argv) {
  static float x[START_COUNT], y[START_COUNT];
  start_fill(x, y);
  double begin = start_now_ms();
  struct kiln_context *context;
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_stream *stream;
  struct kiln_buffer *bx, *by;
  check(kiln_context_open(NULL, &context));
  check(
      kiln_program_create(context, &(struct kiln_program_desc){.source = start_source, .name = "saxpy.cl"}, &program));
  check(kiln_kernel_create(program, "saxpy", &kernel));
  check(kiln_stream_create(context, 0, &stream));
  check(kiln_buffer_create(context, &(struct kiln_buffer_desc){.size = sizeof x}, &bx));
  check(kiln_buffer_create(context, &(struct kiln_buffer_desc){.size = sizeof y}, &by));
  check(kiln_write(stream, bx, 0, x, sizeof x, NULL));
  check(kiln_write(stream, by, 0, y, sizeof y, NULL));
  float a = 2;
  struct kiln_arg args[] = {kiln_arg_value(&a, sizeof a), kiln_arg_buffer(bx), kiln_arg_buffer(by)};
  check(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {START_COUNT}, .args = args, .arg_count = 3},
                    NULL));
  check(kiln_read(stream, by, 0, y, sizeof y, NULL));
  check(kiln_stream_finish(stream));
  double end = start_now_ms();

  struct kiln_program_info info;
  kiln_program_info(program, &info);
  if (!start_right(y))
    return 1;
  printf("%.4f %s %s\n", end - begin, info.cache >= KILN_CACHE_HIT_MEMORY ? "hit" : "miss",
         is_mapped("libLLVM") ? "llvm" : "no-llvm");
  for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 0); i++) {
    char source[4096];
    struct kiln_program *again;
    if (!start_further(argc, argv, i, source, sizeof source))
      return 1;
    begin = start_now_ms();
    check(kiln_program_create(context, &(struct kiln_program_desc){.source = source, .name = "saxpy.cl"}, &again));
    printf("%.4f\n", start_now_ms() - begin);
    kiln_program_release(again);
  }
  kiln_buffer_release(bx);
  kiln_buffer_release(by);
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  kiln_context_close(context);
  return 0;
}
