// kiln_tune: from a description to a record in the cache.
#include "jit/tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "jit/tune_measure.h"

enum {
  MAX_STARTS = 8, // points of other records that a search begins with
};
static const uint64_t DEFAULT_BUDGET = 10ull * 1000 * 1000 * 1000, FIRST_LAUNCH_BUDGET = 500ull * 1000 * 1000;

_Static_assert((int)KILN_SEARCH_GOOD == KILN_TUNE_OK && (int)KILN_SEARCH_SLOW == KILN_TUNE_SLOW, "states of records");
_Static_assert((int)KILN_TUNING_MAX_PARAMS == KILN_TUNE_MAX_PARAMETERS, "parameters of records");

struct tune {
  struct kiln_context *ctx;
  struct kiln_kernel *kernel;
  struct kiln_tuned *tuned;
  const struct kiln_tuning *tuning;
  const struct kiln_tune_desc *desc;
  struct kiln_tune_result *result;
  int64_t args[KILN_TUNING_MAX_NAMES];
  uint8_t size_class[16];
  bool has_key, is_stopped;
  struct kiln_tune_key key;
  struct kiln_strbuf search; // what this search is, in a line: an equal one that was finished need not be made again
  bool has_record;
  struct kiln_tune_record record; // of an earlier search
  uint32_t map[KILN_TUNING_MAX_PARAMS];
  int64_t starts[MAX_STARTS][KILN_TUNING_MAX_PARAMS];
  uint32_t start_count;
  struct kiln_measure *measure;
  uint64_t started, budget;
  enum kiln_status default_status; // of the first point
  char default_message[512];
  bool is_first;
};

// ---- results --------------------------------------------------------------------------------------------------------

static bool tell(struct tune *t, const struct kiln_search_point *point, const struct kiln_search_point *best,
                 uint64_t points, const char *message) {
  struct kiln_tune_value values[16];
  if (!t->desc->progress)
    return true;
  struct kiln_tune_event event = {.kind = point->state == KILN_SEARCH_WRONG  ? KILN_TUNE_EVENT_WRONG
                                          : point->state != KILN_SEARCH_GOOD ? KILN_TUNE_EVENT_FAILED
                                          : point == best                    ? KILN_TUNE_EVENT_BEST
                                                                             : KILN_TUNE_EVENT_MEASURED,
                                  .point = values,
                                  .value_count = kiln_tuned_put_point(t->tuning, point->values, values),
                                  .us = point->ns / 1e3,
                                  .best_us = best ? best->ns / 1e3 : 0,
                                  .points = points,
                                  .message = message};
  return t->desc->progress(t->desc->user, &event);
}

// "RM=3, LX=64: …", of the first point that is wrong or fails.
static void keep_message(struct tune *t, const struct kiln_search_point *point, const char *message) {
  struct kiln_strbuf text = {0};
  if (*t->result->message)
    return;
  for (uint32_t i = 0; i < t->tuning->param_count; i++)
    kiln_strbuf_printf(&text, "%s%s=%lld", i ? " " : "", t->tuning->params[i].name, (long long)point->values[i]);
  if (!text.failed)
    snprintf(t->result->message, sizeof t->result->message, "%s: %s", text.data, message);
  kiln_strbuf_free(&text);
}

// ---- the search's questions -----------------------------------------------------------------------------------------

static void prepare(void *user, struct kiln_search_point *const *points, uint32_t count) {
  struct tune *t = user;
  kiln_measure_prepare(t->measure, points, count);
}

static enum kiln_search_state measure(void *user, struct kiln_search_point *point, uint32_t launches, double limit_ns,
                                      int round) {
  struct tune *t = user;
  enum kiln_search_state state = kiln_measure_point(t->measure, point, launches, limit_ns, round);
  if (t->is_first) {
    snprintf(t->default_message, sizeof t->default_message, "%s", kiln_measure_message(t->measure, &t->default_status));
    t->is_first = false;
  }
  return state;
}

