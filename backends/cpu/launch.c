// Launches: the argument block is laid out once; each run gives ranges of work-groups to the pool. Memory of the
// workers (local memory and values that live across barriers) is kept with the launch, so that a run allocates nothing
// unless the same launch runs twice at the same time.
#include "backends/cpu/cpu.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/printf.h"

#define TINY_STEPS 20000       // instructions that an enqueue may run at once; one on vectors counts as two
#define BRIEF_STEPS 10000000   // the same of a thread that waits for a limited time
#define FREE_GROUP 1024        // work-items per group where the caller leaves it open
#define FREE_GROUP_PARTIAL 256 // the same, when no good divisor exists

// The work-items as they are cut into calls of the kernel. That may be another shape than the caller's, such as one row
// of 4,096 for 64 x 64; queries of the kernel answer with the caller's.
struct space {
  uint64_t global[3], local[3], offset[3], groups[3];
  int turned; // 1: dimensions 0 and 1 of groups with barriers are exchanged
};

struct kiln_drv_launch {
  struct kiln_host_launch host; // first
  struct kiln_drv_kernel *kernel;
  struct kiln_cpu_launch abi;
  struct space space;
  void *args;
  uint64_t group_count, group_items;
  size_t local_bytes, item_bytes; // per worker, multiples of KILN_CPU_ALIGN
  void *workers;                  // atomic: memory of all workers while no run uses it; NULL otherwise
  bool lost_text;                 // atomic: a work-item printed what there was no memory for
};

#define PAGE 4096

static size_t round_up(size_t size) { return (size + KILN_CPU_ALIGN - 1) / KILN_CPU_ALIGN * KILN_CPU_ALIGN; }

static void *alloc_aligned(size_t size, size_t align) {
  void *memory = NULL;
  return posix_memalign(&memory, align, size ? size : align) ? NULL : memory;
}

static int print_hook(void *user, const char *format, const kiln_type *types, uint32_t count, const void *values) {
  struct kiln_drv_launch *launch = user;
  struct kiln_cpu_guard *guard = kiln_cpu_guard_suspend(); // what follows is not the kernel
  int result = kiln_host_printf(launch->host.drv, format, types, count, values, &launch->lost_text);
  kiln_cpu_guard_resume(guard);
  return result;
}

// ---- preparing

// Rows as long as possible, a divisor of the size if there is a good one (partial groups cost a comparison per group),
// and a multiple of what the kernel wants, if the size is one.
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

// Makes groups that the driver chose smaller, until their item block is within its limit. Rows stay multiples of what
// the kernel wants.
static void limit_local(const struct kiln_drv_kernel *kernel, uint64_t local[3]) {
  uint64_t most = kiln_cpu_most_items(kernel),
           unit = kernel->meta.row_unit && local[0] % kernel->meta.row_unit == 0 ? kernel->meta.row_unit : 1;
  if (local[0] * local[1] * local[2] <= most)
    return;
  local[1] = local[2] = 1;
  while (local[0] > most && local[0] % (2 * unit) == 0)
    local[0] /= 2;
  if (local[0] > most && local[0] > unit)
    local[0] = unit;
}

#define FLAT_GROUP KILN_CPU_MAX_GROUP // work-items per group of a flat launch
#define FLAT_GROUP_LEAST 64
#define FLAT_TILE 16  // work-items of a row of a tile: more cache lines at a power of two would not fit a cache set
#define FLAT_BLOCK 64 // the same of a kernel that runs rows together
#define FLAT_TILE_ROWS 64
#define GROUPS_PER_THREAD 4 // at least; and where groups have more than FREE_GROUP work-items:
#define LARGE_GROUPS_PER_THREAD 16

// For a flat kernel: long rows, or tiles of shorter ones (of so many work-items; 0: none), and enough groups for all
// threads.
static void choose_flat(struct space *space, uint32_t threads, uint64_t tile) {
  uint64_t total = kiln_cpu_product(space->global), items = tile ? tile * FLAT_TILE_ROWS : FLAT_GROUP;
  while (items > FLAT_GROUP_LEAST &&
         total / items < (uint64_t)threads * (items > FREE_GROUP ? LARGE_GROUPS_PER_THREAD : GROUPS_PER_THREAD))
    items /= 2;
  uint64_t rows = tile && space->global[1] && items > tile ? items / tile : 1;
  rows = rows < space->global[1] || rows == 1 ? rows : space->global[1];
  for (int d = 0; d < 3; d++) {
    uint64_t most = d ? items : items / rows;
    if (most > FLAT_GROUP_LEAST)
      most -= most % FLAT_GROUP_LEAST; // rows begin at multiples of the lanes
    space->local[d] = space->global[d] < most ? space->global[d] : most;
    if (!space->local[d])
      space->local[d] = 1;
    items = items / space->local[d];
    items = items ? items : 1;
  }
}

