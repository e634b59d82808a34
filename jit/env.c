// The environment: one table (env.def) declares every variable, one snapshot per context holds the values.
#include "jit/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/secret.h"
#include "base/str.h"
#include "jit/report.h"

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

enum kiln_env_id kiln_env_find(const char *name) {
  int id = 0;
  while (id < KILN_ENV_COUNT && strcmp(table[id].name, name) != 0)
    id++;
  return (enum kiln_env_id)id;
}

const char *kiln_env_now(enum kiln_env_id id) {
  const char *value = read_variable(&table[id]);
  return value ? value : table[id].default_value;
}

const char *kiln_env_get(const struct kiln_env *env, enum kiln_env_id id) {
  return env->values[id] ? env->values[id] : table[id].default_value;
}

enum kiln_status kiln_env_trust(const struct kiln_env *env, struct kiln_trust *out) {
  struct kiln_strbuf problem = {0};
  const char *value = kiln_env_get(env, KILN_ENV_TRUST);
  enum kiln_status status = KILN_OK;
  if (!kiln_trust_parse(value, out, &problem))
    status = problem.data ? kiln_error(KILN_ERR_INVALID, "COMPILE_TRUST is '%s': %s", value, problem.data)
                          : kiln_error_memory();
  kiln_strbuf_free(&problem);
  return status;
}

char **kiln_env_of_helper(const struct kiln_env *env) {
  static const enum kiln_env_id kept[] = {KILN_ENV_PLUGIN_PATH, KILN_ENV_TRUST};
  enum { KEPT = sizeof kept / sizeof *kept };
  size_t count = 0, text_size = 0;
  for (int i = 0; i < KEPT; i++) {
    const char *value = env->values[kept[i]];
    text_size += value ? strlen(table[kept[i]].name) + strlen(value) + 2 : 0;
  }
  while (environ[count])
    count++;
  char **out = malloc((count + KEPT + 1) * sizeof *out + text_size);
  if (!out)
    return NULL;
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    if (strncmp(environ[i], "COMPILE_", 8) != 0)
      out[used++] = environ[i];
  }
  char *text = (char *)(out + count + KEPT + 1);
  for (int i = 0; i < KEPT; i++) {
    const char *value = env->values[kept[i]];
    if (value) {
      out[used++] = text;
      text += sprintf(text, "%s=%s", table[kept[i]].name, value) + 1;
    }
  }
  out[used] = NULL;
  return out;
}

void kiln_list_env(kiln_env_fn *fn, void *user) {
  for (int i = 0; fn && i < KILN_ENV_COUNT; i++) {
    const char *value = read_variable(&table[i]);
    struct kiln_strbuf shown = {0};
    if (value && (i == KILN_ENV_CACHE_REMOTE || strstr(value, "://"))) { // file names may hold '@'
      kiln_strbuf_hidden(&shown, value);
      value = shown.failed ? "***" : shown.data;
    }
    fn(user, &(struct kiln_env_info){table[i].name, value, table[i].default_value, table[i].meaning});
    kiln_strbuf_free(&shown);
  }
}
