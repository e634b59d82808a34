// What the printer makes of a module.
#ifndef KILN_BACKENDS_OPENCL_PRINTED_H
#define KILN_BACKENDS_OPENCL_PRINTED_H

#include "base/str.h"

// What the driver must know of an argument of a kernel.
enum cl_arg_letter { KILN_CL_ARG_PLAIN = '.', KILN_CL_ARG_IMAGE = 'i', KILN_CL_ARG_SAMPLER = 's' };

struct cl_printed {
  char *source;
  struct kiln_strbuf names;  // of the kernels in the text, each with its NUL, in the order of the module's kernels
  struct kiln_strbuf prints; // metadata of the printfs (prints.h); empty: nothing prints
  // For each kernel a letter per argument (enum cl_arg_letter) and a NUL; empty: no kernel has images or samplers of
  // the device.
  struct kiln_strbuf args;
  unsigned version; // of OpenCL C that the text needs: 120, 200, 300
};

void kiln_cl_printed_free(struct cl_printed *printed);

#endif
