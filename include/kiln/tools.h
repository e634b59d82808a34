// Backends, targets and environment variables, for tools that list them. Part of kiln.h, which includes it.
#ifndef KILN_TOOLS_H
#define KILN_TOOLS_H

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kiln_backend_info {
  const char *name, *description, *tags; // tags: comma-separated ("debug", "experimental"); "" for none
  bool available;
  const char *reason;         // why it is not available; "" when it is
  const char *default_target; // "arch" as COMPILE_ARCH would give it; "" when not available
  const char *plugin;         // the shared object of a plugin; "" for what is built in
  bool loaded;                // a plugin that is not loaded is not asked: its target is not known
};

// Calls fn for every backend; with all, also debug and experimental ones and plugins that fail to load. Only with all
// are plugins loaded; else what is told of them comes from the files beside them. The info is valid during the call
// only. Drivers of OpenCL are asked in a process of their own (kiln-compile-helper, where it is installed), which the
// call starts and waits for, as do kiln_list_targets and kiln_list_available_targets.
typedef void kiln_backend_fn(void *user, const struct kiln_backend_info *info);
KILN_API enum kiln_status kiln_list_backends(bool all, kiln_backend_fn *fn, void *user);

// Calls fn for every arch that the backend accepts.
typedef void kiln_name_fn(void *user, const char *name, const char *description);
KILN_API enum kiln_status kiln_list_targets(const char *backend, kiln_name_fn *fn, void *user);

// Over all backends, plugins included (which are loaded for it): the parameter names that kernels may not use, each
// with the backends that reserve it; the targets that are available here; the tags that there are. The description
// names the backends, separated by blanks.
KILN_API enum kiln_status kiln_list_reserved_params(kiln_name_fn *fn, void *user);
KILN_API enum kiln_status kiln_list_available_targets(kiln_name_fn *fn, void *user);
KILN_API enum kiln_status kiln_list_tags(kiln_name_fn *fn, void *user);

// Every environment variable that Kiln reads. value is the one in force (NULL: unset), with "***" in place of users and
// passwords in URLs; it lives as long as the call of fn.
struct kiln_env_info {
  const char *name, *value, *default_value, *meaning;
};
typedef void kiln_env_fn(void *user, const struct kiln_env_info *info);
KILN_API void kiln_list_env(kiln_env_fn *fn, void *user);

// Completes what kiln_kernel_info has of the program's kernels, none of which has been created yet, by what a tool of
// this machine makes of the program for its target, such as ptxas; no device is needed. OK also where the backend has
// no tool to ask; UNAVAILABLE with the reason where that is missing.
KILN_API enum kiln_status kiln_program_measure(struct kiln_program *program);

#ifdef __cplusplus
}
#endif

#endif
