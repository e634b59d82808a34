// Measuring one point of a kernel.
//
// On the CPU a launch runs on the thread that waits for it or on the stream's own, whose stacks may lie so that one is
// much slower than the other. Launches alternate between the two, and the slower half counts.
#include "jit/tune_measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/pool.h"
#include "jit/ir/internal.h"
#include "jit/launch.h"
#include "jit/stream.h"

enum {
  MAX_SAMPLES = 32,
  ENOUGH_NS = 50 * 1000 * 1000, // of launches of one point in a row
  SHORT_NS = 20 * 1000,         // shorter launches are timed together
  MOST_TOGETHER = 64,
  SLICE_NS = 1000 * 1000, // of waiting
  LEAST_FLUSH = 8 << 20,
  MOST_FLUSH = 32 << 20,
};

// A buffer that the kernel may write.
struct written {
  struct kiln_buffer *buffer, *saved;
  size_t size;
  enum kiln_kind kind; // of its elements, as they are compared: KILN_VOID: byte by byte
  uint32_t arg;
  void *expected; // after the default's launch
};

struct kiln_measure {
  struct kiln_measure_desc desc;
  struct kiln_context *ctx;
  struct kiln_stream *stream, *watched; // watched: with the deadline, for the first launch of a point
  struct written *written;
  uint32_t written_count;
  void *scratch;
  struct kiln_buffer *flush;
  double flush_ns;
  bool has_expected, alternates;
  struct kiln_kernel *kernel; // of the point that is prepared
  struct kiln_prepared *prepared;
  struct kiln_stream *prepared_for;
  uint64_t number;
  enum kiln_status status;
  char message[512];
};

uint32_t kiln_launch_device(const struct kiln_launch_desc *launch) {
  for (uint32_t i = 0; launch->args && i < launch->arg_count; i++)
    if (launch->args[i].kind == KILN_ARG_BUFFER && launch->args[i].buffer)
      return launch->args[i].buffer->device;
  return 0;
}

// ---- buffers --------------------------------------------------------------------------------------------------------

// Elements that are compared as numbers; what the type is named otherwise is compared byte by byte.
static enum kiln_kind element_kind(const char *type_name) {
  static const struct {
    const char *name;
    enum kiln_kind kind;
  } kinds[] = {{"float", KILN_F32}, {"double", KILN_F64}, {"half", KILN_F16}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    size_t size = strlen(kinds[i].name);
    if (strncmp(type_name, kinds[i].name, size) == 0 &&
        strspn(type_name + size, "0123456789*") == strlen(type_name + size))
      return kinds[i].kind;
  }
  return KILN_VOID;
}

static enum kiln_status save_buffer(struct kiln_measure *m, uint32_t arg, struct kiln_buffer *buffer) {
  struct written *w = &m->written[m->written_count];
  *w = (struct written){.buffer = buffer,
                        .size = kiln_buffer_size(buffer),
                        .kind = element_kind(kiln_kernel_info(m->desc.kernel)->args[arg].type_name),
                        .arg = arg,
                        .expected = malloc(kiln_buffer_size(buffer))};
  m->written_count++;
  if (!w->expected)
    return kiln_error_memory();
  struct kiln_buffer_desc desc = {.size = w->size, .device = buffer->device};
  enum kiln_status status = kiln_buffer_create(m->ctx, &desc, &w->saved);
  return status == KILN_OK ? kiln_copy(m->stream, buffer, 0, w->saved, 0, w->size, NULL) : status;
}

