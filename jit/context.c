// Contexts: opening, the lazily opened driver, logging.
#include "jit/context.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "base/floats.h"
#include "base/pool.h"
#include "base/write.h"
#include "jit/log.h"
#include "jit/native.h"
#include "jit/record.h"
#include "jit/store.h"
#include "jit/target.h"
#include "jit/trace.h"

#define MAX_THREADS 4096

// ---- logging and printing ------------------------------------------------------------------------------------------

static void print_to_stdout(void *user, const char *text, size_t size) {
  struct kiln_held_signals held;
  (void)user;
  flockfile(stdout);
  // Only what does not fit into the buffer is written now. Holding signals for every text would take most of the time.
  bool writes = __flbf(stdout) || __fpending(stdout) + size >= __fbufsize(stdout);
  if (writes)
    kiln_signals_hold(&held);
  (void)!fwrite(text, 1, size, stdout);
  if (writes)
    kiln_signals_release(&held);
  funlockfile(stdout);
}

static void log_nothing(void *user, enum kiln_log_level level, const char *message) {
  (void)user;
  (void)level;
  (void)message;
}

struct kiln_report kiln_context_report(const struct kiln_context *ctx) {
  return (struct kiln_report){.log = ctx->log,
                              .log_user = ctx->log_user,
                              .log_level = ctx->log_level,
                              .at = ctx->at,
                              .at_user = ctx->at_user,
                              .env = &ctx->env};
}

void kiln_context_log(const struct kiln_context *ctx, enum kiln_log_level level, const char *format, ...) {
  struct kiln_report report = kiln_context_report(ctx);
  va_list args;
  va_start(args, format);
  kiln_report_log_v(&report, level, format, args);
  va_end(args);
}

// What the driver gets as its log: it has no report at hand between calls.
static void driver_log(void *user, enum kiln_log_level level, const char *message) {
  kiln_context_log(user, level, "%s", message);
}

// ---- the environment's settings ------------------------------------------------------------------------------------

static enum kiln_status read_num_threads(struct kiln_context *ctx, const struct kiln_context_desc *desc) {
  ctx->num_threads = desc->num_threads;
  if (desc->num_threads > MAX_THREADS)
    return kiln_error(KILN_ERR_INVALID, "num_threads is %u; at most %d are possible", (unsigned)desc->num_threads,
                      MAX_THREADS);
  if (desc->num_threads)
    return KILN_OK;
  const char *value = kiln_env_get(&ctx->env, KILN_ENV_NUM_THREADS);
  char *end;
  errno = 0;
  unsigned long threads = strtoul(value, &end, 10);
  if (*value < '0' || *value > '9' || *end || errno || threads > MAX_THREADS)
    return kiln_error(KILN_ERR_INVALID, "COMPILE_NUM_THREADS is '%s'; it must be a number from 0 to %d", value,
                      MAX_THREADS);
  ctx->num_threads = (uint32_t)threads;
  return KILN_OK;
}

static enum kiln_status read_switch(struct kiln_context *ctx, enum kiln_env_id id, bool *out) {
  const char *value = kiln_env_get(&ctx->env, id);
  *out = strcmp(value, "1") == 0;
  if (*out || strcmp(value, "0") == 0)
    return KILN_OK;
  return kiln_error(KILN_ERR_INVALID, "%s is '%s'; it must be 0 or 1", kiln_env_name(id), value);
}

static enum kiln_status read_faults(struct kiln_context *ctx, const struct kiln_context_desc *desc) {
  const char *value = desc->faults ? desc->faults : kiln_env_get(&ctx->env, KILN_ENV_FAULTS);
  ctx->report_faults = strcmp(value, "report") == 0;
  if (ctx->report_faults || strcmp(value, "off") == 0)
    return KILN_OK;
  return kiln_error(KILN_ERR_INVALID, "%s is '%s'; it must be off or report",
                    desc->faults ? "kiln_context_desc.faults" : kiln_env_name(KILN_ENV_FAULTS), value);
}

static enum kiln_status read_cpus(struct kiln_context *ctx, const struct kiln_context_desc *desc) {
  if (!desc->cpus)
    return KILN_OK;
  cpu_set_t cpus;
  if (!kiln_cpus_parse(desc->cpus, &cpus))
    return kiln_error(KILN_ERR_INVALID,
                      "kiln_context_desc.cpus is '%s'; it must be a list as '0-3,8' of CPUs that the "
                      "process may run on",
                      desc->cpus);
  ctx->cpus = strdup(desc->cpus);
  return ctx->cpus ? KILN_OK : kiln_error_memory();
}