static void turn(uint64_t size[3]) {
  uint64_t first = size[0];
  size[0] = size[1], size[1] = first;
}

// All work-items, or those of each plane, become one row.
static void flatten(struct space *space, bool planes) {
  space->global[0] *= space->global[1];
  if (!planes)
    space->global[0] *= space->global[2];
  space->global[1] = 1;
  if (!planes)
    space->global[2] = 1;
  for (int d = 0; d < 3; d++)
    space->offset[d] = 0;
}

// The numbers of groups. False: there are too many.
static bool cut(const uint64_t global[3], const uint64_t local[3], uint64_t groups[3]) {
  for (int d = 0; d < 3; d++)
    groups[d] = global[d] / local[d] + (global[d] % local[d] != 0);
  uint64_t total = 1;
  for (int d = 0; d < 3; d++)
    if (__builtin_mul_overflow(total, groups[d], &total))
      return false;
  return true;
}

// How the work-items are cut into calls, whatever the kernel is told of the launch.
static void choose_space(struct kiln_drv_launch *launch) {
  const struct kiln_cpu_launch *abi = &launch->abi;
  struct space *space = &launch->space;
  uint32_t flags = launch->kernel->meta.flags;
  space->turned = flags & KILN_CPU_INTERCHANGED && !(flags & KILN_CPU_FLAT);
  memcpy(space->global, abi->global, sizeof space->global);
  memcpy(space->local, abi->local, sizeof space->local);
  memcpy(space->offset, abi->offset, sizeof space->offset);
  if (flags & KILN_CPU_FLATTENED)
    flatten(space, flags & KILN_CPU_FLAT_PLANES);
  if (flags & KILN_CPU_FLAT)
    choose_flat(space, kiln_pool_size(launch->host.drv->pool),
                flags & KILN_CPU_COLUMNS   ? FLAT_TILE
                : flags & KILN_CPU_BLOCKED ? FLAT_BLOCK
                                           : 0);
  // Whole rows, for where the kernel runs these.
  if (flags & KILN_CPU_FLATTENED && space->local[0] > abi->global[0] && abi->global[0])
    space->local[0] -= space->local[0] % abi->global[0];
}

static enum kiln_status fail_items(const struct kiln_drv_launch *launch, uint64_t items, struct kiln_report *report) {
  uint64_t bytes = launch->kernel->meta.item_bytes;
  return kiln_fail(
      report, KILN_ERR_INVALID,
      "kernel '%s' keeps %llu bytes of private memory across barriers for each of %llu work-items, %.1f MiB "
      "together; at most %u MiB are possible, which is enough for %llu",
      launch->kernel->info->name, (unsigned long long)bytes, (unsigned long long)items,
      (double)(bytes * items) / 1048576.0, KILN_CPU_MAX_ITEM_BLOCK >> 20,
      (unsigned long long)kiln_cpu_most_items(launch->kernel));
}

// The launch with groups of that size, as the caller might have given it.
static struct kiln_drv_launch_desc with_groups(const struct kiln_drv_launch_desc *desc, const uint64_t local[3]) {
  struct kiln_drv_launch_desc sized = *desc;
  memcpy(sized.local, local, sizeof sized.local);
  sized.local_free = false;
  return sized;
}

// The size of groups where the caller leaves it open: one that the kernel runs.
static void choose_open(const struct kiln_drv_kernel *kernel, const struct kiln_drv_launch_desc *desc,
                        uint64_t local[3]) {
  static const uint32_t groups =
      KILN_CPU_IF(PLANES) | KILN_CPU_IF(ROWS) | KILN_CPU_IF(COLUMNS) | KILN_CPU_IF(CUT_SUB_GROUPS);
  choose_local(kernel, desc->global, local);
  if (kernel->meta.merged)
    local[0] = 1;
  struct kiln_drv_launch_desc sized = with_groups(desc, local);
  if (kiln_cpu_conditions(&sized, kernel->needs & groups))
    local[1] = local[2] = 1;
  limit_local(kernel, local);
  for (int d = 0; d < 3 && kernel->needs & KILN_CPU_IF(PARTIAL_GROUPS); d++)
    if (desc->global[d] && local[d] && desc->global[d] % local[d])
      local[d] = 1;
}

