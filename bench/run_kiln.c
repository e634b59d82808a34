// Runs the kernels of the set with Kiln.
#include "bench/kernels.h"

#include <kiln/kiln.h>
#include <string.h>

struct state {
  struct kiln_context *context;
  struct kiln_stream *stream;
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_buffer *buffers[BENCH_MAX_ARGS];
  struct kiln_prepared *prepared;
  const struct bench *bench;
  const char *options;
};

static bool complain(const struct state *s, enum kiln_status status) {
  if (status == KILN_OK)
    return true;
  fprintf(stderr, "kiln-bench: %s: %s\n", s->bench ? s->bench->name : "kiln", kiln_last_error());
  return false;
}

static bool make_args(struct state *s, const struct bench_data *data, struct kiln_arg *args) {
  for (unsigned k = 0; k < bench_arg_count(s->bench); k++) {
    const struct bench_arg *arg = &s->bench->args[k];
    if (arg->fill == BENCH_SCALAR) {
      args[k] = kiln_arg_value(data->args[k], 4);
      continue;
    }
    struct kiln_buffer_desc desc = {.size = bench_arg_bytes(arg)};
    if (!complain(s, kiln_buffer_create(s->context, &desc, &s->buffers[k])) ||
        !complain(s, kiln_write(s->stream, s->buffers[k], 0, data->args[k], desc.size, NULL)))
      return false;
    args[k] = kiln_arg_buffer(s->buffers[k]);
  }
  return true;
}

static void unload(void *state) {
  struct state *s = state;
  if (s->prepared)
    kiln_prepared_release(s->prepared);
  for (unsigned k = 0; k < BENCH_MAX_ARGS; k++)
    if (s->buffers[k])
      kiln_buffer_release(s->buffers[k]);
  if (s->kernel)
    kiln_kernel_release(s->kernel);
  if (s->program)
    kiln_program_release(s->program);
  *s = (struct state){.context = s->context, .stream = s->stream, .options = s->options};
}

static bool load(void *state, const struct bench *bench, const struct bench_data *data) {
  struct state *s = state;
  s->bench = bench;
  struct kiln_arg args[BENCH_MAX_ARGS];
  struct kiln_program_desc program = {.source = bench->source, .name = bench->name, .options = s->options};
  struct kiln_launch_desc launch = {.global = {bench->global[0], bench->global[1]},
                                    .local = {bench->local[0], bench->local[1]},
                                    .work_dim = bench->dimensions,
                                    .arg_count = bench_arg_count(bench),
                                    .args = args};
  if (bench->dimensions == 1)
    launch.global[1] = launch.local[1] = 0;
  return complain(s, kiln_program_create(s->context, &program, &s->program)) &&
         complain(s, kiln_kernel_create(s->program, bench->name, &s->kernel)) && make_args(s, data, args) &&
         complain(s, kiln_prepare(s->stream, s->kernel, &launch, &s->prepared)) &&
         complain(s, kiln_stream_finish(s->stream));
}

static bool run(void *state) {
  struct state *s = state;
  return complain(s, kiln_run_prepared(s->prepared, NULL)) && complain(s, kiln_stream_finish(s->stream));
}

static bool fetch(void *state, struct bench_data *data) {
  struct state *s = state;
  for (unsigned k = 0; k < bench_arg_count(s->bench); k++)
    if (s->bench->args[k].output &&
        !complain(s, kiln_read(s->stream, s->buffers[k], 0, data->args[k], bench_arg_bytes(&s->bench->args[k]), NULL)))
      return false;
  return complain(s, kiln_stream_finish(s->stream));
}

static void log_message(void *user, enum kiln_log_level level, const char *message) {
  (void)user, (void)level;
  fprintf(stderr, "kiln-bench: %s\n", message);
}

bool bench_kiln_open(const char *backend, const char *arch, const char *options, bool verbose,
                     struct bench_runner *out) {
  static struct state state;
  state.options = options;
  struct kiln_context_desc desc = {.backend = backend, .arch = arch, .log = verbose ? log_message : NULL};
  if (!complain(&state, kiln_context_open(&desc, &state.context)) ||
      !complain(&state, kiln_stream_create(state.context, 0, &state.stream)))
    return false;
  *out = (struct bench_runner){kiln_context_target(state.context)->backend, &state, load, run, fetch, unload};
  return true;
}