static enum kiln_status read_settings(struct kiln_context *ctx, const struct kiln_context_desc *desc) {
  ctx->print = desc->print ? desc->print : print_to_stdout;
  ctx->print_user = desc->print_user;
  ctx->cache_event = desc->cache_event;
  ctx->cache_event_user = desc->cache_event_user;
  enum kiln_status status = read_switch(ctx, KILN_ENV_DEBUG, &ctx->debug);
  if (status == KILN_OK)
    status = kiln_log_open(ctx, desc);
  if (status == KILN_OK)
    status = read_num_threads(ctx, desc);
  if (status == KILN_OK)
    status = read_faults(ctx, desc);
  if (status == KILN_OK)
    status = read_cpus(ctx, desc);
  if (status == KILN_OK)
    status = kiln_isolate_read(&ctx->env, &ctx->isolate);
  if (status != KILN_OK)
    return status;
  ctx->dump_dir = ctx->env.values[KILN_ENV_DUMP_DIR];
  ctx->override_dir = ctx->env.values[KILN_ENV_OVERRIDE_DIR];
  return KILN_OK;
}

// ---- opening and closing -------------------------------------------------------------------------------------------

static void destroy(struct kiln_context *ctx) {
  struct kiln_drv *drv = atomic_load(&ctx->drv);
  kiln_trace_close(ctx);
  kiln_record_close(ctx);
  kiln_store_close(ctx);
  kiln_retire_fini(ctx);
  if (atomic_load(&ctx->retire.any_lost)) // the device goes on, and the driver calls back: all of it stays
    return;
  if (drv) {
    const struct kiln_driver *driver = ctx->backend->driver;
    for (uint32_t i = 0; i < ctx->device_count; i++) {
      if (ctx->markers[i])
        driver->free(drv, ctx->markers[i]);
    }
    driver->close(drv);
  }
  free(ctx->markers);
  free(ctx->devices);
  free(ctx->extensions);
  kiln_registry_free(&ctx->registry);
  kiln_env_free(&ctx->env);
  free(ctx->cpus);
  kiln_log_close(ctx);
  pthread_mutex_destroy(&ctx->driver_lock);
  pthread_mutex_destroy(&ctx->toolchains.lock);
  pthread_mutex_destroy(&ctx->notify_lock);
  kiln_arena_pool_free(&ctx->pool);
  if (ctx->closed)
    ctx->closed(ctx->closed_user);
  free(ctx);
}

static enum kiln_status add_backends(struct kiln_context *ctx, const struct kiln_context_desc *desc) {
  if (desc->backend_count && !desc->backends)
    return kiln_error(KILN_ERR_INVALID, "kiln_context_open: desc->backends is NULL, but backend_count is %u",
                      (unsigned)desc->backend_count);
  for (uint32_t i = 0; i < desc->backend_count; i++) {
    if (!desc->backends[i])
      return kiln_error(KILN_ERR_INVALID, "kiln_context_open: desc->backends[%u] is NULL", (unsigned)i);
    enum kiln_status status = kiln_registry_add(&ctx->registry, desc->backends[i]);
    if (status != KILN_OK)
      return status;
  }
  return KILN_OK;
}

static enum kiln_status choose_target(struct kiln_context *ctx, const struct kiln_context_desc *desc) {
  struct kiln_report report = kiln_context_report(ctx);
  enum kiln_status status = ctx->native ? kiln_native_target(ctx, desc, ctx->native, &report)
                                        : kiln_target_choose(&ctx->registry, &ctx->env, &report, desc->backend,
                                                             desc->arch, &ctx->backend, &ctx->target);
  kiln_report_free(&report);
  if (status != KILN_OK)
    return status;
  struct kiln_target *target = &ctx->target;
  ctx->public_target = (struct kiln_gpu_target){target->backend, target->arch, target->features, target->warp_size};
  snprintf(ctx->label, sizeof ctx->label, "%s %s%s%s", target->backend, target->arch, *target->features ? " " : "",
           target->features);
  ctx->backend->caps(target, &ctx->caps);
  if (kiln_backend_has_tag(ctx->backend, "experimental"))
    kiln_context_log(ctx, KILN_LOG_WARNING, "backend '%s' is experimental", ctx->backend->name);
  kiln_context_log(ctx, KILN_LOG_INFO, "target: backend %s, arch %s, features '%s', warp size %u", target->backend,
                   target->arch, target->features, (unsigned)target->warp_size);
  return KILN_OK;
}

