// The environment as it was when a context was opened.
#ifndef KILN_JIT_ENV_H
#define KILN_JIT_ENV_H

#include <stdbool.h>

#include "base/trust.h"
#include "kiln/kiln.h"

enum kiln_env_id {
#define KILN_ENV(ID, name, default_value, secure, meaning) KILN_ENV_##ID,
#include "jit/env.def"
  KILN_ENV_COUNT
};

struct kiln_env {
  char *values[KILN_ENV_COUNT]; // copies; NULL: unset, empty, or ignored because the process is set-uid
};

// False when memory is exhausted.
bool kiln_env_read(struct kiln_env *env);
void kiln_env_free(struct kiln_env *env);

const char *kiln_env_name(enum kiln_env_id id);
// The variable of that name; KILN_ENV_COUNT: Kiln reads none.
enum kiln_env_id kiln_env_find(const char *name);
// The value in force now, whatever a context was opened with: never NULL.
const char *kiln_env_now(enum kiln_env_id id);
// The value in force: never NULL.
const char *kiln_env_get(const struct kiln_env *env, enum kiln_env_id id);

// Whom COMPILE_TRUST names. INVALID when it cannot be read.
enum kiln_status kiln_env_trust(const struct kiln_env *env, struct kiln_trust *out);

// The environment of a compile helper: the process's own without what Kiln reads, and what decides which plugins are
// loaded. One allocation, freed with free; NULL when memory is exhausted. The strings belong to the process and to env.
char **kiln_env_of_helper(const struct kiln_env *env);

#endif
