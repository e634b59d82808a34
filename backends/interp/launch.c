// Launches: arguments become values, groups are spread over the pool, and the work-items of a group run one after
// another, each up to the next barrier.
#include "backends/interp/interp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/pixel.h"

#define PROCESS_BEGIN 4096 // where memory of the process may be
#define PROCESS_END (UINT64_C(1) << 47)

// ---- preparing

// Writes the value of a parameter from its bytes.
static void decode(uint64_t *words, kiln_type type, const void *data) {
  unsigned size = kiln_kind_bits(kiln_type_kind(type)) / 8;
  words[0] = 0;
  for (unsigned i = 0; i < kiln_type_lanes(type); i++) {
    words[i + 1] = 0;
    memcpy(&words[i + 1], (const unsigned char *)data + (size_t)i * size, size);
  }
}

static enum kiln_status prepare_arg(struct kiln_drv_launch *launch, uint32_t index, const struct kiln_drv_arg *arg,
                                    uint64_t *words, uint64_t *byval_end, struct kiln_report *report) {
  const struct kiln_param *param = &launch->function->fn->params[index];
  struct interp_object *object = &launch->args[index];
  bool pointer = kiln_type_kind(param->type) == KILN_PTR, is_image = kiln_type_kind(param->type) == KILN_IMAGE;
  uint64_t number = interp_object_word(object->space, INTERP_ARGUMENT + index);
  uint64_t needed = param->byval_bytes ? param->byval_bytes : kiln_type_bytes(param->type);
  switch (arg->kind) {
  case KILN_ARG_VALUE:
    if (is_image || (pointer && !param->byval_bytes) || arg->size < needed)
      break;
    if (!param->byval_bytes) {
      decode(words, param->type, arg->data);
      return KILN_OK;
    }
    memcpy(launch->byval + *byval_end, arg->data, param->byval_bytes);
    object->base = (uintptr_t)launch->byval + *byval_end;
    object->size = param->byval_bytes;
    *byval_end += (param->byval_bytes + INTERP_ALIGN - 1) / INTERP_ALIGN * INTERP_ALIGN + INTERP_ALIGN;
    interp_set_pointer(words, object->base, object->base, object->size, number);
    return KILN_OK;
  case KILN_ARG_BUFFER:
    if ((!pointer && !is_image) || object->space == KILN_LOCAL)
      break;
    if (arg->memory && arg->offset <= arg->memory->size) {
      object->base = (uintptr_t)arg->memory->data + arg->offset;
      object->size = arg->memory->size - arg->offset;
    } else if (arg->data) {
      object->base = PROCESS_BEGIN;
      object->size = PROCESS_END - PROCESS_BEGIN;
      object->is_process = true;
      interp_set_pointer(words, (uintptr_t)arg->data, object->base, object->size, number);
      return KILN_OK;
    }
    if (is_image) {
      words[1] = index;
      return KILN_OK;
    }
    interp_set_pointer(words, object->base, object->base, object->size, number);
    return KILN_OK;
  case KILN_ARG_LOCAL:
    if (!pointer || object->space != KILN_LOCAL)
      break;
    object->base = launch->local_bytes;
    object->size = arg->size;
    launch->local_bytes += (arg->size + INTERP_ALIGN - 1) / INTERP_ALIGN * INTERP_ALIGN + INTERP_ALIGN;
    interp_set_pointer(words, object->base, object->base, object->size, number);
    return KILN_OK;
  case KILN_ARG_IMAGE: // drivers get buffers and values in their place
  case KILN_ARG_SAMPLER:
    break;
  }
  return kiln_fail(report, KILN_ERR_INVALID, "kernel '%s': argument %u ('%s') is of the wrong kind or size",
                   launch->kernel->name, index, param->name);
}

// How many work-items a group may have: those that meet at barriers keep their private memory, each thread once.
static uint64_t most_items(const struct interp_function *fn) {
  return fn->has_barrier && fn->total_private ? INTERP_MAX_PRIVATE / fn->total_private : UINT64_MAX;
}

