// printf of AMDGPU kernels. The kernel appends records to a buffer whose address is a hidden argument; the driver
// formats them when the kernel has ended. What every place that prints looks like is in the artifact's metadata:
//
//   u32 magic, u32 count; for each place: u32 types, u32 bytes of the format, the types, the format padded to 4 bytes
//
// The buffer: u64 bytes that were asked for, u64 bytes that there are after this head, u64 1 + the number of the place
// that made the launch fail (0: none did), u64 0; records one after another: u32 bytes of the record, u32 number of the
// place, the arguments as backends/host/printf.h wants them.
#ifndef KILN_BACKENDS_ROCM_CODE_PRINTS_H
#define KILN_BACKENDS_ROCM_CODE_PRINTS_H

#define KILN_ROCM_PRINT_MAGIC 0x4b525031u
#define KILN_ROCM_PRINT_HEAD 32          // bytes
#define KILN_ROCM_PRINT_FAILED 16        // offset of the place that failed
#define KILN_ROCM_PRINT_ARGUMENT 72      // offset of its address in the implicit arguments
#define KILN_ROCM_PRINT_BYTES (1u << 20) // of the buffer

#endif