static bool goes_on(void *user, const struct kiln_search_point *point, const struct kiln_search_point *best,
                    uint64_t points, double reserve_ns) {
  struct tune *t = user;
  enum kiln_status status;
  const char *message = kiln_measure_message(t->measure, &status);
  if (point->state == KILN_SEARCH_WRONG || point->state == KILN_SEARCH_FAILED)
    keep_message(t, point, message);
  if (!tell(t, point, best, points, message)) {
    t->is_stopped = true;
    return false;
  }
  double needs = reserve_ns + KILN_MEASURE_LAST * kiln_measure_flush_ns(t->measure);
  return (t->desc->flags & KILN_TUNE_ALL) || (double)(kiln_now_ns() - t->started) + needs < (double)t->budget;
}

// ---- records --------------------------------------------------------------------------------------------------------

static void load_record(struct tune *t) {
  char *data;
  size_t size;
  if (!t->has_key || !kiln_tune_load(t->ctx->cache, &t->key, true, &data, &size))
    return;
  t->has_record = !kiln_tune_record_decode((struct kiln_str){data, size}, &t->record);
  if (t->has_record && !kiln_tuned_map(t->tuning, &t->record, t->map)) {
    kiln_tune_record_free(&t->record);
    t->has_record = false;
  }
  free(data);
}

static void take_values(const struct tune *t, const struct kiln_tune_record *record, const uint32_t *map,
                        uint32_t point, int64_t *out) {
  for (uint32_t i = 0; i < t->tuning->param_count; i++)
    out[i] = record->points[point].values[map[i]];
}

static bool add_start(void *user, const struct kiln_tune_key *key, const char *data, size_t size) {
  struct tune *t = user;
  struct kiln_tune_record record;
  uint32_t map[KILN_TUNING_MAX_PARAMS];
  if (memcmp(key, &t->key, sizeof *key) == 0 || kiln_tune_record_decode((struct kiln_str){data, size}, &record))
    return true;
  if (record.best < record.point_count && kiln_tuned_map(t->tuning, &record, map))
    take_values(t, &record, map, record.best, t->starts[t->start_count++]);
  kiln_tune_record_free(&record);
  return t->start_count < MAX_STARTS;
}

// The best of neighbouring size classes first, then those of the same kernel with another source or elsewhere.
static void find_starts(struct tune *t) {
  if (t->has_key)
    kiln_tune_visit(t->ctx->cache, t->key.bytes, 16, add_start, t);
  if (t->has_key && t->start_count < MAX_STARTS)
    kiln_tune_visit(t->ctx->cache, t->key.bytes, 4, add_start, t);
}

static struct kiln_search_point *known_points(const struct tune *t) {
  struct kiln_search_point *known = calloc(t->has_record ? t->record.point_count + 1 : 1, sizeof *known);
  for (uint32_t i = 0; known && t->has_record && i < t->record.point_count; i++) {
    take_values(t, &t->record, t->map, i, known[i].values);
    known[i].state = (enum kiln_search_state)t->record.points[i].state;
    known[i].ns = t->record.points[i].median_ns;
    known[i].spread_ns = t->record.points[i].spread_ns;
  }
  return known;
}

// What a search is decided by, beside what the record's key has.
static bool describe(struct tune *t) {
  const struct kiln_tune_desc *d = t->desc;
  const char *text = t->kernel->program->binary->reflection.wishes[t->kernel->index].tuning;
  kiln_strbuf_printf(&t->search, "of %016llx budget %llu points %llu seed %llu tolerance %g flags %u args",
                     (unsigned long long)kiln_hash64(text, strlen(text)), (unsigned long long)t->budget,
                     (unsigned long long)d->max_points, (unsigned long long)d->seed, d->tolerance, (unsigned)d->flags);
  for (uint32_t i = 0; i < t->tuning->arg_count; i++)
    kiln_strbuf_printf(&t->search, " %lld", (long long)t->args[i]);
  return !t->search.failed;
}

