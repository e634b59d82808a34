// Runs hand-written versions of kernels, one thread per processor, and plain C.
#include "bench/kernels.h"
#include "bench/reference.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job {
  const struct bench_reference *references; // of the target
  const struct bench *bench;
  bench_part_fn *function;
  struct bench_data data;
  size_t part, parts;
};

static void *run_part(void *arg) {
  struct job *job = arg;
  job->function(job->data.args, job->part, job->parts);
  return NULL;
}

static size_t thread_count(void) {
  const char *text = getenv("COMPILE_NUM_THREADS");
  long count = text && atoi(text) > 0 ? atoi(text) : sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : count > 256 ? 256 : (size_t)count;
}

static bool run(void *state) {
  struct job *job = state, jobs[256];
  pthread_t threads[256];
  size_t parts = thread_count(), started = 1;
  for (size_t i = 0; i < parts; i++)
    jobs[i] = (struct job){.function = job->function, .data = job->data, .part = i, .parts = parts};
  while (started < parts && pthread_create(&threads[started], NULL, run_part, &jobs[started]) == 0)
    started++;
  for (size_t i = started; i < parts; i++)
    run_part(&jobs[i]);
  run_part(&jobs[0]);
  for (size_t i = 1; i < started; i++)
    pthread_join(threads[i], NULL);
  return true;
}

static bool load(void *state, const struct bench *bench, const struct bench_data *data) {
  struct job *job = state;
  (void)data;
  job->bench = bench;
  job->data = (struct bench_data){{NULL}};
  const struct bench_reference *reference = job->references;
  while (reference->name && strcmp(reference->name, bench->name))
    reference++;
  job->function = reference->run;
  return job->function && bench_data_make(bench, &job->data);
}

static bool fetch(void *state, struct bench_data *data) {
  struct job *job = state;
  for (unsigned k = 0; k < bench_arg_count(job->bench); k++)
    if (job->bench->args[k].output)
      memcpy(data->args[k], job->data.args[k], bench_arg_bytes(&job->bench->args[k]));
  return true;
}

static void unload(void *state) { bench_data_free(&((struct job *)state)->data); }

bool bench_reference_open(const char *arch, struct bench_runner *out) {
  static const struct target {
    const char *arch;
    const struct bench_reference *references;
  } targets[] = {
      {"native", bench_reference_native},
#ifdef BENCH_X86_64
      {"x86-64-v2", bench_reference_x86_64_v2},
      {"x86-64-v3", bench_reference_x86_64_v3},
#endif
  };
  static struct job job;
  *out = (struct bench_runner){"reference", &job, load, run, fetch, unload};
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
    if (!strcmp(targets[i].arch, arch))
      job.references = targets[i].references;
  return job.references != NULL;
}

static bool run_plain(void *state) {
  struct job *job = state;
  job->bench->plain(job->data.args);
  return true;
}

static bool load_plain(void *state, const struct bench *bench, const struct bench_data *data) {
  struct job *job = state;
  (void)data;
  job->bench = bench;
  return bench_data_make(bench, &job->data);
}

void bench_plain_open(struct bench_runner *out) {
  static struct job job;
  *out = (struct bench_runner){"plain C", &job, load_plain, run_plain, fetch, unload};
}