static enum kiln_status prepare_sizes(struct kiln_drv_launch *launch, const struct kiln_drv_launch_desc *desc,
                                      struct kiln_report *report) {
  launch->work_dim = desc->work_dim;
  launch->noalias = desc->noalias;
  memcpy(launch->global, desc->global, sizeof launch->global);
  memcpy(launch->local, desc->local, sizeof launch->local);
  memcpy(launch->offset, desc->offset, sizeof launch->offset);
  if (desc->local_free)
    kiln_host_choose_local(launch->global, most_items(launch->function) < 64 ? 1 : 64, launch->local);
  uint64_t items = 1, groups = 1;
  for (int d = 0; d < 3; d++) {
    if (!launch->local[d] || launch->local[d] > INTERP_MAX_GROUP || (items *= launch->local[d]) > INTERP_MAX_GROUP)
      return kiln_fail(report, KILN_ERR_INVALID,
                       "kernel '%s': a work-group of %llu x %llu x %llu work-items; at most %u are possible",
                       launch->kernel->name, (unsigned long long)launch->local[0], (unsigned long long)launch->local[1],
                       (unsigned long long)launch->local[2], INTERP_MAX_GROUP);
    launch->groups[d] = launch->global[d] / launch->local[d] + (launch->global[d] % launch->local[d] != 0);
    if (__builtin_mul_overflow(groups, launch->groups[d], &groups))
      return kiln_fail(report, KILN_ERR_INVALID, "kernel '%s': too many work-groups", launch->kernel->name);
  }
  return KILN_OK;
}

static enum kiln_status check_private(const struct kiln_drv_launch *launch, struct kiln_report *report) {
  uint64_t items = launch->local[0] * launch->local[1] * launch->local[2];
  uint64_t bytes = launch->function->total_private, most = most_items(launch->function);
  if (items <= most)
    return KILN_OK;
  return kiln_fail(report, KILN_ERR_INVALID,
                   "kernel '%s' has %llu bytes of private memory for each of %llu work-items that meet at barriers, "
                   "%.1f MiB together; at most %u MiB are possible, which is enough for %llu",
                   launch->kernel->name, (unsigned long long)bytes, (unsigned long long)items,
                   (double)bytes * (double)items / 1048576.0, INTERP_MAX_PRIVATE >> 20, (unsigned long long)most);
}

// What follows the arguments: a record for each image, in their order.
static enum kiln_status prepare_images(struct kiln_drv_launch *launch, const struct kiln_drv_launch_desc *desc,
                                       struct kiln_report *report) {
  const struct kiln_function *fn = launch->function->fn;
  uint32_t next = fn->param_count;
  for (uint32_t i = 0; i < fn->param_count && next < desc->arg_count; i++) {
    if (kiln_type_kind(fn->params[i].type) != KILN_IMAGE)
      continue;
    const struct kiln_drv_arg *arg = &desc->args[next++];
    struct kiln_image_format format;
    if (arg->kind == KILN_ARG_VALUE && arg->size == sizeof *launch->images)
      memcpy(&launch->images[i], arg->data, sizeof *launch->images);
    if (!kiln_pixel_format_of(launch->images[i].order, launch->images[i].type & ~KILN_IMAGE_IS_SMALL, &format))
      return kiln_fail(report, KILN_ERR_INVALID, "kernel '%s': argument %u ('%s') has no record of an image",
                       launch->kernel->name, i, fn->params[i].name);
  }
  return KILN_OK;
}

static uint32_t image_count(const struct kiln_function *fn) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < fn->param_count; i++)
    count += kiln_type_kind(fn->params[i].type) == KILN_IMAGE;
  return count;
}

