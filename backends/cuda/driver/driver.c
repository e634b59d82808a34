// Devices of the driver: which fit the target, and which cannot be used any more.
#include "backends/cuda/driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/cuda/driver/exports.h"
#include "base/file.h"

// ---- devices that failed: of no use until the process ends, for any context in it

static pthread_mutex_t failed_lock = PTHREAD_MUTEX_INITIALIZER;
static struct failed_device {
  kiln_cu_device ordinal;
  char why[KILN_CUDA_MESSAGE];
} failed_devices[KILN_CUDA_MAX_DEVICES]; // guarded by it; entries are never changed
static uint32_t failed_count;

// NULL: it can be used.
static const char *why_failed(kiln_cu_device ordinal) {
  const char *why = NULL;
  pthread_mutex_lock(&failed_lock);
  for (uint32_t i = 0; i < failed_count && !why; i++)
    why = failed_devices[i].ordinal == ordinal ? failed_devices[i].why : NULL;
  pthread_mutex_unlock(&failed_lock);
  return why;
}

// The first reason stays.
static void note_failed(kiln_cu_device ordinal, const char *why) {
  if (why_failed(ordinal))
    return;
  pthread_mutex_lock(&failed_lock);
  if (failed_count < KILN_CUDA_MAX_DEVICES) {
    struct failed_device *failed = &failed_devices[failed_count++];
    failed->ordinal = ordinal;
    snprintf(failed->why, sizeof failed->why, "%s", why);
  }
  pthread_mutex_unlock(&failed_lock);
}

static void kill(struct kiln_drv *drv, struct kiln_cuda_device *device, kiln_cu_result result,
                 struct kiln_drv_stream *stream, char *message) {
  char culprit[160];
  kiln_cuda_blame(drv, device, stream, culprit);
  snprintf(message, KILN_CUDA_MESSAGE, "%s failed on %s: %s (CUDA error %d)", culprit, device->name,
           kiln_cuda_text(&drv->cuda, result), result);
  note_failed(device->ordinal, message);
  const char *first = why_failed(device->ordinal);
  pthread_mutex_lock(&device->lock);
  if (!device->dead)
    snprintf(device->fault, sizeof device->fault, "%s", first ? first : message);
  __atomic_store_n(&device->dead, 1, __ATOMIC_RELEASE);
  memcpy(message, device->fault, sizeof device->fault);
  pthread_mutex_unlock(&device->lock);
}

enum kiln_status kiln_cuda_failure(struct kiln_drv *drv, struct kiln_cuda_device *device, kiln_cu_result result,
                                   const char *what, struct kiln_drv_stream *stream, char *message) {
  if (getpid() != drv->process) {
    snprintf(message, KILN_CUDA_MESSAGE, "%s", kiln_cuda_forked);
    return KILN_ERR_UNAVAILABLE;
  }
  enum kiln_cuda_error_kind kind = kiln_cuda_kind(result);
  if (kind == KILN_CUDA_STICKY)
    kill(drv, device, result, stream, message);
  else
    snprintf(message, KILN_CUDA_MESSAGE, "%.160s failed on %s: %s (CUDA error %d)", what, device->name,
             kiln_cuda_text(&drv->cuda, result), result);
  return kind == KILN_CUDA_MEMORY ? KILN_ERR_MEMORY : KILN_ERR_DEVICE;
}

enum kiln_status kiln_cuda_fail(struct kiln_drv *drv, struct kiln_cuda_device *device, kiln_cu_result result,
                                struct kiln_report *report, const char *what) {
  char message[KILN_CUDA_MESSAGE];
  enum kiln_status status = kiln_cuda_failure(drv, device, result, what, NULL, message);
  return kiln_fail(report, status, "%s", message);
}

enum kiln_status kiln_cuda_alive(struct kiln_drv *drv, const struct kiln_cuda_device *device,
                                 struct kiln_report *report) {
  (void)drv;
  if (!__atomic_load_n(&device->dead, __ATOMIC_ACQUIRE))
    return KILN_OK;
  return kiln_fail(report, KILN_ERR_DEVICE, "%s; the device cannot be used any more in this process", device->fault);
}

