// The context: what was chosen when it was opened, its driver once something needs it, and the objects whose release
// had to wait for work in flight.
#ifndef KILN_JIT_CONTEXT_H
#define KILN_JIT_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "jit/isolate.h"
#include "jit/registry.h"
#include "jit/report.h"
#include "jit/retire.h"
#include "kiln/backend.h"

struct kiln_cache;
struct kiln_record;
struct kiln_binary;
struct kiln_trace;

enum { KILN_TOOLCHAIN_MEMO = 8 };

// Identities of the compiler that this context has found out, by the options that they depend on.
struct kiln_toolchains {
  pthread_mutex_t lock;
  uint32_t count, next;
  struct {
    uint8_t options[16], id[16];
    bool there;
  } items[KILN_TOOLCHAIN_MEMO];
};

struct kiln_context {
  _Atomic uint32_t refs; // the caller's, and one per object made from the context
  struct kiln_env env;
  struct kiln_registry registry;
  const struct kiln_base_backend *backend;
  struct kiln_target target;
  struct kiln_gpu_target public_target;   // strings of target
  char label[sizeof(struct kiln_target)]; // the target in one line
  struct kiln_caps caps;
  kiln_log_fn *log; // NULL: nothing is logged
  void *log_user;
  enum kiln_log_level log_level;
  int log_fd; // where messages are written when the host has no callback
  kiln_print_fn *print;
  void *print_user;
  void (*closed)(void *user); // NULL: nobody asks
  void *closed_user;
  uint32_t num_threads;
  bool debug; // COMPILE_DEBUG
  bool report_faults;
  const char *dump_dir;     // NULL: none
  const char *override_dir; // NULL: none
  char *cpus;               // as in kiln_context_desc
  struct kiln_isolate isolate;
  kiln_at_fn *at; // of a compile helper: is told where a compile is; else NULL
  void *at_user;

  struct kiln_cache *cache; // NULL: off
  bool cache_off;
  atomic_bool told_compatible; // that a program runs code of another target
  struct kiln_toolchains toolchains;
  struct kiln_arena_pool pool; // for the front end
  _Atomic uint64_t compiles;
  _Atomic uint64_t lookup_ns, front_ns, back_ns; // spent so far
  kiln_cache_event_fn *cache_event;              // NULL: nobody listens
  void *cache_event_user;
  struct kiln_record *record;         // NULL: requests are not recorded
  _Atomic(struct kiln_trace *) trace; // NULL: there never was one
  atomic_bool traces;                 // one is written now
  _Atomic uint64_t loads, load_ns;    // programs loaded into the driver
  _Atomic uint64_t buffers, buffer_bytes, peak_buffer_bytes;

  pthread_mutex_t driver_lock;
  _Atomic(struct kiln_drv *) drv; // opened on first need
  struct kiln_device_info *devices;
  char *extensions; // as in kiln_device_traits, once somebody asks; under driver_lock
  uint32_t device_count;
  struct kiln_drv_memory **markers; // per device, on first need: what an empty command writes to

  _Atomic uint32_t unsignalled; // events of the host that are not signalled yet
  pthread_mutex_t notify_lock;  // of what follows, and of who is told of events
  struct kiln_watcher *watchers;

  const struct kiln_native_context *native; // what the driver is opened on, while the context is being opened

  _Atomic uint64_t tune_generation; // goes up when a tuning record is written or removed
  struct kiln_retire retire;
  _Atomic uint64_t deadline; // that new streams have, in nanoseconds; 0: none
};

void kiln_context_ref(struct kiln_context *ctx);
void kiln_context_unref(struct kiln_context *ctx);

// Opens the driver on first use. UNAVAILABLE when the backend has none.
enum kiln_status kiln_context_driver(struct kiln_context *ctx, struct kiln_drv **out);
// Checks a device number; opens the driver.
enum kiln_status kiln_context_device(struct kiln_context *ctx, uint32_t device, struct kiln_drv **out);

// A report that logs to the context's log.
struct kiln_report kiln_context_report(const struct kiln_context *ctx);
__attribute__((format(printf, 3, 4))) void kiln_context_log(const struct kiln_context *ctx, enum kiln_log_level level,
                                                            const char *format, ...);

#endif
