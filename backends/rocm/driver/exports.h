// What the table of the backend (struct kiln_base_backend) takes from the driver.
#ifndef KILN_BACKENDS_ROCM_DRIVER_EXPORTS_H
#define KILN_BACKENDS_ROCM_DRIVER_EXPORTS_H

#include "kiln/backend.h"

// driver.c
extern const struct kiln_driver kiln_rocm_driver;

// launch.c
// The options of the variant for launches whose groups are larger than the kernel is compiled for; NULL: it is none.
const char *kiln_rocm_variant(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc);

// stream.c
enum kiln_status kiln_rocm_stream_deadline(struct kiln_drv *drv, struct kiln_drv_stream *stream, uint64_t ns,
                                           struct kiln_report *report);
enum kiln_status kiln_rocm_stream_cancel(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                         struct kiln_report *report);
void kiln_rocm_device_traits(struct kiln_drv *drv, uint32_t device, struct kiln_device_traits *out);
enum kiln_event_state kiln_rocm_event_state(struct kiln_drv *drv, struct kiln_drv_event *event);
enum kiln_status kiln_rocm_event_create(struct kiln_drv *drv, struct kiln_drv_event **out, struct kiln_report *report);
void kiln_rocm_event_signal(struct kiln_drv *drv, struct kiln_drv_event *event, enum kiln_status status,
                            const char *message);
bool kiln_rocm_stream_lost(struct kiln_drv *drv, struct kiln_drv_stream *stream);

// native.c and driver.c: handles of a host that uses HSA or HIP
enum kiln_status kiln_rocm_native_target(const struct kiln_native_context *native, struct kiln_target *out,
                                         struct kiln_report *report);
enum kiln_status kiln_rocm_open_native(const struct kiln_driver_config *config,
                                       const struct kiln_native_context *native, struct kiln_drv **out,
                                       struct kiln_report *report);
void kiln_rocm_device_native(struct kiln_drv *drv, uint32_t device, struct kiln_native_context *out);
bool kiln_rocm_takes_pointer(struct kiln_drv *drv, uint32_t device, const void *pointer);
enum kiln_status kiln_rocm_wrap_memory(struct kiln_drv *drv, uint32_t device, void *native, size_t *size,
                                       struct kiln_drv_memory **out, struct kiln_report *report);
void *kiln_rocm_memory_native(struct kiln_drv *drv, struct kiln_drv_memory *memory);
void *kiln_rocm_stream_native(struct kiln_drv *drv, struct kiln_drv_stream *stream);

#endif
