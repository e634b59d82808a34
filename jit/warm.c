// Warming: replays recorded requests for chosen targets, in parallel, into the cache and, if wanted, into a bundle.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/floats.h"
#include "base/pool.h"
#include "cache/bundle.h"
#include "jit/device_code.h"
#include "jit/program.h"
#include "jit/record.h"
#include "jit/tuned.h"

struct warm_target {
  const char *backend, *arch;
  struct kiln_context *ctx;
  enum kiln_status status; // of opening the context
  char *problem;           // why it could not be opened
};

struct warm_job {
  const struct kiln_recorded *program;
  uint32_t target;
};

struct warm {
  const struct kiln_warm_desc *desc;
  struct kiln_warm_result *result;
  struct kiln_recorded_list list;
  struct warm_target *targets;
  uint32_t target_count, target_capacity;
  struct warm_job *jobs;
  uint32_t job_count;
  pthread_mutex_t lock;
  bool stop;
  uint64_t done;
  bool exports;
  struct kiln_bundle_builder bundle;
};

// ---- targets -------------------------------------------------------------------------------------------------------

static enum kiln_status open_target(const struct warm *w, struct warm_target *target) {
  const struct kiln_warm_desc *desc = w->desc;
  struct kiln_context_desc context = {.backend = target->backend,
                                      .arch = target->arch,
                                      .cache_dir = desc->cache_dir,
                                      .cache_mode = desc->cache_mode,
                                      .log = desc->log,
                                      .log_user = desc->log_user};
  enum kiln_status status = kiln_context_open(&context, &target->ctx);
  if (status == KILN_OK)
    kiln_record_close(target->ctx); // warming is not what a run asks for
  return status;
}

// The index of a target. One that cannot be opened fails its jobs, unless the caller named it.
static enum kiln_status add_target(struct warm *w, const char *backend, const char *arch, bool named, uint32_t *out) {
  backend = backend ? backend : "";
  arch = arch ? arch : "";
  for (*out = 0; *out < w->target_count; ++*out) {
    if (strcmp(w->targets[*out].backend, backend) == 0 && strcmp(w->targets[*out].arch, arch) == 0)
      return KILN_OK;
  }
  if (w->target_count == w->target_capacity) {
    uint32_t capacity = w->target_capacity ? w->target_capacity * 2 : 8;
    struct warm_target *targets = realloc(w->targets, capacity * sizeof *targets);
    if (!targets)
      return kiln_error_memory();
    w->targets = targets;
    w->target_capacity = capacity;
  }
  struct warm_target *target = &w->targets[w->target_count++];
  *target = (struct warm_target){.backend = backend, .arch = arch};
  target->status = open_target(w, target);
  if (target->status != KILN_OK && !named) {
    target->problem = strdup(kiln_last_error());
    return KILN_OK;
  }
  return target->status;
}

// ---- jobs ----------------------------------------------------------------------------------------------------------

static enum kiln_status read_manifests(struct warm *w) {
  const struct kiln_warm_desc *desc = w->desc;
  enum kiln_status status = KILN_OK;
  for (uint32_t i = 0; i < desc->manifest_count && status == KILN_OK; i++) {
    char *text;
    size_t size;
    int error = kiln_file_read(desc->manifests[i], &text, &size);
    if (error)
      return kiln_error(kiln_errno_status(error), "cannot read manifest '%s': %s", desc->manifests[i],
                        strerrordesc_np(error));
    status = kiln_manifest_read(desc->manifests[i], text, size, &w->list);
    free(text);
  }
  if (status == KILN_OK && desc->text)
    status =
        kiln_manifest_read("<manifest>", desc->text, desc->text_size ? desc->text_size : strlen(desc->text), &w->list);
  return status;
}

// Whether an earlier record asks for the same, but was recorded for another target.
static bool differs_in_target_alone(const struct kiln_recorded *a, const struct kiln_recorded *b) {
  return a->size == b->size && a->include_count == b->include_count && a->header_count == b->header_count &&
         strcmp(a->name, b->name) == 0 && strcmp(a->options, b->options) == 0 &&
         memcmp(a->source, b->source, a->size) == 0;
}