// A launch that wants a variant comes with the kernel of that one.
static enum kiln_status check_needs(const struct kiln_drv_launch_desc *desc, const uint64_t local[3],
                                    struct kiln_report *report) {
  const struct kiln_drv_kernel *kernel = desc->kernel;
  struct kiln_drv_launch_desc sized = with_groups(desc, local);
  uint32_t chosen = desc->local_free ? KILN_CPU_IF(PARTIAL_GROUPS) : 0; // choose_open has seen to that
  uint32_t held = kiln_cpu_conditions(&sized, kernel->needs & ~chosen);
  return held ? kiln_fail(report, KILN_ERR_INTERNAL, "kernel '%s' is not compiled for %s", kernel->info->name,
                          kiln_cpu_refusal(held))
              : KILN_OK;
}

static enum kiln_status prepare_sizes(struct kiln_drv_launch *launch, const struct kiln_drv_launch_desc *desc,
                                      struct kiln_report *report) {
  struct kiln_cpu_launch *abi = &launch->abi;
  const char *name = launch->kernel->info->name;
  memcpy(abi->global, desc->global, sizeof abi->global);
  memcpy(abi->local, desc->local, sizeof abi->local);
  memcpy(abi->offset, desc->offset, sizeof abi->offset);
  abi->work_dim = desc->work_dim;
  abi->noalias = desc->noalias;
  if (desc->local_free)
    choose_open(launch->kernel, desc, abi->local);
  enum kiln_status status = check_needs(desc, abi->local, report);
  if (status)
    return status;
  abi->local[0] = kiln_cpu_row(launch->kernel, abi->local);
  if (launch->kernel->meta.schedule.shape == KILN_CPU_SHAPE_SINGLE && kiln_cpu_product(abi->local) != 1)
    return kiln_fail(report, KILN_ERR_INVALID, "kernel '%s' is compiled for groups of one work-item", name);
  uint64_t items = 1;
  for (int d = 0; d < 3; d++) {
    if (!abi->local[d] || abi->local[d] > KILN_CPU_MAX_GROUP || (items *= abi->local[d]) > KILN_CPU_MAX_GROUP)
      return kiln_fail(report, KILN_ERR_INVALID,
                       "kernel '%s': a work-group of %llu x %llu x %llu work-items; at most %u are possible", name,
                       (unsigned long long)abi->local[0], (unsigned long long)abi->local[1],
                       (unsigned long long)abi->local[2], KILN_CPU_MAX_GROUP);
  }
  if (launch->kernel->meta.flags & KILN_CPU_INTERCHANGED) {
    turn(abi->global);
    turn(abi->local);
    turn(abi->offset);
  }
  if (!cut(abi->global, abi->local, abi->groups))
    return kiln_fail(report, KILN_ERR_INVALID, "kernel '%s': too many work-groups", name);
  choose_space(launch);
  struct space *space = &launch->space;
  items = kiln_cpu_product(space->local);
  if (!cut(space->global, space->local, space->groups))
    return kiln_fail(report, KILN_ERR_INVALID, "kernel '%s': too many work-groups", name);
  launch->group_count = kiln_cpu_product(space->groups);
  launch->group_items = items;
  launch->item_bytes = round_up((size_t)launch->kernel->meta.item_bytes * items);
  if (items > kiln_cpu_most_items(launch->kernel))
    return fail_items(launch, items, report);
  uint64_t steps = launch->kernel->meta.tiny, lanes = launch->kernel->meta.lanes;
  uint64_t calls = lanes > 1 ? (items + lanes - 1) / lanes * 2 : items;
  launch->host.tiny = steps && steps <= TINY_STEPS && launch->group_count <= TINY_STEPS / calls / steps;
  launch->host.brief = steps && steps <= BRIEF_STEPS && launch->group_count <= BRIEF_STEPS / calls / steps;
  return KILN_OK;
}

#define NONTEMPORAL_MIN_ROW 16   // work-items of a row of a group, which fill cache lines
#define NONTEMPORAL_MAX_ROW 64   // the processor prefetches longer rows
#define NONTEMPORAL_ITEM_BYTES 8 // that a work-item is assumed to write

