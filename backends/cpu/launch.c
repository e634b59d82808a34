// Launches: the argument block is laid out once; each run gives ranges of work-groups to the pool. Memory of the
// workers (local memory and values that live across barriers) is kept with the launch, so that a run allocates nothing
// unless the same launch runs twice at the same time.
#include "backends/cpu/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/host/printf.h"

#define GRAIN_ITEMS 2048                  // work-items that are worth another thread
#define TINY_STEPS 20000                  // instructions that an enqueue may run at once
#define MAX_SMALL_IDS ((uint64_t)1 << 31) // global ids that small ones are below
#define FREE_GROUP 1024                   // work-items per group where the caller leaves it open
#define FREE_GROUP_PARTIAL 256            // the same, when no good divisor exists

struct kiln_drv_launch {
  struct kiln_host_launch host; // first
  const struct kiln_drv_kernel *kernel;
  struct kiln_cpu_launch abi;
  void *args;
  uint64_t group_count, grain;
  size_t local_bytes, item_bytes; // per worker, multiples of KILN_CPU_ALIGN
  void *workers;                  // atomic: memory of all workers while no run uses it; NULL otherwise
};

static size_t round_up(size_t size) { return (size + KILN_CPU_ALIGN - 1) / KILN_CPU_ALIGN * KILN_CPU_ALIGN; }

static void *alloc_aligned(size_t size) {
  void *memory = NULL;
  return posix_memalign(&memory, KILN_CPU_ALIGN, size ? size : KILN_CPU_ALIGN) ? NULL : memory;
}

static int print_hook(void *user, const char *format, const kiln_type *types, uint32_t count, const void *values) {
  return kiln_host_printf(user, format, types, count, values);
}

// ---- preparing

// Whether rows of all groups, the last ones too, are multiples of unit.
static bool are_multiples(const uint64_t global[3], const uint64_t local[3], uint64_t unit) {
  return global[0] % unit == 0 && (local[0] % unit == 0 || local[0] >= global[0]);
}

// Whether rows of the launch's groups are what the kernel runs.
static bool fits_rows(const struct kiln_drv_kernel *kernel, const uint64_t global[3], const uint64_t local[3]) {
  return !kernel->meta.row_unit || are_multiples(global, local, kernel->meta.row_unit);
}

// Rows as long as possible, of a divisor of the size when there is a good one: partial groups are correct, but cost a
// comparison per group. Multiples of what the kernel wants, if the size is one.
static void choose_local(const struct kiln_drv_kernel *kernel, const uint64_t global[3], uint64_t local[3]) {
  uint64_t unit = kernel->meta.row_unit, units[3] = {global[0], global[1], global[2]};
  if (!unit || global[0] % unit)
    unit = 1;
  units[0] /= unit;
  kiln_host_choose_local(units, FREE_GROUP / unit, local);
  local[0] *= unit;
  if (local[0] < 64 && global[0] > FREE_GROUP) {
    local[0] = FREE_GROUP_PARTIAL;
    local[1] = local[2] = 1;
  }
}

#define FLAT_GROUP KILN_CPU_MAX_GROUP // work-items per group of a flat launch
#define FLAT_GROUP_LEAST 64
#define FLAT_TILE 16 // work-items of a row where columns are walked: of more, lines at a power of two would not fit
#define FLAT_TILE_ROWS 64
#define GROUPS_PER_THREAD 4 // at least; and where groups have more than FREE_GROUP work-items:
#define LARGE_GROUPS_PER_THREAD 16

