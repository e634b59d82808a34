// What the table of the backend (struct kiln_base_backend) takes from the driver.
#ifndef KILN_BACKENDS_CUDA_DRIVER_EXPORTS_H
#define KILN_BACKENDS_CUDA_DRIVER_EXPORTS_H

#include "kiln/backend.h"

// driver.c
extern const struct kiln_driver kiln_cuda_driver;

// detect.c: the target of the first device that CUDA would list, without cuInit.
enum kiln_status kiln_cuda_detect_target(struct kiln_target *out, struct kiln_report *report);
enum kiln_status kiln_cuda_detect_automatic(struct kiln_target *out, struct kiln_report *report);
// Its compute capability: 90 for 9.0.
enum kiln_status kiln_cuda_detect(uint32_t *capability, struct kiln_report *report);
// The target whose code a device of this compute capability gets. UNAVAILABLE: it is older than all.
enum kiln_status kiln_cuda_target_of(uint32_t capability, struct kiln_target *out, struct kiln_report *report);

// cubin.c: what the driver's code for a device depends on, in one line.
void kiln_cuda_driver_identity(const struct kiln_drv *drv, uint32_t device, char *out, size_t size);
// Hands over what the driver had to make of a module for a device; empty where it took what was kept.
enum kiln_status kiln_cuda_take_cubin(struct kiln_drv_module *module, uint32_t device, void **data, size_t *size);

#endif
