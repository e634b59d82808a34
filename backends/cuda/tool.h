// NVIDIA's tools, ptxas and nvdisasm, which need no device: where they are, and running them. Nothing of a normal start
// does; docs/cuda.md ("Device code") says what does.
#ifndef KILN_BACKENDS_CUDA_TOOL_H
#define KILN_BACKENDS_CUDA_TOOL_H

#include "backends/cuda/code/meta.h"
#include "kiln/backend.h"

// The path of a tool, the caller's to free. UNAVAILABLE with where it was looked for.
enum kiln_status kiln_cuda_find_tool(const char *name, char **out, struct kiln_report *report);

// What a tool wrote: to the file that is its output, and to standard output and error. Standard output is the first
// where the arguments name no file.
struct kiln_cuda_said {
  char *made; // malloc'ed, with a NUL after the end; NULL: nothing
  size_t made_size;
  char *text; // malloc'ed, with a NUL
};
void kiln_cuda_said_free(struct kiln_cuda_said *said);

// Runs path with the arguments, which a NULL ends. In them "<" is a file with the input, ">" one for the output. Ends
// it after COMPILE_ISOLATE_TIME. Fails unless it ends with 0; said is to be freed either way.
enum kiln_status kiln_cuda_run_tool(const char *path, const char *const *arguments, struct kiln_str input,
                                    struct kiln_cuda_said *said, struct kiln_report *report);

// device_code.c: the slots of the backend.
enum kiln_status kiln_cuda_device_identity(struct kiln_drv *drv, uint32_t device, const struct kiln_target *target,
                                           char *out, size_t size, struct kiln_report *report);
enum kiln_status kiln_cuda_device_code(struct kiln_drv *drv, uint32_t device, struct kiln_drv_module *module,
                                       const struct kiln_target *target, const struct kiln_code *code,
                                       struct kiln_artifact *out, struct kiln_report *report);
// A cubin of PTX, by ptxas. said->text has its figures (-v).
enum kiln_status kiln_cuda_assemble(const char *arch, struct kiln_str ptx, struct kiln_cuda_said *said,
                                    struct kiln_report *report);
// The instructions of a cubin as text, by nvdisasm.
enum kiln_status kiln_cuda_disassemble(struct kiln_str cubin, struct kiln_cuda_said *said, struct kiln_report *report);

#endif
