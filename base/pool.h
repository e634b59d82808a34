// Thread pool for ranges of independent work. The calling thread takes part, so a pool of one thread has no other.
#ifndef KILN_BASE_POOL_H
#define KILN_BASE_POOL_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

struct kiln_pool;

// Runs items [first, end). worker is in [0, kiln_pool_size): no two calls with the same worker number overlap within
// one kiln_pool_run.
typedef void kiln_pool_fn(void *user, uint32_t worker, uint64_t first, uint64_t end);

// threads: how many work at the same time, the caller included; 0: as many as the process may run on
// (sched_getaffinity), or as there are in cpus. Threads start on first use, on these CPUs where cpus is not NULL. NULL
// when memory is exhausted.
struct kiln_pool *kiln_pool_new(uint32_t threads, const cpu_set_t *cpus);
// Reads a list of CPUs, "0-3,8". False: it is none, or the process may run on none of them.
bool kiln_cpus_parse(const char *text, cpu_set_t *out);
void kiln_pool_free(struct kiln_pool *pool); // no run is in progress
uint32_t kiln_pool_size(const struct kiln_pool *pool);
// Calls fn with each thread that the pool has started so far in this process.
void kiln_pool_each(struct kiln_pool *pool, void (*fn)(pthread_t thread));
// Whether a run would find all threads awake now: they wait so for 20 µs after a run, then wake up with a system call.
bool kiln_pool_is_awake(const struct kiln_pool *pool);

// Splits [0, count) evenly over the workers, in pieces of at least grain items, and returns when all have run. Idle
// workers take from the ranges of busy ones. Runs inline when count <= grain or the pool has one thread. May be
// called from several threads at the same time (runs then share the workers), and in a child after fork (threads are
// started anew).
void kiln_pool_run(struct kiln_pool *pool, uint64_t count, uint64_t grain, kiln_pool_fn *fn, void *user);

#endif
