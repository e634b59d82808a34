// What fragments of C in the pages use without declaring it.
#ifndef KILN_DOCS_PREAMBLE_H
#define KILN_DOCS_PREAMBLE_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kiln/backend.h>
#include <kiln/ir.h>
#include <kiln/kiln.h>

extern struct kiln_context *ctx, *context;
extern struct kiln_program *program;
extern struct kiln_kernel *kernel;
extern struct kiln_stream *stream;
extern struct kiln_buffer *buffer, *x, *y, *z;
extern float input[], result[];
extern struct kiln_arg args[4];
extern const char *text;
extern size_t n;
extern const struct kiln_base_backend table;

extern struct kiln_launch_desc launch;

// HIP, as far as it is used.
extern int hip_device;
extern void *hip_pointer, *hip_stream;
int hipDeviceGetPCIBusId(char *pci, int size, int device);
int hipStreamSynchronize(void *stream);

// CUDA, as far as it is used.
typedef struct cuda_context *CUcontext;
extern void *cuda_pointer, *cuda_stream;
int cuCtxGetCurrent(CUcontext *context);

// MPI, as far as it is used.
extern int rank;
extern void *bundle;
extern size_t size;
enum { MPI_BYTE, MPI_UINT64_T, MPI_COMM_WORLD };
int MPI_Bcast(void *data, int count, int type, int root, int communicator);
#endif
