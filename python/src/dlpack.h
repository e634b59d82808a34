// The part of the DLPack interface that is needed to take arrays of other libraries (github.com/dmlc/dlpack). A capsule
// named "dltensor" has the structure of version 0, one named "dltensor_versioned" that of version 1. Its consumer
// renames it and calls the deleter.
#ifndef KILN_PYTHON_DLPACK_H
#define KILN_PYTHON_DLPACK_H

#include <stdint.h>

enum { DL_CPU = 1, DL_CUDA = 2, DL_OPENCL = 4, DL_ROCM = 10 };
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_COMPLEX = 5, DL_BOOL = 6 };

struct dl_tensor {
  void *data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits; // of an element's lane
  uint16_t lanes;
  int64_t *shape, *strides; // in elements; strides NULL: contiguous in the order of C
  uint64_t byte_offset;
};

struct dl_managed_tensor {
  struct dl_tensor tensor;
  void *manager;
  void (*deleter)(struct dl_managed_tensor *self);
};

enum { DL_READ_ONLY = 1 }; // of flags

struct dl_versioned_tensor {
  uint32_t major, minor;
  void *manager;
  void (*deleter)(struct dl_versioned_tensor *self);
  uint64_t flags;
  struct dl_tensor tensor;
};

#endif
