// Code generation: LLVM's own list of machine passes, without those that codegen.def names. The list is given
// to a pass manager that leaves them out, so that no option of LLVM is set, which would hold for the whole process.
#include <cstdlib>
#include <cstring>

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Pass.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "backends/llvm/object.h"

namespace {
enum Family { cpus, x86, amdgpu };
struct LeftOut {
  const char *pass;
  Family family;
  bool large_only;
};
const LeftOut left_out[] = {
#define KILN_LEFT_OUT(pass, x86_only) {pass, x86_only ? x86 : cpus, false},
#define KILN_LEFT_OUT_LARGE(pass) {pass, cpus, true},
#define KILN_LEFT_OUT_AMDGPU_LARGE(pass) {pass, amdgpu, true},
#include "backends/llvm/codegen.def"
};
constexpr size_t left_out_count = sizeof left_out / sizeof *left_out;
constexpr size_t large_function = 30000; // instructions
constexpr size_t large_amdgpu = 10000;   // the same, a block counted as so many:
constexpr size_t amdgpu_block = 8;

class Passes : public llvm::legacy::PassManagerBase {
public:
  Passes(const llvm::Triple &triple, bool large)
      : family(triple.isX86()      ? x86
               : triple.isAMDGPU() ? amdgpu
                                   : cpus),
        large(large) {}
  void add(llvm::Pass *pass) override {
    if (is_left_out(pass->getPassName()))
      delete pass;
    else
      inner.add(pass);
  }
  void run(llvm::Module &module) { inner.run(module); }
  // The first row that none of the passes was.
  const char *unused() const {
    for (size_t i = 0; i < left_out_count; i++)
      if (!used[i] && applies(left_out[i]))
        return left_out[i].pass;
    return nullptr;
  }

private:
  bool applies(const LeftOut &row) const {
    bool here = row.family == family || (row.family == cpus && family == x86);
    return here && (large || !row.large_only);
  }
  bool is_left_out(llvm::StringRef name) {
    for (size_t i = 0; i < left_out_count; i++)
      if (name == left_out[i].pass && applies(left_out[i]))
        return used[i] = true;
    return false;
  }
  llvm::legacy::PassManager inner;
  Family family;
  bool large;
  bool used[left_out_count] = {};
};
} // namespace

static llvm::TargetMachine &machine_of(LLVMTargetMachineRef tm) { return *reinterpret_cast<llvm::TargetMachine *>(tm); }

bool kiln_ll_emit_code(LLVMModuleRef module, LLVMTargetMachineRef tm, bool assembly, void **out, size_t *out_size) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::TargetMachine &machine = machine_of(tm);
  llvm::Module &m = *llvm::unwrap(module);
  m.setDataLayout(machine.createDataLayout());
  bool large = false, amd = machine.getTargetTriple().isAMDGPU();
  for (const llvm::Function &function : m)
    large |= amd ? function.getInstructionCount() + amdgpu_block * function.size() > large_amdgpu
                 : function.getInstructionCount() > large_function;
  Passes passes(machine.getTargetTriple(), large);
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile))
    return false;
  passes.run(m);
  *out_size = bytes.size();
  *out = std::malloc(bytes.size() + 1);
  if (*out)
    std::memcpy(*out, bytes.data(), bytes.size());
  return true;
}

const char *kiln_ll_unused_left_out(LLVMTargetMachineRef tm) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  Passes passes(machine_of(tm).getTargetTriple(), true);
  machine_of(tm).addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile);
  return passes.unused();
}
