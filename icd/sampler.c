// Samplers.
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"
#include "icd/tables.h"

static bool is_known(const struct _cl_sampler *sampler) {
  return (sampler->normalized == CL_TRUE || sampler->normalized == CL_FALSE) &&
         sampler->addressing >= CL_ADDRESS_NONE && sampler->addressing <= CL_ADDRESS_MIRRORED_REPEAT &&
         (sampler->filter == CL_FILTER_NEAREST || sampler->filter == CL_FILTER_LINEAR);
}

static void free_sampler(cl_sampler sampler) {
  cl_context context = sampler->context;
  free(sampler->properties);
  icd_object_free(sampler);
  icd_context_release(context);
}

// NULL: out of memory.
static cl_sampler new_sampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                              cl_filter_mode filter) {
  cl_sampler sampler = icd_object_new(ICD_SAMPLER, sizeof *sampler);
  if (!sampler)
    return NULL;
  icd_retain(context);
  sampler->context = context;
  sampler->normalized = normalized;
  sampler->addressing = addressing;
  sampler->filter = filter;
  return sampler;
}

// Gives the sampler, or frees it where the status or what it has is wrong.
static cl_sampler give(cl_sampler sampler, cl_int status, cl_int *errcode_ret) {
  if (!sampler)
    return icd_give(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
  if (status == CL_SUCCESS && !is_known(sampler))
    status = CL_INVALID_VALUE;
  if (status == CL_SUCCESS)
    return icd_give(sampler, status, errcode_ret);
  free_sampler(sampler);
  return icd_give(NULL, status, errcode_ret);
}

cl_sampler clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter,
                           cl_int *errcode_ret) {
  if (!icd_is(context, ICD_CONTEXT))
    return icd_give(NULL, CL_INVALID_CONTEXT, errcode_ret);
  return give(new_sampler(context, normalized, addressing, filter), CL_SUCCESS, errcode_ret);
}

// Reads a list of properties, each at most once, and keeps a copy.
static cl_int read_properties(const cl_sampler_properties *list, cl_sampler out) {
  bool has_normalized = false, has_addressing = false, has_filter = false;
  size_t count = 0;
  for (; list[count]; count += 2) {
    bool *has;
    switch (list[count]) {
    case CL_SAMPLER_NORMALIZED_COORDS:
      has = &has_normalized;
      out->normalized = (cl_bool)list[count + 1];
      break;
    case CL_SAMPLER_ADDRESSING_MODE:
      has = &has_addressing;
      out->addressing = (cl_addressing_mode)list[count + 1];
      break;
    case CL_SAMPLER_FILTER_MODE:
      has = &has_filter;
      out->filter = (cl_filter_mode)list[count + 1];
      break;
    default:
      return CL_INVALID_VALUE;
    }
    if (*has)
      return CL_INVALID_VALUE;
    *has = true;
  }
  out->property_count = count + 1;
  out->properties = malloc(out->property_count * sizeof *out->properties);
  if (!out->properties)
    return CL_OUT_OF_HOST_MEMORY;
  memcpy(out->properties, list, out->property_count * sizeof *out->properties);
  return CL_SUCCESS;
}

cl_sampler clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *properties,
                                         cl_int *errcode_ret) {
  if (!icd_is(context, ICD_CONTEXT))
    return icd_give(NULL, CL_INVALID_CONTEXT, errcode_ret);
  cl_sampler sampler = new_sampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
  cl_int status = sampler && properties ? read_properties(properties, sampler) : CL_SUCCESS;
  return give(sampler, status, errcode_ret);
}

// To repeat, coordinates have to be normalised. The standard leaves open what else happens: it is the pixel at the
// edge.
uint32_t icd_sampler_bits(const struct _cl_sampler *sampler) {
  static const uint32_t modes[] = {0, KILN_SAMPLER_CLAMP_TO_EDGE, KILN_SAMPLER_CLAMP, KILN_SAMPLER_REPEAT,
                                   KILN_SAMPLER_MIRRORED_REPEAT}; // from CL_ADDRESS_NONE on
  uint32_t mode = modes[sampler->addressing - CL_ADDRESS_NONE];
  if (!sampler->normalized && (mode == KILN_SAMPLER_REPEAT || mode == KILN_SAMPLER_MIRRORED_REPEAT))
    mode = KILN_SAMPLER_CLAMP_TO_EDGE;
  uint32_t filter = sampler->filter == CL_FILTER_LINEAR ? KILN_SAMPLER_LINEAR : KILN_SAMPLER_NEAREST;
  return mode | filter | (sampler->normalized ? KILN_SAMPLER_NORMALIZED : 0);
}

cl_int clRetainSampler(cl_sampler sampler) {
  if (!icd_is(sampler, ICD_SAMPLER))
    return CL_INVALID_SAMPLER;
  icd_retain(sampler);
  return CL_SUCCESS;
}

cl_int clReleaseSampler(cl_sampler sampler) {
  if (!icd_is(sampler, ICD_SAMPLER))
    return CL_INVALID_SAMPLER;
  if (icd_drop(sampler))
    free_sampler(sampler);
  return CL_SUCCESS;
}

cl_int clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name, size_t size, void *value, size_t *size_ret) {
  if (!icd_is(sampler, ICD_SAMPLER))
    return CL_INVALID_SAMPLER;
  const struct icd_answer answer = {size, value, size_ret};
  switch (name) {
    VALUE(CL_SAMPLER_REFERENCE_COUNT, cl_uint, atomic_load(&sampler->object.refs))
    VALUE(CL_SAMPLER_CONTEXT, cl_context, sampler->context)
    VALUE(CL_SAMPLER_NORMALIZED_COORDS, cl_bool, sampler->normalized)
    VALUE(CL_SAMPLER_ADDRESSING_MODE, cl_addressing_mode, sampler->addressing)
    VALUE(CL_SAMPLER_FILTER_MODE, cl_filter_mode, sampler->filter)
    BYTES(CL_SAMPLER_PROPERTIES, sampler->properties, sampler->property_count * sizeof *sampler->properties)
  }
  return CL_INVALID_VALUE;
}
