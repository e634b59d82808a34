// Kernels: creation, arguments, queries.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"
#include "icd/tables.h"

// ---- life

// Whether the program was built for groups of one size: by its options, as the standard has it.
static bool has_uniform_groups(const char *options) {
  const char *version = strstr(options, "-cl-std=CL");
  return !version || version[10] < '2' || strstr(options, "-cl-uniform-work-group-size");
}

// Room for the arguments, none of them set.
static bool make_args(cl_kernel kernel) {
  const struct kiln_kernel_info *info = kernel->info;
  kernel->args = calloc(info->arg_count + 1, sizeof *kernel->args);
  if (!kernel->args)
    return false;
  size_t size = 0;
  for (uint32_t i = 0; i < info->arg_count; i++) {
    kernel->args[i].kind = info->args[i].kind;
    kernel->args[i].offset = size;
    if (info->args[i].kind == KILN_ARG_VALUE)
      size += (info->args[i].size + 15) / 16 * 16;
  }
  kernel->values = calloc(1, size + 1);
  kernel->values_size = size;
  return kernel->values != NULL;
}

static void free_kernel(cl_kernel kernel) {
  cl_program program = kernel->program;
  for (uint32_t i = 0; i < program->context->device_count; i++)
    kiln_kernel_release(kernel->kernels[i]);
  free(kernel->args);
  free(kernel->values);
  pthread_mutex_destroy(&kernel->lock);
  icd_object_free(kernel);
  atomic_fetch_sub(&program->kernel_count, 1);
  icd_program_release(program);
}

void icd_kernel_release(cl_kernel kernel) {
  if (icd_drop(kernel))
    free_kernel(kernel);
}

// Under the lock of the program.
static cl_int new_kernel(cl_program program, const char *name, cl_kernel *out) {
  cl_kernel kernel =
      icd_object_new(ICD_KERNEL, sizeof *kernel + program->context->device_count * sizeof *kernel->kernels);
  if (!kernel)
    return CL_OUT_OF_HOST_MEMORY;
  kernel->program = program;
  pthread_mutex_init(&kernel->lock, NULL);
  icd_retain(program);
  atomic_fetch_add(&program->kernel_count, 1);
  cl_int status = CL_INVALID_PROGRAM_EXECUTABLE;
  for (uint32_t i = 0; i < program->context->device_count; i++) {
    const struct icd_build *build = &program->builds[i];
    if (!build->program || build->status != CL_BUILD_SUCCESS)
      continue;
    enum kiln_status found = kiln_kernel_create(build->program, name, &kernel->kernels[i]);
    status = found == KILN_OK ? CL_SUCCESS : found == KILN_ERR_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_KERNEL_NAME;
    if (status != CL_SUCCESS)
      break;
    if (!kernel->info) {
      kernel->info = kiln_kernel_info(kernel->kernels[i]);
      kernel->vec_type_hint = kiln_kernel_vec_type_hint(kernel->kernels[i]);
      kernel->uniform_groups = has_uniform_groups(build->options ? build->options : "");
    }
  }
  if (status == CL_SUCCESS && !make_args(kernel))
    status = CL_OUT_OF_HOST_MEMORY;
  if (status == CL_SUCCESS)
    *out = kernel;
  else
    free_kernel(kernel);
  return status;
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *errcode_ret) {
  if (!icd_is(program, ICD_PROGRAM))
    return icd_give(NULL, CL_INVALID_PROGRAM, errcode_ret);
  if (!name)
    return icd_give(NULL, CL_INVALID_VALUE, errcode_ret);
  cl_kernel kernel = NULL;
  pthread_mutex_lock(&program->lock);
  cl_int status = new_kernel(program, name, &kernel);
  pthread_mutex_unlock(&program->lock);
  return icd_give(kernel, status, errcode_ret);
}

// Under the lock of the program: the first build that has kernels.
static struct kiln_program *first_program(cl_program program) {
  for (uint32_t i = 0; i < program->context->device_count; i++)
    if (program->builds[i].program && program->builds[i].status == CL_BUILD_SUCCESS)
      return program->builds[i].program;
  return NULL;
}