// For a kernel that cannot tell: long rows, or tiles of shorter ones, and groups enough for all threads.
static void choose_flat(const struct kiln_cpu_launch *abi, uint32_t threads, bool tiles, uint64_t local[3]) {
  uint64_t total = 1, items = tiles ? FLAT_TILE * FLAT_TILE_ROWS : FLAT_GROUP;
  for (int d = 0; d < 3; d++)
    if (__builtin_mul_overflow(total, abi->global[d], &total))
      total = UINT64_MAX;
  while (items > FLAT_GROUP_LEAST &&
         total / items < (uint64_t)threads * (items > FREE_GROUP ? LARGE_GROUPS_PER_THREAD : GROUPS_PER_THREAD))
    items /= 2;
  uint64_t rows = tiles && abi->global[1] ? items / FLAT_TILE : 1;
  rows = rows < abi->global[1] || rows == 1 ? rows : abi->global[1];
  for (int d = 0; d < 3; d++) {
    uint64_t most = d ? items : items / rows;
    local[d] = abi->global[d] < most ? abi->global[d] : most;
    if (!local[d])
      local[d] = 1;
    items = items / local[d];
    items = items ? items : 1;
  }
}

// Whether the kernel runs groups of this size, and smaller ones at the end, all planes of them, and with its sub-groups
// where they belong.
static bool fits(const struct kiln_drv_kernel *kernel, const uint64_t global[3], const uint64_t local[3]) {
  uint64_t warp = kernel->module->warp_size;
  if (kernel->meta.flags & KILN_CPU_ONE_PLANE && local[2] > 1 && global[2] > 1)
    return false;
  if (kernel->meta.flags & KILN_CPU_ONE_ROW && local[1] > 1 && global[1] > 1)
    return false;
  if (!(kernel->meta.flags & KILN_CPU_SUB_GROUPS) || kernel->meta.flags & KILN_CPU_PACKED)
    return true;
  bool one_row = (local[1] <= 1 || global[1] <= 1) && (local[2] <= 1 || global[2] <= 1);
  return one_row || (local[0] % warp == 0 && global[0] % warp == 0);
}

// Whether global ids are 2^31 and more where the kernel counts on smaller ones.
static bool exceeds_ids(const struct kiln_drv_kernel *kernel, const uint64_t global[3], const uint64_t offset[3]) {
  bool exceeds = false;
  for (unsigned d = 0; d < 3 && kernel->meta.flags & KILN_CPU_SMALL_IDS; d++)
    exceeds |= global[d] > MAX_SMALL_IDS || offset[d] > MAX_SMALL_IDS - global[d];
  return exceeds;
}

// Whether the lanes of a turned kernel would mostly be empty.
static bool is_narrow(const struct kiln_drv_launch_desc *desc) {
  return desc->kernel->meta.flags & KILN_CPU_NOT_NARROW && desc->global[1] < desc->kernel->module->warp_size &&
         desc->global[1] < desc->global[0];
}

#define MIN_ITEMS 4096 // of a launch for which compiling once more pays

// How many lanes rows of half a warp or less fill; 0: as it is. any: the kernel is compiled once more anyhow.
static unsigned short_rows(const struct kiln_drv_launch_desc *desc, bool any) {
  uint64_t row = desc->local[0] < desc->global[0] ? desc->local[0] : desc->global[0];
  uint64_t items = desc->global[0] * desc->global[1] * desc->global[2];
  if (!(desc->kernel->meta.flags & KILN_CPU_LONG) || (!any && items < MIN_ITEMS) ||
      2 * row > desc->kernel->module->warp_size)
    return 0;
  return row == 1 ? 1 : row <= 4 ? 4 : 8;
}

static const char *fewer_lanes(unsigned lanes, bool whole) {
  if (lanes == 1)
    return "?--kiln-lanes=1";
  if (whole)
    return lanes == 4 ? "?--kiln-lanes=4" : "?--kiln-lanes=8";
  return lanes == 4 ? "?--kiln-lanes=4 --kiln-rows=any" : "?--kiln-lanes=8 --kiln-rows=any";
}

