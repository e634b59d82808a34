// Entries of the dispatch table for what is not there: pipes, kernels that are built in, sharing
// with graphics. Each tells so with the code of the standard.
#include "icd/icd.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

// ---- pipes, kernels that are built in

cl_mem clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets,
                    const cl_pipe_properties *properties, cl_int *errcode_ret) {
  return icd_give(NULL, icd_is(context, ICD_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT, errcode_ret);
}
cl_int clGetPipeInfo(cl_mem pipe, cl_pipe_info name, size_t size, void *value, size_t *size_ret) {
  return CL_INVALID_MEM_OBJECT;
}
cl_program clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count, const cl_device_id *devices,
                                             const char *names, cl_int *errcode_ret) {
  return icd_give(NULL, icd_is(context, ICD_CONTEXT) ? CL_INVALID_VALUE : CL_INVALID_CONTEXT, errcode_ret);
}
// Initialisers and destructors of a program's scope do not exist in OpenCL C.
cl_int clSetProgramReleaseCallback(cl_program program, void(CL_CALLBACK *fn)(cl_program, void *), void *user) {
  return icd_is(program, ICD_PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

// ---- sharing with OpenGL and EGL

cl_mem clCreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint object, cl_int *errcode_ret) {
  return icd_give(NULL, CL_INVALID_OPERATION, errcode_ret);
}
cl_mem clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint level, cl_GLuint object,
                             cl_int *errcode_ret) {
  return icd_give(NULL, CL_INVALID_OPERATION, errcode_ret);
}
cl_mem clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint level,
                               cl_GLuint object, cl_int *errcode_ret) {
  return icd_give(NULL, CL_INVALID_OPERATION, errcode_ret);
}
cl_mem clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint level,
                               cl_GLuint object, cl_int *errcode_ret) {
  return icd_give(NULL, CL_INVALID_OPERATION, errcode_ret);
}
cl_mem clCreateFromGLRenderbuffer(cl_context context, cl_mem_flags flags, cl_GLuint object, cl_int *errcode_ret) {
  return icd_give(NULL, CL_INVALID_OPERATION, errcode_ret);
}
cl_int clGetGLObjectInfo(cl_mem mem, cl_gl_object_type *type, cl_GLuint *object) { return CL_INVALID_OPERATION; }
cl_int clGetGLTextureInfo(cl_mem mem, cl_gl_texture_info name, size_t size, void *value, size_t *size_ret) {
  return CL_INVALID_OPERATION;
}
cl_int clEnqueueAcquireGLObjects(cl_command_queue queue, cl_uint mem_count, const cl_mem *mems, cl_uint count,
                                 const cl_event *events, cl_event *event) {
  return CL_INVALID_OPERATION;
}
cl_int clEnqueueReleaseGLObjects(cl_command_queue queue, cl_uint mem_count, const cl_mem *mems, cl_uint count,
                                 const cl_event *events, cl_event *event) {
  return CL_INVALID_OPERATION;
}
cl_int clGetGLContextInfoKHR(const cl_context_properties *properties, cl_gl_context_info name, size_t size, void *value,
                             size_t *size_ret) {
  return CL_INVALID_OPERATION;
}
cl_event clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync, cl_int *errcode_ret) {
  return icd_give(NULL, CL_INVALID_OPERATION, errcode_ret);
}
cl_mem clCreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR display, CLeglImageKHR image, cl_mem_flags flags,
                               const cl_egl_image_properties_khr *properties, cl_int *errcode_ret) {
  return icd_give(NULL, CL_INVALID_OPERATION, errcode_ret);
}
cl_int clEnqueueAcquireEGLObjectsKHR(cl_command_queue queue, cl_uint mem_count, const cl_mem *mems, cl_uint count,
                                     const cl_event *events, cl_event *event) {
  return CL_INVALID_OPERATION;
}
cl_int clEnqueueReleaseEGLObjectsKHR(cl_command_queue queue, cl_uint mem_count, const cl_mem *mems, cl_uint count,
                                     const cl_event *events, cl_event *event) {
  return CL_INVALID_OPERATION;
}
cl_event clCreateEventFromEGLSyncKHR(cl_context context, CLeglSyncKHR sync, CLeglDisplayKHR display,
                                     cl_int *errcode_ret) {
  return icd_give(NULL, CL_INVALID_OPERATION, errcode_ret);
}
cl_int clCreateSubDevicesEXT(cl_device_id device, const cl_device_partition_property_ext *properties,
                             cl_uint num_entries, cl_device_id *devices, cl_uint *num_devices) {
  return CL_INVALID_OPERATION;
}
cl_int clRetainDeviceEXT(cl_device_id device) { return clRetainDevice(device); }
cl_int clReleaseDeviceEXT(cl_device_id device) { return clReleaseDevice(device); }