static enum kiln_status prepare_args(struct kiln_drv_launch *launch, const struct kiln_drv_launch_desc *desc,
                                     struct kiln_report *report) {
  const struct kiln_function *fn = launch->function->fn;
  uint32_t images = image_count(fn);
  if (desc->arg_count != fn->param_count + images)
    return kiln_fail(report, KILN_ERR_INVALID, "kernel '%s' takes %u arguments, not %u", fn->name,
                     fn->param_count + images, desc->arg_count);
  uint64_t words = 0, byval = 0;
  for (uint32_t i = 0; i < fn->param_count; i++) {
    words += interp_words(fn->params[i].type);
    byval += fn->params[i].byval_bytes ? fn->params[i].byval_bytes + 2 * INTERP_ALIGN : 0;
  }
  launch->arg_count = fn->param_count;
  launch->args = calloc(fn->param_count + 1, sizeof *launch->args);
  launch->params = calloc(words + 1, sizeof *launch->params);
  if (posix_memalign((void **)&launch->byval, INTERP_ALIGN, byval + INTERP_ALIGN))
    launch->byval = NULL;
  if (images)
    launch->images = calloc(fn->param_count, sizeof *launch->images);
  if (!launch->args || !launch->params || !launch->byval || (images && !launch->images))
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a launch");
  uint64_t *at = launch->params, byval_end = 0;
  for (uint32_t i = 0; i < fn->param_count; i++) {
    bool is_image = kiln_type_kind(fn->params[i].type) == KILN_IMAGE;
    launch->args[i] = (struct interp_object){fn->params[i].name, OBJECT_ARGUMENT,
                                             is_image ? KILN_GLOBAL : kiln_type_space(fn->params[i].type)};
    enum kiln_status status = prepare_arg(launch, i, &desc->args[i], at, &byval_end, report);
    if (status)
      return status;
    at += interp_words(fn->params[i].type);
  }
  return images ? prepare_images(launch, desc, report) : KILN_OK;
}

enum kiln_status kiln_interp_prepare(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc,
                                     struct kiln_drv_launch **out, struct kiln_report *report) {
  struct kiln_drv_launch *launch = calloc(1, sizeof *launch);
  if (!launch)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a launch");
  kiln_host_launch_init(&launch->host, (struct kiln_host_drv *)drv, false);
  launch->kernel = desc->kernel;
  launch->function = &desc->kernel->module->functions[desc->kernel->function];
  launch->local_bytes = desc->kernel->module->local_bytes;
  enum kiln_status status = prepare_sizes(launch, desc, report);
  if (!status)
    status = check_private(launch, report);
  if (!status)
    status = prepare_args(launch, desc, report);
  if (status) {
    kiln_interp_launch_free(&launch->host);
    return status;
  }
  *out = launch;
  return KILN_OK;
}

void kiln_interp_launch_free(struct kiln_host_launch *host) {
  struct kiln_drv_launch *launch = (struct kiln_drv_launch *)host;
  free(launch->args);
  free(launch->params);
  free(launch->images);
  free(launch->byval);
  free(launch);
}

// ---- running

struct run {
  const struct kiln_drv_launch *launch;
  const struct kiln_host_stop *stop;
  struct interp_races races;
  struct interp_worker **workers; // by number; made when first needed
  pthread_mutex_t lock;
  uint64_t failed; // atomic: lowest group that failed so far; those above need not run
  enum kiln_status status;
  char *message;
  size_t message_size;
};

static uint64_t item_bytes(const struct interp_function *fn) {
  uint64_t words = fn->total_words + INTERP_PADDING_WORDS;
  uint64_t bytes = fn->total_depth * sizeof(struct interp_frame) + words * 8;
  return (bytes + INTERP_ALIGN - 1) / INTERP_ALIGN * INTERP_ALIGN + 2 * (fn->total_private + INTERP_ALIGN);
}

static void worker_free(struct interp_worker *worker) {
  if (!worker)
    return;
  free(worker->items);
  free(worker->local_records);
  free(worker->block);
  free(worker);
}

