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

void kiln_interp_id(const struct interp_worker *worker, const struct interp_item *item, char *out, size_t size) {
  const struct kiln_drv_launch *launch = worker->launch;
  unsigned long long id[3];
  for (int d = 0; d < 3; d++)
    id[d] = worker->group[d] * launch->local[d] + item->local_id[d] + launch->offset[d];
  snprintf(out, size, "(%llu, %llu, %llu)", id[0], id[1], id[2]);
}

static void vfail(struct interp_worker *worker, const struct interp_item *item, const struct interp_inst *inst,
                  enum interp_fault fault, const char *format, va_list args) {
  const struct kiln_drv_launch *launch = worker->launch;
  const struct kiln_function *fn = item->frames[item->depth - 1].fn->fn;
  char where[300], id[100];
  kiln_interp_where(fn, inst->value, where, sizeof where);
  kiln_interp_id(worker, item, id, sizeof id);
  bool in_kernel = strcmp(fn->name, launch->kernel->name) == 0;
  size_t size = sizeof worker->message;
  int used = snprintf(worker->message, size, "kernel '%s': %s: work-item %s%s%s%s ", launch->kernel->name, where, id,
                      in_kernel ? "" : " in function '", in_kernel ? "" : fn->name, in_kernel ? "" : "'");
  if (used >= 0 && (size_t)used < size)
    kiln_vsnprintf(worker->message + used, size - (size_t)used, format, args);
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
