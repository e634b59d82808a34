// Devices of the driver: agents, their ISAs and memory pools; devices that fail.
#include "backends/rocm/driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocm/driver/exports.h"
#include "base/file.h"

// ---- failures of devices: the runtime tells them to handlers of the process

static pthread_mutex_t opening_lock = PTHREAD_MUTEX_INITIALIZER; // before drivers_lock, which on_event takes
static pthread_mutex_t drivers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kiln_drv *drivers; // open ones; guarded by drivers_lock
// Devices that failed. They are of no use until the process ends, and the runtime stays open. Guarded by drivers_lock.
static struct failed_device {
  uint64_t agent;
  char why[KILN_ROCM_MESSAGE];
} failed_devices[KILN_ROCM_MAX_DEVICES];
static uint32_t failed_count;

// Events of newer runtimes than the one whose headers Debian has. The data of each begins with the agent.
enum { HW_EXCEPTION = 1, MEMORY_ERROR = 2 };
struct hw_exception {
  hsa_agent_t agent;
  uint32_t reset_type, reset_cause;
};
#define CAUSE_ECC 2

struct failure {
  enum kiln_rocm_health health; // WORKS: the event is about something else
  hsa_agent_t agent;
  const char *what;
  char detail[128];
};

static void read_memory_fault(const hsa_amd_gpu_memory_fault_info_t *fault, struct failure *out) {
  bool read_only = fault->fault_reason_mask & HSA_AMD_MEMORY_FAULT_READ_ONLY;
  bool absent = fault->fault_reason_mask & HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT;
  out->health = KILN_ROCM_FAULTED;
  out->what = "memory fault";
  snprintf(out->detail, sizeof out->detail, ": %s, near address 0x%llx",
           read_only ? "a write to read-only memory"
           : absent  ? "an access to memory that is not there"
                     : "an access",
           (unsigned long long)fault->virtual_address);
}

static void read_event(const hsa_amd_event_t *event, struct failure *out) {
  unsigned type = event->event_type; // later runtimes have more events than the header names
  struct hw_exception exception;
  memcpy(&exception, &event->memory_fault, sizeof exception);
  out->agent = exception.agent;
  if (type == HSA_AMD_GPU_MEMORY_FAULT_EVENT) {
    read_memory_fault(&event->memory_fault, out);
  } else if (type == HW_EXCEPTION) {
    out->health = KILN_ROCM_RESET;
    out->what = "reset";
    snprintf(out->detail, sizeof out->detail, ": %s",
             exception.reset_cause & CAUSE_ECC ? "its memory has an error that cannot be corrected" : "it hung");
  } else if (type == MEMORY_ERROR) {
    out->health = KILN_ROCM_FAULTED;
    out->what = "memory error";
  }
}

static void fail_device(struct kiln_drv *drv, uint32_t device, const struct failure *failure) {
  if (drv->faulted)
    return;
  snprintf(drv->fault, sizeof drv->fault, "%s of the GPU %s%s", failure->what, drv->devices[device].name,
           failure->detail);
  __atomic_store_n(&drv->faulted, failure->health, __ATOMIC_RELEASE);
  if (failed_count == KILN_ROCM_MAX_DEVICES)
    return;
  struct failed_device *failed = &failed_devices[failed_count++];
  failed->agent = drv->devices[device].agent.handle;
  memcpy(failed->why, drv->fault, sizeof failed->why);
}

static hsa_status_t on_event(const hsa_amd_event_t *event, void *user) {
  (void)user;
  struct failure failure = {.health = KILN_ROCM_WORKS};
  read_event(event, &failure);
  pthread_mutex_lock(&drivers_lock);
  for (struct kiln_drv *drv = drivers; drv && failure.health != KILN_ROCM_WORKS; drv = drv->next)
    for (uint32_t i = 0; i < drv->device_count; i++)
      if (drv->devices[i].agent.handle == failure.agent.handle)
        fail_device(drv, i, &failure);
  pthread_mutex_unlock(&drivers_lock);
  return HSA_STATUS_SUCCESS; // else the runtime ends the process
}