cl_int clCreateKernelsInProgram(cl_program program, cl_uint max, cl_kernel *kernels, cl_uint *count_ret) {
  if (!icd_is(program, ICD_PROGRAM))
    return CL_INVALID_PROGRAM;
  pthread_mutex_lock(&program->lock);
  struct kiln_program *kiln = first_program(program);
  struct kiln_program_info info = {0};
  if (kiln)
    kiln_program_info(kiln, &info);
  cl_int status = !kiln                                ? CL_INVALID_PROGRAM_EXECUTABLE
                  : kernels && max < info.kernel_count ? CL_INVALID_VALUE
                                                       : CL_SUCCESS;
  cl_uint made = 0;
  for (; kernels && status == CL_SUCCESS && made < info.kernel_count; made += status == CL_SUCCESS)
    status = new_kernel(program, kiln_program_kernel_name(kiln, made), &kernels[made]);
  pthread_mutex_unlock(&program->lock);
  if (status != CL_SUCCESS)
    while (made > 0)
      icd_kernel_release(kernels[--made]);
  else if (count_ret)
    *count_ret = info.kernel_count;
  return status;
}

cl_kernel clCloneKernel(cl_kernel kernel, cl_int *errcode_ret) {
  if (!icd_is(kernel, ICD_KERNEL))
    return icd_give(NULL, CL_INVALID_KERNEL, errcode_ret);
  cl_kernel copy = clCreateKernel(kernel->program, kernel->info->name, errcode_ret);
  if (!copy)
    return NULL;
  pthread_mutex_lock(&kernel->lock);
  memcpy(copy->args, kernel->args, kernel->info->arg_count * sizeof *copy->args);
  memcpy(copy->values, kernel->values, kernel->values_size);
  pthread_mutex_unlock(&kernel->lock);
  return copy;
}

cl_int clRetainKernel(cl_kernel kernel) {
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  icd_retain(kernel);
  return CL_SUCCESS;
}

cl_int clReleaseKernel(cl_kernel kernel) {
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  icd_kernel_release(kernel);
  return CL_SUCCESS;
}

// ---- arguments

static cl_int set_buffer(cl_kernel kernel, struct icd_arg *arg, size_t size, const void *value) {
  if (size != sizeof(cl_mem))
    return CL_INVALID_ARG_SIZE;
  cl_mem mem = NULL;
  if (value)
    memcpy(&mem, value, sizeof mem);
  if (mem && !icd_is_buffer(mem))
    return CL_INVALID_MEM_OBJECT;
  if (mem && mem->context != kernel->program->context)
    return CL_INVALID_CONTEXT;
  arg->mem = mem;
  arg->pointer = NULL;
  return CL_SUCCESS;
}

// Whether kernels may do with the image what the argument says.
static bool allows(const struct _cl_mem *mem, enum kiln_access access) {
  return !(mem->flags & (access == KILN_ACCESS_READ    ? CL_MEM_WRITE_ONLY
                         : access == KILN_ACCESS_WRITE ? CL_MEM_READ_ONLY
                                                       : CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY));
}

static cl_int set_image(cl_kernel kernel, struct icd_arg *arg, const struct kiln_arg_info *info, size_t size,
                        const void *value) {
  if (size != sizeof(cl_mem))
    return CL_INVALID_ARG_SIZE;
  cl_mem mem = NULL;
  if (value)
    memcpy(&mem, value, sizeof mem);
  if (!icd_is_image(mem))
    return CL_INVALID_MEM_OBJECT;
  if (mem->context != kernel->program->context)
    return CL_INVALID_CONTEXT;
  if (mem->image->dimension != (enum kiln_image_dimension)info->image || !allows(mem, info->access))
    return CL_INVALID_ARG_VALUE;
  arg->mem = mem;
  return CL_SUCCESS;
}

static cl_int set_sampler(cl_kernel kernel, struct icd_arg *arg, size_t size, const void *value) {
  if (size != sizeof(cl_sampler))
    return CL_INVALID_ARG_SIZE;
  cl_sampler sampler = NULL;
  if (value)
    memcpy(&sampler, value, sizeof sampler);
  if (!icd_is(sampler, ICD_SAMPLER))
    return CL_INVALID_SAMPLER;
  if (sampler->context != kernel->program->context)
    return CL_INVALID_CONTEXT;
  arg->size = icd_sampler_bits(sampler);
  return CL_SUCCESS;
}