const char *kiln_cpu_variant(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc) {
  (void)drv;
  bool packed = !desc->local_free && !fits(desc->kernel, desc->global, desc->local);
  // A row that is all of the launch is what the driver can choose at the worst.
  bool any = !fits_rows(desc->kernel, desc->global, desc->local_free ? desc->global : desc->local);
  if (exceeds_ids(desc->kernel, desc->global, desc->offset)) // any rows: with such ids it may get other lanes
    return packed ? "--kiln-shape=packed --kiln-ids=64" : "--kiln-ids=64 --kiln-rows=any";
  if (packed)
    return "--kiln-shape=packed";
  if (!desc->without_wishes && is_narrow(desc))
    return "?--kiln-shape=rows";
  unsigned lanes = desc->local_free || desc->without_wishes ? 0 : short_rows(desc, any);
  if (lanes)
    return fewer_lanes(lanes, are_multiples(desc->global, desc->local, lanes));
  return any ? "--kiln-rows=any" : NULL;
}

static void turn(uint64_t size[3]) {
  uint64_t first = size[0];
  size[0] = size[1], size[1] = first;
}

static enum kiln_status prepare_sizes(struct kiln_drv_launch *launch, const struct kiln_drv_launch_desc *desc,
                                      struct kiln_report *report) {
  struct kiln_cpu_launch *abi = &launch->abi;
  const char *name = launch->kernel->info->name;
  memcpy(abi->global, desc->global, sizeof abi->global);
  memcpy(abi->local, desc->local, sizeof abi->local);
  memcpy(abi->offset, desc->offset, sizeof abi->offset);
  abi->work_dim = desc->work_dim;
  abi->apart = desc->apart;
  if (desc->local_free) {
    choose_local(launch->kernel, abi->global, abi->local);
    if (!fits(launch->kernel, abi->global, abi->local))
      abi->local[1] = abi->local[2] = 1;
  }
  if (!fits(launch->kernel, abi->global, abi->local))
    return kiln_fail(report, KILN_ERR_INTERNAL, "kernel '%s' is not compiled for groups of this size", name);
  if (!fits_rows(launch->kernel, abi->global, abi->local))
    return kiln_fail(report, KILN_ERR_INTERNAL, "kernel '%s' is not compiled for rows of this size", name);
  if (exceeds_ids(launch->kernel, desc->global, desc->offset))
    return kiln_fail(report, KILN_ERR_INTERNAL, "kernel '%s' is not compiled for global ids of 2^31 and more", name);
  uint64_t items = 1;
  launch->group_count = 1;
  for (int d = 0; d < 3; d++) {
    if (!abi->local[d] || abi->local[d] > KILN_CPU_MAX_GROUP || (items *= abi->local[d]) > KILN_CPU_MAX_GROUP)
      return kiln_fail(report, KILN_ERR_INVALID,
                       "kernel '%s': a work-group of %llu x %llu x %llu work-items; at most %u are possible", name,
                       (unsigned long long)abi->local[0], (unsigned long long)abi->local[1],
                       (unsigned long long)abi->local[2], KILN_CPU_MAX_GROUP);
  }
  if (launch->kernel->meta.flags & KILN_CPU_TURNED) {
    turn(abi->global);
    turn(abi->offset);
  }
  if (launch->kernel->meta.flags & KILN_CPU_FLAT) {
    choose_flat(abi, kiln_pool_size(launch->host.drv->pool), launch->kernel->meta.flags & KILN_CPU_COLUMNS, abi->local);
    items = abi->local[0] * abi->local[1] * abi->local[2];
  }
  for (int d = 0; d < 3; d++) {
    abi->groups[d] = abi->global[d] / abi->local[d] + (abi->global[d] % abi->local[d] != 0);
    if (__builtin_mul_overflow(launch->group_count, abi->groups[d], &launch->group_count))
      return kiln_fail(report, KILN_ERR_INVALID, "kernel '%s': too many work-groups", name);
  }
  launch->grain = items >= GRAIN_ITEMS ? 1 : GRAIN_ITEMS / items;
  launch->item_bytes = round_up((size_t)launch->kernel->meta.item_bytes * items);
  uint64_t steps = launch->kernel->meta.tiny;
  launch->host.tiny = steps && steps <= TINY_STEPS && launch->group_count <= TINY_STEPS / items / steps;
  return KILN_OK;
}

