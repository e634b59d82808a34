// The compile side of the backend: capabilities, identity, printing and building.
#ifndef KILN_BACKENDS_OPENCL_COMPILE_H
#define KILN_BACKENDS_OPENCL_COMPILE_H

#include "kiln/backend.h"

enum { KILN_CL_OPTION_LINES, KILN_CL_OPTION_DRIVER, KILN_CL_OPTION_COUNT };
extern const struct kiln_option kiln_cl_options[KILN_CL_OPTION_COUNT];

void kiln_cl_caps(const struct kiln_target *target, struct kiln_caps *out);
uint32_t kiln_cl_pipeline_fragments(const struct kiln_target *target, const struct kiln_options *options,
                                    const struct kiln_fragment **out);
void kiln_cl_describe_compiler(const struct kiln_target *target, char *out, size_t size);
enum kiln_status kiln_cl_hash(const struct kiln_target *target, const struct kiln_options *options,
                              struct kiln_digest *out, struct kiln_report *report);
enum kiln_status kiln_cl_compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                 struct kiln_report *report);
enum kiln_status kiln_cl_device_identity(struct kiln_drv *drv, uint32_t device, const struct kiln_target *target,
                                         char *out, size_t size, struct kiln_report *report);
enum kiln_status kiln_cl_device_code(struct kiln_drv *drv, uint32_t device, struct kiln_drv_module *module,
                                     const struct kiln_target *target, const struct kiln_code *code,
                                     struct kiln_artifact *out, struct kiln_report *report);

#endif
