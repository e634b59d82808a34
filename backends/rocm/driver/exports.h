// What the table of the backend (struct kiln_base_backend) takes from the driver.
#ifndef KILN_BACKENDS_ROCM_DRIVER_EXPORTS_H
#define KILN_BACKENDS_ROCM_DRIVER_EXPORTS_H

#include "kiln/backend.h"

// driver.c
extern const struct kiln_driver kiln_rocm_driver;

#endif