static cl_int set_value(struct icd_arg *arg, unsigned char *values, uint32_t wanted, size_t size, const void *value) {
  if (!value)
    return CL_INVALID_ARG_VALUE;
  if (size != wanted)
    return CL_INVALID_ARG_SIZE;
  memcpy(values + arg->offset, value, size);
  arg->size = size;
  return CL_SUCCESS;
}

cl_int icd_arg_set(cl_kernel kernel, struct icd_arg *args, unsigned char *values, cl_uint index, size_t size,
                   const void *value) {
  if (index >= kernel->info->arg_count)
    return CL_INVALID_ARG_INDEX;
  struct icd_arg *arg = &args[index];
  cl_int status = CL_SUCCESS;
  switch (arg->kind) {
  case KILN_ARG_VALUE:
    status = set_value(arg, values, kernel->info->args[index].size, size, value);
    break;
  case KILN_ARG_BUFFER:
    status = set_buffer(kernel, arg, size, value);
    break;
  case KILN_ARG_LOCAL:
    status = value ? CL_INVALID_ARG_VALUE : !size ? CL_INVALID_ARG_SIZE : CL_SUCCESS;
    if (status == CL_SUCCESS)
      arg->size = size;
    break;
  case KILN_ARG_IMAGE:
    status = set_image(kernel, arg, &kernel->info->args[index], size, value);
    break;
  case KILN_ARG_SAMPLER:
    status = set_sampler(kernel, arg, size, value);
    break;
  }
  arg->is_set |= status == CL_SUCCESS;
  return status;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  pthread_mutex_lock(&kernel->lock);
  cl_int status = icd_arg_set(kernel, kernel->args, kernel->values, index, size, value);
  pthread_mutex_unlock(&kernel->lock);
  return status;
}

cl_int icd_arg_set_pointer(cl_kernel kernel, struct icd_arg *args, cl_uint index, const void *pointer) {
  if (!icd_has_svm(kernel->program->context))
    return CL_INVALID_OPERATION;
  if (index >= kernel->info->arg_count)
    return CL_INVALID_ARG_INDEX;
  struct icd_arg *arg = &args[index];
  if (arg->kind != KILN_ARG_BUFFER)
    return CL_INVALID_ARG_VALUE;
  arg->mem = NULL;
  arg->pointer = (void *)pointer;
  arg->is_set = true;
  return CL_SUCCESS;
}

cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *pointer) {
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  pthread_mutex_lock(&kernel->lock);
  cl_int status = icd_arg_set_pointer(kernel, kernel->args, index, pointer);
  pthread_mutex_unlock(&kernel->lock);
  return status;
}

cl_int clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint index, const void *pointer) {
  return clSetKernelArgSVMPointer(kernel, index, pointer);
}

// Kernels reach all shared memory without being told.
cl_int clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info name, size_t size, const void *value) {
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  bool is_list = name == CL_KERNEL_EXEC_INFO_SVM_PTRS || name == CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL;
  if (!value != (is_list && !size))
    return CL_INVALID_VALUE;
  bool is_valid = false, needs_svm = true;
  switch (name) {
  case CL_KERNEL_EXEC_INFO_SVM_PTRS: // none: those set before are unset
  case CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL:
    is_valid = size % sizeof(void *) == 0;
    break;
  case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
  case CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL:
  case CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL:
  case CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL:
    is_valid = size == sizeof(cl_bool);
    needs_svm = is_valid && *(const cl_bool *)value;
    break;
  }
  if (!is_valid)
    return CL_INVALID_VALUE;
  return needs_svm && !icd_has_svm(kernel->program->context) ? CL_INVALID_OPERATION : CL_SUCCESS;
}

// ---- queries

