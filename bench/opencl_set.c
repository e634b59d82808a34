#include "bench/opencl_set.h"

#include <math.h>
#include <stdlib.h>

#include "bench/kernels.h"
#include "kiln/kiln.h"

enum { ENOUGH_SECONDS = 6 }; // for one kernel, once each side has run three times

struct side {
  cl_program program;
  cl_kernel kernel;
  cl_mem buffers[BENCH_MAX_ARGS];
  double best;
};

struct set {
  cl_context context;
  cl_device_id device;
  cl_command_queue queue;
  const struct bench *bench;
};

static bool complain(const struct set *set, cl_int code, const char *what) {
  if (code != CL_SUCCESS)
    fprintf(stderr, "opencl-text: %s: %s: error %d\n", set->bench->name, what, (int)code);
  return code == CL_SUCCESS;
}

static bool load(const struct set *set, const char *text, const struct bench_data *data, struct side *out) {
  cl_int code;
  out->best = INFINITY;
  out->program = clCreateProgramWithSource(set->context, 1, &text, NULL, &code);
  if (!complain(set, code, "program") ||
      !complain(set, clBuildProgram(out->program, 1, &set->device, "-cl-std=CL1.2", NULL, NULL), "build"))
    return false;
  out->kernel = clCreateKernel(out->program, set->bench->name, &code);
  for (unsigned k = 0; k < bench_arg_count(set->bench) && code == CL_SUCCESS; k++) {
    const struct bench_arg *arg = &set->bench->args[k];
    if (arg->fill == BENCH_SCALAR) {
      code = clSetKernelArg(out->kernel, k, 4, data->args[k]);
      continue;
    }
    out->buffers[k] = clCreateBuffer(set->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bench_arg_bytes(arg),
                                     data->args[k], &code);
    if (code == CL_SUCCESS)
      code = clSetKernelArg(out->kernel, k, sizeof(cl_mem), &out->buffers[k]);
  }
  return complain(set, code, "kernel");
}

static void unload(struct side *side) {
  for (unsigned k = 0; k < BENCH_MAX_ARGS; k++)
    if (side->buffers[k])
      clReleaseMemObject(side->buffers[k]);
  if (side->kernel)
    clReleaseKernel(side->kernel);
  if (side->program)
    clReleaseProgram(side->program);
}

static bool run(const struct set *set, struct side *side, bool counts, double (*now)(void)) {
  const size_t *local = set->bench->local[0] ? set->bench->local : NULL;
  double start = now();
  cl_int code = clEnqueueNDRangeKernel(set->queue, side->kernel, set->bench->dimensions, NULL, set->bench->global,
                                       local, 0, NULL, NULL);
  if (code == CL_SUCCESS)
    code = clFinish(set->queue);
  double time = now() - start;
  if (counts && time < side->best)
    side->best = time;
  return complain(set, code, "launch");
}

static bool compare(const struct set *set, struct kiln_context *ctx, int rounds, double (*now)(void), double *ratio) {
  struct kiln_program_desc desc = {.source = set->bench->source, .name = set->bench->name};
  struct kiln_program *program = NULL;
  struct bench_data data = {{NULL}};
  struct side sides[2] = {{.program = NULL}, {.program = NULL}};
  void *text = NULL;
  size_t size;
  bool ok = kiln_program_create(ctx, &desc, &program) == KILN_OK &&
            kiln_program_stage(program, "cl", &text, &size) == KILN_OK;
  if (!ok)
    fprintf(stderr, "opencl-text: %s: %s\n", set->bench->name, kiln_last_error());
  ok = ok && bench_data_make(set->bench, &data) && load(set, set->bench->source, &data, &sides[0]) &&
       load(set, text, &data, &sides[1]);
  double begin = now();
  for (int round = -1; ok && round < rounds && (round < 3 || now() - begin < ENOUGH_SECONDS); round++)
    for (int k = 0; k < 2 && ok; k++) // who comes first takes turns
      ok = run(set, &sides[(k + round + 2) & 1], round >= 0, now);
  *ratio = sides[0].best / sides[1].best;
  if (ok)
    printf("%-14s %10.3f %10.3f %8.3f\n", set->bench->name, sides[0].best * 1e3, sides[1].best * 1e3, *ratio);
  fflush(stdout);
  unload(&sides[0]);
  unload(&sides[1]);
  bench_data_free(&data);
  kiln_free(text);
  kiln_program_release(program);
  return ok;
}

_Bool bench_opencl_set(cl_context context, cl_device_id device, cl_command_queue queue, struct kiln_context *ctx,
                       int rounds, double (*now)(void)) {
  struct set set = {context, device, queue, NULL};
  double sum = 0, worst = INFINITY;
  for (unsigned i = 0; i < bench_kernels.count; i++) {
    double ratio;
    set.bench = &bench_kernels.kernels[i];
    if (!compare(&set, ctx, rounds, now, &ratio))
      return false;
    sum += log(ratio);
    worst = ratio < worst ? ratio : worst;
  }
  printf("geometric mean of the kernel set %.3f, worst %.3f\n", exp(sum / bench_kernels.count), worst);
  return true;
}