#define CACHE_SHARE_LEAST (1u << 16)
#define CACHE_SHARE_MOST (32u << 20)

// Three eighths of the largest cache, since what is written takes as much again from where it is computed.
static uint64_t cache_share(struct kiln_drv *drv) {
  uint64_t share = __atomic_load_n(&drv->cache_share, __ATOMIC_RELAXED);
  if (share)
    return share;
  uint64_t cache = kiln_cpu_largest_cache();
  share = !cache ? UINT64_MAX : cache / 8 * 3 < CACHE_SHARE_MOST ? cache / 8 * 3 : CACHE_SHARE_MOST;
  share = share < CACHE_SHARE_LEAST ? CACHE_SHARE_LEAST : share;
  __atomic_store_n(&drv->cache_share, share, __ATOMIC_RELAXED);
  return share;
}

// Whether the launch writes more to the buffer than the cache keeps, assuming that it writes all of it.
static bool is_large(const struct kiln_drv_launch *launch, const struct kiln_drv_launch_desc *desc,
                     const struct kiln_drv_arg *arg) {
  uint64_t items = kiln_cpu_product(desc->global);
  const uint64_t *local = launch->space.local;
  bool fits = local[0] >= NONTEMPORAL_MIN_ROW && local[0] <= NONTEMPORAL_MAX_ROW && local[1] > 1;
  if (!fits || items < CACHE_SHARE_LEAST / NONTEMPORAL_ITEM_BYTES || !arg->memory || arg->memory->size < arg->offset)
    return false;
  uint64_t share = cache_share((struct kiln_drv *)launch->host.drv);
  return items >= share / NONTEMPORAL_ITEM_BYTES && arg->memory->size - arg->offset >= share;
}

static enum kiln_status prepare_args(struct kiln_drv_launch *launch, const struct kiln_drv_launch_desc *desc,
                                     struct kiln_report *report) {
  const struct kiln_drv_kernel *kernel = launch->kernel;
  if (desc->arg_count != kernel->meta.arg_count)
    return kiln_fail(report, KILN_ERR_INVALID, "kernel '%s' takes %u arguments, not %u", kernel->info->name,
                     kernel->meta.arg_count, desc->arg_count);
  size_t local = round_up(kernel->meta.local_bytes);
  uint32_t groups = kernel->meta.merged ? kernel->meta.merged : 1;
  launch->args = alloc_aligned(round_up(kernel->meta.arg_bytes), KILN_CPU_ALIGN);
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
      word = arg->memory ? (uint64_t)(uintptr_t)arg->memory->data + arg->offset : (uint64_t)(uintptr_t)arg->data;
      if (i < 64 && is_large(launch, desc, arg))
        launch->abi.large |= UINT64_C(1) << i;
      break;
    case KILN_ARG_LOCAL:
      word = local;
      if (arg->size > KILN_CPU_LOCAL_BYTES || (local += round_up(arg->size * groups)) > KILN_CPU_LOCAL_BYTES)
        return kiln_fail(report, KILN_ERR_INVALID, "kernel '%s': more than %u bytes of local memory",
                         kernel->info->name, KILN_CPU_LOCAL_BYTES);
      break;
    case KILN_ARG_IMAGE: // drivers get buffers and values in their place
    case KILN_ARG_SAMPLER:
      break;
    }
    memcpy(to, &word, sizeof word);
  }
  launch->local_bytes = local;
  return KILN_OK;
}

// Whole pages: stores across two of them are slow, so small local memory lies in one.
static size_t worker_bytes(const struct kiln_drv_launch *launch) {
  size_t bytes = launch->local_bytes + launch->item_bytes;
  return bytes ? (bytes + 3 * (size_t)KILN_CPU_ROOM + PAGE - 1) / PAGE * PAGE : 0;
}

static void *alloc_workers(const struct kiln_drv_launch *launch) {
  return alloc_aligned(worker_bytes(launch) * kiln_pool_size(launch->host.drv->pool), PAGE);
}

static enum kiln_status check_stack(const struct kiln_drv_kernel *kernel, struct kiln_report *report) {
  uint32_t bytes = kernel->meta.stack_bytes;
  if (bytes <= KILN_CPU_MAX_STACK)
    return KILN_OK;
  return kiln_fail(report, KILN_ERR_INVALID,
                   "kernel '%s' needs %s%.1f MiB of stack for the private variables of %u work-item%s; at most %u MiB "
                   "are possible",
                   kernel->info->name, bytes == UINT32_MAX ? "more than " : "", bytes / 1048576.0, kernel->meta.lanes,
                   kernel->meta.lanes == 1 ? "" : "s at a time", KILN_CPU_MAX_STACK >> 20);
}

