// The pool of units. A unit is reused for the same machine a limited number of times, since a context keeps every type
// and constant that was ever made in it. The unit's list of machine passes is reused with it, and lives no longer than
// the target machine that it was made for (cxx/codegen.cpp).
#include "backends/llvm/core/unit.h"
#include "backends/llvm/core/family.h"
#include "backends/llvm/cxx/cxx.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_IDLE 8
#define MAX_COMPILES 200
#define MAX_INSTRUCTIONS 50000

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kiln_ll_unit *idle; // guarded by pool_lock; the last one returned is first
static unsigned idle_count;

static void dispose(struct kiln_ll_unit *unit) {
  kiln_ll_generator_free(unit->generator);
  LLVMContextDispose(unit->context);
  LLVMDisposeTargetMachine(unit->tm);
  kiln_strbuf_free(&unit->errors);
  free(unit->key);
  free(unit);
}

// Everything that distinguishes target machines.
static char *key_of(const struct kiln_llvm_machine *machine, unsigned optimize) {
  struct kiln_strbuf key = {0};
  kiln_strbuf_printf(&key, "%s\n%s\n%s\n%u", machine->triple, machine->processor, machine->features, optimize & 3);
  return kiln_strbuf_take(&key);
}

static struct kiln_ll_unit *find_idle(const char *key) {
  struct kiln_ll_unit *found = NULL;
  pthread_mutex_lock(&pool_lock);
  for (struct kiln_ll_unit **at = &idle; *at && !found; at = found ? at : &(*at)->next) {
    if (strcmp((*at)->key, key))
      continue;
    found = *at;
    *at = found->next;
    idle_count--;
  }
  pthread_mutex_unlock(&pool_lock);
  return found;
}

enum kiln_status kiln_ll_unit_take(const struct kiln_ll_family *family, const struct kiln_llvm_machine *machine,
                                   unsigned optimize, struct kiln_ll_unit **out, struct kiln_report *report) {
  kiln_ll_start();
  char *key = key_of(machine, optimize);
  struct kiln_ll_unit *unit = *out = key ? find_idle(key) : NULL;
  if (unit) {
    free(key);
    return KILN_OK;
  }
  unit = key ? calloc(1, sizeof *unit) : NULL;
  if (!unit) {
    free(key);
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a code generator");
  }
  unit->key = key;
  unit->keep = family->reuses_units;
  unit->tm = kiln_ll_target_machine(family, machine, optimize, report);
  if (!unit->tm) {
    free(key);
    free(unit);
    return KILN_ERR_UNAVAILABLE;
  }
  unit->context = LLVMContextCreate();
  kiln_ll_watch(unit->context, &unit->errors);
  *out = unit;
  return KILN_OK;
}

void kiln_ll_unit_give(struct kiln_ll_unit *unit, bool failed) {
  if (!unit->keep || failed || unit->errors.size || unit->errors.failed || ++unit->compiles > MAX_COMPILES ||
      unit->instructions > MAX_INSTRUCTIONS) {
    dispose(unit);
    return;
  }
  struct kiln_ll_unit *oldest = NULL;
  pthread_mutex_lock(&pool_lock);
  unit->next = idle;
  idle = unit;
  if (++idle_count > MAX_IDLE) {
    struct kiln_ll_unit **at = &idle;
    while ((*at)->next)
      at = &(*at)->next;
    oldest = *at;
    *at = NULL;
    idle_count--;
  }
  pthread_mutex_unlock(&pool_lock);
  if (oldest)
    dispose(oldest);
}
