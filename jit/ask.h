// Asks a backend about this machine in a process of its own: drivers of devices, which it loads for the answer, may end
// their process or never answer (struct kiln_base_backend.asks_drivers). For listings; a context has its drivers in
// this process.
#ifndef KILN_JIT_ASK_H
#define KILN_JIT_ASK_H

#include "jit/registry.h"

// What detect_target says: the name of the target, as COMPILE_ARCH would give it, or the status with its reason in
// report. A driver that ends the process or does not answer is UNAVAILABLE. Where no helper is installed, the backend
// is asked in this process.
enum kiln_status kiln_ask_target(const struct kiln_env *env, const struct kiln_registry_entry *entry, char *name,
                                 size_t size, struct kiln_report *report);
// What list_targets says.
enum kiln_status kiln_ask_targets(const struct kiln_env *env, const struct kiln_registry_entry *entry, kiln_name_fn *fn,
                                  void *user, struct kiln_report *report);

// The side of the helper: what asks, about a backend by name. Returns its exit status.
int kiln_ask_helper(const char *what, const char *backend);

#endif