#define STREAMED_LEAST 16 // work-items of a row of a group, which fill lines of the cache
#define STREAMED_MOST 64  // of longer ones the processor foresees how they go on
#define STREAMED_BYTES 8  // that a work-item may be taken to write

// Whether the launch writes more to the buffer than stays in the cache, if it writes all of it.
static bool is_large(const struct kiln_drv_launch *launch, const struct kiln_drv_launch_desc *desc,
                     const struct kiln_drv_arg *arg) {
  uint64_t share = ((const struct kiln_drv *)launch->host.drv)->cache_share, items = 1;
  for (int d = 0; d < 3; d++)
    if (__builtin_mul_overflow(items, desc->global[d], &items))
      items = UINT64_MAX;
  const uint64_t *local = launch->abi.local;
  bool apart = local[0] >= STREAMED_LEAST && local[0] <= STREAMED_MOST && local[1] > 1;
  return share && apart && items >= share / STREAMED_BYTES && arg->memory && arg->memory->size >= arg->offset &&
         arg->memory->size - arg->offset >= share;
}

static enum kiln_status prepare_args(struct kiln_drv_launch *launch, const struct kiln_drv_launch_desc *desc,
                                     struct kiln_report *report) {
  const struct kiln_drv_kernel *kernel = launch->kernel;
  if (desc->arg_count != kernel->meta.arg_count)
    return kiln_fail(report, KILN_ERR_INVALID, "kernel '%s' takes %u arguments, not %u", kernel->info->name,
                     kernel->meta.arg_count, desc->arg_count);
  size_t local = round_up(kernel->meta.local_bytes);
  launch->args = alloc_aligned(round_up(kernel->meta.arg_bytes));
  if (!launch->args)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a launch");
  memset(launch->args, 0, round_up(kernel->meta.arg_bytes));
  launch->abi.args = launch->args;
  for (uint32_t i = 0; i < desc->arg_count; i++) {
    const struct kiln_drv_arg *arg = &desc->args[i];
    char *to = (char *)launch->args + kernel->arg_offsets[i];
    uint64_t word = 0;
    switch (arg->kind) {
    case KILN_ARG_VALUE:
      memcpy(to, arg->data, arg->size < kernel->info->args[i].size ? arg->size : kernel->info->args[i].size);
      continue;
    case KILN_ARG_BUFFER:
      word = arg->memory ? (uint64_t)(uintptr_t)arg->memory->data + arg->offset : 0;
      if (i < 64 && is_large(launch, desc, arg))
        launch->abi.large |= UINT64_C(1) << i;
      break;
    case KILN_ARG_LOCAL:
      word = local;
      if (arg->size > KILN_CPU_LOCAL_BYTES || (local += round_up(arg->size)) > KILN_CPU_LOCAL_BYTES)
        return kiln_fail(report, KILN_ERR_INVALID, "kernel '%s': more than %u bytes of local memory",
                         kernel->info->name, KILN_CPU_LOCAL_BYTES);
      break;
    }
    memcpy(to, &word, sizeof word);
  }
  launch->local_bytes = local;
  return KILN_OK;
}

static size_t worker_bytes(const struct kiln_drv_launch *launch) {
  size_t bytes = launch->local_bytes + launch->item_bytes;
  return bytes ? bytes + 3 * (size_t)KILN_CPU_ROOM : 0;
}

static void *alloc_workers(const struct kiln_drv_launch *launch) {
  return alloc_aligned(worker_bytes(launch) * kiln_pool_size(launch->host.drv->pool));
}

