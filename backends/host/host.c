// Memory, printing and the life of launches of the host backends.
#include "backends/host/host.h"
#include "backends/common/printf.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/floats.h"

// From this size on, allocations begin at a huge page and ask for huge pages: gathers over large buffers are bound by
// TLB misses otherwise.
#define HUGE_PAGE ((size_t)2 << 20)
#define HUGE_PAGE_FROM (4 * HUGE_PAGE)
// Small buffers begin as zeros: programs have counters in them that they never set, as memory that a GPU's driver gives
// is mostly zero.
#define ZEROED_TO ((size_t)64 << 10)

enum kiln_status kiln_host_init(struct kiln_host_drv *drv, const struct kiln_host_ops *ops,
                                const struct kiln_driver_config *config, struct kiln_report *report) {
  drv->ops = ops;
  drv->config = *config;
  drv->pool = kiln_pool_new(config->num_threads, NULL);
  if (!drv->pool)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the thread pool");
  if (!kiln_host_watch_init(&drv->watch)) {
    kiln_pool_free(drv->pool);
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a lock");
  }
  if (pthread_mutex_init(&drv->print_lock, NULL)) {
    kiln_host_watch_fini(&drv->watch);
    kiln_pool_free(drv->pool);
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a lock");
  }
  pthread_mutex_init(&drv->signal_lock, NULL); // which cannot fail on Linux
  kiln_host_condition_init(&drv->signalled);
  return KILN_OK;
}

enum kiln_status kiln_host_use_cpus(struct kiln_drv *base, const char *cpus, struct kiln_report *report) {
  struct kiln_host_drv *drv = (struct kiln_host_drv *)base;
  if (!kiln_cpus_parse(cpus, &drv->cpus))
    return kiln_fail(report, KILN_ERR_INVALID, "the CPUs '%s' are no list of CPUs that are there, as \"0-3,8\"", cpus);
  struct kiln_pool *pool = kiln_pool_new(drv->config.num_threads, &drv->cpus);
  if (!pool)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the thread pool");
  kiln_pool_free(drv->pool);
  drv->pool = pool;
  drv->has_cpus = true;
  return KILN_OK;
}

bool kiln_host_enter_cpus(const struct kiln_host_drv *drv, cpu_set_t *before) {
  return sched_getaffinity(0, sizeof *before, before) == 0 && sched_setaffinity(0, sizeof drv->cpus, &drv->cpus) == 0;
}

void kiln_host_leave_cpus(const cpu_set_t *before) { sched_setaffinity(0, sizeof *before, before); }

void kiln_host_fini(struct kiln_host_drv *drv) {
  kiln_host_watch_fini(&drv->watch);
  kiln_pool_free(drv->pool);
  pthread_mutex_destroy(&drv->print_lock);
  pthread_mutex_destroy(&drv->signal_lock);
  pthread_cond_destroy(&drv->signalled);
}

void kiln_host_launch_init(struct kiln_host_launch *launch, struct kiln_host_drv *drv, bool tiny) {
  launch->drv = drv;
  launch->refs = 1;
  launch->tiny = tiny;
  launch->brief = false;
}

void kiln_host_launch_release(struct kiln_drv *drv, struct kiln_drv_launch *launch) {
  (void)drv;
  struct kiln_host_launch *host = (struct kiln_host_launch *)launch;
  if (host && __atomic_sub_fetch(&host->refs, 1, __ATOMIC_ACQ_REL) == 0)
    host->drv->ops->launch_free(host);
}

void kiln_host_print(struct kiln_host_drv *drv, const char *text, size_t size) {
  struct kiln_floats floats = kiln_floats_enter(); // whatever the callback does to them, the kernel goes on
  pthread_mutex_lock(&drv->print_lock);
  drv->config.print(drv->config.print_user, text, size);
  pthread_mutex_unlock(&drv->print_lock);
  kiln_floats_leave(floats);
}

int kiln_host_printf(struct kiln_host_drv *drv, const char *format, const kiln_type *types, uint32_t count,
                     const void *args, bool *no_memory) {
  struct kiln_printf_call call = {
      .format = format, .format_size = SIZE_MAX, .types = types, .count = count, .args = args};
  struct kiln_strbuf text = {0};
  int result = kiln_printf_format(&text, &call);
  if (text.failed) {
    result = -1;
    __atomic_store_n(no_memory, true, __ATOMIC_RELAXED);
  } else if (text.size) {
    kiln_host_print(drv, text.data, text.size);
  }
  kiln_strbuf_free(&text);
  return result;
}

uint64_t kiln_host_memory_bytes(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

uint64_t kiln_host_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// The largest divisor of n that is at most limit. limit is small (a group size), so trying each is cheap.
static uint64_t divisor_up_to(uint64_t n, uint64_t limit) {
  if (n <= limit)
    return n ? n : 1;
  uint64_t d = limit ? limit : 1;
  while (n % d)
    d--;
  return d;
}

void kiln_host_choose_local(const uint64_t global[3], uint64_t limit, uint64_t local[3]) {
  for (int dim = 0; dim < 3; dim++) {
    local[dim] = divisor_up_to(global[dim], limit);
    limit /= local[dim];
  }
}

// ---- memory

uint32_t kiln_host_device_count(struct kiln_drv *drv) {
  (void)drv;
  return 1;
}

bool kiln_host_takes_pointer(struct kiln_drv *drv, uint32_t device, const void *pointer) {
  (void)drv, (void)device, (void)pointer;
  return true;
}

enum kiln_status kiln_host_alloc(struct kiln_drv *drv, uint32_t device, size_t size, void *host,
                                 struct kiln_drv_memory **out, struct kiln_report *report) {
  (void)drv, (void)device;
  if (!host && size > kiln_host_memory_bytes())
    return kiln_fail(report, KILN_ERR_MEMORY, "a buffer of %zu bytes is larger than the machine's memory (%llu bytes)",
                     size, (unsigned long long)kiln_host_memory_bytes());
  struct kiln_drv_memory *memory = malloc(sizeof *memory);
  if (!memory)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a buffer of %zu bytes", size);
  memory->data = host;
  memory->size = size;
  memory->wrapped = host != NULL;
  if (!host) {
    size_t align = size >= HUGE_PAGE_FROM ? HUGE_PAGE : KILN_HOST_ALIGN;
    // A whole number of lines of its own: another buffer never shares a cache line with this one.
    size_t bytes = (size + align - 1) / align * align;
    void *data = NULL;
    if (posix_memalign(&data, align, bytes ? bytes : align)) {
      free(memory);
      return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a buffer of %zu bytes", size);
    }
    if (bytes <= ZEROED_TO)
      memset(data, 0, bytes);
    if (align == HUGE_PAGE)
      madvise(data, bytes, MADV_HUGEPAGE); // only advice: the kernel may not have it
    memory->data = data;
  }
  *out = memory;
  return KILN_OK;
}

void kiln_host_free(struct kiln_drv *drv, struct kiln_drv_memory *memory) {
  (void)drv;
  if (!memory)
    return;
  if (!memory->wrapped)
    free(memory->data);
  free(memory);
}

void *kiln_host_host_pointer(struct kiln_drv *drv, struct kiln_drv_memory *memory) {
  (void)drv;
  return memory->data;
}