// One block of memory for everything that a thread needs.
static struct interp_worker *worker_new(const struct kiln_drv_launch *launch, struct interp_races *races,
                                        const struct kiln_host_stop *stop) {
  const struct interp_function *fn = launch->function;
  uint32_t count = fn->has_barrier ? (uint32_t)(launch->local[0] * launch->local[1] * launch->local[2]) : 1;
  uint64_t per_item = item_bytes(fn), local = launch->local_bytes + INTERP_ALIGN;
  uint64_t temp = (launch->kernel->module->temp_words * 8ull + INTERP_ALIGN) / INTERP_ALIGN * INTERP_ALIGN;
  uint64_t items_bytes, total;
  struct interp_worker *worker = calloc(1, sizeof *worker);
  if (!worker || __builtin_mul_overflow(per_item, (uint64_t)count, &items_bytes) ||
      __builtin_add_overflow(items_bytes, 2 * local + temp, &total) || total > kiln_host_memory_bytes() ||
      posix_memalign(&worker->block, INTERP_ALIGN, total) || !(worker->items = calloc(count, sizeof *worker->items)) ||
      !(worker->local_records = calloc(1, kiln_interp_races_local_bytes(launch) + 1))) {
    worker_free(worker);
    return NULL;
  }
  worker->races = races->on ? races : NULL;
  worker->stop = stop;
  worker->launch = launch;
  uint32_t warp_size = launch->host.drv->config.target.warp_size; // of other backends' targets, too
  worker->warp_size = warp_size < 1 ? 1 : warp_size > KILN_MAX_WARP_SIZE ? KILN_MAX_WARP_SIZE : warp_size;
  worker->module = launch->kernel->module;
  worker->consts = worker->module->consts;
  worker->item_count = count;
  unsigned char *at = worker->block;
  worker->local_data = at;
  worker->local_undefined = at + local;
  worker->temp = (uint64_t *)(at + 2 * local);
  at += 2 * local + temp;
  for (uint32_t i = 0; i < count; i++) {
    struct interp_item *item = &worker->items[i];
    item->private_data = at;
    item->private_undefined = at + fn->total_private + INTERP_ALIGN;
    item->words = (uint64_t *)(at + 2 * (fn->total_private + INTERP_ALIGN));
    item->frames = (struct interp_frame *)(item->words + fn->total_words + INTERP_PADDING_WORDS);
    at += per_item;
  }
  return worker;
}

// All wait, or have ended.
static bool pass_barrier(struct interp_worker *worker, uint32_t count) {
  if (!kiln_interp_check_barrier(worker, count))
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (!worker->items[i].done && worker->items[i].barrier->code == CODE_CROSS)
      return kiln_interp_cross_group(worker, &worker->items[i], count);
  for (uint32_t i = 0; i < count; i++) {
    worker->items[i].barrier = NULL;
    for (uint32_t depth = 0; depth < worker->items[i].depth; depth++)
      worker->items[i].frames[depth].bypassed = worker->items[i].frames[depth].ever = 0;
  }
  return true;
}

static void local_id_of(const struct interp_worker *worker, uint64_t index, uint64_t id[3]) {
  id[0] = index % worker->local_size[0];
  id[1] = index / worker->local_size[0] % worker->local_size[1];
  id[2] = index / worker->local_size[0] / worker->local_size[1];
}

// Runs a work-item up to the next barrier. False: the group ends. When a value that was never initialised decides
// something, the others still run up to the barrier: if a race is the cause, that is what is told.
static bool run_item(struct interp_worker *worker, struct interp_item *item) {
  worker->fault = INTERP_FAULT_PLAIN;
  if (kiln_interp_item_run(worker, item) != STOP_FAILED)
    return true;
  if (worker->fault == INTERP_FAULT_UNDEFINED && worker->races) {
    if (!*worker->held)
      memcpy(worker->held, worker->message, sizeof worker->held);
    worker->status = KILN_OK;
    item->done = true;
    return true;
  }
  if (*worker->held && worker->fault == INTERP_FAULT_PLAIN && worker->status == KILN_ERR_DEVICE)
    memcpy(worker->message, worker->held, sizeof worker->held);
  return false;
}

// All have run up to the barrier.
static bool tell_held(struct interp_worker *worker) {
  if (!*worker->held)
    return true;
  memcpy(worker->message, worker->held, sizeof worker->held);
  worker->status = KILN_ERR_DEVICE;
  return false;
}

static bool run_without_barriers(struct interp_worker *worker, uint32_t count) {
  uint64_t id[3];
  for (uint32_t i = 0; i < count; i++) {
    local_id_of(worker, i, id);
    kiln_interp_item_start(worker, &worker->items[0], id);
    if (!run_item(worker, &worker->items[0]))
      return false;
  }
  return tell_held(worker);
}

