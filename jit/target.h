// Choice of backend and target.
#ifndef KILN_JIT_TARGET_H
#define KILN_JIT_TARGET_H

#include "jit/registry.h"

// backend, arch: what the caller asked for, NULL or "" for nothing; then the environment decides, then what is there.
// The target is fully resolved: asking for the default by its name gives the same one.
enum kiln_status kiln_target_choose(struct kiln_registry *registry, const struct kiln_env *env,
                                    struct kiln_report *report, const char *backend, const char *arch,
                                    const struct kiln_base_backend **out_backend, struct kiln_target *out_target);

// What a backend must hold to about a target that it made.
enum kiln_status kiln_target_check(const struct kiln_base_backend *backend, struct kiln_target *target);

#endif