static enum kiln_status save_buffers(struct kiln_measure *m) {
  const struct kiln_launch_desc *launch = m->desc.launch;
  const struct kiln_kernel_info *info = kiln_kernel_info(m->desc.kernel);
  size_t most = 1;
  enum kiln_status status = KILN_OK;
  m->written = calloc(launch->arg_count ? launch->arg_count : 1, sizeof *m->written);
  if (!m->written)
    return kiln_error_memory();
  for (uint32_t i = 0; i < launch->arg_count && i < info->arg_count && status == KILN_OK; i++) {
    const struct kiln_arg *arg = &launch->args[i];
    bool is_read = info->args[i].access == KILN_ACCESS_READ || info->args[i].is_constant;
    if (arg->kind == KILN_ARG_IMAGE && !is_read)
      status = kiln_error(KILN_ERR_UNSUPPORTED,
                          "kernel '%s' may write the image of argument %u: kernels that do are not tuned", info->name,
                          (unsigned)i);
    if (arg->kind != KILN_ARG_BUFFER || is_read)
      continue;
    if (!arg->buffer && arg->data)
      status = kiln_error(KILN_ERR_UNSUPPORTED,
                          "kernel '%s' may write through argument %u, a pointer: only buffers can be restored",
                          info->name, (unsigned)i);
    bool is_again = false;
    for (uint32_t k = 0; k < m->written_count; k++)
      is_again |= m->written[k].buffer == arg->buffer;
    if (status != KILN_OK || !arg->buffer || is_again)
      continue;
    status = save_buffer(m, i, arg->buffer);
    most = kiln_buffer_size(arg->buffer) > most ? kiln_buffer_size(arg->buffer) : most;
  }
  m->scratch = malloc(most);
  return status == KILN_OK && !m->scratch ? kiln_error_memory() : status;
}

static enum kiln_status restore(struct kiln_measure *m, struct kiln_stream *stream) {
  enum kiln_status status = KILN_OK;
  for (uint32_t i = 0; i < m->written_count && status == KILN_OK; i++)
    if (m->written[i].saved)
      status = kiln_copy(stream, m->written[i].saved, 0, m->written[i].buffer, 0, m->written[i].size, NULL);
  return status;
}

// ---- results --------------------------------------------------------------------------------------------------------

static double element(const void *data, enum kiln_kind kind, size_t index) {
  size_t bytes = kind == KILN_F16 ? 2 : kind == KILN_F32 ? 4 : 8;
  uint64_t bits = 0;
  memcpy(&bits, (const char *)data + bytes * index, bytes); // little-endian, as every machine that Kiln runs on
  return kiln_float_value(kind, bits);
}

static bool is_close(const struct written *w, const void *got, double tolerance, size_t *at) {
  if (w->kind == KILN_VOID) {
    for (*at = 0; *at < w->size; ++*at)
      if (((const char *)got)[*at] != ((const char *)w->expected)[*at])
        return false;
    return true;
  }
  size_t bytes = w->kind == KILN_F16 ? 2 : w->kind == KILN_F32 ? 4 : 8, count = w->size / bytes;
  double most = 0;
  for (size_t i = 0; i < count; i++) {
    double value = fabs(element(w->expected, w->kind, i));
    most = isfinite(value) && value > most ? value : most;
  }
  for (*at = 0; *at < count; ++*at) {
    double a = element(got, w->kind, *at), b = element(w->expected, w->kind, *at);
    bool is_same = a == b || (isnan(a) && isnan(b));
    if (!is_same && !(fabs(a - b) <= tolerance * most))
      return false;
  }
  return true;
}

static void say(struct kiln_measure *m, enum kiln_status status) {
  m->status = status;
  snprintf(m->message, sizeof m->message, "%s", kiln_last_error());
}