enum kiln_status kiln_cpu_prepare(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc,
                                  struct kiln_drv_launch **out, struct kiln_report *report) {
  struct kiln_drv_launch *launch = calloc(1, sizeof *launch);
  if (!launch)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a launch");
  kiln_host_launch_init(&launch->host, &drv->host, false);
  launch->kernel = desc->kernel;
  launch->abi.print = print_hook;
  launch->abi.print_user = launch;
  launch->abi.state = desc->kernel->module->state;
  enum kiln_status status = check_stack(launch->kernel, report);
  if (!status)
    status = prepare_sizes(launch, desc, report);
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

struct kiln_cpu_run {
  const struct kiln_drv_launch *launch;
  const struct kiln_cpu_launch *abi;
  const struct kiln_host_stop *stop;
  pthread_t thread;          // that called; pool threads help it
  bool interrupted;          // guarded by runs_lock
  struct kiln_cpu_run *next; // of those that can be interrupted; guarded by runs_lock
  char *workers;
  uint32_t unfinished;     // atomic: 1 once a work-group has not run to its end
  enum kiln_status failed; // atomic: once it is an error, no further group starts
  // Of the first group that failed, if that is DEVICE:
  const char *failure;         // why, where it did so by itself
  struct kiln_cpu_fault fault; // else
  struct kiln_cpu_group fault_group;
};

// Groups [first, end) of it, on one thread.
struct piece {
  struct kiln_cpu_run *run;
  uint32_t worker;
  uint64_t first, end;
  struct kiln_cpu_group group; // that is at work
};

// A group that leaves before its end comes here.
struct leave_point {
  jmp_buf buffer;
  const char *failure; // NULL: it was to stop
};

// Ends the work-group from wherever the kernel is: it holds nothing that must be released.
static void leave(const struct kiln_cpu_group *group, const char *failure) {
  struct leave_point *point = group->leave_to;
  point->failure = failure;
  _longjmp(point->buffer, 1);
}

// The group at its id.
static void set_group(const struct space *launch, struct kiln_cpu_group *group, int d) {
  uint64_t start = group->id[d] * launch->local[d], rest = launch->global[d] - start;
  group->base[d] = launch->offset[d] + start;
  group->size[d] = rest < launch->local[d] ? rest : launch->local[d];
}

// Groups are counted with the caller's dimension 0 fastest.
static void next_group(const struct space *launch, struct kiln_cpu_group *group) {
  for (int i = 0; i < 3; i++) {
    int d = i < 2 ? i ^ launch->turned : i;
    bool wraps = ++group->id[d] == launch->groups[d];
    if (wraps)
      group->id[d] = 0;
    set_group(launch, group, d);
    if (!wraps)
      return;
  }
}

// What fails first is what is told.
static bool fail(struct kiln_cpu_run *run, enum kiln_status status) {
  enum kiln_status none = KILN_OK;
  return __atomic_compare_exchange_n(&run->failed, &none, status, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static bool has_failed(const struct kiln_cpu_run *run) { return __atomic_load_n(&run->failed, __ATOMIC_RELAXED); }

// The groups of the piece, until the launch is to stop.
static void run_range(struct piece *piece, void *leave_to) {
  struct kiln_cpu_run *run = piece->run;
  const struct kiln_drv_launch *launch = run->launch;
  const struct kiln_cpu_launch *abi = run->abi;
  char *memory = run->workers ? run->workers + piece->worker * worker_bytes(launch) + KILN_CPU_ROOM : NULL;
  void *items = memory ? memory + launch->local_bytes + KILN_CPU_ROOM : NULL;
  bool planes = launch->kernel->meta.flags & KILN_CPU_PLANES, rows = launch->kernel->meta.flags & KILN_CPU_ROWS;
  const struct space *space = &launch->space;
  int x = space->turned;
  uint64_t row = piece->first / space->groups[x];
  struct kiln_cpu_group *group = &piece->group;
  *group = (struct kiln_cpu_group){.id[2] = row / space->groups[!x], .leave_to = leave_to};
  group->id[x] = piece->first % space->groups[x];
  group->id[!x] = row % space->groups[!x];
  for (int d = 0; d < 3; d++)
    set_group(space, group, d);
  const struct kiln_host_stop *stop = run->stop;
  kiln_cpu_kernel_fn *kernel = launch->kernel->run;
  uint64_t i = piece->first;
  for (; i < piece->end && !kiln_host_stops(stop) && !has_failed(run); i++) {
    for (group->plane = 0; group->plane < (planes ? group->size[2] : 1); group->plane++)
      for (uint64_t y = 0; y < (rows ? group->size[1] : 1); y++)
        kernel(abi, memory, items, group);
    next_group(space, group);
  }
  if (i < piece->end)
    __atomic_store_n(&run->unfinished, 1, __ATOMIC_RELAXED);
}

static void note_leaving(struct kiln_cpu_run *run, const struct leave_point *point) {
  if (!point->failure)
    __atomic_store_n(&run->unfinished, 1, __ATOMIC_RELAXED);
  else if (fail(run, KILN_ERR_DEVICE))
    run->failure = point->failure;
}

// False: a group has left before its end, and the point says why.
static bool run_leaving(struct piece *piece, struct leave_point *point) {
  if (_setjmp(point->buffer))
    return false;
  run_range(piece, point);
  return true;
}

static void run_to_end(void *user) {
  struct piece *piece = user;
  struct leave_point point;
  if (!(piece->run->launch->kernel->meta.flags & KILN_CPU_LEAVES))
    run_range(piece, NULL);
  else if (!run_leaving(piece, &point)) {
    struct kiln_cpu_guard *guard = kiln_cpu_guard_suspend(); // an interrupt would come between status and reason
    note_leaving(piece->run, &point);
    kiln_cpu_guard_resume(guard);
  }
}

static void run_guarded(struct piece *piece) {
  struct kiln_cpu_run *run = piece->run;
  struct kiln_cpu_fault fault;
  switch (kiln_cpu_guard(run->stop, run_to_end, piece, &fault)) {
  case KILN_CPU_DONE:
    return;
  case KILN_CPU_STOPPED:
    __atomic_store_n(&run->unfinished, 1, __ATOMIC_RELAXED);
    return;
  case KILN_CPU_FAULTED:
    if (!fail(run, KILN_ERR_DEVICE))
      return;
    run->fault = fault;
    run->fault_group = piece->group;
    return;
  }
}

static void run_piece(void *user) {
  struct piece *piece = user;
  struct kiln_drv *drv = (struct kiln_drv *)piece->run->launch->host.drv;
  if (drv->report_faults)
    run_guarded(piece);
  else
    run_to_end(piece);
#if defined(__x86_64__)
  if (piece->run->abi->large)
    __builtin_ia32_sfence(); // what went around the cache is there before others hear that the groups have run
#endif
}

static void run_groups(void *user, uint32_t worker, uint64_t first, uint64_t end) {
  struct kiln_cpu_run *run = user;
  struct piece piece = {.run = run, .worker = worker, .first = first, .end = end};
  size_t stack = run->launch->kernel->meta.stack_bytes;
  struct kiln_drv *drv = (struct kiln_drv *)run->launch->host.drv;
  if (has_failed(run))
    return;
  if (stack <= KILN_CPU_CALLER_STACK)
    run_piece(&piece);
  else if (!kiln_cpu_on_stack(&drv->stacks, stack + KILN_CPU_STACK_MARGIN, run_piece, &piece))
    fail(run, KILN_ERR_MEMORY);
}

static void tell_failure(const char *kernel, const char *failure, char *message, size_t message_size) {
  struct kiln_strbuf text = {0};
  kiln_printf_format(&text, &(struct kiln_printf_call){.format = failure, .format_size = strlen(failure)});
  snprintf(message, message_size, "kernel '%s' failed: %s", kernel, text.failed ? failure : text.data);
  kiln_strbuf_free(&text);
}

static enum kiln_status end_run(const struct kiln_cpu_run *run, struct kiln_drv_launch *launch, char *message,
                                size_t message_size) {
  const struct kiln_drv_kernel *kernel = launch->kernel;
  bool lost_text = __atomic_load_n(&launch->lost_text, __ATOMIC_RELAXED) &&
                   __atomic_exchange_n(&launch->lost_text, false, __ATOMIC_RELAXED);
  if (run->failure)
    tell_failure(kernel->info->name, run->failure, message, message_size);
  else if (run->failed == KILN_ERR_DEVICE)
    kiln_cpu_tell_fault(kernel, &run->fault, &run->fault_group, run->abi->work_dim, message, message_size);
  else if (run->failed)
    snprintf(message, message_size, "kernel '%s': out of memory for a stack of %u bytes per thread", kernel->info->name,
             kernel->meta.stack_bytes);
  else if (run->unfinished)
    return kiln_host_stopped(run->stop, kernel->info->name, message, message_size);
  else if (lost_text)
    snprintf(message, message_size, "kernel '%s': out of memory for what it prints", kernel->info->name);
  return run->failed ? run->failed : lost_text ? KILN_ERR_MEMORY : KILN_OK;
}

static void run_on_pool(struct kiln_cpu_run *run, struct kiln_drv_launch *launch, struct kiln_pool *pool) {
  if (launch->host.tiny || launch->group_count == 1 || kiln_pool_size(pool) == 1)
    run_groups(run, 0, 0, launch->group_count);
  else
    kiln_cpu_share(pool, &((struct kiln_drv *)launch->host.drv)->streak, launch->group_count, launch->group_items,
                   &launch->kernel->pace, run_groups, run);
}

// Under the lock. In a forked child the threads of the parent's runs are not there.
static void forget_parent(struct kiln_drv *drv) {
  if (drv->runs_pid == getpid())
    return;
  drv->runs_pid = getpid();
  drv->runs = NULL;
}

// Runs it so that faults and interrupts reach it: the signals are not blocked on this thread, and the run is in the
// list. Threads of the pool never block these signals.
static void run_caught(struct kiln_cpu_run *run, struct kiln_drv_launch *launch, struct kiln_pool *pool) {
  struct kiln_drv *drv = (struct kiln_drv *)launch->host.drv;
  sigset_t mask;
  bool blocked = kiln_cpu_unblock(&mask);
  run->thread = pthread_self();
  pthread_mutex_lock(&drv->runs_lock);
  forget_parent(drv);
  run->next = drv->runs;
  drv->runs = run;
  pthread_mutex_unlock(&drv->runs_lock);
  run_on_pool(run, launch, pool);
  pthread_mutex_lock(&drv->runs_lock);
  struct kiln_cpu_run **at = &drv->runs;
  while (*at && *at != run) // a callback may have forked: the child has forgotten it
    at = &(*at)->next;
  if (*at)
    *at = run->next;
  pthread_mutex_unlock(&drv->runs_lock);
  if (run->interrupted)
    sched_yield(); // the signal has arrived when a system call returns: the handlers may go now
  if (blocked)
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

// A thread that is in none of the run's groups ignores the signal. One that enters a group later sees that it is to
// stop.
void kiln_cpu_interrupt_run(struct kiln_host_drv *host, const struct kiln_host_stop *stop) {
  struct kiln_drv *drv = (struct kiln_drv *)host;
  if (!drv->report_faults || !kiln_cpu_can_interrupt())
    return;
  pthread_mutex_lock(&drv->runs_lock);
  forget_parent(drv);
  for (struct kiln_cpu_run *run = drv->runs; run; run = run->next) {
    if (run->stop != stop)
      continue;
    run->interrupted = true;
    kiln_cpu_interrupt(run->thread);
    kiln_pool_each(host->pool, kiln_cpu_interrupt);
  }
  pthread_mutex_unlock(&drv->runs_lock);
}

enum kiln_status kiln_cpu_run(struct kiln_host_launch *host, struct kiln_pool *pool, const struct kiln_host_stop *stop,
                              char *message, size_t message_size) {
  struct kiln_drv_launch *launch = (struct kiln_drv_launch *)host;
  struct kiln_cpu_launch own;
  struct kiln_cpu_run run = {.launch = launch, .abi = &launch->abi, .stop = stop};
  if (!launch->group_count)
    return KILN_OK;
  if (launch->kernel->meta.flags & KILN_CPU_LEAVES) { // the same launch may run on other streams
    own = launch->abi;
    own.stop = &stop->status;
    own.leave = leave;
    run.abi = &own;
  }
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
  if (((struct kiln_drv *)launch->host.drv)->report_faults)
    run_caught(&run, launch, pool);
  else
    run_on_pool(&run, launch, pool);
  if (run.workers)
    free(__atomic_exchange_n(&launch->workers, (void *)run.workers, __ATOMIC_ACQ_REL));
  return end_run(&run, launch, message, message_size);
}
