// Launches that are checked once and run many times: by the host, or by a graph.
#ifndef KILN_JIT_LAUNCH_H
#define KILN_JIT_LAUNCH_H

#include "jit/stream.h"

struct kiln_prepared {
  struct kiln_stream *stream; // a graph's: without a reference
  struct kiln_kernel *kernel;
  struct kiln_binary *binary;        // the code that runs, which lives as long as the kernel
  struct kiln_command command;       // that runs it; its launch is NULL where there is nothing to run
  struct kiln_drv_launch_desc shape; // for traces; without its arguments
  bool stoppable;                    // prepared for a stream with a deadline
  uint32_t buffer_count;
  struct kiln_buffer *buffers[]; // of images, too, up to two each: the driver has copied their records
};

// call: for messages.
enum kiln_status kiln_prepare_for(const char *call, struct kiln_stream *stream, struct kiln_kernel *kernel,
                                  const struct kiln_launch_desc *desc, struct kiln_prepared **out);

#endif
