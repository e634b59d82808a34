// What a hit costs: from a source to a launchable kernel when the program is in memory, and when it is on disk (warm
// page cache). cache-opencl measures the same on an OpenCL platform.
//   cache-kiln [BACKEND [REPETITIONS]]
#include <kiln/kiln.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char source[] = "kernel void saxpy(float a, global const float *x, global float *y) {\n"
                             "  size_t i = get_global_id(0);\n"
                             "  y[i] = a * x[i] + y[i];\n"
                             "}\n";

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}
static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_size);
  return values[count / 2];
}

static void check(enum kiln_status status) {
  if (status != KILN_OK) {
    fprintf(stderr, "cache-kiln: %s\n", kiln_last_error());
    exit(1);
  }
}

struct times {
  double create, ready; // to the kernel object; until it can be launched
};

// One program to a launchable kernel.
static struct times build(struct kiln_context *ctx, struct kiln_stream *stream, struct kiln_buffer *buffer,
                          enum kiln_cache_outcome *outcome) {
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_prepared *prepared;
  struct kiln_program_info info;
  double start = now_us();
  check(kiln_program_create(ctx, &(struct kiln_program_desc){.source = source, .size = sizeof source - 1}, &program));
  check(kiln_kernel_create(program, NULL, &kernel));
  double created = now_us();
  float a = 2;
  struct kiln_arg args[] = {kiln_arg_value(&a, sizeof a), kiln_arg_buffer(buffer), kiln_arg_buffer(buffer)};
  struct kiln_launch_desc launch = {.work_dim = 1, .global = {64}, .args = args, .arg_count = 3};
  check(kiln_prepare(stream, kernel, &launch, &prepared));
  double end = now_us();
  kiln_program_info(program, &info);
  *outcome = info.cache;
  kiln_prepared_release(prepared);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  return (struct times){created - start, end - start};
}

int main(int argc, char **argv) {
  const char *backend = argc > 1 ? argv[1] : NULL;
  int count = argc > 2 ? atoi(argv[2]) : 501, hits = 0;
  char folder[] = "/tmp/kiln-bench-XXXXXX", command[64];
  double *create = calloc((size_t)count, sizeof *create), *ready = calloc((size_t)count, sizeof *ready);
  if (count < 1 || !create || !ready || !mkdtemp(folder))
    return 1;
  struct kiln_context_desc desc = {.backend = backend, .cache_dir = folder, .cache_mode = "rw"};
  for (int i = -1; i < count; i++) { // a context each: its memory is empty
    struct kiln_context *ctx;
    struct kiln_stream *stream;
    struct kiln_buffer *buffer;
    enum kiln_cache_outcome outcome;
    check(kiln_context_open(&desc, &ctx));
    check(kiln_stream_create(ctx, 0, &stream));
    check(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 4096}, &buffer));
    struct times times = build(ctx, stream, buffer, &outcome);
    if (i >= 0) {
      create[i] = times.create;
      ready[i] = times.ready;
      hits += outcome == KILN_CACHE_HIT_DISK;
    }
    kiln_buffer_release(buffer);
    kiln_stream_release(stream);
    kiln_context_close(ctx);
  }
  printf("disk    create %8.2f us, launchable %8.2f us (median of %d, %d hits)\n", median(create, count),
         median(ready, count), count, hits);
  struct kiln_context *ctx;
  check(kiln_context_open(&desc, &ctx));
  struct kiln_program *program, *keep;
  struct kiln_program_desc program_desc = {.source = source, .size = sizeof source - 1};
  check(kiln_program_create(ctx, &program_desc, &keep));
  enum { BATCH = 100 };
  for (int i = 0; i < count; i++) {
    double start = now_us();
    for (int k = 0; k < BATCH; k++) {
      check(kiln_program_create(ctx, &program_desc, &program));
      kiln_program_release(program);
    }
    create[i] = (now_us() - start) / BATCH;
  }
  struct kiln_cache_stats stats;
  kiln_context_cache_stats(ctx, &stats);
  printf("memory  create %8.2f us (median of %d batches, %llu hits)\n", median(create, count), count,
         (unsigned long long)stats.memory_hits);
  kiln_program_release(keep);
  kiln_context_close(ctx);
  free(create);
  free(ready);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command) != 0;
}
