// The environment: one table (env.def) declares every variable, one snapshot per context holds the values.
#include "jit/env.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { SAFE, UNSAFE };

static const struct row {
  const char *name, *default_value, *meaning;
  int secure;
} table[KILN_ENV_COUNT] = {
#define KILN_ENV(ID, name, default_value, secure, meaning) {name, default_value, meaning, secure},
#include "jit/env.def"
};

static const char *read_variable(const struct row *row) {
  if (row->secure == UNSAFE && getauxval(AT_SECURE))
    return NULL;
  const char *value = getenv(row->name);
  return value && *value ? value : NULL;
}

bool kiln_env_read(struct kiln_env *env) {
  memset(env, 0, sizeof *env);
  for (int i = 0; i < KILN_ENV_COUNT; i++) {
    const char *value = read_variable(&table[i]);
    if (!value)
      continue;
    env->values[i] = strdup(value);
    if (!env->values[i]) {
      kiln_env_free(env);
      return false;
    }
  }
  return true;
}

void kiln_env_free(struct kiln_env *env) {
  for (int i = 0; i < KILN_ENV_COUNT; i++)
    free(env->values[i]);
  memset(env, 0, sizeof *env);
}

const char *kiln_env_name(enum kiln_env_id id) { return table[id].name; }

const char *kiln_env_get(const struct kiln_env *env, enum kiln_env_id id) {
  return env->values[id] ? env->values[id] : table[id].default_value;
}

#define HELPER_PLUGIN_PATH "COMPILE_PLUGIN_PATH="

char **kiln_env_of_helper(const struct kiln_env *env) {
  const char *plugins = env->values[KILN_ENV_PLUGIN_PATH];
  size_t count = 0, text_size = plugins ? sizeof HELPER_PLUGIN_PATH + strlen(plugins) : 0;
  while (environ[count])
    count++;
  char **out = malloc((count + 2) * sizeof *out + text_size);
  if (!out)
    return NULL;
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    if (strncmp(environ[i], "COMPILE_", 8) != 0)
      out[used++] = environ[i];
  }
  if (plugins) {
    char *text = (char *)(out + count + 2);
    memcpy(text, HELPER_PLUGIN_PATH, sizeof HELPER_PLUGIN_PATH - 1);
    strcpy(text + sizeof HELPER_PLUGIN_PATH - 1, plugins);
    out[used++] = text;
  }
  out[used] = NULL;
  return out;
}

void kiln_list_env(kiln_env_fn *fn, void *user) {
  for (int i = 0; fn && i < KILN_ENV_COUNT; i++) {
    struct kiln_env_info info = {table[i].name, read_variable(&table[i]), table[i].default_value, table[i].meaning};
    fn(user, &info);
  }
}