// native NULL: of what is here.
static enum kiln_status open_context(const struct kiln_context_desc *desc, const struct kiln_native_context *native,
                                     struct kiln_context **out) {
  static const struct kiln_context_desc defaults;
  if (!desc)
    desc = &defaults;
  struct kiln_context *ctx = calloc(1, sizeof *ctx);
  if (!ctx)
    return kiln_error_memory();
  ctx->refs = 1;
  ctx->native = native;
  pthread_mutex_init(&ctx->driver_lock, NULL);
  pthread_mutex_init(&ctx->toolchains.lock, NULL);
  pthread_mutex_init(&ctx->notify_lock, NULL);
  kiln_arena_pool_init(&ctx->pool);
  struct kiln_floats floats = kiln_floats_enter();
  enum kiln_status status = KILN_OK;
  if (!kiln_env_read(&ctx->env) || !kiln_retire_init(&ctx->retire))
    status = kiln_error_memory();
  if (status == KILN_OK)
    status = read_settings(ctx, desc);
  if (status == KILN_OK)
    status = kiln_registry_init(&ctx->registry, &ctx->env);
  if (status == KILN_OK)
    status = add_backends(ctx, desc);
  if (status == KILN_OK)
    status = choose_target(ctx, desc);
  if (status == KILN_OK)
    status = kiln_store_open(ctx, desc->cache_dir, desc->cache_mode);
  if (status == KILN_OK)
    status = kiln_record_open(ctx);
  if (status == KILN_OK)
    status = kiln_trace_open(ctx);
  if (status == KILN_OK && native) // its handles are the host's to release after this
    status = kiln_context_driver(ctx, &(struct kiln_drv *){NULL});
  ctx->native = NULL;
  kiln_floats_leave(floats);
  if (status != KILN_OK) {
    destroy(ctx);
    return status;
  }
  *out = ctx;
  return KILN_OK;
}

enum kiln_status kiln_context_open(const struct kiln_context_desc *desc, struct kiln_context **out) {
  return out ? open_context(desc, NULL, out) : kiln_error(KILN_ERR_INVALID, "kiln_context_open: out is NULL");
}