bool kiln_cuda_enter(struct kiln_drv *drv, struct kiln_cuda_device *device) {
  return drv->cuda.push(device->context) == KILN_CU_SUCCESS;
}

void kiln_cuda_leave(struct kiln_drv *drv) {
  kiln_cu_context context;
  drv->cuda.pop(&context);
}

// ---- finding devices

static int attribute(const struct kiln_drv *drv, kiln_cu_device ordinal, enum kiln_cu_attribute which) {
  int value = 0;
  return drv->cuda.device_attribute(&value, which, ordinal) == KILN_CU_SUCCESS ? value : 0;
}

// "sm_90": devices of 9.0 and later; "sm_90a": of 9.0 alone.
static bool fits(const struct kiln_target *target, uint32_t capability) {
  char *end;
  unsigned long wanted = strncmp(target->arch, "sm_", 3) ? 0 : strtoul(target->arch + 3, &end, 10);
  return wanted && (*end ? capability == wanted : capability >= wanted);
}

static void see(struct kiln_drv *drv, const char *what, const char *why) {
  size_t used = strlen(drv->seen);
  snprintf(drv->seen + used, sizeof drv->seen - used, "%s%s%s%s", used ? ", " : "", what, why ? ": " : "",
           why ? why : "");
}

// The stream for copies, and the event that times are told from.
static kiln_cu_result make_parts(struct kiln_drv *drv, struct kiln_cuda_device *device) {
  const struct kiln_cuda *cuda = &drv->cuda;
  kiln_cu_result result = cuda->stream_create(&device->side, KILN_CU_STREAM_NON_BLOCKING);
  if (result == KILN_CU_SUCCESS)
    result = cuda->event_create(&device->base, 0);
  if (result == KILN_CU_SUCCESS)
    result = cuda->event_record(device->base, device->side);
  if (result == KILN_CU_SUCCESS)
    result = cuda->stream_synchronize(device->side);
  device->base_ns = kiln_now_ns();
  return result;
}

static enum kiln_status make_ready(struct kiln_drv *drv, struct kiln_cuda_device *device, struct kiln_report *report) {
  kiln_cu_result result = drv->cuda.primary_retain(&device->context, device->ordinal);
  if (result != KILN_CU_SUCCESS)
    return kiln_fail(report, kiln_cuda_kind(result) == KILN_CUDA_MEMORY ? KILN_ERR_MEMORY : KILN_ERR_UNAVAILABLE,
                     "no context on %s: %s (CUDA error %d)", device->name, kiln_cuda_text(&drv->cuda, result), result);
  pthread_mutex_init(&device->lock, NULL);
  drv->device_count++;
  result = kiln_cuda_enter(drv, device) ? KILN_CU_SUCCESS : KILN_CU_NOT_INITIALIZED;
  if (result == KILN_CU_SUCCESS) {
    result = make_parts(drv, device);
    kiln_cuda_leave(drv);
  }
  return result == KILN_CU_SUCCESS ? KILN_OK : kiln_cuda_fail(drv, device, result, report, "a stream for copies");
}