static enum kiln_status make_jobs(struct warm *w) {
  const struct kiln_warm_desc *desc = w->desc;
  uint32_t per_program = desc->target_count ? desc->target_count : 1;
  w->jobs = calloc((size_t)w->list.count * per_program + 1, sizeof *w->jobs);
  if (!w->jobs)
    return kiln_error_memory();
  enum kiln_status status = KILN_OK;
  for (uint32_t i = 0; i < w->list.count && status == KILN_OK; i++) {
    const struct kiln_recorded *program = &w->list.items[i];
    w->result->programs += i == 0 || !differs_in_target_alone(program - 1, program);
    for (uint32_t k = 0; k < per_program && status == KILN_OK; k++) {
      const char *backend = desc->target_count ? desc->targets[k].backend : NULL;
      const char *arch = desc->target_count ? desc->targets[k].arch : NULL;
      bool named = (backend && *backend) || (arch && *arch);
      if (!backend || !*backend)
        backend = program->backend;
      if ((!arch || !*arch) && strcmp(backend, program->backend) == 0)
        arch = program->arch;
      uint32_t target;
      status = add_target(w, backend, arch, named, &target);
      w->jobs[w->job_count++] = (struct warm_job){program, target};
    }
  }
  w->result->jobs = w->job_count;
  return status;
}

// A variant was recorded with one kernel alone, by a backend that can leave the others out. Where the target's cannot,
// its runs ask for all of them. *out: to be freed; NULL: the options are as they were recorded.
static enum kiln_status options_for(const struct kiln_base_backend *backend, const char *recorded, char **out) {
  static const char word[] = " --kiln-kernel=";
  const char *at = strstr(recorded, word);
  *out = NULL;
  if (!at || kiln_options_has(backend, "kernel"))
    return KILN_OK;
  *out = strdup(recorded);
  if (!*out)
    return kiln_error_memory();
  const char *rest = at + strlen(word) + strcspn(at + strlen(word), " ");
  memmove(*out + (at - recorded), rest, strlen(rest) + 1);
  return KILN_OK;
}

// Creates the program, or, with lookup, only makes its request.
static enum kiln_status create(struct warm *w, const struct warm_job *job, struct kiln_program **out,
                               struct kiln_lookup *lookup) {
  const struct kiln_recorded *r = job->program, *recorded = r->open ? NULL : r;
  struct kiln_context *ctx = w->targets[job->target].ctx;
  struct kiln_program_desc desc;
  enum kiln_status status = kiln_recorded_desc(r, &desc);
  if (status != KILN_OK)
    return status;
  char *options;
  status = options_for(ctx->backend, r->options, &options);
  desc.options = options ? options : desc.options;
  if (status == KILN_OK)
    status = lookup ? kiln_program_request(ctx, &desc, recorded, lookup)
                    : kiln_program_create_from(ctx, &desc, &(struct kiln_origin){.recorded = recorded}, out);
  free((void *)(uintptr_t)desc.headers);
  free(options);
  return status;
}

// What a job makes: the program that was recorded, with what its launches may want.
struct made {
  struct kiln_program **programs; // of the first one, which keeps the others
  uint32_t program_count;
  struct kiln_tune_key *records;
  uint32_t record_count;
  enum kiln_status status;
};

static void *grow(void *items, uint32_t count, size_t size) {
  if (count < 4 || (count & (count - 1)) != 0) // at powers of two
    return count ? items : malloc(4 * size);
  return realloc(items, 2 * count * size);
}

static void add_program(struct made *made, struct kiln_program *program) {
  for (uint32_t i = 0; i < made->program_count; i++)
    if (made->programs[i] == program)
      return;
  struct kiln_program **programs = grow(made->programs, made->program_count, sizeof(*programs));
  if (!programs) {
    made->status = kiln_error_memory();
    return;
  }
  made->programs = programs;
  made->programs[made->program_count++] = program;
}

// A program, and its code for launches and formats that it has none for.
static void add_with_variants(struct made *made, struct kiln_program *program) {
  struct kiln_program *others[2] = {NULL, NULL};
  add_program(made, program);
  if (made->status == KILN_OK)
    made->status = kiln_program_shipped_variant(program, &others[0]);
  if (made->status == KILN_OK)
    made->status = kiln_program_any_format(program, &others[1]);
  for (int i = 0; i < 2 && made->status == KILN_OK; i++)
    if (others[i])
      add_program(made, others[i]);
}

struct winners {
  struct made *made;
  struct kiln_kernel *kernel;
  struct kiln_tuned *tuned;
};

