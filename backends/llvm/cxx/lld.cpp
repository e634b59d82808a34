// The only caller of lld, which has no C interface.
//
// A fatal error inside lld shuts LLVM down and ends the process, and at each start lld puts every option of LLVM back
// to its default, though other threads compile with them. The only way to prevent both is to redirect the three calls
// by the linker (--wrap). While lld runs on this thread, the shutdown does nothing, and the end of the process jumps
// back; the reset of options never does anything. lld's own recovery would need LLVM's signal handlers, which belong to
// the host.
#include <csetjmp>
#include <cstring>
#include <string>

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"

#include "backends/llvm/cxx/cxx.h"

LLD_HAS_DRIVER(elf)

static thread_local std::jmp_buf *exit_to;

extern "C" {
[[noreturn]] void __real__ZN4llvm3sys7Process4ExitEib(int code, bool no_cleanup);
[[noreturn]] void __wrap__ZN4llvm3sys7Process4ExitEib(int code, bool no_cleanup);
void __real__ZN4llvm13llvm_shutdownEv(void);
void __wrap__ZN4llvm13llvm_shutdownEv(void);
void __wrap__ZN4llvm2cl25ResetAllOptionOccurrencesEv(void);
}

void __wrap__ZN4llvm2cl25ResetAllOptionOccurrencesEv(void) {}

void __wrap__ZN4llvm3sys7Process4ExitEib(int code, bool no_cleanup) {
  if (exit_to)
    std::longjmp(*exit_to, 1);
  __real__ZN4llvm3sys7Process4ExitEib(code, no_cleanup);
}

void __wrap__ZN4llvm13llvm_shutdownEv(void) {
  if (!exit_to)
    __real__ZN4llvm13llvm_shutdownEv();
}

namespace {
struct Output { // outside of the frame that setjmp returns to
  std::string text;
  llvm::raw_string_ostream stream{text};
};
} // namespace

static bool run_lld(const char *const *args, size_t count, Output *output) {
  std::jmp_buf here;
  exit_to = &here;
  volatile bool ok = false;
  if (setjmp(here) == 0)
    ok = lld::elf::link(llvm::ArrayRef<const char *>(args, count), output->stream, output->stream, false, false);
  if (setjmp(here) == 0)
    lld::CommonLinkerContext::destroy();
  else
    ok = false;
  exit_to = nullptr;
  return ok;
}

bool kiln_ll_lld(const char *const *args, size_t count, char **log) {
  Output *output = new Output;
  bool ok = run_lld(args, count, output);
  *log = strdup(output->text.c_str());
  delete output;
  return ok;
}