static enum kiln_status see_device(struct kiln_drv *drv, kiln_cu_device ordinal, struct kiln_report *report) {
  struct kiln_cuda_device *device = &drv->devices[drv->device_count];
  char model[32];
  *device = (struct kiln_cuda_device){.ordinal = ordinal};
  device->capability = (uint32_t)(10 * attribute(drv, ordinal, KILN_CU_CAPABILITY_MAJOR) +
                                  attribute(drv, ordinal, KILN_CU_CAPABILITY_MINOR));
  snprintf(model, sizeof model, "sm_%u", (unsigned)device->capability);
  const char *failed = why_failed(ordinal);
  if (failed || !fits(&drv->config.target, device->capability)) {
    char why[KILN_CUDA_MESSAGE] = "";
    if (failed)
      snprintf(why, sizeof why, "not to be used any more in this process, since %.400s", failed);
    see(drv, model, failed ? why : NULL);
    return KILN_OK;
  }
  if (drv->cuda.device_name(device->name, sizeof device->name, ordinal) != KILN_CU_SUCCESS)
    snprintf(device->name, sizeof device->name, "GPU %d", ordinal);
  size_t bytes = 0;
  drv->cuda.device_memory(&bytes, ordinal);
  device->memory_bytes = bytes;
  int optin = attribute(drv, ordinal, KILN_CU_MAX_SHARED_OPTIN), shared = attribute(drv, ordinal, KILN_CU_MAX_SHARED);
  device->shared_bytes = (uint32_t)(optin > shared && drv->cuda.function_set ? optin : shared);
  device->max_group_size = (uint32_t)attribute(drv, ordinal, KILN_CU_MAX_THREADS_PER_BLOCK);
  device->multiprocessors = (uint32_t)attribute(drv, ordinal, KILN_CU_MULTIPROCESSORS);
  return make_ready(drv, device, report);
}

static enum kiln_status find_devices(struct kiln_drv *drv, struct kiln_report *report) {
  int count = 0;
  kiln_cu_result result = drv->cuda.device_count(&count);
  if (result != KILN_CU_SUCCESS)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "libcuda.so.1 does not list its devices: %s",
                     kiln_cuda_text(&drv->cuda, result));
  enum kiln_status status = KILN_OK;
  for (int i = 0; i < count && drv->device_count < KILN_CUDA_MAX_DEVICES && !status; i++) {
    kiln_cu_device ordinal;
    if ((drv->only < 0 || drv->only == i) && drv->cuda.device_get(&ordinal, i) == KILN_CU_SUCCESS)
      status = see_device(drv, ordinal, report);
  }
  if (status || drv->device_count)
    return status;
  if (drv->seen[0])
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "no GPU here runs code for '%s': there is %s",
                     drv->config.target.arch, drv->seen);
  return kiln_fail(report, KILN_ERR_UNAVAILABLE, "libcuda.so.1 lists no GPU");
}

// ---- opening

static void close_device(struct kiln_drv *drv, struct kiln_cuda_device *device) {
  if (kiln_cuda_frees(device) && kiln_cuda_enter(drv, device)) {
    kiln_cuda_give_back_all(drv, device);
    for (uint32_t i = 0; i < device->spare_count; i++)
      drv->cuda.event_destroy(device->spare[i]);
    if (device->base)
      drv->cuda.event_destroy(device->base);
    if (device->print_buffer)
      drv->cuda.free(device->print_buffer);
    if (device->side)
      drv->cuda.stream_destroy(device->side);
    kiln_cuda_leave(drv);
    if (drv->cuda.primary_release)
      drv->cuda.primary_release(device->ordinal);
    else if (drv->cuda.primary_release_old)
      drv->cuda.primary_release_old(device->ordinal);
  }
  pthread_mutex_destroy(&device->lock);
}

static void close_driver(struct kiln_drv *drv) {
  if (getpid() == drv->process)
    for (uint32_t i = 0; i < drv->device_count; i++)
      close_device(drv, &drv->devices[i]);
  pthread_mutex_destroy(&drv->print_lock);
  pthread_mutex_destroy(&drv->host_lock);
  pthread_mutex_destroy(&drv->streams_lock);
  free(drv);
}

enum kiln_status kiln_cuda_open_on(const struct kiln_driver_config *config, int only, struct kiln_drv **out,
                                   struct kiln_report *report) {
  struct kiln_drv *drv = calloc(1, sizeof *drv);
  if (!drv)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the CUDA driver");
  drv->config = *config;
  drv->only = only;
  drv->process = getpid();
  enum kiln_status status = kiln_cuda_start(&drv->cuda, report);
  if (status) {
    free(drv);
    return status;
  }
  pthread_mutex_init(&drv->print_lock, NULL);
  pthread_mutex_init(&drv->host_lock, NULL);
  pthread_mutex_init(&drv->streams_lock, NULL);
  drv->cuda.driver_version(&drv->version);
  snprintf(drv->version_text, sizeof drv->version_text, "CUDA %d.%d", drv->version / 1000, drv->version % 1000 / 10);
  kiln_cuda_read_driver_version(drv);
  status = find_devices(drv, report);
  if (status)
    close_driver(drv);
  else
    *out = drv;
  return status;
}