enum kiln_status kiln_context_open_native(const struct kiln_context_desc *desc,
                                          const struct kiln_native_context *native, struct kiln_context **out) {
  if (!native || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_context_open_native: %s is NULL", native ? "out" : "native");
  return open_context(desc, native, out);
}

void kiln_context_ref(struct kiln_context *ctx) { atomic_fetch_add(&ctx->refs, 1); }

void kiln_context_unref(struct kiln_context *ctx) {
  if (atomic_fetch_sub(&ctx->refs, 1) != 1)
    return;
  struct kiln_floats floats = kiln_floats_enter();
  destroy(ctx);
  kiln_floats_leave(floats);
}

void kiln_context_retain(struct kiln_context *ctx) {
  if (ctx)
    kiln_context_ref(ctx);
}

void kiln_context_close(struct kiln_context *ctx) {
  if (ctx)
    kiln_context_unref(ctx);
}

enum kiln_status kiln_context_on_close(struct kiln_context *ctx, void (*fn)(void *user), void *user) {
  if (!ctx || !fn)
    return kiln_error(KILN_ERR_INVALID, "kiln_context_on_close: %s is NULL", ctx ? "fn" : "ctx");
  if (ctx->closed)
    return kiln_error(KILN_ERR_INVALID, "kiln_context_on_close: it was called for this context before");
  ctx->closed = fn;
  ctx->closed_user = user;
  return KILN_OK;
}

const struct kiln_gpu_target *kiln_context_target(const struct kiln_context *ctx) {
  return ctx ? &ctx->public_target : NULL;
}

const struct kiln_base_backend *kiln_context_backend(const struct kiln_context *ctx) {
  return ctx ? ctx->backend : NULL;
}

const struct kiln_target *kiln_context_full_target(const struct kiln_context *ctx) { return ctx ? &ctx->target : NULL; }

// ---- driver and devices --------------------------------------------------------------------------------------------

static enum kiln_status open_driver(struct kiln_context *ctx) {
  const struct kiln_driver *driver = ctx->backend->driver;
  if (!driver)
    return kiln_error(KILN_ERR_UNAVAILABLE, "backend '%s' compiles but has no driver to run kernels with",
                      ctx->backend->name);
  struct kiln_driver_config config = {.target = ctx->target,
                                      .num_threads = ctx->num_threads,
                                      .print = ctx->print,
                                      .print_user = ctx->print_user,
                                      .log = ctx->log ? driver_log : log_nothing,
                                      .log_user = ctx};
  struct kiln_report report = kiln_context_report(ctx);
  struct kiln_drv *drv = NULL;
  enum kiln_status status =
      ctx->native ? driver->open_native(&config, ctx->native, &drv, &report) : driver->open(&config, &drv, &report);
  if (status == KILN_OK && drv && ctx->cpus && driver->use_cpus) {
    status = driver->use_cpus(drv, ctx->cpus, &report);
    if (status != KILN_OK)
      driver->close(drv);
  }
  status = kiln_report_finish(&report, status, ctx->backend->name, NULL);
  if (status != KILN_OK)
    return status;
  if (!drv)
    return kiln_error(KILN_ERR_INTERNAL, "backend '%s' opened its driver, but gave none", ctx->backend->name);
  if (ctx->report_faults && driver->report_faults)
    driver->report_faults(drv);
  uint32_t count = driver->device_count(drv);
  ctx->devices = calloc(count ? count : 1, sizeof *ctx->devices);
  ctx->markers = calloc(count ? count : 1, sizeof *ctx->markers);
  if (!ctx->devices || !ctx->markers) {
    free(ctx->devices);
    free(ctx->markers);
    ctx->devices = NULL;
    ctx->markers = NULL;
    driver->close(drv);
    return kiln_error_memory();
  }
  for (uint32_t i = 0; i < count; i++) {
    struct kiln_device_info *info = &ctx->devices[i];
    driver->device_info(drv, i, info);
    info->name = info->name ? info->name : "";
    info->vendor = info->vendor ? info->vendor : "";
    info->driver = info->driver ? info->driver : "";
  }
  ctx->device_count = count;
  atomic_store_explicit(&ctx->drv, drv, memory_order_release);
  return KILN_OK;
}

enum kiln_status kiln_context_driver(struct kiln_context *ctx, struct kiln_drv **out) {
  struct kiln_drv *drv = atomic_load_explicit(&ctx->drv, memory_order_acquire);
  enum kiln_status status = KILN_OK;
  if (!drv) {
    pthread_mutex_lock(&ctx->driver_lock);
    struct kiln_floats floats = kiln_floats_enter(); // threads that the driver starts are in that state, too
    if (!atomic_load(&ctx->drv))
      status = open_driver(ctx);
    kiln_floats_leave(floats);
    drv = atomic_load(&ctx->drv);
    pthread_mutex_unlock(&ctx->driver_lock);
  }
  if (status == KILN_OK)
    *out = drv;
  return status;
}

enum kiln_status kiln_context_device(struct kiln_context *ctx, uint32_t device, struct kiln_drv **out) {
  struct kiln_drv *drv;
  enum kiln_status status = kiln_context_driver(ctx, &drv);
  if (status != KILN_OK)
    return status;
  if (device >= ctx->device_count)
    return kiln_error(KILN_ERR_NOT_FOUND, "there is no device %u; backend '%s' has %u that fit target '%s'",
                      (unsigned)device, ctx->backend->name, (unsigned)ctx->device_count, ctx->target.arch);
  *out = drv;
  return KILN_OK;
}

enum kiln_status kiln_device_count(struct kiln_context *ctx, uint32_t *out) {
  if (!ctx || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_device_count: %s is NULL", ctx ? "out" : "ctx");
  struct kiln_drv *drv;
  enum kiln_status status = kiln_context_driver(ctx, &drv);
  if (status == KILN_OK)
    *out = ctx->device_count;
  return status;
}

enum kiln_status kiln_device_info(struct kiln_context *ctx, uint32_t device, struct kiln_device_info *out) {
  if (!ctx || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_device_info: %s is NULL", ctx ? "out" : "ctx");
  struct kiln_drv *drv;
  enum kiln_status status = kiln_context_device(ctx, device, &drv);
  if (status == KILN_OK)
    *out = ctx->devices[device];
  return status;
}