// Points of the old record that this search had nothing to say of: their values have left the lists.
static bool is_among(const struct kiln_search_result *found, const int64_t *values, uint32_t count) {
  for (uint32_t i = 0; i < found->count; i++)
    if (memcmp(found->points[i].values, values, count * sizeof *values) == 0)
      return true;
  return false;
}

static struct kiln_tune_measured *record_points(const struct tune *t, const struct kiln_search_result *found,
                                                uint32_t *count) {
  uint32_t old = t->has_record ? t->record.point_count : 0, n = 0;
  struct kiln_tune_measured *points = calloc(found->count + old + 1, sizeof *points);
  for (uint32_t i = 0; points && i < found->count; i++, n++) {
    memcpy(points[n].values, found->points[i].values, sizeof points[n].values);
    points[n].median_ns = found->points[i].ns;
    points[n].spread_ns = found->points[i].spread_ns;
    points[n].state = (uint8_t)found->points[i].state;
  }
  for (uint32_t i = 0; points && i < old && n < KILN_TUNE_MAX_POINTS; i++) {
    int64_t values[KILN_TUNING_MAX_PARAMS] = {0};
    take_values(t, &t->record, t->map, i, values);
    if (is_among(found, values, t->tuning->param_count))
      continue;
    points[n] = t->record.points[i];
    memcpy(points[n++].values, values, sizeof values);
  }
  *count = n;
  return points;
}

static void count_points(struct kiln_tune_result *r, const struct kiln_tune_measured *points, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    r->points += points[i].state == KILN_TUNE_OK || points[i].state == KILN_TUNE_SLOW;
    r->wrong += points[i].state == KILN_TUNE_WRONG;
    r->failed += points[i].state == KILN_TUNE_FAILED;
  }
}

static void store(struct tune *t, const struct kiln_search_result *found) {
  struct kiln_strbuf device = {0}, text = {0};
  kiln_tuned_device(t->ctx, kiln_launch_device(&t->desc->launch), &device);
  struct kiln_tune_record record = {.kernel = kiln_kernel_info(t->kernel)->name,
                                    .backend = t->ctx->target.backend,
                                    .arch = t->ctx->target.arch,
                                    .device = device.data,
                                    .source = t->kernel->program->source.name,
                                    .version = kiln_version(),
                                    .search = t->is_stopped ? "" : t->search.data,
                                    .parameter_count = t->tuning->param_count,
                                    .class_count = t->tuning->counts[KILN_TUNING_KEY],
                                    .best = found->best,
                                    .best_ns = found->best_ns,
                                    .default_ns = found->default_ns};
  struct kiln_strbuf names[KILN_TUNE_MAX_CLASS] = {{0}};
  for (uint32_t i = 0; i < t->tuning->param_count; i++)
    record.parameters[i] = t->tuning->params[i].name;
  for (uint32_t i = 0; i < record.class_count; i++) {
    const char *key = t->tuning->exprs[t->tuning->first[KILN_TUNING_KEY][i]].text;
    for (const char *c = key; *c; c++) // "M * N" as a word
      if (*c != ' ')
        kiln_strbuf_putc(&names[i], *c);
    record.class_names[i] = names[i].data;
    record.class_values[i] = 1ull << (t->size_class[i] & 63);
  }
  record.points = record_points(t, found, &record.point_count);
  count_points(t->result, record.points, record.points ? found->count : 0);
  record.measured = record.point_count;
  bool good = record.points && kiln_tune_record_encode(&record, &text) && !text.failed;
  t->result->stored = good && t->has_key && kiln_tune_store(t->ctx->cache, &t->key, text.data, text.size);
  if (!t->result->stored)
    kiln_context_log(t->ctx, KILN_LOG_WARNING,
                     "what was found of kernel '%s' is not stored: the cache is off, or its "
                     "folder cannot be written",
                     record.kernel);
  atomic_fetch_add(&t->ctx->tune_generation, 1);
  for (uint32_t i = 0; i < record.class_count; i++)
    kiln_strbuf_free(&names[i]);
  free(record.points);
  kiln_strbuf_free(&device);
  kiln_strbuf_free(&text);
}

