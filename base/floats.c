#include "base/floats.h"

#if defined(__x86_64__)

// Nearly all code computes with SSE. The C library looks at the control word of the x87 for the rounding mode in which
// it reads and prints numbers.
#define MXCSR_FLAGS 0x3f
#define MXCSR_DEFAULT 0x1f80 // to nearest even, subnormals kept, all exceptions masked
#define X87_DEFAULT 0x37f    // to nearest even, 64 bits of precision, all exceptions masked
#define X87_EXCEPTIONS 0x3f  // their flags in the status word, their masks in the control word

static uint32_t read_mxcsr(void) {
  uint32_t value;
  __asm__ volatile("stmxcsr %0" : "=m"(value)::"memory");
  return value;
}

static void write_mxcsr(uint32_t value) { __asm__ volatile("ldmxcsr %0" ::"m"(value) : "memory"); }

static uint16_t read_x87(void) {
  uint16_t value;
  __asm__ volatile("fnstcw %0" : "=m"(value)::"memory");
  return value;
}

// An exception whose flag is set would raise its signal once it is no longer masked.
static void write_x87(uint16_t control) {
  uint16_t status;
  __asm__ volatile("fnstsw %0" : "=m"(status)::"memory");
  if (status & X87_EXCEPTIONS & ~control)
    __asm__ volatile("fnclex" ::: "memory");
  __asm__ volatile("fldcw %0" ::"m"(control) : "memory");
}

struct kiln_floats kiln_floats_enter(void) {
  struct kiln_floats before = {read_mxcsr(), read_x87()};
  if ((before.mxcsr & ~MXCSR_FLAGS) != MXCSR_DEFAULT)
    write_mxcsr(MXCSR_DEFAULT);
  if (before.x87 != X87_DEFAULT)
    write_x87(X87_DEFAULT);
  return before;
}

void kiln_floats_leave(struct kiln_floats before) {
  if (read_mxcsr() != before.mxcsr)
    write_mxcsr(before.mxcsr);
  if (read_x87() != before.x87)
    write_x87(before.x87);
}

#elif defined(__aarch64__)

struct kiln_floats kiln_floats_enter(void) {
  struct kiln_floats before;
  __asm__ volatile("mrs %0, fpcr" : "=r"(before.fpcr)::"memory");
  __asm__ volatile("mrs %0, fpsr" : "=r"(before.fpsr)::"memory");
  if (before.fpcr)
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)0) : "memory");
  return before;
}

void kiln_floats_leave(struct kiln_floats before) {
  uint64_t fpcr, fpsr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr)::"memory");
  __asm__ volatile("mrs %0, fpsr" : "=r"(fpsr)::"memory");
  if (fpcr != before.fpcr)
    __asm__ volatile("msr fpcr, %0" ::"r"(before.fpcr) : "memory");
  if (fpsr != before.fpsr)
    __asm__ volatile("msr fpsr, %0" ::"r"(before.fpsr) : "memory");
}

#else

struct kiln_floats kiln_floats_enter(void) {
  struct kiln_floats before;
  fegetenv(&before.all);
  fesetenv(FE_DFL_ENV);
  return before;
}

void kiln_floats_leave(struct kiln_floats before) { fesetenv(&before.all); }

#endif