// A record, and the program of its best point.
static bool add_winner(void *user, const struct kiln_tuned_record *found) {
  struct winners *w = user;
  struct made *made = w->made;
  struct kiln_program *program;
  struct kiln_tune_key *records = grow(made->records, made->record_count, sizeof(*records));
  if (!records) {
    made->status = kiln_error_memory();
    return false;
  }
  made->records = records;
  made->records[made->record_count++] = *found->key;
  if (!found->best || !kiln_search_has_values(kiln_tuned_description(w->tuned), found->best))
    return true; // launches do not take it
  made->status = kiln_tuned_compile(w->kernel, w->tuned, found->best, false, &program);
  if (made->status == KILN_OK)
    add_with_variants(made, program);
  return made->status == KILN_OK;
}

static void add_winners(struct made *made, struct kiln_program *program) {
  for (uint32_t i = 0; i < program->binary->reflection.kernel_count && made->status == KILN_OK; i++) {
    struct kiln_kernel kernel = {.program = program, .index = i};
    struct winners winners = {.made = made, .kernel = &kernel};
    made->status = kiln_tuned_of(&kernel, &winners.tuned);
    if (made->status == KILN_OK)
      kiln_tuned_records(&kernel, winners.tuned, add_winner, &winners);
    else if (made->status == KILN_ERR_NOT_FOUND) // nothing is tuned of it
      made->status = KILN_OK;
  }
}

static bool were_found(const struct made *made) {
  for (uint32_t i = 0; i < made->program_count; i++)
    if (made->programs[i]->outcome != KILN_CACHE_HIT_MEMORY && made->programs[i]->outcome != KILN_CACHE_HIT_DISK)
      return false;
  return true;
}

static void make_all(struct made *made, struct kiln_program *program) {
  add_with_variants(made, program);
  if (made->status == KILN_OK)
    add_winners(made, program);
  for (uint32_t i = 0; i < made->program_count && made->status == KILN_OK; i++)
    kiln_device_code_by_tool(made->programs[i]);
}

// The lock is held.
static void add_to_bundle(struct warm *w, struct kiln_cache *cache, const struct made *made) {
  for (uint32_t i = 0; i < made->program_count; i++)
    (void)kiln_cache_bundle_add(cache, &w->bundle, kiln_binary_shipped(made->programs[i]->binary));
  for (uint32_t i = 0; i < made->record_count; i++)
    (void)kiln_tune_bundle_add(cache, &w->bundle, &made->records[i]);
}

static void run_job(struct warm *w, const struct warm_job *job) {
  const struct warm_target *target = &w->targets[job->target];
  struct kiln_program *program = NULL;
  uint64_t start = kiln_now_ns();
  struct made made = {.status = target->ctx ? create(w, job, &program, NULL) : target->status};
  if (made.status == KILN_OK)
    make_all(&made, program);
  struct kiln_warm_event event = {.total = w->job_count,
                                  .program = job->program->name,
                                  .backend = target->ctx ? target->ctx->target.backend : target->backend,
                                  .arch = target->ctx ? target->ctx->target.arch : target->arch,
                                  .message = "",
                                  .ms = (double)(kiln_now_ns() - start) / 1e6};
  if (made.status != KILN_OK) {
    event.outcome = KILN_WARM_FAILED;
    event.message = target->ctx ? kiln_last_error() : target->problem ? target->problem : "";
  } else {
    event.outcome = were_found(&made) ? KILN_WARM_CACHED : KILN_WARM_COMPILED;
  }
  pthread_mutex_lock(&w->lock);
  if (program && w->exports)
    add_to_bundle(w, target->ctx->cache, &made);
  w->result->compiled += event.outcome == KILN_WARM_COMPILED;
  w->result->cached += event.outcome == KILN_WARM_CACHED;
  w->result->failed += event.outcome == KILN_WARM_FAILED;
  event.done = ++w->done;
  if (w->desc->event && !w->stop && !w->desc->event(w->desc->event_user, &event))
    w->stop = true;
  pthread_mutex_unlock(&w->lock);
  kiln_program_release(program);
  free(made.programs);
  free(made.records);
}

static void run_jobs(void *user, uint32_t worker, uint64_t first, uint64_t end) {
  struct warm *w = user;
  (void)worker;
  for (uint64_t i = first; i < end; i++) {
    pthread_mutex_lock(&w->lock);
    bool stop = w->stop;
    pthread_mutex_unlock(&w->lock);
    if (stop)
      return;
    run_job(w, &w->jobs[i]);
  }
}

