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
  struct kiln_image *images[BENCH_MAX_ARGS];
  struct kiln_prepared *prepared;
  const struct bench *bench;
  const char *options;
  bool by_hand; // images are pointers and sizes
};

// An image that is a buffer is up to three sizes more.
enum { MAX_ARGS = 4 * BENCH_MAX_ARGS };

static bool complain(const struct state *s, enum kiln_status status) {
  if (status == KILN_OK)
    return true;
  fprintf(stderr, "kiln-bench: %s: %s\n", s->bench ? s->bench->name : "kiln", kiln_last_error());
  return false;
}

// An image, or the sizes of one whose buffer is an argument already. Returns how many arguments these are; 0: failed.
static unsigned image_args(struct state *s, unsigned k, struct kiln_arg *args) {
  const struct kiln_image_desc *image = &s->bench->args[k].image;
  if (!s->by_hand) {
    struct kiln_image_desc desc = *image;
    desc.buffer = s->buffers[k];
    if (!complain(s, kiln_image_create(s->context, &desc, &s->images[k])))
      return 0;
    args[0] = kiln_arg_image(s->images[k]);
    return 1;
  }
  args[1] = kiln_arg_value(&image->width, 4);
  args[2] = kiln_arg_value(&image->height, 4);
  args[3] = kiln_arg_value(&image->depth, 4);
  return image->dimension == KILN_IMAGE_3D ? 4 : image->dimension == KILN_IMAGE_2D ? 3 : 2;
}

// The number of arguments; 0: failed.
static unsigned make_args(struct state *s, const struct bench_data *data, struct kiln_arg *args) {
  unsigned count = 0;
  for (unsigned k = 0; k < bench_arg_count(s->bench); k++) {
    const struct bench_arg *arg = &s->bench->args[k];
    if (arg->fill == BENCH_SCALAR) {
      args[count++] = kiln_arg_value(data->args[k], 4);
      continue;
    }
    struct kiln_buffer_desc desc = {.size = bench_arg_bytes(arg)};
    if (!complain(s, kiln_buffer_create(s->context, &desc, &s->buffers[k])) ||
        !complain(s, kiln_write(s->stream, s->buffers[k], 0, data->args[k], desc.size, NULL)))
      return 0;
    args[count] = kiln_arg_buffer(s->buffers[k]);
    unsigned used = arg->image.width ? image_args(s, k, args + count) : 1;
    if (!used)
      return 0;
    count += used;
  }
  return count;
}

static void unload(void *state) {
  struct state *s = state;
  if (s->prepared)
    kiln_prepared_release(s->prepared);
  for (unsigned k = 0; k < BENCH_MAX_ARGS; k++) {
    kiln_image_release(s->images[k]);
    kiln_buffer_release(s->buffers[k]);
  }
  if (s->kernel)
    kiln_kernel_release(s->kernel);
  if (s->program)
    kiln_program_release(s->program);
  *s = (struct state){.context = s->context, .stream = s->stream, .options = s->options, .by_hand = s->by_hand};
}

static bool load(void *state, const struct bench *bench, const struct bench_data *data) {
  struct state *s = state;
  s->bench = bench;
  struct kiln_arg args[MAX_ARGS];
  struct kiln_program_desc program = {.source = bench->source, .name = bench->name, .options = s->options};
  struct kiln_launch_desc launch = {.global = {bench->global[0], bench->global[1]},
                                    .local = {bench->local[0], bench->local[1]},
                                    .work_dim = bench->dimensions,
                                    .args = args};
  if (bench->dimensions == 1)
    launch.global[1] = launch.local[1] = 0;
  return complain(s, kiln_program_create(s->context, &program, &s->program)) &&
         complain(s, kiln_kernel_create(s->program, bench->name, &s->kernel)) &&
         (launch.arg_count = make_args(s, data, args)) > 0 &&
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

bool bench_kiln_open_images(const char *backend, const char *arch, const char *options, bool buffers,
                            struct bench_runner *out) {
  static struct state states[2];
  static char texts[2][1024];
  struct state *s = &states[buffers];
  snprintf(texts[buffers], sizeof texts[buffers], "%s%s", options ? options : "", buffers ? " -DBUFFERS" : "");
  *s = (struct state){.options = texts[buffers], .by_hand = buffers};
  struct kiln_context_desc desc = {.backend = backend, .arch = arch, .cache_mode = "off"};
  if (!complain(s, kiln_context_open(&desc, &s->context)) ||
      !complain(s, kiln_stream_create(s->context, 0, &s->stream)))
    return false;
  *out = (struct bench_runner){buffers ? "buffers" : "images", s, load, run, fetch, unload};
  return true;
}
