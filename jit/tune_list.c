// The records of a program: those of its kernels that were measured on any device. A record names its device in a line,
// so that its key says whether it belongs to the program, and no device is needed to know that.
#include <stdlib.h>
#include <string.h>

#include "jit/tuned.h"

struct visit {
  struct kiln_kernel *kernel;
  const struct kiln_tuning *tuning;
  kiln_tuned_record_fn *fn;
  void *user;
};

static bool belongs(const struct visit *v, const struct kiln_tune_key *key, struct kiln_str text) {
  struct kiln_str device = kiln_tune_line(text, "device");
  char *line = strndup(device.data, device.size);
  struct kiln_tune_key own;
  bool is_own = line && kiln_tune_record_key(v->kernel->program->binary->first->sections[KILN_SECTION_KEY],
                                             kiln_kernel_info(v->kernel)->name, line, key->bytes + 16, &own);
  free(line);
  return is_own && memcmp(&own, key, sizeof own) == 0;
}

static bool visit_record(void *user, const struct kiln_tune_key *key, const char *data, size_t size) {
  struct visit *v = user;
  struct kiln_str text = {data, size};
  struct kiln_tuned_record found = {.key = key};
  struct kiln_tune_record record;
  uint32_t map[KILN_TUNING_MAX_PARAMS];
  int64_t best[KILN_TUNING_MAX_PARAMS];
  if (!belongs(v, key, text))
    return true;
  if (!kiln_tune_record_decode(text, &record))
    found.record = &record;
  if (found.record && record.best < record.point_count && kiln_tuned_map(v->tuning, &record, map)) {
    for (uint32_t i = 0; i < v->tuning->param_count; i++)
      best[i] = record.points[record.best].values[map[i]];
    found.best = best;
  }
  bool goes_on = v->fn(v->user, &found);
  if (found.record)
    kiln_tune_record_free(&record);
  return goes_on;
}

void kiln_tuned_records(struct kiln_kernel *kernel, const struct kiln_tuned *tuned, kiln_tuned_record_fn *fn,
                        void *user) {
  static const uint8_t any_class[16];
  struct visit v = {.kernel = kernel, .tuning = kiln_tuned_description(tuned), .fn = fn, .user = user};
  struct kiln_str record = kernel->program->binary->first->sections[KILN_SECTION_KEY];
  struct kiln_cache *cache = kernel->program->ctx->cache;
  struct kiln_tune_key key;
  if (cache && record.size && kiln_tune_record_key(record, kiln_kernel_info(kernel)->name, "", any_class, &key))
    kiln_tune_visit(cache, key.bytes, 4, visit_record, &v);
}

// ---- listing and removing -------------------------------------------------------------------------------------------

struct listing {
  const struct kiln_tuning *tuning;
  const char *kernel;
  kiln_tune_record_fn *fn; // NULL: the records are removed
  void *user;
  struct kiln_tune_key *keys; // of records to be removed
  size_t key_count, key_capacity;
  bool is_stopped, failed;
};

static bool add_key(void *user, const struct kiln_tuned_record *found) {
  struct listing *l = user;
  if (l->key_count == l->key_capacity) {
    size_t capacity = l->key_capacity ? 2 * l->key_capacity : 64;
    struct kiln_tune_key *keys = realloc(l->keys, capacity * sizeof *keys);
    l->failed = !keys;
    if (!keys)
      return false;
    l->keys = keys;
    l->key_capacity = capacity;
  }
  l->keys[l->key_count++] = *found->key;
  return true;
}

static bool show_record(void *user, const struct kiln_tuned_record *found) {
  struct listing *l = user;
  const struct kiln_tune_record *record = found->record;
  struct kiln_strbuf size_class = {0};
  if (!found->best)
    return true;
  kiln_strbuf_puts(&size_class, "");
  for (uint32_t i = 0; i < record->class_count; i++)
    kiln_strbuf_printf(&size_class, "%s%s=%llu", i ? " " : "", record->class_names[i],
                       (unsigned long long)record->class_values[i]);
  struct kiln_tune_record_info info = {.kernel = l->kernel,
                                       .size_class = size_class.failed ? "" : size_class.data,
                                       .default_us = record->default_ns / 1e3,
                                       .best_us = record->best_ns / 1e3,
                                       .points = record->point_count,
                                       .device = record->device};
  info.value_count = kiln_tuned_put_point(l->tuning, found->best, info.point);
  l->is_stopped = !l->fn(l->user, &info);
  kiln_strbuf_free(&size_class);
  return !l->is_stopped;
}

static enum kiln_status each_kernel(struct kiln_program *program, const char *name, struct listing *l) {
  enum kiln_status status = KILN_OK;
  for (uint32_t i = 0; i < program->binary->reflection.kernel_count && status == KILN_OK && !l->is_stopped; i++) {
    struct kiln_kernel kernel = {.program = program, .index = i};
    struct kiln_tuned *tuned;
    l->kernel = kiln_kernel_info(&kernel)->name;
    if (name && strcmp(name, l->kernel) != 0)
      continue;
    status = kiln_tuned_of(&kernel, &tuned);
    if (status == KILN_OK) {
      l->tuning = kiln_tuned_description(tuned);
      kiln_tuned_records(&kernel, tuned, l->fn ? show_record : add_key, l);
    } else if (status == KILN_ERR_NOT_FOUND) {
      status = KILN_OK;
    }
  }
  return l->failed ? kiln_error_memory() : status;
}

static enum kiln_status each_record(struct kiln_context *ctx, const struct kiln_program_desc *desc, const char *name,
                                    struct listing *l) {
  struct kiln_program *program;
  enum kiln_status status = kiln_program_create_from(ctx, desc, &(struct kiln_origin){.is_trial = true}, &program);
  if (status != KILN_OK)
    return status;
  status = each_kernel(program, name, l);
  kiln_program_release(program);
  return status;
}

enum kiln_status kiln_tune_list(struct kiln_context *ctx, const struct kiln_program_desc *program, const char *kernel,
                                kiln_tune_record_fn *fn, void *user) {
  if (!ctx || !program || !fn)
    return kiln_error(KILN_ERR_INVALID, "kiln_tune_list: %s is NULL", !ctx ? "ctx" : !program ? "program" : "fn");
  return each_record(ctx, program, kernel, &(struct listing){.fn = fn, .user = user});
}

enum kiln_status kiln_tune_forget(struct kiln_context *ctx, const struct kiln_program_desc *program, const char *kernel,
                                  uint64_t *removed) {
  struct listing l = {.fn = NULL};
  uint64_t count = 0;
  if (!ctx || !program)
    return kiln_error(KILN_ERR_INVALID, "kiln_tune_forget: %s is NULL", ctx ? "program" : "ctx");
  enum kiln_status status = each_record(ctx, program, kernel, &l);
  for (size_t i = 0; i < l.key_count && status == KILN_OK; i++)
    count += kiln_tune_remove(ctx->cache, &l.keys[i]);
  atomic_fetch_add(&ctx->tune_generation, 1);
  free(l.keys);
  if (removed)
    *removed = count;
  return status;
}