// The first point's results are what is expected of the others.
static enum kiln_search_state check(struct kiln_measure *m) {
  for (uint32_t i = 0; i < m->written_count; i++) {
    struct written *w = &m->written[i];
    size_t at = 0;
    enum kiln_status status =
        kiln_read(m->stream, w->buffer, 0, m->has_expected ? m->scratch : w->expected, w->size, NULL);
    if (status == KILN_OK)
      status = kiln_stream_finish(m->stream);
    if (status != KILN_OK) {
      say(m, status);
      return KILN_SEARCH_FAILED;
    }
    if (!m->has_expected || is_close(w, m->scratch, m->desc.tolerance, &at))
      continue;
    const struct kiln_arg_info *arg = &kiln_kernel_info(m->desc.kernel)->args[w->arg];
    m->status = KILN_OK;
    snprintf(m->message, sizeof m->message, "its results differ from the default's: argument %u%s%s%s at %s %zu",
             (unsigned)w->arg, *arg->name ? " ('" : "", arg->name, *arg->name ? "')" : "",
             w->kind == KILN_VOID ? "byte" : "element", at);
    return KILN_SEARCH_WRONG;
  }
  m->has_expected = true;
  return KILN_SEARCH_GOOD;
}

// ---- launches -------------------------------------------------------------------------------------------------------

static void drop_prepared(struct kiln_measure *m) {
  kiln_prepared_release(m->prepared);
  kiln_kernel_release(m->kernel);
  m->prepared = NULL;
  m->kernel = NULL;
}

static enum kiln_status prepare(struct kiln_measure *m, const struct kiln_search_point *point,
                                struct kiln_stream *stream) {
  struct kiln_tuned_launch tuned;
  if (m->prepared && m->number == point->number && m->prepared_for == stream)
    return KILN_OK;
  drop_prepared(m);
  enum kiln_status status = kiln_tuned_point(m->desc.kernel, m->desc.tuned, point->values, m->desc.args, &tuned);
  if (status == KILN_OK)
    status = kiln_kernel_create(tuned.kernel.program, kiln_kernel_info(m->desc.kernel)->name, &m->kernel);
  if (status != KILN_OK)
    return status;
  struct kiln_launch_desc desc = *m->desc.launch;
  desc.tuned = false;
  if (tuned.has_sizes) {
    memcpy(desc.global, tuned.global, sizeof desc.global);
    memcpy(desc.local, tuned.local, sizeof desc.local);
    desc.work_dim = tuned.work_dim;
  }
  m->number = point->number;
  m->prepared_for = stream;
  return kiln_prepare_for("kiln_tune", stream, m->kernel, &desc, &m->prepared);
}

// Waits on the calling thread, or only watches while the stream's own runs the launch. *given_up: it took longer than
// limit_ns.
static enum kiln_status wait_for(struct kiln_stream *stream, struct kiln_event *event, bool helps, double limit_ns,
                                 bool *given_up) {
  uint64_t start = kiln_now_ns();
  bool done = false;
  enum kiln_status status = KILN_OK;
  while (!helps && !done && status == KILN_OK) {
    status = kiln_event_wait_within(event, SLICE_NS, &done);
    if (!done && limit_ns > 0 && (double)(kiln_now_ns() - start) > limit_ns && !*given_up) {
      *given_up = true;
      if (kiln_stream_cancel(stream) != KILN_OK)
        break; // then it is waited for
    }
  }
  enum kiln_status finished = kiln_stream_finish(stream);
  return status == KILN_OK ? finished : status;
}

// One sample: a launch, or several together, after the buffers have got their contents back. *out: of one launch.
static enum kiln_status sample(struct kiln_measure *m, struct kiln_stream *stream, uint32_t together, bool helps,
                               bool cold, double limit_ns, bool *given_up, double *out) {
  struct kiln_event *first = NULL, *last = NULL;
  struct kiln_event_times begin, end;
  const uint32_t zero = 0;
  enum kiln_status status = restore(m, stream);
  if (status == KILN_OK && cold && m->flush)
    status = kiln_fill(stream, m->flush, 0, kiln_buffer_size(m->flush), &zero, sizeof zero, NULL);
  if (status == KILN_OK)
    status = kiln_stream_finish(stream); // the launch alone is what is waited for
  for (uint32_t i = 0; i < together && status == KILN_OK; i++)
    status = kiln_run_prepared(m->prepared, i == 0 ? &first : i + 1 == together ? &last : NULL);
  if (status == KILN_OK)
    status = wait_for(stream, last ? last : first, helps, limit_ns, given_up);
  if (status == KILN_OK)
    status = kiln_event_times(first, &begin);
  if (status == KILN_OK)
    status = kiln_event_times(last ? last : first, &end);
  if (status == KILN_OK)
    *out = (double)(end.ended_ns - begin.started_ns) / together;
  if (status == KILN_OK && *out <= limit_ns) // it was not stopped, and did not take that long: its driver compiled it
    *given_up = false;
  kiln_event_release(first);
  kiln_event_release(last);
  return status;
}