// What servers have is fetched in few exchanges, before anything is compiled. What fails here fails again in its job.
static void fetch_ahead(struct warm *w, uint32_t target) {
  enum { TOGETHER = 64 };
  struct kiln_context *ctx = w->targets[target].ctx;
  struct kiln_lookup *lookups = ctx && kiln_cache_has_remotes(ctx->cache) ? calloc(TOGETHER, sizeof *lookups) : NULL;
  const struct kiln_cache_request *requests[TOGETHER];
  for (uint32_t i = 0, count = 0; i < w->job_count && lookups && !w->stop; i++) {
    const struct warm_job *job = &w->jobs[i];
    if (job->target == target && create(w, job, NULL, &lookups[count]) == KILN_OK) {
      requests[count] = &lookups[count].request.request;
      count++;
    }
    if (count == TOGETHER || i + 1 == w->job_count) {
      kiln_cache_prefetch(ctx->cache, requests, count);
      while (count != 0)
        kiln_lookup_free(&lookups[--count]);
    }
  }
  free(lookups);
}

// ---- the bundle ----------------------------------------------------------------------------------------------------

static enum kiln_status finish_bundle(struct warm *w) {
  const struct kiln_warm_desc *desc = w->desc;
  char *data;
  size_t size;
  int error = kiln_bundle_finish(&w->bundle, &data, &size);
  if (error)
    return error == ENOMEM ? kiln_error_memory() : kiln_error(KILN_ERR_IO, "the bundle cannot be made");
  error = desc->export_path ? kiln_file_write(desc->export_path, data, size) : 0;
  if (error || !desc->export_memory)
    free(data);
  if (error)
    return kiln_error(KILN_ERR_IO, "cannot write bundle '%s': %s", desc->export_path, strerrordesc_np(error));
  if (desc->export_memory) {
    w->result->bundle = data;
    w->result->bundle_size = size;
  }
  return KILN_OK;
}

// ---- the call ------------------------------------------------------------------------------------------------------

// Without a cache to write to and without a bundle all would be for nothing.
static enum kiln_status check_use(const struct warm *w) {
  for (uint32_t i = 0; i < w->target_count && !w->exports; i++) {
    struct kiln_context *ctx = w->targets[i].ctx;
    if (ctx && (ctx->cache_off || !kiln_cache_folder(ctx->cache)))
      return kiln_error(KILN_ERR_INVALID, "there is no cache to warm: the cache is off or has no folder; switch it on "
                                          "or export a bundle");
  }
  return KILN_OK;
}

static void free_warm(struct warm *w) {
  for (uint32_t i = 0; i < w->target_count; i++) {
    if (w->targets[i].ctx)
      kiln_cache_flush(w->targets[i].ctx->cache); // what was warmed is there after a power failure
    kiln_context_close(w->targets[i].ctx);
    free(w->targets[i].problem);
  }
  free(w->targets);
  free(w->jobs);
  kiln_recorded_list_free(&w->list);
  kiln_bundle_builder_free(&w->bundle);
  pthread_mutex_destroy(&w->lock);
}

enum kiln_status kiln_warm(const struct kiln_warm_desc *desc, struct kiln_warm_result *result) {
  if (!desc || !result)
    return kiln_error(KILN_ERR_INVALID, "kiln_warm: %s is NULL", desc ? "result" : "desc");
  if ((desc->manifest_count && !desc->manifests) || (desc->target_count && !desc->targets))
    return kiln_error(KILN_ERR_INVALID, "kiln_warm: %s is NULL",
                      desc->manifest_count && !desc->manifests ? "manifests" : "targets");
  if (!desc->manifest_count && !desc->text)
    return kiln_error(KILN_ERR_INVALID, "kiln_warm: there is no manifest");
  memset(result, 0, sizeof *result);
  struct kiln_floats floats = kiln_floats_enter();
  struct warm w = {.desc = desc, .result = result, .bundle = {.fd = -1}};
  w.exports = desc->export_path || desc->export_memory;
  pthread_mutex_init(&w.lock, NULL);
  enum kiln_status status = read_manifests(&w);
  result->damaged = w.list.damaged;
  if (status == KILN_OK)
    status = make_jobs(&w);
  if (status == KILN_OK)
    status = check_use(&w);
  if (status == KILN_OK) {
    for (uint32_t i = 0; i < w.target_count; i++)
      fetch_ahead(&w, i);
    struct kiln_pool *pool = kiln_pool_new(desc->num_threads, NULL);
    if (pool)
      kiln_pool_run(pool, w.job_count, 1, run_jobs, &w);
    else
      status = kiln_error_memory();
    if (pool)
      kiln_pool_free(pool);
  }
  if (status == KILN_OK && w.exports)
    status = finish_bundle(&w);
  free_warm(&w);
  kiln_floats_leave(floats);
  return status;
}