enum kiln_status kiln_cpu_prepare(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc,
                                  struct kiln_drv_launch **out, struct kiln_report *report) {
  struct kiln_drv_launch *launch = calloc(1, sizeof *launch);
  if (!launch)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a launch");
  kiln_host_launch_init(&launch->host, &drv->host, false);
  launch->kernel = desc->kernel;
  launch->abi.print = print_hook;
  launch->abi.print_user = &drv->host;
  enum kiln_status status = prepare_sizes(launch, desc, report);
  if (!status)
    status = prepare_args(launch, desc, report);
  if (!status && worker_bytes(launch)) {
    launch->workers = alloc_workers(launch);
    if (!launch->workers)
      status = kiln_fail(report, KILN_ERR_MEMORY, "kernel '%s': out of memory for %zu bytes per thread",
                         launch->kernel->info->name, worker_bytes(launch));
  }
  if (status) {
    kiln_cpu_launch_free(&launch->host);
    return status;
  }
  *out = launch;
  return KILN_OK;
}

void kiln_cpu_launch_free(struct kiln_host_launch *host) {
  struct kiln_drv_launch *launch = (struct kiln_drv_launch *)host;
  free(launch->workers);
  free(launch->args);
  free(launch);
}

// ---- running

struct run {
  const struct kiln_drv_launch *launch;
  char *workers;
};

// The group at its id.
static void set_group(const struct kiln_cpu_launch *launch, struct kiln_cpu_group *group, int d) {
  uint64_t start = group->id[d] * launch->local[d], rest = launch->global[d] - start;
  group->base[d] = launch->offset[d] + start;
  group->size[d] = rest < launch->local[d] ? rest : launch->local[d];
}

// Groups are counted with dimension 0 fastest.
static void next_group(const struct kiln_cpu_launch *launch, struct kiln_cpu_group *group) {
  for (int d = 0; d < 3; d++) {
    bool wraps = ++group->id[d] == launch->groups[d];
    if (wraps)
      group->id[d] = 0;
    set_group(launch, group, d);
    if (!wraps)
      return;
  }
}

static void run_groups(void *user, uint32_t worker, uint64_t first, uint64_t end) {
  const struct run *run = user;
  const struct kiln_drv_launch *launch = run->launch;
  const struct kiln_cpu_launch *abi = &launch->abi;
  char *memory = run->workers ? run->workers + worker * worker_bytes(launch) + KILN_CPU_ROOM : NULL;
  void *items = memory ? memory + launch->local_bytes + KILN_CPU_ROOM : NULL;
  bool planes = launch->kernel->meta.flags & KILN_CPU_PLANES, rows = launch->kernel->meta.flags & KILN_CPU_ROWS;
  uint64_t row = first / abi->groups[0];
  struct kiln_cpu_group group = {.id = {first % abi->groups[0], row % abi->groups[1], row / abi->groups[1]}};
  for (int d = 0; d < 3; d++)
    set_group(abi, &group, d);
  for (uint64_t i = first; i < end; i++) {
    for (group.plane = 0; group.plane < (planes ? group.size[2] : 1); group.plane++)
      for (uint64_t y = 0; y < (rows ? group.size[1] : 1); y++)
        launch->kernel->run(abi, memory, items, &group);
    next_group(abi, &group);
  }
#if defined(__x86_64__)
  if (abi->large)
    __builtin_ia32_sfence(); // what went around the cache is there before others hear that the groups have run
#endif
}

enum kiln_status kiln_cpu_run(struct kiln_host_launch *host, struct kiln_pool *pool, char *message,
                              size_t message_size) {
  struct kiln_drv_launch *launch = (struct kiln_drv_launch *)host;
  struct run run = {launch, NULL};
  if (!launch->group_count)
    return KILN_OK;
  if (worker_bytes(launch)) {
    run.workers = __atomic_exchange_n(&launch->workers, NULL, __ATOMIC_ACQ_REL);
    if (!run.workers)
      run.workers = alloc_workers(launch); // another run of this launch is under way
    if (!run.workers) {
      snprintf(message, message_size, "kernel '%s': out of memory for %zu bytes per thread", launch->kernel->info->name,
               worker_bytes(launch));
      return KILN_ERR_MEMORY;
    }
  }
  kiln_pool_run(pool, launch->group_count, launch->grain, run_groups, &run);
  if (run.workers)
    free(__atomic_exchange_n(&launch->workers, (void *)run.workers, __ATOMIC_ACQ_REL));
  return KILN_OK;
}