// The handler is lost when the runtime is shut down with its last user, which need not be the last driver here: the
// first driver registers it, again where it is still there.
static void add_driver(struct kiln_drv *drv) {
  pthread_mutex_lock(&opening_lock);
  if (!drivers)
    drv->hsa.hsa_amd_register_system_event_handler(on_event, NULL);
  pthread_mutex_lock(&drivers_lock);
  drv->next = drivers;
  drivers = drv;
  pthread_mutex_unlock(&drivers_lock);
  pthread_mutex_unlock(&opening_lock);
}

static void remove_driver(struct kiln_drv *drv) {
  pthread_mutex_lock(&opening_lock);
  pthread_mutex_lock(&drivers_lock);
  for (struct kiln_drv **at = &drivers; *at; at = &(*at)->next)
    if (*at == drv) {
      *at = drv->next;
      break;
    }
  pthread_mutex_unlock(&drivers_lock);
  pthread_mutex_unlock(&opening_lock);
}

// Why a device cannot be used any more; NULL: it can.
static const char *why_failed(hsa_agent_t agent) {
  const char *why = NULL;
  pthread_mutex_lock(&drivers_lock);
  for (uint32_t i = 0; i < failed_count && !why; i++)
    why = failed_devices[i].agent == agent.handle ? failed_devices[i].why : NULL; // never changed once it is there
  pthread_mutex_unlock(&drivers_lock);
  return why;
}

// ---- agents

struct isa_search {
  struct kiln_drv *drv;
  char name[96]; // the first one, for messages
  bool fits;
};

static hsa_status_t see_isa(hsa_isa_t isa, void *user) {
  struct isa_search *search = user;
  const struct kiln_hsa *hsa = &search->drv->hsa;
  uint32_t length = 0;
  char name[256];
  if (hsa->hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length) || length >= sizeof name ||
      hsa->hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name))
    return HSA_STATUS_SUCCESS;
  name[length] = 0;
  if (!search->name[0])
    snprintf(search->name, sizeof search->name, "%.95s", name);
  if (kiln_rocm_runs_on(&search->drv->target, name)) {
    snprintf(search->name, sizeof search->name, "%.95s", name);
    search->fits = true;
    return HSA_STATUS_INFO_BREAK;
  }
  return HSA_STATUS_SUCCESS;
}

struct pool_search {
  struct kiln_drv *drv;
  struct kiln_rocm_device *device; // NULL: of the host
  bool found;
};

static hsa_status_t see_pool(hsa_amd_memory_pool_t pool, void *user) {
  struct pool_search *search = user;
  const struct kiln_hsa *hsa = &search->drv->hsa;
  hsa_amd_segment_t segment;
  uint32_t flags = 0;
  size_t size = 0, granule = 4096;
  bool allowed = false;
  if (hsa->hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment) ||
      hsa->hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size))
    return HSA_STATUS_SUCCESS;
  if (segment == HSA_AMD_SEGMENT_GROUP && search->device)
    search->device->local_bytes = (uint32_t)size;
  if (segment != HSA_AMD_SEGMENT_GLOBAL ||
      hsa->hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags) ||
      hsa->hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed) || !allowed)
    return HSA_STATUS_SUCCESS;
  hsa->hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE, &granule);
  if (search->device && flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED && !search->found) {
    search->device->memory = pool;
    search->device->memory_bytes = size;
    search->device->memory_granule = granule ? granule : 4096;
    search->found = true;
  }
  if (!search->device && flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT && !search->found) {
    search->drv->kernarg = pool;
    search->drv->has_kernarg = search->found = true;
  }
  return HSA_STATUS_SUCCESS;
}