static bool run_group(struct interp_worker *worker) {
  uint32_t count = (uint32_t)(worker->local_size[0] * worker->local_size[1] * worker->local_size[2]);
  uint64_t id[3];
  memset(worker->local_undefined, 0xff, worker->launch->local_bytes);
  worker->barriers = 0;
  *worker->held = 0;
  if (!worker->launch->function->has_barrier)
    return run_without_barriers(worker, count);
  for (uint32_t i = 0; i < count; i++) {
    local_id_of(worker, i, id);
    kiln_interp_item_start(worker, &worker->items[i], id);
  }
  for (;;) {
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < count; i++) {
      struct interp_item *item = &worker->items[i];
      if (!item->done && !item->barrier && !run_item(worker, item))
        return false;
      waiting += !item->done;
    }
    bool progress;
    if (!tell_held(worker) || !kiln_interp_cross_sub_groups(worker, count, &progress))
      return false;
    if (progress)
      continue;
    if (!waiting)
      return true;
    if (!pass_barrier(worker, count))
      return false;
    worker->barriers++;
  }
}

static void note_failure(struct run *run, uint64_t group, enum kiln_status status, const char *message) {
  pthread_mutex_lock(&run->lock);
  if (group < __atomic_load_n(&run->failed, __ATOMIC_RELAXED)) {
    __atomic_store_n(&run->failed, group, __ATOMIC_RELAXED);
    run->status = status;
    snprintf(run->message, run->message_size, "%s", message);
  }
  pthread_mutex_unlock(&run->lock);
}

static void run_groups(void *user, uint32_t number, uint64_t first, uint64_t end) {
  struct run *run = user;
  const struct kiln_drv_launch *launch = run->launch;
  if (!run->workers[number])
    run->workers[number] = worker_new(launch, &run->races, run->stop);
  struct interp_worker *worker = run->workers[number];
  if (!worker) {
    char message[200];
    snprintf(message, sizeof message, "kernel '%s': out of memory for the work-items of a group", launch->kernel->name);
    note_failure(run, first, KILN_ERR_MEMORY, message);
    return;
  }
  for (uint64_t group = first; group < end && group < __atomic_load_n(&run->failed, __ATOMIC_RELAXED); group++) {
    worker->group[0] = group % launch->groups[0];
    worker->group[1] = group / launch->groups[0] % launch->groups[1];
    worker->group[2] = group / launch->groups[0] / launch->groups[1];
    for (int d = 0; d < 3; d++) {
      uint64_t left = launch->global[d] - worker->group[d] * launch->local[d];
      worker->local_size[d] = left < launch->local[d] ? left : launch->local[d];
    }
    worker->status = KILN_OK;
    worker->later_group = UINT64_MAX;
    if (kiln_interp_stops(worker) || !run_group(worker))
      note_failure(run, group, worker->status, worker->message);
    if (worker->later_group != UINT64_MAX)
      note_failure(run, worker->later_group, KILN_ERR_DEVICE, worker->later_message);
  }
}

enum kiln_status kiln_interp_run(struct kiln_host_launch *host, struct kiln_pool *pool,
                                 const struct kiln_host_stop *stop, char *message, size_t message_size) {
  const struct kiln_drv_launch *launch = (const struct kiln_drv_launch *)host;
  uint64_t groups = launch->groups[0] * launch->groups[1] * launch->groups[2];
  if (!groups)
    return KILN_OK;
  struct run run = {
      .launch = launch, .stop = stop, .failed = UINT64_MAX, .message = message, .message_size = message_size};
  run.workers = calloc(kiln_pool_size(pool), sizeof *run.workers);
  if (!run.workers || !kiln_interp_races_begin(launch, groups > 1 && kiln_pool_size(pool) > 1, &run.races)) {
    free(run.workers);
    snprintf(message, message_size, "kernel '%s': out of memory", launch->kernel->name);
    return KILN_ERR_MEMORY;
  }
  pthread_mutex_init(&run.lock, NULL);
  kiln_pool_run(pool, groups, 1, run_groups, &run);
  pthread_mutex_destroy(&run.lock);
  for (uint32_t i = 0; i < kiln_pool_size(pool); i++)
    worker_free(run.workers[i]);
  free(run.workers);
  kiln_interp_races_end(&run.races);
  return run.status;
}