// The attributes as the source would write them, but in one order. OpenCL says that kernels of SPIR-V have none.
static cl_int put_attributes(cl_kernel kernel, const struct icd_answer *answer) {
  if (kernel->program->il_size)
    return icd_put_string(answer, "");
  const uint32_t *required = kernel->info->required_group_size, *hint = kernel->info->work_group_size_hint;
  char text[256];
  size_t size = 0;
  text[0] = 0;
  if (*kernel->vec_type_hint)
    size += (size_t)snprintf(text, sizeof text, "vec_type_hint(%.100s)", kernel->vec_type_hint);
  if (required[0])
    size += (size_t)snprintf(text + size, sizeof text - size, "%sreqd_work_group_size(%u,%u,%u)", size ? " " : "",
                             (unsigned)required[0], (unsigned)required[1], (unsigned)required[2]);
  if (hint[0])
    snprintf(text + size, sizeof text - size, "%swork_group_size_hint(%u,%u,%u)", size ? " " : "", (unsigned)hint[0],
             (unsigned)hint[1], (unsigned)hint[2]);
  return icd_put_string(answer, text);
}

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t size, void *value, size_t *size_ret) {
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  const struct icd_answer answer = {size, value, size_ret};
  switch (name) {
    STRING(CL_KERNEL_FUNCTION_NAME, kernel->info->name)
    VALUE(CL_KERNEL_NUM_ARGS, cl_uint, kernel->info->arg_count)
    VALUE(CL_KERNEL_REFERENCE_COUNT, cl_uint, atomic_load(&kernel->object.refs))
    VALUE(CL_KERNEL_CONTEXT, cl_context, kernel->program->context)
    VALUE(CL_KERNEL_PROGRAM, cl_program, kernel->program)
  case CL_KERNEL_ATTRIBUTES:
    return put_attributes(kernel, &answer);
  }
  return CL_INVALID_VALUE;
}

static cl_kernel_arg_address_qualifier address_of(const struct kiln_arg_info *arg) {
  if (arg->kind == KILN_ARG_IMAGE)
    return CL_KERNEL_ARG_ADDRESS_GLOBAL;
  if (arg->kind == KILN_ARG_BUFFER)
    return arg->is_constant ? CL_KERNEL_ARG_ADDRESS_CONSTANT : CL_KERNEL_ARG_ADDRESS_GLOBAL;
  return arg->kind == KILN_ARG_LOCAL ? CL_KERNEL_ARG_ADDRESS_LOCAL : CL_KERNEL_ARG_ADDRESS_PRIVATE;
}

static cl_kernel_arg_access_qualifier access_of(const struct kiln_arg_info *arg) {
  if (arg->kind != KILN_ARG_IMAGE)
    return CL_KERNEL_ARG_ACCESS_NONE;
  return arg->access == KILN_ACCESS_READ    ? CL_KERNEL_ARG_ACCESS_READ_ONLY
         : arg->access == KILN_ACCESS_WRITE ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY
                                            : CL_KERNEL_ARG_ACCESS_READ_WRITE;
}

cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name, size_t size, void *value,
                          size_t *size_ret) {
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  if (index >= kernel->info->arg_count)
    return CL_INVALID_ARG_INDEX;
  const struct icd_answer answer = {size, value, size_ret};
  const struct kiln_arg_info *arg = &kernel->info->args[index];
  cl_kernel_arg_type_qualifier qualifiers = (arg->is_const ? CL_KERNEL_ARG_TYPE_CONST : 0) |
                                            (arg->is_restrict ? CL_KERNEL_ARG_TYPE_RESTRICT : 0) |
                                            (arg->is_volatile ? CL_KERNEL_ARG_TYPE_VOLATILE : 0);
  switch (name) {
    STRING(CL_KERNEL_ARG_NAME, arg->name)
    STRING(CL_KERNEL_ARG_TYPE_NAME, arg->type_name)
    VALUE(CL_KERNEL_ARG_TYPE_QUALIFIER, cl_kernel_arg_type_qualifier, qualifiers)
    VALUE(CL_KERNEL_ARG_ACCESS_QUALIFIER, cl_kernel_arg_access_qualifier, access_of(arg))
    VALUE(CL_KERNEL_ARG_ADDRESS_QUALIFIER, cl_kernel_arg_address_qualifier, address_of(arg))
  }
  return CL_INVALID_VALUE;
}

// The index of the kernel for a device. NULL is the only device of the context.
static cl_int find_device(cl_kernel kernel, cl_device_id device, uint32_t *index) {
  cl_context context = kernel->program->context;
  int found = device                       ? icd_is(device, ICD_DEVICE) ? icd_context_index(context, device) : -1
              : context->device_count == 1 ? 0
                                           : -1;
  if (found < 0 || !kernel->kernels[found])
    return CL_INVALID_DEVICE;
  *index = (uint32_t)found;
  return CL_SUCCESS;
}

