// CUDA's driver API, as far as the driver uses it: declarations of our own, so that no header of NVIDIA's is needed.
// The names are those of cuda.h in lower case; the numbers are part of the driver's ABI.
#ifndef KILN_BACKENDS_CUDA_DRIVER_API_H
#define KILN_BACKENDS_CUDA_DRIVER_API_H

#include <stddef.h>
#include <stdint.h>

#include "kiln/backend.h"

typedef int kiln_cu_result;
typedef int kiln_cu_device;
typedef uint64_t kiln_cu_pointer; // on a device
typedef struct kiln_cu_context_data *kiln_cu_context;
typedef struct kiln_cu_module_data *kiln_cu_module;
typedef struct kiln_cu_link_data *kiln_cu_link;
typedef struct kiln_cu_function_data *kiln_cu_function;
typedef struct kiln_cu_stream_data *kiln_cu_stream;
typedef struct kiln_cu_event_data *kiln_cu_event;

enum kiln_cu_results {
  KILN_CU_SUCCESS = 0,
#define KILN_CU_ERROR(name, number, kind, text) KILN_CU_##name = number,
#include "backends/cuda/driver/errors.def"
};

enum kiln_cu_attribute { // of devices
  KILN_CU_MAX_THREADS_PER_BLOCK = 1,
  KILN_CU_MAX_SHARED = 8,
  KILN_CU_CLOCK_KHZ = 13,
  KILN_CU_MULTIPROCESSORS = 16,
  KILN_CU_L2_BYTES = 38,
  KILN_CU_CAPABILITY_MAJOR = 75,
  KILN_CU_CAPABILITY_MINOR = 76,
  KILN_CU_MAX_SHARED_OPTIN = 97,
};
enum kiln_cu_function_attribute {
  KILN_CU_FUNCTION_MAX_THREADS = 0,
  KILN_CU_FUNCTION_SHARED = 1,
  KILN_CU_FUNCTION_MAX_DYNAMIC_SHARED = 8,
};
enum kiln_cu_jit_input { KILN_CU_JIT_INPUT_PTX = 1 };
enum kiln_cu_jit_option { KILN_CU_JIT_ERROR_LOG = 5, KILN_CU_JIT_ERROR_LOG_SIZE = 6 };
enum kiln_cu_pointer_attribute { KILN_CU_POINTER_MEMORY_TYPE = 2, KILN_CU_POINTER_DEVICE = 9 };
enum kiln_cu_memory_type { KILN_CU_MEMORY_HOST = 1, KILN_CU_MEMORY_DEVICE = 2, KILN_CU_MEMORY_UNIFIED = 4 };
#define KILN_CU_STREAM_NON_BLOCKING 1u
#define KILN_CU_HOST_PORTABLE 1u // of memory that is allocated, or registered: for all contexts

struct kiln_cuda {
#define KILN_CU(need, member, symbol, parameters) kiln_cu_result(*member) parameters;
#include "backends/cuda/driver/cuda.def"
};

// Opens libcuda.so.1 without initialising it.
enum kiln_status kiln_cuda_library(struct kiln_cuda *out, struct kiln_report *report);
// Opens and initialises it. UNAVAILABLE with the reason.
enum kiln_status kiln_cuda_start(struct kiln_cuda *out, struct kiln_report *report);
// What is said in a process that was forked from one that used CUDA.
extern const char kiln_cuda_forked[];
// What an error means, in a few words.
const char *kiln_cuda_text(const struct kiln_cuda *cuda, kiln_cu_result result);

enum kiln_cuda_error_kind {
  KILN_CUDA_CALL,   // this call alone failed
  KILN_CUDA_MEMORY, // memory of the device or the host is exhausted
  KILN_CUDA_STICKY, // the context is of no use any more, for anyone in the process
};
enum kiln_cuda_error_kind kiln_cuda_kind(kiln_cu_result result);

// ---- NVML, which knows devices without CUDA being initialised

typedef int kiln_nvml_result; // 0: success
typedef struct kiln_nvml_device_data *kiln_nvml_device;
struct kiln_nvml {
#define KILN_NVML(need, member, symbol, parameters) kiln_nvml_result(*member) parameters;
#include "backends/cuda/driver/nvml.def"
};

// Opens libnvidia-ml.so.1 without initialising it.
enum kiln_status kiln_nvml_library(struct kiln_nvml *out, struct kiln_report *report);

#endif
