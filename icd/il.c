// Programs in SPIR-V (cl_khr_il_program): from their bytes, with values of their specialisation constants.
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"

cl_program clCreateProgramWithIL(cl_context context, const void *il, size_t size, cl_int *errcode_ret) {
  if (!icd_is(context, ICD_CONTEXT))
    return icd_give(NULL, CL_INVALID_CONTEXT, errcode_ret);
  if (!il || !kiln_is_spirv(il, size))
    return icd_give(NULL, CL_INVALID_VALUE, errcode_ret);
  cl_program program = icd_program_new(context);
  if (program)
    program->source = malloc(size + 1);
  if (!program || !program->source) {
    if (program)
      icd_program_release(program);
    return icd_give(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
  }
  memcpy(program->source, il, size);
  program->source[size] = 0;
  program->il_size = size;
  for (uint32_t i = 0; i < context->device_count; i++)
    program->builds[i].is_for = true;
  return icd_give(program, CL_SUCCESS, errcode_ret);
}

// The place of a constant's value, a new one if it has none yet; NULL: memory is exhausted.
static struct icd_spec *spec_of(cl_program program, uint32_t id) {
  for (uint32_t i = 0; i < program->spec_count; i++)
    if (program->specs[i].id == id)
      return &program->specs[i];
  struct icd_spec *grown = realloc(program->specs, (program->spec_count + 1) * sizeof *grown);
  if (!grown)
    return NULL;
  program->specs = grown;
  grown[program->spec_count] = (struct icd_spec){.id = id};
  return &grown[program->spec_count++];
}

cl_int clSetProgramSpecializationConstant(cl_program program, cl_uint id, size_t size, const void *value) {
  if (!icd_is(program, ICD_PROGRAM) || !program->il_size)
    return CL_INVALID_PROGRAM;
  uint32_t wanted;
  if (!value)
    return CL_INVALID_VALUE;
  enum kiln_status status = kiln_spec_constant_size(program->source, program->il_size, id, &wanted);
  if (status != KILN_OK) // so it is for a module that is wrong, which a build then says
    return status == KILN_ERR_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_SPEC_ID;
  if (size != wanted)
    return CL_INVALID_VALUE;
  pthread_mutex_lock(&program->lock);
  struct icd_spec *spec = spec_of(program, id);
  if (spec) {
    spec->size = (uint32_t)size;
    memcpy(spec->value, value, size);
  }
  pthread_mutex_unlock(&program->lock);
  return spec ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

void icd_il_describe(const struct _cl_program *program, struct kiln_program_desc *desc,
                     struct kiln_spec_constant **constants) {
  *constants = calloc(program->spec_count + 1, sizeof **constants);
  desc->kind = KILN_SOURCE_SPIRV;
  desc->size = program->il_size;
  desc->spec_constants = *constants;
  desc->spec_constant_count = *constants ? program->spec_count : 0;
  for (uint32_t i = 0; i < desc->spec_constant_count; i++)
    (*constants)[i] =
        (struct kiln_spec_constant){program->specs[i].id, program->specs[i].size, program->specs[i].value};
}
