// Device code: what a driver, or a tool of this machine, makes of a program's artifact, kept on its entry in the cache.
#ifndef KILN_JIT_DEVICE_CODE_H
#define KILN_JIT_DEVICE_CODE_H

#include "jit/program.h"

// Gives code what is kept for the binary. To be freed when code has been loaded; NULL: nothing is kept.
struct kiln_device_code *kiln_device_codes(const struct kiln_binary *binary, struct kiln_code *code);

// After the driver has loaded the binary as module: keeps what it had to make of code. Nothing of this can fail the
// load.
void kiln_device_code_loaded(struct kiln_context *ctx, struct kiln_drv *drv, struct kiln_drv_module *module,
                             struct kiln_binary *binary, const struct kiln_code *code);

// Keeps what a tool of this machine makes of the program, unless it is there. The log says what goes wrong.
void kiln_device_code_by_tool(struct kiln_program *program);

#endif
