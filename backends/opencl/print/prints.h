// printf of OpenCL kernels. A kernel that prints has one argument more than its source: a buffer to which it appends
// records; the driver formats them when the kernel has ended, and the text goes to the context's callback.
//
// The buffer, in words of 4 bytes: bytes that were asked for, bytes that there are after this head, 1 when a record
// found no room, 1 + the place that made the launch fail (0: none did); records one after another: bytes of the record,
// number of the place, then the arguments as backends/common/printf.h wants them. A pointer is 1 + the number of a
// string of the program, or, with the highest bit set, the offset in the record of a copied text.
//
// The artifact's metadata holds, in words: places, strings, one word for each kernel (1: it prints); for each place
// the number of its arguments, the bytes of its format, the types, the format padded to words; for each string its
// number, its bytes, the text padded to words.
#ifndef KILN_BACKENDS_OPENCL_PRINTS_H
#define KILN_BACKENDS_OPENCL_PRINTS_H

#define KILN_CL_PRINT_HEAD 16          // bytes
#define KILN_CL_PRINT_BYTES (1u << 20) // of records
#define KILN_CL_PRINT_COPIED 255       // bytes of a text that is no literal, at most
#define KILN_CL_PRINT_COPY ((uint64_t)1 << 63)

#endif