static size_t max_group_size(cl_kernel kernel, uint32_t index) {
  const struct kiln_kernel_info *info = kiln_kernel_info(kernel->kernels[index]);
  return info->max_group_size ? info->max_group_size : kernel->program->context->devices[index]->info.max_group_size;
}

static cl_ulong local_bytes(cl_kernel kernel, uint32_t index) {
  cl_ulong bytes = kiln_kernel_info(kernel->kernels[index])->local_bytes;
  pthread_mutex_lock(&kernel->lock);
  for (uint32_t i = 0; i < kernel->info->arg_count; i++)
    if (kernel->args[i].kind == KILN_ARG_LOCAL)
      bytes += kernel->args[i].size;
  pthread_mutex_unlock(&kernel->lock);
  return bytes;
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name, size_t size,
                                void *value, size_t *size_ret) {
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  uint32_t index;
  cl_int status = find_device(kernel, device, &index);
  if (status != CL_SUCCESS)
    return status;
  const struct icd_answer answer = {size, value, size_ret};
  const struct kiln_kernel_info *info = kiln_kernel_info(kernel->kernels[index]);
  const uint32_t *required = info->required_group_size;
  switch (name) {
    VALUE(CL_KERNEL_WORK_GROUP_SIZE, size_t, max_group_size(kernel, index))
    ARRAY(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, size_t, required[0], required[1], required[2])
    VALUE(CL_KERNEL_LOCAL_MEM_SIZE, cl_ulong, local_bytes(kernel, index))
    VALUE(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t,
          kernel->program->context->devices[index]->info.warp_size)
    VALUE(CL_KERNEL_PRIVATE_MEM_SIZE, cl_ulong, info->private_bytes)
    VALUE(CL_KERNEL_SPILL_MEM_SIZE_INTEL, cl_ulong, (cl_ulong)info->spills * 4) // of a work-item's registers
  }
  return CL_INVALID_VALUE; // CL_KERNEL_GLOBAL_WORK_SIZE is for custom devices
}

// Sub-groups follow the linear local id and have the device's warp size.
cl_int clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info name, size_t input_size,
                               const void *input, size_t size, void *value, size_t *size_ret) {
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  uint32_t index;
  cl_int status = find_device(kernel, device, &index);
  if (status != CL_SUCCESS)
    return status;
  const struct icd_answer answer = {size, value, size_ret};
  size_t warp = kernel->program->context->devices[index]->info.warp_size, limit = max_group_size(kernel, index);
  size_t items = 1, dims = input_size / sizeof(size_t);
  bool of_range = name == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE || name == CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE;
  if (of_range && (!input || !dims || dims > 3 || input_size % sizeof(size_t)))
    return CL_INVALID_VALUE;
  for (size_t i = 0; of_range && i < dims; i++)
    items *= ((const size_t *)input)[i];
  if (name == CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT) {
    dims = size / sizeof(size_t);
    if (!input || input_size != sizeof(size_t) || (value && (!dims || dims > 3)))
      return CL_INVALID_VALUE;
    size_t count = *(const size_t *)input;
    bool fits = count && count <= limit / warp;
    size_t local[3] = {fits ? count * warp : 0, fits, fits};
    return icd_put(&answer, local, (value ? dims : 3) * sizeof *local);
  }
  switch (name) {
    VALUE(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, size_t, warp)
    VALUE(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, size_t, (items + warp - 1) / warp)
    VALUE(CL_KERNEL_MAX_NUM_SUB_GROUPS, size_t, (limit + warp - 1) / warp)
    VALUE(CL_KERNEL_COMPILE_NUM_SUB_GROUPS, size_t, 0)
    VALUE(CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, size_t, kiln_kernel_sub_group_size(kernel->kernels[index]))
  }
  return CL_INVALID_VALUE;
}

cl_int clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info name,
                                  size_t input_size, const void *input, size_t size, void *value, size_t *size_ret) {
  return clGetKernelSubGroupInfo(kernel, device, name, input_size, input, size, value, size_ret);
}