static int compare(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

// Median of the samples, and how far the quartiles are apart.
static double median(double *samples, uint32_t count, double *spread) {
  qsort(samples, count, sizeof *samples, compare);
  *spread = samples[count * 3 / 4] - samples[count / 4];
  return samples[count / 2];
}

static enum kiln_search_state failed(struct kiln_measure *m, enum kiln_status status, bool given_up) {
  if (given_up) {
    m->status = KILN_OK;
    snprintf(m->message, sizeof m->message, "it takes more than ten times as long as the best");
    return KILN_SEARCH_SLOW;
  }
  say(m, status);
  return KILN_SEARCH_FAILED;
}

enum kiln_search_state kiln_measure_point(struct kiln_measure *m, struct kiln_search_point *point, uint32_t launches,
                                          double limit_ns, int round) {
  double samples[2][MAX_SAMPLES], sum = 0, spread[2] = {0}, ns = 1;
  uint32_t counts[2] = {0}, together = 1;
  bool last = round >= 0, is_first = !last && launches == 1, given_up = false;
  struct kiln_stream *stream = is_first && m->watched ? m->watched : m->stream;
  m->status = KILN_OK;
  *m->message = 0;
  enum kiln_status status = prepare(m, point, stream);
  if (status != KILN_OK)
    return failed(m, status, false);
  bool alternates = m->alternates && !is_first;
  if (point->ns > 0 && point->ns < SHORT_NS && !is_first)
    together = (uint32_t)(SHORT_NS / point->ns) + 1;
  together = together < MOST_TOGETHER ? together : MOST_TOGETHER;
  for (uint32_t i = 0; i < launches && i < MAX_SAMPLES; i++) {
    bool helps = alternates && (last ? round : (int)i) % 2 == 0;
    status = sample(m, stream, together, helps, last, limit_ns, &given_up, &ns);
    if (status != KILN_OK || given_up)
      return failed(m, status, given_up);
    samples[helps][counts[helps]++] = ns;
    sum += ns * together;
    if (sum > ENOUGH_NS && i)
      break;
  }
  enum kiln_search_state state = is_first ? check(m) : KILN_SEARCH_GOOD;
  double side[2] = {0};
  for (int s = 0; s < 2; s++)
    side[s] = counts[s] ? median(samples[s], counts[s], &spread[s]) : 0;
  bool slower = side[1] > side[0];
  point->ns = side[slower] > 1 ? side[slower] : 1;
  point->spread_ns = spread[slower];
  return state;
}

// ---- compiling ------------------------------------------------------------------------------------------------------

struct job {
  struct kiln_measure *measure;
  struct kiln_search_point *const *points;
};

static void compile(void *user, uint32_t worker, uint64_t first, uint64_t end) {
  const struct job *job = user;
  (void)worker;
  for (; first < end; first++) // a failure shows when the point is measured
    (void)kiln_tuned_compile(job->measure->desc.kernel, job->measure->desc.tuned, job->points[first]->values, true,
                             NULL);
}

void kiln_measure_prepare(struct kiln_measure *m, struct kiln_search_point *const *points, uint32_t count) {
  uint32_t threads = m->ctx->num_threads;
  if (threads == 1 || count == 1)
    return;
  struct kiln_pool *pool = kiln_pool_new(threads, NULL);
  struct job job = {m, points};
  if (pool)
    kiln_pool_run(pool, count, 1, compile, &job);
  kiln_pool_free(pool);
}

// ---- beginning and ending -------------------------------------------------------------------------------------------

// Room that is as large as the last cache, to be written before launches that shall find nothing in it.
static enum kiln_status make_flush(struct kiln_measure *m, uint32_t device) {
  struct kiln_device_traits traits = {0};
  enum kiln_status status = kiln_device_traits(m->ctx, device, &traits);
  if (status != KILN_OK || m->desc.stays_warm)
    return status;
  uint64_t size = traits.cache_bytes & ~(uint64_t)4095;
  size = size < LEAST_FLUSH ? LEAST_FLUSH : size > MOST_FLUSH ? MOST_FLUSH : size;
  const uint32_t zero = 0;
  status = kiln_buffer_create(m->ctx, &(struct kiln_buffer_desc){.size = size, .device = device}, &m->flush);
  for (int i = 0; i < 3 && status == KILN_OK; i++) { // the first time its pages are made
    uint64_t start = kiln_now_ns();
    status = kiln_fill(m->stream, m->flush, 0, size, &zero, sizeof zero, NULL);
    if (status == KILN_OK)
      status = kiln_stream_finish(m->stream);
    double ns = (double)(kiln_now_ns() - start);
    m->flush_ns = i && ns > m->flush_ns ? m->flush_ns : ns;
  }
  if (m->flush_ns * KILN_MEASURE_LAST > m->desc.flush_budget_ns) {
    kiln_buffer_release(m->flush);
    m->flush = NULL;
    m->flush_ns = 0;
  }
  return status;
}

enum kiln_status kiln_measure_begin(const struct kiln_measure_desc *desc, struct kiln_measure **out) {
  struct kiln_measure *m = calloc(1, sizeof *m);
  if (!m)
    return kiln_error_memory();
  uint32_t device = kiln_launch_device(desc->launch);
  m->desc = *desc;
  m->ctx = desc->kernel->program->ctx;
  m->number = UINT64_MAX;
  enum kiln_status status = kiln_stream_create(m->ctx, device, &m->stream);
  if (status == KILN_OK && atomic_load(&m->ctx->deadline)) // kernels that can be stopped are others
    status = kiln_stream_set_deadline(m->stream, 0);
  if (status == KILN_OK && desc->deadline_ns) {
    status = kiln_stream_create(m->ctx, device, &m->watched);
    if (status == KILN_OK)
      status = kiln_stream_set_deadline(m->watched, desc->deadline_ns);
  }
  if (status == KILN_OK) {
    m->alternates = m->ctx->devices[device].host_memory;
    status = save_buffers(m);
  }
  if (status == KILN_OK)
    status = make_flush(m, device);
  if (status == KILN_OK)
    status = kiln_stream_finish(m->stream);
  if (status != KILN_OK)
    kiln_measure_end(m);
  else
    *out = m;
  return status;
}

void kiln_measure_end(struct kiln_measure *m) {
  if (!m)
    return;
  drop_prepared(m);
  if (m->stream && restore(m, m->stream) == KILN_OK)
    (void)kiln_stream_finish(m->stream);
  for (uint32_t i = 0; i < m->written_count; i++) {
    kiln_buffer_release(m->written[i].saved);
    free(m->written[i].expected);
  }
  kiln_buffer_release(m->flush);
  kiln_stream_release(m->watched);
  kiln_stream_release(m->stream);
  free(m->written);
  free(m->scratch);
  free(m);
}

const char *kiln_measure_message(const struct kiln_measure *m, enum kiln_status *status) {
  *status = m->status;
  return m->message;
}

double kiln_measure_flush_ns(const struct kiln_measure *m) { return m->flush_ns; }
