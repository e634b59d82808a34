// Kernels of a program.
#include <stdlib.h>
#include <string.h>

#include "jit/program.h"

static enum kiln_status find(const struct kiln_program *program, const char *name, uint32_t *out) {
  const struct kiln_reflection *r = &program->binary->reflection;
  if (r->kernel_count == 0)
    return kiln_error(KILN_ERR_NOT_FOUND, "'%s' has no kernel", program->source.name);
  if (!name && r->kernel_count == 1) {
    *out = 0;
    return KILN_OK;
  }
  struct kiln_strbuf list = {0};
  for (uint32_t i = 0; i < r->kernel_count; i++) {
    if (name && strcmp(r->kernels[i].name, name) == 0) {
      kiln_strbuf_free(&list);
      *out = i;
      return KILN_OK;
    }
    kiln_strbuf_printf(&list, "%s%s", i ? ", " : "", r->kernels[i].name);
  }
  if (name)
    kiln_error(KILN_ERR_NOT_FOUND, "'%s' has no kernel '%s'; it has: %s", program->source.name, name,
               list.data ? list.data : "");
  else
    kiln_error(KILN_ERR_NOT_FOUND, "'%s' has %u kernels, so one must be named: %s", program->source.name,
               (unsigned)r->kernel_count, list.data ? list.data : "");
  kiln_strbuf_free(&list);
  return KILN_ERR_NOT_FOUND;
}

enum kiln_status kiln_kernel_create(struct kiln_program *program, const char *name, struct kiln_kernel **out) {
  if (!program || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_kernel_create: %s is NULL", program ? "out" : "program");
  uint32_t index = 0;
  enum kiln_status status = find(program, name, &index);
  if (status != KILN_OK)
    return status;
  struct kiln_kernel *kernel = calloc(1, sizeof *kernel);
  if (!kernel)
    return kiln_error_memory();
  kernel->refs = 1;
  kernel->program = program;
  kernel->index = index;
  atomic_fetch_add(&program->refs, 1);
  *out = kernel;
  return KILN_OK;
}

void kiln_kernel_ref(struct kiln_kernel *kernel) { atomic_fetch_add(&kernel->refs, 1); }

void kiln_kernel_retain(struct kiln_kernel *kernel) {
  if (kernel)
    kiln_kernel_ref(kernel);
}

void kiln_kernel_release(struct kiln_kernel *kernel) {
  if (!kernel || atomic_fetch_sub(&kernel->refs, 1) != 1)
    return;
  kiln_program_release(kernel->program);
  free(kernel);
}

const struct kiln_kernel_info *kiln_kernel_info(const struct kiln_kernel *kernel) {
  return kernel ? &kernel->program->binary->reflection.kernels[kernel->index] : NULL;
}

const struct kiln_kernel_info *kiln_kernel_drv_info(const struct kiln_kernel *kernel) {
  return &kernel->program->binary->reflection.drv_kernels[kernel->index];
}

const char *kiln_kernel_vec_type_hint(const struct kiln_kernel *kernel) {
  return kernel ? kernel->program->binary->reflection.wishes[kernel->index].vec_type : "";
}

uint32_t kiln_kernel_sub_group_size(const struct kiln_kernel *kernel) {
  return kernel ? kernel->program->binary->reflection.wishes[kernel->index].sub_group_size : 0;
}
