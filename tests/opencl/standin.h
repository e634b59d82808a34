// The stand-in for libOpenCL: the real loader with failures put in.
#ifndef KILN_TESTS_OPENCL_STANDIN_H
#define KILN_TESTS_OPENCL_STANDIN_H

enum standin_mode {
  STANDIN_ONCE,    // this call fails
  STANDIN_FOREVER, // this call fails, and every later one of this function
  STANDIN_LOST,    // this call fails, and every later call that reaches a device
  STANDIN_COMMAND, // the call succeeds; the command that it enqueued ends with the error
};

// The call number (1: the next one) of the function gives the code. Names as in backends/opencl/print/symbols.def.
typedef void standin_fail_fn(const char *function, unsigned call, int code, enum standin_mode mode);
// Ends all failures and sets the counters to 0.
typedef void standin_reset_fn(void);
// How often the function was called since then.
typedef unsigned standin_calls_fn(const char *function);

#endif