// ---- tuning ---------------------------------------------------------------------------------------------------------

static void take_record(struct tune *t) {
  struct kiln_tune_result *r = t->result;
  int64_t values[KILN_TUNING_MAX_PARAMS];
  take_values(t, &t->record, t->map, t->record.best, values);
  r->value_count = kiln_tuned_put_point(t->tuning, values, r->point);
  r->default_us = t->record.default_ns / 1e3;
  r->best_us = t->record.best_ns / 1e3;
  count_points(r, t->record.points, t->record.point_count);
  r->stored = true;
}

static enum kiln_status search(struct tune *t) {
  struct kiln_search_point *known = known_points(t);
  struct kiln_search_result found = {0};
  if (!known)
    return kiln_error_memory();
  struct kiln_measure_desc desc = {.kernel = t->kernel,
                                   .tuned = t->tuned,
                                   .args = t->args,
                                   .launch = &t->desc->launch,
                                   .tolerance = t->desc->tolerance > 0 ? t->desc->tolerance : 1e-3,
                                   .deadline_ns = t->desc->deadline_ns,
                                   .stays_warm = t->desc->flags & KILN_TUNE_WARM,
                                   .flush_budget_ns = (double)t->budget / 4};
  enum kiln_status status = kiln_measure_begin(&desc, &t->measure);
  if (status == KILN_OK) {
    struct kiln_search_desc how = {.tuning = t->tuning,
                                   .args = t->args,
                                   .seed = t->desc->seed ? t->desc->seed : 1,
                                   .max_points = t->desc->max_points,
                                   .all = t->desc->flags & KILN_TUNE_ALL,
                                   .starts = (const int64_t(*)[KILN_TUNING_MAX_PARAMS])t->starts,
                                   .start_count = t->start_count,
                                   .known = known,
                                   .known_count = t->has_record ? t->record.point_count : 0,
                                   .ops = {prepare, measure, goes_on, t}};
    t->is_first = true;
    if (!kiln_search_run(&how, &found))
      status = t->default_status != KILN_OK
                   ? kiln_error(t->default_status, "%s", t->default_message)
                   : kiln_error(KILN_ERR_INVALID, "kernel '%s': no point can be measured%s%s",
                                kiln_kernel_info(t->kernel)->name, *t->default_message ? ": " : "", t->default_message);
  }
  if (status == KILN_OK) {
    t->result->value_count = kiln_tuned_put_point(t->tuning, found.points[found.best].values, t->result->point);
    t->result->best_us = found.best_ns / 1e3;
    t->result->default_us = found.default_ns / 1e3;
    store(t, &found);
  }
  kiln_measure_end(t->measure);
  free(found.points);
  free(known);
  return status;
}

static enum kiln_status begin(struct tune *t) {
  enum kiln_status status = kiln_tuned_of(t->kernel, &t->tuned);
  const char *name = kiln_kernel_info(t->kernel)->name;
  if (status == KILN_ERR_NOT_FOUND)
    return kiln_error(KILN_ERR_INVALID, "kernel '%s' has no '#pragma kernel tune': nothing is tuned of it", name);
  if (status != KILN_OK)
    return status;
  t->tuning = kiln_tuned_description(t->tuned);
  for (uint32_t i = 0; i < t->tuning->param_count; i++)
    if (strlen(t->tuning->params[i].name) >= sizeof t->result->point[0].name)
      return kiln_error(KILN_ERR_INVALID, "kernel '%s': the name of a parameter is longer than 63 bytes", name);
  if (t->desc->launch.arg_count != kiln_kernel_info(t->kernel)->arg_count ||
      !kiln_tuned_args(t->tuned, &t->desc->launch, t->args))
    return kiln_error(KILN_ERR_INVALID, "kernel '%s' is tuned for arguments that do not fit its parameters", name);
  struct kiln_drv *drv;
  int64_t values[KILN_TUNING_MAX_PARAMS];
  status = kiln_tuned_default(t->kernel, t->tuned, t->args, values);
  if (status == KILN_OK)
    status = kiln_context_driver(t->ctx, &drv);
  if (status == KILN_OK)
    status = kiln_tuned_class(t->tuned, t->args, t->size_class);
  if (status == KILN_OK && !describe(t))
    status = kiln_error_memory();
  t->has_key = status == KILN_OK && t->ctx->cache && !t->ctx->cache_off &&
               kiln_tuned_key(t->kernel, kiln_launch_device(&t->desc->launch), t->size_class, &t->key);
  return status;
}

