// The stack that CPU code needs. Code generation knows the frame of each function; a kernel needs the largest sum along
// its calls, which may lead into other parts of the program.
//
// Frames are lines of text, one per function, so that assembly can carry them (as comments) to a later compilation:
//
// NAME STACK HELD CALLEE…
//
// STACK: the most bytes that a call takes, everything included. HELD: bytes of variables and spilled values. Functions
// of the C library are callees without a line: the driver's margin covers them (backends/cpu/abi.h).
#ifndef KILN_BACKENDS_LLVM_FRAMES_H
#define KILN_BACKENDS_LLVM_FRAMES_H

#include "backends/llvm/core/stages.h"

// Adds the lines to out, as comments.
void kiln_ll_frames_print(const struct kiln_strbuf *frames, const char *comment, struct kiln_strbuf *out);
// Adds the lines that a text holds as comments to frames.
void kiln_ll_frames_find(struct kiln_str text, const char *comment, struct kiln_strbuf *frames);

// The frames of all parts, by name.
struct kiln_ll_stack_frame;
struct kiln_ll_frames {
  struct kiln_ll_stack_frame *all;
  size_t count;
};
bool kiln_ll_frames_read(struct kiln_ll_frames *out, const struct kiln_ll_part *parts, uint32_t count);
void kiln_ll_frames_free(struct kiln_ll_frames *frames);

// The stack of a call of the function with all its callees. UINT64_MAX: unbounded, since calls form a cycle.
struct kiln_ll_stack {
  uint64_t bytes, held;
};
// False: no frame has that name.
bool kiln_ll_frames_sum(struct kiln_ll_frames *frames, const char *function, struct kiln_ll_stack *out);

#endif