static enum kiln_status open_driver(const struct kiln_driver_config *config, struct kiln_drv **out,
                                    struct kiln_report *report) {
  return kiln_cuda_open_on(config, -1, out, report);
}

static uint32_t device_count(struct kiln_drv *drv) { return drv->device_count; }

static void device_info(struct kiln_drv *drv, uint32_t device, struct kiln_device_info *out) {
  const struct kiln_cuda_device *d = &drv->devices[device];
  *out = (struct kiln_device_info){
      .name = d->name,
      .vendor = "NVIDIA",
      .driver = drv->version_text,
      .memory_bytes = d->memory_bytes,
      .local_bytes = d->shared_bytes,
      .max_group_size = d->max_group_size,
      .compute_units = d->multiprocessors,
      .warp_size = 32,
      .host_memory = false,
  };
}

static void device_traits(struct kiln_drv *drv, uint32_t device, struct kiln_device_traits *out) {
  kiln_cu_device ordinal = drv->devices[device].ordinal;
  out->cache_bytes = (uint64_t)attribute(drv, ordinal, KILN_CU_L2_BYTES);
  out->cache_line_bytes = 128;
  out->clock_mhz = (uint32_t)attribute(drv, ordinal, KILN_CU_CLOCK_KHZ) / 1000;
}

const struct kiln_driver kiln_cuda_driver = {
    .abi_version = KILN_BACKEND_ABI,
    .struct_size = sizeof(struct kiln_driver),
    .open = open_driver,
    .close = close_driver,
    .device_count = device_count,
    .device_info = device_info,
    .device_traits = device_traits,
    .alloc = kiln_cuda_alloc,
    .free = kiln_cuda_free,
    .host_pointer = kiln_cuda_host_pointer,
    .takes_pointer = kiln_cuda_takes_pointer,
    .load = kiln_cuda_load,
    .unload = kiln_cuda_unload,
    .kernel = kiln_cuda_kernel,
    .launch_variant = kiln_cuda_variant,
    .stream_create = kiln_cuda_stream_create,
    .stream_destroy = kiln_cuda_stream_destroy,
    .finish = kiln_cuda_finish,
    .stream_deadline = kiln_cuda_stream_deadline,
    .stream_cancel = kiln_cuda_stream_cancel,
    .stream_lost = kiln_cuda_stream_lost,
    .write = kiln_cuda_write,
    .read = kiln_cuda_read,
    .copy = kiln_cuda_copy,
    .copies_between_devices = true,
    .fill = kiln_cuda_fill,
    .wait = kiln_cuda_wait,
    .prepare = kiln_cuda_prepare,
    .launch_release = kiln_cuda_launch_release,
    .launch = kiln_cuda_launch,
    .event_wait = kiln_cuda_event_wait,
    .event_done = kiln_cuda_event_done,
    .event_times = kiln_cuda_event_times,
    .event_release = kiln_cuda_event_release,
    .event_state = kiln_cuda_event_state,
    .event_create = kiln_cuda_event_create,
    .event_signal = kiln_cuda_event_signal,
    .runtime = KILN_RUNTIME_CUDA,
    .native_target = kiln_cuda_native_target,
    .open_native = kiln_cuda_open_native,
    .device_native = kiln_cuda_device_native,
    .wrap_memory = kiln_cuda_wrap_memory,
    .memory_native = kiln_cuda_memory_native,
    .wrap_stream = kiln_cuda_wrap_stream,
    .stream_native = kiln_cuda_stream_native,
};