enum kiln_status kiln_tune_kernel(struct kiln_kernel *kernel, const struct kiln_tune_desc *desc,
                                  struct kiln_tune_result *result) {
  struct tune *t = calloc(1, sizeof *t);
  if (!t)
    return kiln_error_memory();
  *t = (struct tune){.ctx = kernel->program->ctx,
                     .kernel = kernel,
                     .desc = desc,
                     .result = result,
                     .started = kiln_now_ns(),
                     .budget = desc->budget_ns ? desc->budget_ns : DEFAULT_BUDGET};
  memset(result, 0, sizeof *result);
  uint64_t compiles = atomic_load(&t->ctx->compiles);
  enum kiln_status status = begin(t);
  struct kiln_tune_lock *lock = NULL;
  if (status == KILN_OK && t->has_key)
    lock = kiln_tune_lock(t->ctx->cache, &t->key, NULL, NULL);
  if (status == KILN_OK) {
    t->started = kiln_now_ns(); // waiting for another search is not a part of this one
    load_record(t);
    bool is_done = t->has_record && t->record.best < t->record.point_count && t->record.search &&
                   strcmp(t->record.search, t->search.data) == 0;
    if (is_done) {
      take_record(t);
    } else {
      find_starts(t);
      status = search(t);
    }
  }
  kiln_tune_unlock(lock);
  result->compiles = atomic_load(&t->ctx->compiles) - compiles;
  result->seconds = (double)(kiln_now_ns() - t->started) / 1e9;
  if (t->has_record)
    kiln_tune_record_free(&t->record);
  kiln_strbuf_free(&t->search);
  free(t);
  return status;
}

enum kiln_status kiln_tune(struct kiln_context *ctx, const struct kiln_tune_desc *desc,
                           struct kiln_tune_result *result) {
  if (!ctx || !desc || !result)
    return kiln_error(KILN_ERR_INVALID, "kiln_tune: %s is NULL", !ctx ? "ctx" : !desc ? "desc" : "result");
  struct kiln_program *program;
  struct kiln_kernel *kernel = NULL;
  uint64_t compiles = atomic_load(&ctx->compiles);
  enum kiln_status status =
      kiln_program_create_from(ctx, &desc->program, &(struct kiln_origin){.is_trial = true}, &program);
  if (status != KILN_OK)
    return status;
  status = kiln_kernel_create(program, desc->kernel, &kernel);
  if (status == KILN_OK)
    status = kiln_tune_kernel(kernel, desc, result);
  if (status == KILN_OK)
    result->compiles = atomic_load(&ctx->compiles) - compiles;
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  return status;
}

enum kiln_status kiln_tune_first_launch(struct kiln_kernel *kernel, struct kiln_stream *stream,
                                        const struct kiln_launch_desc *desc) {
  struct kiln_program *program;
  struct kiln_kernel *own = NULL;
  struct kiln_tune_result result;
  struct kiln_tune_desc tune = {.launch = *desc, .budget_ns = FIRST_LAUNCH_BUDGET};
  enum kiln_status status = kiln_stream_finish(stream); // what the launch reads must be there
  if (status == KILN_OK)
    status = kiln_program_trial(kernel->program, &program);
  if (status != KILN_OK)
    return status;
  status = kiln_kernel_create(program, kiln_kernel_info(kernel)->name, &own);
  if (status == KILN_OK)
    status = kiln_tune_kernel(own, &tune, &result);
  kiln_kernel_release(own);
  kiln_program_release(program);
  return status;
}
