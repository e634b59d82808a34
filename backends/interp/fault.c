// What the interpreter says of errors: where in the source, which work-item, which object.
#include "backends/interp/interp.h"
#include "base/c_locale.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void kiln_interp_where(const struct kiln_function *fn, uint32_t value, char *out, size_t size) {
  const struct kiln_module *module = fn->module;
  uint32_t loc = value < fn->inst_count ? fn->insts[value].loc : 0;
  if (loc && loc < module->loc_count && module->locs[loc].file < module->file_count)
    snprintf(out, size, "%s:%u:%u", module->files[module->locs[loc].file], module->locs[loc].line,
             module->locs[loc].column);
  else
    snprintf(out, size, "%%%u (%s)", value, kiln_op_table[fn->insts[value].op].name);
}

static void global_id(const struct interp_worker *worker, const struct interp_item *item, uint64_t id[3]) {
  const struct kiln_drv_launch *launch = worker->launch;
  for (int d = 0; d < 3; d++)
    id[d] = worker->group[d] * launch->local[d] + item->local_id[d] + launch->offset[d];
}

static void id_text(const uint64_t id[3], char *out, size_t size) {
  snprintf(out, size, "(%llu, %llu, %llu)", (unsigned long long)id[0], (unsigned long long)id[1],
           (unsigned long long)id[2]);
}

void kiln_interp_id(const struct interp_worker *worker, const struct interp_item *item, char *out, size_t size) {
  uint64_t id[3];
  global_id(worker, item, id);
  id_text(id, out, size);
}

size_t kiln_interp_head(const struct interp_worker *worker, const struct kiln_function *fn, uint32_t value,
                        const uint64_t id[3], char *out) {
  const char *kernel = worker->launch->kernel->name;
  char where[300], text[100];
  kiln_interp_where(fn, value, where, sizeof where);
  id_text(id, text, sizeof text);
  bool in_kernel = strcmp(fn->name, kernel) == 0;
  int used = snprintf(out, KILN_HOST_MESSAGE_SIZE, "kernel '%s': %s: work-item %s%s%s%s ", kernel, where, text,
                      in_kernel ? "" : " in function '", in_kernel ? "" : fn->name, in_kernel ? "" : "'");
  return used < 0 ? 0 : used < KILN_HOST_MESSAGE_SIZE ? (size_t)used : KILN_HOST_MESSAGE_SIZE - 1;
}

static void vfail(struct interp_worker *worker, const struct interp_item *item, const struct interp_inst *inst,
                  enum interp_fault fault, const char *format, va_list args) {
  uint64_t id[3];
  global_id(worker, item, id);
  size_t used = kiln_interp_head(worker, item->frames[item->depth - 1].fn->fn, inst->value, id, worker->message);
  kiln_vsnprintf(worker->message + used, sizeof worker->message - used, format, args);
  worker->status = KILN_ERR_DEVICE;
  worker->fault = fault;
}

bool kiln_interp_fail(struct interp_worker *worker, const struct interp_item *item, const struct interp_inst *inst,
                      const char *format, ...) {
  va_list args;
  va_start(args, format);
  vfail(worker, item, inst, INTERP_FAULT_PLAIN, format, args);
  va_end(args);
  return false;
}

bool kiln_interp_fail_undefined(struct interp_worker *worker, const struct interp_item *item,
                                const struct interp_inst *inst, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vfail(worker, item, inst, INTERP_FAULT_UNDEFINED, format, args);
  va_end(args);
  return false;
}

bool kiln_interp_out_of_memory(struct interp_worker *worker, const struct interp_item *item,
                               const struct interp_inst *inst, const char *what) {
  kiln_interp_fail(worker, item, inst, "%s", what);
  worker->status = KILN_ERR_MEMORY;
  return false;
}

const char *kiln_interp_space_name(enum kiln_space space) {
  static const char *const names[] = {"private", "global", "constant", "local", "generic"};
  return names[space];
}

void kiln_interp_object_name(const struct interp_object *object, char *out, size_t size) {
  const char *name = object->name && object->name[0] ? object->name : NULL;
  if (object->kind == OBJECT_ARGUMENT)
    snprintf(out, size, name ? "argument '%s'" : "an argument without a name%s", name ? name : "");
  else
    snprintf(out, size, name ? "%s variable '%s'" : "a %s variable%s", kiln_interp_space_name(object->space),
             name ? name : "");
}
