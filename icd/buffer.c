// Buffers and sub-buffers: their creation.
#include "icd/icd.h"

static cl_int check_size(cl_context context, size_t size) {
  if (!size)
    return CL_INVALID_BUFFER_SIZE;
  for (uint32_t i = 0; i < context->device_count; i++)
    if (size > context->devices[i]->max_alloc)
      return CL_INVALID_BUFFER_SIZE;
  return CL_SUCCESS;
}

static cl_int create(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_mem *out) {
  if (!icd_is(context, ICD_CONTEXT))
    return CL_INVALID_CONTEXT;
  cl_int status = icd_mem_check_flags(flags);
  if (status == CL_SUCCESS)
    status = check_size(context, size);
  if (status == CL_SUCCESS)
    status = icd_mem_check_pointer(flags, host_ptr);
  size_t shared = status == CL_SUCCESS && host_ptr ? icd_svm_size(context, host_ptr) : 0;
  if (shared && size > shared)
    status = CL_INVALID_BUFFER_SIZE;
  if (status != CL_SUCCESS)
    return status;
  cl_mem mem = icd_mem_new(context, flags, size);
  if (!mem)
    return CL_OUT_OF_HOST_MEMORY;
  status = icd_mem_allocate(mem, host_ptr, 1);
  if (status == CL_SUCCESS)
    *out = mem;
  else
    icd_mem_release(mem);
  return status;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret) {
  cl_mem mem = NULL;
  cl_int status = create(context, flags, size, host_ptr, &mem);
  return icd_give(mem, status, errcode_ret);
}

cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                    size_t size, void *host_ptr, cl_int *errcode_ret) {
  cl_mem_properties *copy;
  cl_int status = icd_mem_take_properties(context, properties, &copy);
  if (status != CL_SUCCESS)
    return icd_give(NULL, status, errcode_ret);
  return icd_mem_with_properties(clCreateBuffer(context, flags, size, host_ptr, errcode_ret), copy);
}

static cl_int create_sub(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *info, cl_mem *out) {
  if (!icd_is_buffer(parent) || parent->parent)
    return CL_INVALID_MEM_OBJECT;
  const cl_buffer_region *region = info;
  if (type != CL_BUFFER_CREATE_TYPE_REGION || !region || icd_mem_inherit(parent->flags, flags, &flags) != CL_SUCCESS)
    return CL_INVALID_VALUE;
  if (!region->size)
    return CL_INVALID_BUFFER_SIZE;
  if (region->origin > parent->size || region->size > parent->size - region->origin)
    return CL_INVALID_VALUE;
  if (region->origin % ICD_ALIGN)
    return CL_MISALIGNED_SUB_BUFFER_OFFSET;
  cl_mem mem = icd_mem_new(parent->context, flags, region->size);
  if (!mem)
    return CL_OUT_OF_HOST_MEMORY;
  icd_mem_attach(mem, parent, region->origin);
  *out = mem;
  return CL_SUCCESS;
}

cl_mem clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
                         cl_int *errcode_ret) {
  cl_mem mem = NULL;
  cl_int status = create_sub(parent, flags, type, info, &mem);
  return icd_give(mem, status, errcode_ret);
}
