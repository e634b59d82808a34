// How a thread computes with floating-point numbers: rounding, what becomes of subnormal numbers, and which exceptions
// raise a signal. A host may change all of it for its own computations. What Kiln folds, reads, prints and runs is
// computed in C's default state, whatever the host's is: to nearest even, with subnormals, without signals.
#ifndef KILN_BASE_FLOATS_H
#define KILN_BASE_FLOATS_H

#include <fenv.h>
#include <stdint.h>

struct kiln_floats { // the state of a thread
#if defined(__x86_64__)
  uint32_t mxcsr; // of SSE
  uint16_t x87;   // control word
#elif defined(__aarch64__)
  uint64_t fpcr, fpsr; // control, flags
#else
  fenv_t all;
#endif
};

// Puts the calling thread into the default state, and returns the state that it was in. Takes a few nanoseconds where
// both are the same. Threads inherit the state of the thread that starts them.
struct kiln_floats kiln_floats_enter(void);
// Restores the state of the thread, the flags of exceptions included (on x86-64 those of SSE alone). This raises none.
void kiln_floats_leave(struct kiln_floats before);

#endif