static void see_gpu(struct kiln_drv *drv, hsa_agent_t agent) {
  const struct kiln_hsa *hsa = &drv->hsa;
  struct isa_search search = {.drv = drv};
  hsa->hsa_agent_iterate_isas(agent, see_isa, &search);
  const char *failed = why_failed(agent);
  if (!search.fits || failed) {
    size_t used = strlen(drv->seen);
    const char *short_name = strstr(search.name, "gfx");
    snprintf(drv->seen + used, sizeof drv->seen - used, "%s%s%s%s", used ? ", " : "",
             short_name ? short_name : "unknown", failed ? ", not to be used any more in this process: " : "",
             failed ? failed : "");
    return;
  }
  if (drv->device_count == KILN_ROCM_MAX_DEVICES)
    return;
  struct kiln_rocm_device *device = &drv->devices[drv->device_count];
  *device = (struct kiln_rocm_device){.agent = agent, .max_group_size = 1024, .queue_size = 1024};
  memcpy(device->isa, search.name, sizeof device->isa);
  struct pool_search pools = {.drv = drv, .device = device};
  hsa->hsa_amd_agent_iterate_memory_pools(agent, see_pool, &pools);
  uint32_t longest = 0;
  hsa->hsa_agent_get_info(agent, HSA_AGENT_INFO_QUEUE_MAX_SIZE, &longest);
  if (longest && longest < device->queue_size)
    device->queue_size = longest;
  hsa->hsa_agent_get_info(agent, HSA_AGENT_INFO_WORKGROUP_MAX_SIZE, &device->max_group_size);
  hsa->hsa_agent_get_info(agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, &device->compute_units);
  hsa->hsa_agent_get_info(agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_PRODUCT_NAME, device->name);
  device->name[sizeof device->name - 1] = 0;
  if (!device->name[0])
    hsa->hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, device->name);
  if (pools.found)
    drv->device_count++;
}

static hsa_status_t see_agent(hsa_agent_t agent, void *user) {
  struct kiln_drv *drv = user;
  hsa_device_type_t type;
  if (drv->hsa.hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type))
    return HSA_STATUS_SUCCESS;
  if (type == HSA_DEVICE_TYPE_GPU) {
    if (!drv->only.handle || drv->only.handle == agent.handle)
      see_gpu(drv, agent);
  } else if (type == HSA_DEVICE_TYPE_CPU && !drv->has_cpu) {
    struct pool_search pools = {.drv = drv};
    drv->cpu = agent;
    drv->has_cpu = true;
    drv->hsa.hsa_amd_agent_iterate_memory_pools(agent, see_pool, &pools);
  }
  return HSA_STATUS_SUCCESS;
}

// ---- opening

static enum kiln_status find_devices(struct kiln_drv *drv, struct kiln_report *report) {
  hsa_status_t status = drv->hsa.hsa_iterate_agents(see_agent, drv);
  if (status != HSA_STATUS_SUCCESS)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "libhsa-runtime64 does not list its devices: %s",
                     kiln_hsa_text(&drv->hsa, status));
  const struct kiln_target *target = &drv->config.target;
  if (!drv->device_count && drv->seen[0])
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "no GPU here runs code for '%s%s': there is %s", target->arch,
                     target->features, drv->seen);
  if (!drv->device_count)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "libhsa-runtime64 lists no GPU");
  if (!drv->has_kernarg)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "libhsa-runtime64 has no memory for the arguments of kernels");
  return KILN_OK;
}

static void read_clock(struct kiln_drv *drv) {
  drv->hsa.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &drv->ticks_per_second);
  if (!drv->ticks_per_second)
    drv->ticks_per_second = NS_PER_SECOND;
  drv->hsa.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &drv->tick_base);
  drv->ns_base = kiln_now_ns();
  drv->hsa.hsa_amd_profiling_async_copy_enable(true);
}

static enum kiln_status open_on(const struct kiln_driver_config *config, const struct kiln_native_context *native,
                                struct kiln_drv **out, struct kiln_report *report) {
  struct kiln_drv *drv = calloc(1, sizeof *drv);
  if (!drv)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the ROCm driver");
  drv->config = *config;
  enum kiln_status status = kiln_rocm_from_target(&config->target, &drv->target, report);
  bool started = false;
  if (!status)
    started = !(status = kiln_hsa_load(&drv->hsa, report));
  char isa[96];
  if (!status && native)
    status = kiln_rocm_native_agent(&drv->hsa, native, &drv->only, isa, report);
  if (!status)
    status = find_devices(drv, report);
  if (status) {
    if (started)
      drv->hsa.hsa_shut_down();
    free(drv);
    return status;
  }
  read_clock(drv);
  pthread_mutex_init(&drv->print_lock, NULL);
  pthread_mutex_init(&drv->reads_lock, NULL);
  add_driver(drv);
  *out = drv;
  return KILN_OK;
}

static enum kiln_status open_driver(const struct kiln_driver_config *config, struct kiln_drv **out,
                                    struct kiln_report *report) {
  return open_on(config, NULL, out, report);
}

enum kiln_status kiln_rocm_open_native(const struct kiln_driver_config *config,
                                       const struct kiln_native_context *native, struct kiln_drv **out,
                                       struct kiln_report *report) {
  return open_on(config, native, out, report);
}

static void close_driver(struct kiln_drv *drv) {
  remove_driver(drv);
  for (uint32_t i = 0; i < drv->device_count; i++)
    if (drv->print_buffers[i])
      drv->hsa.hsa_amd_memory_pool_free(drv->print_buffers[i]);
  if (!drv->faulted) // else it may wait for the device for ever
    drv->hsa.hsa_shut_down();
  pthread_mutex_destroy(&drv->print_lock);
  pthread_mutex_destroy(&drv->reads_lock);
  free(drv);
}

static uint32_t device_count(struct kiln_drv *drv) { return drv->device_count; }

static void device_info(struct kiln_drv *drv, uint32_t device, struct kiln_device_info *out) {
  const struct kiln_rocm_device *d = &drv->devices[device];
  *out = (struct kiln_device_info){
      .name = d->name,
      .vendor = "AMD",
      .driver = "libhsa-runtime64",
      .memory_bytes = d->memory_bytes,
      .local_bytes = d->local_bytes,
      .max_group_size = d->max_group_size,
      .compute_units = d->compute_units,
      .warp_size = drv->config.target.warp_size,
      .host_memory = false,
  };
}

void kiln_rocm_device_traits(struct kiln_drv *drv, uint32_t device, struct kiln_device_traits *out) {
  const struct kiln_hsa *hsa = &drv->hsa;
  const struct kiln_rocm_device *d = &drv->devices[device];
  uint32_t caches[4] = {0}, line = 0, clock = 0;
  size_t largest = 0;
  hsa->hsa_agent_get_info(d->agent, HSA_AGENT_INFO_CACHE_SIZE, caches);
  hsa->hsa_agent_get_info(d->agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_CACHELINE_SIZE, &line);
  hsa->hsa_agent_get_info(d->agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY, &clock);
  if (!hsa->hsa_amd_memory_pool_get_info(d->memory, HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE, &largest) && largest)
    out->max_alloc_bytes = largest;
  for (int i = 0; i < 4; i++)
    out->cache_bytes = caches[i] ? caches[i] : out->cache_bytes;
  out->cache_line_bytes = line;
  out->clock_mhz = clock;
}

const struct kiln_driver kiln_rocm_driver = {
    .abi_version = KILN_BACKEND_ABI,
    .struct_size = sizeof(struct kiln_driver),
    .open = open_driver,
    .close = close_driver,
    .device_count = device_count,
    .device_info = device_info,
    .device_traits = kiln_rocm_device_traits,
    .alloc = kiln_rocm_alloc,
    .free = kiln_rocm_free,
    .host_pointer = kiln_rocm_host_pointer,
    .takes_pointer = kiln_rocm_takes_pointer,
    .load = kiln_rocm_load,
    .unload = kiln_rocm_unload,
    .kernel = kiln_rocm_kernel,
    .launch_variant = kiln_rocm_variant,
    .stream_create = kiln_rocm_stream_create,
    .stream_destroy = kiln_rocm_stream_destroy,
    .finish = kiln_rocm_finish,
    .stream_deadline = kiln_rocm_stream_deadline,
    .stream_cancel = kiln_rocm_stream_cancel,
    .stream_lost = kiln_rocm_stream_lost,
    .write = kiln_rocm_write,
    .read = kiln_rocm_read,
    .copy = kiln_rocm_copy,
    .copies_between_devices = true,
    .fill = kiln_rocm_fill,
    .wait = kiln_rocm_wait,
    .prepare = kiln_rocm_prepare,
    .launch_release = kiln_rocm_launch_release,
    .launch = kiln_rocm_launch,
    .event_wait = kiln_rocm_event_wait,
    .event_done = kiln_rocm_event_done,
    .event_times = kiln_rocm_event_times,
    .event_release = kiln_rocm_event_release,
    .event_state = kiln_rocm_event_state,
    .event_create = kiln_rocm_event_create,
    .event_signal = kiln_rocm_event_signal,
    .runtime = KILN_RUNTIME_HSA,
    .native_target = kiln_rocm_native_target,
    .open_native = kiln_rocm_open_native,
    .device_native = kiln_rocm_device_native,
    .wrap_memory = kiln_rocm_wrap_memory,
    .memory_native = kiln_rocm_memory_native,
    .stream_native = kiln_rocm_stream_native,
};
